/* SPDX-License-Identifier: Apache-2.0 */
/* A model that can be read in the place of one that can't: a ranking tree, or some rules, that put rows in the order
 * in which another model puts them. For rule engines and SQL where a boosted model can't run, and for auditors.
 *
 *     scarce_distil_options o = SCARCE_DISTIL_OPTIONS_INIT;
 *     scarce_distilled kept = SCARCE_DISTILLED_INIT;
 *     o.rules = 12;
 *     scarce_distil(&rules, model, table, &o, &kept, ctx, &err);
 *     printf("%.0f %% of the average precision\n", 100 * kept.ap / kept.teacher_ap);
 *     scarce_model_show(&text, rules, "sql", &err);
 *
 * The imitator learns from what the model says of the rows (probabilities where it has them, else its order), not from
 * their labels; some rows are held out, and on them both are judged. Scores are one per leaf, so that what is exported
 * is what was judged. */
#ifndef SCARCE_DISTIL_H
#define SCARCE_DISTIL_H

#include <math.h>

#include <scarce/model.h>
#include <scarce/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scarce_distil_options {
    size_t struct_size;
    int depth; /* of the tree, 1 to 30 */
    int rules; /* instead: at most so many rules, 2 or more; 0: by depth */
    double
        test_fraction; /* of the rows judge: the latest with a time role, else drawn at random (whole groups) */
    const scarce_table *test; /* rows that judge instead; NULL: see test_fraction */
    double k; /* rows looked at, for precision and money; NAN: as many as there are positives (without
                                 labels: alerts of the model) among the judges */
} scarce_distil_options;

#define SCARCE_DISTIL_OPTIONS_INIT SCARCE_INIT(sizeof(scarce_distil_options), 4, 0, 0.3, NULL, NAN)

/* What is kept, on the rows that judge. Begin with its INIT. NaN: not known (no labels, no amounts). */
typedef struct scarce_distilled {
    size_t struct_size;
    size_t rows, test_rows, test_positives; /* learnt from; judged on */
    size_t leaves;                          /* rules of the imitator */
    double teacher_ap, ap;
    double k;
    double teacher_precision, precision; /* in the top k */
    double teacher_amount, amount;       /* of the positives in the top k */
    double overlap;                      /* share of the model's top k that is in the imitator's top k */
} scarce_distilled;

#define SCARCE_DISTILLED_INIT SCARCE_INIT(sizeof(scarce_distilled), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

/* Any kind of model, imported ones too. The table has the model's features; its label, weight, time, group and amount
 * are used where it has them. `kept` may be NULL. Shapes (a tree by gini, meta-trees) are tried on a quarter of the
 * rows to learn from, and the best is learnt from all of them. EDATA when the model gives all rows one score. */
SCARCE_API scarce_status scarce_distil(scarce_model **out, const scarce_model *model,
                                       const scarce_table *table, const scarce_distil_options *options,
                                       scarce_distilled *kept, scarce_context *ctx, scarce_error *err);

#ifdef __cplusplus
}
#endif
#endif
