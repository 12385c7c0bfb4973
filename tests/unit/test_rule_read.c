/* SPDX-License-Identifier: Apache-2.0 */
/* Rule files: what is understood, and what is said of every mistake, word for word. */
#include <stdlib.h>

#include <scarce/rule.h>

#include "test.h"

static const scarce_record_field fields[] = {
    {"amount", SCARCE_VALUE_NUMBER}, {"card_mean_amount_30d", SCARCE_VALUE_NUMBER},
    {"country", SCARCE_VALUE_TEXT},  {"card_country", SCARCE_VALUE_TEXT},
    {"is_ecom", SCARCE_VALUE_BOOL},  {"card_count_1h", SCARCE_VALUE_NUMBER},
    {"merchant", SCARCE_VALUE_TEXT}, {"card_distinct_terminal_1h", SCARCE_VALUE_NUMBER},
    {"time", SCARCE_VALUE_TIME},     {"score", SCARCE_VALUE_NUMBER}};
enum { N = sizeof fields / sizeof fields[0] };

static scarce_status read_rules(scarce_ruleset **out, const char *text, const scarce_ruleset_options *o,
                                scarce_error *err)
{
    return scarce_ruleset_read(out, text, strlen(text), "pay.rules", fields, N, o, err);
}

/* The example of the design, as it is printed there. */
static const char example[] =
    "list risky_mcc = { \"5732\", \"7995\", \"6051\" }\n"
    "list hot_merchants = live\n"
    "\n"
    "rule far_and_large stage block                     # the example of the document\n"
    "  when  amount > 5 * card_mean_amount_30d && country != card_country && !is_ecom\n"
    "  say   \"amount {amount} is {amount / card_mean_amount_30d:1} times this card's mean, and abroad\"\n"
    "  owner \"anna\"\n"
    "  limit blocks 0.5%                                # fuse: of all transactions of the last hour\n"
    "  limit false_alerts 90% over 14d min 50\n"
    "\n"
    "rule testing_then_large stage alert                # small amounts announce large ones (thesis 2.4)\n"
    "  when  amount < 2.00 && card_count_1h >= 3 && card_distinct_terminal_1h >= 3 || amount == 0.00 && "
    "merchant in "
    "hot_merchants\n"
    "  say   \"card testing: {card_count_1h} payments in an hour at {card_distinct_terminal_1h} terminals\"\n"
    "  score 60\n"
    "  limit detection 0.3% over 30d\n"
    "  limit fires 400/1d\n"
    "\n"
    "rule ring stage alert                              # what experts write in SQL today stays SQL\n"
    "  sql \"SELECT a.id FROM tx a JOIN tx b ON b.terminal=a.terminal AND b.card<>a.card AND b.time BETWEEN "
    "a.time-600 AND "
    "a.time\n"
    "       WHERE a.seq > :since GROUP BY a.id HAVING count(DISTINCT b.card) > 20\" every 1m\n"
    "  say \"more than 20 cards at this terminal within 10 minutes\"\n"
    "  limit fires 50/1d\n";

static void fill(scarce_value *r)
{
    for (size_t i = 0; i < N; ++i) r[i] = scarce_value_missing();
    r[0] = scarce_value_number(731.5);
    r[1] = scarce_value_number(100);
    r[2] = scarce_value_text("BR", 2);
    r[3] = scarce_value_text("DE", 2);
    r[4] = scarce_value_number(0);
    r[6] = scarce_value_text("shop 7", 6);
}

