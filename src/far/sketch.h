/* SPDX-License-Identifier: Apache-2.0 */
/* What one look at every row leaves behind. Whatever is kept can be joined with that of other rows, in any order, to what one
 * look at all of them would have left:
 *
 *     rows     of each class those with the smallest priorities (data/priority.h)
 *     texts    of categories, each with the smallest number of a row that has it: sorted by that they are in the order of
 *              their first appearance, as in a table
 *     counts   rows, positives, missing values */
#ifndef SCARCE_FAR_SKETCH_H
#define SCARCE_FAR_SKETCH_H

#include <scarce/scale.h>

#include "data/table.h"

typedef struct scarce__sketch_row {
    uint64_t priority, id;
    size_t place; /* of its values */
} scarce__sketch_row;

/* The rows of one class. */
typedef struct scarce__sketch_class {
    uint64_t seen;
    size_t n, room;
    scarce__sketch_row *row;
    float *value;   /* places x features: numbers, or codes */
    double *weight; /* places x 2: weight and cost */
    uint64_t last;  /* rows of a larger priority can't be among the smallest */
} scarce__sketch_class;

struct scarce_sketch {
    int settled;
    scarce_schema schema;
    uint64_t **first_seen; /* per feature and category */
    size_t *first_room;
    uint64_t *missing; /* per feature */
    int has_weight, has_cost;
    int negatives; /* different texts of the other label, up to 2 */
    scarce__sketch_class classes[2];
};

uint64_t scarce__sketch_rows(const scarce_sketch *sketch);

/* The sampled rows in the order of their numbers, as a table whose categories are in the order of their first appearance;
 * factor: what a row of each class stands for. ids (to be freed): their numbers. */
scarce_status scarce__sketch_table(scarce_table **out, uint64_t **ids, double factor[2],
                                   const scarce_sketch *sketch, scarce_error *err);

/* ---- for joining (sketch_bytes.c) */

scarce_status scarce__sketch_settle(scarce_sketch *s, const scarce_schema *schema, scarce_error *err);
scarce_status scarce__sketch_learn(scarce_sketch *s, const scarce_schema *of, scarce_error *err);
scarce_status scarce__sketch_room(scarce_sketch *s, scarce_error *err); /* for the categories there are now */
scarce_status scarce__sketch_take(scarce_sketch *s, int y, uint64_t id, const float *value, double weight,
                                  double cost, scarce_error *err);
void scarce__sketch_prune(scarce__sketch_class *c); /* the smallest come first */
size_t scarce__sketch_kept(const scarce__sketch_class *c);

#endif
