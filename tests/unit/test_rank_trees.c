/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking trees against definitions: merges of leaves by brute force, every node of a meta-tree searched again,
 * rules that hold of exactly the rows of their leaf, thresholds that are short and part the same rows, ties that
 * never change the order of leaves, bins and weights against exact trees and counts. */
#include <math.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/columns.h"
#include "rank/merge.h"
#include "rank/rank.h"
#include "rank/round.h"
#include "rank/rules.h"
#include "test.h"
#include "unit/method_tables.h"

/* ---- merges */

/* (1 - precision) / recall of leaf a against leaf b, in whole numbers: -1, 0, 1. */
static int compare_ap(const scarce__mass *a, const scarce__mass *b)
{
    const int64_t p = (int64_t)a->positive, m = (int64_t)a->negative, q = (int64_t)b->positive,
                  k = (int64_t)b->negative;
    if (p == 0 || q == 0) return (p == 0) - (q == 0);
    const int64_t x = m * (q + k) * q, y = k * (p + m) * p;
    return x < y ? -1 : x > y;
}

/* beta / alpha, descending; without negatives first. */
static int compare_roc(const scarce__mass *a, const scarce__mass *b)
{
    const int64_t p = (int64_t)a->positive, m = (int64_t)a->negative, q = (int64_t)b->positive,
                  k = (int64_t)b->negative;
    if (p == 0 || q == 0) return (p == 0) - (q == 0);
    const int64_t x = p * k, y = q * m;
    return x > y ? -1 : x < y;
}

static double ap_of(double p, double n, double all_p, double all_n)
{
    return p / all_p * (p / n) + (1 - p / all_p) * (all_p / all_n);
}

static void check_merge(const scarce__mass *leaf, size_t n, int ap)
{
    uint32_t order[12];
    const size_t taken = ap ? scarce__merge_ap(order, leaf, n) : scarce__merge_roc(order, leaf, n);
    double all_p = 0, all_m = 0, p = 0, m = 0, best = -1e300;
    size_t first = 0;

    for (size_t i = 0; i < n; ++i) all_p += leaf[i].positive, all_m += leaf[i].negative;
    for (size_t i = 0; i < n; ++i) {
        if (i > 0) { /* in order, and equal ones as they were */
            const int c = (ap ? compare_ap : compare_roc)(&leaf[order[i - 1]], &leaf[order[i]]);
            CHECK(c < 0 || (c == 0 && order[i - 1] < order[i]));
        }
        p += leaf[order[i]].positive;
        m += leaf[order[i]].negative;
        const double v = ap ? ap_of(p, p + m, all_p, all_p + all_m) : p / all_p - m / all_m;
        if (v > best + 1e-12) {
            best = v;
            first = i + 1;
        }
    }
    CHECK(taken == first);
}

static void test_merges(void)
{
    scarce__random r = scarce__random_start(5, SCARCE__FOR_TEST, 1);
    for (int t = 0; t < 4000; ++t) {
        scarce__mass leaf[12];
        const size_t n = 2 + (size_t)scarce__random_below(&r, 11);
        for (size_t i = 0; i < n; ++i) {
            leaf[i].positive = (double)scarce__random_below(&r, 6);
            leaf[i].negative = (double)scarce__random_below(&r, 6);
            if (leaf[i].positive + leaf[i].negative == 0) leaf[i].negative = 1;
        }
        leaf[0].positive += 1; /* both classes */
        leaf[n - 1].negative += 1;
        check_merge(leaf, n, 1);
        check_merge(leaf, n, 0);
    }
}

/* ---- whole trees */

static scarce__rank *learn(const scarce_table *table, const scarce__rank_options *o, const double *share)
{
    const scarce__rank_data data = {.table = table, .share = share};
    scarce__rank *rank = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce__rank_learn(&rank, &data, o, NULL, &err) != SCARCE_OK) fprintf(stderr, "%s\n", err.text);
    CHECK(rank != NULL && scarce__rank_check(rank, NULL) == SCARCE_OK);
    return rank;
}

/* The inner tree that a row is in behind node `at`, by walking: what follows its exit (a leaf, or -1 - the next
 * inner root), and whether that is left. */
