/* SPDX-License-Identifier: Apache-2.0 */
/* What held-out rows are asked about (gb_choose.c), by the size of the data and by what the user left open.
 *
 * On small data nothing is known beforehand, so models of several kinds are summed up, with the weights that held-out
 * rows give them: trees with random thresholds and half of the features per node, which overfit least; large trees that see
 * everything, with random and with the best thresholds (labels by a rule, rows that are looked up); very small ones
 * (effects that add up); and a straight line. Steps are long: what a sum of several kinds averages out need not be
 * averaged out by each of them.
 *
 * Where a setting of the trees is given, or constraints are, one kind is meant: then it is trees with random thresholds
 * unless larger ones, the best thresholds or more ways to split categories are clearly better.
 *
 * From 10,000 rows on many small trees with short steps and half of the features per node rank better where positives are
 * few; with many positives the usual ones do as well for a third of the cost, unless rows say otherwise. */
#include "method/gb_candidates.h"

#include <math.h>
#include <string.h>

#include "core/random.h"
#include "data/table.h"
#include "method/gb_linear.h"

enum {
    SMALL_ROWS = 10000,
    LARGER_LEAVES = 63, /* in a race */
    SLOW_LEAVES = 15,
    LARGE_LEAVES = 31, /* voices */
    EFFECT_LEAVES = 3,
    FEW_TREES = 50,
    EFFECT_TREES = 75,
    PARTS = 5,
    PARTS_OF_VOICES = 3, /* weights of voices need less than numbers of trees do */
    SUM_ROWS = 200000,
    FEW_POSITIVES = 800
};
static const double STEP = 0.1, FEWER = 0.1;

static int has_categories(const scarce_schema *schema)
{
    for (size_t f = 0; f < schema->n_features; ++f)
        if (schema->features[f].categories.count > 2) return 1;
    return 0;
}

static scarce__boost_options *another(scarce__gb_candidates *c)
{
    c->one[c->n] = c->one[0];
    return &c->one[c->n++].o;
}

static void race_small(scarce__gb_candidates *c, const scarce__gb_params *asked, const scarce_table *table)
{
    c->one[0].haste = 4;
    if (asked->tree.max_leaves == SCARCE__AUTO_INT) another(c)->grow.max_leaves = LARGER_LEAVES;
    another(c)->grow.rules.random = 0;
    if (asked->tree.category_splits != SCARCE__CATEGORY_SPLITS_AUTO || !has_categories(&table->schema))
        return;
    another(c)->grow.rules.category_all = 1;
    scarce__boost_options *both = another(c);
    both->grow.rules.category_all = 1;
    both->grow.rules.random = 0;
}

/* Where rows can't tell, few positives are for many small steps, and many for what costs a third of that. */
static void race_large(scarce__gb_candidates *c, int rare)
{
    c->one[0].haste = 2;
    (void)another(c);
    scarce__gb_candidate *slow = &c->one[rare ? 0 : 1];
    slow->o.grow.learning_rate = 0.03;
    slow->o.grow.max_leaves = SLOW_LEAVES;
    slow->o.grow.colsample_node = 0.5;
    slow->haste = 6;
    slow->o.n_trees = slow->least = 300;
}

/* ---- voices of a sum */

/* Other thresholds than the voices before it; of as many trees at least. */
static scarce__gb_candidate *voice(scarce__gb_candidates *c, int trees)
{
    scarce__gb_candidate *v = &c->one[c->n];
    *v = c->one[0];
    v->o.seed = scarce__key(c->one[0].o.seed, SCARCE__FOR_MEMBERS, 5 + c->n++);
    v->o.n_trees = v->least = trees;
    v->prior = 1;
    return v;
}

/* A straight line. */
static void linear_voice(scarce__gb_candidates *c, const scarce_table *table)
{
    if (!scarce__gb_linear_fits(table)) return;
    voice(c, 0)->linear = 1;
}

/* Large trees that see everything: leaves of very few rows, every way to split categories. */
static void large_voice(scarce__gb_candidates *c, int random, int trees)
{
    scarce__gb_candidate *v = voice(c, trees);
    scarce__boost_options *o = &v->o;
    v->prior = random ? 0.5 : 0.3;
    v->risky = !random;
    o->grow.rules.random = random;
    o->grow.max_leaves = LARGE_LEAVES;
    o->grow.colsample_node = 1;
    o->grow.rules.category_all = 1;
    o->grow.rules.min_child_weight *= FEWER;
}

