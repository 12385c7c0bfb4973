/* SPDX-License-Identifier: Apache-2.0 */
/* What held-out rows are asked about (gb_choose.c), by the size of the data and by what the user left open.
 *
 * On small data random thresholds of small trees overfit least, so they are what is taken unless another is clearly
 * better. Others are better where labels follow sharp rules: larger trees (copies of rows, labels without noise), the
 * best thresholds, and for categories more ways to split them (which pay where values matter only together, as the
 * places of two pieces on a chessboard do: there the loss falls to half; where effects add up it rises).
 *
 * From 10,000 rows on many small trees with short steps and half of the features per node rank better on most tables;
 * the usual ones where rows are looked up rather than generalised from. */
#include "method/gb_candidates.h"

#include <math.h>

#include "data/table.h"
#include "method/gb_beside.h"

enum { SMALL_ROWS = 10000, LARGER_LEAVES = 63, SLOW_LEAVES = 15 };

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

static void choose_small(scarce__gb_candidates *c, const scarce__gb_params *asked, const scarce_table *table)
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

static void choose_large(scarce__gb_candidates *c)
{
    scarce__gb_candidate *slow = &c->one[0];

    slow->haste = 2;
    (void)another(c);
    slow->o.grow.learning_rate = 0.03;
    slow->o.grow.max_leaves = SLOW_LEAVES;
    slow->o.grow.colsample_node = 0.5;
    slow->haste = 6;
    slow->least = 300;
}

/* With few positives, when nothing is said about the trees: see gb_beside.c. */
enum { BESIDE_ROWS = 200000 };
static const double WORTH_IT = 0.15; /* a smaller share changes nothing */

static double share_of(const scarce__gb_params *asked, const scarce__boost_options *o,
                       const scarce_table *table)
{
    const scarce__gb_tree_params *t = &asked->tree;
    double weight[2] = {0, 0};

    if (!isnan(asked->end.beside)) return asked->end.beside;
    if (t->max_leaves != SCARCE__AUTO_INT || !isnan(t->colsample_node) || !isnan(t->learning_rate) ||
        t->category_splits != SCARCE__CATEGORY_SPLITS_AUTO || o->grow.monotone || o->grow.n_groups > 0 ||
        o->sampling.kind != SCARCE__ROWS_ALL)
        return 0;
    for (size_t i = 0; i < table->n_rows; ++i)
        weight[table->label[i] != 0] += table->weight ? table->weight[i] : 1;
    const double share = scarce__gb_beside_share(weight[weight[1] < weight[0]]);
    return share < WORTH_IT || table->n_rows >= BESIDE_ROWS ? 0 : share;
}

void scarce__gb_candidates_of(scarce__gb_candidates *c, const scarce__boost_options *o,
                              const scarce__gb_params *asked, const scarce_table *table, int calibrate)
{
    const scarce__gb_tree_params *t = &asked->tree;
    const double positives = (double)table->n_positives, rows = (double)table->n_rows;
    const int few = table->n_rows < SMALL_ROWS;

    c->n = 1;
    c->one[0].o = *o;
    c->one[0].haste = 1;
    /* with rare positives the loss is least long before the list is best */
    c->one[0].least = few && positives < 0.1 * rows ? 300 : 100;
    c->calibrate = calibrate;
    c->beside = 0;
    c->small_runs = 0;
    if (few && t->splits == SCARCE__SPLITS_AUTO && o->grow.rules.random) {
        choose_small(c, asked, table);
        c->beside = share_of(asked, o, table);
        c->small_runs = c->beside > 0;
        c->small = c->one[0];
        c->small.o = scarce__gb_small_trees(o);
    }
    if (!few && isnan(t->learning_rate) && t->max_leaves == SCARCE__AUTO_INT && isnan(t->colsample_node) &&
        t->splits == SCARCE__SPLITS_AUTO) {
        choose_large(c);
        c->beside = share_of(asked, o, table);
    }
}
