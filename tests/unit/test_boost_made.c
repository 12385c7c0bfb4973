/* SPDX-License-Identifier: Apache-2.0 */
/* Bags with rows that a sampler made up (the worked example of tests/example): a copy of a row must count as
 * weight 2 on it, in every tree, whatever the scores have become. */
#include "example/loss_discrete.c"
#include "example/sampler_copies.c"

#include "boost/boost.h"
#include "data/table.h"
#include "test.h"
#include "tree_data.h"

enum { ROWS = 900, TREES = 12 };

/* The same choice, as weights. */
static scarce_status twice_draw(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                                const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    const uint64_t key = scarce__key(at->seed, SCARCE__FOR_ROWS, 2 * at->tree);
    (void)s;
    (void)ctx;
    SCARCE__TRY(scarce__bag_reserve(out, from->n, 1, err));
    for (size_t i = 0; i < from->n; ++i) {
        out->row[i] = (uint32_t)i;
        out->weight[i] = from->label[i] && scarce__hash(key, i) >> 63 ? 2 : 1;
    }
    out->n = from->n;
    return SCARCE_OK;
}

static const scarce__sampler twice = {.name = "twice", .draw = twice_draw};

/* Values and splits alike; rows are counted as they are, so `rows` may differ. */
static double distance(const scarce__forest *a, const scarce__forest *b)
{
    double most = fabs(a->base - b->base);
    CHECK(a->n_trees == TREES && b->n_trees == TREES);
    CHECK(memcmp(a->tree_begin, b->tree_begin, (TREES + 1) * sizeof *a->tree_begin) == 0);
    for (size_t i = 0; i < a->tree_begin[TREES]; ++i) {
        CHECK(a->nodes[i].feature == b->nodes[i].feature && a->nodes[i].left == b->nodes[i].left);
        most = fmax(most, fabs((double)a->nodes[i].value - (double)b->nodes[i].value));
    }
    return most;
}

static scarce__boost_options options(const scarce__sampler *sampler, int keep)
{
    scarce__boost_options o;
    scarce__boost_options_init(&o);
    o.n_trees = TREES;
    o.grow.max_leaves = 6;
    o.grow.histogram_double = 1;
    o.sampling.sampler = sampler;
    o.sampling.keep = keep;
    return o;
}

static void train(scarce__forest *f, const scarce__boost_data *data, const scarce__boost_options *o,
                  int threads)
{
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce__boost_result result;
    scarce_error err = SCARCE_ERROR_INIT;
    co.threads = threads;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce__boost_train(f, data, NULL, o, &result, ctx, &err) == SCARCE_OK);
    if (err.code) puts(err.text);
    scarce_context_free(ctx);
}

static void test_copies(void)
{
    scarce_table *t = data_table(ROWS, 31, NULL, 2);
    uint32_t *some = scarce__malloc_array(ROWS, sizeof *some);
    for (size_t i = 0; i < ROWS / 2; ++i) some[i] = (uint32_t)(2 * i + 1);
    const scarce__boost_data all = {.table = t}, half = {.table = t, .rows = some, .n_rows = ROWS / 2};
    for (int keep = 1; keep <= 3; keep += 2)
        for (int part = 0; part < 2; ++part)
            for (int weights = 0; weights < 2; ++weights) {
                scarce__boost_options o = options(&scarce__sampler_copies, keep), w = options(&twice, keep);
                scarce__forest a, b, c, d;
                o.pos_weight = w.pos_weight = weights ? 3 : 1;
                train(&a, part ? &half : &all, &o, 1);
                train(&b, part ? &half : &all, &w, 1);
                CHECK(distance(&a, &b) < 1e-5);
                w.sampling.sampler = NULL; /* and it isn't nothing */
                w.sampling.kind = SCARCE__ROWS_ALL;
                train(&d, part ? &half : &all, &w, 1);
                CHECK(d.nodes[d.tree_begin[1] - 1].value != a.nodes[a.tree_begin[1] - 1].value);
                train(&c, part ? &half : &all, &o, 2);
                CHECK(distance(&a, &c) == 0);
                scarce__forest_deinit(&c);
                scarce__forest first = a; /* going on inside a bag's life and at its end */
                for (size_t cut = 4; cut <= 6; ++cut) {
                    first.n_trees = cut;
                    o.resume = &first;
                    train(&c, part ? &half : &all, &o, 2);
                    CHECK(distance(&a, &c) == 0);
                    scarce__forest_deinit(&c);
                }
                scarce__forest_deinit(&a);
                scarce__forest_deinit(&b);
                scarce__forest_deinit(&d);
            }
    scarce__free(some);
    scarce_table_free(t);
}

/* A loss with state of rows gets along with rows that have none: the weight 1 is that of a mean row. */
static void test_with_state(void)
{
    scarce_table *t = data_table(ROWS, 32, NULL, 2);
    const scarce__boost_data data = {.table = t};
    const scarce__loss_params params = {.scale = ROWS};
    scarce__boost_options o = options(&scarce__sampler_copies, 1);
    scarce__forest a, b;
    o.loss = scarce__loss_kind_discrete.make(&params);
    o.grow.learning_rate = 1;
    o.grow.rules.lambda = 0;
    train(&a, &data, &o, 1);
    scarce__forest first = a;
    first.n_trees = 5;
    o.resume = &first;
    train(&b, &data, &o, 2);
    CHECK(distance(&a, &b) == 0);
    scarce__forest_deinit(&a);
    scarce__forest_deinit(&b);
    scarce_table_free(t);
}

static void test_targets(void)
{
    scarce_table *t = data_table(ROWS, 33, NULL, 2);
    float *target = scarce__calloc(ROWS, sizeof *target);
    const scarce__boost_data data = {.table = t, .target = target};
    scarce__boost_options o = options(&scarce__sampler_copies, 1);
    scarce__boost_result result;
    scarce__forest f;
    o.loss = scarce__loss_squared();
    CHECK(scarce__boost_train(&f, &data, NULL, &o, &result, NULL, NULL) == SCARCE_EUNSUPPORTED && !f.nodes);
    scarce__free(target);
    scarce_table_free(t);
}

/* The table of samplers: a name is a line, and the kinds of the enum are these lines. */
static void test_table(void)
{
    static const char *const names[] = {"all",   "uniform", "stratified", "classes",    "balanced",
                                        "ratio", "goss",    "mvs",        "importance", "bootstrap"};
    for (size_t k = 0; k < scarce__n_samplers; ++k) {
        CHECK(scarce__sampler_find(scarce__samplers[k]->name) == scarce__samplers[k]);
        CHECK(scarce__samplers[k]->summary[0] && (k == 0) == !scarce__samplers[k]->draw);
    }
    CHECK(!scarce__sampler_find("copies"));
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
        CHECK_TEXT(scarce__samplers[SCARCE__ROWS_ALL + k]->name, names[k]);
    CHECK_TEXT(scarce__samplers[SCARCE__ROWS_BOOTSTRAP_BALANCED]->name, "bootstrap-balanced");
}

static const test_case tests[] = {{"copies", test_copies},
                                  {"with_state", test_with_state},
                                  {"targets", test_targets},
                                  {"table", test_table}};
TEST_MAIN(tests)
