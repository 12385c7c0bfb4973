/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring without walking: a tile of 128 rows is held against every node of a tree at once.
 *
 * From the last inner node to the first: compare the column's 128 bytes with the node's range, and choose for
 * each row the leaf number of the left or the right child, which is already known since children come later.
 * What the root holds in the end is each row's leaf. 30 nodes cost about 4 byte operations per row and node
 * at 32 rows an instruction: 1.2 ns per row and tree, against 10 and more for a walk that mispredicts at
 * every level. */
#include "tree/tiles.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "tree/simd.h"

#if SCARCE__HAVE_AVX2
#include <immintrin.h>
#endif

enum { TILES_PER_TASK = 64, MOST_LEAVES = SCARCE__TILES_LEAVES };

typedef struct step {     /* an inner node */
    uint32_t column;      /* times TILE */
    uint16_t left, right; /* slots: inner nodes from 0, leaves from n_inner */
    uint8_t sub, span, invert, is_set;
    uint8_t set[32]; /* bit c & 7 of byte c >> 3 */
} step;

typedef struct plan { /* one tree */
    const step *steps;
    const float *values;
    size_t n_inner, n_leaves;
    const scarce__binned_tree *walk; /* not NULL: too many leaves, row by row */
} plan;

typedef uint8_t slots[SCARCE__TILE]; /* the leaf numbers of a tile's rows below one node */

typedef struct job {
    const scarce__codes *codes;
    const plan *plans;
    size_t n_plans;
    float *score;
    int avx2;
    slots *slots;
    size_t most_slots; /* of one worker */
} job;

static float walk_row(const scarce__codes *c, const scarce__binned_tree *t, size_t row)
{
    const uint8_t *tile = scarce__tile(c, row / SCARCE__TILE) + row % SCARCE__TILE;
    size_t i = 0;
    while (t->nodes[i].feature >= 0) {
        const scarce__bin_test *test = &t->tests[i];
        const int left = scarce__goes_left(test, tile[(size_t)test->column * SCARCE__TILE]);
        i = (size_t)(left ? t->nodes[i].left : t->nodes[i].right);
    }
    return t->nodes[i].value;
}

/* slots[s][r]: leaf number below slot s for row r. The root is slot 0. */
SCARCE__BODY void tile_body(const plan *p, const uint8_t *tile, uint8_t (*slot)[SCARCE__TILE])
{
    for (size_t i = p->n_inner; i-- > 0;) {
        const step *s = &p->steps[i];
        const uint8_t *x = tile + s->column, *l = slot[s->left], *r = slot[s->right];
        uint8_t *to = slot[i];
        if (s->is_set) {
            for (int k = 0; k < SCARCE__TILE; ++k) to[k] = s->set[x[k] >> 3] >> (x[k] & 7) & 1 ? l[k] : r[k];
            continue;
        }
        if (s->invert) {
            const uint8_t *t = l;
            l = r;
            r = t;
        }
        const uint8_t sub = s->sub, span = s->span;
        for (int k = 0; k < SCARCE__TILE; ++k) {
            const uint8_t d = (uint8_t)(x[k] - sub);
            to[k] = d <= span ? l[k] : r[k];
        }
    }
}

static void tile_plain(const plan *p, const uint8_t *tile, uint8_t (*slot)[SCARCE__TILE], float *score)
{
    tile_body(p, tile, slot);
    for (int k = 0; k < SCARCE__TILE; ++k) score[k] += p->values[slot[0][k]];
}

#if SCARCE__HAVE_AVX2
/* Bit test of 32 codes against a set of 256: byte c >> 3 of the set by two shuffles, then bit c & 7. */
SCARCE__AVX2 static inline __m256i in_set(__m256i x, __m256i low, __m256i high)
{
    const __m256i bits = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4,
                                          8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
    const __m256i byte = _mm256_and_si256(_mm256_srli_epi16(x, 3), _mm256_set1_epi8(31));
    const __m256i index = _mm256_and_si256(byte, _mm256_set1_epi8(15));
    const __m256i upper = _mm256_slli_epi16(byte, 3); /* bit 4 becomes the sign of the byte */
    const __m256i have =
        _mm256_blendv_epi8(_mm256_shuffle_epi8(low, index), _mm256_shuffle_epi8(high, index), upper);
    const __m256i bit = _mm256_shuffle_epi8(bits, _mm256_and_si256(x, _mm256_set1_epi8(7)));
    return _mm256_cmpeq_epi8(_mm256_and_si256(have, bit), bit);
}

