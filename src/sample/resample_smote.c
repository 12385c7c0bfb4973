/* SPDX-License-Identifier: Apache-2.0 */
/* smote, smote-nc, adasyn: new positives between a positive and one of its k nearest positives.
 *
 *     smote      every positive makes equally many (Chawla et al. 2002). One step per row, or with per_feature one
 *                per feature, the other reading of that paper: then a new row lies in the box of the two.
 *     smote-nc   its distance for categories: each that differs counts the median of the positives' standard
 *                deviations; new rows get the category that most of the k neighbours have (same paper, 6.1)
 *     adasyn     a positive makes rows in proportion to the negatives among its k nearest of all rows (He et al.
 *                2008); shares are rounded so that the total is met
 *
 * Fewer than k + 1 positives: the neighbours there are, with a note. One positive: refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "sample/synthesis.h"

const scarce__param scarce__smote_params[] = {
    SCARCE__RATIO_PARAM(scarce__smote_options),
    {"k", "k_neighbors,n_neighbors", SCARCE__INT, offsetof(scarce__smote_options, k), "5", 1, 1000, NULL,
     "nearest positives towards which new rows are made", NULL, NULL},
    {"per_feature", "", SCARCE__BOOL, offsetof(scarce__smote_options, per_feature), "false", 0, 1, NULL,
     "draw a step for each feature instead of one for the row", NULL, NULL},
    SCARCE__SCALE_PARAM(scarce__smote_options),
};

static const scarce__param_part smote_parts[] = {{scarce__smote_params, SCARCE__N_SMOTE_PARAMS, 0}};

scarce_status scarce__run_seeds(scarce__recipe *out, const scarce_table *t, const void *options,
                                scarce__near_scale by_default, scarce__seed_fn seed, int how,
                                scarce_context *ctx, scarce_error *err)
{
    const scarce__smote_options *o = options;
    const scarce__near_scale scale = o->scale ? (scarce__near_scale)o->scale : by_default;
    scarce__seeds seeds = {0};
    scarce__space space;
    size_t wanted = 0;
    scarce_status st;

    SCARCE__TRY(scarce__rows_to_add(&wanted, t, o->ratio, err));
    if (!wanted) return SCARCE_OK;
    if (t->n_positives < 2)
        return scarce__fail(err, SCARCE_EDATA,
                            "1 positive: rows can't be made between it and others; random-over repeats it");
    SCARCE__TRY(scarce__space_init(&space, t, scale, ctx, err));
    st = seed(&seeds, &space, t, options, wanted, ctx, err);
    if (o->per_feature) how |= SCARCE__SYNTHESIS_PER_FEATURE;
    if (st == SCARCE_OK) st = scarce__synthesise(out, t, &seeds, how, ctx, err);
    scarce__seeds_deinit(&seeds);
    scarce__space_deinit(&space);
    return st;
}

/* All positives as seeds, with their nearest positives. */
static scarce_status seed_positives(scarce__seeds *seeds, const scarce__space *space, const scarce_table *t,
                                    const scarce__smote_options *o, scarce_context *ctx, scarce_error *err)
{
    uint32_t *positives = scarce__rows_of_class(t, 1);
    scarce_status st;

    if (!positives) return scarce__fail_memory(err, "the positives", 0);
    st = scarce__seeds_init(seeds, t->n_positives, (size_t)o->k, err);
    if (st == SCARCE_OK) {
        memcpy(seeds->base, positives, t->n_positives * sizeof *positives);
        st = scarce__seeds_find(seeds, space, t, positives, t->n_positives, ctx, err);
    }
    scarce__free(positives);
    return st;
}

/* ---- smote */

static scarce_status seed_evenly(scarce__seeds *seeds, scarce__space *space, const scarce_table *t,
                                 const void *options, size_t wanted, scarce_context *ctx, scarce_error *err)
{
    SCARCE__TRY(seed_positives(seeds, space, t, options, ctx, err));
    return scarce__seeds_share(seeds, 0, seeds->n, wanted, ctx, err);
}

scarce_status scarce__run_smote(scarce__recipe *out, const scarce_table *t, const void *options,
                                scarce_context *ctx, scarce_error *err)
{
    return scarce__run_seeds(out, t, options, SCARCE__SCALE_AUTO, seed_evenly, 0, ctx, err);
}

const scarce__resampler scarce__resample_smote = {
    "smote",
    "Makes up positives between a positive and one of its k nearest positives.",
    {smote_parts, 1, sizeof(scarce__smote_options)},
    scarce__run_smote,
    NULL,
};

/* ---- smote-nc */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The standard deviation of a column among the positives, in the scale of the space. */
static double positive_spread(const scarce_table *t, const scarce__space *s, size_t i)
{
    const size_t f = s->number[i];
    const int sparse = t->schema.features[f].kind == SCARCE_COLUMN_SPARSE;
    const scarce__column *c = &t->columns[f];
    double sum = 0, square = 0, n = 0;

    for (size_t row = 0, at = 0; row < t->n_rows; ++row) {
        float x = 0;
        if (!sparse) x = c->number[row];
        else if (at < c->sparse.count && c->sparse.row[at] == row) x = c->sparse.value[at++];
        if (!t->label[row] || !isfinite(x)) continue;
        const double z = ((double)x - s->center[i]) * s->scale[i];
        sum += z;
        square += z * z;
        ++n;
    }
    const double variance = n > 0 ? square / n - (sum / n) * (sum / n) : 0;
    return variance > 0 ? sqrt(variance) : 0;
}

