/* SPDX-License-Identifier: Apache-2.0 */
/* Asking remembered rows: one query by the indexes, many by the search of near.h, which lays them out against each other.
 * Both give the same distances, so the same scores. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/columns.h"
#include "near/nearby_inside.h"

enum { SHORT_LIST = 64, ON_STACK = 512, BLOCK_ROWS = 1 << 15, FEW_ROWS = 48, LIST_ENTRIES = 1 << 22 };

/* ---- one row */

/* Where the lists of one query stand. */
typedef struct asked {
    double *square;
    uint32_t *row;
    double *point;
    float *mapped[2];
} asked;

static double score_with(const scarce__nearby_ready *p, const float *row, const asked *a)
{
    const scarce__nearby *m = p->m;
    const size_t k = p->length;
    scarce__nearby_list list[SCARCE__SIDES];
    double factor = 1, within = 0;
    const float *query[2] = {row, row};

    if (m->embedded || m->n_clusters) scarce__embed_row(&p->embed, row, a->point);
    if (m->n_clusters) factor = scarce__cluster_factor(m, a->point, p->embed.dims);
    for (int to = 0; m->embedded && to < 2; ++to) {
        scarce__embed_map(m->map[to], m->n_out[to], a->point, p->embed.dims, a->mapped[to]);
        query[to] = a->mapped[to];
    }
    for (int side = 0; side < SCARCE__SIDES; ++side) {
        const scarce__nearby_side *s = &p->side[side];
        const size_t n = s->among.n < k ? s->among.n : k;
        double *square = a->square + (size_t)side * k;
        uint32_t *number = a->row + (size_t)side * k;
        if (side == SCARCE__SIDE_NEGATIVE && m->vote == SCARCE__VOTE_REVERSE) continue;
        scarce__index_nearest(&s->index, query[side != 0], n, number, square);
        list[side] = (scarce__nearby_list){square, number, n};
    }
    if (m->vote == SCARCE__VOTE_REVERSE) {
        const double radius = scarce__vote_radius(m, list, factor);
        list[0].n = 0;
        if (!isnan(radius))
            within = (double)scarce__index_within(&p->side[0].index, query[0], radius, p->fixed) /
                     SCARCE__FIXED_WEIGHT;
    }
    return scarce__vote_of(m, list, factor, within);
}

double scarce__nearby_score(const scarce__nearby_ready *p, const float *row)
{
    double square[SCARCE__SIDES * SHORT_LIST], point[ON_STACK];
    uint32_t number[SCARCE__SIDES * SHORT_LIST];
    float mapped[2][ON_STACK];
    const scarce__nearby *m = p->m;
    const size_t most = m->n_out[0] > m->n_out[1] ? m->n_out[0] : m->n_out[1];

    if (m->local.points) return scarce__nearby_local_score(p, row, UINT32_MAX);
    if (p->length <= SHORT_LIST && p->embed.dims <= ON_STACK && most <= ON_STACK)
        return score_with(p, row, &(const asked){square, number, point, {mapped[0], mapped[1]}});
    asked a = {scarce__malloc_array(SCARCE__SIDES * p->length, sizeof(double)),
               scarce__malloc_array(SCARCE__SIDES * p->length, sizeof(uint32_t)),
               scarce__malloc_array(p->embed.dims, sizeof(double)),
               {scarce__malloc_array(most, sizeof(float)), scarce__malloc_array(most, sizeof(float))}};
    const int ok = a.square && a.row && a.point && a.mapped[0] && a.mapped[1];
    const double score = ok ? score_with(p, row, &a) : (double)NAN;
    scarce__free(a.square);
    scarce__free(a.row);
    scarce__free(a.point);
    scarce__free(a.mapped[0]);
    scarce__free(a.mapped[1]);
    return score;
}

/* ---- lists of many rows */

void scarce__nearby_lists_deinit(scarce__nearby_lists *l)
{
    scarce__free(l->pos), scarce__free(l->syn), scarce__free(l->neg);
    scarce__free(l->pos_row), scarce__free(l->syn_row), scarce__free(l->neg_row);
    scarce__free(l->neg_within);
    memset(l, 0, sizeof *l);
}

