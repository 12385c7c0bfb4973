/* SPDX-License-Identifier: Apache-2.0 */
/* What a service meets sooner or later: numbers beyond all bounds, clocks that are wrong, labels before their payment,
 * a card with ten million payments, damaged snapshots. */
#include <stdlib.h>
#include <unistd.h>

#include "core/number.h"
#include "feature/engine.h"
#include "feature/print.h"
#include "test.h"
#include "unit/files.h"
#include "unit/lcg.h"

static scarce_definitions *define(const char *text)
{
    scarce_definitions *d = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce_definitions_read(&d, text, strlen(text), "test", &err) != SCARCE_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return d;
}

static const char payments[] =
    "field id text id\nfield time time\nfield card key\nfield amount decimal(2)\n"
    "field fraud label\nover 1d by card: count, sum(amount), sd(amount), share(fraud)\n";

static scarce_status put(scarce_features *f, const char *id, const char *time, const char *card,
                         const char *amount, int64_t at, double *values, scarce_error *err)
{
    const char *fields[] = {id, time, card, amount, ""};
    return scarce_features_put(f, fields, at, values, NULL, err);
}

static void test_scaled(void)
{
    static const struct {
        const char *text;
        int places, how;
        int64_t want;
    } cases[] = {
        {"0.1", 2, 1, 10},
        {"12.345", 2, 3, 1235},
        {"12.3449999999999999999999999", 2, 3, 1234},
        {"-12.345", 2, 3, -1235},
        {"-0", 2, 1, 0},
        {"1e3", 2, 1, 100000},
        {"1E-2", 2, 1, 1},
        {"4e-3", 2, 3, 0},
        {"5e-3", 2, 3, 1},
        {"00012.50", 2, 1, 1250},
        {"+7.", 0, 1, 7},
        {".5", 0, 3, 1},
        {"46116860184273879.03", 2, 1, 4611686018427387903},
        {"46116860184273879.04", 2, 2, 0},
        {"9223372036854775808", 0, 2, 0},
        {"1e400", 2, 2, 0},
        {"0e400", 2, 1, 0},
        {"1e-400", 2, 3, 0},
        {"123456789012345678901234567890123456789012345678901234567890123456789e-60", 2, 3, 12345678901},
        {"", 2, 0, 0},
        {"-", 2, 0, 0},
        {"12,5x", 2, 0, 0},
        {"1e", 2, 0, 0},
        {"nan", 2, 0, 0},
        {"0x10", 2, 0, 0},
        {"1 000", 2, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        int64_t v = 77;
        const int how = scarce__parse_scaled(cases[i].text, strlen(cases[i].text), '.', cases[i].places, &v);
        if (how != cases[i].how || ((how == 1 || how == 3) && v != cases[i].want))
            fprintf(stderr, "%s: %d, %lld\n", cases[i].text, how, (long long)v);
        CHECK(how == cases[i].how && (how == 0 || how == 2 || v == cases[i].want));
    }
}

static void test_amounts(void)
{
    scarce_definitions *d = define(payments);
    scarce_features *f = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    double v[4];

    CHECK(scarce_features_new(&f, d, NULL) == SCARCE_OK);
    CHECK(put(f, "a", "1000", "c", "99999999999999999999", SCARCE_FEATURES_NOW, v, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "amount: \"99999999999999999999\" is too large to be summed exactly");
    CHECK(put(f, "a", "1000", "c", "12,5x", SCARCE_FEATURES_NOW, v, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "amount: \"12,5x\" is no number");
    CHECK(put(f, "a", "1000", "c", "", SCARCE_FEATURES_NOW, v, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "amount is missing; if that may be, declare the field optional");
    CHECK(put(f, "a", "soon", "c", "1", SCARCE_FEATURES_NOW, v, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "time: \"soon\" is no time (seconds since 1970, or 2026-11-16 08:30:00)");
    CHECK(scarce_features_position(f) == 0); /* none of them has changed anything */
    /* the largest there are: sums beyond 64 bits are exact */
    for (int i = 0; i < 6; ++i) {
        char id[8];
        snprintf(id, sizeof id, "%d", i);
        CHECK(put(f, id, "1000", "c", i % 2 ? "-46116860184273879.03" : "46116860184273879.02",
                  SCARCE_FEATURES_NOW, v, &err) == SCARCE_OK);
    }
    CHECK(put(f, "x", "1001", "c", "0", SCARCE_FEATURES_NOW, v, &err) == SCARCE_OK);
    CHECK(v[0] == 6 && v[1] == -0.03);
    CHECK_NEAR(v[2] / (46116860184273879.0 * sqrt(6.0 / 5)), 1, 1e-15);
    scarce_features_free(f);
    scarce_definitions_free(d);
}

static void test_times(void)
{
    scarce_definitions *d = define(payments);
    scarce_features *f = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    double v[4];

    CHECK(scarce_features_new(&f, d, NULL) == SCARCE_OK);
    CHECK(put(f, "a", "1955-11-05 06:00:00", "c", "1", SCARCE_FEATURES_NOW, v, NULL) == SCARCE_OK);
    CHECK(put(f, "b", "1955-11-06 05:59:59.9", "c", "2", SCARCE_FEATURES_NOW, v, NULL) == SCARCE_OK);
    CHECK(v[0] == 1 && v[1] == 1); /* a fraction of a second is cut off: a day less a second */
    CHECK(put(f, "c", "1955-11-06 06:00:00", "c", "4", SCARCE_FEATURES_NOW, v, NULL) == SCARCE_OK);
    CHECK(v[0] == 1 && v[1] == 2); /* the old end is open */
    CHECK(put(f, "d", "1955-11-06 06:05:01", "c", "4", -446666400, v, &err) == SCARCE_EDATA);
    CHECK_TEXT(
        err.text,
        "time: -446666099 is 301 seconds after its arrival; a clock is wrong (at most 300 are allowed)");
    CHECK(put(f, "e", "2030-01-01", "c", "4", SCARCE_FEATURES_NOW, v, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "time: 1893456000 is more than 68 years from the first record");
    scarce_features_free(f);
    scarce_definitions_free(d);
}

static void test_labels(void)
{
    scarce_definitions *d = define(payments), *no_id = define("field card key\nover last 3 by card: count\n");
    scarce_features *f = NULL, *g = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    double v[4];
    int found = 7;

    CHECK(scarce_features_new(&f, d, NULL) == SCARCE_OK && scarce_features_new(&g, no_id, NULL) == SCARCE_OK);
    CHECK(scarce_features_label(f, "a", 1, SCARCE_FEATURES_NOW, &found, NULL) == SCARCE_OK && found == 0);
    CHECK(put(f, "a", "1000", "c", "1", SCARCE_FEATURES_NOW, v, NULL) == SCARCE_OK && isnan(v[3]));
    CHECK(put(f, "b", "1001", "c", "1", SCARCE_FEATURES_NOW, v, NULL) == SCARCE_OK &&
          v[3] == 0); /* it was not kept */
    CHECK(scarce_features_label(f, "a", 1, SCARCE_FEATURES_NOW, &found, NULL) == SCARCE_OK && found == 1);
    CHECK(put(f, "c", "1002", "c", "1", SCARCE_FEATURES_NOW, v, NULL) == SCARCE_OK && v[3] == 0.5);
    CHECK(scarce_features_label(f, "a", 0, SCARCE_FEATURES_NOW, &found, NULL) == SCARCE_OK && found == 1);
    CHECK(put(f, "d", "1003", "c", "1", SCARCE_FEATURES_NOW, v, NULL) == SCARCE_OK && v[3] == 0);
    CHECK(scarce_features_label(f, "a", 2, SCARCE_FEATURES_NOW, &found, &err) == SCARCE_EINVAL);
    CHECK(scarce_features_label(g, "a", 1, SCARCE_FEATURES_NOW, &found, &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "labels need a field that is marked id (field tx text id)");
    scarce_features_free(f);
    scarce_features_free(g);
    scarce_definitions_free(d);
    scarce_definitions_free(no_id);
}

/* Tables without a stream: the last years of a firm, in the order of the rows. */
static void test_no_time(void)
{
    scarce_definitions *d =
        define("field firm key\nfield sales number\nover last 2 by firm: mean(sales), count\n"
               "feature growth = sales / firm_mean_sales_last2 - 1\n");
    scarce_features *f = NULL;
    double v[3];
    const char *a[] = {"x", "100"}, *b[] = {"y", "7"}, *c[] = {"x", "200"}, *e[] = {"x", "300"},
               *g[] = {"x", "500"};
    CHECK(scarce_features_new(&f, d, NULL) == SCARCE_OK);
    CHECK(scarce_features_put(f, a, SCARCE_FEATURES_NOW, v, NULL, NULL) == SCARCE_OK && isnan(v[0]) &&
          v[1] == 0);
    CHECK(scarce_features_put(f, b, SCARCE_FEATURES_NOW, v, NULL, NULL) == SCARCE_OK && isnan(v[0]));
    CHECK(scarce_features_put(f, c, SCARCE_FEATURES_NOW, v, NULL, NULL) == SCARCE_OK && v[0] == 100 &&
          v[2] == 1);
    CHECK(scarce_features_put(f, e, SCARCE_FEATURES_NOW, v, NULL, NULL) == SCARCE_OK && v[0] == 150 &&
          v[1] == 2);
    CHECK(scarce_features_put(f, g, 1794830400, v, NULL, NULL) == SCARCE_OK && v[0] == 250 && v[2] == 1);
    scarce_features_free(f);
    scarce_definitions_free(d);
}

/* A stuck terminal: memory stays bounded, and no single record is slow. 300,000 here; SCARCE_LONG=1 for ten million. */
static void test_one_card(void)
{
    const size_t n = getenv("SCARCE_LONG") ? 10000000 : 300000;
    scarce_definitions *d =
        define("field time time\nfield card key\nfield shop key\nfield amount decimal(2)\n"
               "over 1h 30d by card: count, sum(amount), distinct(shop), max(amount)\n");
    scarce_features *f = NULL;
    scarce_features_size size = SCARCE_FEATURES_SIZE_INIT;
    double v[8];
    char time[24], shop[8];
    CHECK(scarce_features_new(&f, d, NULL) == SCARCE_OK);
    for (size_t i = 0; i < n; ++i) {
        const char *fields[] = {time, "c", shop, "0.01"};
        snprintf(time, sizeof time, "%zu", 1500000000 + i / 8);
        snprintf(shop, sizeof shop, "%zu", i % 1000);
        CHECK(scarce_features_put(f, fields, SCARCE_FEATURES_NOW, v, NULL, NULL) == SCARCE_OK);
        if (i == 50000) CHECK(v[4] == (double)i && v[5] == (double)i / 100 && v[6] == 1000 && v[2] == 1000);
    }
    CHECK(v[0] == 8.0 * 3600 - 1 + (double)((n - 1) % 8 + 1) - 8);
    if (n < 1000000)
        CHECK(v[4] == (double)(n - 1) && v[5] == (double)(n - 1) / 100); /* folded ones are still in it */
    CHECK(scarce_features_measure(f, &size, NULL) == SCARCE_OK);
    CHECK(size.keys == 1 && size.longest <= 250000 && size.folded >= 1 && size.bytes < 40000000);
    if (getenv("SCARCE_LONG")) fprintf(stderr, "%llu bytes\n", (unsigned long long)size.bytes);
    scarce_features_free(f);
    scarce_definitions_free(d);
}

/* Every byte of a snapshot changed in turn: refused. Cut anywhere: refused. Other definitions: refused. */
static void test_damaged(void)
{
    scarce_definitions *d = define(payments),
                       *other = define("field time time\nfield card key\nover 1h by card: count\n");
    scarce_features *f = NULL, *g = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__writer w = {NULL, 0, 0, 0};
    double v[4];
    char path[256];

    CHECK(scarce_features_new(&f, d, NULL) == SCARCE_OK);
    for (int i = 0; i < 20; ++i) {
        char id[8], time[16];
        snprintf(id, sizeof id, "%d", i);
        snprintf(time, sizeof time, "%d", 1000 + 100 * i);
        CHECK(put(f, id, time, i % 3 ? "c" : "k", "12.5", SCARCE_FEATURES_NOW, v, NULL) == SCARCE_OK);
    }
    CHECK(scarce__features_write(f, &w, NULL) == SCARCE_OK);
    for (size_t i = 0; i < w.n; ++i) {
        w.bytes[i] ^= (uint8_t)(1 << i % 8);
        CHECK(scarce__features_read(&g, d, w.bytes, w.n, "s", &err) != SCARCE_OK && g == NULL);
        w.bytes[i] ^= (uint8_t)(1 << i % 8);
        CHECK(scarce__features_read(&g, d, w.bytes, i, "s", &err) == SCARCE_EPARSE && g == NULL);
    }
    CHECK(scarce__features_read(&g, other, w.bytes, w.n, "s", &err) == SCARCE_EDATA && g == NULL);
    CHECK_TEXT(err.text, "s: a snapshot of other definitions; feed the records of the horizon anew");
    scarce__writer_deinit(&w);
    snprintf(path, sizeof path, "%s/scarce-snapshot-%ld", P_tmpdir, (long)getpid());
    CHECK(scarce_features_save(f, path, NULL) == SCARCE_OK);
    CHECK(scarce_features_restore(&g, d, path, NULL) == SCARCE_OK);
    CHECK(g && scarce_features_position(g) == 20);
    scarce_features_free(g);
    unlink(path);
    CHECK(scarce_features_restore(&g, d, path, &err) == SCARCE_EIO && g == NULL);
    scarce_features_free(f);
    scarce_definitions_free(d);
    scarce_definitions_free(other);
}

/* Texts that read back as the same double and the same float. */
static void test_print(void)
{
    lcg r = lcg_start(1);
    char text[SCARCE__NUMBER_ROOM];
    for (int i = 0; i < 300000; ++i) {
        const uint64_t bits = lcg_draw(&r) << 33 ^ lcg_draw(&r) << 10 ^ lcg_draw(&r);
        double x = 0, back = 0;
        float f = 0;
        switch (i % 5) {
        case 0: memcpy(&x, &bits, sizeof x); break;
        case 1: x = (double)(int64_t)(bits >> 30) / 100; break;
        case 2: x = (double)(bits >> 40) / (double)(1 + lcg_below(&r, 1000)); break;
        case 3:
            x = ((double)(float)((double)(bits >> 40) / 3) +
                 (double)nextafterf((float)((double)(bits >> 40) / 3), 0)) /
                2;
            break;
        default: x = -1.0 / (double)(1 + (bits >> 45));
        }
        if (isnan(x) || isinf(x)) continue;
        const size_t n = scarce__print_value(text, x, '.');
        const int fine = scarce__parse_double(text, n, &back) == 1 && back == x &&
                         scarce__parse_float(text, n, &f) >= 1 && (f == (float)x || isinf(f));
        if (!fine) fprintf(stderr, "%.17g is written %.*s\n", x, (int)n, text);
        CHECK(fine);
        if (test_failures > 10) return;
    }
    CHECK(scarce__print_value(text, NAN, '.') == 0);
    CHECK(scarce__print_value(text, 12.25, ',') == 5 && memcmp(text, "12,25", 5) == 0);
    CHECK(scarce__print_value(text, 100, '.') == 3 && scarce__print_value(text, 0, '.') == 1);
}

static const test_case tests[] = {{"scaled", test_scaled},   {"amounts", test_amounts},
                                  {"times", test_times},     {"labels", test_labels},
                                  {"no_time", test_no_time}, {"one_card", test_one_card},
                                  {"damaged", test_damaged}, {"print", test_print}};
TEST_MAIN(tests)
