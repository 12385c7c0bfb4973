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
    info.n_params = resamplers[method]->params.count;
    return info;
}

scarce_param_info scarce_resample_param(size_t method, size_t param)
{
    const scarce_param_info none = {NULL, NULL, NULL, NULL, 0, 0, NULL, NULL};
    if (method >= N_RESAMPLERS || param >= resamplers[method]->params.count) return none;
    return scarce__param_info(&resamplers[method]->params.params[param]);
}

static const char *resampler_name(const void *arg, size_t i)
{
    (void)arg;
    return resamplers[i]->name;
}

static scarce_status check_call(size_t i, const char *method, const scarce_table *table, scarce_error *err)
{
    if (i == SIZE_MAX) {
        const char *nearest = scarce__nearest_name(method, resampler_name, NULL, N_RESAMPLERS);
        return scarce__fail_unknown(err, "resampling method", method, nearest, NULL);
    }
    if (!table->label) return scarce__fail(err, SCARCE_EDATA, "the table has no label; resampling needs one");
    if (table->n_positives == 0 || table->n_positives == table->n_rows)
        return scarce__fail(err, SCARCE_EDATA, "%zu positives and %zu negatives; resampling needs both",
                            table->n_positives, table->n_rows - table->n_positives);
    return SCARCE_OK;
}

static double odds(const scarce_table *t)
{
    return (double)t->n_positives / (double)(t->n_rows - t->n_positives);
}

scarce_status scarce_resample(scarce_table **out, uint8_t **synthetic_out, scarce_resample_info *info,
                              const scarce_table *table, const char *method, const char *settings,
                              scarce_context *ctx, scarce_error *err)
{
    const size_t i = scarce_resample_find(method);
    scarce__resampled result = {NULL, NULL, 0};
    scarce__params *params = NULL;
    scarce_status st;

    *out = NULL;
    if (synthetic_out) *synthetic_out = NULL;
    SCARCE__TRY(SCARCE__FILLED_CHECK(info, SCARCE_RESAMPLE_INFO_INIT, err));
    SCARCE__TRY(check_call(i, method, table, err));
    SCARCE__TRY(scarce__params_new(&params, &resamplers[i]->params, err));
    st = scarce__params_set_list(params, settings, ',', err);
    if (st == SCARCE_OK) st = resamplers[i]->run(&result, table, scarce__params_options(params), ctx, err);
    scarce__params_free(params);
    if (st == SCARCE_OK) {
        if (info) {
            scarce_resample_info full = SCARCE_RESAMPLE_INFO_INIT;
            full.odds_factor = odds(result.table) / odds(table);
            full.exact = result.exact;
            SCARCE__FILL(info, &full);
        }
        *out = result.table; /* the caller owns both from here on */
        result.table = NULL;
        if (synthetic_out) {
            *synthetic_out = result.synthetic;
            result.synthetic = NULL;
        }
    }
    scarce_table_free(result.table);
    scarce__free(result.synthetic);
    return st;
}

void scarce_resample_flags_free(uint8_t *synthetic)
{
    scarce__free(synthetic);
}

scarce_status scarce__resample_rows(scarce__resampled *out, const scarce_table *table, const uint32_t *rows,
                                    size_t n, size_t n_original, scarce_context *ctx, scarce_error *err)
{
    out->synthetic = scarce__malloc(n);
    if (!out->synthetic) return scarce__fail_memory(err, "the flags of resampled rows", n);
    for (size_t i = 0; i < n; ++i) out->synthetic[i] = i >= n_original || (i > 0 && rows[i] == rows[i - 1]);
    return scarce_table_rows_of(&out->table, table, rows, n, ctx, err);
}
