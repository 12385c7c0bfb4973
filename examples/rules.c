/* SPDX-License-Identifier: Apache-2.0 */
/* Rules on single records, as a payment service asks them: read once, then one call a payment, which allocates nothing.
 * Prints what fires, with its sentence. */
#include <scarce/scarce.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "list hot = live\n"
    "rule far_and_large stage block\n"
    "  when amount > 5 * mean_30d && country != home && !online\n"
    "  say  \"amount {amount:2} is {amount / mean_30d:1} times this card's mean, abroad in {country}\"\n"
    "rule hot_shop stage alert\n"
    "  when shop in hot || amount < 2 && hour(time) <= 5\n"
    "  say  \"{shop}, at {time}\"\n";

/* The fields of a record, in the order of its values. */
static const scarce_record_field fields[] = {
    {"amount", SCARCE_VALUE_NUMBER}, {"mean_30d", SCARCE_VALUE_NUMBER}, {"country", SCARCE_VALUE_TEXT},
    {"home", SCARCE_VALUE_TEXT},     {"online", SCARCE_VALUE_BOOL},     {"shop", SCARCE_VALUE_TEXT},
    {"time", SCARCE_VALUE_TIME}};
enum { FIELDS = sizeof fields / sizeof fields[0], RULES = 2 };

static scarce_value word(const char *s)
{
    return scarce_value_text(s, strlen(s));
}

int main(void)
{
    const double noon = 1794830400; /* 2026-11-16 12:00 UTC */
    const scarce_value payments[][FIELDS] = {
        {scarce_value_number(731.5), scarce_value_number(100), word("BR"), word("DE"), scarce_value_number(0),
         word("shop 7"), scarce_value_number(noon)},
        {scarce_value_number(12), scarce_value_number(100), word("DE"), word("DE"), scarce_value_number(1),
         word("shop 9"), scarce_value_number(noon + 60)},
        {scarce_value_number(900), scarce_value_missing(), word("FR"), word("DE"), scarce_value_number(0),
         word("shop 8"), scarce_value_number(noon + 120)}};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_ruleset *set = NULL;

    if (scarce_ruleset_read(&set, text, sizeof text - 1, "example.rules", fields, FIELDS, NULL, &err) ||
        scarce_ruleset_list_add(set, scarce_ruleset_list_find(set, "hot"), word("shop 9"), &err)) {
        fprintf(stderr, "%s\n", err.text);
        scarce_ruleset_free(set);
        return 1;
    }
    for (size_t i = 0; i < sizeof payments / sizeof payments[0]; ++i) {
        uint8_t verdict[RULES];
        if (scarce_ruleset_run(set, payments[i], payments[i][6].as.number, verdict) == 0)
            printf("payment %zu: nothing%s\n", i + 1,
                   verdict[0] == SCARCE_RULE_UNKNOWN ? " (far_and_large doesn't know: a value is missing)"
                                                     : "");
        for (size_t k = 0; k < RULES; ++k) {
            scarce_rule_info info = SCARCE_RULE_INFO_INIT;
            char said[200];
            if (verdict[k] != SCARCE_RULE_YES || scarce_ruleset_get(set, k, &info, &err)) continue;
            scarce_ruleset_say(set, k, payments[i], said, sizeof said);
            printf("payment %zu: %s %s: %s\n", i + 1, scarce_stage_name(info.stage), info.name, said);
        }
    }
    scarce_ruleset_free(set);
    return 0;
}
