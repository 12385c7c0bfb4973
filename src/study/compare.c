/* SPDX-License-Identifier: Apache-2.0 */
/* Several methods on the same folds.
 *
 * A task is one (fold, method): its rows are copied together, it trains with one thread and a context of its
 * own, and writes its metrics into its own place. So the result does not depend on the number of threads, and
 * memory is that of as many copies as there are threads. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <scarce/study.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/number.h"
#include "core/random.h"
#include "core/text.h"
#include "eval/names.h"
#include "method/method.h"
#include "study/protocol.h"
#include "study/study.h"

typedef struct cell {
    scarce_metrics metrics;
    double seconds;
    int done;
} cell;

struct scarce_compare {
    size_t n_methods;
    char **names;
    scarce__folds folds;
    size_t *train_positives, *test_positives; /* per fold */
    cell *cells;                              /* fold * n_methods + method */
};

void scarce_compare_free(scarce_compare *c)
{
    if (!c) return;
    for (size_t m = 0; c->names && m < c->n_methods; ++m) scarce__free(c->names[m]);
    scarce__free(c->names);
    scarce__folds_deinit(&c->folds);
    scarce__free(c->train_positives);
    scarce__free(c->test_positives);
    scarce__free(c->cells);
    scarce__free(c);
}

size_t scarce_compare_methods(const scarce_compare *c)
{
    return c->n_methods;
}

size_t scarce_compare_folds(const scarce_compare *c)
{
    return c->folds.count;
}

const char *scarce_compare_name(const scarce_compare *c, size_t method)
{
    return c->names[method];
}

const scarce_metrics *scarce_compare_metrics(const scarce_compare *c, size_t method, size_t fold)
{
    return &c->cells[fold * c->n_methods + method].metrics;
}

double scarce_compare_seconds(const scarce_compare *c, size_t method, size_t fold)
{
    return c->cells[fold * c->n_methods + method].seconds;
}

void scarce_compare_fold(const scarce_compare *c, size_t fold, size_t *train_rows, size_t *train_positives,
                         size_t *test_rows, size_t *test_positives)
{
    *train_rows = c->folds.items[fold].n_train;
    *train_positives = c->train_positives[fold];
    *test_rows = c->folds.items[fold].n_test;
    *test_positives = c->test_positives[fold];
}

/* ---- "gb:n_trees=50:max_depth=2" */

scarce_status scarce__params_of_spec(scarce_params **out, const char *spec, scarce_error *err)
{
    const char *colon = strchr(spec, ':');
    char *name = scarce__strndup(spec, colon ? (size_t)(colon - spec) : strlen(spec));
    scarce_status st;

    *out = NULL;
    if (!name) return scarce__fail_memory(err, "a method", 0);
    st = scarce_params_new(out, name, err);
    if (st == SCARCE_OK && colon) st = scarce_params_set_list(*out, colon + 1, ':', err);
    if (st != SCARCE_OK) {
        scarce_params_free(*out);
        *out = NULL;
    }
    scarce__free(name);
    return st;
}

/* ---- one (fold, method) */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

scarce_status scarce__judge_model(scarce_metrics *out, const scarce_model *model, const scarce_table *table,
                                  const scarce_metrics_options *options, scarce_context *ctx,
                                  scarce_error *err)
{
    double *score = scarce__malloc_array(table->n_rows, sizeof *score),
           *p = scarce__malloc_array(table->n_rows, sizeof *p);
    scarce_metrics_options o = *options;
    scarce_scored rows = SCARCE_SCORED_INIT;
    scarce_scorer *scorer = NULL;
    scarce_status st = score && p ? SCARCE_OK : scarce__fail_memory(err, "scores", 0);

    if (st == SCARCE_OK) st = scarce_scorer_new(&scorer, model, err);
    if (st == SCARCE_OK) st = scarce_scorer_table(scorer, table, score, p, ctx, err);
    rows.n = table->n_rows;
    rows.score = score;
    rows.label = table->label;
    rows.weight = table->weight;
    rows.probability = scarce_model_has_probability(model) ? p : NULL;
    rows.time = table->time;
    rows.amount = table->amount;
    rows.group = table->group;
    if (isnan(o.threshold)) {
        o.threshold = scarce_model_threshold(model);
        if (!isnan(o.threshold)) o.threshold_on = SCARCE_THRESHOLD_ON_SCORE;
    }
    if (st == SCARCE_OK) st = scarce_metrics_compute(out, &rows, &o, ctx, err);
    scarce_scorer_free(scorer);
    scarce__free(score);
    scarce__free(p);
    return st;
}

