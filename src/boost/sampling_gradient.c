/* SPDX-License-Identifier: Apache-2.0 */
/* Rows drawn by their gradients: row i is taken with probability p_i (Poisson sampling: each row by its own
 * coin, hash(seed, tree, row) < p_i), and carries the weight 1 / p_i on g and on h, so that sums over a bag
 * are unbiased for the sums over all rows.
 *
 * Importance (negatives; positives are always taken): see interest.h. No negative is certain (pmax < 1):
 * look-alikes of positives aren't learnt by heart.
 *
 * MVS: v_i = sqrt(g_i^2 + lambda h_i^2), p_i = min(1, v_i / mu) with sum p_i = share x rows exactly: of all
 * schemes with this many rows the one with the least variance of G^2 / (H + lambda) to first order.
 * Ibragimov and Gusev: Minimal variance sampling in stochastic gradient boosting, NeurIPS 2019.
 *
 * GOSS: the `top` share of rows by |g| sqrt(h) is certain, of the rest `other` x rows are drawn alike.
 * Ke et al.: LightGBM, NeurIPS 2017. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boost/interest.h"
#include "boost/sampling.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "tree/simd.h"

enum { BLOCK = 8192, CELLS = 1 << 13, CELL_SHIFT = 18, PARTS = 8 };

typedef struct gradient_job {
    const scarce__population *from;
    const scarce__loss *loss;
    const scarce__sampling_options *o;
    scarce__sampling_kind kind;
    float *v;       /* interest, then probability */
    const float *h; /* mvs, goss: curvature; v is the gradient first */
    float add, mu;
    scarce__interest_rule rule;
    scarce__bag *bag;
    size_t *taken; /* per block */
    float top;     /* goss: certain from this value on */
    float rest_share;
    int avx2;
} gradient_job;

/* v >= 0: exponent and leading bits ascend with it. */
static inline uint32_t cell_of(float v)
{
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    return u >> CELL_SHIFT;
}

static float cell_edge(uint32_t cell)
{
    const uint32_t u = cell << CELL_SHIFT;
    float v;
    memcpy(&v, &u, sizeof v);
    return v;
}

/* ---- Values */

static void interest_block(void *arg, size_t block, int worker)
{
    gradient_job *j = arg;
    const size_t b = block * BLOCK, e = b + BLOCK < j->from->n ? b + BLOCK : j->from->n;
    const scarce__loss_rows rows = {
        .n = j->from->n, .score = j->from->score, .label = j->from->label, .row = j->from->id};
    (void)worker;
    j->loss->interest(j->loss, &rows, b, e, j->v);
    if (j->from->case_weight)
        for (size_t i = b; i < e; ++i) j->v[i] *= j->from->case_weight[i];
    if (j->from->bag_weight)
        for (size_t i = b; i < e; ++i) j->v[i] *= j->from->bag_weight[i];
}

/* Gradients to values, in place. */
static void value_block(void *arg, size_t block, int worker)
{
    gradient_job *j = arg;
    const size_t b = block * BLOCK, e = b + BLOCK < j->from->n ? b + BLOCK : j->from->n;
    const float lambda = (float)j->o->mvs_lambda;
    (void)worker;
    if (j->kind == SCARCE__ROWS_MVS)
        for (size_t i = b; i < e; ++i) j->v[i] = sqrtf(j->v[i] * j->v[i] + lambda * j->h[i] * j->h[i]);
    else
        for (size_t i = b; i < e; ++i) j->v[i] = fabsf(j->v[i]) * sqrtf(j->h[i] > 0 ? j->h[i] : 0);
}

/* ---- MVS and GOSS: the exact threshold. Cells are counted in a fixed number of parts, so that sums don't
 * depend on the threads. */

typedef struct cell_job {
    const float *v;
    size_t n, part;
    double *sum;
    uint32_t *count;
} cell_job;

