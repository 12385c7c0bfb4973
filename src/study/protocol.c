/* SPDX-License-Identifier: Apache-2.0 */
#include "study/protocol.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"

void scarce__folds_deinit(scarce__folds *folds)
{
    for (size_t i = 0; i < folds->count; ++i) {
        scarce__free(folds->items[i].train);
        scarce__free(folds->items[i].valid);
        scarce__free(folds->items[i].test);
    }
    scarce__free(folds->items);
    memset(folds, 0, sizeof *folds);
}

/* Takes the arrays, also on failure. */
static scarce_status add_fold(scarce__folds *folds, scarce_split *split, uint32_t *valid, size_t n_valid,
                              scarce_error *err)
{
    scarce__fold *grown = scarce__realloc_array(folds->items, folds->count + 1, sizeof *grown);
    const scarce__fold fold = {split->train, valid, split->test, split->n_train, n_valid, split->n_test};
    if (!grown) {
        scarce_split_deinit(split);
        scarce__free(valid);
        return scarce__fail_memory(err, "folds", 0);
    }
    folds->items = grown;
    folds->items[folds->count++] = fold;
    memset(split, 0, sizeof *split);
    return SCARCE_OK;
}

/* ---- text */

static int parse_span(const char *text, size_t length, double *span)
{
    static const char units[] = "smhdw";
    static const double seconds[] = {1, 60, 3600, 86400, 604800};
    const char *unit = length > 0 ? memchr(units, text[length - 1], sizeof units - 1) : NULL;
    const double factor = unit ? seconds[unit - units] : 1;
    if (scarce__parse_double(text, unit ? length - 1 : length, span) != 1 || !(*span >= 0) ||
        !isfinite(*span))
        return 0;
    *span *= factor;
    return 1;
}

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
        if (!parse_span(equals + 1, item - (size_t)(equals + 1 - text), fields[i].span))
            return scarce__fail(err, SCARCE_EINVAL,
                                "protocol %.80s: \"%.*s\" is no span of time (7d, 12h, 3600)", protocol,
                                (int)(item - (size_t)(equals + 1 - text)), equals + 1);
        text += item;
        if (*text == ',') ++text;
    }
    return SCARCE_OK;
}

/* ---- random protocols */

static scarce_status make_holdout(scarce__folds *out, const scarce_table *table, const char *text,
                                  size_t repeats, const scarce_context *ctx, scarce_error *err)
{
    double fraction = 1.0 / 3;
    if (*text &&
        (scarce__parse_double(text, strlen(text), &fraction) != 1 || !(fraction > 0 && fraction < 1)))
        return scarce__fail(err, SCARCE_EINVAL, "holdout:%.40s wants a share between 0 and 1", text);
    for (size_t r = 0; r < repeats; ++r) {
        scarce_split split;
        SCARCE__TRY(scarce_split_holdout(&split, table, fraction, r, ctx, err));
        SCARCE__TRY(add_fold(out, &split, NULL, 0, err));
    }
    return SCARCE_OK;
}

static scarce_status make_cv(scarce__folds *out, const scarce_table *table, const char *text, size_t repeats,
                             const scarce_context *ctx, scarce_error *err)
{
    double k = 5;
    if (*text && (scarce__parse_double(text, strlen(text), &k) != 1 || k != floor(k) || k < 2 || k > 10000))
        return scarce__fail(err, SCARCE_EINVAL, "cv:%.40s wants a whole number of folds from 2 on", text);
    for (size_t r = 0; r < repeats; ++r)
        for (size_t f = 0; f < (size_t)k; ++f) {
            scarce_split split;
            SCARCE__TRY(scarce_split_fold(&split, table, (size_t)k, f, r, ctx, err));
            SCARCE__TRY(add_fold(out, &split, NULL, 0, err));
        }
    return SCARCE_OK;
}

/* ---- protocols by time */

typedef struct windows {
    double train, valid, gap, test, step;
    int expanding; /* training begins at the first row */
} windows;

/* The rows of [from, to). */
static scarce_status rows_between(uint32_t **out, size_t *n, const scarce_table *t, double from, double to,
                                  scarce_error *err)
{
    *n = 0;
    for (size_t i = 0; i < t->n_rows; ++i) *n += t->time[i] >= from && t->time[i] < to;
    *out = scarce__malloc_array(*n, sizeof **out);
    if (!*out) return scarce__fail_memory(err, "folds", 0);
    *n = 0;
    for (size_t i = 0; i < t->n_rows; ++i)
        if (t->time[i] >= from && t->time[i] < to) (*out)[(*n)++] = (uint32_t)i;
    return SCARCE_OK;
}

