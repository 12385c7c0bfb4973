/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over data. */
#include "rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

/* Codes that look like numbers are numbers, until somebody says otherwise. */
static void say_remedy(const rule_remarks *r, const scarce_rule_remark *remark)
{
    for (size_t i = 0; remark->name && i < r->n_fields; ++i)
        if (strcmp(r->fields[i].name, remark->name) == 0 && strstr(remark->text, "text") &&
            (r->fields[i].type == SCARCE_VALUE_NUMBER || r->fields[i].type == SCARCE_VALUE_FLAG))
            say("%s is a column of numbers; --categorical %s reads it as text", shown(remark->name),
                shown(remark->name));
}

void tell_remark(void *payload, const scarce_rule_remark *remark)
{
    rule_remarks *r = payload;

    if (remark->wrong) ++r->wrong;
    else ++r->odd;
    if (r->json) {
        json_open('{');
        json_key("line"), json_count((size_t)remark->line);
        json_key("column"), json_count((size_t)remark->column);
        json_key("wrong"), json_bool(remark->wrong);
        json_key("rule"), json_text(remark->rule);
        json_key("text"), json_text(remark->text);
        json_key("name"), json_text(remark->name);
        json_key("nearest"), json_text(remark->nearest);
        json_close('}');
    } else if (remark->wrong) {
        complain(EXIT_DATA, "%s:%d:%d: %s", shown(r->path), remark->line, remark->column, remark->text);
        say_remedy(r, remark);
    } else if (!r->quiet) {
        say("%s:%d: %s%s%s", shown(r->path), remark->line, remark->rule ? shown(remark->rule) : "",
            remark->rule ? ": " : "", remark->text);
    }
}

/* Categories that the model knows, as far as the user didn't name them: its columns must be read as it does. */
static scarce_status add_categories(text_list *out, const data_options *data, const scarce_schema *schema,
                                    scarce_error *err)
{
    const size_t n = scarce_schema_features(schema);

    out->items = malloc((data->categorical.count + n + 1) * sizeof *out->items);
    if (!out->items) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    out->count = 0;
    for (size_t i = 0; i < data->categorical.count; ++i)
        out->items[out->count++] = data->categorical.items[i];
    for (size_t f = 0; f < n; ++f)
        if (scarce_schema_kind(schema, f) == SCARCE_COLUMN_CATEGORY)
            out->items[out->count++] = scarce_schema_name(schema, f);
    return SCARCE_OK;
}

static void take_role(const char **role, const scarce_schema *schema, scarce_role which)
{
    if (!*role) *role = scarce_schema_role(schema, which);
}

scarce_status read_ruled(ruled_data *r, const text_list *paths, const data_options *data,
                         const scarce_table *like, scarce_context *ctx, scarce_error *err)
{
    data_options o = *data;
    text_list categories = {NULL, 0};
    scarce_status st = SCARCE_OK;

    o.keep_all = 1; /* ids are no features, but rules may ask for them */
    if (like) {
        const scarce_schema *schema = scarce_table_schema(like);
        for (size_t i = 0; i < paths->count; ++i)
            if (strcmp(paths->items[i], "-") == 0)
                return fail_with(err, SCARCE_EINVAL,
                                 "rules beside a model read the data twice: give a file, not -");
        st = add_categories(&categories, data, schema, err);
        if (st == SCARCE_OK) o.categorical = categories;
        take_role(&o.time, schema, SCARCE_ROLE_TIME);
        take_role(&o.group, schema, SCARCE_ROLE_GROUP);
        take_role(&o.amount, schema, SCARCE_ROLE_AMOUNT);
        if (!o.label) o.label = scarce_schema_label(schema);
        if (!o.positive && scarce_schema_label(schema)) o.positive = scarce_schema_positive(schema);
        if (!scarce_schema_label(schema)) o.label_optional = 1;
        o.no_talk = 1;
    }
    if (st == SCARCE_OK) st = read_table(&r->table, paths, &o, NULL, ctx, err);
    talk_clear();
    if (st == SCARCE_OK && r->table) st = scarce_records_new(&r->records, r->table, err);
    free(categories.items);
    return st;
}

