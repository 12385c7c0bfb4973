/* SPDX-License-Identifier: Apache-2.0 */
/* Protocols: the folds are what they say, groups and time are kept apart, known groups are left out. */
#include "study/protocol.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <scarce/study.h>

#include "core/alloc.h"
#include "unit/studies.h"

static scarce__folds plan_of(const scarce_table *t, const char *protocol, size_t repeats, int purge)
{
    scarce__folds f;
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce__folds_make(&f, t, protocol, repeats, purge, NULL, &err) != SCARCE_OK) {
        fprintf(stderr, "%s: %s\n", protocol, err.text);
        ++test_failures;
    }
    return f;
}

static scarce__fold rows_of(const scarce__folds *f, const scarce_table *t, size_t i)
{
    scarce__fold fold;
    CHECK(scarce__fold_rows(&fold, f, t, i, NULL, NULL) == SCARCE_OK);
    return fold;
}

static void test_random(void)
{
    scarce_table *t = study_table(0, 0);
    scarce__folds f = plan_of(t, "cv:4", 3, 0);
    uint8_t seen[STUDY_ROWS] = {0};
    scarce__fold a, b;
    CHECK(f.count == 12);
    for (size_t k = 0; k < 12; ++k) { /* the folds of a repeat test every row once */
        a = rows_of(&f, t, k);
        CHECK(a.n_train + a.n_test == STUDY_ROWS);
        for (size_t i = 0; i < a.n_test; ++i) seen[a.test[i]] += 1;
        scarce__fold_deinit(&a);
    }
    for (int i = 0; i < STUDY_ROWS; ++i) CHECK(seen[i] == 3);
    scarce__folds_deinit(&f);
    f = plan_of(t, "holdout:0.25", 5, 0);
    a = rows_of(&f, t, 0);
    b = rows_of(&f, t, 1);
    CHECK(f.count == 5 && a.n_test == STUDY_ROWS / 4);
    CHECK(memcmp(a.test, b.test, 50 * sizeof(uint32_t)) != 0);
    scarce__fold_deinit(&a);
    scarce__fold_deinit(&b);
    scarce__folds_deinit(&f);
    scarce_table_free(t);
}

/* Repeated, and no group on both sides. */
static void test_grouped(void)
{
    static const char *const protocols[] = {"cv:4", "holdout:0.3"};
    scarce_table *t = study_table(0, 1);
    for (int p = 0; p < 2; ++p) {
        scarce__folds f = plan_of(t, protocols[p], 3, 0);
        CHECK(f.count == (p ? 3 : 12));
        for (size_t k = 0; k < f.count; ++k) {
            uint8_t side[STUDY_GROUPS] = {0};
            scarce__fold a = rows_of(&f, t, k);
            for (size_t i = 0; i < a.n_train; ++i) side[t->group[a.train[i]]] |= 1;
            for (size_t i = 0; i < a.n_test; ++i) side[t->group[a.test[i]]] |= 2;
            for (int g = 0; g < STUDY_GROUPS; ++g) CHECK(side[g] == 1 || side[g] == 2);
            scarce__fold_deinit(&a);
        }
        scarce__folds_deinit(&f);
    }
    scarce_table_free(t);
}

static void test_temporal(void)
{
    scarce_table *t = study_table(1, 0);
    scarce__folds f = plan_of(t, "temporal:train=20d,valid=5d,gap=7d,test=4d,step=8d", 1, 0);
    CHECK(f.count == 4 && f.skipped == 0); /* starts 0, 8, 16 and 24: 24 + 36 days = 60 */
    for (size_t k = 0; k < f.count; ++k) {
        scarce__fold a = rows_of(&f, t, k);
        const double start = STUDY_START + (double)k * 8 * DAY;
        CHECK(a.n_train == 400 && a.n_valid == 100 && a.n_test == 80);
        for (size_t i = 0; i < a.n_train; ++i)
            CHECK(t->time[a.train[i]] >= start && t->time[a.train[i]] < start + 20 * DAY);
        for (size_t i = 0; i < a.n_valid; ++i)
            CHECK(t->time[a.valid[i]] >= start + 20 * DAY && t->time[a.valid[i]] < start + 25 * DAY);
        for (size_t i = 0; i < a.n_test; ++i)
            CHECK(t->time[a.test[i]] >= start + 32 * DAY && t->time[a.test[i]] < start + 36 * DAY);
        scarce__fold_deinit(&a);
    }
    scarce__folds_deinit(&f);
    scarce_table_free(t);
}

