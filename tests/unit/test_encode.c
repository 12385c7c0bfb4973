/* SPDX-License-Identifier: Apache-2.0 */
/* Categories as numbers against slow counting: other folds or earlier rows only in training, all rows when scoring; rows
 * = tables; written and read. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "core/random.h"
#include "encode/encode_inside.h"
#include "test.h"
#include "unit/method_tables.h"

enum { ROWS = 400 };
static const double strength = 2;

static int32_t code_at(const scarce_table *t, size_t f, size_t r)
{
    return t->columns[f].code[r];
}

/* The fold a row is in, as counts.c draws it. */
static int fold_of(const scarce_table *t, size_t r, uint64_t seed)
{
    const uint64_t key = scarce__key(seed, SCARCE__FOR_SPLIT, (uint64_t)-4);
    return (int)(scarce__hash(key, t->group ? (uint64_t)t->group[r] : r) % 5);
}

/* Rate and count of `row`'s values in columns a and b (SIZE_MAX: a alone) among the rows it may know. */
static void count_slowly(double *rate, double *count, const scarce_table *t, const scarce_table *of,
                         size_t row, size_t a, size_t b, int training, const scarce__encode_options *o)
{
    double rows = 0, positives = 0, all = 0, hits = 0;
    for (size_t r = 0; r < t->n_rows; ++r) {
        const double w = t->weight ? t->weight[r] : 1;
        all += w;
        hits += t->label[r] ? w : 0;
        if (training && (t->time ? t->time[r] >= t->time[row] || t->time[r] + o->delay > t->time[row]
                                 : fold_of(t, r, o->seed) == fold_of(t, row, o->seed)))
            continue;
        if (code_at(t, a, r) != code_at(of, a, row)) continue;
        if (b != SIZE_MAX && code_at(t, b, r) != code_at(of, b, row)) continue;
        rows += w;
        positives += t->label[r] ? w : 0;
    }
    *rate = (positives + strength * hits / all) / (rows + strength);
    *count = rows;
}

static void compare(const scarce__encoder *e, const scarce_table *encoded, const scarce_table *t,
                    const scarce_table *of, int training, const scarce__encode_options *o)
{
    size_t wrong = 0;
    for (size_t i = 0; i < e->n_counts; ++i)
        for (size_t r = 0; r < of->n_rows; ++r) {
            size_t b;
            const size_t f = e->n_kept + 2 * i, a = scarce__encoder_source(e, f, &b);
            double rate, count;
            count_slowly(&rate, &count, t, of, r, a, b, training, o);
            wrong += fabs((double)encoded->columns[f].number[r] - rate) > 1e-6;
            wrong += (double)encoded->columns[f + 1].number[r] != count;
        }
    CHECK(wrong == 0);
}

static void check_table(const scarce_table *t, const scarce_table *other, scarce__encode_options o)
{
    scarce__encoder *e = NULL, *again = NULL;
    scarce_table *train = NULL, *test = NULL;
    scarce__writer w = {0};
    scarce_error err = SCARCE_ERROR_INIT;

    CHECK(scarce__encode_columns(&t->schema) == 2);
    CHECK(scarce__encoder_new(&e, &train, t, &o, NULL, &err) == SCARCE_OK);
    if (!e) return;
    CHECK(e->n_counts == (o.pairs ? 3u : 2u) && e->n_kept == t->schema.n_features - 2);
    CHECK(e->schema.n_features == e->n_kept + 2 * e->n_counts + 1); /* the terminals have an order */
    compare(e, train, t, t, 1, &o);
    CHECK(scarce__encoder_table(&test, e, other, NULL, &err) == SCARCE_OK);
    compare(e, test, t, other, 0, &o);

    scarce__encoder_write(e, &w);
    scarce__reader r = scarce__reader_of(w.bytes, w.n);
    CHECK(scarce__encoder_read(&again, &t->schema, &r, &err) == SCARCE_OK && r.at == r.end);
    for (size_t i = 0, width = e->schema.n_features; again && i < other->n_rows; ++i) {
        float row[16], one[32];
        take_row(row, other, i);
        scarce__encoder_row(again, row, one);
        for (size_t f = 0; f < width; ++f) {
            const float *number = scarce_table_numbers(test, f);
            if (number) CHECK(one[f] == number[i] || (isnan(one[f]) && isnan(number[i])));
        }
    }
    for (size_t cut = 0; cut < w.n; cut += 1 + cut / 8) { /* whatever is cut off is told */
        scarce__encoder *none = NULL;
        scarce__reader part = scarce__reader_of(w.bytes, cut);
        CHECK(scarce__encoder_read(&none, &t->schema, &part, NULL) == SCARCE_EPARSE && !none);
    }
    scarce__writer_deinit(&w);
    scarce_table_free(train);
    scarce_table_free(test);
    scarce__encoder_free(e);
    scarce__encoder_free(again);
}

static void test_counts(void)
{
    scarce_table *t = make_table_of(TABLE_MERCHANTS, ROWS, 1, NULL),
                 *other = make_table_of(TABLE_MERCHANTS, 90, 2, t);
    double time[ROWS], weight[ROWS];
    int32_t group[ROWS];

    for (size_t i = 0; i < ROWS; ++i) {
        time[i] = (double)((i * 7919) % 101); /* with ties, not in order */
        weight[i] = 0.25 * (double)(1 + i % 5);
        group[i] = (int32_t)(i % 37);
    }
    CHECK(t && other);
    if (!t || !other) return;
    for (uint32_t pairs = 0; pairs < 2; ++pairs) {
        scarce__encode_options o = {.pairs = pairs, .seed = 1};
        check_table(t, other, o);
        t->weight = weight;
        o.seed = 2;
        check_table(t, other, o);
        t->group = group;
        o.seed = 3;
        check_table(t, other, o);
        t->time = time;
        for (o.delay = 0; o.delay <= 200; o.delay += 0.5 + 3 * o.delay) check_table(t, other, o);
        t->weight = t->time = NULL;
        t->group = NULL;
    }
    scarce_table_free(t);
    scarce_table_free(other);
}

