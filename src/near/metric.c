/* SPDX-License-Identifier: Apache-2.0 */
#include "near/metric.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "near/linalg.h"
#include "near/near.h"

/* ---- neighbours, by the search of near.h */

/* Points as a table of floats: which neighbours count is decided on them, distances are made of the doubles. */
static scarce_status table_of(scarce_table **out, const scarce__points *p, scarce_error *err)
{
    float *x = scarce__malloc_array(p->n * p->d, sizeof *x);
    scarce_status st = x ? SCARCE_OK : scarce__fail_memory(err, "points", 0);

    *out = NULL;
    for (size_t i = 0; x && i < p->n * p->d; ++i) x[i] = (float)p->z[i];
    if (st == SCARCE_OK) st = scarce_table_from_floats(out, x, p->n, p->d, NULL, p->label, err);
    scarce__free(x);
    return st;
}

static size_t rows_of(uint32_t *rows, const scarce__points *p, int label)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; ++i)
        if (p->label[i] == label) rows[n++] = (uint32_t)i;
    return n;
}

scarce_status scarce__metric_neighbours(uint32_t **out, const scarce__points *p, size_t k, int label,
                                        int same, scarce_context *ctx, scarce_error *err)
{
    scarce_table *t = NULL;
    scarce__space space = {0};
    uint32_t *from = scarce__malloc_array(p->n, sizeof *from), *to = scarce__malloc_array(p->n, sizeof *to);
    double *square = NULL;
    scarce_status st = from && to ? SCARCE_OK : scarce__fail_memory(err, "neighbours", 0);

    *out = NULL;
    if (st == SCARCE_OK) st = table_of(&t, p, err);
    if (st == SCARCE_OK) st = scarce__space_init(&space, t, SCARCE__SCALE_NONE, ctx, err);
    if (st == SCARCE_OK) {
        const size_t n = rows_of(from, p, label), m = rows_of(to, p, same ? label : !label);
        const scarce__near ask = {&space, {t, from, n}, {t, to, m}, k, 0};
        *out = scarce__malloc_array(n * k, sizeof **out);
        square = scarce__malloc_array(n * k, sizeof *square);
        st = *out && square ? scarce__near_find(*out, square, &ask, ctx, err)
                            : scarce__fail_memory(err, "neighbours", 0);
    }
    if (st != SCARCE_OK) scarce__free(*out), *out = NULL;
    scarce__space_deinit(&space);
    scarce_table_free(t);
    scarce__free(from);
    scarce__free(to);
    scarce__free(square);
    return st;
}

/* ---- the minimiser */

typedef struct minimiser {
    const scarce__metric_problem *problem;
    double *gradient, *next, *next_gradient, *scratch, *vector, *value, *room;
} minimiser;

