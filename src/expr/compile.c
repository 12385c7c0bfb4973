/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler: one pass of a Pratt parser that types what it reads and emits code at once, so that no tree is built
 * and a chain of ten thousand && takes no deeper stack than one. What can be worked out is: code of constants is run
 * where it stands and its result put in its place.
 *
 * Binding, loosest first: ?:   ||   &&   == != < <= > >= in   + -   * / %   ! -   f(x)  x.f(y)  ( )  */
#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "expr/compiler.h"

/* ---- Tokens */

void scarce__c_next(compiler *c)
{
    if (!ok(c)) return;
    c->end = c->token.at + c->token.length;
    c->token = scarce__lexer_next(&c->lexer);
}

/* The token behind the one that is looked at. */
scarce__token scarce__c_peek(const compiler *c)
{
    scarce__lexer l = c->lexer;
    return scarce__lexer_next(&l);
}

int scarce__c_take_sign(compiler *c, int sign)
{
    if (!at_sign(c, sign)) return 0;
    scarce__c_next(c);
    return 1;
}

/* The bracket that closes what was opened at `open`. */
void scarce__c_close_bracket(compiler *c, const scarce__token *open, char sign)
{
    char text[64];

    if (scarce__c_take_sign(c, sign) || !ok(c)) return;
    if (c->token.kind == SCARCE__TOKEN_BAD) scarce__c_fail(c, &c->token, "%s", c->token.what);
    else if (at_sign(c, '=')) scarce__c_fail(c, &c->token, "= means nothing here; to compare write ==");
    else
        scarce__c_fail(
            c, &c->token, "%s stands where a \"%c\" is missing, for the \"%.*s\" of line %d, column %d",
            scarce__c_spelled(&c->token, text), sign, (int)open->length, open->at, open->line, open->column);
}

int scarce__c_enter(compiler *c)
{
    if (++c->nesting <= SCARCE__EXPR_DEPTH) return 1;
    scarce__c_fail(c, &c->token, "the expression is nested too deeply (%d levels at most)",
                   SCARCE__EXPR_DEPTH);
    return 0;
}

static operand parse_binary(compiler *c, int level);

/* ---- Primaries */

static operand constant(compiler *c, scarce__type type, scarce__value v)
{
    const operand o = {type, c->e->n, c->token, 0};
    scarce__c_emit_constant(c, v);
    scarce__c_next(c);
    return o;
}

static operand parse_name(compiler *c)
{
    const scarce__token name = c->token, behind = scarce__c_peek(c);

    if (scarce__token_is(&name, "true")) return constant(c, SCARCE__BOOLEAN, scarce__value_number(1));
    if (scarce__token_is(&name, "false")) return constant(c, SCARCE__BOOLEAN, scarce__value_number(0));
    if (scarce__token_is(&name, "null")) return constant(c, SCARCE__ANY, scarce__value_missing());
    if (scarce__token_is_sign(&behind, '(') && name.at[0] != '`') {
        scarce__c_next(c);
        return scarce__c_parse_function(c, &name, NULL);
    }
    return scarce__c_parse_symbol(c);
}

static void fail_primary(compiler *c)
{
    const scarce__token *t = &c->token;
    char text[64];

    if (t->kind == SCARCE__TOKEN_BAD) scarce__c_fail(c, t, "%s", t->what);
    else if (t->kind == SCARCE__TOKEN_END && c->e->n == 0) scarce__c_fail(c, t, "an expression is missing");
    else if (t->kind == SCARCE__TOKEN_SPAN)
        scarce__c_fail(c, t, "a span of time is written duration(\"%.*s\")", (int)t->length, t->at);
    else if (scarce__token_is_sign(t, '[')) scarce__c_fail(c, t, "a list stands only behind in: x in [1, 2]");
    else scarce__c_fail(c, t, "a value is missing before %s", scarce__c_spelled(t, text));
}

