/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the bins of a table: columns side by side over the threads, then the bundles.
 *
 * Bundling is exact: a feature joins a bundle only if none of its rows away from zero is taken, so a bundled
 * column loses nothing. Candidates come in falling order of such rows and take the first bundle with room.
 *
 * Quantiles of all rows see nothing of rare positives: of 67,000 payments 123 are above 220, all of them
 * frauds, but the last of 255 bins begins at 195. So a share of the cuts are quantiles of the positives' own
 * values (the average precision of that stream went from .659 to .695 by it: docs/top-of-the-list.md).
 * Columns whose values all have their own bin need none. */
#include "tree/bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "data/table.h"

enum {
    BUNDLE_TRIES = 256,
    POSITIVE_FROM = 10000, /* rows: below, 255 bins are fine enough for the positives too */
    LEAST_POSITIVES = 50,
    LEAST_BINS = 16
};

/* What one task finds out about one feature. */
typedef struct found {
    uint32_t n_bins; /* below 2: not used */
    uint32_t n_missing;
    int zero;      /* bin of the value 0 */
    uint32_t away; /* rows outside that bin */
    float *edge;   /* n_bins - 1 */
    uint8_t *map;  /* category: its bin */
    uint32_t n_categories;
    uint32_t column, first;
    int bundled, failed;
} found;

typedef struct finder {
    const scarce_table *table;
    const uint32_t *rows;
    size_t n;
    const double *weight;
    scarce__bin_options options;
    uint32_t *positive; /* table rows, when cuts are made for them */
    size_t n_positive;
    scarce__positions positions;
    scarce__cutter *cutters;
    float **values; /* per worker: listed values of a sparse column */
    uint32_t **where;
    found *features;
} finder;

scarce_status scarce__positions_of(scarce__positions *out, const scarce_table *table, const uint32_t *rows,
                                   size_t n, scarce_error *err)
{
    memset(out, 0, sizeof *out);
    if (!rows) return SCARCE_OK;
    out->begin = scarce__calloc(table->n_rows + 2, sizeof *out->begin);
    out->where = scarce__malloc_array(n, sizeof *out->where);
    if (!out->begin || !out->where) {
        scarce__positions_deinit(out);
        return scarce__fail_memory(err, "the positions of rows", 0);
    }
    for (size_t k = 0; k < n; ++k) ++out->begin[rows[k] + 2];
    for (size_t r = 0; r < table->n_rows; ++r) out->begin[r + 2] += out->begin[r + 1];
    for (size_t k = 0; k < n; ++k) out->where[out->begin[rows[k] + 1]++] = (uint32_t)k;
    return SCARCE_OK;
}

void scarce__positions_deinit(scarce__positions *p)
{
    scarce__free(p->begin);
    scarce__free(p->where);
    memset(p, 0, sizeof *p);
}

/* The listed values of a sparse column within the rows; at most n. */
static size_t listed(const finder *f, const scarce__sparse *s, float *value, uint32_t *where, double *weight)
{
    size_t m = 0;
    *weight = 0;
    for (size_t i = 0; i < s->count; ++i) {
        const uint32_t r = s->row[i];
        uint32_t b = r, e = r + 1;
        if (f->positions.begin) {
            b = f->positions.begin[r];
            e = f->positions.begin[r + 1];
        }
        for (uint32_t k = b; k < e; ++k) {
            value[m] = s->value[i];
            where[m] = f->positions.begin ? f->positions.where[k] : k;
            *weight += f->weight ? f->weight[r] : 1;
            ++m;
        }
    }
    return m;
}

static int keep_cuts(found *out, const scarce__cuts *cuts)
{
    uint32_t key[SCARCE__MAX_BINS];

    out->n_bins = (uint32_t)cuts->n_bins;
    out->n_missing = (uint32_t)cuts->n_missing;
    if (cuts->n_bins == 1 && cuts->n_missing > 0) { /* present or missing is something to split on */
        out->n_bins = 2;
        out->edge = scarce__malloc(sizeof *out->edge);
        if (!out->edge) return 0;
        out->edge[0] = INFINITY; /* all values; bin 1 stays empty */
        out->zero = 0;
        return 1;
    }
    if (cuts->n_bins < 2) return 1;
    out->edge = scarce__malloc_array(cuts->n_bins - 1, sizeof *out->edge);
    if (!out->edge) return 0;
    memcpy(out->edge, cuts->edge, (cuts->n_bins - 1) * sizeof *out->edge);
    for (size_t i = 0; i + 1 < cuts->n_bins; ++i) key[i] = scarce__float_key(cuts->edge[i]);
    out->zero = (int)scarce__bin_search(key, (unsigned)cuts->n_bins - 1, scarce__float_key(0));
    return 1;
}

