/* SPDX-License-Identifier: Apache-2.0 */
/* random-under and random-over: to a ratio r = positives / negatives.
 *
 * random-under keeps all positives P and m = min(N, round(P / r)) of the N negatives, chosen uniformly:
 * without replacement by going through the rows once and taking a negative with probability
 * (still wanted) / (still to come), which gives every subset of m the same chance (Knuth, algorithm 3.4.2 S)
 * in the original order.
 * random-over keeps all rows and adds max(0, round(r N) - P) copies of positives, drawn with replacement.
 *
 * A table that is at the ratio already, or beyond it, comes back as a copy. */
#include <math.h>
#include <stddef.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "sample/resample.h"

typedef struct under_options {
    double ratio;
    int replacement;
} under_options;

static const scarce__param under_params[] = {
    {"ratio", "sampling_strategy", SCARCE__REAL, offsetof(under_options, ratio), "1", 1e-9, 1e9, NULL,
     "positives per negative wanted in the result", NULL},
    {"replacement", "", SCARCE__BOOL, offsetof(under_options, replacement), "false", 0, 1, NULL,
     "draw the negatives with replacement", NULL},
};

/* The rows of a class. NULL: out of memory. */
static uint32_t *class_rows(const scarce_table *t, int positive)
{
    uint32_t *rows =
        scarce__malloc_array(positive ? t->n_positives : t->n_rows - t->n_positives, sizeof *rows);
    for (size_t i = 0, k = 0; rows && i < t->n_rows; ++i)
        if (t->label[i] == positive) rows[k++] = (uint32_t)i;
    return rows;
}

/* How often each row is taken when m of the negatives are drawn with replacement. NULL: out of memory. */
static uint32_t *draw_times(const scarce_table *t, size_t m, scarce__random *random)
{
    const size_t n_negatives = t->n_rows - t->n_positives;
    uint32_t *times = scarce__calloc(t->n_rows, sizeof *times), *negatives = class_rows(t, 0);

    for (size_t i = 0; times && i < t->n_rows; ++i) times[i] = t->label[i];
    for (size_t k = 0; times && negatives && k < m; ++k)
        ++times[negatives[scarce__random_below(random, n_negatives)]];
    if (!negatives) {
        scarce__free(times);
        times = NULL;
    }
    scarce__free(negatives);
    return times;
}

static void take_subset(uint32_t *rows, const scarce_table *t, size_t m, scarce__random *random)
{
    size_t k = 0, to_come = t->n_rows - t->n_positives;

    for (size_t i = 0; i < t->n_rows; ++i) {
        if (t->label[i]) {
            rows[k++] = (uint32_t)i;
        } else if (scarce__random_below(random, to_come--) < m) {
            rows[k++] = (uint32_t)i;
            --m;
        }
    }
}

static scarce_status run_under(scarce__resampled *out, const scarce_table *t, const void *options,
                               scarce_context *ctx, scarce_error *err)
{
    const under_options *o = options;
    const size_t n_negatives = t->n_rows - t->n_positives;
    const double wanted = floor((double)t->n_positives / o->ratio + 0.5);
    const size_t m = wanted < 1 ? 1 : wanted < (double)n_negatives ? (size_t)wanted : n_negatives;
    const size_t n = t->n_positives + m;
    scarce__random random = scarce__random_start(scarce_context_seed(ctx), SCARCE__FOR_RESAMPLE, 0);
    uint32_t *rows = scarce__malloc_array(n, sizeof *rows), *times = NULL;
    scarce_status st;

    if (rows && o->replacement) times = draw_times(t, m, &random);
    if (!rows || (o->replacement && !times)) {
        scarce__free(rows);
        return scarce__fail_memory(err, "the rows to keep", n * sizeof *rows);
    }
    if (times) {
        for (size_t i = 0, k = 0; i < t->n_rows; ++i)
            for (uint32_t j = 0; j < times[i]; ++j) rows[k++] = (uint32_t)i;
    } else {
        take_subset(rows, t, m, &random);
    }
    out->exact = 1;
    st = scarce__resample_rows(out, t, rows, n, n, ctx, err);
    scarce__free(times);
    scarce__free(rows);
    return st;
}

const scarce__resampler scarce__resample_under = {
    "random-under",
    "Removes negatives at random until there are `ratio` positives per negative.",
    {"random-under", under_params, sizeof under_params / sizeof *under_params, sizeof(under_options)},
    run_under,
};

typedef struct over_options {
    double ratio;
} over_options;

static const scarce__param over_params[] = {
    {"ratio", "sampling_strategy", SCARCE__REAL, offsetof(over_options, ratio), "1", 1e-9, 1e9, NULL,
     "positives per negative wanted in the result", NULL},
};

static scarce_status run_over(scarce__resampled *out, const scarce_table *t, const void *options,
                              scarce_context *ctx, scarce_error *err)
{
    const over_options *o = options;
    const double wanted = floor(o->ratio * (double)(t->n_rows - t->n_positives) + 0.5);
    const double added = wanted > (double)t->n_positives ? wanted - (double)t->n_positives : 0;
    scarce__random random = scarce__random_start(scarce_context_seed(ctx), SCARCE__FOR_RESAMPLE, 0);
    uint32_t *rows, *positives;
    scarce_status st = SCARCE_ENOMEM;
    size_t n;

    if ((double)t->n_rows + added >= (double)UINT32_MAX)
        return scarce__fail(err, SCARCE_EINVAL, "ratio=%g needs %.0f rows, more than a table holds", o->ratio,
                            (double)t->n_rows + added);
    n = t->n_rows + (size_t)added;
    rows = scarce__malloc_array(n, sizeof *rows);
    positives = class_rows(t, 1);
    if (rows && positives) {
        for (size_t i = 0; i < t->n_rows; ++i) rows[i] = (uint32_t)i;
        for (size_t i = t->n_rows; i < n; ++i)
            rows[i] = positives[scarce__random_below(&random, t->n_positives)];
        out->exact = 1;
        st = scarce__resample_rows(out, t, rows, n, t->n_rows, ctx, err);
    } else {
        scarce__fail_memory(err, "the rows to repeat", n * sizeof *rows);
    }
    scarce__free(rows);
    scarce__free(positives);
    return st;
}

const scarce__resampler scarce__resample_over = {
    "random-over",
    "Repeats positives at random until there are `ratio` positives per negative.",
    {"random-over", over_params, sizeof over_params / sizeof *over_params, sizeof(over_options)},
    run_over,
};
