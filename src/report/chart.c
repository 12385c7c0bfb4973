/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting the series of a chart. */
#include "report/chart.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/options.h"

enum { MAX_COLUMNS = 1000, MAX_ROWS = 200, MAX_CELLS = 10000 };

static const char *copied(const char *text, int *failed)
{
    char *copy = text ? scarce__strdup(text) : NULL;
    if (text && !copy) *failed = 1;
    return copy;
}

scarce_status scarce__chart_new(scarce_chart **out, const scarce_chart_options *options, scarce_error *err)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    scarce_chart *c;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_CHART_OPTIONS_INIT, err));
    c = scarce__calloc(1, sizeof *c);
    if (!c) return scarce__fail_memory(err, "a chart", sizeof *c);
    c->options = o;
    c->options.title = copied(c->options.title, &c->failed);
    c->options.note = copied(c->options.note, &c->failed);
    c->options.x_label = copied(c->options.x_label, &c->failed);
    c->options.y_label = copied(c->options.y_label, &c->failed);
    if (c->options.digits < 1) c->options.digits = 4;
    *out = c;
    return SCARCE_OK;
}

static void free_labels(scarce__names *labels)
{
    for (size_t i = 0; i < labels->n; ++i) scarce__free(labels->items[i]);
    scarce__free(labels->items);
}

void scarce__chart_free(scarce_chart *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->n_series; ++i) {
        scarce__free(c->series[i].name);
        scarce__free(c->series[i].x);
    }
    scarce__free(c->series);
    free_labels(&c->row);
    free_labels(&c->column);
    scarce__free((char *)(uintptr_t)c->options.title);
    scarce__free((char *)(uintptr_t)c->options.note);
    scarce__free((char *)(uintptr_t)c->options.x_label);
    scarce__free((char *)(uintptr_t)c->options.y_label);
    scarce__free(c);
}

static int room_for_series(scarce_chart *c)
{
    if (c->n_series == c->capacity) {
        const size_t capacity = c->capacity ? 2 * c->capacity : 4;
        scarce__series *more = scarce__realloc_array(c->series, capacity, sizeof *more);
        if (!more) return 0;
        c->series = more;
        c->capacity = capacity;
    }
    return 1;
}

/* The first level is grey: it is there to compare with. */
static int colour_of(scarce_chart *c, scarce__series_kind kind, const char *name)
{
    int levels = 0;
    for (size_t i = 0; i < c->n_series; ++i) levels += c->series[i].kind == SCARCE__LEVEL;
    if (!name || (kind == SCARCE__LEVEL && levels == 0)) return SCARCE__GREY;
    for (size_t i = 0; i < c->n_series; ++i)
        if (c->series[i].name && strcmp(c->series[i].name, name) == 0) return c->series[i].colour;
    return c->colours++;
}

/* A new series with its numbers copied; an array that is NULL is left uncopied (0 long). NULL when the chart
 * can't take it. */
static scarce__series *add(scarce_chart *c, scarce__chart_family family, scarce__series_kind kind,
                           const char *name, const double *const *array, const size_t *length)
{
    scarce__series *s;
    size_t total = 0;
    double *at;

    if (!c || c->failed || (c->family != SCARCE__CHART_EMPTY && c->family != family)) return NULL;
    for (size_t i = 0; i < 3; ++i) total += array[i] ? length[i] : 0;
    if (!room_for_series(c)) {
        c->failed = 1;
        return NULL;
    }
    s = &c->series[c->n_series];
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->x = at = scarce__malloc_array(total + 1, sizeof *at);
    s->name = name ? scarce__strdup(name) : NULL;
    if (!s->x || (name && !s->name)) {
        scarce__free(s->x);
        scarce__free(s->name);
        c->failed = 1;
        return NULL;
    }
    s->colour = colour_of(c, kind, name);
    for (size_t i = 0; i < 3; ++i) {
        if (array[i] && length[i]) memcpy(at, array[i], length[i] * sizeof *at);
        if (i == 1) s->y = at;
        if (i == 2 && array[i]) s->z = at;
        at += array[i] ? length[i] : 0;
    }
    c->family = family;
    ++c->n_series;
    return s;
}

static void add_xy(scarce_chart *c, scarce__series_kind kind, const char *name, const double *x,
                   const double *y, const double *z, size_t n)
{
    const double *const array[3] = {x, y, z};
    const size_t length[3] = {kind == SCARCE__HISTOGRAM ? n + 1 : n, n, n};
    scarce__series *s;
    if (n == 0 || !x || !y || (kind == SCARCE__BAND && !z)) return;
    s = add(c, SCARCE__CHART_XY, kind, name, array, length);
    if (s) s->n = n;
}

