/* SPDX-License-Identifier: Apache-2.0 */
/* Deep trees, node by node. Each node draws its features, adds the weights of its rows per code, and asks the
 * criterion about all thresholds between codes that occur (Breiman: Random forests, Machine Learning 45, 2001).
 *
 * Most nodes are small, so what a node costs must follow its rows, not its bins: the codes that occur are marked in
 * four words, and only their cells are read and cleared. A row's codes stand in one line of memory, where the first
 * feature of a node puts it and the others find it.
 *
 * A threshold between two codes that are far apart in the node (codes between them occur elsewhere) is put in the
 * middle of the gap. Missing values try both sides. Categories are sorted by their share of positives, and the best
 * prefix goes left.
 *
 * The smaller child is grown first, so log2(rows) nodes wait at most; numbers are drawn in that order from one stream
 * per tree. Sums of counts are exact; sums of weights are added in the order of the rows. */
#include "tree/deep.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/cpu.h"
#include "core/fail.h"
#include "core/random.h"

enum {
    ROOM = 264,       /* codes of a column and of a feature, in whole lanes */
    TOGETHER = 4,     /* features of large nodes that are summed up in one pass over the rows */
    LARGE = 1024,     /* rows */
    MOST_WAITING = 72 /* nodes: two for each bit of the number of rows */
};

/* A row in the bag; the upper bit of `times` is its label. */
typedef struct item {
    uint32_t row, times;
} item;

#define POSITIVE 0x80000000u

typedef struct cell {
    double g, h;
} cell;

typedef struct waiting {
    size_t begin, end;
    scarce__totals total;
    uint32_t node, depth;
} waiting;

/* The best split of a node so far. */
typedef struct found {
    double gain;
    const scarce__bin_feature *f; /* NULL: none */
    unsigned bin;
    int missing_left, is_set;
    uint64_t set[4];
    scarce__totals left;
} found;

struct scarce__deep {
    const scarce__bins *bins;
    scarce__deep_options options;
    int avx2;
    size_t max_rows;
    const scarce__deep_rows *in;
    item *items, *spare;
    uint32_t *order; /* used features: a shuffle that goes on from node to node */
    scarce__random random;
    waiting stack[MOST_WAITING];
    size_t n_waiting;
    /* of one node and feature */
    scarce__gh counts[TOGETHER][ROOM]; /* zero between uses */
    cell cells[TOGETHER][ROOM];        /* with weights; else not used */
    uint64_t occur[4];
    double g[ROOM], h[ROOM], value[ROOM], key[ROOM];
    scarce__gh sum[ROOM];
    uint16_t at[ROOM]; /* bins or codes of the candidates */
};

scarce_status scarce__deep_new(scarce__deep **out, const scarce__bins *bins, size_t max_rows,
                               const scarce__deep_options *options, scarce_error *err)
{
    scarce__deep *w = scarce__calloc(1, sizeof *w);

    *out = NULL;
    if (!w) return scarce__fail_memory(err, "growing a tree", sizeof *w);
    w->bins = bins;
    w->options = *options;
    w->avx2 = !options->rules.portable && scarce__cpu_avx2();
    w->max_rows = max_rows;
    w->items = scarce__huge_alloc(max_rows, sizeof *w->items);
    w->spare = scarce__huge_alloc(max_rows, sizeof *w->spare);
    w->order = scarce__malloc_array(bins->n_used, sizeof *w->order);
    if (!w->items || !w->spare || !w->order) {
        scarce__deep_free(w);
        return scarce__fail_memory(err, "growing a tree", max_rows * 2 * sizeof(item));
    }
    *out = w;
    return SCARCE_OK;
}

void scarce__deep_free(scarce__deep *w)
{
    if (!w) return;
    scarce__free(w->items);
    scarce__free(w->spare);
    scarce__free(w->order);
    scarce__free(w);
}

size_t scarce__deep_bytes(size_t n_used, size_t max_rows)
{
    return sizeof(scarce__deep) + max_rows * 2 * sizeof(item) + n_used * sizeof(uint32_t);
}

