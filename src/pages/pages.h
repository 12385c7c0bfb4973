/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that pages share. */
#ifndef SCARCE_PAGES_PAGES_H
#define SCARCE_PAGES_PAGES_H

#include <scarce/explain.h>
#include <scarce/pages.h>

/* Facts of a table: its size, roles and fingerprint; of a model: method and parameters. */
void scarce__pages_data(scarce_report *r, const char *name, const scarce_table *t);
void scarce__pages_model(scarce_report *r, const scarce_model *model);

/* A chart of the strongest features: mean |contribution| over some rows of the table; without an explainer or a
 * table the gains of the splits, where there are trees, else nothing. Begins a section where there is something. */
scarce_status scarce__pages_importances(scarce_report *r, const scarce_model *model,
                                        const scarce_explainer *e, const scarce_table *table,
                                        scarce_context *ctx, scarce_error *err);

/* Parts of an evaluation: scores, calibration and days; money; importances and the head of the list. The view's
 * options are set. */
scarce_status scarce__pages_scores(scarce_report *r, const scarce_evaluation_view *v, scarce_context *ctx,
                                   scarce_error *err);
scarce_status scarce__pages_money(scarce_report *r, const scarce_evaluation_view *v, scarce_context *ctx,
                                  scarce_error *err);
scarce_status scarce__pages_alerts(scarce_report *r, const scarce_evaluation_view *v, scarce_context *ctx,
                                   scarce_error *err);

#endif
