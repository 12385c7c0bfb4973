/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as JSON, and fold by fold as CSV. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"

static void json_fold(const scarce_compare *c, size_t m, size_t f)
{
    size_t train_rows, train_positives, test_rows, test_positives;
    scarce_compare_fold(c, f, &train_rows, &train_positives, &test_rows, &test_positives);
    json_open('{');
    json_key("train_rows"), json_count(train_rows);
    json_key("train_positives"), json_count(train_positives);
    json_key("test_rows"), json_count(test_rows);
    json_key("test_positives"), json_count(test_positives);
    json_key("seconds"), json_number(scarce_compare_seconds(c, m, f));
    print_metrics_json(scarce_compare_metrics(c, m, f));
    json_close('}');
}

static void json_method(const scarce_compare *c, const scarce_verdicts *v, size_t m,
                        const scarce_context *ctx)
{
    json_open('{');
    json_key("name"), json_text(scarce_compare_name(c, m));
    json_key("rank"), json_number(v->rank[m]);
    json_key("seconds"), json_number(scarce_compare_mean_seconds(c, m));
    for (size_t i = 0; i < scarce_metric_count(); ++i) {
        scarce_compare_summary s = SCARCE_COMPARE_SUMMARY_INIT;
        if (scarce_compare_summarize(&s, c, m, i, ctx, NULL) != SCARCE_OK) continue;
        json_key(scarce_metric_name(i)), json_open('{');
        json_key("mean"), json_number(s.mean);
        json_key("sd"), json_number(s.sd);
        json_key("lo"), json_number(s.lo);
        json_key("hi"), json_number(s.hi);
        json_key("undefined"), json_count(s.undefined);
        json_close('}');
    }
    json_key("folds"), json_open('[');
    for (size_t f = 0; f < scarce_compare_folds(c); ++f) json_fold(c, m, f);
    json_close(']');
    json_close('}');
}

static void json_pair(const scarce_compare *c, const scarce_verdict *p)
{
    char text[160];
    scarce_verdict_text(text, sizeof text, p);
    json_open('{');
    json_key("a"), json_text(scarce_compare_name(c, p->a));
    json_key("b"), json_text(scarce_compare_name(c, p->b));
    json_key("folds"), json_count(p->pair.n);
    json_key("difference"), json_number(p->pair.difference);
    json_key("sd"), json_number(p->pair.sd);
    json_key("lo"), json_number(p->pair.lo);
    json_key("hi"), json_number(p->pair.hi);
    json_key("p"), json_number(p->pair.wilcoxon.p);
    json_key("p_holm"), json_number(p->holm);
    json_key("p_corrected"), json_number(p->pair.p_corrected);
    json_key("p_corrected_holm"), json_number(p->holm_corrected);
    json_key("positives"), json_count(p->pair.positives);
    json_key("positives_needed"), json_number(p->pair.positives_needed);
    json_key("verdict"), json_text(text);
    json_close('}');
}

/* When each fold trains and tests; nothing unless the protocol goes by time. */
static void json_times(const scarce_compare *c)
{
    if (scarce_compare_folds(c) == 0 || isnan(scarce_compare_times(c, 0).train_from)) return;
    json_key("times"), json_open('[');
    for (size_t f = 0; f < scarce_compare_folds(c); ++f) {
        const scarce_fold_times t = scarce_compare_times(c, f);
        json_open('{');
        json_key("train_from"), json_number(t.train_from);
        json_key("train_end"), json_number(t.train_end);
        json_key("test_from"), json_number(t.test_from);
        json_key("test_end"), json_number(t.test_end);
        json_close('}');
    }
    json_close(']');
}

static void json_problems(const scarce_compare *c)
{
    json_key("problems"), json_open('[');
    for (size_t f = 0; f < scarce_compare_folds(c); ++f) {
        if (!scarce_compare_problem(c, f)) continue;
        json_open('{');
        json_key("fold"), json_count(f + 1);
        json_key("problem"), json_text(scarce_compare_problem(c, f));
        json_close('}');
    }
    json_close(']');
    json_key("empty_windows"), json_count(scarce_compare_skipped(c));
    json_key("unfinished_fits"), json_count(scarce_compare_unfinished(c));
}

