/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a rule file: mistakes are told one line each with their place, or the rules can be asked and say what they
 * have to say. First byte: whether names are looked at, and whether all mistakes are wanted. */
#include <string.h>

#include <scarce/rule.h>

#include "fuzz.h"

enum { N = 8 };
static const scarce_record_field fields[N] = {{"amount", SCARCE_VALUE_NUMBER}, {"mean", SCARCE_VALUE_NUMBER},
                                              {"country", SCARCE_VALUE_TEXT},  {"home", SCARCE_VALUE_TEXT},
                                              {"is_ecom", SCARCE_VALUE_BOOL},  {"weekend", SCARCE_VALUE_FLAG},
                                              {"time", SCARCE_VALUE_TIME},     {"wait", SCARCE_VALUE_SPAN}};

static size_t mistakes;

static void count(void *payload, const scarce_rule_remark *remark)
{
    (void)payload;
    MUST(remark->line > 0 && remark->column > 0 && remark->text[0]);
    MUST(!remark->nearest || remark->nearest[0]);
    mistakes += (size_t)(remark->wrong != 0);
}

static void ask(const scarce_ruleset *set)
{
    const size_t n = scarce_ruleset_count(set);
    uint8_t *verdict = malloc(n);
    scarce_value record[N];
    char text[200];

    MUST(n > 0 && verdict);
    for (int which = 0; which < 3; ++which) {
        size_t yes = 0;
        for (size_t i = 0; i < N; ++i)
            record[i] = which == 0                            ? scarce_value_missing()
                        : fields[i].type == SCARCE_VALUE_TEXT ? scarce_value_text("DE", 2)
                                                              : scarce_value_number(which == 1 ? 1 : 1.5e9);
        const size_t fired = scarce_ruleset_run(set, record, which == 1 ? 1.7e9 : (double)NAN, verdict);
        for (size_t i = 0; i < n; ++i) {
            scarce_rule_info info = SCARCE_RULE_INFO_INIT;
            MUST(verdict[i] <= SCARCE_RULE_ASLEEP);
            yes += verdict[i] == SCARCE_RULE_YES;
            MUST(scarce_ruleset_get(set, i, &info, NULL) == SCARCE_OK && info.name &&
                 (info.when || info.sql));
            MUST(scarce_ruleset_find(set, info.name) == i);
            (void)scarce_ruleset_say(set, i, record, text, sizeof text);
            MUST(strlen(text) < sizeof text && !strchr(text, '\n'));
        }
        MUST(yes == fired);
    }
    free(verdict);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t flags = fuzz_take(&data, &size);
    scarce_ruleset_options o = SCARCE_RULESET_OPTIONS_INIT;
    scarce_ruleset *set = NULL;
    scarce_error err = SCARCE_ERROR_INIT;

    mistakes = 0;
    o.grammar_only = flags & 1;
    o.remark = flags & 2 ? count : NULL;
    o.folder = "/nowhere/at/all";
    if (memmem(data, size, "\"/", 2)) return 0; /* no file of this machine as a list */
    const scarce_status st =
        scarce_ruleset_read(&set, (const char *)data, size, "x.rules", fields, N, &o, &err);
    MUST((st == SCARCE_OK) == (set != NULL));
    MUST(st == SCARCE_OK || (st == SCARCE_EPARSE && strncmp(err.text, "x.rules:", 8) == 0));
    MUST(!o.remark || (st != SCARCE_OK) == (mistakes > 0));
    if (set && !o.grammar_only) ask(set);
    scarce_ruleset_free(set);
    return 0;
}