SCARCE__AVX2 static void nodes_avx2(const plan *p, const uint8_t *tile, uint8_t (*slot)[SCARCE__TILE])
{
    for (size_t i = p->n_inner; i-- > 0;) {
        const step *s = &p->steps[i];
        const __m256i *x = (const __m256i *)(const void *)(tile + s->column);
        const __m256i *l = (const __m256i *)(const void *)slot[s->left];
        const __m256i *r = (const __m256i *)(const void *)slot[s->right];
        __m256i *to = (__m256i *)(void *)slot[i];
        if (s->is_set) {
            const __m256i low =
                _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)s->set));
            const __m256i high =
                _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(s->set + 16)));
            for (int k = 0; k < SCARCE__TILE / 32; ++k) {
                const __m256i c = in_set(_mm256_load_si256(x + k), low, high);
                _mm256_store_si256(to + k,
                                   _mm256_blendv_epi8(_mm256_load_si256(r + k), _mm256_load_si256(l + k), c));
            }
            continue;
        }
        if (s->invert) {
            const __m256i *t = l;
            l = r;
            r = t;
        }
        const __m256i sub = _mm256_set1_epi8((char)s->sub), span = _mm256_set1_epi8((char)s->span);
        for (int k = 0; k < SCARCE__TILE / 32; ++k) {
            const __m256i d = _mm256_sub_epi8(_mm256_load_si256(x + k), sub);
            const __m256i c = _mm256_cmpeq_epi8(_mm256_min_epu8(d, span), d);
            _mm256_store_si256(to + k,
                               _mm256_blendv_epi8(_mm256_load_si256(r + k), _mm256_load_si256(l + k), c));
        }
    }
}

/* Values of up to 32 leaves sit in four registers. */
SCARCE__AVX2 static void values32(const float *value, const uint8_t *leaf, float *score)
{
    const __m256 v0 = _mm256_loadu_ps(value), v1 = _mm256_loadu_ps(value + 8);
    const __m256 v2 = _mm256_loadu_ps(value + 16), v3 = _mm256_loadu_ps(value + 24);
    for (int k = 0; k < SCARCE__TILE; k += 8) {
        const __m256i j = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(leaf + k)));
        const __m256 bit3 = _mm256_castsi256_ps(_mm256_slli_epi32(j, 28));
        const __m256 bit4 = _mm256_castsi256_ps(_mm256_slli_epi32(j, 27));
        const __m256 a =
            _mm256_blendv_ps(_mm256_permutevar8x32_ps(v0, j), _mm256_permutevar8x32_ps(v1, j), bit3);
        const __m256 b =
            _mm256_blendv_ps(_mm256_permutevar8x32_ps(v2, j), _mm256_permutevar8x32_ps(v3, j), bit3);
        const __m256 v = _mm256_blendv_ps(a, b, bit4);
        _mm256_storeu_ps(score + k, _mm256_add_ps(_mm256_loadu_ps(score + k), v));
    }
}

SCARCE__AVX2 static void values_any(const float *value, const uint8_t *leaf, float *score)
{
    for (int k = 0; k < SCARCE__TILE; k += 8) {
        const __m256i j = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(leaf + k)));
        const __m256 v = _mm256_i32gather_ps(value, j, 4);
        _mm256_storeu_ps(score + k, _mm256_add_ps(_mm256_loadu_ps(score + k), v));
    }
}

SCARCE__AVX2 static void tile_avx2(const plan *p, const uint8_t *tile, uint8_t (*slot)[SCARCE__TILE],
                                   float *score)
{
    nodes_avx2(p, tile, slot);
    if (p->n_leaves <= 32) values32(p->values, slot[0], score);
    else values_any(p->values, slot[0], score);
}
#else
#define tile_avx2 tile_plain
#define nodes_avx2 tile_body
#endif

typedef struct leaves_job {
    const scarce__codes *codes;
    const plan *plan;
    uint8_t *leaf;
    int avx2;
    slots *slots;
} leaves_job;

