/* SPDX-License-Identifier: Apache-2.0 */
/* The machine: a switch over instructions on a stack of values. What it does with missing values is in expr.h. */
#include "core/elementary.h"
#include "data/times.h"
#include "expr/code.h"

typedef scarce__value value;

static inline value of_bool(int truth, int known)
{
    value v = {{0}, 0, 0, 0, {0, 0}};
    v.as.number = truth ? 1 : 0;
    v.known = (uint8_t)known;
    return v;
}

/* A result of a and b, missing where one of them is or where it isn't finite. */
static inline value of_number(double x, int known)
{
    value v = {{0}, 0, 0, 0, {0, 0}};
    v.as.number = x;
    v.known = (uint8_t)(known && x - x == 0);
    return v;
}

/* ---- Texts */

static inline char letter(const value *v, size_t i)
{
    const char c = v->as.text[i];
    return v->folded && c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Whether b stands in a at `from`. */
static int stands_at(const value *a, const value *b, size_t from)
{
    if (!a->folded && !b->folded) return memcmp(a->as.text + from, b->as.text, b->size) == 0;
    for (size_t i = 0; i < b->size; ++i)
        if (letter(a, from + i) != letter(b, i)) return 0;
    return 1;
}

static int starts(const value *a, const value *b)
{
    return a->size >= b->size && stands_at(a, b, 0);
}

static int ends(const value *a, const value *b)
{
    return a->size >= b->size && stands_at(a, b, a->size - b->size);
}

static int contains(const value *a, const value *b)
{
    if (a->size < b->size) return 0;
    if (!a->folded && !b->folded)
        return b->size == 0 || memmem(a->as.text, a->size, b->as.text, b->size) != NULL;
    for (size_t i = 0; i + b->size <= a->size; ++i)
        if (stands_at(a, b, i)) return 1;
    return 0;
}

/* Characters: bytes that don't continue one. */
static double size_of(const value *a)
{
    size_t n = 0;
    for (uint32_t i = 0; i < a->size; ++i) n += ((unsigned char)a->as.text[i] & 0xc0) != 0x80;
    return (double)n;
}

/* ---- Times */

enum { DAY = 86400 };

static double hour_of(double t)
{
    const double rest = t - DAY * floor(t / DAY);
    return floor(rest / 3600) < 24 ? floor(rest / 3600) : 23;
}

/* 0 is Sunday: 1970-01-01 was a Thursday. */
static double day_of_week(double t)
{
    const double d = floor(t / DAY) + 4;
    return d - 7 * floor(d / 7);
}

static double iso_weekday(double t)
{
    const double d = day_of_week(t);
    return d == 0 ? 7 : d;
}

static double day_of_month(double t)
{
    int year, month, day;
    if (!(fabs(t) < 1e15)) return (double)NAN;
    scarce__day_of((int64_t)floor(t / DAY), &year, &month, &day);
    return day;
}

/* ---- Numbers */

static double round_to(double x, double places)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    if (!(places >= 0 && places <= 9) || places != floor(places)) return (double)NAN;
    const double p = powers[(int)places], scaled = x * p;
    return fabs(scaled) < 4503599627370496.0 ? round(scaled) / p
                                             : x; /* beyond 2^52 nothing is to be rounded */
}

/* arctan of 0 <= z <= 1: arctan z = 2 arctan(z / (1 + sqrt(1 + z^2))) three times, which leaves z <= tan(pi/32) < 0.1,
 * then the first ten terms of its series (the next is below 1e-22). */
static double arctan(double z)
{
    double sum = 0;
    for (int i = 0; i < 3; ++i) z /= 1 + sqrt(1 + z * z);
    for (int k = 19; k >= 1; k -= 2) sum = 1.0 / k - z * z * sum;
    return 8 * z * sum;
}

/* Great-circle distance on the sphere of the earth's mean radius, 6371.0088 km:
 *     h = sin^2(dlat/2) + cos lat1 cos lat2 sin^2(dlon/2),  d = 2 r arcsin(sqrt h),
 *     arcsin s = 2 arctan(s / (1 + sqrt(1 - s^2))).
 * Sines come from the cosine of a share of the circle. Missing for latitudes beyond the poles. */
static double haversine(const value *v)
{
    const double lat1 = v[0].as.number / 360, lon1 = v[1].as.number / 360, lat2 = v[2].as.number / 360,
                 lon2 = v[3].as.number / 360;

    if (!(fabs(lat1) <= 0.25 && fabs(lat2) <= 0.25 && fabs(lon1) <= 1e6 && fabs(lon2) <= 1e6))
        return (double)NAN;
    const double a = scarce__cos_turns((lat2 - lat1) / 2 - 0.25),
                 b = scarce__cos_turns((lon2 - lon1) / 2 - 0.25);
    double h = a * a + scarce__cos_turns(lat1) * scarce__cos_turns(lat2) * b * b;
    h = h < 0 ? 0 : h > 1 ? 1 : h;
    return 2 * 6371.0088 * 2 * arctan(sqrt(h) / (1 + sqrt(1 - h)));
}