static void test_example(void)
{
    scarce_ruleset *set = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_rule_info info = SCARCE_RULE_INFO_INIT;
    scarce_value record[N];
    uint8_t verdict[3];
    char text[200];
    size_t n;

    CHECK(read_rules(&set, example, NULL, &err) == SCARCE_OK);
    CHECK_TEXT(err.text, "");
    if (!set) return;
    CHECK(scarce_ruleset_count(set) == 3 && scarce_ruleset_find(set, "ring") == 2);
    CHECK(scarce_ruleset_find(set, "rung") == SIZE_MAX);
    CHECK(scarce_ruleset_get(set, 0, &info, &err) == SCARCE_OK);
    CHECK_TEXT(info.name, "far_and_large");
    CHECK_TEXT(info.when, "amount > 5 * card_mean_amount_30d && country != card_country && !is_ecom");
    CHECK_TEXT(info.owner, "anna");
    CHECK(info.stage == SCARCE_STAGE_BLOCK && info.line == 4 && info.blocks == 0.005 &&
          info.false_alerts == 0.9);
    CHECK(info.false_alerts_over == 14 * 86400 && info.false_alerts_min == 50 && isnan(info.detection));
    CHECK(isnan(info.score) && !info.shadow && info.cost == 14 && !info.sql);
    const uint32_t *uses = scarce_ruleset_uses(set, 0, &n);
    CHECK(n == 5 && uses[0] == 0 && uses[1] == 1 && uses[2] == 2 && uses[3] == 3 && uses[4] == 4);
    CHECK(scarce_ruleset_get(set, 1, &info, &err) == SCARCE_OK);
    CHECK(info.score == 60 && info.detection == 0.003 && info.fires == 400 && info.fires_over == 86400);
    CHECK(scarce_ruleset_get(set, 2, &info, &err) == SCARCE_OK);
    CHECK(info.sql && strncmp(info.sql, "SELECT a.id", 11) == 0 && info.every == 60 && !info.when);
    CHECK(scarce_ruleset_get(set, 3, &info, &err) == SCARCE_EINVAL);

    fill(record);
    CHECK(scarce_ruleset_run(set, record, (double)NAN, verdict) == 1);
    CHECK(verdict[0] == SCARCE_RULE_YES && verdict[1] == SCARCE_RULE_NO && verdict[2] == SCARCE_RULE_ASLEEP);
    CHECK(scarce_ruleset_say(set, 0, record, text, sizeof text) == strlen(text));
    CHECK_TEXT(text, "amount 731.5 is 7.3 times this card's mean, and abroad");
    CHECK(scarce_ruleset_say(set, 0, record, text, 10) == 54);
    CHECK_TEXT(text, "amount 73");
    CHECK(scarce_ruleset_say(set, 1, record, text, sizeof text) > 0);
    CHECK_TEXT(text, "card testing: (missing) payments in an hour at (missing) terminals");

    /* live lists begin empty, and what is put in counts at once */
    record[0] = scarce_value_number(0);
    record[5] = scarce_value_number(1);
    CHECK(scarce_ruleset_run(set, record, (double)NAN, verdict) == 0 && verdict[1] == SCARCE_RULE_NO);
    n = scarce_ruleset_list_find(set, "hot_merchants");
    CHECK(n == 1 && scarce_ruleset_list_live(set, n) && !scarce_ruleset_list_live(set, 0));
    CHECK(scarce_ruleset_lists(set) == 2 && scarce_ruleset_list_count(set, 0) == 3);
    CHECK_TEXT(scarce_ruleset_list_name(set, 0), "risky_mcc");
    CHECK(scarce_ruleset_list_add(set, n, scarce_value_text("shop 7", 6), &err) == SCARCE_OK);
    CHECK(scarce_ruleset_run(set, record, (double)NAN, verdict) == 1 && verdict[1] == SCARCE_RULE_YES);
    CHECK(scarce_ruleset_list_remove(set, n, scarce_value_text("shop 7", 6)) == 1);
    CHECK(scarce_ruleset_run(set, record, (double)NAN, verdict) == 0);
    CHECK(scarce_ruleset_list_add(set, 9, scarce_value_number(1), &err) == SCARCE_EINVAL);
    CHECK(scarce_ruleset_list_add(set, 0, scarce_value_missing(), &err) == SCARCE_EINVAL);
    /* unknown: a missing operand that decides */
    record[6] = scarce_value_missing();
    (void)scarce_ruleset_run(set, record, (double)NAN, verdict);
    CHECK(verdict[1] == SCARCE_RULE_UNKNOWN);
    scarce_ruleset_free(set);
}

