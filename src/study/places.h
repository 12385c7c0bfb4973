/* SPDX-License-Identifier: Apache-2.0 */
/* Where tuning looks: the `search` texts of a method's parameters as a box with one side per parameter.
 *
 *     "log:0.01:0.3"  even on a log scale        "int:4:128"   whole numbers; on a log scale from factor 8 on
 *     "real:0.5:1"    even                       "a|b|c"       one of these
 *
 * A parameter with a condition (`when`) has a side only where that holds, by what is drawn or fixed.
 * A point is one number u per side: in [0, 1], or NaN for "left as it is by default". */
#ifndef SCARCE_STUDY_PLACES_H
#define SCARCE_STUDY_PLACES_H

#include "core/random.h"
#include "core/text.h"
#include "method/method.h"

typedef struct scarce__side {
    const scarce__param *param;
    int log, whole;
    double lo, hi;
    const char *choices; /* "a|b"; NULL: a number */
    size_t n_choices;
    double usual; /* u of the default; NaN where that is "auto" or outside */
} scarce__side;

typedef struct scarce__places {
    const scarce_params *params; /* borrowed: what is fixed, and the defaults */
    scarce__side *items;
    size_t count;
} scarce__places;

/* All parameters that have a place and are not given by the user; `except` (or NULL) names one that is left
 * out. EBUG for a text that is none. */
scarce_status scarce__places_find(scarce__places *out, const scarce_params *params, const char *except,
                                  const scarce_table *table, scarce_error *err);
void scarce__places_deinit(scarce__places *places);

/* Anywhere. */
void scarce__places_draw(const scarce__places *places, double *u, scarce__random *random);
/* Near a point: half of the sides move, by up to `step` of their length; choices are drawn anew. */
void scarce__places_move(const scarce__places *places, double *u, const double *from, double step,
                         scarce__random *random);

/* "key=value key=value": only sides that are not NaN, and whose condition holds. Failure stays in `out`. */
void scarce__places_text(const scarce__places *places, const double *u, scarce__text *out);

/* The number that parameter `name` has at a point; NaN when it has none there ("auto", no number). */
double scarce__places_number(const scarce__places *places, const double *u, const char *name);

#endif
