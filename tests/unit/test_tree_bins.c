/* SPDX-License-Identifier: Apache-2.0 */
/* Bins: quantiles against a sort, edges against raw comparisons, codes against the slow way, bundles. */
#include "test.h"

#include "tree/bins.h"
#include "tree/layout.h"
#include "tree_data.h"

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static unsigned bin_of(const scarce__cuts *c, float x)
{
    unsigned b = 0;
    while (b + 1 < c->n_bins && x > c->edge[b]) ++b;
    return b;
}

/* Every edge separates: the largest value of a bin and its upward neighbour, the smallest of the next. */
static void check_edges(const scarce__cuts *c, float *x, size_t n)
{
    for (size_t b = 0; b + 2 < c->n_bins; ++b) CHECK(c->edge[b] < c->edge[b + 1]);
    for (size_t b = 0; b + 1 < c->n_bins; ++b) {
        const float e = c->edge[b];
        CHECK(e == e);
        CHECK(bin_of(c, e) == b);
        if (e < INFINITY)
            CHECK(bin_of(c, nextafterf(e, INFINITY)) == b + 1 ||
                  (b + 2 < c->n_bins && nextafterf(e, INFINITY) > c->edge[b + 1]));
        if (e > -INFINITY) CHECK(bin_of(c, nextafterf(e, -INFINITY)) <= b);
    }
    qsort(x, n, sizeof *x, ascending);
    size_t count[256] = {0};
    for (size_t i = 0; i < n; ++i) ++count[bin_of(c, x[i])];
    for (size_t b = 0; b < c->n_bins; ++b) CHECK(count[b] > 0); /* no bin is empty */
}

static void test_few_values(void)
{
    float x[] = {3, 1, NAN, 2, 1, -0.0f, 0.0f, INFINITY, -INFINITY, 1e30f, 3, nextafterf(1, 2)};
    const size_t n = sizeof x / sizeof *x;
    scarce__cutter k;
    scarce__cuts c;
    CHECK(scarce__cutter_init(&k, n));
    scarce__cut(&c, &k, x, NULL, n, NULL, 0, 255);
    CHECK(c.n_missing == 1);
    CHECK(c.n_bins == 8); /* -inf 0 1 1+ 2 3 1e30 inf: -0 and 0 are one value */
    CHECK(bin_of(&c, 1) != bin_of(&c, nextafterf(1, 2)));
    CHECK(bin_of(&c, -INFINITY) == 0 && bin_of(&c, INFINITY) == 7);
    CHECK(bin_of(&c, -0.0f) == 1 && bin_of(&c, 0.0f) == 1);
    scarce__cut(&c, &k, x, NULL, 0, NULL, 0, 255);
    CHECK(c.n_bins == 0);
    const float nothing[2] = {NAN, NAN};
    scarce__cut(&c, &k, nothing, NULL, 2, NULL, 0, 255);
    CHECK(c.n_bins == 0 && c.n_missing == 2);
    scarce__cutter_deinit(&k);
}

static void test_equal_counts(void)
{
    enum { N = 20000 };
    static float x[N], sorted[N];
    scarce__random r = scarce__random_start(5, SCARCE__FOR_TEST, 0);
    scarce__cutter k;
    scarce__cuts c;
    for (size_t i = 0; i < N; ++i) sorted[i] = x[i] = (float)scarce__random_normal(&r);
    CHECK(scarce__cutter_init(&k, N));
    scarce__cut(&c, &k, x, NULL, N, NULL, 0, 100);
    CHECK(c.n_bins == 100);
    check_edges(&c, sorted, N);
    size_t count[100] = {0};
    for (size_t i = 0; i < N; ++i) ++count[bin_of(&c, x[i])];
    for (size_t b = 0; b < 100; ++b) CHECK(count[b] >= 190 && count[b] <= 210);
    scarce__cutter_deinit(&k);
}

/* 70 % zeros, a second heavy value, the rest continuous: the heavy ones alone, the others
 * share what is left. */
