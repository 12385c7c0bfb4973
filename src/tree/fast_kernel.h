/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels in plain C, compiled once for any machine and once more with AVX2: the loops run over
 * bytes that don't depend on each other, which the compiler turns into vectors of what it may use. */
#ifndef SCARCE_TREE_FAST_KERNEL_H
#define SCARCE_TREE_FAST_KERNEL_H

#include <string.h>

#include "tree/fast_top.h"
#include "tree/simd.h"

/* bin = #{k : t_k < x}: comparing with all of them has no chain of loads as a search has. */
SCARCE__BODY uint32_t count_bin(const float *t, uint32_t n, float x)
{
    const uint32_t padded = (n + 15) / 16 * 16;
    uint32_t bin = 0;
    for (uint32_t k = 0; k < padded; ++k) bin += t[k] < x;
    return bin;
}

/* Level by level over 64 values: their searches don't wait for each other. */
SCARCE__BODY void bin_body(const float *t, uint32_t padded, const float *x, size_t n, uint8_t *left,
                           uint8_t *right)
{
    for (size_t i = 0; i < n; i += 64) {
        uint32_t at[64] = {0};
        for (uint32_t half = padded / 2; half; half /= 2)
            for (size_t j = 0; j < 64; ++j) at[j] += half & (0u - (uint32_t)(t[at[j] + half - 1] < x[i + j]));
        if (left)
            for (int j = 0; j < 64; ++j) left[i + (size_t)j] = (uint8_t)at[j];
        if (right)
            for (size_t j = 0; j < 64; ++j) right[i + j] = (uint8_t)(x[i + j] != x[i + j] ? 255 : at[j]);
    }
}

/* right when byte >= above; all in bytes, as the compiler's vectors want it. */
SCARCE__BODY void place_numeric(uint8_t *restrict place, const uint8_t *restrict bins, size_t n,
                                uint8_t above, uint8_t first, uint8_t right)
{
    for (size_t i = 0; i < n; ++i) {
        const uint8_t to = bins[i] >= above ? right : first;
        place[i] = place[i] == first ? to : place[i];
    }
}

SCARCE__BODY void place_category(uint8_t *place, const uint8_t *bins, size_t n, const uint8_t *lookup,
                                 uint8_t first, uint8_t right)
{
    uint8_t side[SCARCE__TILE];
    for (size_t i = 0; i < n; ++i) side[i] = lookup[bins[i]];
    place_numeric(place, side, n, 1, first, right);
}

SCARCE__BODY void place_body(const scarce__fast *fast, const scarce__fast_tree *tree, const uint8_t *columns,
                             size_t n, uint8_t *place)
{
    const scarce__test *test = fast->tests + tree->test, *end = test + tree->n_tests;

    memset(place, 0, n);
    for (; test < end; ++test) {
        const uint8_t *bins = columns + (size_t)test->column * SCARCE__TILE;
        const uint8_t above = (uint8_t)(test->bin + 1), first = (uint8_t)test->first,
                      right = (uint8_t)test->right;
        if (test->lookup) {
            place_category(place, bins, n, fast->lookups + 256 * (size_t)(test->lookup - 1), first, right);
        } else if (n == SCARCE__TILE) { /* a constant count lets the compiler unroll */
            place_numeric(place, bins, SCARCE__TILE, above, first, right);
        } else {
            place_numeric(place, bins, n, above, first, right);
        }
    }
}

SCARCE__BODY void tree_body(const scarce__fast *fast, const scarce__fast_tree *tree, const uint8_t *columns,
                            size_t n, double *sums)
{
    const float *leaves = fast->leaves + tree->leaf;
    uint8_t place[SCARCE__TILE];

    place_body(fast, tree, columns, n, place);
    for (size_t i = 0; i < n; ++i) sums[i] += (double)leaves[place[i]];
}

/* ---- the tops of large trees (fast_top.c) */

/* 64 bytes of a column. */
SCARCE__BODY const uint8_t *bytes_of(const scarce__fast *fast, const uint8_t *columns, uint32_t column,
                                     size_t word)
{
    const size_t words = SCARCE__TILE / 64;
    return columns + word / words * (fast->n_columns * SCARCE__TILE) + (size_t)column * SCARCE__TILE +
           word % words * 64;
}

