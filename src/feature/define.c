/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of definition files: text to plan, in one pass; every complaint has file, line and column.
 *
 *     file    = { field | kind | over | derived | preset } ;
 *     field   = "field" name type { "id" | "secret" | "optional" | "max" number } ;
 *     type    = "text" | "key" | "number" | "decimal" "(" digit ")" | "int" | "bool" | "time" | "label" ;
 *     kind    = "kind" name "by" name { "," name } { "horizon" ( span | "none" ) | "max_events" int | "tile" span } ;
 *     over    = [ "over" ( span { span } | "last" int ) ] [ "delay" span ] "by" name [ "where" expr ]
 *               [ "with" "current" ] ":" agg { "," agg } ;
 *     agg     = op [ "(" name [ "," span ] ")" ] [ "else" number ] [ "as" name ] ;
 *     derived = "feature" name "=" expr ;
 *     preset  = "preset" "handbook" ;
 *
 * `by` may name a field of type key where no kind of that name is: the kind is made. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "feature/define.h"

enum { MOST_EVENTS = 1 << 21 };

/* ---- field */

static const char *type_name(const void *arg, size_t i)
{
    (void)arg;
    return scarce__field_type_name((scarce__field_type)i);
}

static scarce_status take_type(scarce__definer *p, scarce__feature_field *f)
{
    const scarce__token at = p->token;
    char *name = NULL;
    size_t i = 0;
    uint32_t places = 0;

    SCARCE__TRY(
        scarce__define_name(p, "a type (text, key, number, decimal(2), int, bool, time, label)", &name));
    while (i < SCARCE__FIELD_TYPES && strcmp(type_name(NULL, i), name) != 0) ++i;
    const scarce_status st =
        i < SCARCE__FIELD_TYPES
            ? SCARCE_OK
            : scarce__define_unknown(p, &at, "type", name, type_name, SCARCE__FIELD_TYPES,
                                     "types are text, key, number, decimal(2), int, bool, time, label");
    scarce__free(name);
    if (st != SCARCE_OK) return st;
    f->type = (scarce__field_type)i;
    f->places = f->type == SCARCE__FIELD_NUMBER ? 6 : 0;
    if (f->type != SCARCE__FIELD_DECIMAL) return SCARCE_OK;
    SCARCE__TRY(scarce__define_sign(p, '(', "the decimals in brackets: decimal(2)"));
    SCARCE__TRY(scarce__define_count(p, "the decimals", 0, 9, &places));
    f->places = (int)places;
    return scarce__define_sign(p, ')', "\")\"");
}

static scarce_status take_marks(scarce__definer *p, scarce__feature_field *f)
{
    while (p->token.kind == SCARCE__TOKEN_NAME && !p->token.begins_line) {
        if (scarce__define_is(p, "id")) f->id = 1;
        else if (scarce__define_is(p, "secret")) f->secret = 1;
        else if (scarce__define_is(p, "optional")) f->optional = 1;
        else if (scarce__define_is(p, "max")) {
            scarce__define_next(p);
            if (p->token.kind != SCARCE__TOKEN_NUMBER || !(p->token.number > 0))
                return scarce__define_wanted(p, "the largest value");
            f->most = p->token.number;
        } else return scarce__define_wanted(p, "id, secret, optional or max NUMBER");
        scarce__define_next(p);
    }
    return SCARCE_OK;
}

/* At most one field each is the time, the label, the id. */
static scarce_status only_one(scarce__definer *p, const scarce__token *at, int *which, size_t i,
                              const char *what)
{
    if (*which >= 0)
        return scarce__fail_at(p->err, p->file, at->line, at->column, "a second %s: \"%s\" is one already",
                               what, p->plan->fields[*which].name);
    *which = (int)i;
    return SCARCE_OK;
}

static scarce_status parse_field(scarce__definer *p)
{
    scarce__feature_plan *plan = p->plan;
    const scarce__token at = p->token;
    const size_t i = plan->n_fields;
    scarce__feature_field *f;

    if (i == SCARCE__FEATURE_FIELDS)
        return scarce__fail_at(p->err, p->file, at.line, at.column, "more than %d fields",
                               SCARCE__FEATURE_FIELDS);
    f = scarce__realloc_array(plan->fields, i + 1, sizeof *f);
    if (!f) return scarce__define_no_memory(p);
    plan->fields = f;
    f += i;
    memset(f, 0, sizeof *f);
    SCARCE__TRY(scarce__define_name(p, "the name of a field", &f->name));
    const int twice = scarce__feature_find_field(plan, f->name) >= 0;
    plan->n_fields = i + 1; /* its name is the plan's to free from here on */
    if (twice)
        return scarce__fail_at(p->err, p->file, at.line, at.column, "a second field \"%.80s\"", f->name);
    SCARCE__TRY(take_type(p, f));
    SCARCE__TRY(take_marks(p, f));
    f->used = f->type == SCARCE__FIELD_TIME; /* a record has one, whoever looks at it */
    if (f->optional && f->type == SCARCE__FIELD_TIME)
        return scarce__fail_at(p->err, p->file, at.line, at.column, "the time of a record can't be optional");
    if (f->type == SCARCE__FIELD_TIME) SCARCE__TRY(only_one(p, &at, &plan->time, i, "time"));
    if (f->type == SCARCE__FIELD_LABEL) SCARCE__TRY(only_one(p, &at, &plan->label, i, "label"));
    if (f->id) SCARCE__TRY(only_one(p, &at, &plan->id, i, "id"));
    return SCARCE_OK;
}

