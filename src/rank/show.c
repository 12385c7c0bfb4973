/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking trees as text: outline and rules, with what each leaf caught of the training rows. */
#include "rank/show.h"

#include <string.h>

#include "core/fail.h"

enum { LEAVES_IN_SUMMARY = 32 };

static void indent(scarce__text *out, uint32_t depth)
{
    for (uint32_t d = 0; d < depth && d < 40; ++d) scarce__text_add(out, "  ");
}

typedef struct text_job {
    scarce__text *out;
    const scarce__rank_shown *shown;
    const scarce__dag *dag;
} text_job;

static double caught_before(const scarce__dag *dag, size_t leaf)
{
    double sum = 0;
    for (size_t i = 0; i < leaf; ++i) sum += dag->leaves[i].positive;
    return sum;
}

static void add_side(scarce__text *out, const scarce__line *line)
{
    scarce__text_addf(out, "   [%llu row%s, ", (unsigned long long)line->rows, line->rows == 1 ? "" : "s");
    scarce__add_percent(out, line->share);
    scarce__text_add(out, " positive]\n");
}

static scarce_status text_line(void *arg, const scarce__line *line, scarce_error *err)
{
    const text_job *j = arg;
    (void)err;
    if (line->kind != SCARCE__LINE_OR) indent(j->out, line->depth + 1);
    switch (line->kind) {
    case SCARCE__LINE_IF:
        scarce__text_addf(j->out, "if %s", line->text);
        add_side(j->out, line);
        break;
    case SCARCE__LINE_OR:
        indent(j->out, line->depth + 1);
        scarce__text_addf(j->out, "or %s\n", line->text);
        break;
    case SCARCE__LINE_ELSE:
        scarce__text_add(j->out, "else");
        add_side(j->out, line);
        break;
    case SCARCE__LINE_LEAF:
        scarce__add_leaf(j->out, j->dag, line->leaf, caught_before(j->dag, line->leaf));
        scarce__text_add(j->out, "\n");
        break;
    }
    return j->out->failed ? scarce__fail_memory(err, "an outline", 0) : SCARCE_OK;
}

/* What nobody could read is told, and no error. */
static scarce_status or_too_large(scarce_status st, scarce__text *out)
{
    if (st != SCARCE_EUNSUPPORTED) return st;
    scarce__text_add(out, "  ... the tree has more paths than anybody reads; --format json has its nodes\n");
    return SCARCE_OK;
}

static scarce_status add_outline(const scarce__rank_shown *s, const scarce__dag *dag, scarce__text *out,
                                 scarce_error *err)
{
    text_job j = {out, s, dag};
    return or_too_large(scarce__dag_outline(s, dag, text_line, &j, err), out);
}

static scarce_status add_rules(const scarce__rank_shown *s, const scarce__dag *dag, scarce__text *out,
                               scarce_error *err)
{
    scarce__rules r;
    double so_far = 0;

    SCARCE__TRY(scarce__rules_of(&r, dag, s->schema, 0, 0, err));
    scarce__rules_order(&r, s->schema);
    scarce__rules_forget_missing(&r, s->schema, s->missing);
    scarce__text_add(out, "\nrules, most suspicious first; the first that holds counts\n");
    for (size_t leaf = 0, i = 0; leaf < dag->n_leaves; ++leaf) {
        int said = 0;
        scarce__text_add(out, "  ");
        scarce__add_leaf(out, dag, leaf, so_far);
        scarce__text_add(out, "\n");
        so_far += dag->leaves[leaf].positive;
        for (; i < r.n && r.boxes[i].target == (int32_t)leaf; ++i) {
            scarce__text_add(out, said++ ? "      or " : "      ");
            if (r.boxes[i].n == 0 && leaf > 0) scarce__text_add(out, "otherwise");
            else scarce__add_box(out, s, &r.boxes[i]);
            scarce__text_add(out, "\n");
        }
    }
    scarce__rules_deinit(&r);
    return SCARCE_OK;
}

static void add_features(const scarce__rank_shown *s, scarce__text *out)
{
    size_t leaves = 0, tests = 0;
    for (size_t i = 0; i < s->rank->n_dags; ++i) {
        leaves += s->rank->dags[i].n_leaves;
        for (size_t k = 0; k < s->rank->dags[i].n_nodes; ++k) tests += s->rank->dags[i].nodes[k].feature >= 0;
    }
    scarce__text_addf(out, "\nthe mean of %zu ranking trees, with %zu leaves and %zu tests in all\n",
                      s->rank->n_dags, leaves, tests);
}

scarce_status scarce__rank_text(const scarce__rank_shown *s, int all, scarce__text *out, scarce_error *err)
{
    const scarce__dag *dag = &s->rank->dags[0];
    const scarce__rank_totals t = scarce__dag_totals(dag);

    if (s->rank->n_dags > 1) {
        add_features(s, out);
        for (size_t i = 0; all && i < s->rank->n_dags; ++i) {
            scarce__text_addf(out, "\ntree %zu: %zu leaves\n", i + 1, s->rank->dags[i].n_leaves);
            SCARCE__TRY(add_outline(s, &s->rank->dags[i], out, err));
        }
        return SCARCE_OK;
    }
    scarce__text_addf(out, "\n%zu lea%s over %llu training rows, %llu of them positive (", dag->n_leaves,
                      dag->n_leaves == 1 ? "f" : "ves", (unsigned long long)t.rows,
                      (unsigned long long)t.positives);
    scarce__add_percent(out, t.weight > 0 ? t.positive / t.weight : 0);
    scarce__text_add(out, ")\n");
    if (!all && dag->n_leaves > LEAVES_IN_SUMMARY) {
        scarce__text_add(out, "more than a summary holds: --trees prints them\n");
        return SCARCE_OK;
    }
    SCARCE__TRY(add_outline(s, dag, out, err));
    return or_too_large(add_rules(s, dag, out, err), out);
}

scarce_status scarce__rank_show(const scarce__rank_shown *s, const char *format, scarce__text *out,
                                scarce_error *err)
{
    static const struct {
        const char *name;
        scarce_status (*show)(const scarce__rank_shown *s, scarce__text *out, scarce_error *err);
        int one; /* needs a single tree */
    } forms[] = {{"json", scarce__rank_json, 0},
                 {"dot", scarce__rank_dot, 0},
                 {"svg", scarce__rank_svg, 1},
                 {"sql", scarce__rank_sql, 1},
                 {"rules", scarce__rank_cel, 1}};

    if (strcmp(format, "text") == 0 || strcmp(format, "summary") == 0)
        return scarce__rank_text(s, strcmp(format, "text") == 0, out, err);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        if (strcmp(format, forms[i].name) != 0) continue;
        if (forms[i].one && s->rank->n_dags > 1)
            return scarce__fail(
                err, SCARCE_EUNSUPPORTED,
                "the mean of %zu trees has no form \"%s\"; scarce distil makes one tree of it",
                s->rank->n_dags, format);
        return forms[i].show(s, out, err);
    }
    return scarce__fail(err, SCARCE_EUNSUPPORTED,
                        "no form \"%.20s\" (there are text, json, dot, svg, sql and rules)", format);
}
