/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of the top of the list are computed the quick way (eval/watch.h), all others by scarce_metrics. */
#include "method/watcher.h"

#include <math.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"

static scarce_scored valid_rows(const scarce__watcher *w)
{
    const scarce_table *v = w->valid;
    const scarce_scored rows = {
        v->n_rows, w->score,  v->label, v->weight, w->link != SCARCE__LINK_NONE ? w->probability : NULL,
        v->time,   v->amount, v->group};
    return rows;
}

static scarce_status watch(void *payload, const float *score, double *value, scarce_error *err)
{
    scarce__watcher *w = payload;
    const scarce_scored rows = valid_rows(w);
    scarce_metrics m = SCARCE_METRICS_INIT;

    if (w->quick) return scarce__watch_value(value, w->quick, score, scarce__context_pool(w->ctx), err);
    for (size_t i = 0; i < rows.n; ++i) {
        w->score[i] = (double)score[i];
        w->probability[i] =
            w->link == SCARCE__LINK_SHARE ? (double)score[i] : scarce__sigmoid(w->slope * (double)score[i]);
    }
    const scarce_status st = scarce_metrics_compute(&m, &rows, NULL, w->ctx, err);
    *value = st == SCARCE_OK ? scarce_metric_value(&m, w->metric) : (double)NAN;
    return st == SCARCE_ENOMEM ? st : SCARCE_OK; /* a metric these rows don't have is only undefined */
}

scarce_status scarce__watcher_new(scarce__watcher *w, scarce__watching *watching, const scarce__job *job,
                                  scarce_error *err)
{
    w->valid = job->valid;
    w->ctx = job->ctx;
    w->metric = scarce_metric_find(job->options->metric ? job->options->metric : "ap");
    w->link = watching->link;
    w->slope = watching->slope;
    if (scarce__watch_knows(w->metric)) {
        const scarce_scored rows = valid_rows(w);
        SCARCE__TRY(scarce__watch_new(&w->quick, w->metric, &rows, scarce__context_pool(job->ctx), err));
    } else {
        w->score = scarce__malloc_array(job->valid->n_rows, sizeof *w->score);
        w->probability = scarce__malloc_array(job->valid->n_rows, sizeof *w->probability);
        if (!w->score || !w->probability) return scarce__fail_memory(err, "validation scores", 0);
    }
    watching->metric = watch;
    watching->name = scarce_metric_name(w->metric);
    watching->smaller_is_better = scarce_metric_direction(w->metric) < 0;
    return SCARCE_OK;
}

scarce_status scarce__watcher_start(scarce__watcher *w, scarce__boost_options *o, const scarce__job *job,
                                    scarce_error *err)
{
    scarce__watching watching = {.link = o->loss.gamma > 0 ? SCARCE__LINK_SIGMOID : SCARCE__LINK_NONE,
                                 .slope = o->loss.gamma};

    SCARCE__TRY(scarce__watcher_new(w, &watching, job, err));
    o->metric = watching.metric;
    o->metric_payload = w;
    o->metric_name = watching.name;
    o->metric_smaller_is_better = watching.smaller_is_better;
    o->stop_after = job->options->early_stop;
    return SCARCE_OK;
}

void scarce__watcher_stop(scarce__watcher *w)
{
    scarce__watch_free(w->quick);
    scarce__free(w->score);
    scarce__free(w->probability);
}
