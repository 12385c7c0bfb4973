/* SPDX-License-Identifier: Apache-2.0 */
/* Average precision without sorting the negatives.
 *
 *     AP = (1/P) sum over distinct scores t of positives:  p_t TP_t / (TP_t + FP_t)
 *
 * needs TP_t and FP_t at the scores of positives only. With few positives: sort these, T_1 < ... < T_m, and count
 * for every row how many T_j are <= its score; FP_t is a suffix sum of these counts, less the positives
 * themselves. That is one look-up per row in a table of 4 m or more buckets, nearly all with at most one T_j.
 *
 * The bucket of x is the leading part of the bits of sign(x) (1 + |x| / s), s a small part of the mean |T|: a
 * monotone function (so wrong buckets are impossible, crowded ones merely slow), linear around 0 and
 * logarithmic further out, which suits margins and probabilities alike.
 *
 * With many positives (more than 1 in MANY) both classes are sorted and merged, because the table would no
 * longer fit the cache. With weights the first way is always taken. */
#include "eval/ap.h"

#include <math.h>

#include <scarce/metrics.h>

#include "core/alloc.h"
#include "core/context.h"
#include "eval/rank.h"

enum { MANY = 8, MIN_PART = 1 << 14, MAX_PARTS = 32, WEIGHTED_PARTS = 4, MAX_TABLE_BITS = 20, CHUNK = 1 << 16 };

typedef struct scores { /* one of the two is set */
    const double *f64;
    const float *f32;
} scores;

static double score_at(const scores *s, size_t i)
{
    return s->f64 ? s->f64[i] : (double)s->f32[i];
}

/* The scores of positives, distinct and ascending, with their weights, and the table over them. */
typedef struct steps {
    size_t m;
    double *t;   /* m, and a NaN behind: no comparison with it is true */
    double *pos; /* weight of the positives at t[j] */
    double inv;  /* 1 / s */
    int64_t lo, hi;
    int shift;
    uint32_t *start; /* bucket b holds t[start[b]] .. t[start[b+1] - 1] */
} steps;

static int64_t place_of(double x, double inv)
{
    const double y = fabs(x) * inv + 1.0;
    uint64_t u;
    memcpy(&u, &y, sizeof u);
    u -= 0x3ff0000000000000u;
    return x < 0 ? -(int64_t)u : (int64_t)u;
}

static size_t bucket_of(const steps *s, double x)
{
    int64_t p = place_of(x, s->inv);
    p = p < s->lo ? s->lo : p;
    p = p > s->hi ? s->hi : p;
    return (size_t)((uint64_t)(p - s->lo) >> s->shift);
}

static void steps_deinit(steps *s)
{
    scarce__free(s->t);
    scarce__free(s->pos);
    scarce__free(s->start);
}

static int build_table(steps *s)
{
    double sum = 0;
    int bits = 6;
    size_t n_buckets, b = 0;

    for (size_t j = 0; j < s->m; ++j) sum += fabs(s->t[j]);
    s->inv = 64.0 * (double)s->m / sum;
    if (!(s->inv >= 1e-300)) s->inv = 1; /* an infinite score among them */
    if (s->inv > 1e300) s->inv = 1e300;
    while (bits < MAX_TABLE_BITS && ((size_t)1 << bits) < 8 * s->m) ++bits;
    s->lo = place_of(s->t[0], s->inv);
    s->hi = place_of(s->t[s->m - 1], s->inv);
    s->shift = 0;
    while ((uint64_t)(s->hi - s->lo) >> s->shift >> bits) ++s->shift;
    n_buckets = bucket_of(s, s->t[s->m - 1]) + 1;
    s->start = scarce__malloc_array(n_buckets + 1, sizeof *s->start);
    if (!s->start) return 0;
    for (size_t j = 0; j < s->m; ++j) {
        const size_t at = bucket_of(s, s->t[j]);
        while (b <= at) s->start[b++] = (uint32_t)j;
    }
    while (b <= n_buckets) s->start[b++] = (uint32_t)s->m;
    return 1;
}

/* How many t[j] <= x. */
static inline size_t steps_below(const steps *s, double x)
{
    const size_t b = bucket_of(s, x);
    size_t j = s->start[b], end = s->start[b + 1];
    if (end > j + 1) {
        while (j < end) { /* the first t[j] > x */
            const size_t mid = (j + end) / 2;
            if (s->t[mid] <= x)
                j = mid + 1;
            else
                end = mid;
        }
        return j;
    }
    return j + (size_t)(x >= s->t[j]); /* an empty bucket: t[j] is in a later one, so above x */
}

