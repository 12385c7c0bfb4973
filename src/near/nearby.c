/* SPDX-License-Identifier: Apache-2.0 */
/* Remembered rows: taken from a table, laid out for asking, and why one is near. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/distinct.h"
#include "near/nearby_inside.h"

void scarce__nearby_free(scarce__nearby *m)
{
    if (!m) return;
    scarce_table_free(m->rows);
    scarce__free(m->side);
    scarce__space_deinit(&m->space);
    scarce__free(m->center);
    scarce__free(m->cluster_gamma);
    scarce__free(m->map[0]);
    scarce__free(m->map[1]);
    scarce__free(m);
}

/* Only features and weights are remembered. */
static scarce_status copy_rows(scarce_table **out, const scarce_table *table, scarce_context *ctx,
                               scarce_error *err)
{
    scarce_view_options o = SCARCE_VIEW_OPTIONS_INIT;
    scarce_table *view = NULL;
    uint32_t *all = scarce__malloc_array(table->n_rows, sizeof *all);
    scarce_status st = all ? SCARCE_OK : scarce__fail_memory(err, "remembered rows", 0);

    o.without = SCARCE_ROLE_TIME | SCARCE_ROLE_GROUP | SCARCE_ROLE_AMOUNT | SCARCE_ROLE_LABEL;
    if (st == SCARCE_OK) st = scarce_table_view(&view, table, &o, err);
    for (size_t i = 0; st == SCARCE_OK && i < table->n_rows; ++i) all[i] = (uint32_t)i;
    if (st == SCARCE_OK) st = scarce_table_rows_of(out, view, all, table->n_rows, ctx, err);
    scarce_table_free(view);
    scarce__free(all);
    return st;
}

void scarce__nearby_settle(scarce__nearby *m)
{
    m->total[0] = m->total[1] = 0;
    for (size_t i = 0; i < m->rows->n_rows; ++i) {
        const int side = m->side[i];
        if (side != SCARCE__SIDE_NONE)
            m->total[side != SCARCE__SIDE_NEGATIVE] += m->rows->weight ? m->rows->weight[i] : 1;
    }
}

scarce_status scarce__nearby_new(scarce__nearby **out, const scarce_table *table, const uint8_t *synthetic,
                                 scarce__near_scale scale, scarce_context *ctx, scarce_error *err)
{
    scarce__nearby *m = scarce__calloc(1, sizeof *m);
    scarce_status st;

    *out = NULL;
    if (!m) return scarce__fail_memory(err, "remembered rows", 0);
    m->k = 1;
    m->gamma = m->copies = m->synthetic = 1;
    m->side = scarce__malloc_array(table->n_rows, 1);
    st = m->side ? SCARCE_OK : scarce__fail_memory(err, "remembered rows", 0);
    if (st == SCARCE_OK) st = scarce__space_init(&m->space, table, scale, ctx, err);
    if (st == SCARCE_OK) st = copy_rows(&m->rows, table, ctx, err);
    if (st != SCARCE_OK) {
        scarce__nearby_free(m);
        return st;
    }
    for (size_t i = 0; i < table->n_rows; ++i)
        m->side[i] = (uint8_t)(table->weight && !(table->weight[i] > 0) ? SCARCE__SIDE_NONE
                               : !table->label[i]                       ? SCARCE__SIDE_NEGATIVE
                               : synthetic && synthetic[i]              ? SCARCE__SIDE_SYNTHETIC
                                                                        : SCARCE__SIDE_POSITIVE);
    scarce__nearby_settle(m);
    *out = m;
    return SCARCE_OK;
}

/* ---- laid out */

static int is_found(const scarce__nearby_ready *p, size_t row, int side)
{
    return p->m->side[row] == side && (!p->first || p->first[row] == row);
}

static scarce_status find_distinct(scarce__nearby_ready *p, scarce_error *err)
{
    const scarce_table *t = p->m->rows;

    p->first = scarce__first_equal(t, p->m->side);
    p->weight = scarce__calloc(t->n_rows, sizeof *p->weight);
    if (!p->first || !p->weight) return scarce__fail_memory(err, "remembered rows", 12 * t->n_rows);
    for (size_t i = 0; i < t->n_rows; ++i) p->weight[p->first[i]] += t->weight ? t->weight[i] : 1;
    return SCARCE_OK;
}

