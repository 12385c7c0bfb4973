/* SPDX-License-Identifier: Apache-2.0 */
/* A member gets a sample of the rows as a table, a seed of its own, and the engine of its method; it never knows that
 * it is one of several. Members are tasks of lanes (core/lanes.h), so that neither their order nor the number of
 * threads matters.
 *
 * A checkpoint holds what every member has: those that are done as they are, those that are at work as their own
 * engine would have saved them (job->keep comes here instead of to a file). Its state is
 *
 *     u64 members, then for each  u8 0: nothing, 1: cut short, 2: done, and with 1 and 2 a record:
 *     tag of the kind, f64 shift, u8 link, f64 slope, f64 odds factor, u64 length + body, u64 length + state
 *
 * and its body, so that it is a model, the sum of what is there. Each member goes on from its own state, so the rest
 * comes out the same. */
#include "method/members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/lanes.h"
#include "core/random.h"
#include "data/table.h"
#include "method/members_inside.h"
#include "model/bag.h"
#include "sample/resample.h"

uint64_t scarce__member_seed(uint64_t seed, size_t i)
{
    return scarce__key(seed, SCARCE__FOR_MEMBERS, i);
}

/* ---- records */

#define LARGEST_SHIFT 1e250 /* as of linear models: sums stay finite */

static void put_record(scarce__writer *w, const scarce__member *m, const scarce_schema *schema)
{
    scarce__put(w, m->kind->tag, 4);
    scarce__put_f64(w, m->shift);
    scarce__put_u8(w, (uint8_t)m->meaning.link);
    scarce__put_f64(w, m->meaning.slope);
    scarce__put_f64(w, m->meaning.odds_factor);
    const size_t place = scarce__put_begin(w);
    (void)m->kind->write(m->body, schema, w);
    scarce__put_end(w, place);
    scarce__put_u64(w, m->n_state);
    scarce__put(w, m->state, m->n_state);
}

static scarce_status get_record(scarce__member *m, const scarce_schema *schema, scarce__reader *r,
                                scarce_error *err)
{
    const uint8_t *tag = scarce__get(r, 4);
    const scarce__kind *kind = tag ? scarce__kind_of_tag(tag) : NULL;

    m->shift = scarce__get_f64(r);
    m->meaning.link = (scarce__link)scarce__get_u8(r);
    m->meaning.slope = scarce__get_f64(r);
    m->meaning.odds_factor = scarce__get_f64(r);
    const size_t n = scarce__get_count(r, 1);
    scarce__reader body = scarce__reader_of(scarce__get(r, n), n);
    const size_t n_state = scarce__get_count(r, 1);
    const uint8_t *state = scarce__get(r, n_state);
    if (r->failed || !kind || m->meaning.link > SCARCE__LINK_SHARE || !(fabs(m->shift) <= LARGEST_SHIFT))
        return scarce__fail(err, SCARCE_EDATA, "the checkpoint is damaged: a member is cut off; train anew");
    m->kind = kind;
    SCARCE__TRY(kind->read(&m->body, schema, &body, err));
    if (n_state == 0) return SCARCE_OK;
    m->state = scarce__malloc(n_state);
    if (!m->state) return scarce__fail_memory(err, "a checkpoint", n_state);
    memcpy(m->state, state, n_state);
    m->n_state = n_state;
    return SCARCE_OK;
}

static size_t steps_of(const scarce__member *m)
{
    const scarce__forest *f = m->body && m->kind->forest ? m->kind->forest(m->body) : NULL;
    return f ? scarce__forest_rounds(f) : 0;
}

enum { NOTHING = 0, CUT_SHORT = 1, DONE = 2 };

