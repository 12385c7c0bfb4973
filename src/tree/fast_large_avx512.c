/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of fast_large.c with AVX-512: 64 go on together, their nodes and bytes fetched by gathers of 16, four of
 * them at a time because each waits for the one before. */
#include "tree/fast_large.h"

#if SCARCE__FAST_X86

#include <immintrin.h>
#include <string.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,popcnt")))
#define AVX512_INLINE AVX512 static inline __attribute__((always_inline))

enum { GROUPS = 4, LANES = 16, TWICE = 2 * LANES, TOGETHER = GROUPS * LANES };
static const uint16_t numbers[TWICE] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* What all steps have in common. */
typedef struct ground {
    const uint32_t *short_nodes;
    const uint64_t *long_nodes;
    const uint32_t *lookup;
    const uint8_t *bitmaps, *bytes;
    __m512i first_category;
    __m512i next_tile; /* bytes to the second half of the rows */
} ground;

/* How far the left kid is and, in the lower bytes, column and bin. */
AVX512_INLINE void fetch(const ground *g, __m512i at, int is_short, __m512i *far, __m512i *test)
{
    if (is_short) {
        const __m512i w = _mm512_i32gather_epi32(at, g->short_nodes, 4);
        *far = _mm512_srli_epi32(w, 16);
        *test = _mm512_and_si512(w, _mm512_set1_epi32(0xffff));
    } else {
        const __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256(at), g->long_nodes, 8);
        const __m512i high = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(at, 1), g->long_nodes, 8);
        *test = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                                   _mm512_cvtepi64_epi32(high), 1);
        *far = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(_mm512_srli_epi64(low, 32))),
                                  _mm512_cvtepi64_epi32(_mm512_srli_epi64(high, 32)), 1);
    }
}

/* Which of the category nodes among `at` send their class right: a bit of 256. */
AVX512_INLINE __mmask16 right_by_class(const ground *g, __m512i at, __m512i byte, __mmask16 who)
{
    const __m512i zero = _mm512_setzero_si512();
    const __m512i which = _mm512_mask_i32gather_epi32(zero, who, at, g->lookup, 4);
    const __m512i word = _mm512_add_epi32(_mm512_slli_epi32(which, 3), _mm512_srli_epi32(byte, 5));
    const __m512i bits = _mm512_mask_i32gather_epi32(zero, who, word, g->bitmaps, 4);
    const __m512i bit = _mm512_srlv_epi32(bits, _mm512_and_si512(byte, _mm512_set1_epi32(31)));
    return _mm512_mask_test_epi32_mask(who, bit, _mm512_set1_epi32(1));
}

AVX512_INLINE __m512i step(const ground *g, __m512i at, __m512i row, int is_short, int categories)
{
    __m512i far, test;
    fetch(g, at, is_short, &far, &test);
    const __m512i column =
        _mm512_andnot_si512(_mm512_set1_epi32(255), test); /* times 256, as tiles want it */
    const __m512i word = _mm512_i32gather_epi32(_mm512_add_epi32(row, column), g->bytes, 1);
    __mmask16 right = _mm512_cmpgt_epu32_mask(_mm512_slli_epi32(word, 24), _mm512_slli_epi32(test, 24));
    if (categories) {
        const __mmask16 who = _mm512_cmpge_epu32_mask(column, g->first_category);
        if (who)
            right = (__mmask16)((right & ~who) |
                                right_by_class(g, at, _mm512_and_si512(word, _mm512_set1_epi32(255)), who));
    }
    at = _mm512_add_epi32(at, far);
    return _mm512_mask_add_epi32(at, right, at, _mm512_set1_epi32(1));
}

AVX512_INLINE __m512i take16(const uint16_t *list)
{
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)list));
}

/* Appends the items with a bit. */
AVX512_INLINE uint16_t *put16(uint16_t *to, __mmask16 which, __m512i items)
{
    _mm256_storeu_si256((__m256i *)(void *)to,
                        _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(which, items)));
    return to + __builtin_popcount(which);
}

AVX512_INLINE __mmask16 first(size_t n)
{
    return n < LANES ? (__mmask16)((1u << n) - 1) : (__mmask16)-1;
}

/* Of 16 rows (their numbers above their places) those with a place, at *to and behind it; returns their end. */
AVX512_INLINE uint32_t *put_placed(uint32_t *to, __m512i rows)
{
    const __mmask16 some = _mm512_test_epi32_mask(rows, _mm512_set1_epi32(0xffff));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(some, rows));
    return to + __builtin_popcount(some);
}

