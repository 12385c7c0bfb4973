/* SPDX-License-Identifier: Apache-2.0 */
/* LightGBM's text: a header of key=value lines, a block of such lines for each tree, "end of trees".
 *
 * An inner node sends v left when v <= threshold (double). decision_type: bit 0 category, bit 1 default
 * left, bits 2-3 what is missing: 0 nothing (NaN is read as 0), 1 zero (|v| <= 1e-35 and NaN go to the
 * default side), 2 NaN. A child c >= 0 is an inner node, else leaf ~c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"
#include "tree/import.h"

typedef struct span {
    const char *at;
    size_t n;
} span;

enum { ZERO_IS_MISSING = 1, NAN_IS_MISSING = 2 };

/* |v| <= 1e-35 is 0 for LightGBM: its readers of rows drop such values. So a threshold among them puts
 * all of them on the side of 0. */
static const float zero_below = 1e-35f;

/* The keys of a tree that are read. */
enum {
    NUM_LEAVES,
    NUM_CAT,
    SPLIT_FEATURE,
    SPLIT_GAIN,
    THRESHOLD,
    DECISION_TYPE,
    LEFT_CHILD,
    RIGHT_CHILD,
    LEAF_VALUE,
    LEAF_WEIGHT,
    LEAF_COUNT,
    INTERNAL_WEIGHT,
    INTERNAL_COUNT,
    CAT_BOUNDARIES,
    CAT_THRESHOLD,
    IS_LINEAR,
    N_KEYS
};
static const char *const keys[N_KEYS] = {
    "num_leaves",     "num_cat",        "split_feature", "split_gain",  "threshold",  "decision_type",
    "left_child",     "right_child",    "leaf_value",    "leaf_weight", "leaf_count", "internal_weight",
    "internal_count", "cat_boundaries", "cat_threshold", "is_linear",
};

typedef struct lines {
    const char *at, *end;
} lines;

/* The next line without its end; 0 when there is none. */
static int next_line(lines *in, span *line)
{
    const char *newline;

    if (in->at >= in->end) return 0;
    newline = memchr(in->at, '\n', (size_t)(in->end - in->at));
    if (!newline) newline = in->end;
    line->at = in->at;
    line->n = (size_t)(newline - in->at);
    if (line->n && line->at[line->n - 1] == '\r') --line->n;
    in->at = newline < in->end ? newline + 1 : in->end;
    return 1;
}

static int is(span s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.at, text, s.n) == 0;
}

static int starts(span s, const char *text)
{
    const size_t n = strlen(text);
    return s.n >= n && memcmp(s.at, text, n) == 0;
}

static int split_pair(span line, span *key, span *value)
{
    const char *equals = line.n ? memchr(line.at, '=', line.n) : NULL;
    if (!equals) return 0;
    key->at = line.at;
    key->n = (size_t)(equals - line.at);
    value->at = equals + 1;
    value->n = line.n - key->n - 1;
    return 1;
}

static int next_word(span *rest, span *word)
{
    while (rest->n && (*rest->at == ' ' || *rest->at == '\t')) ++rest->at, --rest->n;
    if (!rest->n) return 0;
    word->at = rest->at;
    while (rest->n && *rest->at != ' ' && *rest->at != '\t') ++rest->at, --rest->n;
    word->n = (size_t)(rest->at - word->at);
    return 1;
}

/* A number; "nan" is NaN. 0 when it is none. */
static int to_number(span word, double *value)
{
    if (is(word, "nan") || is(word, "-nan")) {
        *value = (double)NAN;
        return 1;
    }
    return scarce__parse_double(word.at, word.n, value) != 0;
}

static int to_count(span word, size_t most, size_t *value)
{
    double v;
    if (!to_number(word, &v) || !(v >= 0) || v > (double)most || v != floor(v)) return 0;
    *value = (size_t)v;
    return 1;
}

