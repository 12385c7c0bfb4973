/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking trees as JSON: every node and leaf, and of a single tree the rules. */
#include <math.h>

#include "core/fail.h"
#include "core/json.h"
#include "rank/show.h"

static void put_set(scarce__text *out, const scarce_schema *schema, uint32_t feature, const uint32_t *set,
                    uint32_t words, int beyond)
{
    const scarce__dictionary *d = &schema->features[feature].categories;
    scarce__json_key(out, "categories");
    scarce__json_begin_array(out);
    for (size_t k = 0; k < d->count; ++k) {
        const int in = k / 32 < words ? (int)(set[k / 32] >> (k % 32) & 1) : beyond;
        if (in) scarce__json_string(out, scarce__dictionary_text(d, k));
    }
    scarce__json_end_array(out);
}

static void put_node(const scarce__rank_shown *s, const scarce__dag *dag, size_t i, scarce__text *out)
{
    const scarce__node *n = &dag->nodes[i];
    const int other = (n->flags & SCARCE__OTHER_LEFT) != 0;

    scarce__json_begin_object(out);
    scarce__json_field_integer(out, "id", (int64_t)i);
    if (n->feature < 0) {
        static const char *const majority[] = {"even", "positive", "negative"};
        scarce__json_field_integer(out, "leaf", n->left);
        scarce__json_field_string(out, "majority", majority[n->flags]);
    } else {
        scarce__json_field_string(out, "feature", s->schema->features[n->feature].name);
        if (n->flags & SCARCE__CATEGORY) {
            put_set(out, s->schema, (uint32_t)n->feature, dag->sets + (n->set_words ? n->set : 0),
                    n->set_words, other);
            scarce__json_field_string(out, "other", other ? "left" : "right");
        } else scarce__json_field_number(out, "threshold", (double)n->value);
        scarce__json_field_string(out, "missing", n->flags & SCARCE__MISSING_LEFT ? "left" : "right");
        scarce__json_field_boolean(out, "inner_root", (n->flags & SCARCE__INNER_ROOT) != 0);
        scarce__json_field_integer(out, "left", n->left);
        scarce__json_field_integer(out, "right", n->right);
    }
    scarce__json_field_integer(out, "rows", (int64_t)n->rows);
    scarce__json_field_number(out, "share", (double)n->cover);
    scarce__json_end_object(out);
}

static void put_condition(const scarce__rank_shown *s, const scarce__condition *c, scarce__text *out)
{
    scarce__json_begin_object(out);
    scarce__json_field_string(out, "feature", s->schema->features[c->feature].name);
    if (c->category) {
        put_set(out, s->schema, c->feature, c->set, c->words, 0);
        scarce__json_field_boolean(out, "other", c->other);
    } else {
        if (c->low > -INFINITY) scarce__json_field_number(out, "above", (double)c->low);
        if (c->high < INFINITY) scarce__json_field_number(out, "up_to", (double)c->high);
    }
    scarce__json_field_boolean(out, "missing", c->missing);
    scarce__json_end_object(out);
}

/* Of each leaf a list of ways, each a list of conditions that must all hold. */
static scarce_status put_rules(const scarce__rank_shown *s, const scarce__dag *dag, scarce__text *out,
                               scarce_error *err)
{
    scarce__rules r;
    SCARCE__TRY(scarce__rules_of(&r, dag, s->schema, 0, 0, err));
    scarce__json_key(out, "rules");
    scarce__json_begin_array(out);
    for (size_t leaf = 0, i = 0; leaf < dag->n_leaves; ++leaf) {
        scarce__json_begin_array(out);
        for (; i < r.n && r.boxes[i].target == (int32_t)leaf; ++i) {
            scarce__json_begin_array(out);
            for (size_t k = 0; k < r.boxes[i].n; ++k) put_condition(s, &r.boxes[i].conditions[k], out);
            scarce__json_end_array(out);
        }
        scarce__json_end_array(out);
    }
    scarce__json_end_array(out);
    scarce__rules_deinit(&r);
    return SCARCE_OK;
}

static void put_leaves(const scarce__dag *dag, scarce__text *out)
{
    const scarce__rank_totals all = scarce__dag_totals(dag);
    double so_far = 0;

    scarce__json_key(out, "leaves");
    scarce__json_begin_array(out);
    for (size_t i = 0; i < dag->n_leaves; ++i) {
        const scarce__rank_leaf *l = &dag->leaves[i];
        so_far += l->positive;
        scarce__json_begin_object(out);
        scarce__json_field_number(out, "score", l->score);
        scarce__json_field_number(out, "tie", l->tie);
        scarce__json_field_integer(out, "rows", (int64_t)l->rows);
        scarce__json_field_integer(out, "positives", (int64_t)l->positives);
        scarce__json_field_number(out, "precision", l->weight > 0 ? l->positive / l->weight : 0);
        scarce__json_field_number(out, "share_of_positives",
                                  all.positive > 0 ? l->positive / all.positive : 0);
        scarce__json_field_number(out, "recall", all.positive > 0 ? so_far / all.positive : 0);
        scarce__json_end_object(out);
    }
    scarce__json_end_array(out);
}

scarce_status scarce__rank_json(const scarce__rank_shown *s, scarce__text *out, scarce_error *err)
{
    static const char *const distance[] = {"none", "ties", "alone"};

    scarce__json_field_string(out, "distance", distance[s->rank->distance]);
    if (s->rank->scale) {
        scarce__json_key(out, "scale");
        scarce__json_begin_array(out);
        for (size_t f = 0; f < s->rank->n_features; ++f) scarce__json_number(out, s->rank->scale[f]);
        scarce__json_end_array(out);
    }
    scarce__json_key(out, "ranking_trees");
    scarce__json_begin_array(out);
    for (size_t i = 0; i < s->rank->n_dags; ++i) {
        const scarce__dag *dag = &s->rank->dags[i];
        scarce__json_begin_object(out);
        put_leaves(dag, out);
        scarce__json_key(out, "nodes");
        scarce__json_begin_array(out);
        for (size_t k = 0; k < dag->n_nodes; ++k) put_node(s, dag, k, out);
        scarce__json_end_array(out);
        /* a graph with more paths than anybody reads has its nodes alone */
        if (s->rank->n_dags == 1 && put_rules(s, dag, out, err) == SCARCE_ENOMEM) return SCARCE_ENOMEM;
        scarce__json_end_object(out);
    }
    scarce__json_end_array(out);
    return SCARCE_OK;
}