SCARCE__BODY void class_bits(const scarce__fast *fast, const scarce__top_column *c, const uint8_t *columns,
                             scarce__bits *rows)
{
    for (uint32_t k = 0; k < c->n; ++k) scarce__bits_clear(rows + k);
    for (size_t w = 0; w < SCARCE__BIT_WORDS; ++w) {
        const uint8_t *from = bytes_of(fast, columns, c->column, w);
        for (int j = 0; j < 64; ++j) rows[from[j]].word[w] |= (uint64_t)1 << j;
    }
}

SCARCE__BODY void byte_planes(const scarce__fast *fast, const scarce__top_column *c, const uint8_t *columns,
                              scarce__bits *planes)
{
    memset(planes, 0, 8 * sizeof *planes);
    for (size_t w = 0; w < SCARCE__BIT_WORDS; ++w) {
        const uint8_t *from = bytes_of(fast, columns, c->column, w);
        for (int j = 0; j < 64; j += 8) {
            uint64_t x = 0;
            for (int i = 0; i < 8; ++i) x |= (uint64_t)from[j + i] << 8 * i;
            x = scarce__transpose8(x);
            for (int b = 0; b < 8; ++b) planes[b].word[w] |= (x >> 8 * b & 255) << j;
        }
    }
}

/* above[k]: the lower bits of the bytes, all but the highest, are above k; and one more, of nothing. */
SCARCE__BODY void lower_bits(const scarce__top_column *c, const scarce__bits *planes, scarce__bits *above)
{
    for (uint32_t b = 0; b + 1u < c->planes; ++b) {
        const scarce__bits p = planes[b];
        scarce__bits *upper = above + (1u << b);
        for (uint32_t k = 0; k + 1 < 1u << b; ++k) {
            scarce__bits low = above[k], high = above[k];
            for (int w = 0; w < SCARCE__BIT_WORDS; ++w) low.word[w] |= p.word[w];
            for (int w = 0; w < SCARCE__BIT_WORDS; ++w) high.word[w] &= p.word[w];
            above[k] = low;
            upper[k] = high;
        }
        upper[-1] = p;
    }
    scarce__bits_clear(above + (1u << (c->planes - 1)) - 1);
}

SCARCE__BODY void column_bits(const scarce__top_column *c, const scarce__bits *highest,
                              const scarce__bits *above, const scarce__bits *missing, scarce__bits *rows)
{
    const scarce__bits p = *highest, m = *missing;
    for (uint32_t k = 0; k < c->n_low; ++k) {
        scarce__bits row = above[c->bin[k]];
        for (int w = 0; w < SCARCE__BIT_WORDS; ++w) row.word[w] |= p.word[w] | m.word[w];
        rows[k] = row;
    }
    for (uint32_t k = c->n_low; k < c->n; ++k) {
        scarce__bits row = above[c->bin[k] - (1 << (c->planes - 1))];
        for (int w = 0; w < SCARCE__BIT_WORDS; ++w) row.word[w] = (row.word[w] & p.word[w]) | m.word[w];
        rows[k] = row;
    }
}

/* Where a column and its twin differ. */
SCARCE__BODY void missing_bits(const scarce__fast *fast, const scarce__top_column *c, const uint8_t *columns,
                               scarce__bits *missing)
{
    for (size_t w = 0; w < SCARCE__BIT_WORDS; ++w) {
        const uint8_t *left = bytes_of(fast, columns, c[-1].column, w),
                      *right = bytes_of(fast, columns, c->column, w);
        missing->word[w] = 0;
        if (memcmp(left, right, 64) == 0) continue;
        for (int j = 0; j < 64; ++j) missing->word[w] |= (uint64_t)(left[j] != right[j]) << j;
    }
}

/* Category tests, once their classes are there. */
SCARCE__BODY void set_bits(const scarce__fast *fast, scarce__bits *bits)
{
    for (size_t i = 0; i < fast->n_top_sets; ++i) {
        const scarce__top_set *set = fast->top_sets + i;
        const uint8_t *right = fast->lookups + 256 * (size_t)set->lookup;
        scarce__bits_clear(bits + set->row);
        for (uint32_t k = 0; k < set->n; ++k)
            if (right[k]) scarce__bits_or(bits + set->row, bits + set->column_row + k);
    }
}

