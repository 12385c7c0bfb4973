/* SPDX-License-Identifier: Apache-2.0 */
/* Coarse rounding: rows of small gradient mostly round to 0, the sums keep their mean and gain no more
 * variance than promised; the tree's leaves speak of all rows with their exact gradients; threads and
 * instances of the kernels change no bit. */
#include "test.h"

#include "tree/forest.h"
#include "tree/grow.h"
#include "tree/quantise.h"
#include "tree_data.h"

enum { ROWS = 70001 }; /* above the border, and no multiple of a block */

typedef struct fixture {
    scarce_table *table;
    float *dense, *g, *h;
    scarce__bins bins;
    scarce__codes codes;
} fixture;

/* One row in 700 is positive: gradients of a logistic model that has learned a little. */
static void setup(fixture *f)
{
    const scarce__bin_options o = {255, 1, 0.3, 0};
    memset(f, 0, sizeof *f);
    f->table = data_table(ROWS, 5, &f->dense, 1);
    CHECK(scarce__bins_find(&f->bins, f->table, NULL, 0, NULL, &o, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__codes_build(&f->codes, &f->bins, f->table, NULL, 0, 1, NULL, NULL) == SCARCE_OK);
    f->g = scarce__malloc_array(ROWS, sizeof *f->g);
    f->h = scarce__malloc_array(ROWS, sizeof *f->h);
    for (size_t i = 0; i < ROWS; ++i) {
        const float *x = f->dense + i * DATA_FEATURES;
        const double s = -7.5 + (double)x[0] + 0.3 * (double)x[1], p = 1 / (1 + exp(-s));
        const int positive = i % 700 == 3;
        f->g[i] = (float)(p - positive);
        f->h[i] = (float)(p * (1 - p));
    }
}

static void teardown(fixture *f)
{
    scarce_table_free(f->table);
    scarce__free(f->dense);
    scarce__free(f->g);
    scarce__free(f->h);
    scarce__bins_deinit(&f->bins);
    scarce__codes_deinit(&f->codes);
}

/* The mean of the total over many keys is the exact total; its variance is at most noise * sum g^2. */
static void test_rounding(void)
{
    enum { DRAWS = 400 };
    const double noise = 1.0 / 16;
    fixture f;
    scarce__gh *q = scarce__malloc_array(ROWS, sizeof *q), *other = scarce__malloc_array(ROWS, sizeof *other);
    double exact = 0, squares = 0, sum = 0, sum2 = 0, abs_g = 0;
    size_t kept = 0;
    scarce__quantised u, v;

    setup(&f);
    for (size_t i = 0; i < ROWS; ++i) {
        exact += (double)f.g[i];
        squares += (double)f.g[i] * (double)f.g[i];
        abs_g += fabs((double)f.g[i]);
    }
    for (uint64_t k = 0; k < DRAWS; ++k) {
        CHECK(scarce__quantise(&u, q, f.g, f.h, ROWS, noise, k << 32, 0, NULL));
        CHECK(u.coarse && u.unit_g == u.unit_h);
        const double t = scarce__gh_g(u.total) * u.unit_g - exact;
        sum += t;
        sum2 += t * t;
        for (size_t i = 0; i < ROWS; ++i) kept += q[i] != 0;
    }
    const double sd = sqrt(1.5 * noise * squares); /* the unit is rounded to a power of two */
    CHECK(fabs(sum / DRAWS) < 4 * sd / sqrt(DRAWS));
    CHECK(sum2 / DRAWS < sd * sd * 1.3);
    CHECK(sum2 / DRAWS > 0); /* it is random at all */
    CHECK((double)kept / DRAWS < 1.5 * abs_g * abs_g / (noise * squares));
    CHECK((double)kept / DRAWS < 0.4 * ROWS);

    CHECK(scarce__quantise(&u, q, f.g, f.h, ROWS, noise, 9, 0, NULL));
    CHECK(scarce__quantise(&v, other, f.g, f.h, ROWS, noise, 9, 1, NULL)); /* the plain instance */
    CHECK(u.total == v.total && memcmp(q, other, ROWS * sizeof *q) == 0);

    for (size_t i = 0; i < ROWS; ++i) { /* equal gradients: nothing to save, so nothing is rounded coarsely */
        f.g[i] = i % 2 ? 0.5f : -0.5f;
        f.h[i] = 0.25f;
    }
    CHECK(scarce__quantise(&u, q, f.g, f.h, ROWS, noise, 1, 0, NULL));
    CHECK(!u.coarse && u.unit_g < 1e-3);
    memset(f.g, 0, ROWS * sizeof *f.g);
    CHECK(scarce__quantise(&u, q, f.g, f.h, ROWS, noise, 1, 0, NULL) && !u.coarse);
    scarce__free(q);
    scarce__free(other);
    teardown(&f);
}

typedef struct grown {
    scarce__binned_tree tree;
    float *score;
    uint32_t *leaf;
} grown;

static void grow_with(grown *out, const fixture *f, double rounding, int threads, int portable, int random)
{
    scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx;
    scarce__grower *grower;

    memset(out, 0, sizeof *out);
    co.threads = threads;
    o.rounding = rounding;
    o.portable = portable;
    o.rules.random = random;
    o.rules.min_child_weight = 0.1;
    out->score = scarce__calloc(ROWS, sizeof *out->score);
    out->leaf = scarce__calloc(ROWS, sizeof *out->leaf);
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce__grower_new(&grower, &f->bins, ROWS, &o, NULL) == SCARCE_OK);
    CHECK(scarce__grower_tree(grower, &out->tree, &f->codes, f->g, f->h, NULL, 7, ctx, NULL) == SCARCE_OK);
    scarce__grower_add(grower, &out->tree, out->score, ctx);
    scarce__grower_leaves(grower, out->leaf);
    scarce__grower_free(grower);
    scarce_context_free(ctx);
}

