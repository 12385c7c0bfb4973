/* SPDX-License-Identifier: Apache-2.0 */
/* Scores and gradients of a layer of representations over rows whose leaves are known (latent_inside.h).
 *
 * Forward: z of a row is the sum of the table's rows of its leaves. 4 rows go together, 24 lanes at a time, so
 * that their sums stay in registers: at 20 representations three additions per row and tree, and nothing but the
 * bytes of the leaves is read from memory.
 * Backward: with u_p = w (sigma(F) - y) where z_p > 0 and 0 elsewhere,
 *     d/da_p = sum_i w (sigma(F) - y) max(0, z_p),     d/dalpha_tp = a_p sum_i h_t u_p
 * tree by tree over the rows of a block. */
#include <math.h>
#include <string.h>

#include "boost/exp.h"
#include "boost/latent_inside.h"
#include "core/alloc.h"
#include "core/fail.h"

typedef float eight __attribute__((vector_size(32)));
typedef int32_t eight_bits __attribute__((vector_size(32)));
typedef float eight_at __attribute__((vector_size(32), may_alias, aligned(4))); /* in memory */

/* ---- leaves */

void scarce__leaf_bytes_deinit(scarce__leaf_bytes *b)
{
    for (size_t t = 0; t < b->n_trees; ++t) scarce__free(b->tree[t]);
    scarce__free(b->tree);
    memset(b, 0, sizeof *b);
}

scarce_status scarce__leaf_bytes_add(scarce__leaf_bytes *b, uint8_t **out, scarce_error *err)
{
    if (b->n_trees == b->room) {
        const size_t room = b->room ? 2 * b->room : 64;
        uint8_t **larger = scarce__realloc_array(b->tree, room, sizeof *larger);
        if (!larger) return scarce__fail_memory(err, "leaves of rows", room * sizeof *larger);
        b->tree = larger;
        b->room = room;
    }
    *out = scarce__big_alloc(b->n + 3, 1);
    if (!*out) return scarce__fail_memory(err, "leaves of rows", b->n);
    memset(*out + b->n, 0, 3);
    b->tree[b->n_trees++] = *out;
    return SCARCE_OK;
}

/* ---- tables */

void scarce__latent_tables_deinit(scarce__latent_tables *x)
{
    scarce__free(x->first);
    scarce__free(x->value);
    scarce__free(x->table);
    memset(x, 0, sizeof *x);
}

static scarce_status tables_room(scarce__latent_tables *x, size_t n_leaves, scarce_error *err)
{
    if (x->n_trees + 1 > x->trees_room) {
        const size_t room = 2 * x->trees_room + 32;
        size_t *first = scarce__realloc_array(x->first, room, sizeof *first);
        if (!first) return scarce__fail_memory(err, "representations", room * sizeof *first);
        x->first = first;
        x->trees_room = room;
    }
    if (x->n_leaves + n_leaves > x->leaves_room) {
        const size_t room = 2 * (x->n_leaves + n_leaves);
        float *value = scarce__realloc_array(x->value, room, sizeof *value);
        if (!value) return scarce__fail_memory(err, "representations", room * sizeof *value);
        x->value = value;
        float *table = scarce__big_alloc(room * x->lanes, sizeof *table); /* filled anew before it is read */
        if (!table) return scarce__fail_memory(err, "representations", room * x->lanes * sizeof *table);
        scarce__free(x->table);
        x->table = table;
        x->leaves_room = room;
    }
    return SCARCE_OK;
}

scarce_status scarce__latent_tables_add(scarce__latent_tables *x, const float *value, size_t n_leaves,
                                        scarce_error *err)
{
    SCARCE__TRY(tables_room(x, n_leaves, err));
    x->first[x->n_trees++] = x->n_leaves;
    memcpy(x->value + x->n_leaves, value, n_leaves * sizeof *value);
    x->n_leaves += n_leaves;
    return SCARCE_OK;
}

void scarce__latent_tables_fill(scarce__latent_tables *x, const scarce__latent *layer)
{
    const size_t width = x->width, lanes = x->lanes;

    for (size_t p = 0; p < lanes; ++p) {
        x->weight[p] = p < width ? (float)layer->out[p] : p == width ? 1.0f : 0.0f;
        x->floor[p] = p < width ? 0.0f : -INFINITY;
    }
    for (size_t t = 0; t < x->n_trees; ++t) {
        const size_t end = t + 1 < x->n_trees ? x->first[t + 1] : x->n_leaves;
        const double *in = layer->in + t * width;
        for (size_t l = x->first[t]; l < end; ++l) {
            float *to = x->table + l * lanes;
            const float v = x->value[l];
            for (size_t p = 0; p < width; ++p) to[p] = (float)in[p] * v;
            to[width] = x->skip * v;
            for (size_t p = width + 1; p < lanes; ++p) to[p] = 0;
        }
    }
}

/* ---- forward */

enum { ROWS = 4, VECTORS = 3 };

