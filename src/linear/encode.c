/* SPDX-License-Identifier: Apache-2.0 */
/* Which parameters a table has, and folding them back to raw values. The products with the matrix are in
 * design.c. Statistics are weighted by the case weights, not by class weights: the scale of a column
 * shouldn't move with pos_weight. */
#include "linear/encode.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/moments.h"
#include "data/table.h"

typedef struct scan_job {
    scarce__design *d;
    const scarce__moments *moments;
    int standardize;
} scan_job;

static int present(float x)
{
    return fabsf(x) <= FLT_MAX;
}

static void take_moments(scarce__design_column *c, const scarce__moments *m, int standardize)
{
    c->n_missing = m->n_missing;
    c->mean = m->mean;
    c->constant = !(m->lo < m->hi);
    c->center = standardize && c->kind == SCARCE_COLUMN_NUMERIC ? m->mean : 0;
    c->scale = standardize && m->sd > 0 ? 1 / m->sd : 1;
}

static void scan_column(void *arg, size_t f, int worker)
{
    const scan_job *j = arg;
    const scarce_table *t = j->d->table;
    scarce__design_column *c = &j->d->columns[f];

    (void)worker;
    if (c->kind != SCARCE_COLUMN_CATEGORY) {
        take_moments(c, &j->moments[f], j->standardize);
        return;
    }
    /* slot[] holds row counts until the parameters are numbered */
    for (size_t i = 0; i < t->n_rows; ++i) c->slot[t->columns[f].code[i] + 1] += 1;
    c->n_missing = c->slot[0];
}

/* Numbers the parameters of one category column from *next on. */
static void number_slots(scarce__design_column *c, size_t min_rows, uint32_t *next, uint32_t sink)
{
    uint32_t *slot = c->slot;
    int groups = 0;
    const size_t unknown = c->n_categories + 1;
    size_t rare_rows = slot[unknown];

    if (min_rows < 1) min_rows = 1;
    for (size_t s = 1; s < unknown; ++s) {
        if (slot[s] >= min_rows) ++groups;
        else rare_rows += slot[s];
    }
    groups += (rare_rows > 0) + (slot[0] > 0);
    const int keep = groups > 1;
    /* kept categories in the order of their codes, then the rare ones, then missing */
    for (size_t s = 1; s < unknown; ++s) {
        if (slot[s] >= min_rows) slot[s] = keep ? (*next)++ : sink;
        else slot[s] = UINT32_MAX;
    }
    slot[unknown] = keep && rare_rows > 0 ? (*next)++ : sink;
    for (size_t s = 1; s < unknown; ++s)
        if (slot[s] == UINT32_MAX) slot[s] = slot[unknown];
    slot[0] = keep && slot[0] > 0 ? (*next)++ : sink;
}

/* The sink is behind the last parameter, so it is counted before it is known: first with UINT32_MAX - 1. */
static void number_parameters(scarce__design *d, size_t min_rows)
{
    const uint32_t none = UINT32_MAX - 1;
    uint32_t next = 0;

    for (size_t f = 0; f < d->n_columns; ++f) {
        scarce__design_column *c = &d->columns[f];
        if (c->kind == SCARCE_COLUMN_CATEGORY) {
            number_slots(c, min_rows, &next, none);
            continue;
        }
        c->value = c->constant ? none : next++;
        c->missing = c->n_missing > 0 && c->n_missing < d->n_rows ? next++ : none;
    }
    d->n_parameters = next;
    for (size_t f = 0; f < d->n_columns; ++f) {
        scarce__design_column *c = &d->columns[f];
        if (c->value == none) c->value = next + 1;
        if (c->missing == none) c->missing = next + 1;
        for (size_t s = 0; c->slot && s < c->n_categories + 2; ++s)
            if (c->slot[s] == none) c->slot[s] = next + 1;
    }
}

/* Sparse columns turned into rows, by counting; columns in order within a row. */
static scarce_status turn_sparse(scarce__design *d, size_t n_entries, scarce_error *err)
{
    const size_t sink = d->n_parameters + 1;

    d->row_begin = scarce__calloc(d->n_rows + 2, sizeof *d->row_begin);
    d->entry_parameter = scarce__malloc_array(n_entries, sizeof *d->entry_parameter);
    d->entry_value = scarce__malloc_array(n_entries, sizeof *d->entry_value);
    if (!d->row_begin || !d->entry_parameter || !d->entry_value)
        return scarce__fail_memory(err, "sparse columns by rows", n_entries * 8);
    for (int filling = 0; filling < 2; ++filling) {
        size_t *at = d->row_begin + (filling ? 1 : 2); /* counts two ahead, places one ahead, ends right */
        for (size_t f = 0; f < d->n_columns; ++f) {
            const scarce__design_column *c = &d->columns[f];
            if (c->kind != SCARCE_COLUMN_SPARSE) continue;
            const scarce__sparse *s = &d->table->columns[f].sparse;
            for (size_t k = 0; k < s->count; ++k) {
                const uint32_t p = present(s->value[k]) ? c->value : c->missing;
                if (p == sink) continue;
                if (filling) {
                    d->entry_parameter[at[s->row[k]]] = p;
                    d->entry_value[at[s->row[k]]] = present(s->value[k]) ? s->value[k] : 1;
                }
                at[s->row[k]] += 1;
            }
        }
        for (size_t i = 2; !filling && i < d->n_rows + 2; ++i) d->row_begin[i] += d->row_begin[i - 1];
    }
    return SCARCE_OK;
}

