/* SPDX-License-Identifier: Apache-2.0 */
/* IML: Wang, Zhao, Sun and others, Iterative metric learning for imbalance data classification, IJCAI 2018 (001, chapter 3).
 *
 * A metric for each query. M = I; then, in rounds: the `points` rows of each class nearest to the query under M are its
 * neighbourhood; where it holds at least the share `stable` of the one before, that is the end; else LMNN learns M from it
 * (metric_lmnn.c). The k nearest of the neighbourhood under M vote as in k-NN.
 *
 * Decisions. The paper selects near samples without saying how many of which class: here as many of each, since of the
 * nearest rows of rare positives hardly one is positive, and LMNN needs both. Neighbourhoods move among the 4 x points rows of
 * each class that are nearest by Euclid: a query costs the same in a table of any size, but for finding these.
 *
 * Many dimensions. The gradient of LMNN lies in the span of the differences of the rows it learns from, n - 1 at most. With
 * the rows B of an orthonormal basis of it, M = I + B'(R - I) B, and R is what LMNN learns from the coordinates in that
 * basis: the same distances, and matrices no larger than the neighbourhood. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "near/metric.h"
#include "near/nearby_inside.h"

enum { ROUNDS = 4, TIMES = 4, STEPS = 8 };

/* A row that may be in a neighbourhood. */
typedef struct near_row {
    double square; /* under M */
    uint32_t row, place;
    int side; /* 0 negative, 1 positive */
    int in;   /* the neighbourhood of the round before */
} near_row;

typedef struct locality {
    const scarce__nearby_ready *p;
    size_t d, n, points;
    near_row *rows; /* n, negatives first, nearest first under M within each side */
    double *q, *z;  /* the query; n x d by `place` */
    double *m, *apart, *some;
    double *basis, *inside; /* r x d; coordinates, n x r. Of few dimensions: NULL, and r = d */
    size_t r;               /* M is r x r; 0: none yet */
    uint8_t *label;
    float *value;
    uint32_t *number;
    double *square;
} locality;

