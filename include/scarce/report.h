/* SPDX-License-Identifier: Apache-2.0 */
/* One self-contained HTML page with figures, tables, findings and charts.
 *
 *     scarce_report *r = NULL;
 *     if (scarce_report_new(&r, "Evaluation", "fraud.scarce on may.csv", &err)) ...
 *     scarce_report_section(r, "Ranking");
 *     scarce_report_paragraph(r, "Positives should stand at the top of the list.");
 *     scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
 *     o.title = "Precision and recall", o.x_label = "recall", o.y_label = "precision";
 *     scarce_chart *c = scarce_report_chart(r, &o);
 *     scarce_chart_line(c, "model", recall, precision, n);
 *     scarce_chart_level(c, "share of positives", 0.01);
 *     st = scarce_report_write(r, "eval.html", &err);
 *     scarce_report_free(r);
 *
 * The page needs no network and no other file: charts are inline SVG, values appear under the pointer by a
 * few lines of script of its own, colours follow the reader's light or dark setting, and it fits phones and
 * wide screens. The same calls give the same bytes.
 *
 * What holds of all calls that add something:
 *  - they return nothing: when memory runs out the report remembers, later calls do nothing, and
 *    scarce_report_write says SCARCE_ENOMEM. So a caller looks once, at the end. A NULL report or chart is
 *    skipped, as is a NULL array;
 *  - texts are UTF-8 and are copied; each is escaped, and what is no UTF-8, controls, and marks that turn the
 *    direction of writing become U+FFFD: the name of a column can do no harm. NULL counts as "";
 *  - arrays are copied. NaN and infinite numbers are gaps in charts (and "n/a", "inf" in tables); a series
 *    without a finite number is left out; a chart without any says "no data";
 *  - neighbours of one kind (facts, tiles, findings, charts, cells) stand together; anything else ends them.
 * One thread at a time per report. */
#ifndef SCARCE_REPORT_H
#define SCARCE_REPORT_H

#include <math.h>

#include <scarce/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scarce_report scarce_report;
typedef struct scarce_chart scarce_chart;

/* The subtitle may be NULL. */
SCARCE_API scarce_status scarce_report_new(scarce_report **out, const char *title, const char *subtitle,
                                           scarce_error *err);
SCARCE_API void scarce_report_free(scarce_report *report); /* takes NULL */

/* The page so far as a file that appears whole or not at all ("-": standard output). EIO, ENOMEM. */
SCARCE_API scarce_status scarce_report_write(scarce_report *report, const char *path, scarce_error *err);
/* The same bytes in memory, with a NUL behind them; freed by scarce_bytes_free (model.h). */
SCARCE_API scarce_status scarce_report_bytes(void **out, size_t *n, scarce_report *report, scarce_error *err);

/* Sentences name options of the command line (--time-format). From now on they are written as keyword arguments
 * (time_format=) in findings, paragraphs and notes: for readers who call a function. */
SCARCE_API void scarce_report_keywords(scarce_report *report);

/* ---- Text */

/* A heading, which also goes to the list of contents. */
SCARCE_API void scarce_report_section(scarce_report *report, const char *heading);
SCARCE_API void scarce_report_paragraph(scarce_report *report, const char *text);
/* Smaller: how to read something, what was left out. */
SCARCE_API void scarce_report_note(scarce_report *report, const char *text);

/* An SVG picture of n bytes that stands for itself (texts of `caption` for those who can't see it), as an image inside
 * the file: its styles and those of the page don't meet. Wide ones shrink. */
SCARCE_API void scarce_report_picture(scarce_report *report, const char *caption, const char *svg, size_t n);

/* ---- Numbers. `digits` are significant digits, 1..17; whole numbers below 1e15, and others from
 * 10^(digits - 1) on, are written whole, with thousands apart. NaN is "n/a". */

/* A large figure with its name above and a detail beneath it ("95 %: 0.31 to 0.38"; may be NULL). */
SCARCE_API void scarce_report_tile(scarce_report *report, const char *name, const char *value,
                                   const char *detail);
SCARCE_API void scarce_report_tile_number(scarce_report *report, const char *name, double value, int digits,
                                          const char *detail);

/* A line of a list of settings: key and value. */
SCARCE_API void scarce_report_fact(scarce_report *report, const char *key, const char *value);
SCARCE_API void scarce_report_fact_number(scarce_report *report, const char *key, double value, int digits);

/* A table with its caption (may be NULL), n_columns names, and one letter for each in `align`: 'l' text, 'r'
 * numbers (to the right, digits of equal width). Cells then come row by row; a row that is not full when
 * something else begins is filled with empty cells. Wide tables scroll inside the page. */
SCARCE_API void scarce_report_table(scarce_report *report, const char *caption, const char *const *columns,
                                    const char *align, size_t n_columns);
SCARCE_API void scarce_report_cell(scarce_report *report, const char *text);
SCARCE_API void scarce_report_cell_number(scarce_report *report, double value, int digits);

/* ---- Findings: what is the matter, and what to do about it */

