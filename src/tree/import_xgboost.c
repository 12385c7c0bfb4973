/* SPDX-License-Identifier: Apache-2.0 */
/* XGBoost's models: JSON, or the same document as UBJ.
 *
 * An inner node sends x left when x < threshold, which for floats is x <= the float before it. A category
 * split lists the categories that go right; all others go left. The margin is base + sum of leaves, with
 * base = logit(base_score) for logistic objectives, log(base_score) for those with a log link. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/number.h"
#include "tree/import.h"

typedef const scarce__json_value *json;

/* Categories are codes of a list somebody made: more than this is no list. It bounds the bit sets. */
enum { CATEGORY_MAX = 1 << 20 };

/* A category of seven digits makes a set of 128 KB: sets are shared between nodes where they are large and
 * equal, and all together may take this much and so many times the file. */
enum { SHARED_WORDS = 64, SETS_TIMES = 64 };
#define SETS_BYTES ((size_t)64 << 20)

static scarce_status no(scarce_error *err, const char *what)
{
    return scarce__fail(err, SCARCE_EPARSE, "xgboost model: %s is missing or wrong", what);
}

/* XGBoost writes its parameters as texts: "40", "5E-1", in later releases "[5E-1]" for a vector of one. */
static int parameter(json object, const char *name, double *value)
{
    json v = scarce__json_get(object, name);
    const char *text;
    size_t n;

    if (!v) return 0;
    if (v->type == SCARCE__JSON_NUMBER) {
        *value = v->as.number;
        return 1;
    }
    if (v->type != SCARCE__JSON_STRING) return 0;
    text = v->as.string;
    n = v->count;
    if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
        ++text;
        n -= 2;
    }
    return scarce__parse_double(text, n, value) == 1;
}

/* One list of a tree: `n` numbers (true and false count as 1 and 0). */
static scarce_status numbers(json tree, const char *name, size_t n, int optional, double **out,
                             scarce_error *err)
{
    json list = scarce__json_get_type(tree, name, SCARCE__JSON_ARRAY), v;

    *out = scarce__calloc(n, sizeof **out);
    if (!*out) return scarce__fail_memory(err, "an xgboost tree", n * sizeof **out);
    if (!list && optional) return SCARCE_OK;
    if (!list || list->count != n) return no(err, name);
    v = scarce__json_first(list);
    for (size_t i = 0; i < n; ++i, v = scarce__json_next(v)) {
        if (v->type == SCARCE__JSON_NUMBER) (*out)[i] = v->as.number;
        else if (v->type == SCARCE__JSON_TRUE || v->type == SCARCE__JSON_FALSE)
            (*out)[i] = v->type == SCARCE__JSON_TRUE;
        else return no(err, name);
    }
    return SCARCE_OK;
}

static size_t list_count(json tree, const char *name)
{
    json list = scarce__json_get_type(tree, name, SCARCE__JSON_ARRAY);
    return list ? list->count : 0;
}

enum { LEFT, RIGHT, FEATURE, CONDITION, DEFAULT_LEFT, SPLIT_TYPE, GAIN, HESSIAN, N_LISTS };
static const struct {
    const char *name;
    int optional;
} lists[N_LISTS] = {
    {"left_children", 0}, {"right_children", 0}, {"split_indices", 0}, {"split_conditions", 0},
    {"default_left", 0},  {"split_type", 1},     {"loss_changes", 1},  {"sum_hessian", 1},
};
enum { CATEGORY, CATEGORY_NODE, CATEGORY_BEGIN, CATEGORY_SIZE, N_CATEGORY_LISTS };
static const char *const category_lists[N_CATEGORY_LISTS] = {"categories", "categories_nodes",
                                                             "categories_segments", "categories_sizes"};

typedef struct tree_lists {
    double *list[N_LISTS], *category[N_CATEGORY_LISTS];
    size_t n_nodes, n_categories, n_category_nodes;
    scarce__node *nodes;
    uint32_t *sets;
    size_t n_words, words_capacity;
    size_t most_words; /* that are left for this tree */
    size_t n_listed;   /* categories of the nodes so far */
    uint32_t *table;   /* hash table of 1 + node, by its set */
    size_t table_size; /* a power of two */
} tree_lists;

static void free_lists(tree_lists *t)
{
    for (int i = 0; i < N_LISTS; ++i) scarce__free(t->list[i]);
    for (int i = 0; i < N_CATEGORY_LISTS; ++i) scarce__free(t->category[i]);
    scarce__free(t->nodes);
    scarce__free(t->sets);
    scarce__free(t->table);
}

