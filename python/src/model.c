/* SPDX-License-Identifier: Apache-2.0 */
/* Models: files, scores of tables and matrices, explanations, what is inside. */
#include "core.h"

#include <string.h>

enum { FEW_ROWS = 2000 }; /* below that a thread costs more than it brings */

static void model_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    model_object *m = MODEL(self);

    scarce_explainer_free(m->explainer);
    scarce_spread_free(m->spread);
    scarce_scorer_free(m->scorer);
    scarce_model_free(m->model);
    row_form_free(&m->form);
    PyObject_Free(self);
    Py_DECREF(type);
}

PyObject *new_model(const module_state *s, scarce_model *model)
{
    model_object *m = PyObject_New(model_object, (PyTypeObject *)s->model_type);
    scarce_error err = SCARCE_ERROR_INIT;

    if (!m) {
        scarce_model_free(model);
        return NULL;
    }
    m->model = model;
    m->scorer = NULL, m->explainer = NULL, m->spread = NULL;
    if (row_form_make(&m->form, scarce_model_schema(model), s) < 0) Py_CLEAR(m);
    else if (scarce_scorer_new(&m->scorer, model, &err) != SCARCE_OK) {
        raise_status(s, &err);
        Py_CLEAR(m);
    }
    return (PyObject *)m;
}

/* model_load(path) */
static PyObject *model_load(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    scarce_status st;
    const char *path;
    int foreign = 0;

    if (!PyArg_ParseTuple(args, "s|p", &path, &foreign)) return NULL;
    Py_BEGIN_ALLOW_THREADS st =
        foreign ? scarce_model_import(&model, path, &err) : scarce_model_load(&model, path, &err);
    Py_END_ALLOW_THREADS return st == SCARCE_OK ? new_model(s, model) : raise_status(s, &err);
}

static PyObject *model_loads(PyObject *module, PyObject *bytes)
{
    const module_state *s = state_of_module(module);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    scarce_status st;
    Py_buffer view;

    if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) < 0) return NULL;
    st = scarce_model_read(&model, view.buf, (size_t)view.len, "bytes", &err);
    PyBuffer_Release(&view);
    return st == SCARCE_OK ? new_model(s, model) : raise_status(s, &err);
}

static PyObject *model_bytes(PyObject *self, PyObject *unused)
{
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *result;
    void *bytes;
    size_t n;

    (void)unused;
    if (scarce_model_bytes(&bytes, &n, MODEL(self)->model, &err) != SCARCE_OK)
        return raise_status(state_of(self), &err);
    result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)n);
    scarce_bytes_free(bytes);
    return result;
}

/* save(path, xgboost) */
static PyObject *model_save(PyObject *self, PyObject *args)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st;
    const char *path;
    int xgboost = 0;

    if (!PyArg_ParseTuple(args, "s|p", &path, &xgboost)) return NULL;
    Py_BEGIN_ALLOW_THREADS st = xgboost ? scarce_model_export_xgboost(MODEL(self)->model, path, &err)
                                        : scarce_model_save(MODEL(self)->model, path, &err);
    Py_END_ALLOW_THREADS if (st != SCARCE_OK) return raise_status(state_of(self), &err);
    Py_RETURN_NONE;
}

static PyObject *model_show(PyObject *self, PyObject *args)
{
    scarce_error err = SCARCE_ERROR_INIT;
    PyObject *result;
    const char *format;
    char *text;

    if (!PyArg_ParseTuple(args, "s", &format)) return NULL;
    if (scarce_model_show(&text, MODEL(self)->model, format, &err) != SCARCE_OK)
        return raise_status(state_of(self), &err);
    result = text_of(text);
    scarce_bytes_free(text);
    return result;
}

/* info() -> (method, has_probability, threshold, prevalence) */
static PyObject *model_info(PyObject *self, PyObject *unused)
{
    const scarce_model *m = MODEL(self)->model;
    (void)unused;
    return Py_BuildValue("Nidd", text_of(scarce_model_method(m)), scarce_model_has_probability(m),
                         scarce_model_threshold(m), scarce_model_prevalence(m));
}

