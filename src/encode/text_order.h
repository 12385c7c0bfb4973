/* SPDX-License-Identifier: Apache-2.0 */
/* The order of category texts that are numbers, or begin with one: "9", "10", "250.83", "[20-30)", "<5". */
#ifndef SCARCE_ENCODE_TEXT_ORDER_H
#define SCARCE_ENCODE_TEXT_ORDER_H

#include "data/table.h"

/* *order[code]: the place of the text, equal numbers in the order of their codes; NaN for a text without a number.
 * NULL when fewer than half of the texts have one: then there is no order to speak of. */
scarce_status scarce__text_order(float **order, const scarce__dictionary *texts, scarce_error *err);

#endif
