/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, steps, bands, points, histograms and reference lines over two axes. */
#include <math.h>
#include <stdint.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "report/draw.h"
#include "report/html.h"
#include "report/thin.h"

enum { LINE_COLUMNS = 400, CLOUD_COLUMNS = 120, CLOUD_ROWS = 80, FEW_POINTS = 2000 };

typedef struct xy {
    const scarce_chart *chart;
    scarce__axis x, y;
} xy;

/* ---- the ends of the axes */

typedef struct extent {
    double lo, hi; /* NaN: nothing yet */
} extent;

static void take(extent *e, scarce_axis kind, double value)
{
    if (!scarce__axis_takes(kind, value)) return;
    if (!(e->lo <= value)) e->lo = value;
    if (!(e->hi >= value)) e->hi = value;
}

/* Reference lines count for the axis they cut, but make no chart alone. Returns whether there is any data. */
static int measure(const scarce_chart *c, extent *x, extent *y, int *padded)
{
    const scarce_chart_options *o = &c->options;
    int any = 0;

    x->lo = x->hi = y->lo = y->hi = (double)NAN;
    *padded = 0;
    for (size_t k = 0; k < c->n_series; ++k) {
        const scarce__series *s = &c->series[k];
        if (s->kind == SCARCE__LEVEL) take(y, o->y_axis, s->y[0]);
        if (s->kind == SCARCE__MARK) take(x, o->x_axis, s->x[0]);
        if (s->kind == SCARCE__LEVEL || s->kind == SCARCE__MARK) continue;
        if (s->kind == SCARCE__POINTS) *padded = 1;
        for (size_t i = 0; i < s->n; ++i) {
            if (!scarce__axis_takes(o->x_axis, s->x[i]) || !scarce__axis_takes(o->y_axis, s->y[i])) continue;
            if (s->z && !scarce__axis_takes(o->y_axis, s->z[i])) continue;
            if (s->kind == SCARCE__HISTOGRAM) take(x, o->x_axis, s->x[i + 1]), take(y, o->y_axis, 0);
            take(x, o->x_axis, s->x[i]);
            take(y, o->y_axis, s->y[i]);
            if (s->z) take(y, o->y_axis, s->z[i]);
            any = 1;
        }
    }
    return any;
}

static void pad(extent *e, scarce_axis kind)
{
    const double by = kind == SCARCE_AXIS_LOG ? scarce__pow(e->hi / e->lo, 0.03) : (e->hi - e->lo) * 0.03;
    if (kind == SCARCE_AXIS_LOG) e->lo /= by, e->hi *= by;
    else e->lo -= by, e->hi += by;
}

static void make_axes(xy *p, extent x, extent y, int padded)
{
    const scarce_chart_options *o = &p->chart->options;
    scarce__axis_plan plan = {
        .kind = o->x_axis, .fixed_lo = o->x_lo, .fixed_hi = o->x_hi, .intervals = o->wide ? 10 : 5};

    if (padded) pad(&x, o->x_axis);
    if (o->y_axis == SCARCE_AXIS_LINEAR && y.lo > 0 && y.lo < 0.4 * y.hi)
        y.lo = 0; /* zero is near: show it */
    plan.lo = x.lo;
    plan.hi = x.hi;
    scarce__axis_make(&p->x, &plan);
    plan = (scarce__axis_plan){o->y_axis, y.lo, y.hi, o->y_lo, o->y_hi, 1, 5};
    scarce__axis_make(&p->y, &plan);
}

/* ---- paths of whole numbers: relative, so that they are short */

typedef struct pencil {
    scarce__text *out;
    long x, y;
    int drawing; /* an l is open */
} pencil;

static void move_to(pencil *p, long x, long y)
{
    scarce__text_addf(p->out, "M%ld %ld", x, y);
    p->x = x;
    p->y = y;
    p->drawing = 0;
}

static void line_to(pencil *p, long x, long y)
{
    const long dx = x - p->x, dy = y - p->y;
    const char *lead = p->drawing ? dx < 0 ? "" : " " : "l";
    scarce__text_addf(p->out, dy < 0 ? "%s%ld%ld" : "%s%ld %ld", lead, dx, dy);
    p->x = x;
    p->y = y;
    p->drawing = 1;
}

