/* SPDX-License-Identifier: Apache-2.0 */
/* HTML pages by the library's report: Python says what is on them as a list of tuples.
 *
 *     ("section", heading) ("paragraph", text) ("note", text) ("tile", name, value, digits, detail)
 *     ("fact", key, value) ("finding", severity, sentence, advice) ("table", caption, columns, align, rows)
 *     ("chart", {title, note, x_label, y_label, x_axis, y_axis, x_lo, ...}, [series, ...])
 * A series is ("line" | "step" | "points", name, x, y), ("level" | "mark", name, value), ("columns" | "bars" | "dots",
 * name, labels, values, lo or None, hi or None). Arrays are of doubles. */
#include "core.h"

#include <string.h>

static int text_item(PyObject *tuple, Py_ssize_t i, const char **out)
{
    PyObject *o = PyTuple_GetItem(tuple, i);
    return o ? text_or_none(o, out, "a text of a page") : -1;
}

static int double_item(PyObject *tuple, Py_ssize_t i, double *out)
{
    PyObject *o = PyTuple_GetItem(tuple, i);
    if (!o) return -1;
    *out = PyFloat_AsDouble(o);
    return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

static int add_cells(scarce_report *r, PyObject *rows)
{
    for (Py_ssize_t i = 0; i < PyList_Size(rows); ++i) {
        PyObject *row = PyList_GetItem(rows, i);
        const Py_ssize_t n = PyTuple_Size(row);
        if (n < 0) return -1;
        for (Py_ssize_t k = 0; k < n; ++k) {
            PyObject *cell = PyTuple_GetItem(row, k);
            const char *text;
            if (PyFloat_Check(cell) || PyLong_Check(cell)) {
                scarce_report_cell_number(r, PyFloat_AsDouble(cell), 4);
                continue;
            }
            if (text_or_none(cell, &text, "a cell") < 0) return -1;
            scarce_report_cell(r, text);
        }
    }
    return 0;
}

static int add_table(scarce_report *r, PyObject *item)
{
    const char *caption, *align, **columns;
    PyObject *rows = PyTuple_GetItem(item, 4);
    size_t n;
    int st;

    if (!rows || text_item(item, 1, &caption) < 0 ||
        take_names(PyTuple_GetItem(item, 2), &columns, &n, "columns") < 0)
        return -1;
    st = text_item(item, 3, &align);
    if (st == 0 && (!align || strlen(align) != n)) {
        PyErr_SetString(PyExc_ValueError, "a table needs one letter of align for each column");
        st = -1;
    }
    if (st == 0) scarce_report_table(r, caption, columns, align, n);
    if (st == 0) st = add_cells(r, rows);
    PyMem_Free((void *)columns);
    return st;
}

/* A series with names along an axis. */
static int add_named(scarce_chart *c, const char *kind, const char *name, PyObject *s)
{
    const void *value = NULL, *lo = NULL, *hi = NULL;
    Py_buffer v[3];
    const char **labels;
    size_t n = 0, n_labels;
    int st = -1;

    if (PyTuple_Size(s) < 6 || take_names(PyTuple_GetItem(s, 2), &labels, &n_labels, "labels") < 0) return -1;
    if (take_array(PyTuple_GetItem(s, 3), 'd', &v[0], &value, &n, "values") == 1 &&
        take_array(PyTuple_GetItem(s, 4), 'd', &v[1], &lo, &n, "lo") >= 0 &&
        take_array(PyTuple_GetItem(s, 5), 'd', &v[2], &hi, &n, "hi") >= 0 && n == n_labels) {
        if (strcmp(kind, "columns") == 0) scarce_chart_columns(c, name, labels, value, n);
        else if (strcmp(kind, "bars") == 0) scarce_chart_bars(c, name, labels, value, lo, hi, n);
        else scarce_chart_dots(c, name, labels, value, lo, hi, n);
        st = 0;
    } else if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "labels and values of a chart differ in number");
    if (value) PyBuffer_Release(&v[0]);
    if (lo) PyBuffer_Release(&v[1]);
    if (hi) PyBuffer_Release(&v[2]);
    PyMem_Free((void *)labels);
    return st;
}

