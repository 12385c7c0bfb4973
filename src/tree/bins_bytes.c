/* SPDX-License-Identifier: Apache-2.0 */
/* Bins as bytes, for rows that lie elsewhere. Whatever is read is held against the rules of bins.h. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "tree/bins.h"

void scarce__bins_write(const scarce__bins *b, scarce__writer *w)
{
    scarce__put_u64(w, b->n_features);
    scarce__put_u64(w, b->n_columns);
    scarce__put_u64(w, b->n_used);
    for (size_t u = 0; u < b->n_used; ++u) {
        const scarce__bin_feature *f = &b->used[u];
        scarce__put_u32(w, f->feature);
        scarce__put_u32(w, f->column);
        scarce__put_u32(w, f->n_bins);
        scarce__put_u32(w, f->first);
        scarce__put_u32(w, (uint32_t)(f->zero + 1));
        scarce__put_u8(w, f->category);
        scarce__put_u8(w, f->has_missing);
        if (f->category) {
            scarce__put_u32(w, f->n_categories);
            scarce__put(w, b->bin_of + f->map, (size_t)f->n_categories + 1);
        } else
            for (unsigned i = 0; i + 1 < f->n_bins; ++i) scarce__put_f32(w, b->edges[f->edge + i]);
    }
}

static int edges_ascend(const float *edge, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (isnan(edge[i]) || (i > 0 && !(edge[i] > edge[i - 1]))) return 0;
    return 1;
}

/* One used feature; `edges` and `maps` grow. 0: it is none. */
static int read_used(scarce__bins *b, size_t u, scarce__writer *edges, scarce__writer *maps,
                     scarce__reader *r)
{
    scarce__bin_feature *f = &b->used[u];
    f->feature = scarce__get_u32(r);
    f->column = scarce__get_u32(r);
    const uint32_t n_bins = scarce__get_u32(r), first = scarce__get_u32(r), zero = scarce__get_u32(r);
    f->category = scarce__get_u8(r);
    f->has_missing = scarce__get_u8(r);
    if (r->failed || f->feature >= b->n_features || f->column >= b->n_columns || n_bins < 2 ||
        n_bins > SCARCE__MAX_BINS || first < 1 || zero > n_bins ||
        first + n_bins - (zero > 0 ? 1 : 0) > 256 || (u > 0 && f->feature <= b->used[u - 1].feature))
        return 0;
    f->n_bins = (uint16_t)n_bins;
    f->first = (uint16_t)first;
    f->zero = (int16_t)((int)zero - 1);
    if (!f->category) {
        float edge[SCARCE__MAX_BINS];
        for (unsigned i = 0; i + 1 < n_bins; ++i) edge[i] = scarce__get_f32(r);
        f->edge = (uint32_t)(edges->n / sizeof *edge);
        scarce__put(edges, edge, (n_bins - 1) * sizeof *edge);
        return !r->failed && edges_ascend(edge, n_bins - 1);
    }
    f->n_categories = scarce__get_u32(r);
    const uint8_t *map = scarce__get(r, (size_t)f->n_categories + 1);
    f->map = (uint32_t)maps->n;
    for (size_t c = 0; map && c <= f->n_categories; ++c)
        if (map[c] >= n_bins) return 0;
    if (map) scarce__put(maps, map, (size_t)f->n_categories + 1);
    return map != NULL;
}

/* What follows from the used features. 0: two of them have the same codes, or a column has none. */
static int finish(scarce__bins *b)
{
    memset(b->used_of, 0xff, b->n_features * sizeof *b->used_of);
    for (size_t u = 0; u < b->n_used; ++u) {
        const scarce__bin_feature *f = &b->used[u];
        const unsigned codes = f->first + f->n_bins - (f->zero >= 0 ? 1u : 0u);
        if (codes > b->n_codes[f->column]) b->n_codes[f->column] = (uint16_t)codes;
        b->used_of[f->feature] = (int32_t)u;
        ++b->column_begin[f->column + 1];
    }
    for (size_t c = 0; c < b->n_columns; ++c) {
        if (b->column_begin[c + 1] == 0) return 0;
        b->column_begin[c + 1] += b->column_begin[c];
    }
    memset(b->column_used, 0xff, b->n_used * sizeof *b->column_used);
    for (size_t u = 0; u < b->n_used; ++u) {
        const scarce__bin_feature *f = &b->used[u];
        uint32_t at = b->column_begin[f->column];
        for (; b->column_used[at] != UINT32_MAX; ++at) {
            const scarce__bin_feature *o = &b->used[b->column_used[at]];
            if (o->zero < 0 || f->zero < 0 || o->first + o->n_bins - 1u > f->first) return 0;
        }
        b->column_used[at] = (uint32_t)u;
    }
    return 1;
}

scarce_status scarce__bins_read(scarce__bins *out, scarce__reader *r, scarce_error *err)
{
    scarce__writer edges = {0}, maps = {0};
    int good, memory = 1;

    memset(out, 0, sizeof *out);
    out->n_features = (size_t)scarce__get_u64(r);
    out->n_columns = (size_t)scarce__get_u64(r);
    out->n_used = scarce__get_count(r, 22);
    good = !r->failed && out->n_columns <= out->n_used && out->n_used <= out->n_features &&
           out->n_features < (size_t)1 << 24;
    if (good) {
        out->used = scarce__calloc(out->n_used, sizeof *out->used);
        out->used_of = scarce__malloc_array(out->n_features, sizeof *out->used_of);
        out->n_codes = scarce__calloc(out->n_columns, sizeof *out->n_codes);
        out->column_begin = scarce__calloc(out->n_columns + 1, sizeof *out->column_begin);
        out->column_used = scarce__malloc_array(out->n_used, sizeof *out->column_used);
        memory = out->used && out->used_of && out->n_codes && out->column_begin && out->column_used;
    }
    for (size_t u = 0; good && memory && u < out->n_used; ++u) good = read_used(out, u, &edges, &maps, r);
    memory = memory && !edges.failed && !maps.failed;
    out->edges = (float *)(void *)edges.bytes;
    out->bin_of = maps.bytes;
    if (good && memory) good = finish(out);
    if (good && memory) return SCARCE_OK;
    scarce__bins_deinit(out);
    return memory ? scarce__fail(err, SCARCE_EPARSE, "damaged bins") : scarce__fail_memory(err, "bins", 0);
}