static void count_cells(void *arg, size_t part, int worker)
{
    const cell_job *c = arg;
    const size_t b = part * c->part, e = b + c->part < c->n ? b + c->part : c->n;
    double *sum = c->sum + part * CELLS;
    uint32_t *count = c->count + part * CELLS;
    (void)worker;
    for (size_t i = b; i < e; ++i) {
        const uint32_t cell = cell_of(c->v[i]);
        sum[cell] += (double)c->v[i];
        ++count[cell];
    }
}

static int falling(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The values of one cell, largest first; to be freed. */
static float *values_of_cell(const cell_job *c, uint32_t cell, size_t n)
{
    float *out = scarce__malloc_array(n, sizeof *out);
    size_t k = 0;
    if (!out) return NULL;
    for (size_t i = 0; i < c->n && k < n; ++i)
        if (cell_of(c->v[i]) == cell) out[k++] = c->v[i];
    qsort(out, n, sizeof *out, falling);
    return out;
}

/* The largest values one after the other, as long as they are certain: v_k >= (sum of v_k, v_k+1, ...) /
 * (want - k + 1). */
static scarce_status exact_mu(const cell_job *c, double want, float *mu, scarce_error *err)
{
    double certain = 0, rest = 0;
    int open = 1;

    for (int i = 0; i < CELLS; ++i) rest += c->sum[i];
    for (uint32_t i = CELLS; open && i-- > 0 && want - certain > 0;) {
        const double n = c->count[i], edge = (double)cell_edge(i);
        if (n == 0) continue;
        if (want - certain >= n && edge * (want - certain - n + 1) >= rest - c->sum[i] + edge) {
            certain += n;
            rest -= c->sum[i];
            continue;
        }
        float *v = values_of_cell(c, i, (size_t)n);
        if (!v) return scarce__fail_memory(err, "the threshold of a bag", 4 * c->count[i]);
        for (size_t k = 0; k < c->count[i] && open; ++k) {
            open = want - certain > 0 && (double)v[k] * (want - certain) >= rest;
            if (!open) break;
            certain += 1;
            rest -= (double)v[k];
        }
        scarce__free(v);
    }
    const double left = want - certain, at = rest > 0 && left > 0 ? rest / left : 0;
    *mu = at > 1e-30 && at < 1e30 ? (float)at : 1e-30f;
    return SCARCE_OK;
}

/* The value of rank `rank` (from 0), where there are so many. */
static scarce_status value_at(const cell_job *c, double rank, float *value, scarce_error *err)
{
    double above = 0;
    *value = INFINITY;
    for (uint32_t i = CELLS; i-- > 0;) {
        const size_t n = c->count[i];
        if (above + (double)n < rank + 1) {
            above += (double)n;
            continue;
        }
        float *v = values_of_cell(c, i, n);
        if (!v) return scarce__fail_memory(err, "the threshold of a bag", 4 * n);
        *value = v[(size_t)(rank - above)];
        scarce__free(v);
        return SCARCE_OK;
    }
    return SCARCE_OK;
}

static scarce_status set_threshold(gradient_job *j, const cell_job *c, scarce_error *err)
{
    const double n = (double)c->n;
    size_t certain = 0;

    if (j->kind == SCARCE__ROWS_MVS) {
        double total = 0;
        for (int i = 0; i < CELLS; ++i) total += c->sum[i];
        if (total > 0) return exact_mu(c, j->o->fraction * n, &j->mu, err);
        j->add = (float)j->o->fraction; /* nothing to choose by: all alike */
        return SCARCE_OK;
    }
    const double top = floor(j->o->top * n + 0.5);
    if (top >= 1) SCARCE__TRY(value_at(c, top - 1, &j->top, err));
    for (size_t i = 0; i < c->n; ++i) certain += j->v[i] > j->top; /* equal values: none of them is */
    const double rest = n - (double)certain;
    j->rest_share = rest > 0 ? (float)((j->o->other * n + top - (double)certain) / rest) : 1;
    if (j->rest_share > 1) j->rest_share = 1;
    return SCARCE_OK;
}

static scarce_status gradient_values(gradient_job *j, scarce_context *ctx, scarce_error *err)
{
    const scarce__population *p = j->from;
    const scarce__loss_rows rows = {.n = p->n,
                                    .score = p->score,
                                    .label = p->label,
                                    .target = p->target,
                                    .weight = p->case_weight,
                                    .row = p->id};
    float *h = scarce__big_alloc(p->n, sizeof *h);
    cell_job c = {j->v, p->n, (p->n + PARTS - 1) / PARTS, NULL, NULL};
    scarce_status status = SCARCE_OK;

    c.sum = scarce__calloc((size_t)PARTS * CELLS, sizeof *c.sum);
    c.count = scarce__calloc((size_t)PARTS * CELLS, sizeof *c.count);
    if (!h || !c.sum || !c.count) status = scarce__fail_memory(err, "drawing rows", p->n * sizeof *h);
    if (status == SCARCE_OK) status = j->loss->gradients(j->loss, &rows, j->v, h, ctx, err);
    if (status == SCARCE_OK) {
        j->h = h;
        scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(p->n, BLOCK), value_block, j);
        scarce__pool_run(scarce__context_pool(ctx), PARTS, count_cells, &c);
        for (size_t part = 1; part < PARTS; ++part)
            for (size_t i = 0; i < CELLS; ++i) {
                c.sum[i] += c.sum[part * CELLS + i];
                c.count[i] += c.count[part * CELLS + i];
            }
        status = set_threshold(j, &c, err);
    }
    scarce__free(h);
    scarce__free(c.sum);
    scarce__free(c.count);
    return status;
}

