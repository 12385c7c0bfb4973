/* SPDX-License-Identifier: Apache-2.0 */
/* One sorted walk over a column, from which everything that is said about it follows.
 *
 * Rows are sorted by value (radix over 64-bit elements: key of the value, then the row). Rows of one value
 * form a group; a group is known by a few sums over its rows, so that the zeros of a sparse column, which are
 * not listed, are a group as well: all rows less those that are listed. With B rows and b positives before a
 * group of g rows and p positives, M rows and P positives in all:
 *     AUC     = sum of p (B - b + (g - p) / 2) / (P (M - P))
 *     AP high = sum of p/P (P - b) / (M - B)              (the group and all above it)
 *     AP low  = sum of p/P (b + p) / (B + g)
 *     Spearman's with the order of time, from the sum of the places of the group's rows
 *     PSI     = sum over bins of (e - l) ln(e / l) for the shares e of the first and l of the last quarter
 *               less what chance gives, (bins - 1) (1/rows of the first + 1/rows of the last)
 * A category is scored by the share of positives it has in the other half of the data, so that one of a
 * single row is worth nothing. */
#include "study/doctor_column.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/random.h"
#include "core/simd.h"
#include "core/sort.h"
#include "data/profile.h"

enum { DECILES = 10, CATEGORY_BINS = 100, AHEAD = 24 };

static void add_row(const scarce_doctor *d, scarce__doctor_sums *s, uint32_t row)
{
    const unsigned mark = d->mark[row];
    const double place = (double)d->place[row] - 0.5 * (double)(d->table->n_rows - 1);
    const size_t positive = mark & SCARCE__MARK_POSITIVE, half = (mark & SCARCE__MARK_HALF) != 0;
    ++s->rows;
    s->positives += positive;
    s->early += (mark & SCARCE__MARK_EARLY) != 0;
    s->late += (mark & SCARCE__MARK_LATE) != 0;
    s->half_rows += half;
    s->half_positives += half & positive;
    s->place += place;
    s->place2 += place * place;
    s->hash += scarce__mix64((uint64_t)row + 1);
}

static scarce__doctor_sums minus(scarce__doctor_sums a, const scarce__doctor_sums *b)
{
    a.rows -= b->rows;
    a.positives -= b->positives;
    a.early -= b->early;
    a.late -= b->late;
    a.half_rows -= b->half_rows;
    a.half_positives -= b->half_positives;
    a.place -= b->place;
    a.place2 -= b->place2;
    a.hash -= b->hash;
    return a;
}

scarce__doctor_sums scarce__doctor_sum_all(const scarce_doctor *d)
{
    scarce__doctor_sums s;
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < d->table->n_rows; ++i) add_row(d, &s, (uint32_t)i);
    return s;
}

/* ---- the walk */

typedef struct walk {
    scarce__doctor_facts *facts;
    scarce__doctor_sums all; /* of the rows with a value */
    int category;
    size_t rows, positives, early; /* before the group */
    double pairs, high, low;       /* sums of AUC and AP */
    double ties;                   /* of t^3 - t */
    double rank_place, rank2;      /* of Spearman */
    double early_bin[CATEGORY_BINS], late_bin[CATEGORY_BINS];
    size_t bins;
    double bin_early, bin_late; /* of the bin that is being filled, or of the rare categories */
    size_t bin_begin;           /* rows of the first quarter before it */
    size_t unseen;
    double unseen_by_chance;
} walk;

static void close_bin(walk *w)
{
    w->early_bin[w->bins] = w->bin_early;
    w->late_bin[w->bins++] = w->bin_late;
    w->bin_early = w->bin_late = 0;
}

/* Numbers: a bin ends where another tenth of the first quarter is reached. Categories: those with 1 % of
 * the rows compared have a bin of their own. */
static void take_bin(walk *w, const scarce__doctor_sums *g)
{
    if (w->category) {
        if (g->late == g->rows) w->unseen += g->rows;
        w->unseen_by_chance +=
            (double)g->rows *
            scarce__exp((double)g->rows * scarce__ln((double)w->all.late / (double)w->all.rows));
        if (100 * (g->early + g->late) >= w->all.early + w->all.late && w->bins + 2 < CATEGORY_BINS) {
            w->early_bin[w->bins] = (double)g->early;
            w->late_bin[w->bins++] = (double)g->late;
            return;
        }
    }
    w->bin_early += (double)g->early;
    w->bin_late += (double)g->late;
    if (w->category || w->all.early == 0) return;
    const size_t tenth = w->bin_begin * DECILES / w->all.early;
    if ((w->early + g->early) * DECILES / w->all.early > tenth && w->early + g->early < w->all.early) {
        close_bin(w);
        w->bin_begin = w->early + g->early;
    }
}

static void take_quantile(double *to, double share, const walk *w, size_t rows, double value)
{
    const size_t at = (size_t)(share * (double)(w->all.rows - 1) + 0.5);
    if (at >= w->rows && at < w->rows + rows) *to = value;
}

