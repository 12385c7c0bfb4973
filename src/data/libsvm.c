/* SPDX-License-Identifier: Apache-2.0 */
/* LIBSVM / SVMlight text: `label [qid:N] index:value index:value ...  # comment`, indices ascending from 1.
 *
 * The text comes in pieces of whole lines (superblocks), which are cut into blocks by size and parsed in
 * parallel. Colons and newlines are counted first, so a block's arrays are allocated once, at their final
 * size. Labels and query numbers need one dictionary each and are therefore looked up block after block.
 * What stays is the table by rows, 8 bytes per entry; at the end it is turned into columns:
 *
 *     block:  count[] 2 0 1   index[] 1 7 3   value[] .5 1 1      -->  column f: row[], value[]
 *
 * Blocks are taken in order of the text, so the rows of every column come out ascending, whatever the
 * number of threads. Entries that are 0 are dropped, because that is what isn't listed means; "nan" is a
 * missing value and kept.
 *
 * The features are 1, 2, ... up to the largest index, empty ones too, unless there are far more of those than
 * entries (libsvm_columns.c): then they are the indices that occur. Memory thus goes by the size of the file, not
 * by the numbers in it: 21 bytes with the index 16777216 are one feature, "16777216". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/number.h"
#include "core/utf8.h"
#include "data/csv.h"
#include "data/libsvm.h"

#define SUPERBLOCK ((size_t)8 << 20)
#define BLOCK ((size_t)256 << 10)
#define LONGEST_LINE ((size_t)1 << 30)
#define LARGEST_INDEX (1u << 24)

/* Where a row's label and query stand in the text; length 0: none. */
typedef struct row_text {
    const char *label, *query;
    uint32_t label_length, query_length;
    uint32_t line; /* within the block, from 0 */
} row_text;

typedef struct scarce__libsvm_block {
    const char *begin, *end;
    size_t n_lines;
    scarce__libsvm_piece kept;
    row_text *rows;
    uint32_t largest; /* index */
    scarce_status status;
    scarce_error err; /* without file and line */
    size_t error_line;
} block;

void scarce__libsvm_piece_free(scarce__libsvm_piece *p)
{
    scarce__free(p->count);
    scarce__free(p->index);
    scarce__free(p->value);
    memset(p, 0, sizeof *p);
}

static void deinit_reader(scarce__libsvm *r)
{
    for (size_t i = 0; i < r->n_pieces; ++i) scarce__libsvm_piece_free(&r->pieces[i]);
    for (size_t i = 0; i < r->blocks_capacity; ++i) {
        scarce__libsvm_piece_free(&r->blocks[i].kept);
        scarce__free(r->blocks[i].rows);
    }
    scarce__free(r->pieces);
    scarce__free(r->blocks);
    scarce__free(r->buffer);
    scarce__labels_deinit(&r->labels);
    scarce__free(r->query);
    scarce__dictionary_deinit(&r->queries);
    scarce__free(r->feature_of);
    scarce__free(r->known);
}

/* ---- one line */

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *token_end(const char *p, const char *end)
{
    while (p < end && !is_blank(*p)) ++p;
    return p;
}

static int shown(const char *begin, const char *end)
{
    return end - begin < 60 ? (int)(end - begin) : 60;
}

/* "index:value" from p to end, the index above `last`. */
static scarce_status parse_entry(const char *p, const char *end, uint32_t last, uint32_t *index, float *value,
                                 scarce_error *err)
{
    const char *at = p;
    uint32_t i = 0;

    while (at < end && *at >= '0' && *at <= '9' && i <= LARGEST_INDEX) i = i * 10 + (uint32_t)(*at++ - '0');
    if (at == p || at == end || (*at != ':' && i <= LARGEST_INDEX))
        return scarce__fail(err, SCARCE_EPARSE, "\"%.*s\" is not of the form index:value", shown(p, end), p);
    if (i > LARGEST_INDEX)
        return scarce__fail(err, SCARCE_EPARSE, "index of \"%.*s\" is beyond %u", shown(p, end), p,
                            LARGEST_INDEX);
    if (i == 0)
        return scarce__fail(err, SCARCE_EPARSE, "index 0 in \"%.*s\"; indices count from 1", shown(p, end),
                            p);
    if (i <= last) return scarce__fail(err, SCARCE_EPARSE, "index %u after %u; indices must ascend", i, last);
    *index = i;
    ++at;
    if (end - at == 1 && *at >= '0' && *at <= '9') { /* most files hold ones */
        *value = (float)(*at - '0');
        return SCARCE_OK;
    }
    const int kind = scarce__parse_float(at, (size_t)(end - at), value);
    if (kind == 1) return SCARCE_OK;
    if (kind == 2)
        return scarce__fail(err, SCARCE_EPARSE, "the value of \"%.*s\" is too large", shown(p, end), p);
    if (end - at == 3 && strncasecmp(at, "nan", 3) == 0) {
        memcpy(value, &(const uint32_t){0x7fc00000u}, sizeof *value);
        return SCARCE_OK;
    }
    return scarce__fail(err, SCARCE_EPARSE, "the value of \"%.*s\" is not a number", shown(p, end), p);
}

