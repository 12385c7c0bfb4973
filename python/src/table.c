/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: reading files, taking columns, giving values back. */
#include "core.h"

#include <string.h>

/* ---- what a table borrows */

typedef struct held {
    Py_buffer *views;
    size_t n_views;
    PyObject *frames; /* list that keeps frames alive */
    int released;     /* the library needs none of it any more */
} held;

static void held_free(held *h)
{
    if (!h) return;
    for (size_t i = 0; i < h->n_views; ++i) PyBuffer_Release(&h->views[i]);
    PyMem_Free(h->views);
    Py_XDECREF(h->frames);
    PyMem_Free(h);
}

/* May run without the GIL: it only leaves word. */
static void on_release(void *payload)
{
    ((held *)payload)->released = 1;
}

static void table_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    table_object *t = (table_object *)self;

    scarce_table_free(t->table);
    held_free(t->held);
    PyObject_Free(self);
    Py_DECREF(type);
}

static table_object *empty_table(const module_state *s)
{
    table_object *t = PyObject_New(table_object, (PyTypeObject *)s->table_type);
    if (t) t->table = NULL, t->held = NULL;
    return t;
}

PyObject *new_table(const module_state *s, scarce_table *table)
{
    table_object *t = empty_table(s);
    if (!t) scarce_table_free(table);
    else t->table = table;
    return (PyObject *)t;
}

int is_table(const module_state *s, PyObject *o)
{
    if (PyObject_TypeCheck(o, (PyTypeObject *)s->table_type)) return 1;
    PyErr_Format(PyExc_TypeError, "expected a table, not %R", (PyObject *)Py_TYPE(o));
    return 0;
}

const scarce_schema *schema_like(const module_state *s, PyObject *o)
{
    if (PyObject_TypeCheck(o, (PyTypeObject *)s->model_type)) return scarce_model_schema(MODEL(o)->model);
    if (PyObject_TypeCheck(o, (PyTypeObject *)s->plan_type)) return plan_schema_of(o);
    if (PyObject_TypeCheck(o, (PyTypeObject *)s->learner_type))
        return scarce_learner_schema(LEARNER(o)->learner);
    return is_table(s, o) ? scarce_table_schema(TABLE(o)) : NULL;
}

/* ---- columns */

/* (name, role, kind, data, index, categories, missing): data a frame and the number of its column, or anything with
 * a one-dimensional buffer. */
