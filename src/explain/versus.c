/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/versus.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "data/columns.h"
#include "data/table.h"
#include "tree/step.h"

enum { NEAR = 32 }; /* weights of paths up to this many features are in a table */

struct scarce__versus {
    const scarce__forest *forest;
    size_t n_rows, levels;
    float *rows; /* n_rows x n_features */
    double base;
    double weight[NEAR + 1][NEAR + 1]; /* a! b! / (a + b + 1)! */
    double *log_factorial;             /* 0 .. levels + 1 */
};

/* Where x and b part. */
typedef struct fork {
    uint32_t feature;
    int32_t other;   /* node b goes to; -1: it has been there */
    double up, down; /* sums brought up by the first child */
} fork;

typedef struct scratch {
    fork *forks;
    uint8_t *whose; /* by feature: 0 both or not on the path, 1 x alone, 2 b alone */
    float *row;
} scratch;

void scarce__versus_free(scarce__versus *versus)
{
    if (!versus) return;
    scarce__free(versus->rows);
    scarce__free(versus->log_factorial);
    scarce__free(versus);
}

double scarce__versus_base(const scarce__versus *versus)
{
    return versus->base;
}

static double weight_of(const scarce__versus *s, size_t a, size_t b)
{
    if (a <= NEAR && b <= NEAR) return s->weight[a][b];
    return scarce__exp(s->log_factorial[a] + s->log_factorial[b] - s->log_factorial[a + b + 1]);
}

/* a! b! / (a + b + 1)! = 1 / (b + 1) * product over i = 1..a of i / (b + 1 + i) */
static void set_weights(scarce__versus *s)
{
    for (size_t b = 0; b <= NEAR; ++b) {
        s->weight[0][b] = 1 / (double)(b + 1);
        for (size_t a = 1; a <= NEAR; ++a)
            s->weight[a][b] = s->weight[a - 1][b] * (double)a / (double)(b + 1 + a);
    }
    s->log_factorial[0] = 0;
    for (size_t i = 1; i <= s->levels + 1; ++i)
        s->log_factorial[i] = s->log_factorial[i - 1] + scarce__ln((double)i);
}

/* The longest path of any tree; `depth` has room for the largest tree. */
static size_t deepest(const scarce__forest *forest, uint32_t *depth)
{
    size_t most = 0;

    for (size_t t = 0; t < forest->n_trees; ++t) {
        const scarce__node *nodes = forest->nodes + forest->tree_begin[t];
        const size_t n = forest->tree_begin[t + 1] - forest->tree_begin[t];
        depth[0] = 0;
        for (size_t i = 0; i < n; ++i) {
            if (depth[i] > most) most = depth[i];
            if (nodes[i].feature >= 0) depth[nodes[i].left] = depth[nodes[i].right] = depth[i] + 1;
        }
    }
    return most;
}

scarce_status scarce__versus_new(scarce__versus **out, const scarce__forest *forest,
                                 const scarce_table *background, scarce_error *err)
{
    const size_t n = background->n_rows, width = forest->n_features;
    const size_t n_nodes = forest->n_trees ? forest->tree_begin[forest->n_trees] : 1;
    scarce__versus *s = scarce__calloc(1, sizeof *s);
    scarce__columns *columns = scarce__columns_of(background);
    uint32_t *depth = scarce__malloc_array(n_nodes, sizeof *depth);

    *out = NULL;
    if (s && depth) {
        s->forest = forest;
        s->n_rows = n;
        s->levels = deepest(forest, depth);
        s->rows =
            width == 0 || n <= SIZE_MAX / 8 / width ? scarce__malloc_array(n * width, sizeof *s->rows) : NULL;
        s->log_factorial = scarce__malloc_array(s->levels + 2, sizeof *s->log_factorial);
    }
    scarce__free(depth);
    if (!s || !depth || !columns || !s->rows || !s->log_factorial) {
        scarce__free(columns);
        scarce__versus_free(s);
        return scarce__fail_memory(err, "background rows", 0);
    }
    set_weights(s);
    for (size_t f = 0; f < width; ++f) scarce__columns_take(columns + f, 0, n, s->rows + f, width);
    for (size_t i = 0; i < n; ++i) s->base += scarce__forest_walk(forest, s->rows + i * width);
    s->base /= (double)n;
    scarce__free(columns);
    *out = s;
    return SCARCE_OK;
}