static int32_t next_place(const scarce__dag *d, uint32_t at, const float *row)
{
    do {
        const scarce__node *n = &d->nodes[at];
        const float x = row[n->feature];
        int left;
        if (x != x) left = (n->flags & SCARCE__MISSING_LEFT) != 0;
        else if (!(n->flags & SCARCE__CATEGORY)) left = x <= n->value;
        else if (x < 32 * (float)n->set_words)
            left = (int)(d->sets[n->set + (uint32_t)x / 32] >> ((uint32_t)x % 32) & 1);
        else left = (n->flags & SCARCE__OTHER_LEFT) != 0;
        at = (uint32_t)(left ? n->left : n->right);
    } while (d->nodes[at].feature >= 0 && !(d->nodes[at].flags & SCARCE__INNER_ROOT));
    return d->nodes[at].feature < 0 ? d->nodes[at].left : -1 - (int32_t)at;
}

/* The first leaf behind a place. */
static uint32_t best_behind(const scarce__dag *d, int32_t place)
{
    uint32_t best = UINT32_MAX;
    if (place >= 0) return (uint32_t)place;
    uint8_t *seen = calloc(d->n_nodes, 1);
    seen[-1 - place] = 1;
    for (size_t i = 0; i < d->n_nodes; ++i) {
        if (!seen[i]) continue;
        if (d->nodes[i].feature < 0) {
            if ((uint32_t)d->nodes[i].left < best) best = (uint32_t)d->nodes[i].left;
            continue;
        }
        seen[d->nodes[i].left] = seen[d->nodes[i].right] = 1;
    }
    free(seen);
    return best;
}

/* At each inner tree: the enriched side is on top of the list, and no other prefix of its exits would have a larger
 * AP (or beta - alpha) than that side has. */
static void check_meta(const scarce__dag *d, const scarce_table *table, int ap)
{
    const size_t n = table->n_rows, width = scarce_table_features(table);
    float *rows = calloc(n * width, sizeof *rows);
    uint32_t *at = calloc(n, sizeof *at);
    uint64_t *count = calloc(2 * d->n_leaves, sizeof *count);

    for (size_t i = 0; i < n; ++i) take_row(rows + i * width, table, i);
    for (size_t root = 0; root < d->n_nodes; ++root) {
        if (d->nodes[root].feature < 0 || !(d->nodes[root].flags & SCARCE__INNER_ROOT)) continue;
        double p = 0, m = 0, sum[2][2] = {{0, 0}, {0, 0}};
        int32_t side[2] = {INT32_MAX, INT32_MAX};
        size_t here = 0;
        for (size_t i = 0; i < n; ++i) {
            if (at[i] != root) continue;
            const int32_t to = next_place(d, (uint32_t)root, rows + i * width);
            if (side[0] == INT32_MAX || side[0] == to) side[0] = to;
            else if (side[1] == INT32_MAX || side[1] == to) side[1] = to;
            else CHECK(0); /* two sides */
            const int k = to != side[0];
            sum[k][table->label[i]] += 1;
            *(table->label[i] ? &p : &m) += 1;
            if (to < 0) at[i] = (uint32_t)(-1 - to);
            else {
                at[i] = UINT32_MAX;
                ++count[2 * to + table->label[i]];
            }
            ++here;
        }
        CHECK(here == d->nodes[root].rows && side[1] != INT32_MAX);
        const int rich = best_behind(d, side[1]) < best_behind(d, side[0]);
        const double *s = sum[rich], *o = sum[!rich];
        if (ap)
            CHECK(ap_of(s[1], s[0] + s[1], p, p + m) >= ap_of(p, p + m, p, p + m) - 1e-12 &&
                  ap_of(s[1], s[0] + s[1], p, p + m) >= ap_of(o[1], o[0] + o[1], p, p + m) - 1e-12);
        else CHECK(s[1] / p - s[0] / m > 0);
    }
    for (size_t k = 0; k < d->n_leaves; ++k) {
        CHECK(d->leaves[k].positives == count[2 * k + 1]);
        CHECK(d->leaves[k].rows == count[2 * k] + count[2 * k + 1]);
        CHECK(d->leaves[k].score == (double)(d->n_leaves - k) / (double)d->n_leaves);
    }
    free(rows);
    free(at);
    free(count);
}

