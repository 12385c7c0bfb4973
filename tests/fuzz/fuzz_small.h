/* SPDX-License-Identifier: Apache-2.0 */
/* A tiny table to train on: numbers, a category, missing values, a constant column, every role; and settings
 * that would take long made small. */
#ifndef SCARCE_FUZZ_SMALL_H
#define SCARCE_FUZZ_SMALL_H

#include <math.h>

#include "fuzz_table.h"
#include "method/method.h"

static const char fuzz_small_csv[] =
    "a,b,c,k,t,g,w,m,y\n1,x,0.5,7,1,p,1,10,0\n2,y,,7,2,q,1,20,0\n3,x,-1,7,3,p,2,5,1\n4,z,2,7,4,r,1,6,0\n"
    "5,,1e9,7,5,q,1,30,1\n1,x,0,7,6,p,0.5,1,0\n7,y,3,7,7,s,1,12,0\n2,x,0.5,7,8,r,1,9,0\n9,z,,7,9,q,1,90,1\n"
    ",y,4,7,10,s,3,2,0\n3,x,2.5,7,11,p,1,4,0\n6,z,0.1,7,12,r,1,8,1\n";

/* The rows of `csv` by the names above; NULL when they can't be read. */
static inline scarce_table *fuzz_small_table(const void *csv, size_t n, int roles)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL;
    o.label = "y";
    o.optional_roles = SCARCE_ROLE_TIME | SCARCE_ROLE_GROUP | SCARCE_ROLE_WEIGHT | SCARCE_ROLE_AMOUNT;
    if (roles & 1) o.time = "t";
    if (roles & 2) o.group = "g";
    if (roles & 4) o.weight = "w";
    if (roles & 8) o.amount = "m";
    (void)scarce_table_read_bytes(&t, csv, n, "rows", &o, fuzz_context(1), NULL);
    return t;
}

/* Caps what decides how long a training takes. */
static inline void fuzz_small_params(scarce_params *p)
{
    static const struct {
        const char *name, *value;
        double most;
    } caps[] = {{"n_trees", "3", 3},      {"max_leaves", "8", 64},      {"max_iterations", "20", 20},
                {"members", "2", 2},      {"representations", "5", 50}, {"passes", "2", 10},
                {"latent_steps", "4", 20}};
    for (size_t i = 0; i < sizeof caps / sizeof caps[0]; ++i) {
        char *text = NULL;
        if (scarce_params_get(&text, p, caps[i].name, NULL) != SCARCE_OK) continue;
        const double value = strcmp(text, "auto") == 0 ? (double)INFINITY : strtod(text, NULL);
        if (!(value <= caps[i].most)) (void)scarce_params_set(p, caps[i].name, caps[i].value, NULL);
        scarce_bytes_free(text);
    }
}

/* Trains; what comes out scores its own rows with finite scores. */
static inline scarce_status fuzz_small_train(scarce_model **out, const scarce_table *t,
                                             const scarce_params *p, const scarce_train_options *o,
                                             scarce_error *err)
{
    scarce_train_summary summary = SCARCE_TRAIN_SUMMARY_INIT;
    const scarce_status st = scarce_train(out, t, p, o, &summary, fuzz_context(1), err);
    scarce_scorer *scorer = NULL;
    scarce_train_summary_deinit(&summary);
    MUST((st == SCARCE_OK) == (*out != NULL));
    MUST(st == SCARCE_OK || (err->code == st && err->text[0] && !strchr(err->text, '\n')));
    MUST(st != SCARCE_EBUG);
    if (st != SCARCE_OK) return st;
    double *score = malloc(2 * t->n_rows * sizeof *score), *probability = score + t->n_rows;
    MUST(score && scarce_scorer_new(&scorer, *out, NULL) == SCARCE_OK);
    MUST(scarce_scorer_table(scorer, t, score, probability, fuzz_context(1), NULL) == SCARCE_OK);
    for (size_t r = 0; r < t->n_rows; ++r) MUST(isfinite(score[r]));
    scarce_scorer_free(scorer);
    free(score);
    return st;
}

#endif
