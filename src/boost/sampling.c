/* SPDX-License-Identifier: Apache-2.0 */
/* Row sampling inside boosting.
 *
 * A fixed number m of n rows is drawn by Floyd's method into a set of bits (from the smaller of m and n - m),
 * so a bag's rows ascend. "independent" throws one coin per row instead: hash(seed, tree, row) < p.
 *
 * Importance sampling (negatives; positives are always taken): with s_i the interest of row i times the
 * weight it already carries, m = mean s, v_i = s_i + floor m, solve sum_i min(1, v_i / mu) = n / pmax and
 * take row i with probability pr_i = pmax min(1, v_i / mu), weight 1 / pr_i on g and on h. mu comes from a
 * histogram of log v over every 16th row. No negative is certain (pmax < 1): look-alikes of positives aren't
 * learnt by heart.
 *
 * GOSS: the `top` share of rows by |g| sqrt(h) is kept, `other` of the rest with weight (1 - top) / other. */
#include "boost/sampling.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/random.h"

enum { BLOCK = 8192, CELLS = 1 << 13, CELL_SHIFT = 18, THIN = 16 };

void scarce__bag_deinit(scarce__bag *bag)
{
    scarce__free(bag->row);
    scarce__free(bag->weight);
    memset(bag, 0, sizeof *bag);
}

static int bad_share(double x)
{
    return !(x > 0 && x <= 1);
}