/* Fields may be called like clauses, dates bound a rule, comments and lines stand anywhere. */
static void test_forms(void)
{
    static const char text[] =
        "rule `a rule` stage check when score > 5 &&   # a field of that name\n"
        "     score < 9\n"
        "  || score == 100 score -3.5 priority -2 shadow say 'braces {{ }} and {score:0}'\n"
        "  from 2026-01-01 until 2026-02-01T12:00:00Z owner \"b\"\n"
        "list n = { 1, -2.5, }\n"
        "rule b stage alert when amount in n && amount in [1, -2.5] from \"2026-01-01\"";
    scarce_ruleset *set = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_rule_info info = SCARCE_RULE_INFO_INIT;
    scarce_value record[N];
    uint8_t verdict[2];
    char said[64];

    CHECK(read_rules(&set, text, NULL, &err) == SCARCE_OK);
    CHECK_TEXT(err.text, "");
    if (!set) return;
    CHECK(scarce_ruleset_get(set, 0, &info, &err) == SCARCE_OK);
    CHECK_TEXT(info.name, "a rule");
    CHECK(info.score == -3.5 && info.priority == -2 && info.shadow && info.stage == SCARCE_STAGE_CHECK);
    CHECK(info.from == 1767225600 && info.until == 1769947200);
    fill(record);
    record[9] = scarce_value_number(7);
    record[0] = scarce_value_number(-2.5);
    CHECK(scarce_ruleset_run(set, record, 1767225600, verdict) == 2);
    CHECK(scarce_ruleset_run(set, record, 1767225599, verdict) == 0 && verdict[0] == SCARCE_RULE_ASLEEP);
    CHECK(scarce_ruleset_run(set, record, 1769947200, verdict) == 1 && verdict[0] == SCARCE_RULE_ASLEEP);
    CHECK(scarce_ruleset_run(set, record, (double)NAN, verdict) == 2);
    (void)scarce_ruleset_say(set, 0, record, said, sizeof said);
    CHECK_TEXT(said, "braces { } and 7");
    (void)scarce_ruleset_say(set, 1, record, said, sizeof said);
    CHECK_TEXT(said, "b");
    scarce_ruleset_free(set);
}

typedef struct mistake {
    const char *text, *message;
} mistake;

