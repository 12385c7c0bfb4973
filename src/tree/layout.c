/* SPDX-License-Identifier: Apache-2.0 */
/* From numbers to bytes, and between the two layouts.
 *
 * Coding a value is a search among up to 254 edges. For long columns the upper 16 bits of its order-keeping
 * key pick a cell, a table says how many edges lie below the cell, and the few edges inside are compared one
 * by one without branches: about 2 ns instead of 10 for a search by halves.
 *
 * Row-wise bytes come from tiles by transposing 8 x 8 bytes in registers, tile by tile in the first-level
 * cache (writing them column by column would fetch and write back every line forty times). */
#include "tree/layout.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "data/table.h"
#include "tree/simd.h"

enum { CELLS = 1 << 16, TABLE_FROM = 40000, MOST_STEPS = 8, GATHER_BLOCK = 8192 };

typedef struct coder {
    scarce__codes *out;
    const scarce__bins *bins;
    const scarce_table *table;
    const uint32_t *rows;
    size_t n, n_tiles;
    scarce__positions positions;
    uint8_t **cells; /* per worker */
    uint8_t **line;  /* per worker: codes of one column, n_tiles * TILE */
} coder;

/* How many edges lie below each cell; the most edges inside one cell. */
static unsigned fill_cells(uint8_t *cell, const uint32_t *edge_key, unsigned n_edges)
{
    unsigned e = 0, most = 0;
    uint32_t at = 0;
    while (e < n_edges) {
        const uint32_t c = edge_key[e] >> 16;
        unsigned inside = 0;
        memset(cell + at, (int)e, c + 1 - at);
        while (e + inside < n_edges && edge_key[e + inside] >> 16 == c) ++inside;
        if (inside > most) most = inside;
        e += inside;
        at = c + 1;
    }
    memset(cell + at, (int)e, CELLS - at);
    return most;
}

SCARCE__BODY void code_by_cells(uint8_t *code, const float *x, const uint32_t *rows, size_t n,
                                const uint8_t *cell, const uint32_t *edge_key, unsigned steps)
{
    for (size_t k = 0; k < n; ++k) {
        const float v = x[rows ? rows[k] : k];
        const uint32_t key = scarce__float_key(v);
        unsigned b = cell[key >> 16];
        for (unsigned s = 0; s < steps; ++s) b += edge_key[b] < key;
        code[k] = (uint8_t)(v == v ? b + 1 : 0);
    }
}

static void code_numbers(coder *c, uint8_t *code, const float *x, const scarce__bin_feature *f, int worker)
{
    uint32_t key[SCARCE__MAX_BINS + 1];
    const unsigned n_edges = f->n_bins - 1u;
    unsigned steps = MOST_STEPS + 1;

    for (unsigned i = 0; i < n_edges; ++i) key[i] = scarce__float_key(c->bins->edges[f->edge + i]);
    key[n_edges] = UINT32_MAX; /* no value is above */
    if (c->n >= TABLE_FROM) steps = fill_cells(c->cells[worker], key, n_edges);
    switch (steps) {
    case 0:
    case 1: code_by_cells(code, x, c->rows, c->n, c->cells[worker], key, 1); break;
    case 2: code_by_cells(code, x, c->rows, c->n, c->cells[worker], key, 2); break;
    case 3: code_by_cells(code, x, c->rows, c->n, c->cells[worker], key, 3); break;
    case 4: code_by_cells(code, x, c->rows, c->n, c->cells[worker], key, 4); break;
    case 5:
    case 6:
    case 7:
    case 8: code_by_cells(code, x, c->rows, c->n, c->cells[worker], key, 8); break;
    default:
        for (size_t k = 0; k < c->n; ++k) {
            const float v = x[c->rows ? c->rows[k] : k];
            code[k] = (uint8_t)(v == v ? 1 + scarce__bin_search(key, n_edges, scarce__float_key(v)) : 0);
        }
    }
}

static void code_categories(const coder *c, uint8_t *code, const int32_t *category,
                            const scarce__bin_feature *f)
{
    const uint8_t *map = c->bins->bin_of + f->map;
    for (size_t k = 0; k < c->n; ++k) {
        const int32_t v = category[c->rows ? c->rows[k] : k];
        const uint32_t at = (uint32_t)v < f->n_categories ? (uint32_t)v : f->n_categories;
        code[k] = (uint8_t)(v < 0 ? 0 : 1 + map[at]);
    }
}

