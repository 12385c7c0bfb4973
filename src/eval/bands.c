/* SPDX-License-Identifier: Apache-2.0 */
/* Bootstrap intervals around curves: each replicate gives the curve's y at fixed x, and the band is the
 * percentiles of these. The replicates are those of draws.c, so a band and the
 * interval of a metric tell of the same draws. Rows are sorted once; a replicate is numbers of copies and one
 * walk. */
#include <math.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/options.h"
#include "eval/draws.h"
#include "eval/metrics_internal.h"

enum { BATCH = 64 }; /* replicates between two looks at the progress callback */

typedef struct bands_job {
    scarce_scored rows; /* in the order of the ranking: our copies of label, weight and amount */
    const scarce__ranking *ranking;
    const scarce_curve_band *bands;
    size_t n_bands, n_points; /* of all bands together */
    scarce__draws draws;
    uint32_t *times, *drawn; /* per worker: copies of each row, of each group */
    size_t first, n, replicates;
    uint64_t seed;
    double *value; /* [point][replicate] */
} bands_job;

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

/* y at x for a curve between two heads of the ranking, a before b; 0 when x lies beyond b. */
static int between(double *y, const scarce_curve_band *band, double x, const scarce__head *a,
                   const scarce__head *b, const scarce__head *all)
{
    scarce__head at;
    switch (band->of) {
    case SCARCE_BAND_PR: /* the first threshold with that recall */
        if (x * all->pos > b->pos * (1 + 1e-12) || !(b->pos + b->neg > 0)) return 0;
        *y = share(b->pos, b->pos + b->neg);
        return 1;
    case SCARCE_BAND_ROC:
        if (x * all->neg >= b->neg) return 0;
        *y = share(a->pos + (b->pos - a->pos) * (x * all->neg - a->neg) / (b->neg - a->neg), all->pos);
        return 1;
    default:
        if (x > b->rows) return 0;
        at = scarce__head_at(a, b, x);
        *y = band->of == SCARCE_BAND_RECALL_AT_K ? share(at.pos, all->pos) : share(at.pos, at.pos + at.neg);
        return 1;
    }
}

/* Beyond the last row: what holds there. */
static double at_end(const scarce_curve_band *band, const scarce__head *all)
{
    if (band->of == SCARCE_BAND_ROC || band->of == SCARCE_BAND_RECALL_AT_K) return share(all->pos, all->pos);
    return share(all->pos, all->pos + all->neg);
}

/* All bands in one walk; next[b] is the first point of band b that isn't passed yet. */
static void walk(const bands_job *j, const uint32_t *times, size_t r)
{
    const scarce__head none = {0, 0, 0, 0};
    scarce__head all = none, before, now = none;
    size_t next[SCARCE_BANDS_MAX] = {0}, begin = 0;

    scarce__head_add(&all, &j->rows, NULL, times, 0, j->rows.n);
    for (size_t g = 0; g <= j->ranking->n_groups; ++g) {
        double *value = j->value + r;
        if (g < j->ranking->n_groups) {
            before = now;
            scarce__head_add(&now, &j->rows, NULL, times, begin, j->ranking->group_end[g]);
            begin = j->ranking->group_end[g];
        }
        for (size_t b = 0; b < j->n_bands; ++b) {
            const scarce_curve_band *band = &j->bands[b];
            double y = at_end(band, &all);
            while (next[b] < band->n &&
                   (g == j->ranking->n_groups || between(&y, band, band->x[next[b]], &before, &now, &all)))
                value[next[b]++ * j->replicates] = all.pos > 0 && all.neg > 0 ? y : (double)NAN;
            value += band->n * j->replicates;
        }
    }
}

static void replicate(void *arg, size_t index, int worker)
{
    const bands_job *j = arg;
    const size_t n = j->rows.n, r = j->first + index;
    uint32_t *times = j->times + (size_t)worker * n;

    scarce__draws_replicate(&j->draws, j->seed, r, times, j->drawn + (size_t)worker * j->draws.n_units);
    walk(j, times, r);
}

/* label and weight: room for n. Score and amount play no part in a walk. */
static int sort_rows(bands_job *j, const scarce_scored *in, int by_group, uint8_t *label, double *weight)
{
    const uint32_t *order = j->ranking->order;

    for (size_t i = 0; i < in->n; ++i) {
        label[i] = in->label[order[i]];
        if (in->weight) weight[i] = in->weight[order[i]];
    }
    j->rows = (scarce_scored){in->n, in->score, label, in->weight ? weight : NULL, NULL, NULL, NULL, NULL};
    return scarce__draws_init(&j->draws, in->n, label, by_group ? in->group : NULL, order);
}

