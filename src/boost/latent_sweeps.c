/* SPDX-License-Identifier: Apache-2.0 */
/* scheme=paper: the weights of the newest tree and what every representation weighs, by damped Newton steps, one
 * representation after the other in random order, several times over (the paper goes over them once, which
 * finds its toy's answer in one seed of ten; ten times do in nearly all). With g = w (y - sigma(F)),
 * v = w sigma(F)(1 - sigma(F)) and r_p = max(0, z_p):
 *     a_p        += damping clip(sum g r_p / (ridge + sum v r_p^2), 5)
 *     alpha_tp   += damping clip(sum_{z_p > 0} g a_p h_t / (ridge + sum_{z_p > 0} v (a_p h_t)^2), 5)
 * z_p and F follow at once. Here z of all rows is kept, a column for each representation. */
#include "boost/exp.h"
#include "boost/latent_inside.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"

enum { CHUNK = 4096, LANES = 8 };

typedef struct sweep {
    const scarce__loss_rows *rows;
    float *score, *z;
    const float *h;
    /* what the pass before found: the scores take it in before they are looked at */
    const float *moved; /* the representation that weighs `more` more */
    float more;
    float a,
        shift; /* in_step: z += shift h of the representation that weighs a, after which it is the next one's turn */
    float *shifted;
    int of_tree; /* sums for the weight of the tree; else for that of the representation */
    double *sum; /* by chunk: two */
} sweep;

SCARCE__BODY void derivatives(const sweep *s, size_t b, size_t n, float *g, float *v)
{
    for (size_t i = 0; i < n; ++i) {
        const float f = s->score[b + i], e = scarce__expf(f < 0 ? f : -f), large = 1.0f / (1.0f + e);
        const float small = e * large, p = f < 0 ? small : large, rest = f < 0 ? large : small;
        g[i] = s->rows->label[b + i] ? rest : -p;
        v[i] = small * large;
    }
    if (!s->rows->weight) return;
    for (size_t i = 0; i < n; ++i) {
        g[i] *= s->rows->weight[b + i];
        v[i] *= s->rows->weight[b + i];
    }
}

/* What the steps before changed. */
SCARCE__BODY void follow(const sweep *s, size_t b, size_t n)
{
    if (s->moved)
        for (size_t i = 0; i < n; ++i) {
            const float z = s->moved[b + i];
            s->score[b + i] += s->more * (z > 0 ? z : 0.0f);
        }
    if (s->shifted)
        for (size_t i = 0; i < n; ++i) {
            const float z = s->shifted[b + i], to = z + s->shift * s->h[b + i];
            s->shifted[b + i] = to;
            s->score[b + i] += s->a * ((to > 0 ? to : 0.0f) - (z > 0 ? z : 0.0f));
        }
}

/* Sums in 8 lanes, each over every 8th row, which are then added in order. */
SCARCE__BODY void chunk_body(const sweep *s, size_t b, size_t n, double *sum)
{
    enum { PIECE = 256 };
    float g[PIECE], v[PIECE];
    double top[LANES] = {0}, bottom[LANES] = {0};

    for (size_t at = 0; at < n; at += PIECE) {
        const size_t m = n - at < PIECE ? n - at : PIECE;
        follow(s, b + at, m);
        derivatives(s, b + at, m, g, v);
        for (size_t i = 0; i < m; ++i) {
            const float z = s->z[b + at + i];
            const float x = z > 0 ? (s->of_tree ? s->a * s->h[b + at + i] : z) : 0.0f;
            g[i] *= x;
            v[i] *= x * x;
        }
        for (size_t i = m; i % LANES; ++i) g[i] = v[i] = 0;
        for (size_t i = 0; i < m; i += LANES)
            for (size_t l = 0; l < LANES; ++l) {
                top[l] += (double)g[i + l];
                bottom[l] += (double)v[i + l];
            }
    }
    sum[0] = sum[1] = 0;
    for (size_t l = 0; l < LANES; ++l) {
        sum[0] += top[l];
        sum[1] += bottom[l];
    }
}

static void chunk_plain(const sweep *s, size_t b, size_t n, double *sum)
{
    chunk_body(s, b, n, sum);
}

SCARCE__AVX2 static void chunk_avx2(const sweep *s, size_t b, size_t n, double *sum)
{
    chunk_body(s, b, n, sum);
}

typedef struct sweeping {
    sweep s;
    int avx2;
} sweeping;

static void sweep_task(void *arg, size_t index, int worker)
{
    const sweeping *j = arg;
    const size_t b = index * CHUNK, left = j->s.rows->n - b, n = left < CHUNK ? left : CHUNK;
    (void)worker;
    if (j->avx2) chunk_avx2(&j->s, b, n, j->s.sum + 2 * index);
    else chunk_plain(&j->s, b, n, j->s.sum + 2 * index);
}

