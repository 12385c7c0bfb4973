/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a back-test. */
#ifndef SCARCE_RULE_BACKTEST_H
#define SCARCE_RULE_BACKTEST_H

#include "core/context.h"
#include "rule/records.h"

enum { SCARCE__N_SUMS = 4 };

/* What is counted of a rule or a sum, in one block of rows or in all. */
typedef struct scarce__tally {
    size_t fired, unknown, asleep, hits, alone, with_model, hits_with_model, positives, after_block;
    double amount, amount_hits, amount_alone;
} scarce__tally;

struct scarce_backtest {
    size_t n_rules, n_rows, n_positives;
    int has_model, has_amount;
    double level;
    scarce__tally *tally; /* rules, then sums */
    uint32_t *rows;       /* that fired, of all rules */
    size_t *first;        /* n_rules + 1: where those of a rule begin */
    double period, origin;
    size_t n_periods;
    scarce_backtest_period *periods;    /* fired and hits are not filled */
    size_t *period_fired, *period_hits; /* n_rules x n_periods */
    scarce_backtest_limit *limits;
    size_t n_limits;
};

/* Judges the limits of all rules; backtest_limits.c. */
scarce_status scarce__backtest_limits(scarce_backtest *b, const scarce_ruleset *set,
                                      const scarce_table *table, scarce_error *err);

#endif
