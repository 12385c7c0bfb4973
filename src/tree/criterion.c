/* SPDX-License-Identifier: Apache-2.0 */
/* What all criteria share. */
#include "tree/criterion.h"

#include <math.h>
#include <string.h>

double scarce__largest(const double *value, size_t n)
{
    return scarce__largest_body(value, n);
}

void scarce__drop_small(const scarce__split_rules *r, scarce__gh total, const scarce__sides *left,
                        size_t from, size_t to, double *value)
{
    const uint32_t rows = r->min_child_rows > 1 ? r->min_child_rows : 1; /* no side without a row */
    for (size_t b = from; b < to; ++b) {
        const scarce__gh l = left->counts[b] + left->add_counts, o = total - l;
        if (scarce__count_rows(l) < rows || scarce__count_rows(o) < rows ||
            scarce__count_marks(l) < r->min_child_marks || scarce__count_marks(o) < r->min_child_marks)
            value[b] = -INFINITY;
    }
}

const scarce__criterion *scarce__criterion_find(const char *name)
{
    static const scarce__criterion *const all[] = {&scarce__criterion_newton, &scarce__criterion_gini,
                                                   &scarce__criterion_entropy, &scarce__criterion_error,
                                                   &scarce__criterion_ap};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (strcmp(all[i]->name, name) == 0) return all[i];
    return NULL;
}
