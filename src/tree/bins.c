/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the bins of a table: columns side by side over the threads (bins_cut.c), then the bundles
 * (bundle.c), then both in the order of the schema. */
#include "tree/bins.h"

#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "tree/bins_inside.h"

scarce_status scarce__positions_of(scarce__positions *out, const scarce_table *table, const uint32_t *rows,
                                   size_t n, scarce_error *err)
{
    memset(out, 0, sizeof *out);
    if (!rows) return SCARCE_OK;
    out->begin = scarce__calloc(table->n_rows + 2, sizeof *out->begin);
    out->where = scarce__malloc_array(n, sizeof *out->where);
    if (!out->begin || !out->where) {
        scarce__positions_deinit(out);
        return scarce__fail_memory(err, "the positions of rows", 0);
    }
    for (size_t k = 0; k < n; ++k) ++out->begin[rows[k] + 2];
    for (size_t r = 0; r < table->n_rows; ++r) out->begin[r + 2] += out->begin[r + 1];
    for (size_t k = 0; k < n; ++k) out->where[out->begin[rows[k] + 1]++] = (uint32_t)k;
    return SCARCE_OK;
}

void scarce__positions_deinit(scarce__positions *p)
{
    scarce__free(p->begin);
    scarce__free(p->where);
    memset(p, 0, sizeof *p);
}

/* Columns: features alone first, in the order of the schema, then bundles of two or more. */
static size_t number_columns(scarce__finder *f, size_t n_bundles, const uint32_t *members,
                             uint32_t *bundle_column)
{
    size_t n = 0;
    for (size_t i = 0; i < f->table->schema.n_features; ++i) {
        scarce__found *v = &f->features[i];
        if (v->n_bins < 2) continue;
        if (v->bundled && members[v->column] < 2) v->bundled = 0;
        if (v->bundled) continue;
        v->column = (uint32_t)n++;
        v->first = 1;
    }
    for (size_t b = 0; b < n_bundles; ++b)
        if (members[b] >= 2) bundle_column[b] = (uint32_t)n++;
    for (size_t i = 0; i < f->table->schema.n_features; ++i)
        if (f->features[i].n_bins >= 2 && f->features[i].bundled)
            f->features[i].column = bundle_column[f->features[i].column];
    return n;
}

static void fill_used(scarce__bins *out, const scarce__finder *f)
{
    size_t u = 0, edge = 0, map = 0;
    for (size_t i = 0; i < out->n_features; ++i) {
        const scarce__found *v = &f->features[i];
        out->used_of[i] = -1;
        if (v->n_bins < 2) continue;
        scarce__bin_feature *b = &out->used[u];
        out->used_of[i] = (int32_t)u++;
        memset(b, 0, sizeof *b);
        b->feature = (uint32_t)i;
        b->column = v->column;
        b->n_bins = (uint16_t)v->n_bins;
        b->first = (uint16_t)v->first;
        b->zero = (int16_t)(v->bundled ? v->zero : -1);
        b->has_missing = v->n_missing > 0;
        if (v->map) {
            b->category = 1;
            b->map = (uint32_t)map;
            b->n_categories = v->n_categories;
            memcpy(out->bin_of + map, v->map, v->n_categories + 1);
            map += v->n_categories + 1;
        } else {
            b->edge = (uint32_t)edge;
            memcpy(out->edges + edge, v->edge, (v->n_bins - 1) * sizeof *v->edge);
            edge += v->n_bins - 1;
        }
        const unsigned codes = v->first + v->n_bins - (v->bundled ? 1u : 0u);
        if (codes > out->n_codes[v->column]) out->n_codes[v->column] = (uint16_t)codes;
        ++out->column_begin[v->column + 1];
    }
    for (size_t c = 0; c < out->n_columns; ++c) out->column_begin[c + 1] += out->column_begin[c];
    for (size_t i = out->n_used; i-- > 0;) { /* backwards, so that a column's features ascend */
        const uint32_t c = out->used[i].column;
        uint32_t at = out->column_begin[c];
        while (at < out->column_begin[c + 1] && out->column_used[at] != UINT32_MAX) ++at;
        out->column_used[at] = (uint32_t)i;
    }
}

