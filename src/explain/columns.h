/* SPDX-License-Identifier: Apache-2.0 */
/* Rows out of columns. */
#ifndef SCARCE_EXPLAIN_COLUMNS_H
#define SCARCE_EXPLAIN_COLUMNS_H

#include <scarce/table.h>

#include "tree/fast.h"

/* Values of rows begin..begin+n-1, as rows have them (a code as float, NaN = missing), the next one `stride`
 * floats after the one before. */
void scarce__columns_take(const scarce__columns *column, size_t begin, size_t n, float *to, size_t stride);

#endif
