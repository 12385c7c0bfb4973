/* SPDX-License-Identifier: Apache-2.0 */
/* Terminals on a square, and the search for those near a point by a grid of cells not smaller than
 * the radius: only nine cells can hold a terminal within reach. */
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "simulate/fraud.h"

enum { REGION = 20 }; /* a country is made of squares of this side */

/* 0..n-1 with P(rank r) about 1/(r+1): Zipf's law by inverting the logarithm. */
static size_t zipf(double unit, size_t n)
{
    const size_t r = (size_t)scarce__exp(unit * scarce__ln((double)n + 1)) - 1;
    return r < n ? r : n - 1;
}

static size_t cell_of(const scarce__world *w, double v)
{
    const size_t c = (size_t)(v / w->cell);
    return c < w->cells ? c : w->cells - 1;
}

static void fill_cells(scarce__world *w)
{
    for (size_t i = 0; i < w->n_terminals; ++i) {
        if (w->is_online[i]) continue;
        ++w->cell_start[cell_of(w, (double)w->y[i]) * w->cells + cell_of(w, (double)w->x[i]) + 1];
    }
    for (size_t c = 0; c < w->cells * w->cells; ++c) w->cell_start[c + 1] += w->cell_start[c];
    for (size_t i = w->n_terminals; i-- > 0;) { /* from behind, so that numbers ascend in a cell */
        if (w->is_online[i]) continue;
        const size_t c = cell_of(w, (double)w->y[i]) * w->cells + cell_of(w, (double)w->x[i]);
        w->cell_items[--w->cell_start[c + 1]] = (uint32_t)i;
    }
    /* the starts moved one place to the left while filling */
    memmove(w->cell_start, w->cell_start + 1, w->cells * w->cells * sizeof *w->cell_start);
    w->cell_start[w->cells * w->cells] = 0;
    for (size_t i = 0; i < w->n_terminals; ++i) w->cell_start[w->cells * w->cells] += !w->is_online[i];
}

static void place(scarce__world *w, size_t i, int hard, uint64_t seed)
{
    scarce__random r = scarce__stage_random(seed, SCARCE__STAGE_TERMINAL, i);
    w->x[i] = (float)(scarce__random_unit(&r) * w->side);
    w->y[i] = (float)(scarce__random_unit(&r) * w->side);
    if (!hard) return;
    w->category[i] = (uint16_t)zipf(scarce__random_unit(&r), N_CATEGORIES);
    w->is_online[i] = scarce__random_unit(&r) < 0.15;
    if (w->is_online[i]) {
        w->country[i] = (uint8_t)zipf(scarce__random_unit(&r), N_COUNTRIES);
        w->online[w->n_online++] = (uint32_t)i;
    } else {
        const uint64_t region = (uint64_t)(w->x[i] / REGION) * 100003u + (uint64_t)(w->y[i] / REGION);
        const uint64_t key =
            scarce__key(seed, SCARCE__FOR_SIMULATE, scarce__stage_index(SCARCE__STAGE_CATEGORY, 1));
        w->country[i] = (uint8_t)zipf(scarce__to_unit(scarce__hash(key, region)), N_COUNTRIES);
    }
}

scarce_status scarce__world_make(scarce__world *w, size_t n_terminals, double radius, int hard, uint64_t seed,
                                 scarce_error *err)
{
    memset(w, 0, sizeof *w);
    w->n_terminals = n_terminals;
    w->side = sqrt((double)n_terminals);
    w->radius = radius;
    w->cell = radius > 1 ? radius : 1; /* at most one cell per terminal */
    w->cells = (size_t)(w->side / w->cell);
    if (w->cells < 1) w->cells = 1;
    w->cell = w->side / (double)w->cells;
    w->x = scarce__malloc_array(n_terminals, sizeof *w->x);
    w->y = scarce__malloc_array(n_terminals, sizeof *w->y);
    w->cell_start = scarce__calloc(w->cells * w->cells + 1, sizeof *w->cell_start);
    w->cell_items = scarce__malloc_array(n_terminals, sizeof *w->cell_items);
    w->category = scarce__calloc(n_terminals, sizeof *w->category);
    w->country = scarce__calloc(n_terminals, sizeof *w->country);
    w->is_online = scarce__calloc(n_terminals, sizeof *w->is_online);
    w->online = scarce__malloc_array(n_terminals, sizeof *w->online);
    if (!w->x || !w->y || !w->cell_start || !w->cell_items || !w->category || !w->country || !w->is_online ||
        !w->online) {
        scarce__world_deinit(w);
        return scarce__fail_memory(err, "terminals", 0);
    }
    for (size_t i = 0; i < n_terminals; ++i) place(w, i, hard, seed);
    if (hard && w->n_online == 0) { /* very few terminals: one must sell online */
        w->is_online[0] = 1;
        w->online[w->n_online++] = 0;
    }
    fill_cells(w);
    return SCARCE_OK;
}

void scarce__world_deinit(scarce__world *w)
{
    scarce__free(w->x);
    scarce__free(w->y);
    scarce__free(w->cell_start);
    scarce__free(w->cell_items);
    scarce__free(w->category);
    scarce__free(w->country);
    scarce__free(w->is_online);
    scarce__free(w->online);
    memset(w, 0, sizeof *w);
}

static int add_id(scarce__ids *list, uint32_t id)
{
    if (list->n == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 128;
        uint32_t *items = scarce__realloc_array(list->items, capacity, sizeof *items);
        if (!items) return 0;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->n++] = id;
    return 1;
}

int scarce__world_near(const scarce__world *w, double x, double y, scarce__ids *out)
{
    const size_t cx = cell_of(w, x), cy = cell_of(w, y);
    const size_t x0 = cx > 0 ? cx - 1 : 0, y0 = cy > 0 ? cy - 1 : 0;
    const size_t x1 = cx + 1 < w->cells ? cx + 1 : cx, y1 = cy + 1 < w->cells ? cy + 1 : cy;

    out->n = 0;
    for (size_t gy = y0; gy <= y1; ++gy) {
        const uint32_t from = w->cell_start[gy * w->cells + x0], to = w->cell_start[gy * w->cells + x1 + 1];
        for (uint32_t k = from; k < to; ++k) {
            const uint32_t id = w->cell_items[k];
            const double dx = (double)w->x[id] - x, dy = (double)w->y[id] - y;
            if (dx * dx + dy * dy < w->radius * w->radius && !add_id(out, id)) return 0;
        }
    }
    return 1;
}