static void sum_small(scarce__gb_candidates *c, const scarce__gb_params *asked, const scarce_table *table,
                      int trees)
{
    scarce__gb_candidate *usual = &c->one[0];

    if (isnan(asked->tree.learning_rate)) usual->o.grow.learning_rate = STEP;
    if (asked->tree.n_trees == SCARCE__AUTO_INT) usual->o.n_trees = trees;
    usual->least = trees;
    usual->haste = 3;
    c->sum = 1;
    c->parts = PARTS_OF_VOICES;
    large_voice(c, 1, trees);
    large_voice(c, 0, FEW_TREES);
    scarce__gb_candidate *effects = voice(c, EFFECT_TREES);
    effects->risky = 1;
    effects->o.grow.max_leaves = EFFECT_LEAVES;
    effects->o.grow.colsample_node = 1;
    effects->o.grow.rules.random = 0;
    linear_voice(c, table);
}

/* The usual trees beside the slow ones, and what is simpler. */
static void sum_large(scarce__gb_candidates *c, const scarce_table *table, int rare)
{
    scarce__gb_candidate *usual = &c->one[rare ? 1 : 0];

    c->sum = 1;
    usual->prior = 0.5;
    scarce__gb_candidate *effects = voice(c, 100);
    effects->o.grow = usual->o.grow;
    effects->o.grow.max_leaves = EFFECT_LEAVES;
    effects->haste = usual->haste;
    linear_voice(c, table);
}

static int one_kind_is_meant(const scarce__gb_params *asked, const scarce__boost_options *o)
{
    const scarce__gb_tree_params *t = &asked->tree;
    return t->max_leaves != SCARCE__AUTO_INT || !isnan(t->colsample_node) || !isnan(t->learning_rate) ||
           t->category_splits != SCARCE__CATEGORY_SPLITS_AUTO || t->splits != SCARCE__SPLITS_AUTO ||
           o->grow.monotone || o->grow.n_groups > 0 || o->sampling.kind != SCARCE__ROWS_ALL;
}

static int is_rare(const scarce_table *table)
{
    double weight[2] = {0, 0};
    for (size_t i = 0; i < table->n_rows; ++i)
        weight[table->label[i] != 0] += table->weight ? table->weight[i] : 1;
    return weight[weight[1] < weight[0]] <= FEW_POSITIVES;
}

void scarce__gb_candidates_of(scarce__gb_candidates *c, const scarce__boost_options *o,
                              const scarce__gb_params *asked, const scarce_table *table, int calibrate)
{
    const scarce__gb_tree_params *t = &asked->tree;
    const int few = table->n_rows < SMALL_ROWS;
    /* with rare positives the loss is least long before the list is best */
    const int rare = (double)table->n_positives < 0.1 * (double)table->n_rows;
    const int several = asked->end.voices == SCARCE__VOICES_SEVERAL;
    const int sum = several || (asked->end.voices == SCARCE__VOICES_AUTO && !one_kind_is_meant(asked, o));
    const int open =
        t->n_trees == SCARCE__AUTO_INT && t->splits == SCARCE__SPLITS_AUTO &&
        (few ? o->grow.rules.random
             : isnan(t->learning_rate) && t->max_leaves == SCARCE__AUTO_INT && isnan(t->colsample_node));

    memset(c, 0, sizeof *c);
    c->n = 1;
    c->one[0].o = *o;
    c->one[0].haste = 1;
    c->one[0].prior = 1;
    c->one[0].least = few && rare ? 300 : 100;
    c->calibrate = calibrate;
    c->parts = PARTS;
    if (open && few) {
        if (sum) sum_small(c, asked, table, rare ? 150 : 50);
        else race_small(c, asked, table);
    } else if (open) {
        const int few_positives = is_rare(table);
        race_large(c, few_positives);
        /* of many rows a sum costs more than it gains, unless positives are few */
        if (sum && (several || (few_positives && table->n_rows < SUM_ROWS)))
            sum_large(c, table, few_positives);
    } else if (several) {
        sum_small(c, asked, table, o->n_trees);
    }
}
