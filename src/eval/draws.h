/* SPDX-License-Identifier: Apache-2.0 */
/* The draws of a bootstrap (see draws.c), shared by intervals of metrics and bands of curves. */
#ifndef SCARCE_EVAL_DRAWS_H
#define SCARCE_EVAL_DRAWS_H

#include <stddef.h>
#include <stdint.h>

typedef struct scarce__draws {
    size_t n;              /* rows */
    uint32_t *unit;        /* by class: rows, positives first; by group: the number of each row's group */
    size_t n_pos, n_units; /* n_units is 0 by class */
} scarce__draws;

/* Rows as they will be counted: label[i], group[order[i]]. group NULL: by class. 0 when
 * memory is exhausted. */
int scarce__draws_init(scarce__draws *d, size_t n, const uint8_t *label, const int32_t *group,
                       const uint32_t *order);
void scarce__draws_deinit(scarce__draws *d);

/* times[i]: how often replicate r holds row i. drawn: room for n_units. */
void scarce__draws_replicate(const scarce__draws *d, uint64_t seed, size_t r, uint32_t *times,
                             uint32_t *drawn);

/* Percentiles around the middle `level` of the values that are defined, linear between order statistics as
 * numpy has it; NaN when there is none. Sorts `value`. */
void scarce__draws_interval(double *lo, double *hi, double *value, size_t n, double level);

#endif
