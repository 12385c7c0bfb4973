/* SPDX-License-Identifier: Apache-2.0 */
/* An even sample of rows that several places can take together: those whose numbers have the smallest hashes. Of two
 * parts of the rows, the smallest of both are the smallest of the smallest of each. */
#ifndef SCARCE_DATA_PRIORITY_H
#define SCARCE_DATA_PRIORITY_H

#include <stddef.h>
#include <stdint.h>

#include "core/random.h"

/* Rows of a class that bins are found on, at most; tables with no more than that are cut exactly. */
enum { SCARCE__SKETCH_ROWS = 1 << 18 };

static inline uint64_t scarce__priority(uint64_t id)
{
    return scarce__hash(0x5ca4ce5ca4ce5ca4u, id);
}

/* The `most` rows of smallest priority among the n rows (numbered from 0) whose label is `label`, or of all where `labels`
 * is NULL; ascending, to be freed by scarce__free. NULL: out of memory. *count: how many. */
uint32_t *scarce__priority_rows(const uint8_t *labels, int label, size_t n, size_t most, size_t *count);

/* The same of n rows with these numbers, of all classes. */
uint32_t *scarce__priority_rows_of(const uint64_t *id, size_t n, size_t most, size_t *count);

#endif
