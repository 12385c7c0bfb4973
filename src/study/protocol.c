/* SPDX-License-Identifier: Apache-2.0 */
/* Window number w of a protocol by time, with first = the earliest row:
 *
 *     start = first + w step            (expanding: training begins at `first`)
 *     train [start, start + train)  valid [.., + valid)  gap  test [.., + test)
 *
 * "latest" is the one window that ends with the last row: test is what is later than last - test, and so on
 * backwards; without a span of its own training takes all that is older.
 *
 * The gap is how long labels take: at a test row of time t every label older than t - gap is known. Purging
 * leaves the row out when its group had a positive that old, whatever the window.
 *
 * There may be a hundred thousand windows over millions of rows, so no window may cost a pass over the table:
 * the rows are put in order of time once, and a window is a few places in that order. */
#include "study/protocol.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"
#include "data/times.h"

void scarce__folds_deinit(scarce__folds *folds)
{
    scarce__free(folds->known_from);
    scarce__free(folds->window);
    scarce__free(folds->order);
    scarce__free(folds->at);
    memset(folds, 0, sizeof *folds);
}

void scarce__fold_deinit(scarce__fold *fold)
{
    scarce__free(fold->train);
    scarce__free(fold->valid);
    scarce__free(fold->test);
    memset(fold, 0, sizeof *fold);
}

/* ---- text */

typedef struct span_field {
    const char *key;
    double *span; /* NaN: not given */
} span_field;

static scarce_status parse_spans(const char *text, const span_field *fields, size_t n, const char *protocol,
                                 scarce_error *err)
{
    while (*text) {
        const size_t item = strcspn(text, ",");
        const char *equals = memchr(text, '=', item);
        size_t i = 0;
        while (equals && i < n &&
               (strlen(fields[i].key) != (size_t)(equals - text) ||
                memcmp(fields[i].key, text, (size_t)(equals - text)) != 0))
            ++i;
        if (!equals || i == n)
            return scarce__fail(err, SCARCE_EINVAL, "protocol %.80s: what is \"%.*s\"?", protocol, (int)item,
                                text);
        if (!scarce__parse_length(equals + 1, item - (size_t)(equals + 1 - text), fields[i].span))
            return scarce__fail(err, SCARCE_EINVAL,
                                "protocol %.80s: \"%.*s\" is no span of time (7d, 12h, 3600)", protocol,
                                (int)(item - (size_t)(equals + 1 - text)), equals + 1);
        text += item;
        if (*text == ',') ++text;
    }
    return SCARCE_OK;
}

/* ---- random protocols */

static scarce_status plan_holdout(scarce__folds *out, const char *text, size_t repeats, scarce_error *err)
{
    out->kind = SCARCE__PROTOCOL_HOLDOUT;
    out->fraction = 1.0 / 3;
    if (*text && (scarce__parse_double(text, strlen(text), &out->fraction) != 1 ||
                  !(out->fraction > 0 && out->fraction < 1)))
        return scarce__fail(err, SCARCE_EINVAL, "holdout:%.40s wants a share between 0 and 1", text);
    out->count = repeats;
    return SCARCE_OK;
}

static scarce_status plan_cv(scarce__folds *out, const char *text, size_t repeats, scarce_error *err)
{
    double k = 5;
    if (*text && (scarce__parse_double(text, strlen(text), &k) != 1 || k != floor(k) || k < 2 || k > 10000))
        return scarce__fail(err, SCARCE_EINVAL, "cv:%.40s wants a whole number of folds from 2 on", text);
    out->kind = SCARCE__PROTOCOL_CV;
    out->k = (size_t)k;
    out->count = repeats * out->k;
    return SCARCE_OK;
}

/* ---- protocols by time */

typedef scarce__fold_times bounds;

static bounds latest_bounds(const scarce__folds *f)
{
    const double test = f->last - f->test, valid = test - f->gap, train = valid - f->valid;
    const bounds b = {isnan(f->train) ? -INFINITY : nextafter(train - f->train, INFINITY),
                      nextafter(train, INFINITY), nextafter(valid, INFINITY), nextafter(test, INFINITY),
                      INFINITY};
    return b;
}

static bounds bounds_of(const scarce__folds *f, size_t window)
{
    if (f->latest) return latest_bounds(f);
    const double start = f->first + (double)window * f->step;
    bounds b = {f->expanding ? f->first : start, start + f->train, 0, 0, 0};
    b.valid_end = b.train_end + f->valid;
    b.test_from = b.valid_end + f->gap;
    b.test_end = b.test_from + f->test;
    return b;
}

enum { IN_TRAIN, IN_VALID, IN_TEST, IN_NONE };

