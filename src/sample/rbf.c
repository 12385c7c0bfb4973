/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/rbf.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/pool.h"
#include "sample/resample.h"

static const double least_curve = 1e-12;

void scarce__rbf_deinit(scarce__rbf *m)
{
    scarce__free(m->rows);
    scarce__free(m->alpha);
    memset(m, 0, sizeof *m);
}

/* ---- which rows */

/* The negatives that are among the k nearest of a chosen positive are marked. */
static scarce_status mark_near(uint8_t *taken, const uint32_t *chosen, size_t n_chosen, size_t k,
                               const scarce__space *space, const scarce_table *t, scarce_context *ctx,
                               scarce_error *err)
{
    uint32_t *negatives = scarce__rows_of_class(t, 0),
             *index = scarce__malloc_array(n_chosen, k * sizeof *index);
    double *square = scarce__malloc_array(n_chosen, k * sizeof *square);
    const scarce__near ask = {space, {t, chosen, n_chosen}, {t, negatives, t->n_rows - t->n_positives}, k, 0};
    scarce_status st;

    if (negatives && index && square) st = scarce__near_find(index, square, &ask, ctx, err);
    else st = scarce__fail_memory(err, "neighbours", n_chosen * k * (sizeof *index + sizeof *square));
    for (size_t i = 0; st == SCARCE_OK && i < n_chosen * k; ++i)
        if (index[i] != UINT32_MAX) taken[index[i]] = 1;
    scarce__free(negatives);
    scarce__free(index);
    scarce__free(square);
    return st;
}

static scarce_status choose(uint8_t *taken, const scarce__space *space, const scarce_table *t,
                            scarce_context *ctx, scarce_error *err)
{
    const size_t half = SCARCE__RBF_MOST_ROWS / 2, n = t->n_positives < half ? t->n_positives : half;
    const size_t left = SCARCE__RBF_MOST_ROWS - n;
    uint32_t *positives;
    scarce_status st = SCARCE_OK;

    if (t->n_rows <= SCARCE__RBF_MOST_ROWS) {
        memset(taken, 1, t->n_rows);
        return SCARCE_OK;
    }
    positives = scarce__rows_of_class(t, 1);
    if (!positives) return scarce__fail_memory(err, "the positives", 0);
    for (size_t i = 0; i < n; ++i) positives[i] = positives[scarce__part_begin(t->n_positives, n, i)];
    for (size_t i = 0; i < n; ++i) taken[positives[i]] = 1;
    if (t->n_rows - t->n_positives > left) st = mark_near(taken, positives, n, left / n, space, t, ctx, err);
    else
        for (size_t i = 0; i < t->n_rows; ++i) taken[i] |= !t->label[i];
    scarce__free(positives);
    return st;
}

scarce_status scarce__rbf_rows(uint32_t **out, size_t *n, const scarce__space *space, const scarce_table *t,
                               scarce_context *ctx, scarce_error *err)
{
    uint8_t *taken = scarce__calloc(t->n_rows, 1);
    scarce_status st;

    *n = 0;
    *out = scarce__malloc_array(SCARCE__RBF_MOST_ROWS, sizeof **out);
    if (taken && *out) st = choose(taken, space, t, ctx, err);
    else st = scarce__fail_memory(err, "rows for a support vector machine", t->n_rows);
    for (size_t i = 0; st == SCARCE_OK && i < t->n_rows; ++i)
        if (taken[i]) (*out)[(*n)++] = (uint32_t)i;
    scarce__free(taken);
    if (st == SCARCE_OK) return st;
    scarce__free(*out);
    *out = NULL;
    return st;
}

/* ---- learning */

typedef struct smo {
    const scarce__space *space;
    const scarce_table *table;
    const uint32_t *rows;
    size_t n;
    double c, gamma, rho;
    float *kernel; /* n x n */
    double *alpha; /* 0..c */
    double *slope; /* derivative of the objective */
    double *label; /* +1 or -1 */
} smo;

static double kernel(const scarce__space *space, const scarce_table *t, double gamma, size_t a, size_t b)
{
    return scarce__exp(-gamma * scarce__space_square(space, t, a, t, b));
}

static void kernel_row(void *arg, size_t i, int worker)
{
    smo *s = arg;
    (void)worker;
    for (size_t j = 0; j <= i; ++j) {
        const float k = (float)kernel(s->space, s->table, s->gamma, s->rows[i], s->rows[j]);
        s->kernel[i * s->n + j] = s->kernel[j * s->n + i] = k;
    }
}

static int may_rise(const smo *s, size_t i)
{
    return s->label[i] > 0 ? s->alpha[i] < s->c : s->alpha[i] > 0;
}

static int may_fall(const smo *s, size_t i)
{
    return s->label[i] > 0 ? s->alpha[i] > 0 : s->alpha[i] < s->c;
}

static double curve(const smo *s, size_t i, size_t j)
{
    const double a = (double)s->kernel[i * s->n + i] + (double)s->kernel[j * s->n + j] -
                     2 * (double)s->kernel[i * s->n + j];
    return a > least_curve ? a : least_curve;
}

