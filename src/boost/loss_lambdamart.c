/* SPDX-License-Identifier: Apache-2.0 */
/* LambdaMART for average precision: each pair of a positive i and a negative j pulls by what swapping them in the list
 * would change,
 *     lambda = rho |dAP|,  rho = 1 / (1 + e^(f_i - f_j));  g_i -= lambda, g_j += lambda;  h_i, h_j += rho (1 - rho) |dAP|
 * then g and h are multiplied so that sum |g| = 2 P.
 *
 * With r the rank, C(r) the positives in the top r and Q(r) = sum over positives at ranks <= r of 1 / rank,
 *     X(r) = (C(r) + 1) / r - Q(r),   Y(r) = C(r) / r - Q(r)
 *     negative above (rank b < a):  P |dAP| = X(b) - X(a);    below:  P |dAP| = Y(a) - Y(b)
 * so one pass over the sorted list gives everything and a pair costs one exponential. Case weights count as copies: a
 * rank is the weight down to the row (the +1 then is at most the rank). Equal scores: negatives come first, as in the
 * worst order, and rows of a class share the means of X and Y, so the order of the rows in the table doesn't matter.
 *
 * Up to a number of pairs every distinct score is a cell of its own: exact. Beyond, cells hold 1/64 of the ranks above
 * them and a short stretch of scores (the first 512 ranks stay alone); the pairs are then those of some 2000 x 2000
 * cells, and each row takes the gradient of its cell: nothing is drawn at random, no row is left out, and a list of 10^7
 * rows costs a sort. Burges: From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82. */
#include <math.h>
#include <string.h>

#include "boost/exp.h"
#include "boost/list.h"
#include "core/alloc.h"
#include "eval/ap.h"
#include "eval/rank.h"
#include "tree/simd.h"

enum { ROW_BLOCK = 8192, PAIR_BLOCK = 1024, ALONE = 512, SHARE = 64, STRETCHES = 1024, LANES = 8 };
#define LEAST_STRETCH 0.0625
#define EXACT_PAIRS 3e7

/* Cells of one class, best first. */
typedef struct side {
    size_t n;
    float *f, *x, *y, *w; /* mean score, mean X, mean -Y, weight */
    float *g, *h;         /* sums over the other class */
    uint32_t *cell;       /* number among all cells */
} side;

typedef struct list {
    const scarce__loss_rows *rows;
    scarce__ranking rank; /* group_end becomes the ends of cells */
    size_t n_cells;
    double unit; /* positives / weight of the positives */
    double p;    /* weight of the positives */
    side pos, neg;
    double *part;    /* [pair block][positive cell][2] */
    float *g, *h;
    double *score;
    int avx2;
} list;

static scarce_status side_init(side *s, size_t n, scarce_error *err)
{
    float *room = scarce__calloc(6 * n + 1, sizeof *room);
    s->cell = scarce__malloc_array(n, sizeof *s->cell);
    s->f = room;
    if (!room || !s->cell) return scarce__fail_memory(err, "the cells of a list", 28 * n);
    s->x = room + n;
    s->y = room + 2 * n;
    s->w = room + 3 * n;
    s->g = room + 4 * n;
    s->h = room + 5 * n;
    return SCARCE_OK;
}

static void side_deinit(side *s)
{
    scarce__free(s->f);
    scarce__free(s->cell);
}

static void to_double(void *arg, size_t index, int worker)
{
    const list *k = arg;
    const size_t b = index * ROW_BLOCK, e = b + ROW_BLOCK < k->rows->n ? b + ROW_BLOCK : k->rows->n;
    (void)worker;
    for (size_t i = b; i < e; ++i) k->score[i] = (double)k->rows->score[i];
}

static double score_at(const list *k, size_t place)
{
    return (double)k->rows->score[k->rank.order[place]];
}

/* Joins groups of equal scores to cells; returns their number. */
static size_t join_groups(list *k)
{
    const double range = score_at(k, 0) - score_at(k, k->rank.n - 1);
    const double stretch = range / STRETCHES > LEAST_STRETCH ? range / STRETCHES : LEAST_STRETCH;
    uint32_t *end = k->rank.group_end;
    size_t cells = 0, begin = 0, group_begin = 0;
    double first = score_at(k, 0);

    for (size_t g = 0; g < k->rank.n_groups; ++g) {
        const size_t group_end = end[g];
        if (group_begin > begin && (begin < ALONE || group_end - begin > begin / SHARE ||
                                    first - score_at(k, group_begin) > stretch)) {
            end[cells++] = (uint32_t)group_begin;
            begin = group_begin;
            first = score_at(k, begin);
        }
        group_begin = group_end;
    }
    end[cells++] = (uint32_t)k->rank.n;
    return cells;
}