static void take_value(walk *w, const scarce__doctor_sums *g, double value)
{
    scarce__doctor_facts *x = w->facts;
    const scarce__doctor_value v = {value, g->rows, g->positives};
    ++x->distinct;
    if (g->rows > x->top.rows) x->top = v;
    if (20 * g->positives >= 19 * g->rows && g->positives > x->pure.positives) x->pure = v;
    if (w->category) return;
    if (isinf(value)) x->infinite += g->rows;
    else {
        x->low = value < x->low ? value : x->low;
        x->high = value > x->high ? value : x->high;
    }
    if (value != floor(value)) x->whole = 0;
    if (fabs(value) >= 16777216) x->beyond_exact += g->rows;
    take_quantile(&x->p05, 0.05, w, g->rows, value);
    take_quantile(&x->p50, 0.50, w, g->rows, value);
    take_quantile(&x->p95, 0.95, w, g->rows, value);
}

static void take_group(walk *w, const scarce__doctor_sums *g, double value)
{
    const double n = (double)g->rows, p = (double)g->positives;
    const double rank = (double)w->rows + 0.5 * (n - (double)w->all.rows); /* from the middle */

    if (g->rows == 0) return;
    if (g->positives) {
        const double before = (double)(w->rows - w->positives);
        w->pairs += p * (before + 0.5 * (n - p));
        w->high += p * (double)(w->all.positives - w->positives) / (double)(w->all.rows - w->rows);
        w->low += p * (double)(w->positives + g->positives) / (double)(w->rows + g->rows);
    }
    w->ties += n * (n * n - 1);
    w->rank_place += rank * g->place;
    w->rank2 += n * rank * rank;
    w->facts->parts += scarce__mix64(g->hash);
    w->facts->rising += scarce__mix64(g->hash + 0x9e3779b97f4a7c15u * (w->rows + 1));
    w->facts->falling += scarce__mix64(g->hash + 0x9e3779b97f4a7c15u * (w->all.rows - w->rows - g->rows + 1));
    take_value(w, g, value);
    take_bin(w, g);
    w->rows += g->rows;
    w->positives += g->positives;
    w->early += g->early;
}

/* ---- what follows from the sums */

static void finish_psi(walk *w, const scarce__doctor_sums *missing)
{
    if (w->bin_early + w->bin_late > 0) close_bin(w);
    if (missing->early + missing->late > 0 && w->bins < CATEGORY_BINS) {
        w->early_bin[w->bins] = (double)missing->early;
        w->late_bin[w->bins++] = (double)missing->late;
    }
    w->facts->psi_bins = w->bins;
    w->facts->psi = scarce__psi(w->early_bin, w->late_bin, w->bins);
    if (isnan(w->facts->psi)) return;
    if (!w->category || w->all.late == 0) return;
    w->facts->unseen = (double)w->unseen / (double)w->all.late;
    w->facts->unseen_by_chance = w->unseen_by_chance / (double)w->all.late;
}

/* Normal deviate of an AUC of M rows with P positives under no relation, with sum of t^3 - t over ties. */
static double deviate(double auc, double rows, double positives, double ties)
{
    const double negatives = rows - positives;
    const double variance = (rows + 1 - ties / (rows * (rows - 1))) / (12 * positives * negatives);
    return variance > 0 ? (auc - 0.5) / sqrt(variance) : 0;
}

static void finish(walk *w, const scarce__doctor_sums *missing)
{
    scarce__doctor_facts *x = w->facts;
    const double m = (double)w->all.rows, p = (double)w->all.positives, q = m - p;
    const double place2 = w->all.place2 - w->all.place * w->all.place / m;

    x->present = w->all.rows;
    x->positives = w->all.positives;
    x->auc = x->ap_high = x->ap_low = (double)NAN;
    x->auc_z = x->rank_with_order = 0;
    if (p > 0 && q > 0) {
        x->auc = w->pairs / (p * q);
        x->ap_high = w->high / p;
        x->ap_low = w->low / p;
        x->auc_z = deviate(x->auc, m, p, w->ties);
    }
    if (w->rank2 > 0 && place2 > 0) x->rank_with_order = w->rank_place / sqrt(w->rank2 * place2);
    finish_psi(w, missing);
}

/* ---- categories scored by their other half */

typedef struct scored_part {
    double score;
    size_t rows, positives;
} scored_part;

static void score_parts(scored_part *two, const scarce__doctor_sums *g, double base)
{
    const double prior = 10; /* rows of the base rate that a category has to outweigh */
    const size_t rows[2] = {g->rows - g->half_rows, g->half_rows};
    const size_t positives[2] = {g->positives - g->half_positives, g->half_positives};
    for (int h = 0; h < 2; ++h) {
        two[h].rows = rows[h];
        two[h].positives = positives[h];
        two[h].score = ((double)positives[1 - h] + prior * base) / ((double)rows[1 - h] + prior);
    }
}

static int by_score(const void *a, const void *b)
{
    const double x = ((const scored_part *)a)->score, y = ((const scored_part *)b)->score;
    return (x > y) - (x < y);
}