SCARCE__BODY void bits_body(const scarce__fast *fast, const uint8_t *columns, scarce__bits *bits)
{
    scarce__bits planes[8], above[128], missing;

    for (size_t i = 0; i < fast->n_top_columns; ++i) {
        const scarce__top_column *c = fast->top_columns + i;
        if (c->category) {
            class_bits(fast, c, columns, bits + c->row);
            continue;
        }
        if (c->twin) {
            missing_bits(fast, c, columns, &missing);
        } else {
            byte_planes(fast, c, columns, planes);
            lower_bits(c, planes, above);
            scarce__bits_clear(&missing);
        }
        column_bits(c, planes + c->planes - 1, above, &missing, bits + c->row);
    }
    set_bits(fast, bits);
}

SCARCE__BODY void split_rows(const scarce__top_step *step, uint32_t length, const scarce__bits *bits,
                             scarce__bits *masks)
{
    scarce__bits rows = masks[step->from];
    for (uint32_t i = 0; i < length; ++i) {
        const scarce__bits *test = bits + step[i].row;
        const uint64_t flip = 0 - (uint64_t)(step[i].flip & 1);
        scarce__bits off;
        for (int w = 0; w < SCARCE__BIT_WORDS; ++w) off.word[w] = rows.word[w] & (test->word[w] ^ flip);
        for (int w = 0; w < SCARCE__BIT_WORDS; ++w) rows.word[w] ^= off.word[w];
        masks[step[i].off] = off;
    }
    masks[step->from] = rows;
}

/* The union of 8 masks, and their part in the three planes. */
SCARCE__BODY void unite8(const scarce__bits *m, scarce__bits *plane, scarce__bits *all)
{
    for (int w = 0; w < SCARCE__BIT_WORDS; ++w) {
        const uint64_t m3 = m[3].word[w], m5 = m[5].word[w], m6 = m[6].word[w], m7 = m[7].word[w];
        const uint64_t odd = m[1].word[w] | m3 | m5 | m7, second = m[2].word[w] | m3 | m6 | m7,
                       upper = m[4].word[w] | m5 | m6 | m7;
        plane[0].word[w] |= odd;
        plane[1].word[w] |= second;
        plane[2].word[w] |= upper;
        all->word[w] = m[0].word[w] | odd | second | upper;
    }
}

SCARCE__BODY void places_body(const scarce__fast *fast, size_t tree, const scarce__bits *bits,
                              scarce__bits *masks, uint16_t *place)
{
    const scarce__top *top = fast->tops + tree;
    const scarce__top_step *step = fast->steps + top->step;
    scarce__bits plane[SCARCE__PLANES];

    for (int w = 0; w < SCARCE__BIT_WORDS; ++w) masks[1].word[w] = ~(uint64_t)0;
    for (uint32_t length = SCARCE__PIECE; length > 0; --length)
        for (uint32_t k = top->n_pieces[SCARCE__PIECE - length]; k > 0; --k, step += length)
            split_rows(step, length, bits, masks);
    scarce__bits_clear(masks);
    for (uint32_t b = 0, n = top->n_places; b < SCARCE__PLANES; b += 3, n = (n + 7) / 8) {
        for (uint32_t i = n; i % 8; ++i) scarce__bits_clear(masks + i);
        for (int k = 0; k < 3; ++k) scarce__bits_clear(plane + b + k);
        for (uint32_t i = 0; i < n; i += 8) unite8(masks + i, plane + b, masks + i / 8);
    }
    for (int i = 0; i < SCARCE__BIT_ROWS; i += 8) {
        uint64_t low = 0, high = 0;
        for (int b = 0; b < 8; ++b) low |= (plane[b].word[i / 64] >> i % 64 & 255) << 8 * b;
        for (int b = 8; b < SCARCE__PLANES; ++b)
            high |= (plane[b].word[i / 64] >> i % 64 & 255) << 8 * (b - 8);
        low = scarce__transpose8(low);
        high = scarce__transpose8(high);
        for (int k = 0; k < 8; ++k)
            place[i + k] = (uint16_t)((low >> 8 * k & 255) | (high >> 8 * k & 255) << 8);
    }
}

