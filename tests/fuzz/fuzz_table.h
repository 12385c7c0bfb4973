/* SPDX-License-Identifier: Apache-2.0 */
/* What the targets of the table readers share: the first five bytes choose the options, the rest is the
 * file. It is read in several ways that must not matter (pieces of other sizes, 1 or 3 threads, without the
 * processor's special instructions, in one or two sources, again with its own schema), and every way has to
 * give the same table or the same error; a table must keep the promises of data/table.h. */
#ifndef SCARCE_FUZZ_TABLE_H
#define SCARCE_FUZZ_TABLE_H

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "data/keep.h"
#include "data/read.h"
#include "fuzz.h"

/* Made once: starting threads for every input would take longer than reading it. */
static inline scarce_context *fuzz_context(int threads)
{
    static scarce_context *contexts[4];
    if (!contexts[threads]) {
        scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
        o.threads = threads;
        MUST(scarce_context_new(&contexts[threads], &o, NULL) == SCARCE_OK);
    }
    return contexts[threads];
}

/* Bit 1 of a target's flags: LIBSVM instead of CSV; bit 2: roles for the columns t, g, w, m, where they are there. */
static inline void fuzz_format_and_roles(scarce_read_options *o, uint8_t flags)
{
    o->format = flags & 1 ? SCARCE_FORMAT_LIBSVM : SCARCE_FORMAT_CSV;
    if (!(flags & 2)) return;
    o->time = "t", o->group = "g", o->weight = "w", o->amount = "m";
    o->optional_roles = SCARCE_ROLE_TIME | SCARCE_ROLE_GROUP | SCARCE_ROLE_WEIGHT | SCARCE_ROLE_AMOUNT;
}

/* ---- promises */

static inline void fuzz_check_sparse(const scarce__sparse *s, size_t n_rows)
{
    for (size_t i = 0; i < s->count; ++i) {
        MUST(s->row[i] < n_rows && (i == 0 || s->row[i - 1] < s->row[i]));
        MUST(isnan(s->value[i]) || s->value[i] != 0);
    }
}

static inline void fuzz_check_column(const scarce_table *t, size_t f, int with_schema)
{
    const scarce__feature *feature = &t->schema.features[f];
    MUST(feature->name != NULL);
    switch (feature->kind) {
    case SCARCE_COLUMN_NUMERIC: MUST(feature->categories.count == 0); break;
    case SCARCE_COLUMN_CATEGORY:
        for (size_t r = 0; r < t->n_rows; ++r) {
            const int32_t code = t->columns[f].code[r];
            MUST(code >= -1 && code < (int32_t)feature->categories.count + (with_schema != 0));
        }
        break;
    case SCARCE_COLUMN_SPARSE:
        MUST(feature->categories.count == 0);
        fuzz_check_sparse(&t->columns[f].sparse, t->n_rows);
        break;
    }
}

static inline void fuzz_check_table(const scarce_table *t, int with_schema)
{
    size_t positives = 0;
    MUST(t->n_rows > 0 && t->n_rows < UINT32_MAX);
    for (size_t f = 0; f < t->schema.n_features; ++f) {
        const scarce__dictionary *d = &t->schema.features[f].categories;
        fuzz_check_column(t, f, with_schema);
        for (size_t c = 0; c < d->count; ++c) {
            const char *text = scarce__dictionary_text(d, c);
            MUST(scarce__dictionary_find(d, text, strlen(text)) == c);
        }
    }
    for (size_t r = 0; r < t->n_rows; ++r) {
        if (t->label) {
            MUST(t->label[r] <= 1);
            positives += t->label[r];
        }
        if (t->group) MUST(t->group[r] >= 0 && (size_t)t->group[r] < t->groups.count);
        if (t->weight) MUST(t->weight[r] >= 0 && isfinite(t->weight[r]));
    }
    MUST(positives == t->n_positives);
    MUST(!t->label || (t->schema.label && t->schema.positive));
    MUST(scarce_table_bytes(t) > 0);
}

/* ---- equality, bit for bit */

static inline int fuzz_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static inline int fuzz_same_array(const void *a, const void *b, size_t n, size_t size)
{
    return a && b ? memcmp(a, b, n * size) == 0 : a == b;
}

static inline int fuzz_same_dictionary(const scarce__dictionary *a, const scarce__dictionary *b)
{
    if (a->count != b->count) return 0;
    for (size_t i = 0; i < a->count; ++i)
        if (strcmp(scarce__dictionary_text(a, i), scarce__dictionary_text(b, i)) != 0) return 0;
    return 1;
}

static inline int fuzz_same_column(const scarce_table *a, const scarce_table *b, size_t f)
{
    const scarce__feature *x = &a->schema.features[f], *y = &b->schema.features[f];
    const scarce__column *c = &a->columns[f], *d = &b->columns[f];
    if (x->kind != y->kind || strcmp(x->name, y->name) != 0) return 0;
    if (!fuzz_same_dictionary(&x->categories, &y->categories)) return 0;
    if (x->kind == SCARCE_COLUMN_NUMERIC)
        return fuzz_same_array(c->number, d->number, a->n_rows, sizeof(float));
    if (x->kind == SCARCE_COLUMN_CATEGORY)
        return fuzz_same_array(c->code, d->code, a->n_rows, sizeof(int32_t));
    if (c->sparse.count != d->sparse.count) return 0;
    return c->sparse.count == 0 ||
           (memcmp(c->sparse.row, d->sparse.row, c->sparse.count * sizeof(uint32_t)) == 0 &&
            memcmp(c->sparse.value, d->sparse.value, c->sparse.count * sizeof(float)) == 0);
}

