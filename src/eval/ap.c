/* SPDX-License-Identifier: Apache-2.0 */
/* Average precision without sorting the negatives.
 *
 *     AP = (1/P) sum over distinct scores t of positives:  p_t TP_t / (TP_t + FP_t)
 *
 * needs TP_t and FP_t at the scores of positives only. With few positives: sort these, t_1 < ... < t_m, and
 * count for every row how many t_j are <= its score (steps.h); FP_t is a suffix sum of these counts, less the
 * positives themselves. One look-up per row, about 3 ns. With weights this way is always taken.
 *
 * With many positives the table no longer fits the cache: see ap_many.c. */
#include "eval/ap.h"

#include <math.h>

#include <scarce/metrics.h>

#include "core/alloc.h"
#include "core/context.h"
#include "eval/ap_internal.h"
#include "eval/rank.h"
#include "eval/steps.h"

enum { MIN_PART = 1 << 14, MAX_PARTS = 32, WEIGHTED_PARTS = 4 };
/* Measured: below these the table is faster. */
enum { MANY_POSITIVES = 150000, MANY_SHARE = 8, SMALL = 4096 };

/* The scores of positives with their weights. */
typedef struct hits {
    scarce__steps steps;
    double *pos; /* weight of the positives at t[j] */
} hits;

/* ---- Counting rows between the steps. Counts are whole numbers: any split over threads gives the same. Sums
 * of weights aren't, so these always have the same number of parts. */
typedef struct count_job {
    const scarce__scores *score;
    const uint8_t *label;
    const double *weight;
    const scarce__steps *steps;
    size_t n, parts, n_bins;
    uint32_t *counts;
    double *weights;
    size_t nan_row[MAX_PARTS];
} count_job;

static void count_part(void *arg, size_t part, int worker)
{
    count_job *j = arg;
    const size_t begin = scarce__part_begin(j->n, j->parts, part),
                 end = scarce__part_begin(j->n, j->parts, part + 1);
    uint32_t *count = j->counts + part * j->n_bins;
    const scarce__steps s = *j->steps;
    int nan = 0;
    (void)worker;
    memset(count, 0, j->n_bins * sizeof *count);
    if (j->score->f64) {
        const double *f = j->score->f64;
        for (size_t i = begin; i < end; ++i) {
            nan |= f[i] != f[i];
            ++count[scarce__steps_below(&s, f[i])];
        }
    } else {
        const float *f = j->score->f32;
        for (size_t i = begin; i < end; ++i) {
            nan |= f[i] != f[i];
            ++count[scarce__steps_below(&s, (double)f[i])];
        }
    }
    j->nan_row[part] = SIZE_MAX;
    for (size_t i = begin; nan && i < end; ++i) {
        const double x = scarce__score_at(j->score, i);
        if (x == x) continue;
        j->nan_row[part] = i;
        return;
    }
}

static void weigh_part(void *arg, size_t part, int worker)
{
    count_job *j = arg;
    const size_t end = scarce__part_begin(j->n, j->parts, part + 1);
    double *sum = j->weights + part * j->n_bins;
    (void)worker;
    for (size_t b = 0; b < j->n_bins; ++b) sum[b] = 0;
    j->nan_row[part] = SIZE_MAX;
    for (size_t i = scarce__part_begin(j->n, j->parts, part); i < end; ++i) {
        const double x = scarce__score_at(j->score, i);
        if (x != x && j->nan_row[part] == SIZE_MAX) j->nan_row[part] = i;
        if (!j->label[i]) sum[scarce__steps_below(j->steps, x)] += j->weight[i];
    }
}

/* ---- The sum, from the highest step down. neg[j]: weight of negatives in [t[j-1], t[j]). */
static double ap_of_hits(const hits *h, const double *neg)
{
    double tp = 0, fp = 0, ap = 0;
    for (size_t j = h->steps.m; j-- > 0;) {
        fp += neg[j + 1];
        tp += h->pos[j];
        if (h->pos[j] > 0) ap += h->pos[j] * (tp / (tp + fp));
    }
    fp += neg[0];
    return tp > 0 && fp > 0 ? ap / tp : (double)NAN;
}

scarce_status scarce__fail_nan_score(size_t row, scarce_error *err)
{
    return scarce__fail(err, SCARCE_EDATA, "row %zu: the score is NaN", row + 1);
}

