/* SPDX-License-Identifier: Apache-2.0 */
/* A rule and its clauses:
 *
 *     rule    = "rule" name "stage" ( "check" | "block" | "alert" ) { clause } ;
 *     clause  = "when" expr | "say" string | "score" number | "priority" int | "owner" string | "shadow"
 *             | "limit" limit | "from" date | "until" date | "sql" string "every" span ;
 *     limit   = "false_alerts" number "%" "over" span [ "min" int ] | "detection" number "%" "over" span
 *             | "fires" int "/" span | "blocks" number "%" ;                                                       */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "data/csv.h"
#include "rule/ruleset.h"

typedef scarce__rule_reader reader;
typedef scarce__rule rule;

void scarce__rule_deinit(rule *r)
{
    for (size_t i = 0; i < r->n_parts; ++i) {
        scarce__free(r->parts[i].text);
        scarce__expr_free(r->parts[i].expr);
    }
    scarce__free(r->parts);
    scarce__expr_free(r->program);
    scarce__free(r->name);
    scarce__free(r->when);
    scarce__free(r->say);
    scarce__free(r->sql);
    scarce__free(r->owner);
    scarce__free(r->uses);
}

static void rule_init(rule *r)
{
    memset(r, 0, sizeof *r);
    r->score = r->false_alerts = r->false_alerts_over = r->false_alerts_min = (double)NAN;
    r->detection = r->detection_over = r->fires = r->fires_over = r->blocks = (double)NAN;
    r->from = -(double)INFINITY;
    r->until = (double)INFINITY;
}

/* ---- Pieces of clauses */

/* What a token is, for messages. */
#define SPELLED(t)                                                                                           \
    (t)->kind == SCARCE__TOKEN_END ? 7 : (int)((t)->length < 40 ? (t)->length : 40),                         \
        (t)->kind == SCARCE__TOKEN_END ? "the end" : (t)->at

static void fail_wanted(reader *r, const char *what)
{
    if (r->token.kind == SCARCE__TOKEN_BAD) SCARCE__FAIL_TOKEN(r, &r->token, "%s", r->token.what);
    else SCARCE__FAIL_TOKEN(r, &r->token, "%s is missing before %.*s", what, SPELLED(&r->token));
}

static double take_number(reader *r, const char *what)
{
    const int negative = scarce__token_is_sign(&r->token, '-');
    double x = 0;

    if (!scarce__reader_ok(r)) return 0;
    if (negative) scarce__reader_next(r);
    if (r->token.kind != SCARCE__TOKEN_NUMBER) {
        fail_wanted(r, what);
        return 0;
    }
    x = negative ? -r->token.number : r->token.number;
    scarce__reader_next(r);
    return x;
}

static double take_whole(reader *r, const char *what)
{
    const scarce__token at = r->token;
    const double x = take_number(r, what);
    if (scarce__reader_ok(r) && (x != floor(x) || fabs(x) > 1e9))
        SCARCE__FAIL_TOKEN(r, &at, "%.*s is not a whole number", SPELLED(&at));
    return x;
}

/* 0.5%: the share 0.005. */
static double take_percent(reader *r)
{
    const scarce__token at = r->token;
    const double x = take_number(r, "a share in %");

    if (!scarce__reader_ok(r)) return 0;
    if (!scarce__token_is_sign(&r->token, '%')) fail_wanted(r, "a %");
    else if (!(x >= 0 && x <= 100)) SCARCE__FAIL_TOKEN(r, &at, "a share is from 0 to 100 %%");
    scarce__reader_next(r);
    return x / 100;
}

static double take_span(reader *r)
{
    double x;

    if (!scarce__reader_ok(r)) return 0;
    if (r->token.kind != SCARCE__TOKEN_SPAN) {
        fail_wanted(r, "a span of time such as 14d or 1h");
        return 0;
    }
    x = r->token.number;
    if (!(x > 0)) SCARCE__FAIL_TOKEN(r, &r->token, "a span of time is longer than 0");
    scarce__reader_next(r);
    return x;
}

static void take_word(reader *r, const char *word)
{
    if (!scarce__reader_ok(r)) return;
    if (!scarce__token_is(&r->token, word)) fail_wanted(r, word);
    scarce__reader_next(r);
}

