/* SPDX-License-Identifier: Apache-2.0 */
/* The online family on a table: passes over its rows in the order of their time, or as they come. (Streams are
 * learner.c.) */
#include "method/method_online.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/random.h"
#include "core/sort.h"
#include "data/row_hash.h"
#include "method/method.h"

enum { ORDER_TIME = 0, ORDER_ROWS, ORDER_RANDOM };

#define AT(f) offsetof(scarce__online_params, f)
#define OF(f) offsetof(scarce__online_params, online.f)
static const scarce__param params[] = {
    {"algorithm", "", SCARCE__CHOICE, OF(algorithm), "onlb", 0, 0,
     "alone|onlb|online-bbm|adaboost-ol|adaboost-ol-w|ogb|streamboost", "what combines the weak learners",
     NULL, NULL},
    {"weak", "base_learner", SCARCE__CHOICE, OF(weak), "net", 0, 0, "net|linear|tree",
     "the weak learners: nets of a few tanh units, linear models, or trees that grow by Hoeffding's bound",
     NULL, NULL},
    {"scheme", "", SCARCE__CHOICE, OF(paper), "end-to-end", 0, 0, "end-to-end|paper",
     "end-to-end: one gradient through all of it; paper: learner after learner, on residuals",
     "end-to-end|paper", "algorithm=onlb"},
    {"n_learners", "n_estimators,learners", SCARCE__INT, OF(learners), "20", 1, SCARCE__ONLINE_MOST_LEARNERS,
     NULL, "weak learners", "int:5:50",
     "algorithm=onlb|online-bbm|adaboost-ol|adaboost-ol-w|ogb|streamboost"},
    {"spaces", "n_spaces", SCARCE__INT, OF(spaces), "30", 1, SCARCE__ONLINE_MOST_SPACES, NULL,
     "latent spaces in which the learners are combined", "int:10:60", "algorithm=onlb"},
    {"units", "hidden_units", SCARCE__INT, OF(units), "2", 1, SCARCE__ONLINE_MOST_HIDDEN, NULL,
     "tanh units of a net", "int:2:8", "weak=net"},
    {"learning_rate", "eta,lr", SCARCE__REAL, OF(learning_rate), "0.1", 1e-6, 10, NULL,
     "first step of every weight of a weak learner; AdaGrad shortens it", "log:0.01:0.5", NULL},
    {"combine_rate", "", SCARCE__REAL, OF(combine_rate), "0.02", 1e-6, 10, NULL,
     "onlb: step of the combination; ogb and streamboost: what a learner adds", "log:0.005:0.2",
     "algorithm=onlb|ogb|streamboost"},
    {"leak", "", SCARCE__REAL, OF(leak), "0.1", 0, 1, NULL, "slope of a latent space below 0 (end-to-end)",
     NULL, "algorithm=onlb"},
    {"edge", "gamma", SCARCE__REAL, OF(edge), "0.1", 0.001, 0.49, NULL,
     "how much better than chance the weak learners are taken to be", "log:0.02:0.3", "algorithm=online-bbm"},
    {"bound", "", SCARCE__REAL, OF(bound), "10", 0.1, 1e6, NULL, "scores are cut at this", NULL,
     "algorithm=ogb"},
    {"kappa", "", SCARCE__REAL, OF(kappa), "4", 1e-3, 1e3, NULL,
     "how far a tree is moved where a net takes a gradient step", "log:1:16", "weak=tree"},
    {"grace", "grace_period", SCARCE__INT, OF(grace), "200", 1, 1e9, NULL, "rows between looks at a leaf",
     "int:50:500", "weak=tree"},
    {"max_leaves", "", SCARCE__INT, OF(max_leaves), "32", 1, 1 << 20, NULL, "leaves of a tree at most",
     "int:4:64", "weak=tree"},
    {"split_confidence", "delta", SCARCE__REAL, OF(split_confidence), "1e-3", 1e-12, 0.5, NULL,
     "chance of a wrong split that Hoeffding's bound allows", NULL, "weak=tree"},
    {"tie", "", SCARCE__REAL, OF(tie), "0.1", 0, 10, NULL,
     "splits that are this near are equal: the first is taken", NULL, "weak=tree"},
    {"pos_weight", "scale_pos_weight", SCARCE__REAL, OF(pos_weight), "1", 1e-9, 1e9, NULL,
     "a positive counts as this many rows (at most 1000, with its weight); probabilities are corrected for "
     "it",
     "log:1:30", NULL},
    {"max_categories", "", SCARCE__INT, OF(max_categories), "10000", 1, 1 << 24, NULL,
     "categories of a column that have weights of their own; those that come later share one", NULL, NULL},
    {"passes", "epochs", SCARCE__INT, AT(passes), "auto", 1, 1000, NULL,
     "times the rows of a table are gone over (a stream is gone over once); auto: one, of fewer than 10,000 "
     "rows as many as "
     "make so many, 20 at most",
     "int:1:20", NULL},
    {"order", "", SCARCE__CHOICE, AT(order), "time", 0, 0, "time|rows|random",
     "of the rows of a table: by time where they have one, else at random; as they are; at random: drawn "
     "anew "
     "each pass, by what rows hold",
     NULL, NULL},
};
static const scarce__param_part parts[] = {SCARCE__PART(params, 0)};
static const scarce__param_table table = {parts, 1, sizeof(scarce__online_params)};

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
const scarce__preset scarce__as_onlb[] = {IS("algorithm", "onlb"), END};
const scarce__preset scarce__as_online_bbm[] = {IS("algorithm", "online-bbm"), END};
const scarce__preset scarce__as_adaboost_ol[] = {IS("algorithm", "adaboost-ol"), END};
const scarce__preset scarce__as_adaboost_ol_w[] = {IS("algorithm", "adaboost-ol-w"), END};
const scarce__preset scarce__as_ogb[] = {IS("algorithm", "ogb"), USES("combine_rate", "1"), END};
const scarce__preset scarce__as_streamboost[] = {IS("algorithm", "streamboost"), USES("combine_rate", "1"),
                                                 END};
