/* SPDX-License-Identifier: Apache-2.0 */
/* AdaBoost, and its forms that know what an error costs. Trees vote; s = 2y - 1 is the label, h = -1 or 1 the
 * vote of a row's leaf, C in [0, 1] what the row costs when it is wrong, relative to the dearest:
 *
 *             weight of a row in the next round    edge r of the tree          grown on
 *   adaboost  D exp(-a s h)                        sum D s h / sum D           D
 *   adac1     D exp(-a C s h)                      sum C D s h / sum D         C D
 *   adac2     C D exp(-a s h)                      sum C D s h / sum C D       C D
 *   adac3     C D exp(-a C s h)                    sum C^2 D s h / sum C D     C^2 D
 *   adacost   D exp(-a b s h), at first C          sum D s h / sum D           D
 *             b = (1 - C) / 2 where h is right, (1 + C) / 2 where it is wrong
 *
 * with a = 1/2 log((1 + r) / (1 - r)) each time, which for adaboost is 1/2 log((1 - e) / e). A tree is grown on
 * g = -s u, h = u, u the last column: the gain of a split is that of the weighted gini index, a leaf is
 * (U+ - U-) / (U+ + U-), and its sign is the vote; a tie votes -1. `classic` is the letter of the papers: adac1 to
 * adac3 are grown on D, and the edge of adacost is sum b D s h / sum D. There a tree that is right by D may cost more
 * than it saves, at rare positives the very first one, and that is the end; as above the edge is never below 0.
 * With shares for votes (`shares`) a leaf votes by its value, in [-1, 1]: for two classes that is AdaBoost.M2 with
 * its pseudo-loss (1 - r) / 2. Where trees see samples with other shares of the classes (`share`, RUSBoost), these
 * shares hold by weight: else, once boosting has made the classes weigh alike, the negatives that were left out would
 * be missing. With equal shares and votes by size both classes have the same edge, and it is not below 0: with a and b
 * the shares of the classes that a leaf holds, it is 1/2 sum (a - b)^2 / (a + b).
 * It ends when no row is wrong (this tree is the last) or r <= 0 (this tree is none; where trees see samples it stays
 * with a step of 0, and another sample is drawn).
 *
 * No weight is kept: f, the sum of the trees, and how many there were give them all. With t trees so far,
 *     adaboost exp(-s f)    adac1 exp(-C s f)    adac2 C^t exp(-s f)    adac3 C^t exp(-C s f)
 *     adacost  C exp(-s f / 2 + C A / 2), A the sum of all steps a, since b s h = (s h - C) / 2
 * so that bags, rows made up and trees taken from an earlier run need nothing of their own.
 *
 * Freund and Schapire: A decision-theoretic generalization of on-line learning and an application to boosting, JCSS
 * 55 (1997); Sun, Kamel, Wong and Wang: Cost-sensitive boosting for classification of imbalanced data, Pattern
 * Recognition 40 (2007); Fan, Stolfo, Zhang and Chan: AdaCost, ICML 1999. */
#include <math.h>
#include <string.h>

#include "boost/exp.h"
#include "boost/loss.h"
#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "tree/simd.h"

enum { BLOCK = 8192, CHUNK = 256 };

/* Where costs come in: inside the exponent, as a factor of every round, as powers in the two sums of the edge. */
typedef struct rule {
    const char *name;
    int exponent, rounds, edge, total, adjusts;
} rule;

static const rule rules[] = {{"adaboost", 0, 0, 0, 0, 0},
                             {"adac1", 1, 0, 1, 0, 0},
                             {"adac2", 0, 1, 1, 1, 0},
                             {"adac3", 1, 1, 2, 1, 0},
                             {"adacost", 0, 0, 0, 0, 1}};

#define LEAST_COST 1e-30

