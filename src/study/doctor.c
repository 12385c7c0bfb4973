/* SPDX-License-Identifier: Apache-2.0 */
/* The doctor's rounds: measure, then judge; findings are collected and sorted by severity. */
#include "study/doctor.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/options.h"

/* ---- texts */

void scarce__doctor_number(scarce__text *t, double value)
{
    const double size = fabs(value);
    if (size >= 1000 && size < 1e15) scarce__text_digits(t, round(value), 15);
    else scarce__text_digits(t, value, size > 0.99 && size < 1 ? 5 : 3);
}

void scarce__doctor_percent(scarce__text *t, double share)
{
    scarce__text_digits(t, 100 * share, fabs(share) > 0.9 && share < 1 ? 4 : 3);
    scarce__text_add(t, " %");
}

void scarce__doctor_textf(scarce__text *t, const char *format, ...)
{
    va_list args;
    size_t count = 0;
    va_start(args, format);
    for (const char *c = format; *c; ++c) {
        if (*c != '%') {
            scarce__text_add_char(t, *c);
            continue;
        }
        ++c;
        if (*c == 's') scarce__text_add(t, va_arg(args, const char *));
        else if (*c == 'z') scarce__text_addf(t, "%zu", count = va_arg(args, size_t));
        else if (*c == 'S') scarce__text_add(t, count == 1 ? "" : "s");
        else if (*c == 'p') scarce__doctor_percent(t, va_arg(args, double));
        else if (*c == 'n') scarce__doctor_number(t, va_arg(args, double));
        else scarce__text_add_char(t, *c);
    }
    va_end(args);
}

/* ---- findings */

scarce_doctor_finding *scarce__doctor_add(scarce_doctor *d, const char *code, scarce_severity severity,
                                          size_t column, const char *subject, scarce_error *err)
{
    scarce_doctor_finding *f;
    char *copy = scarce__strdup(column == SIZE_MAX ? subject : scarce__doctor_name(d, column));

    if (copy && d->n_findings == d->capacity) {
        const size_t capacity = d->capacity ? 2 * d->capacity : 16;
        scarce_doctor_finding *grown = scarce__realloc_array(d->findings, capacity, sizeof *grown);
        if (!grown) {
            scarce__free(copy);
            copy = NULL;
        } else {
            d->findings = grown;
            d->capacity = capacity;
        }
    }
    if (!copy) {
        scarce__fail_memory(err, "the findings", 0);
        return NULL;
    }
    f = &d->findings[d->n_findings++];
    memset(f, 0, sizeof *f);
    f->code = code;
    f->severity = severity;
    f->column = column;
    f->subject = copy;
    return f;
}

void scarce__doctor_figure(scarce_doctor_finding *f, const char *name, double value)
{
    if (!f || f->n_figures == SCARCE_DOCTOR_FIGURES) return;
    f->figures[f->n_figures].name = name;
    f->figures[f->n_figures++].value = value;
}

scarce_status scarce__doctor_say(scarce_doctor_finding *f, scarce__text *what, const char *advice,
                                 scarce_error *err)
{
    char *copy = f && !what->failed ? scarce__strdup(advice) : NULL;
    if (!copy) {
        scarce__text_deinit(what);
        return scarce__fail_memory(err, "the findings", 0);
    }
    scarce_printable(copy);
    scarce_printable(what->bytes); /* sentences are for people, whatever a column is called */
    f->advice = copy;
    f->what = what->bytes;
    return SCARCE_OK;
}

int scarce__doctor_has(const scarce_doctor *d, size_t f, const char *code)
{
    for (size_t i = 0; i < d->n_findings; ++i)
        if (d->findings[i].column == f && strcmp(d->findings[i].code, code) == 0) return 1;
    return 0;
}