scarce_status load_rules(ruled_data *r, const char *path, scarce_error *err)
{
    rule_remarks remarks = {path, 0, 0, NULL, 0, 1, 0}; /* odd things are for rules check */
    scarce_ruleset_options o = SCARCE_RULESET_OPTIONS_INIT;
    size_t n;
    const scarce_record_field *fields = scarce_records_fields(r->records, &n);
    scarce_status st;

    remarks.fields = fields;
    remarks.n_fields = n;
    o.what = "column";
    o.remark = tell_remark;
    o.payload = &remarks;
    st = scarce_ruleset_load(&r->set, path, fields, n, &o, err);
    if (st != SCARCE_OK) {
        if (remarks.wrong)
            fail_with(err, st, "%zu mistake%s in %.300s; scarce rules fields DATA lists the columns",
                      remarks.wrong, remarks.wrong == 1 ? "" : "s", path);
        return st;
    }
    r->record = calloc(n + 1, sizeof *r->record);
    return r->record ? SCARCE_OK : fail_with(err, SCARCE_ENOMEM, "out of memory");
}

scarce_status ask_rules(ruled_data *r, scarce_context *ctx, scarce_error *err)
{
    const size_t n = scarce_table_rows(r->table) * scarce_ruleset_count(r->set);

    r->verdict = malloc(n + 1);
    if (!r->verdict) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu verdicts", n);
    return scarce_ruleset_table(r->set, r->records, r->verdict, ctx, err);
}

void forget_ruled(ruled_data *r)
{
    free(r->verdict);
    free(r->record);
    scarce_ruleset_free(r->set);
    scarce_records_free(r->records);
    scarce_table_free(r->table);
}

static int is_shadow(const scarce_ruleset *set, size_t rule)
{
    scarce_rule_info info = SCARCE_RULE_INFO_INIT;
    return scarce_ruleset_get(set, rule, &info, NULL) != SCARCE_OK || info.shadow;
}

int rules_fired(const ruled_data *r, size_t row)
{
    const size_t n = scarce_ruleset_count(r->set);
    for (size_t i = 0; i < n; ++i)
        if (r->verdict[row * n + i] == SCARCE_RULE_YES && !is_shadow(r->set, i)) return 1;
    return 0;
}

/* "; " or nothing, then the text; in brackets where it is a shadow's. */
static void add_part(text *t, const char *part, int shadow)
{
    if (t->n) text_add(t, "; ", 2);
    if (shadow) text_add(t, "(", 1);
    text_add(t, part, strlen(part));
    if (shadow) text_add(t, ")", 1);
}

scarce_status say_rules(const ruled_data *r, size_t row, char **names, char **reasons, scarce_error *err)
{
    const size_t n = scarce_ruleset_count(r->set);
    text name = {NULL, 0, 0, 0}, reason = {NULL, 0, 0, 0};
    char sentence[600];

    *names = *reasons = NULL;
    scarce_records_get(r->records, row, NULL, 0, r->record);
    for (size_t i = 0; i < n; ++i) {
        scarce_rule_info info = SCARCE_RULE_INFO_INIT;
        if (r->verdict[row * n + i] != SCARCE_RULE_YES ||
            scarce_ruleset_get(r->set, i, &info, err) != SCARCE_OK)
            continue;
        (void)scarce_ruleset_say(r->set, i, r->record, sentence, sizeof sentence);
        add_part(&name, info.name, info.shadow);
        add_part(&reason, sentence, info.shadow);
    }
    text_add(&name, "", 1);
    text_add(&reason, "", 1);
    *names = name.bytes;
    *reasons = reason.bytes;
    if (!name.failed && !reason.failed) return SCARCE_OK;
    free(name.bytes);
    free(reason.bytes);
    *names = *reasons = NULL;
    return fail_with(err, SCARCE_ENOMEM, "out of memory for reasons");
}

void json_rules(const ruled_data *r, size_t row)
{
    const size_t n = scarce_ruleset_count(r->set);
    char sentence[600];

    json_key("rules"), json_open('[');
    scarce_records_get(r->records, row, NULL, 0, r->record);
    for (size_t i = 0; i < n; ++i) {
        scarce_rule_info info = SCARCE_RULE_INFO_INIT;
        if (r->verdict[row * n + i] != SCARCE_RULE_YES ||
            scarce_ruleset_get(r->set, i, &info, NULL) != SCARCE_OK)
            continue;
        (void)scarce_ruleset_say(r->set, i, r->record, sentence, sizeof sentence);
        json_open('{');
        json_key("name"), json_text(info.name);
        json_key("stage"), json_text(scarce_stage_name(info.stage));
        json_key("shadow"), json_bool(info.shadow);
        json_key("reason"), json_text(sentence);
        json_close('}');
    }
    json_close(']');
}
