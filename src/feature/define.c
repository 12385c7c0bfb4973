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
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/param.h"
#include "expr/lexer.h"
#include "feature/plan.h"

enum { MAX_SPANS = 16, MAX_AGGS = 64, MOST_EVENTS = 1 << 21, NAME_BYTES = 200 };
#define MOST_SECONDS (68LL * 365 * 86400) /* times are kept in 32 bits */

typedef struct parser {
    scarce__feature_plan *plan;
    scarce__lexer lexer;
    scarce__token token;
    const char *file;
    const char *end;
    scarce_error *err;
    int depth; /* of presets */
} parser;

static void next(parser *p)
{
    p->token = scarce__lexer_next(&p->lexer);
}

/* What stands there, for messages. */
static const char *seen(const parser *p, char room[64])
{
    if (p->token.kind == SCARCE__TOKEN_END) return "the end of the file";
    const int n = p->token.length < 48 ? (int)p->token.length : 48;
    snprintf(room, 64, "\"%.*s\"", n, p->token.at);
    return room;
}

static scarce_status wanted(parser *p, const char *what)
{
    char room[64];
    if (p->token.kind == SCARCE__TOKEN_BAD)
        return scarce__fail_at(p->err, p->file, p->token.line, p->token.column, "%s", p->token.what);
    return scarce__fail_at(p->err, p->file, p->token.line, p->token.column, "expected %s, not %s", what,
                           seen(p, room));
}

static scarce_status no_memory(parser *p)
{
    return scarce__fail_memory(p->err, "the definitions", 0);
}

static int is_word(const parser *p, const char *word)
{
    return scarce__token_is(&p->token, word);
}

/* A name as a text of its own; NULL after a failure. */
static scarce_status take_name(parser *p, const char *what, char **out)
{
    scarce__text t = SCARCE__TEXT_INIT;
    *out = NULL;
    if (p->token.kind != SCARCE__TOKEN_NAME) return wanted(p, what);
    scarce__token_value(&p->token, &t);
    if (t.failed || !t.bytes) {
        const int failed = t.failed;
        scarce__text_deinit(&t);
        return failed ? no_memory(p) : wanted(p, what);
    }
    if (t.n > NAME_BYTES || strlen(t.bytes) != t.n) {
        scarce__text_deinit(&t);
        return scarce__fail_at(p->err, p->file, p->token.line, p->token.column,
                               "a name of more than %d bytes", NAME_BYTES);
    }
    *out = scarce__strndup(t.bytes, t.n);
    scarce__text_deinit(&t);
    if (!*out) return no_memory(p);
    next(p);
    return SCARCE_OK;
}

static scarce_status take_span(parser *p, const char *what, int64_t *out)
{
    if (p->token.kind != SCARCE__TOKEN_SPAN) {
        char text[100];
        snprintf(text, sizeof text, "%s like 30m, 12h, 7d", what);
        return wanted(p, text);
    }
    if (!(p->token.number >= 1 && p->token.number <= (double)MOST_SECONDS) ||
        p->token.number != floor(p->token.number))
        return scarce__fail_at(p->err, p->file, p->token.line, p->token.column,
                               "a span is a whole number of seconds, at most 68 years");
    *out = (int64_t)p->token.number;
    next(p);
    return SCARCE_OK;
}

static scarce_status take_count(parser *p, const char *what, uint32_t least, uint32_t most, uint32_t *out)
{
    const scarce__token t = p->token;
    if (t.kind != SCARCE__TOKEN_NUMBER || t.number != floor(t.number) || !(t.number >= (double)least) ||
        !(t.number <= (double)most)) {
        char text[120];
        snprintf(text, sizeof text, "%s, a whole number from %u to %u", what, least, most);
        return wanted(p, text);
    }
    *out = (uint32_t)t.number;
    next(p);
    return SCARCE_OK;
}

static scarce_status take_sign(parser *p, int sign, const char *what)
{
    if (!scarce__token_is_sign(&p->token, sign)) return wanted(p, what);
    next(p);
    return SCARCE_OK;
}

/* ---- names */

static const char *field_name(const void *arg, size_t i)
{
    return ((const scarce__feature_plan *)arg)->fields[i].name;
}

static const char *kind_name(const void *arg, size_t i)
{
    return ((const scarce__feature_plan *)arg)->kinds[i].name;
}

static int find_field(const scarce__feature_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->n_fields; ++i)
        if (strcmp(plan->fields[i].name, name) == 0) return (int)i;
    return -1;
}