#define R "rule a stage alert "
static const mistake mistakes[] = {
    {"", "1:1: there is no rule in it; one begins with: rule NAME stage alert"},
    {"# only\nlist a = live\n", "3:1: there is no rule in it; one begins with: rule NAME stage alert"},
    {"rul a stage alert", "1:1: rul is none of what a file is made of, did you mean \"rule\"?"},
    {"5", "1:1: 5 is none of what a file is made of: rule|list"},
    {"when amount > 5", "1:1: when stands outside of a rule"},
    {"rule", "1:5: the name of the rule is missing before the end"},
    {"rule 5", "1:6: the name of the rule is missing before 5"},
    {"rule a", "1:7: stage check, stage block or stage alert is missing before the end"},
    {"rule a stage", "1:13: the file ends where the stages is missing: check|block|alert"},
    {"rule a stage alrt", "1:14: alrt is none of the stages, did you mean \"alert\"?"},
    {"rule a stage alert", "1:6: the rule has no condition: when amount > 100, for example"},
    {R "wen amount > 5", "1:20: wen is none of the clauses of a rule, did you mean \"when\"?"},
    {R "when amount > 5 zzzzzzz", "1:36: zzzzzzz is none of the clauses of a rule: "
                                  "when|say|score|priority|owner|shadow|limit|from|until|sql"},
    {R "when amount > 5 5",
     "1:36: a clause can't begin with 5; each begins with a word: when, say, limit, ..."},
    {R "when amount > 5 when amount > 6", "1:36: the rule has when twice"},
    {R "when amount > 5 shadow shadow", "1:43: the rule has shadow twice"},
    {R "when amout > 5", "1:25: no field \"amout\", did you mean \"amount\"?"},
    {R "\n  when amount >\n  say \"x\"", "3:3: the condition has no end: a value is missing before \"say\""},
    {R "when amount > \"5\"", "1:32: > compares number (\"amount\") with text"},
    {R "when country in hot", "1:36: no list \"hot\"; there are none"},
    {"list hot = live\n" R "when country in hat", "2:36: no list \"hat\", did you mean \"hot\"?"},
    {R "when amount > 5 say 5", "1:40: a sentence in quotes is missing behind say"},
    {R "when amount > 5 say \"{amout}\"", "1:42: no field \"amout\", did you mean \"amount\"?"},
    {R "when amount > 5 say \"a \\\" {amout}\"", "1:47: no field \"amout\", did you mean \"amount\"?"},
    {R "when amount > 5 say \"{amount\"", "1:41: a } is missing behind this {; a brace itself is written {{"},
    {R "when amount > 5 say \"{amount:x}\"",
     "1:41: behind the : of {value:2} stands a number of decimals, 0 to 9"},
    {R "when amount > 5 say \"{amount country}\"",
     "1:41: the value between { and } has no end before \"country}\""},
    {R "when amount > 5 say \"{}\"", "1:42: a value is missing before \"}\""},
    {R "when amount > 5 score x", "1:42: a number is missing before x"},
    {R "when amount > 5 priority 1.5", "1:45: 1.5 is not a whole number"},
    {R "when amount > 5 owner anna", "1:42: a name in quotes is missing before anna"},
    {R "when amount > 5 from tomorrow", "1:41: tomorrow is no date; write 2026-11-16"},
    {R "when amount > 5 from \"x\"", "1:41: \"x\" is no date; write 2026-11-16"},
    {R "when amount > 5 from", "1:40: a date such as 2026-11-16 is missing before the end"},
    {R "when amount > 5 from 2026-02-01 until 2026-01-01",
     "1:6: the rule ends before it begins (from, until)"},
    {R "when amount > 5 limit speed",
     "1:42: speed is none of the limits: false_alerts|detection|fires|blocks"},
    {R "when amount > 5 limit fire 4/1d", "1:42: fire is none of the limits, did you mean \"fires\"?"},
    {R "when amount > 5 limit false_alerts 90 over 14d", "1:58: a % is missing before over"},
    {R "when amount > 5 limit false_alerts 190% over 14d", "1:55: a share is from 0 to 100 %"},
    {R "when amount > 5 limit false_alerts 90% 14d", "1:59: over is missing before 14d"},
    {R "when amount > 5 limit false_alerts 90% over 14",
     "1:64: a span of time such as 14d or 1h is missing before 14"},
    {R "when amount > 5 limit false_alerts 90% over 14d min",
     "1:71: a number of alerts is missing before the end"},
    {R "when amount > 5 limit detection 1% over 0d", "1:60: a span of time is longer than 0"},
    {R "when amount > 5 limit fires 4 1d", "1:50: / is missing before 1d"},
    {R "when amount > 5 limit fires -4/1d", "1:42: a limit is not below 0"},
    {R "when amount > 5 limit blocks 1%", "1:42: limit blocks is for stage block; here fires 400/1d counts"},
    {R "when amount > 5 limit fires 4/1d limit fires 5/1d", "1:59: the rule has two limits of fires"},
    {R "sql \"SELECT 1\"", "1:34: every is missing before the end"},
    {R "sql SELECT", "1:24: the query in quotes is missing before SELECT"},
    {"rule a stage block sql \"SELECT 1\" every 1m",
     "1:24: a query takes too long for stage block; sql is for stage alert"},
    {R "when amount > 5 sql \"SELECT 1\" every 1m", "1:6: the rule has both when and sql; make two of it"},
    {R "when amount > 5\n" R "when amount > 6", "2:6: there are two rules \"a\"; the first is in line 1"},
    {R "when amount > 5 \"x", "1:36: the text that begins here has no end"},
    {"list", "1:5: the name of the list is missing"},
    {"list a", "1:7: a = is missing: list NAME = { \"a\", \"b\" }"},
    {"list a of txt = live", "1:11: txt is none of the types of a list, did you mean \"text\"?"},
    {"list a = lve", "1:10: lve is none of what a list can be, did you mean \"live\"?"},
    {"list a = {}", "1:10: the list is empty; one that is filled later is live"},
    {"list a = { 1, \"b\" }", "1:15: this is a text, but the list holds numbers"},
    {"list a of number = { \"b\" }", "1:22: this is a text, but the list holds numbers"},
    {"list a = { b }", "1:12: a list holds texts in quotes, or numbers"},
    {"list a = { 1 2 }", "1:14: a , or } is missing in the list that begins in line 1"},
    {"list a = { - }", "1:12: a number is missing behind the -"},
    {"list a = file names.txt", "1:15: the name of a file is missing: file \"merchants.txt\""},
    {"list a = file \"no/such.txt\"", "1:15: no/such.txt: no such file"},
    {"list a = live\nlist a = live", "2:6: there are two lists \"a\"; the first is in line 1"},
    {"list a = { \"b", "1:12: the text that begins here has no end"},
};

