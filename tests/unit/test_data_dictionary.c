/* SPDX-License-Identifier: Apache-2.0 */
/* Texts numbered by first appearance, against a list that is searched from end to end; and texts that were made
 * to collide. */
#include "data/table.h"

#include <string.h>

#include "core/random.h"
#include "test.h"

static size_t slow_find(char (*texts)[40], const size_t *length, size_t n, const char *text, size_t size)
{
    for (size_t i = 0; i < n; ++i)
        if (length[i] == size && memcmp(texts[i], text, size) == 0) return i;
    return SIZE_MAX;
}

/* Short alphabets make repeats, and texts that differ in one byte anywhere, zero bytes too. */
static void test_like_a_list(void)
{
    enum { MOST = 3000 };
    static char texts[MOST][40];
    static size_t length[MOST];
    scarce__dictionary d;
    scarce__random random = scarce__random_start(7, SCARCE__FOR_TEST, 0);
    size_t n = 0;

    memset(&d, 0, sizeof d);
    for (int k = 0; k < MOST; ++k) {
        char text[40];
        const size_t size = scarce__random_below(&random, 36);
        const uint64_t letters = 1 + scarce__random_below(&random, 3);
        for (size_t i = 0; i < size; ++i) text[i] = (char)(scarce__random_below(&random, letters) ? 'a' : 0);
        const size_t want = slow_find(texts, length, n, text, size);
        CHECK(scarce__dictionary_find(&d, text, size) == want);
        CHECK(scarce__dictionary_add(&d, text, size) == (want == SIZE_MAX ? n : want));
        if (want != SIZE_MAX) continue;
        memcpy(texts[n], text, size);
        length[n++] = size;
    }
    CHECK(d.count == n && n > 500);
    for (size_t i = 0; i < n; ++i) CHECK(scarce__dictionary_find(&d, texts[i], length[i]) == i);
    scarce__dictionary_deinit(&d);
}

/* The hash of release 0.1.0 folded 8 bytes at a time by h = fold(h ^ word, k1) with known constants: for any
 * first word there is a second that brings h to a value of choice. 200,000 such texts took minutes. */
static uint64_t old_fold(uint64_t a, uint64_t b)
{
    const uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
    const uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
    const uint64_t middle = (ll >> 32) + (lh & 0xffffffffu) + (hl & 0xffffffffu);
    return (a * b) ^ (hh + (lh >> 32) + (hl >> 32) + (middle >> 32));
}

static void old_collision(char text[16], uint64_t i)
{
    const uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xd1b54a32d192ed03u;
    const uint64_t second = old_fold(k0 ^ 16 ^ i, k1) ^ 0x0123456789abcdefu;
    memcpy(text, &i, 8);
    memcpy(text + 8, &second, 8);
}

/* How many slots lie between where a text belongs and where it is, over all: what finding costs. */
static double mean_distance(const scarce__dictionary *d)
{
    double sum = 0;
    for (size_t s = 0; s < d->n_slots; ++s)
        if (d->slots[s]) sum += (double)((s - d->hashes[d->slots[s] - 1]) & (d->n_slots - 1));
    return sum / (double)d->count;
}

static void check_spread(void (*make)(char text[16], uint64_t i))
{
    enum { TEXTS = 50000 };
    scarce__dictionary d;
    size_t same = 0;

    memset(&d, 0, sizeof d);
    for (uint64_t i = 0; i < TEXTS; ++i) {
        char text[16];
        make(text, i);
        CHECK(scarce__dictionary_add(&d, text, 16) == i);
        if (i == 2000 && mean_distance(&d) > 50) break; /* the rest would take minutes */
    }
    for (size_t i = 1; i < d.count; ++i) same += d.hashes[i] == d.hashes[0];
    CHECK(mean_distance(&d) < 3); /* half full at most: 0.5 if it were random */
    CHECK(same < 5);
    scarce__dictionary_deinit(&d);
}

static void even_steps(char text[16], uint64_t i)
{
    memset(text, 'x', 16);
    memcpy(text, &i, 8);
}

static void last_bytes(char text[16], uint64_t i)
{
    memset(text, 0, 16);
    memcpy(text + 8, &i, 8);
}

/* a + p: the same value modulo the prime of the hash, were words not kept below it. */
static void steps_of_the_prime(char text[16], uint64_t i)
{
    const uint64_t word = (i & 7) * (((uint64_t)1 << 61) - 1), rest = i >> 3;
    memcpy(text, &word, 8);
    memcpy(text + 8, &rest, 8);
}

static void test_chosen_texts_spread(void)
{
    check_spread(old_collision);
    check_spread(even_steps);
    check_spread(last_bytes);
    check_spread(steps_of_the_prime);
}

static const test_case tests[] = {
    {"like_a_list", test_like_a_list},
    {"chosen_texts_spread", test_chosen_texts_spread},
};
TEST_MAIN(tests)
