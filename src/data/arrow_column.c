/* SPDX-License-Identifier: Apache-2.0 */
/* One Arrow column, of any number of parts, as a scarce_column.
 *
 * Numbers of a single part stay where they lie, with their bitmap; of several parts they are put one behind the
 * other. Everything else is made anew: bits and half floats to numbers, times to seconds, texts and dictionaries to
 * codes numbered by first appearance over all parts (each part may bring a dictionary of its own). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/frame.h"
#include "data/number_names.h"

enum { NOT_SEEN = -2, MISSING = -1 };

typedef struct column {
    scarce_frame *f;
    scarce__frame_column *to;
    const char *format;
    const struct ArrowSchema *schema;
    const struct ArrowArray *const *parts;
    scarce_error *err;
} column;

/* ---- formats */

/* Plain numbers that a scarce_column can have as they are; SCARCE_TYPE_TEXT: none of these. */
static scarce_type plain_type(const char *format)
{
    static const char letters[] = "cCsSiIlLfg";
    static const scarce_type types[] = {SCARCE_TYPE_I8,  SCARCE_TYPE_U8,  SCARCE_TYPE_I16, SCARCE_TYPE_U16,
                                        SCARCE_TYPE_I32, SCARCE_TYPE_U32, SCARCE_TYPE_I64, SCARCE_TYPE_U64,
                                        SCARCE_TYPE_F32, SCARCE_TYPE_F64};
    const char *at = format[0] && !format[1] ? strchr(letters, format[0]) : NULL;
    return at ? types[at - letters] : SCARCE_TYPE_TEXT;
}

static size_t plain_size(scarce_type type)
{
    switch (type) {
    case SCARCE_TYPE_I8:
    case SCARCE_TYPE_U8: return 1;
    case SCARCE_TYPE_I16:
    case SCARCE_TYPE_U16: return 2;
    case SCARCE_TYPE_I32:
    case SCARCE_TYPE_U32:
    case SCARCE_TYPE_F32: return 4;
    default: return 8;
    }
}

/* Dates, moments, durations, times of day: whole numbers of `unit` seconds, `*wide` 8 bytes or 4. */
static double time_unit(const char *format, int *wide, int *moment)
{
    static const struct {
        const char *begin;
        double unit;
        int wide, moment;
    } units[] = {{"tdD", 86400, 0, 1}, {"tdm", 1e-3, 1, 1},  {"tss:", 1, 1, 1}, {"tsm:", 1e-3, 1, 1},
                 {"tsu:", 1e-6, 1, 1}, {"tsn:", 1e-9, 1, 1}, {"tDs", 1, 1, 0},  {"tDm", 1e-3, 1, 0},
                 {"tDu", 1e-6, 1, 0},  {"tDn", 1e-9, 1, 0},  {"tts", 1, 0, 0},  {"ttm", 1e-3, 0, 0},
                 {"ttu", 1e-6, 1, 0},  {"ttn", 1e-9, 1, 0}};
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        const size_t n = strlen(units[i].begin);
        if (strncmp(format, units[i].begin, n) != 0 || (n == 3 && format[3])) continue;
        *wide = units[i].wide;
        *moment = units[i].moment;
        return units[i].unit;
    }
    return 0;
}

int scarce__arrow_is_text(const char *format)
{
    return strcmp(format, "u") == 0 || strcmp(format, "U") == 0 || strcmp(format, "vu") == 0;
}

/* Digits behind the point of a decimal of 128 bits; -1: it is none. */
static int decimal_scale(const char *format)
{
    int precision, scale, bits = 128, n = 0;
    if (sscanf(format, "d:%d,%d%n", &precision, &scale, &n) != 2) return -1;
    if (format[n] == ',' && sscanf(format + n, ",%d", &bits) != 1) return -1;
    return bits == 128 && scale >= 0 && scale <= 38 ? scale : -1;
}

scarce_status scarce__arrow_check(const char *name, const char *format, const struct ArrowArray *a,
                                  scarce_error *err)
{
    const int text = scarce__arrow_is_text(format), nothing = strcmp(format, "n") == 0;
    const int64_t needed = nothing ? 0 : text ? 3 : 2;
    int bad = a->length < 0 || a->offset < 0 || a->offset > INT64_MAX / 16 - a->length;

    bad |= a->n_buffers < needed || (needed && !a->buffers);
    bad |= !bad && needed && a->length > 0 && !a->buffers[1];
    bad |= !bad && strcmp(format, "vu") == 0 && a->n_buffers > 3 && !a->buffers[a->n_buffers - 1];
    return bad ? scarce__fail(err, SCARCE_EDATA, "column \"%.80s\": its arrow array lacks buffers", name)
               : SCARCE_OK;
}

