/* SPDX-License-Identifier: Apache-2.0 */
/* Learning from rows that come one after the other, and streams of them.
 *
 *     scarce_stream_open(&stream, paths, 1, &read_options, ctx, &err);
 *     while (scarce_stream_next(stream, &block, &err) == SCARCE_OK && block) {
 *         if (!learner) scarce_learner_new(&learner, params, scarce_stream_schema(stream), &options, ctx, &err);
 *         scarce_learner_block(learner, block, 0, scores, &err);       scores: each row's before it was learnt
 *         scarce_table_free(block);
 *     }
 *     scarce_learner_model(&model, learner, &err);                     scores like any other, and can go on
 *
 * Row by row, as River's learn_one and predict_one: scarce_learner_score, scarce_learner_learn.
 *
 * Results depend on the rows, their order, the parameters and the seed alone: not on how a stream is cut into blocks,
 * on threads, or on whether the learning was interrupted and went on from a checkpoint. */
#ifndef SCARCE_LEARN_H
#define SCARCE_LEARN_H

#include <scarce/base.h>
#include <scarce/method.h>
#include <scarce/metrics.h>
#include <scarce/model.h>
#include <scarce/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- streams: files read block by block, in the memory of a block */

typedef struct scarce_stream scarce_stream;

/* Files (or "-") one after the other, CSV, TSV or LIBSVM, also packed. `options` as for scarce_table_read; its texts
 * and its schema are borrowed until the stream is closed. Without a schema, the first block (256 KB, or all that comes)
 * settles which columns there are and of what kind; with one, nothing is left to settle, and rows of a pipe are handed over
 * as they come. */
SCARCE_API scarce_status scarce_stream_open(scarce_stream **out, const char *const *paths, size_t n_paths,
                                            const scarce_read_options *options, scarce_context *ctx,
                                            scarce_error *err);
/* The next rows; *block is NULL at the end. Rows that can't be read (too many fields, a text where a number was) are left
 * out and counted, once the first block is read; what is wrong there, or in a header, is an error. The codes of
 * categories are those of the block alone: texts tell what they are (scarce_learner_block knows); with a model's schema and
 * SCARCE_PART_CODED in the options they are the model's, and scarce_scorer_table takes the block. */
SCARCE_API scarce_status scarce_stream_next(scarce_stream *stream, scarce_table **block, scarce_error *err);
/* What the blocks have in common; NULL before the first. */
SCARCE_API const scarce_schema *scarce_stream_schema(const scarce_stream *stream);
/* Rows that were left out so far; *why (may be NULL) is what was wrong with the latest, NULL: none. */
SCARCE_API size_t scarce_stream_left_out(const scarce_stream *stream, const char **why);
/* Columns, by their names, that are neither features nor asked for: of later files all that the first one has not; of the
 * first one too where a schema was given. They are ignored. *latest (may be NULL) is one of them, NULL: none. */
SCARCE_API size_t scarce_stream_unknown(const scarce_stream *stream, const char **latest);
SCARCE_API void scarce_stream_close(scarce_stream *stream); /* takes NULL */

/* ---- learners */

typedef struct scarce_learner scarce_learner;

/* What to do when the loss or the scores drift. */
typedef enum scarce_adapt {
    SCARCE_ADAPT_NONE = 0,            /* count it */
    SCARCE_ADAPT_RESTART_WEAKEST = 1, /* the weak learner that adds least begins anew */
    SCARCE_ADAPT_DECAY = 2            /* steps become as large again as early in the stream */
} scarce_adapt;

typedef struct scarce_learner_options {
    size_t struct_size;
    /* A row's label is known so long after its time, and teaches then; until then the row waits. 0: at once. Rows
     * without a time column can't wait (EINVAL). */
    double delay;
    /* Which of the exact columns of blocks (scarce_read_options.exact) says when the label came, in the unit of the time; NaN: never.
     * -1: none, the delay counts. */
    int label_time;
    /* Labels of two speeds: which exact column says (by a number other than 0) that the row was looked into, so that its
     * label came after early_delay already; -1: none. Such rows are no fair sample: they weigh early_weight. */
    int early;
    double early_delay, early_weight;
    size_t
        max_pending; /* rows that wait at most; when there are more, the one whose label is due first is dropped, and counted */
    size_t window; /* the figures of scarce_learner_status are of so many of the latest rows with a label */
    size_t top;    /* card precision looks at so many cards a day */
    scarce_adapt adapt;
} scarce_learner_options;

#define SCARCE_LEARNER_OPTIONS_INIT                                                                          \
    SCARCE_INIT(sizeof(scarce_learner_options), 0, -1, -1, 0, 1, 1000000, 100000, 100, SCARCE_ADAPT_NONE)

/* Parameters of a method of the family "online" (EINVAL for others). The schema says what rows are, and of which classes
 * where it lists more than two (onlb, end to end); it is copied, and its categories may grow. The seed is that of the context, which must outlive the learner. */
SCARCE_API scarce_status scarce_learner_new(scarce_learner **out, const scarce_params *params,
                                            const scarce_schema *schema,
                                            const scarce_learner_options *options, scarce_context *ctx,
                                            scarce_error *err);
/* The same for rows of 2 to 64 classes, of which scores are about `positive` (onlb, end to end): as many as the schema
 * lists, or, where it lists none, classes without texts, which are learnt by scarce_learner_learn alone. */
