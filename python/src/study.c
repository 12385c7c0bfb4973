/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing, tuning, folds, the doctor, resampling, simulating. */
#include "core.h"

#include <math.h>
#include <string.h>

/* ---- comparisons: kept in a capsule, so that any metric can be asked for afterwards */

static const char compare_name[] = "scarce.compare";

const scarce_compare *compare_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, compare_name);
}

static void compare_free(PyObject *capsule)
{
    scarce_compare_free(PyCapsule_GetPointer(capsule, compare_name));
}

/* Rankings: a list of (name, scores, probabilities or None, n_folds). */
typedef struct rankings {
    scarce_compare_ranking *items;
    Py_buffer *views;
    size_t n, n_views;
} rankings;

static void rankings_free(rankings *r)
{
    while (r->n_views > 0) PyBuffer_Release(&r->views[--r->n_views]);
    PyMem_Free(r->items);
    PyMem_Free(r->views);
}

static int rankings_make(rankings *r, PyObject *list, size_t n_rows)
{
    memset(r, 0, sizeof *r);
    r->n = (size_t)PyList_Size(list);
    r->items = PyMem_Calloc(r->n + 1, sizeof *r->items);
    r->views = PyMem_Calloc(2 * r->n + 1, sizeof *r->views);
    if (!r->items || !r->views) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < r->n; ++i) {
        PyObject *score, *probability;
        const void *x = NULL, *p = NULL;
        Py_ssize_t folds;
        size_t n;
        if (!PyTuple_Check(PyList_GetItem(list, (Py_ssize_t)i))) {
            PyErr_SetString(PyExc_TypeError, "a ranking is a tuple");
            return -1;
        }
        if (!PyArg_ParseTuple(PyList_GetItem(list, (Py_ssize_t)i), "sOOn", &r->items[i].name, &score,
                              &probability, &folds))
            return -1;
        n = n_rows * (size_t)folds;
        if (take_array(score, 'd', &r->views[r->n_views], &x, &n, "scores") < 1) return -1;
        r->n_views += 1;
        const int has = take_array(probability, 'd', &r->views[r->n_views], &p, &n, "probabilities");
        if (has < 0) return -1;
        r->n_views += (size_t)has;
        r->items[i].score = x;
        r->items[i].probability = p;
        r->items[i].n_folds = (size_t)folds;
    }
    return 0;
}

/* compare(table, methods, options, metric options, rankings, how) -> capsule */
static PyObject *compare(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_metrics_options mo = SCARCE_METRICS_OPTIONS_INIT;
    PyObject *table, *list, *options, *metric_options, *others, *how, *result = NULL;
    scarce_compare *c = NULL;
    const char **names = NULL;
    size_t n;
    rankings r = {NULL, NULL, 0, 0};
    talk t;

    if (!PyArg_ParseTuple(args, "OOO!O!O!O", &table, &list, &PyDict_Type, &options, &PyDict_Type,
                          &metric_options, &PyList_Type, &others, &how) ||
        !is_table(s, table))
        return NULL;
    if (take_text(options, "protocol", &o.protocol) < 0 || take_size(options, "repeats", &o.repeats) < 0 ||
        take_text(options, "metric", &o.metric) < 0 || take_size(options, "tune", &o.tune) < 0 ||
        take_int(options, "purge_known", &o.purge_known) < 0 ||
        take_text(options, "results", &o.results) < 0 || take_double(metric_options, "k", &mo.k) < 0 ||
        take_double(metric_options, "cost", &mo.cost) < 0 ||
        take_double(metric_options, "beta", &mo.beta) < 0 ||
        take_double(metric_options, "card_k", &mo.card_k) < 0 ||
        take_double(metric_options, "k_share", &mo.k_share) < 0)
        return NULL;
    o.metrics = &mo;
    if (take_names(list, &names, &n, "methods") < 0) return NULL;
    if (rankings_make(&r, others, scarce_table_rows(TABLE(table))) == 0) {
        o.rankings = r.items;
        o.n_rankings = r.n;
        if (talk_begin(&t, how, s) == 0) {
            scarce_status st;
            talk_leave(&t);
            st = scarce_compare_run(&c, TABLE(table), names, n, &o, t.ctx, &t.err);
            talk_return(&t);
            if (!talk_failed(&t, st, s)) {
                result = PyCapsule_New(c, compare_name, compare_free);
                if (!result) scarce_compare_free(c);
            } else scarce_compare_free(c);
            talk_end(&t);
        }
    }
    rankings_free(&r);
    PyMem_Free((void *)names);
    return result;
}

