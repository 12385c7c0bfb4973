/* SPDX-License-Identifier: Apache-2.0 */
/* Every way of scoring gives the bits of scarce__forest_walk. */
#include "tree/fast.h"

#include <pthread.h>

#include "core/alloc.h"
#include "data/table.h"
#include "random_forest.h"
#include "test.h"
#include "tree/fast_large.h"

static const forest_shape shapes[] = {
    /* features, trees, leaves, distinct, codes, category %, chain */
    {4, 5, 8, 10, 0, 0, 0},
    {40, 100, 31, 200, 0, 0, 0},
    {7, 33, 32, 0, 0, 0, 0},
    {7, 20, 33, 0, 0, 0, 0},
    {5, 17, 64, 50, 0, 0, 0},
    {5, 9, 65, 50, 0, 0, 0},
    {3, 40, 64, 0, 0, 0, 0},
    {6, 3, 256, 100, 0, 0, 0},
    {6, 4, 257, 100, 0, 0, 0},
    {3, 3, 3000, 0, 0, 0, 0},
    {3, 2, 400, 0, 0, 0, 1},
    {2, 30, 60, 0, 0, 0, 1},
    {6, 20, 31, 30, 10, 50, 0},
    {4, 60, 16, 30, 300, 60, 0},
    {4, 100, 40, 0, 700, 70, 0},
    {2, 300, 16, 5, 2000, 90, 0},
    {1, 1, 2, 3, 0, 0, 0},
    {3, 6, 1, 1, 0, 0, 0},
    {3, 1100, 4, 9, 0, 0, 0},
    {300, 50, 31, 0, 0, 0, 0},
    {4, 600, 30, 4, 8, 30, 0},
    {8, 10, 500, 0, 40, 30, 0},
    /* large trees: words of 8 bytes because of nodes, and of columns; categories in both; hardly a number */
    {2, 2, 40000, 90, 0, 0, 0},
    {300, 4, 600, 90, 0, 0, 0},
    {300, 3, 600, 20, 40, 50, 0},
    {2, 4, 500, 3, 300, 95, 0},
    {2, 3, 300, 3, 900, 100, 0},
    /* masks of every bin would not fit: some thresholds remain for the rest, in one and two
     * chunks of trees */
    {20, 600, 31, 0, 0, 0, 0},
    {10, 200, 60, 0, 40, 20, 0},
    {6, 1030, 20, 0, 30, 10, 0},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0], N_ROWS = 517 };

