/* SPDX-License-Identifier: Apache-2.0 */
/* Forests of ranking trees: each graph learns from a bootstrap of the rows (as many as there are, drawn with
 * replacement), the score is the mean of theirs. Ranking forests: Clemencon, Depecker and Vayatis, JMLR 14
 * (2013); MetaAPForest: Viola, thesis 2022, section 4.4. Members are drawn and seeded by their number, so it
 * doesn't matter which lane learns which; samples are those of ensemble/draw.h, where a row of weight w is w rows. */
#include <string.h>

#include "core/alloc.h"
#include "core/lanes.h"
#include "data/row_hash.h"
#include "ensemble/draw.h"
#include "rank/round.h"

typedef struct forest_job {
    scarce__rank *rank;
    const scarce__rank_data *data;
    const scarce__rank_options *options;
    scarce__classes classes;
    size_t done;
} forest_job;

/* Shares have no classes that a bootstrap could miss: all rows are of one. */
static scarce_status find_classes(forest_job *j, scarce_error *err)
{
    const scarce__rank_data *d = j->data;
    uint64_t *hash = scarce__row_hashes(d->table);
    scarce_status st;

    if (!hash) return scarce__fail_memory(err, "a bootstrap", d->table->n_rows * sizeof *hash);
    const scarce__classes_from from = {.label = d->share ? NULL : d->table->label,
                                       .weight = d->table->weight,
                                       .hash = hash,
                                       .rows = d->rows,
                                       .n = d->rows ? d->n : d->table->n_rows,
                                       .n_rows = d->table->n_rows};
    st = scarce__classes_of(&j->classes, &from, err);
    scarce__free(hash);
    return st;
}

/* What a member learns from. */
typedef struct sample {
    scarce__drawn drawn;
    scarce_table copies; /* without weights, where those are numbers of copies; all of it is borrowed */
    uint32_t *rows;
    scarce__rank_data data;
} sample;

static scarce_status sample_init(sample *s, const forest_job *j, size_t member, scarce_error *err)
{
    const scarce_table *table = j->data->table;

    memset(s, 0, sizeof *s);
    s->data = *j->data;
    SCARCE__TRY(scarce__draw_member(&s->drawn, &j->classes, SCARCE__MEMBER_BOOTSTRAP, 1, j->options->seed,
                                    member, err));
    s->rows = scarce__drawn_rows(&s->drawn, &j->classes, &s->data.n);
    if (!s->rows) return scarce__fail_memory(err, "a bootstrap", s->data.n * sizeof *s->rows);
    s->data.rows = s->rows;
    if (!j->classes.first) return SCARCE_OK;
    s->copies = *table;
    s->copies.weight = NULL;
    s->data.table = &s->copies;
    s->data.whole = table;
    return SCARCE_OK;
}

static scarce_status learn_member(void *arg, size_t task, scarce_context *ctx, scarce_error *err)
{
    const forest_job *j = arg;
    sample s;
    scarce_status st = sample_init(&s, j, task, err);

    if (st == SCARCE_OK) st = scarce__rank_member(&j->rank->dags[task], &s.data, j->options, task, ctx, err);
    scarce__drawn_deinit(&s.drawn);
    scarce__free(s.rows);
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
    forest_job j = {.data = data, .options = o};
    const scarce__lanes plan = {.n_tasks = members,
                                .tasks = "trees",
                                .bytes = 4 * (double)n +
                                         scarce__rank_memory(o, n, data->table->schema.n_features, 1),
                                .run = learn_member,
                                .done = count_member,
                                .progress = tell};

    *out = NULL;
    scarce_status st = find_classes(&j, err);
    if (st == SCARCE_OK) st = scarce__rank_start(&j.rank, members, data, o, ctx, err);
    if (st == SCARCE_OK) st = scarce__lanes_run(&plan, &j, ctx, err);
    scarce__classes_deinit(&j.classes);
    if (st != SCARCE_OK) {
        scarce__rank_free(j.rank);
        return st;
    }
    *out = j.rank;
    return SCARCE_OK;
}
