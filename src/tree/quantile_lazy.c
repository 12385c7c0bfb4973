/* SPDX-License-Identifier: Apache-2.0 */
/* The cuts of quantile.c for long columns of many values, without sorting what no cut falls into.
 *
 * One pass puts the items into the cells of the upper 16 bits of their keys; a cell is sorted when it is looked
 * at (about a tenth of them). Places in the sorted order are given by the weight before them, which needs whole
 * cells only, up to the cell that is looked into. Items are keys, or with weights pairs of key and weight. */
#include <math.h>

#include "tree/quantile.h"

typedef struct items {
    scarce__cells *cells;
    uint32_t *key;  /* by cell; NULL with weights */
    uint64_t *pair; /* by cell: key, bits of the weight */
    double *inside; /* with weights, of sorted cells: the weight before an item */
    void *spare;    /* as many items */
} items;

/* Between two values: so many items and so much weight before it. */
typedef struct place {
    size_t at;
    double weight;
} place;

typedef struct stretch {
    place begin, end;
} stretch;

static uint32_t key_at(const items *c, size_t i)
{
    return c->key ? c->key[i] : (uint32_t)(c->pair[i] >> 32);
}

static double cell_weight_before(const items *c, size_t cell)
{
    return c->key ? (double)c->cells->start[cell] : c->cells->before[cell];
}

/* Of a sorted cell. */
static place place_at(const items *c, size_t cell, size_t i)
{
    if (c->key) return (place){i, (double)i};
    return (place){i, i == c->cells->start[cell + 1] ? c->cells->before[cell + 1] : c->inside[i]};
}

/* Items of one cell differ in the 16 bits from SHIFT on only. */
#define SORT_LOW(NAME, TYPE, SHIFT)                                                                          \
    static void NAME(TYPE *a, TYPE *b, size_t n)                                                             \
    {                                                                                                        \
        uint32_t count[2][256];                                                                              \
        memset(count, 0, sizeof count);                                                                      \
        for (size_t i = 0; i < n; ++i) {                                                                     \
            ++count[0][a[i] >> (SHIFT)&255];                                                                 \
            ++count[1][a[i] >> ((SHIFT) + 8) & 255];                                                         \
        }                                                                                                    \
        for (unsigned pass = 0; pass < 2; ++pass) {                                                          \
            TYPE *from = pass ? b : a, *to = pass ? a : b;                                                   \
            uint32_t sum = 0;                                                                                \
            for (unsigned d = 0; d < 256; ++d) {                                                             \
                const uint32_t t = count[pass][d];                                                           \
                count[pass][d] = sum;                                                                        \
                sum += t;                                                                                    \
            }                                                                                                \
            for (size_t i = 0; i < n; ++i)                                                                   \
                to[count[pass][from[i] >> ((SHIFT) + 8 * pass) & 255]++] = from[i];                          \
        }                                                                                                    \
    }
SORT_LOW(sort_keys_low, uint32_t, 0)
SORT_LOW(sort_pairs_low, uint64_t, 32)

static double pair_weight(uint64_t pair)
{
    const uint32_t bits = (uint32_t)pair;
    float w;
    memcpy(&w, &bits, sizeof w);
    return (double)w;
}

static void sort_cell(items *c, size_t cell)
{
    const size_t begin = c->cells->start[cell], n = c->cells->start[cell + 1] - begin;
    if (c->cells->sorted[cell]) return;
    c->cells->sorted[cell] = 1;
    if (c->key) {
        if (n < 64) scarce__sort_few(c->key + begin, n);
        else sort_keys_low(c->key + begin, c->spare, n);
        return;
    }
    if (n > 1) sort_pairs_low(c->pair + begin, c->spare, n);
    double sum = c->cells->before[cell];
    for (size_t i = begin; i < begin + n; ++i) {
        c->inside[i] = sum;
        sum += pair_weight(c->pair[i]);
    }
}

/* First item in [lo, hi) whose key is above v (or v itself). */
static size_t first_above(const items *c, size_t lo, size_t hi, uint32_t v, int or_equal)
{
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const uint32_t k = key_at(c, mid);
        if (k > v || (or_equal && k == v)) hi = mid;
        else lo = mid + 1;
    }
    return lo;
}

