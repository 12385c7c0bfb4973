/* SPDX-License-Identifier: Apache-2.0 */
/* The boosting loop.
 *
 *     f = f_0;  for t = 1..T:  bag of rows -> g, h at f on the bag -> tree -> f += value of each row's leaf
 *
 * Rows with their scores are rows.h, when to stop is stop.h, which rows a tree sees is sampling.h. Here they
 * are set up and taken in turn.
 *
 * What always holds:
 *  1. On all rows the bag is `all` itself. With a bag, its rows are copied together and the trees are grown
 *     there; the rows it was drawn from (all, or with importance sampling later a pool of a fifth of them)
 *     are brought up to date when the next bag is drawn.
 *  2. Going on after t trees (`resume`) is the same loop with the first t trees taken instead of grown: bags
 *     are drawn, validation rows judged and scores added as they were, so the rest comes out the same.
 *  3. The loss settles every tree, taken or grown, before any score has it; then it is kept or dropped. A loss
 *     with something beside the trees (loss.h) makes the scores itself, and sees all rows in every round.
 *  4. Rows that lie elsewhere (far.h) are never here: `all` is empty, and the pool is what they answer.
 *  5. After a failure, or when a callback stops it, nothing is half done: a tree is in the forest and in
 *     `grown`, or in neither. */
#include "boost/boost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "boost/far.h"
#include "boost/stop.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "data/table.h"

typedef struct booster {
    const scarce__boost_options *o;
    scarce__sampling sampling;
    scarce__loss loss;
    scarce__grow_options grow;
    scarce_context *ctx;
    scarce_error *err;
    const scarce__boost_data *train;
    double base;
    scarce__binned *binned; /* owned, or NULL */
    const scarce__bins *bins;
    scarce__part all, pool, bag, valid;
    scarce__bag drawn[2]; /* of the rows of a bag, and of the pool */
    int has_pool;
    float *g, *h;
    size_t gradient_room;
    scarce__grower *grower;
    scarce__grown grown;
    scarce__stop stop;
    double out_of_bag_gain; /* so far */
} booster;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static scarce_status catch_up(booster *b, scarce__part *p)
{
    if (b->loss.beside) { /* `settle` takes the training rows along */
        if (p == &b->valid && p->done < b->grown.n) b->loss.beside->scores(&b->loss, p->score, b->ctx);
        p->done = b->grown.n;
        return SCARCE_OK;
    }
    return scarce__part_catch_up(p, &b->grown, b->o->portable, b->ctx, b->err);
}

/* Trees that every part has in its scores needn't be kept. */
static void drop_trees(booster *b)
{
    size_t least = b->grown.n;
    if (b->sampling.is->makes_rows) return; /* all of them, to score the rows of the next bag */
    if (!b->train->far && b->all.done < least) least = b->all.done;
    if (b->has_pool && b->pool.done < least) least = b->pool.done;
    if (b->valid.n > 0 && b->valid.done < least) least = b->valid.done;
    scarce__grown_drop(&b->grown, least);
}

/* ---- One round */

static void free_tree(scarce__binned_tree *tree)
{
    scarce__binned_tree_deinit(tree);
    scarce__free(tree);
}

static scarce__population population_of(const booster *b, const scarce__part *p)
{
    const scarce__population from = {.n = p->n,
                                     .id = p->row,
                                     .label = p->label,
                                     .score = p->score,
                                     .target = p->target,
                                     .case_weight = p->weight,
                                     .bag_weight = p->bag_weight,
                                     .n_all = b->all.n,
                                     .loss = &b->loss,
                                     .table = b->train->table,
                                     .table_row = b->train->rows};
    return from;
}

/* Rows that the sampler made up join the bag. */
static scarce_status join_made(booster *b, scarce__part *to, const scarce__bag *bag)
{
    const scarce__made made = {.table = bag->made,
                               .weight = bag->weight ? bag->weight + bag->n : NULL,
                               .pos_weight = b->o->pos_weight,
                               .neg_weight = b->o->neg_weight,
                               .base = b->base,
                               .bins = b->bins};
    return scarce__part_join(to, &made, &b->grown, b->o->portable, b->ctx, b->err);
}

