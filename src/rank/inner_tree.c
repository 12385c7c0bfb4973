/* SPDX-License-Identifier: Apache-2.0 */
/* Inner trees. In what they learn from, a row of weight w and share s of the positive class (1 or 0, unless an
 * imitator is taught by scores) has h = w and g = -w s. TreeRank weighs classes by p0, the share of positives
 * where the inner tree begins: positives 1 - p0, negatives p0, so that both classes have the same weight
 * there; and splits that leave its error as it was are taken back from the leaves up. */
#include "rank/inner_tree.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "tree/criterion.h"
#include "tree/exact.h"

enum { EXACT_ROWS = 50000, EXACT_CELLS = 8000000 };

int scarce__rank_is_exact(const scarce__rank_options *o, size_t rows, size_t features)
{
    if (o->thresholds != SCARCE__THRESHOLDS_AUTO) return o->thresholds == SCARCE__THRESHOLDS_EXACT;
    return rows <= EXACT_ROWS && rows * features <= EXACT_CELLS;
}

double scarce__rank_memory(const scarce__rank_options *o, size_t rows, size_t features, int threads)
{
    const double lists = 16 * (double)rows;
    if (scarce__rank_is_exact(o, rows, features))
        return lists + 21 * (double)rows + (double)scarce__exact_bytes(features, rows, threads);
    return lists + 33 * (double)rows + (double)scarce__codes_bytes(rows, features, 1) +
           33 * 4224.0 * (double)features;
}

/* ---- Rows */

static double share_at(const scarce__inner_tree *in, uint32_t position)
{
    const uint32_t row = scarce__row_at(in->data, position);
    return in->data->share ? in->data->share[row] : (double)(in->data->table->label[row] != 0);
}

/* What splits see. */
static double taught_at(const scarce__inner_tree *in, uint32_t position)
{
    return in->data->taught ? in->data->taught[scarce__row_at(in->data, position)] : share_at(in, position);
}

static double weight_at(const scarce__inner_tree *in, uint32_t position)
{
    const uint32_t row = scarce__row_at(in->data, position);
    const double w = in->data->table->weight ? in->data->table->weight[row] : 1;
    if (in->data->share) return w;
    return in->data->table->label[row] ? w * in->options->pos_weight : w;
}

static void add_position(scarce__rank_sums *s, const scarce__inner_tree *in, uint32_t position)
{
    const double w = weight_at(in, position);
    s->weight += w;
    s->positive += w * share_at(in, position);
    s->rows += 1;
    s->positives += in->data->table->label && in->data->table->label[scarce__row_at(in->data, position)];
}

scarce__rank_sums scarce__inner_tree_sums(const scarce__inner_tree *in, const uint32_t *list, size_t n)
{
    scarce__rank_sums s = {0, 0, 0, 0};
    for (size_t k = 0; k < n; ++k) add_position(&s, in, list[k]);
    return s;
}

static int is_plain(const scarce__rank_data *d, const scarce__rank_options *o)
{
    if (d->share || o->pos_weight != 1) return 0;
    for (size_t i = 0; d->table->weight && i < d->table->n_rows; ++i)
        if (d->table->weight[i] != 1) return 0;
    return 1;
}

/* ---- Setting up */

static const scarce__criterion *criterion_of(const scarce__inner_tree *in)
{
    const scarce__rank_options *o = in->options;
    const char *name = o->shape == SCARCE__METAAP     ? "ap"
                       : o->shape == SCARCE__TREERANK ? "opposed"
                                                      : o->criterion;
    if (strcmp(name, "ap") == 0 && !in->plain) return &scarce__criterion_ap_soft;
    if (in->data->share && o->shape == SCARCE__CART && strcmp(name, "ap") != 0)
        return &scarce__criterion_gini_soft;
    return scarce__criterion_find(name);
}

/* What a split must take off: a share of what the root's impurity is, and of rows that are positive in part
 * more than nothing. */
