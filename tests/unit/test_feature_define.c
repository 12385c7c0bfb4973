/* SPDX-License-Identifier: Apache-2.0 */
/* Definition files: names, canonical lines, and every complaint with its place. */
#include <stdlib.h>

#include <scarce/features.h>

#include "test.h"

static const char fields[] =
    "field id text id\nfield time time\nfield card key\nfield shop key\n"
    "field amount decimal(2)\nfield ecom bool\nfield fraud label\n"; /* lines 1 to 7 */

static scarce_definitions *read(const char *more, scarce_error *err)
{
    scarce_definitions *d = NULL;
    char text[2048];
    snprintf(text, sizeof text, "%s%s", fields, more);
    (void)scarce_definitions_read(&d, text, strlen(text), "f", err);
    return d;
}

static void refused(const char *more, const char *want)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_definitions *d = read(more, &err);
    CHECK(d == NULL);
    CHECK_TEXT(err.text, want);
    scarce_definitions_free(d);
}

static void test_messages(void)
{
    refused("feld x text\n", "f:8:1: no statement \"feld\", did you mean \"field\"?");
    refused("field x\n", "f:9:1: expected a type (text, key, number, decimal(2), int, bool, time, label), "
                         "not the end of the file");
    refused("field x txt\n", "f:8:9: no type \"txt\", did you mean \"text\"?");
    refused("field x decimal\n",
            "f:9:1: expected the decimals in brackets: decimal(2), not the end of the file");
    refused("field x decimal(12)\n", "f:8:17: expected the decimals, a whole number from 0 to 9, not \"12\"");
    refused("field card text\n", "f:8:7: a second field \"card\"");
    refused("field t2 time\n", "f:8:7: a second time: \"time\" is one already");
    refused("field t2 time optional\n", "f:8:7: the time of a record can't be optional");
    refused("field x text hidden\n", "f:8:14: expected id, secret, optional or max NUMBER, not \"hidden\"");
    refused("kind p by card, shp\n", "f:8:17: no field \"shp\", did you mean \"shop\"?");
    refused("kind p by amount\n", "f:8:11: a key is made of fields of type key, text or int");
    refused("over 1h by crad: count\n", "f:8:12: no kind \"crad\"; declare it: kind NAME by FIELD");
    refused("kind card by card\nover 1h by crad: count\n",
            "f:9:12: no kind \"crad\", did you mean \"card\"?");
    refused("over 1x by card: count\n",
            "f:8:6: letters follow a number; a span of time is written 30s, 15m, 6h, 7d or 2w");
    refused("over one by card: count\n", "f:8:6: expected a window like 30m, 12h, 7d, not \"one\"");
    refused("over 1h 1h by card: count\n", "f:8:1: the same window twice");
    refused("over 1h card: count\n", "f:8:9: expected another window, delay SPAN or by KIND, not \"card\"");
    refused("over last 0 by card: count\n",
            "f:8:11: expected how many records, a whole number from 1 to 100000, not \"0\"");
    refused("over 1h by card count\n", "f:8:17: expected \":\" and the aggregates, not \"count\"");
    refused("over 1h by card: cuont\n", "f:8:18: no aggregate \"cuont\", did you mean \"count\"?");
    refused("over 1h by card: mean\n",
            "f:9:1: expected the field in brackets: mean(FIELD), not the end of the file");
    refused("over 1h by card: mean(amuont)\n", "f:8:23: no field \"amuont\", did you mean \"amount\"?");
    refused("over 1h by card: mean(shop)\n", "f:8:23: mean wants a number, and \"shop\" is key");
    refused("over 1h by card: count(shop)\n", "f:8:23: count has no argument");
    refused("over 1h by card: share(ecom)\n",
            "f:8:24: share is of the label, and \"ecom\" is bool; mean(ecom) is the share of a bool");
    refused("over 1h by card: since\n", "f:8:18: since has no window and no `with current`: by card: since");
    refused("over 1h by card: decay(amount, 1h)\n",
            "f:8:18: decay has a half-life, no window: by card: decay(...)");
    refused("by card: decay(amount)\n",
            "f:8:22: expected a comma and the half-life: decay(amount, 7d), not \")\"");
    refused("over 1h delay 1h by card with current: count\n",
            "f:8:40: `with current` and a delay: a window that ended earlier can't hold the record itself");
    refused("over 1h by card: count, count\n",
            "f:8:25: a second feature \"card_count_1h\"; give one of them a name of its own: ... as NAME");
    refused("over 1h by card: count as amount\n",
            "f:8:18: feature \"amount\" is named like a field; give it another name: ... as NAME");
    refused("over 1h by card where amont > 5: count\n",
            "f:8:23: no field \"amont\", did you mean \"amount\"?");
    refused("over 1h by card where amount: count\n",
            "f:8:23: this gives number (\"amount\"), but true or false is wanted");
    refused("over 1h by card where fraud == 1: count\n",
            "f:8:23: \"fraud\" is the label, which isn't known yet when a record comes; share(fraud) counts "
            "those that are");
    refused("feature x = shop\n", "f:8:9: feature \"x\" is a text; a feature is a number, or true or false");
    refused("feature x = amount +\n", "f:9:1: a value is missing before the end");
    refused("preset book\n", "f:8:8: expected handbook, the one preset there is, not \"book\"");
    refused("preset handbook\n",
            "f:8:8: preset handbook needs the fields card, terminal, amount, a time and a label; "
            "there is no \"terminal\" above");
    refused("", "f: no feature is defined (over 7d by card: count)");
    refused("kind card by card horizon 1h\nover 7d by card: count\n",
            "kind card: its horizon is shorter than a window with its delay; make it longer");
    refused("kind card by card max_events 16\nover last 9 by card: count\n",
            "kind card: over last 9 needs max_events of at least 18 (it is 16)");
    scarce_definitions *d = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    const char no_time[] = "field firm key\nover 1d by firm: count\n";
    CHECK(scarce_definitions_read(&d, no_time, strlen(no_time), NULL, &err) == SCARCE_EPARSE);
    CHECK_TEXT(err.text, "definitions:2:18: needs a field of type time; without one there is `over last n`");
}

