/* SPDX-License-Identifier: Apache-2.0 */
/* A forest as XGBoost's JSON.
 *
 * x <= t becomes x < the float after t. Our category split says who goes left and where the others go;
 * XGBoost's lists who goes right, the others go left. So when the others go right the children change
 * places. The base of a logistic model is a leaf of its own: base_score is a probability there, and
 * float(p) near 1 would lose digits of the margin. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "tree/import.h"

/* A category split in XGBoost's terms. */
static int swaps(const scarce__node *node)
{
    return node->feature >= 0 && (node->flags & SCARCE__CATEGORY) && !(node->flags & SCARCE__OTHER_LEFT);
}

static int listed(const scarce__forest *forest, const scarce__node *node, uint32_t code)
{
    const int left = (int)(forest->sets[node->set + code / 32] >> (code % 32) & 1);
    return swaps(node) ? left : !left;
}

static uint32_t count_listed(const scarce__forest *forest, const scarce__node *node)
{
    uint32_t n = 0;
    if (node->feature < 0 || !(node->flags & SCARCE__CATEGORY)) return 0;
    for (uint32_t i = 0; i < node->set_words; ++i)
        n += (uint32_t)__builtin_popcount(forest->sets[node->set + i]);
    return swaps(node) ? n : 32 * node->set_words - n;
}

/* Nobody listed: all known values go left, which a number's split says better. */
static int is_category(const scarce__forest *forest, const scarce__node *node)
{
    return count_listed(forest, node) > 0;
}

static float condition(const scarce__forest *forest, const scarce__node *node)
{
    float after;
    if (node->feature < 0) return node->value;
    if (node->flags & SCARCE__CATEGORY) return is_category(forest, node) ? 0 : FLT_MAX;
    after = nextafterf(node->value, INFINITY);
    return isinf(after) ? FLT_MAX : after;
}

/* XGBoost's reader tells floats from integers by their look: 1 must be 1E0. */
static void put_float(scarce__text *t, float value)
{
    const size_t from = t->n;
    scarce__json_float(t, value);
    if (!t->failed && !memchr(t->bytes + from, '.', t->n - from) &&
        !memchr(t->bytes + from, 'e', t->n - from))
        scarce__text_add(t, "E0");
}

enum list { LEFT, RIGHT, FEATURE, DEFAULT_LEFT, SPLIT_TYPE, CONDITION, GAIN, HESSIAN, WEIGHT };

static void put_item(scarce__text *t, const scarce__forest *forest, const scarce__node *node, enum list which)
{
    const int leaf = node->feature < 0, swap = swaps(node);
    const int missing_left = (node->flags & SCARCE__MISSING_LEFT) != 0;

    switch (which) {
    case LEFT: scarce__json_integer(t, leaf ? -1 : swap ? node->right : node->left); break;
    case RIGHT: scarce__json_integer(t, leaf ? -1 : swap ? node->left : node->right); break;
    case FEATURE: scarce__json_integer(t, leaf ? 0 : node->feature); break;
    case DEFAULT_LEFT: scarce__json_integer(t, leaf ? 0 : missing_left != swap); break;
    case SPLIT_TYPE: scarce__json_integer(t, is_category(forest, node)); break;
    case CONDITION: put_float(t, condition(forest, node)); break;
    case GAIN: put_float(t, leaf ? 0 : isfinite(node->gain) ? node->gain : FLT_MAX); break;
    case HESSIAN: put_float(t, isfinite(node->cover) ? node->cover : FLT_MAX); break;
    case WEIGHT: put_float(t, leaf ? node->value : 0); break;
    }
}

static void put_list(scarce__text *t, const char *name, const scarce__forest *forest,
                     const scarce__node *nodes, size_t n, enum list which)
{
    scarce__json_key(t, name);
    scarce__json_begin_array(t);
    for (size_t i = 0; i < n; ++i) put_item(t, forest, nodes + i, which);
    scarce__json_end_array(t);
}

