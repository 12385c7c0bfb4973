/* SPDX-License-Identifier: Apache-2.0 */
/* What cmd_learn.c and learn_text.c share. */
#ifndef PROGRAM_LEARN_H
#define PROGRAM_LEARN_H

#include "classes.h"

typedef struct learn_command {
    common_options common;
    data_options data;
    const char *method, *output, *config, *from, *resume, *checkpoint, *delay, *label_time, *early,
        *early_delay, *adapt, *report, *predictions;
    text_list set, classes;
    long checkpoint_every, max_pending, every, window, top;
    double early_weight;
    int flush;
} learn_command;

/* One line of the table. */
typedef struct learn_point {
    scarce_learner_status status;
    double seconds;
} learn_point;

typedef struct learning {
    const learn_command *o;
    scarce_context *ctx;
    const text_list *paths;
    scarce_params *params;
    scarce_model *began; /* what it goes on from */
    scarce_learner *learner;
    scarce_stream *stream;
    scarce_learner_options learn;
    const char *exact[2];
    size_t n_exact;
    scarce_output *scores; /* of --predictions; NULL: none */
    size_t n_classes;      /* of the learner */
    uint64_t rows, to_skip;
    long every, keep_every;
    double begun;
    learn_point *lines;
    size_t n_lines;
} learning;

/* A line of the running table, kept for the page. */
scarce_status learn_line(learning *w, scarce_error *err);
/* The last line, what was left out, or all of it as JSON. */
scarce_status learn_end(learning *w, scarce_error *err);
scarce_status learn_page(const learning *w, const scarce_model *model, scarce_error *err);

#endif
