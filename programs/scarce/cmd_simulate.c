/* SPDX-License-Identifier: Apache-2.0 */
/* scarce simulate KIND -o OUT */
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef struct simulate_command {
    common_options common;
    const char *output;
    text_list set;
    int list, raw;
} simulate_command;

enum { MAX_PARAMS = 64 }; /* of one kind */

#define AT(f) offsetof(simulate_command, f)
static const option_spec specs[] = {
    {"-o", "OUT", OPTION_TEXT, AT(output), "where the CSV goes (default: stdout)"},
    {"--set", "KEY=VALUE", OPTION_LIST, AT(set),
     "a parameter of the generator (repeatable; --KEY VALUE works too)"},
    {"--raw", NULL, OPTION_FLAG, AT(raw),
     "fraud: payments without features of the past, which scarce features makes (raw=true)"},
    {"--list", NULL, OPTION_FLAG, AT(list), "the kinds and their parameters"},
};

static void print_kinds(void)
{
    for (size_t i = 0; i < scarce_simulate_count(); ++i) {
        const scarce_simulate_info kind = scarce_simulate_get(i);
        printf("%s%s: %s\n", i ? "\n" : "", kind.name, kind.summary);
        for (size_t k = 0; k < kind.n_params; ++k) {
            const scarce_param_info p = scarce_simulate_param(i, k);
            printf("  %-18s %-12s %s\n", p.name, p.def, p.help);
        }
    }
}

static void json_kinds(void)
{
    json_open('[');
    for (size_t i = 0; i < scarce_simulate_count(); ++i) {
        const scarce_simulate_info kind = scarce_simulate_get(i);
        json_open('{');
        json_key("name"), json_text(kind.name);
        json_key("summary"), json_text(kind.summary);
        json_key("parameters"), json_open('[');
        for (size_t k = 0; k < kind.n_params; ++k) {
            const scarce_param_info p = scarce_simulate_param(i, k);
            json_open('{');
            json_key("name"), json_text(p.name);
            json_key("type"), json_text(p.type);
            json_key("default"), json_text(p.def);
            json_key("min"), json_number(p.lo);
            json_key("max"), json_number(p.hi);
            json_key("help"), json_text(p.help);
            json_close('}');
        }
        json_close(']');
        json_close('}');
    }
    json_close(']');
    json_end();
}

static void report_json(const simulate_command *o, const char *kind, const scarce_simulate_summary *s)
{
    json_open('{');
    json_key("kind"), json_text(kind);
    json_key("rows"), json_count((size_t)s->rows);
    json_key("positives"), json_count((size_t)s->positives);
    json_key("cards"), json_count((size_t)s->cards);
    json_key("terminals"), json_count((size_t)s->terminals);
    json_key("days"), json_count((size_t)s->days);
    json_key("scenarios"), json_open('[');
    for (size_t i = 0; i < SCARCE_SIMULATE_SCENARIOS; ++i) json_count((size_t)s->scenario[i]);
    json_close(']');
    json_key("unreported"), json_count((size_t)s->unreported);
    json_key("false_reports"), json_count((size_t)s->false_reports);
    json_key("amount"), json_number(s->amount);
    json_key("amount_fraud"), json_number(s->amount_fraud);
    json_key("intercept"), json_number(s->intercept);
    json_key("mean_probability"), json_number(s->mean_probability);
    json_key("output"), json_text(o->output);
    json_close('}');
    json_end();
}

/* --days 30 as days=30 */
static char *loose_setting(const loose_option *loose)
{
    char name[128];
    const size_t n = sizeof name + (loose->value ? strlen(loose->value) : 0) + 2;
    char *setting = malloc(n);
    loose_name(name, sizeof name, loose->name);
    if (setting) snprintf(setting, n, "%s=%s", name, loose->value ? loose->value : "");
    return setting;
}

/* Everything that can be refused before the work begins. */
static int check_use(const simulate_command *o, const parsed *args)
{
    scarce_param_info params[MAX_PARAMS];
    size_t kind = 0, n;

    if (args->paths.count == 0) return complain(EXIT_USE, "which kind? (scarce simulate --list)");
    if (args->paths.count > 1)
        return complain(EXIT_USE, "one kind at a time, not \"%s\" too", args->paths.items[1]);
    if (o->common.json && !o->output)
        return complain(EXIT_USE, "--json needs -o: stdout can't hold both the data and JSON");
    while (kind < scarce_simulate_count() &&
           strcmp(scarce_simulate_get(kind).name, args->paths.items[0]) != 0)
        ++kind;
    if (kind < scarce_simulate_count()) { /* an unknown one is the library's to complain about */
        n = scarce_simulate_get(kind).n_params;
        for (size_t i = 0; i < n && i < MAX_PARAMS; ++i) params[i] = scarce_simulate_param(kind, i);
        if (check_loose(&command_simulate, args, params, n < MAX_PARAMS ? n : MAX_PARAMS) != EXIT_DONE)
            return EXIT_USE;
    }
    return check_output(o->output);
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const simulate_command *o = options;
    scarce_simulate_summary summary = SCARCE_SIMULATE_SUMMARY_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    const size_t n_given = o->set.count + args->n_loose, n = n_given + (size_t)o->raw;
    char **settings;
    scarce_status st = SCARCE_OK;
    int code;

    if (o->list) {
        if (o->common.json) json_kinds();
        else print_kinds();
        return EXIT_DONE;
    }
    code = check_use(o, args);
    if (code != EXIT_DONE) return code;
    settings = calloc(n ? n : 1, sizeof *settings);
    for (size_t i = 0; settings && i < n; ++i) {
        settings[i] = i < o->set.count ? strdup(o->set.items[i])
                      : i < n_given    ? loose_setting(&args->loose[i - o->set.count])
                                       : strdup("raw=true");
        if (!settings[i]) st = fail_with(&err, SCARCE_ENOMEM, "out of memory");
    }
    if (!settings) st = fail_with(&err, SCARCE_ENOMEM, "out of memory");
    if (st == SCARCE_OK)
        st = scarce_simulate(args->paths.items[0], (const char *const *)settings, n,
                             o->output ? o->output : "-", ctx, &summary, &err);
    for (size_t i = 0; settings && i < n; ++i) free(settings[i]);
    free(settings);
    if (st != SCARCE_OK) return complain_status(&err);
    if (o->common.json && o->output) report_json(o, args->paths.items[0], &summary);
    else
        say("%s: %llu rows, %llu positives (%.3g %%)%s%s", args->paths.items[0],
            (unsigned long long)summary.rows, (unsigned long long)summary.positives,
            summary.rows ? 100.0 * (double)summary.positives / (double)summary.rows : 0.0,
            o->output ? ", written to " : "", o->output ? o->output : "");
    return EXIT_DONE;
}

const command command_simulate = {"simulate",
                                  "makes data: card payments with fraud, thousands of columns, or a toy",
                                  "KIND -o OUT [--set KEY=VALUE]",
                                  "  scarce simulate fraud --transactions 1000000 -o pay.csv\n"
                                  "  scarce simulate fraud --preset handbook -o handbook.csv\n"
                                  "  scarce simulate fraud --raw -o raw.csv\n"
                                  "  scarce simulate copula --rows 1000 --rate 0.1 --seed 7 -o wide.csv\n"
                                  "  scarce simulate --list\n",
                                  specs,
                                  sizeof specs / sizeof specs[0],
                                  sizeof(simulate_command),
                                  NULL,
                                  0,
                                  1,
                                  NULL,
                                  run};
