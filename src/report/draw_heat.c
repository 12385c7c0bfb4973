/* SPDX-License-Identifier: Apache-2.0 */
/* Heat maps: cells of one shade are one path. */
#include <math.h>

#include "report/draw.h"
#include "report/html.h"

enum { SHADES = 20 };

static int shade_of(double value, double lo, double hi)
{
    double f;
    if (!scarce__draw_number(value)) return -1;
    f = hi > lo ? (value - lo) / (hi - lo) : 0.5;
    return f <= 0 ? 0 : f >= 1 ? SHADES : (int)floor(f * SHADES + 0.5);
}

static void draw_cells(scarce__text *out, const scarce_chart *c, double lo, double hi)
{
    const size_t columns = c->column.n;
    const double *value = c->series[0].y;

    for (int shade = 0; shade <= SHADES; ++shade) {
        int any = 0;
        for (size_t i = 0; i < c->series[0].n; ++i) {
            if (shade_of(value[i], lo, hi) != shade) continue;
            if (!any) {
                scarce__text_add(out, "<path class=\"cell\" fill-opacity=\"");
                scarce__html_raw(out, (double)(5 + shade * 90 / SHADES) / 100);
                scarce__text_add(out, "\" d=\"");
            }
            scarce__text_addf(out, "M%zu %zuh1v1h-1z", i % columns, i / columns);
            any = 1;
        }
        if (any) scarce__text_add(out, "\"/>\n");
    }
}

static void draw_heat_texts(scarce__text *out, const scarce_chart *c, double left)
{
    const size_t rows = c->row.n;

    for (size_t i = 0; i < rows; ++i) {
        scarce__text_add(out, "<text class=\"ty\" x=\"-7\" dy=\".35em\" y=\"");
        scarce__draw_percent(out, ((double)i + 0.5) / (double)rows);
        scarce__text_add(out, "\"><title>");
        scarce__html_escape(out, c->row.items[i]);
        scarce__text_add(out, "</title>");
        scarce__html_escape_short(out, c->row.items[i], (size_t)((left - 8) / SCARCE__CHARACTER));
        scarce__text_add(out, "</text>\n");
    }
    scarce__draw_column_names(out, c, &c->column, c->options.wide ? 14 : 6);
}

/* Few enough cells carry their value; white where the ground is dark enough. */
static void draw_cell_values(scarce__text *out, const scarce_chart *c, double lo, double hi)
{
    const size_t columns = c->column.n, rows = c->row.n;
    if (columns > 6) return;
    for (size_t i = 0; i < c->series[0].n; ++i) {
        scarce__text_addf(out, "<text class=\"cv%s\" dy=\".35em\" x=\"",
                          shade_of(c->series[0].y[i], lo, hi) > SHADES / 2 ? " on" : "");
        scarce__draw_percent(out, ((double)(i % columns) + 0.5) / (double)columns);
        scarce__text_add(out, "\" y=\"");
        scarce__draw_percent(out, ((double)(i / columns) + 0.5) / (double)rows);
        scarce__text_add(out, "\">");
        scarce__html_number(out, c->series[0].y[i], c->options.digits < 3 ? c->options.digits : 3);
        scarce__text_add(out, "</text>\n");
    }
}

void scarce__draw_heat(scarce__text *out, const scarce_chart *c)
{
    double lo, hi, left, height;
    size_t longest = 4;

    if (!scarce__draw_measure(c, &lo, &hi)) {
        scarce__draw_nothing(out);
        return;
    }
    if (scarce__draw_number(c->heat_lo)) lo = c->heat_lo;
    if (scarce__draw_number(c->heat_hi)) hi = c->heat_hi;
    for (size_t i = 0; i < c->row.n; ++i) {
        const size_t length = scarce__html_length(c->row.items[i]);
        if (length > longest) longest = length;
    }
    left = (double)(longest > 18 ? 18 : longest) * SCARCE__CHARACTER + 10;
    height = c->options.height > 0 ? c->options.height : (double)c->row.n * (c->row.n > 40 ? 14 : 24);
    scarce__draw_legend(out, c);
    scarce__draw_box(out, "heat", height, 12, 6, c->options.x_label ? 44 : 26, floor(left));
    scarce__draw_labels_data(out, "t", &c->column);
    scarce__draw_labels_data(out, "r", &c->row);
    scarce__text_add(out, " data-v=\"");
    for (size_t i = 0; i < c->series[0].n; ++i) {
        if (i) scarce__text_add_char(out, ' ');
        if (scarce__draw_number(c->series[0].y[i]))
            scarce__text_digits(out, c->series[0].y[i], c->options.digits);
        else scarce__text_add(out, "n/a");
    }
    scarce__text_add_char(out, '"');
    scarce__draw_begin(out, c);
    scarce__text_addf(out, "<svg class=\"data\" viewBox=\"0 0 %zu %zu\" preserveAspectRatio=\"none\">\n",
                      c->column.n, c->row.n);
    draw_cells(out, c, lo, hi);
    scarce__text_add(out, "</svg>\n");
    draw_heat_texts(out, c, left);
    draw_cell_values(out, c, lo, hi);
    scarce__text_add(out, "</svg></div>\n");
}
