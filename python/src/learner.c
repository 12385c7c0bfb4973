/* SPDX-License-Identifier: Apache-2.0 */
/* Learners of <scarce/learn.h>: blocks of rows, and one row after the other. A learner belongs to one thread at a time. */
#include "core.h"

#include <string.h>

static void learner_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    learner_object *l = LEARNER(self);

    row_form_free(&l->form);
    scarce_learner_free(l->learner);
    scarce_context_free(l->ctx);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* Two threads at once would spoil the weights: the second is told. 0: it may go on, and calls leave(). */
static int enter(PyObject *self)
{
    if (!__atomic_test_and_set(&LEARNER(self)->busy, __ATOMIC_ACQUIRE)) return 0;
    PyErr_SetString(PyExc_RuntimeError, "a learner is used by two threads at once");
    return -1;
}

static void leave(PyObject *self)
{
    __atomic_clear(&LEARNER(self)->busy, __ATOMIC_RELEASE);
}

/* ---- making */

static learner_object *empty_learner(const module_state *s, PyObject *how)
{
    learner_object *l = PyObject_New(learner_object, (PyTypeObject *)s->learner_type);
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *seed = how && how != Py_None ? PyDict_GetItemString(how, "seed") : NULL;

    if (!l) return NULL;
    l->learner = NULL, l->ctx = NULL, l->busy = 0;
    memset(&l->form, 0, sizeof l->form);
    if (seed) o.seed = PyLong_AsUnsignedLongLong(seed);
    o.threads = 1;
    if (!PyErr_Occurred() && scarce_context_new(&l->ctx, &o, &err) != SCARCE_OK) raise_status(s, &err);
    if (!l->ctx) Py_CLEAR(l);
    return l;
}

static int take_options(scarce_learner_options *o, PyObject *dict)
{
    int adapt = (int)o->adapt;

    if (take_double(dict, "delay", &o->delay) < 0 || take_size(dict, "max_pending", &o->max_pending) < 0 ||
        take_size(dict, "window", &o->window) < 0 || take_size(dict, "top", &o->top) < 0 ||
        take_int(dict, "adapt", &adapt) < 0)
        return -1;
    o->adapt = (scarce_adapt)adapt;
    return 0;
}

/* A learner that was made, or its error. */
static PyObject *finished(learner_object *l, scarce_status st, const scarce_error *err, const module_state *s)
{
    if (st != SCARCE_OK) raise_status(s, err);
    else if (row_form_make(&l->form, scarce_learner_schema(l->learner), s) == 0) return (PyObject *)l;
    Py_DECREF((PyObject *)l);
    return NULL;
}

/* learner_new(table, spec, params, n_classes, positive, options, how): rows as those of the table */
static PyObject *learner_new(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_learner_options o = SCARCE_LEARNER_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *table, *given, *options, *how;
    Py_ssize_t n_classes, positive;
    scarce_params *params;
    learner_object *l;
    const char *spec;
    scarce_status st;

    if (!PyArg_ParseTuple(args, "OsO!nnO!O", &table, &spec, &PyDict_Type, &given, &n_classes, &positive,
                          &PyDict_Type, &options, &how) ||
        !is_table(s, table) || take_options(&o, options) < 0 ||
        make_params(&params, s, spec, given, NULL) < 0)
        return NULL;
    l = empty_learner(s, how);
    if (!l) {
        scarce_params_free(params);
        return NULL;
    }
    st = scarce_learner_new_classes(&l->learner, params, scarce_table_schema(TABLE(table)), (size_t)n_classes,
                                    (size_t)positive, &o, l->ctx, &err);
    scarce_params_free(params);
    return finished(l, st, &err, s);
}

/* learner_go_on(model, options, how) */
static PyObject *learner_go_on(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_learner_options o = SCARCE_LEARNER_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *model, *options, *how;
    learner_object *l;

    if (!PyArg_ParseTuple(args, "O!O!O", s->model_type, &model, &PyDict_Type, &options, &how) ||
        take_options(&o, options) < 0)
        return NULL;
    l = empty_learner(s, how);
    if (!l) return NULL;
    return finished(l, scarce_learner_go_on(&l->learner, MODEL(model)->model, &o, l->ctx, &err), &err, s);
}

