/* SPDX-License-Identifier: Apache-2.0 */
/* scarce distil MODEL DATA -o OUT: a tree or rules in the place of a model that can't be read. */
#include <math.h>
#include <string.h>

#include "program.h"

typedef struct distil_command {
    common_options common;
    data_options data;
    const char *output, *test;
    long depth, rules, k;
    double test_fraction;
} distil_command;

#define AT(f) offsetof(distil_command, f)
static const option_spec specs[] = {
    {"-o", "OUT", OPTION_TEXT, AT(output), "the new model"},
    {"--depth", "N", OPTION_COUNT, AT(depth), "levels of the tree (default 4)"},
    {"--rules", "N", OPTION_COUNT, AT(rules), "instead: at most N rules, each a list of conditions"},
    {"--test", "FILE", OPTION_TEXT, AT(test), "rows that judge both (default: --test-fraction of DATA)"},
    {"--test-fraction", "F", OPTION_REAL, AT(test_fraction),
     "share of the rows that judge: the latest with --time, else drawn at random (default 0.3)"},
    {"--k", "K", OPTION_COUNT, AT(k),
     "rows looked at, for precision and money (default: as many as positives)"},
};

static void defaults(void *options)
{
    distil_command *o = options;
    o->depth = -1;
    o->rules = -1;
    o->k = -1;
    o->test_fraction = (double)NAN;
}

/* "0.61 of 0.78 (78 %)" */
static void print_kept(const char *name, double kept, double of, int digits)
{
    if (isnan(kept) || isnan(of)) return;
    printf("%-34s %10.*g %10.*g", name, digits, of, digits, kept);
    if (of > 0) printf("   %.0f %%", 100 * kept / of);
    putchar('\n');
}

static void print_text(const scarce_distilled *d, const scarce_model *model, const char *output)
{
    char name[64];

    printf("%-34s %10s %10s   kept\n", "", "model", "rules");
    print_kept("average precision", d->ap, d->teacher_ap, 4);
    snprintf(name, sizeof name, "precision in the top %.0f", d->k);
    print_kept(name, d->precision, d->teacher_precision, 4);
    snprintf(name, sizeof name, "amount found in the top %.0f", d->k);
    print_kept(name, d->amount, d->teacher_amount, 6);
    if (!isnan(d->overlap)) {
        snprintf(name, sizeof name, "the same rows in the top %.0f", d->k);
        printf("%-34s %10s %10s   %.0f %%\n", name, "", "", 100 * d->overlap);
    }
    printf("\n%zu rule%s (%s) from %zu rows; judged on %zu", d->leaves, d->leaves == 1 ? "" : "s",
           scarce_model_note(model, "shape"), d->rows, d->test_rows);
    if (d->test_positives) printf(", %zu of them positive", d->test_positives);
    printf("\n");
    say("saved to %s: scarce show %s reads it; --format sql, rules or svg writes it for others", output,
        output);
}

static void print_json(const scarce_distilled *d, const scarce_model *model, const char *output)
{
    json_open('{');
    json_key("rules"), json_count(d->leaves);
    json_key("shape"), json_text(scarce_model_note(model, "shape"));
    json_key("rows"), json_count(d->rows);
    json_key("test_rows"), json_count(d->test_rows);
    json_key("test_positives"), json_count(d->test_positives);
    json_key("k"), json_number(d->k);
    json_key("model"), json_open('{');
    json_key("ap"), json_number(d->teacher_ap);
    json_key("precision_at_k"), json_number(d->teacher_precision);
    json_key("amount_recovered_at_k"), json_number(d->teacher_amount);
    json_close('}');
    json_key("imitator"), json_open('{');
    json_key("ap"), json_number(d->ap);
    json_key("precision_at_k"), json_number(d->precision);
    json_key("amount_recovered_at_k"), json_number(d->amount);
    json_close('}');
    json_key("overlap"), json_number(d->overlap);
    json_key("output"), json_text(output);
    json_close('}');
    json_end();
}

