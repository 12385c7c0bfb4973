/* SPDX-License-Identifier: Apache-2.0 */
#include "rank/rules_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

/* Nobody reads more paths; a damaged or deep graph may have as many as there are atoms. */
enum { MOST_BOXES = 20000, MOST_STEPS = 4000000, MOST_TO_JOIN = 600 };

void scarce__rules_deinit(scarce__rules *r)
{
    for (size_t i = 0; i < r->n; ++i) {
        for (size_t k = 0; k < r->boxes[i].n; ++k) scarce__free(r->boxes[i].conditions[k].set);
        scarce__free(r->boxes[i].conditions);
    }
    scarce__free(r->boxes);
    *r = (scarce__rules){0};
}

/* ---- Conditions */

static int holds_nothing(const scarce__condition *c)
{
    if (c->missing || (c->category && c->other)) return 0;
    if (!c->category) return c->low >= c->high;
    for (uint32_t i = 0; i < c->words; ++i)
        if (c->set[i]) return 0;
    return 1;
}

static uint32_t full_word(const scarce_schema *schema, uint32_t feature, uint32_t i)
{
    const size_t n = schema->features[feature].categories.count, from = 32 * (size_t)i;
    return n >= from + 32 ? UINT32_MAX : n > from ? ((uint32_t)1 << (n - from)) - 1 : 0;
}

int scarce__holds_everything(const scarce__condition *c, const scarce_schema *schema)
{
    if (!c->missing) return 0;
    if (!c->category) return c->low == -INFINITY && c->high == INFINITY;
    for (uint32_t i = 0; i < c->words; ++i)
        if (c->set[i] != full_word(schema, c->feature, i)) return 0;
    return c->other != 0;
}

/* What is left of a condition after a test, on one of its sides. */
static void narrow(scarce__condition *c, const scarce__dag *d, const scarce__node *node, int left)
{
    if ((node->flags & SCARCE__MISSING_LEFT ? 1 : 0) != left) c->missing = 0;
    if (!(node->flags & SCARCE__CATEGORY)) {
        if (left && node->value < c->high) c->high = node->value;
        if (!left && node->value > c->low) c->low = node->value;
        return;
    }
    const int other_left = (node->flags & SCARCE__OTHER_LEFT) != 0;
    if (other_left != left) c->other = 0;
    for (uint32_t i = 0; i < c->words; ++i) {
        const uint32_t goes_left = i < node->set_words ? d->sets[node->set + i] : other_left ? UINT32_MAX : 0;
        c->set[i] &= left ? goes_left : ~goes_left;
    }
}

/* ---- Paths */

typedef struct frame {
    uint32_t node;
    int side;              /* next to be tried: 1 left, 0 right, -1 neither */
    int first;             /* the feature had no condition before */
    scarce__condition was; /* what to put back; its set is a copy */
} frame;

typedef struct walk {
    scarce__rules *out;
    const scarce__dag *dag;
    const scarce_schema *schema;
    int local;
    scarce__condition *now; /* per feature */
    uint8_t *asked;         /* per feature: is it in `now`? */
    frame *stack;
    size_t n_stack, capacity;
    size_t steps;
} walk;

static uint32_t *copy_set(const uint32_t *set, uint32_t words)
{
    uint32_t *to = scarce__malloc_array(words, sizeof *to);
    if (to && words > 0) memcpy(to, set, words * sizeof *to);
    return to;
}

static int copy_condition(scarce__condition *to, const scarce__condition *from)
{
    *to = *from;
    if (!from->category) return 1;
    to->set = copy_set(from->set, from->words);
    return to->set != NULL;
}

