/* SPDX-License-Identifier: Apache-2.0 */
/* The quality of every method is pinned: AP on rows it has not seen, with default parameters, to the last
 * digit (regression/results.csv). Whatever changes it, for better or worse, shows here and in the diff of the
 * commit. `UPDATE=1 ../build/tests/test_method_quality` (in the folder tests) writes the file anew. */
#include <scarce/metrics.h>
#include <scarce/model.h>

#include "test.h"
#include "unit/method_tables.h"

static const char path[] = "regression/results.csv";

static const struct {
    const char *name;
    table_kind kind;
    size_t rows, positives_below; /* 0: any */
} sets[] = {
    {"payments", TABLE_PAYMENTS, 600, 0},
    {"rare", TABLE_RARE, 500, 30},
    {"weighted", TABLE_WEIGHTED, 400, 0},
    {"words", TABLE_WORDS, 400, 0},
};

static double ap_of(const char *method, const scarce_table *train, const scarce_table *test)
{
    const size_t n = scarce_table_rows(test);
    double *score = malloc(n * sizeof *score), ap = (double)NAN;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_scorer *scorer = NULL;
    scarce_error err = SCARCE_ERROR_INIT;

    if (!score || scarce_params_new(&params, method, &err) ||
        scarce_train(&model, train, params, NULL, NULL, NULL, &err) ||
        scarce_scorer_new(&scorer, model, &err) ||
        scarce_scorer_table(scorer, test, score, NULL, NULL, &err) ||
        scarce_average_precision(&ap, score, scarce_table_label(test), scarce_table_weight(test), n, NULL,
                                 &err))
        fprintf(stderr, "%s: %s\n", method, err.text);
    CHECK(!isnan(ap));
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    scarce_params_free(params);
    free(score);
    return ap;
}

/* All lines as they should be in the file; NULL when memory is out. */
static char *measure(void)
{
    const size_t room = sizeof sets / sizeof sets[0] * scarce_method_count() * 100 + 100;
    char *text = malloc(room);
    size_t n = 0;

    if (!text) return NULL;
    n += (size_t)snprintf(text, room, "set,method,ap\n");
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; ++s) {
        scarce_table *train = make_table_of(sets[s].kind, sets[s].rows, 1, NULL);
        scarce_table *test = train ? make_table_of(sets[s].kind, sets[s].rows, 2, train) : NULL;
        CHECK(train && test);
        if (test && sets[s].positives_below) CHECK(scarce_table_positives(train) < sets[s].positives_below);
        for (size_t m = 0; test && m < scarce_method_count(); ++m) {
            const char *method = scarce_method_get(m).name;
            n += (size_t)snprintf(text + n, room - n, "%s,%s,%.17g\n", sets[s].name, method,
                                  ap_of(method, train, test));
        }
        scarce_table_free(train);
        scarce_table_free(test);
    }
    return text;
}

static char *read_results(void)
{
    enum { MOST = 1 << 20 };
    char *text = calloc(MOST, 1);
    FILE *f = fopen(path, "r");
    if (text && f) text[fread(text, 1, MOST - 1, f)] = '\0';
    if (f) fclose(f);
    return text;
}

static void write_results(const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0);
    if (f) CHECK(fclose(f) == 0);
}

/* The line of `text` that begins as `line` does up to its second comma; NULL: none. */
static const char *line_of(const char *text, const char *line)
{
    const size_t key = (size_t)(strchr(strchr(line, ',') + 1, ',') - line) + 1;
    for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (strncmp(at, line, key) == 0) return at;
    return NULL;
}

/* Every line of `lines` in its turn: tells when `others` lacks it or, if figures count, has another AP. */
static void tell_differences(const char *lines, const char *others, const char *lacks, int figures)
{
    for (const char *at = lines; strchr(at, '\n'); at = strchr(at, '\n') + 1) {
        const int length = (int)strcspn(at, "\n");
        const char *comma = memchr(at, ',', (size_t)length);
        const char *theirs = comma && strchr(comma + 1, ',') ? line_of(others, at) : NULL;
        if (!theirs) fprintf(stderr, "%.*s: %s\n", length, at, lacks);
        else if (figures && strncmp(theirs, at, (size_t)length + 1) != 0)
            fprintf(stderr, "%.*s, pinned is %.*s\n", length, at, (int)strcspn(theirs, "\n"), theirs);
    }
}

static void test_as_pinned(void)
{
    char *now = measure(), *then = read_results();
    const char *update = getenv("UPDATE");

    CHECK(now && then);
    if (now && update && *update) write_results(now);
    else if (now && then && strcmp(now, then) != 0) {
        tell_differences(now, then, "not pinned yet", 1);
        tell_differences(then, now, "pinned, but there is no such set or method", 0);
        fprintf(stderr,
                "%s differs from what was measured. If that is meant, write it anew: in the folder tests, "
                "UPDATE=1 ../build/tests/test_method_quality; and say why in the commit\n",
                path);
        ++test_failures;
    }
    free(now);
    free(then);
}

static const test_case tests[] = {{"as_pinned", test_as_pinned}};

TEST_MAIN(tests)