/* Room for the slots of trees with up to n_inner inner nodes, for every worker. */
static slots *alloc_slots(size_t n_inner, scarce_context *ctx)
{
    const size_t threads = (size_t)scarce__pool_threads(scarce__context_pool(ctx));
    return scarce__huge_alloc(threads * (2 * n_inner + 1), sizeof(slots));
}

static void leaves_task(void *arg, size_t index, int worker)
{
    const leaves_job *j = arg;
    const scarce__codes *c = j->codes;
    const size_t n_tiles = (c->n_rows + SCARCE__TILE - 1) / SCARCE__TILE;
    const size_t b = index * TILES_PER_TASK, e = b + TILES_PER_TASK < n_tiles ? b + TILES_PER_TASK : n_tiles;
    slots *slot = j->slots + (size_t)worker * (2 * j->plan->n_inner + 1);

    for (size_t i = 0; i <= j->plan->n_inner; ++i) memset(slot[j->plan->n_inner + i], (int)i, SCARCE__TILE);
    for (size_t t = b; t < e; ++t) {
        const size_t r0 = t * SCARCE__TILE, n = c->n_rows - r0 < SCARCE__TILE ? c->n_rows - r0 : SCARCE__TILE;
        if (t + 1 < e)
            for (size_t i = 0; i < j->plan->n_inner; ++i) {
                const uint8_t *next = scarce__tile(c, t + 1) + j->plan->steps[i].column;
                SCARCE__PREFETCH(next);
                SCARCE__PREFETCH(next + 64);
            }
        if (j->avx2) nodes_avx2(j->plan, scarce__tile(c, t), slot);
        else tile_body(j->plan, scarce__tile(c, t), slot);
        memcpy(j->leaf + r0, slot[0], n);
    }
}

static void run_task(void *arg, size_t index, int worker)
{
    const job *j = arg;
    const scarce__codes *c = j->codes;
    const size_t n_tiles = (c->n_rows + SCARCE__TILE - 1) / SCARCE__TILE;
    const size_t b = index * TILES_PER_TASK, e = b + TILES_PER_TASK < n_tiles ? b + TILES_PER_TASK : n_tiles;
    slots *slot = j->slots + (size_t)worker * j->most_slots;
    _Alignas(64) float part[SCARCE__TILE];
    size_t filled = SIZE_MAX; /* n_inner the leaf slots were filled for */

    for (size_t t = b; t < e; ++t) {
        const size_t r0 = t * SCARCE__TILE, n = c->n_rows - r0 < SCARCE__TILE ? c->n_rows - r0 : SCARCE__TILE;
        const uint8_t *tile = scarce__tile(c, t);
        float *score = j->score + r0;
        if (n < SCARCE__TILE) {
            memset(part, 0, sizeof part);
            memcpy(part, score, n * sizeof *part);
            score = part;
        }
        if (t + 1 < e && c->n_columns <= 256)
            for (size_t k = 0; k < SCARCE__TILE * c->n_columns; k += 64)
                SCARCE__PREFETCH(tile + SCARCE__TILE * c->n_columns + k);
        for (size_t k = 0; k < j->n_plans; ++k) {
            const plan *p = &j->plans[k];
            if (p->walk) {
                for (size_t r = 0; r < n; ++r) score[r] += walk_row(c, p->walk, r0 + r);
                continue;
            }
            if (filled != p->n_inner) {
                for (size_t i = 0; i <= p->n_inner; ++i) memset(slot[p->n_inner + i], (int)i, SCARCE__TILE);
                filled = p->n_inner;
            }
            if (j->avx2) tile_avx2(p, tile, slot, score);
            else tile_plain(p, tile, slot, score);
        }
        if (n < SCARCE__TILE) memcpy(j->score + r0, part, n * sizeof *part);
    }
}

static size_t count_inner(const scarce__binned_tree *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_nodes; ++i) n += t->nodes[i].feature >= 0;
    return n;
}

