/* SPDX-License-Identifier: Apache-2.0 */
/* What the doctor says of time, folds and groups, with the fault planted and without; and that the number of
 * threads does not matter. */
#include <scarce/simulate.h>

#include "unit/doctors.h"

enum { DAY = 86400, DAYS = 60, PER_DAY = 100, ROWS = DAYS * PER_DAY };

typedef struct stream {
    double (*share)(int day); /* of positives */
    double (*value)(scarce__random *r, int day);
    int (*category)(scarce__random *r, int day);
} stream;

static double steady(int day)
{
    (void)day;
    return 0.04;
}

static double growing(int day)
{
    return 0.02 + 0.06 * day / DAYS;
}

static double late(int day) /* most labels of the last ten days are not there yet */
{
    return day >= DAYS - 10 ? 0.008 : 0.04;
}

static double still(scarce__random *r, int day)
{
    (void)day;
    return scarce__random_normal(r);
}

static double shifted(scarce__random *r, int day)
{
    return scarce__random_normal(r) + (day >= DAYS / 2);
}

static int same_categories(scarce__random *r, int day)
{
    (void)day;
    return (int)scarce__random_below(r, 6);
}

static int new_categories(scarce__random *r, int day)
{
    return (int)scarce__random_below(r, 6) + (day >= DAYS - 12 ? 3 : 0);
}

static scarce_table *make(const stream *s, uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 77);
    scarce__text csv = SCARCE__TEXT_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    ro.time = "when";
    ro.group = "who";
    scarce__text_add(&csv, "x,z,kind,until,when,who,label\n");
    for (int i = 0; i < ROWS; ++i) {
        const int day = i / PER_DAY;
        const double when = 1.5e9 + (double)i * DAY / PER_DAY;
        add_number(&csv, s->value(&r, day));
        add_number(&csv, scarce__random_normal(&r));
        scarce__text_addf(&csv, ",k%d", s->category(&r, day));
        add_number(&csv, (when - 1.5e9) / 3600 + 48 * scarce__random_unit(&r)); /* goes with the time */
        add_number(&csv, when);
        scarce__text_addf(&csv, ",g%d,%d\n", (int)scarce__random_below(&r, 500),
                          scarce__random_unit(&r) < s->share(day));
    }
    return table_of(&csv, &ro);
}

static void test_drift(void)
{
    static const stream clean = {steady, still, same_categories};
    static const stream rising = {growing, still, same_categories};
    static const stream delayed = {late, still, same_categories};
    static const stream moved = {steady, shifted, new_categories};
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        scarce_table *t = make(&clean, seed);
        scarce_doctor *d = examine(t, NULL);
        CHECK(!found(d, "base-rate", NULL) && !found(d, "label-delay", NULL) && !found(d, "drift", NULL));
        CHECK(!found(d, "new-categories", NULL) && found(d, "clock", "until") && !found(d, "clock", "x"));
        CHECK(scarce_doctor_column_of(d, 0)->psi < 0.02 && scarce_doctor_column_of(d, 2)->psi < 0.02);
        CHECK(scarce_doctor_periods(d) == 9);
        CHECK_TEXT(scarce_doctor_period_unit(d), "week");
        scarce_doctor_free(d);
        scarce_table_free(t);

        t = make(&rising, seed);
        d = examine(t, NULL);
        CHECK(found(d, "base-rate", "label") && !found(d, "label-delay", NULL));
        CHECK(figure(found(d, "base-rate", NULL), "last") > figure(found(d, "base-rate", NULL), "first"));
        scarce_doctor_free(d);
        scarce_table_free(t);

        t = make(&delayed, seed);
        d = examine(t, NULL);
        CHECK(found(d, "label-delay", "label") && !found(d, "base-rate", NULL));
        scarce_doctor_free(d);
        scarce_table_free(t);

        t = make(&moved, seed);
        d = examine(t, NULL);
        CHECK(found(d, "drift", "x") && found(d, "drift", "kind") && !found(d, "drift", "z"));
        CHECK_NEAR(figure(found(d, "drift", "x"), "psi"), 1, 0.25); /* normal, moved by its sd: 1 */
        CHECK(found(d, "new-categories", "kind") != NULL);
        scarce_doctor_free(d);
        scarce_table_free(t);
    }
}

/* PSI of a category against its formula. */
static void test_psi(void)
{
    static const int first[3] = {50, 30, 20}, last[3] = {20, 30, 50};
    scarce__text csv = SCARCE__TEXT_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t;
    scarce_doctor *d;
    double psi = -2 * (1 / 100.0 + 1 / 100.0);
    int n = 0;

    ro.time = "when";
    scarce__text_add(&csv, "kind,when,label\n");
    for (int quarter = 0; quarter < 4; ++quarter)
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < (quarter < 3 ? first : last)[k]; ++i, ++n)
                scarce__text_addf(&csv, "%c,%d,%d\n", 'a' + k, quarter * 1000 + n % 100, n % 7 == 0);
    for (int k = 0; k < 3; ++k) {
        const double e = (first[k] + 0.5) / 101.5, l = (last[k] + 0.5) / 101.5;
        psi += (e - l) * log(e / l);
    }
    t = table_of(&csv, &ro);
    d = examine(t, NULL);
    CHECK_NEAR(scarce_doctor_column_of(d, 0)->psi, psi, 1e-12);
    CHECK(scarce_doctor_periods(d) == 12); /* less than six days: twelve parts */
    scarce_doctor_free(d);
    scarce_table_free(t);
}

