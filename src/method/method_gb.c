/* SPDX-License-Identifier: Apache-2.0 */
/* Boosted trees: the parameter table of boost/boost.h, and from a job to a forest. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "boost/boost.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "method/constraints.h"
#include "method/gb_trees.h"
#include "method/method.h"
#include "method/watcher.h"

typedef struct gb_params {
    int64_t n_trees, max_leaves, max_depth, max_bins, min_child_rows, min_child_positives, min_category_rows,
        refresh;
    double learning_rate, lambda, alpha, gamma, max_delta_step, min_child_weight, rounding, positive_bins;
    double subsample, colsample, colsample_node, pos_weight, loss_gamma, ratio, top, other, neg_per_pos, pool,
        max_probability;
    double list_alpha, beta, focal_gamma, mvs_lambda;
    int64_t eval_every;
    int growth, loss, leaf, exact, classic, sample, splits, histogram, reweigh;
    const char *monotone, *interactions;
} gb_params;

enum {
    SAMPLE_AUTO = 0,
    SAMPLE_ALL,
    SAMPLE_UNIFORM,
    SAMPLE_STRATIFIED,
    SAMPLE_BALANCED,
    SAMPLE_RATIO,
    SAMPLE_GOSS,
    SAMPLE_MVS,
    SAMPLE_IMPORTANCE
};

enum {
    LOSS_LOGISTIC = 0,
    LOSS_EXPONENTIAL,
    LOSS_SQUARED,
    LOSS_FOCAL,
    LOSS_AP_LB,
    LOSS_SGBAP,
    LOSS_SGBAP_SIG,
    LOSS_LAMBDAMART,
    LOSS_RANKBOOST
};
#define LOSSES "logistic|exponential|squared|focal|ap-lb|sgbap|sgbap-sig|lambdamart-ap|rankboost"

#define AT(f) offsetof(gb_params, f)
static const scarce__param params[] = {
    {"n_trees", "n_estimators,num_boost_round,num_iterations,num_trees,num_round", SCARCE__INT, AT(n_trees),
     "auto", 1, 1e6, NULL,
     "trees, at most (early stopping may keep fewer). auto: 100; below 10,000 training rows, when splits and "
     "learning_rate are auto too, 300 with random splits, rate 0.05, 15 leaves and half of the features per "
     "node. With the logistic loss, 50 rows of each class and neither early stopping nor importance "
     "sampling: as many "
     "as are best on rows held out for that (100 to 2000; at least 300 on small data with less than a tenth "
     "positives), on small data of 63 leaves where these are better there. See docs/defaults.md",
     "int:20:1000"},
    {"learning_rate", "eta,shrinkage_rate", SCARCE__REAL, AT(learning_rate), "auto", 1e-6, 1, NULL,
     "what each tree counts. auto: 0.1, on small data as said at n_trees", "log:0.01:0.3"},
    {"max_leaves", "num_leaves,max_leaf_nodes", SCARCE__INT, AT(max_leaves), "auto", 0, 65536, NULL,
     "leaves of a tree (0: no limit, then max_depth must be given). auto: 31, on small data as said at "
     "n_trees",
     "int:4:128"},
    {"max_depth", "", SCARCE__INT, AT(max_depth), "0", 0, 64, NULL,
     "depth of a tree (0: no limit; 1: stumps)", NULL},
    {"growth", "grow_policy", SCARCE__CHOICE, AT(growth), "best", 0, 0, "best|level",
     "split the leaf with the highest gain next, or level by level", NULL},
    {"max_bins", "max_bin", SCARCE__INT, AT(max_bins), "255", 2, 255, NULL,
     "bins of a numeric feature, beside one for missing", NULL},
    {"min_child_weight", "min_sum_hessian_in_leaf,min_sum_hessian", SCARCE__REAL, AT(min_child_weight), "0.1",
     0, 1e12, NULL, "least sum of hessians in a leaf", "log:0.01:20"},
    {"min_child_rows", "min_data_in_leaf,min_child_samples,min_samples_leaf", SCARCE__INT, AT(min_child_rows),
     "1", 1, 1e9, NULL, "least rows in a leaf", NULL},
    {"min_child_positives", "", SCARCE__INT, AT(min_child_positives), "0", 0, 1e9, NULL,
     "least positives in a leaf", NULL},
    {"lambda", "reg_lambda,lambda_l2,l2_regularization", SCARCE__REAL, AT(lambda), "1", 0, 1e12, NULL,
     "L2 penalty on leaf values", "log:0.01:100"},
    {"alpha", "reg_alpha,lambda_l1", SCARCE__REAL, AT(alpha), "0", 0, 1e12, NULL, "L1 penalty on leaf values",
     NULL},
    {"gamma", "min_split_loss,min_gain_to_split", SCARCE__REAL, AT(gamma), "0", 0, 1e12, NULL,
     "least gain of a split", NULL},
    {"max_delta_step", "max_leaf_output", SCARCE__REAL, AT(max_delta_step), "2", 0, 1e12, NULL,
     "largest leaf value before the learning rate (0: no limit). At rare positives the most important of "
     "all: see "
     "docs/defaults.md",
     "real:1:4"},
    {"subsample", "bagging_fraction", SCARCE__REAL, AT(subsample), "1", 1e-6, 1, NULL,
     "share of the rows each tree sees (stratified by class below 5 % positives)", "real:0.5:1"},
    {"colsample", "colsample_bytree,feature_fraction", SCARCE__REAL, AT(colsample), "1", 1e-6, 1, NULL,
     "share of the features each tree sees", "real:0.3:1"},
    {"colsample_node", "colsample_bynode,feature_fraction_bynode", SCARCE__REAL, AT(colsample_node), "auto",
     1e-6, 1, NULL, "share of those each node sees. auto: 1, on small data as said at n_trees", NULL},
    {"pos_weight", "scale_pos_weight", SCARCE__REAL, AT(pos_weight), "1", 1e-9, 1e9, NULL,
     "a positive counts as this many rows; probabilities are corrected for it", NULL},
    {"loss", "objective", SCARCE__CHOICE, AT(loss), "logistic", 0, 0, LOSSES,
     "what is minimised; ap-lb to rankboost look at the whole list and rank only (no probabilities)", NULL},
    {"loss_gamma", "", SCARCE__REAL, AT(loss_gamma), "1", 0.01, 100, NULL,
     "logistic: the score is 1/loss_gamma of the log-odds", NULL},
    {"list_alpha", "list_scale", SCARCE__REAL, AT(list_alpha), "auto", 1e-3, 100, NULL,
     "ap-lb, sgbap, sgbap-sig: factor on the scores inside the loss (auto: 1, sgbap-sig 3)",
     "loss=ap-lb,sgbap,sgbap-sig?1|2|3"},
    {"beta", "", SCARCE__REAL, AT(beta), "1", 0, 1, NULL,
     "sgbap: 1 is the paper, 0 the cross-entropy of a softmax over the list", "loss=sgbap?real:0:1"},
    {"leaf", "", SCARCE__CHOICE, AT(leaf), "newton", 0, 0, "newton|mean",
     "sgbap: leaf values by Newton's step (bounded by 1), or the mean of the gradients as in the paper",
     NULL},
    {"exact", "", SCARCE__BOOL, AT(exact), "false", 0, 0, NULL,
     "sgbap-sig, lambdamart-ap: all pairs of a positive and another row, however many", NULL},
    {"classic", "", SCARCE__BOOL, AT(classic), "false", 0, 0, NULL,
     "rankboost: the algorithm as published: stumps, each with its own step 1/2 log((1+r)/(1-r))", NULL},
    {"focal_gamma", "", SCARCE__REAL, AT(focal_gamma), "2", 0, 20, NULL,
     "focal: how little easy rows count (0: logistic)", "loss=focal?real:0.5:4"},
    {"sample", "", SCARCE__CHOICE, AT(sample), "auto", 0, 0,
     "auto|all|uniform|stratified|balanced|ratio|goss|mvs|importance",
     "which rows a tree sees: all of them; subsample of them, also by class; all positives and as many "
     "negatives, or positives as the share `ratio`; the largest gradients and some of the others (goss); "
     "subsample of them by the size of their gradients (mvs); all positives and neg_per_pos negatives for "
     "each, drawn by how much they matter (importance). auto: importance from 50,000 rows on with 200 "
     "positives or more, when "
     "that takes at most a tenth of the negatives; with subsample < 1 stratified below 5 % positives, else "
     "uniform; else all",
     NULL},
    {"ratio", "", SCARCE__REAL, AT(ratio), "0.5", 1e-6, 0.999999, NULL,
     "sample=ratio: share of positives wanted", NULL},
    {"reweigh", "", SCARCE__BOOL, AT(reweigh), "true", 0, 0, NULL,
     "balanced, ratio: weigh the negatives so that sums stay those of all rows (keeps probabilities right)",
     NULL},
    {"top_rate", "", SCARCE__REAL, AT(top), "0.2", 0, 1, NULL,
     "goss: share of the rows kept for their gradient", NULL},
    {"other_rate", "", SCARCE__REAL, AT(other), "0.1", 0, 1, NULL,
     "goss: share of the rows drawn from the rest", NULL},
    {"mvs_lambda", "mvs_reg", SCARCE__REAL, AT(mvs_lambda), "0.1", 0, 1e12, NULL,
     "mvs: rows are drawn by sqrt(g^2 + mvs_lambda h^2)", NULL},
    {"neg_per_pos", "", SCARCE__REAL, AT(neg_per_pos), "5", 0.1, 1e6, NULL,
     "importance: negatives per positive", NULL},
    {"refresh", "", SCARCE__INT, AT(refresh), "0", 0, 1e6, NULL,
     "trees a sample is kept (0: 1, with importance 2)", NULL},
    {"eval_every", "metric_freq", SCARCE__INT, AT(eval_every), "0", 0, 1e6, NULL,
     "trees from one look at the validation rows to the next (0: 1, with importance as many as a sample is "
     "kept)",
     NULL},
    {"pool", "", SCARCE__REAL, AT(pool), "0.2", 0, 1, NULL,
     "importance: share of the rows drawn first and kept together (0: none)", NULL},
    {"max_probability", "", SCARCE__REAL, AT(max_probability), "0", 0, 1, NULL,
     "importance: no negative is surer to be drawn than this (0: 0.2, or 1 below 1000 positives)", NULL},
    {"splits", "", SCARCE__CHOICE, AT(splits), "auto", 0, 0, "auto|best|random",
     "the best threshold of each feature, or one drawn at random (for small data, with many trees). auto: "
     "best, on small "
     "data as said at n_trees",
     "best|random"},
    {"min_category_rows", "min_data_per_group", SCARCE__INT, AT(min_category_rows), "1", 1, 1e9, NULL,
     "rarer categories are pooled with unknown ones", NULL},
    {"monotone", "monotone_constraints", SCARCE__TEXT, AT(monotone), "", 0, 0, NULL,
     "the score may only rise (1) or fall (-1) with a feature: amount:1,age:-1", NULL},
    {"interactions", "interaction_constraints", SCARCE__TEXT, AT(interactions), "", 0, 0, NULL,
     "features that may meet in one tree path, in groups: amount+hour,country+channel", NULL},
    {"histogram", "", SCARCE__CHOICE, AT(histogram), "integer", 0, 0, "integer|double",
     "sums of gradients as scaled integers (exact, fast) or doubles", NULL},
    {"positive_bins", "", SCARCE__REAL, AT(positive_bins), "0.3", 0, 0.9, NULL,
     "from 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when "
     "they "
     "are rarer (0: none)",
     NULL},
    {"rounding", "", SCARCE__REAL, AT(rounding), "0.03125", 0, 0.5, NULL,
     "from 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to "
     "their "
     "variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding)",
     NULL},
};
const scarce__param_table scarce__gb_params = {"method gb", params, sizeof params / sizeof params[0],
                                               sizeof(gb_params)};

/* ---- options */

