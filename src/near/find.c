/* SPDX-License-Identifier: Apache-2.0 */
/* What is wanted of the pairs: the k nearest, or whether k are near enough. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "near/inside.h"

int scarce__near_level(void)
{
#if SCARCE__HAVE_AVX2
    const int fma = scarce__cpu_avx2() && __builtin_cpu_supports("fma");
    if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return 2;
    return fma;
#else
    return 0;
#endif
}

const scarce__near_kernels *scarce__near_kernels_of(int level)
{
#if SCARCE__HAVE_AVX2
    if (level == 2) return &scarce__near_avx512;
    if (level == 1) return &scarce__near_avx2;
#endif
    (void)level;
    return &scarce__near_plain;
}

scarce_status scarce__near_progress(scarce_context *ctx, size_t done, size_t total, scarce_error *err)
{
    const scarce_progress p = {"neighbours", (double)done, (double)total, "rows", "", NULL, 0};
    return scarce__progress(ctx, &p) ? scarce__fail(err, SCARCE_ECANCEL, "stopped") : SCARCE_OK;
}

static scarce_status run(const scarce__scan *scan, int tree, scarce_context *ctx, scarce_error *err)
{
    if (scan->ask->from.n == 0 || scan->ask->among.n == 0) return SCARCE_OK;
    if (scan->ask->space->n_sparse) return scarce__scan_sparse(scan, ctx, err);
    return tree ? scarce__scan_tree(scan, ctx, err) : scarce__scan_blocks(scan, ctx, err);
}

scarce_status scarce__scan_run(const scarce__scan *scan, scarce_context *ctx, scarce_error *err)
{
    return run(scan, scarce__near_tree_suits(scan->ask), ctx, err);
}

double scarce__near_memory(const scarce__near *ask, int threads)
{
    if (ask->space->n_sparse) return scarce__near_sparse_memory(ask, threads);
    if (scarce__near_tree_suits(ask)) return scarce__near_tree_memory(ask, threads);
    return scarce__scan_memory(ask, threads);
}

/* ---- the k nearest: a sorted list for each query, which is the result */

typedef struct nearest {
    uint32_t *index;
    double *value;
    size_t k;
} nearest;

static double nearest_wants(void *sink, size_t i)
{
    const nearest *s = sink;
    return s->value[i * s->k + s->k - 1];
}

static double nearest_take(void *sink, size_t i, double value, uint32_t row)
{
    nearest *s = sink;
    double *v = s->value + i * s->k;
    uint32_t *index = s->index + i * s->k;
    size_t at = s->k - 1;

    if (value > v[at] || (value == v[at] && row > index[at])) return v[at];
    for (; at > 0 && (value < v[at - 1] || (value == v[at - 1] && row < index[at - 1])); --at) {
        v[at] = v[at - 1];
        index[at] = index[at - 1];
    }
    v[at] = value;
    index[at] = row;
    return v[s->k - 1];
}

scarce_status scarce__near_find_at(uint32_t *index, double *square, const scarce__near *ask, int level,
                                   int tree, scarce_context *ctx, scarce_error *err)
{
    const size_t n = ask->from.n * ask->k;
    nearest sink = {index, square, ask->k};
    const scarce__scan scan = {ask, level, &sink, nearest_wants, nearest_take, 0};

    for (size_t i = 0; i < n; ++i) {
        index[i] = UINT32_MAX;
        square[i] = (double)INFINITY;
    }
    SCARCE__TRY(run(&scan, tree, ctx, err));
    for (size_t i = 0; i < n; ++i) {
        if (index[i] == UINT32_MAX) square[i] = (double)NAN;
        else if (ask->farthest) square[i] = -square[i];
    }
    return SCARCE_OK;
}

scarce_status scarce__near_find(uint32_t *index, double *square, const scarce__near *ask, scarce_context *ctx,
                                scarce_error *err)
{
    return scarce__near_find_at(index, square, ask, scarce__near_level(), scarce__near_tree_suits(ask), ctx,
                                err);
}

/* ---- are there k before a bound? */

typedef struct counter {
    uint32_t *count, *witness;
    const double *bound;
    const uint32_t *bound_row;
    size_t k;
} counter;

static double counter_wants(void *sink, size_t i)
{
    const counter *s = sink;
    if (s->count[i] >= s->k) return -(double)INFINITY;
    return isnan(s->bound[i]) ? (double)INFINITY : s->bound[i];
}

static double counter_take(void *sink, size_t i, double value, uint32_t row)
{
    counter *s = sink;
    if (!(value > s->bound[i]) && (value != s->bound[i] || row < s->bound_row[i])) {
        if (s->witness) s->witness[i * s->k + s->count[i]] = row;
        ++s->count[i];
    }
    return counter_wants(sink, i);
}

scarce_status scarce__near_count(uint32_t *count, uint32_t *witness, const scarce__near *ask,
                                 const double *bound, const uint32_t *bound_row, scarce_context *ctx,
                                 scarce_error *err)
{
    counter sink = {count, witness, bound, bound_row, ask->k};
    const scarce__scan scan = {ask, scarce__near_level(), &sink, counter_wants, counter_take, 1};

    memset(count, 0, ask->from.n * sizeof *count);
    return scarce__scan_run(&scan, ctx, err);
}
