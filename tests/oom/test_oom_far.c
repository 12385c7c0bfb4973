/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of sketching, planning, keeping rows (in memory and in a file) and training from them fails once: ENOMEM,
 * nothing leaked. */
#include "oom/walk.h"
#include "unit/far_rows.h"

#ifdef SCARCE_FAULTS

static scarce_table *rows, *more;
static const char *folder;

static scarce_status join(scarce_sketch *to, scarce_error *err)
{
    scarce_sketch *s = NULL;
    void *bytes = NULL;
    size_t n = 0;
    scarce_status st = scarce_sketch_new(&s, err);
    if (st == SCARCE_OK) st = scarce_sketch_add(s, more, NULL, 600, err);
    if (st == SCARCE_OK) st = scarce_sketch_bytes(&bytes, &n, s, err);
    if (st == SCARCE_OK) st = scarce_sketch_join(to, bytes, n, err);
    scarce_bytes_free(bytes);
    scarce_sketch_free(s);
    return st;
}

static scarce_status run(scarce_error *err)
{
    scarce_sketch *s = NULL;
    scarce_plan *plan = NULL, *sent = NULL;
    scarce_partition *p[2] = {NULL, NULL};
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_table *held = NULL;
    static const uint64_t before[400];
    void *bytes = NULL;
    size_t n = 0;
    scarce_status st = scarce_params_new(&params, "gb", err);

    if (st == SCARCE_OK) st = scarce_params_set_list(params, "sample=importance n_trees=3 pool=5", ' ', err);
    if (st == SCARCE_OK) st = scarce_sketch_new(&s, err);
    if (st == SCARCE_OK) st = scarce_sketch_add(s, rows, NULL, 0, err);
    if (st == SCARCE_OK) st = scarce_sketch_know(s, more, before, err);
    if (st == SCARCE_OK) st = join(s, err);
    if (st == SCARCE_OK) st = scarce_plan_new(&plan, s, params, NULL, err);
    if (st == SCARCE_OK) st = scarce_plan_bytes(&bytes, &n, plan, err);
    if (st == SCARCE_OK) st = scarce_plan_read(&sent, bytes, n, err);
    scarce_bytes_free(bytes);
    for (size_t k = 0; k < 4 && st == SCARCE_OK; ++k) st = scarce_plan_gather(&held, plan, more, err);
    scarce_table_free(held);
    for (size_t k = 0; k < 2 && st == SCARCE_OK; ++k) {
        st = scarce_partition_new(&p[k], sent, folder, err);
        if (st == SCARCE_OK) st = scarce_partition_add(p[k], k ? more : rows, NULL, 600 * k, NULL, err);
    }
    if (st == SCARCE_OK) {
        const scarce_here here = {p, 2};
        const scarce_far far = scarce_far_here(&here);
        st = scarce_train_far(&model, plan, params, NULL, &far, NULL, NULL, err);
        CHECK((st == SCARCE_OK) == (model != NULL));
    }
    scarce_model_free(model);
    for (size_t k = 0; k < 2; ++k) scarce_partition_free(p[k]);
    scarce_plan_free(plan);
    scarce_plan_free(sent);
    scarce_sketch_free(s);
    scarce_params_free(params);
    return st;
}

static void test_far(void)
{
    rows = rows_of(0, 600, 0);
    more = rows_of(600, 1000, 0);
    oom_walk("rows in memory", run);
    folder = "/tmp";
    oom_walk("rows in a file", run);
    scarce_table_free(rows);
    scarce_table_free(more);
}

static const test_case tests[] = {{"far", test_far}};
TEST_MAIN(tests)

#else
int main(void)
{
    return 77;
}
#endif
