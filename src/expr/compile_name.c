/* SPDX-License-Identifier: Apache-2.0 */
/* Fields, literals and functions. */
#include <stdio.h>

#include "core/alloc.h"
#include "data/csv.h"
#include "expr/compiler.h"

/* ---- Names */

static const char *symbol_name(const void *arg, size_t i)
{
    return ((const scarce__expr_symbol *)arg)[i].name;
}

static const char *function_name(const void *arg, size_t i)
{
    (void)arg;
    return scarce__expr_function(i);
}

/* The number of a symbol, or SIZE_MAX and the mistake. */
static size_t find_symbol(compiler *c, const scarce__token *at, const char *name)
{
    const scarce__expr_source *s = c->source;

    for (size_t i = 0; i < s->n_symbols; ++i)
        if (strcmp(s->symbols[i].name, name) == 0) return i;
    if (scarce__token_is(at, "not") || scarce__token_is(at, "NOT"))
        scarce__c_fail(c, at, "write ! instead of %s", name);
    else if (scarce__function_find(name, strlen(name)) && at->at[0] != '`')
        scarce__c_fail(c, at, "%s is a function and needs its brackets: %s(...)", name, name);
    else if (!s->any_name)
        scarce__c_fail_unknown(c, at, scarce__c_symbol_what(c), name, symbol_name, s->symbols, s->n_symbols);
    return SIZE_MAX;
}

/* name, or name.name.name where no bracket follows; c->token is behind it afterwards. NULL: failed. */
static char *take_path(compiler *c, scarce__token *whole)
{
    scarce__text path = SCARCE__TEXT_INIT;

    *whole = c->token;
    scarce__token_value(&c->token, &path);
    scarce__c_next(c);
    while (at_sign(c, '.')) {
        scarce__lexer l = c->lexer;
        const scarce__token name = scarce__lexer_next(&l), behind = scarce__lexer_next(&l);
        if (name.kind != SCARCE__TOKEN_NAME || scarce__token_is_sign(&behind, '(')) break;
        scarce__c_next(c);
        scarce__text_add(&path, ".");
        scarce__token_value(&c->token, &path);
        whole->length = (size_t)(c->token.at + c->token.length - whole->at);
        scarce__c_next(c);
    }
    if (ok(c) && !path.failed) return path.bytes;
    scarce__text_deinit(&path);
    scarce__c_no_memory(c);
    return NULL;
}

operand scarce__c_parse_symbol(compiler *c)
{
    operand o = {SCARCE__ANY, c->e->n, c->token, 1};
    char *name = take_path(c, &o.at);

    if (name) {
        const size_t i = find_symbol(c, &o.at, name);
        if (ok(c)) {
            o.type = i < c->source->n_symbols ? c->source->symbols[i].type : SCARCE__WILD;
            (void)scarce__c_emit(c, SCARCE__OP_FIELD, i < c->source->n_symbols ? i : 0, 0);
        }
    }
    scarce__free(name);
    return o;
}

/* ---- Literals */

static char *keep_text(compiler *c, const scarce__token *t, scarce__value *v)
{
    size_t length = 0;
    char *text = scarce__c_meaning(c, t, &length);
    if (!text) return NULL;
    *v = scarce__value_text(text, length);
    return text;
}

void scarce__c_emit_text(compiler *c, const scarce__token *t)
{
    scarce__value v;
    const size_t before = c->e->n_constants;
    char *text = keep_text(c, t, &v);

    if (!text) return;
    scarce__c_emit_constant(c, v);
    if (c->e->n_constants == before) {
        scarce__free(text);
        return;
    }
    c->e->constants[before].unused[0] = 1; /* its own: freed with the program */
}