static void check_ties(const scarce__rank *r, const scarce_table *table)
{
    const scarce__dag *d = &r->dags[0];
    const size_t width = scarce_table_features(table);
    float *row = calloc(width, sizeof *row);
    size_t told = 0;
    for (size_t i = 0; i < table->n_rows; ++i) {
        take_row(row, table, i);
        const scarce__rank_leaf *l = &d->leaves[d->nodes[scarce__dag_exit(d, row)].left];
        const double s = scarce__rank_score(r, row);
        CHECK(fabs(s - l->score) <= 0.45 / (double)d->n_leaves);
        told += s != l->score;
    }
    CHECK(told > table->n_rows / 2);
    free(row);
}

static void test_meta_trees(void)
{
    const table_kind kinds[] = {TABLE_PAYMENTS, TABLE_RARE, TABLE_WORDS};
    for (size_t k = 0; k < 3; ++k)
        for (int depth = 1; depth <= 5; ++depth)
            for (int shape = SCARCE__TREERANK; shape <= SCARCE__METAAP; ++shape) {
                scarce_table *table = make_table_of(kinds[k], 900, (uint64_t)depth, NULL);
                scarce__rank_options o = SCARCE__RANK_OPTIONS_INIT;
                o.shape = (scarce__rank_shape)shape;
                o.max_depth = depth;
                scarce__rank *r = learn(table, &o, NULL);
                if (r) {
                    CHECK(r->dags[0].n_leaves >= 2 && r->dags[0].n_leaves <= (size_t)1 << depth);
                    check_meta(&r->dags[0], table, shape == SCARCE__METAAP);
                    check_ties(r, table);
                }
                scarce__rank_free(r);
                scarce_table_free(table);
            }
}

/* ---- rules */

static size_t conditions_of(const scarce__rules *r)
{
    size_t n = 0;
    for (size_t k = 0; k < r->n; ++k) n += r->boxes[k].n;
    return n;
}

/* Read from the top, the first box that holds is of the row's leaf; and nothing got longer. */
static void check_order(scarce__rules *r, const scarce__dag *d, const scarce_table *table,
                        const scarce_table *rows)
{
    const size_t width = scarce_table_features(table), before = conditions_of(r);
    float *row = calloc(width, sizeof *row);
    scarce__rules_order(r, &table->schema);
    CHECK(conditions_of(r) <= before);
    for (size_t i = 0; i < rows->n_rows; ++i) {
        size_t k = 0;
        take_row(row, rows, i);
        for (size_t f = 0; f < width; ++f) /* and rows that lack something, or have a new category */
            if ((i + f) % 11 == 0) row[f] = NAN;
            else if ((i + f) % 13 == 0 && table->schema.features[f].kind == SCARCE_COLUMN_CATEGORY)
                row[f] = (float)table->schema.features[f].categories.count;
        while (k < r->n && !scarce__box_holds(&r->boxes[k], row)) ++k;
        CHECK(k < r->n && r->boxes[k].target == d->nodes[scarce__dag_exit(d, row)].left);
    }
    free(row);
}

static void check_rules(const scarce__dag *d, const scarce_table *table, const scarce_table *rows)
{
    const size_t width = scarce_table_features(table);
    float *row = calloc(width, sizeof *row);
    scarce__rules r;

    CHECK(scarce__rules_of(&r, d, &table->schema, 0, 0, NULL) == SCARCE_OK);
    for (size_t i = 0; i < rows->n_rows + 2; ++i) {
        if (i < rows->n_rows) take_row(row, rows, i);
        else
            for (size_t f = 0; f < width; ++f) { /* nothing known; nothing like the training rows */
                const scarce__feature *x = &table->schema.features[f];
                row[f] = i == rows->n_rows                   ? NAN
                         : x->kind == SCARCE_COLUMN_CATEGORY ? (float)x->categories.count
                                                             : 1e30f;
            }
        const int32_t leaf = d->nodes[scarce__dag_exit(d, row)].left;
        size_t here = 0, elsewhere = 0;
        for (size_t k = 0; k < r.n; ++k) {
            if (!scarce__box_holds(&r.boxes[k], row)) continue;
            if (r.boxes[k].target == leaf) ++here;
            else ++elsewhere;
        }
        CHECK(here >= 1 && elsewhere == 0);
    }
    for (size_t k = 1; k < r.n; ++k) CHECK(r.boxes[k - 1].target <= r.boxes[k].target);
    check_order(&r, d, table, rows);
    scarce__rules_deinit(&r);
    free(row);
}

