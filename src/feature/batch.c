/* SPDX-License-Identifier: Apache-2.0 */
/* Shards of keys, each with its rows in order; what can be had key by key is left to ordered.c. */
#include "feature/batch.h"

#include <string.h>

#include "core/alloc.h"
#include "core/pool.h"
#include "feature/ordered.h"
#include "feature/rows.h"
#include "feature/sweep.h"

enum { MOST_SHARDS = 256, ROWS_PER_SHARD = 4096, ROWS_AT_ONCE = 64 };

typedef struct job {
    scarce__batch *b;
    const int64_t *at;
    size_t n_shards;
    const size_t *kinds; /* those that are wanted */
    uint32_t **order;    /* [kind]: rows by shard */
    size_t *start;       /* [kind * (n_shards + 1) + shard] */
    scarce_status *status;
    uint64_t *late, *folded; /* per task */
    double **made; /* [kind]: features in the order of `order`; so a shard writes to memory of its own */
} job;

void scarce__running_max(int64_t *at, const int64_t *time, size_t n)
{
    int64_t most = n ? time[0] : 0;
    for (size_t i = 0; i < n; ++i) {
        if (time[i] > most) most = time[i];
        at[i] = most;
    }
}

static void task(void *arg, size_t t, int worker)
{
    job *j = arg;
    const size_t i = t / j->n_shards, sh = t % j->n_shards;
    const size_t *start = j->start + i * (j->n_shards + 1);
    scarce__rows_run run = {j->b, j->at, j->kinds[i], 0, 0};

    (void)worker;
    j->status[t] = SCARCE_OK;
    if (start[sh] == start[sh + 1]) return;
    j->status[t] =
        scarce__rows_features(&run, j->order[i] + start[sh], start[sh + 1] - start[sh],
                              j->made[i] + start[sh] * j->b->plan->kinds[j->kinds[i]].n_aggregates);
    j->late[t] = run.late;
    j->folded[t] = run.folded;
}

/* Rows of a kind by shard, in their order. */
static scarce_status share_out(job *j, size_t i, scarce_error *err)
{
    const scarce__batch *b = j->b;
    const uint64_t *keys = b->keys[j->kinds[i]];
    const scarce__feature_kind *kind = &b->plan->kinds[j->kinds[i]];
    size_t *start = j->start + i * (j->n_shards + 1), next[MOST_SHARDS];
    const uint64_t mask = j->n_shards - 1;

    j->order[i] = scarce__big_alloc(b->n, sizeof **j->order);
    j->made[i] = scarce__big_alloc(b->n, kind->n_aggregates * sizeof **j->made);
    if (!j->order[i] || !j->made[i]) return scarce__fail_memory(err, "features", b->n * sizeof **j->order);
    for (size_t r = 0; r < b->n; ++r) ++start[(keys[2 * r] >> 40 & mask) + 1];
    for (size_t s = 0; s < j->n_shards; ++s) start[s + 1] += start[s];
    for (size_t s = 0; s < j->n_shards; ++s) next[s] = start[s];
    for (size_t r = 0; r < b->n; ++r) j->order[i][next[keys[2 * r] >> 40 & mask]++] = (uint32_t)r;
    return SCARCE_OK;
}

static scarce_status check_range(const scarce__batch *b, const int64_t *at, scarce_error *err)
{
    for (size_t i = 0; b->time && i < b->n; ++i)
        if (b->time[i] - at[0] > INT32_MAX - 1 || b->time[i] - at[0] < INT32_MIN + 1)
            return scarce__fail(err, SCARCE_EDATA,
                                "row %zu: its time is more than 68 years from that of the first row", i + 1);
    return SCARCE_OK;
}

/* Features of a kind to where they are wanted: rows ascend in each shard, so all is read and written in order; column by
 * column for a few rows, since columns that begin at the same place of a page push each other out of the cache. */
static void hand_out(void *arg, size_t i, int worker)
{
    job *j = arg;
    const scarce__batch *b = j->b;
    const scarce__feature_kind *k = &b->plan->kinds[j->kinds[i]];
    const uint64_t *keys = b->keys[j->kinds[i]], mask = j->n_shards - 1;
    const size_t *start = j->start + i * (j->n_shards + 1);
    size_t next[MOST_SHARDS];
    const double *from[ROWS_AT_ONCE];

    (void)worker;
    for (size_t s = 0; s < j->n_shards; ++s) next[s] = start[s];
    for (size_t row = 0; row < b->n; row += ROWS_AT_ONCE) {
        const size_t n = b->n - row < ROWS_AT_ONCE ? b->n - row : ROWS_AT_ONCE;
        for (size_t r = 0; r < n; ++r)
            from[r] = j->made[i] + next[keys[2 * (row + r)] >> 40 & mask]++ * k->n_aggregates;
        for (size_t a = 0; a < k->n_aggregates; ++a) {
            size_t step;
            double *to = scarce__batch_column(b, k->aggregates[a].out, &step);
            for (size_t r = 0; to && r < n; ++r) to[(row + r) * step] = from[r][a];
        }
    }
}

