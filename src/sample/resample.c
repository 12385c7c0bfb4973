/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling by name. */
#include "sample/resample.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"

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

/* Row numbers of the whole result, one after the other. NULL: out of memory. */
static uint32_t *all_rows(const scarce__recipe *r, size_t n_keep)
{
    uint32_t *rows = scarce__malloc_array(n_keep + r->n_base, sizeof *rows);
    for (size_t i = 0; rows && i < n_keep; ++i) rows[i] = r->keep ? r->keep[i] : (uint32_t)i;
    for (size_t i = 0; rows && i < r->n_base; ++i) rows[n_keep + i] = r->base[i];
    return rows;
}

static scarce_status cook(scarce__resampled *out, const scarce__recipe *r, const scarce_table *table,
                          scarce_context *ctx, scarce_error *err)
{
    const size_t n_keep = r->keep ? r->n_keep : table->n_rows, n = n_keep + r->n_base;
    uint32_t *rows;
    scarce_status st;

    out->factor_holds = r->factor_holds;
    out->odds_factor = 1;
    if (n_keep == table->n_rows && r->n_base == 0) return SCARCE_OK;
    rows = all_rows(r, n_keep);
    out->synthetic = scarce__malloc(n);
    if (!rows || !out->synthetic) {
        scarce__free(rows);
        return scarce__fail_memory(err, "the rows of a new table", n * (sizeof *rows + 1));
    }
    for (size_t i = 0; i < n; ++i) out->synthetic[i] = i >= n_keep;
    st = scarce_table_rows_of(&out->table, table, rows, n, ctx, err);
    scarce__free(rows);
    if (st == SCARCE_OK) out->odds_factor = odds(out->table) / odds(table);
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

scarce_status scarce__resample(scarce__resampled *out, const scarce_table *table, const char *spec,
                               scarce_context *ctx, scarce_error *err)
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
    if (st == SCARCE_OK) st = cook(out, &recipe, table, ctx, err);
    if (st != SCARCE_OK) scarce__resampled_deinit(out);
    scarce__recipe_deinit(&recipe);
    scarce__params_free(params);
    return st;
}

/* A copy of the table as it is, for callers who own what they get. */
static scarce_status copy_whole(scarce__resampled *out, const scarce_table *table, scarce_context *ctx,
                                scarce_error *err)
{
    const scarce__recipe all = {.factor_holds = out->factor_holds};
    uint32_t *rows = all_rows(&all, table->n_rows);
    scarce_status st;

    out->synthetic = scarce__calloc(table->n_rows, 1);
    if (!rows || !out->synthetic) {
        scarce__free(rows);
        return scarce__fail_memory(err, "a copy of a table", 0);
    }
    st = scarce_table_rows_of(&out->table, table, rows, table->n_rows, ctx, err);
    scarce__free(rows);
    return st;
}

scarce_status scarce_resample(scarce_table **out, uint8_t **synthetic_out, scarce_resample_info *info,
                              const scarce_table *table, const char *spec, scarce_context *ctx,
                              scarce_error *err)
{
    scarce_resample_info full = SCARCE_RESAMPLE_INFO_INIT;
    scarce__resampled result;
    scarce_status st;

    *out = NULL;
    if (synthetic_out) *synthetic_out = NULL;
    SCARCE__TRY(SCARCE__FILLED_CHECK(info, SCARCE_RESAMPLE_INFO_INIT, err));
    st = scarce__resample(&result, table, spec, ctx, err);
    if (st == SCARCE_OK && !result.table) st = copy_whole(&result, table, ctx, err);
    if (st == SCARCE_OK) {
        full.odds_factor = result.odds_factor;
        full.factor_holds = result.factor_holds;
        SCARCE__FILL(info, &full);
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