static void test_rules(void)
{
    const table_kind kinds[] = {TABLE_PAYMENTS, TABLE_WORDS, TABLE_MERCHANTS};
    for (size_t k = 0; k < 3; ++k) {
        scarce_table *table = make_table_of(kinds[k], 800, 3, NULL), *other;
        other = make_table_of(kinds[k], 400, 9, table);
        for (int shape = SCARCE__CART; shape <= SCARCE__METAAP; ++shape)
            for (int depth = 1; depth <= 4; ++depth) {
                scarce__rank_options o = SCARCE__RANK_OPTIONS_INIT;
                o.shape = (scarce__rank_shape)shape;
                o.max_depth = depth;
                scarce__rank *r = learn(table, &o, NULL);
                if (r) check_rules(&r->dags[0], table, other);
                scarce__rank_free(r);
            }
        scarce_table_free(table);
        scarce_table_free(other);
    }
}

/* ---- thresholds */

static void test_short_numbers(void)
{
    CHECK(scarce__short_between(2, 3) == 2);
    CHECK(scarce__short_between(13, 14) == 13);
    CHECK(scarce__short_between(0.5f, 1000) == 500);
    CHECK(scarce__short_between(213.5f, 214.0f) == 213.7f || scarce__short_between(213.5f, 214.0f) == 213.8f);
    CHECK(scarce__short_between(-3, 5) == 1);
    scarce__random r = scarce__random_start(3, SCARCE__FOR_TEST, 2);
    for (int t = 0; t < 20000; ++t) {
        const double scale = exp(40 * scarce__random_unit(&r) - 20);
        float a = (float)(scale * scarce__random_normal(&r)), b = (float)(scale * scarce__random_normal(&r));
        if (t % 3 == 0) b = nextafterf(a, INFINITY);
        if (a == b) continue;
        const float low = a < b ? a : b, high = a < b ? b : a, x = scarce__short_between(low, high);
        CHECK(low <= x && x < high);
    }
}

/* Rounded or not, the training rows are in the same leaves. */
static void test_rounding(void)
{
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        scarce_table *table = make_table_of(seed % 2 ? TABLE_PAYMENTS : TABLE_WORDS, 700, seed, NULL);
        const size_t width = scarce_table_features(table);
        float *row = calloc(width, sizeof *row);
        scarce__rank_options o = SCARCE__RANK_OPTIONS_INIT;
        o.thresholds = seed % 3 ? SCARCE__THRESHOLDS_EXACT : SCARCE__THRESHOLDS_BINS;
        scarce__rank *a = learn(table, &o, NULL);
        o.rounded = 0;
        scarce__rank *b = learn(table, &o, NULL);
        size_t moved = 0;
        CHECK(a->dags[0].n_nodes == b->dags[0].n_nodes);
        for (size_t i = 0; i < a->dags[0].n_nodes; ++i)
            moved += a->dags[0].nodes[i].value != b->dags[0].nodes[i].value;
        CHECK(moved > 0);
        for (size_t i = 0; i < table->n_rows; ++i) {
            take_row(row, table, i);
            CHECK(scarce__dag_exit(&a->dags[0], row) == scarce__dag_exit(&b->dags[0], row));
        }
        scarce__rank_free(a);
        scarce__rank_free(b);
        scarce_table_free(table);
        free(row);
    }
}

/* ---- equal ways to the same tree */

static void check_same(const scarce__rank *a, const scarce__rank *b, const scarce_table *table, double within)
{
    const size_t width = scarce_table_features(table);
    float *row = calloc(width, sizeof *row);
    CHECK(a && b && a->dags[0].n_leaves == b->dags[0].n_leaves);
    for (size_t i = 0; a && b && i < table->n_rows; ++i) {
        take_row(row, table, i);
        CHECK(fabs(scarce__rank_score(a, row) - scarce__rank_score(b, row)) <= within);
    }
    free(row);
}

