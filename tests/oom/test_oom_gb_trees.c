/* SPDX-License-Identifier: Apache-2.0 */
/* Memory runs out while gb counts its trees on held-out rows. */
#include <stdint.h>

#include <scarce/scarce.h>

#include "core/alloc.h"
#include "data/table.h"
#include "method/gb_trees.h"
#include "walk.h"

#ifdef SCARCE_FAULTS

enum { ROWS = 120 };

static scarce_status choose(scarce_error *err)
{
    const scarce__trees_wanted wanted = {1, 6};
    static float x[ROWS];
    static uint8_t y[ROWS];
    scarce_table *table = NULL;
    scarce__boost_options o;
    int cancelled = 0;

    for (size_t i = 0; i < ROWS; ++i) {
        x[i] = (float)(i % 7);
        y[i] = (uint8_t)(i % 2);
    }
    scarce_status st = scarce_table_from_floats(&table, x, ROWS, 1, NULL, y, err);
    if (st != SCARCE_OK) return st;
    scarce__boost_options_init(&o);
    o.pos_weight = 2; /* so that the held-out rows have weights */
    o.grow.max_leaves = 3;
    st = scarce__gb_choose_trees(&o, &cancelled, table, &wanted, NULL, err);
    CHECK(st != SCARCE_OK ? o.n_trees == 100 && o.grow.max_leaves == 3 : o.n_trees < 100);
    scarce_table_free(table);
    return st;
}

static void test_choose(void)
{
    oom_walk("choose trees", choose);
}

static const test_case tests[] = {{"choose", test_choose}};
TEST_MAIN(tests)
#else
int main(void)
{
    return 0;
}
#endif
