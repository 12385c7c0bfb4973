/* SPDX-License-Identifier: Apache-2.0 */
/* Gauss-Legendre: the points are the roots of the Legendre polynomial P_n, found by Newton's steps from
 * cos(pi (i - 1/4) / (n + 1/2)); the weights are 2 / ((1 - x^2) P_n'(x)^2); both are moved from (-1, 1) to
 * (0, 1). */
#include <math.h>

#include "core/elementary.h"
#include "explain/shap.h"

void scarce__quadrature(size_t n, double *point, double *weight)
{
    for (size_t i = 0; i < (n + 1) / 2; ++i) {
        double x = scarce__cos_turns(((double)i + 0.75) / (2 * (double)n + 1)), slope = 1;
        for (int step = 0; step < 100; ++step) {
            double p = 1, before = 0, move;
            for (size_t k = 1; k <= n; ++k) {
                const double next = ((2.0 * (double)k - 1) * x * p - ((double)k - 1) * before) / (double)k;
                before = p;
                p = next;
            }
            slope = (double)n * (x * p - before) / (x * x - 1);
            move = p / slope;
            x -= move;
            if (fabs(move) < 1e-15) break;
        }
        if (2 * i + 1 == n) x = 0; /* the middle one */
        point[i] = (1 - x) / 2;
        point[n - 1 - i] = (1 + x) / 2;
        weight[i] = weight[n - 1 - i] = 1 / ((1 - x * x) * slope * slope);
    }
}
