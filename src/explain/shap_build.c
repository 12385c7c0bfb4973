/* SPDX-License-Identifier: Apache-2.0 */
/* Preparing an explainer: two walks over every tree, one that counts and one that writes (see
 * shap_inside.h). */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "explain/shap_inside.h"

static double share_of(double left, double right)
{
    if (!(left >= 0) || !(right >= 0) || !isfinite(left) || !isfinite(right)) return -1;
    return left + right > 0 ? left / (left + right) : -1;
}

double scarce__shap_share(const scarce__node *left, const scarce__node *right)
{
    double share = share_of((double)left->cover, (double)right->cover);
    if (share < 0) share = share_of((double)left->rows, (double)right->rows);
    return share < 0 ? 0.5 : share;
}

void scarce__shap_free(scarce__shap *shap)
{
    if (!shap) return;
    scarce__free(shap->used);
    scarce__free(shap->trees);
    scarce__free(shap->ops);
    scarce__free(shap->constants);
    scarce__free(shap->weights);
    scarce__free(shap->sets);
    scarce__free(shap);
}

size_t scarce__shap_bytes(const scarce__shap *shap)
{
    return shap->bytes;
}

double scarce__shap_base(const scarce__shap *shap)
{
    return shap->base;
}

/* ---- the walk */

typedef struct frame {
    uint32_t node;
    int stage;
    uint32_t first, second;
    double share[2];
    uint32_t old; /* at[feature] and */
    double old_z; /* z[feature] when the walk came here */
} frame;

typedef struct builder {
    scarce__shap *shap;
    const scarce__forest *forest;
    const scarce__node *nodes; /* of this tree */
    uint32_t *number;          /* of a feature among those used */
    uint32_t *at;              /* by used feature: 1 + level of its last node on the path; 0: none */
    double *z;                 /* and its share of the cover */
    frame *stack;
    size_t depth, capacity;
    size_t distinct, most_distinct, most_depth;
    size_t n_ops, n_kinds; /* kinds: constants per point */
    /* the writing walk: */
    scarce__shap_tree *tree; /* NULL: counting */
    const double *point;
    size_t n_constants;
} builder;

static int push(builder *b, int32_t node)
{
    if (b->depth == b->capacity) {
        const size_t capacity = b->capacity ? 2 * b->capacity : 64;
        frame *grown = scarce__realloc_array(b->stack, capacity, sizeof *grown);
        if (!grown) return 0;
        b->stack = grown;
        b->capacity = capacity;
    }
    memset(b->stack + b->depth, 0, sizeof *b->stack);
    b->stack[b->depth++].node = (uint32_t)node;
    if (b->depth > b->most_depth) b->most_depth = b->depth;
    return 1;
}

/* f and g of a feature whose conditions are met; unmet: f = (1 - t) z, g = -1 / (1 - t). */
static double f_met(double t, double z)
{
    return t + (1 - t) * z;
}

static double g_met(double t, double z)
{
    return (1 - z) / f_met(t, z);
}

/* What the edge to a child does in a case: f multiplies P, d is the change of g. */
static void edge(const frame *fr, int child, int which, double t, double *f, double *d)
{
    const double zo = fr->old_z, z = zo * fr->share[child];

    if (which == 2) *f = fr->share[child], *d = 0;
    else if (which == child) *f = f_met(t, z) / f_met(t, zo), *d = g_met(t, z) - g_met(t, zo);
    else *f = (1 - t) * z / f_met(t, zo), *d = -1 / (1 - t) - g_met(t, zo);
}