static void free_scratch(scratch *w)
{
    scarce__free(w->forks);
    scarce__free(w->whose);
    scarce__free(w->row);
}

static scarce_status alloc_scratch(const scarce__versus *s, scratch *w, scarce_error *err)
{
    w->forks = scarce__malloc_array(s->levels + 1, sizeof *w->forks);
    w->whose = scarce__calloc(s->forest->n_features, sizeof *w->whose);
    w->row = scarce__malloc_array(s->forest->n_features, sizeof *w->row);
    if (w->forks && w->whose && w->row) return SCARCE_OK;
    free_scratch(w);
    return scarce__fail_memory(err, "an explanation", 0);
}

/* One tree, one row x, one background row b. */
static void add_pair(const scarce__versus *s, const scarce__node *nodes, const float *x, const float *b,
                     scratch *w, double *phi)
{
    const uint32_t *sets = s->forest->sets;
    size_t n_forks = 0, only_x = 0, only_b = 0;
    int32_t at = 0;

    for (;;) {
        const scarce__node *node = nodes + at;
        if (node->feature >= 0) {
            const uint8_t whose = w->whose[node->feature];
            const int x_left = scarce__node_left(sets, node, x[node->feature]);
            const int b_left = scarce__node_left(sets, node, b[node->feature]);
            at = (whose == 2 ? b_left : x_left) ? node->left : node->right;
            if (whose || x_left == b_left) continue;
            w->forks[n_forks++] = (fork){(uint32_t)node->feature, b_left ? node->left : node->right, 0, 0};
            w->whose[node->feature] = 1;
            ++only_x;
            continue;
        }
        double up = only_x ? (double)node->value * weight_of(s, only_x - 1, only_b) : 0;
        double down = only_b ? (double)node->value * weight_of(s, only_x, only_b - 1) : 0;
        while (n_forks && w->forks[n_forks - 1].other < 0) { /* both children are done */
            const fork *done = w->forks + --n_forks;
            phi[done->feature] -= down;
            w->whose[done->feature] = 0;
            --only_b;
            up += done->up;
            down += done->down;
        }
        if (!n_forks) return;
        fork *half = w->forks + n_forks - 1;
        phi[half->feature] += up;
        half->up = up;
        half->down = down;
        w->whose[half->feature] = 2;
        --only_x;
        ++only_b;
        at = half->other;
        half->other = -1;
    }
}

static void explain(const scarce__versus *s, const float *x, scratch *w, double *phi)
{
    const scarce__forest *forest = s->forest;

    memset(phi, 0, forest->n_features * sizeof *phi);
    for (size_t t = 0; t < forest->n_trees; ++t)
        for (size_t i = 0; i < s->n_rows; ++i)
            add_pair(s, forest->nodes + forest->tree_begin[t], x, s->rows + i * forest->n_features, w, phi);
    for (size_t f = 0; f < forest->n_features; ++f) phi[f] /= (double)s->n_rows;
}

scarce_status scarce__versus_row(const scarce__versus *s, const float *row, double *contribution,
                                 scarce_error *err)
{
    scratch w;

    SCARCE__TRY(alloc_scratch(s, &w, err));
    explain(s, row, &w, contribution);
    free_scratch(&w);
    return SCARCE_OK;
}

scarce_status scarce__versus_columns(const scarce__versus *s, const scarce__columns *columns, size_t begin,
                                     size_t n, double *out, scarce_error *err)
{
    const size_t width = s->forest->n_features;
    scratch w;

    SCARCE__TRY(alloc_scratch(s, &w, err));
    for (size_t i = 0; i < n; ++i) {
        for (size_t f = 0; f < width; ++f) scarce__columns_take(columns + f, begin + i, 1, w.row + f, 1);
        explain(s, w.row, &w, out + i * width);
    }
    free_scratch(&w);
    return SCARCE_OK;
}
