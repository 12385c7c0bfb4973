/* SPDX-License-Identifier: Apache-2.0 */
/* Building, checking, cutting and showing forests. */
#include "tree/forest.h"

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "random_forest.h"
#include "test.h"
#include "tree/show.h"
#include "tree/stages.h"

/* amount <= 12.5 ? -0.125 : country in {0, 2} ? 1 : 2 */
static scarce__forest small_forest(void)
{
    scarce__forest forest = {0};
    scarce__node nodes[5] = {{0}};
    const uint32_t set = 5;
    forest.n_features = 2;
    forest.base = 0.5;
    nodes[0].value = 12.5f;
    nodes[0].left = 1;
    nodes[0].right = 2;
    nodes[0].flags = SCARCE__MISSING_LEFT;
    nodes[0].gain = 3.25f;
    nodes[0].rows = 100;
    nodes[1].feature = -1;
    nodes[1].value = -0.125f;
    nodes[1].rows = 90;
    nodes[2].feature = 1;
    nodes[2].flags = SCARCE__CATEGORY | SCARCE__OTHER_LEFT;
    nodes[2].set_words = 1;
    nodes[2].left = 3;
    nodes[2].right = 4;
    nodes[2].gain = 1;
    nodes[3].feature = nodes[4].feature = -1;
    nodes[3].value = 1;
    nodes[4].value = 2;
    CHECK(scarce__forest_add(&forest, nodes, 5, &set, 1, NULL) == SCARCE_OK);
    CHECK(scarce__forest_add(&forest, nodes, 5, &set, 1, NULL) == SCARCE_OK);
    CHECK(scarce__forest_add(&forest, nodes + 1, 1, NULL, 0, NULL) == SCARCE_OK);
    return forest;
}

static void test_walk(void)
{
    scarce__forest forest = small_forest();
    const struct {
        float row[2];
        double leaf;
    } cases[] = {
        {{12.5f, 1}, -0.125}, {{NAN, 1}, -0.125}, {{12.6f, 0}, 1},   {{12.6f, 1}, 2},  {{12.6f, 2}, 1},
        {{12.6f, 31}, 2},     {{12.6f, 32}, 1},   {{12.6f, NAN}, 2}, {{12.6f, -1}, 1}, {{INFINITY, 1e30f}, 1},
    };
    CHECK(scarce__forest_check(&forest, NULL) == SCARCE_OK);
    CHECK(forest.nodes[7].set == 1 && forest.n_set_words == 2);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        CHECK(scarce__forest_walk(&forest, cases[i].row) == 0.5 + cases[i].leaf + cases[i].leaf - 0.125);
    scarce__forest_deinit(&forest);
}

static void test_truncate(void)
{
    scarce__forest forest = small_forest();
    const float row[2] = {13, 0};
    scarce__node leaf = {0};
    leaf.feature = -1;
    leaf.value = 4;
    scarce__forest_truncate(&forest, 5);
    CHECK(forest.n_trees == 3);
    scarce__forest_truncate(&forest, 2);
    CHECK(forest.n_trees == 2 && forest.n_set_words == 2 && scarce__forest_walk(&forest, row) == 2.5);
    scarce__forest_truncate(&forest, 1);
    CHECK(forest.n_set_words == 1 && scarce__forest_walk(&forest, row) == 1.5);
    CHECK(scarce__forest_add(&forest, &leaf, 1, NULL, 0, NULL) == SCARCE_OK);
    CHECK(scarce__forest_walk(&forest, row) == 5.5);
    scarce__forest_truncate(&forest, 0);
    CHECK(scarce__forest_walk(&forest, row) == 0.5 && forest.n_set_words == 0);
    CHECK(scarce__forest_check(&forest, NULL) == SCARCE_OK);
    CHECK(scarce__forest_add(&forest, &leaf, 0, NULL, 0, NULL) == SCARCE_EINVAL);
    scarce__forest_deinit(&forest);
    CHECK(scarce__forest_check(&forest, NULL) == SCARCE_OK); /* empty */
}

