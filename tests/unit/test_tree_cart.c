/* SPDX-License-Identifier: Apache-2.0 */
/* Trees by gini and entropy against scikit-learn's, split for split (golden/make_cart.py): case weights,
 * missing values, limits of depth and of rows in a leaf, and trees grown until every leaf is pure. */
#include "test.h"

#include "lcg.h"
#include "tree/exact.h"

enum { MOST = 120, COLUMNS = 3, MOST_NODES = 100 };

typedef struct gold {
    int left, right, feature;
    double threshold, share;
    unsigned rows;
} gold;

typedef struct cart_data {
    float x[MOST * COLUMNS];
    double g[MOST], h[MOST];
    uint8_t y[MOST];
    size_t n;
} cart_data;

static void make_data(cart_data *d, uint64_t c, int weighted, int missing)
{
    lcg r = lcg_start(c);
    d->n = 30 + lcg_below(&r, 90);
    for (size_t i = 0; i < d->n; ++i) {
        float *x = d->x + i * COLUMNS;
        x[0] = (float)lcg_below(&r, 1000) / 8;
        x[1] = (float)lcg_below(&r, 12);
        x[2] = (float)lcg_below(&r, 5000) / 16;
        const int gone = lcg_below(&r, 5) == 0;
        d->y[i] = x[0] + 5 * x[1] + x[2] / 8 + (float)lcg_below(&r, 60) > 140;
        if (missing && gone) x[2] = NAN;
        d->h[i] = weighted ? 1 + (double)lcg_below(&r, 64) / 64 : 1;
        d->g[i] = d->y[i] ? -d->h[i] : 0;
    }
}

/* Both trees from the root down; a threshold is one of floats here, of doubles there. */
static void compare(const scarce__binned_tree *t, const gold *want, int n_nodes)
{
    int stack[MOST_NODES][2] = {{0, 0}}, top = 1, seen = 0;
    while (top > 0) {
        const int a = stack[--top][0], b = stack[top][1];
        const scarce__node *n = &t->nodes[a];
        ++seen;
        CHECK(n->rows == want[b].rows);
        CHECK(n->feature == want[b].feature);
        if (n->feature != want[b].feature) return;
        if (n->feature < 0) {
            CHECK_NEAR(n->value, want[b].share, 1e-6);
            continue;
        }
        if (isinf(want[b].threshold)) CHECK(isinf(n->value));
        else CHECK_NEAR(n->value, want[b].threshold, 1e-5 * fabs(want[b].threshold));
        stack[top][0] = n->left;
        stack[top++][1] = want[b].left;
        stack[top][0] = n->right;
        stack[top++][1] = want[b].right;
    }
    CHECK(seen == n_nodes);
}

static void one_case(FILE *file)
{
    static cart_data d;
    static gold want[MOST_NODES];
    scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
    scarce_table *table = NULL;
    scarce__exact *exact = NULL;
    scarce__binned_tree tree = {0};
    char name[16];
    int c = 0, depth = 0, least = 0, weighted = 0, missing = 0, n_nodes = 0;

    CHECK(fscanf(file, "%d %15s %d %d %d %d %d", &c, name, &depth, &least, &weighted, &missing, &n_nodes) ==
          7);
    CHECK(n_nodes > 0 && n_nodes <= MOST_NODES);
    for (int i = 0; i < n_nodes; ++i)
        CHECK(fscanf(file, "%d %d %d %lf %u %lf", &want[i].left, &want[i].right, &want[i].feature,
                     &want[i].threshold, &want[i].rows, &want[i].share) == 6);
    make_data(&d, (uint64_t)c, weighted, missing);
    o.rules.criterion = scarce__criterion_find(name);
    o.rules.min_child_weight = 0;
    o.rules.min_child_rows = (uint32_t)least;
    o.max_leaves = 0;
    o.max_depth = depth;
    o.learning_rate = 1;
    CHECK(scarce_table_from_floats(&table, d.x, d.n, COLUMNS, NULL, d.y, NULL) == SCARCE_OK);
    CHECK(scarce__exact_new(&exact, table, NULL, 0, &o, NULL, NULL) == SCARCE_OK);
    const scarce__exact_rows rows = {.g_double = d.g, .h_double = d.h, .mark = d.y};
    CHECK(scarce__exact_tree(exact, &tree, &rows, 0, NULL, NULL) == SCARCE_OK);
    const int before = test_failures;
    compare(&tree, want, n_nodes);
    if (test_failures != before) fprintf(stderr, "in case %d (%s)\n", c, name);
    scarce__binned_tree_deinit(&tree);
    scarce__exact_free(exact);
    scarce_table_free(table);
}

static void test_scikit_learn(void)
{
    FILE *file = fopen("golden/cart.txt", "r");
    int cases = 0;
    CHECK(file != NULL);
    if (!file) return;
    CHECK(fscanf(file, "%d", &cases) == 1 && cases > 200);
    for (int k = 0; k < cases; ++k) one_case(file);
    (void)fclose(file);
}

static const test_case tests[] = {{"scikit_learn", test_scikit_learn}};
TEST_MAIN(tests)
