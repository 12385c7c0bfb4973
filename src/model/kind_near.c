/* SPDX-License-Identifier: Apache-2.0 */
/* Remembered rows (near/nearby.h) as a kind of model: saved as docs/model-format.md says, prepared once, and explained by
 * the rows that are nearest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "model/model.h"
#include "near/linalg.h"
#include "near/nearby.h"

static void free_body(void *body)
{
    scarce__nearby_free(body);
}

/* ---- writing */

static void put_all(scarce__writer *w, const double *x, size_t n)
{
    for (size_t i = 0; i < n; ++i) scarce__put_f64(w, x[i]);
}

static void write_space(const scarce__space *s, scarce__writer *w)
{
    scarce__put_u64(w, s->n_numbers);
    for (size_t i = 0; i < s->n_numbers; ++i) {
        scarce__put_u32(w, s->number[i]);
        scarce__put_f64(w, s->scale[i]);
        scarce__put_f64(w, s->center[i]);
    }
    scarce__put_u64(w, s->n_codes);
    for (size_t i = 0; i < s->n_codes; ++i) scarce__put_u32(w, s->code[i]);
    scarce__put_u64(w, s->n_sparse);
    for (size_t i = 0; i < s->n_sparse; ++i) {
        scarce__put_u32(w, s->sparse[i]);
        scarce__put_f64(w, s->sparse_scale[i]);
    }
}

static void write_column(const scarce_table *t, size_t f, scarce__writer *w)
{
    const scarce__column *c = &t->columns[f];

    switch (t->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC:
        for (size_t i = 0; i < t->n_rows; ++i) scarce__put_f32(w, c->number[i]);
        break;
    case SCARCE_COLUMN_CATEGORY:
        for (size_t i = 0; i < t->n_rows; ++i) scarce__put_u32(w, (uint32_t)c->code[i]);
        break;
    case SCARCE_COLUMN_SPARSE:
        scarce__put_u64(w, c->sparse.count);
        for (size_t i = 0; i < c->sparse.count; ++i) {
            scarce__put_u32(w, c->sparse.row[i]);
            scarce__put_f32(w, c->sparse.value[i]);
        }
        break;
    }
}

static size_t point_dims(const scarce__nearby *m, const scarce_schema *schema)
{
    size_t dims = m->space.n_numbers + m->space.n_sparse;
    for (size_t c = 0; c < m->space.n_codes; ++c) dims += schema->features[m->space.code[c]].categories.count;
    return dims;
}

static uint32_t write_body(const void *body, const scarce_schema *schema, scarce__writer *w)
{
    const scarce__nearby *m = body;
    const scarce_table *t = m->rows;
    const size_t dims = point_dims(m, schema);

    scarce__put_u8(w, (uint8_t)m->vote);
    scarce__put_u32(w, (uint32_t)m->k);
    scarce__put_f64(w, m->gamma);
    scarce__put_f64(w, m->copies);
    scarce__put_f64(w, m->synthetic);
    write_space(&m->space, w);
    scarce__put_u64(w, t->n_rows);
    scarce__put(w, m->side, t->n_rows);
    scarce__put_u8(w, t->weight != NULL);
    if (t->weight) put_all(w, t->weight, t->n_rows);
    for (size_t f = 0; f < schema->n_features; ++f) write_column(t, f, w);
    scarce__put_u64(w, m->n_clusters);
    put_all(w, m->center, m->n_clusters * dims);
    put_all(w, m->cluster_gamma, m->n_clusters);
    scarce__put_u8(w, m->local.points ? 2 : (uint8_t)m->embedded);
    for (int to = 0; m->embedded && to < 2; ++to) {
        scarce__put_u64(w, m->map[to] ? m->n_out[to] : 0);
        if (m->map[to]) put_all(w, m->map[to], m->n_out[to] * dims);
    }
    if (m->local.points) {
        scarce__put_u32(w, (uint32_t)m->local.points);
        scarce__put_f64(w, m->local.push);
        scarce__put_f64(w, m->local.stable);
    }
    return 1;
}

