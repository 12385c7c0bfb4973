/* SPDX-License-Identifier: Apache-2.0 */
#include "data/number_names.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"
#include "core/text.h"

/* Whole numbers are most of them, and need no rounding: below 2^53 all are exact. */
static size_t whole_text(char *text, double value)
{
    char digits[24];
    uint64_t rest = (uint64_t)fabs(value);
    size_t n = 0, k = 0;

    do digits[k++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) text[n++] = '-';
    while (k) text[n++] = digits[--k];
    text[n] = '\0';
    return n;
}

size_t scarce__number_text(char text[SCARCE__NUMBER_TEXT], double value)
{
    scarce__text grown = {text, 0, SCARCE__NUMBER_TEXT, 0}; /* no number is longer, so it never grows */

    if (fabs(value) < 9007199254740992.0 && value == floor(value)) return whole_text(text, value);
    scarce__text_double(&grown, value);
    return grown.n;
}

void scarce__number_names_deinit(scarce__number_names *names)
{
    scarce__dictionary_deinit(&names->texts);
    scarce__free(names->code);
    memset(names, 0, sizeof *names);
}

/* 0 when memory is exhausted. Of two texts of one number the first counts. */
static int add_name(scarce__number_names *names, const char *text, size_t n, size_t code)
{
    const size_t before = names->texts.count;

    if (scarce__dictionary_add(&names->texts, text, n) == SIZE_MAX) return 0;
    if (names->texts.count == before) return 1;
    if ((before & (before + 1)) == 0) { /* 0, 1, 3, 7, ...: full */
        int32_t *grown = scarce__realloc_array(names->code, 2 * before + 1, sizeof *grown);
        if (!grown) return 0;
        names->code = grown;
    }
    names->code[before] = (int32_t)code;
    return 1;
}

scarce_status scarce__number_names_init(scarce__number_names *names, const scarce__dictionary *categories,
                                        scarce_error *err)
{
    memset(names, 0, sizeof *names);
    for (size_t c = 0; c < categories->count; ++c) {
        const char *text = scarce__dictionary_text(categories, c);
        char shortest[SCARCE__NUMBER_TEXT];
        double value;
        if (scarce__parse_double(text, strlen(text), &value) != 1) continue;
        const size_t n = scarce__number_text(shortest, value);
        if (strcmp(shortest, text) == 0) continue;
        if (!add_name(names, shortest, n, c)) return scarce__fail_memory(err, "the categories", 0);
    }
    return SCARCE_OK;
}

size_t scarce__number_names_code(const scarce__number_names *names, const scarce__dictionary *categories,
                                 const char *text, size_t length)
{
    size_t code = scarce__dictionary_find(categories, text, length);

    if (code != SIZE_MAX) return code;
    code = scarce__dictionary_find(&names->texts, text, length);
    return code == SIZE_MAX ? categories->count : (size_t)names->code[code];
}
