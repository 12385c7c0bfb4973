/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of rules, of `where` clauses and of derived features: a typed subset of CEL (cel-spec,
 * doc/langdef.md), compiled to a small bytecode.
 *
 *     static const scarce__expr_symbol fields[] = {{"amount", SCARCE__NUMBER}, {"country", SCARCE__WORD}};
 *     scarce__expr_source s = {.text = "amount > 5 && country != \"DE\"", .length = 30,
 *                              .symbols = fields, .n_symbols = 2, .wanted = SCARCE__BOOLEAN};
 *     if (scarce__expr_compile(&e, &s, err)) ...
 *     scarce__value record[2] = {scarce__value_number(7), scarce__value_text("FR", 2)};
 *     v = scarce__expr_run(e, record);          v.known && v.as.number != 0: it holds
 *
 *     ?:   ||   &&   == != < <= > >= in   + -   * / %   ! -   ( )   [1, 2]   name   f(x, y)   x.f(y)
 *
 * Types: bool, number (double), text, time (seconds since 1970, UTC), span (seconds). Everything is typed when it is
 * compiled; a program can't fail when it runs.
 *
 * Missing values (not known): an operator or function with a missing operand is missing, except
 *     false && x, x && false   false;          true || x, x || true   true;
 *     has(x), x == null, x != null             always known;
 *     coalesce(x, y, ...)                      the first that is known;
 *     c ? x : y                                missing where c is, else the side that c says;
 *     x in [..]                                true where one item is equal, else missing where one is.
 * Division by zero, log of what isn't positive, and every number that isn't finite are missing: a number that is
 * known is finite (which the caller promises of the record too).
 *
 * Costs: scarce__expr_cost instructions at most (no loops), each some nanoseconds; `in` is a hash look-up. Nothing is
 * allocated, the stack is 1 KB. A program is constant after it is made: any thread may run it. */
#ifndef SCARCE_EXPR_EXPR_H
#define SCARCE_EXPR_EXPR_H

#include <math.h>
#include <stdint.h>

#include "core/text.h"
#include "expr/set.h"
#include "expr/value.h"

typedef scarce_record_field scarce__expr_symbol; /* name and type */

/* What stands behind `in`. The program keeps the pointer to the set, which must outlive it, and sees what is added
 * or removed later. */
typedef struct scarce__expr_list {
    const char *name;
    const scarce__set *set;
} scarce__expr_list;

/* Where a mistake is, for those who want more than the message. */
typedef struct scarce__expr_place {
    int line, column;
    char name[80];    /* what is unknown or of the wrong type; "" where it is something else */
    char nearest[80]; /* the name that may have been meant; "" where none is near */
} scarce__expr_place;

typedef struct scarce__expr_source {
    const char *text;
    size_t length;
    const char *file;                   /* for messages: "FILE:LINE:COLUMN: ..."; NULL: without */
    int line, column;                   /* of text[0]; 0: 1 */
    const scarce__expr_symbol *symbols; /* value i of the record is symbol i */
    size_t n_symbols;
    const char *what; /* what a symbol is, in messages; NULL: "field" */
    const scarce__expr_list *lists;
    size_t n_lists;
    scarce__type wanted; /* SCARCE__ANY: whatever comes out */
    size_t
        *used; /* NULL: the text must be one expression. Else the expression may be followed by something; the
                     number of bytes up to its end is written here. It ends before the first token that can't go on
                     with it: a name, a bracket or ":" that wasn't opened, a text, a number */
    scarce__expr_place *place; /* nullable; filled when the text is wrong */
    int any_name; /* nonzero: names that aren't symbols pass, and may be of any type; such a program must not be run */
} scarce__expr_source;

enum {
    SCARCE__EXPR_DEPTH = 48,     /* brackets and signs within each other */
    SCARCE__EXPR_STACK = 64,     /* values on the stack of a program */
    SCARCE__EXPR_LONGEST = 65536 /* instructions */
};

typedef struct scarce__expr scarce__expr;

/* EPARSE with line, column and the remedy. Source and symbols are borrowed by the call only, sets longer. */
scarce_status scarce__expr_compile(scarce__expr **out, const scarce__expr_source *source, scarce_error *err);
void scarce__expr_free(scarce__expr *expr);

/* A text points into the record or into the program. */
scarce__value scarce__expr_run(const scarce__expr *expr, const scarce__value *record);
/* Whether it is known and true. */
static inline int scarce__is_true(scarce__value v)
{
    return v.known && v.as.number != 0;
}

scarce__type scarce__expr_type(const scarce__expr *expr); /* never ANY or FLAG */
size_t scarce__expr_cost(const scarce__expr *expr);       /* instructions */
/* 1 where it depends on no symbol and no set: it is always scarce__expr_run(expr, NULL). */
int scarce__expr_constant(const scarce__expr *expr);
/* The symbols it reads, ascending. */
const uint32_t *scarce__expr_symbols(const scarce__expr *expr, size_t *count);
/* Whether it looks into this list. */
int scarce__expr_reads(const scarce__expr *expr, const scarce__set *set);
/* What a program was compiled to, a line an instruction: for tests and the curious. */
void scarce__expr_show(const scarce__expr *expr, scarce__text *out);

/* Names of functions, for completion and help: "abs", "coalesce", ...; NULL behind the last. */
const char *scarce__expr_function(size_t i);
/* "abs(number)": how it is called, and what it does, in a sentence. */
const char *scarce__expr_function_use(size_t i);
const char *scarce__expr_function_help(size_t i);

#endif