static scarce_status assemble(scarce__bins *out, scarce__finder *f, scarce_error *err)
{
    const size_t n_features = f->table->schema.n_features;
    uint32_t *members = scarce__calloc(n_features + 1, sizeof *members);
    uint32_t *bundle_column = scarce__calloc(n_features + 1, sizeof *bundle_column);
    size_t n_bundles = 0, n_edges = 0, n_map = 0;
    scarce_status status = SCARCE_OK;

    if (!members || !bundle_column) status = scarce__fail_memory(err, "bins", 0);
    if (status == SCARCE_OK && f->options.bundle_share > 0)
        status = scarce__bins_bundle(f, &n_bundles, members, err);
    if (status == SCARCE_OK) {
        out->n_features = n_features;
        out->n_columns = number_columns(f, n_bundles, members, bundle_column);
        for (size_t i = 0; i < n_features; ++i) {
            const scarce__found *v = &f->features[i];
            if (v->n_bins < 2) continue;
            ++out->n_used;
            if (v->map) n_map += v->n_categories + 1;
            else n_edges += v->n_bins - 1;
        }
        out->used = scarce__malloc_array(out->n_used, sizeof *out->used);
        out->used_of = scarce__malloc_array(n_features, sizeof *out->used_of);
        out->n_codes = scarce__calloc(out->n_columns, sizeof *out->n_codes);
        out->column_begin = scarce__calloc(out->n_columns + 1, sizeof *out->column_begin);
        out->column_used = scarce__malloc_array(out->n_used, sizeof *out->column_used);
        out->edges = scarce__malloc_array(n_edges, sizeof *out->edges);
        out->bin_of = scarce__malloc(n_map);
        if (!out->used || !out->used_of || !out->n_codes || !out->column_begin || !out->column_used ||
            !out->edges || !out->bin_of)
            status = scarce__fail_memory(err, "bins", n_edges * sizeof *out->edges);
        else {
            memset(out->column_used, 0xff, out->n_used * sizeof *out->column_used);
            fill_used(out, f);
        }
    }
    scarce__free(members);
    scarce__free(bundle_column);
    return status;
}

/* Weights side by side, once for all columns. */
static scarce_status list_weights(scarce__finder *f, scarce_error *err)
{
    if (!f->weight) return SCARCE_OK;
    if (f->rows) f->listed_weight = scarce__malloc_array(f->n, sizeof *f->listed_weight);
    f->positive_weight = scarce__malloc_array(f->n_positive, sizeof *f->positive_weight);
    if ((f->rows && !f->listed_weight) || !f->positive_weight)
        return scarce__fail_memory(err, "finding bins", f->n * sizeof *f->listed_weight);
    for (size_t k = 0; f->rows && k < f->n; ++k) f->listed_weight[k] = f->weight[f->rows[k]];
    for (size_t k = 0; k < f->n_positive; ++k) f->positive_weight[k] = f->weight[f->positive[k]];
    return SCARCE_OK;
}

static scarce_status finder_init(scarce__finder *f, int threads, scarce_error *err)
{
    int sparse = 0;
    scarce_status status = SCARCE_OK;

    for (size_t i = 0; i < f->table->schema.n_features; ++i)
        sparse |= f->table->schema.features[i].kind == SCARCE_COLUMN_SPARSE;
    f->features = scarce__calloc(f->table->schema.n_features, sizeof *f->features);
    f->cutters = scarce__calloc((size_t)threads, sizeof *f->cutters);
    f->values = scarce__calloc((size_t)threads, sizeof *f->values);
    f->where = scarce__calloc((size_t)threads, sizeof *f->where);
    if (!f->features || !f->cutters || !f->values || !f->where)
        return scarce__fail_memory(err, "finding bins", 0);
    status = scarce__bins_positives(f, err);
    if (status == SCARCE_OK) status = list_weights(f, err);
    if (sparse && status == SCARCE_OK)
        status = scarce__positions_of(&f->positions, f->table, f->rows, f->n, err);
    for (int t = 0; t < threads && status == SCARCE_OK; ++t) {
        int good = scarce__cutter_init(&f->cutters[t], f->n + 1);
        if (good && sparse) {
            f->values[t] = scarce__big_alloc(f->n, sizeof **f->values);
            f->where[t] = scarce__big_alloc(f->n, sizeof **f->where);
            good = f->values[t] && f->where[t];
        }
        if (!good) status = scarce__fail_memory(err, "finding bins", 24 * f->n);
    }
    return status;
}

