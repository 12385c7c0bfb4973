/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of each class, in the order of what they hold: of hash(features), equal ones by their numbers. Rows that are
 * equal stand side by side, so that which of them is drawn says nothing, and a row of weight w takes the places that w
 * copies of it would (data/row_hash.h). */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/row_hash.h"
#include "ensemble/draw.h"

void scarce__classes_count(size_t coins[2], const scarce_table *t)
{
    const scarce__counts counts = scarce__counts_of(t->weight, NULL, t->n_rows);

    coins[0] = coins[1] = 0;
    for (size_t i = 0; i < t->n_rows; ++i) coins[t->label[i] != 0] += scarce__count_at(&counts, i);
}

static scarce_status count_coins(scarce__classes *c, const scarce__counts *counts, scarce_error *err)
{
    size_t at = 0;

    c->first = scarce__malloc_array(c->n + 1, sizeof *c->first);
    if (!c->first) return scarce__fail_memory(err, "the rows of classes", c->n * sizeof *c->first);
    for (size_t i = 0; i < c->n; ++i) {
        c->first[i] = at;
        at += scarce__count_at(counts, c->row[i]);
    }
    c->first[c->n] = at;
    c->coins[0] = c->first[c->n - c->n_positives];
    c->coins[1] = at - c->coins[0];
    return SCARCE_OK;
}

static scarce_status find_places(scarce__classes *c, scarce_error *err)
{
    c->place = scarce__malloc_array(c->n_rows, sizeof *c->place);
    if (!c->place) return scarce__fail_memory(err, "the rows of classes", c->n_rows * sizeof *c->place);
    for (size_t i = 0; i < c->n; ++i) c->place[c->row[i]] = (uint32_t)i;
    return SCARCE_OK;
}

scarce_status scarce__classes_of(scarce__classes *out, const scarce__classes_from *from, scarce_error *err)
{
    const scarce__counts counts = scarce__counts_of(from->weight, NULL, from->n_rows);
    size_t at = 0;
    scarce_status st = SCARCE_OK;

    *out = (scarce__classes){.row = scarce__malloc_array(from->n, sizeof *out->row), .n_rows = from->n_rows};
    if (!out->row) return scarce__fail_memory(err, "the rows of classes", from->n * sizeof *out->row);
    for (int positive = 0; positive < 2 && st == SCARCE_OK; ++positive) {
        const size_t begin = at;
        for (size_t i = 0; i < from->n; ++i) {
            const uint32_t row = from->rows ? from->rows[i] : (uint32_t)i;
            const int is_positive = from->label && from->label[row] != 0;
            if (is_positive == positive && scarce__count_at(&counts, row) > 0) out->row[at++] = row;
        }
        out->coins[positive] = at - begin;
        if (from->hash) st = scarce__order_rows(out->row + begin, at - begin, from->hash, err);
    }
    out->n = at;
    out->n_positives = out->coins[1];
    if (st == SCARCE_OK && counts.copies) st = count_coins(out, &counts, err);
    if (st == SCARCE_OK) st = find_places(out, err);
    if (st != SCARCE_OK) scarce__classes_deinit(out);
    return st;
}

scarce_status scarce__classes_new(scarce__classes *out, const scarce_table *table, scarce_error *err)
{
    uint64_t *hash = scarce__row_hashes(table);
    scarce_status st;

    memset(out, 0, sizeof *out);
    if (!hash) return scarce__fail_memory(err, "the rows of classes", table->n_rows * sizeof *hash);
    const scarce__classes_from from = {.label = table->label,
                                       .weight = table->weight,
                                       .hash = hash,
                                       .n = table->n_rows,
                                       .n_rows = table->n_rows};
    st = scarce__classes_of(out, &from, err);
    scarce__free(hash);
    return st;
}

void scarce__classes_deinit(scarce__classes *c)
{
    scarce__free(c->row);
    scarce__free(c->first);
    scarce__free(c->place);
    memset(c, 0, sizeof *c);
}