/* The run of equal values with begin < want <= end in weight; 0 < want <= all of it. */
static stretch run_over(items *c, double want)
{
    size_t lo = 0, hi = SCARCE__CELLS - 1;
    while (lo < hi) { /* the first cell that ends at or after it */
        const size_t mid = (lo + hi) / 2;
        if (cell_weight_before(c, mid + 1) >= want) hi = mid;
        else lo = mid + 1;
    }
    const size_t cell = lo, first = c->cells->start[cell], end = c->cells->start[cell + 1];
    sort_cell(c, cell);
    for (lo = first, hi = end; lo < hi;) { /* the first item that begins at or after it */
        const size_t mid = lo + (hi - lo) / 2;
        if (place_at(c, cell, mid).weight >= want) hi = mid;
        else lo = mid + 1;
    }
    const size_t in = lo > first ? lo - 1 : first;
    const uint32_t v = key_at(c, in);
    return (stretch){place_at(c, cell, first_above(c, first, in, v, 1)),
                     place_at(c, cell, first_above(c, in + 1, end, v, 0))};
}

/* As find_heavy. A value heavier than m lies in a cell heavier than m, and m behind the end of a run or the
 * beginning of the cell. */
static size_t find_heavy(items *c, size_t max_bins, stretch *heavy, double *light)
{
    size_t n_heavy = 0;
    double rest = cell_weight_before(c, SCARCE__CELLS);
    while (n_heavy + 1 < max_bins) {
        const double m = rest / (double)(max_bins - n_heavy);
        size_t found = 0;
        if (!(m > 0)) break;
        for (size_t cell = 0; cell < SCARCE__CELLS && n_heavy + found + 1 < max_bins; ++cell) {
            const double begin = cell_weight_before(c, cell), end = cell_weight_before(c, cell + 1);
            if (end - begin <= m) continue;
            for (double at = begin + m; at <= end && n_heavy + found + 1 < max_bins;) {
                const stretch r = run_over(c, at);
                size_t j = 0;
                if (r.end.weight - r.begin.weight > m) {
                    while (j < n_heavy && heavy[j].begin.at != r.begin.at) ++j;
                    if (j == n_heavy) heavy[n_heavy + found++] = r;
                }
                at = r.end.weight + m > at ? r.end.weight + m : at + m;
            }
        }
        if (found == 0) break;
        for (size_t j = n_heavy; j < n_heavy + found; ++j)
            rest -= heavy[j].end.weight - heavy[j].begin.weight;
        n_heavy += found;
    }
    for (size_t i = 1; i < n_heavy; ++i) {
        const stretch v = heavy[i];
        size_t j = i;
        for (; j > 0 && heavy[j - 1].begin.at > v.begin.at; --j) heavy[j] = heavy[j - 1];
        heavy[j] = v;
    }
    *light = rest > 0 ? rest : 0;
    return n_heavy;
}

/* As cut_light. */
static size_t cut_light(items *c, place begin, place end, size_t *left_bins, double *left_weight,
                        size_t reserve, size_t *stop)
{
    size_t n = 0;
    while (begin.at<end.at && * left_bins> reserve) {
        const double target = *left_weight / (double)*left_bins;
        const double want = begin.weight + target;
        place e = end;
        if (want > begin.weight && want < end.weight) {
            const stretch r = run_over(c, want);
            e = r.end.at < end.at ? r.end : end;
            if (r.begin.at > begin.at && e.weight - want > want - r.begin.weight) e = r.begin;
        }
        if (end.weight - e.weight < 0.5 * target || *left_bins == reserve + 1) e = end;
        *left_weight -= e.weight - begin.weight;
        *left_bins -= 1;
        stop[n++] = e.at;
        begin = e;
    }
    return n;
}

