/* SPDX-License-Identifier: Apache-2.0 */
/* Random search over the places that a method's table of parameters names.
 *
 * Trial 0 is the default as it is. Trials are drawn from streams keyed by their number, so they can run in
 * parallel; after two thirds of them the rest is drawn near the best: each parameter stays with probability
 * 1/2, else it moves by a quarter of its range. A setting is judged on the same validation rows as all
 * others. Boosted methods stop early there, so one run serves all smaller numbers of trees, and n_trees
 * itself is not searched but found. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <scarce/study.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/number.h"
#include "core/random.h"
#include "core/text.h"
#include "method/method.h"
#include "study/study.h"

void scarce_tuned_deinit(scarce_tuned *t)
{
    for (size_t i = 0; i < t->n_trials; ++i) scarce__free(t->trials[i].settings);
    scarce__free(t->trials);
    memset(t, 0, sizeof *t);
}

/* ---- places: where one parameter may lie */

typedef struct place {
    const scarce__param *param;
    int log, whole;
    double lo, hi;
    const char *choices; /* "a|b"; NULL: a number */
    size_t n_choices;
} place;

/* "loss=ap-lb,sgbap?int:1:3" is a place only where another parameter has one of these values. The place
 * itself, or NULL. */
static const char *place_if(const scarce_params *params, const char *search)
{
    const char *mark = strchr(search, '?'), *equals = strchr(search, '=');
    scarce__text value = SCARCE__TEXT_INIT;
    char name[64];
    size_t i, n;

    if (!mark) return search;
    n = (size_t)(equals - search);
    if (n >= sizeof name) return NULL;
    memcpy(name, search, n);
    name[n] = '\0';
    i = scarce__param_find(params->method->params, name);
    if (i == SIZE_MAX || scarce__params_value(params->values, i, &value) != SCARCE_OK) mark = NULL;
    for (const char *at = equals + 1; mark;) {
        const size_t item = strcspn(at, ",?");
        if (item == value.n && memcmp(at, value.bytes, item) == 0) break;
        at += item;
        if (*at == '?') mark = NULL;
        ++at;
    }
    scarce__text_deinit(&value);
    return mark ? mark + 1 : NULL;
}

/* "log:0.01:0.3", "int:2:10", "real:0.5:1", "a|b" */
static int parse_place(place *out, const scarce__param *param, const char *text)
{
    const char *first, *second;

    memset(out, 0, sizeof *out);
    out->param = param;
    first = strchr(text, ':');
    if (!first) {
        out->choices = text;
        out->n_choices = 1;
        for (; *text; ++text) out->n_choices += *text == '|';
        return 1;
    }
    second = strchr(first + 1, ':');
    if (!second || scarce__parse_double(first + 1, (size_t)(second - first - 1), &out->lo) != 1 ||
        scarce__parse_double(second + 1, strlen(second + 1), &out->hi) != 1)
        return 0;
    out->log = strncmp(text, "log", 3) == 0 ||
               (strncmp(text, "int", 3) == 0 && out->lo > 0 && out->hi >= 8 * out->lo);
    out->whole = strncmp(text, "int", 3) == 0;
    return 1;
}

/* Value at u in [0, 1] of a place, as text. */
static void put_value(const place *p, double u, scarce__text *out)
{
    double x;
    if (p->choices) {
        const char *at = p->choices;
        size_t k = (size_t)(u * (double)p->n_choices);
        for (k = k < p->n_choices ? k : p->n_choices - 1; k > 0; --k) at = strchr(at, '|') + 1;
        scarce__text_add_bytes(out, at, strcspn(at, "|"));
        return;
    }
    x = p->log ? p->lo * pow(p->hi / p->lo, u) : p->lo + (p->hi - p->lo) * u;
    if (p->whole) scarce__text_addf(out, "%lld", (long long)llround(x));
    else scarce__text_digits(out, x, 4);
}

/* ---- the search */

typedef struct trial {
    double *u; /* per place; NaN: the default */
} trial;

