/* SPDX-License-Identifier: Apache-2.0 */
/* scarce features DATA --define F -o OUT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef struct features_command {
    common_options common;
    const char *define, *output, *label_time, *label_delay, *for_model;
    const char *format, *separator, *decimal, *date_order, *time_format;
    int check;
} features_command;

#define AT(f) offsetof(features_command, f)
static const option_spec specs[] = {
    {"--define", "FILE", OPTION_TEXT, AT(define), "what the features are (docs/features.md)"},
    {"-o", "OUT", OPTION_TEXT, AT(output),
     "where the table with its features goes, as CSV (default: stdout)"},
    {"--check", NULL, OPTION_FLAG, AT(check),
     "read the definitions alone and print a line for each feature; no data are needed"},
    {"--for", "MODEL", OPTION_TEXT, AT(for_model),
     "refuse definitions other than those the model was trained with (train --define)"},
    {"--label-time", "COL", OPTION_TEXT, AT(label_time),
     "when the label of a row became known (default: label_time where there is such a column)"},
    {"--label-delay", "SPAN", OPTION_TEXT, AT(label_delay),
     "without such a column: that long after the row, like 7d (default: 0, one second)"},
    {"--format", "NAME", OPTION_TEXT, AT(format), "csv or tsv (default: by the name of the file)"},
    {"--separator", "C", OPTION_TEXT, AT(separator), "between columns: , ; | or tab (default: what fits)"},
    {"--decimal", "SIGN", OPTION_TEXT, AT(decimal), "of numbers: . or , (default: what fits)"},
    {"--date-order", "ORDER", OPTION_TEXT, AT(date_order), "of dates like 01/04/2018: dmy, mdy or ymd"},
    {"--time-format", "NAME", OPTION_TEXT, AT(time_format),
     "what numbers of the time column are: s, ms, us, ns, minutes, hours, days, yyyymmdd, number"},
};

/* "7d" as seconds; a number alone counts seconds. */
static int parse_delay(const char *text, double *seconds)
{
    static const char units[] = "smhdw";
    static const double lengths[] = {1, 60, 3600, 86400, 604800};
    char *end = NULL;
    const char *unit;
    *seconds = strtod(text, &end);
    unit = *end ? strchr(units, *end) : units;
    if (end == text || !unit || (*end && end[1]) ||
        !(*seconds >= 0 && *seconds * lengths[unit - units] < 1e10))
        return complain(EXIT_USE, "--label-delay wants a span like 7d or 12h, not \"%s\"", text);
    *seconds *= lengths[unit - units];
    return EXIT_DONE;
}

static scarce_status take_options(scarce_features_options *to, const features_command *o, scarce_error *err)
{
    data_options data;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_status st;

    memset(&data, 0, sizeof data);
    data.format = o->format;
    data.separator = o->separator;
    data.decimal = o->decimal;
    data.date_order = o->date_order;
    data.time_format = o->time_format;
    st = set_read_options(&ro, &data, NULL, err);
    to->format = ro.format;
    to->separator = ro.separator;
    to->decimal = ro.decimal;
    to->date_order = ro.date_order;
    to->time_format = ro.time_format;
    to->label_time = o->label_time;
    return st;
}

static void report_json(const features_command *o, const scarce_definitions *d,
                        const scarce_features_summary *s)
{
    json_open('{');
    json_key("rows"), json_count((size_t)s->rows);
    json_key("features"), json_count((size_t)s->features);
    json_key("duplicates"), json_count((size_t)s->duplicates);
    json_key("out_of_order"), json_count((size_t)s->out_of_order);
    json_key("late"), json_count((size_t)s->late);
    json_key("folded"), json_count((size_t)s->folded);
    json_key("digest"), json_text(scarce_definitions_digest(d));
    json_key("output"), json_text(o->output);
    json_close('}');
    json_end();
}

static void print_definitions(const features_command *o, const scarce_definitions *d)
{
    if (!o->common.json) {
        fputs(scarce_definitions_text(d), stdout);
        return;
    }
    json_open('{');
    json_key("digest"), json_text(scarce_definitions_digest(d));
    json_key("features"), json_open('[');
    for (size_t i = 0; i < scarce_definitions_count(d); ++i) json_text(scarce_definitions_name(d, i));
    json_close(']');
    json_key("text"), json_text(scarce_definitions_text(d));
    json_close('}');
    json_end();
}

static void tell(const features_command *o, const scarce_features_summary *s)
{
    say("%llu rows, %llu features%s%s", (unsigned long long)s->rows, (unsigned long long)s->features,
        o->output ? ", written to " : "", o->output ? o->output : "");
    if (s->duplicates)
        say("%llu row%s with an id that was there before: told the features, but part of no other's past",
            (unsigned long long)s->duplicates, s->duplicates == 1 ? "" : "s");
    if (s->out_of_order)
        say("%llu row%s older than one above: a row sees only rows above it (sort by time, if the order of "
            "the file says "
            "nothing)",
            (unsigned long long)s->out_of_order, s->out_of_order == 1 ? "" : "s");
    if (s->late)
        say("%llu time%s a row was older than the horizon of a kind: part of no other's past there",
            (unsigned long long)s->late, s->late == 1 ? "" : "s");
    if (s->folded)
        say("%llu time%s a key had more than max_events live rows: the far edges of its windows are coarse",
            (unsigned long long)s->folded, s->folded == 1 ? "" : "s");
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const features_command *o = options;
    scarce_features_options fo = SCARCE_FEATURES_OPTIONS_INIT;
    scarce_features_summary s = SCARCE_FEATURES_SUMMARY_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_definitions *d = NULL;
    scarce_status st;
    int code;

    if (!o->define) return complain(EXIT_USE, "which features? (--define FILE; docs/features.md)");
    if (!o->check && args->paths.count == 0)
        return complain(EXIT_USE, "which data? (scarce features DATA --define FILE -o OUT)");
    if (o->common.json && !o->output && !o->check)
        return complain(EXIT_USE, "--json needs -o: stdout can't hold both the table and JSON");
    if ((code = check_output(o->output)) != EXIT_DONE) return code;
    if (o->label_delay && (code = parse_delay(o->label_delay, &fo.label_delay)) != EXIT_DONE) return code;
    st = scarce_definitions_load(&d, o->define, &err);
    if (st == SCARCE_OK && o->for_model) st = check_definitions_for(o->for_model, d, &err);
    if (st == SCARCE_OK) st = take_options(&fo, o, &err);
    if (st == SCARCE_OK && !o->check)
        st = scarce_features_table(d, args->paths.items, args->paths.count, o->output ? o->output : "-", &fo,
                                   ctx, &s, &err);
    talk_clear();
    if (st == SCARCE_OK && o->check) print_definitions(o, d);
    else if (st == SCARCE_OK && o->common.json) report_json(o, d, &s);
    else if (st == SCARCE_OK) tell(o, &s);
    scarce_definitions_free(d);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_features = {"features",
                                  "adds what the past says: counts, sums, means, ... over rolling windows",
                                  "DATA... --define FILE -o OUT",
                                  "  scarce simulate fraud --raw -o raw.csv\n"
                                  "  scarce features raw.csv --define payments.features -o pay.csv\n"
                                  "  scarce features --define payments.features --check\n",
                                  specs,
                                  sizeof specs / sizeof specs[0],
                                  sizeof(features_command),
                                  NULL,
                                  0,
                                  0,
                                  NULL,
                                  run};
