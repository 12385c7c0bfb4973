/* SPDX-License-Identifier: Apache-2.0 */
/* Scores and gradients of a layer of representations over rows whose leaves are known (latent_inside.h).
 *
 * Forward: z of a row is the sum of the table's rows of its leaves. 4 rows go together, 24 lanes at a time, so
 * that their sums stay in registers: at 20 representations three additions per row and group of trees, and nothing but
 * the bytes of the leaves is read from memory.
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
    for (size_t g = 0; g < b->n_groups; ++g) scarce__free(b->group[g]);
    scarce__free(b->group);
    memset(b, 0, sizeof *b);
}

scarce_status scarce__leaf_bytes_add(scarce__leaf_bytes *b, uint8_t **out, scarce_error *err)
{
    if (b->n_groups == b->room) {
        const size_t room = b->room ? 2 * b->room : 64;
        uint8_t **larger = scarce__realloc_array(b->group, room, sizeof *larger);
        if (!larger) return scarce__fail_memory(err, "leaves of rows", room * sizeof *larger);
        b->group = larger;
        b->room = room;
    }
    *out = scarce__big_alloc(b->n + 3, 1);
    if (!*out) return scarce__fail_memory(err, "leaves of rows", b->n);
    memset(*out + b->n, 0, 3);
    b->group[b->n_groups++] = *out;
    return SCARCE_OK;
}

/* ---- tables */

void scarce__latent_tables_deinit(scarce__latent_tables *x)
{
    scarce__free(x->first);
    scarce__free(x->value);
    scarce__free(x->table);
    scarce__free(x->groups);
    scarce__free(x->sums);
    scarce__free(x->spread);
    memset(x, 0, sizeof *x);
}

static scarce_status trees_room(scarce__latent_tables *x, scarce_error *err)
{
    if (x->n_trees + 1 <= x->trees_room) return SCARCE_OK;
    const size_t room = 2 * x->trees_room + 32;
    size_t *first = scarce__realloc_array(x->first, room, sizeof *first);
    if (!first) return scarce__fail_memory(err, "representations", room * sizeof *first);
    x->first = first;
    scarce__latent_group *groups = scarce__realloc_array(x->groups, room, sizeof *groups);
    if (!groups) return scarce__fail_memory(err, "representations", room * sizeof *groups);
    x->groups = groups;
    x->trees_room = room;
    return SCARCE_OK;
}

/* Lanes for `n` rows; those that are there are filled anew before they are read. */
static scarce_status lanes_room(float **table, size_t *room, size_t n, size_t lanes, scarce_error *err)
{
    if (n <= *room) return SCARCE_OK;
    float *larger = scarce__big_alloc(2 * n * lanes, sizeof *larger);
    if (!larger) return scarce__fail_memory(err, "representations", 2 * n * lanes * sizeof *larger);
    scarce__free(*table);
    *table = larger;
    *room = 2 * n;
    return SCARCE_OK;
}

static scarce_status tables_room(scarce__latent_tables *x, size_t n_leaves, scarce_error *err)
{
    const size_t n = x->n_leaves + n_leaves;

    SCARCE__TRY(trees_room(x, err));
    if (n > x->leaves_room) {
        float *value = scarce__realloc_array(x->value, 2 * n, sizeof *value);
        if (!value) return scarce__fail_memory(err, "representations", 2 * n * sizeof *value);
        x->value = value;
        SCARCE__TRY(lanes_room(&x->table, &x->leaves_room, n, x->lanes, err));
    }
    return SCARCE_OK;
}

/* The values of the last group's trees, by combination. */
static scarce_status spread_values(scarce__latent_tables *x, scarce_error *err)
{
    scarce__latent_group *g = x->groups + x->n_groups - 1;
    size_t stride = 1;

    x->n_spread = g->spread + g->n_trees * g->n;
    if (x->n_spread > x->spread_room) {
        float *larger = scarce__realloc_array(x->spread, 2 * x->n_spread, sizeof *larger);
        if (!larger) return scarce__fail_memory(err, "representations", 2 * x->n_spread * sizeof *larger);
        x->spread = larger;
        x->spread_room = 2 * x->n_spread;
    }
    for (size_t t = 0; t < g->n_trees; ++t) {
        const size_t first = x->first[g->tree + t],
                     n = (g->tree + t + 1 < x->n_trees ? x->first[g->tree + t + 1] : x->n_leaves) - first;
        float *to = x->spread + g->spread + t * g->n;
        for (size_t c = 0; c < g->n; ++c) to[c] = x->value[first + c / stride % n];
        stride *= n;
    }
    return SCARCE_OK;
}