/* The gravest first, then as they were found: the order of the checks, and of the columns. */
static scarce_status sort_findings(scarce_doctor *d, scarce_error *err)
{
    scarce_doctor_finding *sorted = scarce__malloc_array(d->n_findings + 1, sizeof *sorted);
    size_t n = 0;

    if (!sorted) return scarce__fail_memory(err, "the findings", 0);
    for (int severity = SCARCE_SEVERITY_BAD; severity >= SCARCE_SEVERITY_GOOD; --severity)
        for (size_t i = 0; i < d->n_findings; ++i)
            if ((int)d->findings[i].severity == severity) sorted[n++] = d->findings[i];
    scarce__free(d->findings);
    d->findings = sorted;
    d->capacity = n + 1;
    return SCARCE_OK;
}

/* ---- intervals */

/* AP as a share of `positives` draws (Boyd, Eng and Page 2013), half a draw added to either side so that a
 * perfect AP of few positives has an interval too. */
static double ap_end(double ap, size_t positives, double z)
{
    const double n = (double)positives, p = (n * ap + 0.5) / (n + 1);
    const double eta = scarce__ln(p / (1 - p)) + z / sqrt((n + 1) * p * (1 - p));
    return 1 / (1 + scarce__exp(-eta));
}

double scarce__doctor_ap_lower(double ap, size_t positives)
{
    const double lower = ap_end(ap, positives, -1.645);
    return lower < ap ? lower : ap;
}

double scarce__doctor_ap_upper(double ap, size_t positives)
{
    const double upper = ap_end(ap, positives, 1.645);
    return upper > ap ? upper : ap;
}

double scarce__doctor_auc_lower(double auc, size_t positives, size_t negatives)
{
    const double m = (double)positives, n = (double)negatives;
    double lo = 0.5, hi = auc;
    if (!(auc > 0.5)) return auc;
    for (int i = 0; i < 50; ++i) {
        const double a = (lo + hi) / 2, q1 = a / (2 - a), q2 = 2 * a * a / (1 + a);
        const double variance = (a * (1 - a) + (m - 1) * (q1 - a * a) + (n - 1) * (q2 - a * a)) / (m * n);
        if (auc - a > 1.645 * sqrt(variance)) lo = a;
        else hi = a;
    }
    return lo;
}

/* ---- running */

static void forget_scratch(scarce_doctor *d)
{
    scarce__free(d->place);
    scarce__free(d->mark);
    scarce__free(d->twin);
    scarce__free(d->facts);
    d->place = d->twin = NULL;
    d->mark = NULL;
    d->facts = NULL;
    d->table = NULL;
}

static scarce_status make_columns(scarce_doctor *d, scarce_error *err)
{
    const scarce_schema *s = &d->table->schema;
    d->columns = scarce__calloc(s->n_features + 1, sizeof *d->columns);
    d->facts = scarce__calloc(s->n_features + 1, sizeof *d->facts);
    if (!d->columns || !d->facts) return scarce__fail_memory(err, "the columns", 0);
    for (size_t f = 0; f < s->n_features; ++f) {
        char *name = scarce__strdup(s->features[f].name);
        if (!name) return scarce__fail_memory(err, "the columns", 0);
        d->columns[f].name = name;
        d->columns[f].kind = s->features[f].kind;
        d->n_columns = f + 1;
    }
    return SCARCE_OK;
}

/* Copies what callers may see. */
static void publish_columns(scarce_doctor *d)
{
    const size_t n = d->table->n_rows;
    for (size_t f = 0; f < d->n_columns; ++f) {
        const scarce__doctor_facts *x = &d->facts[f];
        scarce_doctor_column *c = &d->columns[f];
        c->missing = n ? 1 - (double)x->present / (double)n : (double)NAN;
        c->distinct = (double)x->distinct;
        c->auc = x->auc < 0.5 && c->kind != SCARCE_COLUMN_CATEGORY ? 1 - x->auc : x->auc;
        c->ap = x->ap_low > x->ap_high ? x->ap_low : x->ap_high;
        c->psi = x->psi;
    }
}

static int step(const scarce_context *ctx, double done)
{
    const scarce_progress p = {"examine", done, 5, "steps", "", NULL, 0};
    return scarce__progress(ctx, &p);
}

