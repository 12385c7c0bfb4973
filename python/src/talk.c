/* SPDX-License-Identifier: Apache-2.0 */
/* A long call: a context of its own, so that no thread lives outside it, and the GIL given up around the work.
 *
 * The library calls back on the thread that called it. Twenty times a second at most the GIL is taken back, so that
 * Ctrl-C is seen and the user's function is told; an exception there stops the work and comes out as it is. */
#include "core.h"

#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void talk_in(talk *t)
{
    PyEval_RestoreThread(t->away);
}

void talk_out(talk *t)
{
    t->away = PyEval_SaveThread();
}

static int call_progress(talk *t, const scarce_progress *p)
{
    PyObject *value = p->metric ? PyFloat_FromDouble(p->value) : Py_NewRef(Py_None);
    PyObject *r = value ? PyObject_CallFunction(t->progress, "sddszO", p->stage, p->done, p->total, p->unit,
                                                p->metric, value)
                        : NULL;
    int stop = r ? PyObject_IsTrue(r) : -1;

    Py_XDECREF(value);
    Py_XDECREF(r);
    return stop;
}

static int on_progress(void *payload, const scarce_progress *p)
{
    talk *t = payload;
    const double at = now();

    if (t->stopped) return 1;
    if (at - t->last < 0.05) return 0;
    t->last = at;
    talk_in(t);
    if (PyErr_CheckSignals() < 0) t->stopped = 1;
    else if (t->progress && call_progress(t, p) != 0) t->stopped = 1;
    talk_out(t);
    return t->stopped;
}

static void on_log(void *payload, scarce_log_level level, const char *line)
{
    talk *t = payload;
    PyObject *text, *r = NULL;

    if (!t->log || t->stopped) return;
    talk_in(t);
    text = text_of(line);
    if (text) r = PyObject_CallFunction(t->log, "iO", (int)level, text);
    if (!r) t->stopped = 1;
    Py_XDECREF(r);
    Py_XDECREF(text);
    talk_out(t);
}

static PyObject *callable_of(PyObject *how, const char *key)
{
    PyObject *o = how && how != Py_None ? PyDict_GetItemString(how, key) : NULL;
    return o == Py_None ? NULL : o;
}

int talk_begin(talk *t, PyObject *how, const module_state *s)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    PyObject *seed = callable_of(how, "seed");
    int threads = 0;

    memset(t, 0, sizeof *t);
    if (take_int(how, "threads", &threads) < 0) return -1;
    if (seed) {
        o.seed = PyLong_AsUnsignedLongLong(seed);
        if (PyErr_Occurred()) return -1;
    }
    t->progress = callable_of(how, "progress");
    t->log = callable_of(how, "log");
    t->last = now();
    o.threads = threads;
    o.progress = on_progress;
    o.log = on_log;
    o.payload = t;
    if (scarce_context_new(&t->ctx, &o, &t->err) == SCARCE_OK) return 0;
    raise_status(s, &t->err);
    return -1;
}

void talk_leave(talk *t)
{
    talk_out(t);
}

void talk_return(talk *t)
{
    talk_in(t);
}

void talk_end(talk *t)
{
    PyThreadState *away = PyEval_SaveThread(); /* threads are waited for */
    scarce_context_free(t->ctx);
    PyEval_RestoreThread(away);
    t->ctx = NULL;
}

int talk_failed(talk *t, scarce_status st, const module_state *s)
{
    if (PyErr_Occurred()) return -1;
    if (st == SCARCE_OK) return 0;
    raise_status(s, &t->err);
    return -1;
}
