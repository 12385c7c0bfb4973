/* SPDX-License-Identifier: Apache-2.0 */
/* Random forests: every tree is grown to the end on a bootstrap of its own, each node looking at a few features drawn
 * at random; the score is the mean over trees of the share of positives in the leaf (Breiman: Random forests, Machine
 * Learning 45, 2001). balanced: the bootstrap has as many draws from each class (Chen, Liaw and Breiman: Using random
 * forest to learn imbalanced data, 2004).
 *
 * Trees are tasks of the pool, one thread each, in batches; between batches they join the forest in their order, the
 * validation rows are judged, a checkpoint is left, and the caller is asked whether to go on. A tree depends on its
 * number alone, so neither the batch nor the threads matter, and going on after a checkpoint is growing the rest. */
#include "ensemble/random_forest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "boost/rows.h"
#include "core/alloc.h"
#include "core/clock.h"
#include "core/fail.h"
#include "data/table.h"
#include "tree/stages.h"

/* Of one thread. */
typedef struct worker {
    scarce__deep *deep;
    scarce__drawn drawn;
} worker;

typedef struct grove {
    const scarce__random_forest_options *o;
    const scarce_table *table;
    scarce__binned *binned;
    scarce__classes classes;
    float *weight; /* per row, of one draw of it; NULL: 1 each */
    worker *workers;
    int n_workers;
    scarce_context *ctx;
    /* the batch */
    size_t first, n;
    scarce__binned_tree *trees;
    scarce_error *errors; /* of each tree */
    scarce_status *status;
    /* judging */
    float *score;
    double *sum;
    size_t judged;
    scarce__stop stop;
    int is_time;
    double value;
} grove;

static void grove_deinit(grove *g)
{
    for (int k = 0; g->workers && k < g->n_workers; ++k) {
        scarce__deep_free(g->workers[k].deep);
        scarce__drawn_deinit(&g->workers[k].drawn);
    }
    scarce__free(g->workers);
    scarce__free(g->trees);
    scarce__free(g->errors);
    scarce__free(g->status);
    scarce__free(g->score);
    scarce__free(g->sum);
    scarce__free(g->weight);
    scarce__classes_deinit(&g->classes);
    scarce__binned_free(g->binned);
}

/* ---- set-up */

static scarce_status take_weights(grove *g, scarce_error *err)
{
    const scarce_table *t = g->table;
    const scarce__counts counts = scarce__counts_of(t->weight, NULL, t->n_rows);
    double class_weight[2] = {0, 0};

    if (!t->weight && g->o->pos_weight == 1) return SCARCE_OK;
    g->weight = scarce__malloc_array(t->n_rows, sizeof *g->weight);
    if (!g->weight) return scarce__fail_memory(err, "weights", t->n_rows * sizeof *g->weight);
    for (size_t i = 0; i < t->n_rows; ++i) {
        const double all = t->weight ? t->weight[i] : 1, w = g->o->rows == SCARCE__MEMBER_ALL ? all
                                                             : all > 0 ? scarce__count_weight(&counts, i)
                                                                       : 0;
        g->weight[i] = (float)(t->label[i] ? w * g->o->pos_weight : w);
        class_weight[t->label[i] != 0] += (double)g->weight[i];
    }
    for (int c = 0; c < 2; ++c)
        if (!(class_weight[c] > 0))
            return scarce__fail(err, SCARCE_EDATA,
                                "the %s of the training rows weigh nothing (weights below 1e-38 count as 0)",
                                c ? "positives" : "negatives");
    return SCARCE_OK;
}

static size_t features_of(const scarce__random_forest_options *o, size_t n_used)
{
    const size_t n = o->features ? o->features : (size_t)sqrt((double)n_used);
    return n < 1 ? 1 : n > n_used ? n_used : n;
}

/* Trees that are grown between two looks at the clock. */
static size_t batch_of(const scarce_context *ctx)
{
    return 2 * (size_t)scarce_context_threads(ctx);
}

static scarce_status make_workers(grove *g, scarce_error *err)
{
    const size_t batch = batch_of(g->ctx);
    scarce__deep_options deep = g->o->tree;

    deep.features = features_of(g->o, g->binned->bins.n_used);
    deep.seed = g->o->seed;
    deep.pos_weight = g->o->pos_weight;
    g->n_workers = scarce_context_threads(g->ctx);
    g->workers = scarce__calloc((size_t)g->n_workers, sizeof *g->workers);
    g->trees = scarce__calloc(batch, sizeof *g->trees);
    g->errors = scarce__calloc(batch, sizeof *g->errors);
    g->status = scarce__calloc(batch, sizeof *g->status);
    if (!g->workers || !g->trees || !g->errors || !g->status) return scarce__fail_memory(err, "trees", 0);
    const size_t most = g->o->rows == SCARCE__MEMBER_ALL
                            ? g->table->n_rows
                            : scarce__draw_room(&g->classes, g->o->rows, g->o->share);
    for (int k = 0; k < g->n_workers; ++k)
        SCARCE__TRY(scarce__deep_new(&g->workers[k].deep, &g->binned->bins, most, &deep, err));
    return SCARCE_OK;
}

