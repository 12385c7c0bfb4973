/* SPDX-License-Identifier: Apache-2.0 */
/* Random expressions of every type, with missing values everywhere: a tree is made, written as text and walked
 * slowly, straight from the words of expr.h; the compiled text must give the same. */
#include <stdlib.h>

#include "expr_fields.h"
#include "lcg.h"
#include "test.h"

typedef enum kind {
    LITERAL,
    FIELD,
    NOT,
    NEGATE,
    BINARY,
    TERNARY,
    IN_SET,
    IN_CONSTANTS,
    IN_VALUES,
    HAS,
    IS_NULL,
    COALESCE,
    CALL
} kind;

typedef struct tree {
    kind kind;
    scarce__type type;
    const char *op; /* of BINARY and CALL */
    size_t field;   /* of FIELD, HAS; of IN_SET the list */
    int flag;       /* IS_NULL: asks for !=; CALL: written as x.f(y) */
    scarce__value value;
    struct tree *kid[4];
    size_t n;
} tree;

static const char *const texts[] = {"", "DE", "FR", "de", "D", "Straße", "DEFR"};
static const double numbers[] = {0, 1, 2, 2.5, 5, 12.5, 0.1, 1e9, 3};

static tree *make(lcg *r, scarce__type type, int depth);

static tree *node(kind k, scarce__type type)
{
    tree *t = calloc(1, sizeof *t);
    if (!t) abort();
    t->kind = k;
    t->type = type;
    return t;
}

static void free_tree(tree *t)
{
    for (size_t i = 0; i < t->n; ++i) free_tree(t->kid[i]);
    free(t);
}

static void add_kid(tree *t, lcg *r, scarce__type type, int depth)
{
    t->kid[t->n++] = make(r, type, depth);
}

static scarce__type any_type(lcg *r)
{
    return (scarce__type)(1 + lcg_below(r, 5));
}

static scarce__type ordered_type(lcg *r)
{
    static const scarce__type types[] = {SCARCE__NUMBER, SCARCE__TIME, SCARCE__SPAN};
    return types[lcg_below(r, 3)];
}

static tree *leaf(lcg *r, scarce__type type)
{
    tree *t;
    const size_t f = lcg_below(r, N_FIELDS);

    for (size_t i = 0; lcg_below(r, 3) && i < N_FIELDS; ++i) {
        const size_t k = (f + i) % N_FIELDS;
        if (expr_fields[k].type != type &&
            !(expr_fields[k].type == SCARCE__FLAG && (type == SCARCE__NUMBER || type == SCARCE__BOOLEAN)))
            continue;
        t = node(FIELD, type);
        t->field = k;
        return t;
    }
    t = node(LITERAL, type);
    if (type == SCARCE__WORD) {
        const char *text = texts[lcg_below(r, sizeof texts / sizeof texts[0])];
        t->value = scarce__value_text(text, strlen(text));
    } else if (type == SCARCE__BOOLEAN) {
        t->value = scarce__value_number((double)lcg_below(r, 2));
    } else if (type == SCARCE__TIME) {
        t->value = scarce__value_number(1794700000.0 + 3600 * (double)lcg_below(r, 100));
    } else {
        t->value = scarce__value_number(numbers[lcg_below(r, sizeof numbers / sizeof numbers[0])]);
        if (type == SCARCE__SPAN) t->value.as.number *= 60;
    }
    return t;
}

static tree *call(lcg *r, const char *name, scarce__type type, const scarce__type *takes, size_t n, int depth)
{
    tree *t = node(CALL, type);
    t->op = name;
    t->flag = (int)lcg_below(r, 2);
    for (size_t i = 0; i < n; ++i) add_kid(t, r, takes[i], depth);
    return t;
}

static tree *binary(lcg *r, const char *op, scarce__type type, scarce__type a, scarce__type b, int depth)
{
    tree *t = node(BINARY, type);
    t->op = op;
    add_kid(t, r, a, depth);
    add_kid(t, r, b, depth);
    return t;
}

