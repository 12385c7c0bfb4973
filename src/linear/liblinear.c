/* SPDX-License-Identifier: Apache-2.0 */
/* The same problem through liblinear's primal trust-region solvers (L2R_LR, L2R_L2LOSS_SVC).
 *
 * Kept as a second opinion on newton.c: liblinear copies the matrix to 16 bytes per non-zero, can't be
 * stopped, has no case weights, ends the process when memory is exhausted inside it, and its constant is a
 * feature of value 1 with the same penalty as all others. */
#include "linear/newton.h"

#include "core/alloc.h"
#include "core/fail.h"

#ifdef SCARCE_HAVE_LIBLINEAR
#include <limits.h>
#include <linear.h>

static void silent(const char *text)
{
    (void)text;
}

static size_t count_nonzeros(const scarce__design *d, uint32_t *parameter, double *value)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n_rows; ++i) n += scarce__design_row(d, i, parameter, value);
    return n;
}

/* Nodes are numbered from 1; the constant is the last of them; -1 ends a row. */
static void fill_nodes(struct problem *p, struct feature_node *node, const scarce__design *d,
                       const uint8_t *label, uint32_t *parameter, double *value)
{
    for (size_t i = 0; i < d->n_rows; ++i) {
        const size_t n = scarce__design_row(d, i, parameter, value);
        p->x[i] = node;
        p->y[i] = label[i] ? 1 : -1;
        for (size_t k = 0; k < n; ++k, ++node) {
            node->index = (int)parameter[k] + 1;
            node->value = value[k];
        }
        node->index = p->n;
        (node++)->value = 1;
        (node++)->index = -1;
    }
}

static scarce_status solve(double *theta, const struct problem *p, size_t n_parameters,
                           const scarce__linear_options *o, scarce_error *err)
{
    int label = 1;
    double weight = o->pos_weight;
    struct parameter q = {0};
    q.solver_type = o->loss == SCARCE__LINEAR_SVM ? L2R_L2LOSS_SVC : L2R_LR;
    q.eps = o->tolerance;
    q.C = o->c;
    q.nr_weight = 1;
    q.weight_label = &label;
    q.weight = &weight;

    set_print_string_function(silent);
    const char *wrong = check_parameter(p, &q);
    if (wrong) return scarce__fail(err, SCARCE_EINVAL, "liblinear: %s", wrong);
    struct model *model = train(p, &q);
    if (!model) return scarce__fail(err, SCARCE_ENOMEM, "liblinear gave no model");
    const double sign = model->label[0] == 1 ? 1 : -1;
    for (size_t j = 0; j <= n_parameters; ++j) theta[j] = sign * model->w[j];
    theta[n_parameters + 1] = 0;
    free_and_destroy_model(&model);
    return SCARCE_OK;
}

scarce_status scarce__liblinear(double *theta, const scarce__design *d, const uint8_t *label,
                                const scarce__linear_options *options, scarce_error *err)
{
    const size_t limit = scarce__design_row_limit(d);
    uint32_t *parameter = scarce__malloc_array(limit, sizeof *parameter);
    double *value = scarce__malloc_array(limit, sizeof *value);
    struct problem p = {0};
    struct feature_node *nodes = NULL;
    scarce_status status = SCARCE_ENOMEM;
    size_t n_nodes = 0;

    if (d->n_rows >= INT_MAX || d->n_parameters >= INT_MAX - 2) {
        status = scarce__fail(err, SCARCE_EUNSUPPORTED,
                              "%zu rows and %zu parameters are too many for liblinear; use solver=newton",
                              d->n_rows, d->n_parameters);
        goto done;
    }
    if (!parameter || !value) goto done;
    n_nodes = count_nonzeros(d, parameter, value) + 2 * d->n_rows;
    nodes = scarce__malloc_array(n_nodes, sizeof *nodes);
    p.x = scarce__malloc_array(d->n_rows, sizeof *p.x);
    p.y = scarce__malloc_array(d->n_rows, sizeof *p.y);
    if (!nodes || !p.x || !p.y) goto done;
    p.l = (int)d->n_rows;
    p.n = (int)d->n_parameters + 1;
    p.bias = 1;
    fill_nodes(&p, nodes, d, label, parameter, value);
    status = solve(theta, &p, d->n_parameters, options, err);
done:
    if (status == SCARCE_ENOMEM)
        scarce__fail_memory(err, "liblinear's copy of the table", n_nodes * sizeof *nodes);
    scarce__free(parameter);
    scarce__free(value);
    scarce__free(nodes);
    scarce__free(p.x);
    scarce__free(p.y);
    return status;
}

#else

scarce_status scarce__liblinear(double *theta, const scarce__design *d, const uint8_t *label,
                                const scarce__linear_options *options, scarce_error *err)
{
    (void)theta;
    (void)d;
    (void)label;
    (void)options;
    return scarce__fail(err, SCARCE_EUNSUPPORTED, "this build has no liblinear; use solver=newton");
}

#endif
