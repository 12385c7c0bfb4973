/* SPDX-License-Identifier: Apache-2.0 */
/* See profile.h. */
#include "data/profile.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/sort.h"
#include "data/priority.h"

enum {
    MOST_ROWS = SCARCE__PROFILE_ROWS,
    OTHERS = SCARCE__PROFILE_BINS - 2,
    MISSING = SCARCE__PROFILE_BINS - 1
};

double scarce__psi(const double *a, const double *b, size_t bins)
{
    double na = 0, nb = 0, psi = 0;

    for (size_t i = 0; i < bins; ++i) na += a[i], nb += b[i];
    if (!(na > 0 && nb > 0)) return (double)NAN;
    for (size_t i = 0; i < bins; ++i) {
        const double e = (a[i] + 0.5) / (na + 0.5 * (double)bins),
                     l = (b[i] + 0.5) / (nb + 0.5 * (double)bins);
        psi += (e - l) * scarce__ln(e / l);
    }
    psi -= (double)(bins - 1) * (1 / na + 1 / nb);
    return psi > 0 ? psi : 0;
}

void scarce__profile_free(scarce__profile *p)
{
    if (!p) return;
    scarce__free(p->columns);
    scarce__free(p);
}

scarce_status scarce__profile_copy(scarce__profile **out, const scarce__profile *from, scarce_error *err)
{
    scarce__profile *p;

    *out = NULL;
    if (!from) return SCARCE_OK;
    p = scarce__calloc(1, sizeof *p);
    if (p) p->columns = scarce__malloc_array(from->n_features, sizeof *p->columns);
    if (!p || !p->columns) {
        scarce__profile_free(p);
        return scarce__fail_memory(err, "the spread of the features", 0);
    }
    p->n_features = from->n_features;
    p->n_rows = from->n_rows;
    memcpy(p->columns, from->columns, from->n_features * sizeof *p->columns);
    *out = p;
    return SCARCE_OK;
}

/* ---- rows that are looked at */

static size_t looked_at(const scarce_table *t)
{
    return t->n_rows < MOST_ROWS ? t->n_rows : MOST_ROWS;
}

/* Row i of those that are looked at: n rows, taken evenly where they aren't listed. */
static size_t row_at(const scarce_table *t, const uint32_t *listed, size_t i, size_t n)
{
    return listed ? listed[i] : (size_t)((double)i * (double)t->n_rows / (double)n);
}

static int present(float x)
{
    return fabsf(x) <= FLT_MAX;
}

/* The values that are there; of sparse columns those that are listed, all of them. */
static size_t take_numbers(float *to, const scarce_table *t, size_t f, const uint32_t *rows, size_t n)
{
    const scarce__column *c = &t->columns[f];
    const int sparse = t->schema.features[f].kind == SCARCE_COLUMN_SPARSE;
    const size_t listed = sparse ? c->sparse.count : 0, step = listed > n ? listed / n + 1 : 1;
    size_t k = 0;

    for (size_t i = 0; !sparse && i < n; ++i) {
        const float x = c->number[row_at(t, rows, i, n)];
        if (present(x)) to[k++] = x;
    }
    for (size_t i = 0; i < listed; i += step)
        if (present(c->sparse.value[i])) to[k++] = c->sparse.value[i];
    return k;
}

/* Room for the values of a column, and to sort them. */
typedef struct sorting {
    float *x;
    uint64_t *key; /* twice as many */
    uint32_t *counts;
} sorting;

static void find_cuts(scarce__profile_column *p, const sorting *s, size_t n)
{
    if (n == 0) return;
    for (size_t i = 0; i < n; ++i) s->key[i] = scarce__float_key(s->x[i]);
    scarce__sort_keys(s->key, s->key + n, n, s->counts, NULL);
    const float least = scarce__key_float((uint32_t)s->key[0]);
    for (size_t k = 1; k <= SCARCE__PROFILE_CUTS; ++k) {
        const float cut = scarce__key_float((uint32_t)s->key[k * n / (SCARCE__PROFILE_CUTS + 1)]);
        if (cut > least && (p->n == 0 || cut > p->cut[p->n - 1])) p->cut[p->n++] = cut; /* x < cut is below */
    }
}

typedef struct counted {
    uint32_t rows, code;
} counted;

