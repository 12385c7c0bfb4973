/* SPDX-License-Identifier: Apache-2.0 */
/* What a model remembers of its training rows, to know them again. */
#ifndef SCARCE_MODEL_SEEN_H
#define SCARCE_MODEL_SEEN_H

#include "data/table.h"

/* The text of the note "rows_seen"; freed by scarce__free. Takes 8 bytes per row meanwhile. */
scarce_status scarce__seen_note(char **out, const scarce_table *table, scarce_error *err);

/* Puts h into the `most` smallest different hashes, ascending, of which there are n and room for one more; returns how many
 * there are. */
size_t scarce__least_insert(uint64_t *least, size_t n, size_t most, uint64_t h);
/* The note of the smallest hashes (at most 64) of rows that lie elsewhere; freed by scarce__free, NULL: out of memory. */
char *scarce__seen_text(const uint64_t *least, size_t n);

#endif
