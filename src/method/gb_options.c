/* SPDX-License-Identifier: Apache-2.0 */
#include "method/gb_options.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "method/method.h"

/* ---- the choices `loss` and `sample` and the engine's tables: test_method_gb_tables holds them together */

static const char *loss_name(const scarce__gb_params *p)
{
    return scarce__losses[p->loss.loss]->name;
}

static int is_loss(const scarce__gb_params *p, const char *names)
{
    return scarce__is_word_of(names, '|', loss_name(p), strlen(loss_name(p)));
}

static int is_classic_rankboost(const scarce__gb_params *p)
{
    return p->loss.classic && is_loss(p, "rankboost");
}

enum { SAMPLE_AUTO = 0 };
static const struct {
    scarce__sampling_kind kind;
    int takes_share;     /* `subsample` of the rows */
    int leaves_rows_out; /* for early stopping without validation rows */
} samples[] = {
    {SCARCE__ROWS_ALL, 0, 1}, /* auto: as subsample says */
    {SCARCE__ROWS_ALL, 0, 0},      {SCARCE__ROWS_UNIFORM, 1, 1},    {SCARCE__ROWS_STRATIFIED, 1, 1},
    {SCARCE__ROWS_BALANCED, 0, 0}, {SCARCE__ROWS_RATIO, 0, 0},      {SCARCE__ROWS_GOSS, 0, 0},
    {SCARCE__ROWS_MVS, 1, 0},      {SCARCE__ROWS_IMPORTANCE, 0, 0}, {SCARCE__ROWS_SMOTE, 0, 0},
};

static scarce__loss make_loss(const scarce__gb_params *p)
{
    const scarce__gb_loss_params *l = &p->loss;
    const scarce__gb_tree_params *t = &p->tree;
    const scarce__sampling_kind rows = samples[p->sample.sample].kind;
    const double share = rows == SCARCE__ROWS_RATIO ? p->sample.ratio : 0.5;
    const int fresh = !p->sample.reweigh && (rows == SCARCE__ROWS_RATIO || rows == SCARCE__ROWS_BALANCED);

    const scarce__loss_params params = {.gamma = l->loss_gamma,
                                        .focus = l->focal_gamma,
                                        .scale = isnan(l->list_alpha) ? 0 : l->list_alpha,
                                        .beta = l->beta,
                                        .leaf_mean = l->leaf,
                                        .exact = l->exact,
                                        .classic = l->classic,
                                        .miss_cost = t->miss_cost,
                                        .alarm_cost = t->alarm_cost,
                                        .shares = l->votes,
                                        .share = fresh ? share : 0,
                                        .most = l->z_max};
    return scarce__losses[l->loss]->make(&params);
}

static int sample_of_kind(scarce__sampling_kind kind)
{
    int k = 1;
    while (samples[k].kind != kind) ++k;
    return k;
}

scarce__sampling_kind scarce__gb_sample_kind(int sample)
{
    return samples[sample].kind;
}

/* ---- what can't be meant */

/* A linear model knows no constraints, and learns from all rows. */
static scarce_status check_voices(const scarce__gb_params *p, scarce_error *err)
{
    if (p->end.voices != SCARCE__VOICES_SEVERAL) return SCARCE_OK;
    if (p->tree.monotone[0] || p->tree.interactions[0])
        return scarce__fail(err, SCARCE_EINVAL, "voices=several can't keep %s: set voices=one",
                            p->tree.monotone[0] ? "monotone" : "interactions");
    if (p->sample.sample != SAMPLE_AUTO && samples[p->sample.sample].kind != SCARCE__ROWS_ALL)
        return scarce__fail(err, SCARCE_EINVAL,
                            "voices=several needs all rows (sample=all), or set voices=one");
    return SCARCE_OK;
}

scarce_status scarce__gb_check(const scarce__gb_params *p, scarce_error *err)
{
    SCARCE__TRY(check_voices(p, err));
    if (p->tree.max_leaves == 1)
        return scarce__fail(err, SCARCE_EINVAL,
                            "max_leaves=1 leaves nothing to learn (2 or more, or 0 for no limit)");
    if (p->tree.max_leaves == 0 && p->tree.max_depth == 0)
        return scarce__fail(err, SCARCE_EINVAL,
                            "without a limit on leaves (max_leaves=0) a limit on max_depth is needed");
    if (samples[p->sample.sample].takes_share && p->sample.subsample >= 1)
        return scarce__fail(err, SCARCE_EINVAL,
                            "sample=%s takes the share `subsample` of the rows, and that is 1: set subsample "
                            "below 1, or sample=all",
                            scarce__samplers[samples[p->sample.sample].kind]->name);
    if (p->sample.top + p->sample.other > 1)
        return scarce__fail(err, SCARCE_EINVAL, "top_rate + other_rate is above 1");
    return SCARCE_OK;
}

int scarce__gb_leaves_rows_out(const scarce__gb_params *p)
{
    return p->sample.subsample < 1 && samples[p->sample.sample].leaves_rows_out;
}

/* ---- "auto" */

enum { SMALL_ROWS = 10000, SMALL_LEAVES = 15 };