static void test_names(void)
{
    scarce_definitions *d =
        read("over 1h 7d by card: count, mean(amount) as m\nover last 5 by card: sd(amount)\n"
             "over 90s delay 7d by shop: share(fraud), count as n\nby card: since, decay(amount, 36h)\n"
             "feature x = amount / m_7d\n",
             NULL);
    static const char *const want[] = {"card_count_1h",
                                       "m_1h",
                                       "card_count_7d",
                                       "m_7d",
                                       "card_sd_amount_last5",
                                       "shop_share_fraud_90s_d7d",
                                       "n",
                                       "card_since",
                                       "card_decay_amount_36h",
                                       "x"};
    CHECK(d && scarce_definitions_count(d) == 10);
    for (size_t i = 0; d && i < 10; ++i) CHECK_TEXT(scarce_definitions_name(d, i), want[i]);
    CHECK(d && scarce_definitions_name(d, 10) == NULL && scarce_definitions_get_field(d, 7).name == NULL);
    CHECK_TEXT(scarce_definitions_get_field(d, 4).type, "decimal");
    scarce_definitions_free(d);
}

/* Other words, another order, comments: the same. Another window, field, filter: not. */
static void test_digest(void)
{
    static const char *const same[] = {
        "over 1h 24h by card: count\nfeature r = amount/card_count_1d # x\n",
        "\n\nover   24h by card:\n count\nover 60m by card: count\nfeature r = amount / card_count_1d\n"};
    static const char *const other[] = {
        "over 1h 24h by card: count\nfeature r = amount / card_count_1h\n",
        "over 1h 24h by card with current: count\nfeature r = amount / card_count_1d\n",
        "over 1h 24h by card where ecom: count\nfeature r = amount / card_count_1d\n",
        "over 1h by card: count\nfeature r = amount / card_count_1h\n"};
    scarce_definitions *a = read(same[0], NULL), *b = read(same[1], NULL);
    scarce_error err = SCARCE_ERROR_INIT;
    char *differences = NULL;
    CHECK(a && b);
    if (!a || !b) return;
    CHECK_TEXT(scarce_definitions_text(a), scarce_definitions_text(b));
    CHECK_TEXT(scarce_definitions_digest(a), scarce_definitions_digest(b));
    CHECK(scarce_definitions_check(b, scarce_definitions_text(a), &differences, NULL) == SCARCE_OK &&
          !differences);
    for (size_t i = 0; i < 4; ++i) {
        scarce_definitions *c = read(other[i], NULL);
        CHECK(c && strcmp(scarce_definitions_digest(c), scarce_definitions_digest(a)) != 0);
        CHECK(c && scarce_definitions_check(c, scarce_definitions_text(a), NULL, NULL) == SCARCE_EDATA);
        scarce_definitions_free(c);
    }
    scarce_definitions *more =
        read("over 1h 24h 7d by card: count\nfeature r = amount / card_count_1h\n", NULL);
    CHECK(scarce_definitions_check(more, scarce_definitions_text(a), &differences, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text,
               "other definitions than the model's: it learnt \"r = amount / card_count_1d\", here is "
               "\"r = amount / card_count_1h\"");
    CHECK_TEXT(differences, "learnt: r = amount / card_count_1d\nhere:   r = amount / card_count_1h\n");
    scarce_features_text_free(differences);
    scarce_definitions_free(more);
    scarce_definitions_free(a);
    scarce_definitions_free(b);
}

static const test_case tests[] = {
    {"messages", test_messages}, {"names", test_names}, {"digest", test_digest}};
TEST_MAIN(tests)
