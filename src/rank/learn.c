/* SPDX-License-Identifier: Apache-2.0 */
/* Learning a ranking tree.
 *
 *   cart      one tree by gini, entropy or ap (Breiman et al. 1984); leaves by their share of positives. Scores:
 *             that share; or the signed distance to the nearest threshold (Alvarez and Bernard 2005); or both,
 *             the distance only among the rows of a leaf
 *   metaap,   a meta-tree of depth d: the rows of a node grow an inner tree, whose leaves are merged into an
 *   treerank  enriched side (left) and the rest (merge.c); both go on in the same way until depth, purity, or a
 *             tree without a split ends it. Leaf i of L, from left to right, scores (L - i) / L, and rows in it
 *             are told apart by +- 0.45 / L at most.
 *
 * MetaAP: Viola, Gautheron, Habrard, Sebban, Pattern Recognition Letters 161 (2022). Nodes wait on a stack. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/moments.h"
#include "rank/build.h"
#include "rank/round.h"

#define TIE 0.45 /* of the distance between two leaves: less than half, whatever the signs */

typedef struct meta_node {
    size_t begin, end; /* in the list */
    uint32_t id, depth;
} meta_node;

typedef struct learner {
    const scarce__rank_options *options;
    scarce__inner_tree inner;
    scarce__build build;
    uint32_t *list, *spare; /* positions, node by node */
    size_t spare_capacity;
    uint32_t *leaf, *order, *meta_of;
    scarce__mass *mass;
    size_t leaf_capacity;
    meta_node *stack;
    size_t n_stack, stack_capacity;
    scarce_context *ctx;
    size_t done;
} learner;

static void learner_deinit(learner *w)
{
    scarce__inner_tree_deinit(&w->inner);
    scarce__build_deinit(&w->build);
    scarce__free(w->list);
    scarce__free(w->spare);
    scarce__free(w->leaf);
    scarce__free(w->order);
    scarce__free(w->meta_of);
    scarce__free(w->mass);
    scarce__free(w->stack);
}

static scarce_status reserve_leaves(learner *w, scarce_error *err)
{
    const size_t n = w->inner.tree.n_nodes;
    if (n <= w->leaf_capacity) return SCARCE_OK;
    scarce__free(w->leaf);
    scarce__free(w->order);
    scarce__free(w->meta_of);
    scarce__free(w->mass);
    w->leaf_capacity = 0;
    w->leaf = scarce__malloc_array(n, sizeof *w->leaf);
    w->order = scarce__malloc_array(n, sizeof *w->order);
    w->meta_of = scarce__malloc_array(n, sizeof *w->meta_of);
    w->mass = scarce__malloc_array(n, sizeof *w->mass);
    if (!w->leaf || !w->order || !w->meta_of || !w->mass)
        return scarce__fail_memory(err, "a ranking tree", n * 28);
    w->leaf_capacity = n;
    return SCARCE_OK;
}

static scarce_status told(learner *w, scarce_error *err)
{
    const scarce_progress p = {.stage = "train", .done = (double)++w->done, .unit = "trees", .note = ""};
    return scarce__progress(w->ctx, &p) ? scarce__fail(err, SCARCE_ECANCEL, "stopped") : SCARCE_OK;
}

/* ---- CART */

static double share_of(const scarce__rank_sums *s)
{
    return s->weight > 0 ? s->positive / s->weight : 0;
}

typedef struct placed {
    double share;
    uint32_t at;
} placed;

static int by_share(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->share != y->share) return x->share > y->share ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Leaves by share, equal ones from left to right. */
static scarce_status sort_leaves(learner *w, size_t n, scarce_error *err)
{
    placed *p = scarce__malloc_array(n, sizeof *p);
    if (!p) return scarce__fail_memory(err, "a tree", n * sizeof *p);
    for (size_t i = 0; i < n; ++i) p[i] = (placed){share_of(&w->inner.sums[w->leaf[i]]), (uint32_t)i};
    qsort(p, n, sizeof *p, by_share);
    for (size_t i = 0; i < n; ++i) w->order[i] = p[i].at;
    scarce__free(p);
    return SCARCE_OK;
}

