/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a stream, one after the other:
 *
 *     clock = time of the row -> labels that are due are learnt -> the row is scored -> it waits, or is learnt at once
 *
 * The losses of scores whose labels come are watched by ADWIN and Page-Hinkley (online/drift.h), the scores
 * themselves by ADWIN; a loss that rises may be answered (scarce_adapt). */
#include "method/learner.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/hash.h"
#include "core/options.h"
#include "eval/classes.h"

/* ---- making */

void scarce_learner_free(scarce_learner *l)
{
    if (!l) return;
    for (size_t f = 0; l->code && l->model && f < l->model->schema.n_features; ++f) scarce__free(l->code[f]);
    scarce__free(l->code);
    scarce__free(l->n_code);
    scarce__free(l->value);
    scarce__free(l->class_learnt);
    scarce__queue_deinit(&l->queue);
    scarce__window_deinit(&l->window);
    scarce_model_free(l->model);
    scarce__free(l);
}

static scarce_status check_options(const scarce_learner_options *o, scarce_error *err)
{
    if (!(o->delay >= 0) || !(o->early_delay >= 0) || !(o->early_weight >= 0 && o->early_weight <= 1000))
        return scarce__fail(err, SCARCE_EINVAL, "a delay is 0 or more, the weight of early labels 0 to 1000");
    if (o->label_time >= SCARCE__MAX_EXACT || o->early >= SCARCE__MAX_EXACT)
        return scarce__fail(err, SCARCE_EINVAL, "there are %d exact columns at most", (int)SCARCE__MAX_EXACT);
    if (o->window < 1 || o->window > 100000000 || o->max_pending < 1 || o->top < 1)
        return scarce__fail(err, SCARCE_EINVAL, "window, max_pending and top are 1 or more");
    if ((int)o->adapt < 0 || o->adapt > SCARCE_ADAPT_DECAY)
        return scarce__fail(err, SCARCE_EINVAL, "adapt %d is unknown", (int)o->adapt);
    return SCARCE_OK;
}

/* Without a model. */
static scarce_status begin(scarce_learner **out, const scarce_learner_options *options, scarce_context *ctx,
                           scarce_error *err)
{
    scarce_learner_options o = SCARCE_LEARNER_OPTIONS_INIT;
    scarce_learner *l;
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_LEARNER_OPTIONS_INIT, err));
    SCARCE__TRY(check_options(&o, err));
    l = scarce__calloc(1, sizeof *l);
    if (!l) return scarce__fail_memory(err, "a learner", 0);
    l->o = o;
    l->ctx = ctx;
    l->clock = -DBL_MAX;
    l->count.lag = (double)NAN;
    l->blind_rows = UINT64_MAX;
    scarce__adwin_init(&l->loss_adwin, 0.002);
    scarce__adwin_init(&l->score_adwin, 0.002);
    scarce__page_hinkley_init(&l->loss_page);
    l->model = scarce__calloc(1, sizeof *l->model);
    st = l->model ? scarce__window_init(&l->window, o.window, err) : scarce__fail_memory(err, "a learner", 0);
    if (st != SCARCE_OK) {
        scarce_learner_free(l);
        return st;
    }
    *out = l;
    return SCARCE_OK;
}

/* Room for rows, once the schema is known. */
static scarce_status make_room(scarce_learner *l, scarce_error *err)
{
    const size_t n = l->model->schema.n_features;
    l->value = scarce__calloc(n, sizeof *l->value);
    l->code = scarce__calloc(n, sizeof *l->code);
    l->n_code = scarce__calloc(n, sizeof *l->n_code);
    if (!l->value || !l->code || !l->n_code) return scarce__fail_memory(err, "a learner", 0);
    if (l->m->n_classes == 2) return SCARCE_OK;
    l->class_learnt = scarce__calloc(l->m->n_classes, sizeof *l->class_learnt);
    if (!l->class_learnt) return scarce__fail_memory(err, "a learner", 0);
    return scarce__window_init_classes(&l->window, err);
}