typedef struct run {
    scarce_compare *c;
    const scarce_table *table;
    const scarce_compare_options *o;
    scarce_context *ctx; /* the caller's: only for its seed */
    pthread_mutex_t lock;
    size_t done, total;
    scarce_status status; /* the first failure, by task */
    size_t failed_task;
    scarce_error error;
} run;

/* Tuned inside the training part, or as given. */
static scarce_status tuned_params(scarce_params **out, const run *r, const char *spec,
                                  const scarce_table *train, scarce_context *ctx, scarce_error *err)
{
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    scarce_tuned tuned;
    scarce_status st = scarce__params_of_spec(out, spec, err);

    if (st != SCARCE_OK || r->o->tune == 0) return st;
    o.trials = r->o->tune;
    o.metric = r->o->metric;
    st = scarce_tune_run(&tuned, train, spec, &o, ctx, err);
    if (st == SCARCE_OK) {
        scarce_params_free(*out);
        *out = NULL;
        st = scarce__params_of_spec(out, spec, err);
        if (st == SCARCE_OK) st = scarce_params_set_list(*out, tuned.trials[tuned.best].settings, ' ', err);
    }
    scarce_tuned_deinit(&tuned);
    return st;
}

static scarce_status run_cell(const run *r, size_t fold, size_t method, cell *out, scarce_error *err)
{
    const scarce__fold *f = &r->c->folds.items[fold];
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_train_options to = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce_table *train = NULL, *valid = NULL, *test = NULL;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_status st;
    double begun;

    co.threads = 1;
    co.seed = scarce_context_seed(r->ctx);
    st = scarce_context_new(&ctx, &co, err);
    if (st == SCARCE_OK) st = scarce_table_rows_of(&train, r->table, f->train, f->n_train, ctx, err);
    if (st == SCARCE_OK && f->n_valid)
        st = scarce_table_rows_of(&valid, r->table, f->valid, f->n_valid, ctx, err);
    if (st == SCARCE_OK) st = scarce_table_rows_of(&test, r->table, f->test, f->n_test, ctx, err);
    begun = now();
    if (st == SCARCE_OK) st = tuned_params(&params, r, r->c->names[method], train, ctx, err);
    to.valid = valid && valid->n_positives > 0 && valid->n_positives < valid->n_rows ? valid : NULL;
    to.early_stop = to.valid ? 50 : 0;
    to.metric = r->o->metric;
    if (st == SCARCE_OK) st = scarce_train(&model, train, params, &to, NULL, ctx, err);
    out->seconds = now() - begun;
    if (st == SCARCE_OK) st = scarce__judge_model(&out->metrics, model, test, &r->o->metrics, ctx, err);
    if (st != SCARCE_OK) scarce__fail_prefix(err, "fold %zu, %s: ", fold + 1, r->c->names[method]);
    scarce_model_free(model);
    scarce_params_free(params);
    scarce_table_free(train);
    scarce_table_free(valid);
    scarce_table_free(test);
    scarce_context_free(ctx);
    return st;
}

/* ---- results that survive an interruption: fold,method,seconds,metric,... */

static uint64_t fingerprint(const run *r)
{
    const scarce_table *t = r->table;
    uint64_t h = scarce__mix64(t->n_rows * 1000003 + t->n_positives);
    for (size_t f = 0; f < r->c->folds.count; ++f)
        for (size_t i = 0; i < r->c->folds.items[f].n_test; i += 97)
            h = scarce__mix64(h ^ r->c->folds.items[f].test[i]);
    return scarce__mix64(h ^ scarce_context_seed(r->ctx) ^ (r->o->tune << 20));
}

static scarce_status append_result(const run *r, size_t task, const cell *c, scarce_error *err)
{
    scarce__text line = SCARCE__TEXT_INIT;
    FILE *file;
    int bad;

    if (!r->o->results) return SCARCE_OK;
    scarce__text_addf(&line, "%016llx,%zu,%s,", (unsigned long long)fingerprint(r), task / r->c->n_methods,
                      r->c->names[task % r->c->n_methods]);
    scarce__text_double(&line, c->seconds);
    for (size_t m = 0; m < scarce_metric_count(); ++m) {
        scarce__text_add_char(&line, ',');
        scarce__text_double(&line, scarce_metric_value(&c->metrics, m));
    }
    scarce__text_add_char(&line, '\n');
    if (line.failed) {
        scarce__text_deinit(&line);
        return scarce__fail_memory(err, "a result", 0);
    }
    file = fopen(r->o->results, "ab");
    bad = !file || fwrite(line.bytes, 1, line.n, file) != line.n;
    if (file && fclose(file) != 0) bad = 1;
    scarce__text_deinit(&line);
    return bad ? scarce__fail(err, SCARCE_EIO, "%s: %s", r->o->results, strerror(errno)) : SCARCE_OK;
}

