/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels with AVX-512: 64 bytes and masks for the tests, permutations as tables of leaf values and
 * thresholds, three-way AND for the masks of a single row. */
#include "tree/fast_kernel.h"
#include "tree/fast_large.h"

#if SCARCE__FAST_X86

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,popcnt")))
#define AVX512_INLINE AVX512 static inline __attribute__((always_inline))

/* Of 32 numbers that of each lane. */
AVX512_INLINE __m512 pick(const float *from, __m512i which)
{
    return _mm512_permutex2var_ps(_mm512_loadu_ps(from), which, _mm512_loadu_ps(from + 16));
}

/* Which of `parts` (at most 32) parts, by the highest threshold of each. */
AVX512_INLINE __m512i part_of(const float *highest, uint32_t parts, __m512 x)
{
    __m512i at = _mm512_setzero_si512();
    for (uint32_t half = parts / 2; half; half /= 2) {
        const __m512i probe = _mm512_add_epi32(at, _mm512_set1_epi32((int)half - 1));
        const __mmask16 more = _mm512_cmp_ps_mask(pick(highest, probe), x, _CMP_LT_OQ);
        at = _mm512_mask_add_epi32(at, more, at, _mm512_set1_epi32((int)half));
    }
    return at;
}

/* 16 values: first the block, then within it by up to three halvings; each level is a table of 32 numbers for every way
 * to get there (fast_build.c), since permutations are many times as quick as gathers. */
AVX512_INLINE __m512i bin16(const float *levels, uint32_t step, __m512 x)
{
    const __m512i block = part_of(levels, SCARCE__BLOCKS, x);
    const float *t = levels + SCARCE__BLOCKS;
    const __mmask16 first = _mm512_cmp_ps_mask(pick(t, block), x, _CMP_LT_OQ);
    __m512i at = _mm512_maskz_set1_epi32(first, 1);

    if (step > 2) {
        const __m512 s = _mm512_mask_blend_ps(first, pick(t + 32, block), pick(t + 64, block));
        const __mmask16 second = _mm512_cmp_ps_mask(s, x, _CMP_LT_OQ);
        at = _mm512_mask_add_epi32(_mm512_add_epi32(at, at), second, _mm512_add_epi32(at, at),
                                   _mm512_set1_epi32(1));
        if (step > 4) {
            const __m512 low = _mm512_mask_blend_ps(second, pick(t + 96, block), pick(t + 128, block));
            const __m512 high = _mm512_mask_blend_ps(second, pick(t + 160, block), pick(t + 192, block));
            const __mmask16 third = _mm512_cmp_ps_mask(_mm512_mask_blend_ps(first, low, high), x, _CMP_LT_OQ);
            at = _mm512_mask_add_epi32(_mm512_add_epi32(at, at), third, _mm512_add_epi32(at, at),
                                       _mm512_set1_epi32(1));
        }
    }
    return _mm512_add_epi32(_mm512_sll_epi32(block, _mm_cvtsi32_si128(__builtin_ctz(step))), at);
}

AVX512_INLINE void bin_body512(const float *t, uint32_t padded, const float *x, size_t n, uint8_t *left,
                               uint8_t *right, uint32_t step)
{
    for (size_t i = 0; i < n; i += 16) {
        const __m512 v = _mm512_loadu_ps(x + i);
        const __m512i at = step > 1 ? bin16(t + padded, step, v) : part_of(t, padded, v);
        if (left) _mm_storeu_si128((__m128i *)(void *)(left + i), _mm512_cvtepi32_epi8(at));
        if (right) {
            const __mmask16 missing = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
            const __m512i to = _mm512_mask_mov_epi32(at, missing, _mm512_set1_epi32(255));
            _mm_storeu_si128((__m128i *)(void *)(right + i), _mm512_cvtepi32_epi8(to));
        }
    }
}