static void cell_counts(const list *k, size_t *n_pos, size_t *n_neg)
{
    size_t begin = 0;
    *n_pos = *n_neg = 0;
    for (size_t c = 0; c < k->n_cells; ++c) {
        size_t pos = 0;
        for (size_t i = begin; i < k->rank.group_end[c]; ++i) pos += k->rows->label[k->rank.order[i]];
        *n_pos += pos > 0;
        *n_neg += pos < k->rank.group_end[c] - begin;
        begin = k->rank.group_end[c];
    }
}

typedef struct mean {
    double f, x, y, w;
} mean;

typedef struct walk {
    double r, c, q; /* rank, positives so far, sum of 1/rank over them */
} walk;

/* `count` rows of one class with equal scores; each takes the mean weight, so that their order doesn't matter. */
static void step(walk *at, mean *m, double f, double weight, size_t count, int label)
{
    const double w = count > 0 ? weight / (double)count : 0;
    double x = 0, y = 0;

    if (!(w > 0)) return;
    for (size_t i = 0; i < count; ++i) {
        at->r += w;
        if (label) {
            at->c += w;
            at->q += w / at->r;
        }
        x += (at->c + (at->r < 1 ? at->r : 1)) / at->r - at->q;
        y += at->q - at->c / at->r;
    }
    m->f += weight * f;
    m->x += w * x;
    m->y += w * y;
    m->w += weight;
}

static void side_add(side *s, const mean *m, size_t cell)
{
    if (!(m->w > 0)) return;
    s->f[s->n] = (float)(m->f / m->w);
    s->x[s->n] = (float)(m->x / m->w);
    s->y[s->n] = (float)(m->y / m->w);
    s->w[s->n] = (float)m->w;
    s->cell[s->n++] = (uint32_t)cell;
}

/* One walk down the list; of equal scores negatives come first. */
static void fill_cells(list *k)
{
    walk at = {0, 0, 0};
    size_t begin = 0;
    for (size_t c = 0; c < k->n_cells; ++c) {
        const size_t end = k->rank.group_end[c];
        mean m[2];
        memset(m, 0, sizeof m);
        for (size_t i = begin, e; i < end; i = e) {
            const float f = k->rows->score[k->rank.order[i]];
            double weight[2] = {0, 0};
            size_t count[2] = {0, 0};
            for (e = i; e < end && !(k->rows->score[k->rank.order[e]] < f); ++e) {
                const uint32_t row = k->rank.order[e];
                const double w = scarce__row_weight(k->rows, row);
                const int y = k->rows->label[row] != 0;
                weight[y] += w;
                count[y] += w > 0;
            }
            for (int y = 0; y < 2; ++y) step(&at, &m[y], (double)f, k->unit * weight[y], count[y], y);
        }
        side_add(&k->neg, &m[0], c);
        side_add(&k->pos, &m[1], c);
        begin = end;
    }
}

/* ---- Pairs */

/* One positive cell with n negative cells on the same side of it. */
SCARCE__BODY void pair_body(const float *restrict f, const float *restrict v, const float *restrict w, size_t n, float fi,
                            float vi, float wi, float *restrict g, float *restrict h, float *restrict pull,
                            float *restrict curve)
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
    double *out = k->part + 2 * block * pos->n;
    size_t above = 0; /* negatives of the block at or above the positive's cell */

    for (size_t i = 0; i < pos->n; ++i) {
        while (above < n && neg->cell[b + above] <= pos->cell[i]) ++above;
        pair_body(neg->f + b, neg->x + b, neg->w + b, above, pos->f[i], pos->x[i], pos->w[i], neg->g + b, neg->h + b,
                  pull, curve);
        pair_body(neg->f + b + above, neg->y + b + above, neg->w + b + above, n - above, pos->f[i], pos->y[i], pos->w[i],
                  neg->g + b + above, neg->h + b + above, pull + above, curve + above);
        out[2 * i] = add_lanes(pull, n);
        out[2 * i + 1] = add_lanes(curve, n);
    }
}

static void block_plain(const list *k, size_t block)
{
    block_body(k, block);
}

#if SCARCE__HAVE_AVX2
SCARCE__AVX2 static void block_avx2(const list *k, size_t block)
{
    block_body(k, block);
}
#else
#define block_avx2 block_plain
#endif

static void pairs_block(void *arg, size_t block, int worker)
{
    const list *k = arg;
    (void)worker;
    (k->avx2 ? block_avx2 : block_plain)(k, block);
}

