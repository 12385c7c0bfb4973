/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler: one pass of a Pratt parser that types what it reads and emits code at once, so that no tree is built
 * and a chain of ten thousand && takes no deeper stack than one. What can be worked out is: code of constants is run
 * where it stands and its result put in its place.
 *
 * Binding, loosest first: ?:   ||   &&   == != < <= > >= in   + -   * / %   ! -   f(x)  x.f(y)  ( )  */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/param.h"
#include "data/csv.h"
#include "expr/code.h"
#include "expr/lexer.h"

#if defined(__GNUC__)
#define COLD __attribute__((noinline))
#else
#define COLD
#endif

typedef struct compiler {
    const scarce__expr_source *source;
    scarce__expr *e;
    scarce_error *err;
    scarce_status status;
    scarce__lexer lexer;
    scarce__token token; /* the one that is looked at */
    const char *end;     /* of the last token that was taken */
    int nesting;         /* brackets, signs, sides of ?: around here */
    size_t height;       /* of the stack */
    size_t target;       /* no jump goes to an instruction at or behind this one */
} compiler;

/* The type of names that aren't looked at (source.any_name): it may stand everywhere. */
#define WILD ((scarce__type)(SCARCE__FLAG + 1))

/* What was compiled last: its type, its first instruction, and where it stands. */
typedef struct operand {
    scarce__type type; /* ANY: null */
    size_t start;
    scarce__token at;
    int is_field; /* a single field: `at` names it */
} operand;

static int ok(const compiler *c)
{
    return c->status == SCARCE_OK;
}

/* ---- Mistakes */

static void set_place(compiler *c, const scarce__token *at, const char *name, const char *nearest)
{
    scarce__expr_place *p = c->source->place;
    if (!p) return;
    memset(p, 0, sizeof *p);
    p->line = at->line;
    p->column = at->column;
    if (name) (void)snprintf(p->name, sizeof p->name, "%s", name);
    if (nearest) (void)snprintf(p->nearest, sizeof p->nearest, "%s", nearest);
}

static void fail(compiler *c, const scarce__token *at, const char *format, ...) SCARCE__PRINTF(3, 4);
COLD static void fail(compiler *c, const scarce__token *at, const char *format, ...)
{
    char text[800];
    va_list list;

    if (!ok(c)) return;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    set_place(c, at, NULL, NULL);
    c->status = scarce__fail_at(c->err, c->source->file, at->line, at->column, "%s", text);
}

static void no_memory(compiler *c)
{
    if (ok(c)) c->status = scarce__fail_memory(c->err, "an expression", 0);
}

/* A token as it stands, for messages. */
static const char *spelled(const scarce__token *t, char text[64])
{
    if (t->kind == SCARCE__TOKEN_END) (void)snprintf(text, 64, "the end");
    else (void)snprintf(text, 64, "\"%.*s\"", (int)(t->length < 40 ? t->length : 40), t->at);
    return text;
}

/* What a name or text token means; NULL: no memory. To be freed. */
static char *meaning(compiler *c, const scarce__token *t, size_t *length)
{
    scarce__text text = SCARCE__TEXT_INIT;
    scarce__text_add(&text, "");
    scarce__token_value(t, &text);
    if (length) *length = text.n;
    if (!text.failed && text.bytes) return text.bytes;
    if (!text.failed && !text.bytes) {
        char *empty = scarce__strdup("");
        if (empty) return empty;
    }
    scarce__text_deinit(&text);
    no_memory(c);
    return NULL;
}

/* ---- Code */

/* Room for one more item; 0 when memory is exhausted. */
static int room(compiler *c, void *array, size_t n, size_t *capacity, size_t size)
{
    void *old, *larger;

    if (n < *capacity) return 1;
    memcpy(&old, array, sizeof old);
    larger = scarce__realloc_array(old, *capacity ? 2 * *capacity : 16, size);
    if (!larger) {
        no_memory(c);
        return 0;
    }
    memcpy(array, &larger, sizeof larger);
    *capacity = *capacity ? 2 * *capacity : 16;
    return 1;
}

static const int effects[] = {
#define X(name, effect) effect,
    SCARCE__OPS(X)
#undef X
};

/* Emits an instruction; its number. */
static size_t emit(compiler *c, scarce__op op, size_t x, size_t y)
{
    scarce__expr *e = c->e;

    if (!ok(c)) return 0;
    if (e->n >= SCARCE__EXPR_LONGEST) {
        fail(c, &c->token, "the expression is too long (more than %d steps)", SCARCE__EXPR_LONGEST);
        return 0;
    }
    if (!room(c, &e->code, e->n, &e->capacity, sizeof *e->code)) return 0;
    e->code[e->n] = (scarce__instruction){op, (uint32_t)x, (uint32_t)y};
    c->height = (size_t)((ptrdiff_t)c->height + effects[op]);
    if (c->height > SCARCE__EXPR_STACK)
        fail(c, &c->token, "the expression is nested too deeply; split it in two rules or features");
    return e->n++;
}

