/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that lie elsewhere (scale.h): sketches, plans and partitions as objects, messages as bytes, and a training that asks a
 * function of Python.
 *
 * Sketches and partitions change while the GIL is given up, so each takes one call at a time; a second one is refused. */
#include "core.h"

#include <stdatomic.h>

typedef struct sketch_object {
    PyObject_HEAD scarce_sketch *sketch;
    atomic_flag busy;
} sketch_object;

typedef struct plan_object {
    PyObject_HEAD scarce_plan *plan;
} plan_object;

typedef struct partition_object {
    PyObject_HEAD scarce_partition *partition;
    PyObject *plan; /* borrowed by the partition */
    atomic_flag busy;
} partition_object;

#define SKETCH(o) ((sketch_object *)(o))
#define PLAN(o) (((plan_object *)(o))->plan)
#define PARTITION(o) ((partition_object *)(o))

const scarce_schema *plan_schema_of(PyObject *plan)
{
    return scarce_plan_schema(PLAN(plan));
}

static int enter(atomic_flag *busy, const char *what)
{
    if (!atomic_flag_test_and_set(busy)) return 1;
    PyErr_Format(PyExc_RuntimeError, "another thread is using this %s", what);
    return 0;
}

/* The library's bytes as Python's, freed. */
static PyObject *message(void *bytes, size_t n)
{
    PyObject *result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)n);
    scarce_bytes_free(bytes);
    return result;
}

/* ---- numbered rows: (table, ids or None, first, how) */

typedef struct numbered {
    PyObject *table, *how;
    const void *id;
    uint64_t first;
    Py_buffer view;
    int held;
} numbered;

static int numbered_take(numbered *r, PyObject *args, const module_state *s)
{
    PyObject *ids;
    unsigned long long first;
    size_t n;

    if (!PyArg_ParseTuple(args, "OOKO", &r->table, &ids, &first, &r->how) || !is_table(s, r->table))
        return -1;
    n = scarce_table_rows(TABLE(r->table));
    r->first = first;
    r->held = take_array(ids, 'Q', &r->view, &r->id, &n, "ids");
    return r->held < 0 ? -1 : 0;
}

static void numbered_leave(numbered *r)
{
    if (r->held > 0) PyBuffer_Release(&r->view);
}

/* ---- sketches */

static void sketch_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    scarce_sketch_free(SKETCH(self)->sketch);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *sketch_new(PyObject *module, PyObject *unused)
{
    const module_state *s = state_of_module(module);
    sketch_object *o = PyObject_New(sketch_object, (PyTypeObject *)s->sketch_type);
    scarce_error err = SCARCE_ERROR_INIT;

    (void)unused;
    if (!o) return NULL;
    atomic_flag_clear(&o->busy);
    o->sketch = NULL;
    if (scarce_sketch_new(&o->sketch, &err) != SCARCE_OK) {
        raise_status(s, &err);
        Py_CLEAR(o);
    }
    return (PyObject *)o;
}

/* add(table, ids or None, first, how) */
static PyObject *sketch_add(PyObject *self, PyObject *args)
{
    const module_state *s = state_of(self);
    scarce_error err = SCARCE_ERROR_INIT;
    PyThreadState *away;
    scarce_status st;
    numbered r;

    if (numbered_take(&r, args, s) < 0) return NULL;
    if (!enter(&SKETCH(self)->busy, "sketch")) {
        numbered_leave(&r);
        return NULL;
    }
    away = PyEval_SaveThread();
    st = scarce_sketch_add(SKETCH(self)->sketch, TABLE(r.table), r.id, r.first, &err);
    PyEval_RestoreThread(away);
    atomic_flag_clear(&SKETCH(self)->busy);
    numbered_leave(&r);
    if (st != SCARCE_OK) return raise_status(s, &err);
    Py_RETURN_NONE;
}

static PyObject *sketch_bytes(PyObject *self, PyObject *unused)
{
    scarce_error err = SCARCE_ERROR_INIT;
    PyThreadState *away;
    scarce_status st;
    void *bytes = NULL;
    size_t n = 0;

    (void)unused;
    if (!enter(&SKETCH(self)->busy, "sketch")) return NULL;
    away = PyEval_SaveThread();
    st = scarce_sketch_bytes(&bytes, &n, SKETCH(self)->sketch, &err);
    PyEval_RestoreThread(away);
    atomic_flag_clear(&SKETCH(self)->busy);
    return st == SCARCE_OK ? message(bytes, n) : raise_status(state_of(self), &err);
}

