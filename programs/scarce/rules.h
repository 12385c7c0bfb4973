/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over data: what `scarce rules` and `scarce score --rules` share. */
#ifndef RULES_H
#define RULES_H

#include "program.h"

/* A rule file, the table whose columns are its fields, and what every rule says of every row. */
typedef struct ruled_data {
    scarce_table *table;
    scarce_records *records;
    scarce_ruleset *set;
    scarce_value *record; /* room for one */
    uint8_t *verdict;     /* row * rules + rule; NULL until ask_rules */
} ruled_data;

/* --define: rows with their features behind them, in a file that is removed by forget_features. Also sets what the
 * definitions know of the data and the user didn't say: the time, the label, which columns are texts. */
typedef struct defined_data {
    char path[4096];
    const char *item;
    text_list paths;
    scarce_definitions *definitions;
    text_list texts; /* for data_options.categorical */
} defined_data;
scarce_status define_features(defined_data *d, const text_list *paths, data_options *data,
                              scarce_context *ctx, scarce_error *err);
void forget_features(defined_data *d);
/* Fields and features of definitions, as rules see them; freed by free. */
scarce_status fields_of_definitions(scarce_record_field **out, size_t *n, scarce_definitions **definitions,
                                    const char *path, scarce_error *err);

/* Reads the table; with a model, columns that it knows as categories are texts, and roles that aren't named take the
 * columns they had in training, where these are there. */
scarce_status read_ruled(ruled_data *r, const text_list *paths, const data_options *data,
                         const scarce_table *like, scarce_context *ctx, scarce_error *err);
/* The rules, on the fields of the table. Mistakes go to stderr. */
scarce_status load_rules(ruled_data *r, const char *path, scarce_error *err);
scarce_status ask_rules(ruled_data *r, scarce_context *ctx, scarce_error *err);
void forget_ruled(ruled_data *r);

/* Whether a rule that is no shadow fired on the row. */
int rules_fired(const ruled_data *r, size_t row);
/* The names of those that fired, and their sentences, separated by "; "; shadows in brackets. Both end in NUL. */
scarce_status say_rules(const ruled_data *r, size_t row, char **names, char **reasons, scarce_error *err);

/* The same as the member "rules" of a JSON object: name, stage, shadow, reason of each. */
void json_rules(const ruled_data *r, size_t row);

/* Mistakes of a rule file, each on a line of stderr. */
typedef struct rule_remarks {
    const char *path;
    size_t wrong, odd;
    const scarce_record_field *fields; /* those of the data; NULL: not known */
    size_t n_fields;
    int quiet; /* odd things are not told */
    int json;  /* as members of an array */
} rule_remarks;
void tell_remark(void *payload, const scarce_rule_remark *remark);

/* rules backtest: text and JSON. */
void print_backtest(const scarce_backtest *b, const scarce_ruleset *set, const scarce_table *table,
                    const char *model);
void print_backtest_json(const scarce_backtest *b, const scarce_ruleset *set);

#endif
