/* SPDX-License-Identifier: Apache-2.0 */
/* What the importers share. */
#include "tree/import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/table.h"

void scarce__imported_deinit(scarce__imported *model)
{
    if (model->names)
        for (size_t f = 0; f < model->forest.n_features; ++f) scarce__free(model->names[f]);
    scarce__free(model->names);
    scarce__free(model->objective);
    scarce__forest_deinit(&model->forest);
    memset(model, 0, sizeof *model);
}

float scarce__float_below(double x)
{
    float f = (float)x;
    if ((double)f > x) f = nextafterf(f, -INFINITY);
    return f;
}

static const char *name_of(const void *names, size_t f)
{
    return ((char *const *)names)[f];
}

scarce_status scarce__import_names(scarce__imported *model, scarce_error *err)
{
    for (size_t f = 0; f < model->forest.n_features; ++f) {
        char text[32];
        if (model->names[f]) continue;
        (void)snprintf(text, sizeof text, "f%zu", f);
        model->names[f] = scarce__strdup(text);
        if (!model->names[f]) return scarce__fail_memory(err, "feature names", 0);
    }
    return scarce__check_names(model->forest.n_features, name_of, model->names, SCARCE_EPARSE, err);
}

/* order[k] = the file's number of our node k, breadth first: a parent is numbered before its children. */
static scarce_status renumber(const scarce__node *nodes, size_t n, uint32_t *order, uint32_t *number,
                              size_t tree, scarce_error *err)
{
    size_t done = 0, known = 1;

    memset(number, 255, n * sizeof *number);
    order[0] = 0;
    number[0] = 0;
    for (; done < known; ++done) {
        const scarce__node *node = nodes + order[done];
        if (node->feature < 0) continue;
        for (int side = 0; side < 2; ++side) {
            const int32_t kid = side ? node->right : node->left;
            if (kid < 0 || (size_t)kid >= n || number[kid] != UINT32_MAX)
                return scarce__fail(err, SCARCE_EPARSE, "tree %zu: node %u has a wrong child %d", tree,
                                    order[done], (int)kid);
            number[kid] = (uint32_t)known;
            order[known++] = (uint32_t)kid;
        }
    }
    return SCARCE_OK;
}

scarce_status scarce__import_tree(scarce__forest *forest, const scarce__node *nodes, size_t n_nodes,
                                  const uint32_t *sets, size_t n_set_words, scarce_error *err)
{
    uint32_t *order, *number;
    scarce__node *ordered;
    scarce_status st = SCARCE_ENOMEM;
    size_t n = 0;

    if (n_nodes == 0 || n_nodes > INT32_MAX)
        return scarce__fail(err, SCARCE_EPARSE, "tree %zu has %zu nodes", forest->n_trees, n_nodes);
    order = scarce__malloc_array(n_nodes, sizeof *order);
    number = scarce__malloc_array(n_nodes, sizeof *number);
    ordered = scarce__malloc_array(n_nodes, sizeof *ordered);
    if (!order || !number || !ordered) {
        (void)scarce__fail_memory(err, "a tree", n_nodes * sizeof *ordered);
        goto done;
    }
    st = renumber(nodes, n_nodes, order, number, forest->n_trees, err);
    if (st != SCARCE_OK) goto done;
    for (size_t i = 0; i < n_nodes; ++i) { /* deleted nodes (XGBoost's pruning leaves them) are not reached */
        if (number[i] == UINT32_MAX) continue;
        ordered[number[i]] = nodes[i];
        if (nodes[i].feature < 0) {
            ordered[number[i]].left = ordered[number[i]].right = 0;
        } else {
            ordered[number[i]].left = (int32_t)number[nodes[i].left];
            ordered[number[i]].right = (int32_t)number[nodes[i].right];
        }
        ++n;
    }
    st = scarce__forest_add(forest, ordered, n, sets, n_set_words, err);
done:
    scarce__free(order);
    scarce__free(number);
    scarce__free(ordered);
    return st;
}

scarce_status scarce__import_any(scarce__imported *out, const char *bytes, size_t n, scarce_error *err)
{
    size_t at = 0;

    while (at < n && (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\r' || bytes[at] == '\t')) ++at;
    if (at < n && bytes[at] == '{') return scarce__import_xgboost(out, bytes, n, err);
    if (n - at >= 4 && memcmp(bytes + at, "tree", 4) == 0) return scarce__import_lightgbm(out, bytes, n, err);
    memset(out, 0, sizeof *out);
    return scarce__fail(
        err, SCARCE_EPARSE,
        "neither an xgboost model (json, ubj) nor a lightgbm model (text); save it with save_model");
}