static void judge_parts(scarce__doctor_facts *x, scored_part *part, size_t n)
{
    const double m = (double)x->present, p = (double)x->positives;
    size_t rows = 0, positives = 0;
    double pairs = 0, high = 0, ties = 0;

    if (!(p > 0 && m > p)) return;
    qsort(part, n, sizeof *part, by_score);
    for (size_t i = 0, j; i < n; i = j) {
        size_t r = 0, s = 0;
        for (j = i; j < n && !(part[j].score > part[i].score); ++j) {
            r += part[j].rows;
            s += part[j].positives;
        }
        if (r == 0) continue;
        pairs += (double)s * ((double)(rows - positives) + 0.5 * (double)(r - s));
        high += (double)s * (double)(x->positives - positives) / (double)(x->present - rows);
        ties += (double)r * ((double)r * (double)r - 1);
        rows += r;
        positives += s;
    }
    x->auc = pairs / (p * (m - p));
    x->ap_high = high / p;
    x->ap_low = (double)NAN;
    x->auc_z = deviate(x->auc, m, p, ties);
}

/* ---- columns of each kind */

static void start(walk *w, scarce__doctor_facts *x, const scarce__doctor_sums *present, int category)
{
    memset(w, 0, sizeof *w);
    w->facts = x;
    w->all = *present;
    w->category = category;
    x->low = (double)INFINITY;
    x->high = (double)-INFINITY;
    x->whole = !category;
}

static double value_of(uint64_t element, int category)
{
    const uint32_t key = (uint32_t)(element >> 32);
    return category ? (double)key : (double)scarce__key_float(key);
}

/* Groups of sorted elements, and the rows that are not listed (zeros of a sparse column) in their place. */
static void walk_groups(walk *w, const scarce_doctor *d, const uint64_t *e, size_t n,
                        const scarce__doctor_sums *unlisted, scored_part *parts)
{
    const uint32_t zero = scarce__float_key(0);
    const double base = w->all.rows ? (double)w->all.positives / (double)w->all.rows : 0;
    int done = unlisted->rows == 0;
    size_t n_parts = 0;

    for (size_t i = 0, j; i < n; i = j) {
        const uint32_t key = (uint32_t)(e[i] >> 32);
        scarce__doctor_sums g;
        if (!done && key > zero) {
            take_group(w, unlisted, 0);
            done = 1;
        }
        memset(&g, 0, sizeof g);
        for (j = i; j < n && (uint32_t)(e[j] >> 32) == key; ++j) {
            if (j + AHEAD < n) { /* rows in the order of their values lie all over the memory */
                SCARCE__PREFETCH(&d->place[(uint32_t)e[j + AHEAD]]);
                SCARCE__PREFETCH(&d->mark[(uint32_t)e[j + AHEAD]]);
            }
            add_row(d, &g, (uint32_t)e[j]);
        }
        take_group(w, &g, value_of(e[i], w->category));
        if (parts) score_parts(parts + 2 * n_parts++, &g, base);
    }
    if (!done) take_group(w, unlisted, 0);
}

int scarce__doctor_look_at(const scarce_doctor *d, size_t f, const scarce__doctor_sums *all,
                           scarce__doctor_scratch *s)
{
    const scarce_table *t = d->table;
    const scarce_column_kind kind = t->schema.features[f].kind;
    const scarce__column *column = &t->columns[f];
    const int category = kind == SCARCE_COLUMN_CATEGORY, sparse = kind == SCARCE_COLUMN_SPARSE;
    const size_t listed = sparse ? column->sparse.count : t->n_rows;
    const float *values = sparse ? column->sparse.value : column->number;
    scarce__doctor_sums missing, unlisted, present;
    scored_part *parts = NULL;
    size_t n = 0;
    walk w;

    memset(&missing, 0, sizeof missing);
    memset(&unlisted, 0, sizeof unlisted);
    if (sparse) unlisted = *all;
    for (size_t i = 0; i < listed; ++i) {
        const uint32_t row = sparse ? column->sparse.row[i] : (uint32_t)i;
        const int absent = category ? column->code[i] < 0 : isnan(values[i]);
        if (absent) add_row(d, &missing, row);
        else
            s->a[n++] =
                (uint64_t)(category ? (uint32_t)column->code[i] : scarce__float_key(values[i])) << 32 | row;
    }
    present = minus(*all, &missing);
    if (sparse) {
        scarce__doctor_sums shown;
        memset(&shown, 0, sizeof shown);
        for (size_t i = 0; i < n; ++i) add_row(d, &shown, (uint32_t)s->a[i]);
        unlisted = minus(present, &shown);
    }
    scarce__sort_keys(s->a, s->b, n, s->counts, NULL);
    if (category) {
        parts = scarce__malloc_array(2 * t->schema.features[f].categories.count + 2, sizeof *parts);
        if (!parts) return 0;
    }
    start(&w, &d->facts[f], &present, category);
    walk_groups(&w, d, s->a, n, &unlisted, parts);
    if (present.rows > 0) finish(&w, &missing);
    else d->facts[f].auc = d->facts[f].ap_high = d->facts[f].ap_low = d->facts[f].psi = (double)NAN;
    if (category) judge_parts(&d->facts[f], parts, 2 * d->facts[f].distinct);
    scarce__free(parts);
    return 1;
}