/* The condition on the feature of a test, which is made if need be. 0: out of memory. */
static int ask(walk *w, const scarce__node *node)
{
    const uint32_t f = (uint32_t)node->feature;
    scarce__condition *c = &w->now[f];

    if (w->asked[f]) return 1;
    *c = (scarce__condition){.feature = f, .missing = 1, .low = -INFINITY, .high = INFINITY};
    if (node->flags & SCARCE__CATEGORY) {
        c->category = c->other = 1;
        c->categories = (uint32_t)w->schema->features[f].categories.count;
        c->words = (c->categories + 31) / 32;
        c->set = scarce__malloc_array(c->words, sizeof *c->set);
        if (!c->set) return 0;
        for (uint32_t i = 0; i < c->words; ++i) c->set[i] = full_word(w->schema, f, i);
    }
    w->asked[f] = 1;
    return 1;
}

static scarce_status no_memory(scarce_error *err)
{
    return scarce__fail_memory(err, "rules", 0);
}

static scarce_status too_many(scarce_error *err)
{
    return scarce__fail(
        err, SCARCE_EUNSUPPORTED,
        "the tree has more paths than anybody reads (%d); train with a smaller max_depth, or take "
        "--format json",
        (int)MOST_BOXES);
}

static scarce_status emit(walk *w, int32_t target, scarce_error *err)
{
    scarce__rules *r = w->out;
    size_t n = 0, k = 0;

    if (r->n == MOST_BOXES) return too_many(err);
    if (r->n == r->capacity) {
        const size_t room = 2 * r->capacity + 16;
        scarce__box *grown = scarce__realloc_array(r->boxes, room, sizeof *grown);
        if (!grown) return no_memory(err);
        r->boxes = grown;
        r->capacity = room;
    }
    for (size_t f = 0; f < w->schema->n_features; ++f) n += w->asked[f];
    scarce__box *box = &r->boxes[r->n];
    *box = (scarce__box){target, 0, scarce__malloc_array(n, sizeof *box->conditions)};
    if (!box->conditions) return no_memory(err);
    ++r->n;
    for (size_t f = 0; f < w->schema->n_features && k < n; ++f) {
        if (!w->asked[f]) continue;
        ++k;
        if (scarce__holds_everything(&w->now[f], w->schema)) continue;
        if (!copy_condition(&box->conditions[box->n], &w->now[f])) return no_memory(err);
        ++box->n;
    }
    return SCARCE_OK;
}

static scarce_status enter(walk *w, uint32_t node, scarce_error *err)
{
    const scarce__node *n = &w->dag->nodes[node];
    frame *f;

    if (++w->steps > MOST_STEPS) return too_many(err);
    if (n->feature < 0) return emit(w, n->left, err);
    if (w->local && w->n_stack > 0 && (n->flags & SCARCE__INNER_ROOT))
        return emit(w, SCARCE__TO_TREE + (int32_t)node, err);
    if (w->n_stack == w->capacity) {
        const size_t room = 2 * w->capacity + 64;
        frame *grown = scarce__realloc_array(w->stack, room, sizeof *grown);
        if (!grown) return no_memory(err);
        w->stack = grown;
        w->capacity = room;
    }
    const int first = !w->asked[n->feature];
    if (!ask(w, n)) return no_memory(err);
    f = &w->stack[w->n_stack];
    *f = (frame){.node = node, .side = 1, .first = first};
    if (!copy_condition(&f->was, &w->now[n->feature])) return no_memory(err);
    if (n->flags & SCARCE__CATEGORY) w->steps += f->was.words;
    ++w->n_stack;
    return SCARCE_OK;
}

static void restore(scarce__condition *now, const scarce__condition *was)
{
    uint32_t *set = now->set;
    *now = *was;
    now->set = set;
    if (was->category && was->words > 0) memcpy(set, was->set, was->words * sizeof *set);
}

static void leave(walk *w)
{
    frame *f = &w->stack[--w->n_stack];
    const int32_t feature = w->dag->nodes[f->node].feature;
    restore(&w->now[feature], &f->was);
    scarce__free(f->was.set);
    if (!f->first) return;
    scarce__free(w->now[feature].set);
    w->now[feature].set = NULL;
    w->asked[feature] = 0;
}

