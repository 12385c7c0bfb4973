/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and TSV: the header line.
 *
 * Names may be quoted; blanks around unquoted ones don't count. The separator was found by look.h. */
#include "data/csv.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

/* One past the newline that ends the row at p, or NULL when it isn't in the text. Counts its fields. */
static const char *row_end(const char *p, const char *end, char separator, size_t *fields)
{
    const char *start = p;
    *fields = 1;
    for (; p < end && *p != '\n'; ++p) {
        if (*p == '"' && (p == start || p[-1] == separator)) {
            p = scarce__csv_close_quote(p, end);
            if (!p || p == end) return NULL;
            if (*p == '\n') break;
        }
        *fields += *p == separator;
    }
    return p < end ? p + 1 : NULL;
}

/* The next name of the header from *p; its end is a separator or the newline at `stop`. */
static scarce_status take_name(scarce__dictionary *names, const char **p, const char *stop, char separator,
                               const char *where, char *scratch, scarce_error *err)
{
    const char *text = *p, *q = *p;
    const size_t number = names->count + 1;
    size_t n;

    if (*q == '"') {
        q = scarce__csv_close_quote(q, stop);
        if (!q)
            return scarce__fail(err, SCARCE_EPARSE, "%s: the quote in the name of column %zu is not closed",
                                where, number);
        n = scarce__csv_unquote(scratch, text, q);
        text = scratch;
        if (q < stop && *q != separator && !(*q == '\r' && q + 1 == stop))
            return scarce__fail(err, SCARCE_EPARSE, "%s: text after the closing quote of column %zu", where,
                                number);
        if (q < stop && *q == '\r') ++q;
    } else {
        while (q < stop && *q != separator) ++q;
        n = (size_t)(q - text);
        while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\r')) --n;
        while (n > 0 && (*text == ' ' || *text == '\t')) {
            ++text;
            --n;
        }
    }
    if (n == 0) return scarce__fail(err, SCARCE_EPARSE, "%s: column %zu has no name", where, number);
    const size_t index = scarce__dictionary_add(names, text, n);
    if (index == SIZE_MAX) return scarce__fail_memory(err, "the names of the columns", 0);
    if (index + 1 != number)
        return scarce__fail(err, SCARCE_EPARSE,
                            "%s: columns %zu and %zu are both named \"%.*s\" (rename one)", where, index + 1,
                            number, (int)(n < 80 ? n : 80), text);
    *p = q;
    return SCARCE_OK;
}

static scarce_status take_names(scarce__dictionary *names, const char *p, const char *stop, char separator,
                                const char *where, scarce_error *err)
{
    char *scratch = scarce__malloc((size_t)(stop - p) + 1);
    scarce_status st = SCARCE_OK;

    if (!scratch) return scarce__fail_memory(err, "the names of the columns", (size_t)(stop - p));
    for (;;) {
        st = take_name(names, &p, stop, separator, where, scratch, err);
        if (st != SCARCE_OK || p >= stop) break;
        ++p;
        if (p == stop) { /* the line ends with a separator: one more, empty name */
            st = scarce__fail(err, SCARCE_EPARSE, "%s: column %zu has no name", where, names->count + 1);
            break;
        }
    }
    scarce__free(scratch);
    return st;
}

/* Without a header: as many numbers as the first row has fields. */
static scarce_status make_numbers(scarce__dictionary *names, size_t n, scarce_error *err)
{
    char text[32];
    for (size_t c = 0; c < n; ++c) {
        const int length = snprintf(text, sizeof text, "%zu", c + 1);
        if (scarce__dictionary_add(names, text, (size_t)length) == SIZE_MAX)
            return scarce__fail_memory(err, "the names of the columns", 0);
    }
    return SCARCE_OK;
}

