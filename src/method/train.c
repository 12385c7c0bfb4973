/* SPDX-License-Identifier: Apache-2.0 */
/* scarce_train: what all methods share around their learning.
 *
 *     check (check.c, resume.c) -> resample -> the engine learns -> notes (notes.c)
 *     -> probability and threshold (decide.c) -> model */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/clock.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/options.h"
#include "data/profile.h"
#include "method/method.h"
#include "sample/resample.h"

/* The caller's options, completed by defaults. */
typedef struct given {
    scarce_train_options options;
    scarce_loss loss;
} given;

static scarce_status take_options(given *out, const scarce_train_options *options, scarce_error *err)
{
    const scarce_train_options usual = SCARCE_TRAIN_OPTIONS_INIT;
    const scarce_loss usual_loss = SCARCE_LOSS_INIT;

    out->options = usual;
    out->loss = usual_loss;
    SCARCE__TRY(SCARCE__OPTIONS(&out->options, options, SCARCE_TRAIN_OPTIONS_INIT, err));
    if (!out->options.loss) return SCARCE_OK;
    SCARCE__TRY(SCARCE__OPTIONS(&out->loss, out->options.loss, SCARCE_LOSS_INIT, err));
    out->options.loss = &out->loss;
    return SCARCE_OK;
}

/* What is asked for but can't be done is told, not refused: the same options serve many methods. */
static void tell_ignored(const scarce__job *job)
{
    const unsigned can = scarce__method_can(job->method);
    const scarce_train_options *o = job->options;
    const int stop = o->early_stop && !(can & SCARCE__CAN_STOP),
              keep = o->checkpoint_every && !(can & SCARCE__CAN_RESUME);
    if (job->table && job->table->cost && !(can & SCARCE__CAN_COSTS))
        scarce__log(job->ctx, SCARCE_LOG_WARN, "method %s does not weigh costs of rows: ignored",
                    job->method->name);
    if (stop || keep)
        scarce__log(job->ctx, SCARCE_LOG_WARN, "method %s %s%s%s: ignored", job->method->name,
                    stop ? "does not stop early" : "", stop && keep ? " and " : "",
                    keep ? "leaves no checkpoints" : "");
}

static scarce_status make_model(scarce_model **out, scarce__learned *learned, const scarce__job *job,
                                scarce_error *err)
{
    scarce_model *m = scarce__calloc(1, sizeof *m);
    scarce_status st;

    if (!m) return scarce__fail_memory(err, "a model", 0);
    m->kind = learned->kind; /* the model owns body and state from here on */
    m->body = learned->body;
    m->state = learned->state;
    m->n_state = learned->n_state;
    learned->body = NULL;
    learned->state = NULL;
    m->method = scarce__strdup(job->method->name);
    st = m->method ? scarce__schema_copy(&m->schema, &job->table->schema, err)
                   : scarce__fail_memory(err, "a model", 0);
    if (st == SCARCE_OK) st = scarce__add_notes(m, job, learned, err);
    if (st == SCARCE_OK && m->state) st = scarce__note_resume(m, job, err);
    if (st == SCARCE_OK) st = scarce__decide(m, job, learned, err);
    if (st == SCARCE_OK && learned->cancelled && job->options->checkpoint && m->state)
        st = scarce_model_save(m, job->options->checkpoint, err);
    if (st != SCARCE_OK) {
        scarce_model_free(m);
        return st;
    }
    *out = m;
    return SCARCE_OK;
}

static void fill_summary(scarce_train_summary *out, scarce__learned *learned, const scarce__job *job,
                         double seconds)
{
    scarce_train_summary s = SCARCE_TRAIN_SUMMARY_INIT;
    s.rows = scarce__job_rows(job);
    s.features = job->table->schema.n_features;
    s.positives = scarce__job_positives(job);
    s.iterations = learned->iterations;
    s.best_iteration = learned->best_iteration;
    s.valid_metric = learned->valid_metric;
    s.seconds_prepare = learned->seconds_prepare;
    s.seconds_train = seconds - learned->seconds_prepare;
    s.cancelled = learned->cancelled;
    s.members = learned->members;
    s.idle_members = learned->idle_members;
    s.curve = learned->curve; /* the caller's from here on */
    s.n_curve = learned->n_curve;
    learned->curve = NULL;
    if (out->struct_size >= sizeof s) scarce_train_summary_deinit(out); /* of an earlier call */
    else { /* of a caller who has no place for it */ scarce__free(s.curve);
        s.curve = NULL;
    }
    SCARCE__FILL(out, &s);
}

