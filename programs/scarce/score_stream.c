/* SPDX-License-Identifier: Apache-2.0 */
/* scarce score MODEL -: rows are answered as they come, in constant memory.
 *
 * Whatever standard input holds when it is asked (a row from a slow pipe, 64 KB from a fast one) is cut after
 * its last whole row, put behind the header, and read as a small table: so a row means here exactly what it
 * means in a file. A row that can't be read is told on stderr, with its line, and left out; its number is
 * not given to another. The stream goes on, and the exit code at its end is 3. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "score.h"

enum {
    PIECE = 1 << 16,
    LONGEST_ROW = 1 << 26, /* as in files */
    TOLD = 10
}; /* bytes asked for at once; complaints about rows before they are counted only */

/* How far a row that isn't whole yet was looked at, so that each byte is looked at once. */
typedef struct scan {
    size_t done;
    int quoted;
} scan;

typedef struct stream {
    answerer a;
    const char *name;
    scarce_read_options read;
    text in;            /* not used yet */
    size_t blank;       /* of it, lines without anything before the header */
    scan in_row;        /* in the row it begins with */
    text header;        /* with its newline */
    text piece;         /* the header and some rows */
    char separators[5]; /* those that the header has */
    int one_column;     /* an empty line is a row then */
    size_t line;        /* of the first byte of `in`, from 1 */
    size_t bad;         /* rows left out */
} stream;

/* ---- where rows end */

/* One past the newline of the row at `from`, or 0 when it isn't there yet; then `state` says where to go on. Newlines
 * in quotes don't count. */
static size_t row_end(const stream *s, const text *t, size_t from, scan *state)
{
    int quoted = state->quoted;
    size_t i = from + state->done;

    for (; i < t->n; ++i) {
        const char c = t->bytes[i];
        if (quoted) {
            if (c != '"') continue;
            if (i + 1 == t->n) break; /* is it doubled? */
            if (t->bytes[i + 1] == '"') ++i;
            else quoted = 0;
        } else if (c == '\n') {
            *state = (scan){0, 0};
            return i + 1;
        } else if (c == '"' && (i == from || strchr(s->separators, t->bytes[i - 1]))) quoted = 1;
    }
    *state = (scan){i - from, quoted};
    return 0;
}

static size_t count_lines(const char *bytes, size_t n)
{
    size_t lines = 0;
    for (size_t i = 0; i < n; ++i) lines += bytes[i] == '\n';
    return lines;
}

static int is_blank_row(const char *bytes, size_t n)
{
    return n == 0 || (n == 1 && bytes[0] == '\n') || (n == 2 && bytes[0] == '\r' && bytes[1] == '\n');
}

/* ---- rows to lines */

/* Reads header + bytes as a table, NULL when it has no rows. */
static scarce_status read_piece(stream *s, scarce_table **out, const char *bytes, size_t n, scarce_error *err)
{
    s->piece.n = 0;
    text_add(&s->piece, s->header.bytes ? s->header.bytes : "", s->header.n);
    text_add(&s->piece, bytes, n);
    if (s->piece.failed) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu bytes", n);
    return scarce_table_read_bytes(out, s->piece.bytes, s->piece.n, s->name, &s->read, s->a.ctx, err);
}

/* "stdin:3: ..." says the line of the piece; the user wants that of the stream. */
static void tell_bad(const stream *s, const scarce_error *err, size_t header_lines)
{
    const size_t n = strlen(s->name);
    const char *rest = err->text;
    size_t line = s->line;

    if (strncmp(rest, s->name, n) == 0 && rest[n] == ':') {
        char *end;
        const unsigned long at = strtoul(rest + n + 1, &end, 10);
        if (*end == ':' && at > header_lines) line += at - header_lines - 1, rest = end + 1;
    }
    while (*rest == ' ') ++rest;
    talk_clear();
    say("%s:%zu: %s; the row is left out", s->name, line, rest);
}

static int is_of_data(scarce_status st)
{
    return st == SCARCE_EPARSE || st == SCARCE_EDATA;
}