static void grown_free(grown *t)
{
    scarce__binned_tree_deinit(&t->tree);
    scarce__free(t->score);
    scarce__free(t->leaf);
}

/* Leaf values, covers and counts against a walk of every row and plain sums. */
static void check_leaves(const fixture *f, const grown *t)
{
    const size_t n_nodes = t->tree.n_nodes;
    double *g = scarce__calloc(n_nodes, sizeof *g), *h = scarce__calloc(n_nodes, sizeof *h);
    size_t *rows = scarce__calloc(n_nodes, sizeof *rows), wrong = 0;
    scarce__forest one = {0};

    one.n_features = DATA_FEATURES;
    CHECK(scarce__forest_add(&one, t->tree.nodes, n_nodes, t->tree.sets, t->tree.n_set_words, NULL) ==
          SCARCE_OK);
    for (size_t i = 0; i < ROWS; ++i) {
        const uint32_t at = t->leaf[i];
        const float walked = (float)scarce__forest_walk(&one, f->dense + i * DATA_FEATURES);
        wrong += walked != t->score[i] || walked != t->tree.nodes[at].value;
        g[at] += (double)f->g[i];
        h[at] += (double)f->h[i];
        rows[at] += 1;
    }
    CHECK(wrong == 0);
    for (size_t i = 0; i < n_nodes; ++i) {
        const scarce__node *node = &t->tree.nodes[i];
        if (node->feature >= 0) {
            CHECK(node->rows == t->tree.nodes[node->left].rows + t->tree.nodes[node->right].rows);
            continue;
        }
        double v = -g[i] / (h[i] + 1); /* lambda 1, cap 2, rate 0.1 */
        v = v > 2 ? 2 : v < -2 ? -2 : v;
        CHECK(rows[i] == node->rows);
        CHECK(fabs((double)node->value - 0.1 * v) < 1e-7);
        CHECK(fabs((double)node->cover - h[i]) < 1e-6 * (1 + h[i]));
    }
    scarce__forest_deinit(&one);
    scarce__free(g);
    scarce__free(h);
    scarce__free(rows);
}

static int same(const grown *a, const grown *b)
{
    return a->tree.n_nodes == b->tree.n_nodes &&
           memcmp(a->tree.nodes, b->tree.nodes, a->tree.n_nodes * sizeof *a->tree.nodes) == 0 &&
           memcmp(a->score, b->score, ROWS * sizeof *a->score) == 0 &&
           memcmp(a->leaf, b->leaf, ROWS * sizeof *a->leaf) == 0;
}

static void test_tree(void)
{
    fixture f;
    grown fine, a, b;

    setup(&f);
    for (int random = 0; random < 2; ++random) {
        grow_with(&a, &f, 1.0 / 32, 1, 0, random);
        CHECK(a.tree.n_nodes == 61);
        check_leaves(&f, &a);
        grow_with(&b, &f, 1.0 / 32, 3, 0, random);
        CHECK(same(&a, &b));
        grown_free(&b);
        grow_with(&b, &f, 1.0 / 32, 2, 1, random);
        CHECK(same(&a, &b));
        grown_free(&b);
        grow_with(&fine, &f, 0, 1, 0, random);
        CHECK(!same(&a, &fine)); /* rounding was really coarse */
        grown_free(&fine);
        grown_free(&a);
    }
    /* what the split gained, by the exact sums of its two children, is nearly what the best one gains */
    grow_with(&a, &f, 1.0 / 32, 1, 0, 0);
    grow_with(&fine, &f, 0, 1, 0, 0);
    CHECK((double)a.tree.nodes[0].gain > 0.9 * (double)fine.tree.nodes[0].gain);
    CHECK((double)a.tree.nodes[0].gain < 1.1 * (double)fine.tree.nodes[0].gain);
    grown_free(&a);
    grown_free(&fine);
    teardown(&f);
}

static const test_case tests[] = {{"rounding", test_rounding}, {"tree", test_tree}};
TEST_MAIN(tests)