static void code_sparse(const coder *c, uint8_t *code, const scarce__sparse *s, const scarce__bin_feature *f)
{
    if (f->zero < 0) memset(code, (int)scarce__bins_code(c->bins, f, 0), c->n);
    for (size_t i = 0; i < s->count; ++i) {
        const uint32_t r = s->row[i];
        const unsigned v = scarce__bins_code(c->bins, f, s->value[i]);
        uint32_t b = r, e = r + 1;
        if (f->zero >= 0 && v == 0) continue;
        if (c->positions.begin) {
            b = c->positions.begin[r];
            e = c->positions.begin[r + 1];
        }
        for (uint32_t k = b; k < e; ++k) code[c->positions.begin ? c->positions.where[k] : k] = (uint8_t)v;
    }
}

/* A bundle's numeric member; only rows away from zero write. Where rows outside the ones the bins were found
 * on have several members away from zero, the last one counts. */
static void code_member(const coder *c, uint8_t *code, const float *x, const scarce__bin_feature *f)
{
    for (size_t k = 0; k < c->n; ++k) {
        const float v = x[c->rows ? c->rows[k] : k];
        if (v == 0) continue;
        const unsigned b = scarce__bins_code(c->bins, f, v);
        if (b) code[k] = (uint8_t)b;
    }
}

static void code_column(void *arg, size_t column, int worker)
{
    coder *c = arg;
    uint8_t *line = c->line[worker];
    const uint32_t b = c->bins->column_begin[column], e = c->bins->column_begin[column + 1];
    const size_t padded = c->n_tiles * SCARCE__TILE;

    memset(line, 0, padded);
    for (uint32_t i = b; i < e; ++i) {
        const scarce__bin_feature *f = &c->bins->used[c->bins->column_used[i]];
        const scarce__column *from = &c->table->columns[f->feature];
        switch (c->table->schema.features[f->feature].kind) {
        case SCARCE_COLUMN_SPARSE: code_sparse(c, line, &from->sparse, f); break;
        case SCARCE_COLUMN_CATEGORY: code_categories(c, line, from->code, f); break;
        default:
            if (f->zero >= 0) code_member(c, line, from->number, f);
            else code_numbers(c, line, from->number, f, worker);
        }
    }
    uint8_t *to = c->out->tiles + column * SCARCE__TILE;
    for (size_t t = 0; t < c->n_tiles; ++t)
        memcpy(to + t * SCARCE__TILE * c->out->n_columns, line + t * SCARCE__TILE, SCARCE__TILE);
}

/* ---- Transposing */