uint64_t scarce__draw_key(const scarce__draw *at)
{
    return scarce__key(at->seed, SCARCE__FOR_ROWS, 2 * at->tree + (at->pool ? 1 : 0));
}

/* ---- Drawing */

/* Probabilities and coins of n rows, by mvs or goss. */
SCARCE__BODY void toss_body(const gradient_job *j, size_t b, size_t n, uint8_t *restrict take)
{
    float *restrict v = j->v + b;
    const uint32_t *restrict id = j->from->id ? j->from->id + b : NULL;
    const float inverse = 1 / j->mu, add = j->add, top = j->top, rest = j->rest_share;
    const uint64_t key = j->rule.key;

    if (j->kind == SCARCE__ROWS_GOSS)
        for (size_t i = 0; i < n; ++i) v[i] = v[i] > top ? 1.0f : rest;
    else
        for (size_t i = 0; i < n; ++i) {
            const float p = (v[i] + add) * inverse;
            v[i] = p > 1 ? 1.0f : p;
        }
    if (id)
        for (size_t i = 0; i < n; ++i)
            take[i] = (float)(int32_t)(scarce__hash32(key, id[i]) >> 8) * 0x1p-24f < v[i];
    else
        for (size_t i = 0; i < n; ++i)
            take[i] = (float)(int32_t)(scarce__hash32(key, (uint32_t)(b + i)) >> 8) * 0x1p-24f < v[i];
}

static void toss_plain(const gradient_job *j, size_t b, size_t n, uint8_t *take)
{
    toss_body(j, b, n, take);
}

SCARCE__AVX2 static void toss_avx2(const gradient_job *j, size_t b, size_t n, uint8_t *take)
{
    toss_body(j, b, n, take);
}

