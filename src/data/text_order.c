/* SPDX-License-Identifier: Apache-2.0 */
#include "data/text_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* ---- words */

/* Words of one rank are separated by commas, ranks by bars. */
static const char *const scales[] = {
    "jan,january|feb,february|mar,march|apr,april|may|jun,june|jul,july|aug,august|sep,sept,september|"
    "oct,october|nov,november|dec,december",
    "mon,monday|tue,tuesday|wed,wednesday|thu,thursday|fri,friday|sat,saturday|sun,sunday",
    "none,no|very "
    "low,verylow,vlow,v-low,minimal|low,l,slight,mild|med,medium,m,moderate,mid,middle,average,normal|"
    "high,h,elevated,severe|very high,veryhigh,vhigh,v-high,extreme,critical|more",
    "xxs|xs,tiny|s,small,little|m,med,medium|l,big,large|xl,huge,very large|xxl|more",
    "never|rarely,seldom|sometimes,occasionally|often,frequently|usually|always",
    "very bad,verybad,terrible|bad,poor,unacc,unacceptable|fair,acc,acceptable,ok,average,sufficient|good|"
    "very good,verygood,vgood|excellent,best",
    "primary,elementary|secondary|tertiary,higher",
    "false,no,n,f|true,yes,y,t",
};

/* The rank of a word in a scale, 0: it has none. */
static int rank_in(const char *scale, const char *word)
{
    const size_t n = strlen(word);
    int rank = 1;

    while (n > 0 && *scale) {
        const size_t item = strcspn(scale, ",|");
        if (item == n && strncasecmp(scale, word, n) == 0) return rank;
        scale += item;
        rank += *scale == '|';
        scale += *scale != 0;
    }
    return 0;
}

typedef struct word {
    double number; /* or the rank of the word; NaN: neither */
    int is_word;
    const char *text;
    uint32_t code;
} word;

static int by_text(const void *a, const void *b)
{
    const word *x = a, *y = b;
    if (x->is_word != y->is_word) return x->is_word - y->is_word;
    if (x->number < y->number || x->number > y->number) return x->number < y->number ? -1 : 1;
    const int c = strcmp(x->text, y->text);
    return c ? c : (x->code > y->code) - (x->code < y->code);
}

/* The scale all words belong to, NULL: there is none. */
static const char *scale_of(const word *w, size_t n)
{
    for (size_t k = 0; k < sizeof scales / sizeof scales[0]; ++k) {
        size_t i = 0, words = 0;
        while (i < n && (!w[i].is_word || rank_in(scales[k], w[i].text))) words += w[i++].is_word != 0;
        if (i == n && words > 0) return scales[k];
    }
    return NULL;
}

int scarce__sort_by_text(uint32_t *code, size_t n, const scarce__dictionary *texts)
{
    word *w = scarce__malloc_array(n ? n : 1, sizeof *w);

    if (!w) return 0;
    for (size_t i = 0; i < n; ++i) {
        w[i] = (word){0, 0, scarce__dictionary_text(texts, code[i]), code[i]};
        w[i].is_word = !leading_number(w[i].text, &w[i].number);
        if (w[i].is_word) w[i].number = 0;
    }
    const char *scale = scale_of(w, n);
    for (size_t i = 0; scale && i < n; ++i)
        if (w[i].is_word) w[i].number = rank_in(scale, w[i].text);
    qsort(w, n, sizeof *w, by_text);
    for (size_t i = 0; i < n; ++i) code[i] = w[i].code;
    scarce__free(w);
    return 1;
}
