/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows judge the candidates of gb, and how: all of the rarer class and enough of the other, each class weighing what it
 * weighs in the table; parts of equal size, spans where there are times, whole groups; a row's score is by trees that did not
 * see it; the same for any threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scarce/scarce.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/table.h"
#include "method/gb_held.h"
#include "method/gb_tries.h"
#include "test.h"

enum { ROWS = 30000, COLUMNS = 3 };

/* So many positives, at random places, higher in the first column. */
static scarce_table *make_table(size_t rows, size_t positives, uint64_t seed)
{
    static float x[ROWS * COLUMNS];
    static uint8_t y[ROWS];
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 2);
    scarce_table *table = NULL;

    memset(y, 0, sizeof y);
    for (size_t k = 0; k < positives;) {
        const size_t i = (size_t)scarce__random_below(&r, rows);
        k += !y[i];
        y[i] = 1;
    }
    for (size_t i = 0; i < rows; ++i)
        for (size_t f = 0; f < COLUMNS; ++f)
            x[i * COLUMNS + f] = (float)(scarce__random_unit(&r) + (f == 0 && y[i] ? 0.3 : 0));
    CHECK(scarce_table_from_floats(&table, x, rows, COLUMNS, NULL, y, NULL) == SCARCE_OK);
    return table;
}

static scarce__gb_candidates make_candidates(size_t parts)
{
    scarce__gb_candidates c = {.n = 2, .calibrate = 1, .shift = (double)NAN, .parts = parts};
    scarce__boost_options_init(&c.one[0].o);
    c.one[0].o.seed = 3;
    c.one[0].o.grow.max_leaves = 4;
    c.one[0].haste = 2;
    c.one[0].least = 10;
    c.one[1] = c.one[0];
    c.one[1].linear = 1;
    return c;
}

typedef struct count {
    size_t looked, of_part[SCARCE__MOST_PARTS];
    double weight,
        all; /* of those that are looked at, with the weights of the tries; of all, with those asked for */
} count;

static count count_class(const scarce__gb_tries *t, const scarce__gb_candidates *asked, int label)
{
    count c = {0};
    for (size_t i = 0; i < t->table->n_rows; ++i) {
        if ((t->table->label[i] != 0) != label) continue;
        c.all += scarce__held_weight(t->table, i, &asked->one[0].o);
        if (t->part[i] == SCARCE__NO_PART) continue;
        CHECK(t->part[i] < asked->parts);
        ++c.looked;
        ++c.of_part[t->part[i]];
        c.weight += scarce__held_weight(t->table, i, &t->from.one[0].o);
    }
    CHECK(fabs(c.weight - c.all) < 1e-9 * c.all);
    return c;
}

static void check_even(const count *c, size_t parts)
{
    for (size_t k = 0; k < parts; ++k)
        CHECK(c->of_part[k] * parts + parts > c->looked && c->of_part[k] * parts < c->looked + parts);
}

static void weigh_rows(scarce_table *table)
{
    scarce__random r = scarce__random_start(4, SCARCE__FOR_TEST, 3);
    table->weight = scarce__malloc_array(table->n_rows, sizeof *table->weight);
    CHECK(table->weight != NULL);
    for (size_t i = 0; table->weight && i < table->n_rows; ++i)
        table->weight[i] = 3 * scarce__random_unit(&r);
}

/* Of 30,000 rows with 200 positives, or 200 negatives, with weights or without. */
static void test_common_class(void)
{
    for (int way = 0; way < 4; ++way) {
        const int rare = way & 1;
        scarce_table *table = make_table(ROWS, rare ? 200 : ROWS - 200, 7);
        scarce__gb_candidates c = make_candidates(way < 2 ? 5 : 3);
        scarce__gb_tries t;
        c.one[0].o.neg_weight = c.one[1].o.neg_weight = 0.7;
        if (way & 2) weigh_rows(table);
        CHECK(scarce__gb_tries_new(&t, table, &c, NULL) == SCARCE_OK);
        const count few = count_class(&t, &c, rare), many = count_class(&t, &c, !rare);
        CHECK(few.looked == 200 && t.rarer == 200);
        CHECK(many.looked > 7500 && many.looked < 8500);
        check_even(&few, c.parts);
        check_even(&many, c.parts);
        scarce__gb_tries_deinit(&t);
        scarce_table_free(table);
    }
}

/* Small tables, and those with many of both: every row judges, and weights stay as they are to the bit. */
static void test_all_rows(void)
{
    const size_t rows[] = {8000, ROWS}, positives[] = {20, 2000};
    for (size_t k = 0; k < 2; ++k) {
        scarce_table *table = make_table(rows[k], positives[k], 8);
        const scarce__gb_candidates c = make_candidates(5);
        scarce__gb_tries t;
        CHECK(scarce__gb_tries_new(&t, table, &c, NULL) == SCARCE_OK);
        for (size_t i = 0; i < rows[k]; ++i) CHECK(t.part[i] != SCARCE__NO_PART);
        CHECK(t.from.one[0].o.neg_weight == 1 && t.from.one[0].o.pos_weight == 1 && t.rarer == positives[k]);
        scarce__gb_tries_deinit(&t);
        scarce_table_free(table);
    }
}

