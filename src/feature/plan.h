/* SPDX-License-Identifier: Apache-2.0 */
/* The typed plan of a definition file: what the engine works from, and nothing else.
 *
 * A feature of record i is a function of its own fields and of the records j of its key with
 *     seq_j < seq_i,   t_i - delay - W < t_j <= t_i - delay,   t_j > at_i - horizon
 * (docs/features.md tells it to users). A kind has filters (`where`; filter 0 takes all), values that are summed,
 * columns whose values are counted, and windows; each aggregate reads one window of one kind. Windows of a kind are
 * sorted by delay, then by length, so that one walk back in time serves all of one delay. */
#ifndef SCARCE_FEATURE_PLAN_H
#define SCARCE_FEATURE_PLAN_H

#include <stdint.h>

#include "expr/expr.h"

enum {
    SCARCE__FEATURE_FIELDS = 64,
    SCARCE__FEATURE_KINDS = 16,
    SCARCE__FEATURE_KEYS = 4,     /* fields of a key */
    SCARCE__FEATURE_FILTERS = 7,  /* of a kind, the one that takes all included */
    SCARCE__FEATURE_COLUMNS = 16, /* values, and columns that are counted, of a kind */
    SCARCE__FEATURE_MEASURES = 32,
    SCARCE__FEATURE_LATENESS = 2 * 86400,
    SCARCE__FEATURE_AHEAD = 300, /* seconds that a record may be ahead of its arrival */
    SCARCE__FEATURE_REACH = 16   /* half-lives after which decay counts nothing */
};

#define SCARCE__NO_HORIZON INT64_MAX
#define SCARCE__NO_VALUE INT64_MIN /* a number that is missing */

typedef enum scarce__field_type {
    SCARCE__FIELD_TEXT,
    SCARCE__FIELD_KEY,
    SCARCE__FIELD_NUMBER,
    SCARCE__FIELD_DECIMAL,
    SCARCE__FIELD_INT,
    SCARCE__FIELD_BOOL,
    SCARCE__FIELD_TIME,
    SCARCE__FIELD_LABEL,
    SCARCE__FIELD_TYPES /* how many there are */
} scarce__field_type;

/* "text", "key", ... */
const char *scarce__field_type_name(scarce__field_type type);

typedef struct scarce__feature_field {
    char *name;
    scarce__field_type type;
    int places; /* decimals that are kept of a number */
    int id, secret, optional, used;
    double most; /* 0: no limit of its own */
} scarce__feature_field;

typedef enum scarce__feature_op {
    SCARCE__AGG_COUNT,
    SCARCE__AGG_SUM,
    SCARCE__AGG_MEAN,
    SCARCE__AGG_MIN,
    SCARCE__AGG_MAX,
    SCARCE__AGG_SD,
    SCARCE__AGG_DISTINCT,
    SCARCE__AGG_SHARE,  /* of a label */
    SCARCE__AGG_FRAUDS, /* sum of a label */
    SCARCE__AGG_SINCE,
    SCARCE__AGG_FIRST,
    SCARCE__AGG_DECAY
} scarce__feature_op;

/* One of span and last; neither: all that is visible. */
typedef struct scarce__feature_window {
    int64_t span, delay;
    uint32_t last;
    int filter; /* matters for last n, since, first_seen, decay */
    int current;
    int light; /* nothing is added up in it: since, first_seen, decay alone */
} scarce__feature_window;

/* What is added up: the known values of a column over the records that pass a filter. */
typedef struct scarce__feature_measure {
    int filter, value;
    int squares, extremes;
} scarce__feature_measure;

typedef struct scarce__feature_aggregate {
    scarce__feature_op op;
    int window; /* of the kind */
    int filter;
    int measure; /* SUM..SD: of the kind; DECAY: the value */
    int distinct;
    int64_t half_life;
    double empty; /* what stands where there is nothing; NaN: missing */
    size_t out;   /* which feature it is */
    int places;   /* of the value */
    double scale; /* 10^places */
} scarce__feature_aggregate;

typedef struct scarce__feature_filter {
    scarce__expr *expr; /* NULL: takes all */
    char *text;         /* its tokens, one blank between them */
} scarce__feature_filter;

typedef struct scarce__feature_kind {
    char *name;
    int keys[SCARCE__FEATURE_KEYS];
    int n_keys;
    int64_t horizon; /* SCARCE__NO_HORIZON: nothing is ever forgotten */
    int horizon_given;
    uint32_t max_events;
    int64_t tile;
    int labels;                           /* a feature needs them */
    int values[SCARCE__FEATURE_COLUMNS];  /* fields */
    int counted[SCARCE__FEATURE_COLUMNS]; /* fields of distinct */
    int n_values, n_counted;
    scarce__feature_filter filters[SCARCE__FEATURE_FILTERS];
    int n_filters;
    scarce__feature_measure measures[SCARCE__FEATURE_MEASURES];
    int n_measures;
    scarce__feature_window *windows;
    size_t n_windows;
    scarce__feature_aggregate *aggregates; /* by window */
    size_t n_aggregates;
} scarce__feature_kind;

typedef struct scarce__feature_derived {
    scarce__expr *expr;
    size_t out;
} scarce__feature_derived;

typedef struct scarce__feature_out {
    char *name;
    char *line; /* how it is defined, canonical: what decides whether two are the same */
    int kind;   /* of an aggregate; -1: derived */
} scarce__feature_out;

typedef struct scarce__feature_plan {
    scarce__feature_field *fields;
    size_t n_fields;
    int time, label, id; /* fields; -1: none */
    scarce__feature_kind *kinds;
    size_t n_kinds;
    scarce__feature_out *outs;
    size_t n_outs;
    scarce__feature_derived *derived; /* in the order of the file: each may use those before it */
    size_t n_derived;
    char *canonical; /* all lines */
    char digest[33];
} scarce__feature_plan;

/* EPARSE with file, line and column. `file` is for messages. */
scarce_status scarce__feature_define(scarce__feature_plan **out, const char *text, size_t n, const char *file,
                                     scarce_error *err);
void scarce__feature_plan_free(scarce__feature_plan *plan);

/* plan.c, for the parser: the number of a window, filter, measure, ... of a kind, made where it isn't there; -1:
 * out of memory, -2: too many. */
int scarce__feature_add_window(scarce__feature_kind *kind, const scarce__feature_window *window);
int scarce__feature_add_measure(scarce__feature_kind *kind, int filter, int field, int squares, int extremes);
int scarce__feature_add_counted(scarce__feature_kind *kind, int field);
int scarce__feature_add_value(scarce__feature_kind *kind, int field);
/* Sorts windows, settles horizons, writes the canonical text and its digest. */
scarce_status scarce__feature_settle(scarce__feature_plan *plan, scarce_error *err);
/* "30d", "90s", ... */
void scarce__feature_span_text(scarce__text *out, int64_t seconds);

/* 10^places, 0 to 18. */
int64_t scarce__feature_scale(int places);

/* Lines of one definition text that the other hasn't, by name of feature: what scarce_features_compare says. */
scarce_status scarce__feature_compare(const char *theirs, const char *ours, scarce__text *differences,
                                      size_t *count);

#endif
