/* SPDX-License-Identifier: Apache-2.0 */
/* LambdaMART for average precision: each pair of a positive i and a negative j pulls by what swapping them in
 * the list would change,
 *     lambda = rho |dAP|,  rho = 1 / (1 + e^(f_i - f_j))
 *     g_i -= lambda,  g_j += lambda,  h_i and h_j += rho (1 - rho) |dAP|
 * then g and h are multiplied so that sum |g| = 2 P.
 *
 * With r the rank, C(r) the positives in the top r and Q(r) = sum over positives at ranks <= r of 1 / rank,
 *     X(r) = (C(r) + 1) / r - Q(r),   Y(r) = C(r) / r - Q(r)
 *     negative above (rank b < a):  P |dAP| = X(b) - X(a);    below:  P |dAP| = Y(a) - Y(b)
 * so one pass over the sorted list gives everything and a pair costs one exponential. Case weights count as
 * copies: a rank is the weight down to the row (the +1 then is at most the rank). Equal scores: negatives
 * come first, as in the worst order, and rows of a class share the means of X and Y, so the order of the rows
 * in the table doesn't matter.
 *
 * Up to a number of pairs every distinct score is a cell of its own: exact. Beyond, a pair is one of cells:
 * the best rows are sorted (the first 512 ranks stay alone), all others fall into 8192 steps of the range of
 * scores, and cells join neighbours up to 1/64 of the ranks above them and a short stretch of scores. Each
 * row takes the gradient of its cell: nothing is drawn at random and no row is left out, and a list of 10^7
 * rows costs a few passes over it. Within a cell of steps ranks are taken at the middle, and its own pairs as
 * if its scores were equal.
 *
 * Burges: From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82. */
#include <math.h>
#include <string.h>

#include "boost/exp.h"
#include "boost/lambda_cells.h"
#include "core/alloc.h"
#include "eval/ap.h"
#include "tree/simd.h"

enum { ROW_BLOCK = 8192, PAIR_BLOCK = 1024, LANES = 8, STEPS = SCARCE__LAMBDA_STEPS };
#define EXACT_PAIRS 2e6 /* about what a tree on so few rows costs */

typedef scarce__lambda_side side;
typedef scarce__lambda_list list;

static scarce_status side_init(side *s, size_t n, scarce_error *err)
{
    float *room = scarce__calloc(7 * n + 1, sizeof *room);
    s->cell = scarce__malloc_array(n, sizeof *s->cell);
    s->f = room;
    if (!room || !s->cell) return scarce__fail_memory(err, "the cells of a list", 32 * n);
    s->x = room + n;
    s->y = room + 2 * n;
    s->w = room + 3 * n;
    s->g = room + 4 * n;
    s->h = room + 5 * n;
    s->tie = room + 6 * n;
    return SCARCE_OK;
}

static void side_deinit(side *s)
{
    scarce__free(s->f);
    scarce__free(s->cell);
}

/* ---- Pairs */

/* One positive cell with n negative cells on the same side of it. */
SCARCE__BODY void pair_body(const float *restrict f, const float *restrict v, const float *restrict w,
                            size_t n, float fi, float vi, float wi, float *restrict g, float *restrict h,
                            float *restrict pull, float *restrict curve)
{
    for (size_t j = 0; j < n; ++j) {
        float d = v[j] - vi;
        d = d > 0 ? d : 0.0f;
        const float z = fi - f[j];
        const float u = scarce__expf(z < 0 ? z : -z);
        const float large = 1.0f / (1.0f + u), small = u * large;
        const float lambda = (z > 0 ? small : large) * d, c = small * large * d;
        g[j] += wi * lambda;
        h[j] += wi * c;
        pull[j] = w[j] * lambda;
        curve[j] = w[j] * c;
    }
}

SCARCE__BODY double add_lanes(const float *x, size_t n)
{
    float a[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; ++l) a[l] += x[i + l];
    for (; i < n; ++i) a[i % LANES] += x[i];
    double sum = 0;
    for (size_t l = 0; l < LANES; ++l) sum += (double)a[l];
    return sum;
}

