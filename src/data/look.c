/* SPDX-License-Identifier: Apache-2.0 */
/* What the first 64 KB of a file (or its first 200 rows) say.
 *
 * Separator: of , ; tab | the one with which most rows have as many fields as the header, which has at least
 * two; then the one with more fields; then the first in this order (without a header the comma comes last:
 * it may be a decimal sign). Quotes are respected.
 * Decimal sign: a comma when some number can be read with a comma only (12,5 or 1.234,56) and none with a
 * point only (12.5 or 1,234.56).
 * Long whole numbers: a float keeps 24 bits, so from 16,777,217 up neighbours become one. Where all values of a
 * column are so long and, as ids are, of the same length, the column holds names; it is read as text. Times
 * (seconds, milliseconds, ..., 20180401, 20180401123000) look alike and stay numbers; from 17 digits up
 * nothing is a quantity. */
#include "data/look.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/csv.h"
#include "data/decimal.h"
#include "data/times.h"

enum { LOOK_BYTES = 1 << 16, LOOK_ROWS = 200, FEW_VALUES = 20, FLOAT_DIGITS = 8, SURE_DIGITS = 17 };

void scarce__look_deinit(scarce__look *look)
{
    scarce__free(look->is_long);
    memset(look, 0, sizeof *look);
}

typedef struct sample {
    const char *begin, *end;
    int whole; /* it is the whole file: the last row may lack its newline */
} sample;

/* The end of the field at p: its separator, newline, or the end of the sample (NULL: an open quote). */
static const char *field_end(const sample *s, const char *p, char separator)
{
    if (p < s->end && *p == '"') {
        p = scarce__csv_close_quote(p, s->end);
        if (!p) return NULL;
    }
    while (p < s->end && *p != separator && *p != '\n') ++p;
    return p;
}

/* Fields of the row at *p, which moves to the next one; 0 when it isn't whole. Blank lines count 0 too, but
 * move. */
static size_t count_fields(const sample *s, const char **p, char separator)
{
    const char *q = *p;
    size_t n = 1;

    for (;; ++n, ++q) {
        q = field_end(s, q, separator);
        if (!q || (q == s->end && !s->whole)) {
            *p = s->end;
            return 0;
        }
        if (q == s->end || *q == '\n') break;
    }
    const int blank = n == 1 && (q == *p || (q == *p + 1 && **p == '\r'));
    *p = q < s->end ? q + 1 : q;
    return blank ? 0 : n;
}

/* Rows like the first one, and its fields. */
static size_t rows_alike(const sample *s, char separator, size_t *fields)
{
    const char *p = s->begin;
    size_t alike = 0;

    *fields = 0;
    for (size_t rows = 0; p < s->end && rows < LOOK_ROWS;) {
        const size_t n = count_fields(s, &p, separator);
        if (n == 0) continue;
        if (*fields == 0) *fields = n;
        else alike += n == *fields;
        ++rows;
    }
    return alike;
}

static char choose_separator(const sample *s, int no_header)
{
    const char *order = no_header ? "\t;|," : ",;\t|";
    size_t most = 0, most_fields = 1;
    char best = ',';

    for (; *order; ++order) {
        size_t fields;
        const size_t alike = rows_alike(s, *order, &fields);
        if (fields < 2 || alike < most || (alike == most && fields <= most_fields)) continue;
        best = *order;
        most = alike;
        most_fields = fields;
    }
    return best;
}

/* ---- values */

typedef struct facts { /* of a column */
    size_t values, whole, beyond, same_length, timelike, digits;
} facts;

static void trim(const char **text, size_t *n)
{
    while (*n > 0 && ((*text)[*n - 1] == ' ' || (*text)[*n - 1] == '\r')) *n -= 1;
    while (*n > 0 && **text == ' ') {
        *text += 1;
        *n -= 1;
    }
    if (*n >= 2 && **text == '"' && (*text)[*n - 1] == '"') {
        *text += 1;
        *n -= 2;
    }
}

static void note_value(facts *f, const char *text, size_t n)
{
    double value = 0;

    f->values += 1;
    for (size_t i = 0; i < n; ++i) {
        if (text[i] < '0' || text[i] > '9') return;
        value = 10 * value + (text[i] - '0');
    }
    f->whole += 1;
    if (n < FLOAT_DIGITS || value <= 16777216) return;
    f->beyond += 1;
    if (f->digits == 0) f->digits = n;
    f->same_length += n == f->digits;
    f->timelike += scarce__time_like(value) != 0;
}

static void note_evidence(scarce__look *look, const char *text, size_t n)
{
    const char sign = scarce__decimal_evidence(text, n);
    if (!sign || n >= sizeof look->mixed[0]) return;
    char *to = look->mixed[sign == ','];
    if (*to) return;
    memcpy(to, text, n);
    to[n] = '\0';
}

