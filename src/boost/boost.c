/* SPDX-License-Identifier: Apache-2.0 */
/* The boosting loop.
 *
 *     f = f_0;  for t = 1..T:  bag of rows -> g, h at f on the bag -> tree -> f += value of each row's leaf
 *
 * On all rows the leaves' lists of rows bring the scores up to date. With a bag, its rows are copied together
 * and the trees are grown there; the scores of the rows it was drawn from are only needed when the next bag
 * is drawn, and are then brought up to date for all trees since at once (tiles.c). The rows a bag is drawn
 * from are all rows, or with importance sampling later a pool of a fifth of them, which is again a copy.
 *
 * A score is always the float sum f_0 + v_1 + v_2 ... in tree order, whichever way it was brought up to date.
 * So going on after t trees (`resume`) is the same loop with the first t trees taken instead of grown. */
#include "boost/boost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/alloc.h"
#include "data/table.h"
#include "tree/tiles.h"

/* Rows with their scores: all rows, the pool, the bag. */
typedef struct part {
    const scarce__codes *codes;
    scarce__codes own;
    size_t n;
    uint32_t *row; /* in the training rows; NULL: 0, 1, ... */
    uint8_t *label;
    float *target, *weight, *score;
    float *bag_weight; /* pool: 1 / probability of being in it */
    size_t done;       /* trees in the score */
} part;

typedef struct booster {
    const scarce__boost_options *o;
    scarce__sampling_options sampling;
    scarce__loss loss;
    scarce__grow_options grow;
    scarce_context *ctx;
    scarce_error *err;
    scarce__binned *binned; /* owned, or NULL */
    const scarce__bins *bins;
    part all, pool, bag, valid;
    scarce__bag drawn[2]; /* of the rows of a bag, and of the pool */
    int has_pool;
    float *g, *h;
    size_t gradient_room;
    scarce__grower *grower;
    scarce__binned_tree **trees; /* those below `kept_from` are gone */
    size_t n_trees, kept_from;
    double best;
    size_t best_trees;
    double out_of_bag_gain; /* so far */
} booster;