/* Random thresholds, many small trees and small steps belong together, and pay on small data only
 * (docs/research/defaults.md); whoever sets one of the first three gets the usual values of the others. Losses of
 * lists have many trees of their own, and gain from random thresholds there too (docs/research/top-of-the-list.md). */
static void settle_trees(scarce__gb_params *p, size_t rows)
{
    scarce__gb_tree_params *t = &p->tree;
    const int untouched =
        t->n_trees == SCARCE__AUTO_INT && isnan(t->learning_rate) && t->splits == SCARCE__SPLITS_AUTO;
    const int few = rows < SMALL_ROWS, small = untouched && few;
    const int small_list = few && is_loss(p, "ap-lb|lambdamart-ap|rankboost") && !is_classic_rankboost(p);

    if (is_classic_rankboost(p) && isnan(t->learning_rate))
        t->learning_rate = 1; /* a step is as long as it should be */
    if (t->n_trees == SCARCE__AUTO_INT) t->n_trees = small ? 300 : 100;
    if (isnan(t->learning_rate)) t->learning_rate = small ? 0.05 : 0.1;
    if (t->splits == SCARCE__SPLITS_AUTO)
        t->splits = small || small_list ? SCARCE__SPLITS_RANDOM : SCARCE__SPLITS_BEST;
    if (t->max_leaves == SCARCE__AUTO_INT) t->max_leaves = small ? SMALL_LEAVES : 31;
    if (isnan(t->colsample_node)) t->colsample_node = small ? 0.5 : 1;
}

enum { SAMPLED_ROWS = 50000, SAMPLED_POSITIVES = 200 };

/* Trees on all positives and a few negatives, drawn by how much they matter, are as good as trees on all rows
 * and cost a tenth or less, once the negatives drawn are at most a tenth of all. */
static int importance_pays(const scarce__gb_sample_params *s, const scarce__loss *loss, scarce__gb_size size)
{
    const double positives = (double)size.positives, negatives = (double)(size.rows - size.positives);
    /* a loss that looks at all rows after every tree gains nothing from samples */
    return s->subsample >= 1 && loss->interest && loss->leaves != SCARCE__LEAVES_OF_ALL &&
           size.rows >= SAMPLED_ROWS && size.positives >= SAMPLED_POSITIVES &&
           s->neg_per_pos * positives <= 0.1 * negatives;
}

void scarce__gb_settle(scarce__gb_params *p, scarce__gb_size size)
{
    const double per_positive = size.positives > 0 ? (double)size.rows / (double)size.positives : 0;
    settle_trees(p, size.rows);
    if (isnan(p->loss.z_max)) p->loss.z_max = per_positive > 4 ? per_positive : 4;
}

static scarce__sampling_kind kind_of(const scarce__gb_sample_params *s, const scarce__loss *loss,
                                     scarce__gb_size size)
{
    if (s->sample != SAMPLE_AUTO) return samples[s->sample].kind;
    if (s->subsample < 1)
        return (double)size.positives < 0.05 * (double)size.rows ? SCARCE__ROWS_STRATIFIED
                                                                 : SCARCE__ROWS_UNIFORM;
    return importance_pays(s, loss, size) ? SCARCE__ROWS_IMPORTANCE : SCARCE__ROWS_ALL;
}

int scarce__gb_by_importance(const scarce__gb_params *p, const scarce__loss *loss, scarce__gb_size size)
{
    return kind_of(&p->sample, loss, size) == SCARCE__ROWS_IMPORTANCE;
}

int scarce__gb_counts_trees(const scarce__gb_params *p)
{
    return is_loss(p, "logistic");
}

/* ---- options */

static scarce_status set_sampling(scarce__boost_options *o, const scarce__gb_sample_params *s,
                                  scarce__gb_size size, scarce_error *err)
{
    scarce__sampling_options *to = &o->sampling;
    scarce__sampling chosen;
    size_t kind = 0;
    to->kind = kind_of(s, &o->loss, size);
    to->fraction = s->subsample;
    to->independent = s->draw;
    to->ratio = s->ratio;
    to->reweigh = s->reweigh;
    to->keep = s->refresh == SCARCE__AUTO_INT ? 0 : (int)s->refresh;
    to->top = s->top;
    to->other = s->other;
    to->mvs_lambda = s->mvs_lambda;
    to->made = s->made_per_pos;
    to->neighbours = (int)s->k_neighbors;
    to->per_positive = s->neg_per_pos;
    to->pool = s->pool;
    to->max_probability = isnan(s->max_probability) ? 0 : s->max_probability;
    SCARCE__TRY(
        scarce__sampling_choose(&chosen, to, size.positives, size.rows - size.positives, &o->loss, err));
    *to = chosen.o; /* with what it decided by the data */
    while (scarce__samplers[kind] != chosen.is) ++kind;
    to->kind = (scarce__sampling_kind)kind;
    return SCARCE_OK;
}

