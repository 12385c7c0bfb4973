/* SPDX-License-Identifier: Apache-2.0 */
/* scheme=skip: after each tree some steps of Adam (Kingma and Ba 2015) on all weights of the layer, on the mean
 * logistic loss with decay:
 *     m = 0.9 m + 0.1 g,  v = 0.99 v + 0.01 g^2,  x -= rate m' / (sqrt(v') + 1e-8),  g = gradient + decay x
 * m' and v' are m / (1 - 0.9^s) and v / (1 - 0.99^s) at step s since the beginning. The moments stay from tree to
 * tree; those of a new tree begin at 0.
 *
 * Rows. All where they are at most `batch`; else the steps of a tree share a sample in which row i is with
 * probability pi_i = min(1, s_i / tau), s_i = w_i |g_i| + a tenth of its mean, tau so that at most `batch` rows
 * are expected, and weighs w_i / pi_i: the gradient is unbiased, and rows that are right already, most of the
 * negatives, are seldom looked at. Coins are hashes of (seed, tree, row). */
#include <math.h>
#include <string.h>

#include "boost/latent_inside.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"

static const double keep_mean = 0.9, keep_square = 0.99, least = 1e-8;
enum { CHUNK = 4096 }; /* rows whose sums are added up together */

void scarce__latent_steps_deinit(scarce__latent_state *s)
{
    scarce__leaf_bytes_deinit(&s->sample);
    scarce__free(s->row);
    scarce__free(s->label);
    scarce__free(s->weight);
    scarce__free(s->found);
    s->row = NULL;
    s->label = NULL;
    s->weight = s->found = NULL;
    s->rows_room = s->found_room = 0;
}

/* ---- which rows */

static scarce_status rows_room(scarce__latent_state *s, size_t n, scarce_error *err)
{
    if (s->rows_room) return SCARCE_OK;
    s->row = scarce__malloc_array(n, sizeof *s->row);
    s->label = scarce__malloc(n);
    s->weight = scarce__malloc_array(n, sizeof *s->weight);
    if (!s->row || !s->label || !s->weight) return scarce__fail_memory(err, "a sample of rows", n * 9);
    s->rows_room = n;
    return SCARCE_OK;
}

typedef struct summing {
    const scarce__loss_rows *rows;
    const float *gradient;
    double *sum; /* by chunk: |g|, w */
} summing;

static void sum_task(void *arg, size_t index, int worker)
{
    const summing *z = arg;
    const size_t b = index * CHUNK, e = b + CHUNK < z->rows->n ? b + CHUNK : z->rows->n;
    double sum[4] = {0, 0, 0, 0}, weights = 0;
    size_t i = b;

    (void)worker;
    for (; i + 4 <= e; i += 4)
        for (size_t l = 0; l < 4; ++l) sum[l] += (double)fabsf(z->gradient[i + l]);
    for (; i < e; ++i) sum[0] += (double)fabsf(z->gradient[i]);
    for (i = b; z->rows->weight && i < e; ++i) weights += (double)z->rows->weight[i];
    z->sum[2 * index] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    z->sum[2 * index + 1] = z->rows->weight ? weights : (double)(e - b);
}

/* What is the same for all coins of a tree. */
typedef struct coins {
    uint64_t key;
    float scale, more;
} coins;

static inline float share_of(const coins *c, float gradient)
{
    return fabsf(gradient) * c->scale + c->more;
}

enum { TOSSED = 64 }; /* coins at a time */

/* Which of the rows from `begin` on are drawn: a bit each. Most are not, and a jump for each would be guessed wrong. */
SCARCE__BODY uint64_t toss_body(const coins *c, const float *gradient, size_t begin)
{
    uint32_t drawn[TOSSED];
    uint64_t bits = 0;

    for (uint32_t i = 0; i < TOSSED; ++i) {
        const float coin = (float)(int32_t)(scarce__hash32(c->key, (uint32_t)begin + i) >> 8) * 0x1p-24f;
        drawn[i] = (uint32_t) !(coin >= share_of(c, gradient[i]));
    }
    for (uint32_t i = 0; i < TOSSED; ++i) bits |= (uint64_t)drawn[i] << i;
    return bits;
}

static uint64_t toss_plain(const coins *c, const float *gradient, size_t begin)
{
    return toss_body(c, gradient, begin);
}

SCARCE__AVX2 static uint64_t toss_avx2(const coins *c, const float *gradient, size_t begin)
{
    return toss_body(c, gradient, begin);
}

