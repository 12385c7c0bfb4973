/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds, and the columns of the rows that come of them. A made-up row is remembered as 12 bytes (seed, neighbour,
 * step) until its columns are written, one after the other, straight behind those of the table. */
#include "sample/synthesis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "data/reading.h"

/* ---- seeds */

void scarce__seeds_deinit(scarce__seeds *s)
{
    scarce__free(s->base);
    scarce__free(s->other);
    scarce__free(s->reach);
    scarce__free(s->times);
    memset(s, 0, sizeof *s);
}

scarce_status scarce__seeds_init(scarce__seeds *out, size_t n, size_t k, scarce_error *err)
{
    *out = (scarce__seeds){.n = n, .k = k};
    out->base = scarce__malloc_array(n, sizeof *out->base);
    out->other = k ? scarce__malloc_array(n, k * sizeof *out->other) : scarce__malloc(0);
    out->reach = scarce__malloc_array(n, sizeof *out->reach);
    out->times = scarce__calloc(n, sizeof *out->times);
    if (!out->base || !out->other || !out->reach || !out->times) {
        scarce__seeds_deinit(out);
        return scarce__fail_memory(err, "rows to make others of", 0);
    }
    for (size_t i = 0; i < n; ++i) out->reach[i] = 1;
    return SCARCE_OK;
}

static uint64_t seed_of(const scarce__seeds *s, const scarce_context *ctx)
{
    return s->seed ? s->seed : scarce_context_seed(ctx);
}

scarce_status scarce__seeds_share(scarce__seeds *s, size_t first, size_t n, size_t total, scarce_context *ctx,
                                  scarce_error *err)
{
    scarce__random random = scarce__random_start(seed_of(s, ctx), SCARCE__FOR_RESAMPLE, 0);
    uint32_t *order = scarce__malloc_array(n, sizeof *order);

    if (!order) return scarce__fail_memory(err, "rows to make others of", n * sizeof *order);
    for (size_t i = 0; i < n; ++i) {
        order[i] = (uint32_t)i;
        s->times[first + i] = (uint32_t)(total / n);
    }
    scarce__shuffle_u32(&random, order, n);
    for (size_t i = 0; i < total % n; ++i) ++s->times[first + order[i]];
    scarce__free(order);
    return SCARCE_OK;
}

scarce_status scarce__seeds_find(scarce__seeds *s, const scarce__space *space, const scarce_table *t,
                                 const uint32_t *among, size_t n_among, scarce_context *ctx,
                                 scarce_error *err)
{
    const scarce__near ask = {space, {t, s->base, s->n}, {t, among, n_among}, s->k, 0};
    double *square = scarce__malloc_array(s->n, s->k * sizeof *square);
    scarce_status st;

    if (!square) return scarce__fail_memory(err, "neighbours", 0);
    st = scarce__near_find(s->other, square, &ask, ctx, err);
    scarce__free(square);
    if (st == SCARCE_OK && n_among <= s->k)
        scarce__log(ctx, SCARCE_LOG_INFO, "%zu rows to choose neighbours from: a row has %zu, not k=%zu",
                    n_among, n_among - 1, s->k);
    return st;
}

/* ---- what was drawn for each new row */

typedef struct blend {
    size_t n, n_donors, k;
    uint32_t *donor;     /* rows whose values are used, ascending */
    uint32_t *seed;      /* of a new row */
    uint32_t *other;     /* of a new row: place among the donors */
    float *step;         /* of a new row; per_feature: how far it may be */
    uint32_t *base;      /* of a seed: place among the donors */
    uint32_t *neighbour; /* of a seed: k places; UINT32_MAX: none further */
    int vote, per_feature;
    uint64_t key;
    uint8_t *copied; /* per feature: a name or the like, which is the base row's */
} blend;

static void blend_free(void *payload)
{
    blend *b = payload;
    if (!b) return;
    scarce__free(b->donor);
    scarce__free(b->seed);
    scarce__free(b->other);
    scarce__free(b->step);
    scarce__free(b->base);
    scarce__free(b->neighbour);
    scarce__free(b->copied);
    scarce__free(b);
}

static float unit_step(uint64_t bits)
{
    return (float)(bits >> 40) * 0x1p-24f;
}