/* In which order the rows of a tree come does not matter: each is there once. */
AVX512 void scarce__large_collect_avx512(const scarce__fast *fast, size_t tree, size_t n, scarce__large *l)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const uint32_t *exits = fast->exits + fast->tops[tree].exit;
    uint32_t some[SCARCE__BIT_ROWS + LANES], *end = some;
    uint16_t *waiting = l->waiting + l->n_waiting;
    __m512i row = _mm512_loadu_si512(numbers);

    for (size_t i = n; i % TWICE; ++i) l->place[i] = 0;
    for (size_t i = 0; i < n; i += TWICE, row = _mm512_add_epi16(row, _mm512_set1_epi16(TWICE))) {
        const __m512i place = _mm512_loadu_si512(l->place + i);
        end = put_placed(end, _mm512_unpacklo_epi16(place, row));
        end = put_placed(end, _mm512_unpackhi_epi16(place, row));
    }
    const size_t count = (size_t)(end - some), begin = l->n_adds;
    for (size_t i = 0; i < count; i += LANES) {
        const __mmask16 there = first(count - i);
        const __m512i one = _mm512_loadu_si512(some + i);
        const __m512i to = _mm512_mask_i32gather_epi32(
            lanes, there, _mm512_and_si512(one, _mm512_set1_epi32(0xffff)), exits, 4);
        _mm512_storeu_si512(l->at + begin + i, _mm512_and_si512(to, _mm512_set1_epi32(0x7fffffff)));
        _mm256_storeu_si256((__m256i *)(void *)(l->row + begin + i),
                            _mm512_cvtepi32_epi16(_mm512_srli_epi32(one, 16)));
        waiting = put16(waiting, (__mmask16)(there & ~_mm512_movepi32_mask(to)),
                        _mm512_add_epi32(lanes, _mm512_set1_epi32((int)(begin + i))));
    }
    l->n_adds += count;
    l->n_waiting = (size_t)(waiting - l->waiting);
}

/* 64 go SCARCE__LEVELS steps; returns the new end of the list of those that have not arrived. */
AVX512_INLINE uint16_t *pass(const ground *g, const scarce__large *l, const uint16_t *who, uint16_t *waiting,
                             int is_short, int categories)
{
    const __m512i half = _mm512_set1_epi32(SCARCE__TILE), low = _mm512_set1_epi32(0xffff);
    __m512i number[GROUPS], row[GROUPS], at[GROUPS];

    for (int j = 0; j < GROUPS; ++j) {
        number[j] = take16(who + LANES * j);
        row[j] = _mm512_and_si512(_mm512_i32gather_epi32(number[j], l->row, 2), low);
        row[j] = _mm512_mask_add_epi32(row[j], _mm512_cmpge_epu32_mask(row[j], half), row[j], g->next_tile);
        at[j] = _mm512_i32gather_epi32(number[j], l->at, 4);
    }
    for (int d = 0; d < SCARCE__LEVELS; ++d)
        for (int j = 0; j < GROUPS; ++j) at[j] = step(g, at[j], row[j], is_short, categories);
    for (int j = 0; j < GROUPS; ++j) {
        __m512i far, test;
        fetch(g, at[j], is_short, &far, &test);
        _mm512_i32scatter_epi32(l->at, number[j], at[j], 4);
        waiting = put16(waiting, _mm512_test_epi32_mask(far, far), number[j]);
    }
    return waiting;
}

AVX512_INLINE void walk(const ground *g, const scarce__large *l, int is_short, int categories)
{
    for (size_t n = l->n_waiting; n > 0;) {
        uint16_t copy[TOGETHER], *waiting = l->waiting; /* never ahead of what is read */
        for (size_t i = 0; i < n; i += TOGETHER) {
            /* whole ranks: the last one again, which then waits more than once and arrives all the same */
            memcpy(copy, l->waiting + i, sizeof copy);
            for (size_t k = n - i; k < TOGETHER; ++k) copy[k] = l->waiting[n - 1];
            uint16_t *end = pass(g, l, copy, waiting, is_short, categories);
            if (i + TOGETHER > n) /* but is listed once */
                while (end - waiting > 1 && end[-1] == end[-2]) --end;
            waiting = end;
        }
        n = (size_t)(waiting - l->waiting);
    }
}

AVX512 void scarce__large_walk_avx512(const scarce__fast *fast, scarce__large *l)
{
    const ground g = {fast->short_nodes,
                      fast->long_nodes,
                      fast->byte_lookup,
                      fast->bitmaps,
                      l->columns,
                      _mm512_set1_epi32((int)(fast->first_category * SCARCE__TILE)),
                      _mm512_set1_epi32((int)((fast->n_columns - 1) * SCARCE__TILE))};

    if (fast->short_nodes && fast->has_category) walk(&g, l, 1, 1);
    else if (fast->short_nodes) walk(&g, l, 1, 0);
    else if (fast->has_category) walk(&g, l, 0, 1);
    else walk(&g, l, 0, 0);
}

#else
typedef int scarce__fast_large_avx512_is_empty;
#endif
