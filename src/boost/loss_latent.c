/* SPDX-License-Identifier: Apache-2.0 */
/* The logistic loss of F(x) = base + skip sum_t h_t + sum_p a_p max(0, z_p), z_p = sum_t alpha_tp h_t (latent.h), whose
 * layer (a, alpha) is learnt after each tree:
 *
 *     skip     trees by Newton's step on the logistic loss; a_p = +-1e-3 / sqrt(P), alpha_tp = U(-1, 1) sqrt(2 / P);
 *              steps of Adam on all of it (latent_steps.c). It contains linear boosting: without steps a = 0, and F is
 *              the sum of the trees.
 *     paper    trees by least squares on y - sigma(F); s_p = +-1 in turns, a_p = s_p U(0.5, 1.5) / sqrt(P),
 *              alpha_tp = s_p (1 + U(-2, 2)) sqrt(2 / P); Newton steps on a and the newest alpha_t
 *              (latent_sweeps.c). With weights all above 0 every unit dies, hence the signs.
 *
 * Frery, Habrard, Sebban and He-Guelton: Non-linear gradient boosting for class-imbalance learning, PMLR 94 (2018);
 * the residual printed there has the wrong sign, and F_{t-1} inside the representations stands for their own sums.
 *
 * Trees taken from an earlier run feed the layer as grown ones do, so it comes out the same without being saved. */
#include <math.h>
#include <string.h>

#include "boost/latent_inside.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"

static double sign_of(size_t p)
{
    return p % 2 ? -1 : 1;
}

/* ---- begin and end */

static void end(scarce__loss *loss)
{
    scarce__latent_state *s = loss->state;
    if (!s) return;
    scarce__latent_deinit(&s->best);
    scarce__latent_deinit(&s->moment[0]);
    scarce__latent_deinit(&s->moment[1]);
    scarce__latent_tables_deinit(&s->tables);
    scarce__leaf_bytes_deinit(&s->all);
    scarce__leaf_bytes_deinit(&s->valid);
    scarce__latent_steps_deinit(s);
    scarce__free(s->kept);
    scarce__free(s->z);
    scarce__free(s->h);
    scarce__free(s);
    loss->state = NULL;
}

static void first_weights(scarce__latent *layer, const scarce__latent_options *o)
{
    const double little = o->steps > 0 && o->rate > 0 ? 1e-3 : 0; /* without steps: none */
    scarce__random r = scarce__random_start(o->seed, SCARCE__FOR_LATENT, 0);
    const double scale = 1 / sqrt((double)o->width);

    for (size_t p = 0; p < o->width; ++p)
        layer->out[p] =
            sign_of(p) * scale * (o->scheme == SCARCE__LATENT_PAPER ? 0.5 + scarce__random_unit(&r) : little);
}

static scarce_status begin(scarce__loss *loss, const scarce__loss_rows *all, scarce_error *err)
{
    const scarce__latent_options *o = loss->asked;
    scarce__latent *layer = loss->made;
    scarce__latent_state *s = scarce__calloc(1, sizeof *s);

    loss->state = s;
    if (!s) return scarce__fail_memory(err, "representations", sizeof *s);
    s->o = o;
    s->layer = layer;
    s->portable = loss->portable;
    s->all.n = all->n;
    s->tables.width = o->width;
    s->tables.lanes = (o->width + 8) / 8 * 8; /* one at least behind the representations */
    s->tables.base = all->n ? all->score[0] : 0;
    s->tables.skip = (float)o->skip;
    scarce__latent_deinit(layer);
    SCARCE__TRY(scarce__latent_init(layer, o->width, o->skip, err));
    SCARCE__TRY(scarce__latent_init(&s->best, o->width, o->skip, err));
    SCARCE__TRY(scarce__latent_init(&s->moment[0], o->width, 0, err));
    SCARCE__TRY(scarce__latent_init(&s->moment[1], o->width, 0, err));
    first_weights(layer, o);
    if (o->scheme == SCARCE__LATENT_SKIP && all->n > o->batch && o->steps > 0 && o->rate > 0) {
        s->tables.most = SCARCE__LATENT_GROUP;
        s->kept = scarce__big_alloc((all->n + 3) * s->tables.lanes, sizeof *s->kept);
        if (!s->kept)
            return scarce__fail_memory(err, "representations of rows",
                                       all->n * s->tables.lanes * sizeof *s->kept);
    }
    if (o->scheme == SCARCE__LATENT_SKIP) return SCARCE_OK;
    s->z = scarce__big_alloc(all->n * o->width, sizeof *s->z);
    s->h = scarce__big_alloc(all->n, sizeof *s->h);
    if (!s->z || !s->h)
        return scarce__fail_memory(err, "representations of rows", all->n * (o->width + 1) * sizeof *s->z);
    memset(s->z, 0, all->n * o->width * sizeof *s->z);
    return SCARCE_OK;
}

/* ---- a tree */

/* The leaves of a tree in the order of its nodes: their values, and which number a node has among them. */
typedef struct leaf_list {
    uint8_t *number; /* by node */
    float value[SCARCE__LATENT_LEAVES];
    size_t n;
} leaf_list;

