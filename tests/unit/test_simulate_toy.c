/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include <scarce/simulate.h>

#include "test.h"
#include "unit/files.h"

static char path[256];

static void temp_path(void)
{
    snprintf(path, sizeof path, "%s/scarce-toy-%ld.csv", P_tmpdir, (long)getpid());
}

static void test_line(void)
{
    const char *settings[] = {"variant=line"};
    scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
    size_t n;
    char *text;

    temp_path();
    CHECK(scarce_simulate("toy", settings, 1, path, NULL, &s, NULL) == SCARCE_OK);
    text = slurp(path, &n);
    CHECK_TEXT(text, "x,label\n-6,0\n-5,0\n-4,0\n-3,1\n-2,1\n-1,0\n0,0\n1,0\n2,0\n3,0\n4,0\n5,0\n6,1\n7,0\n");
    CHECK(s.rows == 14 && s.positives == 3 && s.scenario[0] == 11);
    free(text);
    unlink(path);
}

/* The four areas: 0 the corner, 1 the rest of the top strip, 2 the rest of the left one, 3 elsewhere. */
static int area(double x1, double x2)
{
    return x1 < 0.2 ? (x2 >= 0.8 ? 0 : 2) : (x2 >= 0.8 ? 1 : 3);
}

/* AP and best F1 when areas are ranked in this order, ties within an area taken together. */
static void judge(double count[4][2], const int *order, double *ap, double *f1)
{
    double positives = 0, seen = 0, hits = 0;
    for (int a = 0; a < 4; ++a) positives += count[a][1];
    *ap = *f1 = 0;
    for (int k = 0; k < 4; ++k) {
        const double *c = count[order[k]];
        hits += c[1];
        seen += c[0] + c[1];
        *ap += c[1] / positives * hits / seen;
        if (2 * hits / (positives + seen) > *f1) *f1 = 2 * hits / (positives + seen);
    }
}

static void test_square_shows_what_it_should(void)
{
    static const int added[4] = {0, 1, 2, 3}, combined[4] = {1, 2, 0, 3};
    const char *settings[] = {"rows=100000", "rate=0.1"};
    scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
    double count[4][2] = {{0}}, x1, x2, ap, f1;
    char header[32];
    int label;
    FILE *f;

    temp_path();
    CHECK(scarce_simulate("toy", settings, 2, path, NULL, &s, NULL) == SCARCE_OK);
    CHECK(s.rows == 100000 && s.positives == 10000);
    f = fopen(path, "r");
    CHECK(f != NULL);
    if (!f) return;
    CHECK(fgets(header, sizeof header, f) != NULL);
    CHECK_TEXT(header, "x1,x2,label\n");
    while (fscanf(f, "%lf,%lf,%d", &x1, &x2, &label) == 3) {
        CHECK(x1 >= 0 && x1 < 1 && x2 >= 0 && x2 < 1);
        ++count[area(x1, x2)][label];
    }
    fclose(f);
    unlink(path);
    CHECK(count[0][1] + count[1][1] + count[2][1] == 10000 && count[3][1] == 0);
    CHECK(count[1][0] == 0 && count[2][0] == 0 && count[0][0] + count[3][0] == 90000);
    CHECK_NEAR(count[0][1] / 10000, 0.2, 0.016); /* 4 deviations */
    CHECK_NEAR(count[1][1] / 10000, 0.4, 0.02);
    CHECK_NEAR(count[0][0] / 90000, 0.095, 0.004);
    judge(count, added, &ap, &f1);
    CHECK_NEAR(ap, 0.42, 0.015); /* published for linear boosting: 0.4476 and 0.7012 */
    CHECK_NEAR(f1, 0.70, 0.015);
    judge(count, combined, &ap, &f1);
    CHECK_NEAR(ap, 0.908, 0.01); /* published for the non-linear one: 0.9088 and 0.8874 */
    CHECK_NEAR(f1, 0.889, 0.01);
}

