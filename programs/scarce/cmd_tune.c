/* SPDX-License-Identifier: Apache-2.0 */
/* scarce tune DATA --method M: a search for good parameters, as a file that train --config takes. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef struct tune_command {
    common_options common;
    data_options data;
    const char *method, *output, *metric, *report;
    long trials, repeats;
    double seconds, valid_fraction;
} tune_command;

#define AT(f) offsetof(tune_command, f)
static const option_spec specs[] = {
    {"--method", "NAME", OPTION_TEXT, AT(method),
     "method, with parameters to hold fixed: gb:max_depth=3 (default gb)"},
    {"-o", "FILE", OPTION_TEXT, AT(output), "the best setting, for train --config (default: stdout)"},
    {"--metric", "NAME", OPTION_TEXT, AT(metric),
     "what is maximised (or minimised, as the metric wants; default ap)"},
    {"--trials", "N", OPTION_COUNT, AT(trials),
     "settings tried (default 30, or with --seconds as many as they allow; the first is the "
     "default setting)"},
    {"--seconds", "S", OPTION_REAL, AT(seconds), "try no more after so long"},
    {"--valid-fraction", "F", OPTION_REAL, AT(valid_fraction),
     "share of the rows that judges: the latest with --time, else a fold of a cross-validation "
     "(default 0.25)"},
    {"--repeats", "N", OPTION_COUNT, AT(repeats),
     "splits a setting is judged on (default: as many as give 100 positives, at most two rounds of "
     "cross-validation)"},
    {"--report", "FILE.html", OPTION_TEXT, AT(report), "one page with what was tried"},
};

static void defaults(void *options)
{
    tune_command *o = options;
    const scarce_tune_options to = SCARCE_TUNE_OPTIONS_INIT;
    o->trials = -1; /* not given */
    o->repeats = (long)to.repeats;
    o->valid_fraction = to.valid_fraction;
}

static scarce_status put_line(scarce_output *out, scarce_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static scarce_status put_line(scarce_output *out, scarce_error *err, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return scarce_output_write(out, line, strlen(line), err);
}

/* "key=value" items as lines. */
static scarce_status put_items(scarce_output *out, const char *items, char separator, scarce_error *err)
{
    scarce_status st = SCARCE_OK;
    while (*items && st == SCARCE_OK) {
        const char *end = strchr(items, separator), *equals = strchr(items, '=');
        const size_t n = end ? (size_t)(end - items) : strlen(items);
        if (equals && equals < items + n)
            st = put_line(out, err, "%.*s = %.*s\n", (int)(equals - items), items,
                          (int)(n - (size_t)(equals + 1 - items)), equals + 1);
        items += n + (end != NULL);
    }
    return st;
}

static scarce_status write_config(const scarce_tune_result *t, const tune_command *o, scarce_error *err)
{
    const char *method = o->method ? o->method : "gb", *colon = strchr(method, ':');
    const scarce_tune_trial *best = t->trials[t->best];
    scarce_output *out = NULL;
    scarce_status st = scarce_output_open(&out, o->output ? o->output : "-", err);

    if (st != SCARCE_OK) return st;
    st = put_line(out, err, "# %s %.6g on %zu validation splits (default: %.6g), %zu trials\n",
                  o->metric ? o->metric : "ap", best->value, t->splits, t->trials[0]->value, t->n_trials);
    if (st == SCARCE_OK)
        st = put_line(out, err, "method = %.*s\n", colon ? (int)(colon - method) : (int)strlen(method),
                      method);
    if (st == SCARCE_OK && colon) st = put_items(out, colon + 1, ':', err);
    if (st == SCARCE_OK) st = put_items(out, best->settings, ' ', err);
    if (st != SCARCE_OK) {
        scarce_output_abort(out);
        return st;
    }
    return scarce_output_commit(out, err);
}

/* ---- the curve of the best so far */

/* The next trial after i, in the order they ended, that is better than `best` and was judged in full;
 * SIZE_MAX: none. */
static size_t next_better(const scarce_tune_result *t, double after, double best, int sign)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < t->n_trials; ++i) {
        const scarce_tune_trial *c = t->trials[i];
        if (c->share < 1 || !(sign * c->value > sign * best) || c->finished < after) continue;
        if (found == SIZE_MAX || c->finished < t->trials[found]->finished) found = i;
    }
    return found;
}

static void json_curve(const scarce_tune_result *t, int sign)
{
    size_t at = 0;
    json_key("curve"), json_open('[');
    while (at != SIZE_MAX) {
        json_open('{');
        json_key("trial"), json_count(at);
        json_key("seconds"), json_number(t->trials[at]->finished);
        json_key("value"), json_number(t->trials[at]->value);
        json_close('}');
        at = next_better(t, t->trials[at]->finished, t->trials[at]->value, sign);
    }
    json_close(']');
}

