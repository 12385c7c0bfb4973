/* SPDX-License-Identifier: Apache-2.0 */
/* The doctor's figures against slow obvious versions; each check with a planted fault; odd tables. */
#include <scarce/metrics.h>

#include "core/alloc.h"
#include "data/table.h"
#include "unit/doctors.h"

enum { N = 600 };

static scarce__random random_of(uint64_t index)
{
    return scarce__random_start(11, SCARCE__FOR_TEST, index);
}

/* ---- figures of a column */

/* Pairs in the right order, ties one half, over rows with a value. */
static double slow_auc(const double *x, const uint8_t *y, size_t n)
{
    double right = 0, pairs = 0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            if (!y[i] || y[j] || isnan(x[i]) || isnan(x[j])) continue;
            right += x[i] > x[j] ? 1 : x[i] < x[j] ? 0 : 0.5;
            pairs += 1;
        }
    return right / pairs;
}

static double slow_ap(const double *x, const uint8_t *y, size_t n, double sign)
{
    double score[N], ap = (double)NAN;
    uint8_t label[N];
    size_t m = 0;
    for (size_t i = 0; i < n; ++i)
        if (!isnan(x[i])) {
            score[m] = sign * x[i];
            label[m++] = y[i];
        }
    CHECK(scarce_average_precision(&ap, score, label, NULL, m, NULL, NULL) == SCARCE_OK);
    return ap;
}

static void test_figures(void)
{
    scarce__random r = random_of(1);
    static double x[3][N];
    static float values[N * 3];
    static uint8_t y[N];
    scarce_table *t = NULL;
    scarce_doctor *d;

    for (size_t i = 0; i < N; ++i) {
        y[i] = i % 7 == 0;
        x[0][i] = (double)(float)(scarce__random_normal(&r) + y[i]);
        x[1][i] = floor(scarce__random_unit(&r) * 5) - 2 - y[i]; /* ties, both signs */
        x[2][i] = scarce__random_unit(&r) < 0.3 ? (double)NAN : floor(10 * scarce__random_unit(&r));
        for (size_t k = 0; k < 3; ++k) values[3 * i + k] = (float)x[k][i];
    }
    CHECK(scarce_table_from_floats(&t, values, N, 3, NULL, y, NULL) == SCARCE_OK);
    d = examine(t, NULL);
    for (size_t k = 0; k < 3; ++k) {
        const scarce_doctor_column *c = scarce_doctor_column_of(d, k);
        const double auc = slow_auc(x[k], y, N);
        CHECK_NEAR(c->auc, auc > 0.5 ? auc : 1 - auc, 1e-12);
        CHECK_NEAR(c->ap, fmax(slow_ap(x[k], y, N, 1), slow_ap(x[k], y, N, -1)), 1e-12);
        CHECK(isnan(c->psi)); /* no time */
    }
    CHECK(scarce_doctor_column_of(d, 1)->distinct <= 6);
    CHECK_NEAR(scarce_doctor_column_of(d, 2)->missing, 0.3, 0.06);
    CHECK(scarce_doctor_column_of(d, 3) == NULL && scarce_doctor_periods(d) == 0);
    scarce_doctor_free(d);
    scarce_table_free(t);
}