static scarce_status get_state(scarce__members *m, const uint8_t *state, size_t n_state, scarce_error *err)
{
    scarce__reader r = scarce__reader_of(state, n_state);
    const size_t n = scarce__get_u64(&r);

    if (r.failed || n != m->n)
        return scarce__fail(err, SCARCE_EDATA, "the checkpoint is of %zu members, not %zu", r.failed ? 0 : n,
                            m->n);
    for (size_t i = 0; i < n; ++i) {
        const int what = scarce__get_u8(&r);
        if (r.failed || what > DONE)
            return scarce__fail(err, SCARCE_EDATA,
                                "the checkpoint is damaged: member %zu is missing; train anew", i + 1);
        if (what == NOTHING) continue;
        SCARCE__TRY(get_record(&m->member[i], &m->job->table->schema, &r, err));
        m->member[i].done = m->member[i].learnt = what == DONE;
        m->member[i].steps = steps_of(&m->member[i]);
    }
    return SCARCE_OK;
}

static scarce_status put_state(scarce__writer *w, const scarce__members *m, scarce_error *err)
{
    scarce__put_u64(w, m->n);
    for (size_t i = 0; i < m->n; ++i) {
        const scarce__member *one = &m->member[i];
        scarce__put_u8(w, one->body && one->done ? DONE : one->body || one->kept.n ? CUT_SHORT : NOTHING);
        if (one->body && (one->done || !one->kept.n)) put_record(w, one, &m->job->table->schema);
        else if (one->kept.n) scarce__put(w, one->kept.bytes, one->kept.n);
    }
    return w->failed ? scarce__fail_memory(err, "a checkpoint", 0) : SCARCE_OK;
}

/* ---- beginning and end */

static void member_deinit(scarce__member *m)
{
    if (m->kind && m->body) m->kind->free(m->body);
    scarce__free(m->state);
    scarce__writer_deinit(&m->kept);
    memset(m, 0, sizeof *m);
}

scarce_status scarce__members_init(scarce__members *m, const scarce__job *job,
                                   const scarce__inner_method *inner, size_t n, scarce_error *err)
{
    const scarce_model *resume = job->options->resume;

    memset(m, 0, sizeof *m);
    pthread_mutex_init(&m->lock, NULL);
    m->job = job;
    m->inner = *inner;
    m->share = 1;
    m->member = scarce__calloc(n, sizeof *m->member);
    if (!m->member) return scarce__fail_memory(err, "members", n * sizeof *m->member);
    m->n = n;
    if (job->table && job->table->cost && !(inner->engine->can & SCARCE__CAN_COSTS))
        scarce__log(job->ctx, SCARCE_LOG_WARN, "members of method %s do not weigh costs of rows: ignored",
                    inner->method->name);
    return resume ? get_state(m, resume->state, resume->n_state, err) : SCARCE_OK;
}

void scarce__members_deinit(scarce__members *m)
{
    for (size_t i = 0; m->member && i < m->n; ++i) member_deinit(&m->member[i]);
    scarce__free(m->member);
    pthread_mutex_destroy(&m->lock);
}

/* ---- checkpoints */

/* The model of a checkpoint is made of copies: the members themselves are still at work. Under the lock. */
static scarce_status write_file(scarce__members *m, scarce_error *err)
{
    scarce__writer state = {0};
    scarce__members copy;
    const scarce__kind *kind = NULL;
    void *body = NULL;
    scarce_error here = SCARCE_ERROR_INIT;
    scarce_status st;

    memset(&copy, 0, sizeof copy);
    copy.job = m->job;
    copy.inner = m->inner;
    copy.member = scarce__calloc(m->n, sizeof *copy.member);
    copy.n = copy.member ? m->n : 0;
    st = copy.member ? put_state(&state, m, err) : scarce__fail_memory(err, "a checkpoint", 0);
    if (st == SCARCE_OK) st = get_state(&copy, state.bytes, state.n, err);
    if (st == SCARCE_OK) st = scarce__members_sum(&kind, &body, &copy, copy.n, 1, err);
    if (st == SCARCE_OK) {
        st = scarce__save_checkpoint(m->job, kind, body, state.bytes, state.n, &here);
        if (st == SCARCE_EIO && m->trouble.text[0] == '\0') m->trouble = here;
        st = st == SCARCE_OK || st == SCARCE_EIO ? SCARCE_OK : scarce__fail(err, st, "%s", here.text);
    }
    if (body) kind->free(body);
    for (size_t i = 0; i < copy.n; ++i) member_deinit(&copy.member[i]);
    scarce__free(copy.member);
    scarce__writer_deinit(&state);
    m->keeps = 0;
    return st;
}