static int most_first(const void *a, const void *b)
{
    const counted *x = a, *y = b;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

static scarce_status find_categories(scarce__profile_column *p, const scarce_table *t, size_t f,
                                     const uint32_t *rows, size_t n, scarce_error *err)
{
    const size_t most = t->schema.features[f].categories.count;
    counted *c = scarce__calloc(most + 1, sizeof *c);

    if (!c) return scarce__fail_memory(err, "the spread of categories", most * sizeof *c);
    for (size_t i = 0; i < most; ++i) c[i].code = (uint32_t)i;
    for (size_t i = 0; i < n; ++i) {
        const int32_t code = t->columns[f].code[row_at(t, rows, i, n)];
        if (code >= 0 && (size_t)code < most) c[code].rows += 1;
    }
    qsort(c, most, sizeof *c, most_first);
    while (p->n < most && p->n < SCARCE__PROFILE_CATEGORIES && c[p->n].rows > 0) {
        p->code[p->n] = c[p->n].code;
        p->n += 1;
    }
    scarce__free(c);
    return SCARCE_OK;
}

/* ---- counting */

static size_t range_of(const scarce__profile_column *p, float x)
{
    size_t b = 0;
    for (size_t i = 0; i < p->n; ++i) b += x >= p->cut[i]; /* cuts ascend; without a branch for each */
    return present(x) ? b : MISSING;
}

static size_t place_of(const scarce__profile_column *p, int32_t code)
{
    if (code < 0) return MISSING;
    for (size_t i = 0; i < p->n; ++i)
        if (p->code[i] == (uint32_t)code) return i;
    return OTHERS;
}

static void count_rows(uint32_t *count, const scarce__profile_column *p, const scarce_table *t, size_t f,
                       const uint32_t *rows, size_t n)
{
    const scarce__column *c = &t->columns[f];

    memset(count, 0, SCARCE__PROFILE_BINS * sizeof *count);
    switch (t->schema.features[f].kind) {
    case SCARCE_COLUMN_NUMERIC:
        for (size_t i = 0; i < n; ++i) {
            const float x = c->number[row_at(t, rows, i, n)];
            ++count[p->sparse && x == 0 ? (size_t)OTHERS : range_of(p, x)];
        }
        break;
    case SCARCE_COLUMN_CATEGORY:
        for (size_t i = 0; i < n; ++i) ++count[place_of(p, c->code[row_at(t, rows, i, n)])];
        break;
    case SCARCE_COLUMN_SPARSE: /* of all rows: entries are few */
        for (size_t k = 0; k < c->sparse.count; ++k) ++count[range_of(p, c->sparse.value[k])];
        count[p->sparse ? (size_t)OTHERS : range_of(p, 0)] += (uint32_t)(t->n_rows - c->sparse.count);
        break;
    }
}

static scarce_status fill_column(scarce__profile *p, const scarce_table *t, size_t f, const uint32_t *rows,
                                 const sorting *room, scarce_error *err)
{
    scarce__profile_column *c = &p->columns[f];

    c->sparse = t->schema.features[f].kind == SCARCE_COLUMN_SPARSE;
    if (t->schema.features[f].kind == SCARCE_COLUMN_CATEGORY)
        SCARCE__TRY(find_categories(c, t, f, rows, p->n_rows, err));
    else find_cuts(c, room, take_numbers(room->x, t, f, rows, p->n_rows));
    count_rows(c->rows, c, t, f, rows, p->n_rows);
    return SCARCE_OK;
}

scarce_status scarce__profile_of_rows(scarce__profile **out, const scarce_table *t, const uint32_t *rows,
                                      size_t n_rows, scarce_error *err)
{
    const size_t n = t->schema.n_features;
    scarce__profile *p;
    sorting room = {NULL, NULL, NULL};
    scarce_status st = SCARCE_OK;

    *out = NULL;
    if (n > SCARCE__PROFILE_FEATURES) return SCARCE_OK;
    p = scarce__calloc(1, sizeof *p);
    room.x = scarce__malloc_array(n_rows + 1, sizeof *room.x);
    room.key = scarce__malloc_array(2 * n_rows + 1, sizeof *room.key);
    room.counts = scarce__malloc_array(scarce__sort_counts(NULL, n_rows), sizeof *room.counts);
    if (p) p->columns = scarce__calloc(n, sizeof *p->columns);
    if (!p || !p->columns || !room.x || !room.key || !room.counts)
        st = scarce__fail_memory(err, "the spread of the features", 0);
    if (st == SCARCE_OK) p->n_features = n, p->n_rows = n_rows;
    for (size_t f = 0; st == SCARCE_OK && f < n; ++f) st = fill_column(p, t, f, rows, &room, err);
    scarce__free(room.x);
    scarce__free(room.key);
    scarce__free(room.counts);
    if (st != SCARCE_OK) {
        scarce__profile_free(p);
        return st;
    }
    *out = p;
    return SCARCE_OK;
}

/* By priority, so that rows in several places choose the same ones together. */
scarce_status scarce__profile_of(scarce__profile **out, const scarce_table *t, scarce_error *err)
{
    uint32_t *rows = NULL;
    size_t n = t->n_rows;
    scarce_status st;

    *out = NULL;
    if (n > MOST_ROWS && !(rows = scarce__priority_rows(NULL, 0, t->n_rows, MOST_ROWS, &n)))
        return scarce__fail_memory(err, "the spread of the features", 0);
    st = scarce__profile_of_rows(out, t, rows, n, err);
    scarce__free(rows);
    return st;
}

scarce_status scarce__profile_drift(double *psi, const scarce__profile *p, const scarce_table *t,
                                    scarce_error *err)
{
    const size_t n = looked_at(t);

    if (t->schema.n_features != p->n_features)
        return scarce__fail(err, SCARCE_EDATA, "the table has %zu features, the model %zu",
                            t->schema.n_features, p->n_features);
    for (size_t f = 0; f < p->n_features; ++f) {
        const scarce__profile_column *c = &p->columns[f];
        double a[SCARCE__PROFILE_BINS], b[SCARCE__PROFILE_BINS];
        uint32_t rows[SCARCE__PROFILE_BINS];
        size_t bins = 0;
        count_rows(rows, c, t, f, NULL, n);
        for (size_t i = 0; i < SCARCE__PROFILE_BINS; ++i) {
            if (c->rows[i] == 0 && rows[i] == 0) continue;
            a[bins] = (double)c->rows[i];
            b[bins++] = (double)rows[i];
        }
        psi[f] = scarce__psi(a, b, bins);
    }
    return SCARCE_OK;
}

/* ---- bytes */

static size_t ranges_of(const scarce__profile_column *c, int category)
{
    return category ? c->n : (size_t)c->n + 1;
}

void scarce__profile_write(const scarce__profile *p, const scarce_schema *schema, scarce__writer *w)
{
    scarce__put_u64(w, p->n_rows);
    for (size_t f = 0; f < p->n_features; ++f) {
        const scarce__profile_column *c = &p->columns[f];
        const int category = schema->features[f].kind == SCARCE_COLUMN_CATEGORY;
        scarce__put_u8(w, (uint8_t)c->n);
        for (size_t i = 0; i < c->n; ++i) {
            if (category) scarce__put_u32(w, c->code[i]);
            else scarce__put_f32(w, c->cut[i]);
        }
        for (size_t i = 0; i < ranges_of(c, category); ++i) scarce__put_u32(w, c->rows[i]);
        scarce__put_u32(w, c->rows[OTHERS]);
        scarce__put_u32(w, c->rows[MISSING]);
    }
}

static void read_column(scarce__profile_column *c, const scarce__feature *feature, scarce__reader *r)
{
    const int category = feature->kind == SCARCE_COLUMN_CATEGORY;

    c->sparse = feature->kind == SCARCE_COLUMN_SPARSE;
    c->n = scarce__get_u8(r);
    if (c->n > (category ? SCARCE__PROFILE_CATEGORIES : SCARCE__PROFILE_CUTS)) r->failed = 1, c->n = 0;
    for (size_t i = 0; i < c->n; ++i) {
        if (category) c->code[i] = scarce__get_u32(r);
        else c->cut[i] = scarce__get_f32(r);
        if (category ? c->code[i] >= feature->categories.count
                     : !present(c->cut[i]) || (i > 0 && !(c->cut[i] > c->cut[i - 1])))
            r->failed = 1;
    }
    for (size_t i = 0; i < ranges_of(c, category); ++i) c->rows[i] = scarce__get_u32(r);
    c->rows[OTHERS] = scarce__get_u32(r);
    c->rows[MISSING] = scarce__get_u32(r);
}

scarce_status scarce__profile_read(scarce__profile **out, const scarce_schema *schema, scarce__reader *r,
                                   scarce_error *err)
{
    scarce__profile *p;

    *out = NULL;
    if (schema->n_features > SCARCE__PROFILE_FEATURES) r->failed = 1;
    if (r->failed) return SCARCE_OK;
    p = scarce__calloc(1, sizeof *p);
    if (p) p->columns = scarce__calloc(schema->n_features, sizeof *p->columns);
    if (!p || !p->columns) {
        scarce__profile_free(p);
        return scarce__fail_memory(err, "the spread of the features", 0);
    }
    p->n_features = schema->n_features;
    p->n_rows = (size_t)scarce__get_u64(r);
    for (size_t f = 0; f < p->n_features; ++f) read_column(&p->columns[f], &schema->features[f], r);
    *out = p;
    return SCARCE_OK;
}