static int nearer(const void *a, const void *b)
{
    const near_row *x = a, *y = b;
    if (x->side != y->side) return x->side < y->side ? -1 : 1;
    if (x->square != y->square) return x->square < y->square ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void deinit(locality *l)
{
    scarce__free(l->rows), scarce__free(l->q), scarce__free(l->value), scarce__free(l->number);
    scarce__free(l->square), scarce__free(l->label), scarce__free(l->basis);
}

static int init(locality *l, const scarce__nearby_ready *p)
{
    const size_t d = p->embed.dims, most = TIMES * p->m->local.points + 1, all = SCARCE__SIDES * most;

    *l = (locality){.p = p, .d = d, .points = p->m->local.points};
    l->rows = scarce__malloc_array(all, sizeof *l->rows);
    const size_t chosen = 2 * l->points, side = d < chosen ? d : chosen;
    l->q = scarce__malloc_array(d * (3 + 2 * all) + side * side, sizeof *l->q);
    if (d > chosen) l->basis = scarce__malloc_array(chosen * (d + chosen), sizeof *l->basis);
    l->value = scarce__malloc_array(2 * d, sizeof *l->value);
    l->number = scarce__malloc_array(most, sizeof *l->number);
    l->square = scarce__malloc_array(most + 2 * p->length, sizeof *l->square);
    l->label = scarce__malloc(all);
    if (!l->rows || !l->q || !l->value || !l->number || !l->square || !l->label || (d > chosen && !l->basis))
        return 0;
    if (l->basis) l->inside = l->basis + chosen * d;
    l->apart = l->q + d;
    l->z = l->apart + 2 * d;
    l->some = l->z + all * d;
    l->m = l->some + all * d;
    return 1;
}

/* The nearest rows of a side by Euclid, but `except`. */
static void gather(locality *l, int from, int side, uint32_t except)
{
    const scarce__nearby_side *s = &l->p->side[from];
    const size_t most = TIMES * l->points, d = l->d;
    size_t taken = 0;

    if (s->among.n == 0) return;
    scarce__index_nearest(&s->index, l->value, most + 1, l->number, l->square);
    for (size_t i = 0; i <= most && l->number[i] != UINT32_MAX && taken < most; ++i) {
        if (l->number[i] == except) continue; /* and its copies with it */
        scarce_table_row(l->p->mapped[0], l->number[i], l->value + d);
        for (size_t j = 0; j < d; ++j) l->z[l->n * d + j] = (double)l->value[d + j];
        l->rows[l->n] = (near_row){l->square[i], l->number[i], (uint32_t)l->n, side, 0};
        ++l->n;
        ++taken;
    }
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* An orthonormal basis of the differences of points (Gram and Schmidt, twice over), and their coordinates in it. */
static void reduce(locality *l, scarce__points *points)
{
    const size_t d = l->d, n = points->n;

    l->r = 0;
    for (size_t i = 1; i < n; ++i) {
        double *b = l->basis + l->r * d;
        for (size_t j = 0; j < d; ++j) b[j] = points->z[i * d + j] - points->z[j];
        const double whole = product(b, b, d);
        for (int twice = 0; twice < 2; ++twice)
            for (size_t a = 0; a < l->r; ++a) {
                const double part = product(l->basis + a * d, b, d);
                for (size_t j = 0; j < d; ++j) b[j] -= part * l->basis[a * d + j];
            }
        const double left = product(b, b, d);
        if (!(left > 1e-20 * whole) || !(left > 1e-200)) continue;
        for (size_t j = 0; j < d; ++j) b[j] /= sqrt(left);
        ++l->r;
    }
    for (size_t i = 0; i < n; ++i)
        for (size_t a = 0; a < l->r; ++a)
            l->inside[i * l->r + a] =
                product(l->basis + a * d, points->z + i * d, d) - product(l->basis + a * d, points->z, d);
    points->z = l->inside;
    points->d = l->r;
}

/* Distances under M, and the order by them. */
static void arrange(locality *l)
{
    const size_t d = l->d, r = l->r;
    double *v = l->basis ? l->apart + d : l->apart; /* where M is used */

    for (size_t i = 0; i < l->n; ++i) {
        const double *z = l->z + l->rows[i].place * d;
        double sum = 0;
        for (size_t j = 0; j < d; ++j) l->apart[j] = z[j] - l->q[j];
        for (size_t j = 0; (l->basis || r == 0) && j < d; ++j) sum += l->apart[j] * l->apart[j];
        for (size_t a = 0; l->basis && a < r; ++a) v[a] = product(l->basis + a * d, l->apart, d);
        for (size_t a = 0; a < r; ++a) sum += (product(l->m + a * r, v, r) - (l->basis ? v[a] : 0)) * v[a];
        l->rows[i].square = sum > 0 ? sum : 0;
    }
    qsort(l->rows, l->n, sizeof *l->rows, nearer);
}

/* Marks the neighbourhood, copies its points together; returns which share of it was there before. */
static double choose(locality *l, scarce__points *points)
{
    const size_t d = l->d;
    size_t count[2] = {0, 0}, n = 0, same = 0;

    for (size_t i = 0; i < l->n; ++i) {
        near_row *r = &l->rows[i];
        const int chosen = count[r->side]++ < l->points;
        if (chosen) {
            same += (size_t)r->in;
            memcpy(l->some + n * d, l->z + r->place * d, d * sizeof *l->some);
            l->label[n++] = (uint8_t)r->side;
        }
        r->in = chosen;
    }
    *points = (scarce__points){l->some, l->label, n, d, NULL};
    return n ? (double)same / (double)n : 1;
}

static double vote(locality *l)
{
    const size_t k = l->p->length;
    scarce_table rows = *l->p->m->rows; /* as the distinct rows weigh */
    scarce__nearby m = *l->p->m;
    scarce__nearby_list list[SCARCE__SIDES] = {{NULL, NULL, 0}, {NULL, NULL, 0}, {NULL, NULL, 0}};
    uint32_t *number = scarce__malloc_array(2 * k, sizeof *number);
    double score = (double)NAN;

    if (!number) return score;
    size_t count[2] = {0, 0};
    for (size_t i = 0; i < l->n; ++i) {
        const int side = l->rows[i].side;
        if (count[side] == k) continue;
        l->square[(size_t)side * k + count[side]] = l->rows[i].square;
        number[(size_t)side * k + count[side]++] = l->rows[i].row;
    }
    for (int side = 0; side < 2; ++side)
        list[side] =
            (scarce__nearby_list){l->square + (size_t)side * k, number + (size_t)side * k, count[side]};
    rows.weight = l->p->weight;
    m.rows = &rows;
    score = scarce__vote_of(&m, list, 1, 0);
    scarce__free(number);
    return score;
}

double scarce__nearby_local_score(const scarce__nearby_ready *p, const float *row, uint32_t except)
{
    const scarce__nearby_local *o = &p->m->local;
    const scarce__lmnn_options lmnn = {p->m->k < o->points ? p->m->k : o->points, o->push, 1e-2, STEPS};
    scarce__points points;
    locality l;
    double score = (double)NAN, value;
    int ok = init(&l, p);

    if (ok) {
        scarce__embed_row(&p->embed, row, l.q);
        scarce__embed_map(NULL, l.d, l.q, l.d, l.value);
        for (size_t j = 0; j < l.d; ++j) l.q[j] = (double)l.value[j];
        gather(&l, SCARCE__SIDE_NEGATIVE, 0, except);
        gather(&l, SCARCE__SIDE_POSITIVE, 1, except);
        gather(&l, SCARCE__SIDE_SYNTHETIC, 1, except);
        arrange(&l);
    }
    for (int round = 0; ok && round < ROUNDS; ++round) {
        if (choose(&l, &points) >= o->stable && round > 0) break;
        if (l.basis) reduce(&l, &points);
        else l.r = l.d;
        if (points.n == 0 || l.r == 0) break; /* nothing to tell apart */
        ok = scarce__metric_lmnn(l.m, &value, &points, &lmnn, NULL, NULL) == SCARCE_OK;
        if (ok) arrange(&l);
    }
    if (ok) score = vote(&l);
    deinit(&l);
    return score;
}

/* ---- the remembered rows */

typedef struct held_job {
    const scarce__nearby_ready *p;
    double *score;
    float *rows; /* by worker */
} held_job;

static void held_task(void *arg, size_t block, int worker)
{
    enum { ROWS = 8 };
    const held_job *j = arg;
    const scarce__nearby *m = j->p->m;
    float *row = j->rows + (size_t)worker * m->rows->schema.n_features;

    for (size_t i = block * ROWS; i < m->rows->n_rows && i < (block + 1) * ROWS; ++i) {
        j->score[i] = (double)NAN;
        if (m->side[i] >= SCARCE__SIDE_SYNTHETIC) continue;
        scarce_table_row(m->rows, i, row);
        j->score[i] = scarce__nearby_local_score(j->p, row, j->p->first[i]);
    }
}

scarce_status scarce__nearby_local_held(double *score, const scarce__nearby_ready *p, scarce_context *ctx,
                                        scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    const scarce_table *t = p->m->rows;
    held_job j = {p, score, NULL};

    j.rows = scarce__malloc_array((size_t)scarce__pool_threads(pool) * t->schema.n_features, sizeof *j.rows);
    if (!j.rows) return scarce__fail_memory(err, "rows to score", 0);
    scarce__pool_run(pool, scarce__blocks(t->n_rows, 8), held_task, &j);
    scarce__free(j.rows);
    for (size_t i = 0; i < t->n_rows; ++i)
        if (p->m->side[i] < SCARCE__SIDE_SYNTHETIC && isnan(score[i]))
            return scarce__fail_memory(err, "a metric", 0);
    return SCARCE_OK;
}
