/* SPDX-License-Identifier: Apache-2.0 */
#include "boost/interest.h"

#include <string.h>

#include "core/exact.h"
#include "tree/simd.h"

enum { CELL_SHIFT = 18, MANTISSA_BITS = 23 };

/* s >= 0: exponent and leading bits ascend with it. */
static inline void count_one(scarce__interest *to, float s)
{
    uint32_t u;
    memcpy(&u, &s, sizeof u);
    u &= 0x7fffffffu; /* -0 */
    const uint32_t cell = u >> CELL_SHIFT;
    to->count[cell] += 1;
    to->sum[cell] += (u & 0x7fffffu) | (u >> MANTISSA_BITS ? 0x800000u : 0);
}

void scarce__interest_count(scarce__interest *to, const float *s, const uint8_t *label, const uint64_t *id,
                            uint64_t first, size_t n, uint64_t key, unsigned thin)
{
    const uint64_t rest = key % thin;
    if (!id) {
        for (size_t i = (size_t)((rest + thin - first % thin) % thin); i < n; i += thin)
            if (!label[i]) count_one(to, s[i]);
        return;
    }
    for (size_t i = 0; i < n; ++i)
        if (!label[i] && id[i] % thin == rest) count_one(to, s[i]);
}

static double sum_of(const scarce__interest *cells, uint32_t c)
{
    return scarce__exact_part(cells->sum[c], c >> (MANTISSA_BITS - CELL_SHIFT));
}

void scarce__interest_solve(scarce__interest_rule *rule, const scarce__interest *cells, double wanted,
                            double floor, unsigned thin)
{
    double total = 0, seen = 0, certain = 0;

    for (uint32_t c = 0; c < SCARCE__INTEREST_CELLS; ++c) {
        if (cells->count[c] == 0) continue;
        total += sum_of(cells, c);
        seen += (double)cells->count[c];
    }
    const double add = floor * total / (seen > 0 ? seen : 1), want = wanted / (double)rule->most / thin;
    double rest = total + add * seen;
    for (uint32_t c = SCARCE__INTEREST_CELLS; c-- > 0;) {
        if (cells->count[c] == 0) continue;
        const double n = (double)cells->count[c], sum = sum_of(cells, c) + add * n;
        const double left = want - certain > 1e-9 ? want - certain : 1e-9;
        if (sum / n < rest / left) break;
        certain += n;
        rest -= sum;
    }
    const double mu = rest / (want - certain > 1e-9 ? want - certain : 1e-9);
    rule->add = (float)add;
    rule->mu = mu > 1e-30 ? (float)mu : 1e-30f;
}

SCARCE__BODY void toss_body(const scarce__interest_rule *rule, float *restrict s,
                            const uint8_t *restrict label, uint64_t key, uint32_t first, size_t n,
                            uint8_t *restrict take)
{
    const float inverse = 1 / rule->mu, add = rule->add, most = rule->most;
    for (size_t i = 0; i < n; ++i) {
        const float p = (s[i] + add) * inverse;
        const int32_t y = label[i];
        s[i] = y != 0 ? 1.0f : (p > 1 ? 1.0f : p) * most;
    }
    for (size_t i = 0; i < n; ++i)
        take[i] = (float)(int32_t)(scarce__hash32(key, first + (uint32_t)i) >> 8) * 0x1p-24f < s[i];
}

static void toss_plain(const scarce__interest_rule *rule, float *s, const uint8_t *label, uint64_t key,
                       uint32_t first, size_t n, uint8_t *take)
{
    toss_body(rule, s, label, key, first, n, take);
}

SCARCE__AVX2 static void toss_avx2(const scarce__interest_rule *rule, float *s, const uint8_t *label,
                                   uint64_t key, uint32_t first, size_t n, uint8_t *take)
{
    toss_body(rule, s, label, key, first, n, take);
}

/* Numbers below 2^32 have the coins of the key itself. */
static uint64_t key_of(uint64_t key, uint64_t id)
{
    const uint64_t high = id >> 32;
    return high ? scarce__hash(key, high) : key;
}

void scarce__interest_toss(const scarce__interest_rule *rule, float *s, const uint8_t *label,
                           const uint64_t *id, uint64_t first, size_t n, uint8_t *take, int portable)
{
    const int avx2 = !portable && scarce__cpu_avx2();
    size_t done = 0;

    while (!id && done < n) { /* stretches with the same upper half */
        const uint64_t at = first + done, left = (UINT64_C(1) << 32) - (at & 0xffffffffu);
        const size_t m = n - done < left ? n - done : (size_t)left;
        (avx2 ? toss_avx2 : toss_plain)(rule, s + done, label + done, key_of(rule->key, at), (uint32_t)at, m,
                                        take + done);
        done += m;
    }
    for (; done < n; ++done)
        toss_plain(rule, s + done, label + done, key_of(rule->key, id[done]), (uint32_t)id[done], 1,
                   take + done);
    memset(take + n, 0, 8);
}