static uint32_t rows_away(const found *f, const float *x, const uint32_t *rows, size_t n)
{
    const float low = f->zero > 0 ? f->edge[f->zero - 1] : -INFINITY;
    const float high = (uint32_t)f->zero + 1 < f->n_bins ? f->edge[f->zero] : INFINITY;
    const int open = f->zero == 0;
    uint32_t away = 0;
    for (size_t k = 0; k < n; ++k) {
        const float v = x[rows ? rows[k] : k];
        away += !((v > low || open) && v <= high);
    }
    return away;
}

static int find_categories(finder *f, found *out, size_t feature)
{
    const int32_t *code = f->table->columns[feature].code;
    const size_t n_categories = f->table->schema.features[feature].categories.count;
    uint32_t *count = scarce__calloc(n_categories + 1, sizeof *count), others = 0;
    uint32_t kept[SCARCE__MAX_BINS];
    size_t n_kept = 0, limit;

    out->map = scarce__malloc(n_categories + 1);
    out->n_categories = (uint32_t)n_categories;
    if (!count || !out->map) {
        scarce__free(count);
        return 0;
    }
    for (size_t k = 0; k < f->n; ++k) {
        const int32_t c = code[f->rows ? f->rows[k] : k];
        if (c < 0) ++out->n_missing;
        else ++count[(size_t)c < n_categories ? (size_t)c : n_categories];
    }
    limit = (size_t)f->options.max_bins - 1; /* one bin is for the others */
    /* the most frequent ones; kept is sorted by falling count, then by code */
    for (size_t c = 0; c < n_categories; ++c) {
        if (count[c] == 0 || count[c] < (uint32_t)f->options.min_category_rows) continue;
        if (n_kept == limit && count[c] <= count[kept[n_kept - 1]]) continue;
        size_t j = n_kept < limit ? n_kept++ : n_kept - 1;
        for (; j > 0 && count[kept[j - 1]] < count[c]; --j) kept[j] = kept[j - 1];
        kept[j] = (uint32_t)c;
    }
    memset(out->map, (int)n_kept, n_categories + 1);
    for (size_t j = 0; j < n_kept; ++j) out->map[kept[j]] = (uint8_t)j;
    for (size_t c = 0; c <= n_categories; ++c)
        if (out->map[c] == n_kept) others += count[c];
    out->n_bins = (uint32_t)n_kept + 1;
    if (n_kept + (others > 0) + (out->n_missing > 0) < 2) out->n_bins = 0;
    scarce__free(count);
    return 1;
}

/* The union of both, in order. */
static void merge_cuts(scarce__cuts *cuts, const scarce__cuts *more)
{
    float edge[2 * SCARCE__MAX_BINS] = {0};
    const size_t n = cuts->n_bins - 1, m = more->n_bins > 0 ? more->n_bins - 1 : 0;
    size_t i = 0, j = 0, k = 0;

    while (i < n || j < m) {
        const float v =
            j == m || (i < n && cuts->edge[i] <= more->edge[j]) ? cuts->edge[i++] : more->edge[j++];
        if (k == 0 || v > edge[k - 1]) edge[k++] = v;
    }
    memcpy(cuts->edge, edge, k * sizeof *edge);
    cuts->n_bins = k + 1;
}

static void cut_numbers(const finder *f, scarce__cuts *cuts, scarce__cutter *cutter, const float *x)
{
    const size_t max_bins = (size_t)f->options.max_bins;
    const size_t own = f->n_positive > 0 ? (size_t)(f->options.positive_share * (double)max_bins) : 0;
    scarce__cuts of_positives;

    scarce__cut(cuts, cutter, x, f->rows, f->n, f->weight, 0, max_bins - own);
    if (own == 0 || cuts->n_distinct <= max_bins - own) return;
    if (cuts->n_distinct <= max_bins) {
        scarce__cut(cuts, cutter, x, f->rows, f->n, f->weight, 0, max_bins);
        return;
    }
    scarce__cut(&of_positives, cutter, x, f->positive, f->n_positive, f->weight, 0, own + 1);
    merge_cuts(cuts, &of_positives);
}