static scarce_status lists_init(scarce__nearby_lists *l, size_t n, const scarce__nearby_ready *p,
                                scarce_error *err)
{
    const size_t made = p->side[SCARCE__SIDE_SYNTHETIC].among.n ? n * p->length : 0,
                 neg = p->m->vote == SCARCE__VOTE_REVERSE ? 0 : n * p->length;

    memset(l, 0, sizeof *l);
    l->n = n;
    l->k = p->length;
    l->has_synthetic = made > 0;
    l->pos = scarce__malloc_array(n * l->k, sizeof *l->pos);
    l->neg = scarce__malloc_array(neg, sizeof *l->neg);
    l->syn = scarce__malloc_array(made, sizeof *l->syn);
    l->pos_row = scarce__malloc_array(n * l->k, sizeof *l->pos_row);
    l->neg_row = scarce__malloc_array(neg, sizeof *l->neg_row);
    l->syn_row = scarce__malloc_array(made, sizeof *l->syn_row);
    if (neg == 0) l->neg_within = scarce__calloc(n, sizeof *l->neg_within);
    if (l->pos && l->neg && l->syn && l->pos_row && l->neg_row && l->syn_row && (neg || l->neg_within)) {
        for (size_t i = 0; i < n * l->k; ++i) l->pos_row[i] = UINT32_MAX; /* rows that nobody asks for */
        for (size_t i = 0; i < neg; ++i) l->neg_row[i] = UINT32_MAX;
        for (size_t i = 0; i < made; ++i) l->syn_row[i] = UINT32_MAX;
        return SCARCE_OK;
    }
    scarce__nearby_lists_deinit(l);
    return scarce__fail_memory(err, "lists of neighbours", 0);
}

static void lists_of(const scarce__nearby_lists *l, size_t i, scarce__nearby_list list[SCARCE__SIDES])
{
    const double *square[SCARCE__SIDES] = {l->neg, l->pos, l->syn};
    const uint32_t *row[SCARCE__SIDES] = {l->neg_row, l->pos_row, l->syn_row};
    const int has[SCARCE__SIDES] = {!l->neg_within, 1, l->has_synthetic};

    for (int side = 0; side < SCARCE__SIDES; ++side) {
        list[side] = (scarce__nearby_list){NULL, NULL, 0};
        if (!has[side]) continue;
        list[side] = (scarce__nearby_list){square[side] + i * l->k, row[side] + i * l->k, 0};
        list[side].n = scarce__list_count(list[side].row, l->k);
    }
}

double scarce__nearby_vote(const scarce__nearby *m, const scarce__nearby_lists *l, size_t i, double factor)
{
    scarce__nearby_list list[SCARCE__SIDES];

    lists_of(l, i, list);
    return scarce__vote_of(m, list, factor, l->neg_within ? l->neg_within[i] : 0);
}

/* Some rows asked of one side. */
typedef struct asking {
    const scarce_table *from[2]; /* [1]: as seen towards positives */
    const uint32_t *rows;        /* NULL: all */
    size_t n, first;             /* first: place of the first in the lists, when rows is NULL */
    const uint8_t *fold;         /* rows of this fold don't answer; NULL: all do */
    size_t this_fold;
} asking;

/* The rows of a side that answer: those of other folds; *owned is to be freed. */
static scarce_status among_of(scarce__near_rows *out, uint32_t **owned, const scarce__nearby_side *s,
                              const asking *a, scarce_error *err)
{
    *owned = NULL;
    *out = s->among;
    if (!a->fold) return SCARCE_OK;
    *owned = scarce__malloc_array(s->among.n, sizeof **owned);
    if (!*owned) return scarce__fail_memory(err, "rows of folds", 0);
    out->rows = *owned;
    out->n = 0;
    for (size_t i = 0; i < s->among.n; ++i)
        if (a->fold[s->rows[i]] != a->this_fold) (*owned)[out->n++] = s->rows[i];
    return SCARCE_OK;
}

