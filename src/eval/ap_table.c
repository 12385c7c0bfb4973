/* SPDX-License-Identifier: Apache-2.0 */
/* AP at rare positives, when it is asked after every tree: the scores of the positives are sorted, t_1 < ...
 * < t_m, and every row at or above t_1 is counted at the last of them that isn't above it. Of 8 m or more
 * buckets of equal width most hold none or one, so that is a multiplication, two look-ups and a comparison
 * per row. (ap.c is for single calls and scores of any distribution.) */
#include "eval/ap_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

enum { MOST_PARTS = 8, LEAST_PART = 1 << 14, TABLES = 4 };

/* Counting rows between the scores of positives. */
struct scarce__ap_table {
    size_t n;           /* rows */
    const float *score; /* of the call */
    size_t n_pos, m;    /* positives, different scores among them */
    uint32_t *row;      /* of the positives */
    float *key;         /* their scores, then t, and a NaN behind */
    double *hits;       /* positives at t */
    float low, inverse; /* bucket of x: (x - low) inverse */
    size_t buckets, parts;
    uint32_t *start; /* bucket b holds t[start[b]] .. t[start[b + 1] - 1]; start[buckets] = m */
    uint32_t *count; /* per part, table and t */
};

void scarce__ap_table_free(scarce__ap_table *t)
{
    if (!t) return;
    scarce__free(t->row);
    scarce__free(t->key);
    scarce__free(t->hits);
    scarce__free(t->start);
    scarce__free(t->count);
    scarce__free(t);
}

scarce_status scarce__ap_table_new(scarce__ap_table **out, const uint8_t *label, size_t n, size_t n_pos,
                                   scarce__pool *pool, scarce_error *err)
{
    scarce__ap_table *t = scarce__calloc(1, sizeof *t);
    size_t k = 0;

    *out = NULL;
    if (!t) return scarce__fail_memory(err, "average precision", 0);
    t->n = n;
    t->n_pos = n_pos;
    t->buckets = 1024;
    while (t->buckets < 8 * n_pos) t->buckets *= 2;
    t->parts = (size_t)scarce__pool_threads(pool); /* whole numbers: any number of parts gives the same */
    if (t->parts > MOST_PARTS) t->parts = MOST_PARTS;
    if (t->parts > n / LEAST_PART) t->parts = n / LEAST_PART;
    if (t->parts < 1) t->parts = 1;
    t->row = scarce__malloc_array(n_pos, sizeof *t->row);
    t->key = scarce__malloc_array(n_pos + 1, sizeof *t->key);
    t->hits = scarce__malloc_array(n_pos, sizeof *t->hits);
    t->start = scarce__malloc_array(t->buckets + 1, sizeof *t->start);
    t->count = scarce__malloc_array(t->parts * TABLES * (n_pos + 1), sizeof *t->count);
    if (!t->row || !t->key || !t->hits || !t->start || !t->count) {
        scarce__ap_table_free(t);
        return scarce__fail_memory(err, "average precision", 0);
    }
    for (size_t i = 0; i < n; ++i)
        if (label[i]) t->row[k++] = (uint32_t)i;
    *out = t;
    return SCARCE_OK;
}

static int rising(const void *left, const void *right)
{
    const float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

static inline size_t bucket_of(const scarce__ap_table *t, float x)
{
    float b = (x - t->low) * t->inverse;
    b = b > 0 ? b : 0;
    return (size_t)(b < (float)(t->buckets - 1) ? b : (float)(t->buckets - 1));
}

/* t_1 < ... < t_m and their buckets. */
static void place_positives(scarce__ap_table *t, const float *score)
{
    size_t b = 0;
    for (size_t i = 0; i < t->n_pos; ++i) t->key[i] = score[t->row[i]] + 0.0f;
    qsort(t->key, t->n_pos, sizeof *t->key, rising);
    t->m = 0;
    for (size_t i = 0; i < t->n_pos; ++i) {
        if (t->m > 0 && t->key[i] <= t->key[t->m - 1]) t->hits[t->m - 1] += 1;
        else {
            t->key[t->m] = t->key[i];
            t->hits[t->m++] = 1;
        }
    }
    t->low = t->key[0];
    const float range = t->key[t->m - 1] - t->low;
    t->inverse = range > 0 ? (float)t->buckets / range : 0;
    if (!isfinite(t->inverse) || !isfinite(range)) t->inverse = 0;
    t->key[t->m] = NAN;
    for (size_t j = 0; j < t->m; ++j)
        for (const size_t at = bucket_of(t, t->key[j]); b <= at; ++b) t->start[b] = (uint32_t)j;
    for (; b <= t->buckets; ++b) t->start[b] = (uint32_t)t->m;
}

/* How many t are not above x: 0 .. m. A number in its own bucket or below is compared. */
static inline size_t steps_below(const scarce__ap_table *t, size_t bucket, float x)
{
    size_t j = t->start[bucket];
    const size_t end = t->start[bucket + 1];
    if (end > j + 1)
        while (j < end && x >= t->key[j]) ++j;
    else j += x >= t->key[j]; /* in an empty bucket t is of a later one */
    return j;
}

static void count_rows(void *arg, size_t part, int worker)
{
    enum { STRETCH = 1024 };
    const scarce__ap_table *t = arg;
    const float *score = t->score, low = t->low, inverse = t->inverse, most = (float)(t->buckets - 1);
    const size_t size = (t->n + t->parts - 1) / t->parts, begin = part * size,
                 end = begin + size < t->n ? begin + size : t->n;
    uint32_t *count = t->count + part * TABLES * (t->m + 1);
    int32_t bucket[STRETCH];
    (void)worker;
    memset(count, 0, TABLES * (t->m + 1) * sizeof *count);
    for (size_t from = begin; from < end; from += STRETCH) {
        const size_t n = end - from < STRETCH ? end - from : STRETCH;
        const float *s = score + from;
        for (size_t i = 0; i < n; ++i) {
            float b = (s[i] - low) * inverse;
            b = b > 0 ? b : 0;
            bucket[i] = (int32_t)(b < most ? b : most);
        }
        for (size_t i = 0; i < n;
             ++i) /* rows in a row mostly have different tables: no waiting for a count */
            ++count[(i % TABLES) * (t->m + 1) + steps_below(t, (size_t)bucket[i], s[i])];
    }
}

double scarce__ap_table_value(scarce__ap_table *t, const float *score, scarce__pool *pool)
{
    double above = 0, hits = 0, ap = 0;
    t->score = score;
    place_positives(t, score);
    scarce__pool_run(pool, t->parts, count_rows, t);
    for (size_t j = t->m; j-- > 0;) {
        for (size_t p = 0; p < t->parts * TABLES; ++p) above += (double)t->count[p * (t->m + 1) + j + 1];
        hits += t->hits[j];
        ap += t->hits[j] * (hits / above); /* `above` has the positives too */
    }
    return ap / hits;
}
