/* SPDX-License-Identifier: Apache-2.0 */
/* A method is a line in the table of methods.c: a name, where it comes from, presets of parameters, and the
 * engine that learns. An engine serves many methods; what it can is said by flags, so that nobody has to ask
 * which one it is. */
#ifndef SCARCE_METHOD_METHOD_H
#define SCARCE_METHOD_METHOD_H

#include <scarce/method.h>

#include "core/param.h"
#include "far/ask.h"
#include "model/model.h"

typedef struct scarce__method scarce__method;

/* Training rows that lie elsewhere (far/): how to ask them, and who asks once the training knows what. */
typedef struct scarce__job_far {
    const scarce_plan *plan;
    const scarce_far *how;
    scarce__asker asker;
    scarce__loss loss;
    int rescaled; /* the model's trees are not those whose scores the rows have */
} scarce__job_far;

/* What an engine gets. */
typedef struct scarce__job scarce__job;
struct scarce__job {
    const scarce__method *method;
    const scarce_table *table;   /* NULL before the data are read (check, memory) */
    const scarce_table *valid;   /* NULL: none */
    const uint8_t *synthetic;    /* per row of the table: made up by resampling; NULL: none is */
    const scarce__params *asked; /* what the user set */
    scarce__params *params;      /* a copy of it: what "auto" came to be is written there */
    const char *resample;        /* specification of what was done to the table before; NULL: nothing */
    const scarce_train_options *options;
    scarce_context *ctx;
    const struct scarce__encoder *encoder; /* table and valid are encoded by it; NULL: they are as given */
    const scarce__job *whole;              /* the job before that; NULL: this one */
    const void *shared;                    /* what engine->share made of this table; NULL: nothing */
    scarce__job_far
        *far;      /* the rows are elsewhere, and the table is a sample of them; NULL: they are the table's */
    int throwaway; /* the model is judged and forgotten: what only its file needs is not made */
    int *told;     /* a checkpoint could not be written, and that was said */
    /* Of a member of an ensemble: who takes its checkpoints instead of a file (NULL: a file), and what it begins
     * with (NULL: what the method begins with). */
    scarce_status (*keep)(void *payload, const scarce__kind *kind, const void *body, const uint8_t *state,
                          size_t n_state, scarce_error *err);
    void *keep_payload;
    const double *base;
};

/* What a score says about probability. */
typedef enum scarce__link {
    SCARCE__LINK_NONE,    /* it ranks */
    SCARCE__LINK_SIGMOID, /* p = 1/(1+exp(-slope s)) */
    SCARCE__LINK_SHARE    /* p = s */
} scarce__link;

typedef struct scarce__meaning {
    scarce__link link;
    double slope;
    double odds_factor; /* what the training did to the odds (pos_weight, sampling); 1: nothing, NaN: by no
                           known factor */
    const char *why;    /* in words, where there is no probability */
} scarce__meaning;

/* What it gives back. */
typedef struct scarce__learned {
    const scarce__kind *kind;
    void *body;
    scarce__meaning meaning;
    size_t iterations, best_iteration;
    double valid_metric;
    double *curve; /* the metric after each iteration, NaN where nobody looked; NULL: there is none */
    size_t n_curve;
    char voices[400]; /* of a sum of several kinds: which, and what each is worth; empty: it is one */
    size_t members, idle_members; /* of ensembles, and those that learnt nothing */
    double seconds_prepare;
    int cancelled;
    uint8_t *state; /* to go on from here, when cancelled; else NULL */
    size_t n_state;
    double threshold;          /* from where on the method itself calls a row positive; NaN: it does not */
    const char *threshold_why; /* in words */
    double *
        held; /* scores of the training rows by models that did not see them, where thresholds are asked for without
                     validation rows and the model would know them by heart; NULL: they are scored as others */
} scarce__learned;

enum {
    SCARCE__CAN_LOSS = 1,        /* takes a loss of the caller's own */
    SCARCE__CAN_STOP = 2,        /* stops early */
    SCARCE__CAN_RESUME = 4,      /* leaves checkpoints and goes on from them */
    SCARCE__CAN_PROBABILITY = 8, /* whatever the parameters, unless `ranks` says no */
    SCARCE__CAN_COSTS = 16,      /* weighs what an error on a row costs */
    SCARCE__CAN_FAR = 32,        /* learns from rows that lie elsewhere */
};

typedef struct scarce__engine {
    const scarce__param_table *params;
    unsigned can;
    const char
        *stages; /* the parameter whose smaller values give prefixes of a model: "n_trees"; NULL: none */
    /* Is it worth tuning a parameter on so many rows? options: the struct of `params`. NULL: always. */
    int (*worth_tuning)(const void *options, const char *name, size_t rows, size_t positives);
    /* The first k of n stages score k/n of what a model of k would: the score is a mean, its link a share. */
    int stages_average;
    const char *rate; /* the parameter that trades stages for steps: "learning_rate"; NULL: none */
    /* What can be refused before the work begins; job->table may be NULL. NULL: nothing. */
    scarce_status (*check)(const scarce__job *job, scarce_error *err);
    /* Bytes beside the tables, at most. */
    double (*memory)(const scarce__job *job, size_t rows, size_t positives, size_t features,
                     size_t valid_rows);
    scarce_status (*train)(scarce__learned *out, const scarce__job *job, scarce_error *err);
    /* What trainings on job->table with other settings need as well (bins). A training whose settings want
     * another one makes its own. Both NULL: there is nothing of the kind. */
    scarce_status (*share)(void **shared, const scarce__job *job, scarce_error *err);
    void (*unshare)(void *shared);
    void (*bins)(scarce__bin_options *out, const void *options); /* with CAN_FAR: how columns are cut */
    /* With CAN_PROBABILITY: do scores with these parameters only rank? NULL: never. */
    int (*ranks)(const void *options);
} scarce__engine;