typedef struct keeper {
    scarce__members *m;
    size_t i;
} keeper;

/* A member's own checkpoint. The file is written when there were as many as members, so that it costs what it would
 * cost one booster. */
static scarce_status keep(void *payload, const scarce__kind *kind, const void *body, const uint8_t *state,
                          size_t n_state, scarce_error *err)
{
    const keeper *k = payload;
    scarce__members *m = k->m;
    const scarce__member now = {.kind = kind,
                                .body = (void *)(uintptr_t)body,
                                .state = (uint8_t *)(uintptr_t)state,
                                .n_state = n_state};
    scarce__writer record = {0};
    scarce_status st = SCARCE_OK;

    put_record(&record, &now, &m->job->table->schema);
    if (record.failed) {
        scarce__writer_deinit(&record);
        return scarce__fail_memory(err, "a checkpoint", 0);
    }
    pthread_mutex_lock(&m->lock);
    scarce__writer_deinit(&m->member[k->i].kept);
    m->member[k->i].kept = record;
    if (++m->keeps >= m->n) st = write_file(m, err);
    pthread_mutex_unlock(&m->lock);
    return st;
}

static int keeps_files(const scarce__job *job)
{
    return job->options->checkpoint && job->options->checkpoint_every > 0;
}

/* ---- a member */

/* A row that was drawn twice is there twice, in the order of the classes: whatever the method of the members, it sees the
 * same for weights as for copies. Weights that are no numbers of copies stay with their rows. */
scarce_status scarce__member_table(scarce_table **out, const scarce_table *table,
                                   const scarce__classes *classes, const scarce__drawn *drawn,
                                   scarce_context *ctx, scarce_error *err)
{
    const int copies = classes->first != NULL;
    size_t n;
    uint32_t *rows = scarce__drawn_rows(drawn, classes, &n);
    scarce_status st;

    if (!rows) return scarce__fail_memory(err, "drawing rows", n * sizeof *rows);
    st = scarce_table_rows_of(out, table, rows, n, ctx, err);
    if (st == SCARCE_OK && copies) {
        scarce__free((*out)->weight);
        (*out)->weight = NULL;
    }
    scarce__free(rows);
    return st;
}

/* The rows of a member as a table; *out is NULL where it is all of them. */
static scarce_status take_sample(scarce_table **out, const scarce__members *m, size_t i, scarce_context *ctx,
                                 scarce_error *err)
{
    const scarce__job *job = m->job;
    scarce__drawn drawn = {0};
    scarce_status st;

    *out = NULL;
    if (m->rows == SCARCE__MEMBER_ALL) return SCARCE_OK;
    st = scarce__draw_member(&drawn, m->classes, m->rows, m->share, scarce_context_seed(job->ctx), i, err);
    if (st == SCARCE_OK) st = scarce__member_table(out, job->table, m->classes, &drawn, ctx, err);
    scarce__drawn_deinit(&drawn);
    return st;
}

/* A bootstrap can miss a class where that has few rows. */
static scarce_status check_classes(const scarce_table *t, scarce_error *err)
{
    if (t->n_positives > 0 && t->n_positives < t->n_rows) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EDATA,
                        "its sample holds no %s: draw from each class (balanced=true) or more rows (share)",
                        t->n_positives ? "negative" : "positive");
}

