/* SPDX-License-Identifier: Apache-2.0 */
/* What all criteria share. */
#include "tree/criterion.h"

#include <math.h>
#include <string.h>

double scarce__largest(const double *value, size_t n)
{
    return scarce__largest_body(value, n);
}

/* -inf to the candidates that leave a side fewer rows (or none) or marks than the rules want. */
static void drop_small(const scarce__split_rules *r, scarce__gh total, const scarce__sides *left, size_t from,
                       size_t to, double *value)
{
    const uint32_t rows = r->min_child_rows > 1 ? r->min_child_rows : 1; /* no side without a row */
    for (size_t b = from; b < to; ++b) {
        const scarce__gh l = left->counts[b] + left->add_counts, o = total - l;
        if (scarce__count_rows(l) < rows || scarce__count_rows(o) < rows ||
            scarce__count_marks(l) < r->min_child_marks || scarce__count_marks(o) < r->min_child_marks)
            value[b] = -INFINITY;
    }
}

size_t scarce__judge(const scarce__criterion_node *node, double worth, const scarce__sides *left, size_t from,
                     size_t to, double *value, const double *penalty, double *gain)
{
    const scarce__criterion *c = scarce__criterion_of(node->rules);
    const size_t padded = (to + SCARCE__LANES - 1) / SCARCE__LANES * SCARCE__LANES;

    for (size_t b = 0; b < from; ++b) value[b] = -INFINITY;
    for (size_t b = to; b < padded; ++b) value[b] = -INFINITY;
    double best = c->values(node, left, from, to, value);
    if (left->counts && best > -INFINITY) {
        drop_small(node->rules, node->total.counts, left, from, to, value);
        best = scarce__largest(value, to);
    }
    if (penalty && best > -INFINITY) {
        for (size_t b = from; b < to; ++b) value[b] -= penalty[b] / c->scale;
        best = scarce__largest(value, to);
    }
    const double g = c->scale * (best - worth);
    if (!(g > *gain) || !c->enough(node->rules, g, best, worth)) return SIZE_MAX;
    *gain = g;
    size_t b = from;
    while (value[b] != best) ++b;
    return b;
}

const scarce__criterion *scarce__criterion_find(const char *name)
{
    static const scarce__criterion *const all[] = {&scarce__criterion_newton,  &scarce__criterion_gini,
                                                   &scarce__criterion_entropy, &scarce__criterion_error,
                                                   &scarce__criterion_ap,      &scarce__criterion_opposed,
                                                   &scarce__criterion_ap_soft, &scarce__criterion_gini_soft};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (strcmp(all[i]->name, name) == 0) return all[i];
    return NULL;
}