/* ---- Counting rows between the steps. Counts are whole numbers: any split over threads gives the same. Sums of
 * weights aren't, so these always have the same number of parts. */
typedef struct count_job {
    const scores *score;
    const uint8_t *label;
    const double *weight;
    const steps *steps;
    size_t n, parts, n_bins;
    uint32_t *counts;
    double *weights;
    size_t nan_row[MAX_PARTS];
} count_job;

static size_t count_begin(const count_job *j, size_t part)
{
    return j->n / j->parts * part + (part < j->n % j->parts ? part : j->n % j->parts);
}

static void count_part(void *arg, size_t part, int worker)
{
    count_job *j = arg;
    const size_t begin = count_begin(j, part), end = count_begin(j, part + 1);
    uint32_t *count = j->counts + part * j->n_bins;
    const steps s = *j->steps;
    int nan = 0;
    (void)worker;
    memset(count, 0, j->n_bins * sizeof *count);
    if (j->score->f64) {
        const double *f = j->score->f64;
        for (size_t i = begin; i < end; ++i) {
            nan |= f[i] != f[i];
            ++count[steps_below(&s, f[i])];
        }
    } else {
        const float *f = j->score->f32;
        for (size_t i = begin; i < end; ++i) {
            nan |= f[i] != f[i];
            ++count[steps_below(&s, (double)f[i])];
        }
    }
    j->nan_row[part] = SIZE_MAX;
    for (size_t i = begin; nan && i < end; ++i) {
        const double x = score_at(j->score, i);
        if (x == x) continue;
        j->nan_row[part] = i;
        return;
    }
}

static void weigh_part(void *arg, size_t part, int worker)
{
    count_job *j = arg;
    const size_t end = count_begin(j, part + 1);
    double *sum = j->weights + part * j->n_bins;
    (void)worker;
    for (size_t b = 0; b < j->n_bins; ++b) sum[b] = 0;
    j->nan_row[part] = SIZE_MAX;
    for (size_t i = count_begin(j, part); i < end; ++i) {
        const double x = score_at(j->score, i);
        if (x != x && j->nan_row[part] == SIZE_MAX) j->nan_row[part] = i;
        if (!j->label[i]) sum[steps_below(j->steps, x)] += j->weight[i];
    }
}

/* ---- The sum, from the highest step down. neg[j]: weight of negatives in [t[j-1], t[j]). */
static double ap_of_steps(const steps *s, const double *neg)
{
    double tp = 0, fp = 0, ap = 0;
    for (size_t j = s->m; j-- > 0;) {
        fp += neg[j + 1];
        tp += s->pos[j];
        if (s->pos[j] > 0) ap += s->pos[j] * (tp / (tp + fp));
    }
    fp += neg[0];
    return tp > 0 && fp > 0 ? ap / tp : (double)NAN;
}

static scarce_status fail_nan(const size_t *nan_row, size_t parts, scarce_error *err)
{
    for (size_t p = 0; p < parts; ++p)
        if (nan_row[p] != SIZE_MAX)
            return scarce__fail(err, SCARCE_EDATA, "row %zu: the score is NaN", nan_row[p] + 1);
    return SCARCE_OK;
}

static scarce_status ap_by_table(double *out, const steps *s, const scores *score, const uint8_t *label,
                                 const double *weight, size_t n, scarce__pool *pool, scarce_error *err)
{
    count_job j;
    scarce_status st = SCARCE_ENOMEM;
    double *neg;

    memset(&j, 0, sizeof j);
    j.score = score;
    j.label = label;
    j.weight = weight;
    j.steps = s;
    j.n = n;
    j.n_bins = s->m + 1;
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
    st = fail_nan(j.nan_row, j.parts, err);
    if (st != SCARCE_OK) goto done;
    for (size_t b = 0; b < j.n_bins; ++b) {
        double sum = 0;
        for (size_t p = 0; p < j.parts; ++p)
            sum += weight ? j.weights[p * j.n_bins + b] : (double)j.counts[p * j.n_bins + b];
        neg[b] = sum;
        if (!weight && b > 0) neg[b] -= s->pos[b - 1]; /* the positives were counted too */
    }
    *out = ap_of_steps(s, neg);
done:
    scarce__free(neg);
    scarce__free(j.counts);
    scarce__free(j.weights);
    return st;
}