static void break_forest(scarce__forest *f, int how)
{
    scarce__node *n = f->nodes + 5; /* the second tree */
    switch (how) {
    case 0: n[0].left = 0; break;
    case 1: n[0].right = 5; break;
    case 2: n[0].left = 2; break; /* both to one */
    case 3: n[2].left = 1; break; /* backwards */
    case 4: n[2].left = 2; break; /* to itself */
    case 5: n[0].left = -1; break;
    case 6: n[0].feature = 2; break;
    case 7: n[1].feature = -2; break;
    case 8: n[0].value = NAN; break;
    case 9: n[1].value = NAN; break;
    case 10: n[3].value = INFINITY; break;
    case 11: n[2].set = 2; break;
    case 12: n[2].set_words = UINT32_MAX; break;
    case 13: n[2].set = UINT32_MAX; break;
    case 14: n[0].flags = 8; break;
    case 15: n[0].gain = NAN; break;
    case 16: n[4].cover = NAN; break;
    case 17: f->base = (double)NAN; break;
    case 18: n[0].right = INT32_MAX; break;
    case 19: n[3].left = 4; break;                                 /* a leaf with a child */
    case 20: n[2].feature = -1, n[2].left = n[2].right = 0; break; /* orphans */
    case 21: f->tree_begin[1] = 0; break;
    case 22: f->tree_begin[0] = 1; break;
    case 23: f->tree_begin[2] = 3; break;
    default: break;
    }
}

static void test_check(void)
{
    for (int how = 0; how < 24; ++how) {
        scarce__forest forest = small_forest();
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_status st;
        break_forest(&forest, how);
        st = scarce__forest_check(&forest, &err);
        if (st != SCARCE_EPARSE) fprintf(stderr, "break %d\n", how);
        CHECK(st == SCARCE_EPARSE && err.text[0]);
        scarce__forest_deinit(&forest);
    }
}

static void test_check_random(void)
{
    const forest_shape shape = {6, 20, 50, 0, 100, 40, 0};
    scarce__random r = scarce__random_start(2, SCARCE__FOR_TEST, 1);
    size_t passed = 0;
    for (int trial = 0; trial < 500; ++trial) {
        scarce__forest forest = random_forest(&shape, (uint64_t)trial % 5);
        unsigned char *bytes = (unsigned char *)forest.nodes;
        const size_t size = forest.tree_begin[forest.n_trees] * sizeof *forest.nodes;
        CHECK(scarce__forest_check(&forest, NULL) == SCARCE_OK);
        for (uint64_t k = scarce__random_below(&r, 3) + 1; k; --k)
            bytes[scarce__random_below(&r, size)] = (unsigned char)scarce__random_u64(&r);
        if (scarce__forest_check(&forest, NULL) == SCARCE_OK) {
            float *rows = random_rows(&shape, 10, 6, (uint64_t)trial);
            ++passed;
            for (size_t i = 0; i < 10; ++i) CHECK(!isnan(scarce__forest_walk(&forest, rows + 6 * i)));
            free(rows);
        }
        scarce__forest_deinit(&forest);
    }
    CHECK(passed > 0 && passed < 500);
}

static const char *feature_name(const void *payload, size_t feature)
{
    (void)payload;
    return feature == 0 ? "amount" : "a \"country\"";
}

static const char *category_name(const void *payload, size_t feature, size_t code)
{
    (void)payload;
    return feature != 1 ? NULL : code == 0 ? "DE" : code == 2 ? "FR" : NULL;
}

/* The second feature has one category: bits behind it are no categories. */
static const char *one_category(const void *payload, size_t feature, size_t code)
{
    (void)payload;
    return feature == 1 && code == 0 ? "DE" : NULL;
}

static const scarce__show_names names = {feature_name, category_name, NULL};
static const scarce__show_names one_name = {feature_name, one_category, NULL},
                                no_names = {feature_name, NULL, NULL};