static scarce_status walk_all(walk *w, uint32_t from, scarce_error *err)
{
    scarce_status st = enter(w, from, err);
    while (st == SCARCE_OK && w->n_stack > 0) {
        frame *f = &w->stack[w->n_stack - 1];
        const scarce__node *n = &w->dag->nodes[f->node];
        scarce__condition *c = &w->now[n->feature];
        if (f->side < 0) {
            leave(w);
            continue;
        }
        const int left = f->side--;
        restore(c, &f->was);
        narrow(c, w->dag, n, left);
        if (!holds_nothing(c)) st = enter(w, (uint32_t)(left ? n->left : n->right), err);
    }
    while (w->n_stack > 0) leave(w);
    return st;
}

/* ---- Joining */

static int by_target(const void *a, const void *b)
{
    const scarce__box *x = a, *y = b;
    const uint32_t s = (uint32_t)x->target, t = (uint32_t)y->target; /* trees, negative, come last */
    return s < t ? -1 : s > t;
}

static int same_values(const scarce__condition *a, const scarce__condition *b)
{
    if (a->feature != b->feature || a->missing != b->missing || a->other != b->other) return 0;
    if (!a->category) return a->low == b->low && a->high == b->high;
    return a->words == 0 || memcmp(a->set, b->set, a->words * sizeof *a->set) == 0;
}

static int empty_range(const scarce__condition *c)
{
    return c->low >= c->high;
}

/* Is everything that a lets pass let pass by b? */
static int within(const scarce__condition *a, const scarce__condition *b)
{
    if (a->missing > b->missing || a->other > b->other) return 0;
    if (!a->category) return empty_range(a) || (b->low <= a->low && a->high <= b->high);
    for (uint32_t i = 0; i < a->words; ++i)
        if (a->set[i] & ~b->set[i]) return 0;
    return 1;
}

static int box_within(const scarce__box *a, const scarce__box *b)
{
    size_t i = 0;
    for (size_t k = 0; k < b->n; ++k) {
        while (i < a->n && a->conditions[i].feature < b->conditions[k].feature) ++i;
        if (i == a->n || a->conditions[i].feature != b->conditions[k].feature ||
            !within(&a->conditions[i], &b->conditions[k]))
            return 0;
    }
    return 1;
}

/* Makes a the union of both where that is a condition. */
static int unite(scarce__condition *a, const scarce__condition *b)
{
    if (a->category) {
        for (uint32_t i = 0; i < a->words; ++i) a->set[i] |= b->set[i];
    } else if (empty_range(a)) {
        a->low = b->low;
        a->high = b->high;
    } else if (!empty_range(b)) {
        if (a->low > b->high || b->low > a->high) return 0;
        if (b->low < a->low) a->low = b->low;
        if (b->high > a->high) a->high = b->high;
    }
    a->missing |= b->missing;
    a->other |= b->other;
    return 1;
}

void scarce__box_drop(scarce__box *box, size_t k)
{
    scarce__free(box->conditions[k].set);
    memmove(box->conditions + k, box->conditions + k + 1, (box->n - k - 1) * sizeof *box->conditions);
    --box->n;
}

/* Makes a the union of both; 0: it is no box. */
static int join(scarce__box *a, const scarce__box *b, const scarce_schema *schema)
{
    size_t at = SIZE_MAX;

    if (box_within(b, a)) return 1;
    if (a->n != b->n) return 0;
    for (size_t k = 0; k < a->n; ++k) {
        if (same_values(&a->conditions[k], &b->conditions[k])) continue;
        if (at != SIZE_MAX || a->conditions[k].feature != b->conditions[k].feature) return 0;
        at = k;
    }
    if (at == SIZE_MAX || !unite(&a->conditions[at], &b->conditions[at])) return at == SIZE_MAX;
    if (scarce__holds_everything(&a->conditions[at], schema)) scarce__box_drop(a, at);
    return 1;
}