static void test_heavy_values(void)
{
    enum { N = 30000 };
    static float x[N], sorted[N];
    scarce__random r = scarce__random_start(6, SCARCE__FOR_TEST, 0);
    scarce__cutter k;
    scarce__cuts c;
    for (size_t i = 0; i < N; ++i) {
        const double u = scarce__random_unit(&r);
        sorted[i] = x[i] = u < 0.7 ? 0 : u < 0.8 ? 1 : (float)(3 * scarce__random_normal(&r));
    }
    CHECK(scarce__cutter_init(&k, N));
    scarce__cut(&c, &k, x, NULL, N, NULL, 0, 50);
    CHECK(c.n_bins >= 48 && c.n_bins <= 50);
    check_edges(&c, sorted, N);
    const unsigned zero = bin_of(&c, 0), one = bin_of(&c, 1);
    size_t count[50] = {0}, mixed = 0;
    for (size_t i = 0; i < N; ++i) {
        ++count[bin_of(&c, x[i])];
        const unsigned b = bin_of(&c, x[i]);
        if ((b == zero && x[i] != 0) || (b == one && x[i] != 1)) ++mixed;
    }
    CHECK(mixed == 0);
    for (size_t b = 0; b < c.n_bins; ++b) CHECK(b == zero || b == one || count[b] < 300);
    scarce__cutter_deinit(&k);
}

/* A weight of 2 is the same as the row twice; unlisted zeros are the same as listed ones. */
static void test_weights_and_zeros(void)
{
    enum { N = 3000 };
    static float x[N], twice[2 * N];
    static double w[N];
    size_t m = 0;
    scarce__random r = scarce__random_start(7, SCARCE__FOR_TEST, 0);
    scarce__cutter k;
    scarce__cuts a, b;
    CHECK(scarce__cutter_init(&k, 2 * N + 1));
    for (size_t i = 0; i < N; ++i) {
        x[i] = (float)scarce__random_normal(&r);
        w[i] = 1 + (double)scarce__random_below(&r, 2);
        for (int c = 0; c < (int)w[i]; ++c) twice[m++] = x[i];
    }
    scarce__cut(&a, &k, x, NULL, N, w, 0, 63);
    scarce__cut(&b, &k, twice, NULL, m, NULL, 0, 63);
    CHECK(a.n_bins == b.n_bins);
    CHECK(memcmp(a.edge, b.edge, (a.n_bins - 1) * sizeof *a.edge) == 0);
    for (size_t i = 0; i < N; ++i) twice[i] = i % 3 ? 0 : x[i];
    m = 0;
    for (size_t i = 0; i < N; ++i)
        if (i % 3 == 0) x[m++] = x[i];
    scarce__cut(&a, &k, twice, NULL, N, NULL, 0, 63);
    scarce__cut(&b, &k, x, NULL, m, NULL, (double)(N - m), 63);
    CHECK(a.n_bins == b.n_bins && memcmp(a.edge, b.edge, (a.n_bins - 1) * sizeof *a.edge) == 0);
    scarce__cutter_deinit(&k);
}

/* Codes in both layouts = the slow way; decisions on raw values = decisions on bins, at edges
 * and neighbours. */
static void check_codes(const scarce_table *t, const float *dense, const uint32_t *rows, size_t n,
                        scarce_context *ctx)
{
    scarce__bins bins;
    scarce__codes codes;
    const scarce__bin_options o = {20, 3, 0.3, 0};
    CHECK(scarce__bins_find(&bins, t, rows, n, NULL, &o, ctx, NULL) == SCARCE_OK);
    CHECK(scarce__codes_build(&codes, &bins, t, rows, n, 1, ctx, NULL) == SCARCE_OK);
    const size_t m = rows ? n : t->n_rows;
    CHECK(codes.n_rows == m);
    CHECK(bins.used_of[6] == -1); /* the constant */
    size_t wrong = 0, bundled = 0;
    for (size_t c = 0; c < bins.n_columns; ++c) {
        const size_t slab = c / SCARCE__SLAB, width = scarce__slab_width(bins.n_columns, slab);
        bundled += bins.column_begin[c + 1] - bins.column_begin[c] > 1;
        for (size_t i = 0; i < m; ++i) {
            const float *x = dense + (rows ? rows[i] : i) * DATA_FEATURES;
            unsigned want = 0;
            for (uint32_t k = bins.column_begin[c]; k < bins.column_begin[c + 1]; ++k) {
                const scarce__bin_feature *f = &bins.used[bins.column_used[k]];
                want += scarce__bins_code(&bins, f, x[f->feature]);
            }
            wrong += scarce__tile(&codes, i / SCARCE__TILE)[c * SCARCE__TILE + i % SCARCE__TILE] != want;
            wrong += scarce__slab(&codes, slab)[i * width + c % SCARCE__SLAB] != want;
            wrong += want >= bins.n_codes[c];
        }
    }
    CHECK(wrong == 0);
    CHECK(bundled >= 1); /* the exclusive columns share one */
    scarce__codes_deinit(&codes);
    scarce__bins_deinit(&bins);
}

