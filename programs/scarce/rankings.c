/* SPDX-License-Identifier: Apache-2.0 */
/* --scores NAME=FILE: what another tool says about the rows of the data, as a contestant of `compare`.
 *
 * FILE is a table with a column `score`, and if it likes `probability`; line i is row i of the data, or it
 * has a column `row` that says which (from 1 on, as `scarce score` writes it). With a column `fold` too, each
 * fold has scores of its own: those of a model that did not see the fold's test rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"

enum { SCORE, PROBABILITY, ROW, FOLD, COLUMNS };

static scarce_status read_file(scarce_table **out, const char *path, scarce_context *ctx, scarce_error *err)
{
    static const char *const names[COLUMNS] = {"score", "probability", "row", "fold"};
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_status st;

    ro.label = "label";
    ro.label_optional = 1;
    ro.exact.items = names;
    ro.exact.count = COLUMNS;
    st = scarce_table_read(out, &path, 1, &ro, ctx, err);
    talk_clear();
    if (st == SCARCE_OK && !scarce_table_exact(*out, SCORE))
        st = fail_with(err, SCARCE_EDATA,
                       "%.300s: no column \"score\" (the first line names the columns: score, and if need be "
                       "probability, row, fold)",
                       path);
    return st;
}

/* A whole number from 1 to most. */
static int place_of(double value, double most, size_t *place)
{
    if (!(value >= 1 && value <= most) || value != floor(value)) return 0;
    *place = (size_t)value - 1;
    return 1;
}

static double highest(const double *values, size_t n)
{
    double most = 0;
    for (size_t i = 0; values && i < n; ++i) most = values[i] > most ? values[i] : most;
    return most;
}

/* From lines in any order to [fold * rows + row]. */
static scarce_status sort_in(ranking_file *f, scarce_compare_ranking *r, const char *path, size_t n_rows,
                             scarce_error *err)
{
    const double *score = scarce_table_exact(f->table, SCORE), *p = scarce_table_exact(f->table, PROBABILITY),
                 *row = scarce_table_exact(f->table, ROW), *fold = scarce_table_exact(f->table, FOLD);
    const size_t n = scarce_table_rows(f->table);
    const double folds = fold ? highest(fold, n) : 1;

    if (!(folds >= 1)) return fail_with(err, SCARCE_EDATA, "%.300s: folds count from 1", path);
    if (folds > (double)n) /* room is made for all folds up to the highest */
        return fail_with(err, SCARCE_EDATA, "%.300s: fold %.0f in a file of %zu row%s; folds count from 1",
                         path, folds, n, n == 1 ? "" : "s");
    r->n_folds = (size_t)folds;
    f->score = malloc(r->n_folds * n_rows * sizeof *f->score);
    f->probability = p ? malloc(r->n_folds * n_rows * sizeof *f->probability) : NULL;
    if (!f->score || (p && !f->probability)) return fail_with(err, SCARCE_ENOMEM, "out of memory for scores");
    for (size_t i = 0; i < r->n_folds * n_rows; ++i) f->score[i] = (double)NAN;
    for (size_t i = 0; i < n; ++i) {
        size_t at_row = 0, at_fold = 0;
        if (!place_of(row[i], (double)n_rows, &at_row))
            return fail_with(err, SCARCE_EDATA, "%.300s: line %zu: row %g, the data have rows 1 to %zu", path,
                             i + 1, row[i], n_rows);
        if (fold && !place_of(fold[i], folds, &at_fold))
            return fail_with(err, SCARCE_EDATA, "%.300s: line %zu: fold %g", path, i + 1, fold[i]);
        double *to = &f->score[at_fold * n_rows + at_row];
        if (!isnan(*to))
            return fail_with(err, SCARCE_EDATA,
                             "%.300s: row %zu is there twice (a column \"fold\" tells them apart)", path,
                             at_row + 1);
        *to = score[i];
        if (p) f->probability[at_fold * n_rows + at_row] = p[i];
    }
    r->score = f->score;
    r->probability = f->probability;
    return SCARCE_OK;
}

static scarce_status read_one(ranking_file *f, scarce_compare_ranking *r, const char *spec, size_t n_rows,
                              scarce_context *ctx, scarce_error *err)
{
    const char *equals = strchr(spec, '='), *path = equals ? equals + 1 : "";
    scarce_status st;

    if (!equals || equals == spec || !*path)
        return fail_with(err, SCARCE_EINVAL, "--scores %.200s wants NAME=FILE", spec);
    f->name = strndup(spec, (size_t)(equals - spec));
    if (!f->name) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    st = read_file(&f->table, path, ctx, err);
    if (st != SCARCE_OK) return st;
    r->name = f->name;
    r->n_folds = 1;
    if (scarce_table_exact(f->table, ROW)) return sort_in(f, r, path, n_rows, err);
    if (scarce_table_exact(f->table, FOLD))
        return fail_with(err, SCARCE_EDATA, "%.300s: a column \"fold\" needs a column \"row\" beside it",
                         path);
    if (scarce_table_rows(f->table) != n_rows)
        return fail_with(err, SCARCE_EDATA,
                         "%.300s has %zu row%s, the data have %zu: one score for each, or a column \"row\"",
                         path, scarce_table_rows(f->table), scarce_table_rows(f->table) == 1 ? "" : "s",
                         n_rows);
    r->score = scarce_table_exact(f->table, SCORE);
    r->probability = scarce_table_exact(f->table, PROBABILITY);
    return SCARCE_OK;
}

scarce_status read_rankings(ranking_files *out, const text_list *specs, size_t n_rows, scarce_context *ctx,
                            scarce_error *err)
{
    scarce_status st = SCARCE_OK;

    memset(out, 0, sizeof *out);
    if (specs->count == 0) return SCARCE_OK;
    out->files = calloc(specs->count, sizeof *out->files);
    out->rankings = calloc(specs->count, sizeof *out->rankings);
    if (!out->files || !out->rankings) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    out->count = specs->count;
    for (size_t i = 0; i < specs->count && st == SCARCE_OK; ++i)
        st = read_one(&out->files[i], &out->rankings[i], specs->items[i], n_rows, ctx, err);
    return st;
}

void forget_rankings(ranking_files *r)
{
    for (size_t i = 0; i < r->count; ++i) {
        free(r->files[i].name);
        free(r->files[i].score);
        free(r->files[i].probability);
        scarce_table_free(r->files[i].table);
    }
    free(r->files);
    free(r->rankings);
    memset(r, 0, sizeof *r);
}
