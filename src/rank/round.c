/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds as people would write them. Between the largest value of the table on the left of a threshold and
 * the smallest on its right every number parts the rows alike; of these the one with the fewest digits is
 * taken, nearest to the middle. So "amount <= 213.73499" becomes "amount <= 214", what is read is what is
 * computed, and no row of the training data changes sides. */
#include "rank/round.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "core/text.h"

typedef struct cut {
    int32_t feature;
    float value;
    uint32_t node;
} cut;

static int by_place(const void *a, const void *b)
{
    const cut *x = a, *y = b;
    if (x->feature != y->feature) return x->feature < y->feature ? -1 : 1;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static int fits(double value, int digits, float low, float high, float *out)
{
    scarce__text t = SCARCE__TEXT_INIT;
    float x = 0;
    scarce__text_digits(&t, value, digits);
    const int good = !t.failed && scarce__parse_float(t.bytes, t.n, &x) == 1 && x >= low && x < high;
    scarce__text_deinit(&t);
    if (good) *out = x;
    return good;
}

float scarce__short_between(float low, float high)
{
    const double middle = (double)low + ((double)high - (double)low) / 2;
    float out = low;
    for (int digits = 1; digits <= 9; ++digits) {
        if (fits(middle, digits, low, high, &out)) break;
        if (fits((double)low, digits, low, high, &out)) break; /* whole numbers: "<= 13", not "<= 13.5" */
    }
    return out;
}

typedef struct round_job {
    scarce__dag *dag;
    const scarce_table *table;
    cut *cuts;
    size_t *begin; /* of each feature that has some, and the end */
    float *low, *high;
} round_job;

/* low[b], high[b]: largest and smallest value between cut b - 1 and cut b. */
static void note(const cut *cuts, size_t n, float *low, float *high, float x)
{
    size_t b = 0, left = n;
    if (!isfinite(x)) return;
    while (left > 0) { /* cuts below x */
        const size_t half = left / 2;
        if (cuts[b + half].value < x) {
            b += half + 1;
            left -= half + 1;
        } else left = half;
    }
    if (x > low[b]) low[b] = x;
    if (x < high[b]) high[b] = x;
}

static void round_feature(void *arg, size_t index, int worker)
{
    const round_job *j = arg;
    const size_t first = j->begin[index], n = j->begin[index + 1] - first;
    const cut *cuts = j->cuts + first;
    float *low = j->low + first + index, *high = j->high + first + index; /* one bucket more than cuts */
    const scarce__column *column = &j->table->columns[cuts->feature];
    const double *weight = j->table->weight;

    (void)worker;
    for (size_t b = 0; b <= n; ++b) {
        low[b] = -INFINITY;
        high[b] = INFINITY;
    }
    if (j->table->schema.features[cuts->feature].kind == SCARCE_COLUMN_SPARSE) {
        const scarce__sparse *s = &column->sparse;
        for (size_t i = 0; i < s->count; ++i)
            if (!weight || weight[s->row[i]] > 0) note(cuts, n, low, high, s->value[i]);
        if (s->count < j->table->n_rows) note(cuts, n, low, high, 0);
    } else
        for (size_t i = 0; i < j->table->n_rows; ++i)
            if (!weight || weight[i] > 0) note(cuts, n, low, high, column->number[i]);
    for (size_t b = 1; b <= n; ++b)
        if (low[b - 1] > low[b]) low[b] = low[b - 1];
    for (size_t b = n; b-- > 0;)
        if (high[b + 1] < high[b]) high[b] = high[b + 1];
    for (size_t b = 0; b < n; ++b)
        if (isfinite(low[b]) && isfinite(high[b + 1]))
            j->dag->nodes[cuts[b].node].value = scarce__short_between(low[b], high[b + 1]);
}

static size_t list_cuts(cut *cuts, const scarce__dag *dag)
{
    size_t n = 0;
    for (size_t i = 0; i < dag->n_nodes; ++i) {
        const scarce__node *node = &dag->nodes[i];
        if (node->feature < 0 || (node->flags & SCARCE__CATEGORY) || !isfinite(node->value)) continue;
        cuts[n++] = (cut){node->feature, node->value, (uint32_t)i};
    }
    qsort(cuts, n, sizeof *cuts, by_place);
    return n;
}

scarce_status scarce__dag_round(scarce__dag *dag, const scarce_table *table, scarce_context *ctx,
                                scarce_error *err)
{
    const size_t most = dag->n_nodes;
    round_job j = {.dag = dag,
                   .table = table,
                   .cuts = scarce__malloc_array(most, sizeof *j.cuts),
                   .begin = scarce__malloc_array(most + 1, sizeof *j.begin),
                   .low = scarce__malloc_array(2 * most, sizeof *j.low),
                   .high = scarce__malloc_array(2 * most, sizeof *j.high)};
    const int good = j.cuts && j.begin && j.low && j.high;

    if (good) {
        const size_t n = list_cuts(j.cuts, dag);
        size_t features = 0;
        for (size_t i = 0; i < n; ++i)
            if (i == 0 || j.cuts[i].feature != j.cuts[i - 1].feature) j.begin[features++] = i;
        j.begin[features] = n;
        scarce__pool_run(scarce__context_pool(ctx), features, round_feature, &j);
    }
    scarce__free(j.cuts);
    scarce__free(j.begin);
    scarce__free(j.low);
    scarce__free(j.high);
    return good ? SCARCE_OK : scarce__fail_memory(err, "the thresholds of a tree", most * 32);
}
