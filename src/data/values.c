/* SPDX-License-Identifier: Apache-2.0 */
/* From items of any type to floats, doubles and codes.
 *
 * Items are taken by memcpy, because a row of a packed record may put them at any address; for aligned ones
 * compilers make plain loads of it.
 *
 * Texts of numbers: the shortest that reads back as the same number, which is what such a column has in a
 * file. Rows with few different numbers (labels, small integers) find their code in a little cache by the
 * number's bits and never make a text. */
#include "data/values.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"

enum { CACHE_BITS = 8, NOT_SEEN = -2 };

size_t scarce__values_size(scarce_type type)
{
    switch (type) {
    case SCARCE_TYPE_I8:
    case SCARCE_TYPE_U8: return 1;
    case SCARCE_TYPE_I16:
    case SCARCE_TYPE_U16: return 2;
    case SCARCE_TYPE_F32:
    case SCARCE_TYPE_I32:
    case SCARCE_TYPE_U32: return 4;
    case SCARCE_TYPE_F64:
    case SCARCE_TYPE_I64:
    case SCARCE_TYPE_U64: return 8;
    case SCARCE_TYPE_TEXT: return sizeof(const char *);
    }
    return 0;
}

static ptrdiff_t stride_of(const scarce_column *c)
{
    return c->stride ? c->stride : (ptrdiff_t)scarce__values_size(c->type);
}

static const char *item_at(const scarce_column *c, size_t i)
{
    return (const char *)c->items + (ptrdiff_t)i * stride_of(c);
}

static int is_there(const scarce_column *c, size_t i)
{
    const size_t bit = i + c->valid_offset;
    return !c->valid || (c->valid[bit / 8] >> (bit % 8) & 1);
}

int scarce__values_usable(const scarce_column *c, scarce_type type)
{
    const size_t size = scarce__values_size(type);
    return c->type == type && !c->valid && stride_of(c) == (ptrdiff_t)size && (uintptr_t)c->items % size == 0;
}

#define TAKE(T, OUT)                                                                                         \
    for (size_t i = 0; i < n; ++i, at += stride) {                                                           \
        T item;                                                                                              \
        memcpy(&item, at, sizeof item);                                                                      \
        to[i] = (OUT)item;                                                                                   \
    }                                                                                                        \
    break

#define TAKE_ALL(OUT)                                                                                        \
    const ptrdiff_t stride = stride_of(c);                                                                   \
    const char *at = item_at(c, begin);                                                                      \
                                                                                                             \
    switch (c->type) {                                                                                       \
    case SCARCE_TYPE_F32: TAKE(float, OUT);                                                                  \
    case SCARCE_TYPE_F64: TAKE(double, OUT);                                                                 \
    case SCARCE_TYPE_I8: TAKE(int8_t, OUT);                                                                  \
    case SCARCE_TYPE_I16: TAKE(int16_t, OUT);                                                                \
    case SCARCE_TYPE_I32: TAKE(int32_t, OUT);                                                                \
    case SCARCE_TYPE_I64: TAKE(int64_t, OUT);                                                                \
    case SCARCE_TYPE_U8: TAKE(uint8_t, OUT);                                                                 \
    case SCARCE_TYPE_U16: TAKE(uint16_t, OUT);                                                               \
    case SCARCE_TYPE_U32: TAKE(uint32_t, OUT);                                                               \
    case SCARCE_TYPE_U64: TAKE(uint64_t, OUT);                                                               \
    case SCARCE_TYPE_TEXT: break;                                                                            \
    }                                                                                                        \
    for (size_t i = 0; c->valid && i < n; ++i)                                                               \
        if (!is_there(c, begin + i)) to[i] = (OUT)NAN

void scarce__values_floats(float *to, const scarce_column *c, size_t begin, size_t n)
{
    TAKE_ALL(float);
}

void scarce__values_doubles(double *to, const scarce_column *c, size_t begin, size_t n)
{
    TAKE_ALL(double);
}

