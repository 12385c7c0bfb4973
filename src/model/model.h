/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a model: who made it (notes), what it reads (schema), what it learnt (body of some
 * kind), and what it decides (calibrator, threshold).
 *
 * A *kind* is what is saved and scored; many methods share one. Adding a kind is one file and one line
 * in model.c. */
#ifndef SCARCE_MODEL_MODEL_H
#define SCARCE_MODEL_MODEL_H

#include <scarce/explain.h>
#include <scarce/model.h>

#include "core/bytes.h"
#include "core/text.h"
#include "data/table.h"
#include "decide/calibrate.h"
#include "explain/explain.h"
#include "tree/stages.h"

/* What a model can say about why a row has its score. */
typedef enum scarce__reasons {
    SCARCE__REASONS_NONE = 0,
    SCARCE__REASONS_ADDITIVE,  /* the score is a sum over features: `explain` */
    SCARCE__REASONS_RULE,      /* the conditions that hold of the row */
    SCARCE__REASONS_NEIGHBOURS /* training rows like it */
} scarce__reasons;

struct scarce__rulebook;

/* What a kind can do is asked of these functions, never of which kind it is. */
typedef struct scarce__kind {
    const char *name; /* "linear", "trees" */
    char tag[5];
    void (*free)(void *body);
    /* Returns the version of the format that a reader must know: 1, unless the body needs what came later. */
    uint32_t (*write)(const void *body, const scarce_schema *schema, scarce__writer *w);
    /* EPARSE for whatever is not as write wrote it. */
    scarce_status (*read)(void **body, const scarce_schema *schema, scarce__reader *r, scarce_error *err);
    /* What scoring needs; NULL prepare: the body itself. */
    scarce_status (*prepare)(void **prepared, const void *body, scarce_error *err);
    void (*unprepare)(void *prepared);
    double (*score_row)(const void *prepared, const float *row);
    /* All rows of a table with the model's features, in parallel; same bits as score_row. */
    scarce_status (*score_table)(const void *prepared, const scarce_table *table, double *score,
                                 scarce_context *ctx, scarce_error *err);
    /* How many classes there are (2: positive or not), and the probabilities of all of them for the rows of a table, row by
     * row. NULL: two. */
    size_t (*n_classes)(const void *body);
    scarce_status (*classes_table)(const void *prepared, const scarce_table *table, double *probability,
                                   scarce_context *ctx, scarce_error *err);
    /* Adds to a text in the given format; EUNSUPPORTED where there is none. */
    scarce_status (*show)(const void *body, const scarce_model *model, const char *format, scarce__text *out,
                          scarce_error *err);
    scarce__reasons reasons;
    /* Takes scores apart, as explain/explain.h says; NULL unless reasons are additive. background may be
     * NULL. */
    scarce_status (*explain)(scarce__explain **out, const void *body, const scarce_table *background,
                             scarce_error *err);
    /* Where reasons are neighbours: the n nearest training rows of a class, what of each feature made one near
     * (near/nearby.h), and how many rows are remembered, with the values of one (values may be NULL). */
    scarce_status (*neighbours)(const void *prepared, const float *row, int positive, size_t n,
                                scarce_neighbour *out, size_t *found, scarce_error *err);
    scarce_status (*alike)(const void *prepared, const float *row, size_t other, double *out,
                           scarce_error *err);
    size_t (*remembered)(const void *body, size_t row, float *values);
    /* The rows of a table in the space that was learnt, as a table of numbers without roles and names; NULL: none is
     * learnt. */
    scarce_status (*transform)(scarce_table **out, const void *body, const scarce_table *table,
                               scarce_context *ctx, scarce_error *err);
    /* n rows, the next one `stride` floats after the one before; same bits as score_row. NULL: row by row. */
    void (*score_rows)(const void *prepared, const float *rows, size_t n, size_t stride, double *score);
    /* The trees inside: importances by splits, export. NULL: there are none. */
    const scarce__forest *(*forest)(const void *body);
    /* Why the score is not the sum of these trees, in words; NULL: it is. */
    const char *no_sum;
    /* Combinations of the trees that the score is made of: how many (P), what each weighs, matters, and how alike
     * they are (P x P). Arrays may be NULL. NULL: there are none. */
    size_t (*representations)(const void *body, double *weight, double *importance, double *correlation);
    /* The feature of the model that feature f of its forest is made of; *second: the other one of two, else
     * SIZE_MAX. NULL: they are the same. */
    size_t (*source)(const void *body, size_t f, size_t *second);
    /* The scores of a table after stage[0], stage[1], ... rounds of training (ascending); NULL: the training
     * has no rounds. */
    scarce_status (*score_stages)(const void *body, const scarce_table *table, const size_t *stage, size_t n,
                                  scarce__stage_fn fn, void *payload, scarce_context *ctx, scarce_error *err);
    /* The rules that the model is, as rank/rulebook.h says; NULL unless reasons are rules. */
    scarce_status (*rulebook)(struct scarce__rulebook **out, const void *body, const scarce_model *model,
                              scarce_error *err);
    /* A second section that older readers skip (its tag begins with a small letter), after the body:
     * has_more says whether this body has one. All NULL: never. */
    char more_tag[5];
    int (*has_more)(const void *body);
    void (*write_more)(const void *body, scarce__writer *w);
    scarce_status (*read_more)(void *body, scarce__reader *r, scarce_error *err);
} scarce__kind;