static scarce_status run(bands_job *j, double level, const scarce_scored *in, int by_group,
                         scarce_context *ctx, scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    const size_t workers = (size_t)scarce__pool_threads(pool), n = in->n;
    uint8_t *label = scarce__malloc_array(n, sizeof *label);
    double *weight = scarce__malloc_array(in->weight ? n : 0, sizeof *weight), *value;
    scarce_status st = SCARCE_ENOMEM;

    j->times = scarce__malloc_array(n * workers, sizeof *j->times);
    j->value = scarce__malloc_array(j->n_points * j->replicates, sizeof *j->value);
    if (!label || !weight || !j->times || !j->value || !sort_rows(j, in, by_group, label, weight)) goto done;
    j->drawn = scarce__malloc_array(j->draws.n_units * workers, sizeof *j->drawn);
    if (!j->drawn) goto done;
    st = SCARCE_OK;
    for (j->first = 0; j->first < j->replicates && st == SCARCE_OK; j->first += j->n) {
        const scarce_progress p = {
            "bootstrap", (double)j->first, (double)j->replicates, "replicates", "", NULL, 0};
        j->n = j->replicates - j->first < BATCH ? j->replicates - j->first : BATCH;
        if (scarce__progress(ctx, &p)) st = scarce__fail(err, SCARCE_ECANCEL, "stopped");
        else scarce__pool_run(pool, j->n, replicate, j);
    }
    value = j->value;
    for (size_t b = 0; b < j->n_bands && st == SCARCE_OK; ++b)
        for (size_t i = 0; i < j->bands[b].n; ++i, value += j->replicates)
            scarce__draws_interval(&j->bands[b].lo[i], &j->bands[b].hi[i], value, j->replicates, level);
done:
    if (st == SCARCE_ENOMEM) scarce__fail_memory(err, "bands around curves", 0);
    scarce__free(label);
    scarce__free(weight);
    scarce__draws_deinit(&j->draws);
    scarce__free(j->times);
    scarce__free(j->drawn);
    scarce__free(j->value);
    return st;
}

static scarce_status check_bands(const scarce_curve_band *bands, size_t n_bands, size_t *points,
                                 scarce_error *err)
{
    *points = 0;
    if (n_bands > SCARCE_BANDS_MAX)
        return scarce__fail(err, SCARCE_EINVAL, "%zu bands at once, at most %d", n_bands, SCARCE_BANDS_MAX);
    for (size_t b = 0; b < n_bands; ++b) {
        if ((int)bands[b].of < 0 || bands[b].of > SCARCE_BAND_RECALL_AT_K)
            return scarce__fail(err, SCARCE_EINVAL, "band of %d, which is none of its values",
                                (int)bands[b].of);
        for (size_t i = 0; i < bands[b].n; ++i) {
            bands[b].lo[i] = bands[b].hi[i] = (double)NAN;
            if (!(bands[b].x[i] >= 0) || (i && bands[b].x[i] < bands[b].x[i - 1]))
                return scarce__fail(err, SCARCE_EINVAL, "x of a band must rise from 0 or more (item %zu)",
                                    i + 1);
        }
        *points += bands[b].n;
    }
    return SCARCE_OK;
}

scarce_status scarce_curve_bands(const scarce_curve_band *bands, size_t n_bands, const scarce_scored *in,
                                 const scarce_bootstrap_options *bootstrap, scarce_context *ctx,
                                 scarce_error *err)
{
    scarce_bootstrap_options b = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    scarce__ranking r;
    bands_job j;
    scarce_status st;

    memset(&j, 0, sizeof j);
    SCARCE__TRY(check_bands(bands, n_bands, &j.n_points, err));
    SCARCE__TRY(scarce__scored_check(in, err));
    SCARCE__TRY(SCARCE__OPTIONS(&b, bootstrap, SCARCE_BOOTSTRAP_OPTIONS_INIT, err));
    if (b.replicates < 1 || !(b.level > 0 && b.level < 1))
        return scarce__fail(err, SCARCE_EINVAL, "bands want 1 replicate or more and a level between 0 and 1");
    if (b.by == SCARCE_BOOTSTRAP_BY_GROUP && !in->group)
        return scarce__fail(err, SCARCE_EINVAL, "a bootstrap by group, but there are no groups");
    if (in->n == 0 || j.n_points == 0) return SCARCE_OK;
    SCARCE__TRY(scarce__rank(&r, in->score, in->n, "score", scarce__context_pool(ctx), err));
    j.ranking = &r;
    j.bands = bands;
    j.n_bands = n_bands;
    j.replicates = b.replicates;
    j.seed = ctx ? scarce_context_seed(ctx) : 1;
    st = run(&j, b.level, in, in->group && b.by != SCARCE_BOOTSTRAP_BY_CLASS, ctx, err);
    scarce__ranking_deinit(&r);
    return st;
}