static PyObject *model_note(PyObject *self, PyObject *key)
{
    const char *text;
    if (text_or_none(key, &text, "key") < 0 || !text) return NULL;
    return text_of(scarce_model_note(MODEL(self)->model, text));
}

static PyObject *model_schema(PyObject *self, PyObject *unused)
{
    (void)unused;
    return schema_dict(scarce_model_schema(MODEL(self)->model));
}

/* ---- scores */

/* Scores and probabilities as (bytearray, bytearray or None). */
static PyObject *scores(PyObject *self, size_t n, PyObject *how, const scarce_table *table,
                        const Py_buffer *view, int type)
{
    const module_state *s = state_of(self);
    const model_object *m = MODEL(self);
    const int probable = scarce_model_has_probability(m->model);
    PyObject *a = bytes_of(NULL, n, sizeof(double)),
             *b = probable ? bytes_of(NULL, n, sizeof(double)) : Py_NewRef(Py_None);
    double *score = a ? (double *)(void *)bytes_at(a) : NULL,
           *p = b && probable ? (double *)(void *)bytes_at(b) : NULL;
    scarce_status st = SCARCE_OK;
    talk t;

    if (!a || !b) {
        Py_XDECREF(a);
        Py_XDECREF(b);
        return NULL;
    }
    if (view && n <= FEW_ROWS / 8) { /* not worth a context, nor giving up the GIL */
        memset(&t, 0, sizeof t);
        st = scarce_scorer_matrix(m->scorer, view->buf, (scarce_type)type, n, view->strides[0],
                                  view->strides[1], score, p, NULL, &t.err);
        if (st != SCARCE_OK) raise_status(s, &t.err);
    } else {
        if (talk_begin(&t, how, s) < 0) st = SCARCE_EINVAL;
        else {
            scarce_context *ctx = n < FEW_ROWS ? NULL : t.ctx;
            talk_leave(&t);
            st = table ? scarce_scorer_table(m->scorer, table, score, p, ctx, &t.err)
                       : scarce_scorer_matrix(m->scorer, view->buf, (scarce_type)type, n, view->strides[0],
                                              view->strides[1], score, p, ctx, &t.err);
            talk_return(&t);
            if (talk_failed(&t, st, s)) st = st == SCARCE_OK ? SCARCE_ECANCEL : st;
            talk_end(&t);
        }
    }
    if (st == SCARCE_OK) return Py_BuildValue("NN", a, b);
    Py_DECREF(a);
    Py_DECREF(b);
    return NULL;
}

/* score(table, how) */
static PyObject *model_score(PyObject *self, PyObject *args)
{
    PyObject *table, *how;
    if (!PyArg_ParseTuple(args, "OO", &table, &how) || !is_table(state_of(self), table)) return NULL;
    return scores(self, scarce_table_rows(TABLE(table)), how, TABLE(table), NULL, 0);
}

/* score_matrix(2-d buffer, how): columns in the model's order */
static PyObject *model_score_matrix(PyObject *self, PyObject *args)
{
    const module_state *s = state_of(self);
    PyObject *array, *how, *result = NULL;
    Py_buffer view;
    int type;

    if (!PyArg_ParseTuple(args, "OO", &array, &how)) return NULL;
    if (PyObject_GetBuffer(array, &view, PyBUF_STRIDES | PyBUF_FORMAT) < 0) return NULL;
    type = type_of_format(view.format, view.itemsize);
    if (view.ndim != 2 || type < 0)
        PyErr_Format(PyExc_TypeError, "expected a matrix of numbers, not %d dimensions of type \"%s\"",
                     view.ndim, view.format ? view.format : "");
    else if ((size_t)view.shape[1] != MODEL(self)->form.width)
        PyErr_Format(s->data_error, "a matrix of %zd columns, the model has %zu features", view.shape[1],
                     MODEL(self)->form.width);
    else result = scores(self, (size_t)view.shape[0], how, NULL, &view, type);
    PyBuffer_Release(&view);
    return result;
}