static scarce_status check_nan(const size_t *nan_row, size_t parts, scarce_error *err)
{
    for (size_t p = 0; p < parts; ++p)
        if (nan_row[p] != SIZE_MAX) return scarce__fail_nan_score(nan_row[p], err);
    return SCARCE_OK;
}

static scarce_status ap_by_table(double *out, const hits *h, const scarce__scores *score,
                                 const uint8_t *label, const double *weight, size_t n, scarce__pool *pool,
                                 scarce_error *err)
{
    count_job j;
    scarce_status st = SCARCE_ENOMEM;
    double *neg;

    memset(&j, 0, sizeof j);
    j.score = score;
    j.label = label;
    j.weight = weight;
    j.steps = &h->steps;
    j.n = n;
    j.n_bins = h->steps.m + 1;
    j.parts = weight ? WEIGHTED_PARTS : (size_t)scarce__pool_threads(pool) * 2;
    if (j.parts > MAX_PARTS) j.parts = MAX_PARTS;
    if (j.parts > n / MIN_PART) j.parts = n / MIN_PART;
    if (j.parts == 0 || (!weight && scarce__pool_threads(pool) == 1)) j.parts = 1;

    neg = scarce__malloc_array(j.n_bins, sizeof *neg);
    j.counts = weight ? NULL : scarce__malloc_array(j.n_bins * j.parts, sizeof *j.counts);
    j.weights = weight ? scarce__malloc_array(j.n_bins * j.parts, sizeof *j.weights) : NULL;
    if (!neg || (!j.counts && !j.weights)) {
        scarce__fail_memory(err, "the average precision", 0);
        goto done;
    }
    scarce__pool_run(pool, j.parts, weight ? weigh_part : count_part, &j);
    st = check_nan(j.nan_row, j.parts, err);
    if (st != SCARCE_OK) goto done;
    for (size_t b = 0; b < j.n_bins; ++b) {
        double sum = 0;
        for (size_t p = 0; p < j.parts; ++p)
            sum += weight ? j.weights[p * j.n_bins + b] : (double)j.counts[p * j.n_bins + b];
        neg[b] = sum;
        if (!weight && b > 0) neg[b] -= h->pos[b - 1]; /* the positives were counted too */
    }
    *out = ap_of_hits(h, neg);
done:
    scarce__free(neg);
    scarce__free(j.counts);
    scarce__free(j.weights);
    return st;
}

/* Distinct scores ascending into t, their weights into pos; returns how many. */
static size_t weighted_hits(double *t, double *pos, const double *score, const double *w,
                            const scarce__ranking *r)
{
    size_t end = r->n, m = 0;
    for (size_t g = r->n_groups; g-- > 0; ++m) { /* the ranking descends */
        const size_t begin = g ? r->group_end[g - 1] : 0;
        t[m] = score[r->order[begin]];
        pos[m] = 0;
        for (size_t i = begin; i < end; ++i) pos[m] += w[r->order[i]];
        end = begin;
    }
    return m;
}

static size_t plain_hits(double *t, double *pos, const uint64_t *key, size_t n)
{
    size_t m = 0;
    for (size_t i = 0; i < n; ++m) {
        size_t j = i + 1;
        while (j < n && key[j] == key[i]) ++j;
        t[m] = scarce__from_ordered_bits(key[i]);
        pos[m] = (double)(j - i);
        i = j;
    }
    return m;
}

static size_t count_positives(const uint8_t *label, size_t n)
{
    size_t p = 0;
    for (size_t i = 0; i < n; ++i) p += label[i];
    return p;
}

/* The rows with a positive label; fast over long stretches without. */
static void list_positives(uint32_t *row, const uint8_t *label, size_t n)
{
    size_t k = 0;
    for (size_t i = 0; i < n; ++i) {
        uint64_t eight;
        if (i + 8 <= n && (memcpy(&eight, label + i, 8), eight == 0)) i += 7;
        else if (label[i]) row[k++] = (uint32_t)i;
    }
}

