/* SPDX-License-Identifier: Apache-2.0 */
/* Negatives that one nearest neighbour would get right are not needed.
 *
 *     cnn   begins with all positives and one negative; goes through the negatives and adds each whose nearest row
 *           among those kept so far is positive (Hart 1968, one pass)
 *     oss   keeps the first negative and those that are nearer to a positive than to it, then removes Tomek links
 *           (Kubat and Matwin 1997)
 *
 * The first negative is drawn, or given as `start`. The nearest positive of every negative is found beforehand; what
 * is asked then is only whether a kept negative is nearer: for 256 rows at a time, and among these one by one. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "sample/neighbourhood.h"
#include "sample/synthesis.h"

typedef struct condense_options {
    int64_t start;
    int scale;
} condense_options;

static const scarce__param condense_params[] = {
    {"start", "", SCARCE__INT, offsetof(condense_options, start), "auto", 0, 4294967294.0, NULL,
     "number of the row, from 0, that is the first negative kept; auto: drawn", NULL, NULL},
    SCARCE__SCALE_PARAM(condense_options),
};

static scarce_status choose_start(uint32_t *out, const scarce__crowd *c, const condense_options *o,
                                  scarce_context *ctx, scarce_error *err)
{
    const scarce_table *t = c->table;
    scarce__random random = scarce__random_start(scarce_context_seed(ctx), SCARCE__FOR_RESAMPLE, 0);

    if (o->start == SCARCE__AUTO_INT) *out = c->rows[0][scarce__random_below(&random, c->n[0])];
    else if (o->start >= (int64_t)t->n_rows || t->label[o->start])
        return scarce__fail(err, SCARCE_EDATA, "start=%lld is %s", (long long)o->start,
                            o->start >= (int64_t)t->n_rows ? "beyond the last row"
                                                           : "a positive row; a negative is "
                                                             "needed");
    else *out = (uint32_t)o->start;
    return SCARCE_OK;
}

/* Nearest positives of all negatives, and who is kept: ascending. */
typedef struct condensed {
    uint32_t *rival, *kept, *count;
    double *square;
    size_t n_kept;
} condensed;

static void condensed_deinit(condensed *d)
{
    scarce__free(d->rival);
    scarce__free(d->square);
    scarce__free(d->kept);
    scarce__free(d->count);
}

static scarce_status begin(condensed *d, const scarce__crowd *c, uint32_t start, scarce_context *ctx,
                           scarce_error *err)
{
    const size_t n = c->n[0];
    const scarce__near ask = {&c->space, {c->table, c->rows[0], n}, {c->table, c->rows[1], c->n[1]}, 1, 0};

    d->rival = scarce__malloc_array(n, sizeof *d->rival);
    d->square = scarce__malloc_array(n, sizeof *d->square);
    d->kept = scarce__malloc_array(n, sizeof *d->kept);
    d->count = scarce__malloc_array(n, sizeof *d->count);
    if (!d->rival || !d->square || !d->kept || !d->count)
        return scarce__fail_memory(err, "neighbours", n * 20);
    d->kept[d->n_kept++] = start;
    return scarce__near_find(d->rival, d->square, &ask, ctx, err);
}

/* Puts a row into its place: it belongs to the end, or before the first negative. */
static void keep_row(condensed *d, uint32_t row)
{
    size_t at = d->n_kept++;
    for (; at && d->kept[at - 1] > row; --at) d->kept[at] = d->kept[at - 1];
    d->kept[at] = row;
}

static int comes_before(const scarce__crowd *c, const condensed *d, size_t i, uint32_t kept)
{
    const double square = scarce__space_square(&c->space, c->table, c->rows[0][i], c->table, kept);
    return square < d->square[i] || (square == d->square[i] && kept < d->rival[i]);
}

/* Counts for negatives first..first+n-1 whether one that is kept is nearer than any positive. */
static scarce_status ask_kept(condensed *d, const scarce__crowd *c, size_t first, size_t n,
                              scarce_context *ctx, scarce_error *err)
{
    const scarce__near ask = {
        &c->space, {c->table, c->rows[0] + first, n}, {c->table, d->kept, d->n_kept}, 1, 0};
    return scarce__near_count(d->count + first, NULL, &ask, d->square + first, d->rival + first, ctx, err);
}

