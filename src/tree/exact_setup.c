/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of an exact grower: dense copies of the rows asked for, numbers sorted once. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "data/table.h"
#include "eval/rank.h"
#include "tree/exact_inside.h"

/* ---- Columns */

/* Sparse columns become dense: value 0 where nothing is listed. `at` is per table row and cleared again. */
static void dense_values(float *x, const scarce__sparse *s, const uint32_t *rows, size_t n, float *at)
{
    for (size_t i = 0; i < s->count; ++i) at[s->row[i]] = s->value[i];
    for (size_t k = 0; k < n; ++k) x[k] = at[rows ? rows[k] : k];
    for (size_t i = 0; i < s->count; ++i) at[s->row[i]] = 0;
}

static int load_numbers(scarce__exact_feature *f, const scarce_table *table, const uint32_t *rows, size_t n,
                        float *at)
{
    const scarce__column *column = &table->columns[f->feature];
    f->x = scarce__malloc_array(n, sizeof *f->x);
    f->sorted = scarce__malloc_array(n, sizeof *f->sorted);
    f->list = scarce__malloc_array(n, sizeof *f->list);
    if (!f->x || !f->sorted || !f->list) return 0;
    if (table->schema.features[f->feature].kind == SCARCE_COLUMN_SPARSE)
        dense_values(f->x, &column->sparse, rows, n, at);
    else
        for (size_t k = 0; k < n; ++k) f->x[k] = column->number[rows ? rows[k] : k];
    return 1;
}

static int load_codes(scarce__exact_feature *f, const scarce_table *table, const uint32_t *rows, size_t n)
{
    const int32_t *code = table->columns[f->feature].code;
    f->category = 1;
    f->n_categories = (uint32_t)table->schema.features[f->feature].categories.count;
    f->code = scarce__malloc_array(n, sizeof *f->code);
    if (!f->code) return 0;
    for (size_t k = 0; k < n; ++k) {
        const int32_t c = code[rows ? rows[k] : k];
        f->code[k] = c < 0 ? 0 : (uint32_t)c < f->n_categories ? 1 + (uint32_t)c : 1 + f->n_categories;
    }
    return 1;
}

static void free_feature(scarce__exact_feature *f)
{
    scarce__free(f->x);
    scarce__free(f->code);
    scarce__free(f->sorted);
    scarce__free(f->list);
    memset(f, 0, sizeof *f);
}

static int is_constant(const scarce__exact_feature *f, size_t n)
{
    for (size_t k = 1; k < n; ++k) {
        if (f->category ? f->code[k] != f->code[0]
                        : !(f->x[k] == f->x[0] || (f->x[k] != f->x[k] && f->x[0] != f->x[0])))
            return 0;
    }
    return 1;
}

/* ---- Sorting */

typedef struct sort_job {
    scarce__exact *w;
    uint64_t **keys, **tmp;
    uint32_t **counts;
} sort_job;

static void sort_feature(void *arg, size_t index, int worker)
{
    const sort_job *j = arg;
    const scarce__exact *w = j->w;
    scarce__exact_feature *f = &w->used[index];
    uint64_t *keys = j->keys[worker];
    size_t m = 0, missing = 0;

    if (f->category) return;
    for (size_t k = 0; k < w->n; ++k)
        if (f->x[k] == f->x[k]) keys[m++] = (uint64_t)scarce__float_key(f->x[k]) << 32 | k;
    scarce__sort_keys(keys, j->tmp[worker], m, j->counts[worker], NULL);
    for (size_t k = 0; k < m; ++k) f->sorted[k] = (uint32_t)keys[k];
    for (size_t k = 0; k < w->n; ++k)
        if (f->x[k] != f->x[k]) f->sorted[m + missing++] = (uint32_t)k;
}

