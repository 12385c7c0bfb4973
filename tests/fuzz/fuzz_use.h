/* SPDX-License-Identifier: Apache-2.0 */
/* Everything the commands do with a model that was read: a CSV is read with its schema and roles as `score`
 * and `eval` do, scored as a table, as rows and row by row, explained, judged, shown in every form, exported,
 * its importances and dependences computed. Whatever the model and the file, it is an error with a text or a
 * result that agrees with itself. */
#ifndef SCARCE_FUZZ_USE_H
#define SCARCE_FUZZ_USE_H

#include <math.h>
#include <string.h>

#include <scarce/scarce.h>

#include "fuzz_parts.h"
#include "fuzz_table.h"
#include "model/model.h"

enum { FUZZ_MOST_ROWS = 40, FUZZ_MOST_FEATURES = 400 }; /* more of them take time, and show nothing new */

/* An error has a text of one printable line and is none of those that mean a defect of ours. */
static inline void fuzz_check_status(scarce_status st, const scarce_error *err)
{
    if (st == SCARCE_OK) return;
    MUST(err->code == st && err->text[0] && st != SCARCE_EBUG);
    for (const char *p = err->text; *p; ++p) MUST((unsigned char)*p >= 32 && *p != 127);
}

static inline int fuzz_same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)) || a == b;
}

/* What the table says of row r, as a scorer takes it. */
static inline void fuzz_row_of(float *row, const scarce_table *t, size_t r)
{
    for (size_t f = 0; f < t->schema.n_features; ++f) {
        const scarce__column *c = &t->columns[f];
        row[f] = 0;
        switch (t->schema.features[f].kind) {
        case SCARCE_COLUMN_NUMERIC: row[f] = c->number[r]; break;
        case SCARCE_COLUMN_CATEGORY: row[f] = c->code[r] < 0 ? NAN : (float)c->code[r]; break;
        case SCARCE_COLUMN_SPARSE:
            for (size_t i = 0; i < c->sparse.count; ++i)
                if (c->sparse.row[i] == r) row[f] = c->sparse.value[i];
            break;
        }
    }
}

static inline void fuzz_use_scores(const scarce_model *m, const scarce_table *t)
{
    const size_t n = t->n_rows, n_features = t->schema.n_features;
    double *score = malloc(4 * n * sizeof *score), *p = score + n, *score2 = p + n, *p2 = score2 + n;
    float *rows = calloc(n * n_features + 1, sizeof *rows);
    scarce_scorer *scorer = NULL;
    scarce_metrics metrics = SCARCE_METRICS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;

    MUST(score && rows && scarce_scorer_new(&scorer, m, NULL) == SCARCE_OK);
    for (size_t r = 0; r < n; ++r) fuzz_row_of(rows + r * n_features, t, r);
    MUST(scarce_scorer_table(scorer, t, score, p, fuzz_context(1), NULL) == SCARCE_OK);
    MUST(scarce_scorer_rows(scorer, rows, n, 0, score2, p2, fuzz_context(1), NULL) == SCARCE_OK);
    for (size_t r = 0; r < n; ++r) {
        const double one = scarce_scorer_score(scorer, rows + r * n_features);
        MUST(fuzz_same_double(one, score[r]) && fuzz_same_double(one, score2[r]));
        MUST(fuzz_same_double(p[r], p2[r]) && fuzz_same_double(p[r], scarce_scorer_probability(scorer, one)));
        (void)scarce_scorer_alert(scorer, one, p[r], t->amount ? t->amount[r] : (double)NAN);
    }
    scarce_scored in = scarce_scored_of_table(t, score, m->has_probability ? p : NULL);
    if (t->label) fuzz_check_status(scarce_metrics_compute(&metrics, &in, NULL, fuzz_context(1), &err), &err);
    scarce_scorer_free(scorer);
    free(rows);
    free(score);
}

typedef struct fuzz_reasons {
    const scarce_explainer *explainer;
    const scarce_table *table;
    double *again;
} fuzz_reasons;

/* The contributions of many rows are those of one row. */
static inline int fuzz_look_reasons(void *payload, size_t first, size_t n, const float *value,
                                    const double *contribution)
{
    const fuzz_reasons *x = payload;
    const size_t n_features = x->table->schema.n_features;
    for (size_t r = 0; r < n; ++r) {
        scarce_error err = SCARCE_ERROR_INIT;
        MUST(first + r < x->table->n_rows);
        MUST(scarce_explainer_row(x->explainer, value + r * n_features, x->again, &err) == SCARCE_OK);
        for (size_t f = 0; f < n_features; ++f)
            MUST(fuzz_same_double(x->again[f], contribution[r * n_features + f]));
    }
    return 0;
}

static inline void fuzz_use_reasons(const scarce_model *m, const scarce_table *t, int background)
{
    const size_t n_features = t->schema.n_features;
    scarce_explain_options o = SCARCE_EXPLAIN_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_explainer *e = NULL;
    scarce_importance *importance = calloc(n_features + 1, sizeof *importance);
    double *again = calloc(n_features + 1, sizeof *again);

    MUST(importance && again);
    if (background) o.background = t;
    const scarce_status st = scarce_explainer_new(&e, m, &o, &err);
    fuzz_check_status(st, &err);
    if (st == SCARCE_OK) {
        fuzz_reasons x = {e, t, again};
        MUST(scarce_explainer_table(e, t, fuzz_look_reasons, &x, fuzz_context(1), &err) == SCARCE_OK);
        fuzz_check_status(scarce_importance_shap(importance, e, t, fuzz_context(1), &err), &err);
    }
    scarce_explainer_free(e);
    free(importance);
    free(again);
}

