/* SPDX-License-Identifier: Apache-2.0 */
/* A graph as lines of an outline: the sides of every inner tree by their conditions, the enriched one first.
 * Where inner trees have more than two sides (CART) the outline goes from test to test. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "rank/show.h"

typedef struct place {
    uint32_t node;
    uint32_t depth;
    int is_else; /* the other side: say so first */
    uint64_t rows;
    double share;
} place;

typedef struct outline {
    const scarce__rank_shown *shown;
    const scarce__dag *dag;
    scarce__line_fn fn;
    void *arg;
    place *stack;
    size_t n_stack, capacity;
    uint32_t *best; /* per node: the first leaf behind it */
    int meta;       /* every inner tree has two sides */
    size_t steps;   /* so far */
} outline;

/* A graph walked as a tree can be endless. */
enum { MOST_STEPS = 4000000 };

static scarce_status push(outline *o, place p, scarce_error *err)
{
    if (o->n_stack == o->capacity) {
        const size_t room = 2 * o->capacity + 64;
        place *grown = scarce__realloc_array(o->stack, room, sizeof *grown);
        if (!grown) return scarce__fail_memory(err, "an outline", room * sizeof *grown);
        o->stack = grown;
        o->capacity = room;
    }
    o->stack[o->n_stack++] = p;
    return SCARCE_OK;
}

static void find_best(outline *o)
{
    for (size_t i = o->dag->n_nodes; i-- > 0;) {
        const scarce__node *n = &o->dag->nodes[i];
        if (n->feature < 0) o->best[i] = (uint32_t)n->left;
        else o->best[i] = o->best[n->left] < o->best[n->right] ? o->best[n->left] : o->best[n->right];
    }
}

static scarce_status say(const outline *o, scarce__line_kind kind, const place *at, const char *text,
                         scarce_error *err)
{
    const scarce__line line = {
        .kind = kind, .depth = at->depth, .rows = at->rows, .share = at->share, .text = text};
    return o->fn(o->arg, &line, err);
}

static scarce_status say_leaf(const outline *o, uint32_t leaf, uint32_t depth, scarce_error *err)
{
    const scarce__line line = {.kind = SCARCE__LINE_LEAF, .depth = depth, .leaf = leaf};
    return o->fn(o->arg, &line, err);
}

/* ---- Test by test */

static scarce_status plain_node(outline *o, const place *at, scarce_error *err)
{
    const scarce__node *n = &o->dag->nodes[at->node];
    scarce__text t = SCARCE__TEXT_INIT;
    int32_t first = n->left, second = n->right;

    scarce__add_test(&t, o->shown, o->dag, n);
    if (t.failed) {
        scarce__text_deinit(&t);
        return scarce__fail_memory(err, "an outline", 0);
    }
    const scarce__node *l = &o->dag->nodes[first], *r = &o->dag->nodes[second];
    const place yes = {(uint32_t)first, at->depth, 0, l->rows, (double)l->cover};
    scarce_status st = say(o, SCARCE__LINE_IF, &yes, t.bytes, err);
    scarce__text_deinit(&t);
    if (st == SCARCE_OK)
        st = push(o, (place){(uint32_t)second, at->depth, 1, r->rows, (double)r->cover}, err);
    if (st == SCARCE_OK) st = push(o, (place){(uint32_t)first, at->depth + 1, 0, 0, 0}, err);
    return st;
}

/* ---- Side by side */

/* The node that a target stands for: any exit to the leaf, or the tree's first test. */
static uint32_t node_of(const outline *o, int32_t target)
{
    if (target < 0) return (uint32_t)(target - SCARCE__TO_TREE);
    for (size_t i = 0; i < o->dag->n_nodes; ++i)
        if (o->dag->nodes[i].feature < 0 && o->dag->nodes[i].left == target) return (uint32_t)i;
    return 0;
}

static void count_side(const outline *o, int32_t target, place *p)
{
    if (target >= 0) {
        const scarce__rank_leaf *l = &o->dag->leaves[target];
        p->rows = l->rows;
        p->share = l->weight > 0 ? l->positive / l->weight : 0;
        return;
    }
    p->rows = o->dag->nodes[p->node].rows;
    p->share = (double)o->dag->nodes[p->node].cover;
}

static scarce_status say_boxes(const outline *o, const scarce__rules *r, int32_t target, const place *at,
                               scarce_error *err)
{
    int said = 0;
    scarce_status st = SCARCE_OK;
    for (size_t i = 0; st == SCARCE_OK && i < r->n; ++i) {
        scarce__text t = SCARCE__TEXT_INIT;
        if (r->boxes[i].target != target) continue;
        scarce__add_box(&t, o->shown, &r->boxes[i]);
        if (t.failed) st = scarce__fail_memory(err, "an outline", 0);
        else st = say(o, said++ ? SCARCE__LINE_OR : SCARCE__LINE_IF, at, t.bytes, err);
        scarce__text_deinit(&t);
    }
    return st;
}