static scarce_status sort_features(scarce__exact *w, scarce_context *ctx, scarce_error *err)
{
    const size_t threads = (size_t)scarce_context_threads(ctx);
    sort_job j = {.w = w,
                  .keys = scarce__calloc(threads, sizeof *j.keys),
                  .tmp = scarce__calloc(threads, sizeof *j.tmp),
                  .counts = scarce__calloc(threads, sizeof *j.counts)};
    int good = j.keys && j.tmp && j.counts;

    for (size_t t = 0; good && t < threads; ++t) {
        j.keys[t] = scarce__malloc_array(w->n, sizeof **j.keys);
        j.tmp[t] = scarce__malloc_array(w->n, sizeof **j.tmp);
        j.counts[t] = scarce__malloc_array(scarce__sort_counts(NULL, w->n), sizeof **j.counts);
        good = j.keys[t] && j.tmp[t] && j.counts[t];
    }
    if (good) scarce__pool_run(scarce__context_pool(ctx), w->n_used, sort_feature, &j);
    for (size_t t = 0; t < threads; ++t) {
        if (j.keys) scarce__free(j.keys[t]);
        if (j.tmp) scarce__free(j.tmp[t]);
        if (j.counts) scarce__free(j.counts[t]);
    }
    scarce__free(j.keys);
    scarce__free(j.tmp);
    scarce__free(j.counts);
    return good ? SCARCE_OK : scarce__fail_memory(err, "sorting the columns", threads * w->n * 16);
}

/* ---- The whole */

static scarce_status check(const scarce__grow_options *o, size_t n, scarce_error *err)
{
    if (o->monotone || o->n_groups > 0)
        return scarce__fail(err, SCARCE_EINVAL, "exact trees know no %s",
                            o->monotone ? "monotone constraints" : "groups of features");
    if (o->rules.random) return scarce__fail(err, SCARCE_EINVAL, "exact trees know no random thresholds");
    if (o->max_leaves < 0 || o->max_leaves == 1 || o->max_depth < 0)
        return scarce__fail(err, SCARCE_EINVAL,
                            "max_leaves is %d, allowed are 2 and more, or 0: no limit; max_depth is %d",
                            o->max_leaves, o->max_depth);
    if (n == 0) return scarce__fail(err, SCARCE_EDATA, "there are no rows to grow trees on");
    if (n >= (size_t)1 << 30)
        return scarce__fail(err, SCARCE_EINVAL, "%zu rows are too many for one tree, 2^30 - 1 at most", n);
    return SCARCE_OK;
}

static scarce_status load_features(scarce__exact *w, const scarce_table *table, const uint32_t *rows,
                                   scarce_error *err)
{
    const size_t n_features = table->schema.n_features;
    float *at = scarce__calloc(table->n_rows, sizeof *at);

    w->used = scarce__calloc(n_features, sizeof *w->used);
    int good = at && w->used;
    for (size_t i = 0; good && i < n_features; ++i) {
        scarce__exact_feature *f = &w->used[w->n_used];
        f->feature = (uint32_t)i;
        const int category = table->schema.features[i].kind == SCARCE_COLUMN_CATEGORY;
        good = category ? load_codes(f, table, rows, w->n) : load_numbers(f, table, rows, w->n, at);
        if (good && is_constant(f, w->n)) free_feature(f);
        else w->n_used += 1;
        if (f->category && f->n_categories + 2 > w->most_codes) w->most_codes = f->n_categories + 2;
    }
    scarce__free(at);
    return good ? SCARCE_OK : scarce__fail_memory(err, "the columns of exact trees", 0);
}

static int alloc_rows(scarce__exact *w)
{
    const scarce__grow_options *o = &w->options;
    w->data = scarce__malloc_array(w->n, sizeof *w->data);
    w->row = scarce__malloc_array(w->n, sizeof *w->row);
    w->side = scarce__calloc(w->n, 1);
    w->leaf_of = scarce__calloc(w->n, sizeof *w->leaf_of);
    w->found = scarce__malloc_array(2 * w->n_used, sizeof *w->found);
    if (!w->data || !w->row || !w->side || !w->leaf_of || !w->found) return 0;
    if (o->colsample_tree < 1 || o->colsample_node < 1) {
        w->tree_mask = scarce__malloc(w->n_used);
        w->mask[0] = scarce__malloc(w->n_used);
        w->mask[1] = scarce__malloc(w->n_used);
        w->order = scarce__malloc_array(w->n_used, sizeof *w->order);
        if (!w->tree_mask || !w->mask[0] || !w->mask[1] || !w->order) return 0;
    }
    return scarce__exact_reserve_leaves(w, 64);
}

