/* SPDX-License-Identifier: Apache-2.0 */
/* Long tasks side by side: the fits of a comparison, the trials of a search, the members of a bag.
 *
 * As many lanes as there are threads, tasks, or as fit into memory; each takes one task after the other, and
 * has its share of the threads. A task gets a context of its own and writes only what belongs to its number,
 * so neither the number of lanes nor the order matters to the result.
 *
 * Callers are promised that their callbacks come on their own thread. So progress is told, and the wish to
 * stop heard, on the lane that is the caller's; the others look at a flag. Lines for the log wait until the
 * caller's lane comes by: warnings as they are, everything else for those who want details. */
#ifndef SCARCE_CORE_LANES_H
#define SCARCE_CORE_LANES_H

#include "core/context.h"

#define SCARCE__LANES_NONE SIZE_MAX       /* no task is left to begin */
#define SCARCE__LANES_STOP (SIZE_MAX - 1) /* and those that run are to be cut off */

typedef struct scarce__lanes {
    size_t n_tasks;    /* numbered from 0 */
    const char *tasks; /* what they are: "fits" */
    double bytes;      /* that one of them takes at most */
    double memory;     /* bytes for all; 0: 80 % of what there is */

    scarce_status (*run)(void *arg, size_t task, scarce_context *ctx, scarce_error *err);

    /* The rest may be NULL. These four are called one at a time, on any thread, and may not log. */
    size_t (*claim)(void *arg); /* the task to begin next; NULL: 0, 1, 2, ... */
    /* after a task that went well and was not cut off; its status then is the task's */
    scarce_status (*done)(void *arg, size_t task, double seconds, scarce_error *err);
    void (*progress)(void *arg, scarce_progress *p); /* what the caller is told */
    void (*heard)(void *arg, size_t task, const scarce_progress *p); /* what a task told of itself */

    /* "fold 2, gb", put before its error and its lines for the log. On any thread. */
    void (*name)(void *arg, size_t task, char *text, size_t room);
} scarce__lanes;

/* After the first failure no further task is begun; of several the failure of the smallest number is
 * returned, which for tasks in their order is the same for any number of threads. ECANCEL (text "stopped")
 * when the caller or `claim` wants to stop: tasks cut off so are not done. */
scarce_status scarce__lanes_run(const scarce__lanes *plan, void *arg, scarce_context *ctx, scarce_error *err);

#endif
