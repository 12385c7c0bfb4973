/* SPDX-License-Identifier: Apache-2.0 */
/* Rows drawn without looking at their scores: of all rows, or so many of each class.
 *
 * A fixed number m of n rows is drawn by Floyd's method into a set of bits (from the smaller of m and n - m), over the
 * places of sampling_places.h: a row of weight w has w of them, and the share of it that was drawn counts. "independent"
 * throws coins instead: sampling_coins.h. */
#include <math.h>
#include <string.h>

#include "boost/sampling.h"
#include "boost/sampling_coins.h"
#include "boost/sampling_places.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"

static void set_bit(uint64_t *bits, size_t i)
{
    bits[i >> 6] |= (uint64_t)1 << (i & 63);
}

static int get_bit(const uint64_t *bits, size_t i)
{
    return (int)(bits[i >> 6] >> (i & 63) & 1);
}

/* m different numbers below n. */
static void floyd(uint64_t *bits, size_t n, size_t m, scarce__random *r)
{
    for (size_t j = n - m; j < n; ++j) {
        const size_t k = (size_t)scarce__random_below(r, j + 1);
        set_bit(bits, get_bit(bits, k) ? j : k);
    }
}

/* What is kept from draw to draw; both NULL: rows have the places that their order gives them. */
typedef struct strata {
    scarce__coins *coins;
    scarce__places *places;
} strata;

/* Takes m of the n places of one class (label NULL: of all rows) with the given weight. */
typedef struct stratum {
    size_t n, m;
    int all;
    uint64_t *bits; /* over the places of this class; inverted when `left_out` */
    int left_out;
    float weight;
    uint64_t limit; /* independent: hash below this */
} stratum;

static scarce_status stratum_draw(stratum *s, int independent, double share, uint64_t seed, uint64_t stream,
                                  scarce_error *err)
{
    s->bits = NULL;
    s->limit = share >= 1 ? UINT64_MAX : (uint64_t)(share * 0x1p64);
    s->all = share >= 1 || (!independent && s->m >= s->n);
    if (s->all || independent) return SCARCE_OK;
    s->bits = scarce__calloc(s->n / 64 + 1, sizeof *s->bits);
    if (!s->bits) return scarce__fail_memory(err, "drawing rows", s->n / 8);
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_ROWS, stream);
    s->left_out = s->m > s->n / 2;
    floyd(s->bits, s->n, s->left_out ? s->n - s->m : s->m, &r);
    return SCARCE_OK;
}

/* The share of a row that was drawn: of its places. */
static float drawn_of(const stratum *s, size_t first, uint32_t places)
{
    uint32_t drawn = 0;

    for (uint32_t k = 0; k < places; ++k) drawn += get_bit(s->bits, first + k) != s->left_out;
    return places ? (float)drawn / (float)places : 0;
}

static size_t number_of(double share, size_t n)
{
    const double m = floor(share * (double)n + 0.5);
    return m < 1 ? (n > 0) : m > (double)n ? n : (size_t)m;
}

/* The shares of negatives and positives, from how many there are. */
typedef void (*share_fn)(double share[2], const scarce__sampling_options *o, size_t n_negatives,
                         size_t n_positives);

/* split: by class; else share[0] of all rows. */
static scarce_status draw_strata(const scarce__sampling *sampling, int split, share_fn shares,
                                 scarce__bag *out, const scarce__population *from, const scarce__draw *at,
                                 scarce_error *err)
{
    const scarce__sampling_options *o = &sampling->o;
    const strata *state = sampling->state;
    const scarce__coins *coins = state ? state->coins : NULL;
    const scarce__places *places = state && !from->id ? state->places : NULL;
    const uint64_t key = scarce__key(at->seed, SCARCE__FOR_ROWS, 2 * at->tree);
    double share[2];
    stratum s[2];
    scarce_status status;
    size_t seen[2] = {0, 0}, k = 0;

    memset(s, 0, sizeof s);
    for (size_t i = 0; !places && i < from->n; ++i) ++s[split && from->label[i]].n;
    for (int c = 0; places && c < 2; ++c) s[c].n = places->n[c];
    shares(share, o, s[0].n, s[1].n);
    const int weights = (o->reweigh && split) || (coins && coins->parts) || (places && places->coins);
    status = scarce__bag_reserve(out, from->n, weights, err);
    for (int c = 0; c < 2 && status == SCARCE_OK; ++c) {
        s[c].m = number_of(share[c], s[c].n);
        s[c].weight = o->reweigh && split && share[c] < 1 ? (float)(1 / share[c]) : 1;
        status = stratum_draw(&s[c], o->independent, share[c], at->seed,
                              2 * at->tree + 1 + ((uint64_t)c << 40), err);
    }
    for (size_t i = 0; status == SCARCE_OK && i < from->n; ++i) {
        const int c = split && from->label[i];
        const size_t place = seen[c]++;
        const size_t id = from->id ? from->id[i] : i;
        float kept = 1;
        if (!s[c].all && coins) kept = scarce__coins_kept(coins, id, key, s[c].limit);
        else if (!s[c].all && o->independent) kept = scarce__hash(key, id) < s[c].limit;
        else if (!s[c].all)
            kept = drawn_of(&s[c], places ? places->first[i] : place,
                            places && places->coins ? places->coins[i] : 1);
        out->row[k] = (uint32_t)i;
        if (weights) out->weight[k] = s[c].weight * kept;
        k += (size_t)(kept > 0);
    }
    out->n = k;
    scarce__free(s[0].bits);
    scarce__free(s[1].bits);
    if (status != SCARCE_OK) scarce__bag_deinit(out);
    return status;
}