static void test_codes(void)
{
    float *dense;
    scarce_table *t = data_table(1000, 3, &dense, 1);
    uint32_t rows[700];
    scarce__random r = scarce__random_start(8, SCARCE__FOR_TEST, 0);
    for (size_t i = 0; i < 700; ++i) rows[i] = (uint32_t)scarce__random_below(&r, 1000); /* repeats too */
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    co.threads = 3;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    check_codes(t, dense, NULL, 0, ctx);
    check_codes(t, dense, rows, 700, NULL);
    scarce_context_free(ctx);
    scarce_table_free(t);
    scarce__free(dense);
}

/* A long column takes the table of cells; all shapes of distribution give the codes of the slow way. */
static void test_long_columns(void)
{
    enum { N = 50000, M = 5 };
    float *x = scarce__malloc_array((size_t)N * M, sizeof *x);
    scarce__random r = scarce__random_start(9, SCARCE__FOR_TEST, 0);
    for (size_t i = 0; i < N; ++i) {
        const double z = scarce__random_normal(&r);
        x[i * M] = (float)z;
        x[i * M + 1] = (float)exp(5 * z);
        x[i * M + 2] = (float)(1000 + 1e-4 * (double)scarce__random_below(&r, 3000)); /* all in a few cells */
        x[i * M + 3] = (float)scarce__random_below(&r, 300) - 150;
        x[i * M + 4] = i % 7 == 0 ? NAN : (float)(z * 1e-38);
    }
    scarce_table *t = NULL;
    scarce__bins bins;
    scarce__codes codes;
    CHECK(scarce_table_from_floats(&t, x, N, M, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__bins_find(&bins, t, NULL, 0, NULL, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__codes_build(&codes, &bins, t, NULL, 0, 0, NULL, NULL) == SCARCE_OK);
    CHECK(bins.n_used == M);
    size_t wrong = 0;
    for (size_t i = 0; i < N; ++i)
        for (size_t f = 0; f < M; ++f)
            wrong += scarce__tile(&codes, i / SCARCE__TILE)[f * SCARCE__TILE + i % SCARCE__TILE] !=
                     scarce__bins_code(&bins, &bins.used[f], x[i * M + f]);
    CHECK(wrong == 0);
    scarce__codes_deinit(&codes);
    scarce__bins_deinit(&bins);
    scarce_table_free(t);
    scarce__free(x);
}

/* Long columns are cut without sorting them altogether: the same cuts, with and without weights (those here
 * are sums of powers of two, so that no order of adding rounds). */
static void test_lazy_sort(void)
{
    enum { N = 150000 };
    float *x = scarce__malloc_array(N, sizeof *x);
    double *w = scarce__malloc_array(N, sizeof *w);
    scarce__random r = scarce__random_start(10, SCARCE__FOR_TEST, 0);
    scarce__cutter k;
    scarce__cuts a, b;
    CHECK(scarce__cutter_init(&k, N + 1));
    for (int shape = 0; shape < 7; ++shape) {
        for (size_t i = 0; i < N; ++i) {
            const double z = scarce__random_normal(&r), u = scarce__random_unit(&r);
            w[i] = u < 0.01 ? 0 : z > 1 ? 1 : u < 0.3 ? 2.5 : 3.75;
            switch (shape) {
            case 0: x[i] = (float)z; break;
            case 1: x[i] = (float)exp(3 * z); break;
            case 2: x[i] = u < 0.9 ? 0 : (float)z; break;                            /* zero-inflated */
            case 3: x[i] = u < 0.1 ? NAN : (float)(floor(z * 500) / 500); break;     /* ties everywhere */
            case 4: x[i] = u < 0.5 ? (float)floor(z * 20) : (float)(100 * z); break; /* many heavy values */
            case 5: x[i] = (float)(1 + 1e-3 * z); break;                             /* few cells: sorted */
            default: x[i] = u < 0.3 ? INFINITY : u < 0.6 ? -INFINITY : (float)(z * 1e30); break;
            }
        }
        for (size_t max_bins = 15; max_bins <= 255; max_bins += 80) {
            for (int weighted = 0; weighted < 2; ++weighted) {
                CHECK(scarce__cut_lazily(&a, &k, x, NULL, N, weighted ? w : NULL, max_bins) == (shape != 5));
                scarce__cut(&a, &k, x, NULL, N, weighted ? w : NULL, 0, max_bins);
                scarce__cut_sorted(&b, &k, x, NULL, N, weighted ? w : NULL, 0, max_bins);
                CHECK(a.n_bins == b.n_bins && a.n_missing == b.n_missing);
                CHECK(a.n_bins > 1 && a.n_bins <= max_bins);
                CHECK(memcmp(a.edge, b.edge, (a.n_bins - 1) * sizeof *a.edge) == 0);
            }
        }
    }
    memset(w, 0, N * sizeof *w); /* rows of no weight at all: counted */
    CHECK(!scarce__cut_lazily(&a, &k, x, NULL, N, w, 99));
    scarce__cut(&a, &k, x, NULL, N, w, 0, 99);
    scarce__cut(&b, &k, x, NULL, N, NULL, 0, 99);
    CHECK(a.n_bins == b.n_bins && memcmp(a.edge, b.edge, (a.n_bins - 1) * sizeof *a.edge) == 0);
    scarce__cutter_deinit(&k);
    scarce__free(x);
    scarce__free(w);
}

/* Positives that lie where one bin of all rows would hold them together get cuts of their own. */
static void test_positive_cuts(void)
{
    enum { N = 20000, FIRST = N - 60 };
    scarce__bin_options o = SCARCE__BIN_OPTIONS_INIT;
    float *x = scarce__malloc_array(N, sizeof *x);
    uint8_t *y = scarce__calloc(N, 1);
    scarce_table *table;
    scarce__bins plain, with;

    for (size_t i = 0; i < N; ++i) x[i] = (float)(i * 7919 % N); /* every value once */
    for (size_t i = 0; i < N; ++i) y[i] = x[i] >= FIRST && (int)x[i] % 2 == 0;
    for (size_t i = 0; i < N; ++i) y[i] |= (int)x[i] % 500 == 250;
    CHECK(scarce_table_from_floats(&table, x, N, 1, NULL, y, NULL) == SCARCE_OK);
    CHECK(scarce__bins_find(&plain, table, NULL, 0, NULL, &o, NULL, NULL) == SCARCE_OK);
    o.positive_share = 0.3;
    CHECK(scarce__bins_find(&with, table, NULL, 0, NULL, &o, NULL, NULL) == SCARCE_OK);
    size_t above[2] = {0, 0};
    CHECK(plain.used[0].n_bins == 255 && with.used[0].n_bins <= 255 && with.used[0].n_bins > 240);
    for (unsigned i = 0; i + 1 < plain.used[0].n_bins; ++i) above[0] += plain.edges[i] >= FIRST;
    for (unsigned i = 0; i + 1 < with.used[0].n_bins; ++i) {
        above[1] += with.edges[i] >= FIRST;
        if (i > 0) CHECK(with.edges[i] > with.edges[i - 1]);
    }
    CHECK(above[0] <= 1 && above[1] >= 25); /* 30 of 69 positives lie there, 76 cuts are theirs */
    scarce__bins_deinit(&plain);
    scarce__bins_deinit(&with);
    memset(y, 0, N); /* without positives nothing changes */
    scarce_table_free(table);
    CHECK(scarce_table_from_floats(&table, x, N, 1, NULL, y, NULL) == SCARCE_OK);
    CHECK(scarce__bins_find(&with, table, NULL, 0, NULL, &o, NULL, NULL) == SCARCE_OK);
    CHECK(with.used[0].n_bins == 255);
    scarce__bins_deinit(&with);
    scarce_table_free(table);
    scarce__free(x);
    scarce__free(y);
}

static const test_case tests[] = {
    {"few_values", test_few_values},
    {"equal_counts", test_equal_counts},
    {"heavy_values", test_heavy_values},
    {"weights_and_zeros", test_weights_and_zeros},
    {"codes", test_codes},
    {"long_columns", test_long_columns},
    {"lazy_sort", test_lazy_sort},
    {"positive_cuts", test_positive_cuts},
};
TEST_MAIN(tests)
