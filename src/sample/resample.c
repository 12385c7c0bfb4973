/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling by name. */
#include "sample/resample.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"
#include "data/rework.h"

static const scarce__resampler *const resamplers[] = {
    &scarce__resample_under,
    &scarce__resample_over,
};

enum { N_RESAMPLERS = sizeof resamplers / sizeof *resamplers };

size_t scarce_resample_count(void)
{
    return N_RESAMPLERS;
}

size_t scarce_resample_find(const char *name)
{
    for (size_t i = 0; i < N_RESAMPLERS; ++i)
        if (strcmp(resamplers[i]->name, name) == 0) return i;
    return SIZE_MAX;
}

scarce_resample_method scarce_resample_get(size_t method)
{
    scarce_resample_method info = {NULL, NULL, 0};

    if (method >= N_RESAMPLERS) return info;
    info.name = resamplers[method]->name;
    info.summary = resamplers[method]->summary;
    info.n_params = scarce__param_count(&resamplers[method]->params);
    return info;
}

scarce_param_info scarce_resample_param(size_t method, size_t param)
{
    const scarce_param_info none = {NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL};
    if (method >= N_RESAMPLERS || param >= scarce__param_count(&resamplers[method]->params)) return none;
    return scarce__param_info(&resamplers[method]->params, NULL, param);
}

/* ---- specifications */

static const char *resampler_name(const void *arg, size_t i)
{
    (void)arg;
    return resamplers[i]->name;
}

static scarce_status fail_unknown(const char *name, scarce_error *err)
{
    const char *nearest = scarce__nearest_name(name, resampler_name, NULL, N_RESAMPLERS);
    return scarce__fail_unknown(err, "resampling method", name, nearest, NULL);
}

/* "name:key=value:key=value" to a resampler and its parameters. */
static scarce_status parse(const scarce__resampler **out, scarce__params **params, const char *spec,
                           scarce_error *err)
{
    const char *colon = strchr(spec, ':');
    char *name = scarce__strndup(spec, colon ? (size_t)(colon - spec) : strlen(spec));
    scarce_status st;
    size_t i;

    *params = NULL;
    if (!name) return scarce__fail_memory(err, "a resampling method", 0);
    i = scarce_resample_find(name);
    if (i == SIZE_MAX) st = fail_unknown(name, err);
    else {
        *out = resamplers[i];
        st = scarce__params_new(params, "", (*out)->name, &(*out)->params, NULL, err);
        if (st == SCARCE_OK && colon) st = scarce__params_set_list(*params, colon + 1, ':', err);
        if (st == SCARCE_OK) st = scarce__params_check(*params, err);
    }
    if (st != SCARCE_OK) {
        scarce__params_free(*params);
        *params = NULL;
    }
    scarce__free(name);
    return st;
}

scarce_status scarce_resample_check(const char *spec, scarce_error *err)
{
    const scarce__resampler *resampler = NULL;
    scarce__params *params = NULL;
    SCARCE__TRY(parse(&resampler, &params, spec, err));
    scarce__params_free(params);
    return SCARCE_OK;
}

/* ---- from a recipe to a table */

void scarce__recipe_deinit(scarce__recipe *r)
{
    scarce__free(r->keep);
    scarce__free(r->base);
    scarce_table_free(r->made);
    memset(r, 0, sizeof *r);
}

void scarce__resampled_deinit(scarce__resampled *r)
{
    scarce_table_free(r->table);
    scarce__free(r->synthetic);
    memset(r, 0, sizeof *r);
}

static double odds(const scarce_table *t)
{
    return (double)t->n_positives / (double)(t->n_rows - t->n_positives);
}

/* Are all rows as they were? */
static int changes_nothing(const scarce__recipe *r, const scarce_table *table)
{
    return (!r->keep || r->n_keep == table->n_rows) && r->n_base == 0;
}

/* All rows again. */
static scarce_status copy_rows(scarce_table **out, const scarce_table *table, scarce_context *ctx,
                               scarce_error *err)
{
    uint32_t *rows = scarce__malloc_array(table->n_rows, sizeof *rows);
    scarce_status st;

    if (!rows) return scarce__fail_memory(err, "the rows of a new table", table->n_rows * sizeof *rows);
    for (size_t i = 0; i < table->n_rows; ++i) rows[i] = (uint32_t)i;
    st = scarce_table_rows_of(out, table, rows, table->n_rows, ctx, err);
    scarce__free(rows);
    return st;
}

