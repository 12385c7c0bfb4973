/* SPDX-License-Identifier: Apache-2.0 */
/* See inputs.h. */
#include "online/inputs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

enum { PIECE = 64, EARLY = 256, MOST_CODES = 1 << 24 };
static const float largest = 10;

static int present(float x)
{
    return fabsf(x) <= FLT_MAX;
}

/* ---- making */

void scarce__inputs_free(scarce__inputs *in)
{
    if (!in) return;
    for (size_t f = 0; in->features && f < in->n_features; ++f) scarce__free(in->features[f].slot);
    scarce__free(in->features);
    scarce__free(in->dense);
    scarce__free(in->sparse);
    scarce__free(in);
}

scarce_status scarce__inputs_new(scarce__inputs **out, const scarce_schema *schema, size_t max_categories,
                                 scarce_error *err)
{
    const size_t n = schema->n_features;
    scarce__inputs *in = scarce__calloc(1, sizeof *in);

    *out = NULL;
    if (!in) return scarce__fail_memory(err, "an online model", 0);
    in->n_features = n;
    in->max_categories = max_categories;
    in->features = scarce__calloc(n, sizeof *in->features);
    in->dense = scarce__malloc_array(n, sizeof *in->dense);
    in->sparse = scarce__malloc_array(n, sizeof *in->sparse);
    if (!in->features || !in->dense || !in->sparse) {
        scarce__inputs_free(in);
        return scarce__fail_memory(err, "an online model", 0);
    }
    for (size_t f = 0; f < n; ++f) {
        scarce__input_feature *x = &in->features[f];
        x->kind = schema->features[f].kind;
        x->value = x->missing = x->unknown = SCARCE__NO_INPUT;
        if (x->kind == SCARCE_COLUMN_SPARSE) in->sparse[in->n_sparse++] = (uint32_t)f;
        else in->dense[in->n_dense++] = (uint32_t)f;
    }
    *out = in;
    return SCARCE_OK;
}

/* Where the number of the input of value v of a feature stands; NULL: nowhere yet. */
static const uint32_t *place_of(const scarce__inputs *in, const scarce__input_feature *x, float v)
{
    if (!present(v)) return &x->missing;
    if (x->kind != SCARCE_COLUMN_CATEGORY) return &x->value;
    if (!(v >= 0)) return &x->missing;
    if ((double)v >= (double)in->max_categories) return &x->unknown;
    return (size_t)v < x->n_slots ? &x->slot[(size_t)v] : NULL;
}

static scarce_status grow_slots(scarce__input_feature *x, size_t code, scarce_error *err)
{
    if (code >= x->capacity) {
        const size_t capacity = code + 1 > 2 * x->capacity ? code + 1 : 2 * x->capacity;
        uint32_t *slot = scarce__realloc_array(x->slot, capacity, sizeof *slot);
        if (!slot) return scarce__fail_memory(err, "categories", capacity * sizeof *slot);
        x->slot = slot;
        x->capacity = capacity;
    }
    while (x->n_slots <= code) x->slot[x->n_slots++] = SCARCE__NO_INPUT;
    return SCARCE_OK;
}

typedef struct maker {
    scarce__inputs *in;
    scarce__input_made_fn made;
    void *payload;
} maker;

static scarce_status make_one(const maker *m, size_t f, float v, scarce_error *err)
{
    scarce__inputs *in = m->in;
    scarce__input_feature *x = &in->features[f];
    const uint32_t *place = place_of(in, x, v);
    scarce__input_kind kind = SCARCE__INPUT_FLAG;

    if (place && *place != SCARCE__NO_INPUT) return SCARCE_OK;
    if (!place) SCARCE__TRY(grow_slots(x, (size_t)v, err));
    if (x->kind == SCARCE_COLUMN_NUMERIC && present(v)) kind = SCARCE__INPUT_NUMBER;
    if (in->n_inputs >= UINT32_MAX - 1)
        return scarce__fail(err, SCARCE_EDATA, "more inputs than an online model can have");
    SCARCE__TRY(m->made(m->payload, (uint32_t)in->n_inputs, kind, err));
    *(uint32_t *)(uintptr_t)place_of(in, x, v) = (uint32_t)in->n_inputs++;
    return SCARCE_OK;
}

/* Sparse features of a row: the k-th, and how many there may be. */
static size_t sparse_count(const scarce__inputs *in, const scarce__online_row *row)
{
    return row->sparse ? row->n_sparse : in->n_sparse;
}

static size_t sparse_at(const scarce__inputs *in, const scarce__online_row *row, size_t k)
{
    return row->sparse ? row->sparse[k] : in->sparse[k];
}

