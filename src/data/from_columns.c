/* SPDX-License-Identifier: Apache-2.0 */
/* A table from a caller's columns.
 *
 * What a column is for is decided by the plan that decides it for files (plan.h): the columns' names and
 * roles are handed to it as a header and options. Then each column is taken (take.h): borrowed or copied.
 *
 * The caller's release is called once whatever happens: by scarce_table_free when the table borrowed
 * anything, else at the end of scarce_table_from_columns. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/options.h"
#include "data/take.h"
#include "data/times.h"
#include "data/values.h"

static scarce_status fail_column(const scarce_column *c, const char *what, scarce_error *err)
{
    return scarce__fail(err, SCARCE_EINVAL, "column \"%.80s\" %s", c->name, what);
}

/* ---- what the columns are */

static scarce_status check_column(const scarce_column *c, scarce_error *err)
{
    const int role = c->role & ~SCARCE_ROLE_IGNORE, ignored = c->role & SCARCE_ROLE_IGNORE;

    if (role < 0 || (role > SCARCE_ROLE_LABEL && role != SCARCE_ROLE_COST) || (role & (role - 1)) ||
        (ignored && role && role != SCARCE_ROLE_AMOUNT))
        return scarce__fail(err, SCARCE_EINVAL, "column \"%.80s\" has role %d, which is none", c->name,
                            c->role);
    if (ignored && !role) return SCARCE_OK;
    if (scarce__values_size(c->type) == 0) return fail_column(c, "has a type that isn't one", err);
    if ((unsigned)c->kind > SCARCE_COLUMN_SPARSE) return fail_column(c, "has a kind that isn't one", err);
    if (!c->items && (c->kind != SCARCE_COLUMN_SPARSE || c->sparse_count))
        return fail_column(c, "has no items", err);
    if (c->kind == SCARCE_COLUMN_SPARSE) {
        if (role) return fail_column(c, "is sparse; only features can be", err);
        if (c->type == SCARCE_TYPE_TEXT) return fail_column(c, "is sparse and of texts; it can be one", err);
        if (!c->sparse_row && c->sparse_count) return fail_column(c, "is sparse, but has no rows", err);
    }
    if (scarce__is_text(c) && role && role != SCARCE_ROLE_LABEL && role != SCARCE_ROLE_GROUP)
        return fail_column(c, "is a category; time, weight, amount and cost are numbers", err);
    if (c->categories && (c->type == SCARCE_TYPE_F32 || c->type == SCARCE_TYPE_F64 ||
                          c->type == SCARCE_TYPE_TEXT || c->kind != SCARCE_COLUMN_CATEGORY))
        return fail_column(c, "has a list of categories, so it is of kind category with integer codes", err);
    if (c->n_categories >= INT32_MAX) return fail_column(c, "has too many categories", err);
    return SCARCE_OK;
}

/* The caller's structs may be shorter or longer than ours; the first says by how much. */
static scarce_status take_columns(scarce__building *b, const scarce_column *columns, scarce_error *err)
{
    const size_t size = columns->struct_size;
    const size_t least = offsetof(scarce_column, type), odd = size % _Alignof(scarce_column);

    b->columns = scarce__calloc(b->n, sizeof *b->columns);
    if (!b->columns) return scarce__fail_memory(err, "the columns", 0);
    for (size_t i = 0; i < b->n; ++i) {
        const scarce_column *from = (const scarce_column *)(const void *)((const char *)columns + i * size);
        SCARCE__TRY(SCARCE__FILLED_CHECK(from, SCARCE_COLUMN_INIT, err));
        if (from->struct_size != size || size < least || odd)
            return scarce__fail(
                err, SCARCE_EINVAL,
                "column %zu has another struct_size: begin the struct with SCARCE_COLUMN_INIT", i + 1);
        memcpy(&b->columns[i], from, size < sizeof *from ? size : sizeof *from);
        if (!from->name || !*from->name)
            return scarce__fail(err, SCARCE_EINVAL, "column %zu has no name", i + 1);
        SCARCE__TRY(check_column(&b->columns[i], err));
    }
    return SCARCE_OK;
}

static scarce_status set_role(const char **slot, const scarce_column *c, scarce_error *err)
{
    if (*slot)
        return scarce__fail(err, SCARCE_EINVAL, "columns \"%.80s\" and \"%.80s\" have the same role", *slot,
                            c->name);
    *slot = c->name;
    return SCARCE_OK;
}