SCARCE_API scarce_status scarce_learner_new_classes(scarce_learner **out, const scarce_params *params,
                                                    const scarce_schema *schema, size_t n_classes,
                                                    size_t positive, const scarce_learner_options *options,
                                                    scarce_context *ctx, scarce_error *err);
/* Goes on from a model of the family; from a checkpoint with everything that was waiting. EINVAL for other models. */
SCARCE_API scarce_status scarce_learner_go_on(scarce_learner **out, const scarce_model *model,
                                              const scarce_learner_options *options, scarce_context *ctx,
                                              scarce_error *err);
SCARCE_API void scarce_learner_free(scarce_learner *learner); /* takes NULL */

SCARCE_API size_t scarce_learner_n_classes(const scarce_learner *learner);
/* The schema of rows, with the categories that have come so far. */
SCARCE_API const scarce_schema *scarce_learner_schema(const scarce_learner *learner);

/* Rows first, first + 1, ... of a block, in order: labels that are due by a row's time are learnt, the row is scored, and it
 * waits for its label, or is learnt at once. score[i - first] (may be NULL) is the score of row i. The block has the
 * features of the learner's schema; categories are matched by their texts, and new ones are added up to the parameter
 * max_categories. A block without label column is scored alone. With more than two classes, a label that is none of them is counted
 * in status.other_labels; its row is scored and not learnt. */
SCARCE_API scarce_status scarce_learner_block(scarce_learner *learner, const scarce_table *block,
                                              size_t first, double *score, scarce_error *err);
/* The same with the probabilities of the classes as they were before the row was learnt, n_classes of each row (two: negative,
 * positive); score and probability may be NULL. EUNSUPPORTED for methods that only rank. */
SCARCE_API scarce_status scarce_learner_block_classes(scarce_learner *learner, const scarce_table *block,
                                                      size_t first, double *score, double *probability,
                                                      scarce_error *err);
/* Learns what is still waiting, as if all labels had come. */
SCARCE_API scarce_status scarce_learner_flush(scarce_learner *learner, scarce_error *err);

/* The code that a text of category feature f has in rows of floats; a new one is added, up to the parameter max_categories
 * (as many: the code that all further ones share). EINVAL for features of other kinds. */
SCARCE_API scarce_status scarce_learner_code(scarce_learner *learner, size_t f, const char *text,
                                             size_t length, float *code, scarce_error *err);
/* One row of floats in the learner's schema, as scarce_scorer_score takes it. No allocation in score. A row that can't be
 * learnt (a weight that is no number) is counted in status.refused. */
SCARCE_API double scarce_learner_score(const scarce_learner *learner, const float *row);
SCARCE_API scarce_status scarce_learner_learn(scarce_learner *learner, const float *row, size_t label,
                                              double weight, scarce_error *err);
/* The probability of each class; EUNSUPPORTED for methods that only rank. */
SCARCE_API scarce_status scarce_learner_classes(const scarce_learner *learner, const float *row,
                                                double *probability, scarce_error *err);

/* How it goes. Figures of the window are NaN where it holds no positives or no negatives, or has no cards. */
typedef struct scarce_learner_status {
    size_t struct_size;
    uint64_t rows, learnt, positives; /* scored; learnt, and positives among these */
    uint64_t pending, dropped;        /* waiting; dropped since too many waited */
    uint64_t refused, unlabelled;     /* rows that could not be learnt; rows whose label never comes */
    uint64_t early;                   /* learnt by a label that came early */
    uint64_t new_categories,
        shared_categories; /* texts that came new; rows with texts beyond max_categories */
    uint64_t drifts_loss,
        drifts_score;          /* alarms: ADWIN or Page-Hinkley on the log loss; ADWIN on the scores */
    uint64_t restarts, decays; /* what was done about them */
    size_t window;             /* rows in it */
    double ap, card_precision, log_loss, log_loss_early;
    double lag;            /* how long the latest learnt label came after its row */
    uint64_t other_labels; /* rows whose label is none of the classes */
    double error; /* share of the window whose likeliest class was another (two: score above 0 or not) */
} scarce_learner_status;

#define SCARCE_LEARNER_STATUS_INIT                                                                           \
    SCARCE_INIT(sizeof(scarce_learner_status), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   \
                0, 0)

/* Costs a sort of the window. */
SCARCE_API scarce_status scarce_learner_get_status(scarce_learner_status *out, const scarce_learner *learner,
                                                   scarce_error *err);

/* With more than two classes: the figures of each over the window (metrics.h; no average precision), and how many of its rows
 * were learnt so far (learnt may be NULL). EUNSUPPORTED with two. */
SCARCE_API scarce_status scarce_learner_get_classes(scarce_class_metrics *figures, uint64_t *learnt,
                                                    const scarce_learner *learner, scarce_error *err);

/* A model of what was learnt: it scores, is saved, and goes on (scarce_learner_go_on) like any other. Its threshold gives as many
 * alerts on the window as that has positives. What still waits is not in it. */
SCARCE_API scarce_status scarce_learner_model(scarce_model **out, const scarce_learner *learner,
                                              scarce_error *err);
/* All of it as a file, which appears whole or not at all: a model with the rows that wait, the window and the
 * detectors. Going on from it with the rows after status.rows gives the same bytes as never having stopped. */
SCARCE_API scarce_status scarce_learner_checkpoint(const scarce_learner *learner, const char *path,
                                                   scarce_error *err);

#ifdef __cplusplus
}
#endif
#endif