AVX512 static void bin(const float *t, uint32_t padded, const float *x, size_t n, uint8_t *left,
                       uint8_t *right)
{
    switch (padded / SCARCE__BLOCKS) {
    case 8: bin_body512(t, padded, x, n, left, right, 8); break;
    case 4: bin_body512(t, padded, x, n, left, right, 4); break;
    case 2: bin_body512(t, padded, x, n, left, right, 2); break;
    default: bin_body512(t, padded, x, n, left, right, 1); break;
    }
}

AVX512_INLINE __m512i move(__m512i place, const uint8_t *bins, __m512i bin, __m512i first, __m512i right)
{
    const __mmask64 here = _mm512_cmpeq_epi8_mask(place, first);
    const __mmask64 moves = _mm512_mask_cmpgt_epu8_mask(here, _mm512_loadu_si512(bins), bin);
    return _mm512_mask_mov_epi8(place, moves, right);
}

/* The same for a category: bit `class` of 256, found as byte class / 8 of two halves and bit class % 8. */
AVX512_INLINE __m512i move_category(__m512i place, const uint8_t *bins, const uint8_t *bitmap, __m512i first,
                                    __m512i right)
{
    const __m512i low = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)bitmap));
    const __m512i high =
        _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)(bitmap + 16)));
    const __m512i bits = _mm512_set1_epi64((long long)0x8040201008040201u);
    const __m512i class_of = _mm512_loadu_si512(bins);
    const __m512i at = _mm512_and_si512(_mm512_srli_epi16(class_of, 3), _mm512_set1_epi8(15));
    const __mmask64 upper = _mm512_movepi8_mask(class_of); /* class >= 128 */
    const __m512i byte = _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(low, at), upper, high, at);
    const __m512i bit = _mm512_shuffle_epi8(bits, _mm512_and_si512(class_of, _mm512_set1_epi8(7)));
    const __mmask64 here = _mm512_cmpeq_epi8_mask(place, first);
    return _mm512_mask_mov_epi8(place, _mm512_mask_test_epi8_mask(here, byte, bit), right);
}

/* The places of 64 or 256 rows. */
AVX512_INLINE void place_rows(const scarce__fast *fast, const scarce__fast_tree *which,
                              const uint8_t *columns, int n_vectors, __m512i *place)
{
    const scarce__test *test = fast->tests + which->test, *end = test + which->n_tests;

    for (int v = 0; v < n_vectors; ++v) place[v] = _mm512_setzero_si512();
    for (; test < end; ++test) {
        const uint8_t *bins = columns + (size_t)test->column * SCARCE__TILE;
        const __m512i bin_of = _mm512_set1_epi32((int)test->bin), first = _mm512_set1_epi32((int)test->first);
        const __m512i right = _mm512_set1_epi32((int)test->right);
        if (test->lookup) {
            const uint8_t *bitmap = fast->bitmaps + 32 * (size_t)(test->lookup - 1);
            for (int v = 0; v < n_vectors; ++v)
                place[v] = move_category(place[v], bins + 64 * v, bitmap, first, right);
            continue;
        }
        for (int v = 0; v < n_vectors; ++v) place[v] = move(place[v], bins + 64 * v, bin_of, first, right);
    }
}

AVX512_INLINE void add16(double *sums, __m512 values)
{
    const __m512d a = _mm512_cvtps_pd(_mm512_castps512_ps256(values));
    const __m512d b = _mm512_cvtps_pd(_mm512_extractf32x8_ps(values, 1));
    _mm512_storeu_pd(sums, _mm512_add_pd(_mm512_loadu_pd(sums), a));
    _mm512_storeu_pd(sums + 8, _mm512_add_pd(_mm512_loadu_pd(sums + 8), b));
}

/* The leaf values of 64 places. */
AVX512_INLINE void add_values(const float *leaves, uint32_t n_leaves, __m512i place, double *sums)
{
    uint8_t bytes[64];

    _mm512_storeu_si512(bytes, place);
    if (n_leaves <= 32) {
        const __m512 low = _mm512_loadu_ps(leaves), high = n_leaves > 16 ? _mm512_loadu_ps(leaves + 16) : low;
        for (int i = 0; i < 64; i += 16) {
            const __m512i at =
                _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(bytes + i)));
            add16(sums + i, _mm512_permutex2var_ps(low, at, high));
        }
    } else {
        for (int i = 0; i < 64; i += 16) {
            const __m512i at =
                _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(bytes + i)));
            add16(sums + i, _mm512_i32gather_ps(at, leaves, 4));
        }
    }
}

