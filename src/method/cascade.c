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

typedef struct scored {
    double score;
    size_t coins; /* rows that the row stands for */
} scored;

typedef struct left {
    uint32_t *row; /* negatives that are left, in the order of the classes */
    size_t *coins; /* of each; NULL: 1 */
    size_t n;
    double *score;
    scored *sorted;
} left;

static void left_deinit(left *l)
{
    scarce__free(l->row);
    scarce__free(l->coins);
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
    if (c->first) l->coins = scarce__malloc_array(l->n, sizeof *l->coins);
    if (!l->row || !l->score || !l->sorted || (c->first && !l->coins))
        return scarce__fail_memory(err, "the negatives of a cascade", 28 * l->n);
    memcpy(l->row, c->row, l->n * sizeof *l->row);
    for (size_t i = 0; l->coins && i < l->n; ++i) l->coins[i] = c->first[i + 1] - c->first[i];
    return SCARCE_OK;
}

static int descending(const void *a, const void *b)
{
    const scored *x = a, *y = b;
    return x->score != y->score ? (x->score < y->score) - (x->score > y->score)
                                : (x->coins < y->coins) - (x->coins > y->coins);
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
    size_t all = 0, k = 0;

    for (size_t i = 0; i < l->n; ++i) {
        l->sorted[i] = (scored){l->score[i], l->coins ? l->coins[i] : 1};
        all += l->sorted[i].coins;
    }
    const double wanted = floor(f * (double)all + 0.5);
    const size_t enough = wanted < 1 ? 1 : wanted > (double)all ? all : (size_t)wanted;
    qsort(l->sorted, l->n, sizeof *l->sorted, descending);
    for (size_t sum = l->sorted[0].coins; sum < enough; sum += l->sorted[k].coins) ++k;
    return l->sorted[k].score;
}

static void drop_below(left *l, double theta)
{
    size_t n = 0;
    for (size_t k = 0; k < l->n; ++k) {
        if (!(l->score[k] >= theta)) continue;
        l->row[n] = l->row[k];
        if (l->coins) l->coins[n] = l->coins[k];
        ++n;
    }
    l->n = n;
}

/* Negatives that are left, then all positives. */
static scarce_status classes_left(scarce__classes *out, const left *l, const scarce__classes *all,
                                  scarce_error *err)
{
    const size_t negatives = all->n - all->n_positives;

    *out = (scarce__classes){.n = l->n + all->n_positives,
                             .n_positives = all->n_positives,
                             .coins = {l->n, all->n_positives},
                             .n_rows = all->n_rows};
    out->row = scarce__malloc_array(out->n, sizeof *out->row);
    out->place = scarce__malloc_array(all->n_rows, sizeof *out->place);
    if (l->coins) out->first = scarce__malloc_array(out->n + 1, sizeof *out->first);
    if (!out->row || !out->place || (l->coins && !out->first))
        return scarce__fail_memory(err, "the rows of classes", out->n * sizeof *out->row);
    memcpy(out->row, l->row, l->n * sizeof *out->row);
    memcpy(out->row + l->n, all->row + negatives, all->n_positives * sizeof *out->row);
    for (size_t i = 0; i < out->n; ++i) out->place[out->row[i]] = (uint32_t)i;
    if (!l->coins) return SCARCE_OK;
    out->coins[0] = 0;
    for (size_t i = 0; i < l->n; ++i) {
        out->first[i] = out->coins[0];
        out->coins[0] += l->coins[i];
    }
    for (size_t i = 0; i <= all->n_positives; ++i)
        out->first[l->n + i] = out->coins[0] + (all->first[negatives + i] - all->first[negatives]);
    out->coins[1] = out->first[out->n] - out->coins[0];
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
    const double p = (double)classes->coins[1], n = (double)classes->coins[0];
    const double f = m->n > 1 && p < n ? scarce__exp(scarce__ln(p / n) / (double)(m->n - 1)) : 1;
    left l;
    scarce_status st = left_init(&l, classes, err);

    m->settles = 1;

    for (size_t i = 0; st == SCARCE_OK && i < m->n && !m->cancelled; ++i)
        st = train_member(m, i, &l, f, classes, err);
    left_deinit(&l);
    return st;
}
