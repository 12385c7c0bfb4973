/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of files that are trained from disk are held out for validation: those that --valid-fraction holds out of a
 * table in memory. Who goes where is known only when all rows were seen, so the files are looked at once more before, for their
 * roles alone: other columns are ignored, which takes a fraction of the time.
 *
 *     with times      the earliest moment that is held out; 8 bytes of memory for each row
 *     without         a draw by class and group (scarce_split_holdout); some 20 bytes, and a bit for each row kept */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* ---- reading roles alone */

typedef struct roles {
    data_options data;
    const char **ignore; /* the names are the stream's and the options' */
    size_t n;
    scarce_stream *stream; /* whose first block told the names; NULL: nothing to read */
    scarce_table *block;
} roles;

static void forget_roles(roles *r)
{
    free(r->ignore);
    scarce_table_free(r->block);
    scarce_stream_close(r->stream);
}

/* Which feature is read all the same, since a table has one: a number takes least. */
static size_t feature_kept(const scarce_schema *schema)
{
    for (size_t f = 0; f < scarce_schema_features(schema); ++f)
        if (scarce_schema_kind(schema, f) == SCARCE_COLUMN_NUMERIC) return f;
    return 0;
}

static void ignore_role(roles *r, const scarce_schema *schema, const char **role)
{
    if (*role && scarce_schema_find(schema, *role) == SIZE_MAX) r->ignore[r->n++] = *role;
    *role = NULL;
}

static scarce_status choose_ignored(roles *r, const data_options *data, scarce_error *err)
{
    const scarce_schema *schema = scarce_table_schema(r->block);
    const scarce_reading *reading = scarce_table_reading(r->block);
    const size_t features = scarce_schema_features(schema), notes = reading ? reading->n_notes : 0,
                 kept = feature_kept(schema);

    r->ignore = malloc((data->ignore.count + features + notes + 8) * sizeof *r->ignore);
    if (!r->ignore) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    for (size_t i = 0; i < data->ignore.count; ++i) r->ignore[r->n++] = data->ignore.items[i];
    for (size_t f = 0; f < features; ++f)
        if (f != kept) r->ignore[r->n++] = scarce_schema_name(schema, f);
    for (size_t i = 0; i < notes; ++i) /* columns that are no features, being ids */
        if (reading->notes[i].left_out) r->ignore[r->n++] = reading->notes[i].column;
    r->data = *data;
    ignore_role(r, schema, &r->data.weight);
    ignore_role(r, schema, &r->data.amount);
    ignore_role(r, schema, &r->data.cost_column);
    if (r->data.time) ignore_role(r, schema, &r->data.group);
    r->data.label = scarce_schema_label(schema);
    r->data.ignore = (text_list){r->ignore, r->n};
    r->data.categorical.count = r->data.numeric.count = r->data.use.count = 0;
    r->data.keep_all = r->data.no_talk = 1;
    return SCARCE_OK;
}

static scarce_status open_roles(roles *r, const text_list *paths, const data_options *data,
                                scarce_context *ctx, scarce_error *err)
{
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_status st;

    memset(r, 0, sizeof *r);
    st = set_read_options(&ro, data, NULL, err);
    if (st == SCARCE_OK) st = scarce_stream_open(&r->stream, paths->items, paths->count, &ro, ctx, err);
    if (st == SCARCE_OK) st = scarce_stream_next(r->stream, &r->block, err);
    if (st == SCARCE_OK && !r->block)
        st = fail_with(err, SCARCE_EDATA, "the files hold no rows to hold out for validation");
    return st == SCARCE_OK ? choose_ignored(r, data, err) : st;
}

/* ---- by time */

typedef struct times {
    double *time;
    size_t n, room;
} times;

