/* SPDX-License-Identifier: Apache-2.0 */
#include "far/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/priority.h"
#include "far/align.h"

scarce_status scarce_sketch_new(scarce_sketch **out, scarce_error *err)
{
    *out = scarce__calloc(1, sizeof **out);
    if (!*out) return scarce__fail_memory(err, "a sketch", 0);
    for (int y = 0; y < 2; ++y) (*out)->classes[y].last = UINT64_MAX;
    return SCARCE_OK;
}

void scarce_sketch_free(scarce_sketch *s)
{
    if (!s) return;
    for (size_t f = 0; s->first_seen && f < s->schema.n_features; ++f) scarce__free(s->first_seen[f]);
    for (int y = 0; y < 2; ++y) {
        scarce__free(s->classes[y].row);
        scarce__free(s->classes[y].value);
        scarce__free(s->classes[y].weight);
    }
    scarce__free(s->first_seen);
    scarce__free(s->first_room);
    scarce__free(s->missing);
    scarce__schema_deinit(&s->schema);
    scarce__free(s);
}

/* Priorities are even over 64 bits: of n rows about n p have one below p 2^64. A sixteenth more than wanted is 32 times the spread of
 * that number, and leaves 5 % of the rows to be positive. */
void scarce_sketch_expect(scarce_sketch *s, uint64_t rows)
{
    const double wanted = SCARCE__SKETCH_ROWS * (1 + 1.0 / 16);
    if ((double)rows > wanted) s->classes[0].last = (uint64_t)(wanted / (double)rows * 0x1p64);
}

int scarce_sketch_enough(const scarce_sketch *s)
{
    for (int y = 0; y < 2; ++y) {
        const scarce__sketch_class *c = &s->classes[y];
        if (c->n < SCARCE__SKETCH_ROWS && c->n < c->seen) return 0;
    }
    return 1;
}

uint64_t scarce__sketch_rows(const scarce_sketch *s)
{
    return s->classes[0].seen + s->classes[1].seen;
}

/* ---- features */

static scarce_status check_kinds(const scarce_schema *schema, scarce_error *err)
{
    for (size_t f = 0; f < schema->n_features; ++f)
        if (schema->features[f].kind == SCARCE_COLUMN_SPARSE)
            return scarce__fail(
                err, SCARCE_EUNSUPPORTED,
                "sparse columns are learnt from in memory only (dense ones, as a CSV has, also from files "
                "larger than that)");
    return SCARCE_OK;
}

scarce_status scarce__sketch_settle(scarce_sketch *s, const scarce_schema *schema, scarce_error *err)
{
    SCARCE__TRY(check_kinds(schema, err));
    SCARCE__TRY(scarce__schema_copy(&s->schema, schema, err));
    s->first_seen = scarce__calloc(schema->n_features, sizeof *s->first_seen);
    s->first_room = scarce__calloc(schema->n_features, sizeof *s->first_room);
    s->missing = scarce__calloc(schema->n_features, sizeof *s->missing);
    if (!s->first_seen || !s->first_room || !s->missing)
        return scarce__fail_memory(err, "a sketch", schema->n_features * sizeof *s->missing);
    s->negatives = schema->negative != NULL;
    s->settled = 1;
    return SCARCE_OK;
}

/* Room for the categories there are now. */
scarce_status scarce__sketch_room(scarce_sketch *s, scarce_error *err)
{
    for (size_t f = 0; f < s->schema.n_features; ++f) {
        const size_t n = s->schema.features[f].categories.count;
        if (n <= s->first_room[f]) continue;
        uint64_t *more = scarce__realloc_array(s->first_seen[f], 2 * n, sizeof *more);
        if (!more) return scarce__fail_memory(err, "the categories of a sketch", 2 * n * sizeof *more);
        for (size_t c = s->first_room[f]; c < 2 * n; ++c) more[c] = UINT64_MAX;
        s->first_seen[f] = more;
        s->first_room[f] = 2 * n;
    }
    return SCARCE_OK;
}

