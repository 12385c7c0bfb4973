/* SPDX-License-Identifier: Apache-2.0 */
/* BalanceCascade. Member i of T learns from all positives and as many of the negatives that are left; its threshold
 * theta_i is where the share f = (P/N)^(1/(T-1)) of them lies above, and those below are dropped: after T - 1 members
 * as many negatives are left as there are positives. Score = sum over members of (score - theta_i).
 *
 * Liu, Wu and Zhou: Exploratory undersampling for class-imbalance learning, IEEE SMC B 39 (2009).
 *
 * Scores equal to theta stay. A member that comes from a checkpoint has its threshold; what it dropped is dropped
 * again. */
#include "method/cascade.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "data/table.h"
#include "method/members_inside.h"

typedef struct left {
    uint32_t *row; /* negatives that are left, ascending */
    size_t n;
    double *score, *sorted;
} left;

static void left_deinit(left *l)
{
    scarce__free(l->row);
    scarce__free(l->score);
    scarce__free(l->sorted);
}

static scarce_status left_init(left *l, const scarce__classes *c, scarce_error *err)
{
    memset(l, 0, sizeof *l);
    l->n = c->n - c->n_positives;
    l->row = scarce__malloc_array(l->n, sizeof *l->row);
    l->score = scarce__malloc_array(l->n, sizeof *l->score);
    l->sorted = scarce__malloc_array(l->n, sizeof *l->sorted);
    if (!l->row || !l->score || !l->sorted) return scarce__fail_memory(err, "the negatives of a cascade", 20 * l->n);
    memcpy(l->row, c->row, l->n * sizeof *l->row);
    return SCARCE_OK;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static scarce_status score_left(left *l, const scarce__members *m, size_t i, scarce_error *err)
{
    const scarce__job *job = m->job;
    scarce_table *negatives = NULL;
    scarce_status st = scarce_table_rows_of(&negatives, job->table, l->row, l->n, job->ctx, err);

    if (st == SCARCE_OK) st = scarce__member_score(l->score, &m->member[i], negatives, job->ctx, err);
    scarce_table_free(negatives);
    return st;
}

/* The score above which, and at which, the share f of the negatives lies. */
static double threshold_of(left *l, double f)
{
    const double wanted = floor(f * (double)l->n + 0.5);
    const size_t k = wanted < 1 ? 1 : wanted > (double)l->n ? l->n : (size_t)wanted;

    memcpy(l->sorted, l->score, l->n * sizeof *l->sorted);
    qsort(l->sorted, l->n, sizeof *l->sorted, descending);
    return l->sorted[k - 1];
}

static void drop_below(left *l, double theta)
{
    size_t n = 0;
    for (size_t k = 0; k < l->n; ++k)
        if (l->score[k] >= theta) l->row[n++] = l->row[k];
    l->n = n;
}

/* Negatives that are left, then all positives. */
static scarce_status classes_left(scarce__classes *out, const left *l, const scarce__classes *all, scarce_error *err)
{
    out->n_positives = all->n_positives;
    out->n = l->n + all->n_positives;
    out->row = scarce__malloc_array(out->n, sizeof *out->row);
    if (!out->row) return scarce__fail_memory(err, "the rows of classes", out->n * sizeof *out->row);
    memcpy(out->row, l->row, l->n * sizeof *out->row);
    memcpy(out->row + l->n, all->row + (all->n - all->n_positives), all->n_positives * sizeof *out->row);
    return SCARCE_OK;
}

static scarce_status train_member(scarce__members *m, size_t i, left *l, double f, const scarce__classes *all,
                                  scarce_error *err)
{
    const int known = m->member[i].done;
    scarce__classes now = {0};
    scarce_status st = SCARCE_OK;

    if (!known) {
        st = classes_left(&now, l, all, err);
        m->classes = &now;
        if (st == SCARCE_OK) st = scarce__members_train(m, i, 1, err);
        m->classes = all;
        scarce__classes_deinit(&now);
    }
    if (st != SCARCE_OK || !m->member[i].learnt) return st;
    SCARCE__TRY(score_left(l, m, i, err));
    if (!known) m->member[i].shift = -threshold_of(l, f);
    m->member[i].done = 1;
    drop_below(l, -m->member[i].shift);
    return known ? SCARCE_OK : scarce__members_save(m, err);
}

scarce_status scarce__cascade_train(scarce__members *m, const scarce__classes *classes, scarce_error *err)
{
    const double p = (double)classes->n_positives, n = (double)(classes->n - classes->n_positives);
    const double f = m->n > 1 && p < n ? scarce__exp(scarce__ln(p / n) / (double)(m->n - 1)) : 1;
    left l;
    scarce_status st = left_init(&l, classes, err);

    m->settles = 1;

    for (size_t i = 0; st == SCARCE_OK && i < m->n && !m->cancelled; ++i)
        st = train_member(m, i, &l, f, classes, err);
    left_deinit(&l);
    return st;
}