/* ---- reading */

static scarce_status bad(scarce_error *err, const char *what)
{
    return scarce__fail(err, SCARCE_EPARSE, "%s", what);
}

static int plausible(double x, double least)
{
    return x >= least && x <= 1e60;
}

/* A list of features that ascends and is of the right kinds. */
static int features_ascend(const uint32_t *list, size_t n, const scarce_schema *schema, int category)
{
    for (size_t i = 0; i < n; ++i) {
        if (list[i] >= schema->n_features || (i && list[i] <= list[i - 1])) return 0;
        if ((schema->features[list[i]].kind == SCARCE_COLUMN_CATEGORY) != category) return 0;
    }
    return 1;
}

static scarce_status read_numbers(scarce__space *s, scarce__reader *r, scarce_error *err)
{
    const size_t n = scarce__get_count(r, 20), padded = (n + 7) / 8 * 8;

    if (r->failed) return bad(err, "the features are cut off");
    s->number = scarce__malloc_array(n, sizeof *s->number);
    s->scale = scarce__calloc(padded, sizeof *s->scale);
    s->center = scarce__calloc(padded, sizeof *s->center);
    s->gaps = scarce__calloc(padded, 1);
    if (!s->number || !s->scale || !s->center || !s->gaps) return scarce__fail_memory(err, "a model", 0);
    s->n_numbers = n;
    s->n_padded = padded;
    for (size_t i = 0; i < n; ++i) {
        s->number[i] = scarce__get_u32(r);
        s->scale[i] = scarce__get_f64(r);
        s->center[i] = scarce__get_f64(r);
        if (!plausible(s->scale[i], 0) || !plausible(fabs(s->center[i]), 0))
            return bad(err, "a scale is not a number");
    }
    return SCARCE_OK;
}

static scarce_status read_space(scarce__space *s, const scarce_schema *schema, scarce__reader *r,
                                scarce_error *err)
{
    size_t n;

    s->category_square = 1;
    SCARCE__TRY(read_numbers(s, r, err));
    n = scarce__get_count(r, 4);
    s->code = scarce__malloc_array(n, sizeof *s->code);
    if (!s->code) return scarce__fail_memory(err, "a model", 0);
    s->n_codes = n;
    for (size_t i = 0; i < n; ++i) s->code[i] = scarce__get_u32(r);
    n = scarce__get_count(r, 12);
    if (n) {
        s->sparse = scarce__malloc_array(n, sizeof *s->sparse);
        s->sparse_scale = scarce__malloc_array(n, sizeof *s->sparse_scale);
        s->sparse_gaps = scarce__calloc(n, 1);
        if (!s->sparse || !s->sparse_scale || !s->sparse_gaps) return scarce__fail_memory(err, "a model", 0);
    }
    s->n_sparse = n;
    for (size_t i = 0; i < n; ++i) {
        s->sparse[i] = scarce__get_u32(r);
        s->sparse_scale[i] = scarce__get_f64(r);
        if (!plausible(s->sparse_scale[i], 0)) return bad(err, "a scale is not a number");
    }
    if (r->failed || !features_ascend(s->number, s->n_numbers, schema, 0) ||
        !features_ascend(s->code, s->n_codes, schema, 1) ||
        !features_ascend(s->sparse, s->n_sparse, schema, 0))
        return bad(err, "the features are cut off");
    for (size_t i = 0; i < s->n_sparse; ++i)
        if (schema->features[s->sparse[i]].kind != SCARCE_COLUMN_SPARSE)
            return bad(err, "a feature is not sparse");
    return SCARCE_OK;
}

