/* SPDX-License-Identifier: Apache-2.0 */
/* Deep trees against brute force: with all features looked at, every split of a tree must gain what the best of all
 * splits over raw values gains, and every leaf must be one that can't be split. Then weights against copies, the
 * draws of features, and limits. */
#include "test.h"

#include "tree/deep.h"
#include "tree/step.h"
#include "tree_data.h"

typedef struct fixture {
    scarce_table *table;
    float *x; /* rows as the forest sees them */
    scarce__bins bins;
    scarce__codes codes;
    size_t n;
} fixture;

static void setup(fixture *f, size_t n, uint64_t seed, double bundle_share)
{
    const scarce__bin_options o = {255, 1, bundle_share, 0};
    memset(f, 0, sizeof *f);
    f->n = n;
    f->table = data_table(n, seed, &f->x, 1);
    CHECK(scarce__bins_find(&f->bins, f->table, NULL, 0, NULL, &o, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__codes_build(&f->codes, &f->bins, f->table, NULL, n, 1, NULL, NULL) == SCARCE_OK);
}

static void teardown(fixture *f)
{
    scarce_table_free(f->table);
    scarce__bins_deinit(&f->bins);
    scarce__codes_deinit(&f->codes);
    scarce__free(f->x);
}

static scarce__binned_tree grow(const fixture *f, const scarce__deep_options *o,
                                const scarce__deep_rows *rows, uint64_t index)
{
    scarce__binned_tree tree = {0};
    scarce__deep *w = NULL;
    CHECK(scarce__deep_new(&w, &f->bins, f->n, o, NULL) == SCARCE_OK);
    if (w) CHECK(scarce__deep_tree(w, &tree, rows, index, NULL) == SCARCE_OK);
    scarce__deep_free(w);
    return tree;
}

static scarce__deep_rows all_rows(const fixture *f)
{
    const scarce__deep_rows rows = {.codes = &f->codes, .label = f->table->label};
    return rows;
}

/* ---- brute force */

typedef struct node_rows {
    const fixture *f;
    const double *weight; /* per row; 0: not in the tree */
    const uint8_t *here;
    int entropy;
} node_rows;

static double impurity(const node_rows *r, double p, double w)
{
    const double n = w - p;
    if (!r->entropy) return w > 0 ? 2 * p * n / w : 0;
    return p > 0 && n > 0 ? -(p * log2(p / w) + n * log2(n / w)) : 0;
}

/* What sending the rows where left[i] to the left gains; -inf when a side is empty. */
static double gain_of(const node_rows *r, const uint8_t *left)
{
    double p[2] = {0, 0}, w[2] = {0, 0};
    for (size_t i = 0; i < r->f->n; ++i) {
        if (!r->here[i] || r->weight[i] == 0) continue;
        w[left[i]] += r->weight[i];
        if (r->f->table->label[i]) p[left[i]] += r->weight[i];
    }
    if (w[0] == 0 || w[1] == 0) return -INFINITY;
    return impurity(r, p[0] + p[1], w[0] + w[1]) - impurity(r, p[0], w[0]) - impurity(r, p[1], w[1]);
}

static double best_numeric(const node_rows *r, const scarce__bin_feature *b)
{
    double best = -INFINITY;
    uint8_t *left = calloc(r->f->n, 1);
    for (unsigned e = 0; e + 1 < b->n_bins; ++e)
        for (int missing = 0; missing < 2; ++missing) {
            const float edge = r->f->bins.edges[b->edge + e];
            for (size_t i = 0; i < r->f->n; ++i) {
                const float x = r->f->x[i * DATA_FEATURES + b->feature];
                left[i] = x != x ? (uint8_t)missing : x <= edge;
            }
            best = fmax(best, gain_of(r, left));
        }
    free(left);
    return best;
}

/* All subsets of up to 7 codes. */
static double best_subset(const node_rows *r, const scarce__bin_feature *b)
{
    double best = -INFINITY;
    uint8_t *left = calloc(r->f->n, 1);
    for (unsigned set = 1; set < 127; ++set) {
        for (size_t i = 0; i < r->f->n; ++i)
            left[i] = set >> scarce__bins_code(&r->f->bins, b, r->f->x[i * DATA_FEATURES + b->feature]) & 1;
        best = fmax(best, gain_of(r, left));
    }
    free(left);
    return best;
}

static double best_gain(const node_rows *r)
{
    double best = -INFINITY;
    for (size_t u = 0; u < r->f->bins.n_used; ++u) {
        const scarce__bin_feature *b = &r->f->bins.used[u];
        if (!b->category) best = fmax(best, best_numeric(r, b));
        else if (b->n_bins <= 7) best = fmax(best, best_subset(r, b));
    }
    return best;
}

/* Checks the node and those below it; many: a feature of many categories may be better than brute force knows. */
static void check_node(const scarce__binned_tree *tree, uint32_t at, const node_rows *r, uint8_t *here)
{
    const scarce__node *node = &tree->nodes[at];
    const node_rows now = {r->f, r->weight, here, r->entropy};
    double p = 0, w = 0;
    size_t rows = 0;

    for (size_t i = 0; i < r->f->n; ++i) {
        if (!here[i] || r->weight[i] == 0) continue;
        w += r->weight[i];
        rows += 1;
        if (r->f->table->label[i]) p += r->weight[i];
    }
    CHECK_NEAR(node->cover, w, 1e-4);
    const double best = p > 0 && p < w ? best_gain(&now) : -INFINITY;
    if (node->feature < 0) {
        CHECK_NEAR(node->value, p / w, 1e-6);
        CHECK(best == -INFINITY || rows < 2);
        return;
    }
    CHECK(node->gain >= best - 1e-5 * w);
    if (node->feature != 5) CHECK_NEAR(node->gain, best, 1e-5 * w);
    uint8_t *side[2] = {calloc(r->f->n, 1), calloc(r->f->n, 1)};
    for (size_t i = 0; i < r->f->n; ++i) {
        const float x = r->f->x[i * DATA_FEATURES + (size_t)node->feature];
        if (here[i]) side[scarce__node_left(tree->sets, node, x)][i] = 1;
    }
    CHECK_NEAR(gain_of(&now, side[1]), node->gain, 1e-5 * w);
    check_node(tree, (uint32_t)node->left, r, side[1]);
    check_node(tree, (uint32_t)node->right, r, side[0]);
    free(side[0]);
    free(side[1]);
}

static void check_tree(const fixture *f, const scarce__deep_rows *rows, const double *weight, int entropy)
{
    scarce__deep_options o = SCARCE__DEEP_OPTIONS_INIT;
    uint8_t *here = malloc(f->n);
    const node_rows r = {f, weight, here, entropy};

    o.features = f->bins.n_used;
    if (entropy) o.rules.criterion = &scarce__criterion_entropy;
    scarce__binned_tree tree = grow(f, &o, rows, 3);
    memset(here, 1, f->n);
    CHECK(tree.n_nodes > 1);
    check_node(&tree, 0, &r, here);
    scarce__binned_tree_deinit(&tree);
    free(here);
}

static void test_brute_force(void)
{
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        fixture f;
        setup(&f, 40 + 15 * (size_t)seed, seed, seed % 2 ? 0.3 : 0);
        scarce__deep_rows rows = all_rows(&f);
        uint32_t *row = calloc(f.n, sizeof *row), *times = calloc(f.n, sizeof *times);
        double *weight = calloc(f.n, sizeof *weight);
        float *given = calloc(f.n, sizeof *given);
        for (size_t i = 0; i < f.n; ++i) weight[i] = 1;
        check_tree(&f, &rows, weight, seed % 3 == 0);
        for (size_t i = 0; i < f.n; ++i) { /* a bootstrap, and weights beside it */
            const uint32_t t = (uint32_t)(scarce__mix64(seed * 1000 + i) % 4);
            given[i] = 0.25f * (float)(1 + i % 5);
            weight[i] = (double)t * (double)given[i];
            if (t == 0) continue;
            row[rows.n] = (uint32_t)i;
            times[rows.n++] = t;
        }
        rows.row = row;
        rows.times = times;
        rows.weight = given;
        check_tree(&f, &rows, weight, seed % 3 == 0);
        teardown(&f);
        free(row);
        free(times);
        free(weight);
        free(given);
    }
}