static int is_query(const char *p, const char *end)
{
    return end - p > 4 && memcmp(p, "qid:", 4) == 0;
}

/* Labels and queries are kept as texts, which end at the first zero byte. Other encodings are known by the letters of a
 * whole file, and here are hardly any: such a text, written to CSV, would come back as another. */
static scarce_status check_text(const char *p, const char *end, scarce_error *err)
{
    if (memchr(p, 0, (size_t)(end - p)))
        return scarce__fail(err, SCARCE_EPARSE,
                            "a zero byte: this is not a text file (CSV, TSV, LIBSVM, ARFF, KEEL are read)");
    for (const char *at = p; at < end;) {
        const size_t length = scarce__utf8_length(at, (size_t)(end - at));
        if (length == 0)
            return scarce__fail(err, SCARCE_EPARSE, "\"%.*s\" is not UTF-8, as LIBSVM files have to be",
                                shown(p, end), p);
        at += length;
    }
    return SCARCE_OK;
}

/* Length of a label or query; 0 when its text is one that means missing in every other format too. */
static uint32_t text_length(const char *p, const char *stop)
{
    const size_t n = (size_t)(stop - p);
    return scarce__csv_usual_missing(p, n) ? 0 : (uint32_t)n;
}

/* One line, without comment, that isn't blank. */
static scarce_status parse_row(block *b, const char *p, const char *end, uint32_t line, scarce_error *err)
{
    scarce__libsvm_piece *k = &b->kept;
    row_text *row = &b->rows[k->n_rows];
    const size_t first = k->n_entries;
    uint32_t last = 0;
    const char *stop = token_end(p, end);

    memset(row, 0, sizeof *row);
    row->line = line;
    if (!memchr(p, ':', (size_t)(stop - p))) { /* else the row has no label */
        row->label = p;
        row->label_length = text_length(p, stop);
        SCARCE__TRY(check_text(p, stop, err));
        p = stop;
    }
    for (;; p = stop) {
        uint32_t index = 0;
        float value = 0;
        while (p < end && is_blank(*p)) ++p;
        if (p == end) break;
        stop = token_end(p, end);
        if (last == 0 && !row->query && is_query(p, stop)) {
            row->query = p + 4;
            row->query_length = text_length(p + 4, stop);
            SCARCE__TRY(check_text(p, stop, err));
            continue;
        }
        SCARCE__TRY(parse_entry(p, stop, last, &index, &value, err));
        last = index;
        if (value == 0) continue;
        k->index[k->n_entries] = index;
        k->value[k->n_entries++] = value;
    }
    if (last > b->largest) b->largest = last;
    k->count[k->n_rows++] = (uint32_t)(k->n_entries - first);
    return SCARCE_OK;
}

/* ---- one block */

static scarce_status allocate_block(block *b)
{
    size_t colons = 0, lines = 0;

    for (const char *p = b->begin; p < b->end; ++p) {
        colons += *p == ':';
        lines += *p == '\n';
    }
    if (b->end > b->begin && b->end[-1] != '\n') ++lines;
    b->n_lines = lines;
    b->rows = scarce__malloc_array(lines, sizeof *b->rows);
    b->kept.count = scarce__malloc_array(lines, sizeof *b->kept.count);
    b->kept.index = scarce__malloc_array(colons, sizeof *b->kept.index);
    b->kept.value = scarce__malloc_array(colons, sizeof *b->kept.value);
    if (!b->rows || !b->kept.count || !b->kept.index || !b->kept.value)
        return scarce__fail_memory(&b->err, "the rows of a file", 0);
    return SCARCE_OK;
}

static void parse_block(void *arg, size_t number, int worker)
{
    block *b = &((scarce__libsvm *)arg)->blocks[number];
    const char *p = b->begin;

    (void)worker;
    b->status = allocate_block(b);
    for (size_t line = 0; b->status == SCARCE_OK && p < b->end; ++line) {
        const char *next = memchr(p, '\n', (size_t)(b->end - p));
        const char *end = next ? next : b->end;
        const char *comment = memchr(p, '#', (size_t)(end - p));
        if (comment) end = comment;
        while (p < end && is_blank(*p)) ++p;
        if (p < end) b->status = parse_row(b, p, end, (uint32_t)line, &b->err);
        b->error_line = line;
        p = next ? next + 1 : b->end;
    }
}

/* ---- blocks to reader, in order */