static scarce_status list_leaves(leaf_list *l, const scarce__binned_tree *tree, scarce_error *err)
{
    l->n = 0;
    l->number = scarce__malloc(tree->n_nodes);
    if (!l->number) return scarce__fail_memory(err, "the leaves of a tree", tree->n_nodes);
    for (size_t i = 0; i < tree->n_nodes; ++i) {
        if (tree->nodes[i].feature >= 0) continue;
        if (l->n == SCARCE__LATENT_LEAVES) {
            scarce__free(l->number);
            return scarce__fail(err, SCARCE_EUNSUPPORTED,
                                "a tree has more than %d leaves, which representations can't take; lower "
                                "max_leaves or max_depth",
                                SCARCE__LATENT_LEAVES);
        }
        l->number[i] = (uint8_t)l->n;
        l->value[l->n++] = tree->nodes[i].value;
    }
    return SCARCE_OK;
}

/* Leaves of rows in the newest tree of the tables. */
static scarce_status add_bytes(scarce__leaf_bytes *to, const scarce__latent_tables *x, leaf_list *l,
                               size_t n_nodes, const uint32_t *leaf, scarce_error *err)
{
    const scarce__latent_group *group = x->groups + x->n_groups - 1;
    const size_t stride = group->n / l->n;
    uint8_t *byte;

    if (group->n_trees == 1) {
        SCARCE__TRY(scarce__leaf_bytes_add(to, &byte, err));
        for (size_t i = 0; i < to->n; ++i) byte[i] = l->number[leaf[i]];
        return SCARCE_OK;
    }
    byte = to->group[to->n_groups - 1];
    for (size_t i = 0; i < n_nodes; ++i) l->number[i] = (uint8_t)(l->number[i] * stride);
    for (size_t i = 0; i < to->n; ++i) byte[i] = (uint8_t)(byte[i] + l->number[leaf[i]]);
    return SCARCE_OK;
}

/* What the tree weighs in each representation before anything is learnt. */
static scarce_status add_weights(scarce__latent_state *s, scarce_error *err)
{
    const scarce__latent_options *o = s->o;
    const size_t t = s->layer->n_trees;
    const double scale = sqrt(2.0 / (double)o->width);
    scarce__random r = scarce__random_start(o->seed, SCARCE__FOR_LATENT, (uint64_t)2 << 32 | (uint64_t)t);
    double *in;

    SCARCE__TRY(scarce__latent_add(&s->moment[0], NULL, err));
    SCARCE__TRY(scarce__latent_add(&s->moment[1], NULL, err));
    SCARCE__TRY(scarce__latent_add(s->layer, &in, err));
    for (size_t p = 0; p < o->width; ++p) {
        const double u = 2 * scarce__random_unit(&r) - 1;
        in[p] = scale * (o->scheme == SCARCE__LATENT_PAPER ? sign_of(p) * (1 + 2 * u) : u);
    }
    return SCARCE_OK;
}

enum { CHUNK = 4096, TURNS = 8 };

typedef struct scoring {
    const scarce__latent_state *s;
    const scarce__leaf_bytes *rows;
    float *score, *kept;
    int avx2;
} scoring;

static void score_task(void *arg, size_t index, int worker)
{
    const scoring *j = arg;
    const scarce__latent_tables *x = &j->s->tables;
    const size_t begin = index * CHUNK, left = j->rows->n - begin, n = left < CHUNK ? left : CHUNK;
    float *z = j->kept ? j->kept + begin * x->lanes : NULL;

    (void)worker;
    if (z && x->n_trees > TURNS && (index + x->n_trees) % TURNS != 0)
        scarce__latent_extend(x, j->rows, begin, n, j->score + begin, z, j->avx2);
    else scarce__latent_forward(x, j->rows, begin, n, j->score + begin, z, j->avx2);
}

static void score_rows(scarce__latent_state *s, const scarce__leaf_bytes *rows, float *score, float *kept,
                       scarce_context *ctx)
{
    scoring j = {s, rows, score, kept, scarce__latent_avx2(s)};
    scarce__latent_tables_fill(&s->tables, s->layer);
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(rows->n, CHUNK), score_task, &j);
}

static int learns(const scarce__latent_options *o)
{
    return o->scheme == SCARCE__LATENT_PAPER || (o->steps > 0 && o->rate > 0);
}

/* The scores of the training rows after the layer has learnt; without one, the newest tree is added. Where rows are
 * many, their z are kept, the newest tree is added to them, and what the steps changed of earlier trees follows in
 * turns, a chunk of rows after each tree: all trees of all rows after each tree would cost more than growing it. */
static void bring_up(scarce__latent_state *s, float *score, scarce_context *ctx)
{
    const size_t t = s->tables.n_trees - 1; /* without a layer each tree is a group */
    const float *value = s->tables.value + s->tables.first[t];

    if (learns(s->o)) score_rows(s, &s->all, score, s->kept, ctx);
    else
        for (size_t i = 0; i < s->all.n; ++i) score[i] += s->tables.skip * value[s->all.group[t][i]];
}

