/* SPDX-License-Identifier: Apache-2.0 */
/* Average precision when positives are many: both classes are sorted, but never far from the cache.
 *
 * Splitters from a sample cut the scores into pieces of some thousand rows. One pass says which piece a row
 * is in, one moves the keys there, positives and negatives apart. Then every piece knows how many positives
 * and negatives lie above it, sorts its own two lists and merges them:
 *
 *     piece's part of P * AP = sum over its distinct positive scores t of  p_t TP_t / (TP_t + FP_t).
 *
 * The pieces depend on the data alone and their parts are added in order: the same bits for any number of
 * threads. */
#include <math.h>

#include "core/alloc.h"
#include "eval/ap_internal.h"
#include "eval/rank.h"
#include "eval/steps.h"

enum { SAMPLE = 16384, MOST_SPLITTERS = 1023, PIECE = 8192, MIN_PART = 1 << 15, MAX_PARTS = 64 };

typedef struct many_job {
    const scarce__scores *score;
    const uint8_t *label;
    size_t n, parts, n_bins; /* a bin is a piece and a class: 2 * piece + label */
    scarce__steps steps;
    uint16_t *bin;    /* of every row */
    uint32_t *counts; /* [part][bin]: first how many, then where the next one goes */
    uint32_t *begin;  /* of every bin in key, and the end */
    uint64_t *key;
    uint64_t *tmp;          /* per worker: room for the largest bin */
    uint32_t *digit_counts; /* per worker */
    size_t tmp_each, digits_each;
    double *sum; /* of every piece */
    size_t nan_row[MAX_PARTS];
} many_job;

static void find_bins(void *arg, size_t part, int worker)
{
    many_job *j = arg;
    const size_t begin = scarce__part_begin(j->n, j->parts, part),
                 end = scarce__part_begin(j->n, j->parts, part + 1);
    const scarce__steps s = j->steps;
    uint32_t *count = j->counts + part * j->n_bins;
    int nan = 0;
    (void)worker;
    memset(count, 0, j->n_bins * sizeof *count);
    for (size_t i = begin; i < end; ++i) {
        const double x = scarce__score_at(j->score, i);
        const size_t b = 2 * scarce__steps_below(&s, x) + j->label[i];
        nan |= x != x;
        j->bin[i] = (uint16_t)b;
        ++count[b];
    }
    j->nan_row[part] = SIZE_MAX;
    for (size_t i = begin; nan && i < end; ++i) {
        if (!isnan(scarce__score_at(j->score, i))) continue;
        j->nan_row[part] = i;
        return;
    }
}

static void move_keys(void *arg, size_t part, int worker)
{
    const many_job *j = arg;
    const size_t end = scarce__part_begin(j->n, j->parts, part + 1);
    uint32_t *next = j->counts + part * j->n_bins;
    (void)worker;
    for (size_t i = scarce__part_begin(j->n, j->parts, part); i < end; ++i)
        j->key[next[j->bin[i]]++] = scarce__ordered_bits(scarce__score_at(j->score, i));
}

/* Where every bin, and every part's share of it, begins. Returns the size of the largest. */
static size_t place_bins(many_job *j)
{
    uint32_t next = 0, largest = 0;
    for (size_t b = 0; b < j->n_bins; ++b) {
        j->begin[b] = next;
        for (size_t part = 0; part < j->parts; ++part) {
            const uint32_t count = j->counts[part * j->n_bins + b];
            j->counts[part * j->n_bins + b] = next;
            next += count;
        }
        if (next - j->begin[b] > largest) largest = next - j->begin[b];
    }
    j->begin[j->n_bins] = next;
    return largest;
}

/* tp, fp: rows at or above the lowest row of the piece. Both lists ascend. */
static double merge(const uint64_t *pos, size_t n_pos, const uint64_t *neg, size_t n_neg, double tp,
                    double fp)
{
    double sum = 0;
    size_t b = 0;
    for (size_t i = 0; i < n_pos;) {
        const uint64_t k = pos[i];
        size_t e = i + 1;
        while (e < n_pos && pos[e] == k) ++e;
        while (b < n_neg && neg[b] < k) ++b;
        const double t = tp - (double)i, f = fp - (double)b;
        sum += (double)(e - i) * (t / (t + f));
        i = e;
    }
    return sum;
}

static void sum_piece(void *arg, size_t piece, int worker)
{
    const many_job *j = arg;
    const uint32_t *begin = j->begin + 2 * piece;
    uint64_t *tmp = j->tmp + (size_t)worker * j->tmp_each;
    uint32_t *digits = j->digit_counts + (size_t)worker * j->digits_each;
    uint64_t *neg = j->key + begin[0], *pos = j->key + begin[1];
    const size_t n_neg = begin[1] - begin[0], n_pos = begin[2] - begin[1];
    double above = 0; /* positives in higher pieces */

    j->sum[piece] = 0;
    if (n_pos == 0) return;
    for (size_t p = piece + 1; p < j->n_bins / 2; ++p) above += j->begin[2 * p + 2] - j->begin[2 * p + 1];
    const double rows = (double)(j->n - begin[0]), tp = above + (double)n_pos;
    scarce__sort_keys(pos, tmp, n_pos, digits, NULL);
    scarce__sort_keys(neg, tmp, n_neg, digits, NULL);
    j->sum[piece] = merge(pos, n_pos, neg, n_neg, tp, rows - tp);
}