/* The jump at `from` goes to what is emitted next. */
static void land(compiler *c, size_t from)
{
    if (!ok(c)) return;
    c->e->code[from].x = (uint32_t)c->e->n;
    c->target = c->e->n;
}

static void emit_constant(compiler *c, scarce__value v)
{
    scarce__expr *e = c->e;
    if (!ok(c) || !room(c, &e->constants, e->n_constants, &e->constants_capacity, sizeof *e->constants))
        return;
    e->constants[e->n_constants++] = v;
    (void)emit(c, SCARCE__OP_CONST, e->n_constants - 1, 0);
}

static int all_constant(const compiler *c, size_t from, size_t end)
{
    for (size_t i = from; i < end; ++i)
        if (c->e->code[i].op != SCARCE__OP_CONST) return 0;
    return from >= c->target;
}

/* The last instruction has constants for operands, from `start` on: its result takes their place. */
static void fold(compiler *c, size_t start)
{
    scarce__expr *e = c->e;

    if (!ok(c) || !all_constant(c, start, e->n - 1)) return;
    scarce__value v = scarce__expr_execute(e, start, NULL);
    v.unused[0] = 0; /* a text stays that of the constant it came from */
    e->n = start;
    --c->height;
    emit_constant(c, v);
}

/* ---- Tokens */

static void next(compiler *c)
{
    if (!ok(c)) return;
    c->end = c->token.at + c->token.length;
    c->token = scarce__lexer_next(&c->lexer);
}

/* The token behind the one that is looked at. */
static scarce__token peek(const compiler *c)
{
    scarce__lexer l = c->lexer;
    return scarce__lexer_next(&l);
}

static int at_sign(const compiler *c, int sign)
{
    return ok(c) && scarce__token_is_sign(&c->token, sign);
}

static int take_sign(compiler *c, int sign)
{
    if (!at_sign(c, sign)) return 0;
    next(c);
    return 1;
}

/* The bracket that closes what was opened at `open`. */
static void close_bracket(compiler *c, const scarce__token *open, char sign)
{
    char text[64];

    if (take_sign(c, sign) || !ok(c)) return;
    if (c->token.kind == SCARCE__TOKEN_BAD) fail(c, &c->token, "%s", c->token.what);
    else if (at_sign(c, '=')) fail(c, &c->token, "= means nothing here; to compare write ==");
    else
        fail(c, &c->token, "%s stands where a \"%c\" is missing, for the \"%.*s\" of line %d, column %d",
             spelled(&c->token, text), sign, (int)open->length, open->at, open->line, open->column);
}

static int enter(compiler *c)
{
    if (++c->nesting <= SCARCE__EXPR_DEPTH) return 1;
    fail(c, &c->token, "the expression is nested too deeply (%d levels at most)", SCARCE__EXPR_DEPTH);
    return 0;
}

static operand parse_expr(compiler *c);
static operand parse_binary(compiler *c, int level);

/* ---- Types */

static int is_bool(const operand *o)
{
    return o->type == SCARCE__BOOLEAN || o->type == SCARCE__FLAG || o->type == WILD;
}

/* FLAG counts as number here. */
static scarce__type plain(scarce__type type)
{
    return type == SCARCE__FLAG ? SCARCE__NUMBER : type;
}

static const char *type_text(const operand *o)
{
    return o->type == SCARCE__ANY ? "null" : scarce__type_name(o->type);
}

/* `"country" is text`, or "text" of something longer. */
static const char *described(const operand *o, char text[128])
{
    if (o->is_field)
        (void)snprintf(text, 128, "%s (\"%.*s\")", type_text(o), (int)(o->at.length < 60 ? o->at.length : 60),
                       o->at.at);
    else (void)snprintf(text, 128, "%s", type_text(o));
    return text;
}

/* Remembers the field that is of the wrong type. Not inlined, as all that fails: the buffers of messages would lie on the
 * stack of every level of the parser. */
COLD static void fail_type(compiler *c, const scarce__token *at, const operand *a, const operand *b,
                           const char *message)
{
    const operand *field = a && a->is_field ? a : b && b->is_field ? b : NULL;
    char *name;

    if (!ok(c)) return;
    fail(c, at, "%s", message);
    if (!field || !(name = meaning(c, &field->at, NULL))) return;
    set_place(c, at, name, NULL);
    scarce__free(name);
}

