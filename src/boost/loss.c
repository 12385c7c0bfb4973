/* SPDX-License-Identifier: Apache-2.0 */
/* What the losses share. */
#include "boost/loss.h"

#include "core/exact.h"

enum { BLOCK = 8192 };

typedef struct job {
    const scarce__loss *loss;
    const scarce__loss_rows *rows;
    float *g, *h;
    scarce__loss_block_fn fn;
} job;

static void run_block(void *arg, size_t index, int worker)
{
    const job *j = arg;
    const size_t b = index * BLOCK, e = b + BLOCK < j->rows->n ? b + BLOCK : j->rows->n;
    (void)worker;
    j->fn(j->loss, j->rows, b, e, j->g, j->h);
}

void scarce__loss_blocks(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                         scarce__loss_block_fn fn, scarce_context *ctx)
{
    job j = {loss, rows, g, h, fn};
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(rows->n, BLOCK), run_block, &j);
}

void scarce__loss_class_weights(const scarce__loss_rows *rows, double *positive, double *negative)
{
    if (rows->class_weight) {
        *negative = rows->class_weight[0];
        *positive = rows->class_weight[1];
        return;
    }
    if (!rows->weight) {
        size_t count = 0;
        for (size_t i = 0; i < rows->n; ++i) count += rows->label[i] != 0;
        *positive = (double)count;
        *negative = (double)(rows->n - count);
        return;
    }
    scarce__exact sum[2] = {{{0}}, {{0}}};
    for (size_t i = 0; i < rows->n; ++i) scarce__exact_add(&sum[rows->label[i] != 0], rows->weight[i]);
    *positive = scarce__exact_value(&sum[1]);
    *negative = scarce__exact_value(&sum[0]);
}
