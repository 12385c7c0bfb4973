/* SPDX-License-Identifier: Apache-2.0 */
/* A caller's columns into a table: numbers, sparse columns, categories, groups and labels.
 *
 * What lies as a table wants it is pointed at. Other numbers get memory of their own, which is filled at the
 * end by blocks of rows: of a matrix in C order a block of all columns fits the cache, where one column at a
 * time would go through the whole matrix for each. */
#include "data/take.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/number_names.h"
#include "data/values.h"

enum { BLOCK_ROWS = 2048 };

/* ---- numbers */

static void copy_block(void *arg, size_t index, int worker)
{
    const scarce__building *b = arg;
    const size_t begin = index * BLOCK_ROWS;
    const size_t n = b->n_rows - begin < BLOCK_ROWS ? b->n_rows - begin : BLOCK_ROWS;

    (void)worker;
    for (size_t k = 0; k < b->n_copies; ++k) {
        const scarce__copying *c = &b->copies[k];
        if (c->floats) scarce__values_floats(c->floats + begin, c->from, begin, n);
        else scarce__values_doubles(c->doubles + begin, c->from, begin, n);
    }
}

static scarce_status take_numbers(scarce__building *b, const scarce_column *c, size_t f, scarce_error *err)
{
    float **number = &b->table->columns[f].number;

    if (b->borrow && scarce__values_usable(c, SCARCE_TYPE_F32)) {
        *number = (float *)(uintptr_t)c->items; /* a table only reads what isn't its own */
        b->table->shared[f] = SCARCE__SHARED_CELLS;
        b->borrowed = 1;
        return SCARCE_OK;
    }
    *number = scarce__big_alloc(b->n_rows, sizeof **number);
    if (!*number) return scarce__fail_memory(err, "a column", b->n_rows * sizeof **number);
    b->copies[b->n_copies++] = (scarce__copying){c, *number, NULL};
    return SCARCE_OK;
}

static scarce_status take_doubles(scarce__building *b, double **to, int part, const scarce_column *c,
                                  scarce_error *err)
{
    if (b->borrow && scarce__values_usable(c, SCARCE_TYPE_F64)) {
        *to = (double *)(uintptr_t)c->items;
        b->table->shared_parts |= part;
        b->borrowed = 1;
        return SCARCE_OK;
    }
    *to = scarce__big_alloc(b->n_rows, sizeof **to);
    if (!*to) return scarce__fail_memory(err, "a column", b->n_rows * sizeof **to);
    b->copies[b->n_copies++] = (scarce__copying){c, NULL, *to};
    return SCARCE_OK;
}

/* ---- sparse columns */

static scarce_status check_sparse(const scarce__building *b, const scarce_column *c, scarce_error *err)
{
    for (size_t i = 0; i < c->sparse_count; ++i) {
        if (c->sparse_row[i] >= b->n_rows)
            return scarce__fail(err, SCARCE_EDATA, "column \"%.80s\", entry %zu: row %zu of %zu", c->name,
                                i + 1, (size_t)c->sparse_row[i] + 1, b->n_rows);
        if (i && c->sparse_row[i] <= c->sparse_row[i - 1])
            return scarce__fail(err, SCARCE_EDATA,
                                "column \"%.80s\", entry %zu: row %zu comes after row %zu; rows must ascend",
                                c->name, i + 1, (size_t)c->sparse_row[i] + 1,
                                (size_t)c->sparse_row[i - 1] + 1);
    }
    return SCARCE_OK;
}

static int has_zero(const float *x, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (x[i] == 0) return 1;
    return 0;
}

/* Zeros are what isn't listed, so entries of 0 are left out. */
static scarce_status take_sparse(scarce__building *b, const scarce_column *c, size_t f, scarce_error *err)
{
    const size_t n = c->sparse_count;
    scarce__sparse *s = &b->table->columns[f].sparse;
    const float *borrowed = c->items;

    b->table->schema.features[f].kind = SCARCE_COLUMN_SPARSE;
    SCARCE__TRY(check_sparse(b, c, err));
    if (b->borrow && n && scarce__values_usable(c, SCARCE_TYPE_F32) && !has_zero(borrowed, n)) {
        s->row = (uint32_t *)(uintptr_t)c->sparse_row;
        s->value = (float *)(uintptr_t)c->items;
        s->count = n;
        b->table->shared[f] = SCARCE__SHARED_CELLS | SCARCE__SHARED_ROWS;
        b->borrowed = 1;
        return SCARCE_OK;
    }
    s->row = scarce__malloc_array(n, sizeof *s->row);
    s->value = scarce__malloc_array(n, sizeof *s->value);
    if (!s->row || !s->value) return scarce__fail_memory(err, "a sparse column", n * 8);
    if (n) scarce__values_floats(s->value, c, 0, n);
    for (size_t i = 0; i < n; ++i) {
        if (s->value[i] == 0) continue;
        s->row[s->count] = c->sparse_row[i];
        s->value[s->count++] = s->value[i];
    }
    return SCARCE_OK;
}

/* ---- categories */

/* map[k] is the schema's code of text k. A number is also found where the schema wrote it in another way. */
static scarce_status map_texts(int32_t *map, const scarce__dictionary *texts,
                               const scarce__dictionary *categories, int numbers, scarce_error *err)
{
    scarce__number_names names;
    scarce_status st = SCARCE_OK;

    memset(&names, 0, sizeof names);
    if (numbers) st = scarce__number_names_init(&names, categories, err);
    for (size_t k = 0; k < texts->count && st == SCARCE_OK; ++k) {
        const char *text = scarce__dictionary_text(texts, k);
        map[k] = (int32_t)scarce__number_names_code(&names, categories, text, strlen(text));
    }
    scarce__number_names_deinit(&names);
    return st;
}