/* BEFORE text-of-a BETWEEN text-of-b; b may be NULL. */
COLD static void fail_types(compiler *c, const scarce__token *at, const operand *a, const operand *b,
                            const char *before, const char *between)
{
    char text[600], left[128], right[128];

    (void)snprintf(text, sizeof text, "%s %s%s%s%s%s", before, described(a, left), b ? " " : "", between,
                   b ? " " : "", b ? described(b, right) : "");
    fail_type(c, at, a, b, text);
}

static void want_bool(compiler *c, const operand *o, const scarce__token *at, const char *sign)
{
    char before[64];

    if (!ok(c) || is_bool(o)) return;
    (void)snprintf(before, sizeof before, "%s takes what is true or false, not", sign);
    fail_types(c, at, o, NULL, before, "");
}

/* ---- Names */

static const char *symbol_name(const void *arg, size_t i)
{
    return ((const scarce__expr_symbol *)arg)[i].name;
}

static const char *list_name(const void *arg, size_t i)
{
    return ((const scarce__expr_list *)arg)[i].name;
}

static const char *function_name(const void *arg, size_t i)
{
    (void)arg;
    return scarce__expr_function(i);
}

/* "; known are a, b, c ..." */
static void add_known(char *text, size_t size, const char *(*name_of)(const void *, size_t), const void *arg,
                      size_t count)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < count && i < 12; ++i) {
        const int k = snprintf(text + n, size - n, "%s%.40s", i ? ", " : "; known are ", name_of(arg, i));
        if (k < 0 || (size_t)k >= size - n) return;
        n += (size_t)k;
    }
    if (count > 12) (void)snprintf(text + n, size - n, ", and %zu more", count - 12);
}

COLD static void fail_unknown(compiler *c, const scarce__token *at, const char *what, const char *name,
                              const char *(*name_of)(const void *, size_t), const void *arg, size_t count)
{
    const char *nearest = scarce__nearest_name(name, name_of, arg, count);
    char text[700];

    if (!ok(c)) return;
    if (nearest) {
        (void)snprintf(text, sizeof text, "no %s \"%.80s\", did you mean \"%.80s\"?", what, name, nearest);
    } else {
        (void)snprintf(text, sizeof text, "no %s \"%.80s\"", what, name);
        if (count == 0) (void)snprintf(text, sizeof text, "no %s \"%.80s\"; there are none", what, name);
        add_known(text, sizeof text, name_of, arg, count);
    }
    fail(c, at, "%s", text);
    set_place(c, at, name, nearest);
}

static const char *symbol_what(const compiler *c)
{
    return c->source->what ? c->source->what : "field";
}

/* The number of a symbol, or SIZE_MAX and the mistake. */
static size_t find_symbol(compiler *c, const scarce__token *at, const char *name)
{
    const scarce__expr_source *s = c->source;

    for (size_t i = 0; i < s->n_symbols; ++i)
        if (strcmp(s->symbols[i].name, name) == 0) return i;
    if (scarce__token_is(at, "not") || scarce__token_is(at, "NOT"))
        fail(c, at, "write ! instead of %s", name);
    else if (scarce__function_find(name, strlen(name)) && at->at[0] != '`')
        fail(c, at, "%s is a function and needs its brackets: %s(...)", name, name);
    else if (!s->any_name) fail_unknown(c, at, symbol_what(c), name, symbol_name, s->symbols, s->n_symbols);
    return SIZE_MAX;
}

/* name, or name.name.name where no bracket follows; c->token is behind it afterwards. NULL: failed. */
static char *take_path(compiler *c, scarce__token *whole)
{
    scarce__text path = SCARCE__TEXT_INIT;

    *whole = c->token;
    scarce__token_value(&c->token, &path);
    next(c);
    while (at_sign(c, '.')) {
        scarce__lexer l = c->lexer;
        const scarce__token name = scarce__lexer_next(&l), behind = scarce__lexer_next(&l);
        if (name.kind != SCARCE__TOKEN_NAME || scarce__token_is_sign(&behind, '(')) break;
        next(c);
        scarce__text_add(&path, ".");
        scarce__token_value(&c->token, &path);
        whole->length = (size_t)(c->token.at + c->token.length - whole->at);
        next(c);
    }
    if (ok(c) && !path.failed) return path.bytes;
    scarce__text_deinit(&path);
    no_memory(c);
    return NULL;
}

static operand parse_symbol(compiler *c)
{
    operand o = {SCARCE__ANY, c->e->n, c->token, 1};
    char *name = take_path(c, &o.at);

    if (name) {
        const size_t i = find_symbol(c, &o.at, name);
        if (ok(c)) {
            o.type = i < c->source->n_symbols ? c->source->symbols[i].type : WILD;
            (void)emit(c, SCARCE__OP_FIELD, i < c->source->n_symbols ? i : 0, 0);
        }
    }
    scarce__free(name);
    return o;
}