/* The positive rows, if cuts are to be made for them. */
static scarce_status list_positives(finder *f, scarce_error *err)
{
    const uint8_t *label = f->table->label;
    size_t n = 0;

    if (!label || !(f->options.positive_share > 0) || f->n < POSITIVE_FROM ||
        f->options.max_bins < LEAST_BINS)
        return SCARCE_OK;
    for (size_t k = 0; k < f->n; ++k) n += label[f->rows ? f->rows[k] : k] != 0;
    if (n < LEAST_POSITIVES || (double)n >= f->options.positive_share * (double)f->n) return SCARCE_OK;
    f->positive = scarce__malloc_array(n, sizeof *f->positive);
    if (!f->positive) return scarce__fail_memory(err, "finding bins", n * sizeof *f->positive);
    for (size_t k = 0; k < f->n; ++k) {
        const size_t r = f->rows ? f->rows[k] : k;
        if (label[r]) f->positive[f->n_positive++] = (uint32_t)r;
    }
    return SCARCE_OK;
}

static void find_feature(void *arg, size_t index, int worker)
{
    finder *f = arg;
    found *out = &f->features[index];
    scarce__cuts cuts;
    const scarce__column *column = &f->table->columns[index];
    const size_t max_bins = (size_t)f->options.max_bins;

    if (f->table->schema.features[index].kind == SCARCE_COLUMN_CATEGORY) {
        out->failed = !find_categories(f, out, index);
        return;
    }
    if (f->table->schema.features[index].kind == SCARCE_COLUMN_SPARSE) {
        double stored_weight, all = (double)f->n;
        const size_t m = listed(f, &column->sparse, f->values[worker], f->where[worker], &stored_weight);
        /* weights of listed values would need a second list; counts serve as well for sparse columns */
        scarce__cut(&cuts, &f->cutters[worker], f->values[worker], NULL, m, NULL, all - (double)m, max_bins);
        out->failed = !keep_cuts(out, &cuts);
        if (!out->failed && out->n_bins >= 2) out->away = rows_away(out, f->values[worker], NULL, m);
        return;
    }
    cut_numbers(f, &cuts, &f->cutters[worker], column->number);
    out->failed = !keep_cuts(out, &cuts);
    /* only a value with many rows can be a zero that most rows share; spare the others the pass */
    out->away = (uint32_t)f->n;
    if (!out->failed && out->n_bins >= 2 && out->n_missing == 0 && f->options.bundle_share > 0) {
        size_t sample = 0, zeros = 0;
        for (size_t k = 0; k < f->n; k += 1 + f->n / 256, ++sample)
            zeros += column->number[f->rows ? f->rows[k] : k] == 0;
        if (2 * zeros > sample) out->away = rows_away(out, column->number, f->rows, f->n);
    }
}

/* ---- Bundles */

typedef struct candidate {
    uint32_t feature, away;
} candidate;

static int by_rows(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->away != y->away) return x->away < y->away ? 1 : -1;
    return x->feature < y->feature ? -1 : x->feature > y->feature;
}

typedef struct bundle {
    uint64_t *taken; /* a bit per row */
    uint32_t n_codes;
} bundle;

static size_t away_list(const finder *f, uint32_t feature, uint32_t *where)
{
    const found *v = &f->features[feature];
    const scarce__column *column = &f->table->columns[feature];
    const float low = v->zero > 0 ? v->edge[v->zero - 1] : -INFINITY;
    const float high = (uint32_t)v->zero + 1 < v->n_bins ? v->edge[v->zero] : INFINITY;
    const int open = v->zero == 0;
    size_t m = 0;

    if (f->table->schema.features[feature].kind == SCARCE_COLUMN_SPARSE) {
        double unused;
        const size_t n = listed(f, &column->sparse, f->values[0], f->where[0], &unused);
        for (size_t i = 0; i < n; ++i) {
            const float x = f->values[0][i];
            if (!((x > low || open) && x <= high)) where[m++] = f->where[0][i];
        }
        return m;
    }
    for (size_t k = 0; k < f->n; ++k) {
        const float x = column->number[f->rows ? f->rows[k] : k];
        if (!((x > low || open) && x <= high)) where[m++] = (uint32_t)k;
    }
    return m;
}

