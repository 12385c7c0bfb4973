/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls: contributions of whole models add up to their scores, tables give the bits of rows with
 * any number of threads, the strongest reasons are those a full sort finds, importances and partial
 * dependence are what their definitions say. */
#include <scarce/explain.h>

#include <stdlib.h>

#include "core/alloc.h"
#include "test.h"
#include "unit/models.h"

enum { F = MODEL_FEATURES, ROWS = 3000 };

typedef struct collected {
    double *contribution;
    float *value;
    size_t next, stop_at;
} collected;

static int collect(void *payload, size_t first, size_t n, const float *value, const double *contribution)
{
    collected *c = payload;
    CHECK(first == c->next);
    memcpy(c->contribution + first * F, contribution, n * F * sizeof *contribution);
    memcpy(c->value + first * F, value, n * F * sizeof *value);
    c->next = first + n;
    return c->next >= c->stop_at;
}

static int same_number(float a, float b)
{
    return a == b || (isnan(a) && isnan(b));
}

static scarce_context *context_of(int threads)
{
    scarce_context *ctx = NULL;
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    o.threads = threads;
    must(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

static void check_model(scarce_model *model, const scarce_table *background, double tolerance)
{
    scarce_table *table = model_table(model, ROWS);
    scarce_explain_options options = SCARCE_EXPLAIN_OPTIONS_INIT;
    scarce_explainer *e = NULL;
    scarce_scorer *scorer = NULL;
    collected c = {malloc(ROWS * F * sizeof(double)), malloc(ROWS * F * sizeof(float)), 0, SIZE_MAX};

    options.background = background;
    CHECK(scarce_explainer_new(&e, model, background ? &options : NULL, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    for (int threads = 1; threads <= 3; threads += 2) {
        scarce_context *ctx = context_of(threads);
        size_t different = 0;
        c.next = 0;
        CHECK(scarce_explainer_table(e, table, collect, &c, ctx, NULL) == SCARCE_OK);
        CHECK(c.next == ROWS);
        for (size_t i = 0; i < ROWS; ++i) {
            float row[F];
            double one[F], sum = scarce_explainer_base(e), size = 1;
            model_row(row, i);
            CHECK(scarce_explainer_row(e, row, one, NULL) == SCARCE_OK);
            for (size_t f = 0; f < F; ++f) {
                different += one[f] != c.contribution[i * F + f] || !same_number(row[f], c.value[i * F + f]);
                sum += one[f];
                size = fmax(size, fabs(one[f]));
            }
            CHECK_NEAR(sum, scarce_scorer_score(scorer, row), tolerance * size);
        }
        CHECK(different == 0);
        scarce_context_free(ctx);
    }
    scarce_scorer_free(scorer);
    scarce_explainer_free(e);
    scarce_table_free(table);
    free(c.contribution);
    free(c.value);
}

static void test_trees(void)
{
    scarce_model *model = tree_model(20, 5);
    scarce_table *background = model_table(model, 10);
    check_model(model, NULL, 1e-12);
    check_model(model, background, 1e-12);
    scarce_table_free(background);
    scarce_model_free(model);
}

static void test_linear(void)
{
    scarce_model *model = linear_model();
    scarce_table *background = model_table(model, 10);
    scarce_explain_options options = SCARCE_EXPLAIN_OPTIONS_INIT;
    scarce_explainer *e = NULL;
    const float row[F] = {NAN, 2, 3};
    double got[F], mean = 0;
    ((scarce__linear *)model->body)->weight[2] = 1.5; /* 1e30 would drown the rest */
    check_model(model, NULL, 1e-14);
    check_model(model, background, 1e-14);

    CHECK(scarce_explainer_new(&e, model, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_explainer_base(e) == -0.75);
    CHECK(scarce_explainer_row(e, row, got, NULL) == SCARCE_OK);
    CHECK_NEAR(got[0], -1e-3, 0);
    CHECK_NEAR(got[1], 2.0 / 7 - 0.4, 1e-16);
    CHECK_NEAR(got[2], 4.5, 0);
    scarce_explainer_free(e);

    options.background = background;
    CHECK(scarce_explainer_new(&e, model, &options, NULL) == SCARCE_OK);
    CHECK(scarce_explainer_row(e, row, got, NULL) == SCARCE_OK);
    for (uint64_t i = 0; i < 10; ++i) {
        float other[F];
        model_row(other, i);
        mean += (isnan(other[2]) ? 0 : 1.5 * (double)other[2]) / 10;
    }
    CHECK_NEAR(got[2], 4.5 - mean, 1e-14);
    scarce_explainer_free(e);
    scarce_table_free(background);
    scarce_model_free(model);
}

static int by_strength(const void *a, const void *b)
{
    const scarce_reason *x = a, *y = b;
    const double d = fabs(y->contribution) - fabs(x->contribution);
    return d > 0 ? 1 : d < 0 ? -1 : x->feature < y->feature ? -1 : 1;
}

static void test_strongest(void)
{
    enum { MOST = 40 };
    scarce__random r = scarce__random_start(5, SCARCE__FOR_TEST, 0);
    for (int trial = 0; trial < 2000; ++trial) {
        double contribution[MOST];
        scarce_reason all[MOST], got[MOST];
        const size_t n = (size_t)scarce__random_below(&r, MOST + 1),
                     k = (size_t)scarce__random_below(&r, MOST + 1);
        size_t count = 0, found;
        for (size_t f = 0; f < n; ++f) {
            contribution[f] = (double)scarce__random_below(&r, 11) - 5; /* ties and zeros */
            if (contribution[f] != 0) all[count++] = (scarce_reason){f, contribution[f]};
        }
        if (count) qsort(all, count, sizeof *all, by_strength);
        found = scarce_reasons_strongest(contribution, n, k, got);
        CHECK(found == (k < count ? k : count));
        for (size_t i = 0; i < found; ++i)
            CHECK(got[i].feature == all[i].feature && got[i].contribution == all[i].contribution);
    }
}

static void test_top(void)
{
    scarce_model *model = tree_model(5, 4);
    scarce_explainer *e = NULL;
    float row[F];
    double all[F], base = 0;
    scarce_reason reasons[F + 2];
    size_t found = 9;
    model_row(row, 4);
    CHECK(scarce_explainer_new(&e, model, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_explainer_row(e, row, all, NULL) == SCARCE_OK);
    CHECK(scarce_explainer_top(e, row, F + 2, reasons, &found, &base, NULL) == SCARCE_OK);
    CHECK(found == F && base == scarce_explainer_base(e));
    for (size_t i = 0; i < found; ++i) {
        CHECK(reasons[i].contribution == all[reasons[i].feature]);
        if (i) CHECK(fabs(reasons[i - 1].contribution) >= fabs(reasons[i].contribution));
    }
    CHECK(scarce_explainer_top(e, row, 0, reasons, &found, NULL, NULL) == SCARCE_OK && found == 0);
    scarce_explainer_free(e);
    scarce_model_free(model);
}

static void test_refused(void)
{
    scarce_model *model = tree_model(3, 3), *odd = tree_model(3, 3);
    const float two[2] = {1, 2};
    const float grid[1] = {0};
    scarce_table *other = NULL, *table = model_table(model, 5);
    scarce_explain_options options = SCARCE_EXPLAIN_OPTIONS_INIT;
    scarce_explainer *e = (scarce_explainer *)model;
    scarce_importance out[F];
    double mean[1];
    double numbers[5 * F];
    float values[5 * F];
    collected c = {numbers, values, 0, 1};
    scarce__kind kind = *model->kind;
    scarce_error err = SCARCE_ERROR_INIT;

    CHECK(scarce_table_from_floats(&other, two, 1, 2, NULL, NULL, NULL) == SCARCE_OK);
    options.background = other;
    CHECK(scarce_explainer_new(&e, model, &options, &err) == SCARCE_EDATA && e == NULL && err.text[0]);
    kind.explain = NULL;
    odd->kind = &kind;
    CHECK(scarce_explainer_new(&e, odd, NULL, &err) == SCARCE_EUNSUPPORTED && e == NULL);
    odd->kind = model->kind;
    CHECK(scarce_explainer_new(&e, model, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_explainer_table(e, other, collect, &c, NULL, NULL) == SCARCE_EDATA && c.next == 0);
    CHECK(scarce_explainer_table(e, table, collect, &c, NULL, &err) == SCARCE_ECANCEL);
    CHECK(scarce_importance_permutation(out, model, table, 3, NULL, &err) == SCARCE_EDATA); /* no label */
    CHECK(scarce_importance_permutation(out, model, table, 0, NULL, &err) == SCARCE_EINVAL);
    CHECK(scarce_partial_dependence(mean, model, table, F, grid, 1, NULL, &err) == SCARCE_EINVAL);
    scarce_explainer_free(e);
    scarce_table_free(other);
    scarce_table_free(table);
    scarce_model_free(model);
    scarce_model_free(odd);
}

/* Labels follow feature 0, so shuffling it costs AP; feature 2 has weight 0, so shuffling it costs none. */
static void test_importance(void)
{
    scarce_model *model = linear_model();
    scarce_table *table = model_table(model, 500);
    scarce__linear *m = model->body;
    scarce_importance shap[F], permuted[F], again[F];
    scarce_explainer *e = NULL;
    scarce_context *one = context_of(1), *three = context_of(3);
    double mean[F] = {0}, square[F] = {0};

    m->weight[2] = 0;
    table->label = scarce__malloc(500);
    must(table->label != NULL);
    for (size_t i = 0; i < 500; ++i) {
        table->label[i] = table->columns[0].number[i] > 1;
        table->n_positives += table->label[i];
    }
    CHECK(scarce_explainer_new(&e, model, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_importance_shap(shap, e, table, one, NULL) == SCARCE_OK);
    for (uint64_t i = 0; i < 500; ++i) {
        float row[F];
        double all[F];
        model_row(row, i);
        CHECK(scarce_explainer_row(e, row, all, NULL) == SCARCE_OK);
        for (size_t f = 0; f < F; ++f) mean[f] += fabs(all[f]) / 500, square[f] += all[f] * all[f] / 500;
    }
    for (size_t f = 0; f < F; ++f) {
        CHECK_NEAR(shap[f].value, mean[f], 1e-12);
        CHECK_NEAR(shap[f].error, sqrt(fmax(square[f] - mean[f] * mean[f], 0) / 499), 1e-9);
    }
    CHECK(shap[2].value == 0 && shap[2].error == 0);

    CHECK(scarce_importance_permutation(permuted, model, table, 5, one, NULL) == SCARCE_OK);
    CHECK(scarce_importance_permutation(again, model, table, 5, three, NULL) == SCARCE_OK);
    CHECK(memcmp(permuted, again, sizeof again) == 0);
    CHECK(permuted[0].value > 0.3 && permuted[0].error > 0 && permuted[0].error < permuted[0].value / 5);
    CHECK(permuted[2].value == 0 && permuted[2].error == 0);
    CHECK(scarce_importance_permutation(again, model, table, 1, one, NULL) == SCARCE_OK);
    CHECK(again[0].error > 0 && again[0].value > 0.3);
    scarce_explainer_free(e);
    scarce_context_free(one);
    scarce_context_free(three);
    scarce_table_free(table);
    scarce_model_free(model);
}

/* A table of n rows with labels that follow feature 0, from row `first` on. */
static scarce_table *labelled_table(const scarce_model *model, size_t first, size_t n)
{
    scarce_table *table = model_table(model, n);
    table->label = scarce__malloc(n);
    must(table->label != NULL);
    for (size_t i = 0; i < n; ++i) {
        float row[F];
        model_row(row, first + i);
        table->columns[0].number[i] = row[0];
        table->columns[1].code[i] = isnan(row[1]) ? -1 : (int32_t)row[1];
        table->columns[2].number[i] = row[2];
        table->label[i] = row[0] > 1;
        table->n_positives += table->label[i];
    }
    return table;
}

/* The error that one sample tells is about the spread over many; by groups of one row it is like that by
 * rows. */
static void test_permutation_error(void)
{
    enum { TABLES = 40, EACH = 300 };
    scarce_model *model = linear_model();
    double mean = 0, square = 0, told = 0, grouped = 0;
    ((scarce__linear *)model->body)->weight[2] = 0;
    for (size_t k = 0; k < TABLES; ++k) {
        scarce_table *table = labelled_table(model, k * EACH, EACH);
        scarce_importance out[F];
        CHECK(scarce_importance_permutation(out, model, table, 3, NULL, NULL) == SCARCE_OK);
        mean += out[1].value / TABLES; /* a category that only disturbs: shuffling it changes little */
        square += out[1].value * out[1].value / TABLES;
        told += out[1].error / TABLES;
        table->group = scarce__malloc_array(EACH, sizeof *table->group);
        must(table->group != NULL);
        for (int i = 0; i < EACH; ++i) table->group[i] = 2 * i;
        CHECK(scarce_importance_permutation(out, model, table, 3, NULL, NULL) == SCARCE_OK);
        grouped += out[1].error / TABLES;
        scarce_table_free(table);
    }
    const double spread = sqrt(square - mean * mean);
    CHECK(told > 0.6 * spread && told < 1.7 * spread);
    CHECK(grouped > 0.6 * spread && grouped < 1.7 * spread);
    scarce_model_free(model);
}

/* Gains and counts against walking the trees; the error against drawing trees again. */
static void test_splits(void)
{
    scarce_model *model = tree_model(12, 3), *linear = linear_model();
    const scarce__forest *forest = model->body;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_importance out[F];
    for (int kind = 0; kind < 2; ++kind) {
        double tree[12][F] = {{0}}, all[F] = {0}, mean[F] = {0}, square[F] = {0};
        enum { DRAWS = 4000 };
        CHECK(scarce_importance_splits(out, model, (scarce_split_importance)kind, NULL) == SCARCE_OK);
        for (size_t t = 0; t < 12; ++t)
            for (uint32_t i = forest->tree_begin[t]; i < forest->tree_begin[t + 1]; ++i) {
                const scarce__node *node = &forest->nodes[i];
                if (node->feature < 0) continue;
                tree[t][node->feature] += kind ? 1 : (double)node->gain;
                all[node->feature] += kind ? 1 : (double)node->gain;
            }
        for (size_t d = 0; d < DRAWS; ++d) {
            scarce__random r = scarce__random_start(1, SCARCE__FOR_TEST, d);
            double sum[F] = {0};
            for (int t = 0; t < 12; ++t) {
                const double *one = tree[scarce__random_below(&r, 12)];
                for (int f = 0; f < F; ++f) sum[f] += one[f];
            }
            for (int f = 0; f < F; ++f) mean[f] += sum[f] / DRAWS, square[f] += sum[f] * sum[f] / DRAWS;
        }
        for (int f = 0; f < F; ++f) {
            CHECK_NEAR(out[f].value, all[f], 1e-6);
            CHECK_NEAR(out[f].error, sqrt(square[f] - mean[f] * mean[f]), 0.08 * out[f].error);
        }
    }
    CHECK(scarce_importance_splits(out, linear, SCARCE_SPLITS_GAIN, &err) == SCARCE_EUNSUPPORTED);
    scarce_model_free(model);
    scarce_model_free(linear);
}

static void test_grid(void)
{
    scarce_model *model = tree_model(6, 4);
    scarce_table *table = model_table(model, 300);
    scarce_grid g, few;
    for (size_t f = 0; f < F; ++f)
        for (size_t most = 1; most < 400; most += most < 8 ? 1 : 90) {
            double sum = 0;
            CHECK(scarce_grid_of(&g, table, f, most, NULL) == SCARCE_OK);
            CHECK(g.n > 0 && g.n <= most + 1 &&
                  isnan(g.value[g.n - 1])); /* each feature has missing values */
            for (size_t i = 0; i < g.n; ++i) sum += g.share[i];
            if (f != 1 || most > MODEL_CATEGORIES) CHECK_NEAR(sum, 1, 1e-9); /* also unknown is a category */
            else CHECK(sum < 1);
            for (size_t i = 0; i + 1 < g.n; ++i) { /* the slow way: rows whose nearest point this is */
                size_t rows = 0;
                for (uint64_t r = 0; r < 300; ++r) {
                    float row[F];
                    model_row(row, r);
                    size_t nearest = 0;
                    for (size_t k = 1; k + 1 < g.n; ++k)
                        if (fabsf(g.value[k] - row[f]) < fabsf(g.value[nearest] - row[f])) nearest = k;
                    /* a point in the middle goes to the higher one */
                    if (nearest + 2 < g.n && f != 1 &&
                        fabsf(g.value[nearest + 1] - row[f]) == fabsf(g.value[nearest] - row[f]))
                        ++nearest;
                    rows += !isnan(row[f]) && (f == 1 ? row[f] == g.value[i] : nearest == i);
                }
                CHECK_NEAR(g.share[i] * 300, (double)rows, 1e-9);
                if (i && f != 1) CHECK(g.value[i] > g.value[i - 1]);
                if (i && f == 1) CHECK(g.share[i] <= g.share[i - 1]);
            }
            scarce_grid_deinit(&g);
        }
    CHECK(scarce_grid_of(&g, table, F, 3, NULL) == SCARCE_EINVAL && g.n == 0);
    CHECK(scarce_grid_of(&few, table, 0, 0, NULL) == SCARCE_EINVAL);
    scarce_grid_deinit(NULL);
    scarce_table_free(table);
    scarce_model_free(model);
}

static void test_pair(void)
{
    scarce_model *models[2] = {tree_model(6, 4), linear_model()};
    for (int m = 0; m < 2; ++m) {
        scarce_table *table = model_table(models[m], 200);
        const size_t pair[2] = {1, 0}, same[2] = {1, 1}, beyond[2] = {0, F};
        scarce_grid grid[2];
        scarce_scorer *scorer = NULL;
        double out[64], share[64], sum = 0;
        if (m) ((scarce__linear *)models[m]->body)->weight[2] = 1;
        CHECK(scarce_scorer_new(&scorer, models[m], NULL) == SCARCE_OK);
        CHECK(scarce_grid_of(&grid[0], table, 1, 7, NULL) == SCARCE_OK);
        CHECK(scarce_grid_of(&grid[1], table, 0, 4, NULL) == SCARCE_OK);
        CHECK(grid[0].n == 7 && grid[1].n == 5);
        CHECK(scarce_partial_pair(out, share, models[m], table, pair, grid, NULL, NULL) == SCARCE_OK);
        for (size_t i = 0; i < 7; ++i)
            for (size_t k = 0; k < 5; ++k) {
                double want = 0;
                for (uint64_t r = 0; r < 200; ++r) {
                    float row[F];
                    model_row(row, r);
                    row[1] = grid[0].value[i];
                    row[0] = grid[1].value[k];
                    want += scarce_scorer_score(scorer, row) / 200;
                }
                CHECK_NEAR(out[i * 5 + k], want, 1e-12);
                sum += share[i * 5 + k];
            }
        CHECK_NEAR(sum, 1, 1e-12);
        CHECK(scarce_partial_pair(out, NULL, models[m], table, same, grid, NULL, NULL) == SCARCE_EINVAL);
        CHECK(scarce_partial_pair(out, NULL, models[m], table, beyond, grid, NULL, NULL) == SCARCE_EINVAL);
        scarce_grid_deinit(&grid[0]);
        scarce_grid_deinit(&grid[1]);
        scarce_scorer_free(scorer);
        scarce_table_free(table);
        scarce_model_free(models[m]);
    }
}

static void test_partial_dependence(void)
{
    scarce_model *model = tree_model(6, 4);
    scarce_table *table = model_table(model, 300);
    scarce_scorer *scorer = NULL;
    CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    for (size_t f = 0; f < F; ++f) {
        const float grid[4] = {0, 1.5f, f == 1 ? (float)MODEL_CATEGORIES : -3.0f, NAN};
        double got[4];
        CHECK(scarce_partial_dependence(got, model, table, f, grid, 4, NULL, NULL) == SCARCE_OK);
        for (int k = 0; k < 4; ++k) {
            double want = 0;
            for (uint64_t i = 0; i < 300; ++i) {
                float row[F];
                model_row(row, i);
                row[f] = grid[k];
                want += scarce_scorer_score(scorer, row) / 300;
            }
            CHECK_NEAR(got[k], want, 1e-12);
        }
    }
    scarce_scorer_free(scorer);
    scarce_table_free(table);
    scarce_model_free(model);
}

/* A sparse column is shuffled and set like any other. */
static void test_sparse(void)
{
    scarce_model *model = linear_model();
    scarce_table *full = model_table(model, 200), *sparse = model_table(model, 200);
    scarce_importance out[F];
    scarce_explainer *e = NULL;
    const float grid[2] = {0, 2};
    double got[2], want[2];
    scarce__sparse s = {0, NULL, NULL};
    float *number = sparse->columns[2].number;

    ((scarce__linear *)model->body)->weight[2] = 1.5;
    s.row = scarce__malloc_array(200, sizeof *s.row);
    s.value = scarce__malloc_array(200, sizeof *s.value);
    sparse->label = scarce__malloc(200);
    must(s.row && s.value && sparse->label);
    for (size_t i = 0; i < 200; ++i) {
        sparse->label[i] = number[i] > 0;
        sparse->n_positives += sparse->label[i];
        if (number[i] == 0) continue;
        s.row[s.count] = (uint32_t)i;
        s.value[s.count++] = number[i];
    }
    scarce__free(number);
    sparse->schema.features[2].kind = SCARCE_COLUMN_SPARSE;
    sparse->columns[2].sparse = s;
    CHECK(scarce_partial_dependence(got, model, sparse, 2, grid, 2, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_partial_dependence(want, model, full, 2, grid, 2, NULL, NULL) == SCARCE_OK);
    CHECK(got[0] == want[0] && got[1] == want[1] && got[1] != got[0]);
    CHECK(scarce_importance_permutation(out, model, sparse, 3, NULL, NULL) == SCARCE_OK);
    CHECK(out[2].value > 0.1);
    CHECK(scarce_explainer_new(&e, model, NULL, NULL) == SCARCE_OK);
    collected a = {malloc(200 * F * sizeof(double)), malloc(200 * F * sizeof(float)), 0, SIZE_MAX};
    collected b = {malloc(200 * F * sizeof(double)), malloc(200 * F * sizeof(float)), 0, SIZE_MAX};
    CHECK(scarce_explainer_table(e, full, collect, &a, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_explainer_table(e, sparse, collect, &b, NULL, NULL) == SCARCE_OK);
    CHECK(memcmp(a.contribution, b.contribution, 200 * F * sizeof(double)) == 0);
    free(a.contribution);
    free(a.value);
    free(b.contribution);
    free(b.value);
    scarce_explainer_free(e);
    scarce_table_free(full);
    scarce_table_free(sparse);
    scarce_model_free(model);
}

/* Every allocation fails once: ENOMEM and nothing leaked. */
static void test_no_memory(void)
{
#ifdef SCARCE_FAULTS
    scarce_model *models[2] = {tree_model(3, 3), linear_model()};
    for (int m = 0; m < 4; ++m) {
        scarce_model *model = models[m % 2];
        scarce_table *table = model_table(model, 40);
        scarce_explain_options options = SCARCE_EXPLAIN_OPTIONS_INIT;
        scarce_context *ctx = context_of(1);
        double numbers[40 * F];
        float values[40 * F];
        size_t fail = 0;
        scarce_status st;
        table->label = scarce__calloc(40, 1);
        must(table->label != NULL);
        table->label[3] = 1;
        table->n_positives = 1;
        if (m > 1) options.background = table;
        do {
            scarce_explainer *e = NULL;
            scarce_importance out[F];
            collected c = {numbers, values, 0, SIZE_MAX};
            const float grid[1] = {0};
            double mean[1];
            scarce__alloc_fail_from(fail +=
                                    fail < 300 ? 1 : 53); /* the many APs of a permutation are alike */
            st = scarce_explainer_new(&e, model, &options, NULL);
            CHECK(!st == (e != NULL));
            if (!st) st = scarce_explainer_table(e, table, collect, &c, ctx, NULL);
            if (!st) st = scarce_importance_shap(out, e, table, ctx, NULL);
            if (!st) st = scarce_importance_permutation(out, model, table, 2, ctx, NULL);
            if (!st) st = scarce_partial_dependence(mean, model, table, 0, grid, 1, ctx, NULL);
            if (!st && m % 2 == 0) st = scarce_importance_splits(out, model, SCARCE_SPLITS_COUNT, NULL);
            if (!st) {
                const size_t pair[2] = {0, 1};
                scarce_grid grids[2] = {{0, NULL, NULL, 0}, {0, NULL, NULL, 0}};
                st = scarce_grid_of(&grids[0], table, 0, 2, NULL);
                if (!st) st = scarce_grid_of(&grids[1], table, 1, 2, NULL);
                if (!st)
                    st = scarce_partial_pair(numbers, numbers + 40, model, table, pair, grids, ctx, NULL);
                scarce_grid_deinit(&grids[0]);
                scarce_grid_deinit(&grids[1]);
            }
            scarce__alloc_fail_from(0);
            scarce_explainer_free(e);
            CHECK(st == SCARCE_OK || st == SCARCE_ENOMEM);
        } while (st != SCARCE_OK && fail < 20000);
        CHECK(fail > 10 && fail < 20000);
        scarce_table_free(table);
        scarce_context_free(ctx);
    }
    scarce_model_free(models[0]);
    scarce_model_free(models[1]);
#endif
}

static const test_case tests[] = {
    {"trees", test_trees},
    {"linear", test_linear},
    {"strongest", test_strongest},
    {"top", test_top},
    {"refused", test_refused},
    {"importance", test_importance},
    {"permutation_error", test_permutation_error},
    {"splits", test_splits},
    {"grid", test_grid},
    {"pair", test_pair},
    {"partial_dependence", test_partial_dependence},
    {"sparse", test_sparse},
    {"no_memory", test_no_memory},
};
TEST_MAIN(tests)
