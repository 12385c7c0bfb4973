/* SPDX-License-Identifier: Apache-2.0 */
/* Several methods on the same folds: what a comparison is, and how it begins. compare_run.c does the work,
 * compare_stats.c says what the figures are worth. */
#include "study/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <scarce/output.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"
#include "core/text.h"
#include "eval/metrics_internal.h"
#include "method/method.h"

void scarce_compare_free(scarce_compare *c)
{
    if (!c) return;
    for (size_t m = 0; c->names && m < c->n_contestants; ++m) scarce__free(c->names[m]);
    scarce__free(c->names);
    scarce__folds_deinit(&c->folds);
    scarce__free(c->size);
    scarce__free(c->cells);
    scarce__free(c);
}

size_t scarce_compare_methods(const scarce_compare *c)
{
    return c->n_contestants;
}

size_t scarce_compare_folds(const scarce_compare *c)
{
    return c->folds.count;
}

size_t scarce_compare_skipped(const scarce_compare *c)
{
    return c->folds.skipped;
}

size_t scarce_compare_unfinished(const scarce_compare *c)
{
    return c->unfinished;
}

const char *scarce_compare_name(const scarce_compare *c, size_t method)
{
    return c->names[method];
}

const scarce_metrics *scarce_compare_metrics(const scarce_compare *c, size_t method, size_t fold)
{
    return &c->cells[fold * c->n_contestants + method].metrics;
}

double scarce_compare_seconds(const scarce_compare *c, size_t method, size_t fold)
{
    return method < c->n_trained ? c->cells[fold * c->n_contestants + method].seconds : (double)NAN;
}

void scarce_compare_fold(const scarce_compare *c, size_t fold, size_t *train_rows, size_t *train_positives,
                         size_t *test_rows, size_t *test_positives)
{
    const scarce__fold_size *s = &c->size[fold];
    *train_rows = s->train_rows;
    *train_positives = s->train_positives;
    *test_rows = s->test_rows;
    *test_positives = s->test_positives;
}

const char *scarce__untrainable(const scarce__fold_size *s)
{
    if (s->train_positives == 0) return "no positive to train on";
    return s->train_positives == s->train_rows ? "no negative to train on" : NULL;
}

const char *scarce_compare_problem(const scarce_compare *c, size_t fold)
{
    const scarce__fold_size *s = &c->size[fold];
    const char *untrainable = scarce__untrainable(s);
    for (size_t m = 0; c->unfinished && m < c->n_contestants; ++m)
        if (!c->cells[fold * c->n_contestants + m].done) return "not finished";
    if (untrainable) return untrainable;
    if (s->test_positives == 0) return "no positive to find in the test part";
    return s->test_positives == s->test_rows ? "no negative in the test part" : NULL;
}

/* ---- beginning */

static scarce_status add_names(scarce_compare *c, const char *const *methods, const scarce_compare_options *o,
                               scarce_error *err)
{
    for (size_t m = 0; m < c->n_contestants; ++m) {
        const char *name = m < c->n_trained ? methods[m] : o->rankings[m - c->n_trained].name;
        if (m < c->n_trained) {
            scarce_params *checked = NULL;
            SCARCE__TRY(scarce_params_of_spec(&checked, name, err));
            scarce_params_free(checked);
        }
        for (size_t i = 0; i < m; ++i)
            if (strcmp(c->names[i], name) == 0)
                return scarce__fail(err, SCARCE_EINVAL, "\"%.80s\" is there twice; name each contestant once",
                                    name);
        c->names[m] = scarce__strdup(name);
        if (!c->names[m]) return scarce__fail_memory(err, "methods", 0);
    }
    return SCARCE_OK;
}

static scarce_status check_ranking(const scarce_compare_ranking *r, const scarce__folds *folds,
                                   scarce_error *err)
{
    if (!r->score) return scarce__fail(err, SCARCE_EINVAL, "the scores of \"%.80s\" are not there", r->name);
    if (r->n_folds > 1 && r->n_folds != folds->count)
        return scarce__fail(err, SCARCE_EDATA,
                            "the scores of \"%.80s\" are for %zu folds, the protocol makes %zu", r->name,
                            r->n_folds, folds->count);
    return SCARCE_OK;
}