/* ---- kind */

static scarce_status parse_kind(scarce__definer *p)
{
    const scarce__token at = p->token;
    scarce__feature_kind *k = NULL;
    char *name = NULL;

    SCARCE__TRY(scarce__define_name(p, "the name of a kind", &name));
    if (scarce__feature_find_kind(p->plan, name) >= 0) {
        const scarce_status st =
            scarce__fail_at(p->err, p->file, at.line, at.column, "a second kind \"%.80s\"", name);
        scarce__free(name);
        return st;
    }
    SCARCE__TRY(scarce__define_kind(p, &at, name, &k));
    if (!scarce__define_is(p, "by")) return scarce__define_wanted(p, "by and the fields of the key");
    do {
        scarce__define_next(p);
        if (k->n_keys == SCARCE__FEATURE_KEYS)
            return scarce__fail_at(p->err, p->file, p->token.line, p->token.column,
                                   "a key has at most %d fields", SCARCE__FEATURE_KEYS);
        const scarce__token of = p->token;
        SCARCE__TRY(scarce__define_field(p, "a field of the key", &k->keys[k->n_keys]));
        const scarce__field_type type = p->plan->fields[k->keys[k->n_keys]].type;
        if (type != SCARCE__FIELD_KEY && type != SCARCE__FIELD_TEXT && type != SCARCE__FIELD_INT)
            return scarce__fail_at(p->err, p->file, of.line, of.column,
                                   "a key is made of fields of type key, text or int");
        ++k->n_keys;
    } while (scarce__token_is_sign(&p->token, ','));
    while (p->token.kind == SCARCE__TOKEN_NAME && !p->token.begins_line) {
        if (scarce__define_is(p, "horizon")) {
            scarce__define_next(p);
            k->horizon_given = 1;
            if (scarce__define_is(p, "none")) scarce__define_next(p);
            else SCARCE__TRY(scarce__define_span(p, "a span", &k->horizon));
        } else if (scarce__define_is(p, "max_events")) {
            scarce__define_next(p);
            SCARCE__TRY(
                scarce__define_count(p, "the most records of a key", 16, MOST_EVENTS, &k->max_events));
        } else if (scarce__define_is(p, "tile")) {
            scarce__define_next(p);
            SCARCE__TRY(scarce__define_span(p, "a span", &k->tile));
        } else return scarce__define_wanted(p, "horizon SPAN, max_events NUMBER or tile SPAN");
    }
    return SCARCE_OK;
}

/* ---- feature NAME = EXPRESSION */

static scarce_status add_derived(scarce__definer *p, const scarce__token *at, const char *name)
{
    scarce__feature_plan *plan = p->plan;
    scarce__feature_derived *d = scarce__realloc_array(plan->derived, plan->n_derived + 1, sizeof *d);
    scarce__text t = SCARCE__TEXT_INIT;
    char *text = NULL;

    if (!d) return scarce__define_no_memory(p);
    plan->derived = d;
    d += plan->n_derived;
    memset(d, 0, sizeof *d);
    SCARCE__TRY(scarce__define_expression(p, 1, SCARCE__ANY, &d->expr, &text));
    plan->n_derived++;
    scarce__text_add(&t, text);
    scarce__free(text);
    if (scarce__expr_type(d->expr) == SCARCE__WORD) {
        scarce__text_deinit(&t);
        return scarce__fail_at(p->err, p->file, at->line, at->column,
                               "feature \"%.80s\" is a text; a feature is a number, or true or false", name);
    }
    scarce__define_mark_used(plan, d->expr);
    const scarce_status st = scarce__define_out(p, at, name, -1, &d->out);
    if (st == SCARCE_OK) return scarce__define_line(p, &t, d->out);
    scarce__text_deinit(&t);
    return st;
}

static scarce_status parse_feature(scarce__definer *p)
{
    const scarce__token at = p->token;
    char *name = NULL;
    scarce_status st;
    SCARCE__TRY(scarce__define_name(p, "the name of a feature", &name));
    st = scarce__define_sign(p, '=', "\"=\" and an expression");
    if (st == SCARCE_OK) st = add_derived(p, &at, name);
    scarce__free(name);
    return st;
}

/* ---- the file */