static PyObject *fold_dict(const scarce_compare *c, size_t f)
{
    const scarce_fold_times times = scarce_compare_times(c, f);
    size_t a, b, d, e;
    scarce_compare_fold(c, f, &a, &b, &d, &e);
    return Py_BuildValue("{snsnsnsnsdsdsdsdsz}", "train_rows", (Py_ssize_t)a, "train_positives",
                         (Py_ssize_t)b, "test_rows", (Py_ssize_t)d, "test_positives", (Py_ssize_t)e,
                         "train_from", times.train_from, "train_end", times.train_end, "test_from",
                         times.test_from, "test_end", times.test_end, "problem",
                         scarce_compare_problem(c, f));
}

/* compare_info(capsule) -> (names, folds, skipped) */
static PyObject *compare_info(PyObject *module, PyObject *capsule)
{
    const scarce_compare *c = PyCapsule_GetPointer(capsule, compare_name);
    PyObject *names, *folds;

    (void)module;
    if (!c) return NULL;
    names = PyList_New((Py_ssize_t)scarce_compare_methods(c));
    folds = PyList_New((Py_ssize_t)scarce_compare_folds(c));
    for (size_t i = 0; names && i < scarce_compare_methods(c); ++i) {
        PyObject *o = text_of(scarce_compare_name(c, i));
        if (!o || PyList_SetItem(names, (Py_ssize_t)i, o) < 0) Py_CLEAR(names);
    }
    for (size_t f = 0; folds && f < scarce_compare_folds(c); ++f) {
        PyObject *o = fold_dict(c, f);
        if (!o || PyList_SetItem(folds, (Py_ssize_t)f, o) < 0) Py_CLEAR(folds);
    }
    return Py_BuildValue("NNn", names, folds, (Py_ssize_t)scarce_compare_skipped(c));
}

/* compare_values(capsule, metric) -> (values [method * folds + fold], seconds, summaries) */
static PyObject *compare_values(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *capsule, *values, *seconds, *list;
    const scarce_compare *c;
    const char *name;
    size_t metric;

    if (!PyArg_ParseTuple(args, "Os", &capsule, &name) || !(c = PyCapsule_GetPointer(capsule, compare_name)))
        return NULL;
    metric = scarce_metric_find(name);
    if (metric == SIZE_MAX) return PyErr_Format(s->parameter_error, "no metric \"%s\"", name);
    const size_t n = scarce_compare_methods(c), folds = scarce_compare_folds(c);
    values = bytes_of(NULL, n * folds, 8);
    seconds = bytes_of(NULL, n * folds, 8);
    list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; values && seconds && list && i < n; ++i) {
        scarce_compare_summary sum = SCARCE_COMPARE_SUMMARY_INIT;
        for (size_t f = 0; f < folds; ++f) {
            const double v = scarce_metric_value(scarce_compare_metrics(c, i, f), metric),
                         w = scarce_compare_seconds(c, i, f);
            memcpy(bytes_at(values) + 8 * (i * folds + f), &v, 8);
            memcpy(bytes_at(seconds) + 8 * (i * folds + f), &w, 8);
        }
        PyObject *o = NULL;
        if (scarce_compare_summarize(&sum, c, i, metric, NULL, &err) != SCARCE_OK) raise_status(s, &err);
        else
            o = Py_BuildValue("{snsnsdsdsdsd}", "n", (Py_ssize_t)sum.n, "undefined",
                              (Py_ssize_t)sum.undefined, "mean", sum.mean, "sd", sum.sd, "lo", sum.lo, "hi",
                              sum.hi);
        if (!o || PyList_SetItem(list, (Py_ssize_t)i, o) < 0) Py_CLEAR(list);
    }
    if (values && seconds && list) return Py_BuildValue("NNN", values, seconds, list);
    Py_XDECREF(values);
    Py_XDECREF(seconds);
    Py_XDECREF(list);
    return NULL;
}

