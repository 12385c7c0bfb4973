/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are remembered, and how those nearest to a query vote: what all neighbour methods learn.
 *
 * Positives and negatives are sought apart, always. DP_1 <= DP_2 ... are the distances to the nearest positives,
 * DN_1 <= ... to the nearest negatives; a row of weight w counts as w rows. With gamma D for positives and ties going
 * to them, a query is positive among its k nearest (at least half of the votes) exactly if
 *
 *     gamma DP_m <= DN_r,   m = ceil(k / 2),  r = floor(k / 2) + 1                       (*)
 *
 * since the m-th positive is one of the k nearest unless r or more negatives are strictly nearer. So the score
 *
 *     margin     DN_r / (DN_r + DP_m)       1/2 where both are equal, also to 0
 *
 * ranks, and "score >= gamma / (1 + gamma)" is the vote, for every gamma at once: gamma is a threshold (001, section
 * 2.4.3, where k = 1). Other scores, of the k nearest with gamma D to positives:
 *
 *     share      weight of the positives among the k / k
 *     inverse    the same with each row counted 1 / D (capped at D = 0)
 *     reverse    krnn: p = k / (k + n / lambda) with n negatives as near as the k-th positive; lambda = 1, unless the share
 *                k / (k + n) is above that of all rows beyond chance (lower end of Wilson's 90 % interval above the upper
 *                end of the normal one): then lambda is the ratio of the two odds. An approximation of Zhang and Li,
 *                whose text leaves open how the rates are combined.
 *
 * Fewer positives than m: the last one stands for it. Synthetic positives may have a gamma of their own: their
 * distances are multiplied by `synthetic` first. Clusters: gamma by the nearest of some centres, folded into DP.
 *
 * Metric learning: points of rows (embed.h) are mapped before distances are taken, towards positives by one map, towards
 * negatives by another. */
#ifndef SCARCE_NEAR_NEARBY_H
#define SCARCE_NEAR_NEARBY_H

#include "near/embed.h"
#include "near/near.h"

typedef enum scarce__vote {
    SCARCE__VOTE_MARGIN = 0,
    SCARCE__VOTE_SHARE,
    SCARCE__VOTE_INVERSE,
    SCARCE__VOTE_REVERSE
} scarce__vote;

enum { SCARCE__SIDE_NEGATIVE = 0, SCARCE__SIDE_POSITIVE, SCARCE__SIDE_SYNTHETIC, SCARCE__SIDE_NONE };
enum { SCARCE__MOST_NEIGHBOURS = 10000, SCARCE__MOST_POINT = 2048 }; /* k; dimensions of a point */

/* A metric for each query, learnt from rows near it (nearby_local.c). */
typedef struct scarce__nearby_local {
    size_t points; /* of each class; 0: no such metric */
    double push, stable;
} scarce__nearby_local;
enum { SCARCE__MOST_LOCAL = 500, SCARCE__MOST_LOCAL_DIMS = 400 };

typedef struct scarce__nearby {
    scarce_table *rows; /* features, and weights where there are any; its own */
    uint8_t *side;      /* of each row; NONE: weight 0 */
    scarce__space space;
    scarce__vote vote;
    size_t k;
    double gamma;     /* what distances to positives are multiplied by (not for margins: see above) */
    double copies;    /* a positive counts so many times */
    double synthetic; /* distances to synthetic positives, beside real ones */
    size_t n_clusters;
    double *center;             /* n_clusters x dims of a point */
    double *cluster_gamma;      /* distances to positives by the nearest center */
    int embedded;               /* distances are those of points, mapped by: */
    size_t n_out[2];            /* [0] towards negatives, [1] towards positives */
    double *map[2];             /* n_out x dims; NULL: the points themselves */
    scarce__nearby_local local; /* of embedded rows without maps */
    double total[2];            /* weight of the negatives, of the positives: set by settle */
} scarce__nearby;

