/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking trees as a kind of model: graphs of tests (rank/rank.h), saved as docs/model-format.md says. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "model/model.h"
#include "rank/rank.h"
#include "rank/rulebook.h"
#include "rank/show.h"

static void free_body(void *body)
{
    scarce__rank_free(body);
}

/* ---- in files */

static void write_node(const scarce__dag *d, const scarce__node *node, scarce__writer *w)
{
    scarce__put_u32(w, (uint32_t)node->feature);
    scarce__put_u32(w, (uint32_t)node->left);
    scarce__put_u8(w, (uint8_t)node->flags);
    scarce__put_f32(w, node->cover);
    scarce__put_u32(w, node->rows);
    if (node->feature < 0) return;
    scarce__put_u32(w, (uint32_t)node->right);
    scarce__put_f32(w, node->gain);
    if (!(node->flags & SCARCE__CATEGORY)) {
        scarce__put_f32(w, node->value);
        return;
    }
    scarce__put_u32(w, node->set_words);
    for (uint32_t i = 0; i < node->set_words; ++i) scarce__put_u32(w, d->sets[node->set + i]);
}

static void write_dag(const scarce__dag *d, scarce__writer *w)
{
    scarce__put_u64(w, d->n_leaves);
    for (size_t i = 0; i < d->n_leaves; ++i) {
        const scarce__rank_leaf *l = &d->leaves[i];
        scarce__put_f64(w, l->score);
        scarce__put_f64(w, l->tie);
        scarce__put_f64(w, l->weight);
        scarce__put_f64(w, l->positive);
        scarce__put_u64(w, l->rows);
        scarce__put_u64(w, l->positives);
    }
    scarce__put_u64(w, d->n_nodes);
    for (size_t i = 0; i < d->n_nodes; ++i) write_node(d, &d->nodes[i], w);
}

static uint32_t write_body(const void *body, const scarce_schema *schema, scarce__writer *w)
{
    const scarce__rank *r = body;
    (void)schema;
    scarce__put_u8(w, (uint8_t)r->distance);
    for (size_t f = 0; r->distance && f < r->n_features; ++f) scarce__put_f64(w, r->scale[f]);
    scarce__put_u64(w, r->n_dags);
    for (size_t i = 0; i < r->n_dags && !w->failed; ++i) write_dag(&r->dags[i], w);
    return 1;
}

enum { LEAST_LEAF = 48, LEAST_NODE = 17, LEAST_DAG = 16 + LEAST_LEAF + LEAST_NODE }; /* bytes in the file */

static void read_leaves(scarce__dag *d, scarce__reader *r)
{
    for (size_t i = 0; i < d->n_leaves && !r->failed; ++i) {
        scarce__rank_leaf *l = &d->leaves[i];
        l->score = scarce__get_f64(r);
        l->tie = scarce__get_f64(r);
        l->weight = scarce__get_f64(r);
        l->positive = scarce__get_f64(r);
        l->rows = scarce__get_u64(r);
        l->positives = scarce__get_u64(r);
    }
}

/* The words of a node's set go behind those of earlier nodes. */
static void read_set(scarce__node *node, scarce__writer *sets, scarce__reader *r)
{
    node->set_words = scarce__get_u32(r);
    node->set = (uint32_t)(sets->n / 4);
    if (node->set_words > (size_t)(r->end - r->at) / 4) r->failed = 1;
    for (uint32_t i = 0; i < node->set_words && !r->failed && !sets->failed; ++i) {
        const uint32_t word = scarce__get_u32(r);
        scarce__put(sets, &word, 4);
    }
}

static void read_node(scarce__node *node, scarce__writer *sets, scarce__reader *r)
{
    memset(node, 0, sizeof *node);
    node->feature = (int32_t)scarce__get_u32(r);
    node->left = (int32_t)scarce__get_u32(r);
    node->flags = scarce__get_u8(r);
    node->cover = scarce__get_f32(r);
    node->rows = scarce__get_u32(r);
    if (node->feature < 0) return;
    node->right = (int32_t)scarce__get_u32(r);
    node->gain = scarce__get_f32(r);
    if (node->flags & SCARCE__CATEGORY) read_set(node, sets, r);
    else node->value = scarce__get_f32(r);
}

