/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that people write: checked, and tried on history. */
#include "core.h"

/* ---- reading them */

typedef struct remarks {
    PyObject *list;
    int failed;
} remarks;

static void tell(void *payload, const scarce_rule_remark *r)
{
    remarks *to = payload;
    PyObject *o = to->failed ? NULL
                             : Py_BuildValue("{sisisNsNsNsNsN}", "line", r->line, "column", r->column,
                                             "wrong", PyBool_FromLong(r->wrong), "rule", text_of(r->rule),
                                             "text", text_of(r->text), "name", text_of(r->name), "nearest",
                                             text_of(r->nearest));
    if (!o || PyList_Append(to->list, o) < 0) to->failed = 1;
    Py_XDECREF(o);
}

/* The text and where it comes from: (text, name, folder or None). */
typedef struct source {
    const char *text, *name, *folder;
    Py_ssize_t n;
} source;

static scarce_status read_rules(scarce_ruleset **out, const source *from, const scarce_records *records,
                                remarks *to, scarce_error *err)
{
    scarce_ruleset_options o = SCARCE_RULESET_OPTIONS_INIT;
    const scarce_record_field *fields = NULL;
    size_t n = 0;

    if (records) fields = scarce_records_fields(records, &n);
    o.grammar_only = !records;
    o.what = "column";
    o.folder = from->folder;
    if (to) o.remark = tell, o.payload = to;
    return scarce_ruleset_read(out, from->text, (size_t)from->n, from->name, fields, n, &o, err);
}

static PyObject *rule_dict(const scarce_ruleset *set, size_t i)
{
    scarce_rule_info f = SCARCE_RULE_INFO_INIT;
    (void)scarce_ruleset_get(set, i, &f, NULL);
    return Py_BuildValue("{sNsssNsNsNsNsdslsNsisn}", "name", text_of(f.name), "stage",
                         scarce_stage_name(f.stage), "when", text_of(f.when), "say", text_of(f.say), "sql",
                         text_of(f.sql), "owner", text_of(f.owner), "score", f.score, "priority", f.priority,
                         "shadow", PyBool_FromLong(f.shadow), "line", f.line, "steps", (Py_ssize_t)f.cost);
}

/* A list of what `make` gives for 0..n-1. */
static PyObject *list_of(size_t n, PyObject *(*make)(const void *, size_t), const void *arg)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; ++i) {
        PyObject *o = make(arg, i);
        if (!o || PyList_Append(list, o) < 0) Py_CLEAR(list);
        Py_XDECREF(o);
    }
    return list;
}

static PyObject *make_rule(const void *set, size_t i)
{
    return rule_dict(set, i);
}

/* rules_check(text, name, folder or None, table or None) */
static PyObject *rules_check(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    source from;
    PyObject *table, *rules = NULL;
    scarce_records *records = NULL;
    scarce_ruleset *set = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    remarks to = {NULL, 0};
    scarce_status st = SCARCE_OK;

    if (!PyArg_ParseTuple(args, "s#szO", &from.text, &from.n, &from.name, &from.folder, &table) ||
        (table != Py_None && !is_table(s, table)))
        return NULL;
    to.list = PyList_New(0);
    if (!to.list) return NULL;
    if (table != Py_None) st = scarce_records_new(&records, TABLE(table), &err);
    if (st == SCARCE_OK) st = read_rules(&set, &from, records, &to, &err);
    if (st != SCARCE_OK && st != SCARCE_EPARSE) raise_status(s, &err);
    else if (!to.failed) rules = list_of(set ? scarce_ruleset_count(set) : 0, make_rule, set);
    scarce_ruleset_free(set);
    scarce_records_free(records);
    if (rules) return Py_BuildValue("{sNsN}", "remarks", to.list, "rules", rules);
    Py_DECREF(to.list);
    return NULL;
}

/* ---- the back-test */

static PyObject *figures_dict(const scarce_backtest *b, size_t i)
{
    scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;
    (void)scarce_backtest_get(b, i, &f, NULL);
    return Py_BuildValue(
        "{snsnsnsnsdsdsdsdsdsdsdsdsdsnsdsnsnsn}", "fired", (Py_ssize_t)f.fired, "unknown",
        (Py_ssize_t)f.unknown, "asleep", (Py_ssize_t)f.asleep, "positive", (Py_ssize_t)f.hits, "precision",
        f.precision, "precision_lo", f.precision_lo, "precision_hi", f.precision_hi, "detection", f.detection,
        "detection_lo", f.detection_lo, "detection_hi", f.detection_hi, "false_alerts", f.false_alerts,
        "amount", f.amount, "amount_positive", f.amount_hits, "alone", (Py_ssize_t)f.alone, "amount_alone",
        f.amount_alone, "with_model", (Py_ssize_t)f.with_model, "positive_with_model",
        (Py_ssize_t)f.hits_with_model, "after_block", (Py_ssize_t)f.after_block);
}

typedef struct shown {
    const scarce_backtest *b;
    const scarce_ruleset *set;
    size_t rule;
} shown;

static PyObject *make_week(const void *arg, size_t p)
{
    const shown *x = arg;
    const scarce_backtest_period q = scarce_backtest_period_of(x->b, x->rule, p);
    return Py_BuildValue("{sdsdsnsnsnsn}", "begin", q.begin, "end", q.end, "rows", (Py_ssize_t)q.rows,
                         "positives", (Py_ssize_t)q.positives, "fired", (Py_ssize_t)q.fired, "positive",
                         (Py_ssize_t)q.hits);
}

