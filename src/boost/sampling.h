/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows a tree is grown on, and with what weight. A sampler is a struct of functions, one file per idea
 * (sampling_*.c) and one line in sampling.c; what it keeps from draw to draw (lists of neighbours, rows that
 * are left out for good) is its state.
 *
 *     scarce__sampling s;
 *     scarce__sampling_choose(&s, &options, n_positives, n_negatives, &loss, err);
 *     scarce__sampling_start(&s, &all, ctx, err);
 *     for each tree:  if (scarce__sampling_due(&s, tree)) scarce__sampling_draw(&s, &bag, &all, &at, ctx, err);
 *     scarce__sampling_end(&s);
 *
 * What always holds:
 *  1. A draw depends on (seed, tree, row numbers, what the rows are) and on the draws before it, never on
 *     threads. A run that is taken up draws the bags of the taken trees again, so state is replayed.
 *  2. Rows of a bag ascend; a row drawn twice is there once, with its count as weight.
 *  3. Rows that are made up come after the drawn ones, are rows of a table of the same features (`made`), and
 *     live as long as the bag. Their scores are those of all trees so far, as for any row. */
#ifndef SCARCE_BOOST_SAMPLING_H
#define SCARCE_BOOST_SAMPLING_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/table.h>

#include "boost/loss.h"

/* Lines of the table of samplers, in its order. */
typedef enum scarce__sampling_kind {
    SCARCE__ROWS_ALL = 0,
    SCARCE__ROWS_UNIFORM,    /* `fraction` of the rows, without replacement */
    SCARCE__ROWS_STRATIFIED, /* `fraction` of each class */
    SCARCE__ROWS_CLASSES,    /* positive_fraction and negative_fraction */
    SCARCE__ROWS_BALANCED,   /* all positives, as many negatives */
    SCARCE__ROWS_RATIO,      /* all positives, negatives so that positives are `ratio` of the bag */
    SCARCE__ROWS_GOSS,       /* the `top` share by |g| h^1/2, `other` of the rest with weight */
    SCARCE__ROWS_MVS, /* minimal variance: `fraction` of the rows, by sqrt(g^2 + lambda h^2), with weight */
    SCARCE__ROWS_IMPORTANCE, /* all positives, negatives with probability by their gradient, with weight */
    SCARCE__ROWS_BOOTSTRAP,  /* `fraction` x rows draws with replacement; a row's weight is its count */
    SCARCE__ROWS_BOOTSTRAP_BALANCED, /* the same of each class, `fraction` x the rarer class draws */
    SCARCE__ROWS_SMOTE /* all rows, and `made` positives for each that lie between it and its neighbours */
} scarce__sampling_kind;

typedef struct scarce__sampler scarce__sampler;

typedef struct scarce__sampling_options {
    scarce__sampling_kind kind;
    const scarce__sampler *sampler; /* instead of `kind`, or NULL */
    double fraction, positive_fraction, negative_fraction, ratio;
    int independent; /* each row by its own coin instead of a fixed number (uniform, stratified, classes) */
    int reweigh;     /* weight 1 / share, so that sums stay those of all rows (classes, balanced, ratio) */
    int keep;        /* trees a bag is kept; 0: 1, with importance 2 */
    double top, other;
    /* importance sampling */
    double per_positive;    /* negatives per positive */
    double floor;           /* of the interest, in means */
    double max_probability; /* of a negative; 0: 0.2, or 1 below 1000 positives */
    double pool;            /* negatives per positive that are drawn first and kept together; 0: no pool */
    int pool_least; /* negatives in it, whatever the positives are; but never more than a quarter of all */
    int pool_again; /* trees after which it is drawn anew for the first time, then pool_growth times that, ... */
    int pool_growth;
    double mvs_lambda;
    double made;    /* smote: rows made up for each positive and bag */
    int neighbours; /* smote: towards so many of the nearest positives */
} scarce__sampling_options;

#define SCARCE__SAMPLING_OPTIONS_INIT                                                                        \
    {                                                                                                        \
        .kind = SCARCE__ROWS_ALL, .fraction = 0.5, .positive_fraction = 1, .negative_fraction = 0.1,         \
        .ratio = 0.5, .top = 0.2, .other = 0.1, .per_positive = 5, .floor = 0.3, .pool = 50,                 \
        .pool_least = 50000, .pool_again = 16, .pool_growth = 3, .mvs_lambda = 0.1, .made = 1,               \
        .neighbours = 5                                                                                      \
    }

