/* SPDX-License-Identifier: Apache-2.0 */
/* Criteria against brute force: every node of small random trees of the exact grower is searched again over
 * all thresholds, sides of the missing rows and subsets of categories, by the definition of each criterion.
 */
#include "test.h"

#include "tree/exact.h"
#include "tree_data.h"

/* ---- Definitions */

typedef struct side {
    double g, h;
    int64_t n, p; /* rows and positives */
} side;

/* Average precision of a list in two groups of equal scores, `top` above `rest`: precision at the end of each
 * group, weighted by its share of the positives. */
static double ap_of_list(side top, side rest)
{
    const side group[2] = {top, rest};
    double ap = 0, n = 0, p = 0;
    for (int k = 0; k < 2; ++k) {
        n += (double)group[k].n;
        p += (double)group[k].p;
        if (n > 0) ap += (double)group[k].p / (double)(top.p + rest.p) * p / n;
    }
    return ap;
}

static double impurity(const char *name, side s)
{
    const double p = -s.g, n = s.h + s.g, w = s.h;
    if (w <= 0) return 0;
    if (strcmp(name, "gini") == 0) return w * (1 - p * p / (w * w) - n * n / (w * w));
    if (strcmp(name, "error") == 0) return p < n ? p : n;
    return -(p > 0 ? p * log2(p / w) : 0) - (n > 0 ? n * log2(n / w) : 0);
}

static double gain_of(const scarce__split_rules *r, side l, side o)
{
    const char *name = r->criterion ? r->criterion->name : "newton";
    const side all = {l.g + o.g, l.h + o.h, l.n + o.n, l.p + o.p};
    const int64_t least = r->min_child_rows > 1 ? r->min_child_rows : 1;
    if (l.n < least || o.n < least || l.p < r->min_child_marks || o.p < r->min_child_marks) return -INFINITY;
    if (l.h < r->min_child_weight || o.h < r->min_child_weight) return -INFINITY;
    if (strcmp(name, "newton") == 0)
        return 0.5 * (l.g * l.g / (l.h + r->lambda) + o.g * o.g / (o.h + r->lambda) -
                      all.g * all.g / (all.h + r->lambda));
    if (strcmp(name, "ap") == 0)
        return (double)l.n * ap_of_list(l, o) + (double)o.n * ap_of_list(o, l) - (double)all.p;
    return impurity(name, all) - impurity(name, l) - impurity(name, o);
}

/* The closed form of criterion_ap.c is the definition, in whole numbers and from lists. */
static void test_ap_closed_form(void)
{
    size_t checked = 0, wrong = 0;
    for (int64_t n = 2; n <= 18; ++n)
        for (int64_t p = 1; p <= n; ++p)
            for (int64_t nl = 1; nl < n; ++nl)
                for (int64_t pl = 0; pl <= p; ++pl) {
                    const int64_t nr = n - nl, pr = p - pl;
                    if (pl > nl || pr > nr) continue;
                    /* n p (nl AP_l + nr AP_r) */
                    const int64_t definition = n * pl * pl + nl * pr * p + n * pr * pr + nr * pl * p;
                    const int64_t key = (n * pl - p * nl) * (2 * pl - p);
                    const double mean = (double)nl * ap_of_list((side){0, 0, nl, pl}, (side){0, 0, nr, pr}) +
                                        (double)nr * ap_of_list((side){0, 0, nr, pr}, (side){0, 0, nl, pl});
                    wrong += definition != n * p * p + key;
                    wrong += fabs(mean * (double)(n * p) - (double)definition) > 1e-9 * (double)definition;
                    /* and the criterion gives it, to the last bit */
                    const double zero = 0, h = (double)nl;
                    const scarce__gh counts = scarce__gh_pack((int32_t)pl, (int32_t)nl);
                    const scarce__sides left = {.g = &zero, .h = &h, .counts = &counts};
                    const scarce__split_rules rules = {.criterion = &scarce__criterion_ap};
                    const scarce__criterion_node node = {
                        .rules = &rules,
                        .total = {.h = (double)n, .counts = scarce__gh_pack((int32_t)p, (int32_t)n)}};
                    double value[SCARCE__LANES];
                    for (int k = 1; k < SCARCE__LANES; ++k) value[k] = -INFINITY;
                    wrong += scarce__criterion_ap.values(&node, &left, 0, 1, value) != (double)key;
                    wrong += fabs((double)key * scarce__criterion_ap.unit(&node.total) - (mean - (double)p)) >
                             1e-9;
                    ++checked;
                }
    CHECK(wrong == 0);
    CHECK(checked > 3000);
}