static scarce_status settle(scarce__loss *loss, scarce__round *round, scarce_context *ctx, scarce_error *err)
{
    scarce__latent_state *s = loss->state;
    leaf_list l;
    scarce_status st;

    SCARCE__TRY(list_leaves(&l, round->tree, err));
    st = scarce__latent_tables_add(&s->tables, l.value, l.n, err);
    if (st == SCARCE_OK) st = add_bytes(&s->all, &s->tables, &l, round->tree->n_nodes, round->leaf, err);
    scarce__free(l.number);
    if (st == SCARCE_OK) st = add_weights(s, err);
    if (st == SCARCE_OK && s->o->scheme == SCARCE__LATENT_PAPER)
        st = scarce__latent_sweeps(s, &round->rows, round->score, ctx, err);
    else if (st == SCARCE_OK) st = scarce__latent_steps(s, &round->rows, round->gradient, ctx, err);
    if (st == SCARCE_OK) bring_up(s, round->score, ctx);
    if (st == SCARCE_OK && scarce__latent_check(s->layer, s->layer->n_trees, NULL) != SCARCE_OK)
        st = scarce__fail(
            err, SCARCE_ENUMERIC,
            "the weights of the representations grew without bound; lower latent_rate or learning_rate");
    return st;
}

/* ---- validation rows, and the best so far */

static scarce_status follow(scarce__loss *loss, const scarce__binned_tree *tree, const uint32_t *leaf,
                            size_t n, scarce_error *err)
{
    scarce__latent_state *s = loss->state;
    leaf_list l;

    s->valid.n = n;
    SCARCE__TRY(list_leaves(&l, tree, err));
    const scarce_status st = add_bytes(&s->valid, &s->tables, &l, tree->n_nodes, leaf, err);
    scarce__free(l.number);
    return st;
}

static void scores(scarce__loss *loss, float *score, scarce_context *ctx)
{
    scarce__latent_state *s = loss->state;
    if (s->valid.n_groups > 0) score_rows(s, &s->valid, score, NULL, ctx);
}

static scarce_status copy_layer(scarce__latent *to, const scarce__latent *from, scarce_error *err)
{
    while (to->n_trees < from->n_trees) SCARCE__TRY(scarce__latent_add(to, NULL, err));
    to->n_trees = from->n_trees;
    memcpy(to->out, from->out, from->width * sizeof *to->out);
    if (from->n_trees > 0) memcpy(to->in, from->in, from->n_trees * from->width * sizeof *to->in);
    return SCARCE_OK;
}

static scarce_status best(scarce__loss *loss, scarce_error *err)
{
    scarce__latent_state *s = loss->state;
    s->has_best = 1;
    return copy_layer(&s->best, s->layer, err);
}

static scarce_status back(scarce__loss *loss, scarce_error *err)
{
    scarce__latent_state *s = loss->state;
    return s->has_best ? copy_layer(s->layer, &s->best, err) : SCARCE_OK;
}

/* ---- the loss */

/* Least squares on y - sigma(F): every row counts by its weight alone. */
static scarce_status paper_gradients(const scarce__loss *loss, const scarce__loss_rows *rows, float *g,
                                     float *h, scarce_context *ctx, scarce_error *err)
{
    const scarce__loss plain = scarce__loss_logistic(1);

    (void)loss;
    SCARCE__TRY(plain.gradients(&plain, rows, g, h, ctx, err));
    for (size_t i = 0; i < rows->n; ++i) h[i] = rows->weight ? rows->weight[i] : 1.0f;
    return SCARCE_OK;
}

scarce__loss scarce__loss_latent(const scarce__latent_options *o, scarce__latent *layer)
{
    static const scarce__loss_beside beside = {follow, scores, best, back};
    scarce__loss loss = scarce__loss_logistic(1);

    loss.name = "latent";
    loss.interest = NULL;
    loss.leaves = SCARCE__LEAVES_OF_ALL;
    loss.asked = o;
    loss.made = layer;
    loss.beside = &beside;
    loss.begin = begin;
    loss.settle = settle;
    loss.end = end;
    if (o->scheme == SCARCE__LATENT_PAPER) loss.gradients = paper_gradients;
    return loss;
}

double scarce__latent_memory(size_t rows, size_t valid_rows, size_t trees, const scarce__latent_options *o)
{
    const double n = (double)rows, lanes = (double)o->width + 8;
    const double leaves = (double)trees * (n + (double)valid_rows + (double)o->batch) + 8 * n;
    const double blocks = (double)o->batch / SCARCE__LATENT_BLOCK + 2;
    return leaves + 8 * (double)trees * SCARCE__LATENT_LEAVES * lanes +
           (o->scheme == SCARCE__LATENT_PAPER
                ? 4 * n * ((double)o->width + 1)
                : 4 * n * lanes + 6 * blocks * lanes * ((double)trees + SCARCE__LATENT_BLOCK));
}
