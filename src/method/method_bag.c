/* SPDX-License-Identifier: Apache-2.0 */
/* Ensembles of a method on samples of the rows.
 *
 *     ds-st-grboost     one booster on one balanced sample: all rows of the rarer class, as many of the other
 *     st-ensemble       several of them; sum or mean
 *     bag               the mean of any method over bootstraps, balanced or not
 *     easy-ensemble     the sum of any method over balanced samples
 *     balance-cascade   the same one after the other, each without the negatives that those before it were sure of
 *                       (cascade.c)
 *
 * Boosters of balanced samples begin with f_0 = 0. The document behind st-ensemble computes f_0 on all rows; with few
 * positives no leaf then has the weight to be split off, and members never leave "all negative" (f0=full does that).
 *
 * The inner method of the last three is a name, or a specification (gb:n_trees=50); its settings may also be given one
 * by one as inner.n_trees=50. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "method/cascade.h"
#include "method/gb_options.h"
#include "method/members_inside.h"
#include "model/bag.h"
#include "model/encoded.h"

/* ---- boosters: ds-st-grboost, st-ensemble */

/* The booster's parameters come first, in the struct and in the table, so that what serves gb serves these. */
typedef struct boosters_params {
    scarce__gb_params booster;
    int64_t members;
    int aggregate, f0;
} boosters_params;

enum { AGGREGATE_SUM = 0, AGGREGATE_AVG };
enum { F0_BAG = 0, F0_FULL };

#define AT(f) offsetof(boosters_params, f)
static const scarce__param boosters_list[] = {
    {"members", "n_members,bags", SCARCE__INT, AT(members), "10", 1, 10000, NULL,
     "boosters, each on a balanced sample of its own", NULL, NULL},
    {"aggregate", "", SCARCE__CHOICE, AT(aggregate), "sum", 0, 0, "sum|avg",
     "the score is the sum of the members' scores, or their mean: the same order of rows, but only the mean "
     "gives "
     "probabilities",
     NULL, NULL},
    {"f0", "", SCARCE__CHOICE, AT(f0), "bag", 0, 0, "bag|full",
     "what members begin with: the log-odds of a balanced sample (0), or of all rows (with few positives "
     "members "
     "may then never split)",
     NULL, NULL},
};
#undef AT
static const scarce__param_part boosters_parts[] = {SCARCE__GB_PARTS(offsetof(boosters_params, booster)),
                                                    SCARCE__PART(boosters_list, 0)};
static const scarce__param_table boosters_table = {
    boosters_parts, sizeof boosters_parts / sizeof boosters_parts[0], sizeof(boosters_params)};

static const char sum_why[] = "a sum of members is no log-odds (aggregate=avg gives probabilities)";

static scarce_status boosters_check(const scarce__job *job, scarce_error *err)
{
    const boosters_params *p = scarce__params_options(job->asked);
    const int validates = job->valid || job->options->expects_valid;
    const scarce_model *resume = job->options->resume;

    if (job->options->early_stop > 0 && !validates &&
        (p->members > 1 || !scarce__gb_leaves_rows_out(&p->booster)))
        return scarce__fail(err, SCARCE_EINVAL,
                            "early stopping of %s needs validation rows (--valid or --valid-fraction)",
                            job->method->name);
    if (resume && job->table && resume->kind != &scarce__kind_trees)
        return scarce__fail(err, SCARCE_EINVAL, "the checkpoint is of another kind of model");
    return scarce__gb_check(&p->booster, err);
}

static scarce__gb_size sample_size(size_t rows, size_t positives)
{
    const size_t n = scarce__draw_most(rows, positives, SCARCE__MEMBER_BALANCED, 1);
    return (scarce__gb_size){n, n / 2};
}