/* Items into `raw` in the order of the rows, counted by cell two further on; their number. */
static size_t count_keys(scarce__cells *cells, uint32_t *raw, const float *x, const uint32_t *rows, size_t n)
{
    size_t m = 0;
    for (size_t i = 0; i < n; ++i) {
        const float v = x[rows ? rows[i] : i];
        const uint32_t k = scarce__float_key(v);
        raw[m] = k;
        m += v == v;
        cells->start[(k >> 16) + 2] += v == v;
    }
    return m;
}

static size_t count_pairs(scarce__cells *cells, uint64_t *raw, const float *x, const uint32_t *rows, size_t n,
                          const double *weight)
{
    size_t m = 0;
    memset(cells->before, 0, sizeof cells->before);
    for (size_t i = 0; i < n; ++i) {
        const float v = x[rows ? rows[i] : i], w = (float)weight[i];
        const uint32_t k = scarce__float_key(v);
        uint32_t bits;
        memcpy(&bits, &w, sizeof bits);
        raw[m] = (uint64_t)k << 32 | bits;
        m += v == v;
        cells->start[(k >> 16) + 2] += v == v;
        cells->before[(k >> 16) + 1] += v == v ? (double)w : 0;
    }
    for (size_t i = 1; i <= SCARCE__CELLS; ++i) cells->before[i] += cells->before[i - 1];
    return m;
}

int scarce__cut_lazily(scarce__cuts *out, scarce__cutter *cutter, const float *x, const uint32_t *rows,
                       size_t n, const double *weight, size_t max_bins)
{
    scarce__cells *cells = cutter->cells;
    items c = {cells, weight ? NULL : (uint32_t *)cutter->a, cutter->a, cutter->cum, cutter->b};
    stretch heavy[SCARCE__MAX_BINS];
    size_t stop[SCARCE__MAX_BINS + 1], n_stop = 0, used = 0;
    place begin = {0, 0};
    double light;

    if (n < SCARCE__LAZY_FROM) return 0;
    memset(cells->start, 0, sizeof cells->start);
    const size_t m = weight ? count_pairs(cells, cutter->b, x, rows, n, weight)
                            : count_keys(cells, (uint32_t *)cutter->b, x, rows, n);
    for (size_t i = 2; i < SCARCE__CELLS + 2; ++i) used += cells->start[i] > 0;
    if (used <= SCARCE__MAX_BINS || (weight && !(cells->before[SCARCE__CELLS] > 0))) return 0;
    memset(cells->sorted, 0, sizeof cells->sorted);
    for (size_t i = 2; i < SCARCE__CELLS + 2; ++i) cells->start[i] += cells->start[i - 1];
    if (weight) {
        const uint64_t *raw = cutter->b;
        for (size_t i = 0; i < m; ++i) c.pair[cells->start[(raw[i] >> 48) + 1]++] = raw[i];
    } else {
        const uint32_t *raw = (const uint32_t *)cutter->b;
        for (size_t i = 0; i < m; ++i) c.key[cells->start[(raw[i] >> 16) + 1]++] = raw[i];
    }
    out->n_missing = n - m;
    out->n_distinct = used; /* at least */
    const size_t n_heavy = find_heavy(&c, max_bins, heavy, &light);
    const place all = {m, cell_weight_before(&c, SCARCE__CELLS)};
    size_t bins = max_bins - n_heavy;
    for (size_t h = 0; h <= n_heavy; ++h) {
        const place end = h < n_heavy ? heavy[h].begin : all;
        if (begin.at < end.at)
            n_stop += cut_light(&c, begin, end, &bins, &light, end.at == m ? 0 : 1, stop + n_stop);
        if (h < n_heavy) stop[n_stop++] = (begin = heavy[h].end).at;
    }
    stop[n_stop - 1] = m;
    out->n_bins = n_stop;
    for (size_t i = 0; i + 1 < n_stop; ++i) {
        sort_cell(&c,
                  key_at(&c, stop[i] - 1) >> 16); /* items lie in their cell whether it is sorted or not */
        sort_cell(&c, key_at(&c, stop[i]) >> 16);
        out->edge[i] = scarce__edge_between(key_at(&c, stop[i] - 1), key_at(&c, stop[i]));
    }
    return 1;
}