/* A line of an earlier run of the same comparison fills its cell; any other line is left alone. */
static void take_line(const run *r, char *line)
{
    char want[20];
    char *fields[80];
    size_t n = 0, fold = 0;
    double number = 0;
    cell *c;

    for (char *at = strtok(line, ",\n"); at && n < 80; at = strtok(NULL, ",\n")) fields[n++] = at;
    snprintf(want, sizeof want, "%016llx", (unsigned long long)fingerprint(r));
    if (n != 4 + scarce_metric_count() || strcmp(fields[0], want) != 0) return;
    if (scarce__parse_double(fields[1], strlen(fields[1]), &number) != 1 ||
        number >= (double)r->c->folds.count)
        return;
    fold = (size_t)number;
    for (size_t m = 0; m < r->c->n_methods; ++m) {
        if (strcmp(fields[2], r->c->names[m]) != 0) continue;
        c = &r->c->cells[fold * r->c->n_methods + m];
        if (scarce__parse_double(fields[3], strlen(fields[3]), &c->seconds) != 1) return;
        for (size_t k = 0; k < scarce_metric_count(); ++k) {
            double v = (double)NAN;
            if (strcmp(fields[4 + k], "nan") != 0 &&
                scarce__parse_double(fields[4 + k], strlen(fields[4 + k]), &v) != 1)
                return;
            scarce__metric_set(&c->metrics, k, v);
        }
        c->done = 1;
    }
}

static void load_results(const run *r)
{
    FILE *file = r->o->results ? fopen(r->o->results, "rb") : NULL;
    char line[4096];
    while (file && fgets(line, sizeof line, file))
        if (strchr(line, '\n')) take_line(r, line);
    if (file) fclose(file);
}

/* ---- all of it */

static void run_task(void *arg, size_t task, int worker)
{
    run *r = arg;
    cell *c = &r->c->cells[task];
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st = SCARCE_OK;
    int stopped;

    (void)worker;
    pthread_mutex_lock(&r->lock);
    stopped = r->status != SCARCE_OK;
    pthread_mutex_unlock(&r->lock);
    if (stopped || c->done) return;
    st = run_cell(r, task / r->c->n_methods, task % r->c->n_methods, c, &err);
    pthread_mutex_lock(&r->lock);
    if (st == SCARCE_OK) st = append_result(r, task, c, &err);
    if (st == SCARCE_OK) c->done = 1;
    else if (r->status == SCARCE_OK || task < r->failed_task) {
        r->status = st;
        r->failed_task = task;
        r->error = err;
    }
    r->done += 1;
    pthread_mutex_unlock(&r->lock);
}

/* Tasks in batches, so that progress is told (and Ctrl-C heard) on the caller's thread. */
static scarce_status run_all(run *r, scarce_error *err)
{
    const size_t at_once = 4 * (size_t)scarce_context_threads(r->ctx);
    for (size_t begin = 0; begin < r->total && r->status == SCARCE_OK; begin += at_once) {
        const size_t n = r->total - begin < at_once ? r->total - begin : at_once;
        const scarce_progress p = {"compare", (double)begin, (double)r->total, "fits", ""};
        if (scarce__progress(r->ctx, &p))
            return scarce__fail(err, SCARCE_ECANCEL, "stopped after %zu of %zu fits", begin, r->total);
        scarce__study_range range = {run_task, r, begin};
        scarce__pool_run(scarce__context_pool(r->ctx), n, scarce__study_range_task, &range);
    }
    if (r->status != SCARCE_OK && err) *err = r->error;
    return r->status;
}

