/* SPDX-License-Identifier: Apache-2.0 */
/* From the range of some numbers to an axis with good ticks.
 *
 *     linear: multiples of the smallest step of 1, 2, 5 * 10^e that needs no more than `intervals`
 *     log:    powers of ten (every s-th where there are many); 1, 2, 5 * 10^e within few decades
 *     time:   whole minutes, hours, days, weeks (from Mondays), months, years
 */
#ifndef SCARCE_REPORT_AXIS_H
#define SCARCE_REPORT_AXIS_H

#include <stddef.h>

#include <scarce/report.h>

enum { SCARCE__MAX_TICKS = 24, SCARCE__TICK_TEXT = 24 };

typedef struct scarce__axis_plan {
    scarce_axis kind;
    double lo, hi;             /* of the data; any numbers, none (NaN) and lo == hi included */
    double fixed_lo, fixed_hi; /* where the axis must end; NaN: free */
    int outward;               /* free ends move out to a tick */
    size_t intervals;          /* between ticks, at most; 2..SCARCE__MAX_TICKS - 1 */
} scarce__axis_plan;

typedef struct scarce__axis {
    scarce_axis kind;
    double lo, hi; /* lo < hi; of a log axis > 0 */
    size_t n;
    double tick[SCARCE__MAX_TICKS]; /* rising, within lo..hi */
    char label[SCARCE__MAX_TICKS][SCARCE__TICK_TEXT];
    int failed; /* memory ran out over a label */
} scarce__axis;

void scarce__axis_make(scarce__axis *out, const scarce__axis_plan *plan);

/* 0 at lo, 1 at hi; NaN for what has no place. */
double scarce__axis_place(const scarce__axis *axis, double value);

/* Is it a number that can be drawn? NaN, infinities and what is as good as infinite can't. */
int scarce__axis_takes(scarce_axis kind, double value);

#endif
