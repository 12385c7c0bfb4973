/* SPDX-License-Identifier: Apache-2.0 */
/* Frames, and sparse matrices as one.
 *
 * CSR becomes columns by counting: how many entries each column has, where it begins, then every entry to its
 * place; going through the rows in order leaves the rows of each column ascending. CSC is taken as two such
 * turns when its rows don't ascend, so any order of entries is fine. */
#include "data/frame.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"
#include "data/values.h"

scarce_status scarce__frame_begin(scarce_frame *f, size_t n_columns, const char *const *names,
                                  scarce_error *err)
{
    const scarce_column none = SCARCE_COLUMN_INIT;
    char number[32];

    f->columns = scarce__calloc(n_columns ? n_columns : 1, sizeof *f->columns);
    if (!f->columns) return scarce__fail_memory(err, "the columns", 0);
    f->n_columns = n_columns;
    for (size_t i = 0; i < n_columns; ++i) {
        const char *name = names ? names[i] : NULL;
        snprintf(number, sizeof number, "%zu", i + 1);
        if (!name || !*name) name = number;
        f->columns[i].c = none;
        f->columns[i].name = scarce__strndup(name, strlen(name));
        if (!f->columns[i].name) return scarce__fail_memory(err, "the columns", 0);
        f->columns[i].c.name = f->columns[i].name;
    }
    return SCARCE_OK;
}

void scarce_frame_free(scarce_frame *f)
{
    if (!f) return;
    for (size_t i = 0; f->columns && i < f->n_columns; ++i) {
        scarce__frame_column *c = &f->columns[i];
        scarce__free(c->name);
        scarce__free(c->items);
        scarce__free(c->valid);
        scarce__dictionary_deinit(&c->texts);
        scarce__free(c->categories);
    }
    scarce__free(f->columns);
    scarce__free(f->entry_row);
    scarce__free(f->entry_value);
    for (size_t k = 0; k < f->n_batches; ++k)
        if (f->batches[k].release) f->batches[k].release(&f->batches[k]);
    scarce__free(f->batches);
    if (f->schema.release) f->schema.release(&f->schema);
    scarce__free(f);
}

size_t scarce_frame_rows(const scarce_frame *f)
{
    return f->n_rows;
}

size_t scarce_frame_columns(const scarce_frame *f)
{
    return f->n_columns;
}

const scarce_column *scarce_frame_column(const scarce_frame *f, size_t i)
{
    return i < f->n_columns ? &f->columns[i].c : NULL;
}

const char *scarce_frame_problem(const scarce_frame *f, size_t i)
{
    return i < f->n_columns ? f->columns[i].problem : NULL;
}

int scarce_frame_is_time(const scarce_frame *f, size_t i)
{
    return i < f->n_columns && f->columns[i].is_time;
}

/* ---- sparse matrices */

static int64_t whole_at(const void *items, scarce_type type, size_t i)
{
    return type == SCARCE_TYPE_I64 ? ((const int64_t *)items)[i] : ((const int32_t *)items)[i];
}

static scarce_status check_sparse(const scarce_sparse *m, scarce_error *err)
{
    const size_t lines = m->by_rows ? m->n_rows : m->n_columns, wide = m->by_rows ? m->n_columns : m->n_rows;

    if (m->n_rows == 0 || m->n_columns == 0 || m->n_rows >= UINT32_MAX || m->n_columns >= UINT32_MAX)
        return scarce__fail(err, SCARCE_EINVAL, "a sparse matrix of %zu rows and %zu columns", m->n_rows,
                            m->n_columns);
    if ((m->index_type != SCARCE_TYPE_I32 && m->index_type != SCARCE_TYPE_I64) || !m->start ||
        (m->n_entries && (!m->index || !m->value)) || m->value_type == SCARCE_TYPE_TEXT ||
        scarce__values_size(m->value_type) == 0)
        return scarce__fail(err, SCARCE_EINVAL,
                            "a sparse matrix needs start, index and value, with indices of 32 or 64 bits");
    for (size_t j = 0; j <= lines; ++j) {
        const int64_t at = whole_at(m->start, m->index_type, j),
                      before = j ? whole_at(m->start, m->index_type, j - 1) : 0;
        if (at < before || (uint64_t)at > m->n_entries)
            return scarce__fail(err, SCARCE_EDATA, "sparse matrix: %s %zu ends at entry %lld of %zu",
                                m->by_rows ? "row" : "column", j, (long long)at, m->n_entries);
    }
    for (size_t k = 0, n = (size_t)whole_at(m->start, m->index_type, lines); k < n; ++k) {
        const int64_t at = whole_at(m->index, m->index_type, k);
        if (at < 0 || (uint64_t)at >= wide)
            return scarce__fail(err, SCARCE_EDATA, "sparse matrix: entry %zu is in %s %lld of %zu", k + 1,
                                m->by_rows ? "column" : "row", (long long)at + 1, wide);
    }
    return SCARCE_OK;
}

