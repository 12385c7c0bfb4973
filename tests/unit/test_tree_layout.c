/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of rows: gathered and appended, over one slab of columns and over several. */
#include "test.h"

#include "core/alloc.h"
#include "core/random.h"
#include "tree/layout.h"

static scarce_table *table_of(size_t n, size_t columns, uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 4);
    float *x = scarce__malloc_array(n * columns, sizeof *x);
    scarce_table *t = NULL;
    for (size_t i = 0; i < n * columns; ++i) x[i] = (float)scarce__random_below(&r, 50);
    CHECK(scarce_table_from_floats(&t, x, n, columns, NULL, NULL, NULL) == SCARCE_OK);
    scarce__free(x);
    return t;
}

static uint8_t code_at(const scarce__codes *c, size_t row, size_t column)
{
    const size_t slab = column / SCARCE__SLAB, width = scarce__slab_width(c->n_columns, slab);
    return scarce__slab(c, slab)[row * width + column % SCARCE__SLAB];
}

static void test_append(void)
{
    static const size_t widths[] = {1, 7, 64, 65, 150};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; ++w) {
        const scarce__bin_options options = SCARCE__BIN_OPTIONS_INIT;
        scarce_table *t = table_of(300, widths[w], w);
        scarce__bins bins;
        scarce__codes all, bag, more, none;
        uint32_t row[200];
        memset(&bag, 0, sizeof bag);
        memset(&more, 0, sizeof more);
        memset(&none, 0, sizeof none);
        CHECK(scarce__bins_find(&bins, t, NULL, 0, NULL, &options, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__codes_build(&all, &bins, t, NULL, 0, 1, NULL, NULL) == SCARCE_OK);
        for (size_t k = 0; k < 200; ++k) row[k] = (uint32_t)(k * 37 % 300);
        for (int again = 0; again < 3; ++again) { /* the room of a bag before is used again */
            const size_t n = again == 1 ? 150 : 100, m = again == 2 ? 3 : 40;
            CHECK(scarce__codes_gather(&bag, &all, row, n, NULL, NULL) == SCARCE_OK);
            CHECK(scarce__codes_gather(&more, &all, row + n, m, NULL, NULL) == SCARCE_OK);
            CHECK(scarce__codes_append(&bag, &more, NULL) == SCARCE_OK);
            CHECK(bag.n_rows == n + m && !bag.tiles);
            for (size_t k = 0; k < n + m; ++k)
                for (size_t c = 0; c < all.n_columns; ++c)
                    CHECK(code_at(&bag, k, c) == code_at(&all, row[k], c));
        }
        CHECK(scarce__codes_gather(&none, &all, row, 0, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__codes_append(&bag, &none, NULL) == SCARCE_OK && bag.n_rows == 103);
        scarce__codes_deinit(&all);
        scarce__codes_deinit(&bag);
        scarce__codes_deinit(&more);
        scarce__codes_deinit(&none);
        scarce__bins_deinit(&bins);
        scarce_table_free(t);
    }
}

static const test_case tests[] = {{"append", test_append}};
TEST_MAIN(tests)