/* The first row of its value knows nothing, and no row knows its own label. */
static void test_no_leak(void)
{
    scarce_table *t = make_table_of(TABLE_MERCHANTS, ROWS, 1, NULL), *a = NULL, *b = NULL;
    scarce__encoder *e = NULL, *f = NULL;
    const scarce__encode_options o = {.pairs = 1, .seed = 1};
    size_t changed = 0;

    CHECK(t != NULL);
    if (!t) return;
    CHECK(scarce__encoder_new(&e, &a, t, &o, NULL, NULL) == SCARCE_OK);
    t->label[17] = !t->label[17];
    CHECK(scarce__encoder_new(&f, &b, t, &o, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; e && f && i < e->n_counts; ++i) {
        const size_t at = e->n_kept + 2 * i;
        /* but for the share of all rows, which every row knows */
        const double mine = (double)a->columns[at].number[17], then = (double)b->columns[at].number[17];
        CHECK(fabs(mine - then) <= 1.01 / ROWS);
        for (size_t r = 0; r < ROWS; ++r)
            changed += fabs((double)a->columns[at].number[r] - (double)b->columns[at].number[r]) > 2.0 / ROWS;
    }
    CHECK(changed > 0); /* others of its values do know it */
    scarce_table_free(a);
    scarce_table_free(b);
    scarce_table_free(t);
    scarce__encoder_free(e);
    scarce__encoder_free(f);
}

/* Four columns have six pairs, ab ac ad bc bd cd: those whose bits are set are made, as they are among all. */
static void test_some_pairs(void)
{
    static const size_t first[6] = {0, 0, 0, 1, 1, 2}, second[6] = {1, 2, 3, 2, 3, 3};
    scarce_table *t = make_table_of(TABLE_WIDE, ROWS, 1, NULL), *all_rows = NULL;
    scarce__encode_options o = {.pairs = SCARCE__ALL_PAIRS, .seed = 1};
    scarce__encoder *all = NULL;

    CHECK(t && scarce__encode_columns(&t->schema) == 4);
    if (!t) return;
    CHECK(scarce__encoder_new(&all, &all_rows, t, &o, NULL, NULL) == SCARCE_OK && all->n_counts == 10);
    for (o.pairs = 0; all && o.pairs < 64; ++o.pairs) {
        scarce__encoder *e = NULL;
        scarce_table *rows = NULL;
        size_t made = 0;
        CHECK(scarce__encoder_new(&e, &rows, t, &o, NULL, NULL) == SCARCE_OK);
        for (size_t k = 0; e && k < 6; ++k) {
            if (!(o.pairs >> k & 1)) continue;
            const size_t at = e->n_kept + 2 * (4 + made), was = all->n_kept + 2 * (4 + k);
            CHECK(e->counts[4 + made].a == e->counts[first[k]].a &&
                  e->counts[4 + made].b == e->counts[second[k]].a);
            CHECK(scarce__encoder_pair(e, at) == made && scarce__encoder_pair(e, at + 1) == made);
            CHECK(memcmp(rows->columns[at].number, all_rows->columns[was].number, ROWS * sizeof(float)) == 0);
            ++made;
        }
        CHECK(e && e->n_counts == 4 + made && scarce__encoder_pair(e, e->n_kept + 7) == SIZE_MAX &&
              scarce__encoder_pair(e, e->n_kept + 2 * e->n_counts) == SIZE_MAX);
        scarce_table_free(rows);
        scarce__encoder_free(e);
    }
    scarce_table_free(all_rows);
    scarce__encoder_free(all);
    scarce_table_free(t);
}

/* The inverse of scarce__mix64. */
static uint64_t unmix(uint64_t x)
{
    x ^= x >> 31 ^ x >> 62;
    x *= 0x319642b2d24d8ec3u;
    x ^= x >> 27 ^ x >> 54;
    x *= 0x96de1b173f119089u;
    return x ^ x >> 30 ^ x >> 60;
}

/* Keys that all met in one slot as long as the hash had no secret: 5 10^9 steps then. */
static void test_chosen_keys(void)
{
    enum { N = 100000 };
    scarce__counts c = {0, 1, N, calloc(N, sizeof(uint64_t)), NULL, NULL, NULL, 0};
    const clock_t begun = clock();

    CHECK(c.key && scarce__mix64(unmix(12345)) == 12345);
    for (size_t i = 0; c.key && i < N; ++i) c.key[i] = unmix((uint64_t)i << 32 | 7);
    CHECK(scarce__counts_index(&c, NULL) == SCARCE_OK);
    for (size_t i = 0; c.key && i < N; ++i) CHECK(scarce__counts_find(&c, c.key[i]) == i);
    CHECK((double)(clock() - begun) < 3.0 * CLOCKS_PER_SEC);
    scarce__counts_deinit(&c);
}

static const test_case tests[] = {{"counts", test_counts},
                                  {"no_leak", test_no_leak},
                                  {"some_pairs", test_some_pairs},
                                  {"chosen_keys", test_chosen_keys}};
TEST_MAIN(tests)
