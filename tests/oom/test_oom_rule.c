/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of expressions, rules and back-tests fails once. */
#include <scarce/rule.h>

#include "../unit/expr_fields.h"
#include "walk.h"

static scarce_status compile(scarce_error *err)
{
    static const char text[] =
        "amount > 5 * `Amount EUR` && country in [\"a\", \"b\", lower(\"C\")] || "
        "(country in risky_countries ? coalesce(mean, 1.0) : max(1, 2, count)) > 3 || "
        "country in [home, lower(home)] || startsWith(country, \"x\\ny\") || home == \"\"";
    expr_lists lists;
    scarce__expr *e = NULL;
    scarce_status st = expr_lists_init(&lists, err);
    if (st == SCARCE_OK) {
        const scarce__expr_source s = expr_source_of(text, &lists);
        st = scarce__expr_compile(&e, &s, err);
        CHECK((st == SCARCE_OK) == (e != NULL));
    }
    scarce__expr_free(e);
    expr_lists_deinit(&lists);
    return st;
}

static const char rules[] =
    "list risky = { \"DE\", \"FR\" }\n"
    "list ids of number = { 1, -2, 3 }\n"
    "list hot = live\n"
    "rule a stage block\n"
    "  when amount > 2 && country in risky || amount in ids || country in hot\n"
    "  say \"amount {amount:2} in {country}\"\n"
    "  owner \"anna\"\n"
    "  limit blocks 1%\n"
    "  limit false_alerts 90% over 14d min 2\n"
    "rule b stage alert when amount > 1 limit detection 1% over 30d limit fires 2/1d\n"
    "rule c stage alert sql \"SELECT 1\" every 1m\n";

static scarce_status read_rules(scarce_error *err)
{
    static const scarce_record_field fields[] = {{"amount", SCARCE_VALUE_NUMBER},
                                                 {"country", SCARCE_VALUE_TEXT}};
    scarce_ruleset *set = NULL;
    const scarce_status st =
        scarce_ruleset_read(&set, rules, sizeof rules - 1, "x.rules", fields, 2, NULL, err);
    CHECK((st == SCARCE_OK) == (set != NULL));
    if (set) {
        const scarce_value record[] = {scarce_value_number(5), scarce_value_text("DE", 2)};
        uint8_t verdict[3];
        char text[64];
        CHECK(scarce_ruleset_run(set, record, (double)NAN, verdict) == 2);
        scarce__alloc_fail_from(0);
        CHECK(scarce_ruleset_say(set, 0, record, text, sizeof text) > 0);
        CHECK_TEXT(text, "amount 5.00 in DE");
    }
    scarce_ruleset_free(set);
    return st;
}

static scarce_table *table;

static scarce_status backtest(scarce_error *err)
{
    scarce_records *records = NULL;
    scarce_ruleset *set = NULL;
    scarce_backtest *b = NULL;
    const scarce_record_field *fields;
    size_t n;
    uint8_t verdict[3 * 40], alert[40] = {1, 0, 1};
    scarce_backtest_options o = SCARCE_BACKTEST_OPTIONS_INIT;
    scarce_status st = scarce_records_new(&records, table, err);
    o.model_alert = alert;
    if (st == SCARCE_OK) {
        fields = scarce_records_fields(records, &n);
        st = scarce_ruleset_read(&set, rules, sizeof rules - 1, "x.rules", fields, n, NULL, err);
    }
    if (st == SCARCE_OK) st = scarce_ruleset_table(set, records, verdict, NULL, err);
    if (st == SCARCE_OK) st = scarce_backtest_run(&b, set, records, &o, NULL, err);
    CHECK((st == SCARCE_OK) == (b != NULL));
    scarce_backtest_free(b);
    scarce_ruleset_free(set);
    scarce_records_free(records);
    return st;
}

static void test_all(void)
{
    static const char csv[] = "amount,country,when,card,fraud\n";
    char text[4000];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", csv);
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;

    for (int i = 0; i < 40; ++i)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d.5,%s,2018-04-%02d,c%d,%d\n", i % 7,
                              i % 3 ? "DE" : "IT", 1 + i % 28, i % 5, i % 4 == 0);
    o.label = "fraud", o.time = "when", o.group = "card", o.amount = "amount";
    CHECK(scarce_table_read_bytes(&table, text, n, NULL, &o, NULL, &err) == SCARCE_OK);
    oom_walk("compile", compile);
    oom_walk("rules", read_rules);
    if (table) oom_walk("backtest", backtest);
    scarce_table_free(table);
}

static const test_case tests[] = {{"all", test_all}};
TEST_MAIN(tests)
