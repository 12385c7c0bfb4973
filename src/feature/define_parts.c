/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens, names, expressions; kinds and features that are new. */
#include "feature/define.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/param.h"

enum { NAME_BYTES = 200 };

/* ---- tokens */

/* What stands there, for messages. */
static const char *seen(const scarce__definer *p, char room[64])
{
    if (p->token.kind == SCARCE__TOKEN_END) return "the end of the file";
    const int n = p->token.length < 48 ? (int)p->token.length : 48;
    snprintf(room, 64, "\"%.*s\"", n, p->token.at);
    return room;
}

scarce_status scarce__define_wanted(scarce__definer *p, const char *what)
{
    char room[64];
    if (p->token.kind == SCARCE__TOKEN_BAD)
        return scarce__fail_at(p->err, p->file, p->token.line, p->token.column, "%s", p->token.what);
    return scarce__fail_at(p->err, p->file, p->token.line, p->token.column, "expected %s, not %s", what,
                           seen(p, room));
}

scarce_status scarce__define_no_memory(scarce__definer *p)
{
    return scarce__fail_memory(p->err, "the definitions", 0);
}

/* A name as a text of its own; NULL after a failure. */
scarce_status scarce__define_name(scarce__definer *p, const char *what, char **out)
{
    scarce__text t = SCARCE__TEXT_INIT;
    *out = NULL;
    if (p->token.kind != SCARCE__TOKEN_NAME) return scarce__define_wanted(p, what);
    scarce__token_value(&p->token, &t);
    if (t.failed || !t.bytes) {
        const int failed = t.failed;
        scarce__text_deinit(&t);
        return failed ? scarce__define_no_memory(p) : scarce__define_wanted(p, what);
    }
    if (t.n > NAME_BYTES || strlen(t.bytes) != t.n) {
        scarce__text_deinit(&t);
        return scarce__fail_at(p->err, p->file, p->token.line, p->token.column,
                               "a name of more than %d bytes", NAME_BYTES);
    }
    *out = scarce__strndup(t.bytes, t.n);
    scarce__text_deinit(&t);
    if (!*out) return scarce__define_no_memory(p);
    scarce__define_next(p);
    return SCARCE_OK;
}

scarce_status scarce__define_span(scarce__definer *p, const char *what, int64_t *out)
{
    if (p->token.kind != SCARCE__TOKEN_SPAN) {
        char text[100];
        snprintf(text, sizeof text, "%s like 30m, 12h, 7d", what);
        return scarce__define_wanted(p, text);
    }
    if (!(p->token.number >= 1 && p->token.number <= (double)SCARCE__MOST_SECONDS) ||
        p->token.number != floor(p->token.number))
        return scarce__fail_at(p->err, p->file, p->token.line, p->token.column,
                               "a span is a whole number of seconds, at most 68 years");
    *out = (int64_t)p->token.number;
    scarce__define_next(p);
    return SCARCE_OK;
}

scarce_status scarce__define_count(scarce__definer *p, const char *what, uint32_t least, uint32_t most,
                                   uint32_t *out)
{
    const scarce__token t = p->token;
    if (t.kind != SCARCE__TOKEN_NUMBER || t.number != floor(t.number) || !(t.number >= (double)least) ||
        !(t.number <= (double)most)) {
        char text[120];
        snprintf(text, sizeof text, "%s, a whole number from %u to %u", what, least, most);
        return scarce__define_wanted(p, text);
    }
    *out = (uint32_t)t.number;
    scarce__define_next(p);
    return SCARCE_OK;
}

scarce_status scarce__define_sign(scarce__definer *p, int sign, const char *what)
{
    if (!scarce__token_is_sign(&p->token, sign)) return scarce__define_wanted(p, what);
    scarce__define_next(p);
    return SCARCE_OK;
}

/* ---- names */

