/* SPDX-License-Identifier: Apache-2.0 */
/* Growing: the best split against a scan over raw values, constraints, threads, both instances of the
 * kernels, tiles against walking. */
#include "test.h"

#include "tree/grow.h"
#include "tree/tiles.h"
#include "tree_data.h"

typedef struct fixture {
    scarce_table *table;
    float *dense;
    scarce__bins bins;
    scarce__codes codes;
    size_t n;
    float *g, *h;
    uint8_t *mark;
} fixture;

/* Gradients are multiples of 1/64, so that their sums are exact in any order. */
static void setup(fixture *f, size_t n, uint64_t seed, int max_bins)
{
    const scarce__bin_options o = {max_bins, 1, 0.3, 0};
    memset(f, 0, sizeof *f);
    f->n = n;
    f->table = data_table(n, seed, &f->dense, 1);
    CHECK(scarce__bins_find(&f->bins, f->table, NULL, 0, NULL, &o, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__codes_build(&f->codes, &f->bins, f->table, NULL, 0, 1, NULL, NULL) == SCARCE_OK);
    f->g = scarce__malloc_array(n, sizeof *f->g);
    f->h = scarce__malloc_array(n, sizeof *f->h);
    f->mark = scarce__malloc(n);
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 1);
    for (size_t i = 0; i < n; ++i) {
        const double w = (double)scarce__random_below(&r, 4); /* weights, some are zero */
        f->mark[i] = f->table->label[i];
        f->g[i] = (float)(w * ((f->mark[i] ? -40.0 : 24.0) + (double)scarce__random_below(&r, 8)) / 64);
        f->h[i] = (float)(w * (double)(8 + scarce__random_below(&r, 8)) / 64);
    }
}

static void teardown(fixture *f)
{
    scarce_table_free(f->table);
    scarce__free(f->dense);
    scarce__bins_deinit(&f->bins);
    scarce__codes_deinit(&f->codes);
    scarce__free(f->g);
    scarce__free(f->h);
    scarce__free(f->mark);
}

typedef struct side {
    double g, h;
    size_t rows, marks;
} side;

static double worth(const scarce__split_rules *r, double g, double h, double *value)
{
    const double cap = r->max_delta_step;
    double t = fabs(g) <= r->alpha ? 0 : g > 0 ? g - r->alpha : g + r->alpha;
    double w = h + r->lambda > 0 ? -t / (h + r->lambda) : 0;
    if (cap > 0 && w > cap) w = cap;
    if (cap > 0 && w < -cap) w = -cap;
    *value = w;
    return -(2 * g * w + (h + r->lambda) * w * w + 2 * r->alpha * fabs(w));
}

static double gain_of(const scarce__split_rules *r, const side *l, const side *o, int sign)
{
    double a, b, all;
    if (l->rows < r->min_child_rows || o->rows < r->min_child_rows) return -INFINITY;
    if (l->marks < r->min_child_marks || o->marks < r->min_child_marks) return -INFINITY;
    if (l->h < r->min_child_weight || o->h < r->min_child_weight) return -INFINITY;
    const double s =
        worth(r, l->g, l->h, &a) + worth(r, o->g, o->h, &b) - worth(r, l->g + o->g, l->h + o->h, &all);
    if (sign * (b - a) < 0) return -INFINITY;
    return 0.5 * s;
}

static void add_row(side *s, const fixture *f, size_t i)
{
    s->g += (double)f->g[i];
    s->h += (double)f->h[i];
    s->rows += 1;
    s->marks += f->mark[i];
}

/* One code, or all up to one. */
static int is_plain(size_t set)
{
    return (set & (set - 1)) == 0 || (set & (set + 1)) == 0;
}

