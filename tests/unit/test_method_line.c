/* SPDX-License-Identifier: Apache-2.0 */
/* The worked example of a method that is a line: what it lists, what it refuses, what it learns. */
#include "example/method_line.c"
#include "test.h"
#include "unit/method_tables.h"

static void test_line(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params params = {&example_method, NULL, NULL};
    scarce_table *table = make_table_of(TABLE_PAYMENTS, 600, 1, NULL);
    scarce_model *model = NULL;
    size_t listed = 0;

    CHECK(scarce__params_new(&params.values, "method ", example_method.name, scarce__engine_gb.params,
                             as_balanced_stumps, &err) == SCARCE_OK);
    for (size_t i = 0; i < scarce__param_count(scarce__engine_gb.params); ++i)
        listed += (size_t)scarce__params_listed(params.values, i);
    CHECK(listed > 15 && listed < scarce__param_count(scarce__engine_gb.params) - 15);
    CHECK(scarce_params_set(&params, "sample", "all", &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "sample can't be set for method balanced-stumps: it is always balanced");
    CHECK(scarce_params_set(&params, "top_rate", "0.1", &err) == SCARCE_EINVAL);
    CHECK(scarce_params_set(&params, "n_trees", "25", &err) == SCARCE_OK);
    CHECK(!(scarce__method_can(&example_method) & SCARCE__CAN_LOSS));
    CHECK(scarce__method_can(&example_method) & SCARCE__CAN_RESUME);
    if (scarce_train(&model, table, &params, NULL, NULL, NULL, &err) != SCARCE_OK)
        fprintf(stderr, "%s\n", err.text);
    CHECK(model != NULL);
    if (model) {
        CHECK_TEXT(scarce_model_method(model), "balanced-stumps");
        CHECK_TEXT(scarce_model_note(model, "set"), "n_trees");
        CHECK_TEXT(scarce_model_note(model, "param.max_depth"), "1");
        CHECK(!scarce_model_note(model, "param.sample") && !scarce_model_has_probability(model));
        CHECK(strstr(scarce_model_note(model, "no_probability"), "fresh sample"));
    }
    scarce_model_free(model);
    scarce__params_free(params.values);
    scarce_table_free(table);
}

static const test_case tests[] = {{"line", test_line}};
TEST_MAIN(tests)
