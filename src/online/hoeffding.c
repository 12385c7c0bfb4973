/* SPDX-License-Identifier: Apache-2.0 */
/* Regression trees that grow row by row (FIMT: Ikonomovska, Gama and Dzeroski, Data Mining and Knowledge Discovery 23,
 * 2011; the bound: Domingos and Hulten, KDD 2000).
 *
 * A leaf keeps, per feature, weight and sum of the targets in 16 ranges of values and of the rows without value. The
 * ranges are the quantiles of the 256 latest rows when the leaf was made; categories fall into 16 groups by their
 * code. Every `grace` rows the best split of each feature is compared: with G = sum over sides of S^2/n, minus that of the
 * whole, the best feature is split when G_second / G_best < 1 - e, or when e < tie, where
 * e = sqrt(ln(1/delta) / (2 rows)), but only where G_best is 15 times the variance of the targets in the leaf: less is found by
 * chance among hundreds of splits, and where positives are rare a tree would use its leaves up on nothing. A leaf answers with a running mean of its targets in which a row weighs at least
 * 1/500, since targets of boosting move. Where a net takes a gradient step, a tree regresses on h + kappa x step. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "online/weak.h"

enum { BINS = 16, CUTS = BINS - 1, RECENT = 256 };
static const float longest_mean = 500, carried = 50;
static const double enough = 15;

/* Of one feature in one leaf. */
typedef struct cell {
    float cut[CUTS]; /* ascending; x <= cut[i] is in range i */
    int32_t n_cuts;
    float n[BINS + 1], sum[BINS + 1]; /* the last: without value */
} cell;

typedef struct node {
    int32_t feature; /* -1: a leaf */
    int32_t left, right;
    float cut; /* number: x <= cut goes left; category: the group that does */
    int32_t missing_left;
    float n, value;        /* of a leaf: weight in the mean, and the mean */
    uint32_t rows, looked; /* learnt here; when it was looked at last */
    double squares;        /* sum of weight * target^2 of what is in the cells */
    cell *cells;           /* n_features; NULL: not a leaf, or not yet */
} node;

typedef struct tree {
    node *nodes;
    size_t n, capacity;
} tree;

typedef struct forest {
    scarce__weak base;
    size_t n_features;
    uint8_t *is_category;
    double kappa, ln_delta, tie;
    size_t grace, max_leaves;
    float *recent; /* n_features x RECENT: the latest rows */
    uint64_t rows;
    tree *trees;
} forest;

static int present(float x)
{
    return fabsf(x) <= FLT_MAX;
}

static void tree_clear(tree *t)
{
    for (size_t i = 0; i < t->n; ++i) scarce__free(t->nodes[i].cells);
    scarce__free(t->nodes);
    memset(t, 0, sizeof *t);
}

static void forest_free(scarce__weak *w)
{
    forest *f = (forest *)w;
    if (!f) return;
    for (size_t t = 0; f->trees && t < f->base.count; ++t) tree_clear(&f->trees[t]);
    scarce__free(f->trees);
    scarce__free(f->recent);
    scarce__free(f->is_category);
    scarce__free(f);
}

/* Two more nodes at the end. */
static int add_nodes(tree *t, size_t n)
{
    if (t->n + n > t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 4;
        node *nodes = scarce__realloc_array(t->nodes, capacity, sizeof *nodes);
        if (!nodes) return 0;
        t->nodes = nodes;
        t->capacity = capacity;
    }
    memset(t->nodes + t->n, 0, n * sizeof *t->nodes);
    for (size_t i = 0; i < n; ++i) t->nodes[t->n + i].feature = -1;
    t->n += n;
    return 1;
}

/* ---- asking */

/* Of a category's code. */
static int group_of(float code)
{
    return code < 16777216 ? (int)((uint32_t)code & (BINS - 1)) : 0;
}

static int bin_of(const cell *c, float x, int category)
{
    int lo = 0, hi = c->n_cuts;
    if (!present(x)) return BINS;
    if (category) return x >= 0 ? group_of(x) : BINS;
    while (lo < hi) {
        const int middle = (lo + hi) / 2;
        if (x <= c->cut[middle]) hi = middle;
        else lo = middle + 1;
    }
    return lo;
}

