/* SPDX-License-Identifier: Apache-2.0 */
/* Average precision of the same rows again and again, with other scores (see ap_table.c). */
#ifndef SCARCE_EVAL_AP_TABLE_H
#define SCARCE_EVAL_AP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "core/fail.h"
#include "core/pool.h"

typedef struct scarce__ap_table scarce__ap_table;

/* 0 < n_pos < n, n_pos of the labels are 1; meant for rare positives. Labels aren't kept. */
scarce_status scarce__ap_table_new(scarce__ap_table **out, const uint8_t *label, size_t n, size_t n_pos,
                                   scarce__pool *pool, scarce_error *err);
void scarce__ap_table_free(scarce__ap_table *t);

/* Scores are finite. Same bits for any number of threads. */
double scarce__ap_table_value(scarce__ap_table *t, const float *score, scarce__pool *pool);

#endif
