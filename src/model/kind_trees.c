/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of trees as a kind of model: saved as docs/model-format.md says, scored by tree/fast.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/json.h"
#include "model/model.h"
#include "tree/fast.h"
#include "tree/forest.h"
#include "tree/show.h"

static void free_body(void *body)
{
    if (!body) return;
    scarce__forest_deinit(body);
    scarce__free(body);
}

static void write_node(const scarce__forest *f, const scarce__node *node, scarce__writer *w)
{
    scarce__put_u32(w, (uint32_t)node->feature);
    scarce__put_f32(w, node->value);
    if (node->feature >= 0) {
        scarce__put_u32(w, (uint32_t)node->left);
        scarce__put_u32(w, (uint32_t)node->right);
        scarce__put_u8(w, (uint8_t)node->flags);
        scarce__put_f32(w, node->gain);
        if (node->flags & SCARCE__CATEGORY) {
            scarce__put_u32(w, node->set_words);
            for (uint32_t i = 0; i < node->set_words; ++i) scarce__put_u32(w, f->sets[node->set + i]);
        }
    }
    scarce__put_f32(w, node->cover);
    scarce__put_u32(w, node->rows);
}

static void write_body(const void *body, const scarce_schema *schema, scarce__writer *w)
{
    const scarce__forest *f = body;
    (void)schema;
    scarce__put_f64(w, f->base);
    scarce__put_u64(w, f->n_trees);
    for (size_t t = 0; t < f->n_trees; ++t) {
        const uint32_t begin = f->tree_begin[t], end = f->tree_begin[t + 1];
        scarce__put_u64(w, end - begin);
        for (uint32_t i = begin; i < end; ++i) write_node(f, &f->nodes[i], w);
    }
}

/* The words of a node's set go behind those of the tree's earlier nodes. */
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

static int read_node(scarce__node *node, scarce__writer *sets, scarce__reader *r)
{
    memset(node, 0, sizeof *node);
    node->feature = (int32_t)scarce__get_u32(r);
    node->value = scarce__get_f32(r);
    if (node->feature >= 0) {
        node->left = (int32_t)scarce__get_u32(r);
        node->right = (int32_t)scarce__get_u32(r);
        node->flags = scarce__get_u8(r);
        node->gain = scarce__get_f32(r);
        if (node->flags & SCARCE__CATEGORY) read_set(node, sets, r);
    }
    node->cover = scarce__get_f32(r);
    node->rows = scarce__get_u32(r);
    return !r->failed;
}

enum { LEAST_NODE = 16, LEAST_TREE = 8 + LEAST_NODE }; /* bytes in the file */

static scarce_status read_tree(scarce__forest *f, scarce__reader *r, scarce_error *err)
{
    const size_t n = scarce__get_count(r, LEAST_NODE);
    scarce__writer sets = {0};
    scarce__node *nodes = scarce__malloc_array(n, sizeof *nodes);
    scarce_status st = SCARCE_OK;

    if (!nodes) return scarce__fail_memory(err, "a tree", n * sizeof *nodes);
    for (size_t i = 0; i < n && read_node(&nodes[i], &sets, r); ++i) continue;
    if (sets.failed) st = scarce__fail_memory(err, "a tree", 0);
    else if (r->failed || n == 0) st = scarce__fail(err, SCARCE_EPARSE, "tree %zu is cut off", f->n_trees);
    else st = scarce__forest_add(f, nodes, n, (const uint32_t *)(void *)sets.bytes, sets.n / 4, err);
    scarce__writer_deinit(&sets);
    scarce__free(nodes);
    return st;
}

static scarce_status read_body(void **body, const scarce_schema *schema, scarce__reader *r, scarce_error *err)
{
    scarce__forest *f = scarce__calloc(1, sizeof *f);
    scarce_status st = SCARCE_OK;
    size_t n;

    *body = NULL;
    if (!f) return scarce__fail_memory(err, "trees", 0);
    f->n_features = schema->n_features;
    f->base = scarce__get_f64(r);
    n = scarce__get_count(r, LEAST_TREE);
    if (r->failed) st = scarce__fail(err, SCARCE_EPARSE, "the trees are cut off");
    for (size_t t = 0; st == SCARCE_OK && t < n; ++t) st = read_tree(f, r, err);
    if (st == SCARCE_OK) st = scarce__forest_check(f, err);
    if (st != SCARCE_OK) {
        free_body(f);
        return st;
    }
    *body = f;
    return SCARCE_OK;
}

static scarce_status prepare(void **prepared, const void *body, scarce_error *err)
{
    scarce__fast *fast = NULL;
    const scarce_status st = scarce__fast_new(&fast, body, err);
    *prepared = fast;
    return st;
}

static void unprepare(void *prepared)
{
    scarce__fast_free(prepared);
}

static double score_row(const void *prepared, const float *row)
{
    return scarce__fast_one(prepared, row);
}

static scarce_status score_table(const void *prepared, const scarce_table *table, double *score,
                                 scarce_context *ctx, scarce_error *err)
{
    return scarce__fast_table(prepared, table, ctx, score, err);
}

typedef struct ranked {
    double gain, count;
    size_t feature;
} ranked;

static int by_gain(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->gain != y->gain) return x->gain > y->gain ? -1 : 1;
    return x->feature < y->feature ? -1 : x->feature > y->feature;
}

