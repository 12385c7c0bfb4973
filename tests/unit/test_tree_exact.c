/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram grower against the exact one, split for split; threads, repeated rows, rows left out, trees
 * grown to the end, and refusals. What a single split is worth: test_tree_criterion.c. */
#include "test.h"

#include "tree/exact.h"
#include "tree_data.h"

typedef struct fixture {
    scarce_table *table;
    scarce__bins bins;
    scarce__codes codes;
    uint32_t *row;
    float *g, *h;
    double *gd, *hd;
    uint8_t *mark;
    size_t n;
} fixture;

/* n rows of a table with one more, which is above all in every number: so no leaf has rows in the last bin,
 * and "any value" against missing is a candidate there as it is here. Every value has its own bin. */
static void setup(fixture *f, size_t n, uint64_t seed, int classes)
{
    const scarce__bin_options o = {255, 1, 0.3, 0};
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 9);
    memset(f, 0, sizeof *f);
    f->n = n;
    f->table = data_table(n + 1, seed, NULL, 1);
    for (size_t k = 0; k < 4; ++k) f->table->columns[k].number[n] = 1e6f;
    f->row = scarce__malloc_array(n, sizeof *f->row);
    for (size_t i = 0; i < n; ++i) f->row[i] = (uint32_t)i;
    CHECK(scarce__bins_find(&f->bins, f->table, NULL, 0, NULL, &o, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__codes_build(&f->codes, &f->bins, f->table, f->row, n, 1, NULL, NULL) == SCARCE_OK);
    f->g = scarce__malloc_array(n, sizeof *f->g);
    f->h = scarce__malloc_array(n, sizeof *f->h);
    f->gd = scarce__malloc_array(n, sizeof *f->gd);
    f->hd = scarce__malloc_array(n, sizeof *f->hd);
    f->mark = scarce__malloc(n);
    for (size_t i = 0; i < n; ++i) { /* multiples of 1/64: sums are exact in any order */
        f->mark[i] = f->table->label[i];
        const double w = (double)(1 + scarce__random_below(&r, 100)) / 64;
        f->h[i] = (float)w;
        if (classes) f->g[i] = f->mark[i] ? -f->h[i] : 0;
        else f->g[i] = (float)((f->mark[i] ? -40.0 : 24.0) + (double)scarce__random_below(&r, 50)) / 64;
        f->gd[i] = (double)f->g[i];
        f->hd[i] = (double)f->h[i];
    }
}

static void teardown(fixture *f)
{
    scarce_table_free(f->table);
    scarce__bins_deinit(&f->bins);
    scarce__codes_deinit(&f->codes);
    scarce__free(f->row);
    scarce__free(f->g);
    scarce__free(f->h);
    scarce__free(f->gd);
    scarce__free(f->hd);
    scarce__free(f->mark);
}

typedef struct grown {
    scarce__binned_tree tree;
    uint32_t *leaf;
} grown;

static void grown_free(grown *g)
{
    scarce__binned_tree_deinit(&g->tree);
    scarce__free(g->leaf);
}

static void grow_histogram(grown *out, const fixture *f, const scarce__grow_options *o)
{
    scarce__grower *w = NULL;
    memset(out, 0, sizeof *out);
    out->leaf = scarce__malloc_array(f->n, sizeof *out->leaf);
    CHECK(scarce__grower_new(&w, &f->bins, f->n, o, NULL) == SCARCE_OK);
    CHECK(scarce__grower_tree(w, &out->tree, &f->codes, f->g, f->h, f->mark, 4, NULL, NULL) == SCARCE_OK);
    scarce__grower_leaves(w, out->leaf);
    scarce__grower_free(w);
}

