/* SPDX-License-Identifier: Apache-2.0 */
/* The layer of non-linear boosting: scores and gradients against the formula and finite differences, same bits by plain
 * and AVX2 code, correlation, and what a file must not hold. */
#include "boost/latent_inside.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/random.h"
#include "test.h"

enum { ROWS = 203, TREES = 9, LEAVES = 7 };

typedef struct setting {
    scarce__latent layer;
    scarce__latent_tables tables;
    scarce__leaf_bytes bytes;
    uint8_t leaf[TREES][ROWS]; /* one by one */
    uint8_t label[ROWS];
    float weight[ROWS];
} setting;

/* The newest tree of the tables enters the bytes. */
static void add_leaves(setting *s, size_t t, size_t n_leaves)
{
    const scarce__latent_group *g = s->tables.groups + s->tables.n_groups - 1;
    uint8_t *byte;

    if (g->n_trees == 1) {
        CHECK(scarce__leaf_bytes_add(&s->bytes, &byte, NULL) == SCARCE_OK);
        memset(byte, 0, ROWS);
    }
    CHECK(s->bytes.n_groups == s->tables.n_groups);
    byte = s->bytes.group[s->bytes.n_groups - 1];
    for (size_t i = 0; i < ROWS; ++i) byte[i] = (uint8_t)(byte[i] + s->leaf[t][i] * (g->n / n_leaves));
}

static void add_tree(setting *s, size_t t, scarce__random *r)
{
    const size_t n_leaves = s->tables.most ? 1 + (5 * t + 1) % LEAVES : LEAVES; /* 2, 7, 5, 3, 1, 6, 4, ... */
    float value[LEAVES];
    double *in;

    CHECK(scarce__latent_add(&s->layer, &in, NULL) == SCARCE_OK);
    for (size_t p = 0; p < s->layer.width; ++p) in[p] = scarce__random_normal(r);
    for (size_t l = 0; l < n_leaves; ++l) value[l] = (float)scarce__random_normal(r);
    CHECK(scarce__latent_tables_add(&s->tables, value, n_leaves, NULL) == SCARCE_OK);
    for (size_t i = 0; i < ROWS; ++i) s->leaf[t][i] = (uint8_t)scarce__random_below(r, n_leaves);
    add_leaves(s, t, n_leaves);
}

/* most: combinations of a group of trees. */
static void make(setting *s, size_t width, double skip, size_t most)
{
    scarce__random r = scarce__random_start(7, SCARCE__FOR_TEST, width);

    memset(s, 0, sizeof *s);
    CHECK(scarce__latent_init(&s->layer, width, skip, NULL) == SCARCE_OK);
    s->tables.width = width;
    s->tables.lanes = (width + 8) / 8 * 8;
    s->tables.base = -0.5f;
    s->tables.skip = (float)skip;
    s->tables.most = most;
    s->bytes.n = ROWS;
    for (size_t p = 0; p < width; ++p) s->layer.out[p] = scarce__random_normal(&r) / sqrt((double)width);
    for (size_t t = 0; t < TREES; ++t) add_tree(s, t, &r);
    for (size_t i = 0; i < ROWS; ++i) {
        s->label[i] = scarce__random_below(&r, 3) == 0;
        s->weight[i] = (float)scarce__random_unit(&r) + 0.5f;
    }
    scarce__latent_tables_fill(&s->tables, &s->layer);
}

static void unmake(setting *s)
{
    scarce__latent_deinit(&s->layer);
    scarce__latent_tables_deinit(&s->tables);
    scarce__leaf_bytes_deinit(&s->bytes);
}

/* By the formula. */
static double score_of(const setting *s, size_t i)
{
    double z[SCARCE__LATENT_MOST] = {0}, skipped = 0;
    for (size_t t = 0; t < TREES; ++t) {
        const float v = s->tables.value[s->tables.first[t] + s->leaf[t][i]];
        scarce__latent_feed(&s->layer, t, 1, &v, z, &skipped);
    }
    return scarce__latent_score(&s->layer, (double)s->tables.base, z, skipped);
}

static double loss_of(const setting *s)
{
    double sum = 0;
    for (size_t i = 0; i < ROWS; ++i)
        sum += (double)s->weight[i] * scarce__softplus(s->label[i] ? -score_of(s, i) : score_of(s, i));
    return sum;
}

static const size_t widths[] = {1, 7, 8, 15, 16, 20, 23, 24, 31, 50};
enum { N_WIDTHS = sizeof widths / sizeof widths[0] };

static const size_t groups[] = {0, 1, 14, SCARCE__LATENT_GROUP, 256};
enum { N_CASES = N_WIDTHS * (sizeof groups / sizeof groups[0]) };

