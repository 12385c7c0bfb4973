/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ziggurat.h"

#include "core/elementary.h"

/* Where the tail begins, and the area of a piece: r f(r) + the tail beyond r. */
static const double tail_from = 3.6541528853610088, area = 0.00492867323399;

void scarce__ziggurat_init(scarce__ziggurat *z)
{
    double f = scarce__exp(-0.5 * tail_from * tail_from);

    z->x[0] = area / f;
    z->x[1] = tail_from;
    for (int i = 2; i < SCARCE__ZIGGURAT_PIECES; ++i) {
        z->x[i] = sqrt(-2 * scarce__ln(area / z->x[i - 1] + f));
        f = scarce__exp(-0.5 * z->x[i] * z->x[i]);
    }
    z->x[SCARCE__ZIGGURAT_PIECES] = 0;
    for (int i = 0; i < SCARCE__ZIGGURAT_PIECES; ++i) z->inside[i] = z->x[i + 1] / z->x[i];
}

/* Beyond tail_from (Marsaglia 1964). */
static double tail(scarce__random *r, int negative)
{
    double a, b;
    do {
        a = scarce__ln(1 - scarce__random_unit(r)) / tail_from;
        b = scarce__ln(1 - scarce__random_unit(r));
    } while (-2 * b < a * a);
    return negative ? a - tail_from : tail_from - a;
}

static double one(const scarce__ziggurat *z, scarce__random *r)
{
    for (;;) {
        const uint64_t bits = scarce__random_u64(r);
        const unsigned i = (unsigned)(bits & (SCARCE__ZIGGURAT_PIECES - 1));
        const double u = 2 * scarce__to_unit(bits) - 1, x = u * z->x[i];

        if (fabs(u) < z->inside[i]) return x;
        if (i == 0) return tail(r, u < 0);
        const double outer = scarce__exp(-0.5 * (z->x[i] * z->x[i] - x * x));
        const double inner = scarce__exp(-0.5 * (z->x[i + 1] * z->x[i + 1] - x * x));
        if (outer + scarce__random_unit(r) * (inner - outer) < 1) return x;
    }
}

void scarce__ziggurat_fill(const scarce__ziggurat *z, scarce__random *r, double *out, size_t n)
{
    for (size_t i = 0; i < n; ++i) out[i] = one(z, r);
}