static int check_use(const distil_command *o, const parsed *args)
{
    if (args->paths.count < 2 || !o->output)
        return complain(EXIT_USE, "a model, data and where to (scarce distil MODEL DATA -o OUT)");
    if (o->depth >= 0 && o->rules >= 0)
        return complain(EXIT_USE,
                        "--depth and --rules exclude each other: a tree of that depth, or so many rules");
    if (o->depth == 0 || o->depth > 30) return complain(EXIT_USE, "--depth wants 1 to 30");
    if (o->rules == 0 || o->rules == 1 || o->rules > 100000)
        return complain(EXIT_USE, "--rules wants 2 to 100000");
    if (o->k == 0) return complain(EXIT_USE, "--k wants 1 or more rows");
    if (o->test && !isnan(o->test_fraction))
        return complain(EXIT_USE, "--test and --test-fraction exclude each other");
    if (!isnan(o->test_fraction) && !(o->test_fraction > 0 && o->test_fraction < 1))
        return complain(EXIT_USE, "--test-fraction wants a share between 0 and 1");
    return check_output(o->output);
}

static scarce_status work(const distil_command *o, const parsed *args, scarce_context *ctx, scarce_error *err)
{
    const text_list paths = {args->paths.items + 1, args->paths.count - 1};
    const char *test_path = o->test;
    const text_list tests = {&test_path, 1};
    scarce_distil_options options = SCARCE_DISTIL_OPTIONS_INIT;
    scarce_distilled kept = SCARCE_DISTILLED_INIT;
    scarce_model *model = NULL, *rules = NULL;
    scarce_table *table = NULL, *test = NULL;
    scarce_status st = scarce_model_load(&model, args->paths.items[0], err);

    if (st == SCARCE_OK) st = read_table(&table, &paths, &o->data, scarce_model_schema(model), ctx, err);
    if (st == SCARCE_OK && o->test)
        st = read_table(&test, &tests, &o->data, scarce_model_schema(model), ctx, err);
    talk_clear();
    if (o->depth > 0) options.depth = (int)o->depth;
    if (o->rules > 0) options.rules = (int)o->rules;
    if (o->k > 0) options.k = (double)o->k;
    if (!isnan(o->test_fraction)) options.test_fraction = o->test_fraction;
    options.test = test;
    if (st == SCARCE_OK) st = scarce_distil(&rules, model, table, &options, &kept, ctx, err);
    talk_clear();
    if (st == SCARCE_OK) st = scarce_model_save(rules, o->output, err);
    if (st == SCARCE_OK) (o->common.json ? print_json : print_text)(&kept, rules, o->output);
    scarce_table_free(table);
    scarce_table_free(test);
    scarce_model_free(model);
    scarce_model_free(rules);
    return st;
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    distil_command *o = options;
    scarce_error err = SCARCE_ERROR_INIT;
    const int code = check_use(o, args);

    if (code != EXIT_DONE) return code;
    o->data.label_optional = 1;
    return work(o, args, ctx, &err) == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_distil = {
    "distil",
    "makes rules that imitate a model, and says what they keep",
    "MODEL DATA... [--depth 4 | --rules 12] [--test FILE] -o OUT",
    "A tree or a few rules that put rows in the order in which the model puts them: for a rule engine, for "
    "SQL, for an\n"
    "auditor. They learn from what the model says of DATA, which needs no labels; with labels (and --amount) "
    "average\n"
    "precision, precision and money in the top K of both are compared on rows that were held out. Use rows "
    "that the model\n"
    "was not trained on where there are enough. Any model will do, converted ones too.\n\n"
    "  scarce distil fraud.scarce recent.csv --rules 12 -o rules.scarce\n"
    "  scarce show rules.scarce --format sql\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(distil_command),
    data_option_specs,
    offsetof(distil_command, data),
    0,
    defaults,
    run};