/* The best gain over all features, thresholds, directions and subsets (or plain ones), from raw values. */
static double scan_sets(const fixture *f, const scarce__split_rules *r, const int8_t *sign, int plain)
{
    double best = -INFINITY;
    for (size_t u = 0; u < f->bins.n_used; ++u) {
        const scarce__bin_feature *b = &f->bins.used[u];
        if (b->category && b->n_bins > 8) continue;
        const size_t ways = b->category ? (size_t)1 << (b->n_bins + 1) : 2 * (b->n_bins - 1u);
        for (size_t k = 0; k < ways; ++k) {
            if (b->category && plain && !is_plain(k)) continue;
            side s[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
            for (size_t i = 0; i < f->n; ++i) {
                const float x = f->dense[i * DATA_FEATURES + b->feature];
                int left;
                if (b->category) left = (int)(k >> scarce__bins_code(&f->bins, b, x) & 1);
                else left = x != x ? (int)(k & 1) : x <= f->bins.edges[b->edge + k / 2];
                add_row(&s[!left], f, i);
            }
            const double gain = gain_of(r, &s[0], &s[1], sign ? sign[b->feature] : 0);
            if (gain > best) best = gain;
        }
    }
    return best;
}

static double scan(const fixture *f, const scarce__split_rules *r, const int8_t *sign)
{
    return scan_sets(f, r, sign, 0);
}

static double stump_gain(const fixture *f, const scarce__grow_options *o, double *check)
{
    scarce__grower *w = NULL;
    scarce__binned_tree tree;
    side s[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    scarce_error err = SCARCE_ERROR_INIT;
    memset(&tree, 0, sizeof tree);
    CHECK(scarce__grower_new(&w, &f->bins, f->n, o, &err) == SCARCE_OK);
    CHECK(scarce__grower_tree(w, &tree, &f->codes, f->g, f->h, f->mark, 0, NULL, &err) == SCARCE_OK);
    double gain = -INFINITY;
    if (tree.n_nodes == 3) {
        scarce__forest one = {0};
        one.n_features = DATA_FEATURES;
        CHECK(scarce__forest_add(&one, tree.nodes, tree.n_nodes, tree.sets, tree.n_set_words, NULL) ==
              SCARCE_OK);
        CHECK(scarce__forest_check(&one, &err) == SCARCE_OK);
        gain = (double)tree.nodes[0].gain;
        for (size_t i = 0; i < f->n; ++i) {
            const float v = (float)scarce__forest_walk(&one, f->dense + i * DATA_FEATURES);
            const int left = tree.nodes[1].value != tree.nodes[2].value ? v == tree.nodes[1].value : 1;
            add_row(&s[!left], f, i);
        }
        if (tree.nodes[1].value != tree.nodes[2].value) {
            CHECK(s[0].rows == tree.nodes[1].rows && s[1].rows == tree.nodes[2].rows);
            *check = gain_of(&o->rules, &s[0], &s[1], 0);
        } else *check = gain;
        scarce__forest_deinit(&one);
    }
    scarce__binned_tree_deinit(&tree);
    scarce__grower_free(w);
    return gain;
}

/* Puts all rows of a category into one bin, so that the feature plays no part. */
static void silence(fixture *f, size_t feature)
{
    const size_t c = f->bins.used[f->bins.used_of[feature]].column;
    for (size_t i = 0; i < f->n; ++i) {
        scarce__tile(&f->codes, i / SCARCE__TILE)[c * SCARCE__TILE + i % SCARCE__TILE] = 1;
        f->codes.rows[i * scarce__slab_width(f->bins.n_columns, 0) + c] = 1;
        f->dense[i * DATA_FEATURES + feature] = 0;
    }
}

static void test_split_is_best(void)
{
    for (uint64_t seed = 0; seed < 36; ++seed) {
        fixture f;
        setup(&f, 60 + 20 * (size_t)(seed % 7), seed, seed % 3 ? 255 : 8);
        silence(&f, 5); /* too many subsets to try */
        scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
        o.max_leaves = 2;
        o.rules.category_onehot = 0;
        o.rules.category_penalty = 0; /* the scan below is of the plain gain */
        o.rules.category_smooth = 0;  /* without lambda, smoothing and cap the best subset is a prefix */
        o.rules.lambda = 0;
        o.rules.max_delta_step = 0;
        o.rules.min_child_weight = seed % 4 == 1 ? 3 : 0.01;
        o.rules.min_child_rows = seed % 4 == 2 ? 10 : 1;
        o.histogram_double = seed % 5 == 4;
        double check = -INFINITY;
        const double got = stump_gain(&f, &o, &check), want = scan(&f, &o.rules, NULL);
        CHECK(got <= want + 1e-5 * fabs(want));
        if (seed % 4 == 0 || seed % 4 == 3)
            CHECK_NEAR(got, want, 1e-5 * fabs(want)); /* no minimum in the way */
        CHECK_NEAR(check, got, 1e-5 * fabs(got));
        teardown(&f);
    }
}

/* Categories one against the rest and in the order of their codes; sorting them doesn't pay. */
static void test_category_orders(void)
{
    size_t sets = 0;
    for (uint64_t seed = 200; seed < 240; ++seed) {
        fixture f;
        setup(&f, 80 + 20 * (size_t)(seed % 7), seed, seed % 3 ? 255 : 8);
        silence(&f, 5);
        scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
        o.max_leaves = 2;
        o.rules.category_all = 1;
        o.rules.category_onehot = 0;
        o.rules.category_penalty = 1e9;
        o.rules.lambda = seed % 2 ? 1 : 0;
        o.rules.min_child_weight = 0.01;
        o.histogram_double = seed % 5 == 4;
        for (size_t i = 0; i < f.n; ++i) /* a gradient that the category carries */
            f.g[i] += fmodf(f.dense[i * DATA_FEATURES + 4], 2) == 1 ? 2.0f : -1.0f;
        double check = -INFINITY;
        const double got = stump_gain(&f, &o, &check), want = scan_sets(&f, &o.rules, NULL, 1);
        CHECK_NEAR(got, want, 1e-5 * fabs(want));
        CHECK_NEAR(check, got, 1e-5 * fabs(got));
        sets += scan(&f, &o.rules, NULL) > want + 1e-9; /* other sets would be better */
        teardown(&f);
    }
    CHECK(sets > 5);
}

/* Numbers alone, all rules: the split found is the scan's. */
static void test_numeric_rules(void)
{
    int8_t sign[DATA_FEATURES] = {0};
    sign[0] = -1;
    sign[1] = 1;
    sign[11] = 1;
    size_t compared = 0;
    for (uint64_t seed = 100; seed < 148; ++seed) {
        fixture f;
        setup(&f, 80 + 30 * (size_t)(seed % 5), seed, seed % 3 ? 255 : 8);
        silence(&f, 4);
        silence(&f, 5);
        scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
        o.max_leaves = 2;
        o.rules.lambda = seed % 2 ? 1 : 0;
        o.rules.max_delta_step = seed % 3 == 2 ? 0.3 : 0;
        o.rules.alpha = seed % 5 == 4 ? 1.5 : 0;
        o.rules.min_child_weight = seed % 4 == 1 ? 3 : 0.01;
        o.rules.min_child_rows = seed % 4 == 2 ? 10 : 1;
        o.rules.min_child_marks = seed % 4 == 3 ? 4 : 0;
        o.histogram_double = seed % 7 == 6;
        o.portable = seed % 11 == 10;
        o.monotone = seed % 8 == 7 ? sign : NULL;
        double check = -INFINITY;
        const double got = stump_gain(&f, &o, &check), want = scan(&f, &o.rules, o.monotone);
        if (want > 1e-6) {
            CHECK_NEAR(got, want, 1e-5 * fabs(want));
            ++compared;
        }
        teardown(&f);
    }
    CHECK(compared > 40);
}

typedef struct grown {
    scarce__binned_tree tree;
    uint32_t *leaf;
    float *score;
} grown;

static void grow_with(grown *out, const fixture *f, const scarce__grow_options *o, int threads,
                      uint64_t index)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce__grower *w = NULL;
    memset(out, 0, sizeof *out);
    co.threads = threads;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce__grower_new(&w, &f->bins, f->n, o, NULL) == SCARCE_OK);
    CHECK(scarce__grower_tree(w, &out->tree, &f->codes, f->g, f->h, f->mark, index, ctx, NULL) == SCARCE_OK);
    out->leaf = scarce__malloc_array(f->n, sizeof *out->leaf);
    out->score = scarce__calloc(f->n, sizeof *out->score);
    scarce__grower_leaves(w, out->leaf);
    scarce__grower_add(w, &out->tree, out->score, ctx);
    scarce__grower_free(w);
    scarce_context_free(ctx);
}

