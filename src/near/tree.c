/* SPDX-License-Identifier: Apache-2.0 */
/* A k-d tree for few dimensions: numbers without gaps.
 *
 * The rows of `among` are halved at the median of the widest side of their box, until 32 or fewer are left;
 * node i has children 2i + 1 and 2i + 2, and its rows are a range that follows from i alone. A query goes down
 * the nearer side first and passes over boxes that are farther than what it wants.
 *
 * No slack is needed: the distance to a box is made by the same operations in the same order as the distance to
 * a row, each difference is at most that to any row inside, and rounding keeps that order. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "near/inside.h"

enum { LEAF = 32, DEEPEST = 40, BATCH = 1 << 16, CHUNK = 64 };
/* By measurement (normal numbers, 5 neighbours of 50,000 rows in themselves, AVX-512): a query takes 4 us in 3
 * dimensions, 21 in 6, 150 in 9, and grows little with the rows; all pairs take 10, 13, 14 and grow with them. So
 * the tree is worth it from about 2^d 2,000 rows on, and for some hundred queries, since it has to be built. */
enum { MOST_DIMS = 10, ROWS_OF_DIM = 2000, LEAST_QUERIES = 200 };

typedef struct tree {
    const scarce__scan *scan;
    const scarce__near *ask;
    const scarce__space *space;
    const scarce__near_kernels *kernels;
    scarce__near_exact exact;
    size_t n, width, n_nodes, depth;
    uint32_t *place; /* while it is built: position in `among` */
    float *raw, *sorted, *box;
    size_t level_first; /* node with which the level that is being split begins */
    size_t first_query;
    int same_table;
    float *queries; /* one row per worker */
} tree;

int scarce__near_tree_suits(const scarce__near *ask)
{
    const scarce__space *s = ask->space;
    return s->n_codes == 0 && s->n_gaps == 0 && s->n_sparse == 0 && s->n_numbers > 0 &&
           s->n_numbers <= MOST_DIMS && !ask->farthest &&
           ask->among.n >= (size_t)ROWS_OF_DIM << s->n_numbers && ask->from.n >= LEAST_QUERIES;
}

static size_t depth_of(size_t n)
{
    size_t depth = 0;
    while (n > LEAF) n = (n + 1) / 2, ++depth;
    return depth;
}

double scarce__near_tree_memory(const scarce__near *ask, int threads)
{
    const double row = 4 * (double)scarce__near_width(ask->space),
                 nodes = ldexp(1, (int)depth_of(ask->among.n) + 1);
    return (double)ask->among.n * (2 * row + 4) + nodes * 2 * row + threads * row;
}

/* The range of a node: the halves of halves that its number tells. */
static void range_of(const tree *t, size_t node, size_t *from, size_t *to)
{
    size_t path[DEEPEST], n = 0;

    *from = 0, *to = t->n;
    for (; node; node = (node - 1) / 2) path[n++] = node & 1;
    while (n) {
        const size_t middle = *from + (*to - *from) / 2;
        if (path[--n]) *to = middle; /* odd numbers are left children */
        else *from = middle;
    }
}

/* ---- building */

static int before(const tree *t, size_t f, uint32_t a, uint32_t b)
{
    const float x = t->raw[a * t->width + f], y = t->raw[b * t->width + f];
    return x < y || (x == y && a < b);
}

/* Hoare's selection; no two are equal, since rows are told apart by number. */
static void select_middle(tree *t, size_t f, size_t from, size_t to, size_t middle)
{
    uint32_t *p = t->place;

    while (to - from > 1) {
        const uint32_t a = p[from], b = p[from + (to - from) / 2], c = p[to - 1];
        const uint32_t pivot = before(t, f, a, b)   ? (before(t, f, b, c)   ? b
                                                       : before(t, f, a, c) ? c
                                                                            : a)
                               : before(t, f, a, c) ? a
                               : before(t, f, b, c) ? c
                                                    : b;
        size_t i = from, j = to - 1;
        for (;;) {
            while (before(t, f, p[i], pivot)) ++i;
            while (before(t, f, pivot, p[j])) --j;
            if (i >= j) break;
            const uint32_t swap = p[i];
            p[i++] = p[j];
            p[j--] = swap;
        }
        const size_t cut = i > j ? i : j + 1;
        if (middle < cut) to = cut == to ? to - 1 : cut;
        else from = cut;
    }
}

