/* SPDX-License-Identifier: Apache-2.0 */
/* Were these rows trained on? Figures of a model on its own training rows say nothing about others, and the
 * wrong file is quickly named.
 *
 * Every row has a hash: the sum over its features of mix(feature, value), so that it depends neither on the
 * order of the rows nor on how sparse a column is stored (a 0 adds nothing). A model remembers the 64 smallest
 * different hashes of its training rows (the note "rows_seen"), which are an even draw of the different rows.
 * Of another table it is seen how many of the 64 are there; that share times the number of training rows,
 * divided by the table's own rows, is about the share of its rows that were trained on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "model/model.h"
#include "model/seen.h"

enum { SKETCH = 64, DIGITS = 16 };

static uint64_t mix(uint64_t key, float value)
{
    uint32_t bits;

    if (isnan(value)) return scarce__hash(key, UINT64_MAX);
    if (value == 0) return 0;
    memcpy(&bits, &value, sizeof bits);
    return scarce__hash(key, bits);
}

static void add_column(uint64_t *hash, const scarce_table *t, size_t f)
{
    const uint64_t key = scarce__key(f, SCARCE__FOR_ROWS, 0x5ee);
    const scarce__column *c = &t->columns[f];

    switch (t->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC:
        for (size_t i = 0; i < t->n_rows; ++i) hash[i] += mix(key, c->number[i]);
        return;
    case SCARCE_COLUMN_CATEGORY: /* codes from 1: the first category is no zero */
        for (size_t i = 0; i < t->n_rows; ++i) hash[i] += mix(key, (float)c->code[i] + 2);
        return;
    case SCARCE_COLUMN_SPARSE:
        for (size_t i = 0; i < c->sparse.count; ++i) hash[c->sparse.row[i]] += mix(key, c->sparse.value[i]);
        return;
    }
}

/* One hash per row; NULL: out of memory. */
static uint64_t *hash_rows(const scarce_table *t)
{
    uint64_t *hash = scarce__calloc(t->n_rows, sizeof *hash);

    if (!hash) return NULL;
    for (size_t f = 0; f < t->schema.n_features; ++f) add_column(hash, t, f);
    for (size_t i = 0; i < t->n_rows; ++i) hash[i] = scarce__mix64(hash[i]);
    return hash;
}

/* Puts h into the n smallest different ones, ascending; returns how many there are. */
static size_t insert(uint64_t *least, size_t n, uint64_t h)
{
    size_t at = n;

    if (n == SKETCH && h >= least[n - 1]) return n;
    while (at > 0 && least[at - 1] > h) --at;
    if (at > 0 && least[at - 1] == h) return n;
    if (n == SKETCH) --n;
    memmove(least + at + 1, least + at, (n - at) * sizeof *least);
    least[at] = h;
    return n + 1;
}

scarce_status scarce__seen_note(char **out, const scarce_table *table, scarce_error *err)
{
    uint64_t least[SKETCH + 1], *hash = hash_rows(table);
    char *text = hash ? scarce__malloc(SKETCH * DIGITS + 1) : NULL;
    size_t n = 0;

    *out = text;
    if (!text) {
        scarce__free(hash);
        return scarce__fail_memory(err, "a fingerprint of the rows", table->n_rows * sizeof *hash);
    }
    for (size_t i = 0; i < table->n_rows; ++i) n = insert(least, n, hash[i]);
    scarce__free(hash);
    for (size_t i = 0; i < n; ++i)
        (void)snprintf(text + i * DIGITS, DIGITS + 1, "%016llx", (unsigned long long)least[i]);
    return SCARCE_OK;
}

/* The hashes of the note, and how many; 0 when it is none of ours. */
static size_t read_note(uint64_t *least, const char *note)
{
    const size_t length = note ? strlen(note) : 0, n = length / DIGITS;

    if (length % DIGITS || n > SKETCH || strspn(note ? note : "", "0123456789abcdef") != length) return 0;
    for (size_t i = 0; i < n; ++i) {
        char word[DIGITS + 1] = "";
        memcpy(word, note + i * DIGITS, DIGITS);
        least[i] = strtoull(word, NULL, 16);
        if (i > 0 && least[i] <= least[i - 1]) return 0;
    }
    return n;
}

/* Where h stands in the sketch, or n. */
static size_t find(const uint64_t *least, size_t n, uint64_t h)
{
    size_t low = 0, high = n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (least[middle] < h) low = middle + 1;
        else high = middle;
    }
    return low < n && least[low] == h ? low : n;
}

scarce_status scarce_model_seen(double *share, const scarce_model *model, const scarce_table *table,
                                scarce_error *err)
{
    const char *rows = scarce_model_note(model, "rows");
    uint64_t least[SKETCH], *hash;
    uint8_t there[SKETCH] = {0};
    const size_t n = read_note(least, scarce_model_note(model, "rows_seen"));
    const double trained = rows ? strtod(rows, NULL) : 0;
    size_t found = 0;

    *share = (double)NAN;
    if (n == 0 || !(trained > 0)) return SCARCE_OK;
    SCARCE__TRY(scarce__check_same_features(&model->schema, &table->schema, err));
    hash = hash_rows(table);
    if (!hash) return scarce__fail_memory(err, "a fingerprint of the rows", table->n_rows * sizeof *hash);
    for (size_t i = 0; i < table->n_rows; ++i) {
        const size_t at = hash[i] <= least[n - 1] ? find(least, n, hash[i]) : n;
        if (at < n) there[at] = 1;
    }
    scarce__free(hash);
    for (size_t i = 0; i < n; ++i) found += there[i];
    *share = (double)found / (double)n * trained / (double)table->n_rows;
    if (*share > 1) *share = 1;
    return SCARCE_OK;
}