void scarce_chart_line(scarce_chart *chart, const char *name, const double *x, const double *y, size_t n)
{
    add_xy(chart, SCARCE__LINE, name, x, y, NULL, n);
}

void scarce_chart_step(scarce_chart *chart, const char *name, const double *x, const double *y, size_t n)
{
    add_xy(chart, SCARCE__STEP, name, x, y, NULL, n);
}

void scarce_chart_band(scarce_chart *chart, const char *name, const double *x, const double *lo,
                       const double *hi, size_t n)
{
    add_xy(chart, SCARCE__BAND, name, x, lo, hi, n);
}

void scarce_chart_points(scarce_chart *chart, const char *name, const double *x, const double *y, size_t n)
{
    add_xy(chart, SCARCE__POINTS, name, x, y, NULL, n);
}

void scarce_chart_histogram(scarce_chart *chart, const char *name, const double *edge, const double *height,
                            size_t n)
{
    add_xy(chart, SCARCE__HISTOGRAM, name, edge, height, NULL, n);
}

void scarce_chart_level(scarce_chart *chart, const char *name, double y)
{
    add_xy(chart, SCARCE__LEVEL, name, &y, &y, NULL, 1);
}

void scarce_chart_mark(scarce_chart *chart, const char *name, double x)
{
    add_xy(chart, SCARCE__MARK, name, &x, &x, NULL, 1);
}

static void copy_labels(scarce_chart *c, scarce__names *to, const char *const *label, size_t n)
{
    if (to->items || n == 0) return;
    to->items = scarce__calloc(n, sizeof *to->items);
    if (!to->items) {
        c->failed = 1;
        return;
    }
    to->n = n;
    for (size_t i = 0; i < n; ++i) {
        to->items[i] = scarce__strdup(label && label[i] ? label[i] : "");
        if (!to->items[i]) c->failed = 1;
    }
}

static void add_named(scarce_chart *c, scarce__chart_family family, scarce__series_kind kind,
                      const char *name, const char *const *label, const double *value, const double *lo,
                      const double *hi, size_t n)
{
    const double *const array[3] = {lo && hi ? lo : NULL, value, lo && hi ? hi : NULL};
    size_t length[3];
    scarce__series *s;

    if (n == 0 || !value || !label) return;
    if (n > (kind == SCARCE__COLUMNS ? MAX_COLUMNS : MAX_ROWS))
        n = kind == SCARCE__COLUMNS ? MAX_COLUMNS : MAX_ROWS;
    length[0] = length[1] = length[2] = n;
    s = add(c, family, kind, name, array, length);
    if (!s) return;
    s->n = n;
    copy_labels(c, &c->row, label, n);
}

void scarce_chart_columns(scarce_chart *chart, const char *name, const char *const *label,
                          const double *value, size_t n)
{
    add_named(chart, SCARCE__CHART_COLUMNS, SCARCE__COLUMNS, name, label, value, NULL, NULL, n);
}

void scarce_chart_bars(scarce_chart *chart, const char *name, const char *const *label, const double *value,
                       const double *lo, const double *hi, size_t n)
{
    add_named(chart, SCARCE__CHART_ROWS, SCARCE__BARS, name, label, value, lo, hi, n);
}

void scarce_chart_dots(scarce_chart *chart, const char *name, const char *const *label, const double *value,
                       const double *lo, const double *hi, size_t n)
{
    add_named(chart, SCARCE__CHART_ROWS, SCARCE__DOTS, name, label, value, lo, hi, n);
}

void scarce_chart_heat(scarce_chart *chart, const char *const *row, size_t n_rows, const char *const *column,
                       size_t n_columns, const double *value, double lo, double hi)
{
    const double *const array[3] = {NULL, value, NULL};
    size_t length[3] = {0, 0, 0};
    scarce__series *s;

    if (!chart || !value || n_rows == 0 || n_columns == 0 || n_columns > MAX_CELLS || chart->n_series) return;
    if (n_rows > MAX_CELLS / n_columns) n_rows = MAX_CELLS / n_columns;
    length[1] = n_rows * n_columns;
    s = add(chart, SCARCE__CHART_HEAT, SCARCE__HEAT, NULL, array, length);
    if (!s) return;
    s->n = length[1];
    chart->heat_lo = lo;
    chart->heat_hi = hi;
    copy_labels(chart, &chart->row, row, n_rows);
    copy_labels(chart, &chart->column, column, n_columns);
}
