/* SPDX-License-Identifier: Apache-2.0 */
/* The library's pages (pages.h) as texts: a training, an evaluation, a comparison. Those of a search and of a check of
 * data are made with their results (study.c). */
#include "core.h"

#include <math.h>
#include <string.h>

scarce_report *begin_page(const module_state *s, const char *title, const char *subtitle)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_report *r = NULL;

    if (scarce_report_new(&r, title, subtitle, &err) != SCARCE_OK) raise_status(s, &err);
    scarce_report_keywords(r);
    return r;
}

PyObject *end_page(const module_state *s, scarce_report *r)
{
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *result = NULL;
    void *bytes;
    size_t n;

    if (scarce_report_bytes(&bytes, &n, r, &err) == SCARCE_OK) {
        result = PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)n, "replace");
        scarce_bytes_free(bytes);
    } else raise_status(s, &err);
    scarce_report_free(r);
    return result;
}

/* None or a table, a model: *out is NULL for None. */
static int maybe_table(const module_state *s, PyObject *o, const scarce_table **out)
{
    *out = NULL;
    if (o == Py_None) return 1;
    if (!is_table(s, o)) return 0;
    *out = TABLE(o);
    return 1;
}

static int maybe_model(const module_state *s, PyObject *o, const scarce_model **out)
{
    *out = NULL;
    if (o == Py_None) return 1;
    if (!PyObject_TypeCheck(o, (PyTypeObject *)s->model_type)) {
        PyErr_SetString(PyExc_TypeError, "a model is expected");
        return 0;
    }
    *out = MODEL(o)->model;
    return 1;
}

/* The summary of a training out of its dict; the curve is the dict's. */
static int take_summary(scarce_train_summary *out, PyObject *dict, Py_buffer *view)
{
    const void *curve = NULL;
    size_t n = 0;
    int r;

    view->obj = NULL;
    if (take_size(dict, "rows", &out->rows) < 0 || take_size(dict, "features", &out->features) < 0 ||
        take_size(dict, "positives", &out->positives) < 0 ||
        take_size(dict, "iterations", &out->iterations) < 0 ||
        take_size(dict, "best_iteration", &out->best_iteration) < 0 ||
        take_double(dict, "seconds_prepare", &out->seconds_prepare) < 0 ||
        take_double(dict, "seconds_train", &out->seconds_train) < 0)
        return -1;
    r = take_array(PyDict_GetItemString(dict, "curve"), 'd', view, &curve, &n, "curve");
    if (r < 1) view->obj = NULL;
    out->curve = (double *)(uintptr_t)curve;
    out->n_curve = curve ? n : 0;
    return r < 0 ? -1 : 0;
}

/* page_training(model, summary or None, metric, table or None, valid or None, subtitle, (load, total), how) */
static PyObject *page_training(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_training_view v = SCARCE_TRAINING_VIEW_INIT;
    scarce_train_summary summary = SCARCE_TRAIN_SUMMARY_INIT;
    PyObject *model, *dict, *table, *valid, *how, *result = NULL;
    const char *subtitle;
    scarce_report *r;
    Py_buffer view;
    talk t;

    view.obj = NULL;
    if (!PyArg_ParseTuple(args, "OOzOOz(dd)O", &model, &dict, &v.metric, &table, &valid, &subtitle,
                          &v.seconds_load, &v.seconds_total, &how) ||
        !maybe_model(s, model, &v.model) || !maybe_table(s, table, &v.table) ||
        !maybe_table(s, valid, &v.valid))
        return NULL;
    if (dict != Py_None && take_summary(&summary, dict, &view) < 0) return NULL;
    if (dict != Py_None) v.summary = &summary;
    r = begin_page(s, v.summary ? "Training" : "Model", subtitle);
    if (r && talk_begin(&t, how, s) == 0) {
        scarce_status st;
        talk_leave(&t);
        st = scarce_page_training(r, &v, t.ctx, &t.err);
        talk_return(&t);
        if (!talk_failed(&t, st, s)) result = end_page(s, r);
        else scarce_report_free(r);
        talk_end(&t);
    } else scarce_report_free(r);
    if (view.obj) PyBuffer_Release(&view);
    return result;
}

/* page_evaluation(scored, options, model or None, table or None, subtitle, how) */
static PyObject *page_evaluation(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_evaluation_view v = SCARCE_EVALUATION_VIEW_INIT;
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    scarce_metrics m = SCARCE_METRICS_INIT;
    PyObject *dict, *options, *model, *table, *how, *result = NULL;
    const char *subtitle;
    scarce_report *r = NULL;
    Py_buffer alert;
    scored rows;
    talk t;

    if (!PyArg_ParseTuple(args, "O!OOOzO", &PyDict_Type, &dict, &options, &model, &table, &subtitle, &how) ||
        !maybe_model(s, model, &v.model) || !maybe_table(s, table, &v.table) || scored_make(&rows, dict) < 0)
        return NULL;
    if (v.table && scarce_table_rows(v.table) != rows.in.n) v.table = NULL, v.model = NULL;
    if (take_metrics_options(&o, options, &alert, rows.in.n) == 0) {
        r = begin_page(s, "Evaluation", subtitle);
        if (r && talk_begin(&t, how, s) == 0) {
            scarce_status st;
            v.rows = &rows.in, v.metrics = &m, v.options = &o;
            talk_leave(&t);
            st = scarce_metrics_compute(&m, &rows.in, &o, t.ctx, &t.err);
            if (st == SCARCE_OK) st = scarce_page_evaluation(r, &v, t.ctx, &t.err);
            talk_return(&t);
            if (!talk_failed(&t, st, s)) result = end_page(s, r);
            else scarce_report_free(r);
            talk_end(&t);
        } else scarce_report_free(r);
        if (alert.obj) PyBuffer_Release(&alert);
    }
    scored_free(&rows);
    return result;
}