struct scarce__method {
    const char *name, *family, *summary, *paper;
    const scarce__engine *engine;
    const scarce__preset *presets; /* this method's own defaults, and what it is; NULL: those of the table */
};

extern const scarce__engine scarce__engine_gb, scarce__engine_logistic, scarce__engine_svm;
extern const scarce__engine scarce__engine_nlb;
extern const scarce__engine scarce__engine_near, scarce__engine_metric;
extern const scarce__engine scarce__engine_forest, scarce__engine_boosters, scarce__engine_bag,
    scarce__engine_cascade;
extern const scarce__engine scarce__engine_cart, scarce__engine_treerank, scarce__engine_metaap,
    scarce__engine_treerank_forest, scarce__engine_metaap_forest;
extern const scarce__engine scarce__engine_online;

/* Presets of families that have a file of their own. */
extern const scarce__preset scarce__as_nlb[];
extern const scarce__preset scarce__as_ds_st_grboost[], scarce__as_st_ensemble[], scarce__as_easy_ensemble[];
extern const scarce__preset scarce__as_onlb[], scarce__as_online_bbm[], scarce__as_adaboost_ol[],
    scarce__as_adaboost_ol_w[], scarce__as_ogb[], scarce__as_streamboost[], scarce__as_mlp[],
    scarce__as_online_net[], scarce__as_online_linear[], scarce__as_online_tree[];

const scarce__method *scarce__method_at(size_t i); /* NULL behind the last */
unsigned scarce__method_can(const scarce__method *method);

struct scarce_params {
    const scarce__method *method;
    scarce__params *values;
    char *resample; /* specification of what is done to the training rows first; NULL: nothing */
};

/* Rows that are learnt from, wherever they lie. */
size_t scarce__job_rows(const scarce__job *job);
size_t scarce__job_positives(const scarce__job *job);

/* ---- many trainings on one table: a search, a comparison */

/* What the trainings of this method on this table share, with the parameters given as the likely ones; *out is NULL
 * where there is nothing to share. To be freed by scarce__train_unshare, after them. */
scarce_status scarce__train_share(void **out, const scarce_table *table, const scarce_params *params,
                                  scarce_context *ctx, scarce_error *err);
void scarce__train_unshare(const scarce_params *params, void *shared);
/* scarce_train for a model that is judged and forgotten; shared may be NULL. Same trees, same scores. */
scarce_status scarce__train_to_judge(scarce_model **out, const scarce_table *table,
                                     const scarce_params *params, const scarce_train_options *options,
                                     const void *shared, scarce_context *ctx, scarce_error *err);

/* ---- what train.c is made of */

/* Everything that can be refused before the work begins (check.c). job->table may be NULL. */
scarce_status scarce__train_check_options(const scarce__job *job, scarce_error *err);

/* Notes of a model: data, seed, and every parameter that said something, with the value it had; which of them
 * the user set and which the method decided (notes.c). learned NULL: still learning. */
scarce_status scarce__add_notes(scarce_model *m, const scarce__job *job, const scarce__learned *learned,
                                scarce_error *err);

/* Of parameters alone: job->params, asked and options are looked at. */
scarce_status scarce__add_param_notes(scarce_model *m, const scarce__job *job, scarce_error *err);

/* What costs of rows, as weights, do to the odds: a known factor where all rows of a class cost the same, else no
 * known one (decide.c). For engines that weigh them. */
void scarce__meaning_costs(scarce__meaning *meaning, const scarce_table *table);

/* Probability, threshold (decide.c). */
scarce_status scarce__decide(scarce_model *m, const scarce__job *job, const scarce__learned *learned,
                             scarce_error *err);
/* Will the scores of the training rows be asked for, to choose a threshold by them? */
int scarce__decides_by_training_rows(const scarce_train_options *options);

/* Is the checkpoint of the options, if there is one, of this very training? (resume.c) First what is known
 * without data, then the rows. */
scarce_status scarce__check_resume(const scarce__job *job, scarce_error *err);
scarce_status scarce__check_resume_data(const scarce__job *job, scarce_error *err);
/* What a checkpoint must agree on is noted in it. */
scarce_status scarce__note_resume(scarce_model *m, const scarce__job *job, scarce_error *err);
/* Saves body and state, both borrowed, where the options want it. */
scarce_status scarce__save_checkpoint(const scarce__job *job, const scarce__kind *kind, const void *body,
                                      const uint8_t *state, size_t n_state, scarce_error *err);
/* The same for engines on the way: what a member has goes to its ensemble (job->keep); a file that can't
 * be written is told once, and is no failure. */
scarce_status scarce__keep_checkpoint(const scarce__job *job, const scarce__kind *kind, const void *body,
                                      const uint8_t *state, size_t n_state, scarce_error *err);

#endif