/* Labels arrive after the delay: nothing younger is learnt from. */
static void test_prequential(void)
{
    scarce_table *t = study_table(1, 0);
    scarce__folds f = plan_of(t, "prequential:delay=7d,train=30d,test=2d", 1, 0);
    CHECK(f.count == 11); /* from day 37 on, two days each, while they last */
    for (size_t k = 0; k < f.count; ++k) {
        scarce__fold a = rows_of(&f, t, k);
        const double at = STUDY_START + (37.0 + 2 * (double)k) * DAY;
        CHECK(a.n_train == 600 + 40 * k && a.train[0] == 0 && a.n_test == 40 && a.n_valid == 0);
        CHECK(t->time[a.train[a.n_train - 1]] < at - 7 * DAY);
        for (size_t i = 0; i < a.n_test; ++i)
            CHECK(t->time[a.test[i]] >= at && t->time[a.test[i]] < at + 2 * DAY);
        scarce__fold_deinit(&a);
    }
    scarce__folds_deinit(&f);
    scarce_table_free(t);
}

/* A test row is left out exactly when its group had a positive that was known when it came. */
/* The end of the data, row by row; the public fold is the same, and says when it is. */
static void test_latest(void)
{
    scarce_table *t = study_table(1, 0);
    scarce__folds f = plan_of(t, "latest:test=6d,gap=2d,valid=3d,train=10d", 1, 0);
    const double *time = scarce_table_time(t), day = 86400;
    double first = time[0], last = time[0];
    scarce__fold a = rows_of(&f, t, 0);
    scarce_fold b;
    size_t train = 0, valid = 0, test = 0;

    for (size_t i = 1; i < t->n_rows; ++i) {
        if (time[i] < first) first = time[i];
        if (time[i] > last) last = time[i];
    }
    CHECK(f.count == 1);
    for (uint32_t i = 0; i < t->n_rows; ++i) {
        const double age = last - time[i];
        if (age < 6 * day) CHECK(test < a.n_test && a.test[test++] == i);
        else if (age >= 8 * day && age < 11 * day) CHECK(valid < a.n_valid && a.valid[valid++] == i);
        else if (age >= 11 * day && age < 21 * day) CHECK(train < a.n_train && a.train[train++] == i);
    }
    CHECK(train > 0 && valid > 0 && train == a.n_train && valid == a.n_valid && test == a.n_test);
    scarce__fold_deinit(&a);
    scarce__folds_deinit(&f);
    CHECK(scarce_fold_make(&b, t, "latest:test=6d,gap=2d", 0, 0, NULL, NULL) == SCARCE_OK);
    CHECK(b.n_folds == 1 && b.n_test == test && b.n_train > train && b.n_valid == 0);
    CHECK(b.times.train_from == first && b.times.test_end > last && b.times.test_end < last + 1);
    CHECK_NEAR(b.times.test_from - b.times.train_end, 2 * day, 1);
    scarce_fold_deinit(&b);
    scarce_fold_deinit(NULL);
    CHECK(scarce_fold_make(&b, t, "latest:test=6d", 1, 0, NULL, NULL) == SCARCE_EINVAL && !b.test);
    CHECK(scarce_fold_make(&b, t, "latest:gap=6d", 0, 0, NULL, NULL) == SCARCE_EINVAL);
    CHECK(scarce_fold_make(&b, t, "latest:test=6000d", 0, 0, NULL, NULL) == SCARCE_EDATA);
    CHECK(scarce_fold_make(&b, t, "cv:3", 7, 0, NULL, NULL) == SCARCE_OK && b.n_folds == SIZE_MAX &&
          isnan(b.times.test_from));
    scarce_fold_deinit(&b);
    scarce_table_free(t);
}

