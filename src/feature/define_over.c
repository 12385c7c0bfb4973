/* SPDX-License-Identifier: Apache-2.0 */
/* over 1h 30d by card: count, mean(amount), ...: windows, filter and aggregates, and what each feature is called.
 *
 *     over    = [ "over" ( span { span } | "last" int ) ] [ "delay" span ] "by" name [ "where" expr ]
 *               [ "with" "current" ] ":" agg { "," agg } ;
 *     agg     = op [ "(" name [ "," span ] ")" ] [ "else" number ] [ "as" name ] ; */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "feature/define.h"

enum { MAX_SPANS = 16, MAX_AGGS = 64 };

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

static scarce_status take_windows(scarce__definer *p, over *o)
{
    if (!scarce__define_is(p, "over")) return SCARCE_OK;
    scarce__define_next(p);
    if (scarce__define_is(p, "last")) {
        scarce__define_next(p);
        return scarce__define_count(p, "how many records", 1, 100000, &o->last);
    }
    do {
        if (o->n_spans == MAX_SPANS)
            return scarce__fail_at(p->err, p->file, p->token.line, p->token.column,
                                   "more than %d windows in one line", MAX_SPANS);
        SCARCE__TRY(scarce__define_span(p, "a window", &o->spans[o->n_spans]));
        for (size_t i = 0; i < o->n_spans; ++i)
            if (o->spans[i] == o->spans[o->n_spans])
                return scarce__fail_at(p->err, p->file, o->at.line, o->at.column, "the same window twice");
        ++o->n_spans;
    } while (p->token.kind == SCARCE__TOKEN_SPAN);
    return SCARCE_OK;
}

static const char *kind_name(const void *arg, size_t i)
{
    return ((const scarce__feature_plan *)arg)->kinds[i].name;
}

static scarce_status take_kind(scarce__definer *p, over *o)
{
    const scarce__token at = p->token;
    scarce__feature_kind *k = NULL;
    char *name = NULL;
    int field;

    SCARCE__TRY(scarce__define_name(p, "a kind", &name));
    o->kind = scarce__feature_find_kind(p->plan, name);
    field = scarce__feature_find_field(p->plan, name);
    if (o->kind < 0 && field >= 0 && p->plan->fields[field].type == SCARCE__FIELD_KEY) {
        SCARCE__TRY(scarce__define_kind(p, &at, name, &k));
        k->keys[0] = field;
        k->n_keys = 1;
        p->plan->fields[field].used = 1;
        o->kind = (int)p->plan->n_kinds - 1;
        return SCARCE_OK;
    }
    const scarce_status st = o->kind >= 0
                                 ? SCARCE_OK
                                 : scarce__define_unknown(p, &at, "kind", name, kind_name, p->plan->n_kinds,
                                                          "declare it: kind NAME by FIELD");
    scarce__free(name);
    return st;
}

