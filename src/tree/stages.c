/* SPDX-License-Identifier: Apache-2.0 */
#include "tree/stages.h"

#include "core/alloc.h"
#include "core/fail.h"
#include "data/table.h"
#include "tree/fast.h"

/* Adds trees [from, to) to the scores. */
static scarce_status add_piece(double *score, double *room, const scarce__forest *f, size_t from, size_t to,
                               const scarce_table *table, scarce_context *ctx, scarce_error *err)
{
    scarce__forest piece = *f;
    scarce__fast *fast = NULL;
    scarce_status st;

    if (from >= to) return SCARCE_OK;
    piece.base = 0;
    piece.n_trees = to - from;
    piece.nodes = f->nodes + f->tree_begin[from];
    piece.tree_begin = scarce__malloc_array(piece.n_trees + 1, sizeof *piece.tree_begin);
    if (!piece.tree_begin) return scarce__fail_memory(err, "trees", 0);
    for (size_t t = 0; t <= piece.n_trees; ++t)
        piece.tree_begin[t] = f->tree_begin[from + t] - f->tree_begin[from];
    st = scarce__fast_new(&fast, &piece, err);
    if (st == SCARCE_OK) st = scarce__fast_table(fast, table, ctx, room, err);
    for (size_t i = 0; st == SCARCE_OK && i < table->n_rows; ++i) score[i] += room[i];
    scarce__fast_free(fast);
    scarce__free(piece.tree_begin);
    return st;
}

scarce_status scarce__forest_stages(const scarce__forest *f, const scarce_table *table, const size_t *round,
                                    size_t n, scarce__stage_fn fn, void *payload, scarce_context *ctx,
                                    scarce_error *err)
{
    double *score = scarce__malloc_array(table->n_rows, 2 * sizeof *score);
    size_t done = 0;
    scarce_status st = SCARCE_OK;

    if (!score) return scarce__fail_memory(err, "scores", table->n_rows * 2 * sizeof *score);
    for (size_t i = 0; i < table->n_rows; ++i) score[i] = f->base;
    for (size_t at = 0; at < n && st == SCARCE_OK; ++at) {
        const size_t to = scarce__forest_trees_in(f, round[at]);
        st = add_piece(score, score + table->n_rows, f, done, to, table, ctx, err);
        done = to > done ? to : done;
        if (st == SCARCE_OK) st = fn(payload, at, score, err);
    }
    scarce__free(score);
    return st;
}
