/* SPDX-License-Identifier: Apache-2.0 */
/* Counting rows and positives of values, and what each training row may know of them (encode.h).
 *
 * Cells are numbered as they first appear, so that folds are plain arrays: one pass numbers and counts, a second
 * takes each row's own fold (or what is not earlier) off again. Tasks are columns and pairs: nothing depends on
 * threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/entropy.h"
#include "core/fail.h"
#include "core/pool.h"
#include "core/random.h"
#include "core/sort.h"
#include "encode/encode_inside.h"

enum { FOLDS = 5 };

uint64_t scarce__counts_key(const scarce__encoder *e, const scarce__counts *c, int64_t code_a, int64_t code_b)
{
    const int64_t n_a = e->categories[c->a];
    if (code_a >= n_a) return UINT64_MAX;
    if (c->b == SCARCE__ALONE) return (uint64_t)(code_a + 1);
    if (code_b >= (int64_t)e->categories[c->b]) return UINT64_MAX;
    return (uint64_t)(code_a + 1) * (e->categories[c->b] + 1u) + (uint64_t)(code_b + 1);
}

/* Keyed, so that neither a table nor a model can be made whose pairs all meet in one place. */
static size_t first_slot(const scarce__counts *c, uint64_t key)
{
    return (size_t)scarce__mix64(key ^ scarce__process_key()) & (c->n_slots - 1);
}

size_t scarce__counts_find(const scarce__counts *c, uint64_t key)
{
    if (key == UINT64_MAX) return SIZE_MAX;
    if (c->b == SCARCE__ALONE) return key < c->n_slots && c->slots[key] ? c->slots[key] - 1u : SIZE_MAX;
    for (size_t at = first_slot(c, key); c->slots[at]; at = (at + 1) & (c->n_slots - 1))
        if (c->key[c->slots[at] - 1u] == key) return c->slots[at] - 1u;
    return SIZE_MAX;
}

void scarce__counts_deinit(scarce__counts *c)
{
    scarce__free(c->key);
    scarce__free(c->rows);
    scarce__free(c->positives);
    scarce__free(c->slots);
}

/* Puts the cell behind the others into the slots; 0 when its key is there already. */
static int add_slot(scarce__counts *c, size_t cell)
{
    const uint64_t key = c->key[cell];
    size_t at = (size_t)key;
    if (c->b != SCARCE__ALONE) {
        at = first_slot(c, key);
        while (c->slots[at] && c->key[c->slots[at] - 1u] != key) at = (at + 1) & (c->n_slots - 1);
    }
    if (c->slots[at]) return 0;
    c->slots[at] = (uint32_t)cell + 1;
    return 1;
}

scarce_status scarce__counts_index(scarce__counts *c, scarce_error *err)
{
    if (c->b != SCARCE__ALONE)
        for (c->n_slots = 16; c->n_slots < 2 * c->n;) c->n_slots *= 2;
    scarce__free(c->slots);
    c->slots = scarce__calloc(c->n_slots, sizeof *c->slots);
    if (!c->slots) return scarce__fail_memory(err, "categories as numbers", c->n_slots * sizeof *c->slots);
    for (size_t i = 0; i < c->n; ++i)
        if (!add_slot(c, i)) return scarce__fail(err, SCARCE_EPARSE, "two counts of one category");
    return SCARCE_OK;
}

/* ---- counting */

typedef struct counting {
    scarce__encoder *e;
    const scarce_table *table;
    const uint8_t *fold; /* per row; NULL: by time */
    const uint32_t *by_time;
    double delay;
    float **numbers; /* rate and count of each of counts[] */
    uint8_t *failed; /* per task */
} counting;

static uint64_t key_of(const counting *k, const scarce__counts *c, size_t row)
{
    const int32_t *a = k->table->columns[c->a].code;
    return scarce__counts_key(k->e, c, a[row], c->b == SCARCE__ALONE ? 0 : k->table->columns[c->b].code[row]);
}