/* ---- Brute force */

enum { MOST = 64, FEATURES = 4, CATEGORIES = 5 };

typedef struct small {
    scarce_table *table;
    float x[MOST * FEATURES];
    uint8_t y[MOST];
    float g[MOST], h[MOST];
    size_t n;
} small;

/* 0: few values; 1: distinct, some missing; 2: category, some missing; 3: constant but for missing rows.
 * Weights are multiples of 1/4, so that sums are exact. */
static void small_make(small *d, size_t n, uint64_t seed, int classes)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 5);
    memset(d, 0, sizeof *d);
    d->n = n;
    for (size_t i = 0; i < n; ++i) {
        float *x = d->x + i * FEATURES;
        x[0] = (float)scarce__random_below(&r, 5);
        x[1] = scarce__random_below(&r, 4) == 0 ? NAN : (float)scarce__random_normal(&r);
        x[2] = scarce__random_below(&r, 6) == 0 ? NAN : (float)scarce__random_below(&r, CATEGORIES);
        x[3] = scarce__random_below(&r, 5) == 0 ? NAN : 2;
        d->y[i] = scarce__random_unit(&r) < (x[0] > 2 ? 0.6 : 0.2);
        const double w = 0.25 * (double)(1 + scarce__random_below(&r, 6));
        d->h[i] = (float)(classes ? w : 1 + w);
        d->g[i] = (float)(classes ? (d->y[i] ? -w : 0) : (d->y[i] ? -w : 0.5 * w));
    }
    d->y[0] = (uint8_t)!d->y[n - 1];
    if (classes) d->g[0] = d->y[0] ? -d->h[0] : 0;
    CHECK(scarce_table_from_floats(&d->table, d->x, n, FEATURES, NULL, d->y, NULL) == SCARCE_OK);
    data_make_category(d->table, 2, CATEGORIES);
}

static void add(side *s, const small *d, size_t i)
{
    s->g += (double)d->g[i];
    s->h += (double)d->h[i];
    s->n += 1;
    s->p += d->y[i];
}

static side sum_of(const small *d, const uint8_t *in)
{
    side s = {0, 0, 0, 0};
    for (size_t i = 0; i < d->n; ++i)
        if (in[i]) add(&s, d, i);
    return s;
}

