/* SPDX-License-Identifier: Apache-2.0 */
/* One row: an array, a dict, a tuple. The GIL is kept: giving it up would cost more than scoring.
 *
 * A dict is asked for each feature by a name object that was made once, so its hash is known. Names the model
 * doesn't have are passed over; a feature that isn't there is missing. A service sends dicts with the same keys, the same
 * objects in the same order, row after row: then a plan says which feature each key is, and the dict is walked through
 * instead of being asked (a quarter of the time). */
#include "core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ON_STACK = 512 };

/* ---- what a row is made of */

int row_form_make(row_form *form, const scarce_schema *schema, const module_state *s)
{
    memset(form, 0, sizeof *form);
    form->schema = schema;
    form->data_error = s->data_error;
    form->width = scarce_schema_features(schema);
    form->names = PyTuple_New((Py_ssize_t)form->width);
    for (size_t f = 0; form->names && f < form->width; ++f) {
        PyObject *name = text_of(scarce_schema_name(schema, f));
        if (name) PyUnicode_InternInPlace(&name);
        if (!name || PyTuple_SetItem(form->names, (Py_ssize_t)f, name) < 0) Py_CLEAR(form->names);
        form->categories |= scarce_schema_kind(schema, f) == SCARCE_COLUMN_CATEGORY;
    }
    return form->names ? 0 : -1;
}

void row_form_free(row_form *form)
{
    for (size_t i = 0; i < sizeof form->arrays / sizeof form->arrays[0]; ++i) {
        Py_CLEAR(form->arrays[i].array_type);
        Py_CLEAR(form->arrays[i].dtype);
    }
    plan_forget(&form->plan);
    Py_CLEAR(form->names);
}

static int code_of(const row_form *m, size_t f, const char *text, size_t n, float *out)
{
    if (m->code) return m->code(m->payload, f, text, n, out);
    *out = (float)scarce_schema_code(m->schema, f, text, n);
    return 0;
}

/* The float that the scorer wants for a number given for feature f. */
static int of_number(const row_form *m, size_t f, double x, float *out)
{
    char text[32];

    *out = (float)x;
    if (scarce_schema_kind(m->schema, f) != SCARCE_COLUMN_CATEGORY || isnan(x)) return 0;
    *out = (float)scarce_schema_code_number(m->schema, f, x);
    if (!m->code || *out < (float)scarce_schema_categories(m->schema, f)) return 0;
    return code_of(m, f, text, (size_t)snprintf(text, sizeof text, "%.15g", x), out);
}

static int of_text(const row_form *m, size_t f, PyObject *o, float *out)
{
    const scarce_schema *schema = m->schema;
    Py_ssize_t n;
    const char *text = PyUnicode_AsUTF8AndSize(o, &n);

    if (!text) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeError)) return -1;
        PyErr_Clear();
        PyErr_Format(m->data_error, "\"%s\": %R can't be written as UTF-8", scarce_schema_name(schema, f), o);
        return -1;
    }
    if (n == 0) *out = NAN;
    else if (scarce_schema_kind(schema, f) == SCARCE_COLUMN_CATEGORY)
        return code_of(m, f, text, (size_t)n, out);
    else {
        PyObject *number = PyFloat_FromString(o);
        if (!number) {
            PyErr_Format(m->data_error, "\"%s\" is a number in the model, not %R",
                         scarce_schema_name(schema, f), o);
            return -1;
        }
        *out = (float)PyFloat_AsDouble(number);
        Py_DECREF(number);
    }
    return 0;
}

static int of_object(const row_form *m, size_t f, PyObject *o, float *out)
{
    double x;

    if (PyFloat_Check(o)) x = PyFloat_AsDouble(o);
    else if (o == Py_None) x = NAN;
    else if (PyUnicode_Check(o)) return of_text(m, f, o, out);
    else {
        x = PyFloat_AsDouble(o); /* int, bool, NumPy's scalars, Decimal */
        if (x == -1 && PyErr_Occurred()) {
            const char *name = scarce_schema_name(m->schema, f);
            if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
                PyErr_Clear();
                PyErr_Format(m->data_error, "\"%s\": the number is too large", name);
            } else if (PyErr_ExceptionMatches(PyExc_TypeError)) {
                PyErr_Clear();
                PyErr_Format(PyExc_TypeError, "\"%s\": %R is neither a number nor a text", name, o);
            }
            return -1;
        }
    }
    if (m->categories) return of_number(m, f, x, out);
    *out = (float)x;
    return 0;
}

