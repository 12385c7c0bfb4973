/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a scarce_frame. */
#ifndef SCARCE_DATA_FRAME_H
#define SCARCE_DATA_FRAME_H

#include <scarce/frame.h>

#include "data/table.h"

typedef struct scarce__frame_column {
    scarce_column c;
    char *name;               /* of c, owned as all that follows; NULL: not needed */
    void *items;              /* where they could not stay where they were */
    uint8_t *valid;           /* the same */
    scarce__dictionary texts; /* of a category */
    const char **categories;  /* pointers into it */
    const char *problem;      /* a constant text, or NULL */
    int is_time;
} scarce__frame_column;

struct scarce_frame {
    size_t n_rows, n_columns;
    scarce__frame_column *columns;
    uint32_t *entry_row; /* of all sparse columns together */
    float *entry_value;
    struct ArrowSchema schema; /* released where release is NULL */
    struct ArrowArray *batches;
    size_t n_batches, batch_room;
};

/* Room for the columns, each with its name; names[i] NULL: the number, from 1. */
scarce_status scarce__frame_begin(scarce_frame *f, size_t n_columns, const char *const *names,
                                  scarce_error *err);

/* Column i of the schema out of all batches (arrow_column.c). */
scarce_status scarce__arrow_column(scarce_frame *f, size_t i, const struct ArrowSchema *schema,
                                   const struct ArrowArray *const *parts, scarce_error *err);
/* Which rows of a part are there, NULL: all are; counted from the part's first row, which is bit `offset`. */
static inline int scarce__arrow_there(const struct ArrowArray *a, size_t i)
{
    const uint8_t *valid = a->n_buffers > 0 && a->null_count != 0 ? a->buffers[0] : NULL;
    const size_t bit = (size_t)a->offset + i;
    return !valid || (valid[bit / 8] >> (bit % 8) & 1);
}

/* The text of row i of an array of strings (u, U, vu); NULL and length 0 when missing. Returns 0 when the array
 * contradicts itself. */
int scarce__arrow_text(const char *format, const struct ArrowArray *a, size_t i, const char **text,
                       size_t *length);
int scarce__arrow_is_text(const char *format);
/* EDATA unless an array of that format has what it needs: buffers, a length, an offset. */
scarce_status scarce__arrow_check(const char *name, const char *format, const struct ArrowArray *a,
                                  scarce_error *err);

#endif
