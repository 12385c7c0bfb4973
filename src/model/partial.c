/* SPDX-License-Identifier: Apache-2.0 */
/* Partial dependence: the mean score of the rows when one feature, or two, have given values in all of them,
 * along a grid of values that the data have. A grid point stands for the rows nearest to it (numbers), or of
 * its category, or where the value is missing; their share tells how much the point is worth. */
#include <scarce/explain.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/columns.h"
#include "model/changed.h"

static scarce_status check_feature(const scarce_table *table, size_t f, scarce_error *err)
{
    if (f < table->schema.n_features) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EINVAL, "feature %zu of a table of %zu (they count from 0)", f,
                        table->schema.n_features);
}

/* ---- grids */

void scarce_grid_deinit(scarce_grid *grid)
{
    if (!grid) return;
    scarce__free(grid->value);
    scarce__free(grid->share);
    memset(grid, 0, sizeof *grid);
}

/* The point that a value belongs to; grid->n: to none (a category that isn't in the grid). */
static size_t point_of(const scarce_grid *grid, float value)
{
    const size_t missing = grid->n && isnan(grid->value[grid->n - 1]), n = grid->n - missing;
    size_t low = 0, high = n;

    if (isnan(value)) return missing ? n : grid->n;
    if (grid->category) {
        for (size_t i = 0; i < n; ++i)
            if (grid->value[i] == value) return i;
        return grid->n;
    }
    while (low < high) { /* the first point at or above the value */
        const size_t middle = low + (high - low) / 2;
        if (grid->value[middle] < value) low = middle + 1;
        else high = middle;
    }
    if (low == n) return n ? n - 1 : grid->n;
    if (low > 0 && value - grid->value[low - 1] < grid->value[low] - value) --low;
    return low;
}

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

typedef struct counted {
    size_t rows;
    float code;
} counted;

static int by_rows(const void *a, const void *b)
{
    const counted *x = a, *y = b;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return (x->code > y->code) - (x->code < y->code);
}

/* The most frequent categories; `sorted` holds no missing values, lowest first. */
static scarce_status pick_categories(scarce_grid *g, const float *sorted, size_t n, size_t most,
                                     scarce_error *err)
{
    counted *list;
    size_t distinct = 0;

    for (size_t i = 0; i < n; ++i) distinct += i == 0 || sorted[i] != sorted[i - 1];
    list = scarce__calloc(distinct, sizeof *list);
    if (!list) return scarce__fail_memory(err, "a grid", distinct * sizeof *list);
    for (size_t i = 0, at = 0; i < n; ++i) {
        at += i > 0 && sorted[i] != sorted[i - 1];
        list[at].code = sorted[i];
        ++list[at].rows;
    }
    qsort(list, distinct, sizeof *list, by_rows);
    for (; g->n < most && g->n < distinct; ++g->n) g->value[g->n] = list[g->n].code;
    scarce__free(list);
    return SCARCE_OK;
}

/* All values when there are few, else those in the middle of equal shares of the rows. */
static void pick_numbers(scarce_grid *g, const float *sorted, size_t n, size_t most)
{
    size_t distinct = 0;

    for (size_t i = 0; i < n; ++i) distinct += i == 0 || sorted[i] != sorted[i - 1];
    for (size_t i = 0; i < (distinct <= most ? n : most); ++i) {
        const size_t at = distinct <= most ? i : (size_t)(((double)i + 0.5) * (double)n / (double)most);
        if (g->n == 0 || g->value[g->n - 1] != sorted[at]) g->value[g->n++] = sorted[at];
    }
}

/* The values of a feature, one per row. NULL: no memory. */
static float *values_of(const scarce_table *table, size_t f)
{
    scarce__columns *columns = scarce__columns_of(table);
    float *values = columns ? scarce__malloc_array(table->n_rows, sizeof *values) : NULL;

    if (values) scarce__columns_take(columns + f, 0, table->n_rows, values, 1);
    scarce__free(columns);
    return values;
}