/* Rows by their coins, with what they weigh. More than there is room for are not drawn but by a miracle. */
static void toss(scarce__latent_state *s, const scarce__loss_rows *rows, const float *gradient, double sum)
{
    const double tau = 1.1 * sum / (double)s->o->batch + 1e-30;
    const coins c = {scarce__key(s->o->seed, SCARCE__FOR_LATENT, s->layer->n_trees), (float)(1 / tau),
                     (float)((0.1 * sum / (double)rows->n + 1e-30) / tau)};
    const int avx2 = scarce__latent_avx2(s);
    size_t n = 0;

    for (size_t b = 0; b < rows->n; b += TOSSED) {
        const size_t left = rows->n - b;
        float last[TOSSED] = {0};
        const float *g = gradient + b;
        if (left < TOSSED) g = memcpy(last, g, left * sizeof *g);
        uint64_t bits = avx2 ? toss_avx2(&c, g, b) : toss_plain(&c, g, b);
        if (left < TOSSED) bits &= ((uint64_t)1 << left) - 1;
        for (; bits && n < s->rows_room; bits &= bits - 1) {
            const size_t i = b + (size_t)__builtin_ctzll(bits);
            const float share = share_of(&c, gradient[i]);
            s->row[n] = (uint32_t)i;
            s->label[n] = rows->label[i];
            s->weight[n++] = (rows->weight ? rows->weight[i] : 1.0f) / (share < 1 ? share : 1.0f);
        }
    }
    s->sample.n = n;
}

static void take_all(scarce__latent_state *s, const scarce__loss_rows *rows)
{
    for (size_t i = 0; i < rows->n; ++i) {
        s->row[i] = (uint32_t)i;
        s->label[i] = rows->label[i];
        s->weight[i] = rows->weight ? rows->weight[i] : 1.0f;
    }
    s->sample.n = rows->n;
}

static scarce_status draw(scarce__latent_state *s, const scarce__loss_rows *rows, const float *gradient,
                          scarce_context *ctx, scarce_error *err)
{
    const size_t chunks = scarce__blocks(rows->n, CHUNK), batch = s->o->batch;
    const size_t most = batch + 8 * (size_t)sqrt((double)batch) + 64;
    summing z = {rows, gradient, NULL};
    double sum = 0;

    SCARCE__TRY(rows_room(s, rows->n <= batch ? rows->n : most, err));
    z.sum = scarce__malloc_array(chunks, 2 * sizeof *z.sum);
    if (!z.sum) return scarce__fail_memory(err, "a sample of rows", 0);
    scarce__pool_run(scarce__context_pool(ctx), chunks, sum_task, &z);
    s->weights = 0;
    for (size_t c = 0; c < chunks; ++c) {
        sum += z.sum[2 * c];
        s->weights += z.sum[2 * c + 1];
    }
    scarce__free(z.sum);
    if (rows->n > batch) toss(s, rows, gradient, sum);
    else take_all(s, rows);
    return SCARCE_OK;
}

typedef struct gathering {
    const scarce__latent_state *s;
} gathering;

static void gather_group(void *arg, size_t g, int worker)
{
    const scarce__latent_state *s = ((const gathering *)arg)->s;
    const uint8_t *from = s->all.group[g];
    uint8_t *to = s->sample.group[g];

    (void)worker;
    for (size_t k = 0; k < s->sample.n; ++k) to[k] = from[s->row[k]];
    memset(to + s->sample.n, 0, 3);
}

/* The leaves of the drawn rows, group by group. */
static scarce_status gather(scarce__latent_state *s, scarce_context *ctx, scarce_error *err)
{
    const size_t n = s->sample.n;
    gathering g = {s};

    if (n == s->all.n) return SCARCE_OK; /* the bytes of all rows serve */
    scarce__leaf_bytes_deinit(&s->sample);
    s->sample.n = n;
    for (size_t k = 0; k < s->all.n_groups; ++k) {
        uint8_t *ignored;
        SCARCE__TRY(scarce__leaf_bytes_add(&s->sample, &ignored, err));
    }
    scarce__pool_run(scarce__context_pool(ctx), s->all.n_groups, gather_group, &g);
    return SCARCE_OK;
}

/* ---- a step */

typedef struct stepping {
    const scarce__latent_state *s;
    const scarce__leaf_bytes *rows;
    size_t each; /* floats of a block: z, out, in */
    int avx2;
} stepping;