/* Results of rows that are no range go to their places one by one. */
static void spread(const asking *a, size_t k, const double *square, const uint32_t *row, double *to_square,
                   uint32_t *to_row)
{
    for (size_t i = 0; i < a->n; ++i) {
        const size_t at = (a->rows ? a->rows[i] : a->first + i) * k;
        memcpy(to_square + at, square + i * k, k * sizeof *square);
        memcpy(to_row + at, row + i * k, k * sizeof *row);
    }
}

static scarce_status ask_side(scarce__nearby_lists *l, const scarce__nearby_ready *p, int side,
                              const asking *a, scarce_context *ctx, scarce_error *err)
{
    double *to_square[SCARCE__SIDES] = {l->neg, l->pos, l->syn};
    uint32_t *to_row[SCARCE__SIDES] = {l->neg_row, l->pos_row, l->syn_row};
    double *square = scarce__malloc_array(a->n * l->k, sizeof *square);
    uint32_t *row = scarce__malloc_array(a->n * l->k, sizeof *row), *owned = NULL;
    scarce__near ask = {p->side[side].space, {a->from[side != 0], a->rows, a->n}, {NULL, NULL, 0}, l->k, 0};
    scarce_status st = square && row ? SCARCE_OK : scarce__fail_memory(err, "lists of neighbours", 0);

    if (st == SCARCE_OK) st = among_of(&ask.among, &owned, &p->side[side], a, err);
    if (st == SCARCE_OK && a->n) st = scarce__near_find(row, square, &ask, ctx, err);
    if (st == SCARCE_OK) spread(a, l->k, square, row, to_square[side], to_row[side]);
    scarce__free(square);
    scarce__free(row);
    scarce__free(owned);
    return st;
}

/* krnn: how many negatives are as near as the k-th positive. */
static scarce_status ask_within(scarce__nearby_lists *l, const scarce__nearby_ready *p, const asking *a,
                                scarce_context *ctx, scarce_error *err)
{
    double *bound = scarce__malloc_array(a->n, sizeof *bound);
    uint64_t *sum = scarce__malloc_array(a->n, sizeof *sum);
    uint32_t *owned = NULL;
    scarce__near ask = {p->side[0].space, {a->from[0], a->rows, a->n}, {NULL, NULL, 0}, 1, 0};
    scarce_status st = bound && sum ? SCARCE_OK : scarce__fail_memory(err, "lists of neighbours", 0);

    if (st == SCARCE_OK) st = among_of(&ask.among, &owned, &p->side[0], a, err);
    for (size_t i = 0; st == SCARCE_OK && i < a->n; ++i) {
        scarce__nearby_list list[SCARCE__SIDES];
        lists_of(l, a->rows ? a->rows[i] : a->first + i, list);
        bound[i] = scarce__vote_radius(p->m, list, 1);
        if (isnan(bound[i])) bound[i] = -1;
    }
    if (st == SCARCE_OK && a->n) st = scarce__near_within(sum, &ask, bound, p->fixed, ctx, err);
    for (size_t i = 0; st == SCARCE_OK && i < a->n; ++i)
        l->neg_within[a->rows ? a->rows[i] : a->first + i] = (double)sum[i] / SCARCE__FIXED_WEIGHT;
    scarce__free(bound);
    scarce__free(sum);
    scarce__free(owned);
    return st;
}

static scarce_status ask_all(scarce__nearby_lists *l, const scarce__nearby_ready *p, const asking *a,
                             scarce_context *ctx, scarce_error *err)
{
    SCARCE__TRY(ask_side(l, p, SCARCE__SIDE_POSITIVE, a, ctx, err));
    if (p->side[SCARCE__SIDE_SYNTHETIC].among.n)
        SCARCE__TRY(ask_side(l, p, SCARCE__SIDE_SYNTHETIC, a, ctx, err));
    if (l->neg_within) return ask_within(l, p, a, ctx, err);
    return ask_side(l, p, SCARCE__SIDE_NEGATIVE, a, ctx, err);
}