void scarce_train_summary_deinit(scarce_train_summary *summary)
{
    if (!summary) return;
    scarce__free(summary->curve);
    summary->curve = NULL;
    summary->n_curve = 0;
}

/* With a limit, what can't fit is refused before it begins. Estimates are rough: within a half. */
static scarce_status check_memory(const scarce__job *job, scarce_error *err)
{
    const scarce_table *t = job->table;
    const double limit = scarce__memory_limit(), left = limit - scarce__memory_used();
    double bytes;

    if (!(limit > 0) || job->far) return SCARCE_OK; /* far rows: only what is drawn comes here */
    bytes = job->method->engine->memory(job, t->n_rows, t->n_positives, t->schema.n_features,
                                        job->valid ? job->valid->n_rows : 0);
    if (bytes <= 1.5 * left) return SCARCE_OK;
    return scarce__fail(err, SCARCE_ENOMEM,
                        "training takes about %.0f MB, of the limit of %.0f MB %.0f MB are left", bytes / 1e6,
                        limit / 1e6, left > 0 ? left / 1e6 : 0);
}

/* Learns and makes the model of it; the job's table is the one to learn from. */
static scarce_status learn(scarce_model **out, scarce__job *job, scarce_train_summary *summary,
                           scarce_error *err)
{
    const double begun = scarce__clock();
    scarce__learned learned;
    scarce_status st;

    SCARCE__TRY(scarce__check_resume_data(job, err));
    SCARCE__TRY(scarce__check_limits(job->table->n_rows, &job->table->schema, err));
    SCARCE__TRY(check_memory(job, err));
    memset(&learned, 0, sizeof learned);
    learned.meaning.slope = learned.meaning.odds_factor = 1;
    learned.valid_metric = learned.threshold = (double)NAN;
    st = job->method->engine->train(&learned, job, err);
    if (st == SCARCE_OK) st = make_model(out, &learned, job, err);
    if (st == SCARCE_OK && summary) fill_summary(summary, &learned, job, scarce__clock() - begun);
    if (learned.kind && learned.body) learned.kind->free(learned.body);
    scarce__free(learned.state);
    scarce__free(learned.curve);
    scarce__free(learned.held);
    return st;
}

/* Resamples the training rows where the parameters want it, then learns. What that does to the odds counts
 * with what the caller did before. */
static scarce_status resample_and_learn(scarce_model **out, scarce__job *job, scarce_train_options *o,
                                        scarce_train_summary *summary, scarce_error *err)
{
    const int taken = o->take && *o->take == job->table;
    scarce__resampled changed;
    scarce_status st;

    if (!job->resample) return learn(out, job, summary, err);
    if (taken) st = scarce__resample_taken(&changed, *o->take, job->resample, job->ctx, err);
    else st = scarce__resample(&changed, job->table, job->resample, job->ctx, err);
    if (st != SCARCE_OK && changed.spoilt) {
        scarce_table_free(*o->take);
        *o->take = NULL;
    }
    SCARCE__TRY(st);
    if (!changed.factor_holds && !job->valid)
        scarce__log(job->ctx, SCARCE_LOG_WARN,
                    "after %s the share of positives means nothing: without validation rows there is no "
                    "probability, and the threshold fits the changed rows only",
                    job->resample);
    o->odds_factor *= changed.factor_holds ? changed.odds_factor : (double)NAN;
    if (changed.table) job->table = changed.table;
    job->synthetic = changed.synthetic;
    st = learn(out, job, summary, err);
    scarce__resampled_deinit(&changed);
    return st;
}