SCARCE__BODY void block_body(const list *k, size_t block)
{
    const side *neg = &k->neg, *pos = &k->pos;
    const size_t b = block * PAIR_BLOCK, n = b + PAIR_BLOCK < neg->n ? PAIR_BLOCK : neg->n - b;
    float pull[PAIR_BLOCK], curve[PAIR_BLOCK];
    double *out = k->part_sums + 2 * block * pos->n;
    size_t above = 0; /* negatives of the block above the positive's cell */

    for (size_t i = 0; i < pos->n; ++i) {
        while (above < n && neg->cell[b + above] < pos->cell[i]) ++above;
        const size_t same = above < n && neg->cell[b + above] == pos->cell[i], below = above + same,
                     at = b + above;
        pair_body(neg->f + b, neg->x + b, neg->w + b, above, pos->f[i], pos->x[i], pos->w[i], neg->g + b,
                  neg->h + b, pull, curve);
        pair_body(neg->f + at, neg->tie + at, neg->w + at, same, pos->f[i], pos->tie[i], pos->w[i],
                  neg->g + at, neg->h + at, pull + above, curve + above);
        pair_body(neg->f + b + below, neg->y + b + below, neg->w + b + below, n - below, pos->f[i], pos->y[i],
                  pos->w[i], neg->g + b + below, neg->h + b + below, pull + below, curve + below);
        out[2 * i] = add_lanes(pull, n);
        out[2 * i + 1] = add_lanes(curve, n);
    }
}

static void block_plain(const list *k, size_t block)
{
    block_body(k, block);
}

SCARCE__AVX2 static void block_avx2(const list *k, size_t block)
{
    block_body(k, block);
}

static void pairs_block(void *arg, size_t block, int worker)
{
    const list *k = arg;
    (void)worker;
    (k->avx2 ? block_avx2 : block_plain)(k, block);
}

static scarce_status pairs(list *k, scarce__pool *pool, scarce_error *err)
{
    const size_t blocks = scarce__blocks(k->neg.n, PAIR_BLOCK);
    k->part_sums = scarce__malloc_array(blocks * k->pos.n, 2 * sizeof *k->part_sums);
    if (!k->part_sums) return scarce__fail_memory(err, "the pairs of a list", 16 * blocks * k->pos.n);
    scarce__pool_run(pool, blocks, pairs_block, k);
    for (size_t i = 0; i < k->pos.n; ++i) {
        double g = 0, h = 0;
        for (size_t b = 0; b < blocks; ++b) {
            g += k->part_sums[2 * (b * k->pos.n + i)];
            h += k->part_sums[2 * (b * k->pos.n + i) + 1];
        }
        k->pos.g[i] = (float)g;
        k->pos.h[i] = (float)h;
    }
    return SCARCE_OK;
}

/* ---- Back to the rows */

typedef struct spread_job {
    const list *k;
    const float *g[2], *h[2]; /* per cell and class */
    float factor;
    float *step_g, *step_h; /* per step, of negatives of weight 1 */
} spread_job;

static inline void set_row(const spread_job *j, size_t row, size_t cell)
{
    const list *k = j->k;
    const int y = k->rows->label[row] != 0;
    const float w = k->rows->weight ? k->rows->weight[row] * j->factor : j->factor;
    const float h = w * j->h[y][cell];
    k->g[row] = w * j->g[y][cell];
    k->h[row] = h > SCARCE__LEAST_H ? h : SCARCE__LEAST_H;
}

static void spread_sorted(void *arg, size_t index, int worker)
{
    const spread_job *j = arg;
    const list *k = j->k;
    const size_t b = index * ROW_BLOCK, e = b + ROW_BLOCK < k->rank.n ? b + ROW_BLOCK : k->rank.n;
    size_t cell = 0, high = k->n_top;
    (void)worker;
    while (cell < high) { /* the first cell that ends behind b */
        const size_t mid = cell + (high - cell) / 2;
        if (k->rank.group_end[mid] <= b) cell = mid + 1;
        else high = mid;
    }
    for (size_t i = b; i < e; ++i) {
        while (k->rank.group_end[cell] <= i) ++cell;
        set_row(j, scarce__lambda_row(k, i), cell);
    }
}