static int metric_of(const module_state *s, const char *name, size_t *out)
{
    *out = scarce_metric_find(name);
    if (*out != SIZE_MAX) return 0;
    PyErr_Format(s->parameter_error, "no metric \"%s\"", name);
    return -1;
}

static PyObject *fill_comparison(const module_state *s, scarce_comparison_view *v, size_t judged,
                                 const char *subtitle, PyObject *how)
{
    scarce_report *r = begin_page(s, "Comparison", subtitle);
    scarce_verdicts *verdicts = NULL;
    PyObject *result = NULL;
    talk t;

    if (r && talk_begin(&t, how, s) == 0) {
        scarce_status st;
        talk_leave(&t);
        st = scarce_verdicts_new(&verdicts, v->compare, judged, t.ctx, &t.err);
        v->verdicts = verdicts;
        if (st == SCARCE_OK) st = scarce_page_comparison(r, v, t.ctx, &t.err);
        talk_return(&t);
        if (!talk_failed(&t, st, s)) result = end_page(s, r);
        else scarce_report_free(r);
        scarce_verdicts_free(verdicts);
        talk_end(&t);
    } else scarce_report_free(r);
    return result;
}

/* page_comparison(capsule, metric, metrics, table or None, options or None, subtitle, how) */
static PyObject *page_comparison(PyObject *module, PyObject *args)
{
    enum { MOST = 16 };
    const module_state *s = state_of_module(module);
    scarce_comparison_view v = SCARCE_COMPARISON_VIEW_INIT;
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    PyObject *capsule, *list, *table, *options, *how, *result = NULL;
    size_t judged, numbers[MOST], n;
    const char *metric, *subtitle, **names = NULL;
    int ok = 1;

    if (!PyArg_ParseTuple(args, "OsOOOzO", &capsule, &metric, &list, &table, &options, &subtitle, &how) ||
        !(v.compare = compare_of(capsule)) || !maybe_table(s, table, &v.table) ||
        metric_of(s, metric, &judged) < 0)
        return NULL;
    if (options != Py_None) {
        if (take_text(options, "protocol", &o.protocol) < 0 ||
            take_size(options, "repeats", &o.repeats) < 0 || take_size(options, "tune", &o.tune) < 0)
            return NULL;
        v.options = &o;
    }
    if (take_names(list, &names, &n, "metrics") < 0) return NULL;
    if (n > MOST) n = MOST;
    for (size_t i = 0; ok && i < n; ++i) ok = metric_of(s, names[i], &numbers[i]) == 0;
    if (n) v.metrics = numbers, v.n_metrics = n;
    if (ok) result = fill_comparison(s, &v, judged, subtitle, how);
    PyMem_Free((void *)names);
    return result;
}

static PyObject *verdict_dict(const scarce_compare *c, const scarce_verdict *w)
{
    char text[160];
    scarce_verdict_text(text, sizeof text, w);
    return Py_BuildValue("{szszsdsdsdsdsdss}", "a", scarce_compare_name(c, w->a), "b",
                         scarce_compare_name(c, w->b), "difference", w->pair.difference, "lo", w->pair.lo,
                         "hi", w->pair.hi, "p_wilcoxon", w->holm, "p_corrected", w->holm_corrected, "verdict",
                         text);
}

/* compare_verdicts(capsule, metric) -> (ranks, p of Friedman's test, [pairs]) */
static PyObject *compare_verdicts(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *capsule, *ranks, *pairs;
    scarce_verdicts *v = NULL;
    const scarce_compare *c;
    const char *metric;
    size_t judged;
    double p;

    if (!PyArg_ParseTuple(args, "Os", &capsule, &metric) || !(c = compare_of(capsule)) ||
        metric_of(s, metric, &judged) < 0)
        return NULL;
    if (scarce_verdicts_new(&v, c, judged, NULL, &err) != SCARCE_OK) return raise_status(s, &err);
    ranks = PyList_New((Py_ssize_t)scarce_compare_methods(c));
    for (size_t i = 0; ranks && i < scarce_compare_methods(c); ++i) {
        PyObject *rank = PyFloat_FromDouble(v->rank[i]);
        if (!rank || PyList_SetItem(ranks, (Py_ssize_t)i, rank) < 0) Py_CLEAR(ranks);
    }
    pairs = PyList_New((Py_ssize_t)v->n_pairs);
    for (size_t i = 0; pairs && i < v->n_pairs; ++i) {
        PyObject *pair = verdict_dict(c, v->pairs[i]);
        if (!pair || PyList_SetItem(pairs, (Py_ssize_t)i, pair) < 0) Py_CLEAR(pairs);
    }
    p = scarce_compare_methods(c) > 2 ? v->friedman.p : (double)NAN;
    scarce_verdicts_free(v);
    if (ranks && pairs) return Py_BuildValue("NdN", ranks, p, pairs);
    Py_XDECREF(ranks);
    Py_XDECREF(pairs);
    return NULL;
}

PyMethodDef page_functions[] = {{"page_training", page_training, METH_VARARGS, NULL},
                                {"page_evaluation", page_evaluation, METH_VARARGS, NULL},
                                {"page_comparison", page_comparison, METH_VARARGS, NULL},
                                {"compare_verdicts", compare_verdicts, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
