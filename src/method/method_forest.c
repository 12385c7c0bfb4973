/* SPDX-License-Identifier: Apache-2.0 */
/* random-forest and balanced-random-forest: parameters of ensemble/random_forest.h.
 *
 * A leaf of the model holds its share of positives divided by the number of trees, so the score is a share. That
 * division rounds; a checkpoint carries the shares themselves in its state, and the rest comes out the same.
 *
 * Shares are smoothed, positives / (rows + smoothing): a pure leaf of two rows says less than one of twenty, which the
 * top of a ranking notices (Provost and Domingos: Tree induction for probability-based ranking, Machine Learning 52,
 * 2003). Theirs is towards 1/2; with rare positives towards 0 is towards the prior, and leaves of negatives stay 0,
 * which scoring is quick with (tree/fast_top.c). Probabilities are put right by what it did to the odds. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "ensemble/random_forest.h"
#include "method/method.h"
#include "method/watcher.h"
#include "model/encoded.h"

typedef struct forest_params {
    int64_t n_trees, max_depth, min_child_rows, min_child_positives, max_bins, min_category_rows;
    int criterion, bootstrap, balanced;
    double max_features, max_samples, min_child_weight, gamma, pos_weight, positive_bins, smoothing;
} forest_params;

enum { GINI = 0, ENTROPY };

#define AT(f) offsetof(forest_params, f)
static const scarce__param params[] = {
    {"n_trees", "n_estimators,num_trees", SCARCE__INT, AT(n_trees), "100", 1, 1e6, NULL,
     "trees; more are never worse, only slower", "int:50:500", NULL},
    {"criterion", "", SCARCE__CHOICE, AT(criterion), "gini", 0, 0, "gini|entropy", "what a split lowers",
     "gini|entropy", NULL},
    {"max_features", "colsample_node,colsample_bynode", SCARCE__REAL, AT(max_features), "auto", 1e-9, 1e9,
     NULL,
     "features that a node looks at: a share of them below 1, a number from 1 on. auto: the square root of "
     "their "
     "number",
     "auto|0.3|0.6", NULL},
    {"max_depth", "", SCARCE__INT, AT(max_depth), "0", 0, 1e6, NULL, "depth of a tree (0: no limit)", NULL,
     NULL},
    {"min_child_rows", "min_samples_leaf,min_data_in_leaf", SCARCE__INT, AT(min_child_rows), "1", 1, 1e9,
     NULL, "least rows in a leaf, as often as they were drawn", "int:1:20", NULL},
    {"min_child_positives", "", SCARCE__INT, AT(min_child_positives), "0", 0, 1e9, NULL,
     "least positives in a leaf", NULL, NULL},
    {"min_child_weight", "min_weight_leaf", SCARCE__REAL, AT(min_child_weight), "0", 0, 1e12, NULL,
     "least sum of weights in a leaf", NULL, NULL},
    {"gamma", "min_impurity_decrease", SCARCE__REAL, AT(gamma), "0", 0, 1e12, NULL,
     "least gain of a split, in rows times impurity", NULL, NULL},
    {"bootstrap", "", SCARCE__BOOL, AT(bootstrap), "true", 0, 0, NULL,
     "each tree learns from rows drawn with replacement; false: from all rows (balanced: drawn without "
     "replacement)",
     NULL, NULL},
    {"max_samples", "subsample,sample_fraction", SCARCE__REAL, AT(max_samples), "1", 1e-6, 1, NULL,
     "draws of a tree, as a share of the rows (balanced: of the rarer class, from each class)", "real:0.3:1",
     NULL},
    {"balanced", "", SCARCE__BOOL, AT(balanced), "false", 0, 0, NULL,
     "as many draws from each class; probabilities are corrected for it", NULL, NULL},
    {"pos_weight", "scale_pos_weight", SCARCE__REAL, AT(pos_weight), "1", 1e-9, 1e9, NULL,
     "a positive counts as this many rows where splits are chosen; leaves hold the shares as they are", NULL,
     NULL},
    {"smoothing", "", SCARCE__REAL, AT(smoothing), "0.5", 0, 1e9, NULL,
     "rows without positives that join every leaf, so that a leaf of a few rows is believed less: positives "
     "/ "
     "(rows + smoothing). 0: shares as they are",
     "0|0.5|2", NULL},
    {"max_bins", "max_bin", SCARCE__INT, AT(max_bins), "255", 2, 255, NULL,
     "bins of a numeric feature, beside one for missing", NULL, NULL},
    {"positive_bins", "", SCARCE__REAL, AT(positive_bins), "0.3", 0, 0.9, NULL,
     "share of the bins that is cut where the positives lie, on large data with rare positives", NULL, NULL},
    {"min_category_rows", "min_data_per_group", SCARCE__INT, AT(min_category_rows), "1", 1, 1e9, NULL,
     "rarer categories are pooled with unknown ones", NULL, NULL},
};
#undef AT
static const scarce__param_part parts[] = {SCARCE__PART(params, 0)};
static const scarce__param_table table = {parts, 1, sizeof(forest_params)};

static size_t features_wanted(double max_features, size_t n)
{
    if (isnan(max_features)) return 0;
    const double wanted = max_features < 1 ? floor(max_features * (double)n) : floor(max_features);
    return wanted < 1 ? 1 : wanted > (double)n ? n : (size_t)wanted;
}

static scarce__random_forest_options options_of(const forest_params *p, size_t n_features, uint64_t seed)
{
    scarce__random_forest_options o = SCARCE__RANDOM_FOREST_OPTIONS_INIT;

    o.n_trees = (size_t)p->n_trees;
    o.tree.rules.criterion = p->criterion == ENTROPY ? &scarce__criterion_entropy : &scarce__criterion_gini;
    o.tree.rules.gamma = p->gamma;
    o.tree.rules.min_child_weight = p->min_child_weight;
    o.tree.rules.min_child_rows = (uint32_t)p->min_child_rows;
    o.tree.rules.min_child_marks = (uint32_t)p->min_child_positives;
    o.tree.max_depth = (int)p->max_depth;
    o.tree.smoothing = p->smoothing;
    o.features = features_wanted(p->max_features, n_features);
    if (p->balanced) o.rows = p->bootstrap ? SCARCE__MEMBER_BOOTSTRAP_BALANCED : SCARCE__MEMBER_BALANCED;
    else o.rows = p->bootstrap ? SCARCE__MEMBER_BOOTSTRAP : SCARCE__MEMBER_ALL;
    o.share = p->max_samples;
    o.pos_weight = p->pos_weight;
    o.bins.max_bins = (int)p->max_bins;
    o.bins.min_category_rows = (int)p->min_category_rows;
    o.bins.positive_share = p->positive_bins;
    o.seed = seed;
    return o;
}

/* ---- before the work */

