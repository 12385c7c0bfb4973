/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that wait for their labels: a heap by the time the label is due, then by the number of the row. */
#include <string.h>

#include "core/alloc.h"
#include "method/learner.h"

static int before(const scarce__waiting *a, const scarce__waiting *b)
{
    return a->due < b->due || (a->due == b->due && a->number < b->number);
}

int scarce__queue_push(scarce__queue *q, scarce__waiting *w)
{
    size_t i = q->n;

    if (q->n == q->capacity) {
        const size_t capacity = q->capacity ? 2 * q->capacity : 256;
        scarce__waiting **heap = scarce__realloc_array(q->heap, capacity, sizeof(scarce__waiting *));
        if (!heap) return 0;
        q->heap = heap;
        q->capacity = capacity;
    }
    q->n += 1;
    for (; i > 0 && before(w, q->heap[(i - 1) / 2]); i = (i - 1) / 2) q->heap[i] = q->heap[(i - 1) / 2];
    q->heap[i] = w;
    return 1;
}

scarce__waiting *scarce__queue_pop(scarce__queue *q)
{
    scarce__waiting *top, *last;
    size_t i = 0;

    if (q->n == 0) return NULL;
    top = q->heap[0];
    last = q->heap[--q->n];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < q->n && before(q->heap[child + 1], q->heap[child])) ++child;
        if (child >= q->n || !before(q->heap[child], last)) break;
        q->heap[i] = q->heap[child];
        i = child;
    }
    if (q->n) q->heap[i] = last;
    return top;
}

void scarce__queue_deinit(scarce__queue *q)
{
    for (size_t i = 0; i < q->n; ++i) scarce__free(q->heap[i]);
    scarce__free(q->heap);
    memset(q, 0, sizeof *q);
}

static float *dense_of(const scarce__waiting *w)
{
    return (float *)(uintptr_t)(w + 1);
}

static uint32_t *features_of(const scarce__waiting *w)
{
    return (uint32_t *)(void *)(dense_of(w) + w->n_dense);
}

static float *sparse_of(const scarce__waiting *w)
{
    return (float *)(void *)(features_of(w) + w->n_sparse);
}

scarce__waiting *scarce__waiting_new(const scarce_schema *schema, const scarce__online_row *row)
{
    size_t n_dense = 0, n_sparse = 0;
    scarce__waiting *w;

    for (size_t f = 0; f < schema->n_features; ++f) {
        if (schema->features[f].kind != SCARCE_COLUMN_SPARSE) ++n_dense;
        else if (!row->sparse) n_sparse += row->value[f] != 0;
    }
    if (row->sparse) n_sparse = row->n_sparse;
    w = scarce__calloc(1, sizeof *w + n_dense * sizeof(float) + n_sparse * 8);
    if (!w) return NULL;
    w->n_dense = (uint32_t)n_dense;
    w->n_sparse = (uint32_t)n_sparse;
    size_t d = 0, s = 0;
    for (size_t f = 0; f < schema->n_features; ++f) {
        if (schema->features[f].kind != SCARCE_COLUMN_SPARSE) dense_of(w)[d++] = row->value[f];
        else if (!row->sparse && row->value[f] != 0) features_of(w)[s++] = (uint32_t)f;
    }
    for (; row->sparse && s < n_sparse; ++s) features_of(w)[s] = row->sparse[s];
    for (s = 0; s < n_sparse; ++s) sparse_of(w)[s] = row->value[features_of(w)[s]];
    return w;
}

scarce__online_row scarce__waiting_row(const scarce__waiting *w, const scarce_schema *schema, float *value)
{
    const scarce__online_row row = {value, features_of(w), w->n_sparse};
    size_t d = 0;

    for (size_t f = 0; d < w->n_dense && f < schema->n_features; ++f)
        if (schema->features[f].kind != SCARCE_COLUMN_SPARSE) value[f] = dense_of(w)[d++];
    for (size_t s = 0; s < w->n_sparse; ++s) value[features_of(w)[s]] = sparse_of(w)[s];
    return row;
}

void scarce__waiting_clear(const scarce__waiting *w, float *value)
{
    for (size_t s = 0; s < w->n_sparse; ++s) value[features_of(w)[s]] = 0;
}
