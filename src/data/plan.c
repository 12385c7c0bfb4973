/* SPDX-License-Identifier: Apache-2.0 */
/* From names and options to the use of every column.
 *
 * A column is named by its name or, when no name is equal, by its number from 1. Training: what has
 * no role and isn't ignored is a feature, in the order of the file. Scoring: the features are the
 * schema's, in its order, found by name. */
#include "data/plan.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/param.h"

enum { NEAR_LENGTH = 64, NEAR_COLUMNS = 200000 };

void scarce__header_deinit(scarce__header *h)
{
    if (h->values)
        for (size_t c = 0; c < h->n_columns; ++c) scarce__dictionary_deinit(&h->values[c]);
    scarce__free(h->values);
    scarce__free(h->declared);
    scarce__dictionary_deinit(&h->names);
    memset(h, 0, sizeof *h);
}

void scarce__plan_deinit(scarce__plan *plan)
{
    scarce__free(plan->columns);
    memset(plan, 0, sizeof *plan);
}

static const char *name_of(const scarce__header *h, size_t c)
{
    return scarce__dictionary_text(&h->names, c);
}

static const char *name_at(const void *arg, size_t c)
{
    return name_of(arg, c);
}

static const char *nearest(const scarce__header *h, const char *name)
{
    return scarce__nearest_name(name, name_at, h, h->n_columns < NEAR_COLUMNS ? h->n_columns : NEAR_COLUMNS);
}

/* By name, else by number; SIZE_MAX when there is none. */
static size_t find_column(const scarce__header *h, const char *name)
{
    const size_t found = scarce__dictionary_find(&h->names, name, strlen(name));
    size_t number = 0;

    if (found != SIZE_MAX || *name == '\0') return found;
    for (const char *p = name; *p; ++p) {
        if (*p < '0' || *p > '9' || number > h->n_columns) return SIZE_MAX;
        number = 10 * number + (size_t)(*p - '0');
    }
    return number >= 1 && number <= h->n_columns ? number - 1 : SIZE_MAX;
}

static scarce_status fail_column(const scarce__header *h, const char *file, const char *what,
                                 const char *name, scarce_error *err)
{
    const char *near = nearest(h, name), *needed = "";
    char names[120];
    size_t n = 0, c = 0;

    if (strcmp(what, "feature") == 0) what = "", needed = ", which the model needs";
    if (near)
        return scarce__fail(err, SCARCE_EDATA,
                            "%s: there is no %s%scolumn \"%.80s\"%s (the nearest name is \"%.80s\")", file,
                            what, *what ? " " : "", name, needed, near);
    for (; c < h->n_columns && n + strlen(name_of(h, c)) + 8 < sizeof names; ++c)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", c ? ", " : "", name_of(h, c));
    names[n] = '\0';
    return scarce__fail(err, SCARCE_EDATA, "%s: there is no %s%scolumn \"%.80s\"%s%s among the %zu: %s%s",
                        file, what, *what ? " " : "", name, needed, *needed ? "," : "", h->n_columns, names,
                        c < h->n_columns ? ", ..." : "");
}

scarce_status scarce__plan_find(size_t *out, const scarce__header *h, const char *name, const char *what,
                                const char *file, scarce_error *err)
{
    *out = find_column(h, name);
    return *out == SIZE_MAX ? fail_column(h, file, what, name, err) : SCARCE_OK;
}

static scarce_status give_role(scarce__plan *plan, size_t *slot, const scarce__header *h, const char *name,
                               scarce__use use, const char *what, const char *file, scarce_error *err)
{
    if (!name) return SCARCE_OK;
    const size_t c = find_column(h, name);
    if (c == SIZE_MAX) return fail_column(h, file, what, name, err);
    if (plan->columns[c].use != SCARCE__USE_SKIP)
        return scarce__fail(err, SCARCE_EINVAL, "column \"%.80s\" is given two roles, one of them %s",
                            name_of(h, c), what);
    plan->columns[c].use = use;
    plan->columns[c].fixed = use != SCARCE__USE_GROUP && use != SCARCE__USE_LABEL;
    *slot = c;
    return SCARCE_OK;
}

