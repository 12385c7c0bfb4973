/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of models in a sum, by rows that none of them has seen:
 *
 *     least over w of   sum over rows of count ln(1 + exp(-side sum_k w_k f_k))  +  5 sum_k w_k ln(w_k / prior_k),
 *     w_k >= 0, sum w_k = 1
 *
 * The second term pulls towards the weights that suit most tables, with the force of some five rows told apart: few
 * positives change little (what several voices have in common is most of what can be known), many decide. Models whose weight is below a tenth are left
 * out, and the others are weighed again, so that what is hardly heard costs nothing.
 *
 * Both terms are convex and the second keeps weights above 0, so Newton's steps on the plane sum w = 1, shortened until
 * the value falls, find the least in some ten rounds. Plain sums in the order of the rows: the same bits everywhere. */
#include "method/gb_weigh.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"

enum { MOST = SCARCE__MOST_VOICES, ROUNDS = 50, HALVINGS = 40 };
static const double PULL = 5, LEAST = 0.1;

/* The models that take part, by their places in the ballot. */
typedef struct chorus {
    const scarce__ballot *ballot;
    size_t n, at[MOST];
    double prior[MOST]; /* 1 together */
} chorus;

typedef struct slope {
    double gradient[MOST], hessian[MOST][MOST];
} slope;

static double sum_of(const chorus *c, const double *w, size_t row)
{
    const double *f = c->ballot->score + row * c->ballot->n_voices;
    double z = 0;
    for (size_t k = 0; k < c->n; ++k) z += w[k] * f[c->at[k]];
    return z;
}

static double value_at(const chorus *c, const double *w)
{
    enum { PIECE = 256 };
    const scarce__ballot *b = c->ballot;
    double value = 0, z[PIECE];
    for (size_t at = 0, n; at < b->n_rows; at += n) {
        n = b->n_rows - at < PIECE ? b->n_rows - at : PIECE;
        for (size_t i = 0; i < n; ++i) z[i] = -b->side[at + i] * sum_of(c, w, at + i);
        scarce__softplus_all(z, z, n);
        for (size_t i = 0; i < n; ++i)
            if (b->count[at + i] > 0) value += b->count[at + i] * z[i];
    }
    for (size_t k = 0; k < c->n; ++k) value += PULL * w[k] * scarce__ln(w[k] / c->prior[k]);
    return value;
}

static void slope_at(slope *s, const chorus *c, const double *w)
{
    const scarce__ballot *b = c->ballot;

    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < b->n_rows; ++i) {
        const double *f = b->score + i * b->n_voices, side = b->side[i];
        if (!(b->count[i] > 0)) continue;
        const double p = scarce__sigmoid(-side * sum_of(c, w, i));
        const double first = -b->count[i] * side * p, second = b->count[i] * side * side * p * (1 - p);
        for (size_t k = 0; k < c->n; ++k) {
            s->gradient[k] += first * f[c->at[k]];
            for (size_t j = 0; j <= k; ++j) s->hessian[k][j] += second * f[c->at[k]] * f[c->at[j]];
        }
    }
    for (size_t k = 0; k < c->n; ++k) {
        s->gradient[k] += PULL * (scarce__ln(w[k] / c->prior[k]) + 1);
        s->hessian[k][k] += PULL / w[k];
    }
}

/* In place; 0: not positive definite as far as doubles can tell. */
static int cholesky(double a[MOST][MOST], size_t n)
{
    for (size_t k = 0; k < n; ++k)
        for (size_t j = 0; j <= k; ++j) {
            double s = a[k][j];
            for (size_t m = 0; m < j; ++m) s -= a[k][m] * a[j][m];
            if (j < k) a[k][j] = s / a[j][j];
            else if (!(s > 0)) return 0;
            else a[k][k] = sqrt(s);
        }
    return 1;
}

static void solve(double a[MOST][MOST], size_t n, const double *right, double *x)
{
    for (size_t k = 0; k < n; ++k) {
        x[k] = right[k];
        for (size_t m = 0; m < k; ++m) x[k] -= a[k][m] * x[m];
        x[k] /= a[k][k];
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t m = k + 1; m < n; ++m) x[k] -= a[m][k] * x[m];
        x[k] /= a[k][k];
    }
}

/* Newton's step d with sum d = 0; 0: there is none. */
static int step_at(double *d, slope *s, size_t n)
{
    double one[MOST], by_gradient[MOST], by_one[MOST], top = 0, bottom = 0;

    if (!cholesky(s->hessian, n)) return 0;
    for (size_t k = 0; k < n; ++k) one[k] = 1;
    solve(s->hessian, n, s->gradient, by_gradient);
    solve(s->hessian, n, one, by_one);
    for (size_t k = 0; k < n; ++k) {
        top += by_gradient[k];
        bottom += by_one[k];
    }
    for (size_t k = 0; k < n; ++k) d[k] = top / bottom * by_one[k] - by_gradient[k];
    return isfinite(top / bottom);
}

static void weigh(chorus *c, double *w)
{
    double d[MOST], next[MOST], value, all = 0;
    slope s;

    for (size_t k = 0; k < c->n; ++k) all += c->ballot->prior[c->at[k]];
    for (size_t k = 0; k < c->n; ++k) w[k] = c->prior[k] = c->ballot->prior[c->at[k]] / all;
    value = value_at(c, w);
    for (int round = 0; round < ROUNDS && c->n > 1; ++round) {
        double length = 1, largest = 0, after = value;
        slope_at(&s, c, w);
        if (!step_at(d, &s, c->n)) return;
        for (size_t k = 0; k < c->n; ++k) {
            if (d[k] < 0 && -0.9 * w[k] / d[k] < length) length = -0.9 * w[k] / d[k];
            largest = fabs(d[k]) > largest ? fabs(d[k]) : largest;
        }
        if (largest < 1e-7) return;
        for (int half = 0; half < HALVINGS; ++half, length /= 2) {
            for (size_t k = 0; k < c->n; ++k) next[k] = w[k] + length * d[k];
            after = value_at(c, next);
            if (after < value) break;
        }
        if (!(after < value)) return;
        memcpy(w, next, sizeof next);
        value = after;
    }
}

void scarce__gb_weigh(double *weight, const scarce__ballot *ballot)
{
    chorus c = {.ballot = ballot, .n = ballot->n_voices};
    double w[MOST];
    size_t kept = 0;

    for (size_t k = 0; k < c.n; ++k) c.at[k] = k;
    weigh(&c, w);
    for (size_t k = 0; k < c.n; ++k)
        if (w[k] >= LEAST) c.at[kept++] = k;
    if (kept < c.n) {
        c.n = kept;
        weigh(&c, w);
    }
    for (size_t k = 0; k < ballot->n_voices; ++k) weight[k] = 0;
    for (size_t k = 0; k < c.n; ++k) weight[c.at[k]] = w[k];
}