static void grown_free(grown *g)
{
    scarce__binned_tree_deinit(&g->tree);
    scarce__free(g->leaf);
    scarce__free(g->score);
}

static int same_tree(const grown *a, const grown *b)
{
    return a->tree.n_nodes == b->tree.n_nodes && a->tree.n_set_words == b->tree.n_set_words &&
           memcmp(a->tree.nodes, b->tree.nodes, a->tree.n_nodes * sizeof *a->tree.nodes) == 0 &&
           memcmp(a->tree.sets ? a->tree.sets : (uint32_t[]){0},
                  b->tree.sets ? b->tree.sets : (uint32_t[]){0},
                  a->tree.n_set_words * sizeof *a->tree.sets) == 0;
}

/* Variants of growth: [0] the usual, then level-wise, random, sampled columns, counts, double, a pool of 4
 * slots. */
static void variant(scarce__grow_options *o, int k)
{
    const scarce__grow_options fresh = SCARCE__GROW_OPTIONS_INIT;
    *o = fresh;
    o->rules.min_child_weight = 0.05;
    switch (k) {
    case 1:
        o->growth = SCARCE__LEVEL_WISE;
        o->max_depth = 4;
        o->max_leaves = 0;
        break;
    case 2: o->rules.random = 1; break;
    case 3:
        o->colsample_tree = 0.7;
        o->colsample_node = 0.5;
        break;
    case 4:
        o->rules.min_child_rows = 5;
        o->rules.min_child_marks = 1;
        break;
    case 5: o->histogram_double = 1; break;
    case 6: o->pool_bytes = 1; break;
    case 7:
        o->max_leaves = 400;
        o->rules.min_child_weight = 0;
        o->rules.lambda = 0.1;
        break;
    default: break;
    }
}
enum { VARIANTS = 8 };

