/* SPDX-License-Identifier: Apache-2.0 */
/* Forests with large trees: preparing the nodes, and the walk in plain C (fast_large_avx512.c has a faster one).
 *
 * The tests of a tree with thousands of leaves can't all be made for each row (fast_kernel.h). Those of its top, where
 * most rows pass, can (fast_top.c): for 512 rows at a time they say where below the top each goes on, or that it has
 * arrived where nothing is added. Rows that go on walk; but over the bytes of fast_inside.h, which makes a step one
 * load of a node, one of a byte and a comparison that knows nothing of missing values. A node is a word of 4 bytes (of
 * 8 where a kid is more than 65,535 nodes away, or in a forest of more than 256 columns), so that many fit the caches.
 *
 * Those on their way, of all trees, stand in one queue. Many go on together, so that their loads overlap. Paths differ
 * in length: after every few levels those that have arrived are left out, and the others close ranks. When all have
 * arrived, values are added in the order of trees. */
#include <string.h>

#include "core/alloc.h"
#include "tree/fast_large.h"

enum { ABREAST = 16, FARTHEST_SHORT = (1 << 16) - 1, MOST_SHORT_COLUMNS = 256, MOST_COLUMNS = 1 << 16 };
#define MOST_NODES 0x7fffffffu

/* ---- building */

static void set_word(scarce__fast *fast, uint32_t at, uint32_t far, uint32_t column, uint32_t bin)
{
    if (fast->short_nodes) fast->short_nodes[at] = far << 16 | column << 8 | bin;
    else fast->long_nodes[at] = (uint64_t)far << 32 | column << 8 | bin;
}

static void set_inner(scarce__fast *fast, uint32_t at, uint32_t far, const scarce__node *node,
                      const scarce__node_test *w)
{
    const int category = (node->flags & SCARCE__CATEGORY) != 0;
    if (category) fast->byte_lookup[at] = w->lookup - 1;
    set_word(fast, at, far, scarce__node_column(fast, node, w), category ? 255 : w->bin);
}

/* Where the nodes of a tree are among its walk nodes (fast_walk.c); returns how far a left kid is at most. */
static uint32_t number_nodes(const scarce__node *nodes, size_t n, uint32_t *place)
{
    uint32_t next = 1, farthest = 0;

    place[0] = 0;
    for (size_t i = 0; i < n; ++i) {
        if (nodes[i].feature < 0) continue;
        if (next - place[i] > farthest) farthest = next - place[i];
        place[nodes[i].left] = next++;
        place[nodes[i].right] = next++;
    }
    return farthest;
}

/* A leaf is its own kid: no byte is above 255, so a row that is there stays; the column must be a numeric one if there
 * are any, and in a forest without any the table of nothing, 0, lets no byte go on either. */
static void add_words(scarce__fast *fast, const scarce__forest *forest, size_t tree,
                      const scarce__node_test *where, const uint32_t *place)
{
    const uint32_t begin = forest->tree_begin[tree], n = forest->tree_begin[tree + 1] - begin;

    for (uint32_t i = 0; i < n; ++i) {
        const scarce__node *node = forest->nodes + begin + i;
        if (node->feature < 0) {
            set_word(fast, begin + place[i], 0, 0, 255);
            if (fast->byte_lookup) fast->byte_lookup[begin + place[i]] = (uint32_t)fast->n_lookups;
        } else set_inner(fast, begin + place[i], place[node->left] - place[i], node, where + begin + i);
    }
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
    uint32_t farthest = 0;
    uint32_t *place;
    scarce_status st = SCARCE_ENOMEM;

    if (!fast->has_tests || !fast->has_large || fast->n_columns > MOST_COLUMNS || n_nodes > MOST_NODES)
        return SCARCE_OK;
    place = scarce__malloc_array(n_nodes, sizeof *place);
    for (size_t t = 0; place && t < n_trees; ++t) {
        const uint32_t begin = forest->tree_begin[t];
        const uint32_t far =
            number_nodes(forest->nodes + begin, forest->tree_begin[t + 1] - begin, place + begin);
        if (far > farthest) farthest = far;
    }
    const int is_short = farthest <= FARTHEST_SHORT && fast->n_columns <= MOST_SHORT_COLUMNS;
    if (is_short) fast->short_nodes = scarce__huge_alloc(n_nodes, sizeof *fast->short_nodes);
    else fast->long_nodes = scarce__huge_alloc(n_nodes, sizeof *fast->long_nodes);
    if (fast->has_category) fast->byte_lookup = scarce__malloc_array(n_nodes, sizeof *fast->byte_lookup);
    if ((fast->short_nodes || fast->long_nodes) && (!fast->has_category || fast->byte_lookup) && place) {
        fast->first_category = first_category_column(fast);
        for (size_t t = 0; t < n_trees; ++t) add_words(fast, forest, t, where, place + forest->tree_begin[t]);
        fast->bytes += n_nodes * ((is_short ? 4 : 8) + (fast->has_category ? sizeof *fast->byte_lookup : 0));
        st = scarce__fast_build_top(fast, forest, where, place);
    }
    scarce__free(place);
    return st;
}

/* ---- a tile */