static const char *field_name(const void *arg, size_t i)
{
    return ((const scarce__feature_plan *)arg)->fields[i].name;
}

int scarce__feature_find_field(const scarce__feature_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->n_fields; ++i)
        if (strcmp(plan->fields[i].name, name) == 0) return (int)i;
    return -1;
}

int scarce__feature_find_kind(const scarce__feature_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->n_kinds; ++i)
        if (strcmp(plan->kinds[i].name, name) == 0) return (int)i;
    return -1;
}

scarce_status scarce__define_unknown(scarce__definer *p, const scarce__token *at, const char *what,
                                     const char *name, const char *(*name_of)(const void *, size_t), size_t n,
                                     const char *remedy)
{
    const char *nearest = scarce__nearest_name(name, name_of, p->plan, n);
    if (nearest)
        return scarce__fail_at(p->err, p->file, at->line, at->column, "no %s \"%.80s\", did you mean \"%s\"?",
                               what, name, nearest);
    return scarce__fail_at(p->err, p->file, at->line, at->column, "no %s \"%.80s\"; %s", what, name, remedy);
}

/* The field named here. */
scarce_status scarce__define_field(scarce__definer *p, const char *what, int *out)
{
    const scarce__token at = p->token;
    char *name = NULL;
    SCARCE__TRY(scarce__define_name(p, what, &name));
    *out = scarce__feature_find_field(p->plan, name);
    const scarce_status st = *out >= 0
                                 ? SCARCE_OK
                                 : scarce__define_unknown(p, &at, "field", name, field_name,
                                                          p->plan->n_fields, "declare it: field NAME TYPE");
    scarce__free(name);
    if (st == SCARCE_OK) p->plan->fields[*out].used = 1;
    return st;
}

/* ---- kinds and features */

scarce_status scarce__define_kind(scarce__definer *p, const scarce__token *at, char *name,
                                  scarce__feature_kind **out)
{
    scarce__feature_plan *plan = p->plan;
    scarce__feature_kind *k = NULL;

    if (plan->n_kinds < SCARCE__FEATURE_KINDS)
        k = scarce__realloc_array(plan->kinds, plan->n_kinds + 1, sizeof *k);
    if (!k) {
        scarce__free(name);
        return plan->n_kinds < SCARCE__FEATURE_KINDS
                   ? scarce__define_no_memory(p)
                   : scarce__fail_at(p->err, p->file, at->line, at->column, "more than %d kinds",
                                     SCARCE__FEATURE_KINDS);
    }
    plan->kinds = k;
    k += plan->n_kinds++;
    memset(k, 0, sizeof *k);
    k->name = name;
    k->n_filters = 1;
    k->horizon = SCARCE__NO_HORIZON;
    k->max_events = 250000;
    k->tile = 3600;
    *out = k;
    return SCARCE_OK;
}

scarce_status scarce__define_out(scarce__definer *p, const scarce__token *at, const char *name, int kind,
                                 size_t *out)
{
    scarce__feature_plan *plan = p->plan;
    for (size_t i = 0; i < plan->n_outs; ++i)
        if (strcmp(plan->outs[i].name, name) == 0)
            return scarce__fail_at(
                p->err, p->file, at->line, at->column,
                "a second feature \"%.80s\"; give one of them a name of its own: ... as NAME", name);
    if (scarce__feature_find_field(plan, name) >= 0)
        return scarce__fail_at(p->err, p->file, at->line, at->column,
                               "feature \"%.80s\" is named like a field; give it another name: ... as NAME",
                               name);
    scarce__feature_out *o = scarce__realloc_array(plan->outs, plan->n_outs + 1, sizeof *o);
    if (!o) return scarce__define_no_memory(p);
    plan->outs = o;
    o += plan->n_outs;
    memset(o, 0, sizeof *o);
    o->kind = kind;
    o->name = scarce__strdup(name);
    if (!o->name) return scarce__define_no_memory(p);
    *out = plan->n_outs++;
    return SCARCE_OK;
}