static void put_constants(builder *b, const frame *fr, scarce__shap_what what, int which, double *to)
{
    const scarce__node *first = b->nodes + fr->first, *second = b->nodes + fr->second;
    const size_t padded = b->tree->padded;

    for (size_t k = 0; k < b->tree->n_points; ++k) {
        const double v0 = (double)first->value, v1 = (double)second->value;
        double f[2], d[2];
        for (int child = 0; child < 2; ++child) edge(fr, child, which, b->point[k], &f[child], &d[child]);
        switch (what) {
        case SCARCE__SHAP_PAIR:
            to[k] = v0 * f[0] + v1 * f[1];
            to[padded + k] = v0 * f[0] * d[0] + v1 * f[1] * d[1];
            break;
        case SCARCE__SHAP_ENTER_ONE:
            to[k] = f[0];
            to[padded + k] = v1 * f[1];
            to[2 * padded + k] = v1 * f[1] * d[1];
            break;
        case SCARCE__SHAP_LEAVE_ONE: to[k] = d[0]; break;
        case SCARCE__SHAP_ENTER_FIRST: to[k] = f[0]; break;
        case SCARCE__SHAP_NEXT:
            to[k] = d[0];
            to[padded + k] = f[1];
            break;
        case SCARCE__SHAP_LEAVE_SECOND: to[k] = d[1]; break;
        }
    }
}

static void emit(builder *b, const frame *fr, scarce__shap_what what)
{
    const scarce__node *node = b->nodes + fr->node;
    const size_t kinds = scarce__shap_kinds(what), cases = fr->old ? 3 : 2;

    if (b->tree) {
        scarce__shap_op *op = b->shap->ops + b->n_ops;
        op->what = (uint8_t)what;
        op->flags = (uint8_t)node->flags;
        op->first_right = fr->first == (uint32_t)node->right;
        op->level = (uint32_t)(b->depth - 1);
        op->old = fr->old;
        op->feature = b->number[node->feature];
        op->threshold = node->value;
        op->set = node->set;
        op->set_words = node->set_words;
        op->constants = b->n_constants;
        for (size_t c = 0; c < cases; ++c) {
            put_constants(b, fr, what, (int)c, b->shap->constants + b->n_constants);
            b->n_constants += kinds * b->tree->padded;
        }
    }
    ++b->n_ops;
    b->n_kinds += kinds * cases;
}

/* First sight of a node. Returns the stage it goes on with; 0: it is done. */
static int open_node(builder *b, frame *fr)
{
    const scarce__node *node = b->nodes + fr->node;
    const scarce__node *left = b->nodes + node->left, *right = b->nodes + node->right;
    const double share = scarce__shap_share(left, right);
    const uint32_t feature = b->number[node->feature];
    const int swap = left->feature < 0 && right->feature >= 0; /* an inner child comes first */

    fr->first = (uint32_t)(swap ? node->right : node->left);
    fr->second = (uint32_t)(swap ? node->left : node->right);
    fr->share[swap] = share;
    fr->share[!swap] = 1 - share;
    fr->old = b->at[feature];
    fr->old_z = b->z[feature];
    if (!fr->old && ++b->distinct > b->most_distinct) b->most_distinct = b->distinct;
    if (left->feature < 0 && right->feature < 0) {
        emit(b, fr, SCARCE__SHAP_PAIR);
        return 0;
    }
    b->at[feature] = (uint32_t)b->depth;
    b->z[feature] = fr->old_z * fr->share[0];
    if (left->feature < 0 || right->feature < 0) {
        emit(b, fr, SCARCE__SHAP_ENTER_ONE);
        return 1;
    }
    emit(b, fr, SCARCE__SHAP_ENTER_FIRST);
    return 2;
}

static int walk(builder *b)
{
    b->depth = 0;
    b->distinct = 0;
    if (b->nodes[0].feature < 0) return 1;
    if (!push(b, 0)) return 0;
    while (b->depth) {
        frame *fr = b->stack + b->depth - 1;
        const uint32_t feature = b->number[b->nodes[fr->node].feature];
        if (fr->stage == 0 && (fr->stage = open_node(b, fr)) != 0) {
            if (!push(b, (int32_t)fr->first)) return 0;
            continue;
        }
        if (fr->stage == 2) {
            emit(b, fr, SCARCE__SHAP_NEXT);
            b->z[feature] = fr->old_z * fr->share[1];
            fr->stage = 3;
            if (!push(b, (int32_t)fr->second)) return 0;
            continue;
        }
        if (fr->stage == 1) emit(b, fr, SCARCE__SHAP_LEAVE_ONE);
        if (fr->stage == 3) emit(b, fr, SCARCE__SHAP_LEAVE_SECOND);
        b->at[feature] = fr->old;
        b->z[feature] = fr->old_z;
        b->distinct -= !fr->old;
        --b->depth;
    }
    return 1;
}

