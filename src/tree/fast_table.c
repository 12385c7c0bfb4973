/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring a whole table on all threads. */
#include "core/alloc.h"
#include "core/context.h"
#include "data/table.h"
#include "tree/fast.h"

enum { BLOCK = 4096 }; /* rows per task: some 0.4 ms of work for a hundred trees */

typedef struct job {
    const scarce__fast *fast;
    const scarce__columns *columns;
    size_t n;
    double *out;
} job;

static void score_block(void *arg, size_t index, int worker)
{
    const job *j = arg;
    const size_t begin = index * BLOCK, left = j->n - begin;

    (void)worker;
    scarce__fast_columns(j->fast, j->columns, begin, left < BLOCK ? left : BLOCK, j->out + begin);
}

scarce_status scarce__fast_table(const scarce__fast *fast, const scarce_table *table,
                                 const scarce_context *ctx, double *out, scarce_error *err)
{
    const size_t n_features = table->schema.n_features;
    job j = {fast, NULL, table->n_rows, out};
    scarce__columns *columns;

    if (n_features != scarce__fast_features(fast))
        return scarce__fail(err, SCARCE_EINVAL, "a table of %zu features for a forest of %zu", n_features,
                            scarce__fast_features(fast));
    columns = scarce__columns_of(table);
    if (!columns) return scarce__fail_memory(err, "scoring a table", n_features * sizeof *columns);
    j.columns = columns;
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(j.n, BLOCK), score_block, &j);
    scarce__free(columns);
    return SCARCE_OK;
}