/* The k vectors from lane `from` on of z of 4 rows from r on; adds their share to `sum`. */
SCARCE__BODY void four_rows(const scarce__latent_tables *x, const uint8_t *const *tree, size_t r, size_t from,
                            int k, eight sum[ROWS], float *z)
{
    const size_t lanes = x->lanes;
    const float *table = x->table + from;
    eight at[ROWS][VECTORS];

    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < k; ++j) at[i][j] = (eight){0};
    for (size_t t = 0; t < x->n_trees; ++t) {
        const uint8_t *leaf = tree[t] + r;
        const float *of_tree = table + x->first[t] * lanes;
        for (int i = 0; i < ROWS; ++i) {
            const float *of_leaf = of_tree + leaf[i] * lanes;
            for (int j = 0; j < k; ++j) at[i][j] += *(const eight_at *)(const void *)(of_leaf + 8 * j);
        }
    }
    for (int j = 0; j < k; ++j) {
        const eight weight = *(const eight_at *)(const void *)(x->weight + from + 8 * (size_t)j);
        const eight floor = *(const eight_at *)(const void *)(x->floor + from + 8 * (size_t)j);
        for (int i = 0; i < ROWS; ++i) {
            const eight above = (eight)((eight_bits)at[i][j] & (eight_bits)(at[i][j] > floor));
            sum[i] += weight * above;
            if (z) *(eight_at *)(void *)(z + (size_t)i * lanes + from + 8 * (size_t)j) = at[i][j];
        }
    }
}