static int fill_column(const module_state *s, scarce_column *c, held *h, const char ***categories,
                       PyObject *spec, size_t n_rows)
{
    PyObject *data, *list;
    Py_ssize_t index;
    const char *name;
    int role, kind, type;
    size_t n;
    Py_buffer *view;

    if (!PyTuple_Check(spec)) {
        PyErr_SetString(PyExc_TypeError, "a column is a tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(spec, "siiOnO:column", &name, &role, &kind, &data, &index, &list)) return -1;
    if (PyObject_TypeCheck(data, (PyTypeObject *)s->frame_type)) {
        const scarce_column *from = scarce_frame_column(FRAME(data), (size_t)index);
        if (!from) {
            PyErr_SetString(PyExc_IndexError, "the frame has no such column");
            return -1;
        }
        if (scarce_frame_rows(FRAME(data)) != n_rows) {
            PyErr_Format(s->data_error, "column \"%s\" has %zu rows, the others have %zu", name,
                         scarce_frame_rows(FRAME(data)), n_rows);
            return -1;
        }
        *c = *from;
        c->name = name;
        c->role = role;
        if (kind == SCARCE_COLUMN_CATEGORY) c->kind = SCARCE_COLUMN_CATEGORY;
        return PyList_Append(h->frames, data);
    }
    view = &h->views[h->n_views];
    if (PyObject_GetBuffer(data, view, PyBUF_STRIDES | PyBUF_FORMAT) < 0) return -1;
    h->n_views += 1;
    type = type_of_format(view->format, view->itemsize);
    if (view->ndim != 1 || type < 0) {
        PyErr_Format(PyExc_TypeError, "column \"%s\" holds items of type \"%s\", which are no numbers", name,
                     view->format ? view->format : "");
        return -1;
    }
    c->name = name;
    c->role = role;
    c->kind = (scarce_column_kind)kind;
    c->type = (scarce_type)type;
    c->items = view->buf;
    c->stride = view->strides ? view->strides[0] : view->itemsize;
    if (c->stride == 0) c->stride = view->itemsize; /* one row */
    if (take_names(list, categories, &n, "categories") < 0) return -1;
    c->categories = *categories;
    c->n_categories = n;
    return 0;
}

typedef struct columns {
    scarce_column *column;
    const char ***categories;
    size_t n;
    held *held;
} columns;

static void columns_free(columns *c)
{
    for (size_t i = 0; c->categories && i < c->n; ++i) PyMem_Free((void *)c->categories[i]);
    PyMem_Free(c->categories);
    PyMem_Free(c->column);
    held_free(c->held);
}

static int columns_make(columns *c, const module_state *s, PyObject *list, size_t n_rows)
{
    const scarce_column none = SCARCE_COLUMN_INIT;

    memset(c, 0, sizeof *c);
    c->n = (size_t)PyList_Size(list);
    c->column = PyMem_Calloc(c->n + 1, sizeof *c->column);
    c->categories = PyMem_Calloc(c->n + 1, sizeof *c->categories);
    c->held = PyMem_Calloc(1, sizeof *c->held);
    if (c->held) {
        c->held->views = PyMem_Calloc(c->n + 1, sizeof *c->held->views);
        c->held->frames = PyList_New(0);
    }
    if (!c->column || !c->categories || !c->held || !c->held->views || !c->held->frames) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < c->n; ++i) {
        const size_t before = c->held->n_views;
        c->column[i] = none;
        if (fill_column(s, &c->column[i], c->held, &c->categories[i], PyList_GetItem(list, (Py_ssize_t)i),
                        n_rows) < 0)
            return -1;
        if (c->held->n_views > before) {
            const Py_buffer *view = &c->held->views[before];
            const size_t items = view->itemsize ? (size_t)(view->len / view->itemsize) : 0;
            if (items != n_rows) {
                PyErr_Format(s->data_error, "column \"%s\" has %zu rows, the others have %zu",
                             c->column[i].name, items, n_rows);
                return -1;
            }
        }
    }
    return 0;
}

/* table_columns(columns, n_rows, positive, like, borrow, how[, dates, part]): a table out of columns; dates: so were the times;
 * part: these rows are some of more. */
static PyObject *table_columns(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;
    PyObject *list, *positive, *model, *how;
    table_object *result = NULL;
    Py_ssize_t n_rows;
    scarce_status st;
    columns c;
    int borrow, dates = 0;
    talk t;

    if (!PyArg_ParseTuple(args, "O!nOOpO|pp", &PyList_Type, &list, &n_rows, &positive, &model, &borrow, &how,
                          &dates, &o.part))
        return NULL;
    if (text_or_none(positive, &o.positive, "positive") < 0) return NULL;
    if (dates) o.time_format = SCARCE_TIME_DATES;
    if (model != Py_None && !(o.schema = schema_like(s, model))) return NULL;
    if (columns_make(&c, s, list, (size_t)n_rows) < 0) {
        columns_free(&c);
        return NULL;
    }
    if (talk_begin(&t, how, s) < 0) {
        columns_free(&c);
        return NULL;
    }
    result = empty_table(s);
    if (borrow) o.release = on_release, o.payload = c.held;
    else c.held->released = 1;
    if (result) {
        talk_leave(&t);
        st = scarce_table_from_columns(&result->table, c.column, c.n, (size_t)n_rows, &o, t.ctx, &t.err);
        talk_return(&t);
        if (talk_failed(&t, st, s)) Py_CLEAR(result);
        else if (!c.held->released) {
            result->held = c.held;
            c.held = NULL;
        }
    }
    talk_end(&t);
    columns_free(&c);
    return (PyObject *)result;
}

/* ---- files */

static int take_list(PyObject *dict, const char *key, scarce_names *out, const char ***keep)
{
    PyObject *list = PyDict_GetItemString(dict, key);
    if (take_names(list, keep, &out->count, key) < 0) return -1;
    out->items = *keep;
    return 0;
}

/* table_read(paths, bytes, name, options, model, how) */
static PyObject *table_read(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    PyObject *list, *dict, *model, *how, *name, *raw;
    const char **paths = NULL, **ignore = NULL, **categorical = NULL, **numeric = NULL, **missing = NULL,
               **use = NULL, **keep = NULL, *file_name;
    scarce_table *table = NULL;
    PyObject *result = NULL;
    scarce_status st;
    size_t n_paths;
    Py_buffer view = {0};
    int format = 0;
    talk t;

    if (!PyArg_ParseTuple(args, "OOOO!OO", &list, &raw, &name, &PyDict_Type, &dict, &model, &how))
        return NULL;
    if (text_or_none(name, &file_name, "name") < 0) return NULL;
    if (take_names(list, &paths, &n_paths, "paths") < 0) return NULL;
    if (model != Py_None && !(o.schema = schema_like(s, model))) goto end;
    if (take_text(dict, "label", &o.label) < 0 || take_text(dict, "positive", &o.positive) < 0 ||
        take_text(dict, "weight", &o.weight) < 0 || take_text(dict, "time", &o.time) < 0 ||
        take_text(dict, "group", &o.group) < 0 || take_text(dict, "amount", &o.amount) < 0 ||
        take_text(dict, "cost", &o.cost) < 0 || take_list(dict, "ignore", &o.ignore, &ignore) < 0 ||
        take_list(dict, "categorical", &o.categorical, &categorical) < 0 ||
        take_list(dict, "numeric", &o.numeric, &numeric) < 0 ||
        take_list(dict, "missing", &o.missing, &missing) < 0 || take_list(dict, "use", &o.use, &use) < 0 ||
        take_list(dict, "keep", &o.keep, &keep) < 0 || take_int(dict, "format", &format) < 0 ||
        take_int(dict, "no_header", &o.no_header) < 0 ||
        take_int(dict, "label_optional", &o.label_optional) < 0 ||
        take_int(dict, "leave_out", &o.leave_out) < 0 ||
        take_int(dict, "optional_roles", &o.optional_roles) < 0)
        goto end;
    o.format = (scarce_format)format;
    if (raw != Py_None && PyObject_GetBuffer(raw, &view, PyBUF_SIMPLE) < 0) goto end;
    if (talk_begin(&t, how, s) == 0) {
        talk_leave(&t);
        st = raw != Py_None
                 ? scarce_table_read_bytes(&table, view.buf, (size_t)view.len, file_name, &o, t.ctx, &t.err)
                 : scarce_table_read(&table, paths, n_paths, &o, t.ctx, &t.err);
        talk_return(&t);
        if (!talk_failed(&t, st, s)) result = new_table(s, table);
        else scarce_table_free(table);
        talk_end(&t);
    }
    if (view.obj) PyBuffer_Release(&view);
end:
    PyMem_Free((void *)paths);
    PyMem_Free((void *)ignore);
    PyMem_Free((void *)categorical);
    PyMem_Free((void *)numeric);
    PyMem_Free((void *)missing);
    PyMem_Free((void *)use);
    PyMem_Free((void *)keep);
    return result;
}

/* ---- what is in a table */

static PyObject *strings(size_t n, const char *(*get)(const scarce_schema *, size_t, size_t),
                         const scarce_schema *schema, size_t f)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; ++i) {
        PyObject *text = text_of(get(schema, f, i));
        if (!text || PyList_SetItem(list, (Py_ssize_t)i, text) < 0) Py_CLEAR(list);
    }
    return list;
}

