/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of tests: memory, invariants, scores. */
#include "rank/rank.h"

#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/columns.h"
#include "tree/step.h"

void scarce__dag_deinit(scarce__dag *dag)
{
    if (!dag) return;
    scarce__free(dag->nodes);
    scarce__free(dag->sets);
    scarce__free(dag->leaves);
    *dag = (scarce__dag){0};
}

void scarce__rank_free(scarce__rank *rank)
{
    if (!rank) return;
    for (size_t i = 0; rank->dags && i < rank->n_dags; ++i) scarce__dag_deinit(&rank->dags[i]);
    scarce__free(rank->dags);
    scarce__free(rank->scale);
    scarce__free(rank);
}

/* ---- Invariants */

static const char *wrong_test(const scarce__dag *d, size_t i, size_t n_features)
{
    const scarce__node *n = &d->nodes[i];
    const uint32_t known = SCARCE__MISSING_LEFT | SCARCE__OTHER_LEFT | SCARCE__CATEGORY | SCARCE__INNER_ROOT;

    if ((size_t)n->feature >= n_features) return "its feature";
    if (n->left < 0 || n->right < 0 || (size_t)n->left <= i || (size_t)n->right <= i ||
        (size_t)n->left >= d->n_nodes || (size_t)n->right >= d->n_nodes)
        return "a child of it";
    if (n->flags & ~known) return "its flags";
    if (n->flags & SCARCE__CATEGORY) {
        if (n->set > d->n_set_words || n->set_words > d->n_set_words - n->set) return "its set";
    } else if (isnan(n->value)) return "its threshold";
    return NULL;
}

static const char *wrong_node(const scarce__dag *d, size_t i, size_t n_features)
{
    const scarce__node *n = &d->nodes[i];
    if (n->feature >= 0) return wrong_test(d, i, n_features);
    if (n->feature != -1) return "its feature";
    if (n->left < 0 || (size_t)n->left >= d->n_leaves) return "its leaf";
    return n->flags > SCARCE__EXIT_NEGATIVE ? "its majority" : NULL;
}

static scarce_status check_dag(const scarce__dag *d, size_t at, size_t n_features, scarce_error *err)
{
    if (d->n_nodes == 0 || d->n_nodes > INT32_MAX || d->n_leaves == 0)
        return scarce__fail(err, SCARCE_EPARSE, "ranking tree %zu is empty or too large", at + 1);
    for (size_t i = 0; i < d->n_nodes; ++i) {
        const char *wrong = wrong_node(d, i, n_features);
        if (wrong)
            return scarce__fail(err, SCARCE_EPARSE, "ranking tree %zu, node %zu: %s is out of range", at + 1,
                                i, wrong);
    }
    for (size_t k = 0; k < d->n_leaves; ++k) {
        const scarce__rank_leaf *l = &d->leaves[k];
        if (!isfinite(l->score) || !isfinite(l->tie) || !isfinite(l->weight) || !isfinite(l->positive) ||
            l->positives > l->rows)
            return scarce__fail(err, SCARCE_EPARSE, "ranking tree %zu, leaf %zu: no number, or too large",
                                at + 1, k);
    }
    return SCARCE_OK;
}

scarce_status scarce__rank_check(const scarce__rank *r, scarce_error *err)
{
    if (r->n_dags == 0) return scarce__fail(err, SCARCE_EPARSE, "there is no ranking tree");
    if (r->distance > SCARCE__DISTANCE_ALONE)
        return scarce__fail(err, SCARCE_EPARSE, "distances are used in a way that isn't known");
    for (size_t f = 0; r->distance && f < r->n_features; ++f)
        if (!(r->scale[f] > 0) || !isfinite(r->scale[f]))
            return scarce__fail(err, SCARCE_EPARSE, "the scale of feature %zu is no number above 0", f + 1);
    for (size_t i = 0; i < r->n_dags; ++i) SCARCE__TRY(check_dag(&r->dags[i], i, r->n_features, err));
    return SCARCE_OK;
}

/* ---- Scores */

uint32_t scarce__dag_exit(const scarce__dag *d, const float *row)
{
    uint32_t at = 0;
    while (d->nodes[at].feature >= 0) {
        const scarce__node *n = &d->nodes[at];
        at = (uint32_t)(scarce__node_left(d->sets, n, row[n->feature]) ? n->left : n->right);
    }
    return at;
}

