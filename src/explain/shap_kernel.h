/* SPDX-License-Identifier: Apache-2.0 */
/* The walks of shap_inside.h, written once in vectors of fixed size and compiled for several instruction
 * sets: lanes compute what single numbers would, so all instances give the same bits. */
#ifndef SCARCE_EXPLAIN_SHAP_KERNEL_H
#define SCARCE_EXPLAIN_SHAP_KERNEL_H

#include <string.h>

#include "core/simd.h"
#include "explain/shap_inside.h"
#include "tree/step.h"

/* Before including: how many doubles a vector register of this instruction set has (8, 4 or 2). */
#ifndef LANES
#error "define LANES"
#endif

typedef double lanes __attribute__((vector_size(LANES * 8)));
typedef int64_t mask __attribute__((vector_size(LANES * 8), may_alias));
typedef double points __attribute__((vector_size(32)));

/* Macros, because a function that returns a wide vector has another ABI on each instruction set. */
#if LANES == 8
#define ALL(x) ((lanes){x, x, x, x, x, x, x, x})
#elif LANES == 4
#define ALL(x) ((lanes){x, x, x, x})
#else
#define ALL(x) ((lanes){x, x})
#endif
#define PICK(which, a, b) ((lanes)(((mask)(a) & (which)) | ((mask)(b) & ~(which))))

enum { VECTORS = SCARCE__SHAP_TILE / LANES };

/* The masks of a level (all bits of a row's word): the row goes to the first child; the conditions above were
 * met; and those of the child that is being visited are. */
typedef struct level_masks {
    int64_t first[SCARCE__SHAP_TILE], old[SCARCE__SHAP_TILE], met[SCARCE__SHAP_TILE];
} level_masks;

SCARCE__BODY void decide(const scarce__shap *shap, const scarce__shap_op *op, const float *restrict x,
                         level_masks *restrict masks)
{
    level_masks *here = masks + op->level;
    const int64_t swap = op->first_right ? -1 : 0;

    if (op->flags & SCARCE__CATEGORY) {
        const uint32_t *set = op->set_words ? shap->sets + op->set : shap->sets;
        for (size_t r = 0; r < SCARCE__SHAP_TILE; ++r)
            here->first[r] = swap ^ -(int64_t)scarce__set_left(set, op->set_words, op->flags, x[r]);
    } else if (op->flags & SCARCE__MISSING_LEFT) {
        const float t = op->threshold;
        for (size_t r = 0; r < SCARCE__SHAP_TILE; ++r) here->first[r] = swap ^ -(int64_t) !(x[r] > t);
    } else {
        const float t = op->threshold;
        for (size_t r = 0; r < SCARCE__SHAP_TILE; ++r) here->first[r] = swap ^ -(int64_t)(x[r] <= t);
    }
    if (op->old) memcpy(here->old, masks[op->old - 1].met, sizeof here->old);
    else memset(here->old, 255, sizeof here->old);
    for (size_t r = 0; r < SCARCE__SHAP_TILE; ++r) here->met[r] = here->first[r] & here->old[r];
}

/* A constant by the row's case; c: its value for case 0, those of the other cases `stride` apart. */
#define BY_CASE(c)                                                                                           \
    (op->old ? PICK(old, PICK(first, ALL((c)[0]), ALL((c)[stride])), ALL((c)[2 * stride]))                   \
             : PICK(first, ALL((c)[0]), ALL((c)[stride])))