typedef struct votes {
    const rule *is;
    size_t trees;
    double steps;          /* A */
    double cost[2];        /* C of a negative and a positive, where rows have none of their own */
    float *own, *log_own;  /* per training row, or NULL */
    double exponent[2][2]; /* of each label: a weight is exp(exponent[0] - exponent[1] s f) */
} votes;

/* ---- what a row weighs */

static double log_cost(double c)
{
    return scarce__ln(c > LEAST_COST ? c : LEAST_COST);
}

/* exp(out[0] - out[1] s f) for the cost c. */
static void exponent_of(const votes *v, double c, double log_c, double out[2])
{
    out[0] = v->is->rounds ? (double)v->trees * log_c : v->is->adjusts ? log_c + 0.5 * c * v->steps : 0;
    out[1] = v->is->exponent ? c : v->is->adjusts ? 0.5 : 1;
}

static void set_exponents(votes *v)
{
    for (int y = 0; y < 2; ++y) exponent_of(v, v->cost[y], log_cost(v->cost[y]), v->exponent[y]);
}

static double cost_of(const votes *v, const scarce__loss_rows *rows, size_t i)
{
    const uint32_t row = scarce__row_number(rows, i);
    return v->own && row != SCARCE__MADE_UP ? (double)v->own[row] : v->cost[rows->label[i] != 0];
}

/* Exponents of the rows b .. e - 1. */
SCARCE__BODY void exponents_by_class(const votes *v, const float *restrict score,
                                     const uint8_t *restrict label, size_t n, float *restrict out)
{
    const float a0 = (float)v->exponent[0][0], a1 = (float)v->exponent[1][0];
    const float b0 = (float)v->exponent[0][1], b1 = (float)-v->exponent[1][1];
    for (size_t i = 0; i < n; ++i) {
        const int32_t y = label[i];
        out[i] = (y != 0 ? a1 : a0) + (y != 0 ? b1 : b0) * score[i];
    }
}

static void exponents_by_row(const votes *v, const scarce__loss_rows *rows, size_t b, size_t e, float *out)
{
    for (size_t i = b; i < e; ++i) {
        const uint32_t row = scarce__row_number(rows, i);
        const int y = rows->label[i] != 0;
        double x[2];
        if (row == SCARCE__MADE_UP) memcpy(x, v->exponent[y], sizeof x);
        else exponent_of(v, (double)v->own[row], (double)v->log_own[row], x);
        out[i - b] = (float)(x[0] - (y ? x[1] : -x[1]) * (double)rows->score[i]);
    }
}

SCARCE__BODY void exps(float *restrict x, float from, size_t n)
{
    for (size_t i = 0; i < n; ++i) x[i] = scarce__expf(x[i] - from);
}

#define TWICE(kind, target)                                                                                  \
    target static void exponents_##kind(const votes *v, const scarce__loss_rows *rows, size_t b, size_t e,   \
                                        float *out)                                                          \
    {                                                                                                        \
        if (v->own) exponents_by_row(v, rows, b, e, out);                                                    \
        else exponents_by_class(v, rows->score + b, rows->label + b, e - b, out);                            \
    }                                                                                                        \
    target static void exps_##kind(float *x, float from, size_t n)                                           \
    {                                                                                                        \
        exps(x, from, n);                                                                                    \
    }                                                                                                        \
    target static void interest_##kind(const float *score, size_t n, float *out)                             \
    {                                                                                                        \
        for (size_t i = 0; i < n; ++i) out[i] = scarce__expf(score[i] > 30.0f ? 30.0f : score[i]);           \
    }
TWICE(plain, )
TWICE(avx2, SCARCE__AVX2)

typedef struct work {
    const scarce__loss *loss;
    const votes *v;
    const scarce__loss_rows *rows;
    int avx2;
    float most; /* exponent of all rows: weights are relative to it */
    int power;  /* of the cost in u */
    float *g, *h;
    float scale[2]; /* of negatives and positives */
    const scarce__round *round;
    double (*sum)[3]; /* per block */
} work;