static void grow_exact(grown *out, const fixture *f, const scarce__grow_options *o, int threads, int doubles)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce__exact *w = NULL;
    const scarce__exact_rows rows = {.g = doubles ? NULL : f->g,
                                     .h = doubles ? NULL : f->h,
                                     .g_double = f->gd,
                                     .h_double = f->hd,
                                     .mark = f->mark};
    memset(out, 0, sizeof *out);
    co.threads = threads;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    out->leaf = scarce__malloc_array(f->n, sizeof *out->leaf);
    CHECK(scarce__exact_new(&w, f->table, f->row, f->n, o, ctx, NULL) == SCARCE_OK);
    CHECK(scarce__exact_tree(w, &out->tree, &rows, 3, ctx, NULL) == SCARCE_OK);
    CHECK(scarce__exact_tree(w, &out->tree, &rows, 4, ctx, NULL) == SCARCE_OK); /* nothing is left over */
    scarce__exact_leaves(w, out->leaf);
    scarce__exact_free(w);
    scarce_context_free(ctx);
}

/* Two categories with the same share of positives may stand in different order in the two growers. That
 * decides nothing unless a limit on the sides cuts between them, or the gain is 0: so no such limits for
 * classes. */
static void test_histogram(void)
{
    static const char *const names[] = {"gini", "entropy", "error", "ap", "newton"};
    size_t nodes[5] = {0}, sets = 0;
    for (uint64_t seed = 0; seed < 60; ++seed) {
        const size_t kind = seed % 5;
        scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
        fixture f;
        grown a, b;

        setup(&f, 100 + 20 * (size_t)(seed % 8), seed, kind < 4);
        o.rules.criterion = kind < 4 ? scarce__criterion_find(names[kind]) : NULL;
        o.rules.min_child_weight = kind < 4 ? 0 : 0.5;
        o.rules.min_child_rows = kind == 4 && seed % 3 == 1 ? 5 : 1;
        o.rules.gamma = kind < 4 ? 0.05 : 0.001;
        o.growth = seed % 4 == 3 ? SCARCE__LEVEL_WISE : SCARCE__BEST_FIRST;
        o.max_leaves = seed % 2 ? 12 : 1000;
        o.max_depth = seed % 4 == 2 ? 4 : 0;
        o.colsample_tree = seed % 6 == 5 ? 0.7 : 1;
        o.colsample_node = seed % 6 >= 4 ? 0.6 : 1;
        o.histogram_double = seed % 7 == 6;
        o.portable = seed % 11 == 10;
        grow_histogram(&a, &f, &o);
        grow_exact(&b, &f, &o, 1, 0);
        int same = a.tree.n_nodes == b.tree.n_nodes && memcmp(a.leaf, b.leaf, f.n * sizeof *a.leaf) == 0;
        for (size_t i = 0; same && i < a.tree.n_nodes; ++i) {
            const scarce__node *x = &a.tree.nodes[i], *y = &b.tree.nodes[i];
            same = x->feature == y->feature && x->left == y->left && x->right == y->right &&
                   x->rows == y->rows && x->gain == y->gain && x->cover == y->cover &&
                   x->set_words == y->set_words && (x->feature >= 0 || x->value == y->value);
            /* in a bundle missing is zero; elsewhere both send it the same way, rows or not */
            const int bundled = x->feature >= 0 && f.bins.used[f.bins.used_of[x->feature]].zero >= 0;
            same = same && (bundled || x->flags == y->flags);
            if (same && x->set_words > 0)
                same = memcmp(a.tree.sets + x->set, b.tree.sets + y->set,
                              x->set_words * sizeof *a.tree.sets) == 0;
            sets += (y->flags & SCARCE__CATEGORY) != 0;
        }
        CHECK(same);
        if (!same) fprintf(stderr, "seed %d, %s\n", (int)seed, names[kind]);
        nodes[kind] += b.tree.n_nodes;
        grown_free(&a);
        grown_free(&b);
        teardown(&f);
    }
    for (int k = 0; k < 5; ++k) CHECK(nodes[k] > 100);
    CHECK(sets > 10);
}

static int same_tree(const grown *a, const grown *b, size_t n)
{
    return a->tree.n_nodes == b->tree.n_nodes && a->tree.n_set_words == b->tree.n_set_words &&
           memcmp(a->tree.nodes, b->tree.nodes, a->tree.n_nodes * sizeof *a->tree.nodes) == 0 &&
           memcmp(a->tree.sets, b->tree.sets, a->tree.n_set_words * sizeof *a->tree.sets) == 0 &&
           memcmp(a->leaf, b->leaf, n * sizeof *a->leaf) == 0;
}

