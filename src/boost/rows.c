/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of rows: filled from a table, copied together from another part, brought up to date. On all rows the
 * leaves' lists of rows bring the scores up to date as a tree is grown. The scores of rows a bag was drawn
 * from are only needed when the next bag is drawn, and are then brought up to date for all trees since at
 * once (tiles.c), which is several times as fast as tree by tree. */
#include "boost/rows.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/table.h"
#include "tree/tiles.h"

/* ---- Binned tables */

scarce_status scarce__binned_new(scarce__binned **out, const scarce_table *table, const uint32_t *rows,
                                 size_t n, const double *weight, const scarce__bin_options *options,
                                 scarce_context *ctx, scarce_error *err)
{
    scarce__binned *b = scarce__calloc(1, sizeof *b);
    scarce_status status;

    *out = NULL;
    if (!b) return scarce__fail_memory(err, "binned data", 0);
    if (rows) status = scarce__bins_find(&b->bins, table, rows, n, weight, options, ctx, err);
    else status = scarce__bins_find_sampled(&b->bins, table, weight, options, ctx, err);
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

/* ---- Trees */

static void free_tree(scarce__binned_tree *tree)
{
    if (tree) scarce__binned_tree_deinit(tree);
    scarce__free(tree);
}

scarce_status scarce__grown_add(scarce__grown *grown, scarce__binned_tree *tree, scarce_error *err)
{
    if (grown->n == grown->room) {
        const size_t room = grown->room ? 2 * grown->room : 64;
        scarce__binned_tree **larger =
            scarce__realloc_array(grown->tree, room, sizeof(scarce__binned_tree *));
        if (!larger) {
            free_tree(tree);
            return scarce__fail_memory(err, "the trees", room * sizeof *larger);
        }
        grown->tree = larger;
        grown->room = room;
    }
    grown->tree[grown->n++] = tree;
    return SCARCE_OK;
}

void scarce__grown_drop(scarce__grown *grown, size_t below)
{
    for (; grown->kept_from < below && grown->kept_from < grown->n; ++grown->kept_from) {
        free_tree(grown->tree[grown->kept_from]);
        grown->tree[grown->kept_from] = NULL;
    }
}

void scarce__grown_deinit(scarce__grown *grown)
{
    scarce__grown_drop(grown, grown->n);
    scarce__free(grown->tree);
    memset(grown, 0, sizeof *grown);
}

/* ---- Parts */

void scarce__part_deinit(scarce__part *p)
{
    scarce__codes_deinit(&p->own);
    scarce__free(p->row);
    scarce__free(p->label);
    scarce__free(p->target);
    scarce__free(p->weight);
    scarce__free(p->score);
    scarce__free(p->bag_weight);
    scarce__free(p->cost);
    memset(p, 0, sizeof *p);
}

static const double *costs_of(const scarce__boost_data *data)
{
    return data->cost ? data->cost : data->table->cost;
}

/* Weight and cost of row r, as row i of the part. */
static scarce_status fill_weight(scarce__part *p, const scarce__boost_data *data, const scarce__weighing *by,
                                 size_t i, size_t r, scarce_error *err)
{
    const double *weight = data->weight ? data->weight : data->table->weight;
    const int positive = p->label && p->label[i];
    const double *costs = costs_of(data);
    const double cost = costs ? costs[r] : 1;
    const double w =
        (weight ? weight[r] : 1) * (positive ? by->positive : by->negative) * (p->cost ? 1 : cost);

    if (!(cost >= 0) || !(cost <= 1e30))
        return scarce__fail(err, SCARCE_EDATA, "row %zu costs %g; costs go from 0 to 1e30", r + 1, cost);
    if (!(w >= 0) || !(w <= 1e30))
        return scarce__fail(err, SCARCE_EDATA, "row %zu has the weight %g; weights go from 0 to 1e30", r + 1,
                            w);
    if (p->cost) p->cost[i] = (float)cost;
    if (p->weight) p->weight[i] = (float)w;
    return SCARCE_OK;
}

scarce_status scarce__part_fill(scarce__part *p, const scarce__boost_data *data, const scarce__weighing *by,
                                scarce_error *err)
{
    const uint8_t *label = data->label ? data->label : data->table->label;
    const int apart = by && by->costs_apart && costs_of(data);
    const int weights = by && (by->positive != 1 || by->negative != 1 || data->weight ||
                               data->table->weight || (costs_of(data) && !apart));

    p->n = data->rows ? data->n_rows : data->table->n_rows;
    p->score = scarce__big_alloc(p->n, sizeof *p->score);
    if (label) p->label = scarce__big_alloc(p->n, sizeof *p->label);
    if (data->target) p->target = scarce__big_alloc(p->n, sizeof *p->target);
    if (weights) p->weight = scarce__big_alloc(p->n, sizeof *p->weight);
    if (apart) p->cost = scarce__big_alloc(p->n, sizeof *p->cost);
    if (!p->score || (label && !p->label) || (data->target && !p->target) || (weights && !p->weight) ||
        (apart && !p->cost))
        return scarce__fail_memory(err, "the scores", p->n * 13);
    for (size_t i = 0; i < p->n; ++i) {
        const size_t r = data->rows ? data->rows[i] : i;
        if (r >= data->table->n_rows)
            return scarce__fail(err, SCARCE_EINVAL, "row %zu is asked for, the table has %zu", r,
                                data->table->n_rows);
        if (label) {
            if (label[r] > 1)
                return scarce__fail(err, SCARCE_EDATA, "row %zu has the label %d; 0 and 1 are allowed", r + 1,
                                    label[r]);
            p->label[i] = label[r];
        }
        if (data->target) {
            if (!isfinite(data->target[r]))
                return scarce__fail(err, SCARCE_EDATA, "row %zu has no finite target", r + 1);
            p->target[i] = data->target[r];
        }
        if (weights || apart) SCARCE__TRY(fill_weight(p, data, by, i, r, err));
    }
    return SCARCE_OK;
}

void scarce__part_start(scarce__part *p, double base)
{
    for (size_t i = 0; i < p->n; ++i) p->score[i] = (float)base;
}

scarce__loss_rows scarce__part_rows(const scarce__part *p)
{
    const scarce__loss_rows rows = {.n = p->n,
                                    .score = p->score,
                                    .label = p->label,
                                    .target = p->target,
                                    .weight = p->weight,
                                    .row = p->row};
    return rows;
}

scarce_status scarce__part_catch_up(scarce__part *p, const scarce__grown *grown, int portable,
                                    scarce_context *ctx, scarce_error *err)
{
    const size_t from = p->done;
    if (from == grown->n) return SCARCE_OK;
    p->done = grown->n;
    return scarce__tiles_add(p->codes, (const scarce__binned_tree *const *)grown->tree + from,
                             grown->n - from, p->score, portable, ctx, err);
}

/* The number of the leaf that row r falls into. */
static size_t walk(const scarce__codes *codes, size_t r, const scarce__binned_tree *t)
{
    size_t i = 0;
    while (t->nodes[i].feature >= 0) {
        const scarce__bin_test *test = &t->tests[i];
        const size_t slab = test->column / SCARCE__SLAB, width = scarce__slab_width(codes->n_columns, slab);
        const uint8_t code = scarce__slab(codes, slab)[r * width + test->column % SCARCE__SLAB];
        i = (size_t)(scarce__goes_left(test, code) ? t->nodes[i].left : t->nodes[i].right);
    }
    return i;
}

size_t scarce__part_leaf(const scarce__part *p, size_t i, const scarce__binned_tree *t)
{
    return walk(p->codes, i, t);
}

void scarce__part_walk(scarce__part *p, const scarce__binned_tree *t)
{
    for (size_t r = 0; r < p->n; ++r) p->score[r] += t->nodes[walk(p->codes, r, t)].value;
}

/* Tiles number leaves in the order of the nodes, in a byte. */
static scarce_status leaves_by_tiles(const scarce__part *p, const scarce__binned_tree *t, uint32_t *leaf,
                                     int portable, scarce_context *ctx, scarce_error *err)
{
    uint32_t node[SCARCE__TILES_LEAVES];
    size_t leaves = 0;
    uint8_t *at = scarce__malloc(p->n + 1);
    scarce_status status = SCARCE_OK;

    if (!at) return scarce__fail_memory(err, "the leaves of rows", p->n);
    for (size_t i = 0; i < t->n_nodes; ++i)
        if (t->nodes[i].feature < 0) node[leaves++] = (uint32_t)i;
    status = scarce__tiles_leaves(p->codes, t, at, portable, ctx, err);
    for (size_t r = 0; status == SCARCE_OK && r < p->n; ++r) leaf[r] = node[at[r]];
    scarce__free(at);
    return status;
}

scarce_status scarce__part_leaves(const scarce__part *p, const scarce__binned_tree *t, uint32_t *leaf,
                                  int portable, scarce_context *ctx, scarce_error *err)
{
    /* of n nodes (n + 1) / 2 are leaves */
    if (p->codes->tiles && t->n_nodes < (size_t)2 * SCARCE__TILES_LEAVES)
        return leaves_by_tiles(p, t, leaf, portable, ctx, err);
    for (size_t r = 0; r < p->n; ++r) leaf[r] = (uint32_t)walk(p->codes, r, t);
    return SCARCE_OK;
}

scarce_status scarce__part_gather(scarce__part *to, const scarce__part *from, const scarce__bag *bag,
                                  int as_pool, scarce_context *ctx, scarce_error *err)
{
    scarce__codes keep = to->own;
    memset(&to->own, 0, sizeof to->own);
    scarce__part_deinit(to);
    to->own = keep;
    to->n = bag->n;
    SCARCE__TRY(scarce__codes_gather(&to->own, from->codes, bag->row, bag->n, ctx, err));
    if (as_pool) SCARCE__TRY(scarce__codes_retile(&to->own, ctx, err));
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
        return scarce__fail_memory(err, "a bag of rows", bag->n * 16);
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

/* ---- Rows made up */

/* Room for `more` rows behind the others; weights too where they are wanted. */
static scarce_status make_room(scarce__part *p, size_t more, int weights, scarce_error *err)
{
    const size_t n = p->n + more;
    uint32_t *row = scarce__realloc_array(p->row, n, sizeof *row);
    if (row) p->row = row;
    uint8_t *label = scarce__realloc_array(p->label, n, 1);
    if (label) p->label = label;
    float *score = scarce__big_alloc(n, sizeof *score);
    if (score) {
        memcpy(score, p->score, p->n * sizeof *score);
        scarce__free(p->score);
        p->score = score;
    }
    float *weight = weights ? scarce__realloc_array(p->weight, n, sizeof *weight) : NULL;
    const int fresh = weights && !p->weight;
    if (weight) p->weight = weight;
    if (!row || !label || !score || (weights && !weight))
        return scarce__fail_memory(err, "rows made up for a bag", n * 16);
    for (size_t i = 0; fresh && i < p->n; ++i) weight[i] = 1;
    return SCARCE_OK;
}

scarce_status scarce__part_join(scarce__part *to, const scarce__made *made, const scarce__grown *grown,
                                int portable, scarce_context *ctx, scarce_error *err)
{
    const scarce_table *t = made->table;
    const size_t m = t->n_rows, first = to->n;
    const int weights = to->weight || made->weight || made->pos_weight != 1 || made->neg_weight != 1;
    scarce__codes codes;
    scarce_status status;

    if (m == 0) return SCARCE_OK;
    if (to->target || !to->label || !t->label)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "rows can be made up for labels alone, not for targets");
    if (grown->kept_from > 0)
        return scarce__fail(err, SCARCE_EBUG, "%zu trees are gone that rows made up need", grown->kept_from);
    SCARCE__TRY(make_room(to, m, weights, err));
    status = scarce__codes_build(&codes, made->bins, t, NULL, m, 1, ctx, err);
    if (status == SCARCE_OK) status = scarce__codes_append(&to->own, &codes, err);
    for (size_t k = 0; status == SCARCE_OK && k < m; ++k) {
        to->row[first + k] = SCARCE__MADE_UP;
        to->label[first + k] = t->label[k];
        to->score[first + k] = (float)made->base;
        if (weights)
            to->weight[first + k] = made->weight  ? made->weight[k]
                                    : t->label[k] ? (float)made->pos_weight
                                                  : (float)made->neg_weight;
    }
    if (status == SCARCE_OK)
        status = scarce__tiles_add(&codes, (const scarce__binned_tree *const *)grown->tree, grown->n,
                                   to->score + first, portable, ctx, err);
    scarce__codes_deinit(&codes);
    if (status == SCARCE_OK) to->n += m;
    return status;
}
