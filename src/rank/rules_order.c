/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that are read from the top, as SQL's CASE and people read them. A condition may go where the box without it
 * still meets no box of a leaf below: whatever else it then holds of is taken by the leaves above. Boxes of leaves
 * below are exact while a leaf is worked on, so each step keeps the rows of every leaf. */
#include <math.h>
#include <string.h>

#include "rank/rules_inside.h"

enum { MOST_COMPARED = 1500, MOST_NAMES = 64 };

static int meets(const scarce__condition *a, const scarce__condition *b)
{
    if (a->missing && b->missing) return 1;
    if (!a->category) {
        const float low = a->low > b->low ? a->low : b->low, high = a->high < b->high ? a->high : b->high;
        return low < high;
    }
    if (a->other && b->other) return 1;
    for (uint32_t i = 0; i < a->words; ++i)
        if (a->set[i] & b->set[i]) return 1;
    return 0;
}

static int boxes_meet(const scarce__box *a, const scarce__box *b)
{
    size_t i = 0;
    for (size_t k = 0; k < b->n; ++k) {
        while (i < a->n && a->conditions[i].feature < b->conditions[k].feature) ++i;
        if (i == a->n) return 1;
        if (a->conditions[i].feature == b->conditions[k].feature &&
            !meets(&a->conditions[i], &b->conditions[k]))
            return 0;
    }
    return 1;
}

/* Whether box i meets a box of a leaf below its own. */
static int meets_below(const scarce__rules *r, size_t i, size_t below)
{
    for (size_t k = below; k < r->n; ++k)
        if (boxes_meet(&r->boxes[i], &r->boxes[k])) return 1;
    return 0;
}

/* What a condition is without one of its bounds. */
static void try_ranges(scarce__rules *r, size_t i, size_t k, size_t below)
{
    scarce__condition *c = &r->boxes[i].conditions[k];
    const scarce__condition was = *c;
    if (!(was.low < was.high)) return;
    c->low = -INFINITY;
    if (was.low == -INFINITY || was.high == INFINITY || meets_below(r, i, below)) c->low = was.low;
    c->high = INFINITY;
    if (c->low == -INFINITY || was.high == INFINITY || meets_below(r, i, below)) c->high = was.high;
}

/* "not in {...}" with fewer names. */
static void try_names(scarce__rules *r, size_t i, size_t k, size_t below)
{
    const scarce__condition *c = &r->boxes[i].conditions[k];
    size_t out = 0;
    if (!c->other) return;
    for (uint32_t code = 0; code < c->categories; ++code) out += !(c->set[code / 32] >> (code % 32) & 1);
    for (uint32_t code = 0; out <= MOST_NAMES && code < c->categories; ++code) {
        const uint32_t bit = (uint32_t)1 << (code % 32);
        if (c->set[code / 32] & bit) continue;
        c->set[code / 32] |= bit;
        if (meets_below(r, i, below)) c->set[code / 32] &= ~bit;
    }
}

static void widen(scarce__rules *r, size_t i, size_t below)
{
    scarce__box *box = &r->boxes[i];
    for (size_t k = 0; k < box->n;) {
        const scarce__condition c = box->conditions[k];
        const size_t behind = (box->n - k - 1) * sizeof c;
        memmove(box->conditions + k, box->conditions + k + 1, behind);
        --box->n;
        const int needed = meets_below(r, i, below);
        memmove(box->conditions + k + 1, box->conditions + k, behind);
        box->conditions[k] = c;
        ++box->n;
        if (!needed) {
            scarce__box_drop(box, k);
            continue;
        }
        if (c.category) try_names(r, i, k, below);
        else try_ranges(r, i, k, below);
        ++k;
    }
}

void scarce__rules_order(scarce__rules *r, const scarce_schema *schema)
{
    if (r->n > MOST_COMPARED) return;
    for (size_t from = 0; from < r->n;) {
        size_t below = from;
        while (below < r->n && r->boxes[below].target == r->boxes[from].target) ++below;
        for (size_t i = from; i < below; ++i) widen(r, i, below);
        const size_t n = scarce__boxes_join(r->boxes + from, below - from, schema);
        memmove(r->boxes + from + n, r->boxes + below, (r->n - below) * sizeof *r->boxes);
        r->n -= below - from - n;
        from += n;
    }
}

/* ---- For people */

static int needs_missing(const scarce__box *box, const float *missing)
{
    for (size_t k = 0; k < box->n; ++k) {
        const scarce__condition *c = &box->conditions[k];
        int any = c->category ? c->other : c->low < c->high;
        for (uint32_t i = 0; c->category && i < c->words; ++i) any |= c->set[i] != 0;
        if (!any && missing[c->feature] <= 0) return 1;
    }
    return 0;
}

static void open_missing(scarce__box *box, const scarce_schema *schema, const float *missing)
{
    for (size_t k = 0; k < box->n;) {
        scarce__condition *c = &box->conditions[k];
        if (missing[c->feature] <= 0) c->missing = 1;
        if (scarce__holds_everything(c, schema)) scarce__box_drop(box, k);
        else ++k;
    }
}

void scarce__rules_forget_missing(scarce__rules *r, const scarce_schema *schema, const float *missing)
{
    size_t to = 0;
    for (size_t from = 0, end; missing && from < r->n; from = end) {
        size_t kept = from;
        for (end = from; end < r->n && r->boxes[end].target == r->boxes[from].target; ++end) continue;
        for (size_t i = from; i < end; ++i) { /* one way is left in any case */
            if (needs_missing(&r->boxes[i], missing) && (kept > from || i + 1 < end)) {
                scarce__box_deinit(&r->boxes[i]);
                continue;
            }
            r->boxes[kept++] = r->boxes[i];
        }
        for (size_t i = from; i < kept; ++i) open_missing(&r->boxes[i], schema, missing);
        const size_t n = scarce__boxes_join(r->boxes + from, kept - from, schema);
        memmove(r->boxes + to, r->boxes + from, n * sizeof *r->boxes);
        to += n;
    }
    if (missing) r->n = to;
}
