/* SPDX-License-Identifier: Apache-2.0 */
/* Stable partition without branches: every row is written to the end of both lists, and one of the two ends
 * moves on. Large nodes go in blocks over the threads: each block is split into its stretch of the spare
 * array (left rows from its front, right rows from its back), then all blocks are copied to where the counts
 * before them say. With AVX2 eight rows at a time are packed by a table of permutations.
 *
 * Codes are read from the tiles, where a column's codes of 128 neighbouring rows lie together (a node's rows
 * ascend); a bag that was copied together has only rows, which then are few enough for the cache. */
#include "tree/partition.h"

#include <string.h>

#include "tree/simd.h"

#if SCARCE__HAVE_AVX2
#include <immintrin.h>
#endif

typedef struct job {
    uint32_t *row, *spare, *block_left;
    size_t begin, end;
    int identity;
    const uint8_t *code; /* of row 0 */
    size_t stride;       /* from row to row, or from tile to tile */
    int tiled;
    uint8_t side[256]; /* 1: left */
    const scarce__bin_test *test;
    size_t prefetch_step; /* rows one prefetched line serves */
    int avx2;             /* and all codes are within 2^31 bytes */
    size_t n_left;
} job;

SCARCE__BODY const uint8_t *code_of(const job *j, uint32_t r, int tiled)
{
    return tiled ? j->code + (size_t)(r / SCARCE__TILE) * j->stride + r % SCARCE__TILE
                 : j->code + (size_t)r * j->stride;
}

/* Left rows to `left` ascending, right rows to `right` ascending; returns how many went left. */
SCARCE__BODY size_t split_rows(const job *j, const uint32_t *row, size_t begin, size_t end, uint32_t *left,
                               uint32_t *right, int tiled, int identity)
{
    enum { AHEAD = 256 };
    size_t l = 0, o = 0;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t r = identity ? (uint32_t)k : row[k];
        if (!identity && k + AHEAD < j->end) SCARCE__PREFETCH(code_of(j, row[k + AHEAD], tiled));
        const size_t goes = j->side[*code_of(j, r, tiled)];
        left[l] = r;
        right[o] = r;
        l += goes;
        o += 1 - goes;
    }
    return l;
}

#if SCARCE__HAVE_AVX2
/* Eight rows at a time, for tiles and range tests; writes up to eight items past both lists. Blocks begin at
 * multiples of eight, so that eight rows of an identity lie in one tile. */
SCARCE__AVX2 static size_t split_avx2(const job *j, const uint32_t *row, size_t begin, size_t end,
                                      uint32_t *left, uint32_t *right)
{
    enum { AHEAD = 256 };
    const __m256i stride = _mm256_set1_epi32((int)(j->stride - SCARCE__TILE)), byte = _mm256_set1_epi32(255);
    const __m256i sub = _mm256_set1_epi32(j->test->sub), span = _mm256_set1_epi32(j->test->span);
    const uint32_t flip = j->test->invert ? 0 : 255; /* the comparison below is "beyond the range" */
    size_t l = 0, o = 0, k = begin;
    for (; k + 8 <= end; k += 8) {
        const __m256i r = j->identity ? _mm256_add_epi32(_mm256_set1_epi32((int)k),
                                                         _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
                                      : _mm256_loadu_si256((const __m256i *)(const void *)(row + k));
        if (k + AHEAD + 8 <= j->end)
            for (size_t i = 0; i < 8; i += j->prefetch_step)
                SCARCE__PREFETCH(code_of(j, j->identity ? (uint32_t)(k + AHEAD) : row[k + AHEAD + i], 1));
        /* tile * stride + r % TILE = r + tile * (stride - TILE) */
        const __m256i at = _mm256_add_epi32(r, _mm256_mullo_epi32(_mm256_srli_epi32(r, 7), stride));
        const __m256i code =
            j->identity
                ? _mm256_cvtepu8_epi32(
                      _mm_loadl_epi64((const __m128i *)(const void *)code_of(j, (uint32_t)k, 1)))
                : _mm256_and_si256(_mm256_i32gather_epi32((const int *)(const void *)j->code, at, 1), byte);
        const __m256i d = _mm256_and_si256(_mm256_sub_epi32(code, sub), byte);
        const uint32_t beyond =
            (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(d, span)));
        const uint32_t mask = beyond ^ flip;
        const size_t n = (size_t)__builtin_popcount(mask);
        _mm256_storeu_si256((__m256i *)(void *)(left + l), scarce__pack8(r, mask));
        _mm256_storeu_si256((__m256i *)(void *)(right + o), scarce__pack8(r, mask ^ 255));
        l += n;
        o += 8 - n;
    }
    for (; k < end; ++k) {
        const uint32_t r = j->identity ? (uint32_t)k : row[k];
        const size_t goes = j->side[*code_of(j, r, 1)];
        left[l] = r;
        right[o] = r;
        l += goes;
        o += 1 - goes;
    }
    return l;
}
#endif