static tree *make_bool(lcg *r, int depth)
{
    static const char *const equal[] = {"==", "!="}, *const order[] = {"<", "<=", ">", ">=", "==", "!="};
    static const scarce__type two[] = {SCARCE__WORD, SCARCE__WORD};
    static const char *const tests[] = {"startsWith", "endsWith", "contains"};
    scarce__type type;
    tree *t;

    switch (lcg_below(r, 12)) {
    case 0:
    case 1: return binary(r, "&&", SCARCE__BOOLEAN, SCARCE__BOOLEAN, SCARCE__BOOLEAN, depth);
    case 2:
    case 3: return binary(r, "||", SCARCE__BOOLEAN, SCARCE__BOOLEAN, SCARCE__BOOLEAN, depth);
    case 4:
        t = node(NOT, SCARCE__BOOLEAN);
        add_kid(t, r, SCARCE__BOOLEAN, depth);
        return t;
    case 5: type = any_type(r); return binary(r, equal[lcg_below(r, 2)], SCARCE__BOOLEAN, type, type, depth);
    case 6:
    case 7:
        type = lcg_below(r, 4) ? ordered_type(r) : SCARCE__WORD;
        return binary(r, order[lcg_below(r, 6)], SCARCE__BOOLEAN, type, type, depth);
    case 8:
        t = node(IS_NULL, SCARCE__BOOLEAN);
        t->flag = (int)lcg_below(r, 2);
        add_kid(t, r, any_type(r), depth);
        return t;
    case 9:
        t = node(HAS, SCARCE__BOOLEAN);
        t->field = lcg_below(r, N_FIELDS);
        return t;
    case 10: return call(r, tests[lcg_below(r, 3)], SCARCE__BOOLEAN, two, 2, depth);
    default:
        type = lcg_below(r, 2) ? SCARCE__WORD : SCARCE__NUMBER;
        t = node(IN_SET + (kind)lcg_below(r, 3), SCARCE__BOOLEAN);
        add_kid(t, r, type, depth);
        t->field = type == SCARCE__NUMBER;
        for (int i = 0; t->kind != IN_SET && i < 3; ++i)
            if (t->kind == IN_VALUES) add_kid(t, r, type, depth);
            else {
                t->kid[t->n] = leaf(r, type);
                while (t->kid[t->n]->kind != LITERAL) {
                    free_tree(t->kid[t->n]);
                    t->kid[t->n] = leaf(r, type);
                }
                ++t->n;
            }
        return t;
    }
}

static tree *make_number(lcg *r, int depth)
{
    static const char *const arithmetic[] = {"+", "-", "*", "/", "%"};
    static const scarce__type n4[] = {SCARCE__NUMBER, SCARCE__NUMBER, SCARCE__NUMBER, SCARCE__NUMBER},
                              w[] = {SCARCE__WORD}, t1[] = {SCARCE__TIME}, s1[] = {SCARCE__SPAN};
    static const char *const one[] = {"abs", "floor", "ceil", "round", "sqrt"}, *const of_time[] = {
                                                                                    "hour", "weekday", "day"};
    tree *t;

    switch (lcg_below(r, 8)) {
    case 0: return call(r, one[lcg_below(r, 5)], SCARCE__NUMBER, n4, 1, depth);
    case 1: return call(r, lcg_below(r, 2) ? "min" : "max", SCARCE__NUMBER, n4, 2 + lcg_below(r, 3), depth);
    case 2: return call(r, "size", SCARCE__NUMBER, w, 1, depth);
    case 3: return call(r, of_time[lcg_below(r, 3)], SCARCE__NUMBER, t1, 1, depth);
    case 4: return call(r, "seconds", SCARCE__NUMBER, s1, 1, depth);
    case 5:
        t = node(NEGATE, SCARCE__NUMBER);
        add_kid(t, r, SCARCE__NUMBER, depth);
        return t;
    default:
        return binary(r, arithmetic[lcg_below(r, 5)], SCARCE__NUMBER, SCARCE__NUMBER, SCARCE__NUMBER, depth);
    }
}

static tree *make(lcg *r, scarce__type type, int depth)
{
    static const scarce__type w[] = {SCARCE__WORD};
    tree *t;

    if (depth == 0 || lcg_below(r, 5) == 0) return leaf(r, type);
    --depth;
    if (lcg_below(r, 10) == 0) {
        t = node(TERNARY, type);
        add_kid(t, r, SCARCE__BOOLEAN, depth);
        add_kid(t, r, type, depth);
        add_kid(t, r, type, depth);
        return t;
    }
    if (lcg_below(r, 10) == 0) {
        t = node(COALESCE, type);
        for (size_t n = 2 + lcg_below(r, 2); t->n < n;) add_kid(t, r, type, depth);
        return t;
    }
    switch (type) {
    case SCARCE__BOOLEAN: return make_bool(r, depth);
    case SCARCE__NUMBER: return make_number(r, depth);
    case SCARCE__WORD: return call(r, "lower", type, w, 1, depth);
    case SCARCE__TIME: return binary(r, lcg_below(r, 2) ? "+" : "-", type, SCARCE__TIME, SCARCE__SPAN, depth);
    default:
        if (lcg_below(r, 2)) return binary(r, "-", type, SCARCE__TIME, SCARCE__TIME, depth);
        return binary(r, lcg_below(r, 2) ? "+" : "-", type, SCARCE__SPAN, SCARCE__SPAN, depth);
    }
}

