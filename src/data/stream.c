/* SPDX-License-Identifier: Apache-2.0 */
/* Files as a stream of tables, each of a few megabytes of whole rows.
 *
 *     bytes -> whole rows (a newline inside quotes ends none) -> header + rows as one small file -> table
 *
 * The first block is read as a file of its own and settles columns and kinds; later ones are read with its schema as parts
 * of more (scarce_read_options.part). Rows that can't be read are found by halving the block. */
#include <stdio.h>
#include <string.h>

#include <scarce/learn.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/options.h"
#include "core/text.h"
#include "data/read.h"
#include "data/reading.h"
#include "data/source.h"

enum { FIRST_BYTES = 1 << 18, BLOCK_BYTES = 1 << 21, LONGEST_ROW = 1 << 26, MOST_RANGES = 64 };

typedef struct range {
    size_t begin, end, line; /* of whole rows in `in`; the line of the first */
} range;

struct scarce_stream {
    char **paths;
    size_t n_paths, at; /* the file being read */
    scarce_read_options o;
    scarce_context *ctx;
    scarce__source *source; /* NULL: between files */
    int at_end;             /* of this file */
    scarce_schema schema;   /* of the first block */
    int settled, is_open;
    scarce__text in, header, piece;
    size_t taken;              /* bytes of `in` that were handed over */
    size_t line;               /* of the first byte of `in` after `taken`, from 1 */
    range ranges[MOST_RANGES]; /* still to be read, the first on top */
    size_t n_ranges;
    size_t left_out;
    char why[384];
    scarce__dictionary known; /* names of columns that have come, or needn't be told */
    int told;                 /* those of this file have */
    size_t unknown;
    char newest[96]; /* the latest of these */
};

/* ---- opening */

static scarce_format format_of(const scarce_stream *s)
{
    size_t n;
    if (s->o.format != SCARCE_FORMAT_AUTO) return s->o.format;
    n = strlen(s->paths[0]);
    if (scarce__ends_with(s->paths[0], n, ".gz")) n -= 3;
    else if (scarce__ends_with(s->paths[0], n, ".zst")) n -= 4;
    if (scarce__ends_with(s->paths[0], n, ".tsv")) return SCARCE_FORMAT_TSV;
    if (scarce__ends_with(s->paths[0], n, ".svm") || scarce__ends_with(s->paths[0], n, ".libsvm"))
        return SCARCE_FORMAT_LIBSVM;
    if (scarce__ends_with(s->paths[0], n, ".arff")) return SCARCE_FORMAT_ARFF;
    if (scarce__ends_with(s->paths[0], n, ".dat")) return SCARCE_FORMAT_KEEL;
    return SCARCE_FORMAT_CSV;
}

void scarce_stream_close(scarce_stream *s)
{
    if (!s) return;
    for (size_t i = 0; s->paths && i < s->n_paths; ++i) scarce__free(s->paths[i]);
    scarce__free(s->paths);
    scarce__source_close(s->source);
    scarce__schema_deinit(&s->schema);
    scarce__text_deinit(&s->in);
    scarce__text_deinit(&s->header);
    scarce__text_deinit(&s->piece);
    scarce__dictionary_deinit(&s->known);
    scarce__free(s);
}

/* What a schema knows of how numbers and times are written holds for every block. */
static void write_as(scarce_read_options *o, const scarce_writing *w)
{
    if (!o->decimal) o->decimal = w->decimal;
    if (o->date_order == SCARCE_DATE_AUTO) o->date_order = w->date_order;
    if (o->time_format == SCARCE_TIME_AUTO) o->time_format = w->time_format;
}