const scarce__preset scarce__as_mlp[] = {IS("algorithm", "alone"), IS("weak", "net"), IS("n_learners", "1"),
                                         USES("units", "20"), END};
const scarce__preset scarce__as_online_net[] = {IS("algorithm", "alone"), IS("weak", "net"),
                                                IS("n_learners", "1"), END};
const scarce__preset scarce__as_online_linear[] = {IS("algorithm", "alone"), IS("weak", "linear"),
                                                   IS("n_learners", "1"), END};
const scarce__preset scarce__as_online_tree[] = {IS("algorithm", "alone"), IS("weak", "tree"),
                                                 IS("n_learners", "1"), END};

/* ---- the engine */

static scarce_status check(const scarce__job *job, scarce_error *err)
{
    const scarce__online_params *p = scarce__params_options(job->asked);
    return scarce__online_check(&p->online, err);
}

static double memory(const scarce__job *job, size_t rows, size_t positives, size_t features,
                     size_t valid_rows)
{
    const scarce__online_params *p = scarce__params_options(job->asked);
    const scarce__online_options *o = &p->online;
    double inputs = 2 * (double)features, entries = 0;

    (void)positives, (void)valid_rows;
    for (size_t f = 0; job->table && f < job->table->schema.n_features; ++f) {
        const size_t n = job->table->schema.features[f].categories.count, most = (size_t)o->max_categories;
        inputs += (double)(n < most ? n : most);
        if (job->table->schema.features[f].kind == SCARCE_COLUMN_SPARSE)
            entries += (double)job->table->columns[f].sparse.count;
    }
    const double weights =
        o->weak == SCARCE__WEAK_TREE
            ? (double)o->learners * (double)o->max_leaves * (double)features * 210
            : 16 * inputs * (double)(o->learners * (o->weak == SCARCE__WEAK_NET ? o->units : 1));
    return weights + 24 * (double)rows + 8 * entries;
}