/* Distinct, ascending, evenly spread over a sample of the rows. NaNs in it are left to find_bins. */
static int choose_splitters(many_job *j)
{
    const size_t size = j->n < SAMPLE ? j->n : SAMPLE;
    size_t wanted = j->n / PIECE, m = 0;
    uint64_t *key = scarce__malloc_array(2 * size, sizeof *key);
    uint32_t *counts = scarce__malloc_array(scarce__sort_counts(NULL, size), sizeof *counts);
    double *t;
    int ok = 0;

    if (wanted > MOST_SPLITTERS) wanted = MOST_SPLITTERS;
    if (wanted < 1) wanted = 1;
    t = scarce__malloc_array(wanted + 1, sizeof *t);
    if (key && counts && t) {
        for (size_t i = 0; i < size; ++i) {
            const double x = scarce__score_at(j->score, (size_t)((double)i / (double)size * (double)j->n));
            key[i] = scarce__ordered_bits(isnan(x) ? 0 : x);
        }
        scarce__sort_keys(key, key + size, size, counts, NULL);
        for (size_t i = 0; i < wanted; ++i) {
            const double x = scarce__from_ordered_bits(key[(i + 1) * size / (wanted + 1)]);
            if (m == 0 || x > t[m - 1]) t[m++] = x;
        }
        ok = scarce__steps_init(&j->steps, t, m);
        t = NULL;
    }
    scarce__free(key);
    scarce__free(counts);
    scarce__free(t);
    return ok;
}

static int allocate(many_job *j)
{
    j->bin = scarce__big_alloc(j->n, sizeof *j->bin);
    j->key = scarce__big_alloc(j->n, sizeof *j->key);
    j->counts = scarce__malloc_array(j->parts * j->n_bins, sizeof *j->counts);
    j->begin = scarce__malloc_array(j->n_bins + 1, sizeof *j->begin);
    j->sum = scarce__malloc_array(j->n_bins / 2, sizeof *j->sum);
    return j->bin && j->key && j->counts && j->begin && j->sum;
}

static int allocate_rooms(many_job *j, size_t largest, size_t workers)
{
    j->tmp_each = largest;
    j->digits_each = scarce__sort_counts(NULL, largest);
    j->tmp = scarce__malloc_array(j->tmp_each * workers, sizeof *j->tmp);
    j->digit_counts = scarce__malloc_array(j->digits_each * workers, sizeof *j->digit_counts);
    return j->tmp && j->digit_counts;
}

scarce_status scarce__ap_many(double *out, const scarce__scores *score, const uint8_t *label, size_t n,
                              size_t n_pos, scarce__pool *pool, scarce_error *err)
{
    const size_t threads = (size_t)scarce__pool_threads(pool);
    scarce_status st = SCARCE_ENOMEM;
    double sum = 0;
    many_job j;

    memset(&j, 0, sizeof j);
    j.score = score;
    j.label = label;
    j.n = n;
    j.parts = threads == 1 ? 1 : threads * 2;
    if (j.parts > MAX_PARTS) j.parts = MAX_PARTS;
    if (j.parts > n / MIN_PART) j.parts = n / MIN_PART ? n / MIN_PART : 1;
    if (!choose_splitters(&j)) goto done;
    j.n_bins = 2 * (j.steps.m + 1);
    if (!allocate(&j)) goto done;
    scarce__pool_run(pool, j.parts, find_bins, &j);
    for (size_t p = 0; p < j.parts; ++p)
        if (j.nan_row[p] != SIZE_MAX) {
            st = scarce__fail_nan_score(j.nan_row[p], err);
            goto done;
        }
    if (!allocate_rooms(&j, place_bins(&j), threads)) goto done;
    scarce__pool_run(pool, j.parts, move_keys, &j);
    scarce__pool_run(pool, j.n_bins / 2, sum_piece, &j);
    for (size_t p = j.n_bins / 2; p-- > 0;) sum += j.sum[p];
    *out = sum / (double)n_pos;
    st = SCARCE_OK;
done:
    if (st == SCARCE_ENOMEM) scarce__fail_memory(err, "the average precision", n * 10);
    scarce__steps_deinit(&j.steps);
    scarce__free(j.bin);
    scarce__free(j.key);
    scarce__free(j.counts);
    scarce__free(j.begin);
    scarce__free(j.sum);
    scarce__free(j.tmp);
    scarce__free(j.digit_counts);
    return st;
}