static scarce_status set_up(grove *g, scarce_error *err)
{
    const scarce_table *t = g->table;

    SCARCE__TRY(take_weights(g, err));
    SCARCE__TRY(scarce__binned_new(&g->binned, t, NULL, t->n_rows, t->weight, &g->o->bins, g->ctx, err));
    SCARCE__TRY(scarce__classes_new(&g->classes, t, err));
    SCARCE__TRY(make_workers(g, err));
    if (!g->o->valid || !g->o->metric) return SCARCE_OK;
    g->score = scarce__malloc_array(g->o->valid->n_rows, sizeof *g->score);
    g->sum = scarce__calloc(g->o->valid->n_rows, sizeof *g->sum);
    if (!g->score || !g->sum) return scarce__fail_memory(err, "validation scores", g->o->valid->n_rows * 12);
    return SCARCE_OK;
}

/* ---- a batch of trees */

static void grow_task(void *arg, size_t index, int at)
{
    grove *g = arg;
    worker *w = &g->workers[at];
    const uint64_t tree = g->first + index;
    scarce__deep_rows rows = {.codes = &g->binned->codes, .label = g->table->label, .weight = g->weight};
    scarce_error *err = &g->errors[index];
    scarce_status st = SCARCE_OK;

    if (g->o->rows != SCARCE__MEMBER_ALL) {
        st = scarce__draw_member(&w->drawn, &g->classes, g->o->rows, g->o->share, g->o->seed, tree, err);
        rows.row = w->drawn.row;
        rows.times = w->drawn.times;
        rows.n = w->drawn.n;
    }
    if (st == SCARCE_OK) st = scarce__deep_tree(w->deep, &g->trees[index], &rows, tree, err);
    g->status[index] = st;
}

/* Moves the trees of the batch to a forest, whatever happens. */
static scarce_status take_trees(grove *g, scarce__forest *to, scarce__random_forest_result *result,
                                scarce_error *err)
{
    scarce_status st = SCARCE_OK;

    for (size_t k = 0; k < g->n; ++k) {
        scarce__binned_tree *tree = &g->trees[k];
        if (st == SCARCE_OK && g->status[k] != SCARCE_OK)
            st = scarce__fail(err, g->status[k], "%s", g->errors[k].text);
        if (st == SCARCE_OK)
            st = scarce__forest_add(to, tree->nodes, tree->n_nodes, tree->sets, tree->n_set_words, err);
        if (st == SCARCE_OK) result->n_never_split += tree->n_nodes == 1;
        scarce__binned_tree_deinit(tree);
    }
    return st;
}

/* The mean of the trees so far, judged. `at` counts within the batch. */
static scarce_status judge(void *payload, size_t at, const double *score, scarce_error *err)
{
    grove *g = payload;
    const size_t trees = g->judged + at + 1;

    if (g->is_time) return SCARCE_OK;
    for (size_t i = 0; i < g->o->valid->n_rows; ++i)
        g->score[i] = (float)((g->sum[i] + score[i]) / (double)trees);
    SCARCE__TRY(g->o->metric(g->o->metric_payload, g->score, &g->value, err));
    if (g->o->history) g->o->history[trees - 1] = g->value;
    g->is_time = scarce__stop_judge(&g->stop, g->value, trees);
    if (g->is_time || at + 1 == g->n) {
        for (size_t i = 0; i < g->o->valid->n_rows; ++i) g->sum[i] += score[i];
        g->judged = trees;
    }
    return SCARCE_OK;
}

/* Judges `n` trees from the first that wasn't on. */
static scarce_status judge_trees(grove *g, const scarce__forest *forest, size_t n, scarce_error *err)
{
    scarce__forest piece = *forest;
    size_t *round;
    scarce_status st;

    if (!g->sum || n == 0) return SCARCE_OK;
    round = scarce__malloc_array(n, sizeof *round);
    piece.tree_begin = scarce__malloc_array(n + 1, sizeof *piece.tree_begin);
    if (!round || !piece.tree_begin) st = scarce__fail_memory(err, "trees", 0);
    else {
        for (size_t k = 0; k < n; ++k) round[k] = k + 1;
        for (size_t k = 0; k <= n; ++k)
            piece.tree_begin[k] = forest->tree_begin[g->judged + k] - forest->tree_begin[g->judged];
        piece.nodes = forest->nodes + forest->tree_begin[g->judged];
        piece.n_trees = n;
        g->n = n;
        st = scarce__forest_stages(&piece, g->o->valid, round, n, judge, g, g->ctx, err);
    }
    scarce__free(round);
    scarce__free(piece.tree_begin);
    return st;
}