/* ---- sums per code */

static inline const uint8_t *codes_of(const scarce__codes *codes, uint32_t column, size_t *width)
{
    const size_t slab = column / SCARCE__SLAB;
    *width = scarce__slab_width(codes->n_columns, slab);
    return scarce__slab(codes, slab) + column % SCARCE__SLAB;
}

static inline scarce__gh counts_of(const item *i)
{
    const uint32_t times = i->times & ~POSITIVE;
    return scarce__gh_pack(i->times & POSITIVE ? (int32_t)times : 0, (int32_t)times);
}

static inline double weight_of(const scarce__deep *w, const item *i)
{
    return (double)(i->times & ~POSITIVE) * (double)w->in->weight[i->row];
}

static inline void add_weight(cell *c, const item *i, double weight)
{
    c->h += weight;
    if (i->times & POSITIVE) c->g -= weight;
}

/* Of a small node: with the codes that occur. */
static void add_rows(scarce__deep *w, const waiting *node, uint32_t column)
{
    size_t width;
    const uint8_t *codes = codes_of(w->in->codes, column, &width);
    uint64_t occur[4] = {0};

    for (size_t k = node->begin; k < node->end; ++k) {
        const item *i = &w->items[k];
        const unsigned c = codes[i->row * width];
        w->counts[0][c] += counts_of(i);
        if (w->in->weight) add_weight(&w->cells[0][c], i, weight_of(w, i));
        occur[c >> 6] |= (uint64_t)1 << (c & 63);
    }
    memcpy(w->occur, occur, sizeof occur);
}

/* Of a large node: several features at once. */
static void add_rows_together(scarce__deep *w, const waiting *node, const uint32_t *column, size_t n)
{
    const uint8_t *codes[TOGETHER];
    size_t width[TOGETHER];

    for (size_t j = 0; j < TOGETHER; ++j) codes[j] = codes_of(w->in->codes, column[j < n ? j : 0], &width[j]);
    for (size_t k = node->begin; k < node->end; ++k) {
        const item *i = &w->items[k];
        const scarce__gh one = counts_of(i);
        const double weight = w->in->weight ? weight_of(w, i) : 0;
        for (size_t j = 0; j < n; ++j) {
            const unsigned c = codes[j][i->row * width[j]];
            w->counts[j][c] += one;
            if (w->in->weight) add_weight(&w->cells[j][c], i, weight);
        }
    }
}

static void find_occurring(scarce__deep *w, size_t j, size_t n_codes)
{
    memset(w->occur, 0, sizeof w->occur);
    for (size_t c = 0; c < n_codes; ++c) w->occur[c >> 6] |= (uint64_t)(w->counts[j][c] != 0) << (c & 63);
}

static void forget(scarce__deep *w, size_t j)
{
    for (unsigned word = 0; word < 4; ++word)
        for (uint64_t left = w->occur[word]; left; left &= left - 1) {
            const unsigned c = 64 * word + (unsigned)__builtin_ctzll(left);
            w->counts[j][c] = 0;
            w->cells[j][c] = (cell){0, 0};
        }
}

/* ---- candidates */

static inline scarce__totals totals_at(const scarce__deep *w, size_t j, unsigned c)
{
    scarce__totals t = {.counts = w->counts[j][c]};
    if (w->in->weight) {
        t.g = w->cells[j][c].g;
        t.h = w->cells[j][c].h;
    } else {
        t.g = -(double)scarce__count_marks(t.counts);
        t.h = (double)scarce__count_rows(t.counts);
    }
    return t;
}

static inline void add_totals(scarce__totals *to, const scarce__totals *more)
{
    to->g += more->g;
    to->h += more->h;
    to->counts += more->counts;
}

static inline void candidate(scarce__deep *w, size_t *n, unsigned at, const scarce__totals *left)
{
    w->g[*n] = left->g;
    w->h[*n] = left->h;
    w->sum[*n] = left->counts;
    w->at[(*n)++] = (uint16_t)at;
}