static inline uint64_t load8(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

/* Eight words of eight bytes: byte j of word i becomes byte i of word j (of little-endian words; on a
 * big-endian machine both reading and writing are mirrored, which gives the same bytes). */
static inline void transpose8(uint64_t w[8])
{
    for (int i = 0; i < 8; i += 2) {
        const uint64_t t = (w[i] >> 8 ^ w[i + 1]) & 0x00ff00ff00ff00ffu;
        w[i + 1] ^= t;
        w[i] ^= t << 8;
    }
    for (int i = 0; i < 8; i += (i & 1) ? 3 : 1) {
        const uint64_t t = (w[i] >> 16 ^ w[i + 2]) & 0x0000ffff0000ffffu;
        w[i + 2] ^= t;
        w[i] ^= t << 16;
    }
    for (int i = 0; i < 4; ++i) {
        const uint64_t t = (w[i] >> 32 ^ w[i + 4]) & 0x00000000ffffffffu;
        w[i + 4] ^= t;
        w[i] ^= t << 32;
    }
}

static void tile_to_rows(void *arg, size_t tile, int worker)
{
    const scarce__codes *c = arg;
    const uint8_t *from = scarce__tile(c, tile);
    const size_t r0 = tile * SCARCE__TILE;
    const size_t n = c->n_rows - r0 < SCARCE__TILE ? c->n_rows - r0 : SCARCE__TILE;

    (void)worker;
    for (size_t col = 0; col < c->n_columns; col += 8) {
        const size_t slab = col / SCARCE__SLAB, width = scarce__slab_width(c->n_columns, slab);
        const size_t m = c->n_columns - col < 8 ? c->n_columns - col : 8;
        uint8_t *to = scarce__slab(c, slab) + r0 * width + col % SCARCE__SLAB;
        for (size_t r = 0; r < n; r += 8) {
            uint64_t w[8] = {0};
            for (size_t j = 0; j < m; ++j) w[j] = load8(from + (col + j) * SCARCE__TILE + r);
            transpose8(w);
            const size_t rows = n - r < 8 ? n - r : 8;
            for (size_t j = 0; j < rows; ++j) memcpy(to + (r + j) * width, &w[j], 8);
        }
    }
}

static void rows_to_tile(void *arg, size_t tile, int worker)
{
    const scarce__codes *c = arg;
    uint8_t *to = scarce__tile(c, tile);
    const size_t r0 = tile * SCARCE__TILE;
    const size_t n = c->n_rows - r0 < SCARCE__TILE ? c->n_rows - r0 : SCARCE__TILE;

    (void)worker;
    for (size_t col = 0; col < c->n_columns; col += 8) {
        const size_t slab = col / SCARCE__SLAB, width = scarce__slab_width(c->n_columns, slab);
        const size_t m = c->n_columns - col < 8 ? c->n_columns - col : 8;
        const uint8_t *from = scarce__slab(c, slab) + r0 * width + col % SCARCE__SLAB;
        for (size_t r = 0; r < SCARCE__TILE; r += 8) {
            uint64_t w[8] = {0};
            for (size_t j = 0; j < 8; ++j)
                if (r + j < n) w[j] = load8(from + (r + j) * width);
            transpose8(w);
            for (size_t j = 0; j < m; ++j) memcpy(to + (col + j) * SCARCE__TILE + r, &w[j], 8);
        }
    }
}

static size_t rows_bytes(size_t n_rows, size_t n_columns)
{
    const size_t slabs = scarce__slabs(n_columns);
    if (slabs == 0) return 64;
    return ((slabs - 1) * SCARCE__SLAB + scarce__slab_width(n_columns, slabs - 1)) * n_rows + 64;
}

size_t scarce__codes_bytes(size_t n_rows, size_t n_columns, int with_rows)
{
    const size_t tiles = (n_rows + SCARCE__TILE - 1) / SCARCE__TILE * SCARCE__TILE * n_columns;
    return tiles + (with_rows ? rows_bytes(n_rows, n_columns) : 0);
}

void scarce__codes_deinit(scarce__codes *codes)
{
    scarce__free(codes->tiles);
    scarce__free(codes->rows);
    memset(codes, 0, sizeof *codes);
}

static scarce_status coder_init(coder *c, int threads, scarce_error *err)
{
    int sparse = 0;
    c->cells = scarce__calloc((size_t)threads, sizeof *c->cells);
    c->line = scarce__calloc((size_t)threads, sizeof *c->line);
    if (!c->cells || !c->line) return scarce__fail_memory(err, "coding a table", 0);
    for (int t = 0; t < threads; ++t) {
        c->cells[t] = scarce__malloc(CELLS);
        c->line[t] = scarce__big_alloc(c->n_tiles, SCARCE__TILE);
        if (!c->cells[t] || !c->line[t]) return scarce__fail_memory(err, "coding a table", c->n);
    }
    for (size_t i = 0; i < c->bins->n_used; ++i)
        sparse |= c->table->schema.features[c->bins->used[i].feature].kind == SCARCE_COLUMN_SPARSE;
    return sparse ? scarce__positions_of(&c->positions, c->table, c->rows, c->n, err) : SCARCE_OK;
}

scarce_status scarce__codes_build(scarce__codes *out, const scarce__bins *bins, const scarce_table *table,
                                  const uint32_t *rows, size_t n, int with_rows, scarce_context *ctx,
                                  scarce_error *err)
{
    const int threads = scarce_context_threads(ctx);
    coder c;
    scarce_status status;

    memset(out, 0, sizeof *out);
    memset(&c, 0, sizeof c);
    if (table->schema.n_features != bins->n_features)
        return scarce__fail(err, SCARCE_EINVAL, "the table has %zu features, the bins were found on %zu",
                            table->schema.n_features, bins->n_features);
    out->n_rows = rows ? n : table->n_rows;
    out->n_columns = bins->n_columns;
    c.out = out;
    c.bins = bins;
    c.table = table;
    c.rows = rows;
    c.n = out->n_rows;
    c.n_tiles = (c.n + SCARCE__TILE - 1) / SCARCE__TILE;
    status = coder_init(&c, threads, err);
    if (status == SCARCE_OK) {
        out->tiles = scarce__big_alloc(c.n_tiles * SCARCE__TILE * bins->n_columns + 64,
                                       1); /* 4 bytes are read at a time */
        if (with_rows) {
            out->rows = scarce__huge_alloc(rows_bytes(c.n, bins->n_columns), 1);
            out->rows_capacity = c.n;
        }
        if (!out->tiles || (with_rows && !out->rows))
            status =
                scarce__fail_memory(err, "binned data", scarce__codes_bytes(c.n, bins->n_columns, with_rows));
    }
    if (status == SCARCE_OK) {
        scarce__pool_run(scarce__context_pool(ctx), bins->n_columns, code_column, &c);
        if (with_rows) {
            memset(out->rows + rows_bytes(c.n, bins->n_columns) - 64, 0, 64);
            scarce__pool_run(scarce__context_pool(ctx), c.n_tiles, tile_to_rows, out);
        }
    } else scarce__codes_deinit(out);
    for (int t = 0; t < threads; ++t) {
        if (c.cells) scarce__free(c.cells[t]);
        if (c.line) scarce__free(c.line[t]);
    }
    scarce__free(c.cells);
    scarce__free(c.line);
    scarce__positions_deinit(&c.positions);
    return status;
}

/* ---- Bags */

typedef struct gatherer {
    const scarce__codes *from;
    scarce__codes *to;
    const uint32_t *row;
} gatherer;

static void gather_block(void *arg, size_t block, int worker)
{
    const gatherer *g = arg;
    const size_t n = g->to->n_rows, b = block * GATHER_BLOCK, e = b + GATHER_BLOCK < n ? b + GATHER_BLOCK : n;

    (void)worker;
    for (size_t s = 0; s < scarce__slabs(g->from->n_columns); ++s) {
        const size_t width = scarce__slab_width(g->from->n_columns, s);
        const uint8_t *from = scarce__slab(g->from, s);
        uint8_t *to = scarce__slab(g->to, s) + b * width;
        for (size_t k = b; k < e; ++k, to += width) {
            const uint8_t *p = from + g->row[k] * width;
            if (k + 16 < e) {
                const uint8_t *q = from + g->row[k + 16] * width;
                SCARCE__PREFETCH(q);
                SCARCE__PREFETCH(q + width - 1);
            }
            for (size_t j = 0; j < width; j += 8) memcpy(to + j, p + j, 8);
        }
    }
}

scarce_status scarce__codes_gather(scarce__codes *out, const scarce__codes *from, const uint32_t *row,
                                   size_t n, scarce_context *ctx, scarce_error *err)
{
    gatherer g = {from, out, row};

    if (out->rows_capacity < n || !out->rows) {
        const size_t room = n + n / 16;
        scarce__free(out->rows);
        out->rows_capacity = 0;
        out->rows = scarce__huge_alloc(rows_bytes(room, from->n_columns), 1);
        if (!out->rows) return scarce__fail_memory(err, "a bag of rows", rows_bytes(room, from->n_columns));
        out->rows_capacity = room;
    }
    out->n_rows = n;
    out->n_columns = from->n_columns;
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(n, GATHER_BLOCK), gather_block, &g);
    return SCARCE_OK;
}

