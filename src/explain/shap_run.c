/* SPDX-License-Identifier: Apache-2.0 */
/* Explaining one row or many with a prepared explainer: scratch space, blocks, and the choice of kernels. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/columns.h"
#include "explain/shap_x86.h"

#define LANES 2
#include "explain/shap_kernel.h"

static void tile_plain(const scarce__shap *shap, const scarce__shap_tree *tree, const scarce__shap_work *work,
                       size_t at)
{
    tile_body(shap, tree, work, at);
}

static void one_plain(const scarce__shap *shap, const scarce__shap_tree *tree, const float *row, double *sums,
                      double *work, uint32_t *state)
{
    one_body(shap, tree, row, sums, work, state);
}

static const scarce__shap_kernels plain = {tile_plain, one_plain};

const scarce__shap_kernels *scarce__shap_kernels_of(int level)
{
#if SCARCE__HAVE_AVX2
    if (level == 2) return &scarce__shap_avx512;
    if (level == 1) return &scarce__shap_avx2;
#endif
    (void)level;
    return &plain;
}

int scarce__shap_set_level(scarce__shap *shap, int level)
{
    int most = scarce__cpu_avx2();
#if SCARCE__HAVE_AVX2
    if (most && (scarce__cpu() & SCARCE__CPU_AVX512)) most = 2;
#endif
    shap->level = level < 0 ? 0 : level > most ? most : level;
    return shap->level;
}

enum { STACK_WORK = 768, STACK_LEVELS = 128 };

/* ---- deep trees: four points at a time, their constants made on the way */

typedef struct few_points {
    scarce__shap shap; /* as the whole, with constants of these points alone */
    scarce__shap_tree tree;
} few_points;

/* Points k.. of a deep tree; `constants` has room for most_deep. */
static void take_points(few_points *few, const scarce__shap *shap, const scarce__shap_tree *tree, size_t k,
                        double *constants)
{
    const double *point = shap->points + tree->weights + k;
    const size_t left = tree->n_points - k, n = left < SCARCE__SHAP_FEW ? left : SCARCE__SHAP_FEW;

    few->shap = *shap;
    few->shap.constants = constants;
    few->tree = *tree;
    few->tree.n_points = (uint32_t)n;
    few->tree.padded = SCARCE__SHAP_FEW;
    few->tree.weights = tree->weights + k;
    memset(constants, 0, shap->most_deep * sizeof *constants); /* zeros behind the points */
    for (size_t i = 0; i < tree->n_ops; ++i) {
        const scarce__shap_op *op = shap->ops + tree->op + i;
        const size_t size = scarce__shap_kinds(op->what) * SCARCE__SHAP_FEW;
        for (int which = 0; which < (op->old ? 3 : 2); ++which)
            scarce__shap_constants(shap->edges + tree->edges + i, op->what, which, point, n, SCARCE__SHAP_FEW,
                                   constants + op->constants + (size_t)which * size);
    }
}

static void one_deep(const scarce__shap *shap, const scarce__shap_tree *tree, const float *row, double *sums,
                     double *work, uint32_t *state, double *constants)
{
    few_points few;
    for (size_t k = 0; k < tree->n_points; k += SCARCE__SHAP_FEW) {
        take_points(&few, shap, tree, k, constants);
        scarce__shap_kernels_of(shap->level)->one(&few.shap, &few.tree, row, sums, work, state);
    }
}

static void tiles_deep(const scarce__shap *shap, const scarce__shap_tree *tree, const scarce__shap_work *work,
                       size_t n)
{
    few_points few;
    for (size_t k = 0; k < tree->n_points; k += SCARCE__SHAP_FEW) {
        take_points(&few, shap, tree, k, work->deep);
        for (size_t at = 0; at < n; at += SCARCE__SHAP_TILE)
            scarce__shap_kernels_of(shap->level)->tile(&few.shap, &few.tree, work, at);
    }
}