static void take_result(scarce__members *m, size_t i, scarce__learned *learned)
{
    scarce__member *one = &m->member[i];

    pthread_mutex_lock(&m->lock);
    member_deinit(one);
    one->kind = learned->kind;
    one->body = learned->body;
    one->learnt = !learned->cancelled;
    one->done = one->learnt && !m->settles;
    one->state = learned->state;
    one->n_state = learned->n_state;
    one->meaning = learned->meaning;
    one->steps = steps_of(one);
    learned->body = NULL;
    learned->state = NULL;
    pthread_mutex_unlock(&m->lock);
}

/* What the member got from the checkpoint, as its engine wants to see it. */
static scarce_model unfinished(const scarce__member *one, const scarce_table *table)
{
    const scarce_model model = {.kind = one->kind,
                                .body = one->body,
                                .schema = table->schema,
                                .state = one->state,
                                .n_state = one->n_state};
    return model;
}

static scarce_status learn(scarce__members *m, size_t i, const scarce_table *table, const uint8_t *synthetic,
                           double odds_factor, scarce_context *ctx, scarce_error *err)
{
    const scarce_train_options *asked = m->job->options;
    const scarce_model before = unfinished(&m->member[i], table);
    scarce_train_options options = SCARCE_TRAIN_OPTIONS_INIT;
    keeper k = {m, i};
    scarce__learned learned;
    scarce__job job = {.method = m->inner.method,
                       .table = table,
                       .synthetic = synthetic,
                       .asked = m->inner.values,
                       .options = &options,
                       .ctx = ctx,
                       .throwaway = 1,
                       .keep = keep,
                       .keep_payload = &k,
                       .base = m->base};
    scarce_status st;

    if (keeps_files(m->job)) {
        options.checkpoint = asked->checkpoint;
        options.checkpoint_every = asked->checkpoint_every;
    }
    if (before.body && before.state) options.resume = &before;
    memset(&learned, 0, sizeof learned);
    learned.meaning.slope = learned.meaning.odds_factor = 1;
    st = scarce__params_copy(&job.params, m->inner.values, err);
    if (st == SCARCE_OK && options.resume && m->inner.engine->check) /* a checkpoint may be anybody's */
        st = m->inner.engine->check(&job, err);
    if (st == SCARCE_OK) st = m->inner.engine->train(&learned, &job, err);
    learned.meaning.odds_factor *= odds_factor;
    if (st == SCARCE_OK) take_result(m, i, &learned);
    if (learned.kind && learned.body) learned.kind->free(learned.body);
    scarce__free(learned.state);
    scarce__free(learned.curve);
    scarce__params_free(job.params);
    return st;
}

static scarce_status resample_and_learn(scarce__members *m, size_t i, const scarce_table *table,
                                        scarce_context *ctx, scarce_error *err)
{
    scarce__resampled changed;
    scarce_status st;

    if (!m->inner.resample) return learn(m, i, table, NULL, 1, ctx, err);
    SCARCE__TRY(scarce__resample(&changed, table, m->inner.resample, ctx, err));
    st = learn(m, i, changed.table ? changed.table : table, changed.synthetic,
               changed.factor_holds ? changed.odds_factor : (double)NAN, ctx, err);
    scarce__resampled_deinit(&changed);
    return st;
}

static scarce_status run(void *arg, size_t task, scarce_context *ctx, scarce_error *err)
{
    scarce__members *m = arg;
    const size_t i = m->first + task;
    scarce_table *sample = NULL;
    scarce_status st;

    if (m->member[i].done) return SCARCE_OK;
    scarce__context_reseed(ctx, scarce__member_seed(scarce_context_seed(m->job->ctx), i));
    st = take_sample(&sample, m, i, ctx, err);
    if (st == SCARCE_OK) st = check_classes(sample ? sample : m->job->table, err);
    if (st == SCARCE_OK) st = resample_and_learn(m, i, sample ? sample : m->job->table, ctx, err);
    scarce_table_free(sample);
    return st;
}

/* ---- side by side */

scarce_status scarce__members_save(scarce__members *m, scarce_error *err)
{
    size_t open = 0;
    scarce_status st = SCARCE_OK;

    if (!keeps_files(m->job)) return SCARCE_OK;
    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->n; ++i) open += !m->member[i].done;
    if (open > 0) st = write_file(m, err);
    pthread_mutex_unlock(&m->lock);
    return st;
}