/* Asks the criterion about candidates 0..n-1, with `missing` beside the left side; SIZE_MAX: none is better. */
static size_t look(scarce__deep *w, const waiting *node, const scarce__totals *missing, size_t n, found *best)
{
    const scarce__split_rules *r = &w->options.rules;
    const int counted = r->min_child_rows > 1 || r->min_child_marks > 0;
    const scarce__criterion_node at = {.rules = r, .total = node->total, .avx2 = w->avx2};
    const scarce__sides sides = {.g = w->g,
                                 .h = w->h,
                                 .counts = counted ? w->sum : NULL,
                                 .add_g = missing ? missing->g : 0,
                                 .add_h = missing ? missing->h : 0,
                                 .add_counts = missing ? missing->counts : 0};
    const size_t b = scarce__judge(&at, r->criterion->worth(&at), &sides, 0, n, w->value, NULL, &best->gain);

    if (b == SIZE_MAX) return b;
    best->left.g = w->g[b] + sides.add_g;
    best->left.h = w->h[b] + sides.add_h;
    best->left.counts = w->sum[b] + sides.add_counts;
    return b;
}

/* The edge nearest to the middle of the gap between bins a < b of a node. */
static unsigned middle_edge(const scarce__deep *w, const scarce__bin_feature *f, unsigned a, unsigned b)
{
    const float *edge = w->bins->edges + f->edge;
    const double middle = 0.5 * ((double)edge[a] + (double)edge[b - 1]);
    unsigned lo = a, hi = b - 1;

    while (lo < hi) { /* the first edge from the middle on */
        const unsigned half = (lo + hi) / 2;
        if ((double)edge[half] < middle) lo = half + 1;
        else hi = half;
    }
    return lo;
}

/* The bins of a numeric feature that occur, with the sums up to each; returns how many. Alone: bin = code - 1, code 0
 * is missing. In a bundle: what has no code of this feature is in its zero bin. */
static size_t list_bins(scarce__deep *w, const waiting *node, const scarce__bin_feature *f, size_t j)
{
    const unsigned first = f->zero < 0 ? 1 : f->first, end = first + f->n_bins - (f->zero < 0 ? 0 : 1);
    scarce__totals sum = {0}, zero = node->total;
    size_t n = 0;
    int done = f->zero < 0;

    for (unsigned c = first; !done && c < end; ++c) {
        const scarce__totals t = totals_at(w, j, c);
        zero.g -= t.g;
        zero.h -= t.h;
        zero.counts -= t.counts;
    }
    for (unsigned word = 0; word < 4; ++word)
        for (uint64_t left = w->occur[word]; left; left &= left - 1) {
            const unsigned c = 64 * word + (unsigned)__builtin_ctzll(left);
            if (c < first || c >= end) continue;
            if (!done && c - first >= (unsigned)f->zero) {
                done = 1;
                add_totals(&sum, &zero);
                if (zero.counts) candidate(w, &n, (unsigned)f->zero, &sum);
            }
            const scarce__totals t = totals_at(w, j, c);
            add_totals(&sum, &t);
            candidate(w, &n, c - first + (f->zero >= 0 && c - first >= (unsigned)f->zero), &sum);
        }
    if (!done && zero.counts) {
        add_totals(&sum, &zero);
        candidate(w, &n, (unsigned)f->zero, &sum);
    }
    return n;
}

/* Values against missing ones, where an edge beside the values says so. */
static void try_missing_alone(scarce__deep *w, const waiting *node, const scarce__bin_feature *f, size_t n,
                              const scarce__totals *missing, found *best)
{
    const unsigned low = w->at[0], high = w->at[n - 1];
    if (high + 1 < f->n_bins) {
        w->g[0] = w->g[n - 1];
        w->h[0] = w->h[n - 1];
        w->sum[0] = w->sum[n - 1];
    } else if (low > 0) {
        w->g[0] = missing->g;
        w->h[0] = missing->h;
        w->sum[0] = missing->counts;
    } else return;
    if (look(w, node, NULL, 1, best) == SIZE_MAX) return;
    best->f = f;
    best->is_set = 0;
    best->missing_left = high + 1 >= f->n_bins;
    best->bin = best->missing_left ? low - 1 : high;
}