/* ---- all trees */

static scarce_status find_used(builder *b, scarce_error *err)
{
    scarce__shap *shap = b->shap;
    const scarce__forest *forest = b->forest;
    const size_t n_nodes = forest->n_trees ? forest->tree_begin[forest->n_trees] : 0;

    b->number = scarce__calloc(forest->n_features, sizeof *b->number);
    if (!b->number) return scarce__fail_memory(err, "an explainer", 0);
    for (size_t i = 0; i < n_nodes; ++i)
        if (forest->nodes[i].feature >= 0) b->number[forest->nodes[i].feature] = 1;
    for (size_t f = 0; f < forest->n_features; ++f) shap->n_used += b->number[f];
    shap->used = scarce__malloc_array(shap->n_used, sizeof *shap->used);
    b->at = scarce__calloc(shap->n_used, sizeof *b->at);
    b->z = scarce__malloc_array(shap->n_used, sizeof *b->z);
    if (!shap->used || !b->at || !b->z) return scarce__fail_memory(err, "an explainer", 0);
    for (size_t f = 0, n = 0; f < forest->n_features; ++f) {
        if (!b->number[f]) continue;
        shap->used[n] = (uint32_t)f;
        b->z[n] = 1;
        b->number[f] = (uint32_t)n++;
    }
    return SCARCE_OK;
}

static void start_tree(builder *b, size_t t)
{
    b->nodes = b->forest->nodes + b->forest->tree_begin[t];
    b->most_distinct = b->most_depth = 0;
}

static scarce_status count_trees(builder *b, size_t *n_constants, size_t *n_weights, scarce_error *err)
{
    scarce__shap *shap = b->shap;

    for (size_t t = 0; t < shap->n_trees; ++t) {
        scarce__shap_tree *tree = shap->trees + t;
        start_tree(b, t);
        tree->op = b->n_ops;
        b->n_kinds = 0;
        if (!walk(b)) return scarce__fail_memory(err, "an explainer", 0);
        if (b->most_distinct > SCARCE__SHAP_PATH_MOST)
            return scarce__fail(err, SCARCE_EUNSUPPORTED,
                                "tree %zu has a path of %zu different features, at most %d can be explained",
                                t, b->most_distinct, (int)SCARCE__SHAP_PATH_MOST);
        tree->n_ops = b->n_ops - tree->op;
        tree->levels = (uint32_t)b->most_depth;
        tree->n_points = (uint32_t)(b->most_distinct + 1) / 2;
        tree->padded = (tree->n_points + 3) / 4 * 4;
        tree->weights = *n_weights;
        *n_weights += tree->padded;
        if (b->n_kinds > (SIZE_MAX / 16 - *n_constants) / (tree->padded + 1))
            return scarce__fail_memory(err, "an explainer", 0);
        *n_constants += b->n_kinds * tree->padded;
        if (tree->levels > shap->most_levels) shap->most_levels = tree->levels;
        if ((size_t)tree->levels * tree->padded > shap->most_work)
            shap->most_work = (size_t)tree->levels * tree->padded;
    }
    return SCARCE_OK;
}

static scarce_status write_trees(builder *b, scarce_error *err)
{
    scarce__shap *shap = b->shap;
    double *point = scarce__malloc_array(2 * SCARCE__SHAP_PATH_MOST, sizeof *point);
    double *weight = point ? point + SCARCE__SHAP_PATH_MOST : NULL;
    uint32_t n_points = 0;
    int walked = point != NULL;

    b->n_ops = 0;
    for (size_t t = 0; t < shap->n_trees && walked; ++t) {
        b->tree = shap->trees + t;
        b->point = point;
        if (b->tree->n_points != n_points) scarce__quadrature(n_points = b->tree->n_points, point, weight);
        if (n_points) memcpy(shap->weights + b->tree->weights, weight, n_points * sizeof *weight);
        start_tree(b, t);
        walked = walk(b);
    }
    scarce__free(point);
    return walked ? SCARCE_OK : scarce__fail_memory(err, "an explainer", 0);
}

