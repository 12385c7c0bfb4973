/* SPDX-License-Identifier: Apache-2.0 */
/* The walks of shap_inside.h, written once in vectors of fixed size and compiled for several instruction sets:
 * lanes compute what single numbers would, so all instances give the same bits. */
#ifndef SCARCE_EXPLAIN_SHAP_KERNEL_H
#define SCARCE_EXPLAIN_SHAP_KERNEL_H

#include <string.h>

#include "explain/shap_inside.h"
#include "tree/simd.h"
#include "tree/step.h"

typedef double scarce__v8 __attribute__((vector_size(64)));
typedef int64_t scarce__m8 __attribute__((vector_size(64)));
typedef float scarce__f8 __attribute__((vector_size(32)));
typedef int32_t scarce__i8 __attribute__((vector_size(32)));
typedef double scarce__v4 __attribute__((vector_size(32)));

/* Macros, because a function that returns a wide vector has another ABI on each instruction set. */
#define V8_ALL(x) ((scarce__v8){x, x, x, x, x, x, x, x})
#define V8_PICK(mask, a, b) ((scarce__v8)(((scarce__m8)(a) & (mask)) | ((scarce__m8)(b) & ~(mask))))
#define TO_MASK(i) __builtin_convertvector(i, scarce__m8)

enum { VECTORS = SCARCE__SHAP_VECTORS };

/* The masks of a level: the row goes to the first child; the conditions above were met; and those of the
 * child that is being visited are. */
typedef struct level_masks {
    scarce__m8 first[VECTORS], old[VECTORS], met[VECTORS];
} level_masks;

SCARCE__BODY void decide(const scarce__shap *shap, const scarce__shap_op *op, const float *x, level_masks *masks)
{
    level_masks *here = masks + op->level;

    if (op->flags & SCARCE__CATEGORY) {
        const uint32_t *set = op->set_words ? shap->sets + op->set : shap->sets;
        int64_t side[SCARCE__SHAP_TILE];
        for (size_t r = 0; r < SCARCE__SHAP_TILE; ++r)
            side[r] = -(int64_t)(scarce__set_left(set, op->set_words, op->flags, x[r]) != op->first_right);
        memcpy(here->first, side, sizeof side);
    } else {
        const int32_t missing = op->flags & SCARCE__MISSING_LEFT ? -1 : 0, swap = op->first_right ? -1 : 0;
        const float t = op->threshold;
        const scarce__f8 threshold = {t, t, t, t, t, t, t, t};
        for (size_t v = 0; v < VECTORS; ++v) {
            scarce__f8 value;
            memcpy(&value, x + v * SCARCE__SHAP_LANES, sizeof value);
            const scarce__i8 left = ((value <= threshold) | ((value != value) & missing)) ^ swap;
            here->first[v] = TO_MASK(left);
        }
    }
    for (size_t v = 0; v < VECTORS; ++v) {
        here->old[v] = op->old ? masks[op->old - 1].met[v] : (scarce__m8){-1, -1, -1, -1, -1, -1, -1, -1};
        here->met[v] = here->first[v] & here->old[v];
    }
}

/* A constant by the row's case; c: its value for case 0, those of the other cases `stride` apart. */
#define BY_CASE(c)                                                                                           \
    (op->old ? V8_PICK(old, V8_PICK(first, V8_ALL((c)[0]), V8_ALL((c)[stride])), V8_ALL((c)[2 * stride]))     \
             : V8_PICK(first, V8_ALL((c)[0]), V8_ALL((c)[stride])))

/* One op for one vector of rows. p, h: of the node's level; of the child's level they are `below` further. */
SCARCE__BODY void step_tile(const scarce__shap_op *op, const double *c, size_t padded, size_t n_points,
                            const scarce__m8 *first_at, const scarce__m8 *old_at, scarce__v8 *p, scarce__v8 *h,
                            size_t below, double *phi)
{
    const scarce__m8 first = *first_at, old = *old_at;
    const size_t stride = scarce__shap_kinds(op->what) * padded;
    scarce__v8 sum = {0, 0, 0, 0, 0, 0, 0, 0}, total;

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
            const scarce__v8 up = h[at + below];
            h[at] = up;
            sum += up * BY_CASE(c + k);
            p[at + below] = p[at] * BY_CASE(c + padded + k);
        }
        break;
    default:
        for (size_t k = 0; k < n_points; ++k) {
            const size_t at = k * VECTORS;
            const scarce__v8 up = h[at + below];
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
    scarce__v8 *p = (scarce__v8 *)(void *)work->products, *h = (scarce__v8 *)(void *)work->sums;
    const double *weight = shap->weights + tree->weights;
    const size_t below = n_points * VECTORS;

    for (size_t k = 0; k < n_points; ++k)
        for (size_t v = 0; v < VECTORS; ++v) p[k * VECTORS + v] = V8_ALL(weight[k]);
    for (; op < end; ++op) {
        const double *c = shap->constants + op->constants;
        const size_t cell = (size_t)op->feature * SCARCE__SHAP_BLOCK + at, base = op->level * below;
        level_masks *here = masks + op->level;
        if (op->what == SCARCE__SHAP_PAIR || op->what == SCARCE__SHAP_ENTER_ONE ||
            op->what == SCARCE__SHAP_ENTER_FIRST)
            decide(shap, op, work->x + cell, masks);
        else if (op->what == SCARCE__SHAP_NEXT)
            for (size_t v = 0; v < VECTORS; ++v) here->met[v] = ~here->first[v] & here->old[v];
        for (size_t v = 0; v < VECTORS; ++v)
            step_tile(op, c, tree->padded, n_points, here->first + v, here->old + v, p + base + v, h + base + v,
                      below, work->x_sums + cell + v * SCARCE__SHAP_LANES);
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
        scarce__v4 pk, a, b, f, t;
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
    uint32_t *which = state, *met = state + tree->levels; /* by level: the case; the child's conditions are met */

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
        const double *c = shap->constants + op->constants + which[level] * scarce__shap_kinds(op->what) * padded;
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
