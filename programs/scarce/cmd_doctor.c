/* SPDX-License-Identifier: Apache-2.0 */
/* scarce doctor DATA: what will go wrong, before training. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "next_step.h"
#include "program.h"

typedef struct doctor_command {
    common_options common;
    data_options data;
    const char *protocol, *report;
    long repeats;
    double period;
    int purge, strict;
} doctor_command;

#define AT(f) offsetof(doctor_command, f)
static const option_spec specs[] = {
    {"--protocol", "PROTOCOL", OPTION_TEXT, AT(protocol),
     "whose folds to look at: cv:K (default cv:5), holdout:F, temporal:train=30d,gap=7d,test=7d,\n"
     "                             prequential:delay=7d"},
    {"--repeats", "N", OPTION_COUNT, AT(repeats), "repetitions of holdout and cv (default 1)"},
    {"--purge", NULL, OPTION_FLAG, AT(purge),
     "by time: leave out test rows of groups with a positive known before the gap"},
    {"--period", "LENGTH", OPTION_REAL, AT(period),
     "length of a period in units of --time (default: a day, week or month, by the span of the data)"},
    {"--strict", NULL, OPTION_FLAG, AT(strict),
     "exit code 3 when there is a problem (default: 0, whatever is found)"},
    {"--report", "FILE.html", OPTION_TEXT, AT(report), "writes the findings as a page with charts"},
};

static void defaults(void *options)
{
    doctor_command *o = options;
    o->repeats = 1;
}

static const char *const severity_names[] = {"good", "note", "warning", "problem"};
static const char *const severity_titles[] = {"good", "Good to know", "Warnings", "Problems"};

/* ---- text */

enum { WIDTH = 100, INDENT = 18 };

