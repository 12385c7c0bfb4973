/* SPDX-License-Identifier: Apache-2.0 */
/* scarce transform MODEL DATA -o OUT: rows in the space a metric learner learnt. */
#include "program.h"

typedef struct transform_command {
    common_options common;
    data_options data;
    const char *output;
} transform_command;

#define AT(f) offsetof(transform_command, f)
static const option_spec specs[] = {
    {"-o", "OUT", OPTION_TEXT, AT(output), "where the new table goes, as CSV (default: stdout)"},
};

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const transform_command *o = options;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    scarce_table *table = NULL, *mapped = NULL;
    scarce_status st;
    int code;

    if (args->paths.count < 2)
        return complain(EXIT_USE, "a model and data, please (scarce transform MODEL DATA -o OUT)");
    if (o->common.json && !o->output)
        return complain(EXIT_USE, "--json needs -o: stdout can't hold both the table and JSON");
    if ((code = check_output(o->output)) != EXIT_DONE) return code;
    const text_list data = {args->paths.items + 1, args->paths.count - 1};
    st = scarce_model_load(&model, args->paths.items[0], &err);
    if (st == SCARCE_OK) st = read_table(&table, &data, &o->data, scarce_model_schema(model), ctx, &err);
    talk_clear();
    if (st == SCARCE_OK) st = scarce_model_transform(&mapped, model, table, ctx, &err);
    if (st == SCARCE_OK) st = scarce_table_write(mapped, o->output ? o->output : "-", NULL, ctx, &err);
    if (st == SCARCE_OK && o->common.json) {
        json_open('{');
        json_key("rows"), json_count(scarce_table_rows(mapped));
        json_key("features"), json_count(scarce_table_features(mapped));
        json_key("output"), json_text(o->output);
        json_close('}');
        json_end();
    } else if (st == SCARCE_OK)
        say("%zu rows of %zu features became %zu", scarce_table_rows(mapped), scarce_table_features(table),
            scarce_table_features(mapped));
    scarce_table_free(mapped);
    scarce_table_free(table);
    scarce_model_free(model);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_transform = {"transform",
                                   "writes rows in the space a metric learner learnt",
                                   "MODEL DATA... [-o OUT]",
                                   "The columns are z1, z2, ... and the label, if there is one: Euclidean "
                                   "distances between these rows are those of the\n"
                                   "metric, so any other tool can use it.\n\n"
                                   "  scarce train pay.csv --method lmnn -o metric.scarce\n"
                                   "  scarce transform metric.scarce pay.csv -o mapped.csv\n",
                                   specs,
                                   sizeof specs / sizeof specs[0],
                                   sizeof(transform_command),
                                   data_option_specs,
                                   offsetof(transform_command, data),
                                   0,
                                   NULL,
                                   run};
