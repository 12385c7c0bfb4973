/* SPDX-License-Identifier: Apache-2.0 */
/* Isotonic regression by pool adjacent violators: the non-decreasing y(x) with least
 * sum w_i (label_i - y(score_i))^2.
 *
 * Rows of equal score are pooled first (they can't get different values). Blocks are kept on a stack as
 * (sum of w*label, sum of w, first x, last x); a new group is merged downwards while the block below has
 * a mean that is not smaller. Each group is pushed and merged at most once: O(n) after the sort. A block
 * leaves two knots, its first and its last x, so the function is flat on blocks and linear between them. */
#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "decide/calibrate.h"
#include "eval/rank.h"

typedef struct block {
    double sum, weight; /* the mean is sum/weight */
    double first, last; /* scores */
} block;

static size_t pool_violators(block *stack, const double *score, const uint8_t *label, const double *weight,
                             double scale, const scarce__ranking *rank)
{
    size_t top = 0;

    for (size_t g = rank->n_groups; g-- > 0;) { /* the ranking descends */
        const size_t from = g > 0 ? rank->group_end[g - 1] : 0, to = rank->group_end[g];
        block b = {0, 0, score[rank->order[from]], score[rank->order[from]]};
        for (size_t i = from; i < to; ++i) {
            const double w = weight ? weight[rank->order[i]] * scale : 1;
            b.weight += w;
            b.sum += label[rank->order[i]] ? w : 0;
        }
        if (b.weight <= 0) continue;
        /* products instead of quotients: exact for unweighted rows */
        while (top > 0 && stack[top - 1].sum * b.weight >= b.sum * stack[top - 1].weight) {
            b.sum += stack[top - 1].sum;
            b.weight += stack[top - 1].weight;
            b.first = stack[top - 1].first;
            --top;
        }
        stack[top++] = b;
    }
    return top;
}

static size_t write_knots(scarce__calibrator *c, const block *stack, size_t top)
{
    size_t k = 0;
    double below = 0;

    for (size_t i = 0; i < top; ++i) {
        double y = stack[i].sum / stack[i].weight;
        if (y < below) y = below; /* rounding of weighted means */
        if (y > 1) y = 1;
        below = y;
        c->x[k] = stack[i].first;
        c->y[k++] = y;
        if (stack[i].last > stack[i].first) {
            c->x[k] = stack[i].last;
            c->y[k++] = y;
        }
    }
    return k;
}

scarce_status scarce__calibrate_isotonic(scarce__calibrator *out, const double *score, const uint8_t *label,
                                         const double *weight, size_t n, scarce_error *err)
{
    const scarce__calibrator zero = {.kind = SCARCE__CALIBRATOR_NONE};
    double count[2];
    scarce__ranking rank;
    block *stack = NULL;
    scarce_status status = SCARCE_ENOMEM;

    *out = zero;
    SCARCE__TRY(scarce__check_scored(count, score, label, weight, n, 1, err));
    SCARCE__TRY(scarce__rank(&rank, score, n, "score", NULL, err));
    stack = scarce__malloc_array(rank.n_groups, sizeof *stack);
    if (!stack) goto done;
    /* huge weights are scaled down, or the products of the pooling overflow */
    const double total = count[0] + count[1], scale = total > 1e100 ? 1 / total : 1;
    const size_t top = pool_violators(stack, score, label, weight, scale, &rank);
    out->x = scarce__malloc_array(2 * top, sizeof *out->x);
    out->y = scarce__malloc_array(2 * top, sizeof *out->y);
    if (!out->x || !out->y) goto done;
    out->kind = SCARCE__CALIBRATOR_ISOTONIC;
    out->n_knots = write_knots(out, stack, top);
    status = SCARCE_OK;
done:
    if (status != SCARCE_OK) {
        scarce__calibrator_deinit(out);
        scarce__fail_memory(err, "isotonic calibration", rank.n_groups * sizeof *stack);
    }
    scarce__ranking_deinit(&rank);
    scarce__free(stack);
    return status;
}