/* A slab begins where the rows of the one before it end, so the last is moved first. */
scarce_status scarce__codes_append(scarce__codes *codes, const scarce__codes *more, scarce_error *err)
{
    const size_t old = codes->n_rows, n = old + more->n_rows, slabs = scarce__slabs(codes->n_columns);
    scarce__codes from = *codes;

    if (n > codes->rows_capacity) {
        const size_t room = n + n / 16;
        uint8_t *larger = scarce__huge_alloc(rows_bytes(room, codes->n_columns), 1);
        if (!larger) return scarce__fail_memory(err, "a bag of rows", rows_bytes(room, codes->n_columns));
        codes->rows = larger;
        codes->rows_capacity = room;
    }
    codes->n_rows = n;
    for (size_t s = slabs; s-- > 0;) {
        const size_t width = scarce__slab_width(codes->n_columns, s);
        memmove(scarce__slab(codes, s), scarce__slab(&from, s), old * width);
        memcpy(scarce__slab(codes, s) + old * width, scarce__slab(more, s), more->n_rows * width);
    }
    if (codes->rows != from.rows) scarce__free(from.rows);
    scarce__free(codes->tiles);
    codes->tiles = NULL;
    return SCARCE_OK;
}

scarce_status scarce__codes_retile(scarce__codes *codes, scarce_context *ctx, scarce_error *err)
{
    const size_t n_tiles = (codes->n_rows + SCARCE__TILE - 1) / SCARCE__TILE;
    scarce__free(codes->tiles);
    codes->tiles = scarce__big_alloc(n_tiles * SCARCE__TILE * codes->n_columns + 64, 1);
    if (!codes->tiles)
        return scarce__fail_memory(err, "binned data", n_tiles * SCARCE__TILE * codes->n_columns);
    scarce__pool_run(scarce__context_pool(ctx), n_tiles, rows_to_tile, codes);
    return SCARCE_OK;
}