static const char *name_at(const scarce_schema *schema, size_t unused, size_t i)
{
    (void)unused;
    return scarce_schema_name(schema, i);
}

PyObject *schema_dict(const scarce_schema *schema)
{
    static const struct {
        const char *name;
        scarce_role role;
    } roles[] = {{"weight", SCARCE_ROLE_WEIGHT},
                 {"time", SCARCE_ROLE_TIME},
                 {"group", SCARCE_ROLE_GROUP},
                 {"amount", SCARCE_ROLE_AMOUNT},
                 {"cost", SCARCE_ROLE_COST}};
    const size_t n = scarce_schema_features(schema);
    PyObject *dict = PyDict_New(), *kinds = PyList_New((Py_ssize_t)n), *categories = PyDict_New();
    int ok = dict && kinds && categories;

    for (size_t f = 0; ok && f < n; ++f) {
        const scarce_column_kind kind = scarce_schema_kind(schema, f);
        ok = PyList_SetItem(kinds, (Py_ssize_t)f, PyLong_FromLong((long)kind)) == 0;
        if (ok && kind == SCARCE_COLUMN_CATEGORY)
            ok = put(categories, scarce_schema_name(schema, f),
                     strings(scarce_schema_categories(schema, f), scarce_schema_category, schema, f)) == 0;
    }
    if (ok) ok = put(dict, "features", strings(n, name_at, schema, 0)) == 0;
    if (ok)
        ok = put(dict, "kinds", Py_NewRef(kinds)) == 0 && put(dict, "categories", Py_NewRef(categories)) == 0;
    if (ok) ok = put(dict, "label", text_of(scarce_schema_label(schema))) == 0;
    if (ok) ok = put(dict, "positive", text_of(scarce_schema_positive(schema))) == 0;
    if (ok) ok = put(dict, "negative", text_of(scarce_schema_negative(schema))) == 0;
    for (size_t i = 0; ok && i < sizeof roles / sizeof *roles; ++i)
        ok = put(dict, roles[i].name, text_of(scarce_schema_role(schema, roles[i].role))) == 0;
    Py_XDECREF(kinds);
    Py_XDECREF(categories);
    if (!ok) Py_CLEAR(dict);
    return dict;
}

