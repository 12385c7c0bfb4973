/* SPDX-License-Identifier: Apache-2.0 */
/* Exact weighted quantile cuts of one column.
 *
 * 1. The values are sorted by radix (three passes of 11 bits over order-keeping keys).
 * 2. Equal values become runs with their weight, as a running sum c_0 = 0 < c_1 < ... < c_k.
 * 3. Few distinct values: each its own bin. Else a value heavier than (weight left) / (bins left) gets its
 *    own bin, again and again while the average falls; the light values between share what is left in bins of
 *    equal weight. Plain quantiles spend most bins on one heavy value (zeros) and lose the rest of the
 *    column.
 * 4. The edge between two bins is the middle of the two values next to it, or the lower one where the middle
 *    rounds up to the other, so that x <= edge holds for all of the lower bin and for none of the upper.
 *
 * Heavy values are found without looking at every run: one of weight > m covers a multiple of m.
 *
 * Long columns of many values aren't sorted altogether (quantile_lazy.c); their cuts are the same. */
#include "tree/quantile.h"

#include <math.h>

#include "core/alloc.h"

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS };

int scarce__cutter_init(scarce__cutter *c, size_t capacity)
{
    memset(c, 0, sizeof *c);
    c->capacity = capacity;
    c->a = scarce__big_alloc(capacity + 1, sizeof *c->a);
    c->b = scarce__big_alloc(capacity + 1, sizeof *c->b);
    c->cum = scarce__big_alloc(capacity + 3, sizeof *c->cum);
    c->count = scarce__malloc_array(3, sizeof(uint32_t[RADIX]));
    if (capacity >= SCARCE__LAZY_FROM) c->cells = scarce__malloc(sizeof *c->cells);
    if (c->a && c->b && c->cum && c->count && (c->cells || capacity < SCARCE__LAZY_FROM)) return 1;
    scarce__cutter_deinit(c);
    return 0;
}

void scarce__cutter_deinit(scarce__cutter *c)
{
    scarce__free(c->a);
    scarce__free(c->b);
    scarce__free(c->cum);
    scarce__free(c->count);
    scarce__free(c->cells);
    memset(c, 0, sizeof *c);
}

/* Ends in `a` whatever the number of passes. A digit that is the same everywhere is skipped. */
#define RADIX_SORT(NAME, TYPE, KEY)                                                                          \
    static void NAME(TYPE *a, TYPE *b, size_t n, uint32_t(*count)[RADIX])                                    \
    {                                                                                                        \
        static const unsigned shift[3] = {0, RADIX_BITS, 2 * RADIX_BITS};                                    \
        TYPE *from = a, *to = b;                                                                             \
        memset(count, 0, 3 * sizeof *count);                                                                 \
        for (size_t i = 0; i < n; ++i) {                                                                     \
            const uint32_t k = KEY(a[i]);                                                                    \
            ++count[0][k & (RADIX - 1)];                                                                     \
            ++count[1][(k >> RADIX_BITS) & (RADIX - 1)];                                                     \
            ++count[2][k >> (2 * RADIX_BITS)];                                                               \
        }                                                                                                    \
        for (unsigned pass = 0; pass < 3; ++pass) {                                                          \
            uint32_t *c = count[pass], sum = 0;                                                              \
            if (n == 0 || c[(KEY(from[0]) >> shift[pass]) & (RADIX - 1)] == n) continue;                     \
            for (unsigned d = 0; d < RADIX; ++d) {                                                           \
                const uint32_t t = c[d];                                                                     \
                c[d] = sum;                                                                                  \
                sum += t;                                                                                    \
            }                                                                                                \
            for (size_t i = 0; i < n; ++i) to[c[(KEY(from[i]) >> shift[pass]) & (RADIX - 1)]++] = from[i];   \
            TYPE *t = from;                                                                                  \
            from = to;                                                                                       \
            to = t;                                                                                          \
        }                                                                                                    \
        if (from != a) memcpy(a, from, n * sizeof *a);                                                       \
    }
#define KEY_SELF(v) (v)
#define KEY_HIGH(v) ((uint32_t)((v) >> 32))
RADIX_SORT(sort_keys, uint32_t, KEY_SELF)
RADIX_SORT(sort_pairs, uint64_t, KEY_HIGH)

/* Small columns: the counters of the radix sort would cost more than the values. */
void scarce__sort_few(uint32_t *a, size_t n)
{
    for (size_t gap = n / 2; gap > 0; gap = gap == 2 ? 1 : (size_t)((double)gap / 2.2)) {
        for (size_t i = gap; i < n; ++i) {
            const uint32_t v = a[i];
            size_t j = i;
            for (; j >= gap && a[j - gap] > v; j -= gap) a[j] = a[j - gap];
            a[j] = v;
        }
    }
}