/* The new table without a whole copy of the old one on the way: rows that stay, and base rows, in one go. */
static scarce_status gather(scarce_table **out, const scarce__recipe *r, size_t n_keep,
                            const scarce_table *table, scarce_context *ctx, scarce_error *err)
{
    const size_t n = n_keep + r->n_base;
    uint32_t *rows = scarce__malloc_array(n, sizeof *rows), *last = NULL;
    scarce_status st;

    if (!rows) return scarce__fail_memory(err, "the rows of a new table", n * sizeof *rows);
    for (size_t i = 0; i < n_keep; ++i) rows[i] = r->keep ? r->keep[i] : (uint32_t)i;
    for (size_t i = 0; i < r->n_base; ++i) rows[n_keep + i] = r->base[i];
    st = scarce_table_rows_of(out, table, rows, n, ctx, err);
    if (st == SCARCE_OK && r->made) { /* the copies give way to what was made up, their roles stay */
        last = scarce__malloc_array(r->n_base, sizeof *last);
        for (size_t i = 0; last && i < r->n_base; ++i) last[i] = (uint32_t)(n_keep + i);
        for (size_t i = 0; i < n_keep; ++i) rows[i] = (uint32_t)i;
        const scarce__rework change = {rows, n_keep, last, r->n_base, r->made};
        st = last ? scarce__table_rework(*out, &change, ctx, err)
                  : scarce__fail_memory(err, "the rows of a new table", 0);
    }
    scarce__free(rows);
    scarce__free(last);
    return st;
}

/* taken NULL: the table stays as it is, and *out has a new one. */
static scarce_status cook(scarce__resampled *out, const scarce__recipe *r, const scarce_table *table,
                          scarce_table *taken, scarce_context *ctx, scarce_error *err)
{
    const size_t n_keep = r->keep ? r->n_keep : table->n_rows, n = n_keep + r->n_base;
    const double before = odds(table);
    const scarce__rework change = {r->keep, r->n_keep, r->base, r->n_base, r->made};
    scarce_status st;

    out->factor_holds = r->factor_holds;
    out->odds_factor = 1;
    if (changes_nothing(r, table)) return SCARCE_OK;
    out->synthetic = scarce__malloc(n);
    if (!out->synthetic) return scarce__fail_memory(err, "the rows of a new table", n);
    for (size_t i = 0; i < n; ++i) out->synthetic[i] = i >= n_keep;
    if (taken) st = scarce__table_rework(taken, &change, ctx, err);
    else st = gather(&out->table, r, n_keep, table, ctx, err);
    if (st == SCARCE_OK) out->odds_factor = odds(taken ? taken : out->table) / before;
    return st;
}

static scarce_status check_classes(const scarce_table *table, scarce_error *err)
{
    if (!table->label) return scarce__fail(err, SCARCE_EDATA, "the table has no label; resampling needs one");
    if (table->n_positives == 0 || table->n_positives == table->n_rows)
        return scarce__fail(err, SCARCE_EDATA, "%zu positives and %zu negatives; resampling needs both",
                            table->n_positives, table->n_rows - table->n_positives);
    return SCARCE_OK;
}

static scarce_status run(scarce__resampled *out, const scarce_table *table, scarce_table *taken,
                         const char *spec, scarce_context *ctx, scarce_error *err)
{
    const scarce__resampler *resampler = NULL;
    scarce__params *params = NULL;
    scarce__recipe recipe;
    scarce_status st;

    memset(out, 0, sizeof *out);
    memset(&recipe, 0, sizeof recipe);
    SCARCE__TRY(parse(&resampler, &params, spec, err));
    st = check_classes(table, err);
    if (st == SCARCE_OK) st = resampler->run(&recipe, table, scarce__params_options(params), ctx, err);
    if (st == SCARCE_OK) st = cook(out, &recipe, table, taken, ctx, err);
    if (st != SCARCE_OK) scarce__resampled_deinit(out);
    scarce__recipe_deinit(&recipe);
    scarce__params_free(params);
    return st;
}

scarce_status scarce__resample(scarce__resampled *out, const scarce_table *table, const char *spec,
                               scarce_context *ctx, scarce_error *err)
{
    return run(out, table, NULL, spec, ctx, err);
}

scarce_status scarce__resample_taken(scarce__resampled *out, scarce_table *table, const char *spec,
                                     scarce_context *ctx, scarce_error *err)
{
    return run(out, table, table, spec, ctx, err);
}

static void tell(scarce_resample_info *info, const scarce__resampled *result)
{
    scarce_resample_info full = SCARCE_RESAMPLE_INFO_INIT;
    full.odds_factor = result->odds_factor;
    full.factor_holds = result->factor_holds;
    SCARCE__FILL(info, &full);
}

