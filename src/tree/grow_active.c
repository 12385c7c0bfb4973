/* SPDX-License-Identifier: Apache-2.0 */
/* Trees on the rows that matter.
 *
 * Coarse rounding (quantise.c) leaves most rows of a rare-event table without a gradient: they add nothing to
 * any histogram, so the tree is grown on the list of the others. Then every row is dropped through the
 * finished tree (tiles.c, about 1 ns), the leaves' values, hessians and numbers of rows are taken from the
 * exact gradients of all rows, and the scores follow from the same leaf numbers. So only the choice of the
 * splits sees rounded gradients; what is added to the scores, and what the model says of its
 * leaves, doesn't. */
#include <string.h>

#include "core/alloc.h"
#include "tree/grow_inside.h"
#include "tree/simd.h"
#include "tree/tiles.h"

enum { LIST_BLOCK = 16384, LIST_PIECE = 2048, SUM_BLOCK = 32768, LANES = 4 };

/* ---- The list of active rows */

typedef struct list_job {
    const scarce__grower *w;
    size_t n;
    int avx2;
} list_job;

static size_t list_plain(uint32_t *to, const scarce__gh *q, size_t begin, size_t end)
{
    size_t m = 0;
    for (size_t i = begin; i < end; ++i) {
        to[m] = (uint32_t)i;
        m += q[i] != 0;
    }
    return m;
}

#if SCARCE__HAVE_AVX2
/* Writes up to eight items past what it returns. */
SCARCE__AVX2 static size_t list_avx2(uint32_t *to, const scarce__gh *q, size_t begin, size_t end)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i id = _mm256_add_epi32(_mm256_set1_epi32((int)begin), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    size_t m = 0, i = begin;
    for (; i + 8 <= end; i += 8) {
        const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(q + i));
        const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(q + i + 4));
        const unsigned none = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, zero))) |
                              (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(b, zero)))
                                  << 4;
        if (none != 255) {
            _mm256_storeu_si256((__m256i *)(void *)(to + m), scarce__pack8(id, none ^ 255));
            m += 8 - (size_t)__builtin_popcount(none);
        }
        id = _mm256_add_epi32(id, _mm256_set1_epi32(8));
    }
    return m + list_plain(to + m, q, i, end);
}
#else
#define list_avx2 list_plain
#endif

static void list_block(void *arg, size_t block, int worker)
{
    const list_job *j = arg;
    const size_t b = block * LIST_BLOCK, e = b + LIST_BLOCK < j->n ? b + LIST_BLOCK : j->n;
    uint32_t to[LIST_PIECE + 8];
    size_t m = 0;

    (void)worker;
    for (size_t p = b; p < e; p += LIST_PIECE) {
        const size_t q = p + LIST_PIECE < e ? p + LIST_PIECE : e;
        const size_t k = j->avx2 ? list_avx2(to, j->w->q, p, q) : list_plain(to, j->w->q, p, q);
        memcpy(j->w->spare + b + m, to, k * sizeof *to);
        m += k;
    }
    j->w->block_left[block] = (uint32_t)m;
}

size_t scarce__grow_list_active(scarce__grower *w)
{
    const size_t n = w->codes->n_rows, blocks = scarce__blocks(n, LIST_BLOCK);
    list_job j = {w, n, !w->options.portable && scarce__cpu_avx2()};
    size_t m = 0;

    scarce__pool_run(w->pool, blocks, list_block, &j);
    for (size_t k = 0; k < blocks; ++k) {
        memcpy(w->row + m, w->spare + k * LIST_BLOCK, w->block_left[k] * sizeof *w->row);
        m += w->block_left[k];
    }
    return m;
}

/* ---- All rows in the finished tree */

typedef struct sum_job {
    const scarce__grower *w;
    const float *g, *h;
} sum_job;

/* The first lane has the sums of all in the end. */
static scarce__leaf_sum (*sums_of(const scarce__grower *w, size_t block))[SCARCE__TILES_LEAVES]
{
    return (scarce__leaf_sum(*)[SCARCE__TILES_LEAVES])(void *)w->leaf_sums + block * LANES;
}