static void test_mistakes(void)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
        scarce_ruleset *set = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        char want[600];
        snprintf(want, sizeof want, "pay.rules:%s", mistakes[i].message);
        CHECK(read_rules(&set, mistakes[i].text, NULL, &err) == SCARCE_EPARSE && !set);
        if (strcmp(err.text, want) != 0)
            fprintf(stderr, "of \"%s\":\n  got  %s\n  want %s\n", mistakes[i].text, err.text, want);
        CHECK(strcmp(err.text, want) == 0);
    }
}

/* All mistakes of a file at once, and remarks. */
typedef struct told {
    char text[4000];
    size_t n;
} told;

static void tell(void *payload, const scarce_rule_remark *r)
{
    told *t = payload;
    t->n += (size_t)snprintf(t->text + t->n, sizeof t->text - t->n, "%s%d:%d %s: %s%s%s%s%s\n",
                             r->wrong ? "!" : "", r->line, r->column, r->rule ? r->rule : "-", r->text,
                             r->name ? " <" : "", r->name ? r->name : "", r->name ? ">" : "",
                             r->nearest ? r->nearest : "");
}

static void test_remarks(void)
{
    static const char wrong[] = "list a = { 1, \"x\" }\n"
                                "rule one stage alert when amout > 5\n"
                                "  say \"(\n"
                                "rule two\n"
                                "rule three stage alert when amount in a && country == \"DE\n"
                                "rule four stage alert when amount > 5 say \"fine\"\n";
    static const char odd[] = "list a = { 1, 2 }\nlist hot = live\n"
                              "rule always stage block when 1 < 2 say \"x\"\n"
                              "rule never stage block when 1 > 2 say \"x\"\n"
                              "rule silent stage alert when country in hot\n"
                              "rule query stage alert sql \"SELECT 1\" every 1m say \"x\"\n";
    scarce_ruleset_options o = SCARCE_RULESET_OPTIONS_INIT;
    scarce_ruleset *set = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    told t = {"", 0};

    o.remark = tell;
    o.payload = &t;
    CHECK(read_rules(&set, wrong, &o, &err) == SCARCE_EPARSE && !set);
    CHECK_TEXT(err.text, "pay.rules:1:15: this is a text, but the list holds numbers (and 3 more mistakes)");
    CHECK_TEXT(t.text, "!1:15 -: this is a text, but the list holds numbers\n"
                       "!2:27 one: no field \"amout\", did you mean \"amount\"? <amout>amount\n"
                       "!5:1 two: stage check, stage block or stage alert is missing before rule\n"
                       "!6:44 three: fine is none of the clauses of a rule: "
                       "when|say|score|priority|owner|shadow|limit|from|until|sql <fine>\n");
    t.n = 0;
    CHECK(read_rules(&set, odd, &o, &err) == SCARCE_OK && set);
    CHECK_TEXT(t.text, "3:6 always: the condition always holds\n"
                       "4:6 never: the condition never holds\n"
                       "5:6 silent: the list \"hot\" is live: empty until a service fills it\n"
                       "5:6 silent: no sentence (say \"...\") for those who look at what fired\n"
                       "6:6 query: a query: it runs only in the service, not here and not in back-tests\n"
                       "1:6 -: no rule uses the list \"a\"\n");
    scarce_ruleset_free(set);
}

static void test_grammar_only(void)
{
    scarce_ruleset_options o = SCARCE_RULESET_OPTIONS_INIT;
    scarce_ruleset *set = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    static const char text[] =
        "list a = file \"no/such/file\"\n"
        "rule x stage alert when whatever > 5 && other in a || size(b) < min(c, d) && !(e - f < g) "
        "&& (h ? i : j) && coalesce(k, l) == m.n && startsWith(o, p) && q in [r, 1] && -s < t\n"
        "  say \"{u} {v:1}\"\n";
    uint8_t verdict;

    o.grammar_only = 1;
    CHECK(scarce_ruleset_read(&set, text, strlen(text), "x", NULL, 0, &o, &err) == SCARCE_OK);
    CHECK_TEXT(err.text, "");
    if (set)
        CHECK(scarce_ruleset_run(set, NULL, (double)NAN, &verdict) == 0 && verdict == SCARCE_RULE_ASLEEP);
    scarce_ruleset_free(set);
    CHECK(scarce_ruleset_read(&set, "rule x stage alert when a > 5 && \"b\"", 36, "x", NULL, 0, &o, &err) ==
          SCARCE_EPARSE);
}

