/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints: unfinished models with a state. A training goes on from one only when it is the same training:
 * method, seed, data, and every parameter but the number of stages, which may grow or shrink (a model of more
 * stages begins like one of fewer). What was asked is compared, not what "auto" came to be: that follows from
 * the same data. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/random.h"
#include "method/method.h"
#include "model/encoded.h"
#include <scarce/table.h>

/* Of the rows that train and those that are watched. */
static void fingerprint(char text[17], const scarce__job *job)
{
    uint64_t print = scarce_table_fingerprint(job->table);
    if (job->valid) print = scarce__mix64(print ^ scarce_table_fingerprint(job->valid));
    snprintf(text, 17, "%016llx", (unsigned long long)print);
}

scarce_status scarce__note_resume(scarce_model *m, const scarce__job *job, scarce_error *err)
{
    char print[17];
    fingerprint(print, job);
    return scarce__model_add_note(m, "data", print, err);
}

/* What the checkpoint was asked for parameter i, in `out`; nothing: it said nothing there. */
static void asked_then(const scarce_model *resume, const char *name, scarce__text *out)
{
    const char *by_data = scarce_model_note(resume, "auto"), *value;
    char key[80];

    if (scarce__is_word_of(by_data, ' ', name, strlen(name))) {
        scarce__text_add(out, "auto");
        return;
    }
    snprintf(key, sizeof key, "param.%s", name);
    value = scarce_model_note(resume, key);
    if (value) scarce__text_add(out, *value ? value : "\"\"");
}

static scarce_status check_param(const scarce__job *job, size_t i, scarce_error *err)
{
    const char *name = scarce__param_at(scarce__params_table(job->asked), i)->name;
    scarce__text then = SCARCE__TEXT_INIT, now = SCARCE__TEXT_INIT;
    scarce_status st = scarce__params_value(job->asked, i, &now);

    if (st == SCARCE_OK && now.n == 0) scarce__text_add(&now, "\"\"");
    asked_then(job->options->resume, name, &then);
    if (st != SCARCE_OK || then.failed || now.failed) st = scarce__fail_memory(err, "a checkpoint", 0);
    else if (then.n && strcmp(then.bytes, now.bytes) != 0)
        st =
            scarce__fail(err, SCARCE_EINVAL,
                         "the checkpoint was trained with %s=%.60s, and now it is %.60s: go on with the same "
                         "parameters, or train anew",
                         name, then.bytes, now.bytes);
    scarce__text_deinit(&then);
    scarce__text_deinit(&now);
    return st;
}

static scarce_status check_params(const scarce__job *job, scarce_error *err)
{
    const scarce__param_table *table = scarce__params_table(job->asked);
    const char *stages = job->method->engine->stages;
    const size_t n = scarce__param_count(table);

    for (size_t i = 0; i < n; ++i) {
        if (stages && strcmp(scarce__param_at(table, i)->name, stages) == 0) continue;
        if (scarce__params_listed(job->asked, i)) SCARCE__TRY(check_param(job, i, err));
    }
    return SCARCE_OK;
}

scarce_status scarce__check_resume_data(const scarce__job *job, scarce_error *err)
{
    const char *then = job->options->resume ? scarce_model_note(job->options->resume, "data") : NULL;
    char now[17];

    if (!then) return SCARCE_OK; /* no checkpoint, or one of a release that did not note it */
    fingerprint(now, job);
    if (strcmp(then, now) == 0) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EINVAL,
                        "the checkpoint was trained on other rows, columns or validation rows than these");
}

scarce_status scarce__check_resume(const scarce__job *job, scarce_error *err)
{
    const scarce_model *resume = job->options->resume;
    const char *then;
    char now[24];

    if (!resume) return SCARCE_OK;
    if (!resume->state)
        return scarce__fail(err, SCARCE_EINVAL, "the model to resume from is finished: it is no checkpoint");
    if (strcmp(resume->method, job->method->name) != 0)
        return scarce__fail(err, SCARCE_EINVAL, "the checkpoint is of method %.60s, not %s", resume->method,
                            job->method->name);
    then = scarce_model_note(resume, "seed");
    snprintf(now, sizeof now, "%llu", (unsigned long long)scarce_context_seed(job->ctx));
    if (then && strcmp(then, now) != 0)
        return scarce__fail(err, SCARCE_EINVAL, "the checkpoint was trained with the seed %.30s, not %s",
                            then, now);
    then = scarce_model_note(resume, "resample");
    if (strcmp(then ? then : "", job->resample ? job->resample : "") != 0)
        return scarce__fail(err, SCARCE_EINVAL, "the checkpoint was trained %s%.60s, not %s%.60s",
                            then ? "after " : "on all rows", then ? then : "", job->resample ? "after " : "",
                            job->resample ? job->resample : "on all rows");
    return check_params(job, err);
}

/* Everything but method, notes and schema is borrowed. */
scarce_status scarce__save_checkpoint(const scarce__job *learning, const scarce__kind *kind, const void *body,
                                      const uint8_t *state, size_t n_state, scarce_error *err)
{
    const scarce__job *job = learning->whole ? learning->whole : learning;
    scarce__encoded encoded = {(scarce__encoder *)(uintptr_t)learning->encoder, kind,
                               (void *)(uintptr_t)body};
    scarce_model *m = scarce__calloc(1, sizeof *m);
    scarce_status st;

    if (!m) return scarce__fail_memory(err, "a checkpoint", 0);
    m->method = scarce__strdup(job->method->name);
    st = m->method ? scarce__schema_copy(&m->schema, &job->table->schema, err)
                   : scarce__fail_memory(err, "a checkpoint", 0);
    if (st == SCARCE_OK) st = scarce__add_notes(m, job, NULL, err);
    if (st == SCARCE_OK) st = scarce__note_resume(m, job, err);
    m->kind = learning->encoder ? &scarce__kind_encoded : kind;
    m->body = learning->encoder ? (void *)&encoded : encoded.body;
    m->state = (uint8_t *)(uintptr_t)state;
    m->n_state = n_state;
    if (st == SCARCE_OK) st = scarce_model_save(m, job->options->checkpoint, err);
    m->body = NULL;
    m->state = NULL;
    scarce_model_free(m);
    return st;
}

/* A disk that is full must not end a training of hours: it is told once, and the next checkpoint may succeed. */
scarce_status scarce__keep_checkpoint(const scarce__job *job, const scarce__kind *kind, const void *body,
                                      const uint8_t *state, size_t n_state, scarce_error *err)
{
    scarce_error here = SCARCE_ERROR_INIT;

    if (job->keep) {
        const scarce__encoded encoded = {(scarce__encoder *)(uintptr_t)job->encoder, kind,
                                         (void *)(uintptr_t)body};
        const int wrapped = job->encoder != NULL;
        return job->keep(job->keep_payload, wrapped ? &scarce__kind_encoded : kind,
                         wrapped ? (const void *)&encoded : body, state, n_state, err);
    }
    const scarce_status st = scarce__save_checkpoint(job, kind, body, state, n_state, &here);
    if (st != SCARCE_EIO) return st == SCARCE_OK ? st : scarce__fail(err, st, "%s", here.text);
    if (job->told && !*job->told)
        scarce__log(job->ctx, SCARCE_LOG_WARN, "no checkpoint (the training goes on): %s", here.text);
    if (job->told) *job->told = 1;
    return SCARCE_OK;
}
