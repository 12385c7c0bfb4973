/* SPDX-License-Identifier: Apache-2.0 */
#include "near/linalg.h"

#include <math.h>

/* Rows and columns p and q of a, rows p and q of the vectors, turned so that a[p][q] becomes 0. */
static void rotate(double *a, double *vector, size_t d, size_t p, size_t q)
{
    const double apq = a[p * d + q], theta = (a[q * d + q] - a[p * d + p]) / (2 * apq);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;

    a[p * d + p] -= t * apq;
    a[q * d + q] += t * apq;
    a[p * d + q] = a[q * d + p] = 0;
    for (size_t i = 0; i < d; ++i) {
        const double vp = vector[p * d + i], vq = vector[q * d + i];
        vector[p * d + i] = c * vp - s * vq;
        vector[q * d + i] = s * vp + c * vq;
        if (i == p || i == q) continue;
        const double x = a[p * d + i], y = a[q * d + i];
        a[p * d + i] = c * x - s * y;
        a[q * d + i] = s * x + c * y;
    }
    for (size_t i = 0; i < d; ++i) {
        if (i == p || i == q) continue;
        a[i * d + p] = a[p * d + i];
        a[i * d + q] = a[q * d + i];
    }
}

static void sort_down(double *value, double *vector, size_t d)
{
    for (size_t i = 0; i + 1 < d; ++i) {
        size_t best = i;
        for (size_t j = i + 1; j < d; ++j)
            if (value[j] > value[best]) best = j;
        if (best == i) continue;
        const double swap = value[i];
        value[i] = value[best];
        value[best] = swap;
        for (size_t k = 0; k < d; ++k) {
            const double x = vector[i * d + k];
            vector[i * d + k] = vector[best * d + k];
            vector[best * d + k] = x;
        }
    }
}

void scarce__eigen(double *a, double *value, double *vector, size_t d)
{
    enum { MOST_SWEEPS = 60 };
    double whole = 0;

    for (size_t i = 0; i < d * d; ++i) {
        vector[i] = i % (d + 1) == 0;
        whole += a[i] * a[i];
    }
    for (int sweep = 0; sweep < MOST_SWEEPS; ++sweep) {
        double beside = 0;
        for (size_t i = 0; i < d; ++i)
            for (size_t j = 0; j < i; ++j) beside += 2 * a[i * d + j] * a[i * d + j];
        if (!(beside > 1e-30 * whole)) break;
        for (size_t p = 0; p + 1 < d; ++p)
            for (size_t q = p + 1; q < d; ++q)
                if (a[p * d + q] * a[p * d + q] > 1e-40 * whole) rotate(a, vector, d, p, q);
    }
    for (size_t i = 0; i < d; ++i) value[i] = a[i * d + i];
    sort_down(value, vector, d);
    for (size_t i = 0; i < d; ++i) {
        size_t largest = 0;
        for (size_t k = 1; k < d; ++k)
            if (fabs(vector[i * d + k]) > fabs(vector[i * d + largest])) largest = k;
        for (size_t k = 0; vector[i * d + largest] < 0 && k < d; ++k)
            if (k != largest) vector[i * d + k] = -vector[i * d + k];
        vector[i * d + largest] = fabs(vector[i * d + largest]);
    }
}

/* ---- the quick way: Householder's reflections to a tridiagonal matrix, then implicit QR steps (Golub and Van Loan,
 * Matrix Computations, 8.3) */

/* a becomes Q a Q', tridiagonal: its diagonal in `value`, beside it in `off`; the rows of `vector` are those of Q.
 * room: 2 d. */
static void tridiagonal(double *a, double *value, double *off, double *vector, double *room, size_t d)
{
    double *v = room, *w = room + d;

    for (size_t i = 0; i < d * d; ++i) vector[i] = i % (d + 1) == 0;
    for (size_t k = 0; k + 2 < d; ++k) {
        double norm = 0, product = 0;
        for (size_t i = k + 1; i < d; ++i) norm += a[i * d + k] * a[i * d + k];
        if (!(norm - a[(k + 1) * d + k] * a[(k + 1) * d + k] > 0)) continue; /* it is tridiagonal there */
        const double x = a[(k + 1) * d + k], alpha = x > 0 ? -sqrt(norm) : sqrt(norm);
        for (size_t i = k + 1; i < d; ++i) v[i] = a[i * d + k];
        v[k + 1] -= alpha;
        const double beta = 1 / (norm - alpha * x); /* 2 / v'v */
        for (size_t i = k + 1; i < d; ++i) {
            w[i] = 0;
            for (size_t j = k + 1; j < d; ++j) w[i] += a[i * d + j] * v[j];
            w[i] *= beta;
            product += w[i] * v[i];
        }
        for (size_t i = k + 1; i < d; ++i) w[i] -= beta / 2 * product * v[i];
        for (size_t i = k + 1; i < d; ++i)
            for (size_t j = k + 1; j < d; ++j) a[i * d + j] -= v[i] * w[j] + w[i] * v[j];
        a[(k + 1) * d + k] = a[k * d + k + 1] = alpha;
        for (size_t i = k + 2; i < d; ++i) a[i * d + k] = a[k * d + i] = 0;
        for (size_t c = 0; c < d; ++c) w[c] = 0; /* vector -= beta v (v' vector) */
        for (size_t i = k + 1; i < d; ++i)
            for (size_t c = 0; c < d; ++c) w[c] += v[i] * vector[i * d + c];
        for (size_t i = k + 1; i < d; ++i)
            for (size_t c = 0; c < d; ++c) vector[i * d + c] -= beta * v[i] * w[c];
    }
    for (size_t i = 0; i < d; ++i) {
        value[i] = a[i * d + i];
        off[i] = i + 1 < d ? a[(i + 1) * d + i] : 0;
    }
}