/* The pair that violates the conditions most; 0 when none does by more than the tolerance. */
static int choose_pair(const smo *s, size_t *up, size_t *down)
{
    double most = -HUGE_VAL, least = HUGE_VAL, best = 0;

    *up = *down = SIZE_MAX;
    for (size_t i = 0; i < s->n; ++i)
        if (may_rise(s, i) && -s->label[i] * s->slope[i] > most) {
            most = -s->label[i] * s->slope[i];
            *up = i;
        }
    for (size_t j = 0; *up != SIZE_MAX && j < s->n; ++j) {
        if (!may_fall(s, j)) continue;
        const double v = -s->label[j] * s->slope[j], gap = most - v;
        if (v < least) least = v;
        if (gap > 0 && gap * gap / curve(s, *up, j) > best) {
            best = gap * gap / curve(s, *up, j);
            *down = j;
        }
    }
    return *down != SIZE_MAX && most - least > SCARCE__RBF_TOLERANCE;
}

/* Along the line that keeps sum y a: a_i + y_i d, a_j - y_j d, as far as the box allows. */
static void move_pair(smo *s, size_t i, size_t j)
{
    const double yi = s->label[i], yj = s->label[j];
    double step = (-yi * s->slope[i] + yj * s->slope[j]) / curve(s, i, j);
    const double room_i = yi > 0 ? s->c - s->alpha[i] : s->alpha[i];
    const double room_j = yj > 0 ? s->alpha[j] : s->c - s->alpha[j];

    if (step >= room_i || step >= room_j) step = room_i < room_j ? room_i : room_j;
    s->alpha[i] = step == room_i ? (yi > 0 ? s->c : 0) : s->alpha[i] + yi * step;
    s->alpha[j] = step == room_j ? (yj > 0 ? 0 : s->c) : s->alpha[j] - yj * step;
    for (size_t k = 0; k < s->n; ++k)
        s->slope[k] +=
            s->label[k] * step * ((double)s->kernel[i * s->n + k] - (double)s->kernel[j * s->n + k]);
}

/* Where the free rows are on the margin; without free rows the middle of what is allowed. */
static double find_rho(const smo *s)
{
    double low = -HUGE_VAL, high = HUGE_VAL, sum = 0;
    size_t free = 0;

    for (size_t i = 0; i < s->n; ++i) {
        const double v = s->label[i] * s->slope[i];
        if (s->alpha[i] > 0 && s->alpha[i] < s->c) {
            sum += v;
            ++free;
        } else if (may_rise(s, i)) low = -v > low ? -v : low;
        else high = -v < high ? -v : high;
    }
    return free ? sum / (double)free : -(low + high) / 2;
}

static scarce_status solve(smo *s, scarce_context *ctx, scarce_error *err)
{
    const size_t most = 100 * s->n + 100000;
    size_t i = 0, j = 0;

    s->kernel = scarce__big_alloc(s->n * s->n, sizeof *s->kernel);
    s->alpha = scarce__calloc(s->n, sizeof *s->alpha);
    s->slope = scarce__malloc_array(s->n, sizeof *s->slope);
    s->label = scarce__malloc_array(s->n, sizeof *s->label);
    if (!s->kernel || !s->alpha || !s->slope || !s->label)
        return scarce__fail_memory(err, "a support vector machine", s->n * s->n * sizeof *s->kernel);
    for (size_t k = 0; k < s->n; ++k) {
        s->slope[k] = -1;
        s->label[k] = s->table->label[s->rows[k]] ? 1 : -1;
    }
    scarce__pool_run(scarce__context_pool(ctx), s->n, kernel_row, s);
    for (size_t step = 0; step < most && choose_pair(s, &i, &j); ++step) move_pair(s, i, j);
    s->rho = find_rho(s);
    return SCARCE_OK;
}

static scarce_status keep(scarce__rbf *out, const smo *s, scarce_error *err)
{
    *out = (scarce__rbf){.space = s->space, .table = s->table, .gamma = s->gamma, .bias = -s->rho};
    out->rows = scarce__malloc_array(s->n, sizeof *out->rows);
    out->alpha = scarce__malloc_array(s->n, sizeof *out->alpha);
    if (!out->rows || !out->alpha) {
        scarce__rbf_deinit(out);
        return scarce__fail_memory(err, "a support vector machine", 0);
    }
    for (size_t i = 0; i < s->n; ++i) {
        if (s->alpha[i] == 0) continue;
        out->rows[out->n] = s->rows[i];
        out->alpha[out->n++] = s->alpha[i] * s->label[i];
    }
    return SCARCE_OK;
}

scarce_status scarce__rbf_train(scarce__rbf *out, const scarce__space *space, const scarce_table *table,
                                const uint32_t *rows, size_t n, double c, double gamma, scarce_context *ctx,
                                scarce_error *err)
{
    smo s = {.space = space, .table = table, .rows = rows, .n = n, .c = c, .gamma = gamma};
    scarce_status st = solve(&s, ctx, err);

    memset(out, 0, sizeof *out);
    if (st == SCARCE_OK) st = keep(out, &s, err);
    scarce__free(s.kernel);
    scarce__free(s.alpha);
    scarce__free(s.slope);
    scarce__free(s.label);
    return st;
}

double scarce__rbf_score(const scarce__rbf *m, size_t row)
{
    double sum = m->bias;
    for (size_t i = 0; i < m->n; ++i)
        sum += m->alpha[i] * kernel(m->space, m->table, m->gamma, m->rows[i], row);
    return sum;
}
