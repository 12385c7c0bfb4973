/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of charts share in drawing.
 *
 * A plot is a box of CSS pixels with margins for its texts. Its outer <svg> has no viewBox: places in it are
 * per cent and pixels, so texts keep their size at any width. Inside it a second <svg> with a viewBox of
 * 10000 x 10000 is stretched over the box and holds the data as paths of whole numbers; strokes keep their
 * width (vector-effect). The script finds values again from the paths and the ends of the axes. */
#ifndef SCARCE_REPORT_DRAW_H
#define SCARCE_REPORT_DRAW_H

#include "core/text.h"
#include "report/axis.h"
#include "report/chart.h"

enum { SCARCE__UNITS = 10000 };

/* Width in pixels of so many characters of a label. */
#define SCARCE__CHARACTER 6.6

/* "c3", or "g" for grey. */
void scarce__draw_colour(scarce__text *out, int colour);

/* Names of the series with their colours, where there are several. */
void scarce__draw_legend(scarce__text *out, const scarce_chart *chart);

/* "25.5%": 100 * fraction with two decimals at most. */
void scarce__draw_percent(scarce__text *out, double fraction);

/* A place (fraction of the width or height) in units of the inner picture, kept within a few screens; any
 * number for a gap. */
long scarce__draw_units(double fraction);

/* Ticks at the left with grid lines, and the name of the axis above. */
void scarce__draw_y_axis(scarce__text *out, const scarce__axis *axis, const char *name, double left);
/* Ticks beneath the plot and the name of the axis. */
void scarce__draw_x_axis(scarce__text *out, const scarce__axis *axis, const char *name);

/* Left margin in pixels that the labels of a y axis need. */
double scarce__draw_left(const scarce__axis *axis);

/* <div class="plot KIND" style=...> with margins in pixels, up to its attributes: the caller adds more and
 * closes the tag. */
void scarce__draw_box(scarce__text *out, const char *kind, double height, double top, double right,
                      double bottom, double left);
/* data-x="0 1 0": ends and kind of an axis for the script. */
void scarce__draw_axis_data(scarce__text *out, const char *attribute, const scarce__axis *axis);
/* data-NAME="a&#10;b": labels for the script. */
/* Names beneath the columns of a chart, as many as there is `room` for (six characters each), and the name of
 * the axis. */
void scarce__draw_column_names(scarce__text *out, const scarce_chart *chart, const scarce__names *names,
                               size_t room);
void scarce__draw_labels_data(scarce__text *out, const char *attribute, const scarce__names *labels);

/* Closes that tag and begins the outer picture. */
void scarce__draw_begin(scarce__text *out, const scarce_chart *chart);
/* "no data" */
void scarce__draw_nothing(scarce__text *out);

/* Of charts without a numeric x: can it be drawn; lowest and highest of all values and whiskers, 0 when there
 * is none. */
int scarce__draw_number(double value);
int scarce__draw_measure(const scarce_chart *chart, double *lo, double *hi);

#endif