scarce_status scarce_stream_open(scarce_stream **out, const char *const *paths, size_t n_paths,
                                 const scarce_read_options *options, scarce_context *ctx, scarce_error *err)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_stream *s;
    int ok;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_READ_OPTIONS_INIT, err));
    if (n_paths == 0) return scarce__fail(err, SCARCE_EINVAL, "no file to read");
    s = scarce__calloc(1, sizeof *s);
    if (!s) return scarce__fail_memory(err, "a stream", 0);
    s->o = o;
    s->ctx = ctx;
    s->paths = scarce__calloc(n_paths, sizeof *s->paths);
    ok = s->paths != NULL;
    for (; ok && s->n_paths < n_paths; ++s->n_paths)
        ok = (s->paths[s->n_paths] = scarce__strdup(paths[s->n_paths])) != NULL;
    for (size_t i = 0; ok && i < o.ignore.count; ++i)
        ok = scarce__dictionary_add(&s->known, o.ignore.items[i], strlen(o.ignore.items[i])) != SIZE_MAX;
    if (!ok) {
        scarce_stream_close(s);
        return scarce__fail_memory(err, "a stream", 0);
    }
    s->o.format = format_of(s);
    if (!s->o.part) s->o.part = 1;
    s->o.may_be_empty = 1;
    s->settled = o.schema != NULL;
    if (o.schema) write_as(&s->o, &o.schema->writing);
    if (s->o.format == SCARCE_FORMAT_ARFF || s->o.format == SCARCE_FORMAT_KEEL) {
        scarce_stream_close(s);
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "ARFF and KEEL files are read as a whole, not as streams (write them as CSV)");
    }
    *out = s;
    return SCARCE_OK;
}

const scarce_schema *scarce_stream_schema(const scarce_stream *s)
{
    return s->o.schema ? s->o.schema : NULL;
}

size_t scarce_stream_left_out(const scarce_stream *s, const char **why)
{
    if (why) *why = s->left_out ? s->why : NULL;
    return s->left_out;
}

size_t scarce_stream_unknown(const scarce_stream *s, const char **latest)
{
    if (latest) *latest = s->unknown ? s->newest : NULL;
    return s->unknown;
}

/* ---- whole rows */

static int has_header(const scarce_stream *s)
{
    return s->o.format != SCARCE_FORMAT_LIBSVM && !s->o.no_header;
}

/* One past the last newline of text[from..n) that is outside quotes; `from` when there is none. The first one where
 * `first` is set. */
static size_t rows_end(const scarce_stream *s, const char *text, size_t from, size_t n, int first)
{
    size_t end = from;
    int quoted = 0;

    if (s->o.format == SCARCE_FORMAT_LIBSVM || !memchr(text + from, '"', n - from)) {
        const char *p = first ? memchr(text + from, '\n', n - from) : memrchr(text + from, '\n', n - from);
        return p ? (size_t)(p - text) + 1 : from;
    }
    for (size_t i = from; i < n; ++i) {
        if (text[i] == '"' && quoted) quoted = 0; /* a doubled one opens again */
        else if (text[i] == '"') quoted = i == from || strchr(",;\t|\n\"", text[i - 1]) != NULL;
        else if (text[i] == '\n' && !quoted) {
            end = i + 1;
            if (first) return end;
        }
    }
    return end;
}

static size_t count_lines(const char *text, size_t n)
{
    size_t lines = 0;
    for (const char *p = text, *end = text + n; p < end && (p = memchr(p, '\n', (size_t)(end - p))); ++p)
        ++lines;
    return lines;
}

static int reserve(scarce__text *t, size_t more)
{
    char *bytes;
    if (t->n + more <= t->capacity) return 1;
    bytes = scarce__realloc_array(t->bytes, t->n + more, 1);
    if (!bytes) return 0;
    t->bytes = bytes;
    t->capacity = t->n + more;
    return 1;
}

/* Reads more behind what is there. */
static scarce_status fill(scarce_stream *s, size_t want, scarce_error *err)
{
    size_t got = 0;

    if (s->taken) {
        memmove(s->in.bytes, s->in.bytes + s->taken, s->in.n - s->taken);
        s->in.n -= s->taken;
        s->taken = 0;
    }
    if (!reserve(&s->in, want + 2)) return scarce__fail_memory(err, "the text of a stream", want);
    SCARCE__TRY(scarce__source_read(s->source, s->in.bytes + s->in.n, want, &got, err));
    s->in.n += got;
    s->at_end = got == 0 || (scarce__source_is_packed(s->source) && got < want);
    if (s->at_end && s->in.n && s->in.bytes[s->in.n - 1] != '\n') s->in.bytes[s->in.n++] = '\n';
    return SCARCE_OK;
}

