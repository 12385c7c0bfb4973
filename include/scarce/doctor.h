/* SPDX-License-Identifier: Apache-2.0 */
/* Before training: what will go wrong with these data.
 *
 *     scarce_doctor *d = NULL;
 *     scarce_doctor_options o = SCARCE_DOCTOR_OPTIONS_INIT;
 *     o.protocol = "temporal:train=30d,gap=7d,test=7d";
 *     if (scarce_doctor_run(&d, table, &o, ctx, &err)) ...
 *     for (i = 0; i < scarce_doctor_findings(d); ++i) puts(scarce_doctor_get(d, i)->what);
 *     scarce_doctor_free(d);
 *
 * Looks for columns that leak the label (too good alone, missing where it matters, values of one class only,
 * identifiers), drift between periods, labels that have not arrived yet, rows and groups on both sides of a
 * split, too few positives, columns of no use, and oddities of weights, amounts and times. A finding is a
 * hint with its figures: the data are not changed. docs/doctor.md lists the codes with their thresholds and
 * the reasons for these.
 *
 * What looks like a leak by chance is no finding: whatever is judged by the label must also be significant
 * after correction for the number of columns, and good at the lower end of its confidence interval. */
#ifndef SCARCE_DOCTOR_H
#define SCARCE_DOCTOR_H

#include <scarce/report.h>
#include <scarce/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scarce_doctor_options {
    size_t struct_size;
    const char *protocol; /* whose folds are looked at (study.h); NULL: "cv:5" */
    size_t repeats;       /* of cv and holdout */
    int purge_known;      /* as of scarce_compare_options */
    double period;        /* length of a period in the units of the time role; 0: chosen by the span */
} scarce_doctor_options;

#define SCARCE_DOCTOR_OPTIONS_INIT SCARCE_INIT(sizeof(scarce_doctor_options), NULL, 1, 0, 0)

enum { SCARCE_DOCTOR_FIGURES = 4 };

typedef struct scarce_doctor_finding {
    const char *code;         /* "leak-label", "drift", ...: fixed, for scripts */
    scarce_severity severity; /* NOTE, WARN or BAD */
    size_t column;            /* feature, or SIZE_MAX where the finding is not about one */
    const char *subject;      /* name of the column, or what else it is about ("fold 3", "rows", "weight") */
    const char *what;         /* one sentence, with the figures */
    const char *advice;       /* one sentence: what to do */
    size_t n_figures;
    struct {
        const char *name;
        double value;
    } figures[SCARCE_DOCTOR_FIGURES];
} scarce_doctor_finding;

/* What was measured of a feature; NaN where it means nothing (no label, category, nothing to compare). */
typedef struct scarce_doctor_column {
    const char *name;
    scarce_column_kind kind;
    double missing;  /* share of the rows */
    double distinct; /* values, without missing */
    double auc;      /* of the value alone, in the better direction: 0.5 to 1 */
    double ap;  /* the same; categories: scored by the share of positives in the other half of the data */
    double psi; /* population stability index, first against last quarter of the time */
} scarce_doctor_column;

typedef struct scarce_doctor_period {
    double begin, end; /* in the units of the time role */
    size_t rows, positives;
} scarce_doctor_period;

typedef struct scarce_doctor_fold {
    size_t train_rows, train_positives, test_rows, test_positives;
    size_t copies;       /* test rows whose features are those of a training row */
    size_t known_groups; /* test rows whose group is in training; 0 without a group role */
} scarce_doctor_fold;

typedef struct scarce_doctor scarce_doctor;

/* The table may lack a label (then that is a finding, and whatever needs one is left out), may have one class
 * only, missing values and constant columns. EINVAL for a text that is no protocol; a protocol that does not
 * fit the data is a finding. About 50 ns per value on one thread (a sort of each column), 16 bytes per row
 * and thread beside 24 per row. Same findings for any number of threads. ECANCEL when the progress callback
 * asks to stop. */
SCARCE_API scarce_status scarce_doctor_run(scarce_doctor **out, const scarce_table *table,
                                           const scarce_doctor_options *options, scarce_context *ctx,
                                           scarce_error *err);
SCARCE_API void scarce_doctor_free(scarce_doctor *doctor); /* takes NULL */

/* The gravest first; among equals in a fixed order. Pointers live as long as the doctor. */
SCARCE_API size_t scarce_doctor_findings(const scarce_doctor *doctor);
SCARCE_API const scarce_doctor_finding *scarce_doctor_get(const scarce_doctor *doctor, size_t i);
/* How many of one severity. */
SCARCE_API size_t scarce_doctor_count(const scarce_doctor *doctor, scarce_severity severity);

SCARCE_API size_t scarce_doctor_columns(const scarce_doctor *doctor);
SCARCE_API const scarce_doctor_column *scarce_doctor_column_of(const scarce_doctor *doctor, size_t feature);
/* 0 periods without a time role. */
SCARCE_API size_t scarce_doctor_periods(const scarce_doctor *doctor);
SCARCE_API const scarce_doctor_period *scarce_doctor_period_of(const scarce_doctor *doctor, size_t i);
SCARCE_API const char *scarce_doctor_period_unit(const scarce_doctor *doctor); /* "day", "week", ... */
SCARCE_API size_t scarce_doctor_folds(const scarce_doctor *doctor);
SCARCE_API const scarce_doctor_fold *scarce_doctor_fold_of(const scarce_doctor *doctor, size_t i);
SCARCE_API const char *scarce_doctor_protocol(const scarce_doctor *doctor);

#ifdef __cplusplus
}
#endif
#endif
