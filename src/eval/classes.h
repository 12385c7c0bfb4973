/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of rows that are of one of several classes (scarce_class_metrics), row by row. */
#ifndef SCARCE_EVAL_CLASSES_H
#define SCARCE_EVAL_CLASSES_H

#include <scarce/metrics.h>

/* The class with the largest probability; of equal ones the first. */
size_t scarce__likeliest(const double *probability, size_t n_classes);
/* -log p, with p kept from 2^-52 on. */
double scarce__class_loss(double probability);

/* A row of class `own` that was taken for `guess`. `figures` began as zeros. */
void scarce__classes_add(scarce_class_metrics *figures, size_t own, size_t guess, double loss);
/* Sums to means; error and log loss of all rows (NaN without rows). No average precision. */
void scarce__classes_end(scarce_class_metrics *figures, size_t n_classes, double *error, double *log_loss);

#endif
