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
#include "boost/list.h"
#include "core/alloc.h"
#include "eval/ap.h"
#include "eval/rank.h"
#include "tree/simd.h"

enum { ROW_BLOCK = 8192, PAIR_BLOCK = 1024, ALONE = 512, SHARE = 64, STRETCHES = 1024, LANES = 8 };
enum { STEPS = 8192, PARTS = 16, TOP = 2048, MOST_TOP = 16384 };
#define LEAST_STRETCH 0.0625
#define EXACT_PAIRS 2e6 /* about what a tree on so few rows costs */

/* Cells of one class, best first. */
typedef struct side {
    size_t n;
    float *f, *x, *y, *w; /* mean score, mean X, mean -Y, weight */
    float *tie;           /* mean X in the worst order, for the pairs inside a cell */
    float *g, *h;         /* sums over the other class */
    uint32_t *cell;       /* number among all cells */
} side;

/* The rows between two scores. */
typedef struct score_step {
    double weight[2];
    uint32_t count[2];
} score_step;

typedef struct walk {
    double r, c, q; /* rank, positives so far, sum of 1/rank over them */
} walk;

typedef struct list {
    const scarce__loss_rows *rows;
    uint32_t *id;         /* of the sorted rows; NULL: all rows */
    scarce__ranking rank; /* of these; group_end becomes the ends of cells */
    size_t n_top;         /* cells of sorted rows; those of steps follow */
    size_t n_cells;
    float high, per_step; /* step of a score: (high - score) * per_step */
    size_t part;          /* rows of a part */
    score_step *steps;    /* per part, the first then all together; NULL: all rows are sorted */
    size_t first_step;    /* steps before this are sorted */
    uint32_t *cell_of;    /* step -> cell */
    double unit;          /* positives / weight of the positives */
    double p;             /* weight of the positives */
    walk at;
    side pos, neg;
    double *part_sums; /* [pair block][positive cell][2] */
    float *g, *h;
    double *score;
    int avx2;
} list;

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

static uint32_t row_at(const list *k, size_t place)
{
    return k->id ? k->id[k->rank.order[place]] : k->rank.order[place];
}

static double score_at(const list *k, size_t place)
{
    return (double)k->rows->score[row_at(k, place)];
}

/* The longest stretch of scores of a cell. */
static double stretch_of(const list *k)
{
    const double range = STEPS / (double)k->per_step;
    return range / STRETCHES > LEAST_STRETCH ? range / STRETCHES : LEAST_STRETCH;
}

/* Joins groups of equal scores to cells; returns their number. */
static size_t join_groups(list *k)
{
    const double stretch = stretch_of(k);
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

/* Sums over the rows of a cell and class, each times its weight. */
typedef struct mean {
    double f, x, y, tie, w;
} mean;

/* `count` rows of one class with equal scores; each takes the mean weight, so that their order doesn't
 * matter. */
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
    m->tie += w * x;
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
    s->tie[s->n] = (float)(m->tie / m->w);
    s->cell[s->n++] = (uint32_t)cell;
}

/* One walk down the sorted rows; of equal scores negatives come first. */
static void fill_sorted(list *k)
{
    size_t begin = 0;
    for (size_t c = 0; c < k->n_top; ++c) {
        const size_t end = k->rank.group_end[c];
        mean m[2];
        memset(m, 0, sizeof m);
        for (size_t i = begin, e; i < end; i = e) {
            const float f = k->rows->score[row_at(k, i)];
            double weight[2] = {0, 0};
            size_t count[2] = {0, 0};
            for (e = i; e < end && !(k->rows->score[row_at(k, e)] < f); ++e) {
                const uint32_t row = row_at(k, e);
                const double w = scarce__row_weight(k->rows, row);
                const int y = k->rows->label[row] != 0;
                weight[y] += w;
                count[y] += w > 0;
            }
            for (int y = 0; y < 2; ++y) step(&k->at, &m[y], (double)f, k->unit * weight[y], count[y], y);
        }
        side_add(&k->neg, &m[0], c);
        side_add(&k->pos, &m[1], c);
        begin = end;
    }
}

/* ---- Steps of scores */

static inline uint32_t step_of(float high, float per_step, float score)
{
    const float x = (high - score) * per_step;
    return x < (float)(STEPS - 1) ? (uint32_t)x : STEPS - 1;
}