static double boosters_memory(const scarce__job *job, size_t rows, size_t positives, size_t features,
                              size_t valid_rows)
{
    const boosters_params *p = scarce__params_options(job->asked);
    const scarce__gb_size size = sample_size(rows, positives);
    const int threads = scarce_context_threads(job->ctx);
    const int64_t lanes = p->members < threads ? p->members : threads;
    const double trees = (double)p->booster.tree.n_trees * (double)p->members;

    return (double)lanes * (scarce__engine_gb.memory(job, size.rows, size.positives, features, 0) +
                            4 * (double)size.rows * (double)features) +
           4 * (double)rows + 16 * (double)valid_rows + 2 * 3 * trees * (double)sizeof(scarce__node);
}

/* Log-odds of all rows, in the units of the score. */
static double full_f0(const scarce_table *t, const scarce__boost_options *o)
{
    double weight[2] = {0, 0};
    for (size_t i = 0; i < t->n_rows; ++i) weight[t->label[i] != 0] += t->weight ? t->weight[i] : 1;
    return scarce__ln(weight[1] * o->pos_weight / weight[0]) / o->loss.gamma;
}

/* One booster on one sample: its checkpoints are those of any booster. */
static scarce_status train_one(scarce__learned *out, const scarce__job *job, const scarce__classes *classes,
                               const double *base, scarce_error *err)
{
    const uint64_t seed = scarce_context_seed(job->ctx);
    scarce__drawn drawn = {0};
    scarce_table *sample = NULL;
    scarce__job inside = *job;
    scarce_status st = scarce__draw_member(&drawn, classes, SCARCE__MEMBER_BALANCED, 1, seed, 0, err);

    if (st == SCARCE_OK) st = scarce__member_table(&sample, job->table, classes, &drawn, job->ctx, err);
    if (st == SCARCE_OK) {
        inside.table = sample;
        inside.whole = job->whole ? job->whole : job;
        inside.shared = NULL;
        inside.base = base;
        st = scarce__engine_gb.train(out, &inside, err);
    }
    if (st == SCARCE_OK)
        out->meaning.odds_factor *= scarce__draw_odds(classes->coins, SCARCE__MEMBER_BALANCED);
    scarce_table_free(sample);
    scarce__drawn_deinit(&drawn);
    return st;
}

static scarce_status train_several(scarce__learned *out, const scarce__job *job,
                                   const scarce__classes *classes, const double *base, scarce_error *err)
{
    const boosters_params *p = scarce__params_options(job->params);
    const scarce__inner_method inner = {job->method, &scarce__engine_gb, job->asked, NULL};
    scarce__members m;
    scarce_status st = scarce__members_init(&m, job, &inner, (size_t)p->members, err);

    m.classes = classes;
    m.rows = SCARCE__MEMBER_BALANCED;
    m.base = base;
    m.total_steps = (size_t)p->booster.tree.n_trees;
    if (st == SCARCE_OK) st = scarce__members_train(&m, 0, m.n, err);
    if (st == SCARCE_OK) st = scarce__members_finish(&m, out, p->aggregate == AGGREGATE_AVG, err);
    scarce__members_deinit(&m);
    if (p->aggregate == AGGREGATE_AVG) return st;
    out->meaning.link = SCARCE__LINK_NONE;
    out->meaning.why = sum_why;
    return st;
}

static scarce_status boosters_train(scarce__learned *out, const scarce__job *job, scarce_error *err)
{
    boosters_params *p = scarce__params_edit(job->params);
    scarce__classes classes = {0};
    scarce__boost_options o;
    double base;
    size_t coins[2];
    scarce_status st;

    scarce__classes_count(coins, job->table);
    const scarce__gb_size size = sample_size(coins[0] + coins[1], coins[1]);
    scarce__gb_settle(&p->booster, size);
    SCARCE__TRY(scarce__gb_options(&o, &p->booster, size, NULL, 1, err));
    scarce__gb_remember(&p->booster, &o);
    base = p->f0 == F0_FULL ? full_f0(job->table, &o) : 0;
    st = scarce__classes_new(&classes, job->table, err);
    if (st == SCARCE_OK)
        st = p->members == 1 ? train_one(out, job, &classes, &base, err)
                             : train_several(out, job, &classes, &base, err);
    scarce__classes_deinit(&classes);
    return st;
}