/* Importances, highest gain first; features never used are left out. */
static void add_importances(const scarce__forest *f, const scarce_schema *schema, int json, scarce__text *out)
{
    const size_t n = schema->n_features;
    double *gain = scarce__calloc(n, sizeof *gain), *count = scarce__calloc(n, sizeof *count);
    ranked *list = scarce__malloc_array(n, sizeof *list);
    size_t n_used = 0;

    if (!gain || !count || !list) out->failed = 1;
    else {
        scarce__forest_importance(f, SCARCE__IMPORTANCE_GAIN, gain);
        scarce__forest_importance(f, SCARCE__IMPORTANCE_COUNT, count);
        for (size_t i = 0; i < n; ++i) /* a damaged file may hold gains that aren't numbers */
            if (count[i] > 0) list[n_used++] = (ranked){isnan(gain[i]) ? 0 : gain[i], count[i], i};
        qsort(list, n_used, sizeof *list, by_gain);
    }
    for (size_t k = 0; !out->failed && k < n_used; ++k) {
        const size_t best = list[k].feature;
        if (json) {
            scarce__json_begin_object(out);
            scarce__json_field_string(out, "feature", schema->features[best].name);
            scarce__json_field_number(out, "gain", gain[best]);
            scarce__json_field_number(out, "splits", count[best]);
            scarce__json_end_object(out);
        } else {
            scarce__text_addf(out, "  %-30s %6.0f splits, gain ", schema->features[best].name, count[best]);
            scarce__text_digits(out, gain[best], 6);
            scarce__text_add(out, "\n");
        }
    }
    scarce__free(list);
    scarce__free(gain);
    scarce__free(count);
}

static scarce_status show(const void *body, const scarce_model *model, const char *format, scarce__text *out,
                          scarce_error *err)
{
    const scarce__forest *f = body;
    const scarce__show_names names = scarce__show_schema(&model->schema);

    if (strcmp(format, "json") == 0) {
        if (f->n_members > 0) {
            scarce__json_key(out, "trees_of_members");
            scarce__json_begin_array(out);
            for (size_t m = 0; m < f->n_members; ++m) scarce__json_number(out, (double)f->member_trees[m]);
            scarce__json_end_array(out);
        }
        scarce__json_key(out, "importances");
        scarce__json_begin_array(out);
        add_importances(f, &model->schema, 1, out);
        scarce__json_end_array(out);
        scarce__json_key(out, "forest");
        scarce__show_json(out, f, &names, 0, f->n_trees);
    } else if (strcmp(format, "text") == 0) {
        scarce__text_addf(out, "\n%zu trees", f->n_trees);
        if (f->n_members > 0) scarce__text_addf(out, " of %zu members, in turns", f->n_members);
        scarce__text_add(out, "; importances\n");
        add_importances(f, &model->schema, 0, out);
        scarce__text_add(out, "\n");
        scarce__show_text(out, f, &names, 0, f->n_trees);
    } else if (strcmp(format, "dot") == 0) scarce__show_dot(out, f, &names, 0, f->n_trees);
    else
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "no form \"%.20s\" (there are text, json and dot)",
                            format);
    return SCARCE_OK;
}

static scarce_status explain(scarce__explain **out, const void *body, const scarce_table *background,
                             scarce_error *err)
{
    return scarce__explain_forest(out, body, background, err);
}

static void score_rows(const void *prepared, const float *rows, size_t n, size_t stride, double *score)
{
    scarce__fast_batch(prepared, rows, n, stride, score);
}

static const scarce__forest *forest_of(const void *body)
{
    return body;
}

static scarce_status score_stages(const void *body, const scarce_table *table, const size_t *stage, size_t n,
                                  scarce__stage_fn fn, void *payload, scarce_context *ctx, scarce_error *err)
{
    return scarce__forest_stages(body, table, stage, n, fn, payload, ctx, err);
}

/* ---- The section `memb`: trees of each member of an ensemble */

static int has_members(const void *body)
{
    const scarce__forest *f = body;
    return f->n_members > 0;
}

static void write_members(const void *body, scarce__writer *w)
{
    const scarce__forest *f = body;
    scarce__put_u64(w, f->n_members);
    for (size_t m = 0; m < f->n_members; ++m) scarce__put_u64(w, f->member_trees[m]);
}

static scarce_status read_members(void *body, scarce__reader *r, scarce_error *err)
{
    scarce__forest *f = body;
    const size_t n = scarce__get_count(r, 8);

    if (r->failed || n == 0) return scarce__fail(err, SCARCE_EPARSE, "the members are cut off");
    f->member_trees = scarce__malloc_array(n, sizeof *f->member_trees);
    if (!f->member_trees) return scarce__fail_memory(err, "members", n * sizeof *f->member_trees);
    f->n_members = n;
    for (size_t m = 0; m < n; ++m) f->member_trees[m] = scarce__get_u64(r);
    return scarce__forest_check_members(f, err);
}

const scarce__kind scarce__kind_trees = {.name = "trees",
                                         .tag = "TREE",
                                         .free = free_body,
                                         .write = write_body,
                                         .read = read_body,
                                         .prepare = prepare,
                                         .unprepare = unprepare,
                                         .score_row = score_row,
                                         .score_table = score_table,
                                         .score_rows = score_rows,
                                         .show = show,
                                         .reasons = SCARCE__REASONS_ADDITIVE,
                                         .explain = explain,
                                         .forest = forest_of,
                                         .score_stages = score_stages,
                                         .more_tag = "memb",
                                         .has_more = has_members,
                                         .write_more = write_members,
                                         .read_more = read_members};