static scarce_status make_windows(scarce__folds *out, const scarce_table *table, const windows *w, int purge,
                                  scarce_error *err)
{
    enum { MOST = 100000 };
    double first = INFINITY, last = -INFINITY;

    if (!table->time)
        return scarce__fail(err, SCARCE_EDATA,
                            "this protocol goes by time: say which column holds it (--time COL)");
    for (size_t i = 0; i < table->n_rows; ++i) {
        first = table->time[i] < first ? table->time[i] : first;
        last = table->time[i] > last ? table->time[i] : last;
    }
    if (!(w->step > 0) || (last - first) / w->step > MOST)
        return scarce__fail(err, SCARCE_EINVAL, "a step of %g over a time of %g makes too many folds",
                            w->step, last - first);
    for (size_t k = 0; k < MOST; ++k) {
        const double start = first + (double)k * w->step, end = start + w->train;
        scarce_temporal period = SCARCE_TEMPORAL_INIT;
        scarce_split split;
        scarce_error inner = SCARCE_ERROR_INIT;
        uint32_t *valid = NULL;
        size_t n_valid = 0;
        scarce_status st;

        /* the last test part may lack a twentieth: data seldom end on the second */
        if (end + w->valid + w->gap + 0.95 * w->test > last && k > 0) break;
        period.start = w->expanding ? first : start;
        period.train = end - period.start;
        period.gap = w->valid + w->gap;
        period.test = w->test;
        period.purge_known = purge;
        st = scarce_split_temporal(&split, table, &period, &inner);
        if (st == SCARCE_EDATA) continue; /* an empty part: a pause in the data */
        if (st != SCARCE_OK) return scarce__fail(err, st, "%s", inner.text);
        if (w->valid > 0 && rows_between(&valid, &n_valid, table, end, end + w->valid, err) != SCARCE_OK) {
            scarce_split_deinit(&split);
            return SCARCE_ENOMEM;
        }
        SCARCE__TRY(add_fold(out, &split, valid, n_valid, err));
    }
    if (out->count == 0)
        return scarce__fail(err, SCARCE_EDATA,
                            "the data span %g, too short for even one fold of this protocol", last - first);
    return SCARCE_OK;
}

static scarce_status make_temporal(scarce__folds *out, const scarce_table *table, const char *text,
                                   const char *protocol, int purge, scarce_error *err)
{
    windows w = {(double)NAN, 0, 0, (double)NAN, (double)NAN, 0};
    const span_field fields[] = {
        {"train", &w.train}, {"valid", &w.valid}, {"gap", &w.gap}, {"test", &w.test}, {"step", &w.step}};
    SCARCE__TRY(parse_spans(text, fields, 5, protocol, err));
    if (!(w.train > 0) || !(w.test > 0))
        return scarce__fail(err, SCARCE_EINVAL,
                            "protocol %.80s: train= and test= are needed (temporal:train=30d,gap=7d,test=7d)",
                            protocol);
    if (isnan(w.step)) w.step = w.test;
    return make_windows(out, table, &w, purge, err);
}

static scarce_status make_prequential(scarce__folds *out, const scarce_table *table, const char *text,
                                      const char *protocol, int purge, scarce_error *err)
{
    windows w = {30 * 86400.0, 0, (double)NAN, 86400, 0, 1};
    const span_field fields[] = {{"delay", &w.gap}, {"train", &w.train}, {"test", &w.test}};
    SCARCE__TRY(parse_spans(text, fields, 3, protocol, err));
    if (isnan(w.gap))
        return scarce__fail(err, SCARCE_EINVAL, "protocol %.80s: delay= is needed (prequential:delay=7d)",
                            protocol);
    if (!(w.train > 0) || !(w.test > 0))
        return scarce__fail(err, SCARCE_EINVAL, "protocol %.80s: train and test must be longer than 0",
                            protocol);
    w.step = w.test;
    return make_windows(out, table, &w, purge, err);
}

scarce_status scarce__folds_make(scarce__folds *out, const scarce_table *table, const char *protocol,
                                 size_t repeats, int purge_known, const scarce_context *ctx,
                                 scarce_error *err)
{
    const char *text = strchr(protocol, ':');
    const size_t n = text ? (size_t)(text - protocol) : strlen(protocol);
    scarce_status st;

    memset(out, 0, sizeof *out);
    text = text ? text + 1 : "";
    if (n == 7 && memcmp(protocol, "holdout", n) == 0) st = make_holdout(out, table, text, repeats, ctx, err);
    else if (n == 2 && memcmp(protocol, "cv", n) == 0) st = make_cv(out, table, text, repeats, ctx, err);
    else if (n == 8 && memcmp(protocol, "temporal", n) == 0)
        st = make_temporal(out, table, text, protocol, purge_known, err);
    else if (n == 11 && memcmp(protocol, "prequential", n) == 0)
        st = make_prequential(out, table, text, protocol, purge_known, err);
    else
        st = scarce__fail(err, SCARCE_EINVAL,
                          "no protocol \"%.80s\" (there are holdout:F, cv:K, temporal:..., prequential:...)",
                          protocol);
    if (st != SCARCE_OK) scarce__folds_deinit(out);
    return st;
}
