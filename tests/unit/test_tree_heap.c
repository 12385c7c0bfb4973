/* SPDX-License-Identifier: Apache-2.0 */
/* The heap of leaves against looking through all of them, with many equal keys. */
#include "test.h"

#include <math.h>

#include "core/random.h"
#include "tree/leaf_heap.h"

enum { MOST = 400 };

static size_t scan(const scarce__heap_item *items, size_t n)
{
    size_t at = 0;
    for (size_t i = 1; i < n; ++i)
        if (items[i].key < items[at].key || (items[i].key == items[at].key && items[i].tie < items[at].tie))
            at = i;
    return at;
}

static void test_order(void)
{
    for (uint64_t seed = 0; seed < 20; ++seed) {
        scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 0);
        scarce__heap_item room[MOST], list[MOST];
        scarce__leaf_heap heap = {room, 0};
        size_t n = 0;
        for (uint32_t step = 0; step < MOST; ++step) {
            if (n == 0 || scarce__random_below(&r, 3) > 0) {
                const double keys[3] = {-INFINITY, -1, 0.5};
                const scarce__heap_item item = {.key = keys[scarce__random_below(&r, 3)],
                                                .tie = step * 7919u % 1009u,
                                                .leaf = step,
                                                .node = 2 * step};
                scarce__heap_push(&heap, item);
                list[n++] = item;
            } else {
                const size_t at = scan(list, n);
                const scarce__heap_item got = scarce__heap_pop(&heap);
                CHECK(got.leaf == list[at].leaf && got.node == list[at].node);
                list[at] = list[--n];
            }
        }
        for (; n > 0; --n) {
            const size_t at = scan(list, n);
            CHECK(scarce__heap_pop(&heap).leaf == list[at].leaf);
            list[at] = list[n - 1];
        }
        CHECK(heap.n == 0);
    }
}

static const test_case tests[] = {{"order", test_order}};
TEST_MAIN(tests)