scarce_status scarce__sampling_check(scarce__sampling_options *o, size_t n_positives, size_t n_negatives,
                                     const scarce__loss *loss, scarce_error *err)
{
    const int by_class =
        o->kind != SCARCE__ROWS_ALL && o->kind != SCARCE__ROWS_UNIFORM && o->kind != SCARCE__ROWS_GOSS;

    if (o->keep < 0)
        return scarce__fail(err, SCARCE_EINVAL, "keep is %d, a bag is kept 1 or more trees", o->keep);
    if (o->keep == 0) o->keep = o->kind == SCARCE__ROWS_IMPORTANCE ? 5 : 1;
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

static scarce_status bag_reserve(scarce__bag *bag, size_t n, int weights, scarce_error *err)
{
    memset(bag, 0, sizeof *bag);
    bag->row = scarce__big_alloc(n + 1, sizeof *bag->row);
    if (weights) bag->weight = scarce__big_alloc(n + 1, sizeof *bag->weight);
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
    status = bag_reserve(out, from->n, weights, err);
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

/* ---- By gradient */

static uint32_t cell_of(float v)
{
    uint32_t u;
    memcpy(&u, &v, sizeof u); /* v >= 0: exponent and leading bits ascend with v */
    return u >> CELL_SHIFT;
}

/* mu with sum_i min(1, v_i / mu) = want, from the thinned histogram. */
static double solve_mu(const double *sum, const double *count, double want)
{
    double certain = 0, rest = 0;
    for (int c = 0; c < CELLS; ++c) rest += sum[c];
    for (int c = CELLS - 1; c >= 0; --c) {
        if (count[c] == 0) continue;
        const double left = want - certain > 1e-9 ? want - certain : 1e-9;
        if (sum[c] / count[c] < rest / left) break;
        certain += count[c];
        rest -= sum[c];
    }
    const double mu = rest / (want - certain > 1e-9 ? want - certain : 1e-9);
    return mu > 0 ? mu : 1e-30;
}

typedef struct gradient_job {
    const scarce__population *from;
    const scarce__loss *loss;
    float *v; /* interest, then probability */
    float add, mu, most;
    uint64_t key;
    scarce__bag *bag;
    size_t *taken; /* per block */
    int goss;
    uint32_t top_cell;
    float rest_share;
} gradient_job;

static void interest_block(void *arg, size_t block, int worker)
{
    gradient_job *j = arg;
    const size_t b = block * BLOCK, e = b + BLOCK < j->from->n ? b + BLOCK : j->from->n;
    (void)worker;
    j->loss->interest(j->loss, j->from->score + b, e - b, j->v + b);
    if (j->from->case_weight)
        for (size_t i = b; i < e; ++i) j->v[i] *= j->from->case_weight[i];
    if (j->from->bag_weight)
        for (size_t i = b; i < e; ++i) j->v[i] *= j->from->bag_weight[i];
}

static void take_block(void *arg, size_t block, int worker)
{
    gradient_job *j = arg;
    const size_t b = block * BLOCK, e = b + BLOCK < j->from->n ? b + BLOCK : j->from->n;
    const float inverse = 1 / j->mu;
    size_t k = b;
    (void)worker;
    for (size_t i = b; i < e; ++i) {
        float p;
        if (j->goss) p = cell_of(j->v[i]) > j->top_cell ? 1.0f : j->rest_share;
        else {
            p = (j->v[i] + j->add) * inverse;
            p = (p > 1 ? 1 : p) * j->most;
            p = j->from->label[i] ? 1.0f : p;
        }
        const uint64_t x = scarce__hash(j->key, j->from->id ? j->from->id[i] : i);
        j->bag->row[k] = (uint32_t)i;
        j->bag->weight[k] = 1 / p;
        k += (float)(x >> 40) * 0x1p-24f < p;
    }
    j->taken[block] = k - b;
}

/* Blocks wrote to their own stretches; close the gaps. */
static void join_blocks(scarce__bag *bag, const size_t *taken, size_t blocks)
{
    size_t k = 0;
    for (size_t i = 0; i < blocks; ++i) {
        memmove(bag->row + k, bag->row + i * BLOCK, taken[i] * sizeof *bag->row);
        memmove(bag->weight + k, bag->weight + i * BLOCK, taken[i] * sizeof *bag->weight);
        k += taken[i];
    }
    bag->n = k;
}

static void find_mu(gradient_job *j, double n_wanted, double floor_share)
{
    double sum[CELLS] = {0}, count[CELLS] = {0}, total = 0, seen = 0;
    const size_t n = j->from->n, first = (size_t)(j->key % THIN), thin = n < 64 * THIN ? 1 : THIN;

    for (size_t i = thin > 1 ? first : 0; i < n; i += thin) {
        if (j->from->label[i]) continue;
        total += (double)j->v[i];
        seen += 1;
    }
    j->add = (float)(floor_share * total / (seen > 0 ? seen : 1));
    for (size_t i = thin > 1 ? first : 0; i < n; i += thin) {
        if (j->from->label[i]) continue;
        const float v = j->v[i] + j->add;
        sum[cell_of(v)] += (double)v;
        count[cell_of(v)] += 1;
    }
    j->mu = (float)solve_mu(sum, count, n_wanted / (double)j->most / (double)thin);
}

static scarce_status goss_values(gradient_job *j, const scarce__sampling_options *o, scarce_context *ctx,
                                 scarce_error *err)
{
    const scarce__population *p = j->from;
    const scarce__loss_rows rows = {p->n, p->score, p->label, p->target, p->case_weight};
    float *h = scarce__big_alloc(p->n, sizeof *h);
    size_t *count = scarce__calloc(CELLS, sizeof *count), above = 0;
    scarce_status status = SCARCE_OK;
    if (!h || !count) status = scarce__fail_memory(err, "goss", p->n * sizeof *h);
    if (status == SCARCE_OK) status = j->loss->gradients(j->loss, &rows, j->v, h, ctx, err);
    if (status == SCARCE_OK) {
        for (size_t i = 0; i < p->n; ++i) {
            j->v[i] = fabsf(j->v[i]) * sqrtf(h[i] > 0 ? h[i] : 0);
            ++count[cell_of(j->v[i])];
        }
        j->top_cell = CELLS - 1;
        while (j->top_cell > 0 && (double)(above + count[j->top_cell]) <= o->top * (double)p->n)
            above += count[j->top_cell--];
        const double rest = (double)(p->n - above);
        j->rest_share = rest > 0 ? (float)(o->other * (double)p->n / rest) : 1;
        if (j->rest_share > 1) j->rest_share = 1;
    }
    scarce__free(h);
    scarce__free(count);
    return status;
}

static scarce_status draw_by_gradient(scarce__bag *out, const scarce__sampling_options *o,
                                      const scarce__population *from, int pool, double n_all, uint64_t seed,
                                      uint64_t tree, const scarce__loss *loss, scarce_context *ctx,
                                      scarce_error *err)
{
    const size_t blocks = scarce__blocks(from->n, BLOCK);
    gradient_job j;
    scarce_status status;

    memset(&j, 0, sizeof j);
    SCARCE__TRY(bag_reserve(out, from->n, 1, err));
    j.from = from;
    j.loss = loss;
    j.bag = out;
    j.goss = o->kind == SCARCE__ROWS_GOSS;
    j.mu = 1;
    j.key = scarce__key(seed, SCARCE__FOR_ROWS, 2 * tree + (pool ? 1 : 0));
    j.v = scarce__big_alloc(from->n, sizeof *j.v);
    j.taken = scarce__malloc_array(blocks, sizeof *j.taken);
    status = j.v && j.taken ? SCARCE_OK : scarce__fail_memory(err, "drawing rows", from->n * sizeof *j.v);
    if (status == SCARCE_OK) {
        if (j.goss) status = goss_values(&j, o, ctx, err);
        else {
            size_t positives = 0;
            for (size_t i = 0; i < from->n; ++i) positives += from->label[i];
            j.most = pool ? 1 : (float)o->max_probability;
            scarce__pool_run(scarce__context_pool(ctx), blocks, interest_block, &j);
            find_mu(&j, pool ? o->pool_share * n_all : o->per_positive * (double)positives, o->floor);
        }
    }
    if (status == SCARCE_OK) {
        scarce__pool_run(scarce__context_pool(ctx), blocks, take_block, &j);
        join_blocks(out, j.taken, blocks);
    } else scarce__bag_deinit(out);
    scarce__free(j.v);
    scarce__free(j.taken);
    return status;
}

scarce_status scarce__sampling_draw(scarce__bag *out, const scarce__sampling_options *o,
                                    const scarce__population *from, int pool, double n_all, uint64_t seed,
                                    uint64_t tree, const scarce__loss *loss, scarce_context *ctx,
                                    scarce_error *err)
{
    scarce__bag_deinit(out);
    if (o->kind == SCARCE__ROWS_GOSS || o->kind == SCARCE__ROWS_IMPORTANCE)
        return draw_by_gradient(out, o, from, pool, n_all, seed, tree, loss, ctx, err);
    return draw_strata(out, o, from, seed, tree, err);
}