static int is_free(const bundle *b, const uint32_t *where, size_t m)
{
    for (size_t i = 0; i < m; ++i)
        if (b->taken[where[i] >> 6] >> (where[i] & 63) & 1) return 0;
    return 1;
}

/* Gives every candidate a bundle and codes; bundles of one are undone by the caller's layout. */
static scarce_status make_bundles(finder *f, size_t *n_bundles_out, uint32_t *members, scarce_error *err)
{
    const size_t n_features = f->table->schema.n_features, words = f->n / 64 + 1;
    candidate *list = scarce__malloc_array(n_features, sizeof *list);
    bundle *bundles = scarce__calloc(n_features, sizeof *bundles);
    uint32_t *where = scarce__malloc_array(f->n, sizeof *where);
    size_t n_list = 0, n_bundles = 0;
    scarce_status status = SCARCE_OK;

    if (!list || !bundles || !where) {
        status = scarce__fail_memory(err, "bundles of features", 0);
        goto end;
    }
    for (size_t i = 0; i < n_features; ++i) {
        const found *v = &f->features[i];
        if (v->n_bins < 2 || v->n_missing > 0 || v->map) continue;
        if ((double)v->away > f->options.bundle_share * (double)f->n) continue;
        list[n_list++] = (candidate){(uint32_t)i, v->away};
    }
    qsort(list, n_list, sizeof *list, by_rows);
    for (size_t i = 0; i < n_list; ++i) {
        found *v = &f->features[list[i].feature];
        const size_t m = away_list(f, list[i].feature, where);
        size_t b = n_bundles > BUNDLE_TRIES ? n_bundles - BUNDLE_TRIES : 0;
        while (b < n_bundles && (bundles[b].n_codes + v->n_bins - 1 > 256 || !is_free(&bundles[b], where, m)))
            ++b;
        if (b == n_bundles) {
            bundles[b].taken = scarce__calloc(words, sizeof *bundles[b].taken);
            if (!bundles[b].taken) {
                status = scarce__fail_memory(err, "bundles of features", 0);
                goto end;
            }
            bundles[b].n_codes = 1;
            ++n_bundles;
        }
        for (size_t k = 0; k < m; ++k) bundles[b].taken[where[k] >> 6] |= (uint64_t)1 << (where[k] & 63);
        v->bundled = 1;
        v->column = (uint32_t)b;
        v->first = bundles[b].n_codes;
        bundles[b].n_codes += v->n_bins - 1;
        ++members[b];
    }
    *n_bundles_out = n_bundles;
end:
    for (size_t b = 0; bundles && b < n_bundles; ++b) scarce__free(bundles[b].taken);
    scarce__free(bundles);
    scarce__free(list);
    scarce__free(where);
    return status;
}

/* ---- Putting it together */

/* Columns: features alone first, in the order of the schema, then bundles of two or more. */
static size_t number_columns(finder *f, size_t n_bundles, const uint32_t *members, uint32_t *bundle_column)
{
    size_t n = 0;
    for (size_t i = 0; i < f->table->schema.n_features; ++i) {
        found *v = &f->features[i];
        if (v->n_bins < 2) continue;
        if (v->bundled && members[v->column] < 2) v->bundled = 0;
        if (v->bundled) continue;
        v->column = (uint32_t)n++;
        v->first = 1;
    }
    for (size_t b = 0; b < n_bundles; ++b)
        if (members[b] >= 2) bundle_column[b] = (uint32_t)n++;
    for (size_t i = 0; i < f->table->schema.n_features; ++i)
        if (f->features[i].n_bins >= 2 && f->features[i].bundled)
            f->features[i].column = bundle_column[f->features[i].column];
    return n;
}

