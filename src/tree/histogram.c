/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loop of boosting: one addition per (row, column).
 *
 * Gradients are integers here (grow.c chooses the scale), g and h in one 64-bit word: sums are exact, so any
 * order of rows and any number of threads gives the same bits, and a child's histogram taken from its
 * parent's leaves no dust behind.
 *
 * Rows of a node are scattered. They are taken in chunks: the codes and gradients of 512 rows are copied
 * together (prefetched well ahead), then the columns are worked off in blocks of eight, whose histograms
 * (17 KB) stay in the first-level cache while the chunk runs through. So small nodes cost per row nearly what
 * the root costs, and no second, block-wise copy of the data is needed. */
#include "tree/histogram.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "tree/simd.h"

enum { CHUNK = 192, AHEAD = 64, BLOCK = 8, SLAB_BLOCKS = SCARCE__SLAB / BLOCK };

scarce_status scarce__hist_layout_init(scarce__hist_layout *out, const scarce__bins *bins, scarce_error *err)
{
    uint32_t at = 0;
    out->n_columns = bins->n_columns;
    out->n_cells = 0;
    out->offset = scarce__malloc_array(bins->n_columns + 1, sizeof *out->offset);
    if (!out->offset) return scarce__fail_memory(err, "the layout of histograms", 0);
    for (size_t c = 0; c < bins->n_columns; ++c) {
        uint32_t lines = (bins->n_codes[c] + 7u) / 8u;
        out->offset[c] = at;
        at += (lines | 1u) * 8u;
    }
    out->offset[bins->n_columns] = at;
    out->n_cells = at;
    return SCARCE_OK;
}

void scarce__hist_layout_deinit(scarce__hist_layout *layout)
{
    scarce__free(layout->offset);
    layout->offset = NULL;
}