static void test_show_text(void)
{
    scarce__forest forest = small_forest();
    scarce__text t = SCARCE__TEXT_INIT;
    scarce__show_text(&t, &forest, &names, 0, 1);
    CHECK_TEXT(t.bytes, "tree 0: 3 leaves, depth 2\n"
                        "amount <= 12.5 (missing: yes), gain 3.25, 100 rows\n"
                        "  yes: leaf -0.125, 90 rows\n"
                        "  no: a \"country\" in {DE, FR} (other: yes, missing: no), gain 1\n"
                        "    yes: leaf 1\n"
                        "    no: leaf 2\n");
    t.n = 0;
    scarce__show_text(&t, &forest, &one_name, 0, 1);
    CHECK(strstr(t.bytes, "in {DE} (other: yes"));
    t.n = 0;
    scarce__show_text(&t, &forest, &no_names, 0, 1);
    CHECK(strstr(t.bytes, "in {0, 2} (other: yes"));
    t.n = 0;
    scarce__show_text(&t, &forest, NULL, 2, 99);
    CHECK_TEXT(t.bytes, "tree 2: 1 leaves, depth 0\nleaf -0.125, 90 rows\n");
    scarce__text_deinit(&t);
    scarce__forest_deinit(&forest);
}

static void test_show_json(void)
{
    scarce__forest forest = small_forest();
    scarce__text t = SCARCE__TEXT_INIT;
    scarce__json *json = NULL;
    const scarce__json_value *trees, *nodes, *node;
    scarce__show_json(&t, &forest, &names, 0, 99);
    CHECK(scarce__json_read(&json, t.bytes, t.n, 0, NULL) == SCARCE_OK);
    trees = scarce__json_get(scarce__json_root(json), "trees");
    CHECK(trees && trees->count == 3);
    CHECK(scarce__json_get_number(scarce__json_root(json), "base", 0) == 0.5);
    nodes = scarce__json_get(scarce__json_first(trees), "nodes");
    CHECK(nodes->count == 5);
    node = scarce__json_first(nodes);
    CHECK_TEXT(scarce__json_get_string(node, "feature", ""), "amount");
    CHECK(scarce__json_get_number(node, "threshold", 0) == 12.5);
    CHECK_TEXT(scarce__json_get_string(node, "missing", ""), "left");
    node = scarce__json_next(node);
    CHECK(scarce__json_get_number(node, "leaf", 0) == -0.125);
    node = scarce__json_next(node);
    CHECK_TEXT(scarce__json_get_string(node, "feature", ""), "a \"country\"");
    CHECK(scarce__json_get(node, "categories")->count == 2);
    CHECK_TEXT(scarce__json_first(scarce__json_get(node, "categories"))->as.string, "DE");
    CHECK_TEXT(scarce__json_get_string(node, "other", ""), "left");
    scarce__json_free(json);
    scarce__text_deinit(&t);
    scarce__forest_deinit(&forest);
}

static void test_show_dot(void)
{
    scarce__forest forest = small_forest();
    scarce__text t = SCARCE__TEXT_INIT;
    scarce__show_dot(&t, &forest, &names, 0, 1);
    CHECK_TEXT(t.bytes, "digraph trees {\n"
                        "  t0n0 [shape=ellipse, label=\"amount <= 12.5\"];\n"
                        "  t0n0 -> t0n1 [label=\"yes, missing\"];\n"
                        "  t0n0 -> t0n2 [label=\"no\"];\n"
                        "  t0n1 [shape=box, label=\"-0.125\"];\n"
                        "  t0n2 [shape=ellipse, label=\"a \\\"country\\\" in DE, FR or other\"];\n"
                        "  t0n2 -> t0n3 [label=\"yes\"];\n"
                        "  t0n2 -> t0n4 [label=\"no, missing\"];\n"
                        "  t0n3 [shape=box, label=\"1\"];\n"
                        "  t0n4 [shape=box, label=\"2\"];\n"
                        "}\n");
    scarce__text_deinit(&t);
    scarce__forest_deinit(&forest);
}