static operand parse_primary(compiler *c)
{
    operand o = {SCARCE__ANY, c->e->n, c->token, 0};

    if (!ok(c)) return o;
    if (c->token.kind == SCARCE__TOKEN_NAME) {
        o = parse_name(c);
    } else if (c->token.kind == SCARCE__TOKEN_NUMBER) {
        o = constant(c, SCARCE__NUMBER, scarce__value_number(c->token.number));
    } else if (c->token.kind == SCARCE__TOKEN_TEXT) {
        o.type = SCARCE__WORD;
        scarce__c_emit_text(c, &c->token);
        scarce__c_next(c);
    } else if (at_sign(c, '(')) {
        const scarce__token open = c->token;
        scarce__c_next(c);
        o = scarce__c_parse_expr(c);
        scarce__c_close_bracket(c, &open, ')');
        o.is_field = 0;
    } else {
        fail_primary(c);
    }
    while (ok(c) && at_sign(c, '.')) {
        scarce__c_next(c);
        const scarce__token name = c->token;
        scarce__c_next(c);
        if (name.kind != SCARCE__TOKEN_NAME || !at_sign(c, '(')) {
            scarce__c_fail(c, &name, "a function is missing behind the point: x.size()");
            break;
        }
        o = scarce__c_parse_function(c, &name, &o);
    }
    return o;
}

static operand parse_unary(compiler *c)
{
    const scarce__token sign = c->token;
    const int is_not = at_sign(c, '!');
    operand o;

    if (!is_not && !at_sign(c, '-')) return parse_primary(c);
    o.type = SCARCE__ANY;
    o.start = c->e->n;
    o.at = sign;
    o.is_field = 0;
    if (!scarce__c_enter(c)) return o;
    scarce__c_next(c);
    o = parse_unary(c);
    --c->nesting;
    if (!ok(c)) return o;
    if (is_not) {
        scarce__c_want_bool(c, &o, &sign, "!");
        o.type = SCARCE__BOOLEAN;
    } else if (plain(o.type) != SCARCE__NUMBER && o.type != SCARCE__SPAN && o.type != SCARCE__WILD) {
        scarce__c_fail_types(c, &sign, &o, NULL, "- takes a number or a span, not", "");
    } else {
        o.type = plain(o.type);
    }
    (void)scarce__c_emit(c, is_not ? SCARCE__OP_NOT : SCARCE__OP_NEGATE, 0, 0);
    scarce__c_fold(c, o.start);
    o.at = sign;
    o.is_field = 0;
    return o;
}

/* ---- Operators of two sides */

typedef struct infix {
    const char *text;
    int sign, level;
    scarce__op op;
} infix;

enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_COMPARE, LEVEL_ADD, LEVEL_MULTIPLY };

static const infix operators[] = {
    {"||", SCARCE__SIGN('|', '|'), LEVEL_OR, SCARCE__OP_OR},
    {"&&", SCARCE__SIGN('&', '&'), LEVEL_AND, SCARCE__OP_AND},
    {"==", SCARCE__SIGN('=', '='), LEVEL_COMPARE, SCARCE__OP_EQ},
    {"!=", SCARCE__SIGN('!', '='), LEVEL_COMPARE, SCARCE__OP_NE},
    {"<", '<', LEVEL_COMPARE, SCARCE__OP_LT},
    {"<=", SCARCE__SIGN('<', '='), LEVEL_COMPARE, SCARCE__OP_LE},
    {">", '>', LEVEL_COMPARE, SCARCE__OP_GT},
    {">=", SCARCE__SIGN('>', '='), LEVEL_COMPARE, SCARCE__OP_GE},
    {"+", '+', LEVEL_ADD, SCARCE__OP_ADD},
    {"-", '-', LEVEL_ADD, SCARCE__OP_SUBTRACT},
    {"*", '*', LEVEL_MULTIPLY, SCARCE__OP_MULTIPLY},
    {"/", '/', LEVEL_MULTIPLY, SCARCE__OP_DIVIDE},
    {"%", '%', LEVEL_MULTIPLY, SCARCE__OP_REMAINDER},
};

static const infix in_operator = {"in", 0, LEVEL_COMPARE, SCARCE__OP_IN};

static const infix *operator_at(const compiler *c)
{
    if (!ok(c)) return NULL;
    if (scarce__token_is(&c->token, "in")) return &in_operator;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; ++i)
        if (at_sign(c, operators[i].sign)) return &operators[i];
    return NULL;
}

