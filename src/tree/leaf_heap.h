/* SPDX-License-Identifier: Apache-2.0 */
/* Which leaf is next, in log n steps: a binary heap of leaves, smallest (key, tie) first.
 *
 * Trees that are grown until nothing is left have as many leaves as rows; looking through all of them at
 * every split would make growth quadratic. Ties are numbers that differ, so the order is total and doesn't
 * depend on the history of the heap. Room is the caller's. */
#ifndef SCARCE_TREE_LEAF_HEAP_H
#define SCARCE_TREE_LEAF_HEAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct scarce__heap_item {
    double key;
    uint32_t tie;
    uint32_t leaf; /* place in the list of leaves */
    uint32_t node; /* the leaf's node when it was pushed: tells an item whose leaf was split since */
} scarce__heap_item;

typedef struct scarce__leaf_heap {
    scarce__heap_item *items;
    size_t n;
} scarce__leaf_heap;

/* A leaf that may be split. Best-first: by gain, and among equals the one that stands first in the list;
 * level by level: by depth, then in the order of the nodes. */
static inline scarce__heap_item scarce__next_item(int by_level, double gain, uint32_t depth, uint32_t leaf,
                                                  uint32_t node)
{
    return (scarce__heap_item){
        .key = by_level ? (double)depth : -gain, .tie = by_level ? node : leaf, .leaf = leaf, .node = node};
}

static inline int scarce__heap_before(const scarce__heap_item *a, const scarce__heap_item *b)
{
    return a->key < b->key || (a->key == b->key && a->tie < b->tie);
}

static inline void scarce__heap_push(scarce__leaf_heap *heap, scarce__heap_item item)
{
    size_t i = heap->n++;
    while (i > 0 && scarce__heap_before(&item, &heap->items[(i - 1) / 2])) {
        heap->items[i] = heap->items[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->items[i] = item;
}

/* The heap isn't empty. */
static inline scarce__heap_item scarce__heap_pop(scarce__leaf_heap *heap)
{
    const scarce__heap_item top = heap->items[0], last = heap->items[--heap->n];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < heap->n) {
        if (child + 1 < heap->n && scarce__heap_before(&heap->items[child + 1], &heap->items[child])) ++child;
        if (!scarce__heap_before(&heap->items[child], &last)) break;
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = last;
    return top;
}

#endif