static int boosters_rank(const void *options)
{
    const boosters_params *p = options;
    return p->aggregate == AGGREGATE_SUM && p->members > 1;
}

const scarce__engine scarce__engine_boosters = {
    .params = &boosters_table,
    .can = SCARCE__CAN_STOP | SCARCE__CAN_RESUME | SCARCE__CAN_PROBABILITY | SCARCE__CAN_COSTS,
    .ranks = boosters_rank,
    .stages = "n_trees",
    .rate = "learning_rate",
    .check = boosters_check,
    .memory = boosters_memory,
    .train = boosters_train,
};

/* ---- any method: bag, easy-ensemble, balance-cascade */

typedef struct bag_params {
    const char *inner, *settings;
    int64_t members;
    int balanced, replace, aggregate;
    double share;
} bag_params;

#define AT(f) offsetof(bag_params, f)
static const scarce__param bag_list[] = {
    {"inner", "base_estimator,estimator", SCARCE__TEXT, AT(inner), "gb", 0, 0, NULL,
     "the method of the members, also with its settings (gb:n_trees=50) and a resampler before it (smote+gb)",
     NULL, NULL},
    {"inner_settings", "inner.", SCARCE__TEXT, AT(settings), "", 0, 0, NULL,
     "settings of the inner method: n_trees=50:max_depth=2. One by one: inner.n_trees=50", NULL, NULL},
    {"members", "n_members,n_estimators,bags", SCARCE__INT, AT(members), "10", 1, 10000, NULL,
     "models, each on a sample of its own", "int:5:30", NULL},
    {"balanced", "", SCARCE__BOOL, AT(balanced), "false", 0, 0, NULL,
     "as many draws from each class; probabilities are corrected for it", NULL, NULL},
    {"replace", "bootstrap,replacement", SCARCE__BOOL, AT(replace), "true", 0, 0, NULL,
     "draw with replacement; false: without (balanced: all rows of the rarer class, as many of the other)",
     NULL, NULL},
    {"share", "max_samples,subsample", SCARCE__REAL, AT(share), "1", 1e-6, 1, NULL,
     "draws of a member, as a share of the rows (balanced: of the rarer class, from each class)",
     "real:0.3:1", NULL},
    {"aggregate", "", SCARCE__CHOICE, AT(aggregate), "avg", 0, 0, "sum|avg",
     "the score is the sum of the members' scores, or their mean: the same order of rows, but only the mean "
     "gives "
     "probabilities",
     NULL, NULL},
};
#undef AT
static const scarce__param_part bag_parts[] = {SCARCE__PART(bag_list, 0)};
static const scarce__param_table bag_table = {bag_parts, 1, sizeof(bag_params)};

/* What "auto" is: the learner of the paper, where the table has it. */
static const char *inner_name(const bag_params *p)
{
    if (strcmp(p->inner, "auto") != 0) return p->inner;
    return scarce_method_find("adaboost") != SIZE_MAX ? "adaboost" : "gb";
}

static scarce_status inner_params(scarce_params **out, const bag_params *p, scarce_error *err)
{
    scarce_error here = SCARCE_ERROR_INIT;
    scarce_status st = scarce_params_of_spec(out, inner_name(p), &here);

    if (st == SCARCE_OK) st = scarce_params_set_list(*out, p->settings, ':', &here);
    if (st == SCARCE_OK) st = scarce__params_check((*out)->values, &here);
    if (st == SCARCE_OK) return st;
    scarce_params_free(*out);
    *out = NULL;
    return st == SCARCE_ENOMEM ? scarce__fail_memory(err, "parameters", 0)
                               : scarce__fail(err, st, "inner: %s", here.text);
}