/* Depth 20000: no recursion, and text that grows with the nodes only. */
static void test_show_deep(void)
{
    const forest_shape shape = {3, 1, 20000, 0, 0, 0, 1};
    scarce__forest forest = random_forest(&shape, 1);
    scarce__text t = SCARCE__TEXT_INIT;
    CHECK(scarce__forest_check(&forest, NULL) == SCARCE_OK);
    scarce__show_text(&t, &forest, NULL, 0, 1);
    CHECK(!t.failed && t.n < 40000 * 200 && strstr(t.bytes, "depth 19999") != NULL);
    scarce__show_json(&t, &forest, NULL, 0, 1);
    scarce__show_dot(&t, &forest, NULL, 0, 1);
    CHECK(!t.failed);
    scarce__text_deinit(&t);
    scarce__forest_deinit(&forest);
}

static void test_importance(void)
{
    scarce__forest forest = small_forest();
    double out[2];
    scarce__forest_importance(&forest, SCARCE__IMPORTANCE_GAIN, out);
    CHECK(out[0] == 6.5 && out[1] == 2);
    scarce__forest_importance(&forest, SCARCE__IMPORTANCE_COUNT, out);
    CHECK(out[0] == 2 && out[1] == 2);
    scarce__forest_deinit(&forest);
}

/* ---- Sums of forests */

enum { FEATURES = 6, POINTS = 60 };

static scarce__forest some_forest(size_t trees, uint64_t seed)
{
    const forest_shape shape = {FEATURES, trees, 5, 8, 40, 50, 0};
    return random_forest(&shape, seed);
}

static void make_points(float *x)
{
    scarce__random r = scarce__random_start(2, SCARCE__FOR_TEST, 8);
    for (size_t i = 0; i < POINTS * FEATURES; ++i)
        x[i] = i % 11 == 3                   ? NAN
               : i % FEATURES < FEATURES / 2 ? (float)scarce__random_normal(&r)
                                             : (float)scarce__random_below(&r, 45);
}

static void test_append(void)
{
    float x[POINTS * FEATURES];
    scarce__forest sum = {0}, none = {0}, odd = some_forest(2, 9);
    double want[POINTS] = {0};
    make_points(x);
    for (uint64_t k = 0; k < 5; ++k) {
        scarce__forest one = some_forest(k == 2 ? 0 : 3 + (size_t)k, k);
        const double scale = k == 4 ? -0.3 : 0.25 * (double)(k + 1);
        for (size_t i = 0; i < POINTS; ++i) want[i] += scale * scarce__forest_walk(&one, x + i * FEATURES);
        CHECK(scarce__forest_append(&sum, &one, scale, NULL) == SCARCE_OK);
        scarce__forest_deinit(&one);
        CHECK(scarce__forest_check(&sum, NULL) == SCARCE_OK && sum.n_features == FEATURES);
        for (size_t i = 0; i < POINTS; ++i)
            CHECK_NEAR(scarce__forest_walk(&sum, x + i * FEATURES), want[i], 1e-5);
    }
    CHECK(sum.n_trees == 3 + 4 + 6 + 7);
    scarce_error err = SCARCE_ERROR_INIT; /* refused, and nothing changed */
    odd.n_features = FEATURES + 1;
    CHECK(scarce__forest_append(&sum, &odd, 1, &err) == SCARCE_EINVAL && strstr(err.text, "7 features"));
    odd.n_features = FEATURES;
    CHECK(scarce__forest_append(&sum, &odd, 1e300, &err) == SCARCE_ENUMERIC);
    CHECK(scarce__forest_append(&sum, &odd, (double)NAN, &err) == SCARCE_ENUMERIC);
    CHECK(scarce__forest_append(&none, &odd, 1e300, NULL) == SCARCE_ENUMERIC && none.n_trees == 0 &&
          none.n_features == 0 && none.base == 0);
    CHECK(sum.n_trees == 20 && scarce__forest_check(&sum, NULL) == SCARCE_OK);
    for (size_t i = 0; i < POINTS; ++i)
        CHECK_NEAR(scarce__forest_walk(&sum, x + i * FEATURES), want[i], 1e-5);
    scarce__forest_deinit(&sum);
    scarce__forest_deinit(&none);
    scarce__forest_deinit(&odd);
}

