/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a booster sees categories as sets or as numbers (encode/encode.h). */
#ifndef SCARCE_METHOD_GB_ENCODE_H
#define SCARCE_METHOD_GB_ENCODE_H

#include "boost/boost.h"
#include "encode/encode.h"
#include "method/gb_params.h"

enum {
    SCARCE__CATEGORIES_AUTO = 0,
    SCARCE__CATEGORIES_SETS,
    SCARCE__CATEGORIES_NUMBERS,
    SCARCE__CATEGORIES_PAIRS
};

/* What the table gets: one of the last three. Without a column of many categories that is sets; auto takes numbers,
 * and pairs where they make the loss on held-out rows clearly lower. */
scarce_status scarce__gb_choose_categories(int *what, uint32_t *pairs, int *cancelled,
                                           const scarce__gb_params *asked, const scarce_table *table,
                                           const scarce__boost_options *o, scarce_context *ctx,
                                           scarce_error *err);

#endif
