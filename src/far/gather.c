/* SPDX-License-Identifier: Apache-2.0 */
/* A table that grows by blocks of rows: validation rows out of files that are read block by block. Arrays have room for
 * room_for(rows) items, which is known from the number of rows alone, so that a table needs no field for it. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "far/align.h"
#include "far/plan.h"

/* The next of 1, 1.25, 1.5, 1.75 times a power of two: few moves, and a fifth of the memory unused at most. */
static size_t room_for(size_t n)
{
    size_t power = 1024;
    if (n == 0) return 0;
    while (power < n / 2) power *= 2;
    for (size_t quarters = 4; quarters < 8; ++quarters)
        if (power / 4 * quarters >= n) return power / 4 * quarters;
    return 2 * power;
}

/* An array of a table with n items more, those of `from` where it isn't NULL. NULL: out of memory, the old one stays. */
static void *with_items(void *items, const void *from, size_t item, size_t old, size_t n)
{
    char *more = items;

    if (room_for(old) != room_for(old + n)) more = scarce__realloc_array(items, room_for(old + n), item);
    if (more && from) memcpy(more + old * item, from, n * item);
    return more;
}

static scarce_status fail_rows(size_t n, scarce_error *err)
{
    return scarce__fail_memory(err, "validation rows", n);
}

static scarce_status add_groups(scarce_table *to, const scarce_table *rows, scarce_error *err)
{
    int32_t *group;

    if (!rows->group) return SCARCE_OK;
    group = with_items(to->group, NULL, sizeof *group, to->n_rows, rows->n_rows);
    if (!group) return fail_rows(to->n_rows, err);
    to->group = group;
    for (size_t i = 0; i < rows->n_rows; ++i) {
        const char *text = scarce__dictionary_text(&rows->groups, (size_t)rows->group[i]);
        const size_t code = scarce__dictionary_add(&to->groups, text, strlen(text));
        if (code == SIZE_MAX) return fail_rows(to->n_rows, err);
        group[to->n_rows + i] = (int32_t)code;
    }
    return SCARCE_OK;
}

static scarce_status check_roles(const scarce_table *to, const scarce_table *rows, scarce_error *err)
{
    const char *role = !to->weight != !rows->weight   ? "weight"
                       : !to->time != !rows->time     ? "time"
                       : !to->amount != !rows->amount ? "amount"
                       : !to->cost != !rows->cost     ? "cost"
                       : !to->group != !rows->group   ? "group"
                                                      : NULL;
    return role ? scarce__fail(err, SCARCE_EDATA, "some of the rows have a %s, others have none", role)
                : SCARCE_OK;
}

static scarce_status add_doubles(double **to, const double *from, size_t old, size_t n, scarce_error *err)
{
    double *more;

    if (!from) return SCARCE_OK;
    more = with_items(*to, from, sizeof *from, old, n);
    if (!more) return fail_rows(n * sizeof *from, err);
    *to = more;
    return SCARCE_OK;
}

static scarce_status add_feature(scarce_table *to, size_t f, const scarce__column *from, size_t n,
                                 scarce_error *err)
{
    scarce__column *c = &to->columns[f];
    void *more;

    if (to->schema.features[f].kind == SCARCE_COLUMN_NUMERIC) {
        more = with_items(c->number, from->number, sizeof *c->number, to->n_rows, n);
        if (more) c->number = more;
    } else {
        more = with_items(c->code, from->code, sizeof *c->code, to->n_rows, n);
        if (more) c->code = more;
    }
    return more ? SCARCE_OK : fail_rows(n * sizeof *c->code, err);
}

static scarce_status add_rows(scarce_table *to, const scarce_table *aligned, const scarce_table *rows,
                              scarce_error *err)
{
    const size_t old = to->n_rows, n = rows->n_rows;
    uint8_t *label;

    if (old) SCARCE__TRY(check_roles(to, rows, err));
    for (size_t f = 0; f < to->schema.n_features; ++f)
        SCARCE__TRY(add_feature(to, f, &aligned->columns[f], n, err));
    label = with_items(to->label, rows->label, 1, old, n);
    if (!label) return fail_rows(n, err);
    to->label = label;
    SCARCE__TRY(add_doubles(&to->weight, rows->weight, old, n, err));
    SCARCE__TRY(add_doubles(&to->time, rows->time, old, n, err));
    SCARCE__TRY(add_doubles(&to->amount, rows->amount, old, n, err));
    SCARCE__TRY(add_doubles(&to->cost, rows->cost, old, n, err));
    SCARCE__TRY(add_groups(to, rows, err));
    to->n_rows += n;
    to->n_positives += rows->n_positives;
    return SCARCE_OK;
}

static scarce_status begin(scarce_table **out, const scarce_plan *plan, scarce_error *err)
{
    scarce_table *t = *out = scarce__calloc(1, sizeof *t);

    if (!t) return scarce__fail_memory(err, "a table", 0);
    SCARCE__TRY(scarce__schema_copy(&t->schema, &plan->schema, err));
    t->columns = scarce__calloc(t->schema.n_features, sizeof *t->columns);
    return t->columns ? SCARCE_OK : scarce__fail_memory(err, "a table", 0);
}

scarce_status scarce_plan_gather(scarce_table **to, const scarce_plan *plan, const scarce_table *rows,
                                 scarce_error *err)
{
    const int first = *to == NULL;
    scarce__aligned aligned;
    scarce_status st;

    if (!first && (*to)->n_rows + rows->n_rows >= UINT32_MAX)
        return scarce__fail(err, SCARCE_EDATA, "%zu validation rows; a table holds fewer than %zu",
                            (*to)->n_rows + rows->n_rows, (size_t)UINT32_MAX);
    /* nothing grows: the schema stays as it is */
    SCARCE__TRY(scarce__align(&aligned, (scarce_schema *)(uintptr_t)&plan->schema, rows, 0, err));
    st = first ? begin(to, plan, err) : SCARCE_OK;
    if (st == SCARCE_OK) st = add_rows(*to, &aligned.table, rows, err);
    if (st != SCARCE_OK && first) {
        scarce_table_free(*to);
        *to = NULL;
    }
    scarce__aligned_deinit(&aligned);
    return st;
}
