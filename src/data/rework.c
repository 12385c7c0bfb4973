/* SPDX-License-Identifier: Apache-2.0 */
/* Every array goes the same way: what is to be added is taken aside (it may come from rows that go), the rows
 * that stay move up, the array is resized, and what was taken aside is put behind. Arrays that belong to someone
 * else are copied instead. */
#include "data/rework.h"

#include <stdatomic.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/keep.h"

typedef struct work {
    scarce_table *table;
    const scarce__rework *change;
    size_t n_keep, n; /* rows that stay, rows in the end */
    atomic_int failed;
} work;

static size_t kept_row(const work *w, size_t i)
{
    return w->change->keep ? w->change->keep[i] : i;
}

/* What the added rows have in an array; feature SIZE_MAX: a role, which is copied. */
static int fill_added(const work *w, size_t feature, const void *from, void *to, size_t size)
{
    const scarce__making *making = feature == SIZE_MAX ? NULL : w->change->making;

    if (!making) {
        for (size_t i = 0; i < w->change->n_base; ++i)
            memcpy((char *)to + i * size, (const char *)from + w->change->base[i] * size, size);
    } else if (w->table->schema.features[feature].kind == SCARCE_COLUMN_CATEGORY) {
        return making->codes(making->payload, feature, from, to);
    } else return making->numbers(making->payload, feature, from, to);
    return 1;
}

/* All rows stay and the array is the table's own: it grows where it stands. */
static int append(const work *w, size_t feature, void **array, size_t size)
{
    char *to = scarce__realloc_array(*array, w->n, size);
    if (!to) return 0;
    *array = to;
    return fill_added(w, feature, to, to + w->n_keep * size, size);
}

/* Rows that stay together move together. */
static void move_kept(const work *w, char *to, const char *from, size_t size)
{
    for (size_t i = 0, n; i < w->n_keep; i += n) {
        const size_t row = kept_row(w, i);
        for (n = 1; i + n < w->n_keep && kept_row(w, i + n) == row + n;) ++n;
        memmove(to + i * size, from + row * size, n * size);
    }
}

/* One array of items of `size` bytes. */
static int rework_array(const work *w, size_t feature, void **array, size_t size, int shared)
{
    const size_t n_base = w->change->n_base;
    char *from = *array, *aside = NULL, *to;

    if (!from) return 1;
    if (!shared && !w->change->keep) return append(w, feature, array, size);
    if (n_base) {
        aside = scarce__malloc_array(n_base, size);
        if (!aside || !fill_added(w, feature, from, aside, size)) {
            scarce__free(aside);
            return 0;
        }
    }
    to = shared ? scarce__big_alloc(w->n, size) : from;
    if (to) move_kept(w, to, from, size);
    if (to && !shared) {
        to = w->n < w->table->n_rows / 2 ? scarce__big_shrink(from, w->n, size)
                                         : scarce__realloc_array(from, w->n, size);
        if (!to && w->n <= w->table->n_rows) to = from; /* shrinking may fail: nothing is lost */
    }
    if (to) {
        if (n_base) memcpy(to + w->n_keep * size, aside, n_base * size);
        *array = to;
    }
    scarce__free(aside);
    return to != NULL;
}

/* ---- sparse columns: entries (row, value), rows ascending */

static size_t entry_of(const scarce__sparse *s, uint32_t row)
{
    const size_t at = scarce__first_row(s->row, s->count, row);
    return at < s->count && s->row[at] == row ? at : SIZE_MAX;
}

static size_t count_entries(const work *w, const scarce__sparse *s, const scarce__sparse *made)
{
    size_t n = made ? made->count : 0;
    for (size_t i = 0; !made && i < w->change->n_base; ++i) n += entry_of(s, w->change->base[i]) != SIZE_MAX;
    for (size_t i = 0, k = 0; i < s->count; ++i) {
        while (k < w->n_keep && kept_row(w, k) < s->row[i]) ++k;
        n += k < w->n_keep && kept_row(w, k) == s->row[i];
    }
    return n;
}

static void fill_entries(const work *w, scarce__sparse *to, const scarce__sparse *s,
                         const scarce__sparse *made)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < s->count; ++i) {
        while (k < w->n_keep && kept_row(w, k) < s->row[i]) ++k;
        if (k == w->n_keep || kept_row(w, k) != s->row[i]) continue;
        to->row[n] = (uint32_t)k;
        to->value[n++] = s->value[i];
    }
    for (size_t i = 0; made && i < made->count; ++i) {
        to->row[n] = (uint32_t)(w->n_keep + made->row[i]);
        to->value[n++] = made->value[i];
    }
    for (size_t i = 0; !made && i < w->change->n_base; ++i) {
        const size_t at = entry_of(s, w->change->base[i]);
        if (at == SIZE_MAX) continue;
        to->row[n] = (uint32_t)(w->n_keep + i);
        to->value[n++] = s->value[at];
    }
    to->count = n;
}

