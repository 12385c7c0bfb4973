/* SPDX-License-Identifier: Apache-2.0 */
/* Views: tables that own next to nothing.
 *
 *     table:  columns -> [x......] [y......]      view of rows 2..4:  columns -> [x..   [y..
 *
 * Dense columns of a range begin further down in the same memory. A sparse column is cut by two binary
 * searches; its values stay where they are, and its row numbers, which count from the first row of the
 * table, are copied and lowered unless the range begins at row 0. Texts (names, categories, groups) are
 * shared; the few texts about roles are copied, because a view may have others. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"
#include "data/table.h"

/* 0 when memory is exhausted. */
static int cut_sparse(scarce_table *view, size_t f, size_t first)
{
    scarce__sparse *s = &view->columns[f].sparse;
    const size_t begin = scarce__first_row(s->row, s->count, first);
    const size_t end = scarce__first_row(s->row, s->count, first + view->n_rows);
    uint32_t *row = s->row + begin;

    if (first > 0) {
        row = scarce__malloc_array(end - begin, sizeof *row);
        if (!row) return 0;
        for (size_t i = begin; i < end; ++i) row[i - begin] = s->row[i] - (uint32_t)first;
        view->shared[f] &= (uint8_t)~SCARCE__SHARED_ROWS;
    }
    s->row = row;
    s->value += begin;
    s->count = end - begin;
    return 1;
}

static int share_columns(scarce_table *view, const scarce_table *from, size_t first)
{
    for (size_t f = 0; f < from->schema.n_features; ++f) {
        view->columns[f] = from->columns[f];
        switch (from->schema.features[f].kind) {
        case SCARCE_COLUMN_NUMERIC: view->columns[f].number += first; break;
        case SCARCE_COLUMN_CATEGORY: view->columns[f].code += first; break;
        case SCARCE_COLUMN_SPARSE:
            if (!cut_sparse(view, f, first)) return 0;
            break;
        }
    }
    return 1;
}

static double *from_row(double *items, size_t first)
{
    return items ? items + first : NULL;
}

static void share_roles(scarce_table *view, const scarce_table *from, size_t first)
{
    view->label = from->label ? from->label + first : NULL;
    view->class_of = from->class_of ? from->class_of + first : NULL;
    view->weight = from_row(from->weight, first);
    view->time = from_row(from->time, first);
    view->amount = from_row(from->amount, first);
    view->cost = from_row(from->cost, first);
    for (int i = 0; i < SCARCE__MAX_EXACT; ++i) view->exact[i] = from_row(from->exact[i], first);
    view->group = from->group ? from->group + first : NULL;
    view->groups = from->groups;
    view->n_positives = from->n_positives;
    if (from->label && view->n_rows < from->n_rows) {
        view->n_positives = 0;
        for (size_t i = 0; i < view->n_rows; ++i) view->n_positives += view->label[i];
    }
}

/* Everything is marked as shared before anything is, so that a half made view is freed rightly. */
static int make_arrays(scarce_table *view, const scarce_table *from)
{
    const size_t n = from->schema.n_features;

    view->shared_parts = SCARCE__SHARED_LABEL | SCARCE__SHARED_WEIGHT | SCARCE__SHARED_TIME |
                         SCARCE__SHARED_AMOUNT | SCARCE__SHARED_EXACT | SCARCE__SHARED_GROUP |
                         SCARCE__SHARED_TEXTS | SCARCE__SHARED_COST | SCARCE__SHARED_CLASS;
    view->shared = scarce__malloc_array(n, 1);
    view->columns = scarce__calloc(n, sizeof *view->columns);
    view->schema.features = scarce__malloc_array(n, sizeof *view->schema.features);
    if (!view->shared || !view->columns || !view->schema.features) return 0;
    if (n) {
        memset(view->shared, SCARCE__SHARED_CELLS | SCARCE__SHARED_ROWS, n);
        memcpy(view->schema.features, from->schema.features, n * sizeof *view->schema.features);
    }
    view->schema.n_features = n;
    return scarce__schema_copy_roles(&view->schema, &from->schema);
}