static scarce_status learn_cart(learner *w, size_t n, uint64_t index, scarce_error *err)
{
    size_t leaves;
    uint32_t root;

    SCARCE__TRY(scarce__build_meta(&w->build, &root, err));
    SCARCE__TRY(scarce__inner_tree_grow(&w->inner, w->list, n, index, w->ctx, err));
    SCARCE__TRY(reserve_leaves(w, err));
    SCARCE__TRY(scarce__build_leaves(&w->build, &w->inner, w->leaf, &leaves, err));
    if (leaves == 1) return scarce__build_leaf(&w->build, root, &w->inner.sums[0], err);
    SCARCE__TRY(sort_leaves(w, leaves, err));
    for (size_t i = 0; i < leaves; ++i) {
        const uint32_t node = w->leaf[w->order[i]];
        SCARCE__TRY(scarce__build_meta(&w->build, &w->meta_of[node], err));
        SCARCE__TRY(scarce__build_leaf(&w->build, w->meta_of[node], &w->inner.sums[node], err));
    }
    SCARCE__TRY(scarce__build_tree(&w->build, root, &w->inner, w->meta_of, err));
    return told(w, err);
}

/* ---- Meta-trees */

static scarce_status push(learner *w, meta_node node, scarce_error *err)
{
    if (w->n_stack == w->stack_capacity) {
        const size_t room = 2 * w->stack_capacity + 16;
        meta_node *grown = scarce__realloc_array(w->stack, room, sizeof *grown);
        if (!grown) return scarce__fail_memory(err, "a meta-tree", room * sizeof *grown);
        w->stack = grown;
        w->stack_capacity = room;
    }
    w->stack[w->n_stack++] = node;
    return SCARCE_OK;
}

static scarce_status reserve_spare(learner *w, size_t n, scarce_error *err)
{
    if (n <= w->spare_capacity) return SCARCE_OK;
    scarce__free(w->spare);
    w->spare_capacity = 0;
    w->spare = scarce__malloc_array(n, sizeof *w->spare);
    if (!w->spare) return scarce__fail_memory(err, "a ranking tree", n * sizeof *w->spare);
    w->spare_capacity = n;
    return SCARCE_OK;
}

/* The node's positions: those whose leaf is on the left, then the others, both in their order. The side with fewer rows,
 * mostly the enriched one, waits elsewhere meanwhile. */
static scarce_status part(learner *w, const meta_node *at, uint32_t left, size_t *middle, scarce_error *err)
{
    size_t n_left = 0, m = 0;

    for (size_t k = at->begin; k < at->end; ++k) n_left += w->meta_of[w->inner.leaf[w->list[k]]] == left;
    const size_t n_right = at->end - at->begin - n_left;
    *middle = at->begin + n_left;
    SCARCE__TRY(reserve_spare(w, n_left < n_right ? n_left : n_right, err));
    if (n_left < n_right) {
        size_t to = at->end;
        for (size_t k = at->end; k-- > at->begin;) {
            const uint32_t p = w->list[k];
            if (w->meta_of[w->inner.leaf[p]] == left) w->spare[n_left - ++m] = p;
            else w->list[--to] = p;
        }
        memcpy(w->list + at->begin, w->spare, n_left * sizeof *w->list);
        return SCARCE_OK;
    }
    for (size_t k = at->begin, to = at->begin; k < at->end; ++k) {
        const uint32_t p = w->list[k];
        if (w->meta_of[w->inner.leaf[p]] == left) w->list[to++] = p;
        else w->spare[m++] = p;
    }
    if (n_right > 0) memcpy(w->list + *middle, w->spare, n_right * sizeof *w->list);
    return SCARCE_OK;
}

/* How many leaves go left; as many as there are: nothing is to be split. */
static size_t merge(learner *w, size_t leaves)
{
    for (size_t i = 0; i < leaves; ++i) {
        const scarce__rank_sums *s = &w->inner.sums[w->leaf[i]];
        w->mass[i] = (scarce__mass){s->positive, s->weight - s->positive};
    }
    return w->options->shape == SCARCE__METAAP ? scarce__merge_ap(w->order, w->mass, leaves)
                                               : scarce__merge_roc(w->order, w->mass, leaves);
}

static int is_mixed(const learner *w, const scarce__rank_sums *s)
{
    if (!w->inner.data->share) return s->positives > 0 && s->positives < s->rows;
    return s->positive > 1e-12 * s->weight && s->weight - s->positive > 1e-12 * s->weight;
}

