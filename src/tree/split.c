/* SPDX-License-Identifier: Apache-2.0 */
/* Split search over a histogram.
 *
 * A child with gradient sum G and hessian sum H would get the leaf value
 *     w = -T(G) / (H + lambda), clipped to [-cap, cap] and to the bounds of monotone constraints,
 * T(G) = G shrunk towards 0 by alpha, and is worth
 *     S = -(2 G w + (H + lambda) w^2 + 2 alpha |w|)      (G^2 / (H + lambda) without cap and alpha),
 * so the cap counts inside the gain:  gain = 1/2 [S_L + S_R - S_parent], to be above gamma.
 *
 * Numeric features: running sums over the bins, missing rows on either side. Categories: one against the rest
 * when there are few; else sorted by G / (H + smooth), after which the best subset is a prefix (Fisher 1958).
 * Sorting looks at the very gradients it then splits: where categories mean nothing, G_c has mean 0 and
 * variance H_c, and still a prefix that holds the share q of them has an expected gain of K P(q) / 2, with
 * P(q) below and K = (sum sqrt H_c)^2 / sum H_c the effective number of categories (K / pi at q = 1/2). That
 * is taken off the gain of each prefix. Without it, at 0.2 % positives, a column of 300 categories took the
 * AP of a fraud stream from .435 to .322.
 *
 * The running sums are exact integers; the gains of all bins are then computed side by side. */
#include "tree/split.h"

#include <math.h>
#include <string.h>

#include "core/random.h"
#include "tree/simd.h"

enum { ROOM = 264, LANES = 8 };

typedef struct scratch {
    double g[ROOM], h[ROOM], gain[ROOM];
    scarce__gh q[ROOM], counts[ROOM];
    uint8_t bin[ROOM]; /* of a candidate, where bins without rows were left out */
    size_t n;          /* candidates */
} scratch;

typedef struct kernel {
    double lambda, alpha, low, high, min_weight, total_g, total_h;
    int sign;
} kernel;

#define TINY 1e-16

/* Of K equal groups with means drawn from a normal distribution, the best share q against the rest explains
 * K P(q) / 2 in gain, P(q) = phi(z_q)^2 / (q (1 - q)); here for q = i / 64. */
static const double chance[34] = {0.00000, 0.10002, 0.16363, 0.21473, 0.25813, 0.29605, 0.32973,
                                  0.36001, 0.38743, 0.41242, 0.43528, 0.45626, 0.47555, 0.49330,
                                  0.50965, 0.52471, 0.53857, 0.55130, 0.56298, 0.57365, 0.58337,
                                  0.59218, 0.60012, 0.60722, 0.61350, 0.61899, 0.62372, 0.62769,
                                  0.63092, 0.63342, 0.63520, 0.63626, 0.63662, 0};

SCARCE__BODY double leaf_of(double g, double h, const kernel *k)
{
    double t = g;
    if (k->alpha > 0) {
        const double up = g - k->alpha, down = g + k->alpha;
        t = up > 0 ? up : down < 0 ? down : 0;
    }
    const double d = h > TINY ? h : TINY;
    double w = -t / d;
    w = w < k->low ? k->low : w;
    w = w > k->high ? k->high : w;
    return w;
}

/* h here is H + lambda */
SCARCE__BODY double worth(double g, double h, double w, double alpha)
{
    double s = -(2 * g * w + h * w * w);
    if (alpha > 0) s -= 2 * alpha * (w < 0 ? -w : w);
    return s;
}

double scarce__leaf_value(const scarce__split_rules *rules, double g, double h, double low, double high)
{
    const double cap = rules->max_delta_step > 0 ? rules->max_delta_step : INFINITY;
    const kernel k = {
        rules->lambda, rules->alpha, low > -cap ? low : -cap, high < cap ? high : cap, 0, 0, 0, 0};
    return leaf_of(g, h + rules->lambda, &k);
}