static void take_sign(reader *r, char sign)
{
    const char text[2] = {sign, '\0'};
    if (!scarce__reader_ok(r)) return;
    if (!scarce__token_is_sign(&r->token, sign)) fail_wanted(r, text);
    scarce__reader_next(r);
}

static char *take_text(reader *r, const char *what)
{
    char *text;

    if (r->token.kind != SCARCE__TOKEN_TEXT) {
        fail_wanted(r, what);
        return NULL;
    }
    text = scarce__reader_text(r, &r->token);
    scarce__reader_next(r);
    return text;
}

/* Up to the next blank: 2026-11-16, 2026-11-16T08:00:00Z; or the same in quotes. */
static double take_date(reader *r)
{
    const scarce__token at = r->token;
    const char *end = at.at, *last = r->text + r->length;
    double seconds = 0;
    char *quoted;

    if (at.kind == SCARCE__TOKEN_TEXT) {
        quoted = take_text(r, "a date");
        if (quoted && !scarce__parse_date(quoted, strlen(quoted), &seconds))
            SCARCE__FAIL_TOKEN(r, &at, "\"%.60s\" is no date; write 2026-11-16", quoted);
        scarce__free(quoted);
        return seconds;
    }
    while (end < last && !strchr(" \t\r\n#", *end)) ++end;
    if (end == at.at) fail_wanted(r, "a date such as 2026-11-16");
    else if (!scarce__parse_date(at.at, (size_t)(end - at.at), &seconds))
        SCARCE__FAIL_TOKEN(r, &at, "%.*s is no date; write 2026-11-16",
                           (int)(end - at.at < 40 ? end - at.at : 40), at.at);
    while (scarce__reader_ok(r) && r->token.kind != SCARCE__TOKEN_END && r->token.at < end)
        scarce__reader_next(r);
    return seconds;
}

/* ---- Clauses */

static void read_when(reader *r, rule *x)
{
    const scarce__token at = r->token;
    size_t used = 0;
    const size_t left = (size_t)(r->text + r->length - at.at);

    x->program = scarce__reader_expr(r, at.at, left, at.line, at.column, SCARCE__BOOLEAN, &used);
    if (!x->program) return;
    x->when = scarce__strndup(at.at, used);
    if (!x->when) scarce__reader_no_memory(r);
    while (scarce__reader_ok(r) && r->token.kind != SCARCE__TOKEN_END && r->token.at < at.at + used)
        scarce__reader_next(r);
}

static void read_sql(reader *r, rule *x)
{
    const scarce__token at = r->token;
    x->sql = take_text(r, "the query in quotes");
    take_word(r, "every");
    x->every = take_span(r);
    if (scarce__reader_ok(r) && x->stage != SCARCE_STAGE_ALERT)
        SCARCE__FAIL_TOKEN(r, &at, "a query takes too long for stage %s; sql is for stage alert",
                           scarce_stage_name(x->stage));
}

static int is_given(const double *value)
{
    return !isnan(*value);
}

static void read_limit(reader *r, rule *x)
{
    const scarce__token at = r->token;
    const char *twice = NULL;

    if (scarce__token_is(&at, "false_alerts")) {
        if (is_given(&x->false_alerts)) twice = "false_alerts";
        scarce__reader_next(r);
        x->false_alerts = take_percent(r);
        take_word(r, "over");
        x->false_alerts_over = take_span(r);
        x->false_alerts_min = 0;
        if (scarce__reader_ok(r) && scarce__token_is(&r->token, "min")) {
            scarce__reader_next(r);
            x->false_alerts_min = take_whole(r, "a number of alerts");
        }
    } else if (scarce__token_is(&at, "detection")) {
        if (is_given(&x->detection)) twice = "detection";
        scarce__reader_next(r);
        x->detection = take_percent(r);
        take_word(r, "over");
        x->detection_over = take_span(r);
    } else if (scarce__token_is(&at, "fires")) {
        if (is_given(&x->fires)) twice = "fires";
        scarce__reader_next(r);
        x->fires = take_whole(r, "a number of alerts");
        take_sign(r, '/');
        x->fires_over = take_span(r);
        if (scarce__reader_ok(r) && x->fires < 0) SCARCE__FAIL_TOKEN(r, &at, "a limit is not below 0");
    } else if (scarce__token_is(&at, "blocks")) {
        if (is_given(&x->blocks)) twice = "blocks";
        scarce__reader_next(r);
        x->blocks = take_percent(r);
        if (scarce__reader_ok(r) && x->stage != SCARCE_STAGE_BLOCK)
            SCARCE__FAIL_TOKEN(r, &at, "limit blocks is for stage block; here fires 400/1d counts");
    } else {
        scarce__reader_unknown(r, &at, "the limits", "false_alerts|detection|fires|blocks");
    }
    if (twice) SCARCE__FAIL_TOKEN(r, &at, "the rule has two limits of %s", twice);
}