/* Words of `text` from column `at` on, in lines of WIDTH, the next ones indented. */
static void print_wrapped(const char *text, size_t at, size_t indent)
{
    while (*text) {
        const size_t word = strcspn(text, " ");
        if (at > indent && at + 1 + word > WIDTH) {
            printf("\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            putchar(' ');
            ++at;
        }
        printf("%.*s", (int)word, text);
        at += word;
        text += word + strspn(text + word, " ");
    }
    putchar('\n');
}

static int alike(const scarce_doctor_finding *a, const scarce_doctor_finding *b)
{
    return a->severity == b->severity && strcmp(a->code, b->code) == 0 && strcmp(a->advice, b->advice) == 0;
}

/* Findings i.. of one kind: each with its sentence, many by name only; what to do once. Returns the next. */
static size_t print_alike(const scarce_doctor *d, size_t i, size_t end)
{
    const scarce_doctor_finding *first = scarce_doctor_get(d, i);
    size_t n = 1, told;

    while (i + n < end && alike(first, scarce_doctor_get(d, i + n))) ++n;
    told = n > 6 ? 4 : n;
    for (size_t k = 0; k < told; ++k) {
        printf("  %-*s", INDENT - 2, k == 0 ? first->code : "");
        print_wrapped(scarce_doctor_get(d, i + k)->what, INDENT, INDENT);
    }
    if (told < n) {
        size_t at = INDENT;
        printf("%*s", INDENT, "");
        at += (size_t)printf("and %zu more:", n - told);
        for (size_t k = told; k < n; ++k) {
            const char *name = shown(scarce_doctor_get(d, i + k)->subject);
            if (at + 2 + strlen(name) > WIDTH) {
                printf("\n%*s", INDENT - 1, "");
                at = INDENT;
            }
            at += (size_t)printf(" %s%s", name, k + 1 < n ? "," : "");
        }
        putchar('\n');
    }
    printf("%*s-> ", INDENT, "");
    print_wrapped(first->advice, INDENT + 3, INDENT + 3);
    return i + n;
}

/* The order of the list, with those of one kind brought together. */
static void print_findings(const scarce_doctor *d)
{
    const size_t n = scarce_doctor_findings(d);
    for (size_t i = 0; i < n;) {
        const scarce_severity severity = scarce_doctor_get(d, i)->severity;
        const size_t end = i + scarce_doctor_count(d, severity);
        printf("\n%s (%zu)\n", severity_titles[severity], end - i);
        while (i < end) i = print_alike(d, i, end);
    }
    if (n == 0) puts("\nnothing found");
}

static void print_summary(const scarce_doctor *d, const scarce_table *table)
{
    const size_t rows = scarce_table_rows(table), positives = scarce_table_positives(table);
    size_t few = SIZE_MAX, many = 0;

    printf("%zu row%s, %zu column%s, %zu positive%s (%.3g %%)\n", rows, rows == 1 ? "" : "s",
           scarce_doctor_columns(d), scarce_doctor_columns(d) == 1 ? "" : "s", positives,
           positives == 1 ? "" : "s", rows ? 100 * (double)positives / (double)rows : 0);
    for (size_t i = 0; i < scarce_doctor_periods(d); ++i) {
        const scarce_doctor_period *p = scarce_doctor_period_of(d, i);
        if (p->positives < few) few = p->positives;
        if (p->positives > many) many = p->positives;
    }
    if (few != SIZE_MAX)
        printf("%zu %ss, with %zu to %zu positives each\n", scarce_doctor_periods(d),
               scarce_doctor_period_unit(d), few, many);
    few = SIZE_MAX, many = 0;
    for (size_t i = 0; i < scarce_doctor_folds(d); ++i) {
        const scarce_doctor_fold *f = scarce_doctor_fold_of(d, i);
        if (f->test_positives < few) few = f->test_positives;
        if (f->test_positives > many) many = f->test_positives;
    }
    if (few != SIZE_MAX)
        printf("%zu fold%s of %s, with %zu to %zu positives to test on\n", scarce_doctor_folds(d),
               scarce_doctor_folds(d) == 1 ? "" : "s", scarce_doctor_protocol(d), few, many);
}

static void print_figure(double value)
{
    if (isnan(value)) printf(" %8s", "");
    else printf(" %8.3g", value);
}

/* The beginning of a period: a date where the time is plausibly in seconds since 1970. */
static void print_begin(double begin)
{
    const time_t seconds = (time_t)begin;
    char text[40] = "";
    struct tm parts;
    if (begin < 1e8 || begin > 1e11 || !gmtime_r(&seconds, &parts) ||
        strftime(text, sizeof text, parts.tm_hour || parts.tm_min ? "%Y-%m-%d %H:%M" : "%Y-%m-%d", &parts) ==
            0)
        snprintf(text, sizeof text, "%.10g", begin);
    printf("from %-27s", text);
}

/* --verbose: what was measured. */
static void print_measures(const scarce_doctor *d)
{
    printf("\n%-32s %8s %8s %8s %8s %8s\n", "column", "missing%", "distinct", "auc", "ap", "psi");
    for (size_t f = 0; f < scarce_doctor_columns(d); ++f) {
        const scarce_doctor_column *c = scarce_doctor_column_of(d, f);
        printf("%-32s", shown(c->name));
        print_figure(100 * c->missing);
        printf(" %8.0f", c->distinct);
        print_figure(c->auc);
        print_figure(c->ap);
        print_figure(c->psi);
        putchar('\n');
    }
    if (scarce_doctor_periods(d))
        printf("\n%-32s %10s %10s %8s\n", scarce_doctor_period_unit(d), "rows", "positives", "%");
    for (size_t i = 0; i < scarce_doctor_periods(d); ++i) {
        const scarce_doctor_period *p = scarce_doctor_period_of(d, i);
        print_begin(p->begin);
        printf(" %10zu %10zu", p->rows, p->positives);
        print_figure(p->rows ? 100 * (double)p->positives / (double)p->rows : (double)NAN);
        putchar('\n');
    }
}

/* ---- JSON */

static void json_finding(const scarce_doctor_finding *f)
{
    json_open('{');
    json_key("code"), json_text(f->code);
    json_key("severity"), json_text(severity_names[f->severity]);
    json_key("column"), json_text(f->column == SIZE_MAX ? NULL : f->subject);
    json_key("subject"), json_text(f->subject);
    json_key("what"), json_text(f->what);
    json_key("advice"), json_text(f->advice);
    json_key("figures"), json_open('{');
    for (size_t i = 0; i < f->n_figures; ++i) json_key(f->figures[i].name), json_number(f->figures[i].value);
    json_close('}');
    json_close('}');
}

static void json_columns(const scarce_doctor *d)
{
    static const char *const kinds[] = {"numeric", "category", "sparse"};
    json_key("columns"), json_open('[');
    for (size_t f = 0; f < scarce_doctor_columns(d); ++f) {
        const scarce_doctor_column *c = scarce_doctor_column_of(d, f);
        json_open('{');
        json_key("name"), json_text(c->name);
        json_key("kind"), json_text(kinds[c->kind]);
        json_key("missing"), json_number(c->missing);
        json_key("distinct"), json_number(c->distinct);
        json_key("auc"), json_number(c->auc);
        json_key("ap"), json_number(c->ap);
        json_key("psi"), json_number(c->psi);
        json_close('}');
    }
    json_close(']');
}

static void json_parts(const scarce_doctor *d)
{
    json_key("period_unit"), json_text(scarce_doctor_periods(d) ? scarce_doctor_period_unit(d) : NULL);
    json_key("periods"), json_open('[');
    for (size_t i = 0; i < scarce_doctor_periods(d); ++i) {
        const scarce_doctor_period *p = scarce_doctor_period_of(d, i);
        json_open('{');
        json_key("begin"), json_number(p->begin);
        json_key("end"), json_number(p->end);
        json_key("rows"), json_count(p->rows);
        json_key("positives"), json_count(p->positives);
        json_close('}');
    }
    json_close(']');
    json_key("protocol"), json_text(scarce_doctor_protocol(d));
    json_key("folds"), json_open('[');
    for (size_t i = 0; i < scarce_doctor_folds(d); ++i) {
        const scarce_doctor_fold *f = scarce_doctor_fold_of(d, i);
        json_open('{');
        json_key("train_rows"), json_count(f->train_rows);
        json_key("train_positives"), json_count(f->train_positives);
        json_key("test_rows"), json_count(f->test_rows);
        json_key("test_positives"), json_count(f->test_positives);
        json_key("copies"), json_count(f->copies);
        json_key("known_groups"), json_count(f->known_groups);
        json_close('}');
    }
    json_close(']');
}

/* The commands to paste, as an array; what is in them is cut at its newlines. */
static void json_next(char *next)
{
    json_key("next"), json_open('[');
    for (char *end; next && (end = strchr(next, '\n')) != NULL; next = end + 1) {
        *end = '\0';
        json_text(next);
    }
    json_close(']');
}

static void print_json(const scarce_doctor *d, const scarce_table *table, char *next)
{
    json_open('{');
    json_key("rows"), json_count(scarce_table_rows(table));
    json_key("features"), json_count(scarce_doctor_columns(d));
    json_key("positives"), json_count(scarce_table_positives(table));
    json_key("problems"), json_count(scarce_doctor_count(d, SCARCE_SEVERITY_BAD));
    json_key("warnings"), json_count(scarce_doctor_count(d, SCARCE_SEVERITY_WARN));
    json_key("notes"), json_count(scarce_doctor_count(d, SCARCE_SEVERITY_NOTE));
    json_key("findings"), json_open('[');
    for (size_t i = 0; i < scarce_doctor_findings(d); ++i) json_finding(scarce_doctor_get(d, i));
    json_close(']');
    json_columns(d);
    json_parts(d);
    json_next(next);
    json_close('}');
    json_end();
}

/* ---- running */

static void print_next(char *next)
{
    if (!next) return;
    printf("\n%s\n", strncmp(next, "scarce doctor", 13) == 0 ? "Next, if that is what you meant:" : "Next:");
    for (char *end; (end = strchr(next, '\n')) != NULL; next = end + 1)
        printf("  %.*s\n", (int)(end - next), next);
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const doctor_command *o = options;
    scarce_doctor_options d_options = SCARCE_DOCTOR_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *table = NULL;
    scarce_doctor *d = NULL;
    scarce_status st;
    char *next;
    int code, no_memory = 0;

    if (args->paths.count == 0) return complain(EXIT_USE, "which data? (scarce doctor DATA)");
    if (o->repeats == 0) return complain(EXIT_USE, "--repeats wants 1 or more");
    if (o->period < 0) return complain(EXIT_USE, "--period wants a length above 0");
    code = check_output(o->report);
    if (code != EXIT_DONE) return code;
    d_options.protocol = o->protocol;
    d_options.repeats = (size_t)o->repeats;
    d_options.purge_known = o->purge;
    d_options.period = o->period;
    data_options data = o->data;
    data.keep_all = 1; /* also those that training leaves out are looked at */
    st = read_table(&table, &args->paths, &data, NULL, ctx, &err);
    if (st == SCARCE_OK) st = scarce_doctor_run(&d, table, &d_options, ctx, &err);
    talk_clear();
    if (st == SCARCE_OK && o->report) {
        scarce_report *page = NULL;
        st = scarce_report_new(&page, "Data check", args->paths.items[0], &err);
        if (st == SCARCE_OK) st = scarce_page_doctor(page, d, table, &err);
        st = end_page(page, o->report, st, &err);
    }
    next = st == SCARCE_OK ? next_step(d, table, &args->paths, &o->data, &no_memory) : NULL;
    if (no_memory) st = fail_with(&err, SCARCE_ENOMEM, "out of memory");
    code = st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
    if (st == SCARCE_OK && o->common.json) print_json(d, table, next);
    else if (st == SCARCE_OK) {
        print_summary(d, table);
        print_findings(d);
        if (o->common.verbose) print_measures(d);
        print_next(next);
    }
    free(next);
    if (st == SCARCE_OK && o->strict && scarce_doctor_count(d, SCARCE_SEVERITY_BAD) > 0)
        code =
            complain(EXIT_DATA, "%zu problem%s found (--strict)", scarce_doctor_count(d, SCARCE_SEVERITY_BAD),
                     scarce_doctor_count(d, SCARCE_SEVERITY_BAD) == 1 ? "" : "s");
    scarce_doctor_free(d);
    scarce_table_free(table);
    return code;
}

const command command_doctor = {
    "doctor",
    "what will go wrong with the data: leaks, drift, copies, too few positives",
    "DATA... [options]",
    "  Looks at the data before anything is trained, and says of each finding what to do. Exit code 0\n"
    "  also with findings, unless --strict is given. --verbose adds what was measured of every column.\n"
    "  The last lines are the commands that split, train and judge, ready to paste.\n\n"
    "  scarce doctor pay.csv --time tx_time --group card --amount amount\n"
    "  scarce doctor pay.csv --time tx_time --protocol temporal:train=30d,gap=7d,test=7d --report pay.html\n"
    "  scarce doctor new.csv --label fraud --strict --json\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(doctor_command),
    data_option_specs,
    offsetof(doctor_command, data),
    0,
    defaults,
    run};