int scarce__large_new(scarce__large *l, const scarce__fast *fast)
{
    const size_t bytes =
        SCARCE__BIT_ROWS * fast->n_columns + 64; /* 4 bytes are loaded from the last one on */

    memset(l, 0, sizeof *l);
    l->columns = scarce__huge_alloc(bytes, 1);
    l->bits = scarce__huge_alloc(fast->n_bits, sizeof *l->bits);
    l->masks = scarce__huge_alloc(SCARCE__PLACES, sizeof *l->masks);
    l->place = scarce__malloc_array(SCARCE__BIT_ROWS, sizeof *l->place);
    l->row = scarce__malloc_array(SCARCE__LARGE_ADDS + 64, sizeof *l->row);
    l->at = scarce__malloc_array(SCARCE__LARGE_ADDS + 64, sizeof *l->at);
    l->waiting = scarce__malloc_array(SCARCE__LARGE_ADDS + 64, sizeof *l->waiting);
    l->sums = scarce__malloc_array(SCARCE__BIT_ROWS, sizeof *l->sums);
    if (!l->columns || !l->bits || !l->masks || !l->place || !l->row || !l->at || !l->waiting || !l->sums) {
        scarce__large_free(l);
        return 0;
    }
    memset(l->columns, 0, bytes); /* rows that never come are looked at too */
    return 1;
}

void scarce__large_free(scarce__large *l)
{
    scarce__free(l->columns);
    scarce__free(l->bits);
    scarce__free(l->masks);
    scarce__free(l->place);
    scarce__free(l->row);
    scarce__free(l->at);
    scarce__free(l->waiting);
    scarce__free(l->sums);
    memset(l, 0, sizeof *l);
}

uint8_t *scarce__large_columns(const scarce__large *l, const scarce__fast *fast, size_t at)
{
    return l->columns + at * fast->n_columns;
}

static void add_all(const scarce__fast *fast, const scarce__kernels *kernels, scarce__large *l)
{
    kernels->walk(fast, l);
    for (size_t k = 0; k < l->n_adds; ++k) l->sums[l->row[k]] += (double)fast->values[l->at[k]];
    l->n_adds = l->n_waiting = 0;
}

void scarce__large_score(scarce__large *l, const scarce__fast *fast, size_t n)
{
    const scarce__kernels *kernels = scarce__fast_kernels(fast);

    kernels->bits(fast, l->columns, l->bits);
    for (size_t t = 0; t < fast->n_trees; ++t) {
        kernels->places(fast, t, l->bits, l->masks, l->place);
        if (l->n_adds + n > SCARCE__LARGE_ADDS) add_all(fast, kernels, l);
        kernels->collect(fast, t, n, l);
    }
    add_all(fast, kernels, l);
}

/* ---- walking */

void scarce__large_collect_plain(const scarce__fast *fast, size_t tree, size_t n, scarce__large *l)
{
    const uint32_t *exits = fast->exits + fast->tops[tree].exit;
    const size_t begin = l->n_adds;
    size_t end = begin;

    for (size_t i = 0; i < n; ++i) {
        l->row[end] = (uint16_t)i;
        end += l->place[i] != 0;
    }
    for (size_t k = begin; k < end; ++k) {
        const uint32_t to = exits[l->place[l->row[k]]];
        l->at[k] = to & ~SCARCE__EXIT_LEAF;
        l->waiting[l->n_waiting] = (uint16_t)k;
        l->n_waiting += !(to & SCARCE__EXIT_LEAF);
    }
    l->n_adds = end;
}

typedef struct step_word {
    uint32_t far, column, bin;
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

static inline uint32_t step(const scarce__fast *fast, uint32_t at, const uint8_t *row, int is_short,
                            int categories)
{
    const step_word w = word_at(fast, at, is_short);
    const uint8_t byte = row[(size_t)w.column * SCARCE__TILE];
    if (categories && w.column >= fast->first_category)
        return at + w.far + (fast->lookups[(size_t)fast->byte_lookup[at] * 256 + byte] != 0);
    return at + w.far + (byte > w.bin);
}

static inline void go_on(const scarce__fast *fast, const scarce__large *l, const uint16_t *who, int is_short,
                         int categories)
{
    const uint8_t *row[ABREAST];
    uint32_t at[ABREAST];

    for (int j = 0; j < ABREAST; ++j) {
        const size_t r = l->row[who[j]], tile = r / SCARCE__TILE * SCARCE__TILE;
        row[j] = scarce__large_columns(l, fast, tile) + (r - tile);
        at[j] = l->at[who[j]];
    }
    for (int d = 0; d < SCARCE__LEVELS; ++d)
        for (int j = 0; j < ABREAST; ++j) at[j] = step(fast, at[j], row[j], is_short, categories);
    for (int j = 0; j < ABREAST; ++j) l->at[who[j]] = at[j];
}

static inline size_t close_ranks(const scarce__fast *fast, const scarce__large *l, size_t n, int is_short)
{
    size_t left = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint16_t k = l->waiting[i];
        l->waiting[left] = k;
        left += word_at(fast, l->at[k], is_short).far != 0;
    }
    return left;
}

static inline void walk(const scarce__fast *fast, const scarce__large *l, int is_short, int categories)
{
    for (size_t n = l->n_waiting; n > 0;) {
        for (size_t i = n; i % ABREAST; ++i)
            l->waiting[i] = l->waiting[n - 1]; /* whole ranks: the last one again */
        for (size_t i = 0; i < n; i += ABREAST) go_on(fast, l, l->waiting + i, is_short, categories);
        n = close_ranks(fast, l, n, is_short);
    }
}

void scarce__large_walk_plain(const scarce__fast *fast, scarce__large *l)
{
    if (fast->has_category) walk(fast, l, fast->short_nodes != NULL, 1);
    else if (fast->short_nodes) walk(fast, l, 1, 0);
    else walk(fast, l, 0, 0);
}
