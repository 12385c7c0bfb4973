/* SPDX-License-Identifier: Apache-2.0 */
/* scarce show MODEL: what is in it, or what it relies on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef struct show_command {
    common_options common;
    const char *format, *importance, *data;
    text_list partial;
    long repeats, points;
    int trees;
} show_command;

#define AT(f) offsetof(show_command, f)
static const option_spec specs[] = {
    {"--format", "FORMAT", OPTION_TEXT, AT(format),
     "text (default), json; of trees dot; of ranking trees also svg, sql and rules; of --partial also csv"},
    {"--trees", NULL, OPTION_FLAG, AT(trees), "the trees too, every split of them"},
    {"--importance", "KIND", OPTION_TEXT, AT(importance),
     "gain or count of the splits; on --data: shap (mean size of contributions) or permutation (AP lost\n"
     "                             by shuffling)"},
    {"--partial", "COL[,COL]", OPTION_COMMAS, AT(partial),
     "mean score of the rows of --data as one feature, or two together, take their values"},
    {"--points", "N", OPTION_COUNT, AT(points),
     "values of each feature for --partial (default 20; of a pair 8)"},
    {"--data", "FILE", OPTION_TEXT, AT(data),
     "rows for --importance and --partial, with the model's columns"},
    {"--repeats", "N", OPTION_COUNT, AT(repeats), "shuffles of each feature (default 5)"},
};

static void defaults(void *options)
{
    ((show_command *)options)->repeats = 5;
    ((show_command *)options)->points = -1; /* 20, or 8 by 8 */
}

typedef struct listed {
    const char *name;
    size_t feature;
    scarce_importance importance;
} listed;

/* Highest first; equal ones in the order of the features. */
static int by_value(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    if (x->importance.value != y->importance.value) return x->importance.value > y->importance.value ? -1 : 1;
    return x->feature < y->feature ? -1 : x->feature > y->feature;
}

static void print_importances(const show_command *o, const listed *list, size_t n)
{
    if (o->common.json) {
        json_open('{');
        json_key("importance"), json_text(o->importance);
        json_key("features"), json_open('[');
    }
    for (size_t i = 0; i < n; ++i) {
        const scarce_importance *x = &list[i].importance;
        if (!o->common.json) {
            printf("%-30s %12.6g", shown(list[i].name), x->value);
            if (!isnan(x->error)) printf(" +- %.2g", x->error);
            putchar('\n');
            continue;
        }
        json_open('{');
        json_key("feature"), json_text(list[i].name);
        json_key("value"), json_number(x->value);
        json_key("error"), json_number(x->error);
        json_close('}');
    }
    if (o->common.json) json_close(']'), json_close('}'), json_end();
}

static scarce_status find_importances(scarce_importance *out, const show_command *o,
                                      const scarce_model *model, const scarce_table *table,
                                      scarce_context *ctx, scarce_error *err)
{
    scarce_explainer *e = NULL;
    scarce_status st;

    if (strcmp(o->importance, "gain") == 0)
        return scarce_importance_splits(out, model, SCARCE_SPLITS_GAIN, err);
    if (strcmp(o->importance, "count") == 0)
        return scarce_importance_splits(out, model, SCARCE_SPLITS_COUNT, err);
    if (strcmp(o->importance, "permutation") == 0)
        return scarce_importance_permutation(out, model, table, (size_t)o->repeats, ctx, err);
    st = scarce_explainer_new(&e, model, NULL, err);
    if (st == SCARCE_OK) st = scarce_importance_shap(out, e, table, ctx, err);
    scarce_explainer_free(e);
    return st;
}

static scarce_status show_importances(const show_command *o, const scarce_model *model,
                                      const scarce_table *table, scarce_context *ctx, scarce_error *err)
{
    const scarce_schema *schema = scarce_model_schema(model);
    const size_t n = scarce_schema_features(schema);
    scarce_importance *found = malloc((n + 1) * sizeof *found);
    listed *list = malloc((n + 1) * sizeof *list);
    scarce_status st = SCARCE_OK;

    if (!found || !list) st = fail_with(err, SCARCE_ENOMEM, "out of memory for %zu features", n);
    if (st == SCARCE_OK) st = find_importances(found, o, model, table, ctx, err);
    talk_clear();
    if (st == SCARCE_OK) {
        for (size_t f = 0; f < n; ++f) list[f] = (listed){scarce_schema_name(schema, f), f, found[f]};
        qsort(list, n, sizeof *list, by_value);
        print_importances(o, list, n);
    }
    free(found);
    free(list);
    return st;
}