static double least_gain(const scarce__inner_tree *in, const scarce__criterion *c,
                         const scarce__rank_sums *root)
{
    const scarce__split_rules rules = {.criterion = c};
    const scarce__criterion_node node = {.rules = &rules, .total = {.g = -root->positive, .h = root->weight}};
    if (c == &scarce__criterion_ap || c == &scarce__criterion_ap_soft) return 0;
    const double pure =
        c == &scarce__criterion_gini || c == &scarce__criterion_gini_soft ? root->positive : 0;
    const double impurity = c->scale * (pure - c->worth(&node));
    const double share = in->options->min_gain;
    return impurity * (in->data->share && share < 1e-9 ? 1e-9 : share);
}

static scarce__grow_options grow_options(const scarce__inner_tree *in, const scarce__rank_sums *root)
{
    const scarce__rank_options *r = in->options;
    scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
    o.rules.criterion = criterion_of(in);
    o.rules.gamma = r->shape == SCARCE__CART ? least_gain(in, o.rules.criterion, root) : 0;
    o.rules.min_child_weight = 0;
    o.rules.min_child_rows = r->min_rows;
    o.rules.max_delta_step = 0;
    o.max_depth = r->shape != SCARCE__CART && r->inner_depth > 0 ? r->inner_depth : r->max_depth;
    o.max_leaves = r->shape == SCARCE__CART ? r->max_leaves : 0;
    o.growth = o.max_leaves > 0 ? SCARCE__BEST_FIRST : SCARCE__LEVEL_WISE;
    o.learning_rate = 1;
    o.colsample_node = r->colsample_node;
    o.seed = r->seed;
    o.pool_bytes = (size_t)64 << 20;
    return o;
}

static scarce_status init_bins(scarce__inner_tree *in, scarce_context *ctx, scarce_error *err)
{
    const scarce__rank_data *d = in->data;
    scarce__bin_options bins = SCARCE__BIN_OPTIONS_INIT;
    scarce__rank_sums all = {0, 0, 0, 0};
    for (size_t i = 0; i < in->n; ++i) add_position(&all, in, (uint32_t)i);
    scarce__grow_options o = grow_options(in, &all);

    bins.max_bins = in->options->max_bins;
    bins.positive_share = 0.3; /* as for boosted trees: rare positives lie in the tails */
    o.plain = in->plain && in->options->shape != SCARCE__TREERANK;
    if (o.max_leaves == 0 && o.max_depth == 0) o.max_leaves = 1 << 20;
    SCARCE__TRY(scarce__bins_find(&in->bins, d->table, d->rows, d->n, d->table->weight, &bins, ctx, err));
    SCARCE__TRY(scarce__codes_build(&in->codes, &in->bins, d->table, d->rows, d->n, 1, ctx, err));
    SCARCE__TRY(scarce__grower_new(&in->grower, &in->bins, in->n, &o, err));
    in->classes = in->mark = d->rows || !in->plain ? scarce__malloc(in->n) : NULL;
    if (!in->mark && (d->rows || !in->plain)) return scarce__fail_memory(err, "a ranking tree", in->n);
    for (size_t i = 0; in->mark && i < in->n; ++i) in->mark[i] = taught_at(in, (uint32_t)i) > 0.5;
    if (!in->mark) in->classes = d->table->label; /* as they are */
    if (o.plain) return SCARCE_OK;
    in->g = scarce__malloc_array(in->n, sizeof *in->g);
    in->h = scarce__malloc_array(in->n, sizeof *in->h);
    if (!in->g || !in->h) return scarce__fail_memory(err, "a ranking tree", in->n * 8);
    for (size_t i = 0; i < in->n; ++i) {
        in->h[i] = (float)weight_at(in, (uint32_t)i);
        in->g[i] = -(float)(weight_at(in, (uint32_t)i) * taught_at(in, (uint32_t)i));
    }
    return SCARCE_OK;
}