static void count_part(void *arg, size_t part, int worker)
{
    const list *k = arg;
    const size_t b = part * k->part, e = b + k->part < k->rows->n ? b + k->part : k->rows->n;
    score_step *s = k->steps + part * STEPS;
    (void)worker;
    for (size_t i = b; i < e; ++i) {
        score_step *at = &s[step_of(k->high, k->per_step, k->rows->score[i])];
        const int y = k->rows->label[i] != 0;
        const double w = scarce__row_weight(k->rows, i);
        at->weight[y] += w;
        at->count[y] += w > 0;
    }
}

/* Counts the rows of each step and finds how many of the first to sort. */
static scarce_status count_steps(list *k, scarce__pool *pool, scarce_error *err)
{
    float low = k->rows->score[0], high = low;
    size_t parts = scarce__blocks(k->rows->n, ROW_BLOCK), seen = 0;

    for (size_t i = 1; i < k->rows->n; ++i) {
        low = k->rows->score[i] < low ? k->rows->score[i] : low;
        high = k->rows->score[i] > high ? k->rows->score[i] : high;
    }
    k->high = high;
    k->per_step = high > low ? (float)STEPS / (high - low) : 1.0f;
    if (!isfinite(k->per_step)) k->per_step = 1.0f; /* scores that differ in the last bits around 0 */
    if (parts > PARTS) parts = PARTS;
    k->part = (k->rows->n + parts - 1) / parts;
    k->steps = scarce__calloc(parts * STEPS, sizeof *k->steps);
    k->cell_of = scarce__malloc_array(STEPS, sizeof *k->cell_of);
    if (!k->steps || !k->cell_of)
        return scarce__fail_memory(err, "the scores of a list", parts * STEPS * sizeof *k->steps);
    scarce__pool_run(pool, parts, count_part, k);
    for (size_t p = 1; p < parts; ++p)
        for (size_t i = 0; i < STEPS; ++i)
            for (int y = 0; y < 2; ++y) {
                k->steps[i].weight[y] += k->steps[p * STEPS + i].weight[y];
                k->steps[i].count[y] += k->steps[p * STEPS + i].count[y];
            }
    while (k->first_step < STEPS && seen < TOP) {
        const score_step *s = &k->steps[k->first_step];
        seen += (size_t)s->count[0] + s->count[1];
        if (seen > MOST_TOP) break;
        ++k->first_step;
    }
    return SCARCE_OK;
}

/* The rows of the first steps, to be sorted. Rows without weight aren't in the counts, so there may be more.
 */
static scarce_status gather_top(list *k, size_t *n_top, scarce_error *err)
{
    size_t n = 0;
    for (int pass = 0; pass < 2; ++pass) {
        n = 0;
        for (size_t i = 0; i < k->rows->n; ++i) {
            if (step_of(k->high, k->per_step, k->rows->score[i]) >= k->first_step) continue;
            if (pass) {
                k->id[n] = (uint32_t)i;
                k->score[n] = (double)k->rows->score[i];
            }
            ++n;
        }
        if (pass) break;
        k->id = scarce__malloc_array(n, sizeof *k->id);
        k->score = scarce__malloc_array(n, sizeof *k->score);
        if (!k->id || !k->score) return scarce__fail_memory(err, "the top of a list", 12 * n);
    }
    *n_top = n;
    return SCARCE_OK;
}

/* Mean of 1 / rank over the ranks behind `from`, up to `to`. */
static double mean_inverse(double from, double to)
{
    const double half = to - from < 1 ? 0.5 * (to - from) : 0.5;
    return to > from ? log((to + half) / (from + half)) / (to - from) : 0;
}

