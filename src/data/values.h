/* SPDX-License-Identifier: Apache-2.0 */
/* Items of a caller's column (scarce_column), whatever their type and distance. A sparse column's items are
 * its entries. */
#ifndef SCARCE_DATA_VALUES_H
#define SCARCE_DATA_VALUES_H

#include "data/table.h"

/* Bytes of an item; 0 for a type that isn't one. */
size_t scarce__values_size(scarce_type type);

/* Whether the items can be used where they lie as an array of that type: packed, aligned, none masked. */
int scarce__values_usable(const scarce_column *c, scarce_type type);

/* Items begin..begin+n-1 as numbers; what isn't there is NaN. Not for texts. */
void scarce__values_floats(float *to, const scarce_column *c, size_t begin, size_t n);
void scarce__values_doubles(double *to, const scarce_column *c, size_t begin, size_t n);

/* The items as codes, numbered by first appearance as a reader of files would: texts, codes into the column's
 * categories, or numbers by their shortest text. -1: missing (NULL, an empty text, NaN, a negative code).
 * With `borrow`, codes that are numbered so already are used where they lie, and *borrowed says so; else
 * *codes is to be freed. EDATA for a code beyond the categories, with column and row. */
scarce_status scarce__values_codes(scarce__dictionary *texts, int32_t **codes, int *borrowed,
                                   const scarce_column *c, size_t n_rows, int borrow, scarce_error *err);

#endif