/* join(bytes) */
static PyObject *sketch_join(PyObject *self, PyObject *bytes)
{
    scarce_error err = SCARCE_ERROR_INIT;
    PyThreadState *away;
    scarce_status st;
    Py_buffer view;

    if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) < 0) return NULL;
    if (!enter(&SKETCH(self)->busy, "sketch")) {
        PyBuffer_Release(&view);
        return NULL;
    }
    away = PyEval_SaveThread();
    st = scarce_sketch_join(SKETCH(self)->sketch, view.buf, (size_t)view.len, &err);
    PyEval_RestoreThread(away);
    atomic_flag_clear(&SKETCH(self)->busy);
    PyBuffer_Release(&view);
    if (st != SCARCE_OK) return raise_status(state_of(self), &err);
    Py_RETURN_NONE;
}

/* expect(rows) */
static PyObject *sketch_expect(PyObject *self, PyObject *rows)
{
    const unsigned long long n = PyLong_AsUnsignedLongLong(rows);

    if (n == (unsigned long long)-1 && PyErr_Occurred()) return NULL;
    if (!enter(&SKETCH(self)->busy, "sketch")) return NULL;
    scarce_sketch_expect(SKETCH(self)->sketch, n);
    atomic_flag_clear(&SKETCH(self)->busy);
    Py_RETURN_NONE;
}

static PyObject *sketch_enough(PyObject *self, PyObject *unused)
{
    int enough;

    (void)unused;
    if (!enter(&SKETCH(self)->busy, "sketch")) return NULL;
    enough = scarce_sketch_enough(SKETCH(self)->sketch);
    atomic_flag_clear(&SKETCH(self)->busy);
    return PyBool_FromLong(enough);
}

static PyMethodDef sketch_methods[] = {
    {"add", sketch_add, METH_VARARGS, NULL},      {"expect", sketch_expect, METH_O, NULL},
    {"enough", sketch_enough, METH_NOARGS, NULL}, {"to_bytes", sketch_bytes, METH_NOARGS, NULL},
    {"join", sketch_join, METH_O, NULL},          {NULL, NULL, 0, NULL}};
static PyType_Slot sketch_slots[] = {
    {Py_tp_dealloc, sketch_dealloc}, {Py_tp_methods, sketch_methods}, {0, NULL}};
PyType_Spec sketch_spec = {"scarce._core.Sketch", sizeof(sketch_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, sketch_slots};

/* ---- plans */

static void plan_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    scarce_plan_free(PLAN(self));
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *new_plan(const module_state *s, scarce_plan *plan)
{
    plan_object *o = PyObject_New(plan_object, (PyTypeObject *)s->plan_type);
    if (!o) scarce_plan_free(plan);
    else o->plan = plan;
    return (PyObject *)o;
}

static int is_plan(const module_state *s, PyObject *o)
{
    if (PyObject_TypeCheck(o, (PyTypeObject *)s->plan_type)) return 1;
    PyErr_Format(PyExc_TypeError, "expected a plan, not %R", (PyObject *)Py_TYPE(o));
    return 0;
}

/* plan_make(sketch, spec, params, how) */
static PyObject *plan_make(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    PyObject *sketch, *given, *how, *result = NULL;
    scarce_params *params;
    scarce_plan *plan = NULL;
    const char *spec;
    talk t;

    if (!PyArg_ParseTuple(args, "O!sO!O", s->sketch_type, &sketch, &spec, &PyDict_Type, &given, &how) ||
        make_params(&params, s, spec, given, NULL) < 0)
        return NULL;
    if (talk_begin(&t, how, s) == 0) {
        if (enter(&SKETCH(sketch)->busy, "sketch")) {
            scarce_status st;
            talk_leave(&t);
            st = scarce_plan_new(&plan, SKETCH(sketch)->sketch, params, t.ctx, &t.err);
            talk_return(&t);
            atomic_flag_clear(&SKETCH(sketch)->busy);
            if (!talk_failed(&t, st, s)) result = new_plan(s, plan);
            else scarce_plan_free(plan);
        }
        talk_end(&t);
    }
    scarce_params_free(params);
    return result;
}

/* plan_read(bytes): for partitions */
static PyObject *plan_read(PyObject *module, PyObject *bytes)
{
    const module_state *s = state_of_module(module);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_plan *plan = NULL;
    scarce_status st;
    Py_buffer view;

    if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) < 0) return NULL;
    st = scarce_plan_read(&plan, view.buf, (size_t)view.len, &err);
    PyBuffer_Release(&view);
    return st == SCARCE_OK ? new_plan(s, plan) : raise_status(s, &err);
}

