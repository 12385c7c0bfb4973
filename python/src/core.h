/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the extension share.
 *
 * The extension is thin: it turns Python's objects into what <scarce/...> takes and back. Arrays come in by the
 * buffer protocol and go out as bytearrays, which the Python side shows as NumPy arrays; so NumPy is neither
 * needed to build nor to import it. Only the stable ABI of Python 3.11 is used. All state is in the module, so
 * several interpreters may load it. */
#ifndef SCARCE_PYTHON_CORE_H
#define SCARCE_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic" /* slots hold functions as void * */
#endif

#include <scarce/scarce.h>

/* One thread at a time in what changes an object: the GIL sees to it, and where there is none, its lock. */
#ifdef Py_GIL_DISABLED
#define ALONE_BEGIN(self) Py_BEGIN_CRITICAL_SECTION(self)
#define ALONE_END() Py_END_CRITICAL_SECTION()
#else
#define ALONE_BEGIN(self) {
#define ALONE_END() }
#endif

typedef struct module_state {
    PyObject *error, *parameter_error, *data_error, *format_error, *unsupported;
    PyObject *table_type, *frame_type, *model_type, *budget_type, *learner_type, *stream_type;
    PyObject *sketch_type, *plan_type, *partition_type;
} module_state;

module_state *state_of_module(PyObject *module);
module_state *state_of(PyObject *self); /* of an object of one of our types */

/* A new reference, since another thread may take the item out of the dict; NULL: not there, or an exception is set. */
PyObject *dict_item(PyObject *dict, PyObject *key);

/* Sets the exception of a status; returns NULL. Options are named as Python names them (valid_fraction=, not
 * --valid-fraction). */
PyObject *raise_status(const module_state *s, const scarce_error *err);

/* ---- arguments */

/* The text of a str; NULL with an exception set for anything else. None: *out is NULL, and that is fine. */
int text_or_none(PyObject *o, const char **out, const char *what);
/* Items of a dict of options: what isn't there or None leaves *out as it is. -1: an exception is set. */
int take_text(PyObject *dict, const char *key, const char **out);
int take_double(PyObject *dict, const char *key, double *out);
int take_int(PyObject *dict, const char *key, int *out);
int take_size(PyObject *dict, const char *key, size_t *out);
/* A list of str as an array of texts (PyMem_Free); the list keeps them alive. None: NULL and 0. */
int take_names(PyObject *list, const char ***out, size_t *n, const char *what);

/* An array of exactly this kind of item ('d' double, 'B' uint8_t, 'i' int32_t, 'I' uint32_t, 'Q' uint64_t, 'f' float),
 * packed, with *n items (or, when *n is set already, exactly that many). None: *out is NULL. 1: the view is to
 * be released, 0: nothing to release, -1: an exception is set. */
int take_array(PyObject *o, char kind, Py_buffer *view, const void **out, size_t *n, const char *what);

/* The type of an item of a buffer; -1 for what is no number. */
int type_of_format(const char *format, Py_ssize_t size);

double number_at(scarce_type type, const char *at);
ptrdiff_t item_size(scarce_type type);

/* n items of `size` bytes each as a bytearray, copied from `from` (NULL: not set). */
PyObject *bytes_of(const void *from, size_t n, size_t size);
char *bytes_at(PyObject *bytearray);

PyObject *text_of(const char *text); /* None for NULL; bytes that are no UTF-8 are replaced */
int put(PyObject *dict, const char *key, PyObject *value); /* takes the reference over; NULL value: fails */

/* ---- long calls: threads, Ctrl-C, progress, log lines */

typedef struct talk {
    scarce_context *ctx;
    scarce_error err;
    PyThreadState *away;      /* while the library works */
    PyObject *progress, *log; /* borrowed; NULL: none */
    double last;
    int stopped; /* an exception is set, or the progress function said True */
} talk;

/* `how` is a dict with seed, threads, progress, log, or None. 0, or -1 with an exception. */
int talk_begin(talk *t, PyObject *how, const module_state *s);
void talk_leave(talk *t); /* gives the GIL up; around every call that may take long */
void talk_return(talk *t);
void talk_end(talk *t);
/* After the call: NULL-able result check. Sets the exception of the callback if there was one, else that of
 * the status. Returns 0 when all is well. */
int talk_failed(talk *t, scarce_status st, const module_state *s);
/* Takes the GIL back inside a callback of the library, and gives it up again. */
void talk_in(talk *t);
void talk_out(talk *t);

/* ---- objects */

typedef struct table_object {
    PyObject_HEAD scarce_table *table;
    struct held *held; /* buffers and frames that the table borrows */
} table_object;

typedef struct frame_object {
    PyObject_HEAD scarce_frame *frame;
} frame_object;

/* The keys of the last dict that was scored, and the features they are: rows.c. */
typedef struct dict_plan {
    PyObject **keys;   /* strong references; NULL: no plan */
    uint32_t *feature; /* UINT32_MAX: none of the model */
    Py_ssize_t n;
    size_t found; /* features among them */
    int misses;   /* in a row: services whose keys are new objects each time get no plans */
} dict_plan;

