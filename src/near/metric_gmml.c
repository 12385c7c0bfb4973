/* SPDX-License-Identifier: Apache-2.0 */
/* GMML: Zadeh, Hosseini and Sra, Geometric mean metric learning, ICML 2016.
 *
 *     min over M:  tr(M S) + tr(M^-1 D)        M = S^-1 #_t D = S^-1/2 (S^1/2 D S^1/2)^t S^-1/2
 *
 * S and D are the mean outer products of the differences of similar and dissimilar pairs. Here of all pairs, which need
 * no draw: with class means a, b and scatters A, B (around them)
 *
 *     S = 2 (n_1 A + n_0 B) / (n_1^2 + n_0^2)   (A, B sums of squares)      D = A / n_1 + B / n_0 + (a - b)(a - b)'
 *
 * Weights of rows count as copies. Both get `regular` times the identity, times their mean eigenvalue, so that collinear features and d > n work. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "near/linalg.h"
#include "near/metric.h"

static void scatter(double *sum, double *mean, const scarce__points *p, int label, double *count)
{
    const size_t d = p->d;

    *count = 0;
    for (size_t j = 0; j < d; ++j) mean[j] = 0;
    for (size_t j = 0; j < d * d; ++j) sum[j] = 0;
    for (size_t i = 0; i < p->n; ++i) {
        if (p->label[i] != label) continue;
        const double w = p->weight ? p->weight[i] : 1;
        *count += w;
        for (size_t j = 0; j < d; ++j) mean[j] += w * p->z[i * d + j];
    }
    for (size_t j = 0; j < d; ++j) mean[j] /= *count;
    for (size_t i = 0; i < p->n; ++i) {
        if (p->label[i] != label) continue;
        for (size_t j = 0; j < d; ++j) {
            const double x = (p->weight ? p->weight[i] : 1) * (p->z[i * d + j] - mean[j]);
            for (size_t k = 0; k <= j; ++k) sum[j * d + k] += x * (p->z[i * d + k] - mean[k]);
        }
    }
    for (size_t j = 0; j < d; ++j)
        for (size_t k = 0; k < j; ++k) sum[k * d + j] = sum[j * d + k];
}

static void regularise(double *a, size_t d, double regular)
{
    double trace = 0;
    for (size_t i = 0; i < d; ++i) trace += a[i * d + i];
    for (size_t i = 0; i < d; ++i) a[i * d + i] += regular * (trace > 0 ? trace / (double)d : 1);
}

/* a becomes a^power; scratch: 2 d^2 + d. */
static void power_of(double *a, size_t d, double power, double *scratch)
{
    double *vector = scratch, *copy = scratch + d * d, *value = scratch + 2 * d * d;

    memcpy(copy, a, d * d * sizeof *a);
    scarce__eigen(copy, value, vector, d);
    for (size_t i = 0; i < d; ++i) {
        const double x = value[i] > 1e-300 ? value[i] : 1e-300;
        value[i] = power == 0.5 ? sqrt(x) : power == -0.5 ? 1 / sqrt(x) : scarce__pow(x, power);
    }
    scarce__eigen_compose(a, value, vector, d);
}

scarce_status scarce__metric_gmml(double *m, const scarce__points *p, double t, double regular,
                                  scarce_context *ctx, scarce_error *err)
{
    const size_t d = p->d, dd = d * d;
    double *all = scarce__malloc_array(7 * dd + 3 * d, sizeof *all), n1, n0;

    (void)ctx;
    if (!all) return scarce__fail_memory(err, "metric learning", 0);
    double *a = all, *b = all + dd, *s = all + 2 * dd, *root = all + 3 * dd, *scratch = all + 4 * dd,
           *mean1 = all + 7 * dd, *mean0 = mean1 + d;
    scatter(a, mean1, p, 1, &n1);
    scatter(b, mean0, p, 0, &n0);
    for (size_t i = 0; i < dd; ++i) {
        s[i] = 2 * (n1 * a[i] + n0 * b[i]) / (n1 * n1 + n0 * n0);
        m[i] = a[i] / n1 + b[i] / n0 + (mean1[i / d] - mean0[i / d]) * (mean1[i % d] - mean0[i % d]);
    }
    regularise(s, d, regular);
    regularise(m, d, regular);
    memcpy(root, s, dd * sizeof *s);
    power_of(root, d, 0.5, scratch);
    scarce__multiply(a, root, m, d);
    scarce__multiply(b, a, root, d);
    for (size_t i = 0; i < d; ++i)
        for (size_t j = 0; j < i; ++j) b[i * d + j] = b[j * d + i] = (b[i * d + j] + b[j * d + i]) / 2;
    power_of(b, d, t, scratch);
    power_of(s, d, -0.5, scratch);
    scarce__multiply(a, s, b, d);
    scarce__multiply(m, a, s, d);
    for (size_t i = 0; i < d; ++i)
        for (size_t j = 0; j < i; ++j) m[i * d + j] = m[j * d + i] = (m[i * d + j] + m[j * d + i]) / 2;
    scarce__free(all);
    return SCARCE_OK;
}