static scarce_status take_role(scarce__building *b, const scarce_column *c, scarce_error *err)
{
    if (c->role & SCARCE_ROLE_IGNORE) {
        b->ignored[b->o.ignore.count++] = c->name;
        b->o.ignore.items = b->ignored;
    }
    switch (c->role & ~SCARCE_ROLE_IGNORE) {
    case SCARCE_ROLE_LABEL: return set_role(&b->o.label, c, err);
    case SCARCE_ROLE_WEIGHT: return set_role(&b->o.weight, c, err);
    case SCARCE_ROLE_TIME: return set_role(&b->o.time, c, err);
    case SCARCE_ROLE_GROUP: return set_role(&b->o.group, c, err);
    case SCARCE_ROLE_AMOUNT: return set_role(&b->o.amount, c, err);
    case SCARCE_ROLE_COST: return set_role(&b->o.cost, c, err);
    default: return SCARCE_OK;
    }
}

/* Names, kinds and roles as the plan wants them. */
static scarce_status make_header(scarce__building *b, scarce_error *err)
{
    scarce__header *h = &b->header;

    h->n_columns = b->n;
    h->label = SIZE_MAX;
    h->no_guess = 1;
    h->declared = scarce__malloc_array(b->n, sizeof *h->declared);
    b->ignored = scarce__malloc_array(b->n, sizeof *b->ignored);
    if (!h->declared || !b->ignored) return scarce__fail_memory(err, "the columns", 0);
    b->o.label_optional = 1;
    for (size_t i = 0; i < b->n; ++i) {
        const scarce_column *c = &b->columns[i];
        const size_t at = scarce__dictionary_add(&h->names, c->name, strlen(c->name));
        if (at == SIZE_MAX) return scarce__fail_memory(err, "the names of the columns", 0);
        if (at < i) return scarce__fail(err, SCARCE_EINVAL, "two columns are named \"%.80s\"", c->name);
        h->declared[i] = scarce__is_text(c) ? SCARCE__DECLARED_TEXT : SCARCE__DECLARED_NUMBER;
        SCARCE__TRY(take_role(b, c, err));
    }
    return SCARCE_OK;
}

/* A model's schema is found by names alone; what the columns hold must suit it. */
static scarce_status check_plan(scarce__building *b, scarce_error *err)
{
    for (size_t i = 0; i < b->n; ++i) {
        const scarce_column *c = &b->columns[i];
        scarce__plan_column *p = &b->plan.columns[i];
        const int ignored = c->role == SCARCE_ROLE_IGNORE;
        if (p->use == SCARCE__USE_LABEL && (ignored || c->kind == SCARCE_COLUMN_SPARSE)) {
            p->use = SCARCE__USE_SKIP; /* the model's label, but not meant to be read */
            b->plan.label = SIZE_MAX;
        }
        if (p->feature == SIZE_MAX) continue;
        if (ignored) return fail_column(c, "is a feature of the model, it can't be ignored", err);
        if (p->use == SCARCE__USE_CATEGORY ? c->kind == SCARCE_COLUMN_SPARSE : scarce__is_text(c))
            return scarce__fail(err, SCARCE_EDATA, "column \"%.80s\" is %s, in the model it is %s", c->name,
                                scarce__is_text(c) ? "a category" : "sparse",
                                p->use == SCARCE__USE_CATEGORY ? "a category" : "a number");
    }
    return SCARCE_OK;
}

/* ---- all together */

/* As the readers of files: a model may score rows whose time or amount is missing. */
static scarce_status check_doubles(const scarce__building *b, const double *x, const char *name,
                                   const char *role, scarce_error *err)
{
    for (size_t i = 0; x && i < b->n_rows; ++i) {
        if (isfinite(x[i]) || (isnan(x[i]) && b->o.schema)) continue;
        return scarce__fail(err, SCARCE_EDATA, "column \"%.80s\", row %zu: the %s is %s", name, i + 1, role,
                            isnan(x[i]) ? "missing" : "not finite");
    }
    return SCARCE_OK;
}

/* Times as files have them: what can only be milliseconds since 1970 becomes seconds. A borrowed column is copied. */
static scarce_status settle_times(scarce__building *b, scarce_error *err)
{
    scarce_table *t = b->table;
    const scarce_time_format trained = b->o.schema ? b->o.schema->writing.time_format : SCARCE_TIME_AUTO;
    scarce_time_format format = b->o.time_format;
    double *seconds;

    if (!t->time || format == SCARCE_TIME_DATES) {
        t->schema.writing.time_format = t->time ? format : SCARCE_TIME_AUTO;
        return SCARCE_OK;
    }
    if (format == SCARCE_TIME_AUTO) format = scarce__time_format_of(t->time, b->n_rows);
    if (!scarce__time_converts(format) && b->o.time_format == SCARCE_TIME_AUTO &&
        trained != SCARCE_TIME_AUTO && trained != SCARCE_TIME_DATES)
        format = trained;
    t->schema.writing.time_format = format;
    if (!scarce__time_converts(format)) return SCARCE_OK;
    seconds = scarce__malloc_array(b->n_rows, sizeof *seconds);
    if (!seconds) return scarce__fail_memory(err, "times", b->n_rows * sizeof *seconds);
    for (size_t i = 0; i < b->n_rows; ++i) {
        seconds[i] = t->time[i];
        if (isnan(seconds[i]) || scarce__time_of_number(t->time[i], format, &seconds[i])) continue;
        scarce__free(seconds);
        return scarce__fail(err, SCARCE_EDATA, "column \"%.80s\", row %zu: %.17g is not a day like 20180401",
                            t->schema.time_name, i + 1, t->time[i]);
    }
    if (!(t->shared_parts & SCARCE__SHARED_TIME)) scarce__free(t->time);
    t->shared_parts &= ~SCARCE__SHARED_TIME;
    t->time = seconds;
    return SCARCE_OK;
}