enum { SAMPLED_ROWS = 50000, SAMPLED_POSITIVES = 200 };

/* Trees on all positives and a few negatives, drawn by how much they matter, are as good as trees on all rows
 * and cost a tenth or less, once the negatives drawn are at most a tenth of all. */
static int importance_pays(const gb_params *p, const scarce__loss *loss, const scarce_table *table)
{
    const double positives = (double)table->n_positives,
                 negatives = (double)(table->n_rows - table->n_positives);
    return p->subsample >= 1 && loss->interest && table->n_rows >= SAMPLED_ROWS &&
           table->n_positives >= SAMPLED_POSITIVES && p->neg_per_pos * positives <= 0.1 * negatives;
}

static void set_sampling(scarce__sampling_options *s, const gb_params *p, const scarce__loss *loss,
                         const scarce_table *table)
{
    static const scarce__sampling_kind kinds[] = {
        SCARCE__ROWS_ALL,        SCARCE__ROWS_ALL,      SCARCE__ROWS_UNIFORM,
        SCARCE__ROWS_STRATIFIED, SCARCE__ROWS_BALANCED, SCARCE__ROWS_RATIO,
        SCARCE__ROWS_GOSS,       SCARCE__ROWS_MVS,      SCARCE__ROWS_IMPORTANCE};
    s->kind = kinds[p->sample];
    if (p->sample == SAMPLE_AUTO && importance_pays(p, loss, table)) s->kind = SCARCE__ROWS_IMPORTANCE;
    if (p->sample == SAMPLE_AUTO && p->subsample < 1)
        s->kind = (double)table->n_positives < 0.05 * (double)table->n_rows ? SCARCE__ROWS_STRATIFIED
                                                                            : SCARCE__ROWS_UNIFORM;
    s->fraction = p->subsample;
    s->ratio = p->ratio;
    s->reweigh = p->reweigh;
    s->keep = (int)p->refresh;
    s->top = p->top;
    s->other = p->other;
    s->mvs_lambda = p->mvs_lambda;
    s->per_positive = p->neg_per_pos;
    s->pool_share = p->pool;
    s->max_probability = p->max_probability;
}