scarce_status scarce__inner_tree_init(scarce__inner_tree *in, const scarce__rank_data *data,
                                      const scarce__rank_options *options, scarce_context *ctx,
                                      scarce_error *err)
{
    memset(in, 0, sizeof *in);
    in->options = options;
    in->data = data;
    in->n = data->rows ? data->n : data->table->n_rows;
    in->plain = is_plain(data, options);
    in->leaf = scarce__malloc_array(in->n, sizeof *in->leaf);
    if (!in->leaf) return scarce__fail_memory(err, "a ranking tree", in->n * 4);
    if (!scarce__rank_is_exact(options, in->n, data->table->schema.n_features))
        return init_bins(in, ctx, err);
    in->mark = scarce__malloc(in->n);
    in->rows = scarce__malloc_array(in->n, sizeof *in->rows);
    in->gd = scarce__malloc_array(in->n, sizeof *in->gd);
    in->hd = scarce__malloc_array(in->n, sizeof *in->hd);
    return in->mark && in->rows && in->gd && in->hd ? SCARCE_OK
                                                    : scarce__fail_memory(err, "a ranking tree", in->n * 20);
}

void scarce__inner_tree_deinit(scarce__inner_tree *in)
{
    scarce__grower_free(in->grower);
    scarce__codes_deinit(&in->codes);
    scarce__bins_deinit(&in->bins);
    scarce__free(in->g);
    scarce__free(in->h);
    scarce__free(in->mark);
    scarce__free(in->rows);
    scarce__free(in->gd);
    scarce__free(in->hd);
    scarce__binned_tree_deinit(&in->tree);
    scarce__free(in->leaf);
    scarce__free(in->sums);
    scarce__free(in->risk);
    scarce__free(in->top);
    memset(in, 0, sizeof *in);
}

/* ---- Growing */

/* Factors of the classes: TreeRank's 1 - p0 and p0, times the weight of the root, so that whole weights have exact
 * sums; else 1. */
static scarce__mass factors(const scarce__inner_tree *in, const scarce__rank_sums *root)
{
    scarce__mass f = {1, 1};
    if (in->options->shape == SCARCE__TREERANK)
        f = (scarce__mass){root->weight - root->positive, root->positive};
    return f;
}

static scarce_status grow_exact(scarce__inner_tree *in, const uint32_t *list, size_t n,
                                const scarce__rank_sums *root, uint64_t index, scarce_context *ctx,
                                scarce_error *err)
{
    const scarce__mass f = factors(in, root);
    const scarce__grow_options o = grow_options(in, root);
    scarce__exact *exact = NULL;

    for (size_t k = 0; k < n; ++k) {
        const double w = weight_at(in, list[k]), s = taught_at(in, list[k]);
        in->rows[k] = scarce__row_at(in->data, list[k]);
        in->gd[k] = -(f.positive * w * s);
        in->hd[k] = f.positive * w * s + f.negative * w * (1 - s);
        in->mark[k] = s > 0.5;
    }
    const scarce__exact_rows rows = {.g_double = in->gd, .h_double = in->hd, .mark = in->mark};
    SCARCE__TRY(scarce__exact_new(&exact, in->data->table, in->rows, n, &o, ctx, err));
    const scarce_status st = scarce__exact_tree(exact, &in->tree, &rows, index, ctx, err);
    if (st == SCARCE_OK) {
        scarce__exact_leaves(exact, in->rows); /* the rows are not needed any more */
        for (size_t k = 0; k < n; ++k) in->leaf[list[k]] = in->rows[k];
    }
    scarce__exact_free(exact);
    return st;
}

static scarce_status grow_binned(scarce__inner_tree *in, const uint32_t *list, size_t n,
                                 const scarce__rank_sums *root, uint64_t index, scarce_context *ctx,
                                 scarce_error *err)
{
    const scarce__mass f = factors(in, root);

    for (size_t k = 0; in->options->shape == SCARCE__TREERANK && k < n; ++k) {
        const double w = weight_at(in, list[k]), s = taught_at(in, list[k]);
        in->g[list[k]] = -(float)(f.positive * w * s);
        in->h[list[k]] = (float)(f.positive * w * s + f.negative * w * (1 - s));
    }
    SCARCE__TRY(scarce__grower_tree_on(in->grower, &in->tree, &in->codes, n < in->n ? list : NULL, n, in->g,
                                       in->h, in->classes, index, ctx, err));
    scarce__grower_leaves(in->grower, in->leaf);
    return SCARCE_OK;
}

