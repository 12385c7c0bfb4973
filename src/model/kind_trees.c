/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of trees as a kind of model: saved as docs/model-format.md says, scored by tree/fast.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/random.h"
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

/* In files: the set is that of an earlier node of the tree, whose number follows (format 2). Only sets of this
 * many words are told so, and only imported trees share them, so that other models keep their bytes. */
enum { SET_OF_NODE = 8, SHARED_WORDS = 64 };

static int has_large_set(const scarce__node *node)
{
    return node->feature >= 0 && (node->flags & SCARCE__CATEGORY) && node->set_words >= SHARED_WORDS;
}

/* same[i] = 1 + the first node of the tree with the set of node i, where that is an earlier one; else 0.
 * NULL: no node shares a set, or (*failed) there is no memory. */
static uint32_t *find_shared(const scarce__node *nodes, size_t n, int *failed)
{
    size_t large = 0, size = 16, shared = 0;
    uint32_t *same, *table;

    for (size_t i = 0; i < n; ++i) large += (size_t)has_large_set(nodes + i);
    if (large < 2) return NULL;
    while (size < 2 * large) size *= 2;
    same = scarce__calloc(n, sizeof *same);
    table = scarce__calloc(size, sizeof *table);
    if (!same || !table) *failed = 1;
    for (size_t i = 0; i < n && !*failed; ++i) {
        size_t at = (size_t)scarce__mix64(nodes[i].set) & (size - 1);
        if (!has_large_set(nodes + i)) continue;
        while (table[at] && (nodes[table[at] - 1].set != nodes[i].set ||
                             nodes[table[at] - 1].set_words != nodes[i].set_words))
            at = (at + 1) & (size - 1);
        same[i] = table[at];
        shared += table[at] != 0;
        if (!table[at]) table[at] = (uint32_t)i + 1;
    }
    scarce__free(table);
    if (shared && !*failed) return same;
    scarce__free(same);
    return NULL;
}

/* same_as: 1 + the node whose set it is; 0: its own. */
static void write_node(const scarce__forest *f, const scarce__node *node, uint32_t same_as, scarce__writer *w)
{
    scarce__put_u32(w, (uint32_t)node->feature);
    scarce__put_f32(w, node->value);
    if (node->feature >= 0) {
        scarce__put_u32(w, (uint32_t)node->left);
        scarce__put_u32(w, (uint32_t)node->right);
        scarce__put_u8(w, (uint8_t)(node->flags | (same_as ? SET_OF_NODE : 0)));
        scarce__put_f32(w, node->gain);
        if (same_as) scarce__put_u32(w, same_as - 1);
        else if (node->flags & SCARCE__CATEGORY) {
            scarce__put_u32(w, node->set_words);
            for (uint32_t i = 0; i < node->set_words; ++i) scarce__put_u32(w, f->sets[node->set + i]);
        }
    }
    scarce__put_f32(w, node->cover);
    scarce__put_u32(w, node->rows);
}

static uint32_t write_body(const void *body, const scarce_schema *schema, scarce__writer *w)
{
    const scarce__forest *f = body;
    uint32_t version = 1;
    (void)schema;
    scarce__put_f64(w, f->base);
    scarce__put_u64(w, f->n_trees);
    for (size_t t = 0; t < f->n_trees && !w->failed; ++t) {
        const uint32_t begin = f->tree_begin[t], n = f->tree_begin[t + 1] - begin;
        uint32_t *same = find_shared(f->nodes + begin, n, &w->failed);
        if (same) version = 2;
        scarce__put_u64(w, n);
        for (uint32_t i = 0; i < n; ++i) write_node(f, &f->nodes[begin + i], same ? same[i] : 0, w);
        scarce__free(same);
    }
    return version;
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

/* The set of an earlier node, which must have one. */
static void share_set(scarce__node *node, const scarce__node *nodes, size_t i, scarce__reader *r)
{
    const uint32_t from = scarce__get_u32(r);
    if (from >= i || !has_large_set(nodes + from) || !(node->flags & SCARCE__CATEGORY)) {
        r->failed = 1;
        return;
    }
    node->flags &= ~(uint32_t)SET_OF_NODE;
    node->set = nodes[from].set;
    node->set_words = nodes[from].set_words;
}

/* Node i of `nodes`, of which those before it are read. */
static int read_node(scarce__node *nodes, size_t i, scarce__writer *sets, scarce__reader *r)
{
    scarce__node *node = nodes + i;
    memset(node, 0, sizeof *node);
    node->feature = (int32_t)scarce__get_u32(r);
    node->value = scarce__get_f32(r);
    if (node->feature >= 0) {
        node->left = (int32_t)scarce__get_u32(r);
        node->right = (int32_t)scarce__get_u32(r);
        node->flags = scarce__get_u8(r);
        node->gain = scarce__get_f32(r);
        if (node->flags & SET_OF_NODE) share_set(node, nodes, i, r);
        else if (node->flags & SCARCE__CATEGORY) read_set(node, sets, r);
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
    for (size_t i = 0; i < n && read_node(nodes, i, &sets, r); ++i) continue;
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

enum { MOST_IMPORTANT = 20 }; /* of a summary */

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
static void add_importances(const scarce__forest *f, const scarce_schema *schema, int json, size_t most,
                            scarce__text *out)
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
        if (k == most) {
            scarce__text_add(out, "  ... (--importance gain lists all)\n");
            break;
        }
        if (json) {
            scarce__json_begin_object(out);
            scarce__json_field_string(out, "feature", schema->features[best].name);
            scarce__json_field_number(out, "gain", gain[best]);
            scarce__json_field_number(out, "splits", count[best]);
            scarce__json_end_object(out);
        } else {
            scarce__text_addf(out, "  %-30s %6.0f split%s gain ", schema->features[best].name, count[best],
                              count[best] == 1 ? ", " : "s,");
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
    const int trees = strcmp(format, "text") == 0;

    if (strcmp(format, "json") == 0) {
        SCARCE__TRY(scarce__forest_check_listing(f, 0, err));
        if (f->n_members > 0) {
            scarce__json_key(out, "trees_of_members");
            scarce__json_begin_array(out);
            for (size_t m = 0; m < f->n_members; ++m) scarce__json_number(out, (double)f->member_trees[m]);
            scarce__json_end_array(out);
        }
        scarce__json_key(out, "importances");
        scarce__json_begin_array(out);
        add_importances(f, &model->schema, 1, SIZE_MAX, out);
        scarce__json_end_array(out);
        scarce__json_key(out, "forest");
        scarce__show_json(out, f, &names, 0, f->n_trees);
    } else if (trees || strcmp(format, "summary") == 0) {
        scarce__text_addf(out, "\n%zu trees", f->n_trees);
        if (f->n_members > 0) scarce__text_addf(out, " of %zu members, in turns", f->n_members);
        scarce__text_add(out, "; importances\n");
        add_importances(f, &model->schema, 0, trees ? SIZE_MAX : MOST_IMPORTANT, out);
        if (trees) scarce__text_add(out, "\n");
        if (trees) scarce__show_text(out, f, &names, 0, f->n_trees);
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
