/* SPDX-License-Identifier: Apache-2.0 */
/* The tops of large trees, where most rows pass, by bits of 512 rows.
 *
 * Bits. What the tops ask is asked again and again: a forest of 100 trees has some 50,000 nodes in its tops, but no
 * more than 255 thresholds per feature. So the answers are made first, each a row of 512 bits. Those of a column come
 * from the bits of its bytes (planes: bit b of 512 bytes). With P the plane of the highest bit, and "the lower bits > k"
 * known for all k,
 *     byte > k  is  P or lower > k           where k lacks that bit,
 *                   P and lower > k without  where k has it,
 * so from the lowest bit on the answers double in number with an instruction each. The two columns of a feature differ
 * where it is missing alone, so that the second one needs the last of these steps only. A category test is the union
 * of its classes, whose bits come from a pass over the bytes.
 *
 * Steps. masks[p] says which rows are at place p. Parents before children, a node splits its rows:
 *     left = masks[node] and not bits[test],  right = masks[node] and bits[test]
 * which is some six instructions for 512 rows. One child stays, at the place of the node, the other gets a new one, and a
 * leaf that adds 0 gets none (place 0, which is never read): rows that arrive there need nothing more. In forests of
 * rare positives these are nearly all rows.
 *
 * Pieces. What costs most is storing masks. So the child that has the longest way below it stays, and up to four steps
 * down such a way, a piece, are taken without storing the mask that goes on. A loop for each length has no jump that
 * depends on the tree: first all pieces of 4, then those of 3, which ways end with, and so on. Parents are then still
 * before children: what leaves a piece of fewer than 4 has a shorter way than the piece itself.
 *
 * Places. At the end a row is in at most one mask. Bit b of its place is the union of the masks whose number has bit b.
 * Eight masks give the lowest three bits and are then united to one; eight of these give the next three, and so on.
 * Such planes, turned, are the places.
 *
 * Which nodes are the top: those that so many training rows passed that walking (fast_large.c) would cost more, or as
 * many as there are places for. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "tree/fast_large.h"

enum { MOST_PLACES = SCARCE__PLACES - 1, LEAST_SHARE = 1024 }; /* one row in so many */

/* What is needed while tops are made. */
typedef struct work {
    scarce__fast *fast;
    const scarce__forest *forest;
    const scarce__node_test *where;
    const uint32_t *place; /* of nodes among the words of their tree */
    uint32_t *order;       /* the nodes of a tree's top, parents first */
    uint16_t *at;          /* by node of a tree: its place below the top */
    uint32_t *height;      /* likewise: nodes of the top on the longest way from here, itself included */
    uint32_t *start;       /* of pieces: their first nodes */
    uint32_t *asked;       /* by column: 256 bits */
    uint32_t *entry;       /* by column: 1 + its number in top_columns */
    int skips_zero;        /* leaves of 0 get no place */
} work;

/* ---- which nodes */

static int needs_place(const work *w, const scarce__node *node)
{
    return node->feature >= 0 || node->value != 0 || !w->skips_zero;
}

/* How many training rows passed; imported trees may know the sum of their hessians alone, or nothing. */
static double passed(const scarce__node *node)
{
    return node->rows ? (double)node->rows : (double)node->cover;
}

/* The nodes of a tree's top that at least `least` rows pass, level after level, so that neighbours don't wait for each
 * other, and the number of places; 0 when these are too many, unless least is 0: then those that there is place for. */
static int choose_passed(const work *w, const scarce__node *nodes, double least, uint32_t *order,
                         scarce__top *top)
{
    uint32_t end = 0, n = 0;

    top->n_places = 2; /* nothing, and that of the root */
    if (nodes[0].feature >= 0) order[end++] = 0;
    for (; n < end; ++n) {
        const scarce__node *node = nodes + order[n], *left = nodes + node->left, *right = nodes + node->right;
        const int both = needs_place(w, left) && needs_place(w, right);
        if (both && top->n_places > MOST_PLACES) {
            if (least > 0) return 0;
            break;
        }
        top->n_places += (uint32_t)both;
        if (left->feature >= 0 && !(passed(left) < least)) order[end++] = (uint32_t)node->left;
        if (right->feature >= 0 && !(passed(right) < least)) order[end++] = (uint32_t)node->right;
    }
    top->n_steps = n;
    return 1;
}

/* Counts of a file may be infinite, all of them: then there is nothing to choose by. */
static void choose(const work *w, const scarce__node *nodes, uint32_t *order, scarce__top *top)
{
    double least = passed(nodes) / LEAST_SHARE;
    while (!choose_passed(w, nodes, least, order, top)) least = isfinite(least) ? 2 * least : 0;
}