/* compare_pair(capsule, a, b, metric) -> dict */
static PyObject *compare_pair(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_compare_pair p = SCARCE_COMPARE_PAIR_INIT;
    const scarce_compare *c;
    PyObject *capsule;
    const char *name;
    Py_ssize_t a, b;

    if (!PyArg_ParseTuple(args, "Onns", &capsule, &a, &b, &name) ||
        !(c = PyCapsule_GetPointer(capsule, compare_name)))
        return NULL;
    if (a < 0 || b < 0 || (size_t)a >= scarce_compare_methods(c) || (size_t)b >= scarce_compare_methods(c) ||
        scarce_metric_find(name) == SIZE_MAX)
        return PyErr_Format(s->parameter_error, "no such contestant or metric");
    if (scarce_compare_test(&p, c, (size_t)a, (size_t)b, scarce_metric_find(name), NULL, &err) != SCARCE_OK)
        return raise_status(s, &err);
    return Py_BuildValue("{snsdsdsdsdsdsdsnsd}", "n", (Py_ssize_t)p.n, "difference", p.difference, "sd", p.sd,
                         "lo", p.lo, "hi", p.hi, "p_wilcoxon", p.wilcoxon.p, "p_corrected", p.p_corrected,
                         "positives", (Py_ssize_t)p.positives, "positives_needed", p.positives_needed);
}

/* fold(table, protocol, number, purge_known, how) -> dict with train, valid, test as uint32 arrays, and folds (None:
 * without end) */
static PyObject *fold(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    PyObject *table, *how, *result = NULL;
    const char *protocol;
    Py_ssize_t number;
    int purge;
    scarce_fold f;
    scarce_status st;
    talk t;

    if (!PyArg_ParseTuple(args, "OsnpO", &table, &protocol, &number, &purge, &how) || !is_table(s, table) ||
        talk_begin(&t, how, s) < 0)
        return NULL;
    talk_leave(&t);
    st = scarce_fold_make(&f, TABLE(table), protocol, (size_t)number, purge, t.ctx, &t.err);
    talk_return(&t);
    if (!talk_failed(&t, st, s)) {
        PyObject *count = f.n_folds == SIZE_MAX ? Py_NewRef(Py_None) : PyLong_FromSize_t(f.n_folds);
        result = Py_BuildValue("{sNsNsNsN}", "train", bytes_of(f.train, f.n_train, 4), "valid",
                               bytes_of(f.valid, f.n_valid, 4), "test", bytes_of(f.test, f.n_test, 4),
                               "folds", count);
        scarce_fold_deinit(&f);
    }
    talk_end(&t);
    return result;
}

/* split(table, kind, fraction, repeat, how) -> (train, test): kind "latest" or "holdout" */
static PyObject *split(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_split out = {NULL, 0, NULL, 0};
    PyObject *table, *how, *result = NULL;
    const char *kind;
    Py_ssize_t repeat;
    double fraction;
    scarce_status st;
    talk t;

    if (!PyArg_ParseTuple(args, "OsdnO", &table, &kind, &fraction, &repeat, &how) || !is_table(s, table) ||
        talk_begin(&t, how, s) < 0)
        return NULL;
    if (strcmp(kind, "latest") == 0) st = scarce_split_latest(&out, TABLE(table), fraction, &t.err);
    else st = scarce_split_holdout(&out, TABLE(table), fraction, (uint64_t)repeat, t.ctx, &t.err);
    if (!talk_failed(&t, st, s)) {
        result = Py_BuildValue("NN", bytes_of(out.train, out.n_train, 4), bytes_of(out.test, out.n_test, 4));
        scarce_split_deinit(&out);
    }
    talk_end(&t);
    return result;
}

/* ---- tuning */

static PyObject *tuned_dict(const scarce_tune_result *r)
{
    PyObject *trials = PyList_New((Py_ssize_t)r->n_trials);
    for (size_t i = 0; trials && i < r->n_trials; ++i) {
        const scarce_tune_trial *x = r->trials[i];
        PyObject *o = Py_BuildValue("{sssdsdsnsdsd}", "settings", x->settings, "value", x->value, "seconds",
                                    x->seconds, "iterations", (Py_ssize_t)x->iterations, "share", x->share,
                                    "finished", x->finished);
        if (!o || PyList_SetItem(trials, (Py_ssize_t)i, o) < 0) Py_CLEAR(trials);
    }
    return trials ? Py_BuildValue("{sNsnsnsdsdsnsi}", "trials", trials, "best", (Py_ssize_t)r->best,
                                  "highest", (Py_ssize_t)r->highest, "difference", r->difference, "error",
                                  r->error, "splits", (Py_ssize_t)r->splits, "cancelled", r->cancelled)
                  : NULL;
}

