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