static scarce_status read_sparse(scarce__sparse *s, size_t n_rows, scarce__reader *r, scarce_error *err)
{
    const size_t n = scarce__get_count(r, 8);

    s->row = scarce__malloc_array(n, sizeof *s->row);
    s->value = scarce__malloc_array(n, sizeof *s->value);
    s->count = n;
    if (!s->row || !s->value) return scarce__fail_memory(err, "a model", 0);
    for (size_t i = 0; i < n; ++i) {
        s->row[i] = scarce__get_u32(r);
        s->value[i] = scarce__get_f32(r);
        if (s->row[i] >= n_rows || (i && s->row[i] <= s->row[i - 1]))
            return bad(err, "a row is out of order");
    }
    return SCARCE_OK;
}

static scarce_status read_column(scarce_table *t, size_t f, scarce__reader *r, scarce_error *err)
{
    scarce__column *c = &t->columns[f];
    const scarce__feature *feature = &t->schema.features[f];
    const size_t n = t->n_rows;

    if (feature->kind == SCARCE_COLUMN_SPARSE) return read_sparse(&c->sparse, n, r, err);
    if ((size_t)(r->end - r->at) / 4 < n) return bad(err, "a column is cut off");
    c->number = scarce__malloc_array(n, sizeof *c->number); /* or code: of the same size */
    if (!c->number) return scarce__fail_memory(err, "a model", 0);
    for (size_t i = 0; i < n; ++i) {
        if (feature->kind == SCARCE_COLUMN_NUMERIC) {
            c->number[i] = scarce__get_f32(r);
            continue;
        }
        const int32_t code = (int32_t)scarce__get_u32(r);
        if (code < -1 || (code >= 0 && (size_t)code > feature->categories.count))
            return bad(err, "a category does not exist");
        c->code[i] = code;
    }
    return SCARCE_OK;
}

static scarce_status read_rows(scarce__nearby *m, const scarce_schema *schema, scarce__reader *r,
                               scarce_error *err)
{
    const size_t n = scarce__get_count(r, 1);
    const uint8_t *side = scarce__get(r, n);
    scarce_table *t;

    if (r->failed || n == 0 || n >= UINT32_MAX) return bad(err, "its rows are cut off");
    m->side = scarce__malloc_array(n, 1);
    m->rows = t = scarce__calloc(1, sizeof *t);
    if (!m->side || !t) return scarce__fail_memory(err, "a model", 0);
    memcpy(m->side, side, n);
    for (size_t i = 0; i < n; ++i)
        if (side[i] > SCARCE__SIDE_NONE) return bad(err, "a row is of no class");
    t->n_rows = n;
    SCARCE__TRY(scarce__schema_copy(&t->schema, schema, err));
    t->columns = scarce__calloc(schema->n_features, sizeof *t->columns);
    if (!t->columns) return scarce__fail_memory(err, "a model", 0);
    if (scarce__get_u8(r)) {
        if ((size_t)(r->end - r->at) / 8 < n) return bad(err, "the weights are cut off");
        t->weight = scarce__malloc_array(n, sizeof *t->weight);
        if (!t->weight) return scarce__fail_memory(err, "a model", 0);
        for (size_t i = 0; i < n; ++i) {
            t->weight[i] = scarce__get_f64(r);
            if (!plausible(t->weight[i], 0) || (!(t->weight[i] > 0) && side[i] != SCARCE__SIDE_NONE))
                return bad(err, "a weight is not a number");
        }
    }
    for (size_t f = 0; f < schema->n_features; ++f) SCARCE__TRY(read_column(t, f, r, err));
    return SCARCE_OK;
}

/* count x dims finite numbers. */
static scarce_status read_matrix(double **out, size_t count, size_t dims, scarce__reader *r,
                                 scarce_error *err)
{
    if (dims && count > (size_t)(r->end - r->at) / 8 / dims) return bad(err, "a matrix is cut off");
    *out = scarce__malloc_array(count * dims, sizeof **out);
    if (!*out) return scarce__fail_memory(err, "a model", 0);
    for (size_t i = 0; i < count * dims; ++i) {
        (*out)[i] = scarce__get_f64(r);
        if (!(fabs((*out)[i]) <= 1e30)) return bad(err, "a matrix holds what is not a number");
    }
    return SCARCE_OK;
}