AVX512 static void tree(const scarce__fast *fast, const scarce__fast_tree *which, const uint8_t *columns,
                        size_t n, double *sums)
{
    const float *leaves = fast->leaves + which->leaf;
    __m512i place[4];

    if (n == SCARCE__TILE) {
        place_rows(fast, which, columns, 4, place);
        for (int v = 0; v < 4; ++v) add_values(leaves, which->n_leaves, place[v], sums + 64 * v);
        return;
    }
    for (size_t i = 0; i < n; i += 64) {
        place_rows(fast, which, columns + i, 1, place);
        add_values(leaves, which->n_leaves, place[0], sums + i);
    }
}

AVX512_INLINE uint32_t count_bin512(const float *t, uint32_t n, float x)
{
    const __m512 v = _mm512_set1_ps(x);
    int count = 0;
    for (uint32_t k = 0; k < n; k += 16)
        count += __builtin_popcount(_mm512_cmp_ps_mask(_mm512_loadu_ps(t + k), v, _CMP_LT_OQ));
    return (uint32_t)count;
}

enum { ROWS_AT_ONCE = 64 };

/* words &= all the rows; `bytes` of a row, a multiple of 64. Four vectors side by side hide the latency. */
AVX512_INLINE void and_rows(void *all_words, const uint8_t *const *rows, size_t n_rows, size_t bytes)
{
    uint8_t *words = all_words;
    size_t at = 0;

    for (; at + 256 <= bytes; at += 256) {
        __m512i w[4];
        size_t i = 0;
        for (int v = 0; v < 4; ++v) w[v] = _mm512_loadu_si512(words + at + 64 * v);
        for (; i + 2 <= n_rows; i += 2)
            for (int v = 0; v < 4; ++v)
                w[v] = _mm512_ternarylogic_epi32(w[v], _mm512_loadu_si512(rows[i] + at + 64 * v),
                                                 _mm512_loadu_si512(rows[i + 1] + at + 64 * v), 0x80);
        for (; i < n_rows; ++i)
            for (int v = 0; v < 4; ++v)
                w[v] = _mm512_and_si512(w[v], _mm512_loadu_si512(rows[i] + at + 64 * v));
        for (int v = 0; v < 4; ++v) _mm512_storeu_si512(words + at + 64 * v, w[v]);
    }
    for (; at < bytes; at += 64) {
        __m512i w = _mm512_loadu_si512(words + at);
        for (size_t i = 0; i < n_rows; ++i) w = _mm512_and_si512(w, _mm512_loadu_si512(rows[i] + at));
        _mm512_storeu_si512(words + at, w);
    }
}

AVX512 static double one(const scarce__fast *fast, const float *row)
{
    const size_t width = (size_t)fast->mask_width, row_bytes = fast->mask_stride * width;
    double sum = fast->base;

    for (size_t tree_at = 0; tree_at < fast->n_trees; tree_at += SCARCE__MASK_CHUNK) {
        const size_t left = fast->n_trees - tree_at,
                     trees = left < SCARCE__MASK_CHUNK ? left : SCARCE__MASK_CHUNK;
        const size_t bytes = (trees * width + 63) / 64 * 64;
        const uint8_t *rows[ROWS_AT_ONCE];
        union {
            uint32_t narrow[SCARCE__MASK_CHUNK];
            uint64_t wide[SCARCE__MASK_CHUNK];
        } words;
        size_t n_rows = 0;

        memset(&words, 255, bytes);
        for (size_t i = 0; i < fast->n_inputs; ++i) {
            const scarce__input *input = fast->inputs + i;
            const float x = row[input->feature];
            size_t at;
            SCARCE__MASK_ROW(at, fast, input, x, count_bin512, tree_at, &words);
            rows[n_rows++] = (const uint8_t *)fast->masks + at * row_bytes + tree_at * width;
            if (n_rows < ROWS_AT_ONCE && i + 1 < fast->n_inputs) continue;
            and_rows(&words, rows, n_rows, bytes);
            n_rows = 0;
        }
        sum = width == 4 ? add_exits32(fast, tree_at, trees, words.narrow, sum)
                         : add_exits64(fast, tree_at, trees, words.wide, sum);
    }
    return sum;
}

