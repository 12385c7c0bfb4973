/* SPDX-License-Identifier: Apache-2.0 */
/* Rows with the same features: copies, contradictions, and the AP that no model can exceed because of them.
 *
 * A row's hash is the sum over its features of mix(feature, value), 64 bits; missing values count as one
 * value, the zeros of sparse columns as nothing. Rows are sorted by it; equal hashes are taken for equal rows
 * (among a million rows a wrong pair has a chance of 3e-8). The best possible ranking gives every set of
 * equal rows one score, in the order of the sets' shares of positives; its AP is the ceiling. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/random.h"
#include "core/sort.h"
#include "study/doctor.h"

enum { BLOCK = 1 << 15 };
static const uint64_t missing_bits = 0x7fc00000u;

typedef struct hash_job {
    const scarce_table *t;
    uint64_t *hash;
} hash_job;

static uint64_t number_bits(float x)
{
    uint32_t u;
    if (isnan(x)) return missing_bits;
    x += 0.0f; /* -0 is 0 */
    memcpy(&u, &x, sizeof u);
    return u;
}

static uint64_t cell_hash(size_t f, uint64_t bits)
{
    return scarce__mix64(bits + 0x9e3779b97f4a7c15u * (f + 1));
}

static void hash_block(void *arg, size_t block, int worker)
{
    const hash_job *job = arg;
    const scarce_table *t = job->t;
    const size_t begin = block * BLOCK, end = begin + BLOCK < t->n_rows ? begin + BLOCK : t->n_rows;
    (void)worker;
    for (size_t f = 0; f < t->schema.n_features; ++f) {
        const scarce_column_kind kind = t->schema.features[f].kind;
        if (kind == SCARCE_COLUMN_NUMERIC)
            for (size_t i = begin; i < end; ++i)
                job->hash[i] += cell_hash(f, number_bits(t->columns[f].number[i]));
        else if (kind == SCARCE_COLUMN_CATEGORY)
            for (size_t i = begin; i < end; ++i)
                job->hash[i] += cell_hash(f, (uint64_t)(uint32_t)t->columns[f].code[i]);
    }
}

static void hash_sparse(const hash_job *job)
{
    const scarce_table *t = job->t;
    for (size_t f = 0; f < t->schema.n_features; ++f) {
        const scarce__sparse *s = &t->columns[f].sparse;
        if (t->schema.features[f].kind != SCARCE_COLUMN_SPARSE) continue;
        for (size_t k = 0; k < s->count; ++k) job->hash[s->row[k]] += cell_hash(f, number_bits(s->value[k]));
    }
}

/* ---- sets of equal rows */

typedef struct twins {
    size_t rows, positives;
} twins;

typedef struct keyed_row {
    uint64_t hash;
    uint32_t row;
} keyed_row;

static int by_key(const void *a, const void *b)
{
    const keyed_row *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Rows of which the upper halves of the hashes agree: most are equal altogether. */
static scarce_status part_run(scarce_doctor *d, const uint64_t *element, size_t n, const uint64_t *hash,
                              scarce_error *err)
{
    keyed_row few[64], *rows = n <= 64 ? few : scarce__malloc_array(n, sizeof *rows);
    if (!rows) return scarce__fail_memory(err, "equal rows", n * sizeof *rows);
    for (size_t i = 0; i < n; ++i) {
        rows[i].row = (uint32_t)element[i];
        rows[i].hash = hash[rows[i].row];
    }
    qsort(rows, n, sizeof *rows, by_key);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && rows[j].hash == rows[i].hash; ++j) {
        }
        if (j - i == 1) continue;
        ++d->n_twins;
        for (size_t k = i; k < j; ++k) d->twin[rows[k].row] = (uint32_t)d->n_twins;
    }
    if (rows != few) scarce__free(rows);
    return SCARCE_OK;
}

static scarce_status find_twins(scarce_doctor *d, scarce_context *ctx, scarce_error *err)
{
    const size_t n = d->table->n_rows;
    scarce__pool *pool = scarce__context_pool(ctx);
    uint64_t *hash = scarce__calloc(n + 1, sizeof *hash), *e = scarce__big_alloc(n + 1, sizeof *e),
             *tmp = scarce__big_alloc(n + 1, sizeof *tmp);
    uint32_t *counts = scarce__malloc_array(scarce__sort_counts(pool, n), sizeof *counts);
    hash_job job = {d->table, hash};
    scarce_status st = SCARCE_OK;

    if (!hash || !e || !tmp || !counts) {
        st = scarce__fail_memory(err, "equal rows", n * 24);
        goto done;
    }
    scarce__pool_run(pool, scarce__blocks(n, BLOCK), hash_block, &job);
    hash_sparse(&job);
    for (size_t i = 0; i < n; ++i) e[i] = (hash[i] >> 32) << 32 | i;
    scarce__sort_keys(e, tmp, n, counts, pool);
    for (size_t i = 0, j; st == SCARCE_OK && i < n; i = j) {
        for (j = i + 1; j < n && e[j] >> 32 == e[i] >> 32; ++j) {
        }
        if (j - i > 1) st = part_run(d, e + i, j - i, hash, err);
    }
done:
    scarce__free(hash);
    scarce__free(e);
    scarce__free(tmp);
    scarce__free(counts);
    return st;
}

/* ---- what they mean */