scarce_status scarce_resample_take(scarce_table **table, uint8_t **synthetic_out, scarce_resample_info *info,
                                   const char *spec, scarce_context *ctx, scarce_error *err)
{
    scarce__resampled result;
    scarce_status st;

    if (synthetic_out) *synthetic_out = NULL;
    SCARCE__TRY(SCARCE__FILLED_CHECK(info, SCARCE_RESAMPLE_INFO_INIT, err));
    st = scarce__resample_taken(&result, *table, spec, ctx, err);
    if (st == SCARCE_OK && synthetic_out && !result.synthetic) {
        result.synthetic = scarce__calloc((*table)->n_rows, 1);
        if (!result.synthetic) st = scarce__fail_memory(err, "the flags of resampled rows", 0);
    }
    if (st == SCARCE_OK) {
        tell(info, &result);
        if (synthetic_out) {
            *synthetic_out = result.synthetic;
            result.synthetic = NULL;
        }
    }
    scarce__resampled_deinit(&result);
    if (st != SCARCE_OK && st != SCARCE_EINVAL && st != SCARCE_EDATA) { /* it may be changed in part */
        scarce_table_free(*table);
        *table = NULL;
    }
    return st;
}

scarce_status scarce_resample(scarce_table **out, uint8_t **synthetic_out, scarce_resample_info *info,
                              const scarce_table *table, const char *spec, scarce_context *ctx,
                              scarce_error *err)
{
    scarce__resampled result;
    scarce_status st;

    *out = NULL;
    if (synthetic_out) *synthetic_out = NULL;
    SCARCE__TRY(SCARCE__FILLED_CHECK(info, SCARCE_RESAMPLE_INFO_INIT, err));
    st = scarce__resample(&result, table, spec, ctx, err);
    if (st == SCARCE_OK && !result.table) { /* as wanted already: a copy, for callers own what they get */
        st = copy_rows(&result.table, table, ctx, err);
        result.synthetic = scarce__calloc(table->n_rows, 1);
        if (st == SCARCE_OK && !result.synthetic) st = scarce__fail_memory(err, "a copy of a table", 0);
    }
    if (st == SCARCE_OK) {
        tell(info, &result);
        *out = result.table; /* the caller owns both from here on */
        result.table = NULL;
        if (synthetic_out) {
            *synthetic_out = result.synthetic;
            result.synthetic = NULL;
        }
    }
    scarce__resampled_deinit(&result);
    return st;
}

void scarce_resample_flags_free(uint8_t *synthetic)
{
    scarce__free(synthetic);
}

/* ---- rows alone */

static scarce_status list_rows(uint32_t **out, size_t *n, scarce_resample_info *info, const scarce__recipe *r,
                               const scarce_table *table, scarce_error *err)
{
    const size_t n_keep = r->keep ? r->n_keep : table->n_rows;
    scarce__resampled done = {NULL, NULL, 1, r->factor_holds};
    size_t positives = 0;

    if (r->made && r->n_base)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "this method makes rows up: it gives a table, not a choice of rows");
    *n = n_keep + r->n_base;
    *out = scarce__malloc_array(*n ? *n : 1, sizeof **out);
    if (!*out) return scarce__fail_memory(err, "the rows of a new table", *n * sizeof **out);
    for (size_t i = 0; i < *n; ++i) {
        (*out)[i] = i >= n_keep ? r->base[i - n_keep] : r->keep ? r->keep[i] : (uint32_t)i;
        positives += table->label[(*out)[i]];
    }
    if (!changes_nothing(r, table))
        done.odds_factor = (double)positives / (double)(*n - positives) / odds(table);
    tell(info, &done);
    return SCARCE_OK;
}

scarce_status scarce_resample_rows(uint32_t **rows_out, size_t *n, scarce_resample_info *info,
                                   const scarce_table *table, const char *spec, scarce_context *ctx,
                                   scarce_error *err)
{
    const scarce__resampler *resampler = NULL;
    scarce__params *params = NULL;
    scarce__recipe recipe;
    scarce_status st;

    *rows_out = NULL;
    *n = 0;
    memset(&recipe, 0, sizeof recipe);
    SCARCE__TRY(SCARCE__FILLED_CHECK(info, SCARCE_RESAMPLE_INFO_INIT, err));
    SCARCE__TRY(parse(&resampler, &params, spec, err));
    st = check_classes(table, err);
    if (st == SCARCE_OK) st = resampler->run(&recipe, table, scarce__params_options(params), ctx, err);
    if (st == SCARCE_OK) st = list_rows(rows_out, n, info, &recipe, table, err);
    scarce__recipe_deinit(&recipe);
    scarce__params_free(params);
    return st;
}

void scarce_resample_rows_free(uint32_t *rows)
{
    scarce__free(rows);
}