static scarce_status read_maps(scarce__nearby *m, size_t dims, scarce__reader *r, scarce_error *err)
{
    const uint8_t embedded = scarce__get_u8(r);

    if (embedded > 2 || (embedded && dims > SCARCE__MOST_POINT)) return bad(err, "its metric is none");
    m->embedded = embedded > 0;
    for (int to = 0; m->embedded && to < 2; ++to) {
        const size_t n = scarce__get_count(r, 8);
        m->n_out[to] = n ? n : dims;
        if (n > SCARCE__MOST_POINT) return bad(err, "its metric is none");
        if (n) SCARCE__TRY(read_matrix(&m->map[to], n, dims, r, err));
    }
    if (embedded < 2) return SCARCE_OK;
    m->local.points = scarce__get_u32(r);
    m->local.push = scarce__get_f64(r);
    m->local.stable = scarce__get_f64(r);
    if (m->local.points < 1 || m->local.points > SCARCE__MOST_LOCAL || dims > SCARCE__MOST_LOCAL_DIMS ||
        m->map[0] || m->map[1] || m->n_clusters || m->vote != SCARCE__VOTE_MARGIN || m->k > 64 ||
        !(m->local.push >= 0 && m->local.push <= 1) || !(m->local.stable >= 0 && m->local.stable <= 1))
        return bad(err, "its metric is none");
    return SCARCE_OK;
}

static scarce_status read_parts(scarce__nearby *m, const scarce_schema *schema, scarce__reader *r,
                                scarce_error *err)
{
    const uint8_t vote = scarce__get_u8(r);
    size_t dims;

    m->k = scarce__get_u32(r);
    m->gamma = scarce__get_f64(r);
    m->copies = scarce__get_f64(r);
    m->synthetic = scarce__get_f64(r);
    if (r->failed || vote > SCARCE__VOTE_REVERSE || m->k < 1 || m->k > SCARCE__MOST_NEIGHBOURS ||
        !plausible(m->gamma, 0) || !plausible(m->copies, 1e-60) || !plausible(m->synthetic, 0))
        return bad(err, "how its rows vote is not known");
    m->vote = (scarce__vote)vote;
    SCARCE__TRY(read_space(&m->space, schema, r, err));
    SCARCE__TRY(read_rows(m, schema, r, err));
    scarce__space_restore(&m->space, m->rows);
    scarce__nearby_settle(m);
    dims = point_dims(m, schema);
    const size_t clusters = scarce__get_count(r, 8);
    if (clusters && (dims > SCARCE__MOST_POINT || m->vote == SCARCE__VOTE_REVERSE))
        return bad(err, "its clusters are none");
    SCARCE__TRY(read_matrix(&m->center, clusters, dims, r, err));
    SCARCE__TRY(read_matrix(&m->cluster_gamma, clusters, 1, r, err));
    m->n_clusters = clusters;
    for (size_t i = 0; i < clusters; ++i)
        if (!plausible(m->cluster_gamma[i], 0)) return bad(err, "its clusters are none");
    SCARCE__TRY(read_maps(m, dims, r, err));
    return r->failed ? bad(err, "its rows are cut off") : SCARCE_OK;
}

static scarce_status read_body(void **body, const scarce_schema *schema, scarce__reader *r, scarce_error *err)
{
    scarce__nearby *m = scarce__calloc(1, sizeof *m);
    scarce_status st;

    *body = NULL;
    if (!m) return scarce__fail_memory(err, "a model", 0);
    st = read_parts(m, schema, r, err);
    if (st == SCARCE_OK) *body = m;
    else scarce__nearby_free(m);
    return st;
}