/* Numbers the cells of all rows; 0 when memory is exhausted. */
static int number_cells(scarce__counts *c, uint32_t *cell, const counting *k)
{
    const size_t n = k->table->n_rows;
    size_t most = c->b == SCARCE__ALONE ? k->e->categories[c->a] + 1u : n;

    c->key = scarce__malloc_array(most, sizeof *c->key);
    c->n_slots = 16;
    while (c->n_slots < 2 * most) c->n_slots *= 2;
    if (c->b == SCARCE__ALONE) c->n_slots = most;
    c->slots = scarce__calloc(c->n_slots, sizeof *c->slots);
    if (!c->key || !c->slots) return 0;
    for (size_t r = 0; r < n; ++r) {
        const uint64_t key = key_of(k, c, r);
        size_t found = scarce__counts_find(c, key);
        if (found == SIZE_MAX) {
            found = c->n++;
            c->key[found] = key;
            (void)add_slot(c, found);
        }
        cell[r] = (uint32_t)found;
    }
    return 1;
}

typedef struct tally {
    double rows, positives;
} tally;

static double weight_of(const scarce_table *t, size_t row)
{
    return t->weight ? t->weight[row] : 1;
}

static void put_known(const counting *k, size_t task, size_t row, double rows, double positives)
{
    k->numbers[2 * task][row] = (float)scarce__encoded_rate(positives, rows, k->e->share);
    k->numbers[2 * task + 1][row] = (float)rows;
}

/* All but the row's own fold. */
static int know_other_folds(const counting *k, size_t task, const uint32_t *cell, tally *all)
{
    const scarce__counts *c = &k->e->counts[task];
    const scarce_table *t = k->table;
    tally *folds = scarce__calloc(c->n * FOLDS, sizeof *folds);

    if (!folds) return 0;
    for (size_t r = 0; r < t->n_rows; ++r) {
        tally *own = &folds[(size_t)cell[r] * FOLDS + k->fold[r]];
        own->rows += weight_of(t, r);
        own->positives += t->label[r] ? weight_of(t, r) : 0;
    }
    for (size_t i = 0; i < c->n; ++i)
        for (size_t f = 0; f < FOLDS; ++f) {
            all[i].rows += folds[i * FOLDS + f].rows;
            all[i].positives += folds[i * FOLDS + f].positives;
        }
    for (size_t r = 0; r < t->n_rows; ++r) {
        double rows = 0, positives = 0; /* added, not taken off: no rounding to differ */
        for (size_t f = 0; f < FOLDS; ++f)
            if (f != k->fold[r]) {
                rows += folds[(size_t)cell[r] * FOLDS + f].rows;
                positives += folds[(size_t)cell[r] * FOLDS + f].positives;
            }
        put_known(k, task, r, rows, positives);
    }
    scarce__free(folds);
    return 1;
}

static void add_row(const counting *k, const uint32_t *cell, size_t row, tally *all)
{
    all[cell[row]].rows += weight_of(k->table, row);
    all[cell[row]].positives += k->table->label[row] ? weight_of(k->table, row) : 0;
}

/* Rows of an earlier time, whose labels came since; those of the same time don't see each other. */
static void know_earlier(const counting *k, size_t task, const uint32_t *cell, tally *all)
{
    const scarce_table *t = k->table;
    size_t known = 0;

    for (size_t i = 0; i < t->n_rows; ++i) {
        const size_t row = k->by_time[i];
        const double now = t->time[row];
        for (; known < i; ++known) {
            const double then = t->time[k->by_time[known]];
            if (then + k->delay > now || then >= now) break;
            add_row(k, cell, k->by_time[known], all);
        }
        put_known(k, task, row, all[cell[row]].rows, all[cell[row]].positives);
    }
    for (; known < t->n_rows; ++known) add_row(k, cell, k->by_time[known], all);
}

static void count_task(void *arg, size_t task, int worker)
{
    const counting *k = arg;
    scarce__counts *c = &k->e->counts[task];
    uint32_t *cell = scarce__malloc_array(k->table->n_rows, sizeof *cell);
    tally *all = NULL;
    int good = cell && number_cells(c, cell, k);

    (void)worker;
    if (good) {
        all = scarce__calloc(c->n, sizeof *all);
        c->rows = scarce__malloc_array(c->n, sizeof *c->rows);
        c->positives = scarce__malloc_array(c->n, sizeof *c->positives);
        good = all && c->rows && c->positives;
    }
    if (good && k->by_time) know_earlier(k, task, cell, all);
    else if (good) good = know_other_folds(k, task, cell, all);
    for (size_t i = 0; good && i < c->n; ++i) {
        c->rows[i] = (float)all[i].rows;
        c->positives[i] = (float)all[i].positives;
    }
    scarce__free(all);
    scarce__free(cell);
    k->failed[task] = !good;
}

