/* SPDX-License-Identifier: Apache-2.0 */
/* Charts whose places are names: lying bars and dots with whiskers, upright columns. */
#include <math.h>

#include "report/draw.h"
#include "report/html.h"

enum { ROW_HEIGHT = 32, BAR_HEIGHT = 9, BAR_GAP = 3, LABEL_HEIGHT = 17, LINE_MAX = 43, LABEL_MIN = 12 };

/* ---- bars and dots */

static double row_height(const scarce_chart *c)
{
    return ROW_HEIGHT + (double)(c->n_series - 1) * (BAR_HEIGHT + BAR_GAP);
}

/* "0.31 (0.28 to 0.35)" where there are whiskers. */
static void add_value(scarce__text *out, const scarce__series *s, size_t i, int digits)
{
    scarce__html_number(out, s->y[i], digits);
    if (!s->z || !scarce__draw_number(s->x[i]) || !scarce__draw_number(s->z[i])) return;
    scarce__text_add(out, " (");
    scarce__html_number(out, s->x[i], digits);
    scarce__text_add(out, " to ");
    scarce__html_number(out, s->z[i], digits);
    scarce__text_add_char(out, ')');
}

/* Name to the left, values to the right; the name gets the room that the values leave on a phone. */
static void draw_row_texts(scarce__text *out, const scarce_chart *c, size_t i)
{
    const double y = row_height(c) * (double)i + 12;
    scarce__text value = SCARCE__TEXT_INIT;
    size_t used;

    for (size_t k = 0; k < c->n_series; ++k) {
        if (k) scarce__text_add(&value, " \xc2\xb7 ");
        if (i >= c->series[k].n) continue;
        if (c->n_series == 1) add_value(&value, &c->series[k], i, c->options.digits);
        else scarce__html_number(&value, c->series[k].y[i], c->options.digits);
    }
    used = scarce__html_length(value.bytes);
    scarce__text_addf(out, "<text y=\"%.0f\"><title>", y);
    scarce__html_escape(out, c->row.items[i]);
    scarce__text_add(out, "</title>");
    scarce__html_escape_short(out, c->row.items[i],
                              used + LABEL_MIN < LINE_MAX ? LINE_MAX - used : LABEL_MIN);
    scarce__text_addf(out, "</text><text class=\"v\" x=\"100%%\" y=\"%.0f\">", y);
    if (value.failed) out->failed = 1;
    else if (value.n) scarce__text_add_bytes(out, value.bytes, value.n);
    scarce__text_add(out, "</text>\n");
    scarce__text_deinit(&value);
}

static void draw_row_mark(scarce__text *out, const scarce__series *s, const scarce__axis *axis, size_t i,
                          double top)
{
    const double zero = scarce__axis_place(axis, 0) < 0   ? 0
                        : scarce__axis_place(axis, 0) > 1 ? 1
                                                          : scarce__axis_place(axis, 0);
    const long base = scarce__draw_units(zero), middle = (long)top + BAR_HEIGHT / 2 + 1;
    const long at =
        scarce__draw_number(s->y[i]) ? scarce__draw_units(scarce__axis_place(axis, s->y[i])) : base;

    scarce__text_addf(out, "<path class=\"track\" d=\"M0 %ldh10000\"/>", middle);
    if (!scarce__draw_number(s->y[i])) return;
    if (s->kind == SCARCE__BARS) {
        scarce__text_add(out, "<path class=\"h ");
        scarce__draw_colour(out, s->colour);
        scarce__text_addf(out, "\" d=\"M%ld %.0fh%ldv%dh%ldz\"/>", base, top, at - base, BAR_HEIGHT,
                          base - at);
    }
    if (s->z && scarce__draw_number(s->x[i]) && scarce__draw_number(s->z[i])) {
        scarce__text_addf(out, "<path class=\"%s ", s->kind == SCARCE__BARS ? "e" : "w");
        scarce__draw_colour(out, s->colour);
        scarce__text_addf(out, "\" d=\"M%ld %ldH%ld\"/>",
                          scarce__draw_units(scarce__axis_place(axis, s->x[i])), middle,
                          scarce__draw_units(scarce__axis_place(axis, s->z[i])));
    }
    if (s->kind == SCARCE__DOTS) {
        scarce__text_add(out, "<path class=\"p ");
        scarce__draw_colour(out, s->colour);
        scarce__text_addf(out, "\" d=\"M%ld %ldh0\"/>", at, middle);
    }
}

