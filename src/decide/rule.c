/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of a threshold rule: NAME[:ARGUMENT], as --threshold and the model's parameters have it. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/number.h"

#include <scarce/decide.h>

static const char FORMS[] = "f1, f2, f0.5, gmean, value:X, cost:ALARM/MISS, cost:C, budget:K, budget:P%, "
                            "budget:K/day, budget:K/day!";

static int number(const char *text, size_t length, double *value)
{
    return scarce__parse_double(text, length, value) == 1 && isfinite(*value);
}

static int parse_cost(scarce_threshold_rule *r, const char *text, size_t length)
{
    const char *slash = memchr(text, '/', length);
    const size_t head = slash ? (size_t)(slash - text) : length;

    r->kind = SCARCE_THRESHOLD_COST;
    if (!number(text, head, &r->alarm) || r->alarm < 0) return 0;
    if (!slash) return 1;
    return number(slash + 1, length - head - 1, &r->miss) && r->miss >= 0 && r->alarm + r->miss > 0;
}

static int parse_span(scarce_threshold_rule *r, const char *text, size_t length)
{
    static const struct {
        const char *name;
        double seconds;
    } spans[] = {{"hour", 3600}, {"day", 86400}, {"week", 604800}};
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};

    r->unit = SCARCE_BUDGET_PER_SPAN;
    if (length > 0 && text[length - 1] == '!') {
        r->every = 1;
        --length;
    }
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; ++i) {
        if (length != strlen(spans[i].name) || memcmp(text, spans[i].name, length) != 0) continue;
        r->span = spans[i].seconds;
        return 1;
    }
    for (size_t i = 0; length > 1 && i < sizeof units / sizeof units[0]; ++i)
        if (text[length - 1] == units[i].letter)
            return number(text, length - 1, &r->span) && (r->span *= units[i].seconds) > 0 &&
                   isfinite(r->span);
    return number(text, length, &r->span) && r->span > 0;
}

static int parse_budget(scarce_threshold_rule *r, const char *text, size_t length)
{
    const char *slash = memchr(text, '/', length);

    r->kind = SCARCE_THRESHOLD_BUDGET;
    if (slash) {
        const size_t head = (size_t)(slash - text);
        return number(text, head, &r->budget) && r->budget >= 0 &&
               parse_span(r, slash + 1, length - head - 1);
    }
    if (length > 0 && text[length - 1] == '%') {
        r->unit = SCARCE_BUDGET_RATE;
        if (!number(text, length - 1, &r->budget)) return 0;
        r->budget /= 100;
        return r->budget >= 0 && r->budget <= 1;
    }
    if (!number(text, length, &r->budget) || r->budget < 0) return 0;
    if (r->budget > 0 && r->budget < 1) r->unit = SCARCE_BUDGET_RATE;
    return 1;
}

scarce_status scarce_threshold_parse(scarce_threshold_rule *out, const char *text, scarce_error *err)
{
    scarce_threshold_rule r = SCARCE_THRESHOLD_RULE_INIT;
    const size_t length = text ? strlen(text) : 0;
    int right = 0;

    if (length == 0) {
        right = 0;
    } else if (strcmp(text, "gmean") == 0) {
        r.kind = SCARCE_THRESHOLD_GMEAN;
        right = 1;
    } else if (strcmp(text, "cost") == 0) {
        r.kind = SCARCE_THRESHOLD_COST;
        right = 1;
    } else if (strncmp(text, "cost:", 5) == 0) {
        right = parse_cost(&r, text + 5, length - 5);
    } else if (strncmp(text, "budget:", 7) == 0) {
        right = parse_budget(&r, text + 7, length - 7);
    } else if (strncmp(text, "value:", 6) == 0) {
        r.kind = SCARCE_THRESHOLD_VALUE;
        right = number(text + 6, length - 6, &r.value);
    } else if (text[0] == 'f') {
        r.kind = SCARCE_THRESHOLD_F;
        right = number(text + 1, length - 1, &r.beta) && r.beta > 0;
    }
    if (!right)
        return scarce__fail(err, SCARCE_EINVAL, "threshold is '%.100s', allowed are %s", text ? text : "",
                            FORMS);
    *out = r;
    return SCARCE_OK;
}
