/* SPDX-License-Identifier: Apache-2.0 */
/* A ranking tree for people and other programs.
 *
 *   text, summary   an outline of the meta-tree, then the rule of every leaf with what it caught
 *   rules           the leaves as rules of the alert stage, in the expression language of CEL
 *   sql             one CASE expression, the score of the row's leaf
 *   json            nodes, leaves, rules
 *   dot, svg        drawings */
#ifndef SCARCE_RANK_SHOW_H
#define SCARCE_RANK_SHOW_H

#include "core/text.h"
#include "rank/rank.h"
#include "rank/rules.h"

typedef struct scarce__rank_shown {
    const scarce__rank *rank;
    const scarce_schema *schema;
    const float *missing; /* per feature: share of training rows without a value; NULL: not known */
    double alert;         /* score from which on a row is an alert; NaN: there is none */
    const char *method;
} scarce__rank_shown;

/* EUNSUPPORTED where the model has no such form. */
scarce_status scarce__rank_show(const scarce__rank_shown *s, const char *format, scarce__text *out,
                                scarce_error *err);

/* ---- Pieces */

/* What all leaves caught, in the order of their ranks. */
typedef struct scarce__rank_totals {
    double weight, positive;
    uint64_t rows, positives;
} scarce__rank_totals;
scarce__rank_totals scarce__dag_totals(const scarce__dag *dag);

/* "3.25 %" of a share. */
void scarce__add_percent(scarce__text *out, double share);

/* A condition for people: "amount > 214", "country in {DE, FR}". Where the training rows lacked no value of the
 * feature, missing ones are not spoken of. Adds nothing, and returns 0, where nothing is left to say. */
int scarce__add_condition(scarce__text *out, const scarce__rank_shown *s, const scarce__condition *c);
/* The conditions of a box, with " and " between them; "any" without one. */
void scarce__add_box(scarce__text *out, const scarce__rank_shown *s, const scarce__box *box);
/* A test of a node, for people. */
void scarce__add_test(scarce__text *out, const scarce__rank_shown *s, const scarce__dag *dag,
                      const scarce__node *node);
/* "#1 score 1: 38 of 40 rows positive (95 %), 22 % of the positives, 22 % so far"; so_far: of leaves before. */
void scarce__add_leaf(scarce__text *out, const scarce__dag *dag, size_t leaf, double so_far);

/* The meta-tree as lines, from the top: `depth` in, and whether a line is a leaf, a condition ("if"), one more
 * way of the same ("or"), or the other side ("else"). */
typedef enum scarce__line_kind {
    SCARCE__LINE_IF,
    SCARCE__LINE_OR,
    SCARCE__LINE_ELSE,
    SCARCE__LINE_LEAF
} scarce__line_kind;
typedef struct scarce__line {
    scarce__line_kind kind;
    uint32_t depth;
    uint32_t leaf;    /* of a leaf: its number */
    uint64_t rows;    /* of an if or else: training rows on that side */
    double share;     /* and their share of positives */
    const char *text; /* of an if or or */
} scarce__line;
typedef scarce_status (*scarce__line_fn)(void *arg, const scarce__line *line, scarce_error *err);
scarce_status scarce__dag_outline(const scarce__rank_shown *s, const scarce__dag *dag, scarce__line_fn fn,
                                  void *arg, scarce_error *err);

/* ---- Forms, of the first graph */

scarce_status scarce__rank_text(const scarce__rank_shown *s, int all, scarce__text *out, scarce_error *err);
scarce_status scarce__rank_cel(const scarce__rank_shown *s, scarce__text *out, scarce_error *err);
scarce_status scarce__rank_sql(const scarce__rank_shown *s, scarce__text *out, scarce_error *err);
scarce_status scarce__rank_json(const scarce__rank_shown *s, scarce__text *out, scarce_error *err);
scarce_status scarce__rank_dot(const scarce__rank_shown *s, scarce__text *out, scarce_error *err);
scarce_status scarce__rank_svg(const scarce__rank_shown *s, scarce__text *out, scarce_error *err);

#endif
