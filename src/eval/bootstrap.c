/* SPDX-License-Identifier: Apache-2.0 */
/* Percentile bootstrap of any metrics without sorting again.
 *
 * The rows are put in the order of their scores once, and a replicate is a list of numbers of copies
 * (draws.c), followed by the same walk that computes the metrics themselves. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/options.h"
#include "eval/draws.h"
#include "eval/metrics_internal.h"

enum { BATCH = 64 }; /* replicates between two looks at the progress callback */

typedef struct sorted_rows { /* the caller's rows in the order of the ranking, as arrays of our own */
    scarce_scored view;
    double *score, *weight, *probability, *amount;
    uint8_t *label, *alert; /* alert: NULL when there is none in the options */
    scarce__draws draws;
} sorted_rows;

typedef struct bootstrap_job {
    const sorted_rows *rows;
    const scarce__ranking *ranking;
    const scarce__facts *facts;
    const scarce_metrics_options *options;
    const size_t *metrics;
    size_t n_metrics, first, n, replicates;
    int by_group;
    uint64_t seed;
    uint32_t *times, *drawn; /* per worker: copies of each row, of each group */
    double *room;            /* per worker */
    size_t room_each;
    double *value; /* [metric][replicate] */
} bootstrap_job;

static void sorted_deinit(sorted_rows *s)
{
    scarce__free(s->score);
    scarce__free(s->weight);
    scarce__free(s->probability);
    scarce__free(s->amount);
    scarce__free(s->label);
    scarce__free(s->alert);
    scarce__draws_deinit(&s->draws);
}

static int gather(double **out, const double *from, const uint32_t *order, size_t n)
{
    if (!from) return 1;
    *out = scarce__malloc_array(n, sizeof **out);
    if (!*out) return 0;
    for (size_t i = 0; i < n; ++i) (*out)[i] = from[order[i]];
    return 1;
}

static int sorted_init(sorted_rows *s, const scarce_scored *in, const uint8_t *alert,
                       const scarce__ranking *r, int by_group)
{
    const size_t n = in->n;
    s->label = scarce__malloc_array(n, sizeof *s->label);
    if (!s->label || !gather(&s->score, in->score, r->order, n) ||
        !gather(&s->weight, in->weight, r->order, n) ||
        !gather(&s->probability, in->probability, r->order, n) ||
        !gather(&s->amount, in->amount, r->order, n))
        return 0;
    if (alert) {
        s->alert = scarce__malloc_array(n, sizeof *s->alert);
        if (!s->alert) return 0;
        for (size_t i = 0; i < n; ++i) s->alert[i] = alert[r->order[i]];
    }
    for (size_t i = 0; i < n; ++i) s->label[i] = in->label[r->order[i]];
    s->view = (scarce_scored){n, s->score, s->label, s->weight, s->probability, NULL, s->amount, NULL};
    return scarce__draws_init(&s->draws, n, s->label, by_group ? in->group : NULL, r->order);
}

static void replicate(void *arg, size_t index, int worker)
{
    const bootstrap_job *j = arg;
    const size_t n = j->rows->view.n, r = j->first + index;
    uint32_t *times = j->times + (size_t)worker * n;
    scarce_metrics m = SCARCE_METRICS_INIT;

    scarce__draws_replicate(&j->rows->draws, j->seed, r, times,
                            j->drawn + (size_t)worker * j->rows->draws.n_units);
    scarce__metrics_clear(&m);
    scarce__metrics_of_order(&m, &j->rows->view, j->ranking, NULL, times, j->options);
    scarce__metrics_of_rows(&m, &j->rows->view, j->facts, times, j->options,
                            j->room + (size_t)worker * j->room_each, NULL);
    for (size_t k = 0; k < j->n_metrics; ++k)
        j->value[k * j->replicates + r] = scarce_metric_value(&m, j->metrics[k]);
}

static void summarise(scarce_metrics_interval *out, double *value, size_t n, double level)
{
    size_t defined = 0;
    double mean = 0, square = 0;
    out->lo = out->hi = out->sd = NAN;
    for (size_t i = 0; i < n; ++i)
        if (!isnan(value[i])) value[defined++] = value[i];
    out->undefined = n - defined;
    if (defined == 0) return;
    for (size_t i = 0; i < defined; ++i) mean += value[i] / (double)defined;
    for (size_t i = 0; i < defined; ++i) square += (value[i] - mean) * (value[i] - mean);
    if (defined > 1) out->sd = sqrt(square / (double)(defined - 1));
    scarce__draws_interval(&out->lo, &out->hi, value, defined, level);
}

static scarce_status run_replicates(bootstrap_job *j, scarce__pool *pool, scarce_context *ctx,
                                    scarce_error *err)
{
    for (j->first = 0; j->first < j->replicates; j->first += j->n) {
        const scarce_progress p = {
            "bootstrap", (double)j->first, (double)j->replicates, "replicates", "", NULL, 0};
        if (scarce__progress(ctx, &p)) return scarce__fail(err, SCARCE_ECANCEL, "stopped");
        j->n = j->replicates - j->first < BATCH ? j->replicates - j->first : BATCH;
        scarce__pool_run(pool, j->n, replicate, j);
    }
    return SCARCE_OK;
}