static int is_usual_missing(const char *text, size_t n)
{
    return n == 0 || (n <= 4 && (scarce__csv_usual_missing(text, n)));
}

/* All fields of the rows behind the header. */
static void look_at_values(scarce__look *look, const sample *s, int no_header, facts *columns)
{
    const char *p = s->begin;
    size_t rows = 0;

    while (p < s->end && rows < LOOK_ROWS) {
        const char *row = p;
        if (count_fields(s, &p, look->separator) == 0 || (rows++ == 0 && !no_header)) continue;
        for (size_t c = 0; c < look->n_columns; ++c, ++row) {
            const char *end = field_end(s, row, look->separator), *text = row;
            size_t n = (size_t)(end - row);
            trim(&text, &n);
            if (!is_usual_missing(text, n)) {
                note_evidence(look, text, n);
                note_value(&columns[c], text, n);
            }
            row = end;
            if (end == s->end || *end == '\n') break;
        }
    }
}

static int holds_names(const facts *f)
{
    if (f->values == 0 || f->whole < f->values || f->beyond < f->values || f->timelike == f->values) return 0;
    if (f->digits >= SURE_DIGITS) return 1;
    return f->values >= FEW_VALUES && 20 * f->same_length >= 19 * f->values;
}

static scarce_status look_inside(scarce__look *look, const sample *s, const scarce_read_options *o,
                                 scarce_error *err)
{
    facts *columns;

    if (o->separator) look->separator = o->separator;
    else look->separator = o->format == SCARCE_FORMAT_TSV ? '\t' : choose_separator(s, o->no_header);
    (void)rows_alike(s, look->separator, &look->n_columns);
    columns = scarce__calloc(look->n_columns + 1, sizeof *columns);
    look->is_long = scarce__calloc(look->n_columns + 1, 1);
    if (!columns || !look->is_long) {
        scarce__free(columns);
        return scarce__fail_memory(err, "the columns", 0);
    }
    look_at_values(look, s, o->no_header, columns);
    for (size_t c = 0; c < look->n_columns; ++c) look->is_long[c] = (uint8_t)holds_names(&columns[c]);
    scarce__free(columns);
    look->decimal = look->mixed[1][0] && !look->mixed[0][0] ? ',' : '.';
    look->decimal_sure = (look->mixed[0][0] != 0) != (look->mixed[1][0] != 0);
    if (look->mixed[0][0] == 0 || look->mixed[1][0] == 0) look->mixed[0][0] = look->mixed[1][0] = '\0';
    if (o->schema && o->schema->writing.decimal == ',' && !look->decimal_sure && !look->mixed[0][0]) {
        look->decimal = ','; /* as in training, for nothing here says otherwise */
        look->decimal_sure = 1;
    }
    if (o->decimal) {
        look->decimal = o->decimal;
        look->decimal_sure = 1;
        look->mixed[0][0] = '\0';
    }
    return SCARCE_OK;
}

static scarce_status read_sample(scarce__look *look, scarce__source *source, char *text, size_t *n,
                                 scarce_error *err)
{
    scarce__decoder decoder;
    scarce_status st;

    SCARCE__TRY(scarce__source_read(source, text, 64, n, err));
    look->encoding = scarce__encoding_of((const unsigned char *)text, *n);
    SCARCE__TRY(scarce__source_rewind(source, err));
    memset(&decoder, 0, sizeof decoder);
    decoder.encoding = look->encoding;
    st = scarce__decoder_read(&decoder, source, text, LOOK_BYTES, n, NULL, err);
    scarce__decoder_deinit(&decoder);
    SCARCE__TRY(st);
    return scarce__source_rewind(source, err);
}

scarce_status scarce__look_at(scarce__look *out, scarce__source *source, const scarce_read_options *o,
                              int arff, scarce_error *err)
{
    char *text = scarce__malloc(LOOK_BYTES);
    size_t n = 0;
    scarce_status st;

    memset(out, 0, sizeof *out);
    out->separator = ',';
    out->decimal = '.';
    if (!text) return scarce__fail_memory(err, "the beginning of a file", LOOK_BYTES);
    st = read_sample(out, source, text, &n, err);
    if (st == SCARCE_OK) {
        sample s = {text, text + n, n < LOOK_BYTES};
        out->cr = n > 0 && !memchr(text, '\n', n) && memchr(text, '\r', n) != NULL;
        for (char *p = text; out->cr && (p = memchr(p, '\r', (size_t)(s.end - p))) != NULL;) *p = '\n';
        if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) s.begin += 3;
        if (out->encoding == SCARCE__UTF8)
            out->encoding = scarce__encoding_of_letters((const unsigned char *)text, n, s.whole);
        if (!arff) st = look_inside(out, &s, o, err);
    }
    scarce__free(text);
    if (st != SCARCE_OK) scarce__look_deinit(out);
    return st;
}