static void test_scores(void)
{
    for (size_t w = 0; w < N_CASES; ++w) {
        float plain[ROWS], other[ROWS];
        setting s;
        make(&s, widths[w % N_WIDTHS], w % 2 ? 0.1 : 0, groups[w / N_WIDTHS]);
        scarce__latent_forward(&s.tables, &s.bytes, 0, ROWS, plain, NULL, 0);
        for (size_t i = 0; i < ROWS; ++i) CHECK_NEAR(plain[i], score_of(&s, i), 2e-5);
        /* in pieces, and by the other code: the same bits */
        for (size_t b = 0; b < ROWS; b += 50)
            scarce__latent_forward(&s.tables, &s.bytes, b, ROWS - b < 50 ? ROWS - b : 50, other + b, NULL,
                                   scarce__cpu_avx2());
        CHECK(memcmp(plain, other, sizeof plain) == 0);
        unmake(&s);
    }
}

/* One tree more, added to what is known of the others. */
static void test_extend(void)
{
    static float z[2][(ROWS + 3) * 56], score[2][ROWS];

    for (size_t w = 0; w < N_CASES; ++w) {
        scarce__random r = scarce__random_start(8, SCARCE__FOR_TEST, w);
        setting s;
        make(&s, widths[w % N_WIDTHS], 0.1, groups[w / N_WIDTHS]);
        for (size_t last = 0; last < 3; ++last) { /* which joins a group, or begins one */
            for (int k = 0; k < 2; ++k)
                scarce__latent_forward(&s.tables, &s.bytes, 0, ROWS, score[k], z[k], 0);
            /* only TREES of them have leaves that are remembered: the score before, by the formula */
            double before[ROWS], *in;
            const float value[2] = {0.5f, -1.25f};
            const size_t n = s.tables.n_trees;
            uint8_t leaf[ROWS];
            for (size_t i = 0; i < ROWS; ++i) {
                before[i] = (double)s.tables.base;
                for (size_t p = 0; p < s.layer.width; ++p)
                    before[i] += s.layer.out[p] * fmax(0, (double)z[0][i * s.tables.lanes + p]);
                before[i] += (double)z[0][i * s.tables.lanes + s.layer.width];
                CHECK_NEAR(score[0][i], before[i], 2e-5);
                leaf[i] = (uint8_t)scarce__random_below(&r, 2);
            }
            CHECK(scarce__latent_add(&s.layer, &in, NULL) == SCARCE_OK);
            for (size_t p = 0; p < s.layer.width; ++p) in[p] = scarce__random_normal(&r);
            CHECK(scarce__latent_tables_add(&s.tables, value, 2, NULL) == SCARCE_OK);
            memcpy(s.leaf[0], leaf, ROWS); /* of the first tree: no longer needed */
            add_leaves(&s, 0, 2);
            scarce__latent_tables_fill(&s.tables, &s.layer);
            for (int k = 0; k < 2; ++k)
                scarce__latent_extend(&s.tables, &s.bytes, 0, ROWS, score[k], z[k], k && scarce__cpu_avx2());
            CHECK(memcmp(score[0], score[1], sizeof score[0]) == 0);
            CHECK(memcmp(z[0], z[1], ROWS * s.tables.lanes * sizeof z[0][0]) == 0);
            float anew[ROWS];
            scarce__latent_forward(&s.tables, &s.bytes, 0, ROWS, anew, NULL, 0);
            for (size_t i = 0; i < ROWS; ++i) CHECK_NEAR(score[0][i], anew[i], 2e-5);
            CHECK(s.tables.n_trees == n + 1);
        }
        unmake(&s);
    }
}

static void gradient_of(const setting *s, double *out, double *in, int avx2, float *bits)
{
    const size_t lanes = s->tables.lanes;
    float *room = scarce__malloc_array((TREES + 1 + SCARCE__LATENT_BLOCK) * lanes, sizeof *room);
    const scarce__latent_block b = {.begin = 0,
                                    .n = ROWS,
                                    .label = s->label,
                                    .weight = s->weight,
                                    .out = room,
                                    .in = room + lanes,
                                    .z = room + (TREES + 1) * lanes};
    scarce__latent_backward(&s->tables, &s->bytes, &b, avx2);
    for (size_t p = 0; p < s->layer.width; ++p) out[p] = (double)b.out[p];
    for (size_t t = 0; t < TREES; ++t)
        for (size_t p = 0; p < s->layer.width; ++p) in[t * s->layer.width + p] = (double)b.in[t * lanes + p];
    memcpy(bits, room, (TREES + 1) * lanes * sizeof *bits);
    scarce__free(room);
}

static void check_slope(setting *s, double *weight, double gradient)
{
    const double at = *weight, step = 1e-5;
    double up, down;
    *weight = at + step;
    up = loss_of(s);
    *weight = at - step;
    down = loss_of(s);
    *weight = at;
    CHECK_NEAR(gradient, (up - down) / (2 * step), 2e-3 * (1 + fabs(gradient)));
}