/* One op for one vector of rows. p, h: of the node's level; of the child's level they are `below` further. */
SCARCE__BODY void step_tile(const scarce__shap_op *op, const double *c, size_t padded, size_t n_points,
                            const int64_t *first_at, const int64_t *old_at, lanes *p, lanes *h, size_t below,
                            double *phi)
{
    const mask first = *(const mask *)(const void *)first_at, old = *(const mask *)(const void *)old_at;
    const size_t stride = scarce__shap_kinds(op->what) * padded;
    lanes sum = ALL(0), total;

    switch (op->what) {
    case SCARCE__SHAP_PAIR:
        for (size_t k = 0; k < n_points; ++k) {
            const size_t at = k * VECTORS;
            h[at] = p[at] * BY_CASE(c + k);
            sum += p[at] * BY_CASE(c + padded + k);
        }
        break;
    case SCARCE__SHAP_ENTER_ONE:
        for (size_t k = 0; k < n_points; ++k) {
            const size_t at = k * VECTORS;
            p[at + below] = p[at] * BY_CASE(c + k);
            h[at] = p[at] * BY_CASE(c + padded + k);
            sum += p[at] * BY_CASE(c + 2 * padded + k);
        }
        break;
    case SCARCE__SHAP_ENTER_FIRST:
        for (size_t k = 0; k < n_points; ++k) {
            const size_t at = k * VECTORS;
            p[at + below] = p[at] * BY_CASE(c + k);
        }
        return;
    case SCARCE__SHAP_NEXT:
        for (size_t k = 0; k < n_points; ++k) {
            const size_t at = k * VECTORS;
            const lanes up = h[at + below];
            h[at] = up;
            sum += up * BY_CASE(c + k);
            p[at + below] = p[at] * BY_CASE(c + padded + k);
        }
        break;
    default:
        for (size_t k = 0; k < n_points; ++k) {
            const size_t at = k * VECTORS;
            const lanes up = h[at + below];
            h[at] += up;
            sum += up * BY_CASE(c + k);
        }
        break;
    }
    memcpy(&total, phi, sizeof total);
    total += sum;
    memcpy(phi, &total, sizeof total);
}

SCARCE__BODY void walk_tile(const scarce__shap *shap, const scarce__shap_tree *tree,
                            const scarce__shap_work *work, size_t at, size_t n_points)
{
    const scarce__shap_op *op = shap->ops + tree->op, *end = op + tree->n_ops;
    level_masks *masks = (level_masks *)(void *)work->masks;
    lanes *p = (lanes *)(void *)work->products, *h = (lanes *)(void *)work->sums;
    const double *weight = shap->weights + tree->weights;
    const size_t below = n_points * VECTORS;

    for (size_t k = 0; k < n_points; ++k)
        for (size_t v = 0; v < VECTORS; ++v) p[k * VECTORS + v] = ALL(weight[k]);
    for (; op < end; ++op) {
        const double *c = shap->constants + op->constants;
        const size_t cell = (size_t)op->feature * SCARCE__SHAP_BLOCK + at, base = op->level * below;
        level_masks *here = masks + op->level;
        if (op->what == SCARCE__SHAP_PAIR || op->what == SCARCE__SHAP_ENTER_ONE ||
            op->what == SCARCE__SHAP_ENTER_FIRST)
            decide(shap, op, work->x + cell, masks);
        else if (op->what == SCARCE__SHAP_NEXT)
            for (size_t r = 0; r < SCARCE__SHAP_TILE; ++r) here->met[r] = ~here->first[r] & here->old[r];
        for (size_t v = 0; v < VECTORS; ++v)
            step_tile(op, c, tree->padded, n_points, here->first + v * LANES, here->old + v * LANES,
                      p + base + v, h + base + v, below, work->x_sums + cell + v * LANES);
    }
}

/* The usual numbers of points as constants, so that their loops are unrolled. */
SCARCE__BODY void tile_body(const scarce__shap *shap, const scarce__shap_tree *tree,
                            const scarce__shap_work *work, size_t at)
{
    switch (tree->n_points) {
    case 0: break;
    case 1: walk_tile(shap, tree, work, at, 1); break;
    case 2: walk_tile(shap, tree, work, at, 2); break;
    case 3: walk_tile(shap, tree, work, at, 3); break;
    case 4: walk_tile(shap, tree, work, at, 4); break;
    case 5: walk_tile(shap, tree, work, at, 5); break;
    default: walk_tile(shap, tree, work, at, tree->n_points); break;
    }
}

/* ---- one row: lanes are points */

/* sum += the four lanes in order, as the sum over points of many rows. */
#define ADD_LANES(sum, v) (sum) = (((sum) + (v)[0]) + (v)[1]) + (v)[2], (sum) += (v)[3]