/* What people write who know SQL, or a spreadsheet. */
static void check_foreign(compiler *c)
{
    static const struct {
        const char *word, *remedy;
    } words[] = {{"and", "write && instead of and"},
                 {"AND", "write && instead of AND"},
                 {"or", "write || instead of or"},
                 {"OR", "write || instead of OR"},
                 {"is", "to ask for a missing value write x == null or x != null"},
                 {"IS", "to ask for a missing value write x == null or x != null"},
                 {"like", "instead of like write startsWith(x, \"..\"), endsWith or contains"},
                 {"LIKE", "instead of LIKE write startsWith(x, \"..\"), endsWith or contains"},
                 {"between", "instead of between write x >= a && x <= b"},
                 {"BETWEEN", "instead of BETWEEN write x >= a && x <= b"},
                 {"not", "write !(x in [...])"},
                 {"NOT", "write !(x in [...])"},
                 {"IN", "write in in small letters, with square brackets: in [1, 2]"}};

    for (size_t i = 0; ok(c) && i < sizeof words / sizeof words[0]; ++i)
        if (scarce__token_is(&c->token, words[i].word)) scarce__c_fail(c, &c->token, "%s", words[i].remedy);
    if (at_sign(c, '=')) scarce__c_fail(c, &c->token, "= means nothing here; to compare write ==");
    if (at_sign(c, SCARCE__SIGN('<', '>'))) scarce__c_fail(c, &c->token, "write != instead of <>");
    if (at_sign(c, '&')) scarce__c_fail(c, &c->token, "write && instead of &");
    if (at_sign(c, '|')) scarce__c_fail(c, &c->token, "write || instead of |");
    if (ok(c) && c->token.kind == SCARCE__TOKEN_BAD) scarce__c_fail(c, &c->token, "%s", c->token.what);
}

/* FIELD, CONST, compare: in one. */
static int fuse(compiler *c, size_t start, scarce__op op)
{
    scarce__expr *e = c->e;
    const size_t n = e->n;

    if (n != start + 2 || start < c->target || e->code[start].op != SCARCE__OP_FIELD ||
        e->code[start + 1].op != SCARCE__OP_CONST || !e->constants[e->code[start + 1].x].known)
        return 0;
    const uint32_t field = e->code[start].x, number = e->code[start + 1].x;
    e->n = start;
    c->height -= 2;
    (void)scarce__c_emit(c, (scarce__op)((int)op - SCARCE__OP_EQ + SCARCE__OP_FIELD_EQ), field, number);
    return 1;
}

/* x == null: whether it is missing. The null has just been pushed. */
static operand compare_null(compiler *c, const infix *op, const scarce__token *at, operand a,
                            const operand *b)
{
    operand o = {SCARCE__BOOLEAN, a.start, a.at, 0};

    if (op->op != SCARCE__OP_EQ && op->op != SCARCE__OP_NE)
        scarce__c_fail(c, at, "null can be compared by == and != only");
    else if (b->type != SCARCE__ANY) scarce__c_fail(c, at, "null stands on the right: x %s null", op->text);
    if (!ok(c)) return o;
    --c->e->n;
    --c->height;
    (void)scarce__c_emit(c, op->op == SCARCE__OP_EQ ? SCARCE__OP_MISSING : SCARCE__OP_HAS, 0, 0);
    scarce__c_fold(c, o.start);
    return o;
}

static operand compare(compiler *c, const infix *op, const scarce__token *at, operand a, const operand *b)
{
    operand o = {SCARCE__BOOLEAN, a.start, a.at, 0};
    const int equality = op->op == SCARCE__OP_EQ || op->op == SCARCE__OP_NE;
    char before[32];

    if (a.type == SCARCE__ANY || b->type == SCARCE__ANY) return compare_null(c, op, at, a, b);
    (void)snprintf(before, sizeof before, "%s compares", op->text);
    if (a.type == SCARCE__WILD || b->type == SCARCE__WILD) (void)0;
    else if (plain(a.type) != plain(b->type) && !(is_bool(&a) && is_bool(b)))
        scarce__c_fail_types(c, at, &a, b, before, "with");
    else if (!equality && (a.type == SCARCE__BOOLEAN || b->type == SCARCE__BOOLEAN))
        scarce__c_fail(c, at, "%s can't order what is true or false", op->text);
    if (!ok(c)) return o;
    if (a.type == SCARCE__WORD && b->type == SCARCE__WORD)
        (void)scarce__c_emit(c, (scarce__op)((int)op->op - SCARCE__OP_EQ + SCARCE__OP_TEXT_EQ), 0, 0);
    else if (fuse(c, a.start, op->op)) return o;
    else (void)scarce__c_emit(c, op->op, 0, 0);
    scarce__c_fold(c, o.start);
    return o;
}