scarce_status scarce__define_line(scarce__definer *p, scarce__text *t, size_t out)
{
    if (!t->failed && t->bytes) p->plan->outs[out].line = scarce__strndup(t->bytes, t->n);
    scarce__text_deinit(t);
    return p->plan->outs[out].line ? SCARCE_OK : scarce__define_no_memory(p);
}

/* ---- expressions */

/* The label is what is looked for: nothing may be made of it but `share`, which knows when it came. */
static int uses_label(const scarce__feature_plan *plan, const scarce__expr *e)
{
    size_t n = 0;
    const uint32_t *s = scarce__expr_symbols(e, &n);
    for (size_t i = 0; i < n; ++i)
        if ((int)s[i] == plan->label) return 1;
    return 0;
}

/* What expressions see: fields but the label, then the features made so far. */
scarce_status scarce__define_expression(scarce__definer *p, int with_features, scarce__type type,
                                        scarce__expr **out, char **text)
{
    const scarce__feature_plan *plan = p->plan;
    const size_t n = plan->n_fields + (with_features ? plan->n_outs : 0);
    static const scarce__type types[] = {SCARCE__WORD,   SCARCE__WORD, SCARCE__NUMBER, SCARCE__NUMBER,
                                         SCARCE__NUMBER, SCARCE__FLAG, SCARCE__TIME,   SCARCE__NUMBER};
    scarce__expr_symbol *symbols = scarce__calloc(n + 1, sizeof *symbols);
    scarce__expr_source s;
    const char *begin = p->token.at;
    size_t used = 0;
    scarce_status st;

    if (!symbols) return scarce__define_no_memory(p);
    for (size_t i = 0; i < plan->n_fields; ++i) {
        symbols[i].name = plan->fields[i].name;
        symbols[i].type = types[plan->fields[i].type];
    }
    for (size_t i = plan->n_fields; i < n; ++i) {
        symbols[i].name = plan->outs[i - plan->n_fields].name;
        symbols[i].type = SCARCE__NUMBER;
    }
    memset(&s, 0, sizeof s);
    s.text = begin;
    s.length = (size_t)(p->end - begin);
    s.file = p->file;
    s.line = p->token.line;
    s.column = p->token.column;
    s.symbols = symbols;
    s.n_symbols = n;
    s.wanted = type;
    s.used = &used;
    st = scarce__expr_compile(out, &s, p->err);
    scarce__free(symbols);
    if (st != SCARCE_OK) return st;
    if (uses_label(plan, *out)) {
        scarce__expr_free(*out);
        *out = NULL;
        return scarce__fail_at(
            p->err, p->file, p->token.line, p->token.column,
            "\"%s\" is the label, which isn't known yet when a record comes; share(%s) counts those "
            "that are",
            plan->fields[plan->label].name, plan->fields[plan->label].name);
    }
    scarce__text t = SCARCE__TEXT_INIT;
    while (p->token.kind != SCARCE__TOKEN_END && p->token.kind != SCARCE__TOKEN_BAD &&
           p->token.at < begin + used) {
        if (t.n) scarce__text_add_char(&t, ' ');
        scarce__text_add_bytes(&t, p->token.at, p->token.length);
        scarce__define_next(p);
    }
    *text = t.failed || !t.bytes ? NULL : scarce__strndup(t.bytes, t.n);
    scarce__text_deinit(&t);
    if (*text) return SCARCE_OK;
    scarce__expr_free(*out);
    *out = NULL;
    return scarce__define_no_memory(p);
}

void scarce__define_mark_used(scarce__feature_plan *plan, const scarce__expr *e)
{
    size_t n = 0;
    const uint32_t *s = scarce__expr_symbols(e, &n);
    for (size_t i = 0; i < n; ++i)
        if (s[i] < plan->n_fields) plan->fields[s[i]].used = 1;
}