static void test_same_bits(void)
{
    fixture f;
    setup(&f, 40000, 11, 255);
    for (int k = 0; k < VARIANTS; ++k) {
        scarce__grow_options o;
        grown a, b;
        variant(&o, k);
        grow_with(&a, &f, &o, 1, 3);
        CHECK(a.tree.n_nodes > 5);
        const int threads[] = {2, 3, 8};
        for (size_t t = 0; t < 4; ++t) {
            o.portable = t == 3;
            grow_with(&b, &f, &o, t == 3 ? 1 : threads[t], 3);
            CHECK(same_tree(&a, &b));
            grown_free(&b);
        }
        grown_free(&a);
    }
    /* dropping histograms changes the work, not the tree */
    scarce__grow_options o;
    grown a, b;
    variant(&o, 0);
    grow_with(&a, &f, &o, 1, 3);
    variant(&o, 6);
    grow_with(&b, &f, &o, 1, 3);
    CHECK(same_tree(&a, &b));
    grown_free(&a);
    grown_free(&b);
    teardown(&f);
}

/* Raw walk, leaf lists, and tiles (both instances) agree for every row; so do counts and covers. */
static void test_tiles_walk(void)
{
    fixture f;
    setup(&f, 3001, 12, 255);
    for (int k = 0; k < VARIANTS; ++k) {
        scarce__grow_options o;
        grown g;
        scarce__forest one = {0};
        variant(&o, k);
        grow_with(&g, &f, &o, 2, (uint64_t)k);
        one.n_features = DATA_FEATURES;
        CHECK(scarce__forest_add(&one, g.tree.nodes, g.tree.n_nodes, g.tree.sets, g.tree.n_set_words, NULL) ==
              SCARCE_OK);
        CHECK(scarce__forest_check(&one, NULL) == SCARCE_OK);
        scarce__binned_tree back;
        memset(&back, 0, sizeof back);
        CHECK(scarce__binned_tree_from(&back, &f.bins, &one, 0, NULL) == SCARCE_OK);
        CHECK(memcmp(back.nodes, g.tree.nodes, back.n_nodes * sizeof *back.nodes) == 0);
        for (size_t i = 0; i < back.n_nodes; ++i)
            for (unsigned c = 0; c < 256 && back.nodes[i].feature >= 0; ++c)
                if (c < f.bins.n_codes[back.tests[i].column])
                    CHECK(scarce__goes_left(&back.tests[i], (uint8_t)c) ==
                          scarce__goes_left(&g.tree.tests[i], (uint8_t)c));
        const scarce__binned_tree *trees[2] = {&g.tree, &back};
        float *a = scarce__calloc(f.n, sizeof *a), *b = scarce__calloc(f.n, sizeof *b);
        CHECK(scarce__tiles_add(&f.codes, trees, 2, a, 0, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__tiles_add(&f.codes, trees, 2, b, 1, NULL, NULL) == SCARCE_OK);
        size_t wrong = 0, *rows = scarce__calloc(g.tree.n_nodes, sizeof *rows);
        for (size_t i = 0; i < f.n; ++i) {
            const float v = (float)scarce__forest_walk(&one, f.dense + i * DATA_FEATURES);
            wrong += v != g.score[i] || a[i] != v + v || b[i] != a[i] || v != g.tree.nodes[g.leaf[i]].value;
            ++rows[g.leaf[i]];
        }
        CHECK(wrong == 0);
        for (size_t i = 0; i < g.tree.n_nodes; ++i)
            if (g.tree.nodes[i].feature < 0) CHECK(rows[i] == g.tree.nodes[i].rows);
            else
                CHECK(g.tree.nodes[i].rows ==
                      g.tree.nodes[g.tree.nodes[i].left].rows + g.tree.nodes[g.tree.nodes[i].right].rows);
        scarce__free(a);
        scarce__free(b);
        scarce__free(rows);
        scarce__binned_tree_deinit(&back);
        scarce__forest_deinit(&one);
        grown_free(&g);
    }
    teardown(&f);
}

/* Monotone: over many values of the feature the prediction never moves the wrong way. Interaction: no path
 * leaves its group. */
static void test_constraints(void)
{
    fixture f;
    int8_t sign[DATA_FEATURES] = {0};
    const uint32_t begin[3] = {0, 2, 4}, member[4] = {0, 1, 2, 3};
    scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
    grown g;
    setup(&f, 2000, 13, 255);
    sign[0] = -1; /* against the data's own direction in places */
    sign[3] = 1;
    o.monotone = sign;
    o.rules.min_child_weight = 0.1;
    grow_with(&g, &f, &o, 1, 0);
    scarce__forest one = {0};
    one.n_features = DATA_FEATURES;
    CHECK(scarce__forest_add(&one, g.tree.nodes, g.tree.n_nodes, g.tree.sets, g.tree.n_set_words, NULL) ==
          SCARCE_OK);
    size_t wrong = 0;
    for (size_t i = 0; i < 200; ++i) {
        float row[DATA_FEATURES];
        memcpy(row, f.dense + i * DATA_FEATURES, sizeof row);
        for (int feature = 0; feature <= 3; feature += 3) {
            const float keep = row[feature];
            double last = 0;
            for (int k = 0; k < 200; ++k) {
                row[feature] = (float)(k - 100) * 0.04f;
                const double v = scarce__forest_walk(&one, row);
                if (k > 0) wrong += (v - last) * sign[feature] < 0;
                last = v;
            }
            row[feature] = keep;
        }
    }
    CHECK(wrong == 0);
    scarce__forest_deinit(&one);
    grown_free(&g);

    o.monotone = NULL;
    o.n_groups = 2;
    o.group_begin = begin;
    o.group_feature = member;
    grow_with(&g, &f, &o, 2, 0);
    CHECK(g.tree.n_nodes > 10);
    int *group = scarce__calloc(g.tree.n_nodes, sizeof *group); /* 0: root; 1 + group, or 10 + lone feature */
    for (size_t i = 0; i < g.tree.n_nodes; ++i) {
        const scarce__node *n = &g.tree.nodes[i];
        if (n->feature < 0) continue;
        const int mine = n->feature < 4 ? 1 + n->feature / 2 : 10 + n->feature;
        CHECK(group[i] == 0 || group[i] == mine);
        group[n->left] = group[n->right] = mine;
    }
    scarce__free(group);
    grown_free(&g);
    teardown(&f);
}

static void test_bad_gradients(void)
{
    fixture f;
    scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
    scarce__grower *w = NULL;
    scarce__binned_tree tree;
    memset(&tree, 0, sizeof tree);
    setup(&f, 100, 14, 255);
    f.g[17] = NAN;
    CHECK(scarce__grower_new(&w, &f.bins, f.n, &o, NULL) == SCARCE_OK);
    CHECK(scarce__grower_tree(w, &tree, &f.codes, f.g, f.h, NULL, 0, NULL, NULL) == SCARCE_ENUMERIC);
    for (size_t i = 0; i < f.n; ++i) f.g[i] = f.h[i] = 0; /* nothing to learn: one leaf of value 0 */
    CHECK(scarce__grower_tree(w, &tree, &f.codes, f.g, f.h, NULL, 0, NULL, NULL) == SCARCE_OK);
    CHECK(tree.n_nodes == 1 && tree.nodes[0].value == 0);
    for (size_t i = 0; i < f.n; ++i) { /* enormous and tiny together */
        f.g[i] = f.mark[i] ? -1e30f : 1e30f;
        f.h[i] = 1e-30f;
    }
    o.rules.min_child_weight = 0;
    scarce__grower_free(w);
    CHECK(scarce__grower_new(&w, &f.bins, f.n, &o, NULL) == SCARCE_OK);
    CHECK(scarce__grower_tree(w, &tree, &f.codes, f.g, f.h, NULL, 0, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < tree.n_nodes; ++i) CHECK(isfinite(tree.nodes[i].value));
    scarce__grower_free(w);
    o.max_leaves = 0;
    CHECK(scarce__grower_new(&w, &f.bins, f.n, &o, NULL) == SCARCE_EINVAL && w == NULL);
    scarce__binned_tree_deinit(&tree);
    teardown(&f);
}

static const test_case tests[] = {
    {"split_is_best", test_split_is_best}, {"category_orders", test_category_orders},
    {"numeric_rules", test_numeric_rules}, {"same_bits", test_same_bits},
    {"tiles_walk", test_tiles_walk},       {"constraints", test_constraints},
    {"bad_gradients", test_bad_gradients},
};
TEST_MAIN(tests)