/* By blocks with small counters, which compilers turn into wide ones. */
static size_t count_gaps(const float *x, size_t n)
{
    enum { BLOCK = 4096 };
    size_t all = 0;

    for (size_t begin = 0; begin < n; begin += BLOCK) {
        const size_t end = n - begin < BLOCK ? n : begin + BLOCK;
        uint32_t gaps = 0;
        for (size_t i = begin; i < end; ++i) gaps += x[i] != x[i];
        all += gaps;
    }
    return all;
}

static size_t count_missing(const scarce_table *t, size_t f)
{
    const scarce__column *c = &t->columns[f];
    size_t n = 0;

    switch (t->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC: n = count_gaps(c->number, t->n_rows); break;
    case SCARCE_COLUMN_CATEGORY:
        for (size_t i = 0; i < t->n_rows; ++i) n += c->code[i] < 0;
        break;
    case SCARCE_COLUMN_SPARSE: n = count_gaps(c->sparse.value, c->sparse.count); break;
    }
    return n;
}

/* Per feature; NULL: out of memory. */
static float *shares_missing(const scarce_table *t)
{
    const size_t n = t->schema.n_features;
    float *share = scarce__malloc_array(n, sizeof *share);

    for (size_t f = 0; share && f < n; ++f)
        share[f] = (float)((double)count_missing(t, f) / (double)t->n_rows);
    return share;
}

size_t scarce__job_rows(const scarce__job *job)
{
    return job->far ? (size_t)job->far->plan->n_rows : job->table->n_rows;
}

size_t scarce__job_positives(const scarce__job *job)
{
    return job->far ? (size_t)job->far->plan->n_positives : job->table->n_positives;
}

/* What a model remembers of its training rows; of far ones their plan knows it. */
static scarce_status describe(float **missing, scarce__profile **profile, const scarce__job *job,
                              scarce_error *err)
{
    const size_t n = job->table->schema.n_features;

    if (!job->far) {
        *missing = shares_missing(job->table);
        if (*missing) return scarce__profile_of(profile, job->table, err);
    } else {
        *missing = scarce__malloc_array(n, sizeof **missing);
        if (*missing) {
            memcpy(*missing, job->far->plan->missing, n * sizeof **missing);
            return scarce__profile_copy(profile, job->far->plan->profile, err);
        }
    }
    return scarce__fail_memory(err, "the shares of missing values", 0);
}

static scarce_status train_job(scarce_model **out, scarce__job *job, const scarce_params *params,
                               const scarce_train_options *options, scarce_train_summary *summary,
                               scarce_error *err)
{
    int told = 0;
    float *missing = NULL;
    scarce__profile *profile = NULL;
    given g;
    scarce_status st;

    job->told = &told;
    *out = NULL;
    SCARCE__TRY(SCARCE__FILLED_CHECK(summary, SCARCE_TRAIN_SUMMARY_INIT, err));
    SCARCE__TRY(take_options(&g, options, err));
    job->options = &g.options;
    job->valid = g.options.valid;
    st = scarce__train_check_options(job, err);
    if (st == SCARCE_OK) st = scarce__params_copy(&job->params, params->values, err);
    if (st == SCARCE_OK) {
        tell_ignored(job);
        /* before any resampling, and before the table may be gone */
        if (!job->throwaway) st = describe(&missing, &profile, job, err);
        if (st == SCARCE_OK) st = resample_and_learn(out, job, &g.options, summary, err);
        if (*out) (*out)->missing = missing, (*out)->profile = profile;
        else scarce__free(missing), scarce__profile_free(profile);
    }
    if (g.options.loss && g.options.loss->finish) g.options.loss->finish(g.options.loss->payload);
    scarce__params_free(job->params);
    return st;
}

scarce_status scarce_train(scarce_model **out, const scarce_table *table, const scarce_params *params,
                           const scarce_train_options *options, scarce_train_summary *summary,
                           scarce_context *ctx, scarce_error *err)
{
    scarce__job job = {.method = params->method,
                       .table = table,
                       .asked = params->values,
                       .resample = params->resample,
                       .ctx = ctx};
    return train_job(out, &job, params, options, summary, err);
}

/* ---- rows that lie elsewhere */

