/* SPDX-License-Identifier: Apache-2.0 */
/* Training a linear model: check, encode, solve, fold back. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "data/table.h"
#include "linear/encode.h"
#include "linear/linear.h"
#include "linear/newton.h"

scarce__linear_options scarce__linear_options_init(void)
{
    const scarce__linear_options o = {
        .loss = SCARCE__LINEAR_LOGISTIC,
        .solver = SCARCE__LINEAR_NEWTON,
        .c = 1,
        .pos_weight = 1,
        .tolerance = 1e-5,
        .max_iterations = 100,
        .min_category_rows = 1,
        .standardize = 1,
    };
    return o;
}

static int positive(double x)
{
    return x > 0 && x <= DBL_MAX;
}

static scarce_status check_options(const scarce__linear_options *o, const scarce_table *table,
                                   scarce_error *err)
{
    if (o->loss != SCARCE__LINEAR_LOGISTIC && o->loss != SCARCE__LINEAR_SVM)
        return scarce__fail(err, SCARCE_EINVAL, "unknown linear loss %d", (int)o->loss);
    if (o->solver != SCARCE__LINEAR_NEWTON && o->solver != SCARCE__LINEAR_LIBLINEAR)
        return scarce__fail(err, SCARCE_EINVAL, "unknown linear solver %d", (int)o->solver);
    if (!positive(o->c)) return scarce__fail(err, SCARCE_EINVAL, "c is %g, must be > 0", o->c);
    if (!positive(o->pos_weight))
        return scarce__fail(err, SCARCE_EINVAL, "pos_weight is %g, must be > 0", o->pos_weight);
    if (!(o->tolerance > 0 && o->tolerance < 1))
        return scarce__fail(err, SCARCE_EINVAL, "tolerance is %g, must be > 0 and < 1", o->tolerance);
    if (o->max_iterations < 1)
        return scarce__fail(err, SCARCE_EINVAL, "max_iterations is %d, must be 1 or more", o->max_iterations);
    if (o->solver == SCARCE__LINEAR_LIBLINEAR && (table->weight || table->cost))
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "liblinear takes no %s; use solver=newton",
                            table->weight ? "case weights" : "costs of rows");
    if (!table->label) return scarce__fail(err, SCARCE_EDATA, "training needs a label column");
    return SCARCE_OK;
}

static scarce_status fill_costs(double *cost, const scarce__linear_options *o, const scarce_table *table,
                                scarce_error *err)
{
    double count[2] = {0, 0};

    for (size_t i = 0; i < table->n_rows; ++i) {
        const double w = (table->weight ? table->weight[i] : 1) * (table->cost ? table->cost[i] : 1);
        if (!(w >= 0 && w <= DBL_MAX))
            return scarce__fail(err, SCARCE_EDATA, "weight of row %zu is %g, allowed are numbers >= 0", i + 1,
                                w);
        count[table->label[i] != 0] += w;
        cost[i] = o->c * w * (table->label[i] ? o->pos_weight : 1);
    }
    if (!(count[0] > 0 && count[1] > 0))
        return scarce__fail(err, SCARCE_EDATA, "no %s among %zu rows; both classes are needed",
                            count[1] > 0 ? "negatives" : "positives", table->n_rows);
    if (!isfinite((count[0] + count[1] * o->pos_weight) * o->c))
        return scarce__fail(err, SCARCE_EDATA, "the sum of the weights is too large");
    return SCARCE_OK;
}

static scarce_status solve(double *theta, double *cost, scarce__linear_report *report, scarce__design *d,
                           const scarce__linear_options *o, scarce_context *ctx, scarce_error *err)
{
    const uint8_t *label = d->table->label;

    report->n_parameters = d->n_parameters;
    report->odds_factor = o->loss == SCARCE__LINEAR_LOGISTIC ? o->pos_weight : 1;
    if (o->solver == SCARCE__LINEAR_NEWTON) {
        SCARCE__TRY(scarce__newton(theta, report, d, label, cost, o, ctx, err));
        if (!report->converged)
            scarce__log(ctx, SCARCE_LOG_WARN,
                        "linear training did not converge in %d steps; raise max_iterations",
                        o->max_iterations);
        return SCARCE_OK;
    }
    scarce__linear_options penalized = *o;
    double *z = scarce__malloc_array(d->n_rows, sizeof *z);
    if (!z) return scarce__fail_memory(err, "scores", d->n_rows * sizeof *z);
    penalized.penalize_bias = 1;
    report->iterations = report->passes = -1;
    report->converged = 1;
    const scarce_status status = scarce__liblinear(theta, d, label, o, err);
    if (status == SCARCE_OK) {
        scarce__design_times(d, theta, z, scarce__context_pool(ctx));
        report->objective = scarce__linear_objective(d, theta, z, label, cost, &penalized);
    }
    scarce__free(z);
    return status;
}

scarce_status scarce__linear_train(scarce__linear *out, scarce__linear_report *report,
                                   const scarce_table *table, const scarce__linear_options *options,
                                   scarce_context *ctx, scarce_error *err)
{
    scarce__linear_report unseen, *r = report ? report : &unseen;
    scarce__design design;
    double *theta = NULL, *cost = NULL;
    scarce_status status;

    memset(out, 0, sizeof *out);
    memset(r, 0, sizeof *r);
    SCARCE__TRY(check_options(options, table, err));
    SCARCE__TRY(scarce__design_init(&design, table, options, scarce__context_pool(ctx), err));
    theta = scarce__calloc(design.n_parameters + 2, sizeof *theta);
    cost = scarce__malloc_array(table->n_rows, sizeof *cost);
    if (!theta || !cost) status = scarce__fail_memory(err, "linear training", table->n_rows * sizeof *cost);
    else status = fill_costs(cost, options, table, err);
    if (status == SCARCE_OK) status = solve(theta, cost, r, &design, options, ctx, err);
    if (status == SCARCE_OK) status = scarce__design_fold(out, &design, theta, err);
    scarce__free(theta);
    scarce__free(cost);
    scarce__design_deinit(&design);
    return status;
}