static void across_and_up(pencil *p, long x, long y)
{
    if (x != p->x) scarce__text_addf(p->out, "h%ld", x - p->x);
    if (y != p->y) scarce__text_addf(p->out, "v%ld", y - p->y);
    p->x = x;
    p->y = y;
    p->drawing = 0;
}

/* ---- series */

/* Places of a series in the plot: x and lo <= hi from the left and from the bottom, 0..1. */
typedef struct places {
    double *x, *lo, *hi;
    size_t *keep;
    size_t n; /* kept */
} places;

static void forget_places(places *p)
{
    scarce__free(p->x);
    scarce__free(p->keep);
}

static int find_places(places *p, const xy *plot, const scarce__series *s)
{
    uint8_t *seen = NULL;

    p->x = scarce__malloc_array(s->n, 3 * sizeof *p->x);
    p->keep = scarce__malloc_array(s->n, sizeof *p->keep);
    if (!p->x || !p->keep) return 0;
    p->lo = p->x + s->n;
    p->hi = s->z ? p->lo + s->n : p->lo;
    for (size_t i = 0; i < s->n; ++i) {
        p->x[i] = scarce__axis_place(&plot->x, s->x[i]);
        p->lo[i] = scarce__axis_place(&plot->y, s->y[i]);
        if (s->z) {
            const double hi = scarce__axis_place(&plot->y, s->z[i]);
            p->hi[i] = hi < p->lo[i] ? p->lo[i] : hi;
        }
    }
    if (s->kind != SCARCE__POINTS || s->n <= FEW_POINTS) {
        p->n = scarce__thin_line(p->keep, p->x, p->lo, p->hi, s->n,
                                 s->kind == SCARCE__POINTS ? FEW_POINTS : LINE_COLUMNS);
        return 1;
    }
    seen = scarce__malloc_array(CLOUD_COLUMNS, CLOUD_ROWS);
    if (!seen) return 0;
    p->n = scarce__thin_points(p->keep, p->x, p->lo, s->n, CLOUD_COLUMNS, CLOUD_ROWS, seen);
    scarce__free(seen);
    return 1;
}

static int is_gap(const places *p, size_t i)
{
    return isnan(p->x[i]) || isnan(p->lo[i]) || isnan(p->hi[i]);
}

static void draw_line(pencil *pen, const places *p, scarce__series_kind kind)
{
    int open = 0, alone = 0; /* alone: a point without a line is a line of no length, a dot */

    for (size_t k = 0; k < p->n; ++k) {
        const size_t i = p->keep[k];
        const long x = scarce__draw_units(p->x[i]), y = scarce__draw_units(1 - p->lo[i]);
        if (is_gap(p, i)) {
            if (alone) scarce__text_add(pen->out, "h0");
            open = alone = 0;
        } else if (!open || kind == SCARCE__POINTS) {
            move_to(pen, x, y);
            if (kind == SCARCE__POINTS) scarce__text_add(pen->out, "h0");
            else open = alone = 1;
        } else if (x != pen->x || y != pen->y) {
            if (kind == SCARCE__STEP) across_and_up(pen, x, y);
            else line_to(pen, x, y);
            alone = 0;
        }
    }
    if (alone) scarce__text_add(pen->out, "h0");
}

/* Forth along the upper edge, back along the lower one, piece by piece between gaps. */
static void draw_band(pencil *pen, const places *p)
{
    for (size_t first = 0; first < p->n;) {
        size_t end = first;
        while (end < p->n && !is_gap(p, p->keep[end])) ++end;
        for (size_t k = first; k < end; ++k) {
            const size_t i = p->keep[k];
            const long x = scarce__draw_units(p->x[i]), y = scarce__draw_units(1 - p->hi[i]);
            if (k == first) move_to(pen, x, y);
            else line_to(pen, x, y);
        }
        for (size_t k = end; k-- > first;)
            line_to(pen, scarce__draw_units(p->x[p->keep[k]]), scarce__draw_units(1 - p->lo[p->keep[k]]));
        if (end > first) scarce__text_add_char(pen->out, 'z');
        first = end + 1;
    }
}