static scarce_status start_strata(scarce__sampling *s, const scarce__population *all, scarce_context *ctx,
                                  scarce_error *err)
{
    strata *state;

    (void)ctx;
    if (!all->table || (!s->is->by_class && s->o.fraction >= 1)) return SCARCE_OK;
    s->state = state = scarce__calloc(1, sizeof *state); /* freed by `end`, whatever happens */
    if (!state) return scarce__fail_memory(err, "drawing rows", sizeof *state);
    if (s->o.independent) return scarce__coins_new(&state->coins, all, err);
    return scarce__places_new(&state->places, all, s->is->by_class, err);
}

static void end_strata(scarce__sampling *s)
{
    strata *state = s->state;

    if (!state) return;
    scarce__coins_free(state->coins);
    scarce__places_free(state->places);
    scarce__free(state);
    s->state = NULL;
}

/* ---- uniform, stratified */

static void share_alike(double share[2], const scarce__sampling_options *o, size_t n_negatives,
                        size_t n_positives)
{
    (void)n_negatives;
    (void)n_positives;
    share[0] = share[1] = o->fraction;
}

static scarce_status check_fraction(scarce__sampling *s, size_t n_positives, size_t n_negatives,
                                    const scarce__loss *loss, scarce_error *err)
{
    (void)n_positives;
    (void)n_negatives;
    (void)loss;
    return scarce__sampling_share("subsample", s->o.fraction, err);
}

static scarce_status draw_uniform(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                                  const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    (void)ctx;
    return draw_strata(s, 0, share_alike, out, from, at, err);
}

static scarce_status draw_stratified(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                                     const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    (void)ctx;
    return draw_strata(s, 1, share_alike, out, from, at, err);
}

const scarce__sampler scarce__sampler_uniform = {.name = "uniform",
                                                 .summary = "a share of the rows",
                                                 .takes = "fraction independent",
                                                 .check = check_fraction,
                                                 .start = start_strata,
                                                 .draw = draw_uniform,
                                                 .end = end_strata};
const scarce__sampler scarce__sampler_stratified = {.name = "stratified",
                                                    .summary = "the same share of each class",
                                                    .takes = "fraction independent",
                                                    .by_class = 1,
                                                    .check = check_fraction,
                                                    .start = start_strata,
                                                    .draw = draw_stratified,
                                                    .end = end_strata};

/* ---- classes */

static void share_classes(double share[2], const scarce__sampling_options *o, size_t n_negatives,
                          size_t n_positives)
{
    (void)n_negatives;
    (void)n_positives;
    share[0] = o->negative_fraction;
    share[1] = o->positive_fraction;
}

static scarce_status check_classes(scarce__sampling *s, size_t n_positives, size_t n_negatives,
                                   const scarce__loss *loss, scarce_error *err)
{
    (void)n_positives;
    (void)n_negatives;
    (void)loss;
    if (scarce__sampling_share("", s->o.positive_fraction, NULL) == SCARCE_OK &&
        scarce__sampling_share("", s->o.negative_fraction, NULL) == SCARCE_OK)
        return SCARCE_OK;
    return scarce__fail(err, SCARCE_EINVAL,
                        "the shares of positives and negatives are %g and %g, allowed is (0, 1]",
                        s->o.positive_fraction, s->o.negative_fraction);
}

static scarce_status draw_classes(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                                  const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    (void)ctx;
    return draw_strata(s, 1, share_classes, out, from, at, err);
}

const scarce__sampler scarce__sampler_classes = {
    .name = "classes",
    .summary = "one share of the positives, another of the rest",
    .takes = "positive_fraction negative_fraction independent reweigh",
    .by_class = 1,
    .check = check_classes,
    .start = start_strata,
    .draw = draw_classes,
    .end = end_strata};

/* ---- balanced, ratio: all positives, and `per` negatives for each */

static void share_per(double share[2], double per, size_t n_negatives, size_t n_positives)
{
    share[0] = per * (double)n_positives / (double)n_negatives;
    share[1] = 1;
    if (share[0] > 1) { /* more positives than negatives: draw from those instead */
        share[1] = 1 / share[0];
        share[0] = 1;
    }
}

static void share_balanced(double share[2], const scarce__sampling_options *o, size_t n_negatives,
                           size_t n_positives)
{
    (void)o;
    share_per(share, 1, n_negatives, n_positives);
}

static void share_ratio(double share[2], const scarce__sampling_options *o, size_t n_negatives,
                        size_t n_positives)
{
    share_per(share, (1 - o->ratio) / o->ratio, n_negatives, n_positives);
}

static scarce_status check_ratio(scarce__sampling *s, size_t n_positives, size_t n_negatives,
                                 const scarce__loss *loss, scarce_error *err)
{
    (void)n_positives;
    (void)n_negatives;
    (void)loss;
    if (s->o.ratio > 0 && s->o.ratio < 1) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EINVAL, "ratio is %g, the share of positives must be in (0, 1)",
                        s->o.ratio);
}

static scarce_status draw_balanced(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                                   const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    (void)ctx;
    return draw_strata(s, 1, share_balanced, out, from, at, err);
}

static scarce_status draw_ratio(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                                const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    (void)ctx;
    return draw_strata(s, 1, share_ratio, out, from, at, err);
}

const scarce__sampler scarce__sampler_balanced = {.name = "balanced",
                                                  .summary = "all positives and as many negatives",
                                                  .takes = "reweigh independent",
                                                  .by_class = 1,
                                                  .start = start_strata,
                                                  .draw = draw_balanced,
                                                  .end = end_strata};
const scarce__sampler scarce__sampler_ratio = {
    .name = "ratio",
    .summary = "all positives, and negatives so that positives are a given share",
    .takes = "ratio reweigh independent",
    .by_class = 1,
    .check = check_ratio,
    .start = start_strata,
    .draw = draw_ratio,
    .end = end_strata};
