/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling by name. */
#include "sample/resample.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"

static const scarce__resampler *const resamplers[] = {
    &scarce__resample_under,        &scarce__resample_tomek,       &scarce__resample_enn,
    &scarce__resample_renn,         &scarce__resample_all_knn,     &scarce__resample_cnn,
    &scarce__resample_nearmiss_1,   &scarce__resample_nearmiss_2,  &scarce__resample_nearmiss_3,
    &scarce__resample_oss,          &scarce__resample_ncr,         &scarce__resample_over,
    &scarce__resample_smote,        &scarce__resample_smote_nc,    &scarce__resample_borderline_1,
    &scarce__resample_borderline_2, &scarce__resample_svm_smote,   &scarce__resample_adasyn,
    &scarce__resample_smote_enn,    &scarce__resample_smote_tomek,
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
    if (r->free_payload) r->free_payload((void *)(uintptr_t)r->making.payload);
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

/* Copies alone: the new table without a whole copy of the old one on the way. */
static scarce_status gather(scarce_table **out, const scarce__recipe *r, size_t n_keep,
                            const scarce_table *table, scarce_context *ctx, scarce_error *err)
{
    const size_t n = n_keep + r->n_base;
    uint32_t *rows = scarce__malloc_array(n, sizeof *rows);
    scarce_status st;

    if (!rows) return scarce__fail_memory(err, "the rows of a new table", n * sizeof *rows);
    for (size_t i = 0; i < n_keep; ++i) rows[i] = r->keep ? r->keep[i] : (uint32_t)i;
    for (size_t i = 0; i < r->n_base; ++i) rows[n_keep + i] = r->base[i];
    st = scarce_table_rows_of(out, table, rows, n, ctx, err);
    scarce__free(rows);
    return st;
}

static scarce_status rework(scarce_table *table, const scarce__recipe *r, scarce_context *ctx,
                            scarce_error *err)
{
    const scarce__rework change = {r->keep, r->n_keep, r->base, r->n_base,
                                   r->making.payload ? &r->making : NULL};
    return scarce__table_rework(table, &change, ctx, err);
}

/* A mark for each row of the result; what was synthetic before stays so. */
static scarce_status mark(uint8_t **synthetic, const scarce__recipe *r, size_t n_keep, scarce_error *err)
{
    uint8_t *marks = scarce__malloc(n_keep + r->n_base);
    const uint8_t *old = *synthetic;

    if (!marks) return scarce__fail_memory(err, "the rows of a new table", n_keep + r->n_base);
    for (size_t i = 0; i < n_keep; ++i) marks[i] = old ? old[r->keep ? r->keep[i] : i] : 0;
    memset(marks + n_keep, 1, r->n_base);
    scarce__free(*synthetic);
    *synthetic = marks;
    return SCARCE_OK;
}

static scarce_status check_classes(const scarce_table *table, scarce_error *err)
{
    if (!table->label) return scarce__fail(err, SCARCE_EDATA, "the table has no label; resampling needs one");
    if (table->n_positives == 0 || table->n_positives == table->n_rows)
        return scarce__fail(err, SCARCE_EDATA, "%zu positives and %zu negatives; resampling needs both",
                            table->n_positives, table->n_rows - table->n_positives);
    return SCARCE_OK;
}

/* A rule that leaves one class alone has gone too far. */
static scarce_status check_left(const scarce__recipe *r, const scarce_table *table, const char *name,
                                scarce_error *err)
{
    size_t left[2] = {0, 0};

    if (!r->keep) return SCARCE_OK;
    for (size_t i = 0; i < r->n_keep; ++i) ++left[table->label[r->keep[i]] != 0];
    if (left[0] && left[1]) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EDATA,
                        "%s would leave %zu positives and %zu negatives: the classes lie too much in one "
                        "another; try another method",
                        name, left[1], left[0]);
}