static int by_share(const void *a, const void *b)
{
    const twins *x = a, *y = b;
    const double p = (double)x->positives * (double)y->rows, q = (double)y->positives * (double)x->rows;
    if (p < q || p > q) return p < q ? 1 : -1;
    return (x->rows > y->rows) - (x->rows < y->rows); /* as good as any order, and always the same */
}

/* Sorts the sets. */
static double ceiling_of(const scarce_doctor *d, twins *sets, size_t n)
{
    const double all = (double)d->table->n_positives;
    double ap = 0, rows, positives = all;

    for (size_t s = 0; s < n; ++s) positives -= (double)sets[s].positives;
    rows = positives; /* positives without an equal row stand first */
    ap = positives / all;
    qsort(sets, n, sizeof *sets, by_share);
    for (size_t s = 0; s < n; ++s) {
        rows += (double)sets[s].rows;
        positives += (double)sets[s].positives;
        ap += (double)sets[s].positives / all * positives / rows;
    }
    return ap;
}

static scarce_status say_twins(scarce_doctor *d, size_t extra, size_t largest, scarce_error *err)
{
    const double n = (double)d->table->n_rows;
    scarce__text t = SCARCE__TEXT_INIT, u = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding = scarce__doctor_add(
        d, "duplicate-rows", (double)extra >= 0.1 * n ? SCARCE_SEVERITY_WARN : SCARCE_SEVERITY_NOTE, SIZE_MAX,
        "rows", err);
    scarce__doctor_figure(finding, "copies", (double)extra);
    scarce__doctor_figure(finding, "share", (double)extra / n);
    scarce__doctor_figure(finding, "largest", (double)largest);
    scarce__doctor_textf(
        &t, "%z row%S (%p) with the features of another one; the largest set of equal rows has %z", extra,
        (double)extra / n, largest);
    SCARCE__TRY(scarce__doctor_say(
        finding, &t,
        "if they are copies of one event, keep one; else make sure (--group) that equal rows do not "
        "train and test",
        err));
    if (largest < 20 || (double)largest < 0.01 * n) return SCARCE_OK;
    finding = scarce__doctor_add(d, "ties", SCARCE_SEVERITY_NOTE, SIZE_MAX, "rows", err);
    scarce__doctor_figure(finding, "largest", (double)largest);
    scarce__doctor_figure(finding, "distinct_rows", n - (double)extra);
    scarce__doctor_textf(
        &u, "there are %z different rows among %z, and %z of them are equal: any model ties these",
        d->table->n_rows - extra, d->table->n_rows, largest);
    return scarce__doctor_say(
        finding, &u, "look at precision at k with its ties, and add columns that tell rows apart", err);
}

static scarce_status say_conflicts(scarce_doctor *d, size_t sets, size_t rows, size_t positives,
                                   double ceiling, scarce_error *err)
{
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding =
        scarce__doctor_add(d, "contradictions", ceiling < 0.95 ? SCARCE_SEVERITY_WARN : SCARCE_SEVERITY_NOTE,
                           SIZE_MAX, d->table->schema.label ? d->table->schema.label : "label", err);
    scarce__doctor_figure(finding, "sets", (double)sets);
    scarce__doctor_figure(finding, "rows", (double)rows);
    scarce__doctor_figure(finding, "positives", (double)positives);
    scarce__doctor_figure(finding, "ap_ceiling", ceiling);
    scarce__doctor_textf(&t,
                         "both labels in %z set%S of equal rows (%z rows, %z positive%S): on these data "
                         "no model can have an AP above about %n",
                         sets, rows, positives, ceiling);
    return scarce__doctor_say(finding, &t,
                              "check these labels; more columns are needed to tell such rows apart", err);
}

static scarce_status judge_twins(scarce_doctor *d, scarce_error *err)
{
    const scarce_table *t = d->table;
    twins *sets = scarce__calloc(d->n_twins + 1, sizeof *sets);
    size_t extra = 0, largest = 0, conflicts = 0, rows = 0, positives = 0;
    scarce_status st = SCARCE_OK;

    if (!sets) return scarce__fail_memory(err, "equal rows", 0);
    for (size_t i = 0; i < t->n_rows; ++i) {
        if (d->twin[i] == 0) continue;
        ++sets[d->twin[i] - 1].rows;
        sets[d->twin[i] - 1].positives += t->label && t->label[i];
    }
    for (size_t s = 0; s < d->n_twins; ++s) {
        extra += sets[s].rows - 1;
        largest = sets[s].rows > largest ? sets[s].rows : largest;
        if (sets[s].positives == 0 || sets[s].positives == sets[s].rows) continue;
        ++conflicts;
        rows += sets[s].rows;
        positives += sets[s].positives;
    }
    if (extra > 0) st = say_twins(d, extra, largest, err);
    if (st == SCARCE_OK && conflicts > 0)
        st = say_conflicts(d, conflicts, rows, positives, ceiling_of(d, sets, d->n_twins), err);
    scarce__free(sets);
    return st;
}

scarce_status scarce__doctor_copies(scarce_doctor *d, scarce_context *ctx, scarce_error *err)
{
    d->twin = scarce__calloc(d->table->n_rows + 1, sizeof *d->twin);
    if (!d->twin) return scarce__fail_memory(err, "equal rows", d->table->n_rows * sizeof *d->twin);
    if (d->n_columns == 0) return SCARCE_OK; /* then all rows are equal, which is no news */
    SCARCE__TRY(find_twins(d, ctx, err));
    return judge_twins(d, err);
}