static scarce__loss loss_of(const gb_params *p)
{
    scarce__loss_params o = SCARCE__LOSS_PARAMS_INIT;
    o.gamma = p->loss_gamma;
    o.focus = p->focal_gamma;
    o.scale = p->list_alpha == p->list_alpha ? p->list_alpha : 0;
    o.beta = p->beta;
    o.leaf_mean = p->leaf;
    o.exact = p->exact;
    o.classic = p->classic;
    return scarce__losses[p->loss]->make(&o); /* LOSSES is in the order of the table */
}

enum {
    SPLITS_AUTO = 0,
    SPLITS_BEST,
    SPLITS_RANDOM,
    SMALL_ROWS = 10000,
    SMALL_LEAVES = 15,
    LARGER_LEAVES = 63
};

/* Random thresholds, many small trees and small steps belong together, and pay on small data only
 * (docs/defaults.md); whoever sets one of the first three gets the usual values of the others. Losses of
 * lists have many trees of their own, and gain from random thresholds there too (docs/top-of-the-list.md). */
static gb_params with_defaults(const gb_params *given, const scarce_table *table)
{
    gb_params p = *given;
    const int untouched = p.n_trees == SCARCE__AUTO_INT && isnan(p.learning_rate) && p.splits == SPLITS_AUTO;
    const int small = untouched && table->n_rows < SMALL_ROWS;
    if (p.classic && isnan(p.learning_rate)) p.learning_rate = 1; /* a step is as long as it should be */
    if (p.n_trees == SCARCE__AUTO_INT) p.n_trees = small ? 300 : 100;
    if (isnan(p.learning_rate)) p.learning_rate = small ? 0.05 : 0.1;
    const int small_list = (p.loss == LOSS_AP_LB || p.loss == LOSS_LAMBDAMART || p.loss == LOSS_RANKBOOST) &&
                           !p.classic && table->n_rows < SMALL_ROWS;
    if (p.splits == SPLITS_AUTO) p.splits = small || small_list ? SPLITS_RANDOM : SPLITS_BEST;
    if (p.max_leaves == SCARCE__AUTO_INT) p.max_leaves = small ? SMALL_LEAVES : 31;
    if (isnan(p.colsample_node)) p.colsample_node = small ? 0.5 : 1;
    return p;
}