/* alert(score, probability or None, amount or None) -> bytearray of 0 and 1 */
static PyObject *model_alert(PyObject *self, PyObject *args)
{
    PyObject *score, *probability, *amount, *result = NULL;
    const void *x = NULL, *p = NULL, *a = NULL;
    Py_buffer vx = {0}, vp = {0}, va = {0};
    size_t n = 0;

    if (!PyArg_ParseTuple(args, "OOO", &score, &probability, &amount)) return NULL;
    if (take_array(score, 'd', &vx, &x, &n, "score") == 1 &&
        take_array(probability, 'd', &vp, &p, &n, "probability") >= 0 &&
        take_array(amount, 'd', &va, &a, &n, "amount") >= 0) {
        result = bytes_of(NULL, n, 1);
        for (size_t i = 0; result && i < n; ++i)
            bytes_at(result)[i] = (char)scarce_scorer_alert(MODEL(self)->scorer, ((const double *)x)[i],
                                                            p ? ((const double *)p)[i] : Py_NAN,
                                                            a ? ((const double *)a)[i] : Py_NAN);
    }
    if (x) PyBuffer_Release(&vx);
    if (p) PyBuffer_Release(&vp);
    if (a) PyBuffer_Release(&va);
    return result;
}

static PyObject *model_probability(PyObject *self, PyObject *score)
{
    const double x = PyFloat_AsDouble(score);
    if (PyErr_Occurred()) return NULL;
    return PyFloat_FromDouble(scarce_scorer_probability(MODEL(self)->scorer, x));
}

/* prevalence(share): probabilities for another share of positives; a model of its own is needed for each */
static PyObject *model_set_prevalence(PyObject *self, PyObject *share)
{
    scarce_error err = SCARCE_ERROR_INIT;
    const double x = PyFloat_AsDouble(share);
    if (PyErr_Occurred()) return NULL;
    if (scarce_scorer_set_prevalence(MODEL(self)->scorer, x, &err) != SCARCE_OK)
        return raise_status(state_of(self), &err);
    Py_RETURN_NONE;
}

/* ---- explanations */

static int need_explainer(PyObject *self)
{
    model_object *m = MODEL(self);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st = SCARCE_OK;

    ALONE_BEGIN(self);
    if (!m->explainer) st = scarce_explainer_new(&m->explainer, m->model, NULL, &err);
    ALONE_END();
    if (st == SCARCE_OK) return 0;
    raise_status(state_of(self), &err);
    return -1;
}

typedef struct filling {
    double *contribution;
    float *value;
    size_t width;
} filling;

static int on_rows(void *payload, size_t first, size_t n, const float *value, const double *contribution)
{
    const filling *f = payload;
    memcpy(f->contribution + first * f->width, contribution, n * f->width * sizeof *contribution);
    memcpy(f->value + first * f->width, value, n * f->width * sizeof *value);
    return 0;
}

/* explain(table, background or None, how) -> (base, contributions, values) */
static PyObject *model_explain(PyObject *self, PyObject *args)
{
    const module_state *s = state_of(self);
    scarce_explain_options eo = SCARCE_EXPLAIN_OPTIONS_INIT;
    scarce_explainer *own = NULL, *e;
    PyObject *table, *background, *how, *a, *b;
    scarce_status st;
    filling f;
    size_t n;
    talk t;

    if (!PyArg_ParseTuple(args, "OOO", &table, &background, &how) || !is_table(s, table)) return NULL;
    if (background != Py_None) {
        scarce_error err = SCARCE_ERROR_INIT;
        if (!is_table(s, background)) return NULL;
        eo.background = TABLE(background);
        if (scarce_explainer_new(&own, MODEL(self)->model, &eo, &err) != SCARCE_OK)
            return raise_status(s, &err);
    } else if (need_explainer(self) < 0) return NULL;
    e = own ? own : MODEL(self)->explainer;
    n = scarce_table_rows(TABLE(table));
    f.width = MODEL(self)->form.width;
    a = bytes_of(NULL, n * f.width, sizeof(double));
    b = a ? bytes_of(NULL, n * f.width, sizeof(float)) : NULL;
    if (b && talk_begin(&t, how, s) == 0) {
        f.contribution = (double *)(void *)bytes_at(a);
        f.value = (float *)(void *)bytes_at(b);
        talk_leave(&t);
        st = scarce_explainer_table(e, TABLE(table), on_rows, &f, t.ctx, &t.err);
        talk_return(&t);
        if (talk_failed(&t, st, s)) Py_CLEAR(b);
        talk_end(&t);
    } else Py_CLEAR(b);
    const double base = scarce_explainer_base(e);
    scarce_explainer_free(own);
    if (b) return Py_BuildValue("dNN", base, a, b);
    Py_XDECREF(a);
    return NULL;
}