/* Runs: distinct keys in `key`, c->cum[i] the weight before run i. Returns their number. */
static size_t runs_plain(scarce__cutter *c, const float *x, const uint32_t *rows, size_t n, double zeros,
                         uint32_t **key_out, size_t *n_missing)
{
    uint32_t *key = (uint32_t *)c->a, *spare = (uint32_t *)c->b;
    const uint32_t zero = scarce__float_key(0);
    size_t m = 0, k = 0;
    double extra = 0;

    for (size_t i = 0; i < n; ++i) {
        const float v = x[rows ? rows[i] : i];
        key[m] = scarce__float_key(v);
        m += v == v;
    }
    *n_missing = n - m;
    if (m < 1500) scarce__sort_few(key, m);
    else sort_keys(key, spare, m, (uint32_t(*)[RADIX])c->count);
    int zero_done = zeros <= 0;
    for (size_t i = 0; i < m; ++i) {
        if (i > 0 && key[i] == key[i - 1]) continue;
        if (!zero_done && key[i] >= zero) {
            zero_done = 1;
            if (key[i] > zero) { /* no listed zero: the unlisted ones are a run of their own */
                spare[k] = zero;
                c->cum[k++] = (double)i;
                extra = zeros;
            } else {
                spare[k] = zero;
                c->cum[k++] = (double)i;
                extra = zeros;
                continue;
            }
        }
        spare[k] = key[i];
        c->cum[k++] = (double)i + extra;
    }
    if (!zero_done) {
        spare[k] = zero;
        c->cum[k++] = (double)m;
        extra = zeros;
    }
    c->cum[k] = (double)m + extra;
    *key_out = spare;
    return k;
}

static size_t runs_weighted(scarce__cutter *c, const float *x, const uint32_t *rows, size_t n,
                            const double *weight, double zeros, uint32_t **key_out, size_t *n_missing)
{
    const uint32_t zero = scarce__float_key(0);
    uint32_t *key = (uint32_t *)c->b;
    size_t m = 0, k = 0;
    double sum = 0;

    for (size_t i = 0; i < n; ++i) {
        const float v = x[rows ? rows[i] : i], w = (float)weight[i];
        uint32_t bits;
        memcpy(&bits, &w, sizeof bits);
        c->a[m] = (uint64_t)scarce__float_key(v) << 32 | bits;
        m += v == v;
    }
    *n_missing = n - m;
    if (zeros > 0) { /* as one more value; there is room for capacity + 1 */
        const float w = (float)zeros;
        uint32_t bits;
        memcpy(&bits, &w, sizeof bits);
        c->a[m++] = (uint64_t)zero << 32 | bits;
    }
    sort_pairs(c->a, c->b, m, (uint32_t(*)[RADIX])c->count);
    for (size_t i = 0; i < m;) {
        const uint32_t v = KEY_HIGH(c->a[i]);
        key[k] = v;
        c->cum[k++] = sum;
        for (; i < m && KEY_HIGH(c->a[i]) == v; ++i) {
            const uint32_t bits = (uint32_t)c->a[i];
            float w;
            memcpy(&w, &bits, sizeof w);
            sum += (double)w;
        }
    }
    c->cum[k] = sum;
    *key_out = key;
    return k;
}

float scarce__edge_between(uint32_t low, uint32_t high)
{
    const float a = scarce__key_float(low), b = scarce__key_float(high);
    const float middle = (float)(0.5 * ((double)a + (double)b));
    if (!(middle >= a) || !(middle < b) || isinf(middle)) return a;
    return middle + 0.0f;
}

/* First run that begins at or after `at`. */
static size_t first_from(const double *cum, size_t k, double at)
{
    size_t lo = 0, n = k;
    while (n > 0) {
        const size_t half = n / 2;
        if (cum[lo + half] < at) {
            lo += half + 1;
            n -= half + 1;
        } else n = half;
    }
    return lo;
}