static void test_folds(void)
{
    static const stream clean = {steady, still, same_categories};
    scarce_table *t = make(&clean, 4);
    scarce_doctor *d = examine(t, "temporal:train=20d,gap=5d,test=1d");
    size_t known = 0, rows = 0;

    CHECK(found(d, "groups-across", NULL) != NULL); /* 500 groups, seen in 2000 rows */
    CHECK(found(d, "folds-few", NULL) || found(d, "folds-untested", NULL));
    for (size_t i = 0; i < scarce_doctor_folds(d); ++i) {
        const scarce_doctor_fold *f = scarce_doctor_fold_of(d, i);
        CHECK(f->train_rows == 20 * PER_DAY && f->test_rows == PER_DAY && f->known_groups <= f->test_rows);
        known += f->known_groups;
        rows += f->test_rows;
    }
    CHECK_NEAR(figure(found(d, "groups-across", NULL), "share"), (double)known / (double)rows, 1e-12);
    scarce_doctor_free(d);
    d = examine(t, "cv:5"); /* whole groups on one side */
    CHECK(!found(d, "groups-across", NULL) && scarce_doctor_fold_of(d, 0)->known_groups == 0);
    CHECK(!found(d, "concentrated", NULL));
    scarce_doctor_free(d);
    d = examine(t, "temporal:train=90d,test=90d"); /* longer than the data */
    CHECK(found(d, "protocol", NULL) || found(d, "folds-untested", NULL) ||
          found(d, "folds-untrained", NULL));
    scarce_doctor_free(d);
    scarce_table_free(t);
}

static void test_concentrated(void)
{
    scarce__text csv = SCARCE__TEXT_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t;
    scarce_doctor *d;

    ro.group = "who";
    scarce__text_add(&csv, "x,who,label\n");
    for (int i = 0; i < 2000; ++i)
        scarce__text_addf(&csv, "%d,g%d,%d\n", i * 7919 % 2003, i % 100, i % 100 < 3 && i % 3 == 0);
    t = table_of(&csv, &ro);
    d = examine(t, NULL);
    CHECK_NEAR(figure(found(d, "concentrated", "who"), "groups"), 3, 0);
    scarce_doctor_free(d);
    scarce_table_free(t);
}

/* Everything that is said, and every figure. */
static void check_same(const scarce_doctor *a, const scarce_doctor *b)
{
    CHECK(scarce_doctor_findings(a) == scarce_doctor_findings(b));
    for (size_t i = 0; i < scarce_doctor_findings(a) && i < scarce_doctor_findings(b); ++i) {
        CHECK_TEXT(scarce_doctor_get(a, i)->what, scarce_doctor_get(b, i)->what);
        CHECK(memcmp(&scarce_doctor_get(a, i)->figures[0].value, &scarce_doctor_get(b, i)->figures[0].value,
                     sizeof(double)) == 0);
    }
    for (size_t f = 0; f < scarce_doctor_columns(a); ++f)
        CHECK(memcmp(&scarce_doctor_column_of(a, f)->missing, &scarce_doctor_column_of(b, f)->missing,
                     5 * sizeof(double)) == 0);
}

static void test_threads(void)
{
    static const stream moved = {late, shifted, new_categories};
    scarce_table *t = make(&moved, 5);
    scarce_doctor *one = NULL, *more = NULL;
    for (int threads = 1; threads <= 5; threads += 2) {
        scarce_context *ctx = doctor_context(threads);
        CHECK(scarce_doctor_run(threads == 1 ? &one : &more, t, NULL, ctx, NULL) == SCARCE_OK);
        if (more) check_same(one, more);
        scarce_doctor_free(more);
        more = NULL;
        scarce_context_free(ctx);
    }
    scarce_doctor_free(one);
    scarce_table_free(t);
}

static int stop(void *payload, const scarce_progress *progress)
{
    (void)progress;
    return ++*(int *)payload == 2;
}

static void test_cancel(void)
{
    static const stream clean = {steady, still, same_categories};
    scarce_table *t = make(&clean, 6);
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce_doctor *d = NULL;
    int calls = 0;
    o.progress = stop;
    o.payload = &calls;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    CHECK(scarce_doctor_run(&d, t, NULL, ctx, NULL) == SCARCE_ECANCEL && d == NULL && calls == 2);
    scarce_context_free(ctx);
    scarce_table_free(t);
}

static const test_case tests[] = {{"cancel", test_cancel},
                                  {"drift", test_drift},
                                  {"psi", test_psi},
                                  {"folds", test_folds},
                                  {"concentrated", test_concentrated},
                                  {"threads", test_threads}};
TEST_MAIN(tests)