static scarce__member_rows rows_of(const bag_params *p)
{
    if (p->balanced) return p->replace ? SCARCE__MEMBER_BOOTSTRAP_BALANCED : SCARCE__MEMBER_BALANCED;
    return SCARCE__MEMBER_BOOTSTRAP;
}

static scarce_status bag_check(const scarce__job *job, scarce_error *err)
{
    const bag_params *p = scarce__params_options(job->asked);
    const scarce_train_options usual = SCARCE_TRAIN_OPTIONS_INIT;
    scarce__job inside = *job;
    scarce_params *inner = NULL;
    scarce_status st = SCARCE_OK;

    if (!p->balanced && !p->replace)
        return scarce__fail(err, SCARCE_EINVAL,
                            "replace=false draws balanced samples: add balanced=true, or leave it out");
    if (job->options->early_stop > 0 && !job->valid && !job->options->expects_valid)
        return scarce__fail(err, SCARCE_EINVAL,
                            "early stopping of %s needs validation rows (--valid or "
                            "--valid-fraction)",
                            job->method->name);
    SCARCE__TRY(inner_params(&inner, p, err));
    inside.method = inner->method;
    inside.asked = inner->values;
    inside.options = &usual;
    inside.valid = NULL;
    if (inner->method->engine->check) st = inner->method->engine->check(&inside, err);
    if (st != SCARCE_OK) scarce__fail_prefix(err, "inner: ");
    scarce_params_free(inner);
    return st;
}

static double bag_memory(const scarce__job *job, size_t rows, size_t positives, size_t features,
                         size_t valid_rows)
{
    const bag_params *p = scarce__params_options(job->asked);
    const size_t n = scarce__draw_most(rows, positives, rows_of(p), p->share);
    const int threads = scarce_context_threads(job->ctx);
    const int64_t lanes = p->members < threads ? p->members : threads;
    scarce_params *inner = NULL;
    double bytes;

    if (inner_params(&inner, p, NULL) != SCARCE_OK) return 0;
    const scarce__job inside = {
        .method = inner->method, .asked = inner->values, .options = job->options, .ctx = job->ctx};
    bytes = inner->method->engine->memory(&inside, n, p->balanced ? n / 2 : positives, features, 0) +
            4 * (double)n * (double)features;
    scarce_params_free(inner);
    return (double)lanes * bytes + 4 * (double)rows + 16 * (double)valid_rows;
}

static int bag_ranks(const void *options)
{
    const bag_params *p = options;
    scarce_params *inner = NULL;
    int ranks;

    if (p->aggregate == AGGREGATE_SUM || inner_params(&inner, p, NULL) != SCARCE_OK) return 1;
    ranks = !(scarce_params_can(inner) & SCARCE_METHOD_PROBABILITY);
    scarce_params_free(inner);
    return ranks;
}

/* What the members learn by, and from what. */
typedef struct bag {
    const bag_params *p;
    scarce_params *inner;
    scarce__classes classes;
    scarce__members members;
} bag;

static scarce_status bag_init(bag *b, const scarce__job *job, scarce_error *err)
{
    static const double zero = 0;

    memset(b, 0, sizeof *b);
    b->p = scarce__params_options(job->params);
    SCARCE__TRY(inner_params(&b->inner, b->p, err));
    SCARCE__TRY(scarce__classes_new(&b->classes, job->table, err));
    const scarce__inner_method inner = {b->inner->method, b->inner->method->engine, b->inner->values,
                                        b->inner->resample};
    SCARCE__TRY(scarce__members_init(&b->members, job, &inner, (size_t)b->p->members, err));
    b->members.classes = &b->classes;
    b->members.rows = rows_of(b->p);
    b->members.share = b->p->share;
    b->members.base = b->p->balanced ? &zero : NULL;
    return SCARCE_OK;
}

static void bag_deinit(bag *b)
{
    if (b->members.job) scarce__members_deinit(&b->members);
    scarce__classes_deinit(&b->classes);
    scarce_params_free(b->inner);
}

