/* SPDX-License-Identifier: Apache-2.0 */
/* Row sampling inside boosting.
 *
 * A fixed number m of n rows is drawn by Floyd's method into a set of bits (from the smaller of m and n - m),
 * so a bag's rows ascend. "independent" throws one coin per row instead: hash(seed, tree, row) < p.
 *
 * By gradient (importance, mvs, goss): sampling_gradient.c. */
#include "boost/sampling.h"

#include <math.h>
#include <string.h>

#include "boost/sampling_inside.h"
#include "core/alloc.h"
#include "core/random.h"

void scarce__bag_deinit(scarce__bag *bag)
{
    scarce__free(bag->row);
    scarce__free(bag->weight_room);
    scarce__free(bag->value);
    memset(bag, 0, sizeof *bag);
}

static int bad_share(double x)
{
    return !(x > 0 && x <= 1);
}

scarce_status scarce__sampling_check(scarce__sampling_options *o, size_t n_positives, size_t n_negatives,
                                     const scarce__loss *loss, scarce_error *err)
{
    const int by_class = o->kind != SCARCE__ROWS_ALL && o->kind != SCARCE__ROWS_UNIFORM &&
                         o->kind != SCARCE__ROWS_GOSS && o->kind != SCARCE__ROWS_MVS;

    if (o->keep < 0)
        return scarce__fail(err, SCARCE_EINVAL, "keep is %d, a bag is kept 1 or more trees", o->keep);
    if (o->keep == 0) o->keep = o->kind == SCARCE__ROWS_IMPORTANCE ? 2 : 1;
    if (by_class && (n_positives == 0 || n_negatives == 0))
        return scarce__fail(err, SCARCE_EDATA,
                            "sampling by class needs positives and negatives, there are %zu and %zu",
                            n_positives, n_negatives);
    switch (o->kind) {
    case SCARCE__ROWS_UNIFORM:
    case SCARCE__ROWS_STRATIFIED:
        if (bad_share(o->fraction))
            return scarce__fail(err, SCARCE_EINVAL, "subsample is %g, allowed is (0, 1]", o->fraction);
        break;
    case SCARCE__ROWS_CLASSES:
        if (bad_share(o->positive_fraction) || bad_share(o->negative_fraction))
            return scarce__fail(err, SCARCE_EINVAL,
                                "the shares of positives and negatives are %g and %g, allowed is (0, 1]",
                                o->positive_fraction, o->negative_fraction);
        break;
    case SCARCE__ROWS_RATIO:
        if (!(o->ratio > 0 && o->ratio < 1))
            return scarce__fail(err, SCARCE_EINVAL, "ratio is %g, the share of positives must be in (0, 1)",
                                o->ratio);
        break;
    case SCARCE__ROWS_GOSS:
        if (!(o->top >= 0 && o->other > 0 && o->top + o->other <= 1))
            return scarce__fail(err, SCARCE_EINVAL,
                                "goss needs top >= 0, other > 0 and top + other <= 1, not %g and %g", o->top,
                                o->other);
        break;
    case SCARCE__ROWS_MVS:
        if (bad_share(o->fraction))
            return scarce__fail(err, SCARCE_EINVAL, "subsample is %g, allowed is (0, 1]", o->fraction);
        if (!(o->mvs_lambda >= 0) || !isfinite(o->mvs_lambda))
            return scarce__fail(err, SCARCE_EINVAL, "mvs_lambda is %g, it must be 0 or more", o->mvs_lambda);
        break;
    case SCARCE__ROWS_IMPORTANCE:
        if (!loss->interest)
            return scarce__fail(err, SCARCE_EUNSUPPORTED, "importance sampling isn't known for the loss %s",
                                loss->name);
        if (!(o->per_positive > 0) || !(o->floor >= 0) ||
            !(o->max_probability >= 0 && o->max_probability <= 1) ||
            !(o->pool_share >= 0 && o->pool_share <= 1) || (o->pool_share > 0 && o->pool_from < 1))
            return scarce__fail(
                err, SCARCE_EINVAL,
                "importance sampling: per_positive %g must be above 0, floor %g at "
                "least 0, the largest probability %g and the pool %g within [0, 1], pool_from %d above 0",
                o->per_positive, o->floor, o->max_probability, o->pool_share, o->pool_from);
        if (o->max_probability == 0) o->max_probability = n_positives < 1000 ? 1 : 0.2;
        if (o->per_positive * (double)n_positives > 0.3 * (double)n_negatives) o->kind = SCARCE__ROWS_ALL;
        break;
    default: break;
    }
    return SCARCE_OK;
}

int scarce__sampling_pool_due(const scarce__sampling_options *o, size_t tree)
{
    if (o->kind != SCARCE__ROWS_IMPORTANCE || o->pool_share <= 0) return 0;
    size_t at = (size_t)o->pool_from;
    while (at < tree) at *= 9;
    return at == tree;
}

