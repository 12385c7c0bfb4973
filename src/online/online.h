/* SPDX-License-Identifier: Apache-2.0 */
/* Models that learn row by row: weak learners (nets of two units, linear models, small trees) and what combines
 * them.
 *
 *     raw row -> inputs (inputs.h: standardised as it goes, categories that grow, missing values)
 *             -> h_1 .. h_T (weak.h: all weak learners at once)
 *             -> score (combine.h: onlb, online-bbm, adaboost-ol, ogb, streamboost, one alone)
 *
 * A row is scored before it teaches; what it taught is in the model alone, so a model that was saved goes on as
 * if it had never been. Nothing here looks at a clock or at more than the row: the same rows in the same order give the
 * same bits on every machine.
 *
 * What can't be learnt from does no harm: a value that is not finite is missing, a standardised value counts at most as
 * 10, a row with a weight that is no number or a score that is none is refused and counted. */
#ifndef SCARCE_ONLINE_ONLINE_H
#define SCARCE_ONLINE_ONLINE_H

#include <stdint.h>

#include <scarce/table.h>

#include "core/bytes.h"
#include "data/table.h"

/* In the order of the choices of the parameters. */
typedef enum scarce__online_algorithm {
    SCARCE__ONLINE_ALONE = 0, /* one weak learner, logistic loss */
    SCARCE__ONLINE_ONLB,
    SCARCE__ONLINE_BBM,
    SCARCE__ONLINE_ADABOOST,   /* rows are drawn by their weight */
    SCARCE__ONLINE_ADABOOST_W, /* weights are passed on */
    SCARCE__ONLINE_OGB,
    SCARCE__ONLINE_STREAMBOOST
} scarce__online_algorithm;

typedef enum scarce__weak_kind {
    SCARCE__WEAK_NET = 0,
    SCARCE__WEAK_LINEAR,
    SCARCE__WEAK_TREE
} scarce__weak_kind;

enum {
    SCARCE__ONLINE_MOST_LEARNERS = 256,
    SCARCE__ONLINE_MOST_HIDDEN = 1024, /* learners x units */
    SCARCE__ONLINE_MOST_SPACES = 256,
    SCARCE__ONLINE_MOST_CLASSES = SCARCE__MOST_CLASSES,
    SCARCE__ONLINE_MOST_TREE_FEATURES = 1000
};

typedef struct scarce__online_options {
    int algorithm, weak;
    int paper;                    /* onlb stage by stage, as printed */
    int64_t learners;             /* T */
    int64_t spaces;               /* P of onlb */
    int64_t units;                /* of a net */
    double learning_rate;         /* AdaGrad's, of the weak learners */
    double combine_rate;          /* of what combines them; ogb, streamboost: what a learner adds */
    double leak;                  /* slope of the units below 0; the paper's is 0 */
    double pos_weight;            /* a positive counts as so many rows */
    double edge;                  /* gamma of online-bbm */
    double bound;                 /* B of ogb */
    double kappa;                 /* how far a tree is moved where a net takes a gradient step */
    int64_t max_categories;       /* of a feature; those that come later share one input */
    int64_t grace, max_leaves;    /* of a tree: rows between looks at a leaf, leaves at most */
    double split_confidence, tie; /* Hoeffding's delta; a tie is broken when the bound is below this */
} scarce__online_options;

typedef struct scarce__inputs scarce__inputs;
typedef struct scarce__weak scarce__weak;
typedef struct scarce__combine scarce__combine;

/* A row as the scorer takes it: one float per feature; of sparse features those that are listed (ascending), or, with
 * `sparse` NULL, all that are not 0. */
typedef struct scarce__online_row {
    const float *value;
    const uint32_t *sparse;
    size_t n_sparse;
} scarce__online_row;

typedef struct scarce__online {
    scarce__online_options o;
    uint64_t seed;
    size_t n_features, n_classes; /* outputs: 1 for two classes, else one for each */
    size_t positive;              /* which of more than two classes the score is about */
    scarce__inputs *inputs;
    scarce__weak *weak;
    scarce__combine *combine;
    uint64_t rows, refused;    /* learnt, and rows that were not */
    uint64_t restarts, decays; /* what was done about drift */
    double *merit;             /* per learner: a running mean of what it adds; the weakest is restarted */
    struct scarce__online_work *work; /* of learning: the row being learnt */
} scarce__online;

/* n_classes: 2, or more where the rows have classes; then `positive` is the one that scores are about. EINVAL for options
 * that do not go together. */
scarce_status scarce__online_new(scarce__online **out, const scarce__online_options *o,
                                 const scarce_schema *schema, size_t n_classes, size_t positive,
                                 uint64_t seed, scarce_error *err);
void scarce__online_free(scarce__online *m);
/* EINVAL as above; for checks before the data are read. */
scarce_status scarce__online_check(const scarce__online_options *o, scarce_error *err);

/* Codes of features that have become more: `schema` has at least the categories that were known. No allocation
 * happens when a row of known codes is learnt again. */
double scarce__online_score(const scarce__online *m, const float *row);
/* The same bits. */
double scarce__online_score_row(const scarce__online *m, const scarce__online_row *row);
/* Probabilities of all classes (two: negative, positive), where the algorithm has them; what pos_weight did to them is
 * undone. Gives the score. */
double scarce__online_classes(const scarce__online *m, const scarce__online_row *row, double *probability);

/* Learns a row of class y (0, 1; or the number of the class). A row that can't be learnt is counted, and
 * that is no error; ENOMEM leaves the model as it was. */
scarce_status scarce__online_learn(scarce__online *m, const scarce__online_row *row, size_t y, double weight,
                                   scarce_error *err);

/* What to do about drift. The weakest learner begins anew, or all forget how often they were corrected: steps are
 * as large again as early in the stream. */
void scarce__online_restart_weakest(scarce__online *m);
void scarce__online_decay(scarce__online *m);

void scarce__online_write(const scarce__online *m, scarce__writer *w);
scarce_status scarce__online_read(scarce__online **out, const scarce_schema *schema, scarce__reader *r,
                                  scarce_error *err);

/* Does the score have a probability 1 / (1 + e^-score)? */
int scarce__online_is_log_odds(const scarce__online_options *o);

/* ---- rows out of tables, sparse columns by rows */

typedef struct scarce__online_rows {
    const scarce_table *table;
    float *value;      /* of the row being shown */
    size_t *row_begin; /* sparse entries of row i; NULL: no sparse columns */
    uint32_t *feature; /* of each entry */
    float *entry;
    size_t shown;    /* the row in `value`, or SIZE_MAX */
    uint32_t *dense; /* features that are not sparse */
    size_t n_dense;
    int borrowed; /* all but value is another's */
    int unlisted; /* the entries are not all that a model takes for sparse */
} scarce__online_rows;

scarce_status scarce__online_rows_init(scarce__online_rows *out, const scarce_table *table,
                                       scarce_error *err);
void scarce__online_rows_deinit(scarce__online_rows *r);
/* A table may have columns whole that the model knows as sparse, and the other way round. */
void scarce__online_rows_match(scarce__online_rows *r, const scarce__online *m);
/* Another reader of the same rows, for another thread; `from` must outlive it. */
scarce_status scarce__online_rows_share(scarce__online_rows *out, const scarce__online_rows *from,
                                        scarce_error *err);
/* Valid until the next call. */
scarce__online_row scarce__online_rows_get(scarce__online_rows *r, size_t i);

#endif