/* In lanes, since most rows are in one leaf and each addition would wait for the one before. */
static void sum_block(void *arg, size_t block, int worker)
{
    const sum_job *j = arg;
    const size_t n = j->w->codes->n_rows, leaves = j->w->n_leaves, b = block * SUM_BLOCK,
                 e = b + SUM_BLOCK < n ? b + SUM_BLOCK : n;
    const uint8_t *leaf = j->w->leaf_of;
    scarce__leaf_sum(*lane)[SCARCE__TILES_LEAVES] = sums_of(j->w, block), *to = lane[0];

    (void)worker;
    for (size_t k = 0; k < LANES; ++k) memset(lane[k], 0, leaves * sizeof **lane);
    for (size_t i = b; i < e; ++i) {
        scarce__leaf_sum *s = &lane[i % LANES][leaf[i]];
        const float h = j->h[i];
        s->g += (double)j->g[i];
        s->h += (double)(h > 0 ? h : 0);
        s->rows += 1;
    }
    for (size_t k = 0; k < leaves; ++k) {
        to[k].g = (lane[0][k].g + lane[1][k].g) + (lane[2][k].g + lane[3][k].g);
        to[k].h = (lane[0][k].h + lane[1][k].h) + (lane[2][k].h + lane[3][k].h);
        to[k].rows = lane[0][k].rows + lane[1][k].rows + lane[2][k].rows + lane[3][k].rows;
    }
}

size_t scarce__grow_leaf_sums(size_t max_rows)
{
    return scarce__blocks(max_rows, SUM_BLOCK) * LANES * SCARCE__TILES_LEAVES;
}

/* Leaves in the order of their nodes, which is how tiles.c numbers them. */
static void number_leaves(scarce__grower *w, const scarce__binned_tree *tree)
{
    size_t k = 0;
    for (size_t i = 0; i < tree->n_nodes; ++i)
        if (tree->nodes[i].feature < 0) w->leaf_node[k++] = (uint32_t)i;
}

static const scarce__leaf *leaf_at(const scarce__grower *w, uint32_t node)
{
    size_t k = 0;
    while (w->leaves[k].node != node) k += 1;
    return &w->leaves[k];
}

scarce_status scarce__grow_settle_active(scarce__grower *w, scarce__binned_tree *tree, const float *g,
                                         const float *h, scarce_context *ctx, scarce_error *err)
{
    const size_t blocks = scarce__blocks(w->codes->n_rows, SUM_BLOCK);
    sum_job j = {w, g, h};

    number_leaves(w, tree);
    const scarce_status status =
        scarce__tiles_leaves(w->codes, tree, w->leaf_of, w->options.portable, ctx, err);
    if (status != SCARCE_OK) return status;
    scarce__pool_run(w->pool, blocks, sum_block, &j);
    for (size_t k = 0; k < w->n_leaves; ++k) {
        scarce__node *node = &tree->nodes[w->leaf_node[k]];
        const scarce__leaf *l = leaf_at(w, w->leaf_node[k]);
        scarce__leaf_sum s = {0, 0, 0};
        for (size_t b = 0; b < blocks; ++b) {
            const scarce__leaf_sum *t = &sums_of(w, b)[0][k];
            s.g += t->g;
            s.h += t->h;
            s.rows += t->rows;
        }
        const double v = scarce__leaf_value(&w->options.rules, s.g, s.h, l->low, l->high);
        node->value = (float)(w->options.learning_rate * v) + 0.0f;
        node->cover = (float)s.h;
        node->rows = (uint32_t)s.rows;
    }
    for (size_t i = tree->n_nodes; i-- > 0;) { /* children come after their parent */
        scarce__node *node = &tree->nodes[i];
        if (node->feature < 0) continue;
        node->cover = tree->nodes[node->left].cover + tree->nodes[node->right].cover;
        node->rows = tree->nodes[node->left].rows + tree->nodes[node->right].rows;
    }
    return SCARCE_OK;
}

void scarce__grow_add_active(const scarce__grower *w, const scarce__binned_tree *tree, float *score,
                             size_t begin, size_t end)
{
    float value[SCARCE__TILES_LEAVES] = {0};
    for (size_t k = 0; k < w->n_leaves; ++k) value[k] = tree->nodes[w->leaf_node[k]].value;
    for (size_t i = begin; i < end; ++i) score[i] += value[w->leaf_of[i]];
}