static scarce_status start_columns(scarce__design *d, size_t *n_entries, scarce_error *err)
{
    const scarce_schema *schema = &d->table->schema;
    size_t n_slots = 0;

    d->columns = scarce__calloc(d->n_columns, sizeof *d->columns);
    if (!d->columns) return scarce__fail_memory(err, "columns", 0);
    for (size_t f = 0; f < d->n_columns; ++f) {
        scarce__design_column *c = &d->columns[f];
        c->kind = schema->features[f].kind;
        c->scale = 1;
        c->constant = 1;
        if (c->kind == SCARCE_COLUMN_SPARSE) *n_entries += d->table->columns[f].sparse.count;
        if (c->kind != SCARCE_COLUMN_CATEGORY) continue;
        c->n_categories = schema->features[f].categories.count;
        n_slots += c->n_categories + 2;
    }
    if (n_slots + 2 * d->n_columns >= UINT32_MAX - 8)
        return scarce__fail(err, SCARCE_EDATA, "%zu categories are too many for a linear model", n_slots);
    d->slots = scarce__calloc(n_slots, sizeof *d->slots);
    if (!d->slots) return scarce__fail_memory(err, "categories", n_slots * sizeof *d->slots);
    uint32_t *next = d->slots;
    for (size_t f = 0; f < d->n_columns; ++f) {
        if (d->columns[f].kind != SCARCE_COLUMN_CATEGORY) continue;
        d->columns[f].slot = next;
        next += d->columns[f].n_categories + 2;
    }
    d->scaled = scarce__calloc(n_slots + 2 * d->n_columns + 2, sizeof *d->scaled);
    if (!d->scaled) return scarce__fail_memory(err, "parameters", 0);
    return SCARCE_OK;
}

scarce_status scarce__design_init(scarce__design *out, const scarce_table *table,
                                  const scarce__linear_options *options, scarce__pool *pool,
                                  scarce_error *err)
{
    scarce__moments *moments = scarce__malloc_array(table->schema.n_features, sizeof *moments);
    scan_job job = {out, moments, options->standardize};
    size_t n_entries = 0;
    scarce_status status;

    memset(out, 0, sizeof *out);
    out->table = table;
    out->n_rows = table->n_rows;
    out->n_columns = table->schema.n_features;
    status = moments ? start_columns(out, &n_entries, err) : scarce__fail_memory(err, "columns", 0);
    if (status == SCARCE_OK) {
        scarce__table_moments(moments, table, pool);
        scarce__pool_run(pool, out->n_columns, scan_column, &job);
        number_parameters(out, options->min_category_rows);
        if (n_entries > 0) status = turn_sparse(out, n_entries, err);
    }
    scarce__free(moments);
    if (status != SCARCE_OK) scarce__design_deinit(out);
    return status;
}

void scarce__design_deinit(scarce__design *d)
{
    scarce__free(d->columns);
    scarce__free(d->slots);
    scarce__free(d->row_begin);
    scarce__free(d->entry_parameter);
    scarce__free(d->entry_value);
    scarce__free(d->scaled);
    memset(d, 0, sizeof *d);
}

/* theta (x - center) scale = (theta scale) x - (theta scale) center: the last part goes to the bias, and has
 * to be given back to rows where x is missing, whose encoded value is 0. Where training saw nothing missing,
 * a missing value counts as the mean. */
static void fold_column(scarce__linear *m, const scarce__design_column *c, size_t f, const double *theta)
{
    if (c->kind != SCARCE_COLUMN_CATEGORY) {
        const double w = theta[c->value] * c->scale;
        m->weight[f] = w;
        m->bias -= w * c->center;
        m->missing_weight[f] = c->n_missing > 0 ? w * c->center + theta[c->missing] : w * c->mean;
        return;
    }
    double *slot = m->slot_weight + m->slot_begin[f];
    for (size_t s = 0; s <= c->n_categories; ++s) slot[s] = theta[c->slot[s + 1]];
    slot[c->n_categories + 1] = theta[c->slot[0]];
}

scarce_status scarce__design_fold(scarce__linear *out, const scarce__design *d, const double *theta,
                                  scarce_error *err)
{
    size_t *begin = scarce__calloc(d->n_columns + 1, sizeof *begin);
    scarce_status status;

    memset(out, 0, sizeof *out);
    if (!begin) return scarce__fail_memory(err, "a linear model", 0);
    for (size_t f = 0; f < d->n_columns; ++f) {
        const int category = d->columns[f].kind == SCARCE_COLUMN_CATEGORY;
        begin[f + 1] = begin[f] + (category ? d->columns[f].n_categories + 2 : 0);
    }
    status = scarce__linear_alloc(out, d->n_columns, begin, err);
    scarce__free(begin);
    if (status != SCARCE_OK) return status;
    out->bias = theta[d->n_parameters];
    for (size_t f = 0; f < d->n_columns; ++f) fold_column(out, &d->columns[f], f, theta);
    status = scarce__linear_check(out, err);
    if (status != SCARCE_OK) {
        scarce__linear_deinit(out);
        return scarce__fail(err, SCARCE_ENUMERIC, "the linear model diverged; scale the columns or lower c");
    }
    return SCARCE_OK;
}