/* A cell of steps: all its rows at its middle; for pairs inside it negatives first. */
static void close_cell(list *k, const double sum[2], const double sum_f[2], size_t cell)
{
    const double neg = k->unit * sum[0], pos = k->unit * sum[1];
    const walk a = k->at;
    const double end = a.r + neg + pos, inverse = mean_inverse(a.r, end), c = a.c + 0.5 * pos,
                 q = a.q + 0.5 * pos * inverse;
    const double one = end < 1 ? end : 1, behind = mean_inverse(a.r + neg, end);
    const double x = (c + one) * inverse - q, y = q - c * inverse;
    const mean mn = {k->unit * sum_f[0], neg * x, neg * y,
                     neg * ((a.c + one) * mean_inverse(a.r, a.r + neg) - a.q), neg};
    const mean mp = {k->unit * sum_f[1], pos * x, pos * y,
                     pos * ((c + one) * behind - a.q - 0.5 * pos * behind), pos};

    side_add(&k->neg, &mn, cell);
    side_add(&k->pos, &mp, cell);
    k->at.r = end;
    k->at.c += pos;
    k->at.q += pos * inverse;
}

static void fill_steps(list *k)
{
    const double most = stretch_of(k) * (double)k->per_step;
    double sum[2] = {0, 0}, sum_f[2] = {0, 0}, rank = (double)k->rank.n, held = 0;
    size_t first = 0;

    for (size_t i = k->first_step; i < STEPS; ++i) {
        const score_step *s = &k->steps[i];
        const double count = (double)s->count[0] + (double)s->count[1];
        const double f = (double)k->high - ((double)i + 0.5) / (double)k->per_step;
        if (held > 0 && count > 0 && (held + count > rank / SHARE || (double)(i - first) > most)) {
            close_cell(k, sum, sum_f, k->n_cells++);
            rank += held;
            held = 0;
            memset(sum, 0, sizeof sum);
            memset(sum_f, 0, sizeof sum_f);
        }
        if (!(held > 0)) first = i;
        held += count;
        for (int y = 0; y < 2; ++y) {
            sum[y] += s->weight[y];
            sum_f[y] += s->weight[y] * f;
        }
        k->cell_of[i] = (uint32_t)k->n_cells;
    }
    if (k->first_step < STEPS) close_cell(k, sum, sum_f, k->n_cells++);
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
        set_row(j, row_at(k, i), cell);
    }
}

static void spread_steps(void *arg, size_t index, int worker)
{
    const spread_job *j = arg;
    const list *k = j->k;
    const size_t b = index * ROW_BLOCK, e = b + ROW_BLOCK < k->rows->n ? b + ROW_BLOCK : k->rows->n;
    (void)worker;
    for (size_t i = b; i < e; ++i) {
        const uint32_t at = step_of(k->high, k->per_step, k->rows->score[i]);
        if (at >= k->first_step) set_row(j, i, k->cell_of[at]);
    }
}

static scarce_status spread(list *k, scarce_context *ctx, scarce_error *err)
{
    float *room = scarce__calloc(4 * k->n_cells, sizeof *room);
    double total = 0;

    if (!room) return scarce__fail_memory(err, "the gradients of a list", 16 * k->n_cells);
    spread_job j = {k, {room, room + k->n_cells}, {room + 2 * k->n_cells, room + 3 * k->n_cells}, 0};
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
        scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(k->rank.n, ROW_BLOCK), spread_sorted, &j);
        if (k->steps)
            scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(k->rows->n, ROW_BLOCK), spread_steps,
                             &j);
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
    const int exact = loss->mode || (double)count * (double)(n - count) <= EXACT_PAIRS;
    if (exact) SCARCE__TRY(all_scores(k, err));
    else {
        SCARCE__TRY(count_steps(k, pool, err));
        SCARCE__TRY(gather_top(k, &n_sorted, err));
    }
    if (n_sorted > 0) SCARCE__TRY(scarce__rank(&k->rank, k->score, n_sorted, "score", pool, err));
    k->n_top = exact ? k->rank.n_groups : n_sorted > 0 ? join_groups(k) : 0;
    const size_t most = k->n_top + (exact ? 0 : STEPS);
    SCARCE__TRY(side_init(&k->pos, least(most, count), err));
    SCARCE__TRY(side_init(&k->neg, least(most, n - count), err));
    fill_sorted(k);
    k->n_cells = k->n_top;
    if (!exact) fill_steps(k);
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
    scarce__free(k.cell_of);
    scarce__free(k.part_sums);
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
    const scarce__loss loss = {.name = "lambdamart-ap",
                               .needs_label = 1,
                               .mode = exactly != 0,
                               .gradients = gradients,
                               .base = scarce__list_base,
                               .value = value,
                               .interest = interest};
    return loss;
}
