/* SPDX-License-Identifier: Apache-2.0 */
/* A number that tells tables apart: names, values and roles of all rows, whatever their storage. */
#ifndef SCARCE_DATA_FINGERPRINT_H
#define SCARCE_DATA_FINGERPRINT_H

#include "data/table.h"

uint64_t scarce__table_fingerprint(const scarce_table *table);

#endif