static size_t leaf_of(const forest *f, const tree *t, const float *x)
{
    size_t i = 0;
    while (t->nodes[i].feature >= 0) {
        const node *n = &t->nodes[i];
        const float v = x[n->feature];
        int left;
        if (!present(v) || (f->is_category[n->feature] && v < 0)) left = n->missing_left;
        else if (f->is_category[n->feature]) left = (float)group_of(v) == n->cut;
        else left = v <= n->cut;
        i = (size_t)(left ? n->left : n->right);
    }
    return i;
}

static void forest_predict(const scarce__weak *w, const scarce__inputs *in, const scarce__online_row *row,
                           float *h)
{
    const forest *f = (const forest *)w;
    (void)in;
    for (size_t t = 0; t < f->base.count; ++t) {
        const tree *one = &f->trees[t];
        h[t] = one->nodes[leaf_of(f, one, row->value)].value;
    }
}

static void forest_see(scarce__weak *w, const scarce__active *active, const scarce__online_row *row, float *h)
{
    (void)active;
    forest_predict(w, NULL, row, h);
}

/* ---- the sketch: quantiles of the latest rows */

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static void set_cuts(const forest *f, size_t feature, cell *c)
{
    float sorted[RECENT];
    size_t n = 0;
    if (f->is_category[feature]) return;
    for (size_t i = 0; i < RECENT; ++i) {
        const float x = f->recent[feature * RECENT + i];
        if (present(x)) sorted[n++] = x;
    }
    if (n < BINS) return;
    qsort(sorted, n, sizeof *sorted, by_value);
    for (size_t k = 1; k < BINS; ++k) {
        const size_t at = k * n / BINS;
        if (sorted[at] == sorted[at - 1]) continue;
        const float cut = sorted[at - 1] + (sorted[at] - sorted[at - 1]) / 2;
        if (c->n_cuts == 0 || cut > c->cut[c->n_cuts - 1]) c->cut[c->n_cuts++] = cut;
    }
    /* many equal values hide the quantiles: then between the first different ones */
    for (size_t i = 1; c->n_cuts == 0 && i < n; ++i)
        if (sorted[i] != sorted[i - 1]) c->cut[c->n_cuts++] = sorted[i - 1] + (sorted[i] - sorted[i - 1]) / 2;
}

static cell *make_cells(const forest *f)
{
    cell *cells = scarce__calloc(f->n_features, sizeof *cells);
    for (size_t k = 0; cells && k < f->n_features; ++k) set_cuts(f, k, &cells[k]);
    return cells;
}

static void remember(forest *f, const float *x)
{
    const size_t at = (size_t)(f->rows % RECENT);
    for (size_t k = 0; k < f->n_features; ++k) f->recent[k * RECENT + at] = x[k];
    f->rows += 1;
}

/* ---- splits */

typedef struct candidate {
    double gain;
    size_t feature;
    float cut;
    int missing_left;
    double n_left, s_left, n_right, s_right;
} candidate;

static void try_split(candidate *best, const cell *c, size_t feature, float cut, double n, double s,
                      double nl, double sl)
{
    const double n_missing = (double)c->n[BINS], s_missing = (double)c->sum[BINS];
    const double whole_n = n + n_missing, whole_s = s + s_missing;
    double nr = n - nl, sr = s - sl;
    const int missing_left = nl >= nr;

    if (missing_left) nl += n_missing, sl += s_missing;
    else nr += n_missing, sr += s_missing;
    if (!(nl > 0.02 * whole_n && nr > 0.02 * whole_n)) return;
    const double gain = sl * sl / nl + sr * sr / nr - whole_s * whole_s / whole_n;
    if (gain > best->gain) *best = (candidate){gain, feature, cut, missing_left, nl, sl, nr, sr};
}

static candidate best_of_feature(const forest *f, const cell *c, size_t feature)
{
    candidate best = {0, feature, 0, 0, 0, 0, 0, 0};
    double n = 0, s = 0, nl = 0, sl = 0;

    for (int b = 0; b < BINS; ++b) n += (double)c->n[b], s += (double)c->sum[b];
    if (f->is_category[feature]) {
        for (int b = 0; b < BINS; ++b)
            try_split(&best, c, feature, (float)b, n, s, (double)c->n[b], (double)c->sum[b]);
        return best;
    }
    for (int b = 0; b < c->n_cuts; ++b) {
        nl += (double)c->n[b], sl += (double)c->sum[b];
        try_split(&best, c, feature, c->cut[b], n, s, nl, sl);
    }
    return best;
}

