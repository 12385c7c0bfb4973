/* SPDX-License-Identifier: Apache-2.0 */
/* Cleaning: negatives that disagree with their neighbourhood are removed.
 *
 *     tomek     links: two rows of different class, each the nearest of the other. The negative goes (Tomek 1976)
 *     enn       edited nearest neighbours: negatives of whose k neighbours one (kind=all) or most (mode) are
 *               positive go (Wilson 1972)
 *     renn      enn again and again, until nothing goes, or fewer negatives than positives are left
 *     all-knn   enn with 1, 2, ..., k neighbours in turn, on what is left each time (Tomek 1976)
 *     ncr       enn (mode), and the negatives among the k neighbours of positives whom k - 1 neighbours and
 *               they themselves outvote (Laurikkala 2001)
 *
 * Decisions of a round are made on the rows as they were before it. Equal to imbalanced-learn row for row, but for
 * ties of distances, which go to the row that comes first. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "sample/neighbourhood.h"
#include "sample/synthesis.h"

/* ---- tomek */

static const scarce__param tomek_params[] = {
    SCARCE__CLEAN_PARAM(scarce__tomek_options, both, "negatives"),
    SCARCE__SCALE_PARAM(scarce__tomek_options),
};

/* Positives whose nearest row is negative have a link when that row's nearest is they. */
static scarce_status mark_links(scarce__crowd *c, const scarce__doubts *d, int both, scarce_context *ctx,
                                scarce_error *err)
{
    const size_t n = c->n[1];
    uint32_t *link = scarce__malloc_array(n, sizeof *link), *from = scarce__malloc_array(n, sizeof *from),
             *nearest = scarce__malloc_array(n, sizeof *nearest);
    double *square = scarce__malloc_array(n, sizeof *square);
    size_t n_links = 0;
    scarce_status st;

    for (size_t i = 0; link && from && i < n; ++i)
        if (scarce__disagrees(d, i)) from[n_links] = c->rows[1][i], link[n_links++] = d->rival[i];
    const scarce__near ask = {&c->space, {c->table, link, n_links}, {c->table, NULL, c->table->n_rows}, 1, 0};
    if (link && from && nearest && square) st = scarce__near_find(nearest, square, &ask, ctx, err);
    else st = scarce__fail_memory(err, "neighbours", 0);
    for (size_t i = 0; st == SCARCE_OK && i < n_links; ++i) {
        if (nearest[i] != from[i]) continue;
        c->gone[link[i]] = 1;
        if (both) c->gone[from[i]] = 1;
    }
    scarce__free(link);
    scarce__free(from);
    scarce__free(nearest);
    scarce__free(square);
    return st;
}

scarce_status scarce__run_tomek(scarce__recipe *out, const scarce_table *t, const void *options,
                                scarce_context *ctx, scarce_error *err)
{
    const scarce__tomek_options *o = options;
    scarce__crowd crowd;
    scarce__doubts doubts = {0};
    scarce_status st;

    SCARCE__TRY(scarce__crowd_init(&crowd, t, o->scale, ctx, err));
    st = scarce__doubts_find(&doubts, &crowd, 1, 1, 1, ctx, err);
    if (st == SCARCE_OK) st = mark_links(&crowd, &doubts, o->both, ctx, err);
    if (st == SCARCE_OK) st = scarce__keep_unmarked(out, t, crowd.gone, err);
    scarce__doubts_deinit(&doubts);
    scarce__crowd_deinit(&crowd);
    return st;
}

static const scarce__param_part tomek_parts[] = {SCARCE__PART(tomek_params, 0)};
const scarce__resampler scarce__resample_tomek = {
    "tomek",
    "Removes negatives that are the nearest row of their nearest positive (Tomek links).",
    {tomek_parts, 1, sizeof(scarce__tomek_options)},
    scarce__run_tomek,
    NULL,
};

/* ---- enn */

static const scarce__param enn_params[] = {
    {"k", "n_neighbors", SCARCE__INT, offsetof(scarce__enn_options, k), "3", 1, 1000, NULL,
     "neighbours that are asked", NULL, NULL},
    SCARCE__KIND_PARAM(scarce__enn_options, mode),
    SCARCE__SCALE_PARAM(scarce__enn_options),
};
static const scarce__param clean_params[] = {SCARCE__CLEAN_PARAM(scarce__enn_options, both, "negatives")};

static void mark_doubts(scarce__crowd *c, const scarce__doubts *d, int side)
{
    for (size_t i = 0; i < c->n[side]; ++i)
        if (scarce__disagrees(d, i)) c->gone[c->rows[side][i]] = 1;
}

