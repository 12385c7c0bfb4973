/* SPDX-License-Identifier: Apache-2.0 */
/* A loss of the caller: blocks of rows go to the callback from the threads, or all rows at once; what comes
 * back is looked at, since a NaN would only show as a strange tree. */
#include <float.h>
#include <math.h>
#include <stdatomic.h>

#include "boost/list.h"

enum { BLOCK = 8192, FEW = 2048 };

static scarce_loss_rows public_rows(const scarce__loss_rows *rows, size_t b, size_t e, int weights)
{
    const scarce_loss_rows out = {e - b,
                                  rows->score ? rows->score + b : NULL,
                                  rows->label + b,
                                  weights && rows->weight ? rows->weight + b : NULL,
                                  rows->row ? rows->row + b : NULL,
                                  b};
    return out;
}

typedef struct job {
    const scarce_loss *user;
    const scarce__loss_rows *rows;
    float *g, *h;
    atomic_size_t bad; /* the first row that isn't sound */
    atomic_int failed;
} job;

static int sound(float g, float h)
{
    return g >= -FLT_MAX && g <= FLT_MAX && h >= 0 && h <= FLT_MAX;
}

static void look_at(job *j, size_t b, size_t e)
{
    int all = 1;
    for (size_t i = b; i < e; ++i) all &= sound(j->g[i], j->h[i]);
    for (size_t i = b; !all && i < e; ++i) {
        if (sound(j->g[i], j->h[i])) continue;
        size_t first = atomic_load(&j->bad);
        while (i < first && !atomic_compare_exchange_weak(&j->bad, &first, i)) {
        }
        return;
    }
}

static void run(job *j, size_t b, size_t e)
{
    const scarce_loss_rows rows = public_rows(j->rows, b, e, j->user->whole_list);
    const float *weight = j->user->whole_list ? NULL : j->rows->weight;
    if (j->user->gradients(j->user->payload, &rows, j->g + b, j->h + b) != 0) atomic_store(&j->failed, 1);
    look_at(j, b, e);
    for (size_t i = b; weight && i < e; ++i) {
        j->g[i] *= weight[i];
        j->h[i] *= weight[i];
    }
}

static void run_block(void *arg, size_t index, int worker)
{
    job *j = arg;
    const size_t b = index * BLOCK, e = b + BLOCK < j->rows->n ? b + BLOCK : j->rows->n;
    (void)worker;
    run(j, b, e);
}

static scarce_status gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err)
{
    job j = {loss->state, rows, g, h, SIZE_MAX, 0};

    if (j.user->whole_list) run(&j, 0, rows->n);
    else scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(rows->n, BLOCK), run_block, &j);
    if (atomic_load(&j.failed))
        return scarce__fail(err, SCARCE_EINVAL, "the loss %.60s ended the training", loss->name);
    const size_t bad = atomic_load(&j.bad);
    if (bad == SIZE_MAX) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EDATA,
                        "the loss %.60s gives g %g and h %g for row %zu; both must be finite and h 0 or more",
                        loss->name, (double)g[bad], (double)h[bad],
                        (rows->row ? (size_t)rows->row[bad] : bad) + 1);
}

static double base(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    const scarce_loss *user = loss->state;
    scarce_loss_rows all = public_rows(rows, 0, rows->n, 1);
    all.score = NULL;
    return user->start ? user->start(user->payload, &all) : 0;
}

static double value(const scarce__loss *loss, const scarce__loss_rows *rows)
{
    const scarce_loss *user = loss->state;
    const scarce_loss_rows all = public_rows(rows, 0, rows->n, 1);
    return user->value(user->payload, &all);
}

/* The caller's own, or |g| of a negative. What isn't a number counts for nothing. */
static void interest(const scarce__loss *loss, const scarce__loss_rows *rows, size_t begin, size_t end,
                     float *out)
{
    static const uint8_t negative[FEW];
    const scarce_loss *user = loss->state;
    float h[FEW];

    for (size_t b = begin; b < end; b += FEW) {
        const size_t e = end - b < FEW ? end : b + FEW;
        scarce_loss_rows part = public_rows(rows, b, e, 0);
        part.label = negative;
        if (user->interest) user->interest(user->payload, &part, out + b);
        else (void)user->gradients(user->payload, &part, out + b, h);
        for (size_t i = b; i < e; ++i) {
            const float x = out[i] < 0 && !user->interest ? -out[i] : out[i];
            out[i] = x > 0 ? (x < 1e30f ? x : 1e30f) : 0.0f;
        }
    }
}

scarce__loss scarce__loss_user(const scarce_loss *user)
{
    const scarce__loss loss = {.name = user->name ? user->name : "own",
                               .needs_label = 1,
                               .gamma = user->link > 0 ? user->link : 0,
                               .state = (void *)(uintptr_t)user,
                               .gradients = gradients,
                               .base = base,
                               .value = user->value ? value : NULL,
                               .interest = user->interest || !user->whole_list ? interest : NULL};
    return loss;
}