static scarce_status check(const scarce__job *job, scarce_error *err)
{
    const forest_params *p = scarce__params_options(job->asked);
    const scarce_model *resume = job->options->resume;
    const scarce__kind *kind = NULL;

    if (!p->bootstrap && !p->balanced && p->max_samples < 1)
        return scarce__fail(err, SCARCE_EINVAL,
                            "max_samples is of the bootstrap, and bootstrap is false: give one");
    if (job->options->early_stop > 0 && !job->valid && !job->options->expects_valid)
        return scarce__fail(err, SCARCE_EINVAL,
                            "early stopping needs validation rows (--valid or --valid-fraction)");
    if (resume) (void)scarce__model_inside(resume, &kind);
    if (resume && job->table &&
        (kind != &scarce__kind_trees || resume->schema.n_features != job->table->schema.n_features))
        return scarce__fail(err, SCARCE_EINVAL,
                            "the checkpoint is of another kind of model or has other features");
    return SCARCE_OK;
}

static double memory(const scarce__job *job, size_t rows, size_t positives, size_t features,
                     size_t valid_rows)
{
    const scarce__random_forest_options o = options_of(scarce__params_options(job->asked), features, 1);
    return scarce__random_forest_memory(rows, positives, features, &o, scarce_context_threads(job->ctx)) +
           20 * (double)valid_rows;
}

/* ---- checkpoints: how many trees, and the share of each leaf */

static size_t node_count(const scarce__forest *f)
{
    return f->n_trees ? f->tree_begin[f->n_trees] : 0;
}

