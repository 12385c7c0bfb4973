/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `scarce compare` share. */
#ifndef COMPARISON_H
#define COMPARISON_H

#include "program.h"

/* ---- rankings.c: --scores NAME=FILE */

typedef struct ranking_file {
    char *name;
    scarce_table *table;         /* owns the columns, when they are used as they are */
    double *score, *probability; /* else put in the order of the data */
} ranking_file;

typedef struct ranking_files {
    ranking_file *files;
    scarce_compare_ranking *rankings; /* for scarce_compare_options */
    size_t count;
} ranking_files;

/* Each of `specs` is NAME=FILE; the data have n_rows. EINVAL for a spec that is none, EDATA for a file whose
 * rows aren't those of the data. */
scarce_status read_rankings(ranking_files *out, const text_list *specs, size_t n_rows, scarce_context *ctx,
                            scarce_error *err);
void forget_rankings(ranking_files *r);

/* ---- verdicts.c: what the differences are worth */

typedef struct verdict {
    size_t a, b;
    double least; /* the smallest p that so many folds could give, after Holm */
    scarce_compare_pair pair;
    double holm,
        holm_corrected; /* p of Wilcoxon's and of the corrected t test, Holm's correction over all pairs */
} verdict;

typedef struct verdicts {
    size_t metric;
    double *rank; /* per contestant: 1 is best, NaN where no fold counts */
    scarce_friedman_result friedman;
    verdict *pairs;
    size_t n_pairs;
} verdicts;

scarce_status make_verdicts(verdicts *out, const scarce_compare *c, size_t metric, const scarce_context *ctx,
                            scarce_error *err);
void forget_verdicts(verdicts *v);
/* "real", "not proved: about 120 more positives ..." */
void tell_verdict(char *text, size_t size, const verdict *v);
double mean_seconds(const scarce_compare *c, size_t method);

/* ---- comparison_text.c, comparison_json.c */

scarce_status print_comparison(const scarce_compare *c, const verdicts *v, const size_t *metrics, size_t n,
                               const scarce_context *ctx, scarce_error *err);
void print_comparison_json(const scarce_compare *c, const verdicts *v, const scarce_context *ctx);
/* One line per contestant and fold. */
scarce_status write_comparison_csv(const char *path, const scarce_compare *c, scarce_error *err);

/* ---- page_compare.c: --report */

typedef struct compare_view {
    const scarce_compare *compare;
    const verdicts *verdicts;
    const size_t *metrics; /* a chart each */
    size_t n_metrics;
    const scarce_table *table;
    const text_list *paths;
    const scarce_compare_options *options;
} compare_view;

scarce_status write_compare_page(const char *path, const compare_view *v, scarce_context *ctx,
                                 scarce_error *err);

#endif