static inline void fuzz_same_features(const scarce_table *a, const scarce_table *b)
{
    MUST(a->n_rows == b->n_rows && a->schema.n_features == b->schema.n_features);
    for (size_t f = 0; f < a->schema.n_features; ++f) MUST(fuzz_same_column(a, b, f));
}

static inline void fuzz_same_table(const scarce_table *a, const scarce_table *b)
{
    const scarce_schema *x = &a->schema, *y = &b->schema;
    const size_t n = a->n_rows;
    fuzz_same_features(a, b);
    MUST(fuzz_same_text(x->label, y->label) && fuzz_same_text(x->positive, y->positive));
    MUST(fuzz_same_text(x->negative, y->negative) && fuzz_same_text(x->weight_name, y->weight_name));
    MUST(fuzz_same_text(x->time_name, y->time_name) && fuzz_same_text(x->group_name, y->group_name));
    MUST(fuzz_same_text(x->amount_name, y->amount_name));
    MUST(a->n_positives == b->n_positives && fuzz_same_array(a->label, b->label, n, 1));
    MUST(fuzz_same_array(a->weight, b->weight, n, sizeof(double)));
    MUST(fuzz_same_array(a->time, b->time, n, sizeof(double)));
    MUST(fuzz_same_array(a->amount, b->amount, n, sizeof(double)));
    MUST(fuzz_same_array(a->group, b->group, n, sizeof(int32_t)));
    MUST(fuzz_same_dictionary(&a->groups, &b->groups));
    for (int i = 0; i < SCARCE__MAX_EXACT; ++i)
        MUST(fuzz_same_array(a->exact[i], b->exact[i], n, sizeof(double)));
    for (size_t r = 0; a->kept && r < n; ++r)
        for (size_t i = 0; i < a->kept->per_row; ++i)
            MUST(fuzz_same_text(scarce_table_kept(a, i, r, NULL), scarce_table_kept(b, i, r, NULL)) &&
                 scarce_table_kept(a, i, r, NULL));
}

/* ---- reading */

typedef struct fuzz_file {
    const uint8_t *bytes;
    size_t n;
    int copies; /* the file is given 1 or 2 times */
} fuzz_file;

static inline scarce_status fuzz_read(scarce_table **out, const fuzz_file *file, const scarce_read_options *o,
                                      const scarce__read_tuning *tuning, int threads, scarce_error *err)
{
    scarce__source *sources[2] = {NULL, NULL};
    scarce_status st = SCARCE_OK;
    err->code = SCARCE_OK;
    err->text[0] = '\0';
    for (int i = 0; i < file->copies && st == SCARCE_OK; ++i)
        st = scarce__source_memory(&sources[i], file->bytes, file->n, "file", err);
    MUST(st == SCARCE_OK || st == SCARCE_EUNSUPPORTED); /* packed, in a build that can't unpack */
    if (st == SCARCE_OK)
        st = scarce__read_sources(out, sources, (size_t)file->copies, o, tuning, fuzz_context(threads), err);
    for (int i = 0; i < file->copies; ++i) scarce__source_close(sources[i]);
    MUST((st == SCARCE_OK) == (*out != NULL));
    MUST(st == SCARCE_OK || (err->code == st && err->text[0] && !strchr(err->text, '\n')));
    MUST(st != SCARCE_EBUG && st != SCARCE_ENUMERIC);
    if (*out) fuzz_check_table(*out, o->schema != NULL);
    return st;
}

/* The rows backwards and back again. */
static inline void fuzz_turn(const scarce_table *t)
{
    uint32_t *rows = malloc(t->n_rows * sizeof *rows);
    scarce_table *back = NULL, *again = NULL;
    MUST(rows != NULL);
    for (size_t r = 0; r < t->n_rows; ++r) rows[r] = (uint32_t)(t->n_rows - 1 - r);
    MUST(scarce_table_rows_of(&back, t, rows, t->n_rows, NULL, NULL) == SCARCE_OK);
    fuzz_check_table(back, 1);
    MUST(scarce_table_rows_of(&again, back, rows, t->n_rows, NULL, NULL) == SCARCE_OK);
    fuzz_same_features(t, again);
    scarce_table_free(back);
    scarce_table_free(again);
    free(rows);
}

/* Another way to read: as good or as bad, and the same table. */
static inline void fuzz_read_again(const scarce_table *table, const fuzz_file *file,
                                   const scarce_read_options *o, const scarce__read_tuning *tuning,
                                   int threads)
{
    scarce_table *other = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    MUST((fuzz_read(&other, file, o, tuning, threads, &err) == SCARCE_OK) == (table != NULL));
    if (table) fuzz_same_table(table, other);
    scarce_table_free(other);
}