/* XGBoost numbers a missing parent 2^31 - 1. */
static void put_parents(scarce__text *t, const scarce__node *nodes, size_t n)
{
    int32_t *parent = scarce__malloc_array(n, sizeof *parent);

    if (!parent) {
        t->failed = 1;
        return;
    }
    parent[0] = INT32_MAX;
    for (size_t i = 0; i < n; ++i)
        if (nodes[i].feature >= 0) parent[nodes[i].left] = parent[nodes[i].right] = (int32_t)i;
    scarce__json_key(t, "parents");
    scarce__json_begin_array(t);
    for (size_t i = 0; i < n; ++i) scarce__json_integer(t, parent[i]);
    scarce__json_end_array(t);
    scarce__free(parent);
}

static void put_categories(scarce__text *t, const scarce__forest *forest, const scarce__node *nodes, size_t n)
{
    static const char *const names[] = {"categories", "categories_nodes", "categories_segments",
                                        "categories_sizes"};

    for (int list = 0; list < 4; ++list) {
        int64_t begin = 0;
        scarce__json_key(t, names[list]);
        scarce__json_begin_array(t);
        for (size_t i = 0; i < n; ++i) {
            const uint32_t size = count_listed(forest, nodes + i);
            if (!size) continue;
            if (list == 0)
                for (uint32_t code = 0; code < 32 * nodes[i].set_words; ++code)
                    if (listed(forest, nodes + i, code)) scarce__json_integer(t, code);
            if (list == 1) scarce__json_integer(t, (int64_t)i);
            if (list == 2) scarce__json_integer(t, begin);
            if (list == 3) scarce__json_integer(t, size);
            begin += size;
        }
        scarce__json_end_array(t);
    }
}

static void field_count(scarce__text *t, const char *name, size_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%zu", value);
    scarce__json_field_string(t, name, text);
}

static void put_tree(scarce__text *t, const scarce__forest *forest, const scarce__node *nodes, size_t n,
                     size_t id)
{
    scarce__json_begin_object(t);
    put_list(t, "base_weights", forest, nodes, n, WEIGHT);
    put_categories(t, forest, nodes, n);
    put_list(t, "default_left", forest, nodes, n, DEFAULT_LEFT);
    scarce__json_field_integer(t, "id", (int64_t)id);
    put_list(t, "left_children", forest, nodes, n, LEFT);
    put_list(t, "loss_changes", forest, nodes, n, GAIN);
    put_parents(t, nodes, n);
    put_list(t, "right_children", forest, nodes, n, RIGHT);
    put_list(t, "split_conditions", forest, nodes, n, CONDITION);
    put_list(t, "split_indices", forest, nodes, n, FEATURE);
    put_list(t, "split_type", forest, nodes, n, SPLIT_TYPE);
    put_list(t, "sum_hessian", forest, nodes, n, HESSIAN);
    scarce__json_key(t, "tree_param");
    scarce__json_begin_object(t);
    field_count(t, "num_deleted", 0);
    field_count(t, "num_feature", forest->n_features);
    field_count(t, "num_nodes", n);
    field_count(t, "size_leaf_vector", 1);
    scarce__json_end_object(t);
    scarce__json_end_object(t);
}

static void put_booster(scarce__text *t, const scarce__forest *forest, float base_leaf)
{
    const size_t extra = base_leaf != 0, n = forest->n_trees + extra;
    scarce__node leaf;

    memset(&leaf, 0, sizeof leaf);
    leaf.feature = -1;
    leaf.value = base_leaf;
    scarce__json_key(t, "gradient_booster");
    scarce__json_begin_object(t);
    scarce__json_key(t, "model");
    scarce__json_begin_object(t);
    scarce__json_key(t, "gbtree_model_param");
    scarce__json_begin_object(t);
    field_count(t, "num_parallel_tree", 1);
    field_count(t, "num_trees", n);
    scarce__json_end_object(t);
    scarce__json_key(t, "iteration_indptr");
    scarce__json_begin_array(t);
    for (size_t i = 0; i <= n; ++i) scarce__json_integer(t, (int64_t)i);
    scarce__json_end_array(t);
    scarce__json_key(t, "tree_info");
    scarce__json_begin_array(t);
    for (size_t i = 0; i < n; ++i) scarce__json_integer(t, 0);
    scarce__json_end_array(t);
    scarce__json_key(t, "trees");
    scarce__json_begin_array(t);
    if (extra) put_tree(t, forest, &leaf, 1, 0);
    for (size_t i = 0; i < forest->n_trees; ++i)
        put_tree(t, forest, forest->nodes + forest->tree_begin[i],
                 forest->tree_begin[i + 1] - forest->tree_begin[i], i + extra);
    scarce__json_end_array(t);
    scarce__json_end_object(t);
    scarce__json_field_string(t, "name", "gbtree");
    scarce__json_end_object(t);
}