static inline void fuzz_use_dependence(const scarce_model *m, const scarce_table *t)
{
    const size_t n_features = t->schema.n_features, n = n_features < 3 ? n_features : 3;
    scarce_importance *importance = calloc(n_features + 1, sizeof *importance);
    scarce_grid grid[2];
    scarce_error err = SCARCE_ERROR_INIT;
    double out[64], share[64];

    MUST(importance != NULL);
    fuzz_check_status(scarce_importance_splits(importance, m, SCARCE_SPLITS_GAIN, &err), &err);
    fuzz_check_status(scarce_importance_splits(importance, m, SCARCE_SPLITS_COUNT, &err), &err);
    if (t->label)
        fuzz_check_status(scarce_importance_permutation(importance, m, t, 1, fuzz_context(1), &err), &err);
    for (size_t f = 0; f < n; ++f) {
        memset(grid, 0, sizeof grid);
        MUST(scarce_grid_of(&grid[0], t, f, 5, &err) == SCARCE_OK && grid[0].n <= 6);
        fuzz_check_status(
            scarce_partial_dependence(out, m, t, f, grid[0].value, grid[0].n, fuzz_context(1), &err), &err);
        if (f + 1 < n) {
            const size_t pair[2] = {f, f + 1};
            MUST(scarce_grid_of(&grid[1], t, f + 1, 5, &err) == SCARCE_OK && grid[1].n <= 6);
            fuzz_check_status(scarce_partial_pair(out, share, m, t, pair, grid, fuzz_context(1), &err), &err);
        }
        scarce_grid_deinit(&grid[0]);
        scarce_grid_deinit(&grid[1]);
    }
    free(importance);
}

static inline void fuzz_use_texts(const scarce_model *m)
{
    static const char *const formats[] = {"text", "full", "json", "dot", "xml"};
    scarce_error err = SCARCE_ERROR_INIT;
    char path[128];

    for (size_t i = 0; i < 5; ++i) {
        char *text = NULL;
        const scarce_status st = scarce_model_show(&text, m, formats[i], &err);
        fuzz_check_status(st, &err);
        MUST((st == SCARCE_OK) == (text != NULL) && (i > 2 || text));
        scarce_bytes_free(text);
    }
    (void)snprintf(path, sizeof path, "%s/out", fuzz_folder());
    fuzz_check_status(scarce_model_export_xgboost(m, path, &err), &err);
    MUST(scarce_model_save(m, path, &err) == SCARCE_OK);
    scarce_model *again = NULL;
    MUST(scarce_model_load(&again, path, &err) == SCARCE_OK);
    scarce_model_free(again);
}

/* As `scarce score` and `eval` read: roles that the model knows, where the columns are there. */
static inline scarce_table *fuzz_read_for(const scarce_model *m, const uint8_t *csv, size_t n, uint8_t flags)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    o.schema = &m->schema;
    o.format = flags & 1 ? SCARCE_FORMAT_LIBSVM : flags & 2 ? SCARCE_FORMAT_ARFF : SCARCE_FORMAT_CSV;
    o.label = m->schema.label;
    o.label_optional = 1;
    o.time = m->schema.time_name;
    o.group = m->schema.group_name;
    o.weight = m->schema.weight_name;
    o.amount = m->schema.amount_name;
    o.optional_roles = SCARCE_ROLE_TIME | SCARCE_ROLE_GROUP | SCARCE_ROLE_WEIGHT | SCARCE_ROLE_AMOUNT;
    if ((flags & 4) && m->schema.n_features) o.amount = m->schema.features[flags % m->schema.n_features].name;
    const scarce_status st = scarce_table_read_bytes(&t, csv, n, "rows", &o, fuzz_context(1), &err);
    fuzz_check_status(st, &err);
    MUST((st == SCARCE_OK) == (t != NULL));
    return t;
}

static inline void fuzz_use_model(const scarce_model *m, const uint8_t *csv, size_t n, uint8_t flags)
{
    fuzz_use_texts(m);
    for (size_t f = 0; f < m->schema.n_features && f < 50; ++f)
        for (size_t k = 0; k < f; ++k) MUST(strcmp(m->schema.features[f].name, m->schema.features[k].name));
    scarce_table *t = fuzz_read_for(m, csv, n, flags);
    if (t && t->n_rows <= FUZZ_MOST_ROWS && m->schema.n_features <= FUZZ_MOST_FEATURES) {
        fuzz_check_table(t, 1);
        MUST(t->schema.n_features == m->schema.n_features);
        fuzz_use_scores(m, t);
        fuzz_use_reasons(m, t, 0);
        fuzz_use_reasons(m, t, 1);
        fuzz_use_dependence(m, t);
    }
    scarce_table_free(t);
}

#endif