static scarce_status run(scarce_doctor *d, const scarce_doctor_options *o, scarce_context *ctx,
                         scarce_error *err)
{
    SCARCE__TRY(make_columns(d, err));
    SCARCE__TRY(scarce__doctor_order(d, ctx, err));
    if (step(ctx, 1)) return scarce__fail(err, SCARCE_ECANCEL, "stopped");
    SCARCE__TRY(scarce__doctor_look(d, ctx, err));
    if (step(ctx, 3)) return scarce__fail(err, SCARCE_ECANCEL, "stopped");
    publish_columns(d);
    SCARCE__TRY(scarce__doctor_leaks(d, err));
    SCARCE__TRY(scarce__doctor_drift(d, o->period, err));
    SCARCE__TRY(scarce__doctor_copies(d, ctx, err));
    if (step(ctx, 4)) return scarce__fail(err, SCARCE_ECANCEL, "stopped");
    SCARCE__TRY(scarce__doctor_judge_folds(d, o, ctx, err));
    SCARCE__TRY(scarce__doctor_shape(d, err));
    return scarce__doctor_roles(d, ctx, err);
}

scarce_status scarce_doctor_run(scarce_doctor **out, const scarce_table *table,
                                const scarce_doctor_options *options, scarce_context *ctx, scarce_error *err)
{
    scarce_doctor_options o = SCARCE_DOCTOR_OPTIONS_INIT;
    scarce_doctor *d;
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_DOCTOR_OPTIONS_INIT, err));
    if (!(o.period >= 0) || !isfinite(o.period))
        return scarce__fail(err, SCARCE_EINVAL, "a period of %g: it must be longer than 0", o.period);
    d = scarce__calloc(1, sizeof *d);
    if (!d) return scarce__fail_memory(err, "the findings", 0);
    d->table = table;
    d->period_unit = "period";
    st = run(d, &o, ctx, err);
    if (st == SCARCE_OK) st = sort_findings(d, err);
    forget_scratch(d);
    if (st != SCARCE_OK) {
        scarce_doctor_free(d);
        return st;
    }
    *out = d;
    return SCARCE_OK;
}

void scarce_doctor_free(scarce_doctor *d)
{
    if (!d) return;
    for (size_t i = 0; i < d->n_findings; ++i) {
        scarce__free((void *)(uintptr_t)d->findings[i].subject);
        scarce__free((void *)(uintptr_t)d->findings[i].what);
        scarce__free((void *)(uintptr_t)d->findings[i].advice);
    }
    for (size_t f = 0; f < d->n_columns; ++f) scarce__free((void *)(uintptr_t)d->columns[f].name);
    scarce__free(d->findings);
    scarce__free(d->columns);
    scarce__free(d->periods);
    scarce__free(d->folds);
    scarce__free(d->protocol);
    scarce__free(d);
}

/* ---- looking at the result */

size_t scarce_doctor_findings(const scarce_doctor *d)
{
    return d->n_findings;
}

const scarce_doctor_finding *scarce_doctor_get(const scarce_doctor *d, size_t i)
{
    return i < d->n_findings ? &d->findings[i] : NULL;
}

size_t scarce_doctor_count(const scarce_doctor *d, scarce_severity severity)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n_findings; ++i) n += d->findings[i].severity == severity;
    return n;
}

size_t scarce_doctor_columns(const scarce_doctor *d)
{
    return d->n_columns;
}

const scarce_doctor_column *scarce_doctor_column_of(const scarce_doctor *d, size_t feature)
{
    return feature < d->n_columns ? &d->columns[feature] : NULL;
}

size_t scarce_doctor_periods(const scarce_doctor *d)
{
    return d->n_periods;
}

const scarce_doctor_period *scarce_doctor_period_of(const scarce_doctor *d, size_t i)
{
    return i < d->n_periods ? &d->periods[i] : NULL;
}

const char *scarce_doctor_period_unit(const scarce_doctor *d)
{
    return d->period_unit;
}

size_t scarce_doctor_folds(const scarce_doctor *d)
{
    return d->n_folds;
}

const scarce_doctor_fold *scarce_doctor_fold_of(const scarce_doctor *d, size_t i)
{
    return i < d->n_folds ? &d->folds[i] : NULL;
}

const char *scarce_doctor_protocol(const scarce_doctor *d)
{
    return d->protocol;
}