scarce_status scarce_grid_of(scarce_grid *out, const scarce_table *table, size_t f, size_t most,
                             scarce_error *err)
{
    const size_t n = table->n_rows;
    scarce_grid g = {0};
    float *values, *sorted;
    size_t known = 0;
    scarce_status st = SCARCE_OK;

    memset(out, 0, sizeof *out);
    SCARCE__TRY(check_feature(table, f, err));
    if (most == 0) return scarce__fail(err, SCARCE_EINVAL, "a grid of 0 points: 1 or more are needed");
    values = values_of(table, f);
    sorted = scarce__malloc_array(n, sizeof *sorted);
    g.category = table->schema.features[f].kind == SCARCE_COLUMN_CATEGORY;
    g.value = scarce__malloc_array((most < n ? most : n) + 1, sizeof *g.value);
    g.share = scarce__calloc((most < n ? most : n) + 1, sizeof *g.share);
    if (!values || !sorted || !g.value || !g.share) st = scarce__fail_memory(err, "a grid", n * 8);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i)
        if (!isnan(values[i])) sorted[known++] = values[i];
    if (st == SCARCE_OK) {
        qsort(sorted, known, sizeof *sorted, ascending);
        if (g.category) st = pick_categories(&g, sorted, known, most, err);
        else pick_numbers(&g, sorted, known, most);
        if (known < n) g.value[g.n++] = (float)NAN;
    }
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) {
        const size_t at = point_of(&g, values[i]);
        if (at < g.n) g.share[at] += 1 / (double)n;
    }
    scarce__free(values);
    scarce__free(sorted);
    if (st != SCARCE_OK) scarce_grid_deinit(&g);
    *out = g;
    return st;
}

/* ---- the dependence */

static scarce_status mean_score(double *out, scarce__changed *c, scarce_context *ctx, scarce_error *err)
{
    double sum = 0;

    SCARCE__TRY(scarce__changed_score(c, ctx, err));
    for (size_t r = 0; r < c->from->n_rows; ++r) sum += c->score[r];
    *out = sum / (double)c->from->n_rows;
    return SCARCE_OK;
}

scarce_status scarce_partial_dependence(double *out, const scarce_model *model, const scarce_table *table,
                                        size_t f, const float *grid, size_t n, scarce_context *ctx,
                                        scarce_error *err)
{
    scarce__changed c;
    scarce_status st;

    SCARCE__TRY(check_feature(table, f, err));
    st = scarce__changed_new(&c, model, table, err);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) {
        st = scarce__changed_fill(&c, f, 0, grid[i], err);
        if (st == SCARCE_OK) st = mean_score(&out[i], &c, ctx, err);
    }
    scarce__changed_free(&c);
    return st;
}

static scarce_status joint_share(double *share, const scarce_table *table, const size_t feature[2],
                                 const scarce_grid grid[2], scarce_error *err)
{
    float *a = values_of(table, feature[0]), *b = values_of(table, feature[1]);
    scarce_status st = SCARCE_OK;

    if (!a || !b) st = scarce__fail_memory(err, "a grid", table->n_rows * 8);
    memset(share, 0, grid[0].n * grid[1].n * sizeof *share);
    for (size_t r = 0; st == SCARCE_OK && r < table->n_rows; ++r) {
        const size_t i = point_of(&grid[0], a[r]), k = point_of(&grid[1], b[r]);
        if (i < grid[0].n && k < grid[1].n) share[i * grid[1].n + k] += 1 / (double)table->n_rows;
    }
    scarce__free(a);
    scarce__free(b);
    return st;
}

scarce_status scarce_partial_pair(double *out, double *share, const scarce_model *model,
                                  const scarce_table *table, const size_t feature[2],
                                  const scarce_grid grid[2], scarce_context *ctx, scarce_error *err)
{
    scarce__changed c;
    scarce_status st;

    SCARCE__TRY(check_feature(table, feature[0], err));
    SCARCE__TRY(check_feature(table, feature[1], err));
    if (feature[0] == feature[1])
        return scarce__fail(err, SCARCE_EINVAL, "a pair of features, but both are feature %zu", feature[0]);
    st = scarce__changed_new(&c, model, table, err);
    for (size_t i = 0; st == SCARCE_OK && i < grid[0].n; ++i) {
        st = scarce__changed_fill(&c, feature[0], 0, grid[0].value[i], err);
        for (size_t k = 0; st == SCARCE_OK && k < grid[1].n; ++k) {
            st = scarce__changed_fill(&c, feature[1], 1, grid[1].value[k], err);
            if (st == SCARCE_OK) st = mean_score(&out[i * grid[1].n + k], &c, ctx, err);
        }
    }
    scarce__changed_free(&c);
    if (st == SCARCE_OK && share) st = joint_share(share, table, feature, grid, err);
    return st;
}