static void begin_leaf(node *n, double weight, double sum, float value)
{
    n->feature = -1;
    n->n = weight < (double)carried ? (float)weight : carried;
    n->value = weight > 0 ? (float)(sum / weight) : value;
    if (!present(n->value)) n->value = value;
}

static scarce_status split(const forest *f, tree *t, size_t leaf, const candidate *c, scarce_error *err)
{
    cell *left = make_cells(f), *right = left ? make_cells(f) : NULL;

    if (!left || !right || !add_nodes(t, 2)) {
        scarce__free(left);
        scarce__free(right);
        return scarce__fail_memory(err, "a tree of an online model", 0);
    }
    node *n = &t->nodes[leaf];
    const float value = n->value;
    n->feature = (int32_t)c->feature;
    n->cut = c->cut;
    n->missing_left = c->missing_left;
    n->left = (int32_t)t->n - 2;
    n->right = (int32_t)t->n - 1;
    scarce__free(n->cells);
    n->cells = NULL;
    begin_leaf(&t->nodes[n->left], c->n_left, c->s_left, value);
    begin_leaf(&t->nodes[n->right], c->n_right, c->s_right, value);
    t->nodes[n->left].cells = left;
    t->nodes[n->right].cells = right;
    return SCARCE_OK;
}

/* Of the targets in a leaf. */
static double variance_of(const node *n)
{
    double w = 0, s = 0;
    for (int b = 0; b <= BINS; ++b) w += (double)n->cells[0].n[b], s += (double)n->cells[0].sum[b];
    const double v = w > 0 ? (n->squares - s * s / w) / w : 0;
    return v > 0 ? v : 0;
}

static scarce_status look(const forest *f, tree *t, size_t leaf, scarce_error *err)
{
    node *n = &t->nodes[leaf];
    candidate best = {0, 0, 0, 0, 0, 0, 0, 0};
    double second = 0;

    n->looked = n->rows;
    if ((t->n + 1) / 2 >= f->max_leaves) return SCARCE_OK;
    for (size_t k = 0; k < f->n_features; ++k) {
        const candidate c = best_of_feature(f, &n->cells[k], k);
        if (c.gain > best.gain) second = best.gain, best = c;
        else if (c.gain > second) second = c.gain;
    }
    const double e = sqrt(f->ln_delta / (2 * (double)n->rows));
    if (!(best.gain > 1e-12) || best.gain < enough * variance_of(n) ||
        !(second < (1 - e) * best.gain || e < f->tie))
        return SCARCE_OK;
    return split(f, t, leaf, &best, err);
}

/* ---- teaching */

static scarce_status teach(const forest *f, tree *t, const float *x, float target, float weight,
                           scarce_error *err)
{
    const size_t leaf = leaf_of(f, t, x);
    node *n = &t->nodes[leaf];

    if (!(weight > 0) || !present(target)) return SCARCE_OK;
    n->n = n->n + weight < longest_mean ? n->n + weight : longest_mean;
    n->value += (target - n->value) * (weight < n->n ? weight / n->n : 1);
    n->rows += n->rows < UINT32_MAX;
    if (!n->cells) {
        if (f->rows < RECENT) return SCARCE_OK;
        n->cells = make_cells(f);
        if (!n->cells) return scarce__fail_memory(err, "a tree of an online model", 0);
    }
    n->squares += (double)weight * (double)target * (double)target;
    for (size_t k = 0; k < f->n_features; ++k) {
        cell *c = &n->cells[k];
        const int b = bin_of(c, x[k], f->is_category[k]);
        c->n[b] += weight;
        c->sum[b] += weight * target;
    }
    return n->rows - n->looked >= f->grace ? look(f, t, leaf, err) : SCARCE_OK;
}

