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

/* ---- comparison_text.c, comparison_json.c */

scarce_status print_comparison(const scarce_compare *c, const scarce_verdicts *v, const size_t *metrics,
                               size_t n, const scarce_context *ctx, scarce_error *err);
void print_comparison_json(const scarce_compare *c, const scarce_verdicts *v, const scarce_context *ctx);
/* One line per contestant and fold. */
scarce_status write_comparison_csv(const char *path, const scarce_compare *c, scarce_error *err);

#endif
