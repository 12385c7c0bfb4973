/* SPDX-License-Identifier: Apache-2.0 */
/* Applying an encoder: names of the features it makes, tables and rows. */
#include "encode/encode.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/pool.h"
#include "core/text.h"
#include "data/text_order.h"
#include "encode/encode_inside.h"

void scarce__encoder_free(scarce__encoder *e)
{
    if (!e) return;
    for (size_t i = 0; i < e->n_counts; ++i) scarce__counts_deinit(&e->counts[i]);
    for (size_t i = 0; e->order && i < e->n_alone; ++i) scarce__free(e->order[i]);
    scarce__free(e->order);
    scarce__free(e->counts);
    scarce__free(e->kept);
    scarce__free(e->categories);
    scarce__schema_deinit(&e->schema);
    scarce__free(e);
}

const scarce_schema *scarce__encoder_schema(const scarce__encoder *e)
{
    return &e->schema;
}

size_t scarce__encoder_from(const scarce__encoder *e)
{
    return e->n_from;
}

size_t scarce__encoder_numbers(const scarce__encoder *e)
{
    return e->schema.n_features - e->n_kept;
}

/* ---- What the numbers are: rate and count of each of counts[], then the orders */

static size_t ordered_column(const scarce__encoder *e, size_t k)
{
    size_t i = 0;
    for (;; ++i)
        if (e->order[i] && k-- == 0) return i;
}

size_t scarce__encoder_source(const scarce__encoder *e, size_t f, size_t *second)
{
    *second = SIZE_MAX;
    if (f < e->n_kept) return e->kept[f];
    f -= e->n_kept;
    if (f >= 2 * e->n_counts) return e->counts[ordered_column(e, f - 2 * e->n_counts)].a;
    const scarce__counts *c = &e->counts[f / 2];
    if (c->b != SCARCE__ALONE) *second = c->b;
    return c->a;
}

size_t scarce__encoder_pair(const scarce__encoder *e, size_t f)
{
    if (f < e->n_kept + 2 * e->n_alone || f >= e->n_kept + 2 * e->n_counts) return SIZE_MAX;
    return (f - e->n_kept) / 2 - e->n_alone;
}

/* "share of positives of A x B"; a name that a column of the table has already gets a dash. */
static char *make_name(const scarce__encoder *e, size_t number, const scarce_schema *from, size_t taken)
{
    scarce__text text = SCARCE__TEXT_INIT;
    size_t second;
    const size_t first = scarce__encoder_source(e, e->n_kept + number, &second);
    char *name;

    scarce__text_add(&text, number >= 2 * e->n_counts ? "order of "
                            : number % 2              ? "rows like "
                                                      : "positives among rows like ");
    scarce__text_add(&text, from->features[first].name);
    if (second != SIZE_MAX) scarce__text_addf(&text, " x %s", from->features[second].name);
    for (size_t i = 0; i < taken && !text.failed; ++i)
        if (strcmp(e->schema.features[i].name, text.bytes) == 0) {
            scarce__text_add(&text, "'");
            i = (size_t)-1;
        }
    name = text.failed ? NULL : scarce__strdup(text.bytes);
    scarce__text_deinit(&text);
    return name;
}

static scarce_status copy_feature(scarce__feature *out, const scarce__feature *from, scarce_error *err)
{
    out->kind = from->kind;
    out->name = scarce__strdup(from->name);
    if (!out->name) return scarce__fail_memory(err, "names", 0);
    return scarce__dictionary_copy(&out->categories, &from->categories, err);
}

static scarce_status name_all(scarce__encoder *e, const scarce_schema *schema, size_t numbers,
                              scarce_error *err)
{
    e->schema.features = scarce__calloc(e->n_kept + numbers, sizeof *e->schema.features);
    if (!e->schema.features) return scarce__fail_memory(err, "names", 0);
    e->schema.n_features = e->n_kept + numbers;
    for (size_t i = 0; i < e->n_kept; ++i)
        SCARCE__TRY(copy_feature(&e->schema.features[i], &schema->features[e->kept[i]], err));
    for (size_t i = 0; i < numbers; ++i) {
        scarce__feature *f = &e->schema.features[e->n_kept + i];
        f->kind = SCARCE_COLUMN_NUMERIC;
        f->name = make_name(e, i, schema, e->n_kept + i);
        if (!f->name) return scarce__fail_memory(err, "names", 0);
    }
    return SCARCE_OK;
}

scarce_status scarce__encoder_finish(scarce__encoder *e, const scarce_schema *schema, scarce_error *err)
{
    size_t numbers = 2 * e->n_counts, next = 0;

    e->order = scarce__calloc(e->n_alone, sizeof *e->order);
    e->kept = scarce__malloc_array(e->n_from, sizeof *e->kept);
    if (!e->order || !e->kept) return scarce__fail_memory(err, "categories as numbers", 0);
    for (size_t f = 0; f < e->n_from; ++f) {
        if (next < e->n_alone && e->counts[next].a == f) ++next;
        else e->kept[e->n_kept++] = f;
    }
    for (size_t i = 0; i < e->n_alone; ++i) {
        SCARCE__TRY(scarce__text_order(&e->order[i], &schema->features[e->counts[i].a].categories, err));
        numbers += e->order[i] != NULL;
    }
    return name_all(e, schema, numbers, err);
}

/* ---- Tables */