/* One implicit QR step with Wilkinson's shift on rows low..high. */
static void chase(double *value, double *off, double *vector, size_t low, size_t high, size_t d)
{
    const double half = (value[high - 1] - value[high]) / 2, e = off[high - 1];
    const double root = sqrt(half * half + e * e),
                 shift = value[high] - e * e / (half >= 0 ? half + root : half - root);
    double x = value[low] - shift, z = off[low];

    for (size_t k = low; k < high; ++k) {
        const double r = sqrt(x * x + z * z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
        const double a = value[k], b = value[k + 1], f = off[k];
        double *p = vector + k * d, *q = p + d;
        if (k > low) off[k - 1] = r;
        value[k] = c * c * a + 2 * c * s * f + s * s * b;
        value[k + 1] = s * s * a - 2 * c * s * f + c * c * b;
        off[k] = c * s * (b - a) + (c * c - s * s) * f;
        x = off[k];
        if (k + 1 < high) {
            z = s * off[k + 1];
            off[k + 1] = c * off[k + 1];
        }
        for (size_t i = 0; i < d; ++i) {
            const double u = p[i], w = q[i];
            p[i] = c * u + s * w;
            q[i] = c * w - s * u;
        }
    }
}

void scarce__eigen_quick(double *a, double *value, double *vector, double *room, size_t d)
{
    double *off = room;
    size_t high = d - 1, steps = 100 * d;

    tridiagonal(a, value, off, vector, room + d, d);
    while (high > 0 && steps-- > 0) {
        for (size_t i = 0; i < high; ++i)
            if (fabs(off[i]) <= 0x1p-53 * (fabs(value[i]) + fabs(value[i + 1])) + 1e-300) off[i] = 0;
        if (off[high - 1] == 0) {
            --high;
            continue;
        }
        size_t low = high - 1;
        while (low > 0 && off[low - 1] != 0) --low;
        chase(value, off, vector, low, high, d);
    }
    sort_down(value, vector, d);
}

void scarce__eigen_compose(double *out, const double *value, const double *vector, size_t d)
{
    for (size_t i = 0; i < d * d; ++i) out[i] = 0;
    for (size_t k = 0; k < d; ++k) {
        const double *v = vector + k * d;
        for (size_t i = 0; value[k] != 0 && i < d; ++i) {
            const double x = value[k] * v[i];
            for (size_t j = 0; j < d; ++j) out[i * d + j] += x * v[j];
        }
    }
    for (size_t i = 0; i < d; ++i) /* exactly symmetric */
        for (size_t j = 0; j < i; ++j) out[i * d + j] = out[j * d + i];
}

void scarce__multiply(double *out, const double *a, const double *b, size_t d)
{
    for (size_t i = 0; i < d; ++i) {
        for (size_t j = 0; j < d; ++j) out[i * d + j] = 0;
        for (size_t k = 0; k < d; ++k) {
            const double x = a[i * d + k];
            for (size_t j = 0; j < d; ++j) out[i * d + j] += x * b[k * d + j];
        }
    }
}

int scarce__cholesky(double *a, size_t d)
{
    for (size_t j = 0; j < d; ++j) {
        double sum = a[j * d + j];
        for (size_t k = 0; k < j; ++k) sum -= a[j * d + k] * a[j * d + k];
        if (!(sum > 0)) return 0;
        a[j * d + j] = sqrt(sum);
        for (size_t i = j + 1; i < d; ++i) {
            double x = a[i * d + j];
            for (size_t k = 0; k < j; ++k) x -= a[i * d + k] * a[j * d + k];
            a[i * d + j] = x / a[j * d + j];
        }
    }
    return 1;
}