/* A result and its page, which is small and made at once: nothing has to be kept alive for it. */
static PyObject *with_page(const module_state *s, PyObject *dict, scarce_report *page)
{
    PyObject *text = page && dict ? end_page(s, page) : NULL;
    if (page && !dict) scarce_report_free(page);
    if (dict && put(dict, "page", text) < 0) Py_CLEAR(dict);
    return dict;
}

static scarce_report *tuned_page(const module_state *s, const scarce_tune_result *t, const char *method,
                                 const char *metric)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_report *r = begin_page(s, "Tuning", method);
    if (!r || scarce_page_tuning(r, t, method, metric, &err) == SCARCE_OK) return r;
    scarce_report_free(r);
    raise_status(s, &err);
    return NULL;
}

/* tune(table, valid or None, method, options, how) */
static PyObject *tune(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_tune_options o = SCARCE_TUNE_OPTIONS_INIT;
    PyObject *table, *valid, *options, *how, *result = NULL;
    scarce_tune_result r = SCARCE_TUNE_RESULT_INIT;
    const char *method;
    scarce_status st;
    talk t;

    if (!PyArg_ParseTuple(args, "OOsO!O", &table, &valid, &method, &PyDict_Type, &options, &how) ||
        !is_table(s, table) || (valid != Py_None && !is_table(s, valid)))
        return NULL;
    if (take_text(options, "metric", &o.metric) < 0 || take_size(options, "trials", &o.trials) < 0 ||
        take_double(options, "seconds", &o.seconds) < 0 ||
        take_double(options, "valid_fraction", &o.valid_fraction) < 0 ||
        take_size(options, "repeats", &o.repeats) < 0 || take_text(options, "results", &o.results) < 0 ||
        talk_begin(&t, how, s) < 0)
        return NULL;
    if (valid != Py_None) o.valid = TABLE(valid);
    talk_leave(&t);
    st = scarce_tune_run(&r, TABLE(table), method, &o, t.ctx, &t.err);
    talk_return(&t);
    if (!talk_failed(&t, st, s)) result = with_page(s, tuned_dict(&r), tuned_page(s, &r, method, o.metric));
    if (st == SCARCE_OK) scarce_tune_result_deinit(&r);
    talk_end(&t);
    return result;
}

/* ---- the doctor */

static PyObject *finding_dict(const scarce_doctor_finding *f)
{
    static const char *const severities[] = {"good", "note", "warning", "bad"};
    PyObject *figures = PyDict_New();
    for (size_t i = 0; figures && i < f->n_figures; ++i)
        if (put(figures, f->figures[i].name, PyFloat_FromDouble(f->figures[i].value)) < 0) Py_CLEAR(figures);
    return Py_BuildValue("{sssssNsNsNsN}", "code", f->code, "severity", severities[f->severity & 3],
                         "subject", text_of(f->subject), "what", text_of(f->what), "advice",
                         text_of(f->advice), "figures", figures);
}

static PyObject *doctor_dict(const scarce_doctor *d)
{
    PyObject *findings = PyList_New(0), *columns = PyList_New(0), *periods = PyList_New(0),
             *folds = PyList_New(0);
    int ok = findings && columns && periods && folds;

#define ADD(list, made)                                                                                      \
    do {                                                                                                     \
        PyObject *o_ = (made);                                                                               \
        ok = o_ && PyList_Append(list, o_) == 0;                                                             \
        Py_XDECREF(o_);                                                                                      \
    } while (0)
    for (size_t i = 0; ok && i < scarce_doctor_findings(d); ++i)
        ADD(findings, finding_dict(scarce_doctor_get(d, i)));
    for (size_t i = 0; ok && i < scarce_doctor_columns(d); ++i) {
        const scarce_doctor_column *c = scarce_doctor_column_of(d, i);
        ADD(columns,
            Py_BuildValue("{sNsisdsdsdsdsd}", "name", text_of(c->name), "kind", (int)c->kind, "missing",
                          c->missing, "distinct", c->distinct, "auc", c->auc, "ap", c->ap, "psi", c->psi));
    }
    for (size_t i = 0; ok && i < scarce_doctor_periods(d); ++i) {
        const scarce_doctor_period *p = scarce_doctor_period_of(d, i);
        ADD(periods, Py_BuildValue("{sdsdsnsn}", "begin", p->begin, "end", p->end, "rows",
                                   (Py_ssize_t)p->rows, "positives", (Py_ssize_t)p->positives));
    }
    for (size_t i = 0; ok && i < scarce_doctor_folds(d); ++i) {
        const scarce_doctor_fold *f = scarce_doctor_fold_of(d, i);
        ADD(folds, Py_BuildValue("{snsnsnsnsnsn}", "train_rows", (Py_ssize_t)f->train_rows, "train_positives",
                                 (Py_ssize_t)f->train_positives, "test_rows", (Py_ssize_t)f->test_rows,
                                 "test_positives", (Py_ssize_t)f->test_positives, "copies",
                                 (Py_ssize_t)f->copies, "known_groups", (Py_ssize_t)f->known_groups));
    }
#undef ADD
    if (ok)
        return Py_BuildValue("{sNsNsNsNszsz}", "findings", findings, "columns", columns, "periods", periods,
                             "folds", folds, "period_unit", scarce_doctor_period_unit(d), "protocol",
                             scarce_doctor_protocol(d));
    Py_XDECREF(findings);
    Py_XDECREF(columns);
    Py_XDECREF(periods);
    Py_XDECREF(folds);
    return NULL;
}

