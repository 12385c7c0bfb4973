/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking trees in languages that other programs run: SQL, and the language of rules (docs/rules.md). Both say
 * exactly what the model does, of missing values and of categories that the training didn't know too. Thresholds are
 * the shortest text of the float that the model compares with: of values with up to seven digits the same rows
 * pass. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "expr/lexer.h"
#include "rank/show.h"

static int is_in(const scarce__condition *c, size_t code)
{
    return (int)(c->set[code / 32] >> (code % 32) & 1);
}

/* How a language writes things. */
typedef struct language {
    void (*name)(scarce__text *out, const char *name);
    void (*string)(scarce__text *out, const char *text);
    const char *and_, *or_;
    const char *no_value[2], *has_value[2]; /* around the name */
    const char *in[2], *not_in[2];          /* name in[0] list in[1]; not_in[0] name not_in[1] list ")" */
    const char *list[2];
} language;

/* ---- SQL */

static void sql_quoted(scarce__text *out, const char *text, char quote)
{
    scarce__text_add_char(out, quote);
    for (; *text; ++text) {
        if (*text == quote) scarce__text_add_char(out, quote);
        scarce__text_add_char(out, *text);
    }
    scarce__text_add_char(out, quote);
}

static void sql_name(scarce__text *out, const char *name)
{
    sql_quoted(out, name, '"');
}

static void sql_string(scarce__text *out, const char *text)
{
    sql_quoted(out, text, '\'');
}

static const language sql = {.name = sql_name,
                             .string = sql_string,
                             .and_ = " AND ",
                             .or_ = " OR ",
                             .no_value = {"", " IS NULL"},
                             .has_value = {"", " IS NOT NULL"},
                             .in = {"", " IN "},
                             .not_in = {"", " NOT IN "},
                             .list = {"(", ")"}};

/* ---- CEL */

static void cel_string(scarce__text *out, const char *text)
{
    scarce__add_quoted(out, text, strlen(text));
}

static const language cel = {.name = scarce__add_name,
                             .string = cel_string,
                             .and_ = " && ",
                             .or_ = " || ",
                             .no_value = {"!has(", ")"},
                             .has_value = {"has(", ")"},
                             .in = {"", " in "},
                             .not_in = {"!(", " in "},
                             .list = {"[", "]"}};

/* ---- Conditions */

static void add_list(scarce__text *out, const language *l, const scarce_schema *schema,
                     const scarce__condition *c, int want)
{
    const scarce__dictionary *d = &schema->features[c->feature].categories;
    int any = 0;
    scarce__text_add(out, l->list[0]);
    for (size_t k = 0; k < c->categories; ++k) {
        if (is_in(c, k) != want) continue;
        if (any++) scarce__text_add(out, ", ");
        l->string(out, scarce__dictionary_text(d, k));
    }
    scarce__text_add(out, l->list[1]);
}

static void add_around(scarce__text *out, const language *l, const char *const around[2], const char *name)
{
    scarce__text_add(out, around[0]);
    l->name(out, name);
    scarce__text_add(out, around[1]);
}

static void add_range(scarce__text *out, const language *l, const scarce__condition *c, const char *name)
{
    if (c->low > -INFINITY) {
        l->name(out, name);
        scarce__text_add(out, " > ");
        scarce__text_float(out, c->low);
    }
    if (c->low > -INFINITY && c->high < INFINITY) scarce__text_add(out, l->and_);
    if (c->high < INFINITY) {
        l->name(out, name);
        scarce__text_add(out, " <= ");
        scarce__text_float(out, c->high);
    }
}

static void add_categories(scarce__text *out, const language *l, const scarce_schema *schema,
                           const scarce__condition *c, const char *name)
{
    const char *const *around = c->other ? l->not_in : l->in;
    add_around(out, l, around, name);
    add_list(out, l, schema, c, !c->other);
    if (c->other && around[0][0]) scarce__text_add(out, ")");
}