/* ---- blocks */

/* block(table) -> score of each row, given before it was learnt */
static PyObject *learner_block(PyObject *self, PyObject *table)
{
    const module_state *s = state_of(self);
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *score;
    scarce_status st;

    if (!is_table(s, table)) return NULL;
    score = bytes_of(NULL, scarce_table_rows(TABLE(table)), sizeof(double));
    if (!score || enter(self) < 0) {
        Py_XDECREF(score);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    st = scarce_learner_block(LEARNER(self)->learner, TABLE(table), 0, (double *)(void *)bytes_at(score),
                              &err);
    Py_END_ALLOW_THREADS;
    leave(self);
    if (st == SCARCE_OK) return score;
    Py_DECREF(score);
    return raise_status(s, &err);
}

static PyObject *learner_flush(PyObject *self, PyObject *unused)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st;

    (void)unused;
    if (enter(self) < 0) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    st = scarce_learner_flush(LEARNER(self)->learner, &err);
    Py_END_ALLOW_THREADS;
    leave(self);
    if (st != SCARCE_OK) return raise_status(state_of(self), &err);
    Py_RETURN_NONE;
}

/* ---- one row */

typedef struct lesson {
    PyObject *self;
    double score, weight, *probability;
    size_t label;
} lesson;

static int score_values(void *payload, const float *values)
{
    lesson *x = payload;
    x->score = scarce_learner_score(LEARNER(x->self)->learner, values);
    return 0;
}

static int class_values(void *payload, const float *values)
{
    lesson *x = payload;
    scarce_error err = SCARCE_ERROR_INIT;

    if (scarce_learner_classes(LEARNER(x->self)->learner, values, x->probability, &err) == SCARCE_OK)
        return 0;
    raise_status(state_of(x->self), &err);
    return -1;
}

static int learn_values(void *payload, const float *values)
{
    lesson *x = payload;
    scarce_error err = SCARCE_ERROR_INIT;

    if (scarce_learner_learn(LEARNER(x->self)->learner, values, x->label, x->weight, &err) == SCARCE_OK)
        return 0;
    raise_status(state_of(x->self), &err);
    return -1;
}

/* A category that came new. */
static int new_code(void *payload, size_t f, const char *text, size_t n, float *out)
{
    PyObject *self = payload;
    scarce_error err = SCARCE_ERROR_INIT;

    if (scarce_learner_code(LEARNER(self)->learner, f, text, n, out, &err) == SCARCE_OK) return 0;
    raise_status(state_of(self), &err);
    return -1;
}

/* What reading a row calls may be Python code, so the learner is taken for the whole of it. */
static int use_row(PyObject *self, PyObject *row, int (*use)(void *, const float *), lesson *x)
{
    int r;

    if (enter(self) < 0) return -1;
    r = with_row(&LEARNER(self)->form, row, use, x);
    leave(self);
    return r;
}

static PyObject *learner_score_one(PyObject *self, PyObject *row)
{
    lesson x = {.self = self};
    return use_row(self, row, score_values, &x) < 0 ? NULL : PyFloat_FromDouble(x.score);
}

/* classes_one(row) -> probability of each class */
static PyObject *learner_classes_one(PyObject *self, PyObject *row)
{
    PyObject *result = bytes_of(NULL, scarce_learner_n_classes(LEARNER(self)->learner), sizeof(double));
    lesson x = {.self = self};

    if (!result) return NULL;
    x.probability = (double *)(void *)bytes_at(result);
    if (use_row(self, row, class_values, &x) < 0) Py_CLEAR(result);
    return result;
}

/* learn_one(row, class, weight) */
static PyObject *learner_learn_one(PyObject *self, PyObject *args)
{
    lesson x = {.self = self};
    PyObject *row;
    Py_ssize_t label;
    int r;

    if (!PyArg_ParseTuple(args, "Ond", &row, &label, &x.weight) || enter(self) < 0) return NULL;
    x.label = (size_t)label;
    LEARNER(self)->form.code = new_code, LEARNER(self)->form.payload = self;
    r = with_row(&LEARNER(self)->form, row, learn_values, &x);
    LEARNER(self)->form.code = NULL;
    leave(self);
    if (r < 0) return NULL;
    Py_RETURN_NONE;
}