/* ---- scoring */

static scarce_status prepare(void **out, const void *body, scarce_error *err)
{
    scarce__nearby_ready *p = NULL;
    const scarce_status st = scarce__nearby_prepare(&p, body, err);
    *out = p;
    return st;
}

static void unprepare(void *prepared)
{
    scarce__nearby_unprepare(prepared);
}

static double score_row(const void *prepared, const float *row)
{
    return scarce__nearby_score(prepared, row);
}

static scarce_status score_table(const void *prepared, const scarce_table *table, double *score,
                                 scarce_context *ctx, scarce_error *err)
{
    return scarce__nearby_score_table(prepared, table, score, ctx, err);
}

/* ---- what it says */

static const char *const votes[] = {"margin", "share", "inverse distance", "reverse"};

static void count_sides(const scarce__nearby *m, size_t count[4])
{
    for (int i = 0; i < 4; ++i) count[i] = 0;
    for (size_t i = 0; i < m->rows->n_rows; ++i) ++count[m->side[i]];
}

/* ---- a metric: eigenvalues, and by how much each feature is stretched (the diagonal of M) */

static int larger_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Of the metric towards positives, n_out of them, the largest first: those of L L', which for the many dimensions that only
 * diagonal metrics have (method_metric.c) is diagonal itself. */
static scarce_status eigenvalues(double *value, const scarce__nearby *m, size_t dims, scarce_error *err)
{
    enum { MOST = 400 };
    const size_t n = m->n_out[1];
    const double *map = m->map[1];
    double *product = map && n <= MOST ? scarce__malloc_array(2 * n * n, sizeof *product) : NULL;

    if (map && n <= MOST && !product) return scarce__fail_memory(err, "a metric", 16 * n * n);
    for (size_t i = 0; i < n; ++i)
        for (size_t k = product ? 0 : i; k <= i; ++k) {
            double sum = map ? 0 : 1;
            for (size_t j = 0; map && j < dims; ++j) sum += map[i * dims + j] * map[k * dims + j];
            if (product) product[i * n + k] = product[k * n + i] = sum;
            else value[i] = sum;
        }
    if (product) scarce__eigen(product, value, product + n * n, n);
    else qsort(value, n, sizeof *value, larger_first);
    scarce__free(product);
    return SCARCE_OK;
}

static double stretch(const scarce__nearby *m, const scarce__embed *e, size_t feature)
{
    double sum = 0, count = 0;
    for (size_t j = 0; j < e->dims; ++j) {
        if (scarce__embed_feature(e, j) != feature) continue;
        count += 1;
        for (size_t i = 0; m->map[1] && i < m->n_out[1]; ++i)
            sum += m->map[1][i * e->dims + j] * m->map[1][i * e->dims + j];
    }
    return count > 0 ? (m->map[1] ? sum / count : 1) : 0;
}

/* The next feature after (value, f) from the most stretched down; SIZE_MAX: none. */
static size_t next_stretched(const double *value, size_t n, size_t last)
{
    size_t best = SIZE_MAX;
    for (size_t f = 0; f < n; ++f) {
        if (!(value[f] > 0)) continue;
        if (last != SIZE_MAX && (value[f] > value[last] || (value[f] == value[last] && f <= last))) continue;
        if (best == SIZE_MAX || value[f] > value[best]) best = f;
    }
    return best;
}

