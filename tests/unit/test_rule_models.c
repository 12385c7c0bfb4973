/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking trees as rules: what `show --format rules` writes is read back, and of every row the first rule that fires is
 * the leaf of the model; where none does it is the last leaf. So the order of rules is the order of the scores. */
#include <scarce/explain.h>
#include <scarce/model.h>
#include <scarce/rule.h>

#include "core/alloc.h"
#include "test.h"
#include "unit/method_tables.h"

static void check_rows(const scarce_model *model, const char *text, const scarce_table *t)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_records *records = NULL;
    scarce_ruleset *set = NULL;
    scarce_rules *book = NULL;
    size_t n_fields = 0, wrong = 0;
    const size_t rows = scarce_table_rows(t);
    size_t *leaf = malloc(rows * sizeof *leaf);

    CHECK(scarce_records_new(&records, t, &err) == SCARCE_OK);
    CHECK(scarce_rules_new(&book, model, &err) == SCARCE_OK);
    const scarce_record_field *fields = scarce_records_fields(records, &n_fields);
    CHECK(scarce_ruleset_read(&set, text, strlen(text), "model.rules", fields, n_fields, NULL, &err) ==
          SCARCE_OK);
    CHECK_TEXT(err.text, "");
    if (records && set && book && leaf) {
        const size_t n = scarce_ruleset_count(set), leaves = scarce_rules_count(book);
        uint8_t *verdict = malloc(rows * n);
        CHECK(n == leaves || n + 1 == leaves);
        CHECK(strtoul(text + 2, NULL, 10) == n); /* "# 11 rules of a ..." */
        CHECK(scarce_rules_table(book, t, leaf, NULL, &err) == SCARCE_OK);
        CHECK(scarce_ruleset_table(set, records, verdict, NULL, &err) == SCARCE_OK);
        for (size_t row = 0; row < rows; ++row) {
            size_t first = 0;
            while (first < n && verdict[row * n + first] != SCARCE_RULE_YES) ++first;
            wrong += first != leaf[row];
        }
        CHECK(wrong == 0);
        free(verdict);
    }
    free(leaf);
    scarce_ruleset_free(set);
    scarce_rules_free(book);
    scarce_records_free(records);
}

static void check_model(const char *method, table_kind kind)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = make_table_of(kind, 1500, 3, NULL), *other = t ? make_table_of(kind, 800, 4, t) : NULL;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    char *text = NULL;

    CHECK(t && other);
    CHECK(scarce_params_new(&params, method, &err) == SCARCE_OK);
    CHECK(scarce_params_set(params, "max_depth", "3", &err) == SCARCE_OK);
    if (strcmp(method, "cart") == 0) CHECK(scarce_params_set(params, "scores", "leaf", &err) == SCARCE_OK);
    CHECK(scarce_train(&model, t, params, NULL, NULL, NULL, &err) == SCARCE_OK);
    CHECK(scarce_model_show(&text, model, "rules", &err) == SCARCE_OK);
    CHECK_TEXT(err.text, "");
    if (text) {
        check_rows(model, text, t);
        check_rows(model, text, other);
    }
    scarce_bytes_free(text);
    scarce_model_free(model);
    scarce_params_free(params);
    scarce_table_free(other);
    scarce_table_free(t);
}

static void test_round_trip(void)
{
    static const char *const methods[] = {"metaap", "treerank", "cart"};
    static const table_kind kinds[] = {TABLE_PAYMENTS, TABLE_RARE, TABLE_MERCHANTS, TABLE_WORDS};
    for (size_t m = 0; m < 3; ++m)
        for (size_t k = 0; k < 4; ++k) {
            const int before = test_failures;
            check_model(methods[m], kinds[k]);
            if (test_failures != before) fprintf(stderr, "with %s on table %d\n", methods[m], (int)kinds[k]);
        }
}

static const test_case tests[] = {{"round_trip", test_round_trip}};
TEST_MAIN(tests)