scarce_status scarce__csv_compare_names(const scarce__csv *csv, const scarce__dictionary *names,
                                        const char *where, scarce_error *err)
{
    const scarce__dictionary *want = &csv->header.names;
    const char *first = scarce__source_name(csv->sources[0]);
    const size_t n = names->count < want->count ? names->count : want->count;

    for (size_t c = 0; c < n; ++c) {
        const char *a = scarce__dictionary_text(want, c), *b = scarce__dictionary_text(names, c);
        if (strcmp(a, b) != 0)
            return scarce__fail(err, SCARCE_EDATA, "%s: column %zu is \"%.80s\", in %s it is \"%.80s\"",
                                where, c + 1, b, first, a);
    }
    if (names->count > n)
        return scarce__fail(err, SCARCE_EDATA, "%s: column %zu \"%.80s\" is not in %s", where, n + 1,
                            scarce__dictionary_text(names, n), first);
    if (want->count > n)
        return scarce__fail(err, SCARCE_EDATA,
                            "%s: column %zu \"%.80s\" of %s is missing (all files need the same columns)",
                            where, n + 1, scarce__dictionary_text(want, n), first);
    return SCARCE_OK;
}

/* The first line that isn't blank. */
static const char *first_row(const char *text, size_t n, size_t *lines)
{
    const char *p = text, *end = text + n;
    *lines = 0;
    while (p < end && (*p == '\n' || (*p == '\r' && p + 1 < end && p[1] == '\n'))) {
        p += *p == '\r' ? 2 : 1;
        *lines += 1;
    }
    return p;
}

static scarce_status read_names(scarce__csv *csv, const char *p, const char *stop, size_t fields,
                                const char *where, scarce_error *err)
{
    scarce__dictionary names;
    scarce_status st;

    memset(&names, 0, sizeof names);
    if (csv->o->no_header) st = csv->have_plan ? SCARCE_OK : make_numbers(&names, fields, err);
    else st = take_names(&names, p, stop, csv->separator, where, err);
    if (st == SCARCE_OK && !csv->have_plan) {
        csv->header.names = names;
        csv->header.n_columns = names.count;
        return SCARCE_OK;
    }
    if (st == SCARCE_OK && !csv->o->no_header) st = scarce__csv_compare_names(csv, &names, where, err);
    scarce__dictionary_deinit(&names);
    return st;
}

static scarce_status read_header(scarce__csv *csv, size_t s, const char *text, size_t n, int at_end,
                                 int *done, size_t *used, size_t *lines, scarce_error *err)
{
    const char *name = scarce__source_name(csv->sources[s]);
    const char *p = first_row(text, n, lines), *end = text + n, *next;
    char where[512];
    size_t fields;

    *done = 0;
    if (p == end && at_end) return scarce__fail(err, SCARCE_EPARSE, "%s: the file is empty", name);
    (void)snprintf(where, sizeof where, "%.400s:%zu", name, *lines + 1);
    const char *nul = memchr(p, 0, (size_t)(end - p));
    next = row_end(p, end, csv->separator, &fields);
    if (nul && (!next || nul < next))
        return scarce__fail(
            err, SCARCE_EPARSE,
            "%s: a zero byte: this is not a text file (CSV, TSV, LIBSVM, ARFF, KEEL are read)", where);
    if (!next && !at_end) return SCARCE_OK;
    if (!next) return scarce__fail(err, SCARCE_EPARSE, "%s: a quote in the header is not closed", where);
    SCARCE__TRY(read_names(csv, p, next - 1, fields, where, err));
    *done = 1;
    *used = csv->o->no_header ? 0 : (size_t)(next - text);
    for (const char *q = p; q < next; ++q) *lines += *q == '\n';
    if (csv->o->no_header) *lines = 0;
    return SCARCE_OK;
}

scarce_status scarce__read_csv(scarce_table *table, scarce__source *const *sources, size_t n_sources,
                               const scarce_read_options *o, const scarce__read_tuning *tuning,
                               scarce_context *ctx, scarce_error *err)
{
    scarce__csv csv;
    scarce_status st;

    scarce__csv_init(&csv, sources, n_sources, o, tuning, ctx);
    csv.read_header = read_header;
    st = scarce__csv_run(&csv, table, err);
    scarce__csv_deinit(&csv);
    return st;
}
