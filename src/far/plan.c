/* SPDX-License-Identifier: Apache-2.0 */
#include "far/plan.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/priority.h"
#include "far/message.h"
#include "far/sketch.h"
#include "model/model.h"

void scarce_plan_free(scarce_plan *p)
{
    if (!p) return;
    scarce__schema_deinit(&p->schema);
    scarce__bins_deinit(&p->bins);
    scarce_table_free(p->sample);
    scarce__free(p->missing);
    scarce__profile_free(p->profile);
    scarce__free(p);
}

const scarce_schema *scarce_plan_schema(const scarce_plan *p)
{
    return &p->schema;
}

uint64_t scarce_plan_rows(const scarce_plan *p, uint64_t *positives)
{
    if (positives) *positives = p->n_positives;
    return p->n_rows;
}

size_t scarce_plan_row_bytes(const scarce_plan *p)
{
    return p->bins.n_columns + sizeof(float) + 1;
}

/* ---- bytes */

static void write_plan(const scarce_plan *p, scarce__writer *w)
{
    scarce__message_begin(w, SCARCE__A_PLAN);
    scarce__schema_write(&p->schema, w);
    scarce__bins_write(&p->bins, w);
    scarce__put_u64(w, p->n_rows);
    scarce__put_u64(w, p->n_positives);
}

scarce_status scarce_plan_bytes(void **bytes, size_t *n, const scarce_plan *p, scarce_error *err)
{
    scarce__writer w = {0};
    write_plan(p, &w);
    return scarce__message_end(bytes, n, &w, err);
}

/* Bins must be of these features. */
static int fits(const scarce_plan *p)
{
    if (p->bins.n_features != p->schema.n_features || p->n_positives > p->n_rows) return 0;
    for (size_t u = 0; u < p->bins.n_used; ++u) {
        const scarce__bin_feature *f = &p->bins.used[u];
        const scarce__feature *is = &p->schema.features[f->feature];
        if ((is->kind == SCARCE_COLUMN_CATEGORY) != (f->category != 0) || is->kind == SCARCE_COLUMN_SPARSE ||
            (f->category && f->n_categories != is->categories.count))
            return 0;
    }
    return 1;
}

scarce_status scarce_plan_read(scarce_plan **out, const void *bytes, size_t n, scarce_error *err)
{
    scarce_plan *p = scarce__calloc(1, sizeof *p);
    scarce__reader r;
    scarce_status st = p ? SCARCE_OK : scarce__fail_memory(err, "a plan", 0);

    *out = NULL;
    if (st == SCARCE_OK) st = scarce__message_open(&r, bytes, n, SCARCE__A_PLAN, err);
    if (st == SCARCE_OK) st = scarce__schema_read(&p->schema, &r, "a plan", err);
    if (st == SCARCE_OK) st = scarce__bins_read(&p->bins, &r, err);
    if (st == SCARCE_OK) {
        p->n_rows = scarce__get_u64(&r);
        p->n_positives = scarce__get_u64(&r);
        p->fingerprint = scarce__crc64(bytes, n);
        if (r.failed || r.at != r.end || !fits(p)) st = scarce__message_damaged(err);
    }
    if (st == SCARCE_OK) *out = p;
    else scarce_plan_free(p);
    return st;
}

/* ---- from a sketch */

/* Features that share a column must never be away from zero in the same row, which a sample can't promise. */
static scarce_status find_bins(scarce_plan *p, const double factor[2], const scarce__bin_options *options,
                               scarce_context *ctx, scarce_error *err)
{
    const scarce_table *t = p->sample;
    const int all = factor[0] == 1 && factor[1] == 1;
    scarce__bin_options o = *options;
    double *weight = NULL;
    scarce_status st;

    if (!all && !(weight = scarce__bins_weights(t, NULL, t->n_rows, t->weight, factor)))
        return scarce__fail_memory(err, "finding bins", t->n_rows * sizeof *weight);
    st = scarce__bins_find(&p->bins, t, NULL, 0, all ? t->weight : weight, &o, ctx, err);
    if (st == SCARCE_OK && !all && p->bins.n_columns < p->bins.n_used) {
        scarce__bins_deinit(&p->bins);
        o.bundle_share = 0;
        st = scarce__bins_find(&p->bins, t, NULL, 0, weight, &o, ctx, err);
    }
    scarce__free(weight);
    return st;
}

/* Of the rows a model remembers the spread of: those of smallest priority, as in memory. */
static scarce_status find_profile(scarce_plan *p, const uint64_t *id, scarce_error *err)
{
    size_t n = 0;
    uint32_t *rows = scarce__priority_rows_of(id, p->sample->n_rows, SCARCE__PROFILE_ROWS, &n);
    scarce_status st;

    if (!rows) return scarce__fail_memory(err, "the spread of the rows", 0);
    st = scarce__profile_of_rows(&p->profile, p->sample, rows, n, err);
    scarce__free(rows);
    return st;
}

static scarce_status fill(scarce_plan *p, const scarce_sketch *sketch, const scarce__bin_options *options,
                          scarce_context *ctx, scarce_error *err)
{
    double factor[2];
    uint64_t *id = NULL;
    scarce__writer w = {0};
    scarce_status st;

    SCARCE__TRY(scarce__sketch_table(&p->sample, &id, factor, sketch, err));
    st = scarce__schema_copy(&p->schema, &p->sample->schema, err);
    p->n_rows = scarce__sketch_rows(sketch);
    p->n_positives = sketch->classes[1].seen;
    if (st == SCARCE_OK) st = find_bins(p, factor, options, ctx, err);
    if (st == SCARCE_OK) st = find_profile(p, id, err);
    scarce__free(id);
    SCARCE__TRY(st);
    p->missing = scarce__malloc_array(p->schema.n_features, sizeof *p->missing);
    if (!p->missing) return scarce__fail_memory(err, "the shares of missing values", 0);
    for (size_t f = 0; f < p->schema.n_features; ++f)
        p->missing[f] = (float)((double)sketch->missing[f] / (double)p->n_rows);
    write_plan(p, &w);
    if (!w.failed) scarce__put_u64(&w, scarce__crc64(w.bytes, w.n));
    if (!w.failed) p->fingerprint = scarce__crc64(w.bytes, w.n);
    st = w.failed ? scarce__fail_memory(err, "a plan", 0) : SCARCE_OK;
    scarce__writer_deinit(&w);
    return st;
}

scarce_status scarce__far_plan_make(scarce_plan **out, const scarce_sketch *sketch,
                                    const scarce__bin_options *options, scarce_context *ctx,
                                    scarce_error *err)
{
    scarce_plan *p = scarce__calloc(1, sizeof *p);
    scarce_status st = p ? fill(p, sketch, options, ctx, err) : scarce__fail_memory(err, "a plan", 0);

    if (st == SCARCE_OK) *out = p;
    else {
        *out = NULL;
        scarce_plan_free(p);
    }
    return st;
}