/* ---- As text */

static void add_literal(scarce__text *out, const tree *t)
{
    if (t->type == SCARCE__WORD) {
        scarce__text_addf(out, "\"%.*s\"", (int)t->value.size, t->value.as.text);
    } else if (t->type == SCARCE__BOOLEAN) {
        scarce__text_add(out, t->value.as.number != 0 ? "true" : "false");
    } else if (t->type == SCARCE__TIME) {
        const long long hours = (long long)(t->value.as.number - 1794700000) / 3600;
        scarce__text_addf(out, "(timestamp(\"2026-11-14T23:46:40Z\") + duration(\"%lldh\"))", hours);
    } else if (t->type == SCARCE__SPAN) {
        scarce__text_add(out, "duration(\"");
        scarce__text_digits(out, t->value.as.number, 17);
        scarce__text_add(out, "s\")");
    } else {
        scarce__text_double(out, t->value.as.number);
    }
}

static void write_tree(scarce__text *out, const tree *t);

static void add_list(scarce__text *out, const tree *t, size_t from)
{
    for (size_t i = from; i < t->n; ++i) {
        if (i > from) scarce__text_add(out, ", ");
        write_tree(out, t->kid[i]);
    }
}

static void add_field(scarce__text *out, size_t f)
{
    if (strchr(expr_fields[f].name, ' ')) scarce__text_addf(out, "`%s`", expr_fields[f].name);
    else scarce__text_add(out, expr_fields[f].name);
}

static void write_tree(scarce__text *out, const tree *t)
{
    switch (t->kind) {
    case LITERAL: add_literal(out, t); return;
    case FIELD: add_field(out, t->field); return;
    case HAS:
        scarce__text_add(out, "has(");
        add_field(out, t->field);
        scarce__text_add(out, ")");
        return;
    case NOT:
    case NEGATE: scarce__text_add(out, t->kind == NOT ? "!(" : "-("); break;
    case CALL:
        if (t->flag) {
            scarce__text_add(out, "(");
            write_tree(out, t->kid[0]);
            scarce__text_addf(out, ").%s(", t->op);
            add_list(out, t, 1);
        } else {
            scarce__text_addf(out, "%s(", t->op);
            add_list(out, t, 0);
        }
        scarce__text_add(out, ")");
        return;
    case COALESCE:
        scarce__text_add(out, "coalesce(");
        add_list(out, t, 0);
        scarce__text_add(out, ")");
        return;
    default: scarce__text_add(out, "("); break;
    }
    write_tree(out, t->kid[0]);
    if (t->kind == BINARY) {
        scarce__text_addf(out, " %s ", t->op);
        write_tree(out, t->kid[1]);
    } else if (t->kind == TERNARY) {
        scarce__text_add(out, " ? ");
        write_tree(out, t->kid[1]);
        scarce__text_add(out, " : ");
        write_tree(out, t->kid[2]);
    } else if (t->kind == IN_SET) {
        scarce__text_addf(out, " in %s", t->field ? "ids" : "risky_countries");
    } else if (t->kind == IN_CONSTANTS || t->kind == IN_VALUES) {
        scarce__text_add(out, " in [");
        add_list(out, t, 1);
        scarce__text_add(out, "]");
    } else if (t->kind == IS_NULL) {
        scarce__text_add(out, t->flag ? " != null" : " == null");
    }
    scarce__text_add(out, ")");
}

/* ---- Slowly */

static scarce__value walk(const tree *t, const scarce__value *record);

static scarce__value truth(int x)
{
    return scarce__value_number(x ? 1 : 0);
}

/* A text as the bytes it means, NUL-terminated. */
static char *bytes_of(const scarce__value *v)
{
    char *s = malloc(v->size + 1);
    if (!s) abort();
    for (uint32_t i = 0; i < v->size; ++i)
        s[i] = (char)(v->folded && v->as.text[i] >= 'A' && v->as.text[i] <= 'Z' ? v->as.text[i] + 32
                                                                                : v->as.text[i]);
    s[v->size] = '\0';
    return s;
}

static int order_of(const scarce__value *a, const scarce__value *b, scarce__type type)
{
    int c;
    if (type != SCARCE__WORD) return (a->as.number > b->as.number) - (a->as.number < b->as.number);
    char *x = bytes_of(a), *y = bytes_of(b);
    c = strcmp(x, y);
    free(x);
    free(y);
    return c;
}