static void look_at_columns(scarce_sketch *s, const scarce_table *t, const uint64_t *id, uint64_t first)
{
    for (size_t f = 0; f < s->schema.n_features; ++f) {
        if (s->schema.features[f].kind == SCARCE_COLUMN_NUMERIC) {
            const float *x = t->columns[f].number;
            for (size_t i = 0; i < t->n_rows; ++i) s->missing[f] += isnan(x[i]) != 0;
            continue;
        }
        const int32_t *code = t->columns[f].code;
        const size_t n = s->schema.features[f].categories.count;
        uint64_t *seen = s->first_seen[f];
        for (size_t i = 0; i < t->n_rows; ++i) {
            const uint64_t number = id ? id[i] : first + i;
            if (code[i] < 0 || (size_t)code[i] >= n) ++s->missing[f];
            else if (number < seen[code[i]]) seen[code[i]] = number;
        }
    }
}

/* ---- rows */

static int by_priority(const void *a, const void *b)
{
    const scarce__sketch_row *x = a, *y = b;
    if (x->priority != y->priority) return x->priority < y->priority ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Keeps the rows of smallest priority; their values stay where they are, and the other places are free again. */
void scarce__sketch_prune(scarce__sketch_class *c)
{
    if (c->n <= SCARCE__SKETCH_ROWS) return;
    qsort(c->row, c->n, sizeof *c->row, by_priority);
    c->last = c->row[SCARCE__SKETCH_ROWS - 1].priority;
}

static scarce_status grow(scarce__sketch_class *c, size_t width, scarce_error *err)
{
    const size_t most = (size_t)2 * SCARCE__SKETCH_ROWS, twice = c->room ? 2 * c->room : 1024;
    const size_t room = twice < most ? twice : most;
    scarce__sketch_row *row = scarce__realloc_array(c->row, room, sizeof *row);
    if (row) c->row = row;
    float *value = scarce__realloc_array(c->value, room, (width ? width : 1) * sizeof *value);
    if (value) c->value = value;
    double *weight = scarce__realloc_array(c->weight, room, 2 * sizeof *weight);
    if (weight) c->weight = weight;
    if (!row || !value || !weight) return scarce__fail_memory(err, "the rows of a sketch", room * 4 * width);
    c->room = room;
    return SCARCE_OK;
}

/* A place for one more row: a new one, or after pruning that of a row that fell out. */
static scarce_status place_for(size_t *place, scarce__sketch_class *c, size_t width, scarce_error *err)
{
    if (c->n == (size_t)2 * SCARCE__SKETCH_ROWS) {
        scarce__sketch_prune(c);
        c->n = SCARCE__SKETCH_ROWS; /* places of the others follow in c->row, to be used again */
    }
    if (c->n == c->room) {
        const size_t before = c->room;
        SCARCE__TRY(grow(c, width, err));
        for (size_t i = before; i < c->room; ++i) c->row[i].place = i;
    }
    *place = c->row[c->n].place;
    return SCARCE_OK;
}

scarce_status scarce__sketch_take(scarce_sketch *s, int y, uint64_t id, const float *value, double weight,
                                  double cost, scarce_error *err)
{
    scarce__sketch_class *c = &s->classes[y];
    const size_t width = s->schema.n_features;
    const uint64_t priority = scarce__priority(id);
    size_t place;

    if (priority > c->last) return SCARCE_OK;
    SCARCE__TRY(place_for(&place, c, width, err));
    c->row[c->n++] = (scarce__sketch_row){priority, id, place};
    memcpy(c->value + place * width, value, width * sizeof *value);
    c->weight[2 * place] = weight;
    c->weight[2 * place + 1] = cost;
    return SCARCE_OK;
}

/* A code as a row has it: one that is beyond the categories is as good as missing. */
static float code_value(const scarce_sketch *s, size_t f, int32_t code)
{
    return code < 0 || (size_t)code >= s->schema.features[f].categories.count ? NAN : (float)code;
}

static scarce_status take_rows(scarce_sketch *s, const scarce_table *t, const uint64_t *id, uint64_t first,
                               scarce_error *err)
{
    const size_t width = s->schema.n_features;
    float *value = scarce__malloc_array(width + 1, sizeof *value);
    scarce_status st = value ? SCARCE_OK : scarce__fail_memory(err, "a sketch", width * sizeof *value);

    for (size_t i = 0; i < t->n_rows && st == SCARCE_OK; ++i) {
        const int y = t->label[i] != 0;
        const uint64_t number = id ? id[i] : first + i;
        ++s->classes[y].seen;
        if (scarce__priority(number) > s->classes[y].last) continue;
        for (size_t f = 0; f < width; ++f)
            value[f] = s->schema.features[f].kind == SCARCE_COLUMN_NUMERIC
                           ? t->columns[f].number[i]
                           : code_value(s, f, t->columns[f].code[i]);
        st = scarce__sketch_take(s, y, number, value, t->weight ? t->weight[i] : 1, t->cost ? t->cost[i] : 1,
                                 err);
    }
    scarce__free(value);
    return st;
}

/* What some rows do not know: how numbers are written, and the other label (with two others none is *the* negative one). */
scarce_status scarce__sketch_learn(scarce_sketch *s, const scarce_schema *of, scarce_error *err)
{
    scarce_writing *w = &s->schema.writing;
    if (of->writing.decimal == ',' || !w->decimal) w->decimal = of->writing.decimal;
    if (of->writing.date_order > w->date_order) w->date_order = of->writing.date_order;
    if (of->writing.time_format > w->time_format) w->time_format = of->writing.time_format;
    if (!of->negative || s->negatives > 1) return SCARCE_OK;
    if (!s->schema.negative && s->negatives == 0) {
        s->schema.negative = scarce__strdup(of->negative);
        if (!s->schema.negative) return scarce__fail_memory(err, "a sketch", 0);
    } else if (strcmp(s->schema.negative, of->negative) == 0) return SCARCE_OK;
    if (++s->negatives > 1) {
        scarce__free(s->schema.negative);
        s->schema.negative = NULL;
    }
    return SCARCE_OK;
}

scarce_status scarce_sketch_add(scarce_sketch *s, const scarce_table *rows, const uint64_t *id,
                                uint64_t first, scarce_error *err)
{
    scarce__aligned aligned;
    scarce_status st;

    if (!s->settled) SCARCE__TRY(scarce__sketch_settle(s, &rows->schema, err));
    if ((rows->weight != NULL) != (s->has_weight != 0) && scarce__sketch_rows(s) > 0)
        return scarce__fail(err, SCARCE_EDATA, "some of the rows have weights, others have none");
    SCARCE__TRY(scarce__align(&aligned, &s->schema, rows, 1, err));
    st = scarce__sketch_learn(s, &rows->schema, err);
    if (st != SCARCE_OK) {
        scarce__aligned_deinit(&aligned);
        return st;
    }
    s->has_weight |= rows->weight != NULL;
    s->has_cost |= rows->cost != NULL;
    st = scarce__sketch_room(s, err);
    if (st == SCARCE_OK) look_at_columns(s, &aligned.table, id, first);
    if (st == SCARCE_OK) st = take_rows(s, &aligned.table, id, first, err);
    scarce__aligned_deinit(&aligned);
    return st;
}

scarce_status scarce_sketch_know(scarce_sketch *s, const scarce_table *rows, const uint64_t *before,
                                 scarce_error *err)
{
    scarce__aligned aligned;
    scarce_status st;

    if (!s->settled) SCARCE__TRY(scarce__sketch_settle(s, &rows->schema, err));
    SCARCE__TRY(scarce__align(&aligned, &s->schema, rows, 1, err));
    st = scarce__sketch_learn(s, &rows->schema, err);
    if (st == SCARCE_OK) st = scarce__sketch_room(s, err);
    for (size_t f = 0; f < s->schema.n_features && st == SCARCE_OK; ++f) {
        if (s->schema.features[f].kind != SCARCE_COLUMN_CATEGORY) continue;
        const int32_t *code = aligned.table.columns[f].code;
        const size_t n = s->schema.features[f].categories.count;
        for (size_t i = 0; i < rows->n_rows; ++i) /* of equal numbers the text that came first is first */
            if (code[i] >= 0 && (size_t)code[i] < n && before[i] < s->first_seen[f][code[i]])
                s->first_seen[f][code[i]] = before[i];
    }
    scarce__aligned_deinit(&aligned);
    return st;
}

/* ---- the table of the sample */

/* The codes of a feature's categories sorted by their first row; NULL: out of memory. */
typedef struct text_order {
    uint64_t first;
    uint32_t code;
} text_order;

static int by_first(const void *a, const void *b)
{
    const text_order *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->code > y->code) - (x->code < y->code);
}