/* ---- items */

static int64_t whole_at(const struct ArrowArray *a, scarce_type type, size_t i)
{
    const char *at = (const char *)a->buffers[1] + ((size_t)a->offset + i) * plain_size(type);
#define WHOLE(T)                                                                                             \
    {                                                                                                        \
        T v;                                                                                                 \
        memcpy(&v, at, sizeof v);                                                                            \
        return (int64_t)v;                                                                                   \
    }
    switch (type) {
    case SCARCE_TYPE_I8: WHOLE(int8_t)
    case SCARCE_TYPE_U8: WHOLE(uint8_t)
    case SCARCE_TYPE_I16: WHOLE(int16_t)
    case SCARCE_TYPE_U16: WHOLE(uint16_t)
    case SCARCE_TYPE_I32: WHOLE(int32_t)
    case SCARCE_TYPE_U32: WHOLE(uint32_t)
    default: WHOLE(int64_t)
    }
#undef WHOLE
}

static float half_at(const struct ArrowArray *a, size_t i)
{
    uint16_t h;
    memcpy(&h, (const char *)a->buffers[1] + 2 * ((size_t)a->offset + i), sizeof h);
    const int sign = h >> 15, power = h >> 10 & 31, part = h & 1023;
    const float size = power == 31 ? (part ? (float)NAN : (float)INFINITY)
                       : power     ? ldexpf((float)(1024 + part), power - 25)
                                   : ldexpf((float)part, -24);
    return sign ? -size : size;
}

/* 128 bits, two's complement, little-endian; correctly rounded but for the last bit. */
static double decimal_at(const struct ArrowArray *a, size_t i, double divisor)
{
    uint64_t part[2];
    memcpy(part, (const char *)a->buffers[1] + 16 * ((size_t)a->offset + i), sizeof part);
    const int negative = (int)(part[1] >> 63);
    if (negative) {
        part[0] = ~part[0] + 1;
        part[1] = ~part[1] + (part[0] == 0);
    }
    const double size = ((double)part[1] * 18446744073709551616.0 + (double)part[0]) / divisor;
    return negative ? -size : size;
}

int scarce__arrow_text(const char *format, const struct ArrowArray *a, size_t i, const char **text,
                       size_t *length)
{
    const size_t at = (size_t)a->offset + i, last = (size_t)(a->offset + a->length);
    const char *bytes = a->buffers[2];

    *text = NULL;
    *length = 0;
    if (!scarce__arrow_there(a, i)) return 1;
    if (format[0] == 'v') {
        const char *view = (const char *)a->buffers[1] + 16 * at;
        const int64_t n_extra = a->n_buffers - 3;
        int32_t n, buffer, offset;
        int64_t size;
        memcpy(&n, view, sizeof n);
        if (n < 0) return 0;
        *length = (size_t)n;
        *text = view + 4;
        if (n <= 12) return 1;
        memcpy(&buffer, view + 8, sizeof buffer);
        memcpy(&offset, view + 12, sizeof offset);
        if (buffer < 0 || buffer >= n_extra || offset < 0 || !a->buffers[2 + buffer]) return 0;
        memcpy(&size, (const char *)a->buffers[a->n_buffers - 1] + 8 * buffer, sizeof size);
        *text = (const char *)a->buffers[2 + buffer] + offset;
        return size >= 0 && (int64_t)offset + n <= size;
    }
    int64_t begin, end, stop;
    if (format[0] == 'u') {
        const char *offsets = a->buffers[1];
        int32_t b, e, s;
        memcpy(&b, offsets + 4 * at, sizeof b);
        memcpy(&e, offsets + 4 * (at + 1), sizeof e);
        memcpy(&s, offsets + 4 * last, sizeof s);
        begin = b, end = e, stop = s;
    } else {
        const char *offsets = a->buffers[1];
        memcpy(&begin, offsets + 8 * at, sizeof begin);
        memcpy(&end, offsets + 8 * (at + 1), sizeof end);
        memcpy(&stop, offsets + 8 * last, sizeof stop);
    }
    if (begin < 0 || end < begin || end > stop || (end > begin && !bytes)) return 0;
    *text = end > begin ? bytes + begin : "";
    *length = (size_t)(end - begin);
    return 1;
}