static void print_json(const scarce_tune_result *t, int sign)
{
    json_open('{');
    json_key("best"), json_count(t->best);
    json_key("value"), json_number(t->trials[t->best]->value);
    json_key("settings"), json_text(t->trials[t->best]->settings);
    json_key("highest"), json_count(t->highest);
    json_key("difference"), json_number(t->difference);
    json_key("error"), json_number(t->error);
    json_key("splits"), json_count(t->splits);
    json_curve(t, sign);
    json_key("trials"), json_open('[');
    for (size_t i = 0; i < t->n_trials; ++i) {
        json_open('{');
        json_key("settings"), json_text(t->trials[i]->settings);
        json_key("value"), json_number(t->trials[i]->value);
        json_key("share"), json_number(t->trials[i]->share);
        json_key("seconds"), json_number(t->trials[i]->seconds);
        json_key("iterations"), json_count(t->trials[i]->iterations);
        json_close('}');
    }
    json_close(']');
    json_close('}');
    json_end();
}

static void tell_curve(const scarce_tune_result *t, int sign)
{
    const scarce_tune_trial *first = t->trials[0];
    say("trial %4d  %.5f  (the default)", 1, first->value);
    for (size_t at = next_better(t, first->finished, first->value, sign); at != SIZE_MAX;
         at = next_better(t, t->trials[at]->finished, t->trials[at]->value, sign))
        say("trial %4zu  %.5f  %s", at + 1, t->trials[at]->value, t->trials[at]->settings);
    if (t->highest == 0) say("nothing was better than the default");
    else if (t->best == 0)
        say("the best is %.5f better than the default (standard error %.5f), too little to be sure: the "
            "default stays",
            sign * t->difference, t->error);
    else say("%.5f better than the default (standard error %.5f)", sign * t->difference, t->error);
}

/* What was tried is kept beside the output until the search is done; freed by free. NULL: there is no file. */
static char *trials_path(const tune_command *o)
{
    const size_t n = o->output ? strlen(o->output) + 8 : 0;
    char *path = o->output && strcmp(o->output, "-") != 0 ? malloc(n) : NULL;
    if (path) snprintf(path, n, "%s.trials", o->output);
    return path;
}

static scarce_status write_page(const scarce_tune_result *tuned, const tune_command *o,
                                const text_list *paths, scarce_error *err)
{
    scarce_report *r = NULL;
    scarce_status st = begin_page(&r, "Tuning", "", paths, 0, err);
    if (st == SCARCE_OK) st = scarce_page_tuning(r, tuned, o->method ? o->method : "gb", o->metric, err);
    return end_page(r, o->report, st, err);
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const tune_command *o = options;
    scarce_tune_options to = SCARCE_TUNE_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *table = NULL;
    scarce_tune_result tuned = SCARCE_TUNE_RESULT_INIT;
    scarce_status st;
    char *trials;
    int sign, code;

    if (args->paths.count == 0)
        return complain(EXIT_USE, "which data? (scarce tune DATA --method gb -o gb.conf)");
    to.metric = o->metric;
    if (o->trials >= 0) to.trials = (size_t)o->trials;
    else if (o->seconds > 0) to.trials = 0;
    to.seconds = o->seconds;
    to.valid_fraction = o->valid_fraction;
    to.repeats = (size_t)o->repeats;
    if (o->seconds < 0) return complain(EXIT_USE, "--seconds can't be negative");
    if (o->trials == 0) return complain(EXIT_USE, "--trials 0 tries nothing: 1 is the default setting alone");
    if (check_output(o->output) != EXIT_DONE) return EXIT_FAILED;
    code = check_report(o->report);
    if (code != EXIT_DONE) return code;
    trials = trials_path(o);
    to.results = trials;
    st = read_table(&table, &args->paths, &o->data, NULL, ctx, &err);
    if (st == SCARCE_OK) st = scarce_tune_run(&tuned, table, o->method ? o->method : "gb", &to, ctx, &err);
    talk_clear();
    if (st == SCARCE_OK) {
        sign = scarce_metric_direction(scarce_metric_find(o->metric ? o->metric : "ap"));
        tell_curve(&tuned, sign);
        if (o->common.json) print_json(&tuned, sign);
        if (!o->common.json || o->output) st = write_config(&tuned, o, &err);
        if (st == SCARCE_OK && o->report) st = write_page(&tuned, o, &args->paths, &err);
    }
    if (st == SCARCE_ECANCEL && trials)
        code =
            complain(EXIT_INTERRUPTED, "interrupted; the same command goes on where it stopped (%s)", trials);
    else if (st != SCARCE_OK) code = complain_status(&err);
    else if (tuned.cancelled)
        code = complain(EXIT_INTERRUPTED, "interrupted: this is the best so far%s%s",
                        trials ? "; the same command goes on where it stopped, with " : "",
                        trials ? trials : "");
    else {
        remove_finished(trials);
        code = EXIT_DONE;
    }
    free(trials);
    scarce_tune_result_deinit(&tuned);
    scarce_table_free(table);
    return code;
}

const command command_tune = {"tune",
                              "searches a method's parameters",
                              "DATA... [--method NAME] [--trials N] [-o FILE]",
                              "  scarce tune pay.csv --time tx_time --trials 50 -o gb.conf\n"
                              "  scarce train pay.csv --time tx_time --config gb.conf -o fraud.scarce\n",
                              specs,
                              sizeof specs / sizeof specs[0],
                              sizeof(tune_command),
                              data_option_specs,
                              offsetof(tune_command, data),
                              0,
                              defaults,
                              run};