static int find_kind(const scarce__feature_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->n_kinds; ++i)
        if (strcmp(plan->kinds[i].name, name) == 0) return (int)i;
    return -1;
}

static scarce_status unknown(parser *p, const scarce__token *at, const char *what, const char *name,
                             const char *(*name_of)(const void *, size_t), size_t n, const char *remedy)
{
    const char *nearest = scarce__nearest_name(name, name_of, p->plan, n);
    if (nearest)
        return scarce__fail_at(p->err, p->file, at->line, at->column, "no %s \"%.80s\", did you mean \"%s\"?",
                               what, name, nearest);
    return scarce__fail_at(p->err, p->file, at->line, at->column, "no %s \"%.80s\"; %s", what, name, remedy);
}

/* The field named here. */
static scarce_status take_field(parser *p, const char *what, int *out)
{
    const scarce__token at = p->token;
    char *name = NULL;
    SCARCE__TRY(take_name(p, what, &name));
    *out = find_field(p->plan, name);
    const scarce_status st = *out >= 0 ? SCARCE_OK
                                       : unknown(p, &at, "field", name, field_name, p->plan->n_fields,
                                                 "declare it: field NAME TYPE");
    scarce__free(name);
    if (st == SCARCE_OK) p->plan->fields[*out].used = 1;
    return st;
}

/* ---- field */

static const char *const type_names[] = {"text", "key", "number", "decimal", "int", "bool", "time", "label"};
enum { N_TYPES = sizeof type_names / sizeof type_names[0] };

static const char *type_name(const void *arg, size_t i)
{
    (void)arg;
    return type_names[i];
}

static scarce_status take_type(parser *p, scarce__feature_field *f)
{
    const scarce__token at = p->token;
    char *name = NULL;
    size_t i = 0;
    uint32_t places = 0;

    SCARCE__TRY(take_name(p, "a type (text, key, number, decimal(2), int, bool, time, label)", &name));
    while (i < N_TYPES && strcmp(type_names[i], name) != 0) ++i;
    const scarce_status st = i < N_TYPES
                                 ? SCARCE_OK
                                 : unknown(p, &at, "type", name, type_name, N_TYPES,
                                           "types are text, key, number, decimal(2), int, bool, time, label");
    scarce__free(name);
    if (st != SCARCE_OK) return st;
    f->type = (scarce__field_type)i;
    f->places = f->type == SCARCE__FIELD_NUMBER ? 6 : 0;
    if (f->type != SCARCE__FIELD_DECIMAL) return SCARCE_OK;
    SCARCE__TRY(take_sign(p, '(', "the decimals in brackets: decimal(2)"));
    SCARCE__TRY(take_count(p, "the decimals", 0, 9, &places));
    f->places = (int)places;
    return take_sign(p, ')', "\")\"");
}

static scarce_status take_marks(parser *p, scarce__feature_field *f)
{
    while (p->token.kind == SCARCE__TOKEN_NAME && !p->token.begins_line) {
        if (is_word(p, "id")) f->id = 1;
        else if (is_word(p, "secret")) f->secret = 1;
        else if (is_word(p, "optional")) f->optional = 1;
        else if (is_word(p, "max")) {
            next(p);
            if (p->token.kind != SCARCE__TOKEN_NUMBER || !(p->token.number > 0))
                return wanted(p, "the largest value");
            f->most = p->token.number;
        } else return wanted(p, "id, secret, optional or max NUMBER");
        next(p);
    }
    return SCARCE_OK;
}

/* At most one field each is the time, the label, the id. */
static scarce_status only_one(parser *p, const scarce__token *at, int *which, size_t i, const char *what)
{
    if (*which >= 0)
        return scarce__fail_at(p->err, p->file, at->line, at->column, "a second %s: \"%s\" is one already",
                               what, p->plan->fields[*which].name);
    *which = (int)i;
    return SCARCE_OK;
}