static scarce_status note_params(scarce_learner *l, const scarce_params *params, scarce_error *err)
{
    const scarce_train_options usual = SCARCE_TRAIN_OPTIONS_INIT;
    const scarce__job job = {.method = params->method,
                             .asked = params->values,
                             .params = params->values,
                             .options = &usual,
                             .ctx = l->ctx};
    char seed[24];

    snprintf(seed, sizeof seed, "%llu", (unsigned long long)scarce_context_seed(l->ctx));
    SCARCE__TRY(scarce__model_add_note(l->model, "library", SCARCE_VERSION_TEXT, err));
    SCARCE__TRY(scarce__model_add_note(l->model, "seed", seed, err));
    return scarce__add_param_notes(l->model, &job, err);
}

static scarce_status fill_new(scarce_learner *l, const scarce_params *params, const scarce_schema *schema,
                              size_t n_classes, size_t positive, scarce_error *err)
{
    const scarce__online_params *p = scarce__params_options(params->values);
    SCARCE__TRY(scarce__params_check(params->values, err));
    l->model->method = scarce__strdup(params->method->name);
    if (!l->model->method) return scarce__fail_memory(err, "a learner", 0);
    SCARCE__TRY(scarce__schema_copy(&l->model->schema, schema, err));
    SCARCE__TRY(note_params(l, params, err));
    SCARCE__TRY(
        scarce__online_new(&l->m, &p->online, schema, n_classes, positive, scarce_context_seed(l->ctx), err));
    l->model->kind = &scarce__kind_online;
    l->model->body = l->m;
    return make_room(l, err);
}

scarce_status scarce_learner_new_classes(scarce_learner **out, const scarce_params *params,
                                         const scarce_schema *schema, size_t n_classes, size_t positive,
                                         const scarce_learner_options *options, scarce_context *ctx,
                                         scarce_error *err)
{
    scarce_status st;

    *out = NULL;
    if (params->method->engine != &scarce__engine_online || params->resample)
        return scarce__fail(err, SCARCE_EINVAL,
                            "method %s%s does not learn row by row (scarce methods: family online)",
                            params->method->name, params->resample ? " with resampling" : "");
    if (schema->classes.count && schema->classes.count != n_classes)
        return scarce__fail(err, SCARCE_EINVAL, "%zu classes, but the schema lists %zu", n_classes,
                            schema->classes.count);
    SCARCE__TRY(begin(out, options, ctx, err));
    st = fill_new(*out, params, schema, n_classes, positive, err);
    if (st != SCARCE_OK) {
        scarce_learner_free(*out);
        *out = NULL;
    }
    return st;
}

scarce_status scarce_learner_new(scarce_learner **out, const scarce_params *params,
                                 const scarce_schema *schema, const scarce_learner_options *options,
                                 scarce_context *ctx, scarce_error *err)
{
    size_t n = schema->classes.count, positive = n - 1;

    if (n == 0) return scarce_learner_new_classes(out, params, schema, 2, 1, options, ctx, err);
    for (size_t j = 0; schema->positive && j < n; ++j)
        if (strcmp(scarce__dictionary_text(&schema->classes, j), schema->positive) == 0) positive = j;
    return scarce_learner_new_classes(out, params, schema, n, positive, options, ctx, err);
}

static int is_kept_note(const char *key)
{
    return strncmp(key, "param.", 6) == 0 || strcmp(key, "library") == 0 || strcmp(key, "seed") == 0 ||
           strcmp(key, "set") == 0 || strcmp(key, "auto") == 0;
}

