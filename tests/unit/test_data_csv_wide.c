/* SPDX-License-Identifier: Apache-2.0 */
/* More text columns than have a cache (csv.h), and one that shows only late that it is text: the file is read again,
 * and what the first pass cached of the columns behind it must not be believed. */
#include <stdlib.h>

#include "data/table.h"
#include "test.h"

enum { COLUMNS = 24, ROWS = 40000 };

static const char *const words[] = {"red", "green", "blue", "black"};

/* Which word row r has in column c: the order of first appearance differs from column to column. */
static size_t word_of(size_t r, size_t c)
{
    return (r * (c + 3) + c) / 7 % 4;
}

static char *make_text(size_t *n)
{
    char *text = malloc((size_t)ROWS * COLUMNS * 8), *p = text;
    p += sprintf(p, "late");
    for (int c = 1; c < COLUMNS; ++c) p += sprintf(p, ",c%d", c);
    p += sprintf(p, ",label\n");
    for (size_t r = 0; r < ROWS; ++r) {
        if (r == ROWS - 1) p += sprintf(p, "word");
        else p += sprintf(p, "%zu", r % 100);
        for (size_t c = 1; c < COLUMNS; ++c) p += sprintf(p, ",%s", words[word_of(r, c)]);
        p += sprintf(p, ",%s\n", r % 5 == 0 ? "yes" : "no");
    }
    *n = (size_t)(p - text);
    return text;
}

static void test_late_text(void)
{
    size_t n, wrong = 0;
    char *text = make_text(&n);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;

    CHECK(scarce_table_read_bytes(&t, text, n, "wide.csv", NULL, NULL, &err) == SCARCE_OK);
    if (!t) {
        fprintf(stderr, "%s\n", err.text);
        free(text);
        return;
    }
    CHECK(t->n_rows == ROWS && t->n_positives == ROWS / 5);
    CHECK(t->schema.features[0].kind == SCARCE_COLUMN_CATEGORY);
    for (size_t r = 0; r < t->n_rows; ++r) {
        wrong += t->label[r] != (r % 5 == 0);
        for (size_t c = 1; c < COLUMNS; ++c) {
            const int32_t code = t->columns[c].code[r];
            const char *got =
                code < 0 ? "" : scarce__dictionary_text(&t->schema.features[c].categories, (size_t)code);
            wrong += !got || strcmp(got, words[word_of(r, c)]) != 0;
        }
    }
    CHECK(wrong == 0);
    scarce_table_free(t);
    free(text);
}

static const test_case tests[] = {{"late_text", test_late_text}};
TEST_MAIN(tests)
