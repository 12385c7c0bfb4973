/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: columns out of Arrow streams and sparse matrices, before they are a table. */
#include "core.h"

#include <string.h>

static PyObject *new_frame(const module_state *s, scarce_frame *frame)
{
    frame_object *f = PyObject_New(frame_object, (PyTypeObject *)s->frame_type);
    if (f) f->frame = frame;
    else scarce_frame_free(frame);
    return (PyObject *)f;
}

static void frame_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    scarce_frame_free(FRAME(self));
    PyObject_Free(self);
    Py_DECREF(type);
}

/* columns() -> [(name, is_time, problem, is_category)], with the rows in front: (n, list) */
static PyObject *frame_columns(PyObject *self, PyObject *unused)
{
    const scarce_frame *f = FRAME(self);
    const size_t n = scarce_frame_columns(f);
    PyObject *list = PyList_New((Py_ssize_t)n);

    (void)unused;
    for (size_t i = 0; list && i < n; ++i) {
        const scarce_column *c = scarce_frame_column(f, i);
        PyObject *item = Py_BuildValue("Nizi", text_of(c->name), scarce_frame_is_time(f, i),
                                       scarce_frame_problem(f, i), (int)c->kind);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
    }
    return list ? Py_BuildValue("nN", (Py_ssize_t)scarce_frame_rows(f), list) : NULL;
}

/* values(i) -> (numbers as doubles, None), or of a category (codes, categories) */
static PyObject *frame_values(PyObject *self, PyObject *number)
{
    const module_state *s = state_of(self);
    const size_t i = PyLong_AsSize_t(number), n = scarce_frame_rows(FRAME(self));
    const scarce_column *c;
    PyObject *result;
    ptrdiff_t stride;

    if (PyErr_Occurred()) return NULL;
    c = scarce_frame_column(FRAME(self), i);
    if (!c || scarce_frame_problem(FRAME(self), i)) {
        PyErr_Format(s->data_error, "column \"%s\" %s", c ? c->name : "?",
                     c ? scarce_frame_problem(FRAME(self), i) : "isn't there");
        return NULL;
    }
    stride = c->stride ? c->stride : item_size(c->type);
    if (c->kind == SCARCE_COLUMN_CATEGORY) {
        PyObject *list = PyList_New((Py_ssize_t)c->n_categories),
                 *codes = bytes_of(c->items, n, sizeof(int32_t));
        for (size_t k = 0; list && k < c->n_categories; ++k) {
            PyObject *text = text_of(c->categories[k]);
            if (!text || PyList_SetItem(list, (Py_ssize_t)k, text) < 0) Py_CLEAR(list);
        }
        if (list && codes) return Py_BuildValue("NN", codes, list);
        Py_XDECREF(list);
        Py_XDECREF(codes);
        return NULL;
    }
    result = bytes_of(NULL, n, sizeof(double));
    for (size_t r = 0; result && r < n; ++r) {
        const size_t bit = r + c->valid_offset;
        const int there = !c->valid || (c->valid[bit / 8] >> (bit % 8) & 1);
        const double x = there ? number_at(c->type, (const char *)c->items + (ptrdiff_t)r * stride) : Py_NAN;
        memcpy(bytes_at(result) + r * sizeof x, &x, sizeof x);
    }
    return result ? Py_BuildValue("NO", result, Py_None) : NULL;
}

static PyMethodDef frame_methods[] = {{"columns", frame_columns, METH_NOARGS, NULL},
                                      {"values", frame_values, METH_O, NULL},
                                      {NULL, NULL, 0, NULL}};

static PyType_Slot frame_slots[] = {
    {Py_tp_dealloc, frame_dealloc}, {Py_tp_methods, frame_methods}, {0, NULL}};

PyType_Spec frame_spec = {"scarce._core.Frame", sizeof(frame_object), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, frame_slots};

/* frame_arrow(capsule): of a stream, or a tuple of the capsules of a schema and an array */
static PyObject *frame_arrow(PyObject *module, PyObject *capsule)
{
    const module_state *s = state_of_module(module);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_frame *frame = NULL;
    scarce_status st;

    if (PyTuple_Check(capsule)) {
        PyObject *a = PyTuple_GetItem(capsule, 0), *b = a ? PyTuple_GetItem(capsule, 1) : NULL;
        struct ArrowSchema *schema = b ? PyCapsule_GetPointer(a, "arrow_schema") : NULL;
        struct ArrowArray *array = schema ? PyCapsule_GetPointer(b, "arrow_array") : NULL;
        if (!array) return NULL;
        st = scarce_frame_arrow_array(&frame, schema, array, &err);
    } else {
        struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
        if (!stream) return NULL;
        st = scarce_frame_arrow(&frame, stream, &err); /* a stream of Python objects may need the GIL */
    }
    return st == SCARCE_OK ? new_frame(s, frame) : raise_status(s, &err);
}

/* frame_sparse(n_rows, n_columns, by_rows, start, index, value, names) */
static PyObject *frame_sparse(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_sparse m = SCARCE_SPARSE_INIT;
    PyObject *start, *index, *value, *list, *result = NULL;
    Py_buffer v[3] = {{0}, {0}, {0}};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_frame *frame = NULL;
    const char **names = NULL;
    Py_ssize_t n_rows, n_columns;
    size_t n_names;
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;

    if (!PyArg_ParseTuple(args, "nnpOOOO", &n_rows, &n_columns, &m.by_rows, &start, &index, &value, &list))
        return NULL;
    if (PyObject_GetBuffer(start, &v[0], flags) == 0 && PyObject_GetBuffer(index, &v[1], flags) == 0 &&
        PyObject_GetBuffer(value, &v[2], flags) == 0 && take_names(list, &names, &n_names, "names") == 0) {
        const int type = type_of_format(v[2].format, v[2].itemsize);
        m.n_rows = (size_t)n_rows, m.n_columns = (size_t)n_columns;
        m.start = v[0].buf, m.index = v[1].buf, m.value = v[2].buf, m.names = names;
        m.n_entries = (size_t)(v[1].len / v[1].itemsize);
        m.index_type = (scarce_type)type_of_format(v[0].format, v[0].itemsize);
        m.value_type = (scarce_type)type;
        if (type < 0 || v[0].itemsize != v[1].itemsize ||
            v[2].len / v[2].itemsize < v[1].len / v[1].itemsize ||
            (size_t)(v[0].len / v[0].itemsize) != (m.by_rows ? m.n_rows : m.n_columns) + 1 ||
            (names && n_names != m.n_columns))
            PyErr_SetString(s->data_error, "the arrays of the sparse matrix don't fit together");
        else if (scarce_frame_sparse(&frame, &m, &err) == SCARCE_OK) result = new_frame(s, frame);
        else raise_status(s, &err);
    }
    PyMem_Free((void *)names);
    for (int i = 0; i < 3; ++i)
        if (v[i].obj) PyBuffer_Release(&v[i]);
    return result;
}

PyMethodDef frame_functions[] = {{"frame_arrow", frame_arrow, METH_O, NULL},
                                 {"frame_sparse", frame_sparse, METH_VARARGS, NULL},
                                 {NULL, NULL, 0, NULL}};