void plan_forget(dict_plan *plan);

/* NumPy's arrays of one dtype whose memory was found to lie as expected: rows.c. */
typedef struct array_plan {
    PyObject *array_type, *dtype; /* NULL: none seen yet */
    int item;                     /* scarce_type */
} array_plan;

/* How a row of Python's objects becomes floats: rows.c. */
typedef struct row_form {
    const scarce_schema *schema; /* borrowed */
    PyObject *data_error;        /* borrowed of the module */
    PyObject *names;             /* tuple of the features' names, interned */
    size_t width;
    int categories; /* has any */
    dict_plan plan;
    array_plan arrays[2]; /* float32 and float64, in the order they came */
    /* Texts that the schema doesn't have are asked for here; NULL: they are unknown categories. */
    int (*code)(void *payload, size_t f, const char *text, size_t n, float *out);
    void *payload;
} row_form;

int row_form_make(row_form *form, const scarce_schema *schema, const module_state *s); /* -1: an exception */
void row_form_free(row_form *form);
/* Calls `use` with the row's floats: 0, or -1 with an exception. */
int with_row(row_form *form, PyObject *row, int (*use)(void *payload, const float *values), void *payload);

typedef struct model_object {
    PyObject_HEAD scarce_model *model;
    scarce_scorer *scorer;
    scarce_explainer *explainer; /* made when first asked for */
    scarce_spread *spread;
    row_form form;
} model_object;

typedef struct learner_object {
    PyObject_HEAD scarce_learner *learner;
    scarce_context *ctx;
    row_form form;
    char busy;
} learner_object;

typedef struct budget_object {
    PyObject_HEAD scarce_budget *budget;
    int busy;
} budget_object;

#define TABLE(o) (((table_object *)(o))->table)
#define MODEL(o) ((model_object *)(o))
#define LEARNER(o) ((learner_object *)(o))
#define FRAME(o) (((frame_object *)(o))->frame)

int is_table(const module_state *s, PyObject *o);                /* else sets TypeError */
PyObject *new_table(const module_state *s, scarce_table *table); /* takes it over, frees it on failure */
PyObject *new_model(const module_state *s, scarce_model *model); /* the same */
PyObject *schema_dict(const scarce_schema *schema);
/* Parameters of a specification ("random-under:ratio=0.1+gb") with those of a dict of texts over them; -1: an exception. */
int make_params(scarce_params **out, const module_state *s, const char *spec, PyObject *dict,
                const char *resample);

extern PyType_Spec table_spec, frame_spec, model_spec, budget_spec, learner_spec, stream_spec, sketch_spec,
    plan_spec, partition_spec;
extern PyMethodDef table_functions[], frame_functions[], train_functions[], judge_functions[],
    study_functions[], page_functions[], model_functions[], rule_functions[], learner_functions[],
    feature_functions[], far_functions[];

/* The schema of a table, model, learner or plan; NULL with an exception set for anything else. */
const scarce_schema *schema_like(const module_state *s, PyObject *o);

/* ---- train.c: what trainings have in common, wherever their rows are */

int take_train_options(scarce_train_options *o, PyObject *options); /* those that need no object */
/* (model, summary, exception or None), or NULL with an exception; takes the model over. */
PyObject *end_training(talk *t, scarce_status st, scarce_model *model, const scarce_train_summary *summary,
                       const module_state *s);

/* ---- far.c */
const scarce_schema *plan_schema_of(PyObject *plan);

/* ---- judge.c: the rows that are judged, a dict of arrays */
typedef struct scored {
    scarce_scored in;
    Py_buffer views[8];
    int n_views;
} scored;

int scored_make(scored *s, PyObject *dict);
void scored_free(scored *s);
/* The options of metrics; `view` (of alert=) is to be released where its obj is set. */
int take_metrics_options(scarce_metrics_options *o, PyObject *dict, Py_buffer *view, size_t n);

/* ---- pages.c */

/* A report with this title, in whose sentences options are keyword arguments; NULL with an exception. */
scarce_report *begin_page(const module_state *s, const char *title, const char *subtitle);
/* Its text, or NULL with an exception; frees it. */
PyObject *end_page(const module_state *s, scarce_report *r);
/* The comparison in a capsule of study.c; NULL with an exception. */
const scarce_compare *compare_of(PyObject *capsule);

/* ---- rows.c: the single-row methods of a model */
PyObject *model_score_one(PyObject *self, PyObject *row);
PyObject *model_probability_one(PyObject *self, PyObject *row);
PyObject *model_one(PyObject *self, PyObject *row); /* (score, probability) */
PyObject *model_contributions_one(PyObject *self, PyObject *row);
PyObject *model_benchmark(PyObject *self, PyObject *args); /* the scorer alone, without Python around it */

#endif