static inline uint64_t load8(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

/* Keeps the compiler from computing all eight addresses from one base, which would cost an addition each. */
#if defined(__GNUC__)
#define OPAQUE(p) __asm__("" : "+r"(p))
#else
#define OPAQUE(p) ((void)0)
#endif
#define BASE(j)                                                                                              \
    scarce__gh *h##j = cells + offset[width > (j) ? (j) : 0];                                                \
    OPAQUE(h##j)
#define ADD(j)                                                                                               \
    if (width > (j)) h##j[code[j]] += v

/* `width` columns of one block; it is a constant in every instance. `step` is the distance of the rows'
 * codes. */
SCARCE__BODY void add_block(scarce__gh *cells, const uint32_t *offset, const uint8_t *code, size_t step,
                            const scarce__gh *value, size_t n, unsigned width)
{
    BASE(0);
    BASE(1);
    BASE(2);
    BASE(3);
    BASE(4);
    BASE(5);
    BASE(6);
    BASE(7);
    for (size_t k = 0; k < n; ++k, code += step) {
        const scarce__gh v = value[k];
        ADD(0);
        ADD(1);
        ADD(2);
        ADD(3);
        ADD(4);
        ADD(5);
        ADD(6);
        ADD(7);
    }
}
#undef ADD
#undef BASE

static void add_columns(scarce__gh *cells, const uint32_t *offset, const uint8_t *code, size_t step,
                        const scarce__gh *value, size_t n, size_t width)
{
    switch (width) {
    case 1: add_block(cells, offset, code, step, value, n, 1); break;
    case 2: add_block(cells, offset, code, step, value, n, 2); break;
    case 3: add_block(cells, offset, code, step, value, n, 3); break;
    case 4: add_block(cells, offset, code, step, value, n, 4); break;
    case 5: add_block(cells, offset, code, step, value, n, 5); break;
    case 6: add_block(cells, offset, code, step, value, n, 6); break;
    case 7: add_block(cells, offset, code, step, value, n, 7); break;
    default: add_block(cells, offset, code, step, value, n, 8); break;
    }
}

/* Copies the codes of n rows to buffer[block][k] and their values to v[k]. */
SCARCE__BODY void gather(uint64_t *buffer, scarce__gh *v, const uint8_t *slab, size_t width,
                         const uint32_t *row, size_t n, size_t more, const scarce__gh *value)
{
    for (size_t k = 0; k < n; ++k) {
        const uint8_t *p = slab + (size_t)row[k] * width;
        if (k + AHEAD < more) {
            const uint8_t *q = slab + (size_t)row[k + AHEAD] * width;
            SCARCE__PREFETCH(q);
            SCARCE__PREFETCH(q + width - 1);
            SCARCE__PREFETCH(&value[row[k + AHEAD]]);
        }
        v[k] = value[row[k]];
        for (size_t j = 0; j < width / BLOCK; ++j) buffer[j * CHUNK + k] = load8(p + j * BLOCK);
    }
}

static void gather_any(uint64_t *buffer, scarce__gh *v, const uint8_t *slab, size_t width,
                       const uint32_t *row, size_t n, size_t more, const scarce__gh *value)
{
    switch (width / BLOCK) { /* unrolled where the number of blocks is small */
    case 1: gather(buffer, v, slab, 8, row, n, more, value); break;
    case 2: gather(buffer, v, slab, 16, row, n, more, value); break;
    case 3: gather(buffer, v, slab, 24, row, n, more, value); break;
    case 4: gather(buffer, v, slab, 32, row, n, more, value); break;
    case 5: gather(buffer, v, slab, 40, row, n, more, value); break;
    case 6: gather(buffer, v, slab, 48, row, n, more, value); break;
    case 7: gather(buffer, v, slab, 56, row, n, more, value); break;
    default: gather(buffer, v, slab, 64, row, n, more, value); break;
    }
}

void scarce__hist_build(scarce__gh *cells, const scarce__hist_layout *layout, const scarce__codes *codes,
                        size_t slab, const uint32_t *row, size_t begin, size_t end, const scarce__gh *value)
{
    const size_t first = slab * SCARCE__SLAB, width = scarce__slab_width(codes->n_columns, slab);
    const size_t columns = codes->n_columns - first < SCARCE__SLAB ? codes->n_columns - first : SCARCE__SLAB;
    const uint8_t *from = scarce__slab(codes, slab);
    const uint32_t *offset = layout->offset + first;
    uint64_t buffer[SLAB_BLOCKS * CHUNK];
    scarce__gh v[CHUNK];

    memset(cells + offset[0], 0, (offset[columns] - offset[0]) * sizeof *cells);
    for (size_t b = begin; b < end; b += CHUNK) {
        const size_t n = end - b < CHUNK ? end - b : CHUNK;
        if (row) gather_any(buffer, v, from, width, row + b, n, end - b, value);
        for (size_t j = 0; j < columns; j += BLOCK) {
            const size_t w = columns - j < BLOCK ? columns - j : BLOCK;
            if (row)
                add_columns(cells, offset + j, (const uint8_t *)(buffer + j / BLOCK * CHUNK), 8, v, n, w);
            else add_columns(cells, offset + j, from + b * width + j, width, value + b, n, w);
        }
    }
}

/* The same with two doubles per cell. The caller fixes the blocks of rows and adds their histograms in order,
 * so that the rounding doesn't depend on the number of threads. */
void scarce__hist_build_double(scarce__ghd *cells, const scarce__hist_layout *layout,
                               const scarce__codes *codes, size_t slab, const uint32_t *row, size_t begin,
                               size_t end, const scarce__ghd *value)
{
    const size_t first = slab * SCARCE__SLAB, width = scarce__slab_width(codes->n_columns, slab);
    const size_t columns = codes->n_columns - first < SCARCE__SLAB ? codes->n_columns - first : SCARCE__SLAB;
    const uint8_t *from = scarce__slab(codes, slab);
    const uint32_t *offset = layout->offset + first;

    memset(cells + offset[0], 0, (offset[columns] - offset[0]) * sizeof *cells);
    for (size_t b = begin; b < end; b += CHUNK) {
        const size_t e = b + CHUNK < end ? b + CHUNK : end;
        for (size_t j = 0; j < columns; j += BLOCK) {
            const size_t w = columns - j < BLOCK ? columns - j : BLOCK;
            for (size_t k = b; k < e; ++k) {
                const size_t r = row ? row[k] : k;
                if (j == 0 && row && k + AHEAD < end) {
                    const uint8_t *q = from + (size_t)row[k + AHEAD] * width;
                    SCARCE__PREFETCH(q);
                    SCARCE__PREFETCH(q + width - 1);
                    SCARCE__PREFETCH(&value[row[k + AHEAD]]);
                }
                const uint8_t *p = from + r * width + j;
                const scarce__ghd v = value[r];
                for (size_t i = 0; i < w; ++i) {
                    scarce__ghd *cell = &cells[offset[j + i] + p[i]];
                    cell->g += v.g;
                    cell->h += v.h;
                }
            }
        }
    }
}
