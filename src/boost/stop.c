/* SPDX-License-Identifier: Apache-2.0 */
#include "boost/stop.h"

#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"

int scarce__stop_judge(scarce__stop *s, double value, size_t trees)
{
    const double sign = s->smaller_is_better ? -1 : 1;

    if (value == value && (s->best != s->best || sign * (value - s->best) > s->least)) {
        s->best = value;
        s->best_trees = trees;
    }
    return s->after > 0 && s->best == s->best && trees >= (size_t)s->at_least &&
           trees >= s->best_trees + (size_t)s->after;
}

/* ---- Rows outside the bag */

enum { MOST_OUTSIDE = 1 << 16 }; /* negatives that are looked at: enough for a mean, and cheap */

typedef struct outside {
    uint8_t *inside, *label; /* inside: 1 for rows of the bag */
    uint32_t *row;
    float *score, *weight;
    size_t n;
} outside;

static void outside_deinit(outside *s)
{
    scarce__free(s->inside);
    scarce__free(s->label);
    scarce__free(s->row);
    scarce__free(s->score);
    scarce__free(s->weight);
}

static scarce_status find_outside(outside *s, const scarce__part *all, const scarce__part *bag,
                                  scarce_error *err)
{
    const size_t n = all->n, step = n / MOST_OUTSIDE + 1;

    s->inside = scarce__calloc(n, 1);
    s->label = scarce__malloc(n);
    s->row = scarce__malloc_array(n, sizeof *s->row);
    s->score = scarce__malloc_array(n, sizeof *s->score);
    s->weight = scarce__malloc_array(n, sizeof *s->weight);
    if (!s->inside || !s->label || !s->row || !s->score || !s->weight)
        return scarce__fail_memory(err, "rows outside a bag", 14 * n);
    for (size_t k = 0; k < bag->n; ++k)
        if (bag->row[k] != SCARCE__MADE_UP) s->inside[bag->row[k]] = 1;
    for (size_t i = 0; i < n; ++i)
        if (!s->inside[i] && (all->label[i] || i % step == 0)) s->row[s->n++] = (uint32_t)i;
    return SCARCE_OK;
}

/* Mean loss of these rows as their scores are now. */
static double loss_outside(outside *s, const scarce__part *all, const scarce__loss *loss)
{
    const scarce__loss_rows rows = {.n = s->n,
                                    .score = s->score,
                                    .label = s->label,
                                    .weight = all->weight ? s->weight : NULL,
                                    .row = s->row};
    for (size_t i = 0; i < s->n; ++i) {
        s->score[i] = all->score[s->row[i]];
        s->label[i] = all->label[s->row[i]];
        if (all->weight) s->weight[i] = all->weight[s->row[i]];
    }
    return loss->value(loss, &rows);
}

scarce_status scarce__stop_gain_outside(double *gain, scarce__part *all, const scarce__part *bag,
                                        const scarce__grown *grown, const scarce__loss *loss,
                                        scarce_context *ctx, scarce_error *err)
{
    outside s = {NULL, NULL, NULL, NULL, NULL, 0};
    scarce_status status = find_outside(&s, all, bag, err);

    if (status == SCARCE_OK && s.n > 0) {
        const double before = loss_outside(&s, all, loss);
        status = scarce__part_catch_up(all, grown, loss->portable, ctx, err);
        if (status == SCARCE_OK) *gain += before - loss_outside(&s, all, loss);
    }
    outside_deinit(&s);
    return status;
}
