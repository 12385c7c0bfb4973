/* SPDX-License-Identifier: Apache-2.0 */
/* Incomplete gamma and beta functions: the series where it converges fast, else the continued fraction,
 * evaluated by the modified method of Lentz (Abramowitz & Stegun 6.5.29, 6.5.31, 26.5.8). */
#include "eval/special.h"

#include <float.h>
#include <math.h>

#include "core/elementary.h"

enum { MOST_TERMS = 10000 };
static const double tiny = 1e-300;

double scarce__normal_upper(double z)
{
    if (z < 0) return 1 - scarce__normal_upper(-z);
    return 0.5 * scarce__gamma_q(0.5, 0.5 * z * z);
}

static double gamma_front(double a, double x)
{
    return scarce__exp(a * scarce__ln(x) - x - scarce__log_gamma(a));
}

static double gamma_p_series(double a, double x)
{
    double term = 1 / a, sum = term;
    for (int i = 1; i < MOST_TERMS && term > sum * DBL_EPSILON * 0.1; ++i) {
        term *= x / (a + i);
        sum += term;
    }
    return sum * gamma_front(a, x);
}

static double gamma_q_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
    for (int i = 1; i < MOST_TERMS; ++i) {
        const double an = -i * (i - a);
        b += 2;
        d = an * d + b;
        if (fabs(d) < tiny) d = tiny;
        c = b + an / c;
        if (fabs(c) < tiny) c = tiny;
        d = 1 / d;
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
    }
    return h * gamma_front(a, x);
}

double scarce__gamma_q(double a, double x)
{
    if (isnan(a) || isnan(x) || a <= 0) return NAN;
    if (x <= 0) return 1;
    if (isinf(x)) return 0;
    return x < a + 1 ? 1 - gamma_p_series(a, x) : gamma_q_fraction(a, x);
}

double scarce__gamma_p(double a, double x)
{
    if (isnan(a) || isnan(x) || a <= 0) return NAN;
    if (x <= 0) return 0;
    if (isinf(x)) return 1;
    return x < a + 1 ? gamma_p_series(a, x) : 1 - gamma_q_fraction(a, x);
}

/* By halving until the two ends are neighbours: it is asked for once per column of a table, not per cell. */
double scarce__normal_quantile(double p)
{
    double low = -40, high = 0;
    const double small = p < 0.5 ? p : 1 - p;
    if (!(p > 0 && p < 1)) return NAN;
    for (;;) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        if (scarce__normal_upper(-middle) < small) low = middle;
        else high = middle;
    }
    return p < 0.5 ? high : 0 - high;
}

/* Below 0 when x is too small: the smaller tails are compared. */
static double gamma_off(double shape, double x, double z, double tail)
{
    return z < 0 ? scarce__gamma_p(shape, x) - tail : tail - scarce__gamma_q(shape, x);
}

/* Newton's steps from Wilson and Hilferty's guess, kept between two ends that close in. */
double scarce__gamma_of_normal(double shape, double z)
{
    const double tail = scarce__normal_upper(fabs(z));
    const double guess = 1 - 1 / (9 * shape) + z / (3 * sqrt(shape));
    double low = 0, high = shape + 1, x = guess > 0 ? shape * guess * guess * guess : 0;

    while (high < 1e300 && gamma_off(shape, high, z, tail) < 0) high *= 2;
    if (!(x > low && x < high)) x = 0.5 * high;
    for (int i = 0; i < 2000; ++i) {
        const double off = gamma_off(shape, x, z, tail);
        if (off < 0) low = x;
        else high = x;
        const double density = gamma_front(shape, x) / x;
        double next = x - off / density;
        if (!(next > low && next < high))
            next = low > 0 && high > 4 * low ? sqrt(low * high) : 0.5 * (low + high);
        if (fabs(next - x) <= 4 * DBL_EPSILON * x || high <= tiny) return next;
        x = next;
    }
    return x;
}

static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1), h;
    if (fabs(d) < tiny) d = tiny;
    d = 1 / d;
    h = d;
    for (int i = 1; i < MOST_TERMS; ++i) {
        const double m = i;
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d;
        if (fabs(d) < tiny) d = tiny;
        c = 1 + even / c;
        if (fabs(c) < tiny) c = tiny;
        d = 1 / d;
        h *= d * c;
        d = 1 + odd * d;
        if (fabs(d) < tiny) d = tiny;
        c = 1 + odd / c;
        if (fabs(c) < tiny) c = tiny;
        d = 1 / d;
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
    }
    return h;
}

double scarce__beta_i(double a, double b, double x)
{
    double front;
    if (isnan(a) || isnan(b) || isnan(x) || a <= 0 || b <= 0) return NAN;
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    front = scarce__exp(scarce__log_gamma(a + b) - scarce__log_gamma(a) - scarce__log_gamma(b) +
                        a * scarce__ln(x) + b * scarce__log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double scarce__chi2_upper(double x, double degrees)
{
    return scarce__gamma_q(degrees / 2, x / 2);
}

double scarce__f_upper(double x, double degrees1, double degrees2)
{
    if (x <= 0) return 1;
    if (isinf(x)) return 0;
    return scarce__beta_i(degrees2 / 2, degrees1 / 2, degrees2 / (degrees2 + degrees1 * x));
}
