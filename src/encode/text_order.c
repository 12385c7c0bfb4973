/* SPDX-License-Identifier: Apache-2.0 */
#include "encode/text_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"

typedef struct place {
    double number;
    size_t code;
} place;

static int by_number(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

/* 1: the text begins with a number, after brackets and signs of comparison. */
static int leading_number(const char *text, double *number)
{
    size_t n = 0;
    text += strspn(text, "[(<>=~ $");
    if (text[n] == '-' || text[n] == '+') ++n;
    const size_t whole = strspn(text + n, "0123456789");
    if (whole == 0) return 0;
    n += whole;
    if (text[n] == '.') n += 1 + strspn(text + n + 1, "0123456789");
    if (text[n - 1] == '.') --n;
    return scarce__parse_double(text, n, number) == 1;
}

scarce_status scarce__text_order(float **order, const scarce__dictionary *texts, scarce_error *err)
{
    place *places = scarce__malloc_array(texts->count, sizeof *places);
    size_t n = 0;

    *order = NULL;
    if (!places) return scarce__fail_memory(err, "an order of categories", texts->count * sizeof *places);
    for (size_t i = 0; i < texts->count; ++i)
        if (leading_number(scarce__dictionary_text(texts, i), &places[n].number)) places[n++].code = i;
    if (2 * n >= texts->count && n > 0) {
        *order = scarce__malloc_array(texts->count, sizeof **order);
        if (!*order) {
            scarce__free(places);
            return scarce__fail_memory(err, "an order of categories", texts->count * sizeof **order);
        }
        qsort(places, n, sizeof *places, by_number);
        for (size_t i = 0; i < texts->count; ++i) (*order)[i] = NAN;
        for (size_t i = 0; i < n; ++i) (*order)[places[i].code] = (float)i;
    }
    scarce__free(places);
    return SCARCE_OK;
}