static scarce__value walk_binary(const tree *t, const scarce__value *record)
{
    const scarce__value a = walk(t->kid[0], record), b = walk(t->kid[1], record);
    const double x = a.as.number, y = b.as.number;
    const char *op = t->op;

    if (strcmp(op, "&&") == 0) {
        if ((a.known && x == 0) || (b.known && y == 0)) return truth(0);
        return a.known && b.known ? truth(1) : scarce__value_missing();
    }
    if (strcmp(op, "||") == 0) {
        if ((a.known && x != 0) || (b.known && y != 0)) return truth(1);
        return a.known && b.known ? truth(0) : scarce__value_missing();
    }
    if (!a.known || !b.known) return scarce__value_missing();
    if (t->type == SCARCE__BOOLEAN) {
        const int c = order_of(&a, &b, t->kid[0]->type);
        if (strcmp(op, "==") == 0) return truth(c == 0);
        if (strcmp(op, "!=") == 0) return truth(c != 0);
        if (strcmp(op, "<") == 0) return truth(c < 0);
        if (strcmp(op, "<=") == 0) return truth(c <= 0);
        if (strcmp(op, ">") == 0) return truth(c > 0);
        return truth(c >= 0);
    }
    switch (*op) {
    case '+': return scarce__value_number(x + y);
    case '-': return scarce__value_number(x - y);
    case '*': return scarce__value_number(x * y);
    case '/': return scarce__value_number(x / y);
    default: return scarce__value_number(fmod(x, y));
    }
}

static scarce__value walk_text_test(const tree *t, const scarce__value *v)
{
    char *a = bytes_of(&v[0]), *b = bytes_of(&v[1]);
    const size_t n = strlen(a), k = strlen(b);
    int yes;
    if (strcmp(t->op, "startsWith") == 0) yes = strncmp(a, b, k) == 0;
    else if (strcmp(t->op, "endsWith") == 0) yes = n >= k && strcmp(a + n - k, b) == 0;
    else yes = strstr(a, b) != NULL;
    free(a);
    free(b);
    return truth(yes);
}

static scarce__value walk_call(const tree *t, const scarce__value *record)
{
    scarce__value v[4];
    double x, best;

    for (size_t i = 0; i < t->n; ++i) {
        v[i] = walk(t->kid[i], record);
        if (!v[i].known) return scarce__value_missing();
    }
    if (strcmp(t->op, "lower") == 0) {
        v[0].folded = 1;
        return v[0];
    }
    if (strcmp(t->op, "size") == 0) {
        x = 0;
        for (uint32_t i = 0; i < v[0].size; ++i) x += ((unsigned char)v[0].as.text[i] & 0xc0) != 0x80;
        return scarce__value_number(x);
    }
    if (t->type == SCARCE__BOOLEAN) return walk_text_test(t, v);
    x = best = v[0].as.number;
    for (size_t i = 1; i < t->n; ++i)
        if (strcmp(t->op, "min") == 0 ? v[i].as.number < best : v[i].as.number > best) best = v[i].as.number;
    if (t->op[0] == 'm') return scarce__value_number(best);
    if (strcmp(t->op, "abs") == 0) return scarce__value_number(fabs(x));
    if (strcmp(t->op, "floor") == 0) return scarce__value_number(floor(x));
    if (strcmp(t->op, "ceil") == 0) return scarce__value_number(ceil(x));
    if (strcmp(t->op, "round") == 0)
        return scarce__value_number(x < 0 ? -floor(-x) - (-x - floor(-x) >= 0.5)
                                          : floor(x) + (x - floor(x) >= 0.5));
    if (strcmp(t->op, "sqrt") == 0) return scarce__value_number(x < 0 ? (double)NAN : sqrt(x));
    if (strcmp(t->op, "seconds") == 0) return v[0];
    /* 2026-11-16 00:00 UTC, a Monday, is 1794787200; the times here lie within some months of it, or far off */
    const double days = floor((x - 1794787200) / 86400);
    if (strcmp(t->op, "hour") == 0)
        return scarce__value_number(floor((x - 1794787200 - 86400 * days) / 3600));
    if (strcmp(t->op, "weekday") == 0) return scarce__value_number(fmod(fmod(days, 7) + 7, 7) + 1);
    int year = 2026, month = 11, day = 16;
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (double k = days; k != 0;) { /* one day after the other */
        const int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        if (k > 0) {
            --k;
            if (++day > length[month - 1] + (month == 2 && leap))
                day = 1, month = month % 12 + 1, year += month == 1;
        } else {
            ++k;
            if (--day < 1) {
                month = (month + 10) % 12 + 1;
                year -= month == 12;
                const int leap_now = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
                day = length[month - 1] + (month == 2 && leap_now);
            }
        }
    }
    return scarce__value_number(day);
}