static int has_category(const scarce__forest *forest, size_t feature)
{
    const size_t n = forest->n_trees ? forest->tree_begin[forest->n_trees] : 0;
    for (size_t i = 0; i < n; ++i)
        if (forest->nodes[i].feature >= 0 && (size_t)forest->nodes[i].feature == feature &&
            (forest->nodes[i].flags & SCARCE__CATEGORY))
            return 1;
    return 0;
}

static void put_features(scarce__text *t, const scarce__forest *forest, const char *(*name)(void *, size_t),
                         void *payload)
{
    const int any = forest->n_set_words > 0;

    scarce__json_key(t, "feature_names");
    scarce__json_begin_array(t);
    for (size_t f = 0; f < forest->n_features; ++f) {
        char text[32];
        (void)snprintf(text, sizeof text, "f%zu", f);
        scarce__json_string(t, name ? name(payload, f) : text);
    }
    scarce__json_end_array(t);
    scarce__json_key(t, "feature_types");
    scarce__json_begin_array(t);
    for (size_t f = 0; f < forest->n_features; ++f)
        scarce__json_string(t, any && has_category(forest, f) ? "c" : "float");
    scarce__json_end_array(t);
}

static void put_learner(scarce__text *t, const scarce__forest *forest, scarce__link link)
{
    static const char *const objectives[] = {"reg:squarederror", "binary:logistic", "count:poisson"};
    /* a logistic base of 0 is base_score 1/2, a poisson base of 0 is base_score 1 */
    const float base_score = link == SCARCE__LINK_LOGISTIC ? 0.5f
                             : link == SCARCE__LINK_EXP    ? 1.0f
                                                           : (float)forest->base;
    scarce__text number = SCARCE__TEXT_INIT;

    scarce__json_key(t, "learner_model_param");
    scarce__json_begin_object(t);
    scarce__text_float(&number, base_score);
    scarce__json_field_string(t, "base_score", number.failed ? "" : number.bytes);
    if (number.failed) t->failed = 1;
    scarce__text_deinit(&number);
    scarce__json_field_string(t, "boost_from_average", "1");
    field_count(t, "num_class", 0);
    field_count(t, "num_feature", forest->n_features);
    field_count(t, "num_target", 1);
    scarce__json_end_object(t);
    scarce__json_key(t, "objective");
    scarce__json_begin_object(t);
    scarce__json_field_string(t, "name", objectives[link]);
    scarce__json_key(t, link == SCARCE__LINK_EXP ? "poisson_regression_param" : "reg_loss_param");
    scarce__json_begin_object(t);
    scarce__json_field_string(t, link == SCARCE__LINK_EXP ? "max_delta_step" : "scale_pos_weight",
                              link == SCARCE__LINK_EXP ? "0.7" : "1");
    scarce__json_end_object(t);
    scarce__json_end_object(t);
}

scarce_status scarce__export_xgboost(scarce__text *out, const scarce__forest *forest, scarce__link link,
                                     double slope, const char *(*name)(void *payload, size_t feature),
                                     void *payload, scarce_error *err)
{
    if (link == SCARCE__LINK_LOGISTIC && slope != 1)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "a logistic link of slope %g can't be said in an xgboost model", slope);
    SCARCE__TRY(scarce__forest_check_listing(forest, 1, err));
    scarce__json_begin_object(out);
    scarce__json_key(out, "learner");
    scarce__json_begin_object(out);
    scarce__json_key(out, "attributes");
    scarce__json_begin_object(out);
    scarce__json_end_object(out);
    put_features(out, forest, name, payload);
    put_booster(out, forest, link == SCARCE__LINK_IDENTITY ? 0 : (float)forest->base);
    put_learner(out, forest, link);
    scarce__json_end_object(out);
    scarce__json_key(out, "version");
    scarce__json_begin_array(out);
    scarce__json_integer(out, 2);
    scarce__json_integer(out, 1);
    scarce__json_integer(out, 0);
    scarce__json_end_array(out);
    scarce__json_end_object(out);
    return out->failed ? scarce__fail_memory(err, "an xgboost model", out->n) : SCARCE_OK;
}
