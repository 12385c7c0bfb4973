/* SPDX-License-Identifier: Apache-2.0 */
/* Memory runs out while held-out rows choose for gb. */
#include <stdint.h>

#include <scarce/scarce.h>

#include "core/alloc.h"
#include "data/table.h"
#include "method/gb_choose.h"
#include "walk.h"

#ifdef SCARCE_FAULTS

enum { ROWS = 120 };

static scarce_status choose(scarce_error *err)
{
    static float x[ROWS];
    static uint8_t y[ROWS];
    scarce_table *table = NULL;
    scarce__gb_candidates c = {.n = 2, .calibrate = 1};
    scarce__gb_choice choice;
    int cancelled = 0;

    for (size_t i = 0; i < ROWS; ++i) {
        x[i] = (float)(i % 7);
        y[i] = (uint8_t)(i % 2);
    }
    scarce_status st = scarce_table_from_floats(&table, x, ROWS, 1, NULL, y, err);
    if (st != SCARCE_OK) return st;
    scarce__boost_options_init(&c.one[0].o);
    c.one[0].o.pos_weight = 2; /* so that the held-out rows have weights */
    c.one[0].o.grow.max_leaves = 3;
    c.one[0].haste = c.one[0].least = 1;
    c.one[1] = c.one[0];
    c.one[1].o.grow.max_leaves = 6;
    st = scarce__gb_choose(&choice, &cancelled, table, &c, NULL, err);
    CHECK(st != SCARCE_OK ? choice.n_trees == 100 && choice.which == 0 && choice.scale == 1
                          : choice.n_trees < 100);
    scarce_table_free(table);
    return st;
}

static void test_choose(void)
{
    oom_walk("choose", choose);
}

static const test_case tests[] = {{"choose", test_choose}};
TEST_MAIN(tests)
#else
int main(void)
{
    return 0;
}
#endif