/* A copy through bytes, which is what a file would give. */
static scarce_status fill_from(scarce_learner *l, const scarce_model *model, scarce_error *err)
{
    scarce__writer w;
    scarce__reader r;
    void *body = NULL;
    scarce_status st;

    l->model->method = scarce__strdup(model->method);
    if (!l->model->method) return scarce__fail_memory(err, "a learner", 0);
    SCARCE__TRY(scarce__schema_copy(&l->model->schema, &model->schema, err));
    for (size_t i = 0; i < model->n_notes; ++i)
        if (is_kept_note(model->notes[i].key))
            SCARCE__TRY(scarce__model_add_note(l->model, model->notes[i].key, model->notes[i].value, err));
    memset(&w, 0, sizeof w);
    (void)model->kind->write(model->body, &model->schema, &w);
    if (w.failed) st = scarce__fail_memory(err, "a learner", w.n);
    else {
        r = scarce__reader_of(w.bytes, w.n);
        st = model->kind->read(&body, &l->model->schema, &r, err);
    }
    scarce__writer_deinit(&w);
    SCARCE__TRY(st);
    l->model->kind = &scarce__kind_online;
    l->model->body = l->m = body;
    SCARCE__TRY(make_room(l, err));
    if (model->state) return scarce__learner_read(l, model->state, model->n_state, err);
    scarce__learner_read_notes(l, model);
    return SCARCE_OK;
}

scarce_status scarce_learner_go_on(scarce_learner **out, const scarce_model *model,
                                   const scarce_learner_options *options, scarce_context *ctx,
                                   scarce_error *err)
{
    scarce_status st;

    *out = NULL;
    if (model->kind != &scarce__kind_online)
        return scarce__fail(err, SCARCE_EINVAL,
                            "the model is of method %.60s, which does not learn row by row: it can't go on",
                            model->method);
    SCARCE__TRY(begin(out, options, ctx, err));
    st = fill_from(*out, model, err);
    if (st != SCARCE_OK) {
        scarce_learner_free(*out);
        *out = NULL;
    }
    return st;
}

size_t scarce_learner_n_classes(const scarce_learner *l)
{
    return l->m->n_classes;
}

const scarce_schema *scarce_learner_schema(const scarce_learner *l)
{
    return &l->model->schema;
}

/* ---- drift */

static void adapt(scarce_learner *l)
{
    l->count.drifts_loss += 1;
    if (l->o.adapt == SCARCE_ADAPT_RESTART_WEAKEST) scarce__online_restart_weakest(l->m);
    else if (l->o.adapt == SCARCE_ADAPT_DECAY) scarce__online_decay(l->m);
}

/* The loss of the score that was given when the label was not known. A single loss counts at most 10. */
static void watch_loss(scarce_learner *l, double loss)
{
    const double x = loss < 10 ? loss : 10;
    const double before = scarce__adwin_mean(&l->loss_adwin);
    const int cut = scarce__adwin_add(&l->loss_adwin, x) && scarce__adwin_mean(&l->loss_adwin) > before;
    const int up = scarce__page_hinkley_add(&l->loss_page, x) &&
                   l->loss_page.up - l->loss_page.lowest > l->loss_page.threshold;
    if (cut || up) adapt(l);
}

/* ---- learning */

/* A row whose label is known now. */
static scarce_status learn(scarce_learner *l, const scarce__online_row *row, const scarce__waiting *w,
                           scarce_error *err)
{
    const uint64_t refused = l->m->refused;
    const int positive = scarce__is_positive(l, w->label);

    SCARCE__TRY(scarce__online_learn(l->m, row, w->label, w->weight, err));
    if (l->m->refused != refused) return SCARCE_OK;
    l->count.learnt += 1;
    l->count.positives += (uint64_t)positive;
    if (l->class_learnt) l->class_learnt[w->label] += 1;
    l->count.early += w->early;
    l->count.lag = isnan(w->time) ? (double)NAN : l->clock > w->time ? l->clock - w->time : 0;
    if (w->number > l->blind_rows) scarce__window_add(&l->window, w, positive);
    if ((positive || l->class_learnt) && l->blind_rows == UINT64_MAX) l->blind_rows = l->count.rows;
    watch_loss(l, w->loss);
    return SCARCE_OK;
}