static scarce_status make_state(uint8_t **state, size_t *n, const scarce__forest *unscaled, scarce_error *err)
{
    scarce__writer w = {0};
    scarce__put_u64(&w, unscaled->n_trees);
    for (size_t i = 0; i < node_count(unscaled); ++i)
        if (unscaled->nodes[i].feature < 0) scarce__put_f32(&w, unscaled->nodes[i].value);
    if (w.failed) {
        scarce__writer_deinit(&w);
        return scarce__fail_memory(err, "a checkpoint", 0);
    }
    *state = w.bytes;
    *n = w.n;
    return SCARCE_OK;
}

/* The trees of a checkpoint with their shares. */
static scarce_status take_state(scarce__forest *out, const scarce_model *resume, scarce_error *err)
{
    const scarce__kind *kind;
    const scarce__forest *from = scarce__model_inside(resume, &kind);
    scarce__reader r = {resume->state, resume->state + resume->n_state, 0};

    SCARCE__TRY(scarce__forest_append(out, from, 1, err));
    int good = scarce__get_u64(&r) == from->n_trees;
    for (size_t i = 0; good && i < node_count(out); ++i) {
        if (out->nodes[i].feature >= 0) continue;
        out->nodes[i].value = scarce__get_f32(&r);
        good = !r.failed && out->nodes[i].value >= 0 && out->nodes[i].value <= 1;
    }
    if (good && r.at == r.end) return SCARCE_OK;
    scarce__forest_deinit(out);
    return scarce__fail(err, SCARCE_EDATA,
                        "the checkpoint is damaged: its state is not of its trees; train anew");
}

/* A copy of the trees as a model: leaves by the number of trees. */
static scarce_status scaled_copy(scarce__forest *out, const scarce__forest *from, scarce_error *err)
{
    memset(out, 0, sizeof *out);
    SCARCE__TRY(scarce__forest_append(out, from, 1, err));
    out->n_features = from->n_features;
    scarce__random_forest_scale(out);
    return SCARCE_OK;
}

static scarce_status keep(void *payload, const scarce__forest *so_far, scarce_error *err)
{
    const scarce__job *job = payload;
    scarce__forest copy;
    uint8_t *state = NULL;
    size_t n = 0;
    scarce_status st = scaled_copy(&copy, so_far, err);

    if (st == SCARCE_OK) st = make_state(&state, &n, so_far, err);
    if (st == SCARCE_OK) st = scarce__keep_checkpoint(job, &scarce__kind_trees, &copy, state, n, err);
    scarce__free(state);
    scarce__forest_deinit(&copy);
    return st;
}

/* ---- training */

static scarce_status set_company(scarce__random_forest_options *o, scarce__watcher *w, scarce__forest *taken,
                                 const scarce__job *job, scarce_error *err)
{
    scarce__watching watching = {.link = SCARCE__LINK_SHARE, .slope = 1};

    if (job->options->checkpoint && job->options->checkpoint_every > 0) {
        o->keep = keep;
        o->keep_payload = (void *)(uintptr_t)job;
        o->keep_every = (size_t)job->options->checkpoint_every;
    }
    if (job->options->resume) {
        SCARCE__TRY(take_state(taken, job->options->resume, err));
        o->resume = taken;
    }
    if (!job->valid) return SCARCE_OK;
    SCARCE__TRY(scarce__watcher_new(w, &watching, job, err));
    o->valid = job->valid;
    o->metric = watching.metric;
    o->metric_payload = w;
    o->metric_name = watching.name;
    o->metric_smaller_is_better = watching.smaller_is_better;
    o->stop_after = job->options->early_stop;
    return SCARCE_OK;
}

/* What smoothing did to the odds, from the leaves that the drawn rows are in: the factor c that makes the mean probability of
 * all rows the same again,
 *     sum over leaves of w o / (o + r c) = sum of positives,   o = v / (1 - v),  w = positives + r negatives
 * where v is the smoothed share of a leaf and r how much more often positives were drawn. Leaves of about the same v are
 * added up first. */
enum { SHARES = 256, HALVINGS = 50 };

typedef struct leaves {
    double weight[SHARES], share[SHARES], positives; /* share: times weight */
} leaves;