/* Which of several errors is told may depend on the sizes of the pieces (a zero byte is found before the
 * piece is parsed), never on the threads. */
static inline void fuzz_read_all_ways(const uint8_t *bytes, size_t n, const scarce_read_options *options,
                                      const scarce__read_tuning *tuning, int with_schema, int twice,
                                      int threads)
{
    static const scarce__read_tuning large = {4096, 8192, 4096, 0,
                                              0}; /* not the usual: megabytes take their time */
    scarce_read_options o = *options;
    fuzz_file file = {bytes, n, 1};
    scarce__read_tuning portable = *tuning;
    scarce_table *table = NULL, *other = NULL;
    scarce_error err = SCARCE_ERROR_INIT, err2 = SCARCE_ERROR_INIT;
    const scarce_status st = fuzz_read(&table, &file, &o, tuning, 1, &err);

    if (threads > 1) {
        MUST(fuzz_read(&other, &file, &o, tuning, threads, &err2) == st && strcmp(err.text, err2.text) == 0);
        if (table) fuzz_same_table(table, other);
        scarce_table_free(other);
    }
    fuzz_read_again(table, &file, &o, &large, 1);
    portable.portable = 1;
    portable.block = 50;
    fuzz_read_again(table, &file, &o, &portable, 1);
    if (!table) return;
    fuzz_turn(table);
    if (twice) {
        file.copies = 2;
        if (fuzz_read(&other, &file, &o, tuning, threads, &err2) == SCARCE_OK)
            MUST(other->n_rows == 2 * table->n_rows);
        scarce_table_free(other);
        file.copies = 1;
    }
    if (with_schema) {
        o.schema = &table->schema;
        MUST(fuzz_read(&other, &file, &o, tuning, threads, &err2) == SCARCE_OK);
        fuzz_same_features(table, other);
        scarce_table_free(other);
    }
    scarce_table_free(table);
}

/* Options from five bytes. The names are those of the seeds. */
static inline void fuzz_table(const uint8_t *data, size_t size, scarce_format one, scarce_format two)
{
    static const char *const labels[] = {NULL, "y", "3", "a"}, *const positives[] = {NULL, "1", "b", ""};
    static const char *const missing[] = {"-1", "none", "0.5", " "}, *const listed[] = {"a", "2", "t"};
    static const char *const exact[] = {"s", "1", "a", "nowhere"}, *const kept[] = {"2", "1"};
    static const size_t pieces[] = {2048, 1, 2, 3, 7, 16, 33, 64, 100, 256, 1000, 4096, 5, 48, 63, 65};
    const uint8_t flags = fuzz_take(&data, &size), names = fuzz_take(&data, &size),
                  roles = fuzz_take(&data, &size);
    const uint8_t sizes = fuzz_take(&data, &size), lists = fuzz_take(&data, &size);
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce__read_tuning tuning = {0, 0, 0, 0, 0};

    o.format = flags & 2 ? two : one;
    o.no_header = flags & 1;
    o.label_optional = (flags & 8) != 0;
    if (flags & 16) o.missing = (scarce_names){missing, 1 + (lists & 3)};
    o.label = labels[names & 3];
    o.positive = positives[(names >> 2) & 3];
    if (roles & 1) o.time = "t";
    if (roles & 2) o.group = roles & 64 ? "1" : "g";
    if (roles & 4) o.weight = "w";
    if (roles & 8) o.amount = roles & 128 ? "a" : "m";
    if (roles & 16)
        o.optional_roles = SCARCE_ROLE_TIME | SCARCE_ROLE_GROUP | SCARCE_ROLE_WEIGHT | SCARCE_ROLE_AMOUNT;
    if (roles & 32) o.exact = (scarce_names){exact, 4};
    if ((lists & 12) == 4) o.categorical = (scarce_names){listed, 1 + ((lists >> 4) & 1)};
    if ((lists & 12) == 8) o.numeric = (scarce_names){listed, 1 + ((lists >> 4) & 1)};
    if ((lists & 12) == 12) o.ignore = (scarce_names){listed, 1 + ((lists >> 4) & 1)};
    if ((lists & 32) && o.format != SCARCE_FORMAT_LIBSVM) {
        o.keep = (scarce_names){kept, 2};
        o.keep_lines = (lists & 64) != 0;
    }
    tuning.first = pieces[sizes & 15];
    tuning.block = pieces[sizes >> 4];
    tuning.superblock = pieces[(names >> 4) & 15];
    /* Threads that wait for each other take most of the time and blur the coverage: not for every input. */
    const int threads = (flags & 128) && size % 8 == 0 ? 3 : 1;
    fuzz_read_all_ways(data, size, &o, &tuning, (flags & 4) != 0, (flags & 32) != 0, threads);
    if (flags & 64) { /* a line may be too long; then it's an error and nothing else */
        fuzz_file file = {data, size, 1};
        scarce_table *table = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        tuning.max_line = pieces[lists >> 4];
        (void)fuzz_read(&table, &file, &o, &tuning, 1, &err);
        scarce_table_free(table);
    }
}

#endif