static void test_spans_and_groups(void)
{
    scarce_table *table = make_table(ROWS, 200, 9);
    const scarce__gb_candidates c = make_candidates(3);
    scarce__gb_tries t;
    double first[SCARCE__MOST_PARTS], last[SCARCE__MOST_PARTS];

    table->time = scarce__malloc_array(ROWS, sizeof *table->time);
    CHECK(table->time != NULL);
    for (size_t i = 0; table->time && i < ROWS; ++i) table->time[i] = (double)(i * 7919 % ROWS);
    CHECK(scarce__gb_tries_new(&t, table, &c, NULL) == SCARCE_OK);
    for (size_t k = 0; k < 3; ++k) {
        first[k] = INFINITY;
        last[k] = -INFINITY;
    }
    for (size_t i = 0; i < ROWS; ++i) {
        if (t.part[i] == SCARCE__NO_PART) continue;
        first[t.part[i]] = fmin(first[t.part[i]], table->time[i]);
        last[t.part[i]] = fmax(last[t.part[i]], table->time[i]);
    }
    CHECK(last[2] < first[1] && last[1] < first[0]); /* the latest first */
    scarce__gb_tries_deinit(&t);
    scarce__free(table->time);
    table->time = NULL;

    table->group = scarce__malloc_array(ROWS, sizeof *table->group);
    CHECK(table->group != NULL);
    for (size_t i = 0; table->group && i < ROWS; ++i) table->group[i] = (int32_t)(i / 10);
    CHECK(scarce__gb_tries_new(&t, table, &c, NULL) == SCARCE_OK);
    for (size_t i = 0; i < ROWS; i += 10) { /* negatives may be looked at or not, as those of all groups */
        int part = -1;
        for (size_t k = i; k < i + 10; ++k) {
            if (t.part[k] == SCARCE__NO_PART) continue;
            CHECK(part < 0 || part == t.part[k]);
            part = t.part[k];
        }
    }
    scarce__gb_tries_deinit(&t);
    scarce_table_free(table);
}

static scarce_context *make_context(int threads)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.threads = threads;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

static void run_all(scarce__gb_tries *t, const scarce_table *table, const scarce__gb_candidates *c,
                    int threads)
{
    scarce_context *ctx = make_context(threads);
    int cancelled = 1;
    CHECK(scarce__gb_tries_new(t, table, c, NULL) == SCARCE_OK);
    CHECK(scarce__gb_tries_run(t, 1, &cancelled, ctx, NULL) == SCARCE_OK && !cancelled);
    CHECK(scarce__gb_tries_run(t, c->parts - 1, &cancelled, ctx, NULL) == SCARCE_OK && !cancelled);
    CHECK(t->n_parts == c->parts);
    scarce_context_free(ctx);
}

static void test_threads(void)
{
    scarce_table *table = make_table(2000, 60, 11);
    const scarce__gb_candidates c = make_candidates(3);
    scarce__gb_tries one, three;

    run_all(&one, table, &c, 1);
    run_all(&three, table, &c, 3);
    for (size_t k = 0; k < c.n; ++k) {
        CHECK(one.of[k].n_parts == 3 && three.of[k].n_parts == 3);
        CHECK(memcmp(one.of[k].trees, three.of[k].trees, 3 * sizeof *one.of[k].trees) == 0);
        CHECK(memcmp(one.of[k].score, three.of[k].score, table->n_rows * sizeof *one.of[k].score) == 0);
        for (size_t i = 0; i < table->n_rows; ++i) CHECK(isfinite(one.of[k].score[i]));
    }
    scarce__gb_tries_deinit(&one);
    scarce__gb_tries_deinit(&three);
    scarce_table_free(table);
}

/* Two rows of one part and class change places: so do their scores, to the bit, since nothing was learnt from them. What
 * rows of other parts are given is learnt from the same rows. */
static void test_not_seen(void)
{
    scarce_table *table = make_table(2000, 60, 12);
    const scarce__gb_candidates c = make_candidates(3);
    scarce__gb_tries before, after;
    size_t a = SIZE_MAX, b = SIZE_MAX;

    run_all(&before, table, &c, 1);
    for (size_t i = 0; i < table->n_rows && b == SIZE_MAX; ++i) {
        if (!table->label[i] || before.part[i] != 0) continue;
        if (a == SIZE_MAX) a = i;
        else if (before.of[0].score[i] != before.of[0].score[a]) b = i;
    }
    CHECK(b != SIZE_MAX);
    for (size_t f = 0; f < COLUMNS; ++f) {
        const float x = table->columns[f].number[a];
        table->columns[f].number[a] = table->columns[f].number[b];
        table->columns[f].number[b] = x;
    }
    run_all(&after, table, &c, 1);
    CHECK(memcmp(before.part, after.part, table->n_rows) == 0);
    for (size_t k = 0; k < c.n; ++k)
        for (size_t i = 0; i < table->n_rows; ++i) {
            const size_t was = i == a ? b : i == b ? a : i;
            if (before.part[i] == 0) CHECK(before.of[k].score[was] == after.of[k].score[i]);
        }
    scarce__gb_tries_deinit(&before);
    scarce__gb_tries_deinit(&after);
    scarce_table_free(table);
}

static const test_case tests[] = {{"common_class", test_common_class},
                                  {"all_rows", test_all_rows},
                                  {"spans_and_groups", test_spans_and_groups},
                                  {"threads", test_threads},
                                  {"not_seen", test_not_seen}};
TEST_MAIN(tests)