/* The type of a op b, or ANY. */
static scarce__type arithmetic_type(scarce__op op, scarce__type a, scarce__type b)
{
    a = plain(a);
    b = plain(b);
    if (a == SCARCE__WILD || b == SCARCE__WILD) return SCARCE__WILD;
    if (a == SCARCE__NUMBER && b == SCARCE__NUMBER) return SCARCE__NUMBER;
    if (op != SCARCE__OP_ADD && op != SCARCE__OP_SUBTRACT) return SCARCE__ANY;
    if (a == SCARCE__SPAN && b == SCARCE__SPAN) return SCARCE__SPAN;
    if (a == SCARCE__TIME && b == SCARCE__SPAN) return SCARCE__TIME;
    if (a == SCARCE__SPAN && b == SCARCE__TIME && op == SCARCE__OP_ADD) return SCARCE__TIME;
    if (a == SCARCE__TIME && b == SCARCE__TIME && op == SCARCE__OP_SUBTRACT) return SCARCE__SPAN;
    return SCARCE__ANY;
}

static operand arithmetic(compiler *c, const infix *op, const scarce__token *at, operand a, const operand *b)
{
    operand o = {arithmetic_type(op->op, a.type, b->type), a.start, a.at, 0};

    if (o.type == SCARCE__ANY) {
        scarce__c_fail_types(c, at, &a, b, "there is no", op->text);
        return o;
    }
    (void)scarce__c_emit(c, op->op, 0, 0);
    scarce__c_fold(c, o.start);
    return o;
}

static operand logic(compiler *c, const infix *op, const scarce__token *at, operand a)
{
    operand o = {SCARCE__BOOLEAN, a.start, a.at, 0};
    size_t jump;
    operand b;

    scarce__c_want_bool(c, &a, at, op->text);
    jump = scarce__c_emit(c, op->op == SCARCE__OP_AND ? SCARCE__OP_JUMP_FALSE : SCARCE__OP_JUMP_TRUE, 0, 0);
    b = parse_binary(c, op->level + 1);
    scarce__c_want_bool(c, &b, at, op->text);
    (void)scarce__c_emit(c, op->op, 0, 0);
    scarce__c_land(c, jump);
    return o;
}

/* Operators of this level and of those that bind tighter. */
static operand parse_binary(compiler *c, int least)
{
    operand a = parse_unary(c);
    const infix *op;
    int compared = 0;

    for (;;) {
        check_foreign(c);
        op = operator_at(c);
        if (!op || op->level < least) return a;
        const scarce__token at = c->token;
        if (op->level == LEVEL_COMPARE && compared++) {
            scarce__c_fail(c, &at, "comparisons can't follow each other: write a < b && b < c");
            return a;
        }
        if (op == &in_operator) {
            a = scarce__c_parse_in(c, a);
            continue;
        }
        scarce__c_next(c);
        if (op->level <= LEVEL_AND) {
            a = logic(c, op, &at, a);
            continue;
        }
        const operand b = parse_binary(c, op->level + 1);
        if (!ok(c)) return a;
        a = op->level == LEVEL_COMPARE ? compare(c, op, &at, a, &b) : arithmetic(c, op, &at, a, &b);
    }
}

/* c ? x : y */
static operand parse_ternary(compiler *c, operand condition)
{
    const scarce__token at = c->token;
    operand a, b, o = {SCARCE__ANY, condition.start, condition.at, 0};
    size_t branch, jump;

    scarce__c_want_bool(c, &condition, &at, "?");
    scarce__c_next(c);
    branch = scarce__c_emit(c, SCARCE__OP_BRANCH, 0, 0);
    a = scarce__c_parse_expr(c);
    jump = scarce__c_emit(c, SCARCE__OP_JUMP, 0, 0);
    if (!at_sign(c, ':'))
        scarce__c_fail(c, &c->token, "a \":\" is missing, for the \"?\" of line %d, column %d", at.line,
                       at.column);
    scarce__c_next(c);
    scarce__c_land(c, branch);
    if (ok(c)) --c->height;
    b = scarce__c_parse_expr(c);
    scarce__c_land(c, jump);
    if (!ok(c)) return o;
    c->e->code[branch].y = (uint32_t)c->e->n;
    o.type = a.type == SCARCE__ANY ? b.type : a.type;
    if (a.type == SCARCE__WILD) o.type = b.type;
    if (a.type == b.type || a.type == SCARCE__ANY || b.type == SCARCE__ANY || a.type == SCARCE__WILD ||
        b.type == SCARCE__WILD)
        return o;
    if (plain(a.type) == plain(b.type)) {
        o.type = plain(a.type);
    } else if (is_bool(&a) && is_bool(&b)) {
        o.type = SCARCE__BOOLEAN;
    } else {
        scarce__c_fail_types(c, &at, &a, &b, "the two sides of ?: are", "and");
    }
    return o;
}

