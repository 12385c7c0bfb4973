/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions: one after the other, with the height of the stack; what can be worked out is. */
#include "core/alloc.h"
#include "expr/compiler.h"

/* Room for one more item; 0 when memory is exhausted. */
int scarce__c_room(compiler *c, void *array, size_t n, size_t *capacity, size_t size)
{
    void *old, *larger;

    if (n < *capacity) return 1;
    memcpy(&old, array, sizeof old);
    larger = scarce__realloc_array(old, *capacity ? 2 * *capacity : 16, size);
    if (!larger) {
        scarce__c_no_memory(c);
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
size_t scarce__c_emit(compiler *c, scarce__op op, size_t x, size_t y)
{
    scarce__expr *e = c->e;

    if (!ok(c)) return 0;
    if (e->n >= SCARCE__EXPR_LONGEST) {
        scarce__c_fail(c, &c->token, "the expression is too long (more than %d steps)", SCARCE__EXPR_LONGEST);
        return 0;
    }
    if (!scarce__c_room(c, &e->code, e->n, &e->capacity, sizeof *e->code)) return 0;
    e->code[e->n] = (scarce__instruction){op, (uint32_t)x, (uint32_t)y};
    c->height = (size_t)((ptrdiff_t)c->height + effects[op]);
    if (c->height > SCARCE__EXPR_STACK)
        scarce__c_fail(c, &c->token,
                       "the expression is nested too deeply; split it in two rules or features");
    return e->n++;
}

/* The jump at `from` goes to what is emitted next. */
void scarce__c_land(compiler *c, size_t from)
{
    if (!ok(c)) return;
    c->e->code[from].x = (uint32_t)c->e->n;
    c->target = c->e->n;
}

void scarce__c_emit_constant(compiler *c, scarce__value v)
{
    scarce__expr *e = c->e;
    if (!ok(c) ||
        !scarce__c_room(c, &e->constants, e->n_constants, &e->constants_capacity, sizeof *e->constants))
        return;
    e->constants[e->n_constants++] = v;
    (void)scarce__c_emit(c, SCARCE__OP_CONST, e->n_constants - 1, 0);
}

int scarce__c_all_constant(const compiler *c, size_t from, size_t end)
{
    for (size_t i = from; i < end; ++i)
        if (c->e->code[i].op != SCARCE__OP_CONST) return 0;
    return from >= c->target;
}

/* The last instruction has constants for operands, from `start` on: its result takes their place. */
void scarce__c_fold(compiler *c, size_t start)
{
    scarce__expr *e = c->e;

    if (!ok(c) || !scarce__c_all_constant(c, start, e->n - 1)) return;
    scarce__value v = scarce__expr_execute(e, start, NULL);
    v.unused[0] = 0; /* a text stays that of the constant it came from */
    e->n = start;
    --c->height;
    scarce__c_emit_constant(c, v);
}