static PyObject *model_base(PyObject *self, PyObject *unused)
{
    (void)unused;
    return need_explainer(self) < 0 ? NULL
                                    : PyFloat_FromDouble(scarce_explainer_base(MODEL(self)->explainer));
}

static PyObject *contributions_one(PyObject *self, PyObject *row)
{
    return need_explainer(self) < 0 ? NULL : model_contributions_one(self, row);
}

/* ---- reasons that are no contributions: rules (explain.h; libraries that have ranking trees) */

/* reasons() -> "additive", "rule", "neighbours" or "none": what the model can say about a row */
static PyObject *model_reasons(PyObject *self, PyObject *unused)
{
    (void)unused;
    static const char *const kinds[] = {"none", "additive", "rule", "neighbours"};
    return text_of(kinds[scarce_model_reasons(MODEL(self)->model) & 3]);
}

/* rules() -> [{text, ways, score, rows, positives, precision, share, recall}, ...] */
static PyObject *model_rules(PyObject *self, PyObject *unused)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_rules *rules = NULL;
    PyObject *list;

    (void)unused;
    if (scarce_rules_new(&rules, MODEL(self)->model, &err) != SCARCE_OK)
        return raise_status(state_of(self), &err);
    list = PyList_New((Py_ssize_t)scarce_rules_count(rules));
    for (size_t i = 0; list && i < scarce_rules_count(rules); ++i) {
        scarce_rule r = SCARCE_RULE_INIT;
        PyObject *item = NULL;
        if (scarce_rules_get(rules, i, &r, &err) == SCARCE_OK)
            item = Py_BuildValue("{sNsnsdsnsnsdsdsd}", "text", text_of(r.text), "ways", (Py_ssize_t)r.ways,
                                 "score", r.score, "rows", (Py_ssize_t)r.rows, "positives",
                                 (Py_ssize_t)r.positives, "precision", r.precision, "share", r.share,
                                 "recall", r.recall);
        else raise_status(state_of(self), &err);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
    }
    scarce_rules_free(rules);
    return list;
}

/* transform(table, how) -> the rows in the space that a metric learner learnt: a table of z1, z2, ... */
static PyObject *model_transform(PyObject *self, PyObject *args)
{
    const module_state *s = state_of(self);
    PyObject *table, *how, *result = NULL;
    scarce_table *made = NULL;
    scarce_status st;
    talk t;

    if (!PyArg_ParseTuple(args, "OO", &table, &how) || !is_table(s, table) || talk_begin(&t, how, s) < 0)
        return NULL;
    talk_leave(&t);
    st = scarce_model_transform(&made, MODEL(self)->model, TABLE(table), t.ctx, &t.err);
    talk_return(&t);
    if (!talk_failed(&t, st, s)) result = new_table(s, made);
    talk_end(&t);
    return result;
}