/* ---- Literals */

static char *keep_text(compiler *c, const scarce__token *t, scarce__value *v)
{
    size_t length = 0;
    char *text = meaning(c, t, &length);
    if (!text) return NULL;
    *v = scarce__value_text(text, length);
    return text;
}

static void emit_text(compiler *c, const scarce__token *t)
{
    scarce__value v;
    const size_t before = c->e->n_constants;
    char *text = keep_text(c, t, &v);

    if (!text) return;
    emit_constant(c, v);
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

    next(c);
    if (c->token.kind != SCARCE__TOKEN_TEXT) {
        fail(c, &c->token, "%s takes a text: %s", is_span ? "duration" : "timestamp",
             is_span ? "duration(\"1h30m\")" : "timestamp(\"2026-11-16T00:00:00Z\")");
        return o;
    }
    text = meaning(c, &c->token, &length);
    if (text &&
        !(is_span ? scarce__parse_span(text, length, &seconds) : scarce__parse_date(text, length, &seconds)))
        fail(c, &c->token, "\"%.60s\" is no %s", text,
             is_span ? "span of time; write 45s, 30m, 1h30m, 7d or 2w"
                     : "moment; write 2026-11-16, 2026-11-16T08:30:00Z or 2026-11-16T08:30:00+01:00");
    scarce__free(text);
    next(c);
    close_bracket(c, &open, ')');
    emit_constant(c, scarce__value_number(seconds));
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
    if (type == WILD) return 1;
    if (letter == 'm') return type == SCARCE__NUMBER || type == SCARCE__SPAN;
    if (letter != 'o') return type == type_of_letter(letter);
    if (type != SCARCE__NUMBER && type != SCARCE__TIME && type != SCARCE__SPAN) return 0;
    return i == 0 || type == first || first == WILD;
}

static int takes_so_many(const scarce__function *f, size_t n)
{
    const size_t length = strlen(f->takes);
    return f->takes[length - 1] == '*' ? n + 1 >= length : n == length;
}

COLD static void fail_argument(compiler *c, const scarce__function *f, const operand *o)
{
    char before[128];
    (void)snprintf(before, sizeof before, "%s can't take", f->use);
    fail_types(c, &o->at, o, NULL, before, "");
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

    next(c);
    while (ok(c) && (n > 0 || receiver || !at_sign(c, ')'))) {
        operand value;
        if (n == 0 && receiver) value = *receiver;
        else value = parse_expr(c);
        if (!ok(c)) return o;
        if (n == 0) first = value;
        if (n < strlen(f->takes) || repeats) {
            if (!fits(f, n, value.type, plain(first.type))) fail_argument(c, f, &value);
        } else if ((fitting = scarce__function_next(f)) != NULL && n < strlen(fitting->takes)) {
            if (!fits(fitting, n, value.type, plain(first.type))) fail_argument(c, fitting, &value);
        }
        if (++n > 1 && repeats) {
            (void)emit(c, f->op, 0, 0);
            fold(c, o.start);
        }
        if (n == 1 && receiver ? at_sign(c, ')') : !take_sign(c, ',')) break;
        if (n > MOST_ARGUMENTS) fail(c, &c->token, "%s has too many values", f->name);
    }
    close_bracket(c, &open, ')');
    for (fitting = f; fitting && !takes_so_many(fitting, n);) fitting = scarce__function_next(fitting);
    if (!fitting) {
        fail(c, name, "%s is written %s, but has %zu value%s here", f->name, f->use, n, n == 1 ? "" : "s");
        return o;
    }
    if (!repeats) {
        (void)emit(c, fitting->op, 0, 0);
        fold(c, o.start);
    }
    o.type = type_of_letter(fitting->gives);
    if (o.type == SCARCE__ANY) o.type = plain(first.type);
    return o;
}

static operand parse_has(compiler *c, const scarce__token *name)
{
    operand o = {SCARCE__BOOLEAN, c->e->n, *name, 0};
    const scarce__token open = c->token;

    next(c);
    if (c->token.kind != SCARCE__TOKEN_NAME) {
        fail(c, &c->token, "has takes the name of a %s; of other values write x != null", symbol_what(c));
        return o;
    }
    (void)parse_symbol(c);
    close_bracket(c, &open, ')');
    (void)emit(c, SCARCE__OP_HAS, 0, 0);
    return o;
}