static scarce_status reserve_sums(scarce__inner_tree *in, scarce_error *err)
{
    const size_t n = in->tree.n_nodes;
    if (n <= in->sums_capacity) return SCARCE_OK;
    scarce__free(in->sums);
    scarce__free(in->risk);
    scarce__free(in->top);
    in->sums_capacity = 0;
    in->sums = scarce__malloc_array(n, sizeof *in->sums);
    in->risk = scarce__malloc_array(n, sizeof *in->risk);
    in->top = scarce__malloc_array(n, sizeof *in->top);
    if (!in->sums || !in->risk || !in->top) return scarce__fail_memory(err, "a ranking tree", n * 40);
    in->sums_capacity = n;
    return SCARCE_OK;
}

static void add_up(scarce__inner_tree *in, const uint32_t *list, size_t n)
{
    memset(in->sums, 0, in->tree.n_nodes * sizeof *in->sums);
    for (size_t k = 0; k < n; ++k) add_position(&in->sums[in->leaf[list[k]]], in, list[k]);
    for (size_t i = in->tree.n_nodes; i-- > 0;) {
        const scarce__node *node = &in->tree.nodes[i];
        if (node->feature < 0) continue;
        const scarce__rank_sums *l = &in->sums[node->left], *r = &in->sums[node->right];
        in->sums[i] = (scarce__rank_sums){l->weight + r->weight, l->positive + r->positive, l->rows + r->rows,
                                          l->positives + r->positives};
    }
}

/* Splits whose subtree is no better than a vote of the node are taken back, and rows told where they are. */
static void take_back(scarce__inner_tree *in, const uint32_t *list, size_t n)
{
    scarce__node *nodes = in->tree.nodes;
    const scarce__mass f = factors(in, &in->sums[0]);
    const double dust = 1e-12 * f.positive * in->sums[0].positive;
    int taken = 0;

    for (size_t i = in->tree.n_nodes; i-- > 0;) {
        const double p = f.positive * in->sums[i].positive,
                     m = f.negative * (in->sums[i].weight - in->sums[i].positive), vote = p < m ? p : m;
        in->risk[i] = vote;
        in->top[i] = (uint32_t)i;
        if (nodes[i].feature < 0) continue;
        const double below = in->risk[nodes[i].left] + in->risk[nodes[i].right];
        if (below < vote - dust) {
            in->risk[i] = below;
            continue;
        }
        nodes[i].feature = -1; /* left and right stay until the rows are told */
        taken = 1;
    }
    if (!taken) return;
    for (size_t i = 0; i < in->tree.n_nodes; ++i) {
        if (nodes[i].left == 0 || nodes[i].feature >= 0) continue;
        in->top[nodes[i].left] = in->top[nodes[i].right] = in->top[i];
        nodes[nodes[i].left].feature = nodes[nodes[i].right].feature = -1;
        nodes[i].left = nodes[i].right = 0;
    }
    for (size_t k = 0; k < n; ++k) in->leaf[list[k]] = in->top[in->leaf[list[k]]];
}

scarce_status scarce__inner_tree_grow(scarce__inner_tree *in, const uint32_t *list, size_t n, uint64_t index,
                                      scarce_context *ctx, scarce_error *err)
{
    const scarce__rank_sums root = scarce__inner_tree_sums(in, list, n);

    if (in->grower) SCARCE__TRY(grow_binned(in, list, n, &root, index, ctx, err));
    else SCARCE__TRY(grow_exact(in, list, n, &root, index, ctx, err));
    SCARCE__TRY(reserve_sums(in, err));
    add_up(in, list, n);
    if (in->options->shape == SCARCE__TREERANK) take_back(in, list, n);
    return SCARCE_OK;
}
