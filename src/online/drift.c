/* SPDX-License-Identifier: Apache-2.0 */
/* See drift.h. */
#include "online/drift.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"

enum { CLOCK = 32, GRACE = 10, SHORTEST = 5 };

void scarce__adwin_init(scarce__adwin *a, double delta)
{
    memset(a, 0, sizeof *a);
    a->delta = delta;
    a->levels = 1;
}

double scarce__adwin_mean(const scarce__adwin *a)
{
    return a->width ? a->total / (double)a->width : 0;
}

/* What joining n numbers of sum s with m of sum t adds to their squared distances. */
static double between(double n, double s, double m, double t)
{
    const double d = s / n - t / m;
    return n * m * d * d / (n + m);
}

/* Six of a size: the two oldest become one of the next. */
static void compress(scarce__adwin *a)
{
    for (uint32_t l = 0; l < a->levels && a->count[l] > SCARCE__ADWIN_BUCKETS; ++l) {
        const double size = (double)((uint64_t)1 << l);
        if (l + 1 == SCARCE__ADWIN_LEVELS) return; /* never: 2^48 numbers */
        if (l + 1 == a->levels) a->levels += 1;
        double *s = a->sum[l], *v = a->spread[l];
        const uint32_t up = a->count[l + 1]++;
        a->sum[l + 1][up] = s[0] + s[1];
        a->spread[l + 1][up] = v[0] + v[1] + between(size, s[0], size, s[1]);
        a->count[l] -= 2;
        memmove(s, s + 2, a->count[l] * sizeof *s);
        memmove(v, v + 2, a->count[l] * sizeof *v);
    }
}

static void drop_oldest(scarce__adwin *a)
{
    const uint32_t l = a->levels - 1;
    const uint64_t size = (uint64_t)1 << l;
    const double sum = a->sum[l][0], spread = a->spread[l][0];

    a->width -= size;
    a->total -= sum;
    a->squares -= spread;
    if (a->width) a->squares -= between((double)size, sum, (double)a->width, a->total);
    a->count[l] -= 1;
    memmove(a->sum[l], a->sum[l] + 1, a->count[l] * sizeof(double));
    memmove(a->spread[l], a->spread[l] + 1, a->count[l] * sizeof(double));
    while (a->levels > 1 && a->count[a->levels - 1] == 0) a->levels -= 1;
}

/* Is there a place where both sides differ? Oldest first. */
static int is_cut(const scarce__adwin *a)
{
    double n0 = 0, n1 = (double)a->width, u0 = 0, u1 = a->total;
    const double d = scarce__ln(2 * scarce__ln((double)a->width) / a->delta),
                 v = a->squares / (double)a->width;

    for (uint32_t l = a->levels; l-- > 0;)
        for (uint32_t k = 0; k < a->count[l]; ++k) {
            const double size = (double)((uint64_t)1 << l);
            n0 += size, n1 -= size;
            u0 += a->sum[l][k], u1 -= a->sum[l][k];
            if (l == 0 && k + 1 == a->count[l]) return 0;
            if (!(n0 > SHORTEST + 1 && n1 > SHORTEST + 1)) continue;
            const double m = 1 / (n0 - SHORTEST + 1) + 1 / (n1 - SHORTEST + 1);
            if (fabs(u0 / n0 - u1 / n1) > sqrt(2 * m * v * d) + 2.0 / 3.0 * d * m) return 1;
        }
    return 0;
}

int scarce__adwin_add(scarce__adwin *a, double x)
{
    int changed = 0;

    if (!isfinite(x)) return 0;
    a->seen += 1;
    a->width += 1;
    if (a->width > 1) {
        const double n = (double)a->width, d = x - a->total / (n - 1);
        a->squares += (n - 1) * d * d / n;
    }
    a->total += x;
    a->sum[0][a->count[0]] = x;
    a->spread[0][a->count[0]++] = 0;
    compress(a);
    if (a->seen % CLOCK != 0 || a->width <= GRACE) return 0;
    while (a->width > GRACE && is_cut(a)) {
        drop_oldest(a);
        changed = 1;
    }
    return changed;
}