static uint8_t *draw_folds(const scarce_table *t, uint64_t seed)
{
    const uint64_t key = scarce__key(seed, SCARCE__FOR_SPLIT, (uint64_t)-4);
    uint8_t *fold = scarce__malloc(t->n_rows);
    for (size_t r = 0; fold && r < t->n_rows; ++r)
        fold[r] = (uint8_t)(scarce__hash(key, t->group ? (uint64_t)t->group[r] : r) % FOLDS);
    return fold;
}

typedef struct moment {
    double time;
    uint32_t row;
} moment;

static int by_moment(const void *a, const void *b)
{
    const moment *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Rows in the order of their times; rows in order already (the usual case) cost one look. */
static uint32_t *order_rows(const scarce_table *t)
{
    uint32_t *order = scarce__malloc_array(t->n_rows, sizeof *order);
    size_t sorted = 1;

    if (!order) return NULL;
    for (size_t r = 0; r < t->n_rows; ++r) order[r] = (uint32_t)r;
    while (sorted < t->n_rows && t->time[sorted] >= t->time[sorted - 1]) ++sorted;
    if (sorted >= t->n_rows) return order;
    moment *m = scarce__malloc_array(t->n_rows, sizeof *m);
    if (!m) {
        scarce__free(order);
        return NULL;
    }
    for (size_t r = 0; r < t->n_rows; ++r) m[r] = (moment){t->time[r], (uint32_t)r};
    qsort(m, t->n_rows, sizeof *m, by_moment);
    for (size_t r = 0; r < t->n_rows; ++r) order[r] = m[r].row;
    scarce__free(m);
    return order;
}

/* ---- which columns */

static int is_wide(const scarce__feature *f)
{
    return f->kind == SCARCE_COLUMN_CATEGORY && f->categories.count > SCARCE__ENCODE_ABOVE;
}

size_t scarce__encode_columns(const scarce_schema *schema)
{
    size_t n = 0;
    for (size_t f = 0; f < schema->n_features; ++f) n += (size_t)is_wide(&schema->features[f]);
    return n;
}

static int by_count_falling(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x < y) - (x > y);
}

/* Of the wide columns those with most categories are paired, at most SCARCE__ENCODE_PAIRED: how many a column needs. */
static scarce_status paired_least(size_t *out, const scarce__encoder *e, scarce_error *err)
{
    size_t *count;

    *out = 0;
    if (e->n_alone <= SCARCE__ENCODE_PAIRED) return SCARCE_OK;
    count = scarce__malloc_array(e->n_alone, sizeof *count);
    if (!count) return scarce__fail_memory(err, "categories as numbers", 0);
    for (size_t i = 0; i < e->n_alone; ++i) count[i] = e->categories[e->counts[i].a];
    qsort(count, e->n_alone, sizeof *count, by_count_falling);
    *out = count[SCARCE__ENCODE_PAIRED] + 1;
    scarce__free(count);
    return SCARCE_OK;
}

static scarce_status choose_columns(scarce__encoder *e, const scarce_schema *schema, uint32_t pairs,
                                    scarce_error *err)
{
    const size_t n = scarce__encode_columns(schema),
                 paired = n < SCARCE__ENCODE_PAIRED ? n : SCARCE__ENCODE_PAIRED;
    const size_t most = n + (pairs && paired ? paired * (paired - 1) / 2 : 0);
    size_t least;

    e->counts = scarce__calloc(most, sizeof *e->counts);
    if (!e->counts) return scarce__fail_memory(err, "categories as numbers", 0);
    for (size_t f = 0; f < schema->n_features; ++f)
        if (is_wide(&schema->features[f]))
            e->counts[e->n_alone++] = (scarce__counts){.a = (uint32_t)f, .b = SCARCE__ALONE};
    e->n_counts = e->n_alone;
    SCARCE__TRY(paired_least(&least, e, err));
    for (size_t i = 0; pairs && i < e->n_alone; ++i) {
        const uint32_t a = e->counts[i].a;
        for (size_t j = i + 1; e->categories[a] >= least && j < e->n_alone; ++j) {
            const uint32_t b = e->counts[j].a;
            if (e->categories[b] < least) continue;
            if (pairs & 1) e->counts[e->n_counts++] = (scarce__counts){.a = a, .b = b};
            pairs >>= 1;
        }
    }
    return SCARCE_OK;
}