static operand parse_coalesce(compiler *c, const scarce__token *name)
{
    operand o = {SCARCE__ANY, c->e->n, *name, 0};
    const scarce__token open = c->token;
    size_t jumps[64], n = 0;

    next(c);
    do {
        const operand value = parse_expr(c);
        if (!ok(c)) return o;
        if (o.type == SCARCE__ANY) o.type = value.type;
        if (o.type == WILD) o.type = value.type;
        const int truth = is_bool(&o) && is_bool(&value);
        if (value.type == SCARCE__ANY || (value.type != WILD && !truth && plain(value.type) != plain(o.type)))
            fail_types(c, &value.at, n ? &o : &value, n ? &value : NULL,
                       "coalesce takes values of one type, not", n ? "and" : "");
        if (o.type == SCARCE__FLAG) o.type = value.type;
        if (!at_sign(c, ',')) break;
        if (n == sizeof jumps / sizeof jumps[0]) {
            fail(c, &c->token, "coalesce has too many values");
            return o;
        }
        jumps[n++] = emit(c, SCARCE__OP_JUMP_KNOWN, 0, 0);
        (void)emit(c, SCARCE__OP_POP, 0, 0);
    } while (take_sign(c, ','));
    close_bracket(c, &open, ')');
    if (n == 0) fail(c, name, "coalesce is written coalesce(x, y, ...), with two values at least");
    for (size_t i = 0; i < n; ++i) land(c, jumps[i]);
    return o;
}

static operand parse_function(compiler *c, const scarce__token *name, const operand *receiver)
{
    const scarce__function *f = scarce__function_find(name->at, name->length);
    operand none = {SCARCE__ANY, c->e->n, *name, 0};
    size_t count = 0;

    if (f && f->op != SCARCE__N_OPS) return parse_call(c, f, name, receiver);
    if (!f) {
        char text[81];
        while (scarce__expr_function(count)) ++count;
        (void)snprintf(text, sizeof text, "%.*s", (int)(name->length < 80 ? name->length : 80), name->at);
        fail_unknown(c, name, "function", text, function_name, NULL, count);
        return none;
    }
    if (receiver) fail(c, name, "%s is written %s", f->name, f->use);
    if (strcmp(f->name, "has") == 0) return parse_has(c, name);
    if (strcmp(f->name, "coalesce") == 0) return parse_coalesce(c, name);
    return parse_moment(c, name, strcmp(f->name, "duration") == 0);
}

/* ---- Primaries */

static operand constant(compiler *c, scarce__type type, scarce__value v)
{
    const operand o = {type, c->e->n, c->token, 0};
    emit_constant(c, v);
    next(c);
    return o;
}

static operand parse_name(compiler *c)
{
    const scarce__token name = c->token, behind = peek(c);

    if (scarce__token_is(&name, "true")) return constant(c, SCARCE__BOOLEAN, scarce__value_number(1));
    if (scarce__token_is(&name, "false")) return constant(c, SCARCE__BOOLEAN, scarce__value_number(0));
    if (scarce__token_is(&name, "null")) return constant(c, SCARCE__ANY, scarce__value_missing());
    if (scarce__token_is_sign(&behind, '(') && name.at[0] != '`') {
        next(c);
        return parse_function(c, &name, NULL);
    }
    return parse_symbol(c);
}

static void fail_primary(compiler *c)
{
    const scarce__token *t = &c->token;
    char text[64];

    if (t->kind == SCARCE__TOKEN_BAD) fail(c, t, "%s", t->what);
    else if (t->kind == SCARCE__TOKEN_END && c->e->n == 0) fail(c, t, "an expression is missing");
    else if (t->kind == SCARCE__TOKEN_SPAN)
        fail(c, t, "a span of time is written duration(\"%.*s\")", (int)t->length, t->at);
    else if (scarce__token_is_sign(t, '[')) fail(c, t, "a list stands only behind in: x in [1, 2]");
    else fail(c, t, "a value is missing before %s", spelled(t, text));
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
        emit_text(c, &c->token);
        next(c);
    } else if (at_sign(c, '(')) {
        const scarce__token open = c->token;
        next(c);
        o = parse_expr(c);
        close_bracket(c, &open, ')');
        o.is_field = 0;
    } else {
        fail_primary(c);
    }
    while (ok(c) && at_sign(c, '.')) {
        next(c);
        const scarce__token name = c->token;
        next(c);
        if (name.kind != SCARCE__TOKEN_NAME || !at_sign(c, '(')) {
            fail(c, &name, "a function is missing behind the point: x.size()");
            break;
        }
        o = parse_function(c, &name, &o);
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
    if (!enter(c)) return o;
    next(c);
    o = parse_unary(c);
    --c->nesting;
    if (!ok(c)) return o;
    if (is_not) {
        want_bool(c, &o, &sign, "!");
        o.type = SCARCE__BOOLEAN;
    } else if (plain(o.type) != SCARCE__NUMBER && o.type != SCARCE__SPAN && o.type != WILD) {
        fail_types(c, &sign, &o, NULL, "- takes a number or a span, not", "");
    } else {
        o.type = plain(o.type);
    }
    (void)emit(c, is_not ? SCARCE__OP_NOT : SCARCE__OP_NEGATE, 0, 0);
    fold(c, o.start);
    o.at = sign;
    o.is_field = 0;
    return o;
}

