/* SPDX-License-Identifier: Apache-2.0 */
/* What a chart holds until it is drawn. */
#ifndef SCARCE_REPORT_CHART_H
#define SCARCE_REPORT_CHART_H

#include <scarce/report.h>

#include "core/text.h"

typedef enum scarce__series_kind {
    SCARCE__LINE,
    SCARCE__STEP,
    SCARCE__BAND,
    SCARCE__POINTS,
    SCARCE__HISTOGRAM, /* n heights in y, n + 1 edges in x */
    SCARCE__LEVEL,     /* y[0] */
    SCARCE__MARK,      /* x[0] */
    SCARCE__COLUMNS,
    SCARCE__BARS,
    SCARCE__DOTS,
    SCARCE__HEAT
} scarce__series_kind;

typedef enum scarce__chart_family {
    SCARCE__CHART_EMPTY = 0,
    SCARCE__CHART_XY,
    SCARCE__CHART_COLUMNS,
    SCARCE__CHART_ROWS,
    SCARCE__CHART_HEAT
} scarce__chart_family;

enum { SCARCE__COLOURS = 8, SCARCE__GREY = -1 };

typedef struct scarce__series {
    scarce__series_kind kind;
    char *name; /* NULL: grey, not in the legend */
    int colour; /* 0..: in order of the names; SCARCE__GREY */
    size_t n;
    double *x, *y, *z; /* one block, at x; y: values or lo; z: hi or NULL. Rows: y value, x lo, z hi */
} scarce__series;

typedef struct scarce__names {
    char **items;
    size_t n;
} scarce__names;

struct scarce_chart {
    scarce_chart_options options; /* its texts are copies */
    scarce__chart_family family;
    scarce__series *series;
    size_t n_series, capacity;
    int colours;               /* used so far */
    scarce__names row, column; /* of bars and columns: row */
    double heat_lo, heat_hi;
    int failed;
};

scarce_status scarce__chart_new(scarce_chart **out, const scarce_chart_options *options, scarce_error *err);
void scarce__chart_free(scarce_chart *chart);

/* The whole <figure>. */
void scarce__chart_draw(scarce__text *out, const scarce_chart *chart);

/* ---- the kinds, each in its own file: what stands between caption and end of the figure */
void scarce__draw_xy(scarce__text *out, const scarce_chart *chart);
void scarce__draw_columns(scarce__text *out, const scarce_chart *chart);
void scarce__draw_rows(scarce__text *out, const scarce_chart *chart);
void scarce__draw_heat(scarce__text *out, const scarce_chart *chart);

#endif
