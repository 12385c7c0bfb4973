/* SPDX-License-Identifier: Apache-2.0 */
/* Sketches as bytes, and joining them. What arrives is not trusted: counts are held against what follows them. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "far/message.h"
#include "far/sketch.h"
#include "model/model.h"

enum { HAS_WEIGHT = 1, HAS_COST = 2, SEVERAL_NEGATIVES = 4 };

/* A row is its number, its values, and weight and cost where there are any. */
static size_t row_bytes(size_t width, int flags)
{
    return 8 + 4 * width + (flags & HAS_WEIGHT ? 8 : 0) + (flags & HAS_COST ? 8 : 0);
}

static void write_class(const scarce__sketch_class *c, size_t width, int flags, scarce__writer *w)
{
    const size_t n = scarce__sketch_kept(c);
    scarce__put_u64(w, c->seen);
    scarce__put_u64(w, n);
    for (size_t i = 0; i < n; ++i) {
        const size_t place = c->row[i].place;
        scarce__put_u64(w, c->row[i].id);
        if (flags & HAS_WEIGHT) scarce__put_f64(w, c->weight[2 * place]);
        if (flags & HAS_COST) scarce__put_f64(w, c->weight[2 * place + 1]);
        for (size_t f = 0; f < width; ++f) scarce__put_f32(w, c->value[place * width + f]);
    }
}

scarce_status scarce_sketch_bytes(void **bytes, size_t *n, const scarce_sketch *sketch, scarce_error *err)
{
    scarce_sketch *s = (scarce_sketch *)(uintptr_t)sketch; /* pruning changes nothing that can be seen */
    const int flags = (s->has_weight ? HAS_WEIGHT : 0) | (s->has_cost ? HAS_COST : 0) |
                      (s->negatives > 1 ? SEVERAL_NEGATIVES : 0);
    scarce__writer w = {0};

    *bytes = NULL;
    *n = 0;
    scarce__message_begin(&w, SCARCE__A_SKETCH);
    scarce__put_u8(&w, (uint8_t)s->settled);
    if (s->settled) {
        scarce__put_u8(&w, (uint8_t)flags);
        scarce__schema_write(&s->schema, &w);
        scarce__put_u8(&w, (uint8_t)s->schema.writing.decimal);
        scarce__put_u8(&w, (uint8_t)s->schema.writing.date_order);
        scarce__put_u8(&w, (uint8_t)s->schema.writing.time_format);
        for (size_t f = 0; f < s->schema.n_features; ++f) {
            scarce__put_u64(&w, s->missing[f]);
            for (size_t c = 0; c < s->schema.features[f].categories.count; ++c)
                scarce__put_u64(&w, s->first_seen[f][c]);
        }
        for (int y = 0; y < 2; ++y) {
            scarce__sketch_prune(&s->classes[y]);
            write_class(&s->classes[y], s->schema.n_features, flags, &w);
        }
    }
    return scarce__message_end(bytes, n, &w, err);
}

/* The code in `s` of every category of the other schema. */
static scarce_status map_categories(int32_t ***maps, scarce_sketch *s, const scarce_schema *other,
                                    scarce_error *err)
{
    const size_t n = other->n_features;
    int32_t **map = scarce__calloc(n, sizeof *map);

    *maps = map;
    if (!map) return scarce__fail_memory(err, "joining sketches", 0);
    for (size_t f = 0; f < n; ++f) {
        const scarce__feature *from = &other->features[f];
        if (strcmp(from->name, s->schema.features[f].name) != 0 || from->kind != s->schema.features[f].kind)
            return scarce__fail(
                err, SCARCE_EDATA,
                "column %zu is \"%s\" in one place and \"%s\" (or of another kind) in another: all places "
                "need the same columns in the same order",
                f + 1, s->schema.features[f].name, from->name);
        map[f] = scarce__malloc_array(from->categories.count + 1, sizeof **map);
        if (!map[f]) return scarce__fail_memory(err, "joining sketches", 0);
        for (size_t c = 0; c < from->categories.count; ++c) {
            const char *text = scarce__dictionary_text(&from->categories, c);
            const size_t code = scarce__dictionary_add(&s->schema.features[f].categories, text, strlen(text));
            if (code == SIZE_MAX) return scarce__fail_memory(err, "joining sketches", 0);
            map[f][c] = (int32_t)code;
        }
    }
    return scarce__sketch_room(s, err);
}