/* ---- in */

static void use_set(compiler *c, const scarce__set *set)
{
    scarce__expr *e = c->e;
    if (!ok(c) || !room(c, &e->sets, e->n_sets, &e->sets_capacity, sizeof(void *))) return;
    e->sets[e->n_sets++] = set;
    (void)emit(c, SCARCE__OP_IN, e->n_sets - 1, 0);
}

static void want_items(compiler *c, const operand *x, scarce__type items, const scarce__token *at)
{
    char among[32];
    if (!ok(c) || plain(x->type) == items || x->type == WILD || items == WILD) return;
    (void)snprintf(among, sizeof among, " among %ss", scarce__type_name(items));
    fail_types(c, at, x, NULL, "in looks for", among);
}

static void in_list(compiler *c, const operand *x)
{
    const scarce__expr_source *s = c->source;
    const scarce__token at = c->token;
    char *name = meaning(c, &c->token, NULL);

    for (size_t i = 0; name && i < s->n_lists; ++i) {
        if (strcmp(s->lists[i].name, name) != 0) continue;
        scarce__free(name);
        want_items(c, x, scarce__set_type(s->lists[i].set), &at);
        use_set(c, s->lists[i].set);
        next(c);
        return;
    }
    if (name) fail_unknown(c, &at, "list", name, list_name, s->lists, s->n_lists);
    scarce__free(name);
}

static int is_known_constant(const compiler *c, size_t start)
{
    const scarce__expr *e = c->e;
    return e->n == start + 1 && all_constant(c, start, e->n) && e->constants[e->code[start].x].known;
}

/* An item of a literal list that is a constant goes into the set. */
static void take_item(compiler *c, scarce__set *set, const operand *item)
{
    scarce__expr *e = c->e;
    const scarce__value v = e->constants[e->code[item->start].x];
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st;

    e->n = item->start;
    --c->height;
    st = scarce__set_add(set, v, &err);
    if (st == SCARCE_ENOMEM) no_memory(c);
    else if (st != SCARCE_OK) fail(c, &item->at, "%s", err.text);
}

/* The items behind x: constants in `set`, others on the stack; how many of those. */
static size_t parse_items(compiler *c, const operand *x, scarce__set *set)
{
    const scarce__token open = c->token;
    size_t others = 0;

    next(c);
    do {
        const operand item = parse_expr(c);
        if (!ok(c)) return 0;
        if (item.type == SCARCE__ANY)
            fail(c, &item.at, "null can't be in a list; write x == null || x in [...]");
        want_items(c, x, plain(item.type), &item.at);
        if (!ok(c)) return 0;
        if (is_known_constant(c, item.start)) take_item(c, set, &item);
        else ++others;
    } while (take_sign(c, ','));
    close_bracket(c, &open, ']');
    return others;
}

static void in_literal(compiler *c, const operand *x)
{
    scarce__expr *e = c->e;
    scarce__set *set = NULL;
    size_t others, constants = 0;

    if (!room(c, &e->own_sets, e->n_own_sets, &e->own_sets_capacity, sizeof(void *))) return;
    if (scarce__set_new(&set, plain(x->type), NULL) != SCARCE_OK) {
        no_memory(c);
        return;
    }
    e->own_sets[e->n_own_sets++] = set;
    const scarce__token open = c->token;
    const scarce__token behind = peek(c);
    if (scarce__token_is_sign(&behind, ']')) fail(c, &open, "the list is empty");
    others = parse_items(c, x, set);
    if (!ok(c)) return;
    if (others == 0) {
        use_set(c, set);
        return;
    }
    if (scarce__set_count(set) > 0) { /* constants too */
        if (!room(c, &e->sets, e->n_sets, &e->sets_capacity, sizeof(void *))) return;
        e->sets[e->n_sets++] = set;
        constants = e->n_sets;
    }
    (void)emit(c, x->type == SCARCE__WORD ? SCARCE__OP_ANY_EQUAL_TEXT : SCARCE__OP_ANY_EQUAL, others,
               constants);
    c->height -= others;
}