/* Items as strong references: a __float__ may throw its object out of the container, as may another thread. */
static PyObject *list_item(PyObject *list, Py_ssize_t i)
{
#ifdef Py_GIL_DISABLED
    return PyList_GetItemRef(list, i);
#else
    return Py_XNewRef(PyList_GetItem(list, i));
#endif
}

PyObject *dict_item(PyObject *dict, PyObject *key)
{
#ifdef Py_GIL_DISABLED
    PyObject *o = NULL;
    return PyDict_GetItemRef(dict, key, &o) < 0 ? NULL : o;
#else
    return Py_XNewRef(PyDict_GetItemWithError(dict, key));
#endif
}

/* ---- dicts */

void plan_forget(dict_plan *plan)
{
    for (Py_ssize_t i = 0; plan->keys && i < plan->n; ++i) Py_XDECREF(plan->keys[i]);
    PyMem_Free(plan->keys);
    PyMem_Free(plan->feature);
    plan->keys = NULL, plan->feature = NULL;
    plan->n = 0;
}

#ifndef Py_GIL_DISABLED /* a plan would need a lock */
enum { MOST_MISSES = 8 };

static uint32_t feature_of(const row_form *m, PyObject *key)
{
    for (size_t f = 0; f < m->width; ++f)
        if (PyTuple_GetItem(m->names, (Py_ssize_t)f) == key) return (uint32_t)f;
    for (size_t f = 0; PyUnicode_Check(key) && f < m->width; ++f)
        if (PyUnicode_Compare(PyTuple_GetItem(m->names, (Py_ssize_t)f), key) == 0) return (uint32_t)f;
    return UINT32_MAX;
}

/* Remembers the keys of a dict. Without memory there is no plan, and that is all. */
static void plan_make(row_form *m, PyObject *dict)
{
    const Py_ssize_t n = PyDict_Size(dict);
    dict_plan *plan = &m->plan;
    PyObject *key, *value;
    Py_ssize_t at = 0;

    plan_forget(plan);
    if (++plan->misses > MOST_MISSES || n == 0 || n > 4096) return;
    plan->keys = PyMem_Calloc((size_t)n, sizeof *plan->keys);
    plan->feature = PyMem_Calloc((size_t)n, sizeof *plan->feature);
    plan->found = 0;
    while (plan->keys && plan->feature && plan->n < n && PyDict_Next(dict, &at, &key, &value)) {
        if (!PyUnicode_CheckExact(key)) { /* its == may be anything */
            plan_forget(plan);
            return;
        }
        plan->feature[plan->n] = feature_of(m, key);
        plan->found += plan->feature[plan->n] != UINT32_MAX;
        plan->keys[plan->n++] = Py_NewRef(key);
    }
    if (!plan->keys || !plan->feature || plan->n != n) plan_forget(plan);
}
#endif

static float absent_value(const scarce_schema *schema, size_t f)
{
    return scarce_schema_kind(schema, f) == SCARCE_COLUMN_SPARSE ? 0 : NAN;
}

#ifndef Py_GIL_DISABLED
/* By the plan; 0: it doesn't fit. Only values whose conversion runs no Python code are taken, so the dict stays as it
 * is meanwhile. */