static void test_threads(void)
{
    static const char *const names[] = {"gini", "entropy", "ap", "newton"};
    fixture f;
    setup(&f, 5000, 21, 1);
    for (int k = 0; k < 4; ++k) {
        scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
        grown a, b;
        o.rules.criterion = scarce__criterion_find(names[k]);
        o.rules.min_child_weight = 0;
        o.max_leaves = 0;
        o.colsample_node = k == 0 ? 0.5 : 1;
        grow_exact(&a, &f, &o, 1, 0);
        CHECK(a.tree.n_nodes > (k == 2 ? 10u : 100u) && a.tree.n_set_words > 0);
        for (int threads = 2; threads <= 4; threads += 2) {
            o.portable = threads == 4;
            grow_exact(&b, &f, &o, threads, threads == 2);
            CHECK(same_tree(&a, &b, f.n));
            grown_free(&b);
        }
        grown_free(&a);
    }
    teardown(&f);
}

/* ---- What rows may be */

/* A row that counts three times is three rows; one that counts 0 times is none, and still gets a leaf. */
static void test_times(void)
{
    for (uint64_t seed = 30; seed < 50; ++seed) {
        static const char *const names[] = {"gini", "entropy", "ap", "newton"};
        scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 3);
        scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
        scarce__exact *once = NULL, *repeated = NULL;
        scarce__binned_tree a = {0}, b = {0};
        uint32_t times[200], list[600] = {0}, leaf_a[200], leaf_b[600];
        float g[600], h[600];
        uint8_t mark[600];
        fixture f;
        size_t m = 0;

        setup(&f, 200, seed, seed % 4 < 3);
        for (size_t i = 0; i < 200; ++i) {
            times[i] = (uint32_t)scarce__random_below(&r, 4);
            for (uint32_t k = 0; k < times[i]; ++k, ++m) {
                list[m] = (uint32_t)i;
                g[m] = f.g[i];
                h[m] = f.h[i];
                mark[m] = f.mark[i];
            }
        }
        o.rules.criterion = scarce__criterion_find(names[seed % 4]);
        o.rules.min_child_rows = 3;
        o.max_leaves = 0;
        CHECK(scarce__exact_new(&once, f.table, f.row, 200, &o, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__exact_new(&repeated, f.table, list, m, &o, NULL, NULL) == SCARCE_OK);
        const scarce__exact_rows ra = {.g = f.g, .h = f.h, .mark = f.mark, .times = times};
        const scarce__exact_rows rb = {.g = g, .h = h, .mark = mark};
        CHECK(scarce__exact_tree(once, &a, &ra, 0, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__exact_tree(repeated, &b, &rb, 0, NULL, NULL) == SCARCE_OK);
        CHECK(a.n_nodes == b.n_nodes && a.n_nodes > (seed % 4 == 2 ? 2u : 10u));
        CHECK(memcmp(a.nodes, b.nodes, a.n_nodes * sizeof *a.nodes) == 0);
        scarce__exact_leaves(once, leaf_a);
        scarce__exact_leaves(repeated, leaf_b);
        size_t wrong = 0, out = 0;
        for (size_t k = 0; k < m; ++k) wrong += leaf_b[k] != leaf_a[list[k]];
        scarce__forest one = {.n_features = DATA_FEATURES};
        CHECK(scarce__forest_add(&one, a.nodes, a.n_nodes, a.sets, a.n_set_words, NULL) == SCARCE_OK);
        float *dense = NULL;
        scarce_table_free(data_table(201, seed, &dense, 1));
        for (size_t i = 0; i < 200; ++i) {
            wrong += (float)scarce__forest_walk(&one, dense + i * DATA_FEATURES) != a.nodes[leaf_a[i]].value;
            out += times[i] == 0;
        }
        CHECK(wrong == 0 && out > 20);
        scarce__free(dense);
        scarce__forest_deinit(&one);
        scarce__binned_tree_deinit(&a);
        scarce__binned_tree_deinit(&b);
        scarce__exact_free(once);
        scarce__exact_free(repeated);
        teardown(&f);
    }
}

/* A tree as deep as it has rows, and an XOR, whose first split gains nothing. */
static void test_grown_to_the_end(void)
{
    enum { N = 3000 };
    static float x[2 * N], one[N], g[N];
    static uint8_t y[N];
    static uint32_t leaf[N];
    for (int k = 0; k < 2; ++k) {
        scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
        scarce__exact *w = NULL;
        scarce__binned_tree tree = {0};
        scarce_table *t = NULL;
        const size_t n = k == 0 ? N : 4;
        for (size_t i = 0; i < n; ++i) {
            x[2 * i] = (float)(k == 0 ? i : i / 2);
            x[2 * i + 1] = (float)(k == 0 ? 0 : i % 2);
            y[i] = k == 0 ? i % 2 : (i / 2 + i) % 2;
            one[i] = 1;
            g[i] = y[i] ? -1 : 0;
        }
        o.rules.criterion = &scarce__criterion_gini;
        o.max_leaves = 0;
        o.learning_rate = 1;
        CHECK(scarce_table_from_floats(&t, x, n, 2, NULL, y, NULL) == SCARCE_OK);
        CHECK(scarce__exact_new(&w, t, NULL, 0, &o, NULL, NULL) == SCARCE_OK);
        const scarce__exact_rows rows = {.g = g, .h = one, .mark = y};
        CHECK(scarce__exact_tree(w, &tree, &rows, 0, NULL, NULL) == SCARCE_OK);
        scarce__exact_leaves(w, leaf);
        CHECK(tree.n_nodes == 2 * n - 1);
        for (size_t i = 0; i < n; ++i) CHECK(tree.nodes[leaf[i]].value == (float)y[i]);
        scarce__binned_tree_deinit(&tree);
        scarce__exact_free(w);
        scarce_table_free(t);
    }
}

static void test_refusals(void)
{
    fixture f;
    scarce__exact *w = NULL;
    scarce__binned_tree tree = {0};
    scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
    const int8_t sign[DATA_FEATURES] = {1};
    scarce_error err = SCARCE_ERROR_INIT;

    setup(&f, 60, 5, 1);
    o.monotone = sign;
    CHECK(scarce__exact_new(&w, f.table, NULL, 0, &o, NULL, &err) == SCARCE_EINVAL && !w);
    CHECK_TEXT(err.text, "exact trees know no monotone constraints");
    o.monotone = NULL;
    o.rules.random = 1;
    CHECK(scarce__exact_new(&w, f.table, NULL, 0, &o, NULL, &err) == SCARCE_EINVAL && !w);
    o.rules.random = 0;
    CHECK(scarce__exact_new(&w, f.table, f.row, 0, &o, NULL, &err) == SCARCE_EDATA && !w);
    o.rules.criterion = &scarce__criterion_gini;
    CHECK(scarce__exact_new(&w, f.table, f.row, f.n, &o, NULL, NULL) == SCARCE_OK);
    scarce__exact_rows rows = {.g = f.g, .h = f.h};
    CHECK(scarce__exact_tree(w, &tree, &rows, 0, NULL, &err) == SCARCE_EBUG);
    rows.mark = f.mark;
    f.g[7] = NAN;
    CHECK(scarce__exact_tree(w, &tree, &rows, 2, NULL, &err) == SCARCE_ENUMERIC);
    CHECK_TEXT(err.text, "row 8 of tree 3: its gradient isn't finite");
    uint32_t none[60] = {0}, leaf[60];
    rows.times = none; /* no row at all: one leaf, and it is everybody's */
    CHECK(scarce__exact_tree(w, &tree, &rows, 0, NULL, &err) == SCARCE_OK);
    CHECK(tree.n_nodes == 1 && tree.nodes[0].value == 0 && tree.nodes[0].rows == 0);
    scarce__exact_leaves(w, leaf);
    for (size_t i = 0; i < f.n; ++i) CHECK(leaf[i] == 0);
    CHECK(scarce__criterion_find("gain") == NULL);
    scarce__binned_tree_deinit(&tree);
    scarce__exact_free(w);
    teardown(&f);
}

static const test_case tests[] = {
    {"histogram", test_histogram}, {"threads", test_threads},
    {"times", test_times},         {"grown_to_the_end", test_grown_to_the_end},
    {"refusals", test_refusals},
};
TEST_MAIN(tests)