static scarce_status join_class(scarce_sketch *s, int y, const scarce_schema *other, int flags,
                                int32_t *const *map, scarce__reader *r, scarce_error *err)
{
    const size_t width = other->n_features;
    const uint64_t seen = scarce__get_u64(r);
    const size_t n = scarce__get_count(r, row_bytes(width, flags));
    float *value = scarce__malloc_array(width + 1, sizeof *value);
    scarce_status st = value ? SCARCE_OK : scarce__fail_memory(err, "joining sketches", 0);

    if (st == SCARCE_OK && (r->failed || seen < n || seen > (uint64_t)1 << 40))
        st = scarce__message_damaged(err);
    for (size_t i = 0; i < n && st == SCARCE_OK; ++i) {
        const uint64_t id = scarce__get_u64(r);
        const double weight = flags & HAS_WEIGHT ? scarce__get_f64(r) : 1;
        const double cost = flags & HAS_COST ? scarce__get_f64(r) : 1;
        int good = weight >= 0 && weight <= 1e30 && cost >= 0 && cost <= 1e30;
        for (size_t f = 0; f < width; ++f) {
            value[f] = scarce__get_f32(r);
            if (other->features[f].kind != SCARCE_COLUMN_CATEGORY || isnan(value[f])) continue;
            good = good && value[f] >= 0 && value[f] < (float)other->features[f].categories.count;
            if (good) value[f] = (float)map[f][(size_t)value[f]];
        }
        st = good ? scarce__sketch_take(s, y, id, value, weight, cost, err) : scarce__message_damaged(err);
    }
    if (st == SCARCE_OK) s->classes[y].seen += seen;
    scarce__free(value);
    return st;
}

static scarce_status join(scarce_sketch *s, const scarce_schema *other, int flags, scarce__reader *r,
                          scarce_error *err)
{
    int32_t **map = NULL;
    scarce_status st = SCARCE_OK;

    if (!s->settled) st = scarce__sketch_settle(s, other, err);
    if (st == SCARCE_OK && other->n_features != s->schema.n_features)
        st = scarce__fail(err, SCARCE_EDATA, "rows have %zu columns in one place and %zu in another",
                          s->schema.n_features, other->n_features);
    if (st == SCARCE_OK && scarce__sketch_rows(s) > 0 && ((flags & HAS_WEIGHT) != 0) != (s->has_weight != 0))
        st = scarce__fail(err, SCARCE_EDATA, "some of the rows have weights, others have none");
    if (st == SCARCE_OK && s->schema.positive && other->positive &&
        strcmp(s->schema.positive, other->positive) != 0)
        st = scarce__fail(err, SCARCE_EDATA,
                          "the positive label is \"%.40s\" in one place and \"%.40s\" in another: say which",
                          s->schema.positive, other->positive);
    if (st == SCARCE_OK && (flags & SEVERAL_NEGATIVES)) {
        scarce__free(s->schema.negative);
        s->schema.negative = NULL;
        s->negatives = 2;
    }
    if (st == SCARCE_OK) st = scarce__sketch_learn(s, other, err);
    if (st == SCARCE_OK) st = map_categories(&map, s, other, err);
    for (size_t f = 0; f < other->n_features && st == SCARCE_OK; ++f) {
        s->missing[f] += scarce__get_u64(r);
        for (size_t c = 0; c < other->features[f].categories.count; ++c) {
            const uint64_t first = scarce__get_u64(r);
            uint64_t *seen = &s->first_seen[f][map[f][c]];
            if (first < *seen) *seen = first;
        }
    }
    s->has_weight |= (flags & HAS_WEIGHT) != 0;
    s->has_cost |= (flags & HAS_COST) != 0;
    for (int y = 0; y < 2 && st == SCARCE_OK; ++y) st = join_class(s, y, other, flags, map, r, err);
    if (st == SCARCE_OK && (r->failed || r->at != r->end)) st = scarce__message_damaged(err);
    for (size_t f = 0; map && f < other->n_features; ++f) scarce__free(map[f]);
    scarce__free(map);
    return st;
}

scarce_status scarce_sketch_join(scarce_sketch *s, const void *bytes, size_t n, scarce_error *err)
{
    scarce_schema other;
    scarce__reader r;
    scarce_status st;

    memset(&other, 0, sizeof other);
    SCARCE__TRY(scarce__message_open(&r, bytes, n, SCARCE__A_SKETCH, err));
    const uint8_t settled = scarce__get_u8(&r);
    if (!settled) return r.failed || r.at != r.end ? scarce__message_damaged(err) : SCARCE_OK;
    const int flags = scarce__get_u8(&r);
    st = scarce__schema_read(&other, &r, "a sketch", err);
    if (st == SCARCE_OK) {
        const uint8_t decimal = scarce__get_u8(&r), order = scarce__get_u8(&r), format = scarce__get_u8(&r);
        if (r.failed || (decimal && decimal != '.' && decimal != ',') || order > SCARCE_DATE_YMD ||
            format > SCARCE_TIME_DATES)
            st = scarce__message_damaged(err);
        else
            other.writing =
                (scarce_writing){(char)decimal, (scarce_date_order)order, (scarce_time_format)format};
    }
    if (st == SCARCE_OK) st = join(s, &other, flags, &r, err);
    scarce__schema_deinit(&other);
    return st;
}