/* ---- numbers */

static size_t n_parts(const column *c)
{
    return c->f->n_batches;
}

/* Rows of a part that count; the array may be longer. */
static size_t rows_in(const column *c, size_t k)
{
    return (size_t)c->f->batches[k].length;
}

static scarce_status stay(const column *c, scarce_type type)
{
    const struct ArrowArray *a = c->parts[0];
    scarce_column *to = &c->to->c;

    to->type = type;
    to->items = (const char *)a->buffers[1] + (size_t)a->offset * plain_size(type);
    if (a->null_count != 0 && a->buffers[0]) {
        to->valid = a->buffers[0];
        to->valid_offset = (size_t)a->offset;
    }
    return SCARCE_OK;
}

static scarce_status join(const column *c, scarce_type type)
{
    const size_t size = plain_size(type), bits = (c->f->n_rows + 7) / 8;
    char *items = c->to->items = scarce__big_alloc(c->f->n_rows, size);
    uint8_t *valid = NULL;

    if (!items) return scarce__fail_memory(c->err, "a column", c->f->n_rows * size);
    for (size_t k = 0, row = 0; k < n_parts(c); ++k) {
        const struct ArrowArray *a = c->parts[k];
        const size_t n = rows_in(c, k);
        memcpy(items + row * size, (const char *)a->buffers[1] + (size_t)a->offset * size, n * size);
        if (a->null_count != 0 && a->buffers[0]) {
            if (!valid) {
                valid = c->to->valid = scarce__malloc(bits);
                if (!valid) return scarce__fail_memory(c->err, "a column", bits);
                memset(valid, 0xff, bits);
            }
            for (size_t i = 0; i < n; ++i)
                if (!scarce__arrow_there(a, i)) valid[(row + i) / 8] &= (uint8_t) ~(1u << ((row + i) % 8));
        }
        row += n;
    }
    c->to->c.type = type;
    c->to->c.items = items;
    c->to->c.valid = valid;
    return SCARCE_OK;
}

/* Numbers that are computed, as doubles: what `way` gives for a row. */
typedef struct recipe {
    char kind;     /* 'b' bits, 'e' half, 'd' decimal, 't' whole numbers of a unit, 'n' nothing */
    double factor; /* below 0: a divisor */
    int wide;
} recipe;

static double made_at(const struct ArrowArray *a, const recipe *r, size_t i)
{
    const size_t bit = (size_t)a->offset + i;

    if (r->kind == 'n' || !scarce__arrow_there(a, i)) return (double)NAN;
    if (r->kind == 'b') return ((const uint8_t *)a->buffers[1])[bit / 8] >> (bit % 8) & 1;
    if (r->kind == 'e') return (double)half_at(a, i);
    if (r->kind == 'd') return decimal_at(a, i, r->factor);
    const double x = (double)whole_at(a, r->wide ? SCARCE_TYPE_I64 : SCARCE_TYPE_I32, i);
    /* parts of a second by division: 1e-6 is no double, so a product would be off in the last bit */
    return r->factor > 0 ? x * r->factor : x / -r->factor;
}

static scarce_status make_numbers(const column *c, recipe r)
{
    double *items = c->to->items = scarce__big_alloc(c->f->n_rows, sizeof *items);

    if (!items) return scarce__fail_memory(c->err, "a column", c->f->n_rows * sizeof *items);
    for (size_t k = 0, row = 0; k < n_parts(c); ++k)
        for (size_t i = 0; i < rows_in(c, k); ++i) items[row++] = made_at(c->parts[k], &r, i);
    c->to->c.type = SCARCE_TYPE_F64;
    c->to->c.items = items;
    return SCARCE_OK;
}

/* ---- categories */