static scarce_status split_node(learner *w, const meta_node *at, uint64_t index, int *split,
                                scarce_error *err)
{
    size_t leaves, left;
    uint32_t id[2];

    *split = 0;
    SCARCE__TRY(scarce__inner_tree_grow(&w->inner, w->list + at->begin, at->end - at->begin, index + at->id,
                                        w->ctx, err));
    SCARCE__TRY(reserve_leaves(w, err));
    SCARCE__TRY(scarce__build_leaves(&w->build, &w->inner, w->leaf, &leaves, err));
    if (leaves < 2 || (left = merge(w, leaves)) == leaves) return SCARCE_OK;
    *split = 1;
    for (int k = 0; k < 2; ++k) SCARCE__TRY(scarce__build_meta(&w->build, &id[k], err));
    for (size_t i = 0; i < leaves; ++i) w->meta_of[w->leaf[w->order[i]]] = id[i >= left];
    SCARCE__TRY(scarce__build_tree(&w->build, at->id, &w->inner, w->meta_of, err));
    size_t middle;
    SCARCE__TRY(part(w, at, id[0], &middle, err));
    SCARCE__TRY(push(w, (meta_node){middle, at->end, id[1], at->depth + 1}, err));
    return push(w, (meta_node){at->begin, middle, id[0], at->depth + 1}, err);
}

static scarce_status learn_meta(learner *w, size_t n, uint64_t index, scarce_error *err)
{
    meta_node at = {0, n, 0, 0};

    SCARCE__TRY(scarce__build_meta(&w->build, &at.id, err));
    SCARCE__TRY(push(w, at, err));
    while (w->n_stack > 0) {
        at = w->stack[--w->n_stack];
        const scarce__rank_sums s = scarce__inner_tree_sums(&w->inner, w->list + at.begin, at.end - at.begin);
        int split = 0;
        if (at.depth < (uint32_t)w->options->max_depth && is_mixed(w, &s))
            SCARCE__TRY(split_node(w, &at, index, &split, err));
        if (!split) SCARCE__TRY(scarce__build_leaf(&w->build, at.id, &s, err));
        SCARCE__TRY(told(w, err));
    }
    return SCARCE_OK;
}

/* ---- Scores */

static void score_leaves(scarce__dag *d, const scarce__rank_options *o)
{
    const double n = (double)d->n_leaves;
    double gap = 1;

    for (size_t i = 0; i < d->n_leaves; ++i) {
        scarce__rank_leaf *l = &d->leaves[i];
        if (o->shape != SCARCE__CART) {
            l->score = (n - (double)i) / n;
            gap = 1 / n;
            continue;
        }
        l->score = l->weight > 0 ? l->positive / l->weight : 0;
        if (i > 0 && d->leaves[i - 1].score > l->score && d->leaves[i - 1].score - l->score < gap)
            gap = d->leaves[i - 1].score - l->score;
    }
    for (size_t i = 0; i < d->n_leaves; ++i)
        d->leaves[i].tie = o->scores == SCARCE__SCORES_BOTH ? TIE * gap : 0;
}

/* Standard deviations where leaves come first; the distance alone is in the columns' own units. */
static scarce_status set_scales(scarce__rank *r, const scarce__rank_data *data, scarce_context *ctx,
                                scarce_error *err)
{
    const scarce_schema *schema = &data->table->schema;
    scarce__moments *m = scarce__malloc_array(r->n_features, sizeof *m);

    r->scale = scarce__malloc_array(r->n_features, sizeof *r->scale);
    if (!r->scale || !m) {
        scarce__free(m);
        return scarce__fail_memory(err, "the scales of columns", r->n_features * sizeof *m);
    }
    scarce__table_moments(m, data->table, scarce__context_pool(ctx));
    for (size_t f = 0; f < r->n_features; ++f) {
        const int category = schema->features[f].kind == SCARCE_COLUMN_CATEGORY;
        const double sd = category ? 0.5 : m[f].sd;
        r->scale[f] = r->distance == SCARCE__DISTANCE_ALONE || !(sd > 0) || !isfinite(sd) ? 1 : sd;
    }
    scarce__free(m);
    return SCARCE_OK;
}