/* Takes the rows of a table: copies them. synthetic (nullable): per row. */
scarce_status scarce__nearby_new(scarce__nearby **out, const scarce_table *table, const uint8_t *synthetic,
                                 scarce__near_scale scale, scarce_context *ctx, scarce_error *err);
void scarce__nearby_free(scarce__nearby *m);
/* After a file was read: what the kernels need to know of the space, which results don't depend on. */
void scarce__space_restore(scarce__space *space, const scarce_table *table);

/* Adds up what follows from the rows. */
void scarce__nearby_settle(scarce__nearby *m);

/* ---- asking */

typedef struct scarce__nearby_ready scarce__nearby_ready;

/* The indexes. m must outlive it. */
scarce_status scarce__nearby_prepare(scarce__nearby_ready **out, const scarce__nearby *m, scarce_error *err);
void scarce__nearby_unprepare(scarce__nearby_ready *ready);
/* Bytes of it for so many rows. */
double scarce__nearby_memory(const scarce__nearby *m);

/* One row, without allocation for k up to 64 (beyond: NaN where there is no memory). */
double scarce__nearby_score(const scarce__nearby_ready *ready, const float *row);
/* The same bits for all rows of a table. */
scarce_status scarce__nearby_score_table(const scarce__nearby_ready *ready, const scarce_table *table,
                                         double *score, scarce_context *ctx, scarce_error *err);

/* Scores of the remembered rows by others: by all others (fold NULL), or by those of other folds. NaN for rows of side
 * NONE. Synthetic rows only answer, in every fold. */
typedef struct scarce__nearby_lists {
    size_t n, k; /* rows; length of each list */
    int has_synthetic;
    double *pos, *syn, *neg; /* squared distances, n x k; NaN where there are no more */
    uint32_t *pos_row, *syn_row, *neg_row;
    double *neg_within; /* of VOTE_REVERSE: weight of the negatives as near as the k-th positive; else NULL */
} scarce__nearby_lists;

scarce_status scarce__nearby_held(scarce__nearby_lists *out, const scarce__nearby_ready *ready,
                                  const uint8_t *fold, size_t n_folds, scarce_context *ctx,
                                  scarce_error *err);
/* The lists of the rows of another table, which the search can read (dense ones always can). */
scarce_status scarce__nearby_lists_of(scarce__nearby_lists *out, const scarce__nearby_ready *ready,
                                      const scarce_table *table, scarce_context *ctx, scarce_error *err);
/* Lists made of the same rows with another map towards positives: those towards negatives stay as they are. */
scarce_status scarce__nearby_lists_again(scarce__nearby_lists *lists, const scarce__nearby_ready *ready,
                                         const scarce_table *table, scarce_context *ctx, scarce_error *err);
void scarce__nearby_lists_deinit(scarce__nearby_lists *lists);
/* The score of row i of lists, by the model's vote; factor: what its cluster multiplies distances to positives by (1). */
double scarce__nearby_vote(const scarce__nearby *m, const scarce__nearby_lists *lists, size_t i,
                           double factor);

/* Of a metric for each query: scores of the remembered rows by all others; NaN for synthetic ones. */
scarce_status scarce__nearby_local_held(double *score, const scarce__nearby_ready *ready, scarce_context *ctx,
                                        scarce_error *err);

/* ---- reasons */

/* The n nearest rows of a side to a row, nearest first; fewer where there are no more. Synthetic rows are no reasons. */
typedef struct scarce__nearby_one {
    uint32_t row;
    double distance;
} scarce__nearby_one;
size_t scarce__nearby_nearest(const scarce__nearby_ready *ready, const float *row, int positive, size_t n,
                              scarce__nearby_one *out);
/* What made a remembered row near: for each feature the mean squared difference of the row to remembered rows (128 at
 * most, evenly spaced) minus that to this one. Large: alike where others are not. The sum is (mean squared distance - squared
 * distance). With a map, what the differences in the feature add to the squared distance. */
scarce_status scarce__nearby_alike(const scarce__nearby_ready *ready, const float *row, uint32_t other,
                                   double *alike, scarce_error *err);

#endif
