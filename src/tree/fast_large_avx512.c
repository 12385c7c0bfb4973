/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of fast_large.c with AVX-512: 64 rows go on together, their nodes and bytes fetched by gathers of 16, four
 * of them at a time because each waits for the one before. */
#include "tree/fast_large.h"

#if SCARCE__FAST_X86

#include <immintrin.h>
#include <string.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,popcnt")))
#define AVX512_INLINE AVX512 static inline __attribute__((always_inline))

enum { GROUPS = 4, LANES = 16, TOGETHER = GROUPS * LANES };

/* What all steps in a tree have in common. */
typedef struct ground {
    const uint32_t *short_nodes; /* from the root on */
    const uint64_t *long_nodes;
    const uint32_t *lookup;
    const uint8_t *bitmaps, *bytes;
    __m512i first_category;
} ground;

/* kid and, in the lower bytes, column and bin. */
AVX512_INLINE void fetch(const ground *g, __m512i at, int is_short, __m512i *kid, __m512i *test)
{
    if (is_short) {
        const __m512i w = _mm512_i32gather_epi32(at, g->short_nodes, 4);
        *kid = _mm512_srli_epi32(w, 16);
        *test = _mm512_and_si512(w, _mm512_set1_epi32(0xffff));
    } else {
        const __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256(at), g->long_nodes, 8);
        const __m512i high = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(at, 1), g->long_nodes, 8);
        *test = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                                   _mm512_cvtepi64_epi32(high), 1);
        *kid = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(_mm512_srli_epi64(low, 32))),
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
    __m512i kid, test;
    fetch(g, at, is_short, &kid, &test);
    const __m512i column = _mm512_srli_epi32(test, 8);
    const __m512i word = _mm512_i32gather_epi32(_mm512_add_epi32(row, column), g->bytes, 1);
    __mmask16 right = _mm512_cmpgt_epu32_mask(_mm512_slli_epi32(word, 24), _mm512_slli_epi32(test, 24));
    if (categories) {
        const __mmask16 who = _mm512_cmpge_epu32_mask(column, g->first_category);
        if (who)
            right = (__mmask16)((right & ~who) |
                                right_by_class(g, at, _mm512_and_si512(word, _mm512_set1_epi32(255)), who));
    }
    return _mm512_mask_add_epi32(kid, right, kid, _mm512_set1_epi32(1));
}

AVX512_INLINE __m512i row_numbers(const uint16_t *list)
{
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)list));
}

/* 64 rows go `levels` steps; returns the new end of the list of those that have not arrived. */
AVX512_INLINE uint16_t *pass(const ground *g, const scarce__large *l, const uint16_t *list, uint32_t levels,
                             uint16_t *waiting, int is_short, int categories)
{
    const __m512i width = _mm512_set1_epi32((int)l->width);
    __m512i number[GROUPS], row[GROUPS], at[GROUPS];

    for (int j = 0; j < GROUPS; ++j) {
        number[j] = row_numbers(list + LANES * j);
        row[j] = _mm512_mullo_epi32(number[j], width);
        at[j] = _mm512_i32gather_epi32(number[j], l->place, 4);
    }
    for (uint32_t d = 0; d < levels; ++d)
        for (int j = 0; j < GROUPS; ++j) at[j] = step(g, at[j], row[j], is_short, categories);
    for (int j = 0; j < GROUPS; ++j) {
        __m512i kid, test;
        fetch(g, at[j], is_short, &kid, &test);
        const __mmask16 goes_on = _mm512_cmpneq_epu32_mask(kid, at[j]);
        _mm512_i32scatter_epi32(l->place, number[j], at[j], 4);
        const __m512i left = _mm512_maskz_compress_epi32(goes_on, number[j]);
        _mm256_storeu_si256((__m256i *)(void *)waiting, _mm512_cvtepi32_epi16(left));
        waiting += __builtin_popcount(goes_on);
    }
    return waiting;
}

/* Below the top, as `start` of fast_large.c. */
AVX512 static void start(const uint32_t *exits, const uint8_t *top, const scarce__large *l, size_t n,
                         size_t *n_adds, size_t *n_left)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint16_t *adds = l->adds, *waiting = l->list;

    for (size_t i = 0; i < n; i += LANES) {
        const __m512i exit = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(top + i)));
        const __mmask16 there = n - i < LANES ? (__mmask16)((1u << (n - i)) - 1) : (__mmask16)-1;
        const __mmask16 some = _mm512_mask_test_epi32_mask(there, exit, exit);
        if (!some) continue;
        const __m512i number = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)i));
        const __m512i to = _mm512_mask_i32gather_epi32(lanes, some, exit, exits, 4);
        const __mmask16 goes_on = (__mmask16)(some & ~_mm512_movepi32_mask(to));
        _mm512_storeu_si512(l->place + i, _mm512_and_si512(to, _mm512_set1_epi32(0x7fffffff)));
        _mm256_storeu_si256((__m256i *)(void *)adds,
                            _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(some, number)));
        _mm256_storeu_si256((__m256i *)(void *)waiting,
                            _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(goes_on, number)));
        adds += __builtin_popcount(some);
        waiting += __builtin_popcount(goes_on);
    }
    *n_adds = (size_t)(adds - l->adds);
    *n_left = (size_t)(waiting - l->list);
}

AVX512_INLINE void walk(const ground *g, const scarce__large *l, size_t n, int is_short, int categories)
{
    while (n > 0) {
        uint16_t copy[TOGETHER], *waiting = l->list; /* never ahead of what is read */
        for (size_t i = 0; i < n; i += TOGETHER) {
            /* whole ranks: the last row again, which then waits more than once and arrives all the same */
            memcpy(copy, l->list + i, sizeof copy);
            for (size_t k = n - i; k < TOGETHER; ++k) copy[k] = l->list[n - 1];
            uint16_t *end = pass(g, l, copy, SCARCE__LEVELS, waiting, is_short, categories);
            if (i + TOGETHER > n) /* but is listed once */
                while (end - waiting > 1 && end[-1] == end[-2]) --end;
            waiting = end;
        }
        n = (size_t)(waiting - l->list);
    }
}

AVX512 void scarce__large_walk_avx512(const scarce__fast *fast, size_t tree, const scarce__large *l, size_t n)
{
    const size_t root = fast->roots[tree];
    const ground g = {fast->short_nodes ? fast->short_nodes + root : NULL,
                      fast->long_nodes ? fast->long_nodes + root : NULL,
                      fast->byte_lookup ? fast->byte_lookup + root : NULL,
                      fast->bitmaps,
                      l->bytes,
                      _mm512_set1_epi32((int)fast->first_category)};
    size_t n_adds, left;

    start(fast->exits + tree * SCARCE__BYTE_LEAVES, l->top + tree * l->rows, l, n, &n_adds, &left);
    if (fast->short_nodes && fast->has_category) walk(&g, l, left, 1, 1);
    else if (fast->short_nodes) walk(&g, l, left, 1, 0);
    else if (fast->has_category) walk(&g, l, left, 0, 1);
    else walk(&g, l, left, 0, 0);
    scarce__large_add(fast, tree, l, n_adds);
}

#else
typedef int scarce__fast_large_avx512_is_empty;
#endif