static scarce_status fill_table(scarce__building *b, scarce_context *ctx, scarce_error *err)
{
    scarce_table *t = b->table;

    t->n_rows = b->n_rows;
    SCARCE__TRY(scarce__plan_apply(&b->plan, &b->header, &b->o, t, err));
    t->shared = scarce__calloc(t->schema.n_features, 1);
    b->copies = scarce__malloc_array(b->n + 1, sizeof *b->copies); /* an amount is copied twice */
    if (!t->shared || !b->copies) return scarce__fail_memory(err, "the columns", 0);
    for (size_t i = 0; i < b->n; ++i) SCARCE__TRY(scarce__take_column(b, i, err));
    scarce__take_copies(b, ctx);
    SCARCE__TRY(check_doubles(b, t->time, t->schema.time_name, "time", err));
    SCARCE__TRY(settle_times(b, err));
    if (!b->o.schema) scarce__settle_decimal(t);
    SCARCE__TRY(check_doubles(b, t->amount, t->schema.amount_name, "amount", err));
    scarce_status st = t->weight ? scarce__check_weights(t->weight, b->n_rows, err) : SCARCE_OK;
    if (st) scarce__fail_prefix(err, "column \"%.80s\": ", t->schema.weight_name);
    if (st || !t->cost) return st;
    st = scarce__check_costs(t->cost, b->n_rows, err);
    if (st) scarce__fail_prefix(err, "column \"%.80s\": ", t->schema.cost_name);
    return st;
}

static scarce_status build(scarce__building *b, const scarce_column *columns, scarce_context *ctx,
                           scarce_error *err)
{
    if (b->n == 0 || b->n_rows == 0 || !columns)
        return scarce__fail(err, SCARCE_EINVAL,
                            "a table of %zu rows and %zu columns; at least 1 of each is needed", b->n_rows,
                            columns ? b->n : 0);
    if (b->n_rows >= UINT32_MAX)
        return scarce__fail(err, SCARCE_EINVAL, "%zu rows; a table holds fewer than %zu", b->n_rows,
                            (size_t)UINT32_MAX);
    SCARCE__TRY(take_columns(b, columns, err));
    SCARCE__TRY(make_header(b, err));
    SCARCE__TRY(scarce__plan_make(&b->plan, &b->header, &b->o, "columns", err));
    SCARCE__TRY(check_plan(b, err));
    b->table = scarce__calloc(1, sizeof *b->table);
    if (!b->table) return scarce__fail_memory(err, "a table", 0);
    return fill_table(b, ctx, err);
}

scarce_status scarce_table_from_columns(scarce_table **out, const scarce_column *columns, size_t n,
                                        size_t n_rows, const scarce_columns_options *options,
                                        scarce_context *ctx, scarce_error *err)
{
    const scarce_read_options none = SCARCE_READ_OPTIONS_INIT;
    scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;
    scarce_status st;
    scarce__building b;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_COLUMNS_OPTIONS_INIT, err));
    memset(&b, 0, sizeof b);
    b.n = n;
    b.n_rows = n_rows;
    b.o = none;
    b.o.positive = o.positive;
    b.o.part = o.part;
    b.o.schema = o.schema;
    b.o.time_format = o.time_format;
    b.borrow = o.release != NULL;
    st = build(&b, columns, ctx, err);
    scarce__plan_deinit(&b.plan);
    scarce__header_deinit(&b.header);
    scarce__free(b.columns);
    scarce__free(b.ignored);
    scarce__free(b.copies);
    if (st != SCARCE_OK) {
        scarce_table_free(b.table);
    } else {
        *out = b.table;
        if (b.borrowed) {
            b.table->release = o.release;
            b.table->payload = o.payload;
            return SCARCE_OK;
        }
    }
    if (o.release) o.release(o.payload);
    return st;
}
