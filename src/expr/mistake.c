/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of a wrong text: one line with its place, and the remedy. */
#include <stdarg.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/param.h"
#include "expr/compiler.h"

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

SCARCE__COLD void scarce__c_fail(compiler *c, const scarce__token *at, const char *format, ...)
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

void scarce__c_no_memory(compiler *c)
{
    if (ok(c)) c->status = scarce__fail_memory(c->err, "an expression", 0);
}

/* A token as it stands, for messages. */
const char *scarce__c_spelled(const scarce__token *t, char text[64])
{
    if (t->kind == SCARCE__TOKEN_END) (void)snprintf(text, 64, "the end");
    else (void)snprintf(text, 64, "\"%.*s\"", (int)(t->length < 40 ? t->length : 40), t->at);
    return text;
}

/* What a name or text token means; NULL: no memory. To be freed. */
char *scarce__c_meaning(compiler *c, const scarce__token *t, size_t *length)
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
    scarce__c_no_memory(c);
    return NULL;
}

static const char *type_text(const operand *o)
{
    return o->type == SCARCE__ANY ? "null" : scarce__type_name(o->type);
}

/* text ("country") of a field, "text" of something longer. */
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
SCARCE__COLD static void fail_type(compiler *c, const scarce__token *at, const operand *a, const operand *b,
                                   const char *message)
{
    const operand *field = a && a->is_field ? a : b && b->is_field ? b : NULL;
    char *name;

    if (!ok(c)) return;
    scarce__c_fail(c, at, "%s", message);
    if (!field || !(name = scarce__c_meaning(c, &field->at, NULL))) return;
    set_place(c, at, name, NULL);
    scarce__free(name);
}

/* BEFORE text-of-a BETWEEN text-of-b; b may be NULL. */
SCARCE__COLD void scarce__c_fail_types(compiler *c, const scarce__token *at, const operand *a,
                                       const operand *b, const char *before, const char *between)
{
    char text[600], left[128], right[128];

    (void)snprintf(text, sizeof text, "%s %s%s%s%s%s", before, described(a, left), b ? " " : "", between,
                   b ? " " : "", b ? described(b, right) : "");
    fail_type(c, at, a, b, text);
}

void scarce__c_want_bool(compiler *c, const operand *o, const scarce__token *at, const char *sign)
{
    char before[64];

    if (!ok(c) || is_bool(o)) return;
    (void)snprintf(before, sizeof before, "%s takes what is true or false, not", sign);
    scarce__c_fail_types(c, at, o, NULL, before, "");
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

SCARCE__COLD void scarce__c_fail_unknown(compiler *c, const scarce__token *at, const char *what,
                                         const char *name, const char *(*name_of)(const void *, size_t),
                                         const void *arg, size_t count)
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
    scarce__c_fail(c, at, "%s", text);
    set_place(c, at, name, nearest);
}

const char *scarce__c_symbol_what(const compiler *c)
{
    return c->source->what ? c->source->what : "field";
}
