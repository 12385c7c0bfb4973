/* SPDX-License-Identifier: Apache-2.0 */
/* A method is a line in the table of methods.c: a name, where it comes from, its parameters, presets
 * of those parameters, and the function that learns. */
#ifndef SCARCE_METHOD_METHOD_H
#define SCARCE_METHOD_METHOD_H

#include <scarce/method.h>

#include "core/param.h"
#include "model/model.h"

/* What a method gets. */
typedef struct scarce__job {
    const scarce_table *table;
    const scarce_table *valid; /* NULL: none */
    const scarce__params *params;
    const scarce_train_options *options;
    scarce_context *ctx;
} scarce__job;

/* What it gives back. */
typedef struct scarce__learned {
    const scarce__kind *kind;
    void *body;
    int has_link; /* does 1/(1+exp(-slope*score)) mean a probability? */
    double slope;
    double odds_factor; /* what the training did to the odds (pos_weight, sampling); 1: nothing */
    size_t iterations, best_iteration;
    double valid_metric;
    double seconds_prepare;
    int cancelled;
    uint8_t *state; /* to go on from here, when cancelled; else NULL */
    size_t n_state;
} scarce__learned;

/* Another default; a list of them ends with a NULL name. */
typedef struct scarce__preset {
    const char *name, *value;
} scarce__preset;

typedef struct scarce__method {
    const char *name, *family, *summary, *paper;
    const scarce__param_table *params;
    const scarce__preset *presets; /* this method's own defaults; NULL: those of the table */
    scarce_status (*train)(scarce__learned *out, const scarce__job *job, scarce_error *err);
} scarce__method;

const scarce__method *scarce__method_at(size_t i); /* NULL behind the last */

struct scarce_params {
    const scarce__method *method;
    scarce__params *values;
};

/* One file per family. */
extern const scarce__param_table scarce__logistic_params, scarce__svm_params, scarce__gb_params;
scarce_status scarce__train_logistic(scarce__learned *out, const scarce__job *job, scarce_error *err);
scarce_status scarce__train_svm(scarce__learned *out, const scarce__job *job, scarce_error *err);
scarce_status scarce__train_gb(scarce__learned *out, const scarce__job *job, scarce_error *err);

#endif