static scarce_status show_with_data(const show_command *o, const scarce_model *model, scarce_context *ctx,
                                    scarce_error *err)
{
    const char *path = o->data, *format = o->format ? o->format : o->common.json ? "json" : "text";
    const text_list paths = {&path, 1};
    const long points = o->points > 0 ? o->points : o->partial.count > 1 ? 8 : 20;
    data_options data;
    scarce_table *table = NULL;
    scarce_status st = SCARCE_OK;

    memset(&data, 0, sizeof data);
    if (path) st = read_table(&table, &paths, &data, scarce_model_schema(model), ctx, err);
    talk_clear();
    if (st == SCARCE_OK && o->importance) st = show_importances(o, model, table, ctx, err);
    else if (st == SCARCE_OK) st = print_partial(model, table, &o->partial, (size_t)points, format, ctx, err);
    scarce_table_free(table);
    return st;
}

static int check_importance(const show_command *o)
{
    static const char *const kinds[] = {"gain", "count", "shap", "permutation"};
    size_t kind = 0;

    if (!o->importance) return EXIT_DONE;
    while (kind < 4 && strcmp(kinds[kind], o->importance) != 0) ++kind;
    if (kind == 4)
        return complain(EXIT_USE, "--importance %s is none of gain, count, shap, permutation", o->importance);
    if (kind < 2 && o->data) return complain(EXIT_USE, "--importance %s looks at no --data", o->importance);
    if (kind >= 2 && !o->data)
        return complain(EXIT_USE, "--importance %s needs rows: --data FILE", o->importance);
    if (o->format)
        return complain(EXIT_USE, "--importance prints text, or JSON with --json; --format is for models");
    if (o->repeats == 0) return complain(EXIT_USE, "--repeats wants 1 or more shuffles");
    return EXIT_DONE;
}

static int check_partial(const show_command *o)
{
    if (o->points == 0) return complain(EXIT_USE, "--points wants 1 or more values");
    if (o->partial.count == 0 && o->points > 0) return complain(EXIT_USE, "--points is for --partial");
    if (o->partial.count == 0) {
        if (o->data && !o->importance) return complain(EXIT_USE, "--data is for --importance or --partial");
        return EXIT_DONE;
    }
    if (o->importance) return complain(EXIT_USE, "--importance and --partial exclude each other");
    if (o->partial.count > 2) return complain(EXIT_USE, "--partial takes one feature or two");
    if (!o->data) return complain(EXIT_USE, "--partial needs rows: --data FILE");
    if (o->format && strcmp(o->format, "text") != 0 && strcmp(o->format, "json") != 0 &&
        strcmp(o->format, "csv") != 0)
        return complain(EXIT_USE, "--partial prints text, json or csv, not %s", o->format);
    return EXIT_DONE;
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const show_command *o = options;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    char *text = NULL;
    scarce_status st;
    int code;

    if (args->paths.count != 1) return complain(EXIT_USE, "one model, please (scarce show MODEL)");
    if (o->common.json && o->format && strcmp(o->format, "json") != 0)
        return complain(EXIT_USE, "--json and --format %s exclude each other", o->format);
    if ((code = check_importance(o)) != EXIT_DONE || (code = check_partial(o)) != EXIT_DONE) return code;
    st = scarce_model_load(&model, args->paths.items[0], &err);
    if (st == SCARCE_OK && (o->importance || o->partial.count)) st = show_with_data(o, model, ctx, &err);
    else if (st == SCARCE_OK)
        st = scarce_model_show(&text, model,
                               o->format
                                   ? (strcmp(o->format, "text") == 0 && !o->trees ? "summary" : o->format)
                               : o->common.json    ? "json"
                               : o->common.verbose ? "full"
                               : o->trees          ? "text"
                                                   : "summary",
                               &err);
    if (text) fputs(text, stdout);
    scarce_bytes_free(text);
    scarce_model_free(model);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_show = {
    "show",
    "tells what is in a model",
    "MODEL [--format text|json|dot|svg|sql|rules] [--importance KIND | --partial COL] [--data FILE]",
    "A summary: how it was trained, its features with their kind and categories, the most important ones;\n"
    "with --verbose every parameter and the trees. Of ranking trees (cart, treerank, metaap): their outline "
    "and their\n"
    "rules, each with what it caught; --format svg draws them, sql is a CASE expression, rules are for a "
    "rule engine.\n"
    "With --importance: what the model relies on, each feature with its standard "
    "error, the most important first.\n\n"
    "  scarce show fraud.scarce --importance permutation --data recent.csv\n"
    "  scarce show fraud.scarce --partial amount --data recent.csv\n"
    "  scarce show rules.scarce --format svg > tree.svg\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(show_command),
    NULL,
    0,
    0,
    defaults,
    run};
