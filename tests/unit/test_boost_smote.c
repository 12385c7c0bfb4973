/* SPDX-License-Identifier: Apache-2.0 */
/* Bags with positives made up between positives: where they lie, how many, what they weigh, and that a draw depends on
 * the tree and the seed alone. */
#include <math.h>

#include "boost/boost.h"
#include "core/alloc.h"
#include "data/table.h"
#include "test.h"
#include "unit/lcg.h"

enum { ROWS = 120, COLUMNS = 3 };

static float x[ROWS * COLUMNS];
static uint8_t y[ROWS];
static float weight[ROWS];

static scarce_table *small_table(size_t positives)
{
    lcg r = lcg_start(5);
    scarce_table *t = NULL;
    for (size_t i = 0; i < ROWS; ++i) {
        for (size_t k = 0; k < COLUMNS; ++k) x[i * COLUMNS + k] = (float)lcg_below(&r, 1000) / 8;
        y[i] = i % 7 == 3 && i / 7 < positives;
        weight[i] = (float)(1 + i % 5);
    }
    CHECK(scarce_table_from_floats(&t, x, ROWS, COLUMNS, NULL, y, NULL) == SCARCE_OK);
    return t;
}

/* Is it p + d (q - p) of two positives, with one d in [0, 1]? w: the weight of such a p. */
static int lies_between(const scarce_table *made, size_t row, double *w)
{
    for (size_t p = 0; p < ROWS; ++p)
        for (size_t q = 0; y[p] && q < ROWS; ++q) {
            double d = NAN;
            int fits = y[q] && q != p;
            for (size_t k = 0; fits && k < COLUMNS; ++k) {
                const double from = (double)x[p * COLUMNS + k], to = (double)x[q * COLUMNS + k];
                const double at = (double)made->columns[k].number[row];
                if (from == to) fits = at == from;
                else if (isnan(d)) d = (at - from) / (to - from), fits = d >= -1e-4 && d <= 1 + 1e-4;
                else fits = fabs(from + d * (to - from) - at) < 1e-2;
            }
            if (fits && (w == NULL || fabs(*w - (double)weight[p]) < 1e-6)) return 1;
        }
    return 0;
}

static void draw(scarce__sampling *s, scarce__bag *bag, const scarce_table *t, int weights, size_t tree)
{
    const scarce__population from = {
        .n = ROWS, .label = y, .case_weight = weights ? weight : NULL, .n_all = ROWS, .table = t};
    const scarce__draw at = {7, tree, 0};
    if (!s->state) CHECK(scarce__sampling_start(s, &from, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__sampling_draw(s, bag, &from, &at, NULL, NULL) == SCARCE_OK);
}

static void test_rows(void)
{
    for (int weights = 0; weights < 2; ++weights)
        for (size_t positives = 2; positives <= 17;
             positives += 15) { /* fewer than neighbours are wanted, and more */
            scarce_table *t = small_table(positives);
            scarce__sampling_options o = SCARCE__SAMPLING_OPTIONS_INIT;
            scarce__loss loss = scarce__loss_logistic(1);
            scarce__sampling s, again;
            scarce__bag bag = {0}, other = {0};
            float first = 0;
            o.kind = SCARCE__ROWS_SMOTE;
            o.made = 2.5;
            CHECK(scarce__sampling_choose(&s, &o, positives, ROWS - positives, &loss, NULL) == SCARCE_OK);
            CHECK(scarce__sampling_choose(&again, &o, positives, ROWS - positives, &loss, NULL) == SCARCE_OK);
            for (size_t tree = 0; tree < 4; ++tree) {
                draw(&s, &bag, t, weights, tree);
                CHECK(bag.n == ROWS && bag.row[5] == 5 && bag.made);
                CHECK(bag.made->n_rows == (size_t)floor(2.5 * (double)positives + 0.5));
                CHECK((bag.weight != NULL) == weights);
                for (size_t i = 0; i < bag.made->n_rows; ++i) {
                    double w = weights ? (double)bag.weight[ROWS + i] : 0;
                    CHECK(bag.made->label[i] == 1 && lies_between(bag.made, i, weights ? &w : NULL));
                }
                if (tree > 0) CHECK(bag.made->columns[0].number[0] != first); /* drawn anew */
                first = bag.made->columns[0].number[0];
            }
            draw(&again, &other, t, weights, 3); /* the same whatever was drawn before */
            CHECK(other.made->n_rows == bag.made->n_rows &&
                  memcmp(other.made->columns[1].number, bag.made->columns[1].number,
                         other.made->n_rows * sizeof(float)) == 0);
            scarce__bag_deinit(&bag);
            scarce__bag_deinit(&other);
            scarce__sampling_end(&s);
            scarce__sampling_end(&again);
            scarce_table_free(t);
        }
}

static void test_refused(void)
{
    scarce__sampling_options o = SCARCE__SAMPLING_OPTIONS_INIT;
    scarce__loss loss = scarce__loss_logistic(1);
    scarce__sampling s;
    scarce_error err = SCARCE_ERROR_INIT;
    o.kind = SCARCE__ROWS_SMOTE;
    CHECK(scarce__sampling_choose(&s, &o, 1, 50, &loss, &err) == SCARCE_EDATA);
    CHECK(strstr(err.text, "1 positive: rows can't be made between it and others"));
    o.made = 0;
    CHECK(scarce__sampling_choose(&s, &o, 5, 50, &loss, &err) == SCARCE_EINVAL);
    o.made = 1;
    o.neighbours = 0;
    CHECK(scarce__sampling_choose(&s, &o, 5, 50, &loss, &err) == SCARCE_EINVAL);
}

static const test_case tests[] = {{"rows", test_rows}, {"refused", test_refused}};
TEST_MAIN(tests)