/* The code of a text, new if need be; NOT_SEEN after a failure, which *st says. */
static int32_t code_of(const column *c, const char *text, size_t length, size_t row, scarce_status *st)
{
    size_t code;

    if (length == 0) return MISSING;
    if (memchr(text, 0, length)) {
        *st = scarce__fail(c->err, SCARCE_EDATA, "column \"%.80s\", row %zu: a text with a zero byte in it",
                           c->to->name, row + 1);
        return NOT_SEEN;
    }
    code = scarce__dictionary_add(&c->to->texts, text, length);
    if (code != SIZE_MAX && code < INT32_MAX) return (int32_t)code;
    *st = scarce__fail_memory(c->err, "the categories", 0);
    return NOT_SEEN;
}

static scarce_status bad_text(const column *c, size_t row)
{
    return scarce__fail(c->err, SCARCE_EDATA, "column \"%.80s\", row %zu: the text lies outside its buffer",
                        c->to->name, row + 1);
}

static scarce_status texts_of_part(const column *c, const struct ArrowArray *a, size_t n, int32_t *codes,
                                   size_t row)
{
    scarce_status st = SCARCE_OK;

    for (size_t i = 0; i < n && st == SCARCE_OK; ++i) {
        const char *text;
        size_t length;
        if (!scarce__arrow_text(c->format, a, i, &text, &length)) return bad_text(c, row + i);
        codes[i] = code_of(c, text, length, row + i, &st);
    }
    return st;
}

/* The code of item k of a dictionary. */
static int32_t code_of_value(const column *c, const struct ArrowArray *d, size_t k, size_t row,
                             scarce_status *st)
{
    const char *format = c->schema->dictionary->format, *text;
    const scarce_type type = plain_type(format);
    char number[SCARCE__NUMBER_TEXT];
    size_t length;

    if (scarce__arrow_is_text(format)) {
        if (!scarce__arrow_text(format, d, k, &text, &length)) {
            *st = bad_text(c, row);
            return NOT_SEEN;
        }
        return code_of(c, text, length, row, st);
    }
    if (!scarce__arrow_there(d, k)) return MISSING;
    if (type == SCARCE_TYPE_F32 || type == SCARCE_TYPE_F64) {
        const char *at = (const char *)d->buffers[1] + ((size_t)d->offset + k) * plain_size(type);
        double x;
        float f;
        memcpy(type == SCARCE_TYPE_F32 ? (void *)&f : (void *)&x, at, plain_size(type));
        if (type == SCARCE_TYPE_F32) x = (double)f;
        if (isnan(x)) return MISSING;
        length = scarce__number_text(number, x);
    } else if (type == SCARCE_TYPE_U64)
        length = (size_t)snprintf(number, sizeof number, "%llu", (unsigned long long)whole_at(d, type, k));
    else length = (size_t)snprintf(number, sizeof number, "%lld", (long long)whole_at(d, type, k));
    return code_of(c, number, length, row, st);
}

static scarce_status codes_of_part(const column *c, const struct ArrowArray *a, size_t n, int32_t *codes,
                                   size_t row)
{
    const scarce_type type = plain_type(c->format);
    const struct ArrowArray *d = a->dictionary;
    const size_t n_values = (size_t)d->length;
    int32_t *map = scarce__malloc_array(n_values ? n_values : 1, sizeof *map);
    scarce_status st = SCARCE_OK;

    if (!map) return scarce__fail_memory(c->err, "the categories", 0);
    for (size_t k = 0; k < n_values; ++k) map[k] = NOT_SEEN;
    for (size_t i = 0; i < n && st == SCARCE_OK; ++i) {
        const int there = scarce__arrow_there(a, i);
        const int64_t k = there ? whole_at(a, type, i) : -1;
        codes[i] = MISSING;
        if (!there) continue;
        if (k < 0 || (uint64_t)k >= n_values)
            st = scarce__fail(c->err, SCARCE_EDATA,
                              "column \"%.80s\", row %zu: code %lld, but there are %zu categories",
                              c->to->name, row + i + 1, (long long)k, n_values);
        else {
            if (map[k] == NOT_SEEN) map[k] = code_of_value(c, d, (size_t)k, row + i, &st);
            codes[i] = map[k];
        }
    }
    scarce__free(map);
    return st;
}