static scarce_status done(void *arg, size_t task, double seconds, scarce_error *err)
{
    scarce__members *m = arg;

    (void)task;
    (void)seconds;
    return m->settles ? SCARCE_OK : scarce__members_save(m, err);
}

static void heard(void *arg, size_t task, const scarce_progress *p)
{
    scarce__members *m = arg;
    if (strcmp(p->stage, "train") != 0) return;
    pthread_mutex_lock(&m->lock);
    if (!m->member[m->first + task].done) m->member[m->first + task].steps = (size_t)p->done;
    pthread_mutex_unlock(&m->lock);
}

static void progress(void *arg, scarce_progress *p)
{
    scarce__members *m = arg;
    size_t finished = 0, steps = 0;

    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->n; ++i) {
        finished += (size_t)m->member[i].done;
        steps += m->member[i].done && m->total_steps ? m->total_steps : m->member[i].steps;
    }
    pthread_mutex_unlock(&m->lock);
    p->stage = "train";
    p->unit = m->total_steps ? "trees" : "members";
    p->done = m->total_steps ? floor((double)steps / (double)m->n) : (double)finished;
    p->total = m->total_steps ? (double)m->total_steps : (double)m->n;
}

static void name(void *arg, size_t task, char *text, size_t room)
{
    const scarce__members *m = arg;
    (void)snprintf(text, room, "member %zu", m->first + task + 1);
}

/* Bytes of a sample and of what its engine takes. */
static double bytes_each(const scarce__members *m)
{
    const scarce_table *t = m->job->table;
    const scarce_train_options usual = SCARCE_TRAIN_OPTIONS_INIT;
    const scarce__job inner = {
        .method = m->inner.method, .asked = m->inner.values, .options = &usual, .ctx = NULL};
    const size_t n = scarce__draw_most(t->n_rows, t->n_positives, m->rows, m->share),
                 p = m->rows >= SCARCE__MEMBER_BOOTSTRAP_BALANCED ? n / 2 : t->n_positives;
    return 4 * (double)n * (double)(t->schema.n_features + 4) +
           m->inner.engine->memory(&inner, n, p, t->schema.n_features, 0);
}

scarce_status scarce__members_train(scarce__members *m, size_t first, size_t n, scarce_error *err)
{
    const scarce__lanes plan = {.n_tasks = n,
                                .tasks = "members",
                                .bytes = bytes_each(m),
                                .run = run,
                                .done = done,
                                .progress = progress,
                                .heard = heard,
                                .name = name};
    scarce_progress last = {.note = ""};
    size_t begun = 0;
    scarce_status st;

    m->first = first;
    st = scarce__lanes_run(&plan, m, m->job->ctx, err);
    if (m->trouble.text[0] != '\0' && m->job->told && !*m->job->told) {
        scarce__log(m->job->ctx, SCARCE_LOG_WARN, "no checkpoint (the training goes on): %s",
                    m->trouble.text);
        *m->job->told = 1;
    }
    progress(m, &last); /* quick members may be done before the caller's lane has had its turn */
    if (st == SCARCE_OK) m->cancelled = scarce__progress(m->job->ctx, &last);
    if (st != SCARCE_ECANCEL) return st;
    for (size_t i = 0; i < m->n; ++i) begun += m->member[i].body != NULL;
    m->cancelled = 1;
    return begun > 0 ? SCARCE_OK : st;
}

/* ---- the state of what was cut short */

scarce_status scarce__members_state(uint8_t **state, size_t *n, const scarce__members *m, scarce_error *err)
{
    scarce__writer w = {0};
    const scarce_status st = put_state(&w, m, err);

    if (st != SCARCE_OK) scarce__writer_deinit(&w);
    else {
        *state = w.bytes;
        *n = w.n;
    }
    return st;
}
