/* SPDX-License-Identifier: Apache-2.0 */
/* Has a stream of numbers changed? Two detectors of a few kilobytes each, without allocation.
 *
 * ADWIN keeps a window that grows while its two parts, wherever it is cut, have the same mean, and drops the older
 * part when they don't: |m0 - m1| > sqrt(2 v d / m) + 2 d / (3 m), d = ln(2 ln(n) / delta), 1/m = 1/(n0 - 4) + 1/(n1 - 4), v the
 * variance of the window. Cuts are looked for every 32 numbers, at the borders of buckets that hold 1, 2, 4, ... numbers, five
 * of each at most. (Bifet and Gavalda: Learning from time-changing data with adaptive windowing, SDM 2007.)
 *
 * Page-Hinkley adds up how far numbers are above (below) their mean, less a tolerance, and alarms when the sum has
 * risen (fallen) by `threshold` from its lowest (highest). (Page: Continuous inspection schemes, Biometrika 41, 1954.)
 *
 * Both alarm where River's do with its defaults (tests/golden/make_drift.py), but that River's ADWIN forgets all it knows
 * after an alarm, where the paper keeps the newer part. */
#ifndef SCARCE_ONLINE_DRIFT_H
#define SCARCE_ONLINE_DRIFT_H

#include <stdint.h>

#include "core/bytes.h"

enum { SCARCE__ADWIN_BUCKETS = 5, SCARCE__ADWIN_LEVELS = 48 };

typedef struct scarce__adwin {
    double delta;
    uint64_t seen, width;
    double total, squares; /* sum of the window, and of squared distances from its mean */
    uint32_t levels;
    uint32_t count[SCARCE__ADWIN_LEVELS]; /* buckets of 2^level numbers, the oldest first */
    double sum[SCARCE__ADWIN_LEVELS][SCARCE__ADWIN_BUCKETS + 1];
    double spread[SCARCE__ADWIN_LEVELS][SCARCE__ADWIN_BUCKETS + 1];
} scarce__adwin;

void scarce__adwin_init(scarce__adwin *a, double delta); /* 0.002 is usual */
/* 1: the window was cut. Numbers that are not finite are passed over. */
int scarce__adwin_add(scarce__adwin *a, double x);
double scarce__adwin_mean(const scarce__adwin *a);

typedef struct scarce__page_hinkley {
    double tolerance, threshold, keep;
    uint64_t least;
    uint64_t n;
    double mean, up, lowest, down, highest;
    int alarmed;
} scarce__page_hinkley;

void scarce__page_hinkley_init(scarce__page_hinkley *p); /* 0.005, 50, 0.9999, 30 */
int scarce__page_hinkley_add(scarce__page_hinkley *p, double x);

void scarce__adwin_write(const scarce__adwin *a, scarce__writer *w);
void scarce__adwin_read(scarce__adwin *a, scarce__reader *r); /* r->failed when it can't be one */
void scarce__page_hinkley_write(const scarce__page_hinkley *p, scarce__writer *w);
void scarce__page_hinkley_read(scarce__page_hinkley *p, scarce__reader *r);

#endif