/* A step: one row, with a weight. */
typedef struct place {
    uint64_t key;
    uint32_t row;
} place;

/* The steps of a pass. At random, a row of weight w is learnt in as many steps as w copies of it would be, each where
 * hash(seed, pass, what the row holds, how many like it came before) puts it: neither the order of the rows nor weights
 * written as copies change what is learnt. By time or as they are, a row is one step, as large as it weighs. */
typedef struct course {
    int random;
    scarce__counts counts;
    size_t n;
    place *step;
    uint64_t *coin; /* at random: of each step, before the pass */
    uint32_t *row;  /* and its row */
} course;

static int by_key(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static size_t steps_of(const course *c, size_t n_rows)
{
    size_t n = 0;
    for (size_t i = 0; i < n_rows; ++i) n += scarce__count_at(&c->counts, i);
    return n;
}

/* A number for each step, from what its row holds and how many steps like it there are before. */
static scarce_status number_steps(course *c, const scarce_table *t, scarce_error *err)
{
    uint64_t *hash = scarce__row_hashes(t), same = 0;
    uint32_t *order = scarce__malloc_array(t->n_rows, sizeof *order);
    size_t n = 0;
    scarce_status st = hash && order ? SCARCE_OK : scarce__fail_memory(err, "the order of the rows", 0);

    for (size_t i = 0; st == SCARCE_OK && i < t->n_rows; ++i) {
        hash[i] = scarce__hash(hash[i], t->label[i]);
        order[i] = (uint32_t)i;
    }
    if (st == SCARCE_OK) st = scarce__order_rows(order, t->n_rows, hash, err);
    for (size_t k = 0; st == SCARCE_OK && k < t->n_rows; ++k) {
        const uint32_t row = order[k], coins = scarce__count_at(&c->counts, row);
        if (k > 0 && hash[row] != hash[order[k - 1]]) same = 0;
        for (uint32_t j = 0; j < coins; ++j) {
            c->row[n] = row;
            c->coin[n++] = hash[row] + 0x9e3779b97f4a7c15u * same++;
        }
    }
    scarce__free(hash);
    scarce__free(order);
    return st;
}

static void course_deinit(course *c)
{
    scarce__free(c->step);
    scarce__free(c->coin);
    scarce__free(c->row);
}

static scarce_status course_init(course *c, const scarce_table *t, int how, scarce_error *err)
{
    *c = (course){.random = how == ORDER_RANDOM || (how == ORDER_TIME && !t->time)};
    c->counts = (scarce__counts){.weight = t->weight};
    if (c->random) c->counts = scarce__counts_of(t->weight, NULL, t->n_rows);
    c->n = steps_of(c, t->n_rows);
    c->step = scarce__malloc_array(c->n, sizeof *c->step);
    if (c->random) {
        c->coin = scarce__malloc_array(c->n, sizeof *c->coin);
        c->row = scarce__malloc_array(c->n, sizeof *c->row);
    }
    if (!c->step || (c->random && (!c->coin || !c->row)))
        return scarce__fail_memory(err, "the order of the rows", c->n * sizeof *c->step);
    return c->random ? number_steps(c, t, err) : SCARCE_OK;
}

/* The steps in the order of pass number `pass`. */
static void arrange(course *c, const scarce_table *t, int how, uint64_t seed, uint64_t pass)
{
    const uint64_t key = scarce__key(seed, SCARCE__FOR_ROWS, pass);
    const int by_time = how == ORDER_TIME && t->time;
    size_t n = 0;

    if (pass > 0 && !c->random) return;
    for (size_t k = 0; c->random && k < c->n; ++k)
        c->step[k] = (place){scarce__hash(key, c->coin[k]), c->row[k]};
    for (size_t i = 0; !c->random && i < t->n_rows; ++i) {
        if (t->weight && !(t->weight[i] > 0)) continue;
        c->step[n].row = (uint32_t)i;
        c->step[n++].key = by_time && !isnan(t->time[i]) ? scarce__ordered_bits(t->time[i]) : by_time ? 0 : i;
    }
    if (by_time || c->random) qsort(c->step, c->n, sizeof *c->step, by_key);
}

static scarce_status tell(const scarce__job *job, double done, double total, scarce_error *err)
{
    const scarce_progress p = {"train", done, total, "rows", "", NULL, 0};
    if (!scarce__progress(job->ctx, &p)) return SCARCE_OK;
    return scarce__fail(err, SCARCE_ECANCEL, "cancelled after %.0f rows", done);
}

static scarce_status one_pass(scarce__online *m, scarce__online_rows *rows, const course *c, uint64_t pass,
                              const scarce__job *job, scarce_error *err)
{
    enum { RHYTHM = 4096 };
    const scarce__online_params *p = scarce__params_options(job->params);
    const scarce_table *t = job->table;
    const double n = (double)c->n, total = n * (double)p->passes;

    for (size_t i = 0; i < c->n; ++i) {
        const size_t r = c->step[i].row;
        const scarce__online_row row = scarce__online_rows_get(rows, r);
        SCARCE__TRY(scarce__online_learn(m, &row, t->label[r], scarce__count_weight(&c->counts, r), err));
        if (i % RHYTHM == 0) SCARCE__TRY(tell(job, (double)pass * n + (double)i, total, err));
    }
    return SCARCE_OK;
}

static void choose_passes(const scarce__job *job, size_t n)
{
    scarce__online_params *p = scarce__params_edit(job->params);
    const size_t wanted = n ? (10000 + n - 1) / n : 1;
    if (p->passes == SCARCE__AUTO_INT) p->passes = wanted > 20 ? 20 : (int64_t)wanted;
}

static scarce_status train(scarce__learned *out, const scarce__job *job, scarce_error *err)
{
    const scarce__online_params *p = scarce__params_options(job->params);
    const uint64_t seed = scarce_context_seed(job->ctx);
    scarce__online_rows rows;
    scarce__online *m = NULL;
    course c;
    scarce_status st = course_init(&c, job->table, p->order, err);

    if (st != SCARCE_OK) {
        course_deinit(&c);
        return st;
    }
    choose_passes(job, c.n);
    st = scarce__online_rows_init(&rows, job->table, err);
    if (st == SCARCE_OK) st = scarce__online_new(&m, &p->online, &job->table->schema, 2, 1, seed, err);
    for (uint64_t pass = 0; st == SCARCE_OK && pass < (uint64_t)p->passes; ++pass) {
        arrange(&c, job->table, p->order, seed, pass);
        st = one_pass(m, &rows, &c, pass, job, err);
    }
    scarce__online_rows_deinit(&rows);
    course_deinit(&c);
    if (st != SCARCE_OK) {
        scarce__online_free(m);
        return st;
    }
    out->kind = &scarce__kind_online;
    out->body = m;
    scarce__online_meaning(&out->meaning, &p->online);
    return SCARCE_OK;
}

void scarce__online_meaning(scarce__meaning *out, const scarce__online_options *o)
{
    out->link = scarce__online_is_log_odds(o) ? SCARCE__LINK_SIGMOID : SCARCE__LINK_NONE;
    out->slope = 1;
    out->odds_factor = o->pos_weight;
    out->why = "the scores of this method are votes: they only rank";
}

static int ranks(const void *options)
{
    const scarce__online_params *p = options;
    return !scarce__online_is_log_odds(&p->online);
}

const scarce__engine scarce__engine_online = {.params = &table,
                                              .can = SCARCE__CAN_PROBABILITY,
                                              .check = check,
                                              .memory = memory,
                                              .train = train,
                                              .ranks = ranks};
