/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of scores as CSV and JSON. */
#include "classes.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void text_add(text *t, const char *bytes, size_t n)
{
    if (t->failed || n == 0) return;
    if (t->n + n > t->capacity) {
        const size_t capacity = 2 * (t->n + n) + 256;
        char *grown = realloc(t->bytes, capacity);
        if (!grown) {
            t->failed = 1;
            return;
        }
        t->bytes = grown;
        t->capacity = capacity;
    }
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
}

void text_addf(text *t, const char *format, ...)
{
    char small[96];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    text_add(t, small, (size_t)n < sizeof small ? (size_t)n : sizeof small - 1);
}

void text_number(text *t, double value, int full)
{
    char number[32];
    if (isnan(value)) text_add(t, "n/a", 3);
    else if (full) text_add(t, number, format_number(number, value));
    else text_addf(t, "%.9g", value);
}

void text_field(text *t, const char *field)
{
    if (!field[strcspn(field, ",\"\r\n")]) {
        text_add(t, field, strlen(field));
        return;
    }
    text_add(t, "\"", 1);
    for (; *field; ++field) {
        if (*field == '"') text_add(t, "\"", 1);
        text_add(t, field, 1);
    }
    text_add(t, "\"", 1);
}

/* The shortest text that reads back as the same float. */
static void float_text(char out[64], float value)
{
    for (int digits = 6; digits <= 9; ++digits) {
        snprintf(out, 64, "%.*g", digits, (double)value);
        if (strtof(out, NULL) == value) break;
    }
}

/* ---- reasons */

/* The text of a category, or NULL: a number. Missing values are not asked for. */
static const char *category_text(const scarce_schema *schema, size_t f, float value)
{
    if (scarce_schema_kind(schema, f) != SCARCE_COLUMN_CATEGORY) return NULL;
    return value < (float)scarce_schema_categories(schema, f)
               ? scarce_schema_category(schema, f, (size_t)value)
               : "(unknown)";
}

void show_value(char out[64], const scarce_schema *schema, size_t f, float value)
{
    const char *category = isnan(value) ? NULL : category_text(schema, f, value);

    if (isnan(value)) snprintf(out, 64, "missing");
    else if (category) snprintf(out, 64, "%.60s", category);
    else snprintf(out, 64, "%.6g", (double)value);
}

void add_sentence(text *t, const scarce_schema *schema, const scarce_spread *spread, const scarce_reason *why,
                  float value)
{
    char sentence[SCARCE_REASON_TEXT];

    scarce_reason_text(sentence, schema, spread, why, value);
    text_add(t, sentence, strlen(sentence));
}

size_t choose_reasons(scarce_reason *out, size_t n, const double *contribution, size_t width, int only_for)
{
    return only_for ? scarce_reasons_raising(contribution, width, n, out)
                    : scarce_reasons_strongest(contribution, width, n, out);
}

/* ---- CSV */

void csv_header(text *t, const line_format *f)
{
    if (f->ranked) text_addf(t, "rank,");
    text_addf(t, "row,score,probability,alert");
    if (f->n_classes) classes_header(t, f);
    for (size_t i = 0; i < f->keep->count; ++i) text_add(t, ",", 1), text_field(t, f->keep->items[i]);
    if (f->ruled) text_addf(t, ",rules,rule_reasons");
    if (f->rules) text_addf(t, ",rule,reason");
    if (f->scorer && f->n_reasons) {
        neighbours_header(t, f);
        return;
    }
    if (f->n_reasons && f->words) text_addf(t, ",reasons");
    for (size_t k = 1; k <= f->n_reasons && !f->words; ++k)
        text_addf(t, ",reason%zu,value%zu,contribution%zu", k, k, k);
    text_addf(t, f->n_reasons && !f->words ? ",base\n" : "\n");
}

static void add_sentences(text *t, const line_format *f, const score_line *l)
{
    text all = {NULL, 0, 0, 0};

    for (size_t k = 0; k < l->found; ++k) {
        if (k) text_add(&all, "; ", 2);
        add_sentence(&all, f->schema, f->spread, &l->reasons[k], l->value[l->reasons[k].feature]);
    }
    text_add(&all, "", 1);
    t->failed |= all.failed;
    if (!all.failed) scarce_printable(all.bytes); /* it is for people, wherever it goes */
    text_add(t, ",", 1);
    if (!all.failed) text_field(t, all.bytes);
    free(all.bytes);
}