/* The Newton step that a pass over the rows asks for. */
static double step_of(sweeping *j, const scarce__latent_options *o, scarce_context *ctx)
{
    const size_t chunks = scarce__blocks(j->s.rows->n, CHUNK);
    double top = 0, bottom = o->ridge;

    scarce__pool_run(scarce__context_pool(ctx), chunks, sweep_task, j);
    for (size_t c = 0; c < chunks; ++c) {
        top += j->s.sum[2 * c];
        bottom += j->s.sum[2 * c + 1];
    }
    const double step = bottom > 0 ? top / bottom : 0;
    return o->damping * (step > 5 ? 5 : step < -5 ? -5 : step);
}

/* One representation: what it weighs, then what the newest tree weighs in it. `before` was shifted last. */
static void one(sweeping *j, scarce__latent_state *st, size_t p, scarce_context *ctx)
{
    double *a = &st->layer->out[p], *in = &st->layer->in[(st->layer->n_trees - 1) * st->layer->width + p];
    float *z = st->z + p * j->s.rows->n;

    j->s.z = z;
    j->s.of_tree = 0;
    j->s.moved = NULL;
    const float before = (float)*a;
    *a += step_of(j, st->o, ctx);
    j->s.shifted = NULL;
    j->s.moved = z;
    j->s.more = (float)*a - before;
    j->s.a = (float)*a;
    j->s.of_tree = 1;
    const float was = (float)*in;
    *in += step_of(j, st->o, ctx);
    j->s.moved = NULL;
    j->s.shifted = z; /* followed by the next pass */
    j->s.shift = (float)*in - was;
}

static void settle_task(void *arg, size_t index, int worker)
{
    const sweeping *j = arg;
    const size_t b = index * CHUNK, left = j->s.rows->n - b;
    (void)worker;
    follow(&j->s, b, left < CHUNK ? left : CHUNK);
}

typedef struct entry {
    const scarce__latent_state *st;
    float *score;
} entry;

/* The newest tree enters z and F. */
static void enter_task(void *arg, size_t index, int worker)
{
    const entry *e = arg;
    const scarce__latent_state *st = e->st;
    const size_t n = st->all.n, b = index * CHUNK, end = b + CHUNK < n ? b + CHUNK : n;
    const size_t width = st->layer->width, t = st->layer->n_trees - 1;
    const float *value = st->tables.value + st->tables.first[t];
    const uint8_t *leaf = st->all.group[t]; /* each tree is a group */

    (void)worker;
    for (size_t i = b; i < end; ++i) st->h[i] = value[leaf[i]];
    for (size_t p = 0; p < width; ++p) {
        const float in = (float)st->layer->in[t * width + p], a = (float)st->layer->out[p];
        float *z = st->z + p * n;
        for (size_t i = b; i < end; ++i) {
            const float to = z[i] + in * st->h[i];
            e->score[i] += a * ((to > 0 ? to : 0.0f) - (z[i] > 0 ? z[i] : 0.0f));
            z[i] = to;
        }
    }
}

scarce_status scarce__latent_sweeps(scarce__latent_state *st, const scarce__loss_rows *rows, float *score,
                                    scarce_context *ctx, scarce_error *err)
{
    const size_t width = st->layer->width, chunks = scarce__blocks(rows->n, CHUNK);
    scarce__random r = scarce__random_start(st->o->seed, SCARCE__FOR_LATENT,
                                            (uint64_t)1 << 32 | (uint64_t)st->layer->n_trees);
    uint32_t *order = scarce__malloc_array(width, sizeof *order);
    double *sum = scarce__malloc_array(chunks, 2 * sizeof *sum);
    sweeping j = {{.rows = rows, .score = score, .h = st->h, .sum = sum}, scarce__latent_avx2(st)};
    entry e = {st, score};
    scarce_status status = SCARCE_OK;

    if (!order || !sum) status = scarce__fail_memory(err, "representations", 0);
    if (status == SCARCE_OK) scarce__pool_run(scarce__context_pool(ctx), chunks, enter_task, &e);
    for (int k = 0; status == SCARCE_OK && k < st->o->passes; ++k) {
        for (size_t p = 0; p < width; ++p) order[p] = (uint32_t)p;
        scarce__shuffle_u32(&r, order, width);
        for (size_t p = 0; p < width; ++p) one(&j, st, order[p], ctx);
    }
    if (status == SCARCE_OK) scarce__pool_run(scarce__context_pool(ctx), chunks, settle_task, &j);
    scarce__free(order);
    scarce__free(sum);
    return status;
}