static scarce_report *doctor_page(const module_state *s, const scarce_doctor *d, const scarce_table *table)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_report *r = begin_page(s, "Data check", NULL);
    if (!r || scarce_page_doctor(r, d, table, &err) == SCARCE_OK) return r;
    scarce_report_free(r);
    raise_status(s, &err);
    return NULL;
}

/* doctor(table, options, how) */
static PyObject *doctor(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_doctor_options o = SCARCE_DOCTOR_OPTIONS_INIT;
    PyObject *table, *options, *how, *result = NULL;
    scarce_doctor *d = NULL;
    scarce_status st;
    talk t;

    if (!PyArg_ParseTuple(args, "OO!O", &table, &PyDict_Type, &options, &how) || !is_table(s, table))
        return NULL;
    if (take_text(options, "protocol", &o.protocol) < 0 || take_size(options, "repeats", &o.repeats) < 0 ||
        take_int(options, "purge_known", &o.purge_known) < 0 ||
        take_double(options, "period", &o.period) < 0 || talk_begin(&t, how, s) < 0)
        return NULL;
    talk_leave(&t);
    st = scarce_doctor_run(&d, TABLE(table), &o, t.ctx, &t.err);
    talk_return(&t);
    if (!talk_failed(&t, st, s)) result = with_page(s, doctor_dict(d), doctor_page(s, d, TABLE(table)));
    scarce_doctor_free(d);
    talk_end(&t);
    return result;
}

/* ---- resampling, simulating */

/* resample(table, spec, how) -> (table, flags, odds_factor, holds) */
static PyObject *resample(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_resample_info info = SCARCE_RESAMPLE_INFO_INIT;
    PyObject *table, *how, *result = NULL;
    scarce_table *made = NULL;
    uint8_t *flags = NULL;
    const char *spec;
    scarce_status st;
    talk t;

    if (!PyArg_ParseTuple(args, "OsO", &table, &spec, &how) || !is_table(s, table) ||
        talk_begin(&t, how, s) < 0)
        return NULL;
    talk_leave(&t);
    st = scarce_resample(&made, &flags, &info, TABLE(table), spec, t.ctx, &t.err);
    talk_return(&t);
    if (!talk_failed(&t, st, s)) {
        PyObject *bytes = bytes_of(flags, scarce_table_rows(made), 1);
        result = Py_BuildValue("NNdi", new_table(s, made), bytes, info.odds_factor, info.factor_holds);
    }
    scarce_resample_flags_free(flags);
    talk_end(&t);
    return result;
}

/* resample_rows(table, spec, how) -> (rows, odds_factor, holds); None where rows are made up */
static PyObject *resample_rows(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_resample_info info = SCARCE_RESAMPLE_INFO_INIT;
    PyObject *table, *how, *result = NULL;
    uint32_t *rows = NULL;
    const char *spec;
    scarce_status st;
    size_t n;
    talk t;

    if (!PyArg_ParseTuple(args, "OsO", &table, &spec, &how) || !is_table(s, table) ||
        talk_begin(&t, how, s) < 0)
        return NULL;
    talk_leave(&t);
    st = scarce_resample_rows(&rows, &n, &info, TABLE(table), spec, t.ctx, &t.err);
    talk_return(&t);
    if (st == SCARCE_EUNSUPPORTED && !PyErr_Occurred()) result = Py_NewRef(Py_None);
    else if (!talk_failed(&t, st, s))
        result = Py_BuildValue("Ndi", bytes_of(rows, n, sizeof *rows), info.odds_factor, info.factor_holds);
    scarce_resample_rows_free(rows);
    talk_end(&t);
    return result;
}

