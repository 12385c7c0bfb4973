/* SPDX-License-Identifier: Apache-2.0 */
/* Who is early and who is late: the place of every row in the order of time, its quarter, and two halves of
 * the data for what must be judged on other rows than it was learnt from.
 *
 * The quarters end at moments, so rows of one moment are in one quarter; where more than half of the rows
 * share a moment there are none. The halves are parted by time, so that an entity (a card, a terminal) that
 * was fraudulent for a while does not vouch for itself; without a time role by group; else at random. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/random.h"
#include "eval/rank.h"
#include "study/doctor.h"

enum { FEWEST_ROWS = 40 }; /* below, a quarter says nothing */

static void mark_quarters(scarce_doctor *d, const double *minus_time, const uint32_t *order)
{
    const size_t n = d->table->n_rows;
    if (n < FEWEST_ROWS) return;
    const double first_ends = -minus_time[order[n / 4 - 1]], last_begins = -minus_time[order[n - n / 4]];
    if (!(first_ends < last_begins)) return;
    for (size_t i = 0; i < n; ++i) {
        const double t = d->table->time[i];
        if (t <= first_ends) {
            d->mark[i] |= SCARCE__MARK_EARLY;
            ++d->early;
        } else if (t >= last_begins) {
            d->mark[i] |= SCARCE__MARK_LATE;
            ++d->late;
        }
    }
}

static scarce_status order_by_time(scarce_doctor *d, scarce_context *ctx, scarce_error *err)
{
    const size_t n = d->table->n_rows;
    scarce__ranking r;
    double *minus = scarce__malloc_array(n, sizeof *minus);
    scarce_status st;

    if (!minus) return scarce__fail_memory(err, "the order of time", n * sizeof *minus);
    for (size_t i = 0; i < n; ++i) /* a missing time counts as the first */
        minus[i] = isnan(d->table->time[i]) ? (double)INFINITY : -d->table->time[i];
    st = scarce__rank(&r, minus, n, "time", scarce__context_pool(ctx), err);
    if (st == SCARCE_OK) {
        for (size_t k = 0; k < n; ++k) {
            d->place[r.order[k]] = (uint32_t)k;
            if (k >= n / 2) d->mark[r.order[k]] |= SCARCE__MARK_HALF;
        }
        mark_quarters(d, minus, r.order);
        scarce__ranking_deinit(&r);
    }
    scarce__free(minus);
    return st;
}

scarce_status scarce__doctor_order(scarce_doctor *d, scarce_context *ctx, scarce_error *err)
{
    const scarce_table *t = d->table;
    const uint64_t key = scarce__key(scarce_context_seed(ctx), SCARCE__FOR_SPLIT, (uint64_t)-1);

    d->place = scarce__malloc_array(t->n_rows + 1, sizeof *d->place);
    d->mark = scarce__calloc(t->n_rows + 1, sizeof *d->mark);
    if (!d->place || !d->mark) return scarce__fail_memory(err, "the order of the rows", t->n_rows * 5);
    for (size_t i = 0; i < t->n_rows; ++i) {
        d->place[i] = (uint32_t)i;
        if (t->label && t->label[i]) d->mark[i] |= SCARCE__MARK_POSITIVE;
    }
    if (t->time) return order_by_time(d, ctx, err);
    for (size_t i = 0; i < t->n_rows; ++i)
        if (scarce__hash(key, t->group ? (uint64_t)t->group[i] : i) & 1) d->mark[i] |= SCARCE__MARK_HALF;
    return SCARCE_OK;
}
