/* SPDX-License-Identifier: Apache-2.0 */
/* Bands around curves against replicates drawn out row by row, and days of card precision. */
#include <stdlib.h>

#include <scarce/metrics.h>

#include "core/random.h"
#include "test.h"

enum { N = 90, REPLICATES = 60, POINTS = 12 };

static double score[N], weight[N], when[N];
static uint8_t label[N];
static int32_t group[N];
static scarce_scored rows;

static void prepare(int weighted, int grouped)
{
    scarce__random r = scarce__random_start(9, SCARCE__FOR_TEST, 0);
    for (size_t i = 0; i < N; ++i) {
        label[i] = i % 6 == 0;
        score[i] = floor(4 * (scarce__random_normal(&r) + label[i])) / 4; /* with ties */
        weight[i] = 1 + (double)(i % 3);
        group[i] = (int32_t)(i % 17);
        when[i] = 86400.0 * (double)(i / 10) + (double)i;
    }
    rows =
        (scarce_scored){N, score, label, weighted ? weight : NULL, NULL, when, NULL, grouped ? group : NULL};
}

/* The replicate as rows of its own: what bootstrap.c describes, written out. */
typedef struct drawn {
    double score[8 * N], weight[8 * N];
    uint8_t label[8 * N];
    scarce_scored rows;
} drawn;

static void add_copies(drawn *d, size_t row)
{
    const size_t k = d->rows.n++;
    d->score[k] = score[row];
    d->label[k] = label[row];
    d->weight[k] = weight[row];
}

/* Rows of a class in the order of the ranking: falling score, then row. */
static size_t list_class(size_t *list, int want)
{
    size_t n = 0;
    for (size_t i = 0; i < N; ++i) {
        size_t at;
        if (label[i] != want) continue;
        for (at = n++; at > 0 && score[list[at - 1]] < score[i]; --at) list[at] = list[at - 1];
        list[at] = i;
    }
    return n;
}

static void draw_replicate(drawn *d, size_t replicate)
{
    scarce__random r = scarce__random_start(1, SCARCE__FOR_BOOTSTRAP, replicate);
    size_t list[N];
    memset(&d->rows, 0, sizeof d->rows);
    if (rows.group) {
        for (int k = 0; k < 17; ++k) {
            const int32_t g = (int32_t)(scarce__random_unit(&r) * 17);
            for (size_t i = 0; i < N; ++i)
                if (group[i] == g) add_copies(d, i);
        }
    } else
        for (int want = 1; want >= 0; --want) {
            const size_t n = list_class(list, want);
            for (size_t k = 0; k < n; ++k) add_copies(d, list[(size_t)(scarce__random_unit(&r) * (double)n)]);
        }
    d->rows.score = d->score;
    d->rows.label = d->label;
    d->rows.weight = rows.weight ? d->weight : NULL;
}

