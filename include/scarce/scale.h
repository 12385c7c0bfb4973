/* SPDX-License-Identifier: Apache-2.0 */
/* Boosted trees from rows that do not fit in memory, or lie on several machines.
 *
 * With few positives, learning needs only the interesting rows. So rows stay where they are, as bytes; they draw the
 * interesting ones themselves, and only these travel to where the trees are grown:
 *
 *     sketch      sees every row once, wherever it lies; sketches are joined        scarce_sketch_*
 *     plan        how columns become bytes, and how many rows there are            scarce_plan_*
 *     partition   the rows of one place as bytes with their scores; it answers     scarce_partition_*
 *     training    asks all partitions, grows trees on what comes back              scarce_train_far
 *
 * Questions and answers are bytes: how they travel (a function call, a file, a job of a cluster) is the caller's business.
 * Each question carries all trees so far, so a partition that was lost is made again from its rows and answers as the old
 * one would have.
 *
 * The model depends on the rows, their numbers, the parameters and the seed alone: it has the same bytes for any number of
 * partitions, and those of scarce_train on one table of the same rows in the order of their numbers (0, 1, 2, ...).
 *
 *     scarce_sketch_new(&sketch, &err);
 *     for each block of rows:  scarce_sketch_add(sketch, block, NULL, first, &err);
 *     scarce_plan_new(&plan, sketch, params, ctx, &err);
 *     scarce_partition_new(&partition, plan, "/tmp", &err);
 *     for each block of rows:  scarce_partition_add(partition, block, NULL, first, ctx, &err);
 *     scarce_far far = scarce_far_here(&partition, 1);
 *     scarce_train_far(&model, plan, params, &options, &far, NULL, ctx, &err);
 *
 * Only boosted trees whose loss looks at rows one by one learn this way, from dense columns (numbers and categories), and
 * only where positives are rare (sample=importance): else EUNSUPPORTED or EDATA with what to do instead. */
#ifndef SCARCE_SCALE_H
#define SCARCE_SCALE_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/base.h>
#include <scarce/method.h>
#include <scarce/model.h>
#include <scarce/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sketches */

typedef struct scarce_sketch scarce_sketch;

SCARCE_API scarce_status scarce_sketch_new(scarce_sketch **out, scarce_error *err);
/* How many rows there are in all places, said to each of their sketches before its first row: then it keeps only those negatives that
 * can be among the sample of all, so that all sketches together are about as large as one. What their sample lacks when
 * there are fewer rows, or more positives than some of a hundred, scarce_sketch_enough tells of the joined sketch: then the rows are
 * to be sketched again without this. 0: not known. */
SCARCE_API void scarce_sketch_expect(scarce_sketch *sketch, uint64_t rows);
SCARCE_API int scarce_sketch_enough(const scarce_sketch *sketch);
/* Looks at the rows of a table with labels. Their numbers are id[0], id[1], ... or, where id is NULL, first, first + 1, ...;
 * no two rows of all sketches may have the same number. The first table settles the features and their kinds; further ones
 * must have them too, by name, in any order (EDATA names the column); categories may be new. Memory is bounded: an even
 * sample of 262,144 rows of each class, and the texts of the categories. */
SCARCE_API scarce_status scarce_sketch_add(scarce_sketch *sketch, const scarce_table *rows,
                                           const uint64_t *id, uint64_t first, scarce_error *err);
/* Rows of the same files that are not learnt from (validation rows, held out by scarce_plan_gather): only the texts of their
 * categories count, so that categories are in the order of all rows, as in a table that is split after it was read.
 * before[i]: the number of the next row that is learnt from. Rows come in their order, and to one sketch. */
SCARCE_API scarce_status scarce_sketch_know(scarce_sketch *sketch, const scarce_table *rows,
                                            const uint64_t *before, scarce_error *err);
/* To send it; *bytes is to be freed by scarce_bytes_free. */
SCARCE_API scarce_status scarce_sketch_bytes(void **bytes, size_t *n, const scarce_sketch *sketch,
                                             scarce_error *err);
/* Adds a sketch of other rows that came as bytes (EPARSE: damaged). The order of joining does not matter. */
SCARCE_API scarce_status scarce_sketch_join(scarce_sketch *sketch, const void *bytes, size_t n,
                                            scarce_error *err);
SCARCE_API void scarce_sketch_free(scarce_sketch *sketch); /* takes NULL */