/* The mean of each tree by its cover: children have larger numbers than their parent. */
static scarce_status set_base(scarce__shap *shap, const scarce__forest *forest, scarce_error *err)
{
    size_t largest = 1;
    double *mean;

    for (size_t t = 0; t < forest->n_trees; ++t)
        if (forest->tree_begin[t + 1] - forest->tree_begin[t] > largest)
            largest = forest->tree_begin[t + 1] - forest->tree_begin[t];
    mean = scarce__malloc_array(largest, sizeof *mean);
    if (!mean) return scarce__fail_memory(err, "an explainer", 0);
    shap->base = forest->base;
    for (size_t t = 0; t < forest->n_trees; ++t) {
        const scarce__node *nodes = forest->nodes + forest->tree_begin[t];
        for (size_t i = forest->tree_begin[t + 1] - forest->tree_begin[t]; i-- > 0;) {
            const scarce__node *node = nodes + i;
            if (node->feature < 0) {
                mean[i] = (double)node->value;
                continue;
            }
            const double share = scarce__shap_share(nodes + node->left, nodes + node->right);
            mean[i] = share * mean[node->left] + (1 - share) * mean[node->right];
        }
        shap->base += mean[0];
    }
    scarce__free(mean);
    return SCARCE_OK;
}

static scarce_status build(builder *b, scarce_error *err)
{
    scarce__shap *shap = b->shap;
    const scarce__forest *forest = b->forest;
    size_t n_constants = 0, n_weights = 0;

    SCARCE__TRY(find_used(b, err));
    SCARCE__TRY(set_base(shap, forest, err));
    shap->trees = scarce__calloc(shap->n_trees, sizeof *shap->trees);
    shap->sets = scarce__malloc_array(forest->n_set_words, sizeof *shap->sets);
    if (!shap->trees || !shap->sets) return scarce__fail_memory(err, "an explainer", 0);
    if (forest->n_set_words) memcpy(shap->sets, forest->sets, forest->n_set_words * sizeof *shap->sets);
    SCARCE__TRY(count_trees(b, &n_constants, &n_weights, err));
    shap->ops = scarce__calloc(b->n_ops, sizeof *shap->ops);
    shap->constants = scarce__calloc(n_constants, sizeof *shap->constants); /* zeros behind the points */
    shap->weights = scarce__calloc(n_weights, sizeof *shap->weights);
    if (!shap->ops || !shap->constants || !shap->weights)
        return scarce__fail_memory(err, "an explainer", n_constants * sizeof *shap->constants);
    shap->bytes = sizeof *shap + b->n_ops * sizeof *shap->ops + shap->n_trees * sizeof *shap->trees +
                  (n_constants + n_weights) * sizeof(double) + (forest->n_set_words + shap->n_used) * 4;
    return write_trees(b, err);
}

scarce_status scarce__shap_new(scarce__shap **out, const scarce__forest *forest, scarce_error *err)
{
    builder b = {0};
    scarce_status st;

    *out = NULL;
    b.forest = forest;
    b.shap = scarce__calloc(1, sizeof *b.shap);
    if (!b.shap) return scarce__fail_memory(err, "an explainer", sizeof *b.shap);
    b.shap->n_features = forest->n_features;
    b.shap->n_trees = forest->n_trees;
    (void)scarce__shap_set_level(b.shap, 2);
    st = build(&b, err);
    scarce__free(b.number);
    scarce__free(b.at);
    scarce__free(b.z);
    scarce__free(b.stack);
    if (st != SCARCE_OK) {
        scarce__shap_free(b.shap);
        return st;
    }
    *out = b.shap;
    return SCARCE_OK;
}
