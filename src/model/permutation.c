/* SPDX-License-Identifier: Apache-2.0 */
/* AP lost by shuffling a feature among the rows.
 *
 *     value = mean over shuffles k of AP - AP_k
 *     error^2 = variance over bootstrap replicates b of mean_k (AP_b - AP_kb)  +  variance over k / shuffles
 *
 * A replicate draws rows again (positives and negatives apart; whole groups where there are groups). Both APs
 * of a difference are of the same replicate, so what is common to them cancels. The copies of each row are
 * drawn once for all features. */
#include <scarce/explain.h>

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/random.h"
#include "eval/ap.h"
#include "eval/draws.h"
#include "model/changed.h"

enum { REPLICATES = 40 };

typedef struct work {
    const scarce_table *table;
    scarce__changed c;
    scarce_context *ctx;
    size_t repeats;
    uint32_t *order;              /* of a shuffle */
    uint8_t *copies;              /* REPLICATES x rows */
    double *weight;               /* of a replicate */
    double whole[REPLICATES + 1]; /* AP of each replicate; the last one of the rows as they are */
    double lost[REPLICATES + 1];  /* sums over the shuffles */
} work;

/* ---- replicates */

/* The draws are those of all our intervals (eval/draws.h). */
static scarce_status draw_copies(work *w, scarce_error *err)
{
    const scarce_table *t = w->table;
    const size_t n = t->n_rows;
    uint32_t *times = scarce__malloc_array(n, 2 * sizeof *times); /* and as much for groups */
    scarce__draws draws = {0};
    int ok = times != NULL;

    for (size_t i = 0; i < n; ++i) w->order[i] = (uint32_t)i;
    ok = ok && scarce__draws_init(&draws, n, t->label, t->group, w->order);
    for (size_t b = 0; ok && b < REPLICATES; ++b) {
        uint8_t *copies = w->copies + b * n;
        scarce__draws_replicate(&draws, scarce_context_seed(w->ctx), b, times, times + n);
        for (size_t i = 0; i < n; ++i) copies[i] = (uint8_t)(times[i] < UINT8_MAX ? times[i] : UINT8_MAX);
    }
    scarce__draws_deinit(&draws);
    scarce__free(times);
    return ok ? SCARCE_OK : scarce__fail_memory(err, "the bootstrap", 12 * n);
}

static scarce_status start(work *w, const scarce_model *model, scarce_error *err)
{
    const size_t n = w->table->n_rows;

    SCARCE__TRY(scarce__changed_new(&w->c, model, w->table, err));
    w->order = scarce__malloc_array(n, sizeof *w->order);
    w->weight = scarce__malloc_array(n, sizeof *w->weight);
    w->copies = scarce__big_alloc(n, REPLICATES);
    if (!w->order || !w->weight || !w->copies || !scarce__changed_cells(&w->c, 0))
        return scarce__fail_memory(err, "shuffling", n * (REPLICATES + 16));
    return draw_copies(w, err);
}

/* The AP of every replicate, and of the rows as they are. */
static scarce_status all_aps(double *ap, work *w, scarce_error *err)
{
    const scarce_table *t = w->table;
    scarce__pool *pool = scarce__context_pool(w->ctx);

    SCARCE__TRY(scarce__changed_score(&w->c, w->ctx, err));
    for (size_t b = 0; b < REPLICATES; ++b) {
        const uint8_t *copies = w->copies + b * t->n_rows;
        for (size_t i = 0; i < t->n_rows; ++i)
            w->weight[i] = (double)copies[i] * (t->weight ? t->weight[i] : 1);
        SCARCE__TRY(scarce__ap_fast(&ap[b], w->c.score, t->label, w->weight, t->n_rows, pool, err));
    }
    return scarce__ap_fast(&ap[REPLICATES], w->c.score, t->label, t->weight, t->n_rows, pool, err);
}

/* ---- shuffles */