extern const scarce__kind scarce__kind_linear, scarce__kind_trees, scarce__kind_encoded, scarce__kind_rank,
    scarce__kind_near, scarce__kind_online;

/* NULL when no kind has that tag. */
const scarce__kind *scarce__kind_of_tag(const uint8_t *tag);

typedef struct scarce__note {
    char *key, *value;
} scarce__note;

typedef enum scarce__alert_rule { SCARCE__ALERT_SCORE = 0, SCARCE__ALERT_AMOUNT = 1 } scarce__alert_rule;

struct scarce_model {
    char *method;
    scarce__note *notes;
    size_t n_notes;
    scarce_schema schema;
    const scarce__kind *kind;
    void *body;
    int has_probability;
    scarce__calibrator calibrator; /* score to probability, when there is one */
    scarce__alert_rule alert_rule;
    double alert_value;
    float *missing; /* per feature: share of the training rows without a value; NULL: not known */
    struct scarce__profile *profile; /* how its training rows were spread (data/profile.h); NULL: not known */
    uint8_t *state;                  /* of an unfinished training; NULL: finished */
    size_t n_state;
};

const scarce_model *scarce__scorer_model(const scarce_scorer *scorer);
const void *scarce__scorer_prepared(const scarce_scorer *scorer);

/* Features and roles as bytes; EPARSE names what they were read from. *s is to be deinited in any case. */
void scarce__schema_write(const scarce_schema *schema, scarce__writer *w);
scarce_status scarce__schema_read(scarce_schema *s, scarce__reader *r, const char *name, scarce_error *err);

/* EDATA when the features of a table aren't those of the model (`want`): names, categories, their order. */
scarce_status scarce__check_same_features(const scarce_schema *want, const scarce_schema *have,
                                          scarce_error *err);

/* All bytes of a file; the caller deinits `all` in any case. `check` sees the first 64 KB (or all, when there
 * are fewer) before more is read, and refuses what can't be meant: a file may be large, or without end. */
scarce_status scarce__read_file(scarce__writer *all, const char *path,
                                scarce_status (*check)(const void *first, size_t n, const char *path,
                                                       scarce_error *err),
                                scarce_error *err);

scarce_status scarce__model_add_note(scarce_model *model, const char *key, const char *value,
                                     scarce_error *err);
scarce_status scarce__model_add_note_number(scarce_model *model, const char *key, double value,
                                            scarce_error *err);

#endif