static void ask(const work *w, size_t i)
{
    const scarce__node *node = w->forest->nodes + i;
    const uint32_t column = scarce__node_column(w->fast, node, w->where + i);
    uint32_t *asked = w->asked + 8 * (size_t)column;

    if (node->flags & SCARCE__CATEGORY) {
        asked[0] |= 1; /* all classes are made */
        ++w->fast->n_top_sets;
    } else asked[w->where[i].bin / 32] |= 1u << w->where[i].bin % 32;
}

/* ---- rows of bits */

static void number_column(const work *w, const scarce__input *input, uint32_t column)
{
    const uint32_t *asked = w->asked + 8 * (size_t)column;
    scarce__top_column *c = w->fast->top_columns + w->fast->n_top_columns;

    memset(c, 0, sizeof *c);
    c->column = column;
    c->row = (uint32_t)w->fast->n_bits;
    c->category = input->category != 0;
    c->planes = 1;
    while (1u << c->planes < input->n_bins) ++c->planes;
    for (uint32_t byte = 0; byte < 256; ++byte) {
        if (!(asked[byte / 32] >> byte % 32 & 1)) continue;
        c->bin[c->n++] = (uint8_t)byte;
        c->n_low = (uint8_t)(c->n_low + (byte < 1u << (c->planes - 1)));
    }
    if (c->n == 0) return;
    if (input->category) c->n = input->n_bins;
    else
        c->twin =
            column == input->column[1] && input->column[0] != SCARCE__NO_COLUMN && w->entry[input->column[0]];
    w->fast->n_bits += c->n;
    w->entry[column] = (uint32_t)++w->fast->n_top_columns;
}

/* The row of bits that a node of the top asks for. */
static uint32_t row_of(const work *w, size_t i)
{
    const scarce__node *node = w->forest->nodes + i;
    const uint32_t column = scarce__node_column(w->fast, node, w->where + i);
    const scarce__top_column *c = w->fast->top_columns + w->entry[column] - 1;

    if (!(node->flags & SCARCE__CATEGORY))
        return c->row + (uint32_t)((const uint8_t *)memchr(c->bin, (int)w->where[i].bin, c->n) - c->bin);
    w->fast->top_sets[w->fast->n_top_sets++] =
        (scarce__top_set){(uint32_t)w->fast->n_bits, c->row, c->n, w->where[i].lookup - 1};
    return (uint32_t)w->fast->n_bits++;
}

/* ---- steps */

static void set_exit(const work *w, size_t tree, size_t i, uint16_t at)
{
    const size_t begin = w->forest->tree_begin[tree];
    w->fast->exits[w->fast->tops[tree].exit + at] =
        ((uint32_t)begin + w->place[begin + i]) |
        (w->forest->nodes[begin + i].feature < 0 ? SCARCE__EXIT_LEAF : 0);
}

/* A leaf without a place sends its rows to place 0, or where nobody took over the place of the node above, leaves them
 * there: so that place is an exit too. */
static void measure_heights(const work *w, size_t tree)
{
    const size_t begin = w->forest->tree_begin[tree];
    const scarce__node *nodes = w->forest->nodes + begin;
    const uint32_t *order = w->order + w->fast->tops[tree].step;

    memset(w->height, 0, (w->forest->tree_begin[tree + 1] - begin) * sizeof *w->height);
    for (size_t k = w->fast->tops[tree].n_steps; k-- > 0;) {
        const uint32_t left = w->height[nodes[order[k]].left], right = w->height[nodes[order[k]].right];
        w->height[order[k]] = 1 + (left > right ? left : right);
    }
}

/* The kid that stays. */
static size_t stays(const work *w, const scarce__node *nodes, size_t i)
{
    const size_t left = (size_t)nodes[i].left, right = (size_t)nodes[i].right;
    if (w->height[left] != w->height[right]) return w->height[left] > w->height[right] ? left : right;
    return needs_place(w, nodes + left) ? left : right;
}

/* The pieces of a tree's top as they are found, from `start` on: how many there are, the next place, the next step. */
typedef struct pieces {
    size_t tree, n, step;
    uint16_t place;
} pieces;

/* A leaf without a place sends its rows to place 0, or where nobody took over the place of the node above, leaves them
 * there: so that place is an exit too. */
static void add_piece(const work *w, pieces *p, size_t i, uint32_t length)
{
    const size_t begin = w->forest->tree_begin[p->tree];
    const scarce__node *nodes = w->forest->nodes + begin;
    const uint16_t from = w->at[i];

    for (; length > 0; --length) {
        const size_t on = stays(w, nodes, i);
        const size_t off = (size_t)(on == (size_t)nodes[i].left ? nodes[i].right : nodes[i].left);
        w->at[on] = from;
        w->at[off] = needs_place(w, nodes + off) ? p->place++ : 0;
        w->fast->steps[p->step++] = (scarce__top_step){
            row_of(w, begin + i), on == (size_t)nodes[i].left ? 0 : UINT32_MAX, w->at[off], from};
        set_exit(w, p->tree, off, w->at[off]);
        if (w->height[off]) w->start[p->n++] = (uint32_t)off;
        i = on;
    }
    set_exit(w, p->tree, i, from);
    if (w->height[i]) w->start[p->n++] = (uint32_t)i;
}