/* The entries sorted by `key` (ascending, stable) through `begin`, which counts and then points. */
static void deal(uint32_t *to, size_t *begin, const uint32_t *order, size_t n, const uint32_t *key,
                 size_t n_keys)
{
    memset(begin, 0, (n_keys + 1) * sizeof *begin);
    for (size_t k = 0; k < n; ++k) begin[key[k] + 1] += 1;
    for (size_t j = 0; j < n_keys; ++j) begin[j + 1] += begin[j];
    for (size_t k = 0; k < n; ++k) {
        const uint32_t entry = order ? order[k] : (uint32_t)k;
        to[begin[key[entry]]++] = entry;
    }
    memmove(begin + 1, begin, n_keys * sizeof *begin);
    begin[0] = 0;
}

/* Row and column of every entry that `start` covers. */
static void place_entries(uint32_t *row, uint32_t *column, const scarce_sparse *m, size_t n)
{
    const size_t lines = m->by_rows ? m->n_rows : m->n_columns;
    uint32_t *line_of = m->by_rows ? row : column, *other = m->by_rows ? column : row;

    for (size_t j = 0; j < lines; ++j) {
        const size_t end = (size_t)whole_at(m->start, m->index_type, j + 1);
        for (size_t k = (size_t)whole_at(m->start, m->index_type, j); k < end; ++k) line_of[k] = (uint32_t)j;
    }
    for (size_t k = 0; k < n; ++k) other[k] = (uint32_t)whole_at(m->index, m->index_type, k);
}

static scarce_status fill_sparse(scarce_frame *f, const scarce_sparse *m, const size_t *begin,
                                 const uint32_t *order, const uint32_t *row, const float *value,
                                 scarce_error *err)
{
    for (size_t j = 0; j < m->n_columns; ++j) {
        scarce_column *c = &f->columns[j].c;
        for (size_t k = begin[j]; k < begin[j + 1]; ++k) {
            f->entry_row[k] = row[order[k]];
            f->entry_value[k] = value[order[k]];
            if (k > begin[j] && f->entry_row[k] == f->entry_row[k - 1])
                return scarce__fail(err, SCARCE_EDATA,
                                    "sparse matrix: row %zu of column \"%.80s\" is given twice",
                                    (size_t)f->entry_row[k] + 1, c->name);
        }
        c->kind = SCARCE_COLUMN_SPARSE;
        c->sparse_row = f->entry_row + begin[j];
        c->items = f->entry_value + begin[j];
        c->sparse_count = begin[j + 1] - begin[j];
    }
    return SCARCE_OK;
}

static scarce_status sort_sparse(scarce_frame *f, const scarce_sparse *m, size_t n, scarce_error *err)
{
    const size_t keys = m->n_rows > m->n_columns ? m->n_rows : m->n_columns;
    uint32_t *place = scarce__malloc_array(n ? n : 1, 4 * sizeof *place);
    size_t *begin = scarce__malloc_array(keys + 1, sizeof *begin);
    float *value = scarce__malloc_array(n ? n : 1, sizeof *value);
    scarce_status st = SCARCE_OK;

    f->entry_row = scarce__malloc_array(n ? n : 1, sizeof *f->entry_row);
    f->entry_value = scarce__malloc_array(n ? n : 1, sizeof *f->entry_value);
    if (!place || !begin || !value || !f->entry_row || !f->entry_value)
        st = scarce__fail_memory(err, "a sparse matrix", n * 16);
    else {
        uint32_t *row = place, *column = row + n, *by_row = column + n, *order = by_row + n;
        scarce_column all = SCARCE_COLUMN_INIT;
        all.type = m->value_type;
        all.items = m->value;
        if (n) scarce__values_floats(value, &all, 0, n);
        place_entries(row, column, m, n);
        deal(by_row, begin, NULL, n, row, m->n_rows);
        deal(order, begin, by_row, n, column, m->n_columns);
        st = fill_sparse(f, m, begin, order, row, value, err);
    }
    scarce__free(place);
    scarce__free(begin);
    scarce__free(value);
    return st;
}

scarce_status scarce_frame_sparse(scarce_frame **out, const scarce_sparse *matrix, scarce_error *err)
{
    scarce_sparse m = SCARCE_SPARSE_INIT;
    scarce_frame *f;
    scarce_status st;
    size_t first, n;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&m, matrix, SCARCE_SPARSE_INIT, err));
    SCARCE__TRY(check_sparse(&m, err));
    first = (size_t)whole_at(m.start, m.index_type, 0);
    n = (size_t)whole_at(m.start, m.index_type, m.by_rows ? m.n_rows : m.n_columns);
    if (first != 0)
        return scarce__fail(err, SCARCE_EDATA, "sparse matrix: it begins at entry %zu, not at 0", first);
    if (n >= UINT32_MAX) return scarce__fail(err, SCARCE_EINVAL, "a sparse matrix of %zu entries", n);
    f = scarce__calloc(1, sizeof *f);
    if (!f) return scarce__fail_memory(err, "the columns", 0);
    f->n_rows = m.n_rows;
    st = scarce__frame_begin(f, m.n_columns, m.names, err);
    if (st == SCARCE_OK) st = sort_sparse(f, &m, n, err);
    if (st != SCARCE_OK) {
        scarce_frame_free(f);
        return st;
    }
    *out = f;
    return SCARCE_OK;
}