static scarce_status lay_out_side(scarce__nearby_ready *p, int side, scarce_error *err)
{
    const scarce__nearby *m = p->m;
    scarce__nearby_side *s = &p->side[side];
    const int to = side != SCARCE__SIDE_NEGATIVE;
    size_t n = 0;

    for (size_t i = 0; i < m->rows->n_rows; ++i) n += (size_t)is_found(p, i, side);
    s->rows = scarce__malloc_array(n, sizeof *s->rows);
    if (!s->rows) return scarce__fail_memory(err, "remembered rows", 0);
    s->among = (scarce__near_rows){m->embedded ? p->mapped[to] : m->rows, s->rows, 0};
    for (size_t i = 0; i < m->rows->n_rows; ++i)
        if (is_found(p, i, side)) s->rows[s->among.n++] = (uint32_t)i;
    s->space = m->embedded ? &p->mapped_space[to] : &m->space;
    return scarce__index_init(&s->index, s->space, &s->among, err);
}

static scarce_status map_rows(scarce__nearby_ready *p, scarce_error *err)
{
    const scarce__nearby *m = p->m;
    scarce_status st = SCARCE_OK;

    for (int to = 0; to < 2 && st == SCARCE_OK; ++to) {
        st = scarce__embed_mapped(&p->mapped[to], &p->embed, m->rows, m->map[to], m->n_out[to], NULL, err);
        if (st == SCARCE_OK)
            st = scarce__space_init(&p->mapped_space[to], p->mapped[to], SCARCE__SCALE_NONE, NULL, err);
    }
    return st;
}

/* Rows lighter than 1 need longer lists; sixteen times as long is enough for whoever weighs them. No list is longer
 * than the rows there are. */
static size_t list_length(const scarce__nearby_ready *p)
{
    const scarce__nearby *m = p->m;
    size_t most = 1;
    double least = 1;
    for (size_t i = 0; m->rows->weight && i < m->rows->n_rows; ++i)
        if (m->side[i] != SCARCE__SIDE_NONE && m->rows->weight[i] < least) least = m->rows->weight[i];
    const double times = least > 1.0 / 16 ? ceil(1 / least) : 16;
    for (int side = 0; side < SCARCE__SIDES; ++side)
        if (p->side[side].among.n > most) most = p->side[side].among.n;
    return m->k * (size_t)times < most ? m->k * (size_t)times : most;
}

static int fix_weights(scarce__nearby_ready *p)
{
    const scarce_table *t = p->m->rows;

    if (p->m->vote != SCARCE__VOTE_REVERSE) return 1;
    p->fixed = scarce__malloc_array(t->n_rows, sizeof *p->fixed);
    for (size_t i = 0; p->fixed && i < t->n_rows; ++i) {
        const double w = (t->weight ? t->weight[i] : 1) * SCARCE__FIXED_WEIGHT;
        p->fixed[i] = w < 4e9 ? (uint32_t)(w + 0.5) : 4000000000u;
    }
    return p->fixed != NULL;
}

scarce_status scarce__nearby_prepare(scarce__nearby_ready **out, const scarce__nearby *m, scarce_error *err)
{
    scarce__nearby_ready *p = scarce__calloc(1, sizeof *p);
    scarce_status st = SCARCE_OK;

    *out = NULL;
    if (!p) return scarce__fail_memory(err, "remembered rows", 0);
    p->m = m;
    if (m->embedded || m->n_clusters) st = scarce__embed_init(&p->embed, &m->space, &m->rows->schema, err);
    if (st == SCARCE_OK && m->embedded) st = map_rows(p, err);
    if (st == SCARCE_OK && m->local.points) st = find_distinct(p, err);
    if (st == SCARCE_OK && !fix_weights(p)) st = scarce__fail_memory(err, "weights of rows", 0);
    for (int side = 0; st == SCARCE_OK && side < SCARCE__SIDES; ++side) st = lay_out_side(p, side, err);
    p->length = list_length(p);
    if (st != SCARCE_OK) {
        scarce__nearby_unprepare(p);
        return st;
    }
    *out = p;
    return SCARCE_OK;
}

void scarce__nearby_unprepare(scarce__nearby_ready *p)
{
    if (!p) return;
    for (int side = 0; side < SCARCE__SIDES; ++side) {
        scarce__index_deinit(&p->side[side].index);
        scarce__free(p->side[side].rows);
    }
    for (int to = 0; to < 2; ++to) {
        scarce_table_free(p->mapped[to]);
        scarce__space_deinit(&p->mapped_space[to]);
    }
    scarce__embed_deinit(&p->embed);
    scarce__free(p->fixed);
    scarce__free(p->first);
    scarce__free(p->weight);
    scarce__free(p);
}

double scarce__nearby_memory(const scarce__nearby *m)
{
    const double n = (double)m->rows->n_rows;
    double bytes = (double)scarce_table_bytes(m->rows) + n + scarce__index_memory(&m->space, n) + 4 * n;
    if (m->embedded) bytes += 8 * n * (double)(m->n_out[0] + m->n_out[1]);
    return bytes;
}

/* ---- reasons */