/* One recipe. `table` is the table as it is now: `mine` when it may be changed, else mine is NULL. */
static scarce_status cook(scarce__resampled *out, const scarce__recipe *r, const scarce_table *table,
                          scarce_table *mine, scarce_context *ctx, scarce_error *err)
{
    const size_t n_keep = r->keep ? r->n_keep : table->n_rows;
    scarce_status st;

    out->factor_holds = out->factor_holds && r->factor_holds;
    if (n_keep == table->n_rows && r->n_base == 0) return SCARCE_OK; /* as wanted already */
    SCARCE__TRY(mark(&out->synthetic, r, n_keep, err));
    if (mine) {
        out->spoilt = 1; /* until all of it is done */
        return rework(mine, r, ctx, err);
    }
    if (!r->making.payload) return gather(&out->table, r, n_keep, table, ctx, err);
    st = copy_rows(&out->table, table, ctx, err);
    return st == SCARCE_OK ? rework(out->table, r, ctx, err) : st;
}

static scarce_status run_step(scarce__resampled *out, const scarce_table *table, scarce_table *mine,
                              const scarce__resampler *resampler, scarce__resample_fn run,
                              const scarce__params *params, scarce_context *ctx, scarce_error *err)
{
    scarce__recipe recipe;
    scarce_status st;

    memset(&recipe, 0, sizeof recipe);
    st = run(&recipe, table, scarce__params_options(params), ctx, err);
    if (st == SCARCE_OK) st = check_left(&recipe, table, resampler->name, err);
    if (st == SCARCE_OK) st = cook(out, &recipe, table, mine, ctx, err);
    scarce__recipe_deinit(&recipe);
    return st;
}

/* taken NULL: the table stays as it is, and *out has a new one. */
static scarce_status run(scarce__resampled *out, const scarce_table *table, scarce_table *taken,
                         const char *spec, scarce_context *ctx, scarce_error *err)
{
    const scarce__resampler *r = NULL;
    scarce__params *params = NULL;
    double before = 0;
    int spoilt;
    scarce_status st;

    memset(out, 0, sizeof *out);
    SCARCE__TRY(parse(&r, &params, spec, err));
    out->factor_holds = 1;
    st = check_classes(table, err);
    if (st == SCARCE_OK) before = odds(table);
    if (st == SCARCE_OK) st = run_step(out, table, taken, r, r->run, params, ctx, err);
    if (st == SCARCE_OK && r->then) {
        scarce_table *mine = taken ? taken : out->table;
        if (out->table) out->table->reading = table->reading; /* lent: columns count as in the first step */
        st = run_step(out, mine ? mine : table, mine, r, r->then, params, ctx, err);
        if (out->table) out->table->reading = NULL;
    }
    if (st == SCARCE_OK) out->odds_factor = odds(taken ? taken : out->table ? out->table : table) / before;
    spoilt = st != SCARCE_OK && taken && (out->spoilt || st == SCARCE_ENOMEM);
    if (st != SCARCE_OK) scarce__resampled_deinit(out);
    out->spoilt = spoilt;
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
    if (st != SCARCE_OK && result.spoilt) {
        scarce_table_free(*table);
        *table = NULL;
    }
    scarce__resampled_deinit(&result);
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

static scarce_status fail_made(scarce_error *err)
{
    return scarce__fail(err, SCARCE_EUNSUPPORTED,
                        "this method makes rows up: it gives a table, not a choice of rows");
}

static scarce_status list_rows(uint32_t **out, size_t *n, scarce_resample_info *info, const scarce__recipe *r,
                               const scarce_table *table, scarce_error *err)
{
    const size_t n_keep = r->keep ? r->n_keep : table->n_rows;
    scarce__resampled done = {NULL, NULL, 1, r->factor_holds, 0};
    size_t positives = 0;

    if (r->making.payload && r->n_base) return fail_made(err);
    *n = n_keep + r->n_base;
    *out = scarce__malloc_array(*n ? *n : 1, sizeof **out);
    if (!*out) return scarce__fail_memory(err, "the rows of a new table", *n * sizeof **out);
    for (size_t i = 0; i < *n; ++i) {
        (*out)[i] = i >= n_keep ? r->base[i - n_keep] : r->keep ? r->keep[i] : (uint32_t)i;
        positives += table->label[(*out)[i]];
    }
    if ((r->keep && r->n_keep < table->n_rows) || r->n_base)
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
    if (st == SCARCE_OK && resampler->then) st = fail_made(err);
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