/* Whether held-out rows say how many trees. Not with importance sampling: that is for speed. */
static int trees_to_choose(const gb_params *given, const scarce__boost_options *o, const scarce__job *job)
{
    return given->n_trees == SCARCE__AUTO_INT && given->loss == LOSS_LOGISTIC &&
           o->sampling.kind != SCARCE__ROWS_IMPORTANCE && job->options->early_stop <= 0;
}

/* On small data with rare positives the loss is least long before the list is best; and there larger trees
 * may pay (copies of rows, labels without noise). */
static scarce__trees_wanted trees_wanted(const gb_params *given, const gb_params *p,
                                         const scarce_table *table)
{
    const double positives = (double)table->n_positives, rows = (double)table->n_rows;
    const scarce__trees_wanted wanted = {
        .least = table->n_rows < SMALL_ROWS && positives < 0.1 * rows ? 300 : 100,
        .larger = given->max_leaves == SCARCE__AUTO_INT && p->max_leaves == SMALL_LEAVES ? LARGER_LEAVES : 0};
    return wanted;
}

/* RankBoost as published: see loss_rankboost.c for why these rules give its stumps. */
static void set_classic(scarce__boost_options *o)
{
    o->grow.max_leaves = 2;
    o->grow.max_depth = 0;
    o->grow.histogram_double = 1;
    o->grow.rules.lambda = 1;
    o->grow.rules.alpha = o->grow.rules.gamma = 0;
    o->grow.rules.max_delta_step = o->grow.rules.min_child_weight = 0;
}