/* A sparse file and the same numbers written out: the same figures. */
static void test_sparse(void)
{
    scarce__random r = random_of(2);
    scarce__text svm = SCARCE__TEXT_INIT, csv = SCARCE__TEXT_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT, sparse = SCARCE_READ_OPTIONS_INIT;
    scarce_table *a, *b;
    scarce_doctor *da, *db;

    sparse.format = SCARCE_FORMAT_LIBSVM;
    scarce__text_add(&csv, "a,b,c,label\n");
    for (size_t i = 0; i < N; ++i) {
        const int y = i % 9 == 0;
        scarce__text_addf(&svm, "%d", y);
        for (int k = 1; k <= 3; ++k) {
            const int v =
                scarce__random_unit(&r) < 0.3 ? (int)scarce__random_below(&r, 9) - 4 + (k == 2 ? y : 0) : 0;
            if (v) scarce__text_addf(&svm, " %d:%d", k, v);
            scarce__text_addf(&csv, "%d,", v);
        }
        scarce__text_add(&svm, "\n");
        scarce__text_addf(&csv, "%d\n", y);
    }
    a = table_of(&svm, &sparse);
    b = table_of(&csv, &ro);
    da = examine(a, NULL);
    db = examine(b, NULL);
    for (size_t f = 0; f < 3; ++f) {
        const scarce_doctor_column *x = scarce_doctor_column_of(da, f), *z = scarce_doctor_column_of(db, f);
        CHECK(x->kind == SCARCE_COLUMN_SPARSE && z->kind == SCARCE_COLUMN_NUMERIC);
        CHECK_NEAR(x->auc, z->auc, 1e-12);
        CHECK_NEAR(x->ap, z->ap, 1e-12);
        CHECK_NEAR(x->distinct, z->distinct, 0);
    }
    CHECK_NEAR(figure(found(da, "duplicate-rows", NULL), "copies"),
               figure(found(db, "duplicate-rows", NULL), "copies"), 0);
    CHECK_NEAR(figure(found(da, "contradictions", NULL), "ap_ceiling"),
               figure(found(db, "contradictions", NULL), "ap_ceiling"), 1e-12);
    scarce_doctor_free(da);
    scarce_doctor_free(db);
    scarce_table_free(a);
    scarce_table_free(b);
}

/* ---- leaks */

/* 2000 rows, 60 positives, four columns of noise and the one made by `plant`. */
static scarce_table *planted(double (*plant)(scarce__random *r, int y, size_t i), uint64_t index)
{
    scarce__random r = random_of(index);
    scarce__text csv = SCARCE__TEXT_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce__text_add(&csv, "a,b,c,d,plant,label\n");
    for (size_t i = 0; i < 2000; ++i) {
        const int y = scarce__hash(3, i) % 2000 < 60;
        for (int k = 0; k < 4; ++k) add_number(&csv, scarce__random_normal(&r));
        add_number(&csv, plant(&r, y, i));
        scarce__text_addf(&csv, ",%d\n", y);
    }
    return table_of(&csv, &ro);
}

static double plant_label(scarce__random *r, int y, size_t i)
{
    (void)r;
    (void)i;
    return y ? 7 : 3;
}

static double plant_partly(scarce__random *r, int y, size_t i) /* a fifth of the positives are lost */
{
    (void)i;
    return y && scarce__random_unit(r) < 0.8;
}

static double plant_flipped(scarce__random *r, int y, size_t i) /* 1 % of all labels are wrong */
{
    (void)i;
    return scarce__random_unit(r) < 0.01 ? 1 - y : y;
}

static double plant_score(scarce__random *r, int y, size_t i)
{
    (void)i;
    return scarce__random_normal(r) - 6 * y;
}

static double plant_empty(scarce__random *r, int y, size_t i) /* filled in by the investigation */
{
    (void)i;
    return y || scarce__random_unit(r) < 0.05 ? scarce__random_unit(r) : (double)NAN;
}

static double plant_number(scarce__random *r, int y,
                           size_t i) /* a number for each row, higher for positives */
{
    (void)r;
    return (double)(i * 7919 % 2000) + (y ? 1500.25 : 0);
}

static double plant_whole(scarce__random *r, int y, size_t i)
{
    (void)r;
    return (double)(2 * (i * 7919 % 2000) + (y ? 1601 : 0));
}

static double plant_code(scarce__random *r, int y, size_t i) /* 999 only after confirmation */
{
    (void)i;
    return y && scarce__random_unit(r) < 0.4 ? 999 : floor(200 * scarce__random_unit(r));
}

static double plant_noise(scarce__random *r, int y, size_t i)
{
    (void)y;
    (void)i;
    return scarce__random_normal(r);
}