/* Sizes of the folds, and which positives are ever tested. Every test row must have a score. */
static scarce_status look_at_fold(scarce_compare *c, size_t f, const scarce_table *table, uint8_t *tested,
                                  const scarce_compare_options *o, const scarce_context *ctx,
                                  scarce_error *err)
{
    scarce__fold_size *size = &c->size[f];
    scarce__fold fold;
    scarce_status st = scarce__fold_rows(&fold, &c->folds, table, f, ctx, err);

    if (st != SCARCE_OK) return st;
    size->train_rows = fold.n_train;
    size->valid_rows = fold.n_valid;
    size->test_rows = fold.n_test;
    for (size_t i = 0; i < fold.n_train; ++i) size->train_positives += table->label[fold.train[i]];
    for (size_t i = 0; i < fold.n_test; ++i) {
        size->test_positives += table->label[fold.test[i]];
        tested[fold.test[i]] = 1;
    }
    for (size_t r = 0; r < o->n_rankings && st == SCARCE_OK; ++r) {
        const scarce_compare_ranking *ranking = &o->rankings[r];
        const double *score = ranking->score + (ranking->n_folds > 1 ? f * table->n_rows : 0);
        for (size_t i = 0; i < fold.n_test && st == SCARCE_OK; ++i)
            if (isnan(score[fold.test[i]]))
                st = scarce__fail(err, SCARCE_EDATA,
                                  "\"%.80s\" has no score for row %zu, which fold %zu tests", ranking->name,
                                  (size_t)fold.test[i] + 1, f + 1);
    }
    scarce__fold_deinit(&fold);
    return st;
}

static scarce_status look_at_folds(scarce_compare *c, const scarce_table *table,
                                   const scarce_compare_options *o, const scarce_context *ctx,
                                   scarce_error *err)
{
    uint8_t *tested = scarce__calloc(table->n_rows, 1);
    scarce_status st = tested ? SCARCE_OK : scarce__fail_memory(err, "folds", table->n_rows);

    for (size_t f = 0; f < c->folds.count && st == SCARCE_OK; ++f) {
        const scarce_progress progress = {"folds", (double)f, (double)c->folds.count, "folds", "", NULL, 0};
        if (f % 64 == 63 && scarce__progress(ctx, &progress))
            st = scarce__fail(err, SCARCE_ECANCEL, "stopped at fold %zu of %zu, before the first fit", f + 1,
                              c->folds.count);
        else st = look_at_fold(c, f, table, tested, o, ctx, err);
    }
    for (size_t i = 0; i < table->n_rows && st == SCARCE_OK; ++i) c->distinct += tested[i] & table->label[i];
    scarce__free(tested);
    return st;
}

static scarce_status set_up(scarce_compare *c, const scarce_table *table, const char *const *methods,
                            const scarce_compare_options *o, scarce_context *ctx, scarce_error *err)
{
    const size_t n = c->n_contestants;
    c->names = scarce__calloc(n, sizeof *c->names);
    if (!c->names) return scarce__fail_memory(err, "methods", 0);
    SCARCE__TRY(add_names(c, methods, o, err));
    SCARCE__TRY(scarce__folds_make(&c->folds, table, o->protocol ? o->protocol : SCARCE_DEFAULT_PROTOCOL,
                                   o->repeats, o->purge_known, ctx, err));
    for (size_t r = 0; r < o->n_rankings; ++r) SCARCE__TRY(check_ranking(&o->rankings[r], &c->folds, err));
    c->cells = scarce__calloc(c->folds.count * n, sizeof *c->cells);
    c->size = scarce__calloc(c->folds.count, sizeof *c->size);
    if (!c->cells || !c->size) return scarce__fail_memory(err, "results", 0);
    for (size_t i = 0; i < c->folds.count * n; ++i) scarce__metrics_clear(&c->cells[i].metrics);
    return look_at_folds(c, table, o, ctx, err);
}

