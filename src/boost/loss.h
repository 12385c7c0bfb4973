/* SPDX-License-Identifier: Apache-2.0 */
/* What boosting minimises. A loss turns the scores of the rows of a bag into gradients g and curvatures h >=
 * 0; it may look at all of them together (lists), or at each alone. One file per loss, formula at its top,
 * and one line in losses.c.
 *
 *     scarce__loss loss = scarce__loss_logistic(1);                       or, by name:
 *     status = scarce__loss_make(&loss, "logistic", &params, err);
 *     loss.gradients(&loss, &rows, g, h, ctx, err);
 *
 * A loss is a value that may be copied: parameters and functions. What it keeps from tree to tree (weights
 * of rows, as in cost-sensitive AdaBoost) is `state`, made by `begin` and freed by `end` in the training's
 * own copy; `settle` sees every tree before it is added to the scores:
 *
 *     begin(all rows);  for each tree:  gradients(bag) -> tree -> settle(tree);  end
 *
 * What always holds:
 *  1. `base`, `value` and, before the first tree, `interest` are asked of losses without begin: they look at
 *     the rows they are given, not at `state`.
 *  2. A tree taken from an earlier run is settled like a grown one, but its leaves are final: `settle` then
 *     brings the state up to date from the leaves' values, so that going on gives the bits of a run without a
 *     break.
 *  3. State of rows is by their number among the training rows (scarce__row_number), since bags differ. Rows
 *     that a sampler made up have none (SCARCE__MADE_UP). */
#ifndef SCARCE_BOOST_LOSS_H
#define SCARCE_BOOST_LOSS_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/loss.h>

#include "core/context.h"
#include "tree/binned_tree.h"

#define SCARCE__MADE_UP UINT32_MAX /* the number of a row that isn't among the training rows */

typedef struct scarce__loss_rows {
    size_t n;
    const float *score;   /* NULL for `base` */
    const uint8_t *label; /* 0 or 1; NULL when target is given */
    const float *target;  /* regression */
    const float *weight;  /* NULL: 1 each; multiplies g and h */
    const uint32_t *row;  /* numbers among the training rows; NULL: 0, 1, ... */
    const double
        *class_weight; /* for `base`: of negatives and positives, where the rows are elsewhere; else NULL */
} scarce__loss_rows;

static inline uint32_t scarce__row_number(const scarce__loss_rows *rows, size_t i)
{
    return rows->row ? rows->row[i] : (uint32_t)i;
}

/* Parameters of all losses; each reads those its kind says it takes. */
typedef struct scarce__loss_params {
    double gamma; /* logistic: the score is 1/gamma of the log-odds */
    double focus; /* focal: exponent, 0 or more; 0 is logistic */
    double scale; /* ap-lb, sgbap, sgbap-sig: factor on the scores inside the loss; 0: the loss's own */
    double beta;  /* sgbap */
    int leaf_mean, exact, classic; /* sgbap; sgbap-sig and lambdamart-ap; rankboost, adac1 to
                                      adacost: see their files */
    double miss_cost, alarm_cost;  /* adac1 to adacost: of an error on a positive and on a negative; 0: 1 */
    int shares;                    /* adaboost: votes by size */
    double share; /* adaboost: of the weight of positives when a tree is grown; 0: as it comes */
    double most;  /* logitboost: bound on the working response; 0: none */
} scarce__loss_params;

#define SCARCE__LOSS_PARAMS_INIT                                                                             \
    {                                                                                                        \
        .gamma = 1, .focus = 2, .scale = 0, .beta = 1, .leaf_mean = 0, .exact = 0, .classic = 0,             \
        .miss_cost = 1, .alarm_cost = 1, .shares = 0, .share = 0, .most = 4                                  \
    }

/* Which rows `settle` sees with their leaves. */
typedef enum scarce__round_leaves {
    SCARCE__LEAVES_NONE = 0, /* none: the tree is enough */
    SCARCE__LEAVES_OF_BAG,   /* those the tree was grown on */
    SCARCE__LEAVES_OF_ALL    /* all training rows, also where the tree saw a bag */
} scarce__round_leaves;

typedef enum scarce__verdict {
    SCARCE__GO_ON = 0,
    SCARCE__LAST_TREE, /* this tree is kept, and is the last */
    SCARCE__DROP_TREE  /* this tree is not kept, and none comes after */
} scarce__verdict;

/* A tree before it is added to the scores. */
typedef struct scarce__round {
    size_t index;  /* of the tree, from 0 */
    double rate;   /* the learning rate, which the leaves contain already */
    int taken;     /* from an earlier run: leaves are final */
    int by_chance; /* it saw a sample, or some features: the next may be better though this is no good */
    scarce__binned_tree *tree; /* values of leaves may be changed: a step of its own, a line search */
    scarce__loss_rows rows;    /* as `leaves` asks (n 0: none); scores are without this tree */
    const uint32_t *leaf;      /* of these rows: the number of the node they fall into */
    /* of losses with `beside`, of these rows: what the tree was grown on; and to be brought up to date for it */
    const float *gradient;
    float *score;
    scarce__verdict verdict; /* out */
} scarce__round;

typedef struct scarce__loss scarce__loss;