/* An integer of any width; one beyond int64_t is the largest. */
static int64_t integer_at(const scarce_column *c, size_t i)
{
    const char *at = item_at(c, i);
    int64_t to[1];
    uint64_t whole;

    switch (c->type) {
    case SCARCE_TYPE_I8: return *(const int8_t *)at;
    case SCARCE_TYPE_U8: return *(const uint8_t *)at;
    case SCARCE_TYPE_I16: {
        int16_t v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    case SCARCE_TYPE_U16: {
        uint16_t v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    case SCARCE_TYPE_I32: {
        int32_t v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    case SCARCE_TYPE_U32: {
        uint32_t v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    case SCARCE_TYPE_I64: memcpy(to, at, sizeof *to); return *to;
    default: memcpy(&whole, at, sizeof whole); return whole > INT64_MAX ? INT64_MAX : (int64_t)whole;
    }
}

static int is_integer(scarce_type type)
{
    return type != SCARCE_TYPE_F32 && type != SCARCE_TYPE_F64 && type != SCARCE_TYPE_TEXT;
}

static scarce_status no_memory(const scarce_column *c, scarce_error *err)
{
    scarce__fail_memory(err, "the categories", 0);
    scarce__fail_prefix(err, "column \"%.80s\": ", c->name);
    return SCARCE_ENOMEM;
}

/* The code of a text, added if new; -1 for a missing one; NOT_SEEN when memory is exhausted. */
static int32_t code_of_text(scarce__dictionary *texts, const char *text, size_t length)
{
    size_t code;

    if (!text || length == 0) return -1;
    code = scarce__dictionary_add(texts, text, length);
    return code == SIZE_MAX ? NOT_SEEN : (int32_t)code;
}

/* ---- texts */

static int texts_to_codes(scarce__dictionary *texts, int32_t *codes, const scarce_column *c, size_t n)
{
    const char *last = NULL;

    for (size_t i = 0; i < n; ++i) {
        const char *text;
        memcpy(&text, item_at(c, i), sizeof text);
        if (!is_there(c, i)) text = NULL;
        /* often the same few pointers again and again */
        codes[i] = i && text == last ? codes[i - 1] : code_of_text(texts, text, text ? strlen(text) : 0);
        if (codes[i] == NOT_SEEN) return 0;
        last = text;
    }
    return 1;
}

/* ---- numbers by their texts */

typedef struct cached {
    uint64_t bits;
    int32_t code; /* NOT_SEEN: nothing here */
} cached;

/* The number of an item as bits that are equal only for equal numbers; 0 when it is missing. */
static int bits_at(const scarce_column *c, size_t i, uint64_t *bits)
{
    double x = 0;

    if (!is_there(c, i)) return 0;
    if (c->type == SCARCE_TYPE_U64) {
        memcpy(bits, item_at(c, i), sizeof *bits);
        return 1;
    }
    if (is_integer(c->type)) {
        *bits = (uint64_t)integer_at(c, i);
        return 1;
    }
    scarce__values_doubles(&x, c, i, 1);
    memcpy(bits, &x, sizeof x);
    return !isnan(x);
}

static void add_number(scarce__text *text, scarce_type type, uint64_t bits)
{
    double x;

    text->n = 0;
    memcpy(&x, &bits, sizeof x);
    if (type == SCARCE_TYPE_U64) scarce__text_addf(text, "%llu", (unsigned long long)bits);
    else if (is_integer(type)) scarce__text_addf(text, "%lld", (long long)(int64_t)bits);
    else if (x == 0) scarce__text_add(text, "0"); /* not -0 */
    else if (type == SCARCE_TYPE_F32) scarce__text_float(text, (float)x);
    else scarce__text_double(text, x);
}

static int numbers_to_codes(scarce__dictionary *texts, int32_t *codes, const scarce_column *c, size_t n)
{
    cached cache[1 << CACHE_BITS];
    scarce__text text = SCARCE__TEXT_INIT;
    int ok = 1;

    for (size_t k = 0; k < sizeof cache / sizeof *cache; ++k) cache[k].code = NOT_SEEN;
    for (size_t i = 0; i < n && ok; ++i) {
        uint64_t bits;
        cached *slot;
        codes[i] = -1;
        if (!bits_at(c, i, &bits)) continue;
        slot = &cache[bits * 0x9e3779b97f4a7c15u >> (64 - CACHE_BITS)];
        if (slot->code == NOT_SEEN || slot->bits != bits) {
            add_number(&text, c->type, bits);
            slot->bits = bits;
            slot->code = text.failed ? NOT_SEEN : code_of_text(texts, text.bytes, text.n);
            ok = slot->code != NOT_SEEN;
        }
        codes[i] = slot->code;
    }
    scarce__text_deinit(&text);
    return ok;
}

/* ---- codes into categories */

/* renumber[k] is the new code of category k, by first appearance; *same: every code keeps its number. */
static scarce_status renumber_codes(scarce__dictionary *texts, int32_t *renumber, int *same,
                                    const scarce_column *c, size_t n, scarce_error *err)
{
    *same = 1;
    for (size_t k = 0; k < c->n_categories; ++k) renumber[k] = NOT_SEEN;
    for (size_t i = 0; i < n; ++i) {
        const int64_t code = is_there(c, i) ? integer_at(c, i) : -1;
        if (code < 0) {
            *same &= code == -1;
            continue;
        }
        if ((uint64_t)code >= c->n_categories)
            return scarce__fail(err, SCARCE_EDATA,
                                "column \"%.80s\", row %zu: code %lld, but there are %zu categories", c->name,
                                i + 1, (long long)code, c->n_categories);
        if (renumber[code] != NOT_SEEN) continue;
        const char *text = c->categories[code];
        renumber[code] = code_of_text(texts, text, text ? strlen(text) : 0);
        if (renumber[code] == NOT_SEEN) return no_memory(c, err);
        *same &= renumber[code] == code;
    }
    return SCARCE_OK;
}

static scarce_status categories_to_codes(scarce__dictionary *texts, int32_t **codes, int *borrowed,
                                         const scarce_column *c, size_t n, int borrow, scarce_error *err)
{
    int32_t *renumber = scarce__malloc_array(c->n_categories, sizeof *renumber);
    scarce_status st;
    int same;

    if (!renumber) return no_memory(c, err);
    st = renumber_codes(texts, renumber, &same, c, n, err);
    if (st == SCARCE_OK && same && borrow && scarce__values_usable(c, SCARCE_TYPE_I32)) {
        *codes = (int32_t *)(uintptr_t)c->items; /* a table only reads what isn't its own */
        *borrowed = 1;
    } else if (st == SCARCE_OK) {
        *codes = scarce__big_alloc(n, sizeof **codes);
        for (size_t i = 0; *codes && i < n; ++i) {
            const int64_t code = is_there(c, i) ? integer_at(c, i) : -1;
            (*codes)[i] = code < 0 ? -1 : renumber[code];
        }
        if (!*codes) st = no_memory(c, err);
    }
    scarce__free(renumber);
    return st;
}

scarce_status scarce__values_codes(scarce__dictionary *texts, int32_t **codes, int *borrowed,
                                   const scarce_column *c, size_t n_rows, int borrow, scarce_error *err)
{
    int ok;

    *codes = NULL;
    *borrowed = 0;
    if (c->categories) return categories_to_codes(texts, codes, borrowed, c, n_rows, borrow, err);
    *codes = scarce__big_alloc(n_rows, sizeof **codes);
    if (!*codes) return no_memory(c, err);
    ok = c->type == SCARCE_TYPE_TEXT ? texts_to_codes(texts, *codes, c, n_rows)
                                     : numbers_to_codes(texts, *codes, c, n_rows);
    if (ok) return SCARCE_OK;
    scarce__free(*codes);
    *codes = NULL;
    return no_memory(c, err);
}