static scarce_status learn_waiting(scarce_learner *l, scarce__waiting *w, scarce_error *err)
{
    const scarce__online_row row = scarce__waiting_row(w, &l->model->schema, l->value);
    const scarce_status st = learn(l, &row, w, err);
    scarce__waiting_clear(w, l->value);
    scarce__free(w);
    return st;
}

static scarce_status learn_due(scarce_learner *l, scarce_error *err)
{
    while (l->queue.n && l->queue.heap[0]->due <= l->clock)
        SCARCE__TRY(learn_waiting(l, scarce__queue_pop(&l->queue), err));
    return SCARCE_OK;
}

scarce_status scarce_learner_flush(scarce_learner *l, scarce_error *err)
{
    while (l->queue.n) SCARCE__TRY(learn_waiting(l, scarce__queue_pop(&l->queue), err));
    return SCARCE_OK;
}

static scarce_status wait_for_label(scarce_learner *l, const scarce__online_row *row,
                                    const scarce__waiting *facts, scarce_error *err)
{
    scarce__waiting *w = scarce__waiting_new(&l->model->schema, row);

    if (!w) return scarce__fail_memory(err, "rows that wait for their labels", 0);
    w->due = facts->due, w->time = facts->time, w->weight = facts->weight, w->score = facts->score;
    w->number = facts->number, w->group = facts->group, w->label = facts->label, w->early = facts->early;
    w->guess = facts->guess, w->loss = facts->loss;
    if (!scarce__queue_push(&l->queue, w)) {
        scarce__free(w);
        return scarce__fail_memory(err, "rows that wait for their labels", 0);
    }
    if (l->queue.n > l->o.max_pending) {
        scarce__free(scarce__queue_pop(&l->queue));
        l->count.dropped += 1;
    }
    return SCARCE_OK;
}

static scarce_status fail_probability(const scarce_learner *l, scarce_error *err)
{
    return scarce__fail(err, SCARCE_EUNSUPPORTED, "method %.60s only ranks: it has no probabilities",
                        l->model->method);
}

/* ---- blocks */

/* Codes of the block's category are those of the model, or not looked up yet. */
static scarce_status prepare_codes(scarce_learner *l, const scarce_table *t, scarce_error *err)
{
    for (size_t f = 0; f < t->schema.n_features; ++f) {
        if (t->schema.features[f].kind != SCARCE_COLUMN_CATEGORY) continue;
        const size_t n = t->schema.features[f].categories.count;
        if (n + 1 > l->n_code[f]) {
            int32_t *code = scarce__realloc_array(l->code[f], n + 1, sizeof *code);
            if (!code) return scarce__fail_memory(err, "the categories of a block", n * sizeof *code);
            l->code[f] = code;
            l->n_code[f] = n + 1;
        }
        for (size_t c = 0; c <= n; ++c) l->code[f][c] = -2;
    }
    return SCARCE_OK;
}

scarce_status scarce_learner_code(scarce_learner *l, size_t f, const char *text, size_t length, float *code,
                                  scarce_error *err)
{
    const size_t most = (size_t)l->m->o.max_categories;
    scarce__dictionary *known;
    size_t c;

    if (f >= l->model->schema.n_features || l->model->schema.features[f].kind != SCARCE_COLUMN_CATEGORY)
        return scarce__fail(err, SCARCE_EINVAL, "feature %zu has no categories", f + 1);
    known = &l->model->schema.features[f].categories;
    c = scarce__dictionary_find(known, text, length);
    if (c == SIZE_MAX && known->count < most) {
        c = scarce__dictionary_add(known, text, length);
        if (c == SIZE_MAX) return scarce__fail_memory(err, "categories", 0);
        l->count.new_categories += 1;
    }
    *code = (float)(c < most ? c : most);
    return SCARCE_OK;
}

