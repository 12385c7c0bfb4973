/* SPDX-License-Identifier: Apache-2.0 */
/* Large blocks: freed ones are taken again, by nobody twice, and never under a limit. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include <scarce/scarce.h>

#include "core/alloc.h"
#include "test.h"
#include "unit/lcg.h"

enum { MEGABYTE = 1 << 20, SLOTS = 6, TURNS = 400, WORKERS = 8 };

static void a_freed_block_is_taken_again(void)
{
    char *first = scarce__big_alloc(4 * MEGABYTE, 1), *second;
    const uintptr_t place = (uintptr_t)first;

    CHECK(first && place % (2 * MEGABYTE) == 0);
    memset(first, 1, 4 * MEGABYTE);
    scarce__free(first);
    second = scarce__big_alloc(4 * MEGABYTE - 4096, 1); /* a little less: the same block */
    CHECK(second && (!SCARCE__KEEPS_BLOCKS || (uintptr_t)second == place));
    first = scarce__big_alloc(4 * MEGABYTE, 1);
    CHECK(first && first != second);
    memset(first, 2, 4 * MEGABYTE);
    memset(second, 3, 4 * MEGABYTE - 4096);
    CHECK(first[0] == 2 && first[4 * MEGABYTE - 1] == 2);
    scarce__free(first);
    scarce__free(second);
    second = scarce__big_alloc(9 * MEGABYTE, 1); /* none of them is large enough */
    CHECK(second);
    memset(second, 4, 9 * MEGABYTE);
    scarce__free(second);
}

static void a_block_that_hardly_shrinks_stays(void)
{
    char *block = scarce__big_alloc(4 * MEGABYTE, 1), *smaller;
    CHECK(block);
    block[0] = 1, block[3 * MEGABYTE] = 2;
    smaller = scarce__realloc_array(block, 4 * MEGABYTE - 200000, 1);
    CHECK(smaller == block);
    smaller = scarce__realloc_array(smaller, MEGABYTE, 1);
    CHECK(smaller && smaller[0] == 1);
    scarce__free(smaller);
}

/* Under a limit a freed block is given back, and what is counted falls to what it was. */
static void a_limit_keeps_nothing(void)
{
    scarce_memory_limit(64.0 * MEGABYTE);
    const double before = scarce__memory_used();
    for (int i = 0; i < 40; ++i) {
        void *block = scarce__big_alloc(8 * MEGABYTE, 1);
        CHECK(block && scarce__memory_used() >= before + 8.0 * MEGABYTE);
        scarce__free(block);
        CHECK(scarce__memory_used() == before);
    }
    CHECK(scarce__big_alloc(65 * MEGABYTE, 1) == NULL);
    scarce_memory_limit(0);
}

/* Each writes its own sign at both ends of its blocks and finds it there when it frees them. */
static void *hammer(void *arg)
{
    const char sign = *(const char *)arg;
    char *slot[SLOTS] = {NULL};
    size_t size[SLOTS] = {0};
    lcg seed = lcg_start((uint64_t)sign);
    for (int i = 0; i < TURNS; ++i) {
        const size_t s = lcg_below(&seed, SLOTS);
        if (slot[s]) {
            CHECK(slot[s][0] == sign && slot[s][size[s] - 1] == sign);
            scarce__free(slot[s]);
        }
        size[s] = (2 + lcg_below(&seed, 4)) * MEGABYTE - lcg_below(&seed, 3) * 4096;
        slot[s] = scarce__big_alloc(size[s], 1);
        CHECK(slot[s]);
        slot[s][0] = slot[s][size[s] - 1] = sign;
    }
    for (int s = 0; s < SLOTS; ++s) scarce__free(slot[s]);
    return NULL;
}

static void threads_never_share_a_block(void)
{
    pthread_t worker[WORKERS];
    char sign[WORKERS];
    for (int k = 0; k < WORKERS; ++k) {
        sign[k] = (char)(k + 1);
        CHECK(pthread_create(&worker[k], NULL, hammer, &sign[k]) == 0);
    }
    for (int k = 0; k < WORKERS; ++k) pthread_join(worker[k], NULL);
}

static const test_case tests[] = {{"again", a_freed_block_is_taken_again},
                                  {"shrink", a_block_that_hardly_shrinks_stays},
                                  {"limit", a_limit_keeps_nothing},
                                  {"threads", threads_never_share_a_block}};
TEST_MAIN(tests)
