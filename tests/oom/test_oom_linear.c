/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of linear training fails once: ENOMEM, nothing leaked, no half-made model. (liblinear's
 * own allocations are out of reach.) */
#include "core/alloc.h"
#include "data/table.h"
#include "linear/linear.h"
#include "test.h"

enum { N = 40 };

static scarce_table *make_table(void)
{
    float x[N * 3];
    uint8_t y[N];
    scarce_table *t = NULL;
    for (int i = 0; i < N; ++i) {
        y[i] = i % 5 == 0;
        x[i * 3] = (float)((i * 7) % 11);
        x[i * 3 + 1] = i % 4 == 0 ? NAN : (float)(i % 3);
        x[i * 3 + 2] = (float)(i % 2);
    }
    CHECK(scarce_table_from_floats(&t, x, N, 3, NULL, y, NULL) == SCARCE_OK);
    /* the second column a category, the third sparse */
    int32_t *code = scarce__malloc_array(N, sizeof *code);
    scarce__sparse s = {0, scarce__malloc_array(N, sizeof *s.row), scarce__malloc_array(N, sizeof *s.value)};
    for (uint32_t i = 0; i < N; ++i) {
        code[i] = isnan(x[i * 3 + 1]) ? -1 : (int32_t)x[i * 3 + 1];
        if (x[i * 3 + 2] == 0) continue;
        s.row[s.count] = i;
        s.value[s.count++] = x[i * 3 + 2];
    }
    scarce__free(t->columns[1].number);
    scarce__free(t->columns[2].number);
    t->columns[1].code = code;
    t->columns[2].sparse = s;
    t->schema.features[1].kind = SCARCE_COLUMN_CATEGORY;
    t->schema.features[2].kind = SCARCE_COLUMN_SPARSE;
    for (int c = 0; c < 3; ++c) scarce__dictionary_add(&t->schema.features[1].categories, &"abc"[c], 1);
    return t;
}

static void test_training(void)
{
    scarce_table *t = make_table();
    for (int solver = 0; solver < 2; ++solver) {
        scarce__linear_options o = scarce__linear_options_init();
        scarce__linear m;
        scarce_status status = SCARCE_ENOMEM;
        o.solver = (scarce__linear_solver)solver;
        for (size_t n = 1; status == SCARCE_ENOMEM && n < 100; ++n) {
            scarce__alloc_fail_from(n);
            status = scarce__linear_train(&m, NULL, t, &o, NULL, NULL);
            scarce__alloc_fail_from(0);
            if (status == SCARCE_ENOMEM) CHECK(m.weight == NULL && m.slot_begin == NULL && m.n_features == 0);
            if (status == SCARCE_OK) {
                CHECK(n > 10);
                scarce__linear_deinit(&m);
            }
        }
        CHECK(status == SCARCE_OK || (solver == 1 && status == SCARCE_EUNSUPPORTED));
    }
    scarce_table_free(t);
}

static const test_case tests[] = {{"training", test_training}};
TEST_MAIN(tests)