scarce_status scarce__bins_find(scarce__bins *out, const scarce_table *table, const uint32_t *rows, size_t n,
                                const double *weight, const scarce__bin_options *options, scarce_context *ctx,
                                scarce_error *err)
{
    const scarce__bin_options defaults = SCARCE__BIN_OPTIONS_INIT;
    scarce__finder f;
    const int threads = scarce_context_threads(ctx);
    scarce_status status;

    memset(out, 0, sizeof *out);
    memset(&f, 0, sizeof f);
    f.options = options ? *options : defaults;
    if (f.options.max_bins < 2 || f.options.max_bins > SCARCE__MAX_BINS)
        return scarce__fail(err, SCARCE_EINVAL, "max_bins is %d, allowed are 2 to 255", f.options.max_bins);
    f.table = table;
    f.rows = rows;
    f.n = rows ? n : table->n_rows;
    f.weight = weight;
    if (f.n == 0) return scarce__fail(err, SCARCE_EDATA, "there are no rows to find bins on");
    if (f.n >= UINT32_MAX)
        return scarce__fail(err, SCARCE_EINVAL, "%zu rows are too many, 2^32 - 2 at most", f.n);
    status = finder_init(&f, threads, err);
    if (status == SCARCE_OK) {
        scarce__pool_run(scarce__context_pool(ctx), table->schema.n_features, scarce__bins_cut, &f);
        for (size_t i = 0; i < table->schema.n_features; ++i)
            if (f.features[i].failed) status = SCARCE_ENOMEM;
        if (status != SCARCE_OK) status = scarce__fail_memory(err, "the edges of bins", 0);
    }
    if (status == SCARCE_OK) status = assemble(out, &f, err);
    if (status != SCARCE_OK) scarce__bins_deinit(out);
    for (size_t i = 0; f.features && i < table->schema.n_features; ++i) {
        scarce__free(f.features[i].edge);
        scarce__free(f.features[i].map);
    }
    for (int t = 0; t < threads; ++t) {
        if (f.cutters) scarce__cutter_deinit(&f.cutters[t]);
        if (f.values) scarce__free(f.values[t]);
        if (f.where) scarce__free(f.where[t]);
    }
    scarce__free(f.positive);
    scarce__free(f.listed_weight);
    scarce__free(f.positive_weight);
    scarce__free(f.features);
    scarce__free(f.cutters);
    scarce__free(f.values);
    scarce__free(f.where);
    scarce__positions_deinit(&f.positions);
    return status;
}

void scarce__bins_deinit(scarce__bins *bins)
{
    scarce__free(bins->used);
    scarce__free(bins->used_of);
    scarce__free(bins->n_codes);
    scarce__free(bins->column_begin);
    scarce__free(bins->column_used);
    scarce__free(bins->edges);
    scarce__free(bins->bin_of);
    memset(bins, 0, sizeof *bins);
}

size_t scarce__bins_bytes(const scarce__bins *bins)
{
    return bins->n_used * (sizeof *bins->used + SCARCE__MAX_BINS * sizeof *bins->edges);
}

unsigned scarce__bins_code(const scarce__bins *bins, const scarce__bin_feature *used, float x)
{
    unsigned b = 0;
    if (used->category) {
        if (!(x >= 0)) return 0;
        const uint32_t c = x < (float)used->n_categories ? (uint32_t)x : used->n_categories;
        return 1u + bins->bin_of[used->map + c];
    }
    if (x != x) return 0; /* missing; in a bundle the same code as zero */
    while (b + 1 < used->n_bins && x > bins->edges[used->edge + b]) ++b;
    if (used->zero < 0) return 1u + b;
    if (b == (unsigned)used->zero) return 0;
    return used->first + b - (b > (unsigned)used->zero);
}