SCARCE__BODY void gains_body(scratch *s, size_t from, size_t to, double add_g, double add_h, const kernel *k)
{
    const double none = -INFINITY;
    for (size_t b = from; b < to; ++b) {
        const double gl = s->g[b] + add_g, hl = s->h[b] + add_h;
        const double gr = k->total_g - gl, hr = k->total_h - hl;
        const double dl = hl + k->lambda, dr = hr + k->lambda;
        const double wl = leaf_of(gl, dl, k), wr = leaf_of(gr, dr, k);
        const double sum = worth(gl, dl, wl, k->alpha) + worth(gr, dr, wr, k->alpha);
        int good = (hl >= k->min_weight) & (hr >= k->min_weight);
        if (k->sign) good &= (double)k->sign * (wr - wl) >= 0;
        s->gain[b] = good ? sum : none;
    }
}

/* The usual case: no alpha, no monotone constraint. Constants let the compiler drop the rest. */
SCARCE__BODY void gains_pick(scratch *s, size_t from, size_t to, double add_g, double add_h, const kernel *k)
{
    if (k->alpha == 0 && k->sign == 0) {
        const kernel plain = {k->lambda, 0, k->low, k->high, k->min_weight, k->total_g, k->total_h, 0};
        gains_body(s, from, to, add_g, add_h, &plain);
    } else gains_body(s, from, to, add_g, add_h, k);
}

/* The largest gain in [0, to rounded up to lanes); entries beyond `to` are -inf. */
SCARCE__BODY double largest(const double *gain, size_t to)
{
    double m[LANES];
    for (int j = 0; j < LANES; ++j) m[j] = gain[j];
    for (size_t b = LANES; b < to; b += LANES)
        for (int j = 0; j < LANES; ++j) m[j] = gain[b + (size_t)j] > m[j] ? gain[b + (size_t)j] : m[j];
    for (int j = 1; j < LANES; ++j) m[0] = m[j] > m[0] ? m[j] : m[0];
    return m[0];
}

SCARCE__BODY void unpack_body(scratch *s, size_t n, double unit_g, double unit_h)
{
    for (size_t b = 0; b < n; ++b) {
        s->g[b] = (double)scarce__gh_g(s->q[b]) * unit_g;
        s->h[b] = (double)scarce__gh_h(s->q[b]) * unit_h;
    }
}

static double best_gain(scratch *s, size_t from, size_t to, double add_g, double add_h, const kernel *k)
{
    gains_pick(s, from, to, add_g, add_h, k);
    return largest(s->gain, s->n);
}