/* ---- plans */

typedef struct scarce_plan scarce_plan;

/* Finds the bins of all rows seen, with the parameters' max_bins and the like. EDATA for a sketch that is not enough. */
SCARCE_API scarce_status scarce_plan_new(scarce_plan **out, const scarce_sketch *sketch,
                                         const scarce_params *params, scarce_context *ctx, scarce_error *err);
/* What partitions need of a plan, to send it, and a plan of such bytes, for partitions (not for training). */
SCARCE_API scarce_status scarce_plan_bytes(void **bytes, size_t *n, const scarce_plan *plan,
                                           scarce_error *err);
SCARCE_API scarce_status scarce_plan_read(scarce_plan **out, const void *bytes, size_t n, scarce_error *err);
SCARCE_API const scarce_schema *scarce_plan_schema(const scarce_plan *plan);
SCARCE_API uint64_t scarce_plan_rows(const scarce_plan *plan,
                                     uint64_t *positives);        /* positives may be NULL */
SCARCE_API size_t scarce_plan_row_bytes(const scarce_plan *plan); /* of a row in a partition, about */
/* Rows, with all their roles, added to a table of the plan's features (*to is NULL at first): validation rows that come
 * block by block. Roles that the first rows have, all must have (EDATA). On error *to is as before. */
SCARCE_API scarce_status scarce_plan_gather(scarce_table **to, const scarce_plan *plan,
                                            const scarce_table *rows, scarce_error *err);
SCARCE_API void scarce_plan_free(scarce_plan *plan); /* takes NULL */

/* ---- partitions */

typedef struct scarce_partition scarce_partition;

/* folder: where a temporary file without a name holds the rows, which is gone when the process is ("": in $TMPDIR or /tmp);
 * NULL: memory. The plan
 * is borrowed until the partition is freed. */
SCARCE_API scarce_status scarce_partition_new(scarce_partition **out, const scarce_plan *plan,
                                              const char *folder, scarce_error *err);
/* Rows with their numbers, as for the sketch; categories that the plan doesn't know are unknown. */
SCARCE_API scarce_status scarce_partition_add(scarce_partition *partition, const scarce_table *rows,
                                              const uint64_t *id, uint64_t first, scarce_context *ctx,
                                              scarce_error *err);
SCARCE_API uint64_t scarce_partition_rows(const scarce_partition *partition);
/* EPARSE for what is no question, EDATA for one about another plan. *answer is to be freed by scarce_bytes_free. */
SCARCE_API scarce_status scarce_partition_answer(void **answer, size_t *n_answer, scarce_partition *partition,
                                                 const void *question, size_t n_question, scarce_context *ctx,
                                                 scarce_error *err);
SCARCE_API void scarce_partition_free(scarce_partition *partition); /* takes NULL */

/* ---- training */

typedef struct scarce_answers scarce_answers;

/* How to ask. `ask` shows the question to every partition once and hands each answer to scarce_answers_take, in any order,
 * from one thread at a time; whatever status it returns but SCARCE_OK ends the training with it. */
typedef struct scarce_far {
    size_t struct_size;
    scarce_status (*ask)(void *payload, const void *question, size_t n, scarce_answers *answers,
                         scarce_context *ctx, scarce_error *err);
    void *payload;
} scarce_far;

#define SCARCE_FAR_INIT SCARCE_INIT(sizeof(scarce_far), NULL, NULL)

/* EPARSE for what is no answer to the question, EDATA for one of another plan. */
SCARCE_API scarce_status scarce_answers_take(scarce_answers *answers, const void *answer, size_t n,
                                             scarce_error *err);

/* Partitions of this process. */
typedef struct scarce_here {
    scarce_partition *const *partitions;
    size_t n;
} scarce_here;
SCARCE_API scarce_far scarce_far_here(const scarce_here *here); /* borrowed while the result is used */

/* scarce_train for rows that are elsewhere. Options as there; validation rows are a table. Without them the threshold is the
 * score that alerts as many rows as there are positives, or a value that is given. */
SCARCE_API scarce_status scarce_train_far(scarce_model **out, const scarce_plan *plan,
                                          const scarce_params *params, const scarce_train_options *options,
                                          const scarce_far *far, scarce_train_summary *summary,
                                          scarce_context *ctx, scarce_error *err);

#ifdef __cplusplus
}
#endif

#endif