/* ---- how it goes, and what comes out */

static PyObject *status_dict(const scarce_learner_status *f)
{
    return Py_BuildValue(
        "{sKsKsKsKsKsKsKsKsKsKsKsKsKsKsnsdsdsdsdsdsdsK}", "rows", (unsigned long long)f->rows, "learnt",
        (unsigned long long)f->learnt, "positives", (unsigned long long)f->positives, "pending",
        (unsigned long long)f->pending, "dropped", (unsigned long long)f->dropped, "refused",
        (unsigned long long)f->refused, "unlabelled", (unsigned long long)f->unlabelled, "early",
        (unsigned long long)f->early, "new_categories", (unsigned long long)f->new_categories,
        "shared_categories", (unsigned long long)f->shared_categories, "drifts_loss",
        (unsigned long long)f->drifts_loss, "drifts_score", (unsigned long long)f->drifts_score, "restarts",
        (unsigned long long)f->restarts, "decays", (unsigned long long)f->decays, "window",
        (Py_ssize_t)f->window, "ap", f->ap, "card_precision", f->card_precision, "log_loss", f->log_loss,
        "log_loss_early", f->log_loss_early, "lag", f->lag, "error", f->error, "other_labels",
        (unsigned long long)f->other_labels);
}

static PyObject *learner_status(PyObject *self, PyObject *unused)
{
    scarce_learner_status f = SCARCE_LEARNER_STATUS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st;

    (void)unused;
    if (enter(self) < 0) return NULL;
    st = scarce_learner_get_status(&f, LEARNER(self)->learner, &err);
    leave(self);
    return st == SCARCE_OK ? status_dict(&f) : raise_status(state_of(self), &err);
}

static PyObject *learner_model(PyObject *self, PyObject *unused)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    scarce_status st;

    (void)unused;
    if (enter(self) < 0) return NULL;
    st = scarce_learner_model(&model, LEARNER(self)->learner, &err);
    leave(self);
    return st == SCARCE_OK ? new_model(state_of(self), model) : raise_status(state_of(self), &err);
}

static PyObject *learner_checkpoint(PyObject *self, PyObject *path)
{
    scarce_error err = SCARCE_ERROR_INIT;
    const char *to;
    scarce_status st;

    if (text_or_none(path, &to, "path") < 0 || !to || enter(self) < 0) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    st = scarce_learner_checkpoint(LEARNER(self)->learner, to, &err);
    Py_END_ALLOW_THREADS;
    leave(self);
    if (st != SCARCE_OK) return raise_status(state_of(self), &err);
    Py_RETURN_NONE;
}

static PyObject *learner_schema(PyObject *self, PyObject *unused)
{
    (void)unused;
    return schema_dict(scarce_learner_schema(LEARNER(self)->learner));
}

static PyMethodDef learner_methods[] = {{"block", learner_block, METH_O, NULL},
                                        {"flush", learner_flush, METH_NOARGS, NULL},
                                        {"score_one", learner_score_one, METH_O, NULL},
                                        {"classes_one", learner_classes_one, METH_O, NULL},
                                        {"learn_one", learner_learn_one, METH_VARARGS, NULL},
                                        {"status", learner_status, METH_NOARGS, NULL},
                                        {"model", learner_model, METH_NOARGS, NULL},
                                        {"checkpoint", learner_checkpoint, METH_O, NULL},
                                        {"schema", learner_schema, METH_NOARGS, NULL},
                                        {NULL, NULL, 0, NULL}};

static PyType_Slot learner_slots[] = {
    {Py_tp_dealloc, learner_dealloc}, {Py_tp_methods, learner_methods}, {0, NULL}};

PyType_Spec learner_spec = {"scarce._core.Learner", sizeof(learner_object), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, learner_slots};

PyMethodDef learner_functions[] = {{"learner_new", learner_new, METH_VARARGS, NULL},
                                   {"learner_go_on", learner_go_on, METH_VARARGS, NULL},
                                   {NULL, NULL, 0, NULL}};
