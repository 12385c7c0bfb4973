/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the compiler of expressions, which compile.c describes.
 *
 *     compile.c       tokens, operators, the whole
 *     compile_name.c  fields, literals, functions
 *     compile_list.c  what stands behind `in`
 *     emit.c          instructions; constants are worked out
 *     mistake.c       what is told of a wrong text
 *
 * All of them do nothing once a mistake was made (`status`), so that callers look at it where they go on only. */
#ifndef SCARCE_EXPR_COMPILER_H
#define SCARCE_EXPR_COMPILER_H

#include "expr/code.h"
#include "expr/lexer.h"

#if defined(__GNUC__)
#define SCARCE__COLD __attribute__((noinline))
#else
#define SCARCE__COLD
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
#define SCARCE__WILD ((scarce__type)(SCARCE__FLAG + 1))

/* What was compiled last: its type, its first instruction, and where it stands. */
typedef struct operand {
    scarce__type type; /* ANY: null */
    size_t start;
    scarce__token at;
    int is_field; /* a single field: `at` names it */
} operand;

static inline int ok(const compiler *c)
{
    return c->status == SCARCE_OK;
}

static inline int at_sign(const compiler *c, int sign)
{
    return ok(c) && scarce__token_is_sign(&c->token, sign);
}

static inline int is_bool(const operand *o)
{
    return o->type == SCARCE__BOOLEAN || o->type == SCARCE__FLAG || o->type == SCARCE__WILD;
}

/* FLAG counts as number here. */
static inline scarce__type plain(scarce__type type)
{
    return type == SCARCE__FLAG ? SCARCE__NUMBER : type;
}

/* ---- mistake.c */

void scarce__c_fail(compiler *c, const scarce__token *at, const char *format, ...) SCARCE__PRINTF(3, 4);
void scarce__c_no_memory(compiler *c);
/* `a` is of the wrong type, or `b` (nullable), at a place: the sentence is BEFORE a BETWEEN b. */
void scarce__c_fail_types(compiler *c, const scarce__token *at, const operand *a, const operand *b,
                          const char *before, const char *between);
void scarce__c_want_bool(compiler *c, const operand *o, const scarce__token *at, const char *sign);
/* no WHAT "name", did you mean ...? */
void scarce__c_fail_unknown(compiler *c, const scarce__token *at, const char *what, const char *name,
                            const char *(*name_of)(const void *, size_t), const void *arg, size_t count);
/* A token as it stands. */
const char *scarce__c_spelled(const scarce__token *t, char text[64]);
/* What a name or text token means, to be freed; NULL: no memory, which is told. */
char *scarce__c_meaning(compiler *c, const scarce__token *t, size_t *length);
const char *scarce__c_symbol_what(const compiler *c);

/* ---- emit.c */

/* Room for one more item in the array that `array` points to; 0: no memory, which is told. */
int scarce__c_room(compiler *c, void *array, size_t n, size_t *capacity, size_t size);
/* The number of the instruction. */
size_t scarce__c_emit(compiler *c, scarce__op op, size_t x, size_t y);
/* The jump at `from` goes to what is emitted next. */
void scarce__c_land(compiler *c, size_t from);
void scarce__c_emit_constant(compiler *c, scarce__value v);
int scarce__c_all_constant(const compiler *c, size_t from, size_t end);
/* The last instruction has constants for operands, from `start` on: its result takes their place. */
void scarce__c_fold(compiler *c, size_t start);

/* ---- compile.c */

void scarce__c_next(compiler *c);
scarce__token scarce__c_peek(const compiler *c); /* the token behind the one that is looked at */
int scarce__c_take_sign(compiler *c, int sign);
/* The bracket that closes what was opened at `open`. */
void scarce__c_close_bracket(compiler *c, const scarce__token *open, char sign);
int scarce__c_enter(compiler *c); /* one level deeper; 0: too deep */
operand scarce__c_parse_expr(compiler *c);

/* ---- compile_name.c, compile_list.c */

operand scarce__c_parse_symbol(compiler *c);
void scarce__c_emit_text(compiler *c, const scarce__token *t);
/* A call; the token that is looked at is its bracket. `receiver` (nullable) is the x of x.f(y). */
operand scarce__c_parse_function(compiler *c, const scarce__token *name, const operand *receiver);
/* x in ...; the token that is looked at is the in. */
operand scarce__c_parse_in(compiler *c, operand x);

#endif
