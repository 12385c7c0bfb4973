/* SPDX-License-Identifier: Apache-2.0 */
#include "core/random.h"

#include "core/elementary.h"

/* Marsaglia's polar method; the second number is thrown away so that the stream keeps no state
 * beside its words. */
double scarce__random_normal(scarce__random *r)
{
    double u, v, q;
    do {
        u = 2 * scarce__random_unit(r) - 1;
        v = 2 * scarce__random_unit(r) - 1;
        q = u * u + v * v;
    } while (q >= 1 || q == 0);
    return u * sqrt(-2 * scarce__ln(q) / q);
}

double scarce__random_exponential(scarce__random *r)
{
    return -scarce__log1p(-scarce__random_unit(r));
}

/* Marsaglia and Tsang (2000); below shape 1 by Gamma(a) = Gamma(a+1) U^(1/a). */
double scarce__random_gamma(scarce__random *r, double shape)
{
    double boost = 1;
    if (shape < 1) {
        boost = scarce__pow(1 - scarce__random_unit(r), 1 / shape);
        shape += 1;
    }
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = scarce__random_normal(r);
        const double t = 1 + c * x;
        if (t <= 0) continue;
        const double v = t * t * t;
        const double u = 1 - scarce__random_unit(r);
        if (scarce__ln(u) < 0.5 * x * x + d - d * v + d * scarce__ln(v)) return boost * d * v;
    }
}

/* Knuth's product for small means; large means are split in halves of a Gamma waiting time
 * (Ahrens and Dieter): N(mean) = m + N(mean - X) or Binomial(m - 1, mean / X). */
uint64_t scarce__random_poisson(scarce__random *r, double mean)
{
    uint64_t n = 0;
    while (mean > 30) {
        const uint64_t m = (uint64_t)(mean * 0.875);
        const double x = scarce__random_gamma(r, (double)m);
        if (x > mean) {
            for (uint64_t i = 0; i + 1 < m; ++i) n += scarce__random_unit(r) * x < mean;
            return n;
        }
        n += m;
        mean -= x;
    }
    const double limit = scarce__exp(-mean);
    double p = scarce__random_unit(r);
    while (p > limit) {
        ++n;
        p *= scarce__random_unit(r);
    }
    return n;
}

void scarce__shuffle_u32(scarce__random *r, uint32_t *a, size_t n)
{
    for (size_t i = n; i > 1; --i) {
        const size_t j = (size_t)scarce__random_below(r, i);
        const uint32_t t = a[i - 1];
        a[i - 1] = a[j];
        a[j] = t;
    }
}
