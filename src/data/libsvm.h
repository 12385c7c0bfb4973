/* SPDX-License-Identifier: Apache-2.0 */
/* What reading a LIBSVM file gathers (libsvm.c) before it becomes a table (libsvm_columns.c). */
#ifndef SCARCE_DATA_LIBSVM_H
#define SCARCE_DATA_LIBSVM_H

#include "core/context.h"
#include "data/read.h"

/* What is kept of a block. */
typedef struct scarce__libsvm_piece {
    size_t n_rows, n_entries;
    uint32_t *count; /* entries of each row */
    uint32_t *index; /* from 1 */
    float *value;
} scarce__libsvm_piece;

typedef struct scarce__libsvm {
    const scarce_read_options *o;
    scarce__source *const *sources;
    scarce_context *ctx;
    scarce__libsvm_piece *pieces;
    size_t n_pieces, pieces_capacity;
    struct scarce__libsvm_block *blocks;
    size_t blocks_capacity;
    char *buffer;
    size_t buffer_capacity;
    size_t block, longest_line; /* bytes */
    scarce__labels labels;
    int32_t *query;
    scarce__dictionary queries;
    size_t rows_capacity, n_rows;
    uint32_t largest;
    size_t file, line; /* of the superblock that is parsed; lines before it */
    size_t bytes_done;
    int has_query; /* settled by the first row */
    /* Index to feature. Neither: feature = index - 1. */
    uint32_t *feature_of; /* for indices up to n_known; UINT32_MAX: not wanted */
    uint64_t *known;      /* or n_known of index << 32 | feature, ascending */
    size_t n_known;
} scarce__libsvm;

void scarce__libsvm_piece_free(scarce__libsvm_piece *piece); /* its arrays */

/* Turns the rows into the columns of a table that has as many. */
scarce_status scarce__libsvm_columns(scarce__libsvm *r, scarce_table *table, scarce_error *err);

#endif
