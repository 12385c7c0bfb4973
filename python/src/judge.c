/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics, intervals, curves, thresholds, budgets: of scores in arrays. */
#include "core.h"

#include <string.h>

/* ---- the rows that are judged: a dict of arrays */

void scored_free(scored *s)
{
    while (s->n_views > 0) PyBuffer_Release(&s->views[--s->n_views]);
}

int scored_make(scored *s, PyObject *dict)
{
    static const struct {
        const char *name;
        char kind;
        size_t at;
    } arrays[] = {{"score", 'd', offsetof(scarce_scored, score)},
                  {"label", 'B', offsetof(scarce_scored, label)},
                  {"weight", 'd', offsetof(scarce_scored, weight)},
                  {"probability", 'd', offsetof(scarce_scored, probability)},
                  {"time", 'd', offsetof(scarce_scored, time)},
                  {"amount", 'd', offsetof(scarce_scored, amount)},
                  {"group", 'i', offsetof(scarce_scored, group)}};
    const scarce_scored none = SCARCE_SCORED_INIT;

    s->in = none;
    s->n_views = 0;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        PyObject *o = PyDict_GetItemString(dict, arrays[i].name);
        const void *items;
        size_t n = i ? s->in.n : 0;
        const int r = take_array(o, arrays[i].kind, &s->views[s->n_views], &items, &n, arrays[i].name);
        if (r < 0 || (i == 0 && r == 0)) {
            if (r == 0) PyErr_SetString(PyExc_TypeError, "score is missing");
            scored_free(s);
            return -1;
        }
        if (i == 0) s->in.n = n;
        s->n_views += r;
        memcpy((char *)&s->in + arrays[i].at, &items, sizeof items);
    }
    return 0;
}

int take_metrics_options(scarce_metrics_options *o, PyObject *dict, Py_buffer *view, size_t n)
{
    PyObject *alert = dict != Py_None ? PyDict_GetItemString(dict, "alert") : NULL;
    const void *items;
    int on = 0, r;

    view->obj = NULL;
    if (take_double(dict, "k", &o->k) < 0 || take_double(dict, "k_share", &o->k_share) < 0 ||
        take_double(dict, "threshold", &o->threshold) < 0 || take_double(dict, "beta", &o->beta) < 0 ||
        take_double(dict, "cost", &o->cost) < 0 || take_int(dict, "ece_bins", &o->ece_bins) < 0 ||
        take_double(dict, "card_k", &o->card_k) < 0 || take_double(dict, "day_length", &o->day_length) < 0 ||
        take_int(dict, "threshold_on", &on) < 0)
        return -1;
    o->threshold_on = (scarce_threshold_on)on;
    r = take_array(alert, 'B', view, &items, &n, "alert");
    if (r < 1) view->obj = NULL;
    o->alert = items;
    return r < 0 ? -1 : 0;
}

/* ---- metrics */

static PyObject *metric_table(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New((Py_ssize_t)scarce_metric_count());

    (void)module;
    (void)unused;
    for (size_t i = 0; list && i < scarce_metric_count(); ++i) {
        PyObject *item = Py_BuildValue("ssii", scarce_metric_name(i), scarce_metric_help(i),
                                       scarce_metric_direction(i), scarce_metric_is_count(i));
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
    }
    return list;
}

/* metric_find(name) -> the name it has here, or None */
static PyObject *metric_find(PyObject *module, PyObject *name)
{
    const char *text;
    (void)module;
    if (text_or_none(name, &text, "metric") < 0 || !text) return NULL;
    return text_of(scarce_metric_name(scarce_metric_find(text)));
}

static PyObject *metrics_dict(const scarce_metrics *m)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < scarce_metric_count(); ++i)
        if (put(dict, scarce_metric_name(i), PyFloat_FromDouble(scarce_metric_value(m, i))) < 0)
            Py_CLEAR(dict);
    return dict;
}

/* metrics(scored, options, how) -> dict */
static PyObject *metrics(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    PyObject *dict, *options, *how, *result = NULL;
    scarce_metrics m = SCARCE_METRICS_INIT;
    scored rows;
    Py_buffer alert;
    talk t;

    if (!PyArg_ParseTuple(args, "O!OO", &PyDict_Type, &dict, &options, &how) || scored_make(&rows, dict) < 0)
        return NULL;
    if (take_metrics_options(&o, options, &alert, rows.in.n) == 0) {
        if (talk_begin(&t, how, s) == 0) {
            scarce_status st;
            talk_leave(&t);
            st = scarce_metrics_compute(&m, &rows.in, &o, t.ctx, &t.err);
            talk_return(&t);
            if (!talk_failed(&t, st, s)) result = metrics_dict(&m);
            talk_end(&t);
        }
        if (alert.obj) PyBuffer_Release(&alert);
    }
    scored_free(&rows);
    return result;
}

