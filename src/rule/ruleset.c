/* SPDX-License-Identifier: Apache-2.0 */
#include "rule/ruleset.h"

#include <string.h>

#include "core/alloc.h"
#include "core/options.h"

void scarce_ruleset_free(scarce_ruleset *set)
{
    if (!set) return;
    for (size_t i = 0; i < set->n_rules; ++i) scarce__rule_deinit(&set->rules[i]);
    for (size_t i = 0; i < set->n_lists; ++i) {
        scarce__free(set->lists[i].name);
        scarce__set_free(set->lists[i].set);
    }
    scarce__free(set->rules);
    scarce__free(set->lists);
    scarce__free(set->uses);
    scarce__free(set);
}

const char *scarce_stage_name(scarce_stage stage)
{
    return stage == SCARCE_STAGE_CHECK ? "check" : stage == SCARCE_STAGE_BLOCK ? "block" : "alert";
}

size_t scarce_ruleset_count(const scarce_ruleset *set)
{
    return set->n_rules;
}

scarce_status scarce_ruleset_get(const scarce_ruleset *set, size_t i, scarce_rule_info *out,
                                 scarce_error *err)
{
    scarce_rule_info f = SCARCE_RULE_INFO_INIT;
    const scarce__rule *x;

    SCARCE__TRY(SCARCE__FILLED_CHECK(out, SCARCE_RULE_INFO_INIT, err));
    if (i >= set->n_rules)
        return scarce__fail(err, SCARCE_EINVAL, "no rule %zu, there are %zu", i + 1, set->n_rules);
    x = &set->rules[i];
    f.name = x->name;
    f.stage = x->stage;
    f.when = x->when;
    f.say = x->say;
    f.sql = x->sql;
    f.every = x->every;
    f.owner = x->owner;
    f.score = x->score;
    f.priority = x->priority;
    f.shadow = x->shadow;
    f.from = x->from;
    f.until = x->until;
    f.line = x->line;
    f.cost = x->program ? scarce__expr_cost(x->program) : 0;
    f.false_alerts = x->false_alerts;
    f.false_alerts_over = x->false_alerts_over;
    f.false_alerts_min = x->false_alerts_min;
    f.detection = x->detection;
    f.detection_over = x->detection_over;
    f.fires = x->fires;
    f.fires_over = x->fires_over;
    f.blocks = x->blocks;
    SCARCE__FILL(out, &f);
    return SCARCE_OK;
}

size_t scarce_ruleset_find(const scarce_ruleset *set, const char *name)
{
    for (size_t i = 0; i < set->n_rules; ++i)
        if (strcmp(set->rules[i].name, name) == 0) return i;
    return SIZE_MAX;
}

const uint32_t *scarce_ruleset_uses(const scarce_ruleset *set, size_t i, size_t *count)
{
    *count = set->rules[i].n_uses;
    return set->rules[i].uses;
}

size_t scarce_ruleset_run(const scarce_ruleset *set, const scarce_value *record, double time,
                          uint8_t *verdict)
{
    size_t fired = 0;

    for (size_t i = 0; i < set->n_rules; ++i) {
        const scarce__rule *x = &set->rules[i];
        if (!x->program || set->grammar_only || time < x->from || time >= x->until) {
            verdict[i] = SCARCE_RULE_ASLEEP;
            continue;
        }
        const scarce__value v = scarce__expr_run(x->program, record);
        verdict[i] = !v.known ? SCARCE_RULE_UNKNOWN : v.as.number != 0 ? SCARCE_RULE_YES : SCARCE_RULE_NO;
        fired += verdict[i] == SCARCE_RULE_YES;
    }
    return fired;
}

const char *scarce_rule_function(size_t i)
{
    return scarce__expr_function_use(i);
}

const char *scarce_rule_function_help(size_t i)
{
    return scarce__expr_function_help(i);
}

/* ---- Lists */

size_t scarce_ruleset_lists(const scarce_ruleset *set)
{
    return set->n_lists;
}

const char *scarce_ruleset_list_name(const scarce_ruleset *set, size_t list)
{
    return set->lists[list].name;
}

size_t scarce_ruleset_list_count(const scarce_ruleset *set, size_t list)
{
    return scarce__set_count(set->lists[list].set);
}

scarce_value_type scarce_ruleset_list_type(const scarce_ruleset *set, size_t list)
{
    return scarce__set_type(set->lists[list].set);
}

int scarce_ruleset_list_live(const scarce_ruleset *set, size_t list)
{
    return set->lists[list].live;
}

size_t scarce_ruleset_list_find(const scarce_ruleset *set, const char *name)
{
    for (size_t i = 0; i < set->n_lists; ++i)
        if (strcmp(set->lists[i].name, name) == 0) return i;
    return SIZE_MAX;
}

scarce_status scarce_ruleset_list_add(scarce_ruleset *set, size_t list, scarce_value value, scarce_error *err)
{
    if (list >= set->n_lists)
        return scarce__fail(err, SCARCE_EINVAL, "no list %zu, there are %zu", list + 1, set->n_lists);
    if (!value.known) return scarce__fail(err, SCARCE_EINVAL, "a missing value can't be in a list");
    return scarce__set_add(set->lists[list].set, value, err);
}

int scarce_ruleset_list_remove(scarce_ruleset *set, size_t list, scarce_value value)
{
    return list < set->n_lists && value.known && scarce__set_remove(set->lists[list].set, value);
}
