/* SPDX-License-Identifier: Apache-2.0 */
/* JSON and UBJ of any bytes. The array of values must be a tree (spans add up), and what was read, written
 * out as JSON and read again, must be the same values and the same text. */
#include <math.h>
#include <string.h>

#include "core/json.h"
#include "fuzz.h"

/* Bounds, and that children fill the span of their parent exactly. Depth is bounded by the reader. */
static size_t check(const scarce__json_value *v, int depth)
{
    size_t span = 1;
    MUST(depth <= SCARCE__JSON_DEPTH + 1);
    if (v->type == SCARCE__JSON_STRING) MUST(strlen(v->as.string) == v->count);
    if (v->type == SCARCE__JSON_ARRAY || v->type == SCARCE__JSON_OBJECT) {
        const scarce__json_value *kid = scarce__json_first(v);
        const uint32_t n = v->type == SCARCE__JSON_OBJECT ? 2 * v->count : v->count;
        for (uint32_t i = 0; i < n; ++i, kid = scarce__json_next(kid)) {
            if (v->type == SCARCE__JSON_OBJECT && i % 2 == 0) MUST(kid->type == SCARCE__JSON_STRING);
            span += check(kid, depth + 1);
        }
        if (v->type == SCARCE__JSON_OBJECT && v->count > 0)
            MUST(scarce__json_get(v, scarce__json_first(v)->as.string) ==
                 scarce__json_next(scarce__json_first(v)));
    }
    MUST(span == v->span);
    return span;
}

static void put(scarce__text *t, const scarce__json_value *v)
{
    const scarce__json_value *kid = scarce__json_first(v);
    switch (v->type) {
    case SCARCE__JSON_NULL: scarce__json_null(t); break;
    case SCARCE__JSON_FALSE:
    case SCARCE__JSON_TRUE: scarce__json_boolean(t, v->type == SCARCE__JSON_TRUE); break;
    case SCARCE__JSON_NUMBER: scarce__json_number(t, v->as.number); break;
    case SCARCE__JSON_STRING: scarce__json_string_n(t, v->as.string, v->count); break;
    case SCARCE__JSON_ARRAY:
        scarce__json_begin_array(t);
        for (uint32_t i = 0; i < v->count; ++i, kid = scarce__json_next(kid)) put(t, kid);
        scarce__json_end_array(t);
        break;
    case SCARCE__JSON_OBJECT:
        scarce__json_begin_object(t);
        for (uint32_t i = 0; i < v->count; ++i) {
            scarce__json_key(t, kid->as.string);
            kid = scarce__json_next(kid);
            put(t, kid);
            kid = scarce__json_next(kid);
        }
        scarce__json_end_object(t);
        break;
    }
}

static int same(const scarce__json_value *a, const scarce__json_value *b)
{
    if (a->span != b->span) return 0;
    for (uint32_t i = 0; i < a->span; ++i) {
        const scarce__json_value *x = a + i, *y = b + i;
        if (x->type == SCARCE__JSON_NUMBER && !isfinite(x->as.number) && y->type == SCARCE__JSON_NULL)
            continue;
        if (x->type != y->type || x->count != y->count || x->span != y->span) return 0;
        if (x->type == SCARCE__JSON_NUMBER && x->as.number != y->as.number) return 0;
        if (x->type == SCARCE__JSON_STRING && strcmp(x->as.string, y->as.string) != 0) return 0;
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int flags = fuzz_take(&data, &size) & 3;
    scarce__json *json = NULL, *again = NULL;
    scarce__text text = SCARCE__TEXT_INIT, text2 = SCARCE__TEXT_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    const scarce_status st = scarce__json_read(&json, (const char *)data, size, flags, &err);

    MUST((st == SCARCE_OK) == (json != NULL));
    MUST(st == SCARCE_OK || (st == SCARCE_EPARSE && err.code == st && err.text[0]));
    if (json) {
        (void)check(scarce__json_root(json), 0);
        put(&text, scarce__json_root(json));
        MUST(!text.failed && text.bytes);
        MUST(scarce__json_read(&again, text.bytes, text.n, 0, NULL) == SCARCE_OK);
        MUST(same(scarce__json_root(json), scarce__json_root(again)));
        put(&text2, scarce__json_root(again));
        MUST(text.n == text2.n && memcmp(text.bytes, text2.bytes, text.n) == 0);
    }
    scarce__json_free(json);
    scarce__json_free(again);
    scarce__text_deinit(&text);
    scarce__text_deinit(&text2);
    return 0;
}
