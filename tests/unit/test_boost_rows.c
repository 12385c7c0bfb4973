/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of rows, and when to stop, used without the loop of boosting: here by a few trees of a forest, each on
 * its own bootstrap. Whichever way scores are brought up to date, they have the same bits. */
#include "test.h"

#include "boost/boost.h"
#include "tree_data.h"

enum { ROWS = 600, TREES = 9 };

static void test_parts(void)
{
    scarce_table *t = data_table(ROWS, 41, NULL, 1.5);
    const scarce__boost_data data = {.table = t};
    const scarce__bin_options bins = SCARCE__BIN_OPTIONS_INIT;
    scarce__grow_options grow = SCARCE__GROW_OPTIONS_INIT;
    const scarce__loss loss = scarce__loss_squared();
    scarce__sampling_options so = SCARCE__SAMPLING_OPTIONS_INIT;
    scarce__sampling s;
    const scarce__weighing twice = {2, 1, 0};
    scarce__binned *binned = NULL;
    scarce__grower *grower = NULL;
    scarce__part all, bag, late;
    scarce__grown grown = {0};
    scarce__bag drawn;
    float g[ROWS], h[ROWS];
    uint32_t by_tiles[ROWS], by_walk[ROWS];

    memset(&all, 0, sizeof all);
    memset(&bag, 0, sizeof bag);
    memset(&late, 0, sizeof late);
    memset(&drawn, 0, sizeof drawn);
    grow.max_leaves = 12;
    so.kind = SCARCE__ROWS_BOOTSTRAP;
    so.fraction = 1;
    CHECK(scarce__binned_new(&binned, t, NULL, 0, NULL, &bins, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__part_fill(&all, &data, &twice, NULL) == SCARCE_OK && all.n == ROWS && all.weight);
    CHECK(scarce__part_fill(&late, &data, NULL, NULL) == SCARCE_OK && !late.weight);
    all.codes = late.codes = &binned->codes;
    scarce__part_start(&all, 0.25);
    scarce__part_start(&late, 0.25);
    CHECK(scarce__sampling_choose(&s, &so, 1, 1, &loss, NULL) == SCARCE_OK);
    CHECK(scarce__grower_new(&grower, &binned->bins, ROWS, &grow, NULL) == SCARCE_OK);
    for (size_t k = 0; k < TREES; ++k) {
        scarce__binned_tree *tree = scarce__calloc(1, sizeof *tree);
        const scarce__population from = {.n = ROWS, .label = all.label, .score = all.score, .n_all = ROWS};
        const scarce__draw at = {3, k, 0};
        CHECK(scarce__sampling_draw(&s, &drawn, &from, &at, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__part_gather(&bag, &all, &drawn, 0, NULL, NULL) == SCARCE_OK);
        for (size_t i = 0; i < bag.n; ++i) /* case weight x count */
            CHECK(bag.weight[i] == drawn.weight[i] * (all.label[bag.row[i]] ? 2 : 1));
        const scarce__loss_rows rows = scarce__part_rows(&bag);
        CHECK(loss.gradients(&loss, &rows, g, h, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__grower_tree(grower, tree, bag.codes, g, h, NULL, k, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__part_leaves(&all, tree, by_tiles, 0, NULL, NULL) == SCARCE_OK);
        scarce__codes plain = binned->codes;
        scarce__part walked = all;
        plain.tiles = NULL;
        walked.codes = &plain;
        CHECK(scarce__part_leaves(&walked, tree, by_walk, 0, NULL, NULL) == SCARCE_OK);
        CHECK(memcmp(by_tiles, by_walk, sizeof by_tiles) == 0 && tree->n_nodes > 5);
        scarce__grower_leaves(grower, by_walk);
        for (size_t i = 0; i < bag.n; ++i) CHECK(by_walk[i] == by_tiles[bag.row[i]]);
        CHECK(scarce__grown_add(&grown, tree, NULL) == SCARCE_OK && grown.n == k + 1);
        CHECK(scarce__part_catch_up(&all, &grown, 0, NULL, NULL) == SCARCE_OK && all.done == k + 1);
        scarce__part_walk(&bag, tree);
        for (size_t i = 0; i < bag.n; ++i) CHECK(bag.score[i] == all.score[bag.row[i]]);
    }
    scarce__grown_drop(&grown, late.done);
    CHECK(grown.kept_from == 0);
    CHECK(scarce__part_catch_up(&late, &grown, 0, NULL, NULL) == SCARCE_OK); /* all trees at once */
    CHECK(memcmp(late.score, all.score, ROWS * sizeof *all.score) == 0);
    scarce__grown_drop(&grown, late.done);
    CHECK(grown.kept_from == TREES && !grown.tree[0]);
    scarce__grown_deinit(&grown);
    scarce__part_deinit(&all);
    scarce__part_deinit(&late);
    scarce__part_deinit(&bag);
    scarce__bag_deinit(&drawn);
    scarce__grower_free(grower);
    scarce__binned_free(binned);
    scarce_table_free(t);
}

static void test_stop(void)
{
    scarce__stop s = SCARCE__STOP_INIT;
    s.after = 3;
    CHECK(!scarce__stop_judge(&s, (double)NAN, 1) && s.best != s.best); /* no judgement */
    CHECK(!scarce__stop_judge(&s, 0.5, 2) && s.best == 0.5 && s.best_trees == 2);
    CHECK(!scarce__stop_judge(&s, 0.5, 3) && s.best_trees == 2); /* the earlier of equals */
    CHECK(!scarce__stop_judge(&s, (double)NAN, 4));
    CHECK(scarce__stop_judge(&s, 0.4, 5) && s.best_trees == 2);
    CHECK(!scarce__stop_judge(&s, 0.6, 6) && s.best_trees == 6);

    scarce__stop down = SCARCE__STOP_INIT;
    down.smaller_is_better = 1;
    down.least = 0.1;
    CHECK(!scarce__stop_judge(&down, 1, 1) && !scarce__stop_judge(&down, 0.95, 2) && down.best_trees == 1);
    CHECK(!scarce__stop_judge(&down, 0.8, 3) && down.best_trees == 3);
    CHECK(!scarce__stop_judge(&down, 5, 1000)); /* after = 0: never */
}

static const test_case tests[] = {{"parts", test_parts}, {"stop", test_stop}};
TEST_MAIN(tests)
