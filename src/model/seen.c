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
#include "data/row_hash.h"
#include "model/model.h"
#include "model/seen.h"

enum { SKETCH = 64, DIGITS = 16 };

size_t scarce__least_insert(uint64_t *least, size_t n, size_t most, uint64_t h)
{
    size_t at = n;

    if (n == most && h >= least[n - 1]) return n;
    while (at > 0 && least[at - 1] > h) --at;
    if (at > 0 && least[at - 1] == h) return n;
    if (n == most) --n;
    memmove(least + at + 1, least + at, (n - at) * sizeof *least);
    least[at] = h;
    return n + 1;
}

char *scarce__seen_text(const uint64_t *least, size_t n)
{
    char *text = scarce__malloc(SKETCH * DIGITS + 1);
    if (text) text[0] = '\0';
    for (size_t i = 0; text && i < n && i < SKETCH; ++i)
        (void)snprintf(text + i * DIGITS, DIGITS + 1, "%016llx", (unsigned long long)least[i]);
    return text;
}

scarce_status scarce__seen_note(char **out, const scarce_table *table, scarce_error *err)
{
    uint64_t least[SKETCH + 1], *hash = scarce__row_hashes(table);
    size_t n = 0;

    *out = NULL;
    for (size_t i = 0; hash && i < table->n_rows; ++i) n = scarce__least_insert(least, n, SKETCH, hash[i]);
    if (hash) *out = scarce__seen_text(least, n);
    scarce__free(hash);
    return *out ? SCARCE_OK
                : scarce__fail_memory(err, "a fingerprint of the rows", table->n_rows * sizeof *hash);
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
    hash = scarce__row_hashes(table);
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
