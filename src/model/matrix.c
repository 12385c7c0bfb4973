/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring a matrix of any type and order: a block of rows at a time becomes packed floats, small enough for the
 * cache, and goes to the scorer. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "data/number_names.h"
#include "data/values.h"
#include "model/model.h"

enum { BLOCK_FLOATS = 32768, MOST_ROWS = 1024 };

typedef struct matrix {
    const scarce_scorer *scorer;
    const scarce_schema *schema;
    const char *items;
    scarce_type type;
    size_t n, width, block;
    ptrdiff_t row_stride, column_stride;
    scarce__number_names *names; /* per feature; NULL: no category */
    double *score, *probability;
    atomic_int no_memory;
} matrix;

static float code_of(const matrix *m, size_t f, const scarce_column *row)
{
    const scarce__dictionary *categories = &m->schema->features[f].categories;
    char text[SCARCE__NUMBER_TEXT];
    double x;

    scarce__values_doubles(&x, row, f, 1);
    if (isnan(x)) return (float)NAN;
    return (float)scarce__number_names_code(&m->names[f], categories, text, scarce__number_text(text, x));
}

static void score_block(void *arg, size_t index, int worker)
{
    matrix *m = arg;
    const size_t begin = index * m->block, left = m->n - begin, n = left < m->block ? left : m->block;
    float *rows = scarce__malloc_array(n * m->width + 1, sizeof *rows);
    scarce_column row = SCARCE_COLUMN_INIT;

    (void)worker;
    row.type = m->type;
    row.stride = m->column_stride;
    for (size_t i = 0; rows && i < n; ++i) {
        row.items = m->items + (ptrdiff_t)(begin + i) * m->row_stride;
        scarce__values_floats(rows + i * m->width, &row, 0, m->width);
        for (size_t f = 0; m->names && f < m->width; ++f)
            if (m->schema->features[f].kind == SCARCE_COLUMN_CATEGORY)
                rows[i * m->width + f] = code_of(m, f, &row);
    }
    if (!rows || scarce_scorer_rows(m->scorer, rows, n, m->width, m->score + begin,
                                    m->probability ? m->probability + begin : NULL, NULL, NULL) != SCARCE_OK)
        atomic_store(&m->no_memory, 1);
    scarce__free(rows);
}

static scarce_status name_categories(matrix *m, scarce_error *err)
{
    int any = 0;

    for (size_t f = 0; f < m->width; ++f) any |= m->schema->features[f].kind == SCARCE_COLUMN_CATEGORY;
    if (!any) return SCARCE_OK;
    m->names = scarce__calloc(m->width, sizeof *m->names);
    if (!m->names) return scarce__fail_memory(err, "the categories", 0);
    for (size_t f = 0; f < m->width; ++f)
        if (m->schema->features[f].kind == SCARCE_COLUMN_CATEGORY)
            SCARCE__TRY(scarce__number_names_init(&m->names[f], &m->schema->features[f].categories, err));
    return SCARCE_OK;
}

/* Packed, aligned floats without categories are rows as they are. */
static int are_rows(const matrix *m)
{
    const ptrdiff_t size = (ptrdiff_t)sizeof(float);
    return m->type == SCARCE_TYPE_F32 && !m->names && m->column_stride == size && m->row_stride % size == 0 &&
           m->row_stride >= (ptrdiff_t)m->width * size && (uintptr_t)m->items % sizeof(float) == 0;
}

scarce_status scarce_scorer_matrix(const scarce_scorer *scorer, const void *items, scarce_type type,
                                   size_t n_rows, ptrdiff_t row_stride, ptrdiff_t column_stride,
                                   double *score, double *probability, scarce_context *ctx, scarce_error *err)
{
    matrix m;
    scarce_status st;

    memset(&m, 0, sizeof m);
    m.scorer = scorer;
    m.schema = &scarce__scorer_model(scorer)->schema;
    m.items = items;
    m.type = type;
    m.n = n_rows;
    m.width = m.schema->n_features;
    m.block = m.width * MOST_ROWS <= BLOCK_FLOATS ? MOST_ROWS : BLOCK_FLOATS / m.width;
    m.block = m.block < 16 ? 16 : m.block;
    m.row_stride = row_stride;
    m.column_stride = column_stride;
    m.score = score;
    m.probability = probability;
    if (n_rows == 0) return SCARCE_OK;
    if (!score || (!items && m.width))
        return scarce__fail(err, SCARCE_EINVAL, "no rows or no place for scores");
    if (type == SCARCE_TYPE_TEXT || scarce__values_size(type) == 0)
        return scarce__fail(err, SCARCE_EINVAL, "a matrix of a type that isn't one of numbers");
    st = name_categories(&m, err);
    if (st == SCARCE_OK && are_rows(&m))
        st = scarce_scorer_rows(scorer, items, n_rows, (size_t)row_stride / sizeof(float), score, probability,
                                ctx, err);
    else if (st == SCARCE_OK) {
        scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(n_rows, m.block), score_block, &m);
        if (atomic_load(&m.no_memory)) st = scarce__fail_memory(err, "rows to score", 0);
    }
    for (size_t f = 0; m.names && f < m.width; ++f) scarce__number_names_deinit(&m.names[f]);
    scarce__free(m.names);
    return st;
}
