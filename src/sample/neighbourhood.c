/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/neighbourhood.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

scarce_status scarce__crowd_init(scarce__crowd *out, const scarce_table *t, int scale, scarce_context *ctx,
                                 scarce_error *err)
{
    memset(out, 0, sizeof *out);
    out->table = t;
    SCARCE__TRY(scarce__space_init(&out->space, t, (scarce__near_scale)scale, ctx, err));
    out->gone = scarce__calloc(t->n_rows, 1);
    for (int c = 0; c < 2; ++c) {
        out->rows[c] = scarce__rows_of_class(t, c);
        out->n[c] = c ? t->n_positives : t->n_rows - t->n_positives;
    }
    if (out->gone && out->rows[0] && out->rows[1]) return SCARCE_OK;
    scarce__crowd_deinit(out);
    return scarce__fail_memory(err, "the rows of each class", 0);
}

void scarce__crowd_deinit(scarce__crowd *c)
{
    scarce__space_deinit(&c->space);
    scarce__free(c->gone);
    scarce__free(c->rows[0]);
    scarce__free(c->rows[1]);
    memset(c, 0, sizeof *c);
}

size_t scarce__crowd_sweep(scarce__crowd *c)
{
    size_t swept = 0;
    for (int side = 0; side < 2; ++side) {
        size_t n = 0;
        for (size_t i = 0; i < c->n[side]; ++i)
            if (!c->gone[c->rows[side][i]]) c->rows[side][n++] = c->rows[side][i];
        swept += c->n[side] - n;
        c->n[side] = n;
    }
    return swept;
}

size_t scarce__others_needed(int mode, size_t k, int positive)
{
    if (!mode) return 1;
    return positive ? (k + 1) / 2 : k / 2 + 1;
}

/* ---- doubts */

void scarce__doubts_deinit(scarce__doubts *d)
{
    scarce__free(d->rival);
    scarce__free(d->square);
    scarce__free(d->count);
    scarce__free(d->witness);
    memset(d, 0, sizeof *d);
}

/* The others-th nearest of the other class. */
static scarce_status find_rivals(scarce__doubts *d, const scarce__crowd *c, int side, scarce_context *ctx,
                                 scarce_error *err)
{
    const scarce_table *t = c->table;
    const size_t n = c->n[side], k = d->others;
    const scarce__near ask = {&c->space, {t, c->rows[side], n}, {t, c->rows[!side], c->n[!side]}, k, 0};
    uint32_t *index = scarce__malloc_array(n, k * sizeof *index);
    double *square = scarce__malloc_array(n, k * sizeof *square);
    scarce_status st;

    if (index && square) st = scarce__near_find(index, square, &ask, ctx, err);
    else st = scarce__fail_memory(err, "neighbours", n * k * (sizeof *index + sizeof *square));
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) {
        d->rival[i] = index[i * k + k - 1];
        d->square[i] = square[i * k + k - 1];
    }
    scarce__free(index);
    scarce__free(square);
    return st;
}

scarce_status scarce__doubts_find(scarce__doubts *out, const scarce__crowd *c, int side, size_t k,
                                  size_t others, scarce_context *ctx, scarce_error *err)
{
    const size_t n = c->n[side], limit = k - others + 1;
    const scarce_table *t = c->table;
    scarce_status st;

    *out = (scarce__doubts){.k = k, .others = others};
    out->rival = scarce__malloc_array(n, sizeof *out->rival);
    out->square = scarce__malloc_array(n, sizeof *out->square);
    out->count = scarce__malloc_array(n, sizeof *out->count);
    out->witness = scarce__malloc_array(n, limit * sizeof *out->witness);
    if (!out->rival || !out->square || !out->count || !out->witness)
        st = scarce__fail_memory(err, "neighbours", n * (16 + 4 * limit));
    else st = find_rivals(out, c, side, ctx, err);
    if (st == SCARCE_OK) {
        const scarce__near own = {&c->space, {t, c->rows[side], n}, {t, c->rows[side], n}, limit, 0};
        st = scarce__near_count(out->count, out->witness, &own, out->square, out->rival, ctx, err);
    }
    if (st != SCARCE_OK) scarce__doubts_deinit(out);
    return st;
}

/* Moves what is known of rows that are still there together, and lists those that have to be counted again. */
static size_t carry_over(scarce__doubts *d, const scarce__crowd *c, const uint32_t *before, size_t n_before,
                         uint32_t *again)
{
    const size_t limit = d->k - d->others + 1;
    size_t n = 0, n_again = 0;

    for (size_t i = 0; i < n_before; ++i) {
        int lost = 0;
        if (c->gone[before[i]]) continue;
        for (size_t j = 0; j < d->count[i]; ++j) lost |= c->gone[d->witness[i * limit + j]];
        d->rival[n] = d->rival[i];
        d->square[n] = d->square[i];
        d->count[n] = d->count[i];
        memmove(d->witness + n * limit, d->witness + i * limit, limit * sizeof *d->witness);
        if (lost) again[n_again++] = (uint32_t)n;
        ++n;
    }
    return n_again;
}

scarce_status scarce__doubts_again(scarce__doubts *d, const scarce__crowd *c, int side,
                                   const uint32_t *before, size_t n_before, scarce_context *ctx,
                                   scarce_error *err)
{
    const size_t limit = d->k - d->others + 1;
    uint32_t *again = scarce__malloc_array(n_before, sizeof *again), *rows = NULL, *rival = NULL,
             *count = NULL, *witness = NULL;
    double *square = NULL;
    scarce_status st = SCARCE_OK;
    size_t n = 0;

    if (again) {
        n = carry_over(d, c, before, n_before, again);
        rows = scarce__malloc_array(n, sizeof *rows);
        rival = scarce__malloc_array(n, sizeof *rival);
        count = scarce__malloc_array(n, sizeof *count);
        square = scarce__malloc_array(n, sizeof *square);
        witness = scarce__malloc_array(n, limit * sizeof *witness);
    }
    if (!again || !rows || !rival || !count || !square || !witness)
        st = scarce__fail_memory(err, "neighbours", 0);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) {
        rows[i] = c->rows[side][again[i]];
        rival[i] = d->rival[again[i]];
        square[i] = d->square[again[i]];
    }
    if (st == SCARCE_OK) {
        const scarce__near own = {
            &c->space, {c->table, rows, n}, {c->table, c->rows[side], c->n[side]}, limit, 0};
        st = scarce__near_count(count, witness, &own, square, rival, ctx, err);
    }
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) {
        d->count[again[i]] = count[i];
        memcpy(d->witness + again[i] * limit, witness + i * limit, limit * sizeof *witness);
    }
    scarce__free(again);
    scarce__free(rows);
    scarce__free(rival);
    scarce__free(count);
    scarce__free(square);
    scarce__free(witness);
    return st;
}