/* All n numbers of a list; a list that isn't there is zeros when `optional`. */
static scarce_status to_array(const span *spans, int key, size_t n, int optional, double **out,
                              scarce_error *err)
{
    span rest = spans[key], word;
    double *a = scarce__calloc(n, sizeof *a);

    *out = a;
    if (!a) return scarce__fail_memory(err, "a lightgbm tree", n * sizeof *a);
    if (!rest.at && optional) return SCARCE_OK;
    for (size_t i = 0; i < n; ++i)
        if (!next_word(&rest, &word) || !to_number(word, a + i))
            return scarce__fail(err, SCARCE_EPARSE, "%s has not %zu numbers", keys[key], n);
    if (next_word(&rest, &word))
        return scarce__fail(err, SCARCE_EPARSE, "%s has more than %zu numbers", keys[key], n);
    return SCARCE_OK;
}

typedef struct tree_arrays {
    double *list[N_KEYS];
    size_t n_leaves, n_cat, n_words;
    uint32_t *sets;
    scarce__node *nodes;
} tree_arrays;

static void free_arrays(tree_arrays *a)
{
    for (int k = 0; k < N_KEYS; ++k) scarce__free(a->list[k]);
    scarce__free(a->sets);
    scarce__free(a->nodes);
}

/* The float threshold when the zeros go left or right, whatever the threshold says about 0. */
static float float_threshold(double threshold, int zeros_left)
{
    const double zero = (double)zero_below;

    if (threshold >= -zero && threshold < zero)
        return zeros_left ? zero_below : nextafterf(-zero_below, -INFINITY);
    return scarce__float_below(threshold);
}

/* zero_as_missing sends the zeros to the default side. Where this and the threshold can be said as one
 * threshold that is done. */
static scarce_status check_zero(double threshold, int left, scarce_error *err)
{
    const double zero = (double)zero_below;

    if ((threshold >= -zero && threshold < zero) || left == (threshold >= zero)) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EUNSUPPORTED,
                        "trained with zero_as_missing, and zero goes to the other side than its neighbours "
                        "(threshold %g); train with zero_as_missing=false",
                        threshold);
}

static scarce_status set_category(scarce__node *node, const tree_arrays *a, size_t i, scarce_error *err)
{
    const double at = a->list[THRESHOLD][i];
    double begin, end;

    if (!(at >= 0) || at >= (double)a->n_cat || at != floor(at))
        return scarce__fail(err, SCARCE_EPARSE, "node %zu names category set %g of %zu", i, at, a->n_cat);
    begin = a->list[CAT_BOUNDARIES][(size_t)at];
    end = a->list[CAT_BOUNDARIES][(size_t)at + 1];
    if (!(begin >= 0) || !(end >= begin) || !(end <= (double)a->n_words) || begin != floor(begin) ||
        end != floor(end))
        return scarce__fail(err, SCARCE_EPARSE, "cat_boundaries of set %g are out of range", at);
    node->flags = SCARCE__CATEGORY; /* missing and unknown categories go right */
    node->set = (uint32_t)begin;
    node->set_words = (uint32_t)(end - begin);
    return SCARCE_OK;
}