/* ---- in [a, b]: top[-n-1] against the n values above it; true where one is equal, else missing where one is */

static value any_equal(const value *top, size_t n, int text, const scarce__set *constants)
{
    const value *x = top - n - 1;
    int known = x->known;

    if (x->known && constants && scarce__set_has(constants, x)) return of_bool(1, 1);
    for (size_t i = 0; x->known && i < n; ++i) {
        const value *item = top - n + i;
        if (!item->known) known = 0;
        else if (text ? scarce__value_compare_text(x, item) == 0 : x->as.number == item->as.number)
            return of_bool(1, 1);
    }
    return of_bool(0, known);
}

/* ---- The loop */

#define KNOWN2 (top[-2].known & top[-1].known)
#define COMPARE(relation)                                                                                    \
    {                                                                                                        \
        top[-2] = of_bool(top[-2].as.number relation top[-1].as.number, KNOWN2);                             \
        --top;                                                                                               \
        break;                                                                                               \
    }
#define COMPARE_TEXT(relation)                                                                               \
    {                                                                                                        \
        const int known = KNOWN2;                                                                            \
        top[-2] = of_bool(known && scarce__value_compare_text(&top[-2], &top[-1]) relation 0, known);        \
        --top;                                                                                               \
        break;                                                                                               \
    }
#define COMPARE_FIELD(relation)                                                                              \
    {                                                                                                        \
        const value *field = &record[i->x];                                                                  \
        *top++ = of_bool(field->as.number relation constants[i->y].as.number, field->known);                 \
        break;                                                                                               \
    }
#define BINARY(result)                                                                                       \
    {                                                                                                        \
        const double a = top[-2].as.number, b = top[-1].as.number;                                           \
        top[-2] = of_number(result, KNOWN2);                                                                 \
        --top;                                                                                               \
        break;                                                                                               \
    }
#define UNARY(result)                                                                                        \
    {                                                                                                        \
        const double a = top[-1].as.number;                                                                  \
        top[-1] = top[-1].known ? of_number(result, 1) : top[-1];                                            \
        break;                                                                                               \
    }
#define TEXT2(call)                                                                                          \
    {                                                                                                        \
        const int known = KNOWN2;                                                                            \
        top[-2] = of_bool(known && call(&top[-2], &top[-1]), known);                                         \
        --top;                                                                                               \
        break;                                                                                               \
    }
#define IS(v, truth) ((v).known && ((v).as.number != 0) == (truth))

