/* SPDX-License-Identifier: Apache-2.0 */
/* All metrics from one sort.
 *
 * The ranking is walked once from the top, a group of equal scores at a time; after each group the weights of
 * positives and negatives so far (TP, FP) give a point of every curve. What needs no order (counts at a
 * threshold, probabilities) is summed in the order of the rows, in blocks whose sums are added in
 * order, so that any number of threads gives the same bits.
 *
 * Both walks take a number of copies per row: a bootstrap replicate is the same walk with other numbers. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/elementary.h"
#include "core/options.h"
#include "eval/metrics_internal.h"
#include "eval/names.h"

enum { BLOCK = 1 << 15 };

void scarce__metrics_clear(scarce_metrics *m)
{
    m->struct_size = sizeof *m;
    for (size_t i = 0; i < scarce_metric_count(); ++i) scarce__metric_set(m, i, (double)NAN);
}

/* ---- Inputs. */
scarce_status scarce__scored_check(const scarce_scored *in, scarce_error *err)
{
    const size_t n = in->n;
    if (n >= UINT32_MAX - 1)
        return scarce__fail(err, SCARCE_EINVAL, "%zu rows are too many to rank at once", n);
    if (n > 0 && (!in->score || !in->label))
        return scarce__fail(err, SCARCE_EINVAL, "scores and labels are needed");
    for (size_t i = 0; i < n; ++i)
        if (in->label[i] > 1)
            return scarce__fail(err, SCARCE_EDATA, "row %zu: label %d, expected 0 or 1", i + 1,
                                (int)in->label[i]);
    for (size_t i = 0; in->weight && i < n; ++i)
        if (!(in->weight[i] >= 0) || isinf(in->weight[i]))
            return scarce__fail(err, SCARCE_EDATA, "row %zu: weight %g, expected 0 or more", i + 1,
                                in->weight[i]);
    for (size_t i = 0; in->probability && i < n; ++i)
        if (!(in->probability[i] >= 0 && in->probability[i] <= 1))
            return scarce__fail(err, SCARCE_EDATA, "row %zu: probability %g, expected 0 to 1", i + 1,
                                in->probability[i]);
    for (size_t i = 0; in->amount && i < n; ++i)
        if (!(in->amount[i] >= 0) || isinf(in->amount[i]))
            return scarce__fail(err, SCARCE_EDATA, "row %zu: amount %g, expected 0 or more", i + 1,
                                in->amount[i]);
    for (size_t i = 0; in->group && i < n; ++i)
        if (in->group[i] < 0)
            return scarce__fail(err, SCARCE_EDATA, "row %zu: group %d, expected 0 or more", i + 1,
                                (int)in->group[i]);
    return SCARCE_OK;
}

scarce_status scarce__metrics_options(scarce_metrics_options *out, const scarce_metrics_options *given,
                                      scarce_error *err)
{
    const scarce_metrics_options defaults = SCARCE_METRICS_OPTIONS_INIT;
    *out = defaults;
    SCARCE__TRY(SCARCE__OPTIONS(out, given, SCARCE_METRICS_OPTIONS_INIT, err));
    if (out->k < 1) return scarce__fail(err, SCARCE_EINVAL, "k is %g, must be 1 or more", out->k);
    if (out->k_share < 0 || out->k_share > 1)
        return scarce__fail(err, SCARCE_EINVAL, "k_share is %g, must be between 0 and 1", out->k_share);
    if (!(out->beta > 0) || isinf(out->beta))
        return scarce__fail(err, SCARCE_EINVAL, "beta is %g, must be above 0", out->beta);
    if (out->cost < 0 || isinf(out->cost))
        return scarce__fail(err, SCARCE_EINVAL, "cost is %g, must be 0 or more", out->cost);
    if (out->ece_bins < 1 || out->ece_bins > 65535)
        return scarce__fail(err, SCARCE_EINVAL, "ece_bins is %d, must be 1 to 65535", out->ece_bins);
    if (!(out->card_k >= 1))
        return scarce__fail(err, SCARCE_EINVAL, "card_k is %g, must be 1 or more", out->card_k);
    if (!(out->day_length > 0) || isinf(out->day_length))
        return scarce__fail(err, SCARCE_EINVAL, "day_length is %g, must be above 0", out->day_length);
    if ((int)out->threshold_on < SCARCE_THRESHOLD_ON_AUTO ||
        out->threshold_on > SCARCE_THRESHOLD_ON_PROBABILITY)
        return scarce__fail(err, SCARCE_EINVAL, "threshold_on is %d, which is none of its values",
                            (int)out->threshold_on);
    return SCARCE_OK;
}