/* duration("..") and timestamp(".."). */
static operand parse_moment(compiler *c, const scarce__token *name, int is_span)
{
    operand o = {is_span ? SCARCE__SPAN : SCARCE__TIME, c->e->n, *name, 0};
    const scarce__token open = c->token;
    size_t length = 0;
    double seconds = 0;
    char *text;

    scarce__c_next(c);
    if (c->token.kind != SCARCE__TOKEN_TEXT) {
        scarce__c_fail(c, &c->token, "%s takes a text: %s", is_span ? "duration" : "timestamp",
                       is_span ? "duration(\"1h30m\")" : "timestamp(\"2026-11-16T00:00:00Z\")");
        return o;
    }
    text = scarce__c_meaning(c, &c->token, &length);
    if (text &&
        !(is_span ? scarce__parse_span(text, length, &seconds) : scarce__parse_date(text, length, &seconds)))
        scarce__c_fail(c, &c->token, "\"%.60s\" is no %s", text,
                       is_span
                           ? "span of time; write 45s, 30m, 1h30m, 7d or 2w"
                           : "moment; write 2026-11-16, 2026-11-16T08:30:00Z or 2026-11-16T08:30:00+01:00");
    scarce__free(text);
    scarce__c_next(c);
    scarce__c_close_bracket(c, &open, ')');
    scarce__c_emit_constant(c, scarce__value_number(seconds));
    return o;
}

/* ---- Functions */

enum { MOST_ARGUMENTS = 1024 };

static scarce__type type_of_letter(char letter)
{
    switch (letter) {
    case 'b': return SCARCE__BOOLEAN;
    case 'n': return SCARCE__NUMBER;
    case 'w': return SCARCE__WORD;
    case 't': return SCARCE__TIME;
    case 's': return SCARCE__SPAN;
    default: return SCARCE__ANY;
    }
}

/* Whether value i (from 0) may be of the type, `first` being that of the first. */
static int fits(const scarce__function *f, size_t i, scarce__type type, scarce__type first)
{
    const size_t n = strlen(f->takes);
    const char letter = f->takes[i < n && f->takes[i] != '*' ? i : n - 2];
    type = plain(type);
    if (type == SCARCE__WILD) return 1;
    if (letter == 'm') return type == SCARCE__NUMBER || type == SCARCE__SPAN;
    if (letter != 'o') return type == type_of_letter(letter);
    if (type != SCARCE__NUMBER && type != SCARCE__TIME && type != SCARCE__SPAN) return 0;
    return i == 0 || type == first || first == SCARCE__WILD;
}

static int takes_so_many(const scarce__function *f, size_t n)
{
    const size_t length = strlen(f->takes);
    return f->takes[length - 1] == '*' ? n + 1 >= length : n == length;
}

SCARCE__COLD static void fail_argument(compiler *c, const scarce__function *f, const operand *o)
{
    char before[128];
    (void)snprintf(before, sizeof before, "%s can't take", f->use);
    scarce__c_fail_types(c, &o->at, o, NULL, before, "");
}

/* Values separated by commas up to the bracket; `receiver` (nullable) is the first of them. Those of a function that
 * takes any number are worked off two by two, so that the stack stays low. */
static operand parse_call(compiler *c, const scarce__function *f, const scarce__token *name,
                          const operand *receiver)
{
    operand o = {SCARCE__ANY, receiver ? receiver->start : c->e->n, *name, 0};
    const scarce__token open = c->token;
    operand first = {SCARCE__ANY, 0, *name, 0};
    size_t n = 0;
    const int repeats = f->takes[strlen(f->takes) - 1] == '*';
    const scarce__function *fitting = f;

    scarce__c_next(c);
    while (ok(c) && (n > 0 || receiver || !at_sign(c, ')'))) {
        operand value;
        if (n == 0 && receiver) value = *receiver;
        else value = scarce__c_parse_expr(c);
        if (!ok(c)) return o;
        if (n == 0) first = value;
        if (n < strlen(f->takes) || repeats) {
            if (!fits(f, n, value.type, plain(first.type))) fail_argument(c, f, &value);
        } else if ((fitting = scarce__function_next(f)) != NULL && n < strlen(fitting->takes)) {
            if (!fits(fitting, n, value.type, plain(first.type))) fail_argument(c, fitting, &value);
        }
        if (++n > 1 && repeats) {
            (void)scarce__c_emit(c, f->op, 0, 0);
            scarce__c_fold(c, o.start);
        }
        if (n == 1 && receiver ? at_sign(c, ')') : !scarce__c_take_sign(c, ',')) break;
        if (n > MOST_ARGUMENTS) scarce__c_fail(c, &c->token, "%s has too many values", f->name);
    }
    scarce__c_close_bracket(c, &open, ')');
    for (fitting = f; fitting && !takes_so_many(fitting, n);) fitting = scarce__function_next(fitting);
    if (!fitting) {
        scarce__c_fail(c, name, "%s is written %s, but has %zu value%s here", f->name, f->use, n,
                       n == 1 ? "" : "s");
        return o;
    }
    if (!repeats) {
        (void)scarce__c_emit(c, fitting->op, 0, 0);
        scarce__c_fold(c, o.start);
    }
    o.type = type_of_letter(fitting->gives);
    if (o.type == SCARCE__ANY) o.type = plain(first.type);
    return o;
}

