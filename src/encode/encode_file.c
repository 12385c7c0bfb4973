/* SPDX-License-Identifier: Apache-2.0 */
/* An encoder in a model file: the share of positives, then for each column or pair its cells. Names, columns that
 * stay and the order of texts follow from the schema. */
#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "encode/encode_inside.h"

void scarce__encoder_write(const scarce__encoder *e, scarce__writer *w)
{
    scarce__put_f64(w, e->share);
    scarce__put_u64(w, e->n_alone);
    scarce__put_u64(w, e->n_counts);
    for (size_t i = 0; i < e->n_counts; ++i) {
        const scarce__counts *c = &e->counts[i];
        scarce__put_u32(w, c->a);
        scarce__put_u32(w, c->b);
        scarce__put_u64(w, c->n);
        for (size_t k = 0; k < c->n; ++k) {
            scarce__put_u64(w, c->key[k]);
            scarce__put_f32(w, c->rows[k]);
            scarce__put_f32(w, c->positives[k]);
        }
    }
}

static int is_category(const scarce_schema *schema, uint32_t f)
{
    return f < schema->n_features && schema->features[f].kind == SCARCE_COLUMN_CATEGORY;
}

enum { CELL_BYTES = 16, COUNTS_BYTES = 16 };

static scarce_status read_counts(scarce__counts *c, const scarce__encoder *e, const scarce_schema *schema,
                                 int alone, uint32_t after, scarce__reader *r, scarce_error *err)
{
    uint64_t most;

    c->a = scarce__get_u32(r);
    c->b = scarce__get_u32(r);
    const size_t n = scarce__get_count(r, CELL_BYTES);
    if (r->failed || !is_category(schema, c->a) ||
        (alone ? c->b != SCARCE__ALONE : !is_category(schema, c->b)) ||
        (alone && after != SCARCE__ALONE && c->a <= after))
        return scarce__fail(err, SCARCE_EPARSE, "categories as numbers: a column that is none");
    most = e->categories[c->a] + 1ull;
    if (alone) c->n_slots = (size_t)most;
    else most *= e->categories[c->b] + 1ull;
    c->key = scarce__malloc_array(n, sizeof *c->key);
    c->rows = scarce__malloc_array(n, sizeof *c->rows);
    c->positives = scarce__malloc_array(n, sizeof *c->positives);
    if (!c->key || !c->rows || !c->positives)
        return scarce__fail_memory(err, "categories as numbers", n * CELL_BYTES);
    c->n = n;
    for (size_t k = 0; k < n; ++k) {
        c->key[k] = scarce__get_u64(r);
        c->rows[k] = scarce__get_f32(r);
        c->positives[k] = scarce__get_f32(r);
        if (r->failed || c->key[k] >= most || !(c->rows[k] >= 0) || !isfinite(c->rows[k]) ||
            !(c->positives[k] >= 0 && c->positives[k] <= c->rows[k]))
            return scarce__fail(err, SCARCE_EPARSE, "categories as numbers: a count that can't be");
    }
    return scarce__counts_index(c, err);
}

static scarce_status read_all(scarce__encoder *e, const scarce_schema *schema, scarce__reader *r,
                              scarce_error *err)
{
    uint32_t after = SCARCE__ALONE;

    e->n_from = schema->n_features;
    e->categories = scarce__malloc_array(e->n_from, sizeof *e->categories);
    if (!e->categories) return scarce__fail_memory(err, "categories as numbers", 0);
    for (size_t f = 0; f < e->n_from; ++f) e->categories[f] = (uint32_t)schema->features[f].categories.count;
    e->share = scarce__get_f64(r);
    const size_t alone = scarce__get_count(r, COUNTS_BYTES), all = scarce__get_count(r, COUNTS_BYTES);
    if (r->failed || !(e->share >= 0 && e->share <= 1) || alone == 0 || alone > e->n_from || all < alone)
        return scarce__fail(err, SCARCE_EPARSE, "the categories as numbers are cut off");
    e->counts = scarce__calloc(all, sizeof *e->counts);
    if (!e->counts) return scarce__fail_memory(err, "categories as numbers", all * sizeof *e->counts);
    for (size_t i = 0; i < all; ++i) {
        e->n_counts = i + 1; /* so that it is freed */
        SCARCE__TRY(read_counts(&e->counts[i], e, schema, i < alone, after, r, err));
        if (i < alone) after = e->counts[i].a;
    }
    e->n_alone = alone;
    return scarce__encoder_finish(e, schema, err);
}

scarce_status scarce__encoder_read(scarce__encoder **out, const scarce_schema *schema, scarce__reader *r,
                                   scarce_error *err)
{
    scarce__encoder *e = scarce__calloc(1, sizeof *e);
    scarce_status st;

    *out = NULL;
    if (!e) return scarce__fail_memory(err, "categories as numbers", 0);
    st = read_all(e, schema, r, err);
    if (st != SCARCE_OK) {
        scarce__encoder_free(e);
        return st;
    }
    *out = e;
    return SCARCE_OK;
}