static void test_gradients(void)
{
    static double out[SCARCE__LATENT_MOST], in[TREES * SCARCE__LATENT_MOST];
    static float plain[(TREES + 1) * (SCARCE__LATENT_MOST + 8)],
        other[(TREES + 1) * (SCARCE__LATENT_MOST + 8)];
    for (size_t w = 0; w < N_CASES; ++w) {
        const size_t width = widths[w % N_WIDTHS];
        setting s;
        make(&s, width, 0.1, groups[w / N_WIDTHS]);
        gradient_of(&s, out, in, scarce__cpu_avx2(), other);
        gradient_of(&s, out, in, 0, plain);
        CHECK(memcmp(plain, other, (TREES + 1) * s.tables.lanes * sizeof *plain) == 0);
        for (size_t p = 0; p < width; ++p) check_slope(&s, &s.layer.out[p], out[p]);
        for (size_t i = 0; i < TREES * width; ++i) check_slope(&s, &s.layer.in[i], in[i]);
        unmake(&s);
    }
}

/* The loss of scheme=paper after one sweep is below that before, and scores are those of the layer. */
static void test_sweep(void)
{
    const scarce__latent_options o = {
        .scheme = SCARCE__LATENT_PAPER, .width = 12, .seed = 3, .passes = 3, .damping = 1, .ridge = 1};
    for (int portable = 0; portable < 2; ++portable) {
        static float score[2][ROWS];
        setting s;
        make(&s, o.width, 0, 0);
        scarce__latent_state st = {.o = &o, .layer = &s.layer, .portable = portable};
        st.tables = s.tables;
        st.all = s.bytes;
        st.z = scarce__calloc(ROWS * o.width, sizeof *st.z);
        st.h = scarce__calloc(ROWS, sizeof *st.h);
        /* z without the newest tree, and the scores there */
        for (size_t i = 0; i < ROWS; ++i) {
            double f = (double)s.tables.base;
            for (size_t p = 0; p < o.width; ++p) {
                double z = 0;
                for (size_t t = 0; t + 1 < TREES; ++t)
                    z += s.layer.in[t * o.width + p] *
                         (double)s.tables.value[s.tables.first[t] + s.leaf[t][i]];
                st.z[p * ROWS + i] = (float)z;
                f += z > 0 ? s.layer.out[p] * z : 0;
            }
            score[portable][i] = (float)f;
        }
        const scarce__loss_rows rows = {ROWS, score[portable], s.label, NULL, s.weight, NULL, NULL};
        const double before = loss_of(&s);
        CHECK(scarce__latent_sweeps(&st, &rows, score[portable], NULL, NULL) == SCARCE_OK);
        CHECK(loss_of(&s) < before);
        for (size_t i = 0; i < ROWS; ++i) CHECK_NEAR(score[portable][i], score_of(&s, i), 1e-4);
        scarce__free(st.z);
        scarce__free(st.h);
        unmake(&s);
        if (portable) CHECK(memcmp(score[0], score[1], sizeof score[0]) == 0);
    }
}

static void test_correlation(void)
{
    scarce__latent l;
    double c[9];
    CHECK(scarce__latent_init(&l, 3, 0, NULL) == SCARCE_OK);
    for (int t = 0; t < 4; ++t) {
        double *in;
        CHECK(scarce__latent_add(&l, &in, NULL) == SCARCE_OK);
        in[0] = t;
        in[1] = 5 - 2 * t;
        in[2] = 1; /* no spread */
    }
    scarce__latent_correlation(&l, c);
    CHECK_NEAR(c[0], 1, 0);
    CHECK_NEAR(c[1], -1, 1e-12);
    CHECK_NEAR(c[2], 0, 0);
    CHECK_NEAR(c[8], 1, 0);
    scarce__latent_deinit(&l);
}

static void test_check(void)
{
    scarce__latent l;
    CHECK(scarce__latent_init(&l, 2, 0.1, NULL) == SCARCE_OK);
    CHECK(scarce__latent_add(&l, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__latent_check(&l, 1, NULL) == SCARCE_OK);
    CHECK(scarce__latent_check(&l, 2, NULL) == SCARCE_EPARSE);
    l.in[1] = (double)NAN;
    CHECK(scarce__latent_check(&l, 1, NULL) == SCARCE_EPARSE);
    l.in[1] = 0;
    l.out[0] = (double)INFINITY;
    CHECK(scarce__latent_check(&l, 1, NULL) == SCARCE_EPARSE);
    scarce__latent_deinit(&l);
}

static const test_case tests[] = {{"scores", test_scores},           {"extend", test_extend},
                                  {"gradients", test_gradients},     {"sweep", test_sweep},
                                  {"correlation", test_correlation}, {"check", test_check}};
TEST_MAIN(tests)