static void test_purge(void)
{
    static const char *const protocols[] = {"temporal:train=20d,valid=10d,gap=7d,test=7d",
                                            "prequential:delay=3d,train=30d,test=5d"};
    static const double gaps[] = {7 * DAY, 3 * DAY};
    scarce_table *t = study_table(1, 1);
    for (int p = 0; p < 2; ++p) {
        scarce__folds all = plan_of(t, protocols[p], 1, 0), purged = plan_of(t, protocols[p], 1, 1);
        size_t left_out = 0;
        CHECK(all.count == purged.count);
        for (size_t k = 0; k < all.count; ++k) {
            scarce__fold a = rows_of(&all, t, k), b = rows_of(&purged, t, k);
            size_t at = 0;
            CHECK(a.n_train == b.n_train && a.n_valid == b.n_valid);
            for (size_t i = 0; i < a.n_test; ++i) {
                const uint32_t row = a.test[i];
                int known = 0;
                for (uint32_t j = 0; j < STUDY_ROWS; ++j)
                    known |=
                        t->label[j] && t->group[j] == t->group[row] && t->time[j] < t->time[row] - gaps[p];
                CHECK(known || (at < b.n_test && b.test[at] == row));
                left_out += (size_t)known;
                at += !known;
            }
            CHECK(at == b.n_test);
            scarce__fold_deinit(&a);
            scarce__fold_deinit(&b);
        }
        CHECK(left_out > 20);
        scarce__folds_deinit(&all);
        scarce__folds_deinit(&purged);
    }
    scarce_table_free(t);
}

/* A pause in the data makes windows without rows: they are counted, not passed over in silence. */
static void test_pause(void)
{
    scarce_table *t = study_table(1, 0);
    scarce__folds f;
    for (int i = STUDY_ROWS / 2; i < STUDY_ROWS; ++i) t->time[i] += 30 * DAY;
    f = plan_of(t, "temporal:train=10d,gap=0d,test=10d", 1, 0);
    CHECK(f.count == 4 && f.skipped == 4); /* of 8 windows, those that touch days 30 to 60 */
    scarce__folds_deinit(&f);
    scarce_table_free(t);
}

static void test_bad(void)
{
    static const char *const bad[] = {"",
                                      "cv:1",
                                      "cv:x",
                                      "holdout:2",
                                      "temporal:train=3d",
                                      "temporal:train=3x,test=1d",
                                      "temporal:foo=1",
                                      "prequential:train=3d",
                                      "walk",
                                      "temporal:train=1d,test=1d,step=0"};
    scarce_table *t = study_table(1, 0), *timeless = study_table(0, 0);
    scarce__folds f;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        CHECK(scarce__folds_make(&f, t, bad[i], 2, 0, NULL, NULL) == SCARCE_EINVAL);
    CHECK(scarce__folds_make(&f, timeless, "temporal:train=3d,test=1d", 1, 0, NULL, NULL) == SCARCE_EDATA);
    CHECK(scarce__folds_make(&f, t, "temporal:train=300d,test=100d", 1, 0, NULL, NULL) == SCARCE_EDATA);
    CHECK(scarce__folds_make(&f, t, "cv:5", 1, 1, NULL, NULL) == SCARCE_EINVAL); /* purge without time */
    CHECK(scarce__folds_make(&f, t, "temporal:train=9d,test=9d", 1, 1, NULL, NULL) ==
          SCARCE_EDATA); /* no groups */
    CHECK(scarce__folds_make(&f, t, "cv:5000", 1, 0, NULL, NULL) == SCARCE_EDATA);
    scarce_table_free(t);
    scarce_table_free(timeless);
}

