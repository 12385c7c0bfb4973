/* SPDX-License-Identifier: Apache-2.0 */
/* Rows between rows: x_new = x + step (x' - x), for a base row x and one of its neighbours x'.
 *
 * What differs between the methods of the SMOTE family is from which rows and towards which (the seeds); how a new
 * row comes of them is the same:
 *     numbers      as above; where either is missing, the value of the nearer end
 *     categories   those of the nearer end, or (vote) the most frequent among the base row's neighbours
 *     roles        group, time, weight, amount of the base row
 * A new row is drawn from the seed (that of the context, or one of the caller's) and the number of its base row
 * alone. */
#ifndef SCARCE_SAMPLE_SYNTHESIS_H
#define SCARCE_SAMPLE_SYNTHESIS_H

#include "near/near.h"
#include "sample/resample.h"

typedef struct scarce__seeds {
    size_t n, k;
    uint32_t *base;  /* n rows */
    uint32_t *other; /* n x k rows, nearest first; UINT32_MAX: none further. Each base has at least one */
    float *reach;    /* n: the step is between 0 and this; negative: away from the neighbour */
    uint32_t *times; /* n: how many rows each makes */
    uint64_t seed;   /* of what is drawn, where the same seeds serve more than once; 0: that of the context */
} scarce__seeds;

/* Room for n seeds, with reach 1. */
scarce_status scarce__seeds_init(scarce__seeds *out, size_t n, size_t k, scarce_error *err);
void scarce__seeds_deinit(scarce__seeds *seeds);
/* `total` rows shared out evenly among seeds first..first+n-1; who makes one more is drawn. */
scarce_status scarce__seeds_share(scarce__seeds *seeds, size_t first, size_t n, size_t total,
                                  scarce_context *ctx, scarce_error *err);
/* The k nearest rows of `among` for each base. Fewer than k: they are what there is, and a note is logged. */
scarce_status scarce__seeds_find(scarce__seeds *seeds, const scarce__space *space, const scarce_table *table,
                                 const uint32_t *among, size_t n_among, scarce_context *ctx,
                                 scarce_error *err);

enum { SCARCE__SYNTHESIS_VOTE = 1, SCARCE__SYNTHESIS_PER_FEATURE = 2 };

/* The recipe that keeps all rows and adds those of the seeds. Steps towards negatives go half as far. */
scarce_status scarce__synthesise(scarce__recipe *out, const scarce_table *table, const scarce__seeds *seeds,
                                 int how, scarce_context *ctx, scarce_error *err);

/* ---- options of the family */

typedef struct scarce__smote_options {
    double ratio;
    int64_t k;
    int per_feature;
    int scale;
} scarce__smote_options;

#define SCARCE__SCALE_PARAM(type)                                                                            \
    {                                                                                                        \
        "scale", "", SCARCE__CHOICE, offsetof(type, scale), "auto", 0, 0, "auto|standard|range|none",        \
            "how numbers are made comparable in distances: by their standard deviation, by their range, "    \
            "not at "                                                                                        \
            "all; auto: standard, or range where there are categories or missing values",                    \
            NULL, NULL                                                                                       \
    }
#define SCARCE__RATIO_PARAM(type)                                                                            \
    {                                                                                                        \
        "ratio", "sampling_strategy", SCARCE__REAL, offsetof(type, ratio), "1", 1e-9, 1e9, NULL,             \
            "positives per negative wanted in the result", NULL, NULL                                        \
    }

extern const scarce__param scarce__smote_params[];
enum { SCARCE__N_SMOTE_PARAMS = 4 };

/* How a method of the family chooses its seeds, with times that add up to `wanted`. The space is the method's own:
 * smote-nc changes it. */
typedef scarce_status (*scarce__seed_fn)(scarce__seeds *out, scarce__space *space, const scarce_table *table,
                                         const void *options, size_t wanted, scarce_context *ctx,
                                         scarce_error *err);
/* What the methods share around that: how many rows are wanted, the space, the rows. `options` begins with
 * scarce__smote_options. EDATA for one positive. */
scarce_status scarce__run_seeds(scarce__recipe *out, const scarce_table *table, const void *options,
                                scarce__near_scale by_default, scarce__seed_fn seed, int how,
                                scarce_context *ctx, scarce_error *err);
/* How many of the k nearest of all rows are negative, and how many there are at all, for each of n rows. */
scarce_status scarce__count_negatives(uint32_t *negatives, const uint32_t *rows, size_t n, size_t k,
                                      const scarce__space *space, const scarce_table *table,
                                      scarce_context *ctx, scarce_error *err);
/* `run` of smote, for those that go on from its result. */
scarce_status scarce__run_smote(scarce__recipe *out, const scarce_table *table, const void *options,
                                scarce_context *ctx, scarce_error *err);

#endif
