/* SPDX-License-Identifier: Apache-2.0 */
/* Tail probabilities of the distributions that tests need. Accurate to about 1e-14 relative in the body. */
#ifndef SCARCE_EVAL_SPECIAL_H
#define SCARCE_EVAL_SPECIAL_H

double scarce__normal_upper(double z);               /* P(Z > z) */
double scarce__chi2_upper(double x, double degrees); /* P(X > x) */
double scarce__f_upper(double x, double degrees1, double degrees2);
double scarce__gamma_q(double a, double x);          /* regularised upper incomplete gamma */
double scarce__gamma_p(double a, double x);          /* 1 - gamma_q, exact where it is small */
double scarce__beta_i(double a, double b, double x); /* regularised incomplete beta */

/* z with P(Z <= z) = p, for 0 < p < 1. About 50 us. */
double scarce__normal_quantile(double p);
/* x with P(X <= x) = P(Z <= z) for X of Gamma(shape, 1): a quantile whose tails lose nothing. shape > 0,
 * |z| <= 30. */
double scarce__gamma_of_normal(double shape, double z);

#endif