/* ---- The head of the ranking. */
void scarce__head_add(scarce__head *h, const scarce_scored *in, const uint32_t *order, const uint32_t *times,
                      size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        const size_t row = order ? order[i] : i;
        const double copies = times ? (double)times[row] : 1.0;
        const double w = in->weight ? copies * in->weight[row] : copies;
        h->rows += copies;
        if (in->label[row]) {
            h->pos += w;
            if (in->amount) h->amount += w * in->amount[row];
        } else {
            h->neg += w;
        }
    }
}

scarce__head scarce__head_at(const scarce__head *a, const scarce__head *b, double k)
{
    const double part = b->rows > a->rows ? (k - a->rows) / (b->rows - a->rows) : 0;
    scarce__head h = *b;
    if (part < 1) {
        h.rows = k;
        h.pos = a->pos + part * (b->pos - a->pos);
        h.neg = a->neg + part * (b->neg - a->neg);
        h.amount = a->amount + part * (b->amount - a->amount);
    }
    return h;
}

/* Area between two points of the precision-recall curve, times P: along the way FP grows linearly with TP
 * (Davis & Goadrich), fp = h tp + b, so the precision is tp / (a tp + b), a = 1 + h. */
static double interpolated_area(const scarce__head *from, const scarce__head *to)
{
    const double dp = to->pos - from->pos;
    if (!(dp > 0)) return 0;
    const double h = (to->neg - from->neg) / dp, a = 1 + h, b = from->neg - h * from->pos;
    const double start = from->pos + from->neg, end = to->pos + to->neg; /* a tp + b at both ends */
    if (start <= 0 || fabs(b) < 1e-12 * end) return dp / a;
    return dp / a - b / (a * a) * scarce__ln(end / start);
}

typedef struct totals {
    double rows, n_pos, pos, neg;
} totals;

static totals totals_of(const scarce_scored *in, const uint32_t *times)
{
    totals t = {0, 0, 0, 0};
    for (size_t i = 0; i < in->n; ++i) {
        const double copies = times ? (double)times[i] : 1.0;
        const double w = in->weight ? copies * in->weight[i] : copies;
        t.rows += copies;
        if (in->label[i]) {
            t.n_pos += copies;
            t.pos += w;
        } else {
            t.neg += w;
        }
    }
    return t;
}

static double k_of(const scarce_metrics_options *o, const totals *t)
{
    double k = t->n_pos;
    if (!isnan(o->k)) k = floor(o->k + 0.5);
    else if (!isnan(o->k_share)) k = fmax(1, floor(o->k_share * t->rows + 0.5));
    return k < t->rows ? k : t->rows;
}

static void set_at_k(scarce_metrics *m, const scarce__head *h, double positives, int has_amount)
{
    if (h->pos + h->neg > 0) m->precision_at_k = h->pos / (h->pos + h->neg);
    m->recall_at_k = h->pos / positives;
    if (has_amount) m->amount_recovered_at_k = h->amount;
}