static scarce_status pairs(list *k, scarce__pool *pool, scarce_error *err)
{
    const size_t blocks = scarce__blocks(k->neg.n, PAIR_BLOCK);
    k->part = scarce__malloc_array(blocks * k->pos.n, 2 * sizeof *k->part);
    if (!k->part) return scarce__fail_memory(err, "the pairs of a list", 16 * blocks * k->pos.n);
    scarce__pool_run(pool, blocks, pairs_block, k);
    for (size_t i = 0; i < k->pos.n; ++i) {
        double g = 0, h = 0;
        for (size_t b = 0; b < blocks; ++b) {
            g += k->part[2 * (b * k->pos.n + i)];
            h += k->part[2 * (b * k->pos.n + i) + 1];
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
} spread_job;

static void spread_block(void *arg, size_t index, int worker)
{
    const spread_job *j = arg;
    const list *k = j->k;
    const size_t b = index * ROW_BLOCK, e = b + ROW_BLOCK < k->rank.n ? b + ROW_BLOCK : k->rank.n;
    size_t cell = 0, high = k->n_cells;
    (void)worker;
    while (cell < high) { /* the first cell that ends behind b */
        const size_t mid = cell + (high - cell) / 2;
        if (k->rank.group_end[mid] <= b) cell = mid + 1;
        else high = mid;
    }
    for (size_t i = b; i < e; ++i) {
        while (k->rank.group_end[cell] <= i) ++cell;
        const uint32_t row = k->rank.order[i];
        const int y = k->rows->label[row] != 0;
        const float w = k->rows->weight ? k->rows->weight[row] * j->factor : j->factor;
        const float h = w * j->h[y][cell];
        k->g[row] = w * j->g[y][cell];
        k->h[row] = h > SCARCE__LEAST_H ? h : SCARCE__LEAST_H;
    }
}

static scarce_status spread(list *k, scarce_context *ctx, scarce_error *err)
{
    float *room = scarce__calloc(4 * k->n_cells, sizeof *room);
    spread_job j = {k, {room, room + k->n_cells}, {room + 2 * k->n_cells, room + 3 * k->n_cells}, 0};
    double total = 0;

    if (!room) return scarce__fail_memory(err, "the gradients of a list", 16 * k->n_cells);
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
    if (!(j.factor > 0) || !isfinite(j.factor)) scarce__list_silence(k->rank.n, k->g, k->h);
    else scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(k->rank.n, ROW_BLOCK), spread_block, &j);
    scarce__free(room);
    return SCARCE_OK;
}

static scarce_status run(list *k, const scarce__loss *loss, scarce_context *ctx, scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    const size_t n = k->rows->n;
    size_t count = 0, n_pos, n_neg;

    for (size_t i = 0; i < n; ++i) count += k->rows->label[i];
    for (size_t i = 0; k->rows->weight && i < n; ++i)
        if (k->rows->label[i]) k->p += (double)k->rows->weight[i];
    if (!k->rows->weight) k->p = (double)count;
    if (count == n || !(k->p > 0)) {
        scarce__list_silence(n, k->g, k->h);
        return SCARCE_OK;
    }
    k->unit = (double)count / k->p;
    k->score = scarce__big_alloc(n, sizeof *k->score);
    if (!k->score) return scarce__fail_memory(err, "the scores", 8 * n);
    scarce__pool_run(pool, scarce__blocks(n, ROW_BLOCK), to_double, k);
    SCARCE__TRY(scarce__rank(&k->rank, k->score, n, "score", pool, err));
    const double n_pairs = (double)count * (double)(n - count);
    k->n_cells = loss->mode || n_pairs <= EXACT_PAIRS ? k->rank.n_groups : join_groups(k);
    cell_counts(k, &n_pos, &n_neg);
    SCARCE__TRY(side_init(&k->pos, n_pos, err));
    SCARCE__TRY(side_init(&k->neg, n_neg, err));
    fill_cells(k);
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
    scarce__free(k.part);
    side_deinit(&k.pos);
    side_deinit(&k.neg);
    scarce__ranking_deinit(&k.rank);
    return status;
}

/* There is no loss whose gradient this is; told is 1 - AP. */
static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double ap = NAN;
    (void)loss;
    (void)scarce__ap_fast_f32(&ap, rows->score, rows->label, NULL, rows->n, NULL, NULL);
    return 1 - ap;
}

static void interest(const scarce__loss *loss, const float *score, size_t n, float *out)
{
    scarce__list_interest(score, 1, n, out, loss->portable);
}

scarce__loss scarce__loss_lambdamart(int exactly)
{
    const scarce__loss loss = {.name = "lambdamart-ap", .needs_label = 1, .mode = exactly != 0, .gradients = gradients,
                               .base = scarce__list_base, .value = value, .interest = interest};
    return loss;
}