static int reserve_rows(scarce__libsvm *r, size_t more)
{
    size_t capacity = r->rows_capacity ? r->rows_capacity : 1024;
    int32_t *codes, *query;

    if (more <= r->rows_capacity - r->n_rows) return 1;
    while (capacity - r->n_rows < more) capacity *= 2;
    codes = scarce__realloc_array(r->labels.codes, capacity, sizeof *codes);
    if (!codes) return 0;
    r->labels.codes = codes;
    query = scarce__realloc_array(r->query, capacity, sizeof *query);
    if (!query) return 0;
    r->query = query;
    r->rows_capacity = capacity;
    return 1;
}

static scarce_status take_row(scarce__libsvm *r, const row_text *row, const row_text *before,
                              scarce_error *err)
{
    const scarce__place place = {r->file, r->line + row->line + 1};
    const size_t i = r->n_rows;

    if (i == 0) r->has_query = row->query_length > 0;
    if (r->has_query != (row->query_length > 0))
        return scarce__fail(err, SCARCE_EPARSE, "%s:%zu: this row has %s qid, unlike the rows before",
                            scarce__source_name(r->sources[place.file]), place.line,
                            r->has_query ? "no" : "a");
    if (row->label_length == 0) {
        r->labels.codes[i] = -1;
        if (r->labels.n_missing++ == 0) r->labels.first_missing = place;
    } else if (before && before->label_length == row->label_length &&
               memcmp(before->label, row->label, row->label_length) == 0) {
        r->labels.codes[i] = r->labels.codes[i - 1]; /* mostly the same as in the row before */
    } else {
        r->labels.codes[i] = scarce__labels_add(&r->labels, row->label, row->label_length, place);
        if (r->labels.codes[i] < 0) return scarce__fail_memory(err, "the labels", 0);
    }
    if (r->has_query) {
        const size_t code = scarce__dictionary_add(&r->queries, row->query, row->query_length);
        if (code == SIZE_MAX) return scarce__fail_memory(err, "the groups", 0);
        r->query[i] = (int32_t)code;
    }
    ++r->n_rows;
    return SCARCE_OK;
}

static int keep_piece(scarce__libsvm *r, scarce__libsvm_piece *p)
{
    if (r->n_pieces == r->pieces_capacity) {
        const size_t capacity = r->pieces_capacity ? 2 * r->pieces_capacity : 64;
        scarce__libsvm_piece *pieces = scarce__realloc_array(r->pieces, capacity, sizeof *pieces);
        if (!pieces) return 0;
        r->pieces = pieces;
        r->pieces_capacity = capacity;
    }
    r->pieces[r->n_pieces++] = *p; /* the reader owns the arrays from here on */
    memset(p, 0, sizeof *p);
    return 1;
}

static scarce_status take_block(scarce__libsvm *r, block *b, scarce_error *err)
{
    if (b->status) {
        if (b->status == SCARCE_EPARSE)
            return scarce__fail(err, b->status, "%s:%zu: %s", scarce__source_name(r->sources[r->file]),
                                r->line + b->error_line + 1, b->err.text);
        return scarce__fail(err, b->status, "%s", b->err.text);
    }
    if (r->n_rows + b->kept.n_rows >= UINT32_MAX)
        return scarce__fail(err, SCARCE_EDATA, "%s: more rows than a table holds (%u)",
                            scarce__source_name(r->sources[r->file]), UINT32_MAX - 1);
    if (!reserve_rows(r, b->kept.n_rows)) return scarce__fail_memory(err, "the labels", 0);
    for (size_t i = 0; i < b->kept.n_rows; ++i)
        SCARCE__TRY(take_row(r, &b->rows[i], i ? &b->rows[i - 1] : NULL, err));
    if (b->largest > r->largest) r->largest = b->largest;
    if (!keep_piece(r, &b->kept)) return scarce__fail_memory(err, "the rows of a file", 0);
    r->line += b->n_lines;
    return SCARCE_OK;
}

/* Whole lines. */
static scarce_status take_superblock(scarce__libsvm *r, const char *begin, const char *end, scarce_error *err)
{
    size_t n = 0;
    const size_t most = (size_t)(end - begin) / r->block + 1;

    if (most > r->blocks_capacity) {
        block *blocks = scarce__realloc_array(r->blocks, most, sizeof *blocks);
        if (!blocks) return scarce__fail_memory(err, "the blocks of a file", most * sizeof *blocks);
        memset(blocks + r->blocks_capacity, 0, (most - r->blocks_capacity) * sizeof *blocks);
        r->blocks = blocks;
        r->blocks_capacity = most;
    }
    for (const char *p = begin; p < end; ++n) {
        const char *stop = (size_t)(end - p) <= r->block ? end : p + r->block;
        const char *newline = stop < end ? memchr(stop, '\n', (size_t)(end - stop)) : NULL;
        scarce__libsvm_piece_free(&r->blocks[n].kept);
        scarce__free(r->blocks[n].rows);
        memset(&r->blocks[n], 0, sizeof r->blocks[n]);
        r->blocks[n].begin = p;
        p = r->blocks[n].end = newline ? newline + 1 : end;
    }
    scarce__pool_run(scarce__context_pool(r->ctx), n, parse_block, r);
    for (size_t i = 0; i < n; ++i) SCARCE__TRY(take_block(r, &r->blocks[i], err));
    r->bytes_done += (size_t)(end - begin);
    const scarce_progress progress = {"read", (double)r->bytes_done, 0, "bytes", "", NULL, 0};
    if (scarce__progress(r->ctx, &progress)) return scarce__fail(err, SCARCE_ECANCEL, "reading was stopped");
    return SCARCE_OK;
}