static scarce_status set_up(scarce_compare *c, const scarce_table *table, const char *const *methods,
                            size_t n_methods, const scarce_compare_options *o, scarce_context *ctx,
                            scarce_error *err)
{
    c->names = scarce__calloc(n_methods, sizeof *c->names);
    if (!c->names) return scarce__fail_memory(err, "methods", 0);
    c->n_methods = n_methods;
    for (size_t m = 0; m < n_methods; ++m) {
        scarce_params *checked = NULL;
        SCARCE__TRY(scarce__params_of_spec(&checked, methods[m], err));
        scarce_params_free(checked);
        c->names[m] = scarce__strdup(methods[m]);
        if (!c->names[m]) return scarce__fail_memory(err, "methods", 0);
    }
    SCARCE__TRY(scarce__folds_make(&c->folds, table, o->protocol ? o->protocol : "holdout:0.3333", o->repeats,
                                   o->purge_known, ctx, err));
    c->cells = scarce__calloc(c->folds.count * n_methods, sizeof *c->cells);
    c->train_positives = scarce__calloc(c->folds.count, sizeof *c->train_positives);
    c->test_positives = scarce__calloc(c->folds.count, sizeof *c->test_positives);
    if (!c->cells || !c->train_positives || !c->test_positives) return scarce__fail_memory(err, "results", 0);
    for (size_t f = 0; f < c->folds.count; ++f) {
        const scarce__fold *fold = &c->folds.items[f];
        for (size_t i = 0; i < fold->n_train; ++i) c->train_positives[f] += table->label[fold->train[i]];
        for (size_t i = 0; i < fold->n_test; ++i) c->test_positives[f] += table->label[fold->test[i]];
    }
    return SCARCE_OK;
}

scarce_status scarce_compare_run(scarce_compare **out, const scarce_table *table, const char *const *methods,
                                 size_t n_methods, const scarce_compare_options *options, scarce_context *ctx,
                                 scarce_error *err)
{
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_compare *c = scarce__calloc(1, sizeof *c);
    run r;
    scarce_status st;

    *out = NULL;
    if (!c) return scarce__fail_memory(err, "a comparison", 0);
    if (options) memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
    memset(&r, 0, sizeof r);
    r.c = c;
    r.table = table;
    r.o = &o;
    r.ctx = ctx;
    if (n_methods == 0) st = scarce__fail(err, SCARCE_EINVAL, "no methods to compare");
    else if (!table->label) st = scarce__fail(err, SCARCE_EDATA, "the table has no label");
    else if (o.repeats == 0) st = scarce__fail(err, SCARCE_EINVAL, "repeats is 0");
    else st = set_up(c, table, methods, n_methods, &o, ctx, err);
    r.total = c->folds.count * n_methods;
    if (st == SCARCE_OK) {
        load_results(&r);
        pthread_mutex_init(&r.lock, NULL);
        st = run_all(&r, err);
        pthread_mutex_destroy(&r.lock);
    }
    if (st != SCARCE_OK) {
        scarce_compare_free(c);
        return st;
    }
    *out = c;
    return SCARCE_OK;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

scarce_status scarce_compare_summary(scarce_summary *out, const scarce_compare *c, size_t method,
                                     size_t metric, const scarce_context *ctx, scarce_error *err)
{
    enum { REPLICATES = 2000 };
    const size_t folds = c->folds.count;
    double *value = scarce__malloc_array(folds, sizeof *value),
           *means = scarce__malloc_array(REPLICATES, sizeof *means);
    scarce__random random = scarce__random_start(scarce_context_seed(ctx), SCARCE__FOR_BOOTSTRAP, metric);
    double sum = 0, squares = 0;

    memset(out, 0, sizeof *out);
    out->mean = out->sd = out->lo = out->hi = (double)NAN;
    if (!value || !means) {
        scarce__free(value);
        scarce__free(means);
        return scarce__fail_memory(err, "a summary", 0);
    }
    for (size_t f = 0; f < folds; ++f) {
        const double v = scarce_metric_value(scarce_compare_metrics(c, method, f), metric);
        if (!isnan(v)) value[out->n++] = v;
    }
    out->undefined = folds - out->n;
    for (size_t i = 0; i < out->n; ++i) sum += value[i];
    if (out->n) out->mean = sum / (double)out->n;
    for (size_t i = 0; i < out->n; ++i) squares += (value[i] - out->mean) * (value[i] - out->mean);
    if (out->n > 1) {
        out->sd = sqrt(squares / (double)(out->n - 1));
        for (size_t b = 0; b < REPLICATES; ++b) {
            means[b] = 0;
            for (size_t i = 0; i < out->n; ++i) means[b] += value[scarce__random_below(&random, out->n)];
            means[b] /= (double)out->n;
        }
        qsort(means, REPLICATES, sizeof *means, by_value);
        out->lo = means[REPLICATES / 40];
        out->hi = means[REPLICATES - 1 - REPLICATES / 40];
    }
    scarce__free(value);
    scarce__free(means);
    return SCARCE_OK;
}
