/* SPDX-License-Identifier: Apache-2.0 */
/* The best split of a leaf on one feature, over its sorted rows.
 *
 * Between any two different neighbours there is a candidate, its threshold their midpoint (x <= t goes left);
 * missing rows are tried on either side, and alone on the right (threshold infinite). Categories stand in
 * the order of their share of positives (Newton: of G / (H + smooth)), missing being one of them, and every
 * prefix is a candidate. Candidates are valued in blocks. Among equal gains the first wins: missing on the
 * right before missing on the left, small values before large ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tree/chance.h"
#include "tree/exact_inside.h"

typedef struct search {
    scarce__criterion_node at;
    double worth;
    scarce__exact_scratch *s;
    scarce__exact_split best[2]; /* missing on the right, on the left */
} search;

static void search_init(search *t, const scarce__exact *w, const scarce__exact_leaf *leaf,
                        scarce__exact_scratch *s)
{
    const double cap = w->options.rules.max_delta_step > 0 ? w->options.rules.max_delta_step : INFINITY;
    t->at = (scarce__criterion_node){.rules = &w->options.rules,
                                     .total = leaf->total,
                                     .low = -cap,
                                     .high = cap,
                                     .avx2 = !w->options.portable && scarce__cpu_avx2()};
    t->worth = w->criterion->worth(&t->at);
    t->s = s;
    memset(t->best, 0, sizeof t->best);
    for (int k = 0; k < 2; ++k) {
        t->best[k].gain = -INFINITY;
        t->best[k].used = -1;
    }
}

static void add_row(scarce__totals *sum, const scarce__exact_row *r)
{
    sum->g += r->g;
    sum->h += r->h;
    sum->counts += r->counts;
}

static void put(scarce__exact_scratch *s, size_t n, const scarce__totals *sum, size_t at)
{
    s->g[n] = sum->g;
    s->h[n] = sum->h;
    s->counts[n] = sum->counts;
    s->at[n] = (uint32_t)at;
}

/* Values the n candidates of the block with `add` on the left. */
static void look(search *t, size_t n, int side, const scarce__totals *add, const double *penalty)
{
    const scarce__exact_scratch *s = t->s;
    const scarce__sides left = {.g = s->g,
                                .h = s->h,
                                .counts = s->counts,
                                .add_g = add->g,
                                .add_h = add->h,
                                .add_counts = add->counts};
    scarce__exact_split *best = &t->best[side];
    const size_t b = scarce__judge(&t->at, t->worth, &left, 0, n, t->s->value, penalty, &best->gain);
    if (b == SIZE_MAX) return;
    best->used = 0;
    best->at = s->at[b];
    best->left.g = s->g[b] + add->g;
    best->left.h = s->h[b] + add->h;
    best->left.counts = s->counts[b] + add->counts;
}

/* ---- Numbers */

static float midpoint(float a, float b)
{
    const float t = (float)(0.5 * ((double)a + (double)b));
    return t >= a && t < b ? t : a; /* neighbours without a float between them, and infinities */
}

static void search_numeric(search *t, const scarce__exact *w, const scarce__exact_leaf *leaf, uint32_t used)
{
    const scarce__exact_feature *f = &w->used[used];
    const uint32_t *list = f->list;
    const scarce__totals none = {.g = 0};
    scarce__totals missing = none, sum = none;
    size_t last = leaf->end, n = 0;

    while (last > leaf->begin && f->x[list[last - 1]] != f->x[list[last - 1]])
        add_row(&missing, &w->data[list[--last]]);
    const int any_missing = last < leaf->end;
    for (size_t k = leaf->begin; k < last; ++k) {
        add_row(&sum, &w->data[list[k]]);
        if (k + 1 < last ? f->x[list[k]] < f->x[list[k + 1]] : any_missing) put(t->s, n++, &sum, k);
        if (n == EXACT_BLOCK || (k + 1 == last && n > 0)) {
            look(t, n, 0, &none, NULL);
            if (any_missing) look(t, n, 1, &missing, NULL);
            n = 0;
        }
    }
    scarce__exact_split *best = &t->best[t->best[1].gain > t->best[0].gain];
    if (best->used < 0) return;
    const size_t k = best->at;
    best->threshold = k + 1 < last ? midpoint(f->x[list[k]], f->x[list[k + 1]]) : INFINITY;
    /* without missing rows here they would follow the heavier child */
    best->missing_left = any_missing ? best == &t->best[1] : 2 * best->left.h >= leaf->total.h;
}

