/* SPDX-License-Identifier: Apache-2.0 */
/* The order of category texts: numbers, words of a scale, the alphabet. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/text_order.h"
#include "test.h"

static void test_order(void)
{
    static const char *const texts[] = {"10", "9", "V45", "[20-30)", "-1.5", "250.83", "<5"};
    static const float want[] = {3, 2, NAN, 4, 0, 5, 1};
    scarce__dictionary d = {0};
    float *order = NULL;

    for (size_t i = 0; i < 7; ++i) CHECK(scarce__dictionary_add(&d, texts[i], strlen(texts[i])) == i);
    CHECK(scarce__text_order(&order, &d, NULL) == SCARCE_OK && order != NULL);
    for (size_t i = 0; order && i < 7; ++i) CHECK(order[i] == want[i] || (isnan(order[i]) && isnan(want[i])));
    free(order);
    for (size_t i = 0; i < 10; ++i) {
        char text[8];
        snprintf(text, sizeof text, "x%zu", i);
        scarce__dictionary_add(&d, text, strlen(text));
    }
    CHECK(scarce__text_order(&order, &d, NULL) == SCARCE_OK && order == NULL); /* most have no number */
    scarce__dictionary_deinit(&d);
}

/* texts: as sorted; added in another order. */
static void check_sorted(const char *const *texts, size_t n)
{
    scarce__dictionary d = {0};
    uint32_t code[16];

    for (size_t i = 0; i < n; ++i) {
        const char *text = texts[(i * 5 + 2) % n]; /* n has no factor 5 */
        code[i] = (uint32_t)i;
        CHECK(scarce__dictionary_add(&d, text, strlen(text)) == i);
    }
    CHECK(scarce__sort_by_text(code, n, &d));
    for (size_t i = 0; i < n; ++i) CHECK(strcmp(scarce__dictionary_text(&d, code[i]), texts[i]) == 0);
    scarce__dictionary_deinit(&d);
}

static void test_sort(void)
{
    static const char *const numbers[] = {"-3", "<5", "9", "10", "20-29", "30-39", "100+"};
    static const char *const months[] = {"JAN", "Feb", "mar", "april", "Dec", "december"};
    static const char *const levels[] = {"low", "med", "high", "vhigh"};
    static const char *const doors[] = {"2", "3", "4", "5more"};
    static const char *const sizes[] = {"small", "med", "big"};
    static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    static const char *const mixed[] = {"7", "high", "low",
                                        "other"}; /* `other` is of no scale: the alphabet */
    check_sorted(numbers, 7);
    check_sorted(months, 6);
    check_sorted(levels, 4);
    check_sorted(doors, 4);
    check_sorted(sizes, 3);
    check_sorted(letters, 8);
    check_sorted(mixed, 4);
    CHECK(scarce__sort_by_text(NULL, 0, NULL));
}

static const test_case tests[] = {{"order", test_order}, {"sort", test_sort}};
TEST_MAIN(tests)
