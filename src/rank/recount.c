/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes and leaves caught, counted anew by labels: of trees that were taught something else. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/columns.h"
#include "rank/rank.h"
#include "tree/step.h"

enum { BLOCK = 256 };

typedef struct tally {
    double weight, positive;
    uint64_t rows, positives;
} tally;

static void add(tally *t, double weight, int positive)
{
    t->weight += weight;
    t->positive += positive ? weight : 0;
    t->rows += 1;
    t->positives += positive != 0;
}

static void count_row(const scarce__dag *d, const float *row, tally *node, tally *leaf, double weight,
                      int positive)
{
    uint32_t at = 0;
    for (;;) {
        const scarce__node *n = &d->nodes[at];
        add(&node[at], weight, positive);
        if (n->feature < 0) break;
        at = (uint32_t)(scarce__node_left(d->sets, n, row[n->feature]) ? n->left : n->right);
    }
    add(&leaf[d->nodes[at].left], weight, positive);
}

static void write_counts(scarce__dag *d, const tally *node, const tally *leaf)
{
    for (size_t i = 0; i < d->n_nodes; ++i) {
        d->nodes[i].rows = (uint32_t)node[i].rows;
        d->nodes[i].cover = node[i].weight > 0 ? (float)(node[i].positive / node[i].weight) : 0;
    }
    for (size_t k = 0; k < d->n_leaves; ++k) {
        d->leaves[k].weight = leaf[k].weight;
        d->leaves[k].positive = leaf[k].positive;
        d->leaves[k].rows = leaf[k].rows;
        d->leaves[k].positives = leaf[k].positives;
    }
}

scarce_status scarce__dag_recount(scarce__dag *d, const scarce_table *table, scarce_error *err)
{
    const size_t width = table->schema.n_features;
    scarce__columns *columns = scarce__columns_of(table);
    float *rows = scarce__malloc_array(width, BLOCK * sizeof *rows);
    tally *node = scarce__calloc(d->n_nodes, sizeof *node), *leaf = scarce__calloc(d->n_leaves, sizeof *leaf);
    const int good = columns && rows && node && leaf;

    for (size_t from = 0; good && from < table->n_rows; from += BLOCK) {
        const size_t n = table->n_rows - from < BLOCK ? table->n_rows - from : BLOCK;
        for (size_t f = 0; f < width; ++f) scarce__columns_take(&columns[f], from, n, rows + f, width);
        for (size_t i = 0; i < n; ++i)
            count_row(d, rows + i * width, node, leaf, table->weight ? table->weight[from + i] : 1,
                      table->label[from + i]);
    }
    if (good) write_counts(d, node, leaf);
    scarce__free(columns);
    scarce__free(rows);
    scarce__free(node);
    scarce__free(leaf);
    return good ? SCARCE_OK : scarce__fail_memory(err, "the counts of a tree", width * BLOCK * 4);
}