static void add_condition(scarce__text *out, const language *l, const scarce_schema *schema,
                          const scarce__condition *c)
{
    const char *name = schema->features[c->feature].name;
    size_t in = 0;
    for (size_t k = 0; c->category && k < c->categories; ++k) in += (size_t)is_in(c, k);
    const int none = c->category ? in == 0 && !c->other : c->low >= c->high;
    const int all =
        c->category ? in == c->categories && c->other : c->low == -INFINITY && c->high == INFINITY;

    if (none) {
        add_around(out, l, l->no_value, name);
        return;
    }
    if (all) { /* all but missing */
        add_around(out, l, l->has_value, name);
        return;
    }
    if (c->missing) {
        scarce__text_add(out, "(");
        add_around(out, l, l->no_value, name);
        scarce__text_add(out, l->or_);
        if (!c->category && c->low > -INFINITY && c->high < INFINITY) scarce__text_add(out, "(");
    }
    if (c->category) add_categories(out, l, schema, c, name);
    else add_range(out, l, c, name);
    if (!c->missing) return;
    if (!c->category && c->low > -INFINITY && c->high < INFINITY) scarce__text_add(out, ")");
    scarce__text_add(out, ")");
}

/* The boxes of a leaf, one to a line; returns the first box behind them. */
static size_t add_boxes(scarce__text *out, const language *l, const scarce_schema *schema,
                        const scarce__rules *r, size_t from, const char *next_line)
{
    const int32_t target = r->boxes[from].target;
    size_t i = from;
    const int several = from + 1 < r->n && r->boxes[from + 1].target == target;
    for (; i < r->n && r->boxes[i].target == target; ++i) {
        if (i > from) {
            scarce__text_add(out, next_line);
            scarce__text_add(out, l->or_ + 1);
        }
        if (several && r->boxes[i].n > 1) scarce__text_add(out, "(");
        for (size_t k = 0; k < r->boxes[i].n; ++k) {
            if (k) scarce__text_add(out, l->and_);
            add_condition(out, l, schema, &r->boxes[i].conditions[k]);
        }
        if (r->boxes[i].n == 0) scarce__text_add(out, l == &sql ? "1 = 1" : "true");
        if (several && r->boxes[i].n > 1) scarce__text_add(out, ")");
    }
    return i;
}

static scarce_status check_scores(const scarce__rank_shown *s, const char *form, scarce_error *err)
{
    if (s->rank->distance != SCARCE__DISTANCE_ALONE) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EUNSUPPORTED,
                        "scores=distance has no score per leaf to write as %s; train with scores=leaf", form);
}

scarce_status scarce__rank_sql(const scarce__rank_shown *s, scarce__text *out, scarce_error *err)
{
    const scarce__dag *dag = &s->rank->dags[0];
    scarce__rules r;
    size_t i = 0;

    SCARCE__TRY(check_scores(s, "SQL", err));
    SCARCE__TRY(scarce__rules_of(&r, dag, s->schema, 0, 0, err));
    scarce__rules_order(&r, s->schema); /* CASE takes the first that holds */
    scarce__text_addf(out, "-- %s: the score of a row; SELECT *, <this> AS score FROM ...\n", s->method);
    if (s->rank->distance == SCARCE__DISTANCE_TIES)
        scarce__text_add(out, "-- rows of one leaf have one score here; the model tells them apart "
                              "(tie_break, or scores=leaf, says otherwise)\n");
    if (dag->n_leaves == 1) scarce__text_double(out, dag->leaves[0].score);
    else scarce__text_add(out, "CASE\n");
    while (dag->n_leaves > 1 && i < r.n) {
        const int32_t leaf = r.boxes[i].target;
        size_t end = i;
        while (end < r.n && r.boxes[end].target == leaf) ++end;
        if (end == r.n) scarce__text_add(out, "ELSE ");
        else {
            scarce__text_add(out, "WHEN ");
            (void)add_boxes(out, &sql, s->schema, &r, i, "\n  ");
            scarce__text_add(out, "\n  THEN ");
        }
        i = end;
        scarce__text_double(out, dag->leaves[leaf].score);
        scarce__text_add(out, "\n");
    }
    scarce__text_add(out, dag->n_leaves > 1 ? "END\n" : "\n");
    scarce__rules_deinit(&r);
    return SCARCE_OK;
}