int scarce__sampling_due(const scarce__sampling_options *o, size_t tree)
{
    return o->kind != SCARCE__ROWS_ALL && (tree % (size_t)o->keep == 0 || scarce__sampling_pool_due(o, tree));
}

/* What was allocated for a bag before is used again: fresh pages cost more than drawing does. */
scarce_status scarce__bag_reserve(scarce__bag *bag, size_t n, int weights, scarce_error *err)
{
    if (n + 1 > bag->room) {
        scarce__bag_deinit(bag);
        bag->row = scarce__big_alloc(n + 1, sizeof *bag->row);
        bag->room = n + 1;
    }
    if (weights && !bag->weight_room) bag->weight_room = scarce__big_alloc(bag->room, sizeof *bag->weight);
    bag->n = 0;
    bag->weight = weights ? bag->weight_room : NULL;
    if (bag->row && (bag->weight || !weights)) return SCARCE_OK;
    scarce__bag_deinit(bag);
    return scarce__fail_memory(err, "a bag of rows", n * 8);
}

/* ---- By class, a fixed number */

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

/* Takes m of the n rows of one class (label NULL: of all rows) with the given weight. */
typedef struct stratum {
    size_t n, m;
    int all;
    uint64_t *bits; /* over the rows of this class; inverted when `left_out` */
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

static size_t number_of(double share, size_t n)
{
    const double m = floor(share * (double)n + 0.5);
    return m < 1 ? (n > 0) : m > (double)n ? n : (size_t)m;
}

static scarce_status draw_strata(scarce__bag *out, const scarce__sampling_options *o,
                                 const scarce__population *from, uint64_t seed, uint64_t tree,
                                 scarce_error *err)
{
    const int split = o->kind != SCARCE__ROWS_UNIFORM;
    const uint64_t key = scarce__key(seed, SCARCE__FOR_ROWS, 2 * tree);
    double share[2] = {o->fraction, o->fraction};
    stratum s[2];
    scarce_status status;
    size_t seen[2] = {0, 0}, k = 0;

    memset(s, 0, sizeof s);
    for (size_t i = 0; i < from->n; ++i) ++s[split && from->label[i]].n;
    if (o->kind == SCARCE__ROWS_CLASSES) {
        share[0] = o->negative_fraction;
        share[1] = o->positive_fraction;
    } else if (o->kind == SCARCE__ROWS_BALANCED || o->kind == SCARCE__ROWS_RATIO) {
        const double per = o->kind == SCARCE__ROWS_BALANCED ? 1 : (1 - o->ratio) / o->ratio;
        share[0] = per * (double)s[1].n / (double)s[0].n;
        share[1] = 1;
        if (share[0] > 1) { /* more positives than negatives: draw from those instead */
            share[1] = 1 / share[0];
            share[0] = 1;
        }
    }
    const int weights = o->reweigh && split;
    status = scarce__bag_reserve(out, from->n, weights, err);
    for (int c = 0; c < 2 && status == SCARCE_OK; ++c) {
        s[c].m = number_of(share[c], s[c].n);
        s[c].weight = share[c] < 1 ? (float)(1 / share[c]) : 1;
        status = stratum_draw(&s[c], o->independent, share[c], seed, 2 * tree + 1 + ((uint64_t)c << 40), err);
    }
    for (size_t i = 0; status == SCARCE_OK && i < from->n; ++i) {
        const int c = split && from->label[i];
        const size_t at = seen[c]++;
        int take = s[c].all;
        if (!take)
            take = o->independent ? scarce__hash(key, from->id ? from->id[i] : i) < s[c].limit
                                  : get_bit(s[c].bits, at) != s[c].left_out;
        out->row[k] = (uint32_t)i;
        if (weights) out->weight[k] = s[c].weight;
        k += (size_t)take;
    }
    out->n = k;
    scarce__free(s[0].bits);
    scarce__free(s[1].bits);
    if (status != SCARCE_OK) scarce__bag_deinit(out);
    return status;
}

/* ---- All of them */

scarce_status scarce__sampling_draw(scarce__bag *out, const scarce__sampling_options *o,
                                    const scarce__population *from, int pool, double n_all, uint64_t seed,
                                    uint64_t tree, const scarce__loss *loss, scarce_context *ctx,
                                    scarce_error *err)
{
    if (o->kind == SCARCE__ROWS_GOSS || o->kind == SCARCE__ROWS_MVS || o->kind == SCARCE__ROWS_IMPORTANCE)
        return scarce__draw_by_gradient(out, o, from, pool, n_all, seed, tree, loss, ctx, err);
    return draw_strata(out, o, from, seed, tree, err);
}