SCARCE__BODY double step_one(const scarce__shap_op *op, const double *c, size_t padded, double *p, double *h)
{
    double sum = 0;

    for (size_t k = 0; k < padded; k += 4) {
        points pk, a, b, f, t;
        memcpy(&a, c + k, sizeof a);
        switch (op->what) {
        case SCARCE__SHAP_PAIR:
            memcpy(&pk, p + k, sizeof pk);
            memcpy(&b, c + padded + k, sizeof b);
            t = pk * a;
            memcpy(h + k, &t, sizeof t);
            t = pk * b;
            ADD_LANES(sum, t);
            break;
        case SCARCE__SHAP_ENTER_ONE:
            memcpy(&pk, p + k, sizeof pk);
            memcpy(&b, c + padded + k, sizeof b);
            memcpy(&f, c + 2 * padded + k, sizeof f);
            t = pk * a;
            memcpy(p + padded + k, &t, sizeof t);
            t = pk * b;
            memcpy(h + k, &t, sizeof t);
            t = pk * f;
            ADD_LANES(sum, t);
            break;
        case SCARCE__SHAP_ENTER_FIRST:
            memcpy(&pk, p + k, sizeof pk);
            t = pk * a;
            memcpy(p + padded + k, &t, sizeof t);
            break;
        case SCARCE__SHAP_NEXT:
            memcpy(&pk, p + k, sizeof pk);
            memcpy(&b, c + padded + k, sizeof b);
            memcpy(&f, h + padded + k, sizeof f);
            memcpy(h + k, &f, sizeof f);
            t = pk * b;
            memcpy(p + padded + k, &t, sizeof t);
            t = f * a;
            ADD_LANES(sum, t);
            break;
        default:
            memcpy(&f, h + padded + k, sizeof f);
            memcpy(&b, h + k, sizeof b);
            t = b + f;
            memcpy(h + k, &t, sizeof t);
            t = f * a;
            ADD_LANES(sum, t);
            break;
        }
    }
    return sum;
}

SCARCE__BODY void walk_one(const scarce__shap *shap, const scarce__shap_tree *tree, const float *row,
                           double *sums, double *work, uint32_t *state, size_t padded)
{
    const scarce__shap_op *op = shap->ops + tree->op, *end = op + tree->n_ops;
    double *p = work, *h = work + tree->levels * padded;
    uint32_t *which = state,
             *met = state + tree->levels; /* by level: the case; the child's conditions are met */

    memcpy(p, shap->weights + tree->weights, padded * sizeof *p);
    for (; op < end; ++op) {
        const uint32_t level = op->level;
        if (op->what == SCARCE__SHAP_PAIR || op->what == SCARCE__SHAP_ENTER_ONE ||
            op->what == SCARCE__SHAP_ENTER_FIRST) {
            const float x = row[shap->used[op->feature]];
            const uint32_t old = op->old ? met[op->old - 1] : 1;
            uint32_t left;
            if (op->flags & SCARCE__CATEGORY)
                left = (uint32_t)scarce__set_left(op->set_words ? shap->sets + op->set : shap->sets,
                                                  op->set_words, op->flags, x);
            else left = (uint32_t)((x <= op->threshold) | ((x != x) & (op->flags & SCARCE__MISSING_LEFT)));
            const uint32_t second = left ^ (uint32_t)!op->first_right;
            which[level] = old ? second : 2;
            met[level] = old & !second;
        } else if (op->what == SCARCE__SHAP_NEXT) {
            met[level] = which[level] == 1;
        }
        const double *c =
            shap->constants + op->constants + which[level] * scarce__shap_kinds(op->what) * padded;
        sums[op->feature] += step_one(op, c, padded, p + level * padded, h + level * padded);
    }
}

SCARCE__BODY void one_body(const scarce__shap *shap, const scarce__shap_tree *tree, const float *row,
                           double *sums, double *work, uint32_t *state)
{
    if (tree->padded == 4) walk_one(shap, tree, row, sums, work, state, 4);
    else if (tree->padded) walk_one(shap, tree, row, sums, work, state, tree->padded);
}

#endif
