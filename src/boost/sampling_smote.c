/* SPDX-License-Identifier: Apache-2.0 */
/* All rows, and for each bag new positives between a positive and one of its k nearest positives (SMOTE, see
 * sample/synthesis.h): what SMOTEBoost trains its trees on.
 *
 * The neighbours are found once; steps and neighbours of a row are drawn anew for each bag. A row made up has the case
 * weight of the row it was made from, and beyond that what a row of its label and score weighs, for the loss sees it
 * as any other.
 *
 * Chawla, Lazarevic, Hall and Bowyer: SMOTEBoost: improving prediction of the minority class in boosting, PKDD 2003. */
#include <math.h>
#include <string.h>

#include "boost/sampling.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "sample/synthesis.h"

typedef struct smote {
    size_t n;
    uint32_t *positive;      /* of the training rows */
    scarce_table *positives; /* these rows */
    scarce__seeds seeds;     /* in terms of them */
    scarce_table *made;      /* until the next draw */
} smote;

static void smote_end(scarce__sampling *s)
{
    smote *m = s->state;
    if (!m) return;
    scarce__free(m->positive);
    scarce_table_free(m->positives);
    scarce__seeds_deinit(&m->seeds);
    scarce_table_free(m->made);
    scarce__free(m);
}

static scarce_status smote_check(scarce__sampling *s, size_t n_positives, size_t n_negatives,
                                 const scarce__loss *loss, scarce_error *err)
{
    (void)n_negatives;
    (void)loss;
    if (!(s->o.made > 0) || !isfinite(s->o.made))
        return scarce__fail(err, SCARCE_EINVAL, "%g rows made up for each positive: more than 0 are needed",
                            s->o.made);
    if (s->o.neighbours < 1)
        return scarce__fail(err, SCARCE_EINVAL, "%d neighbours: at least 1 is needed", s->o.neighbours);
    if (n_positives == 1)
        return scarce__fail(
            err, SCARCE_EDATA,
            "1 positive: rows can't be made between it and others (adaboost, rusboost and gb take "
            "it as it is)");
    return SCARCE_OK;
}

/* The positives as a table of their own. */
static scarce_status take_positives(smote *m, const scarce__population *all, scarce_context *ctx,
                                    scarce_error *err)
{
    uint32_t *row;
    scarce_status st;

    for (size_t i = 0; i < all->n; ++i) m->n += all->label[i] != 0;
    m->positive = scarce__malloc_array(m->n, sizeof *m->positive);
    row = scarce__malloc_array(m->n, sizeof *row);
    if (!m->positive || !row) {
        scarce__free(row);
        return scarce__fail_memory(err, "the positives", 8 * m->n);
    }
    for (size_t i = 0, k = 0; i < all->n; ++i) {
        if (!all->label[i]) continue;
        row[k] = all->table_row ? all->table_row[i] : (uint32_t)i;
        m->positive[k++] = (uint32_t)i;
    }
    st = scarce_table_rows_of(&m->positives, all->table, row, m->n, ctx, err);
    scarce__free(row);
    return st;
}

static scarce_status smote_start(scarce__sampling *s, const scarce__population *all, scarce_context *ctx,
                                 scarce_error *err)
{
    smote *m = scarce__calloc(1, sizeof *m);
    scarce__space space;
    scarce_status st;

    s->state = m; /* freed by `end`, whatever happens */
    if (!m) return scarce__fail_memory(err, "the positives", 0);
    SCARCE__TRY(take_positives(m, all, ctx, err));
    SCARCE__TRY(scarce__seeds_init(&m->seeds, m->n, (size_t)s->o.neighbours, err));
    for (size_t k = 0; k < m->n; ++k) m->seeds.base[k] = (uint32_t)k;
    SCARCE__TRY(scarce__space_init(&space, all->table, SCARCE__SCALE_AUTO, ctx, err));
    st = scarce__seeds_find(&m->seeds, &space, m->positives, m->seeds.base, m->n, ctx, err);
    scarce__space_deinit(&space);
    return st;
}

/* m->made: the new rows of this bag; recipe says which rows they are made from. */
static scarce_status make_rows(smote *m, const scarce__sampling_options *o, scarce__recipe *recipe,
                               const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    const uint32_t none = 0;
    const size_t total = (size_t)floor(o->made * (double)m->n + 0.5);

    m->seeds.seed = scarce__key(at->seed, SCARCE__FOR_ROWS, 2 * at->tree) | 1;
    SCARCE__TRY(scarce__seeds_share(&m->seeds, 0, m->n, total, ctx, err));
    SCARCE__TRY(scarce__synthesise(recipe, m->positives, &m->seeds, 0, ctx, err));
    SCARCE__TRY(scarce_table_rows_of(&m->made, m->positives, m->seeds.base, m->n, ctx, err));
    const scarce__rework change = {&none, 0, recipe->base, recipe->n_base, &recipe->making};
    SCARCE__TRY(scarce__table_rework(m->made, &change, ctx, err));
    if (m->made->label) memset(m->made->label, 1, m->made->n_rows);
    return SCARCE_OK;
}

static scarce_status smote_draw(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                                const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    smote *m = s->state;
    scarce__recipe recipe;
    scarce_status st;

    scarce_table_free(m->made);
    m->made = NULL;
    memset(&recipe, 0, sizeof recipe);
    st = make_rows(m, &s->o, &recipe, at, ctx, err);
    if (st == SCARCE_OK)
        st = scarce__bag_reserve(out, from->n + m->made->n_rows, from->case_weight != NULL, err);
    if (st == SCARCE_OK) {
        for (size_t i = 0; i < from->n; ++i) out->row[i] = (uint32_t)i;
        for (size_t i = 0; out->weight && i < from->n; ++i) out->weight[i] = 1;
        for (size_t k = 0; out->weight && k < recipe.n_base; ++k)
            out->weight[from->n + k] = from->case_weight[m->positive[recipe.base[k]]];
        out->n = from->n;
        out->made = m->made;
    }
    scarce__recipe_deinit(&recipe);
    return st;
}

const scarce__sampler scarce__sampler_smote = {.name = "smote",
                                               .summary = "all rows, and positives made up between positives",
                                               .takes = "made neighbours",
                                               .by_class = 1,
                                               .makes_rows = 1,
                                               .check = smote_check,
                                               .start = smote_start,
                                               .draw = smote_draw,
                                               .end = smote_end};