static void shuffle_into(void *cells, const scarce_table *table, size_t f, const uint32_t *order)
{
    const scarce__column *from = table->columns + f;
    float *number = cells;
    int32_t *code = cells;

    switch (table->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC:
        for (size_t i = 0; i < table->n_rows; ++i) number[i] = from->number[order[i]];
        break;
    case SCARCE_COLUMN_CATEGORY:
        for (size_t i = 0; i < table->n_rows; ++i) code[i] = from->code[order[i]];
        break;
    case SCARCE_COLUMN_SPARSE: /* its values go to other rows */
        for (size_t i = 0; i < table->n_rows; ++i) number[i] = 0;
        for (size_t k = 0; k < from->sparse.count; ++k)
            number[order[from->sparse.row[k]]] = from->sparse.value[k];
        break;
    }
}

/* Variance of what isn't NaN; 0 of fewer than two. */
static double variance(const double *x, size_t n)
{
    double mean = 0, square = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; ++i) {
        if (isnan(x[i])) continue;
        const double before = x[i] - mean;
        mean += before / (double)++count;
        square += before * (x[i] - mean);
    }
    return count > 1 ? square / (double)(count - 1) : 0;
}

static scarce_status permute_feature(scarce_importance *out, work *w, size_t f, scarce_error *err)
{
    const size_t n = w->table->n_rows;
    double ap[REPLICATES + 1], mean = 0, square = 0;
    const double repeats = (double)w->repeats;

    memset(w->lost, 0, sizeof w->lost);
    for (size_t k = 0; k < w->repeats; ++k) {
        scarce__random r =
            scarce__random_start(scarce_context_seed(w->ctx), SCARCE__FOR_ROWS, f * w->repeats + k);
        for (size_t i = 0; i < n; ++i) w->order[i] = (uint32_t)i;
        scarce__shuffle_u32(&r, w->order, n);
        shuffle_into(scarce__changed_cells(&w->c, 0), w->table, f, w->order);
        scarce__changed_set(&w->c, f, 0);
        const scarce_status st = all_aps(ap, w, err);
        scarce__changed_reset(&w->c, f);
        if (st != SCARCE_OK) return st;
        for (size_t b = 0; b <= REPLICATES; ++b) w->lost[b] += (w->whole[b] - ap[b]) / repeats;
        const double before = w->whole[REPLICATES] - ap[REPLICATES] - mean;
        mean += before / (double)(k + 1);
        square += before * (w->whole[REPLICATES] - ap[REPLICATES] - mean);
    }
    const double of_shuffles = w->repeats > 1 ? square / (repeats - 1) / repeats : 0;
    out->value = mean;
    out->error = sqrt(variance(w->lost, REPLICATES) + of_shuffles);
    return SCARCE_OK;
}

scarce_status scarce_importance_permutation(scarce_importance *out, const scarce_model *model,
                                            const scarce_table *table, size_t repeats, scarce_context *ctx,
                                            scarce_error *err)
{
    const size_t width = table->schema.n_features;
    work w;
    scarce_status st;

    if (repeats == 0) return scarce__fail(err, SCARCE_EINVAL, "0 shuffles: 1 or more are needed");
    if (!table->label || table->n_positives == 0 || table->n_positives == table->n_rows)
        return scarce__fail(err, SCARCE_EDATA,
                            "permutation importance needs rows with a label of both classes");
    memset(&w, 0, sizeof w);
    w.table = table;
    w.ctx = ctx;
    w.repeats = repeats;
    st = start(&w, model, err);
    if (st == SCARCE_OK) st = all_aps(w.whole, &w, err);
    for (size_t f = 0; st == SCARCE_OK && f < width; ++f) {
        const scarce_progress progress = {"importance", (double)f, (double)width, "features", "", NULL, 0};
        if (scarce__progress(ctx, &progress))
            st = scarce__fail(err, SCARCE_ECANCEL, "stopped while shuffling features");
        if (st == SCARCE_OK) st = permute_feature(&out[f], &w, f, err);
    }
    scarce__free(w.order);
    scarce__free(w.weight);
    scarce__free(w.copies);
    scarce__changed_free(&w.c);
    return st;
}