typedef enum scarce_severity {
    SCARCE_SEVERITY_GOOD = 0, /* looked at, nothing wrong */
    SCARCE_SEVERITY_NOTE = 1, /* good to know */
    SCARCE_SEVERITY_WARN = 2, /* will probably hurt */
    SCARCE_SEVERITY_BAD = 3   /* results can't be trusted */
} scarce_severity;

/* One sentence each; the advice may be NULL. */
SCARCE_API void scarce_report_finding(scarce_report *report, scarce_severity severity, const char *sentence,
                                      const char *advice);

/* ---- Charts */

typedef enum scarce_axis {
    SCARCE_AXIS_LINEAR = 0,
    SCARCE_AXIS_LOG = 1, /* numbers <= 0 are gaps */
    SCARCE_AXIS_TIME = 2 /* seconds since 1970, UTC: ticks are dates and hours */
} scarce_axis;

typedef struct scarce_chart_options {
    size_t struct_size;
    const char *title;
    const char *note;              /* beneath it: how to read it; NULL: none */
    const char *x_label, *y_label; /* NULL: none */
    scarce_axis x_axis, y_axis;
    double x_lo, x_hi, y_lo, y_hi; /* ends of the axes; NAN: from the data, at good numbers */
    int wide;                      /* nonzero: as wide as the page; else up to three stand side by side */
    int height;                    /* of the plot in CSS pixels; 0: as usual */
    int digits;                    /* significant digits of values written out; 0: 4 */
} scarce_chart_options;

#define SCARCE_CHART_OPTIONS_INIT                                                                            \
    SCARCE_INIT(sizeof(scarce_chart_options), NULL, NULL, NULL, NULL, SCARCE_AXIS_LINEAR,                    \
                SCARCE_AXIS_LINEAR, NAN, NAN, NAN, NAN, 0, 0, 0)

/* Begins a chart; it belongs to the report, and is drawn (and the pointer is void) at the next
 * scarce_report_... call. NULL when memory ran out or the options have no size (writing the
 * report will say so), which all functions below accept.
 *
 * A chart is of one of four kinds, which its first series decides; what does not fit is left out:
 *     x and y         line, step, band, points, histogram, level, mark
 *     columns         upright bars above names
 *     bars and dots   lying bars, or dots with whiskers, one row per name: for names of any length
 *     heat            a grid of cells
 * Series with the same name share their colour and their place in the legend (a line and its band); a name of
 * NULL is grey and not in the legend; a single series needs no legend. A line of very many points is thinned
 * to the first, lowest, highest and last of each pixel column, so its picture stays what it was. */
SCARCE_API scarce_chart *scarce_report_chart(scarce_report *report, const scarce_chart_options *options);

/* n points from left to right (x in any order is drawn, but hovering looks for the nearest x). */
SCARCE_API void scarce_chart_line(scarce_chart *chart, const char *name, const double *x, const double *y,
                                  size_t n);
/* y[i] holds from x[i] to x[i + 1]. */
SCARCE_API void scarce_chart_step(scarce_chart *chart, const char *name, const double *x, const double *y,
                                  size_t n);
SCARCE_API void scarce_chart_band(scarce_chart *chart, const char *name, const double *x, const double *lo,
                                  const double *hi, size_t n);
SCARCE_API void scarce_chart_points(scarce_chart *chart, const char *name, const double *x, const double *y,
                                    size_t n);
/* n bars from y = 0 to height[i] between edge[i] and edge[i + 1]: edge has n + 1 rising numbers. */
SCARCE_API void scarce_chart_histogram(scarce_chart *chart, const char *name, const double *edge,
                                       const double *height, size_t n);
/* Reference lines across the plot: level at a y, mark at an x. The name stands in the legend. */
SCARCE_API void scarce_chart_level(scarce_chart *chart, const char *name, double y);
SCARCE_API void scarce_chart_mark(scarce_chart *chart, const char *name, double x);

/* Several series of columns stand side by side; the labels are those of the first. At most 1000 are drawn. */
SCARCE_API void scarce_chart_columns(scarce_chart *chart, const char *name, const char *const *label,
                                     const double *value, size_t n);

/* Rows from top to bottom. lo and hi (whiskers; both or neither) may be NULL. Bars begin at 0, dots have an
 * axis that fits them. Several series share the rows; the labels are those of the first. At most 200 rows are
 * drawn. */
SCARCE_API void scarce_chart_bars(scarce_chart *chart, const char *name, const char *const *label,
                                  const double *value, const double *lo, const double *hi, size_t n);
SCARCE_API void scarce_chart_dots(scarce_chart *chart, const char *name, const char *const *label,
                                  const double *value, const double *lo, const double *hi, size_t n);

/* value[row * n_columns + column]; the darker, the higher between lo and hi (NAN: of the data). NaN is an
 * empty cell. At most 10 000 cells, of the first rows, are drawn. */
SCARCE_API void scarce_chart_heat(scarce_chart *chart, const char *const *row, size_t n_rows,
                                  const char *const *column, size_t n_columns, const double *value, double lo,
                                  double hi);

#ifdef __cplusplus
}
#endif
#endif