static scarce_status run_tasks(job *j, size_t n_kinds, const scarce_context *ctx, scarce_error *err)
{
    const size_t n_tasks = n_kinds * j->n_shards;
    for (size_t i = 0; i < n_kinds; ++i) SCARCE__TRY(share_out(j, i, err));
    scarce__pool_run(scarce__context_pool(ctx), n_tasks, task, j);
    for (size_t t = 0; t < n_tasks; ++t) {
        if (j->status[t] != SCARCE_OK) return scarce__fail_memory(err, "features", 0);
        j->b->late += j->late[t];
        j->b->folded += j->folded[t];
    }
    scarce__pool_run(scarce__context_pool(ctx), n_kinds, hand_out, j);
    return SCARCE_OK;
}

/* Record by record. */
static scarce_status run_shards(scarce__batch *b, const int64_t *at, const size_t *kinds, size_t n_kinds,
                                const scarce_context *ctx, scarce_error *err)
{
    uint32_t *order[SCARCE__FEATURE_KINDS] = {NULL};
    double *made[SCARCE__FEATURE_KINDS] = {NULL};
    job j = {b, at, 1, kinds, order, NULL, NULL, NULL, NULL, made};
    scarce_status st;

    while (j.n_shards < MOST_SHARDS && j.n_shards * ROWS_PER_SHARD < b->n) j.n_shards *= 2;
    const size_t n_tasks = n_kinds * j.n_shards;
    j.start = scarce__calloc(n_kinds * (j.n_shards + 1), sizeof *j.start);
    j.status = scarce__calloc(n_tasks, sizeof *j.status);
    j.late = scarce__calloc(n_tasks, sizeof *j.late);
    j.folded = scarce__calloc(n_tasks, sizeof *j.folded);
    st = j.start && j.status && j.late && j.folded ? run_tasks(&j, n_kinds, ctx, err)
                                                   : scarce__fail_memory(err, "features", 0);
    for (size_t i = 0; i < n_kinds; ++i) {
        scarce__free(order[i]);
        scarce__free(made[i]);
    }
    scarce__free(j.start);
    scarce__free(j.status);
    scarce__free(j.late);
    scarce__free(j.folded);
    return st;
}

static int ascends(const int64_t *time, size_t n)
{
    for (size_t i = 1; i < n; ++i)
        if (time[i] < time[i - 1]) return 0;
    return 1;
}

/* When the rows arrive; *own is to be freed. NULL: out of memory. */
static const int64_t *arrivals(const scarce__batch *b, int64_t **own)
{
    *own = NULL;
    if (b->at) return b->at;
    if (b->time && ascends(b->time, b->n)) return b->time;
    *own = scarce__calloc(b->n, sizeof **own);
    if (*own && b->time) scarce__running_max(*own, b->time, b->n);
    return *own;
}

scarce_status scarce__batch_run(scarce__batch *b, const scarce_context *ctx, scarce_error *err)
{
    size_t ordered[SCARCE__FEATURE_KINDS], general[SCARCE__FEATURE_KINDS], n_ordered = 0, n_general = 0;
    int64_t *own;
    scarce_status st;

    b->late = b->folded = 0;
    if (b->n == 0) return SCARCE_OK;
    const int64_t *at = arrivals(b, &own);
    if (!at) return scarce__fail_memory(err, "features", b->n * sizeof *at);
    st = check_range(b, at, err);
    const int in_order = st == SCARCE_OK && scarce__ordered_rows(b, at);
    for (size_t k = 0; k < b->plan->n_kinds; ++k) {
        if (!b->keys[k] || b->plan->kinds[k].n_aggregates == 0) continue;
        if (in_order && scarce__sweep_can(&b->plan->kinds[k])) ordered[n_ordered++] = k;
        else general[n_general++] = k;
    }
    if (st == SCARCE_OK && n_ordered) st = scarce__ordered_run(b, at, ordered, n_ordered, ctx, err);
    if (st == SCARCE_OK && n_general) st = run_shards(b, at, general, n_general, ctx, err);
    scarce__free(own);
    return st;
}