/* Absent ones are left out: the caller sees that by NULL. */
static scarce_status choose_exact(scarce__plan *plan, const scarce__header *h, const scarce_names *names,
                                  scarce_error *err)
{
    if (names->count > SCARCE__MAX_EXACT)
        return scarce__fail(err, SCARCE_EINVAL, "%zu exact columns, %d are possible", names->count,
                            SCARCE__MAX_EXACT);
    for (size_t i = 0; i < names->count; ++i) {
        const size_t c = find_column(h, names->items[i]);
        if (c == SIZE_MAX) continue;
        if (plan->columns[c].use != SCARCE__USE_SKIP)
            return scarce__fail(err, SCARCE_EINVAL, "column \"%.80s\" is given two roles", name_of(h, c));
        plan->columns[c].use = SCARCE__USE_EXACT;
        plan->columns[c].fixed = 1;
        plan->columns[c].exact = (int)i;
        plan->exact[i] = c;
    }
    return SCARCE_OK;
}

static scarce_status choose_label(scarce__plan *plan, const scarce__header *h, const scarce_read_options *o,
                                  const char *file, scarce_error *err)
{
    static const char *const usual[] = {"label", "class", "Class", "target", "y"};
    const char *name = o->label ? o->label : o->schema ? o->schema->label : NULL;
    const int may_lack = o->label_optional || (o->schema && !o->label);

    plan->label_by = o->label ? SCARCE_CHOICE_ASKED : SCARCE_CHOICE_MODEL;
    if (name) {
        if (may_lack && find_column(h, name) == SIZE_MAX) return SCARCE_OK;
        return give_role(plan, &plan->label, h, name, SCARCE__USE_LABEL, "label", file, err);
    }
    if (o->schema || h->no_guess) return SCARCE_OK;
    plan->label_by = SCARCE_CHOICE_NAME;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0] && plan->label == SIZE_MAX; ++i) {
        const size_t c = scarce__dictionary_find(&h->names, usual[i], strlen(usual[i]));
        if (c != SIZE_MAX && plan->columns[c].use == SCARCE__USE_SKIP) plan->label = c;
    }
    if (h->label != SIZE_MAX && plan->columns[h->label].use == SCARCE__USE_SKIP) {
        plan->label = h->label;
        plan->label_by = SCARCE_CHOICE_FILE;
    }
    if (plan->label == SIZE_MAX && !o->label_optional) {
        plan->label = h->n_columns - 1;
        plan->label_by = SCARCE_CHOICE_POSITION;
    }
    if (plan->label == SIZE_MAX) return SCARCE_OK;
    if (plan->columns[plan->label].use != SCARCE__USE_SKIP)
        return scarce__fail(
            err, SCARCE_EDATA,
            "%s: no label: the last column \"%.80s\" has another role (choose one with --label)", file,
            name_of(h, plan->label));
    plan->columns[plan->label].use = SCARCE__USE_LABEL;
    return SCARCE_OK;
}

enum { IGNORED = 1, CATEGORICAL = 2, NUMERIC = 4, USED = 8 };

static scarce_status mark(uint8_t *marks, uint8_t mark_bit, const scarce__header *h,
                          const scarce_names *names, const char *what, const char *file, scarce_error *err)
{
    for (size_t i = 0; i < names->count; ++i) {
        const size_t c = find_column(h, names->items[i]);
        if (c == SIZE_MAX) return fail_column(h, file, what, names->items[i], err);
        marks[c] |= mark_bit;
    }
    return SCARCE_OK;
}