scarce__value scarce__expr_execute(const scarce__expr *e, size_t from, const scarce__value *record)
{
    value stack[SCARCE__EXPR_STACK], *top = stack;
    const value *constants = e->constants;
    const scarce__instruction *const code = e->code, *const end = code + e->n;

    for (const scarce__instruction *i = code + from; i < end; ++i) {
        switch ((scarce__op)i->op) {
        case SCARCE__OP_FIELD: *top++ = record[i->x]; break;
        case SCARCE__OP_CONST: *top++ = constants[i->x]; break;
        case SCARCE__OP_POP: --top; break;
        case SCARCE__OP_NOT: top[-1].as.number = top[-1].as.number == 0; break;
        case SCARCE__OP_AND:
            if (IS(top[-2], 0) || IS(top[-1], 0)) top[-2] = of_bool(0, 1);
            else top[-2] = of_bool(1, KNOWN2);
            --top;
            break;
        case SCARCE__OP_OR:
            if (IS(top[-2], 1) || IS(top[-1], 1)) top[-2] = of_bool(1, 1);
            else top[-2] = of_bool(0, KNOWN2);
            --top;
            break;
        case SCARCE__OP_JUMP: i = code + i->x - 1; break;
        case SCARCE__OP_JUMP_FALSE:
            if (IS(top[-1], 0)) i = code + i->x - 1;
            break;
        case SCARCE__OP_JUMP_TRUE:
            if (IS(top[-1], 1)) i = code + i->x - 1;
            break;
        case SCARCE__OP_JUMP_KNOWN:
            if (top[-1].known) i = code + i->x - 1;
            break;
        case SCARCE__OP_BRANCH:
            --top;
            if (!top->known) {
                *top++ = scarce__value_missing();
                i = code + i->y - 1;
            } else if (top->as.number == 0) {
                i = code + i->x - 1;
            }
            break;
        case SCARCE__OP_HAS: top[-1] = of_bool(top[-1].known, 1); break;
        case SCARCE__OP_MISSING: top[-1] = of_bool(!top[-1].known, 1); break;
        case SCARCE__OP_IN:
            top[-1] = of_bool(top[-1].known && scarce__set_has(e->sets[i->x], &top[-1]), top[-1].known);
            break;
        case SCARCE__OP_ANY_EQUAL:
        case SCARCE__OP_ANY_EQUAL_TEXT: {
            const value found =
                any_equal(top, i->x, i->op == SCARCE__OP_ANY_EQUAL_TEXT, i->y ? e->sets[i->y - 1] : NULL);
            top -= i->x;
            top[-1] = found;
            break;
        }
        case SCARCE__OP_NEGATE: top[-1].as.number = -top[-1].as.number; break;
        case SCARCE__OP_ADD: BINARY(a + b)
        case SCARCE__OP_SUBTRACT: BINARY(a - b)
        case SCARCE__OP_MULTIPLY: BINARY(a * b)
        case SCARCE__OP_DIVIDE: BINARY(b == 0 ? (double)NAN : a / b)
        case SCARCE__OP_REMAINDER: BINARY(b == 0 ? (double)NAN : fmod(a, b))
        case SCARCE__OP_EQ: COMPARE(==)
        case SCARCE__OP_NE: COMPARE(!=)
        case SCARCE__OP_LT: COMPARE(<)
        case SCARCE__OP_LE: COMPARE(<=)
        case SCARCE__OP_GT: COMPARE(>)
        case SCARCE__OP_GE: COMPARE(>=)
        case SCARCE__OP_TEXT_EQ: COMPARE_TEXT(==)
        case SCARCE__OP_TEXT_NE: COMPARE_TEXT(!=)
        case SCARCE__OP_TEXT_LT: COMPARE_TEXT(<)
        case SCARCE__OP_TEXT_LE: COMPARE_TEXT(<=)
        case SCARCE__OP_TEXT_GT: COMPARE_TEXT(>)
        case SCARCE__OP_TEXT_GE: COMPARE_TEXT(>=)
        case SCARCE__OP_FIELD_EQ: COMPARE_FIELD(==)
        case SCARCE__OP_FIELD_NE: COMPARE_FIELD(!=)
        case SCARCE__OP_FIELD_LT: COMPARE_FIELD(<)
        case SCARCE__OP_FIELD_LE: COMPARE_FIELD(<=)
        case SCARCE__OP_FIELD_GT: COMPARE_FIELD(>)
        case SCARCE__OP_FIELD_GE: COMPARE_FIELD(>=)
        case SCARCE__OP_SIZE:
            if (top[-1].known) top[-1] = of_number(size_of(&top[-1]), 1);
            break;
        case SCARCE__OP_STARTS: TEXT2(starts)
        case SCARCE__OP_ENDS: TEXT2(ends)
        case SCARCE__OP_CONTAINS: TEXT2(contains)
        case SCARCE__OP_LOWER: top[-1].folded = 1; break;
        case SCARCE__OP_HOUR: UNARY(hour_of(a))
        case SCARCE__OP_WEEKDAY: UNARY(iso_weekday(a))
        case SCARCE__OP_CEL_WEEKDAY: UNARY(day_of_week(a))
        case SCARCE__OP_DAY: UNARY(day_of_month(a))
        case SCARCE__OP_ABS: UNARY(fabs(a))
        case SCARCE__OP_MIN: BINARY(b < a ? b : a)
        case SCARCE__OP_MAX: BINARY(b > a ? b : a)
        case SCARCE__OP_LOG: UNARY(a > 0 ? scarce__ln(a) : (double)NAN)
        case SCARCE__OP_EXP: UNARY(scarce__exp(a))
        case SCARCE__OP_SQRT: UNARY(a >= 0 ? sqrt(a) : (double)NAN)
        case SCARCE__OP_FLOOR: UNARY(floor(a))
        case SCARCE__OP_CEIL: UNARY(ceil(a))
        case SCARCE__OP_ROUND: UNARY(round(a))
        case SCARCE__OP_ROUND_TO: BINARY(round_to(a, b))
        case SCARCE__OP_HAVERSINE: {
            const int known = top[-4].known & top[-3].known & KNOWN2;
            top[-4] = known ? of_number(haversine(top - 4), 1) : scarce__value_missing();
            top -= 3;
            break;
        }
        case SCARCE__OP_SAME:
        case SCARCE__N_OPS: break;
        }
    }
    return top[-1];
}

scarce__value scarce__expr_run(const scarce__expr *e, const scarce__value *record)
{
    return scarce__expr_execute(e, 0, record);
}
