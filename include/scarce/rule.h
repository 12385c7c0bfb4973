/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that people write: conditions on the fields of a record, in stages, with a sentence for those who look at
 * what fired. docs/rules.md is the language, for analysts.
 *
 *     list risky = { "5732", "7995" }
 *     rule far_and_large stage block
 *       when  amount > 5 * mean_30d && country != card_country && !is_ecom
 *       say   "amount {amount} is {amount / mean_30d:1} times this card's mean, and abroad"
 *       limit blocks 0.5%
 *
 *     scarce_ruleset *set = NULL;
 *     if (scarce_ruleset_load(&set, "pay.rules", fields, n_fields, NULL, &err)) ...        once
 *     scarce_ruleset_run(set, record, time, verdict);                                      per record, some 50 ns a rule
 *     for (i ...) if (verdict[i] == SCARCE_RULE_YES) scarce_ruleset_say(set, i, record, text, sizeof text);
 *     scarce_ruleset_free(set);
 *
 * Rules are typed when they are read: a name that isn't there, text compared with a number, a missing bracket are told
 * with line, column and the nearest name, and nothing of the set is used. A set can't fail when it runs.
 *
 * (scarce_rules of explain.h are the rules inside a ranking tree; `scarce show --format rules` writes them in this
 * language.) */
#ifndef SCARCE_RULE_H
#define SCARCE_RULE_H

#include <math.h>

#include <scarce/base.h>
#include <scarce/table.h>
#include <scarce/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading rules */

typedef struct scarce_ruleset scarce_ruleset;

/* What is wrong with a rule file, or (wrong == 0) odd: a rule that always holds, a list that nothing uses. */
typedef struct scarce_rule_remark {
    int wrong;
    int line, column;
    const char *rule; /* in which it stands; NULL: none */
    const char *text; /* one line, without the place */
    const char *name; /* the unknown name, or the field of the wrong type; NULL: it is about something else */
    const char *nearest; /* the name that was probably meant; NULL: none is near */
} scarce_rule_remark;

/* The texts live during the call only. */
typedef void (*scarce_rule_remark_fn)(void *payload, const scarce_rule_remark *remark);

typedef struct scarce_ruleset_options {
    size_t struct_size;
    const char *folder; /* in which files of lists lie; NULL: that of the rule file */
    const char *what;   /* what a field is called in messages; NULL: "field" */
    scarce_rule_remark_fn
        remark; /* told everything that is wrong or odd, in the order of the text; NULL: the first
                                     mistake goes to err, the rest is not looked at */
    void *payload;
    int grammar_only; /* nonzero: names and their types are not looked at, no file of a list is opened, and no record
                         can be asked: for files whose fields aren't known here */
} scarce_ruleset_options;

#define SCARCE_RULESET_OPTIONS_INIT SCARCE_INIT(sizeof(scarce_ruleset_options), NULL, NULL, NULL, NULL, 0)

/* EPARSE "pay.rules:3:9: no field ..., did you mean ...?"; EIO for a file that can't be read. The fields are copied. */
SCARCE_API scarce_status scarce_ruleset_load(scarce_ruleset **out, const char *path,
                                             const scarce_record_field *fields, size_t n_fields,
                                             const scarce_ruleset_options *options, scarce_error *err);
/* The same from memory; `name` stands in messages. */
SCARCE_API scarce_status scarce_ruleset_read(scarce_ruleset **out, const char *text, size_t length,
                                             const char *name, const scarce_record_field *fields, size_t n_fields,
                                             const scarce_ruleset_options *options, scarce_error *err);
SCARCE_API void scarce_ruleset_free(scarce_ruleset *set); /* takes NULL */

/* ---- Looking at them */

typedef enum scarce_stage {
    SCARCE_STAGE_CHECK = 0, /* what the terminal or host knows: PIN, balance, card locked */
    SCARCE_STAGE_BLOCK = 1, /* real time; may deny */
    SCARCE_STAGE_ALERT = 2  /* near real time; never denies */
} scarce_stage;

SCARCE_API const char *scarce_stage_name(scarce_stage stage); /* "check", "block", "alert" */

typedef struct scarce_rule_info {
    size_t struct_size;
    const char *name;
    scarce_stage stage;
    const char *when;  /* the condition as it was written; NULL of an SQL rule */
    const char *say;   /* the sentence as it was written; NULL: none */
    const char *sql;   /* a query, which only the service runs; NULL: none */
    double every;      /* seconds between its runs */
    const char *owner; /* NULL: nobody */
    double score;      /* NaN: none */
    long priority;
    int shadow;         /* counts, and does nothing */
    double from, until; /* it holds from <= time < until; -INFINITY and INFINITY: always */
    int line;           /* of the file */
    size_t cost;        /* steps of its condition at most */
    /* limits; NaN: there is none */
    double false_alerts, false_alerts_over; /* share 0 to 1, seconds */
    double false_alerts_min;                /* alerts below which nothing is decided */
    double detection, detection_over;
    double fires, fires_over; /* at most so many in so many seconds */
    double blocks;            /* share of all transactions of an hour */
} scarce_rule_info;

