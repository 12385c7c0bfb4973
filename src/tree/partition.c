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

typedef struct job {
    uint32_t *row, *spare, *block_left;
    size_t begin, end;
    int identity;
    const uint8_t *code;   /* of row 0 */
    size_t stride;         /* from row to row, or from tile to tile */
    int tiled;
    uint8_t side[256];     /* 1: left */
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
    enum { AHEAD = 192 };
    size_t l = 0, o = 0;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t r = identity ? (uint32_t)k : row[k];
        if (!identity && k + AHEAD < end) SCARCE__PREFETCH(code_of(j, row[k + AHEAD], tiled));
        const size_t goes = j->side[*code_of(j, r, tiled)];
        left[l] = r;
        right[o] = r;
        l += goes;
        o += 1 - goes;
    }
    return l;
}

static size_t split_any(const job *j, const uint32_t *row, size_t begin, size_t end, uint32_t *left, uint32_t *right)
{
    if (j->tiled && j->identity) return split_rows(j, row, begin, end, left, right, 1, 1);
    if (j->tiled) return split_rows(j, row, begin, end, left, right, 1, 0);
    if (j->identity) return split_rows(j, row, begin, end, left, right, 0, 1);
    return split_rows(j, row, begin, end, left, right, 0, 0);
}

/* Both ends write one item past their list, hence the room of one between them. */
static void split_block(void *arg, size_t block, int worker)
{
    job *j = arg;
    uint32_t right[SCARCE__PARTITION_BLOCK + 1], left[SCARCE__PARTITION_BLOCK + 1];
    const size_t b = j->begin + block * SCARCE__PARTITION_BLOCK;
    const size_t e = b + SCARCE__PARTITION_BLOCK < j->end ? b + SCARCE__PARTITION_BLOCK : j->end;
    const size_t l = split_any(j, j->row, b, e, left, right);

    (void)worker;
    memcpy(j->spare + b, left, l * sizeof *left);
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

size_t scarce__partition(uint32_t *row, uint32_t *spare, uint32_t *block_left, size_t begin, size_t end, int identity,
                         const scarce__codes *codes, const scarce__bin_test *test, int portable, scarce__pool *pool)
{
    job j;
    const size_t n = end - begin, blocks = scarce__blocks(n, SCARCE__PARTITION_BLOCK);

    (void)portable;
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