typedef struct scarce__bag {
    size_t n;
    uint32_t *row; /* ascending, within the population drawn from */
    float *
        weight; /* of these beside their own, then of the rows made up in full; NULL: 1 each (rows made up: that of
                      their class). Multiplies g and h */
    /* Rows beyond the population: a table with its features and labels, kept by the sampler until its next
     * draw; NULL: none. */
    const scarce_table *made;
    /* kept from draw to draw: */
    size_t room;
    float *weight_room, *value;
    struct scarce__interest *cells;
} scarce__bag;

void scarce__bag_deinit(scarce__bag *bag);

/* What a bag is drawn from: all rows, or the pool. */
typedef struct scarce__population {
    size_t n;
    const uint32_t *id;   /* row numbers for the random stream; NULL: 0, 1, ... (as for importance always) */
    const uint8_t *label; /* may be NULL (regression: then only all, uniform, goss, mvs, bootstrap) */
    const float *score;   /* up to date */
    const float *target;
    const float *case_weight; /* or NULL */
    const float *bag_weight;  /* 1 / probability of being in the pool; NULL: 1 */
    size_t n_all;             /* training rows */
    const scarce__loss *loss; /* at whose gradients rows are looked at */
    /* The rows themselves, to make up others from; table_row: of each training row, NULL: the same. */
    const scarce_table *table;
    const uint32_t *table_row;
} scarce__population;

/* Which draw this is. */
typedef struct scarce__draw {
    uint64_t seed;
    size_t tree;
    int pool; /* the pool itself, from all rows */
} scarce__draw;

typedef struct scarce__sampling {
    const scarce__sampler *is;
    scarce__sampling_options o; /* with the defaults that depend on the data */
    void *state;
} scarce__sampling;

struct scarce__sampler {
    const char *name;    /* as users write it */
    const char *summary; /* one line, for help */
    const char *takes;   /* fields of scarce__sampling_options that say something, by spaces; NULL: none */
    int by_class;        /* needs positives and negatives */
    int makes_rows;      /* bags may hold rows made up (trees are then kept, to score them) */
    int keep;            /* trees a bag is kept where nothing is said; 0: 1 */
    /* EINVAL with the parameter at fault; also decides defaults that depend on the data, and may choose
     * another sampler (s->is) where this one makes no sense. NULL: nothing to check. */
    scarce_status (*check)(scarce__sampling *s, size_t n_positives, size_t n_negatives,
                           const scarce__loss *loss, scarce_error *err);
    scarce_status (*start)(scarce__sampling *s, const scarce__population *all, scarce_context *ctx,
                           scarce_error *err);               /* makes s->state; NULL: there is none */
    int (*pool_due)(const scarce__sampling *s, size_t tree); /* NULL: there are no pools */
    /* NULL: all rows, always. `out` is empty (all zero) or of an earlier draw. */
    scarce_status (*draw)(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                          const scarce__draw *at, scarce_context *ctx, scarce_error *err);
    void (*end)(scarce__sampling *s); /* frees s->state, also after a start that failed */
};

extern const scarce__sampler *const scarce__samplers[]; /* see sampling.c */
extern const size_t scarce__n_samplers;
const scarce__sampler *scarce__sampler_find(const char *name); /* NULL: there is none */

scarce_status scarce__sampling_choose(scarce__sampling *out, const scarce__sampling_options *options,
                                      size_t n_positives, size_t n_negatives, const scarce__loss *loss,
                                      scarce_error *err);
scarce_status scarce__sampling_start(scarce__sampling *s, const scarce__population *all, scarce_context *ctx,
                                     scarce_error *err);
void scarce__sampling_end(scarce__sampling *s); /* of an all-zero one too */

int scarce__sampling_all(const scarce__sampling *s);                   /* trees see all rows */
int scarce__sampling_due(const scarce__sampling *s, size_t tree);      /* a new bag */
int scarce__sampling_pool_due(const scarce__sampling *s, size_t tree); /* a new pool, before it */

scarce_status scarce__sampling_draw(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                                    const scarce__draw *at, scarce_context *ctx, scarce_error *err);

/* Negatives of a pool, on average, and the key of the coins of a draw by importance: for rows that lie elsewhere
 * (far.h). */
double scarce__pool_size(const scarce__sampling_options *o, double positives, double negatives);
uint64_t scarce__draw_key(const scarce__draw *at);

/* ---- For samplers */

/* Room for n rows (those made up included), with weights or not; *bag is empty or of an earlier draw. */
scarce_status scarce__bag_reserve(scarce__bag *bag, size_t n, int weights, scarce_error *err);

/* EINVAL unless 0 < share <= 1. */
scarce_status scarce__sampling_share(const char *name, double share, scarce_error *err);

#endif
