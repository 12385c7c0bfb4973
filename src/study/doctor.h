/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the doctor share: the facts of a column, and the list of findings.
 *
 * doctor.c calls them in this order: doctor_order.c (who is early and who is late), doctor_column.c (one
 * sorted walk over every column), then those that judge: doctor_leaks.c, doctor_shape.c, doctor_drift.c,
 * doctor_copies.c, doctor_folds.c, doctor_roles.c. */
#ifndef SCARCE_STUDY_DOCTOR_H
#define SCARCE_STUDY_DOCTOR_H

#include <scarce/doctor.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/text.h"
#include "data/table.h"

/* A value, or a category, that many rows share. */
typedef struct scarce__doctor_value {
    double value; /* or the code of a category */
    size_t rows, positives;
} scarce__doctor_value;

typedef struct scarce__doctor_facts {
    size_t present, positives; /* rows with a value, and the positives among them */
    size_t distinct;
    size_t infinite;
    double low, high;          /* of the finite values */
    double p05, p50, p95;      /* quantiles */
    int whole;                 /* all values are whole numbers */
    size_t beyond_exact;       /* whole numbers that a float can't tell from their neighbours */
    scarce__doctor_value top;  /* the value most rows have */
    scarce__doctor_value pure; /* of those nearly all positive, the one with the most positives */
    double auc;                /* high values are positive; rows with a value only */
    double auc_z;              /* Mann and Whitney's, corrected for ties; 0 without both classes */
    double ap_high, ap_low;    /* high, low values first */
    double rank_with_order;    /* Spearman's, with the order of time (or of the rows) */
    double psi;                /* NaN: not computed */
    size_t psi_bins;
    double unseen_by_chance;  /* what that share would be if the order of the rows meant nothing */
    double unseen;            /* share of the last quarter whose category came up there only */
    uint64_t rising, falling; /* hash of the order of the rows by value, one for each direction */
    uint64_t parts;           /* hash of which rows are equal */
} scarce__doctor_facts;

typedef enum scarce__doctor_mark {
    SCARCE__MARK_POSITIVE = 1,
    SCARCE__MARK_EARLY = 2, /* in the first quarter of the time */
    SCARCE__MARK_LATE = 4,  /* in the last */
    SCARCE__MARK_HALF = 8   /* in the second half: by time, else by group, else at random */
} scarce__doctor_mark;

struct scarce_doctor {
    const scarce_table *table;
    scarce_doctor_finding *findings;
    size_t n_findings, capacity;
    scarce_doctor_column *columns;
    scarce__doctor_facts *facts;
    size_t n_columns;
    scarce_doctor_period *periods;
    size_t n_periods;
    const char *period_unit;
    scarce_doctor_fold *folds;
    size_t n_folds;
    char *protocol;
    /* for the time of a run */
    uint32_t *place;    /* per row: its place in the order of time (of the rows without a time role) */
    uint8_t *mark;      /* per row: a set of scarce__doctor_mark */
    size_t early, late; /* rows of the first and last quarter; 0 without a time role */
    uint32_t *twin;     /* per row: number of its set of equal rows, from 1; 0: no other row is equal */
    size_t n_twins;
};

/* Adds a finding; `what` and `advice` are printf texts of whole numbers and strings made by the caller.
 * column SIZE_MAX: the subject is the text given. NULL when memory is exhausted (err is filled). The figures
 * are added by scarce__doctor_figure. */
scarce_doctor_finding *scarce__doctor_add(scarce_doctor *d, const char *code, scarce_severity severity,
                                          size_t column, const char *subject, scarce_error *err);
void scarce__doctor_figure(scarce_doctor_finding *f, const char *name, double value);
/* Takes the text (frees it); ENOMEM when it or the finding failed. */
scarce_status scarce__doctor_say(scarce_doctor_finding *f, scarce__text *what, const char *advice,
                                 scarce_error *err);

/* "0.21 %", "12 %", "1,234"; three significant digits. */
void scarce__doctor_percent(scarce__text *t, double share);
void scarce__doctor_number(scarce__text *t, double value);
/* Texts from pieces: %s string, %z size_t, %S an s unless the last %z was 1, %p double as percent, %n double
 * as number. */
void scarce__doctor_textf(scarce__text *t, const char *format, ...);

static inline const char *scarce__doctor_name(const scarce_doctor *d, size_t f)
{
    return d->table->schema.features[f].name;
}

/* Nonzero when the column has a finding with that code. */
int scarce__doctor_has(const scarce_doctor *d, size_t f, const char *code);

/* (value - base) / (1 - base): 0 for chance, 1 for perfect. */
static inline double scarce__doctor_above_chance(double ap, double base)
{
    return base < 1 ? (ap - base) / (1 - base) : 0;
}

/* Lower end of the one-sided 95 % interval of an AP of `positives`, on the logit scale. */
double scarce__doctor_ap_lower(double ap, size_t positives);
double scarce__doctor_ap_upper(double ap, size_t positives);
/* The same of an AUC: the smallest that the data do not contradict, by Hanley and McNeil's variance. */
double scarce__doctor_auc_lower(double auc, size_t positives, size_t negatives);

/* The steps, each in its file. */
scarce_status scarce__doctor_order(scarce_doctor *d, scarce_context *ctx, scarce_error *err);
scarce_status scarce__doctor_look(scarce_doctor *d, scarce_context *ctx, scarce_error *err);
scarce_status scarce__doctor_leaks(scarce_doctor *d, scarce_error *err);
scarce_status scarce__doctor_shape(scarce_doctor *d, scarce_error *err);

/* A category by a few texts among many numbers: the first such text (*n of them), or NULL. */
const char *scarce__doctor_stray_text(const scarce_doctor *d, size_t f, size_t *n);
scarce_status scarce__doctor_drift(scarce_doctor *d, double period, scarce_error *err);
scarce_status scarce__doctor_copies(scarce_doctor *d, scarce_context *ctx, scarce_error *err);
scarce_status scarce__doctor_judge_folds(scarce_doctor *d, const scarce_doctor_options *o,
                                         scarce_context *ctx, scarce_error *err);
scarce_status scarce__doctor_roles(scarce_doctor *d, scarce_context *ctx, scarce_error *err);

#endif