/* ---- weights and copies */

static int same_trees(const scarce__binned_tree *a, const scarce__binned_tree *b)
{
    if (a->n_nodes != b->n_nodes || a->n_set_words != b->n_set_words) return 0;
    for (size_t i = 0; i < a->n_nodes; ++i) {
        const scarce__node *x = &a->nodes[i], *y = &b->nodes[i];
        if (x->feature != y->feature || x->value != y->value || x->left != y->left || x->right != y->right ||
            x->flags != y->flags || x->gain != y->gain || x->cover != y->cover)
            return 0;
    }
    return 1;
}

/* A leaf of n rows holds n / (n + smoothing) of its share; nothing else changes. */
static void test_smoothing(void)
{
    fixture f;
    setup(&f, 400, 9, 0.3);
    const scarce__deep_rows rows = all_rows(&f);
    scarce__deep_options o = SCARCE__DEEP_OPTIONS_INIT;
    scarce__binned_tree plain = grow(&f, &o, &rows, 3);
    o.smoothing = 0.5;
    scarce__binned_tree smooth = grow(&f, &o, &rows, 3);

    CHECK(plain.n_nodes > 1 && plain.n_nodes == smooth.n_nodes);
    for (size_t i = 0; i < plain.n_nodes; ++i) {
        const scarce__node *a = plain.nodes + i, *b = smooth.nodes + i;
        CHECK(a->feature == b->feature && a->rows == b->rows);
        const double part = a->feature < 0 ? a->rows / (a->rows + 0.5) : 1;
        CHECK_NEAR(b->value, part * (double)a->value, 1e-7);
    }
    scarce__binned_tree_deinit(&plain);
    scarce__binned_tree_deinit(&smooth);
    teardown(&f);
}