/* Codes by first appearance to those of the schema; its categories are in the feature already. */
static scarce_status match_categories(const scarce__building *b, const scarce_column *c, size_t f,
                                      const scarce__dictionary *texts, int32_t **codes, int *borrowed,
                                      scarce_error *err)
{
    int32_t *map = scarce__malloc_array(texts->count, sizeof *map), *to = *codes;
    scarce_status st;
    int same = 1;

    if (!map) return scarce__fail_memory(err, "the categories", 0);
    st = map_texts(map, texts, &b->table->schema.features[f].categories, !scarce__is_text(c), err);
    for (size_t k = 0; k < texts->count && st == SCARCE_OK; ++k) same &= map[k] == (int32_t)k;
    if (st == SCARCE_OK && !same) {
        if (*borrowed) to = scarce__big_alloc(b->n_rows, sizeof *to);
        if (!to) st = scarce__fail_memory(err, "a column", b->n_rows * sizeof *to);
        for (size_t i = 0; to && i < b->n_rows; ++i) to[i] = (*codes)[i] < 0 ? -1 : map[(*codes)[i]];
        if (to) {
            *codes = to;
            *borrowed = 0;
        }
    }
    scarce__free(map);
    return st;
}

static scarce_status take_category(scarce__building *b, const scarce_column *c, const scarce__plan_column *p,
                                   scarce_error *err)
{
    const size_t f = p->feature;
    scarce__dictionary texts;
    int32_t *codes = NULL;
    int borrowed = 0;
    scarce_status st;

    memset(&texts, 0, sizeof texts);
    st = scarce__values_codes(&texts, &codes, &borrowed, c, b->n_rows, b->borrow, err);
    if (st == SCARCE_OK && p->schema) st = match_categories(b, c, f, &texts, &codes, &borrowed, err);
    if (st == SCARCE_OK) {
        b->table->columns[f].code = codes;
        b->table->shared[f] = borrowed ? SCARCE__SHARED_CELLS : 0;
        b->borrowed |= borrowed;
        if (!p->schema) {
            b->table->schema.features[f].categories = texts;
            memset(&texts, 0, sizeof texts);
        }
    } else if (!borrowed) scarce__free(codes);
    scarce__dictionary_deinit(&texts);
    return st;
}

static scarce_status take_group(scarce__building *b, const scarce_column *c, scarce_error *err)
{
    scarce_table *t = b->table;
    int borrowed;

    SCARCE__TRY(scarce__values_codes(&t->groups, &t->group, &borrowed, c, b->n_rows, b->borrow, err));
    if (borrowed) t->shared_parts |= SCARCE__SHARED_GROUP;
    b->borrowed |= borrowed;
    for (size_t i = 0; i < b->n_rows; ++i)
        if (t->group[i] < 0)
            return scarce__fail(err, SCARCE_EDATA, "column \"%.80s\", row %zu: the group is missing", c->name,
                                i + 1);
    return SCARCE_OK;
}

static scarce_status take_label(scarce__building *b, const scarce_column *c, scarce_error *err)
{
    scarce__labels labels;
    scarce_status st;
    int borrowed = 0;

    memset(&labels, 0, sizeof labels);
    st = scarce__values_codes(&labels.texts, &labels.codes, &borrowed, c, b->n_rows, 0, err);
    if (st == SCARCE_OK) {
        labels.first = scarce__calloc(labels.texts.count, sizeof *labels.first);
        if (!labels.first) st = scarce__fail_memory(err, "the label", 0);
    }
    for (size_t i = 0; i < b->n_rows && st == SCARCE_OK; ++i) {
        const int32_t code = labels.codes[i];
        const scarce__place here = {0, i + 1};
        if (code < 0 && labels.n_missing++ == 0) labels.first_missing = here;
        if (code >= 0 && labels.first[code].line == 0) labels.first[code] = here;
    }
    if (st == SCARCE_OK) st = scarce__finish_label(b->table, &labels, c->name, NULL, &b->o, err);
    scarce__labels_deinit(&labels);
    return st;
}

/* ---- any of them */

scarce_status scarce__take_column(scarce__building *b, size_t i, scarce_error *err)
{
    const scarce_column *c = &b->columns[i];
    const scarce__plan_column *p = &b->plan.columns[i];
    scarce_table *t = b->table;

    switch (p->use) {
    case SCARCE__USE_NUMBER:
        return c->kind == SCARCE_COLUMN_SPARSE ? take_sparse(b, c, p->feature, err)
                                               : take_numbers(b, c, p->feature, err);
    case SCARCE__USE_CATEGORY: return take_category(b, c, p, err);
    case SCARCE__USE_LABEL: return take_label(b, c, err);
    case SCARCE__USE_GROUP: return take_group(b, c, err);
    case SCARCE__USE_WEIGHT: return take_doubles(b, &t->weight, SCARCE__SHARED_WEIGHT, c, err);
    case SCARCE__USE_TIME: return take_doubles(b, &t->time, SCARCE__SHARED_TIME, c, err);
    case SCARCE__USE_COST: return take_doubles(b, &t->cost, SCARCE__SHARED_COST, c, err);
    case SCARCE__USE_AMOUNT:
        SCARCE__TRY(take_doubles(b, &t->amount, SCARCE__SHARED_AMOUNT, c, err));
        return p->feature == SIZE_MAX ? SCARCE_OK : take_numbers(b, c, p->feature, err);
    default: return SCARCE_OK;
    }
}

void scarce__take_copies(scarce__building *b, const scarce_context *ctx)
{
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(b->n_rows, BLOCK_ROWS), copy_block, b);
}