static void project(const minimiser *s, double *m)
{
    const size_t d = s->problem->d;
    const double most = s->problem->most;

    if (s->problem->diagonal) {
        for (size_t i = 0; i < d; ++i) {
            double *x = &m[i * d + i];
            *x = *x < 0 ? 0 : *x > most ? most : *x;
        }
        return;
    }
    memcpy(s->scratch, m, d * d * sizeof *m);
    scarce__eigen_quick(s->scratch, s->value, s->vector, s->room, d);
    if (s->value[d - 1] >= 0 && s->value[0] <= most) return;
    for (size_t i = 0; i < d; ++i)
        s->value[i] = s->value[i] < 0 ? 0 : s->value[i] > most ? most : s->value[i];
    scarce__eigen_compose(m, s->value, s->vector, d);
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static int minimiser_init(minimiser *s, const scarce__metric_problem *problem)
{
    const size_t n = problem->d * problem->d;

    *s = (minimiser){problem, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    s->gradient = scarce__malloc_array(n, sizeof(double));
    s->next = scarce__malloc_array(n, sizeof(double));
    s->next_gradient = scarce__malloc_array(n, sizeof(double));
    s->scratch = scarce__malloc_array(n, sizeof(double));
    s->vector = scarce__malloc_array(n, sizeof(double));
    s->value = scarce__malloc_array(4 * problem->d, sizeof(double));
    s->room = s->value ? s->value + problem->d : NULL;
    return s->gradient && s->next && s->next_gradient && s->scratch && s->vector && s->value;
}

static void minimiser_deinit(minimiser *s)
{
    scarce__free(s->gradient), scarce__free(s->next), scarce__free(s->next_gradient);
    scarce__free(s->scratch), scarce__free(s->vector), scarce__free(s->value);
}

/* Steps of the given length, halved until the value falls enough: *moved is how far m went (0: nowhere). */
static scarce_status step(minimiser *s, double *m, double *value, double *length, double *moved,
                          scarce_error *err)
{
    const scarce__metric_problem *problem = s->problem;
    const size_t n = problem->d * problem->d;

    *moved = 0;
    for (int tries = 0; tries < 60; ++tries, *length /= 2) {
        double next_value, gain = 0, far = 0;
        for (size_t i = 0; i < n; ++i) s->next[i] = m[i] - *length * s->gradient[i];
        project(s, s->next);
        for (size_t i = 0; i < n; ++i) {
            const double d = s->next[i] - m[i];
            gain += d * s->gradient[i];
            far += d * d;
        }
        if (far == 0) return SCARCE_OK;
        SCARCE__TRY(problem->value(problem->payload, s->next, &next_value, s->next_gradient, err));
        if (!(next_value <= *value + 1e-4 * gain)) continue;
        const double bend = dot(s->next, s->next_gradient, n) - dot(s->next, s->gradient, n) -
                            dot(m, s->next_gradient, n) + dot(m, s->gradient, n);
        memcpy(m, s->next, n * sizeof *m);
        memcpy(s->gradient, s->next_gradient, n * sizeof *m);
        *value = next_value;
        *moved = sqrt(far);
        *length = bend > 1e-300 && far / bend < 1e10 ? far / bend : *length * 2;
        return SCARCE_OK;
    }
    return SCARCE_OK;
}

scarce_status scarce__metric_minimise(double *m, double *value, const scarce__metric_problem *problem,
                                      double tolerance, size_t most_steps, scarce_context *ctx,
                                      scarce_error *err)
{
    const size_t n = problem->d * problem->d;
    minimiser s;
    double length, moved = 1;
    scarce_status st =
        minimiser_init(&s, problem) ? SCARCE_OK : scarce__fail_memory(err, "metric learning", 0);

    if (st == SCARCE_OK) project(&s, m);
    if (st == SCARCE_OK) st = problem->value(problem->payload, m, value, s.gradient, err);
    length = st == SCARCE_OK ? 1 / (sqrt(dot(s.gradient, s.gradient, n)) + 1e-12) : 1;
    for (size_t i = 0, still = 0; st == SCARCE_OK && i < most_steps && still < 3; ++i) {
        const scarce_progress p = {"metric", (double)i, (double)most_steps, "steps", "", NULL, 0};
        if (scarce__progress(ctx, &p)) st = scarce__fail(err, SCARCE_ECANCEL, "stopped");
        const double before = *value;
        if (st == SCARCE_OK) st = step(&s, m, value, &length, &moved, err);
        if (moved < tolerance || before - *value <= tolerance * fabs(before)) ++still;
        else still = 0;
        if (moved == 0) length = 1 / (sqrt(dot(s.gradient, s.gradient, n)) + 1e-12);
    }
    minimiser_deinit(&s);
    return st;
}

/* ---- the map */

/* Of full rank: the symmetric root, which is unique whatever the axes of equal eigenvalues; else the axes that count. */
double *scarce__metric_map(const double *m, size_t d, size_t *n_out)
{
    double *a = scarce__malloc_array(d * d, sizeof *a), *vector = scarce__malloc_array(d * d, sizeof *vector),
           *value = scarce__malloc_array(d, sizeof *value), *map = NULL;

    if (a && vector && value) {
        memcpy(a, m, d * d * sizeof *a);
        scarce__eigen(a, value, vector, d);
        const int full = value[d - 1] > 1e-12 * value[0];
        for (size_t i = 0; i < d; ++i) value[i] = value[i] > 0 ? sqrt(value[i]) : 0;
        *n_out = d;
        if (full) scarce__eigen_compose(a, value, vector, d);
        else
            for (*n_out = 0; *n_out == 0 || (*n_out < d && value[*n_out] > 1e-6 * value[0]); ++*n_out)
                for (size_t j = 0; j < d; ++j) a[*n_out * d + j] = value[*n_out] * vector[*n_out * d + j];
        map = a;
        a = NULL;
    }
    scarce__free(a);
    scarce__free(vector);
    scarce__free(value);
    return map;
}