/* All rows as if they were negatives of weight 1 outside the top. */
SCARCE__BODY void steps_to_rows(const spread_job *j, size_t b, size_t e)
{
    const uint16_t *restrict step = j->k->step;
    const float *restrict step_g = j->step_g, *restrict step_h = j->step_h;
    float *restrict g = j->k->g, *restrict h = j->k->h;
    for (size_t i = b; i < e; ++i) {
        g[i] = step_g[step[i]];
        h[i] = step_h[step[i]];
    }
}

SCARCE__AVX2 static void steps_to_rows_avx2(const spread_job *j, size_t b, size_t e)
{
    steps_to_rows(j, b, e);
}

static void spread_steps(void *arg, size_t index, int worker)
{
    const spread_job *j = arg;
    const list *k = j->k;
    const size_t b = index * ROW_BLOCK, e = b + ROW_BLOCK < k->rows->n ? b + ROW_BLOCK : k->rows->n;
    (void)worker;
    if (k->rows->weight) {
        for (size_t i = b; i < e; ++i)
            if (k->step[i] >= k->first_step) set_row(j, i, k->cell_of[k->step[i]]);
        return;
    }
    if (k->avx2) steps_to_rows_avx2(j, b, e);
    else steps_to_rows(j, b, e);
    for (const uint8_t *p = k->rows->label + b, *end = k->rows->label + e;
         p < end && (p = memchr(p, 1, (size_t)(end - p))) != NULL; ++p) {
        const size_t i = (size_t)(p - k->rows->label);
        if (k->step[i] >= k->first_step) set_row(j, i, k->cell_of[k->step[i]]);
    }
}

/* What spread_steps looks up; steps of the top are set by their rows. */
static void fill_step_values(const spread_job *j)
{
    const list *k = j->k;
    for (size_t i = 0; i < STEPS; ++i) {
        const float h = i < k->first_step ? 0 : j->factor * j->h[0][k->cell_of[i]];
        j->step_g[i] = i < k->first_step ? 0 : j->factor * j->g[0][k->cell_of[i]];
        j->step_h[i] = h > SCARCE__LEAST_H ? h : SCARCE__LEAST_H;
    }
}

static scarce_status spread(list *k, scarce_context *ctx, scarce_error *err)
{
    const size_t n_room = 4 * k->n_cells + (k->steps ? 2 * STEPS : 0);
    float *room = scarce__calloc(n_room, sizeof *room);
    double total = 0;

    if (!room) return scarce__fail_memory(err, "the gradients of a list", n_room * sizeof *room);
    spread_job j = {k, {room, room + k->n_cells}, {room + 2 * k->n_cells, room + 3 * k->n_cells},
                    0, room + 4 * k->n_cells,     room + n_room - (k->steps ? STEPS : 0)};
    for (size_t i = 0; i < k->neg.n; ++i) {
        room[k->neg.cell[i]] = k->neg.g[i];
        room[2 * k->n_cells + k->neg.cell[i]] = k->neg.h[i];
        total += (double)k->neg.w[i] * (double)k->neg.g[i];
    }
    for (size_t i = 0; i < k->pos.n; ++i) {
        room[k->n_cells + k->pos.cell[i]] = -k->pos.g[i];
        room[3 * k->n_cells + k->pos.cell[i]] = k->pos.h[i];
    }
    /* the pulls on positives and on negatives have the same sum, total / unit in the rows' own weights */
    j.factor = total > 0 ? (float)(k->p * k->unit / total) : 0;
    if (!(j.factor > 0) || !isfinite(j.factor)) scarce__list_silence(k->rows->n, k->g, k->h);
    else {
        if (k->steps) {
            fill_step_values(&j);
            scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(k->rows->n, ROW_BLOCK), spread_steps,
                             &j);
        }
        scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(k->rank.n, ROW_BLOCK), spread_sorted, &j);
    }
    scarce__free(room);
    return SCARCE_OK;
}