static double curve_at(scarce_band_of of, const scarce_scored *in, double x)
{
    scarce_curve c;
    double y = (double)NAN;
    if (of == SCARCE_BAND_PRECISION_AT_K || of == SCARCE_BAND_RECALL_AT_K) {
        double precision, recall;
        CHECK(scarce_metrics_at_k(&precision, &recall, NULL, in, &x, 1, NULL, NULL) == SCARCE_OK);
        return of == SCARCE_BAND_RECALL_AT_K ? recall : precision;
    }
    if (of == SCARCE_BAND_PR) {
        if (scarce_curve_pr(&c, in, 0, NULL, NULL) != SCARCE_OK) return y;
        size_t i = 0;
        while (i + 1 < c.n && c.x[i] < x * (1 - 1e-12)) ++i;
        /* The curve leaves out points in the middle of straight pieces only, which here are none but of equal
         * recall; the first threshold with the recall has the highest precision of them. */
        y = c.y[i];
    } else {
        if (scarce_curve_roc(&c, in, 0, NULL, NULL) != SCARCE_OK) return y;
        y = 1;
        for (size_t i = 1; i < c.n; ++i)
            if (x < c.x[i]) {
                y = c.y[i - 1] + (c.y[i] - c.y[i - 1]) * (x - c.x[i - 1]) / (c.x[i] - c.x[i - 1]);
                break;
            }
    }
    scarce_curve_deinit(&c);
    return y;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double percentile(const double *sorted, size_t n, double q)
{
    const double at = q * (double)(n - 1);
    const size_t i = (size_t)at;
    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static void check_band(scarce_band_of of, const double *x)
{
    scarce_bootstrap_options b = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    double lo[POINTS], hi[POINTS], value[POINTS][REPLICATES];
    const scarce_curve_band band = {of, POINTS, x, lo, hi};
    scarce_error err = SCARCE_ERROR_INIT;
    static drawn d;

    b.replicates = REPLICATES;
    b.level = 0.8;
    CHECK(scarce_curve_bands(&band, 1, &rows, &b, NULL, &err) == SCARCE_OK);
    for (size_t r = 0; r < REPLICATES; ++r) {
        draw_replicate(&d, r);
        for (size_t i = 0; i < POINTS; ++i) value[i][r] = curve_at(of, &d.rows, x[i]);
    }
    for (size_t i = 0; i < POINTS; ++i) {
        qsort(value[i], REPLICATES, sizeof value[i][0], ascending);
        CHECK_NEAR(lo[i], percentile(value[i], REPLICATES, 0.1), 1e-9);
        CHECK_NEAR(hi[i], percentile(value[i], REPLICATES, 0.9), 1e-9);
        CHECK(lo[i] <= hi[i]);
    }
}

static void test_replicates(void)
{
    static const double share[POINTS] = {0, 0.013, 0.05, 0.1, 0.21, 0.3, 0.42, 0.5, 0.63, 0.77, 0.97, 1};
    static const double rate[POINTS] = {0, 0.0131, 0.0517, 0.1, 0.213, 0.3, 0.42, 0.5, 0.63, 0.77, 0.97, 1};
    static const double k[POINTS] = {1, 2, 3, 5, 8, 13, 21, 34, 47, 55, 60, 70};
    for (int weighted = 0; weighted < 2; ++weighted)
        for (int grouped = 0; grouped < 2; ++grouped) {
            prepare(weighted, grouped);
            check_band(SCARCE_BAND_PR, share);
            check_band(SCARCE_BAND_ROC, rate);
            check_band(SCARCE_BAND_PRECISION_AT_K, k);
            check_band(SCARCE_BAND_RECALL_AT_K, k);
        }
}

/* The same draws as the intervals of metrics, for any number of threads, alone or together. */
static void test_as_metrics(void)
{
    scarce_bootstrap_options b = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    const double k = 11;
    double lo[2], hi[2];
    const scarce_curve_band bands[] = {{SCARCE_BAND_PRECISION_AT_K, 1, &k, &lo[0], &hi[0]},
                                       {SCARCE_BAND_RECALL_AT_K, 1, &k, &lo[1], &hi[1]}};
    const size_t metrics[] = {scarce_metric_find("precision_at_k"), scarce_metric_find("recall_at_k")};
    scarce_metrics_interval interval[2];
    scarce_context *ctx = NULL;

    co.threads = 3;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    b.replicates = 200;
    o.k = k;
    for (int grouped = 0; grouped < 2; ++grouped) {
        prepare(1, grouped);
        CHECK(scarce_metrics_bootstrap(interval, metrics, 2, &rows, &o, &b, NULL, NULL) == SCARCE_OK);
        CHECK(scarce_curve_bands(bands, 2, &rows, &b, ctx, NULL) == SCARCE_OK);
        for (size_t i = 0; i < 2; ++i) {
            CHECK_NEAR(lo[i], interval[i].lo, 1e-12);
            CHECK_NEAR(hi[i], interval[i].hi, 1e-12);
        }
    }
    scarce_context_free(ctx);
}

static void test_wrong(void)
{
    scarce_bootstrap_options b = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    static const double falling[] = {0.5, 0.4}, below[] = {-1, 0}, right[] = {0, 1};
    double lo[2], hi[2];
    scarce_curve_band band = {SCARCE_BAND_PR, 2, falling, lo, hi};
    scarce_error err = SCARCE_ERROR_INIT;

    prepare(0, 0);
    CHECK(scarce_curve_bands(&band, 1, &rows, NULL, NULL, &err) == SCARCE_EINVAL);
    band.x = below;
    CHECK(scarce_curve_bands(&band, 1, &rows, NULL, NULL, &err) == SCARCE_EINVAL);
    band.x = right;
    b.by = SCARCE_BOOTSTRAP_BY_GROUP;
    CHECK(scarce_curve_bands(&band, 1, &rows, &b, NULL, &err) == SCARCE_EINVAL);
    b.by = SCARCE_BOOTSTRAP_AUTO;
    b.replicates = 0;
    CHECK(scarce_curve_bands(&band, 1, &rows, &b, NULL, &err) == SCARCE_EINVAL);
    b.replicates = 3;
    CHECK(scarce_curve_bands(&band, SCARCE_BANDS_MAX + 1, &rows, &b, NULL, &err) == SCARCE_EINVAL);
    memset(label, 0, sizeof label);
    CHECK(scarce_curve_bands(&band, 1, &rows, &b, NULL, &err) == SCARCE_OK && isnan(lo[0]) && isnan(hi[1]));
    rows.n = 0;
    CHECK(scarce_curve_bands(&band, 1, &rows, &b, NULL, &err) == SCARCE_OK && isnan(lo[0]));
}

/* Two cards a day: by hand. */
static void test_cards(void)
{
    static const double s[] = {9, 8, 7, 6, 5, 4}, t[] = {0, 1, 2, 86400, 86401, 3 * 86400.0};
    static const uint8_t y[] = {1, 0, 1, 1, 1, 0};
    static const int32_t g[] = {0, 1, 2, 0, 2, 1};
    const scarce_scored in = {6, s, y, NULL, NULL, t, NULL, g};
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    scarce_metrics m = SCARCE_METRICS_INIT;
    scarce_curve c;
    scarce_error err = SCARCE_ERROR_INIT;
    double mean = 0;

    o.card_k = 2;
    CHECK(scarce_curve_cards(&c, &in, &o, NULL, &err) == SCARCE_OK && c.n == 3);
    /* day 0: cards 0 (positive) and 1; day 1: card 0 was found before, so card 2 alone; day 3: card 1 */
    CHECK(c.x[0] == 0 && c.x[1] == 86400 && c.x[2] == 3 * 86400.0);
    CHECK(c.y[0] == 0.5 && c.y[1] == 0.5 && c.y[2] == 0);
    CHECK(c.threshold[0] == 8 && c.threshold[1] == 5 && c.threshold[2] == 4);
    for (size_t i = 0; i < c.n; ++i) mean += c.y[i] / 3;
    CHECK(scarce_metrics_compute(&m, &in, &o, NULL, &err) == SCARCE_OK);
    CHECK_NEAR(m.card_precision_at_k, mean, 1e-15);
    scarce_curve_deinit(&c);
    prepare(0, 0);
    CHECK(scarce_curve_cards(&c, &rows, &o, NULL, &err) == SCARCE_EINVAL && c.n == 0);
}

static const test_case tests[] = {{"replicates", test_replicates},
                                  {"as_metrics", test_as_metrics},
                                  {"wrong", test_wrong},
                                  {"cards", test_cards}};
TEST_MAIN(tests)