static void add_columns(text *t, const line_format *f, const score_line *l)
{
    for (size_t k = 0; k < f->n_reasons; ++k) {
        if (k >= l->found) {
            text_add(t, ",,,", 3);
            continue;
        }
        const size_t feature = l->reasons[k].feature;
        const float value = l->value[feature];
        char number[64];
        text_add(t, ",", 1);
        text_field(t, scarce_schema_name(f->schema, feature));
        text_add(t, ",", 1);
        if (!isnan(value)) {
            const char *category = category_text(f->schema, feature, value);
            if (!category) float_text(number, value);
            text_field(t, category ? category : number);
        }
        text_add(t, ",", 1);
        text_number(t, l->reasons[k].contribution, f->full);
    }
    text_add(t, ",", 1);
    text_number(t, f->base, f->full);
}

/* --rules: the names of those that fire, and their sentences. */
static void add_ruled(text *t, const line_format *f, const score_line *l)
{
    char *names, *reasons;

    if (say_rules(f->ruled, l->table_row, &names, &reasons, NULL) != SCARCE_OK) {
        t->failed = 1;
        return;
    }
    text_add(t, ",", 1);
    text_field(t, names);
    text_add(t, ",", 1);
    text_field(t, reasons);
    free(names);
    free(reasons);
}

void csv_line(text *t, const line_format *f, const score_line *l)
{
    if (f->ranked) text_addf(t, "%zu,", l->rank);
    text_addf(t, "%zu,", l->row);
    text_number(t, l->score, f->full);
    text_add(t, ",", 1);
    text_number(t, l->probability, f->full);
    text_addf(t, ",%d", l->alert);
    if (l->classes) add_classes(t, f, l->classes);
    for (size_t i = 0; i < f->keep->count; ++i) {
        const char *kept = scarce_table_kept(l->table, i, l->table_row, NULL);
        text_add(t, ",", 1);
        text_field(t, kept ? kept : "");
    }
    if (f->ruled) add_ruled(t, f, l);
    if (f->rules) text_addf(t, ",%zu,", l->rule + 1), text_field(t, l->way);
    if (l->neighbours) add_neighbours(t, f, l);
    else if (l->value && f->words) add_sentences(t, f, l);
    else if (l->value) add_columns(t, f, l);
    text_add(t, "\n", 1);
}

/* ---- JSON */

static void json_reason(const line_format *f, const scarce_reason *reason, float value)
{
    const char *category = isnan(value) ? NULL : category_text(f->schema, reason->feature, value);
    text sentence = {NULL, 0, 0, 0};
    char number[64];

    json_open('{');
    json_key("feature"), json_text(scarce_schema_name(f->schema, reason->feature));
    json_key("value");
    if (isnan(value) || category) json_text(category);
    else float_text(number, value), json_number(strtod(number, NULL));
    json_key("contribution"), json_number(reason->contribution);
    if (f->words) {
        add_sentence(&sentence, f->schema, f->spread, reason, value);
        text_add(&sentence, "", 1);
        json_key("text"), json_text(sentence.failed ? NULL : sentence.bytes);
        free(sentence.bytes);
    }
    json_close('}');
}

void json_line(const line_format *f, const score_line *l)
{
    json_open('{');
    if (f->ranked) json_key("rank"), json_count(l->rank);
    json_key("row"), json_count(l->row);
    json_key("score"), json_number(l->score);
    json_key("probability"), json_number(l->probability);
    json_key("alert"), json_bool(l->alert);
    if (l->classes) json_classes(f, l->classes);
    for (size_t i = 0; i < f->keep->count; ++i)
        json_key(f->keep->items[i]), json_text(scarce_table_kept(l->table, i, l->table_row, NULL));
    if (f->ruled) json_rules(f->ruled, l->table_row);
    if (f->rules) json_key("rule"), json_count(l->rule + 1), json_key("reason"), json_text(l->way);
    if (l->neighbours) json_neighbours(f, l);
    else if (l->value) {
        json_key("base"), json_number(f->base);
        json_key("reasons"), json_open('[');
        for (size_t k = 0; k < l->found; ++k) json_reason(f, &l->reasons[k], l->value[l->reasons[k].feature]);
        json_close(']');
    }
    json_close('}');
}

int check_keep(const text_list *keep)
{
    static const char *const taken[] = {"rank",  "row",          "score", "probability",      "alert",
                                        "base",  "reasons",      "rule",  "reason",           "neighbours",
                                        "rules", "rule_reasons", "class", "class_probability"};

    for (size_t i = 0; i < keep->count; ++i) {
        const char *name = keep->items[i];
        if (!*name) return complain(EXIT_USE, "--keep has an empty name");
        for (size_t k = 0; k < sizeof taken / sizeof taken[0]; ++k)
            if (strcmp(name, taken[k]) == 0)
                return complain(EXIT_USE, "--keep %s: the output has a column of that name already", name);
        for (size_t k = 0; k < i; ++k)
            if (strcmp(name, keep->items[k]) == 0) return complain(EXIT_USE, "--keep names %s twice", name);
    }
    return EXIT_DONE;
}