static PyObject *table_schema(PyObject *self, PyObject *unused)
{
    (void)unused;
    return schema_dict(scarce_table_schema(TABLE(self)));
}

/* size() -> (rows, features, positives, bytes) */
static PyObject *table_size(PyObject *self, PyObject *unused)
{
    const scarce_table *t = TABLE(self);
    (void)unused;
    return Py_BuildValue("nnnn", (Py_ssize_t)scarce_table_rows(t), (Py_ssize_t)scarce_table_features(t),
                         (Py_ssize_t)scarce_table_positives(t), (Py_ssize_t)scarce_table_bytes(t));
}

/* role(name) -> bytearray or None */
static PyObject *table_role(PyObject *self, PyObject *name)
{
    const scarce_table *t = TABLE(self);
    const size_t n = scarce_table_rows(t);
    const void *from = NULL;
    size_t size = sizeof(double);
    const char *role;

    if (text_or_none(name, &role, "role") < 0 || !role) return NULL;
    if (strcmp(role, "label") == 0) from = scarce_table_label(t), size = 1;
    else if (strcmp(role, "weight") == 0) from = scarce_table_weight(t);
    else if (strcmp(role, "time") == 0) from = scarce_table_time(t);
    else if (strcmp(role, "amount") == 0) from = scarce_table_amount(t);
    else if (strcmp(role, "cost") == 0) from = scarce_table_cost(t);
    else if (strcmp(role, "group") == 0) from = scarce_table_group(t), size = sizeof(int32_t);
    if (!from) Py_RETURN_NONE;
    return bytes_of(from, n, size);
}

/* column(f) -> (numbers or None, codes or None): a sparse column has neither */
static PyObject *table_column(PyObject *self, PyObject *number)
{
    const scarce_table *t = TABLE(self);
    const size_t f = PyLong_AsSize_t(number), n = scarce_table_rows(t);
    if (PyErr_Occurred()) return NULL;
    const float *numbers = f < scarce_table_features(t) ? scarce_table_numbers(t, f) : NULL;
    const int32_t *codes = f < scarce_table_features(t) ? scarce_table_codes(t, f) : NULL;
    PyObject *a = numbers ? bytes_of(numbers, n, sizeof *numbers) : Py_NewRef(Py_None);
    PyObject *b = codes ? bytes_of(codes, n, sizeof *codes) : Py_NewRef(Py_None);
    return Py_BuildValue("NN", a, b);
}

static PyObject *table_group_name(PyObject *self, PyObject *code)
{
    const long c = PyLong_AsLong(code);
    if (c == -1 && PyErr_Occurred()) return NULL;
    return text_of(scarce_table_group_name(TABLE(self), (int32_t)c));
}

