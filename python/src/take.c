/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments from Python, results to Python. */
#include "core.h"

#include <string.h>

int text_or_none(PyObject *o, const char **out, const char *what)
{
    *out = NULL;
    if (!o || o == Py_None) return 0;
    if (!PyUnicode_Check(o)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str, not %R", what, (PyObject *)Py_TYPE(o));
        return -1;
    }
    *out = PyUnicode_AsUTF8AndSize(o, NULL);
    return *out ? 0 : -1;
}

/* Borrowed; NULL without exception: not there, or None. */
static PyObject *item(PyObject *dict, const char *key)
{
    PyObject *o = dict && dict != Py_None ? PyDict_GetItemString(dict, key) : NULL;
    return o == Py_None ? NULL : o;
}

int take_text(PyObject *dict, const char *key, const char **out)
{
    PyObject *o = item(dict, key);
    return o ? text_or_none(o, out, key) : 0;
}

int take_double(PyObject *dict, const char *key, double *out)
{
    PyObject *o = item(dict, key);
    if (!o) return 0;
    *out = PyFloat_AsDouble(o);
    return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

int take_int(PyObject *dict, const char *key, int *out)
{
    PyObject *o = item(dict, key);
    long v;
    if (!o) return 0;
    v = PyLong_AsLong(o);
    if (v == -1 && PyErr_Occurred()) return -1;
    if (v < -1000000000 || v > 1000000000) {
        PyErr_Format(PyExc_ValueError, "%s=%ld is out of range", key, v);
        return -1;
    }
    *out = (int)v;
    return 0;
}

int take_size(PyObject *dict, const char *key, size_t *out)
{
    PyObject *o = item(dict, key);
    if (!o) return 0;
    *out = PyLong_AsSize_t(o);
    return *out == (size_t)-1 && PyErr_Occurred() ? -1 : 0;
}

int take_names(PyObject *list, const char ***out, size_t *n, const char *what)
{
    Py_ssize_t count;

    *out = NULL;
    *n = 0;
    if (!list || list == Py_None) return 0;
    if (!PyList_Check(list)) {
        PyErr_Format(PyExc_TypeError, "%s must be a list of str", what);
        return -1;
    }
    count = PyList_Size(list);
    *out = PyMem_Calloc((size_t)count + 1, sizeof **out);
    if (!*out) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; ++i)
        if (text_or_none(PyList_GetItem(list, i), &(*out)[i], what) < 0) {
            PyMem_Free(*out);
            *out = NULL;
            return -1;
        }
    *n = (size_t)count;
    return 0;
}

int type_of_format(const char *format, Py_ssize_t size)
{
    const char *f = format ? format : "B";

    if (*f == '@' || *f == '=' || *f == '<') ++f;
    if (f[0] && f[1]) return -1;
    switch (*f) {
    case 'f': return SCARCE_TYPE_F32;
    case 'd': return SCARCE_TYPE_F64;
    case '?': return SCARCE_TYPE_U8;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
        return size == 1   ? SCARCE_TYPE_I8
               : size == 2 ? SCARCE_TYPE_I16
               : size == 4 ? SCARCE_TYPE_I32
                           : SCARCE_TYPE_I64;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
        return size == 1   ? SCARCE_TYPE_U8
               : size == 2 ? SCARCE_TYPE_U16
               : size == 4 ? SCARCE_TYPE_U32
                           : SCARCE_TYPE_U64;
    default: return -1;
    }
}

static int type_of_kind(char kind)
{
    switch (kind) {
    case 'd': return SCARCE_TYPE_F64;
    case 'f': return SCARCE_TYPE_F32;
    case 'i': return SCARCE_TYPE_I32;
    case 'I': return SCARCE_TYPE_U32;
    case 'Q': return SCARCE_TYPE_U64;
    default: return SCARCE_TYPE_U8;
    }
}

int take_array(PyObject *o, char kind, Py_buffer *view, const void **out, size_t *n, const char *what)
{
    size_t count;

    *out = NULL;
    if (!o || o == Py_None) return 0;
    if (PyObject_GetBuffer(o, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
    count = view->itemsize ? (size_t)(view->len / view->itemsize) : 0;
    if (view->ndim != 1 || type_of_format(view->format, view->itemsize) != type_of_kind(kind) ||
        (*n && count != *n)) {
        PyErr_Format(PyExc_ValueError, "%s: %zu items of type \"%s\", expected %zu of type \"%c\"", what,
                     count, view->format ? view->format : "B", *n, kind);
        PyBuffer_Release(view);
        return -1;
    }
    *n = count;
    *out = view->buf;
    return 1;
}

PyObject *bytes_of(const void *from, size_t n, size_t size)
{
    if (n > (size_t)PY_SSIZE_T_MAX / size) return PyErr_NoMemory();
    return PyByteArray_FromStringAndSize(from, (Py_ssize_t)(n * size));
}

char *bytes_at(PyObject *bytearray)
{
    return PyByteArray_AsString(bytearray);
}

PyObject *text_of(const char *text)
{
    if (!text) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

int put(PyObject *dict, const char *key, PyObject *value)
{
    int r = value ? PyDict_SetItemString(dict, key, value) : -1;
    Py_XDECREF(value);
    return r;
}

double number_at(scarce_type type, const char *at)
{
#define ITEM(T)                                                                                              \
    {                                                                                                        \
        T v;                                                                                                 \
        memcpy(&v, at, sizeof v);                                                                            \
        return (double)v;                                                                                    \
    }
    switch (type) {
    case SCARCE_TYPE_F32: ITEM(float)
    case SCARCE_TYPE_F64: ITEM(double)
    case SCARCE_TYPE_I8: ITEM(int8_t)
    case SCARCE_TYPE_I16: ITEM(int16_t)
    case SCARCE_TYPE_I32: ITEM(int32_t)
    case SCARCE_TYPE_I64: ITEM(int64_t)
    case SCARCE_TYPE_U8: ITEM(uint8_t)
    case SCARCE_TYPE_U16: ITEM(uint16_t)
    case SCARCE_TYPE_U32: ITEM(uint32_t)
    case SCARCE_TYPE_U64: ITEM(uint64_t)
    default: return Py_NAN;
    }
#undef ITEM
}

ptrdiff_t item_size(scarce_type type)
{
    static const ptrdiff_t sizes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8, sizeof(char *)};
    return sizes[type];
}
