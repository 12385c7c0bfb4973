/* SPDX-License-Identifier: Apache-2.0 */
/* ARFF and KEEL: the header; the rows are read by the CSV engine.
 *
 *     @relation pay
 *     @attribute amount numeric          (KEEL: real [0.0, 25691.2], integer[0,9])
 *     @attribute kind {cash, 'on line'}
 *     @inputs amount, kind               (KEEL; ignored)
 *     @outputs class                     (KEEL; the label unless another is chosen)
 *     @data
 *
 * Keywords in any case, % begins a comment line. Numeric attributes must hold numbers or "?"; nominal
 * ones the values declared; string and date attributes become categories. */
#include "data/csv.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/fail.h"

typedef struct cursor {
    const char *p, *end; /* one line without its newline and the blanks around it */
    const char *where;   /* "file:line" */
    char *scratch;       /* as long as the text */
} cursor;

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(cursor *l)
{
    while (l->p < l->end && is_blank(*l->p)) ++l->p;
}

/* The keyword in front, followed by a blank or one of "{[" or the end. */
static int take_keyword(cursor *l, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(l->end - l->p) < n || strncasecmp(l->p, word, n) != 0) return 0;
    if (l->p + n < l->end && !is_blank(l->p[n]) && l->p[n] != '{' && l->p[n] != '[') return 0;
    l->p += n;
    skip_blanks(l);
    return 1;
}

/* A name or value, quoted or up to a blank or a character of `stops`; blanks inside unquoted values are
 * kept when `inner` (KEEL allows them). 0 when there is none or its quote isn't closed. */
static int take_word(cursor *l, const char *stops, int inner, const char **text, size_t *n)
{
    skip_blanks(l);
    if (l->p == l->end) return 0;
    if (*l->p == '\'' || *l->p == '"') {
        const char quote = *l->p++;
        *n = 0;
        for (; l->p < l->end && *l->p != quote; ++l->p) {
            if (*l->p == '\\' && l->p + 1 < l->end) ++l->p;
            l->scratch[(*n)++] = *l->p;
        }
        *text = l->scratch;
        if (l->p == l->end) return 0;
        ++l->p;
        skip_blanks(l);
        return *n > 0;
    }
    *text = l->p;
    while (l->p < l->end && !strchr(stops, *l->p) && (inner || !is_blank(*l->p))) ++l->p;
    *n = (size_t)(l->p - *text);
    while (*n > 0 && is_blank((*text)[*n - 1])) *n -= 1;
    skip_blanks(l);
    return *n > 0;
}

static scarce_status take_values(cursor *l, scarce__dictionary *values, scarce_error *err)
{
    const char *text;
    size_t n;

    ++l->p; /* { */
    for (;;) {
        if (!take_word(l, ",}", 1, &text, &n))
            return scarce__fail(err, SCARCE_EPARSE,
                                "%s: a nominal value is missing or its quote is not closed", l->where);
        if (scarce__dictionary_add(values, text, n) == SIZE_MAX)
            return scarce__fail_memory(err, "nominal values", 0);
        if (l->p == l->end)
            return scarce__fail(err, SCARCE_EPARSE, "%s: the list of values is not closed with }", l->where);
        if (*l->p == '}') return SCARCE_OK;
        if (*l->p != ',')
            return scarce__fail(err, SCARCE_EPARSE, "%s: a comma is missing between the values", l->where);
        ++l->p;
    }
}

static int grow_header(scarce__header *h)
{
    const size_t n = h->n_columns;
    if ((n & (n - 1)) != 0) return 1; /* room doubles at powers of two */
    const size_t capacity = n ? 2 * n : 1;
    scarce__declared *declared = scarce__realloc_array(h->declared, capacity, sizeof *declared);
    if (!declared) return 0;
    h->declared = declared;
    scarce__dictionary *values = scarce__realloc_array(h->values, capacity, sizeof *values);
    if (!values) return 0;
    h->values = values;
    return 1;
}

static scarce_status take_attribute(cursor *l, scarce__header *h, scarce_error *err)
{
    const char *text;
    size_t n;

    if (!take_word(l, "{", 0, &text, &n))
        return scarce__fail(err, SCARCE_EPARSE, "%s: an attribute without name", l->where);
    if (!grow_header(h)) return scarce__fail_memory(err, "the attributes", 0);
    const size_t index = scarce__dictionary_add(&h->names, text, n), c = h->n_columns;
    if (index == SIZE_MAX) return scarce__fail_memory(err, "the attributes", 0);
    if (index != c)
        return scarce__fail(err, SCARCE_EPARSE, "%s: attributes %zu and %zu are both named \"%.*s\"",
                            l->where, index + 1, c + 1, (int)(n < 80 ? n : 80), text);
    memset(&h->values[c], 0, sizeof h->values[c]);
    h->declared[c] = SCARCE__DECLARED_TEXT;
    h->n_columns += 1;
    if (l->p < l->end && *l->p == '{') return take_values(l, &h->values[c], err);
    if (take_keyword(l, "numeric") || take_keyword(l, "real") || take_keyword(l, "integer")) {
        h->declared[c] = SCARCE__DECLARED_NUMBER;
        return SCARCE_OK;
    }
    if (take_keyword(l, "string") || take_keyword(l, "date")) return SCARCE_OK;
    return scarce__fail(
        err, SCARCE_EPARSE,
        "%s: attribute \"%.80s\": type \"%.*s\" is none of numeric, real, integer, string, date, {...}",
        l->where, scarce__dictionary_text(&h->names, c), (int)(l->end - l->p < 60 ? l->end - l->p : 60),
        l->p);
}