/* The nodes of an input between its row of the mask table and its bin. */
SCARCE__BODY void and_rest(const scarce__fast *fast, const scarce__input *input, uint32_t bin, size_t tree,
                           void *words)
{
    const uint32_t *begin = fast->rest_begin + tree / SCARCE__MASK_CHUNK * fast->rest_bins + input->rest;
    const uint32_t from = begin[bin >> fast->mask_shift << fast->mask_shift], to = begin[bin];

    if (fast->mask_width == 4)
        for (uint32_t k = from; k < to; ++k)
            ((uint32_t *)words)[fast->rest_tree[k]] &= ((const uint32_t *)fast->rest_mask)[k];
    else
        for (uint32_t k = from; k < to; ++k)
            ((uint64_t *)words)[fast->rest_tree[k]] &= ((const uint64_t *)fast->rest_mask)[k];
}

/* The row of the mask table for a value; bin_of(x) is taken only where it is needed. */
#define SCARCE__MASK_ROW(row, fast, input, x, bin_of, tree, words)                                           \
    do {                                                                                                     \
        if ((input)->category) {                                                                             \
            row = (input)->mask_row + scarce__input_class(fast, input, x);                                   \
        } else if ((x) != (x)) {                                                                             \
            row = (input)->mask_row + (input)->n_rows;                                                       \
        } else {                                                                                             \
            const uint32_t bin_ = bin_of((fast)->thresholds + (input)->offset, (input)->n, x);               \
            row = (input)->mask_row + (bin_ >> (fast)->mask_shift);                                          \
            if ((fast)->rest_begin) and_rest(fast, input, bin_, tree, words);                                \
        }                                                                                                    \
    } while (0)

/* Adds the exit leaves of n trees from `tree` on; the word of a tree is never 0. */
SCARCE__BODY double add_exits32(const scarce__fast *fast, size_t tree, size_t n, const uint32_t *words,
                                double sum)
{
    for (size_t t = 0; t < n; ++t)
        sum += (double)fast->leaves[fast->trees[tree + t].leaf + (size_t)__builtin_ctz(words[t])];
    return sum;
}

SCARCE__BODY double add_exits64(const scarce__fast *fast, size_t tree, size_t n, const uint64_t *words,
                                double sum)
{
    for (size_t t = 0; t < n; ++t)
        sum += (double)fast->leaves[fast->trees[tree + t].leaf + (size_t)__builtin_ctzll(words[t])];
    return sum;
}

SCARCE__BODY double one_body(const scarce__fast *fast, const float *row)
{
    double sum = fast->base;

    for (size_t tree = 0; tree < fast->n_trees; tree += SCARCE__MASK_CHUNK) {
        const size_t left = fast->n_trees - tree, n = left < SCARCE__MASK_CHUNK ? left : SCARCE__MASK_CHUNK;
        union {
            uint32_t narrow[SCARCE__MASK_CHUNK];
            uint64_t wide[SCARCE__MASK_CHUNK];
        } words;
        memset(&words, 255, fast->mask_width == 4 ? sizeof words.narrow : sizeof words.wide);
        for (size_t i = 0; i < fast->n_inputs; ++i) {
            const scarce__input *input = fast->inputs + i;
            const float x = row[input->feature];
            size_t at;
            SCARCE__MASK_ROW(at, fast, input, x, count_bin, tree, &words);
            at = at * fast->mask_stride + tree;
            if (fast->mask_width == 4) {
                const uint32_t *mask = (const uint32_t *)fast->masks + at;
                for (size_t t = 0; t < n; ++t) words.narrow[t] &= mask[t];
            } else {
                const uint64_t *mask = (const uint64_t *)fast->masks + at;
                for (size_t t = 0; t < n; ++t) words.wide[t] &= mask[t];
            }
        }
        sum = fast->mask_width == 4 ? add_exits32(fast, tree, n, words.narrow, sum)
                                    : add_exits64(fast, tree, n, words.wide, sum);
    }
    return sum;
}

#endif