/* Sides of all rows of the node when those with go[i] go left. */
static double gain_when(const small *d, const scarce__split_rules *r, const uint8_t *in, const uint8_t *go)
{
    side s[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (size_t i = 0; i < d->n; ++i)
        if (in[i]) add(&s[!go[i]], d, i);
    return gain_of(r, s[0], s[1]);
}

/* AP is no concave impurity, so its best subset need not be a prefix: there the subsets tried are those whose
 * categories have no smaller share than any left out. */
static int is_prefix(const small *d, const uint8_t *in, unsigned subset)
{
    side c[CATEGORIES + 1] = {{0, 0, 0, 0}};
    for (size_t i = 0; i < d->n; ++i) {
        const float x = d->x[i * FEATURES + 2];
        if (in[i]) add(&c[x == x ? 1 + (size_t)x : 0], d, i);
    }
    for (unsigned a = 0; a <= CATEGORIES; ++a)
        for (unsigned b = 0; b <= CATEGORIES; ++b)
            if (c[a].n && c[b].n && (subset >> a & 1) && !(subset >> b & 1) &&
                -c[a].g * c[b].h < -c[b].g * c[a].h)
                return 0;
    return 1;
}

static double best_gain(const small *d, const scarce__split_rules *r, const uint8_t *in)
{
    const int ap = r->criterion == &scarce__criterion_ap;
    double best = -INFINITY;
    uint8_t go[MOST];
    for (size_t f = 0; f < FEATURES; ++f) {
        const unsigned ways = f == 2 ? 1u << (CATEGORIES + 1) : 2 * (unsigned)d->n;
        for (unsigned k = 0; k < ways; ++k) { /* threshold: the value of row k / 2 */
            const float t = d->x[k / 2 % d->n * FEATURES + f];
            if (f == 2 ? ap && !is_prefix(d, in, k) : t != t) continue;
            for (size_t i = 0; i < d->n; ++i) {
                const float x = d->x[i * FEATURES + f];
                if (f == 2) go[i] = (uint8_t)(k >> (x == x ? 1 + (unsigned)x : 0) & 1);
                else go[i] = (uint8_t)(x == x ? x <= t : k & 1);
            }
            const double gain = gain_when(d, r, in, go);
            if (gain > best) best = gain;
        }
    }
    return best;
}

/* The reference of the authors' stopping rule, from lists. */
static double reference(side s, const side *sibling)
{
    if (!sibling) return 1 - (double)s.p / (double)s.n;
    return 1 - ap_of_list(s, *sibling);
}

/* Follows the tree from the root and searches every node again. */
static size_t check_tree(const small *d, const scarce__grow_options *o, const scarce__binned_tree *t,
                         const uint32_t *leaf)
{
    const scarce__split_rules *r = &o->rules;
    static uint8_t in[2 * MOST][MOST];
    static double own[2 * MOST];
    static int depth[2 * MOST];
    scarce__forest one = {.n_features = FEATURES};
    size_t splits = 0;

    CHECK(scarce__forest_add(&one, t->nodes, t->n_nodes, t->sets, t->n_set_words, NULL) == SCARCE_OK);
    CHECK(scarce__forest_check(&one, NULL) == SCARCE_OK);
    memset(in[0], 1, d->n);
    own[0] = reference(sum_of(d, in[0]), NULL);
    depth[0] = 0;
    for (size_t a = 0; a < t->n_nodes; ++a) {
        const scarce__node *node = &t->nodes[a];
        const side s = sum_of(d, in[a]);
        const double best = best_gain(d, r, in[a]);
        const int ap = r->criterion == &scarce__criterion_ap, pure = s.p == 0 || s.p == s.n;
        CHECK(node->rows == (uint32_t)s.n);
        CHECK_NEAR(node->cover, s.h, 1e-6);
        if (node->feature < 0) {
            const double v =
                r->criterion ? (ap ? (double)s.p / (double)s.n : -s.g / s.h) : -s.g / (s.h + r->lambda);
            CHECK_NEAR(node->value, v, 1e-6);
            for (size_t i = 0; i < d->n; ++i)
                if (in[a][i]) CHECK(leaf[i] == a);
            if (o->max_depth > 0 && depth[a] >= o->max_depth) continue;
            if (!r->criterion) CHECK(best <= r->gamma + 1e-9);
            else if (!ap) CHECK(pure || best < r->gamma + 1e-9);
            else if (!pure && own[a] > 0 && best > -INFINITY) /* the stopping rule: n own < n - p - gain */
                CHECK(own[a] * (double)s.n - ((double)s.n - (double)s.p - best) < 1e-9);
            continue;
        }
        uint8_t *l = in[node->left], *right = in[node->right];
        for (size_t i = 0; i < d->n; ++i) {
            const float x = d->x[i * FEATURES + (size_t)node->feature];
            const int goes =
                (node->flags & SCARCE__CATEGORY)
                    ? (x == x ? (node->set_words > 0 ? (int)(t->sets[node->set] >> (unsigned)x & 1)
                                                     : (node->flags & SCARCE__OTHER_LEFT) != 0)
                              : (node->flags & SCARCE__MISSING_LEFT) != 0)
                    : (x == x ? x <= node->value : (node->flags & SCARCE__MISSING_LEFT) != 0);
            l[i] = in[a][i] && goes;
            right[i] = in[a][i] && !goes;
        }
        const double scale = 1 + fabs(best);
        CHECK_NEAR(node->gain, best, 1e-6 * scale);
        CHECK_NEAR(gain_when(d, r, in[a], l), best, 1e-9 * scale);
        CHECK(!r->criterion || !pure);
        if (ap) CHECK(own[a] > 0 && own[a] * (double)s.n - ((double)s.n - (double)s.p - best) > -1e-9);
        const side sl = sum_of(d, l), sr = sum_of(d, right);
        own[node->left] = reference(sl, &sr);
        own[node->right] = reference(sr, &sl);
        depth[node->left] = depth[node->right] = depth[a] + 1;
        ++splits;
    }
    scarce__forest_deinit(&one);
    return splits;
}

static void test_brute_force(void)
{
    static const char *const names[] = {"gini", "entropy", "error", "ap", "newton"};
    size_t splits[5] = {0};
    for (uint64_t seed = 0; seed < 300; ++seed) {
        const size_t kind = seed % 5;
        scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
        scarce__exact *exact = NULL;
        scarce__binned_tree tree = {0};
        uint32_t leaf[MOST];
        small d;

        small_make(&d, 4 + (size_t)(seed * 7 % 27), seed, kind < 4);
        o.rules.criterion = kind < 4 ? scarce__criterion_find(names[kind]) : NULL;
        o.rules.category_onehot = 0;
        o.rules.category_penalty = o.rules.category_smooth = 0; /* the best subset is a prefix */
        o.rules.lambda = o.rules.max_delta_step = 0;
        o.rules.min_child_weight = 0;
        o.max_leaves = 0;
        o.max_depth = seed % 7 == 3 ? 2 : 0;
        o.learning_rate = 1;
        CHECK(scarce__exact_new(&exact, d.table, NULL, 0, &o, NULL, NULL) == SCARCE_OK);
        const scarce__exact_rows rows = {.g = d.g, .h = d.h, .mark = d.y};
        CHECK(scarce__exact_tree(exact, &tree, &rows, 0, NULL, NULL) == SCARCE_OK);
        scarce__exact_leaves(exact, leaf);
        const int before = test_failures;
        splits[kind] += check_tree(&d, &o, &tree, leaf);
        if (test_failures != before) {
            fprintf(stderr, "seed %d, %s\n", (int)seed, names[kind]);
            seed = 300;
        }
        scarce__binned_tree_deinit(&tree);
        scarce__exact_free(exact);
        scarce_table_free(d.table);
    }
    for (int k = 0; k < 5; ++k) CHECK(splits[k] > 60);
}

/* Least rows, marks and weight of a side, on numbers alone: there brute force is best under limits too. */
static void test_limits(void)
{
    static const char *const names[] = {"gini", "entropy", "error", "ap", "newton"};
    size_t splits = 0;
    for (uint64_t seed = 1000; seed < 1150; ++seed) {
        const size_t kind = seed % 5;
        scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
        scarce__exact *exact = NULL;
        scarce__binned_tree tree = {0};
        uint32_t leaf[MOST];
        small d;

        small_make(&d, 12 + (size_t)(seed * 7 % 40), seed, kind < 4);
        for (size_t i = 0; i < d.n; ++i) {
            d.x[i * FEATURES + 2] = 0;
            d.table->columns[2].code[i] = 0;
        }
        o.rules.criterion = kind < 4 ? scarce__criterion_find(names[kind]) : NULL;
        o.rules.lambda = kind == 4 ? 1 : 0;
        o.rules.max_delta_step = 0;
        o.rules.gamma = seed % 3 == 0 && kind != 3 ? 0.3 : 0;
        o.rules.min_child_weight = seed % 4 == 1 ? 3 : 0;
        o.rules.min_child_rows = seed % 4 == 2 ? 4 : 1;
        o.rules.min_child_marks = seed % 4 == 3 ? 2 : 0;
        o.max_leaves = 0;
        o.learning_rate = 1;
        CHECK(scarce__exact_new(&exact, d.table, NULL, 0, &o, NULL, NULL) == SCARCE_OK);
        const scarce__exact_rows rows = {.g = d.g, .h = d.h, .mark = d.y};
        CHECK(scarce__exact_tree(exact, &tree, &rows, 0, NULL, NULL) == SCARCE_OK);
        scarce__exact_leaves(exact, leaf);
        splits += check_tree(&d, &o, &tree, leaf);
        scarce__binned_tree_deinit(&tree);
        scarce__exact_free(exact);
        scarce_table_free(d.table);
    }
    CHECK(splits > 200);
}

static const test_case tests[] = {
    {"ap_closed_form", test_ap_closed_form},
    {"brute_force", test_brute_force},
    {"limits", test_limits},
};
TEST_MAIN(tests)
