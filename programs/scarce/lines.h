/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of scores: a row with what was kept of it and its reasons, as CSV or JSON. Used by score, by its stream
 * and by the pages. */
#ifndef LINES_H
#define LINES_H

#include "program.h"
#include "rules.h"

/* Text that grows; `failed`: out of memory. */
typedef struct text {
    char *bytes;
    size_t n, capacity;
    int failed;
} text;

void text_add(text *t, const char *bytes, size_t n);
void text_addf(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A CSV field, in quotes where it must be. */
void text_field(text *t, const char *field);
/* 9 digits, or with `full` as many as read back as the same double; n/a. */
void text_number(text *t, double value, int full);

/* ---- reasons */

/* "amount 493.41 is high: +2.57", "country BR: +0.8", "age is missing: +0.31". `spread` may be NULL. */
void add_sentence(text *t, const scarce_schema *schema, const scarce_spread *spread, const scarce_reason *why,
                  float value);
/* The n strongest contributions; `only_for`: only those that raise the score. Returns how many there are. */
size_t choose_reasons(scarce_reason *out, size_t n, const double *contribution, size_t width, int only_for);

/* ---- rows */

/* What the lines of a command have in common. */
typedef struct line_format {
    const scarce_schema *schema;
    const scarce_spread *spread; /* for sentences; NULL: without */
    const text_list *keep;
    size_t n_reasons; /* columns for so many; 0: none */
    int ranked, full, words, only_for;
    double base;
    int rules;               /* instead of reasons: the rule that a row fires */
    const ruled_data *ruled; /* --rules: those that fire, and their sentences; NULL: none */
    /* whose reasons are neighbours: n_reasons of each class, or with only_for positives; */
    const scarce_model *model;
    const scarce_scorer *scorer; /* NULL: reasons are features */
    size_t n_classes;            /* more than two (classes.h); else 0 */
    int all_classes;
} line_format;

/* A neighbour and what made it near. */
enum { MOST_ALIKE = 3 };
typedef struct neighbour_line {
    scarce_neighbour is;
    scarce_reason alike[MOST_ALIKE];
    float its[MOST_ALIKE]; /* values of those features */
    size_t n_alike;
} neighbour_line;

typedef struct score_line {
    size_t rank, row; /* from 1 */
    double score, probability;
    int alert;
    const scarce_table *table; /* with the kept texts, and */
    size_t table_row;          /* its row */
    const float *value;        /* per feature; NULL: no reasons */
    const scarce_reason *reasons;
    size_t found;
    size_t rule; /* from 0, where the format has rules, and what of it holds */
    const char *way;
    const neighbour_line *neighbours; /* positives, then negatives */
    size_t n_neighbours;
    const double *classes; /* their probabilities; NULL: there are two */
} score_line;

void csv_header(text *t, const line_format *f);
void csv_line(text *t, const line_format *f, const score_line *l);
void json_line(const line_format *f, const score_line *l);

/* A value of a feature as a person reads it: a number, the text of a category, "missing". */
void show_value(char out[64], const scarce_schema *schema, size_t f, float value);

/* ---- neighbours (neighbours.c) */

/* The n nearest training rows of each class (only_for: of the positives), into `out` with room for 2 n; value is the
 * row. */
scarce_status find_neighbours(neighbour_line *out, size_t *found, const line_format *f, const float *value,
                              scarce_error *err);
void neighbours_header(text *t, const line_format *f);
void add_neighbours(text *t, const line_format *f, const score_line *l);
void json_neighbours(const line_format *f, const score_line *l);

/* An exit code other than EXIT_DONE when a kept column has the name of one that is written anyway. */
int check_keep(const text_list *keep);

#endif