static scarce_status choose_features(scarce__plan *plan, const scarce__header *h, const uint8_t *marks,
                                     const char *file, scarce_error *err)
{
    for (size_t c = 0; c < plan->n_columns; ++c) {
        scarce__plan_column *p = &plan->columns[c];
        const int text =
            (h->declared && h->declared[c] == SCARCE__DECLARED_TEXT) || (h->is_long && h->is_long[c]);
        p->named = (marks[c] & (CATEGORICAL | NUMERIC | USED)) != 0;
        p->ignored = marks[c] & IGNORED;
        if (p->ignored && (marks[c] & USED))
            return scarce__fail(err, SCARCE_EINVAL, "column \"%.80s\" can't be both ignored and used",
                                name_of(h, c));
        if ((marks[c] & IGNORED) || (p->use != SCARCE__USE_SKIP && p->use != SCARCE__USE_AMOUNT)) continue;
        if ((marks[c] & CATEGORICAL) && ((marks[c] & NUMERIC) || p->use == SCARCE__USE_AMOUNT))
            return scarce__fail(err, SCARCE_EINVAL, "column \"%.80s\" can't be both categorical and numeric",
                                name_of(h, c));
        p->feature = plan->n_features++;
        if (p->use == SCARCE__USE_AMOUNT) continue;
        p->use = (marks[c] & CATEGORICAL) || (text && !(marks[c] & NUMERIC)) ? SCARCE__USE_CATEGORY
                                                                             : SCARCE__USE_NUMBER;
        p->fixed = p->use == SCARCE__USE_NUMBER &&
                   ((marks[c] & NUMERIC) || (h->declared && h->declared[c] == SCARCE__DECLARED_NUMBER));
    }
    if (plan->n_features == 0 && plan->exact[0] == SIZE_MAX)
        return scarce__fail(err, SCARCE_EDATA, "%s: no column is left as a feature%s", file,
                            plan->n_columns > 1
                                ? ""
                                : " (there is one column; --separator says what stands between columns)");
    return SCARCE_OK;
}

static scarce_status match_schema(scarce__plan *plan, const scarce__header *h, const scarce_read_options *o,
                                  const char *file, scarce_error *err)
{
    const scarce_schema *schema = o->schema;
    plan->n_features = schema->n_features;
    for (size_t f = 0; f < schema->n_features; ++f) {
        const scarce__feature *feature = &schema->features[f];
        const size_t c = scarce__dictionary_find(&h->names, feature->name, strlen(feature->name));
        if (c == SIZE_MAX) return fail_column(h, file, "feature", feature->name, err);
        scarce__plan_column *p = &plan->columns[c];
        const int category = feature->kind == SCARCE_COLUMN_CATEGORY;
        if (p->feature != SIZE_MAX)
            return scarce__fail(err, SCARCE_EDATA, "%s: the model has two features named \"%.80s\"", file,
                                feature->name);
        if (p->use != SCARCE__USE_SKIP && (p->use != SCARCE__USE_AMOUNT || category))
            return scarce__fail(err, SCARCE_EDATA,
                                "%s: column \"%.80s\" is a feature of the model, it can't have another role",
                                file, feature->name);
        p->feature = f;
        if (p->use == SCARCE__USE_AMOUNT) continue;
        p->use = category ? SCARCE__USE_CATEGORY : SCARCE__USE_NUMBER;
        p->schema = category && (!o->part || o->part == SCARCE_PART_CODED);
        p->fixed = !category;
    }
    return SCARCE_OK;
}

/* A role that may be absent is asked for only when its column is there. */
static const char *present(const scarce__header *h, const char *name, const scarce_read_options *o,
                           scarce_role role)
{
    return name && (o->optional_roles & (int)role) && find_column(h, name) == SIZE_MAX ? NULL : name;
}