static scarce__value walk_in(const tree *t, const scarce__value *record)
{
    static const char *const risky[] = {"DE", "FR"};
    const scarce__value x = walk(t->kid[0], record);
    int unknown = 0;

    if (!x.known) return scarce__value_missing();
    if (t->kind == IN_SET && t->field)
        return truth(x.as.number == 1 || x.as.number == 2 || x.as.number == 2.5);
    for (int i = 0; t->kind == IN_SET && i < 2; ++i) {
        const scarce__value item = scarce__value_text(risky[i], 2);
        if (order_of(&x, &item, SCARCE__WORD) == 0) return truth(1);
    }
    for (size_t i = 1; i < t->n; ++i) {
        const scarce__value item = walk(t->kid[i], record);
        if (!item.known) unknown = 1;
        else if (order_of(&x, &item, t->kid[0]->type) == 0) return truth(1);
    }
    return unknown ? scarce__value_missing() : truth(0);
}

static scarce__value walk(const tree *t, const scarce__value *record)
{
    scarce__value v;
    switch (t->kind) {
    case LITERAL: return t->value;
    case FIELD: return record[t->field];
    case HAS: return truth(record[t->field].known);
    case BINARY: return walk_binary(t, record);
    case CALL: return walk_call(t, record);
    case IN_SET:
    case IN_CONSTANTS:
    case IN_VALUES: return walk_in(t, record);
    case IS_NULL: return truth(walk(t->kid[0], record).known == t->flag);
    case TERNARY:
        v = walk(t->kid[0], record);
        return v.known ? walk(t->kid[v.as.number != 0 ? 1 : 2], record) : v;
    case COALESCE:
        for (size_t i = 0; i < t->n; ++i)
            if ((v = walk(t->kid[i], record)).known) return v;
        return scarce__value_missing();
    default: /* NOT, NEGATE */
        v = walk(t->kid[0], record);
        if (!v.known) return v;
        return scarce__value_number(t->kind == NOT ? v.as.number == 0 : -v.as.number);
    }
}

/* ---- The comparison */

static void fill_record(lcg *r, scarce__value *record)
{
    for (size_t f = 0; f < N_FIELDS; ++f) {
        tree *t;
        record[f] = scarce__value_missing();
        if (lcg_below(r, 4) == 0) continue;
        do {
            t = leaf(r, expr_fields[f].type == SCARCE__FLAG ? SCARCE__BOOLEAN : expr_fields[f].type);
            record[f] = t->value;
            const int good = t->kind == LITERAL;
            free_tree(t);
            if (good) break;
        } while (1);
    }
}

static int same(const scarce__value *a, const scarce__value *b, scarce__type type)
{
    if (a->known != b->known) return 0;
    return !a->known || order_of(a, b, type) == 0;
}

static void test_oracle(void)
{
    expr_lists lists;
    size_t compared = 0, unknown = 0;
    CHECK(expr_lists_init(&lists, NULL) == SCARCE_OK);
    for (uint64_t c = 1; c <= 20000; ++c) {
        lcg r = lcg_start(c);
        tree *t = make(&r, any_type(&r), 1 + (int)lcg_below(&r, 5));
        scarce__text text = SCARCE__TEXT_INIT;
        scarce_error err = SCARCE_ERROR_INIT;
        scarce__expr *e = NULL;
        write_tree(&text, t);
        scarce__expr_source s = expr_source_of(text.bytes, &lists);
        s.wanted = t->type;
        if (scarce__expr_compile(&e, &s, &err) != SCARCE_OK) {
            fprintf(stderr, "%s\n  %s\n", text.bytes, err.text);
            ++test_failures;
        }
        for (int k = 0; e && k < 5; ++k) {
            scarce__value record[N_FIELDS];
            fill_record(&r, record);
            const scarce__value want = walk(t, record), got = scarce__expr_run(e, record);
            ++compared;
            unknown += !want.known;
            if (same(&got, &want, t->type)) continue;
            fprintf(stderr, "%s\n  got %d %.17g, want %d %.17g\n", text.bytes, got.known, got.as.number,
                    want.known, want.as.number);
            ++test_failures;
            break;
        }
        scarce__expr_free(e);
        scarce__text_deinit(&text);
        free_tree(t);
        if (test_failures > 10) break;
    }
    CHECK(compared > 90000 && unknown > 10000 && unknown < 60000);
    expr_lists_deinit(&lists);
}

static const test_case tests[] = {{"oracle", test_oracle}};
TEST_MAIN(tests)