/* bootstrap(scored, options, names, replicates, level, how) -> {name: (value, lo, hi, sd)} */
static PyObject *bootstrap(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    scarce_bootstrap_options b = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    PyObject *dict, *options, *list, *how, *result = NULL;
    scarce_metrics_interval *out = NULL;
    const char **names = NULL;
    size_t n = 0, *numbers = NULL;
    Py_ssize_t replicates;
    scored rows;
    Py_buffer alert;
    talk t;

    if (!PyArg_ParseTuple(args, "O!OOndO", &PyDict_Type, &dict, &options, &list, &replicates, &b.level,
                          &how) ||
        scored_make(&rows, dict) < 0)
        return NULL;
    b.replicates = (size_t)replicates;
    if (take_names(list, &names, &n, "metrics") == 0 &&
        take_metrics_options(&o, options, &alert, rows.in.n) == 0) {
        out = PyMem_Calloc(n + 1, sizeof *out);
        numbers = PyMem_Calloc(n + 1, sizeof *numbers);
        for (size_t i = 0; numbers && i < n; ++i) {
            numbers[i] = scarce_metric_find(names[i]);
            if (numbers[i] == SIZE_MAX) PyErr_Format(s->parameter_error, "no metric \"%s\"", names[i]);
        }
        if (!out || !numbers) PyErr_NoMemory();
        else if (!PyErr_Occurred() && talk_begin(&t, how, s) == 0) {
            scarce_status st;
            talk_leave(&t);
            st = scarce_metrics_bootstrap(out, numbers, n, &rows.in, &o, &b, t.ctx, &t.err);
            talk_return(&t);
            if (!talk_failed(&t, st, s)) result = PyDict_New();
            for (size_t i = 0; result && i < n; ++i)
                if (put(result, scarce_metric_name(numbers[i]),
                        Py_BuildValue("dddd", out[i].value, out[i].lo, out[i].hi, out[i].sd)) < 0)
                    Py_CLEAR(result);
            talk_end(&t);
        }
        if (alert.obj) PyBuffer_Release(&alert);
    }
    PyMem_Free((void *)names);
    PyMem_Free(out);
    PyMem_Free(numbers);
    scored_free(&rows);
    return result;
}

/* average_precision(score, label, weight or None) */
static PyObject *average_precision(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    PyObject *dict, *how, *result = NULL;
    double ap;
    scored rows;
    talk t;

    if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &dict, &how) || scored_make(&rows, dict) < 0)
        return NULL;
    if (talk_begin(&t, how, s) == 0) {
        scarce_status st;
        talk_leave(&t);
        st = scarce_average_precision(&ap, rows.in.score, rows.in.label, rows.in.weight, rows.in.n, t.ctx,
                                      &t.err);
        talk_return(&t);
        if (!talk_failed(&t, st, s)) result = PyFloat_FromDouble(ap);
        talk_end(&t);
    }
    scored_free(&rows);
    return result;
}

/* ---- curves */

static PyObject *doubles(const double *x, size_t n)
{
    return bytes_of(x, n, sizeof *x);
}

static PyObject *calibration_dict(const scarce_calibration_bin *bins, size_t n)
{
    PyObject *p = bytes_of(NULL, n, 8), *share = bytes_of(NULL, n, 8), *weight = bytes_of(NULL, n, 8);
    for (size_t i = 0; p && share && weight && i < n; ++i) {
        memcpy(bytes_at(p) + 8 * i, &bins[i].mean_probability, 8);
        memcpy(bytes_at(share) + 8 * i, &bins[i].share_positive, 8);
        memcpy(bytes_at(weight) + 8 * i, &bins[i].weight, 8);
    }
    return Py_BuildValue("{sNsNsN}", "probability", p, "share", share, "weight", weight);
}

