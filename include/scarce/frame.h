/* SPDX-License-Identifier: Apache-2.0 */
/* Columns out of other libraries' memory: Arrow streams (polars, pyarrow, duckdb, ...) and compressed sparse
 * matrices (scipy), as scarce_column for scarce_table_from_columns.
 *
 *     scarce_frame *f = NULL;
 *     if (scarce_frame_arrow(&f, &stream, &err)) ...
 *     for (i = 0; i < scarce_frame_columns(f); ++i) {
 *         columns[i] = *scarce_frame_column(f, i);
 *         if (strcmp(columns[i].name, "fraud") == 0) columns[i].role = SCARCE_ROLE_LABEL;
 *     }
 *     scarce_table_from_columns(&table, columns, i, scarce_frame_rows(f), NULL, ctx, &err);
 *     scarce_frame_free(f);
 *
 * The caller may change roles, leave columns out and add others before he makes the table. Numbers of one batch
 * stay where they lie; the frame keeps them alive, so it must outlive a table that borrows them (hand
 * scarce_frame_free over as its release). */
#ifndef SCARCE_FRAME_H
#define SCARCE_FRAME_H

#include <scarce/base.h>
#include <scarce/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arrow's C data and C stream interfaces, as their specification gives them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

typedef struct scarce_frame scarce_frame;

/* All batches of a stream. The stream is released in any case. A struct at the top gives a column per field, any
 * other type one column (named by its field, or "1"). Taken are numbers of all widths, bool, half floats and
 * decimals as numbers; strings (also views and large ones) and dictionaries of strings or numbers as categories;
 * dates and timestamps as seconds since 1970, for the time role; durations and times of day as seconds. Other types are columns with a
 * problem. What the arrays say of themselves is checked as far as the interface allows it: lengths, offsets,
 * numbers of buffers and children, ranges of texts and views. It doesn't tell the sizes of buffers: who makes
 * the arrays must be right about these. EDATA for contradictions, EINVAL for a stream without rows or columns,
 * EIO with the stream's own words when it fails. */
SCARCE_API scarce_status scarce_frame_arrow(scarce_frame **out, struct ArrowArrayStream *stream,
                                            scarce_error *err);
/* The same of one array. Both are released in any case. */
SCARCE_API scarce_status scarce_frame_arrow_array(scarce_frame **out, struct ArrowSchema *schema,
                                                  struct ArrowArray *array, scarce_error *err);

/* A compressed sparse matrix: by columns (CSC) or by rows (CSR). The entries of column (row) j are those from
 * start[j] to start[j + 1]; index says of which row (column) each is. What isn't listed is 0. */
typedef struct scarce_sparse {
    size_t struct_size;
    size_t n_rows, n_columns;
    int by_rows;            /* nonzero: CSR */
    scarce_type index_type; /* of start and index: I32 or I64 */
    const void *start;      /* one more than columns (rows) */
    const void *index;
    const void *value;
    scarce_type value_type;   /* any but TEXT */
    size_t n_entries;         /* items of index and of value */
    const char *const *names; /* of the columns; NULL: "1", "2", ... */
} scarce_sparse;

#define SCARCE_SPARSE_INIT                                                                                   \
    SCARCE_INIT(sizeof(scarce_sparse), 0, 0, 0, SCARCE_TYPE_I32, NULL, NULL, NULL, SCARCE_TYPE_F32, 0, NULL)

/* Copies. Entries may stand in any order; EDATA for an entry outside the matrix, given twice, or a `start` that
 * doesn't rise. */
SCARCE_API scarce_status scarce_frame_sparse(scarce_frame **out, const scarce_sparse *matrix,
                                             scarce_error *err);

SCARCE_API void scarce_frame_free(scarce_frame *frame); /* takes NULL */

SCARCE_API size_t scarce_frame_rows(const scarce_frame *frame);
SCARCE_API size_t scarce_frame_columns(const scarce_frame *frame);
/* NULL beyond the last. A column with a problem has no items, and the role SCARCE_ROLE_IGNORE. */
SCARCE_API const scarce_column *scarce_frame_column(const scarce_frame *frame, size_t i);
/* Why a column can't be used ("holds lists"); NULL: it can. */
SCARCE_API const char *scarce_frame_problem(const scarce_frame *frame, size_t i);
/* 1: dates or timestamps. They are numbers of seconds, which a float feature would round to minutes: give the
 * column the time role, or ignore it. */
SCARCE_API int scarce_frame_is_time(const scarce_frame *frame, size_t i);

#ifdef __cplusplus
}
#endif
#endif