static void unpack(scratch *s, size_t n, double unit_g, double unit_h)
{
    unpack_body(s, n, unit_g, unit_h);
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static double best_gain_avx2(scratch *s, size_t from, size_t to, double add_g, double add_h,
                                          const kernel *k)
{
    gains_pick(s, from, to, add_g, add_h, k);
    return largest(s->gain, s->n);
}

SCARCE__AVX2 static void unpack_avx2(scratch *s, size_t n, double unit_g, double unit_h)
{
    unpack_body(s, n, unit_g, unit_h);
}
#else
#define best_gain_avx2 best_gain
#define unpack_avx2 unpack
#endif

/* ---- One feature */

typedef struct search {
    scarce__split *best;
    const scarce__split_rules *rules;
    const scarce__bins *bins;
    const scarce__bin_feature *f;
    const scarce__split_node *node;
    uint32_t used;
    kernel k;
    double parent;
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
 * candidates (and the first, below which only missing rows may lie). Deep nodes have few of them. */
static size_t prefix_packed(scratch *s, const search *t, size_t at)
{
    const scarce__split_node *node = t->node;
    const size_t last = t->f->n_bins - 1u;
    scarce__gh q = 0, c = 0;
    size_t k = 0;

    if (node->counts) {
        for (size_t b = 0; b < last; ++b) {
            s->q[k] = q += node->cells[at + b];
            s->counts[k] = c += node->counts[at + b];
            s->bin[k] = (uint8_t)b;
            k += (node->counts[at + b] != 0) | (b == 0);
        }
    } else {
        for (size_t b = 0; b < last; ++b) {
            s->q[k] = q += node->cells[at + b];
            s->bin[k] = (uint8_t)b;
            k += (node->cells[at + b] != 0) | (b == 0);
        }
    }
    if (t->avx2) unpack_avx2(s, k, node->unit_g, node->unit_h);
    else unpack(s, k, node->unit_g, node->unit_h);
    return k;
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
        if (!t->node->cellsd) {
            sum.g = (double)scarce__gh_g(sum.q) * t->node->unit_g;
            sum.h = (double)scarce__gh_h(sum.q) * t->node->unit_h;
        }
        s->q[b] = sum.q;
        s->counts[b] = sum.counts;
        s->g[b] = sum.g;
        s->h[b] = sum.h;
    }
}

static void drop_small(scratch *s, const search *t, size_t from, size_t to, scarce__gh add)
{
    const scarce__split_rules *r = t->rules;
    for (size_t b = from; b < to; ++b) {
        const scarce__gh l = s->counts[b] + add, o = t->node->total.counts - l;
        if ((uint32_t)l < r->min_child_rows || (uint32_t)o < r->min_child_rows ||
            (uint32_t)scarce__gh_g(l) < r->min_child_marks || (uint32_t)scarce__gh_g(o) < r->min_child_marks)
            s->gain[b] = -INFINITY;
    }
}

/* Looks at candidates [from, to) with `add` on the left; returns the place of a new best, or SIZE_MAX. */
static size_t look(scratch *s, search *t, size_t from, size_t to, const cell *add)
{
    double best;
    const size_t padded = (to + LANES - 1) / LANES * LANES;

    s->n = padded;
    for (size_t b = 0; b < from; ++b) s->gain[b] = -INFINITY;
    for (size_t b = to; b < padded; ++b) s->gain[b] = -INFINITY;
    best = t->avx2 ? best_gain_avx2(s, from, to, add->g, add->h, &t->k)
                   : best_gain(s, from, to, add->g, add->h, &t->k);
    if (t->node->counts && best > -INFINITY) {
        drop_small(s, t, from, to, add->counts);
        best = largest(s->gain, padded);
    }
    if (t->penalty && best > -INFINITY) {
        for (size_t b = from; b < to; ++b) s->gain[b] -= 2 * t->penalty[b];
        best = largest(s->gain, padded);
    }
    const double gain = 0.5 * (best - t->parent);
    /* below the rounding of the sums a gain is noise */
    if (!(gain > t->best->gain) || !(gain > t->rules->gamma) ||
        !(gain > 1e-10 * (fabs(best) + fabs(t->parent))))
        return SIZE_MAX;
    size_t b = from;
    while (s->gain[b] != best) ++b;
    t->best->gain = gain;
    t->best->used = (int32_t)t->used;
    t->best->left.g = s->g[b] + add->g;
    t->best->left.h = s->h[b] + add->h;
    t->best->left.q = t->node->cellsd ? 0 : s->q[b] + add->q;
    t->best->left.counts = t->node->counts ? s->counts[b] + add->counts : 0;
    return b;
}

static uint64_t draw(const search *t, uint64_t n)
{
    const uint64_t x = scarce__hash(t->rules->random_key, (uint64_t)t->node->id * t->bins->n_used + t->used);
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
    *from = lo + (size_t)draw(t, hi - lo);
    *to = *from + 1;
    return 1;
}

static void search_numeric(scratch *s, search *t, size_t column_at)
{
    const cell zero = {0, 0, 0, 0};
    cell missing = zero;
    size_t from = 0, to = t->f->n_bins - 1u, b;
    const int packed = t->f->zero < 0 && !t->rules->random && !t->node->cellsd;

    if (t->f->zero < 0) missing = cell_at(t->node, column_at);
    if (packed) to = prefix_packed(s, t, column_at + 1);
    else if (t->f->zero >= 0) prefix_bundled(s, t, column_at + t->f->first);
    else prefix_alone(s, t, column_at + 1);
    const scarce__totals *total = &t->node->total;
    if (t->rules->random && !random_range(s, t, &from, &to, total->q - missing.q, total->h - missing.h)) {
        if (is_empty(&missing)) return; /* else: values against missing is still a split */
        from = 0;
        to = t->f->n_bins - 1u;
    }
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

static double gain_by_chance(double share)
{
    const double at = 64 * (share < 0.5 ? share : 1 - share);
    const int i = at > 0 ? (int)at : 0;
    return chance[i] + (at - i) * (chance[i + 1] - chance[i]);
}

static void search_category(scratch *s, search *t, size_t column_at)
{
    const size_t n_codes = t->f->n_bins + 1u; /* with missing */
    const cell zero = {0, 0, 0, 0};
    uint16_t code[ROOM];
    double key[ROOM], root[ROOM], penalty[ROOM], roots = 0, weights = 0;
    size_t n = 0, from = 0, to;
    uint64_t present[4] = {0}, left[4] = {0};

    for (size_t c = 0; c < n_codes; ++c) {
        const cell v = cell_at(t->node, column_at + c);
        if (is_empty(&v)) continue;
        const double k = v.g / (v.h + t->rules->category_smooth + TINY);
        size_t j = n++;
        /* cppcheck-suppress uninitvar ; all below j are set */
        for (; j > 0 && key[j - 1] > k; --j) {
            key[j] = key[j - 1];
            code[j] = code[j - 1];
            root[j] = root[j - 1];
        }
        key[j] = k;
        code[j] = (uint16_t)c;
        root[j] = sqrt(v.h);
        roots += root[j];
        weights += v.h;
        present[c >> 6] |= (uint64_t)1 << (c & 63);
    }
    if (n < 2) return;
    const int one = (int)n <= t->rules->category_onehot;
    cell sum = zero;
    for (size_t i = 0; i < n; ++i) {
        const cell v = cell_at(t->node, column_at + code[i]);
        sum.q = v.q + (one ? 0 : sum.q);
        sum.counts = v.counts + (one ? 0 : sum.counts);
        sum.g = v.g + (one ? 0 : sum.g);
        sum.h = v.h + (one ? 0 : sum.h);
        if (!t->node->cellsd) {
            sum.g = (double)scarce__gh_g(sum.q) * t->node->unit_g;
            sum.h = (double)scarce__gh_h(sum.q) * t->node->unit_h;
        }
        s->q[i] = sum.q;
        s->counts[i] = sum.counts;
        s->g[i] = sum.g;
        s->h[i] = sum.h;
    }
    to = one ? n : n - 1;
    if (!one && weights > 0 && t->rules->category_penalty > 0) {
        const double k = t->rules->category_penalty * roots * roots / weights;
        double below = 0;
        for (size_t i = 0; i < to; ++i) {
            below += root[i];
            penalty[i] = 0.5 * k * gain_by_chance(below / roots);
        }
        t->penalty = penalty;
    }
    if (t->rules->random) {
        from = (size_t)draw(t, to);
        to = from + 1;
    }
    const size_t b = look(s, t, from, to, &zero);
    if (b == SIZE_MAX) return;
    for (size_t i = one ? b : 0; i <= b; ++i) left[code[i] >> 6] |= (uint64_t)1 << (code[i] & 63);
    const int rest_left = 2 * t->best->left.h >= t->node->total.h; /* codes without rows: the heavier child */
    for (int w = 0; w < 4; ++w) t->best->set[w] = left[w] | (rest_left ? ~present[w] : 0);
    t->best->is_set = 1;
    t->best->bin = 0;
    t->best->missing_left = (uint8_t)(t->best->set[0] & 1);
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
    t.k = (kernel){
        rules->lambda,           rules->alpha,  low,           high,
        rules->min_child_weight, node->total.g, node->total.h, rules->monotone ? rules->monotone[used] : 0};
    t.penalty = NULL;
    t.avx2 = !rules->portable && scarce__cpu_avx2();
    const double d = node->total.h + rules->lambda, w = leaf_of(node->total.g, d, &t.k);
    t.parent = worth(node->total.g, d, w, rules->alpha);
    if (t.f->category) search_category(&s, &t, layout->offset[t.f->column]);
    else search_numeric(&s, &t, layout->offset[t.f->column]);
}