static scarce_status open_next(scarce_stream *s, scarce_error *err)
{
    SCARCE__TRY(scarce__source_open(&s->source, s->paths[s->at], s->ctx, err));
    scarce__source_once(s->source);
    s->in.n = s->taken = 0;
    s->line = 1;
    s->at_end = 0;
    s->header.n = 0;
    s->is_open = 0;
    s->told = 0;
    return SCARCE_OK;
}

/* Reads until the header and enough rows are there, or the file ends. */
static scarce_status gather(scarce_stream *s, scarce_error *err)
{
    const size_t want = s->settled ? BLOCK_BYTES : FIRST_BYTES;

    for (;;) {
        const size_t have = s->in.n - s->taken;
        const size_t end = have ? rows_end(s, s->in.bytes, s->taken, s->in.n, 0) : s->taken;
        if (s->at_end || (end > s->taken && (have >= want || (s->settled && s->is_open)))) return SCARCE_OK;
        if (have > LONGEST_ROW)
            return scarce__fail(err, SCARCE_EPARSE, "%s:%zu: the line is longer than %d bytes",
                                s->paths[s->at], s->line, (int)LONGEST_ROW);
        SCARCE__TRY(fill(s, want, err));
    }
}

static scarce_status take_header(scarce_stream *s, scarce_error *err)
{
    const unsigned char *b = (const unsigned char *)s->in.bytes;
    size_t end = s->taken;

    s->is_open = 1;
    if (s->in.n >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "%s: UTF-16 is not read as a stream (write it as UTF-8)", s->paths[s->at]);
    if (!has_header(s)) return SCARCE_OK;
    do end = rows_end(s, s->in.bytes, end, s->in.n, 1);
    while (end < s->in.n && end - s->taken <= 2 &&
           (s->in.bytes[s->taken] == '\n' || s->in.bytes[s->taken] == '\r'));
    scarce__text_add_bytes(&s->header, s->in.bytes + s->taken, end - s->taken);
    if (s->header.failed) return scarce__fail_memory(err, "the header of a stream", end);
    s->line += count_lines(s->in.bytes + s->taken, end - s->taken);
    s->taken = end;
    return SCARCE_OK;
}

/* ---- rows to tables */

static scarce_status read_range(scarce_stream *s, const range *r, scarce_table **out, scarce_error *err)
{
    scarce__source *source = NULL;
    scarce_status st;

    s->piece.n = 0;
    scarce__text_add_bytes(&s->piece, s->header.bytes ? s->header.bytes : "", s->header.n);
    scarce__text_add_bytes(&s->piece, s->in.bytes + r->begin, r->end - r->begin);
    if (s->piece.failed) return scarce__fail_memory(err, "a block of rows", r->end - r->begin);
    SCARCE__TRY(scarce__source_memory(&source, s->piece.bytes, s->piece.n, s->paths[s->at], err));
    st = scarce__read_sources(out, &source, 1, &s->o, NULL, s->ctx, err);
    scarce__source_close(source);
    return st;
}

/* The middle of a range, between rows; its end when it is one row. */
static size_t middle(const scarce_stream *s, const range *r)
{
    const size_t half = r->begin + (r->end - r->begin) / 2;
    size_t at = rows_end(s, s->in.bytes, r->begin, half, 0);
    if (at <= r->begin) at = rows_end(s, s->in.bytes, r->begin, r->end, 1);
    return at > r->begin ? at : r->end; /* a quote that never closes: no row ends in it */
}

static int is_of_data(scarce_status st)
{
    return st == SCARCE_EPARSE || st == SCARCE_EDATA;
}

/* What a message says behind the place where it was read, "pay.csv:2: ": that counts lines of the piece, not of the file. */
static const char *behind_place(const char *text, const char *path)
{
    const size_t n = strlen(path);
    const char *at = text + n + 1;

    if (strncmp(text, path, n) != 0 || text[n] != ':' || *at < '0' || *at > '9') return text;
    while (*at >= '0' && *at <= '9') ++at;
    return strncmp(at, ": ", 2) == 0 ? at + 2 : text;
}

/* Halves a range that can't be read, or leaves out its one row. */
static void halve(scarce_stream *s, const range *r, const scarce_error *err)
{
    const size_t at = middle(s, r);

    if (at >= r->end || s->n_ranges + 2 > MOST_RANGES) {
        s->left_out += 1;
        (void)snprintf(s->why, sizeof s->why, "%.100s:%zu: %.200s", s->paths[s->at], r->line,
                       behind_place(err->text, s->paths[s->at]));
        return;
    }
    s->ranges[s->n_ranges++] =
        (range){at, r->end, r->line + count_lines(s->in.bytes + r->begin, at - r->begin)};
    s->ranges[s->n_ranges++] = (range){r->begin, at, r->line};
}