static scarce_status set_inner(scarce__node *node, const tree_arrays *a, size_t i, size_t n_features,
                               scarce_error *err)
{
    const double feature = a->list[SPLIT_FEATURE][i], threshold = a->list[THRESHOLD][i];
    const double type = a->list[DECISION_TYPE][i], limit = (double)a->n_leaves;
    const double kid[2] = {a->list[LEFT_CHILD][i], a->list[RIGHT_CHILD][i]};
    int32_t child[2];
    int bits, left;

    if (!(feature >= 0) || feature >= (double)n_features || feature != floor(feature))
        return scarce__fail(err, SCARCE_EPARSE, "node %zu splits feature %g of %zu", i, feature, n_features);
    if (!(type >= 0) || type > 15 || type != floor(type))
        return scarce__fail(err, SCARCE_EPARSE, "node %zu has decision_type %g", i, type);
    for (int side = 0; side < 2; ++side) { /* inner nodes come first, then leaves */
        if (!(kid[side] >= -limit) || kid[side] >= limit - 1 || kid[side] != floor(kid[side]))
            return scarce__fail(err, SCARCE_EPARSE, "node %zu has child %g", i, kid[side]);
        child[side] = kid[side] >= 0 ? (int32_t)kid[side] : (int32_t)(limit - 1) + (-1 - (int32_t)kid[side]);
    }
    node->feature = (int32_t)feature;
    node->left = child[0];
    node->right = child[1];
    node->gain = (float)a->list[SPLIT_GAIN][i];
    node->cover = (float)a->list[INTERNAL_WEIGHT][i];
    node->rows = a->list[INTERNAL_COUNT][i] > 0 ? (uint32_t)fmin(a->list[INTERNAL_COUNT][i], 4e9) : 0;
    bits = (int)type;
    if (bits & 1) return set_category(node, a, i, err);
    if (isnan(threshold))
        return scarce__fail(err, SCARCE_EPARSE, "node %zu has a threshold that is not a number", i);
    left = bits >> 1 & 1;
    node->value = float_threshold(threshold, bits >> 2 == ZERO_IS_MISSING ? left : 0 <= threshold);
    if (bits >> 2 == ZERO_IS_MISSING) SCARCE__TRY(check_zero(threshold, left, err));
    else if (bits >> 2 != NAN_IS_MISSING) left = 0 <= threshold; /* NaN is read as 0 */
    node->flags = left ? SCARCE__MISSING_LEFT : 0;
    return SCARCE_OK;
}

static scarce_status read_arrays(tree_arrays *a, const span *spans, size_t most, scarce_error *err)
{
    static const struct {
        int key, leaf, optional;
    } wanted[] = {
        {SPLIT_FEATURE, 0, 0}, {SPLIT_GAIN, 0, 1},      {THRESHOLD, 0, 0},      {DECISION_TYPE, 0, 0},
        {LEFT_CHILD, 0, 0},    {RIGHT_CHILD, 0, 0},     {LEAF_VALUE, 1, 0},     {LEAF_WEIGHT, 1, 1},
        {LEAF_COUNT, 1, 1},    {INTERNAL_WEIGHT, 0, 1}, {INTERNAL_COUNT, 0, 1},
    };
    span rest, word;

    if (!spans[NUM_LEAVES].at || !to_count(spans[NUM_LEAVES], most, &a->n_leaves) || a->n_leaves == 0)
        return scarce__fail(err, SCARCE_EPARSE, "num_leaves is missing or wrong");
    if (spans[IS_LINEAR].at && !is(spans[IS_LINEAR], "0"))
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "linear trees can't be imported; train with linear_tree=false");
    if (spans[NUM_CAT].at && !to_count(spans[NUM_CAT], most, &a->n_cat))
        return scarce__fail(err, SCARCE_EPARSE, "num_cat is wrong");
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        /* a tree of one leaf has the other lists as one empty line, and some releases no counts there */
        const int one_leaf = a->n_leaves == 1 && wanted[i].key != LEAF_VALUE;
        const size_t n = one_leaf ? 0 : wanted[i].leaf ? a->n_leaves : a->n_leaves - 1;
        span empty[N_KEYS] = {{NULL, 0}};
        SCARCE__TRY(to_array(one_leaf ? empty : spans, wanted[i].key, n, one_leaf || wanted[i].optional,
                             &a->list[wanted[i].key], err));
    }
    if (a->n_cat == 0) return SCARCE_OK;
    SCARCE__TRY(to_array(spans, CAT_BOUNDARIES, a->n_cat + 1, 0, &a->list[CAT_BOUNDARIES], err));
    for (rest = spans[CAT_THRESHOLD]; next_word(&rest, &word);) ++a->n_words;
    SCARCE__TRY(to_array(spans, CAT_THRESHOLD, a->n_words, 0, &a->list[CAT_THRESHOLD], err));
    for (size_t i = 0; i < a->n_cat; ++i) /* sets that overlap would be written out again and again */
        if (!(a->list[CAT_BOUNDARIES][i + 1] >= a->list[CAT_BOUNDARIES][i]))
            return scarce__fail(err, SCARCE_EPARSE, "cat_boundaries don't ascend at set %zu", i);
    return SCARCE_OK;
}

