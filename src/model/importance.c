/* SPDX-License-Identifier: Apache-2.0 */
/* What a whole model lives on: mean |contribution|, AP lost by shuffling a feature, mean score along a
 * feature.
 *
 * Shuffling and setting a feature make a table that borrows everything from the given one but one column. */
#include <scarce/explain.h>

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/random.h"
#include "eval/ap.h"
#include "model/model.h"

/* ---- mean |contribution| */

typedef struct sums {
    size_t width, n;
    double *mean, *square; /* running mean, and sum of squares about it (Welford) */
} sums;

static int add_rows(void *payload, size_t first, size_t n, const float *value, const double *contribution)
{
    sums *s = payload;

    (void)first;
    (void)value;
    for (size_t r = 0; r < n; ++r) {
        const double *row = contribution + r * s->width, count = (double)++s->n;
        for (size_t f = 0; f < s->width; ++f) {
            const double x = fabs(row[f]), before = x - s->mean[f];
            s->mean[f] += before / count;
            s->square[f] += before * (x - s->mean[f]);
        }
    }
    return 0;
}

scarce_status scarce_importance_shap(scarce_importance *out, const scarce_explainer *e,
                                     const scarce_table *table, scarce_context *ctx, scarce_error *err)
{
    const size_t width = table->schema.n_features;
    sums s = {width, 0, scarce__calloc(width, sizeof *s.mean), scarce__calloc(width, sizeof *s.square)};
    scarce_status st = SCARCE_OK;

    if (!s.mean || !s.square) st = scarce__fail_memory(err, "importances", 0);
    if (st == SCARCE_OK) st = scarce_explainer_table(e, table, add_rows, &s, ctx, err);
    if (st == SCARCE_OK)
        for (size_t f = 0; f < width; ++f) {
            const double n = (double)s.n;
            out[f].value = s.mean[f];
            out[f].error = s.n > 1 ? sqrt(s.square[f] / (n - 1) / n) : (double)NAN;
        }
    scarce__free(s.mean);
    scarce__free(s.square);
    return st;
}

/* ---- a table with one other column */

typedef struct changed {
    scarce_table table; /* borrows all but `columns` and the column of the feature in hand */
    scarce__column *columns;
    scarce__feature *features;
    void *cells; /* n_rows floats or codes */
    double *score;
    scarce_scorer *scorer;
} changed;

static void changed_free(changed *c)
{
    scarce__free(c->columns);
    scarce__free(c->features);
    scarce__free(c->cells);
    scarce__free(c->score);
    scarce_scorer_free(c->scorer);
}

static scarce_status changed_new(changed *c, const scarce_model *model, const scarce_table *table,
                                 scarce_error *err)
{
    const size_t width = table->schema.n_features;

    memset(c, 0, sizeof *c);
    SCARCE__TRY(scarce__check_same_features(&model->schema, &table->schema, err));
    c->columns = scarce__malloc_array(width, sizeof *c->columns);
    c->features = scarce__malloc_array(width, sizeof *c->features);
    c->cells = scarce__malloc_array(table->n_rows, 4);
    c->score = scarce__malloc_array(table->n_rows, sizeof *c->score);
    if (!c->columns || !c->features || !c->cells || !c->score)
        return scarce__fail_memory(err, "scoring a changed table", table->n_rows * 12);
    if (width) {
        memcpy(c->columns, table->columns, width * sizeof *c->columns);
        memcpy(c->features, table->schema.features, width * sizeof *c->features);
    }
    c->table = *table;
    c->table.columns = c->columns;
    c->table.schema.features = c->features;
    return scarce_scorer_new(&c->scorer, model, err);
}

/* Puts `cells` in the place of feature f; a sparse column becomes a full one. */
static void change(changed *c, size_t f)
{
    if (c->features[f].kind == SCARCE_COLUMN_CATEGORY) {
        c->columns[f].code = c->cells;
        return;
    }
    c->features[f].kind = SCARCE_COLUMN_NUMERIC;
    c->columns[f].number = c->cells;
}

static void change_back(changed *c, const scarce_table *table, size_t f)
{
    c->features[f].kind = table->schema.features[f].kind;
    c->columns[f] = table->columns[f];
}

/* ---- permutation */

static void shuffle_into(changed *c, const scarce_table *table, size_t f, const uint32_t *order)
{
    const scarce__column *from = table->columns + f;
    float *number = c->cells;
    int32_t *code = c->cells;

    switch (table->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC:
        for (size_t i = 0; i < table->n_rows; ++i) number[i] = from->number[order[i]];
        break;
    case SCARCE_COLUMN_CATEGORY:
        for (size_t i = 0; i < table->n_rows; ++i) code[i] = from->code[order[i]];
        break;
    case SCARCE_COLUMN_SPARSE: /* its values go to other rows */
        for (size_t i = 0; i < table->n_rows; ++i) number[i] = 0;
        for (size_t k = 0; k < from->sparse.count; ++k)
            number[order[from->sparse.row[k]]] = from->sparse.value[k];
        break;
    }
}

