/* SPDX-License-Identifier: Apache-2.0 */
/* A few threads that sleep until there are tasks.
 *
 * Determinism is the caller's promise and easy to keep: the number of tasks follows from the size
 * of the data, a task writes only what belongs to its index, and sums are added in task order
 * afterwards. Which worker runs a task, and how many there are, must not matter.
 *
 * fork: the pool remembers its process; in a child the first run starts threads anew. */
#ifndef SCARCE_CORE_POOL_H
#define SCARCE_CORE_POOL_H

#include <stddef.h>

#include <scarce/base.h>

typedef struct scarce__pool scarce__pool;

/* `task` is called once for every index in 0..n_tasks-1; `worker` in 0..threads-1 names scratch space. */
typedef void (*scarce__task_fn)(void *arg, size_t index, int worker);

scarce_status scarce__pool_new(scarce__pool **out, int threads, scarce_error *err);
void scarce__pool_free(scarce__pool *pool);
int scarce__pool_threads(const scarce__pool *pool); /* 1 for NULL */

/* Returns when all tasks are done. A NULL pool, one task, or a call from inside a task of the same pool runs
 * inline on this thread (as worker 0, inside a task as that task's worker). */
void scarce__pool_run(scarce__pool *pool, size_t n_tasks, scarce__task_fn task, void *arg);

/* How many blocks of about `block` items cover n, and where block i begins: a function of n alone. */
static inline size_t scarce__blocks(size_t n, size_t block)
{
    return n == 0 ? 0 : (n + block - 1) / block;
}

/* Where part i of `parts` begins when n items are shared out evenly; part `parts` begins at n. */
static inline size_t scarce__part_begin(size_t n, size_t parts, size_t i)
{
    return n / parts * i + (i < n % parts ? i : n % parts);
}

#endif