/* Labels as shares, and weights that are all 2, make the tree of plain rows. */
static void test_soft(void)
{
    for (int shape = SCARCE__CART; shape <= SCARCE__METAAP; ++shape) {
        scarce_table *table = make_table_of(TABLE_PAYMENTS, 700, 4, NULL);
        double *share = calloc(table->n_rows, sizeof *share), *two = calloc(table->n_rows, sizeof *two);
        scarce__rank_options o = SCARCE__RANK_OPTIONS_INIT;
        o.shape = (scarce__rank_shape)shape;
        o.max_depth = 4;
        for (size_t i = 0; i < table->n_rows; ++i) {
            share[i] = table->label[i];
            two[i] = 2;
        }
        scarce__rank *plain = learn(table, &o, NULL), *soft = learn(table, &o, share);
        if (shape != SCARCE__CART) check_same(plain, soft, table, 1e-9); /* gini-soft wants a gain */
        CHECK(scarce_table_set_weight(table, two, NULL) == SCARCE_OK);
        scarce__rank *heavy = learn(table, &o, NULL);
        check_same(plain, heavy, table, 1e-9);
        scarce__rank_free(plain);
        scarce__rank_free(soft);
        scarce__rank_free(heavy);
        scarce_table_free(table);
        free(share);
        free(two);
    }
}

/* Where a column has no more values than bins, bins are as good as every threshold: the same leaves. */
static void test_bins(void)
{
    enum { ROWS = 3000, COLUMNS = 4 };
    static float x[ROWS * COLUMNS];
    static uint8_t y[ROWS];
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 7);
        scarce_table *table = NULL;
        for (size_t i = 0; i < ROWS; ++i) {
            double risk = 0;
            for (size_t f = 0; f < COLUMNS; ++f) {
                const double v = (double)scarce__random_below(&r, 60);
                x[i * COLUMNS + f] = (float)v;
                risk += f < 2 ? v : 0;
            }
            y[i] = scarce__random_unit(&r) < (risk > 95 ? 0.6 : 0.03);
        }
        CHECK(scarce_table_from_floats(&table, x, ROWS, COLUMNS, NULL, y, NULL) == SCARCE_OK);
        for (int shape = SCARCE__CART; shape <= SCARCE__METAAP; ++shape) {
            scarce__rank_options o = SCARCE__RANK_OPTIONS_INIT;
            o.shape = (scarce__rank_shape)shape;
            if (shape == SCARCE__CART) o.criterion = "ap";
            if (shape == SCARCE__TREERANK) continue; /* weights are rounded to integers there */
            o.max_depth = 4;
            o.scores = SCARCE__SCORES_LEAF;
            o.thresholds = SCARCE__THRESHOLDS_EXACT;
            scarce__rank *exact = learn(table, &o, NULL);
            o.thresholds = SCARCE__THRESHOLDS_BINS;
            scarce__rank *bins = learn(table, &o, NULL);
            check_same(exact, bins, table, 0);
            scarce__rank_free(exact);
            scarce__rank_free(bins);
        }
        scarce_table_free(table);
    }
}

/* A forest is the mean of its members, the same with any number of threads. */
static void test_forest(void)
{
    scarce_table *table = make_table_of(TABLE_PAYMENTS, 500, 2, NULL);
    const scarce__rank_data data = {.table = table};
    scarce__rank_options o = SCARCE__RANK_OPTIONS_INIT;
    double *first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
        scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
        scarce_context *ctx = NULL;
        scarce__rank *r = NULL;
        double *score = calloc(table->n_rows, sizeof *score);
        co.threads = threads;
        CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
        CHECK(scarce__rank_forest(&r, &data, &o, 7, ctx, NULL) == SCARCE_OK && r->n_dags == 7);
        CHECK(scarce__rank_score_table(r, table, score, ctx, NULL) == SCARCE_OK);
        if (first) CHECK(memcmp(first, score, table->n_rows * sizeof *score) == 0);
        if (first) free(score);
        else first = score;
        scarce__rank_free(r);
        scarce_context_free(ctx);
    }
    free(first);
    scarce_table_free(table);
}

static const test_case tests[] = {{"merges", test_merges},     {"meta_trees", test_meta_trees},
                                  {"rules", test_rules},       {"short_numbers", test_short_numbers},
                                  {"rounding", test_rounding}, {"soft", test_soft},
                                  {"bins", test_bins},         {"forest", test_forest}};

TEST_MAIN(tests)
