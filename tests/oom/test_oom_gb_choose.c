/* SPDX-License-Identifier: Apache-2.0 */
/* Memory runs out while held-out rows choose for gb. */
#include <math.h>
#include <stdint.h>

#include <scarce/scarce.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/table.h"
#include "method/gb_choose.h"
#include "walk.h"

#ifdef SCARCE_FAULTS

enum { ROWS = 120 };

static scarce_status choose(int sum, scarce_error *err)
{
    static float x[ROWS];
    static uint8_t y[ROWS];
    scarce_table *table = NULL;
    scarce__gb_candidates c = {
        .n = sum ? 3 : 2, .calibrate = 1, .sum = sum, .shift = (double)NAN, .parts = 5};
    scarce__gb_choice choice;
    int cancelled = 0;

    for (size_t i = 0; i < ROWS; ++i) {
        x[i] = (float)(i % 7);
        y[i] = (uint8_t)(i % 2);
    }
    scarce_status st = scarce_table_from_floats(&table, x, ROWS, 1, NULL, y, err);
    if (st != SCARCE_OK) return st;
    if (sum) table->time = scarce__malloc_array(ROWS, sizeof *table->time);
    if (sum && !table->time) st = scarce__fail_memory(err, "times", 0);
    for (size_t i = 0; table->time && i < ROWS; ++i) table->time[i] = (double)(i / 2);
    scarce__boost_options_init(&c.one[0].o);
    c.one[0].o.pos_weight = 2; /* so that the held-out rows have weights */
    c.one[0].o.grow.max_leaves = 3;
    c.one[0].haste = c.one[0].least = 1;
    c.one[0].prior = 1;
    c.one[1] = c.one[2] = c.one[0];
    c.one[1].o.grow.max_leaves = 6;
    c.one[2].linear = 1;
    if (st == SCARCE_OK) {
        st = scarce__gb_choose(&choice, &cancelled, table, &c, NULL, err);
        CHECK(choice.which < c.n && (st == SCARCE_OK ? choice.of[0].n_trees < 100 : choice.of[0].weight > 0));
    }
    scarce_table_free(table);
    return st;
}

static scarce_status choose_one(scarce_error *err)
{
    return choose(0, err);
}

static scarce_status choose_weights(scarce_error *err)
{
    return choose(1, err);
}

static void test_choose(void)
{
    oom_walk("choose", choose_one);
}

static void test_weights(void)
{
    oom_walk("weigh", choose_weights);
}

static const test_case tests[] = {{"choose", test_choose}, {"weights", test_weights}};
TEST_MAIN(tests)
#else
int main(void)
{
    return 0;
}
#endif
