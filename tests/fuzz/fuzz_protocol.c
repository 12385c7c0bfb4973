/* SPDX-License-Identifier: Apache-2.0 */
/* Protocols as users type them, on tables of odd times: a fold's parts are ascending rows of the table, no row
 * in two of them, and a fold never trains on what comes after its test rows began. First byte: flags; second:
 * repeats; then the text as a part; each further byte pair is a row (time; label and group). */
#include "fuzz_parts.h"
#include "fuzz_table.h"
#include "study/protocol.h"

enum { MOST_ROWS = 60, MOST_FOLDS = 40 };

static scarce_table *make_table(const uint8_t *data, size_t size, uint8_t flags)
{
    static const double scale[] = {1, 3600, 86400, 1e9};
    double time[MOST_ROWS];
    int32_t group[MOST_ROWS];
    uint8_t label[MOST_ROWS];
    scarce_column c[4] = {SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT};
    scarce_table *t = NULL;
    size_t n = size / 2 < MOST_ROWS ? size / 2 : MOST_ROWS;

    for (size_t i = 0; i < n; ++i) {
        time[i] = (double)(int8_t)data[2 * i] * scale[(flags >> 2) & 3];
        label[i] = data[2 * i + 1] & 1;
        group[i] = data[2 * i + 1] >> 5;
    }
    c[0].name = "t", c[0].role = SCARCE_ROLE_TIME, c[0].type = SCARCE_TYPE_F64, c[0].items = time;
    c[1].name = "y", c[1].role = SCARCE_ROLE_LABEL, c[1].type = SCARCE_TYPE_U8, c[1].items = label;
    c[2].name = "x", c[2].type = SCARCE_TYPE_I32, c[2].items = group;
    c[3].name = "g", c[3].role = SCARCE_ROLE_GROUP, c[3].type = SCARCE_TYPE_I32, c[3].items = group;
    if (flags & 1) c[0].role = SCARCE_ROLE_IGNORE;
    (void)scarce_table_from_columns(&t, c, flags & 2 ? 3 : 4, n, NULL, fuzz_context(1), NULL);
    return t;
}

static void mark(uint8_t *seen, const uint32_t *rows, size_t n, size_t n_rows)
{
    for (size_t i = 0; i < n; ++i) {
        MUST(rows[i] < n_rows && (i == 0 || rows[i - 1] < rows[i]) && !seen[rows[i]]);
        seen[rows[i]] = 1;
    }
}

static void check_fold(const scarce__folds *folds, const scarce_table *t, size_t i)
{
    uint8_t seen[MOST_ROWS] = {0};
    scarce__fold fold = {0};
    scarce_error err = SCARCE_ERROR_INIT;

    MUST(scarce__fold_rows(&fold, folds, t, i, fuzz_context(1), &err) == SCARCE_OK);
    mark(seen, fold.train, fold.n_train, t->n_rows);
    mark(seen, fold.valid, fold.n_valid, t->n_rows);
    mark(seen, fold.test, fold.n_test, t->n_rows);
    if (folds->kind == SCARCE__PROTOCOL_WINDOWS)
        for (size_t a = 0; a < fold.n_train; ++a)
            for (size_t b = 0; b < fold.n_test; ++b) MUST(t->time[fold.train[a]] < t->time[fold.test[b]]);
    scarce__fold_deinit(&fold);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t flags = fuzz_take(&data, &size);
    const size_t repeats = fuzz_take(&data, &size);
    fuzz_part text = fuzz_next_part(&data, &size, 1);
    scarce_table *t = make_table(data, size, flags);
    scarce__folds folds;
    scarce_error err = SCARCE_ERROR_INIT;

    memset(&folds, 0, sizeof folds);
    if (t) {
        const scarce_status st = scarce__folds_make(&folds, t, (const char *)text.bytes, repeats,
                                                    (flags & 16) != 0, fuzz_context(1), &err);
        MUST(st == SCARCE_OK || (err.code == st && err.text[0] && st != SCARCE_EBUG));
        for (size_t i = 0; st == SCARCE_OK && i < folds.count && i < MOST_FOLDS; ++i)
            check_fold(&folds, t, i);
        scarce__folds_deinit(&folds);
    }
    scarce_table_free(t);
    free(text.bytes);
    return 0;
}