/* Without a vote's threshold, a share of 1/2 would count as half a vote for a positive: votes are for or against. */
static void center_shares(scarce__members *m)
{
    for (size_t i = 0; i < m->n; ++i)
        if (m->member[i].done && m->member[i].meaning.link == SCARCE__LINK_SHARE) m->member[i].shift = -0.5;
}

static scarce_status bag_train(scarce__learned *out, const scarce__job *job, scarce_error *err)
{
    bag b;
    scarce_status st = bag_init(&b, job, err);
    const int average = st == SCARCE_OK && b.p->aggregate == AGGREGATE_AVG;

    if (st == SCARCE_OK) st = scarce__members_train(&b.members, 0, b.members.n, err);
    if (st == SCARCE_OK && !average) center_shares(&b.members);
    if (st == SCARCE_OK) st = scarce__members_finish(&b.members, out, average, err);
    if (st == SCARCE_OK && !average) {
        out->meaning.link = SCARCE__LINK_NONE;
        out->meaning.why =
            b.p->balanced && !b.p->replace
                ? "the members' scores are summed up, each on a balanced sample: a vote, no log-odds"
                : sum_why;
    }
    bag_deinit(&b);
    return st;
}

static scarce_status cascade_train(scarce__learned *out, const scarce__job *job, scarce_error *err)
{
    bag b;
    scarce_status st = bag_init(&b, job, err);

    if (st == SCARCE_OK) st = scarce__cascade_train(&b.members, &b.classes, err);
    if (st == SCARCE_OK) st = scarce__members_finish(&b.members, out, 0, err);
    if (st == SCARCE_OK) {
        out->meaning.link = SCARCE__LINK_NONE;
        out->meaning.why =
            "every member sees only the negatives that the earlier ones took for positives, which "
            "changes the odds by no known factor";
    }
    bag_deinit(&b);
    return st;
}

const scarce__engine scarce__engine_bag = {
    .params = &bag_table,
    .can = SCARCE__CAN_STOP | SCARCE__CAN_RESUME | SCARCE__CAN_PROBABILITY | SCARCE__CAN_COSTS,
    .ranks = bag_ranks,
    .check = bag_check,
    .memory = bag_memory,
    .train = bag_train,
};
const scarce__engine scarce__engine_cascade = {
    .params = &bag_table,
    .can = SCARCE__CAN_STOP | SCARCE__CAN_RESUME | SCARCE__CAN_COSTS,
    .check = bag_check,
    .memory = bag_memory,
    .train = cascade_train,
};

/* ---- what the lines of the table are */

#define IS(name, value)                                                                                      \
    {                                                                                                        \
        name, value, 1                                                                                       \
    }
#define USES(name, value)                                                                                    \
    {                                                                                                        \
        name, value, 0                                                                                       \
    }
#define END                                                                                                  \
    {                                                                                                        \
        NULL, NULL, 0                                                                                        \
    }
/* st-grboost's setting; columns keep their own splits, so that members can be one sum of trees. */
#define BOOSTER                                                                                              \
    IS("loss", "logistic"), IS("loss_gamma", "2"), IS("sample", "uniform"), IS("draw", "coin"),              \
        IS("categories", "sets"), USES("subsample", "0.5"), USES("n_trees", "500"),                          \
        USES("learning_rate", "0.1"), USES("max_depth", "1"), USES("min_child_weight", "1"),                 \
        USES("lambda", "1e-16"), USES("max_delta_step", "1"), USES("splits", "best")

const scarce__preset scarce__as_ds_st_grboost[] = {BOOSTER, IS("members", "1"), IS("aggregate", "avg"), END};
const scarce__preset scarce__as_st_ensemble[] = {BOOSTER, END};
const scarce__preset scarce__as_easy_ensemble[] = {USES("inner", "auto"),  IS("balanced", "true"),
                                                   IS("replace", "false"), IS("share", "1"),
                                                   IS("aggregate", "sum"), END};
