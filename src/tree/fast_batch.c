/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring one row or many with a prepared scorer: choosing the way, and cutting rows into tiles. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/cpu.h"
#include "data/table.h"
#include "tree/fast_large.h"

/* Below this many rows a tile isn't worth its preparation. */
enum { FEW_ROWS = 8 };

int scarce__fast_set_level(scarce__fast *fast, int level)
{
    int most = 0;
#if SCARCE__FAST_X86
    const unsigned cpu = scarce__cpu();
    if (cpu & SCARCE__CPU_AVX2) most = 1;
    if (most && (cpu & SCARCE__CPU_AVX512) && (cpu & SCARCE__CPU_POPCNT)) most = 2;
#endif
    fast->level = level < 0 ? 0 : level > most ? most : level;
    return fast->level;
}

const scarce__kernels *scarce__fast_kernels(const scarce__fast *fast)
{
#if SCARCE__FAST_X86
    if (fast->level == 2) return &scarce__kernels_avx512;
    if (fast->level == 1) return &scarce__kernels_avx2;
#endif
    (void)fast;
    return &scarce__kernels_plain;
}

double scarce__fast_one(const scarce__fast *fast, const float *row)
{
    return fast->masks ? scarce__fast_kernels(fast)->one(fast, row) : scarce__fast_walk_all(fast, row);
}

/* Where a tile's values come from. */
typedef struct source {
    const float *rows; /* row-major, or NULL: */
    size_t stride;
    const scarce__columns *columns;
    size_t begin; /* first row of the tile */
    size_t n;     /* its rows, at most SCARCE__TILE */
} source;

typedef struct scratch {
    uint8_t *columns; /* n_columns tiles of bytes */
    float *rows;      /* row-major tile for trees that are walked, when the source has columns */
    float x[SCARCE__TILE];
    double sums[SCARCE__TILE];
} scratch;

/* The values of a feature, padded with zeros to whole vectors. */
static void take_values(const source *from, size_t feature, size_t padded, float *x)
{
    const size_t n = from->n;

    if (from->rows) {
        const float *value = from->rows + feature;
        for (size_t i = 0; i < n; ++i, value += from->stride) x[i] = *value;
    } else {
        scarce__columns_take(from->columns + feature, from->begin, n, x, 1);
    }
    for (size_t i = n; i < padded; ++i) x[i] = 0;
}

static void fill_columns(const scarce__fast *fast, const scarce__kernels *kernels, const source *from,
                         size_t padded, float *x, uint8_t *columns)
{
    for (size_t i = 0; i < fast->n_inputs; ++i) {
        const scarce__input *input = fast->inputs + i;
        uint8_t *to[2];
        for (int side = 0; side < 2; ++side)
            to[side] = input->column[side] == SCARCE__NO_COLUMN
                           ? NULL
                           : columns + (size_t)input->column[side] * SCARCE__TILE;
        if (i == 0 || input->feature != input[-1].feature) take_values(from, input->feature, padded, x);
        if (input->category)
            for (size_t r = 0; r < padded; ++r) to[0][r] = scarce__input_class(fast, input, x[r]);
        else kernels->bin(fast->thresholds + input->offset, input->padded, x, padded, to[0], to[1]);
    }
}

static void fill_rows(const scarce__fast *fast, const source *from, scratch *s)
{
    for (size_t f = 0; f < fast->n_features; ++f) {
        take_values(from, f, from->n, s->x);
        for (size_t r = 0; r < from->n; ++r) s->rows[r * fast->n_features + f] = s->x[r];
    }
}

/* What trees ask of the rows of a tile. */
static void fill_tile(const scarce__fast *fast, source *from, scratch *s)
{
    const size_t padded = (from->n + 63) / 64 * 64;

    if (fast->has_tests) fill_columns(fast, scarce__fast_kernels(fast), from, padded, s->x, s->columns);
    if (s->rows) {
        fill_rows(fast, from, s);
        from->rows = s->rows;
        from->stride = fast->n_features;
    }
}

/* Adds a tree to the sums of a filled tile. */
static inline void add_tree(const scarce__fast *fast, const scarce__kernels *kernels, size_t t,
                            const source *from, scratch *s)
{
    const scarce__fast_tree *tree = fast->trees + t;
    if (fast->has_tests && tree->n_leaves <= SCARCE__BYTE_LEAVES)
        kernels->tree(fast, tree, s->columns, (from->n + 63) / 64 * 64, s->sums);
    else scarce__fast_walk_tile(fast, t, from->rows, from->n, from->stride, s->sums);
}

static void score_tile(const scarce__fast *fast, const source *tile, scratch *s, double *out)
{
    const scarce__kernels *kernels = scarce__fast_kernels(fast);
    source from = *tile;

    fill_tile(fast, &from, s);
    for (size_t r = 0; r < (from.n + 63) / 64 * 64; ++r) s->sums[r] = fast->base;
    for (size_t t = 0; t < fast->n_trees; ++t) add_tree(fast, kernels, t, &from, s);
    memcpy(out, s->sums, from.n * sizeof *out);
}