static scarce_status draw(booster *b, scarce__part *to, const scarce__part *from, size_t tree, int pool)
{
    const scarce__population population = population_of(b, from);
    scarce__draw at = {b->o->seed, tree, pool};
    scarce__bag *bag = &b->drawn[pool];
    scarce_status status;

    status = scarce__sampling_draw(&b->sampling, bag, &population, &at, b->ctx, b->err);
    /* a coin for each of ten rows comes up empty in one tree of a thousand: drawn again, from a stream of its own */
    for (size_t again = 1; status == SCARCE_OK && bag->n == 0 && again < 16; ++again) {
        at.tree = tree + (again << 32);
        status = scarce__sampling_draw(&b->sampling, bag, &population, &at, b->ctx, b->err);
    }
    if (status == SCARCE_OK && bag->n == 0)
        status = scarce__fail(b->err, SCARCE_EDATA,
                              "the bag of tree %zu is empty; take a larger share of the rows", tree + 1);
    if (status == SCARCE_OK) status = scarce__part_gather(to, from, bag, pool, b->ctx, b->err);
    if (status == SCARCE_OK && bag->made) status = join_made(b, to, bag);
    if (pool) scarce__bag_deinit(&b->drawn[0]); /* from now on bags are drawn from fewer rows */
    if (pool) scarce__bag_deinit(&b->drawn[1]);
    return status;
}

/* The pool of this tree: drawn here, or by the rows where they are. */
static scarce_status renew_pool(booster *b, const scarce__forest *forest, size_t tree)
{
    const scarce__far *far = b->train->far;
    const scarce__draw at = {b->o->seed, tree, 1};

    if (!far) {
        SCARCE__TRY(catch_up(b, &b->all));
        return draw(b, &b->pool, &b->all, tree, 1);
    }
    const scarce__far_draw ask = {.trees = forest,
                                  .loss = &b->loss,
                                  .base = b->base,
                                  .key = scarce__draw_key(&at),
                                  .wanted = scarce__pool_size(&b->sampling.o, (double)far->n_positives,
                                                              (double)(far->n_rows - far->n_positives)),
                                  .floor = b->sampling.o.floor};
    scarce__part_deinit(&b->pool);
    scarce__bag_deinit(&b->drawn[0]);
    SCARCE__TRY(far->pool(far->payload, &b->pool, &ask, b->ctx, b->err));
    b->pool.done = b->grown.n;
    return SCARCE_OK;
}

/* The bag of this tree, where it needs a new one. */
static scarce_status prepare_bag(booster *b, const scarce__forest *forest, size_t tree)
{
    if (!scarce__sampling_due(&b->sampling, tree)) return SCARCE_OK;
    if (scarce__sampling_pool_due(&b->sampling, tree)) {
        SCARCE__TRY(renew_pool(b, forest, tree));
        b->has_pool = 1;
    }
    scarce__part *from = b->has_pool ? &b->pool : &b->all;
    SCARCE__TRY(catch_up(b, from));
    SCARCE__TRY(draw(b, &b->bag, from, tree, 0));
    return SCARCE_OK;
}