/* Columns that nobody asked for: of the first file, which settles what there is, none are new. */
static scarce_status note_columns(scarce_stream *s, const scarce_table *block, int first, scarce_error *err)
{
    const scarce__reading *r = block->reading;

    if (s->told || !r || !has_header(s)) return SCARCE_OK;
    s->told = 1;
    for (size_t c = 0; c < r->n_columns; ++c) {
        const size_t n = strlen(r->columns[c]);
        if (!first && (!r->unused[c] || scarce__dictionary_find(&s->known, r->columns[c], n) != SIZE_MAX))
            continue;
        if (scarce__dictionary_add(&s->known, r->columns[c], n) == SIZE_MAX)
            return scarce__fail_memory(err, "the names of columns", n);
        if (first) continue;
        s->unknown += 1;
        (void)snprintf(s->newest, sizeof s->newest, "%.80s", r->columns[c]);
    }
    return SCARCE_OK;
}

static scarce_status settle(scarce_stream *s, const scarce_table *first, scarce_error *err)
{
    const scarce_reading *reading = scarce_table_reading(first);

    SCARCE__TRY(scarce__schema_copy(&s->schema, &first->schema, err));
    s->o.schema = &s->schema;
    s->settled = 1;
    if (reading && !s->o.separator && s->o.format == SCARCE_FORMAT_CSV) s->o.separator = reading->separator;
    write_as(&s->o, &first->schema.writing);
    return SCARCE_OK;
}

static scarce_status next_range(scarce_stream *s, scarce_table **block, scarce_error *err)
{
    const range r = s->ranges[--s->n_ranges];
    scarce_error here = SCARCE_ERROR_INIT;
    scarce_status st = read_range(s, &r, block, &here);

    if (st == SCARCE_OK && *block) {
        st = note_columns(s, *block, !s->settled, err);
        return st == SCARCE_OK && !s->settled ? settle(s, *block, err) : st;
    }
    if (st == SCARCE_OK) return SCARCE_OK;
    if (s->settled && is_of_data(st)) {
        halve(s, &r, &here);
        return SCARCE_OK;
    }
    return scarce__fail(err, st, "%s", here.text);
}

/* Where the next block ends. The first one ends within the first bytes of its file, however much of it is here: what it
 * settles must not depend on how a pipe was filled. */
static size_t block_end(const scarce_stream *s)
{
    if (!s->settled && s->in.n > FIRST_BYTES) {
        const size_t end =
            s->taken < FIRST_BYTES ? rows_end(s, s->in.bytes, s->taken, FIRST_BYTES, 0) : s->taken;
        if (end > s->taken) return end;
    }
    return s->at_end ? s->in.n : rows_end(s, s->in.bytes, s->taken, s->in.n, 0);
}

scarce_status scarce_stream_next(scarce_stream *s, scarce_table **block, scarce_error *err)
{
    scarce_status st = SCARCE_OK;

    *block = NULL;
    while (st == SCARCE_OK && !*block) {
        if (s->n_ranges) {
            st = next_range(s, block, err);
            continue;
        }
        if (s->source && s->at_end && s->taken >= s->in.n) {
            scarce__source_close(s->source);
            s->source = NULL;
            s->at += 1;
        }
        if (!s->source && s->at >= s->n_paths) return SCARCE_OK;
        if (!s->source) st = open_next(s, err);
        if (st == SCARCE_OK) st = gather(s, err);
        if (st == SCARCE_OK && !s->is_open) st = take_header(s, err);
        if (st != SCARCE_OK || s->taken >= s->in.n) continue;
        const size_t stop = block_end(s);
        if (stop <= s->taken) continue;
        s->ranges[s->n_ranges++] = (range){s->taken, stop, s->line};
        s->line += count_lines(s->in.bytes + s->taken, stop - s->taken);
        s->taken = stop;
    }
    if (st != SCARCE_OK) {
        scarce_table_free(*block);
        *block = NULL;
    }
    return st;
}