static scarce_status read_dag(scarce__dag *d, scarce__reader *r, scarce_error *err)
{
    scarce__writer sets = {0};

    d->n_leaves = scarce__get_count(r, LEAST_LEAF);
    d->leaves = scarce__malloc_array(d->n_leaves, sizeof *d->leaves);
    if (!d->leaves) return scarce__fail_memory(err, "a ranking tree", d->n_leaves * sizeof *d->leaves);
    read_leaves(d, r);
    d->n_nodes = scarce__get_count(r, LEAST_NODE);
    d->nodes = scarce__malloc_array(d->n_nodes, sizeof *d->nodes);
    if (!d->nodes) return scarce__fail_memory(err, "a ranking tree", d->n_nodes * sizeof *d->nodes);
    for (size_t i = 0; i < d->n_nodes && !r->failed; ++i) read_node(&d->nodes[i], &sets, r);
    d->sets = (uint32_t *)(void *)sets.bytes; /* of the same allocator */
    d->n_set_words = sets.n / 4;
    if (sets.failed) return scarce__fail_memory(err, "a ranking tree", 0);
    return r->failed ? scarce__fail(err, SCARCE_EPARSE, "a ranking tree is cut off") : SCARCE_OK;
}

static scarce_status read_parts(scarce__rank *m, scarce__reader *r, scarce_error *err)
{
    m->distance = (scarce__distance)scarce__get_u8(r);
    if (m->distance) {
        if (m->n_features > (size_t)(r->end - r->at) / 8) r->failed = 1;
        m->scale = scarce__malloc_array(r->failed ? 0 : m->n_features, sizeof *m->scale);
        if (!m->scale) return scarce__fail_memory(err, "a ranking tree", m->n_features * sizeof *m->scale);
        for (size_t f = 0; !r->failed && f < m->n_features; ++f) m->scale[f] = scarce__get_f64(r);
    }
    const size_t n = scarce__get_count(r, LEAST_DAG);
    if (r->failed) return scarce__fail(err, SCARCE_EPARSE, "the ranking trees are cut off");
    m->dags = scarce__calloc(n, sizeof *m->dags);
    if (!m->dags) return scarce__fail_memory(err, "ranking trees", n * sizeof *m->dags);
    m->n_dags = n;
    for (size_t i = 0; i < n; ++i) SCARCE__TRY(read_dag(&m->dags[i], r, err));
    return scarce__rank_check(m, err);
}

static scarce_status read_body(void **body, const scarce_schema *schema, scarce__reader *r, scarce_error *err)
{
    scarce__rank *m = scarce__calloc(1, sizeof *m);
    scarce_status st;

    *body = NULL;
    if (!m) return scarce__fail_memory(err, "ranking trees", 0);
    m->n_features = schema->n_features;
    st = read_parts(m, r, err);
    if (st != SCARCE_OK) {
        free_body(m);
        return st;
    }
    *body = m;
    return SCARCE_OK;
}

/* ---- scoring */

static double score_row(const void *prepared, const float *row)
{
    return scarce__rank_score(prepared, row);
}

static scarce_status score_table(const void *prepared, const scarce_table *table, double *score,
                                 scarce_context *ctx, scarce_error *err)
{
    return scarce__rank_score_table(prepared, table, score, ctx, err);
}

/* ---- what it says */

static scarce__rank_shown shown_of(const void *body, const scarce_model *model)
{
    return (scarce__rank_shown){.rank = body,
                                .schema = &model->schema,
                                .missing = model->missing,
                                .alert = model->alert_rule == SCARCE__ALERT_SCORE ? model->alert_value
                                                                                  : (double)NAN,
                                .method = model->method};
}

static scarce_status show(const void *body, const scarce_model *model, const char *format, scarce__text *out,
                          scarce_error *err)
{
    const scarce__rank_shown shown = shown_of(body, model);
    return scarce__rank_show(&shown, format, out, err);
}

static scarce_status rulebook(scarce__rulebook **out, const void *body, const scarce_model *model,
                              scarce_error *err)
{
    const scarce__rank_shown shown = shown_of(body, model);
    return scarce__rulebook_new(out, &shown, err);
}

const scarce__kind scarce__kind_rank = {.name = "rank",
                                        .tag = "RANK",
                                        .free = free_body,
                                        .write = write_body,
                                        .read = read_body,
                                        .score_row = score_row,
                                        .score_table = score_table,
                                        .show = show,
                                        .reasons = SCARCE__REASONS_RULE,
                                        .rulebook = rulebook};