static scarce_status take_filter(scarce__definer *p, over *o)
{
    scarce__feature_kind *k = &p->plan->kinds[o->kind];
    scarce__expr *e = NULL;
    char *text = NULL;
    const scarce__token at = p->token;

    if (!scarce__define_is(p, "where")) return SCARCE_OK;
    scarce__define_next(p);
    SCARCE__TRY(scarce__define_expression(p, 0, SCARCE__BOOLEAN, &e, &text));
    for (int f = 1; f < k->n_filters; ++f)
        if (strcmp(k->filters[f].text, text) == 0) o->filter = f;
    if (o->filter == 0 && k->n_filters < SCARCE__FEATURE_FILTERS) {
        scarce__define_mark_used(p->plan, e);
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
static scarce_status check_argument(scarce__definer *p, const agg *a, const scarce__token *at)
{
    const scarce__feature_field *f = &p->plan->fields[a->field];
    const int number = f->type == SCARCE__FIELD_NUMBER || f->type == SCARCE__FIELD_DECIMAL ||
                       f->type == SCARCE__FIELD_INT || f->type == SCARCE__FIELD_BOOL;
    const int label = f->type == SCARCE__FIELD_LABEL;
    const char *const op = op_names[a->op];

    if (a->op == SCARCE__AGG_SHARE && !label)
        return scarce__fail_at(p->err, p->file, at->line, at->column,
                               "share is of the label, and \"%s\" is %s; mean(%s) is the share of a bool",
                               f->name, scarce__field_type_name(f->type), f->name);
    if (a->op == SCARCE__AGG_DISTINCT && label)
        return scarce__fail_at(p->err, p->file, at->line, at->column, "%s of the label: take share(%s)", op,
                               f->name);
    if (a->op == SCARCE__AGG_SHARE || a->op == SCARCE__AGG_DISTINCT || a->op == SCARCE__AGG_FRAUDS)
        return SCARCE_OK;
    if (!number)
        return scarce__fail_at(p->err, p->file, at->line, at->column, "%s wants a number, and \"%s\" is %s",
                               op, f->name, scarce__field_type_name(f->type));
    return SCARCE_OK;
}

static scarce_status take_argument(scarce__definer *p, agg *a)
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
    SCARCE__TRY(scarce__define_sign(p, '(', what));
    const scarce__token of = p->token;
    SCARCE__TRY(scarce__define_field(p, "a field", &a->field));
    if (a->op == SCARCE__AGG_SUM && p->plan->fields[a->field].type == SCARCE__FIELD_LABEL)
        a->op = SCARCE__AGG_FRAUDS;
    SCARCE__TRY(check_argument(p, a, &of));
    if (a->op == SCARCE__AGG_DECAY) {
        SCARCE__TRY(scarce__define_sign(p, ',', "a comma and the half-life: decay(amount, 7d)"));
        SCARCE__TRY(scarce__define_span(p, "the half-life", &a->half_life));
        if (a->half_life > SCARCE__MOST_SECONDS / SCARCE__FEATURE_REACH)
            return scarce__fail_at(p->err, p->file, of.line, of.column, "a half-life of at most 4 years");
    }
    return scarce__define_sign(p, ')', "\")\"");
}

static scarce_status take_agg(scarce__definer *p, agg *a)
{
    char *name = NULL;
    size_t i = 0;

    memset(a, 0, sizeof *a);
    a->empty = NAN;
    a->field = -1;
    a->at = p->token;
    SCARCE__TRY(scarce__define_name(
        p, "an aggregate (count, sum, mean, min, max, sd, distinct, share, since, first_seen, decay)",
        &name));
    while (i < N_OPS && strcmp(op_names[i], name) != 0) ++i;
    scarce_status st =
        i < N_OPS
            ? SCARCE_OK
            : scarce__define_unknown(p, &a->at, "aggregate", name, op_name, N_OPS,
                                     "there are count, sum, mean, min, max, sd, distinct, share, since, "
                                     "first_seen and decay");
    scarce__free(name);
    a->op = (scarce__feature_op)i;
    if (st == SCARCE_OK) st = take_argument(p, a);
    if (st == SCARCE_OK && scarce__define_is(p, "else")) {
        double sign = 1;
        scarce__define_next(p);
        if (scarce__token_is_sign(&p->token, '-')) {
            sign = -1;
            scarce__define_next(p);
        }
        if (p->token.kind != SCARCE__TOKEN_NUMBER)
            return scarce__define_wanted(p, "the number that stands where there is nothing");
        a->empty = sign * p->token.number;
        scarce__define_next(p);
    }
    if (st == SCARCE_OK && scarce__define_is(p, "as")) {
        scarce__define_next(p);
        st = scarce__define_name(p, "the name of the feature", &a->name);
    }
    return st;
}

/* ---- names and lines */

/* card_mean_amount_30d_d7d, or what `as` says, with the window behind it where there are several */
static void name_of(scarce__text *t, const scarce__definer *p, const over *o, const agg *a, size_t span)
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
static void line_of(scarce__text *t, const scarce__definer *p, const over *o, const agg *a, size_t span)
{
    const scarce__feature_plan *plan = p->plan;
    const scarce__feature_kind *k = &plan->kinds[o->kind];
    scarce__text_add(t, op_names[a->op]);
    if (a->field >= 0) {
        const scarce__feature_field *f = &plan->fields[a->field];
        scarce__text_add_char(t, '(');
        scarce__add_name(t, f->name);
        scarce__text_addf(t, " %s", scarce__field_type_name(f->type));
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

/* ---- aggregates */

static scarce_status too_many(scarce__definer *p, const agg *a, int code)
{
    if (code == -1) return scarce__define_no_memory(p);
    return scarce__fail_at(p->err, p->file, a->at.line, a->at.column,
                           "too many different columns in one kind; declare a second kind by the same key");
}

static scarce_status add_aggregate(scarce__definer *p, const over *o, const agg *a, size_t span)
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
    st = t.failed ? scarce__define_no_memory(p) : scarce__define_out(p, &a->at, t.bytes, o->kind, &g.out);
    scarce__text_deinit(&t);
    if (st != SCARCE_OK) return st;
    line_of(&t, p, o, a, span);
    SCARCE__TRY(scarce__define_line(p, &t, g.out));
    list = scarce__realloc_array(k->aggregates, k->n_aggregates + 1, sizeof *list);
    if (!list) return scarce__define_no_memory(p);
    k->aggregates = list;
    list[k->n_aggregates++] = g;
    return SCARCE_OK;
}

/* What doesn't go together. */
static scarce_status check_over(scarce__definer *p, const over *o, const agg *a)
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

static scarce_status take_aggs(scarce__definer *p, over *o, agg *aggs, size_t *n)
{
    SCARCE__TRY(scarce__define_sign(p, ':', "\":\" and the aggregates"));
    for (;;) {
        if (*n == MAX_AGGS)
            return scarce__fail_at(p->err, p->file, p->token.line, p->token.column,
                                   "more than %d aggregates in one line", MAX_AGGS);
        const scarce_status st = take_agg(p, &aggs[*n]);
        ++*n;
        if (st != SCARCE_OK) return st;
        SCARCE__TRY(check_over(p, o, &aggs[*n - 1]));
        if (!scarce__token_is_sign(&p->token, ',')) return SCARCE_OK;
        scarce__define_next(p);
    }
}

scarce_status scarce__define_over(scarce__definer *p)
{
    over o;
    agg aggs[MAX_AGGS];
    size_t n = 0;
    scarce_status st;

    memset(&o, 0, sizeof o);
    o.at = p->token;
    SCARCE__TRY(take_windows(p, &o));
    if (scarce__define_is(p, "delay")) {
        scarce__define_next(p);
        SCARCE__TRY(scarce__define_span(p, "a delay", &o.delay));
    }
    if (!scarce__define_is(p, "by"))
        return scarce__define_wanted(p, o.n_spans ? "another window, delay SPAN or by KIND" : "by KIND");
    scarce__define_next(p);
    SCARCE__TRY(take_kind(p, &o));
    SCARCE__TRY(take_filter(p, &o));
    if (scarce__define_is(p, "with")) {
        scarce__define_next(p);
        if (!scarce__define_is(p, "current")) return scarce__define_wanted(p, "current");
        scarce__define_next(p);
        o.current = 1;
    }
    st = take_aggs(p, &o, aggs, &n);
    for (size_t s = 0; s < (o.n_spans ? o.n_spans : 1) && st == SCARCE_OK; ++s)
        for (size_t i = 0; i < n && st == SCARCE_OK; ++i) st = add_aggregate(p, &o, &aggs[i], s);
    for (size_t i = 0; i < n; ++i) scarce__free(aggs[i].name);
    return st;
}