/* fired(table) -> ["rule 3: amount > 214 and hour <= 5", ...], one per row */
static PyObject *model_fired(PyObject *self, PyObject *table)
{
    const module_state *s = state_of(self);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_rules *rules = NULL;
    PyObject *list = NULL;
    const char **way;
    size_t *rule, n;

    if (!is_table(s, table)) return NULL;
    n = scarce_table_rows(TABLE(table));
    rule = PyMem_Calloc(n + 1, sizeof *rule);
    way = PyMem_Calloc(n + 1, sizeof *way);
    if (!rule || !way) PyErr_NoMemory();
    else if (scarce_rules_new(&rules, MODEL(self)->model, &err) != SCARCE_OK ||
             scarce_rules_table(rules, TABLE(table), rule, way, &err) != SCARCE_OK)
        raise_status(s, &err);
    else list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; ++i) {
        PyObject *item = PyUnicode_FromFormat("rule %zu: %s", rule[i] + 1, way[i] ? way[i] : "");
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
    }
    scarce_rules_free(rules);
    PyMem_Free(rule);
    PyMem_Free((void *)way);
    return list;
}

/* reason(feature, value, contribution): in words */
static PyObject *model_reason(PyObject *self, PyObject *args)
{
    model_object *m = MODEL(self);
    scarce_error err = SCARCE_ERROR_INIT;
    char text[SCARCE_REASON_TEXT];
    scarce_reason why;
    Py_ssize_t feature;
    double value;

    if (!PyArg_ParseTuple(args, "ndd", &feature, &value, &why.contribution)) return NULL;
    if (feature < 0 || (size_t)feature >= m->form.width) {
        PyErr_SetString(PyExc_IndexError, "the model has no such feature");
        return NULL;
    }
    scarce_status st = SCARCE_OK;
    ALONE_BEGIN(self);
    if (!m->spread) st = scarce_spread_new(&m->spread, m->model, &err);
    ALONE_END();
    if (st != SCARCE_OK) return raise_status(state_of(self), &err);
    why.feature = (size_t)feature;
    scarce_reason_text(text, scarce_model_schema(m->model), m->spread, &why, (float)value);
    return text_of(text);
}

/* importance(kind, table or None, repeats, how) -> (values, errors) */
static PyObject *model_importance(PyObject *self, PyObject *args)
{
    const module_state *s = state_of(self);
    PyObject *table, *how, *result = NULL;
    const size_t width = MODEL(self)->form.width;
    scarce_importance *out;
    const char *kind;
    Py_ssize_t repeats;
    scarce_status st;
    talk t;

    if (!PyArg_ParseTuple(args, "sOnO", &kind, &table, &repeats, &how)) return NULL;
    if (table != Py_None && !is_table(s, table)) return NULL;
    if (strcmp(kind, "shap") == 0 && need_explainer(self) < 0) return NULL;
    if ((strcmp(kind, "shap") == 0 || strcmp(kind, "permutation") == 0) && table == Py_None) {
        PyErr_Format(PyExc_TypeError, "importance by %s needs data", kind);
        return NULL;
    }
    out = PyMem_Calloc(width + 1, sizeof *out);
    if (!out) return PyErr_NoMemory();
    if (talk_begin(&t, how, s) == 0) {
        talk_leave(&t);
        if (strcmp(kind, "shap") == 0)
            st = scarce_importance_shap(out, MODEL(self)->explainer, TABLE(table), t.ctx, &t.err);
        else if (strcmp(kind, "permutation") == 0)
            st = scarce_importance_permutation(out, MODEL(self)->model, TABLE(table), (size_t)repeats, t.ctx,
                                               &t.err);
        else
            st = scarce_importance_splits(
                out, MODEL(self)->model,
                strcmp(kind, "count") == 0 ? SCARCE_SPLITS_COUNT : SCARCE_SPLITS_GAIN, &t.err);
        talk_return(&t);
        if (!talk_failed(&t, st, s)) {
            PyObject *a = bytes_of(NULL, width, sizeof(double)), *b = bytes_of(NULL, width, sizeof(double));
            for (size_t f = 0; a && b && f < width; ++f) {
                memcpy(bytes_at(a) + f * sizeof(double), &out[f].value, sizeof(double));
                memcpy(bytes_at(b) + f * sizeof(double), &out[f].error, sizeof(double));
            }
            result = Py_BuildValue("NN", a, b);
        }
        talk_end(&t);
    }
    PyMem_Free(out);
    return result;
}