static float step_of(const blend *b, size_t feature, size_t i)
{
    if (b->copied[feature]) return 0;
    if (!b->per_feature) return b->step[i];
    return b->step[i] * unit_step(scarce__hash(b->key + feature, i));
}

static float between(float x, float y, float step)
{
    if (isfinite(x) && isfinite(y)) return (float)((double)x + (double)step * ((double)y - (double)x));
    return step < 0.5f ? x : y;
}

/* One step for the row and no gap among the donors: rows of one seed follow one another, and nothing is asked
 * of each. The same bits as between gives. */
static void make_plain(const blend *b, const float *value, float *to)
{
    for (size_t i = 0, end; i < b->n; i = end) {
        const double x = (double)value[b->base[b->seed[i]]];
        for (end = i + 1; end < b->n && b->seed[end] == b->seed[i];) ++end;
        for (size_t j = i; j < end; ++j)
            to[j] = (float)(x + (double)b->step[j] * ((double)value[b->other[j]] - x));
    }
}

static int make_numbers(const void *payload, size_t feature, const float *from, float *to)
{
    const blend *b = payload;
    float *value = scarce__malloc_array(b->n_donors, sizeof *value);
    int plain = !b->per_feature && !b->copied[feature];

    if (!value) return 0;
    for (size_t i = 0; i < b->n_donors; ++i) {
        value[i] = from[b->donor[i]];
        plain = plain && isfinite(value[i]);
    }
    if (plain) make_plain(b, value, to);
    else
        for (size_t i = 0; i < b->n; ++i)
            to[i] = between(value[b->base[b->seed[i]]], value[b->other[i]], step_of(b, feature, i));
    scarce__free(value);
    return 1;
}

/* The most frequent category among the neighbours of a seed; of equally frequent ones that of the nearest. */
static int32_t elected(const blend *b, size_t seed, const int32_t *code)
{
    const uint32_t *at = b->neighbour + seed * b->k;
    int32_t best = code[b->base[seed]];
    size_t most = 0;

    for (size_t i = 0; i < b->k && at[i] != UINT32_MAX; ++i) {
        size_t votes = 0;
        for (size_t j = 0; j < b->k && at[j] != UINT32_MAX; ++j) votes += code[at[j]] == code[at[i]];
        if (votes > most) most = votes, best = code[at[i]];
    }
    return best;
}

static int make_codes(const void *payload, size_t feature, const int32_t *from, int32_t *to)
{
    const blend *b = payload;
    int32_t *code = scarce__malloc_array(b->n_donors, sizeof *code);

    if (!code) return 0;
    for (size_t i = 0; i < b->n_donors; ++i) code[i] = from[b->donor[i]];
    for (size_t i = 0; i < b->n; ++i) {
        if (b->vote && !b->copied[feature]) /* rows of one seed follow one another */
            to[i] = i && b->seed[i] == b->seed[i - 1] ? to[i - 1] : elected(b, b->seed[i], code);
        else to[i] = step_of(b, feature, i) < 0.5f ? code[b->base[b->seed[i]]] : code[b->other[i]];
    }
    scarce__free(code);
    return 1;
}

static int make_sparse(const void *payload, size_t feature, const scarce__sparse *from, scarce__sparse *to)
{
    const blend *b = payload;
    float *value = scarce__calloc(b->n_donors, sizeof *value);
    size_t n = 0;
    int ok = value != NULL;

    for (size_t i = 0, k = 0; ok && i < b->n_donors; ++i) {
        k += scarce__first_row(from->row + k, from->count - k, b->donor[i]);
        if (k < from->count && from->row[k] == b->donor[i]) value[i] = from->value[k];
    }
    for (size_t i = 0; ok && i < b->n; ++i) n += value[b->base[b->seed[i]]] != 0 || value[b->other[i]] != 0;
    if (ok) {
        to->row = scarce__malloc_array(n, sizeof *to->row);
        to->value = scarce__malloc_array(n, sizeof *to->value);
        ok = to->row && to->value;
    }
    for (size_t i = 0; ok && n && i < b->n; ++i) {
        const float x = between(value[b->base[b->seed[i]]], value[b->other[i]], step_of(b, feature, i));
        if (x == 0) continue;
        to->row[to->count] = (uint32_t)i;
        to->value[to->count++] = x;
    }
    scarce__free(value);
    return ok;
}

/* ---- drawing */

