/* SPDX-License-Identifier: Apache-2.0 */
#include "report/draw.h"

#include <math.h>
#include <string.h>

#include "report/html.h"

void scarce__draw_colour(scarce__text *out, int colour)
{
    if (colour == SCARCE__GREY) scarce__text_add_char(out, 'g');
    else scarce__text_addf(out, "c%d", colour % SCARCE__COLOURS);
}

/* A line says more than the band around it. */
static scarce__series_kind key_kind(const scarce_chart *c, size_t i)
{
    for (size_t j = i; j < c->n_series; ++j)
        if (c->series[j].kind != SCARCE__BAND && c->series[j].colour == c->series[i].colour)
            return c->series[j].kind;
    return c->series[i].kind;
}

static int named_before(const scarce_chart *c, size_t i)
{
    for (size_t j = 0; j < i; ++j)
        if (c->series[j].name && strcmp(c->series[j].name, c->series[i].name) == 0) return 1;
    return 0;
}

void scarce__draw_legend(scarce__text *out, const scarce_chart *c)
{
    static const char *const key[] = {"l", "l", "b", "p", "h", "r", "r", "h", "h", "p", "h"};
    size_t names = 0;

    for (size_t i = 0; i < c->n_series; ++i) names += c->series[i].name && !named_before(c, i);
    if (names < 2) return;
    scarce__text_add(out, "<div class=\"legend\">");
    for (size_t i = 0; i < c->n_series; ++i) {
        if (!c->series[i].name || named_before(c, i)) continue;
        scarce__text_addf(out, "<span><i class=\"k%s ", key[key_kind(c, i)]);
        scarce__draw_colour(out, c->series[i].colour);
        scarce__text_add(out, "\"></i>");
        scarce__html_escape_short(out, c->series[i].name, 60);
        scarce__text_add(out, "</span>");
    }
    scarce__text_add(out, "</div>\n");
}

void scarce__draw_percent(scarce__text *out, double fraction)
{
    const long hundredths = (long)floor(fraction * 10000 + 0.5);
    scarce__html_raw(out, (double)hundredths / 100);
    scarce__text_add_char(out, '%');
}

long scarce__draw_units(double fraction)
{
    const double kept = !(fraction >= -2) ? -2 : fraction > 3 ? 3 : fraction;
    return (long)floor(kept * SCARCE__UNITS + 0.5);
}

double scarce__draw_left(const scarce__axis *axis)
{
    size_t longest = 1;
    for (size_t i = 0; i < axis->n; ++i)
        if (strlen(axis->label[i]) > longest) longest = strlen(axis->label[i]);
    return floor((double)longest * SCARCE__CHARACTER) + 10;
}

void scarce__draw_y_axis(scarce__text *out, const scarce__axis *axis, const char *name, double left)
{
    if (axis->failed) out->failed = 1;
    for (size_t i = 0; i < axis->n; ++i) {
        const double at = 1 - scarce__axis_place(axis, axis->tick[i]);
        scarce__text_add(out, "<line class=\"gl\" x2=\"100%\" y1=\"");
        scarce__draw_percent(out, at);
        scarce__text_add(out, "\" y2=\"");
        scarce__draw_percent(out, at);
        scarce__text_add(out, "\"/><text class=\"ty\" x=\"-7\" dy=\".35em\" y=\"");
        scarce__draw_percent(out, at);
        scarce__text_addf(out, "\">%s</text>\n", axis->label[i]);
    }
    if (!name) return;
    scarce__text_addf(out, "<text class=\"ny\" x=\"%.0f\" y=\"-12\">", -left);
    scarce__html_escape_short(out, name, 44);
    scarce__text_add(out, "</text>\n");
}

void scarce__draw_x_axis(scarce__text *out, const scarce__axis *axis, const char *name)
{
    if (axis->failed) out->failed = 1;
    scarce__text_add(out, "<line class=\"base\" x2=\"100%\" y1=\"100%\" y2=\"100%\"/>\n");
    for (size_t i = 0; i < axis->n; ++i) {
        const double at = scarce__axis_place(axis, axis->tick[i]);
        scarce__text_addf(out, "<g%s><line class=\"tick\" y1=\"100%%\" y2=\"100%%\" x1=\"",
                          i % 2 ? " class=\"odd\"" : "");
        scarce__draw_percent(out, at);
        scarce__text_add(out, "\" x2=\"");
        scarce__draw_percent(out, at);
        scarce__text_add(out, "\"/><text class=\"tx\" y=\"100%\" dy=\"17\" x=\"");
        scarce__draw_percent(out, at);
        scarce__text_addf(out, "\">%s</text></g>\n", axis->label[i]);
    }
    if (!name) return;
    scarce__text_add(out, "<text class=\"nx\" x=\"50%\" y=\"100%\" dy=\"34\">");
    scarce__html_escape_short(out, name, 48);
    scarce__text_add(out, "</text>\n");
}