void scarce__metrics_of_order(scarce_metrics *m, const scarce_scored *in, const scarce__ranking *r,
                              const uint32_t *order, const uint32_t *times, const scarce_metrics_options *o)
{
    const totals t = totals_of(in, times);
    scarce__head h = {0, 0, 0, 0};
    double ap = 0, pairs = 0, area = 0, at_top = 0, f1 = -1, g2 = -1;
    size_t f1_group = 0, g_group = 0, begin = 0;
    int at_k = 0;

    m->rows = t.rows;
    m->positives = t.n_pos;
    m->k = k_of(o, &t);
    if (!(t.pos > 0) || !(t.neg > 0)) return;
    for (size_t g = 0; g < r->n_groups; ++g) {
        const scarce__head was = h;
        scarce__head_add(&h, in, order, times, begin, r->group_end[g]);
        begin = r->group_end[g];
        const double dp = h.pos - was.pos, dn = h.neg - was.neg;
        if (dp > 0) {
            const double f = 2 * h.pos / (h.pos + h.neg + t.pos);
            const double both = (h.pos / t.pos) * (fmax(t.neg - h.neg, 0) / t.neg);
            ap += dp * (h.pos / (h.pos + h.neg));
            area += interpolated_area(&was, &h);
            if (f > f1) f1 = f, f1_group = g;
            if (both > g2) g2 = both, g_group = g;
        }
        pairs += dn * (was.pos + 0.5 * dp);
        if (h.neg == 0) at_top = h.pos;
        if (!at_k && m->k > 0 && h.rows >= m->k) {
            const scarce__head cut = scarce__head_at(&was, &h, m->k);
            set_at_k(m, &cut, t.pos, in->amount != NULL);
            at_k = 1;
        }
    }
    m->ap = ap / t.pos;
    m->aucpr = area / t.pos;
    m->auc_roc = pairs / (t.pos * t.neg);
    m->pos_at_top = at_top / t.pos;
    m->f1_best = f1;
    m->g_mean_best = sqrt(g2);
    const uint32_t f1_row = r->group_end[f1_group] - 1, g_row = r->group_end[g_group] - 1;
    m->f1_best_threshold = in->score[order ? order[f1_row] : f1_row];
    m->g_mean_best_threshold = in->score[order ? order[g_row] : g_row];
}

/* ---- Facts about rows. */
typedef struct facts_job {
    const scarce_scored *in;
    scarce__facts *facts;
    int bins;
} facts_job;

static void fill_facts(void *arg, size_t block, int worker)
{
    const facts_job *j = arg;
    const size_t begin = block * BLOCK, end = begin + BLOCK < j->in->n ? begin + BLOCK : j->in->n;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        double p = j->in->probability[i];
        const int bin = (int)(p * j->bins);
        j->facts->ece_bin[i] = (uint16_t)(bin < j->bins ? bin : j->bins - 1);
        p = p < DBL_EPSILON ? DBL_EPSILON : p > 1 - DBL_EPSILON ? 1 - DBL_EPSILON : p;
        j->facts->loss[i] = -scarce__ln(j->in->label[i] ? p : 1 - p);
    }
}

scarce_status scarce__facts_init(scarce__facts *f, const scarce_scored *in, const scarce_metrics_options *o,
                                 double f1_best_threshold, scarce__pool *pool, scarce_error *err)
{
    int on_probability = o->threshold_on == SCARCE_THRESHOLD_ON_PROBABILITY;
    facts_job j = {in, f, o->ece_bins};

    memset(f, 0, sizeof *f);
    if (on_probability && !in->probability)
        return scarce__fail(err, SCARCE_EINVAL,
                            "a threshold on probabilities, but there are no probabilities");
    f->alert = o->alert;
    f->threshold = o->threshold;
    if (o->alert) f->threshold = (double)NAN;
    else if (isnan(o->threshold)) {
        if (o->threshold_on == SCARCE_THRESHOLD_ON_AUTO) on_probability = in->probability != NULL;
        f->threshold = on_probability ? 0.5 : f1_best_threshold;
    }
    f->against = on_probability ? in->probability : in->score;
    if (!in->probability) return SCARCE_OK;
    f->loss = scarce__big_alloc(in->n, sizeof *f->loss);
    f->ece_bin = scarce__malloc_array(in->n, sizeof *f->ece_bin);
    if (!f->loss || !f->ece_bin) {
        scarce__facts_deinit(f);
        return scarce__fail_memory(err, "the metrics of probabilities", in->n * 10);
    }
    scarce__pool_run(pool, scarce__blocks(in->n, BLOCK), fill_facts, &j);
    return SCARCE_OK;
}

