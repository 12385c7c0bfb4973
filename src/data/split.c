/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows train and which test.
 *
 * Without groups: the rows of each class are shuffled; the holdout takes the first fraction n_c (rounded)
 * of class c, the folds deal them out in turn. The negatives are dealt on from where the positives ended, so
 * that the sizes of the folds differ by at most one row in each class and in total.
 *
 * With groups, whole groups are placed one after the other, those with positives first, in random order.
 * Let a_c be the rows of class c in the test part so far, g_c those of the group, N_c all:
 *   holdout: a group with positives goes to test if |a_1/N_1 - fraction| shrinks by that, and by more than
 *            the negatives overshoot; a group without if |a_0/N_0 - fraction| shrinks. (The sum of the two
 *            squared distances as a rule makes positives overshoot as long as negatives are short.)
 *   folds:   to the fold k with the least sum_c g_c a_kc / N_c^2, which is what the sum of squares over all
 *            folds grows by, up to terms that are the same for every k. Ties go to the fold with fewer rows.
 * For folds large groups come first (by powers of two of their share), because the last large one would
 * spoil the balance; for the holdout they must not, or the largest group would never be tested. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"
#include "core/random.h"
#include "data/table.h"

typedef struct group {
    uint32_t code;
    uint32_t count[2]; /* rows by class */
    int bucket;        /* -log2 of its share: large groups have small buckets; 0 for the holdout */
    uint64_t key;      /* random order */
} group;

void scarce_split_deinit(scarce_split *split)
{
    if (!split) return;
    scarce__free(split->train);
    scarce__free(split->test);
    memset(split, 0, sizeof *split);
}

static scarce_status check_label(const scarce_table *table, scarce_error *err)
{
    if (table->label) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EDATA, "the table has no label; a stratified split needs one");
}

/* The two lists, ascending, from side[i]: 1 test, 0 train, anything else neither. */
static scarce_status make_lists(scarce_split *out, const uint8_t *side, size_t n, scarce_error *err)
{
    scarce_split s;

    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < n; ++i) {
        s.n_train += side[i] == 0;
        s.n_test += side[i] == 1;
    }
    if (s.n_test == 0 || s.n_train == 0)
        return scarce__fail(err, SCARCE_EDATA, "the split leaves %zu rows to train and %zu to test",
                            s.n_train, s.n_test);
    s.train = scarce__malloc_array(s.n_train, sizeof *s.train);
    s.test = scarce__malloc_array(s.n_test, sizeof *s.test);
    if (!s.train || !s.test) {
        scarce_split_deinit(&s);
        return scarce__fail_memory(err, "a split", n * sizeof *s.train);
    }
    s.n_train = s.n_test = 0;
    for (size_t i = 0; i < n; ++i) {
        if (side[i] == 0) s.train[s.n_train++] = (uint32_t)i;
        else if (side[i] == 1) s.test[s.n_test++] = (uint32_t)i;
    }
    *out = s;
    return SCARCE_OK;
}

/* Row numbers, the positives first, each class shuffled. NULL: out of memory. */
static uint32_t *shuffle_classes(const scarce_table *t, scarce__random *random)
{
    uint32_t *rows = scarce__malloc_array(t->n_rows, sizeof *rows);
    size_t positive = 0, negative = t->n_positives;

    if (!rows) return NULL;
    for (size_t i = 0; i < t->n_rows; ++i) rows[t->label[i] ? positive++ : negative++] = (uint32_t)i;
    scarce__shuffle_u32(random, rows, t->n_positives);
    scarce__shuffle_u32(random, rows + t->n_positives, t->n_rows - t->n_positives);
    return rows;
}