static PyObject *make_curve(const char *kind, const scored *rows, const scarce_metrics_options *o,
                            size_t most, talk *t, const module_state *s)
{
    scarce_curve c = {0, NULL, NULL, NULL};
    scarce_gains g = {0, NULL, NULL, NULL, NULL, 0, 0};
    scarce_calibration_bin bins[64];
    PyObject *result = NULL;
    scarce_status st;
    const int gains = strcmp(kind, "gains") == 0, calibration = strcmp(kind, "calibration") == 0;

    talk_leave(t);
    if (strcmp(kind, "pr") == 0) st = scarce_curve_pr(&c, &rows->in, most, t->ctx, &t->err);
    else if (strcmp(kind, "roc") == 0) st = scarce_curve_roc(&c, &rows->in, most, t->ctx, &t->err);
    else if (strcmp(kind, "cards") == 0) st = scarce_curve_cards(&c, &rows->in, o, t->ctx, &t->err);
    else if (gains)
        st = scarce_curve_gains(&g, &rows->in, o->cost == o->cost ? o->cost : 0, most, t->ctx, &t->err);
    else
        st = scarce_curve_calibration(bins, most > 64 || most < 2 ? 10 : most, SCARCE_BINS_EQUAL_COUNT,
                                      &rows->in, t->ctx, &t->err);
    talk_return(t);
    if (!talk_failed(t, st, s)) {
        if (gains)
            result = Py_BuildValue("{sNsNsNsNsdsn}", "alerts", doubles(g.alerts, g.n), "threshold",
                                   doubles(g.threshold, g.n), "recovered", doubles(g.recovered, g.n), "cost",
                                   doubles(g.cost, g.n), "at_stake", g.at_stake, "best", (Py_ssize_t)g.best);
        else if (calibration) result = calibration_dict(bins, most > 64 || most < 2 ? 10 : most);
        else
            result = Py_BuildValue("{sNsNsN}", "x", doubles(c.x, c.n), "y", doubles(c.y, c.n), "threshold",
                                   doubles(c.threshold, c.n));
    }
    scarce_curve_deinit(&c);
    scarce_gains_deinit(&g);
    return result;
}

/* curve(kind, scored, options, most, how) */
static PyObject *curve(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    PyObject *dict, *options, *how, *result = NULL;
    const char *kind;
    Py_ssize_t most;
    Py_buffer alert;
    scored rows;
    talk t;

    if (!PyArg_ParseTuple(args, "sO!OnO", &kind, &PyDict_Type, &dict, &options, &most, &how) ||
        scored_make(&rows, dict) < 0)
        return NULL;
    if (take_metrics_options(&o, options, &alert, rows.in.n) == 0) {
        if (talk_begin(&t, how, s) == 0) {
            result = make_curve(kind, &rows, &o, (size_t)most, &t, s);
            talk_end(&t);
        }
        if (alert.obj) PyBuffer_Release(&alert);
    }
    scored_free(&rows);
    return result;
}

/* ---- decisions */

/* threshold(rule, scored) -> (threshold, objective, alerts, hits) */
static PyObject *threshold(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_threshold_rule rule = SCARCE_THRESHOLD_RULE_INIT;
    scarce_threshold_choice choice;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st;
    const char *text;
    PyObject *dict;
    scored rows;

    if (!PyArg_ParseTuple(args, "sO!", &text, &PyDict_Type, &dict) || scored_make(&rows, dict) < 0)
        return NULL;
    st = scarce_threshold_parse(&rule, text, &err);
    if (st == SCARCE_OK) st = scarce_threshold_choose(&choice, &rule, &rows.in, &err);
    scored_free(&rows);
    if (st != SCARCE_OK) return raise_status(s, &err);
    return Py_BuildValue("dddd", choice.threshold, choice.objective, choice.alerts, choice.hits);
}

/* budget_alerts(scored, budget, span, live) -> (alerts, spans) */
static PyObject *budget_alerts(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_budget_options o = SCARCE_BUDGET_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *dict, *alert, *span;
    scored rows;
    int live;

    if (!PyArg_ParseTuple(args, "O!ddp", &PyDict_Type, &dict, &o.budget, &o.span, &live) ||
        scored_make(&rows, dict) < 0)
        return NULL;
    alert = bytes_of(NULL, rows.in.n, 1);
    span = bytes_of(NULL, rows.in.n, sizeof(uint32_t));
    if (alert && span &&
        scarce_budget_alerts((uint8_t *)bytes_at(alert), (uint32_t *)(void *)bytes_at(span), NULL, &rows.in,
                             &o, live ? SCARCE_BUDGET_LIVE : SCARCE_BUDGET_HINDSIGHT, &err) != SCARCE_OK) {
        raise_status(s, &err);
        Py_CLEAR(alert);
    }
    scored_free(&rows);
    if (alert && span) return Py_BuildValue("NN", alert, span);
    Py_XDECREF(alert);
    Py_XDECREF(span);
    return NULL;
}