static scarce__latent_block block_of(const stepping *j, size_t index)
{
    const size_t begin = index * SCARCE__LATENT_BLOCK, left = j->rows->n - begin, lanes = j->s->tables.lanes;
    float *at = j->s->found + index * j->each;
    return (scarce__latent_block){.begin = begin,
                                  .n = left < SCARCE__LATENT_BLOCK ? left : SCARCE__LATENT_BLOCK,
                                  .label = j->s->label,
                                  .weight = j->s->weight,
                                  .out = at,
                                  .in = at + lanes,
                                  .z = at + (j->s->tables.n_trees + 1) * lanes};
}

static void step_task(void *arg, size_t index, int worker)
{
    const stepping *j = arg;
    const scarce__latent_block b = block_of(j, index);
    (void)worker;
    scarce__latent_backward(&j->s->tables, j->rows, &b, j->avx2);
}

typedef struct adam {
    double rate, decay, scale, first, second;
} adam;

static void move(double *x, double *m, double *v, double g, const adam *a)
{
    g = g * a->scale + a->decay * *x;
    *m = keep_mean * *m + (1 - keep_mean) * g;
    *v = keep_square * *v + (1 - keep_square) * g * g;
    *x -= a->rate * (*m * a->first) / (sqrt(*v * a->second) + least);
}

/* The sums of all blocks in their order, and a step along them. */
static void update(scarce__latent_state *s, const stepping *j, size_t blocks, double *sum)
{
    const size_t width = s->tables.width, lanes = s->tables.lanes, trees = s->tables.n_trees;
    double mean_left = 1, square_left = 1;

    ++s->n_steps;
    for (uint64_t k = 0; k < s->n_steps && mean_left > 1e-20; ++k) mean_left *= keep_mean;
    for (uint64_t k = 0; k < s->n_steps && square_left > 1e-20; ++k) square_left *= keep_square;
    const adam a = {s->o->rate, s->o->decay, s->weights > 0 ? 1 / s->weights : 0, 1 / (1 - mean_left),
                    1 / (1 - square_left)};
    memset(sum, 0, (trees + 1) * lanes * sizeof *sum);
    for (size_t b = 0; b < blocks; ++b) {
        const float *found = s->found + b * j->each;
        for (size_t i = 0; i < (trees + 1) * lanes; ++i) sum[i] += (double)found[i];
    }
    for (size_t p = 0; p < width; ++p)
        move(&s->layer->out[p], &s->moment[0].out[p], &s->moment[1].out[p], sum[p], &a);
    for (size_t t = 0; t < trees; ++t)
        for (size_t p = 0; p < width; ++p) {
            const size_t i = t * width + p;
            move(&s->layer->in[i], &s->moment[0].in[i], &s->moment[1].in[i], sum[(t + 1) * lanes + p], &a);
        }
}

static scarce_status found_room(scarce__latent_state *s, size_t n, scarce_error *err)
{
    if (n <= s->found_room) return SCARCE_OK;
    scarce__free(s->found);
    s->found_room = 0;
    s->found = scarce__big_alloc(n + n / 2, sizeof *s->found);
    if (!s->found) return scarce__fail_memory(err, "gradients of representations", 2 * n * sizeof *s->found);
    s->found_room = n + n / 2;
    return SCARCE_OK;
}

scarce_status scarce__latent_steps(scarce__latent_state *s, const scarce__loss_rows *rows,
                                   const float *gradient, scarce_context *ctx, scarce_error *err)
{
    const size_t lanes = s->tables.lanes;
    stepping j = {s, NULL, (s->tables.n_trees + 1 + SCARCE__LATENT_BLOCK) * lanes, scarce__latent_avx2(s)};
    double *sum;

    if (s->o->rate <= 0 || s->o->steps <= 0) return SCARCE_OK;
    SCARCE__TRY(draw(s, rows, gradient, ctx, err));
    SCARCE__TRY(gather(s, ctx, err));
    j.rows = s->sample.n == s->all.n ? &s->all : &s->sample;
    const size_t blocks = scarce__blocks(j.rows->n, SCARCE__LATENT_BLOCK);
    SCARCE__TRY(found_room(s, blocks * j.each, err));
    sum = scarce__malloc_array((s->tables.n_trees + 1) * lanes, sizeof *sum);
    if (!sum) return scarce__fail_memory(err, "gradients of representations", 0);
    for (int k = 0; k < s->o->steps; ++k) {
        scarce__latent_tables_fill(&s->tables, s->layer);
        scarce__pool_run(scarce__context_pool(ctx), blocks, step_task, &j);
        update(s, &j, blocks, sum);
    }
    scarce__free(sum);
    return SCARCE_OK;
}