static scarce_status all_scores(list *k, scarce_error *err)
{
    k->score = scarce__big_alloc(k->rows->n, sizeof *k->score);
    if (!k->score) return scarce__fail_memory(err, "the scores", 8 * k->rows->n);
    for (size_t i = 0; i < k->rows->n; ++i) k->score[i] = (double)k->rows->score[i];
    return SCARCE_OK;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static scarce_status run(list *k, const scarce__loss *loss, scarce_context *ctx, scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    const size_t n = k->rows->n;
    size_t count = 0, n_sorted = n;

    for (size_t i = 0; i < n; ++i) count += k->rows->label[i];
    for (size_t i = 0; k->rows->weight && i < n; ++i)
        if (k->rows->label[i]) k->p += (double)k->rows->weight[i];
    if (!k->rows->weight) k->p = (double)count;
    if (count == n || !(k->p > 0)) {
        scarce__list_silence(n, k->g, k->h);
        return SCARCE_OK;
    }
    k->unit = (double)count / k->p;
    const int exact = loss->params.exact || (double)count * (double)(n - count) <= EXACT_PAIRS;
    if (exact) SCARCE__TRY(all_scores(k, err));
    else {
        SCARCE__TRY(scarce__lambda_count_steps(k, pool, err));
        SCARCE__TRY(scarce__lambda_gather_top(k, &n_sorted, err));
    }
    if (n_sorted > 0) SCARCE__TRY(scarce__rank(&k->rank, k->score, n_sorted, "score", pool, err));
    k->n_top = exact ? k->rank.n_groups : n_sorted > 0 ? scarce__lambda_join_groups(k) : 0;
    const size_t most = k->n_top + (exact ? 0 : STEPS);
    SCARCE__TRY(side_init(&k->pos, least(most, count), err));
    SCARCE__TRY(side_init(&k->neg, least(most, n - count), err));
    scarce__lambda_fill_sorted(k);
    k->n_cells = k->n_top;
    if (!exact) scarce__lambda_fill_steps(k);
    SCARCE__TRY(pairs(k, pool, err));
    return spread(k, ctx, err);
}

static scarce_status gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err)
{
    list k;
    scarce_status status;

    if (rows->n == 0) return SCARCE_OK;
    memset(&k, 0, sizeof k);
    k.rows = rows;
    k.g = g;
    k.h = h;
    k.avx2 = !loss->portable && scarce__cpu_avx2();
    status = run(&k, loss, ctx, err);
    scarce__free(k.score);
    scarce__free(k.id);
    scarce__free(k.steps);
    scarce__free(k.weights);
    scarce__free(k.counts);
    scarce__free(k.step);
    scarce__free(k.cell_of);
    scarce__free(k.part_sums);
    side_deinit(&k.pos);
    side_deinit(&k.neg);
    scarce__ranking_deinit(&k.rank);
    return status;
}

/* Average precision without memory: for every positive a pass over the rows. */
static double slow_ap(const scarce__loss_rows *rows)
{
    double sum = 0, positives = 0;
    for (size_t i = 0; i < rows->n; ++i) {
        double hits = 0, above = 0;
        if (!rows->label[i]) continue;
        for (size_t j = 0; j < rows->n; ++j) {
            if (rows->score[j] < rows->score[i]) continue;
            hits += rows->label[j];
            above += 1;
        }
        sum += hits / above;
        positives += 1;
    }
    return positives > 0 && positives < (double)rows->n ? sum / positives : (double)NAN;
}

/* There is no loss whose gradient this is; told is 1 - AP. It decides which trees are kept where they are
 * judged out of bag, so want of memory makes it slow, not undefined. */
static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double ap = (double)NAN;
    (void)loss;
    if (scarce__ap_fast_f32(&ap, rows->score, rows->label, NULL, rows->n, NULL, NULL) == SCARCE_ENOMEM)
        ap = slow_ap(rows);
    return 1 - ap;
}

static void interest(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e, float *out)
{
    scarce__list_interest(rows->score + b, 1, e - b, out + b, loss->portable);
}

static scarce__loss make(const scarce__loss_params *params)
{
    const scarce__loss loss = {.name = "lambdamart-ap",
                               .needs_label = 1,
                               .params = *params,
                               .gradients = gradients,
                               .base = scarce__list_base,
                               .value = value,
                               .interest = interest};
    return loss;
}

const scarce__loss_kind scarce__loss_kind_lambdamart = {
    .name = "lambdamart-ap",
    .summary = "pairs pull by what swapping them changes of average precision",
    .takes = "exact",
    .of_list = 1,
    .make = make};