/* Is it a sparse feature here too, and not 0? */
static int is_entry(const scarce__inputs *in, size_t f, const scarce__online_row *row)
{
    return row->value[f] != 0 && in->features[f].kind == SCARCE_COLUMN_SPARSE;
}

scarce_status scarce__inputs_make(scarce__inputs *in, const scarce__online_row *row,
                                  scarce__input_made_fn made, void *payload, scarce_error *err)
{
    const maker m = {in, made, payload};
    const size_t n = sparse_count(in, row);

    if (in->n_inputs == 0) {
        SCARCE__TRY(made(payload, 0, SCARCE__INPUT_CONSTANT, err));
        in->n_inputs = 1;
    }
    for (size_t k = 0; k < in->n_dense; ++k)
        SCARCE__TRY(make_one(&m, in->dense[k], row->value[in->dense[k]], err));
    for (size_t k = 0; k < n; ++k) {
        const size_t f = sparse_at(in, row, k);
        if (is_entry(in, f, row)) SCARCE__TRY(make_one(&m, f, row->value[f], err));
    }
    return SCARCE_OK;
}

/* ---- means and spreads */

static void count_number(scarce__input_feature *x, float v)
{
    if (!present(v)) return;
    const double d = (double)v - x->mean;
    x->count += 1;
    x->mean += d / (double)x->count;
    x->m2 += d * ((double)v - x->mean);
}

static void settle(scarce__input_feature *x)
{
    const double spread = x->count ? sqrt(x->m2 / (double)x->count) : 0;
    /* a spread below what a float tells apart is none */
    const int plain = spread > 1e-6 * fabs(x->mean) && 1 / spread <= (double)FLT_MAX;
    x->center = x->kind == SCARCE_COLUMN_NUMERIC ? (float)x->mean : 0;
    x->scale = plain ? (float)(1 / spread) : 0;
}

void scarce__inputs_count(scarce__inputs *in, const scarce__online_row *row)
{
    const size_t n = sparse_count(in, row);
    const int early = in->rows < EARLY;

    in->rows += 1;
    for (size_t k = 0; k < in->n_dense; ++k) {
        scarce__input_feature *x = &in->features[in->dense[k]];
        if (x->kind == SCARCE_COLUMN_NUMERIC) count_number(x, row->value[in->dense[k]]);
    }
    for (size_t k = 0; k < n; ++k) {
        const size_t f = sparse_at(in, row, k);
        scarce__input_feature *x = &in->features[f];
        const double v = (double)row->value[f];
        if (!is_entry(in, f, row) || !present(row->value[f])) continue;
        x->count += 1;
        x->m2 += v * v;
        if (x->count < EARLY) settle(x); /* a word may come late */
    }
    if (!early && in->rows % EARLY != 0) return;
    for (size_t f = 0; f < in->n_features; ++f)
        if (in->features[f].kind != SCARCE_COLUMN_CATEGORY) settle(&in->features[f]);
}

void scarce__inputs_decay(scarce__inputs *in)
{
    for (size_t f = 0; f < in->n_features; ++f) {
        scarce__input_feature *x = &in->features[f];
        if (x->count < 8) continue;
        const uint64_t left = x->count / 4;
        x->m2 *= (double)left / (double)x->count;
        x->count = left;
    }
}

/* ---- what is not zero */

/* 0: nothing. */
static int encode(const scarce__inputs *in, size_t f, float v, uint32_t *input, float *value)
{
    const scarce__input_feature *x = &in->features[f];
    const uint32_t *place = place_of(in, x, v);

    if (!place || *place == SCARCE__NO_INPUT) return 0;
    *input = *place;
    *value = 1;
    if (x->kind == SCARCE_COLUMN_CATEGORY || !present(v)) return 1;
    const float z = (v - x->center) * x->scale;
    *value = z > largest ? largest : z < -largest ? -largest : z;
    return *value != 0 && *value == *value;
}

void scarce__inputs_each(const scarce__inputs *in, const scarce__online_row *row, scarce__inputs_fn add,
                         void *payload)
{
    const size_t n_sparse = sparse_count(in, row);
    uint32_t input[PIECE];
    float value[PIECE];
    size_t n = 0;

    if (in->n_inputs == 0) return;
    input[n] = 0;
    value[n++] = 1;
    for (size_t k = 0; k < in->n_dense; ++k) {
        if (n == PIECE) add(payload, input, value, n), n = 0;
        n += (size_t)encode(in, in->dense[k], row->value[in->dense[k]], &input[n], &value[n]);
    }
    for (size_t k = 0; k < n_sparse; ++k) {
        const size_t f = sparse_at(in, row, k);
        if (!is_entry(in, f, row)) continue;
        if (n == PIECE) add(payload, input, value, n), n = 0;
        n += (size_t)encode(in, f, row->value[f], &input[n], &value[n]);
    }
    if (n) add(payload, input, value, n);
}