/* Marks the rows of one class that disagree. */
static scarce_status edit(scarce__crowd *c, int side, size_t k, int mode, scarce_context *ctx,
                          scarce_error *err)
{
    scarce__doubts doubts = {0};
    SCARCE__TRY(scarce__doubts_find(&doubts, c, side, k, scarce__others_needed(mode, k, side), ctx, err));
    mark_doubts(c, &doubts, side);
    scarce__doubts_deinit(&doubts);
    return SCARCE_OK;
}

scarce_status scarce__run_enn(scarce__recipe *out, const scarce_table *t, const void *options,
                              scarce_context *ctx, scarce_error *err)
{
    const scarce__enn_options *o = options;
    scarce__crowd crowd;
    scarce_status st;

    SCARCE__TRY(scarce__crowd_init(&crowd, t, o->scale, ctx, err));
    st = edit(&crowd, 0, (size_t)o->k, o->mode, ctx, err); /* marks only: both classes judge the same rows */
    if (st == SCARCE_OK && o->both) st = edit(&crowd, 1, (size_t)o->k, o->mode, ctx, err);
    if (st == SCARCE_OK) st = scarce__keep_unmarked(out, t, crowd.gone, err);
    scarce__crowd_deinit(&crowd);
    return st;
}

static const scarce__param_part enn_parts[] = {SCARCE__PART(enn_params, 0), SCARCE__PART(clean_params, 0)};
const scarce__resampler scarce__resample_enn = {
    "enn",
    "Removes negatives that have a positive among their k neighbours (edited nearest neighbours).",
    {enn_parts, 2, sizeof(scarce__enn_options)},
    scarce__run_enn,
    NULL,
};

/* ---- renn */

typedef struct renn_options {
    scarce__enn_options enn;
    int64_t rounds;
} renn_options;

static const scarce__param renn_params[] = {
    {"rounds", "max_iter", SCARCE__INT, offsetof(renn_options, rounds), "100", 1, 1000000, NULL,
     "at most so many times", NULL, NULL},
};

/* One further round, for rows that lost a witness. */
static scarce_status edit_again(scarce__crowd *c, scarce__doubts *d, uint32_t *before, scarce_context *ctx,
                                scarce_error *err)
{
    const size_t n_before = c->n[0];
    memcpy(before, c->rows[0], n_before * sizeof *before);
    scarce__crowd_sweep(c);
    SCARCE__TRY(scarce__doubts_again(d, c, 0, before, n_before, ctx, err));
    mark_doubts(c, d, 0);
    return SCARCE_OK;
}

static size_t count_marked(const scarce__crowd *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n[0]; ++i) n += c->gone[c->rows[0][i]];
    return n;
}

static scarce_status run_renn(scarce__recipe *out, const scarce_table *t, const void *options,
                              scarce_context *ctx, scarce_error *err)
{
    const renn_options *o = options;
    const size_t k = (size_t)o->enn.k;
    scarce__crowd crowd;
    scarce__doubts doubts = {0};
    uint32_t *before;
    scarce_status st;

    SCARCE__TRY(scarce__crowd_init(&crowd, t, o->enn.scale, ctx, err));
    before = scarce__malloc_array(crowd.n[0], sizeof *before);
    if (before)
        st = scarce__doubts_find(&doubts, &crowd, 0, k, scarce__others_needed(o->enn.mode, k, 0), ctx, err);
    else st = scarce__fail_memory(err, "neighbours", 0);
    if (st == SCARCE_OK) mark_doubts(&crowd, &doubts, 0);
    for (int64_t round = 1; st == SCARCE_OK && round < o->rounds; ++round) {
        const size_t marked = count_marked(&crowd);
        if (!marked || crowd.n[0] - marked < crowd.n[1]) break;
        st = edit_again(&crowd, &doubts, before, ctx, err);
    }
    if (st == SCARCE_OK) st = scarce__keep_unmarked(out, t, crowd.gone, err);
    scarce__free(before);
    scarce__doubts_deinit(&doubts);
    scarce__crowd_deinit(&crowd);
    return st;
}

static const scarce__param_part renn_parts[] = {SCARCE__PART(enn_params, 0), SCARCE__PART(renn_params, 0)};
const scarce__resampler scarce__resample_renn = {
    "renn",
    "Repeats enn until nothing is removed, or fewer negatives than positives are left.",
    {renn_parts, 2, sizeof(renn_options)},
    run_renn,
    NULL,
};

