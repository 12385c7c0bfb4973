/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a check of data: findings first, then positives by period and fold, and the columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/text.h"
#include "pages/pages.h"

static void add_tiles(scarce_report *r, const scarce_doctor *d, const scarce_table *table)
{
    if (table) {
        const double rows = (double)scarce_table_rows(table),
                     positives = (double)scarce_table_positives(table);
        char share[64];
        scarce__print(share, sizeof share, "%.3g %% of the rows", rows > 0 ? 100 * positives / rows : 0);
        scarce_report_tile_number(r, "rows", rows, 15, NULL);
        scarce_report_tile_number(r, "positives", positives, 15, share);
    }
    scarce_report_tile_number(r, "columns", (double)scarce_doctor_columns(d), 15, NULL);
    scarce_report_tile_number(r, "problems", (double)scarce_doctor_count(d, SCARCE_SEVERITY_BAD), 15, NULL);
    scarce_report_tile_number(r, "warnings", (double)scarce_doctor_count(d, SCARCE_SEVERITY_WARN), 15, NULL);
}

static void add_findings(scarce_report *r, const scarce_doctor *d)
{
    scarce_report_section(r, "Findings");
    for (size_t i = 0; i < scarce_doctor_findings(d); ++i) {
        const scarce_doctor_finding *f = scarce_doctor_get(d, i),
                                    *before = i ? scarce_doctor_get(d, i - 1) : NULL;
        const int said = before && before->severity == f->severity && strcmp(before->advice, f->advice) == 0;
        scarce_report_finding(r, f->severity, f->what, said ? NULL : f->advice);
    }
    if (scarce_doctor_findings(d) == 0) scarce_report_finding(r, SCARCE_SEVERITY_GOOD, "nothing found", NULL);
}

/* Room for n points; x[0..n], y[0..n-1], z[0..n]. NULL when memory is exhausted. */
static double *points(size_t n, double **y, double **z)
{
    double *x = scarce__calloc(3 * n + 2, sizeof *x);
    if (x) *y = x + n + 1, *z = x + 2 * n + 1;
    return x;
}

static int add_periods(scarce_report *r, const scarce_doctor *d)
{
    const size_t n = scarce_doctor_periods(d);
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    double *x, *count = NULL, *share = NULL;
    scarce_chart *c;
    char unit[32];

    if (n == 0) return 1;
    x = points(n, &count, &share);
    if (!x) return 0;
    for (size_t i = 0; i < n; ++i) {
        const scarce_doctor_period *p = scarce_doctor_period_of(d, i);
        x[i] = p->begin;
        x[i + 1] = p->end;
        count[i] = (double)p->positives;
        share[i] = p->rows ? 100 * (double)p->positives / (double)p->rows : (double)NAN;
    }
    share[n] = share[n - 1]; /* the last step has an end, too */
    scarce__print(unit, sizeof unit, "per %s", scarce_doctor_period_unit(d));
    scarce_report_section(r, "Time");
    o.x_axis = x[0] > 1e8 ? SCARCE_AXIS_TIME : SCARCE_AXIS_LINEAR;
    o.title = "Positives";
    o.y_label = unit;
    o.y_lo = 0;
    c = scarce_report_chart(r, &o);
    scarce_chart_histogram(c, "positives", x, count, n);
    o.title = "Share of positives";
    o.y_label = "%";
    c = scarce_report_chart(r, &o);
    scarce_chart_step(c, "share", x, share, n + 1);
    scarce__free(x);
    return 1;
}

/* Columns by a figure, the highest first. */
typedef struct ranked {
    const char *name;
    double value;
} ranked;

static int by_value(const void *a, const void *b)
{
    const double x = ((const ranked *)a)->value, y = ((const ranked *)b)->value;
    return (x < y) - (x > y);
}