static scarce_status make_hits(hits *h, const scarce__scores *score, const uint8_t *label,
                               const double *weight, size_t n, size_t n_pos, scarce__pool *pool,
                               scarce_error *err)
{
    scarce_status st = SCARCE_ENOMEM;
    uint32_t *row = scarce__malloc_array(n_pos, sizeof *row);
    uint64_t *key = scarce__malloc_array(2 * n_pos, sizeof *key);                      /* and room to sort */
    double *score_pos = scarce__malloc_array(2 * n_pos, sizeof *score_pos), *w = NULL; /* and weights */
    double *t = scarce__malloc_array(n_pos + 1, sizeof *t);
    uint32_t *counts = scarce__malloc_array(scarce__sort_counts(pool, n_pos), sizeof *counts);
    scarce__ranking r = {0, 0, NULL, NULL};
    size_t m;

    h->pos = scarce__malloc_array(n_pos, sizeof *h->pos);
    if (!row || !key || !score_pos || !t || !counts || !h->pos) goto done;
    w = score_pos + n_pos;
    list_positives(row, label, n);
    for (size_t k = 0; k < n_pos; ++k) {
        score_pos[k] = scarce__score_at(score, row[k]);
        if (isnan(score_pos[k])) {
            st = scarce__fail_nan_score(row[k], err);
            goto done;
        }
        key[k] = scarce__ordered_bits(score_pos[k]);
        if (weight) w[k] = weight[row[k]];
    }
    if (weight) {
        st = scarce__rank(&r, score_pos, n_pos, "score", pool, err);
        if (st != SCARCE_OK) goto done;
        m = weighted_hits(t, h->pos, score_pos, w, &r);
    } else {
        scarce__sort_keys(key, key + n_pos, n_pos, counts, pool);
        m = plain_hits(t, h->pos, key, n_pos);
    }
    st = scarce__steps_init(&h->steps, t, m) ? SCARCE_OK : SCARCE_ENOMEM;
    t = NULL; /* the steps have it */
done:
    if (st == SCARCE_ENOMEM) scarce__fail_memory(err, "the average precision", 0);
    scarce__free(row);
    scarce__free(key);
    scarce__free(score_pos);
    scarce__free(t);
    scarce__free(counts);
    scarce__ranking_deinit(&r);
    return st;
}

static scarce_status ap_of(double *out, const scarce__scores *score, const uint8_t *label,
                           const double *weight, size_t n, scarce__pool *pool, scarce_error *err)
{
    const size_t n_pos = count_positives(label, n);
    hits h;
    scarce_status st;

    *out = NAN;
    if (n >= UINT32_MAX - 1)
        return scarce__fail(err, SCARCE_EINVAL, "%zu rows are too many to rank at once", n);
    if (n_pos == 0 || n_pos == n) { /* undefined, but a NaN is still an error */
        for (size_t i = 0; i < n; ++i)
            if (isnan(scarce__score_at(score, i))) return scarce__fail_nan_score(i, err);
        return SCARCE_OK;
    }
    if (!weight && n > SMALL && (n_pos > MANY_POSITIVES || n_pos > n / MANY_SHARE))
        return scarce__ap_many(out, score, label, n, n_pos, pool, err);
    memset(&h, 0, sizeof h);
    st = make_hits(&h, score, label, weight, n, n_pos, pool, err);
    if (st == SCARCE_OK) st = ap_by_table(out, &h, score, label, weight, n, pool, err);
    scarce__steps_deinit(&h.steps);
    scarce__free(h.pos);
    return st;
}

scarce_status scarce__ap_fast(double *out, const double *score, const uint8_t *label, const double *weight,
                              size_t n, scarce__pool *pool, scarce_error *err)
{
    const scarce__scores s = {score, NULL};
    return ap_of(out, &s, label, weight, n, pool, err);
}

scarce_status scarce__ap_fast_f32(double *out, const float *score, const uint8_t *label, const double *weight,
                                  size_t n, scarce__pool *pool, scarce_error *err)
{
    const scarce__scores s = {NULL, score};
    return ap_of(out, &s, label, weight, n, pool, err);
}

scarce_status scarce_average_precision(double *out, const double *score, const uint8_t *label,
                                       const double *weight, size_t n, scarce_context *ctx, scarce_error *err)
{
    *out = NAN;
    if (n > 0 && (!score || !label)) return scarce__fail(err, SCARCE_EINVAL, "scores and labels are needed");
    for (size_t i = 0; i < n; ++i)
        if (label[i] > 1)
            return scarce__fail(err, SCARCE_EDATA, "row %zu: label %d, expected 0 or 1", i + 1,
                                (int)label[i]);
    for (size_t i = 0; weight && i < n; ++i)
        if (!(weight[i] >= 0) || isinf(weight[i]))
            return scarce__fail(err, SCARCE_EDATA, "row %zu: weight %g, expected 0 or more", i + 1,
                                weight[i]);
    return scarce__ap_fast(out, score, label, weight, n, scarce__context_pool(ctx), err);
}
