/* SPDX-License-Identifier: Apache-2.0 */
/* Points of rows. Sums run in the order of the dimensions, so they have the same bits everywhere. */
#include "near/embed.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/columns.h"

enum { BLOCK = 256 };

void scarce__embed_deinit(scarce__embed *e)
{
    scarce__free(e->begin);
    memset(e, 0, sizeof *e);
}

scarce_status scarce__embed_init(scarce__embed *e, const scarce__space *s, const scarce_schema *schema,
                                 scarce_error *err)
{
    e->space = s;
    e->begin = scarce__malloc_array(s->n_codes + 1, sizeof *e->begin);
    if (!e->begin) return scarce__fail_memory(err, "points of rows", 0);
    e->begin[0] = s->n_numbers + s->n_sparse;
    for (size_t c = 0; c < s->n_codes; ++c)
        e->begin[c + 1] = e->begin[c] + schema->features[s->code[c]].categories.count;
    e->dims = e->begin[s->n_codes];
    return SCARCE_OK;
}

size_t scarce__embed_feature(const scarce__embed *e, size_t dim)
{
    const scarce__space *s = e->space;
    if (dim < s->n_numbers) return s->number[dim];
    if (dim < s->n_numbers + s->n_sparse) return s->sparse[dim - s->n_numbers];
    for (size_t c = 0; c < s->n_codes; ++c)
        if (dim < e->begin[c + 1]) return s->code[c];
    return SIZE_MAX;
}

static double number_of(float x, double center, double scale)
{
    return fabsf(x) <= FLT_MAX ? ((double)x - center) * scale : 0;
}

void scarce__embed_row(const scarce__embed *e, const float *row, double *z)
{
    const scarce__space *s = e->space;

    for (size_t f = 0; f < s->n_numbers; ++f) z[f] = number_of(row[s->number[f]], s->center[f], s->scale[f]);
    for (size_t f = 0; f < s->n_sparse; ++f)
        z[s->n_numbers + f] = number_of(row[s->sparse[f]], 0, s->sparse_scale[f]);
    for (size_t i = e->begin[0]; i < e->dims; ++i) z[i] = 0;
    for (size_t c = 0; c < s->n_codes; ++c) {
        const float code = row[s->code[c]];
        const size_t n = e->begin[c + 1] - e->begin[c];
        if (code >= 0 && code < (float)n)
            z[e->begin[c] + (size_t)code] = 0x1.6a09e667f3bcdp-1; /* sqrt(1/2) */
    }
}

void scarce__embed_map(const double *map, size_t n_out, const double *z, size_t dims, float *out)
{
    for (size_t i = 0; i < n_out; ++i) {
        double sum = 0;
        if (map)
            for (size_t j = 0; j < dims; ++j) sum += map[i * dims + j] * z[j];
        else sum = z[i];
        out[i] = (float)sum;
    }
}

/* ---- tables */

typedef struct embedding {
    const scarce__embed *e;
    const scarce__columns *columns;
    const double *map;
    size_t n, n_features, n_out;
    double *z;      /* all rows, or */
    float **to;     /* columns of the result, and */
    float *scratch; /* per worker: rows, and */
    double *points; /* points */
} embedding;

static void embed_block(void *arg, size_t block, int worker)
{
    const embedding *g = arg;
    const size_t dims = g->e->dims, first = block * BLOCK, n = g->n - first < BLOCK ? g->n - first : BLOCK;
    float *rows = g->scratch + (size_t)worker * BLOCK * (g->n_features + g->n_out),
          *mapped = rows + BLOCK * g->n_features;

    for (size_t f = 0; f < g->n_features; ++f)
        scarce__columns_take(&g->columns[f], first, n, rows + f, g->n_features);
    for (size_t i = 0; i < n; ++i) {
        double *z = g->z ? g->z + (first + i) * dims : g->points + (size_t)worker * dims;
        scarce__embed_row(g->e, rows + i * g->n_features, z);
        if (!g->to) continue;
        scarce__embed_map(g->map, g->n_out, z, dims, mapped);
        for (size_t o = 0; o < g->n_out; ++o) g->to[o][first + i] = mapped[o];
    }
}

/* Into z or into the columns `to`; 0: out of memory. */
static int embed_all(embedding *g, const scarce_table *table, scarce_context *ctx)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    const size_t threads = (size_t)scarce__pool_threads(pool);
    scarce__columns *columns = scarce__columns_of(table);
    int ok;

    g->columns = columns;
    g->n = table->n_rows;
    g->n_features = table->schema.n_features;
    g->scratch = scarce__malloc_array(threads * BLOCK * (g->n_features + g->n_out), sizeof *g->scratch);
    g->points = scarce__malloc_array(threads * g->e->dims, sizeof *g->points);
    ok = columns && g->scratch && g->points;
    if (ok) scarce__pool_run(pool, scarce__blocks(g->n, BLOCK), embed_block, g);
    scarce__free(columns);
    scarce__free(g->scratch);
    scarce__free(g->points);
    return ok;
}

double *scarce__embed_table(const scarce__embed *e, const scarce_table *table, scarce_context *ctx)
{
    embedding g = {.e = e, .z = scarce__malloc_array(table->n_rows * e->dims, sizeof(double))};

    if (g.z && !embed_all(&g, table, ctx)) {
        scarce__free(g.z);
        g.z = NULL;
    }
    return g.z;
}

scarce_status scarce__embed_mapped(scarce_table **out, const scarce__embed *e, const scarce_table *table,
                                   const double *map, size_t n_out, scarce_context *ctx, scarce_error *err)
{
    scarce_table *t = scarce__calloc(1, sizeof *t);
    float **to = scarce__calloc(n_out + 1, sizeof *to);
    embedding g = {.e = e, .map = map, .n_out = n_out, .to = to};
    int ok = t && to;

    *out = NULL;
    if (ok) {
        t->n_rows = table->n_rows;
        t->columns = scarce__calloc(n_out, sizeof *t->columns);
        t->schema.features = scarce__calloc(n_out, sizeof *t->schema.features);
        ok = t->columns && t->schema.features;
    }
    for (size_t o = 0; ok && o < n_out; ++o) {
        t->schema.n_features = o + 1; /* what is freed */
        t->schema.features[o].name = scarce__strdup("z");
        to[o] = t->columns[o].number = scarce__malloc_array(table->n_rows, sizeof(float));
        ok = to[o] && t->schema.features[o].name;
    }
    ok = ok && embed_all(&g, table, ctx);
    scarce__free(to);
    if (!ok) {
        scarce_table_free(t);
        return scarce__fail_memory(err, "mapped rows", 0);
    }
    *out = t;
    return SCARCE_OK;
}