static void take_block(void *arg, size_t block, int worker)
{
    gradient_job *j = arg;
    const size_t b = block * BLOCK, n = b + BLOCK < j->from->n ? BLOCK : j->from->n - b;
    uint8_t take[BLOCK + 8];
    uint32_t *row = j->bag->row + b;
    float *weight = j->bag->weight + b;
    size_t k = 0;
    (void)worker;
    if (j->kind == SCARCE__ROWS_IMPORTANCE)
        scarce__interest_toss(&j->rule, j->v + b, j->from->label + b, NULL, b, n, take, !j->avx2);
    else (j->avx2 ? toss_avx2 : toss_plain)(j, b, n, take);
    memset(take + n, 0, 8);
    for (size_t i = 0; i < n; i += 8) {
        uint64_t eight;
        memcpy(&eight, take + i, sizeof eight);
        if (eight == 0) continue;
        for (size_t l = i; l < i + 8 && l < n; ++l) {
            row[k] = (uint32_t)(b + l);
            weight[k] = 1 / j->v[b + l];
            k += take[l];
        }
    }
    j->taken[block] = k;
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

/* A pool of most rows would only be a copy of them. */
static const double pool_share = 0.25;

double scarce__pool_size(const scarce__sampling_options *o, double positives, double negatives)
{
    const double n = o->pool * positives > o->pool_least ? o->pool * positives : o->pool_least;
    return n < pool_share * negatives ? n : pool_share * negatives;
}

static scarce_status importance_values(gradient_job *j, const scarce__draw *at, scarce_context *ctx,
                                       scarce_error *err)
{
    const scarce__population *from = j->from;
    const unsigned thin = scarce__interest_thin(from->n);
    size_t positives = 0;

    if (!j->bag->cells) j->bag->cells = scarce__malloc(sizeof *j->bag->cells);
    if (!j->bag->cells) return scarce__fail_memory(err, "drawing rows", sizeof *j->bag->cells);
    memset(j->bag->cells, 0, sizeof *j->bag->cells);
    for (size_t i = 0; i < from->n; ++i) positives += from->label[i];
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(from->n, BLOCK), interest_block, j);
    scarce__interest_count(j->bag->cells, j->v, from->label, NULL, 0, from->n, j->rule.key, thin);
    scarce__interest_solve(&j->rule, j->bag->cells,
                           at->pool
                               ? scarce__pool_size(j->o, (double)positives, (double)(from->n - positives))
                               : j->o->per_positive * (double)positives,
                           j->o->floor, thin);
    return SCARCE_OK;
}

static scarce_status draw_by_gradient(scarce__sampling_kind kind, const scarce__sampling_options *o,
                                      scarce__bag *out, const scarce__population *from,
                                      const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    const size_t blocks = scarce__blocks(from->n, BLOCK);
    gradient_job j;
    scarce_status status;

    memset(&j, 0, sizeof j);
    SCARCE__TRY(scarce__bag_reserve(out, from->n, 1, err));
    if (!out->value) out->value = scarce__big_alloc(out->room, sizeof *out->value);
    j.from = from;
    j.loss = from->loss;
    j.o = o;
    j.kind = kind;
    j.bag = out;
    j.v = out->value;
    j.mu = 1;
    j.rule.most = at->pool ? 1 : (float)o->max_probability;
    j.top = INFINITY;
    j.rule.key = scarce__draw_key(at);
    j.avx2 = !j.loss->portable && scarce__cpu_avx2();
    j.taken = scarce__malloc_array(blocks, sizeof *j.taken);
    status = j.v && j.taken ? SCARCE_OK : scarce__fail_memory(err, "drawing rows", from->n * sizeof *j.v);
    if (status == SCARCE_OK)
        status = kind == SCARCE__ROWS_IMPORTANCE ? importance_values(&j, at, ctx, err)
                                                 : gradient_values(&j, ctx, err);
    if (status == SCARCE_OK) {
        scarce__pool_run(scarce__context_pool(ctx), blocks, take_block, &j);
        join_blocks(out, j.taken, blocks);
    }
    scarce__free(j.taken);
    return status;
}

/* ---- The samplers */

