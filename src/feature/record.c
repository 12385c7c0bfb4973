/* SPDX-License-Identifier: Apache-2.0 */
/* Texts to records. */
#include "feature/record.h"

#include <math.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/number.h"
#include "data/csv.h"
#include "data/times.h"

enum { MOST_DIGITS = 64 };

static const uint64_t largest = (uint64_t)1 << 62;

int scarce__parse_scaled(const char *text, size_t n, char decimal, int places, int64_t *out)
{
    const char *p = text, *end = text + n;
    uint8_t digits[MOST_DIGITS];
    int n_digits = 0, point = 0, exponent = 0, negative = 0, any = 0, cut = 0, after = 0;

    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    for (; p < end; ++p) {
        if (*p == decimal && !after) {
            after = 1;
            continue;
        }
        if (*p < '0' || *p > '9') break;
        any = 1;
        if (after) --point;
        if (n_digits == 0 && *p == '0') continue;
        if (n_digits < MOST_DIGITS) digits[n_digits++] = (uint8_t)(*p - '0');
        else {
            cut |= *p != '0';
            ++point;
        }
    }
    if (!any) return 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        int minus = 0, shown = 0;
        if (++p < end && (*p == '-' || *p == '+')) minus = *p++ == '-';
        for (; p < end && *p >= '0' && *p <= '9'; ++p, shown = 1)
            if (exponent < 100000) exponent = 10 * exponent + (*p - '0');
        if (!shown) return 0;
        if (minus) exponent = -exponent;
    }
    if (p != end) return 0;
    const int whole = n_digits + point + exponent + places; /* digits before the point, once it is scaled */
    uint64_t v = 0;
    *out = 0;
    if (n_digits == 0) return 1;
    if (whole > 19) return 2;
    for (int i = 0; i < whole; ++i) v = 10 * v + (i < n_digits ? digits[i] : 0u);
    if (whole >= 0 && whole < n_digits) {
        for (int i = whole; i < n_digits; ++i) cut |= digits[i] != 0;
        v += digits[whole] >= 5;
    } else if (whole < 0) cut = 1;
    if (v >= largest) return 2;
    *out = negative ? -(int64_t)v : (int64_t)v;
    return cut ? 3 : 1;
}

scarce_status scarce__record_init(scarce__record *r, const scarce__feature_plan *plan, scarce_error *err)
{
    memset(r, 0, sizeof *r);
    r->values = scarce__calloc(plan->n_fields + plan->n_outs, sizeof *r->values);
    return r->values ? SCARCE_OK : scarce__fail_memory(err, "a record", 0);
}

void scarce__record_deinit(scarce__record *r)
{
    scarce__free(r->values);
    r->values = NULL;
}

uint64_t scarce__id_hash(const char *text, size_t n)
{
    const uint64_t h = scarce__hash_bytes(0x1d5ca2cee0u, text, n);
    return h ? h : 1;
}

static scarce_status bad(scarce_error *err, const scarce__feature_field *f, const char *text, size_t n,
                         const char *why)
{
    return scarce__fail(err, SCARCE_EDATA, "%s: \"%.*s\" %s", f->name, n < 60 ? (int)n : 60, text, why);
}

static int same_word(const char *text, size_t n, const char *word)
{
    size_t i = 0;
    for (; i < n && word[i]; ++i)
        if ((text[i] | 0x20) != word[i]) return 0;
    return i == n && !word[i];
}

/* 1, 0, or -1: neither. */
static int truth(const char *text, size_t n)
{
    static const char *const yes[] = {"1", "true", "yes", "t", "y"}, *const no[] = {"0", "false", "no", "f",
                                                                                    "n"};
    if (n == 1 && (text[0] == '0' || text[0] == '1')) return text[0] == '1';
    for (int i = 1; i < 5; ++i) {
        if (same_word(text, n, yes[i])) return 1;
        if (same_word(text, n, no[i])) return 0;
    }
    int64_t v;
    if (scarce__parse_scaled(text, n, '.', 0, &v) == 1 && (v == 0 || v == 1)) return (int)v;
    return -1;
}

static scarce_status take_number(scarce__record *r, const scarce__feature_field *f, size_t i,
                                 const char *text, size_t n, char decimal, scarce_error *err)
{
    static const char *const kinds[] = {"", "is no number", NULL, "is too large to be summed exactly"};
    int64_t v = 0;
    const int how = scarce__parse_scaled(text, n, decimal, f->places, &v);
    if (how == 0) return bad(err, f, text, n, kinds[1]);
    if (how == 2) return bad(err, f, text, n, kinds[3]);
    if (how == 3 && f->type == SCARCE__FIELD_INT) return bad(err, f, text, n, "is no whole number");
    const double x = (double)v / (double)scarce__feature_scale(f->places);
    if (f->most > 0 && fabs(x) > f->most) return bad(err, f, text, n, "is beyond the largest value (max)");
    r->numbers[i] = v;
    r->values[i] = scarce__value_number(x);
    return SCARCE_OK;
}

static scarce_status take_time(scarce__record *r, const scarce__feature_field *f, size_t i, const char *text,
                               size_t n, const double *settled, scarce_error *err)
{
    double seconds = 0;
    if (settled) seconds = *settled;
    else if (scarce__parse_double(text, n, &seconds) != 1 &&
             !scarce__parse_date_order(text, n, SCARCE_DATE_YMD, &seconds, NULL))
        return bad(err, f, text, n, "is no time (seconds since 1970, or 2026-11-16 08:30:00)");
    seconds = floor(seconds);
    if (!(fabs(seconds) < 1e15)) return bad(err, f, text, n, "is no time of this world");
    r->t = (int64_t)seconds;
    r->values[i] = scarce__value_number(seconds);
    return SCARCE_OK;
}