/* Rows one by one, since one of them is bad. */
static scarce_status take_singly(stream *s, const char *bytes, size_t n, scarce_error *err)
{
    const size_t header_lines = count_lines(s->header.bytes ? s->header.bytes : "", s->header.n);
    const text all = {(char *)(uintptr_t)bytes, n, n, 0};

    for (size_t at = 0, end; at < n; at = end) {
        scarce_table *t = NULL;
        scarce_status st;
        scan state = {0, 0};
        end = row_end(s, &all, at, &state);
        if (end == 0) end = n;
        if (s->one_column || !is_blank_row(bytes + at, end - at)) {
            st = read_piece(s, &t, bytes + at, end - at, err);
            if (st == SCARCE_OK && t) st = answer_table(&s->a, t, err);
            scarce_table_free(t);
            if (is_of_data(st)) {
                s->a.row += 1;
                if (++s->bad <= TOLD) tell_bad(s, err, header_lines);
            } else if (st != SCARCE_OK) return st;
        }
        s->line += count_lines(bytes + at, end - at);
    }
    return SCARCE_OK;
}

/* Whole rows. */
static scarce_status take_rows(stream *s, const char *bytes, size_t n, scarce_error *err)
{
    scarce_table *t = NULL;
    scarce_status st = read_piece(s, &t, bytes, n, err);

    talk_clear();
    if (is_of_data(st)) st = take_singly(s, bytes, n, err);
    else {
        if (st == SCARCE_OK && t) st = answer_table(&s->a, t, err);
        s->line += count_lines(bytes, n);
    }
    scarce_table_free(t);
    if (st == SCARCE_OK && !s->a.w.out && fflush(stdout) != 0)
        st = fail_with(err, SCARCE_EIO, "standard output: %s", strerror(errno));
    return st;
}

/* ---- bytes to rows */

/* The header, once it is there; the features must be in it. */
static scarce_status take_header(stream *s, int at_end, int *ready, scarce_error *err)
{
    scarce_table *t = NULL;
    size_t end = 0;
    scarce_status st;

    *ready = 0;
    if (!s->a.o->data.no_header) {
        while ((end = row_end(s, &s->in, s->blank, &s->in_row)) > 0 &&
               is_blank_row(s->in.bytes + s->blank, end - s->blank))
            s->blank = end;
        if (end == 0 && !at_end) return SCARCE_OK;
        if (end == 0) end = s->in.n;
        s->in_row = (scan){0, 0};
        text_add(&s->header, s->in.bytes ? s->in.bytes : "", end);
        if (s->header.n && s->header.bytes[s->header.n - 1] != '\n') text_add(&s->header, "\n", 1);
        if (end < s->in.n) memmove(s->in.bytes, s->in.bytes + end, s->in.n - end);
        s->in.n -= end;
        s->line += count_lines(s->header.bytes, s->header.n);
        st = read_piece(s, &t, "", 0, err);
        scarce_table_free(t);
        if (st != SCARCE_OK) return st;
    }
    s->separators[0] = '\0';
    for (const char *c = ",;\t|"; *c; ++c)
        if (s->header.n == 0 || memchr(s->header.bytes, *c, s->header.n)) {
            const size_t n = strlen(s->separators);
            s->separators[n] = *c;
            s->separators[n + 1] = '\0';
        }
    s->one_column = s->header.n > 0 && !s->separators[0];
    *ready = 1;
    st = write_header(&s->a.w, err);
    if (st == SCARCE_OK && !s->a.w.out) (void)fflush(stdout);
    return st;
}

/* Packed bytes and UTF-16 have no lines to look for: they are read to the end first. */
static int is_packed(const text *in)
{
    const unsigned char *b = (const unsigned char *)in->bytes;
    return in->n >= 4 && ((b[0] == 0x1f && b[1] == 0x8b) || memcmp(b, "\x28\xb5\x2f\xfd", 4) == 0 ||
                          (b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff));
}

static scarce_status take_packed(stream *s, scarce_error *err)
{
    scarce_table *t = NULL;
    scarce_status st = read_piece(s, &t, s->in.bytes, s->in.n, err);

    if (st == SCARCE_OK) st = write_header(&s->a.w, err);
    if (st == SCARCE_OK && t) st = answer_table(&s->a, t, err);
    scarce_table_free(t);
    return st;
}

static scarce_status fill(stream *s, int *at_end, scarce_error *err)
{
    char bytes[PIECE];
    ssize_t got;

    do got = read(STDIN_FILENO, bytes, sizeof bytes);
    while (got < 0 && errno == EINTR && !interrupted());
    if (got < 0 && !interrupted())
        return fail_with(err, SCARCE_EIO, "standard input can't be read: %s", strerror(errno));
    *at_end = got <= 0;
    if (got > 0) text_add(&s->in, bytes, (size_t)got);
    if (3.0 * (double)s->in.n > memory_limit())
        return fail_with(err, SCARCE_ENOMEM, "out of memory for a row: the limit of --memory is reached");
    return s->in.failed ? fail_with(err, SCARCE_ENOMEM, "out of memory for a row") : SCARCE_OK;
}

