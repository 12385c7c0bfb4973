/* SPDX-License-Identifier: Apache-2.0 */
/* The bootstrap: m draws with replacement, from all rows or from each class alone; a row that was drawn is in
 * the bag once, and its weight is how often. About 1/e of the rows stay outside a bag of m = n draws.
 *
 * balanced: m draws from each class, m the rows of the rarer one (balanced random forests).
 * Chen, Liaw and Breiman: Using random forest to learn imbalanced data, 2004. */
#include <math.h>

#include "boost/sampling.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"

static size_t draws_of(double share, size_t n)
{
    const double m = floor(share * (double)n + 0.5);
    return m < 1 ? (n > 0) : (size_t)m;
}

/* Adds the draws from the n rows listed (NULL: 0, 1, ...) to `count`. */
static void draw_from(uint32_t *count, const uint32_t *row, size_t n, size_t m, const scarce__draw *at, int c)
{
    scarce__random r =
        scarce__random_start(at->seed, SCARCE__FOR_ROWS, 2 * at->tree + 1 + ((uint64_t)c << 40));
    for (size_t k = 0; k < m; ++k) {
        const size_t i = (size_t)scarce__random_below(&r, n);
        ++count[row ? row[i] : i];
    }
}

/* The rows of each class: negatives from the front, positives from the back. */
static void draw_from_classes(uint32_t *count, uint32_t *row, const scarce__population *from, double share,
                              const scarce__draw *at)
{
    size_t n[2] = {0, 0};
    for (size_t i = 0; i < from->n; ++i) {
        if (from->label[i]) row[from->n - ++n[1]] = (uint32_t)i;
        else row[n[0]++] = (uint32_t)i;
    }
    const size_t m = draws_of(share, n[0] < n[1] ? n[0] : n[1]);
    draw_from(count, row, n[0], m, at, 0);
    draw_from(count, row + n[0], n[1], m, at, 1);
}

static scarce_status draw_bag(scarce__bag *out, const scarce__population *from, double share, int balanced,
                              const scarce__draw *at, scarce_error *err)
{
    uint32_t *count = scarce__calloc(from->n, sizeof *count);
    scarce_status status = count ? scarce__bag_reserve(out, from->n, 1, err)
                                 : scarce__fail_memory(err, "drawing rows", from->n * sizeof *count);
    if (status == SCARCE_OK) {
        size_t k = 0;
        if (balanced) draw_from_classes(count, out->row, from, share, at); /* the bag's own room */
        else draw_from(count, NULL, from->n, draws_of(share, from->n), at, 0);
        for (size_t i = 0; i < from->n; ++i) {
            out->row[k] = (uint32_t)i;
            out->weight[k] = (float)count[i];
            k += count[i] > 0;
        }
        out->n = k;
    }
    scarce__free(count);
    return status;
}

static scarce_status check(scarce__sampling *s, size_t n_positives, size_t n_negatives,
                           const scarce__loss *loss, scarce_error *err)
{
    (void)n_positives;
    (void)n_negatives;
    (void)loss;
    return scarce__sampling_share("subsample", s->o.fraction, err);
}

static scarce_status draw(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                          const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    (void)ctx;
    return draw_bag(out, from, s->o.fraction, 0, at, err);
}

static scarce_status draw_balanced(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                                   const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    (void)ctx;
    return draw_bag(out, from, s->o.fraction, 1, at, err);
}

const scarce__sampler scarce__sampler_bootstrap = {.name = "bootstrap",
                                                   .summary = "draws with replacement",
                                                   .takes = "fraction",
                                                   .check = check,
                                                   .draw = draw};
const scarce__sampler scarce__sampler_bootstrap_balanced = {
    .name = "bootstrap-balanced",
    .summary = "as many draws with replacement from each class",
    .takes = "fraction",
    .by_class = 1,
    .check = check,
    .draw = draw_balanced};
