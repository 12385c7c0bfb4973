/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a model, for people (text) and programs (json); the kind adds what it learnt. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/json.h"
#include "core/param.h"
#include "model/model.h"

static const char *calibrator_name(const scarce_model *m)
{
    static const char *const names[] = {"the score itself",     "sigmoid", "isotonic", "beta",
                                        "beta of the log-odds", "prior"};
    return m->has_probability ? names[m->calibrator.kind] : "none";
}

static const char *kind_name(scarce_column_kind kind)
{
    return kind == SCARCE_COLUMN_CATEGORY ? "category" : kind == SCARCE_COLUMN_SPARSE ? "sparse" : "numeric";
}

/* The name of a parameter that is noted, or NULL. */
static const char *param_of(const scarce__note *note)
{
    return strncmp(note->key, "param.", 6) == 0 ? note->key + 6 : NULL;
}

static int is_named_in(const char *names, const char *name)
{
    return scarce__is_word_of(names, ' ', name, strlen(name));
}

/* Parameters that the user set, then those that came out of the data; the others have their defaults. Models of
 * releases that did not note who decided show all. */
static void params_text(const scarce_model *m, int full, scarce__text *out)
{
    const char *set = scarce_model_note(m, "set"), *by_data = scarce_model_note(m, "auto");
    size_t left = 0;

    for (int turn = 0; turn < 3; ++turn)
        for (size_t i = 0; i < m->n_notes; ++i) {
            const char *name = param_of(&m->notes[i]);
            if (!name) continue;
            const int rank = !set || is_named_in(set, name) ? 0 : is_named_in(by_data, name) ? 1 : 2;
            if (rank != turn) continue;
            if (rank == 2 && !full) ++left;
            else
                scarce__text_addf(out, "  %-28s  %s%s\n", m->notes[i].key,
                                  *m->notes[i].value ? m->notes[i].value : "(empty)",
                                  rank == 1 ? "   (auto)" : "");
        }
    if (left)
        scarce__text_addf(out, "  %zu more parameter%s default%s (--verbose)\n", left,
                          left == 1 ? " has its" : "s have their", left == 1 ? "" : "s");
}

static void head_text(const scarce_model *m, int full, scarce__text *out)
{
    scarce__text_addf(out, "%s model of method %s, %zu features", m->kind->name, m->method,
                      m->schema.n_features);
    if (m->schema.label)
        scarce__text_addf(out, ", positive: %s = %s", m->schema.label,
                          m->schema.positive ? m->schema.positive : "1");
    scarce__text_add(out, m->state ? " (a checkpoint: training was not finished)\n\n" : "\n\n");
    for (size_t i = 0; i < m->n_notes; ++i)
        if (!param_of(&m->notes[i]) && strcmp(m->notes[i].key, "set") != 0 &&
            strcmp(m->notes[i].key, "auto") != 0 && strcmp(m->notes[i].key, "rows_seen") != 0)
            scarce__text_addf(out, "  %-28s  %s\n", m->notes[i].key, m->notes[i].value);
    params_text(m, full, out);
    scarce__text_addf(out, "  %-28s  %s\n", "probability", calibrator_name(m));
    scarce__text_addf(out, "  %-28s  ",
                      m->alert_rule == SCARCE__ALERT_SCORE ? "alert from score" : "alert when p x amount >");
    scarce__text_digits(out, m->alert_value, 9);
    scarce__text_add(out, "\n");
}

/* Per cent in whole numbers, because printf's point follows the locale. Most columns lack nothing, and say so by
 * saying nothing. */
static void add_missing(scarce__text *out, double share)
{
    const unsigned tenths = (unsigned)(share * 1000 + 0.5);

    if (share <= 0) return;
    if (tenths == 0) scarce__text_add(out, "; below 0.1 % missing");
    else if (tenths >= 100 || tenths % 10 == 0) scarce__text_addf(out, "; %u %% missing", (tenths + 5) / 10);
    else scarce__text_addf(out, "; %u.%u %% missing", tenths / 10, tenths % 10);
}