/* Weights D of the rows b .. e - 1, at most CHUNK, up to a common factor. */
static void weights_of(const work *w, size_t b, size_t e, float *out)
{
    if (w->avx2) exponents_avx2(w->v, w->rows, b, e, out);
    else exponents_plain(w->v, w->rows, b, e, out);
    if (w->avx2) exps_avx2(out, w->most, e - b);
    else exps_plain(out, w->most, e - b);
}

static double power_of(double c, int power)
{
    return power == 0 ? 1 : power == 1 ? c : c * c;
}

/* The rows of a block in chunks that fit on the stack. */
#define EACH_CHUNK(w, index, b, e)                                                                           \
    for (size_t b = (index) * (size_t)BLOCK, last = b + BLOCK < (w)->rows->n ? b + BLOCK : (w)->rows->n,     \
                e = b;                                                                                       \
         b < last; b = e)                                                                                    \
        if ((e = b + CHUNK < last ? b + CHUNK : last), 1)

static void find_most(void *arg, size_t index, int worker)
{
    const work *w = arg;
    float x[CHUNK], most = -INFINITY;
    (void)worker;
    EACH_CHUNK(w, index, b, e)
    {
        if (w->avx2) exponents_avx2(w->v, w->rows, b, e, x);
        else exponents_plain(w->v, w->rows, b, e, x);
        for (size_t i = 0; i < e - b; ++i) most = x[i] > most ? x[i] : most;
    }
    w->sum[index][0] = (double)most;
}

/* Sets up the work on these rows; its sums are to be freed. */
static scarce_status begin_work(work *w, const scarce__loss *loss, const scarce__loss_rows *rows,
                                scarce_context *ctx, scarce_error *err)
{
    const size_t blocks = scarce__blocks(rows->n, BLOCK);

    memset(w, 0, sizeof *w);
    w->loss = loss;
    w->v = loss->state;
    w->rows = rows;
    w->avx2 = !loss->portable && scarce__cpu_avx2();
    w->sum = scarce__malloc_array(blocks + 1, sizeof *w->sum);
    if (!w->sum) return scarce__fail_memory(err, "weights of rows", blocks * sizeof *w->sum);
    scarce__pool_run(scarce__context_pool(ctx), blocks, find_most, w);
    w->most = -INFINITY;
    for (size_t k = 0; k < blocks; ++k) w->most = fmaxf(w->most, (float)w->sum[k][0]);
    return SCARCE_OK;
}

/* ---- gradients: g = -s u, h = u, u in units of its mean */

static void fill(void *arg, size_t index, int worker)
{
    const work *w = arg;
    const float *weight = w->rows->weight;
    double sum[2] = {0, 0};
    (void)worker;
    EACH_CHUNK(w, index, b, e)
    {
        weights_of(w, b, e, w->h + b);
        for (size_t i = b; w->power > 0 && i < e; ++i)
            w->h[i] *= (float)power_of(cost_of(w->v, w->rows, i), w->power);
        for (size_t i = b; weight && i < e; ++i) w->h[i] *= weight[i];
        for (size_t i = b; i < e; ++i) sum[w->rows->label[i] != 0] += (double)w->h[i];
    }
    w->sum[index][0] = sum[0];
    w->sum[index][1] = sum[1];
}

SCARCE__BODY void scale_body(const float scale[2], const uint8_t *restrict label, size_t n, float *restrict g,
                             float *restrict h)
{
    const float scale0 = scale[0], scale1 = scale[1];
    for (size_t i = 0; i < n; ++i) {
        const int32_t y = label[i];
        h[i] *= y != 0 ? scale1 : scale0;
        g[i] = y != 0 ? -h[i] : h[i];
    }
}

SCARCE__AVX2 static void scale_avx2(const float scale[2], const uint8_t *label, size_t n, float *g, float *h)
{
    scale_body(scale, label, n, g, h);
}

