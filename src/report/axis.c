/* SPDX-License-Identifier: Apache-2.0 */
#include "report/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/elementary.h"
#include "core/text.h"
#include "report/axis_time.h"

/* Beyond that, differences and products of coordinates would leave the doubles. */
#define LARGEST 1e300
#define SMALLEST 1e-300

int scarce__axis_takes(scarce_axis kind, double value)
{
    if (!(fabs(value) <= LARGEST)) return 0;
    return kind != SCARCE_AXIS_LOG || value >= SMALLEST;
}

/* m * 10^e, correctly rounded as long as both factors are exact (|e| <= 22). */
static double scaled(double m, int e)
{
    return e >= 0 ? m * scarce__pow(10, e) : m / scarce__pow(10, -e);
}

/* "0.25", "15", "20k", "1.5M", "1e-6", "1e18": what fits beside an axis. */
static void write_label(scarce__axis *a, double value)
{
    static const struct {
        double unit;
        const char *letter;
    } large[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    scarce__text t = SCARCE__TEXT_INIT;
    char behind[16] = "";

    if (fabs(value) >= 1e15) {
        const int e = (int)floor(scarce__log10(fabs(value)) + 1e-12);
        value /= scarce__pow(10, e);
        snprintf(behind, sizeof behind, "e%d", e);
    }
    for (size_t i = 0; i < 4 && fabs(value) >= 1e4; ++i)
        if (fabs(value) >= large[i].unit) {
            value /= large[i].unit;
            strcpy(behind, large[i].letter);
        }
    if (value == 0) scarce__text_add_char(&t, '0');
    else scarce__text_digits(&t, value, 10);
    if (t.failed) a->failed = 1;
    snprintf(a->label[a->n], SCARCE__TICK_TEXT, "%.16s%s", t.failed ? "" : t.bytes, behind);
    scarce__text_deinit(&t);
}

static void add_tick(scarce__axis *a, double value)
{
    if (a->n == SCARCE__MAX_TICKS || !(value >= a->lo && value <= a->hi)) return;
    a->tick[a->n] = value;
    write_label(a, value);
    ++a->n;
}

/* ---- linear */

typedef struct range {
    double lo, hi;
    int move_lo, move_hi; /* the end may move out to a tick */
} range;

/* The first and the last multiple of the step that are ticks; returns how many intervals lie between. */
static double multiples(const range *r, double m, int e, double *first, double *last)
{
    const double step = scaled(m, e), tiny = 1e-9; /* 0.3 / 0.1 is 3, whatever the bits say */
    const double lo = r->lo / step, hi = r->hi / step;
    *first = r->move_lo ? floor(lo + tiny) : ceil(lo - tiny);
    *last = r->move_hi ? ceil(hi - tiny) : floor(hi + tiny);
    return *last - *first;
}

static void linear_ticks(scarce__axis *a, const range *r, size_t intervals)
{
    static const double mantissa[] = {1, 2, 5};
    double first = 0, last = 0;
    int e = (int)floor(scarce__log10((r->hi - r->lo) / (double)intervals)) - 1; /* so fine that it can't do */
    size_t i = 0;

    while (multiples(r, mantissa[i], e, &first, &last) > (double)intervals)
        if (++i == 3) {
            i = 0;
            ++e;
        }
    a->lo = r->move_lo ? scaled(first * mantissa[i], e) : r->lo;
    a->hi = r->move_hi ? scaled(last * mantissa[i], e) : r->hi;
    for (double k = first; k <= last; k += 1) {
        const double v = scaled(k * mantissa[i], e);
        add_tick(a, v < a->lo ? a->lo : v > a->hi ? a->hi : v); /* off by a rounding error */
    }
}

/* ---- logarithmic */

/* The largest of 1, 2, 5 * 10^e that is <= value, or the smallest that is >= value. */
static double outer_mark(double value, int upwards)
{
    static const double mantissa[] = {1, 2, 5, 10};
    const int e = (int)floor(scarce__log10(value) + 1e-12);
    double best = upwards ? scaled(10, e + 1) : scaled(1, e - 1);
    for (size_t i = 0; i < 4; ++i) {
        const double v = scaled(mantissa[i], e);
        if (upwards ? v >= value * (1 - 1e-12) && v < best : v <= value * (1 + 1e-12) && v > best) best = v;
    }
    return best;
}

static void log_ticks(scarce__axis *a, const range *r, size_t intervals)
{
    int first, last, stride;

    a->lo = r->move_lo ? outer_mark(r->lo, 0) : r->lo;
    a->hi = r->move_hi ? outer_mark(r->hi, 1) : r->hi;
    first = (int)ceil(scarce__log10(a->lo) - 1e-9);
    last = (int)floor(scarce__log10(a->hi) + 1e-9);
    if (last - first < 2 && intervals >= 3) { /* 1, 2, 5 */
        static const double mantissa[] = {1, 2, 5};
        for (int e = first - 1; e <= last; ++e)
            for (size_t i = 0; i < 3 && a->n <= intervals; ++i) add_tick(a, scaled(mantissa[i], e));
        if (a->n >= 2) return;
        a->n = 0; /* less than an octave or so: as straight as linear */
        linear_ticks(a, &(range){a->lo, a->hi, 0, 0}, intervals);
        return;
    }
    stride = (last - first + (int)intervals - 1) / (int)intervals;
    if (stride < 1) stride = 1;
    for (int e = first; e <= last; e += stride) add_tick(a, scaled(1, e));
}

/* ---- what is common */

/* A range that can be divided: finite, not empty, not smaller than the numbers can tell apart. */
static range sane_range(const scarce__axis_plan *plan)
{
    const int log_axis = plan->kind == SCARCE_AXIS_LOG;
    range r = {plan->lo, plan->hi, plan->outward, plan->outward};
    double least;

    if (!scarce__axis_takes(plan->kind, r.lo)) r.lo = log_axis ? 1 : 0;
    if (!scarce__axis_takes(plan->kind, r.hi) || r.hi < r.lo) r.hi = r.lo;
    if (scarce__axis_takes(plan->kind, plan->fixed_lo)) r.lo = plan->fixed_lo, r.move_lo = 0;
    if (scarce__axis_takes(plan->kind, plan->fixed_hi)) r.hi = plan->fixed_hi, r.move_hi = 0;
    if (r.hi < r.lo) r.hi = r.lo;
    if (log_axis) {
        if (!(r.hi > r.lo * (1 + 1e-9))) r.lo /= 2, r.hi *= 2;
        return r;
    }
    least = fmax(fmax(fabs(r.lo), fabs(r.hi)) * 1e-11, SMALLEST);
    if (r.lo == 0 && r.hi == 0) r.hi = 1;
    else if (r.hi == r.lo && plan->kind == SCARCE_AXIS_TIME) r.hi = r.lo + fmax(1, least);
    else if (r.hi == r.lo) r.lo -= fabs(r.lo) / 2, r.hi += fabs(r.hi) / 2;
    if (r.hi - r.lo < least) r.lo -= least, r.hi += least;
    return r;
}

void scarce__axis_make(scarce__axis *out, const scarce__axis_plan *plan)
{
    const range r = sane_range(plan);
    size_t intervals = plan->intervals;

    memset(out, 0, sizeof *out);
    out->kind = plan->kind;
    out->lo = r.lo;
    out->hi = r.hi;
    if (intervals < 2) intervals = 2; /* around 0 there is a tick on both sides of it */
    if (intervals > SCARCE__MAX_TICKS - 1) intervals = SCARCE__MAX_TICKS - 1;
    if (plan->kind == SCARCE_AXIS_TIME && fabs(r.lo) < 1e11 && fabs(r.hi) < 1e11) /* years before 5138 */
        scarce__axis_time(out, intervals);
    else if (plan->kind == SCARCE_AXIS_LOG) log_ticks(out, &r, intervals);
    else linear_ticks(out, &r, intervals);
}

double scarce__axis_place(const scarce__axis *axis, double value)
{
    if (!scarce__axis_takes(axis->kind, value)) return (double)NAN;
    if (axis->kind == SCARCE_AXIS_LOG) return scarce__ln(value / axis->lo) / scarce__ln(axis->hi / axis->lo);
    return (value - axis->lo) / (axis->hi - axis->lo);
}