void scarce__page_hinkley_init(scarce__page_hinkley *p)
{
    memset(p, 0, sizeof *p);
    p->tolerance = 0.005;
    p->threshold = 50;
    p->keep = 0.9999;
    p->least = 30;
}

int scarce__page_hinkley_add(scarce__page_hinkley *p, double x)
{
    if (!isfinite(x)) return 0;
    if (p->alarmed) {
        p->n = 0;
        p->mean = p->up = p->lowest = p->down = p->highest = 0;
        p->alarmed = 0;
    }
    p->n += 1;
    p->mean += (x - p->mean) / (double)p->n;
    const double d = x - p->mean;
    p->up = p->keep * p->up + d - p->tolerance;
    p->down = p->keep * p->down + d + p->tolerance;
    if (p->n == 1 || p->up < p->lowest) p->lowest = p->up;
    if (p->n == 1 || p->down > p->highest) p->highest = p->down;
    p->alarmed =
        p->n >= p->least && (p->up - p->lowest > p->threshold || p->highest - p->down > p->threshold);
    return p->alarmed;
}

/* ---- bytes */

void scarce__adwin_write(const scarce__adwin *a, scarce__writer *w)
{
    scarce__put_f64(w, a->delta);
    scarce__put_u64(w, a->seen);
    scarce__put_u64(w, a->width);
    scarce__put_f64(w, a->total);
    scarce__put_f64(w, a->squares);
    scarce__put_u32(w, a->levels);
    for (uint32_t l = 0; l < a->levels; ++l) {
        scarce__put_u32(w, a->count[l]);
        for (uint32_t k = 0; k < a->count[l]; ++k) {
            scarce__put_f64(w, a->sum[l][k]);
            scarce__put_f64(w, a->spread[l][k]);
        }
    }
}

static double get_finite(scarce__reader *r)
{
    const double x = scarce__get_f64(r);
    if (!isfinite(x)) r->failed = 1;
    return x;
}

void scarce__adwin_read(scarce__adwin *a, scarce__reader *r)
{
    uint64_t width = 0;

    scarce__adwin_init(a, get_finite(r));
    a->seen = scarce__get_u64(r);
    a->width = scarce__get_u64(r);
    a->total = get_finite(r);
    a->squares = get_finite(r);
    a->levels = scarce__get_u32(r);
    if (!(a->delta > 0 && a->delta < 1) || a->levels < 1 || a->levels > SCARCE__ADWIN_LEVELS) r->failed = 1;
    for (uint32_t l = 0; !r->failed && l < a->levels; ++l) {
        a->count[l] = scarce__get_u32(r);
        if (a->count[l] > SCARCE__ADWIN_BUCKETS) r->failed = 1, a->count[l] = 0;
        width += (uint64_t)a->count[l] << l;
        for (uint32_t k = 0; k < a->count[l]; ++k) {
            a->sum[l][k] = get_finite(r);
            a->spread[l][k] = get_finite(r);
        }
    }
    if (width != a->width) r->failed = 1;
}

void scarce__page_hinkley_write(const scarce__page_hinkley *p, scarce__writer *w)
{
    const double reals[] = {p->tolerance, p->threshold, p->keep, p->mean,
                            p->up,        p->lowest,    p->down, p->highest};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; ++i) scarce__put_f64(w, reals[i]);
    scarce__put_u64(w, p->least);
    scarce__put_u64(w, p->n);
    scarce__put_u8(w, (uint8_t)p->alarmed);
}

void scarce__page_hinkley_read(scarce__page_hinkley *p, scarce__reader *r)
{
    double *reals[] = {&p->tolerance, &p->threshold, &p->keep, &p->mean,
                       &p->up,        &p->lowest,    &p->down, &p->highest};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; ++i) *reals[i] = get_finite(r);
    p->least = scarce__get_u64(r);
    p->n = scarce__get_u64(r);
    p->alarmed = scarce__get_u8(r) != 0;
}