static void make_box(tree *t, float *box, size_t from, size_t to)
{
    float *low = box, *high = box + t->width;

    memcpy(low, t->raw + t->place[from] * t->width, t->width * sizeof *low);
    memcpy(high, low, t->width * sizeof *high);
    for (size_t i = from + 1; i < to; ++i)
        for (size_t f = 0; f < t->width; ++f) {
            const float x = t->raw[t->place[i] * t->width + f];
            low[f] = x < low[f] ? x : low[f];
            high[f] = x > high[f] ? x : high[f];
        }
}

static void make_node(void *arg, size_t i, int worker)
{
    tree *t = arg;
    const size_t node = t->level_first + i;
    float *box = t->box + node * 2 * t->width;
    size_t from, to, widest = 0;
    double most = -1;

    (void)worker;
    range_of(t, node, &from, &to);
    make_box(t, box, from, to);
    if (2 * node + 2 >= t->n_nodes) return;
    for (size_t f = 0; f < t->space->n_numbers; ++f) {
        const double side = ((double)box[t->width + f] - (double)box[f]) * t->space->scale[f];
        if (side > most) most = side, widest = f;
    }
    select_middle(t, widest, from, to, from + (to - from) / 2);
}

static void sort_rows(void *arg, size_t block, int worker)
{
    tree *t = arg;
    (void)worker;
    for (size_t i = block * 4096; i < t->n && i < (block + 1) * 4096; ++i) {
        memcpy(t->sorted + i * t->width, t->raw + t->place[i] * t->width, t->width * sizeof *t->raw);
        t->place[i] = scarce__near_row(&t->ask->among, t->place[i]); /* from here on: rows of the table */
    }
}

static void take_raw(void *arg, size_t block, int worker)
{
    tree *t = arg;
    const size_t first = block * 4096, n = t->n - first < 4096 ? t->n - first : 4096;
    (void)worker;
    scarce__near_raw(t->raw + first * t->width, t->space, &t->ask->among, first, n);
    for (size_t i = first; i < first + n; ++i) t->place[i] = (uint32_t)i;
}

static scarce_status build(tree *t, scarce__pool *pool, scarce_error *err)
{
    t->depth = depth_of(t->n);
    t->n_nodes = ((size_t)2 << t->depth) - 1;
    t->raw = scarce__huge_alloc(t->n * t->width, sizeof *t->raw);
    t->sorted = scarce__huge_alloc(t->n * t->width, sizeof *t->sorted);
    t->box = scarce__huge_alloc(t->n_nodes * 2 * t->width, sizeof *t->box);
    t->place = scarce__malloc_array(t->n, sizeof *t->place);
    t->queries = scarce__malloc_array((size_t)scarce__pool_threads(pool) * t->width, sizeof *t->queries);
    if (!t->raw || !t->sorted || !t->box || !t->place || !t->queries)
        return scarce__fail_memory(err, "a tree of rows", 0);
    scarce__pool_run(pool, scarce__blocks(t->n, 4096), take_raw, t);
    for (size_t level = 0; level <= t->depth; ++level) {
        t->level_first = ((size_t)1 << level) - 1;
        scarce__pool_run(pool, (size_t)1 << level, make_node, t);
    }
    scarce__pool_run(pool, scarce__blocks(t->n, 4096), sort_rows, t);
    scarce__free(t->raw);
    t->raw = NULL;
    return SCARCE_OK;
}

