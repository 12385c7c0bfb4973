/* SPDX-License-Identifier: Apache-2.0 */
/* Tail probabilities of the distributions that tests need. Accurate to about 1e-14 relative in the body. */
#ifndef SCARCE_EVAL_SPECIAL_H
#define SCARCE_EVAL_SPECIAL_H

double scarce__normal_upper(double z);               /* P(Z > z) */
double scarce__chi2_upper(double x, double degrees); /* P(X > x) */
double scarce__f_upper(double x, double degrees1, double degrees2);
double scarce__gamma_q(double a, double x);          /* regularised upper incomplete gamma */
double scarce__beta_i(double a, double b, double x); /* regularised incomplete beta */

#endif