/* KEEL's @outputs: the first name. */
static scarce_status take_output(cursor *l, scarce__header *h, scarce_error *err)
{
    const char *text;
    size_t n;
    if (!take_word(l, ",", 1, &text, &n)) return SCARCE_OK;
    h->label = scarce__dictionary_find(&h->names, text, n);
    if (h->label == SIZE_MAX)
        return scarce__fail(err, SCARCE_EPARSE, "%s: output \"%.*s\" is not an attribute", l->where,
                            (int)(n < 80 ? n : 80), text);
    return SCARCE_OK;
}

/* One line; *data is set by @data. */
static scarce_status take_line(cursor *l, scarce__header *h, int *data, scarce_error *err)
{
    skip_blanks(l);
    while (l->end > l->p && is_blank(l->end[-1])) --l->end;
    if (l->p == l->end || *l->p == '%') return SCARCE_OK;
    if (take_keyword(l, "@data")) {
        *data = 1;
        return SCARCE_OK;
    }
    if (take_keyword(l, "@attribute")) return take_attribute(l, h, err);
    if (take_keyword(l, "@outputs") || take_keyword(l, "@output")) return take_output(l, h, err);
    if (take_keyword(l, "@relation") || take_keyword(l, "@inputs") || take_keyword(l, "@input"))
        return SCARCE_OK;
    return scarce__fail(err, SCARCE_EPARSE,
                        "%s: \"%.*s\" before @data (the line @data comes before the rows)", l->where,
                        (int)(l->end - l->p < 60 ? l->end - l->p : 60), l->p);
}

static scarce_status take_lines(scarce__header *h, const char *name, const char *text, size_t n,
                                char *scratch, int *data, size_t *used, size_t *lines, scarce_error *err)
{
    char where[512];
    const char *p = text, *end = text + n, *newline;

    *lines = 0;
    while (!*data && p < end && (newline = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        cursor l = {p, newline, where, scratch};
        *lines += 1;
        (void)snprintf(where, sizeof where, "%.400s:%zu", name, *lines);
        if (memchr(p, 0, (size_t)(newline - p)))
            return scarce__fail(
                err, SCARCE_EPARSE,
                "%s: a zero byte: this is not a text file (CSV, TSV, LIBSVM, ARFF, KEEL are read)", where);
        SCARCE__TRY(take_line(&l, h, data, err));
        p = newline + 1;
    }
    *used = (size_t)(p - text);
    return SCARCE_OK;
}

static scarce_status use_header(scarce__csv *csv, scarce__header *h, const char *name, scarce_error *err)
{
    if (csv->have_plan) return scarce__csv_compare_names(csv, &h->names, name, err);
    if (h->n_columns == 0) return scarce__fail(err, SCARCE_EPARSE, "%s: no attributes before @data", name);
    csv->header = *h;
    memset(h, 0, sizeof *h);
    return SCARCE_OK;
}

static scarce_status read_header(scarce__csv *csv, size_t s, const char *text, size_t n, int at_end,
                                 int *done, size_t *used, size_t *lines, scarce_error *err)
{
    const char *name = scarce__source_name(csv->sources[s]);
    char *scratch = scarce__malloc(n + 1);
    scarce__header h;
    scarce_status st;

    *done = 0;
    if (!scratch) return scarce__fail_memory(err, "the header", n);
    memset(&h, 0, sizeof h);
    h.label = SIZE_MAX;
    st = take_lines(&h, name, text, n, scratch, done, used, lines, err);
    scarce__free(scratch);
    if (st == SCARCE_OK && *done) st = use_header(csv, &h, name, err);
    else if (st == SCARCE_OK && at_end)
        st = n == 0 ? scarce__fail(err, SCARCE_EPARSE, "%s: the file is empty", name)
                    : scarce__fail(err, SCARCE_EPARSE, "%s: there is no @data line", name);
    scarce__header_deinit(&h);
    return st;
}

scarce_status scarce__read_arff(scarce_table *table, scarce__source *const *sources, size_t n_sources,
                                const scarce_read_options *o, const scarce__read_tuning *tuning,
                                scarce_context *ctx, scarce_error *err)
{
    scarce__csv csv;
    scarce_status st;

    scarce__csv_init(&csv, sources, n_sources, o, tuning, ctx);
    csv.arff = 1;
    csv.read_header = read_header;
    st = scarce__csv_run(&csv, table, err);
    scarce__csv_deinit(&csv);
    return st;
}