/* Returns whether the feature can be split here at all. */
static int search_numeric(scarce__deep *w, const waiting *node, const scarce__bin_feature *f, size_t j,
                          found *best)
{
    const scarce__totals missing = f->zero < 0 ? totals_at(w, j, 0) : (scarce__totals){0};
    const size_t n = list_bins(w, node, f, j);
    int before = n > 1;

    for (int side = 0; n > 1 && side < (missing.counts ? 2 : 1); ++side) {
        const size_t b = look(w, node, side ? &missing : NULL, n - 1, best);
        if (b == SIZE_MAX) continue;
        best->f = f;
        best->is_set = 0;
        best->bin = middle_edge(w, f, w->at[b], w->at[b + 1]);
        if (f->zero >= 0) best->missing_left = (unsigned)f->zero <= best->bin;
        else best->missing_left = missing.counts ? side : 2 * best->left.h >= node->total.h;
    }
    if (missing.counts && n > 0) {
        before = 1;
        try_missing_alone(w, node, f, n, &missing, best);
    }
    return before;
}

/* The codes of a category that occur, by their share of positives; prefixes go left. Those that don't occur here go
 * with the heavier side. */
static int search_category(scarce__deep *w, const waiting *node, const scarce__bin_feature *f, size_t j,
                           found *best)
{
    scarce__totals sum = {0};
    size_t n = 0, m = 0;

    for (unsigned word = 0; word < 4; ++word)
        for (uint64_t left = w->occur[word]; left; left &= left - 1) {
            const unsigned c = 64 * word + (unsigned)__builtin_ctzll(left);
            const scarce__totals t = totals_at(w, j, c);
            const double key = scarce__category_key(&w->options.rules, t.g, t.h);
            size_t k = n++;
            for (; k > 0 && w->key[k - 1] > key; --k) {
                w->key[k] = w->key[k - 1];
                w->at[k] = w->at[k - 1];
            }
            w->key[k] = key;
            w->at[k] = (uint16_t)c;
        }
    while (m < n) {
        const unsigned c = w->at[m];
        const scarce__totals t = totals_at(w, j, c);
        add_totals(&sum, &t);
        candidate(w, &m, c, &sum);
    }
    if (n < 2) return 0;
    const size_t b = look(w, node, NULL, n - 1, best);
    if (b == SIZE_MAX) return 1;
    const int rest_left = 2 * best->left.h >= node->total.h;
    best->f = f;
    best->is_set = 1;
    memset(best->set, rest_left ? 0xff : 0, sizeof best->set);
    for (size_t k = 0; k < n; ++k) {
        const uint64_t bit = (uint64_t)1 << (w->at[k] & 63);
        if (k <= b) best->set[w->at[k] >> 6] |= bit;
        else best->set[w->at[k] >> 6] &= ~bit;
    }
    return 1;
}

static int search_feature(scarce__deep *w, const waiting *node, const scarce__bin_feature *f, size_t j,
                          found *best)
{
    const int can = f->category ? search_category(w, node, f, j, best) : search_numeric(w, node, f, j, best);
    forget(w, j);
    return can;
}

/* ---- one node */

/* Puts a feature drawn from order[k..] at k. */
static uint32_t draw_feature(scarce__deep *w, size_t k)
{
    const uint64_t left = w->bins->n_used - k;
    const size_t j = k + (size_t)((scarce__random_u64(&w->random) >> 32) * left >> 32);
    const uint32_t f = w->order[j];
    w->order[j] = w->order[k];
    w->order[k] = f;
    return f;
}

static void search_one_by_one(scarce__deep *w, const waiting *node, found *best)
{
    int can = 0;
    for (size_t k = 0; k < w->bins->n_used && (k < w->options.features || !can); ++k) {
        const scarce__bin_feature *f = &w->bins->used[draw_feature(w, k)];
        add_rows(w, node, f->column);
        can |= search_feature(w, node, f, 0, best);
    }
}