typedef struct search {
    const char *spec;
    const scarce_tune_options *o;
    scarce_context *ctx;
    const scarce__method *method;
    place *places;
    size_t n_places;
    trial *trials;
    scarce_trial *results;
    size_t metric;
    double sign;
    scarce_table **train, **valid; /* per repeat */
    size_t repeats;
    int boosted;
    double begun;
    pthread_mutex_t lock;
    scarce_status status;
    scarce_error error;
} search;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw_trial(const search *s, size_t t, size_t best)
{
    scarce__random r = scarce__random_start(scarce_context_seed(s->ctx), SCARCE__FOR_SEARCH, t);
    for (size_t i = 0; i < s->n_places; ++i) {
        const double fresh = scarce__random_unit(&r), step = scarce__random_unit(&r),
                     coin = scarce__random_unit(&r);
        double u = t == 0 ? (double)NAN : fresh;
        if (best != SIZE_MAX) {
            u = s->trials[best].u[i];
            if (coin < 0.5 && (isnan(u) || s->places[i].choices)) u = fresh;
            else if (coin < 0.5) u += (step - 0.5) / 2;
            if (u < 0) u = 0;
            if (u > 1) u = 1;
        }
        s->trials[t].u[i] = u;
    }
}

static scarce_status settings_of(const search *s, size_t t, scarce__text *out, scarce_error *err)
{
    for (size_t i = 0; i < s->n_places; ++i) {
        if (isnan(s->trials[t].u[i])) continue;
        if (out->n) scarce__text_add_char(out, ' ');
        scarce__text_add(out, s->places[i].param->name);
        scarce__text_add_char(out, '=');
        put_value(&s->places[i], s->trials[t].u[i], out);
    }
    return out->failed ? scarce__fail_memory(err, "a trial", 0) : SCARCE_OK;
}

enum { PATIENCE = 50 }; /* trees without a better value */

/* One setting on one repeat. */
static scarce_status try_once(const search *s, const char *settings, int stop_early, size_t repeat,
                              double *value, size_t *iterations, scarce_error *err)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_train_options to = SCARCE_TRAIN_OPTIONS_INIT;
    const scarce_metrics_options mo = SCARCE_METRICS_OPTIONS_INIT;
    scarce_train_summary summary;
    scarce_context *ctx = NULL;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_metrics m;
    scarce_status st;

    co.threads = 1;
    co.seed = scarce_context_seed(s->ctx);
    st = scarce_context_new(&ctx, &co, err);
    if (st == SCARCE_OK) st = scarce__params_of_spec(&params, s->spec, err);
    if (st == SCARCE_OK) st = scarce_params_set_list(params, settings, ' ', err);
    if (st == SCARCE_OK && stop_early) st = scarce__params_preset(params->values, "n_trees", "1000", err);
    to.valid = s->valid[repeat];
    to.metric = s->o->metric;
    to.early_stop = stop_early ? PATIENCE : 0;
    if (st == SCARCE_OK) st = scarce_train(&model, s->train[repeat], params, &to, &summary, ctx, err);
    if (st == SCARCE_OK) st = scarce__judge_model(&m, model, s->valid[repeat], &mo, ctx, err);
    if (st == SCARCE_OK) {
        *value = scarce_metric_value(&m, s->metric);
        *iterations = summary.best_iteration;
    }
    scarce_model_free(model);
    scarce_params_free(params);
    scarce_context_free(ctx);
    return st;
}

