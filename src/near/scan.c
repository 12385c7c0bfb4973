/* SPDX-License-Identifier: Apache-2.0 */
/* All pairs, block by block.
 *
 *     for each block of `among` (about 1.5 MB, so that it stays in the second cache):
 *         lay it out in panels of 32                                       parallel over panels
 *         for each 48 queries, in groups of 12, for each panel:            parallel over the 48
 *             tile: which pairs may be wanted; those exactly, and to the sink, which may then want less
 *
 * Nothing of the size of a distance matrix exists. Queries are laid out again for each block, a few per cent of
 * the time, so that memory does not grow with them. Where queries give up early (`grows`) blocks begin small
 * and double, and those that gave up are left out of the next. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "near/inside.h"

enum { G = SCARCE__NEAR_GROUP, W = SCARCE__NEAR_PANEL, CHUNK = 4 * G, FIRST_BLOCK = 256, MOST_ROWS = 8192 };

typedef struct worker {
    float *raw, *group;
    int32_t *codes;
    uint32_t *rows;
} worker;

typedef struct blocks {
    const scarce__scan *scan;
    const scarce__near *ask;
    const scarce__space *space;
    const scarce__near_kernels *kernels;
    scarce__near_exact exact;
    int sign, same_table;
    size_t width, panel_floats;
    size_t first, n; /* of `among`: the block */
    float *raw, *panels;
    int32_t *codes;
    uint32_t *active; /* queries that want more; NULL: all */
    size_t n_active;
    worker *workers;
    int n_workers;
} blocks;

static size_t block_rows(const scarce__space *s, size_t n)
{
    const size_t bytes = 4 * (s->dims + 1 + s->n_codes + scarce__near_width(s)),
                 most = ((size_t)3 << 19) / bytes;
    const size_t rows = most < 64 ? 64 : most < MOST_ROWS ? most / W * W : MOST_ROWS;
    return n < rows ? (n + W - 1) / W * W : rows;
}

double scarce__scan_memory(const scarce__near *ask, int threads)
{
    const scarce__space *s = ask->space;
    const double row = 4 * (double)(s->dims + 1 + s->n_codes + scarce__near_width(s));
    return row * (double)block_rows(s, ask->among.n) + (double)threads * CHUNK * (row + 4) +
           4 * (double)ask->from.n;
}

static void end(blocks *b)
{
    for (int w = 0; b->workers && w < b->n_workers; ++w) {
        scarce__free(b->workers[w].raw);
        scarce__free(b->workers[w].group);
        scarce__free(b->workers[w].codes);
        scarce__free(b->workers[w].rows);
    }
    scarce__free(b->workers);
    scarce__free(b->raw);
    scarce__free(b->panels);
    scarce__free(b->codes);
    scarce__free(b->active);
}

static scarce_status begin(blocks *b, scarce__pool *pool, scarce_error *err)
{
    const scarce__space *s = b->space;
    const size_t rows = block_rows(s, b->ask->among.n);
    int ok;

    b->n_workers = scarce__pool_threads(pool);
    b->raw = scarce__huge_alloc(rows * b->width, sizeof *b->raw);
    b->panels = scarce__huge_alloc(rows / W * b->panel_floats, sizeof *b->panels);
    b->codes = scarce__malloc_array(rows * s->n_codes, sizeof *b->codes);
    b->workers = scarce__calloc((size_t)b->n_workers, sizeof *b->workers);
    if (b->scan->grows) b->active = scarce__malloc_array(b->ask->from.n, sizeof *b->active);
    ok = b->raw && b->panels && b->codes && b->workers && (!b->scan->grows || b->active);
    for (int w = 0; ok && w < b->n_workers; ++w) {
        worker *k = &b->workers[w];
        k->raw = scarce__malloc_array(CHUNK * b->width, sizeof *k->raw);
        k->group = scarce__malloc_array(G * s->dims, sizeof *k->group);
        k->codes = scarce__malloc_array(G * s->n_codes, sizeof *k->codes);
        k->rows = scarce__malloc_array(CHUNK, sizeof *k->rows);
        ok = k->raw && k->group && k->codes && k->rows;
    }
    b->n_active = b->ask->from.n;
    for (size_t i = 0; ok && b->active && i < b->n_active; ++i) b->active[i] = (uint32_t)i;
    return ok ? SCARCE_OK : scarce__fail_memory(err, "the search of neighbours", 0);
}