/* rule(text) -> (kind, unit, budget, span): what a rule says */
static PyObject *rule(PyObject *module, PyObject *args)
{
    scarce_threshold_rule r = SCARCE_THRESHOLD_RULE_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    const char *text;

    if (!PyArg_ParseTuple(args, "s", &text)) return NULL;
    if (scarce_threshold_parse(&r, text, &err) != SCARCE_OK)
        return raise_status(state_of_module(module), &err);
    return Py_BuildValue("iidd", (int)r.kind, (int)r.unit, r.budget, r.span);
}

/* ---- a budget on a stream */

static void budget_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    scarce_budget_free(((budget_object *)self)->budget);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* offer(time, score) -> bool; threads wait for each other. */
static PyObject *budget_offer(PyObject *self, PyObject *args)
{
    budget_object *b = (budget_object *)self;
    scarce_error err = SCARCE_ERROR_INIT;
    double time, score;
    int alert;
    scarce_status st;

    if (!PyArg_ParseTuple(args, "dd", &time, &score)) return NULL;
    ALONE_BEGIN(self);
    st = scarce_budget_offer(b->budget, time, score, &alert, &err);
    ALONE_END();
    return st == SCARCE_OK ? PyBool_FromLong(alert) : raise_status(state_of(self), &err);
}

static PyMethodDef budget_methods[] = {{"offer", budget_offer, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyType_Slot budget_slots[] = {
    {Py_tp_dealloc, budget_dealloc}, {Py_tp_methods, budget_methods}, {0, NULL}};
PyType_Spec budget_spec = {"scarce._core.Budget", sizeof(budget_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, budget_slots};

/* budget(alerts, span, start or None) */
static PyObject *budget(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_budget_options o = SCARCE_BUDGET_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    budget_object *b;

    if (!PyArg_ParseTuple(args, "ddd", &o.budget, &o.span, &o.start)) return NULL;
    b = PyObject_New(budget_object, (PyTypeObject *)s->budget_type);
    if (!b) return NULL;
    b->budget = NULL;
    if (scarce_budget_new(&b->budget, &o, &err) == SCARCE_OK) return (PyObject *)b;
    Py_DECREF(b);
    return raise_status(s, &err);
}

/* wilcoxon(a, b) -> dict; holm(p) -> bytearray */
static PyObject *wilcoxon(PyObject *module, PyObject *args)
{
    scarce_wilcoxon_result r;
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *a, *b, *result = NULL;
    const void *x, *y = NULL;
    Py_buffer va, vb;
    size_t n = 0;

    if (!PyArg_ParseTuple(args, "OO", &a, &b) || take_array(a, 'd', &va, &x, &n, "a") < 1) return NULL;
    if (take_array(b, 'd', &vb, &y, &n, "b") == 1) {
        if (scarce_wilcoxon(&r, x, y, n, &err) == SCARCE_OK)
            result = Py_BuildValue("{snsdsdsdsi}", "n", (Py_ssize_t)r.n, "statistic", r.statistic, "z", r.z,
                                   "p", r.p, "exact", r.exact);
        else raise_status(state_of_module(module), &err);
        PyBuffer_Release(&vb);
    }
    PyBuffer_Release(&va);
    return result;
}

static PyObject *holm(PyObject *module, PyObject *p)
{
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *result;
    const void *x;
    Py_buffer v;
    size_t n = 0;

    if (take_array(p, 'd', &v, &x, &n, "p") < 1) return NULL;
    result = bytes_of(NULL, n, sizeof(double));
    if (result && scarce_holm((double *)(void *)bytes_at(result), x, n, &err) != SCARCE_OK) {
        raise_status(state_of_module(module), &err);
        Py_CLEAR(result);
    }
    PyBuffer_Release(&v);
    return result;
}

PyMethodDef judge_functions[] = {{"metric_table", metric_table, METH_NOARGS, NULL},
                                 {"metric_find", metric_find, METH_O, NULL},
                                 {"metrics", metrics, METH_VARARGS, NULL},
                                 {"bootstrap", bootstrap, METH_VARARGS, NULL},
                                 {"average_precision", average_precision, METH_VARARGS, NULL},
                                 {"curve", curve, METH_VARARGS, NULL},
                                 {"threshold", threshold, METH_VARARGS, NULL},
                                 {"rule", rule, METH_VARARGS, NULL},
                                 {"budget_alerts", budget_alerts, METH_VARARGS, NULL},
                                 {"budget", budget, METH_VARARGS, NULL},
                                 {"wilcoxon", wilcoxon, METH_VARARGS, NULL},
                                 {"holm", holm, METH_O, NULL},
                                 {NULL, NULL, 0, NULL}};