static scarce_status forest_step(scarce__weak *w, const scarce__active *active, const scarce__online_row *row,
                                 const float *h, const scarce__steps *s, scarce_error *err)
{
    forest *f = (forest *)w;
    (void)active;
    remember(f, row->value);
    for (size_t t = 0; t < f->base.count; ++t) {
        const float target = s->by_gradient ? h[t] + (float)f->kappa * s->move[t] : s->target[t];
        SCARCE__TRY(teach(f, &f->trees[t], row->value, target, s->by_gradient ? 1 : s->weight[t], err));
    }
    return SCARCE_OK;
}

static void forest_restart(scarce__weak *w, size_t t, uint64_t round)
{
    tree *one = &((forest *)w)->trees[t];
    (void)round;
    for (size_t i = 0; i < one->n; ++i) scarce__free(one->nodes[i].cells);
    one->n = 0;
    (void)add_nodes(one, 1); /* there is room: it had a root */
}

static void forest_decay(scarce__weak *w)
{
    forest *f = (forest *)w;
    for (size_t t = 0; t < f->base.count; ++t)
        for (size_t i = 0; i < f->trees[t].n; ++i) f->trees[t].nodes[i].n *= 0.25f;
}

/* ---- the file */

static void write_cell(const cell *c, scarce__writer *to)
{
    scarce__put_u8(to, (uint8_t)c->n_cuts);
    for (int i = 0; i < c->n_cuts; ++i) scarce__put_f32(to, c->cut[i]);
    for (int b = 0; b <= BINS; ++b) {
        scarce__put_f32(to, c->n[b]);
        scarce__put_f32(to, c->sum[b]);
    }
}

static void write_node(const forest *f, const node *n, scarce__writer *to)
{
    scarce__put_u32(to, (uint32_t)n->feature);
    scarce__put_f32(to, n->n);
    scarce__put_f32(to, n->value);
    if (n->feature >= 0) {
        scarce__put_u32(to, (uint32_t)n->left);
        scarce__put_u32(to, (uint32_t)n->right);
        scarce__put_f32(to, n->cut);
        scarce__put_u8(to, (uint8_t)n->missing_left);
        return;
    }
    scarce__put_u32(to, n->rows);
    scarce__put_u32(to, n->looked);
    scarce__put_f64(to, n->squares);
    scarce__put_u8(to, n->cells != NULL);
    for (size_t k = 0; n->cells && k < f->n_features; ++k) write_cell(&n->cells[k], to);
}

static void forest_write(const scarce__weak *w, scarce__writer *to)
{
    const forest *f = (const forest *)w;
    scarce__put_u64(to, f->rows);
    for (size_t i = 0; i < f->n_features * RECENT; ++i) scarce__put_f32(to, f->recent[i]);
    for (size_t t = 0; t < f->base.count; ++t) {
        scarce__put_u64(to, f->trees[t].n);
        for (size_t i = 0; i < f->trees[t].n; ++i) write_node(f, &f->trees[t].nodes[i], to);
    }
}

static float get_finite(scarce__reader *r)
{
    const float x = scarce__get_f32(r);
    if (!present(x)) r->failed = 1;
    return x;
}

static void read_cell(cell *c, scarce__reader *r)
{
    c->n_cuts = scarce__get_u8(r);
    if (c->n_cuts > CUTS) r->failed = 1, c->n_cuts = 0;
    for (int i = 0; i < c->n_cuts; ++i) c->cut[i] = get_finite(r);
    for (int b = 0; b <= BINS; ++b) {
        c->n[b] = get_finite(r);
        c->sum[b] = get_finite(r);
    }
}

