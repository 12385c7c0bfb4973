/* SPDX-License-Identifier: Apache-2.0 */
/* Memory runs out while an exact tree is grown: numbers, categories, sampled columns, rows left out. */
#include <stdint.h>

#include <scarce/scarce.h>

#include "core/alloc.h"
#include "data/table.h"
#include "tree/exact.h"
#include "walk.h"

#ifdef SCARCE_FAULTS

enum { ROWS = 400 };

/* One number and one category of five, which the label follows in part. */
static scarce_status make(scarce_table **out, float *g, float *h, uint8_t *y, scarce_error *err)
{
    static float x[2 * ROWS];
    for (size_t i = 0; i < ROWS; ++i) {
        x[2 * i] = (float)(i * 7919 % 1009);
        x[2 * i + 1] = (float)(i % 5);
        y[i] = i * 31 % 17 < 4 + i % 5;
        h[i] = 1;
        g[i] = y[i] ? -1 : 0;
    }
    const scarce_status st = scarce_table_from_floats(out, x, ROWS, 2, NULL, y, err);
    if (st != SCARCE_OK) return st;
    scarce__feature *f = &(*out)->schema.features[1];
    int32_t *code = scarce__malloc_array(ROWS, sizeof *code);
    int good = code != NULL;
    for (char c = 'a'; good && c < 'f'; ++c) good = scarce__dictionary_add(&f->categories, &c, 1) != SIZE_MAX;
    if (!good) {
        scarce__free(code);
        scarce_table_free(*out);
        *out = NULL;
        return scarce__fail_memory(err, "a column", 0);
    }
    for (size_t i = 0; i < ROWS; ++i) code[i] = (int32_t)(i % 5);
    scarce__free((*out)->columns[1].number);
    (*out)->columns[1].code = code;
    f->kind = SCARCE_COLUMN_CATEGORY;
    return SCARCE_OK;
}

static scarce_status grow(scarce_error *err)
{
    static float g[ROWS], h[ROWS];
    static uint8_t y[ROWS];
    static uint32_t times[ROWS];
    scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
    scarce_table *table = NULL;
    scarce__exact *w = NULL;
    scarce__binned_tree tree = {0};

    scarce_status st = make(&table, g, h, y, err);
    if (st != SCARCE_OK) return st;
    for (size_t i = 0; i < ROWS; ++i) times[i] = i % 3 != 0;
    o.rules.criterion = &scarce__criterion_gini;
    o.max_leaves = 0;
    o.colsample_node = 0.9;
    st = scarce__exact_new(&w, table, NULL, 0, &o, NULL, err);
    const scarce__exact_rows rows = {.g = g, .h = h, .mark = y, .times = times};
    if (st == SCARCE_OK) st = scarce__exact_tree(w, &tree, &rows, 0, NULL, err);
    if (st == SCARCE_OK) CHECK(tree.n_nodes > 140 && tree.n_set_words > 0); /* more leaves than at first */
    scarce__binned_tree_deinit(&tree);
    scarce__exact_free(w);
    scarce_table_free(table);
    return st;
}

static void test_exact(void)
{
    oom_walk("exact tree", grow);
}

static const test_case tests[] = {{"exact", test_exact}};
TEST_MAIN(tests)
#else
int main(void)
{
    return 0;
}
#endif
