/* SPDX-License-Identifier: Apache-2.0 */
/* One field, the careful way: quotes, blanks, missing texts, categories, roles, and all complaints. */
#include "data/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"
#include "data/decimal.h"
#include "data/times.h"

typedef struct cell {
    const scarce__csv *csv;
    scarce__csv_block *b;
    scarce__csv_worker *w;
    size_t c, row;
    uint32_t *to;
    const char *text;
    size_t n;
} cell;

static const char *name_of(const cell *x)
{
    return scarce__dictionary_text(&x->csv->header.names, x->c);
}

static const char *file_of(const scarce__csv *csv)
{
    return scarce__source_name(csv->sources[csv->source]);
}

static int fail_memory(scarce__csv_block *b)
{
    b->status = scarce__fail_memory(&b->error, "the rows of a table", 0);
    return 0;
}

/* "file:line: column 3 "x": "text" WHAT" */
static int fail_cell(const cell *x, scarce_status status, const char *what)
{
    x->b->status =
        scarce__fail(&x->b->error, status, "%s:%zu: column %zu \"%.80s\": \"%.*s\" %s", file_of(x->csv),
                     x->w->line, x->c + 1, name_of(x), (int)(x->n < 60 ? x->n : 60), x->text, what);
    return 0;
}

static int fail_missing(const cell *x, const char *role)
{
    x->b->status =
        scarce__fail(&x->b->error, SCARCE_EDATA,
                     "%s:%zu: the %s (column %zu \"%.80s\") is missing (fill it in, or leave the row out)",
                     file_of(x->csv), x->w->line, role, x->c + 1, name_of(x));
    return 0;
}

/* Whose numbers and dates these aren't like: a part of a stream is held against its first rows. */
static const char *like(const cell *x)
{
    return x->csv->o->part == 1 ? "as in the rows before" : "as in training";
}