static void write_in(const char *folder, const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    if (!f) return;
    fputs(text, f);
    fclose(f);
}

static void remove_in(const char *folder, const char *name)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK(remove(path) == 0);
}

static void test_files(void)
{
    char folder[] = "/tmp/scarce_rules_XXXXXX", path[400];
    scarce_ruleset *set = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    static const char rules[] = "list shops = file \"shops.txt\"\nlist ids of number = file \"ids.txt\"\n"
                                "rule a stage alert when merchant in shops || amount in ids say \"x\"";

    CHECK(mkdtemp(folder) != NULL);
    write_in(folder, "shops.txt", "# comment\nshop 7\n\n  padded  \r\nlast");
    write_in(folder, "ids.txt", "1\n2.5\n");
    write_in(folder, "a.rules", rules);
    snprintf(path, sizeof path, "%s/a.rules", folder);
    CHECK(scarce_ruleset_load(&set, path, fields, N, NULL, &err) == SCARCE_OK);
    CHECK_TEXT(err.text, "");
    if (set) {
        scarce_value record[N];
        uint8_t verdict;
        CHECK(scarce_ruleset_list_count(set, 0) == 3 && scarce_ruleset_list_count(set, 1) == 2);
        CHECK(scarce_ruleset_list_type(set, 1) == SCARCE_VALUE_NUMBER);
        fill(record);
        CHECK(scarce_ruleset_run(set, record, (double)NAN, &verdict) == 1);
        record[6] = scarce_value_text("padded", 6);
        CHECK(scarce_ruleset_run(set, record, (double)NAN, &verdict) == 1);
        record[6] = scarce_value_text("other", 5);
        CHECK(scarce_ruleset_run(set, record, (double)NAN, &verdict) == 0);
    }
    scarce_ruleset_free(set);
    write_in(folder, "ids.txt", "1\nx\n");
    CHECK(scarce_ruleset_load(&set, path, fields, N, NULL, &err) == SCARCE_EPARSE && !set);
    CHECK(strstr(err.text, "ids.txt, line 2: \"x\" is not a number") != NULL);
    snprintf(path, sizeof path, "%s/none.rules", folder);
    CHECK(scarce_ruleset_load(&set, path, fields, N, NULL, &err) == SCARCE_EIO && !set);
    CHECK(strstr(err.text, "none.rules: no such file") != NULL);
    remove_in(folder, "shops.txt");
    remove_in(folder, "ids.txt");
    remove_in(folder, "a.rules");
    CHECK(remove(folder) == 0);
}

/* 100,000 of anything: one line, no deep stack. */
static void test_hostile(void)
{
    static const char *const parts[] = {"rule ",
                                        "list a = {",
                                        "(",
                                        "rule a stage alert when (",
                                        "\"",
                                        "{",
                                        "say \"{",
                                        "#",
                                        "rule a stage alert when 1 in [",
                                        "limit ",
                                        "\x80",
                                        "rule a stage alert say \"{{"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        const size_t n = strlen(parts[i]), repeats = 100000;
        char *text = malloc(n * repeats + 1);
        scarce_ruleset *set = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        if (!text) return;
        for (size_t k = 0; k < repeats; ++k) memcpy(text + k * n, parts[i], n);
        CHECK(scarce_ruleset_read(&set, text, n * repeats, "x", fields, N, NULL, &err) == SCARCE_EPARSE &&
              !set);
        CHECK(err.text[0] && !strchr(err.text, '\n'));
        free(text);
    }
}

static const test_case tests[] = {{"example", test_example},
                                  {"forms", test_forms},
                                  {"mistakes", test_mistakes},
                                  {"remarks", test_remarks},
                                  {"grammar_only", test_grammar_only},
                                  {"files", test_files},
                                  {"hostile", test_hostile}};
TEST_MAIN(tests)
