/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting a node's list of rows in two, each in its old order (see partition.c). */
#ifndef SCARCE_TREE_PARTITION_H
#define SCARCE_TREE_PARTITION_H

#include <stddef.h>
#include <stdint.h>

#include "core/pool.h"
#include "tree/binned_tree.h"
#include "tree/layout.h"

/* row[begin..end) becomes the rows that go left, then the others; returns how many go left. `identity`: the
 * list is known to be begin, begin + 1, ... and is only written. spare: as large as row. block_left: at least
 * (end - begin) / SCARCE__PARTITION_BLOCK + 1 items. */
enum { SCARCE__PARTITION_BLOCK = 3584 };

size_t scarce__partition(uint32_t *row, uint32_t *spare, uint32_t *block_left, size_t begin, size_t end,
                         int identity, const scarce__codes *codes, const scarce__bin_test *test, int portable,
                         scarce__pool *pool);

#endif