static int fail_number(const cell *x)
{
    const char sign = scarce__decimal_evidence(x->text, x->n);
    char what[256] = "is not a number (fix the row)";

    if (sign && sign != x->csv->decimal)
        (void)snprintf(what, sizeof what, "is not a number with a decimal %s (--decimal %c reads it)",
                       sign == ',' ? "point" : "comma", sign);
    else if (x->csv->o->schema && x->csv->plan.columns[x->c].use == SCARCE__USE_NUMBER)
        (void)snprintf(what, sizeof what,
                       "is not a number %s (--missing \"%.*s\" if it means missing; else fix the row)",
                       like(x), (int)(x->n < 60 ? x->n : 60), x->text);
    else if (x->csv->plan.columns[x->c].use == SCARCE__USE_NUMBER)
        (void)snprintf(what, sizeof what,
                       "is not a number (declare it with --categorical %.80s, or fix the row)", name_of(x));
    return fail_cell(x, SCARCE_EPARSE, what);
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void trim(const char **text, size_t *n)
{
    while (*n > 0 && is_blank((*text)[*n - 1])) *n -= 1;
    while (*n > 0 && is_blank(**text)) {
        *text += 1;
        *n -= 1;
    }
}

static int is_missing(const scarce__csv *csv, const char *text, size_t n)
{
    trim(&text, &n);
    if (n == 0) return 1;
    if (csv->missing.count == 0) return scarce__csv_usual_missing(text, n);
    for (size_t i = 0; i < csv->missing.count; ++i) {
        const char *m = csv->missing.items[i];
        if (m[0] == text[0] && strlen(m) == n && memcmp(m, text, n) == 0) return 1;
    }
    return 0;
}

/* ---- Numbers */

/* Remembers the first field of this column (in this block) that shows something. */
static int remark(const cell *x, int what)
{
    scarce__csv_block *b = x->b;
    scarce__csv_remark r;

    if (b->marks && (b->marks[x->c] & what)) return 1;
    if (!b->marks) b->marks = scarce__calloc(x->csv->plan.n_columns, sizeof *b->marks);
    if (!b->marks) return fail_memory(b);
    b->marks[x->c] |= (uint16_t)what;
    const size_t n = x->n < sizeof r.text - 1 ? x->n : sizeof r.text - 1;
    r.column = x->c;
    r.what = what;
    r.place = (scarce__place){x->csv->source, x->w->line};
    memcpy(r.text, x->text, n);
    r.text[n] = '\0';
    return scarce__csv_add_remark(&b->remarks, &r) ? 1 : fail_memory(b);
}

/* The text as core/number.h reads it: itself, or in `plain` without groups and with a point. */
static void plain_number(const cell *x, char plain[SCARCE__DECIMAL_ROOM], const char **text, size_t *n)
{
    *text = x->text;
    *n = x->n;
    if (x->csv->decimal == ',' && !memchr(x->text, '.', x->n) && !memchr(x->text, ',', x->n)) return;
    const size_t k = scarce__decimal_plain(plain, x->text, x->n, x->csv->decimal, x->csv->decimal_sure);
    if (k == 0 && x->csv->decimal == '.') return;
    *text = plain;
    *n = k;
}

static int parse_float(const cell *x, float *value)
{
    char plain[SCARCE__DECIMAL_ROOM];
    const char *text;
    size_t n;
    const int kind = x->csv->decimal == '.' ? scarce__parse_float(x->text, x->n, value) : 0;

    if (kind) return kind;
    plain_number(x, plain, &text, &n);
    return scarce__parse_float(text, n, value);
}

static int parse_double(const cell *x, double *value)
{
    char plain[SCARCE__DECIMAL_ROOM];
    const char *text;
    size_t n;
    const int kind = x->csv->decimal == '.' ? scarce__parse_double(x->text, x->n, value) : 0;

    if (kind) return kind;
    plain_number(x, plain, &text, &n);
    return scarce__parse_double(text, n, value);
}

/* A decimal comma in a file whose first lines showed no decimal sign: read again with it. */
static int shows_comma(const cell *x)
{
    const scarce__csv *csv = x->csv;
    return csv->decimal == '.' && !csv->decimal_sure && !csv->looks[csv->source].mixed[0][0] && !csv->arff &&
           scarce__decimal_evidence(x->text, x->n) == ',';
}

/* The numeric feature. *x is trimmed. */
static int store_number(const cell *x, int missing)
{
    const int fixed = x->csv->plan.columns[x->c].fixed;
    float value = NAN;
    int kind = 1;

    if (!missing) kind = parse_float(x, &value);
    if (kind == 0) {
        value = NAN;
        if (shows_comma(x)) {
            if (!remark(x, SCARCE__CSV_COMMA)) return 0;
        } else {
            if (fixed) return fail_number(x);
            if (!remark(x, SCARCE__CSV_FLIP)) return 0;
        }
    }
    if (kind == 2) {
        if (fixed) return fail_cell(x, SCARCE_EPARSE, "is beyond the range of a number (fix the row)");
        if (!remark(x, SCARCE__CSV_RANGE)) return 0;
    }
    memcpy(x->to, &value, sizeof value);
    return 1;
}

/* A time that isn't like those of other rows, or, without any, not what the options ask for. */
static int fail_time(const cell *x, const char *is, const char *advice, const char *asked)
{
    char what[128];

    if (!x->csv->o->schema) return fail_cell(x, SCARCE_EPARSE, asked);
    (void)snprintf(what, sizeof what, "is not %s %s (%s)", is, like(x), advice);
    return fail_cell(x, SCARCE_EPARSE, what);
}

/* The time: a number or a date. 0 after an error. */
static int parse_time(const cell *x, double *value, int *kind)
{
    const scarce_time_format format = x->csv->o->time_format;
    int shows = 0;

    *kind = format == SCARCE_TIME_DATES ? 0 : parse_double(x, value);
    if (*kind) return remark(x, SCARCE__CSV_NUMBER);
    if (format != SCARCE_TIME_AUTO && format != SCARCE_TIME_DATES)
        return fail_time(x, "a number", "--time-format dates reads dates",
                         "is not a number, which --time-format asks for");
    if (!scarce__parse_date_order(x->text, x->n, x->csv->date_order, value, &shows)) {
        if (x->csv->date_order == SCARCE_DATE_AUTO)
            return fail_cell(x, SCARCE_EPARSE,
                             "is neither a number nor a date; dates are read as 2018-04-01, 01/04/2018, "
                             "01.04.2018, 01-Apr-18, Apr 1, 2018, each also with 12:30[:00] behind it");
        return fail_time(x, "a date written", "--date-order, --time-format say how",
                         "is not a date of the order that --date-order asks for");
    }
    *kind = 1;
    return remark(x, shows * SCARCE__CSV_CLEAR);
}

static int store_role(const cell *x, int missing, double *to, const char *role)
{
    const scarce__use use = x->csv->plan.columns[x->c].use;
    double value = NAN;
    int kind;

    if (missing) {
        if ((!x->csv->o->schema || use == SCARCE__USE_WEIGHT) && use != SCARCE__USE_EXACT)
            return fail_missing(x, role);
        to[x->row] = value;
        return 1;
    }
    if (use == SCARCE__USE_TIME) {
        if (!parse_time(x, &value, &kind)) return 0;
    } else {
        kind = parse_double(x, &value);
    }
    if (kind == 0 && shows_comma(x)) return remark(x, SCARCE__CSV_COMMA);
    if (kind == 0) return fail_number(x);
    if (kind == 2) return fail_cell(x, SCARCE_EPARSE, "is beyond the range of a number");
    if (!isfinite(value) && use != SCARCE__USE_EXACT) return fail_cell(x, SCARCE_EDATA, "is not finite");
    if (use == SCARCE__USE_WEIGHT && value < 0)
        return fail_cell(x, SCARCE_EDATA, "is a negative weight (weights are 0 or more)");
    if (use == SCARCE__USE_WEIGHT && value > SCARCE__LARGEST_WEIGHT)
        return fail_cell(x, SCARCE_EDATA, "is a weight beyond 1e30");
    if (use == SCARCE__USE_COST && value < 0)
        return fail_cell(x, SCARCE_EDATA, "is a negative cost (an error costs 0 or more)");
    if (use == SCARCE__USE_COST && value > SCARCE__LARGEST_WEIGHT)
        return fail_cell(x, SCARCE_EDATA, "is a cost beyond 1e30");
    to[x->row] = value;
    return 1;
}

/* ---- Texts */

static int put_code(const cell *x, int32_t code)
{
    memcpy(x->to, &code, sizeof code);
    return 1;
}

/* Keeps the code of an unquoted text for the next rows. The text is that of the file, not trimmed. */
static void remember(const cell *x, const char *p, const char *q)
{
    scarce__csv_cached *cache = x->w->caches[x->c];
    const size_t n = (size_t)(q - p);
    uint64_t key = 0;
    int32_t code;

    memcpy(&code, x->to, sizeof code);
    if (!cache || code < -1 || n - 1 > 7) return;
    if (code == -1 && x->csv->plan.columns[x->c].use == SCARCE__USE_LABEL) return; /* those are counted */
    memcpy(&key, p, n);
    cache[scarce__csv_cache_slot(key)] = (scarce__csv_cached){key, code};
}

/* A text the global dictionary knows has its code at once; a new one gets -2 - (its number among
 * this block's new texts), and the real code when the blocks are joined in order. */
static int store_text(const cell *x)
{
    const scarce__csv *csv = x->csv;
    size_t code = scarce__dictionary_find(&csv->texts[x->c], x->text, x->n);

    if (code != SIZE_MAX) return put_code(x, (int32_t)code);
    if (!x->b->fresh) x->b->fresh = scarce__calloc(csv->plan.n_columns, sizeof *x->b->fresh);
    if (!x->b->fresh) return fail_memory(x->b);
    code = scarce__dictionary_add(&x->b->fresh[x->c], x->text, x->n);
    if (code == SIZE_MAX) return fail_memory(x->b);
    return put_code(x, -2 - (int32_t)code);
}

static int store_category(const cell *x)
{
    const scarce__csv *csv = x->csv;
    const scarce__plan_column *column = &csv->plan.columns[x->c];

    if (is_missing(csv, x->text, x->n)) return put_code(x, -1);
    if (csv->header.values && csv->header.values[x->c].count > 0 &&
        scarce__dictionary_find(&csv->header.values[x->c], x->text, x->n) == SIZE_MAX)
        return fail_cell(x, SCARCE_EPARSE, "is not among the values of the attribute");
    if (column->schema) {
        const scarce__dictionary *known = &csv->o->schema->features[column->feature].categories;
        const size_t code = scarce__dictionary_find(known, x->text, x->n);
        return put_code(x, (int32_t)(code == SIZE_MAX ? known->count : code));
    }
    return store_text(x);
}

static int store_label(const cell *x, int missing)
{
    scarce__labels *local = &x->b->labels;
    const scarce__place place = {x->csv->source, x->w->line};
    size_t known;
    int32_t code;

    if (missing) {
        if (local->n_missing++ == 0) local->first_missing = place;
        return put_code(x, -1);
    }
    known = scarce__dictionary_find(&x->csv->labels.texts, x->text, x->n);
    if (known != SIZE_MAX) return put_code(x, (int32_t)known);
    code = scarce__labels_add(local, x->text, x->n, place);
    return code < 0 ? fail_memory(x->b) : put_code(x, -2 - code);
}

static int store(cell *x)
{
    const scarce__csv *csv = x->csv;
    const scarce__use use = csv->plan.columns[x->c].use;
    int missing;

    if (use == SCARCE__USE_SKIP) return 1;
    if (use == SCARCE__USE_CATEGORY) return store_category(x);
    trim(&x->text, &x->n);
    missing = is_missing(csv, x->text, x->n);
    switch (use) {
    case SCARCE__USE_NUMBER: return store_number(x, missing);
    case SCARCE__USE_LABEL: return store_label(x, missing);
    case SCARCE__USE_GROUP: return missing ? fail_missing(x, "group") : store_text(x);
    case SCARCE__USE_WEIGHT: return store_role(x, missing, csv->weight, "weight");
    case SCARCE__USE_TIME: return store_role(x, missing, csv->time, "time");
    case SCARCE__USE_COST: return store_role(x, missing, csv->cost, "cost");
    case SCARCE__USE_AMOUNT:
        if (!store_role(x, missing, csv->amount, "amount")) return 0;
        return csv->plan.columns[x->c].feature == SIZE_MAX ? 1 : store_number(x, missing);
    case SCARCE__USE_EXACT: return store_role(x, missing, csv->exact[csv->plan.columns[x->c].exact], "exact");
    default: return 1;
    }
}

/* ---- Quotes */

const char *scarce__csv_close_quote(const char *open, const char *end)
{
    const char *p = open + 1;
    while (p < end && (p = memchr(p, '"', (size_t)(end - p))) != NULL) {
        if (p + 1 >= end || p[1] != '"') return p + 1;
        p += 2;
    }
    return NULL;
}

size_t scarce__csv_unquote(char *to, const char *open, const char *end)
{
    size_t n = 0;
    for (const char *p = open + 1; p < end - 1; ++p) {
        if (*p == '"') ++p;
        to[n++] = *p;
    }
    return n;
}

static int make_scratch(scarce__csv_worker *w, scarce__csv_block *b, size_t n)
{
    if (n <= w->scratch_size) return 1;
    char *scratch = scarce__realloc_array(w->scratch, 2 * n, 1);
    if (!scratch) return fail_memory(b);
    w->scratch = scratch;
    w->scratch_size = 2 * n;
    return 1;
}

/* Returns the end of the quoted field at p and its inside in x->text, x->n. */
static const char *take_quoted(cell *x, const char *p)
{
    const scarce__csv *csv = x->csv;
    scarce__csv_block *b = x->b;
    const char *q = scarce__csv_close_quote(p, b->end);

    if (!q) {
        b->status =
            scarce__fail(&b->error, SCARCE_EPARSE, "%s:%zu: the quote in column %zu \"%.80s\" is not closed",
                         file_of(csv), x->w->line, x->c + 1, name_of(x));
        return NULL;
    }
    const int doubled = memchr(p + 1, '"', (size_t)(q - p - 2)) != NULL;
    x->text = p + 1;
    x->n = (size_t)(q - p) - 2;
    if (doubled) {
        if (!make_scratch(x->w, b, x->n + 1)) return NULL;
        x->n = scarce__csv_unquote(x->w->scratch, p, q);
        x->text = x->w->scratch;
    }
    if (*q == '\r' && q[1] == '\n') ++q;
    if (*q != csv->separator && *q != '\n') {
        b->status = scarce__fail(
            &b->error, SCARCE_EPARSE,
            "%s:%zu: column %zu \"%.80s\": text after the closing quote (a quote inside quotes is doubled)",
            file_of(csv), x->w->line, x->c + 1, name_of(x));
        return NULL;
    }
    return q;
}

/* ARFF: blanks around, 'text' or "text" with \ before a quote; never more than a line. */
static const char *take_arff(cell *x, const char *p, const char *q)
{
    while (*p == ' ' || *p == '\t') ++p;
    if (*p != '\'' && *p != '"') {
        q = p > q ? p : q;
        x->text = p;
        x->n = (size_t)(q - p);
        trim(&x->text, &x->n);
        return q;
    }
    const char quote = *p++;
    size_t n = 0;
    for (q = p; *q != quote && *q != '\n'; ++q)
        if (*q == '\\' && q[1] != '\n') ++q;
    if (!make_scratch(x->w, x->b, (size_t)(q - p) + 1)) return NULL;
    for (const char *s = p; s < q; ++s) {
        if (*s == '\\' && s + 1 < q) ++s;
        x->w->scratch[n++] = *s;
    }
    x->text = x->w->scratch;
    x->n = n;
    if (*q == quote) {
        ++q;
        while (is_blank(*q)) ++q;
        if (*q == x->csv->separator || *q == '\n') return q;
        x->b->status = scarce__fail(&x->b->error, SCARCE_EPARSE,
                                    "%s:%zu: column %zu \"%.80s\": text after the closing quote",
                                    file_of(x->csv), x->w->line, x->c + 1, name_of(x));
        return NULL;
    }
    x->b->status =
        scarce__fail(&x->b->error, SCARCE_EPARSE, "%s:%zu: the quote in column %zu \"%.80s\" is not closed",
                     file_of(x->csv), x->w->line, x->c + 1, name_of(x));
    return NULL;
}

const char *scarce__csv_field(const scarce__csv *csv, scarce__csv_block *b, scarce__csv_worker *w, size_t c,
                              const char *p, const char *q, size_t r, size_t row)
{
    cell x = {csv, b, w, c, row, &w->tile[c * csv->tile_stride + r], p, (size_t)(q - p)};
    size_t embedded = 0;
    int plain = 0;

    if (csv->arff) {
        if (c == 0 && *p == '{') {
            b->status = scarce__fail(&b->error, SCARCE_EUNSUPPORTED,
                                     "%s:%zu: sparse ARFF rows are not supported", file_of(csv), w->line);
            return NULL;
        }
        q = take_arff(&x, p, q);
    } else if (*p == '"') {
        q = take_quoted(&x, p);
        if (q)
            for (const char *s = p; s < q; ++s) embedded += *s == '\n';
    } else {
        x.n -= *q == '\n' && q > p && q[-1] == '\r';
        plain = 1;
    }
    const char *text = x.text;
    const size_t n = x.n;
    if (!q || !store(&x)) return NULL;
    if (plain) remember(&x, text, text + n);
    w->line += embedded;
    return q;
}