scarce_status scarce__latent_tables_add(scarce__latent_tables *x, const float *value, size_t n_leaves,
                                        scarce_error *err)
{
    scarce__latent_group *last;

    SCARCE__TRY(tables_room(x, n_leaves, err));
    last = x->groups + x->n_groups;
    const int joins = x->n_groups > 0 && last[-1].n * n_leaves <= x->most;
    if (joins) {
        --last;
        ++last->n_trees;
        last->n *= n_leaves;
    } else {
        *last = (scarce__latent_group){x->n_trees, 1, n_leaves, x->n_sums, x->n_spread};
        ++x->n_groups;
    }
    x->first[x->n_trees++] = x->n_leaves;
    memcpy(x->value + x->n_leaves, value, n_leaves * sizeof *value);
    x->n_leaves += n_leaves;
    if (!joins) return SCARCE_OK;
    x->n_sums = last->first + last->n;
    SCARCE__TRY(lanes_room(&x->sums, &x->sums_room, x->n_sums, x->lanes, err));
    return spread_values(x, err);
}

/* What combinations add: tree after tree, those of the trees before plus what a leaf adds. */
static void add_up(scarce__latent_tables *x, const scarce__latent_group *g)
{
    const size_t lanes = x->lanes;
    float *sums = x->sums + g->first * lanes;
    size_t stride = 1;

    for (size_t t = g->tree; t < g->tree + g->n_trees; ++t) {
        const size_t n = (t + 1 < x->n_trees ? x->first[t + 1] : x->n_leaves) - x->first[t];
        const float *table = x->table + x->first[t] * lanes;
        if (t == g->tree) memcpy(sums, table, n * lanes * sizeof *sums);
        else
            for (size_t l = n; l-- > 0;)
                for (size_t c = 0; c < stride; ++c) {
                    const float *from = sums + c * lanes, *more = table + l * lanes;
                    float *to = sums + (l * stride + c) * lanes;
                    for (size_t p = 0; p < lanes; ++p) to[p] = from[p] + more[p];
                }
        stride *= n;
    }
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
    for (size_t g = 0; g < x->n_groups; ++g)
        if (x->groups[g].n_trees > 1) add_up(x, x->groups + g);
}

/* What the combinations of a group add. */
static inline const float *sums_of(const scarce__latent_tables *x, const scarce__latent_group *group)
{
    return group->n_trees > 1 ? x->sums + group->first * x->lanes
                              : x->table + x->first[group->tree] * x->lanes;
}

/* ---- forward */

enum { ROWS = 4, VECTORS = 3 };