/* ---- Categories */

static int by_key(const void *a, const void *b)
{
    const scarce__exact_rank *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

size_t scarce__exact_rank_categories(const scarce__exact *w, const scarce__exact_leaf *leaf, uint32_t used,
                                     scarce__exact_scratch *s, int *one)
{
    const uint32_t *code = w->used[used].code;
    size_t n = 0;

    for (size_t k = leaf->begin; k < leaf->end; ++k) {
        const scarce__exact_row *r = &w->data[w->row[k]];
        scarce__exact_row *cell = &s->cells[code[w->row[k]]];
        if (cell->counts == 0) s->rank[n++].code = code[w->row[k]];
        cell->g += r->g;
        cell->h += r->h;
        cell->counts += r->counts;
    }
    for (size_t i = 0; i < n; ++i) {
        const scarce__exact_row *cell = &s->cells[s->rank[i].code];
        s->rank[i].key = scarce__category_key(&w->options.rules, cell->g, cell->h);
    }
    qsort(s->rank, n, sizeof *s->rank, by_key);
    *one = scarce__one_against_rest(&w->options.rules, n);
    return n;
}

void scarce__exact_forget(scarce__exact_scratch *s, size_t n)
{
    for (size_t i = 0; i < n; ++i) memset(&s->cells[s->rank[i].code], 0, sizeof *s->cells);
}

/* What prefixes of the sorted categories gain by chance; NULL: nothing. */
static const double *penalties(const scarce__exact *w, scarce__exact_scratch *s, size_t n)
{
    double roots = 0, weights = 0;
    for (size_t i = 0; i < n; ++i) {
        const double h = s->cells[s->rank[i].code].h;
        s->root[i] = sqrt(h);
        roots += s->root[i];
        weights += h;
    }
    if (!scarce__pays_for_chance(&w->options.rules, weights)) return NULL;
    scarce__chance_penalty(s->penalty, s->root, n - 1, roots, weights, w->options.rules.category_penalty);
    return s->penalty;
}

static void search_category(search *t, const scarce__exact *w, const scarce__exact_leaf *leaf, uint32_t used)
{
    const scarce__totals none = {.g = 0};
    scarce__exact_scratch *s = t->s;
    int one;
    const size_t n = scarce__exact_rank_categories(w, leaf, used, s, &one);
    const size_t to = one || n == 0 ? n : n - 1;
    const double *penalty = one || n < 2 ? NULL : penalties(w, s, n);
    scarce__totals sum = none;

    for (size_t i = 0, m = 0; n > 1 && i < to; ++i) {
        if (one) sum = none;
        add_row(&sum, &s->cells[s->rank[i].code]);
        put(s, m++, &sum, i);
        if (m == EXACT_BLOCK || i + 1 == to) {
            look(t, m, 0, &none, penalty ? penalty + (i + 1 - m) : NULL);
            m = 0;
        }
    }
    scarce__exact_forget(s, n);
}

void scarce__exact_search(const scarce__exact *w, const scarce__exact_leaf *leaf, uint32_t used,
                          scarce__exact_scratch *s, scarce__exact_split *best)
{
    search t;
    search_init(&t, w, leaf, s);
    if (w->used[used].category) search_category(&t, w, leaf, used);
    else search_numeric(&t, w, leaf, used);
    *best = t.best[t.best[1].gain > t.best[0].gain];
    if (best->used >= 0) best->used = (int32_t)used;
}