/* As byte_planes and lower_bits of fast_kernel.h; returns the plane of the highest bit. */
AVX512_INLINE __m512i lower_bits512(const scarce__fast *fast, const scarce__top_column *c,
                                    const uint8_t *columns, scarce__bits *above)
{
    scarce__bits planes[8];

    for (size_t w = 0; w < SCARCE__BIT_WORDS; ++w) {
        __m512i bytes = _mm512_loadu_si512(bytes_of(fast, columns, c->column, w));
        for (int b = 8; b-- > 0; bytes = _mm512_slli_epi16(bytes, 1))
            planes[b].word[w] = _mm512_movepi8_mask(bytes);
    }
    for (uint32_t b = 0; b + 1u < c->planes; ++b) {
        const __m512i p = _mm512_loadu_si512(planes + b);
        scarce__bits *upper = above + (1u << b);
        for (uint32_t k = 0; k + 1 < 1u << b; ++k) {
            const __m512i more = _mm512_loadu_si512(above + k);
            _mm512_storeu_si512(above + k, _mm512_or_si512(more, p));
            _mm512_storeu_si512(upper + k, _mm512_and_si512(more, p));
        }
        _mm512_storeu_si512(upper - 1, p);
    }
    scarce__bits_clear(above + (1u << (c->planes - 1)) - 1);
    return _mm512_loadu_si512(planes + c->planes - 1);
}

AVX512_INLINE __m512i missing_bits512(const scarce__fast *fast, const scarce__top_column *c,
                                      const uint8_t *columns)
{
    scarce__bits missing;
    for (size_t w = 0; w < SCARCE__BIT_WORDS; ++w)
        missing.word[w] =
            _mm512_cmpneq_epi8_mask(_mm512_loadu_si512(bytes_of(fast, columns, c[-1].column, w)),
                                    _mm512_loadu_si512(bytes_of(fast, columns, c->column, w)));
    return _mm512_loadu_si512(&missing);
}

AVX512 static void bits(const scarce__fast *fast, const uint8_t *columns, scarce__bits *to)
{
    scarce__bits above[128];
    __m512i highest = _mm512_setzero_si512(), missing = highest;

    for (size_t i = 0; i < fast->n_top_columns; ++i) {
        const scarce__top_column *c = fast->top_columns + i;
        scarce__bits *rows = to + c->row;
        if (c->category) {
            class_bits(fast, c, columns, rows);
            continue;
        }
        if (!c->twin) highest = lower_bits512(fast, c, columns, above);
        missing = c->twin ? missing_bits512(fast, c, columns) : _mm512_setzero_si512();
        for (uint32_t k = 0; k < c->n_low; ++k) {
            const __m512i more = _mm512_loadu_si512(above + c->bin[k]);
            _mm512_storeu_si512(rows + k, _mm512_ternarylogic_epi64(highest, more, missing, 0xfe));
        }
        for (uint32_t k = c->n_low; k < c->n; ++k) {
            const __m512i more = _mm512_loadu_si512(above + (c->bin[k] - (1 << (c->planes - 1))));
            _mm512_storeu_si512(rows + k, _mm512_ternarylogic_epi64(highest, more, missing, 0xea));
        }
    }
    set_bits(fast, to);
}