static scarce_status parse_statements(scarce__definer *p);

/* The features of the Fraud Detection Handbook, chapter 3, under the names `scarce simulate` gives them. */
static scarce_status parse_preset(scarce__definer *p)
{
    static const char *const needed[] = {"card", "terminal", "amount"};
    const scarce__feature_plan *plan = p->plan;
    const scarce__token at = p->token;
    scarce__text t = SCARCE__TEXT_INIT;
    scarce__definer inner = *p;

    if (!scarce__define_is(p, "handbook"))
        return scarce__define_wanted(p, "handbook, the one preset there is");
    for (size_t i = 0; i < 3; ++i)
        if (scarce__feature_find_field(plan, needed[i]) < 0)
            return scarce__fail_at(
                p->err, p->file, at.line, at.column,
                "preset handbook needs the fields card, terminal, amount, a time and a label; "
                "there is no \"%s\" above",
                needed[i]);
    if (plan->time < 0 || plan->label < 0)
        return scarce__fail_at(p->err, p->file, at.line, at.column,
                               "preset handbook needs a field of type %s above",
                               plan->time < 0 ? "time" : "label");
    scarce__text_add(&t, "feature weekend = weekday(");
    scarce__add_name(&t, plan->fields[plan->time].name);
    scarce__text_add(&t, ") >= 6\nfeature night = hour(");
    scarce__add_name(&t, plan->fields[plan->time].name);
    scarce__text_add(&t,
                     ") <= 6\n"
                     "over 1d 7d 30d by card with current: count as card_count, mean(amount) as card_mean\n"
                     "over 1d 7d 30d delay 7d by terminal: count as terminal_count, share(");
    scarce__add_name(&t, plan->fields[plan->label].name);
    scarce__text_add(&t, ") else 0 as terminal_risk\n");
    if (t.failed) {
        scarce__text_deinit(&t);
        return scarce__define_no_memory(p);
    }
    inner.lexer = scarce__lexer_of(t.bytes, t.n, 1, 1);
    inner.end = t.bytes + t.n;
    inner.file = "preset handbook";
    scarce__define_next(&inner);
    const scarce_status st = parse_statements(&inner);
    if (st != SCARCE_OK) scarce__fail_prefix(p->err, "%s:%d: ", p->file ? p->file : "definitions", at.line);
    scarce__text_deinit(&t);
    scarce__define_next(p);
    return st;
}

static const char *const statements[] = {"field", "kind", "over", "by", "feature", "preset"};

static const char *statement_name(const void *arg, size_t i)
{
    (void)arg;
    return statements[i];
}

static scarce_status parse_one(scarce__definer *p)
{
    char *name = NULL;
    if (scarce__define_is(p, "over") || scarce__define_is(p, "by")) return scarce__define_over(p);
    if (scarce__define_is(p, "field")) return scarce__define_next(p), parse_field(p);
    if (scarce__define_is(p, "kind")) return scarce__define_next(p), parse_kind(p);
    if (scarce__define_is(p, "feature")) return scarce__define_next(p), parse_feature(p);
    if (scarce__define_is(p, "preset")) return scarce__define_next(p), parse_preset(p);
    const scarce__token at = p->token;
    SCARCE__TRY(scarce__define_name(p, "field, kind, over, by, feature or preset", &name));
    const scarce_status st =
        scarce__define_unknown(p, &at, "statement", name, statement_name, 6,
                               "a line begins with field, kind, over, by, feature or preset");
    scarce__free(name);
    return st;
}

static scarce_status parse_statements(scarce__definer *p)
{
    while (p->token.kind != SCARCE__TOKEN_END) {
        if (!p->token.begins_line) return scarce__define_wanted(p, "the end of the line");
        SCARCE__TRY(parse_one(p));
    }
    return SCARCE_OK;
}

scarce_status scarce__feature_define(scarce__feature_plan **out, const char *text, size_t n, const char *file,
                                     scarce_error *err)
{
    scarce__definer p;
    scarce_status st;

    *out = NULL;
    memset(&p, 0, sizeof p);
    p.plan = scarce__calloc(1, sizeof *p.plan);
    p.err = err;
    p.file = file;
    if (!p.plan) return scarce__fail_memory(err, "the definitions", 0);
    p.plan->time = p.plan->label = p.plan->id = -1;
    p.lexer = scarce__lexer_of(text, n, 1, 1);
    p.end = text + n;
    scarce__define_next(&p);
    st = parse_statements(&p);
    if (st == SCARCE_OK && p.plan->n_outs == 0)
        st = scarce__fail(err, SCARCE_EPARSE, "%s: no feature is defined (over 7d by card: count)",
                          file ? file : "definitions");
    if (st == SCARCE_OK) st = scarce__feature_settle(p.plan, err);
    if (st == SCARCE_OK) *out = p.plan;
    else scarce__feature_plan_free(p.plan);
    return st;
}