static scarce_status read_source(scarce__libsvm *r, scarce_error *err)
{
    size_t held = 0, got = 0;

    r->line = 0;
    for (;;) {
        char *last;
        SCARCE__TRY(
            scarce__source_read(r->sources[r->file], r->buffer + held, r->buffer_capacity - held, &got, err));
        held += got;
        if (held < r->buffer_capacity) break; /* the end */
        last = memrchr(r->buffer, '\n', held);
        if (last) {
            const size_t whole = (size_t)(last - r->buffer) + 1;
            SCARCE__TRY(take_superblock(r, r->buffer, r->buffer + whole, err));
            held -= whole;
            memmove(r->buffer, r->buffer + whole, held);
        } else {
            char *buffer = NULL;
            if (held >= r->longest_line)
                return scarce__fail(err, SCARCE_EPARSE, "%s:%zu: a line of more than %zu bytes",
                                    scarce__source_name(r->sources[r->file]), r->line + 1, r->longest_line);
            buffer = scarce__realloc_array(r->buffer, 2 * held, 1);
            if (!buffer) return scarce__fail_memory(err, "a line", 2 * held);
            r->buffer = buffer;
            r->buffer_capacity = 2 * held;
        }
    }
    return held ? take_superblock(r, r->buffer, r->buffer + held, err) : SCARCE_OK;
}

/* ---- all of it */

static scarce_status check_options(const scarce_read_options *o, scarce_error *err)
{
    const char *role = o->weight   ? "weight"
                       : o->time   ? "time"
                       : o->amount ? "amount"
                       : o->cost   ? "cost"
                                   : NULL;

    if (role)
        return scarce__fail(err, SCARCE_EINVAL, "a LIBSVM file has no columns with names, so none for the %s",
                            role);
    if (o->group && strcmp(o->group, "qid") != 0)
        return scarce__fail(err, SCARCE_EINVAL, "group \"%.80s\": in a LIBSVM file it can only be qid",
                            o->group);
    if (o->label && strcmp(o->label, "label") != 0)
        return scarce__fail(err, SCARCE_EINVAL,
                            "label \"%.80s\": in a LIBSVM file the label is what a line begins with",
                            o->label);
    if (o->ignore.count || o->categorical.count || o->numeric.count)
        return scarce__fail(err, SCARCE_EINVAL,
                            "columns of a LIBSVM file can't be ignored or given another type");
    return SCARCE_OK;
}

scarce_status scarce__read_libsvm(scarce_table *table, scarce__source *const *sources, size_t n_sources,
                                  const scarce_read_options *o, const scarce__read_tuning *tuning,
                                  scarce_context *ctx, scarce_error *err)
{
    scarce_status st = SCARCE_OK;
    scarce__libsvm r;

    SCARCE__TRY(check_options(o, err));
    memset(&r, 0, sizeof r);
    r.o = o;
    r.sources = sources;
    r.ctx = ctx;
    r.buffer_capacity = tuning && tuning->superblock ? tuning->superblock : SUPERBLOCK;
    r.block = tuning && tuning->block ? tuning->block : BLOCK;
    r.longest_line = tuning && tuning->max_line ? tuning->max_line : LONGEST_LINE;
    r.buffer = scarce__big_alloc(r.buffer_capacity, 1);
    if (!r.buffer) st = scarce__fail_memory(err, "a file's buffer", r.buffer_capacity);
    for (r.file = 0; st == SCARCE_OK && r.file < n_sources; ++r.file) st = read_source(&r, err);
    scarce__free(r.buffer);
    r.buffer = NULL;
    if (st == SCARCE_OK && r.n_rows == 0)
        st = scarce__fail(err, SCARCE_EDATA, "%s: no rows",
                          n_sources ? scarce__source_name(sources[0]) : "no file");
    table->n_rows = r.n_rows;
    if (st == SCARCE_OK) st = scarce__libsvm_columns(&r, table, err);
    deinit_reader(&r);
    return st;
}