/* Of losses whose scores are not the sum of the trees: something is learnt beside these, from their leaves
 * (loss_latent.c). They see all rows in every round, and `settle` brings round->score up to date. */
typedef struct scarce__loss_beside {
    /* the nodes that n validation rows fall into, of every tree, after it is settled */
    scarce_status (*follow)(scarce__loss *loss, const scarce__binned_tree *tree, const uint32_t *leaf,
                            size_t n, scarce_error *err);
    void (*scores)(scarce__loss *loss, float *score, scarce_context *ctx); /* of the validation rows, now */
    /* the trees so far are the best; the forest is cut back to them */
    scarce_status (*best)(scarce__loss *loss, scarce_error *err);
    scarce_status (*back)(scarce__loss *loss, scarce_error *err);
} scarce__loss_beside;

struct scarce__loss {
    const char *name;
    int needs_label;   /* both classes must occur */
    double gamma;      /* the score is 1/gamma of the log-odds; 0: the score has no probability */
    int portable;      /* don't use AVX2 (the result is the same) */
    int takes_costs;   /* costs of errors are its own business; else they are weights */
    const float *cost; /* then, for `begin`: of an error on each of its rows; NULL: not given by row */
    scarce__loss_params params;
    void *state;                       /* what `begin` made; of loss_user.c: the caller's loss */
    const scarce__loss_beside *beside; /* NULL: scores are the sum of the trees */
    const void *asked;                 /* then: options, and what is learnt; the caller's */
    void *made;
    scarce_status (*gradients)(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                               scarce_context *ctx, scarce_error *err);
    /* the constant score with the least loss */
    double (*base)(const scarce__loss *loss, const scarce__loss_rows *rows);
    /* the score of all rows where no tree was grown; NULL: base */
    double (*alone)(const scarce__loss *loss, const scarce__loss_rows *rows);
    /* mean loss, for tests and reports */
    double (*value)(const scarce__loss *loss, const scarce__loss_rows *rows);
    /* how much each of the rows b .. e - 1 would matter if it were a negative, on any scale, to out[b ..];
     * for importance sampling (NULL: none). Called from tasks, for blocks: looks at each row alone, and not
     * at its label or weight. */
    void (*interest)(const scarce__loss *loss, const scarce__loss_rows *rows, size_t b, size_t e, float *out);

    /* Of losses that keep something from tree to tree, or have steps of their own; each may be NULL. */
    scarce__round_leaves leaves;
    scarce_status (*begin)(scarce__loss *loss, const scarce__loss_rows *all, scarce_error *err);
    scarce_status (*settle)(scarce__loss *loss, scarce__round *round, scarce_context *ctx, scarce_error *err);
    void (*end)(scarce__loss *loss); /* also after a begin that failed */
};

/* ---- By name */

typedef struct scarce__loss_kind {
    const char *name;    /* as users write it */
    const char *summary; /* one line, for help */
    const char *takes;   /* fields of scarce__loss_params that say something, by spaces; NULL: none */
    int has_link;        /* scores are log-odds but for a factor */
    int of_list;         /* looks at all rows together, and ranks only */
    scarce__loss (*make)(const scarce__loss_params *params);
} scarce__loss_kind;

extern const scarce__loss_kind *const scarce__losses[]; /* see losses.c */
extern const size_t scarce__n_losses;

const scarce__loss_kind *scarce__loss_find(const char *name); /* NULL: there is none */
/* EINVAL with the names there are. */
scarce_status scarce__loss_make(scarce__loss *out, const char *name, const scarce__loss_params *params,
                                scarce_error *err);

/* ---- By hand: the same with the parameters that matter */

scarce__loss scarce__loss_logistic(double gamma); /* 1 or 2 (any > 0) */
scarce__loss scarce__loss_exponential(void);
scarce__loss scarce__loss_squared(void); /* label as 0/1 when there is no target */
scarce__loss scarce__loss_focal(double focus);

/* For the top of the list: scores without a probability, f_0 = 0, gradients in units of a positive
 * (list.h). */
scarce__loss scarce__loss_ap_lb(double scale);                             /* scale > 0 */
scarce__loss scarce__loss_sgbap(double scale, double beta, int leaf_mean); /* scale > 0, beta >= 0 */
scarce__loss scarce__loss_sgbap_sig(double scale, int exactly);            /* scale > 0; exactly: O(P rows) */
scarce__loss scarce__loss_lambdamart(int exactly); /* exactly: all pairs, however many */
scarce__loss scarce__loss_rankboost(int classic);  /* classic: for stumps, with their own steps */

/* A loss of the caller (loss.h), borrowed. Pointers that are NULL there may be NULL here. */
scarce__loss scarce__loss_user(const scarce_loss *user);

/* ---- For losses */

/* Runs fn over blocks of rows on the threads; for losses that look at each row alone. */
typedef void (*scarce__loss_block_fn)(const scarce__loss *loss, const scarce__loss_rows *rows, size_t begin,
                                      size_t end, float *g, float *h);
void scarce__loss_blocks(const scarce__loss *loss, const scarce__loss_rows *rows, float *g, float *h,
                         scarce__loss_block_fn fn, scarce_context *ctx);

/* Weight of the positives and of the negatives. */
void scarce__loss_class_weights(const scarce__loss_rows *rows, double *positive, double *negative);

#endif