void scarce__facts_deinit(scarce__facts *f)
{
    scarce__free(f->loss);
    scarce__free(f->ece_bin);
    memset(f, 0, sizeof *f);
}

/* ---- Sums over rows, per block: these, then three per bin of the ece. */
enum { TP, FP, TN, FN, MISSED, SQUARE_POS, SQUARE_NEG, DIFF_POS, DIFF_NEG, LOSS, N_SUMS };

typedef struct rows_job {
    const scarce_scored *in;
    const scarce__facts *f;
    const uint32_t *times;
    double *room;
    size_t stride;
} rows_job;

size_t scarce__metrics_room(size_t n, const scarce_metrics_options *o)
{
    return scarce__blocks(n, BLOCK) * (N_SUMS + 3 * (size_t)o->ece_bins);
}

static void sum_probability(double *s, const rows_job *j, size_t i, double w)
{
    const double p = j->in->probability[i], y = j->in->label[i] ? 1.0 : 0.0;
    double *bin = s + N_SUMS + 3 * (size_t)j->f->ece_bin[i];
    s[y > 0 ? SQUARE_POS : SQUARE_NEG] += w * (p - y) * (p - y);
    s[y > 0 ? DIFF_POS : DIFF_NEG] += w * (p - y);
    s[LOSS] += w * j->f->loss[i];
    bin[0] += w;
    bin[1] += w * p;
    bin[2] += w * y;
}

static void sum_block(void *arg, size_t block, int worker)
{
    const rows_job *j = arg;
    const scarce_scored *in = j->in;
    const size_t begin = block * BLOCK, end = begin + BLOCK < in->n ? begin + BLOCK : in->n;
    double *s = j->room + block * j->stride;
    (void)worker;
    for (size_t b = 0; b < j->stride; ++b) s[b] = 0;
    for (size_t i = begin; i < end; ++i) {
        const double copies = j->times ? (double)j->times[i] : 1.0;
        const double w = in->weight ? copies * in->weight[i] : copies;
        const int alert = scarce__is_alert(j->f, i);
        s[in->label[i] ? (alert ? TP : FN) : (alert ? FP : TN)] += w;
        if (in->label[i] && !alert) s[MISSED] += in->amount ? w * in->amount[i] : w;
        if (in->probability) sum_probability(s, j, i, w);
    }
}

/* Without positives, negatives or alerts the quotients 0/0 are the NaN we want. */
static void set_at_threshold(scarce_metrics *m, const double *s, const scarce_metrics_options *o)
{
    const double tp = s[TP], fp = s[FP], tn = s[TN], fn = s[FN], b2 = o->beta * o->beta;
    const double factors = sqrt(tp + fp) * sqrt(tp + fn) * sqrt(tn + fp) * sqrt(tn + fn);
    m->tp = tp;
    m->fp = fp;
    m->tn = tn;
    m->fn = fn;
    m->accuracy = (tp + tn) / (tp + fp + tn + fn);
    m->precision = tp / (tp + fp);
    if (!isnan(o->cost)) m->cost = s[MISSED] + o->cost * (tp + fp);
    if (tn + fp > 0) {
        m->tnr = tn / (tn + fp);
        m->fpr = fp / (tn + fp);
    }
    if (!(tp + fn > 0)) return;
    m->recall = tp / (tp + fn);
    m->fnr = fn / (tp + fn);
    m->f1 = 2 * tp / (2 * tp + fn + fp);
    m->f_beta = (1 + b2) * tp / ((1 + b2) * tp + b2 * fn + fp);
    m->g_measure = tp > 0 ? tp / sqrt((tp + fp) * (tp + fn)) : 0;
    if (!(tn + fp > 0)) return;
    m->g_mean = sqrt(m->recall * m->tnr);
    m->balanced_accuracy = (m->recall + m->tnr) / 2;
    m->mcc = factors > 0 ? (tp * tn - fp * fn) / factors : 0;
}

