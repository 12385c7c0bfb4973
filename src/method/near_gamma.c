/* SPDX-License-Identifier: Apache-2.0 */
#include "method/near_gamma.h"

#include <math.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/fail.h"

double scarce__measure_of(scarce__measure measure, double tp, double fp, double fn, double tn)
{
    const double recall = tp + fn > 0 ? tp / (tp + fn) : 0, tnr = tn + fp > 0 ? tn / (tn + fp) : 0,
                 precision = tp + fp > 0 ? tp / (tp + fp) : 0;

    switch (measure) {
    case SCARCE__MEASURE_F1: return 2 * tp + fp + fn > 0 ? 2 * tp / (2 * tp + fp + fn) : 0;
    case SCARCE__MEASURE_BA: return (recall + tnr) / 2;
    case SCARCE__MEASURE_G_MEAN: return sqrt(recall * tnr);
    case SCARCE__MEASURE_G_MEASURE: return sqrt(precision * recall);
    case SCARCE__MEASURE_MCC: {
        const double square = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn);
        return square > 0 ? (tp * tn - fp * fn) / sqrt(square) : 0;
    }
    }
    return 0;
}

typedef struct scored {
    double score, weight;
    uint32_t row;
    int label;
} scored;

static int by_score(const void *a, const void *b)
{
    const scored *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

scarce_status scarce__gamma_choose(double *threshold, double *value, const scarce__gamma_rows *rows,
                                   scarce__measure measure, scarce_error *err)
{
    scored *s = scarce__malloc_array(rows->n, sizeof *s);
    double all[2] = {0, 0}, count[2] = {0, 0};
    size_t n = 0, i = 0;

    if (!s) return scarce__fail_memory(err, "the choice of gamma", 0);
    for (size_t r = 0; r < rows->n; ++r) {
        if ((rows->use && !rows->use[r]) || isnan(rows->score[r])) continue;
        s[n] = (scored){rows->score[r], rows->weight ? rows->weight[r] : 1, (uint32_t)r, rows->label[r] != 0};
        all[s[n].label] += s[n].weight;
        ++n;
    }
    qsort(s, n, sizeof *s, by_score);
    for (; i < n && s[i].score >= 0.5; ++i) count[s[i].label] += s[i].weight;
    *threshold = 0.5;
    *value = scarce__measure_of(measure, count[1], count[0], all[1] - count[1], all[0] - count[0]);
    while (i < n && s[i].score > 0 && all[1] > 0) {
        const double at = s[i].score;
        for (; i < n && s[i].score == at; ++i) count[s[i].label] += s[i].weight;
        const double here =
            scarce__measure_of(measure, count[1], count[0], all[1] - count[1], all[0] - count[0]);
        if (here > *value) *value = here, *threshold = at;
    }
    scarce__free(s);
    return SCARCE_OK;
}