static void search_together(scarce__deep *w, const waiting *node, found *best)
{
    int can = 0;
    for (size_t k = 0; k < w->bins->n_used && (k < w->options.features || !can);) {
        const size_t left = k < w->options.features ? w->options.features - k : 1,
                     n = left < TOGETHER ? left : TOGETHER;
        const scarce__bin_feature *f[TOGETHER];
        uint32_t column[TOGETHER];
        for (size_t j = 0; j < n; ++j) {
            f[j] = &w->bins->used[draw_feature(w, k++)];
            column[j] = f[j]->column;
        }
        add_rows_together(w, node, column, n);
        for (size_t j = 0; j < n; ++j) {
            find_occurring(w, j, w->bins->n_codes[column[j]]);
            can |= search_feature(w, node, f[j], j, best);
        }
    }
}

static int can_split(const scarce__deep *w, const waiting *node)
{
    const scarce__split_rules *r = &w->options.rules;
    const uint32_t least = r->min_child_rows > 1 ? r->min_child_rows : 1;
    if (w->options.max_depth > 0 && node->depth >= (uint32_t)w->options.max_depth) return 0;
    if (node->end - node->begin < 2 || scarce__count_rows(node->total.counts) / 2 < least) return 0;
    if (!(node->total.h >= 2 * r->min_child_weight) || w->bins->n_used == 0) return 0;
    return scarce__may_split(r->criterion, &node->total, 0, NULL);
}

/* The weight of a class is for splits alone. Undone in the leaves, it leaves shares as they are; undone in the mean of
 * the trees (a factor on its odds) it would not, since leaves are pure or nearly so. */
static void fill_node(const scarce__deep *w, scarce__node *to, const waiting *node)
{
    scarce__totals total = node->total;
    const double positive = -total.g / w->options.pos_weight;

    memset(to, 0, sizeof *to);
    to->feature = -1;
    if (w->options.pos_weight != 1) {
        total.h += total.g + positive;
        total.g = -positive;
    }
    const double share = w->options.rules.criterion->leaf(&w->options.rules, &total, -INFINITY, INFINITY);
    to->cover = (float)node->total.h;
    to->rows = scarce__count_rows(node->total.counts);
    to->value = (float)(to->rows ? share * to->rows / (to->rows + w->options.smoothing) : share);
}

/* Parts the rows of the node, those of the left side first, all in their order; returns how many. */
static size_t part(scarce__deep *w, const waiting *node, const scarce__bin_test *test)
{
    size_t width, n = 0, m = 0;
    const uint8_t *codes = codes_of(w->in->codes, test->column, &width);
    item *to = w->items + node->begin;

    for (size_t k = node->begin; k < node->end; ++k) {
        const item i = w->items[k];
        const int left = scarce__goes_left(test, codes[i.row * width]);
        to[n] = i;
        w->spare[m] = i;
        n += (size_t)left;
        m += (size_t)!left;
    }
    memcpy(to + n, w->spare, m * sizeof *to);
    return n;
}

static scarce_status reserve(scarce__binned_tree *tree, size_t n, scarce_error *err)
{
    if (n <= tree->capacity) return SCARCE_OK;
    const size_t room = 2 * n + 62;
    scarce__node *nodes = scarce__realloc_array(tree->nodes, room, sizeof *nodes);
    if (!nodes) return scarce__fail_memory(err, "a tree", room * sizeof *nodes);
    tree->nodes = nodes;
    tree->capacity = room;
    return SCARCE_OK;
}

static scarce_status write_test(scarce__deep *w, scarce__binned_tree *tree, const waiting *node,
                                const found *best, scarce__bin_test *test, scarce_error *err)
{
    scarce__node *to = &tree->nodes[node->node];

    to->feature = (int32_t)best->f->feature;
    to->gain = (float)best->gain;
    to->value = 0;
    if (best->is_set) {
        *test = scarce__set_test(best->f, best->set);
        return scarce__raw_set(tree, to, w->bins, best->f, best->set, err);
    }
    *test = scarce__range_test(best->f, best->bin, best->missing_left);
    to->value = w->bins->edges[best->f->edge + best->bin];
    if (best->missing_left) to->flags |= SCARCE__MISSING_LEFT;
    return SCARCE_OK;
}