static scarce_status add_tree(scarce__forest *forest, const span *spans, size_t most, scarce_error *err)
{
    tree_arrays a;
    scarce_status st;
    size_t n_inner;

    memset(&a, 0, sizeof a);
    st = read_arrays(&a, spans, most, err);
    if (st != SCARCE_OK) goto done;
    n_inner = a.n_leaves - 1;
    a.nodes = scarce__calloc(n_inner + a.n_leaves, sizeof *a.nodes);
    a.sets = scarce__malloc_array(a.n_words, sizeof *a.sets);
    if (!a.nodes || !a.sets) {
        st = scarce__fail_memory(err, "a lightgbm tree", 0);
        goto done;
    }
    for (size_t i = 0; i < a.n_words; ++i) {
        const double word = a.list[CAT_THRESHOLD][i];
        a.sets[i] = word >= 0 && word <= 4294967295.0 ? (uint32_t)word : 0;
    }
    for (size_t i = 0; i < n_inner && st == SCARCE_OK; ++i)
        st = set_inner(a.nodes + i, &a, i, forest->n_features, err);
    for (size_t i = 0; i < a.n_leaves; ++i) {
        scarce__node *leaf = a.nodes + n_inner + i;
        leaf->feature = -1;
        leaf->value = (float)a.list[LEAF_VALUE][i];
        if (a.n_leaves == 1) break; /* no weights and counts there */
        leaf->cover = (float)a.list[LEAF_WEIGHT][i];
        leaf->rows = a.list[LEAF_COUNT][i] > 0 ? (uint32_t)fmin(a.list[LEAF_COUNT][i], 4e9) : 0;
    }
    if (st == SCARCE_OK)
        st = scarce__import_tree(forest, a.nodes, n_inner + a.n_leaves, a.sets, a.n_words, err);
done:
    if (st != SCARCE_OK) scarce__fail_prefix(err, "lightgbm tree %zu: ", forest->n_trees);
    free_arrays(&a);
    return st;
}

static scarce_status set_objective(scarce__imported *out, span value, scarce_error *err)
{
    static const char *const identity[] = {"regression", "huber",      "fair",        "quantile",
                                           "mape",       "lambdarank", "rank_xendcg", "custom"};
    static const char *const exponent[] = {"poisson", "gamma", "tweedie"};
    span rest = value, word, first;

    scarce__free(out->objective);
    out->objective = scarce__strndup(value.at, value.n);
    if (!out->objective) return scarce__fail_memory(err, "the objective", value.n);
    if (!next_word(&rest, &first)) return SCARCE_OK;
    if (is(first, "binary") || is(first, "cross_entropy")) {
        out->link = SCARCE__LINK_LOGISTIC;
        while (next_word(&rest, &word)) {
            span number = {word.at + 8, word.n > 8 ? word.n - 8 : 0};
            if (!starts(word, "sigmoid:")) continue;
            if (!to_number(number, &out->slope) || !(out->slope > 0) || isinf(out->slope))
                return scarce__fail(err, SCARCE_EPARSE, "objective has a wrong sigmoid: \"%s\"",
                                    out->objective);
        }
        return SCARCE_OK;
    }
    for (size_t i = 0; i < sizeof exponent / sizeof exponent[0]; ++i)
        if (is(first, exponent[i])) {
            out->link = SCARCE__LINK_EXP;
            return SCARCE_OK;
        }
    while (next_word(&rest, &word))
        if (is(word, "sqrt"))
            return scarce__fail(err, SCARCE_EUNSUPPORTED, "objective \"%s\"", out->objective);
    for (size_t i = 0; i < sizeof identity / sizeof identity[0]; ++i)
        if (starts(first, identity[i])) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EUNSUPPORTED, "objective \"%s\" can't be imported", out->objective);
}

