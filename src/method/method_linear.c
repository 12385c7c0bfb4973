/* SPDX-License-Identifier: Apache-2.0 */
/* logistic and linear-svm: parameters of linear/linear.h. */
#include <stddef.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "linear/linear.h"
#include "method/method.h"

typedef struct linear_params {
    double c, pos_weight, miss_cost, alarm_cost, tolerance;
    int64_t max_iterations, min_category_rows;
    int standardize, solver;
} linear_params;

#define AT(f) offsetof(linear_params, f)
static const scarce__param params[] = {
    {"c", "C,cost", SCARCE__REAL, AT(c), "1", 1e-9, 1e9, NULL,
     "weight of the data against the penalty 1/2 |w|^2; smaller is smoother", "log:0.0001:100", NULL},
    {"pos_weight", "scale_pos_weight", SCARCE__REAL, AT(pos_weight), "1", 1e-9, 1e9, NULL,
     "a positive counts as this many rows; probabilities are corrected for it", "log:1:100", NULL},
    {"miss_cost", "cost_fn", SCARCE__REAL, AT(miss_cost), "1", 1e-9, 1e9, NULL,
     "what a missed positive costs: its weight; probabilities are corrected for it", NULL, NULL},
    {"alarm_cost", "cost_fp", SCARCE__REAL, AT(alarm_cost), "1", 1e-9, 1e9, NULL,
     "what a false alarm costs: the weight of a negative; probabilities likewise", NULL, NULL},
    {"tolerance", "tol", SCARCE__REAL, AT(tolerance), "1e-5", 1e-12, 1, NULL,
     "stop when the gradient is this small against that of the constant model", NULL, NULL},
    {"max_iterations", "max_iter", SCARCE__INT, AT(max_iterations), "100", 1, 100000, NULL,
     "Newton steps at most", NULL, NULL},
    {"min_category_rows", "min_frequency", SCARCE__INT, AT(min_category_rows), "1", 1, 1e9, NULL,
     "rarer categories share a weight with unknown ones", "int:1:100", NULL},
    {"standardize", "", SCARCE__BOOL, AT(standardize), "true", 0, 0, NULL,
     "scale columns to standard deviation 1 before learning (weights are folded back)", NULL, NULL},
    {"solver", "", SCARCE__CHOICE, AT(solver), "newton", 0, 0, "newton|liblinear",
     "newton: ours, in parallel, with case weights; liblinear: the library, one thread", NULL, NULL},
};
static const scarce__param_part parts[] = {SCARCE__PART(params, 0)};
static const scarce__param_table table = {parts, 1, sizeof(linear_params)};

/* Dense columns are read where they are; sparse ones are laid out anew. */
static double memory(const scarce__job *job, size_t rows, size_t positives, size_t features,
                     size_t valid_rows)
{
    double entries = 0;
    (void)positives, (void)features, (void)valid_rows;
    for (size_t f = 0; job->table && f < job->table->schema.n_features; ++f)
        if (job->table->schema.features[f].kind == SCARCE_COLUMN_SPARSE)
            entries += (double)job->table->columns[f].sparse.count;
    return 64 * (double)rows + 16 * entries;
}

static scarce_status train(scarce__learned *out, const scarce__job *job, scarce__linear_loss loss,
                           scarce_error *err)
{
    const linear_params *p = scarce__params_options(job->params);
    scarce__linear_options o = scarce__linear_options_init();
    scarce__linear_report report;
    scarce__linear *body = scarce__calloc(1, sizeof *body);
    scarce_status st;

    if (!body) return scarce__fail_memory(err, "a linear model", 0);
    o.loss = loss;
    o.solver = (scarce__linear_solver)p->solver;
    o.c = p->c * p->alarm_cost;
    o.pos_weight = p->pos_weight * p->miss_cost / p->alarm_cost;
    o.tolerance = p->tolerance;
    o.max_iterations = (int)p->max_iterations;
    o.min_category_rows = (size_t)p->min_category_rows;
    o.standardize = p->standardize;
    st = scarce__linear_train(body, &report, job->table, &o, job->ctx, err);
    if (st != SCARCE_OK) {
        scarce__free(body);
        return st;
    }
    out->kind = &scarce__kind_linear;
    out->body = body;
    out->meaning.link = loss == SCARCE__LINEAR_LOGISTIC ? SCARCE__LINK_SIGMOID : SCARCE__LINK_NONE;
    out->meaning.odds_factor = report.odds_factor;
    out->meaning.why = "the scores of this method only rank";
    scarce__meaning_costs(&out->meaning, job->table);
    out->iterations = report.iterations > 0 ? (size_t)report.iterations : 0;
    out->best_iteration = out->iterations;
    return SCARCE_OK;
}

static scarce_status train_logistic(scarce__learned *out, const scarce__job *job, scarce_error *err)
{
    return train(out, job, SCARCE__LINEAR_LOGISTIC, err);
}

static scarce_status train_svm(scarce__learned *out, const scarce__job *job, scarce_error *err)
{
    return train(out, job, SCARCE__LINEAR_SVM, err);
}

const scarce__engine scarce__engine_logistic = {.params = &table,
                                                .can = SCARCE__CAN_PROBABILITY | SCARCE__CAN_COSTS,
                                                .memory = memory,
                                                .train = train_logistic};
const scarce__engine scarce__engine_svm = {
    .params = &table, .can = SCARCE__CAN_COSTS, .memory = memory, .train = train_svm};
