/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile sets of columns: any type, kind, role and stride, odd bitmaps, codes beyond the categories, rows
 * that don't ascend, equal and empty names. Sizes are told truthfully and every block is exactly as large as
 * they say, so that reading beyond one shows. What must hold: an error with a text, or a table that keeps its
 * invariants, and that comes out the same when it is made again with its own schema; and each time the
 * columns are released exactly once. */
#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "../unit/same_table.h"

enum { MOST_COLUMNS = 10, MOST_BLOCKS = 4 * MOST_COLUMNS };

typedef struct input {
    const uint8_t *data;
    size_t size;
    void *blocks[MOST_BLOCKS];
    size_t n_blocks;
    int released;
} input;

static const char *const texts[] = {"a", "b", NULL, "", "1", "1.0", "0", "-7", "\xff\xfe", "nan"};

static uint8_t take(input *in)
{
    return fuzz_take(&in->data, &in->size);
}

static void *block(input *in, size_t n)
{
    void *b = malloc(n ? n : 1);
    MUST(b != NULL && in->n_blocks < MOST_BLOCKS);
    return in->blocks[in->n_blocks++] = b;
}

static void release(void *payload)
{
    input *in = payload;
    MUST(in->released++ == 0);
}

static size_t size_of(int type)
{
    static const size_t sizes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8, sizeof(char *)};
    return type < 11 ? sizes[type] : 1;
}

/* n items at a distance, of bytes that the input gives; small numbers mostly, so that codes are often right.
 */
static void set_items(input *in, scarce_column *c, size_t n)
{
    const size_t size = size_of((int)c->type);
    const uint8_t how = take(in);
    const size_t gap = how % 4 == 1 ? 1 + how / 64 : 0, step = size + gap;
    uint8_t *b = block(in, n ? (n - 1) * step + size : 0);

    c->stride = gap || how % 4 == 2 ? (ptrdiff_t)step : 0;
    for (size_t i = 0; i < n; ++i) {
        const uint8_t v = take(in);
        const double d = v == 255   ? (double)NAN
                         : v == 254 ? (double)INFINITY
                                    : (double)(v % 32) - (v & 32 ? 1 : 0);
        const float f = (float)d;
        const char *text = texts[v % (sizeof texts / sizeof *texts)];
        uint8_t *at = b + i * step;
        memset(at, v > 250 ? 0xff : 0, i + 1 < n ? step : size);
        if (c->type == SCARCE_TYPE_F32) memcpy(at, &f, size);
        else if (c->type == SCARCE_TYPE_F64) memcpy(at, &d, size);
        else if (c->type == SCARCE_TYPE_TEXT) memcpy(at, &text, size);
        else if (v <= 250) at[0] = (uint8_t)(v % 16);
    }
    c->items = b;
    if (how % 4 == 3 && n) { /* from the end backwards */
        c->stride = -(ptrdiff_t)step;
        c->items = b + (n - 1) * step;
    }
}

/* The first column's struct_size is believed (it says how far apart they lie), the others are compared. */
static void set_column(input *in, scarce_column *c, size_t n_rows, int told)
{
    static const char *const names[] = {"x", "y", "z", "label", "k", "m", "amount", "w", "t", "g", "", NULL};
    static const int roles[] = {0, 0, 0, 0, 16, 16, 1, 2, 4, 8, 32, 40, 48, 3, -1, 64};
    const uint8_t name = take(in), flags = take(in);

    *c = (scarce_column)SCARCE_COLUMN_INIT;
    c->name = names[name % (name < 240 ? 10 : 12)];
    c->role = roles[take(in) % 16];
    c->kind = (scarce_column_kind)(flags % 8 < 4 ? 0 : flags % 8 == 7 ? 3 * (flags >> 7) : flags % 8 / 2 - 1);
    c->type = (scarce_type)(take(in) % 12);
    if (flags & 8) {
        c->categories = texts;
        c->n_categories = take(in) % (sizeof texts / sizeof *texts + 1);
    }
    if (flags & 16) {
        c->valid_offset = take(in) % 20;
        const size_t n = (c->valid_offset + n_rows + 7) / 8;
        uint8_t *bits = block(in, n);
        for (size_t i = 0; i < n; ++i) bits[i] = take(in);
        c->valid = bits;
    }
    if (c->kind == SCARCE_COLUMN_SPARSE) {
        c->sparse_count = take(in) % (n_rows + 1);
        uint32_t *rows = block(in, c->sparse_count * sizeof *rows), at = 0;
        for (size_t i = 0; i < c->sparse_count; ++i)
            rows[i] = at += i || (flags & 32) ? 1 + take(in) % 3u : 0;
        if ((flags & 192) == 192) rows = NULL;
        c->sparse_row = rows;
    }
    if ((flags & 224) != 224) set_items(in, c, c->kind == SCARCE_COLUMN_SPARSE ? c->sparse_count : n_rows);
    if (take(in) == 255 && told) c->struct_size = take(in);
}