static void draw_histogram(pencil *pen, const xy *plot, const scarce__series *s)
{
    const double zero = plot->y.kind == SCARCE_AXIS_LOG ? 0 : scarce__axis_place(&plot->y, 0);
    const long base = scarce__draw_units(1 - zero);
    for (size_t i = 0; i < s->n; ++i) {
        const double left = scarce__axis_place(&plot->x, s->x[i]),
                     right = scarce__axis_place(&plot->x, s->x[i + 1]),
                     top = scarce__axis_place(&plot->y, s->y[i]);
        long x, width, height;
        if (isnan(left) || isnan(right) || isnan(top)) continue;
        x = scarce__draw_units(left);
        width = scarce__draw_units(right) - x;
        height = scarce__draw_units(1 - top) - base;
        scarce__text_addf(pen->out, "M%ld %ldv%ldh%ldv%ldz", x, base, height, width, -height);
    }
}

static void draw_series(scarce__text *out, const xy *plot, const scarce__series *s)
{
    static const char *const letter[] = {"l", "s", "b", "p", "h", "r", "r"};
    pencil pen = {out, 0, 0, 0};
    places p = {NULL, NULL, NULL, NULL, 0};

    scarce__text_addf(out, "<path class=\"%s ", letter[s->kind]);
    scarce__draw_colour(out, s->colour);
    if (s->name) {
        scarce__text_add(out, "\" data-n=\"");
        scarce__html_escape_short(out, s->name, 60);
    }
    scarce__text_add(out, "\" d=\"");
    if (s->kind == SCARCE__LEVEL || s->kind == SCARCE__MARK) {
        const double at = s->kind == SCARCE__LEVEL ? 1 - scarce__axis_place(&plot->y, s->y[0])
                                                   : scarce__axis_place(&plot->x, s->x[0]);
        if (!isnan(at))
            scarce__text_addf(out, s->kind == SCARCE__LEVEL ? "M0 %ldh10000" : "M%ld 0v10000",
                              scarce__draw_units(at));
    } else if (s->kind == SCARCE__HISTOGRAM) draw_histogram(&pen, plot, s);
    else if (!find_places(&p, plot, s)) out->failed = 1;
    else if (s->kind == SCARCE__BAND) draw_band(&pen, &p);
    else draw_line(&pen, &p, s->kind);
    forget_places(&p);
    scarce__text_add(out, "\"/>\n");
}

static int is_ground(const scarce__series *s)
{
    return s->kind == SCARCE__BAND || s->kind == SCARCE__HISTOGRAM;
}

void scarce__draw_xy(scarce__text *out, const scarce_chart *c)
{
    xy plot;
    extent x, y;
    int padded;
    double left;

    plot.chart = c;
    if (!measure(c, &x, &y, &padded)) {
        scarce__draw_nothing(out);
        return;
    }
    make_axes(&plot, x, y, padded);
    left = scarce__draw_left(&plot.y);
    scarce__draw_legend(out, c);
    scarce__draw_box(out, "xy",
                     c->options.height > 0 ? c->options.height
                     : c->options.wide     ? 280
                                           : 230,
                     c->options.y_label ? 30 : 12, 14, c->options.x_label ? 44 : 26, left);
    scarce__draw_axis_data(out, "x", &plot.x);
    scarce__draw_axis_data(out, "y", &plot.y);
    if (c->options.x_label) {
        scarce__text_add(out, " data-xn=\"");
        scarce__html_escape_short(out, c->options.x_label, 40);
        scarce__text_add_char(out, '"');
    }
    scarce__draw_begin(out, c);
    scarce__draw_y_axis(out, &plot.y, c->options.y_label, left);
    scarce__draw_x_axis(out, &plot.x, c->options.x_label);
    scarce__text_addf(
        out, "<svg class=\"data%s\" viewBox=\"0 0 10000 10000\" preserveAspectRatio=\"none\">\n",
        x.lo < plot.x.lo || x.hi > plot.x.hi || y.lo < plot.y.lo || y.hi > plot.y.hi ? " cut" : "");
    for (size_t i = 0; i < c->n_series; ++i)
        if (is_ground(&c->series[i])) draw_series(out, &plot, &c->series[i]);
    for (size_t i = 0; i < c->n_series; ++i)
        if (!is_ground(&c->series[i])) draw_series(out, &plot, &c->series[i]);
    scarce__text_add(out, "</svg></svg></div>\n");
}
