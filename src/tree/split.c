/* SPDX-License-Identifier: Apache-2.0 */
/* Split search over a histogram.
 *
 * Numeric features: running sums over the bins, missing rows on either side. Categories: one against the rest
 * when there are few; else sorted by G / (H + smooth), after which the best subset is a prefix (Fisher 1958);
 * Newton's gain then pays for what sorting finds by chance (chance.c).
 *
 * The running sums are exact integers; the criterion then values all candidates side by side. */
#include "tree/split.h"

#include <math.h>
#include <string.h>

#include "core/random.h"
#include "tree/chance.h"
#include "tree/simd.h"

enum { ROOM = 264 }; /* whole lanes */

typedef struct scratch {
    double g[ROOM], h[ROOM], value[ROOM];
    scarce__gh q[ROOM], counts[ROOM];
    uint8_t bin[ROOM]; /* of a candidate, where bins without rows were left out */
} scratch;

SCARCE__BODY void unpack_body(scratch *s, size_t n, double unit_g, double unit_h)
{
    for (size_t b = 0; b < n; ++b) {
        s->g[b] = (double)scarce__gh_g(s->q[b]) * unit_g;
        s->h[b] = (double)scarce__gh_h(s->q[b]) * unit_h;
    }
}

static void unpack(scratch *s, size_t n, double unit_g, double unit_h)
{
    unpack_body(s, n, unit_g, unit_h);
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void unpack_avx2(scratch *s, size_t n, double unit_g, double unit_h)
{
    unpack_body(s, n, unit_g, unit_h);
}
#else
#define unpack_avx2 unpack
#endif

/* Bit b: cell b of n <= 256 has rows. Deep nodes have few such cells, so that a search goes over these alone. */
SCARCE__BODY void occupied_body(uint64_t set[4], const scarce__gh *cells, size_t n)
{
    memset(set, 0, 4 * sizeof *set);
    for (size_t b = 0; b < n; ++b) set[b >> 6] |= (uint64_t)(cells[b] != 0) << (b & 63);
}

SCARCE__BODY scarce__gh sum_body(const scarce__gh *cells, size_t n)
{
    scarce__gh sum = 0;
    for (size_t b = 0; b < n; ++b) sum += cells[b];
    return sum;
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void occupied_avx2(uint64_t set[4], const scarce__gh *cells, size_t n)
{
    const __m256i zero = _mm256_setzero_si256();
    size_t b = 0;

    memset(set, 0, 4 * sizeof *set);
    for (; b + 16 <= n; b += 16) {
        uint64_t none = 0;
        for (unsigned k = 0; k < 4; ++k) {
            const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(cells + b + 4 * k));
            const __m256i is_zero = _mm256_cmpeq_epi64(v, zero);
            none |= (uint64_t)(unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(is_zero)) << (4 * k);
        }
        set[b >> 6] |= (none ^ 0xffff) << (b & 63);
    }
    for (; b < n; ++b) set[b >> 6] |= (uint64_t)(cells[b] != 0) << (b & 63);
}

SCARCE__AVX2 static scarce__gh sum_avx2(const scarce__gh *cells, size_t n)
{
    return sum_body(cells, n);
}
#endif

static void occupied(uint64_t set[4], const scarce__gh *cells, size_t n, int avx2)
{
#if SCARCE__HAVE_AVX2
    if (avx2) {
        occupied_avx2(set, cells, n);
        return;
    }
#endif
    (void)avx2;
    occupied_body(set, cells, n);
}

static scarce__gh sum_cells(const scarce__gh *cells, size_t n, int avx2)
{
#if SCARCE__HAVE_AVX2
    if (avx2) return sum_avx2(cells, n);
#endif
    (void)avx2;
    return sum_body(cells, n);
}

/* ---- One feature */

typedef struct search {
    scarce__split *best;
    const scarce__split_rules *rules;
    const scarce__bins *bins;
    const scarce__bin_feature *f;
    const scarce__split_node *node;
    uint32_t used;
    const scarce__criterion *c;
    scarce__criterion_node at;
    double worth;          /* of the node */
    const double *penalty; /* per candidate, what its gain would be by chance; NULL: nothing */
    int avx2;
} search;

/* What the node's histogram holds for bin b (b = -1: missing). */
typedef struct cell {
    double g, h;
    scarce__gh q, counts;
} cell;

static cell cell_at(const scarce__split_node *node, size_t at)
{
    cell c;
    c.counts = node->counts ? node->counts[at] : 0;
    if (node->cellsd) {
        c.q = 0;
        c.g = node->cellsd[at].g;
        c.h = node->cellsd[at].h;
    } else {
        c.q = node->cells[at];
        c.g = (double)scarce__gh_g(c.q) * node->unit_g;
        c.h = (double)scarce__gh_h(c.q) * node->unit_h;
    }
    return c;
}

static int is_empty(const cell *c)
{
    return c->q == 0 && c->counts == 0 && c->g == 0 && c->h == 0;
}

/* Running sums over the bins of a feature that has a code for each. */
static void prefix_alone(scratch *s, const search *t, size_t at)
{
    const scarce__split_node *node = t->node;
    const size_t n = t->f->n_bins;
    if (node->cellsd) {
        double g = 0, h = 0;
        for (size_t b = 0; b + 1 < n; ++b) {
            s->g[b] = g += node->cellsd[at + b].g;
            s->h[b] = h += node->cellsd[at + b].h;
        }
    } else {
        scarce__gh q = 0;
        for (size_t b = 0; b + 1 < n; ++b) s->q[b] = q += node->cells[at + b];
        if (t->avx2) unpack_avx2(s, n - 1, node->unit_g, node->unit_h);
        else unpack(s, n - 1, node->unit_g, node->unit_h);
    }
    if (node->counts) {
        scarce__gh c = 0;
        for (size_t b = 0; b + 1 < n; ++b) s->counts[b] = c += node->counts[at + b];
    }
}

/* Splitting after a bin without rows is splitting after the last one with rows, so only bins with rows are
 * candidates (and the first, below which only missing rows may lie). */
static size_t prefix_packed(scratch *s, const search *t, size_t at)
{
    const scarce__split_node *node = t->node;
    const size_t last = t->f->n_bins - 1u;
    uint64_t set[4];
    scarce__gh q = 0, c = 0;
    size_t k = 0;

    occupied(set, (node->counts ? node->counts : node->cells) + at, last, t->avx2);
    set[0] |= last > 0;
    for (size_t w = 0; w < 4; ++w)
        for (uint64_t rest = set[w]; rest; rest &= rest - 1) {
            const size_t b = 64 * w + (size_t)__builtin_ctzll(rest);
            s->q[k] = q += node->cells[at + b];
            if (node->counts) s->counts[k] = c += node->counts[at + b];
            s->bin[k++] = (uint8_t)b;
        }
    if (t->avx2) unpack_avx2(s, k, node->unit_g, node->unit_h);
    else unpack(s, k, node->unit_g, node->unit_h);
    return k;
}

/* Running sums of candidate i; g and h from the integers, so that equal sums are equal doubles. */
static void put_sum(scratch *s, const scarce__split_node *node, size_t i, cell *sum)
{
    if (!node->cellsd) {
        sum->g = (double)scarce__gh_g(sum->q) * node->unit_g;
        sum->h = (double)scarce__gh_h(sum->q) * node->unit_h;
    }
    s->q[i] = sum->q;
    s->counts[i] = sum->counts;
    s->g[i] = sum->g;
    s->h[i] = sum->h;
}

/* The same in a bundle: the zero bin is what is left of the node. */
static void prefix_bundled(scratch *s, const search *t, size_t at)
{
    const scarce__totals *total = &t->node->total;
    const size_t n = t->f->n_bins, zero = (size_t)t->f->zero;
    cell rest = {total->g, total->h, total->q, total->counts}, sum = {0, 0, 0, 0};

    for (size_t i = 0; i + 1 < n; ++i) {
        const cell c = cell_at(t->node, at + i);
        rest.g -= c.g;
        rest.h -= c.h;
        rest.q -= c.q;
        rest.counts -= c.counts;
    }
    if (!t->node->cellsd) { /* from the integers, so that equal sums are equal doubles */
        rest.g = (double)scarce__gh_g(rest.q) * t->node->unit_g;
        rest.h = (double)scarce__gh_h(rest.q) * t->node->unit_h;
    }
    for (size_t b = 0, i = 0; b + 1 < n; ++b) {
        const cell c = b == zero ? rest : cell_at(t->node, at + i++);
        sum.q += c.q;
        sum.counts += c.counts;
        sum.g += c.g;
        sum.h += c.h;
        put_sum(s, t->node, b, &sum);
    }
}

/* Looks at candidates [from, to) with `add` on the left; returns the place of a new best, or SIZE_MAX. */
static size_t look(scratch *s, search *t, size_t from, size_t to, const cell *add)
{
    const scarce__sides left = {.g = s->g,
                                .h = s->h,
                                .counts = t->node->counts ? s->counts : NULL,
                                .add_g = add->g,
                                .add_h = add->h,
                                .add_counts = add->counts};

    const size_t b = scarce__judge(&t->at, t->worth, &left, from, to, s->value, t->penalty, &t->best->gain);
    if (b == SIZE_MAX) return b;
    t->best->used = (int32_t)t->used;
    t->best->left.g = s->g[b] + add->g;
    t->best->left.h = s->h[b] + add->h;
    t->best->left.q = t->node->cellsd ? 0 : s->q[b] + add->q;
    t->best->left.counts = t->node->counts ? s->counts[b] + add->counts : 0;
    return b;
}

static uint64_t draw(const search *t, uint64_t n, uint64_t salt)
{
    const uint64_t x =
        scarce__hash(t->rules->random_key + salt, (uint64_t)t->node->id * t->bins->n_used + t->used);
    return (uint64_t)(scarce__to_unit(x) * (double)n);
}

/* One threshold, uniform between the first and the last bin of the node that has rows. */
static int random_range(const scratch *s, const search *t, size_t *from, size_t *to, scarce__gh all_q,
                        double all_h)
{
    size_t lo = 0, hi = *to; /* hi: first bin after which nothing is left */
    const int floating = t->node->cellsd != NULL;
    while (lo < *to && (floating ? s->h[lo] == 0 : s->q[lo] == 0)) ++lo;
    while (hi > lo && (floating ? s->h[hi - 1] >= all_h : s->q[hi - 1] == all_q)) --hi;
    if (lo >= hi) return 0;
    *from = lo + (size_t)draw(t, hi - lo, 0);
    *to = *from + 1;
    return 1;
}

/* The same threshold as the only candidate, without the sums of all the others. 0: there is no threshold between
 * rows. */
static size_t random_alone(scratch *s, const search *t, size_t at)
{
    const scarce__split_node *node = t->node;
    const size_t n = t->f->n_bins;
    uint64_t set[4];
    size_t lo = 0, hi = 4;

    occupied(set, node->cells + at, n, t->avx2);
    while (lo < 4 && !set[lo]) ++lo;
    if (lo == 4) return 0;
    while (!set[hi - 1]) --hi;
    const size_t first = 64 * lo + (size_t)__builtin_ctzll(set[lo]);
    const size_t last = 64 * hi - 1 - (size_t)__builtin_clzll(set[hi - 1]);
    if (first == last) return 0;
    const size_t b = first + (size_t)draw(t, last - first, 0);
    s->q[0] = sum_cells(node->cells + at + first, b - first + 1, t->avx2);
    if (node->counts) s->counts[0] = sum_cells(node->counts + at, b + 1, t->avx2);
    s->bin[0] = (uint8_t)b;
    unpack(s, 1, node->unit_g, node->unit_h);
    return 1;
}

/* The sums of the candidates that are to be looked at, [*from, *to). *packed: each has its bin in s->bin, else its place is
 * its bin. 0: there are none. */
static int prefix_numeric(scratch *s, const search *t, size_t column_at, const cell *missing, size_t *from,
                          size_t *to, int *packed)
{
    const scarce__totals *total = &t->node->total;
    const int alone = t->f->zero < 0, random = t->rules->random;

    *from = 0;
    *to = t->f->n_bins - 1u;
    *packed = alone && !t->node->cellsd;
    if (*packed) {
        if (random && random_alone(s, t, column_at + 1)) {
            *to = 1;
            return 1;
        }
        *to = prefix_packed(s, t, column_at + 1);
        return !random || !is_empty(missing); /* values against missing is still a split */
    }
    if (alone) prefix_alone(s, t, column_at + 1);
    else prefix_bundled(s, t, column_at + t->f->first);
    if (!random || random_range(s, t, from, to, total->q - missing->q, total->h - missing->h)) return 1;
    *from = 0;
    *to = t->f->n_bins - 1u;
    return !is_empty(missing);
}

static void search_numeric(scratch *s, search *t, size_t column_at)
{
    const cell zero = {0, 0, 0, 0};
    const cell missing = t->f->zero < 0 ? cell_at(t->node, column_at) : zero;
    const scarce__totals *total = &t->node->total;
    size_t from, to, b;
    int packed;

    if (!prefix_numeric(s, t, column_at, &missing, &from, &to, &packed)) return;
    b = look(s, t, from, to, &zero);
    if (b != SIZE_MAX) {
        t->best->bin = packed ? s->bin[b] : (uint32_t)b;
        t->best->is_set = 0;
        if (t->f->zero >= 0) t->best->missing_left = (uint32_t)t->f->zero <= b;
        else t->best->missing_left = is_empty(&missing) && 2 * t->best->left.h >= total->h;
    }
    if (!is_empty(&missing)) {
        b = look(s, t, from, to, &missing);
        if (b != SIZE_MAX) {
            t->best->bin = packed ? s->bin[b] : (uint32_t)b;
            t->best->is_set = 0;
            t->best->missing_left = 1;
        }
    }
}

/* Not inlined: its arrays would be on the stack of numeric searches too. */
/* The categories of a node that have rows, in the order of their codes (which is that of their texts). */
typedef struct present {
    size_t n;
    uint16_t code[ROOM];
    double key[ROOM], root[ROOM];
    double roots, weights;
    uint64_t set[4];
} present;

static void find_present(present *p, const search *t, size_t column_at)
{
    const size_t n_codes = t->f->n_bins + 1u; /* with missing */

    p->n = 0;
    p->roots = p->weights = 0;
    memset(p->set, 0, sizeof p->set);
    for (size_t c = 0; c < n_codes; ++c) {
        const cell v = cell_at(t->node, column_at + c);
        if (is_empty(&v)) continue;
        p->code[p->n] = (uint16_t)c;
        p->key[p->n] = scarce__category_key(t->rules, v.g, v.h);
        p->root[p->n++] = sqrt(v.h);
        p->roots += sqrt(v.h);
        p->weights += v.h;
        p->set[c >> 6] |= (uint64_t)1 << (c & 63);
    }
}

static void sort_by_key(present *p)
{
    for (size_t i = 1; i < p->n; ++i) {
        const double key = p->key[i], root = p->root[i];
        const uint16_t code = p->code[i];
        size_t j = i;
        for (; j > 0 && p->key[j - 1] > key; --j) {
            p->key[j] = p->key[j - 1];
            p->root[j] = p->root[j - 1];
            p->code[j] = p->code[j - 1];
        }
        p->key[j] = key;
        p->root[j] = root;
        p->code[j] = code;
    }
}

/* Candidates are the prefixes of the order given (of which the first `to` are tried), or one against the rest. */
static void try_sets(scratch *s, search *t, const present *p, size_t column_at, int one, uint64_t salt)
{
    const cell zero = {0, 0, 0, 0};
    uint64_t left[4] = {0};
    size_t from = 0, to = one ? p->n : p->n - 1;
    cell sum = zero;

    for (size_t i = 0; i < p->n; ++i) {
        const cell v = cell_at(t->node, column_at + p->code[i]);
        sum.q = v.q + (one ? 0 : sum.q);
        sum.counts = v.counts + (one ? 0 : sum.counts);
        sum.g = v.g + (one ? 0 : sum.g);
        sum.h = v.h + (one ? 0 : sum.h);
        put_sum(s, t->node, i, &sum);
    }
    if (t->rules->random) {
        from = (size_t)draw(t, to, salt);
        to = from + 1;
    }
    const size_t b = look(s, t, from, to, &zero);
    if (b == SIZE_MAX) return;
    for (size_t i = one ? b : 0; i <= b; ++i) left[p->code[i] >> 6] |= (uint64_t)1 << (p->code[i] & 63);
    const int rest_left = 2 * t->best->left.h >= t->node->total.h; /* codes without rows: the heavier child */
    for (int w = 0; w < 4; ++w) t->best->set[w] = left[w] | (rest_left ? ~p->set[w] : 0);
    t->best->is_set = 1;
    t->best->bin = 0;
    t->best->missing_left = (uint8_t)(t->best->set[0] & 1);
}

static __attribute__((noinline)) void search_category(scratch *s, search *t, size_t column_at)
{
    double penalty[ROOM];
    present p;

    find_present(&p, t, column_at);
    if (p.n < 2) return;
    const int one = scarce__one_against_rest(t->rules, p.n);
    if (t->rules->category_all && p.n > 2) {
        try_sets(s, t, &p, column_at, 0, 1);
        if (!one) try_sets(s, t, &p, column_at, 1, 2);
    }
    sort_by_key(&p);
    if (!one && scarce__pays_for_chance(t->rules, p.weights)) {
        scarce__chance_penalty(penalty, p.root, p.n - 1, p.roots, p.weights, t->rules->category_penalty);
        t->penalty = penalty;
    }
    try_sets(s, t, &p, column_at, one, 0);
}

void scarce__split_search(scarce__split *best, const scarce__split_rules *rules, const scarce__bins *bins,
                          const scarce__hist_layout *layout, const scarce__split_node *node, uint32_t used)
{
    const double cap = rules->max_delta_step > 0 ? rules->max_delta_step : INFINITY;
    const double low = node->low > -cap ? node->low : -cap, high = node->high < cap ? node->high : cap;
    scratch s;
    search t;

    t.best = best;
    t.rules = rules;
    t.bins = bins;
    t.f = &bins->used[used];
    t.node = node;
    t.used = used;
    t.penalty = NULL;
    t.avx2 = !rules->portable && scarce__cpu_avx2();
    t.c = scarce__criterion_of(rules);
    t.at.rules = rules;
    t.at.total = node->total;
    t.at.low = low;
    t.at.high = high;
    t.at.sign = rules->monotone ? rules->monotone[used] : 0;
    t.at.avx2 = t.avx2;
    t.worth = t.c->worth(&t.at);
    if (t.f->category) search_category(&s, &t, layout->offset[t.f->column]);
    else search_numeric(&s, &t, layout->offset[t.f->column]);
}