static size_t boxes_of(const scarce__rules *r, int32_t target)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; ++i)
        if (r->boxes[i].target == target) n += 1 + r->boxes[i].n;
    return n;
}

static scarce_status meta_sides(outline *o, const place *at, const scarce__rules *r, scarce_error *err)
{
    int32_t side[2] = {r->boxes[0].target, r->boxes[r->n - 1].target};
    place p[2];

    for (int k = 0; k < 2; ++k) p[k] = (place){.node = node_of(o, side[k]), .depth = at->depth};
    /* the enriched side first, unless the other is said in half the words */
    const int rich = o->best[p[1].node] < o->best[p[0].node];
    const size_t words[2] = {boxes_of(r, side[0]), boxes_of(r, side[1])};
    const int turn = 2 * words[!rich] <= words[rich] ? !rich : rich;
    if (turn) {
        const int32_t t = side[0];
        const place q = p[0];
        side[0] = side[1];
        side[1] = t;
        p[0] = p[1];
        p[1] = q;
    }
    for (int k = 0; k < 2; ++k) count_side(o, side[k], &p[k]);
    SCARCE__TRY(say_boxes(o, r, side[0], &p[0], err));
    p[1].is_else = 1;
    SCARCE__TRY(push(o, p[1], err));
    p[0].depth += 1;
    return push(o, p[0], err);
}

static scarce_status meta_node(outline *o, const place *at, scarce_error *err)
{
    scarce__rules r;
    SCARCE__TRY(scarce__rules_of(&r, o->dag, o->shown->schema, at->node, 1, err));
    o->steps += r.steps + o->dag->n_nodes;
    scarce__rules_forget_missing(&r, o->shown->schema, o->shown->missing);
    const scarce_status st = meta_sides(o, at, &r, err);
    scarce__rules_deinit(&r);
    return st;
}

/* Whether all inner trees lead to two places. */
static int has_two_sides(const scarce__dag *d)
{
    int32_t side[2] = {0, 0};
    int n = 0;
    for (size_t i = 0; i < d->n_nodes; ++i) {
        const scarce__node *node = &d->nodes[i];
        if (node->feature < 0) continue;
        if (node->flags & SCARCE__INNER_ROOT) n = 0;
        const int32_t child[2] = {node->left, node->right};
        for (int k = 0; k < 2; ++k) {
            const scarce__node *to = &d->nodes[child[k]];
            int32_t target;
            if (to->feature < 0) target = to->left;
            else if (to->flags & SCARCE__INNER_ROOT) target = SCARCE__TO_TREE + child[k];
            else continue;
            int known = 0;
            for (int j = 0; j < n; ++j) known |= side[j] == target;
            if (known) continue;
            if (n == 2) return 0;
            side[n++] = target;
        }
    }
    return n == 2;
}

static scarce_status one_place(outline *o, place at, scarce_error *err)
{
    const scarce__node *n = &o->dag->nodes[at.node];
    if (at.is_else) {
        SCARCE__TRY(say(o, SCARCE__LINE_ELSE, &at, NULL, err));
        at.is_else = 0;
        at.depth += 1;
    }
    if (n->feature < 0) return say_leaf(o, (uint32_t)n->left, at.depth, err);
    return o->meta ? meta_node(o, &at, err) : plain_node(o, &at, err);
}

scarce_status scarce__dag_outline(const scarce__rank_shown *s, const scarce__dag *dag, scarce__line_fn fn,
                                  void *arg, scarce_error *err)
{
    outline o = {.shown = s, .dag = dag, .fn = fn, .arg = arg, .meta = has_two_sides(dag)};
    scarce_status st;

    o.best = scarce__malloc_array(dag->n_nodes, sizeof *o.best);
    if (!o.best) return scarce__fail_memory(err, "an outline", dag->n_nodes * sizeof *o.best);
    find_best(&o);
    st = push(&o, (place){0}, err);
    while (st == SCARCE_OK && o.n_stack > 0) {
        if (++o.steps > MOST_STEPS)
            st = scarce__fail(err, SCARCE_EUNSUPPORTED,
                              "the tree is too large for an outline; --format json has it");
        else st = one_place(&o, o.stack[--o.n_stack], err);
    }
    scarce__free(o.best);
    scarce__free(o.stack);
    return st;
}