static void list_piece(void *payload, const uint32_t *input, const float *value, size_t n)
{
    scarce__active *a = payload;
    memcpy(a->input + a->n, input, n * sizeof *input);
    memcpy(a->value + a->n, value, n * sizeof *value);
    a->n += n;
}

void scarce__inputs_list(const scarce__inputs *in, const scarce__online_row *row, scarce__active *out)
{
    out->n = 0;
    scarce__inputs_each(in, row, list_piece, out);
}

/* ---- the file */

void scarce__inputs_write(const scarce__inputs *in, scarce__writer *w)
{
    scarce__put_u64(w, in->n_inputs);
    scarce__put_u64(w, in->rows);
    scarce__put_u64(w, in->max_categories);
    for (size_t f = 0; f < in->n_features; ++f) {
        const scarce__input_feature *x = &in->features[f];
        scarce__put_u32(w, x->missing);
        if (x->kind == SCARCE_COLUMN_CATEGORY) {
            scarce__put_u32(w, x->unknown);
            scarce__put_u64(w, x->n_slots);
            for (size_t s = 0; s < x->n_slots; ++s) scarce__put_u32(w, x->slot[s]);
            continue;
        }
        scarce__put_u32(w, x->value);
        scarce__put_u64(w, x->count);
        scarce__put_f64(w, x->mean);
        scarce__put_f64(w, x->m2);
        scarce__put_f32(w, x->center);
        scarce__put_f32(w, x->scale);
    }
}

static void take_input(const scarce__inputs *in, uint32_t *to, scarce__reader *r)
{
    *to = scarce__get_u32(r);
    if (*to != SCARCE__NO_INPUT && *to >= in->n_inputs) r->failed = 1;
}

static scarce_status read_slots(const scarce__inputs *in, scarce__input_feature *x, scarce__reader *r,
                                scarce_error *err)
{
    take_input(in, &x->unknown, r);
    const size_t n = scarce__get_count(r, 4);
    if (r->failed || n > MOST_CODES) return r->failed = 1, SCARCE_OK;
    if (n > 0) SCARCE__TRY(grow_slots(x, n - 1, err));
    for (size_t s = 0; s < n; ++s) take_input(in, &x->slot[s], r);
    return SCARCE_OK;
}

static void read_number(const scarce__inputs *in, scarce__input_feature *x, scarce__reader *r)
{
    take_input(in, &x->value, r);
    x->count = scarce__get_u64(r);
    x->mean = scarce__get_f64(r);
    x->m2 = scarce__get_f64(r);
    x->center = scarce__get_f32(r);
    x->scale = scarce__get_f32(r);
    if (!isfinite(x->mean) || !(x->m2 >= 0 && x->m2 <= DBL_MAX) || !present(x->center) ||
        !(x->scale >= 0 && x->scale <= FLT_MAX))
        r->failed = 1;
}

scarce_status scarce__inputs_read(scarce__inputs **out, const scarce_schema *schema, scarce__reader *r,
                                  scarce_error *err)
{
    const uint64_t n_inputs = scarce__get_u64(r), rows = scarce__get_u64(r), most = scarce__get_u64(r);
    scarce__inputs *in = NULL;
    scarce_status st = SCARCE_OK;

    *out = NULL;
    if (r->failed || n_inputs >= UINT32_MAX || most > MOST_CODES)
        return scarce__fail(err, SCARCE_EPARSE, "the inputs of an online model are damaged");
    SCARCE__TRY(scarce__inputs_new(&in, schema, (size_t)most, err));
    in->n_inputs = (size_t)n_inputs;
    in->rows = rows;
    for (size_t f = 0; st == SCARCE_OK && !r->failed && f < in->n_features; ++f) {
        scarce__input_feature *x = &in->features[f];
        take_input(in, &x->missing, r);
        if (x->kind == SCARCE_COLUMN_CATEGORY) st = read_slots(in, x, r, err);
        else read_number(in, x, r);
    }
    if (st == SCARCE_OK && r->failed)
        st = scarce__fail(err, SCARCE_EPARSE, "the inputs of an online model are damaged");
    if (st != SCARCE_OK) {
        scarce__inputs_free(in);
        return st;
    }
    *out = in;
    return SCARCE_OK;
}
