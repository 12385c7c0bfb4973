/* SPDX-License-Identifier: Apache-2.0 */
/* From data options to a table, and from a model and a table to scores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

scarce_status format_by_name(scarce_format *out, const char *name, scarce_error *err)
{
    static const char *const names[] = {"auto", "csv", "tsv", "libsvm", "arff", "keel"};
    *out = SCARCE_FORMAT_AUTO;
    if (!name) return SCARCE_OK;
    for (int i = 0; i < 6; ++i) {
        if (strcmp(name, names[i]) != 0) continue;
        *out = (scarce_format)i;
        return SCARCE_OK;
    }
    return fail_with(err, SCARCE_EINVAL, "--format %.40s is none of csv, tsv, libsvm, arff, keel", name);
}

/* Standard input can be read once. */
static scarce_status check_stdin(const text_list *paths, scarce_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < paths->count; ++i) n += strcmp(paths->items[i], "-") == 0;
    return n > 1 ? fail_with(err, SCARCE_EINVAL, "standard input (-) is named %zu times, it can be read once",
                             n)
                 : SCARCE_OK;
}

static scarce_names names_of(const text_list *list)
{
    scarce_names names = {list->items, list->count};
    return names;
}

/* One of n names, numbered from 0. */
static scarce_status choose(int *out, const char *const *names, size_t n, const char *option,
                            const char *value, scarce_error *err)
{
    char list[200] = "";
    size_t used = 0;

    *out = 0;
    for (size_t i = 0; value && i < n; ++i) {
        if (strcmp(names[i], value) != 0) continue;
        *out = (int)i;
        return SCARCE_OK;
    }
    if (!value) return SCARCE_OK;
    for (size_t i = 0; i < n && used < sizeof list; ++i)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    return fail_with(err, SCARCE_EINVAL, "%s %.40s is none of %s", option, value, list);
}

/* --separator ';' or tab, --decimal , */
static scarce_status take_sign(char *out, const char *option, const char *value, const char *allowed,
                               scarce_error *err)
{
    *out = 0;
    if (!value) return SCARCE_OK;
    if (strcmp(value, "tab") == 0 || strcmp(value, "\\t") == 0) value = "\t";
    if (strcmp(value, "comma") == 0) value = ",";
    if (strcmp(value, "point") == 0) value = ".";
    if (strcmp(value, "semicolon") == 0) value = ";";
    if (strlen(value) != 1 || (allowed && !strchr(allowed, *value)))
        return fail_with(err, SCARCE_EINVAL, "%s \"%.40s\" is not %s", option, value,
                         allowed ? ". or ," : "one character (or tab)");
    *out = *value;
    return SCARCE_OK;
}

/* --date-order and --time-format, which may name an order too. */
static scarce_status take_times(scarce_read_options *o, const data_options *data, scarce_error *err)
{
    static const char *const orders[] = {"auto", "dmy", "mdy", "ymd"};
    static const char *const formats[] = {"auto",        "number",  "seconds", "milliseconds", "microseconds",
                                          "nanoseconds", "minutes", "hours",   "days",         "yyyymmdd",
                                          "dates",       "dmy",     "mdy",     "ymd",          "iso"};
    int order, format;
    scarce_status st = choose(&order, orders, 4, "--date-order", data->date_order, err);

    if (st == SCARCE_OK) st = choose(&format, formats, 15, "--time-format", data->time_format, err);
    if (st != SCARCE_OK) return st;
    if (format > (int)SCARCE_TIME_DATES) {
        const int named = format == 14 ? (int)SCARCE_DATE_YMD : format - (int)SCARCE_TIME_DATES;
        if (order && order != named)
            return fail_with(err, SCARCE_EINVAL, "--time-format %s and --date-order %s contradict each other",
                             data->time_format, data->date_order);
        order = named;
        format = (int)SCARCE_TIME_DATES;
    }
    o->date_order = (scarce_date_order)order;
    o->time_format = (scarce_time_format)format;
    return SCARCE_OK;
}

static scarce_status take_writing(scarce_read_options *o, const data_options *data, scarce_error *err)
{
    scarce_status st = take_sign(&o->separator, "--separator", data->separator, NULL, err);
    if (st == SCARCE_OK) st = take_sign(&o->decimal, "--decimal", data->decimal, ".,", err);
    return st == SCARCE_OK ? take_times(o, data, err) : st;
}

void say_table(const scarce_table *table)
{
    const size_t n = scarce_table_describe(table, NULL, 0);
    char *text = n ? malloc(n + 1) : NULL;

    if (!text) return;
    (void)scarce_table_describe(table, text, n + 1);
    for (char *line = text; line;) { /* a line at a time: control bytes inside one are not for a terminal */
        char *next = strchr(line, '\n');
        if (next) *next++ = '\0';
        if (*line) say("%s", line);
        line = next;
    }
    free(text);
}