static scarce_status show_metric(const scarce__nearby *m, const scarce_schema *schema, int json,
                                 scarce__text *out, scarce_error *err)
{
    enum { SHOWN = 15 };
    const size_t n = schema->n_features;
    scarce__embed e = {0};
    double *value = scarce__malloc_array(n, sizeof *value),
           *eigen = scarce__malloc_array(m->n_out[1], sizeof *eigen);
    scarce_status st = value && eigen ? scarce__embed_init(&e, &m->space, schema, err)
                                      : scarce__fail_memory(err, "a metric", 0);

    if (st == SCARCE_OK) st = eigenvalues(eigen, m, e.dims, err);

    if (st == SCARCE_OK) {
        if (json) scarce__json_key(out, "eigenvalues"), scarce__json_begin_array(out);
        else scarce__text_add(out, "\neigenvalues of the metric towards positives:");
        for (size_t i = 0; i < m->n_out[1]; ++i) {
            if (json) scarce__json_number(out, eigen[i]);
            else if (i < SHOWN) scarce__text_add(out, " "), scarce__text_digits(out, eigen[i], 4);
        }
        if (json)
            scarce__json_end_array(out), scarce__json_key(out, "stretch"), scarce__json_begin_array(out);
        else scarce__text_add(out, "\nmost stretched features (squared distances times)\n");
        for (size_t f = 0; f < n; ++f) value[f] = stretch(m, &e, f);
        size_t f = next_stretched(value, n, SIZE_MAX);
        for (size_t i = 0; f != SIZE_MAX && (json || i < SHOWN); ++i, f = next_stretched(value, n, f)) {
            if (json) {
                scarce__json_begin_object(out);
                scarce__json_field_string(out, "feature", schema->features[f].name);
                scarce__json_field_number(out, "factor", value[f]);
                scarce__json_end_object(out);
                continue;
            }
            scarce__text_addf(out, "  %-34s  ", schema->features[f].name);
            scarce__text_digits(out, value[f], 6);
            scarce__text_add(out, "\n");
        }
        if (json) scarce__json_end_array(out);
    }
    scarce__embed_deinit(&e);
    scarce__free(value);
    scarce__free(eigen);
    return st;
}

static void show_json(const scarce__nearby *m, const scarce_schema *schema, scarce__text *out)
{
    size_t count[4];

    count_sides(m, count);
    scarce__json_field_string(out, "vote", votes[m->vote]);
    scarce__json_field_number(out, "k", (double)m->k);
    scarce__json_field_number(out, "gamma", m->gamma);
    scarce__json_field_number(out, "synthetic_gamma", m->gamma * m->synthetic);
    scarce__json_field_number(out, "remembered_positives", (double)count[SCARCE__SIDE_POSITIVE]);
    scarce__json_field_number(out, "remembered_synthetic", (double)count[SCARCE__SIDE_SYNTHETIC]);
    scarce__json_field_number(out, "remembered_negatives", (double)count[SCARCE__SIDE_NEGATIVE]);
    scarce__json_key(out, "scales");
    scarce__json_begin_array(out);
    for (size_t i = 0; i < m->space.n_numbers; ++i) {
        scarce__json_begin_object(out);
        scarce__json_field_string(out, "feature", schema->features[m->space.number[i]].name);
        scarce__json_field_number(out, "scale", m->space.scale[i]);
        scarce__json_end_object(out);
    }
    scarce__json_end_array(out);
    if (!m->n_clusters) return;
    scarce__json_key(out, "cluster_gamma");
    scarce__json_begin_array(out);
    for (size_t i = 0; i < m->n_clusters; ++i) scarce__json_number(out, m->cluster_gamma[i]);
    scarce__json_end_array(out);
}

static void add_number(scarce__text *out, const char *before, double x, const char *after)
{
    scarce__text_add(out, before);
    scarce__text_digits(out, x, 6);
    scarce__text_add(out, after);
}