static scarce_status read_lists(tree_lists *t, json tree, scarce_error *err)
{
    t->n_nodes = list_count(tree, "left_children");
    t->n_categories = list_count(tree, "categories");
    t->n_category_nodes = list_count(tree, "categories_nodes");
    if (t->n_nodes == 0) return no(err, "left_children");
    for (int i = 0; i < N_LISTS; ++i)
        SCARCE__TRY(numbers(tree, lists[i].name, t->n_nodes, lists[i].optional, &t->list[i], err));
    for (int i = 0; i < N_CATEGORY_LISTS; ++i)
        SCARCE__TRY(numbers(tree, category_lists[i], i == CATEGORY ? t->n_categories : t->n_category_nodes, 1,
                            &t->category[i], err));
    return SCARCE_OK;
}

static int whole(double v, double from, double below)
{
    return v >= from && v < below && v == floor(v);
}

static scarce_status set_node(const tree_lists *t, size_t i, size_t n_features, scarce__node *node,
                              scarce_error *err)
{
    const double left = t->list[LEFT][i], right = t->list[RIGHT][i], limit = (double)t->n_nodes;
    const double condition = t->list[CONDITION][i];

    node->cover = (float)t->list[HESSIAN][i];
    if (left == -1) {
        node->feature = -1;
        node->value = (float)condition;
        return SCARCE_OK;
    }
    if (!whole(left, 0, limit) || !whole(right, 0, limit)) return no(err, "left_children or right_children");
    if (!whole(t->list[FEATURE][i], 0, (double)n_features)) return no(err, "split_indices");
    node->feature = (int32_t)t->list[FEATURE][i];
    node->left = (int32_t)left;
    node->right = (int32_t)right;
    node->gain = (float)t->list[GAIN][i];
    if (t->list[DEFAULT_LEFT][i] != 0) node->flags |= SCARCE__MISSING_LEFT;
    if (t->list[SPLIT_TYPE][i] == 1) {
        node->flags |= SCARCE__CATEGORY | SCARCE__OTHER_LEFT; /* until its categories are read: all left */
    } else if (t->list[SPLIT_TYPE][i] != 0) {
        return no(err, "split_type");
    } else if (isnan(condition)) {
        return no(err, "split_conditions");
    } else {
        node->value = nextafterf((float)condition, -INFINITY);
    }
    return SCARCE_OK;
}

/* Room for `words` more. */
static scarce_status reserve_words(tree_lists *t, size_t words, scarce_error *err)
{
    size_t capacity = t->n_words + t->n_words / 2 + words;
    uint32_t *sets;

    if (t->n_words + words > t->most_words)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "its category sets take more than %zu MB, out of proportion to the file; number "
                            "the categories from 0 on",
                            t->most_words * sizeof *sets >> 20);
    if (t->n_words + words <= t->words_capacity) return SCARCE_OK;
    if (capacity > t->most_words) capacity = t->most_words;
    sets = scarce__realloc_array(t->sets, capacity, sizeof *sets);
    if (!sets) return scarce__fail_memory(err, "category sets", capacity * sizeof *sets);
    t->sets = sets;
    t->words_capacity = capacity;
    return SCARCE_OK;
}

/* The node's set stands behind all others. It stays there, unless an earlier node of the tree has the same. */
static scarce_status keep_set(tree_lists *t, scarce__node *node, scarce_error *err)
{
    const uint32_t *set = t->sets + t->n_words;
    const size_t bytes = node->set_words * sizeof *set;
    size_t at;

    node->set = (uint32_t)t->n_words;
    t->n_words += node->set_words;
    if (node->set_words < SHARED_WORDS) return SCARCE_OK;
    if (!t->table) {
        for (t->table_size = 16; t->table_size < 2 * t->n_category_nodes;) t->table_size *= 2;
        t->table = scarce__calloc(t->table_size, sizeof *t->table);
        if (!t->table) return scarce__fail_memory(err, "category sets", 0);
    }
    for (at = (size_t)scarce__hash_bytes(0, set, bytes) & (t->table_size - 1); t->table[at];
         at = (at + 1) & (t->table_size - 1)) {
        const scarce__node *other = t->nodes + (t->table[at] - 1);
        if (other->set_words != node->set_words || memcmp(t->sets + other->set, set, bytes) != 0) continue;
        t->n_words -= node->set_words;
        node->set = other->set;
        return SCARCE_OK;
    }
    t->table[at] = (uint32_t)(node - t->nodes) + 1;
    return SCARCE_OK;
}