/* The k vectors from lane `from` on of z of 4 rows from r on; adds their share to `sum`. */
SCARCE__BODY void four_rows(const scarce__latent_tables *x, const uint8_t *const *group, size_t r,
                            size_t from, int k, eight sum[ROWS], float *z)
{
    const size_t lanes = x->lanes;
    eight at[ROWS][VECTORS];

    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < k; ++j) at[i][j] = (eight){0};
    for (size_t g = 0; g < x->n_groups; ++g) {
        const uint8_t *which = group[g] + r;
        const float *of_group = sums_of(x, x->groups + g) + from;
        for (int i = 0; i < ROWS; ++i) {
            const float *of_row = of_group + which[i] * lanes;
            for (int j = 0; j < k; ++j) at[i][j] += *(const eight_at *)(const void *)(of_row + 8 * j);
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
SCARCE__BODY void forward_body(const scarce__latent_tables *x, const uint8_t *const *group, size_t begin,
                               size_t n, float *score, float *z)
{
    const size_t vectors = x->lanes / 8;

    for (size_t at = 0; at < n; at += ROWS) {
        eight sum[ROWS] = {{0}, {0}, {0}, {0}};
        float *to = z ? z + at * x->lanes : NULL;
        size_t v = 0;
        for (; v + 3 <= vectors; v += 3) four_rows(x, group, begin + at, 8 * v, 3, sum, to);
        if (v + 2 == vectors) four_rows(x, group, begin + at, 8 * v, 2, sum, to);
        if (v + 1 == vectors) four_rows(x, group, begin + at, 8 * v, 1, sum, to);
        for (size_t i = 0; i < ROWS && at + i < n; ++i) score[at + i] = x->base + add_lanes(&sum[i]);
    }
}

static void forward_plain(const scarce__latent_tables *x, const uint8_t *const *group, size_t begin, size_t n,
                          float *score, float *z)
{
    forward_body(x, group, begin, n, score, z);
}

SCARCE__AVX2 static void forward_avx2(const scarce__latent_tables *x, const uint8_t *const *group,
                                      size_t begin, size_t n, float *score, float *z)
{
    forward_body(x, group, begin, n, score, z);
}

void scarce__latent_forward(const scarce__latent_tables *x, const scarce__leaf_bytes *rows, size_t begin,
                            size_t n, float *score, float *z, int avx2)
{
    const uint8_t *const *group = (const uint8_t *const *)rows->group;
    if (avx2) forward_avx2(x, group, begin, n, score, z);
    else forward_plain(x, group, begin, n, score, z);
}

/* Which leaf of the newest tree each combination of the last group has. */
SCARCE__BODY void newest_leaves(const scarce__latent_tables *x, uint8_t *leaf)
{
    const size_t n = x->groups[x->n_groups - 1].n, stride = n / (x->n_leaves - x->first[x->n_trees - 1]);
    for (size_t c = 0; c < n; ++c) leaf[c] = (uint8_t)(c / stride);
}

SCARCE__BODY void extend_rows(const scarce__latent_tables *x, const uint8_t *which, size_t n, float *score,
                              float *z, size_t vectors)
{
    const size_t lanes = 8 * vectors;
    const float *of_tree = x->table + x->first[x->n_trees - 1] * lanes;
    uint8_t leaf[256];

    newest_leaves(x, leaf);
    for (size_t r = 0; r < n; ++r) {
        const float *of_leaf = of_tree + leaf[which[r]] * lanes;
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

SCARCE__BODY void extend_body(const scarce__latent_tables *x, const uint8_t *which, size_t n, float *score,
                              float *z)
{
    if (x->lanes == 8 * VECTORS) extend_rows(x, which, n, score, z, VECTORS);
    else extend_rows(x, which, n, score, z, x->lanes / 8);
}

static void extend_plain(const scarce__latent_tables *x, const uint8_t *which, size_t n, float *score,
                         float *z)
{
    extend_body(x, which, n, score, z);
}

SCARCE__AVX2 static void extend_avx2(const scarce__latent_tables *x, const uint8_t *which, size_t n,
                                     float *score, float *z)
{
    extend_body(x, which, n, score, z);
}

void scarce__latent_extend(const scarce__latent_tables *x, const scarce__leaf_bytes *rows, size_t begin,
                           size_t n, float *score, float *z, int avx2)
{
    const uint8_t *which = rows->group[x->n_groups - 1] + begin;
    if (avx2) extend_avx2(x, which, n, score, z);
    else extend_plain(x, which, n, score, z);
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
SCARCE__BODY void one_tree(const float *value, const uint8_t *which, size_t n, const float *u, size_t lanes,
                           int k, float *to)
{
    eight even[VECTORS], odd[VECTORS];

    for (int j = 0; j < k; ++j) even[j] = odd[j] = (eight){0};
    for (size_t r = 0; r < n; r += 2) {
        const float a = value[which[r]], b = r + 1 < n ? value[which[r + 1]] : 0.0f;
        const eight va = {a, a, a, a, a, a, a, a}, vb = {b, b, b, b, b, b, b, b};
        const float *row = u + r * lanes;
        for (int j = 0; j < k; ++j) {
            even[j] += va * *(const eight_at *)(const void *)(row + 8 * j);
            odd[j] += vb * *(const eight_at *)(const void *)(row + lanes + 8 * j);
        }
    }
    for (int j = 0; j < k; ++j) *(eight_at *)(void *)(to + 8 * j) = even[j] + odd[j];
}

/* The value of a tree's leaf, by combination of its group. */
static inline const float *value_of(const scarce__latent_tables *x, const scarce__latent_group *group,
                                    size_t tree)
{
    return group->n_trees > 1 ? x->spread + group->spread + (tree - group->tree) * group->n
                              : x->value + x->first[tree];
}

SCARCE__BODY void backward_body(const scarce__latent_tables *x, const scarce__leaf_bytes *rows,
                                const scarce__latent_block *b, const float *g)
{
    const size_t lanes = x->lanes, vectors = lanes / 8;

    turn_body(x, b->n, g, b->z, b->out);
    if (b->n % 2) memset(b->z + b->n * lanes, 0, lanes * sizeof *b->z);
    for (size_t k = 0, t = 0; k < x->n_groups; ++k) {
        const scarce__latent_group *group = x->groups + k;
        const uint8_t *which = rows->group[k] + b->begin;
        for (; t < group->tree + group->n_trees; ++t) {
            const float *value = value_of(x, group, t);
            float *to = b->in + t * lanes;
            size_t v = 0;
            for (; v + 3 <= vectors; v += 3) one_tree(value, which, b->n, b->z + 8 * v, lanes, 3, to + 8 * v);
            if (v + 2 == vectors) one_tree(value, which, b->n, b->z + 8 * v, lanes, 2, to + 8 * v);
            if (v + 1 == vectors) one_tree(value, which, b->n, b->z + 8 * v, lanes, 1, to + 8 * v);
            for (size_t p = 0; p < lanes; ++p) to[p] *= x->weight[p];
        }
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
