/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiled expression tells of itself. */
#include "core/alloc.h"
#include "expr/code.h"

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
