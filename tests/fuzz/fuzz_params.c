/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters as users type them: the first byte chooses the method and the separator, then come lines, each a
 * list of name=value, a name and a value, or the text of a threshold rule. A value that was taken must come
 * back as a text that is taken again and means the same. */
#include <math.h>
#include <string.h>

#include <scarce/decide.h>

#include "fuzz.h"
#include "method/method.h"

static void check_value(const scarce_params *p, size_t i)
{
    const scarce__param_table *table = scarce__params_table(p->values);
    scarce__text text = SCARCE__TEXT_INIT, again = SCARCE__TEXT_INIT;
    scarce_params *other = NULL;
    MUST(scarce__params_value(p->values, i, &text) == SCARCE_OK);
    MUST(scarce_params_new(&other, p->method->name, NULL) == SCARCE_OK);
    MUST(scarce_params_set(other, scarce__param_at(table, i)->name, text.bytes ? text.bytes : "", NULL) ==
         SCARCE_OK);
    MUST(scarce__params_value(other->values, i, &again) == SCARCE_OK);
    MUST(text.n == again.n && (text.n == 0 || memcmp(text.bytes, again.bytes, text.n) == 0));
    scarce_params_free(other);
    scarce__text_deinit(&text);
    scarce__text_deinit(&again);
}

static void try_rule(const char *text)
{
    scarce_threshold_rule rule;
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce_threshold_parse(&rule, text, &err) != SCARCE_OK) {
        MUST(err.code == SCARCE_EINVAL && err.text[0]);
        return;
    }
    MUST(rule.kind <= SCARCE_THRESHOLD_VALUE && rule.unit <= SCARCE_BUDGET_PER_SPAN);
    MUST(rule.beta > 0 && isfinite(rule.beta) && !isnan(rule.value) && rule.alarm >= 0 && !isnan(rule.alarm));
    MUST(isnan(rule.miss) || rule.miss >= 0);
    MUST(rule.budget >= 0 && rule.span > 0);
    MUST(rule.unit != SCARCE_BUDGET_RATE || rule.budget <= 1);
    double score[4] = {0.1, 0.7, 0.7, 0.9}, time[4] = {0, 10, 90000, 5}, amount[4] = {1, 2, 3, 4};
    const uint8_t label[4] = {0, 1, 0, 1};
    scarce_scored rows = SCARCE_SCORED_INIT;
    scarce_threshold_choice choice;
    rows.n = 4;
    rows.score = score;
    rows.label = label;
    rows.time = time;
    rows.amount = amount;
    if (scarce_threshold_choose(&choice, &rule, &rows, NULL) == SCARCE_OK) MUST(!isnan(choice.threshold));
}

static void try_line(scarce_params *p, char *line, char separator)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st;
    char *value;
    if (*line == '!') {
        try_rule(line + 1);
        return;
    }
    value = *line == '@' ? strchr(line, ' ') : NULL;
    if (value) {
        *value++ = '\0';
        st = scarce_params_set(p, line + 1, value, &err);
    } else {
        st = scarce_params_set_list(p, line, separator, &err);
    }
    MUST(st == SCARCE_OK ||
         (st == SCARCE_EINVAL && err.code == st && err.text[0] && !strchr(err.text, '\n')));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t first = fuzz_take(&data, &size);
    const char *method = scarce_method_get((first & 63) % scarce_method_count()).name;
    const char separator = first & 64 ? ',' : first & 128 ? '\0' : ':';
    char *text = malloc(size + 1), *line;
    scarce_params *p = NULL;

    MUST(text != NULL);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    MUST(scarce_params_new(&p, method, NULL) == SCARCE_OK);
    for (line = text; line;) {
        char *next = strchr(line, '\n');
        if (next) *next++ = '\0';
        try_line(p, line, separator);
        line = next;
    }
    for (size_t i = 0; i < scarce__param_count(scarce__params_table(p->values)); ++i)
        if (scarce__params_given(p->values, i)) check_value(p, i);
    scarce_params_free(p);
    p = NULL;
    MUST((scarce_params_new(&p, text, NULL) == SCARCE_OK) ==
         (scarce_method_find(text) != SIZE_MAX)); /* as a name */
    scarce_params_free(p);
    p = NULL;
    if (scarce_params_of_spec(&p, text, NULL) == SCARCE_OK) MUST(p != NULL); /* as a specification */
    else MUST(p == NULL);
    scarce_params_free(p);
    free(text);
    return 0;
}
