/* SPDX-License-Identifier: Apache-2.0 */
/* The members of an ensemble: the same method on samples of the rows, side by side, and what becomes of them (see
 * members.c).
 *
 *     scarce__members m;
 *     scarce__members_init(&m, job, &inner, n, err);      what a checkpoint has is taken
 *     m.rows = SCARCE__MEMBER_BALANCED; ...
 *     scarce__members_train(&m, 0, n, err);               as many at once as there are threads
 *     scarce__members_finish(&m, out, average, err);      judged on validation rows, summed up
 *     scarce__members_deinit(&m); */
#ifndef SCARCE_METHOD_MEMBERS_H
#define SCARCE_METHOD_MEMBERS_H

#include <pthread.h>

#include "ensemble/draw.h"
#include "method/method.h"

/* What members learn by. */
typedef struct scarce__inner_method {
    const scarce__method *method; /* for messages */
    const scarce__engine *engine;
    const scarce__params *values; /* of the engine */
    const char *resample;         /* of each sample, or NULL */
} scarce__inner_method;

typedef struct scarce__member {
    const scarce__kind *kind;
    void *body; /* NULL: nothing yet */
    int learnt; /* to the end; else it was cut short, and can go on from `state` */
    int done;   /* and nothing about it is open */
    uint8_t *state;
    size_t n_state;
    double shift;            /* to be added to its score */
    scarce__meaning meaning; /* when done */
    size_t steps;            /* so far */
    scarce__writer kept;     /* while it learns: its last checkpoint, as a record */
} scarce__member;

typedef struct scarce__members {
    const scarce__job *job; /* of the ensemble */
    scarce__inner_method inner;
    size_t n;
    scarce__member *member;
    const scarce__classes *classes; /* what samples are drawn from */
    scarce__member_rows rows;
    double share;
    const double *base; /* what members begin with; NULL: as their method does */
    int settles;        /* a member that has learnt is done only when the caller says so (and saves) */
    size_t total_steps; /* of each member: progress counts them; 0: it counts members */

    /* inside */
    size_t first;
    int cancelled;
    pthread_mutex_t lock; /* of the members while they learn, and of: */
    size_t keeps;         /* checkpoints of members since the file was written */
    scarce_error trouble; /* why it could not be written */
} scarce__members;

/* With a checkpoint in the options of the job: EDATA when it isn't one of such an ensemble. To be deinited in any case. */
scarce_status scarce__members_init(scarce__members *m, const scarce__job *job, const scarce__inner_method *inner,
                                   size_t n, scarce_error *err);
void scarce__members_deinit(scarce__members *m);

/* Trains the members [first, first + n) that aren't done. m->cancelled: the caller wants to stop; some are missing or
 * cut short, at least one has a body. */
scarce_status scarce__members_train(scarce__members *m, size_t first, size_t n, scarce_error *err);

/* Writes a checkpoint of what is there, where the options want any; between trainings. */
scarce_status scarce__members_save(scarce__members *m, scarce_error *err);

/* Trees inside the members are rounds that the ensemble can be judged after; else it is judged after each member. */
int scarce__members_by_rounds(const scarce__members *m);

/* Judges on the validation rows of the job, where there are any, stops early where that is asked for, and sums up the
 * members, or takes their mean. Fills body, iterations, curve, state (when cancelled) and counts of members; the
 * meaning is that of a member, and what the draws did to the odds counts. */
scarce_status scarce__members_finish(scarce__members *m, scarce__learned *out, int average, scarce_error *err);

/* The seed that member i learns with. */
uint64_t scarce__member_seed(uint64_t seed, size_t i);

#endif