/* The name of a rule: that of the method, as a name without backticks. */
static void add_rule_name(scarce__text *out, const char *method, size_t number)
{
    for (; *method; ++method) {
        const char c = *method;
        const int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        scarce__text_add_char(out, plain ? c : '_');
    }
    scarce__text_addf(out, "_%zu", number);
}

/* A rule that always holds is none: it is for the rows that no other takes. */
static int takes_the_rest(const scarce__rules *r, size_t from)
{
    return r->boxes[from].target > 0 && r->boxes[from].n == 0;
}

/* The first box of the next leaf. */
static size_t next_rule(const scarce__rules *r, size_t from)
{
    const int32_t leaf = r->boxes[from].target;
    while (from < r->n && r->boxes[from].target == leaf) ++from;
    return from;
}

/* Rule `number` of `count`. */
static void add_rule(const scarce__rank_shown *s, const scarce__rules *r, size_t from, size_t number,
                     size_t count, double *so_far, scarce__text *out)
{
    const scarce__dag *dag = &s->rank->dags[0];
    const size_t leaf = (size_t)r->boxes[from].target;
    const scarce__rank_leaf *l = &dag->leaves[leaf];
    const double share = l->weight > 0 ? l->positive / l->weight : 0;

    if (takes_the_rest(r, from)) {
        scarce__text_add(out, "\n# otherwise: ");
        scarce__add_leaf(out, dag, leaf, *so_far);
        scarce__text_add(out, "\n");
        return;
    }
    scarce__text_add(out, "\nrule ");
    add_rule_name(out, s->method, leaf + 1);
    scarce__text_add(out, " stage alert                     # ");
    scarce__add_leaf(out, dag, leaf, *so_far);
    *so_far += l->positive;
    scarce__text_add(out, "\n  when  ");
    (void)add_boxes(out, &cel, s->schema, r, from, "\n     ");
    scarce__text_addf(out, "\n  say   \"rule %zu of %zu: ", number, count);
    scarce__add_percent(out, share);
    scarce__text_addf(out, " of %llu such rows were positive\"\n  score ", (unsigned long long)l->rows);
    scarce__text_digits(out, 100 * l->score, 4);
    scarce__text_add(out, "\n");
    if (!(l->score >= s->alert)) scarce__text_add(out, "  shadow\n");
}

scarce_status scarce__rank_cel(const scarce__rank_shown *s, scarce__text *out, scarce_error *err)
{
    scarce__rules r;
    size_t count = 0, number = 0, rest = 0;
    double so_far = 0;

    SCARCE__TRY(check_scores(s, "rules", err));
    SCARCE__TRY(scarce__rules_of(&r, &s->rank->dags[0], s->schema, 0, 0, err));
    scarce__rules_order(&r, s->schema);
    for (size_t i = 0; i < r.n; i = next_rule(&r, i)) {
        count += !takes_the_rest(&r, i);
        rest |= (size_t)takes_the_rest(&r, i);
    }
    scarce__text_addf(
        out, "# %zu rules of a %s model, most suspicious first. Of several that hold the first counts, and\n",
        count, s->method);
    scarce__text_add(
        out,
        "# the figures are of the rows that it takes. Those below the model's alert threshold are shadows:\n"
        "# they count, and do nothing.");
    if (rest) scarce__text_add(out, " The last line is of the rows that no rule takes.");
    scarce__text_add(out, "\n");
    for (size_t i = 0; i < r.n; i = next_rule(&r, i)) {
        number += !takes_the_rest(&r, i);
        add_rule(s, &r, i, number, count, &so_far, out);
    }
    scarce__rules_deinit(&r);
    return SCARCE_OK;
}
