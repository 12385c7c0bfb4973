/* SPDX-License-Identifier: Apache-2.0 */
/* Forests of ranking trees: each graph learns from a bootstrap of the rows (as many as there are, drawn with
 * replacement), the score is the mean of theirs. Ranking forests: Clemencon, Depecker and Vayatis, JMLR 14
 * (2013); MetaAPForest: Viola, thesis 2022, section 4.4. Members are drawn and seeded by their number, so it
 * doesn't matter which lane learns which. */
#include <string.h>

#include "core/alloc.h"
#include "core/lanes.h"
#include "core/random.h"
#include "rank/round.h"

typedef struct forest_job {
    scarce__rank *rank;
    const scarce__rank_data *data;
    const scarce__rank_options *options;
    size_t done;
} forest_job;

/* Draws until both classes are there: the same for every number of threads, and soon over, since positives
 * that are rare among many rows are still drawn with probability 1 - 1/e or more. */
static void draw(uint32_t *rows, const scarce__rank_data *d, size_t n, uint64_t seed, size_t member)
{
    enum { TRIES = 50 };
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_ROWS, member);
    const uint8_t *label = d->share ? NULL : d->table->label;

    for (int t = 0; t < TRIES; ++t) {
        size_t positives = 0;
        for (size_t i = 0; i < n; ++i) {
            const uint32_t k = (uint32_t)scarce__random_below(&r, n);
            rows[i] = d->rows ? d->rows[k] : k;
            positives += label && label[rows[i]];
        }
        if (!label || (positives > 0 && positives < n)) return;
    }
}

static scarce_status learn_member(void *arg, size_t task, scarce_context *ctx, scarce_error *err)
{
    const forest_job *j = arg;
    const size_t n = j->data->rows ? j->data->n : j->data->table->n_rows;
    scarce__rank_data data = *j->data;
    uint32_t *rows = scarce__malloc_array(n, sizeof *rows);

    if (!rows) return scarce__fail_memory(err, "a bootstrap", n * sizeof *rows);
    draw(rows, j->data, n, j->options->seed, task);
    data.rows = rows;
    data.n = n;
    const scarce_status st = scarce__rank_member(&j->rank->dags[task], &data, j->options, task, ctx, err);
    scarce__free(rows);
    return st;
}

static scarce_status count_member(void *arg, size_t task, double seconds, scarce_error *err)
{
    forest_job *j = arg;
    (void)task;
    (void)seconds;
    (void)err;
    ++j->done;
    return SCARCE_OK;
}

static void tell(void *arg, scarce_progress *p)
{
    const forest_job *j = arg;
    p->stage = "train";
    p->done = (double)j->done;
}

scarce_status scarce__rank_forest(scarce__rank **out, const scarce__rank_data *data,
                                  const scarce__rank_options *o, size_t members, scarce_context *ctx,
                                  scarce_error *err)
{
    const size_t n = data->rows ? data->n : data->table->n_rows;
    forest_job j = {NULL, data, o, 0};
    const scarce__lanes plan = {.n_tasks = members,
                                .tasks = "trees",
                                .bytes = 4 * (double)n +
                                         scarce__rank_memory(o, n, data->table->schema.n_features, 1),
                                .run = learn_member,
                                .done = count_member,
                                .progress = tell};

    *out = NULL;
    SCARCE__TRY(scarce__rank_start(&j.rank, members, data, o, ctx, err));
    const scarce_status st = scarce__lanes_run(&plan, &j, ctx, err);
    if (st != SCARCE_OK) {
        scarce__rank_free(j.rank);
        return st;
    }
    *out = j.rank;
    return SCARCE_OK;
}