static PyObject *plan_bytes(PyObject *self, PyObject *unused)
{
    scarce_error err = SCARCE_ERROR_INIT;
    void *bytes = NULL;
    size_t n = 0;

    (void)unused;
    if (scarce_plan_bytes(&bytes, &n, PLAN(self), &err) != SCARCE_OK)
        return raise_status(state_of(self), &err);
    return message(bytes, n);
}

static PyObject *plan_schema(PyObject *self, PyObject *unused)
{
    (void)unused;
    return schema_dict(scarce_plan_schema(PLAN(self)));
}

/* size() -> (rows, positives, bytes of a row in a partition, about) */
static PyObject *plan_size(PyObject *self, PyObject *unused)
{
    uint64_t positives = 0;
    const uint64_t rows = scarce_plan_rows(PLAN(self), &positives);

    (void)unused;
    return Py_BuildValue("KKn", (unsigned long long)rows, (unsigned long long)positives,
                         (Py_ssize_t)scarce_plan_row_bytes(PLAN(self)));
}

static PyMethodDef plan_methods[] = {{"to_bytes", plan_bytes, METH_NOARGS, NULL},
                                     {"schema", plan_schema, METH_NOARGS, NULL},
                                     {"size", plan_size, METH_NOARGS, NULL},
                                     {NULL, NULL, 0, NULL}};
static PyType_Slot plan_slots[] = {{Py_tp_dealloc, plan_dealloc}, {Py_tp_methods, plan_methods}, {0, NULL}};
PyType_Spec plan_spec = {"scarce._core.Plan", sizeof(plan_object), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, plan_slots};

/* ---- partitions */

static void partition_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    scarce_partition_free(PARTITION(self)->partition);
    Py_XDECREF(PARTITION(self)->plan);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* partition_new(plan, folder or None) */
static PyObject *partition_new(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *plan, *where;
    partition_object *o;
    const char *folder;

    if (!PyArg_ParseTuple(args, "OO", &plan, &where) || !is_plan(s, plan) ||
        text_or_none(where, &folder, "folder") < 0)
        return NULL;
    o = PyObject_New(partition_object, (PyTypeObject *)s->partition_type);
    if (!o) return NULL;
    atomic_flag_clear(&o->busy);
    o->partition = NULL;
    o->plan = Py_NewRef(plan);
    if (scarce_partition_new(&o->partition, PLAN(plan), folder, &err) != SCARCE_OK) {
        raise_status(s, &err);
        Py_CLEAR(o);
    }
    return (PyObject *)o;
}