/* As unite8 of fast_kernel.h, for n masks: the unions, and their planes. */
AVX512_INLINE void unite(scarce__bits *masks, uint32_t n, scarce__bits *planes)
{
    __m512i odd = _mm512_setzero_si512(), second = odd, upper = odd;

    for (uint32_t i = n; i % 8; ++i) _mm512_storeu_si512(masks + i, _mm512_setzero_si512());
    for (uint32_t i = 0; i < n; i += 8) {
        __m512i m[8];
        for (int k = 0; k < 8; ++k) m[k] = _mm512_loadu_si512(masks + i + k);
        const __m512i m37 = _mm512_or_si512(m[3], m[7]), m57 = _mm512_or_si512(m[5], m[7]);
        const __m512i both = _mm512_ternarylogic_epi64(m37, m[5], m[1], 0xfe);
        odd = _mm512_or_si512(odd, both);
        second = _mm512_ternarylogic_epi64(second, m37, _mm512_or_si512(m[2], m[6]), 0xfe);
        upper = _mm512_ternarylogic_epi64(upper, m57, _mm512_or_si512(m[4], m[6]), 0xfe);
        const __m512i even = _mm512_ternarylogic_epi64(m[2], m[4], m[6], 0xfe);
        _mm512_storeu_si512(masks + i / 8, _mm512_ternarylogic_epi64(m[0], both, even, 0xfe));
    }
    _mm512_storeu_si512(planes, odd);
    _mm512_storeu_si512(planes + 1, second);
    _mm512_storeu_si512(planes + 2, upper);
}

/* n pieces of the same length; returns the step behind them. */
AVX512_INLINE const scarce__top_step *split_rows512(const scarce__top_step *step, uint32_t n, int length,
                                                    const scarce__bits *of, scarce__bits *masks)
{
    for (const scarce__top_step *end = step + n * (uint32_t)length; step < end; step += length) {
        __m512i rows = _mm512_loadu_si512(masks + step->from);
        for (int i = 0; i < length; ++i) {
            const __m512i test = _mm512_loadu_si512(of + step[i].row);
            const __m512i flip = _mm512_set1_epi32((int)step[i].flip);
            _mm512_storeu_si512(masks + step[i].off, _mm512_ternarylogic_epi32(rows, test, flip, 0x60));
            rows = _mm512_ternarylogic_epi32(rows, test, flip, 0x90);
        }
        _mm512_storeu_si512(masks + step->from, rows);
    }
    return step;
}

AVX512 static void places(const scarce__fast *fast, size_t which, const scarce__bits *of, scarce__bits *masks,
                          uint16_t *to)
{
    const scarce__top *top = fast->tops + which;
    const scarce__top_step *step = fast->steps + top->step;
    scarce__bits planes[SCARCE__PLANES];

    _mm512_storeu_si512(masks + 1, _mm512_set1_epi8(-1));
    step = split_rows512(step, top->n_pieces[0], 4, of, masks);
    step = split_rows512(step, top->n_pieces[1], 3, of, masks);
    step = split_rows512(step, top->n_pieces[2], 2, of, masks);
    (void)split_rows512(step, top->n_pieces[3], 1, of, masks);
    _mm512_storeu_si512(masks, _mm512_setzero_si512());
    for (uint32_t b = 0, n = top->n_places; b < SCARCE__PLANES; b += 3, n = (n + 7) / 8)
        unite(masks, n, planes + b);
    for (int w = 0; w < SCARCE__BIT_WORDS; ++w) {
        __m512i low = _mm512_setzero_si512(), high = low;
        for (int b = 0; b < SCARCE__PLANES; ++b) {
            const __m512i bit = _mm512_set1_epi16((short)(1 << b));
            low = _mm512_mask_add_epi16(low, (__mmask32)planes[b].word[w], low, bit);
            high = _mm512_mask_add_epi16(high, (__mmask32)(planes[b].word[w] >> 32), high, bit);
        }
        _mm512_storeu_si512(to + 64 * w, low);
        _mm512_storeu_si512(to + 64 * w + 32, high);
    }
}

const scarce__kernels scarce__kernels_avx512 = {
    bin, tree, one, bits, places, scarce__large_collect_avx512, scarce__large_walk_avx512};

#else
typedef int scarce__fast_avx512_is_empty;
#endif