static void set_options(scarce__boost_options *o, const gb_params *p, const scarce__job *job)
{
    scarce__boost_options_init(o);
    o->n_trees = (int)p->n_trees;
    o->grow.learning_rate = p->learning_rate;
    o->grow.max_leaves = (int)p->max_leaves;
    o->grow.max_depth = (int)p->max_depth;
    o->grow.growth = (scarce__growth)p->growth;
    o->grow.colsample_tree = p->colsample;
    o->grow.colsample_node = p->colsample_node;
    o->grow.histogram_double = p->histogram;
    o->grow.rounding = p->rounding;
    o->bins.positive_share = p->positive_bins;
    o->grow.rules.lambda = p->lambda;
    o->grow.rules.alpha = p->alpha;
    o->grow.rules.gamma = p->gamma;
    o->grow.rules.max_delta_step = p->max_delta_step;
    o->grow.rules.min_child_weight = p->min_child_weight;
    o->grow.rules.min_child_rows = (uint32_t)p->min_child_rows;
    o->grow.rules.min_child_marks = (uint32_t)p->min_child_positives;
    o->grow.rules.random = p->splits == SPLITS_RANDOM;
    o->bins.max_bins = (int)p->max_bins;
    o->bins.min_category_rows = (int)p->min_category_rows;
    o->loss = job->options->loss ? scarce__loss_user(job->options->loss) : loss_of(p);
    if (p->classic) set_classic(o);
    o->pos_weight = p->pos_weight;
    o->seed = scarce_context_seed(job->ctx);
    set_sampling(&o->sampling, p, &o->loss, job->table);
    o->eval_every = (int)p->eval_every;
    if (p->eval_every == 0 && o->sampling.kind == SCARCE__ROWS_IMPORTANCE)
        o->eval_every = o->sampling.keep > 0 ? o->sampling.keep : 5;
}

/* ---- what can't be meant */

/* A parameter that says something only where another has one of these values. */
static const struct {
    const char *name, *other, *values;
} belongs[] = {
    {"loss_gamma", "loss", "logistic"},
    {"list_alpha", "loss", "ap-lb|sgbap|sgbap-sig"},
    {"beta", "loss", "sgbap"},
    {"leaf", "loss", "sgbap"},
    {"exact", "loss", "sgbap-sig|lambdamart-ap"},
    {"classic", "loss", "rankboost"},
    {"focal_gamma", "loss", "focal"},
    {"subsample", "sample", "auto|uniform|stratified|mvs"},
    {"ratio", "sample", "ratio"},
    {"top_rate", "sample", "goss"},
    {"other_rate", "sample", "goss"},
    {"mvs_lambda", "sample", "mvs"},
    {"neg_per_pos", "sample", "auto|importance"},
    {"pool", "sample", "auto|importance"},
    {"max_probability", "sample", "auto|importance"},
};

/* Is `word` one of "a|b|c"? */
static int is_among(const char *words, const char *word, size_t n)
{
    for (const char *w = words; *w;) {
        const size_t length = strcspn(w, "|");
        if (length == n && memcmp(w, word, n) == 0) return 1;
        w += length + (w[length] == '|');
    }
    return 0;
}

static scarce_status check_belongings(const scarce__params *values, scarce_error *err)
{
    const scarce__param_table *table = scarce__params_table(values);
    for (size_t i = 0; i < sizeof belongs / sizeof belongs[0]; ++i) {
        scarce__text now = SCARCE__TEXT_INIT;
        scarce_status st = SCARCE_OK;
        if (!scarce__params_given(values, scarce__param_find(table, belongs[i].name))) continue;
        if (scarce__params_value(values, scarce__param_find(table, belongs[i].other), &now) != SCARCE_OK)
            return scarce__fail_memory(err, "checking parameters", 0);
        if (!is_among(belongs[i].values, now.bytes, strlen(now.bytes)))
            st = scarce__fail(err, SCARCE_EINVAL, "%s is of %s=%s, and says nothing with %s=%s",
                              belongs[i].name, belongs[i].other, belongs[i].values, belongs[i].other,
                              now.bytes);
        scarce__text_deinit(&now);
        SCARCE__TRY(st);
    }
    return SCARCE_OK;
}

