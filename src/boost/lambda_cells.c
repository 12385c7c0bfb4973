/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted list in cells: each has, by class, its weight and the means of the score, of X and of Y (formulas
 * in loss_lambdamart.c). One walk down the list gives everything.
 *
 * When there are too many pairs, only the best rows are sorted (the first 512 ranks stay alone); all others
 * fall into 8192 steps of the range of scores, and cells join neighbours up to 1/64 of the ranks above them
 * and a short stretch of scores. */
#include "boost/lambda_cells.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "tree/simd.h"

enum {
    ROW_BLOCK = 8192,
    ALONE = 512,
    SHARE = 64,
    STRETCHES = 1024,
    STEPS = SCARCE__LAMBDA_STEPS,
    PARTS = 16
};
enum { TOP = 2048, MOST_TOP = 16384 };
#define LEAST_STRETCH 0.0625

typedef scarce__lambda_side side;
typedef scarce__lambda_score_step score_step;
typedef scarce__lambda_walk walk;
typedef scarce__lambda_list list;

static double score_at(const list *k, size_t place)
{
    return (double)k->rows->score[scarce__lambda_row(k, place)];
}

/* The longest stretch of scores of a cell. */
static double stretch_of(const list *k)
{
    const double range = STEPS / (double)k->per_step;
    return range / STRETCHES > LEAST_STRETCH ? range / STRETCHES : LEAST_STRETCH;
}

size_t scarce__lambda_join_groups(list *k)
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
void scarce__lambda_fill_sorted(list *k)
{
    size_t begin = 0;
    for (size_t c = 0; c < k->n_top; ++c) {
        const size_t end = k->rank.group_end[c];
        mean m[2];
        memset(m, 0, sizeof m);
        for (size_t i = begin, e; i < end; i = e) {
            const float f = k->rows->score[scarce__lambda_row(k, i)];
            double weight[2] = {0, 0};
            size_t count[2] = {0, 0};
            for (e = i; e < end && !(k->rows->score[scarce__lambda_row(k, e)] < f); ++e) {
                const uint32_t row = scarce__lambda_row(k, e);
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

SCARCE__BODY void steps_body(const list *k, size_t b, size_t e)
{
    const float *restrict f = k->rows->score;
    uint16_t *restrict step = k->step;
    const float high = k->high, per_step = k->per_step;
    for (size_t i = b; i < e; ++i) {
        const float x = (high - f[i]) * per_step;
        step[i] = (uint16_t)(int32_t)(x < (float)(STEPS - 1) ? x : (float)(STEPS - 1));
    }
}

SCARCE__AVX2 static void steps_avx2(const list *k, size_t b, size_t e)
{
    steps_body(k, b, e);
}

static void count_part(void *arg, size_t part, int worker)
{
    const list *k = arg;
    const size_t b = part * k->part, e = b + k->part < k->rows->n ? b + k->part : k->rows->n;
    const uint8_t *label = k->rows->label;
    uint32_t *count = k->counts + part * 2 * STEPS;
    (void)worker;
    if (k->avx2) steps_avx2(k, b, e);
    else steps_body(k, b, e);
    if (!k->weights)
        for (size_t i = b; i < e; ++i) ++count[(size_t)(label[i] != 0) * STEPS + k->step[i]];
    else
        for (size_t i = b; i < e; ++i) {
            const size_t at = (size_t)(label[i] != 0) * STEPS + k->step[i];
            const float w = k->rows->weight[i];
            k->weights[part * 2 * STEPS + at] += (double)w;
            count[at] += w > 0;
        }
}

/* Parts of rows to steps, in the order of the parts. */
static void join_parts(list *k, size_t parts)
{
    for (size_t p = 0; p < parts; ++p)
        for (size_t y = 0; y < 2; ++y)
            for (size_t i = 0; i < STEPS; ++i) {
                const size_t at = (2 * p + y) * STEPS + i;
                k->steps[i].count[y] += k->counts[at];
                k->steps[i].weight[y] += k->weights ? k->weights[at] : (double)k->counts[at];
            }
}

/* Counts the rows of each step and finds how many of the first to sort. */
scarce_status scarce__lambda_count_steps(list *k, scarce__pool *pool, scarce_error *err)
{
    float low, high;
    size_t parts = scarce__blocks(k->rows->n, ROW_BLOCK), seen = 0;

    scarce__list_range(k->rows->score, k->rows->n, &low, &high);
    k->high = high;
    k->per_step = high > low ? (float)STEPS / (high - low) : 1.0f;
    if (!isfinite(k->per_step)) k->per_step = 1.0f; /* scores that differ in the last bits around 0 */
    if (parts > PARTS) parts = PARTS;
    k->part = (k->rows->n + parts - 1) / parts;
    k->steps = scarce__calloc(STEPS, sizeof *k->steps);
    k->counts = scarce__calloc(parts * 2 * STEPS, sizeof *k->counts);
    if (k->rows->weight) k->weights = scarce__calloc(parts * 2 * STEPS, sizeof *k->weights);
    k->step = scarce__big_alloc(k->rows->n, sizeof *k->step);
    k->cell_of = scarce__malloc_array(STEPS, sizeof *k->cell_of);
    if (!k->steps || !k->counts || (k->rows->weight && !k->weights) || !k->step || !k->cell_of)
        return scarce__fail_memory(err, "the scores of a list", 2 * k->rows->n);
    scarce__pool_run(pool, parts, count_part, k);
    join_parts(k, parts);
    while (k->first_step < STEPS && seen < TOP) {
        const score_step *s = &k->steps[k->first_step];
        seen += (size_t)s->count[0] + s->count[1];
        if (seen > MOST_TOP) break;
        ++k->first_step;
    }
    return SCARCE_OK;
}

/* The rows of the first steps, to be sorted: few, so 64 rows are mostly passed over at once. Rows without
 * weight aren't in the counts, so there may be more. */
static size_t list_top(const list *k, uint32_t *id)
{
    enum { STRIDE = 64 };
    const size_t first = k->first_step;
    size_t n = 0;
    for (size_t i = 0; i < k->rows->n; i += STRIDE) {
        const size_t m = k->rows->n - i < STRIDE ? k->rows->n - i : STRIDE;
        int16_t least = INT16_MAX; /* steps are below that */
        for (size_t l = i; l < i + m; ++l) {
            const int16_t at = (int16_t)k->step[l];
            least = at < least ? at : least;
        }
        if ((size_t)least >= first) continue;
        for (size_t l = i; l < i + m; ++l) {
            if (k->step[l] >= first) continue;
            if (id) id[n] = (uint32_t)l;
            ++n;
        }
    }
    return n;
}

scarce_status scarce__lambda_gather_top(list *k, size_t *n_top, scarce_error *err)
{
    const size_t n = list_top(k, NULL);
    k->id = scarce__malloc_array(n, sizeof *k->id);
    k->score = scarce__malloc_array(n, sizeof *k->score);
    if (!k->id || !k->score) return scarce__fail_memory(err, "the top of a list", 12 * n);
    *n_top = list_top(k, k->id);
    for (size_t i = 0; i < n; ++i) k->score[i] = (double)k->rows->score[k->id[i]];
    return SCARCE_OK;
}

/* Mean of 1 / rank over the ranks behind `from`, up to `to`. */
static double mean_inverse(double from, double to)
{
    const double half = to - from < 1 ? 0.5 * (to - from) : 0.5;
    return to > from ? scarce__ln((to + half) / (from + half)) / (to - from) : 0;
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

void scarce__lambda_fill_steps(list *k)
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