scarce_status scarce_train_far(scarce_model **out, const scarce_plan *plan, const scarce_params *params,
                               const scarce_train_options *options, const scarce_far *far,
                               scarce_train_summary *summary, scarce_context *ctx, scarce_error *err)
{
    scarce_far how = SCARCE_FAR_INIT;
    scarce__job_far *rows;
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&how, far, SCARCE_FAR_INIT, err));
    if (!how.ask) return scarce__fail(err, SCARCE_EINVAL, "there is no way to ask the rows");
    if (!plan->sample)
        return scarce__fail(err, SCARCE_EINVAL,
                            "a plan that came as bytes serves partitions, not a training");
    if (!(scarce__method_can(params->method) & SCARCE__CAN_FAR) || params->resample)
        return scarce__fail(
            err, SCARCE_EUNSUPPORTED,
            "%s%s needs all training rows in memory; gb and other methods of its family learn from rows "
            "that are elsewhere",
            params->resample ? "resampling before " : "method ", params->method->name);
    rows = scarce__calloc(1, sizeof *rows);
    if (!rows) return scarce__fail_memory(err, "a training", sizeof *rows);
    rows->plan = plan;
    rows->how = &how;
    scarce__job job = {
        .method = params->method, .table = plan->sample, .asked = params->values, .ctx = ctx, .far = rows};
    st = train_job(out, &job, params, options, summary, err);
    scarce__free(rows);
    return st;
}

scarce_status scarce_plan_new(scarce_plan **out, const scarce_sketch *sketch, const scarce_params *params,
                              scarce_context *ctx, scarce_error *err)
{
    scarce__bin_options bins = SCARCE__BIN_OPTIONS_INIT;

    *out = NULL;
    if (!(scarce__method_can(params->method) & SCARCE__CAN_FAR))
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "method %s needs all training rows in memory",
                            params->method->name);
    params->method->engine->bins(&bins, scarce__params_options(params->values));
    return scarce__far_plan_make(out, sketch, &bins, ctx, err);
}

/* ---- many trainings on one table */

scarce_status scarce__train_to_judge(scarce_model **out, const scarce_table *table,
                                     const scarce_params *params, const scarce_train_options *options,
                                     const void *shared, scarce_context *ctx, scarce_error *err)
{
    scarce__job job = {.method = params->method,
                       .table = table,
                       .asked = params->values,
                       .resample = params->resample,
                       .ctx = ctx,
                       .shared = params->resample ? NULL : shared, /* it is of the rows as they were */
                       .throwaway = 1};
    return train_job(out, &job, params, options, NULL, err);
}

scarce_status scarce__train_share(void **out, const scarce_table *table, const scarce_params *params,
                                  scarce_context *ctx, scarce_error *err)
{
    const scarce_train_options usual = SCARCE_TRAIN_OPTIONS_INIT;
    scarce__job job = {.method = params->method, .table = table, .asked = params->values, .ctx = ctx};

    *out = NULL;
    job.options = &usual;
    if (!job.method->engine->share || params->resample) return SCARCE_OK;
    return job.method->engine->share(out, &job, err);
}

void scarce__train_unshare(const scarce_params *params, void *shared)
{
    if (shared) params->method->engine->unshare(shared);
}

scarce_status scarce_train_check(const scarce_params *params, const scarce_train_options *options,
                                 scarce_error *err)
{
    scarce__job job = {.method = params->method, .asked = params->values};
    given g;

    SCARCE__TRY(take_options(&g, options, err));
    job.options = &g.options;
    job.valid = g.options.valid;
    return scarce__train_check_options(&job, err);
}

scarce_status scarce_train_memory(double *bytes, const scarce_params *params,
                                  const scarce_train_options *options, const scarce_train_size *size,
                                  scarce_context *ctx, scarce_error *err)
{
    scarce__job job = {.method = params->method, .asked = params->values, .ctx = ctx};
    scarce_train_size s = SCARCE_TRAIN_SIZE_INIT;
    given g;

    *bytes = 0;
    SCARCE__TRY(take_options(&g, options, err));
    SCARCE__TRY(SCARCE__OPTIONS(&s, size, SCARCE_TRAIN_SIZE_INIT, err));
    job.options = &g.options;
    *bytes = job.method->engine->memory(&job, s.rows, s.positives, s.features, s.valid_rows);
    return SCARCE_OK;
}
