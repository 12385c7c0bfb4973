/* SPDX-License-Identifier: Apache-2.0 */
/* What rows hold: hashes against the slow definition, their order, distinct rows, weights as numbers of copies. */
#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/distinct.h"
#include "data/row_hash.h"
#include "unit/method_tables.h"

enum { ROWS = 5003 }; /* blocks and a rest */

static uint64_t slow_value(size_t f, double x, int missing)
{
    const uint64_t key = scarce__key(f, SCARCE__FOR_ROWS, 0x5ee);
    const float value = (float)x;
    uint32_t bits;

    if (missing) return scarce__hash(key, UINT64_MAX);
    if (value == 0) return 0;
    memcpy(&bits, &value, sizeof bits);
    return scarce__hash(key, bits);
}

static void check_hashes(table_kind kind)
{
    scarce_table *t = make_table_of(kind, ROWS, 4, NULL);
    uint64_t *hash = scarce__row_hashes(t);
    float *row = malloc(scarce_table_features(t) * sizeof *row);
    CHECK(hash && row);
    for (size_t i = 0; hash && row && i < ROWS; ++i) {
        uint64_t sum = 0;
        take_row(row, t, i);
        for (size_t f = 0; f < scarce_table_features(t); ++f) {
            const int32_t *code = scarce_table_codes(t, f);
            sum +=
                code ? slow_value(f, (double)code[i] + 2, 0) : slow_value(f, (double)row[f], isnan(row[f]));
        }
        CHECK(hash[i] == scarce__mix64(sum));
    }
    scarce__free(hash);
    free(row);
    scarce_table_free(t);
}

static void test_hashes(void)
{
    check_hashes(TABLE_PAYMENTS);
    check_hashes(TABLE_WORDS);
}

static void test_order(void)
{
    enum { N = 1000 };
    uint64_t hash[N];
    uint32_t row[N];
    for (size_t i = 0; i < N; ++i) {
        row[i] = (uint32_t)((i * 7) % N);
        hash[i] = i % 3 ? scarce__mix64(i / 4) : (uint64_t)i % 7; /* equal ones, and equal upper halves */
    }
    CHECK(scarce__order_rows(row, N, hash, NULL) == SCARCE_OK);
    for (size_t k = 1; k < N; ++k)
        CHECK(hash[row[k - 1]] < hash[row[k]] || (hash[row[k - 1]] == hash[row[k]] && row[k - 1] < row[k]));
    CHECK(scarce__order_rows(row, 0, hash, NULL) == SCARCE_OK);
}

/* Weights, and as many copies in another order, give the same table. */
static void test_distinct(void)
{
    enum { FEW = 200 };
    scarce_table *t = make_table_of(TABLE_PAYMENTS, FEW, 5, NULL), *a = NULL, *b = NULL;
    scarce__distinct x, y;
    double weight[FEW];
    uint32_t copies[3 * FEW], backwards[FEW];
    size_t n = 0;

    for (size_t i = 0; i < FEW; ++i) {
        backwards[i] = (uint32_t)(FEW - 1 - i);
        weight[i] = (double)(backwards[i] % 4);
        for (size_t k = 0; k < i % 4; ++k) copies[n++] = (uint32_t)i;
    }
    CHECK(scarce_table_rows_of(&a, t, backwards, FEW, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_set_weight(a, weight, NULL) == SCARCE_OK);
    CHECK(scarce_table_rows_of(&b, t, copies, n, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__distinct_new(&x, a, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__distinct_new(&y, b, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(x.table->n_rows == y.table->n_rows && x.table->n_rows <= FEW * 3 / 4 && x.table->weight);
    for (size_t i = 0; i < x.table->n_rows; ++i) {
        float p[16], q[16];
        take_row(p, x.table, i);
        take_row(q, y.table, i);
        for (size_t f = 0; f < scarce_table_features(t); ++f)
            CHECK(p[f] == q[f] || (isnan(p[f]) && isnan(q[f])));
        CHECK(x.table->weight[i] == y.table->weight[i] && x.table->label[i] == y.table->label[i]);
    }
    uint32_t *first = scarce__first_equal(b, NULL);
    for (size_t i = 0; first && i < n; ++i) {
        CHECK(first[i] <= i && first[first[i]] == first[i]);
        CHECK(i == 0 || copies[i] != copies[i - 1] || first[i] == first[i - 1]);
    }
    scarce__free(first);
    scarce__distinct_deinit(&x);
    scarce__distinct_deinit(&y);
    for (size_t i = 0; i < FEW; ++i) a->weight[i] = 0;
    CHECK(scarce__distinct_new(&x, a, NULL, NULL, NULL) == SCARCE_EDATA);
    scarce_table_free(t);
    scarce_table_free(a);
    scarce_table_free(b);
}

static void test_counts(void)
{
    static const double whole[4] = {0, 1, 2, 5}, parts[4] = {0, 1, 2.5, 1}, large[4] = {30, 1, 1, 1};
    scarce__counts c = scarce__counts_of(whole, NULL, 4);
    CHECK(c.copies && scarce__count_at(&c, 0) == 0 && scarce__count_at(&c, 3) == 5);
    CHECK(scarce__count_weight(&c, 3) == 1);
    c = scarce__counts_of(parts, NULL, 4);
    CHECK(!c.copies && scarce__count_at(&c, 0) == 0 && scarce__count_at(&c, 2) == 1);
    CHECK(scarce__count_weight(&c, 2) == 2.5);
    c = scarce__counts_of(large, NULL, 4); /* 8 on average is too much to be copies */
    CHECK(!c.copies && scarce__count_at(&c, 0) == 1 && scarce__count_weight(&c, 0) == 30);
    c = scarce__counts_of(NULL, whole, 4);
    CHECK(c.copies && scarce__count_at(&c, 3) == 5);
    c = scarce__counts_of(NULL, NULL, 4);
    CHECK(!c.copies && scarce__count_at(&c, 3) == 1 && scarce__count_weight(&c, 3) == 1);
}

static const test_case tests[] = {
    {"hashes", test_hashes}, {"order", test_order}, {"distinct", test_distinct}, {"counts", test_counts}};
TEST_MAIN(tests)