static scarce_status take_truth(scarce__record *r, const scarce__feature_field *f, size_t i, const char *text,
                                size_t n, scarce_error *err)
{
    const int v = truth(text, n);
    if (v < 0) return bad(err, f, text, n, "is neither 1 nor 0 (true, false, yes, no)");
    if (f->type == SCARCE__FIELD_LABEL) {
        r->label = v;
        return SCARCE_OK;
    }
    r->numbers[i] = v;
    r->values[i] = scarce__value_number(v);
    return SCARCE_OK;
}

static int is_missing(const scarce__feature_field *f, const char *text, size_t n)
{
    if (n == 0) return 1;
    if (f->type == SCARCE__FIELD_TEXT || f->type == SCARCE__FIELD_KEY) return 0;
    return (text[0] < '0' || text[0] > '9') && scarce__csv_usual_missing(text, n);
}

static scarce_status take_field(scarce__record *r, const scarce__feature_field *f, size_t i, const char *text,
                                size_t n, const scarce__record_texts *from, scarce_error *err)
{
    r->numbers[i] = SCARCE__NO_VALUE;
    r->hashes[i] = 0;
    r->values[i] = scarce__value_missing();
    const int settled =
        f->type == SCARCE__FIELD_TIME && from->time; /* by the reader of the table; NaN: missing */
    if (settled ? isnan(*from->time) : is_missing(f, text, n)) {
        if (f->type == SCARCE__FIELD_TIME) return scarce__fail(err, SCARCE_EDATA, "%s is missing", f->name);
        if (f->optional || f->type == SCARCE__FIELD_LABEL || !f->used) return SCARCE_OK;
        return scarce__fail(err, SCARCE_EDATA, "%s is missing; if that may be, declare the field optional",
                            f->name);
    }
    switch (f->type) {
    case SCARCE__FIELD_TEXT:
    case SCARCE__FIELD_KEY: r->values[i] = scarce__value_text(text, n); break;
    case SCARCE__FIELD_TIME: return take_time(r, f, i, text, n, from->time, err);
    case SCARCE__FIELD_BOOL:
    case SCARCE__FIELD_LABEL: SCARCE__TRY(take_truth(r, f, i, text, n, err)); break;
    default: SCARCE__TRY(take_number(r, f, i, text, n, from->decimal, err)); break;
    }
    if (f->type != SCARCE__FIELD_LABEL) { /* what is counted: texts by their bytes, numbers by their value */
        const uint64_t h =
            r->values[i].known && (f->type == SCARCE__FIELD_TEXT || f->type == SCARCE__FIELD_KEY)
                ? scarce__hash_bytes(0x5ca2ced15u, text, n)
                : scarce__mix64((uint64_t)r->numbers[i] ^ 0x5ca2ced1e5u);
        r->hashes[i] = h ? h : 1;
    }
    return SCARCE_OK;
}

scarce_status scarce__record_parse(scarce__record *r, const scarce__feature_plan *plan,
                                   const scarce__record_texts *from, scarce_error *err)
{
    r->t = 0;
    r->label = -1;
    for (size_t i = 0; i < plan->n_fields; ++i) {
        const scarce__feature_field *f = &plan->fields[i];
        const char *text = from->texts[i] ? from->texts[i] : "";
        if (!f->used && !f->id && (int)i != plan->time && (int)i != plan->label) continue;
        const size_t n = from->lengths ? from->lengths[i] : strlen(text);
        SCARCE__TRY(take_field(r, f, i, text, n, from, err));
    }
    return SCARCE_OK;
}

int scarce__record_key(const scarce__record *r, const scarce__feature_plan *plan, size_t kind,
                       uint64_t key[2])
{
    const scarce__feature_kind *k = &plan->kinds[kind];
    key[0] = 0x5ca2ce4e7u;
    key[1] = 0xfea7u;
    for (int i = 0; i < k->n_keys; ++i) {
        const scarce__value *v = &r->values[k->keys[i]];
        if (!v->known) return 0;
        const int number = plan->fields[k->keys[i]].type == SCARCE__FIELD_INT;
        const void *bytes = number ? (const void *)&r->numbers[k->keys[i]] : v->as.text;
        const size_t n = number ? sizeof(int64_t) : v->size;
        key[0] = scarce__hash_bytes(key[0], bytes, n);
        key[1] = scarce__hash_bytes(key[1] * 0x9e3779b97f4a7c15u + 1, bytes, n);
    }
    return 1;
}

uint32_t scarce__record_filters(const scarce__record *r, const scarce__feature_plan *plan, size_t kind)
{
    const scarce__feature_kind *k = &plan->kinds[kind];
    uint32_t bits = 1;
    for (int f = 1; f < k->n_filters; ++f)
        bits |= (uint32_t)scarce__is_true(scarce__expr_run(k->filters[f].expr, r->values)) << f;
    return bits;
}

void scarce__record_derive(scarce__record *r, const scarce__feature_plan *plan, double *out)
{
    scarce__value *features = r->values + plan->n_fields;
    if (plan->n_derived == 0) return;
    for (size_t i = 0; i < plan->n_outs; ++i)
        if (plan->outs[i].kind >= 0) features[i] = scarce__value_number(out[i]);
    for (size_t i = 0; i < plan->n_derived; ++i) {
        const size_t at = plan->derived[i].out;
        features[at] = scarce__expr_run(plan->derived[i].expr, r->values);
        out[at] = features[at].known ? features[at].as.number : NAN;
    }
}
