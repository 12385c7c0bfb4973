/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the CSV reader share: texts that grow, random tables, and reading with given pieces and
 * threads. */
#ifndef SCARCE_TEST_CSV_TEXTS_H
#define SCARCE_TEST_CSV_TEXTS_H

#include <stdarg.h>
#include <stdlib.h>

#include "core/random.h"
#include "data/csv.h"
#include "test.h"

typedef struct buffer {
    char *bytes;
    size_t n, capacity;
} buffer;

static inline void put(buffer *b, const char *text, size_t n)
{
    if (b->n + n + 1 > b->capacity) {
        b->capacity = 2 * (b->n + n + 1);
        b->bytes = realloc(b->bytes, b->capacity);
    }
    memcpy(b->bytes + b->n, text, n);
    b->n += n;
    b->bytes[b->n] = '\0';
}

__attribute__((format(printf, 2, 3))) static inline void say(buffer *b, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(b, text, (size_t)n);
}

static inline scarce_status read_text(scarce_table **out, const char *text, size_t n,
                                      const scarce_read_options *options, const scarce__read_tuning *tuning,
                                      int threads, scarce_error *err)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_read_options o = *options;
    scarce_context *ctx = NULL;
    scarce__source *source = NULL;
    scarce_status st;

    co.threads = threads;
    if (o.format == SCARCE_FORMAT_AUTO) o.format = SCARCE_FORMAT_CSV;
    *out = NULL;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce__source_memory(&source, text, n, "t.csv", NULL) == SCARCE_OK);
    st = scarce__read_sources(out, &source, 1, &o, tuning, ctx, err);
    scarce__source_close(source);
    scarce_context_free(ctx);
    return st;
}

/* In tiny pieces; it must go well. */
static inline scarce_table *must_read(const char *text, const scarce_read_options *o)
{
    static const scarce__read_tuning tiny = {16, 16, 8, 0, 0};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    if (read_text(&t, text, strlen(text), o, &tiny, 2, &err) != SCARCE_OK) {
        fprintf(stderr, "%s\n", err.text);
        ++test_failures;
    }
    return t;
}

/* ---- Random tables */

typedef struct recipe {
    size_t rows, columns;
    int quotes, crlf, blanks;
    char separator;
    size_t flip_row; /* from here on column 1 may hold text */
} recipe;

static inline void put_number(buffer *b, scarce__random *r)
{
    switch (scarce__random_below(r, 12)) {
    case 0: say(b, "%d", (int)scarce__random_below(r, 100)); break;
    case 1: say(b, "-%d", (int)scarce__random_below(r, 100000000)); break;
    case 2: say(b, "%.17g", scarce__random_unit(r)); break;
    case 3: say(b, "%.9g", scarce__random_normal(r) * 1e10); break;
    case 4: say(b, "%e", scarce__random_normal(r)); break;
    case 5: say(b, " %.3f ", scarce__random_normal(r)); break;
    case 6: say(b, "+%.3f", scarce__random_unit(r)); break;
    case 7: say(b, "%llu", (unsigned long long)scarce__random_u64(r)); break;
    case 8: say(b, "-0.0"); break;
    case 9: say(b, "%d.", (int)scarce__random_below(r, 1000)); break;
    case 10: say(b, ".%d", (int)scarce__random_below(r, 1000)); break;
    default: say(b, "%.5f", scarce__random_normal(r)); break;
    }
}

static inline void put_text(buffer *b, scarce__random *r, const recipe *k)
{
    static const char *const plain[] = {
        "red", "green", "a b", "5\" pipe", "0x1F", " lead", "trail ", "1-2", "\xc3\xa9t\xc3\xa9", "-", "."};
    if (k->quotes && scarce__random_below(r, 2)) {
        put(b, "\"", 1);
        for (uint64_t i = scarce__random_below(r, 6); i > 0; --i) {
            static const char *const parts[] = {"x", "\n", "\"\"", ",", ";", "\t", "\r\n", "long words"};
            const char *part = parts[scarce__random_below(r, 8)];
            put(b, part, strlen(part));
        }
        put(b, "z\"", 2);
    } else if (scarce__random_below(r, 3) == 0) {
        say(b, "id%d", (int)scarce__random_below(r, 1000));
    } else {
        const char *text = plain[scarce__random_below(r, 11)];
        put(b, text, strlen(text));
    }
}

static inline void put_missing(buffer *b, scarce__random *r)
{
    static const char *const texts[] = {"", "NA", "NaN", "?", " ", "null"};
    const char *text = texts[scarce__random_below(r, 6)];
    put(b, text, strlen(text));
}

static inline buffer make_table(const recipe *k, uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 1);
    buffer b = {NULL, 0, 0};
    const char *end = "\n";

    if (k->crlf) put(&b, "\xEF\xBB\xBF", 3);
    for (size_t c = 0; c + 1 < k->columns; ++c) say(&b, "c%zu%c", c, k->separator);
    say(&b, "label%s", k->crlf ? "\r\n" : "\n");
    for (size_t row = 0; row < k->rows; ++row) {
        for (size_t c = 0; c + 1 < k->columns; ++c) {
            if (scarce__random_below(&r, 12) == 0) put_missing(&b, &r);
            else if (c == 1 && row >= k->flip_row && scarce__random_below(&r, 3) == 0) put_text(&b, &r, k);
            else if (c % 4 == 2) put_text(&b, &r, k);
            else if (k->quotes && scarce__random_below(&r, 9) == 0) {
                put(&b, "\"", 1);
                put_number(&b, &r);
                put(&b, "\"", 1);
            } else put_number(&b, &r);
            put(&b, &k->separator, 1);
        }
        end = k->crlf && scarce__random_below(&r, 3) ? "\r\n" : "\n";
        say(&b, "%d", row == 0 ? 1 : row == 1 ? 0 : (int)scarce__random_below(&r, 10) == 0);
        if (row + 1 < k->rows || scarce__random_below(&r, 2)) put(&b, end, strlen(end));
        if (k->blanks && row + 1 < k->rows && scarce__random_below(&r, 7) == 0) put(&b, end, strlen(end));
    }
    return b;
}

#endif
