/* SPDX-License-Identifier: Apache-2.0 */
/* All rows, and for each bag new positives between a positive and one of its k nearest positives (SMOTE, see
 * sample/synthesis.h): what SMOTEBoost trains its trees on.
 *
 * The neighbours are found once; steps and neighbours of a row are drawn anew for each bag. Positives that are equal are
 * one, for between copies nothing new lies; a row made up has the case weight of all of them, and beyond that what a row
 * of its label and score weighs, for the loss sees it as any other. Positives come in the order of what they hold, so
 * neither the order of the rows nor weights written as copies change what is made up.
 *
 * Chawla, Lazarevic, Hall and Bowyer: SMOTEBoost: improving prediction of the minority class in boosting, PKDD 2003. */
#include <math.h>
#include <string.h>

#include "boost/sampling_places.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "data/row_hash.h"
#include "sample/synthesis.h"

typedef struct smote {
    size_t n;
    float *weight;           /* of each positive, with its copies */
    int weighed;             /* any is not 1 */
    scarce_table *positives; /* no two are equal */
    scarce__seeds seeds;     /* in terms of them */
    scarce_table *made;      /* until the next draw */
} smote;

static void smote_end(scarce__sampling *s)
{
    smote *m = s->state;
    if (!m) return;
    scarce__free(m->weight);
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

/* Lists positives that weigh something in the order of what they hold, equal ones once; row has room for all. */
static scarce_status list_positives(smote *m, const scarce__population *all, uint32_t *row, scarce_error *err)
{
    uint64_t *hash = NULL;
    size_t n = 0;
    scarce_status st = scarce__training_hashes(&hash, all, err);

    for (size_t i = 0; st == SCARCE_OK && i < all->n; ++i)
        if (all->label[i] && (!all->case_weight || all->case_weight[i] > 0)) row[n++] = (uint32_t)i;
    if (st == SCARCE_OK) st = scarce__order_rows(row, n, hash, err);
    for (size_t k = 0; st == SCARCE_OK && k < n; ++k) {
        const float w = all->case_weight ? all->case_weight[row[k]] : 1;
        if (m->n > 0 && hash[row[m->n - 1]] == hash[row[k]]) m->weight[m->n - 1] += w;
        else {
            m->weight[m->n] = w;
            row[m->n++] = row[k];
        }
        m->weighed |= m->weight[m->n - 1] != 1;
    }
    for (size_t k = 0; st == SCARCE_OK && k < m->n; ++k)
        if (all->table_row) row[k] = all->table_row[row[k]];
    scarce__free(hash);
    return st;
}

/* The positives as a table of their own. */
static scarce_status take_positives(smote *m, const scarce__population *all, scarce_context *ctx,
                                    scarce_error *err)
{
    size_t most = 0;
    uint32_t *row;
    scarce_status st = SCARCE_OK;

    for (size_t i = 0; i < all->n; ++i) most += all->label[i] != 0;
    m->weight = scarce__malloc_array(most, sizeof *m->weight);
    row = scarce__malloc_array(most, sizeof *row);
    if (!m->weight || !row) st = scarce__fail_memory(err, "the positives", 8 * most);
    if (st == SCARCE_OK) st = list_positives(m, all, row, err);
    if (st == SCARCE_OK) st = scarce_table_rows_of(&m->positives, all->table, row, m->n, ctx, err);
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
    if (st == SCARCE_OK) st = scarce__bag_reserve(out, from->n + m->made->n_rows, m->weighed, err);
    if (st == SCARCE_OK) {
        for (size_t i = 0; i < from->n; ++i) out->row[i] = (uint32_t)i;
        for (size_t i = 0; out->weight && i < from->n; ++i) out->weight[i] = 1;
        for (size_t k = 0; out->weight && k < recipe.n_base; ++k)
            out->weight[from->n + k] = m->weight[recipe.base[k]];
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
