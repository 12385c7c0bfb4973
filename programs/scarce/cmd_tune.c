/* SPDX-License-Identifier: Apache-2.0 */
/* scarce tune DATA --method M: a search for good parameters, as a file that train --config takes. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef struct tune_command {
    common_options common;
    data_options data;
    const char *method, *output, *metric;
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
     "settings tried (default 30; the first is the default setting)"},
    {"--seconds", "S", OPTION_REAL, AT(seconds), "try no more after so long"},
    {"--valid-fraction", "F", OPTION_REAL, AT(valid_fraction),
     "share of the rows that judges: the latest with --time, else a stratified draw (default 0.25)"},
    {"--repeats", "N", OPTION_COUNT, AT(repeats), "draws a setting is judged on (default 3; 1 with --time)"},
};

static void defaults(void *options)
{
    tune_command *o = options;
    const scarce_tune_options to = SCARCE_TUNE_OPTIONS_INIT;
    o->trials = (long)to.trials;
    o->repeats = (long)to.repeats;
    o->valid_fraction = to.valid_fraction;
}

static scarce_status put(scarce_output *out, const char *text, scarce_error *err)
{
    return scarce_output_write(out, text, strlen(text), err);
}

static scarce_status write_config(const scarce_tuned *t, const tune_command *o, scarce_error *err)
{
    const char *method = o->method ? o->method : "gb", *colon = strchr(method, ':');
    const scarce_trial *best = &t->trials[t->best];
    scarce_output *out = NULL;
    scarce_status st = scarce_output_open(&out, o->output ? o->output : "-", err);
    char line[256], *rest;

    if (st != SCARCE_OK) return st;
    snprintf(line, sizeof line, "# %s %.6g on the validation rows (default: %.6g), %zu trials\n",
             o->metric ? o->metric : "ap", best->value, t->trials[0].value, t->n_trials);
    st = put(out, line, err);
    snprintf(line, sizeof line, "method = %.*s\n", colon ? (int)(colon - method) : (int)strlen(method),
             method);
    if (st == SCARCE_OK) st = put(out, line, err);
    rest = malloc(strlen(best->settings) + (colon ? strlen(colon) : 0) + 2);
    if (!rest) st = fail_with(err, SCARCE_ENOMEM, "out of memory");
    else sprintf(rest, "%s%s%s", colon ? colon + 1 : "", colon && *best->settings ? " " : "", best->settings);
    for (char *item = rest; st == SCARCE_OK && item && *item;) {
        const size_t n = strcspn(item, colon && item < rest + strlen(colon + 1) ? ": " : " ");
        const char *equals = memchr(item, '=', n);
        if (equals) {
            snprintf(line, sizeof line, "%.*s = %.*s\n", (int)(equals - item), item,
                     (int)(n - (size_t)(equals + 1 - item)), equals + 1);
            st = put(out, line, err);
        }
        item += n + (item[n] != '\0');
    }
    free(rest);
    if (st != SCARCE_OK) {
        scarce_output_abort(out);
        return st;
    }
    return scarce_output_commit(out, err);
}

static void print_json(const scarce_tuned *t)
{
    json_open('{');
    json_key("best"), json_count(t->best);
    json_key("value"), json_number(t->trials[t->best].value);
    json_key("settings"), json_text(t->trials[t->best].settings);
    json_key("trials"), json_open('[');
    for (size_t i = 0; i < t->n_trials; ++i) {
        json_open('{');
        json_key("settings"), json_text(t->trials[i].settings);
        json_key("value"), json_number(t->trials[i].value);
        json_key("seconds"), json_number(t->trials[i].seconds);
        json_key("iterations"), json_count(t->trials[i].iterations);
        json_close('}');
    }
    json_close(']');
    json_close('}');
    json_end();
}

/* The curve of the best so far: a line whenever it rises. */
static void tell_curve(const scarce_tuned *t, int sign)
{
    double best = t->trials[0].value;
    say("trial %4d  %.5f  (the default)", 1, best);
    for (size_t i = 1; i < t->n_trials; ++i) {
        if (!(sign * t->trials[i].value > sign * best)) continue;
        best = t->trials[i].value;
        say("trial %4zu  %.5f  %s", i + 1, best, t->trials[i].settings);
    }
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const tune_command *o = options;
    scarce_tune_options to = SCARCE_TUNE_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *table = NULL;
    scarce_tuned tuned;
    scarce_status st;

    memset(&tuned, 0, sizeof tuned);
    if (args->paths.count == 0)
        return complain(EXIT_USE, "which data? (scarce tune DATA --method gb -o gb.conf)");
    to.metric = o->metric;
    to.trials = (size_t)o->trials;
    to.seconds = o->seconds;
    to.valid_fraction = o->valid_fraction;
    to.repeats = (size_t)o->repeats;
    st = read_table(&table, &args->paths, &o->data, NULL, ctx, &err);
    if (st == SCARCE_OK) st = scarce_tune_run(&tuned, table, o->method ? o->method : "gb", &to, ctx, &err);
    talk_clear();
    if (st == SCARCE_OK) {
        tell_curve(&tuned, scarce_metric_direction(scarce_metric_find(o->metric ? o->metric : "ap")));
        if (o->common.json) print_json(&tuned);
        if (!o->common.json || o->output) st = write_config(&tuned, o, &err);
    }
    scarce_tuned_deinit(&tuned);
    scarce_table_free(table);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
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