static void set_of_probability(scarce_metrics *m, const double *s, const scarce_metrics_options *o)
{
    const double pos = s[TP] + s[FN], neg = s[FP] + s[TN], all = pos + neg;
    double ece = 0;
    m->brier = (s[SQUARE_POS] + s[SQUARE_NEG]) / all;
    m->brier_pos = s[SQUARE_POS] / pos;
    m->brier_neg = s[SQUARE_NEG] / neg;
    m->bias = (s[DIFF_POS] + s[DIFF_NEG]) / all;
    m->bias_pos = s[DIFF_POS] / pos;
    m->bias_neg = s[DIFF_NEG] / neg;
    m->log_loss = s[LOSS] / all;
    for (int b = 0; b < o->ece_bins; ++b) {
        const double *bin = s + N_SUMS + 3 * b;
        ece += fabs(bin[1] - bin[2]);
    }
    m->ece = ece / all;
}

void scarce__metrics_of_rows(scarce_metrics *m, const scarce_scored *in, const scarce__facts *f,
                             const uint32_t *times, const scarce_metrics_options *o, double *room,
                             scarce__pool *pool)
{
    const size_t stride = N_SUMS + 3 * (size_t)o->ece_bins, blocks = scarce__blocks(in->n, BLOCK);
    rows_job j = {in, f, times, room, stride};

    m->threshold = f->threshold;
    if (blocks == 0) return;
    scarce__pool_run(pool, blocks, sum_block, &j);
    for (size_t b = 1; b < blocks; ++b)
        for (size_t i = 0; i < stride; ++i) room[i] += room[b * stride + i];
    /* without any threshold (no best f1 because a class is missing) nothing can be counted */
    if (f->alert || !isnan(f->threshold)) set_at_threshold(m, room, o);
    if (in->probability) set_of_probability(m, room, o);
}

scarce_status scarce_metrics_compute(scarce_metrics *out, const scarce_scored *in,
                                     const scarce_metrics_options *options, scarce_context *ctx,
                                     scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    scarce_metrics_options o;
    scarce__ranking r = {0, 0, NULL, NULL};
    scarce__facts f = {NULL, 0, NULL, NULL, NULL};
    scarce_metrics m = SCARCE_METRICS_INIT;
    double *room = NULL;
    scarce_status st;

    SCARCE__TRY(SCARCE__FILLED_CHECK(out, SCARCE_METRICS_INIT, err));
    scarce__metrics_clear(&m);
    SCARCE__FILL(out, &m);
    SCARCE__TRY(scarce__metrics_options(&o, options, err));
    SCARCE__TRY(scarce__scored_check(in, err));
    st = scarce__rank(&r, in->score, in->n, "score", pool, err);
    if (st != SCARCE_OK) goto done;
    scarce__metrics_of_order(&m, in, &r, r.order, NULL, &o);
    scarce__ranking_deinit(&r);

    st = scarce__facts_init(&f, in, &o, m.f1_best_threshold, pool, err);
    if (st != SCARCE_OK) goto done;
    room = scarce__malloc_array(scarce__metrics_room(in->n, &o), sizeof *room);
    if (!room) {
        st = scarce__fail_memory(err, "the metrics", 0);
        goto done;
    }
    scarce__metrics_of_rows(&m, in, &f, NULL, &o, room, pool);
    st = scarce__card_precision(&m.card_precision_at_k, in, &o, pool, err);
    if (st == SCARCE_OK) SCARCE__FILL(out, &m);
done:
    scarce__ranking_deinit(&r);
    scarce__facts_deinit(&f);
    scarce__free(room);
    return st;
}
