/* SPDX-License-Identifier: Apache-2.0 */
/* scarce rules check|test|backtest|fields|functions: rules that people write. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "rules.h"

typedef struct rules_command {
    common_options common;
    data_options data;
    const char *model, *budget, *report, *output;
    double level;
    long top;
    const text_list *
        named; /* what the page says instead of the name of a file of features made on the way; NULL: nothing */
} rules_command;

#define AT(f) offsetof(rules_command, f)
static const option_spec specs[] = {
    {"--model", "MODEL", OPTION_TEXT, AT(model),
     "backtest: compare with this model's list; check: the columns of its training are the fields"},
    {"--budget", "K/day", OPTION_TEXT, AT(budget),
     "the model's list: the best K of each day (also /hour, /week); default: its own threshold"},
    {"--define", "FILE", OPTION_TEXT, AT(data) + offsetof(data_options, define),
     "DATA are raw rows: the features of this file (scarce features) are computed first; check: its fields"},
    {"--level", "SHARE", OPTION_REAL, AT(level), "confidence of the intervals (default 0.9)"},
    {"--report", "FILE.html", OPTION_TEXT, AT(report), "backtest: writes a page with tables and charts"},
    {"-o", "FILE", OPTION_TEXT, AT(output), "test: write there instead of to stdout"},
    {"--keep", "COL,...", OPTION_COMMAS, AT(data.keep),
     "test: columns that travel with each row, their text as it stands in DATA"},
    {"--top", "K", OPTION_COUNT, AT(top), "test: at most K rows of each rule"},
};

static void defaults(void *options)
{
    rules_command *o = options;
    o->level = 0.9;
    o->top = -1;
}

/* ---- functions, fields */

static int print_functions(int json)
{
    if (json) json_open('[');
    for (size_t i = 0; scarce_rule_function(i); ++i) {
        if (json) {
            json_open('{');
            json_key("use"), json_text(scarce_rule_function(i));
            json_key("help"), json_text(scarce_rule_function_help(i));
            json_close('}');
        } else {
            printf("%-36s %s\n", scarce_rule_function(i), scarce_rule_function_help(i));
        }
    }
    if (json) json_close(']'), json_end();
    return EXIT_DONE;
}

static int print_fields(const ruled_data *r, int json)
{
    size_t n;
    const scarce_record_field *fields = scarce_records_fields(r->records, &n);

    if (json) json_open('[');
    for (size_t i = 0; i < n; ++i) {
        if (json) {
            json_open('{');
            json_key("name"), json_text(fields[i].name);
            json_key("type"), json_text(scarce_value_type_name(fields[i].type));
            json_close('}');
        } else {
            printf("%-32s %s\n", shown(fields[i].name), scarce_value_type_name(fields[i].type));
        }
    }
    if (json) json_close(']'), json_end();
    return EXIT_DONE;
}

/* ---- check */

static void print_rule(const scarce_ruleset *set, size_t i, const scarce_record_field *fields, int json)
{
    scarce_rule_info info = SCARCE_RULE_INFO_INIT;
    size_t n;
    const uint32_t *uses = scarce_ruleset_uses(set, i, &n);

    (void)scarce_ruleset_get(set, i, &info, NULL);
    if (json) {
        json_open('{');
        json_key("name"), json_text(info.name);
        json_key("stage"), json_text(scarce_stage_name(info.stage));
        json_key("line"), json_count((size_t)info.line);
        json_key("shadow"), json_bool(info.shadow);
        json_key("steps"), json_count(info.cost);
        json_key("when"), json_text(info.when);
        json_key("sql"), json_text(info.sql);
        json_key("say"), json_text(info.say);
        json_key("owner"), json_text(info.owner);
        json_key("score"), json_number(info.score);
        json_key("priority"), json_number((double)info.priority);
        json_key("fields"), json_open('[');
        for (size_t k = 0; fields && k < n; ++k) json_text(fields[uses[k]].name);
        json_close(']');
        json_close('}');
        return;
    }
    printf("%-28s %-6s %s%4zu step%s ", shown(info.name), scarce_stage_name(info.stage),
           info.shadow ? "shadow " : "", info.cost, info.cost == 1 ? " " : "s");
    if (info.sql) printf(" sql, only in the service");
    for (size_t k = 0; fields && k < n; ++k) printf("%s%s", k ? ", " : " ", shown(fields[uses[k]].name));
    putchar('\n');
}