static scarce_status make_codes(const column *c, int dictionary)
{
    int32_t *codes = c->to->items = scarce__big_alloc(c->f->n_rows, sizeof *codes);
    scarce_column *to = &c->to->c;
    size_t row = 0;

    if (!codes) return scarce__fail_memory(c->err, "a column", c->f->n_rows * sizeof *codes);
    for (size_t k = 0; k < n_parts(c); ++k) {
        const struct ArrowArray *a = c->parts[k];
        SCARCE__TRY((dictionary ? codes_of_part : texts_of_part)(c, a, rows_in(c, k), codes + row, row));
        row += rows_in(c, k);
    }
    to->n_categories = c->to->texts.count;
    c->to->categories = scarce__malloc_array(to->n_categories + 1, sizeof *c->to->categories);
    if (!c->to->categories) return scarce__fail_memory(c->err, "the categories", 0);
    for (size_t k = 0; k < to->n_categories; ++k)
        c->to->categories[k] = scarce__dictionary_text(&c->to->texts, k);
    to->kind = SCARCE_COLUMN_CATEGORY;
    to->type = SCARCE_TYPE_I32;
    to->items = codes;
    to->categories = c->to->categories;
    return SCARCE_OK;
}

/* ---- any of them */

static scarce_status problem(const column *c, const char *why)
{
    c->to->problem = why;
    c->to->c.role = SCARCE_ROLE_IGNORE;
    return SCARCE_OK;
}

static const char *why_not(const char *format)
{
    if (format[0] == '+')
        return format[1] == 's'   ? "holds structs"
               : format[1] == 'm' ? "holds maps"
               : format[1] == 'r' ? "is run-end encoded"
               : format[1] == 'u' ? "holds values of several types"
                                  : "holds lists";
    if (strchr("zZ", format[0]) || strcmp(format, "vz") == 0 || format[0] == 'w') return "holds bytes";
    return "has an Arrow type that is no number, text, category or date";
}

static scarce_status take_dictionary(const column *c)
{
    const struct ArrowSchema *d = c->schema->dictionary;
    const scarce_type index = plain_type(c->format);

    if (!d->format || index == SCARCE_TYPE_TEXT || index == SCARCE_TYPE_F32 || index == SCARCE_TYPE_F64 ||
        d->dictionary || (!scarce__arrow_is_text(d->format) && plain_type(d->format) == SCARCE_TYPE_TEXT))
        return problem(c, "is a dictionary of something else than texts or numbers");
    for (size_t k = 0; k < n_parts(c); ++k) {
        if (!c->parts[k]->dictionary)
            return scarce__fail(c->err, SCARCE_EDATA, "column \"%.80s\": a batch without its dictionary",
                                c->to->name);
        SCARCE__TRY(scarce__arrow_check(c->to->name, d->format, c->parts[k]->dictionary, c->err));
    }
    return make_codes(c, 1);
}

static scarce_status take_any(const column *c)
{
    const scarce_type type = plain_type(c->format);
    const int scale = decimal_scale(c->format);
    recipe r = {0, 1, 0};
    int moment = 0;

    if (!c->format[0]) return problem(c, "has no type");
    if (c->schema->dictionary) return take_dictionary(c);
    if (type != SCARCE_TYPE_TEXT) return n_parts(c) == 1 ? stay(c, type) : join(c, type);
    if (scarce__arrow_is_text(c->format)) return make_codes(c, 0);
    if (strchr("ben", c->format[0]) && !c->format[1]) r.kind = c->format[0];
    else if (scale >= 0) {
        r.kind = 'd';
        for (int i = 0; i < scale; ++i) r.factor *= 10;
    } else if ((r.factor = time_unit(c->format, &r.wide, &moment)) > 0) {
        if (r.factor < 1) r.factor = r.factor > 1e-4 ? -1e3 : r.factor > 1e-7 ? -1e6 : -1e9;
        r.kind = 't';
    } else return problem(c, why_not(c->format));
    c->to->is_time = moment;
    return make_numbers(c, r);
}

scarce_status scarce__arrow_column(scarce_frame *f, size_t i, const struct ArrowSchema *schema,
                                   const struct ArrowArray *const *parts, scarce_error *err)
{
    const column c = {f, &f->columns[i], schema->format, schema, parts, err};
    const int known = plain_type(c.format) != SCARCE_TYPE_TEXT || scarce__arrow_is_text(c.format) ||
                      (strchr("bent", c.format[0]) && c.format[0]) || decimal_scale(c.format) >= 0;

    for (size_t k = 0; known && k < f->n_batches; ++k)
        SCARCE__TRY(scarce__arrow_check(c.to->name, c.format, parts[k], err));
    return take_any(&c);
}
