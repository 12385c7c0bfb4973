/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a set of rules. */
#ifndef SCARCE_RULE_RULESET_H
#define SCARCE_RULE_RULESET_H

#include <scarce/rule.h>

#include "expr/expr.h"
#include "expr/lexer.h"

/* A piece of a sentence: text, then a value. */
typedef struct scarce__say_part {
    char *text;         /* nullable */
    scarce__expr *expr; /* NULL behind the last */
    int digits;         /* -1: as many as it has */
} scarce__say_part;

typedef struct scarce__rule {
    char *name, *when, *say, *sql, *owner;
    scarce_stage stage;
    scarce__expr *program; /* NULL: SQL */
    scarce__say_part *parts;
    size_t n_parts;
    double score, every, from, until;
    long priority;
    int shadow, line, column;
    double false_alerts, false_alerts_over, false_alerts_min;
    double detection, detection_over, fires, fires_over, blocks;
    uint32_t *uses; /* fields, ascending */
    size_t n_uses;
} scarce__rule;

typedef struct scarce__rule_list {
    char *name;
    scarce__set *set;
    int live, used, line, column;
} scarce__rule_list;

struct scarce_ruleset {
    scarce__rule *rules;
    size_t n_rules, rules_capacity;
    scarce__rule_list *lists;
    size_t n_lists, lists_capacity;
    uint32_t *uses; /* fields that any rule reads, ascending */
    size_t n_uses;
    int grammar_only;
};

enum { SCARCE__MOST_RULES = 10000 }; /* and lists: names are looked up one by one */

void scarce__rule_deinit(scarce__rule *rule);

/* ---- While a file is read */

typedef struct scarce__rule_reader {
    scarce_ruleset *set;
    const scarce_record_field *fields;
    size_t n_fields;
    const scarce_ruleset_options *options;
    const char *name; /* of the file */
    char *folder;     /* of lists' files; NULL: here */
    const char *text;
    size_t length;
    scarce__lexer lexer;
    scarce__token token;
    const char *rule;         /* the one that is read; NULL: none */
    scarce__expr_list *lists; /* as the compiler wants them, one for each of the set */
    scarce_status status;     /* ENOMEM: stop; else EPARSE or OK */
    int failed;               /* what is read now is wrong: go on with the next rule or list */
    size_t mistakes;
    scarce_error *err;
} scarce__rule_reader;

void scarce__reader_next(scarce__rule_reader *r);
void scarce__reader_no_memory(scarce__rule_reader *r);
/* A mistake at a place; `name` and `nearest` may be NULL. */
void scarce__reader_fail(scarce__rule_reader *r, int line, int column, const char *name, const char *nearest,
                         const char *format, ...) SCARCE__PRINTF(6, 7);
/* The same, of something that is odd only. */
void scarce__reader_remark(scarce__rule_reader *r, int line, int column, const char *format, ...)
    SCARCE__PRINTF(4, 5);
/* A mistake at a token, and whether reading may go on. */
#define SCARCE__FAIL_TOKEN(r, t, ...)                                                                        \
    scarce__reader_fail((r), (t)->line, (t)->column, NULL, NULL, __VA_ARGS__)
static inline int scarce__reader_ok(const scarce__rule_reader *r)
{
    return !r->failed && r->status != SCARCE_ENOMEM;
}
/* No word "x", did you mean "y"? of words separated by |. */
void scarce__reader_unknown(scarce__rule_reader *r, const scarce__token *t, const char *what,
                            const char *words);
/* A copy of what a text or name token means; NULL: no memory, which is told. */
char *scarce__reader_text(scarce__rule_reader *r, const scarce__token *t);
/* An expression at text[0..length) that stands at line, column. *used: see expr.h; NULL: all of it. */
scarce__expr *scarce__reader_expr(scarce__rule_reader *r, const char *text, size_t length, int line,
                                  int column, scarce__type wanted, size_t *used);

/* The parts: list.c, clause.c, say.c. The token that is looked at stands behind the word "list", "rule". */
void scarce__read_list(scarce__rule_reader *r);
void scarce__read_rule(scarce__rule_reader *r);
void scarce__read_say(scarce__rule_reader *r, scarce__rule *rule);

#endif