float **scarce__encoder_room(const scarce__encoder *e, size_t n)
{
    const size_t numbers = scarce__encoder_numbers(e);
    float **room = scarce__calloc(numbers, sizeof *room);
    int good = room != NULL;

    for (size_t i = 0; good && i < numbers; ++i)
        good = (room[i] = scarce__malloc_array(n, sizeof(float))) != NULL;
    if (good) return room;
    scarce__encoder_drop(room, numbers);
    return NULL;
}

void scarce__encoder_drop(float **numbers, size_t n)
{
    for (size_t i = 0; numbers && i < n; ++i) scarce__free(numbers[i]);
    scarce__free(numbers);
}

scarce_status scarce__encoder_widen(scarce_table **out, const scarce__encoder *e, const scarce_table *table,
                                    float **numbers, scarce_error *err)
{
    const size_t n = e->schema.n_features;
    scarce_table *view = NULL;
    const scarce_status st = scarce__view_new(&view, table, 0, table->n_rows, err);
    scarce__column *columns = scarce__calloc(n, sizeof *columns);
    uint8_t *shared = scarce__calloc(n, 1);
    scarce__feature *features = scarce__malloc_array(n, sizeof *features);

    *out = NULL;
    if (st != SCARCE_OK || !columns || !shared || !features) {
        scarce_table_free(view);
        scarce__free(columns);
        scarce__free(shared);
        scarce__free(features);
        scarce__encoder_drop(numbers, n - e->n_kept);
        return st != SCARCE_OK ? st : scarce__fail_memory(err, "categories as numbers", 0);
    }
    memcpy(features, e->schema.features, n * sizeof *features);
    for (size_t i = 0; i < e->n_kept; ++i) {
        columns[i] = view->columns[e->kept[i]];
        shared[i] = view->shared[e->kept[i]];
        features[i] = view->schema.features[e->kept[i]];
    }
    for (size_t i = e->n_kept; i < n; ++i) columns[i].number = numbers[i - e->n_kept];
    scarce__free(numbers);
    scarce__free(view->columns);
    scarce__free(view->shared);
    scarce__free(view->schema.features);
    view->columns = columns;
    view->shared = shared;
    view->schema.features = features;
    view->schema.n_features = n;
    *out = view;
    return SCARCE_OK;
}

static void put_counts(const scarce__encoder *e, const scarce__counts *c, int64_t code_a, int64_t code_b,
                       float *rate, float *count)
{
    const size_t cell = scarce__counts_find(c, scarce__counts_key(e, c, code_a, code_b));
    const float rows = cell == SIZE_MAX ? 0 : c->rows[cell],
                positives = cell == SIZE_MAX ? 0 : c->positives[cell];
    *rate = (float)scarce__encoded_rate((double)positives, (double)rows, e->share);
    *count = rows;
}

static float order_of(const scarce__encoder *e, size_t i, int64_t code)
{
    return code < 0 || code >= (int64_t)e->categories[e->counts[i].a] ? NAN : e->order[i][code];
}

typedef struct encoding {
    const scarce__encoder *e;
    const scarce_table *table;
    float **numbers;
} encoding;

static void encode_task(void *arg, size_t task, int worker)
{
    const encoding *k = arg;
    const scarce__encoder *e = k->e;
    (void)worker;
    if (task < e->n_counts) {
        const scarce__counts *c = &e->counts[task];
        const int32_t *a = k->table->columns[c->a].code,
                      *b = c->b == SCARCE__ALONE ? a : k->table->columns[c->b].code;
        for (size_t r = 0; r < k->table->n_rows; ++r)
            put_counts(e, c, a[r], b[r], &k->numbers[2 * task][r], &k->numbers[2 * task + 1][r]);
        return;
    }
    const size_t i = ordered_column(e, task - e->n_counts);
    const int32_t *code = k->table->columns[e->counts[i].a].code;
    for (size_t r = 0; r < k->table->n_rows; ++r) k->numbers[e->n_counts + task][r] = order_of(e, i, code[r]);
}

scarce_status scarce__encoder_table(scarce_table **out, const scarce__encoder *e, const scarce_table *table,
                                    scarce_context *ctx, scarce_error *err)
{
    float **numbers = scarce__encoder_room(e, table->n_rows);
    encoding k = {e, table, numbers};

    *out = NULL;
    if (!numbers) return scarce__fail_memory(err, "categories as numbers", table->n_rows * 4);
    scarce__pool_run(scarce__context_pool(ctx), scarce__encoder_numbers(e) - e->n_counts, encode_task, &k);
    return scarce__encoder_widen(out, e, table, numbers, err);
}

/* ---- Rows */

static int64_t code_of(float x)
{
    return isnan(x) ? -1 : x < 0 ? -1 : x < 0x1p24f ? (int64_t)x : (int64_t)1 << 24;
}

void scarce__encoder_row(const scarce__encoder *e, const float *row, float *encoded)
{
    float *to = encoded + e->n_kept;

    for (size_t i = 0; i < e->n_kept; ++i) encoded[i] = row[e->kept[i]];
    for (size_t i = 0; i < e->n_counts; ++i, to += 2) {
        const scarce__counts *c = &e->counts[i];
        put_counts(e, c, code_of(row[c->a]), c->b == SCARCE__ALONE ? 0 : code_of(row[c->b]), &to[0], &to[1]);
    }
    for (size_t i = 0; i < e->n_alone; ++i)
        if (e->order[i]) *to++ = order_of(e, i, code_of(row[e->counts[i].a]));
}