static scarce_status take_input(stream *s, scarce_error *err)
{
    int at_end = 0, ready = 0, packed = 0;
    scarce_status st = SCARCE_OK;

    while (st == SCARCE_OK && !at_end && !interrupted()) {
        size_t end = 0, next;
        st = fill(s, &at_end, err);
        packed |= st == SCARCE_OK && !ready && is_packed(&s->in);
        if (st != SCARCE_OK || (packed && !at_end)) continue;
        if (packed) return take_packed(s, err);
        if (!ready) st = take_header(s, at_end, &ready, err);
        if (st == SCARCE_OK && !ready && s->in.n > LONGEST_ROW)
            st = fail_with(err, SCARCE_EPARSE, "%s:1: the line is longer than %d bytes", s->name,
                           (int)LONGEST_ROW);
        if (st != SCARCE_OK || !ready) continue;
        while ((next = row_end(s, &s->in, end, &s->in_row)) > 0) end = next;
        if (at_end && end < s->in.n) text_add(&s->in, "\n", 1), end = s->in.n;
        if (end == 0 && s->in.n > LONGEST_ROW)
            st = fail_with(err, SCARCE_EPARSE, "%s:%zu: the line is longer than %d bytes", s->name, s->line,
                           (int)LONGEST_ROW);
        if (end == 0) continue;
        st = take_rows(s, s->in.bytes, end, err);
        if (end < s->in.n) memmove(s->in.bytes, s->in.bytes + end, s->in.n - end);
        s->in.n -= end;
    }
    return st;
}

/* ---- beginning and end */

/* A row shows little of how dates and numbers are written, and two rows must not be read in two ways: what the
 * options leave open is as it was in training. */
static void read_as_trained(stream *s)
{
    const scarce_writing w = scarce_schema_writing(scarce_model_schema(s->a.model));

    if (!s->read.decimal) s->read.decimal = w.decimal;
    if (s->read.date_order == SCARCE_DATE_AUTO) s->read.date_order = w.date_order;
    if (s->read.time_format == SCARCE_TIME_AUTO) s->read.time_format = w.time_format;
}

static scarce_status prepare(stream *s, const char *model_path, size_t n_reasons, const budget_rule *rule,
                             scarce_error *err)
{
    scarce_status st = scarce_model_load(&s->a.model, model_path, err);

    if (st == SCARCE_OK) st = check_definitions(s->a.model, s->a.o->data.define, err);
    if (st == SCARCE_OK) st = answerer_init(&s->a, n_reasons, rule, err);
    if (st == SCARCE_OK) st = set_read_options(&s->read, &s->a.o->data, scarce_model_schema(s->a.model), err);
    if (st == SCARCE_OK && s->read.format == SCARCE_FORMAT_AUTO) s->read.format = SCARCE_FORMAT_CSV;
    if (st == SCARCE_OK) read_as_trained(s);
    if (st == SCARCE_OK && s->a.o->output) st = scarce_output_open(&s->a.w.out, s->a.o->output, err);
    return st;
}

static void forget(stream *s)
{
    answerer_deinit(&s->a);
    free(s->in.bytes), free(s->header.bytes), free(s->piece.bytes);
}

int score_stream(const score_options *o, const char *model_path, const char *name, size_t n_reasons,
                 const budget_rule *budget, scarce_context *ctx)
{
    scarce_error err = SCARCE_ERROR_INIT;
    stream s;
    scarce_status st;
    int code = EXIT_DONE;

    memset(&s, 0, sizeof s);
    s.a.o = o;
    s.name = name;
    s.a.ctx = ctx;
    s.line = 1;
    s.read = (scarce_read_options)SCARCE_READ_OPTIONS_INIT;
    strcpy(s.separators, ",;\t|");
    st = prepare(&s, model_path, n_reasons, budget, &err);
    if (st == SCARCE_OK) say_no_probability(s.a.model);
    if (st == SCARCE_OK) st = take_input(&s, &err);
    talk_clear();
    if (st == SCARCE_OK && s.a.w.out) st = scarce_output_commit(s.a.w.out, &err);
    else scarce_output_abort(s.a.w.out);
    if (st != SCARCE_OK) code = complain_status(&err);
    else if (interrupted()) code = complain(EXIT_INTERRUPTED, "interrupted after %zu rows", s.a.row);
    tell_late(&s.a);
    if (code == EXIT_DONE && s.bad)
        code = complain(EXIT_DATA, "%zu of %zu rows could not be read and were left out", s.bad, s.a.row);
    forget(&s);
    return code;
}