static void lay_out(void *arg, size_t p, int w)
{
    blocks *b = arg;
    const size_t first = p * W, n = b->n - first < W ? b->n - first : W;
    float *raw = b->raw + first * b->width;

    (void)w;
    scarce__near_raw(raw, b->space, &b->ask->among, b->first + first, n);
    scarce__near_panel(b->panels + p * b->panel_floats, b->codes + p * W * b->space->n_codes, b->space, raw,
                       n, b->sign);
}

/* Twelve queries: their numbers and rows, what they want, and the same for the kernel. */
typedef struct group {
    const float *raw;
    size_t query[G];
    uint32_t row[G];
    size_t n, n_done;
    double wants[G];
    float limit[G];
    scarce__near_half half[G];
} group;

static void want(const blocks *b, group *g, size_t i, double wants)
{
    g->n_done += wants == -(double)INFINITY;
    g->wants[i] = wants;
    g->limit[i] = scarce__near_limit(b->space, &g->half[i], wants, b->sign);
}

/* The pair of query i and row j of the block, exactly. */
static double offer(blocks *b, group *g, size_t i, size_t j, double wants)
{
    const uint32_t row = scarce__near_row(&b->ask->among, b->first + j);

    if (b->same_table && row == g->row[i]) return wants;
    const double value =
        b->sign * b->kernels->square(&b->exact, g->raw + i * b->width, b->raw + j * b->width);
    return value <= wants ? b->scan->take(b->scan->sink, g->query[i], value, row) : wants;
}

/* A query that wants everything yet: the k smallest sums of the panel first, and of the others only what may still
 * matter then. Returns those. */
static uint32_t offer_best(blocks *b, group *g, size_t i, uint32_t mask, size_t first, const float *acc)
{
    const size_t k = b->ask->k;
    double wants = g->wants[i];
    float bar = INFINITY;

    for (size_t n = 0; n < k && mask; ++n) {
        uint32_t best = 0;
        bar = INFINITY;
        for (uint32_t m = mask; m; m &= m - 1) {
            const uint32_t j = (uint32_t)__builtin_ctz(m);
            if (acc[j] < bar) bar = acc[j], best = j;
        }
        if (bar == INFINITY) break; /* NaN: as they come */
        mask &= ~((uint32_t)1 << best);
        wants = offer(b, g, i, first + best, wants);
    }
    if (wants < g->wants[i]) want(b, g, i, wants);
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t j = (uint32_t)__builtin_ctz(m);
        if (acc[j] > g->limit[i]) mask &= ~((uint32_t)1 << j);
    }
    return mask;
}

static void offer_all(blocks *b, group *g, size_t i, uint32_t mask, size_t first)
{
    double wants = g->wants[i];

    for (; mask && wants > -(double)INFINITY; mask &= mask - 1)
        wants = offer(b, g, i, first + (size_t)__builtin_ctz(mask), wants);
    if (wants < g->wants[i]) want(b, g, i, wants);
}

static int any_open(const group *g)
{
    for (size_t i = 0; i < g->n; ++i)
        if (g->wants[i] == (double)INFINITY) return 1;
    return 0;
}