static void test_leaks(void)
{
    static const struct {
        double (*plant)(scarce__random *r, int y, size_t i);
        const char *code;
        scarce_severity severity;
    } cases[] = {
        {plant_label, "leak-label", SCARCE_SEVERITY_BAD},
        {plant_partly, "leak-label", SCARCE_SEVERITY_WARN},
        {plant_flipped, "leak-label", SCARCE_SEVERITY_WARN},
        {plant_score, "leak-label", SCARCE_SEVERITY_BAD},
        {plant_empty, "leak-missing", SCARCE_SEVERITY_WARN},
        {plant_whole, "leak-id", SCARCE_SEVERITY_BAD},
        {plant_code, "pure-value", SCARCE_SEVERITY_WARN},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        for (uint64_t seed = 0; seed < 3; ++seed) {
            scarce_table *t = planted(cases[k].plant, 100 * k + seed);
            scarce_doctor *d = examine(t, NULL);
            const scarce_doctor_finding *f = found(d, cases[k].code, "plant");
            CHECK(f && f->severity >= cases[k].severity && f->column == 4);
            if (!f) fprintf(stderr, "not found: %s, plant %zu, seed %d\n", cases[k].code, k, (int)seed);
            CHECK(!found(d, cases[k].code, "a") && !found(d, cases[k].code, "d"));
            scarce_doctor_free(d);
            scarce_table_free(t);
        }
    scarce_table *t = planted(plant_noise, 5);
    scarce_doctor *d = examine(t, NULL);
    CHECK(alarms(d, 1) == 0);
    scarce_doctor_free(d);
    scarce_table_free(t);
    t = planted(plant_number, 6); /* fractions: no identifier, but its top is positive only */
    d = examine(t, NULL);
    CHECK(!found(d, "identifier", NULL) && !found(d, "leak-id", NULL));
    scarce_doctor_free(d);
    scarce_table_free(t);
}

/* A category known after the fact, an identifier of text, and a sorted counter. */
static void test_categories_and_ids(void)
{
    scarce__text csv = SCARCE__TEXT_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce__random r = random_of(4);
    scarce_table *t;
    scarce_doctor *d;

    scarce__text_add(&csv, "status,name,counter,colour,x,label\n");
    for (size_t i = 0; i < 1500; ++i) {
        const int y = scarce__hash(8, i) % 25 == 0, told = y && i % 2;
        scarce__text_addf(&csv, "%s,n%zu,%zu,c%d,",
                          told    ? "chargeback"
                          : i % 3 ? "ok"
                                  : "new",
                          i, 10 + i, (int)scarce__random_below(&r, 300));
        scarce__text_double(&csv, scarce__random_normal(&r));
        scarce__text_addf(&csv, ",%d\n", y);
    }
    t = table_of(&csv, &ro);
    d = examine(t, NULL);
    CHECK(found(d, "pure-value", "status") || found(d, "leak-label", "status"));
    CHECK(found(d, "identifier", "name") && found(d, "identifier", "counter"));
    CHECK(found(d, "many-categories", "colour") && !found(d, "many-categories", "name"));
    CHECK(!found(d, "leak-label", "colour") &&
          !found(d, "leak-label", "name")); /* 5 rows a category: no luck */
    CHECK(!found(d, "leak-id", NULL) && !found(d, "strong-column", "colour"));
    scarce_doctor_free(d);
    scarce_table_free(t);
}

/* ---- copies */

static void test_copies(void)
{
    scarce__random r = random_of(7);
    static float x[N * 2];
    static double rate[N];
    static uint8_t y[N];
    scarce_table *t = NULL;
    scarce_doctor *d;
    double ceiling, copies = 0, sets = 0;

    for (size_t i = 0; i < N; ++i) {
        x[2 * i] = (float)scarce__random_below(&r, 30);
        x[2 * i + 1] = i % 40 == 0 ? (float)NAN : (float)scarce__random_below(&r, 12);
        y[i] = scarce__random_unit(&r) < 0.15;
    }
    for (size_t i = 0; i < N; ++i) { /* the share of positives among equal rows, by looking at all pairs */
        double n = 0, p = 0, before = 0, first = N;
        for (size_t j = 0; j < N; ++j)
            if (x[2 * i] == x[2 * j] &&
                (x[2 * i + 1] == x[2 * j + 1] || (isnan(x[2 * i + 1]) && isnan(x[2 * j + 1])))) {
                n += 1;
                p += y[j];
                before += j < i;
                first = fmin(first, (double)j);
            }
        rate[i] = p / n - 1e-7 * n - 1e-11 * first; /* each set for itself, the smaller first */
        copies += before > 0;
        sets += before == 0 && p > 0 && p < n;
    }
    CHECK(scarce_average_precision(&ceiling, rate, y, NULL, N, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_from_floats(&t, x, N, 2, NULL, y, NULL) == SCARCE_OK);
    d = examine(t, NULL);
    CHECK_NEAR(figure(found(d, "duplicate-rows", NULL), "copies"), copies, 0);
    CHECK_NEAR(figure(found(d, "contradictions", NULL), "ap_ceiling"), ceiling, 1e-12);
    CHECK_NEAR(figure(found(d, "contradictions", NULL), "sets"), sets, 0);
    CHECK(found(d, "copies-across", NULL) != NULL);
    for (size_t k = 0; k < scarce_doctor_folds(d); ++k) {
        const scarce_doctor_fold *f = scarce_doctor_fold_of(d, k);
        CHECK(f->copies <= f->test_rows && f->copies > 0 && f->train_rows + f->test_rows == N);
    }
    scarce_doctor_free(d);
    scarce_table_free(t);
}

static void test_same_columns(void)
{
    scarce__text csv = SCARCE__TEXT_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce__random r = random_of(9);
    scarce_table *t;
    scarce_doctor *d;

    scarce__text_add(&csv, "eur,cents,minus,other,sex,is_f,colour,rare1,rare2,few,flag,label\n");
    for (size_t i = 0; i < 400; ++i) {
        const double eur = floor(100000 * scarce__random_unit(&r)) / 100;
        const int f = scarce__random_unit(&r) < 0.4;
        add_number(&csv, eur);
        add_number(&csv, 100 * eur);
        add_number(&csv, -log(eur + 1));
        add_number(&csv, scarce__random_unit(&r));
        scarce__text_addf(&csv, ",%s,%d,%s,%d,%d,%d,%d,%d\n", f ? "f" : "m", f, i % 3 ? "red" : "green",
                          i == 5, i == 5, (int)(i % 2), (int)(i % 2 == 0) * 8,
                          (int)(scarce__hash(4, i) % 10 == 0));
    }
    t = table_of(&csv, &ro);
    d = examine(t, NULL);
    CHECK(found(d, "copy", "cents") && found(d, "copy", "minus") && found(d, "copy", "is_f") &&
          found(d, "copy", "flag"));
    CHECK(!found(d, "copy", "eur") && !found(d, "copy", "other") && !found(d, "copy", "sex") &&
          !found(d, "copy", "colour"));
    CHECK(!found(d, "copy", "rare2")); /* one row: could be chance */
    scarce_doctor_free(d);
    scarce_table_free(t);
}

/* ---- shape and roles */

static void test_shape(void)
{
    scarce__text csv = SCARCE__TEXT_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce__random r = random_of(10);
    scarce_table *t;
    scarce_doctor *d;

    ro.weight = "w";
    ro.amount = "amount";
    ro.time = "when";
    scarce__text_add(&csv, "one,none,sometimes,tail,inf,w,amount,when,label\n");
    for (int i = 0; i < 2000; ++i) {
        const int y = scarce__hash(6, (uint64_t)i) % 10 == 0;
        scarce__text_addf(&csv, "5,,%s,", i % 50 == 0 ? (i % 100 ? "1" : "2") : "");
        scarce__text_double(&csv, i == 77 ? 1e9 : scarce__random_normal(&r));
        scarce__text_addf(&csv, ",%s%d,%d,%s%d,%d,%d\n", i == 9 ? "inf" : "", i, i == 3 ? 5000 : i % 5 != 0,
                          i == 4 ? "-" : "",
                          i == 8   ? 90000000
                          : i == 6 ? 0
                                   : 10 + i % 7,
                          i == 100 ? 0 : i, y);
    }
    t = table_of(&csv, &ro);
    if (!t) return;
    d = examine(t, NULL);
    CHECK(found(d, "constant", "one") && found(d, "empty", "none") && found(d, "nearly-empty", "sometimes"));
    CHECK(found(d, "heavy-tail", "tail") && !found(d, "constant", "none"));
    CHECK(found(d, "heavy-tail", "tail") &&
          strstr(found(d, "heavy-tail", "tail")->what, "90 % of its values"));
    CHECK(found(d, "zero-weights", "w") && found(d, "huge-weights", "w"));
    CHECK_NEAR(figure(found(d, "zero-weights", "w"), "rows"), 400, 0);
    CHECK(found(d, "amount-negative", "amount") && found(d, "amount-heavy", "amount"));
    CHECK_NEAR(figure(found(d, "time-unsorted", "when"), "rows"), 1, 0);
    scarce_doctor_free(d);
    scarce_table_free(t);
}

static void test_infinite(void)
{
    float x[200];
    uint8_t y[200];
    scarce_table *t = NULL;
    scarce_doctor *d;
    for (size_t i = 0; i < 200; ++i) {
        x[i] = i == 50 ? (float)INFINITY : (float)(i * 37 % 101);
        y[i] = i % 10 == 0;
    }
    CHECK(scarce_table_from_floats(&t, x, 200, 1, NULL, y, NULL) == SCARCE_OK);
    d = examine(t, NULL);
    CHECK_NEAR(figure(found(d, "infinite", NULL), "rows"), 1, 0);
    scarce_doctor_free(d);
    scarce_table_free(t);
}

/* ---- odd tables */

static void test_odd_tables(void)
{
    static float x[300];
    static uint8_t y[300];
    scarce_table *t = NULL;
    scarce_doctor *d = NULL;
    scarce_doctor_options o = SCARCE_DOCTOR_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;

    for (size_t i = 0; i < 300; ++i) x[i] = (float)i;
    CHECK(scarce_table_from_floats(&t, x, 100, 3, NULL, y, NULL) == SCARCE_OK); /* no positive */
    d = examine(t, NULL);
    CHECK(found(d, "one-class", NULL) && scarce_doctor_folds(d) == 0 &&
          isnan(scarce_doctor_column_of(d, 0)->auc));
    scarce_doctor_free(d);
    scarce_table_free(t);

    CHECK(scarce_table_from_floats(&t, x, 100, 3, NULL, NULL, NULL) == SCARCE_OK); /* no label */
    d = examine(t, NULL);
    CHECK(found(d, "one-class", NULL) && found(d, "one-class", NULL)->severity == SCARCE_SEVERITY_BAD);
    scarce_doctor_free(d);
    scarce_table_free(t);

    y[17] = 1; /* one positive: nothing can be said of columns, and one fold only tests it */
    CHECK(scarce_table_from_floats(&t, x, 100, 3, NULL, y, NULL) == SCARCE_OK);
    d = examine(t, NULL);
    CHECK(found(d, "few-positives", NULL)->severity == SCARCE_SEVERITY_BAD);
    CHECK(found(d, "folds-untrained", NULL) && !found(d, "leak-label", NULL));
    scarce_doctor_free(d);
    scarce_table_free(t);

    for (size_t i = 0; i < 300; ++i) x[i] = (float)NAN; /* all missing */
    for (size_t i = 0; i < 100; ++i) y[i] = i % 4 == 0;
    CHECK(scarce_table_from_floats(&t, x, 100, 3, NULL, y, NULL) == SCARCE_OK);
    d = examine(t, NULL);
    CHECK(found(d, "empty", NULL) && isnan(scarce_doctor_column_of(d, 1)->ap) &&
          scarce_doctor_column_of(d, 2)->distinct == 0);
    scarce_doctor_free(d);
    scarce_table_free(t);

    y[0] = 1; /* one row */
    CHECK(scarce_table_from_floats(&t, x, 1, 1, NULL, y, NULL) == SCARCE_OK);
    d = examine(t, NULL);
    CHECK(found(d, "one-class", NULL) != NULL);
    scarce_doctor_free(d);
    o.protocol = "walk";
    y[0] = 0;
    scarce_table_free(t);
    for (size_t i = 0; i < 100; ++i) y[i] = i % 4 == 0;
    CHECK(scarce_table_from_floats(&t, x, 100, 1, NULL, y, NULL) == SCARCE_OK);
    CHECK(scarce_doctor_run(&d, t, &o, NULL, &err) == SCARCE_EINVAL && d == NULL && err.text[0]);
    o.protocol = "temporal:train=3d,test=1d"; /* no time: a finding, not an error */
    CHECK(scarce_doctor_run(&d, t, &o, NULL, &err) == SCARCE_OK && found(d, "protocol", NULL));
    scarce_doctor_free(d);
    o.period = -1;
    CHECK(scarce_doctor_run(&d, t, &o, NULL, &err) == SCARCE_EINVAL && d == NULL);
    scarce_table_free(t);
}

/* Two values, one for each class, with three positives; and a column that is perfect by its order only. */
static void test_few_positives(void)
{
    static float x[400 * 2];
    static uint8_t y[400];
    scarce_table *t = NULL;
    scarce_doctor *d;
    for (size_t i = 0; i < 400; ++i) {
        y[i] = i == 30 || i == 222 || i == 333;
        x[2 * i] = y[i] ? 1.0f : 2.0f;
        x[2 * i + 1] = (float)(i * 7919 % 400) + (y[i] ? 1000.5f : 0.0f);
    }
    CHECK(scarce_table_from_floats(&t, x, 400, 2, NULL, y, NULL) == SCARCE_OK);
    d = examine(t, NULL);
    CHECK(found(d, "leak-label", "1") && !found(d, "leak-label", "2"));
    scarce_doctor_free(d);
    scarce_table_free(t);
}

/* One bad field among numbers is said to be that, not an identifier; real codes aren't. */
static void test_stray_text(void)
{
    scarce__text csv = SCARCE__TEXT_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t;
    scarce_doctor *d;

    scarce__text_add(&csv, "amount,code,clean,label\n");
    for (int i = 0; i < 400; ++i)
        scarce__text_addf(&csv, "%d%s,%s%d,%d,%d\n", i * 7919 % 401, i == 77 ? "x" : "", i % 2 ? "A" : "", i,
                          i * 31 % 401, i % 10 == 0);
    t = table_of(&csv, &ro);
    if (!t) return;
    d = examine(t, NULL);
    CHECK(found(d, "stray-text", "amount") && !found(d, "identifier", "amount"));
    CHECK(!found(d, "many-categories", "amount"));
    CHECK(found(d, "stray-text", "amount") && strstr(found(d, "stray-text", "amount")->what, "x\""));
    CHECK(found(d, "identifier", "code") && !found(d, "stray-text", "code"));
    CHECK(!found(d, "stray-text", "clean"));
    scarce_doctor_free(d);
    scarce_table_free(t);
}

static const test_case tests[] = {{"stray text", test_stray_text},
                                  {"figures", test_figures},
                                  {"sparse", test_sparse},
                                  {"leaks", test_leaks},
                                  {"categories and ids", test_categories_and_ids},
                                  {"copies", test_copies},
                                  {"same columns", test_same_columns},
                                  {"shape", test_shape},
                                  {"infinite", test_infinite},
                                  {"odd tables", test_odd_tables},
                                  {"few positives", test_few_positives}};
TEST_MAIN(tests)