/* Children have larger numbers than their parent, so that no walk goes round. */
static scarce_status read_node(const forest *f, node *n, size_t i, size_t count, scarce__reader *r,
                               scarce_error *err)
{
    n->feature = (int32_t)scarce__get_u32(r);
    n->n = get_finite(r);
    n->value = get_finite(r);
    if (n->feature < -1 || (n->feature >= 0 && (size_t)n->feature >= f->n_features)) r->failed = 1;
    if (n->feature >= 0) {
        n->left = (int32_t)scarce__get_u32(r);
        n->right = (int32_t)scarce__get_u32(r);
        n->cut = get_finite(r);
        n->missing_left = scarce__get_u8(r) != 0;
        if (n->left <= (int32_t)i || n->right <= (int32_t)i || (size_t)n->left >= count ||
            (size_t)n->right >= count)
            r->failed = 1;
        return SCARCE_OK;
    }
    n->rows = scarce__get_u32(r);
    n->looked = scarce__get_u32(r);
    n->squares = scarce__get_f64(r);
    if (!(n->squares >= 0 && n->squares <= DBL_MAX)) r->failed = 1;
    if (scarce__get_u8(r) == 0 || r->failed) return SCARCE_OK;
    if ((size_t)(r->end - r->at) / 137 < f->n_features) return r->failed = 1, SCARCE_OK;
    n->cells = scarce__calloc(f->n_features, sizeof *n->cells);
    if (!n->cells) return scarce__fail_memory(err, "a tree of an online model", 0);
    for (size_t k = 0; k < f->n_features; ++k) read_cell(&n->cells[k], r);
    return SCARCE_OK;
}

static scarce_status forest_read(scarce__weak *w, size_t n_inputs, scarce__reader *r, scarce_error *err)
{
    forest *f = (forest *)w;
    (void)n_inputs;
    f->rows = scarce__get_u64(r);
    for (size_t i = 0; !r->failed && i < f->n_features * RECENT; ++i) f->recent[i] = scarce__get_f32(r);
    for (size_t t = 0; !r->failed && t < f->base.count; ++t) {
        const size_t n = scarce__get_count(r, 12);
        tree *one = &f->trees[t];
        if (n == 0 || n > 2 * f->max_leaves) r->failed = 1;
        while (!r->failed && one->n < n)
            if (!add_nodes(one, 1)) return scarce__fail_memory(err, "a tree of an online model", 0);
        for (size_t i = 0; !r->failed && i < n; ++i) SCARCE__TRY(read_node(f, &one->nodes[i], i, n, r, err));
    }
    return r->failed ? scarce__fail(err, SCARCE_EPARSE, "a tree of an online model is damaged") : SCARCE_OK;
}

static const scarce__weak_ops forest_ops = {.free = forest_free,
                                            .predict = forest_predict,
                                            .see = forest_see,
                                            .step = forest_step,
                                            .restart = forest_restart,
                                            .decay = forest_decay,
                                            .write = forest_write,
                                            .read = forest_read};

scarce_status scarce__hoeffding_new(scarce__weak **out, const scarce__online_options *o,
                                    const scarce_schema *schema, uint64_t seed, scarce_error *err)
{
    const size_t n = schema->n_features;
    forest *f;
    int ok;

    (void)seed;
    *out = NULL;
    if (n > SCARCE__ONLINE_MOST_TREE_FEATURES)
        return scarce__fail(err, SCARCE_EINVAL,
                            "online trees look at every feature of a row: at most %d, not %zu (weak=net or "
                            "weak=linear cost what is not zero)",
                            (int)SCARCE__ONLINE_MOST_TREE_FEATURES, n);
    f = scarce__calloc(1, sizeof *f);
    if (!f) return scarce__fail_memory(err, "an online model", 0);
    f->base.ops = &forest_ops;
    f->base.count = (size_t)o->learners;
    f->n_features = n;
    f->kappa = o->kappa;
    f->ln_delta = -scarce__ln(o->split_confidence);
    f->tie = o->tie;
    f->grace = (size_t)o->grace;
    f->max_leaves = (size_t)o->max_leaves;
    f->is_category = scarce__calloc(n, 1);
    f->recent = scarce__calloc(n * RECENT, sizeof *f->recent);
    f->trees = scarce__calloc(f->base.count, sizeof *f->trees);
    ok = f->is_category && f->recent && f->trees;
    for (size_t t = 0; ok && t < f->base.count; ++t) ok = add_nodes(&f->trees[t], 1);
    for (size_t k = 0; ok && k < n; ++k)
        f->is_category[k] = schema->features[k].kind == SCARCE_COLUMN_CATEGORY;
    if (!ok) {
        forest_free(&f->base);
        return scarce__fail_memory(err, "an online model", 0);
    }
    *out = &f->base;
    return SCARCE_OK;
}