static int add_series(scarce_chart *c, PyObject *s)
{
    const char *kind, *name;
    const void *x = NULL, *y = NULL;
    Py_buffer vx, vy;
    double at;
    size_t n = 0;
    int st = -1;

    if (text_item(s, 0, &kind) < 0 || text_item(s, 1, &name) < 0 || !kind) return -1;
    if (strcmp(kind, "level") == 0 || strcmp(kind, "mark") == 0) {
        if (double_item(s, 2, &at) < 0) return -1;
        if (kind[0] == 'l') scarce_chart_level(c, name, at);
        else scarce_chart_mark(c, name, at);
        return 0;
    }
    if (strcmp(kind, "line") != 0 && strcmp(kind, "step") != 0 && strcmp(kind, "points") != 0)
        return add_named(c, kind, name, s);
    if (PyTuple_Size(s) < 4) return -1;
    if (take_array(PyTuple_GetItem(s, 2), 'd', &vx, &x, &n, "x") == 1 &&
        take_array(PyTuple_GetItem(s, 3), 'd', &vy, &y, &n, "y") == 1) {
        if (kind[0] == 'l') scarce_chart_line(c, name, x, y, n);
        else if (kind[0] == 's') scarce_chart_step(c, name, x, y, n);
        else scarce_chart_points(c, name, x, y, n);
        st = 0;
    }
    if (x) PyBuffer_Release(&vx);
    if (y) PyBuffer_Release(&vy);
    return st;
}

static int add_chart(scarce_report *r, PyObject *item)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    PyObject *dict = PyTuple_GetItem(item, 1), *series = dict ? PyTuple_GetItem(item, 2) : NULL;
    scarce_chart *c;
    int x_axis = 0, y_axis = 0;

    if (!series || take_text(dict, "title", &o.title) < 0 || take_text(dict, "note", &o.note) < 0 ||
        take_text(dict, "x_label", &o.x_label) < 0 || take_text(dict, "y_label", &o.y_label) < 0 ||
        take_int(dict, "x_axis", &x_axis) < 0 || take_int(dict, "y_axis", &y_axis) < 0 ||
        take_double(dict, "x_lo", &o.x_lo) < 0 || take_double(dict, "x_hi", &o.x_hi) < 0 ||
        take_double(dict, "y_lo", &o.y_lo) < 0 || take_double(dict, "y_hi", &o.y_hi) < 0 ||
        take_int(dict, "wide", &o.wide) < 0)
        return -1;
    o.x_axis = (scarce_axis)x_axis;
    o.y_axis = (scarce_axis)y_axis;
    c = scarce_report_chart(r, &o);
    for (Py_ssize_t i = 0; i < PyList_Size(series); ++i)
        if (add_series(c, PyList_GetItem(series, i)) < 0) return -1;
    return 0;
}

static int add_item(scarce_report *r, PyObject *item)
{
    const char *kind, *a = NULL, *b = NULL;
    double x, digits;

    if (!PyTuple_Check(item) || text_item(item, 0, &kind) < 0 || !kind) return -1;
    if (strcmp(kind, "table") == 0) return add_table(r, item);
    if (strcmp(kind, "chart") == 0) return add_chart(r, item);
    if (strcmp(kind, "finding") == 0) {
        if (double_item(item, 1, &x) < 0 || text_item(item, 2, &a) < 0 || text_item(item, 3, &b) < 0)
            return -1;
        scarce_report_finding(r, (scarce_severity)(int)x, a, b);
        return 0;
    }
    if (text_item(item, 1, &a) < 0) return -1;
    if (strcmp(kind, "section") == 0) scarce_report_section(r, a);
    else if (strcmp(kind, "paragraph") == 0) scarce_report_paragraph(r, a);
    else if (strcmp(kind, "note") == 0) scarce_report_note(r, a);
    else if (strcmp(kind, "fact") == 0) {
        if (text_item(item, 2, &b) < 0) return -1;
        scarce_report_fact(r, a, b);
    } else if (strcmp(kind, "tile") == 0) {
        if (double_item(item, 2, &x) < 0 || double_item(item, 3, &digits) < 0 || text_item(item, 4, &b) < 0)
            return -1;
        scarce_report_tile_number(r, a, x, (int)digits, b);
    } else {
        PyErr_Format(PyExc_ValueError, "a page has no \"%s\"", kind);
        return -1;
    }
    return 0;
}

/* page(title, subtitle, items) -> str */
static PyObject *page(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_report *r = NULL;
    PyObject *items, *result = NULL;
    const char *title, *subtitle;
    void *bytes;
    size_t n;
    int st = 0;

    if (!PyArg_ParseTuple(args, "szO!", &title, &subtitle, &PyList_Type, &items)) return NULL;
    if (scarce_report_new(&r, title, subtitle, &err) != SCARCE_OK) return raise_status(s, &err);
    for (Py_ssize_t i = 0; st == 0 && i < PyList_Size(items); ++i) st = add_item(r, PyList_GetItem(items, i));
    if (st < 0 && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "an item of a page that is none");
    if (st == 0) {
        if (scarce_report_bytes(&bytes, &n, r, &err) == SCARCE_OK) {
            result = PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)n, "replace");
            scarce_bytes_free(bytes);
        } else raise_status(s, &err);
    }
    scarce_report_free(r);
    return result;
}

PyMethodDef report_functions[] = {{"page", page, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