/* Signed distance to the nearest threshold of the last inner tree; 0 where there is none. */
static double walk(const scarce__rank *r, const scarce__dag *d, const float *row, uint32_t *exit)
{
    double least = INFINITY, category = INFINITY;
    uint32_t at = 0;

    while (d->nodes[at].feature >= 0) {
        const scarce__node *n = &d->nodes[at];
        const float x = row[n->feature];
        if (n->flags & SCARCE__INNER_ROOT) least = category = INFINITY;
        if (n->flags & SCARCE__CATEGORY) category = 0.5 / r->scale[n->feature];
        else {
            const double distance = fabs((double)x - (double)n->gain) / r->scale[n->feature];
            if (distance < least) least = distance; /* not of NaN */
        }
        at = (uint32_t)(scarce__node_left(d->sets, n, x) ? n->left : n->right);
    }
    *exit = at;
    if (isinf(least)) least = category;
    if (isinf(least) || d->nodes[at].flags == SCARCE__EXIT_EVEN) return 0;
    return d->nodes[at].flags == SCARCE__EXIT_POSITIVE ? least : -least;
}

static double score_dag(const scarce__rank *r, const scarce__dag *d, const float *row)
{
    uint32_t exit;
    if (r->distance == SCARCE__DISTANCE_NONE) {
        exit = scarce__dag_exit(d, row);
        return d->leaves[d->nodes[exit].left].score;
    }
    const double g = walk(r, d, row, &exit);
    const scarce__rank_leaf *leaf = &d->leaves[d->nodes[exit].left];
    if (r->distance == SCARCE__DISTANCE_ALONE) return g;
    return leaf->score + leaf->tie * (g / (1 + fabs(g)));
}

double scarce__rank_score(const scarce__rank *r, const float *row)
{
    double sum = 0;
    for (size_t i = 0; i < r->n_dags; ++i) sum += score_dag(r, &r->dags[i], row);
    return r->n_dags == 1 ? sum : sum / (double)r->n_dags;
}

enum { BLOCK = 256 }; /* rows that a task takes out of the columns at a time */

typedef struct table_job {
    const scarce__rank *rank;
    const scarce__columns *columns;
    const uint32_t *used; /* features that some test looks at */
    size_t n_used, n_rows;
    float **rows; /* per worker */
    double *score;
} table_job;

static void score_block(void *arg, size_t index, int worker)
{
    const table_job *j = arg;
    const size_t width = j->rank->n_features, begin = index * BLOCK,
                 n = j->n_rows - begin < BLOCK ? j->n_rows - begin : BLOCK;
    float *rows = j->rows[worker];

    for (size_t k = 0; k < j->n_used; ++k)
        scarce__columns_take(&j->columns[j->used[k]], begin, n, rows + j->used[k], width);
    for (size_t i = 0; i < n; ++i) j->score[begin + i] = scarce__rank_score(j->rank, rows + i * width);
}

static size_t list_used(uint32_t *used, const scarce__rank *r)
{
    size_t n = 0;
    for (size_t f = 0; f < r->n_features; ++f) used[f] = 0;
    for (size_t i = 0; i < r->n_dags; ++i)
        for (size_t k = 0; k < r->dags[i].n_nodes; ++k)
            if (r->dags[i].nodes[k].feature >= 0) used[r->dags[i].nodes[k].feature] = 1;
    for (size_t f = 0; f < r->n_features; ++f)
        if (used[f]) used[n++] = (uint32_t)f;
    return n;
}

scarce_status scarce__rank_score_table(const scarce__rank *r, const scarce_table *table, double *score,
                                       scarce_context *ctx, scarce_error *err)
{
    const size_t threads = (size_t)scarce_context_threads(ctx), width = r->n_features;
    table_job j = {.rank = r, .n_rows = table->n_rows, .score = score};
    scarce__columns *columns = scarce__columns_of(table);
    uint32_t *used = scarce__malloc_array(width, sizeof *used);
    int good = columns && used;

    j.rows = scarce__calloc(threads, sizeof *j.rows);
    for (size_t t = 0; good && j.rows && t < threads; ++t)
        good = (j.rows[t] = scarce__calloc(width, BLOCK * sizeof **j.rows)) != NULL;
    good = good && j.rows;
    if (good) {
        j.columns = columns;
        j.n_used = list_used(used, r);
        j.used = used;
        scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(j.n_rows, BLOCK), score_block, &j);
    }
    for (size_t t = 0; j.rows && t < threads; ++t) scarce__free(j.rows[t]);
    scarce__free(j.rows);
    scarce__free(columns);
    scarce__free(used);
    return good ? SCARCE_OK : scarce__fail_memory(err, "scores", threads * width * BLOCK * 4);
}