static void read_score(reader *r, rule *x)
{
    x->score = take_number(r, "a number");
}

static void read_priority(reader *r, rule *x)
{
    x->priority = (long)take_whole(r, "a whole number");
}

static void read_owner(reader *r, rule *x)
{
    x->owner = take_text(r, "a name in quotes");
}

static void read_shadow(reader *r, rule *x)
{
    (void)r;
    x->shadow = 1;
}

static void read_from(reader *r, rule *x)
{
    x->from = take_date(r);
}

static void read_until(reader *r, rule *x)
{
    x->until = take_date(r);
}

static const struct clause {
    const char *word;
    void (*read)(reader *r, rule *x);
    int may_repeat;
} clauses[] = {{"when", read_when, 0},   {"say", scarce__read_say, 0},
               {"score", read_score, 0}, {"priority", read_priority, 0},
               {"owner", read_owner, 0}, {"shadow", read_shadow, 0},
               {"limit", read_limit, 1}, {"from", read_from, 0},
               {"until", read_until, 0}, {"sql", read_sql, 0}};

enum { N_CLAUSES = sizeof clauses / sizeof clauses[0] };

static void read_clauses(reader *r, rule *x)
{
    int seen[N_CLAUSES] = {0};

    while (scarce__reader_ok(r)) {
        const scarce__token word = r->token;
        size_t i = 0;
        if (word.kind == SCARCE__TOKEN_END || scarce__token_is(&word, "rule") ||
            scarce__token_is(&word, "list"))
            return;
        while (i < N_CLAUSES && !scarce__token_is(&word, clauses[i].word)) ++i;
        if (i == N_CLAUSES) {
            if (word.kind == SCARCE__TOKEN_NAME)
                scarce__reader_unknown(r, &word, "the clauses of a rule",
                                       "when|say|score|priority|owner|shadow|limit|from|until|sql");
            else if (word.kind == SCARCE__TOKEN_BAD) SCARCE__FAIL_TOKEN(r, &word, "%s", word.what);
            else
                SCARCE__FAIL_TOKEN(
                    r, &word,
                    "a clause can't begin with %.*s; each begins with a word: when, say, limit, ...",
                    SPELLED(&word));
            return;
        }
        if (seen[i]++ && !clauses[i].may_repeat) {
            SCARCE__FAIL_TOKEN(r, &word, "the rule has %s twice", clauses[i].word);
            return;
        }
        scarce__reader_next(r);
        clauses[i].read(r, x);
    }
}

/* ---- The rule */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The fields of the condition and the sentence; 0: no memory. */
static int find_uses(rule *x)
{
    size_t n = 0, all = 0, k;
    const uint32_t *used;

    for (size_t i = 0; i <= x->n_parts; ++i) {
        const scarce__expr *e = i < x->n_parts ? x->parts[i].expr : x->program;
        if (!e) continue;
        (void)scarce__expr_symbols(e, &k);
        all += k;
    }
    x->uses = scarce__malloc_array(all, sizeof *x->uses);
    if (!x->uses) return 0;
    for (size_t i = 0; i <= x->n_parts; ++i) {
        const scarce__expr *e = i < x->n_parts ? x->parts[i].expr : x->program;
        if (!e) continue;
        used = scarce__expr_symbols(e, &k);
        for (size_t j = 0; j < k; ++j) x->uses[n++] = used[j];
    }
    if (n) qsort(x->uses, n, sizeof *x->uses, by_number);
    for (size_t i = 0; i < n; ++i)
        if (i == 0 || x->uses[i] != x->uses[i - 1]) x->uses[x->n_uses++] = x->uses[i];
    return 1;
}

