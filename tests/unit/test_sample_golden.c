/* SPDX-License-Identifier: Apache-2.0 */
/* Rows kept, against imbalanced-learn (golden/resample.txt, made by golden/make_resample.py). */
#include <scarce/resample.h>

#include <stdlib.h>

#include "lcg.h"
#include "test.h"

/* As table() in golden/make_resample.py. */
static scarce_table *make(uint64_t seed, size_t n, size_t d, int negatives_first, float *x)
{
    lcg r = lcg_start(seed);
    uint8_t label[200] = {0};
    size_t positives = 0;
    scarce_table *t = NULL;
    for (size_t i = 0; i < n; ++i) positives += label[i] = lcg_below(&r, 5) == 0;
    for (size_t i = 0; negatives_first && i < n; ++i) label[i] = i >= n - positives;
    for (size_t i = 0; i < n * d; ++i)
        x[i] = (float)((double)lcg_below(&r, 1 << 20) / (1 << 18) + (label[i / d] ? 0.5 : 0.0));
    CHECK(scarce_table_from_floats(&t, x, n, d, NULL, label, NULL) == SCARCE_OK);
    return t;
}

static size_t wrong_rows(const scarce_table *r, const float *x, size_t d, const char *rows)
{
    const size_t n = scarce_table_rows(r);
    size_t i = 0, wrong = 0;
    char *end;
    for (const char *at = rows;; at = end, ++i) {
        const size_t row = strtoul(at, &end, 10);
        if (end == at) break;
        for (size_t f = 0; i < n && f < d; ++f) wrong += scarce_table_numbers(r, f)[i] != x[row * d + f];
    }
    return wrong + (i > n ? i - n : n - i);
}

static void test_golden(void)
{
    FILE *f = fopen("golden/resample.txt", "r");
    static char line[8192];
    static float x[200 * 12];
    size_t lines = 0;
    CHECK(f != NULL);
    while (f && fgets(line, sizeof line, f)) {
        unsigned long long seed = 0;
        size_t n = 0, d = 0;
        int first = 0, at = 0;
        char spec[128];
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_table *r = NULL;
        if (line[0] == '#') continue;
        CHECK(sscanf(line, "%llu %zu %zu %d %127s%n", &seed, &n, &d, &first, spec, &at) == 5 && n <= 200 &&
              d <= 12);
        scarce_table *t = make(seed, n, d, first, x);
        CHECK(scarce_resample(&r, NULL, NULL, t, spec, NULL, &err) == SCARCE_OK);
        if (!r || wrong_rows(r, x, d, line + at)) {
            fprintf(stderr, "case %llu, %s: %s\n", seed, spec, r ? "other rows" : err.text);
            ++test_failures;
        }
        scarce_table_free(r);
        scarce_table_free(t);
        ++lines;
    }
    CHECK(lines > 200);
    if (f) fclose(f);
}

static const test_case tests[] = {{"golden", test_golden}};
TEST_MAIN(tests)