/* The model's code of a block's; as many as there may be: one that stands for all others. */
static scarce_status code_of(scarce_learner *l, const scarce_table *t, size_t f, int32_t code, float *out,
                             scarce_error *err)
{
    const scarce__dictionary *here = &t->schema.features[f].categories;
    const size_t most = (size_t)l->m->o.max_categories;

    if (code < 0) {
        *out = (float)NAN;
        return SCARCE_OK;
    }
    if (l->code[f][code] == -2) {
        const char *text = (size_t)code < here->count ? scarce__dictionary_text(here, (size_t)code) : NULL;
        float c = (float)most;
        if (text) SCARCE__TRY(scarce_learner_code(l, f, text, strlen(text), &c, err));
        l->code[f][code] = (int32_t)c;
    }
    l->count.shared_categories += (size_t)l->code[f][code] >= most;
    *out = (float)l->code[f][code];
    return SCARCE_OK;
}

static scarce_status check_block(const scarce_learner *l, const scarce_table *t, size_t first,
                                 scarce_error *err)
{
    const scarce_schema *s = &l->model->schema;

    if (t->schema.n_features != s->n_features)
        return scarce__fail(err, SCARCE_EDATA, "the block has %zu features, the learner %zu",
                            t->schema.n_features, s->n_features);
    for (size_t f = 0; f < s->n_features; ++f)
        if (t->schema.features[f].kind != s->features[f].kind ||
            strcmp(t->schema.features[f].name, s->features[f].name) != 0)
            return scarce__fail(err, SCARCE_EDATA, "feature %zu is \"%.80s\", the learner expects \"%.80s\"",
                                f + 1, t->schema.features[f].name, s->features[f].name);
    if (first > t->n_rows) return scarce__fail(err, SCARCE_EINVAL, "row %zu of %zu", first, t->n_rows);
    if (l->m->n_classes > 2 && t->label && (!t->class_of || t->schema.classes.count != l->m->n_classes))
        return scarce__fail(err, SCARCE_EINVAL,
                            "the labels of the block are positive or not; the learner has %zu classes",
                            l->m->n_classes);
    if (!t->time && (l->o.delay > 0 || l->o.label_time >= 0))
        return scarce__fail(err, SCARCE_EINVAL,
                            "labels that come late need the time of the rows (--time COL)");
    if ((l->o.label_time >= 0 && !t->exact[l->o.label_time]) || (l->o.early >= 0 && !t->exact[l->o.early]))
        return scarce__fail(err, SCARCE_EDATA, "the column that says when labels came is not there");
    return SCARCE_OK;
}

/* What is known of row i beside its values. due NaN: the label never comes. */
static scarce__waiting facts_of(const scarce_learner *l, const scarce_table *t, size_t i)
{
    scarce__waiting w;
    memset(&w, 0, sizeof w);
    w.time = t->time ? t->time[i] : (double)NAN;
    w.weight = t->weight ? t->weight[i] : 1;
    w.number = l->count.rows + 1;
    w.label = !t->label ? 0 : l->m->n_classes > 2 ? t->class_of[i] : t->label[i];
    w.group =
        t->group ? scarce__hash_text(1, scarce__dictionary_text(&t->groups, (size_t)t->group[i])) | 1 : 0;
    w.due = w.time + l->o.delay;
    if (l->o.label_time >= 0) w.due = t->exact[l->o.label_time][i];
    if (l->o.early >= 0 && t->exact[l->o.early][i] != 0 &&
        t->exact[l->o.early][i] == t->exact[l->o.early][i]) {
        w.early = 1;
        w.due = w.time + l->o.early_delay < w.due || isnan(w.due) ? w.time + l->o.early_delay : w.due;
        w.weight *= l->o.early_weight;
    }
    if (l->o.label_time < 0 && isnan(w.due)) w.due = -DBL_MAX; /* no time: at once */
    if (!t->label) w.due = (double)NAN;
    return w;
}