void print_comparison_json(const scarce_compare *c, const scarce_verdicts *v, const scarce_context *ctx)
{
    json_open('{');
    json_key("methods"), json_open('[');
    for (size_t m = 0; m < scarce_compare_methods(c); ++m) json_method(c, v, m, ctx);
    json_close(']');
    json_key("metric"), json_text(scarce_metric_name(v->metric));
    json_times(c);
    json_problems(c);
    json_key("friedman"), json_open('{');
    json_key("chi2"), json_number(v->n_pairs ? v->friedman.chi2 : (double)NAN);
    json_key("p"), json_number(v->n_pairs ? v->friedman.p : (double)NAN);
    json_close('}');
    json_key("tests"), json_open('[');
    for (size_t i = 0; i < v->n_pairs; ++i) json_pair(c, v->pairs[i]);
    json_close(']');
    json_close('}');
    json_end();
}

/* ---- CSV */

static scarce_status put(scarce_output *out, const char *text, scarce_error *err)
{
    return scarce_output_write(out, text, strlen(text), err);
}

static scarce_status put_number(scarce_output *out, double value, scarce_error *err)
{
    char text[40] = ",";
    if (!isnan(value)) text[1 + format_number(text + 1, value)] = '\0';
    return put(out, text, err);
}

/* In quotes where a name has commas or quotes of its own. */
static scarce_status put_name(scarce_output *out, const char *name, scarce_error *err)
{
    scarce_status st = SCARCE_OK;
    if (!strpbrk(name, ",\"")) return put(out, name, err);
    st = put(out, "\"", err);
    for (; *name && st == SCARCE_OK; ++name)
        st = *name == '"' ? put(out, "\"\"", err) : scarce_output_write(out, name, 1, err);
    return st == SCARCE_OK ? put(out, "\"", err) : st;
}

static scarce_status put_fold(scarce_output *out, const scarce_compare *c, size_t m, size_t f,
                              scarce_error *err)
{
    size_t train_rows, train_positives, test_rows, test_positives;
    char text[128];
    scarce_status st = put_name(out, scarce_compare_name(c, m), err);

    scarce_compare_fold(c, f, &train_rows, &train_positives, &test_rows, &test_positives);
    snprintf(text, sizeof text, ",%zu,%zu,%zu", f + 1, train_rows, train_positives);
    if (st == SCARCE_OK) st = put(out, text, err);
    if (st == SCARCE_OK) st = put_number(out, scarce_compare_seconds(c, m, f), err);
    for (size_t i = 0; i < scarce_metric_count() && st == SCARCE_OK; ++i)
        st = put_number(out, scarce_metric_value(scarce_compare_metrics(c, m, f), i), err);
    return st == SCARCE_OK ? put(out, "\n", err) : st;
}

scarce_status write_comparison_csv(const char *path, const scarce_compare *c, scarce_error *err)
{
    scarce_output *out = NULL;
    scarce_status st = scarce_output_open(&out, path, err);

    if (st != SCARCE_OK) return st;
    st = put(out, "method,fold,train_rows,train_positives,seconds", err);
    for (size_t i = 0; i < scarce_metric_count() && st == SCARCE_OK; ++i) {
        st = put(out, ",", err);
        if (st == SCARCE_OK) st = put(out, scarce_metric_name(i), err);
    }
    if (st == SCARCE_OK) st = put(out, "\n", err);
    for (size_t m = 0; m < scarce_compare_methods(c); ++m)
        for (size_t f = 0; f < scarce_compare_folds(c) && st == SCARCE_OK; ++f)
            st = put_fold(out, c, m, f, err);
    if (st != SCARCE_OK) {
        scarce_output_abort(out);
        return st;
    }
    return scarce_output_commit(out, err);
}
