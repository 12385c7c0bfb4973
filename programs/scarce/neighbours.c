/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons that are training rows: the nearest of each class, with what they have in common with the row.
 *
 *     CSV      positive1,distance1,alike1,... then negative1,... : number of the training row (from 1), distance, features
 *     words    like positive 812 (0.31): amount 493.41 and 480, country BR; nearest negative 44 (0.92)
 *     JSON     "neighbours": [{"row": 812, "positive": true, "distance": 0.31, "alike": [...]}] */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

/* The features that made a row near, strongest first: those that count at least a tenth of the first. */
static size_t choose_alike(scarce_reason *out, const double *alike, size_t width)
{
    size_t n = choose_reasons(out, MOST_ALIKE, alike, width, 1), kept = 0;
    while (kept < n && out[kept].contribution >= out[0].contribution / 10) ++kept;
    return kept;
}

static scarce_status compare(neighbour_line *line, const line_format *f, const float *value, double *alike,
                             float *its, scarce_error *err)
{
    scarce_status st = scarce_scorer_alike(f->scorer, value, line->is.row, alike, err);
    if (st == SCARCE_OK) st = scarce_model_remembered(f->model, line->is.row, its, err);
    if (st != SCARCE_OK) return st;
    line->n_alike = choose_alike(line->alike, alike, scarce_schema_features(f->schema));
    for (size_t k = 0; k < line->n_alike; ++k) line->its[k] = its[line->alike[k].feature];
    return SCARCE_OK;
}

scarce_status find_neighbours(neighbour_line *out, size_t *found, const line_format *f, const float *value,
                              scarce_error *err)
{
    enum { MOST = 64 };
    const size_t width = scarce_schema_features(f->schema), n = f->n_reasons < MOST ? f->n_reasons : MOST;
    scarce_neighbour near[MOST];
    double *alike = malloc((width + 1) * sizeof *alike);
    float *its = malloc((width + 1) * sizeof *its);
    scarce_status st = alike && its ? SCARCE_OK : fail_with(err, SCARCE_ENOMEM, "out of memory for reasons");

    *found = 0;
    for (int positive = 1; st == SCARCE_OK && positive >= (f->only_for ? 1 : 0); --positive) {
        size_t got = 0;
        st = scarce_scorer_neighbours(f->scorer, value, positive, n, near, &got, err);
        for (size_t i = 0; st == SCARCE_OK && i < got; ++i) {
            out[*found].is = near[i];
            st = compare(&out[(*found)++], f, value, alike, its, err);
        }
    }
    free(alike);
    free(its);
    return st;
}

void neighbours_header(text *t, const line_format *f)
{
    if (f->words) text_addf(t, ",reasons");
    for (int positive = 1; !f->words && positive >= (f->only_for ? 1 : 0); --positive)
        for (size_t k = 1; k <= f->n_reasons; ++k) {
            const char *side = positive ? "positive" : "negative";
            text_addf(t, ",%s%zu,%s_distance%zu,%s_alike%zu", side, k, side, k, side, k);
        }
    text_add(t, "\n", 1);
}

/* "amount 493.41 and 480, country BR": both values where they differ. */
static void add_alike(text *t, const line_format *f, const neighbour_line *n, const float *value)
{
    for (size_t k = 0; k < n->n_alike; ++k) {
        const size_t feature = n->alike[k].feature;
        const char *name = scarce_schema_name(f->schema, feature);
        char own[64], its[64];
        show_value(own, f->schema, feature, value[feature]);
        show_value(its, f->schema, feature, n->its[k]);
        if (k) text_add(t, ", ", 2);
        text_add(t, name, strlen(name));
        text_add(t, " ", 1);
        text_add(t, own, strlen(own));
        if (strcmp(own, its) == 0) continue;
        text_add(t, " and ", 5);
        text_add(t, its, strlen(its));
    }
}

/* Ends with a NUL. */
static text words_of(const line_format *f, const score_line *l)
{
    text all = {NULL, 0, 0, 0};

    for (size_t i = 0; i < l->n_neighbours; ++i) {
        const neighbour_line *n = &l->neighbours[i];
        if (i) text_add(&all, "; ", 2);
        text_addf(&all, "%s%s %zu (%.3g)", i == 0 ? "like " : "", n->is.positive ? "positive" : "negative",
                  n->is.row + 1, n->is.distance);
        if (n->n_alike) text_add(&all, ": ", 2), add_alike(&all, f, n, l->value);
    }
    text_add(&all, "", 1);
    return all;
}

static void add_columns(text *t, const line_format *f, const score_line *l, int positive)
{
    size_t done = 0;

    for (size_t i = 0; i < l->n_neighbours; ++i) {
        const neighbour_line *n = &l->neighbours[i];
        text common = {NULL, 0, 0, 0};
        if (n->is.positive != positive) continue;
        text_addf(t, ",%zu,", n->is.row + 1);
        text_number(t, n->is.distance, f->full);
        add_alike(&common, f, n, l->value);
        text_add(&common, "", 1);
        t->failed |= common.failed;
        text_add(t, ",", 1);
        if (!common.failed) text_field(t, common.bytes);
        free(common.bytes);
        ++done;
    }
    for (; done < f->n_reasons; ++done) text_add(t, ",,,", 3);
}

void add_neighbours(text *t, const line_format *f, const score_line *l)
{
    if (f->words) {
        const text all = words_of(f, l);
        t->failed |= all.failed;
        text_add(t, ",", 1);
        if (!all.failed) text_field(t, all.bytes);
        free(all.bytes);
        return;
    }
    add_columns(t, f, l, 1);
    if (!f->only_for) add_columns(t, f, l, 0);
}

static void json_value(const line_format *f, size_t feature, float value)
{
    char shown[64];

    if (isnan(value)) json_text(NULL);
    else if (scarce_schema_kind(f->schema, feature) == SCARCE_COLUMN_CATEGORY)
        show_value(shown, f->schema, feature, value), json_text(shown);
    else json_number((double)value);
}

void json_neighbours(const line_format *f, const score_line *l)
{
    json_key("neighbours"), json_open('[');
    for (size_t i = 0; i < l->n_neighbours; ++i) {
        const neighbour_line *n = &l->neighbours[i];
        json_open('{');
        json_key("row"), json_count(n->is.row + 1);
        json_key("positive"), json_bool(n->is.positive);
        json_key("distance"), json_number(n->is.distance);
        json_key("alike"), json_open('[');
        for (size_t k = 0; k < n->n_alike; ++k) {
            const size_t feature = n->alike[k].feature;
            json_open('{');
            json_key("feature"), json_text(scarce_schema_name(f->schema, feature));
            json_key("value"), json_value(f, feature, l->value[feature]);
            json_key("its"), json_value(f, feature, n->its[k]);
            json_key("nearness"), json_number(n->alike[k].contribution);
            json_close('}');
        }
        json_close(']');
        json_close('}');
    }
    json_close(']');
    if (!f->words) return;
    const text all = words_of(f, l);
    json_key("text"), json_text(all.failed ? NULL : all.bytes);
    free(all.bytes);
}
