/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a page, of bands and of days fails once: ENOMEM, nothing leaked, no half page. */
#include <stdlib.h>

#include <scarce/method.h>
#include <scarce/metrics.h>
#include <scarce/model.h>
#include <scarce/pages.h>

#include "oom/walk.h"

#ifdef SCARCE_FAULTS

enum { N = 3000, FEW = 12 };

static double x[N], y[N], z[N];
static uint8_t label[N];
static int32_t group[N];
static const char *const names[FEW] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

static void prepare(void)
{
    for (size_t i = 0; i < N; ++i) {
        x[i] = (double)i;
        y[i] = sin((double)i);
        z[i] = y[i] + 1;
        label[i] = i % 9 == 0;
        group[i] = (int32_t)(i % 31);
    }
}

static void add_charts(scarce_report *r)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_chart *c;
    o.title = o.note = o.x_label = o.y_label = "text";
    c = scarce_report_chart(r, &o);
    scarce_chart_band(c, "a", x, y, z, N);
    scarce_chart_line(c, "a", x, y, N);
    scarce_chart_step(c, "b", x, y, N);
    scarce_chart_points(c, "c", x, y, N);
    scarce_chart_histogram(c, "d", x, z, 20);
    scarce_chart_level(c, "e", 1);
    scarce_chart_mark(c, "f", 1);
    c = scarce_report_chart(r, &o);
    scarce_chart_columns(c, "a", names, y, FEW);
    c = scarce_report_chart(r, &o);
    scarce_chart_bars(c, "a", names, y, y, z, FEW);
    c = scarce_report_chart(r, &o);
    scarce_chart_dots(c, "a", names, y, y, z, FEW);
    c = scarce_report_chart(r, &o);
    scarce_chart_heat(c, names, FEW, names, FEW, y, (double)NAN, (double)NAN);
}

static scarce_status page(scarce_error *err)
{
    scarce_report *r = NULL;
    void *bytes = NULL;
    size_t n = 0;
    scarce_status st = scarce_report_new(&r, "title", "subtitle", err);

    CHECK((st == SCARCE_OK) == (r != NULL));
    if (st != SCARCE_OK) return st;
    scarce_report_section(r, "section");
    scarce_report_tile_number(r, "tile", 0.25, 4, "detail");
    scarce_report_fact(r, "key", "value");
    scarce_report_finding(r, SCARCE_SEVERITY_BAD, "sentence", "advice");
    scarce_report_table(r, "caption", names, "lr", FEW);
    for (size_t i = 0; i < 2 * FEW; ++i) scarce_report_cell_number(r, y[i], 4);
    add_charts(r);
    st = scarce_report_bytes(&bytes, &n, r, err);
    CHECK((st == SCARCE_OK) == (bytes != NULL) && (st == SCARCE_OK) == (n > 0));
    scarce_bytes_free(bytes);
    scarce_report_free(r);
    return st;
}

static scarce_status written(scarce_error *err)
{
    scarce_report *r = NULL;
    scarce_status st = scarce_report_new(&r, "title", NULL, err);
    if (st == SCARCE_OK) st = scarce_report_write(r, "/dev/null", err);
    scarce_report_free(r);
    return st;
}

static scarce_status bands(scarce_error *err)
{
    static const double share[] = {0.1, 0.5, 1}, k[] = {1, 10, 100};
    double lo[3], hi[3], lo_k[3], hi_k[3];
    const scarce_curve_band band[] = {{SCARCE_BAND_PR, 3, share, lo, hi},
                                      {SCARCE_BAND_RECALL_AT_K, 3, k, lo_k, hi_k}};
    const scarce_scored rows = {300, y, label, z, NULL, x, NULL, group};
    scarce_bootstrap_options b = SCARCE_BOOTSTRAP_OPTIONS_INIT;
    scarce_status st;

    for (size_t i = 0; i < N; ++i) z[i] = y[i] + 1;
    b.replicates = 5;
    st = scarce_curve_bands(band, 2, &rows, &b, NULL, err);
    CHECK(st ? isnan(lo[0]) : lo[0] <= hi[0]);
    return st;
}

static scarce_status days(scarce_error *err)
{
    const scarce_scored rows = {300, y, label, NULL, NULL, x, NULL, group};
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    scarce_curve c;
    scarce_status st;

    o.day_length = 50;
    st = scarce_curve_cards(&c, &rows, &o, NULL, err);
    CHECK(st ? c.n == 0 && !c.x : c.n == 6);
    scarce_curve_deinit(&c);
    return st;
}

/* The library's own pages, of a model that is there already. */
static scarce_table *rows_;
static scarce_model *model_;

static void prepare_model(void)
{
    static float value[600 * 2];
    static uint8_t truth[600];
    scarce_params *p = NULL;

    for (size_t i = 0; i < 600; ++i) {
        value[2 * i] = (float)y[i];
        value[2 * i + 1] = (float)(i % 7);
        truth[i] = y[i] > 0.8;
    }
    CHECK(scarce_table_from_floats(&rows_, value, 600, 2, NULL, truth, NULL) == SCARCE_OK);
    CHECK(scarce_params_of_spec(&p, "gb:n_trees=3", NULL) == SCARCE_OK);
    CHECK(scarce_train(&model_, rows_, p, NULL, NULL, NULL, NULL) == SCARCE_OK);
    scarce_params_free(p);
}

static scarce_status done(scarce_report *r, scarce_status st, scarce_error *err)
{
    void *bytes = NULL;
    size_t n;
    if (st == SCARCE_OK) st = scarce_report_bytes(&bytes, &n, r, err);
    scarce_bytes_free(bytes);
    scarce_report_free(r);
    return st;
}

static scarce_status training_page(scarce_error *err)
{
    scarce_training_view v = SCARCE_TRAINING_VIEW_INIT;
    scarce_report *r = NULL;
    scarce_status st = scarce_report_new(&r, "title", NULL, err);

    v.model = model_, v.table = rows_;
    if (st == SCARCE_OK) st = scarce_page_training(r, &v, NULL, err);
    return done(r, st, err);
}

static scarce_status evaluation_page(scarce_error *err)
{
    const scarce_scored scored = scarce_scored_of_table(rows_, y, NULL);
    scarce_evaluation_view v = SCARCE_EVALUATION_VIEW_INIT;
    scarce_metrics m = SCARCE_METRICS_INIT;
    scarce_report *r = NULL;
    scarce_status st = scarce_report_new(&r, "title", NULL, err);

    if (st == SCARCE_OK) st = scarce_metrics_compute(&m, &scored, NULL, NULL, err);
    v.rows = &scored, v.metrics = &m, v.model = model_, v.table = rows_, v.replicates = 5;
    if (st == SCARCE_OK) st = scarce_page_evaluation(r, &v, NULL, err);
    return done(r, st, err);
}

static void test_all(void)
{
    prepare();
    prepare_model();
    oom_walk("training", training_page);
    oom_walk("evaluation", evaluation_page);
    scarce_model_free(model_);
    scarce_table_free(rows_);
    oom_walk("page", page);
    oom_walk("written", written);
    oom_walk("bands", bands);
    oom_walk("days", days);
}

#else
static void test_all(void)
{
}
#endif

static const test_case tests[] = {{"all", test_all}};
TEST_MAIN(tests)
