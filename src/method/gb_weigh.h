/* SPDX-License-Identifier: Apache-2.0 */
/* What each of several models is worth in a sum of them (gb_weigh.c). */
#ifndef SCARCE_METHOD_GB_WEIGH_H
#define SCARCE_METHOD_GB_WEIGH_H

#include <stddef.h>

enum { SCARCE__MOST_VOICES = 8 };

/* Rows that none of the models has seen: score[i * n_voices + k] of row i by model k, side[i] +1 for a positive and -1
 * for a negative (times what turns a score into log-odds), count[i] how often the row counts (0 or more). */
typedef struct scarce__ballot {
    size_t n_rows, n_voices;
    const double *score, *side, *count;
    const double *prior; /* what each is worth as long as nobody judges, above 0, in any unit */
} scarce__ballot;

/* Fills weight[0..n_voices), 0 or more and 1 together. */
void scarce__gb_weigh(double *weight, const scarce__ballot *ballot);

#endif