#define SCARCE_RULE_INFO_INIT                                                                                \
    SCARCE_INIT(sizeof(scarce_rule_info), NULL, SCARCE_STAGE_CHECK, NULL, NULL, NULL, 0, NULL, NAN, 0, 0,    \
                -INFINITY, INFINITY, 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN)

SCARCE_API size_t scarce_ruleset_count(const scarce_ruleset *set);
SCARCE_API scarce_status scarce_ruleset_get(const scarce_ruleset *set, size_t rule, scarce_rule_info *out,
                                            scarce_error *err);
/* Number of the rule of that name, or SIZE_MAX. */
SCARCE_API size_t scarce_ruleset_find(const scarce_ruleset *set, const char *name);
/* The fields that the condition and the sentence of a rule read, ascending. */
SCARCE_API const uint32_t *scarce_ruleset_uses(const scarce_ruleset *set, size_t rule, size_t *count);

/* ---- Asking them */

typedef enum scarce_rule_verdict {
    SCARCE_RULE_NO = 0,
    SCARCE_RULE_YES = 1,
    SCARCE_RULE_UNKNOWN = 2, /* a value that decides it is missing */
    SCARCE_RULE_ASLEEP = 3   /* before `from`, after `until`, or an SQL rule: not asked */
} scarce_rule_verdict;

/* Asks all rules about a record: verdict[i] of rule i. `time` is compared with from and until; NaN: these play no
 * part. Returns how many say YES (shadows too). Nothing is allocated; any number of threads may ask at once, as long as
 * no list is changed meanwhile. */
SCARCE_API size_t scarce_ruleset_run(const scarce_ruleset *set, const scarce_value *record, double time,
                                     uint8_t *verdict);

/* The sentence of a rule about a record, one line, cut off if need be and always ending in NUL; returns the length it
 * has in full. Rules without one give their name. */
SCARCE_API size_t scarce_ruleset_say(const scarce_ruleset *set, size_t rule, const scarce_value *record,
                                     char *out, size_t size);

/* ---- Lists: `live` ones are empty until somebody fills them */

SCARCE_API size_t scarce_ruleset_lists(const scarce_ruleset *set);
SCARCE_API const char *scarce_ruleset_list_name(const scarce_ruleset *set, size_t list);
SCARCE_API size_t scarce_ruleset_list_count(const scarce_ruleset *set, size_t list); /* values in it */
SCARCE_API scarce_value_type scarce_ruleset_list_type(const scarce_ruleset *set, size_t list);
SCARCE_API int scarce_ruleset_list_live(const scarce_ruleset *set, size_t list);
SCARCE_API size_t scarce_ruleset_list_find(const scarce_ruleset *set, const char *name); /* or SIZE_MAX */
SCARCE_API scarce_status scarce_ruleset_list_add(scarce_ruleset *set, size_t list, scarce_value value,
                                                 scarce_error *err);
SCARCE_API int scarce_ruleset_list_remove(scarce_ruleset *set, size_t list, scarce_value value);

/* ---- The language: how function i is called, "abs(x)", and what it gives; NULL behind the last */

SCARCE_API const char *scarce_rule_function(size_t i);
SCARCE_API const char *scarce_rule_function_help(size_t i);

/* ---- Records out of a table */

/* Fields are the table's columns: numbers (the decimal that stood in the file, as far as it had seven digits), flags
 * (numbers that are all 0 or 1), texts (categories; bool where they are all true and false), the time role as time, the
 * group as text, the amount with all its digits. The label, weight and cost are no fields. */
typedef struct scarce_records scarce_records;

/* The table must outlive it. One pass over the numbers. */
SCARCE_API scarce_status scarce_records_new(scarce_records **out, const scarce_table *table,
                                            scarce_error *err);
SCARCE_API void scarce_records_free(scarce_records *records);
SCARCE_API const scarce_record_field *scarce_records_fields(const scarce_records *records, size_t *count);
SCARCE_API const scarce_table *scarce_records_table(const scarce_records *records);
/* Fills the record of a row; only the n fields in `which` (NULL: all). Texts are the table's. */
SCARCE_API void scarce_records_get(const scarce_records *records, size_t row, const uint32_t *which, size_t n,
                                   scarce_value *record);
/* Fields of a schema alone, as of a model: categories are texts, numbers flags (they may be). Freed by
 * scarce_fields_free. */
SCARCE_API scarce_status scarce_fields_of_schema(scarce_record_field **out, size_t *count,
                                                 const scarce_schema *schema, scarce_error *err);
SCARCE_API void scarce_fields_free(scarce_record_field *fields);

