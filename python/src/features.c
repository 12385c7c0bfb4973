/* SPDX-License-Identifier: Apache-2.0 */
/* Features over rolling windows (<scarce/features.h>): a file of rows, and one record after the other. */
#include "core.h"

#include <string.h>

typedef struct stream_object {
    PyObject_HEAD scarce_definitions *definitions;
    scarce_features *features; /* NULL: definitions alone */
    PyObject *fields;          /* tuple of the names of fields, interned */
    double *value;             /* of the record at hand */
    const char **text;
    char busy;
} stream_object;

#define STREAM(o) ((stream_object *)(o))

static void stream_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    scarce_features_free(STREAM(self)->features);
    scarce_definitions_free(STREAM(self)->definitions);
    Py_XDECREF(STREAM(self)->fields);
    PyMem_Free(STREAM(self)->value);
    PyMem_Free((void *)STREAM(self)->text);
    PyObject_Free(self);
    Py_DECREF(type);
}

static int enter(PyObject *self)
{
    if (!__atomic_test_and_set(&STREAM(self)->busy, __ATOMIC_ACQUIRE)) return 0;
    PyErr_SetString(PyExc_RuntimeError, "features are used by two threads at once");
    return -1;
}

static void leave(PyObject *self)
{
    __atomic_clear(&STREAM(self)->busy, __ATOMIC_RELEASE);
}

/* ---- definitions */

static PyObject *field_names(const scarce_definitions *d)
{
    const size_t n = scarce_definitions_fields(d);
    PyObject *names = PyTuple_New((Py_ssize_t)n);

    for (size_t i = 0; names && i < n; ++i) {
        PyObject *name = text_of(scarce_definitions_get_field(d, i).name);
        if (name) PyUnicode_InternInPlace(&name);
        if (!name || PyTuple_SetItem(names, (Py_ssize_t)i, name) < 0) Py_CLEAR(names);
    }
    return names;
}

static int make_room(stream_object *o)
{
    o->fields = field_names(o->definitions);
    o->value = PyMem_Calloc(scarce_definitions_count(o->definitions) + 1, sizeof *o->value);
    o->text = PyMem_Calloc(scarce_definitions_fields(o->definitions) + 1, sizeof *o->text);
    if (o->fields && o->value && o->text) return 0;
    if (!PyErr_Occurred()) PyErr_NoMemory();
    return -1;
}

/* features_define(text, name, snapshot or None): a stream, new or as the snapshot left it */
static PyObject *features_define(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_error err = SCARCE_ERROR_INIT;
    const char *text, *name, *snapshot;
    Py_ssize_t n;
    stream_object *o;
    scarce_status st;

    if (!PyArg_ParseTuple(args, "s#sz", &text, &n, &name, &snapshot)) return NULL;
    o = PyObject_New(stream_object, (PyTypeObject *)s->stream_type);
    if (!o) return NULL;
    memset((char *)o + sizeof(PyObject), 0, sizeof *o - sizeof(PyObject));
    st = scarce_definitions_read(&o->definitions, text, (size_t)n, name, &err);
    if (st == SCARCE_OK)
        st = snapshot ? scarce_features_restore(&o->features, o->definitions, snapshot, &err)
                      : scarce_features_new(&o->features, o->definitions, &err);
    if (st != SCARCE_OK) raise_status(s, &err);
    if (st != SCARCE_OK || make_room(o) < 0) Py_CLEAR(o);
    return (PyObject *)o;
}

/* info() -> dict of fields, names, text and digest */
static PyObject *stream_info(PyObject *self, PyObject *unused)
{
    const scarce_definitions *d = STREAM(self)->definitions;
    const size_t n = scarce_definitions_count(d);
    PyObject *names = PyList_New(0);

    (void)unused;
    for (size_t i = 0; names && i < n; ++i) {
        PyObject *name = text_of(scarce_definitions_name(d, i));
        if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    if (!names) return NULL;
    return Py_BuildValue("{sOsNsNsN}", "fields", STREAM(self)->fields, "features", names, "text",
                         text_of(scarce_definitions_text(d)), "digest",
                         text_of(scarce_definitions_digest(d)));
}

/* ---- records */

/* The text of a value as a CSV would have it; *kept is to be released. Empty: missing. */
static const char *text_of_value(PyObject *value, PyObject **kept)
{
    *kept = NULL;
    if (!value || value == Py_None) return NULL;
    if (PyFloat_Check(value)) {
        const double x = PyFloat_AsDouble(value);
        if (x != x) return NULL;
    }
    *kept = PyUnicode_Check(value) ? Py_NewRef(value) : PyObject_Str(value);
    return *kept ? PyUnicode_AsUTF8AndSize(*kept, NULL) : NULL;
}

static int read_record(stream_object *o, PyObject *record, PyObject *kept)
{
    for (size_t i = 0; i < scarce_definitions_fields(o->definitions); ++i) {
        PyObject *text = NULL, *value = dict_item(record, PyTuple_GetItem(o->fields, (Py_ssize_t)i));
        if (!value && PyErr_Occurred()) return -1;
        o->text[i] = text_of_value(value, &text);
        Py_XDECREF(value);
        if (PyErr_Occurred() || (text && PyList_Append(kept, text) < 0)) {
            Py_XDECREF(text);
            return -1;
        }
        Py_XDECREF(text);
    }
    return 0;
}

static PyObject *features_dict(const stream_object *o)
{
    PyObject *dict = PyDict_New();

    for (size_t i = 0; dict && i < scarce_definitions_count(o->definitions); ++i)
        if (put(dict, scarce_definitions_name(o->definitions, i), PyFloat_FromDouble(o->value[i])) < 0)
            Py_CLEAR(dict);
    return dict;
}

/* put(record, at or None) -> (features, what) */
static PyObject *stream_put(PyObject *self, PyObject *args)
{
    stream_object *o = STREAM(self);
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *record, *at, *kept, *features = NULL;
    long long when = SCARCE_FEATURES_NOW;
    int what = 0;

    if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &record, &at)) return NULL;
    if (at != Py_None) when = PyLong_AsLongLong(at);
    if (PyErr_Occurred() || enter(self) < 0) return NULL;
    kept = PyList_New(0);
    if (kept && read_record(o, record, kept) == 0) {
        if (scarce_features_put(o->features, o->text, when, o->value, &what, &err) == SCARCE_OK)
            features = features_dict(o);
        else raise_status(state_of(self), &err);
    }
    Py_XDECREF(kept);
    leave(self);
    return features ? Py_BuildValue("Ni", features, what) : NULL;
}

