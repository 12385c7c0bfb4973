/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a search: its trials and what they were judged to be worth. tune.c searches, tune_verdict.c decides. */
#ifndef SCARCE_STUDY_TUNE_INSIDE_H
#define SCARCE_STUDY_TUNE_INSIDE_H

#include "study/places.h"
#include "study/trial.h"
#include "study/trials_file.h"

typedef struct scarce__trial {
    double *u;
    char *settings; /* without the number of trees */
    double share;   /* of the effort it was judged at last */
    scarce__fit_plan plan;
    double *value;   /* [split][point][1 + blocks] */
    size_t point;    /* the best */
    double mean;     /* there, over the splits; NaN: undefined, or not done */
    double seconds;  /* of all its fits */
    double finished; /* since the search began */
} scarce__trial;

typedef struct scarce__search {
    const scarce_tune_options *o;
    const char *spec;
    scarce_context *ctx;
    scarce_params *params;
    scarce__places places;
    scarce__inner inner;
    int staged; /* numbers of trees come out of the curves */
    int thin;   /* effort is rows */
    size_t metric;
    double sign;
    scarce__trial *trials;
    size_t n_trials, room;
    double begun;

    /* one round */
    const size_t *alive; /* trials of this round */
    size_t n_tasks, next;
    int hurry;     /* stop at the limit in seconds */
    int late;      /* which was reached */
    char note[64]; /* the best so far */

    scarce__trials_file file;  /* of an earlier run, and for the next */
    double effort_all, effort; /* planned and done, in full fits of a split */
} scarce__search;

size_t scarce__values_per_split(const scarce__search *s, const scarce__trial *t);
/* The best trial that was judged in full, or SIZE_MAX. */
size_t scarce__search_best(const scarce__search *s);
/* What the caller gets, with the verdict. */
scarce_status scarce__search_hand_over(const scarce__search *s, scarce_tune_result *out, scarce_error *err);

#endif