static scarce_status set_category_square(scarce__space *s, const scarce_table *t, scarce_error *err)
{
    double *spread = scarce__malloc_array(s->n_numbers, sizeof *spread), median;

    if (!spread) return scarce__fail_memory(err, "spreads of columns", 0);
    for (size_t i = 0; i < s->n_numbers; ++i) spread[i] = positive_spread(t, s, i);
    qsort(spread, s->n_numbers, sizeof *spread, by_value);
    if (s->n_numbers) { /* without numbers categories count 1, whatever that is */
        median = (spread[s->n_numbers / 2] + spread[(s->n_numbers - 1) / 2]) / 2;
        s->category_square = median * median;
    }
    scarce__free(spread);
    return SCARCE_OK;
}

static scarce_status seed_nc(scarce__seeds *seeds, scarce__space *space, const scarce_table *t,
                             const void *options, size_t wanted, scarce_context *ctx, scarce_error *err)
{
    SCARCE__TRY(set_category_square(space, t, err));
    return seed_evenly(seeds, space, t, options, wanted, ctx, err);
}

static scarce_status run_smote_nc(scarce__recipe *out, const scarce_table *t, const void *options,
                                  scarce_context *ctx, scarce_error *err)
{
    return scarce__run_seeds(out, t, options, SCARCE__SCALE_STANDARD, seed_nc, SCARCE__SYNTHESIS_VOTE, ctx,
                             err);
}

const scarce__resampler scarce__resample_smote_nc = {
    "smote-nc",
    "SMOTE for categories: one that differs counts the median of the positives' standard deviations, and new "
    "rows "
    "get the category of most neighbours.",
    {smote_parts, 1, sizeof(scarce__smote_options)},
    run_smote_nc,
    NULL,
};

/* ---- adasyn */

/* times[i] so that the first i together have the rounded sum of their shares: the total is met exactly. */
static void share_by(scarce__seeds *s, const uint32_t *negatives, size_t sum, size_t total)
{
    uint64_t before = 0, so_far = 0;
    for (size_t i = 0; i < s->n; ++i) {
        so_far += negatives[i];
        const uint64_t upto = (uint64_t)floor((double)total * ((double)so_far / (double)sum) + 0.5);
        s->times[i] = (uint32_t)(upto - before);
        before = upto;
    }
}

scarce_status scarce__count_negatives(uint32_t *negatives, const uint32_t *rows, size_t n, size_t k,
                                      const scarce__space *space, const scarce_table *t, scarce_context *ctx,
                                      scarce_error *err)
{
    const scarce__near ask = {space, {t, rows, n}, {t, NULL, t->n_rows}, k, 0};
    uint32_t *index = scarce__malloc_array(n, k * sizeof *index);
    double *square = scarce__malloc_array(n, k * sizeof *square);
    scarce_status st;

    if (index && square) st = scarce__near_find(index, square, &ask, ctx, err);
    else st = scarce__fail_memory(err, "neighbours", 0);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) {
        negatives[i] = 0;
        for (size_t j = 0; j < k && index[i * k + j] != UINT32_MAX; ++j)
            negatives[i] += !t->label[index[i * k + j]];
    }
    scarce__free(index);
    scarce__free(square);
    return st;
}

static scarce_status seed_by_density(scarce__seeds *s, scarce__space *space, const scarce_table *t,
                                     const void *options, size_t wanted, scarce_context *ctx,
                                     scarce_error *err)
{
    uint32_t *negatives;
    size_t sum = 0;
    scarce_status st;

    SCARCE__TRY(seed_positives(s, space, t, options, ctx, err));
    negatives = scarce__malloc_array(s->n, sizeof *negatives);
    if (!negatives) return scarce__fail_memory(err, "neighbours", 0);
    st = scarce__count_negatives(negatives, s->base, s->n, s->k, space, t, ctx, err);
    for (size_t i = 0; st == SCARCE_OK && i < s->n; ++i) sum += negatives[i];
    if (st == SCARCE_OK && !sum)
        st = scarce__fail(
            err, SCARCE_EDATA,
            "no positive has a negative among its %zu nearest rows: adasyn has nothing to go by; "
            "use smote",
            s->k);
    if (st == SCARCE_OK) share_by(s, negatives, sum, wanted);
    scarce__free(negatives);
    return st;
}

static scarce_status run_adasyn(scarce__recipe *out, const scarce_table *t, const void *options,
                                scarce_context *ctx, scarce_error *err)
{
    return scarce__run_seeds(out, t, options, SCARCE__SCALE_AUTO, seed_by_density, 0, ctx, err);
}

const scarce__resampler scarce__resample_adasyn = {
    "adasyn",
    "SMOTE that makes more rows where a positive has more negatives around it.",
    {smote_parts, 1, sizeof(scarce__smote_options)},
    run_adasyn,
    NULL,
};