scarce_status scarce__exact_new(scarce__exact **out, const scarce_table *table, const uint32_t *rows,
                                size_t n, const scarce__grow_options *options, scarce_context *ctx,
                                scarce_error *err)
{
    *out = NULL;
    if (!rows) n = table->n_rows;
    SCARCE__TRY(check(options, n, err));
    scarce__exact *w = scarce__calloc(1, sizeof *w);
    if (!w) return scarce__fail_memory(err, "growing trees", 0);
    w->options = *options;
    w->criterion = scarce__criterion_of(&options->rules);
    w->n = n;
    scarce_status status = load_features(w, table, rows, err);
    if (status == SCARCE_OK) status = sort_features(w, ctx, err);
    if (status == SCARCE_OK && !alloc_rows(w)) status = scarce__fail_memory(err, "growing trees", 0);
    if (status == SCARCE_OK) status = scarce__exact_workers(w, scarce_context_threads(ctx), err);
    if (status == SCARCE_OK) *out = w;
    else scarce__exact_free(w);
    return status;
}

int scarce__exact_reserve_leaves(scarce__exact *w, size_t n)
{
    if (n <= w->leaves_capacity) return 1;
    scarce__exact_leaf *leaves = scarce__realloc_array(w->leaves, n, sizeof *leaves);
    if (!leaves) return 0;
    w->leaves = leaves;
    scarce__heap_item *items = scarce__realloc_array(w->next.items, n, sizeof *items);
    if (!items) return 0;
    w->next.items = items;
    w->leaves_capacity = n;
    return 1;
}

static void free_scratch(scarce__exact_scratch *s)
{
    scarce__free(s->cells);
    scarce__free(s->rank);
    scarce__free(s->root);
    scarce__free(s->penalty);
    scarce__free(s->spare);
}

scarce_status scarce__exact_workers(scarce__exact *w, int threads, scarce_error *err)
{
    const size_t n = (size_t)threads;
    if (n <= w->n_scratch) return SCARCE_OK;
    scarce__exact_scratch *all = scarce__realloc_array(w->scratch, n, sizeof *all);
    if (!all) return scarce__fail_memory(err, "growing trees", n * sizeof *all);
    w->scratch = all;
    for (; w->n_scratch < n; ++w->n_scratch) {
        scarce__exact_scratch *s = &all[w->n_scratch];
        s->cells = scarce__calloc(w->most_codes, sizeof *s->cells);
        s->rank = scarce__malloc_array(w->most_codes, sizeof *s->rank);
        s->root = scarce__malloc_array(w->most_codes, sizeof *s->root);
        s->penalty = scarce__malloc_array(w->most_codes, sizeof *s->penalty);
        s->spare = scarce__malloc_array(w->n, sizeof *s->spare);
        if (!s->cells || !s->rank || !s->root || !s->penalty || !s->spare) {
            free_scratch(s);
            return scarce__fail_memory(err, "growing trees", w->n * sizeof *s->spare);
        }
    }
    return SCARCE_OK;
}

void scarce__exact_free(scarce__exact *w)
{
    if (!w) return;
    for (size_t i = 0; w->used && i < w->n_used; ++i) free_feature(&w->used[i]);
    scarce__free(w->used);
    for (size_t t = 0; t < w->n_scratch; ++t) free_scratch(&w->scratch[t]);
    scarce__free(w->scratch);
    scarce__free(w->data);
    scarce__free(w->row);
    scarce__free(w->side);
    scarce__free(w->leaf_of);
    scarce__free(w->tree_mask);
    scarce__free(w->mask[0]);
    scarce__free(w->mask[1]);
    scarce__free(w->order);
    scarce__free(w->found);
    scarce__free(w->leaves);
    scarce__free(w->next.items);
    scarce__free(w);
}

size_t scarce__exact_bytes(size_t n_features, size_t n, int threads)
{
    return n * (12 * n_features + 20 * (size_t)threads + sizeof(scarce__exact_row) + 9);
}
