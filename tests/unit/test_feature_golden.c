/* SPDX-License-Identifier: Apache-2.0 */
/* Features of a table against SQL (tests/golden/make_features.py: SQLite, pandas): counts, sums, extremes equal, means,
 * shares and deviations to 2 ulp. */
#include <stdlib.h>
#include <unistd.h>

#include <scarce/features.h>

#include "test.h"
#include "unit/files.h"

enum { MAX_COLUMNS = 64 };

/* Cuts a line at its commas. */
static size_t cut(char *line, char **cells)
{
    size_t n = 0;
    for (char *p = line; p && n < MAX_COLUMNS;) {
        char *comma = strchr(p, ',');
        cells[n++] = p;
        if (comma) *comma++ = '\0';
        p = comma;
    }
    return n;
}

static char *next_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    if (end) *end = '\0';
    *at = end ? end + 1 : line + strlen(line);
    return line;
}

static void test_against_sql(void)
{
    const char *paths[] = {"golden/features.csv"};
    char path[256], *names[MAX_COLUMNS], *wanted[MAX_COLUMNS], *got[MAX_COLUMNS], *want[MAX_COLUMNS];
    scarce_definitions *d = NULL;
    scarce_features_summary s = SCARCE_FEATURES_SUMMARY_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    size_t n = 0, m = 0, compared = 0;

    snprintf(path, sizeof path, "%s/scarce-golden-%ld.csv", P_tmpdir, (long)getpid());
    CHECK(scarce_definitions_load(&d, "golden/features.features", &err) == SCARCE_OK);
    CHECK(d && scarce_features_table(d, paths, 1, path, NULL, NULL, &s, &err) == SCARCE_OK);
    if (err.code != SCARCE_OK) fprintf(stderr, "%s\n", err.text);
    scarce_definitions_free(d);
    char *text = slurp(path, &n), *golden = slurp("golden/features_want.csv", &m);
    unlink(path);
    if (!text || !golden) {
        CHECK(text && golden);
        return;
    }
    char *a = text, *b = golden;
    const size_t columns = cut(next_line(&a), names), features = cut(next_line(&b), wanted);
    while (*a && *b) {
        CHECK(cut(next_line(&a), got) == columns && cut(next_line(&b), want) == features);
        for (size_t k = 0; k < features; ++k) {
            size_t c = 0;
            while (c < columns && strcmp(names[c], wanted[k]) != 0) ++c;
            CHECK(c < columns);
            if (c == columns) continue;
            const int rounded =
                strstr(wanted[k], "mean") || strstr(wanted[k], "sd_") || strstr(wanted[k], "share");
            const double x = atof(got[c]), y = atof(want[k]);
            CHECK((*got[c] == '\0') == (*want[k] == '\0'));
            CHECK(rounded ? fabs(x - y) <= 4.5e-16 * fabs(y) : x == y);
            ++compared;
        }
    }
    CHECK(!*a && !*b && compared == 31 * s.rows && s.rows == 700);
    free(text);
    free(golden);
}

static const test_case tests[] = {{"sql", test_against_sql}};
TEST_MAIN(tests)
