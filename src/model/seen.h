/* SPDX-License-Identifier: Apache-2.0 */
/* What a model remembers of its training rows, to know them again. */
#ifndef SCARCE_MODEL_SEEN_H
#define SCARCE_MODEL_SEEN_H

#include "data/table.h"

/* The text of the note "rows_seen"; freed by scarce__free. Takes 8 bytes per row meanwhile. */
scarce_status scarce__seen_note(char **out, const scarce_table *table, scarce_error *err);

#endif