static operand parse_has(compiler *c, const scarce__token *name)
{
    operand o = {SCARCE__BOOLEAN, c->e->n, *name, 0};
    const scarce__token open = c->token;

    scarce__c_next(c);
    if (c->token.kind != SCARCE__TOKEN_NAME) {
        scarce__c_fail(c, &c->token, "has takes the name of a %s; of other values write x != null",
                       scarce__c_symbol_what(c));
        return o;
    }
    (void)scarce__c_parse_symbol(c);
    scarce__c_close_bracket(c, &open, ')');
    (void)scarce__c_emit(c, SCARCE__OP_HAS, 0, 0);
    return o;
}

static operand parse_coalesce(compiler *c, const scarce__token *name)
{
    operand o = {SCARCE__ANY, c->e->n, *name, 0};
    const scarce__token open = c->token;
    size_t jumps[64], n = 0;

    scarce__c_next(c);
    do {
        const operand value = scarce__c_parse_expr(c);
        if (!ok(c)) return o;
        if (o.type == SCARCE__ANY) o.type = value.type;
        if (o.type == SCARCE__WILD) o.type = value.type;
        const int truth = is_bool(&o) && is_bool(&value);
        if (value.type == SCARCE__ANY ||
            (value.type != SCARCE__WILD && !truth && plain(value.type) != plain(o.type)))
            scarce__c_fail_types(c, &value.at, n ? &o : &value, n ? &value : NULL,
                                 "coalesce takes values of one type, not", n ? "and" : "");
        if (o.type == SCARCE__FLAG) o.type = value.type;
        if (!at_sign(c, ',')) break;
        if (n == sizeof jumps / sizeof jumps[0]) {
            scarce__c_fail(c, &c->token, "coalesce has too many values");
            return o;
        }
        jumps[n++] = scarce__c_emit(c, SCARCE__OP_JUMP_KNOWN, 0, 0);
        (void)scarce__c_emit(c, SCARCE__OP_POP, 0, 0);
    } while (scarce__c_take_sign(c, ','));
    scarce__c_close_bracket(c, &open, ')');
    if (n == 0) scarce__c_fail(c, name, "coalesce is written coalesce(x, y, ...), with two values at least");
    for (size_t i = 0; i < n; ++i) scarce__c_land(c, jumps[i]);
    return o;
}

operand scarce__c_parse_function(compiler *c, const scarce__token *name, const operand *receiver)
{
    const scarce__function *f = scarce__function_find(name->at, name->length);
    operand none = {SCARCE__ANY, c->e->n, *name, 0};
    size_t count = 0;

    if (f && f->op != SCARCE__N_OPS) return parse_call(c, f, name, receiver);
    if (!f) {
        char text[81];
        while (scarce__expr_function(count)) ++count;
        (void)snprintf(text, sizeof text, "%.*s", (int)(name->length < 80 ? name->length : 80), name->at);
        scarce__c_fail_unknown(c, name, "function", text, function_name, NULL, count);
        return none;
    }
    if (receiver) scarce__c_fail(c, name, "%s is written %s", f->name, f->use);
    if (strcmp(f->name, "has") == 0) return parse_has(c, name);
    if (strcmp(f->name, "coalesce") == 0) return parse_coalesce(c, name);
    return parse_moment(c, name, strcmp(f->name, "duration") == 0);
}