static scarce_status bootstrap_rows(scarce_metrics_interval *out, bootstrap_job *j, const scarce_scored *in,
                                    const scarce__ranking *r, double level, scarce_context *ctx,
                                    scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    const size_t workers = (size_t)scarce__pool_threads(pool);
    scarce_metrics_options options = *j->options;
    scarce_metrics whole = SCARCE_METRICS_INIT;
    sorted_rows rows;
    scarce__facts facts;
    scarce_status st = SCARCE_ENOMEM;

    memset(&rows, 0, sizeof rows);
    memset(&facts, 0, sizeof facts);
    scarce__metrics_clear(&whole);
    j->room_each = scarce__metrics_room(in->n, j->options);
    j->room = scarce__malloc_array(j->room_each * workers, sizeof *j->room);
    j->times = scarce__malloc_array(in->n * workers, sizeof *j->times);
    j->value = scarce__malloc_array(j->n_metrics * j->replicates, sizeof *j->value);
    if (!j->room || !j->times || !j->value || !sorted_init(&rows, in, options.alert, r, j->by_group))
        goto done;
    j->drawn = scarce__malloc_array(rows.draws.n_units * workers, sizeof *j->drawn);
    if (!j->drawn) goto done;
    options.alert = rows.alert;
    j->options = &options;
    j->rows = &rows;
    j->ranking = r;
    j->facts = &facts;
    scarce__metrics_of_order(&whole, &rows.view, r, NULL, NULL, j->options);
    st = scarce__facts_init(&facts, &rows.view, j->options, whole.f1_best_threshold, pool, err);
    if (st != SCARCE_OK) goto done;
    scarce__metrics_of_rows(&whole, &rows.view, &facts, NULL, j->options, j->room, pool);
    st = run_replicates(j, pool, ctx, err);
    if (st != SCARCE_OK) goto done;
    for (size_t k = 0; k < j->n_metrics; ++k) {
        out[k].value = scarce_metric_value(&whole, j->metrics[k]);
        summarise(&out[k], j->value + k * j->replicates, j->replicates, level);
    }
done:
    if (st == SCARCE_ENOMEM) scarce__fail_memory(err, "the bootstrap", 0);
    sorted_deinit(&rows);
    scarce__facts_deinit(&facts);
    scarce__free(j->room);
    scarce__free(j->times);
    scarce__free(j->drawn);
    scarce__free(j->value);
    return st;
}

static scarce_status options_of(scarce_bootstrap_options *b, const scarce_bootstrap_options *given,
                                const scarce_scored *in, scarce_error *err)
{
    const scarce_bootstrap_options defaults = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    *b = defaults;
    SCARCE__TRY(SCARCE__OPTIONS(b, given, SCARCE_BOOTSTRAP_OPTIONS_INIT, err));
    if (b->replicates < 1) return scarce__fail(err, SCARCE_EINVAL, "replicates is 0, must be 1 or more");
    if (!(b->level > 0 && b->level < 1))
        return scarce__fail(err, SCARCE_EINVAL, "level is %g, must be between 0 and 1", b->level);
    if ((int)b->by < SCARCE_BOOTSTRAP_AUTO || b->by > SCARCE_BOOTSTRAP_BY_GROUP)
        return scarce__fail(err, SCARCE_EINVAL, "by is %d, which is none of its values", (int)b->by);
    if (b->by == SCARCE_BOOTSTRAP_AUTO)
        b->by = in->group ? SCARCE_BOOTSTRAP_BY_GROUP : SCARCE_BOOTSTRAP_BY_CLASS;
    if (b->by == SCARCE_BOOTSTRAP_BY_GROUP && !in->group)
        return scarce__fail(err, SCARCE_EINVAL, "a bootstrap by group, but there are no groups");
    return SCARCE_OK;
}

scarce_status scarce_metrics_bootstrap(scarce_metrics_interval *out, const size_t *metrics, size_t n_metrics,
                                       const scarce_scored *in, const scarce_metrics_options *options,
                                       const scarce_bootstrap_options *bootstrap, scarce_context *ctx,
                                       scarce_error *err)
{
    scarce_metrics_options o;
    scarce_bootstrap_options b;
    scarce__ranking r;
    bootstrap_job j;
    scarce_status st;

    for (size_t k = 0; k < n_metrics; ++k) {
        out[k] = (scarce_metrics_interval){NAN, NAN, NAN, NAN, 0};
        if (metrics[k] >= scarce_metric_count())
            return scarce__fail(err, SCARCE_EINVAL, "there is no metric number %zu", metrics[k]);
    }
    SCARCE__TRY(scarce__metrics_options(&o, options, err));
    SCARCE__TRY(scarce__scored_check(in, err));
    SCARCE__TRY(options_of(&b, bootstrap, in, err));
    if (in->n == 0 || n_metrics == 0) return SCARCE_OK;
    st = scarce__rank(&r, in->score, in->n, "score", scarce__context_pool(ctx), err);
    if (st != SCARCE_OK) return st;
    memset(&j, 0, sizeof j);
    j.options = &o;
    j.metrics = metrics;
    j.n_metrics = n_metrics;
    j.replicates = b.replicates;
    j.by_group = b.by == SCARCE_BOOTSTRAP_BY_GROUP;
    j.seed = ctx ? scarce_context_seed(ctx) : 1;
    st = bootstrap_rows(out, &j, in, &r, b.level, ctx, err);
    scarce__ranking_deinit(&r);
    return st;
}