static size_t nearest_of(const scarce__nearby_ready *p, int side, const float *row, size_t n,
                         scarce__nearby_one *out)
{
    enum { MOST = 64 };
    uint32_t number[MOST];
    double square[MOST];

    n = n < MOST ? n : MOST;
    scarce__index_nearest(&p->side[side].index, row, n, number, square);
    n = scarce__list_count(number, n);
    for (size_t i = 0; i < n; ++i) out[i] = (scarce__nearby_one){number[i], sqrt(square[i])};
    return n;
}

size_t scarce__nearby_nearest(const scarce__nearby_ready *p, const float *row, int positive, size_t n,
                              scarce__nearby_one *out)
{
    enum { ON_STACK = 512 };
    const scarce__nearby *m = p->m;
    const int to = positive != 0;
    double z[ON_STACK], *point = z;
    float on_stack[ON_STACK], *mapped = on_stack;

    if (!m->embedded) return nearest_of(p, to, row, n, out);
    if (p->embed.dims > ON_STACK) point = scarce__malloc_array(p->embed.dims, sizeof *point);
    if (m->n_out[to] > ON_STACK) mapped = scarce__malloc_array(m->n_out[to], sizeof *mapped);
    size_t found = 0;
    if (point && mapped) {
        scarce__embed_row(&p->embed, row, point);
        scarce__embed_map(m->map[to], m->n_out[to], point, p->embed.dims, mapped);
        found = nearest_of(p, to, mapped, n, out);
    }
    if (point != z) scarce__free(point);
    if (mapped != on_stack) scarce__free(mapped);
    return found;
}

static double difference(float a, float b, double scale)
{
    const double t = ((double)a - (double)b) * scale;
    return fabsf(a) <= FLT_MAX && fabsf(b) <= FLT_MAX ? t * t : 1;
}

/* What each feature adds to the squared distance of two rows, times `times`. */
static void add_plain(const scarce__nearby *m, const float *a, const float *b, double times, double *to)
{
    const scarce__space *s = &m->space;

    for (size_t i = 0; i < s->n_numbers; ++i)
        to[s->number[i]] += times * difference(a[s->number[i]], b[s->number[i]], s->scale[i]);
    for (size_t i = 0; i < s->n_sparse; ++i)
        to[s->sparse[i]] += times * difference(a[s->sparse[i]], b[s->sparse[i]], s->sparse_scale[i]);
    for (size_t i = 0; i < s->n_codes; ++i)
        if (!(a[s->code[i]] == b[s->code[i]])) to[s->code[i]] += times * s->category_square;
}

/* The same with a map: d' L'L d, dimension by dimension. scratch: 3 dims + n_out. */
static void add_mapped(const scarce__nearby_ready *p, int toward, const float *a, const float *b,
                       double times, double *scratch, double *to)
{
    const size_t dims = p->embed.dims, n_out = p->m->n_out[toward];
    const double *map = p->m->map[toward];
    double *x = scratch, *d = scratch + dims, *u = scratch + 2 * dims;

    scarce__embed_row(&p->embed, a, x);
    scarce__embed_row(&p->embed, b, d);
    for (size_t i = 0; i < dims; ++i) d[i] = x[i] - d[i];
    for (size_t o = 0; o < n_out; ++o) {
        u[o] = map ? 0 : d[o];
        for (size_t i = 0; map && i < dims; ++i) u[o] += map[o * dims + i] * d[i];
    }
    for (size_t i = 0; i < dims; ++i) {
        double back = map ? 0 : u[i];
        for (size_t o = 0; map && o < n_out; ++o) back += map[o * dims + i] * u[o];
        to[scarce__embed_feature(&p->embed, i)] += times * d[i] * back;
    }
}

scarce_status scarce__nearby_alike(const scarce__nearby_ready *p, const float *row, uint32_t other,
                                   double *alike, scarce_error *err)
{
    enum { COMPARED = 128 };
    const scarce__nearby *m = p->m;
    const size_t width = m->rows->schema.n_features, n = m->rows->n_rows,
                 compared = n < COMPARED ? n : COMPARED;
    const int toward = m->side[other] != SCARCE__SIDE_NEGATIVE;
    float *its = scarce__malloc_array(width, sizeof *its);
    double *scratch = scarce__malloc_array(2 * p->embed.dims + m->n_out[toward] + 1, sizeof *scratch);

    for (size_t f = 0; f < width; ++f) alike[f] = 0;
    for (size_t i = 0; its && scratch && i <= compared; ++i) {
        const double times = i < compared ? 1.0 / (double)compared : -1;
        scarce_table_row(m->rows, i < compared ? i * n / compared : other, its);
        if (m->embedded) add_mapped(p, toward, row, its, times, scratch, alike);
        else add_plain(m, row, its, times, alike);
    }
    const int ok = its && scratch;
    scarce__free(its);
    scarce__free(scratch);
    return ok ? SCARCE_OK : scarce__fail_memory(err, "reasons", 0);
}