static operand parse_in(compiler *c, operand x)
{
    operand o = {SCARCE__BOOLEAN, x.start, x.at, 0};

    next(c);
    if (!ok(c)) return o;
    if (x.type == SCARCE__ANY) fail(c, &x.at, "null can't be looked for in a list; write x == null");
    if (at_sign(c, '[')) in_literal(c, &x);
    else if (c->token.kind == SCARCE__TOKEN_NAME) in_list(c, &x);
    else if (at_sign(c, '(')) fail(c, &c->token, "a list stands in square brackets: in [\"a\", \"b\"]");
    else if (c->token.kind == SCARCE__TOKEN_BAD) fail(c, &c->token, "%s", c->token.what);
    else fail(c, &c->token, "in needs a list: the name of one, or [\"a\", \"b\"]");
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
        if (scarce__token_is(&c->token, words[i].word)) fail(c, &c->token, "%s", words[i].remedy);
    if (at_sign(c, '=')) fail(c, &c->token, "= means nothing here; to compare write ==");
    if (at_sign(c, SCARCE__SIGN('<', '>'))) fail(c, &c->token, "write != instead of <>");
    if (at_sign(c, '&')) fail(c, &c->token, "write && instead of &");
    if (at_sign(c, '|')) fail(c, &c->token, "write || instead of |");
    if (ok(c) && c->token.kind == SCARCE__TOKEN_BAD) fail(c, &c->token, "%s", c->token.what);
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
    (void)emit(c, (scarce__op)((int)op - SCARCE__OP_EQ + SCARCE__OP_FIELD_EQ), field, number);
    return 1;
}

/* x == null: whether it is missing. The null has just been pushed. */
static operand compare_null(compiler *c, const infix *op, const scarce__token *at, operand a,
                            const operand *b)
{
    operand o = {SCARCE__BOOLEAN, a.start, a.at, 0};

    if (op->op != SCARCE__OP_EQ && op->op != SCARCE__OP_NE)
        fail(c, at, "null can be compared by == and != only");
    else if (b->type != SCARCE__ANY) fail(c, at, "null stands on the right: x %s null", op->text);
    if (!ok(c)) return o;
    --c->e->n;
    --c->height;
    (void)emit(c, op->op == SCARCE__OP_EQ ? SCARCE__OP_MISSING : SCARCE__OP_HAS, 0, 0);
    fold(c, o.start);
    return o;
}

static operand compare(compiler *c, const infix *op, const scarce__token *at, operand a, const operand *b)
{
    operand o = {SCARCE__BOOLEAN, a.start, a.at, 0};
    const int equality = op->op == SCARCE__OP_EQ || op->op == SCARCE__OP_NE;
    char before[32];

    if (a.type == SCARCE__ANY || b->type == SCARCE__ANY) return compare_null(c, op, at, a, b);
    (void)snprintf(before, sizeof before, "%s compares", op->text);
    if (a.type == WILD || b->type == WILD) (void)0;
    else if (plain(a.type) != plain(b->type) && !(is_bool(&a) && is_bool(b)))
        fail_types(c, at, &a, b, before, "with");
    else if (!equality && (a.type == SCARCE__BOOLEAN || b->type == SCARCE__BOOLEAN))
        fail(c, at, "%s can't order what is true or false", op->text);
    if (!ok(c)) return o;
    if (a.type == SCARCE__WORD && b->type == SCARCE__WORD)
        (void)emit(c, (scarce__op)((int)op->op - SCARCE__OP_EQ + SCARCE__OP_TEXT_EQ), 0, 0);
    else if (fuse(c, a.start, op->op)) return o;
    else (void)emit(c, op->op, 0, 0);
    fold(c, o.start);
    return o;
}

/* The type of a op b, or ANY. */
static scarce__type arithmetic_type(scarce__op op, scarce__type a, scarce__type b)
{
    a = plain(a);
    b = plain(b);
    if (a == WILD || b == WILD) return WILD;
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
        fail_types(c, at, &a, b, "there is no", op->text);
        return o;
    }
    (void)emit(c, op->op, 0, 0);
    fold(c, o.start);
    return o;
}

