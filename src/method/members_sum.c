/* SPDX-License-Identifier: Apache-2.0 */
/* From members to one model: judged, cut back to where it was best, summed up.
 *
 * Boosted members are written in turns (tree 1 of each, tree 2 of each, ...), so the first rounds of the sum are the
 * ensemble of fewer rounds, and its learning curve goes over rounds. Where that isn't so (linear models, forests whose
 * leaves are divided by their number of trees) it goes over members: the mean of the first, of the first two, ... */
#include <math.h>
#include <string.h>

#include "boost/stop.h"
#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "data/table.h"
#include "method/members_inside.h"
#include "method/watcher.h"
#include "model/bag.h"

/* ---- the sum */

scarce_status scarce__members_sum(const scarce__kind **kind, void **body, scarce__members *m, size_t n,
                                  int average, scarce_error *err)
{
    const scarce__kind **kinds = scarce__malloc_array(n, sizeof *kinds);
    void **bodies = scarce__malloc_array(n, sizeof *bodies);
    double *shift = scarce__malloc_array(n, sizeof *shift);
    size_t k = 0;
    scarce_status st = SCARCE_OK;

    if (!kinds || !bodies || !shift) st = scarce__fail_memory(err, "members", 0);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) {
        if (!m->member[i].body) continue;
        kinds[k] = m->member[i].kind;
        bodies[k] = m->member[i].body;
        shift[k++] = m->member[i].shift;
    }
    if (st == SCARCE_OK && k == 0) st = scarce__fail(err, SCARCE_EBUG, "no member has learnt anything");
    if (st == SCARCE_OK)
        st = scarce__bag_sum(kind, body, &m->job->table->schema, kinds, bodies, shift, k,
                             average ? 1 / (double)k : 1, err);
    for (size_t i = 0, at = 0; st == SCARCE_OK && i < n; ++i)
        if (m->member[i].body) m->member[i].body = bodies[at++];
    scarce__free(kinds);
    scarce__free(bodies);
    scarce__free(shift);
    return st;
}

static int is_idle(const scarce__member *m)
{
    const scarce__forest *f = m->body && m->kind->forest ? m->kind->forest(m->body) : NULL;
    if (!f) return 0;
    for (size_t i = 0; i < (f->n_trees ? f->tree_begin[f->n_trees] : 0); ++i)
        if (f->nodes[i].feature >= 0) return 0;
    return 1;
}

/* ---- what it means */

/* That of the members, who all learn alike; where their odds were changed by factors that differ, by the mean. */
static void set_meaning(scarce__meaning *out, const scarce__members *m, size_t n)
{
    double sum = 0, first = 1;
    size_t k = 0;
    int equal = 1;

    for (size_t i = 0; i < n; ++i) {
        const scarce__member *one = &m->member[i];
        if (!one->done) continue;
        if (k++ == 0) {
            *out = one->meaning;
            first = one->meaning.odds_factor;
        }
        equal &= one->meaning.odds_factor == first;
        sum += scarce__ln(one->meaning.odds_factor);
    }
    if (k > 0 && !equal) out->odds_factor = scarce__exp(sum / (double)k);
    out->why = out->link == SCARCE__LINK_NONE ? "the scores of the members only rank"
                                              : "the members change the odds by no known factor";
    if (m->rows != SCARCE__MEMBER_ALL) out->odds_factor *= scarce__draw_odds(m->classes->coins, m->rows);
}

/* ---- judging */

typedef struct judge {
    scarce__watcher watcher;
    scarce__watching watching;
    scarce__stop stop;
    float *score;
    double *curve;
    size_t n_rows, judged;
    int is_time;
} judge;

static scarce_status look(judge *j, const double *score, double scale, scarce_error *err)
{
    double value = (double)NAN;

    if (j->is_time) return SCARCE_OK;
    for (size_t i = 0; i < j->n_rows; ++i) j->score[i] = (float)(scale * score[i]);
    SCARCE__TRY(j->watching.metric(&j->watcher, j->score, &value, err));
    j->curve[j->judged++] = value;
    j->is_time = scarce__stop_judge(&j->stop, value, j->judged);
    return SCARCE_OK;
}

static scarce_status look_at_round(void *payload, size_t at, const double *score, scarce_error *err)
{
    (void)at;
    return look(payload, score, 1, err);
}

static scarce_status judge_rounds(judge *j, const scarce__kind *kind, const void *body, size_t n,
                                  const scarce__job *job, scarce_error *err)
{
    size_t *round = scarce__malloc_array(n, sizeof *round);
    scarce_status st;

    if (!round) return scarce__fail_memory(err, "a learning curve", 0);
    for (size_t k = 0; k < n; ++k) round[k] = k + 1;
    st = kind->score_stages(body, job->valid, round, n, look_at_round, j, job->ctx, err);
    scarce__free(round);
    return st;
}

scarce_status scarce__member_score(double *score, const scarce__member *m, const scarce_table *table,
                                   scarce_context *ctx, scarce_error *err)
{
    void *prepared = NULL;
    scarce_status st = SCARCE_OK;

    if (m->kind->prepare) st = m->kind->prepare(&prepared, m->body, err);
    if (st == SCARCE_OK) st = m->kind->score_table(prepared ? prepared : m->body, table, score, ctx, err);
    if (prepared) m->kind->unprepare(prepared);
    return st;
}