static void show_text(const scarce__nearby *m, const scarce_schema *schema, scarce__text *out)
{
    size_t count[4];

    count_sides(m, count);
    scarce__text_addf(out, "\nremembers %zu positives", count[SCARCE__SIDE_POSITIVE]);
    if (count[SCARCE__SIDE_SYNTHETIC])
        scarce__text_addf(out, ", %zu synthetic ones", count[SCARCE__SIDE_SYNTHETIC]);
    scarce__text_addf(out, " and %zu negatives; %zu neighbours vote, score: %s\n",
                      count[SCARCE__SIDE_NEGATIVE], m->k, votes[m->vote]);
    add_number(out, "distances to positives are multiplied by gamma = ", m->gamma, "");
    if (count[SCARCE__SIDE_SYNTHETIC])
        add_number(out, ", to synthetic ones by ", m->gamma * m->synthetic, "");
    scarce__text_add(out, "\n");
    for (size_t i = 0; i < m->n_clusters; ++i) {
        scarce__text_addf(out, "  cluster %zu", i + 1);
        add_number(out, ": gamma = ", m->cluster_gamma[i], "\n");
    }
    scarce__text_add(out, "\nfeature                               scale\n");
    for (size_t i = 0; i < m->space.n_numbers; ++i) {
        scarce__text_addf(out, "  %-34s  ", schema->features[m->space.number[i]].name);
        add_number(out, "", m->space.scale[i], "\n");
    }
    for (size_t i = 0; i < m->space.n_codes; ++i)
        scarce__text_addf(out, "  %-34s  1 where it differs\n", schema->features[m->space.code[i]].name);
}

static scarce_status show(const void *body, const scarce_model *model, const char *format, scarce__text *out,
                          scarce_error *err)
{
    if (strcmp(format, "json") == 0) show_json(body, &model->schema, out);
    else if (strcmp(format, "text") == 0 || strcmp(format, "summary") == 0)
        show_text(body, &model->schema, out);
    else
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "a model of neighbours has no form \"%.20s\" (it has text and json)", format);
    const scarce__nearby *m = body;
    return m->embedded ? show_metric(m, &model->schema, strcmp(format, "json") == 0, out, err) : SCARCE_OK;
}

/* ---- rows in the learnt space */

static scarce_status transform(scarce_table **out, const void *body, const scarce_table *table,
                               scarce_context *ctx, scarce_error *err)
{
    const scarce__nearby *m = body;
    scarce__embed e = {0};
    scarce_status st;

    *out = NULL;
    if (!m->embedded)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "this model has learnt no space (mlfp, gmml, itml, lmnn and imbml do)");
    st = scarce__embed_init(&e, &m->space, &m->rows->schema, err);
    if (st == SCARCE_OK) st = scarce__embed_mapped(out, &e, table, m->map[1], m->n_out[1], ctx, err);
    scarce__embed_deinit(&e);
    return st;
}

/* ---- reasons */

static scarce_status neighbours(const void *prepared, const float *row, int positive, size_t n,
                                scarce_neighbour *out, size_t *found, scarce_error *err)
{
    enum { MOST = 64 };
    scarce__nearby_one one[MOST];

    (void)err;
    *found = scarce__nearby_nearest(prepared, row, positive, n < MOST ? n : MOST, one);
    for (size_t i = 0; i < *found; ++i) out[i] = (scarce_neighbour){one[i].row, one[i].distance, positive};
    return SCARCE_OK;
}

static scarce_status alike(const void *prepared, const float *row, size_t other, double *out,
                           scarce_error *err)
{
    return scarce__nearby_alike(prepared, row, (uint32_t)other, out, err);
}

static size_t remembered(const void *body, size_t row, float *values)
{
    const scarce__nearby *m = body;
    if (row < m->rows->n_rows && values) scarce_table_row(m->rows, row, values);
    return m->rows->n_rows;
}

const scarce__kind scarce__kind_near = {.name = "neighbours",
                                        .tag = "NEAR",
                                        .free = free_body,
                                        .write = write_body,
                                        .read = read_body,
                                        .prepare = prepare,
                                        .unprepare = unprepare,
                                        .score_row = score_row,
                                        .score_table = score_table,
                                        .show = show,
                                        .reasons = SCARCE__REASONS_NEIGHBOURS,
                                        .neighbours = neighbours,
                                        .alike = alike,
                                        .remembered = remembered,
                                        .transform = transform};