static int weighted_steps(steps *s, const double *t, const double *w, const scarce__ranking *r)
{
    size_t end = r->n_groups ? r->group_end[r->n_groups - 1] : 0;
    for (size_t g = r->n_groups; g-- > 0;) { /* the ranking descends, steps ascend */
        const size_t begin = g ? r->group_end[g - 1] : 0;
        s->t[s->m] = t[r->order[begin]];
        s->pos[s->m] = 0;
        for (size_t i = begin; i < end; ++i) s->pos[s->m] += w[r->order[i]];
        end = begin;
        ++s->m;
    }
    return 1;
}

static void plain_steps(steps *s, const uint64_t *key, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t j = i + 1;
        while (j < n && key[j] == key[i]) ++j;
        s->t[s->m] = scarce__from_ordered_bits(key[i]);
        s->pos[s->m++] = (double)(j - i);
        i = j;
    }
}

/* ---- Both classes sorted, one behind the other: pos[0..n_pos), neg[0..n_neg), ascending. */
typedef struct merge_job {
    const uint64_t *pos, *neg;
    size_t n_pos, n_neg;
    double *part;
} merge_job;

/* First index whose key is not below k. */
static size_t lower_bound(const uint64_t *key, size_t n, uint64_t k)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (key[mid] < k)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void merge_chunk(void *arg, size_t index, int worker)
{
    const merge_job *j = arg;
    /* positives [begin, end) of the ascending array, moved so that equal ones stay together */
    const size_t raw_end = (index + 1) * CHUNK < j->n_pos ? (index + 1) * CHUNK : j->n_pos;
    const size_t begin = index == 0 ? 0 : lower_bound(j->pos, j->n_pos, j->pos[index * CHUNK]);
    const size_t end = raw_end == j->n_pos ? raw_end : lower_bound(j->pos, j->n_pos, j->pos[raw_end]);
    double sum = 0;
    (void)worker;
    if (begin < end) {
        size_t b = lower_bound(j->neg, j->n_neg, j->pos[begin]); /* negatives at or above are n_neg - b */
        for (size_t i = begin; i < end;) {
            const uint64_t k = j->pos[i];
            size_t e = i + 1;
            while (e < end && j->pos[e] == k) ++e;
            while (b < j->n_neg && j->neg[b] < k) ++b;
            const double tp = (double)(j->n_pos - i), fp = (double)(j->n_neg - b);
            sum += (double)(e - i) * (tp / (tp + fp));
            i = e;
        }
    }
    j->part[index] = sum;
}

static scarce_status ap_by_merge(double *out, const scores *score, const uint8_t *label, size_t n, size_t n_pos,
                                 scarce__pool *pool, scarce_error *err)
{
    const size_t n_neg = n - n_pos, chunks = scarce__blocks(n_pos, CHUNK);
    size_t at[2] = {0, 0};
    scarce_status st = SCARCE_ENOMEM;
    double sum = 0;
    uint64_t *key = scarce__big_alloc(n, sizeof *key);
    uint64_t *tmp = scarce__big_alloc(n, sizeof *tmp);
    uint32_t *counts = scarce__malloc_array(scarce__sort_counts(pool, n), sizeof *counts);
    merge_job j = {key, NULL, n_pos, n_neg, scarce__malloc_array(chunks, sizeof *j.part)};

    if (!key || !tmp || !counts || !j.part) {
        scarce__fail_memory(err, "the average precision", n * 16);
        goto done;
    }
    j.neg = key + n_pos;
    at[0] = n_pos; /* by label, without a branch */
    for (size_t i = 0; i < n; ++i) {
        const double x = score_at(score, i);
        if (x != x) {
            st = scarce__fail(err, SCARCE_EDATA, "row %zu: the score is NaN", i + 1);
            goto done;
        }
        key[at[label[i]]++] = scarce__ordered_bits(x);
    }
    scarce__sort_keys(key, tmp, n_pos, counts, pool);
    scarce__sort_keys(key + n_pos, tmp, n_neg, counts, pool);
    scarce__pool_run(pool, chunks, merge_chunk, &j);
    for (size_t c = 0; c < chunks; ++c) sum += j.part[c];
    *out = sum / (double)n_pos;
    st = SCARCE_OK;
done:
    scarce__free(key);
    scarce__free(tmp);
    scarce__free(counts);
    scarce__free(j.part);
    return st;
}

static size_t count_positives(const uint8_t *label, size_t n)
{
    size_t p = 0;
    for (size_t i = 0; i < n; ++i) p += label[i];
    return p;
}

