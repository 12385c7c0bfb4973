/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of one column (doctor_column.c), and how all columns are looked at by several threads
 * (doctor_look.c). */
#ifndef SCARCE_STUDY_DOCTOR_COLUMN_H
#define SCARCE_STUDY_DOCTOR_COLUMN_H

#include <stdlib.h>

#include "study/doctor.h"

/* What is known of a set of rows. Sums, so that sets can be subtracted. */
typedef struct scarce__doctor_sums {
    size_t rows, positives;
    size_t early, late;               /* of the first and last quarter */
    size_t half_rows, half_positives; /* of the second half */
    double place, place2;             /* of the places in the order of time, from their middle */
    uint64_t hash;                    /* of which rows they are */
} scarce__doctor_sums;

/* Of one worker: room for a sort of all rows. */
typedef struct scarce__doctor_scratch {
    uint64_t *a, *b;
    uint32_t *counts;
} scarce__doctor_scratch;

scarce__doctor_sums scarce__doctor_sum_all(const scarce_doctor *d);

/* Fills d->facts[f]. 0 when memory is exhausted. */
int scarce__doctor_look_at(const scarce_doctor *d, size_t f, const scarce__doctor_sums *all,
                           scarce__doctor_scratch *scratch);

#endif