static scarce_status fields_of(scarce_record_field **out, size_t *n, scarce_model **model,
                               scarce_definitions **definitions, ruled_data *r, const rules_command *o,
                               const text_list *data, scarce_context *ctx, scarce_error *err)
{
    const scarce_record_field *fields;
    data_options plain = o->data;
    scarce_status st;

    *out = NULL;
    *n = 0;
    if (o->model) {
        st = scarce_model_load(model, o->model, err);
        return st == SCARCE_OK ? scarce_fields_of_schema(out, n, scarce_model_schema(*model), err) : st;
    }
    if (o->data.define && data->count == 0)
        return fields_of_definitions(out, n, definitions, o->data.define, err);
    if (data->count == 0) return SCARCE_OK;
    plain.label_optional = 1;
    st = read_ruled(r, data, &plain, NULL, ctx, err);
    if (st != SCARCE_OK) return st;
    fields = scarce_records_fields(r->records, n);
    *out = malloc((*n + 1) * sizeof **out);
    if (!*out) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    memcpy(*out, fields, *n * sizeof *fields);
    return SCARCE_OK;
}

static int check(const rules_command *o, const char *path, const text_list *data, scarce_context *ctx)
{
    const int json = o->common.json;
    ruled_data r = {NULL, NULL, NULL, NULL, NULL};
    scarce_model *model = NULL;
    scarce_definitions *definitions = NULL;
    rule_remarks remarks = {path, 0, 0, NULL, 0, 0, json};
    scarce_ruleset_options ro = SCARCE_RULESET_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_record_field *fields = NULL;
    size_t n;
    scarce_status st = fields_of(&fields, &n, &model, &definitions, &r, o, data, ctx, &err);

    if (st == SCARCE_OK) {
        ro.grammar_only = !fields;
        ro.what = "column";
        ro.remark = tell_remark;
        ro.payload = &remarks;
        remarks.fields = r.records ? fields : NULL;
        remarks.n_fields = r.records ? n : 0;
        if (json) json_open('{'), json_key("remarks"), json_open('[');
        st = scarce_ruleset_load(&r.set, path, fields, n, &ro, &err);
        if (json) json_close(']'), json_key("rules"), json_open('[');
        for (size_t i = 0; r.set && i < scarce_ruleset_count(r.set); ++i) print_rule(r.set, i, fields, json);
        if (json) json_close(']'), json_key("good"), json_bool(st == SCARCE_OK), json_close('}'), json_end();
        if (st == SCARCE_OK && !fields)
            say("names were not looked at: give DATA or --model MODEL, whose columns are the fields");
        if (st == SCARCE_OK && !json)
            printf("%zu rule%s: good\n", scarce_ruleset_count(r.set),
                   scarce_ruleset_count(r.set) == 1 ? "" : "s");
        if (remarks.wrong)
            fail_with(&err, SCARCE_EPARSE, "%zu mistake%s in %.300s", remarks.wrong,
                      remarks.wrong == 1 ? "" : "s", path);
    }
    if (o->model) scarce_fields_free(fields);
    else free(fields);
    forget_ruled(&r);
    scarce_model_free(model);
    scarce_definitions_free(definitions);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

/* ---- test: what fires, with its sentences */

typedef struct test_out {
    const ruled_data *r;
    const text_list *keep;
    scarce_output *out;
    int json;
    text line;
    size_t *left; /* rows that may still be written, per rule */
} test_out;

static scarce_status put_fire(test_out *t, size_t row, size_t rule, scarce_error *err)
{
    scarce_rule_info info = SCARCE_RULE_INFO_INIT;
    char sentence[600];
    scarce_status st;

    (void)scarce_ruleset_get(t->r->set, rule, &info, NULL);
    (void)scarce_ruleset_say(t->r->set, rule, t->r->record, sentence, sizeof sentence);
    if (t->json) {
        json_open('{');
        json_key("row"), json_count(row + 1);
        for (size_t i = 0; i < t->keep->count; ++i)
            json_key(t->keep->items[i]), json_text(scarce_table_kept(t->r->table, i, row, NULL));
        json_key("rule"), json_text(info.name);
        json_key("stage"), json_text(scarce_stage_name(info.stage));
        json_key("shadow"), json_bool(info.shadow);
        json_key("score"), json_number(info.score);
        json_key("reason"), json_text(sentence);
        json_close('}');
        return SCARCE_OK;
    }
    text_addf(&t->line, "%zu", row + 1);
    for (size_t i = 0; i < t->keep->count; ++i) {
        const char *kept = scarce_table_kept(t->r->table, i, row, NULL);
        text_add(&t->line, ",", 1);
        text_field(&t->line, kept ? kept : "");
    }
    text_add(&t->line, ",", 1);
    text_field(&t->line, info.name);
    text_addf(&t->line, ",%s,%s,", scarce_stage_name(info.stage), info.shadow ? "shadow" : "live");
    if (!isnan(info.score)) text_number(&t->line, info.score, 0);
    text_add(&t->line, ",", 1);
    text_field(&t->line, sentence);
    text_add(&t->line, "\n", 1);
    if (t->line.failed) return fail_with(err, SCARCE_ENOMEM, "out of memory for a line");
    st = scarce_output_write(t->out, t->line.bytes, t->line.n, err);
    t->line.n = 0;
    return st;
}

static scarce_status put_header(test_out *t, scarce_error *err)
{
    text_addf(&t->line, "row");
    for (size_t i = 0; i < t->keep->count; ++i)
        text_add(&t->line, ",", 1), text_field(&t->line, t->keep->items[i]);
    text_addf(&t->line, ",rule,stage,state,score,reason\n");
    if (t->line.failed) return fail_with(err, SCARCE_ENOMEM, "out of memory for a line");
    const scarce_status st = scarce_output_write(t->out, t->line.bytes, t->line.n, err);
    t->line.n = 0;
    return st;
}

static scarce_status put_fires(test_out *t, scarce_error *err)
{
    const size_t n = scarce_ruleset_count(t->r->set), rows = scarce_table_rows(t->r->table);
    scarce_status st = SCARCE_OK;

    for (size_t row = 0; st == SCARCE_OK && row < rows; ++row) {
        int filled = 0;
        for (size_t i = 0; st == SCARCE_OK && i < n; ++i) {
            if (t->r->verdict[row * n + i] != SCARCE_RULE_YES || t->left[i] == 0) continue;
            if (!filled++) scarce_records_get(t->r->records, row, NULL, 0, t->r->record);
            --t->left[i];
            st = put_fire(t, row, i, err);
        }
    }
    return st;
}

static void say_counts(const ruled_data *r)
{
    const size_t n = scarce_ruleset_count(r->set), rows = scarce_table_rows(r->table);

    for (size_t i = 0; i < n; ++i) {
        scarce_rule_info info = SCARCE_RULE_INFO_INIT;
        size_t count[4] = {0, 0, 0, 0};
        (void)scarce_ruleset_get(r->set, i, &info, NULL);
        for (size_t row = 0; row < rows; ++row) ++count[r->verdict[row * n + i] & 3];
        if (count[SCARCE_RULE_ASLEEP] == rows) say("%s: not asked", shown(info.name));
        else
            say("%s: fired on %zu of %zu rows%s%s", shown(info.name), count[SCARCE_RULE_YES], rows,
                count[SCARCE_RULE_UNKNOWN] == rows ? ", unknown on all: are its columns empty?" : "",
                info.shadow ? " (shadow)" : "");
        if (count[SCARCE_RULE_UNKNOWN] && count[SCARCE_RULE_UNKNOWN] < rows)
            say("%s: unknown on %zu rows, where a value is missing", shown(info.name),
                count[SCARCE_RULE_UNKNOWN]);
    }
}

static int test(const rules_command *o, const char *path, const text_list *data, scarce_context *ctx)
{
    ruled_data r = {NULL, NULL, NULL, NULL, NULL};
    test_out t;
    data_options plain = o->data;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st;

    memset(&t, 0, sizeof t);
    t.r = &r;
    t.keep = &o->data.keep;
    t.json = o->common.json;
    plain.label_optional = 1;
    st = read_ruled(&r, data, &plain, NULL, ctx, &err);
    if (st == SCARCE_OK) st = load_rules(&r, path, &err);
    if (st == SCARCE_OK) st = ask_rules(&r, ctx, &err);
    if (st == SCARCE_OK) {
        const size_t n = scarce_ruleset_count(r.set);
        t.left = malloc((n + 1) * sizeof *t.left);
        if (!t.left) st = fail_with(&err, SCARCE_ENOMEM, "out of memory");
        for (size_t i = 0; t.left && i < n; ++i) t.left[i] = o->top < 0 ? SIZE_MAX : (size_t)o->top;
    }
    if (st == SCARCE_OK && t.json) {
        json_open('[');
        st = put_fires(&t, &err);
        json_close(']');
        json_end();
    } else if (st == SCARCE_OK) {
        st = scarce_output_open(&t.out, o->output ? o->output : "-", &err);
        if (st == SCARCE_OK) st = put_header(&t, &err);
        if (st == SCARCE_OK) st = put_fires(&t, &err);
        if (st == SCARCE_OK) st = scarce_output_commit(t.out, &err);
        else if (t.out) scarce_output_abort(t.out);
    }
    if (st == SCARCE_OK) say_counts(&r);
    free(t.left);
    free(t.line.bytes);
    forget_ruled(&r);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

/* ---- backtest */

/* The model's list on the same rows. */
static scarce_status score_beside(scored_data *s, const rules_command *o, const text_list *data,
                                  const budget_rule *budget, scarce_context *ctx, scarce_error *err)
{
    text_list paths = {malloc((data->count + 1) * sizeof *paths.items), data->count + 1};
    data_options plain = o->data;
    scarce_status st;

    if (!paths.items) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    paths.items[0] = o->model;
    memcpy(paths.items + 1, data->items, data->count * sizeof *data->items);
    plain.keep.count = 0;
    st = score_data(s, &paths, &plain, ctx, err);
    if (st == SCARCE_OK) st = decide_alerts(s, s->model, budget, err);
    if (st == SCARCE_OK) say_alerts(s, budget);
    free(paths.items);
    return st;
}

static scarce_status report(const rules_command *o, const char *path, const scarce_backtest *b,
                            const ruled_data *r, const text_list *data, scarce_error *err)
{
    scarce_report *page = NULL;
    char on[400];
    scarce_status st;

    if (!o->report) return SCARCE_OK;
    snprintf(on, sizeof on, "%.180s%s%.180s on ", path, o->model ? " beside " : "", o->model ? o->model : "");
    st = begin_page(&page, "Back-test of rules", on, o->named ? o->named : data, 0, err);
    if (st == SCARCE_OK) st = scarce_page_backtest(page, b, r->set, r->records, err);
    return end_page(page, o->report, st, err);
}

static int backtest(const rules_command *o, const char *path, const text_list *data, scarce_context *ctx)
{
    ruled_data r = {NULL, NULL, NULL, NULL, NULL};
    scored_data s;
    scarce_backtest *b = NULL;
    scarce_backtest_options bo = SCARCE_BACKTEST_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st = SCARCE_OK;
    budget_rule budget;
    int code = parse_budget(o->budget, 0, &budget);

    if (code != EXIT_DONE || (code = check_report(o->report)) != EXIT_DONE) return code;
    if (o->budget && !o->model) return complain(EXIT_USE, "--budget is for the list of --model MODEL");
    if (!(o->level > 0 && o->level < 1))
        return complain(EXIT_USE, "--level wants a share between 0 and 1, like 0.9");
    memset(&s, 0, sizeof s);
    if (o->model) st = score_beside(&s, o, data, &budget, ctx, &err);
    if (st == SCARCE_OK) st = read_ruled(&r, data, &o->data, s.table, ctx, &err);
    if (st == SCARCE_OK) st = load_rules(&r, path, &err);
    bo.level = o->level;
    bo.model_alert = s.alert;
    if (st == SCARCE_OK) st = scarce_backtest_run(&b, r.set, r.records, &bo, ctx, &err);
    talk_clear();
    if (st == SCARCE_OK) st = report(o, path, b, &r, data, &err);
    if (st == SCARCE_OK && o->common.json) print_backtest_json(b, r.set);
    else if (st == SCARCE_OK) print_backtest(b, r.set, r.table, o->model);
    scarce_backtest_free(b);
    forget_ruled(&r);
    forget_scored(&s);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

/* ---- the command */

static int fields(const rules_command *o, const text_list *data, scarce_context *ctx)
{
    ruled_data r = {NULL, NULL, NULL, NULL, NULL};
    data_options plain = o->data;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st;

    plain.label_optional = 1;
    st = read_ruled(&r, data, &plain, NULL, ctx, &err);
    if (st == SCARCE_OK) print_fields(&r, o->common.json);
    forget_ruled(&r);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

/* check, test or backtest, on rows that have their features. */
static int run_verb(const rules_command *o, const char *verb, const char *path, const text_list *data,
                    scarce_context *ctx)
{
    return *verb == 'c'   ? check(o, path, data, ctx)
           : *verb == 't' ? test(o, path, data, ctx)
                          : backtest(o, path, data, ctx);
}

static int run_defined(const rules_command *o, const char *verb, const char *path, const text_list *data,
                       scarce_context *ctx)
{
    defined_data d = {"", NULL, {NULL, 0}, NULL, {NULL, 0}};
    rules_command plain = *o;
    scarce_error err = SCARCE_ERROR_INIT;
    int code;

    if (!o->data.define || data->count == 0) return run_verb(o, verb, path, data, ctx);
    if (define_features(&d, data, &plain.data, ctx, &err) != SCARCE_OK) code = complain_status(&err);
    else {
        plain.data.categorical = d.texts;
        plain.named = data;
        code = run_verb(&plain, verb, path, &d.paths, ctx);
    }
    forget_features(&d);
    return code;
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const rules_command *o = options;
    const char *verb = args->paths.count ? args->paths.items[0] : "";
    const char *path = args->paths.count > 1 ? args->paths.items[1] : NULL;
    text_list data = {NULL, 0};
    int code;

    if (args->paths.count > 2) {
        data.items = args->paths.items + 2;
        data.count = args->paths.count - 2;
    }
    if (strcmp(verb, "functions") == 0) return print_functions(o->common.json);
    if (strcmp(verb, "fields") == 0) {
        data.items = args->paths.items + 1;
        data.count = args->paths.count - 1;
        return data.count ? fields(o, &data, ctx)
                          : complain(EXIT_USE, "which data? (scarce rules fields DATA)");
    }
    if (strcmp(verb, "check") != 0 && strcmp(verb, "test") != 0 && strcmp(verb, "backtest") != 0)
        return complain(
            EXIT_USE,
            "%s%s%sscarce rules check|test|backtest FILE DATA, rules fields DATA, or rules functions",
            *verb ? "\"" : "", shown(verb), *verb ? "\" is none of: " : "");
    if (!path)
        return complain(EXIT_USE, "which rules? (scarce rules %s FILE%s)", verb, *verb == 'c' ? "" : " DATA");
    if (strcmp(verb, "check") == 0) return run_defined(o, verb, path, &data, ctx);
    if (data.count == 0)
        return complain(EXIT_USE, "which data? (scarce rules %s %s DATA)", verb, shown(path));
    if ((code = check_keep(&o->data.keep)) != EXIT_DONE || (code = check_output(o->output)) != EXIT_DONE)
        return code;
    return run_defined(o, verb, path, &data, ctx);
}

const command command_rules = {
    "rules",
    "rules that people write: checked, tried, back-tested",
    "check|test|backtest FILE [DATA...] [options]",
    "check      reads FILE and tells every mistake with line, column and the nearest name; with DATA (or "
    "--model)\n"
    "           the names and their types too\n"
    "test       the rows of DATA on which rules fire, with their sentences, as CSV\n"
    "backtest   on DATA with labels (and --time, --amount): of every rule how often it fired, how many of "
    "these\n"
    "           were positive, what share of all positives that is, the money, what no other rule and not "
    "the\n"
    "           model found, week by week; whether its limits held\n"
    "fields     the columns of DATA as rules see them (scarce rules fields DATA)\n"
    "functions  what can be called in a condition\n\n"
    "  rule far_and_large stage block\n"
    "    when  amount > 5 * mean_30d && country != card_country && !is_ecom\n"
    "    say   \"amount {amount} is {amount / mean_30d:1} times this card's mean, and abroad\"\n"
    "    limit false_alerts 90% over 14d min 50\n\n"
    "  scarce rules check pay.rules pay.csv\n"
    "  scarce rules backtest pay.rules pay.csv --label fraud --time tx_time --amount amount --group card\n"
    "  scarce rules backtest pay.rules pay.csv --model fraud.scarce --budget 100/day --report rules.html\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(rules_command),
    data_option_specs,
    offsetof(rules_command, data),
    0,
    defaults,
    run};
