/* SPDX-License-Identifier: Apache-2.0 */
/* From cards to one stream in order of time.
 *
 * Blocks of cards are made in parallel, each into its own list. A counting sort by day puts them into
 * one array (the days of block 0 before those of block 1, so cards stay in order within a day), then
 * each day is sorted by second with a stable radix sort. The blocks follow from the number of cards
 * alone, so any number of threads gives the same order: time, then card, then as made. */
#include <string.h>

#include "core/alloc.h"
#include "simulate/fraud.h"

enum { MAX_BLOCKS = 512, MIN_CARDS_PER_BLOCK = 16, RADIX_BITS = 9, RADIX = 1 << RADIX_BITS };

void scarce__payments_add(scarce__payments *list, const scarce__payment *p)
{
    if (list->n == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 1024;
        scarce__payment *items = scarce__realloc_array(list->items, capacity, sizeof *items);
        if (!items) {
            list->failed = 1;
            return;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->n++] = *p;
}

typedef struct collect_job {
    scarce__fraud *f;
    scarce__card_fn make;
    void *maker;
    size_t block; /* cards per block */
    scarce__payments *lists;
    size_t *offset;    /* [block][day]: how many, then where they begin */
    size_t *day_start; /* n_days + 1 */
    int *day_failed;
} collect_job;

static void make_block(void *arg, size_t b, int worker)
{
    collect_job *j = arg;
    const scarce__fraud *f = j->f;
    scarce__payments *list = &j->lists[b];
    scarce__ids scratch = {NULL, 0, 0};
    size_t *count = j->offset + b * f->n_days;
    const size_t end = (b + 1) * j->block < f->n_cards ? (b + 1) * j->block : f->n_cards;

    (void)worker;
    for (size_t c = b * j->block; c < end && !list->failed; ++c)
        j->make(j->maker, (uint32_t)c, list, &scratch);
    for (size_t i = 0; i < list->n; ++i) ++count[list->items[i].time / SECONDS_PER_DAY];
    scarce__free(scratch.items);
}

static void scatter_block(void *arg, size_t b, int worker)
{
    collect_job *j = arg;
    size_t *next = j->offset + b * j->f->n_days;
    scarce__payments *list = &j->lists[b];

    (void)worker;
    for (size_t i = 0; i < list->n; ++i)
        j->f->rows[next[list->items[i].time / SECONDS_PER_DAY]++] = list->items[i];
    scarce__free(list->items);
    list->items = NULL;
}

static void radix_pass(const scarce__payment *from, scarce__payment *to, size_t n, uint32_t base, int shift)
{
    size_t start[RADIX + 1] = {0};
    for (size_t i = 0; i < n; ++i) ++start[(((from[i].time - base) >> shift) & (RADIX - 1)) + 1];
    for (size_t k = 0; k < RADIX; ++k) start[k + 1] += start[k];
    for (size_t i = 0; i < n; ++i) to[start[((from[i].time - base) >> shift) & (RADIX - 1)]++] = from[i];
}

/* 86,400 seconds fit in 2 x 9 bits. */
static void sort_day(void *arg, size_t d, int worker)
{
    collect_job *j = arg;
    scarce__payment *rows = j->f->rows + j->day_start[d];
    const size_t n = j->day_start[d + 1] - j->day_start[d];
    const uint32_t base = (uint32_t)(d * SECONDS_PER_DAY);
    scarce__payment *scratch;

    (void)worker;
    if (n < 2) return;
    scratch = scarce__malloc_array(n, sizeof *scratch);
    if (!scratch) {
        j->day_failed[d] = 1;
        return;
    }
    radix_pass(rows, scratch, n, base, 0);
    radix_pass(scratch, rows, n, base, RADIX_BITS);
    scarce__free(scratch);
}

/* Turns counts into places: day by day, and in a day block by block. */
static size_t place_days(collect_job *j, size_t n_blocks)
{
    size_t total = 0;
    for (size_t d = 0; d < j->f->n_days; ++d) {
        j->day_start[d] = total;
        for (size_t b = 0; b < n_blocks; ++b) {
            const size_t count = j->offset[b * j->f->n_days + d];
            j->offset[b * j->f->n_days + d] = total;
            total += count;
        }
    }
    j->day_start[j->f->n_days] = total;
    return total;
}

/* Row numbers by key (a counting sort, so rows stay in time order within a key). */
static scarce_status group(uint32_t **order, uint32_t **start, const scarce__payment *rows, size_t n,
                           size_t n_keys, int by_terminal, scarce_error *err)
{
    *start = scarce__calloc(n_keys + 2, sizeof **start);
    *order = scarce__big_alloc(n, sizeof **order);
    if (!*start || !*order) return scarce__fail_memory(err, "the order of payments", n * sizeof **order);
    uint32_t *next = *start + 1; /* one place ahead, so that filling leaves the starts behind */
    for (size_t i = 0; i < n; ++i) ++next[(by_terminal ? rows[i].terminal : rows[i].card) + 1];
    for (size_t k = 0; k < n_keys; ++k) next[k + 1] += next[k];
    for (size_t i = 0; i < n; ++i)
        (*order)[next[by_terminal ? rows[i].terminal : rows[i].card]++] = (uint32_t)i;
    return SCARCE_OK;
}

static scarce_status make_and_sort(collect_job *j, size_t n_blocks, scarce__pool *pool, scarce_error *err)
{
    scarce__fraud *f = j->f;

    scarce__pool_run(pool, n_blocks, make_block, j);
    for (size_t b = 0; b < n_blocks; ++b)
        if (j->lists[b].failed) return scarce__fail_memory(err, "payments", 0);
    f->n = place_days(j, n_blocks);
    if (f->n >= UINT32_MAX)
        return scarce__fail(err, SCARCE_EINVAL,
                            "%zu transactions are too many, at most %u fit; lower customers or days", f->n,
                            UINT32_MAX - 1);
    f->rows = scarce__big_alloc(f->n, sizeof *f->rows);
    if (!f->rows) return scarce__fail_memory(err, "payments", f->n * sizeof *f->rows);
    scarce__pool_run(pool, n_blocks, scatter_block, j);
    scarce__pool_run(pool, f->n_days, sort_day, j);
    for (size_t d = 0; d < f->n_days; ++d)
        if (j->day_failed[d]) return scarce__fail_memory(err, "payments of a day", 0);
    SCARCE__TRY(group(&f->by_card, &f->card_start, f->rows, f->n, f->n_cards, 0, err));
    return group(&f->by_terminal, &f->terminal_start, f->rows, f->n, f->n_terminals, 1, err);
}

scarce_status scarce__fraud_collect(scarce__fraud *f, scarce__card_fn make, void *maker,
                                    const scarce_context *ctx, scarce_error *err)
{
    collect_job j = {f, make, maker, 0, NULL, NULL, NULL, NULL};
    scarce_status status;
    size_t n_blocks;

    j.block = (f->n_cards + MAX_BLOCKS - 1) / MAX_BLOCKS;
    if (j.block < MIN_CARDS_PER_BLOCK) j.block = MIN_CARDS_PER_BLOCK;
    n_blocks = scarce__blocks(f->n_cards, j.block);
    j.lists = scarce__calloc(n_blocks, sizeof *j.lists);
    j.offset = scarce__calloc(n_blocks * f->n_days, sizeof *j.offset);
    j.day_start = scarce__calloc(f->n_days + 1, sizeof *j.day_start);
    j.day_failed = scarce__calloc(f->n_days, sizeof *j.day_failed);
    if (j.lists && j.offset && j.day_start && j.day_failed)
        status = make_and_sort(&j, n_blocks, scarce__context_pool(ctx), err);
    else status = scarce__fail_memory(err, "payments", 0);
    for (size_t b = 0; j.lists && b < n_blocks; ++b) scarce__free(j.lists[b].items);
    scarce__free(j.lists);
    scarce__free(j.offset);
    scarce__free(j.day_start);
    scarce__free(j.day_failed);
    return status;
}