static void check_invariants(const scarce_table *t)
{
    size_t positives = 0;

    for (size_t f = 0; f < t->schema.n_features; ++f) {
        const scarce__column *c = &t->columns[f];
        const size_t n_categories = t->schema.features[f].categories.count;
        MUST(t->schema.features[f].name[0] != '\0');
        if (t->schema.features[f].kind == SCARCE_COLUMN_CATEGORY)
            for (size_t i = 0; i < t->n_rows; ++i)
                MUST(c->code[i] >= -1 && (c->code[i] < 0 || (size_t)c->code[i] < n_categories));
        if (t->schema.features[f].kind == SCARCE_COLUMN_SPARSE)
            for (size_t i = 0; i < c->sparse.count; ++i) {
                MUST(c->sparse.row[i] < t->n_rows && c->sparse.value[i] != 0);
                MUST(i == 0 || c->sparse.row[i] > c->sparse.row[i - 1]);
            }
    }
    for (size_t i = 0; t->label && i < t->n_rows; ++i) positives += t->label[i];
    MUST(positives == t->n_positives && (!t->label || (positives > 0 && positives < t->n_rows)));
    for (size_t i = 0; i < t->n_rows; ++i) {
        MUST(!t->group || (t->group[i] >= 0 && (size_t)t->group[i] < t->groups.count));
        MUST(!t->weight || (t->weight[i] >= 0 && isfinite(t->weight[i])));
        MUST((!t->time || isfinite(t->time[i])) && (!t->amount || isfinite(t->amount[i])));
    }
}

/* Rows, views and the schema of a table lead to the same values again. */
static void check_uses(const scarce_table *t, const scarce_column *c, size_t n)
{
    scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;
    scarce_view_options vo = SCARCE_VIEW_OPTIONS_INIT;
    scarce_table *again = NULL, *view = NULL, *rows = NULL;
    uint32_t last[64];

    vo.first = t->n_rows / 2;
    for (size_t i = vo.first; i < t->n_rows; ++i) last[i - vo.first] = (uint32_t)i;
    MUST(scarce_table_view(&view, t, &vo, NULL) == SCARCE_OK);
    MUST(scarce_table_rows_of(&rows, t, last, t->n_rows - vo.first, NULL, NULL) == SCARCE_OK);
    MUST(same_table(view, rows));
    scarce_table_free(view);
    scarce_table_free(rows);
    o.schema = scarce_table_schema(t);
    o.positive = t->schema.positive;
    MUST(scarce_table_from_columns(&again, c, n, t->n_rows, &o, NULL, NULL) == SCARCE_OK);
    MUST(again->n_positives == t->n_positives);
    for (size_t f = 0; f < t->schema.n_features; ++f) MUST(same_column(t, again, f));
    scarce_table_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const positives[] = {NULL, NULL, "1", "a", "7"};
    input in = {.data = data, .size = size};
    const uint8_t flags = take(&in);
    const size_t n = take(&in) % (MOST_COLUMNS + 1), n_rows = take(&in) % 64;
    scarce_column columns[MOST_COLUMNS];
    scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;

    for (size_t i = 0; i < n; ++i) set_column(&in, &columns[i], n_rows, i > 0);
    o.positive = positives[(flags >> 1) % 5];
    if (flags & 1) {
        o.release = release;
        o.payload = &in;
    }
    const scarce_status st = scarce_table_from_columns(&t, columns, n, n_rows, &o, NULL, &err);
    MUST((st == SCARCE_OK) == (t != NULL));
    MUST(st == SCARCE_OK || st == SCARCE_EINVAL || st == SCARCE_EDATA);
    MUST(st == SCARCE_OK || err.text[0] != '\0');
    if (t) {
        check_invariants(t);
        check_uses(t, columns, n);
    }
    scarce_table_free(t);
    MUST(in.released == (flags & 1));
    for (size_t i = 0; i < in.n_blocks; ++i) free(in.blocks[i]);
    return 0;
}