static scarce_status learn_dag(scarce__dag *out, const scarce__rank_data *data, const scarce__rank_options *o,
                               uint64_t member, scarce_context *ctx, scarce_error *err)
{
    const size_t n = data->rows ? data->n : data->table->n_rows;
    learner w;
    scarce_status st;

    memset(&w, 0, sizeof w);
    w.options = o;
    w.ctx = ctx;
    w.list = scarce__malloc_array(n, sizeof *w.list);
    st = w.list ? scarce__inner_tree_init(&w.inner, data, o, ctx, err)
                : scarce__fail_memory(err, "a ranking tree", 4 * n);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) w.list[i] = (uint32_t)i;
    if (st == SCARCE_OK) st = (o->shape == SCARCE__CART ? learn_cart : learn_meta)(&w, n, member << 24, err);
    if (st == SCARCE_OK) st = scarce__build_finish(out, &w.build, err);
    if (st == SCARCE_OK) score_leaves(out, o);
    learner_deinit(&w);
    return st;
}

scarce_status scarce__rank_start(scarce__rank **out, size_t dags, const scarce__rank_data *data,
                                 const scarce__rank_options *o, scarce_context *ctx, scarce_error *err)
{
    scarce__rank *r = scarce__calloc(1, sizeof *r);
    scarce_status st = SCARCE_OK;

    *out = NULL;
    if (!r) return scarce__fail_memory(err, "a ranking tree", 0);
    r->n_features = data->table->schema.n_features;
    r->n_dags = dags;
    r->dags = scarce__calloc(dags, sizeof *r->dags);
    r->distance = o->scores == SCARCE__SCORES_LEAF       ? SCARCE__DISTANCE_NONE
                  : o->scores == SCARCE__SCORES_DISTANCE ? SCARCE__DISTANCE_ALONE
                                                         : SCARCE__DISTANCE_TIES;
    if (!r->dags) st = scarce__fail_memory(err, "ranking trees", dags * sizeof *r->dags);
    if (st == SCARCE_OK && r->distance) st = set_scales(r, data, ctx, err);
    if (st != SCARCE_OK) {
        scarce__rank_free(r);
        return st;
    }
    *out = r;
    return SCARCE_OK;
}

/* Rows without weight have no part in it: what counts for nothing makes no threshold either. NULL: all have some. */
static scarce_status weighty_rows(uint32_t **rows, size_t *n, const scarce__rank_data *d, scarce_error *err)
{
    const size_t all = d->rows ? d->n : d->table->n_rows;
    const double *weight = d->table->weight;
    size_t none = 0;

    *rows = NULL;
    *n = all;
    for (size_t i = 0; weight && i < all; ++i) none += weight[d->rows ? d->rows[i] : i] > 0 ? 0 : 1;
    if (none == 0) return SCARCE_OK;
    *rows = scarce__malloc_array(all, sizeof **rows);
    if (!*rows) return scarce__fail_memory(err, "rows", all * sizeof **rows);
    *n = 0;
    for (size_t i = 0; i < all; ++i) {
        const uint32_t row = d->rows ? d->rows[i] : (uint32_t)i;
        if (weight[row] > 0) (*rows)[(*n)++] = row;
    }
    return SCARCE_OK;
}

scarce_status scarce__rank_member(scarce__dag *out, const scarce__rank_data *data,
                                  const scarce__rank_options *o, uint64_t member, scarce_context *ctx,
                                  scarce_error *err)
{
    scarce__rank_data seen = *data;
    scarce_table *view = NULL;
    int32_t *codes = NULL;

    uint32_t *rows = NULL;

    SCARCE__TRY(scarce__rank_narrow(&view, &codes, data->table, o->max_categories, err));
    if (view) seen.table = view;
    scarce_status st = weighty_rows(&rows, &seen.n, data, err);
    if (rows) seen.rows = rows;
    if (st == SCARCE_OK) st = learn_dag(out, &seen, o, member, ctx, err);
    if (st == SCARCE_OK && o->rounded)
        st = scarce__dag_round(out, data->whole ? data->whole : data->table, ctx, err);
    scarce_table_free(view);
    scarce__free(codes);
    scarce__free(rows);
    return st;
}

scarce_status scarce__rank_learn(scarce__rank **out, const scarce__rank_data *data,
                                 const scarce__rank_options *o, scarce_context *ctx, scarce_error *err)
{
    scarce__rank *r = NULL;

    *out = NULL;
    SCARCE__TRY(scarce__rank_start(&r, 1, data, o, ctx, err));
    const scarce_status st = scarce__rank_member(&r->dags[0], data, o, 0, ctx, err);
    if (st != SCARCE_OK) {
        scarce__rank_free(r);
        return st;
    }
    *out = r;
    return SCARCE_OK;
}
