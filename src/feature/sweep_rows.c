/* SPDX-License-Identifier: Apache-2.0 */
/* Features from what windows hold. Keys are swept one after the other, but columns are wanted row by row: so what lies
 * between the two is as small as can be (sweep.h), and becomes numbers only when it is there, many rows at once. */
#include <math.h>

#include "core/simd.h"
#include "feature/group.h"
#include "feature/sweep.h"

enum { AHEAD = 64 };

static void gather_words(int32_t *to, const uint32_t *words, size_t step, const uint32_t *place, size_t n)
{
    for (size_t i = 0; i < n; ++i) to[i] = (int32_t)words[place[i] * step];
}

static void gather_numbers(double *to, const uint32_t *words, size_t step, const uint32_t *place, size_t n)
{
    for (size_t i = 0; i < n; ++i) memcpy(&to[i], words + place[i] * step, sizeof to[i]);
}

/* What most features are made of, together: a sum, a count, the largest, four words; or without the largest. */
static int gather_four(scarce__swept *to, const scarce__sweep_part *part, const uint32_t *words,
                       const uint32_t *place, size_t n, size_t more)
{
    if (part->words != 4 || part->sum != 0 || part->count != 2 || part->missing || part->least >= 0) return 0;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t *w = words + (size_t)4 * place[i];
        if (i + AHEAD < n + more) SCARCE__PREFETCH(words + (size_t)4 * place[i + AHEAD]);
        memcpy(&to->sum[i], w, sizeof to->sum[i]);
        to->count[i] = (int32_t)w[2];
        to->most[i] = (int32_t)w[3];
    }
    return 1;
}

void scarce__sweep_gather(scarce__swept *to, const scarce__sweep_part *part, const uint32_t *words,
                          const uint32_t *place, size_t n, size_t more)
{
    const size_t step = part->words;
    if (gather_four(to, part, words, place, n, more)) return;
    gather_words(to->count, words + part->count, step, place, n);
    if (part->missing) gather_words(to->known, words + part->known, step, place, n);
    if (part->sum >= 0) gather_numbers(to->sum, words + part->sum, step, place, n);
    if (part->sd >= 0) gather_numbers(to->sd, words + part->sd, step, place, n);
    if (part->most >= 0) gather_words(to->most, words + part->most, step, place, n);
    if (part->least >= 0) gather_words(to->least, words + part->least, step, place, n);
}

/* ---- a column: each without a branch, so that vectors can be made of it */

typedef struct column {
    scarce__feature_op op;
    const int32_t *known, *extreme;
    const double *sum;
    double none, scale;
    size_t n;
    double *out;
} column;

SCARCE__BODY void fill_body(const column *c)
{
    const double none = c->none, scale = c->scale;
    const size_t n = c->n;
    const int32_t *known = c->known, *extreme = c->extreme;
    const double *sum = c->sum;
    double *restrict out = c->out;

    if (c->op == SCARCE__AGG_COUNT)
        for (size_t i = 0; i < n; ++i) out[i] = known[i] ? (double)known[i] : none;
    else if (c->op == SCARCE__AGG_SUM)
        for (size_t i = 0; i < n; ++i) {
            const double x = sum[i] / scale;
            out[i] = known[i] ? x : none;
        }
    else if (c->op == SCARCE__AGG_MEAN)
        for (size_t i = 0; i < n; ++i) {
            const double x = sum[i] / ((double)(known[i] | (known[i] == 0)) * scale);
            out[i] = known[i] ? x : none;
        }
    else
        for (size_t i = 0; i < n; ++i) {
            const double x = (double)extreme[i] / scale;
            out[i] = extreme[i] != SCARCE__SMALL_MISSING ? x : none;
        }
}

static void fill_plain(const column *c)
{
    fill_body(c);
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void fill_avx2(const column *c)
{
    fill_body(c);
}
#else
#define fill_avx2 fill_plain
#endif

void scarce__sweep_column(const scarce__swept *from, const scarce__sweep_part *part, size_t a, size_t n,
                          double *out)
{
    const scarce__feature_aggregate *g = &part->first[a];
    column c = {g->op,
                part->missing ? from->known : from->count,
                g->op == SCARCE__AGG_MAX ? from->most : from->least,
                from->sum,
                g->empty,
                g->scale,
                n,
                out};
    if (g->op == SCARCE__AGG_SD) {
        for (size_t i = 0; i < n; ++i) out[i] = isnan(from->sd[i]) ? g->empty : from->sd[i];
        return;
    }
    if (g->op == SCARCE__AGG_COUNT) c.known = from->count;
    if (g->op <= SCARCE__AGG_SUM && isnan(c.none)) c.none = 0;
    (scarce__cpu_avx2() ? fill_avx2 : fill_plain)(&c);
}