static void test_square_edges(void)
{
    static const char *const rates[] = {"rate=0", "rate=1", "rate=0.5"};
    static const uint64_t want[] = {0, 1, 1};
    temp_path();
    for (int i = 0; i < 3; ++i) {
        const char *settings[] = {"rows=1", rates[i]};
        scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
        CHECK(scarce_simulate("toy", settings, 2, path, NULL, &s, NULL) == SCARCE_OK);
        CHECK(s.rows == 1 && s.positives == want[i]);
    }
    unlink(path);
}

static void test_seed_matters(void)
{
    char *text[3];
    size_t n[3];
    temp_path();
    for (int i = 0; i < 3; ++i) {
        scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
        scarce_context *ctx = NULL;
        o.threads = 1 + i;
        o.seed = i < 2 ? 7 : 8;
        CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
        CHECK(scarce_simulate("toy", NULL, 0, path, ctx, NULL, NULL) == SCARCE_OK);
        text[i] = slurp(path, &n[i]);
        scarce_context_free(ctx);
    }
    CHECK(text[0] && text[1] && strcmp(text[0], text[1]) == 0);
    CHECK(text[0] && text[2] && strcmp(text[0], text[2]) != 0);
    for (int i = 0; i < 3; ++i) free(text[i]);
    unlink(path);
}

static void expect_error(const char *kind, const char *setting, const char *words)
{
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce_simulate(kind, &setting, 1, path, NULL, NULL, &err) == SCARCE_EINVAL);
    if (!strstr(err.text, words)) {
        fprintf(stderr, "%s %s: \"%s\" lacks \"%s\"\n", kind, setting, err.text, words);
        ++test_failures;
    }
    CHECK(access(path, F_OK) != 0);
}

static void test_bad_settings(void)
{
    const char *to_nowhere = "rows=10";
    scarce_error err = SCARCE_ERROR_INIT;
    temp_path();
    unlink(path);
    expect_error("toyy", "rows=10", "\"toy\"");
    expect_error("zzzzzzzz", "rows=10", "fraud, copula, toy and poker");
    expect_error("toy", "row=10", "rows");
    expect_error("toy", "rows", "key=value");
    expect_error("toy", "=10", "key=value");
    expect_error("toy", "rows=0", "rows");
    expect_error("toy", "rows=ten", "ten");
    expect_error("toy", "rate=1.5", "rate");
    expect_error("toy", "variant=circle", "circle");
    CHECK(scarce_simulate("toy", &to_nowhere, 1, "no-such-folder/x.csv", NULL, NULL, &err) == SCARCE_EIO);
    CHECK(strstr(err.text, "no-such-folder") != NULL);
}

static void test_lists_kinds(void)
{
    CHECK(scarce_simulate_count() == 4);
    CHECK_TEXT(scarce_simulate_get(0).name, "fraud");
    CHECK_TEXT(scarce_simulate_get(1).name, "copula");
    CHECK_TEXT(scarce_simulate_get(2).name, "toy");
    CHECK_TEXT(scarce_simulate_get(3).name, "poker");
    CHECK(scarce_simulate_get(4).name == NULL);
    for (size_t k = 0; k < scarce_simulate_count(); ++k) {
        for (size_t i = 0; i < scarce_simulate_get(k).n_params; ++i) {
            const scarce_param_info p = scarce_simulate_param(k, i);
            CHECK(p.name && p.type && p.type[0] && p.def && p.help && p.help[0]);
        }
        CHECK(scarce_simulate_param(k, scarce_simulate_get(k).n_params).name == NULL);
    }
    CHECK_TEXT(scarce_simulate_param(0, 0).type, "hard|handbook");
    CHECK_TEXT(scarce_simulate_param(1, 1).type, "integer");
}

static const test_case tests[] = {
    {"line", test_line},
    {"square_shows_what_it_should", test_square_shows_what_it_should},
    {"square_edges", test_square_edges},
    {"seed_matters", test_seed_matters},
    {"bad_settings", test_bad_settings},
    {"lists_kinds", test_lists_kinds},
};
TEST_MAIN(tests)