/* Feature f of the table's schema gets the categories in order; (*map)[old code] = new code. */
static scarce_status order_categories(scarce__feature *to, float **map, const scarce_sketch *s, size_t f,
                                      scarce_error *err)
{
    const scarce__dictionary *d = &s->schema.features[f].categories;
    text_order *order = scarce__malloc_array(d->count + 1, sizeof *order);
    int good = order != NULL;

    *map = scarce__malloc_array(d->count + 1, sizeof **map);
    good = good && *map;
    for (size_t c = 0; good && c < d->count; ++c) order[c] = (text_order){s->first_seen[f][c], (uint32_t)c};
    if (good) qsort(order, d->count, sizeof *order, by_first);
    scarce__dictionary_deinit(&to->categories);
    for (size_t c = 0; good && c < d->count; ++c) {
        const char *text = scarce__dictionary_text(d, order[c].code);
        good = scarce__dictionary_add(&to->categories, text, strlen(text)) == c;
        (*map)[order[c].code] = (float)c;
    }
    scarce__free(order);
    return good ? SCARCE_OK : scarce__fail_memory(err, "categories", d->count * sizeof *order);
}

typedef struct picked {
    uint64_t id;
    size_t place;
    int y;
} picked;

static int by_id(const void *a, const void *b)
{
    const picked *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

size_t scarce__sketch_kept(const scarce__sketch_class *c)
{
    return c->n < SCARCE__SKETCH_ROWS ? c->n : SCARCE__SKETCH_ROWS;
}

static scarce_status pick(picked **out, size_t *n, scarce_sketch *s, scarce_error *err)
{
    picked *p = scarce__malloc_array(
        scarce__sketch_kept(&s->classes[0]) + scarce__sketch_kept(&s->classes[1]) + 1, sizeof *p);
    size_t k = 0;

    *out = p;
    if (!p) return scarce__fail_memory(err, "the rows of a sketch", 0);
    for (int y = 0; y < 2; ++y) {
        scarce__sketch_class *c = &s->classes[y];
        if (c->n > SCARCE__SKETCH_ROWS) scarce__sketch_prune(c);
        for (size_t i = 0; i < scarce__sketch_kept(c); ++i)
            p[k++] = (picked){c->row[i].id, c->row[i].place, y};
    }
    qsort(p, k, sizeof *p, by_id);
    for (size_t i = 1; i < k; ++i)
        if (p[i].id == p[i - 1].id)
            return scarce__fail(err, SCARCE_EDATA, "two rows have the number %llu; every row needs its own",
                                (unsigned long long)p[i].id);
    *n = k;
    return SCARCE_OK;
}

static scarce_status make_columns(scarce_table *t, const picked *p, const scarce_sketch *s, scarce_error *err)
{
    const size_t width = s->schema.n_features, n = t->n_rows;

    t->columns = scarce__calloc(width, sizeof *t->columns);
    t->label = scarce__malloc_array(n, sizeof *t->label);
    if (s->has_weight) t->weight = scarce__malloc_array(n, sizeof *t->weight);
    if (s->has_cost) t->cost = scarce__malloc_array(n, sizeof *t->cost);
    if (!t->columns || !t->label || (s->has_weight && !t->weight) || (s->has_cost && !t->cost))
        return scarce__fail_memory(err, "the rows of a sketch", n * 17);
    for (size_t i = 0; i < n; ++i) {
        const scarce__sketch_class *c = &s->classes[p[i].y];
        t->label[i] = (uint8_t)p[i].y;
        t->n_positives += (size_t)p[i].y;
        if (t->weight) t->weight[i] = c->weight[2 * p[i].place];
        if (t->cost) t->cost[i] = c->weight[2 * p[i].place + 1];
    }
    for (size_t f = 0; f < width; ++f) {
        const int category = s->schema.features[f].kind == SCARCE_COLUMN_CATEGORY;
        float *map = NULL;
        if (category) {
            const scarce_status st = order_categories(&t->schema.features[f], &map, s, f, err);
            t->columns[f].code = st == SCARCE_OK ? scarce__malloc_array(n, sizeof(int32_t)) : NULL;
            if (st != SCARCE_OK) scarce__free(map);
            SCARCE__TRY(st);
        } else t->columns[f].number = scarce__malloc_array(n, sizeof(float));
        if (category ? !t->columns[f].code : !t->columns[f].number) {
            scarce__free(map);
            return scarce__fail_memory(err, "the rows of a sketch", n * 4);
        }
        for (size_t i = 0; i < n; ++i) {
            const float v = s->classes[p[i].y].value[p[i].place * width + f];
            if (!category) t->columns[f].number[i] = v;
            else t->columns[f].code[i] = isnan(v) ? -1 : (int32_t)map[(size_t)v];
        }
        scarce__free(map);
    }
    return SCARCE_OK;
}

scarce_status scarce__sketch_table(scarce_table **out, uint64_t **ids, double factor[2],
                                   const scarce_sketch *sketch, scarce_error *err)
{
    scarce_sketch *s = (scarce_sketch *)(uintptr_t)sketch; /* pruning changes nothing that can be seen */
    scarce_table *t = scarce__calloc(1, sizeof *t);
    picked *p = NULL;
    size_t n = 0;
    scarce_status st = t ? SCARCE_OK : scarce__fail_memory(err, "a table", 0);

    *out = NULL;
    *ids = NULL;
    if (st == SCARCE_OK && !scarce_sketch_enough(s))
        st = scarce__fail(
            err, SCARCE_EDATA,
            "the sketches hold too few rows for what was expected of them: sketch the rows again "
            "without scarce_sketch_expect");
    if (st == SCARCE_OK && scarce__sketch_rows(s) == 0)
        st = scarce__fail(err, SCARCE_EDATA, "there are no training rows");
    if (st == SCARCE_OK) st = pick(&p, &n, s, err);
    if (st == SCARCE_OK) st = scarce__schema_copy(&t->schema, &s->schema, err);
    if (st == SCARCE_OK) {
        t->n_rows = n;
        st = make_columns(t, p, s, err);
    }
    if (st == SCARCE_OK && !(*ids = scarce__malloc_array(n, sizeof **ids)))
        st = scarce__fail_memory(err, "the rows of a sketch", n * sizeof **ids);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) (*ids)[i] = p[i].id;
    for (int y = 0; y < 2; ++y)
        factor[y] = scarce__sketch_kept(&s->classes[y])
                        ? (double)s->classes[y].seen / (double)scarce__sketch_kept(&s->classes[y])
                        : 1;
    scarce__free(p);
    if (st == SCARCE_OK) *out = t;
    else scarce_table_free(t);
    return st;
}
