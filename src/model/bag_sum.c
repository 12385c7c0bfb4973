/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of models as one model. Trees: all of them, leaves scaled. Linear models act on raw values with one weight
 * per feature or category of the schema, whatever was standardised while they learnt, so their sum is a linear model
 * too. Other kinds, or several of them, are held together by a bag. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "linear/linear.h"
#include "model/bag.h"
#include "tree/forest.h"

static int all_of(const scarce__kind *const *kinds, size_t n, const scarce__kind *kind)
{
    for (size_t i = 0; i < n; ++i)
        if (kinds[i] != kind) return 0;
    return n > 0;
}

static scarce_status sum_trees(void **sum, void **body, const double *shift, size_t n, double weight,
                               scarce_error *err)
{
    scarce__forest *forest = scarce__calloc(1, sizeof *forest);
    const scarce__forest **members = scarce__malloc_array(n, sizeof *members);
    scarce_status st = SCARCE_OK;

    if (!forest || !members) st = scarce__fail_memory(err, "a sum of trees", 0);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) members[i] = body[i];
    if (st == SCARCE_OK) st = scarce__forest_join(forest, members, n, weight, err);
    for (size_t i = 0; st == SCARCE_OK && shift && i < n; ++i) forest->base += weight * shift[i];
    scarce__free(members);
    if (st == SCARCE_OK && !isfinite(forest->base)) {
        scarce__forest_deinit(forest);
        st = scarce__fail(err, SCARCE_ENUMERIC, "the base of a sum of trees isn't finite");
    }
    if (st == SCARCE_OK) *sum = forest;
    else scarce__free(forest);
    return st;
}

static void add_scaled(double *to, const double *from, size_t n, double weight)
{
    for (size_t i = 0; i < n; ++i) to[i] += weight * from[i];
}

static scarce_status sum_linear(void **sum, void **body, const double *shift, size_t n, double weight,
                                scarce_error *err)
{
    const scarce__linear *first = body[0];
    scarce__linear *m = scarce__calloc(1, sizeof *m);
    scarce_status st;

    if (!m) return scarce__fail_memory(err, "a linear model", 0);
    st = scarce__linear_alloc(m, first->n_features, first->slot_begin, err);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) {
        const scarce__linear *one = body[i];
        m->bias += weight * (one->bias + (shift ? shift[i] : 0));
        add_scaled(m->weight, one->weight, m->n_features, weight);
        add_scaled(m->missing_weight, one->missing_weight, m->n_features, weight);
        add_scaled(m->slot_weight, one->slot_weight, m->n_slots, weight);
    }
    if (st == SCARCE_OK) st = scarce__linear_check(m, err);
    if (st == SCARCE_OK) *sum = m;
    else {
        scarce__linear_deinit(m);
        scarce__free(m);
    }
    return st;
}

static size_t count_members(const scarce__kind *const *kinds, void **body, size_t n)
{
    size_t members = 0;
    for (size_t i = 0; i < n; ++i)
        members += kinds[i] == &scarce__kind_bag ? ((const scarce__bag_body *)body[i])->n : 1;
    return members;
}

/* The members of a bag join as they are: weight (sum of w (s + h) + shift), the shift at the first of them. */
static void take_bag(scarce__bag_body *to, scarce__bag_body *from, double shift, double weight)
{
    for (size_t k = 0; k < from->n; ++k) {
        scarce__bag_member m = from->members[k];
        if (k == 0 && m.weight != 0) m.shift += shift / m.weight;
        m.weight *= weight;
        to->members[to->n++] = m;
    }
    scarce__free(from->members);
    scarce__free(from);
}

static scarce_status hold_together(void **sum, const scarce_schema *schema, const scarce__kind *const *kinds,
                                   void **body, const double *shift, size_t n, double weight, scarce_error *err)
{
    const size_t members = count_members(kinds, body, n);
    scarce__bag_body *b = scarce__calloc(1, sizeof *b);

    if (!b) return scarce__fail_memory(err, "a bag", 0);
    b->n_features = schema->n_features;
    b->members = scarce__calloc(members, sizeof *b->members);
    if (!b->members) {
        scarce__free(b);
        return scarce__fail_memory(err, "a bag", members * sizeof *b->members);
    }
    for (size_t i = 0; i < n; ++i) {
        const double h = shift ? shift[i] : 0;
        if (kinds[i] == &scarce__kind_bag) take_bag(b, body[i], h, weight);
        else b->members[b->n++] = (scarce__bag_member){kinds[i], body[i], weight, h};
        body[i] = NULL;
    }
    *sum = b;
    return SCARCE_OK;
}

scarce_status scarce__bag_sum(const scarce__kind **kind, void **sum, const scarce_schema *schema,
                              const scarce__kind *const *kinds, void **body, const double *shift, size_t n,
                              double weight, scarce_error *err)
{
    *sum = NULL;
    if (all_of(kinds, n, &scarce__kind_trees)) {
        *kind = &scarce__kind_trees;
        return sum_trees(sum, body, shift, n, weight, err);
    }
    if (all_of(kinds, n, &scarce__kind_linear)) {
        *kind = &scarce__kind_linear;
        return sum_linear(sum, body, shift, n, weight, err);
    }
    *kind = &scarce__kind_bag;
    return hold_together(sum, schema, kinds, body, shift, n, weight, err);
}
