/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking trees as a Graphviz digraph: tests as ellipses (bold where an inner tree begins), leaves as boxes that
 * several paths reach. */
#include "core/fail.h"
#include "rank/show.h"

/* Inside a quoted label. */
static void add_escaped(scarce__text *out, const char *text)
{
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') scarce__text_add_char(out, '\\');
        scarce__text_add_char(out, (unsigned char)*text < 32 ? ' ' : *text);
    }
}

static void add_place(scarce__text *out, size_t tree, const scarce__dag *dag, int32_t node)
{
    const scarce__node *n = &dag->nodes[node];
    if (n->feature < 0) scarce__text_addf(out, "t%zul%d", tree, (int)n->left);
    else scarce__text_addf(out, "t%zun%d", tree, (int)node);
}

static void put_test(const scarce__rank_shown *s, size_t tree, const scarce__dag *dag, size_t i,
                     scarce__text *out)
{
    const scarce__node *n = &dag->nodes[i];
    scarce__text label = SCARCE__TEXT_INIT;

    scarce__add_test(&label, s, dag, n);
    scarce__text_addf(out, "  t%zun%zu [shape=ellipse, label=\"", tree, i);
    if (label.failed) out->failed = 1;
    else add_escaped(out, label.bytes);
    scarce__text_deinit(&label);
    scarce__text_addf(out, "\\n%lu rows, ", (unsigned long)n->rows);
    scarce__add_percent(out, (double)n->cover);
    scarce__text_addf(out, "\"%s];\n", n->flags & SCARCE__INNER_ROOT ? ", style=bold" : "");
    for (int k = 0; k < 2; ++k) {
        scarce__text_addf(out, "  t%zun%zu -> ", tree, i);
        add_place(out, tree, dag, k ? n->right : n->left);
        scarce__text_addf(out, " [label=\"%s\"];\n", k ? "no" : "yes");
    }
}

static void put_leaf(size_t tree, const scarce__dag *dag, size_t i, scarce__text *out)
{
    const scarce__rank_leaf *l = &dag->leaves[i];
    scarce__text_addf(out, "  t%zul%zu [shape=box, label=\"#%zu score ", tree, i, i + 1);
    scarce__text_digits(out, l->score, 4);
    scarce__text_addf(out, "\\n%llu of %llu positive (", (unsigned long long)l->positives,
                      (unsigned long long)l->rows);
    scarce__add_percent(out, l->weight > 0 ? l->positive / l->weight : 0);
    scarce__text_add(out, ")\"];\n");
}

scarce_status scarce__rank_dot(const scarce__rank_shown *s, scarce__text *out, scarce_error *err)
{
    (void)err;
    scarce__text_add(out, "digraph ranking {\n");
    for (size_t t = 0; t < s->rank->n_dags; ++t) {
        const scarce__dag *dag = &s->rank->dags[t];
        for (size_t i = 0; i < dag->n_nodes; ++i)
            if (dag->nodes[i].feature >= 0) put_test(s, t, dag, i, out);
        for (size_t i = 0; i < dag->n_leaves; ++i) put_leaf(t, dag, i, out);
    }
    scarce__text_add(out, "}\n");
    return SCARCE_OK;
}
