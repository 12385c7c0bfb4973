/* SPDX-License-Identifier: Apache-2.0 */
/* A worked example of a sampler that makes rows up (see CONTRIBUTING.md): all rows, and a copy of each
 * positive that a coin chooses anew for every bag. A sampler that interpolates between neighbours
 * (SMOTEBoost) differs in what it puts into the table of rows made up, and in looking for neighbours in
 * `start`.
 *
 * State: which training rows are positive, found once; and the rows made up, which live until the next
 * draw. */
#include "boost/sampling.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"

typedef struct copies {
    size_t n;
    uint32_t *positive; /* among the training rows */
    uint32_t *chosen;   /* room */
    scarce_table *made;
} copies;

static void copies_end(scarce__sampling *s)
{
    copies *c = s->state;
    if (!c) return;
    scarce__free(c->positive);
    scarce__free(c->chosen);
    scarce_table_free(c->made);
    scarce__free(c);
}

static scarce_status copies_start(scarce__sampling *s, const scarce__population *all, scarce_context *ctx,
                                  scarce_error *err)
{
    copies *c = scarce__calloc(1, sizeof *c);
    (void)ctx;
    s->state = c; /* freed by `end`, whatever happens */
    if (c) c->positive = scarce__malloc_array(all->n, sizeof *c->positive);
    if (c) c->chosen = scarce__malloc_array(all->n, sizeof *c->chosen);
    if (!c || !c->positive || !c->chosen) return scarce__fail_memory(err, "the positives", 8 * all->n);
    for (size_t i = 0; i < all->n; ++i)
        if (all->label[i]) c->positive[c->n++] = (uint32_t)i;
    return SCARCE_OK;
}

static scarce_status copies_draw(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                                 const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    const uint64_t key = scarce__key(at->seed, SCARCE__FOR_ROWS, 2 * at->tree);
    copies *c = s->state;
    size_t n = 0;

    scarce_table_free(c->made);
    c->made = NULL;
    for (size_t k = 0; k < c->n; ++k)
        if (scarce__hash(key, c->positive[k]) >> 63)
            c->chosen[n++] = from->table_row ? from->table_row[c->positive[k]] : c->positive[k];
    SCARCE__TRY(scarce_table_rows_of(&c->made, from->table, c->chosen, n, ctx, err));
    SCARCE__TRY(scarce__bag_reserve(out, from->n, 0, err));
    for (size_t i = 0; i < from->n; ++i) out->row[i] = (uint32_t)i;
    out->n = from->n;
    out->made = c->made;
    return SCARCE_OK;
}

/* The line of src/boost/sampling.c would be: line(copies) */
extern const scarce__sampler scarce__sampler_copies;
const scarce__sampler scarce__sampler_copies = {.name = "copies",
                                                .summary = "all rows, and half of the positives once more",
                                                .by_class = 1,
                                                .makes_rows = 1,
                                                .start = copies_start,
                                                .draw = copies_draw,
                                                .end = copies_end};
