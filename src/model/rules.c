/* SPDX-License-Identifier: Apache-2.0 */
/* The rule that a row fires: of models that are rules. */
#include <math.h>

#include <scarce/explain.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"
#include "data/columns.h"
#include "model/model.h"
#include "rank/rulebook.h"

struct scarce_rules {
    const scarce_model *model;
    scarce__rulebook *book;
};

scarce_reasons scarce_model_reasons(const scarce_model *model)
{
    return (scarce_reasons)model->kind->reasons;
}

scarce_status scarce_rules_new(scarce_rules **out, const scarce_model *model, scarce_error *err)
{
    scarce_rules *r;
    scarce_status st;

    *out = NULL;
    if (model->kind->reasons != SCARCE__REASONS_RULE || !model->kind->rulebook)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "a %s model (%.60s) has no rules; scarce distil makes a ranking tree of it",
                            model->kind->name, model->method);
    r = scarce__calloc(1, sizeof *r);
    if (!r) return scarce__fail_memory(err, "rules", sizeof *r);
    r->model = model;
    st = model->kind->rulebook(&r->book, model->body, model, err);
    if (st != SCARCE_OK) {
        scarce__free(r);
        return st;
    }
    *out = r;
    return SCARCE_OK;
}

void scarce_rules_free(scarce_rules *r)
{
    if (!r) return;
    scarce__rulebook_free(r->book);
    scarce__free(r);
}

size_t scarce_rules_count(const scarce_rules *r)
{
    return r->book->dag->n_leaves;
}

scarce_status scarce_rules_get(const scarce_rules *r, size_t rule, scarce_rule *out, scarce_error *err)
{
    const scarce__dag *dag = r->book->dag;
    scarce_rule filled = SCARCE_RULE_INIT;
    double all = 0, so_far = 0;

    SCARCE__TRY(SCARCE__FILLED_CHECK(out, SCARCE_RULE_INIT, err));
    if (rule >= dag->n_leaves)
        return scarce__fail(err, SCARCE_EINVAL, "no rule %zu, there are %zu", rule + 1, dag->n_leaves);
    for (size_t i = 0; i < dag->n_leaves; ++i) {
        all += dag->leaves[i].positive;
        if (i <= rule) so_far += dag->leaves[i].positive;
    }
    const scarce__rank_leaf *l = &dag->leaves[rule];
    filled.text = r->book->text[rule];
    filled.ways = r->book->first[rule + 1] - r->book->first[rule];
    filled.score = l->score;
    filled.rows = (size_t)l->rows;
    filled.positives = (size_t)l->positives;
    filled.precision = l->weight > 0 ? l->positive / l->weight : (double)NAN;
    filled.share = all > 0 ? l->positive / all : (double)NAN;
    filled.recall = all > 0 ? so_far / all : (double)NAN;
    SCARCE__FILL(out, &filled);
    return SCARCE_OK;
}

size_t scarce_rules_fired(const scarce_rules *r, const float *row, const char **way)
{
    size_t box;
    const size_t leaf = scarce__rulebook_find(r->book, row, &box);
    if (way) *way = box < r->book->rules.n ? r->book->way[box] : "";
    return leaf;
}

enum { BLOCK = 256 };

scarce_status scarce_rules_table(const scarce_rules *r, const scarce_table *table, size_t *rule,
                                 const char **way, scarce_error *err)
{
    const size_t width = r->model->schema.n_features;
    scarce__columns *columns;
    float *rows;
    int good;

    SCARCE__TRY(scarce__check_same_features(&r->model->schema, &table->schema, err));
    columns = scarce__columns_of(table);
    rows = scarce__malloc_array(width, BLOCK * sizeof *rows);
    good = columns && rows;
    for (size_t from = 0; good && from < table->n_rows; from += BLOCK) {
        const size_t n = table->n_rows - from < BLOCK ? table->n_rows - from : BLOCK;
        for (size_t f = 0; f < width; ++f) scarce__columns_take(&columns[f], from, n, rows + f, width);
        for (size_t i = 0; i < n; ++i)
            rule[from + i] = scarce_rules_fired(r, rows + i * width, way ? &way[from + i] : NULL);
    }
    scarce__free(columns);
    scarce__free(rows);
    return good ? SCARCE_OK : scarce__fail_memory(err, "the rules of rows", width * BLOCK * sizeof *rows);
}