static scarce_status check_sampling(const gb_params *p, scarce_error *err)
{
    static const char *const names[] = {"auto",  "all",  "uniform", "stratified", "balanced",
                                        "ratio", "goss", "mvs",     "importance"};
    const int by_share =
        p->sample == SAMPLE_UNIFORM || p->sample == SAMPLE_STRATIFIED || p->sample == SAMPLE_MVS;
    if (by_share && p->subsample >= 1)
        return scarce__fail(err, SCARCE_EINVAL,
                            "sample=%s takes the share `subsample` of the rows, and that is 1: set subsample "
                            "below 1, or sample=all",
                            names[p->sample]);
    if (p->sample == SAMPLE_ALL && p->refresh > 0)
        return scarce__fail(err, SCARCE_EINVAL, "refresh is for samples, and sample=all takes every row");
    if (p->top + p->other > 1) return scarce__fail(err, SCARCE_EINVAL, "top_rate + other_rate is above 1");
    return SCARCE_OK;
}

static scarce_status check_user_loss(const scarce__job *job, scarce_error *err)
{
    const scarce_loss *user = job->options->loss;
    if (!user) return SCARCE_OK;
    if (!user->gradients) return scarce__fail(err, SCARCE_EINVAL, "the caller's loss has no gradients");
    if (!(user->link >= 0) || !isfinite(user->link))
        return scarce__fail(err, SCARCE_EINVAL, "the link of the caller's loss is %g, 0 or more is allowed",
                            user->link);
    if (scarce__params_given(job->params, scarce__param_find(&scarce__gb_params, "loss")))
        return scarce__fail(err, SCARCE_EINVAL,
                            "there is a loss of the caller and the parameter loss: give one");
    return SCARCE_OK;
}

static scarce_status check(const gb_params *p, const scarce__job *job, scarce_error *err)
{
    const scarce_model *resume = job->options->resume;
    if (job->options->early_stop > 0 && !job->valid &&
        (p->subsample >= 1 || p->sample == SAMPLE_ALL || p->sample > SAMPLE_STRATIFIED))
        return scarce__fail(
            err, SCARCE_EINVAL,
            "early stopping needs validation rows (--valid or --valid-fraction), or rows outside the bags "
            "(subsample below 1)");
    if (p->max_leaves == 1)
        return scarce__fail(err, SCARCE_EINVAL,
                            "max_leaves=1 leaves nothing to learn (2 or more, or 0 for no limit)");
    if (p->max_leaves == 0 && p->max_depth == 0)
        return scarce__fail(err, SCARCE_EINVAL,
                            "without a limit on leaves (max_leaves=0) a limit on max_depth is needed");
    SCARCE__TRY(check_sampling(p, err));
    SCARCE__TRY(check_belongings(job->params, err));
    SCARCE__TRY(check_user_loss(job, err));
    if (resume &&
        (resume->kind != &scarce__kind_trees || resume->schema.n_features != job->table->schema.n_features))
        return scarce__fail(err, SCARCE_EINVAL,
                            "the checkpoint is of another kind of model or has other features");
    return SCARCE_OK;
}

/* ---- checkpoints: a model whose section `stat` says how many trees are done */

static scarce_status make_state(uint8_t **state, size_t *n, size_t trees, scarce_error *err)
{
    scarce__writer w = {0};
    scarce__put_u64(&w, trees);
    if (w.failed) return scarce__fail_memory(err, "a checkpoint", 0);
    *state = w.bytes;
    *n = w.n;
    return SCARCE_OK;
}

/* Not from a training that was interrupted before it knew how many trees: its one tree says nothing. */
static int goes_on(const scarce_model *resume)
{
    for (size_t i = 0; resume && i < resume->n_state; ++i)
        if (resume->state[i] != 0) return 1;
    return 0;
}

