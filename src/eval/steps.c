/* SPDX-License-Identifier: Apache-2.0 */
#include "eval/steps.h"

#include "core/alloc.h"

enum { MIN_TABLE_BITS = 6, MAX_TABLE_BITS = 20 };

int scarce__steps_init(scarce__steps *s, double *t, size_t m)
{
    double sum = 0;
    int bits = MIN_TABLE_BITS;
    size_t n_buckets, b = 0;

    memset(s, 0, sizeof *s);
    s->m = m;
    s->t = t;
    t[m] = NAN;
    for (size_t j = 0; j < m; ++j) sum += fabs(t[j]);
    s->inv = scarce__steps_inverse(sum, m);
    while (bits < MAX_TABLE_BITS && ((size_t)1 << bits) < 8 * m) ++bits;
    s->lo = scarce__steps_place(t[0], s->inv);
    s->hi = scarce__steps_place(t[m - 1], s->inv);
    while ((uint64_t)(s->hi - s->lo) >> s->shift >> bits) ++s->shift;
    n_buckets = scarce__steps_bucket(s, t[m - 1]) + 1;
    s->start = scarce__malloc_array(n_buckets + 1, sizeof *s->start);
    if (!s->start) return 0;
    for (size_t j = 0; j < m; ++j) {
        const size_t at = scarce__steps_bucket(s, t[j]);
        while (b <= at) s->start[b++] = (uint32_t)j;
    }
    while (b <= n_buckets) s->start[b++] = (uint32_t)m;
    return 1;
}

void scarce__steps_deinit(scarce__steps *s)
{
    scarce__free(s->t);
    scarce__free(s->start);
    memset(s, 0, sizeof *s);
}