static void add_steps(const work *w, size_t tree)
{
    scarce__top *top = w->fast->tops + tree;
    pieces p = {tree, 0, top->step, 2};

    measure_heights(w, tree);
    w->at[0] = 1;
    set_exit(w, tree, 0, 1);
    if (w->height[0]) w->start[p.n++] = 0;
    for (uint32_t length = SCARCE__PIECE; length > 0; --length)
        for (size_t k = 0; k < p.n; ++k) {
            const uint32_t height = w->height[w->start[k]];
            if ((height < SCARCE__PIECE ? height : SCARCE__PIECE) != length) continue;
            add_piece(w, &p, w->start[k], length);
            ++top->n_pieces[SCARCE__PIECE - length];
        }
}

static void work_free(work *w)
{
    scarce__free(w->order);
    scarce__free(w->at);
    scarce__free(w->height);
    scarce__free(w->start);
    scarce__free(w->asked);
    scarce__free(w->entry);
}

/* Chooses the tops; how many steps and exits they have. */
static void choose_all(const work *w, size_t *n_steps, size_t *n_exits)
{
    const scarce__forest *forest = w->forest;

    *n_steps = *n_exits = 0;
    for (size_t t = 0; t < forest->n_trees; ++t) {
        const uint32_t begin = forest->tree_begin[t];
        scarce__top *top = w->fast->tops + t;
        top->step = *n_steps;
        top->exit = *n_exits;
        choose(w, forest->nodes + begin, w->order + top->step, top);
        for (uint32_t k = 0; k < top->n_steps; ++k) ask(w, begin + w->order[top->step + k]);
        *n_steps += top->n_steps;
        *n_exits += top->n_places;
    }
}

static void number_columns(const work *w)
{
    for (size_t i = 0; i < w->fast->n_inputs; ++i)
        for (int side = 0; side < 2; ++side)
            if (w->fast->inputs[i].column[side] != SCARCE__NO_COLUMN)
                number_column(w, w->fast->inputs + i, w->fast->inputs[i].column[side]);
}

scarce_status scarce__fast_build_top(scarce__fast *fast, const scarce__forest *forest,
                                     const scarce__node_test *where, const uint32_t *place)
{
    const size_t n_trees = forest->n_trees, n_nodes = forest->tree_begin[n_trees];
    work w = {.fast = fast, .forest = forest, .where = where, .place = place};
    scarce_status st = SCARCE_ENOMEM;
    size_t n_steps, n_exits;

    w.skips_zero = !(forest->base == 0 && signbit(forest->base)); /* -0 + 0 is 0 */
    w.order = scarce__malloc_array(n_nodes / 2, sizeof *w.order);
    w.at = scarce__malloc_array(n_nodes, sizeof *w.at);
    w.height = scarce__malloc_array(n_nodes, sizeof *w.height);
    w.start = scarce__malloc_array(n_nodes, sizeof *w.start);
    w.asked = scarce__calloc(fast->n_columns, 32);
    w.entry = scarce__calloc(fast->n_columns, sizeof *w.entry);
    fast->tops = scarce__calloc(n_trees, sizeof *fast->tops);
    fast->top_columns = scarce__malloc_array(fast->n_columns, sizeof *fast->top_columns);
    if (!w.order || !w.at || !w.height || !w.start || !w.asked || !w.entry || !fast->tops ||
        !fast->top_columns)
        goto done;
    choose_all(&w, &n_steps, &n_exits);
    fast->steps = scarce__malloc_array(n_steps, sizeof *fast->steps);
    fast->exits = scarce__malloc_array(n_exits, sizeof *fast->exits);
    fast->top_sets = scarce__malloc_array(fast->n_top_sets, sizeof *fast->top_sets);
    if (!fast->steps || !fast->exits || !fast->top_sets) goto done;
    fast->bytes += n_exits * sizeof *fast->exits + n_trees * sizeof *fast->tops +
                   n_steps * sizeof *fast->steps + fast->n_columns * sizeof *fast->top_columns +
                   fast->n_top_sets * sizeof *fast->top_sets;
    fast->n_top_sets = 0;
    number_columns(&w);
    for (size_t t = 0; t < n_trees; ++t) add_steps(&w, t);
    st = SCARCE_OK;
done:
    work_free(&w);
    return st;
}
