/* SPDX-License-Identifier: Apache-2.0 */
/* The table of samplers, and what all of them share. A new one is a file with one
 * `const scarce__sampler scarce__sampler_<name>`, and a line here. */
#include "boost/sampling.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

/* clang-format off */
#define SAMPLERS(line)      \
    line(all)               \
    line(uniform)           \
    line(stratified)        \
    line(classes)           \
    line(balanced)          \
    line(ratio)             \
    line(goss)              \
    line(mvs)               \
    line(importance)        \
    line(bootstrap)         \
    line(bootstrap_balanced)\
    line(smote)
/* clang-format on */

#define DECLARE(name) extern const scarce__sampler scarce__sampler_##name;
#define ENTRY(name) &scarce__sampler_##name,
SAMPLERS(DECLARE)

const scarce__sampler *const scarce__samplers[] = {SAMPLERS(ENTRY)};
const size_t scarce__n_samplers = sizeof scarce__samplers / sizeof scarce__samplers[0];

const scarce__sampler scarce__sampler_all = {.name = "all", .summary = "all rows"};

const scarce__sampler *scarce__sampler_find(const char *name)
{
    for (size_t i = 0; i < scarce__n_samplers; ++i)
        if (strcmp(scarce__samplers[i]->name, name) == 0) return scarce__samplers[i];
    return NULL;
}

/* ---- A sampler at work */

scarce_status scarce__sampling_choose(scarce__sampling *s, const scarce__sampling_options *o,
                                      size_t n_positives, size_t n_negatives, const scarce__loss *loss,
                                      scarce_error *err)
{
    memset(s, 0, sizeof *s);
    s->o = *o;
    s->is = o->sampler ? o->sampler : scarce__samplers[o->kind];
    if (o->keep < 0)
        return scarce__fail(err, SCARCE_EINVAL, "keep is %d, a bag is kept 1 or more trees", o->keep);
    if (o->keep == 0) s->o.keep = s->is->keep > 0 ? s->is->keep : 1;
    if (s->is->by_class && (n_positives == 0 || n_negatives == 0))
        return scarce__fail(err, SCARCE_EDATA,
                            "sampling by class needs positives and negatives, there are %zu and %zu",
                            n_positives, n_negatives);
    return s->is->check ? s->is->check(s, n_positives, n_negatives, loss, err) : SCARCE_OK;
}

scarce_status scarce__sampling_start(scarce__sampling *s, const scarce__population *all, scarce_context *ctx,
                                     scarce_error *err)
{
    return s->is->start ? s->is->start(s, all, ctx, err) : SCARCE_OK;
}

void scarce__sampling_end(scarce__sampling *s)
{
    if (s->is && s->is->end) s->is->end(s);
    memset(s, 0, sizeof *s);
}

int scarce__sampling_all(const scarce__sampling *s)
{
    return !s->is->draw;
}

int scarce__sampling_pool_due(const scarce__sampling *s, size_t tree)
{
    return s->is->pool_due && s->is->pool_due(s, tree);
}

int scarce__sampling_due(const scarce__sampling *s, size_t tree)
{
    return s->is->draw && (tree % (size_t)s->o.keep == 0 || scarce__sampling_pool_due(s, tree));
}

scarce_status scarce__sampling_draw(scarce__sampling *s, scarce__bag *out, const scarce__population *from,
                                    const scarce__draw *at, scarce_context *ctx, scarce_error *err)
{
    out->made = NULL;
    return s->is->draw(s, out, from, at, ctx, err);
}

/* ---- Bags */

void scarce__bag_deinit(scarce__bag *bag)
{
    scarce__free(bag->row);
    scarce__free(bag->weight_room);
    scarce__free(bag->value);
    scarce__free(bag->cells);
    memset(bag, 0, sizeof *bag);
}

/* What was allocated for a bag before is used again: fresh pages cost more than drawing does. */
scarce_status scarce__bag_reserve(scarce__bag *bag, size_t n, int weights, scarce_error *err)
{
    if (n + 1 > bag->room) {
        scarce__bag_deinit(bag);
        bag->row = scarce__big_alloc(n + 1, sizeof *bag->row);
        bag->room = n + 1;
    }
    if (weights && !bag->weight_room) bag->weight_room = scarce__big_alloc(bag->room, sizeof *bag->weight);
    bag->n = 0;
    bag->weight = weights ? bag->weight_room : NULL;
    if (bag->row && (bag->weight || !weights)) return SCARCE_OK;
    scarce__bag_deinit(bag);
    return scarce__fail_memory(err, "a bag of rows", n * 8);
}

scarce_status scarce__sampling_share(const char *name, double share, scarce_error *err)
{
    if (share > 0 && share <= 1) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EINVAL, "%s is %g, allowed is (0, 1]", name, share);
}