static scarce_status parse_field(parser *p)
{
    scarce__feature_plan *plan = p->plan;
    const scarce__token at = p->token;
    const size_t i = plan->n_fields;
    scarce__feature_field *f;

    if (i == SCARCE__FEATURE_FIELDS)
        return scarce__fail_at(p->err, p->file, at.line, at.column, "more than %d fields",
                               SCARCE__FEATURE_FIELDS);
    f = scarce__realloc_array(plan->fields, i + 1, sizeof *f);
    if (!f) return no_memory(p);
    plan->fields = f;
    f += i;
    memset(f, 0, sizeof *f);
    SCARCE__TRY(take_name(p, "the name of a field", &f->name));
    const int twice = find_field(plan, f->name) >= 0;
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

static scarce_status new_kind(parser *p, const scarce__token *at, char *name, scarce__feature_kind **out)
{
    scarce__feature_plan *plan = p->plan;
    scarce__feature_kind *k = NULL;

    if (plan->n_kinds < SCARCE__FEATURE_KINDS)
        k = scarce__realloc_array(plan->kinds, plan->n_kinds + 1, sizeof *k);
    if (!k) {
        scarce__free(name);
        return plan->n_kinds < SCARCE__FEATURE_KINDS
                   ? no_memory(p)
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

static scarce_status parse_kind(parser *p)
{
    const scarce__token at = p->token;
    scarce__feature_kind *k = NULL;
    char *name = NULL;

    SCARCE__TRY(take_name(p, "the name of a kind", &name));
    if (find_kind(p->plan, name) >= 0) {
        const scarce_status st =
            scarce__fail_at(p->err, p->file, at.line, at.column, "a second kind \"%.80s\"", name);
        scarce__free(name);
        return st;
    }
    SCARCE__TRY(new_kind(p, &at, name, &k));
    if (!is_word(p, "by")) return wanted(p, "by and the fields of the key");
    do {
        next(p);
        if (k->n_keys == SCARCE__FEATURE_KEYS)
            return scarce__fail_at(p->err, p->file, p->token.line, p->token.column,
                                   "a key has at most %d fields", SCARCE__FEATURE_KEYS);
        const scarce__token of = p->token;
        SCARCE__TRY(take_field(p, "a field of the key", &k->keys[k->n_keys]));
        const scarce__field_type type = p->plan->fields[k->keys[k->n_keys]].type;
        if (type != SCARCE__FIELD_KEY && type != SCARCE__FIELD_TEXT && type != SCARCE__FIELD_INT)
            return scarce__fail_at(p->err, p->file, of.line, of.column,
                                   "a key is made of fields of type key, text or int");
        ++k->n_keys;
    } while (scarce__token_is_sign(&p->token, ','));
    while (p->token.kind == SCARCE__TOKEN_NAME && !p->token.begins_line) {
        if (is_word(p, "horizon")) {
            next(p);
            k->horizon_given = 1;
            if (is_word(p, "none")) next(p);
            else SCARCE__TRY(take_span(p, "a span", &k->horizon));
        } else if (is_word(p, "max_events")) {
            next(p);
            SCARCE__TRY(take_count(p, "the most records of a key", 16, MOST_EVENTS, &k->max_events));
        } else if (is_word(p, "tile")) {
            next(p);
            SCARCE__TRY(take_span(p, "a span", &k->tile));
        } else return wanted(p, "horizon SPAN, max_events NUMBER or tile SPAN");
    }
    return SCARCE_OK;
}

/* ---- over */

static const char *const op_names[] = {"count",    "sum",   "mean", "min",   "max",        "sd",
                                       "distinct", "share", "sum",  "since", "first_seen", "decay"};
enum { N_OPS = sizeof op_names / sizeof op_names[0] };

static const char *op_name(const void *arg, size_t i)
{
    (void)arg;
    return op_names[i];
}

typedef struct over {
    int64_t spans[MAX_SPANS];
    size_t n_spans;
    uint32_t last;
    int64_t delay;
    int kind, filter, current;
    scarce__token at;
} over;

typedef struct agg {
    scarce__feature_op op;
    int field;
    int64_t half_life;
    double empty;
    char *name; /* of `as` */
    scarce__token at;
} agg;

static scarce_status take_windows(parser *p, over *o)
{
    if (!is_word(p, "over")) return SCARCE_OK;
    next(p);
    if (is_word(p, "last")) {
        next(p);
        return take_count(p, "how many records", 1, 100000, &o->last);
    }
    do {
        if (o->n_spans == MAX_SPANS)
            return scarce__fail_at(p->err, p->file, p->token.line, p->token.column,
                                   "more than %d windows in one line", MAX_SPANS);
        SCARCE__TRY(take_span(p, "a window", &o->spans[o->n_spans]));
        for (size_t i = 0; i < o->n_spans; ++i)
            if (o->spans[i] == o->spans[o->n_spans])
                return scarce__fail_at(p->err, p->file, o->at.line, o->at.column, "the same window twice");
        ++o->n_spans;
    } while (p->token.kind == SCARCE__TOKEN_SPAN);
    return SCARCE_OK;
}

static scarce_status take_kind(parser *p, over *o)
{
    const scarce__token at = p->token;
    scarce__feature_kind *k = NULL;
    char *name = NULL;
    int field;

    SCARCE__TRY(take_name(p, "a kind", &name));
    o->kind = find_kind(p->plan, name);
    field = find_field(p->plan, name);
    if (o->kind < 0 && field >= 0 && p->plan->fields[field].type == SCARCE__FIELD_KEY) {
        SCARCE__TRY(new_kind(p, &at, name, &k));
        k->keys[0] = field;
        k->n_keys = 1;
        p->plan->fields[field].used = 1;
        o->kind = (int)p->plan->n_kinds - 1;
        return SCARCE_OK;
    }
    const scarce_status st = o->kind >= 0 ? SCARCE_OK
                                          : unknown(p, &at, "kind", name, kind_name, p->plan->n_kinds,
                                                    "declare it: kind NAME by FIELD");
    scarce__free(name);
    return st;
}

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
static scarce_status compile(parser *p, int with_features, scarce__type type, scarce__expr **out, char **text)
{
    const scarce__feature_plan *plan = p->plan;
    const size_t n = plan->n_fields + (with_features ? plan->n_outs : 0);
    static const scarce__type types[N_TYPES] = {SCARCE__WORD,   SCARCE__WORD, SCARCE__NUMBER, SCARCE__NUMBER,
                                                SCARCE__NUMBER, SCARCE__FLAG, SCARCE__TIME,   SCARCE__NUMBER};
    scarce__expr_symbol *symbols = scarce__calloc(n + 1, sizeof *symbols);
    scarce__expr_source s;
    const char *begin = p->token.at;
    size_t used = 0;
    scarce_status st;

    if (!symbols) return no_memory(p);
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
        next(p);
    }
    *text = t.failed || !t.bytes ? NULL : scarce__strndup(t.bytes, t.n);
    scarce__text_deinit(&t);
    if (*text) return SCARCE_OK;
    scarce__expr_free(*out);
    *out = NULL;
    return no_memory(p);
}

static void mark_used(scarce__feature_plan *plan, const scarce__expr *e)
{
    size_t n = 0;
    const uint32_t *s = scarce__expr_symbols(e, &n);
    for (size_t i = 0; i < n; ++i)
        if (s[i] < plan->n_fields) plan->fields[s[i]].used = 1;
}

static scarce_status take_filter(parser *p, over *o)
{
    scarce__feature_kind *k = &p->plan->kinds[o->kind];
    scarce__expr *e = NULL;
    char *text = NULL;
    const scarce__token at = p->token;

    if (!is_word(p, "where")) return SCARCE_OK;
    next(p);
    SCARCE__TRY(compile(p, 0, SCARCE__BOOLEAN, &e, &text));
    for (int f = 1; f < k->n_filters; ++f)
        if (strcmp(k->filters[f].text, text) == 0) o->filter = f;
    if (o->filter == 0 && k->n_filters < SCARCE__FEATURE_FILTERS) {
        mark_used(p->plan, e);
        o->filter = k->n_filters++;
        k->filters[o->filter].expr = e;
        k->filters[o->filter].text = text;
        return SCARCE_OK;
    }
    scarce__expr_free(e);
    scarce__free(text);
    if (o->filter) return SCARCE_OK;
    return scarce__fail_at(p->err, p->file, at.line, at.column,
                           "more than %d different `where` of kind %s; declare a second kind by the same key",
                           SCARCE__FEATURE_FILTERS - 1, k->name);
}

/* What an aggregate is of. */
static scarce_status check_argument(parser *p, const agg *a, const scarce__token *at)
{
    const scarce__feature_field *f = &p->plan->fields[a->field];
    const int number = f->type == SCARCE__FIELD_NUMBER || f->type == SCARCE__FIELD_DECIMAL ||
                       f->type == SCARCE__FIELD_INT || f->type == SCARCE__FIELD_BOOL;
    const int label = f->type == SCARCE__FIELD_LABEL;
    const char *const op = op_names[a->op];

    if (a->op == SCARCE__AGG_SHARE && !label)
        return scarce__fail_at(p->err, p->file, at->line, at->column,
                               "share is of the label, and \"%s\" is %s; mean(%s) is the share of a bool",
                               f->name, type_names[f->type], f->name);
    if (a->op == SCARCE__AGG_DISTINCT && label)
        return scarce__fail_at(p->err, p->file, at->line, at->column, "%s of the label: take share(%s)", op,
                               f->name);
    if (a->op == SCARCE__AGG_SHARE || a->op == SCARCE__AGG_DISTINCT || a->op == SCARCE__AGG_FRAUDS)
        return SCARCE_OK;
    if (!number)
        return scarce__fail_at(p->err, p->file, at->line, at->column, "%s wants a number, and \"%s\" is %s",
                               op, f->name, type_names[f->type]);
    return SCARCE_OK;
}

static scarce_status take_argument(parser *p, agg *a)
{
    const int bare = a->op == SCARCE__AGG_COUNT || a->op == SCARCE__AGG_SINCE || a->op == SCARCE__AGG_FIRST;
    const scarce__token at = p->token;
    if (bare) {
        if (scarce__token_is_sign(&p->token, '('))
            return scarce__fail_at(p->err, p->file, at.line, at.column, "%s has no argument",
                                   op_names[a->op]);
        return SCARCE_OK;
    }
    char what[80];
    snprintf(what, sizeof what, "the field in brackets: %s(FIELD%s)", op_names[a->op],
             a->op == SCARCE__AGG_DECAY ? ", 7d" : "");
    SCARCE__TRY(take_sign(p, '(', what));
    const scarce__token of = p->token;
    SCARCE__TRY(take_field(p, "a field", &a->field));
    if (a->op == SCARCE__AGG_SUM && p->plan->fields[a->field].type == SCARCE__FIELD_LABEL)
        a->op = SCARCE__AGG_FRAUDS;
    SCARCE__TRY(check_argument(p, a, &of));
    if (a->op == SCARCE__AGG_DECAY) {
        SCARCE__TRY(take_sign(p, ',', "a comma and the half-life: decay(amount, 7d)"));
        SCARCE__TRY(take_span(p, "the half-life", &a->half_life));
        if (a->half_life > MOST_SECONDS / SCARCE__FEATURE_REACH)
            return scarce__fail_at(p->err, p->file, of.line, of.column, "a half-life of at most 4 years");
    }
    return take_sign(p, ')', "\")\"");
}

static scarce_status take_agg(parser *p, agg *a)
{
    char *name = NULL;
    size_t i = 0;

    memset(a, 0, sizeof *a);
    a->empty = NAN;
    a->field = -1;
    a->at = p->token;
    SCARCE__TRY(take_name(
        p, "an aggregate (count, sum, mean, min, max, sd, distinct, share, since, first_seen, decay)",
        &name));
    while (i < N_OPS && strcmp(op_names[i], name) != 0) ++i;
    scarce_status st = i < N_OPS
                           ? SCARCE_OK
                           : unknown(p, &a->at, "aggregate", name, op_name, N_OPS,
                                     "there are count, sum, mean, min, max, sd, distinct, share, since, "
                                     "first_seen and decay");
    scarce__free(name);
    a->op = (scarce__feature_op)i;
    if (st == SCARCE_OK) st = take_argument(p, a);
    if (st == SCARCE_OK && is_word(p, "else")) {
        double sign = 1;
        next(p);
        if (scarce__token_is_sign(&p->token, '-')) {
            sign = -1;
            next(p);
        }
        if (p->token.kind != SCARCE__TOKEN_NUMBER)
            return wanted(p, "the number that stands where there is nothing");
        a->empty = sign * p->token.number;
        next(p);
    }
    if (st == SCARCE_OK && is_word(p, "as")) {
        next(p);
        st = take_name(p, "the name of the feature", &a->name);
    }
    return st;
}

/* ---- features */

static scarce_status new_out(parser *p, const scarce__token *at, const char *name, int kind, size_t *out)
{
    scarce__feature_plan *plan = p->plan;
    for (size_t i = 0; i < plan->n_outs; ++i)
        if (strcmp(plan->outs[i].name, name) == 0)
            return scarce__fail_at(
                p->err, p->file, at->line, at->column,
                "a second feature \"%.80s\"; give one of them a name of its own: ... as NAME", name);
    if (find_field(plan, name) >= 0)
        return scarce__fail_at(p->err, p->file, at->line, at->column,
                               "feature \"%.80s\" is named like a field; give it another name: ... as NAME",
                               name);
    scarce__feature_out *o = scarce__realloc_array(plan->outs, plan->n_outs + 1, sizeof *o);
    if (!o) return no_memory(p);
    plan->outs = o;
    o += plan->n_outs;
    memset(o, 0, sizeof *o);
    o->kind = kind;
    o->name = scarce__strdup(name);
    if (!o->name) return no_memory(p);
    *out = plan->n_outs++;
    return SCARCE_OK;
}

/* card_mean_amount_30d_d7d, or what `as` says, with the window behind it where there are several */
static void name_of(scarce__text *t, const parser *p, const over *o, const agg *a, size_t span)
{
    const scarce__feature_plan *plan = p->plan;
    if (a->name) scarce__text_add(t, a->name);
    else {
        scarce__text_add(t, plan->kinds[o->kind].name);
        scarce__text_add_char(t, '_');
        scarce__text_add(t, op_names[a->op]);
        if (a->field >= 0) {
            scarce__text_add_char(t, '_');
            scarce__text_add(t, plan->fields[a->field].name);
        }
        if (a->op == SCARCE__AGG_DECAY) {
            scarce__text_add_char(t, '_');
            scarce__feature_span_text(t, a->half_life);
        }
    }
    if (o->n_spans > (a->name ? 1 : 0)) {
        scarce__text_add_char(t, '_');
        scarce__feature_span_text(t, o->spans[span]);
    }
    if (a->name) return;
    if (o->last) scarce__text_addf(t, "_last%u", o->last);
    if (o->delay) {
        scarce__text_add(t, "_d");
        scarce__feature_span_text(t, o->delay);
    }
}

/* "card_mean_amount_30d = mean(amount) over 30d by card(card)" */
static void line_of(scarce__text *t, const parser *p, const over *o, const agg *a, size_t span)
{
    const scarce__feature_plan *plan = p->plan;
    const scarce__feature_kind *k = &plan->kinds[o->kind];
    scarce__text_add(t, op_names[a->op]);
    if (a->field >= 0) {
        static const char *const roles[] = {"text", "key",  "number", "decimal",
                                            "int",  "bool", "time",   "label"};
        const scarce__feature_field *f = &plan->fields[a->field];
        scarce__text_add_char(t, '(');
        scarce__add_name(t, f->name);
        scarce__text_addf(t, " %s", roles[f->type]);
        if (f->type == SCARCE__FIELD_DECIMAL) scarce__text_addf(t, "(%d)", f->places);
        if (a->op == SCARCE__AGG_DECAY) {
            scarce__text_add(t, ", ");
            scarce__feature_span_text(t, a->half_life);
        }
        scarce__text_add_char(t, ')');
    }
    if (!isnan(a->empty)) {
        scarce__text_add(t, " else ");
        scarce__text_double(t, a->empty);
    }
    if (o->n_spans) {
        scarce__text_add(t, " over ");
        scarce__feature_span_text(t, o->spans[span]);
    }
    if (o->last) scarce__text_addf(t, " over last %u", o->last);
    if (o->delay) {
        scarce__text_add(t, " delay ");
        scarce__feature_span_text(t, o->delay);
    }
    scarce__text_add(t, " by ");
    for (int i = 0; i < k->n_keys; ++i) {
        if (i) scarce__text_add(t, ", ");
        scarce__add_name(t, plan->fields[k->keys[i]].name);
    }
    if (o->filter) {
        scarce__text_add(t, " where ");
        scarce__text_add(t, k->filters[o->filter].text);
    }
    if (o->current) scarce__text_add(t, " with current");
}

static scarce_status keep_line(parser *p, scarce__text *t, size_t out)
{
    if (!t->failed && t->bytes) p->plan->outs[out].line = scarce__strndup(t->bytes, t->n);
    scarce__text_deinit(t);
    return p->plan->outs[out].line ? SCARCE_OK : no_memory(p);
}

static scarce_status too_many(parser *p, const agg *a, int code)
{
    if (code == -1) return no_memory(p);
    return scarce__fail_at(p->err, p->file, a->at.line, a->at.column,
                           "too many different columns in one kind; declare a second kind by the same key");
}

static scarce_status add_aggregate(parser *p, const over *o, const agg *a, size_t span)
{
    scarce__feature_kind *k = &p->plan->kinds[o->kind];
    scarce__feature_window w;
    scarce__feature_aggregate g, *list;
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_status st;

    memset(&w, 0, sizeof w);
    memset(&g, 0, sizeof g);
    w.span = o->n_spans ? o->spans[span] : 0;
    w.last = o->last;
    w.delay = o->delay;
    w.filter = o->filter;
    w.current = o->current;
    g.op = a->op;
    g.filter = o->filter;
    g.half_life = a->half_life;
    g.empty = a->empty;
    g.measure = g.distinct = -1;
    if (a->field >= 0) g.places = p->plan->fields[a->field].places;
    g.scale = (double)scarce__feature_scale(g.places);
    if (a->op == SCARCE__AGG_DECAY) g.measure = scarce__feature_add_measure(k, o->filter, a->field, 0, 0);
    else if (a->op == SCARCE__AGG_DISTINCT) g.measure = g.distinct = scarce__feature_add_counted(k, a->field);
    else if (a->op == SCARCE__AGG_SHARE || a->op == SCARCE__AGG_FRAUDS) g.measure = 0, k->labels = 1;
    else if (a->op >= SCARCE__AGG_SUM && a->op <= SCARCE__AGG_SD)
        g.measure = scarce__feature_add_measure(k, o->filter, a->field, a->op == SCARCE__AGG_SD,
                                                a->op == SCARCE__AGG_MIN || a->op == SCARCE__AGG_MAX);
    else g.measure = 0;
    if (g.measure < 0) return too_many(p, a, g.measure);
    g.window = scarce__feature_add_window(k, &w);
    if (g.window < 0) return too_many(p, a, g.window);
    name_of(&t, p, o, a, span);
    st = t.failed ? no_memory(p) : new_out(p, &a->at, t.bytes, o->kind, &g.out);
    scarce__text_deinit(&t);
    if (st != SCARCE_OK) return st;
    line_of(&t, p, o, a, span);
    SCARCE__TRY(keep_line(p, &t, g.out));
    list = scarce__realloc_array(k->aggregates, k->n_aggregates + 1, sizeof *list);
    if (!list) return no_memory(p);
    k->aggregates = list;
    list[k->n_aggregates++] = g;
    return SCARCE_OK;
}

/* What doesn't go together. */
static scarce_status check_over(parser *p, const over *o, const agg *a)
{
    const int line = a->at.line, column = a->at.column;
    if ((o->n_spans || o->delay || a->op == SCARCE__AGG_SINCE || a->op == SCARCE__AGG_FIRST ||
         a->op == SCARCE__AGG_DECAY) &&
        p->plan->time < 0)
        return scarce__fail_at(p->err, p->file, line, column,
                               "needs a field of type time; without one there is `over last n`");
    if ((a->op == SCARCE__AGG_SINCE || a->op == SCARCE__AGG_FIRST) && (o->n_spans || o->last || o->current))
        return scarce__fail_at(p->err, p->file, line, column,
                               "%s has no window and no `with current`: by %s: %s", op_names[a->op],
                               p->plan->kinds[o->kind].name, op_names[a->op]);
    if (a->op == SCARCE__AGG_DECAY && (o->n_spans || o->last))
        return scarce__fail_at(p->err, p->file, line, column,
                               "decay has a half-life, no window: by %s: decay(...)",
                               p->plan->kinds[o->kind].name);
    if (o->current && o->delay)
        return scarce__fail_at(
            p->err, p->file, line, column,
            "`with current` and a delay: a window that ended earlier can't hold the record itself");
    return SCARCE_OK;
}

static scarce_status take_aggs(parser *p, over *o, agg *aggs, size_t *n)
{
    SCARCE__TRY(take_sign(p, ':', "\":\" and the aggregates"));
    for (;;) {
        if (*n == MAX_AGGS)
            return scarce__fail_at(p->err, p->file, p->token.line, p->token.column,
                                   "more than %d aggregates in one line", MAX_AGGS);
        const scarce_status st = take_agg(p, &aggs[*n]);
        ++*n;
        if (st != SCARCE_OK) return st;
        SCARCE__TRY(check_over(p, o, &aggs[*n - 1]));
        if (!scarce__token_is_sign(&p->token, ',')) return SCARCE_OK;
        next(p);
    }
}

static scarce_status parse_over(parser *p)
{
    over o;
    agg aggs[MAX_AGGS];
    size_t n = 0;
    scarce_status st;

    memset(&o, 0, sizeof o);
    o.at = p->token;
    SCARCE__TRY(take_windows(p, &o));
    if (is_word(p, "delay")) {
        next(p);
        SCARCE__TRY(take_span(p, "a delay", &o.delay));
    }
    if (!is_word(p, "by")) return wanted(p, o.n_spans ? "another window, delay SPAN or by KIND" : "by KIND");
    next(p);
    SCARCE__TRY(take_kind(p, &o));
    SCARCE__TRY(take_filter(p, &o));
    if (is_word(p, "with")) {
        next(p);
        if (!is_word(p, "current")) return wanted(p, "current");
        next(p);
        o.current = 1;
    }
    st = take_aggs(p, &o, aggs, &n);
    for (size_t s = 0; s < (o.n_spans ? o.n_spans : 1) && st == SCARCE_OK; ++s)
        for (size_t i = 0; i < n && st == SCARCE_OK; ++i) st = add_aggregate(p, &o, &aggs[i], s);
    for (size_t i = 0; i < n; ++i) scarce__free(aggs[i].name);
    return st;
}

/* ---- feature NAME = EXPRESSION */

static scarce_status add_derived(parser *p, const scarce__token *at, const char *name)
{
    scarce__feature_plan *plan = p->plan;
    scarce__feature_derived *d = scarce__realloc_array(plan->derived, plan->n_derived + 1, sizeof *d);
    scarce__text t = SCARCE__TEXT_INIT;
    char *text = NULL;

    if (!d) return no_memory(p);
    plan->derived = d;
    d += plan->n_derived;
    memset(d, 0, sizeof *d);
    SCARCE__TRY(compile(p, 1, SCARCE__ANY, &d->expr, &text));
    plan->n_derived++;
    scarce__text_add(&t, text);
    scarce__free(text);
    if (scarce__expr_type(d->expr) == SCARCE__WORD) {
        scarce__text_deinit(&t);
        return scarce__fail_at(p->err, p->file, at->line, at->column,
                               "feature \"%.80s\" is a text; a feature is a number, or true or false", name);
    }
    mark_used(plan, d->expr);
    const scarce_status st = new_out(p, at, name, -1, &d->out);
    if (st == SCARCE_OK) return keep_line(p, &t, d->out);
    scarce__text_deinit(&t);
    return st;
}

static scarce_status parse_feature(parser *p)
{
    const scarce__token at = p->token;
    char *name = NULL;
    scarce_status st;
    SCARCE__TRY(take_name(p, "the name of a feature", &name));
    st = take_sign(p, '=', "\"=\" and an expression");
    if (st == SCARCE_OK) st = add_derived(p, &at, name);
    scarce__free(name);
    return st;
}

/* ---- the file */

static scarce_status parse_statements(parser *p);

/* The features of the Fraud Detection Handbook, chapter 3, under the names `scarce simulate` gives them. */
static scarce_status parse_preset(parser *p)
{
    static const char *const needed[] = {"card", "terminal", "amount"};
    const scarce__feature_plan *plan = p->plan;
    const scarce__token at = p->token;
    scarce__text t = SCARCE__TEXT_INIT;
    parser inner = *p;

    if (!is_word(p, "handbook")) return wanted(p, "handbook, the one preset there is");
    for (size_t i = 0; i < 3; ++i)
        if (find_field(plan, needed[i]) < 0)
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
        return no_memory(p);
    }
    inner.lexer = scarce__lexer_of(t.bytes, t.n, 1, 1);
    inner.end = t.bytes + t.n;
    inner.file = "preset handbook";
    next(&inner);
    const scarce_status st = parse_statements(&inner);
    if (st != SCARCE_OK) scarce__fail_prefix(p->err, "%s:%d: ", p->file ? p->file : "definitions", at.line);
    scarce__text_deinit(&t);
    next(p);
    return st;
}

static const char *const statements[] = {"field", "kind", "over", "by", "feature", "preset"};

static const char *statement_name(const void *arg, size_t i)
{
    (void)arg;
    return statements[i];
}

static scarce_status parse_one(parser *p)
{
    char *name = NULL;
    if (is_word(p, "over") || is_word(p, "by")) return parse_over(p);
    if (is_word(p, "field")) return next(p), parse_field(p);
    if (is_word(p, "kind")) return next(p), parse_kind(p);
    if (is_word(p, "feature")) return next(p), parse_feature(p);
    if (is_word(p, "preset")) return next(p), parse_preset(p);
    const scarce__token at = p->token;
    SCARCE__TRY(take_name(p, "field, kind, over, by, feature or preset", &name));
    const scarce_status st = unknown(p, &at, "statement", name, statement_name, 6,
                                     "a line begins with field, kind, over, by, feature or preset");
    scarce__free(name);
    return st;
}

static scarce_status parse_statements(parser *p)
{
    while (p->token.kind != SCARCE__TOKEN_END) {
        if (!p->token.begins_line) return wanted(p, "the end of the line");
        SCARCE__TRY(parse_one(p));
    }
    return SCARCE_OK;
}

scarce_status scarce__feature_define(scarce__feature_plan **out, const char *text, size_t n, const char *file,
                                     scarce_error *err)
{
    parser p;
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
    next(&p);
    st = parse_statements(&p);
    if (st == SCARCE_OK && p.plan->n_outs == 0)
        st = scarce__fail(err, SCARCE_EPARSE, "%s: no feature is defined (over 7d by card: count)",
                          file ? file : "definitions");
    if (st == SCARCE_OK) st = scarce__feature_settle(p.plan, err);
    if (st == SCARCE_OK) *out = p.plan;
    else scarce__feature_plan_free(p.plan);
    return st;
}