/* Everything but the state is borrowed, so nothing but that is freed. */
static scarce_status save_checkpoint(void *payload, const scarce__forest *so_far, scarce_error *err)
{
    const scarce__job *job = payload;
    char method[] = "gb";
    scarce_model m;
    scarce_status st;

    memset(&m, 0, sizeof m);
    m.method = method;
    m.schema = job->table->schema;
    m.kind = &scarce__kind_trees;
    m.body = (void *)(uintptr_t)so_far;
    SCARCE__TRY(make_state(&m.state, &m.n_state, so_far->n_trees, err));
    st = scarce_model_save(&m, job->options->checkpoint, err);
    scarce__free(m.state);
    return st;
}

static scarce_status boost(scarce__learned *out, const scarce__job *job, scarce__boost_options *o,
                           scarce_error *err)
{
    const scarce__boost_data train = {.table = job->table}, valid = {.table = job->valid};
    scarce__forest *forest = scarce__calloc(1, sizeof *forest);
    scarce__boost_result result;
    scarce_status st;

    if (!forest) return scarce__fail_memory(err, "trees", 0);
    st = scarce__boost_train(forest, &train, job->valid ? &valid : NULL, o, &result, job->ctx, err);
    if (st != SCARCE_OK) {
        scarce__free(forest);
        return st;
    }
    out->kind = &scarce__kind_trees;
    out->body = forest;
    out->has_link = o->loss.gamma > 0;
    out->slope = o->loss.gamma;
    out->odds_factor = o->pos_weight;
    if ((o->sampling.kind == SCARCE__ROWS_BALANCED || o->sampling.kind == SCARCE__ROWS_RATIO) &&
        !o->sampling.reweigh)
        out->odds_factor = (double)NAN; /* a fresh balanced bag for each tree: no closed correction holds */
    out->iterations = result.n_grown;
    out->best_iteration = result.n_trees;
    out->valid_metric = result.best_metric;
    out->seconds_prepare = result.seconds_bin;
    out->cancelled = result.cancelled;
    return result.cancelled ? make_state(&out->state, &out->n_state, result.n_grown, err) : SCARCE_OK;
}

scarce_status scarce__train_gb(scarce__learned *out, const scarce__job *job, scarce_error *err)
{
    const gb_params *given = scarce__params_options(job->params), chosen = with_defaults(given, job->table),
                    *p = &chosen;
    const scarce__trees_wanted wanted = trees_wanted(given, p, job->table);
    scarce__boost_options o;
    scarce__constraints constraints = {0};
    scarce__watcher w;
    scarce_status st;
    int interrupted = 0;

    memset(&w, 0, sizeof w);
    SCARCE__TRY(check(p, job, err));
    set_options(&o, p, job);
    st = scarce__constraints_parse(&constraints, &job->table->schema, p->monotone, p->interactions, err);
    o.grow.monotone = constraints.monotone;
    o.grow.n_groups = constraints.n_groups;
    o.grow.group_begin = constraints.group_begin;
    o.grow.group_feature = constraints.group_feature;
    if (st == SCARCE_OK && trees_to_choose(given, &o, job))
        st = scarce__gb_choose_trees(&o, &interrupted, job->table, &wanted, job->ctx, err);
    if (interrupted) o.n_trees = 1; /* a model must have one; see goes_on */
    if (goes_on(job->options->resume)) o.resume = job->options->resume->body;
    if (job->options->checkpoint && job->options->checkpoint_every > 0) {
        o.keep = save_checkpoint;
        o.keep_payload = (void *)(uintptr_t)job;
        o.keep_every = job->options->checkpoint_every;
    }
    if (st == SCARCE_OK && job->valid) st = scarce__watcher_start(&w, &o, job, err);
    else if (st == SCARCE_OK && job->options->early_stop > 0) {
        o.out_of_bag = 1;
        o.metric_name = "out-of-bag gain";
        o.stop_after = job->options->early_stop;
    }
    scarce__log(job->ctx, SCARCE_LOG_DEBUG, "training takes at most %.0f MB beside the data",
                1e-6 * (double)scarce__boost_memory(job->table->n_rows, job->table->schema.n_features,
                                                    job->valid ? job->valid->n_rows : 0, &o,
                                                    scarce_context_threads(job->ctx)));
    if (st == SCARCE_OK) st = boost(out, job, &o, err);
    if (st == SCARCE_OK && interrupted) {
        scarce__free(out->state);
        out->state = NULL;
        out->cancelled = 1;
        st = make_state(&out->state, &out->n_state, 0, err);
    }
    scarce__watcher_stop(&w);
    scarce__constraints_deinit(&constraints);
    return st;
}
