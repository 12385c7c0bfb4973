/* SPDX-License-Identifier: Apache-2.0 */
/* What a model remembers of its training. Parameters are noted with the value they had, not the one that was
 * typed: "auto" has become something by then. Two more notes say who decided:
 *
 *     set     names of the parameters the user gave
 *     auto    names of those that were left to the method and the data
 *
 * A parameter that says nothing beside the others (its `when` doesn't hold), or that is what the method is, is
 * not noted. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "method/method.h"
#include "model/seen.h"

/* The parameter `loss` gives way to a loss of the caller. */
static scarce_status add_user_loss(scarce_model *m, const scarce_loss *loss, scarce_error *err)
{
    char text[80];
    if (!loss) return SCARCE_OK;
    snprintf(text, sizeof text, "user:%.60s", loss->name ? loss->name : "own");
    SCARCE__TRY(scarce__model_add_note(m, "loss", text, err));
    if (loss->link > 0) return scarce__model_add_note_number(m, "link", loss->link, err);
    return scarce__model_add_note(m, "link", "unknown", err);
}

static scarce_status add_param(scarce_model *m, const scarce__params *params, size_t i, scarce_error *err)
{
    scarce__text value = SCARCE__TEXT_INIT;
    char key[80];
    scarce_status st = scarce__params_value(params, i, &value);

    snprintf(key, sizeof key, "param.%s", scarce__param_at(scarce__params_table(params), i)->name);
    if (st == SCARCE_OK) st = scarce__model_add_note(m, key, value.bytes ? value.bytes : "", err);
    else scarce__fail_memory(err, "a model's notes", 0);
    scarce__text_deinit(&value);
    return st;
}

static scarce_status add_names(scarce_model *m, const char *key, scarce__text *names, scarce_error *err)
{
    const scarce_status st = names->failed
                                 ? scarce__fail_memory(err, "a model's notes", 0)
                                 : scarce__model_add_note(m, key, names->n ? names->bytes : "", err);
    scarce__text_deinit(names);
    return st;
}

scarce_status scarce__add_param_notes(scarce_model *m, const scarce__job *job, scarce_error *err)
{
    const scarce__param_table *table = scarce__params_table(job->params);
    const size_t n = scarce__param_count(table);
    scarce__text set = SCARCE__TEXT_INIT, by_data = SCARCE__TEXT_INIT;
    scarce_status st = SCARCE_OK;

    for (size_t i = 0; i < n && st == SCARCE_OK; ++i) {
        const char *name = scarce__param_at(table, i)->name;
        if (!scarce__params_listed(job->params, i) || !scarce__params_applies(job->params, i)) continue;
        if (job->options->loss && strcmp(name, "loss") == 0) continue;
        st = add_param(m, job->params, i, err);
        scarce__text *list = scarce__params_given(job->asked, i)     ? &set
                             : scarce__params_is_auto(job->asked, i) ? &by_data
                                                                     : NULL;
        if (list && list->n) scarce__text_add_char(list, ' ');
        if (list) scarce__text_add(list, name);
    }
    if (st == SCARCE_OK) st = add_names(m, "set", &set, err);
    else scarce__text_deinit(&set);
    if (st == SCARCE_OK) return add_names(m, "auto", &by_data, err);
    scarce__text_deinit(&by_data);
    return st;
}

static scarce_status add_outcome(scarce_model *m, const scarce__learned *learned, scarce_error *err)
{
    if (learned->iterations) {
        SCARCE__TRY(scarce__model_add_note_number(m, "iterations", (double)learned->iterations, err));
        SCARCE__TRY(scarce__model_add_note_number(m, "best_iteration", (double)learned->best_iteration, err));
    }
    if (learned->valid_metric == learned->valid_metric)
        SCARCE__TRY(scarce__model_add_note_number(m, "valid_metric", learned->valid_metric, err));
    if (learned->voices[0]) SCARCE__TRY(scarce__model_add_note(m, "voices", learned->voices, err));
    if (learned->members) {
        SCARCE__TRY(scarce__model_add_note_number(m, "members", (double)learned->members, err));
        SCARCE__TRY(scarce__model_add_note_number(m, "idle_members", (double)learned->idle_members, err));
    }
    return SCARCE_OK;
}

/* By which the model knows its training rows again. */
static scarce_status add_seen(scarce_model *m, const scarce__job *job, scarce_error *err)
{
    char *text = NULL;
    if (job->far) text = scarce__seen_text(job->far->asker.seen, job->far->asker.n_seen);
    else SCARCE__TRY(scarce__seen_note(&text, job->table, err));
    if (!text) return scarce__fail_memory(err, "a fingerprint of the rows", 0);
    const scarce_status st = scarce__model_add_note(m, "rows_seen", text, err);
    scarce__free(text);
    return st;
}

scarce_status scarce__add_notes(scarce_model *m, const scarce__job *job, const scarce__learned *learned,
                                scarce_error *err)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)scarce_context_seed(job->ctx));
    SCARCE__TRY(scarce__model_add_note(m, "library", SCARCE_VERSION_TEXT, err));
    SCARCE__TRY(scarce__model_add_note(m, "seed", seed, err));
    SCARCE__TRY(scarce__model_add_note_number(m, "rows", (double)scarce__job_rows(job), err));
    SCARCE__TRY(scarce__model_add_note_number(m, "positives", (double)scarce__job_positives(job), err));
    if (!job->throwaway) SCARCE__TRY(add_seen(m, job, err));
    if (job->resample) SCARCE__TRY(scarce__model_add_note(m, "resample", job->resample, err));
    if (learned) SCARCE__TRY(add_outcome(m, learned, err));
    SCARCE__TRY(add_user_loss(m, job->options->loss, err));
    return scarce__add_param_notes(m, job, err);
}
