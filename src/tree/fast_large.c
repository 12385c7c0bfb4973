/* SPDX-License-Identifier: Apache-2.0 */
/* Forests with large trees: preparing the nodes, and the walk in plain C (fast_large_avx512.c has a faster one).
 *
 * The tests of a tree with thousands of leaves can't all be made for each row (fast_kernel.h), so rows walk; but over
 * the bytes of fast_inside.h, which makes a step one load of a node, one of a byte and a comparison that knows nothing
 * of missing values. What a step costs is where its two loads come from, so
 *   - a node is a word of 4 bytes (of 8 in a tree of more than 65,536 nodes or a forest of more than 256 columns): some
 *     ten thousand nodes fit the nearest cache, and a tree stays there while all rows of a large tile pass through it;
 *   - the bytes of a row stand side by side, so that a walk touches one or two lines of them, not one per column.
 * Sixteen rows go on together, so that their loads overlap. Paths differ in length: after every few levels the rows
 * that have arrived are left out, and the others close ranks.
 *
 * The top of a tree, where most rows pass, is not walked (fast_top.c): for many rows at a time a byte says where below
 * the top each goes on, or that it has arrived where nothing is added. */
#include <string.h>

#include "core/alloc.h"
#include "tree/fast_large.h"
#include "tree/fast_top.h"

enum { ABREAST = 16, MOST_SHORT = 1 << 16, MOST_SHORT_COLUMNS = 256, MOST_COLUMNS = 1 << 16 };

/* ---- building */

static void set_word(scarce__fast *fast, uint32_t at, uint32_t kid, uint32_t column, uint32_t bin)
{
    if (fast->short_nodes) fast->short_nodes[at] = kid << 16 | column << 8 | bin;
    else fast->long_nodes[at] = (uint64_t)kid << 32 | column << 8 | bin;
}

static void set_inner(scarce__fast *fast, uint32_t at, uint32_t kid, const scarce__node *node,
                      const scarce__node_test *w)
{
    const int category = (node->flags & SCARCE__CATEGORY) != 0;
    if (category) fast->byte_lookup[at] = w->lookup - 1;
    set_word(fast, at, kid, scarce__node_column(fast, node, w), category ? 255 : w->bin);
}

/* Places are those of the walk nodes (fast_walk.c), kids counted from the root. A leaf is its own kid: no byte is above
 * 255, so a row that is there stays; the column must be a numeric one if there are any, and in a forest without any
 * the table of nothing, 0, lets no byte go on either. */
static void add_words(scarce__fast *fast, const scarce__forest *forest, size_t tree,
                      const scarce__node_test *where, uint32_t *place)
{
    const uint32_t begin = forest->tree_begin[tree], n = forest->tree_begin[tree + 1] - begin;
    uint32_t next = 1;

    place[0] = 0;
    for (uint32_t i = 0; i < n; ++i) {
        const scarce__node *node = forest->nodes + begin + i;
        if (node->feature < 0) {
            set_word(fast, begin + place[i], place[i], 0, 255);
            if (fast->byte_lookup) fast->byte_lookup[begin + place[i]] = (uint32_t)fast->n_lookups;
            continue;
        }
        set_inner(fast, begin + place[i], next, node, where + begin + i);
        place[node->left] = next++;
        place[node->right] = next++;
    }
}

static size_t largest_tree(const scarce__forest *forest)
{
    size_t most = 0;
    for (size_t t = 0; t < forest->n_trees; ++t)
        if (forest->tree_begin[t + 1] - forest->tree_begin[t] > most)
            most = forest->tree_begin[t + 1] - forest->tree_begin[t];
    return most;
}

/* The columns of categories come behind those of numbers. */
static uint32_t first_category_column(const scarce__fast *fast)
{
    uint32_t first = (uint32_t)fast->n_columns;
    for (size_t i = 0; i < fast->n_inputs; ++i)
        if (fast->inputs[i].category && fast->inputs[i].column[0] < first) first = fast->inputs[i].column[0];
    return first;
}