static scarce_status judge_members(judge *j, const scarce__members *m, int average, scarce_error *err)
{
    const scarce__job *job = m->job;
    double *sum = scarce__calloc(j->n_rows, 2 * sizeof *sum), *one = sum ? sum + j->n_rows : NULL;
    scarce_status st = sum ? SCARCE_OK : scarce__fail_memory(err, "validation scores", j->n_rows * 16);

    for (size_t i = 0; st == SCARCE_OK && i < m->n && !j->is_time; ++i) {
        st = scarce__member_score(one, &m->member[i], job->valid, job->ctx, err);
        for (size_t r = 0; st == SCARCE_OK && r < j->n_rows; ++r) sum[r] += one[r] + m->member[i].shift;
        if (st == SCARCE_OK) st = look(j, sum, average ? 1 / (double)(i + 1) : 1, err);
    }
    scarce__free(sum);
    return st;
}

int scarce__members_by_rounds(const scarce__members *m)
{
    if (m->inner.engine->stages_average || !m->inner.engine->stages) return 0;
    for (size_t i = 0; i < m->n; ++i)
        if (m->member[i].body && m->member[i].kind != &scarce__kind_trees) return 0;
    return 1;
}

static scarce_status judge_init(judge *j, const scarce__members *m, const scarce__meaning *meaning,
                                size_t most, scarce_error *err)
{
    memset(j, 0, sizeof *j);
    j->watching.link = meaning->link;
    j->watching.slope = meaning->slope;
    j->stop.best = (double)NAN;
    j->stop.after = m->job->options->early_stop;
    j->n_rows = m->job->valid->n_rows;
    j->score = scarce__malloc_array(j->n_rows, sizeof *j->score);
    j->curve = scarce__malloc_array(most, sizeof *j->curve);
    if (!j->score || !j->curve) return scarce__fail_memory(err, "a learning curve", 0);
    SCARCE__TRY(scarce__watcher_new(&j->watcher, &j->watching, m->job, err));
    j->stop.smaller_is_better = j->watching.smaller_is_better;
    return SCARCE_OK;
}

/* How many of the iterations are kept, once all were judged. */
static size_t kept_of(const judge *j, size_t all)
{
    return j->stop.after > 0 && j->stop.best == j->stop.best ? j->stop.best_trees : all;
}

static void hand_over_curve(scarce__learned *out, judge *j)
{
    out->iterations = j->judged;
    out->best_iteration = kept_of(j, j->judged);
    out->valid_metric = out->best_iteration > 0 ? j->curve[out->best_iteration - 1] : (double)NAN;
    out->curve = j->curve;
    out->n_curve = j->judged;
    j->curve = NULL;
}

/* The body is summed up; with validation rows it is cut back where that is asked for. */
static scarce_status finish_rounds(scarce__members *m, scarce__learned *out, int average, int judged,
                                   scarce_error *err)
{
    judge j;
    SCARCE__TRY(scarce__members_sum(&out->kind, &out->body, m, m->n, average, err));
    const size_t rounds = scarce__forest_rounds(out->body);
    out->iterations = out->best_iteration = rounds;
    if (!judged || rounds == 0) return SCARCE_OK;
    scarce_status st = judge_init(&j, m, &out->meaning, rounds, err);
    if (st == SCARCE_OK) st = judge_rounds(&j, out->kind, out->body, rounds, m->job, err);
    if (st == SCARCE_OK) {
        hand_over_curve(out, &j);
        scarce__forest_truncate(out->body, scarce__forest_trees_in(out->body, out->best_iteration));
    }
    scarce__watcher_stop(&j.watcher);
    scarce__free(j.score);
    scarce__free(j.curve);
    return st;
}

static scarce_status finish_members(scarce__members *m, scarce__learned *out, int average, int judged,
                                    scarce_error *err)
{
    judge j;
    scarce_status st = SCARCE_OK;

    out->iterations = out->best_iteration = out->members;
    if (judged) {
        st = judge_init(&j, m, &out->meaning, m->n, err);
        if (st == SCARCE_OK) st = judge_members(&j, m, average, err);
        if (st == SCARCE_OK) hand_over_curve(out, &j);
        scarce__watcher_stop(&j.watcher);
        scarce__free(j.score);
        scarce__free(j.curve);
        if (st == SCARCE_OK) out->members = out->best_iteration;
    }
    if (st != SCARCE_OK) return st;
    return scarce__members_sum(&out->kind, &out->body, m, judged ? out->best_iteration : m->n, average, err);
}

scarce_status scarce__members_finish(scarce__members *m, scarce__learned *out, int average, scarce_error *err)
{
    const int by_rounds = scarce__members_by_rounds(m), judged = m->job->valid && !m->cancelled;

    set_meaning(&out->meaning, m, m->n);
    out->cancelled = m->cancelled;
    for (size_t i = 0; i < m->n; ++i) out->members += m->member[i].body != NULL;
    if (m->cancelled) SCARCE__TRY(scarce__members_state(&out->state, &out->n_state, m, err));
    for (size_t i = 0; i < m->n; ++i) out->idle_members += (size_t)is_idle(&m->member[i]);
    if (by_rounds) return finish_rounds(m, out, average, judged, err);
    return finish_members(m, out, average, judged, err);
}