static scarce_status try_setting(search *s, size_t t, scarce_error *err)
{
    scarce__text settings = SCARCE__TEXT_INIT;
    const double begun = now();
    const int stop_early = s->boosted && t > 0; /* the default is tried as it is */
    double sum = 0;
    size_t trees = 0;
    scarce_status st = settings_of(s, t, &settings, err);

    for (size_t r = 0; st == SCARCE_OK && r < s->repeats; ++r) {
        double value = (double)NAN;
        size_t iterations = 0;
        st = try_once(s, settings.bytes ? settings.bytes : "", stop_early, r, &value, &iterations, err);
        sum += value;
        trees += iterations;
    }
    s->results[t].value = sum / (double)s->repeats;
    s->results[t].iterations = trees / s->repeats;
    s->results[t].seconds = now() - begun;
    if (st == SCARCE_OK &&
        stop_early) /* what early stopping found, so that the settings can be used without it */
        scarce__text_addf(&settings, "%sn_trees=%zu", settings.n ? " " : "",
                          s->results[t].iterations ? s->results[t].iterations : 1);
    if (st == SCARCE_OK && !settings.failed)
        s->results[t].settings = scarce__strdup(settings.bytes ? settings.bytes : "");
    if (st == SCARCE_OK && !s->results[t].settings) st = scarce__fail_memory(err, "a trial", 0);
    scarce__text_deinit(&settings);
    return st;
}

static void run_trial(void *arg, size_t t, int worker)
{
    search *s = arg;
    scarce_error err = SCARCE_ERROR_INIT;
    const scarce_status st = try_setting(s, t, &err);
    (void)worker;
    if (st == SCARCE_OK) return;
    pthread_mutex_lock(&s->lock);
    if (s->status == SCARCE_OK) {
        s->status = st;
        s->error = err;
    }
    pthread_mutex_unlock(&s->lock);
}

static size_t best_of(const search *s, size_t n)
{
    size_t best = SIZE_MAX;
    for (size_t t = 0; t < n; ++t)
        if (!isnan(s->results[t].value) &&
            (best == SIZE_MAX || s->sign * s->results[t].value > s->sign * s->results[best].value))
            best = t;
    return best;
}

/* Batches of fixed size: the points near the best depend on whole batches only, never on who was first. */
static scarce_status run_search(search *s, scarce_tuned *out, scarce_error *err)
{
    enum { BATCH = 8 };
    const size_t wide = (2 * s->o->trials + 2) / 3;
    size_t done = 0;

    while (done < s->o->trials && s->status == SCARCE_OK) {
        const size_t limit = done < wide ? wide : s->o->trials,
                     n = limit - done < BATCH ? limit - done : BATCH;
        const size_t best = best_of(s, done);
        scarce__study_range range = {run_trial, s, done};
        char note[64] = "";
        if (best != SIZE_MAX) snprintf(note, sizeof note, "best %.4f", s->results[best].value);
        const scarce_progress p = {"tune", (double)done, (double)s->o->trials, "trials", note};
        if (scarce__progress(s->ctx, &p) ||
            (s->o->seconds > 0 && done > 0 && now() - s->begun > s->o->seconds))
            break;
        for (size_t t = done; t < done + n; ++t) draw_trial(s, t, done < wide ? SIZE_MAX : best);
        scarce__pool_run(scarce__context_pool(s->ctx), n, scarce__study_range_task, &range);
        done += n;
    }
    if (s->status != SCARCE_OK) {
        if (err) *err = s->error;
        return s->status;
    }
    out->n_trials = done;
    out->best = best_of(s, done);
    if (out->best == SIZE_MAX)
        return scarce__fail(err, SCARCE_EDATA,
                            "the metric is undefined on the validation rows: too few positives to tune on");
    return SCARCE_OK;
}

/* ---- set-up */

static scarce_status find_places(search *s, const scarce_params *params, scarce_error *err)
{
    const scarce__param_table *table = s->method->params;
    s->places = scarce__calloc(table->count, sizeof *s->places);
    if (!s->places) return scarce__fail_memory(err, "a search", 0);
    for (size_t i = 0; i < table->count; ++i) {
        if (strcmp(table->params[i].name, "n_trees") == 0) {
            s->boosted = !scarce__params_given(params->values, i);
            continue;
        }
        if (!table->params[i].search || scarce__params_given(params->values, i)) continue;
        const char *where = place_if(params, table->params[i].search);
        if (where && parse_place(&s->places[s->n_places], &table->params[i], where)) s->n_places += 1;
    }
    return SCARCE_OK;
}