/* Members in turns: cut after the trees of k rounds, it is the sum of the members cut after k trees. */
static void test_members(void)
{
    static const size_t trees[] = {4, 0, 7, 1};
    scarce__forest member[4], all = {0};
    const scarce__forest *members[4];
    float x[POINTS * FEATURES];
    make_points(x);
    for (size_t m = 0; m < 4; ++m) {
        member[m] = some_forest(trees[m], 20 + m);
        members[m] = &member[m];
    }
    CHECK(scarce__forest_join(&all, members, 4, 0.5, NULL) == SCARCE_OK);
    CHECK(all.n_trees == 12 && all.n_members == 4 && scarce__forest_rounds(&all) == 7);
    CHECK(scarce__forest_check(&all, NULL) == SCARCE_OK);
    for (size_t rounds = 8; rounds-- > 0;) {
        size_t count = 0;
        for (size_t m = 0; m < 4; ++m) {
            scarce__forest_truncate(&member[m], rounds);
            count += member[m].n_trees;
        }
        CHECK(scarce__forest_trees_in(&all, rounds) == count);
        scarce__forest_truncate(&all, count);
        CHECK(all.n_trees == count && scarce__forest_check(&all, NULL) == SCARCE_OK);
        CHECK(scarce__forest_rounds(&all) == rounds || rounds > 7);
        for (size_t m = 0; m < 4; ++m) CHECK(all.member_trees[m] == member[m].n_trees);
        for (size_t i = 0; i < POINTS; ++i) {
            double want = 0;
            for (size_t m = 0; m < 4; ++m) want += 0.5 * scarce__forest_walk(&member[m], x + i * FEATURES);
            CHECK_NEAR(scarce__forest_walk(&all, x + i * FEATURES), want, 1e-5);
        }
    }
    CHECK(scarce__forest_append(&all, &member[0], 1, NULL) == SCARCE_OK && all.n_members == 0);
    scarce__forest_deinit(&all);
    all.n_members = 0;
    CHECK(scarce__forest_rounds(&member[3]) == 0 && scarce__forest_trees_in(&member[3], 9) == 0);
    for (size_t m = 0; m < 4; ++m) scarce__forest_deinit(&member[m]);
}

/* A cut in the middle of a round takes from the later members. */
static void test_cut_round(void)
{
    scarce__forest member[3], all = {0};
    const scarce__forest *members[3];
    for (size_t m = 0; m < 3; ++m) {
        member[m] = some_forest(3, 30 + m);
        members[m] = &member[m];
    }
    CHECK(scarce__forest_join(&all, members, 3, 1, NULL) == SCARCE_OK);
    scarce__forest_truncate(&all, 4);
    CHECK(all.member_trees[0] == 2 && all.member_trees[1] == 1 && all.member_trees[2] == 1);
    CHECK(scarce__forest_check(&all, NULL) == SCARCE_OK);
    all.member_trees[2] = 2;
    CHECK(scarce__forest_check(&all, NULL) == SCARCE_EPARSE);
    all.member_trees[2] = 0;
    CHECK(scarce__forest_check(&all, NULL) == SCARCE_EPARSE);
    scarce__forest_deinit(&all);
    for (size_t m = 0; m < 3; ++m) scarce__forest_deinit(&member[m]);
}

typedef struct stage_test {
    const scarce__forest *forest;
    const size_t *round;
    const float *x;
    size_t calls;
} stage_test;

