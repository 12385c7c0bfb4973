/* SPDX-License-Identifier: Apache-2.0 */
/* A logistic regression as a forest: for each feature one tree whose leaves are steps of its term,
 *
 *     f(x) = base + sum over features of v_j(x_j),     v_j = weight_j (mean of the cell of x_j - mean_j)
 *
 * so that it can be added to a booster and saved, scored, shown, explained and exported as any sum of trees. A number has
 * up to 63 cells: half of the cuts at even shares of the rows, half at even distances, for the ends of the list are where
 * the ranking is decided; values beyond five standard deviations count as these. A category has a leaf of its own (of
 * more than 63, neighbours by weight share one). Missing values have a leaf where there were any, else they go where the
 * mean is. The penalty is that of C = 0.3 on standardised columns. */
#include "method/gb_linear.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/sort.h"
#include "data/table.h"
#include "linear/linear.h"
#include "tree/binned_tree.h"

enum { MOST_FEATURES = 256, CELLS = 63, CUTS = CELLS - 1, RARE_CATEGORY = 5 };
static const double PENALTY_C = 0.3, FARTHEST = 5;

typedef struct cell {
    float upper;         /* numbers: up to here */
    size_t begin, end;   /* categories: places among all by weight */
    double value, cover; /* of the leaf */
    uint32_t rows;
} cell;

/* A weight of two is two rows: whatever is counted here is counted by weight. */
typedef struct weighted {
    float x;
    double weight;
} weighted;

typedef struct builder {
    scarce__forest *out;
    const scarce__linear *model;
    const scarce_table *table;
    double hessian;   /* of a row, in the mean */
    weighted *sorted; /* values of a column that weigh something */
    uint64_t *keys;   /* room to sort them: twice as many, and counts */
    uint32_t *counts;
    double total; /* their weight */
    /* one tree */
    uint32_t feature;
    cell cells[CELLS];
    size_t n_cells, missing_home, other_home;
    int category, has_missing;
    cell missing;
    const uint32_t *place; /* of a category among all by weight */
    size_t n_categories;
    scarce__node nodes[2 * CELLS + 2];
    size_t n_nodes;
    scarce__binned_tree sets; /* of categories */
    scarce_status status;
} builder;

int scarce__gb_linear_fits(const scarce_table *table)
{
    if (table->schema.n_features > MOST_FEATURES) return 0;
    for (size_t f = 0; f < table->schema.n_features; ++f)
        if (table->schema.features[f].kind == SCARCE_COLUMN_SPARSE) return 0;
    return 1;
}

/* ---- a tree over cells in a row */

static int32_t leaf(builder *b, const cell *c)
{
    scarce__node *n = &b->nodes[b->n_nodes];
    memset(n, 0, sizeof *n);
    n->feature = -1;
    n->value = (float)c->value;
    n->cover = (float)c->cover;
    n->rows = c->rows;
    return (int32_t)b->n_nodes++;
}

static cell joined(const builder *b, size_t from, size_t to)
{
    cell all = {0};
    for (size_t k = from; k < to; ++k) {
        all.rows += b->cells[k].rows;
        all.cover += b->cells[k].cover;
        all.value += b->cells[k].cover * b->cells[k].value;
    }
    if (all.cover > 0) all.value /= all.cover;
    return all;
}

static int32_t inner(builder *b, const cell *left, const cell *right)
{
    scarce__node *n = &b->nodes[b->n_nodes];
    const double cover = left->cover + right->cover, apart = left->value - right->value;
    memset(n, 0, sizeof *n);
    n->feature = (int32_t)b->feature;
    n->rows = left->rows + right->rows;
    n->cover = (float)cover;
    n->gain = cover > 0 ? (float)(0.5 * left->cover * right->cover / cover * apart * apart) : 0;
    return (int32_t)b->n_nodes++;
}

typedef struct below {
    const uint32_t *place;
    size_t limit;
} below;

static int is_below(const void *arg, uint32_t category)
{
    const below *b = arg;
    return b->place[category] < b->limit;
}

/* Categories of the cells before `middle` go left. */
static void set_left(builder *b, scarce__node *n, size_t middle, int other, int missing, scarce_error *err)
{
    const below before = {b->place, middle < b->n_cells ? b->cells[middle].begin : b->n_categories};
    if (b->status == SCARCE_OK)
        b->status =
            scarce__write_set(&b->sets, n, (uint32_t)b->n_categories, is_below, &before, other, missing, err);
}