/* All ones but for the listed categories, which go right. */
static scarce_status set_categories(tree_lists *t, size_t k, scarce_error *err)
{
    const double at = t->category[CATEGORY_NODE][k], begin = t->category[CATEGORY_BEGIN][k];
    const double size = t->category[CATEGORY_SIZE][k];
    const double *codes;
    scarce__node *node;
    double most = -1;
    size_t words;

    if (!whole(at, 0, (double)t->n_nodes)) return no(err, "categories_nodes");
    node = t->nodes + (size_t)at;
    if (node->feature < 0 || !(node->flags & SCARCE__CATEGORY)) return no(err, "categories_nodes");
    if (node->set_words != 0) return no(err, "categories_nodes (a node twice)");
    if (!whole(begin, 0, (double)t->n_categories + 1) || !whole(size, 0, (double)t->n_categories - begin + 1))
        return no(err, "categories_segments or categories_sizes");
    t->n_listed += (size_t)size; /* segments don't overlap */
    if (t->n_listed > t->n_categories) return no(err, "categories_sizes");
    codes = t->category[CATEGORY] + (size_t)begin;
    for (size_t i = 0; i < (size_t)size; ++i) {
        if (!whole(codes[i], 0, CATEGORY_MAX)) return no(err, "categories");
        if (codes[i] > most) most = codes[i];
    }
    if (size == 0) return SCARCE_OK;
    words = (size_t)most / 32 + 1;
    SCARCE__TRY(reserve_words(t, words, err));
    node->set_words = (uint32_t)words;
    memset(t->sets + t->n_words, 255, words * sizeof *t->sets);
    for (size_t i = 0; i < (size_t)size; ++i)
        t->sets[t->n_words + (size_t)codes[i] / 32] &= ~((uint32_t)1 << ((uint32_t)codes[i] % 32));
    return keep_set(t, node, err);
}

static scarce_status add_tree(scarce__forest *forest, json tree, double weight, size_t most_words,
                              scarce_error *err)
{
    tree_lists t;
    scarce_status st;
    double vector = 0;

    memset(&t, 0, sizeof t);
    t.most_words = most_words - forest->n_set_words;
    if (parameter(scarce__json_get(tree, "tree_param"), "size_leaf_vector", &vector) && vector > 1)
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "an xgboost tree with a vector in each leaf");
    st = read_lists(&t, tree, err);
    if (st == SCARCE_OK) {
        t.nodes = scarce__calloc(t.n_nodes, sizeof *t.nodes);
        if (!t.nodes) st = scarce__fail_memory(err, "an xgboost tree", 0);
    }
    for (size_t i = 0; i < t.n_nodes && st == SCARCE_OK; ++i) {
        st = set_node(&t, i, forest->n_features, t.nodes + i, err);
        if (t.nodes[i].feature < 0 && weight != 1)
            t.nodes[i].value = (float)((double)t.nodes[i].value * weight);
    }
    for (size_t k = 0; k < t.n_category_nodes && st == SCARCE_OK; ++k) st = set_categories(&t, k, err);
    if (st == SCARCE_OK) st = scarce__import_tree(forest, t.nodes, t.n_nodes, t.sets, t.n_words, err);
    if (st != SCARCE_OK) scarce__fail_prefix(err, "tree %zu: ", forest->n_trees);
    free_lists(&t);
    return st;
}

/* link, and how base_score becomes a margin (as XGBoost does it: in float) */
static scarce_status set_objective(scarce__imported *out, const char *name, double base_score,
                                   scarce_error *err)
{
    static const char *const logistic[] = {"binary:logistic", "reg:logistic", "binary:logitraw"};
    static const char *const exponent[] = {"count:poisson", "reg:gamma", "reg:tweedie"};
    static const char *const identity[] = {
        "reg:squarederror",  "reg:linear",        "reg:squaredlogerror", "reg:pseudohubererror",
        "reg:absoluteerror", "reg:quantileerror", "binary:hinge",        "rank:pairwise",
        "rank:ndcg",         "rank:map"};
    const float p = (float)base_score;

    out->forest.base = (double)p;
    for (size_t i = 0; i < sizeof logistic / sizeof logistic[0]; ++i)
        if (strcmp(name, logistic[i]) == 0) {
            if (!(p > 0 && p < 1))
                return scarce__fail(err, SCARCE_EPARSE, "base_score %g for %s", base_score, name);
            out->link = i < 2 ? SCARCE__LINK_LOGISTIC : SCARCE__LINK_IDENTITY;
            out->forest.base = (double)(float)-scarce__ln((double)(1.0f / p - 1.0f));
            return SCARCE_OK;
        }
    for (size_t i = 0; i < sizeof exponent / sizeof exponent[0]; ++i)
        if (strcmp(name, exponent[i]) == 0) {
            if (!(p > 0)) return scarce__fail(err, SCARCE_EPARSE, "base_score %g for %s", base_score, name);
            out->link = SCARCE__LINK_EXP;
            out->forest.base = (double)(float)scarce__ln((double)p);
            return SCARCE_OK;
        }
    for (size_t i = 0; i < sizeof identity / sizeof identity[0]; ++i)
        if (strcmp(name, identity[i]) == 0) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EUNSUPPORTED, "xgboost objective \"%s\" can't be imported", name);
}