static int add_bars(scarce_report *r, const scarce_doctor *d, int psi)
{
    enum { MOST = 15 };
    const size_t columns = scarce_doctor_columns(d);
    ranked *all = scarce__malloc_array(columns + 1, sizeof *all);
    const char *name[MOST];
    double value[MOST];
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    size_t n = 0;

    if (!all) return 0;
    for (size_t f = 0; f < columns; ++f) {
        const scarce_doctor_column *c = scarce_doctor_column_of(d, f);
        all[n].name = c->name;
        all[n].value = psi ? c->psi : c->ap;
        n += isnan(all[n].value) ? 0 : 1;
    }
    qsort(all, n, sizeof *all, by_value);
    if (n > MOST) n = MOST;
    for (size_t i = 0; i < n; ++i) name[i] = all[i].name, value[i] = all[i].value;
    scarce__free(all);
    if (n == 0) return 1;
    o.title = psi ? "Drift: PSI, first against last quarter" : "AP of a column alone";
    o.note = psi ? "below 0.1 little, above 0.25 much has changed"
                 : "what ranks well alone must be known before the event";
    scarce_chart_bars(scarce_report_chart(r, &o), psi ? "PSI" : "AP", name, value, NULL, NULL, n);
    return 1;
}

static void add_folds(scarce_report *r, const scarce_doctor *d)
{
    static const char *const names[] = {"fold",
                                        "train rows",
                                        "positives",
                                        "test rows",
                                        "positives",
                                        "test rows that are copies",
                                        "test rows of known groups"};
    const size_t n = scarce_doctor_folds(d) < 50 ? scarce_doctor_folds(d) : 50;

    if (n == 0) return;
    scarce_report_section(r, "Folds");
    scarce_report_table(r, scarce_doctor_protocol(d), names, "rrrrrrr", 7);
    for (size_t i = 0; i < n; ++i) {
        const scarce_doctor_fold *f = scarce_doctor_fold_of(d, i);
        scarce_report_cell_number(r, (double)(i + 1), 15);
        scarce_report_cell_number(r, (double)f->train_rows, 15);
        scarce_report_cell_number(r, (double)f->train_positives, 15);
        scarce_report_cell_number(r, (double)f->test_rows, 15);
        scarce_report_cell_number(r, (double)f->test_positives, 15);
        scarce_report_cell_number(r, (double)f->copies, 15);
        scarce_report_cell_number(r, (double)f->known_groups, 15);
    }
    if (n < scarce_doctor_folds(d)) scarce_report_note(r, "the first 50 folds");
}

static void add_table(scarce_report *r, const scarce_doctor *d)
{
    static const char *const names[] = {"column", "kind", "missing %", "values", "AUC", "AP", "PSI"};
    static const char *const kinds[] = {"number", "category", "sparse number"};
    const size_t n = scarce_doctor_columns(d) < 500 ? scarce_doctor_columns(d) : 500;

    scarce_report_table(r, NULL, names, "llrrrrr", 7);
    for (size_t f = 0; f < n; ++f) {
        const scarce_doctor_column *c = scarce_doctor_column_of(d, f);
        scarce_report_cell(r, c->name);
        scarce_report_cell(r, kinds[c->kind]);
        scarce_report_cell_number(r, 100 * c->missing, 3);
        scarce_report_cell_number(r, c->distinct, 15);
        scarce_report_cell_number(r, c->auc, 3);
        scarce_report_cell_number(r, c->ap, 3);
        scarce_report_cell_number(r, c->psi, 3);
    }
    if (n < scarce_doctor_columns(d)) scarce_report_note(r, "the first 500 columns");
}

scarce_status scarce_page_doctor(scarce_report *report, const scarce_doctor *doctor,
                                 const scarce_table *table, scarce_error *err)
{
    int ok;

    add_tiles(report, doctor, table);
    add_findings(report, doctor);
    ok = add_periods(report, doctor);
    scarce_report_section(report, "Columns");
    ok = ok && add_bars(report, doctor, 0) &&
         (scarce_doctor_periods(doctor) == 0 || add_bars(report, doctor, 1));
    add_table(report, doctor);
    add_folds(report, doctor);
    scarce_report_section(report, "Settings and data");
    scarce_report_fact(report, "scarce", scarce_version());
    if (table) scarce__pages_data(report, "rows", table);
    scarce_report_fact(report, "protocol", scarce_doctor_protocol(doctor));
    return ok ? SCARCE_OK : scarce__fail_memory(err, "a page", 0);
}