static scarce_status check_goss(scarce__sampling *s, size_t n_positives, size_t n_negatives,
                                const scarce__loss *loss, scarce_error *err)
{
    const double top = s->o.top, other = s->o.other;
    (void)n_positives;
    (void)n_negatives;
    (void)loss;
    if (top >= 0 && other > 0 && top + other <= 1) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EINVAL,
                        "goss needs top >= 0, other > 0 and top + other <= 1, not %g and %g", top, other);
}

static scarce_status check_mvs(scarce__sampling *s, size_t n_positives, size_t n_negatives,
                               const scarce__loss *loss, scarce_error *err)
{
    (void)n_positives;
    (void)n_negatives;
    (void)loss;
    SCARCE__TRY(scarce__sampling_share("subsample", s->o.fraction, err));
    if (s->o.mvs_lambda >= 0 && isfinite(s->o.mvs_lambda)) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EINVAL, "mvs_lambda is %g, it must be 0 or more", s->o.mvs_lambda);
}

static scarce_status check_importance(scarce__sampling *s, size_t n_positives, size_t n_negatives,
                                      const scarce__loss *loss, scarce_error *err)
{
    scarce__sampling_options *o = &s->o;

    if (!loss->interest)
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "importance sampling isn't known for the loss %s",
                            loss->name);
    if (!(o->per_positive > 0) || !(o->floor >= 0) || !(o->max_probability >= 0 && o->max_probability <= 1) ||
        !(o->pool >= 0) || (o->pool > 0 && (o->pool_again < 1 || o->pool_growth < 2)))
        return scarce__fail(
            err, SCARCE_EINVAL,
            "importance sampling: per_positive %g must be above 0, floor %g at least 0, the largest "
            "probability "
            "%g within [0, 1], the pool %g at least 0, pool_again %d above 0, pool_growth %d above 1",
            o->per_positive, o->floor, o->max_probability, o->pool, o->pool_again, o->pool_growth);

    if (o->max_probability == 0) o->max_probability = n_positives < 1000 ? 1 : 0.2;
    if (o->per_positive * (double)n_positives > 0.3 * (double)n_negatives) { /* most rows anyway */
        s->is = scarce__samplers[SCARCE__ROWS_ALL];
        o->kind = SCARCE__ROWS_ALL;
    }
    return SCARCE_OK;
}

static int importance_pool_due(const scarce__sampling *s, size_t tree)
{
    size_t at = (size_t)s->o.pool_again;
    if (s->o.pool <= 0) return 0;
    if (tree == 0) return 1;
    while (at < tree) at *= (size_t)s->o.pool_growth;
    return at == tree;
}

static scarce_status draw_goss(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                               const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    return draw_by_gradient(SCARCE__ROWS_GOSS, &s->o, out, from, at, ctx, err);
}

static scarce_status draw_mvs(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                              const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    return draw_by_gradient(SCARCE__ROWS_MVS, &s->o, out, from, at, ctx, err);
}

static scarce_status draw_importance(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                                     const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    return draw_by_gradient(SCARCE__ROWS_IMPORTANCE, &s->o, out, from, at, ctx, err);
}

const scarce__sampler scarce__sampler_goss = {.name = "goss",
                                              .summary = "the largest gradients and some of the others",
                                              .takes = "top other",
                                              .check = check_goss,
                                              .draw = draw_goss};
const scarce__sampler scarce__sampler_mvs = {.name = "mvs",
                                             .summary = "a share of the rows, by the size of their gradients",
                                             .takes = "fraction mvs_lambda",
                                             .check = check_mvs,
                                             .draw = draw_mvs};
const scarce__sampler scarce__sampler_importance = {
    .name = "importance",
    .summary = "all positives, and negatives drawn by how much they matter",
    .takes = "per_positive floor max_probability pool pool_least pool_again pool_growth",
    .by_class = 1,
    .keep = 2,
    .check = check_importance,
    .pool_due = importance_pool_due,
    .draw = draw_importance};
