/* SPDX-License-Identifier: Apache-2.0 */
/* Models of older commits (tests/compat, written by its script `make`) are read and give what they gave then:
 * scores to the bit, probabilities to 1e-12 (whose exp may change), the same alerts. Every file that is found
 * there is tried; and what is read, written again and read once more must score the same. */
#include <dirent.h>
#include <stdlib.h>

#include <scarce/model.h>

#include "test.h"

enum { MAX_ROWS = 200 };

typedef struct expected {
    size_t n;
    double score[MAX_ROWS], probability[MAX_ROWS]; /* NaN: n/a */
    int alert[MAX_ROWS];
} expected;

static int ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* "row,score,probability,alert" lines. 0: not of that form. */
static int read_expected(expected *out, const char *path)
{
    char line[256], p[64];
    FILE *f = fopen(path, "r");
    int ok = f && fgets(line, sizeof line, f) &&
             strncmp(line, "row,score,probability,alert", 27) == 0; /* then classes, if any */
    out->n = 0;
    while (ok && fgets(line, sizeof line, f)) {
        const size_t i = out->n++;
        size_t row;
        ok = i < MAX_ROWS &&
             sscanf(line, "%zu,%lf,%63[^,],%d", &row, &out->score[i], p, &out->alert[i]) == 4 && row == i + 1;
        if (ok) out->probability[i] = strcmp(p, "n/a") == 0 ? (double)NAN : strtod(p, NULL);
    }
    if (f) fclose(f);
    return ok && out->n > 0;
}

/* The set's rows as the model wants them; the amount where its alerts need one. */
static scarce_table *read_rows(const char *path, const scarce_model *model)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *table = NULL;
    o.schema = scarce_model_schema(model);
    o.label_optional = 1;
    if (isnan(scarce_model_threshold(model)))
        o.amount = scarce_schema_role(scarce_model_schema(model), SCARCE_ROLE_AMOUNT);
    if (scarce_table_read(&table, &path, 1, &o, NULL, &err)) fprintf(stderr, "%s\n", err.text);
    return table;
}

static void check_scores(const scarce_model *model, const scarce_table *rows, const expected *want)
{
    const double *amount = scarce_table_amount(rows);
    double score[MAX_ROWS], probability[MAX_ROWS];
    scarce_scorer *scorer = NULL;

    CHECK(scarce_table_rows(rows) == want->n);
    if (scarce_table_rows(rows) != want->n) return;
    CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_table(scorer, rows, score, probability, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < want->n; ++i) {
        const double p = want->probability[i];
        CHECK(score[i] == want->score[i]);
        CHECK(isnan(probability[i]) == isnan(p));
        if (!isnan(p)) CHECK_NEAR(probability[i], p, 1e-12 * p);
        CHECK((scarce_scorer_alert(scorer, score[i], probability[i], amount ? amount[i] : (double)NAN) !=
               0) == want->alert[i]);
    }
    scarce_scorer_free(scorer);
}

static void check_file(const char *path, const char *rows_path)
{
    char scores_path[640];
    const int before = test_failures;
    scarce_model *model = NULL, *again = NULL;
    scarce_table *rows = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    void *bytes = NULL;
    size_t n = 0;
    static expected want;

    snprintf(scores_path, sizeof scores_path, "%s.scores", path);
    CHECK(read_expected(&want, scores_path));
    CHECK(scarce_model_load(&model, path, &err) == SCARCE_OK);
    if (model) rows = read_rows(rows_path, model);
    CHECK(rows != NULL);
    if (rows) {
        check_scores(model, rows, &want);
        CHECK(scarce_model_bytes(&bytes, &n, model, NULL) == SCARCE_OK);
        CHECK(scarce_model_read(&again, bytes, n, "again", NULL) == SCARCE_OK);
        check_scores(again, rows, &want);
    }
    if (test_failures != before) fprintf(stderr, "in %s %s\n", path, err.text);
    scarce_bytes_free(bytes);
    scarce_table_free(rows);
    scarce_model_free(model);
    scarce_model_free(again);
}

/* How many models there are in one set. */
static size_t check_set(const char *set)
{
    char folder[256], rows[512] = "", path[512];
    struct dirent *entry;
    size_t found = 0;
    DIR *dir;

    snprintf(folder, sizeof folder, "compat/%.200s", set);
    dir = opendir(folder);
    while (dir && (entry = readdir(dir)) != NULL)
        if (strncmp(entry->d_name, "rows.", 5) == 0)
            snprintf(rows, sizeof rows, "%s/%.200s", folder, entry->d_name);
    if (dir) rewinddir(dir);
    while (dir && (entry = readdir(dir)) != NULL) {
        if (!ends_with(entry->d_name, ".scarce") && !ends_with(entry->d_name, ".part")) continue;
        snprintf(path, sizeof path, "%s/%.200s", folder, entry->d_name);
        check_file(path, rows);
        ++found;
    }
    if (dir) closedir(dir);
    return found;
}

static void test_every_file(void)
{
    size_t found = 0;
    struct dirent *entry;
    DIR *dir = opendir("compat");

    CHECK(dir != NULL);
    while (dir && (entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "make") != 0) found += check_set(entry->d_name);
    if (dir) closedir(dir);
    CHECK(found >= 54); /* as many as the first commit pinned: none may get lost */
}

static const test_case tests[] = {{"every_file", test_every_file}};

TEST_MAIN(tests)