/* Asks all rules about all rows: verdict[row * scarce_ruleset_count(set) + rule]. */
SCARCE_API scarce_status scarce_ruleset_table(const scarce_ruleset *set, const scarce_records *records,
                                              uint8_t *verdict, scarce_context *ctx, scarce_error *err);

/* ---- Back-test: what rules would have done on rows whose labels are known */

typedef struct scarce_backtest_options {
    size_t struct_size;
    const uint8_t *model_alert; /* per row, whether a model puts it on its list; NULL: there is none */
    double level;               /* of the intervals; 0.9 */
    double period;              /* length of the periods, in the unit of the time; 0: a week */
} scarce_backtest_options;

#define SCARCE_BACKTEST_OPTIONS_INIT SCARCE_INIT(sizeof(scarce_backtest_options), NULL, 0.9, 0)

typedef struct scarce_backtest scarce_backtest;

/* Figures of a rule, of all of them together, or of the model. Shares are NaN where they are 0 / 0, money is NaN
 * without an amount. */
typedef struct scarce_backtest_figures {
    size_t struct_size;
    size_t fired, unknown, asleep;                /* rows */
    size_t hits;                                  /* fired, and positive */
    double precision, precision_lo, precision_hi; /* hits / fired, with Wilson's interval */
    double detection, detection_lo, detection_hi; /* hits / positives while it was awake */
    double false_alerts;                          /* 1 - precision */
    double amount, amount_hits;                   /* of rows that fired, of hits */
    size_t alone; /* hits of no other rule (shadows apart) and not of the model */
    double amount_alone;
    size_t with_model, hits_with_model; /* fired, and on the model's list */
    size_t after_block; /* fired after an earlier block of the same group: these might not have happened */
} scarce_backtest_figures;

#define SCARCE_BACKTEST_FIGURES_INIT                                                                         \
    SCARCE_INIT(sizeof(scarce_backtest_figures), 0, 0, 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, \
                NAN, 0, 0, 0)

/* The table needs labels; without a time there are no periods and no limits over spans; without a group no
 * after_block. EDATA where labels are missing. The same figures with any number of threads. Memory: 4 bytes for each
 * row that a rule fires on. */
SCARCE_API scarce_status scarce_backtest_run(scarce_backtest **out, const scarce_ruleset *set,
                                             const scarce_records *records,
                                             const scarce_backtest_options *options, scarce_context *ctx,
                                             scarce_error *err);
SCARCE_API void scarce_backtest_free(scarce_backtest *backtest);

typedef enum scarce_backtest_sum {
    SCARCE_BACKTEST_RULES = 0,  /* any rule that is no shadow */
    SCARCE_BACKTEST_BLOCKS = 1, /* any such of stage block */
    SCARCE_BACKTEST_MODEL = 2,
    SCARCE_BACKTEST_EITHER = 3 /* rules or model */
} scarce_backtest_sum;

/* Rule i, or with i = SIZE_MAX - s the sum s; fields that make no sense for it are 0 or NaN. */
SCARCE_API scarce_status scarce_backtest_get(const scarce_backtest *backtest, size_t rule,
                                             scarce_backtest_figures *out, scarce_error *err);
#define SCARCE_BACKTEST_SUM(s) (SIZE_MAX - (size_t)(s))

SCARCE_API size_t scarce_backtest_rows(const scarce_backtest *backtest);
SCARCE_API size_t scarce_backtest_positives(const scarce_backtest *backtest);
SCARCE_API int scarce_backtest_has_model(const scarce_backtest *backtest);
/* The rows that a rule fired on, ascending. */
SCARCE_API const uint32_t *scarce_backtest_rows_of(const scarce_backtest *backtest, size_t rule,
                                                   size_t *count);

typedef struct scarce_backtest_period {
    double begin, end; /* weeks begin on Monday where the times are dates */
    size_t rows, positives, fired, hits;
} scarce_backtest_period;

SCARCE_API size_t scarce_backtest_periods(const scarce_backtest *backtest);
SCARCE_API scarce_backtest_period scarce_backtest_period_of(const scarce_backtest *backtest, size_t rule,
                                                            size_t period);

typedef enum scarce_limit_state {
    SCARCE_LIMIT_KEPT = 0,
    SCARCE_LIMIT_BROKEN = 1,
    SCARCE_LIMIT_OPEN = 2 /* too little to tell */
} scarce_limit_state;

typedef struct scarce_backtest_limit {
    size_t rule;
    const char *limit; /* "false_alerts 90% over 14d min 50" */
    scarce_limit_state state;
    const char *text; /* a sentence with the figures */
} scarce_backtest_limit;

/* The limits of all rules, in their order; NULL behind the last. */
SCARCE_API const scarce_backtest_limit *scarce_backtest_limit_of(const scarce_backtest *backtest, size_t i);

#ifdef __cplusplus
}
#endif
#endif