static scarce_status read_learner(scarce__imported *out, json learner, size_t n_bytes, scarce_error *err)
{
    json params = scarce__json_get_type(learner, "learner_model_param", SCARCE__JSON_OBJECT);
    json names = scarce__json_get_type(learner, "feature_names", SCARCE__JSON_ARRAY), v;
    const char *objective = scarce__json_get_string(scarce__json_get(learner, "objective"), "name", NULL);
    double features = 0, classes = 0, targets = 1, base = 0.5;

    if (!params || !objective) return no(err, "learner_model_param or objective");
    /* a feature nobody names nor splits takes no bytes in the file, but nobody has more than this either */
    if (!parameter(params, "num_feature", &features) || !whole(features, 0, (double)n_bytes + 1e6))
        return no(err, "num_feature");
    if (parameter(params, "num_class", &classes) && classes > 1)
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "an xgboost model of %g classes", classes);
    if (parameter(params, "num_target", &targets) && targets > 1)
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "an xgboost model of %g targets", targets);
    if (!parameter(params, "base_score", &base)) return no(err, "base_score");
    SCARCE__TRY(set_objective(out, objective, base, err));
    out->objective = scarce__strdup(objective);
    out->names = scarce__calloc((size_t)features, sizeof *out->names);
    if (!out->objective || !out->names) return scarce__fail_memory(err, "feature names", 0);
    out->forest.n_features = (size_t)features;
    if (names && names->count != 0 && names->count != out->forest.n_features) return no(err, "feature_names");
    v = names ? scarce__json_first(names) : NULL;
    for (size_t f = 0; names && f < names->count; ++f, v = scarce__json_next(v)) {
        if (v->type != SCARCE__JSON_STRING) return no(err, "feature_names");
        out->names[f] = scarce__strdup(v->as.string);
        if (!out->names[f]) return scarce__fail_memory(err, "feature names", 0);
    }
    return scarce__import_names(out, err);
}

static scarce_status read_trees(scarce__imported *out, json booster, size_t n_bytes, scarce_error *err)
{
    const size_t most_words = (SETS_BYTES + SETS_TIMES * n_bytes) / sizeof *out->forest.sets;
    const char *name = scarce__json_get_string(booster, "name", "");
    json weights = NULL, model, trees, tree, weight = NULL;

    if (strcmp(name, "dart") == 0) {
        weights = scarce__json_get_type(booster, "weight_drop", SCARCE__JSON_ARRAY);
        booster = scarce__json_get(booster, "gbtree");
        if (!weights) return no(err, "weight_drop");
        weight = scarce__json_first(weights);
    } else if (strcmp(name, "gbtree") != 0) {
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "xgboost booster \"%s\" (only gbtree and dart have trees)", name);
    }
    model = scarce__json_get(booster, "model");
    trees = scarce__json_get_type(model, "trees", SCARCE__JSON_ARRAY);
    if (!trees) return no(err, "trees");
    if (weights && weights->count != trees->count) return no(err, "weight_drop");
    tree = scarce__json_first(trees);
    for (uint32_t t = 0; t < trees->count; ++t, tree = scarce__json_next(tree)) {
        double w = 1;
        if (weights) {
            if (weight->type != SCARCE__JSON_NUMBER) return no(err, "weight_drop");
            w = weight->as.number;
            weight = scarce__json_next(weight);
        }
        if (tree->type != SCARCE__JSON_OBJECT) return no(err, "trees");
        SCARCE__TRY(add_tree(&out->forest, tree, w, most_words, err));
    }
    return SCARCE_OK;
}

/* In UBJ the bracket is followed by a marker, in JSON by blanks, a quote, or its partner. */
static int is_ubj(const char *bytes, size_t n)
{
    return n >= 2 && bytes[0] == '{' && strchr("iUIlL$#N", bytes[1]) != NULL && bytes[1] != '\0';
}

scarce_status scarce__import_xgboost(scarce__imported *out, const char *bytes, size_t n, scarce_error *err)
{
    const int flags = is_ubj(bytes, n) ? SCARCE__JSON_UBJ : SCARCE__JSON_NONFINITE;
    scarce__json *document = NULL;
    scarce_status st;
    json learner;

    memset(out, 0, sizeof *out);
    out->slope = 1;
    st = scarce__json_read(&document, bytes, n, flags, err);
    if (st != SCARCE_OK) return st;
    learner = scarce__json_get_type(scarce__json_root(document), "learner", SCARCE__JSON_OBJECT);
    st = learner ? read_learner(out, learner, n, err) : no(err, "learner");
    if (st == SCARCE_OK) st = read_trees(out, scarce__json_get(learner, "gradient_booster"), n, err);
    if (st == SCARCE_OK) st = scarce__forest_check(&out->forest, err);
    if (st != SCARCE_OK) scarce__imported_deinit(out);
    scarce__json_free(document);
    return st;
}
