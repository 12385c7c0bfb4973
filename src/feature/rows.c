/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in their order, and between them the labels by the moment they are known. */
#include "feature/rows.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "feature/kind.h"

/* ---- labels */

typedef struct known_label {
    int64_t from; /* first arrival that sees it */
    uint32_t row;
} known_label;

static int compare_labels(const void *a, const void *b)
{
    const known_label *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int list_labels(const scarce__rows_run *run, const uint32_t *rows, size_t n, known_label **out,
                       size_t *count)
{
    const scarce__batch *b = run->b;
    size_t m = 0;
    *out = NULL;
    *count = 0;
    if (!b->label) return 1;
    for (size_t i = 0; i < n; ++i) m += b->label[rows[i]] == 1;
    *out = scarce__malloc_array(m, sizeof **out);
    if (!*out) return 0;
    m = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t row = rows[i];
        if (b->label[row] != 1 || (b->repeated && b->repeated[row])) continue;
        const int64_t t = b->time ? b->time[row] : 0;
        const int64_t from = scarce__label_from(t, b->label_time ? b->label_time[row] : t + b->label_delay);
        (*out)[m].from = from > run->at[row] ? from : run->at[row];
        (*out)[m++].row = row;
    }
    qsort(*out, m, sizeof **out, compare_labels);
    *count = m;
    return 1;
}

/* ---- rows */

typedef struct engine {
    scarce__rows_run *run;
    scarce__kind_state state;
    scarce__kind_record record;
    int64_t numbers[SCARCE__FEATURE_FIELDS];
    uint64_t hashes[SCARCE__FEATURE_FIELDS];
    double *out; /* of one record */
    int64_t base;
} engine;

static void take_row(engine *e, uint32_t row)
{
    const scarce__batch *b = e->run->b;
    const size_t kind = e->run->kind;
    const scarce__feature_kind *k = e->state.shape.kind;
    scarce__kind_record *r = &e->record;

    r->t = (b->time ? b->time[row] : 0) - e->base;
    r->at = e->run->at[row] - e->base;
    r->key[0] = b->keys[kind][2 * (size_t)row];
    r->key[1] = b->keys[kind][2 * (size_t)row + 1];
    r->has_key = !(b->no_key && b->no_key[kind] && b->no_key[kind][row]);
    r->tag = row;
    r->filters = b->filters && b->filters[kind] ? b->filters[kind][row] : 1;
    for (int v = 0; v < k->n_values; ++v) e->numbers[k->values[v]] = b->numbers[k->values[v]][row];
    for (int c = 0; c < k->n_counted; ++c) e->hashes[k->counted[c]] = b->hashes[k->counted[c]][row];
}

static int run_rows(engine *e, const uint32_t *rows, size_t n, double *made)
{
    const scarce__batch *b = e->run->b;
    const int64_t *at = e->run->at;
    scarce__kind_state *k = &e->state;
    const scarce__feature_kind *kind = k->shape.kind;
    known_label *labels = NULL;
    size_t n_labels = 0, next = 0;
    int ok = !k->shape.has_tags || list_labels(e->run, rows, n, &labels, &n_labels);

    for (size_t i = 0; i < n && ok; ++i) {
        const uint32_t row = rows[i];
        for (; next < n_labels && labels[next].from <= at[row] && labels[next].row < row; ++next) {
            const uint32_t of = labels[next].row;
            scarce__kind_label(k, b->keys[e->run->kind] + 2 * (size_t)of,
                               (b->time ? b->time[of] : 0) - e->base, of, SCARCE__LABEL_FRAUD,
                               at[row] - e->base);
        }
        take_row(e, row);
        ok = scarce__kind_ask(k, &e->record, e->out);
        if (!ok) break;
        for (size_t a = 0; a < kind->n_aggregates; ++a)
            made[i * kind->n_aggregates + a] = e->out[kind->aggregates[a].out];
        if (b->repeated && b->repeated[row]) continue;
        ok = scarce__kind_reserve(k, &e->record);
        if (ok) scarce__kind_insert(k, &e->record);
    }
    scarce__free(labels);
    return ok;
}

scarce_status scarce__rows_features(scarce__rows_run *run, const uint32_t *rows, size_t n, double *made)
{
    const scarce__feature_plan *plan = run->b->plan;
    engine *e = scarce__calloc(1, sizeof *e);
    int ok = 0;

    if (!e) return SCARCE_ENOMEM;
    e->run = run;
    e->base = run->at[0];
    e->out = scarce__malloc_array(plan->n_outs, sizeof *e->out);
    if (e->out && scarce__kind_state_init(&e->state, &plan->kinds[run->kind], e->base, NULL) == SCARCE_OK) {
        e->record.numbers = e->numbers;
        e->record.hashes = e->hashes;
        ok = run_rows(e, rows, n, made);
        run->late = e->state.late;
        run->folded = e->state.folded;
        scarce__kind_state_deinit(&e->state);
    }
    scarce__free(e->out);
    scarce__free(e);
    return ok ? SCARCE_OK : SCARCE_ENOMEM;
}