static int32_t branch(builder *b, size_t from, size_t to, scarce_error *err)
{
    if (to - from == 1) return leaf(b, &b->cells[from]);
    const size_t middle = from + (to - from) / 2;
    const cell left = joined(b, from, middle), right = joined(b, middle, to);
    const int32_t at = inner(b, &left, &right);

    const int missing = b->missing_home < middle;
    if (missing) b->nodes[at].flags |= SCARCE__MISSING_LEFT;
    if (b->category) set_left(b, &b->nodes[at], middle, b->other_home < middle, missing, err);
    else b->nodes[at].value = b->cells[middle - 1].upper;
    const int32_t l = branch(b, from, middle, err), r = branch(b, middle, to, err);
    b->nodes[at].left = l;
    b->nodes[at].right = r;
    return at;
}

/* Missing values go right of the root when they have a leaf. */
static scarce_status add_tree(builder *b, scarce_error *err)
{
    b->n_nodes = b->sets.n_set_words = 0;
    b->status = SCARCE_OK;
    if (b->has_missing) {
        const cell known = joined(b, 0, b->n_cells);
        const int32_t at = inner(b, &known, &b->missing);
        if (b->category) set_left(b, &b->nodes[at], b->n_cells, 1, 0, err);
        else b->nodes[at].value = FLT_MAX;
        const int32_t l = branch(b, 0, b->n_cells, err), r = leaf(b, &b->missing);
        b->nodes[at].left = l;
        b->nodes[at].right = r;
    } else {
        (void)branch(b, 0, b->n_cells, err);
    }
    if (b->status != SCARCE_OK) return b->status;
    return scarce__forest_add(b->out, b->nodes, b->n_nodes, b->sets.sets, b->sets.n_set_words, err);
}