static void run_group(blocks *b, group *g, worker *k)
{
    enum { SELECTED = 16 }; /* so many at most are picked one by one */
    const scarce__space *s = b->space;
    scarce__near_tile tile = {k->group, k->codes, g->limit, s->dims, s->n_codes, 0, NULL};
    float acc[G * W];
    uint32_t mask[G];
    int open;

    tile.weight = (float)(b->sign * s->category_square * s->unit * s->unit / 2);
    scarce__near_group(k->group, k->codes, g->half, s, g->raw, g->n);
    g->n_done = 0;
    for (size_t i = 0; i < G; ++i)
        want(b, g, i, i < g->n ? b->scan->wants(b->scan->sink, g->query[i]) : -(double)INFINITY);
    open = b->ask->k <= SELECTED && any_open(g);
    for (size_t p = 0; p * W < b->n && g->n_done < G; ++p) {
        const size_t left = b->n - p * W;
        const uint32_t valid = left < W ? ((uint32_t)1 << left) - 1 : UINT32_MAX;
        tile.acc = open ? acc : NULL;
        if (!(b->kernels->tile(&tile, b->panels + p * b->panel_floats, b->codes + p * W * s->n_codes, mask) &
              valid))
            continue;
        for (size_t i = 0; i < g->n; ++i) {
            mask[i] &= valid;
            if (mask[i] && open && g->wants[i] == (double)INFINITY)
                mask[i] = offer_best(b, g, i, mask[i], p * W, acc + i * W);
            if (mask[i]) offer_all(b, g, i, mask[i], p * W);
        }
        open = open && any_open(g);
    }
}

static void run_chunk(void *arg, size_t chunk, int w)
{
    blocks *b = arg;
    worker *k = &b->workers[w];
    const size_t first = chunk * CHUNK, n = b->n_active - first < CHUNK ? b->n_active - first : CHUNK;
    group g;

    for (size_t i = 0; i < n; ++i)
        k->rows[i] = scarce__near_row(&b->ask->from, b->active ? b->active[first + i] : first + i);
    scarce__near_raw_of(k->raw, b->space, b->ask->from.table, k->rows, n);
    for (size_t at = 0; at < n; at += G) {
        g.n = n - at < G ? n - at : G;
        g.raw = k->raw + at * b->width;
        for (size_t i = 0; i < g.n; ++i) {
            g.query[i] = b->active ? b->active[first + at + i] : first + at + i;
            g.row[i] = k->rows[at + i];
        }
        run_group(b, &g, k);
    }
}

static void drop_done(blocks *b)
{
    size_t n = 0;
    for (size_t i = 0; b->active && i < b->n_active; ++i)
        if (b->scan->wants(b->scan->sink, b->active[i]) > -(double)INFINITY) b->active[n++] = b->active[i];
    if (b->active) b->n_active = n;
}

scarce_status scarce__scan_blocks(const scarce__scan *scan, scarce_context *ctx, scarce_error *err)
{
    const scarce__near *ask = scan->ask;
    const scarce__space *s = ask->space;
    scarce__pool *pool = scarce__context_pool(ctx);
    const size_t most = block_rows(s, ask->among.n);
    size_t rows = scan->grows && most > FIRST_BLOCK ? FIRST_BLOCK : most;
    blocks b = {.scan = scan, .ask = ask, .space = s, .kernels = scarce__near_kernels_of(scan->level)};
    scarce_status st;

    b.exact = (scarce__near_exact){s->scale, s->n_padded, s->n_codes, s->category_square};
    b.sign = ask->farthest ? -1 : 1;
    b.same_table = ask->from.table == ask->among.table;
    b.width = scarce__near_width(s);
    b.panel_floats = (s->dims + 1) * W;
    st = begin(&b, pool, err);
    while (st == SCARCE_OK && b.first < ask->among.n && b.n_active) {
        b.n = ask->among.n - b.first < rows ? ask->among.n - b.first : rows;
        scarce__pool_run(pool, scarce__blocks(b.n, W), lay_out, &b);
        scarce__pool_run(pool, scarce__blocks(b.n_active, CHUNK), run_chunk, &b);
        drop_done(&b);
        b.first += b.n;
        if (b.first >= 2 * rows) rows = 2 * rows < most ? 2 * rows : most;
        st = scarce__near_progress(ctx, b.first, ask->among.n, err);
    }
    end(&b);
    return st;
}
