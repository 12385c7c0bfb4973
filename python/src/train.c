/* SPDX-License-Identifier: Apache-2.0 */
/* Methods and their parameters; training; losses written in Python. */
#include "core.h"

#include <math.h>
#include <string.h>

/* ---- what there is */

static PyObject *param_dict(const scarce_param_info *p)
{
    return Py_BuildValue("{sssssssssdsdsssssz}", "name", p->name, "aliases", p->aliases, "type", p->type,
                         "default", p->def, "lo", p->lo, "hi", p->hi, "help", p->help, "search",
                         p->search ? p->search : "", "when", p->when);
}

static PyObject *params_list(size_t which, size_t n, scarce_param_info (*get)(size_t, size_t))
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; ++i) {
        const scarce_param_info p = get(which, i);
        PyObject *dict = param_dict(&p);
        if (!dict || PyList_SetItem(list, (Py_ssize_t)i, dict) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *methods(PyObject *module, PyObject *unused)
{
    const size_t n = scarce_method_count();
    PyObject *list = PyList_New((Py_ssize_t)n);

    (void)module;
    (void)unused;
    for (size_t i = 0; list && i < n; ++i) {
        const scarce_method_info m = scarce_method_get(i);
        PyObject *dict = Py_BuildValue("{sssssssssIszsN}", "name", m.name, "family", m.family, "summary",
                                       m.summary, "paper", m.paper, "can", m.can, "stages", m.stages,
                                       "params", params_list(i, m.n_params, scarce_method_param));
        if (!dict || PyList_SetItem(list, (Py_ssize_t)i, dict) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *resamplers(PyObject *module, PyObject *unused)
{
    const size_t n = scarce_resample_count();
    PyObject *list = PyList_New((Py_ssize_t)n);

    (void)module;
    (void)unused;
    for (size_t i = 0; list && i < n; ++i) {
        const scarce_resample_method m = scarce_resample_get(i);
        PyObject *dict = Py_BuildValue("{sssssN}", "name", m.name, "summary", m.summary, "params",
                                       params_list(i, m.n_params, scarce_resample_param));
        if (!dict || PyList_SetItem(list, (Py_ssize_t)i, dict) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *simulations(PyObject *module, PyObject *unused)
{
    const size_t n = scarce_simulate_count();
    PyObject *list = PyList_New((Py_ssize_t)n);

    (void)module;
    (void)unused;
    for (size_t i = 0; list && i < n; ++i) {
        const scarce_simulate_info m = scarce_simulate_get(i);
        PyObject *dict = Py_BuildValue("{sssssN}", "name", m.name, "summary", m.summary, "params",
                                       params_list(i, m.n_params, scarce_simulate_param));
        if (!dict || PyList_SetItem(list, (Py_ssize_t)i, dict) < 0) Py_CLEAR(list);
    }
    return list;
}

/* ---- parameters */

int make_params(scarce_params **out, const module_state *s, const char *spec, PyObject *dict,
                const char *resample)
{
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *key, *value;
    Py_ssize_t at = 0;

    *out = NULL;
    if (scarce_params_of_spec(out, spec, &err) != SCARCE_OK) {
        raise_status(s, &err);
        return -1;
    }
    while (PyDict_Next(dict, &at, &key, &value)) {
        const char *name, *text;
        if (text_or_none(key, &name, "a parameter's name") < 0 ||
            text_or_none(value, &text, "a parameter's value") < 0 || !name || !text)
            goto failed;
        if (scarce_params_set(*out, name, text, &err) != SCARCE_OK) {
            raise_status(s, &err);
            goto failed;
        }
    }
    if (resample && scarce_params_set_resample(*out, resample, &err) != SCARCE_OK) {
        raise_status(s, &err);
        goto failed;
    }
    return 0;
failed:
    scarce_params_free(*out);
    *out = NULL;
    return -1;
}

/* params_can(spec, dict): flags of what the method can with these parameters */
static PyObject *params_can(PyObject *module, PyObject *args)
{
    scarce_params *p;
    PyObject *dict, *result;
    const char *spec;

    if (!PyArg_ParseTuple(args, "sO!", &spec, &PyDict_Type, &dict) ||
        make_params(&p, state_of_module(module), spec, dict, NULL) < 0)
        return NULL;
    result = PyLong_FromUnsignedLong(scarce_params_can(p));
    scarce_params_free(p);
    return result;
}

/* ---- own losses */

typedef struct own_loss {
    talk *talk;
    PyObject *function;
    double link;
} own_loss;

static PyObject *view_of(const void *from, size_t bytes, int write)
{
    if (!from) Py_RETURN_NONE;
    return PyMemoryView_FromMemory((char *)(uintptr_t)from, (Py_ssize_t)bytes,
                                   write ? PyBUF_WRITE : PyBUF_READ);
}

/* The Python side gets views of score, label, weight, row, g, h as bytes, and the first row's number. The views die
 * with the call: they are released before the library goes on. */
static int on_gradients(void *payload, const scarce_loss_rows *rows, float *g, float *h)
{
    own_loss *l = payload;
    const size_t n = rows->n, f = sizeof(float);
    PyObject *views[6], *r = NULL;
    int ok = 1;

    if (l->talk->stopped) return 1;
    talk_in(l->talk);
    if (PyErr_CheckSignals() < 0) ok = 0;
    views[0] = view_of(rows->score, n * f, 0);
    views[1] = view_of(rows->label, n, 0);
    views[2] = view_of(rows->weight, n * f, 0);
    views[3] = view_of(rows->row, n * sizeof(uint32_t), 0);
    views[4] = view_of(g, n * f, 1);
    views[5] = view_of(h, n * f, 1);
    for (int i = 0; i < 6; ++i) ok = ok && views[i];
    if (ok)
        r = PyObject_CallFunction(l->function, "OOOOOOn", views[0], views[1], views[2], views[3], views[4],
                                  views[5], (Py_ssize_t)rows->first);
    for (int i = 0; i < 6; ++i) {
        if (views[i] && views[i] != Py_None) {
            PyObject *type, *value, *trace, *released;
            PyErr_Fetch(&type, &value, &trace);
            released = PyObject_CallMethod(views[i], "release", NULL);
            if (!released) PyErr_Clear(); /* an array still looks at it: its owner was told not to keep it */
            Py_XDECREF(released);
            PyErr_Restore(type, value, trace);
        }
        Py_XDECREF(views[i]);
    }
    if (!r) l->talk->stopped = 1;
    Py_XDECREF(r);
    talk_out(l->talk);
    return l->talk->stopped;
}

/* Where the score has a link, trees begin at the log-odds of the labels, as those of the library's own losses do. */
static double on_start(void *payload, const scarce_loss_rows *rows)
{
    const own_loss *l = payload;
    double positive = 0, all = 0;

    for (size_t i = 0; i < rows->n; ++i) {
        const double w = rows->weight ? (double)rows->weight[i] : 1;
        positive += w * rows->label[i];
        all += w;
    }
    return positive > 0 && positive < all ? log(positive / (all - positive)) / l->link : 0;
}

/* ---- training */

static PyObject *summary_dict(const scarce_train_summary *s)
{
    PyObject *curve = s->curve ? bytes_of(s->curve, s->n_curve, sizeof(double)) : Py_NewRef(Py_None);
    if (!curve) return NULL;
    return Py_BuildValue(
        "{snsnsnsnsnsdsdsdsOsNsnsn}", "rows", (Py_ssize_t)s->rows, "features", (Py_ssize_t)s->features,
        "positives", (Py_ssize_t)s->positives, "iterations", (Py_ssize_t)s->iterations, "best_iteration",
        (Py_ssize_t)s->best_iteration, "valid_metric", s->valid_metric, "seconds_prepare", s->seconds_prepare,
        "seconds_train", s->seconds_train, "cancelled", s->cancelled ? Py_True : Py_False, "curve", curve,
        "members", (Py_ssize_t)s->members, "idle_members", (Py_ssize_t)s->idle_members);
}

/* What was raised in a callback, or None; the model so far goes with it. */
static PyObject *raised(void)
{
    PyObject *type, *value, *trace;

    PyErr_Fetch(&type, &value, &trace);
    if (!type) Py_RETURN_NONE;
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace && value) PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
}

int take_train_options(scarce_train_options *o, PyObject *options)
{
    return take_int(options, "early_stop", &o->early_stop) < 0 ||
                   take_text(options, "metric", &o->metric) < 0 ||
                   take_text(options, "calibrate", &o->calibrate) < 0 ||
                   take_text(options, "threshold", &o->threshold) < 0
               ? -1
               : 0;
}

PyObject *end_training(talk *t, scarce_status st, scarce_model *model, const scarce_train_summary *summary,
                       const module_state *s)
{
    PyObject *what, *made;

    if (st != SCARCE_OK) {
        (void)talk_failed(t, st, s);
        return NULL;
    }
    what = raised();
    made = what ? new_model(s, model) : NULL;
    if (!what) scarce_model_free(model);
    if (made) return Py_BuildValue("NNN", made, summary_dict(summary), what);
    Py_XDECREF(what);
    return NULL;
}

/* train(table, valid or None, spec, params, options, loss, how) -> (model, summary, exception or None) */
static PyObject *train(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_train_summary summary = SCARCE_TRAIN_SUMMARY_INIT;
    scarce_loss loss = SCARCE_LOSS_INIT;
    PyObject *table, *valid, *params_given, *options, *function, *how, *resume, *result = NULL;
    const char *spec, *resample = NULL;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    own_loss own;
    talk t;

    if (!PyArg_ParseTuple(args, "OOsO!O!OO", &table, &valid, &spec, &PyDict_Type, &params_given, &PyDict_Type,
                          &options, &function, &how))
        return NULL;
    if (!is_table(s, table) || (valid != Py_None && !is_table(s, valid))) return NULL;
    if (valid != Py_None) o.valid = TABLE(valid);
    if (take_train_options(&o, options) < 0 || take_double(options, "odds_factor", &o.odds_factor) < 0 ||
        take_text(options, "checkpoint", &o.checkpoint) < 0 ||
        take_int(options, "checkpoint_every", &o.checkpoint_every) < 0 ||
        take_text(options, "resample", &resample) < 0 || take_double(options, "link", &loss.link) < 0 ||
        take_text(options, "loss_name", &loss.name) < 0)
        return NULL;
    resume = PyDict_GetItemString(options, "resume");
    if (resume && resume != Py_None) {
        if (!PyObject_TypeCheck(resume, (PyTypeObject *)s->model_type)) {
            PyErr_SetString(PyExc_TypeError, "resume must be a model");
            return NULL;
        }
        o.resume = MODEL(resume)->model;
    }
    if (make_params(&params, s, spec, params_given, resample) < 0) return NULL;
    if (talk_begin(&t, how, s) < 0) {
        scarce_params_free(params);
        return NULL;
    }
    if (PyLong_Check(function)) {
        void *address = PyLong_AsVoidPtr(function);
        memcpy(&loss.gradients, &address, sizeof address);
        o.loss = &loss;
    } else if (function != Py_None) {
        own.talk = &t;
        own.function = function;
        loss.payload = &own;
        loss.whole_list = 1;
        loss.gradients = on_gradients;
        own.link = loss.link;
        if (loss.link > 0) loss.start = on_start;
        o.loss = &loss;
    }
    if (!PyErr_Occurred()) {
        scarce_status st;
        talk_leave(&t);
        st = scarce_train(&model, TABLE(table), params, &o, &summary, t.ctx, &t.err);
        talk_return(&t);
        result = end_training(&t, st, model, &summary, s);
    }
    scarce_train_summary_deinit(&summary);
    talk_end(&t);
    scarce_params_free(params);
    return result;
}

/* train_check(spec, params, options): raises what train would refuse without data */
static PyObject *train_check(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *dict, *options;
    const char *spec, *resample = NULL;
    scarce_params *p;
    scarce_status st;

    if (!PyArg_ParseTuple(args, "sO!O!", &spec, &PyDict_Type, &dict, &PyDict_Type, &options)) return NULL;
    if (take_train_options(&o, options) < 0 || take_int(options, "expects_valid", &o.expects_valid) < 0 ||
        take_text(options, "resample", &resample) < 0)
        return NULL;
    if (make_params(&p, s, spec, dict, resample) < 0) return NULL;
    st = scarce_train_check(p, &o, &err);
    scarce_params_free(p);
    if (st != SCARCE_OK) return raise_status(s, &err);
    Py_RETURN_NONE;
}

/* nearest(name, names) -> str or None */
static PyObject *nearest(PyObject *module, PyObject *args)
{
    const char *name, **names;
    PyObject *list, *result;
    size_t n;

    (void)module;
    if (!PyArg_ParseTuple(args, "sO", &name, &list) || take_names(list, &names, &n, "names") < 0) return NULL;
    result = text_of(scarce_nearest_name(name, names, n));
    PyMem_Free((void *)names);
    return result;
}

static PyObject *default_threads(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyLong_FromLong(scarce_default_threads());
}

static PyObject *memory_limit(PyObject *module, PyObject *bytes)
{
    const double n = PyFloat_AsDouble(bytes);
    (void)module;
    if (PyErr_Occurred()) return NULL;
    scarce_memory_limit(n);
    Py_RETURN_NONE;
}

PyMethodDef train_functions[] = {{"methods", methods, METH_NOARGS, NULL},
                                 {"resamplers", resamplers, METH_NOARGS, NULL},
                                 {"simulations", simulations, METH_NOARGS, NULL},
                                 {"params_can", params_can, METH_VARARGS, NULL},
                                 {"train", train, METH_VARARGS, NULL},
                                 {"train_check", train_check, METH_VARARGS, NULL},
                                 {"nearest", nearest, METH_VARARGS, NULL},
                                 {"default_threads", default_threads, METH_NOARGS, NULL},
                                 {"memory_limit", memory_limit, METH_O, NULL},
                                 {NULL, NULL, 0, NULL}};