static int from_plan(row_form *m, PyObject *dict, float *row)
{
    const dict_plan *plan = &m->plan;
    PyObject *key, *value;
    Py_ssize_t at = 0, i = 0;

    if (plan->n == 0 || PyDict_Size(dict) != plan->n) return 0;
    for (size_t f = 0; plan->found < m->width && f < m->width; ++f) row[f] = absent_value(m->schema, f);
    for (; PyDict_Next(dict, &at, &key, &value); ++i) {
        const uint32_t f = plan->feature[i];
        if (key != plan->keys[i]) return 0;
        if (f == UINT32_MAX) continue;
        if (PyFloat_CheckExact(value) && !m->categories) row[f] = (float)PyFloat_AsDouble(value);
        else if (PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyUnicode_CheckExact(value) ||
                 value == Py_None) {
            if (of_object(m, f, value, &row[f]) < 0) return -1;
        } else return 0;
    }
    m->plan.misses = 0;
    return 1;
}
#endif

static int from_lookups(const row_form *m, PyObject *dict, float *row)
{
    const scarce_schema *schema = m->schema;

    for (size_t f = 0; f < m->width; ++f) {
        PyObject *o = dict_item(dict, PyTuple_GetItem(m->names, (Py_ssize_t)f));
        if (o) {
            const int r = of_object(m, f, o, &row[f]);
            Py_DECREF(o);
            if (r < 0) return -1;
        } else {
            if (PyErr_Occurred()) return -1;
            row[f] = absent_value(schema, f);
        }
    }
    return 0;
}

static int from_dict(row_form *m, PyObject *dict, float *row)
{
#ifndef Py_GIL_DISABLED
    int r = from_plan(m, dict, row);
    if (r != 0) return r < 0 ? -1 : 0;
    r = from_lookups(m, dict, row);
    if (r == 0 && m->plan.misses <= MOST_MISSES) plan_make(m, dict);
    return r;
#else
    return from_lookups(m, dict, row);
#endif
}

static int wrong_length(const row_form *m, size_t n)
{
    PyErr_Format(m->data_error, "a row of %zu values, the model has %zu features", n, m->width);
    return -1;
}

static int from_sequence(const row_form *m, PyObject *row, float *to)
{
    const int tuple = PyTuple_Check(row);
    const Py_ssize_t n = tuple ? PyTuple_Size(row) : PyList_Size(row);

    if ((size_t)n != m->width) return wrong_length(m, (size_t)n);
    for (Py_ssize_t i = 0; i < n; ++i) {
        PyObject *o = tuple ? Py_XNewRef(PyTuple_GetItem(row, i)) : list_item(row, i);
        const int r = o ? of_object(m, (size_t)i, o, &to[i]) : -1; /* a list may shrink under our hands */
        Py_XDECREF(o);
        if (r < 0) return -1;
    }
    return 0;
}

static int from_mapping(row_form *m, PyObject *row, float *to)
{
    PyObject *dict = PyDict_New();
    int r = dict ? PyDict_Update(dict, row) : -1;
    if (r == 0) r = from_dict(m, dict, to);
    Py_XDECREF(dict);
    return r;
}

/* ---- arrays */

/* `n` items of a type, `stride` bytes apart: the caller's own memory where it is what the scorer wants, else `room`. */
static const float *row_at(const row_form *m, int type, const char *data, ptrdiff_t stride, float *room)
{
    if (type == SCARCE_TYPE_F32 && stride == sizeof(float) && !m->categories &&
        (uintptr_t)data % sizeof(float) == 0)
        return (const float *)(const void *)data;
    for (size_t f = 0; f < m->width; ++f) {
        const double x = number_at((scarce_type)type, data + (ptrdiff_t)f * stride);
        room[f] = (float)x;
        if (m->categories && of_number(m, f, x, &room[f]) < 0) return NULL;
    }
    return room;
}

#ifndef Py_GIL_DISABLED /* where another thread may resize an array, its buffer must be held */
/* How an ndarray begins: what NumPy's own headers give to every extension compiled against them, so it can't change
 * without a new ABI. Asking for a buffer costs a third of scoring a row, reading these fields nothing; they are read only
 * of a type and a dtype for which they once said what a buffer said. */
typedef struct ndarray {
    PyObject_HEAD char *data;
    int n_dimensions;
    Py_ssize_t *shape, *strides;
    PyObject *base, *dtype;
} ndarray;