static size_t split_any(const job *j, const uint32_t *row, size_t begin, size_t end, uint32_t *left,
                        uint32_t *right)
{
#if SCARCE__HAVE_AVX2
    if (j->avx2) return split_avx2(j, row, begin, end, left, right);
#endif
    if (j->tiled && j->identity) return split_rows(j, row, begin, end, left, right, 1, 1);
    if (j->tiled) return split_rows(j, row, begin, end, left, right, 1, 0);
    if (j->identity) return split_rows(j, row, begin, end, left, right, 0, 1);
    return split_rows(j, row, begin, end, left, right, 0, 0);
}

/* The left list goes straight to the front of the block's stretch: it is never longer than the rows seen, so
 * what is written past its end stays in the stretch. The right list writes past its end, hence the room. */
static void split_block(void *arg, size_t block, int worker)
{
    job *j = arg;
    uint32_t right[SCARCE__PARTITION_BLOCK + 8];
    const size_t b = j->begin + block * SCARCE__PARTITION_BLOCK;
    const size_t e = b + SCARCE__PARTITION_BLOCK < j->end ? b + SCARCE__PARTITION_BLOCK : j->end;
    const size_t l = split_any(j, j->row, b, e, j->spare + b, right);

    (void)worker;
    memcpy(j->spare + b + l, right, (e - b - l) * sizeof *right);
    j->block_left[block] = (uint32_t)l;
}

static void place_block(void *arg, size_t block, int worker)
{
    const job *j = arg;
    const size_t b = j->begin + block * SCARCE__PARTITION_BLOCK;
    const size_t e = b + SCARCE__PARTITION_BLOCK < j->end ? b + SCARCE__PARTITION_BLOCK : j->end;
    size_t before = 0;

    (void)worker;
    for (size_t i = 0; i < block; ++i) before += j->block_left[i];
    const size_t l = j->block_left[block];
    const size_t right_before = block * SCARCE__PARTITION_BLOCK - before;
    memcpy(j->row + j->begin + before, j->spare + b, l * sizeof *j->row);
    memcpy(j->row + j->begin + j->n_left + right_before, j->spare + b + l, (e - b - l) * sizeof *j->row);
}

size_t scarce__partition(uint32_t *row, uint32_t *spare, uint32_t *block_left, size_t begin, size_t end,
                         int identity, const scarce__codes *codes, const scarce__bin_test *test, int portable,
                         scarce__pool *pool)
{
    job j;
    const size_t n = end - begin, blocks = scarce__blocks(n, SCARCE__PARTITION_BLOCK);

    j.row = row;
    j.spare = spare;
    j.block_left = block_left;
    j.begin = begin;
    j.end = end;
    j.identity = identity;
    j.tiled = codes->tiles != NULL;
    if (j.tiled) {
        j.code = codes->tiles + (size_t)test->column * SCARCE__TILE;
        j.stride = SCARCE__TILE * codes->n_columns;
    } else {
        const size_t slab = test->column / SCARCE__SLAB;
        j.code = scarce__slab(codes, slab) + test->column % SCARCE__SLAB;
        j.stride = scarce__slab_width(codes->n_columns, slab);
    }
    j.test = test;
    j.prefetch_step = 8;
    if (!identity && n > 0) { /* a line holds the codes of 64 neighbouring rows */
        const double listed = (double)n / ((double)(row[end - 1] - row[begin]) + 1);
        j.prefetch_step = listed > 0.125 ? 8 : listed > 0.06 ? 4 : listed > 0.03 ? 2 : 1;
    }
    j.avx2 = !portable && j.tiled && !test->is_set && scarce__cpu_avx2() &&
             (codes->n_rows + SCARCE__TILE) * codes->n_columns < (size_t)1 << 31;
    for (unsigned c = 0; c < 256; ++c) j.side[c] = (uint8_t)scarce__goes_left(test, (uint8_t)c);
    if (blocks <= 1) {
        split_block(&j, 0, 0);
        j.n_left = block_left[0];
        memcpy(row + begin, spare + begin, n * sizeof *row);
        return j.n_left;
    }
    scarce__pool_run(pool, blocks, split_block, &j);
    j.n_left = 0;
    for (size_t i = 0; i < blocks; ++i) j.n_left += block_left[i];
    scarce__pool_run(pool, blocks, place_block, &j);
    return j.n_left;
}