/* 1: the caller wants to stop. */
static int tell(const grove *g, size_t done)
{
    const int judged = g->sum && g->value == g->value;
    const char *metric = g->o->metric_name ? g->o->metric_name : "metric";
    char note[64] = "";

    if (judged) (void)snprintf(note, sizeof note, "valid %s %.4f", metric, g->value);
    const scarce_progress p = {
        "train", (double)done, (double)g->o->n_trees, "trees", note, judged ? metric : NULL, g->value};
    return scarce__progress(g->ctx, &p);
}

static scarce_status grow(grove *g, scarce__forest *out, scarce__random_forest_result *result,
                          scarce_error *err)
{
    const scarce__random_forest_options *o = g->o;
    const size_t batch = batch_of(g->ctx);

    while (out->n_trees < o->n_trees && !g->is_time) {
        const size_t before = out->n_trees;
        g->first = before;
        g->n = o->n_trees - before < batch ? o->n_trees - before : batch;
        scarce__pool_run(scarce__context_pool(g->ctx), g->n, grow_task, g);
        SCARCE__TRY(take_trees(g, out, result, err));
        SCARCE__TRY(judge_trees(g, out, out->n_trees - before, err));
        if (g->is_time) scarce__forest_truncate(out, g->judged); /* as if trees had come one by one */
        result->n_grown = out->n_trees;
        const int last = g->is_time || out->n_trees == o->n_trees;
        if (o->keep && o->keep_every > 0 && !last && out->n_trees / o->keep_every > before / o->keep_every)
            SCARCE__TRY(o->keep(o->keep_payload, out, err));
        if (!g->is_time && tell(g, out->n_trees)) {
            result->cancelled = 1;
            break;
        }
    }
    return SCARCE_OK;
}

/* The trees of a checkpoint are taken, and judged as they were. */
static scarce_status go_on(grove *g, scarce__forest *out, scarce_error *err)
{
    const scarce__forest *from = g->o->resume;

    if (!from) return SCARCE_OK;
    SCARCE__TRY(scarce__forest_append(out, from, 1, err));
    if (out->n_trees > g->o->n_trees) scarce__forest_truncate(out, g->o->n_trees);
    SCARCE__TRY(judge_trees(g, out, out->n_trees, err));
    if (g->is_time) scarce__forest_truncate(out, g->judged);
    return SCARCE_OK;
}

scarce_status scarce__random_forest_train(scarce__forest *out, const scarce_table *table,
                                          const scarce__random_forest_options *o,
                                          scarce__random_forest_result *result, scarce_context *ctx,
                                          scarce_error *err)
{
    grove g = {.o = o, .table = table, .ctx = ctx, .stop = SCARCE__STOP_INIT, .value = (double)NAN};
    const double begun = scarce__clock();
    scarce_status st;

    memset(out, 0, sizeof *out);
    *result = (scarce__random_forest_result){.best_metric = (double)NAN};
    g.stop.after = o->stop_after;
    g.stop.smaller_is_better = o->metric_smaller_is_better;
    for (size_t t = 0; o->history && t < o->n_trees; ++t) o->history[t] = (double)NAN;
    st = set_up(&g, err);
    result->seconds_bin = scarce__clock() - begun;
    out->n_features = table->schema.n_features;
    if (st == SCARCE_OK) st = go_on(&g, out, err);
    result->n_grown = out->n_trees;
    if (st == SCARCE_OK) st = grow(&g, out, result, err);
    if (st == SCARCE_OK && o->stop_after > 0 && g.stop.best == g.stop.best && !result->cancelled)
        scarce__forest_truncate(out, g.stop.best_trees);
    result->n_trees = out->n_trees;
    result->best_metric = g.stop.best;
    grove_deinit(&g);
    if (st != SCARCE_OK) scarce__forest_deinit(out);
    return st;
}

void scarce__random_forest_scale(scarce__forest *forest)
{
    const size_t n = forest->n_trees ? forest->tree_begin[forest->n_trees] : 0;
    for (size_t i = 0; i < n; ++i)
        if (forest->nodes[i].feature < 0)
            forest->nodes[i].value = (float)((double)forest->nodes[i].value / (double)forest->n_trees);
}

double scarce__random_forest_memory(size_t rows, size_t positives, size_t features,
                                    const scarce__random_forest_options *o, int threads)
{
    const size_t drawn = scarce__draw_most(rows, positives, o->rows, o->share);
    const double nodes = o->tree.max_depth > 0 && o->tree.max_depth < 30
                             ? fmin((double)drawn / 3 * 2, ldexp(2, o->tree.max_depth))
                             : (double)drawn / 3 * 2;
    return 2 * (double)scarce__codes_bytes(rows, features, 1) + 8 * (double)rows +
           (double)threads * (double)scarce__deep_bytes(features, drawn) +
           ((double)o->n_trees * 1.5 + 2 * (double)threads) * nodes * (double)sizeof(scarce__node);
}