scarce_status scarce__fast_build_large(scarce__fast *fast, const scarce__forest *forest,
                                       const scarce__node_test *where)
{
    const size_t n_trees = forest->n_trees, n_nodes = n_trees ? forest->tree_begin[n_trees] : 0;
    const int is_short = largest_tree(forest) <= MOST_SHORT && fast->n_columns <= MOST_SHORT_COLUMNS;
    uint32_t *place;
    scarce_status st = SCARCE_ENOMEM;

    if (!fast->has_tests || !fast->has_large || fast->n_columns > MOST_COLUMNS) return SCARCE_OK;
    if (is_short) fast->short_nodes = scarce__big_alloc(n_nodes, sizeof *fast->short_nodes);
    else fast->long_nodes = scarce__big_alloc(n_nodes, sizeof *fast->long_nodes);
    if (fast->has_category) fast->byte_lookup = scarce__malloc_array(n_nodes, sizeof *fast->byte_lookup);
    place = scarce__malloc_array(n_nodes, sizeof *place);
    if ((fast->short_nodes || fast->long_nodes) && (!fast->has_category || fast->byte_lookup) && place) {
        fast->first_category = first_category_column(fast);
        for (size_t t = 0; t < n_trees; ++t)
            add_words(fast, forest, t, where, place + forest->tree_begin[t]);
        fast->bytes +=
            n_nodes * ((is_short ? 4 : 8) + (fast->has_category ? sizeof *fast->byte_lookup : 0));
        st = scarce__fast_build_top(fast, forest, where, place);
    }
    scarce__free(place);
    return st;
}

/* ---- a large tile */

size_t scarce__large_width(const scarce__fast *fast)
{
    return (fast->n_columns + 15) / 16 * 16;
}

/* Rows in a tile: its bytes fit the second cache beside a tree. */
static size_t tile_rows(size_t width)
{
    enum { BYTES = 1 << 17, MOST = 2048 };
    const size_t rows = BYTES / width / SCARCE__BIT_ROWS * SCARCE__BIT_ROWS;
    return rows > MOST ? MOST : rows < SCARCE__BIT_ROWS ? SCARCE__BIT_ROWS : rows;
}

int scarce__large_new(scarce__large *l, const scarce__fast *fast)
{
    memset(l, 0, sizeof *l);
    l->width = scarce__large_width(fast);
    l->rows = tile_rows(l->width);
    l->columns = scarce__big_alloc(l->rows * fast->n_columns, 1);
    l->bytes = scarce__big_alloc(l->rows * l->width + 64, 1); /* 4 bytes are loaded from the last one on */
    l->top = scarce__malloc_array(l->rows, fast->n_trees);
    l->bits = scarce__big_alloc(fast->n_bits, sizeof *l->bits);
    l->masks = scarce__big_alloc(SCARCE__BYTE_LEAVES, sizeof *l->masks);
    l->adds = scarce__malloc_array(l->rows + 64, sizeof *l->adds);
    l->place = scarce__malloc_array(l->rows, sizeof *l->place);
    l->list = scarce__malloc_array(l->rows + 64, sizeof *l->list);
    l->sums = scarce__malloc_array(l->rows, sizeof *l->sums);
    if (!l->bytes || !l->columns || !l->top || !l->bits || !l->masks || !l->adds || !l->place || !l->list ||
        !l->sums) {
        scarce__large_free(l);
        return 0;
    }
    memset(l->columns, 0, l->rows * fast->n_columns); /* rows that never come are looked at too */
    return 1;
}

void scarce__large_free(scarce__large *l)
{
    scarce__free(l->bytes);
    scarce__free(l->columns);
    scarce__free(l->top);
    scarce__free(l->bits);
    scarce__free(l->masks);
    scarce__free(l->adds);
    scarce__free(l->place);
    scarce__free(l->list);
    scarce__free(l->sums);
    memset(l, 0, sizeof *l);
}

uint8_t *scarce__large_columns(const scarce__large *l, const scarce__fast *fast, size_t at)
{
    return l->columns + at * fast->n_columns;
}

void scarce__large_turn(const scarce__large *l, const scarce__fast *fast, size_t at)
{
    const uint8_t *columns = scarce__large_columns(l, fast, at);
    uint8_t *to = l->bytes + at * l->width;
    for (size_t c = 0; c < fast->n_columns; ++c)
        for (size_t r = 0; r < SCARCE__TILE; ++r) to[r * l->width + c] = columns[c * SCARCE__TILE + r];
}

void scarce__large_tops(const scarce__large *l, const scarce__fast *fast, size_t n)
{
    const scarce__kernels *kernels = scarce__fast_kernels(fast);
    for (size_t at = 0; at < n; at += SCARCE__BIT_ROWS) {
        kernels->bits(fast, scarce__large_columns(l, fast, at), l->bits);
        for (size_t t = 0; t < fast->n_trees; ++t)
            kernels->places(fast, t, l->bits, l->masks, l->top + t * l->rows + at);
    }
}