/* A line per feature; long tables are cut. */
static void features_text(const scarce_model *m, int full, scarce__text *out)
{
    const size_t n = m->schema.n_features, most = full || n <= 60 ? n : 50;

    scarce__text_addf(out, "\n%zu feature%s\n", n, n == 1 ? "" : "s");
    for (size_t f = 0; f < most; ++f) {
        const scarce__feature *x = &m->schema.features[f];
        scarce__text_addf(out, "  %-30s  %s", x->name, kind_name(x->kind));
        if (x->kind == SCARCE_COLUMN_CATEGORY) {
            scarce__text_addf(out, " of %zu: ", x->categories.count);
            for (size_t c = 0; c < x->categories.count && c < 6; ++c)
                scarce__text_addf(out, "%s%.40s", c ? ", " : "", scarce__dictionary_text(&x->categories, c));
            if (x->categories.count > 6) scarce__text_add(out, ", ...");
        }
        if (m->missing) add_missing(out, (double)m->missing[f]);
        scarce__text_add(out, "\n");
    }
    if (most < n) scarce__text_addf(out, "  ... %zu more (--verbose)\n", n - most);
}

static void head_json(const scarce_model *m, scarce__text *out)
{
    scarce__json_field_string(out, "method", m->method);
    scarce__json_field_string(out, "kind", m->kind->name);
    scarce__json_field_boolean(out, "checkpoint", m->state != NULL);
    scarce__json_key(out, "notes");
    scarce__json_begin_object(out);
    for (size_t i = 0; i < m->n_notes; ++i)
        scarce__json_field_string(out, m->notes[i].key, m->notes[i].value);
    scarce__json_end_object(out);
    scarce__json_field_string(out, "label", m->schema.label);
    scarce__json_field_string(out, "positive", m->schema.positive);
    scarce__json_key(out, "features");
    scarce__json_begin_array(out);
    for (size_t f = 0; f < m->schema.n_features; ++f) {
        scarce__json_begin_object(out);
        scarce__json_field_string(out, "name", m->schema.features[f].name);
        scarce__json_field_string(out, "kind", kind_name(m->schema.features[f].kind));
        if (m->schema.features[f].kind == SCARCE_COLUMN_CATEGORY)
            scarce__json_field_integer(out, "categories", (int64_t)m->schema.features[f].categories.count);
        if (m->missing) scarce__json_field_number(out, "missing", (double)m->missing[f]);
        scarce__json_end_object(out);
    }
    scarce__json_end_array(out);
    scarce__json_field_string(out, "probability", calibrator_name(m));
    scarce__json_field_string(out, "alert_on",
                              m->alert_rule == SCARCE__ALERT_SCORE ? "score" : "probability x amount");
    scarce__json_field_number(out, "threshold", m->alert_value);
}

scarce_status scarce_model_show(char **out, const scarce_model *model, const char *format, scarce_error *err)
{
    scarce__text text = SCARCE__TEXT_INIT;
    const int json = strcmp(format, "json") == 0, full = strcmp(format, "full") == 0,
              summary = strcmp(format, "summary") == 0;
    scarce_status st;

    *out = NULL;
    if (json) {
        scarce__json_begin_object(&text);
        head_json(model, &text);
    } else if (full || summary || strcmp(format, "text") == 0) head_text(model, full, &text);
    if (summary) features_text(model, 0, &text);
    st = model->kind->show(model->body, model, full ? "text" : format, &text, err);
    if (json) {
        scarce__json_end_object(&text);
        scarce__text_add(&text, "\n");
    } else scarce__text_clean(&text); /* for terminals; JSON has escapes of its own */
    if (st == SCARCE_OK && text.failed) st = scarce__fail_memory(err, "the description of a model", 0);
    if (st != SCARCE_OK) {
        scarce__text_deinit(&text);
        return st;
    }
    *out = text.bytes;
    return SCARCE_OK;
}