scarce_status scarce__view_new(scarce_table **out, const scarce_table *from, size_t first, size_t n,
                               scarce_error *err)
{
    scarce_table *view = scarce__calloc(1, sizeof *view);

    *out = NULL;
    if (!view) return scarce__fail_memory(err, "a view of a table", 0);
    view->n_rows = n;
    if (!make_arrays(view, from) || !share_columns(view, from, first)) {
        scarce_table_free(view);
        return scarce__fail_memory(err, "a view of a table", 0);
    }
    share_roles(view, from, first);
    *out = view;
    return SCARCE_OK;
}

static void drop_text(char **text)
{
    scarce__free(*text);
    *text = NULL;
}

static void drop_roles(scarce_table *view, int without)
{
    scarce_schema *s = &view->schema;

    if (without & SCARCE_ROLE_WEIGHT) view->weight = NULL, drop_text(&s->weight_name);
    if (without & SCARCE_ROLE_TIME) view->time = NULL, drop_text(&s->time_name);
    if (without & SCARCE_ROLE_AMOUNT) view->amount = NULL, drop_text(&s->amount_name);
    if (without & SCARCE_ROLE_COST) view->cost = NULL, drop_text(&s->cost_name);
    if (without & SCARCE_ROLE_GROUP) {
        view->group = NULL;
        memset(&view->groups, 0, sizeof view->groups);
        drop_text(&s->group_name);
    }
    if (without & SCARCE_ROLE_LABEL) {
        view->label = view->class_of = NULL;
        view->n_positives = 0;
        scarce__dictionary_deinit(&s->classes);
        drop_text(&s->label);
        drop_text(&s->positive);
        drop_text(&s->negative);
    }
}

/* The arrays stay the caller's; a table only ever reads what it shares. */
static scarce_status take_arrays(scarce_table *view, const scarce_view_options *o, scarce_error *err)
{
    scarce_schema *s = &view->schema;

    if (o->weight) {
        SCARCE__TRY(scarce__check_weights(o->weight, view->n_rows, err));
        view->weight = (double *)(uintptr_t)o->weight;
    }
    if (!o->label) return SCARCE_OK;
    SCARCE__TRY(scarce__check_labels(o->label, view->n_rows, err));
    view->label = (uint8_t *)(uintptr_t)o->label;
    view->class_of = NULL;
    scarce__dictionary_deinit(&s->classes);
    view->n_positives = 0;
    for (size_t i = 0; i < view->n_rows; ++i) view->n_positives += view->label[i];
    if (s->label) return SCARCE_OK;
    s->label = scarce__strdup("label");
    s->positive = scarce__strdup("1");
    s->negative = scarce__strdup("0");
    return s->label && s->positive && s->negative ? SCARCE_OK : scarce__fail_memory(err, "a label", 0);
}

static scarce_status check_options(const scarce_view_options *o, size_t n_rows, scarce_error *err)
{
    if (o->first >= n_rows || o->rows > n_rows - o->first)
        return scarce__fail(err, SCARCE_EINVAL, "a view of %zu rows from row %zu of a table with %zu rows",
                            o->rows, o->first, n_rows);
    if ((o->label && (o->without & SCARCE_ROLE_LABEL)) || (o->weight && (o->without & SCARCE_ROLE_WEIGHT)))
        return scarce__fail(err, SCARCE_EINVAL, "a view both with and without a %s",
                            o->label && (o->without & SCARCE_ROLE_LABEL) ? "label" : "weight");
    return SCARCE_OK;
}

scarce_status scarce_table_view(scarce_table **out, const scarce_table *table,
                                const scarce_view_options *options, scarce_error *err)
{
    scarce_view_options o = SCARCE_VIEW_OPTIONS_INIT;
    scarce_table *view;
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_VIEW_OPTIONS_INIT, err));
    SCARCE__TRY(check_options(&o, table->n_rows, err));
    SCARCE__TRY(scarce__view_new(&view, table, o.first, o.rows ? o.rows : table->n_rows - o.first, err));
    drop_roles(view, o.without);
    st = take_arrays(view, &o, err);
    if (st != SCARCE_OK) {
        scarce_table_free(view);
        return st;
    }
    *out = view;
    return SCARCE_OK;
}