static scarce_status check_stage(void *payload, size_t at, const double *score, scarce_error *err)
{
    stage_test *s = payload;
    scarce__forest cut = *s->forest;
    (void)err;
    CHECK(at == s->calls++);
    cut.n_trees = scarce__forest_trees_in(s->forest, s->round[at]);
    for (size_t i = 0; i < POINTS; ++i)
        CHECK_NEAR(score[i], scarce__forest_walk(&cut, s->x + i * FEATURES), 1e-9);
    return s->round[at] == 100 ? scarce__fail(err, SCARCE_ENUMERIC, "enough") : SCARCE_OK;
}

/* Stages against forests cut there. */
static void test_stages(void)
{
    static const size_t round[] = {0, 1, 1, 3, 6, 9, 12, 100, 200};
    const forest_shape shape = {FEATURES, 9, 6, 8, 0, 0, 0};
    scarce__forest one = random_forest(&shape, 3), other = random_forest(&shape, 4), all = {0};
    const scarce__forest *const members[] = {&one, &other};
    float x[POINTS * FEATURES];
    scarce_table *t = NULL;
    scarce__forest_truncate(&other, 5);
    make_points(x);
    CHECK(scarce_table_from_floats(&t, x, POINTS, FEATURES, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__forest_join(&all, members, 2, 2, NULL) == SCARCE_OK);
    stage_test s = {&one, round, x, 0};
    CHECK(scarce__forest_stages(&one, t, round, 7, check_stage, &s, NULL, NULL) == SCARCE_OK && s.calls == 7);
    s.forest = &all;
    s.calls = 0;
    CHECK(scarce__forest_stages(&all, t, round, 9, check_stage, &s, NULL, NULL) == SCARCE_ENUMERIC);
    CHECK(s.calls == 8);
    scarce_table_free(t);
    scarce__forest_deinit(&one);
    scarce__forest_deinit(&other);
    scarce__forest_deinit(&all);
}

static void test_no_memory(void)
{
#ifdef SCARCE_FAULTS
    scarce__forest sum = {0}, member = small_forest();
    const scarce__forest *const members[] = {&member, &member};
    for (size_t fail = 1; fail < 5; ++fail) {
        scarce__alloc_fail_from(fail);
        CHECK(scarce__forest_join(&sum, members, 2, 1, NULL) == SCARCE_ENOMEM && !sum.nodes);
        if (fail < 4)
            CHECK(scarce__forest_append(&sum, &member, 1, NULL) == SCARCE_ENOMEM && sum.n_trees == 0);
        scarce__alloc_fail_from(0);
        scarce__forest_deinit(&sum);
    }
    scarce__forest_deinit(&member);
    scarce__forest forest = small_forest();
    scarce__node nodes[101];
    uint32_t set[100] = {0};
    const float row[2] = {13, 1};
    const double before = scarce__forest_walk(&forest, row);
    memset(nodes, 0, sizeof nodes);
    for (int i = 0; i < 101; ++i) nodes[i].feature = -1;
    for (size_t fail = 1; fail < 3; ++fail) {
        scarce__alloc_fail_from(fail);
        CHECK(scarce__forest_add(&forest, nodes, 101, set, 100, NULL) == SCARCE_ENOMEM);
        CHECK(scarce__forest_check(&forest, NULL) == SCARCE_ENOMEM);
        scarce__alloc_fail_from(0);
        CHECK(forest.n_trees == 3 && scarce__forest_walk(&forest, row) == before);
    }
    scarce__forest_deinit(&forest);
#endif
}

static const test_case tests[] = {
    {"walk", test_walk},
    {"truncate", test_truncate},
    {"check", test_check},
    {"check_random", test_check_random},
    {"show_text", test_show_text},
    {"show_json", test_show_json},
    {"show_dot", test_show_dot},
    {"show_deep", test_show_deep},
    {"importance", test_importance},
    {"append", test_append},
    {"members", test_members},
    {"cut_round", test_cut_round},
    {"stages", test_stages},
    {"no_memory", test_no_memory},
};
TEST_MAIN(tests)