/* ---- asking */

static double box_square(const tree *t, size_t node, const float *x)
{
    const float *low = t->box + node * 2 * t->width, *high = low + t->width;
    double s[8] = {0};

    for (size_t f = 0; f < t->width; f += 8)
        for (size_t l = 0; l < 8; ++l) {
            const float v = x[f + l], edge = v < low[f + l] ? low[f + l] : v > high[f + l] ? high[f + l] : v;
            const double d = ((double)v - (double)edge) * t->space->scale[f + l];
            s[l] += d == d ? d * d : 1; /* a query of another table may have a gap */
        }
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static double ask_leaf(const tree *t, size_t node, size_t query, uint32_t own, const float *x, double wants)
{
    const scarce__scan *scan = t->scan;
    size_t from, to;

    range_of(t, node, &from, &to);
    for (size_t i = from; i < to && wants > -(double)INFINITY; ++i) {
        if (t->same_table && t->place[i] == own) continue;
        const double square = t->kernels->square(&t->exact, x, t->sorted + i * t->width);
        if (square <= wants) wants = scan->take(scan->sink, query, square, t->place[i]);
    }
    return wants;
}

static void ask_one(const tree *t, size_t query, uint32_t own, const float *x)
{
    struct {
        size_t node;
        double square;
    } stack[DEEPEST + 2];
    size_t n = 1;
    double wants = t->scan->wants(t->scan->sink, query);

    stack[0].node = 0, stack[0].square = 0;
    while (n) {
        size_t node = stack[--n].node;
        if (stack[n].square > wants) continue;
        while (2 * node + 2 < t->n_nodes) {
            const double left = box_square(t, 2 * node + 1, x), right = box_square(t, 2 * node + 2, x);
            const int goes_left = left <= right;
            const double farther = goes_left ? right : left;
            if (farther <= wants) {
                stack[n].node = 2 * node + (goes_left ? 2 : 1);
                stack[n++].square = farther;
            }
            node = 2 * node + (goes_left ? 1 : 2);
        }
        wants = ask_leaf(t, node, query, own, x, wants);
    }
}

static void ask_chunk(void *arg, size_t chunk, int worker)
{
    tree *t = arg;
    float *x = t->queries + (size_t)worker * t->width;
    const size_t first = t->first_query + chunk * CHUNK;

    for (size_t i = first; i < first + CHUNK && i < t->ask->from.n && i < t->first_query + BATCH; ++i) {
        const uint32_t row = scarce__near_row(&t->ask->from, i);
        scarce__near_raw_of(x, t->space, t->ask->from.table, &row, 1);
        ask_one(t, i, row, x);
    }
}

scarce_status scarce__scan_tree(const scarce__scan *scan, scarce_context *ctx, scarce_error *err)
{
    const scarce__near *ask = scan->ask;
    const scarce__space *s = ask->space;
    scarce__pool *pool = scarce__context_pool(ctx);
    tree t = {.scan = scan, .ask = ask, .space = s, .n = ask->among.n, .width = scarce__near_width(s)};
    scarce_status st;

    t.kernels = scarce__near_kernels_of(scan->level);
    t.exact = (scarce__near_exact){s->scale, s->n_padded, 0, 0};
    t.same_table = ask->from.table == ask->among.table;
    st = build(&t, pool, err);
    for (; st == SCARCE_OK && t.first_query < ask->from.n; t.first_query += BATCH) {
        const size_t left = ask->from.n - t.first_query;
        scarce__pool_run(pool, scarce__blocks(left < BATCH ? left : BATCH, CHUNK), ask_chunk, &t);
        st = scarce__near_progress(ctx, t.first_query, ask->from.n, err);
    }
    scarce__free(t.raw);
    scarce__free(t.sorted);
    scarce__free(t.box);
    scarce__free(t.place);
    scarce__free(t.queries);
    return st;
}