/* label(id, label, at or None) -> found */
static PyObject *stream_label(PyObject *self, PyObject *args)
{
    scarce_error err = SCARCE_ERROR_INIT;
    long long when = SCARCE_FEATURES_NOW;
    PyObject *at;
    const char *id;
    scarce_status st;
    int label, found = 0;

    if (!PyArg_ParseTuple(args, "spO", &id, &label, &at)) return NULL;
    if (at != Py_None) when = PyLong_AsLongLong(at);
    if (PyErr_Occurred() || enter(self) < 0) return NULL;
    st = scarce_features_label(STREAM(self)->features, id, label, when, &found, &err);
    leave(self);
    if (st != SCARCE_OK) return raise_status(state_of(self), &err);
    return PyBool_FromLong(found);
}

static PyObject *stream_save(PyObject *self, PyObject *path)
{
    scarce_error err = SCARCE_ERROR_INIT;
    const char *to;
    scarce_status st;

    if (text_or_none(path, &to, "path") < 0 || !to || enter(self) < 0) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    st = scarce_features_save(STREAM(self)->features, to, &err);
    Py_END_ALLOW_THREADS;
    leave(self);
    if (st != SCARCE_OK) return raise_status(state_of(self), &err);
    Py_RETURN_NONE;
}

static PyObject *stream_position(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(scarce_features_position(STREAM(self)->features));
}

/* ---- tables */

/* table(paths, out, options, how) -> summary */
static PyObject *stream_table(PyObject *self, PyObject *args)
{
    const module_state *s = state_of(self);
    scarce_features_options o = SCARCE_FEATURES_OPTIONS_INIT;
    scarce_features_summary f = SCARCE_FEATURES_SUMMARY_INIT;
    PyObject *list, *options, *how, *result = NULL;
    const char **paths, *out;
    scarce_status st;
    size_t n;
    talk t;

    if (!PyArg_ParseTuple(args, "OsO!O", &list, &out, &PyDict_Type, &options, &how) ||
        take_text(options, "label_time", &o.label_time) < 0 ||
        take_double(options, "label_delay", &o.label_delay) < 0 || take_names(list, &paths, &n, "paths") < 0)
        return NULL;
    if (talk_begin(&t, how, s) == 0) {
        talk_leave(&t);
        st = scarce_features_table(STREAM(self)->definitions, paths, n, out, &o, t.ctx, &f, &t.err);
        talk_return(&t);
        if (!talk_failed(&t, st, s))
            result =
                Py_BuildValue("{sKsKsKsKsKsK}", "rows", (unsigned long long)f.rows, "features",
                              (unsigned long long)f.features, "duplicates", (unsigned long long)f.duplicates,
                              "late", (unsigned long long)f.late, "folded", (unsigned long long)f.folded,
                              "out_of_order", (unsigned long long)f.out_of_order);
        talk_end(&t);
    }
    PyMem_Free((void *)paths);
    return result;
}

static PyMethodDef stream_methods[] = {{"info", stream_info, METH_NOARGS, NULL},
                                       {"put", stream_put, METH_VARARGS, NULL},
                                       {"label", stream_label, METH_VARARGS, NULL},
                                       {"save", stream_save, METH_O, NULL},
                                       {"position", stream_position, METH_NOARGS, NULL},
                                       {"table", stream_table, METH_VARARGS, NULL},
                                       {NULL, NULL, 0, NULL}};

static PyType_Slot stream_slots[] = {
    {Py_tp_dealloc, stream_dealloc}, {Py_tp_methods, stream_methods}, {0, NULL}};

PyType_Spec stream_spec = {"scarce._core.FeatureStream", sizeof(stream_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, stream_slots};

PyMethodDef feature_functions[] = {{"features_define", features_define, METH_VARARGS, NULL},
                                   {NULL, NULL, 0, NULL}};