static void fill_used(scarce__bins *out, const finder *f)
{
    size_t u = 0, edge = 0, map = 0;
    for (size_t i = 0; i < out->n_features; ++i) {
        const found *v = &f->features[i];
        out->used_of[i] = -1;
        if (v->n_bins < 2) continue;
        scarce__bin_feature *b = &out->used[u];
        out->used_of[i] = (int32_t)u++;
        memset(b, 0, sizeof *b);
        b->feature = (uint32_t)i;
        b->column = v->column;
        b->n_bins = (uint16_t)v->n_bins;
        b->first = (uint16_t)v->first;
        b->zero = (int16_t)(v->bundled ? v->zero : -1);
        b->has_missing = v->n_missing > 0;
        if (v->map) {
            b->category = 1;
            b->map = (uint32_t)map;
            b->n_categories = v->n_categories;
            memcpy(out->bin_of + map, v->map, v->n_categories + 1);
            map += v->n_categories + 1;
        } else {
            b->edge = (uint32_t)edge;
            memcpy(out->edges + edge, v->edge, (v->n_bins - 1) * sizeof *v->edge);
            edge += v->n_bins - 1;
        }
        const unsigned codes = v->first + v->n_bins - (v->bundled ? 1u : 0u);
        if (codes > out->n_codes[v->column]) out->n_codes[v->column] = (uint16_t)codes;
        ++out->column_begin[v->column + 1];
    }
    for (size_t c = 0; c < out->n_columns; ++c) out->column_begin[c + 1] += out->column_begin[c];
    for (size_t i = out->n_used; i-- > 0;) { /* backwards, so that a column's features ascend */
        const uint32_t c = out->used[i].column;
        uint32_t at = out->column_begin[c];
        while (at < out->column_begin[c + 1] && out->column_used[at] != UINT32_MAX) ++at;
        out->column_used[at] = (uint32_t)i;
    }
}

static scarce_status assemble(scarce__bins *out, finder *f, scarce_error *err)
{
    const size_t n_features = f->table->schema.n_features;
    uint32_t *members = scarce__calloc(n_features + 1, sizeof *members);
    uint32_t *bundle_column = scarce__calloc(n_features + 1, sizeof *bundle_column);
    size_t n_bundles = 0, n_edges = 0, n_map = 0;
    scarce_status status = SCARCE_OK;

    if (!members || !bundle_column) status = scarce__fail_memory(err, "bins", 0);
    if (status == SCARCE_OK && f->options.bundle_share > 0)
        status = make_bundles(f, &n_bundles, members, err);
    if (status == SCARCE_OK) {
        out->n_features = n_features;
        out->n_columns = number_columns(f, n_bundles, members, bundle_column);
        for (size_t i = 0; i < n_features; ++i) {
            const found *v = &f->features[i];
            if (v->n_bins < 2) continue;
            ++out->n_used;
            if (v->map) n_map += v->n_categories + 1;
            else n_edges += v->n_bins - 1;
        }
        out->used = scarce__malloc_array(out->n_used, sizeof *out->used);
        out->used_of = scarce__malloc_array(n_features, sizeof *out->used_of);
        out->n_codes = scarce__calloc(out->n_columns, sizeof *out->n_codes);
        out->column_begin = scarce__calloc(out->n_columns + 1, sizeof *out->column_begin);
        out->column_used = scarce__malloc_array(out->n_used, sizeof *out->column_used);
        out->edges = scarce__malloc_array(n_edges, sizeof *out->edges);
        out->bin_of = scarce__malloc(n_map);
        if (!out->used || !out->used_of || !out->n_codes || !out->column_begin || !out->column_used ||
            !out->edges || !out->bin_of)
            status = scarce__fail_memory(err, "bins", n_edges * sizeof *out->edges);
        else {
            memset(out->column_used, 0xff, out->n_used * sizeof *out->column_used);
            fill_used(out, f);
        }
    }
    scarce__free(members);
    scarce__free(bundle_column);
    return status;
}

static scarce_status finder_init(finder *f, int threads, scarce_error *err)
{
    int sparse = 0;
    scarce_status status = SCARCE_OK;

    for (size_t i = 0; i < f->table->schema.n_features; ++i)
        sparse |= f->table->schema.features[i].kind == SCARCE_COLUMN_SPARSE;
    f->features = scarce__calloc(f->table->schema.n_features, sizeof *f->features);
    f->cutters = scarce__calloc((size_t)threads, sizeof *f->cutters);
    f->values = scarce__calloc((size_t)threads, sizeof *f->values);
    f->where = scarce__calloc((size_t)threads, sizeof *f->where);
    if (!f->features || !f->cutters || !f->values || !f->where)
        return scarce__fail_memory(err, "finding bins", 0);
    status = list_positives(f, err);
    if (sparse && status == SCARCE_OK)
        status = scarce__positions_of(&f->positions, f->table, f->rows, f->n, err);
    for (int t = 0; t < threads && status == SCARCE_OK; ++t) {
        int good = scarce__cutter_init(&f->cutters[t], f->n + 1);
        if (good && sparse) {
            f->values[t] = scarce__big_alloc(f->n, sizeof **f->values);
            f->where[t] = scarce__big_alloc(f->n, sizeof **f->where);
            good = f->values[t] && f->where[t];
        }
        if (!good) status = scarce__fail_memory(err, "finding bins", 24 * f->n);
    }
    return status;
}

