/* SPDX-License-Identifier: Apache-2.0 */
/* Many dependent columns with known truth: the Gaussian copula of a thesis on boosting with few positives
 * after Blagus and Lusa (2017).
 *
 * Columns lie in groups, a group in clusters. Behind column j of group g, cluster c, is
 *
 *     z = sqrt(rho_low) G_g + sqrt(rho_high - rho_low) C_c + sqrt(1 - rho_high) E_j,   G, C, E ~ N(0, 1),
 *
 * so that corr(z_i, z_j) is exactly rho_high within a cluster, rho_low within a group and 0 elsewhere
 * (equation 2.24), at O(1) a cell: no matrix is ever made. The cell is x = F^-1(Phi(z)), F one of the
 * margins, drawn per column; Bernoulli(q) is I(Phi(z) <= q). The label is 1 with probability
 * p(x) = 1 / (1 + exp(-b0 - x'beta)), and b0 is such that the mean of p is the wanted rate on a large sample
 * of its own.
 *
 * The truth (margins, beta, b0) depends on `model` and `draw`, the rows on the seed: train and test rows of
 * one truth come from two seeds. Cells are whole multiples of 1/10000, so the CSV is short and says exactly
 * what is in memory, and the truth is a function of it.
 *
 * Rows are made in blocks of 64, each from its own stream: the same for any number of threads, and the first
 * rows are the same however many are asked for. */
#ifndef SCARCE_SIMULATE_COPULA_H
#define SCARCE_SIMULATE_COPULA_H

#include <scarce/simulate.h>
#include <scarce/table.h>

#include "core/context.h"
#include "core/ziggurat.h"

enum { COPULA_BLOCK = 64, COPULA_MOST_MARGINS = 16, COPULA_KNOTS = 2048 };
enum { COPULA_ALL = 0, COPULA_HALF = 1 };

typedef struct scarce__copula_options {
    int64_t rows, features, groups, clusters;
    double rho_high, rho_low;
    const char *margins;
    int coefficients;
    double sd, rate, intercept;
    int64_t intercept_rows, model, draw;
    int truth;
} scarce__copula_options;

typedef enum scarce__margin_kind {
    SCARCE__MARGIN_NORMAL = 0,
    SCARCE__MARGIN_BERNOULLI,
    SCARCE__MARGIN_GAMMA
} scarce__margin_kind;

typedef struct scarce__margin {
    scarce__margin_kind kind;
    double a, b;      /* mean, sd; q; shape, scale */
    double threshold; /* Bernoulli: 1 where z is not above it */
    double *knots;    /* gamma: value and slope by z, COPULA_KNOTS + 1 of each in turn */
} scarce__margin;

typedef struct scarce__copula {
    const scarce__copula_options *options;
    size_t n_features, n_groups, n_clusters; /* n_clusters: of all groups */
    scarce__margin margins[COPULA_MOST_MARGINS];
    size_t n_margins;
    uint8_t *margin;   /* of column j */
    uint32_t *cluster; /* of column j */
    double *beta;      /* of column j */
    double intercept;
    scarce__ziggurat normal;
} scarce__copula;

/* Truth and tables; the intercept comes from a sample of rows unless the options give it. */
scarce_status scarce__copula_init(scarce__copula *c, const scarce__copula_options *o,
                                  const scarce_context *ctx, scarce_error *err);
void scarce__copula_deinit(scarce__copula *c);

/* Room for one block: common[n_clusters][64] and eta[64]. */
size_t scarce__copula_scratch(const scarce__copula *c); /* doubles */

/* 64 rows from their stream: cells[j * 64 + i] in 1/10000 (NULL: not wanted), eta[i] = x'beta, and
 * unit[i], with which the label is drawn. */
void scarce__copula_block(const scarce__copula *c, scarce__random *r, double *scratch, int32_t *cells,
                          double *eta, double *unit);

/* A cell as the float that its text reads as: exact, because k / 10^4 is never within 2^-53 of a tie. */
static inline float scarce__copula_value(int32_t cell)
{
    return (float)((double)cell / 10000);
}

/* To a file, or to a table whose first exact column is the probability where options.truth asks for it. */
scarce_status scarce__copula_write(const scarce__copula *c, const char *path, uint64_t seed,
                                   const scarce_context *ctx, scarce_simulate_summary *s, scarce_error *err);
scarce_status scarce__copula_table(scarce_table **out, const scarce__copula *c, uint64_t seed,
                                   scarce_context *ctx, scarce_simulate_summary *s, scarce_error *err);

#endif
