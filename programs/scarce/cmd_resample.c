/* SPDX-License-Identifier: Apache-2.0 */
/* scarce resample DATA --method R -o OUT */
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef struct resample_command {
    common_options common;
    data_options data;
    const char *method, *output, *origin;
    text_list set;
} resample_command;

#define AT(f) offsetof(resample_command, f)
static const option_spec specs[] = {
    {"--method", "NAME", OPTION_TEXT, AT(method), "how (scarce methods lists them)"},
    {"-o", "OUT", OPTION_TEXT, AT(output), "where the new table goes, as CSV (default: stdout)"},
    {"--set", "KEY=VALUE", OPTION_LIST, AT(set), "a parameter of the method (repeatable)"},
    {"--origin", "COLUMN", OPTION_TEXT, AT(origin),
     "add a column of this name that says original or synthetic (copied or made up)"},
};

/* "name:key=value:key=value", freed by free. */
static char *spec_of(const resample_command *o)
{
    size_t n = strlen(o->method) + 1;
    char *spec;
    for (size_t i = 0; i < o->set.count; ++i) n += strlen(o->set.items[i]) + 1;
    spec = malloc(n);
    if (spec) strcpy(spec, o->method);
    for (size_t i = 0; spec && i < o->set.count; ++i) strcat(strcat(spec, ":"), o->set.items[i]);
    return spec;
}

static void report_json(const resample_command *o, const scarce_table *before, const scarce_table *after)
{
    json_open('{');
    json_key("method"), json_text(o->method);
    json_key("rows_before"), json_count(scarce_table_rows(before));
    json_key("positives_before"), json_count(scarce_table_positives(before));
    json_key("rows"), json_count(scarce_table_rows(after));
    json_key("positives"), json_count(scarce_table_positives(after));
    json_key("output"), json_text(o->output);
    json_close('}');
    json_end();
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const resample_command *o = options;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_write_options wo = SCARCE_WRITE_OPTIONS_INIT;
    scarce_resample_info info = SCARCE_RESAMPLE_INFO_INIT;
    scarce_table *table = NULL, *other = NULL;
    uint8_t *synthetic = NULL;
    char *spec;
    scarce_status st;
    int code;

    if (args->paths.count == 0)
        return complain(EXIT_USE, "which data? (scarce resample DATA --method NAME -o OUT)");
    if (!o->method) return complain(EXIT_USE, "which --method? (scarce methods lists them)");
    if (o->common.json && !o->output)
        return complain(EXIT_USE, "--json needs -o: stdout can't hold both the table and JSON");
    if ((code = check_output(o->output)) != EXIT_DONE) return code;
    spec = spec_of(o);
    if (!spec) return complain(EXIT_FAILED, "out of memory");
    st = scarce_resample_check(spec, &err);
    data_options data = o->data;
    data.keep_all = data.no_talk = 1; /* nothing is to be lost from what is written */
    if (st == SCARCE_OK) st = read_table_with_texts(&table, &args->paths, &data, ctx, &err);
    if (st == SCARCE_OK) st = scarce_resample(&other, &synthetic, &info, table, spec, ctx, &err);
    talk_clear();
    if (st == SCARCE_OK) {
        wo.origin = o->origin;
        wo.synthetic = o->origin ? synthetic : NULL;
        st = scarce_table_write(other, o->output ? o->output : "-", &wo, ctx, &err);
    }
    if (st == SCARCE_OK && o->common.json) report_json(o, table, other);
    else if (st == SCARCE_OK)
        say("%zu rows (%zu positives) became %zu (%zu positives)", scarce_table_rows(table),
            scarce_table_positives(table), scarce_table_rows(other), scarce_table_positives(other));
    scarce_resample_flags_free(synthetic);
    scarce_table_free(other);
    scarce_table_free(table);
    free(spec);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_resample = {
    "resample",
    "writes a table with another class ratio",
    "DATA... --method NAME -o OUT [--set KEY=VALUE]",
    "  scarce resample pay.csv --label fraud --method random-under --set ratio=0.1 -o small.csv\n"
    "  scarce resample pay.csv --label fraud --method smote --set ratio=0.2 --origin from -o more.csv\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(resample_command),
    data_option_specs,
    offsetof(resample_command, data),
    0,
    NULL,
    run};
