/* SPDX-License-Identifier: Apache-2.0 */
/*     f = sum over voices of weight_k ((base_k + shift_k) + scale_k (f_k - base_k))
 *
 * All of it is one sum of trees, whose leaves carry the factors: saved, scored, explained, shown and exported as any. */
#include "method/gb_sum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/table.h"
#include "method/gb_linear.h"

static scarce_status grow(scarce__forest *out, int *cancelled, const scarce_table *table,
                          const scarce__binned *binned, const scarce__boost_options *given, int n_trees,
                          scarce_context *ctx, scarce_error *err)
{
    const scarce__boost_data rows = {.table = table, .binned = binned};
    scarce__boost_options o = *given;
    scarce__boost_result result;

    o.n_trees = n_trees;
    SCARCE__TRY(scarce__boost_train(out, &rows, NULL, &o, &result, ctx, err));
    *cancelled = result.cancelled;
    return SCARCE_OK;
}

static scarce_status learn(scarce__forest *out, int *cancelled, const scarce_table *table,
                           const scarce__binned *binned, const scarce__gb_candidate *voice, int n_trees,
                           scarce_context *ctx, scarce_error *err)
{
    if (!voice->linear) return grow(out, cancelled, table, binned, &voice->o, n_trees, ctx, err);
    const scarce_status st = scarce__gb_linear(out, table, &voice->o, ctx, err);
    *cancelled = st == SCARCE_ECANCEL;
    return *cancelled ? SCARCE_OK : st;
}

scarce_status scarce__gb_sum_up(scarce__forest *forest, int *cancelled, const scarce_table *table,
                                const scarce__binned *binned, const scarce__gb_candidates *candidates,
                                const scarce__gb_choice *choice, scarce_context *ctx, scarce_error *err)
{
    const scarce__gb_share *first = &choice->of[choice->which];
    scarce__forest sum = {0};
    scarce_status st = scarce__forest_append(&sum, forest, first->weight * first->scale, err);

    /* a rescaled forest of weight w: its base counts w times, and its trees w scale times */
    sum.base = first->weight * (forest->base + first->shift);
    for (size_t k = 0; st == SCARCE_OK && !*cancelled && k < candidates->n; ++k) {
        const scarce__gb_share *share = &choice->of[k];
        scarce__forest one = {0};
        if (k == choice->which || !(share->weight > 0)) continue;
        st = learn(&one, cancelled, table, binned, &candidates->one[k], share->n_trees, ctx, err);
        if (st == SCARCE_OK && !*cancelled) {
            scarce__forest_rescale(&one, share->scale, share->shift);
            st = scarce__forest_append(&sum, &one, share->weight, err);
        }
        scarce__forest_deinit(&one);
    }
    if (st == SCARCE_OK && !*cancelled) {
        scarce__forest_deinit(forest);
        *forest = sum;
        memset(&sum, 0, sizeof sum);
    }
    scarce__forest_deinit(&sum);
    return st;
}

void scarce__gb_sum_words(char *out, size_t size, const scarce__gb_candidates *candidates,
                          const scarce__gb_choice *choice, int by_time)
{
    int n = snprintf(out, size, "%s:",
                     !choice->told ? "with weights that suit most tables"
                     : by_time     ? "weighed by held-out spans of time"
                                   : "weighed by held-out rows");
    for (size_t k = 0; k < candidates->n && n > 0 && (size_t)n < size; ++k) {
        const scarce__gb_share *share = &choice->of[k];
        const scarce__grow_options *grow = &candidates->one[k].o.grow;
        const int percent = (int)floor(100 * share->weight + 0.5);
        if (!(share->weight > 0)) continue;
        if (candidates->one[k].linear)
            n += snprintf(out + n, size - (size_t)n, " %d %% from a linear model;", percent);
        else
            n += snprintf(out + n, size - (size_t)n, " %d %% from %d trees of %d leaves, %s thresholds;",
                          percent, share->n_trees, grow->max_leaves, grow->rules.random ? "random" : "best");
    }
    const size_t length = strlen(out);
    if (length > 0 && out[length - 1] == ';') out[length - 1] = '\0';
}