static PyObject *table_describe(PyObject *self, PyObject *unused)
{
    const size_t n = scarce_table_describe(TABLE(self), NULL, 0);
    char *text = n ? PyMem_Malloc(n + 1) : NULL;
    PyObject *result;
    (void)unused;
    if (!text) return PyErr_NoMemory();
    scarce_table_describe(TABLE(self), text, n + 1);
    result = text_of(text);
    PyMem_Free(text);
    return result;
}

static PyObject *table_fingerprint(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(scarce_table_fingerprint(TABLE(self)));
}

/* rows_of(uint32 rows, how) -> Table */
static PyObject *table_rows_of(PyObject *self, PyObject *args)
{
    const module_state *s = state_of(self);
    PyObject *rows, *how, *result = NULL;
    scarce_table *table = NULL;
    const void *items;
    Py_buffer view;
    size_t n = 0;
    talk t;

    if (!PyArg_ParseTuple(args, "OO", &rows, &how) || take_array(rows, 'I', &view, &items, &n, "rows") < 1)
        return NULL;
    for (size_t i = 0; i < n; ++i)
        if (((const uint32_t *)items)[i] >= scarce_table_rows(TABLE(self))) {
            PyErr_Format(PyExc_IndexError, "row %zu of a table of %zu", (size_t)((const uint32_t *)items)[i],
                         scarce_table_rows(TABLE(self)));
            PyBuffer_Release(&view);
            return NULL;
        }
    if (talk_begin(&t, how, s) == 0) {
        scarce_status st;
        talk_leave(&t);
        st = scarce_table_rows_of(&table, TABLE(self), items, n, t.ctx, &t.err);
        talk_return(&t);
        if (!talk_failed(&t, st, s)) result = new_table(s, table);
        else scarce_table_free(table);
        talk_end(&t);
    }
    PyBuffer_Release(&view);
    return result;
}

/* set_weight(doubles) */
static PyObject *table_set_weight(PyObject *self, PyObject *weight)
{
    size_t n = scarce_table_rows(TABLE(self));
    scarce_error err = SCARCE_ERROR_INIT;
    const void *items;
    Py_buffer view;
    scarce_status st;

    if (take_array(weight, 'd', &view, &items, &n, "weight") < 1) return NULL;
    st = scarce_table_set_weight(TABLE(self), items, &err);
    PyBuffer_Release(&view);
    if (st != SCARCE_OK) return raise_status(state_of(self), &err);
    Py_RETURN_NONE;
}

/* write(path, how) */
static PyObject *table_write(PyObject *self, PyObject *args)
{
    const module_state *s = state_of(self);
    const char *path;
    PyObject *how;
    scarce_status st;
    int failed;
    talk t;

    if (!PyArg_ParseTuple(args, "sO", &path, &how) || talk_begin(&t, how, s) < 0) return NULL;
    talk_leave(&t);
    st = scarce_table_write(TABLE(self), path, NULL, t.ctx, &t.err);
    talk_return(&t);
    failed = talk_failed(&t, st, s);
    talk_end(&t);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef table_methods[] = {{"schema", table_schema, METH_NOARGS, NULL},
                                      {"size", table_size, METH_NOARGS, NULL},
                                      {"role", table_role, METH_O, NULL},
                                      {"column", table_column, METH_O, NULL},
                                      {"group_name", table_group_name, METH_O, NULL},
                                      {"describe", table_describe, METH_NOARGS, NULL},
                                      {"fingerprint", table_fingerprint, METH_NOARGS, NULL},
                                      {"rows_of", table_rows_of, METH_VARARGS, NULL},
                                      {"set_weight", table_set_weight, METH_O, NULL},
                                      {"write", table_write, METH_VARARGS, NULL},
                                      {NULL, NULL, 0, NULL}};

static PyType_Slot table_slots[] = {
    {Py_tp_dealloc, table_dealloc}, {Py_tp_methods, table_methods}, {0, NULL}};

PyType_Spec table_spec = {"scarce._core.Table", sizeof(table_object), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, table_slots};

PyMethodDef table_functions[] = {{"table_columns", table_columns, METH_VARARGS, NULL},
                                 {"table_read", table_read, METH_VARARGS, NULL},
                                 {NULL, NULL, 0, NULL}};