static void scale_plain(const float scale[2], const uint8_t *label, size_t n, float *g, float *h)
{
    scale_body(scale, label, n, g, h);
}

static void scale_block(void *arg, size_t index, int worker)
{
    const work *w = arg;
    const size_t b = index * BLOCK, e = b + BLOCK < w->rows->n ? b + BLOCK : w->rows->n;
    (void)worker;
    if (w->avx2) scale_avx2(w->scale, w->rows->label + b, e - b, w->g + b, w->h + b);
    else scale_plain(w->scale, w->rows->label + b, e - b, w->g + b, w->h + b);
}

/* To a mean of 1; with `share` such that positives are that share of the sum. */
static void set_scale(work *w, const double sum[2])
{
    const double n = (double)w->rows->n, share = w->loss->params.share, all = sum[0] + sum[1];
    const int even = share > 0 && sum[0] > 0 && sum[1] > 0;
    w->scale[0] = even ? (float)((1 - share) * n / sum[0]) : all > 0 ? (float)(n / all) : 1;
    w->scale[1] = even ? (float)(share * n / sum[1]) : w->scale[0];
}

static scarce_status gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err)
{
    const size_t blocks = scarce__blocks(rows->n, BLOCK);
    double sum[2] = {0, 0};
    work w;

    SCARCE__TRY(begin_work(&w, loss, rows, ctx, err));
    w.g = g;
    w.h = h;
    w.power = loss->params.classic ? 0 : w.v->is->edge;
    scarce__pool_run(scarce__context_pool(ctx), blocks, fill, &w);
    for (size_t k = 0; k < blocks; ++k) {
        sum[0] += w.sum[k][0];
        sum[1] += w.sum[k][1];
    }
    set_scale(&w, sum);
    scarce__pool_run(scarce__context_pool(ctx), blocks, scale_block, &w);
    scarce__free(w.sum);
    return SCARCE_OK;
}

/* ---- the step of a tree */

/* Part of the edge, of its total, and of what is wrong. The leaves hold the votes. */
static void find_edge(void *arg, size_t index, int worker)
{
    const work *w = arg;
    const scarce__node *node = w->round->tree->nodes;
    const rule *is = w->v->is;
    const float *weight = w->rows->weight;
    const int bound = is->adjusts && w->loss->params.classic, plain = is->edge == 0 && !bound;
    double edge = 0, total = 0, wrong = 0;
    float d[CHUNK];
    (void)worker;
    EACH_CHUNK(w, index, b, e)
    {
        weights_of(w, b, e, d);
        for (size_t i = b; i < e; ++i) {
            const double vote = (double)node[w->round->leaf[i]].value,
                         agrees = w->rows->label[i] ? vote : -vote;
            const double z = (double)d[i - b] * (weight ? (double)weight[i] : 1);
            const double c = plain ? 1 : cost_of(w->v, w->rows, i);
            const double u =
                bound ? z * (agrees > 0 ? 0.5 - 0.5 * c : 0.5 + 0.5 * c) : z * power_of(c, is->edge);
            edge += u * agrees;
            total += z * power_of(c, is->total);
            wrong += agrees < 0 ? u : 0;
        }
    }
    w->sum[index][0] = edge;
    w->sum[index][1] = total;
    w->sum[index][2] = wrong;
}

/* Leaves become votes. */
static void vote(scarce__binned_tree *tree, double rate, int shares)
{
    for (size_t i = 0; i < tree->n_nodes; ++i) {
        scarce__node *node = &tree->nodes[i];
        if (node->feature >= 0) continue;
        const double share = (double)node->value / rate;
        node->value = !shares      ? (node->value > 0 ? 1.0f : -1.0f)
                      : share > 1  ? 1.0f
                      : share < -1 ? -1.0f
                                   : (float)share;
    }
}

