/* SPDX-License-Identifier: Apache-2.0 */
/* Random lists, and what every loss must hold: same bits for any number of threads and with or without AVX2,
 * no dependence on the order of the rows or on a shift of all scores, finite numbers for any scores, h > 0.
 *
 * Scores are multiples of 2^-10, so that shifts and steps by powers of two are exact in float. */
#ifndef SCARCE_LOSS_CHECK_H
#define SCARCE_LOSS_CHECK_H

#include <stdlib.h>

#include "boost/loss.h"
#include "lcg.h"
#include "test.h"

enum { LIST_MOST = 40000 };

typedef struct loss_list {
    size_t n;
    float score[LIST_MOST], weight[LIST_MOST];
    uint8_t label[LIST_MOST];
    int weighted;
} loss_list;

static inline scarce__loss_rows list_rows(const loss_list *l)
{
    const scarce__loss_rows rows = {l->n, l->score, l->label, NULL, l->weighted ? l->weight : NULL,
                                    NULL, NULL};
    return rows;
}

/* About one positive in `rarity`, at least one of each class; spread: scores lie in +-spread; ties: few
 * values. */
static inline void list_make(loss_list *l, uint64_t seed, size_t n, unsigned rarity, double spread, int ties,
                             int weighted)
{
    lcg r = lcg_start(seed);
    l->n = n;
    l->weighted = weighted;
    for (size_t i = 0; i < n; ++i) {
        l->label[i] = i == n / 2 || (i != n / 3 && lcg_below(&r, rarity) == 0);
        double x =
            ((double)lcg_below(&r, 1 << 20) / (1 << 19) - 1) * spread + (l->label[i] ? 0.3 * spread : 0);
        if (ties) x = floor(x * 4 / spread) * spread / 4;
        l->score[i] = (float)(floor(x * 1024) / 1024);
        l->weight[i] = (float)(1 + lcg_below(&r, 24)) / 8;
    }
}

static inline double list_weight(const loss_list *l, size_t i)
{
    return l->weighted ? (double)l->weight[i] : 1;
}

static inline void list_gradients(const scarce__loss *loss, const loss_list *l, float *g, float *h,
                                  int threads)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    const scarce__loss_rows rows = list_rows(l);
    o.threads = threads;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    CHECK(loss->gradients(loss, &rows, g, h, ctx, NULL) == SCARCE_OK);
    scarce_context_free(ctx);
}

/* || got / |got| - want / |want| || in L1, halves of the differences. */
static inline double list_distance(const float *got, const double *want, size_t n)
{
    double a = 0, b = 0, d = 0;
    for (size_t i = 0; i < n; ++i) {
        a += fabs((double)got[i]);
        b += fabs(want[i]);
    }
    for (size_t i = 0; i < n; ++i) d += fabs((double)got[i] / a - want[i] / b);
    return d;
}

