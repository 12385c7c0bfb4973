/* SPDX-License-Identifier: Apache-2.0 */
/* More than two classes, as the commands write them. */
#ifndef CLASSES_H
#define CLASSES_H

#include "lines.h"

/* The text of a class, or its number, in `room`, where a model knows no texts. */
const char *class_text(char room[24], const scarce_schema *schema, size_t number);

/* Columns of a scored row (lines.h): p are the probabilities of its classes. */
void classes_header(text *t, const line_format *f);
void add_classes(text *t, const line_format *f, const double *p);
void json_classes(const line_format *f, const double *p);

/* A line for each of n classes; learnt: how many of its rows were, NULL for rows that were not to learn from, which have an
 * average precision instead. json: a member "classes" of an object. */
void print_class_figures(const scarce_schema *schema, const scarce_class_metrics *figures,
                         const uint64_t *learnt, size_t n);
void json_class_figures(const scarce_schema *schema, const scarce_class_metrics *figures,
                        const uint64_t *learnt, size_t n);

/* Is there more to say than of positive rows? */
int has_classes(const scored_data *s);
/* Of eval: error, log loss and the figures of each class; nothing where there are two. */
scarce_status print_classes(const scored_data *s, int json, scarce_context *ctx, scarce_error *err);

#endif