/* The front of the caller's array holds the contributions of the features used, until they are spread out. */
scarce_status scarce__shap_row(const scarce__shap *shap, const float *row, double *contribution,
                               scarce_error *err)
{
    const scarce__shap_kernels *kernels = scarce__shap_kernels_of(shap->level);
    double few_work[2 * STACK_WORK] __attribute__((aligned(64)));
    uint32_t few_state[2 * STACK_LEVELS];
    double *work = few_work, *deep = NULL;
    uint32_t *state = few_state;

    if (shap->most_work > STACK_WORK || shap->most_levels > STACK_LEVELS) {
        work = scarce__big_alloc(shap->most_work, 2 * sizeof *work);
        state = scarce__malloc_array(shap->most_levels, 2 * sizeof *state);
    }
    if (shap->most_deep) deep = scarce__malloc_array(shap->most_deep, sizeof *deep);
    if (work && state && (deep || !shap->most_deep)) {
        memset(contribution, 0, shap->n_features * sizeof *contribution);
        for (size_t t = 0; t < shap->n_trees; ++t) {
            const scarce__shap_tree *tree = shap->trees + t;
            if (tree->deep) one_deep(shap, tree, row, contribution, work, state, deep);
            else kernels->one(shap, tree, row, contribution, work, state);
        }
        for (size_t i = shap->n_used; i-- > 0;) { /* used[i] >= i, so from the end nothing is lost */
            const double value = contribution[i];
            contribution[i] = 0;
            contribution[shap->used[i]] = value;
        }
    }
    const int failed = !work || !state || (!deep && shap->most_deep);
    scarce__free(deep);
    if (work != few_work) scarce__free(work);
    if (state != few_state) scarce__free(state);
    return failed ? scarce__fail_memory(err, "an explanation", 0) : SCARCE_OK;
}

static void free_work(scarce__shap_work *work)
{
    scarce__free(work->x_sums);
    scarce__free(work->x);
    scarce__free(work->products);
    scarce__free(work->sums);
    scarce__free(work->masks);
    scarce__free(work->deep);
}

static int alloc_work(const scarce__shap *shap, scarce__shap_work *work)
{
    work->x_sums = scarce__big_alloc(shap->n_used, SCARCE__SHAP_BLOCK * sizeof(double));
    work->x = scarce__big_alloc(shap->n_used, SCARCE__SHAP_BLOCK * sizeof(float));
    work->products = scarce__big_alloc(shap->most_work, SCARCE__SHAP_TILE * sizeof(double));
    work->sums = scarce__big_alloc(shap->most_work, SCARCE__SHAP_TILE * sizeof(double));
    work->masks = scarce__big_alloc(shap->most_levels, 3 * SCARCE__SHAP_TILE * sizeof(int64_t));
    work->deep = shap->most_deep ? scarce__malloc_array(shap->most_deep, sizeof(double)) : NULL;
    return work->x_sums && work->x && work->products && work->sums && work->masks &&
           (work->deep || !shap->most_deep);
}

/* At most SCARCE__SHAP_BLOCK rows: a tree's constants stay in the cache for all their tiles. */
static void explain_block(const scarce__shap *shap, const scarce__shap_work *work, size_t n, double *out)
{
    const scarce__shap_kernels *kernels = scarce__shap_kernels_of(shap->level);

    memset(work->x_sums, 0, shap->n_used * SCARCE__SHAP_BLOCK * sizeof(double));
    for (size_t t = 0; t < shap->n_trees; ++t) {
        const scarce__shap_tree *tree = shap->trees + t;
        if (tree->deep) tiles_deep(shap, tree, work, n);
        for (size_t at = 0; at < n && !tree->deep; at += SCARCE__SHAP_TILE)
            kernels->tile(shap, tree, work, at);
    }
    memset(out, 0, n * shap->n_features * sizeof *out);
    for (size_t i = 0; i < shap->n_used; ++i) {
        const double *from = work->x_sums + i * SCARCE__SHAP_BLOCK;
        double *to = out + shap->used[i];
        for (size_t r = 0; r < n; ++r) to[r * shap->n_features] = from[r];
    }
}

scarce_status scarce__shap_columns(const scarce__shap *shap, const scarce__columns *columns, size_t begin,
                                   size_t n, double *out, scarce_error *err)
{
    scarce__shap_work work = {NULL, NULL, NULL, NULL, NULL, NULL};

    if (!alloc_work(shap, &work)) {
        free_work(&work);
        return scarce__fail_memory(err, "explanations", 0);
    }
    for (size_t at = 0; at < n; at += SCARCE__SHAP_BLOCK) {
        const size_t rows = n - at < SCARCE__SHAP_BLOCK ? n - at : SCARCE__SHAP_BLOCK;
        for (size_t i = 0; i < shap->n_used; ++i) {
            float *x = work.x + i * SCARCE__SHAP_BLOCK;
            scarce__columns_take(columns + shap->used[i], begin + at, rows, x, 1);
            for (size_t r = rows; r < SCARCE__SHAP_BLOCK; ++r) x[r] = 0;
        }
        explain_block(shap, &work, rows, out + at * shap->n_features);
    }
    free_work(&work);
    return SCARCE_OK;
}
