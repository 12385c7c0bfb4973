/* SPDX-License-Identifier: Apache-2.0 */
/* Whole pages: well formed whatever goes in, the same bytes each time, small however many points, and
 * curves that can be read back from their paths. */
#include <stdlib.h>

#include <scarce/model.h>
#include <scarce/report.h>

#include "core/random.h"
#include "html_check.h"
#include "test.h"

static const char *const hostile[] = {
    "</svg><script>alert(1)</script>",
    "\" onload=\"alert(1)",
    "' onclick='x",
    "<!--",
    "]]>",
    "&amp;&#0;",
    "a\x01\xff\xe2\x80\xae",
    "",
    "a very long name of a column that somebody made up, and that goes on and on"};
enum { HOSTILE = sizeof hostile / sizeof hostile[0] };

static char *page_of(scarce_report *r, size_t *n)
{
    scarce_error err = SCARCE_ERROR_INIT;
    void *bytes = NULL;
    html_state s;

    CHECK(scarce_report_bytes(&bytes, n, r, &err) == SCARCE_OK);
    if (!bytes) abort();
    CHECK(strlen(bytes) == *n);
    CHECK(html_problem(&s, bytes) == NULL);
    if (s.problem[0]) fprintf(stderr, "%s\n", s.problem);
    scarce_report_free(r);
    return bytes;
}

static scarce_report *new_report(const char *title)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_report *r = NULL;
    CHECK(scarce_report_new(&r, title, title, &err) == SCARCE_OK);
    return r;
}

static void add_charts(scarce_report *r, const char *text, const double *x, const double *y, size_t n)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    o.title = o.note = o.x_label = o.y_label = text;
    for (int axis = 0; axis < 3; ++axis) {
        scarce_chart *c;
        o.x_axis = (scarce_axis)axis;
        o.y_axis = axis == 1 ? SCARCE_AXIS_LOG : SCARCE_AXIS_LINEAR;
        o.wide = axis == 1;
        c = scarce_report_chart(r, &o);
        scarce_chart_band(c, text, x, y, x, n);
        scarce_chart_line(c, text, x, y, n);
        scarce_chart_step(c, "step", x, y, n);
        scarce_chart_points(c, NULL, y, x, n);
        if (n) scarce_chart_histogram(c, text, x, y, n - 1);
        scarce_chart_level(c, text, n ? x[0] : (double)NAN);
        scarce_chart_mark(c, text, n ? y[0] : (double)INFINITY);
        scarce_chart_heat(c, hostile, 1, hostile, 1, x, 0, 1); /* of another kind: left out */
        c = scarce_report_chart(r, &o);
        scarce_chart_columns(c, text, hostile, y, n < HOSTILE ? n : HOSTILE);
        scarce_chart_columns(c, "two", hostile, x, n < 3 ? n : 3);
    }
    scarce_chart *c = scarce_report_chart(r, &o);
    scarce_chart_bars(c, text, hostile, x, NULL, NULL, n < HOSTILE ? n : HOSTILE);
    scarce_chart_bars(c, "two", hostile, y, x, y, n < 4 ? n : 4);
    c = scarce_report_chart(r, &o);
    scarce_chart_dots(c, text, hostile, y, x, y, n < HOSTILE ? n : HOSTILE);
    c = scarce_report_chart(r, &o);
    scarce_chart_heat(c, hostile, n < 3 ? n : 3, hostile, 3, n < 9 ? NULL : x, (double)NAN, (double)NAN);
    (void)scarce_report_chart(r, &o);
}

static scarce_report *full_report(const char *text, const double *x, const double *y, size_t n)
{
    scarce_report *r = new_report(text);
    scarce_report_cell(r, "no table is open");
    scarce_report_section(r, text);
    scarce_report_paragraph(r, text);
    scarce_report_tile(r, text, text, text);
    scarce_report_tile_number(r, text, n ? x[0] : 0, 4, NULL);
    scarce_report_fact(r, text, text);
    scarce_report_fact_number(r, text, n ? y[0] : 0, 99);
    scarce_report_finding(r, SCARCE_SEVERITY_GOOD, text, text);
    scarce_report_finding(r, (scarce_severity)77, text, NULL);
    scarce_report_table(r, text, hostile, "lrx", HOSTILE);
    for (size_t i = 0; i < 2 * HOSTILE + 1; ++i) scarce_report_cell(r, i % 3 ? text : NULL);
    scarce_report_table(r, NULL, hostile, NULL, 1);
    scarce_report_cell_number(r, 1e-300, 0);
    scarce_report_note(r, text);
    add_charts(r, text, x, y, n);
    scarce_report_section(r, NULL);
    return r;
}

