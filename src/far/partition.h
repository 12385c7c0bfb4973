/* SPDX-License-Identifier: Apache-2.0 */
/* What an answer holds of a drawn row. */
#ifndef SCARCE_FAR_PARTITION_H
#define SCARCE_FAR_PARTITION_H

#include <stddef.h>

#include <scarce/scale.h>

static inline size_t scarce__drawn_bytes(size_t n_columns)
{
    return 8 + 1 + 3 * 4 + n_columns; /* number, label, weight, score, 1/p, codes */
}

#endif
