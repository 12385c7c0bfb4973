/* SPDX-License-Identifier: Apache-2.0 */
/* scarce score: the parts of it. cmd_score.c has the options and scores files; score_stream.c scores rows as
 * they come, score_blocks.c files that memory can't hold, both through score_answer.c; score_write.c writes all. */
#ifndef SCORE_H
#define SCORE_H

#include "lines.h"

typedef struct score_options {
    common_options common;
    data_options data;
    const char *output, *explain, *background, *budget, *rules;
    int live, only_for, words, full, classes;
    long top;
    double prevalence; /* 0: as in training */
} score_options;

typedef struct ranked {
    double score;
    size_t row;
} ranked;

int by_score(const void *a, const void *b); /* of two ranked: highest first; equal scores in input order */

/* Scored rows to write: all of a table in its order, or those of `top`. */
typedef struct score_batch {
    const scarce_table *table;
    const double *score, *probability;
    const uint8_t *alert;
    const ranked *top;    /* NULL: input order */
    const size_t *number; /* of each row in the input, from 1; NULL: its place in the table */
} score_batch;

typedef struct writer {
    line_format format;
    scarce_reason *reasons;
    scarce_explainer *explainer; /* NULL: no reasons */
    scarce_spread *spread;
    scarce_rules *rules;   /* of models that are rules, instead of an explainer */
    size_t *rule;          /* per row of the batch's table, and */
    const char **way;      /* what of it holds */
    scarce_scorer *scorer; /* where reasons are neighbours */
    neighbour_line *neighbours;
    float *values;
    scarce_scorer *class_scorer; /* of models with more than two classes, and */
    double *classes;             /* their probabilities for the rows of the batch's table */
    size_t width;                /* features */
    int json;                    /* to stdout, instead of */
    scarce_output *out;          /* or, when that is NULL, CSV to stdout, flushed after each batch */
    int terminal;                /* stdout is one: no control characters go there */
    /* instead of both: lines are handed over, in the order of the batch; NULL: they are written */
    scarce_status (*sink)(void *payload, const char *bytes, size_t n, scarce_error *err);
    void *payload;
    text line;
    score_batch batch;
    scarce_status status; /* of put_rows, which has */
    scarce_error error;   /* its own, because its caller says that it was stopped */
} writer;

/* n_reasons: SIZE_MAX for all, 0 for none; `background` may be NULL. EUNSUPPORTED when the model can't be
 * explained. */
scarce_status writer_init(writer *w, const score_options *o, const scarce_model *model, size_t n_reasons,
                          const scarce_table *background, scarce_error *err);
void writer_deinit(writer *w);
scarce_status write_header(writer *w, scarce_error *err);
/* A line as it stands, with its newline. */
scarce_status write_line(writer *w, const char *bytes, size_t n, scarce_error *err);
/* n rows of the batch. */
scarce_status write_batch(writer *w, const score_batch *batch, size_t n, scarce_context *ctx,
                          scarce_error *err);

/* ---- rows that come in tables, one after the other (score_answer.c) */

typedef struct answerer {
    const score_options *o; /* these three are set by the caller */
    scarce_context *ctx;
    scarce_model *model;
    scarce_scorer *scorer;
    const budget_rule *rule;
    scarce_budget *budget;
    writer w;
    size_t row, late; /* rows so far; rows of a span that was over */
    double *score, *probability;
    uint8_t *alert;
    size_t *number;
    size_t capacity; /* of these */
} answerer;

scarce_status answerer_init(answerer *a, size_t n_reasons, const budget_rule *rule, scarce_error *err);
void answerer_deinit(answerer *a); /* frees the model too */
/* Scores, probabilities, alerts and numbers of the rows of a table. */
scarce_status answer_scores(answerer *a, const scarce_table *t, scarce_error *err);
/* The same, and their lines. */
scarce_status answer_table(answerer *a, const scarce_table *t, scarce_error *err);
void tell_late(const answerer *a);

/* Files that memory can't hold: what they get in memory, in input order or the K best; returns the exit code. */
int score_blocks(const score_options *o, const parsed *args, size_t n_reasons, const budget_rule *budget,
                 scarce_context *ctx);

/* Rows from standard input, each answered as it comes; returns the exit code. */
int score_stream(const score_options *o, const char *model_path, const char *name, size_t n_reasons,
                 const budget_rule *budget, scarce_context *ctx);

/* Said once, not in every line. */
void say_no_probability(const scarce_model *model);

/* --background FILE, up to 1000 rows of it; *owned is to be freed. `data` are the rows themselves, for
 * --background N; NULL: there are none to take. */
scarce_status read_background(const scarce_table **out, scarce_table **owned, const scarce_model *model,
                              const scarce_table *data, const score_options *o, scarce_context *ctx,
                              scarce_error *err);

#endif
