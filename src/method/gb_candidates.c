/* SPDX-License-Identifier: Apache-2.0 */
/* What held-out rows are asked about (gb_choose.c), by the size of the data and by what the user left open. */
#include "method/gb_candidates.h"

#include <stdlib.h>
#include "data/table.h"

enum { SMALL_ROWS = 10000, LARGER_LEAVES = 63, HASTE = 4 };

static int has_categories(const scarce_schema *schema)
{
    for (size_t f = 0; f < schema->n_features; ++f)
        if (schema->features[f].categories.count > 2) return 1;
    return 0;
}

static scarce__boost_options *another(scarce__gb_candidates *c)
{
    c->o[c->n] = c->o[0];
    return &c->o[c->n++];
}

void scarce__gb_candidates_of(scarce__gb_candidates *c, const scarce__boost_options *o,
                              const scarce__gb_params *asked, const scarce_table *table, int counting)
{
    const double positives = (double)table->n_positives, rows = (double)table->n_rows;
    const int small = table->n_rows < SMALL_ROWS && asked->tree.splits == SCARCE__SPLITS_AUTO &&
                      o->grow.rules.random;
    const char *e = getenv("GB"), *h = getenv("GB_HASTE");
    if (!e) e = "lbca";

    c->n = 1;
    c->o[0] = *o;
    c->count = counting;
    c->calibrate = counting;
    c->haste = small ? (h ? atoi(h) : HASTE) : 1;
    c->least = table->n_rows < SMALL_ROWS && positives < 0.1 * rows ? 300 : 100;
    for (; small && *e; ++e) {
        if (*e == 'l' && asked->tree.max_leaves == SCARCE__AUTO_INT) another(c)->grow.max_leaves = LARGER_LEAVES;
        if (*e == 'b') another(c)->grow.rules.random = 0;
        if (*e == 'B') { scarce__boost_options *x = another(c); x->grow.rules.random = 0; x->grow.colsample_node = 1; }
        if (*e == 'f') { scarce__boost_options *x = another(c); x->grow.colsample_node = 1; }
        if (*e == 'w') { scarce__boost_options *x = another(c); x->grow.rules.min_child_weight = 0.01; }
        if (*e == 'c' && has_categories(&table->schema)) another(c)->grow.rules.category_all = 1;
        if (*e == 'C' && has_categories(&table->schema)) { scarce__boost_options *x = another(c); x->grow.rules.category_all = 1; x->grow.rules.random = 0; }
        if (*e == 'x') c->calibrate = 0;
    }
}