static int by_row(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Rows that are used, each once, and the seeds in terms of them. */
static int list_donors(blend *b, const scarce__seeds *s)
{
    size_t n = 0, k = 0;

    b->donor = scarce__malloc_array(s->n, (s->k + 1) * sizeof *b->donor);
    b->base = scarce__malloc_array(s->n, sizeof *b->base);
    b->neighbour = scarce__malloc_array(s->n, s->k * sizeof *b->neighbour);
    if (!b->donor || !b->base || !b->neighbour) return 0;
    for (size_t i = 0; i < s->n; ++i) b->donor[n++] = s->base[i];
    for (size_t i = 0; i < s->n * s->k; ++i)
        if (s->other[i] != UINT32_MAX) b->donor[n++] = s->other[i];
    qsort(b->donor, n, sizeof *b->donor, by_row);
    for (size_t i = 0; i < n; ++i)
        if (i == 0 || b->donor[i] != b->donor[i - 1]) b->donor[k++] = b->donor[i];
    b->n_donors = k;
    for (size_t i = 0; i < s->n; ++i) b->base[i] = (uint32_t)scarce__first_row(b->donor, k, s->base[i]);
    for (size_t i = 0; i < s->n * s->k; ++i)
        b->neighbour[i] =
            s->other[i] == UINT32_MAX ? UINT32_MAX : (uint32_t)scarce__first_row(b->donor, k, s->other[i]);
    return 1;
}

/* The rows of seed i, from place `at` on. */
static void draw(blend *b, uint32_t *base, const scarce_table *t, const scarce__seeds *s, size_t i, size_t at,
                 uint64_t seed)
{
    const uint64_t key = scarce__key(seed, SCARCE__FOR_RESAMPLE, 1 + (uint64_t)s->base[i]);
    size_t n_others = 0;

    while (n_others < s->k && s->other[i * s->k + n_others] != UINT32_MAX) ++n_others;
    for (size_t j = 0; j < s->times[i]; ++j) {
        const uint64_t bits = scarce__hash(key, 2 * j);
        const size_t c = (size_t)(((bits >> 32) * n_others) >> 32), cell = i * s->k + c;
        const float reach = s->reach[i] * (t->label[s->other[cell]] ? 1 : 0.5f);
        base[at + j] = s->base[i];
        b->seed[at + j] = (uint32_t)i;
        b->other[at + j] = b->neighbour[cell];
        b->step[at + j] = b->per_feature ? reach : reach * unit_step(scarce__hash(key, 2 * j + 1));
    }
}

scarce_status scarce__synthesise(scarce__recipe *out, const scarce_table *t, const scarce__seeds *s, int how,
                                 scarce_context *ctx, scarce_error *err)
{
    const uint64_t seed = seed_of(s, ctx);
    blend *b = scarce__calloc(1, sizeof *b);
    size_t n = 0;

    if (!b) return scarce__fail_memory(err, "rows to be made up", 0);
    for (size_t i = 0; i < s->n; ++i) n += s->times[i];
    out->making = (scarce__making){b, make_numbers, make_codes, make_sparse};
    out->free_payload = blend_free;
    b->n = n;
    b->k = s->k;
    b->vote = (how & SCARCE__SYNTHESIS_VOTE) != 0;
    b->per_feature = (how & SCARCE__SYNTHESIS_PER_FEATURE) != 0;
    b->key = scarce__key(seed, SCARCE__FOR_RESAMPLE, (uint64_t)1 << 33);
    b->seed = scarce__malloc_array(n, sizeof *b->seed);
    b->other = scarce__malloc_array(n, sizeof *b->other);
    b->step = scarce__malloc_array(n, sizeof *b->step);
    b->copied = scarce__malloc(t->schema.n_features);
    out->base = scarce__malloc_array(n, sizeof *out->base);
    if (!b->seed || !b->other || !b->step || !b->copied || !out->base || !list_donors(b, s))
        return scarce__fail_memory(err, "rows to be made up", n * 16);
    for (size_t f = 0; f < t->schema.n_features; ++f) b->copied[f] = (uint8_t)scarce__only_kept(t, f);
    for (size_t i = 0, at = 0; i < s->n; at += s->times[i], ++i) draw(b, out->base, t, s, i, at, seed);
    out->n_base = n;
    return SCARCE_OK;
}