static void test_hostile(void)
{
    static double odd[] = {1, NAN, INFINITY, -INFINITY, 0, -1, 1e308, -1e308, 5e-324, 3, 3, 3};
    static double rising[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    for (size_t i = 0; i < HOSTILE; ++i)
        for (size_t n = 0; n <= 12; n += n < 2 ? 1 : 5) {
            size_t size;
            char *page =
                page_of(full_report(hostile[i], i % 2 ? odd : rising, i % 3 ? odd : rising, n), &size);
            CHECK(!strstr(page, "<script>alert") && !strstr(page, "onload=\"") && !strstr(page, "onclick='"));
            CHECK(!strstr(page, "nan") && !strstr(page, "\"inf"));
            scarce_bytes_free(page);
        }
}

static void test_same_bytes(void)
{
    static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    size_t n, m;
    char *a = page_of(full_report("text", x, x, 10), &n), *b = page_of(full_report("text", x, x, 10), &m);
    CHECK(n == m && memcmp(a, b, n) == 0);
    CHECK(strstr(a, "<title>text</title>") && strstr(a, "prefers-color-scheme:dark") && strstr(a, "<nav>"));
    scarce_bytes_free(a);
    scarce_bytes_free(b);
}

static void test_empty(void)
{
    size_t n;
    char *page = page_of(new_report(NULL), &n);
    CHECK(!strstr(page, "<nav>"));
    scarce_bytes_free(page);
    scarce_report_section(NULL, "x"); /* all calls take NULL */
    scarce_report_cell_number(NULL, 1, 1);
    scarce_report_tile(NULL, "", "", "");
    scarce_chart_line(NULL, "", NULL, NULL, 3);
    CHECK(scarce_report_chart(NULL, NULL) == NULL);
    scarce_report_free(NULL);
    scarce_report *r = new_report("x");
    scarce_chart_line(scarce_report_chart(r, NULL), "no numbers", NULL, NULL, 3);
    page = page_of(r, &n);
    CHECK(strstr(page, "no data") != NULL);
    scarce_bytes_free(page);
}

/* A million points of noise, as every kind of series that has many. */
static void test_small(void)
{
    enum { N = 1000000 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), *z = malloc(N * sizeof *z);
    scarce__random random = scarce__random_start(1, SCARCE__FOR_TEST, 0);
    scarce_report *r = new_report("many");
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_chart *c;
    size_t n;
    char *page;

    if (!x || !y || !z) abort();
    for (size_t i = 0; i < N; ++i) {
        x[i] = (double)i;
        y[i] = scarce__random_normal(&random);
        z[i] = y[i] + 1;
    }
    c = scarce_report_chart(r, &o);
    scarce_chart_line(c, "line", x, y, N);
    scarce_chart_step(c, "step", x, z, N);
    scarce_chart_band(c, "band", x, y, z, N);
    c = scarce_report_chart(r, &o);
    scarce_chart_points(c, "cloud", y, x, N);
    c = scarce_report_chart(r, &o);
    scarce_chart_line(c, "wild", y, x, N); /* x runs to and fro */
    page = page_of(r, &n);
    CHECK(n < 250000);
    scarce_bytes_free(page);
    free(x);
    free(y);
    free(z);
}

/* What the script reads from a path is what was drawn, to a ten-thousandth of the axis. */
static void test_read_back(void)
{
    enum { N = 50 };
    double x[N], y[N], px = 0, py = 0;
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_report *r = new_report("x");
    char *page, *p;
    size_t n, i = 0;

    for (size_t k = 0; k < N; ++k) {
        x[k] = (double)k / (N - 1);
        y[k] = 0.5 + 0.49 * sin((double)k);
    }
    o.x_lo = o.y_lo = 0;
    o.x_hi = o.y_hi = 1;
    scarce_chart_line(scarce_report_chart(r, &o), "x", x, y, N);
    page = page_of(r, &n);
    p = strstr(page, "<path class=\"l c0\"");
    p = p ? strstr(p, " d=\"M") : NULL;
    CHECK(p != NULL);
    for (p = p ? p + 5 : p; p && *p != '"'; ++i) {
        const double dx = strtod(p, &p), dy = strtod(p, &p);
        px = i ? px + dx : dx;
        py = i ? py + dy : dy;
        if (i < N) {
            CHECK_NEAR(px / 1e4, x[i], 0.51e-4);
            CHECK_NEAR(1 - py / 1e4, y[i], 0.51e-4);
        }
        if (*p == 'l') ++p;
    }
    CHECK(i == N);
    scarce_bytes_free(page);
}

static void test_write(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_report *r = new_report("x");
    CHECK(scarce_report_write(r, "/nowhere/at/all.html", &err) == SCARCE_EIO && strstr(err.text, "/nowhere"));
    CHECK(scarce_report_write(r, "/dev/null", &err) == SCARCE_OK);
    scarce_report_free(r);
}

static const test_case tests[] = {{"hostile", test_hostile},     {"same_bytes", test_same_bytes},
                                  {"empty", test_empty},         {"small", test_small},
                                  {"read_back", test_read_back}, {"write", test_write}};
TEST_MAIN(tests)