static void add_leaves(leaves *l, const scarce__forest *f, double smoothing, double r)
{
    memset(l, 0, sizeof *l);
    for (size_t i = 0; i < node_count(f); ++i) {
        const scarce__node *node = f->nodes + i;
        if (node->feature >= 0) continue;
        const double n = node->rows, v = (double)node->value * (double)f->n_trees;
        const double positives = fmin(n, (n + smoothing) * v), w = positives + r * (n - positives);
        const size_t at = v >= 1 ? SHARES - 1 : (size_t)(v * SHARES);
        l->weight[at] += w;
        l->share[at] += w * v;
        l->positives += positives;
    }
}

static double mean_with(const leaves *l, double rc)
{
    double sum = 0;
    for (int i = 0; i < SHARES; ++i) {
        const double v = l->weight[i] > 0 ? l->share[i] / l->weight[i] : 0;
        if (v > 0) sum += l->weight[i] * v / (v + (1 - v) * rc);
    }
    return sum;
}

static double smoothed_odds(const scarce__forest *f, double smoothing, double r)
{
    leaves l;
    double low = 1.0 / 64, high = 1;

    add_leaves(&l, f, smoothing, r);
    if (!(l.positives > 0) || mean_with(&l, r) >= l.positives) return 1;
    for (int i = 0; i < HALVINGS; ++i) {
        const double c = 0.5 * (low + high);
        if (mean_with(&l, r * c) < l.positives) high = c;
        else low = c;
    }
    return high;
}

static void set_meaning(scarce__meaning *m, const forest_params *p, const scarce__forest *f,
                        const scarce_table *t)
{
    double r = 1;

    m->link = SCARCE__LINK_SHARE;
    if (p->balanced) {
        size_t coins[2];
        scarce__classes_count(coins, t);
        r = scarce__draw_odds(coins, SCARCE__MEMBER_BALANCED);
    }
    m->odds_factor = p->smoothing > 0 ? r * smoothed_odds(f, p->smoothing, r) : r;
}

static scarce_status grow(scarce__learned *out, scarce__forest *forest, const scarce__job *job,
                          scarce__random_forest_options *o, scarce_error *err)
{
    scarce__random_forest_result result;

    if (o->metric) {
        out->curve = scarce__malloc_array(o->n_trees, sizeof *out->curve);
        if (!out->curve) return scarce__fail_memory(err, "a learning curve", 0);
        o->history = out->curve;
    }
    SCARCE__TRY(scarce__random_forest_train(forest, job->table, o, &result, job->ctx, err));
    out->iterations = result.n_grown;
    out->best_iteration = result.n_trees;
    out->n_curve = out->curve ? result.n_grown : 0;
    if (out->curve) out->valid_metric = out->curve[result.n_trees - 1];
    out->seconds_prepare = result.seconds_bin;
    out->cancelled = result.cancelled;
    if (result.cancelled) SCARCE__TRY(make_state(&out->state, &out->n_state, forest, err));
    scarce__random_forest_scale(forest);
    return SCARCE_OK;
}

static scarce_status train(scarce__learned *out, const scarce__job *job, scarce_error *err)
{
    forest_params *p = scarce__params_edit(job->params);
    const size_t n_features = job->table->schema.n_features;
    scarce__random_forest_options o;
    scarce__forest taken = {0}, *forest = scarce__calloc(1, sizeof *forest);
    scarce__watcher w;
    scarce_status st;

    if (!forest) return scarce__fail_memory(err, "trees", 0);
    memset(&w, 0, sizeof w);
    if (isnan(p->max_features)) p->max_features = fmax(1, floor(sqrt((double)n_features)));
    o = options_of(p, n_features, scarce_context_seed(job->ctx));
    st = set_company(&o, &w, &taken, job, err);
    if (st == SCARCE_OK) st = grow(out, forest, job, &o, err);
    scarce__watcher_stop(&w);
    scarce__forest_deinit(&taken);
    if (st != SCARCE_OK) {
        scarce__forest_deinit(forest);
        scarce__free(forest);
        return st;
    }
    out->kind = &scarce__kind_trees;
    out->body = forest;
    set_meaning(&out->meaning, p, forest, job->table);
    return SCARCE_OK;
}

const scarce__engine scarce__engine_forest = {
    .params = &table,
    .can = SCARCE__CAN_STOP | SCARCE__CAN_RESUME | SCARCE__CAN_PROBABILITY,
    .stages = "n_trees",
    .stages_average = 1,
    .check = check,
    .memory = memory,
    .train = train,
};