void scarce__box_deinit(scarce__box *box)
{
    for (size_t k = 0; k < box->n; ++k) scarce__free(box->conditions[k].set);
    scarce__free(box->conditions);
}

size_t scarce__boxes_join(scarce__box *boxes, size_t n, const scarce_schema *schema)
{
    int changed = n <= MOST_TO_JOIN;
    while (changed) {
        changed = 0;
        for (size_t i = 0; i < n; ++i)
            for (size_t k = 0; k < n; ++k) {
                if (i == k || !join(&boxes[i], &boxes[k], schema)) continue;
                scarce__box_deinit(&boxes[k]);
                memmove(boxes + k, boxes + k + 1, (n - k - 1) * sizeof *boxes);
                --n;
                changed = 1;
                if (k < i) --i;
                k = SIZE_MAX; /* the grown box may take others now */
            }
    }
    return n;
}

static void join_targets(scarce__rules *r, const scarce_schema *schema)
{
    size_t to = 0;
    for (size_t from = 0, end; from < r->n; from = end) {
        for (end = from + 1; end < r->n && r->boxes[end].target == r->boxes[from].target;) ++end;
        const size_t n = scarce__boxes_join(r->boxes + from, end - from, schema);
        memmove(r->boxes + to, r->boxes + from, n * sizeof *r->boxes);
        to += n;
    }
    r->n = to;
}

/* By target; a merge sort, so that paths of one target keep their order. */
static scarce_status sort_boxes(scarce__rules *r, scarce_error *err)
{
    scarce__box *sorted = scarce__malloc_array(r->n, sizeof *sorted);

    if (!sorted) return no_memory(err);
    scarce__box *a = r->boxes, *b = sorted;
    for (size_t width = 1; width < r->n; width *= 2) {
        for (size_t from = 0; from < r->n; from += 2 * width) {
            const size_t middle = from + width < r->n ? from + width : r->n,
                         end = from + 2 * width < r->n ? from + 2 * width : r->n;
            size_t x = from, y = middle;
            for (size_t k = from; k < end; ++k)
                b[k] = x < middle && (y == end || by_target(&a[x], &a[y]) <= 0) ? a[x++] : a[y++];
        }
        scarce__box *swap = a;
        a = b;
        b = swap;
    }
    if (a != r->boxes) memcpy(r->boxes, a, r->n * sizeof *a);
    scarce__free(sorted);
    return SCARCE_OK;
}

scarce_status scarce__rules_of(scarce__rules *out, const scarce__dag *dag, const scarce_schema *schema,
                               uint32_t from, int local, scarce_error *err)
{
    walk w = {.out = out, .dag = dag, .schema = schema, .local = local};
    scarce_status st = SCARCE_OK;

    *out = (scarce__rules){0};
    w.now = scarce__calloc(schema->n_features, sizeof *w.now);
    w.asked = scarce__calloc(schema->n_features, 1);
    if (!w.now || !w.asked) st = no_memory(err);
    if (st == SCARCE_OK) st = walk_all(&w, from, err);
    out->steps = w.steps;
    for (size_t f = 0; w.now && f < schema->n_features; ++f) scarce__free(w.now[f].set);
    scarce__free(w.now);
    scarce__free(w.asked);
    scarce__free(w.stack);
    if (st == SCARCE_OK) st = sort_boxes(out, err);
    if (st == SCARCE_OK) join_targets(out, schema);
    else scarce__rules_deinit(out);
    return st;
}

int scarce__box_holds(const scarce__box *box, const float *row)
{
    for (size_t k = 0; k < box->n; ++k) {
        const scarce__condition *c = &box->conditions[k];
        const float x = row[c->feature];
        int holds;
        if (x != x) holds = c->missing;
        else if (!c->category) holds = x > c->low && x <= c->high;
        else if (x >= 0 && x < (float)c->categories)
            holds = (int)(c->set[(uint32_t)x / 32] >> ((uint32_t)x % 32) & 1);
        else holds = c->other;
        if (!holds) return 0;
    }
    return 1;
}