static PyObject *make_row(const void *arg, size_t k)
{
    const shown *x = arg;
    size_t n;
    return PyLong_FromSize_t(scarce_backtest_rows_of(x->b, x->rule, &n)[k]);
}

static PyObject *make_tested(const void *arg, size_t i)
{
    const shown x = {((const shown *)arg)->b, ((const shown *)arg)->set, i};
    PyObject *figures = figures_dict(x.b, i), *rule = figures ? rule_dict(x.set, i) : NULL;
    size_t n;

    (void)scarce_backtest_rows_of(x.b, i, &n);
    if (rule && (PyDict_Update(rule, figures) < 0 ||
                 put(rule, "weeks", list_of(scarce_backtest_periods(x.b), make_week, &x)) < 0 ||
                 put(rule, "rows", list_of(n, make_row, &x)) < 0))
        Py_CLEAR(rule);
    Py_XDECREF(figures);
    return rule;
}

static PyObject *make_limit(const void *arg, size_t i)
{
    static const char *const states[] = {"kept", "broken", "open"};
    const shown *x = arg;
    const scarce_backtest_limit *l = scarce_backtest_limit_of(x->b, i);
    scarce_rule_info f = SCARCE_RULE_INFO_INIT;
    (void)scarce_ruleset_get(x->set, l->rule, &f, NULL);
    return Py_BuildValue("{sNsNsssN}", "rule", text_of(f.name), "limit", text_of(l->limit), "state",
                         states[l->state], "text", text_of(l->text));
}

static PyObject *backtest_dict(const scarce_backtest *b, const scarce_ruleset *set)
{
    static const char *const names[] = {"rules_together", "blocks_together", "model", "either"};
    const shown x = {b, set, 0};
    const int sums = scarce_backtest_has_model(b) ? 4 : 2;
    PyObject *d = PyDict_New();
    size_t limits = 0;

    while (scarce_backtest_limit_of(b, limits)) ++limits;
    if (d && (put(d, "n_rows", PyLong_FromSize_t(scarce_backtest_rows(b))) < 0 ||
              put(d, "positives", PyLong_FromSize_t(scarce_backtest_positives(b))) < 0 ||
              put(d, "rules", list_of(scarce_ruleset_count(set), make_tested, &x)) < 0 ||
              put(d, "limits", list_of(limits, make_limit, &x)) < 0))
        Py_CLEAR(d);
    for (int i = 0; d && i < sums; ++i)
        if (put(d, names[i], figures_dict(b, SCARCE_BACKTEST_SUM(i))) < 0) Py_CLEAR(d);
    return d;
}

static int add_page(const module_state *s, PyObject *d, const scarce_backtest *b, const scarce_ruleset *set,
                    const scarce_records *records, const char *subtitle)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_report *r = begin_page(s, "Back-test of rules", subtitle);

    if (!r) return -1;
    if (scarce_page_backtest(r, b, set, records, &err) == SCARCE_OK) return put(d, "page", end_page(s, r));
    scarce_report_free(r);
    raise_status(s, &err);
    return -1;
}

/* rules_backtest(table, text, name, folder or None, alert as bytes or None, level, how) */
static PyObject *rules_backtest(PyObject *module, PyObject *args)
{
    const module_state *s = state_of_module(module);
    scarce_backtest_options o = SCARCE_BACKTEST_OPTIONS_INIT;
    source from;
    PyObject *table, *how, *result = NULL;
    scarce_records *records = NULL;
    scarce_ruleset *set = NULL;
    scarce_backtest *b = NULL;
    Py_ssize_t n = 0;
    const char *alert = NULL;
    scarce_status st;
    talk t;

    if (!PyArg_ParseTuple(args, "Os#szz#dO", &table, &from.text, &from.n, &from.name, &from.folder, &alert,
                          &n, &o.level, &how) ||
        !is_table(s, table))
        return NULL;
    if (alert && (size_t)n != scarce_table_rows(TABLE(table))) {
        PyErr_Format(s->data_error, "alert has %zd values, the data %zu rows", n,
                     scarce_table_rows(TABLE(table)));
        return NULL;
    }
    if (talk_begin(&t, how, s) < 0) return NULL;
    o.model_alert = (const uint8_t *)alert;
    talk_leave(&t);
    st = scarce_records_new(&records, TABLE(table), &t.err);
    if (st == SCARCE_OK) st = read_rules(&set, &from, records, NULL, &t.err);
    if (st == SCARCE_OK) st = scarce_backtest_run(&b, set, records, &o, t.ctx, &t.err);
    talk_return(&t);
    if (!talk_failed(&t, st, s)) {
        result = backtest_dict(b, set);
        if (result && add_page(s, result, b, set, records, from.name) < 0) Py_CLEAR(result);
    }
    scarce_backtest_free(b);
    scarce_ruleset_free(set);
    scarce_records_free(records);
    talk_end(&t);
    return result;
}

PyMethodDef rule_functions[] = {{"rules_check", rules_check, METH_VARARGS, NULL},
                                {"rules_backtest", rules_backtest, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
