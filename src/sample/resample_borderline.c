/* SPDX-License-Identifier: Apache-2.0 */
/* borderline-smote-1 and -2, svm-smote: new positives at the border alone.
 *
 * Of the m nearest of all rows of a positive m' are negative. It is *noise* when all are, *in danger* when at least
 * half but not all are, else safe.
 *     borderline-smote-1   from positives in danger towards their k nearest positives (Han et al. 2005)
 *     borderline-smote-2   towards their k nearest of all rows; to negatives half as far at most
 *     svm-smote            from positives that are support vectors of an SVM, not noise: towards their
 *                          nearest positives where they are in danger, away from them (up to half their distance)
 *                          where they are safe; half of the rows each (Nguyen et al. 2011)
 * The SVM is ours: linear (squared hinge, C = 1, standardised columns, all rows), or with kernel=rbf the one of
 * rbf.h, on the positives and the nearest negatives of each. Support vectors are rows with y f(x) < 1, for rbf
 * also those on the margin within its tolerance. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "linear/linear.h"
#include "sample/rbf.h"
#include "sample/synthesis.h"

typedef struct border_options {
    scarce__smote_options smote;
    int64_t m;
} border_options;

static const scarce__param border_params[] = {
    {"m", "m_neighbors", SCARCE__INT, offsetof(border_options, m), "10", 1, 1000, NULL,
     "nearest rows that decide whether a positive is in danger: at least half of them negative, but not all",
     NULL, NULL},
};
static const scarce__param_part parts[] = {{scarce__smote_params, SCARCE__N_SMOTE_PARAMS, 0},
                                           SCARCE__PART(border_params, 0)};

enum { KERNEL_LINEAR = 0, KERNEL_RBF = 1 };

typedef struct svm_options {
    border_options border;
    int kernel;
    double c, gamma;
} svm_options;

static const scarce__param svm_params[] = {
    {"kernel", "", SCARCE__CHOICE, offsetof(svm_options, kernel), "linear", 0, 0, "linear|rbf",
     "the machine whose support vectors are used: linear, on all rows; rbf: exp(-gamma distance^2), on the "
     "positives and the negatives nearest to them, 4000 rows at most",
     NULL, NULL},
    {"c", "C", SCARCE__REAL, offsetof(svm_options, c), "1", 1e-6, 1e6, NULL,
     "what a row inside the margin costs", NULL, "kernel=rbf"},
    {"gamma", "", SCARCE__REAL, offsetof(svm_options, gamma), "auto", 1e-9, 1e9, NULL,
     "how fast the kernel falls with distance. auto: 1 by the number of features", NULL, "kernel=rbf"},
};
static const scarce__param_part svm_parts[] = {{scarce__smote_params, SCARCE__N_SMOTE_PARAMS, 0},
                                               SCARCE__PART(border_params, 0),
                                               SCARCE__PART(svm_params, 0)};

typedef enum place { SAFE, DANGER, NOISE } place;

/* Where each of n rows lies, in place[0..n-1]. */
static scarce_status judge(uint8_t *where, const uint32_t *rows, size_t n, const border_options *o,
                           const scarce__space *space, const scarce_table *t, scarce_context *ctx,
                           scarce_error *err)
{
    const size_t m = (size_t)o->m < t->n_rows - 1 ? (size_t)o->m : t->n_rows - 1;
    uint32_t *negatives = scarce__malloc_array(n, sizeof *negatives);
    scarce_status st;

    if (!negatives) return scarce__fail_memory(err, "neighbours", 0);
    st = scarce__count_negatives(negatives, rows, n, m, space, t, ctx, err);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i)
        where[i] = (uint8_t)(negatives[i] == m ? NOISE : 2 * negatives[i] >= m ? DANGER : SAFE);
    scarce__free(negatives);
    return st;
}

/* Positives, and which of them lie where; the caller frees both. */
typedef struct judged {
    uint32_t *rows;
    uint8_t *where;
    size_t n;
} judged;

static void judged_deinit(judged *j)
{
    scarce__free(j->rows);
    scarce__free(j->where);
}

static scarce_status judge_positives(judged *out, const border_options *o, const scarce__space *space,
                                     const scarce_table *t, const double *score, scarce_context *ctx,
                                     scarce_error *err)
{
    out->rows = scarce__rows_of_class(t, 1);
    out->where = scarce__malloc(t->n_positives);
    if (!out->rows || !out->where) return scarce__fail_memory(err, "the positives", 0);
    for (size_t i = 0; i < t->n_positives; ++i)
        if (!score || score[out->rows[i]] < 1) out->rows[out->n++] = out->rows[i];
    return judge(out->where, out->rows, out->n, o, space, t, ctx, err);
}