static scarce_status condense(condensed *d, const scarce__crowd *c, uint32_t start, scarce_context *ctx,
                              scarce_error *err)
{
    enum { BLOCK = 256 };
    uint32_t added[BLOCK];

    for (size_t first = 0; first < c->n[0]; first += BLOCK) {
        const size_t n = c->n[0] - first < BLOCK ? c->n[0] - first : BLOCK;
        size_t n_added = 0;
        SCARCE__TRY(ask_kept(d, c, first, n, ctx, err));
        for (size_t i = first; i < first + n; ++i) {
            int right = d->count[i] > 0 || c->rows[0][i] == start;
            for (size_t j = 0; !right && j < n_added; ++j) right = comes_before(c, d, i, added[j]);
            if (!right) added[n_added++] = c->rows[0][i];
        }
        for (size_t j = 0; j < n_added; ++j) keep_row(d, added[j]);
    }
    return SCARCE_OK;
}

/* oss: those that the first negative doesn't stand for. */
static scarce_status select_side(condensed *d, const scarce__crowd *c, uint32_t start, scarce_context *ctx,
                                 scarce_error *err)
{
    SCARCE__TRY(ask_kept(d, c, 0, c->n[0], ctx, err));
    for (size_t i = 0; i < c->n[0]; ++i)
        if (!d->count[i] && c->rows[0][i] != start) keep_row(d, c->rows[0][i]);
    return SCARCE_OK;
}

static scarce_status run_condense(scarce__recipe *out, const scarce_table *t, const condense_options *o,
                                  int pass, scarce_context *ctx, scarce_error *err)
{
    condensed d = {0};
    scarce__crowd c;
    uint32_t start = 0;
    scarce_status st;

    SCARCE__TRY(scarce__crowd_init(&c, t, o->scale, ctx, err));
    st = choose_start(&start, &c, o, ctx, err);
    if (st == SCARCE_OK) st = begin(&d, &c, start, ctx, err);
    if (st == SCARCE_OK) st = (pass ? condense : select_side)(&d, &c, start, ctx, err);
    for (size_t i = 0; st == SCARCE_OK && i < c.n[0]; ++i) c.gone[c.rows[0][i]] = 1;
    for (size_t i = 0; st == SCARCE_OK && i < d.n_kept; ++i) c.gone[d.kept[i]] = 0;
    if (st == SCARCE_OK) st = scarce__keep_unmarked(out, t, c.gone, err);
    condensed_deinit(&d);
    scarce__crowd_deinit(&c);
    return st;
}

static scarce_status run_cnn(scarce__recipe *out, const scarce_table *t, const void *options,
                             scarce_context *ctx, scarce_error *err)
{
    return run_condense(out, t, options, 1, ctx, err);
}

static scarce_status run_oss(scarce__recipe *out, const scarce_table *t, const void *options,
                             scarce_context *ctx, scarce_error *err)
{
    return run_condense(out, t, options, 0, ctx, err);
}

static scarce_status then_tomek(scarce__recipe *out, const scarce_table *t, const void *options,
                                scarce_context *ctx, scarce_error *err)
{
    const scarce__tomek_options tomek = {0, ((const condense_options *)options)->scale};
    return scarce__run_tomek(out, t, &tomek, ctx, err);
}

static const scarce__param_part parts[] = {SCARCE__PART(condense_params, 0)};
const scarce__resampler scarce__resample_cnn = {
    "cnn",
    "Keeps negatives that the rows kept before them would take for positives (condensed nearest neighbours).",
    {parts, 1, sizeof(condense_options)},
    run_cnn,
    NULL,
};
const scarce__resampler scarce__resample_oss = {
    "oss",
    "Keeps negatives that are nearer to a positive than to one negative, then removes Tomek links (one-sided "
    "selection).",
    {parts, 1, sizeof(condense_options)},
    run_oss,
    then_tomek,
};