/* ---- a table */

/* Can the search of near.h read it? Thousands of sparse columns have to be sparse there too. */
static int searchable(const scarce__nearby *m, const scarce_table *t)
{
    for (size_t i = 0; !m->embedded && i < m->space.n_sparse; ++i)
        if (t->schema.features[m->space.sparse[i]].kind != SCARCE_COLUMN_SPARSE) return 0;
    return 1;
}

typedef struct row_by_row {
    const scarce__nearby_ready *p;
    const scarce__columns *columns;
    size_t n, width;
    float *rows; /* per worker */
    double *score;
} row_by_row;

static void score_block(void *arg, size_t block, int worker)
{
    const row_by_row *j = arg;
    float *row = j->rows + (size_t)worker * j->width;

    for (size_t i = block * 8; i < j->n && i < (block + 1) * 8; ++i) {
        for (size_t f = 0; f < j->width; ++f) scarce__columns_take(&j->columns[f], i, 1, row + f, 1);
        j->score[i] = scarce__nearby_score(j->p, row);
    }
}

static scarce_status score_rows(const scarce__nearby_ready *p, const scarce_table *t, double *score,
                                scarce_context *ctx, scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    const size_t width = t->schema.n_features;
    scarce__columns *columns = scarce__columns_of(t);
    row_by_row j = {p, columns, t->n_rows, width, NULL, score};

    j.rows = scarce__malloc_array((size_t)scarce__pool_threads(pool) * width, sizeof *j.rows);
    int ok = columns && j.rows;
    if (ok) scarce__pool_run(pool, scarce__blocks(t->n_rows, 8), score_block, &j);
    for (size_t i = 0; ok && p->m->local.points && i < t->n_rows; ++i)
        ok = !isnan(score[i]); /* there was no memory to learn its metric */
    scarce__free(columns);
    scarce__free(j.rows);
    return ok ? SCARCE_OK : scarce__fail_memory(err, "rows to score", 0);
}

/* Points of rows for the clusters; *out stays NULL where there are none. */
static scarce_status points_of(double **out, const scarce__nearby_ready *p, const scarce_table *t,
                               scarce_context *ctx, scarce_error *err)
{
    *out = NULL;
    if (!p->m->n_clusters) return SCARCE_OK;
    *out = scarce__embed_table(&p->embed, t, ctx);
    return *out ? SCARCE_OK : scarce__fail_memory(err, "points of rows", 0);
}

scarce_status scarce__nearby_lists_of(scarce__nearby_lists *out, const scarce__nearby_ready *p,
                                      const scarce_table *t, scarce_context *ctx, scarce_error *err)
{
    const scarce__nearby *m = p->m;
    scarce_table *mapped[2] = {NULL, NULL};
    asking a = {{t, t}, NULL, t->n_rows, 0, NULL, 0};
    scarce_status st = lists_init(out, t->n_rows, p, err);

    for (int to = 0; to < 2 && m->embedded && st == SCARCE_OK; ++to) {
        st = scarce__embed_mapped(&mapped[to], &p->embed, t, m->map[to], m->n_out[to], ctx, err);
        a.from[to] = mapped[to];
    }
    if (st == SCARCE_OK) st = ask_all(out, p, &a, ctx, err);
    scarce_table_free(mapped[0]);
    scarce_table_free(mapped[1]);
    if (st != SCARCE_OK) scarce__nearby_lists_deinit(out);
    return st;
}