static double share_of(const scarce_table *t)
{
    double rows = 0, positives = 0;
    for (size_t r = 0; r < t->n_rows; ++r) {
        rows += weight_of(t, r);
        positives += t->label[r] ? weight_of(t, r) : 0;
    }
    return rows > 0 ? positives / rows : 0;
}

static void put_orders(const scarce__encoder *e, const scarce_table *t, float **numbers)
{
    for (size_t i = 0, at = 2 * e->n_counts; i < e->n_alone; ++i) {
        const int32_t *code = t->columns[e->counts[i].a].code;
        if (!e->order[i]) continue;
        for (size_t r = 0; r < t->n_rows; ++r) numbers[at][r] = code[r] < 0 ? NAN : e->order[i][code[r]];
        ++at;
    }
}

static scarce_status count_all(scarce__encoder *e, float **numbers, const scarce_table *table,
                               const scarce__encode_options *o, scarce_context *ctx, scarce_error *err)
{
    uint8_t *fold = table->time ? NULL : draw_folds(table, o->seed);
    uint32_t *by_time = table->time ? order_rows(table) : NULL;
    uint8_t *failed = scarce__calloc(e->n_counts, 1);
    counting k = {e, table, fold, by_time, o->delay, numbers, failed};
    scarce_status st = SCARCE_OK;

    if (!failed || (!fold && !by_time)) st = scarce__fail_memory(err, "categories as numbers", table->n_rows);
    else scarce__pool_run(scarce__context_pool(ctx), e->n_counts, count_task, &k);
    for (size_t i = 0; st == SCARCE_OK && i < e->n_counts; ++i)
        if (failed[i]) st = scarce__fail_memory(err, "categories as numbers", table->n_rows * 16);
    scarce__free(fold);
    scarce__free(by_time);
    scarce__free(failed);
    return st;
}

scarce_status scarce__encoder_new(scarce__encoder **out, scarce_table **train, const scarce_table *table,
                                  const scarce__encode_options *options, scarce_context *ctx,
                                  scarce_error *err)
{
    scarce__encoder *e = scarce__calloc(1, sizeof *e);
    float **numbers = NULL;
    scarce_status st;

    *out = NULL;
    *train = NULL;
    if (!e) return scarce__fail_memory(err, "categories as numbers", 0);
    e->n_from = table->schema.n_features;
    e->share = share_of(table);
    e->categories = scarce__malloc_array(e->n_from, sizeof *e->categories);
    st = e->categories ? SCARCE_OK : scarce__fail_memory(err, "categories as numbers", 0);
    for (size_t f = 0; st == SCARCE_OK && f < e->n_from; ++f)
        e->categories[f] = (uint32_t)table->schema.features[f].categories.count;
    if (st == SCARCE_OK) st = choose_columns(e, &table->schema, options->pairs, err);
    if (st == SCARCE_OK) st = scarce__encoder_finish(e, &table->schema, err);
    if (st == SCARCE_OK) {
        numbers = scarce__encoder_room(e, table->n_rows);
        if (!numbers) st = scarce__fail_memory(err, "categories as numbers", table->n_rows * 8 * e->n_counts);
    }
    if (st == SCARCE_OK) st = count_all(e, numbers, table, options, ctx, err);
    for (size_t i = 0; st == SCARCE_OK && i < e->n_counts; ++i) st = scarce__counts_index(&e->counts[i], err);
    if (st == SCARCE_OK) {
        put_orders(e, table, numbers);
        st = scarce__encoder_widen(train, e, table, numbers, err);
    } else scarce__encoder_drop(numbers, e->schema.features ? scarce__encoder_numbers(e) : 0);
    if (st != SCARCE_OK) {
        scarce__encoder_free(e);
        return st;
    }
    *out = e;
    return SCARCE_OK;
}