/* ---- numbers */

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static int compare_weights_of(const void *a, const void *b)
{
    const weighted *x = a, *y = b;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

static double weight_of(const builder *b, size_t row)
{
    return b->table->weight ? b->table->weight[row] : 1;
}

/* The n keys as values and weights, ascending; equal values by weight, so that the order of the rows says nothing. */
static void sort_values(builder *b, size_t n)
{
    const uint32_t row_bits = UINT32_MAX;
    const int equal = b->table->weight == NULL;

    scarce__sort_keys(b->keys, b->keys + b->table->n_rows, n, b->counts, NULL);
    for (size_t i = 0; i < n; ++i)
        b->sorted[i] = (weighted){scarce__key_float((uint32_t)(b->keys[i] >> 32)),
                                  equal ? 1 : weight_of(b, (size_t)(b->keys[i] & row_bits))};
    for (size_t i = 0, end; !equal && i < n; i = end) {
        for (end = i + 1; end < n && b->keys[end] >> 32 == b->keys[i] >> 32; ++end) continue;
        if (end - i > 1) qsort(b->sorted + i, end - i, sizeof *b->sorted, compare_weights_of);
    }
}

static void set_missing(builder *b, size_t rows, double weight, double value)
{
    b->has_missing = weight > 0;
    b->missing = (cell){.rows = (uint32_t)rows, .cover = b->hessian * weight, .value = value};
}

/* Ascending, without repeats; returns how many. */
static size_t choose_cuts(float cut[CUTS], const weighted *x, size_t n, double total, double low, double high)
{
    size_t kept = 0, at = 0;
    double before = 0; /* weight of the values before `at` */

    for (size_t k = 0; k < CUTS / 2; ++k) {
        const double place = floor((double)(k + 1) * total / (CUTS / 2 + 1));
        for (; at + 1 < n && before + x[at].weight <= place; ++at) before += x[at].weight;
        cut[2 * k] = x[at].x;
        cut[2 * k + 1] = (float)(low + (double)(k + 1) * (high - low) / (CUTS / 2 + 1));
    }
    qsort(cut, CUTS, sizeof *cut, compare_floats);
    for (size_t k = 0; k < CUTS; ++k)
        if (cut[k] < x[n - 1].x && (kept == 0 || cut[k] > cut[kept - 1])) cut[kept++] = cut[k];
    return kept;
}

/* Rows of each cell and their mean; cells without rows join the next. */
static void fill_cells(builder *b, const float *cut, size_t n_cuts, size_t n, double mean, double low,
                       double high)
{
    const double weight = b->model->weight[b->feature];
    double nearest = INFINITY;
    size_t i = 0;

    b->n_cells = 0;
    for (size_t k = 0; k <= n_cuts; ++k) {
        const size_t first = i;
        double sum = 0, rows = 0;
        for (; i < n && (k == n_cuts || b->sorted[i].x <= cut[k]); ++i) {
            const double x = (double)b->sorted[i].x;
            sum += b->sorted[i].weight * (x < low ? low : x > high ? high : x);
            rows += b->sorted[i].weight;
        }
        if (i == first) continue;
        const double offset = sum / rows - mean;
        cell *c = &b->cells[b->n_cells];
        *c = (cell){.upper = k < n_cuts ? cut[k] : FLT_MAX, .rows = (uint32_t)(i - first)};
        c->cover = b->hessian * rows;
        c->value = weight * offset;
        if (fabs(offset) < nearest) {
            nearest = fabs(offset);
            b->missing_home = b->n_cells;
        }
        ++b->n_cells;
    }
}

static scarce_status add_number(builder *b, scarce_error *err)
{
    const float *x = b->table->columns[b->feature].number;
    const double weight = b->model->weight[b->feature];
    double mean = 0, squares = 0, missing = 0;
    float cut[CUTS];
    size_t n = 0, n_missing = 0;

    b->total = 0;
    for (size_t i = 0; i < b->table->n_rows; ++i) {
        const double w = weight_of(b, i);
        if (!(w > 0)) continue;
        if (isfinite(x[i])) {
            b->keys[n++] = (uint64_t)scarce__float_key(x[i]) << 32 | i;
            b->total += w;
        } else {
            missing += w;
            ++n_missing;
        }
    }
    if (n == 0) return SCARCE_OK;
    sort_values(b, n);
    for (size_t i = 0; i < n; ++i) mean += b->sorted[i].weight * (double)b->sorted[i].x / b->total;
    for (size_t i = 0; i < n; ++i) {
        const double d = (double)b->sorted[i].x - mean;
        squares += b->sorted[i].weight * d * d / b->total;
    }
    const double sd = sqrt(squares), low = mean - FARTHEST * sd, high = mean + FARTHEST * sd;
    const double least = (double)b->sorted[0].x, most = (double)b->sorted[n - 1].x;
    b->category = 0;
    set_missing(b, n_missing, missing, b->model->missing_weight[b->feature] - weight * mean);
    fill_cells(b, cut,
               choose_cuts(cut, b->sorted, n, b->total, least > low ? least : low, most < high ? most : high),
               n, mean, low, high);
    b->out->base += weight * mean;
    if (b->n_cells < 2 && !b->has_missing) return SCARCE_OK;
    return add_tree(b, err);
}

/* ---- categories */

typedef struct weighed {
    double weight;
    uint32_t code;
} weighed;

static int compare_weights(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    return (x->code > y->code) - (x->code < y->code);
}

static size_t home_of(const builder *b, double value)
{
    size_t best = 0;
    for (size_t k = 1; k < b->n_cells; ++k)
        if (fabs(b->cells[k].value - value) < fabs(b->cells[best].value - value)) best = k;
    return best;
}

/* Neighbours by weight share a cell where there are too many. */
static void group(builder *b, const weighed *by, const double *rows, double mean)
{
    const size_t each = (b->n_categories + CELLS - 1) / CELLS;

    b->n_cells = 0;
    for (size_t begin = 0; begin < b->n_categories; begin += each) {
        cell *c = &b->cells[b->n_cells++];
        double sum = 0, plain = 0, n = 0;
        *c = (cell){.begin = begin};
        c->end = begin + each < b->n_categories ? begin + each : b->n_categories;
        for (size_t i = begin; i < c->end; ++i) {
            n += rows[by[i].code];
            sum += rows[by[i].code] * by[i].weight;
            plain += by[i].weight / (double)(c->end - begin);
        }
        c->rows = (uint32_t)(n < 4e9 ? n : 4e9);
        c->cover = b->hessian * n;
        c->value = (n > 0 ? sum / n : plain) - mean;
    }
}

static scarce_status add_category(builder *b, scarce_error *err)
{
    const scarce__linear *m = b->model;
    const size_t c = b->table->schema.features[b->feature].categories.count;
    const double *weight = m->slot_weight + m->slot_begin[b->feature];
    const int32_t *code = b->table->columns[b->feature].code;
    weighed *by = scarce__malloc_array(c + 1, sizeof *by);
    double *rows = scarce__calloc(c + 1, sizeof *rows), missing = 0, mean = 0, known = 0;
    uint32_t *place = scarce__malloc_array(c + 1, sizeof *place);
    scarce_status st = SCARCE_OK;
    size_t n_missing = 0;

    if (!by || !rows || !place) st = scarce__fail_memory(err, "a linear model", 0);
    if (st == SCARCE_OK && c > 0) {
        for (size_t i = 0; i < b->table->n_rows; ++i)
            if (code[i] >= 0) rows[code[i]] += weight_of(b, i);
            else if (weight_of(b, i) > 0) {
                missing += weight_of(b, i);
                ++n_missing;
            }
        for (size_t k = 0; k < c; ++k) {
            by[k] = (weighed){weight[k], (uint32_t)k};
            mean += weight[k] * rows[k];
            known += rows[k];
        }
        if (known > 0) mean /= known;
        qsort(by, c, sizeof *by, compare_weights);
        for (size_t k = 0; k < c; ++k) place[by[k].code] = (uint32_t)k;
        b->category = 1;
        b->n_categories = c;
        b->place = place;
        group(b, by, rows, mean);
        set_missing(b, n_missing, missing, weight[c + 1] - mean);
        b->other_home = home_of(b, weight[c] - mean);
        b->missing_home = home_of(b, weight[c + 1] - mean);
        b->out->base += mean;
        if (b->n_cells > 1 || b->has_missing) st = add_tree(b, err);
    }
    scarce__free(by);
    scarce__free(rows);
    scarce__free(place);
    return st;
}

/* ---- all of it */

static int says_something(const scarce__linear *m, const scarce_table *table, size_t f)
{
    if (table->schema.features[f].kind != SCARCE_COLUMN_CATEGORY)
        return m->weight[f] != 0 || m->missing_weight[f] != 0;
    for (size_t s = m->slot_begin[f]; s < m->slot_begin[f + 1]; ++s)
        if (m->slot_weight[s] != 0) return 1;
    return 0;
}

static scarce_status as_trees(scarce__forest *out, const scarce__linear *model, const scarce_table *table,
                              scarce_error *err)
{
    const double share = (double)table->n_positives / (double)table->n_rows;
    builder *b = scarce__calloc(1, sizeof *b);
    scarce_status st = SCARCE_OK;

    if (b) {
        b->sorted = scarce__malloc_array(table->n_rows, sizeof *b->sorted);
        b->keys = scarce__malloc_array(2 * table->n_rows, sizeof *b->keys);
        b->counts = scarce__malloc_array(scarce__sort_counts(NULL, table->n_rows), sizeof *b->counts);
    }
    if (!b || !b->sorted || !b->keys || !b->counts)
        st = scarce__fail_memory(err, "a linear model", 32 * table->n_rows);
    out->n_features = model->n_features;
    out->base = model->bias;
    for (size_t f = 0; st == SCARCE_OK && f < model->n_features; ++f) {
        if (!says_something(model, table, f)) continue;
        b->out = out;
        b->model = model;
        b->table = table;
        b->hessian = share * (1 - share);
        b->feature = (uint32_t)f;
        st = table->schema.features[f].kind == SCARCE_COLUMN_CATEGORY ? add_category(b, err)
                                                                      : add_number(b, err);
    }
    if (b) {
        scarce__free(b->sorted);
        scarce__free(b->keys);
        scarce__free(b->counts);
        scarce__free(b->sets.sets);
    }
    scarce__free(b);
    return st;
}

scarce_status scarce__gb_linear(scarce__forest *out, const scarce_table *table,
                                const scarce__boost_options *o, scarce_context *ctx, scarce_error *err)
{
    scarce__linear_options how = scarce__linear_options_init();
    scarce__linear model;
    scarce_status st;

    how.c = PENALTY_C * o->neg_weight;
    how.pos_weight = o->pos_weight / o->neg_weight;
    how.min_category_rows = RARE_CATEGORY;
    how.tolerance = 1e-4;
    st = scarce__linear_train(&model, NULL, table, &how, ctx, err);
    if (st == SCARCE_OK) {
        st = as_trees(out, &model, table, err);
        scarce__linear_deinit(&model);
    }
    if (st == SCARCE_OK && !isfinite(out->base)) st = SCARCE_ENUMERIC;
    if (st == SCARCE_OK && o->loss.gamma != 1) {
        scarce__forest_rescale(out, 1 / o->loss.gamma, 0);
        out->base /= o->loss.gamma;
    }
    if (st == SCARCE_OK) return st;
    scarce__forest_deinit(out);
    memset(out, 0, sizeof *out);
    out->n_features = table->schema.n_features;
    return st == SCARCE_ENOMEM || st == SCARCE_ECANCEL ? st : SCARCE_OK;
}