/* ---- distilling */

/* distil(model, table, options, how) -> (model, what it keeps) */
static PyObject *distil(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_distil_options o = SCARCE_DISTIL_OPTIONS_INIT;
    scarce_distilled kept = SCARCE_DISTILLED_INIT;
    PyObject *model, *table, *options, *how, *test, *result = NULL;
    scarce_model *made = NULL;
    scarce_status st;
    talk t;

    if (!PyArg_ParseTuple(args, "O!OO!O", (PyTypeObject *)s->model_type, &model, &table, &PyDict_Type,
                          &options, &how) ||
        !is_table(s, table) || take_int(options, "depth", &o.depth) < 0 ||
        take_int(options, "rules", &o.rules) < 0 ||
        take_double(options, "test_fraction", &o.test_fraction) < 0 || take_double(options, "k", &o.k) < 0)
        return NULL;
    test = PyDict_GetItemString(options, "test");
    if (test && test != Py_None) {
        if (!is_table(s, test)) return NULL;
        o.test = TABLE(test);
    }
    if (talk_begin(&t, how, s) < 0) return NULL;
    talk_leave(&t);
    st = scarce_distil(&made, ((model_object *)model)->model, TABLE(table), &o, &kept, t.ctx, &t.err);
    talk_return(&t);
    if (!talk_failed(&t, st, s))
        result = Py_BuildValue("N{sKsKsKsKsdsdsdsdsdsdsdsd}", new_model(s, made), "rows",
                               (unsigned long long)kept.rows, "test_rows", (unsigned long long)kept.test_rows,
                               "test_positives", (unsigned long long)kept.test_positives, "leaves",
                               (unsigned long long)kept.leaves, "model_ap", kept.teacher_ap, "ap", kept.ap,
                               "k", kept.k, "model_precision", kept.teacher_precision, "precision",
                               kept.precision, "model_amount", kept.teacher_amount, "amount", kept.amount,
                               "overlap", kept.overlap);
    talk_end(&t);
    return result;
}

/* simulate(kind, settings, path, how) -> dict */
static PyObject *simulate(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_simulate_summary sum = SCARCE_SIMULATE_SUMMARY_INIT;
    const char *kind, *path, **settings;
    PyObject *list, *how, *result = NULL;
    scarce_status st;
    size_t n;
    talk t;

    if (!PyArg_ParseTuple(args, "sOsO", &kind, &list, &path, &how) ||
        take_names(list, &settings, &n, "settings") < 0)
        return NULL;
    if (talk_begin(&t, how, s) == 0) {
        talk_leave(&t);
        st = scarce_simulate(kind, settings, n, path, t.ctx, &sum, &t.err);
        talk_return(&t);
        if (!talk_failed(&t, st, s))
            result = Py_BuildValue("{sKsKsKsKsKsdsdsdsd}", "rows", (unsigned long long)sum.rows, "positives",
                                   (unsigned long long)sum.positives, "cards", (unsigned long long)sum.cards,
                                   "terminals", (unsigned long long)sum.terminals, "days",
                                   (unsigned long long)sum.days, "amount", sum.amount, "amount_fraud",
                                   sum.amount_fraud, "intercept", sum.intercept, "mean_probability",
                                   sum.mean_probability);
        talk_end(&t);
    }
    PyMem_Free((void *)settings);
    return result;
}

PyMethodDef study_functions[] = {{"compare", compare, METH_VARARGS, NULL},
                                 {"compare_info", compare_info, METH_O, NULL},
                                 {"compare_values", compare_values, METH_VARARGS, NULL},
                                 {"compare_pair", compare_pair, METH_VARARGS, NULL},
                                 {"fold", fold, METH_VARARGS, NULL},
                                 {"split", split, METH_VARARGS, NULL},
                                 {"tune", tune, METH_VARARGS, NULL},
                                 {"doctor", doctor, METH_VARARGS, NULL},
                                 {"resample", resample, METH_VARARGS, NULL},
                                 {"resample_rows", resample_rows, METH_VARARGS, NULL},
                                 {"distil", distil, METH_VARARGS, NULL},
                                 {"simulate", simulate, METH_VARARGS, NULL},
                                 {NULL, NULL, 0, NULL}};