static scarce_status check(const scarce_table *table, size_t n, const scarce_compare_options *o,
                           scarce_error *err)
{
    if (n == 0) return scarce__fail(err, SCARCE_EINVAL, "no methods to compare");
    if (!table->label) return scarce__fail(err, SCARCE_EDATA, "the table has no label");
    if (o->repeats == 0) return scarce__fail(err, SCARCE_EINVAL, "no repeats: 1 or more are needed");
    return SCARCE_OK;
}

scarce_status scarce_compare_run(scarce_compare **out, const scarce_table *table, const char *const *methods,
                                 size_t n_methods, const scarce_compare_options *options, scarce_context *ctx,
                                 scarce_error *err)
{
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_metrics_options metrics = SCARCE_METRICS_OPTIONS_INIT;
    scarce_compare *c;
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_COMPARE_OPTIONS_INIT, err));
    SCARCE__TRY(SCARCE__OPTIONS(&metrics, o.metrics, SCARCE_METRICS_OPTIONS_INIT, err));
    o.metrics = &metrics;
    SCARCE__TRY(check(table, n_methods + o.n_rankings, &o, err));
    c = scarce__calloc(1, sizeof *c);
    if (!c) return scarce__fail_memory(err, "a comparison", 0);
    c->n_trained = n_methods;
    c->n_contestants = n_methods + o.n_rankings;
    st = set_up(c, table, methods, &o, ctx, err);
    if (st == SCARCE_OK) st = scarce__compare_fill(c, table, &o, ctx, err);
    if (st != SCARCE_OK) {
        scarce_compare_free(c);
        return st;
    }
    *out = c;
    return SCARCE_OK;
}

/* ---- the folds as a file, for other tools */

static void add_part(scarce__text *text, size_t fold, const uint32_t *rows, size_t n, const char *part)
{
    for (size_t i = 0; i < n; ++i)
        scarce__text_addf(text, "%zu,%zu,%s\n", fold + 1, (size_t)rows[i] + 1, part);
}

static scarce_status write_fold(scarce_output *out, const scarce__folds *folds, const scarce_table *table,
                                size_t f, const scarce_context *ctx, scarce_error *err)
{
    scarce__text text = SCARCE__TEXT_INIT;
    scarce__fold fold;
    scarce_status st = scarce__fold_rows(&fold, folds, table, f, ctx, err);

    if (st != SCARCE_OK) return st;
    add_part(&text, f, fold.train, fold.n_train, "train");
    add_part(&text, f, fold.valid, fold.n_valid, "valid");
    add_part(&text, f, fold.test, fold.n_test, "test");
    if (text.failed) st = scarce__fail_memory(err, "a fold", 0);
    else st = scarce_output_write(out, text.bytes, text.n, err);
    scarce__text_deinit(&text);
    scarce__fold_deinit(&fold);
    return st;
}

scarce_status scarce_compare_write_folds(const char *path, const scarce_table *table,
                                         const scarce_compare_options *options, const scarce_context *ctx,
                                         scarce_error *err)
{
    static const char header[] = "fold,row,part\n";
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce__folds folds;
    scarce_output *out = NULL;
    scarce_status st;

    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_COMPARE_OPTIONS_INIT, err));
    SCARCE__TRY(check(table, 1, &o, err));
    SCARCE__TRY(scarce__folds_make(&folds, table, o.protocol ? o.protocol : SCARCE_DEFAULT_PROTOCOL,
                                   o.repeats, o.purge_known, ctx, err));
    st = scarce_output_open(&out, path, err);
    if (st == SCARCE_OK) {
        st = scarce_output_write(out, header, sizeof header - 1, err);
        for (size_t f = 0; f < folds.count && st == SCARCE_OK; ++f)
            st = write_fold(out, &folds, table, f, ctx, err);
        if (st == SCARCE_OK) st = scarce_output_commit(out, err);
        else scarce_output_abort(out);
    }
    scarce__folds_deinit(&folds);
    return st;
}