scarce_status scarce__bins_find(scarce__bins *out, const scarce_table *table, const uint32_t *rows, size_t n,
                                const double *weight, const scarce__bin_options *options, scarce_context *ctx,
                                scarce_error *err)
{
    const scarce__bin_options defaults = SCARCE__BIN_OPTIONS_INIT;
    finder f;
    const int threads = scarce_context_threads(ctx);
    scarce_status status;

    memset(out, 0, sizeof *out);
    memset(&f, 0, sizeof f);
    f.options = options ? *options : defaults;
    if (f.options.max_bins < 2 || f.options.max_bins > SCARCE__MAX_BINS)
        return scarce__fail(err, SCARCE_EINVAL, "max_bins is %d, allowed are 2 to 255", f.options.max_bins);
    f.table = table;
    f.rows = rows;
    f.n = rows ? n : table->n_rows;
    f.weight = weight;
    if (f.n == 0) return scarce__fail(err, SCARCE_EDATA, "there are no rows to find bins on");
    if (f.n >= UINT32_MAX)
        return scarce__fail(err, SCARCE_EINVAL, "%zu rows are too many, 2^32 - 2 at most", f.n);
    status = finder_init(&f, threads, err);
    if (status == SCARCE_OK) {
        scarce__pool_run(scarce__context_pool(ctx), table->schema.n_features, find_feature, &f);
        for (size_t i = 0; i < table->schema.n_features; ++i)
            if (f.features[i].failed) status = SCARCE_ENOMEM;
        if (status != SCARCE_OK) status = scarce__fail_memory(err, "the edges of bins", 0);
    }
    if (status == SCARCE_OK) status = assemble(out, &f, err);
    if (status != SCARCE_OK) scarce__bins_deinit(out);
    for (size_t i = 0; f.features && i < table->schema.n_features; ++i) {
        scarce__free(f.features[i].edge);
        scarce__free(f.features[i].map);
    }
    for (int t = 0; t < threads; ++t) {
        if (f.cutters) scarce__cutter_deinit(&f.cutters[t]);
        if (f.values) scarce__free(f.values[t]);
        if (f.where) scarce__free(f.where[t]);
    }
    scarce__free(f.positive);
    scarce__free(f.features);
    scarce__free(f.cutters);
    scarce__free(f.values);
    scarce__free(f.where);
    scarce__positions_deinit(&f.positions);
    return status;
}

void scarce__bins_deinit(scarce__bins *bins)
{
    scarce__free(bins->used);
    scarce__free(bins->used_of);
    scarce__free(bins->n_codes);
    scarce__free(bins->column_begin);
    scarce__free(bins->column_used);
    scarce__free(bins->edges);
    scarce__free(bins->bin_of);
    memset(bins, 0, sizeof *bins);
}

size_t scarce__bins_bytes(const scarce__bins *bins)
{
    return bins->n_used * (sizeof *bins->used + SCARCE__MAX_BINS * sizeof *bins->edges);
}

unsigned scarce__bins_code(const scarce__bins *bins, const scarce__bin_feature *used, float x)
{
    unsigned b = 0;
    if (used->category) {
        if (!(x >= 0)) return 0;
        const uint32_t c = x < (float)used->n_categories ? (uint32_t)x : used->n_categories;
        return 1u + bins->bin_of[used->map + c];
    }
    if (x != x) return 0; /* missing; in a bundle the same code as zero */
    while (b + 1 < used->n_bins && x > bins->edges[used->edge + b]) ++b;
    if (used->zero < 0) return 1u + b;
    if (b == (unsigned)used->zero) return 0;
    return used->first + b - (b > (unsigned)used->zero);
}