/* ---- all-knn */

static scarce_status run_all_knn(scarce__recipe *out, const scarce_table *t, const void *options,
                                 scarce_context *ctx, scarce_error *err)
{
    const scarce__enn_options *o = options;
    scarce__crowd crowd;
    scarce_status st;

    SCARCE__TRY(scarce__crowd_init(&crowd, t, o->scale, ctx, err));
    st = SCARCE_OK;
    for (size_t k = 1; st == SCARCE_OK && k <= (size_t)o->k; ++k) {
        st = edit(&crowd, 0, k, o->mode, ctx, err);
        scarce__crowd_sweep(&crowd);
        if (crowd.n[0] < crowd.n[1]) break;
    }
    if (st == SCARCE_OK) st = scarce__keep_unmarked(out, t, crowd.gone, err);
    scarce__crowd_deinit(&crowd);
    return st;
}

static const scarce__param_part all_knn_parts[] = {SCARCE__PART(enn_params, 0)};
const scarce__resampler scarce__resample_all_knn = {
    "all-knn",
    "Applies enn with 1, 2, ..., k neighbours, while there are as many negatives as positives.",
    {all_knn_parts, 1, sizeof(scarce__enn_options)},
    run_all_knn,
    NULL,
};

/* ---- ncr */

typedef struct ncr_options {
    int64_t k;
    double threshold;
    int scale;
} ncr_options;

static const scarce__param ncr_params[] = {
    {"k", "n_neighbors", SCARCE__INT, offsetof(ncr_options, k), "3", 1, 1000, NULL,
     "neighbours that are asked", NULL, NULL},
    {"threshold", "threshold_cleaning", SCARCE__REAL, offsetof(ncr_options, threshold), "0.5", 0, 1e9, NULL,
     "negatives around outvoted positives go only where there are more than so many negatives per positive",
     NULL, NULL},
    SCARCE__SCALE_PARAM(ncr_options),
};

/* The negatives around positives that are outvoted by k - 1 neighbours, the positive itself counting too. */
static scarce_status mark_around(scarce__crowd *c, size_t k, scarce_context *ctx, scarce_error *err)
{
    const scarce_table *t = c->table;
    const scarce__near ask = {&c->space, {t, c->rows[1], c->n[1]}, {t, NULL, t->n_rows}, k, 0};
    uint32_t *index = scarce__malloc_array(c->n[1], k * sizeof *index);
    double *square = scarce__malloc_array(c->n[1], k * sizeof *square);
    scarce_status st;

    if (index && square) st = scarce__near_find(index, square, &ask, ctx, err);
    else st = scarce__fail_memory(err, "neighbours", 0);
    for (size_t i = 0; st == SCARCE_OK && i < c->n[1]; ++i) {
        const uint32_t *near = index + i * k;
        size_t negatives = 0, positives = 1;
        for (size_t j = 0; j + 1 < k && near[j] != UINT32_MAX; ++j) {
            if (t->label[near[j]]) ++positives;
            else ++negatives;
        }
        if (negatives < positives) continue;
        for (size_t j = 0; j < k && near[j] != UINT32_MAX; ++j)
            if (!t->label[near[j]]) c->gone[near[j]] = 1;
    }
    scarce__free(index);
    scarce__free(square);
    return st;
}

static scarce_status run_ncr(scarce__recipe *out, const scarce_table *t, const void *options,
                             scarce_context *ctx, scarce_error *err)
{
    const ncr_options *o = options;
    scarce__crowd crowd;
    scarce_status st;

    SCARCE__TRY(scarce__crowd_init(&crowd, t, o->scale, ctx, err));
    st = edit(&crowd, 0, (size_t)o->k, 1, ctx, err);
    if (st == SCARCE_OK && (double)crowd.n[0] > o->threshold * (double)crowd.n[1])
        st = mark_around(&crowd, (size_t)o->k, ctx, err);
    if (st == SCARCE_OK) st = scarce__keep_unmarked(out, t, crowd.gone, err);
    scarce__crowd_deinit(&crowd);
    return st;
}

static const scarce__param_part ncr_parts[] = {SCARCE__PART(ncr_params, 0)};
const scarce__resampler scarce__resample_ncr = {
    "ncr",
    "Removes negatives that most neighbours outvote, and negatives around positives that are outvoted "
    "(neighbourhood cleaning rule).",
    {ncr_parts, 1, sizeof(ncr_options)},
    run_ncr,
    NULL,
};