/* partial(table, feature, most, how) -> (values, shares, means, is_category) */
static PyObject *model_partial(PyObject *self, PyObject *args)
{
    const module_state *s = state_of(self);
    PyObject *table, *how, *result = NULL;
    scarce_grid grid = {0, NULL, NULL, 0};
    Py_ssize_t feature, most;
    scarce_status st;
    talk t;

    if (!PyArg_ParseTuple(args, "OnnO", &table, &feature, &most, &how) || !is_table(s, table)) return NULL;
    if (talk_begin(&t, how, s) < 0) return NULL;
    st = scarce_grid_of(&grid, TABLE(table), (size_t)feature, (size_t)most, &t.err);
    if (!talk_failed(&t, st, s)) {
        PyObject *means = bytes_of(NULL, grid.n, sizeof(double));
        if (means) {
            double *out = (double *)(void *)bytes_at(means);
            talk_leave(&t);
            st = scarce_partial_dependence(out, MODEL(self)->model, TABLE(table), (size_t)feature, grid.value,
                                           grid.n, t.ctx, &t.err);
            talk_return(&t);
            if (!talk_failed(&t, st, s))
                result = Py_BuildValue("NNOi", bytes_of(grid.value, grid.n, sizeof(float)),
                                       bytes_of(grid.share, grid.n, sizeof(double)), means, grid.category);
            Py_DECREF(means);
        }
        scarce_grid_deinit(&grid);
    }
    talk_end(&t);
    return result;
}

/* seen(table): share of its rows that the model was trained on */
static PyObject *model_seen(PyObject *self, PyObject *table)
{
    scarce_error err = SCARCE_ERROR_INIT;
    double share;

    if (!is_table(state_of(self), table)) return NULL;
    if (scarce_model_seen(&share, MODEL(self)->model, TABLE(table), &err) != SCARCE_OK)
        return raise_status(state_of(self), &err);
    return PyFloat_FromDouble(share);
}

static PyMethodDef model_methods[] = {
    {"score_one", model_score_one, METH_O,
     "score_one(row): the score of one row (array, dict, tuple or list)."},
    {"probability_one", model_probability_one, METH_O,
     "probability_one(row): its probability; NaN where the model has none."},
    {"one", model_one, METH_O, NULL},
    {"contributions_one", contributions_one, METH_O, NULL},
    {"to_bytes", model_bytes, METH_NOARGS, NULL},
    {"save", model_save, METH_VARARGS, NULL},
    {"show", model_show, METH_VARARGS, NULL},
    {"info", model_info, METH_NOARGS, NULL},
    {"note", model_note, METH_O, NULL},
    {"schema", model_schema, METH_NOARGS, NULL},
    {"score", model_score, METH_VARARGS, NULL},
    {"score_matrix", model_score_matrix, METH_VARARGS, NULL},
    {"alert", model_alert, METH_VARARGS, NULL},
    {"probability", model_probability, METH_O, NULL},
    {"set_prevalence", model_set_prevalence, METH_O, NULL},
    {"explain", model_explain, METH_VARARGS, NULL},
    {"base", model_base, METH_NOARGS, NULL},
    {"reasons", model_reasons, METH_NOARGS, NULL},
    {"rules", model_rules, METH_NOARGS, NULL},
    {"fired", model_fired, METH_O, NULL},
    {"transform", model_transform, METH_VARARGS, NULL},
    {"benchmark", model_benchmark, METH_VARARGS, NULL},
    {"reason", model_reason, METH_VARARGS, NULL},
    {"importance", model_importance, METH_VARARGS, NULL},
    {"partial", model_partial, METH_VARARGS, NULL},
    {"seen", model_seen, METH_O, NULL},
    {NULL, NULL, 0, NULL}};

static PyType_Slot model_slots[] = {
    {Py_tp_dealloc, model_dealloc}, {Py_tp_methods, model_methods}, {0, NULL}};

PyType_Spec model_spec = {"scarce._core.Model", sizeof(model_object), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, model_slots};

PyMethodDef model_functions[] = {{"model_load", model_load, METH_VARARGS, NULL},
                                 {"model_loads", model_loads, METH_O, NULL},
                                 {NULL, NULL, 0, NULL}};