/* Marks runs heavier than (weight left) / (bins left) until there are none; their numbers, ascending. */
static size_t find_heavy(const double *cum, size_t k, size_t max_bins, size_t *heavy, double *light_weight)
{
    size_t n_heavy = 0;
    double rest = cum[k];

    while (n_heavy + 1 < max_bins) {
        const double m = rest / (double)(max_bins - n_heavy);
        size_t found = 0;
        if (!(m > 0)) break;
        for (double at = 0; at < cum[k] && n_heavy + found + 1 < max_bins;) {
            size_t i = first_from(cum, k + 1, at);
            if (i > 0 && (i > k || cum[i] > at)) --i; /* the run that covers `at` */
            if (i >= k) break;
            const double w = cum[i + 1] - cum[i];
            if (w > m) {
                size_t j = 0;
                while (j < n_heavy && heavy[j] != i) ++j;
                if (j == n_heavy) heavy[n_heavy + found++] = i;
            }
            at = cum[i + 1] > at + m ? cum[i + 1] : at + m;
        }
        if (found == 0) break;
        for (size_t j = 0; j < found; ++j) rest -= cum[heavy[n_heavy + j] + 1] - cum[heavy[n_heavy + j]];
        n_heavy += found;
    }
    for (size_t i = 1; i < n_heavy; ++i) { /* few: by insertion */
        const size_t v = heavy[i];
        size_t j = i;
        for (; j > 0 && heavy[j - 1] > v; --j) heavy[j] = heavy[j - 1];
        heavy[j] = v;
    }
    *light_weight = rest > 0 ? rest : 0;
    return n_heavy;
}

/* Bins of about equal weight over the light runs [begin, end); writes where each bin ends. */
static size_t cut_light(const double *cum, size_t begin, size_t end, size_t *left_bins, double *left_weight,
                        size_t reserve, size_t *stop)
{
    size_t n = 0;
    while (begin<end && * left_bins> reserve) {
        const double target = *left_weight / (double)*left_bins;
        const double want = cum[begin] + target;
        size_t e = first_from(cum + begin, end + 1 - begin, want) + begin;
        if (e > end) e = end;
        if (e > begin + 1 && cum[e] - want > want - cum[e - 1]) --e; /* the nearer of the two */
        if (e <= begin) e = begin + 1;
        if (cum[end] - cum[e] < 0.5 * target || *left_bins == reserve + 1) e = end;
        *left_weight -= cum[e] - cum[begin];
        *left_bins -= 1;
        stop[n++] = e;
        begin = e;
    }
    return n;
}

void scarce__cut(scarce__cuts *out, scarce__cutter *c, const float *x, const uint32_t *rows, size_t n,
                 const double *weight, double zeros, size_t max_bins)
{
    if (zeros > 0 || !scarce__cut_lazily(out, c, x, rows, n, weight, max_bins))
        scarce__cut_sorted(out, c, x, rows, n, weight, zeros, max_bins);
}

void scarce__cut_sorted(scarce__cuts *out, scarce__cutter *c, const float *x, const uint32_t *rows, size_t n,
                        const double *weight, double zeros, size_t max_bins)
{
    size_t heavy[SCARCE__MAX_BINS], stop[SCARCE__MAX_BINS + 1], n_stop = 0, begin = 0;
    uint32_t *key;
    double light = 0;
    size_t k;

    out->n_missing = 0;
    k = weight ? runs_weighted(c, x, rows, n, weight, zeros, &key, &out->n_missing)
               : runs_plain(c, x, rows, n, zeros, &key, &out->n_missing);
    if (weight && k > max_bins && !(c->cum[k] > 0)) /* all weights are zero: count rows instead */
        k = runs_plain(c, x, rows, n, zeros, &key, &out->n_missing);
    out->n_distinct = k;
    if (k <= max_bins) {
        out->n_bins = k;
        for (size_t i = 0; i + 1 < k; ++i) out->edge[i] = scarce__edge_between(key[i], key[i + 1]);
        return;
    }
    const size_t n_heavy = find_heavy(c->cum, k, max_bins, heavy, &light);
    size_t bins = max_bins - n_heavy;
    for (size_t h = 0; h <= n_heavy; ++h) {
        const size_t end = h < n_heavy ? heavy[h] : k;
        if (begin < end) {
            /* without a bin of its own a stretch of light values joins the heavy one after it */
            n_stop += cut_light(c->cum, begin, end, &bins, &light, end == k ? 0 : 1, stop + n_stop);
            if (h == n_heavy && n_stop > 0) stop[n_stop - 1] = k;
        }
        if (h < n_heavy) {
            stop[n_stop++] = heavy[h] + 1;
            begin = heavy[h] + 1;
        }
    }
    if (stop[n_stop - 1] != k) stop[n_stop - 1] = k;
    out->n_bins = n_stop;
    for (size_t i = 0; i + 1 < n_stop; ++i)
        out->edge[i] = scarce__edge_between(key[stop[i] - 1], key[stop[i]]);
}