static int compare_groups(const void *a, const void *b)
{
    const group *x = a, *y = b;
    const int px = x->count[1] > 0, py = y->count[1] > 0;

    if (px != py) return py - px;
    if (x->bucket != y->bucket) return x->bucket < y->bucket ? -1 : 1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

/* The groups that have rows, in the order in which they are placed. NULL: out of memory. */
static group *order_groups(const scarce_table *t, size_t *n_groups, int large_first, scarce__random *random)
{
    const double n_pos = (double)t->n_positives, n_neg = (double)(t->n_rows - t->n_positives);
    group *groups = scarce__calloc(t->groups.count, sizeof *groups);
    size_t n = 0;

    if (!groups) return NULL;
    for (size_t i = 0; i < t->n_rows; ++i) ++groups[t->group[i]].count[t->label[i]];
    for (size_t g = 0; g < t->groups.count; ++g) {
        group item = groups[g];
        if (item.count[0] + item.count[1] == 0) continue;
        item.code = (uint32_t)g;
        item.key = scarce__random_u64(random);
        if (large_first) {
            double share = 0;
            if (item.count[0]) share += item.count[0] / n_neg;
            if (item.count[1]) share += item.count[1] / n_pos;
            item.bucket = -ilogb(share);
        }
        groups[n++] = item;
    }
    qsort(groups, n, sizeof *groups, compare_groups);
    *n_groups = n;
    return groups;
}

/* How far the test part is from its share of class c. */
static double distance(double rows, double total, double fraction)
{
    return total > 0 ? fabs(rows / total - fraction) : 0;
}

/* Does the group bring the test part, which holds a[], nearer to its share? */
static int helps(const double *a, const uint32_t *count, const double *total, double fraction)
{
    const int c = count[1] > 0;
    const double gain = distance(a[c], total[c], fraction) - distance(a[c] + count[c], total[c], fraction);
    double overshoot;

    if (c == 0) return gain > 0;
    overshoot = total[0] > 0 ? (a[0] + count[0]) / total[0] - fraction : 0;
    if (overshoot > count[0] / total[0]) overshoot = count[0] / total[0]; /* what this group adds to it */
    return gain > 0 && gain > overshoot;
}

/* side_of[code] = 1 for the groups that go to test. At least one does, at least one does not. */
static void place_holdout(uint8_t *side_of, const group *groups, size_t n, const double *total,
                          double fraction)
{
    double a[2] = {0, 0}, least = INFINITY;
    size_t placed = 0, best = 0;

    for (size_t g = 0; g < n && placed + 1 < n; ++g) {
        if (!helps(a, groups[g].count, total, fraction)) continue;
        side_of[groups[g].code] = 1;
        a[0] += groups[g].count[0];
        a[1] += groups[g].count[1];
        ++placed;
    }
    if (placed > 0) return;
    /* Every group is too large: the one that misses the share least, the first of equals. */
    for (size_t g = 0; g < n; ++g) {
        const double d = distance(groups[g].count[0], total[0], fraction) +
                         distance(groups[g].count[1], total[1], fraction);
        if (d < least) {
            least = d;
            best = g;
        }
    }
    side_of[groups[best].code] = 1;
}

static size_t best_fold(const double *held, size_t folds, const uint32_t *count, const double *total)
{
    size_t best = 0;
    double least = INFINITY, rows = INFINITY;

    for (size_t k = 0; k < folds; ++k) {
        const double *a = held + 2 * k;
        double cost = 0;
        for (int c = 0; c < 2; ++c)
            if (count[c]) cost += (count[c] / total[c]) * (a[c] / total[c]);
        if (cost < least || (cost == least && a[0] + a[1] < rows)) {
            best = k;
            least = cost;
            rows = a[0] + a[1];
        }
    }
    return best;
}

/* side_of[code] = 1 for the groups of fold `fold`. 0: out of memory. */
static int place_folds(uint8_t *side_of, const group *groups, size_t n, const double *total, size_t folds,
                       size_t fold)
{
    double *held = scarce__calloc(folds, 2 * sizeof *held);

    if (!held) return 0;
    for (size_t g = 0; g < n; ++g) {
        const size_t k = best_fold(held, folds, groups[g].count, total);
        held[2 * k] += groups[g].count[0];
        held[2 * k + 1] += groups[g].count[1];
        side_of[groups[g].code] = k == fold;
    }
    scarce__free(held);
    return 1;
}

/* folds = 0: holdout with `fraction`. Writes side[i] = 1 for test rows. */
static scarce_status sides_of_groups(uint8_t *side, const scarce_table *t, size_t folds, size_t fold,
                                     double fraction, scarce__random *random, scarce_error *err)
{
    const size_t needed = folds ? folds : 2;
    const double total[2] = {(double)(t->n_rows - t->n_positives), (double)t->n_positives};
    scarce_status st = SCARCE_ENOMEM;
    size_t n = 0;
    group *groups = order_groups(t, &n, folds > 0, random);
    uint8_t *side_of = scarce__calloc(t->groups.count, 1);

    if (!groups || !side_of) goto done;
    if (n < needed) {
        st = scarce__fail(err, SCARCE_EDATA, "%zu groups, at least %zu are needed for this split", n, needed);
        goto done;
    }
    if (folds == 0) place_holdout(side_of, groups, n, total, fraction);
    else if (!place_folds(side_of, groups, n, total, folds, fold)) goto done;
    for (size_t i = 0; i < t->n_rows; ++i) side[i] = side_of[t->group[i]];
    st = SCARCE_OK;
done:
    if (st == SCARCE_ENOMEM) scarce__fail_memory(err, "the groups of a split", 0);
    scarce__free(groups);
    scarce__free(side_of);
    return st;
}

static scarce_status sides_of_rows(uint8_t *side, const scarce_table *t, size_t folds, size_t fold,
                                   double fraction, scarce__random *random, scarce_error *err)
{
    const size_t n_pos = t->n_positives, n_neg = t->n_rows - n_pos;
    uint32_t *rows;

    if (t->n_rows < folds)
        return scarce__fail(err, SCARCE_EDATA, "%zu rows are too few for %zu folds", t->n_rows, folds);
    rows = shuffle_classes(t, random);
    if (!rows) return scarce__fail_memory(err, "a split", t->n_rows * sizeof *rows);
    if (folds) {
        for (size_t i = 0; i < t->n_rows; ++i) side[rows[i]] = i % folds == fold;
    } else {
        /* halves: positives stay in training, which can do nothing without any; negatives make up for it */
        const size_t k_pos = (size_t)ceil(fraction * (double)n_pos - 0.5);
        const size_t k_neg = (size_t)floor(fraction * (double)n_neg + 0.5);
        for (size_t i = 0; i < t->n_rows; ++i) side[rows[i]] = i < n_pos ? i < k_pos : i - n_pos < k_neg;
    }
    scarce__free(rows);
    return SCARCE_OK;
}

static scarce_status split(scarce_split *out, const scarce_table *t, size_t folds, size_t fold,
                           double fraction, uint64_t repeat, const scarce_context *ctx, scarce_error *err)
{
    scarce__random random = scarce__random_start(scarce_context_seed(ctx), SCARCE__FOR_SPLIT, repeat);
    scarce_status st;
    uint8_t *side;

    SCARCE__TRY(check_label(t, err));
    side = scarce__malloc(t->n_rows);
    if (!side) return scarce__fail_memory(err, "a split", t->n_rows);
    if (t->group) st = sides_of_groups(side, t, folds, fold, fraction, &random, err);
    else st = sides_of_rows(side, t, folds, fold, fraction, &random, err);
    if (st == SCARCE_OK) st = make_lists(out, side, t->n_rows, err);
    scarce__free(side);
    return st;
}

scarce_status scarce_split_holdout(scarce_split *out, const scarce_table *table, double fraction,
                                   uint64_t repeat, const scarce_context *ctx, scarce_error *err)
{
    memset(out, 0, sizeof *out);
    if (!(fraction > 0 && fraction < 1))
        return scarce__fail(err, SCARCE_EINVAL, "test fraction %g, expected a number between 0 and 1",
                            fraction);
    return split(out, table, 0, 0, fraction, repeat, ctx, err);
}

scarce_status scarce_split_fold(scarce_split *out, const scarce_table *table, size_t folds, size_t fold,
                                uint64_t repeat, const scarce_context *ctx, scarce_error *err)
{
    memset(out, 0, sizeof *out);
    if (folds < 2) return scarce__fail(err, SCARCE_EINVAL, "%zu folds, at least 2 are needed", folds);
    if (fold >= folds)
        return scarce__fail(err, SCARCE_EINVAL, "fold %zu of %zu (they count from 0)", fold, folds);
    return split(out, table, folds, fold, 0, repeat, ctx, err);
}

static scarce_status check_period(const scarce_temporal *p, scarce_error *err)
{
    if (!isfinite(p->start))
        return scarce__fail(err, SCARCE_EINVAL, "start %g of a temporal split", p->start);
    if (!(p->train > 0) || isinf(p->train))
        return scarce__fail(err, SCARCE_EINVAL, "training span %g, expected a number above 0", p->train);
    if (!(p->gap >= 0) || isinf(p->gap))
        return scarce__fail(err, SCARCE_EINVAL, "gap %g, expected a number from 0 up", p->gap);
    if (!(p->test > 0) || isinf(p->test))
        return scarce__fail(err, SCARCE_EINVAL, "test span %g, expected a number above 0", p->test);
    return SCARCE_OK;
}

/* Takes the test rows out whose group had a positive before `until`. 0: out of memory. */
static int purge_known(uint8_t *side, const scarce_table *t, double until)
{
    uint8_t *known = scarce__calloc(t->groups.count, 1);

    if (!known) return 0;
    for (size_t i = 0; i < t->n_rows; ++i)
        if (t->label[i] && t->time[i] < until) known[t->group[i]] = 1;
    for (size_t i = 0; i < t->n_rows; ++i)
        if (side[i] == 1 && known[t->group[i]]) side[i] = 2;
    scarce__free(known);
    return 1;
}

scarce_status scarce_split_temporal(scarce_split *out, const scarce_table *table,
                                    const scarce_temporal *period, scarce_error *err)
{
    scarce_temporal p = SCARCE_TEMPORAL_INIT;
    scarce_status st;
    uint8_t *side;

    memset(out, 0, sizeof *out);
    SCARCE__TRY(SCARCE__OPTIONS(&p, period, SCARCE_TEMPORAL_INIT, err));
    SCARCE__TRY(check_period(&p, err));
    if (!table->time)
        return scarce__fail(err, SCARCE_EDATA, "the table has no time role; a temporal split needs one");
    if (p.purge_known && (!table->group || !table->label))
        return scarce__fail(err, SCARCE_EDATA, "the table has no %s role; leaving out known groups needs one",
                            table->group ? "label" : "group");
    side = scarce__malloc(table->n_rows);
    if (!side) return scarce__fail_memory(err, "a split", table->n_rows);
    const double train_end = p.start + p.train, test_start = train_end + p.gap,
                 test_end = test_start + p.test;
    for (size_t i = 0; i < table->n_rows; ++i) { /* a missing time is in neither period */
        const double t = table->time[i];
        side[i] = t >= p.start && t < train_end ? 0 : t >= test_start && t < test_end ? 1 : 2;
    }
    if (p.purge_known && !purge_known(side, table, train_end)) st = scarce__fail_memory(err, "a split", 0);
    else st = make_lists(out, side, table->n_rows, err);
    scarce__free(side);
    if (st == SCARCE_EDATA)
        scarce__fail_prefix(err, "train from %g to %g, test from %g to %g: ", p.start, train_end, test_start,
                            test_end);
    return st;
}

/* The k-th smallest by Hoare's selection. Times repeat, so those equal to the pivot are a part of their own. */
static double kth(double *x, size_t n, size_t k)
{
    while (n > 1) {
        const double a = x[0], b = x[n / 2], c = x[n - 1];
        const double pivot = (a < b) == (b < c) ? b : (a < c) == (c < b) ? c : a;
        size_t below = 0, at = 0, above = n;
        while (at < above) {
            const double value = x[at];
            if (value < pivot) x[at++] = x[below], x[below++] = value;
            else if (value > pivot) x[at] = x[--above], x[above] = value;
            else ++at;
        }
        if (k < below) n = below;
        else if (k < above) return pivot;
        else x += above, n -= above, k -= above;
    }
    return *x;
}

double scarce_split_moment(double *time, size_t n, double fraction)
{
    return n ? kth(time, n, n - 1 - (size_t)(fraction * (double)(n - 1))) : NAN;
}

scarce_status scarce_split_latest(scarce_split *out, const scarce_table *table, double fraction,
                                  scarce_error *err)
{
    const size_t n = table->n_rows;
    double *times, cut;
    uint8_t *side;
    scarce_status st;

    memset(out, 0, sizeof *out);
    if (!(fraction > 0 && fraction < 1))
        return scarce__fail(err, SCARCE_EINVAL, "fraction is %g, it must lie between 0 and 1", fraction);
    if (!table->time)
        return scarce__fail(err, SCARCE_EDATA, "the table has no time role; a split by time needs one");
    times = scarce__malloc_array(n, sizeof *times);
    side = scarce__malloc(n);
    if (!times || !side) {
        scarce__free(times);
        scarce__free(side);
        return scarce__fail_memory(err, "a split", n * sizeof *times);
    }
    memcpy(times, table->time, n * sizeof *times);
    cut = scarce_split_moment(times, n, fraction);
    for (size_t i = 0; i < n; ++i) side[i] = table->time[i] >= cut;
    st = make_lists(out, side, n, err);
    scarce__free(times);
    scarce__free(side);
    return st;
}