scarce_status scarce__nearby_lists_again(scarce__nearby_lists *l, const scarce__nearby_ready *p,
                                         const scarce_table *t, scarce_context *ctx, scarce_error *err)
{
    const scarce__nearby *m = p->m;
    scarce_table *mapped = NULL;
    asking a = {{t, t}, NULL, t->n_rows, 0, NULL, 0};
    scarce_status st = SCARCE_OK;

    if (m->embedded) {
        st = scarce__embed_mapped(&mapped, &p->embed, t, m->map[1], m->n_out[1], ctx, err);
        a.from[1] = mapped;
    }
    if (st == SCARCE_OK) st = ask_side(l, p, SCARCE__SIDE_POSITIVE, &a, ctx, err);
    if (st == SCARCE_OK && l->has_synthetic) st = ask_side(l, p, SCARCE__SIDE_SYNTHETIC, &a, ctx, err);
    scarce_table_free(mapped);
    return st;
}

static scarce_status score_view(const scarce__nearby_ready *p, const scarce_table *t, double *score,
                                scarce_context *ctx, scarce_error *err)
{
    const scarce__nearby *m = p->m;
    scarce__nearby_lists l = {0};
    double *points = NULL;
    scarce_status st = points_of(&points, p, t, ctx, err);

    if (st == SCARCE_OK) st = scarce__nearby_lists_of(&l, p, t, ctx, err);
    for (size_t i = 0; st == SCARCE_OK && i < t->n_rows; ++i) {
        const double *z = points ? points + i * p->embed.dims : NULL;
        score[i] = scarce__nearby_vote(m, &l, i, scarce__cluster_factor(m, z, p->embed.dims));
    }
    scarce__nearby_lists_deinit(&l);
    scarce__free(points);
    return st;
}

scarce_status scarce__nearby_score_table(const scarce__nearby_ready *p, const scarce_table *t, double *score,
                                         scarce_context *ctx, scarce_error *err)
{
    const size_t fit = LIST_ENTRIES / p->length, block = fit < 256          ? 256
                                                         : fit < BLOCK_ROWS ? fit
                                                                            : BLOCK_ROWS;
    scarce_status st = SCARCE_OK;

    if (t->n_rows < FEW_ROWS || !searchable(p->m, t) || p->m->local.points)
        return score_rows(p, t, score, ctx, err);
    for (size_t first = 0; st == SCARCE_OK && first < t->n_rows; first += block) {
        const size_t n = t->n_rows - first < block ? t->n_rows - first : block;
        scarce_table *view = NULL;
        st = scarce__view_new(&view, t, first, n, err);
        if (st == SCARCE_OK) st = score_view(p, view, score + first, ctx, err);
        scarce_table_free(view);
    }
    return st;
}

/* ---- remembered rows, asked of the others */

static scarce_status ask_fold(scarce__nearby_lists *l, const scarce__nearby_ready *p, asking *a, size_t f,
                              scarce_context *ctx, scarce_error *err)
{
    const scarce__nearby *m = p->m;
    uint32_t *rows = scarce__malloc_array(m->rows->n_rows, sizeof *rows);
    scarce_status st;

    if (!rows) return scarce__fail_memory(err, "rows of folds", 0);
    a->rows = rows;
    a->this_fold = f;
    a->n = 0;
    for (size_t i = 0; i < m->rows->n_rows; ++i)
        if (m->side[i] < SCARCE__SIDE_SYNTHETIC && (!a->fold || a->fold[i] == f)) rows[a->n++] = (uint32_t)i;
    st = ask_all(l, p, a, ctx, err);
    scarce__free(rows);
    return st;
}

scarce_status scarce__nearby_held(scarce__nearby_lists *out, const scarce__nearby_ready *p,
                                  const uint8_t *fold, size_t n_folds, scarce_context *ctx, scarce_error *err)
{
    const scarce__nearby *m = p->m;
    asking a = {{m->rows, m->rows}, NULL, 0, 0, fold, 0};
    scarce_status st;

    if (m->embedded) a.from[0] = p->mapped[0], a.from[1] = p->mapped[1];
    SCARCE__TRY(lists_init(out, m->rows->n_rows, p, err));
    st = SCARCE_OK;
    for (size_t f = 0; st == SCARCE_OK && f < (fold ? n_folds : 1); ++f)
        st = ask_fold(out, p, &a, f, ctx, err);
    if (st != SCARCE_OK) scarce__nearby_lists_deinit(out);
    return st;
}