/* The largest error of an item, relative to the item or to a thousandth of the mean. */
static inline double list_worst(const float *got, const double *want, size_t n, double factor)
{
    double worst = 0, mean = 0;
    for (size_t i = 0; i < n; ++i) mean += fabs(want[i] * factor) / (double)n;
    for (size_t i = 0; i < n; ++i) {
        const double w = want[i] * factor, scale = fabs(w) > 1e-3 * mean ? fabs(w) : 1e-3 * mean;
        const double d = fabs((double)got[i] - w) / scale;
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

static inline double list_abs(const float *g, const loss_list *l, int label)
{
    double sum = 0;
    for (size_t i = 0; i < l->n; ++i)
        if (label < 0 || l->label[i] == label) sum += fabs((double)g[i]);
    return sum;
}

/* The derivative of `value` by rows: central differences at two steps, extrapolated (error of
 * fourth order). */
typedef double (*list_value_fn)(const void *arg, const double *f, const loss_list *l);
static inline void list_differences(list_value_fn value, const void *arg, const loss_list *l, double *out)
{
    double *f = malloc(l->n * sizeof *f);
    for (size_t i = 0; i < l->n; ++i) f[i] = (double)l->score[i];
    for (size_t i = 0; i < l->n; ++i) {
        double d[2];
        for (int k = 0; k < 2; ++k) {
            const double step = k ? 0.0009765625 : 0.001953125;
            f[i] = (double)l->score[i] + step;
            const double up = value(arg, f, l);
            f[i] = (double)l->score[i] - step;
            d[k] = (up - value(arg, f, l)) / (2 * step);
            f[i] = (double)l->score[i];
        }
        out[i] = (4 * d[1] - d[0]) / 3;
    }
    free(f);
}

static inline int same_bits(const float *a, const float *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

static inline int all_sound(const float *g, const float *h, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (!isfinite(g[i]) || !isfinite(h[i]) || !(h[i] > 0)) return 0;
    return 1;
}

/* shifts: the loss doesn't change with all scores; near: what another order of the rows may change (sums of
 * floats). */
static inline void check_promises(scarce__loss loss, int shifts, double near)
{
    static loss_list l, m;
    static float g[LIST_MOST], h[LIST_MOST], g2[LIST_MOST], h2[LIST_MOST];
    static uint32_t order[LIST_MOST];
    static double want[LIST_MOST];

    for (int round = 0; round < 8; ++round) {
        const int ties = round & 1, weighted = round & 2, large = round & 4;
        list_make(&l, 77 + (uint64_t)round, large ? 30000 : 501, large ? 300 : 9, 4, ties, weighted);
        list_gradients(&loss, &l, g, h, 1);
        CHECK(all_sound(g, h, l.n));
        list_gradients(&loss, &l, g2, h2, 3);
        CHECK(same_bits(g, g2, l.n) && same_bits(h, h2, l.n));
        scarce__loss plain = loss;
        plain.portable = 1;
        list_gradients(&plain, &l, g2, h2, 2);
        CHECK(same_bits(g, g2, l.n) && same_bits(h, h2, l.n));
        if (shifts) {
            m = l;
            for (size_t i = 0; i < m.n; ++i) m.score[i] += 64;
            list_gradients(&loss, &m, g2, h2, 1);
            for (size_t i = 0; i < l.n; ++i) want[i] = (double)g[i];
            CHECK(list_worst(g2, want, l.n, 1) < near);
        }
        scarce__random r = scarce__random_start(5, SCARCE__FOR_TEST, (uint64_t)round);
        for (size_t i = 0; i < l.n; ++i) order[i] = (uint32_t)i;
        scarce__shuffle_u32(&r, order, l.n);
        m = l;
        if (ties && weighted)
            for (size_t i = 0; i < l.n; ++i) l.weight[i] = l.label[i] ? 2.0f : 0.5f;
        if (ties && weighted) list_gradients(&loss, &l, g, h, 1);
        for (size_t i = 0; i < l.n; ++i) {
            m.score[i] = l.score[order[i]];
            m.label[i] = l.label[order[i]];
            m.weight[i] = l.weight[order[i]];
        }
        list_gradients(&loss, &m, g2, h2, 1);
        for (size_t i = 0; i < l.n; ++i) want[i] = (double)g[order[i]];
        CHECK(list_worst(g2, want, l.n, 1) < near);
        for (size_t i = 0; i < l.n; ++i) want[i] = (double)h[order[i]];
        CHECK(list_worst(h2, want, l.n, 1) < near);
    }
    /* scores of +-1e4, one positive or one negative, none */
    list_make(&l, 5, 700, 5, 10000, 0, 1);
    list_gradients(&loss, &l, g, h, 1);
    CHECK(all_sound(g, h, l.n));
    for (size_t n_pos = 0; n_pos <= 9; ++n_pos) {
        list_make(&l, 6, 9, 3, 5000, 0, 0);
        for (size_t i = 0; i < l.n; ++i) l.label[i] = i < n_pos;
        list_gradients(&loss, &l, g, h, 1);
        CHECK(all_sound(g, h, l.n));
    }
}

/* Every allocation fails once: ENOMEM, nothing leaked (a build with faults only). */
#ifdef SCARCE_FAULTS
#include "core/alloc.h"
static inline void check_no_memory(scarce__loss loss, size_t n)
{
    static loss_list l;
    static float g[LIST_MOST], h[LIST_MOST];
    list_make(&l, 3, n, 20, 4, 0, 0);
    const scarce__loss_rows rows = list_rows(&l);
    for (size_t k = 1;; ++k) {
        scarce_error err = SCARCE_ERROR_INIT;
        scarce__alloc_fail_from(k);
        const scarce_status status = loss.gradients(&loss, &rows, g, h, NULL, &err);
        scarce__alloc_fail_from(0);
        if (status == SCARCE_OK) break;
        CHECK(status == SCARCE_ENOMEM);
    }
}
#else
static inline void check_no_memory(scarce__loss loss, size_t n)
{
    (void)loss;
    (void)n;
}
#endif

#endif