static scarce_status fill_plan(scarce__plan *plan, const scarce__header *h, const scarce_read_options *o,
                               uint8_t *marks, const char *file, scarce_error *err)
{
    const char *weight = present(h, o->weight, o, SCARCE_ROLE_WEIGHT),
               *time = present(h, o->time, o, SCARCE_ROLE_TIME);
    const char *group = present(h, o->group, o, SCARCE_ROLE_GROUP),
               *amount = present(h, o->amount, o, SCARCE_ROLE_AMOUNT);
    const char *cost = present(h, o->cost, o, SCARCE_ROLE_COST);

    SCARCE__TRY(give_role(plan, &plan->weight, h, weight, SCARCE__USE_WEIGHT, "weight", file, err));
    SCARCE__TRY(give_role(plan, &plan->time, h, time, SCARCE__USE_TIME, "time", file, err));
    SCARCE__TRY(give_role(plan, &plan->group, h, group, SCARCE__USE_GROUP, "group", file, err));
    SCARCE__TRY(give_role(plan, &plan->amount, h, amount, SCARCE__USE_AMOUNT, "amount", file, err));
    if (cost && plan->amount != SIZE_MAX && find_column(h, cost) == plan->amount) plan->cost = plan->amount;
    else SCARCE__TRY(give_role(plan, &plan->cost, h, cost, SCARCE__USE_COST, "cost", file, err));
    SCARCE__TRY(choose_exact(plan, h, &o->exact, err));
    SCARCE__TRY(choose_label(plan, h, o, file, err));
    if (o->schema) return match_schema(plan, h, o, file, err);
    SCARCE__TRY(mark(marks, IGNORED, h, &o->ignore, "ignored", file, err));
    SCARCE__TRY(mark(marks, CATEGORICAL, h, &o->categorical, "categorical", file, err));
    SCARCE__TRY(mark(marks, NUMERIC, h, &o->numeric, "numeric", file, err));
    SCARCE__TRY(mark(marks, USED, h, &o->use, "used", file, err));
    return choose_features(plan, h, marks, file, err);
}

scarce_status scarce__plan_make(scarce__plan *plan, const scarce__header *h, const scarce_read_options *o,
                                const char *file, scarce_error *err)
{
    uint8_t *marks = scarce__calloc(h->n_columns, 1);
    scarce_status st;

    memset(plan, 0, sizeof *plan);
    plan->n_columns = h->n_columns;
    plan->label = plan->weight = plan->time = plan->group = plan->amount = plan->cost = SIZE_MAX;
    for (int i = 0; i < SCARCE__MAX_EXACT; ++i) plan->exact[i] = SIZE_MAX;
    plan->columns = scarce__calloc(h->n_columns, sizeof *plan->columns);
    if (!marks || !plan->columns) {
        st = scarce__fail_memory(err, "the columns", h->n_columns * sizeof *plan->columns);
    } else {
        for (size_t c = 0; c < h->n_columns; ++c) plan->columns[c].feature = SIZE_MAX;
        st = fill_plan(plan, h, o, marks, file, err);
    }
    scarce__free(marks);
    if (st != SCARCE_OK) scarce__plan_deinit(plan);
    return st;
}

/* 0: out of memory. */
static int name_role(char **to, const scarce__header *h, size_t column)
{
    if (column == SIZE_MAX) return 1;
    *to = scarce__strdup(name_of(h, column));
    return *to != NULL;
}

scarce_status scarce__plan_apply(const scarce__plan *plan, const scarce__header *h,
                                 const scarce_read_options *o, scarce_table *table, scarce_error *err)
{
    table->schema.features = scarce__calloc(plan->n_features, sizeof *table->schema.features);
    table->columns = scarce__calloc(plan->n_features, sizeof *table->columns);
    if (!table->schema.features || !table->columns) return scarce__fail_memory(err, "the columns", 0);
    table->schema.n_features = plan->n_features;
    if (!name_role(&table->schema.weight_name, h, plan->weight) ||
        !name_role(&table->schema.time_name, h, plan->time) ||
        !name_role(&table->schema.group_name, h, plan->group) ||
        !name_role(&table->schema.amount_name, h, plan->amount) ||
        !name_role(&table->schema.cost_name, h, plan->cost))
        return scarce__fail_memory(err, "the columns", 0);
    for (size_t c = 0; c < plan->n_columns; ++c) {
        const scarce__plan_column *p = &plan->columns[c];
        if (p->feature == SIZE_MAX) continue;
        scarce__feature *f = &table->schema.features[p->feature];
        f->kind = p->use == SCARCE__USE_CATEGORY ? SCARCE_COLUMN_CATEGORY : SCARCE_COLUMN_NUMERIC;
        f->name = scarce__strdup(name_of(h, c));
        if (!f->name) return scarce__fail_memory(err, "the columns", 0);
        if (p->schema)
            SCARCE__TRY(
                scarce__dictionary_copy(&f->categories, &o->schema->features[p->feature].categories, err));
    }
    return SCARCE_OK;
}
