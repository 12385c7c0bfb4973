/* SPDX-License-Identifier: Apache-2.0 */
/* The order of category texts: of numbers, or what begins with one ("9", "10", "250.83", "[20-30)", "<5"), and of
 * words that have one (months, days, low to high, ...). */
#ifndef SCARCE_DATA_TEXT_ORDER_H
#define SCARCE_DATA_TEXT_ORDER_H

#include "data/table.h"

/* *order[code]: the place of the text, equal numbers in the order of their codes; NaN for a text without a number.
 * NULL when fewer than half of the texts have one: then there is no order to speak of. */
scarce_status scarce__text_order(float **order, const scarce__dictionary *texts, scarce_error *err);

/* Sorts codes of texts as a person would: numbers first, in their order; then words, by their place where all words
 * among them belong to one scale ("low", "med", "high"), else by their bytes. Never by the order in which a file
 * happened to have them. 0: no memory. */
int scarce__sort_by_text(uint32_t *code, size_t n, const scarce__dictionary *texts);

#endif