static size_t count_where(const judged *j, place where)
{
    size_t n = 0;
    for (size_t i = 0; i < j->n; ++i) n += j->where[i] == (uint8_t)where;
    return n;
}

/* Neighbours for all seeds: among the positives, or among all rows. */
static scarce_status find_others(scarce__seeds *s, const scarce__space *space, const scarce_table *t, int all,
                                 scarce_context *ctx, scarce_error *err)
{
    uint32_t *positives = all ? NULL : scarce__rows_of_class(t, 1);
    scarce_status st;

    if (!all && !positives) return scarce__fail_memory(err, "the positives", 0);
    st = scarce__seeds_find(s, space, t, positives, all ? t->n_rows : t->n_positives, ctx, err);
    scarce__free(positives);
    return st;
}

static scarce_status seed_danger(scarce__seeds *seeds, const scarce__space *space, const scarce_table *t,
                                 const border_options *o, int all, size_t wanted, scarce_context *ctx,
                                 scarce_error *err)
{
    judged j = {0};
    size_t n = 0;
    scarce_status st = judge_positives(&j, o, space, t, NULL, ctx, err);
    const size_t n_danger = st == SCARCE_OK ? count_where(&j, DANGER) : 0;

    if (st == SCARCE_OK && !n_danger)
        st = scarce__fail(
            err, SCARCE_EDATA,
            "no positive is in danger (at least half but not all of its m=%d nearest rows negative): "
            "there is no border to make rows at; use smote",
            (int)o->m);
    if (st == SCARCE_OK) st = scarce__seeds_init(seeds, n_danger, (size_t)o->smote.k, err);
    for (size_t i = 0; st == SCARCE_OK && i < j.n; ++i)
        if (j.where[i] == DANGER) seeds->base[n++] = j.rows[i];
    if (st == SCARCE_OK) st = find_others(seeds, space, t, all, ctx, err);
    if (st == SCARCE_OK) st = scarce__seeds_share(seeds, 0, n, wanted, ctx, err);
    judged_deinit(&j);
    return st;
}

static scarce_status seed_border_1(scarce__seeds *seeds, scarce__space *space, const scarce_table *t,
                                   const void *options, size_t wanted, scarce_context *ctx, scarce_error *err)
{
    return seed_danger(seeds, space, t, options, 0, wanted, ctx, err);
}

static scarce_status seed_border_2(scarce__seeds *seeds, scarce__space *space, const scarce_table *t,
                                   const void *options, size_t wanted, scarce_context *ctx, scarce_error *err)
{
    return seed_danger(seeds, space, t, options, 1, wanted, ctx, err);
}

/* ---- svm-smote */

static scarce_status score_svm(double *score, const scarce_table *t, scarce_context *ctx, scarce_error *err)
{
    scarce__linear_options o = scarce__linear_options_init();
    scarce__linear model;

    o.loss = SCARCE__LINEAR_SVM;
    memset(&model, 0, sizeof model);
    SCARCE__TRY(scarce__linear_train(&model, NULL, t, &o, ctx, err));
    scarce__linear_score_table(&model, t, score, ctx);
    scarce__linear_deinit(&model);
    return SCARCE_OK;
}

typedef struct score_job {
    const scarce__rbf *model;
    const uint32_t *positives;
    double *score;
} score_job;

static void score_one(void *arg, size_t i, int worker)
{
    const score_job *j = arg;
    const uint32_t row = j->positives[i];
    (void)worker;
    /* below 1, as of a linear machine, means inside the margin or on it */
    j->score[row] = scarce__rbf_score(j->model, row) - 2 * SCARCE__RBF_TOLERANCE;
}

/* Of the positives alone: nobody asks for the others. */
static scarce_status score_rbf(double *score, const svm_options *o, const scarce__space *space,
                               const scarce_table *t, scarce_context *ctx, scarce_error *err)
{
    const size_t features = space->n_numbers + space->n_codes + space->n_sparse;
    const double gamma = isnan(o->gamma) ? 1 / (double)(features ? features : 1) : o->gamma;
    uint32_t *rows = NULL, *positives = scarce__rows_of_class(t, 1);
    scarce__rbf model = {0};
    size_t n = 0;
    scarce_status st;

    if (!positives) return scarce__fail_memory(err, "the positives", 0);
    st = scarce__rbf_rows(&rows, &n, space, t, ctx, err);
    if (st == SCARCE_OK) st = scarce__rbf_train(&model, space, t, rows, n, o->c, gamma, ctx, err);
    if (st == SCARCE_OK) {
        score_job j = {&model, positives, score};
        scarce__pool_run(scarce__context_pool(ctx), t->n_positives, score_one, &j);
    }
    scarce__rbf_deinit(&model);
    scarce__free(rows);
    scarce__free(positives);
    return st;
}