/* Windows of all sizes over rows in no order, with ties and missing times, against the definition. */
static void check_windows(const scarce_table *t, const char *protocol, int purge)
{
    scarce__folds f = plan_of(t, protocol, 1, purge);
    uint8_t *used = calloc(t->n_rows, 1);
    double before = -1;
    CHECK(f.count > 3 && used != NULL);
    for (size_t k = 0; k < f.count; ++k) {
        const double start = f.first + (double)f.window[k] * f.step, test = start + f.train + f.valid + f.gap;
        scarce__fold fold = rows_of(&f, t, k);
        size_t train = 0, valid = 0, tested = 0;
        CHECK(start > before && fold.n_train > 0 && fold.n_test > 0);
        before = start;
        for (size_t i = 0; i < t->n_rows; ++i) {
            const double at = t->time[i];
            int known = 0;
            if (at >= (f.expanding ? f.first : start) && at < start + f.train)
                CHECK(train < fold.n_train && fold.train[train++] == i);
            if (at >= start + f.train && at < start + f.train + f.valid)
                CHECK(valid < fold.n_valid && fold.valid[valid++] == i);
            for (size_t j = 0; purge && j < t->n_rows; ++j)
                known |= t->group[j] == t->group[i] && t->label[j] && t->time[j] < at - f.gap;
            if (at >= test && at < test + f.test && !known)
                CHECK(tested < fold.n_test && fold.test[tested++] == i);
        }
        CHECK(train == fold.n_train && valid == fold.n_valid && tested == fold.n_test);
        scarce__fold_deinit(&fold);
    }
    scarce__folds_deinit(&f);
    free(used);
}

static void test_any_order(void)
{
    scarce_table *t = study_table(1, 1);
    for (size_t i = 0; i < t->n_rows; ++i) { /* shuffled, with ties */
        const size_t j = i * 7919 % t->n_rows;
        const double at = t->time[i];
        t->time[i] = floor(t->time[j] / 3600) * 3600;
        t->time[j] = at;
    }
    for (size_t i = 5; i < t->n_rows; i += 97) t->time[i] = (double)NAN;
    for (int purge = 0; purge < 2; ++purge) {
        check_windows(t, "temporal:train=1d,valid=6h,gap=6h,test=12h", purge);
        check_windows(t, "temporal:train=20d,gap=1d,test=9d,step=3d", purge);
        check_windows(t, "prequential:delay=1d,train=5d,test=6h", purge);
    }
    scarce_table_free(t);
}

/* A hundred thousand windows over as many rows: ten thousand million looks when each is a pass over the table. */
static void test_many_windows(void)
{
    enum { ROWS = 100000 };
    float *value = calloc(ROWS, sizeof *value);
    uint8_t *label = calloc(ROWS, 1);
    scarce_table *t = NULL;
    scarce__folds f;
    size_t rows = 0;
    CHECK(value && label);
    for (size_t i = 0; i < ROWS; ++i) label[i] = i % 50 == 0;
    CHECK(scarce_table_from_floats(&t, value, ROWS, 1, NULL, label, NULL) == SCARCE_OK);
    t->time = scarce__malloc_array(ROWS, sizeof *t->time);
    for (size_t i = 0; i < ROWS; ++i) t->time[i] = (double)(i * 7919 % ROWS);
    const clock_t begun = clock();
    f = plan_of(t, "temporal:train=100,test=1", 1, 0);
    CHECK(f.count >= ROWS - 102);
    for (size_t k = 0; k < f.count; ++k) {
        scarce__fold fold = rows_of(&f, t, k);
        rows += fold.n_train + fold.n_test;
        scarce__fold_deinit(&fold);
    }
    CHECK(rows == 101 * f.count);
    CHECK((double)(clock() - begun) / CLOCKS_PER_SEC < 60); /* it takes one second; it took minutes */
    scarce__folds_deinit(&f);
    scarce_table_free(t);
    free(value);
    free(label);
}

static const test_case tests[] = {
    {"random", test_random},
    {"grouped", test_grouped},
    {"temporal", test_temporal},
    {"prequential", test_prequential},
    {"purge", test_purge},
    {"pause", test_pause},
    {"bad", test_bad},
    {"any_order", test_any_order},
    {"many_windows", test_many_windows},
    {"latest", test_latest},
};
TEST_MAIN(tests)