/* The score, and how good it will turn out to be; `classes`: where probabilities go, or NULL. */
static void judge_row(const scarce_learner *l, const scarce__online_row *row, scarce__waiting *w,
                      double *classes)
{
    double room[SCARCE__ONLINE_MOST_CLASSES], *p = classes ? classes : room;

    if (l->m->n_classes > 2) {
        w->score = scarce__online_classes(l->m, row, p);
        w->guess = (uint8_t)scarce__likeliest(p, l->m->n_classes);
        w->loss = w->label < l->m->n_classes ? scarce__class_loss(p[w->label]) : 0;
        return;
    }
    w->score = classes ? scarce__online_classes(l->m, row, p) : scarce__online_score_row(l->m, row);
    w->guess = w->score > 0;
    w->loss = scarce__softplus(w->label ? -w->score : w->score);
}

static scarce_status take_row(scarce_learner *l, const scarce_table *t, size_t i, scarce__online_rows *rows,
                              double *score, double *classes, scarce_error *err)
{
    scarce__waiting w = facts_of(l, t, i);
    scarce__online_row row = scarce__online_rows_get(rows, i);

    if (w.time > l->clock) l->clock = w.time;
    SCARCE__TRY(learn_due(l, err));
    for (size_t k = 0; k < rows->n_dense; ++k) {
        const size_t f = rows->dense[k];
        if (t->schema.features[f].kind == SCARCE_COLUMN_CATEGORY)
            SCARCE__TRY(code_of(l, t, f, t->columns[f].code[i], &rows->value[f], err));
    }
    judge_row(l, &row, &w, classes);
    if (score) *score = w.score;
    l->count.rows += 1;
    if (scarce__adwin_add(&l->score_adwin, scarce__sigmoid(w.score))) l->count.drifts_score += 1;
    if (isnan(w.due) || w.label >= l->m->n_classes) {
        if (isnan(w.due)) l->count.unlabelled += 1;
        else l->count.other_labels += 1;
        return SCARCE_OK;
    }
    return w.due <= l->clock ? learn(l, &row, &w, err) : wait_for_label(l, &row, &w, err);
}

scarce_status scarce_learner_block_classes(scarce_learner *l, const scarce_table *block, size_t first,
                                           double *score, double *probability, scarce_error *err)
{
    const size_t width = l->m->n_classes;
    scarce__online_rows rows;
    scarce_status st;

    if (probability && !scarce__online_is_log_odds(&l->m->o)) return fail_probability(l, err);
    SCARCE__TRY(check_block(l, block, first, err));
    SCARCE__TRY(prepare_codes(l, block, err));
    SCARCE__TRY(scarce__online_rows_init(&rows, block, err));
    st = SCARCE_OK;
    for (size_t i = first; st == SCARCE_OK && i < block->n_rows; ++i)
        st = take_row(l, block, i, &rows, score ? &score[i - first] : NULL,
                      probability ? &probability[(i - first) * width] : NULL, err);
    scarce__online_rows_deinit(&rows);
    return st;
}

scarce_status scarce_learner_block(scarce_learner *l, const scarce_table *block, size_t first, double *score,
                                   scarce_error *err)
{
    return scarce_learner_block_classes(l, block, first, score, NULL, err);
}

/* ---- one row */

double scarce_learner_score(const scarce_learner *l, const float *row)
{
    return scarce__online_score(l->m, row);
}

scarce_status scarce_learner_learn(scarce_learner *l, const float *row, size_t label, double weight,
                                   scarce_error *err)
{
    const scarce__online_row r = {row, NULL, 0};
    scarce__waiting w;

    memset(&w, 0, sizeof w);
    if (label >= l->m->n_classes) {
        l->m->refused += 1;
        return SCARCE_OK;
    }
    w.time = (double)NAN;
    w.weight = weight;
    w.label = (uint8_t)label;
    judge_row(l, &r, &w, NULL);
    w.number = l->blind_rows == UINT64_MAX ? 0 : UINT64_MAX;
    return learn(l, &r, &w, err);
}

scarce_status scarce_learner_classes(const scarce_learner *l, const float *row, double *probability,
                                     scarce_error *err)
{
    const scarce__online_row r = {row, NULL, 0};

    if (!scarce__online_is_log_odds(&l->m->o)) return fail_probability(l, err);
    (void)scarce__online_classes(l->m, &r, probability);
    return SCARCE_OK;
}