static float step_of(const scarce__binned_tree *tree)
{
    float step = 0;
    for (size_t i = 0; i < tree->n_nodes; ++i)
        if (tree->nodes[i].feature < 0) step = fmaxf(step, fabsf(tree->nodes[i].value));
    return step;
}

static scarce_status take_step(scarce__loss *loss, scarce__round *round, scarce_context *ctx,
                               scarce_error *err)
{
    const double most = 1 - 1e-9; /* a tree without an error would have an infinite step */
    const size_t blocks = scarce__blocks(round->rows.n, BLOCK);
    double edge = 0, total = 0, wrong = 0;
    work w;

    vote(round->tree, round->rate, loss->params.shares);
    SCARCE__TRY(begin_work(&w, loss, &round->rows, ctx, err));
    w.round = round;
    scarce__pool_run(scarce__context_pool(ctx), blocks, find_edge, &w);
    for (size_t k = 0; k < blocks; ++k) {
        edge += w.sum[k][0];
        total += w.sum[k][1];
        wrong += w.sum[k][2];
    }
    scarce__free(w.sum);
    const double r = total > 0 ? edge / total : 0, bounded = r > most ? most : r > 0 ? r : 0;
    if (!(r > 1e-9)) round->verdict = round->by_chance ? SCARCE__GO_ON : SCARCE__DROP_TREE;
    else if (!(wrong > 0)) round->verdict = SCARCE__LAST_TREE;
    const double step = round->rate * 0.5 * scarce__ln((1 + bounded) / (1 - bounded));
    for (size_t i = 0; i < round->tree->n_nodes; ++i)
        if (round->tree->nodes[i].feature < 0)
            round->tree->nodes[i].value = (float)(step * (double)round->tree->nodes[i].value);
    return SCARCE_OK;
}

static scarce_status settle(scarce__loss *loss, scarce__round *round, scarce_context *ctx, scarce_error *err)
{
    votes *v = loss->state;
    if (!round->taken) SCARCE__TRY(take_step(loss, round, ctx, err));
    ++v->trees;
    v->steps += (double)step_of(round->tree);
    set_exponents(v);
    return SCARCE_OK;
}

/* ---- state */

static void end(scarce__loss *loss)
{
    votes *v = loss->state;
    if (!v) return;
    scarce__free(v->own);
    scarce__free(v->log_own);
    scarce__free(v);
    loss->state = NULL;
}

/* Costs by class, relative to the larger. */
static void class_costs(const scarce__loss *loss, double cost[2])
{
    const double c0 = loss->params.alarm_cost > 0 ? loss->params.alarm_cost : 1,
                 c1 = loss->params.miss_cost > 0 ? loss->params.miss_cost : 1;
    cost[0] = loss->takes_costs ? c0 / fmax(c0, c1) : 1;
    cost[1] = loss->takes_costs ? c1 / fmax(c0, c1) : 1;
}

/* Costs relative to the dearest row. Rows made up cost what their class does on average. */
static scarce_status set_costs(votes *v, const scarce__loss_rows *all, const float *cost,
                               const double by_class[2], scarce_error *err)
{
    double most = 0, sum[2] = {0, 0};
    size_t count[2] = {0, 0};

    memcpy(v->cost, by_class, sizeof v->cost);
    if (!cost) return SCARCE_OK;
    v->own = scarce__malloc_array(all->n, sizeof *v->own);
    v->log_own = scarce__malloc_array(all->n, sizeof *v->log_own);
    if (!v->own || !v->log_own) return scarce__fail_memory(err, "costs of rows", 8 * all->n);
    for (size_t i = 0; i < all->n; ++i) most = fmax(most, (double)cost[i] * by_class[all->label[i] != 0]);
    if (!(most > 0)) return scarce__fail(err, SCARCE_EDATA, "all training rows cost nothing");
    for (size_t i = 0; i < all->n; ++i) {
        const int y = all->label[i] != 0;
        const double c = (double)cost[i] * by_class[y] / most;
        v->own[i] = (float)c;
        v->log_own[i] = (float)log_cost(c);
        sum[y] += c;
        ++count[y];
    }
    for (int y = 0; y < 2; ++y) v->cost[y] = count[y] > 0 ? sum[y] / (double)count[y] : 1;
    return SCARCE_OK;
}