void scarce__draw_box(scarce__text *out, const char *kind, double height, double top, double right,
                      double bottom, double left)
{
    scarce__text_addf(out,
                      "<div class=\"plot %s\" style=\"min-height:%.0fpx;margin:%.0fpx %.0fpx %.0fpx %.0fpx\"",
                      kind, height, top, right, bottom, left);
}

void scarce__draw_axis_data(scarce__text *out, const char *attribute, const scarce__axis *axis)
{
    scarce__text_addf(out, " data-%s=\"", attribute);
    scarce__html_raw(out, axis->lo);
    scarce__text_add_char(out, ' ');
    scarce__html_raw(out, axis->hi);
    scarce__text_addf(out, " %d\"", (int)axis->kind);
}

void scarce__draw_column_names(scarce__text *out, const scarce_chart *c, const scarce__names *names,
                               size_t room)
{
    const size_t n = names->n, every = (n + room - 1) / room, longest = every * 6 * room / n;

    for (size_t i = 0; i < n; i += every) {
        scarce__text_addf(out, "<text class=\"tx%s\" y=\"100%%\" dy=\"17\" x=\"",
                          i / every % 2 ? " odd" : "");
        scarce__draw_percent(out, ((double)i + 0.5) / (double)n);
        scarce__text_add(out, "\">");
        scarce__html_escape_short(out, names->items[i], longest < 5 ? 5 : longest);
        scarce__text_add(out, "</text>\n");
    }
    if (!c->options.x_label) return;
    scarce__text_add(out, "<text class=\"nx\" x=\"50%\" y=\"100%\" dy=\"34\">");
    scarce__html_escape_short(out, c->options.x_label, 48);
    scarce__text_add(out, "</text>\n");
}

void scarce__draw_labels_data(scarce__text *out, const char *attribute, const scarce__names *labels)
{
    scarce__text_addf(out, " data-%s=\"", attribute);
    for (size_t i = 0; i < labels->n; ++i) {
        if (i) scarce__text_add(out, "&#10;");
        scarce__html_escape_short(out, labels->items[i], 120);
    }
    scarce__text_add_char(out, '"');
}

int scarce__draw_number(double v)
{
    return scarce__axis_takes(SCARCE_AXIS_LINEAR, v);
}

int scarce__draw_measure(const scarce_chart *c, double *lo, double *hi)
{
    *lo = *hi = (double)NAN;
    for (size_t k = 0; k < c->n_series; ++k) {
        const scarce__series *s = &c->series[k];
        for (size_t i = 0; i < s->n; ++i) {
            const double of[3] = {s->y[i], s->z ? s->x[i] : s->y[i], s->z ? s->z[i] : s->y[i]};
            for (size_t j = 0; j < 3; ++j) {
                if (!scarce__draw_number(of[j])) continue;
                if (!(*lo <= of[j])) *lo = of[j];
                if (!(*hi >= of[j])) *hi = of[j];
            }
        }
    }
    return !isnan(*lo);
}

void scarce__draw_nothing(scarce__text *out)
{
    scarce__text_add(out, "<p class=\"none\">no data</p>\n");
}

void scarce__draw_begin(scarce__text *out, const scarce_chart *c)
{
    scarce__text_add(out, "><svg role=\"img\" aria-label=\"");
    scarce__html_escape(out, c->options.title);
    scarce__text_add(out, "\">\n");
}

void scarce__chart_draw(scarce__text *out, const scarce_chart *c)
{
    if (c->failed) {
        out->failed = 1;
        return;
    }
    scarce__text_addf(out, "<figure class=\"card%s\"><figcaption><b>", c->options.wide ? " wide" : "");
    scarce__html_escape(out, c->options.title);
    scarce__text_add(out, "</b>");
    if (c->options.note) {
        scarce__text_add(out, "<span>");
        scarce__html_escape(out, c->options.note);
        scarce__text_add(out, "</span>");
    }
    scarce__text_add(out, "</figcaption>\n");
    switch (c->family) {
    case SCARCE__CHART_XY: scarce__draw_xy(out, c); break;
    case SCARCE__CHART_COLUMNS: scarce__draw_columns(out, c); break;
    case SCARCE__CHART_ROWS: scarce__draw_rows(out, c); break;
    case SCARCE__CHART_HEAT: scarce__draw_heat(out, c); break;
    case SCARCE__CHART_EMPTY: scarce__draw_nothing(out);
    }
    scarce__text_add(out, "</figure>\n");
}
