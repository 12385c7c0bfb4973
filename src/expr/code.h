/* SPDX-License-Identifier: Apache-2.0 */
/* The bytecode between compiler and machine: a stack of values, jumps forward only, so that a program of n instructions
 * ends after n steps at most. */
#ifndef SCARCE_EXPR_CODE_H
#define SCARCE_EXPR_CODE_H

#include "expr/expr.h"

/* name, how many values it takes and what it changes the height of the stack by; see run.c for what each does. */
#define SCARCE__OPS(X)                                                                                       \
    X(FIELD, 1)                                                                                              \
    X(CONST, 1)                                                                                              \
    X(POP, -1)                                                                                               \
    X(NOT, 0)                                                                                                \
    X(AND, -1)                                                                                               \
    X(OR, -1)                                                                                                \
    X(JUMP, 0)                                                                                               \
    X(JUMP_FALSE, 0)                                                                                         \
    X(JUMP_TRUE, 0)                                                                                          \
    X(JUMP_KNOWN, 0)                                                                                         \
    X(BRANCH, -1)                                                                                            \
    X(HAS, 0)                                                                                                \
    X(MISSING, 0)                                                                                            \
    X(IN, 0)                                                                                                 \
    X(ANY_EQUAL, 0)                                                                                          \
    X(ANY_EQUAL_TEXT, 0)                                                                                     \
    X(NEGATE, 0)                                                                                             \
    X(ADD, -1)                                                                                               \
    X(SUBTRACT, -1)                                                                                          \
    X(MULTIPLY, -1)                                                                                          \
    X(DIVIDE, -1)                                                                                            \
    X(REMAINDER, -1)                                                                                         \
    X(EQ, -1)                                                                                                \
    X(NE, -1)                                                                                                \
    X(LT, -1)                                                                                                \
    X(LE, -1)                                                                                                \
    X(GT, -1)                                                                                                \
    X(GE, -1)                                                                                                \
    X(TEXT_EQ, -1)                                                                                           \
    X(TEXT_NE, -1)                                                                                           \
    X(TEXT_LT, -1)                                                                                           \
    X(TEXT_LE, -1)                                                                                           \
    X(TEXT_GT, -1)                                                                                           \
    X(TEXT_GE, -1)                                                                                           \
    X(FIELD_EQ, 1)                                                                                           \
    X(FIELD_NE, 1)                                                                                           \
    X(FIELD_LT, 1)                                                                                           \
    X(FIELD_LE, 1)                                                                                           \
    X(FIELD_GT, 1)                                                                                           \
    X(FIELD_GE, 1)                                                                                           \
    X(SIZE, 0)                                                                                               \
    X(STARTS, -1)                                                                                            \
    X(ENDS, -1)                                                                                              \
    X(CONTAINS, -1)                                                                                          \
    X(LOWER, 0)                                                                                              \
    X(HOUR, 0)                                                                                               \
    X(WEEKDAY, 0)                                                                                            \
    X(CEL_WEEKDAY, 0)                                                                                        \
    X(DAY, 0)                                                                                                \
    X(ABS, 0)                                                                                                \
    X(MIN, -1)                                                                                               \
    X(MAX, -1)                                                                                               \
    X(LOG, 0)                                                                                                \
    X(EXP, 0)                                                                                                \
    X(SQRT, 0)                                                                                               \
    X(FLOOR, 0)                                                                                              \
    X(CEIL, 0)                                                                                               \
    X(ROUND, 0)                                                                                              \
    X(ROUND_TO, -1)                                                                                          \
    X(HAVERSINE, -3)                                                                                         \
    X(SAME, 0)

typedef enum scarce__op {
#define X(name, effect) SCARCE__OP_##name,
    SCARCE__OPS(X)
#undef X
        SCARCE__N_OPS
} scarce__op;

typedef struct scarce__instruction {
    uint32_t op;
    uint32_t x; /* symbol, constant, set, count, or the instruction to go to */
    uint32_t
        y; /* FIELD_..: the constant; BRANCH: where to go when it is missing; ANY_EQUAL: 1 + a set, or 0 */
} scarce__instruction;

struct scarce__expr {
    scarce__instruction *code;
    size_t n, capacity;
    scarce__value *constants; /* texts are the program's own */
    size_t n_constants, constants_capacity;
    const scarce__set **sets;
    size_t n_sets, sets_capacity;
    scarce__set **own_sets; /* of literal lists */
    size_t n_own_sets, own_sets_capacity;
    uint32_t *symbols; /* ascending */
    size_t n_symbols;
    scarce__type type;
};

/* Runs code[from..n) of a program. */
scarce__value scarce__expr_execute(const scarce__expr *expr, size_t from, const scarce__value *record);

/* ---- Functions: what is looked up at compile time */

typedef struct scarce__function {
    const char *name, *use, *help;
    const char
        *takes;    /* a letter a value: n number, w text, t time, s span, m number or span, o number, time or
                          span, all the same; "*" at the end: the last may repeat */
    char gives;    /* a letter, or o and m: that of the values */
    scarce__op op; /* SCARCE__N_OPS: the compiler knows more of it */
} scarce__function;

/* By name, or NULL. */
const scarce__function *scarce__function_find(const char *name, size_t length);
/* The next of the same name behind f that takes another number of values, or NULL. */
const scarce__function *scarce__function_next(const scarce__function *f);

#endif