static void test_weights_are_copies(void)
{
    fixture f;
    setup(&f, 3000, 5, 0.3); /* large nodes too */
    scarce__deep_options o = SCARCE__DEEP_OPTIONS_INIT;
    uint32_t *row = calloc(f.n, sizeof *row), *times = calloc(f.n, sizeof *times);
    float *weight = calloc(f.n, sizeof *weight);
    scarce__deep_rows a = all_rows(&f), b = all_rows(&f), c = all_rows(&f);

    o.features = 3;
    for (size_t i = 0; i < f.n; ++i) {
        row[i] = (uint32_t)i;
        times[i] = (uint32_t)(1 + i % 3);
        weight[i] = (float)times[i];
    }
    a.row = row;
    a.times = times;
    a.n = f.n;
    b.weight = weight;
    for (size_t i = 0; i < f.n; ++i) weight[i] = (float)times[i];
    scarce__binned_tree x = grow(&f, &o, &a, 7), y = grow(&f, &o, &b, 7);
    CHECK(same_trees(&x, &y));
    for (size_t i = 0; i < f.n; ++i) weight[i] = 1;
    c.weight = weight;
    const scarce__deep_rows plain = all_rows(&f);
    scarce__binned_tree z = grow(&f, &o, &c, 7), u = grow(&f, &o, &plain, 7), v = grow(&f, &o, &plain, 8);
    CHECK(same_trees(&z, &u) && !same_trees(&u, &v));
    scarce__binned_tree_deinit(&x);
    scarce__binned_tree_deinit(&y);
    scarce__binned_tree_deinit(&z);
    scarce__binned_tree_deinit(&u);
    scarce__binned_tree_deinit(&v);
    free(row);
    free(times);
    free(weight);
    teardown(&f);
}

/* ---- drawing features */

/* One feature of a node at a time: each of those that can be split is the root's as often as any other. */
static void test_draws(void)
{
    enum { TREES = 4000 };
    fixture f;
    setup(&f, 200, 9, 0);
    scarce__deep_options o = SCARCE__DEEP_OPTIONS_INIT;
    scarce__deep *w = NULL;
    scarce__binned_tree tree = {0};
    const scarce__deep_rows rows = all_rows(&f);
    size_t count[DATA_FEATURES] = {0};

    o.features = 1;
    o.max_depth = 1;
    CHECK(scarce__deep_new(&w, &f.bins, f.n, &o, NULL) == SCARCE_OK);
    for (uint64_t t = 0; t < TREES; ++t) {
        CHECK(scarce__deep_tree(w, &tree, &rows, t, NULL) == SCARCE_OK);
        CHECK(tree.n_nodes == 3);
        ++count[tree.nodes[0].feature];
    }
    const double each = (double)TREES / (double)f.bins.n_used;
    for (size_t k = 0; k < DATA_FEATURES; ++k) {
        if (f.bins.used_of[k] < 0) CHECK(count[k] == 0);
        else CHECK_NEAR(count[k], each, 5 * sqrt(each));
    }
    scarce__deep_free(w);
    scarce__binned_tree_deinit(&tree);
    teardown(&f);
}

/* ---- limits */

static void test_limits(void)
{
    fixture f;
    setup(&f, 500, 3, 0.3);
    scarce__deep_options o = SCARCE__DEEP_OPTIONS_INIT;
    const scarce__deep_rows rows = all_rows(&f);

    o.features = f.bins.n_used;
    o.rules.min_child_rows = 20;
    o.rules.min_child_marks = 3;
    o.max_depth = 4;
    scarce__binned_tree tree = grow(&f, &o, &rows, 0);
    CHECK(tree.n_nodes > 7 && tree.n_nodes <= 31);
    for (size_t i = 0; i < tree.n_nodes; ++i)
        CHECK(tree.nodes[i].rows >= 20 && (float)tree.nodes[i].rows == tree.nodes[i].cover);
    for (size_t i = 0; i < tree.n_nodes; ++i)
        if (tree.nodes[i].feature < 0) CHECK(tree.nodes[i].value * tree.nodes[i].cover > 2.5f);
    scarce__binned_tree_deinit(&tree);
    o.rules = (scarce__split_rules){.criterion = &scarce__criterion_gini, .gamma = 1e6};
    tree = grow(&f, &o, &rows, 0);
    CHECK(tree.n_nodes == 1);
    scarce__binned_tree_deinit(&tree);
    teardown(&f);
}

static const test_case tests[] = {{"brute_force", test_brute_force},
                                  {"weights_are_copies", test_weights_are_copies},
                                  {"smoothing", test_smoothing},
                                  {"draws", test_draws},
                                  {"limits", test_limits}};

TEST_MAIN(tests)