/* Numbers inner nodes and leaves in node order. */
static void make_plan(plan *p, step *steps, float *values, uint16_t *number, const scarce__binned_tree *t)
{
    uint16_t inner = 0, leaves = 0;
    const size_t n_inner = count_inner(t);

    for (size_t i = 0; i < t->n_nodes; ++i) {
        if (t->nodes[i].feature >= 0) number[i] = inner++;
        else {
            values[leaves] = t->nodes[i].value;
            number[i] = (uint16_t)(n_inner + leaves++);
        }
    }
    for (size_t i = 0; i < t->n_nodes; ++i) {
        if (t->nodes[i].feature < 0) continue;
        step *s = &steps[number[i]];
        const scarce__bin_test *test = &t->tests[i];
        s->column = test->column * SCARCE__TILE;
        s->left = number[t->nodes[i].left];
        s->right = number[t->nodes[i].right];
        s->sub = test->sub;
        s->span = test->span;
        s->invert = test->invert;
        s->is_set = test->is_set;
        for (int k = 0; k < 32; ++k) s->set[k] = (uint8_t)(test->set[k / 8] >> (8 * (k % 8)) & 255);
    }
    p->steps = steps;
    p->values = values;
    p->n_inner = n_inner;
    p->n_leaves = leaves;
    p->walk = NULL;
}

scarce_status scarce__tiles_add(const scarce__codes *codes, const scarce__binned_tree *const *trees,
                                size_t n_trees, float *score, int portable, scarce_context *ctx,
                                scarce_error *err)
{
    size_t n_inner = 0, most = 1, most_inner = 0;
    for (size_t k = 0; k < n_trees; ++k) {
        const size_t inner = count_inner(trees[k]);
        n_inner += inner;
        if (inner < MOST_LEAVES && inner > most_inner) most_inner = inner;
        if (trees[k]->n_nodes > most) most = trees[k]->n_nodes;
    }
    if (n_trees == 0 || codes->n_rows == 0) return SCARCE_OK;
    plan *plans = scarce__malloc_array(n_trees, sizeof *plans);
    step *steps = scarce__malloc_array(n_inner, sizeof *steps);
    float *values = scarce__malloc_array(n_inner + n_trees + 32, sizeof *values); /* 32 are read at a time */
    uint16_t *number = scarce__malloc_array(most, sizeof *number);
    slots *room = alloc_slots(most_inner, ctx);
    scarce_status status = SCARCE_OK;
    if (plans && steps && values && number && room) {
        size_t at = 0;
        memset(values, 0, (n_inner + n_trees + 32) * sizeof *values);
        for (size_t k = 0; k < n_trees; ++k) {
            const size_t inner = count_inner(trees[k]);
            if (inner + 1 > MOST_LEAVES) {
                memset(&plans[k], 0, sizeof plans[k]);
                plans[k].walk = trees[k];
                continue;
            }
            make_plan(&plans[k], steps + at, values + at + k, number, trees[k]);
            at += inner;
        }
        job j = {codes, plans, n_trees, score, !portable && scarce__cpu_avx2(), room, 2 * most_inner + 1};
        const size_t n_tiles = (codes->n_rows + SCARCE__TILE - 1) / SCARCE__TILE;
        scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(n_tiles, TILES_PER_TASK), run_task, &j);
    } else status = scarce__fail_memory(err, "scoring binned rows", 0);
    scarce__free(plans);
    scarce__free(steps);
    scarce__free(values);
    scarce__free(number);
    scarce__free(room);
    return status;
}

scarce_status scarce__tiles_leaves(const scarce__codes *codes, const scarce__binned_tree *tree, uint8_t *leaf,
                                   int portable, scarce_context *ctx, scarce_error *err)
{
    plan p;
    step steps[MOST_LEAVES];
    float values[MOST_LEAVES];
    uint16_t number[2 * MOST_LEAVES];
    slots *room;

    if (count_inner(tree) + 1 > MOST_LEAVES)
        return scarce__fail(err, SCARCE_EBUG, "%zu leaves, room for %d", count_inner(tree) + 1, MOST_LEAVES);
    make_plan(&p, steps, values, number, tree);
    room = alloc_slots(p.n_inner, ctx);
    if (!room) return scarce__fail_memory(err, "scoring binned rows", 0);
    leaves_job j = {codes, &p, leaf, !portable && scarce__cpu_avx2(), room};
    const size_t n_tiles = (codes->n_rows + SCARCE__TILE - 1) / SCARCE__TILE;
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(n_tiles, TILES_PER_TASK), leaves_task, &j);
    scarce__free(room);
    return SCARCE_OK;
}