void scarce__draw_rows(scarce__text *out, const scarce_chart *c)
{
    const int bars = c->series[0].kind == SCARCE__BARS;
    const double height = row_height(c) * (double)c->row.n;
    scarce__axis axis;
    scarce__axis_plan plan = {
        .kind = SCARCE_AXIS_LINEAR, .fixed_lo = c->options.x_lo, .fixed_hi = c->options.x_hi, .intervals = 5};
    double lo, hi;

    if (!scarce__draw_measure(c, &lo, &hi)) {
        scarce__draw_nothing(out);
        return;
    }
    plan.lo = bars && lo > 0 ? 0 : lo;
    plan.hi = bars && hi < 0 ? 0 : hi;
    if (!bars) plan.lo -= (hi - lo) * 0.04, plan.hi += (hi - lo) * 0.04;
    scarce__axis_make(&axis, &plan);
    if (c->n_series > 1) scarce__draw_legend(out, c);
    scarce__draw_box(out, "rows", height, 10, 0, bars ? 2 : c->options.x_label ? 44 : 26, 0);
    scarce__draw_begin(out, c);
    for (size_t i = 0; i < c->row.n; ++i) draw_row_texts(out, c, i);
    if (!bars) scarce__draw_x_axis(out, &axis, c->options.x_label);
    scarce__text_addf(out, "<svg class=\"data\" viewBox=\"0 0 10000 %.0f\" preserveAspectRatio=\"none\">\n",
                      height);
    for (size_t i = 0; i < c->row.n; ++i)
        for (size_t k = 0; k < c->n_series; ++k)
            if (i < c->series[k].n)
                draw_row_mark(out, &c->series[k], &axis, i,
                              row_height(c) * (double)i + LABEL_HEIGHT + (double)k * (BAR_HEIGHT + BAR_GAP));
    scarce__text_add(out, "\n</svg></svg></div>\n");
}

/* ---- columns */

static void draw_column_series(scarce__text *out, const scarce_chart *c, size_t k, const scarce__axis *y)
{
    const scarce__series *s = &c->series[k];
    const double slot = 1 / (double)c->row.n, wide = slot * 0.8 / (double)c->n_series;
    const double zero = y->kind == SCARCE_AXIS_LOG ? 0 : scarce__axis_place(y, 0);
    const long base = scarce__draw_units(1 - (zero < 0 ? 0 : zero > 1 ? 1 : zero));

    scarce__text_add(out, "<path class=\"h ");
    scarce__draw_colour(out, s->colour);
    scarce__text_add(out, "\" data-n=\"");
    scarce__html_escape_short(out, s->name, 60);
    scarce__text_add(out, "\" d=\"");
    for (size_t i = 0; i < s->n && i < c->row.n; ++i) {
        const double top = scarce__axis_place(y, s->y[i]);
        const long x = scarce__draw_units(((double)i + 0.1) * slot + (double)k * wide);
        const long width = scarce__draw_units(wide), height = scarce__draw_units(1 - top) - base;
        if (!isnan(top)) scarce__text_addf(out, "M%ld %ldv%ldh%ldv%ldz", x, base, height, width, -height);
    }
    scarce__text_add(out, "\"/>\n");
}

void scarce__draw_columns(scarce__text *out, const scarce_chart *c)
{
    scarce__axis_plan plan = {.kind = c->options.y_axis,
                              .fixed_lo = c->options.y_lo,
                              .fixed_hi = c->options.y_hi,
                              .outward = 1,
                              .intervals = 5};
    scarce__axis y;
    double lo, hi, left;

    if (!scarce__draw_measure(c, &lo, &hi)) {
        scarce__draw_nothing(out);
        return;
    }
    plan.lo = lo > 0 ? 0 : lo;
    plan.hi = hi < 0 ? 0 : hi;
    if (plan.kind == SCARCE_AXIS_LOG) plan.lo = lo > 0 ? lo : (double)NAN, plan.hi = hi;
    scarce__axis_make(&y, &plan);
    left = scarce__draw_left(&y);
    scarce__draw_legend(out, c);
    scarce__draw_box(out, "cols", c->options.height > 0 ? c->options.height : 230,
                     c->options.y_label ? 30 : 12, 6, c->options.x_label ? 44 : 26, left);
    scarce__draw_axis_data(out, "y", &y);
    scarce__draw_labels_data(out, "t", &c->row);
    scarce__draw_begin(out, c);
    scarce__draw_y_axis(out, &y, c->options.y_label, left);
    scarce__text_add(out, "<line class=\"base\" x2=\"100%\" y1=\"100%\" y2=\"100%\"/>\n");
    scarce__draw_column_names(out, c, &c->row, c->options.wide ? 14 : 7);
    scarce__text_add(out, "<svg class=\"data\" viewBox=\"0 0 10000 10000\" preserveAspectRatio=\"none\">\n");
    for (size_t k = 0; k < c->n_series; ++k) draw_column_series(out, c, k, &y);
    scarce__text_add(out, "</svg></svg></div>\n");
}
