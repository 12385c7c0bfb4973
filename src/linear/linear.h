/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models: score = bias + sum over features of weight * value (numeric) or the weight of the category.
 *
 * Training works on standardised, one-hot columns (encode.h); the result is folded back so that the stored
 * weights act on the raw values of the schema's features. */
#ifndef SCARCE_LINEAR_LINEAR_H
#define SCARCE_LINEAR_LINEAR_H

#include <scarce/table.h>

/* Plain numbers. Invariants (scarce__linear_check): all weights finite and not beyond 1e250 (so that finite
 * rows have finite scores); slot_begin ascends from 0 to n_slots; a numeric feature has no slots, a category
 * with c categories has c + 2: its codes, then unknown, then missing. */
typedef struct scarce__linear {
    size_t n_features;
    double bias;
    double *weight;         /* n_features; 0 for categories */
    double *missing_weight; /* n_features; added instead of weight * value; 0 for categories */
    size_t *slot_begin;     /* n_features + 1 */
    size_t n_slots;         /* 0: no categories */
    double *slot_weight;    /* n_slots */
} scarce__linear;

void scarce__linear_deinit(scarce__linear *m);

/* Allocates all arrays, cleared, for the sizes in slot_begin (n_features + 1 items, copied; NULL: no
 * categories). For the reader of model files and for training. */
scarce_status scarce__linear_alloc(scarce__linear *out, size_t n_features, const size_t *slot_begin,
                                   scarce_error *err);

/* SCARCE_EDATA for what a damaged or hostile file may hold. */
scarce_status scarce__linear_check(const scarce__linear *m, scarce_error *err);

/* The score of one row: a float per feature of the schema: the number, or the code of the category
 * (unknown = number of categories; so is any code beyond). NaN = missing, as are infinite numbers and
 * negative codes. No allocation. Terms are added in double in four sums (feature f goes to sum f mod 4),
 * then (s0 + s1) + (s2 + s3) + bias: the same bits on every machine. */
double scarce__linear_score(const scarce__linear *m, const float *row);

/* The same bits for all rows of a table with the model's schema, column by column. */
void scarce__linear_score_table(const scarce__linear *m, const scarce_table *table, double *score,
                                const scarce_context *ctx);

typedef enum scarce__linear_loss {
    SCARCE__LINEAR_LOGISTIC = 0, /* ln(1 + exp(-y z)): the score is a log-odds */
    SCARCE__LINEAR_SVM = 1       /* max(0, 1 - y z)^2: a ranking score */
} scarce__linear_loss;

typedef enum scarce__linear_solver {
    SCARCE__LINEAR_NEWTON = 0,
    SCARCE__LINEAR_LIBLINEAR = 1 /* no case weights, no cancel, one thread; only where it was compiled in */
} scarce__linear_solver;

/* minimise  1/2 |w|^2 + c sum_i weight_i [pos_weight if positive] loss(y_i, w x_i + b),  y = +-1 */
typedef struct scarce__linear_options {
    scarce__linear_loss loss;
    scarce__linear_solver solver;
    double c;                 /* > 0; 1 */
    double pos_weight;        /* > 0; 1 */
    double tolerance;         /* gradient relative to that of the constant model; 1e-5 */
    int max_iterations;       /* Newton steps; 100. liblinear has a limit of its own */
    size_t min_category_rows; /* rarer categories share a weight with unknown ones; 10 */
    int standardize;          /* 1 */
    int penalize_bias;        /* 0; liblinear always does (its constant is a feature of value 1) */
} scarce__linear_options;

scarce__linear_options scarce__linear_options_init(void);

typedef struct scarce__linear_report {
    /* Training multiplied the odds by this: logistic with pos_weight; 1 for svm, whose score is no
     * log-odds at all and needs a calibrator. */
    double odds_factor;
    size_t n_parameters; /* of the encoded problem, without the constant */
    int iterations;      /* -1: not known (liblinear) */
    int passes;          /* over the data */
    int converged;
    double objective;
} scarce__linear_report;

/* Needs a label with both classes among the rows of positive weight, else EDATA. report may be NULL.
 * Newton: the same bits with any number of threads; calls progress once a pass, ECANCEL when it says so;
 * memory 48 bytes per row and 8 to 12 per non-zero of sparse columns beside the table. Not converged
 * within max_iterations is a warning in the log, not an error.
 * Liblinear: EUNSUPPORTED when not compiled in or when the table has case weights; sets liblinear's print
 * function (a global of that library) to a silent one; 16 bytes per non-zero. */
scarce_status scarce__linear_train(scarce__linear *out, scarce__linear_report *report,
                                   const scarce_table *table, const scarce__linear_options *options,
                                   scarce_context *ctx, scarce_error *err);

#endif