/* A missing time is in no part. */
static int part_of(const scarce__folds *f, const bounds *b, const scarce_table *t, size_t row)
{
    const double at = t->time[row];
    if (at >= b->from && at < b->train_end) return IN_TRAIN;
    if (at >= b->train_end && at < b->valid_end) return IN_VALID;
    if (!(at >= b->test_from && at < b->test_end)) return IN_NONE;
    return f->purge && f->known_from[t->group[row]] < at - f->gap ? IN_NONE : IN_TEST;
}

typedef struct moment {
    double at;
    uint32_t row;
} moment;

static int by_time(const void *a, const void *b)
{
    const moment *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

static scarce_status order_rows(scarce__folds *out, const scarce_table *t, scarce_error *err)
{
    moment *moments = scarce__malloc_array(t->n_rows, sizeof *moments);
    size_t n = 0, late = 0;

    out->order = scarce__malloc_array(t->n_rows, sizeof *out->order);
    out->at = scarce__malloc_array(t->n_rows, sizeof *out->at);
    if (!moments || !out->order || !out->at) {
        scarce__free(moments);
        return scarce__fail_memory(err, "folds", t->n_rows * (sizeof *moments + 12));
    }
    for (size_t i = 0; i < t->n_rows; ++i) {
        if (isnan(t->time[i])) continue;
        moments[n] = (moment){t->time[i], (uint32_t)i};
        late += n > 0 && moments[n].at < moments[n - 1].at;
        ++n;
    }
    if (late) qsort(moments, n, sizeof *moments, by_time); /* most files are in order */
    for (size_t i = 0; i < n; ++i) {
        out->order[i] = moments[i].row;
        out->at[i] = moments[i].at;
    }
    out->n_timed = n;
    scarce__free(moments);
    return SCARCE_OK;
}

/* The first place in the order whose time is not before `time`. */
static size_t place_of(const scarce__folds *f, double time)
{
    size_t low = 0, high = f->n_timed;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->at[middle] < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Is there a row to train on, and one to test? Of the test rows only as many are looked at as are left out. */
static int has_both(const scarce__folds *f, const scarce_table *t, size_t window)
{
    const bounds b = bounds_of(f, window);
    const size_t end = place_of(f, b.test_end);

    if (place_of(f, b.from) >= place_of(f, b.train_end)) return 0;
    for (size_t i = place_of(f, b.test_from); i < end; ++i)
        if (part_of(f, &b, t, f->order[i]) == IN_TEST) return 1;
    return 0;
}

static scarce_status find_known(scarce__folds *out, const scarce_table *t, scarce_error *err)
{
    if (!t->group || !t->label)
        return scarce__fail(err, SCARCE_EDATA,
                            "leaving out known groups needs to know them: say which column holds the "
                            "group (--group COL)");
    out->known_from = scarce__malloc_array(t->groups.count, sizeof *out->known_from);
    if (!out->known_from) return scarce__fail_memory(err, "folds", 0);
    for (size_t g = 0; g < t->groups.count; ++g) out->known_from[g] = INFINITY;
    for (size_t i = 0; i < t->n_rows; ++i)
        if (t->label[i] && t->time[i] < out->known_from[t->group[i]])
            out->known_from[t->group[i]] = t->time[i];
    return SCARCE_OK;
}

/* The first and last time of the rows. */
static scarce_status find_span(scarce__folds *out, const scarce_table *table, scarce_error *err)
{
    out->kind = SCARCE__PROTOCOL_WINDOWS;
    out->first = INFINITY;
    out->last = -INFINITY;
    if (!table->time)
        return scarce__fail(err, SCARCE_EDATA,
                            "this protocol goes by time: say which column holds it (--time COL)");
    for (size_t i = 0; i < table->n_rows; ++i) {
        out->first = table->time[i] < out->first ? table->time[i] : out->first;
        out->last = table->time[i] > out->last ? table->time[i] : out->last;
    }
    return SCARCE_OK;
}

static scarce_status fail_short(const scarce__folds *f, const char *what, scarce_error *err)
{
    const double span = f->last - f->first;

    if (f->first > 1e8 && f->first < 1e11 && span >= 86400) /* seconds since 1970 */
        return scarce__fail(err, SCARCE_EDATA,
                            "the data span %.3g days, too short for %s (choose shorter spans)", span / 86400,
                            what);
    return scarce__fail(err, SCARCE_EDATA, "the data span %g, too short for %s (choose shorter spans)", span,
                        what);
}

static scarce_status plan_windows(scarce__folds *out, const scarce_table *table, scarce_error *err)
{
    enum { MOST = 100000 };
    size_t windows;

    SCARCE__TRY(find_span(out, table, err));
    const double last = out->last;
    if (!(out->step > 0) || (last - out->first) / out->step > MOST)
        return scarce__fail(err, SCARCE_EINVAL, "a step of %g over a time of %g makes too many folds",
                            out->step, last - out->first);
    if (out->purge) SCARCE__TRY(find_known(out, table, err));
    SCARCE__TRY(order_rows(out, table, err));
    for (windows = 0; windows < MOST; ++windows) {
        const bounds b = bounds_of(out, windows);
        /* the last test part may lack a twentieth: data seldom end on the second */
        if (b.test_from + 0.95 * out->test > last && windows > 0) break;
    }
    out->window = scarce__malloc_array(windows, sizeof *out->window);
    if (!out->window) return scarce__fail_memory(err, "folds", 0);
    for (size_t w = 0; w < windows; ++w) {
        if (has_both(out, table, w)) out->window[out->count++] = w;
        else out->skipped += 1; /* a pause in the data */
    }
    if (out->count == 0) return fail_short(out, "even one fold of this protocol", err);
    return SCARCE_OK;
}

static scarce_status plan_latest(scarce__folds *out, const scarce_table *table, const char *text,
                                 const char *protocol, scarce_error *err)
{
    const span_field fields[] = {
        {"train", &out->train}, {"valid", &out->valid}, {"gap", &out->gap}, {"test", &out->test}};

    out->latest = 1;
    out->train = out->test = (double)NAN;
    SCARCE__TRY(parse_spans(text, fields, 4, protocol, err));
    if (!(out->test > 0) || !(isnan(out->train) || out->train > 0))
        return scarce__fail(err, SCARCE_EINVAL,
                            "protocol %.80s: test= is needed (latest:test=30d[,gap=7d][,train=90d])",
                            protocol);
    SCARCE__TRY(find_span(out, table, err));
    if (out->purge) SCARCE__TRY(find_known(out, table, err));
    out->window = scarce__calloc(1, sizeof *out->window);
    if (!out->window) return scarce__fail_memory(err, "folds", 0);
    SCARCE__TRY(order_rows(out, table, err));
    if (!has_both(out, table, 0)) {
        const bounds b = bounds_of(out, 0);
        return fail_short(out,
                          place_of(out, b.test_from) < out->n_timed
                              ? "a test and a gap of that length: no rows are left to train on"
                              : "a test of that length",
                          err);
    }
    out->count = 1;
    return SCARCE_OK;
}

static scarce_status plan_temporal(scarce__folds *out, const scarce_table *table, const char *text,
                                   const char *protocol, scarce_error *err)
{
    const span_field fields[] = {{"train", &out->train},
                                 {"valid", &out->valid},
                                 {"gap", &out->gap},
                                 {"test", &out->test},
                                 {"step", &out->step}};
    out->train = out->test = out->step = (double)NAN;
    SCARCE__TRY(parse_spans(text, fields, 5, protocol, err));
    if (!(out->train > 0) || !(out->test > 0))
        return scarce__fail(err, SCARCE_EINVAL,
                            "protocol %.80s: train= and test= are needed (temporal:train=30d,gap=7d,test=7d)",
                            protocol);
    if (isnan(out->step)) out->step = out->test;
    return plan_windows(out, table, err);
}

static scarce_status plan_prequential(scarce__folds *out, const scarce_table *table, const char *text,
                                      const char *protocol, scarce_error *err)
{
    const span_field fields[] = {{"delay", &out->gap}, {"train", &out->train}, {"test", &out->test}};
    out->train = 30 * 86400.0;
    out->gap = (double)NAN;
    out->test = 86400;
    out->expanding = 1;
    SCARCE__TRY(parse_spans(text, fields, 3, protocol, err));
    if (isnan(out->gap))
        return scarce__fail(err, SCARCE_EINVAL, "protocol %.80s: delay= is needed (prequential:delay=7d)",
                            protocol);
    if (!(out->train > 0) || !(out->test > 0))
        return scarce__fail(err, SCARCE_EINVAL, "protocol %.80s: train and test must be longer than 0",
                            protocol);
    out->step = out->test;
    return plan_windows(out, table, err);
}

scarce_status scarce__folds_make(scarce__folds *out, const scarce_table *table, const char *protocol,
                                 size_t repeats, int purge_known, const scarce_context *ctx,
                                 scarce_error *err)
{
    const char *text = strchr(protocol, ':');
    const size_t n = text ? (size_t)(text - protocol) : strlen(protocol);
    scarce__fold first;
    scarce_status st;

    memset(out, 0, sizeof *out);
    out->purge = purge_known;
    text = text ? text + 1 : "";
    if (n == 7 && memcmp(protocol, "holdout", n) == 0) st = plan_holdout(out, text, repeats, err);
    else if (n == 2 && memcmp(protocol, "cv", n) == 0) st = plan_cv(out, text, repeats, err);
    else if (n == 8 && memcmp(protocol, "temporal", n) == 0)
        st = plan_temporal(out, table, text, protocol, err);
    else if (n == 11 && memcmp(protocol, "prequential", n) == 0)
        st = plan_prequential(out, table, text, protocol, err);
    else if (n == 6 && memcmp(protocol, "latest", n) == 0) st = plan_latest(out, table, text, protocol, err);
    else
        st = scarce__fail(
            err, SCARCE_EINVAL,
            "no protocol \"%.80s\" (there are holdout:F, cv:K, latest:..., temporal:..., prequential:...)",
            protocol);
    if (st == SCARCE_OK && purge_known && out->kind != SCARCE__PROTOCOL_WINDOWS)
        st = scarce__fail(err, SCARCE_EINVAL,
                          "known groups are left out by time: that goes with temporal:... and "
                          "prequential:... only");
    if (st == SCARCE_OK && out->count &&
        out->kind != SCARCE__PROTOCOL_WINDOWS) { /* can it be split at all? */
        st = scarce__fold_rows(&first, out, table, 0, ctx, err);
        scarce__fold_deinit(&first);
    }
    if (st != SCARCE_OK) scarce__folds_deinit(out);
    return st;
}

scarce__fold_times scarce__fold_when(const scarce__folds *folds, size_t i)
{
    const scarce__fold_times none = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    return folds->kind == SCARCE__PROTOCOL_WINDOWS ? bounds_of(folds, folds->window[i]) : none;
}

/* ---- the rows of one fold */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void put_row(scarce__fold *out, int part, uint32_t row)
{
    if (part == IN_TRAIN) out->train[out->n_train++] = row;
    else if (part == IN_VALID) out->valid[out->n_valid++] = row;
    else if (part == IN_TEST) out->test[out->n_test++] = row;
}

/* A small window is picked out of the order of time and its rows sorted; of a large one a pass over the
 * table, in which they come sorted, costs less. */
static scarce_status window_rows(scarce__fold *out, const scarce__folds *folds, const scarce_table *table,
                                 size_t window, scarce_error *err)
{
    const bounds b = bounds_of(folds, window);
    const size_t from = place_of(folds, b.from), train_end = place_of(folds, b.train_end);
    const size_t valid_end = place_of(folds, b.valid_end), end = place_of(folds, b.test_end);

    out->train = scarce__malloc_array(train_end - from, sizeof *out->train);
    out->valid = scarce__malloc_array(valid_end - train_end, sizeof *out->valid);
    out->test = scarce__malloc_array(end - place_of(folds, b.test_from), sizeof *out->test);
    if (!out->train || !out->valid || !out->test) {
        scarce__fold_deinit(out);
        return scarce__fail_memory(err, "a fold", 0);
    }
    if ((end - from) > table->n_rows / 16) {
        for (size_t i = 0; i < table->n_rows; ++i) put_row(out, part_of(folds, &b, table, i), (uint32_t)i);
        return SCARCE_OK;
    }
    for (size_t i = from; i < end; ++i)
        put_row(out, part_of(folds, &b, table, folds->order[i]), folds->order[i]);
    qsort(out->train, out->n_train, sizeof *out->train, by_number);
    qsort(out->valid, out->n_valid, sizeof *out->valid, by_number);
    qsort(out->test, out->n_test, sizeof *out->test, by_number);
    return SCARCE_OK;
}

scarce_status scarce__fold_rows(scarce__fold *out, const scarce__folds *folds, const scarce_table *table,
                                size_t i, const scarce_context *ctx, scarce_error *err)
{
    scarce_split split;
    scarce_status st;

    memset(out, 0, sizeof *out);
    if (folds->kind == SCARCE__PROTOCOL_WINDOWS) return window_rows(out, folds, table, folds->window[i], err);
    if (folds->kind == SCARCE__PROTOCOL_HOLDOUT)
        st = scarce_split_holdout(&split, table, folds->fraction, i, ctx, err);
    else st = scarce_split_fold(&split, table, folds->k, i % folds->k, i / folds->k, ctx, err);
    if (st != SCARCE_OK) return st;
    out->train = split.train;
    out->n_train = split.n_train;
    out->test = split.test;
    out->n_test = split.n_test;
    return SCARCE_OK;
}