static source part_of(const source *all, size_t at, size_t most)
{
    source part = *all;
    part.n = all->n - at < most ? all->n - at : most;
    part.begin = all->begin + at;
    if (all->rows) part.rows = all->rows + at * all->stride;
    return part;
}

static void score_all(const scarce__fast *fast, const source *all, scratch *s, double *out)
{
    for (size_t at = 0; at < all->n; at += SCARCE__TILE) {
        const source tile = part_of(all, at, SCARCE__TILE);
        score_tile(fast, &tile, s, out + at);
    }
}

/* With large trees: more rows at a time, in a tile of their own. */
static void score_large(const scarce__fast *fast, const source *all, scarce__large *large, double *out)
{
    const scarce__kernels *kernels = scarce__fast_kernels(fast);
    float x[SCARCE__TILE];

    for (size_t at = 0; at < all->n; at += SCARCE__BIT_ROWS) {
        const source tile = part_of(all, at, SCARCE__BIT_ROWS);
        for (size_t k = 0; k < tile.n; k += SCARCE__TILE) {
            const source part = part_of(&tile, k, SCARCE__TILE);
            fill_columns(fast, kernels, &part, (part.n + 63) / 64 * 64, x,
                         scarce__large_columns(large, fast, k));
        }
        for (size_t r = 0; r < SCARCE__BIT_ROWS; ++r) large->sums[r] = fast->base;
        scarce__large_score(large, fast, tile.n);
        memcpy(out + at, large->sums, tile.n * sizeof *out);
    }
}

static int has_words(const scarce__fast *fast)
{
    return fast->short_nodes || fast->long_nodes;
}

/* Large trees over bytes: 0 when there is no memory for it. */
static int try_large(const scarce__fast *fast, const source *all, double *out)
{
    scarce__large large;
    if (!scarce__large_new(&large, fast)) return 0;
    score_large(fast, all, &large, out);
    scarce__large_free(&large);
    return 1;
}

void scarce__fast_batch(const scarce__fast *fast, const float *rows, size_t n, size_t stride, double *out)
{
    const source all = {rows, stride, NULL, 0, n};
    scratch s;

    s.rows = NULL;
    s.columns = NULL;
    if (n >= FEW_ROWS && fast->has_tests) s.columns = scarce__huge_alloc(fast->n_columns, SCARCE__TILE);
    if (!s.columns)
        for (size_t i = 0; i < n; ++i) out[i] = scarce__fast_one(fast, rows + i * stride);
    else if (!has_words(fast) || !try_large(fast, &all, out)) score_all(fast, &all, &s, out);
    scarce__free(s.columns);
}

/* Without memory: each value is looked for when a tree asks for it. */
static float value_at(const scarce__columns *column, size_t row)
{
    float x;
    scarce__columns_take(column, row, 1, &x, 1);
    return x;
}

static double walk_columns(const scarce__fast *fast, const scarce__columns *columns, size_t row)
{
    double sum = fast->base;

    for (size_t t = 0; t < fast->n_trees; ++t) {
        uint32_t at = fast->roots[t];
        for (;;) {
            const scarce__walk_node *node = fast->nodes + at;
            if (node->kid == at) break;
            at = scarce__fast_step(fast, at, value_at(columns + (node->feature & SCARCE__WALK_FEATURE), row));
        }
        sum += (double)fast->values[at];
    }
    return sum;
}

/* Room for a tile of columns; 0 without memory. */
static int make_room(const scarce__fast *fast, scratch *s)
{
    const int walks = fast->has_large || !fast->has_tests;

    s->columns = fast->has_tests ? scarce__huge_alloc(fast->n_columns, SCARCE__TILE) : NULL;
    s->rows = walks ? scarce__malloc_array(fast->n_features * SCARCE__TILE, sizeof *s->rows) : NULL;
    return (!fast->has_tests || s->columns) && (!walks || s->rows);
}

void scarce__fast_columns(const scarce__fast *fast, const scarce__columns *columns, size_t begin, size_t n,
                          double *out)
{
    const source all = {NULL, 0, columns, begin, n};
    scratch s;

    if (has_words(fast) && try_large(fast, &all, out)) return;
    if (make_room(fast, &s)) score_all(fast, &all, &s, out);
    else
        for (size_t i = 0; i < n; ++i) out[i] = walk_columns(fast, columns, begin + i);
    scarce__free(s.columns);
    scarce__free(s.rows);
}

int scarce__fast_column_values(const scarce__fast *fast, const scarce__columns *columns, size_t begin,
                               size_t n, float *value)
{
    const scarce__kernels *kernels = scarce__fast_kernels(fast);
    source from = {NULL, 0, columns, begin, n};
    scratch s;
    const int room = make_room(fast, &s);

    if (room) fill_tile(fast, &from, &s);
    for (size_t t = 0; room && t < fast->n_trees; ++t) {
        memset(s.sums, 0, sizeof s.sums);
        add_tree(fast, kernels, t, &from, &s);
        for (size_t i = 0; i < n; ++i) value[t * n + i] = (float)s.sums[i]; /* exact: it was a float */
    }
    scarce__free(s.columns);
    scarce__free(s.rows);
    return room;
}