static int rework_sparse(const work *w, size_t f)
{
    const scarce__making *making = w->change->making;
    scarce__sparse *s = &w->table->columns[f].sparse, made = {0, NULL, NULL}, to = {0, NULL, NULL};
    int ok = !making || making->sparse(making->payload, f, s, &made);

    if (ok) {
        const size_t n = count_entries(w, s, making ? &made : NULL);
        to.row = scarce__malloc_array(n, sizeof *to.row);
        to.value = scarce__malloc_array(n, sizeof *to.value);
        ok = to.row && to.value;
    }
    if (ok) fill_entries(w, &to, s, making ? &made : NULL);
    scarce__free(made.row);
    scarce__free(made.value);
    if (!ok) {
        scarce__free(to.row);
        scarce__free(to.value);
        return 0;
    }
    if (!scarce__shares(w->table, f, SCARCE__SHARED_ROWS)) scarce__free(s->row);
    if (!scarce__shares(w->table, f, SCARCE__SHARED_CELLS)) scarce__free(s->value);
    *s = to;
    return 1;
}

static void rework_feature(void *arg, size_t f, int worker)
{
    work *w = arg;
    scarce__column *c = &w->table->columns[f];
    const int shared = scarce__shares(w->table, f, SCARCE__SHARED_CELLS);
    void *array;
    int ok = 1;

    (void)worker;
    switch (w->table->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC:
        array = c->number;
        ok = rework_array(w, f, &array, sizeof *c->number, shared);
        c->number = array;
        break;
    case SCARCE_COLUMN_CATEGORY:
        array = c->code;
        ok = rework_array(w, f, &array, sizeof *c->code, shared);
        c->code = array;
        break;
    case SCARCE_COLUMN_SPARSE: ok = rework_sparse(w, f); break;
    }
    if (!ok) atomic_store(&w->failed, 1);
    else if (w->table->shared) w->table->shared[f] = 0;
}

static int rework_role(const work *w, void **array, size_t size, int part)
{
    const int ok = rework_array(w, SIZE_MAX, array, size, w->table->shared_parts & part);
    if (ok && part != SCARCE__SHARED_EXACT) w->table->shared_parts &= ~part;
    return ok;
}

static int rework_doubles(const work *w, double **array, int part)
{
    void *p = *array;
    const int ok = rework_role(w, &p, sizeof **array, part);
    *array = p;
    return ok;
}

static int rework_roles(const work *w)
{
    scarce_table *t = w->table;
    void *label = t->label, *group = t->group, *classes = t->class_of;
    int ok = rework_role(w, &label, sizeof *t->label, SCARCE__SHARED_LABEL) &&
             rework_role(w, &classes, sizeof *t->class_of, SCARCE__SHARED_CLASS) &&
             rework_role(w, &group, sizeof *t->group, SCARCE__SHARED_GROUP);

    t->label = label;
    t->class_of = classes;
    t->group = group;
    ok = ok && rework_doubles(w, &t->weight, SCARCE__SHARED_WEIGHT) &&
         rework_doubles(w, &t->time, SCARCE__SHARED_TIME) &&
         rework_doubles(w, &t->amount, SCARCE__SHARED_AMOUNT) &&
         rework_doubles(w, &t->cost, SCARCE__SHARED_COST);
    for (size_t i = 0; ok && i < SCARCE__MAX_EXACT; ++i)
        ok = rework_doubles(w, &t->exact[i], SCARCE__SHARED_EXACT);
    if (ok) t->shared_parts &= ~SCARCE__SHARED_EXACT;
    return ok;
}

/* Texts of the file: those of added rows are their base row's; who writes them looks whether they still hold. */
static int rework_kept(const work *w)
{
    uint32_t *rows = scarce__malloc_array(w->n, sizeof *rows);
    scarce__kept *kept;

    if (!rows) return 0;
    for (size_t i = 0; i < w->n_keep; ++i) rows[i] = (uint32_t)kept_row(w, i);
    for (size_t i = 0; i < w->change->n_base; ++i) rows[w->n_keep + i] = w->change->base[i];
    kept = scarce__keep_rows(w->table->kept, rows, w->n);
    scarce__free(rows);
    if (!kept) return 0;
    scarce__kept_deinit(w->table->kept);
    scarce__free(w->table->kept);
    w->table->kept = kept;
    return 1;
}

scarce_status scarce__table_rework(scarce_table *table, const scarce__rework *change, scarce_context *ctx,
                                   scarce_error *err)
{
    work w = {.table = table, .change = change};

    w.n_keep = change->keep ? change->n_keep : table->n_rows;
    w.n = w.n_keep + change->n_base;
    if (w.n == 0 || w.n >= UINT32_MAX)
        return scarce__fail(err, SCARCE_EINVAL, "%zu rows would be left; a table has 1 to %zu", w.n,
                            (size_t)UINT32_MAX - 1);
    if (table->kept && !rework_kept(&w)) return scarce__fail_memory(err, "the texts of a changed table", 0);
    scarce__pool_run(scarce__context_pool(ctx), table->schema.n_features, rework_feature, &w);
    if (atomic_load(&w.failed) || !rework_roles(&w))
        return scarce__fail_memory(err, "the rows of a changed table", 0);
    table->n_rows = w.n;
    table->n_positives = 0;
    for (size_t i = 0; table->label && i < w.n; ++i) table->n_positives += table->label[i];
    return SCARCE_OK;
}