static operand logic(compiler *c, const infix *op, const scarce__token *at, operand a)
{
    operand o = {SCARCE__BOOLEAN, a.start, a.at, 0};
    size_t jump;
    operand b;

    want_bool(c, &a, at, op->text);
    jump = emit(c, op->op == SCARCE__OP_AND ? SCARCE__OP_JUMP_FALSE : SCARCE__OP_JUMP_TRUE, 0, 0);
    b = parse_binary(c, op->level + 1);
    want_bool(c, &b, at, op->text);
    (void)emit(c, op->op, 0, 0);
    land(c, jump);
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
            fail(c, &at, "comparisons can't follow each other: write a < b && b < c");
            return a;
        }
        if (op == &in_operator) {
            a = parse_in(c, a);
            continue;
        }
        next(c);
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

    want_bool(c, &condition, &at, "?");
    next(c);
    branch = emit(c, SCARCE__OP_BRANCH, 0, 0);
    a = parse_expr(c);
    jump = emit(c, SCARCE__OP_JUMP, 0, 0);
    if (!at_sign(c, ':'))
        fail(c, &c->token, "a \":\" is missing, for the \"?\" of line %d, column %d", at.line, at.column);
    next(c);
    land(c, branch);
    if (ok(c)) --c->height;
    b = parse_expr(c);
    land(c, jump);
    if (!ok(c)) return o;
    c->e->code[branch].y = (uint32_t)c->e->n;
    o.type = a.type == SCARCE__ANY ? b.type : a.type;
    if (a.type == WILD) o.type = b.type;
    if (a.type == b.type || a.type == SCARCE__ANY || b.type == SCARCE__ANY || a.type == WILD ||
        b.type == WILD)
        return o;
    if (plain(a.type) == plain(b.type)) {
        o.type = plain(a.type);
    } else if (is_bool(&a) && is_bool(&b)) {
        o.type = SCARCE__BOOLEAN;
    } else {
        fail_types(c, &at, &a, &b, "the two sides of ?: are", "and");
    }
    return o;
}

static operand parse_expr(compiler *c)
{
    operand o = {SCARCE__ANY, c->e->n, c->token, 0};

    if (!ok(c) || !enter(c)) return o;
    o = parse_binary(c, LEVEL_OR);
    if (at_sign(c, '?')) o = parse_ternary(c, o);
    --c->nesting;
    return o;
}

/* ---- The whole */

static void check_end(compiler *c)
{
    char text[64];

    if (!ok(c) || c->token.kind == SCARCE__TOKEN_END || c->source->used) return;
    if (at_sign(c, ')') || at_sign(c, ']'))
        fail(c, &c->token, "%s closes what was never opened", spelled(&c->token, text));
    else fail(c, &c->token, "an operator is missing before %s", spelled(&c->token, text));
}

static void check_wanted(compiler *c, const operand *o)
{
    const scarce__type wanted = c->source->wanted;
    const int good = o->type == WILD             ? 1
                     : wanted == SCARCE__ANY     ? o->type != SCARCE__ANY
                     : wanted == SCARCE__BOOLEAN ? is_bool(o)
                                                 : plain(o->type) == plain(wanted);
    char wants[64];

    if (!ok(c)) return;
    c->e->type = wanted == SCARCE__ANY ? plain(o->type) : plain(wanted);
    if (good) return;
    if (o->type == SCARCE__ANY) {
        fail(c, &o->at, "this is always missing");
        return;
    }
    (void)snprintf(wants, sizeof wants, ", but %s is wanted",
                   wanted == SCARCE__BOOLEAN ? "true or false" : scarce__type_name(wanted));
    fail_types(c, &o->at, o, NULL, "this gives", wants);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void list_symbols(compiler *c)
{
    scarce__expr *e = c->e;
    size_t n = 0;

    if (!ok(c)) return;
    e->symbols = scarce__malloc_array(e->n, sizeof *e->symbols);
    if (!e->symbols) {
        no_memory(c);
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
    o = parse_expr(&c);
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

void scarce__expr_free(scarce__expr *e)
{
    if (!e) return;
    for (size_t i = 0; i < e->n_constants; ++i)
        if (e->constants[i].unused[0]) scarce__free((void *)(uintptr_t)e->constants[i].as.text);
    for (size_t i = 0; i < e->n_own_sets; ++i) scarce__set_free(e->own_sets[i]);
    scarce__free(e->own_sets);
    scarce__free(e->sets);
    scarce__free(e->symbols);
    scarce__free(e->constants);
    scarce__free(e->code);
    scarce__free(e);
}

scarce__type scarce__expr_type(const scarce__expr *e)
{
    return e->type;
}

size_t scarce__expr_cost(const scarce__expr *e)
{
    return e->n;
}

int scarce__expr_constant(const scarce__expr *e)
{
    return e->n_symbols == 0 && e->n_sets == 0;
}

const uint32_t *scarce__expr_symbols(const scarce__expr *e, size_t *count)
{
    *count = e->n_symbols;
    return e->symbols;
}

int scarce__expr_reads(const scarce__expr *e, const scarce__set *set)
{
    for (size_t i = 0; i < e->n_sets; ++i)
        if (e->sets[i] == set) return 1;
    return 0;
}

void scarce__expr_show(const scarce__expr *e, scarce__text *out)
{
    static const char *const names[] = {
#define X(name, effect) #name,
        SCARCE__OPS(X)
#undef X
    };
    for (size_t i = 0; i < e->n; ++i)
        scarce__text_addf(out, "%zu %s %u %u\n", i, names[e->code[i].op], e->code[i].x, e->code[i].y);
}