/* After a row that came as a buffer: is it NumPy's, and does the short way see the same? */
static void learn_array(row_form *m, PyObject *row, const Py_buffer *view, int type)
{
    PyObject *modules, *numpy, *array_type;
    const ndarray *a = (const ndarray *)(void *)row;
    array_plan *to = NULL;

    for (size_t i = 0; !to && i < sizeof m->arrays / sizeof m->arrays[0]; ++i)
        if (!m->arrays[i].dtype) to = &m->arrays[i];
    if (!to || (type != SCARCE_TYPE_F32 && type != SCARCE_TYPE_F64)) return;
    modules = PyImport_GetModuleDict(); /* borrowed */
    numpy = modules ? PyDict_GetItemString(modules, "numpy") : NULL;
    array_type = numpy ? PyObject_GetAttrString(numpy, "ndarray") : NULL;
    if (!array_type) PyErr_Clear();
    if (array_type == (PyObject *)Py_TYPE(row) && a->data == view->buf && a->n_dimensions == view->ndim &&
        a->shape[0] == view->shape[0] && a->strides[0] == view->strides[0]) {
        PyObject *dtype = PyObject_GetAttrString(row, "dtype");
        if (!dtype) PyErr_Clear();
        if (dtype && dtype == a->dtype) {
            to->array_type = Py_NewRef(array_type);
            to->dtype = Py_NewRef(dtype);
            to->item = type;
        }
        Py_XDECREF(dtype);
    }
    Py_XDECREF(array_type);
}

/* The plan that fits, or NULL. */
static const array_plan *plan_of_array(const row_form *m, PyObject *row)
{
    for (size_t i = 0; i < sizeof m->arrays / sizeof m->arrays[0]; ++i) {
        const ndarray *a = (const ndarray *)(void *)row;
        if (m->arrays[i].array_type == (PyObject *)Py_TYPE(row) && m->arrays[i].dtype == a->dtype &&
            a->n_dimensions == 1 && (size_t)a->shape[0] == m->width)
            return &m->arrays[i];
    }
    return NULL;
}
#endif

static const float *from_buffer(row_form *m, PyObject *row, float *room, Py_buffer *view)
{
    int type;

    if (PyObject_GetBuffer(row, view, PyBUF_STRIDES | PyBUF_FORMAT) < 0) {
        view->obj = NULL;
        return NULL;
    }
    type = type_of_format(view->format, view->itemsize);
    if (type < 0 || view->ndim != 1) {
        if (view->ndim != 1)
            PyErr_Format(PyExc_ValueError, "a row has one dimension, this array has %d", view->ndim);
        else PyErr_Format(PyExc_TypeError, "a row of items of type \"%s\"", view->format ? view->format : "");
        return NULL;
    }
    if ((size_t)view->shape[0] != m->width) {
        wrong_length(m, (size_t)view->shape[0]);
        return NULL;
    }
#ifndef Py_GIL_DISABLED
    learn_array(m, row, view, type);
#endif
    return row_at(m, type, view->buf, view->strides[0], room);
}

/* The row's floats: `room` filled, or the caller's own memory. The view is to be released when its obj is set. */
static const float *row_of(row_form *m, PyObject *row, float *room, Py_buffer *view)
{
    view->obj = NULL;
#ifndef Py_GIL_DISABLED
    const array_plan *array = plan_of_array(m, row);
    if (array) {
        const ndarray *a = (const ndarray *)(void *)row;
        return row_at(m, array->item, a->data, a->strides[0], room);
    }
#endif
    if (PyDict_Check(row)) return from_dict(m, row, room) < 0 ? NULL : room;
    if (PyTuple_Check(row) || PyList_Check(row)) return from_sequence(m, row, room) < 0 ? NULL : room;
    if (PyObject_CheckBuffer(row)) return from_buffer(m, row, room, view);
    if (PyObject_HasAttrString(row, "keys") && !PyObject_HasAttrString(row, "to_numpy"))
        return from_mapping(m, row, room) < 0 ? NULL : room;
    if (PyObject_HasAttrString(row, "to_dict")) { /* a row of a frame: by its names */
        PyObject *dict = PyObject_CallMethod(row, "to_dict", NULL);
        const int r = dict && PyDict_Check(dict) ? from_dict(m, dict, room) : -1;
        if (dict && !PyDict_Check(dict))
            PyErr_SetString(PyExc_TypeError, "the row's to_dict() gives no dict");
        Py_XDECREF(dict);
        return r < 0 ? NULL : room;
    }
    PyErr_Format(PyExc_TypeError, "a row is an array, a dict, a tuple or a list, not %R",
                 (PyObject *)Py_TYPE(row));
    return NULL;
}