static void check_rule(reader *r, const rule *x, const scarce__token *at)
{
    if (!scarce__reader_ok(r)) return;
    if (!x->program && !x->sql)
        SCARCE__FAIL_TOKEN(r, at, "the rule has no condition: when amount > 100, for example");
    else if (x->program && x->sql)
        SCARCE__FAIL_TOKEN(r, at, "the rule has both when and sql; make two of it");
    else if (!(x->from < x->until)) SCARCE__FAIL_TOKEN(r, at, "the rule ends before it begins (from, until)");
}

static void remark_rule(reader *r, const rule *x)
{
    scarce_ruleset *set = r->set;

    for (size_t i = 0; x->program && i < set->n_lists; ++i) {
        scarce__rule_list *l = &set->lists[i];
        if (!scarce__expr_reads(x->program, l->set)) continue;
        l->used = 1;
        if (l->live)
            scarce__reader_remark(r, x->line, x->column,
                                  "the list \"%.80s\" is live: empty until a service fills it", l->name);
    }
    if (x->program && scarce__expr_constant(x->program) && !set->grammar_only)
        scarce__reader_remark(r, x->line, x->column,
                              scarce__is_true(scarce__expr_run(x->program, NULL))
                                  ? "the condition always holds"
                                  : "the condition never holds");
    if (x->sql)
        scarce__reader_remark(r, x->line, x->column,
                              "a query: it runs only in the service, not here and not in back-tests");
    if (!x->say && x->stage != SCARCE_STAGE_CHECK)
        scarce__reader_remark(r, x->line, x->column,
                              "no sentence (say \"...\") for those who look at what fired");
}

static int keep_rule(reader *r, const rule *x)
{
    scarce_ruleset *set = r->set;

    if (set->n_rules == SCARCE__MOST_RULES) {
        scarce__reader_fail(r, x->line, x->column, NULL, NULL, "more than %d rules; split the file",
                            SCARCE__MOST_RULES);
        return 0;
    }
    if (set->n_rules == set->rules_capacity) {
        const size_t n = set->rules_capacity ? 2 * set->rules_capacity : 16;
        rule *rules = scarce__realloc_array(set->rules, n, sizeof *rules);
        if (!rules) {
            scarce__reader_no_memory(r);
            return 0;
        }
        set->rules = rules;
        set->rules_capacity = n;
    }
    set->rules[set->n_rules++] = *x;
    return 1;
}

static void read_head(reader *r, rule *x)
{
    static const char *const stages[] = {"check", "block", "alert"};
    int stage = 0;

    for (size_t i = 0; i < r->set->n_rules; ++i)
        if (strcmp(r->set->rules[i].name, x->name) == 0)
            SCARCE__FAIL_TOKEN(r, &r->token, "there are two rules \"%.80s\"; the first is in line %d",
                               x->name, r->set->rules[i].line);
    scarce__reader_next(r);
    if (scarce__reader_ok(r) && !scarce__token_is(&r->token, "stage"))
        fail_wanted(r, "stage check, stage block or stage alert");
    scarce__reader_next(r);
    while (stage < 3 && !scarce__token_is(&r->token, stages[stage])) ++stage;
    if (scarce__reader_ok(r) && stage == 3)
        scarce__reader_unknown(r, &r->token, "the stages", "check|block|alert");
    x->stage = (scarce_stage)(stage < 3 ? stage : 0);
    scarce__reader_next(r);
}

void scarce__read_rule(reader *r)
{
    const scarce__token at = r->token;
    rule x;
    int kept = 0;

    rule_init(&x);
    if (at.kind != SCARCE__TOKEN_NAME) {
        fail_wanted(r, "the name of the rule");
        return;
    }
    x.name = scarce__reader_text(r, &at);
    x.line = at.line;
    x.column = at.column;
    r->rule = x.name;
    if (x.name) read_head(r, &x);
    read_clauses(r, &x);
    check_rule(r, &x, &at);
    if (scarce__reader_ok(r)) remark_rule(r, &x);
    if (scarce__reader_ok(r) && !find_uses(&x)) scarce__reader_no_memory(r);
    if (scarce__reader_ok(r)) kept = keep_rule(r, &x);
    r->rule = NULL;
    if (!kept) scarce__rule_deinit(&x);
}
