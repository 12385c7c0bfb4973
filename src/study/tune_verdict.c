/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of a search: the best setting, if it beats the default by more than the error of that difference (tune.c
 * says why), and what the caller gets. */
#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"
#include "study/tune_inside.h"

/* Errors by which the best must be ahead. One is not enough: of many settings some are ahead by that for no
 * reason, and with few positives that made boosted trees worse by .02 to .04 of AP in nested
 * cross-validation. */
static const double CLEARLY = 2;

void scarce_tune_result_deinit(scarce_tune_result *t)
{
    static const scarce_tune_result none = SCARCE_TUNE_RESULT_INIT;
    for (size_t i = 0; i < t->n_trials; ++i) {
        scarce__free(t->trials[i]->settings);
        scarce__free(t->trials[i]);
    }
    scarce__free(t->trials);
    SCARCE__FILL(t, &none);
}

size_t scarce__values_per_split(const scarce__search *s, const scarce__trial *t)
{
    return t->plan.n_points * (1 + s->inner.blocks);
}

size_t scarce__search_best(const scarce__search *s)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < s->n_trials; ++i) {
        const scarce__trial *t = &s->trials[i];
        if (t->share < 1 || isnan(t->mean)) continue;
        if (best == SIZE_MAX || s->sign * t->mean > s->sign * s->trials[best].mean) best = i;
    }
    return best;
}

/* ---- the verdict */

/* Mean difference of trial b to trial a over splits or blocks, and its error (NaN: can't be told). */
static void compare_trials(const scarce__search *s, const scarce__trial *a, const scarce__trial *b,
                           double *difference, double *error)
{
    const size_t width = 1 + s->inner.blocks, n = s->inner.count * s->inner.blocks;
    double sum = 0, squares = 0, used = 0;

    for (int pass = 0; pass < 2; ++pass)
        for (size_t k = 0; k < n; ++k) {
            const size_t split = k / s->inner.blocks, block = k % s->inner.blocks;
            const double d = b->value[split * scarce__values_per_split(s, b) + b->point * width + 1 + block] -
                             a->value[split * scarce__values_per_split(s, a) + a->point * width + 1 + block];
            if (isnan(d)) continue;
            if (pass == 0) {
                sum += d;
                used += 1;
            } else squares += (d - sum / used) * (d - sum / used);
        }
    *difference = b->mean - a->mean;
    *error = used < 2
                 ? (double)NAN
                 : sqrt((1 / used + (s->inner.blocks > 1 ? 0 : s->inner.sharing)) * squares / (used - 1));
}

static void decide(const scarce__search *s, scarce_tune_result *out)
{
    const scarce__trial *usual = &s->trials[0];
    out->highest = scarce__search_best(s);
    out->best = out->highest;
    out->difference = 0;
    out->error = (double)NAN;
    if (out->highest == 0 || isnan(usual->mean)) return;
    compare_trials(s, usual, &s->trials[out->highest], &out->difference, &out->error);
    if (!(s->sign * out->difference > CLEARLY * out->error)) out->best = 0;
}

/* What the caller gets: settings that can be typed in, with the trees that were found. */
scarce_status scarce__search_hand_over(const scarce__search *s, scarce_tune_result *out, scarce_error *err)
{
    out->trials = scarce__calloc(s->n_trials, sizeof *out->trials);
    if (!out->trials) return scarce__fail_memory(err, "trials", 0);
    for (size_t i = 0; i < s->n_trials; ++i) {
        const scarce__trial *t = &s->trials[i];
        scarce_tune_trial *to = scarce__calloc(1, sizeof *to);
        scarce__text text = SCARCE__TEXT_INIT;
        if (!to) return scarce__fail_memory(err, "trials", 0);
        out->trials[out->n_trials++] = to;
        to->value = t->mean;
        to->seconds = t->seconds;
        to->share = t->share;
        to->finished = t->finished;
        to->iterations = t->plan.trees && !isnan(t->mean) ? t->plan.points[t->point] : 0;
        scarce__text_add(&text, t->settings);
        if (to->iterations)
            scarce__text_addf(&text, "%s%s=%zu", text.n ? " " : "", s->params->method->engine->stages,
                              to->iterations);
        if (!text.failed) to->settings = scarce__strdup(text.bytes ? text.bytes : "");
        scarce__text_deinit(&text);
        if (!to->settings) return scarce__fail_memory(err, "trials", 0);
    }
    out->splits = s->inner.count;
    decide(s, out);
    if (out->best == SIZE_MAX)
        return scarce__fail(err, SCARCE_EDATA,
                            "the metric is undefined on the validation rows: too few positives to tune on");
    return SCARCE_OK;
}