void scarce__boost_options_init(scarce__boost_options *o)
{
    const scarce__grow_options grow = SCARCE__GROW_OPTIONS_INIT;
    const scarce__bin_options bins = SCARCE__BIN_OPTIONS_INIT;
    const scarce__sampling_options sampling = SCARCE__SAMPLING_OPTIONS_INIT;
    memset(o, 0, sizeof *o);
    o->n_trees = 100;
    o->grow = grow;
    o->bins = bins;
    o->sampling = sampling;
    o->loss = scarce__loss_logistic(1);
    o->pos_weight = 1;
    o->seed = 1;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Binned tables */

scarce_status scarce__binned_new(scarce__binned **out, const scarce_table *table, const uint32_t *rows,
                                 size_t n, const double *weight, const scarce__bin_options *options,
                                 scarce_context *ctx, scarce_error *err)
{
    scarce__binned *b = scarce__calloc(1, sizeof *b);
    scarce_status status;

    *out = NULL;
    if (!b) return scarce__fail_memory(err, "binned data", 0);
    status = scarce__bins_find(&b->bins, table, rows, n, weight, options, ctx, err);
    if (status == SCARCE_OK) status = scarce__codes_build(&b->codes, &b->bins, table, rows, n, 1, ctx, err);
    if (status != SCARCE_OK) {
        scarce__binned_free(b);
        return status;
    }
    *out = b;
    return SCARCE_OK;
}

void scarce__binned_free(scarce__binned *binned)
{
    if (!binned) return;
    scarce__bins_deinit(&binned->bins);
    scarce__codes_deinit(&binned->codes);
    scarce__free(binned);
}

/* ---- Parts */

static void part_deinit(part *p)
{
    scarce__codes_deinit(&p->own);
    scarce__free(p->row);
    scarce__free(p->label);
    scarce__free(p->target);
    scarce__free(p->weight);
    scarce__free(p->score);
    scarce__free(p->bag_weight);
    memset(p, 0, sizeof *p);
}

/* Label, target, weight and first score of the rows of a data set. */
static scarce_status part_fill(booster *b, part *p, const scarce__boost_data *data, int weights)
{
    const uint8_t *label = data->label ? data->label : data->table->label;
    const double *weight = data->weight ? data->weight : data->table->weight;

    p->n = data->rows ? data->n_rows : data->table->n_rows;
    if (weights && b->o->pos_weight == 1 && !weight) weights = 0;
    p->score = scarce__big_alloc(p->n, sizeof *p->score);
    if (label) p->label = scarce__big_alloc(p->n, sizeof *p->label);
    if (data->target) p->target = scarce__big_alloc(p->n, sizeof *p->target);
    if (weights) p->weight = scarce__big_alloc(p->n, sizeof *p->weight);
    if (!p->score || (label && !p->label) || (data->target && !p->target) || (weights && !p->weight))
        return scarce__fail_memory(b->err, "the scores", p->n * 13);
    for (size_t i = 0; i < p->n; ++i) {
        const size_t r = data->rows ? data->rows[i] : i;
        if (r >= data->table->n_rows)
            return scarce__fail(b->err, SCARCE_EINVAL, "row %zu is asked for, the table has %zu", r,
                                data->table->n_rows);
        if (label) {
            if (label[r] > 1)
                return scarce__fail(b->err, SCARCE_EDATA, "row %zu has the label %d; 0 and 1 are allowed",
                                    r + 1, label[r]);
            p->label[i] = label[r];
        }
        if (data->target) {
            if (!isfinite(data->target[r]))
                return scarce__fail(b->err, SCARCE_EDATA, "row %zu has no finite target", r + 1);
            p->target[i] = data->target[r];
        }
        if (weights) {
            const double w = (weight ? weight[r] : 1) * (label && label[r] ? b->o->pos_weight : 1);
            if (!(w >= 0) || !(w <= 1e30))
                return scarce__fail(b->err, SCARCE_EDATA,
                                    "row %zu has the weight %g; weights must be 0 or more and finite", r + 1,
                                    w);
            p->weight[i] = (float)w;
        }
    }
    return SCARCE_OK;
}

static scarce__loss_rows rows_of(const part *p)
{
    const scarce__loss_rows rows = {p->n, p->score, p->label, p->target, p->weight, p->row};
    return rows;
}

/* Brings the scores of a part with tiles up to date for all trees there are. */
static scarce_status catch_up(booster *b, part *p)
{
    const size_t from = p->done;
    if (from == b->n_trees) return SCARCE_OK;
    p->done = b->n_trees;
    return scarce__tiles_add(p->codes, (const scarce__binned_tree *const *)b->trees + from, b->n_trees - from,
                             p->score, b->o->portable, b->ctx, b->err);
}

/* Trees that every part has in its scores needn't be kept. */
static void drop_trees(booster *b)
{
    size_t least = b->n_trees;
    if (b->all.done < least) least = b->all.done;
    if (b->has_pool && b->pool.done < least) least = b->pool.done;
    if (b->valid.n > 0 && b->valid.done < least) least = b->valid.done;
    for (; b->kept_from < least; ++b->kept_from) {
        scarce__binned_tree *t = b->trees[b->kept_from];
        b->trees[b->kept_from] = NULL;
        scarce__binned_tree_deinit(t);
        scarce__free(t);
    }
}

/* Copies the drawn rows of `from` together: codes, labels, scores; weight = case weight x bag weight. */
static scarce_status part_gather(booster *b, part *to, const part *from, const scarce__bag *bag,
                                 int with_tiles, int as_pool)
{
    scarce__codes keep = to->own;
    memset(&to->own, 0, sizeof to->own);
    part_deinit(to);
    to->own = keep;
    to->n = bag->n;
    SCARCE__TRY(scarce__codes_gather(&to->own, from->codes, bag->row, bag->n, b->ctx, b->err));
    if (with_tiles) SCARCE__TRY(scarce__codes_retile(&to->own, b->ctx, b->err));
    to->codes = &to->own;
    const int weights = from->weight != NULL || (!as_pool && (bag->weight || from->bag_weight));
    to->row = scarce__malloc_array(bag->n, sizeof *to->row);
    to->score = scarce__big_alloc(bag->n, sizeof *to->score);
    if (from->label) to->label = scarce__malloc(bag->n);
    if (from->target) to->target = scarce__malloc_array(bag->n, sizeof *to->target);
    if (weights) to->weight = scarce__malloc_array(bag->n, sizeof *to->weight);
    if (as_pool) to->bag_weight = scarce__malloc_array(bag->n, sizeof *to->bag_weight);
    if (!to->row || !to->score || (from->label && !to->label) || (from->target && !to->target) ||
        (weights && !to->weight) || (as_pool && !to->bag_weight))
        return scarce__fail_memory(b->err, "a bag of rows", bag->n * 16);
    for (size_t k = 0; k < bag->n; ++k) {
        const uint32_t r = bag->row[k];
        to->row[k] = from->row ? from->row[r] : r;
        to->score[k] = from->score[r];
        if (to->label) to->label[k] = from->label[r];
        if (to->target) to->target[k] = from->target[r];
        const float w = bag->weight ? bag->weight[k] : 1.0f;
        const float case_weight = from->weight ? from->weight[r] : 1.0f;
        if (as_pool) to->bag_weight[k] = w;
        if (weights)
            to->weight[k] =
                case_weight * (as_pool ? 1.0f : w * (from->bag_weight ? from->bag_weight[r] : 1.0f));
    }
    to->done = from->done;
    return SCARCE_OK;
}

static scarce_status draw(booster *b, part *to, const part *from, size_t tree, int pool)
{
    const scarce__population p = {from->n,      from->row,    from->label,     from->score,
                                  from->target, from->weight, from->bag_weight};
    scarce__bag *bag = &b->drawn[pool];
    scarce_status status;

    status = scarce__sampling_draw(bag, &b->sampling, &p, pool, (double)b->all.n, b->o->seed, tree, &b->loss,
                                   b->ctx, b->err);
    if (status == SCARCE_OK && bag->n == 0)
        status = scarce__fail(b->err, SCARCE_EDATA,
                              "the bag of tree %zu is empty; take a larger share of the rows", tree + 1);
    if (status == SCARCE_OK) status = part_gather(b, to, from, bag, pool, pool);
    if (pool) scarce__bag_deinit(&b->drawn[0]); /* from now on bags are drawn from fewer rows */
    if (pool) scarce__bag_deinit(&b->drawn[1]);
    return status;
}

/* The bag of this tree, where it needs a new one. */
static scarce_status prepare_bag(booster *b, size_t tree)
{
    if (!scarce__sampling_due(&b->sampling, tree)) return SCARCE_OK;
    if (scarce__sampling_pool_due(&b->sampling, tree)) {
        SCARCE__TRY(catch_up(b, &b->all));
        SCARCE__TRY(draw(b, &b->pool, &b->all, tree, 1));
        b->has_pool = 1;
    }
    part *from = b->has_pool ? &b->pool : &b->all;
    SCARCE__TRY(catch_up(b, from));
    SCARCE__TRY(draw(b, &b->bag, from, tree, 0));
    return SCARCE_OK;
}

static int on_all_rows(const booster *b)
{
    return b->sampling.kind == SCARCE__ROWS_ALL;
}

static scarce_status gradient_room(booster *b, size_t n)
{
    if (n <= b->gradient_room) return SCARCE_OK;
    scarce__free(b->g);
    scarce__free(b->h);
    b->gradient_room = 0;
    b->g = scarce__big_alloc(n, sizeof *b->g);
    b->h = scarce__big_alloc(n, sizeof *b->h);
    if (!b->g || !b->h) return scarce__fail_memory(b->err, "gradients", 8 * n);
    b->gradient_room = n;
    return SCARCE_OK;
}

static scarce_status grower_room(booster *b, size_t n)
{
    static const size_t slack = 16;
    if (b->grower && n <= b->gradient_room) return SCARCE_OK;
    const size_t room = on_all_rows(b) ? n : n + n / slack + 64;
    scarce__grower_free(b->grower);
    b->grower = NULL;
    SCARCE__TRY(gradient_room(b, room));
    return scarce__grower_new(&b->grower, b->bins, room, &b->grow, b->err);
}

/* Adds one tree to the scores of a bag by walking its rows: only when a run is taken up
 * inside a bag's life. */
static void walk_bag(part *bag, const scarce__binned_tree *t)
{
    for (size_t r = 0; r < bag->n; ++r) {
        size_t i = 0;
        while (t->nodes[i].feature >= 0) {
            const scarce__bin_test *test = &t->tests[i];
            const size_t slab = test->column / SCARCE__SLAB;
            const uint8_t code = scarce__slab(
                bag->codes,
                slab)[r * scarce__slab_width(bag->codes->n_columns, slab) + test->column % SCARCE__SLAB];
            i = (size_t)(scarce__goes_left(test, code) ? t->nodes[i].left : t->nodes[i].right);
        }
        bag->score[r] += t->nodes[i].value;
    }
}

/* Leaves of losses that have a step of their own. */
static void set_leaves(const booster *b, scarce__binned_tree *tree)
{
    const double rate = b->grow.learning_rate;
    for (size_t i = 0; i < tree->n_nodes; ++i)
        if (tree->nodes[i].feature < 0)
            tree->nodes[i].value =
                (float)(rate * b->loss.leaf(&b->loss, (double)tree->nodes[i].value / rate));
}

/* One tree: taken from the forest to go on with, or grown. */
static scarce_status next_tree(booster *b, scarce__forest *forest, size_t t)
{
    part *bag = on_all_rows(b) ? &b->all : &b->bag;
    scarce__binned_tree *tree = scarce__calloc(1, sizeof *tree);
    scarce_status status = SCARCE_OK;
    const int taken = b->o->resume && t < b->o->resume->n_trees;

    if (!tree) return scarce__fail_memory(b->err, "a tree", 0);
    b->trees[b->n_trees] = tree; /* freed with the booster */
    if (taken) {
        status = scarce__binned_tree_from(tree, b->bins, b->o->resume, t, b->err);
        if (status == SCARCE_OK)
            status =
                scarce__forest_add(forest, tree->nodes, tree->n_nodes, tree->sets, tree->n_set_words, b->err);
        b->n_trees += 1;
        if (status == SCARCE_OK && !on_all_rows(b)) walk_bag(bag, tree);
        return status;
    }
    if (on_all_rows(b)) status = catch_up(b, bag); /* after taken trees */
    if (status == SCARCE_OK) status = grower_room(b, bag->n);
    const scarce__loss_rows rows = rows_of(bag);
    if (status == SCARCE_OK) status = b->loss.gradients(&b->loss, &rows, b->g, b->h, b->ctx, b->err);
    if (status == SCARCE_OK)
        status = scarce__grower_tree(b->grower, tree, bag->codes, b->g, b->h, bag->label, t, b->ctx, b->err);
    if (status == SCARCE_OK && b->loss.leaf) set_leaves(b, tree);
    if (status == SCARCE_OK)
        status =
            scarce__forest_add(forest, tree->nodes, tree->n_nodes, tree->sets, tree->n_set_words, b->err);
    b->n_trees += 1;
    if (status != SCARCE_OK) return status;
    scarce__grower_add(b->grower, tree, bag->score, b->ctx);
    if (on_all_rows(b)) bag->done = b->n_trees;
    return SCARCE_OK;
}

/* ---- Validation */

enum {
    MOST_OUTSIDE = 1 << 16
}; /* negatives outside the bag that are looked at: enough for a mean, and cheap */

typedef struct outside {
    uint8_t *inside, *label; /* inside: 1 for rows of the bag */
    uint32_t *row;
    float *score, *weight;
    size_t n;
} outside;

/* Mean loss of these rows as their scores are now. */
static double loss_outside(const booster *b, outside *s)
{
    const part *all = &b->all;
    const scarce__loss_rows rows = {s->n, s->score, s->label, NULL, all->weight ? s->weight : NULL, s->row};
    for (size_t i = 0; i < s->n; ++i) {
        s->score[i] = all->score[s->row[i]];
        s->label[i] = all->label[s->row[i]];
        if (all->weight) s->weight[i] = all->weight[s->row[i]];
    }
    return b->loss.value(&b->loss, &rows);
}

/* What the newest tree gained on rows outside its bag is added to b->out_of_bag_gain. */
static scarce_status gain_outside(booster *b)
{
    const size_t n = b->all.n, step = n / MOST_OUTSIDE + 1;
    outside s = {scarce__calloc(n, 1),
                 scarce__malloc(n),
                 scarce__malloc_array(n, sizeof(uint32_t)),
                 scarce__malloc_array(n, sizeof(float)),
                 scarce__malloc_array(n, sizeof(float)),
                 0};
    scarce_status status = SCARCE_OK;

    if (!s.inside || !s.label || !s.row || !s.score || !s.weight)
        status = scarce__fail_memory(b->err, "rows outside a bag", 14 * n);
    for (size_t k = 0; status == SCARCE_OK && k < b->bag.n; ++k) s.inside[b->bag.row[k]] = 1;
    for (size_t i = 0; status == SCARCE_OK && i < n; ++i)
        if (!s.inside[i] && (b->all.label[i] || i % step == 0)) s.row[s.n++] = (uint32_t)i;
    if (status == SCARCE_OK && s.n > 0) {
        const double before = loss_outside(b, &s);
        status = catch_up(b, &b->all);
        if (status == SCARCE_OK) b->out_of_bag_gain += before - loss_outside(b, &s);
    }
    scarce__free(s.inside);
    scarce__free(s.label);
    scarce__free(s.row);
    scarce__free(s.score);
    scarce__free(s.weight);
    return status;
}

/* Returns 1 when it is time to stop. */
static int judge(booster *b, size_t t, scarce__boost_result *result, char *note, size_t note_size)
{
    const scarce__boost_options *o = b->o;
    const double m = o->out_of_bag ? b->out_of_bag_gain : o->metric(o->metric_payload, b->valid.score);
    const double sign = o->metric_smaller_is_better ? -1 : 1;

    if (o->history) o->history[t] = m;
    if (m == m)
        (void)snprintf(note, note_size, "valid %s %.4f", o->metric_name ? o->metric_name : "metric", m);
    if (m == m && (b->best != b->best || sign * (m - b->best) > o->stop_least)) {
        b->best = m;
        b->best_trees = t + 1;
    }
    result->best_metric = b->best;
    return o->stop_after > 0 && b->best == b->best && t + 1 >= b->best_trees + (size_t)o->stop_after;
}

static scarce_status loop(booster *b, scarce__forest *forest, scarce__boost_result *result)
{
    const scarce__boost_options *o = b->o;
    const int every = o->eval_every > 0 ? o->eval_every : 1;
    const int fixed =
        on_all_rows(b) && b->grow.colsample_tree >= 1 && b->grow.colsample_node >= 1 && !b->grow.rules.random;
    char note[64];

    for (size_t t = 0; t < (size_t)o->n_trees; ++t) {
        note[0] = '\0';
        SCARCE__TRY(prepare_bag(b, t));
        SCARCE__TRY(next_tree(b, forest, t));
        const scarce__binned_tree *tree = b->trees[b->n_trees - 1];
        const int single = tree->n_nodes == 1;
        const float moved = single ? tree->nodes[0].value : 1;
        result->n_never_split += (size_t)single;
        result->n_grown = t + 1;
        if (o->history) o->history[t] = NAN;
        if (o->out_of_bag) {
            SCARCE__TRY(gain_outside(b));
            if (judge(b, t, result, note, sizeof note)) {
                result->stopped_early = 1;
                break;
            }
        }
        if (b->valid.n > 0 && o->metric && ((t + 1) % (size_t)every == 0 || t + 1 == (size_t)o->n_trees)) {
            SCARCE__TRY(catch_up(b, &b->valid));
            if (judge(b, t, result, note, sizeof note)) {
                result->stopped_early = 1;
                break;
            }
        }
        drop_trees(b);
        if (single && fixed && fabsf(moved) < 1e-7f) { /* every further tree would be the same */
            result->exhausted = 1;
            break;
        }
        if (o->keep && o->keep_every > 0 && (t + 1) % (size_t)o->keep_every == 0)
            SCARCE__TRY(o->keep(o->keep_payload, forest, b->err));
        const scarce_progress progress = {"train", (double)(t + 1), (double)o->n_trees, "trees", note};
        if (scarce__progress(b->ctx, &progress)) {
            result->cancelled = 1;
            break;
        }
    }
    return SCARCE_OK;
}

/* ---- Set-up */

static scarce_status check(const scarce__boost_options *o, scarce_error *err)
{
    const scarce__split_rules *r = &o->grow.rules;
    if (o->out_of_bag && !o->loss.value)
        return scarce__fail(
            err, SCARCE_EINVAL,
            "early stopping by rows outside the bags needs the value of the loss, %.60s has none",
            o->loss.name);
    if (o->n_trees < 1)
        return scarce__fail(err, SCARCE_EINVAL, "trees is %d, at least 1 is needed", o->n_trees);
    if (!(o->grow.learning_rate > 0) || !isfinite(o->grow.learning_rate))
        return scarce__fail(err, SCARCE_EINVAL, "learning_rate is %g, it must be above 0",
                            o->grow.learning_rate);
    if (!(r->lambda >= 0) || !(r->alpha >= 0) || !(r->max_delta_step >= 0) || !(r->min_child_weight >= 0) ||
        r->gamma != r->gamma)
        return scarce__fail(err, SCARCE_EINVAL,
                            "lambda %g, alpha %g, max_delta_step %g and min_child_weight %g "
                            "must be 0 or more",
                            r->lambda, r->alpha, r->max_delta_step, r->min_child_weight);
    if (!(o->grow.colsample_tree > 0 && o->grow.colsample_tree <= 1) ||
        !(o->grow.colsample_node > 0 && o->grow.colsample_node <= 1))
        return scarce__fail(err, SCARCE_EINVAL, "colsample is %g per tree and %g per node, allowed is (0, 1]",
                            o->grow.colsample_tree, o->grow.colsample_node);
    if (!(o->pos_weight > 0) || !isfinite(o->pos_weight))
        return scarce__fail(err, SCARCE_EINVAL, "pos_weight is %g, it must be above 0", o->pos_weight);
    if (o->base_given && !isfinite(o->base))
        return scarce__fail(err, SCARCE_EINVAL, "the base score isn't finite");
    return SCARCE_OK;
}

static scarce_status check_labels(booster *b)
{
    const part *p = &b->all;
    double positive = 0, negative = 0;
    size_t n_positives = 0;

    if (p->label)
        for (size_t i = 0; i < p->n; ++i) n_positives += p->label[i];
    if (b->loss.needs_label) {
        if (!p->label)
            return scarce__fail(b->err, SCARCE_EDATA, "the loss %s needs labels, the table has none",
                                b->loss.name);
        const scarce__loss_rows rows = rows_of(p);
        scarce__loss_class_weights(&rows, &positive, &negative);
        if (n_positives == 0 || n_positives == p->n)
            return scarce__fail(b->err, SCARCE_EDATA, "all %zu training rows are %s; both classes are needed",
                                p->n, n_positives ? "positive" : "negative");
        if (!(positive > 0) || !(negative > 0))
            return scarce__fail(b->err, SCARCE_EDATA, "the %s of the training rows weigh nothing",
                                positive > 0 ? "negatives" : "positives");
    } else if (!p->label && !p->target)
        return scarce__fail(b->err, SCARCE_EDATA, "the table has neither labels nor targets to learn");
    return scarce__sampling_check(&b->sampling, n_positives, p->n - n_positives, &b->loss, b->err);
}

static scarce_status set_up(booster *b, scarce__forest *out, const scarce__boost_data *train,
                            const scarce__boost_data *valid, scarce__boost_result *result)
{
    const scarce__boost_options *o = b->o;
    const double t0 = now();
    double base;

    SCARCE__TRY(part_fill(b, &b->all, train, 1));
    if (b->all.n == 0) return scarce__fail(b->err, SCARCE_EDATA, "there are no training rows");
    SCARCE__TRY(check_labels(b));
    if (train->binned) {
        if (train->binned->codes.n_rows != b->all.n)
            return scarce__fail(b->err, SCARCE_EINVAL, "the bins are of %zu rows, the training data has %zu",
                                train->binned->codes.n_rows, b->all.n);
        b->bins = &train->binned->bins;
        b->all.codes = &train->binned->codes;
    } else {
        const double *weight = train->weight ? train->weight : train->table->weight;
        SCARCE__TRY(scarce__binned_new(&b->binned, train->table, train->rows, train->n_rows, weight, &o->bins,
                                       b->ctx, b->err));
        b->bins = &b->binned->bins;
        b->all.codes = &b->binned->codes;
    }
    const scarce__loss_rows rows = rows_of(&b->all);
    base = o->resume ? o->resume->base : o->base_given ? o->base : b->loss.base(&b->loss, &rows);
    if (!isfinite(base)) return scarce__fail(b->err, SCARCE_ENUMERIC, "the base score isn't finite");
    for (size_t i = 0; i < b->all.n; ++i) b->all.score[i] = (float)base;
    if (valid) {
        SCARCE__TRY(part_fill(b, &b->valid, valid, 0));
        SCARCE__TRY(scarce__codes_build(&b->valid.own, b->bins, valid->table, valid->rows, valid->n_rows, 0,
                                        b->ctx, b->err));
        b->valid.codes = &b->valid.own;
        for (size_t i = 0; i < b->valid.n; ++i) b->valid.score[i] = (float)base;
    }
    b->trees = scarce__calloc((size_t)o->n_trees, sizeof *b->trees);
    if (!b->trees) return scarce__fail_memory(b->err, "the trees", 0);
    out->n_features = b->bins->n_features;
    out->base = base;
    result->base = base;
    result->seconds_bin = now() - t0;
    return SCARCE_OK;
}

static scarce_status finish(booster *b, scarce__forest *out, scarce__boost_result *result)
{
    if (b->o->valid_score && b->valid.n > 0) {
        SCARCE__TRY(catch_up(b, &b->valid));
        memcpy(b->o->valid_score, b->valid.score, b->valid.n * sizeof *b->valid.score);
    }
    if (b->o->train_score) {
        SCARCE__TRY(catch_up(b, &b->all));
        memcpy(b->o->train_score, b->all.score, b->all.n * sizeof *b->all.score);
    }
    if (b->o->stop_after > 0 && b->best == b->best && !result->cancelled)
        scarce__forest_truncate(out, b->best_trees);
    result->n_trees = out->n_trees;
    return SCARCE_OK;
}

scarce_status scarce__boost_train(scarce__forest *out, const scarce__boost_data *train,
                                  const scarce__boost_data *valid, const scarce__boost_options *o,
                                  scarce__boost_result *result, scarce_context *ctx, scarce_error *err)
{
    booster b;
    scarce_status status;
    double t0;

    memset(out, 0, sizeof *out);
    memset(result, 0, sizeof *result);
    result->best_metric = NAN;
    SCARCE__TRY(check(o, err));
    memset(&b, 0, sizeof b);
    b.o = o;
    b.sampling = o->sampling;
    b.loss = o->loss;
    b.loss.portable |= o->portable;
    b.grow = o->grow;
    b.grow.seed = o->seed;
    b.grow.portable |= o->portable;
    b.ctx = ctx;
    b.err = err;
    b.best = NAN;
    status = set_up(&b, out, train, valid, result);
    t0 = now();
    if (status == SCARCE_OK && b.bins->n_used > 0) status = loop(&b, out, result);
    else if (status == SCARCE_OK) result->exhausted = 1;
    if (status == SCARCE_OK) status = finish(&b, out, result);
    result->seconds_boost = now() - t0;
    scarce__grower_free(b.grower);
    for (size_t i = 0; b.trees && i < (size_t)o->n_trees; ++i) {
        if (!b.trees[i]) continue;
        scarce__binned_tree_deinit(b.trees[i]);
        scarce__free(b.trees[i]);
    }
    scarce__free(b.trees);
    scarce__free(b.g);
    scarce__free(b.h);
    part_deinit(&b.all);
    part_deinit(&b.pool);
    part_deinit(&b.bag);
    part_deinit(&b.valid);
    scarce__bag_deinit(&b.drawn[0]);
    scarce__bag_deinit(&b.drawn[1]);
    scarce__binned_free(b.binned);
    if (status != SCARCE_OK) scarce__forest_deinit(out);
    return status;
}

size_t scarce__boost_memory(size_t n_rows, size_t n_features, size_t n_valid_rows,
                            const scarce__boost_options *o, int threads)
{
    const size_t find = n_rows * 24 * (size_t)(threads > 0 ? threads : 1);
    const size_t hist = n_features * 264 * (o->grow.histogram_double ? 16u : 8u);
    const size_t pool = o->grow.pool_bytes ? o->grow.pool_bytes : (size_t)512 << 20;
    const size_t leaves = (size_t)(o->grow.max_leaves > 0 ? o->grow.max_leaves : 256) + 9;
    const size_t hists = hist * leaves < pool ? hist * leaves : pool + 12 * hist;
    size_t train = scarce__codes_bytes(n_rows, n_features, 1) + n_rows * (4 + 1 + 4 + 8 + 8 + 8) + hists;
    if (o->sampling.kind != SCARCE__ROWS_ALL) train += n_rows * (n_features + 12) / 2;
    if (o->grow.histogram_double) train += 16 * n_rows;
    train += scarce__codes_bytes(n_valid_rows, n_features, 0) + 9 * n_valid_rows;
    return train > find ? train : find;
}