static scarce_status ap_of(double *ap, changed *c, scarce_context *ctx, scarce_error *err)
{
    SCARCE__TRY(scarce_scorer_table(c->scorer, &c->table, c->score, NULL, ctx, err));
    return scarce__ap_fast(ap, c->score, c->table.label, c->table.weight, c->table.n_rows,
                           scarce__context_pool(ctx), err);
}

static scarce_status permute_feature(scarce_importance *out, changed *c, const scarce_table *table, size_t f,
                                     double whole, size_t repeats, uint32_t *order, scarce_context *ctx,
                                     scarce_error *err)
{
    double mean = 0, square = 0;

    for (size_t k = 0; k < repeats; ++k) {
        scarce__random r = scarce__random_start(scarce_context_seed(ctx), SCARCE__FOR_ROWS, f * repeats + k);
        double ap = 0;
        for (size_t i = 0; i < table->n_rows; ++i) order[i] = (uint32_t)i;
        scarce__shuffle_u32(&r, order, table->n_rows);
        shuffle_into(c, table, f, order);
        change(c, f);
        const scarce_status st = ap_of(&ap, c, ctx, err);
        change_back(c, table, f);
        if (st != SCARCE_OK) return st;
        const double before = whole - ap - mean;
        mean += before / (double)(k + 1);
        square += before * (whole - ap - mean);
    }
    out->value = mean;
    out->error = repeats > 1 ? sqrt(square / (double)(repeats - 1) / (double)repeats) : (double)NAN;
    return SCARCE_OK;
}

scarce_status scarce_importance_permutation(scarce_importance *out, const scarce_model *model,
                                            const scarce_table *table, size_t repeats, scarce_context *ctx,
                                            scarce_error *err)
{
    const size_t width = table->schema.n_features;
    uint32_t *order = NULL;
    changed c;
    double whole = 0;
    scarce_status st;

    if (repeats == 0) return scarce__fail(err, SCARCE_EINVAL, "0 shuffles: 1 or more are needed");
    if (!table->label || table->n_positives == 0 || table->n_positives == table->n_rows)
        return scarce__fail(err, SCARCE_EDATA,
                            "permutation importance needs rows with a label of both classes");
    st = changed_new(&c, model, table, err);
    if (st == SCARCE_OK) {
        order = scarce__malloc_array(table->n_rows, sizeof *order);
        if (!order) st = scarce__fail_memory(err, "shuffling", table->n_rows * sizeof *order);
    }
    if (st == SCARCE_OK) st = ap_of(&whole, &c, ctx, err);
    for (size_t f = 0; st == SCARCE_OK && f < width; ++f) {
        const scarce_progress progress = {"importance", (double)f, (double)width, "features", ""};
        if (scarce__progress(ctx, &progress))
            st = scarce__fail(err, SCARCE_ECANCEL, "stopped while shuffling features");
        if (st == SCARCE_OK) st = permute_feature(&out[f], &c, table, f, whole, repeats, order, ctx, err);
    }
    scarce__free(order);
    changed_free(&c);
    return st;
}

/* ---- partial dependence */

scarce_status scarce_partial_dependence(double *out, const scarce_model *model, const scarce_table *table,
                                        size_t f, const float *grid, size_t n, scarce_context *ctx,
                                        scarce_error *err)
{
    changed c;
    scarce_status st;

    if (f >= table->schema.n_features)
        return scarce__fail(err, SCARCE_EINVAL, "feature %zu of a table of %zu (they count from 0)", f,
                            table->schema.n_features);
    st = changed_new(&c, model, table, err);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) {
        double sum = 0;
        if (c.features[f].kind == SCARCE_COLUMN_CATEGORY) {
            const size_t most = c.features[f].categories.count;
            const int32_t code = !(grid[i] >= 0)                  ? -1
                                 : (double)grid[i] < (double)most ? (int32_t)grid[i]
                                                                  : (int32_t)most;
            for (size_t r = 0; r < table->n_rows; ++r) ((int32_t *)c.cells)[r] = code;
        } else {
            for (size_t r = 0; r < table->n_rows; ++r) ((float *)c.cells)[r] = grid[i];
        }
        change(&c, f);
        st = scarce_scorer_table(c.scorer, &c.table, c.score, NULL, ctx, err);
        for (size_t r = 0; st == SCARCE_OK && r < table->n_rows; ++r) sum += c.score[r];
        out[i] = sum / (double)table->n_rows;
    }
    changed_free(&c);
    return st;
}
