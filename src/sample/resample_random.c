/* SPDX-License-Identifier: Apache-2.0 */
/* random-under and random-over: to a ratio r = positives / negatives.
 *
 * random-under keeps all positives P and m = min(N, round(P / r)) of the N negatives, chosen uniformly:
 * without replacement by going through the rows once and taking a negative with probability
 * (still wanted) / (still to come), which gives every subset of m the same chance (Knuth, algorithm 3.4.2 S)
 * in the original order.
 * random-over keeps all rows and adds max(0, round(r N) - P) copies of positives, drawn with replacement.
 *
 * A table that is at the ratio already, or beyond it, stays as it is. */
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
     "positives per negative wanted in the result", NULL, NULL},
    {"replacement", "", SCARCE__BOOL, offsetof(under_options, replacement), "false", 0, 1, NULL,
     "draw the negatives with replacement", NULL, NULL},
};

/* m of the negatives with replacement: those drawn at least once stay, further times are copies. */
static scarce_status draw_with_replacement(scarce__recipe *out, const scarce_table *t, size_t m,
                                           scarce__random *random, scarce_error *err)
{
    const size_t n_negatives = t->n_rows - t->n_positives;
    uint32_t *times = scarce__calloc(t->n_rows, sizeof *times), *negatives = scarce__rows_of_class(t, 0);

    out->keep = scarce__malloc_array(t->n_positives + m, sizeof *out->keep);
    out->base = scarce__malloc_array(m, sizeof *out->base);
    if (!times || !negatives || !out->keep || !out->base) {
        scarce__free(times);
        scarce__free(negatives);
        return scarce__fail_memory(err, "the rows to keep", 0);
    }
    for (size_t k = 0; k < m; ++k) ++times[negatives[scarce__random_below(random, n_negatives)]];
    for (size_t i = 0; i < t->n_rows; ++i) {
        if (t->label[i] || times[i]) out->keep[out->n_keep++] = (uint32_t)i;
        for (uint32_t j = 1; j < times[i]; ++j) out->base[out->n_base++] = (uint32_t)i;
    }
    scarce__free(times);
    scarce__free(negatives);
    return SCARCE_OK;
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

static scarce_status run_under(scarce__recipe *out, const scarce_table *t, const void *options,
                               scarce_context *ctx, scarce_error *err)
{
    const under_options *o = options;
    const size_t m = scarce__rows_to_leave(t, o->ratio);
    scarce__random random = scarce__random_start(scarce_context_seed(ctx), SCARCE__FOR_RESAMPLE, 0);

    out->factor_holds = 1;
    if (o->replacement) return draw_with_replacement(out, t, m, &random, err);
    out->n_keep = t->n_positives + m;
    out->keep = scarce__malloc_array(out->n_keep, sizeof *out->keep);
    if (!out->keep) return scarce__fail_memory(err, "the rows to keep", out->n_keep * sizeof *out->keep);
    take_subset(out->keep, t, m, &random);
    return SCARCE_OK;
}

static const scarce__param_part under_parts[] = {SCARCE__PART(under_params, 0)};
const scarce__resampler scarce__resample_under = {
    "random-under",
    "Removes negatives at random until there are `ratio` positives per negative.",
    {under_parts, 1, sizeof(under_options)},
    run_under,
    NULL,
};

typedef struct over_options {
    double ratio;
} over_options;

static const scarce__param over_params[] = {
    {"ratio", "sampling_strategy", SCARCE__REAL, offsetof(over_options, ratio), "1", 1e-9, 1e9, NULL,
     "positives per negative wanted in the result", NULL, NULL},
};

static scarce_status run_over(scarce__recipe *out, const scarce_table *t, const void *options,
                              scarce_context *ctx, scarce_error *err)
{
    const over_options *o = options;
    scarce__random random = scarce__random_start(scarce_context_seed(ctx), SCARCE__FOR_RESAMPLE, 0);
    uint32_t *positives;

    SCARCE__TRY(scarce__rows_to_add(&out->n_base, t, o->ratio, err));
    out->factor_holds = 1;
    out->base = scarce__malloc_array(out->n_base, sizeof *out->base);
    positives = scarce__rows_of_class(t, 1);
    if (!out->base || !positives) {
        scarce__free(positives);
        return scarce__fail_memory(err, "the rows to repeat", out->n_base * sizeof *out->base);
    }
    for (size_t i = 0; i < out->n_base; ++i)
        out->base[i] = positives[scarce__random_below(&random, t->n_positives)];
    scarce__free(positives);
    return SCARCE_OK;
}

static const scarce__param_part over_parts[] = {SCARCE__PART(over_params, 0)};
const scarce__resampler scarce__resample_over = {
    "random-over",
    "Repeats positives at random until there are `ratio` positives per negative.",
    {over_parts, 1, sizeof(over_options)},
    run_over,
    NULL,
};