static scarce_status set_names(scarce__imported *out, span value, scarce_error *err)
{
    span word;

    for (size_t f = 0; f < out->forest.n_features; ++f) {
        if (!next_word(&value, &word)) break;
        out->names[f] = scarce__strndup(word.at, word.n);
        if (!out->names[f]) return scarce__fail_memory(err, "feature names", 0);
    }
    return scarce__import_names(out, err);
}

/* The header, up to and with the first "Tree=" line. *average: a random forest. */
static scarce_status read_header(scarce__imported *out, lines *in, int *average, int *tree_found,
                                 scarce_error *err)
{
    const size_t most = (size_t)(in->end - in->at);
    span line, key, value, names = {NULL, 0};
    size_t count = 0, features = 0;
    int known = 0;

    *tree_found = *average = 0;
    if (!next_line(in, &line) || !is(line, "tree"))
        return scarce__fail(err, SCARCE_EPARSE, "not a lightgbm model: the first line is not \"tree\"");
    while (!*tree_found && next_line(in, &line)) {
        if (is(line, "average_output")) *average = 1;
        if (is(line, "end of trees")) break;
        if (!split_pair(line, &key, &value)) continue;
        if (is(key, "Tree")) *tree_found = 1;
        if (is(key, "feature_names")) names = value;
        if (is(key, "objective")) SCARCE__TRY(set_objective(out, value, err));
        if (is(key, "max_feature_idx")) {
            known = to_count(value, most, &features);
            if (!known) return scarce__fail(err, SCARCE_EPARSE, "max_feature_idx is wrong");
        }
        if (is(key, "num_tree_per_iteration") && (!to_count(value, most, &count) || count != 1))
            return scarce__fail(err, SCARCE_EUNSUPPORTED,
                                "a model with several trees per iteration (multiclass)");
    }
    if (!known) return scarce__fail(err, SCARCE_EPARSE, "max_feature_idx is missing");
    out->forest.n_features = 0; /* names belong to it, so both are set together */
    out->names = scarce__calloc(features + 1, sizeof *out->names);
    if (!out->names) return scarce__fail_memory(err, "feature names", 0);
    out->forest.n_features = features + 1;
    return set_names(out, names, err);
}

static scarce_status read_model(scarce__imported *out, const char *bytes, size_t n, scarce_error *err)
{
    lines in = {bytes, bytes + n};
    span line, key, value, spans[N_KEYS];
    int average, more, last = 0;

    SCARCE__TRY(read_header(out, &in, &average, &more, err));
    while (more && !last) {
        memset(spans, 0, sizeof spans);
        more = 0;
        last = 1;
        while (next_line(&in, &line)) {
            if (is(line, "end of trees")) break;
            if (!split_pair(line, &key, &value)) continue;
            if (is(key, "Tree")) {
                more = 1;
                last = 0;
                break;
            }
            for (int k = 0; k < N_KEYS; ++k)
                if (is(key, keys[k])) spans[k] = value;
        }
        SCARCE__TRY(add_tree(&out->forest, spans, n, err));
    }
    if (average) {
        const size_t n_nodes = out->forest.n_trees ? out->forest.tree_begin[out->forest.n_trees] : 0;
        for (size_t i = 0; i < n_nodes; ++i)
            if (out->forest.nodes[i].feature < 0)
                out->forest.nodes[i].value =
                    (float)((double)out->forest.nodes[i].value / (double)out->forest.n_trees);
    }
    return scarce__forest_check(&out->forest, err);
}

scarce_status scarce__import_lightgbm(scarce__imported *out, const char *bytes, size_t n, scarce_error *err)
{
    scarce_status st;

    memset(out, 0, sizeof *out);
    out->slope = 1;
    st = read_model(out, bytes, n, err);
    if (st == SCARCE_OK && !out->objective) {
        out->objective = scarce__strdup("");
        if (!out->objective) st = scarce__fail_memory(err, "the objective", 0);
    }
    if (st != SCARCE_OK) scarce__imported_deinit(out);
    return st;
}