/* A role's column: the one asked for, else the one it had in training, which need not be there. */
static const char *role_column(const char *asked, const scarce_schema *schema, scarce_role role,
                               int *optional)
{
    if (asked || !schema) return asked;
    *optional |= (int)role;
    return scarce_schema_role(schema, role);
}

scarce_status set_read_options(scarce_read_options *o, const data_options *data, const scarce_schema *schema,
                               scarce_error *err)
{
    const scarce_status st = format_by_name(&o->format, data->format, err);

    o->no_header = data->no_header;
    o->label = data->label;
    o->positive = data->positive;
    o->weight = role_column(data->weight, schema, SCARCE_ROLE_WEIGHT, &o->optional_roles);
    o->time = role_column(data->time, schema, SCARCE_ROLE_TIME, &o->optional_roles);
    o->group = role_column(data->group, schema, SCARCE_ROLE_GROUP, &o->optional_roles);
    o->amount = role_column(data->amount, schema, SCARCE_ROLE_AMOUNT, &o->optional_roles);
    o->cost = role_column(data->cost_column, schema, SCARCE_ROLE_COST, &o->optional_roles);
    o->ignore = names_of(&data->ignore);
    o->categorical = names_of(&data->categorical);
    o->numeric = names_of(&data->numeric);
    o->missing = names_of(&data->missing);
    o->keep = names_of(&data->keep);
    o->keep_lines = data->keep_lines;
    o->label_optional = data->label_optional;
    o->may_be_empty = data->may_be_empty;
    o->schema = schema;
    o->use = names_of(&data->use);
    o->leave_out = !schema && !data->keep_all;
    return st == SCARCE_OK ? take_writing(o, data, err) : st;
}

/* Ids beyond what a float can tell apart are told once per column, before anyone learns from them. */
static void tell_inexact(const scarce_table *table)
{
    const scarce_schema *schema = scarce_table_schema(table);
    size_t told = 0;
    for (size_t f = 0; f < scarce_table_features(table); ++f) {
        const size_t n = scarce_table_inexact(table, f);
        if (n == 0 || ++told > 5) continue;
        talk_clear();
        say("column %s: %zu number%s of 16777216 or more: only the first 7 digits count (--categorical keeps "
            "ids apart, --ignore leaves them out)",
            scarce_schema_name(schema, f), n, n == 1 ? "" : "s");
    }
    if (told > 5) say("and %zu more columns with such numbers", told - 5);
}

/* Numbers or times that are written otherwise than in training. */
static void say_unlike(const scarce_table *table)
{
    const scarce_reading *r = scarce_table_reading(table);

    for (size_t i = 0; r && i < r->n_notes; ++i)
        if (r->notes[i].code == SCARCE_NOTE_UNLIKE_TRAINING) say("warning: %s", r->notes[i].text);
}

static scarce_status read_with(scarce_table **out, const text_list *paths, const data_options *data,
                               const scarce_schema *schema, int keep_lines, scarce_context *ctx,
                               scarce_error *err)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_status st = set_read_options(&o, data, schema, err);
    size_t n;

    *out = NULL;
    if (st == SCARCE_OK) st = check_stdin(paths, err);
    if (st != SCARCE_OK) return st;
    if (keep_lines) o.keep_lines = 1;
    st = scarce_table_read(out, paths->items, paths->count, &o, ctx, err);
    if (st == SCARCE_OK && *out && !schema && /* of lines that are kept, numbers are too */
        (keep_lines ? !scarce_table_header(*out, &n) : !data->no_talk))
        tell_inexact(*out);
    if (st == SCARCE_OK && *out && !schema && !data->no_talk) say_table(*out);
    if (st == SCARCE_OK && *out && schema) say_unlike(*out);
    return st;
}

scarce_status read_table(scarce_table **out, const text_list *paths, const data_options *data,
                         const scarce_schema *schema, scarce_context *ctx, scarce_error *err)
{
    return read_with(out, paths, data, schema, 0, ctx, err);
}

scarce_status read_table_with_texts(scarce_table **out, const text_list *paths, const data_options *data,
                                    scarce_context *ctx, scarce_error *err)
{
    return read_with(out, paths, data, NULL, 1, ctx, err);
}