static scarce_status make_steps(steps *s, const scores *score, const uint8_t *label, const double *weight, size_t n,
                                size_t n_pos, scarce__pool *pool, scarce_error *err)
{
    scarce_status st = SCARCE_ENOMEM;
    uint64_t *key = scarce__malloc_array(2 * n_pos, sizeof *key); /* the second half: room to sort, or weights */
    uint32_t *counts = scarce__malloc_array(scarce__sort_counts(pool, n_pos), sizeof *counts);
    double *t = scarce__malloc_array(2 * n_pos, sizeof *t);
    scarce__ranking r = {0, 0, NULL, NULL};
    size_t k = 0;

    memset(s, 0, sizeof *s);
    s->t = scarce__malloc_array(n_pos + 1, sizeof *s->t);
    s->pos = scarce__malloc_array(n_pos + 1, sizeof *s->pos);
    if (!key || !counts || !t || !s->t || !s->pos) goto done;
    for (size_t i = 0; i < n && k < n_pos; ++i) {
        uint64_t eight;
        if (i + 8 <= n && (memcpy(&eight, label + i, 8), eight == 0)) { /* positives are rare: skip fast */
            i += 7;
            continue;
        }
        if (!label[i]) continue;
        t[k] = score_at(score, i);
        if (t[k] != t[k]) {
            st = scarce__fail(err, SCARCE_EDATA, "row %zu: the score is NaN", i + 1);
            goto done;
        }
        if (weight) t[n_pos + k] = weight[i];
        key[k] = scarce__ordered_bits(t[k]);
        ++k;
    }
    if (weight) {
        st = scarce__rank(&r, t, n_pos, "score", pool, err);
        if (st != SCARCE_OK) goto done;
        weighted_steps(s, t, t + n_pos, &r);
    } else {
        scarce__sort_keys(key, key + n_pos, n_pos, counts, pool);
        plain_steps(s, key, n_pos);
    }
    s->t[s->m] = NAN;
    st = build_table(s) ? SCARCE_OK : SCARCE_ENOMEM;
done:
    if (st == SCARCE_ENOMEM) scarce__fail_memory(err, "the average precision", 0);
    scarce__free(key);
    scarce__free(counts);
    scarce__free(t);
    scarce__ranking_deinit(&r);
    return st;
}

static scarce_status ap_of(double *out, const scores *score, const uint8_t *label, const double *weight, size_t n,
                           scarce__pool *pool, scarce_error *err)
{
    const size_t n_pos = count_positives(label, n);
    steps s;
    scarce_status st;

    *out = NAN;
    if (n >= UINT32_MAX - 1) return scarce__fail(err, SCARCE_EINVAL, "%zu rows are too many to rank at once", n);
    if (n_pos == 0 || n_pos == n) { /* undefined, but a NaN is still an error */
        for (size_t i = 0; i < n; ++i)
            if (isnan(score_at(score, i)))
                return scarce__fail(err, SCARCE_EDATA, "row %zu: the score is NaN", i + 1);
        return SCARCE_OK;
    }
    if (!weight && n_pos > n / MANY && n > 4096) return ap_by_merge(out, score, label, n, n_pos, pool, err);
    st = make_steps(&s, score, label, weight, n, n_pos, pool, err);
    if (st == SCARCE_OK) st = ap_by_table(out, &s, score, label, weight, n, pool, err);
    steps_deinit(&s);
    return st;
}

scarce_status scarce__ap_fast(double *out, const double *score, const uint8_t *label, const double *weight,
                              size_t n, scarce__pool *pool, scarce_error *err)
{
    const scores s = {score, NULL};
    return ap_of(out, &s, label, weight, n, pool, err);
}

scarce_status scarce__ap_fast_f32(double *out, const float *score, const uint8_t *label, const double *weight,
                                  size_t n, scarce__pool *pool, scarce_error *err)
{
    const scores s = {NULL, score};
    return ap_of(out, &s, label, weight, n, pool, err);
}

scarce_status scarce_average_precision(double *out, const double *score, const uint8_t *label, const double *weight,
                                       size_t n, scarce_context *ctx, scarce_error *err)
{
    *out = NAN;
    if (n > 0 && (!score || !label)) return scarce__fail(err, SCARCE_EINVAL, "scores and labels are needed");
    for (size_t i = 0; i < n; ++i)
        if (label[i] > 1)
            return scarce__fail(err, SCARCE_EDATA, "row %zu: label %d, expected 0 or 1", i + 1, (int)label[i]);
    for (size_t i = 0; weight && i < n; ++i)
        if (!(weight[i] >= 0) || isinf(weight[i]))
            return scarce__fail(err, SCARCE_EDATA, "row %zu: weight %g, expected 0 or more", i + 1, weight[i]);
    return scarce__ap_fast(out, score, label, weight, n, scarce__context_pool(ctx), err);
}