static scarce_status split(search *s, const scarce_table *table, scarce_error *err)
{
    s->repeats = table->time ? 1 : s->o->repeats ? s->o->repeats : 1;
    s->train = scarce__calloc(s->repeats, sizeof(scarce_table *));
    s->valid = scarce__calloc(s->repeats, sizeof(scarce_table *));
    if (!s->train || !s->valid) return scarce__fail_memory(err, "a search", 0);
    for (size_t r = 0; r < s->repeats; ++r) {
        scarce_split parts;
        scarce_status st;
        memset(&parts, 0, sizeof parts);
        if (table->time) st = scarce_split_latest(&parts, table, s->o->valid_fraction, err);
        else st = scarce_split_holdout(&parts, table, s->o->valid_fraction, 1000 + r, s->ctx, err);
        if (st == SCARCE_OK)
            st = scarce_table_rows_of(&s->train[r], table, parts.train, parts.n_train, s->ctx, err);
        if (st == SCARCE_OK)
            st = scarce_table_rows_of(&s->valid[r], table, parts.test, parts.n_test, s->ctx, err);
        scarce_split_deinit(&parts);
        SCARCE__TRY(st);
    }
    return SCARCE_OK;
}

static scarce_status start(search *s, const scarce_table *table, scarce_error *err)
{
    const char *metric = s->o->metric ? s->o->metric : "ap";
    scarce_params *params = NULL;
    scarce_status st;

    s->metric = scarce_metric_find(metric);
    if (s->metric == SIZE_MAX || scarce_metric_direction(s->metric) == 0)
        return scarce__fail(err, SCARCE_EINVAL, "metric \"%.40s\" is none to tune on", metric);
    if (s->o->trials == 0 || s->o->trials > 100000)
        return scarce__fail(err, SCARCE_EINVAL, "trials must be 1 to 100000");
    s->sign = scarce_metric_direction(s->metric);
    SCARCE__TRY(scarce__params_of_spec(&params, s->spec, err));
    s->method = params->method;
    st = find_places(s, params, err);
    scarce_params_free(params);
    if (st == SCARCE_OK) st = split(s, table, err);
    if (st != SCARCE_OK) return st;
    s->results = scarce__calloc(s->o->trials, sizeof *s->results);
    s->trials = scarce__calloc(s->o->trials, sizeof *s->trials);
    if (!s->results || !s->trials) return scarce__fail_memory(err, "a search", 0);
    for (size_t t = 0; t < s->o->trials; ++t) {
        s->trials[t].u = scarce__calloc(s->n_places, sizeof(double));
        if (!s->trials[t].u) return scarce__fail_memory(err, "a search", 0);
    }
    return SCARCE_OK;
}

static void finish(search *s)
{
    for (size_t t = 0; s->trials && t < s->o->trials; ++t) scarce__free(s->trials[t].u);
    scarce__free(s->trials);
    scarce__free(s->places);
    for (size_t r = 0; r < s->repeats; ++r) {
        if (s->train) scarce_table_free(s->train[r]);
        if (s->valid) scarce_table_free(s->valid[r]);
    }
    scarce__free(s->train);
    scarce__free(s->valid);
}

scarce_status scarce_tune_run(scarce_tuned *out, const scarce_table *table, const char *method,
                              const scarce_tune_options *options, scarce_context *ctx, scarce_error *err)
{
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    search s;
    scarce_status st;

    memset(out, 0, sizeof *out);
    if (options) memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
    memset(&s, 0, sizeof s);
    s.spec = method;
    s.o = &o;
    s.ctx = ctx;
    s.begun = now();
    if (!table->label) return scarce__fail(err, SCARCE_EDATA, "the table has no label");
    pthread_mutex_init(&s.lock, NULL);
    st = start(&s, table, err);
    if (st == SCARCE_OK) st = run_search(&s, out, err);
    out->trials = s.results;
    if (st != SCARCE_OK) {
        out->n_trials = s.results ? o.trials : 0;
        scarce_tuned_deinit(out);
    }
    pthread_mutex_destroy(&s.lock);
    finish(&s);
    return st;
}