scarce_status score_table(scored_data *out, const scarce_model *model, const scarce_table *table,
                          scarce_context *ctx, scarce_error *err)
{
    const size_t n = scarce_table_rows(table);
    scarce_status st;

    out->score = malloc(n * sizeof(double));
    out->probability = malloc(n * sizeof(double));
    if (!out->score || !out->probability)
        return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu scores", n);
    st = scarce_scorer_new(&out->scorer, model, err);
    if (st == SCARCE_OK && out->prevalence != 0)
        st = scarce_scorer_set_prevalence(out->scorer, out->prevalence, err);
    if (st == SCARCE_OK) st = scarce_scorer_table(out->scorer, table, out->score, out->probability, ctx, err);
    out->rows = scarce_scored_of_table(table, out->score,
                                       scarce_model_has_probability(model) ? out->probability : NULL);
    return st;
}

void count_unknown(size_t *unknown, const scarce_schema *schema, const scarce_table *table)
{
    const size_t n = scarce_table_rows(table);

    for (size_t f = 0; f < scarce_schema_features(schema); ++f) {
        const int32_t *code = scarce_table_codes(table, f),
                      none = (int32_t)scarce_schema_categories(schema, f);
        for (size_t i = 0; code && i < n; ++i) unknown[f] += code[i] == none;
    }
}

/* A shop, a country: they are scored as "other", which is told. */
void say_unknown(const size_t *unknown, const scarce_schema *schema, size_t rows)
{
    enum { MOST = 5 };
    size_t told = 0;

    for (size_t f = 0; f < scarce_schema_features(schema) && told < MOST; ++f) {
        if (unknown[f] == 0) continue;
        ++told;
        say("%s: %zu row%s (%.2g %%) with values that the model has not seen", scarce_schema_name(schema, f),
            unknown[f], unknown[f] == 1 ? "" : "s", 100.0 * (double)unknown[f] / (double)rows);
    }
}

static scarce_status tell_unknown(const scarce_schema *schema, const scarce_table *table, scarce_error *err)
{
    size_t *unknown = calloc(scarce_schema_features(schema) + 1, sizeof *unknown);

    if (!unknown) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    count_unknown(unknown, schema, table);
    say_unknown(unknown, schema, scarce_table_rows(table));
    free(unknown);
    return SCARCE_OK;
}

static scarce_status compare_definitions(const scarce_model *model, const scarce_definitions *d,
                                         scarce_error *err)
{
    char *differences = NULL;
    const scarce_status st = scarce_model_check_definitions(model, d, &differences, err);
    for (const char *line = differences; line && *line;) { /* all of them; the error names the first */
        const size_t n = strcspn(line, "\n");
        fprintf(stderr, "warning: %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
    scarce_features_text_free(differences);
    return st;
}

scarce_status check_definitions(const scarce_model *model, const char *path, scarce_error *err)
{
    scarce_definitions *d = NULL;
    scarce_status st;
    if (!path) return SCARCE_OK;
    st = scarce_definitions_load(&d, path, err);
    if (st == SCARCE_OK) st = compare_definitions(model, d, err);
    scarce_definitions_free(d);
    return st;
}

scarce_status check_definitions_for(const char *model_path, const scarce_definitions *d, scarce_error *err)
{
    scarce_model *model = NULL;
    scarce_status st = scarce_model_load(&model, model_path, err);
    if (st == SCARCE_OK) st = compare_definitions(model, d, err);
    scarce_model_free(model);
    return st;
}

scarce_status load_model(scarce_model **out, const text_list *paths, const data_options *data,
                         scarce_error *err)
{
    scarce_status st = scarce_model_load(out, paths->items[0], err);
    scarce_model *other = NULL;

    if (st == SCARCE_EPARSE && scarce_model_load(&other, paths->items[1], NULL) == SCARCE_OK)
        st = fail_with(err, SCARCE_EINVAL, "the model comes before the data: %.200s %.200s", paths->items[1],
                       paths->items[0]);
    scarce_model_free(other);
    return st == SCARCE_OK ? check_definitions(*out, data->define, err) : st;
}

scarce_status score_data(scored_data *out, const text_list *paths, const data_options *data,
                         scarce_context *ctx, scarce_error *err)
{
    const text_list rest = {paths->items + 1, paths->count - 1};
    scarce_status st = load_model(&out->model, paths, data, err);

    if (st == SCARCE_OK) st = read_table(&out->table, &rest, data, scarce_model_schema(out->model), ctx, err);
    if (st == SCARCE_OK && out->table) st = score_table(out, out->model, out->table, ctx, err);
    talk_clear();
    if (st == SCARCE_OK && out->table) st = tell_unknown(scarce_model_schema(out->model), out->table, err);
    return st;
}

void forget_scored(scored_data *s)
{
    free(s->score);
    free(s->probability);
    free(s->alert);
    free(s->span);
    free(s->label), free(s->weight), free(s->time), free(s->amount), free(s->group);
    scarce_scorer_free(s->scorer);
    scarce_table_free(s->table);
    scarce_model_free(s->model);
}
