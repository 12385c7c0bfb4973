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
 * The top of a tree, where all rows pass, is not walked: its TOP nodes through which most training rows went are tests
 * as in a small tree, 64 rows at a time, and a byte says where below the top each row goes on. */
#include <string.h>

#include "core/alloc.h"
#include "tree/fast_large.h"
#include "tree/leaf_heap.h"

enum { TOP = 127, ABREAST = 16, MOST_SHORT = 1 << 16, MOST_SHORT_COLUMNS = 256, MOST_COLUMNS = 1 << 16 };

/* ---- building */

static void set_word(scarce__fast *fast, uint32_t at, uint32_t kid, uint32_t column, uint32_t bin)
{
    if (fast->short_nodes) fast->short_nodes[at] = kid << 16 | column << 8 | bin;
    else fast->long_nodes[at] = (uint64_t)kid << 32 | column << 8 | bin;
}

static void set_inner(scarce__fast *fast, uint32_t at, uint32_t kid, const scarce__node *node,
                      const scarce__node_test *w)
{
    const scarce__input *input = fast->inputs + w->input;
    if (node->flags & SCARCE__CATEGORY) {
        fast->byte_lookup[at] = w->lookup - 1;
        set_word(fast, at, kid, input->column[0], 255);
    } else set_word(fast, at, kid, input->column[node->flags & SCARCE__MISSING_LEFT ? 0 : 1], w->bin);
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

/* Work arrays of a tree's nodes. */
typedef struct work {
    uint32_t *place, *first, *count;
    uint8_t *top;
} work;

/* How many training rows passed; imported trees may know the sum of their hessians alone, or nothing. */
static double passed(const scarce__node *node)
{
    return node->rows ? (double)node->rows : (double)node->cover;
}

static void wait(scarce__leaf_heap *edge, const scarce__node *nodes, uint32_t i)
{
    if (nodes[i].feature >= 0)
        scarce__heap_push(edge, (scarce__heap_item){.key = -passed(nodes + i), .tie = i, .node = i});
}

/* Marks the TOP inner nodes that most rows pass: from the root on, always the largest of those at the edge. */
static void choose_top(const scarce__node *nodes, size_t n, uint8_t *top)
{
    scarce__heap_item room[TOP + 2];
    scarce__leaf_heap edge = {room, 0};

    memset(top, 0, n);
    wait(&edge, nodes, 0);
    for (int k = 0; k < TOP && edge.n > 0; ++k) {
        const uint32_t i = scarce__heap_pop(&edge).node;
        top[i] = 1;
        wait(&edge, nodes, (uint32_t)nodes[i].left);
        wait(&edge, nodes, (uint32_t)nodes[i].right);
    }
}

static void add_exit(scarce__fast *fast, const scarce__node *nodes, size_t tree, size_t i, const work *w)
{
    if (nodes[i].feature >= 0 && w->top[i]) return;
    fast->exits[tree * SCARCE__BYTE_LEAVES + w->first[i]] =
        w->place[i] | (nodes[i].feature < 0 ? SCARCE__EXIT_LEAF : 0);
}

static void add_tree(scarce__fast *fast, const scarce__forest *forest, size_t tree,
                     const scarce__node_test *where, const work *w)
{
    const scarce__node *nodes = forest->nodes + forest->tree_begin[tree];
    const size_t n = forest->tree_begin[tree + 1] - forest->tree_begin[tree];

    add_words(fast, forest, tree, where, w->place);
    if (fast->trees[tree].n_leaves > SCARCE__BYTE_LEAVES) choose_top(nodes, n, w->top);
    else memset(w->top, 1, n); /* has its tests already */
    scarce__fast_number_leaves(nodes, n, w->top, w->first, w->count);
    if (fast->trees[tree].n_leaves > SCARCE__BYTE_LEAVES)
        scarce__fast_add_tests(fast, forest, tree, where, w->top, w->first);
    add_exit(fast, nodes, tree, 0, w);
    for (size_t i = 0; i < n; ++i) {
        if (nodes[i].feature < 0 || !w->top[i]) continue;
        add_exit(fast, nodes, tree, (size_t)nodes[i].left, w);
        add_exit(fast, nodes, tree, (size_t)nodes[i].right, w);
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

static void work_free(work *w)
{
    scarce__free(w->place);
    scarce__free(w->first);
    scarce__free(w->count);
    scarce__free(w->top);
}

static int work_new(work *w, size_t n)
{
    w->place = scarce__malloc_array(n, sizeof *w->place);
    w->first = scarce__malloc_array(n, sizeof *w->first);
    w->count = scarce__malloc_array(n, sizeof *w->count);
    w->top = scarce__malloc(n);
    if (w->place && w->first && w->count && w->top) return 1;
    work_free(w);
    return 0;
}

scarce_status scarce__fast_build_large(scarce__fast *fast, const scarce__forest *forest,
                                       const scarce__node_test *where)
{
    const size_t n_trees = forest->n_trees, n_nodes = n_trees ? forest->tree_begin[n_trees] : 0,
                 most = largest_tree(forest), n_exits = n_trees * SCARCE__BYTE_LEAVES;
    const int is_short = most <= MOST_SHORT && fast->n_columns <= MOST_SHORT_COLUMNS;
    work w;

    if (!fast->has_tests || !fast->has_large || fast->n_columns > MOST_COLUMNS) return SCARCE_OK;
    if (is_short) fast->short_nodes = scarce__big_alloc(n_nodes, sizeof *fast->short_nodes);
    else fast->long_nodes = scarce__big_alloc(n_nodes, sizeof *fast->long_nodes);
    fast->exits = scarce__calloc(n_exits, sizeof *fast->exits);
    if (fast->has_category) fast->byte_lookup = scarce__malloc_array(n_nodes, sizeof *fast->byte_lookup);
    if ((!fast->short_nodes && !fast->long_nodes) || !fast->exits ||
        (fast->has_category && !fast->byte_lookup) || !work_new(&w, most))
        return SCARCE_ENOMEM;
    fast->first_category = first_category_column(fast);
    for (size_t t = 0; t < n_trees; ++t) add_tree(fast, forest, t, where, &w);
    fast->bytes += n_nodes * ((is_short ? 4 : 8) + (fast->has_category ? sizeof *fast->byte_lookup : 0)) +
                   n_exits * sizeof *fast->exits;
    work_free(&w);
    return SCARCE_OK;
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
    const size_t rows = BYTES / width / SCARCE__TILE * SCARCE__TILE;
    return rows > MOST ? MOST : rows < SCARCE__TILE ? SCARCE__TILE : rows;
}

int scarce__large_new(scarce__large *l, const scarce__fast *fast)
{
    memset(l, 0, sizeof *l);
    l->width = scarce__large_width(fast);
    l->rows = tile_rows(l->width);
    l->columns = scarce__big_alloc(l->rows * fast->n_columns, 1);
    l->bytes = scarce__big_alloc(l->rows * l->width + 64, 1); /* 4 bytes are loaded from the last one on */
    l->top = scarce__malloc(l->rows);
    l->place = scarce__malloc_array(l->rows, sizeof *l->place);
    l->list = scarce__malloc_array(l->rows + 64, sizeof *l->list);
    l->sums = scarce__malloc_array(l->rows, sizeof *l->sums);
    if (l->bytes && l->columns && l->top && l->place && l->list && l->sums) return 1;
    scarce__large_free(l);
    return 0;
}

void scarce__large_free(scarce__large *l)
{
    scarce__free(l->bytes);
    scarce__free(l->columns);
    scarce__free(l->top);
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

void scarce__large_top(const scarce__large *l, const scarce__fast *fast, size_t tree, size_t n)
{
    const scarce__kernels *kernels = scarce__fast_kernels(fast);
    for (size_t at = 0; at < n; at += SCARCE__TILE) {
        const size_t left = n - at < SCARCE__TILE ? (n - at + 63) / 64 * 64 : SCARCE__TILE;
        kernels->place(fast, fast->trees + tree, scarce__large_columns(l, fast, at), left, l->top + at);
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

/* Below the top: returns how many have not arrived there. */
static size_t start(const scarce__fast *fast, size_t tree, const scarce__large *l, size_t n)
{
    const uint32_t *exits = fast->exits + tree * SCARCE__BYTE_LEAVES;
    size_t k = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t to = exits[l->top[i]];
        l->place[i] = to & ~SCARCE__EXIT_LEAF;
        l->list[k] = (uint16_t)i;
        k += !(to & SCARCE__EXIT_LEAF);
    }
    return k;
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

void scarce__large_walk_plain(const scarce__fast *fast, size_t tree, const scarce__large *l, size_t n)
{
    size_t left;

    scarce__large_top(l, fast, tree, n);
    left = start(fast, tree, l, n);
    if (fast->has_category) walk(fast, tree, l, left, fast->short_nodes != NULL, 1);
    else if (fast->short_nodes) walk(fast, tree, l, left, 1, 0);
    else walk(fast, tree, l, left, 0, 0);
    for (size_t i = 0; i < n; ++i) l->sums[i] += (double)fast->values[fast->roots[tree] + l->place[i]];
}
