/* SPDX-License-Identifier: Apache-2.0 */
/* Forests: by the cover of the training rows, or against background rows. */
#include "explain/explain.h"
#include "explain/shap.h"
#include "explain/versus.h"

static void free_shap(void *body)
{
    scarce__shap_free(body);
}

static scarce_status shap_row(const void *body, const float *row, double *contribution, scarce_error *err)
{
    return scarce__shap_row(body, row, contribution, err);
}

static scarce_status shap_columns(const void *body, const scarce__columns *columns, size_t begin, size_t n,
                                  double *out, scarce_error *err)
{
    return scarce__shap_columns(body, columns, begin, n, out, err);
}

static void free_versus(void *body)
{
    scarce__versus_free(body);
}

static scarce_status versus_row(const void *body, const float *row, double *contribution, scarce_error *err)
{
    return scarce__versus_row(body, row, contribution, err);
}

static scarce_status versus_columns(const void *body, const scarce__columns *columns, size_t begin, size_t n,
                                    double *out, scarce_error *err)
{
    return scarce__versus_columns(body, columns, begin, n, out, err);
}

static const scarce__explain_calls by_cover = {free_shap, shap_row, shap_columns, 512};
static const scarce__explain_calls by_background = {free_versus, versus_row, versus_columns, 16};

scarce_status scarce__explain_forest(scarce__explain **out, const scarce__forest *forest,
                                     const scarce_table *background, scarce_error *err)
{
    *out = NULL;
    if (background) {
        scarce__versus *versus = NULL;
        SCARCE__TRY(scarce__versus_new(&versus, forest, background, err));
        return scarce__explain_new(out, forest->n_features, scarce__versus_base(versus), versus,
                                   &by_background, err);
    }
    scarce__shap *shap = NULL;
    SCARCE__TRY(scarce__shap_new(&shap, forest, err));
    return scarce__explain_new(out, forest->n_features, scarce__shap_base(shap), shap, &by_cover, err);
}