/* add(table, ids or None, first, how) */
static PyObject *partition_add(PyObject *self, PyObject *args)
{
    const module_state *s = state_of(self);
    int failed = 1;
    numbered r;
    talk t;

    if (numbered_take(&r, args, s) < 0) return NULL;
    if (talk_begin(&t, r.how, s) == 0) {
        if (enter(&PARTITION(self)->busy, "partition")) {
            scarce_status st;
            talk_leave(&t);
            st = scarce_partition_add(PARTITION(self)->partition, TABLE(r.table), r.id, r.first, t.ctx,
                                      &t.err);
            talk_return(&t);
            atomic_flag_clear(&PARTITION(self)->busy);
            failed = talk_failed(&t, st, s);
        }
        talk_end(&t);
    }
    numbered_leave(&r);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

static PyObject *partition_rows(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(scarce_partition_rows(PARTITION(self)->partition));
}

/* answer(question, how) -> bytes */
static PyObject *partition_answer(PyObject *self, PyObject *args)
{
    const module_state *s = state_of(self);
    PyObject *question, *how, *result = NULL;
    void *answer = NULL;
    size_t n = 0;
    Py_buffer view;
    talk t;

    if (!PyArg_ParseTuple(args, "OO", &question, &how) ||
        PyObject_GetBuffer(question, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    if (talk_begin(&t, how, s) == 0) {
        if (enter(&PARTITION(self)->busy, "partition")) {
            scarce_status st;
            talk_leave(&t);
            st = scarce_partition_answer(&answer, &n, PARTITION(self)->partition, view.buf, (size_t)view.len,
                                         t.ctx, &t.err);
            talk_return(&t);
            atomic_flag_clear(&PARTITION(self)->busy);
            if (!talk_failed(&t, st, s)) result = message(answer, n);
            else scarce_bytes_free(answer);
        }
        talk_end(&t);
    }
    PyBuffer_Release(&view);
    return result;
}

static PyMethodDef partition_methods[] = {{"add", partition_add, METH_VARARGS, NULL},
                                          {"rows", partition_rows, METH_NOARGS, NULL},
                                          {"answer", partition_answer, METH_VARARGS, NULL},
                                          {NULL, NULL, 0, NULL}};
static PyType_Slot partition_slots[] = {
    {Py_tp_dealloc, partition_dealloc}, {Py_tp_methods, partition_methods}, {0, NULL}};
PyType_Spec partition_spec = {"scarce._core.Partition", sizeof(partition_object), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, partition_slots};

/* ---- training */

typedef struct asked {
    talk *talk;
    PyObject *function;
} asked;

/* SCARCE_OK, or the status of an answer that was refused; an exception is set for what Python says. */
static scarce_status take_answers(PyObject *list, scarce_answers *answers, scarce_error *err)
{
    PyObject *each = PyObject_GetIter(list), *one;
    scarce_status st = SCARCE_OK;

    if (!each) return SCARCE_ECANCEL;
    while (st == SCARCE_OK && (one = PyIter_Next(each))) {
        Py_buffer view;
        if (PyObject_GetBuffer(one, &view, PyBUF_SIMPLE) < 0) st = SCARCE_ECANCEL;
        else {
            st = scarce_answers_take(answers, view.buf, (size_t)view.len, err);
            PyBuffer_Release(&view);
        }
        Py_DECREF(one);
    }
    Py_DECREF(each);
    return PyErr_Occurred() ? SCARCE_ECANCEL : st;
}

static scarce_status on_ask(void *payload, const void *question, size_t n, scarce_answers *answers,
                            scarce_context *ctx, scarce_error *err)
{
    asked *a = payload;
    PyObject *bytes, *list = NULL;
    scarce_status st = SCARCE_ECANCEL;

    (void)ctx;
    if (a->talk->stopped) return SCARCE_ECANCEL;
    talk_in(a->talk);
    bytes = PyBytes_FromStringAndSize(question, (Py_ssize_t)n);
    if (bytes && PyErr_CheckSignals() == 0) list = PyObject_CallFunctionObjArgs(a->function, bytes, NULL);
    if (list) st = take_answers(list, answers, err);
    if (PyErr_Occurred()) a->talk->stopped = 1;
    Py_XDECREF(list);
    Py_XDECREF(bytes);
    talk_out(a->talk);
    return st;
}

/* train_far(plan, valid or None, spec, params, options, ask, how) -> (model, summary, exception or None) */
static PyObject *train_far(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_train_summary summary = SCARCE_TRAIN_SUMMARY_INIT;
    scarce_far far = SCARCE_FAR_INIT;
    PyObject *plan, *valid, *given, *options, *how, *result = NULL;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    const char *spec;
    asked a;
    talk t;

    if (!PyArg_ParseTuple(args, "OOsO!O!OO", &plan, &valid, &spec, &PyDict_Type, &given, &PyDict_Type,
                          &options, &a.function, &how))
        return NULL;
    if (!is_plan(s, plan) || (valid != Py_None && !is_table(s, valid))) return NULL;
    if (valid != Py_None) o.valid = TABLE(valid);
    if (take_train_options(&o, options) < 0 || make_params(&params, s, spec, given, NULL) < 0) return NULL;
    if (talk_begin(&t, how, s) == 0) {
        scarce_status st;
        a.talk = &t;
        far.ask = on_ask;
        far.payload = &a;
        talk_leave(&t);
        st = scarce_train_far(&model, PLAN(plan), params, &o, &far, &summary, t.ctx, &t.err);
        talk_return(&t);
        result = end_training(&t, st, model, &summary, s);
        talk_end(&t);
    }
    scarce_train_summary_deinit(&summary);
    scarce_params_free(params);
    return result;
}

PyMethodDef far_functions[] = {
    {"sketch_new", sketch_new, METH_NOARGS, NULL}, {"plan_make", plan_make, METH_VARARGS, NULL},
    {"plan_read", plan_read, METH_O, NULL},        {"partition_new", partition_new, METH_VARARGS, NULL},
    {"train_far", train_far, METH_VARARGS, NULL},  {NULL, NULL, 0, NULL}};
