/* SPDX-License-Identifier: Apache-2.0 */
/* Worked example: a method that combines what exists. It is the presets and the line; in the library they stand
 * in src/method/methods.c, from which come `scarce methods`, checks, notes, tuning, compare, and the tests that
 * loop over the table (test_method_all, test_method_quality, test_oom_methods).
 *
 * "balanced stumps": each tree sees all positives and as many negatives, drawn anew, and has one split. */
#include "method/method.h"

static const scarce__preset as_balanced_stumps[] = {
    {"loss", "logistic", 1},   /* what it is: can't be set, isn't listed */
    {"sample", "balanced", 1}, /* and with it go subsample, ratio, top_rate, ... which would say nothing */
    {"reweigh", "false", 1},   {"max_depth", "1", 0}, /* a default of its own: may be set */
    {"n_trees", "60", 0},      {NULL, NULL, 0}};

static const scarce__method example_method = {
    "balanced-stumps", "boosting",         "Stumps on balanced samples. Ranks only.",
    "an example",      &scarce__engine_gb, as_balanced_stumps};