int with_row(row_form *form, PyObject *row, int (*use)(void *payload, const float *values), void *payload)
{
    float few[ON_STACK], *room = form->width <= ON_STACK ? few : PyMem_Malloc(form->width * sizeof *room);
    const float *values;
    Py_buffer view;
    int r = -1;

    if (!room) {
        PyErr_NoMemory();
        return -1;
    }
    values = row_of(form, row, room, &view);
    if (values) r = use(payload, values);
    if (view.obj) PyBuffer_Release(&view);
    if (room != few) PyMem_Free(room);
    return r;
}

/* ---- a model's */

typedef struct asked {
    PyObject *self;
    double *score, *contribution;
} asked;

static int score_values(void *payload, const float *values)
{
    const asked *a = payload;
    const model_object *m = MODEL(a->self);
    scarce_error err = SCARCE_ERROR_INIT;

    *a->score = scarce_scorer_score(m->scorer, values);
    if (!a->contribution || scarce_explainer_row(m->explainer, values, a->contribution, &err) == SCARCE_OK)
        return 0;
    raise_status(state_of(a->self), &err);
    return -1;
}

static int score_row(PyObject *self, PyObject *row, double *score, double *contribution)
{
    asked a = {self, score, contribution};
    return with_row(&MODEL(self)->form, row, score_values, &a);
}

PyObject *model_score_one(PyObject *self, PyObject *row)
{
    double score;
    return score_row(self, row, &score, NULL) < 0 ? NULL : PyFloat_FromDouble(score);
}

PyObject *model_probability_one(PyObject *self, PyObject *row)
{
    double score;
    if (score_row(self, row, &score, NULL) < 0) return NULL;
    return PyFloat_FromDouble(scarce_scorer_probability(MODEL(self)->scorer, score));
}

PyObject *model_one(PyObject *self, PyObject *row)
{
    double score;
    if (score_row(self, row, &score, NULL) < 0) return NULL;
    return Py_BuildValue("dd", score, scarce_scorer_probability(MODEL(self)->scorer, score));
}

PyObject *model_contributions_one(PyObject *self, PyObject *row)
{
    PyObject *result = bytes_of(NULL, MODEL(self)->form.width, sizeof(double));
    double score;
    if (result && score_row(self, row, &score, (double *)(void *)bytes_at(result)) < 0) Py_CLEAR(result);
    return result;
}

/* benchmark(row, n) -> seconds of one call of scarce_scorer_score, the mean of n */
PyObject *model_benchmark(PyObject *self, PyObject *args)
{
    row_form *m = &MODEL(self)->form;
    volatile double sink = 0;
    struct timespec begin, end;
    PyObject *row;
    Py_ssize_t n;
    float *room;

    if (!PyArg_ParseTuple(args, "On", &row, &n)) return NULL;
    if (n < 1 || !PyDict_Check(row)) {
        PyErr_SetString(PyExc_ValueError, "benchmark(row, n): a dict, and 1 or more calls");
        return NULL;
    }
    room = PyMem_Malloc((m->width + 1) * sizeof *room);
    if (!room) return PyErr_NoMemory();
    if (from_dict(m, row, room) < 0) {
        PyMem_Free(room);
        return NULL;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (Py_ssize_t i = 0; i < n; ++i) sink = sink + scarce_scorer_score(MODEL(self)->scorer, room);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    PyMem_Free(room);
    return PyFloat_FromDouble(
        ((double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec)) / (double)n);
}