/* Which child goes on first, from the top of the stack: the lighter one, so that rows of weight w, rows that count w times
 * and w copies make one tree. Weights may be such that few rows wait at many levels; by then it is the one of fewer
 * rows, which halve with every level. */
static int smaller_of(const scarce__deep *w, const waiting child[2])
{
    if (w->n_waiting < MOST_WAITING / 2) return child[1].total.h < child[0].total.h;
    return scarce__count_rows(child[1].total.counts) < scarce__count_rows(child[0].total.counts);
}

static scarce_status split(scarce__deep *w, scarce__binned_tree *tree, const waiting *node, const found *best,
                           scarce_error *err)
{
    scarce__bin_test test;
    waiting child[2];

    SCARCE__TRY(reserve(tree, tree->n_nodes + 2, err));
    SCARCE__TRY(write_test(w, tree, node, best, &test, err));
    const size_t cut = node->begin + part(w, node, &test);
    child[0] = (waiting){.begin = node->begin, .end = cut, .total = best->left};
    child[1] = (waiting){.begin = cut, .end = node->end, .total = node->total};
    child[1].total.g -= best->left.g;
    child[1].total.h -= best->left.h;
    child[1].total.counts -= best->left.counts;
    for (uint32_t k = 0; k < 2; ++k) {
        child[k].node = (uint32_t)tree->n_nodes + k;
        child[k].depth = node->depth + 1;
        fill_node(w, &tree->nodes[child[k].node], &child[k]);
    }
    tree->nodes[node->node].left = (int32_t)child[0].node;
    tree->nodes[node->node].right = (int32_t)child[1].node;
    tree->n_nodes += 2;
    const int first = smaller_of(w, child);
    if (can_split(w, &child[!first])) w->stack[w->n_waiting++] = child[!first];
    if (can_split(w, &child[first])) w->stack[w->n_waiting++] = child[first];
    return SCARCE_OK;
}

/* ---- the tree */

static void take_rows(scarce__deep *w, const scarce__deep_rows *in, size_t n, waiting *root)
{
    for (size_t k = 0; k < n; ++k) {
        const uint32_t row = in->row ? in->row[k] : (uint32_t)k, times = in->times ? in->times[k] : 1;
        const item it = {row, times | (in->label[row] ? POSITIVE : 0)};
        w->items[k] = it;
        root->total.counts += counts_of(&it);
        const double weight = in->weight ? weight_of(w, &it) : (double)times;
        root->total.h += weight;
        if (in->label[row]) root->total.g -= weight;
    }
    root->end = n;
}

scarce_status scarce__deep_tree(scarce__deep *w, scarce__binned_tree *tree, const scarce__deep_rows *in,
                                uint64_t index, scarce_error *err)
{
    const size_t n = in->row ? in->n : in->codes->n_rows;
    waiting root = {0};

    if (n > w->max_rows)
        return scarce__fail(err, SCARCE_EBUG, "a tree on %zu rows, room for %zu", n, w->max_rows);
    w->in = in;
    w->n_waiting = 0;
    w->random = scarce__random_start(w->options.seed, SCARCE__FOR_COLUMNS, index);
    for (size_t k = 0; k < w->bins->n_used; ++k) w->order[k] = (uint32_t)k;
    take_rows(w, in, n, &root);
    tree->n_nodes = 1;
    tree->n_set_words = 0;
    SCARCE__TRY(reserve(tree, 1, err));
    fill_node(w, &tree->nodes[0], &root);
    if (can_split(w, &root)) w->stack[w->n_waiting++] = root;
    while (w->n_waiting > 0) {
        const waiting node = w->stack[--w->n_waiting];
        found best = {.gain = -INFINITY};
        if (node.end - node.begin >= LARGE) search_together(w, &node, &best);
        else search_one_by_one(w, &node, &best);
        if (best.f) SCARCE__TRY(split(w, tree, &node, &best, err));
    }
    return SCARCE_OK;
}
