/* SPDX-License-Identifier: Apache-2.0 */
/* A number for what a row holds: rows with the same features have the same, wherever they stand. */
#ifndef SCARCE_DATA_ROW_HASH_H
#define SCARCE_DATA_ROW_HASH_H

#include "data/table.h"

/* One hash per row, freed by scarce__free; NULL: out of memory. It is the sum over a row's features of mix(feature,
 * value), so a 0 of a sparse column adds nothing, as a 0 of a packed one; -0 is 0, missing values are one value. */
uint64_t *scarce__row_hashes(const scarce_table *table);

#endif