static scarce_status begin(scarce__loss *loss, const scarce__loss_rows *all, scarce_error *err)
{
    double by_class[2];
    votes *v = scarce__calloc(1, sizeof *v);

    loss->state = v;
    if (!v) return scarce__fail_memory(err, "weights of rows", 0);
    v->is = rules;
    while (strcmp(v->is->name, loss->name) != 0) ++v->is;
    class_costs(loss, by_class);
    SCARCE__TRY(set_costs(v, all, loss->takes_costs ? loss->cost : NULL, by_class, err));
    set_exponents(v);
    return SCARCE_OK;
}

static double base(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    (void)loss;
    (void)rows;
    return 0;
}

/* Half of the log-odds: what the votes of a tree without splits would add up to. */
static double alone(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double p, n;
    (void)loss;
    scarce__loss_class_weights(rows, &p, &n);
    return 0.5 * scarce__ln(p / n);
}

/* exp(-s f) weighed by cost: what adaboost lowers, and what the others are after. */
static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    double sum = 0, weights = 0, cost[2];
    class_costs(loss, cost);
    for (size_t i = 0; i < rows->n; ++i) {
        const double w = (rows->weight ? (double)rows->weight[i] : 1) * cost[rows->label[i] != 0];
        sum += w * scarce__exp((rows->label[i] ? -1 : 1) * (double)rows->score[i]);
        weights += w;
    }
    return weights > 0 ? sum / weights : 0;
}

/* As if it were a negative of adaboost: exp(f). */
static void interest(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e, float *out)
{
    if (!loss->portable && scarce__cpu_avx2()) interest_avx2(rows->score + b, e - b, out + b);
    else interest_plain(rows->score + b, e - b, out + b);
}

static scarce__loss make(const char *name, const scarce__loss_params *params)
{
    const scarce__loss loss = {.name = name,
                               .needs_label = 1,
                               .params = *params,
                               .gradients = gradients,
                               .base = base,
                               .alone = alone,
                               .value = value,
                               .interest = interest,
                               .takes_costs = 1,
                               .leaves = SCARCE__LEAVES_OF_ALL,
                               .begin = begin,
                               .settle = settle,
                               .end = end};
    return loss;
}

static scarce__loss make_adaboost(const scarce__loss_params *params)
{
    scarce__loss loss = make("adaboost", params);
    loss.gamma = 2;
    loss.takes_costs = 0;
    return loss;
}

static scarce__loss make_with_costs(const char *name, const scarce__loss_params *params)
{
    scarce__loss loss = make(name, params);
    loss.params.shares = 0;
    return loss;
}

#define WITH_COSTS(id, text)                                                                                 \
    static scarce__loss make_##id(const scarce__loss_params *params)                                         \
    {                                                                                                        \
        return make_with_costs(#id, params);                                                                 \
    }                                                                                                        \
    const scarce__loss_kind scarce__loss_kind_##id = {                                                       \
        .name = #id, .summary = text, .takes = "miss_cost alarm_cost classic", .make = make_##id};

const scarce__loss_kind scarce__loss_kind_adaboost = {.name = "adaboost",
                                                      .summary =
                                                          "AdaBoost: trees vote, wrong rows count more",
                                                      .takes = "shares",
                                                      .has_link = 1,
                                                      .make = make_adaboost};
WITH_COSTS(adac1, "AdaBoost with costs inside the exponent")
WITH_COSTS(adac2, "AdaBoost with costs as a factor of every round")
WITH_COSTS(adac3, "AdaBoost with costs in both places")
WITH_COSTS(adacost, "AdaBoost whose steps depend on cost and being right")