static int on_all_rows(const booster *b)
{
    return scarce__sampling_all(&b->sampling);
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

/* Grows a tree on the bag. */
static scarce_status grow_tree(booster *b, scarce__part *bag, scarce__binned_tree *tree, size_t t)
{
    if (on_all_rows(b)) SCARCE__TRY(catch_up(b, bag)); /* after taken trees */
    SCARCE__TRY(grower_room(b, bag->n));
    const scarce__loss_rows rows = scarce__part_rows(bag);
    SCARCE__TRY(b->loss.gradients(&b->loss, &rows, b->g, b->h, b->ctx, b->err));
    return scarce__grower_tree(b->grower, tree, bag->codes, b->g, b->h, bag->label, t, b->ctx, b->err);
}

/* What a taken tree was grown on. */
static scarce_status take_gradients(booster *b, const scarce__loss_rows *rows)
{
    SCARCE__TRY(gradient_room(b, rows->n));
    return b->loss.gradients(&b->loss, rows, b->g, b->h, b->ctx, b->err);
}

/* Shows a tree to the loss. */
static scarce_status settle(booster *b, scarce__part *bag, scarce__round *round)
{
    scarce__part *part = b->loss.leaves == SCARCE__LEAVES_OF_ALL ? &b->all : bag;
    uint32_t *leaf = NULL;
    scarce_status status = SCARCE_OK;

    round->rate = b->grow.learning_rate;
    if (b->loss.leaves != SCARCE__LEAVES_NONE) {
        if (part == &b->all) SCARCE__TRY(catch_up(b, part));
        leaf = scarce__malloc_array(part->n, sizeof *leaf);
        if (!leaf) return scarce__fail_memory(b->err, "the leaves of rows", part->n * sizeof *leaf);
        round->rows = scarce__part_rows(part);
        round->leaf = leaf;
        if (b->loss.beside) {
            round->score = part->score;
            if (round->taken) status = take_gradients(b, &round->rows);
            round->gradient = b->g;
        }
        if (part == bag && !round->taken) scarce__grower_leaves(b->grower, leaf);
        else if (status == SCARCE_OK)
            status = scarce__part_leaves(part, round->tree, leaf, b->o->portable, b->ctx, b->err);
    }
    if (status == SCARCE_OK) status = b->loss.settle(&b->loss, round, b->ctx, b->err);
    scarce__free(leaf);
    return status;
}

/* Shows the leaves of the validation rows to a loss that scores them itself. */
static scarce_status follow(booster *b, const scarce__binned_tree *tree)
{
    const scarce__part *v = &b->valid;
    uint32_t *leaf;
    scarce_status status;

    if (!b->loss.beside || v->n == 0) return SCARCE_OK;
    leaf = scarce__malloc_array(v->n, sizeof *leaf);
    if (!leaf) return scarce__fail_memory(b->err, "the leaves of rows", v->n * sizeof *leaf);
    status = scarce__part_leaves(v, tree, leaf, b->o->portable, b->ctx, b->err);
    if (status == SCARCE_OK) status = b->loss.beside->follow(&b->loss, tree, leaf, v->n, b->err);
    scarce__free(leaf);
    return status;
}

/* A tree is in the forest, in `grown` and in the scores of the bag: all or nothing. */
static scarce_status keep_tree(booster *b, scarce__part *bag, scarce__forest *forest,
                               scarce__binned_tree *tree, int taken)
{
    const size_t trees = forest->n_trees;
    scarce_status status =
        scarce__forest_add(forest, tree->nodes, tree->n_nodes, tree->sets, tree->n_set_words, b->err);

    if (status != SCARCE_OK) {
        free_tree(tree);
        return status;
    }
    status = scarce__grown_add(&b->grown, tree, b->err);
    if (status != SCARCE_OK) {
        scarce__forest_truncate(forest, trees);
        return status;
    }
    if (b->loss.beside) bag->done = b->grown.n;
    else if (!taken) scarce__grower_add(b->grower, tree, bag->score, b->ctx);
    else if (!on_all_rows(b)) scarce__part_walk(bag, tree);
    if (!taken && on_all_rows(b)) bag->done = b->grown.n;
    return SCARCE_OK;
}

/* Would the next tree be grown on the same rows and features? */
static int is_fixed(const booster *b)
{
    return on_all_rows(b) && b->grow.colsample_tree >= 1 && b->grow.colsample_node >= 1 &&
           !b->grow.rules.random;
}

/* One tree: taken from the forest to go on with, or grown. */
static scarce_status next_tree(booster *b, scarce__forest *forest, size_t t, scarce__verdict *verdict)
{
    scarce__part *bag = on_all_rows(b) ? &b->all : &b->bag;
    scarce__binned_tree *tree = scarce__calloc(1, sizeof *tree);
    scarce__round round = {.index = t, .tree = tree, .by_chance = !is_fixed(b), .verdict = SCARCE__GO_ON};
    scarce_status status;

    *verdict = SCARCE__GO_ON;
    if (!tree) return scarce__fail_memory(b->err, "a tree", 0);
    round.taken = b->o->resume && t < b->o->resume->n_trees;
    if (round.taken) status = scarce__binned_tree_from(tree, b->bins, b->o->resume, t, b->err);
    else status = grow_tree(b, bag, tree, t);
    if (status == SCARCE_OK && b->loss.settle) status = settle(b, bag, &round);
    if (status == SCARCE_OK) status = follow(b, tree);
    *verdict = round.verdict;
    if (status != SCARCE_OK || round.verdict == SCARCE__DROP_TREE) {
        free_tree(tree);
        return status;
    }
    return keep_tree(b, bag, forest, tree, round.taken);
}

/* ---- The loop */

/* The number of this tree, where one is asked for; *stop: it is time. */
static scarce_status judge(booster *b, size_t t, scarce__boost_result *result, char *note, size_t note_size,
                           double *value, int *stop)
{
    const scarce__boost_options *o = b->o;
    const size_t every = o->eval_every > 0 ? (size_t)o->eval_every : 1;
    double m;

    *stop = 0;
    *value = (double)NAN;
    if (o->history) o->history[t] = (double)NAN;
    if (o->out_of_bag) {
        SCARCE__TRY(scarce__stop_gain_outside(&b->out_of_bag_gain, &b->all, &b->bag, &b->grown, &b->loss,
                                              b->ctx, b->err));
        m = b->out_of_bag_gain;
    } else if (b->valid.n > 0 && o->metric && ((t + 1) % every == 0 || t + 1 == (size_t)o->n_trees)) {
        SCARCE__TRY(catch_up(b, &b->valid));
        SCARCE__TRY(o->metric(o->metric_payload, b->valid.score, &m, b->err));
    } else return SCARCE_OK;
    if (o->history) o->history[t] = m;
    *value = m;
    if (m == m)
        (void)snprintf(note, note_size, "valid %s %.4f", o->metric_name ? o->metric_name : "metric", m);
    *stop = scarce__stop_judge(&b->stop, m, t + 1);
    result->best_metric = b->stop.best;
    if (b->loss.beside && b->stop.best_trees == t + 1) SCARCE__TRY(b->loss.beside->best(&b->loss, b->err));
    return SCARCE_OK;
}

static scarce_status loop(booster *b, scarce__forest *forest, scarce__boost_result *result)
{
    const scarce__boost_options *o = b->o;
    const int fixed = is_fixed(b);
    const char *metric = o->metric_name ? o->metric_name : "metric";
    scarce__verdict verdict;
    double value;
    char note[64];
    int stop;

    for (size_t t = 0; t < (size_t)o->n_trees; ++t) {
        note[0] = '\0';
        SCARCE__TRY(prepare_bag(b, forest, t));
        SCARCE__TRY(next_tree(b, forest, t, &verdict));
        if (verdict == SCARCE__DROP_TREE) {
            result->exhausted = 1;
            break;
        }
        const scarce__binned_tree *tree = b->grown.tree[b->grown.n - 1];
        const int single = tree->n_nodes == 1;
        const float moved = single ? tree->nodes[0].value : 1;
        result->n_never_split += (size_t)single;
        result->n_grown = t + 1;
        SCARCE__TRY(judge(b, t, result, note, sizeof note, &value, &stop));
        if (stop) {
            result->stopped_early = 1;
            break;
        }
        drop_trees(b);
        /* the loss says so, or every further tree would be the same */
        if (verdict == SCARCE__LAST_TREE || (single && fixed && fabsf(moved) < 1e-7f)) {
            result->exhausted = 1;
            break;
        }
        if (o->keep && o->keep_every > 0 && (t + 1) % (size_t)o->keep_every == 0)
            SCARCE__TRY(o->keep(o->keep_payload, forest, b->err));
        const scarce_progress progress = {
            "train", (double)(t + 1), (double)o->n_trees, "trees", note, value == value ? metric : NULL,
            value};
        if (scarce__progress(b->ctx, &progress)) {
            result->cancelled = 1;
            break;
        }
    }
    return SCARCE_OK;
}

/* ---- Set-up */

static scarce_status check_labels(booster *b)
{
    const scarce__part *p = &b->all;
    double positive = 0, negative = 0;
    size_t n_positives = 0;

    if (p->label)
        for (size_t i = 0; i < p->n; ++i) n_positives += p->label[i];
    if (b->loss.needs_label) {
        if (!p->label)
            return scarce__fail(b->err, SCARCE_EDATA, "the loss %s needs labels, the table has none",
                                b->loss.name);
        const scarce__loss_rows rows = scarce__part_rows(p);
        scarce__loss_class_weights(&rows, &positive, &negative);
        if (n_positives == 0 || n_positives == p->n)
            return scarce__fail(b->err, SCARCE_EDATA, "all %zu training rows are %s; both classes are needed",
                                p->n, n_positives ? "positive" : "negative");
        if (!(positive > 0) || !(negative > 0))
            return scarce__fail(b->err, SCARCE_EDATA,
                                "the %s of the training rows weigh nothing (weights below 1e-38 count as 0)",
                                positive > 0 ? "negatives" : "positives");
    } else if (!p->label && !p->target)
        return scarce__fail(b->err, SCARCE_EDATA, "the table has neither labels nor targets to learn");
    return scarce__sampling_choose(&b->sampling, &b->o->sampling, n_positives, p->n - n_positives, &b->loss,
                                   b->err);
}

/* Rows that are elsewhere: what is known of them without looking. */
static scarce_status set_up_far(booster *b)
{
    const scarce__far *far = b->train->far;

    if (!scarce__far_serves(&b->loss))
        return scarce__fail(b->err, SCARCE_EUNSUPPORTED, "the loss %s needs all training rows in memory",
                            b->loss.name);
    if (far->n_positives == 0 || far->n_positives == far->n_rows)
        return scarce__fail(b->err, SCARCE_EDATA, "all %zu training rows are %s; both classes are needed",
                            far->n_rows, far->n_positives ? "positive" : "negative");
    if (!(far->class_weight[0] > 0) || !(far->class_weight[1] > 0))
        return scarce__fail(b->err, SCARCE_EDATA, "the %s of the training rows weigh nothing",
                            far->class_weight[0] > 0 ? "positives" : "negatives");
    SCARCE__TRY(scarce__sampling_choose(&b->sampling, &b->o->sampling, far->n_positives,
                                        far->n_rows - far->n_positives, &b->loss, b->err));
    if (b->sampling.is->pool_due && b->sampling.o.pool > 0) return SCARCE_OK;
    return scarce__fail(b->err, SCARCE_EDATA,
                        "of rows that are not in memory only a sample is learnt from, and these (%zu, %zu "
                        "positive) would not be "
                        "sampled, which takes 50,000 rows, 200 positives, and positives that are rare: train "
                        "in memory, or, where "
                        "they are rare, --set sample=importance",
                        far->n_rows, far->n_positives);
}

/* All training rows, as codes with scores. */
static scarce_status set_up_here(booster *b, const scarce__boost_data *train)
{
    const scarce__boost_options *o = b->o;
    const scarce__weighing weighing = {o->pos_weight, o->neg_weight, b->loss.takes_costs};

    SCARCE__TRY(scarce__part_fill(&b->all, train, &weighing, b->err));
    if (b->all.n == 0) return scarce__fail(b->err, SCARCE_EDATA, "there are no training rows");
    SCARCE__TRY(check_labels(b));
    if (train->binned) {
        if (train->binned->codes.n_rows != b->all.n)
            return scarce__fail(b->err, SCARCE_EINVAL, "the bins are of %zu rows, the training data has %zu",
                                train->binned->codes.n_rows, b->all.n);
        b->bins = &train->binned->bins;
        b->all.codes = &train->binned->codes;
        return SCARCE_OK;
    }
    const double *weight = train->weight ? train->weight : train->table->weight;
    SCARCE__TRY(scarce__binned_new(&b->binned, train->table, train->rows, train->n_rows, weight, &o->bins,
                                   b->ctx, b->err));
    b->bins = &b->binned->bins;
    b->all.codes = &b->binned->codes;
    return SCARCE_OK;
}

static scarce_status set_up(booster *b, scarce__forest *out, const scarce__boost_data *train,
                            const scarce__boost_data *valid, scarce__boost_result *result)
{
    const scarce__boost_options *o = b->o;
    const double t0 = now();
    double base;

    b->train = train;
    if (train->far) {
        SCARCE__TRY(set_up_far(b));
        b->bins = train->far->bins;
    } else SCARCE__TRY(set_up_here(b, train));
    scarce__loss_rows rows = scarce__part_rows(&b->all);
    if (train->far) rows.class_weight = train->far->class_weight;
    base = o->resume ? o->resume->base : o->base_given ? o->base : b->loss.base(&b->loss, &rows);
    if (!isfinite(base)) return scarce__fail(b->err, SCARCE_ENUMERIC, "the base score isn't finite");
    scarce__part_start(&b->all, base);
    if (valid) {
        SCARCE__TRY(scarce__part_fill(&b->valid, valid, NULL, b->err));
        SCARCE__TRY(scarce__codes_build(&b->valid.own, b->bins, valid->table, valid->rows, valid->n_rows, 0,
                                        b->ctx, b->err));
        b->valid.codes = &b->valid.own;
        scarce__part_start(&b->valid, base);
    }
    if (b->loss.begin) {
        const scarce__loss_rows started = scarce__part_rows(&b->all);
        b->loss.cost = b->all.cost;
        SCARCE__TRY(b->loss.begin(&b->loss, &started, b->err));
    }
    const scarce__population population = population_of(b, &b->all);
    SCARCE__TRY(scarce__sampling_start(&b->sampling, &population, b->ctx, b->err));
    out->n_features = b->bins->n_features;
    out->base = base;
    result->base = b->base = base;
    result->seconds_bin = now() - t0;
    return SCARCE_OK;
}

int scarce__far_serves(const scarce__loss *loss)
{
    return loss->interest && loss->needs_label && !loss->begin && !loss->settle && !loss->beside &&
           !loss->state;
}

static scarce_status finish(booster *b, scarce__forest *out, scarce__boost_result *result)
{
    if (b->o->valid_score && b->valid.n > 0) {
        SCARCE__TRY(catch_up(b, &b->valid));
        memcpy(b->o->valid_score, b->valid.score, b->valid.n * sizeof *b->valid.score);
    }
    if (b->o->train_score && !b->train->far) {
        SCARCE__TRY(catch_up(b, &b->all));
        memcpy(b->o->train_score, b->all.score, b->all.n * sizeof *b->all.score);
    }
    if (b->o->stop_after > 0 && b->stop.best == b->stop.best && !result->cancelled) {
        scarce__forest_truncate(out, b->stop.best_trees);
        if (b->loss.beside) SCARCE__TRY(b->loss.beside->back(&b->loss, b->err));
    }
    if (out->n_trees == 0 && b->loss.alone) {
        const scarce__loss_rows rows = scarce__part_rows(&b->all);
        out->base = result->base = b->loss.alone(&b->loss, &rows);
    }
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
    SCARCE__TRY(scarce__boost_check(o, err));
    memset(&b, 0, sizeof b);
    b.o = o;
    b.loss = o->loss;
    b.loss.portable |= o->portable;
    b.grow = o->grow;
    b.grow.seed = o->seed;
    b.grow.portable |= o->portable;
    b.ctx = ctx;
    b.err = err;
    b.stop.best = (double)NAN;
    b.stop.after = o->stop_after;
    b.stop.at_least = o->stop_at_least;
    b.stop.least = o->stop_least;
    b.stop.smaller_is_better = o->metric_smaller_is_better;
    status = set_up(&b, out, train, valid, result);
    t0 = now();
    if (status == SCARCE_OK && b.bins->n_used > 0) status = loop(&b, out, result);
    else if (status == SCARCE_OK) result->exhausted = 1;
    if (status == SCARCE_OK) status = finish(&b, out, result);
    result->seconds_boost = now() - t0;
    if (b.loss.end) b.loss.end(&b.loss);
    scarce__sampling_end(&b.sampling);
    scarce__grower_free(b.grower);
    scarce__grown_deinit(&b.grown);
    scarce__free(b.g);
    scarce__free(b.h);
    scarce__part_deinit(&b.all);
    scarce__part_deinit(&b.pool);
    scarce__part_deinit(&b.bag);
    scarce__part_deinit(&b.valid);
    scarce__bag_deinit(&b.drawn[0]);
    scarce__bag_deinit(&b.drawn[1]);
    scarce__binned_free(b.binned);
    if (status != SCARCE_OK) scarce__forest_deinit(out);
    return status;
}