operand scarce__c_parse_expr(compiler *c)
{
    operand o = {SCARCE__ANY, c->e->n, c->token, 0};

    if (!ok(c) || !scarce__c_enter(c)) return o;
    o = parse_binary(c, LEVEL_OR);
    if (at_sign(c, '?')) o = parse_ternary(c, o);
    --c->nesting;
    return o;
}

/* ---- The whole */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void check_end(compiler *c)
{
    char text[64];

    if (!ok(c) || c->token.kind == SCARCE__TOKEN_END || c->source->used) return;
    if (at_sign(c, ')') || at_sign(c, ']'))
        scarce__c_fail(c, &c->token, "%s closes what was never opened", scarce__c_spelled(&c->token, text));
    else scarce__c_fail(c, &c->token, "an operator is missing before %s", scarce__c_spelled(&c->token, text));
}

static void check_wanted(compiler *c, const operand *o)
{
    const scarce__type wanted = c->source->wanted;
    const int good = o->type == SCARCE__WILD     ? 1
                     : wanted == SCARCE__ANY     ? o->type != SCARCE__ANY
                     : wanted == SCARCE__BOOLEAN ? is_bool(o)
                                                 : plain(o->type) == plain(wanted);
    char wants[64];

    if (!ok(c)) return;
    c->e->type = wanted == SCARCE__ANY ? plain(o->type) : plain(wanted);
    if (good) return;
    if (o->type == SCARCE__ANY) {
        scarce__c_fail(c, &o->at, "this is always missing");
        return;
    }
    (void)snprintf(wants, sizeof wants, ", but %s is wanted",
                   wanted == SCARCE__BOOLEAN ? "true or false" : scarce__type_name(wanted));
    scarce__c_fail_types(c, &o->at, o, NULL, "this gives", wants);
}

static void list_symbols(compiler *c)
{
    scarce__expr *e = c->e;
    size_t n = 0;

    if (!ok(c)) return;
    e->symbols = scarce__malloc_array(e->n, sizeof *e->symbols);
    if (!e->symbols) {
        scarce__c_no_memory(c);
        return;
    }
    for (size_t i = 0; i < e->n; ++i)
        if (e->code[i].op == SCARCE__OP_FIELD ||
            (e->code[i].op >= SCARCE__OP_FIELD_EQ && e->code[i].op <= SCARCE__OP_FIELD_GE))
            e->symbols[n++] = e->code[i].x;
    qsort(e->symbols, n, sizeof *e->symbols, by_number);
    for (size_t i = 0; i < n; ++i)
        if (i == 0 || e->symbols[i] != e->symbols[i - 1]) e->symbols[e->n_symbols++] = e->symbols[i];
}

scarce_status scarce__expr_compile(scarce__expr **out, const scarce__expr_source *s, scarce_error *err)
{
    compiler c;
    operand o;

    *out = NULL;
    memset(&c, 0, sizeof c);
    c.source = s;
    c.err = err;
    c.lexer = scarce__lexer_of(s->text, s->length, s->line, s->column);
    c.e = scarce__calloc(1, sizeof *c.e);
    if (!c.e) return scarce__fail_memory(err, "an expression", sizeof *c.e);
    c.token = scarce__lexer_next(&c.lexer);
    o = scarce__c_parse_expr(&c);
    check_end(&c);
    check_wanted(&c, &o);
    list_symbols(&c);
    if (!ok(&c)) {
        scarce__expr_free(c.e);
        return c.status;
    }
    if (s->used) *s->used = (size_t)(c.end - s->text);
    *out = c.e;
    return SCARCE_OK;
}
