/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/explain.h"

#include "core/alloc.h"
#include "data/columns.h"
#include "data/table.h"

struct scarce__explain {
    size_t n_features;
    double base;
    void *body;
    const scarce__explain_calls *calls;
};

/* Numbers that wait for the callback together. */
enum { BLOCK_NUMBERS = 1 << 21, BLOCK_TASKS = 32 };

scarce_status scarce__explain_new(scarce__explain **out, size_t n_features, double base, void *body,
                                  const scarce__explain_calls *calls, scarce_error *err)
{
    scarce__explain *e = scarce__malloc(sizeof *e);

    *out = NULL;
    if (!e) {
        calls->free(body);
        return scarce__fail_memory(err, "an explainer", sizeof *e);
    }
    e->n_features = n_features;
    e->base = base;
    e->body = body;
    e->calls = calls;
    *out = e;
    return SCARCE_OK;
}

void scarce__explain_free(scarce__explain *e)
{
    if (!e) return;
    e->calls->free(e->body);
    scarce__free(e);
}

double scarce__explain_base(const scarce__explain *e)
{
    return e->base;
}

size_t scarce__explain_features(const scarce__explain *e)
{
    return e->n_features;
}

scarce_status scarce__explain_row(const scarce__explain *e, const float *row, double *contribution,
                                  scarce_error *err)
{
    return e->calls->row(e->body, row, contribution, err);
}

scarce_status scarce__explain_columns(const scarce__explain *e, const scarce__columns *columns, size_t begin,
                                      size_t n, double *out, scarce_error *err)
{
    return e->calls->columns(e->body, columns, begin, n, out, err);
}

typedef struct job {
    const scarce__explain *e;
    const scarce__columns *columns;
    size_t begin, n, task_rows;
    float *value;
    double *out;
    scarce_status *status; /* by task */
} job;

static void explain_task(void *arg, size_t index, int worker)
{
    const job *j = arg;
    const size_t width = j->e->n_features, at = index * j->task_rows, left = j->n - at;
    const size_t n = left < j->task_rows ? left : j->task_rows;

    (void)worker;
    for (size_t f = 0; f < width; ++f)
        scarce__columns_take(j->columns + f, j->begin + at, n, j->value + at * width + f, width);
    j->status[index] =
        j->e->calls->columns(j->e->body, j->columns, j->begin + at, n, j->out + at * width, NULL);
}

static scarce_status explain_block(job *j, scarce_context *ctx, scarce_error *err)
{
    const size_t tasks = scarce__blocks(j->n, j->task_rows);

    scarce__pool_run(scarce__context_pool(ctx), tasks, explain_task, j);
    for (size_t t = 0; t < tasks; ++t)
        if (j->status[t] != SCARCE_OK) return scarce__fail_memory(err, "explanations", 0);
    return SCARCE_OK;
}

scarce_status scarce__explain_table(const scarce__explain *e, const scarce_table *table,
                                    scarce__explain_fn fn, void *payload, scarce_context *ctx,
                                    scarce_error *err)
{
    const size_t width = e->n_features ? e->n_features : 1, fit = BLOCK_NUMBERS / width + 1;
    const size_t task_rows = e->calls->task_rows < fit ? e->calls->task_rows : fit;
    const size_t tasks = fit / task_rows < BLOCK_TASKS ? fit / task_rows : BLOCK_TASKS;
    const size_t rows = task_rows * tasks;
    job j = {.e = e, .task_rows = task_rows};
    scarce__columns *columns = scarce__columns_of(table);
    scarce_status st = SCARCE_OK;

    j.columns = columns;
    j.out = scarce__big_alloc(rows * width, sizeof *j.out);
    j.value = scarce__big_alloc(rows * width, sizeof *j.value);
    j.status = scarce__malloc_array(tasks, sizeof *j.status);
    if (!columns || !j.value || !j.out || !j.status)
        st = scarce__fail_memory(err, "explanations", rows * width * sizeof *j.out);
    for (size_t at = 0; st == SCARCE_OK && at < table->n_rows; at += rows) {
        const scarce_progress progress = {"explain", (double)at, (double)table->n_rows, "rows", "", NULL, 0};
        j.begin = at;
        j.n = table->n_rows - at < rows ? table->n_rows - at : rows;
        if (scarce__progress(ctx, &progress))
            st = scarce__fail(err, SCARCE_ECANCEL, "stopped while explaining");
        if (st == SCARCE_OK) st = explain_block(&j, ctx, err);
        if (st == SCARCE_OK && fn(payload, at, j.n, j.value, j.out))
            st = scarce__fail(err, SCARCE_ECANCEL, "explaining was stopped by the caller at row %zu", at + 1);
    }
    scarce__free(columns);
    scarce__free(j.value);
    scarce__free(j.out);
    scarce__free(j.status);
    return st;
}