static int same(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

static void check_columns(const scarce__fast *fast, const forest_shape *shape, const float *rows,
                          size_t stride, const double *want)
{
    const size_t d = shape->n_features;
    scarce__columns *columns = calloc(d, sizeof *columns);
    float *numbers = malloc(d * N_ROWS * sizeof *numbers);
    int32_t *codes = malloc(d * N_ROWS * sizeof *codes);
    uint32_t *sparse_row = malloc(d * N_ROWS * sizeof *sparse_row);
    float *sparse = malloc(d * N_ROWS * sizeof *sparse);
    double out[N_ROWS];

    for (size_t f = 0; f < d; ++f) {
        const int category = shape->percent_category && f >= d / 2;
        int whole = category;
        for (size_t i = 0; i < N_ROWS; ++i) {
            const float x = rows[i * stride + f];
            numbers[f * N_ROWS + i] = x;
            if (!(isnan(x) || (x >= 0 && x < 2e9f))) whole = 0; /* a code can't hold it */
            codes[f * N_ROWS + i] = isnan(x) ? -1 : x >= 0 && x < 2e9f ? (int32_t)x : 0;
            if (x != 0 || signbit(x)) {
                sparse_row[f * N_ROWS + columns[f].sparse_count] = (uint32_t)i;
                sparse[f * N_ROWS + columns[f].sparse_count++] = x;
            }
        }
        if (whole) columns[f].code = codes + f * N_ROWS;
        else if (f % 2 == 0) columns[f].number = numbers + f * N_ROWS;
        columns[f].sparse_row = sparse_row + f * N_ROWS;
        columns[f].sparse_value = sparse + f * N_ROWS;
    }
    scarce__fast_columns(fast, columns, 0, N_ROWS, out);
    CHECK(same(out, want, N_ROWS));
    scarce__fast_columns(fast, columns, 300, 217, out);
    CHECK(same(out, want + 300, 217));
    scarce__fast_columns(fast, columns, 5, 1, out);
    CHECK(same(out, want + 5, 1));
    scarce__fast_columns(fast, columns, 5, 0, out);
#ifdef SCARCE_FAULTS
    scarce__alloc_fail_from(1); /* without memory: slower, the same bits */
    scarce__fast_columns(fast, columns, 100, 20, out);
    scarce__alloc_fail_from(0);
    CHECK(same(out, want + 100, 20));
#endif
    free(columns);
    free(numbers);
    free(codes);
    free(sparse_row);
    free(sparse);
}

static void test_same_bits(void)
{
    for (size_t s = 0; s < N_SHAPES; ++s) {
        const size_t stride = shapes[s].n_features + s % 3;
        scarce__forest forest = random_forest(shapes + s, s);
        float *rows = random_rows(shapes + s, N_ROWS, stride, s);
        double want[N_ROWS], out[N_ROWS];
        scarce__fast *fast = NULL;

        CHECK(scarce__forest_check(&forest, NULL) == SCARCE_OK);
        for (size_t i = 0; i < N_ROWS; ++i) want[i] = scarce__forest_walk(&forest, rows + i * stride);
        CHECK(scarce__fast_new(&fast, &forest, NULL) == SCARCE_OK);
        scarce__forest_deinit(&forest); /* a scorer needs it no more */
        if (s + 3 >= N_SHAPES) CHECK(fast->masks && fast->mask_shift > 0 && fast->rest_begin);
        for (int level = 2; level >= 0; --level) {
            const int before = test_failures;
            if (scarce__fast_set_level(fast, level) != level) continue;
            for (size_t i = 0; i < N_ROWS; ++i) out[i] = scarce__fast_one(fast, rows + i * stride);
            CHECK(same(out, want, N_ROWS));
            memset(out, 0, sizeof out);
            scarce__fast_batch(fast, rows, N_ROWS, stride, out);
            CHECK(same(out, want, N_ROWS));
            for (size_t n = 0; n < 20; n += 3) {
                scarce__fast_batch(fast, rows + n * stride, n, stride, out);
                CHECK(same(out, want + n, n));
            }
            for (size_t n = SCARCE__BIT_ROWS - 1; n <= SCARCE__BIT_ROWS + 1; ++n) {
                memset(out, 0, sizeof out);
                scarce__fast_batch(fast, rows + (N_ROWS - n) * stride, n, stride, out);
                CHECK(same(out, want + (N_ROWS - n), n));
            }
            check_columns(fast, shapes + s, rows, stride, want);
            if (test_failures != before) fprintf(stderr, "shape %zu, level %d\n", s, level);
        }
#ifdef SCARCE_FAULTS
        scarce__alloc_fail_from(1);
        scarce__fast_batch(fast, rows, 50, stride, out);
        scarce__alloc_fail_from(0);
        CHECK(same(out, want, 50));
#endif
        scarce__fast_free(fast);
        free(rows);
    }
}

/* Most leaves 0 or -0, so that most rows are done with at the top of a tree, and counts of rows, which choose it; trees
 * of zeros alone and of one leaf. Begun with -0 the sum must still be that of the walk. */
static void test_zeros(void)
{
    static const double bases[] = {0, -0.0, 0.25};

    for (size_t s = 0; s < N_SHAPES; ++s) {
        scarce__forest forest = random_forest(shapes + s, s);
        const size_t stride = shapes[s].n_features;
        float *rows = random_rows(shapes + s, N_ROWS, stride, s);

        for (size_t t = 0; t < forest.n_trees; ++t) {
            scarce__node *nodes = forest.nodes + forest.tree_begin[t];
            for (size_t i = forest.tree_begin[t + 1] - forest.tree_begin[t]; i-- > 0;) {
                const uint64_t draw = scarce__mix64(1000 * t + i) % 16;
                if (nodes[i].feature < 0 && (t % 4 == 3 || draw > 1))
                    nodes[i].value = draw % 3 ? 0.0f : -0.0f;
                nodes[i].rows = nodes[i].feature < 0 ? 1 + (uint32_t)draw * (uint32_t)draw
                                                     : nodes[nodes[i].left].rows + nodes[nodes[i].right].rows;
            }
        }
        for (size_t b = 0; b < sizeof bases / sizeof bases[0]; ++b) {
            double want[N_ROWS], out[N_ROWS];
            scarce__fast *fast = NULL;
            forest.base = bases[b];
            for (size_t i = 0; i < N_ROWS; ++i) want[i] = scarce__forest_walk(&forest, rows + i * stride);
            CHECK(scarce__fast_new(&fast, &forest, NULL) == SCARCE_OK);
            for (int level = 2; fast && level >= 0; --level) {
                if (scarce__fast_set_level(fast, level) != level) continue;
                scarce__fast_batch(fast, rows, N_ROWS, stride, out);
                CHECK(same(out, want, N_ROWS));
            }
            scarce__fast_free(fast);
        }
        scarce__forest_deinit(&forest);
        free(rows);
    }
}

/* Files may say that infinitely many rows passed every node: tops are chosen all the same, and that ends. */
static void test_endless_counts(void)
{
    for (size_t s = 0; s < N_SHAPES; ++s) {
        scarce__forest forest = random_forest(shapes + s, s);
        const size_t stride = shapes[s].n_features;
        float *rows = random_rows(shapes + s, N_ROWS, stride, s);
        double want[N_ROWS], out[N_ROWS];
        scarce__fast *fast = NULL;

        for (size_t i = 0; i < forest.tree_begin[forest.n_trees]; ++i)
            forest.nodes[i].rows = 0, forest.nodes[i].cover = INFINITY;
        for (size_t i = 0; i < N_ROWS; ++i) want[i] = scarce__forest_walk(&forest, rows + i * stride);
        CHECK(scarce__fast_new(&fast, &forest, NULL) == SCARCE_OK);
        if (fast) scarce__fast_batch(fast, rows, N_ROWS, stride, out);
        CHECK(fast && same(out, want, N_ROWS));
        scarce__fast_free(fast);
        scarce__forest_deinit(&forest);
        free(rows);
    }
}

/* Bytes as rows may have them: a left and a right column differ where a value is missing. */
static void random_columns(const scarce__fast *fast, const scarce__large *tile, scarce__random *r)
{
    for (size_t i = 0; i < fast->n_inputs; ++i) {
        const scarce__input *input = fast->inputs + i;
        for (size_t row = 0; row < SCARCE__BIT_ROWS; ++row) {
            const size_t at = row % SCARCE__TILE;
            uint8_t *columns = scarce__large_columns(tile, fast, row - at);
            const int missing = !input->category && scarce__random_below(r, 8) == 0;
            const uint8_t byte = (uint8_t)scarce__random_below(r, input->n_bins);
            for (int side = 0; side < 2; ++side)
                if (input->column[side] != SCARCE__NO_COLUMN)
                    columns[input->column[side] * (size_t)SCARCE__TILE + at] =
                        missing ? (uint8_t)(255 * side) : byte;
        }
    }
}

static int bit_of(const scarce__bits *bits, size_t row)
{
    return (int)(bits->word[row / 64] >> row % 64 & 1);
}

static int same_bits_of(const scarce__fast *fast, const scarce__large *tile, const scarce__top_column *c)
{
    for (size_t row = 0; row < SCARCE__BIT_ROWS; ++row) {
        const size_t at = row % SCARCE__TILE;
        const uint8_t byte =
            scarce__large_columns(tile, fast, row - at)[c->column * (size_t)SCARCE__TILE + at];
        for (uint32_t k = 0; k < c->n; ++k)
            if (bit_of(tile->bits + c->row + k, row) != (c->category ? byte == k : byte > c->bin[k]))
                return 0;
        for (size_t i = 0; i < fast->n_top_sets; ++i) {
            const scarce__top_set *set = fast->top_sets + i;
            if (set->column_row == c->row &&
                bit_of(tile->bits + set->row, row) != (fast->lookups[256 * (size_t)set->lookup + byte] != 0))
                return 0;
        }
    }
    return 1;
}

/* What the tops of trees ask, answer by answer. */
static void test_top_bits(void)
{
    scarce__random r = scarce__random_start(6, SCARCE__FOR_TEST, 6);
    size_t twins = 0;

    for (size_t s = 0; s < N_SHAPES; ++s) {
        scarce__forest forest = random_forest(shapes + s, s);
        scarce__fast *fast = NULL;
        scarce__large tile;

        CHECK(scarce__fast_new(&fast, &forest, NULL) == SCARCE_OK);
        if (fast && fast->has_large && scarce__large_new(&tile, fast)) {
            for (int level = 2; level >= 0; --level) {
                if (scarce__fast_set_level(fast, level) != level) continue;
                random_columns(fast, &tile, &r);
                memset(tile.bits, 85, fast->n_bits * sizeof *tile.bits);
                scarce__fast_kernels(fast)->bits(fast, tile.columns, tile.bits);
                for (size_t i = 0; i < fast->n_top_columns; ++i) {
                    CHECK(same_bits_of(fast, &tile, fast->top_columns + i));
                    twins += fast->top_columns[i].twin;
                }
            }
            scarce__large_free(&tile);
        }
        scarce__fast_free(fast);
        scarce__forest_deinit(&forest);
    }
    CHECK(twins > 0);
}

/* Without its tile a forest with large trees is scored slowly, with the same bits: nobody would notice. */
static void test_large_tile(void)
{
    for (size_t s = 0; s < N_SHAPES; ++s) {
        scarce__forest forest = random_forest(shapes + s, s);
        scarce__fast *fast = NULL;
        scarce__large tile;

        CHECK(scarce__fast_new(&fast, &forest, NULL) == SCARCE_OK);
        CHECK(fast && (fast->short_nodes || fast->long_nodes) == (shapes[s].n_leaves > 256));
        if (fast && fast->has_large) {
            for (size_t t = 0; t < fast->n_trees; ++t) {
                const uint32_t *n = fast->tops[t].n_pieces;
                CHECK(4 * n[0] + 3 * n[1] + 2 * n[2] + n[3] == fast->tops[t].n_steps);
            }
            CHECK(fast->tops[0].n_steps >= 32 && fast->tops[0].n_places <= SCARCE__PLACES && fast->exits);
            CHECK(scarce__large_new(&tile, fast));
            scarce__large_free(&tile);
        }
        scarce__fast_free(fast);
        scarce__forest_deinit(&forest);
    }
}

/* Thresholds at the ends of the numbers, and both missing directions at the same threshold. */
static void test_extremes(void)
{
    static const float thresholds[] = {-INFINITY, -3.4028235e38f, -1e-45f,       -0.0f,
                                       0.0f,      1e-45f,         3.4028235e38f, INFINITY};
    static const float values[] = {-INFINITY, -3.4028235e38f, -1,       -1e-45f, -0.0f, 0, 1e-45f,
                                   1,         3.4028235e38f,  INFINITY, NAN};
    scarce__forest forest = {0};
    scarce__fast *fast = NULL;
    double out[11], want[11];

    forest.n_features = 1;
    forest.base = 0.25;
    for (int k = 0; k < 16; ++k) {
        scarce__node nodes[3] = {{0}};
        nodes[0].value = thresholds[k / 2];
        nodes[0].flags = (uint32_t)(k % 2);
        nodes[0].left = 1;
        nodes[0].right = 2;
        nodes[1].feature = nodes[2].feature = -1;
        nodes[1].value = (float)k;
        nodes[2].value = (float)(100 * k + 7);
        CHECK(scarce__forest_add(&forest, nodes, 3, NULL, 0, NULL) == SCARCE_OK);
    }
    CHECK(scarce__fast_new(&fast, &forest, NULL) == SCARCE_OK);
    for (int i = 0; i < 11; ++i) want[i] = scarce__forest_walk(&forest, values + i);
    for (int level = 0; level < 3; ++level) {
        if (scarce__fast_set_level(fast, level) != level) continue;
        for (int i = 0; i < 11; ++i) CHECK(scarce__fast_one(fast, values + i) == want[i]);
        scarce__fast_batch(fast, values, 11, 1, out);
        CHECK(same(out, want, 11));
    }
    CHECK(want[0] != want[10]);
    scarce__fast_free(fast);
    scarce__forest_deinit(&forest);
}

/* Every number of thresholds of one feature, whose search changes at powers of two: values at, below and above each. */
static void test_threshold_counts(void)
{
    enum { MOST = 258, N = 2 * MOST + 3 };
    scarce__forest forest = {0};
    float values[N];
    double out[N], want[N];

    for (int i = 0; i < N - 1; ++i) values[i] = (float)i * 0.5f - 0.5f;
    values[N - 1] = NAN;
    forest.n_features = 1;
    for (int k = 0; k < MOST; ++k) {
        scarce__node nodes[3] = {{0}};
        scarce__fast *fast = NULL;
        nodes[0].value = (float)k;
        nodes[0].flags = (uint32_t)(k % 2);
        nodes[0].left = 1;
        nodes[0].right = 2;
        nodes[1].feature = nodes[2].feature = -1;
        nodes[2].value = 1;
        CHECK(scarce__forest_add(&forest, nodes, 3, NULL, 0, NULL) == SCARCE_OK);
        CHECK(scarce__fast_new(&fast, &forest, NULL) == SCARCE_OK);
        for (int i = 0; i < N; ++i) want[i] = scarce__forest_walk(&forest, values + i);
        for (int level = 0; level < 3; ++level) {
            if (scarce__fast_set_level(fast, level) != level) continue;
            scarce__fast_batch(fast, values, N, 1, out);
            CHECK(same(out, want, N));
        }
        scarce__fast_free(fast);
    }
    scarce__forest_deinit(&forest);
}

static void test_empty(void)
{
    scarce__forest forest = {0};
    scarce__fast *fast = NULL;
    const float row[2] = {1, 2};
    double out[20];
    forest.n_features = 2;
    forest.base = -1.5;
    CHECK(scarce__fast_new(&fast, &forest, NULL) == SCARCE_OK);
    CHECK(scarce__fast_one(fast, row) == -1.5);
    scarce__fast_batch(fast, row, 1, 0, out);
    CHECK(out[0] == -1.5);
    scarce__fast_batch(fast, row, 20, 0, out); /* the same row again and again */
    CHECK(out[19] == -1.5);
    CHECK(scarce__fast_bytes(fast) > 0);
    scarce__fast_free(fast);
    scarce__fast_free(NULL);
}

/* A few kilobytes of file that ask for gigabytes of classes are walked instead. */
static void test_hostile_categories(void)
{
    scarce__forest forest = {0};
    scarce__fast *fast = NULL;
    enum { WORDS = 40000, TREES = 300 };
    uint32_t *sets = calloc(WORDS, sizeof *sets);
    scarce__random r = scarce__random_start(5, SCARCE__FOR_TEST, 5);
    forest.n_features = 1;
    for (size_t i = 0; i < WORDS; ++i) sets[i] = (uint32_t)scarce__random_u64(&r);
    for (uint32_t t = 0; t < TREES; ++t) {
        scarce__node nodes[3] = {{0}};
        nodes[0].flags = SCARCE__CATEGORY;
        nodes[0].left = 1;
        nodes[0].right = 2;
        nodes[1].feature = nodes[2].feature = -1;
        nodes[1].value = (float)t;
        CHECK(scarce__forest_add(&forest, nodes, 3, t ? NULL : sets, t ? 0 : WORDS, NULL) == SCARCE_OK);
        forest.nodes[3 * t].set = t; /* all share one pool, each a bit shifted */
        forest.nodes[3 * t].set_words = WORDS - t;
    }
    CHECK(scarce__forest_check(&forest, NULL) == SCARCE_OK);
    CHECK(scarce__fast_new(&fast, &forest, NULL) == SCARCE_OK);
    CHECK(scarce__fast_bytes(fast) < (size_t)80 << 20);
    for (int i = 0; i < 100; ++i) {
        const float x = (float)scarce__random_below(&r, WORDS * 32 + 10);
        double out[9];
        scarce__fast_batch(fast, &x, 9, 0, out);
        CHECK(scarce__fast_one(fast, &x) == scarce__forest_walk(&forest, &x) && out[8] == out[0]);
        CHECK(out[0] == scarce__forest_walk(&forest, &x));
    }
    scarce__fast_free(fast);
    scarce__forest_deinit(&forest);
    free(sets);
}

typedef struct job {
    const scarce__fast *fast;
    const float *rows;
    size_t stride;
    double out[N_ROWS];
} job;

static void *score_rows(void *arg)
{
    job *j = arg;
    for (int round = 0; round < 5; ++round) {
        scarce__fast_batch(j->fast, j->rows, N_ROWS, j->stride, j->out);
        for (size_t i = 0; i < N_ROWS; i += 2) j->out[i] = scarce__fast_one(j->fast, j->rows + i * j->stride);
    }
    return NULL;
}

static void test_threads(void)
{
    static job jobs[4];
    pthread_t threads[4];
    scarce__forest forest = random_forest(shapes + 1, 9);
    float *rows = random_rows(shapes + 1, N_ROWS, 40, 9);
    scarce__fast *fast = NULL;
    CHECK(scarce__fast_new(&fast, &forest, NULL) == SCARCE_OK);
    for (int k = 0; k < 4; ++k) {
        jobs[k].fast = fast;
        jobs[k].rows = rows;
        jobs[k].stride = 40;
        CHECK(pthread_create(threads + k, NULL, score_rows, jobs + k) == 0);
    }
    for (int k = 0; k < 4; ++k) pthread_join(threads[k], NULL);
    for (int k = 1; k < 4; ++k) CHECK(same(jobs[0].out, jobs[k].out, N_ROWS));
    CHECK(jobs[0].out[3] == scarce__forest_walk(&forest, rows + 120));
    scarce__fast_free(fast);
    scarce__forest_deinit(&forest);
    free(rows);
}

/* Numbers, codes and sparse columns of a table, on one thread and on three. */
static void test_table(void)
{
    enum { N = 10000, D = 6 };
    const forest_shape shape = {D, 30, 31, 0, 20, 40, 0};
    scarce__forest forest = random_forest(&shape, 4);
    float *rows = random_rows(&shape, N, D, 4);
    scarce__feature features[D] = {{0}};
    scarce__column columns[D];
    scarce_table table = {0};
    scarce_context_options options = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce__fast *fast = NULL;
    double *out = calloc(2 * N, sizeof *out);

    for (size_t f = 0; f < D; ++f) {
        float *numbers = malloc(N * sizeof *numbers);
        for (size_t i = 0; i < N; ++i) {
            float *x = rows + i * D + f;
            if (f >= D / 2 && (*x < 0 || *x > 100)) *x = 20; /* a code there is */
            if (f == 1 && i % 3) *x = 0;
            numbers[i] = *x;
        }
        features[f].kind = f >= D / 2 ? SCARCE_COLUMN_CATEGORY
                           : f == 1   ? SCARCE_COLUMN_SPARSE
                                      : SCARCE_COLUMN_NUMERIC;
        if (f >= D / 2) {
            columns[f].code = malloc(N * sizeof *columns[f].code);
            for (size_t i = 0; i < N; ++i) columns[f].code[i] = isnan(numbers[i]) ? -1 : (int32_t)numbers[i];
            free(numbers);
        } else if (f == 1) {
            columns[f].sparse.count = 0;
            columns[f].sparse.value = numbers;
            columns[f].sparse.row = malloc(N * sizeof *columns[f].sparse.row);
            for (size_t i = 0; i < N; ++i) {
                if (numbers[i] == 0) continue;
                columns[f].sparse.row[columns[f].sparse.count] = (uint32_t)i;
                numbers[columns[f].sparse.count++] = numbers[i];
            }
        } else {
            columns[f].number = numbers;
        }
    }
    table.n_rows = N;
    table.schema.n_features = D;
    table.schema.features = features;
    table.columns = columns;
    CHECK(scarce__fast_new(&fast, &forest, NULL) == SCARCE_OK);
    CHECK(scarce__fast_table(fast, &table, NULL, out, NULL) == SCARCE_OK);
    for (size_t i = 0; i < N; ++i) CHECK(out[i] == scarce__forest_walk(&forest, rows + i * D));
    options.threads = 3;
    CHECK(scarce_context_new(&ctx, &options, NULL) == SCARCE_OK);
    CHECK(scarce__fast_table(fast, &table, ctx, out + N, NULL) == SCARCE_OK);
    CHECK(same(out, out + N, N));
    table.schema.n_features = D - 1;
    CHECK(scarce__fast_table(fast, &table, ctx, out, NULL) == SCARCE_EINVAL);
    scarce_context_free(ctx);
    scarce__fast_free(fast);
    scarce__forest_deinit(&forest);
    for (size_t f = 0; f < D; ++f) {
        if (f == 1) free(columns[f].sparse.row);
        free(f == 1       ? (void *)columns[f].sparse.value
             : f >= D / 2 ? (void *)columns[f].code
                          : (void *)columns[f].number);
    }
    free(rows);
    free(out);
}

static void test_no_memory(void)
{
#ifdef SCARCE_FAULTS
    scarce__forest forest = random_forest(shapes + 12, 1);
    for (size_t fail = 1;; ++fail) {
        scarce__fast *fast = NULL;
        scarce_status st;
        scarce__alloc_fail_from(fail);
        st = scarce__fast_new(&fast, &forest, NULL);
        scarce__alloc_fail_from(0);
        if (st == SCARCE_OK) {
            CHECK(fail > 10);
            scarce__fast_free(fast);
            break;
        }
        CHECK(st == SCARCE_ENOMEM && fast == NULL);
    }
    scarce__forest_deinit(&forest);
#endif
}

static const test_case tests[] = {
    {"same_bits", test_same_bits},
    {"extremes", test_extremes},
    {"empty", test_empty},
    {"hostile_categories", test_hostile_categories},
    {"threads", test_threads},
    {"table", test_table},
    {"no_memory", test_no_memory},
    {"large_tile", test_large_tile},
    {"top_bits", test_top_bits},
    {"zeros", test_zeros},
    {"endless_counts", test_endless_counts},
    {"threshold_counts", test_threshold_counts},
};
TEST_MAIN(tests)