/* ---- walking */

typedef struct step_word {
    uint32_t kid, column, bin;
} step_word;

static inline step_word word_at(const scarce__fast *fast, size_t node, int is_short)
{
    if (is_short) {
        const uint32_t w = fast->short_nodes[node];
        return (step_word){w >> 16, w >> 8 & 255, w & 255};
    }
    const uint64_t w = fast->long_nodes[node];
    return (step_word){(uint32_t)(w >> 32), (uint32_t)w >> 8, (uint32_t)w & 255};
}

static inline uint32_t step(const scarce__fast *fast, size_t root, uint32_t at, const uint8_t *row,
                            int is_short, int categories)
{
    const step_word w = word_at(fast, root + at, is_short);
    const uint8_t byte = row[w.column];
    if (categories && w.column >= fast->first_category)
        return w.kid + (fast->lookups[(size_t)fast->byte_lookup[root + at] * 256 + byte] != 0);
    return w.kid + (byte > w.bin);
}

static inline void go_on(const scarce__fast *fast, size_t root, const scarce__large *l, const uint16_t *list,
                         uint32_t levels, int is_short, int categories)
{
    const uint8_t *row[ABREAST];
    uint32_t at[ABREAST];

    for (int j = 0; j < ABREAST; ++j) {
        row[j] = l->bytes + (size_t)list[j] * l->width;
        at[j] = l->place[list[j]];
    }
    for (uint32_t d = 0; d < levels; ++d)
        for (int j = 0; j < ABREAST; ++j) at[j] = step(fast, root, at[j], row[j], is_short, categories);
    for (int j = 0; j < ABREAST; ++j) l->place[list[j]] = at[j];
}

static inline size_t close_ranks(const scarce__fast *fast, size_t root, const scarce__large *l, size_t n,
                                 int is_short)
{
    size_t k = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint16_t r = l->list[i];
        l->list[k] = r;
        k += word_at(fast, root + l->place[r], is_short).kid != l->place[r];
    }
    return k;
}

/* Below the top: lists the rows that add something, and those of them that have not arrived. */
static void start(const scarce__fast *fast, size_t tree, const scarce__large *l, size_t n, size_t *n_adds,
                  size_t *n_left)
{
    const uint32_t *exits = fast->exits + tree * SCARCE__BYTE_LEAVES;
    const uint8_t *top = l->top + tree * l->rows;
    size_t adds = 0, left = 0;

    for (size_t i = 0; i < n; ++i) {
        l->adds[adds] = (uint16_t)i;
        adds += top[i] != 0;
    }
    for (size_t k = 0; k < adds; ++k) {
        const uint32_t to = exits[top[l->adds[k]]];
        l->place[l->adds[k]] = to & ~SCARCE__EXIT_LEAF;
        l->list[left] = l->adds[k];
        left += !(to & SCARCE__EXIT_LEAF);
    }
    *n_adds = adds;
    *n_left = left;
}

static inline void walk(const scarce__fast *fast, size_t tree, const scarce__large *l, size_t n, int is_short,
                        int categories)
{
    const size_t root = fast->roots[tree];

    while (n > 0) {
        for (size_t i = n; i % ABREAST; ++i)
            l->list[i] = l->list[n - 1]; /* whole ranks: the last row again */
        for (size_t i = 0; i < n; i += ABREAST)
            go_on(fast, root, l, l->list + i, SCARCE__LEVELS, is_short, categories);
        n = close_ranks(fast, root, l, n, is_short);
    }
}

void scarce__large_add(const scarce__fast *fast, size_t tree, const scarce__large *l, size_t n_adds)
{
    const float *values = fast->values + fast->roots[tree];
    for (size_t k = 0; k < n_adds; ++k) l->sums[l->adds[k]] += (double)values[l->place[l->adds[k]]];
}

void scarce__large_walk_plain(const scarce__fast *fast, size_t tree, const scarce__large *l, size_t n)
{
    size_t n_adds, left;

    start(fast, tree, l, n, &n_adds, &left);
    if (fast->has_category) walk(fast, tree, l, left, fast->short_nodes != NULL, 1);
    else if (fast->short_nodes) walk(fast, tree, l, left, 1, 0);
    else walk(fast, tree, l, left, 0, 0);
    scarce__large_add(fast, tree, l, n_adds);
}
