/* SPDX-License-Identifier: Apache-2.0 */
/* x in a list: one that has a name, or [1, 2]: constants make a set, other values are compared one by one. */
#include <stdio.h>

#include "core/alloc.h"
#include "expr/compiler.h"

static const char *list_name(const void *arg, size_t i)
{
    return ((const scarce__expr_list *)arg)[i].name;
}

static void use_set(compiler *c, const scarce__set *set)
{
    scarce__expr *e = c->e;
    if (!ok(c) || !scarce__c_room(c, &e->sets, e->n_sets, &e->sets_capacity, sizeof(void *))) return;
    e->sets[e->n_sets++] = set;
    (void)scarce__c_emit(c, SCARCE__OP_IN, e->n_sets - 1, 0);
}

static void want_items(compiler *c, const operand *x, scarce__type items, const scarce__token *at)
{
    char among[32];
    if (!ok(c) || plain(x->type) == items || x->type == SCARCE__WILD || items == SCARCE__WILD) return;
    (void)snprintf(among, sizeof among, " among %ss", scarce__type_name(items));
    scarce__c_fail_types(c, at, x, NULL, "in looks for", among);
}

static void in_list(compiler *c, const operand *x)
{
    const scarce__expr_source *s = c->source;
    const scarce__token at = c->token;
    char *name = scarce__c_meaning(c, &c->token, NULL);

    for (size_t i = 0; name && i < s->n_lists; ++i) {
        if (strcmp(s->lists[i].name, name) != 0) continue;
        scarce__free(name);
        want_items(c, x, scarce__set_type(s->lists[i].set), &at);
        use_set(c, s->lists[i].set);
        scarce__c_next(c);
        return;
    }
    if (name) scarce__c_fail_unknown(c, &at, "list", name, list_name, s->lists, s->n_lists);
    scarce__free(name);
}

static int is_known_constant(const compiler *c, size_t start)
{
    const scarce__expr *e = c->e;
    return e->n == start + 1 && scarce__c_all_constant(c, start, e->n) &&
           e->constants[e->code[start].x].known;
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
    if (st == SCARCE_ENOMEM) scarce__c_no_memory(c);
    else if (st != SCARCE_OK) scarce__c_fail(c, &item->at, "%s", err.text);
}

/* The items behind x: constants in `set`, others on the stack; how many of those. */
static size_t parse_items(compiler *c, const operand *x, scarce__set *set)
{
    const scarce__token open = c->token;
    size_t others = 0;

    scarce__c_next(c);
    do {
        const operand item = scarce__c_parse_expr(c);
        if (!ok(c)) return 0;
        if (item.type == SCARCE__ANY)
            scarce__c_fail(c, &item.at, "null can't be in a list; write x == null || x in [...]");
        want_items(c, x, plain(item.type), &item.at);
        if (!ok(c)) return 0;
        if (is_known_constant(c, item.start)) take_item(c, set, &item);
        else ++others;
    } while (scarce__c_take_sign(c, ','));
    scarce__c_close_bracket(c, &open, ']');
    return others;
}

static void in_literal(compiler *c, const operand *x)
{
    scarce__expr *e = c->e;
    scarce__set *set = NULL;
    size_t others, constants = 0;

    if (!scarce__c_room(c, &e->own_sets, e->n_own_sets, &e->own_sets_capacity, sizeof(void *))) return;
    if (scarce__set_new(&set, plain(x->type), NULL) != SCARCE_OK) {
        scarce__c_no_memory(c);
        return;
    }
    e->own_sets[e->n_own_sets++] = set;
    const scarce__token open = c->token;
    const scarce__token behind = scarce__c_peek(c);
    if (scarce__token_is_sign(&behind, ']')) scarce__c_fail(c, &open, "the list is empty");
    others = parse_items(c, x, set);
    if (!ok(c)) return;
    if (others == 0) {
        use_set(c, set);
        return;
    }
    if (scarce__set_count(set) > 0) { /* constants too */
        if (!scarce__c_room(c, &e->sets, e->n_sets, &e->sets_capacity, sizeof(void *))) return;
        e->sets[e->n_sets++] = set;
        constants = e->n_sets;
    }
    (void)scarce__c_emit(c, x->type == SCARCE__WORD ? SCARCE__OP_ANY_EQUAL_TEXT : SCARCE__OP_ANY_EQUAL,
                         others, constants);
    c->height -= others;
}

operand scarce__c_parse_in(compiler *c, operand x)
{
    operand o = {SCARCE__BOOLEAN, x.start, x.at, 0};

    scarce__c_next(c);
    if (!ok(c)) return o;
    if (x.type == SCARCE__ANY)
        scarce__c_fail(c, &x.at, "null can't be looked for in a list; write x == null");
    if (at_sign(c, '[')) in_literal(c, &x);
    else if (c->token.kind == SCARCE__TOKEN_NAME) in_list(c, &x);
    else if (at_sign(c, '('))
        scarce__c_fail(c, &c->token, "a list stands in square brackets: in [\"a\", \"b\"]");
    else if (c->token.kind == SCARCE__TOKEN_BAD) scarce__c_fail(c, &c->token, "%s", c->token.what);
    else scarce__c_fail(c, &c->token, "in needs a list: the name of one, or [\"a\", \"b\"]");
    return o;
}
