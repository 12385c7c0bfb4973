/* SPDX-License-Identifier: Apache-2.0 */
/* The module itself: exceptions, types, functions. */
#include "core.h"

#include <stdio.h>
#include <string.h>

module_state *state_of_module(PyObject *module)
{
    return PyModule_GetState(module);
}

module_state *state_of(PyObject *self)
{
    return PyType_GetModuleState(Py_TYPE(self));
}

/* "--valid-fraction 0.2" becomes "valid_fraction=0.2": the library's texts are written for the command line. */
static void pythonic(char *text)
{
    char *to = text;
    const char *from = text;
    int in_name = 0;

    while (*from) {
        const int start = from == text || strchr(" (\"'", from[-1]) != NULL;
        if (start && from[0] == '-' && from[1] == '-' && from[2] >= 'a' && from[2] <= 'z') {
            from += 2;
            in_name = 1;
            continue;
        }
        if (in_name && *from == '-') {
            *to++ = '_';
            ++from;
        } else if (in_name && !(*from >= 'a' && *from <= 'z')) {
            *to++ = '=';
            if (*from == ' ' && from[1] != '(' && strncmp(from, " or ", 4) != 0 &&
                strncmp(from, " and ", 5) != 0)
                ++from;
            in_name = 0;
        } else *to++ = *from++;
    }
    if (in_name) *to++ = '=';
    *to = '\0';
}

static PyObject *class_of(const module_state *s, scarce_status code)
{
    switch (code) {
    case SCARCE_EINVAL: return s->parameter_error;
    case SCARCE_EDATA:
    case SCARCE_EPARSE: return s->data_error;
    case SCARCE_EVERSION: return s->format_error;
    case SCARCE_EUNSUPPORTED: return s->unsupported;
    case SCARCE_EIO: return PyExc_OSError;
    case SCARCE_ENOMEM: return PyExc_MemoryError;
    default: return s->error;
    }
}

PyObject *raise_status(const module_state *s, const scarce_error *err)
{
    char text[2 * sizeof err->text];
    PyObject *type = class_of(s, err->code), *message, *value, *code;

    snprintf(text, sizeof text, "%s", err->text[0] ? err->text : scarce_status_text(err->code));
    pythonic(text);
    message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    value = message ? PyObject_CallFunctionObjArgs(type, message, NULL) : NULL;
    code = PyLong_FromLong(err->code);
    if (value && code) {
        if (PyObject_SetAttrString(value, "code", code) < 0) PyErr_Clear();
        PyErr_SetObject((PyObject *)Py_TYPE(value), value);
    }
    Py_XDECREF(code);
    Py_XDECREF(value);
    Py_XDECREF(message);
    return NULL;
}

static PyObject *new_error(PyObject *module, const char *name, const char *doc, PyObject *a, PyObject *b)
{
    PyObject *bases = b ? PyTuple_Pack(2, a, b) : PyTuple_Pack(1, a);
    PyObject *type = bases ? PyErr_NewExceptionWithDoc(name, doc, bases, NULL) : NULL;

    Py_XDECREF(bases);
    if (type && PyModule_AddObjectRef(module, strchr(name, '.') + 1, type) < 0) Py_CLEAR(type);
    return type;
}

static int add_type(PyObject *module, PyObject **slot, PyType_Spec *spec)
{
    *slot = PyType_FromModuleAndSpec(module, spec, NULL);
    return *slot ? PyModule_AddType(module, (PyTypeObject *)*slot) : -1;
}

static int exec_module(PyObject *module)
{
    module_state *s = state_of_module(module);
    PyMethodDef *const lists[] = {table_functions,   frame_functions,   train_functions, judge_functions,
                                  study_functions,   page_functions,    model_functions, rule_functions,
                                  learner_functions, feature_functions, far_functions};

    s->error = new_error(module, "scarce.ScarceError", "An error of the library; `code` is its status.",
                         PyExc_RuntimeError, NULL);
    if (!s->error) return -1;
    s->parameter_error = new_error(module, "scarce.ParameterError",
                                   "A parameter or option that isn't allowed.", s->error, PyExc_ValueError);
    s->data_error = new_error(module, "scarce.DataError", "Data that can't be used as asked.", s->error,
                              PyExc_ValueError);
    s->format_error = new_error(module, "scarce.ModelFormatError", "A model file of a newer release.",
                                s->error, PyExc_ValueError);
    s->unsupported = new_error(module, "scarce.Unsupported", "Not for this method or kind of model.",
                               s->error, PyExc_NotImplementedError);
    if (!s->parameter_error || !s->data_error || !s->format_error || !s->unsupported) return -1;
    if (add_type(module, &s->table_type, &table_spec) < 0 ||
        add_type(module, &s->frame_type, &frame_spec) < 0 ||
        add_type(module, &s->model_type, &model_spec) < 0 ||
        add_type(module, &s->budget_type, &budget_spec) < 0 ||
        add_type(module, &s->learner_type, &learner_spec) < 0 ||
        add_type(module, &s->stream_type, &stream_spec) < 0 ||
        add_type(module, &s->sketch_type, &sketch_spec) < 0 ||
        add_type(module, &s->plan_type, &plan_spec) < 0 ||
        add_type(module, &s->partition_type, &partition_spec) < 0)
        return -1;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        if (PyModule_AddFunctions(module, lists[i]) < 0) return -1;
    return PyModule_AddStringConstant(module, "version", scarce_version());
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    module_state *s = state_of_module(module);
    Py_VISIT(s->error);
    Py_VISIT(s->parameter_error);
    Py_VISIT(s->data_error);
    Py_VISIT(s->format_error);
    Py_VISIT(s->unsupported);
    Py_VISIT(s->table_type);
    Py_VISIT(s->frame_type);
    Py_VISIT(s->model_type);
    Py_VISIT(s->budget_type);
    Py_VISIT(s->learner_type);
    Py_VISIT(s->stream_type);
    Py_VISIT(s->sketch_type);
    Py_VISIT(s->plan_type);
    Py_VISIT(s->partition_type);
    return 0;
}

static int clear(PyObject *module)
{
    module_state *s = state_of_module(module);
    Py_CLEAR(s->error);
    Py_CLEAR(s->parameter_error);
    Py_CLEAR(s->data_error);
    Py_CLEAR(s->format_error);
    Py_CLEAR(s->unsupported);
    Py_CLEAR(s->table_type);
    Py_CLEAR(s->frame_type);
    Py_CLEAR(s->model_type);
    Py_CLEAR(s->budget_type);
    Py_CLEAR(s->learner_type);
    Py_CLEAR(s->stream_type);
    Py_CLEAR(s->sketch_type);
    Py_CLEAR(s->plan_type);
    Py_CLEAR(s->partition_type);
    return 0;
}

static void free_module(void *module)
{
    (void)clear(module);
}

/* Slots 3 (several interpreters, value 2: each with a GIL of its own, from 3.12) and 4 (no GIL needed, from 3.13)
 * are younger than the ABI we are built for; older interpreters refuse numbers they don't know, so the list ends
 * where the running one does. */
static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)exec_module}, {0, NULL}, {0, NULL}, {0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "_core",
                                        "The C library behind scarce.",
                                        sizeof(module_state),
                                        NULL,
                                        slots,
                                        traverse,
                                        clear,
                                        free_module};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    if (Py_Version >= 0x030C0000) {
        slots[1].slot = 3;
        slots[1].value = (void *)2;
    }
    if (Py_Version >= 0x030D0000) {
        slots[2].slot = 4;
        slots[2].value = (void *)1;
    }
    return PyModuleDef_Init(&definition);
}