static scarce_status take_times(void *payload, const scarce_table *block, scarce_context *ctx,
                                scarce_error *err)
{
    times *t = payload;
    const size_t n = scarce_table_rows(block);

    (void)ctx;
    if (t->n + n > t->room) {
        const size_t room = (t->n + n) / 2 * 3;
        double *more = realloc(t->time, room * sizeof *more);
        if (!more || (double)(t->n + n) * sizeof *more > 0.5 * memory_limit()) {
            if (more) t->time = more;
            return fail_with(err, SCARCE_ENOMEM,
                             "out of memory for the times of more than %zu rows: the latest can't be held "
                             "out (--valid FILE, or more --memory)",
                             t->n);
        }
        t->time = more;
        t->room = room;
    }
    memcpy(t->time + t->n, scarce_table_time(block), n * sizeof *t->time);
    t->n += n;
    return SCARCE_OK;
}

static scarce_status hold_out_latest(held_out *out, const text_list *paths, const data_options *data,
                                     double fraction, scarce_context *ctx, scarce_error *err)
{
    times t = {NULL, 0, 0};
    scarce_status st = for_each_block(paths, data, NULL, "times", 0, take_times, &t, ctx, err);

    if (st == SCARCE_OK) {
        out->by_time = 1;
        out->from = scarce_split_moment(t.time, t.n, fraction);
        out->rows = t.n;
        for (size_t i = 0; i < t.n; ++i) out->n += t.time[i] >= out->from;
    }
    free(t.time);
    return st;
}

/* ---- by chance */

static scarce_status hold_out_drawn(held_out *out, const text_list *paths, const data_options *data,
                                    double fraction, scarce_context *ctx, scarce_error *err)
{
    scarce_table *table = NULL;
    scarce_split split;
    scarce_status st = read_table(&table, paths, data, NULL, ctx, err);

    memset(&split, 0, sizeof split);
    if (st == SCARCE_OK) st = scarce_split_holdout(&split, table, fraction, 0, ctx, err);
    if (st == SCARCE_OK) {
        out->rows = scarce_table_rows(table);
        out->bits = calloc(out->rows / 8 + 1, 1);
        if (!out->bits) st = fail_with(err, SCARCE_ENOMEM, "out of memory");
    }
    if (st == SCARCE_OK) {
        out->n = split.n_test;
        for (size_t i = 0; i < split.n_test; ++i)
            out->bits[split.test[i] / 8] |= (unsigned char)(1U << split.test[i] % 8);
    }
    scarce_split_deinit(&split);
    scarce_table_free(table);
    return st;
}

/* Said before the files are read twice more. */
static scarce_status check_room(const held_out *h, const scarce_schema *schema, scarce_error *err)
{
    const double bytes = (double)h->n * (4.0 * (double)scarce_schema_features(schema) + 29);

    if (h->n == h->rows || h->n == 0)
        return fail_with(err, SCARCE_EDATA, "the split leaves %llu rows to train and %llu to test",
                         (unsigned long long)(h->rows - h->n), (unsigned long long)h->n);
    if (bytes > 0.6 * memory_limit())
        return fail_with(err, SCARCE_ENOMEM,
                         "%llu validation rows take some %.0f MB, too much of --memory (a smaller "
                         "--valid-fraction, or more --memory)",
                         (unsigned long long)h->n, bytes / 1e6);
    return SCARCE_OK;
}

scarce_status hold_out(held_out *out, const text_list *paths, const data_options *data, double fraction,
                       scarce_context *ctx, scarce_error *err)
{
    roles r;
    scarce_status st = open_roles(&r, paths, data, ctx, err);

    memset(out, 0, sizeof *out);
    if (st == SCARCE_OK && data->time) st = hold_out_latest(out, paths, &r.data, fraction, ctx, err);
    else if (st == SCARCE_OK) st = hold_out_drawn(out, paths, &r.data, fraction, ctx, err);
    if (st == SCARCE_OK) st = check_room(out, scarce_table_schema(r.block), err);
    forget_roles(&r);
    return st;
}

int is_held_out(const held_out *h, const scarce_table *block, size_t row, uint64_t number)
{
    if (h->by_time) return scarce_table_time(block)[row] >= h->from;
    return h->bits && number < h->rows && (h->bits[number / 8] >> number % 8 & 1);
}

void forget_held_out(held_out *h)
{
    free(h->bits);
    memset(h, 0, sizeof *h);
}