/* Those in danger first, each part with its share. */
static scarce_status seed_both(scarce__seeds *seeds, const judged *j, const scarce__space *space,
                               const scarce_table *t, size_t k, size_t wanted, scarce_context *ctx,
                               scarce_error *err)
{
    const size_t danger = count_where(j, DANGER), safe = count_where(j, SAFE);
    const size_t inwards = !safe ? wanted : !danger ? 0 : wanted / 2;
    scarce__seeds part = {0};
    scarce_status st;

    SCARCE__TRY(scarce__seeds_init(seeds, danger + safe, k, err));
    for (int where = DANGER, n = 0, at = 0; where >= SAFE; --where, at += n) { /* rows ascend within a part */
        n = 0;
        for (size_t i = 0; i < j->n; ++i)
            if (j->where[i] == (uint8_t)where) seeds->base[at + n++] = j->rows[i];
        if (!n) continue;
        part = (scarce__seeds){
            .n = (size_t)n, .k = k, .base = seeds->base + at, .other = seeds->other + (size_t)at * k};
        SCARCE__TRY(find_others(&part, space, t, 0, ctx, err));
        for (int i = 0; i < n; ++i) seeds->reach[at + i] = where == DANGER ? 1 : -0.5f;
    }
    st = danger ? scarce__seeds_share(seeds, 0, danger, inwards, ctx, err) : SCARCE_OK;
    return st == SCARCE_OK && safe ? scarce__seeds_share(seeds, danger, safe, wanted - inwards, ctx, err)
                                   : st;
}

static scarce_status seed_svm(scarce__seeds *seeds, scarce__space *space, const scarce_table *t,
                              const void *options, size_t wanted, scarce_context *ctx, scarce_error *err)
{
    const svm_options *svm = options;
    const border_options *o = &svm->border;
    double *score = scarce__malloc_array(t->n_rows, sizeof *score);
    judged j = {0};
    scarce_status st;

    if (!score) return scarce__fail_memory(err, "scores", t->n_rows * sizeof *score);
    if (svm->kernel == KERNEL_RBF) st = score_rbf(score, svm, space, t, ctx, err);
    else st = score_svm(score, t, ctx, err);
    if (st == SCARCE_OK) st = judge_positives(&j, o, space, t, score, ctx, err);
    if (st == SCARCE_OK && j.n == count_where(&j, NOISE))
        st = scarce__fail(
            err, SCARCE_EDATA,
            "%zu of %zu positives are support vectors, and all m=%d rows around each are negative: "
            "svm-smote has nothing to start from; use smote",
            j.n, t->n_positives, (int)o->m);
    if (st == SCARCE_OK) st = seed_both(seeds, &j, space, t, (size_t)o->smote.k, wanted, ctx, err);
    judged_deinit(&j);
    scarce__free(score);
    return st;
}

static scarce_status run_1(scarce__recipe *out, const scarce_table *t, const void *options,
                           scarce_context *ctx, scarce_error *err)
{
    return scarce__run_seeds(out, t, options, SCARCE__SCALE_AUTO, seed_border_1, 0, ctx, err);
}

static scarce_status run_2(scarce__recipe *out, const scarce_table *t, const void *options,
                           scarce_context *ctx, scarce_error *err)
{
    return scarce__run_seeds(out, t, options, SCARCE__SCALE_AUTO, seed_border_2, 0, ctx, err);
}

static scarce_status run_svm(scarce__recipe *out, const scarce_table *t, const void *options,
                             scarce_context *ctx, scarce_error *err)
{
    return scarce__run_seeds(out, t, options, SCARCE__SCALE_AUTO, seed_svm, 0, ctx, err);
}

const scarce__resampler scarce__resample_borderline_1 = {
    "borderline-smote-1",
    "SMOTE from positives that have about as many negatives as positives around them.",
    {parts, 2, sizeof(border_options)},
    run_1,
    NULL,
};
const scarce__resampler scarce__resample_borderline_2 = {
    "borderline-smote-2",
    "The same as borderline-smote-1, but also towards negatives, half as far at most.",
    {parts, 2, sizeof(border_options)},
    run_2,
    NULL,
};
const scarce__resampler scarce__resample_svm_smote = {
    "svm-smote",
    "SMOTE from positives that are support vectors of a linear or RBF SVM, outwards where they are safe.",
    {svm_parts, 3, sizeof(svm_options)},
    run_svm,
    NULL,
};