static void set_growth(scarce__boost_options *o, const scarce__gb_tree_params *t)
{
    o->n_trees = (int)t->n_trees;
    o->grow.learning_rate = t->learning_rate;
    o->grow.max_leaves = (int)t->max_leaves;
    o->grow.max_depth = (int)t->max_depth;
    o->grow.growth = (scarce__growth)t->growth;
    o->grow.colsample_tree = t->colsample;
    o->grow.colsample_node = t->colsample_node;
    o->grow.histogram_double = t->histogram;
    o->grow.rounding = t->rounding;
    o->grow.rules.lambda = t->lambda;
    o->grow.rules.alpha = t->alpha;
    o->grow.rules.gamma = t->gamma;
    o->grow.rules.max_delta_step = t->max_delta_step;
    o->grow.rules.min_child_weight = t->min_child_weight;
    o->grow.rules.min_child_rows = (uint32_t)t->min_child_rows;
    o->grow.rules.min_child_marks = (uint32_t)t->min_child_positives;
    o->grow.rules.random = t->splits == SCARCE__SPLITS_RANDOM;
    o->grow.rules.category_all = t->category_splits == SCARCE__CATEGORY_SPLITS_ALL;
    o->bins.positive_share = t->positive_bins; /* as bins_of of method_gb.c */
    o->bins.max_bins = (int)t->max_bins;
    o->bins.min_category_rows = (int)t->min_category_rows;
}

/* Costs are weights, unless the loss knows better. */
static void set_weights(scarce__boost_options *o, const scarce__gb_tree_params *t)
{
    o->pos_weight = t->pos_weight * (o->loss.takes_costs ? 1 : t->miss_cost);
    o->neg_weight = o->loss.takes_costs ? 1 : t->alarm_cost;
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

enum { EVAL_EVERY_SAMPLED = 5 }; /* an iteration on a sample costs less than a look at many validation rows */

scarce_status scarce__gb_options(scarce__boost_options *o, const scarce__gb_params *p, scarce__gb_size size,
                                 const scarce_loss *user, uint64_t seed, scarce_error *err)
{
    scarce__boost_options_init(o);
    set_growth(o, &p->tree);
    o->loss = user ? scarce__loss_user(user) : make_loss(p);
    set_weights(o, &p->tree);
    if (is_classic_rankboost(p)) set_classic(o);
    o->seed = seed;
    SCARCE__TRY(set_sampling(o, &p->sample, size, err));
    o->eval_every = 1;
    if (p->tree.eval_every != SCARCE__AUTO_INT) o->eval_every = (int)p->tree.eval_every;
    else if (scarce__gb_by_importance(p, &o->loss, size))
        o->eval_every = p->sample.refresh == SCARCE__AUTO_INT ? EVAL_EVERY_SAMPLED : (int)p->sample.refresh;
    return SCARCE_OK;
}

void scarce__gb_remember(scarce__gb_params *p, const scarce__boost_options *o)
{
    p->tree.n_trees = o->n_trees;
    p->tree.max_leaves = o->grow.max_leaves;
    p->tree.max_depth = o->grow.max_depth;
    p->tree.learning_rate = o->grow.learning_rate;
    p->tree.colsample_node = o->grow.colsample_node;
    p->tree.splits = o->grow.rules.random ? SCARCE__SPLITS_RANDOM : SCARCE__SPLITS_BEST;
    p->tree.category_splits =
        o->grow.rules.category_all ? SCARCE__CATEGORY_SPLITS_ALL : SCARCE__CATEGORY_SPLITS_SORTED;
    p->tree.histogram = o->grow.histogram_double;
    p->tree.lambda = o->grow.rules.lambda;
    p->tree.alpha = o->grow.rules.alpha;
    p->tree.gamma = o->grow.rules.gamma;
    p->tree.max_delta_step = o->grow.rules.max_delta_step;
    p->tree.min_child_weight = o->grow.rules.min_child_weight;
    p->tree.eval_every = o->eval_every;
    p->loss.list_alpha = o->loss.params.scale;
    p->sample.sample = sample_of_kind(o->sampling.kind);
    p->sample.refresh = o->sampling.keep > 0 ? o->sampling.keep : 1;
    if (o->sampling.kind == SCARCE__ROWS_IMPORTANCE) p->sample.max_probability = o->sampling.max_probability;
}

void scarce__gb_meaning(scarce__meaning *out, const scarce__boost_options *o)
{
    const int fresh = o->sampling.kind == SCARCE__ROWS_BALANCED || o->sampling.kind == SCARCE__ROWS_RATIO;
    out->link = o->loss.gamma > 0 ? SCARCE__LINK_SIGMOID : SCARCE__LINK_NONE;
    out->slope = o->loss.gamma;
    out->odds_factor = o->pos_weight / o->neg_weight;
    if (out->link == SCARCE__LINK_NONE) out->why = "the scores of this method and loss only rank";
    else if (o->sampling.kind == SCARCE__ROWS_SMOTE) {
        out->odds_factor = (double)NAN;
        out->why = "positives made up for each tree change the odds in a way that no formula undoes";
    } else if (fresh && !o->sampling.reweigh) {
        out->odds_factor = (double)NAN;
        out->why = "a fresh sample of other class shares for each tree changes the odds by no known factor "
                   "(reweigh=true keeps them)";
    }
}
