/* SPDX-License-Identifier: Apache-2.0 */
/* All columns, one task each: a worker has room for one sort, and writes the facts of its column only. */
#include "core/alloc.h"
#include "core/sort.h"
#include "study/doctor_column.h"

typedef struct look_job {
    scarce_doctor *d;
    scarce__doctor_sums all;
    scarce__doctor_scratch *scratch; /* per worker */
    unsigned char *failed;           /* per column */
} look_job;

static void look_task(void *arg, size_t f, int worker)
{
    look_job *job = arg;
    job->failed[f] = !scarce__doctor_look_at(job->d, f, &job->all, &job->scratch[worker]);
}

static int scratch_init(scarce__doctor_scratch *s, size_t rows)
{
    s->a = scarce__big_alloc(rows + 1, sizeof *s->a);
    s->b = scarce__big_alloc(rows + 1, sizeof *s->b);
    s->counts = scarce__malloc_array(scarce__sort_counts(NULL, rows), sizeof *s->counts);
    return s->a && s->b && s->counts;
}

scarce_status scarce__doctor_look(scarce_doctor *d, scarce_context *ctx, scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    const size_t workers = (size_t)scarce__pool_threads(pool), rows = d->table->n_rows;
    look_job job = {d, scarce__doctor_sum_all(d), NULL, NULL};
    int ok;

    job.scratch = scarce__calloc(workers, sizeof *job.scratch);
    job.failed = scarce__calloc(d->n_columns + 1, 1);
    ok = job.scratch && job.failed;
    for (size_t w = 0; ok && w < workers; ++w) ok = scratch_init(&job.scratch[w], rows);
    if (ok) {
        scarce__pool_run(pool, d->n_columns, look_task, &job);
        for (size_t f = 0; f < d->n_columns; ++f) ok &= !job.failed[f];
    }
    for (size_t w = 0; job.scratch && w < workers; ++w) {
        scarce__free(job.scratch[w].a);
        scarce__free(job.scratch[w].b);
        scarce__free(job.scratch[w].counts);
    }
    scarce__free(job.scratch);
    scarce__free(job.failed);
    return ok ? SCARCE_OK : scarce__fail_memory(err, "looking at the columns", workers * rows * 16);
}