/* By address: a vector as an argument would depend on the instruction set. */
SCARCE__BODY float add_lanes(const eight *sum)
{
    const eight s = *sum;
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* z has room for whole groups of 4 rows. */
SCARCE__BODY void forward_body(const scarce__latent_tables *x, const uint8_t *const *tree, size_t begin,
                               size_t n, float *score, float *z)
{
    const size_t vectors = x->lanes / 8;

    for (size_t at = 0; at < n; at += ROWS) {
        eight sum[ROWS] = {{0}, {0}, {0}, {0}};
        float *to = z ? z + at * x->lanes : NULL;
        size_t v = 0;
        for (; v + 3 <= vectors; v += 3) four_rows(x, tree, begin + at, 8 * v, 3, sum, to);
        if (v + 2 == vectors) four_rows(x, tree, begin + at, 8 * v, 2, sum, to);
        if (v + 1 == vectors) four_rows(x, tree, begin + at, 8 * v, 1, sum, to);
        for (size_t i = 0; i < ROWS && at + i < n; ++i) score[at + i] = x->base + add_lanes(&sum[i]);
    }
}

static void forward_plain(const scarce__latent_tables *x, const uint8_t *const *tree, size_t begin, size_t n,
                          float *score, float *z)
{
    forward_body(x, tree, begin, n, score, z);
}

SCARCE__AVX2 static void forward_avx2(const scarce__latent_tables *x, const uint8_t *const *tree,
                                      size_t begin, size_t n, float *score, float *z)
{
    forward_body(x, tree, begin, n, score, z);
}

void scarce__latent_forward(const scarce__latent_tables *x, const scarce__leaf_bytes *rows, size_t begin,
                            size_t n, float *score, float *z, int avx2)
{
    const uint8_t *const *tree = (const uint8_t *const *)rows->tree;
    if (avx2) forward_avx2(x, tree, begin, n, score, z);
    else forward_plain(x, tree, begin, n, score, z);
}

SCARCE__BODY void extend_body(const scarce__latent_tables *x, const uint8_t *leaf, size_t n, float *score,
                              float *z)
{
    const size_t lanes = x->lanes, vectors = lanes / 8;
    const float *of_tree = x->table + x->first[x->n_trees - 1] * lanes;

    for (size_t r = 0; r < n; ++r) {
        const float *of_leaf = of_tree + leaf[r] * lanes;
        eight sum = {0};
        for (size_t v = 0; v < vectors; ++v) {
            eight_at *at = (eight_at *)(void *)(z + r * lanes + 8 * v);
            const eight now = *at + *(const eight_at *)(const void *)(of_leaf + 8 * v);
            const eight floor = *(const eight_at *)(const void *)(x->floor + 8 * v);
            *at = now;
            sum += *(const eight_at *)(const void *)(x->weight + 8 * v) *
                   (eight)((eight_bits)now & (eight_bits)(now > floor));
        }
        score[r] = x->base + add_lanes(&sum);
    }
}

static void extend_plain(const scarce__latent_tables *x, const uint8_t *leaf, size_t n, float *score,
                         float *z)
{
    extend_body(x, leaf, n, score, z);
}

SCARCE__AVX2 static void extend_avx2(const scarce__latent_tables *x, const uint8_t *leaf, size_t n,
                                     float *score, float *z)
{
    extend_body(x, leaf, n, score, z);
}

void scarce__latent_extend(const scarce__latent_tables *x, const scarce__leaf_bytes *rows, size_t begin,
                           size_t n, float *score, float *z, int avx2)
{
    const uint8_t *leaf = rows->tree[x->n_trees - 1] + begin;
    if (avx2) extend_avx2(x, leaf, n, score, z);
    else extend_plain(x, leaf, n, score, z);
}

/* ---- backward */

/* z becomes u, and `out` the gradient of what representations weigh. */
SCARCE__BODY void turn_body(const scarce__latent_tables *x, size_t n, const float *g, float *z, float *out)
{
    const size_t vectors = x->lanes / 8;

    memset(out, 0, x->lanes * sizeof *out);
    for (size_t r = 0; r < n; ++r)
        for (size_t v = 0; v < vectors; ++v) {
            eight_at *at = (eight_at *)(void *)(z + r * x->lanes + 8 * v),
                     *to = (eight_at *)(void *)(out + 8 * v);
            const eight_bits gate = (eight_bits)(*at > (eight){0});
            const eight all = {g[r], g[r], g[r], g[r], g[r], g[r], g[r], g[r]};
            *to += all * (eight)((eight_bits)*at & gate);
            *at = (eight)((eight_bits)all & gate);
        }
}

/* k vectors from lane `from` on of sum_i h_t(i) u_i for one tree: even and odd rows apart, so that two sums
 * are under way. */
SCARCE__BODY void one_tree(const float *value, const uint8_t *leaf, size_t n, const float *u, size_t lanes,
                           int k, float *to)
{
    eight even[VECTORS], odd[VECTORS];

    for (int j = 0; j < k; ++j) even[j] = odd[j] = (eight){0};
    for (size_t r = 0; r < n; r += 2) {
        const float a = value[leaf[r]], b = r + 1 < n ? value[leaf[r + 1]] : 0.0f;
        const eight va = {a, a, a, a, a, a, a, a}, vb = {b, b, b, b, b, b, b, b};
        const float *row = u + r * lanes;
        for (int j = 0; j < k; ++j) {
            even[j] += va * *(const eight_at *)(const void *)(row + 8 * j);
            odd[j] += vb * *(const eight_at *)(const void *)(row + lanes + 8 * j);
        }
    }
    for (int j = 0; j < k; ++j) *(eight_at *)(void *)(to + 8 * j) = even[j] + odd[j];
}

SCARCE__BODY void backward_body(const scarce__latent_tables *x, const scarce__leaf_bytes *rows,
                                const scarce__latent_block *b, const float *g)
{
    const size_t lanes = x->lanes, vectors = lanes / 8;

    turn_body(x, b->n, g, b->z, b->out);
    if (b->n % 2) memset(b->z + b->n * lanes, 0, lanes * sizeof *b->z);
    for (size_t t = 0; t < x->n_trees; ++t) {
        const float *value = x->value + x->first[t];
        const uint8_t *leaf = rows->tree[t] + b->begin;
        float *to = b->in + t * lanes;
        size_t v = 0;
        for (; v + 3 <= vectors; v += 3) one_tree(value, leaf, b->n, b->z + 8 * v, lanes, 3, to + 8 * v);
        if (v + 2 == vectors) one_tree(value, leaf, b->n, b->z + 8 * v, lanes, 2, to + 8 * v);
        if (v + 1 == vectors) one_tree(value, leaf, b->n, b->z + 8 * v, lanes, 1, to + 8 * v);
        for (size_t p = 0; p < lanes; ++p) to[p] *= x->weight[p];
    }
}

SCARCE__BODY void residual_body(const float *score, const uint8_t *label, const float *weight, size_t n,
                                float *g)
{
    for (size_t i = 0; i < n; ++i) {
        const float f = score[i], e = scarce__expf(f < 0 ? f : -f), large = 1.0f / (1.0f + e);
        const float small = e * large, p = f < 0 ? small : large, rest = f < 0 ? large : small;
        g[i] = weight[i] * (label[i] ? -rest : p);
    }
}

static void backward_plain(const scarce__latent_tables *x, const scarce__leaf_bytes *rows,
                           const scarce__latent_block *b, float *score, float *g)
{
    residual_body(score, b->label + b->begin, b->weight + b->begin, b->n, g);
    backward_body(x, rows, b, g);
}

SCARCE__AVX2 static void backward_avx2(const scarce__latent_tables *x, const scarce__leaf_bytes *rows,
                                       const scarce__latent_block *b, float *score, float *g)
{
    residual_body(score, b->label + b->begin, b->weight + b->begin, b->n, g);
    backward_body(x, rows, b, g);
}

void scarce__latent_backward(const scarce__latent_tables *x, const scarce__leaf_bytes *rows,
                             const scarce__latent_block *b, int avx2)
{
    float score[SCARCE__LATENT_BLOCK], g[SCARCE__LATENT_BLOCK];

    scarce__latent_forward(x, rows, b->begin, b->n, score, b->z, avx2);
    if (avx2) backward_avx2(x, rows, b, score, g);
    else backward_plain(x, rows, b, score, g);
}
