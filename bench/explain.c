/* SPDX-License-Identifier: Apache-2.0 */
/* explain ENGINE MODEL X.npy THREADS [LIBRARY.so]: why rows got their scores, by the trees of a LightGBM
 * file.
 *
 * ENGINE is scarce (the file imported) or lightgbm through the C interface of LIBRARY. "one": the 5 strongest
 * reasons of a row (scarce), or all contributions of a row (LightGBM), one call for each of many rows, p50,
 * p99 and least time. "go": all contributions of all rows at once. "info" tells the mean of |contribution|:
 * alike, not equal, because LightGBM takes the number of rows as the cover of a branch, ours the sum of
 * hessians. */
#include <dlfcn.h>
#include <math.h>

#include "bench.h"

typedef int (*lgb_load_fn)(const char *, int *, void **);
typedef int (*lgb_mat_fn)(void *, const void *, int, int32_t, int32_t, int, int, int, int, const char *,
                          int64_t *, double *);

enum { REASONS = 5, CONTRIBUTIONS = 3 /* C_API_PREDICT_CONTRIB */, SINGLE_ROWS = 2000 };

static float *x;
static size_t rows, columns;
static int threads;
static double total; /* of |contribution| */
static scarce_context *ctx;
static scarce_explainer *explainer;
static scarce_table *table;
static void *booster;
static lgb_mat_fn lgb_mat;
static double *room; /* LightGBM: (columns + 1) for each row */

static int add_up(void *payload, size_t first, size_t n, const float *value, const double *contribution)
{
    (void)payload;
    (void)first;
    (void)value;
    for (size_t i = 0; i < n * columns; ++i) total += fabs(contribution[i]);
    return 0;
}

static void open_scarce(const char *path)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model;
    const char **names = malloc(columns * sizeof *names);
    if (!names) die("explain", "no memory");
    must(scarce_model_import(&model, path, &err), &err);
    for (size_t f = 0; f < columns; ++f) names[f] = scarce_schema_name(scarce_model_schema(model), f);
    must(scarce_table_from_floats(&table, x, rows, columns, names, NULL, &err), &err);
    must(scarce_explainer_new(&explainer, model, NULL, &err), &err);
    ctx = context(threads);
    free(names); /* model and table live as long as the process */
}

static void open_lightgbm(const char *path, const char *file)
{
    void *library = dlopen(file, RTLD_NOW), *load_at, *mat_at;
    lgb_load_fn load;
    int iterations;
    if (!library) die(file, dlerror());
    load_at = dlsym(library, "LGBM_BoosterCreateFromModelfile");
    mat_at = dlsym(library, "LGBM_BoosterPredictForMat");
    if (!load_at || !mat_at) die(file, "not LightGBM's library");
    memcpy(&load, &load_at, sizeof load);
    memcpy(&lgb_mat, &mat_at, sizeof lgb_mat);
    if (load(path, &iterations, &booster)) die(path, "can't be loaded");
    room = malloc(rows * (columns + 1) * sizeof *room);
    if (!room) die("explain", "no memory");
}

static void lightgbm_some(const float *from, size_t n, int with)
{
    char parameter[64];
    int64_t length;
    snprintf(parameter, sizeof parameter, "num_threads=%d", with);
    if (lgb_mat(booster, from, 0, (int32_t)n, (int32_t)columns, 1, CONTRIBUTIONS, 0, -1, parameter, &length,
                room))
        die("PredictForMat", "failed");
}

static void all_rows(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    total = 0;
    if (explainer) {
        must(scarce_explainer_table(explainer, table, add_up, NULL, ctx, &err), &err);
        return;
    }
    lightgbm_some(x, rows, threads);
    for (size_t i = 0; i < rows; ++i)
        for (size_t f = 0; f < columns; ++f) total += fabs(room[i * (columns + 1) + f]);
}

static void one_row(const float *row)
{
    scarce_reason reasons[REASONS];
    scarce_error err = SCARCE_ERROR_INIT;
    size_t found;
    if (explainer) must(scarce_explainer_top(explainer, row, REASONS, reasons, &found, NULL, &err), &err);
    else lightgbm_some(row, 1, 1);
}

static int by_value(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static void single_rows(void)
{
    static double took[SINGLE_ROWS];
    const size_t n = rows < SINGLE_ROWS ? rows : SINGLE_ROWS;
    for (size_t i = 0; i < n; ++i) {
        const double t = wall();
        one_row(x + i * columns);
        took[i] = wall() - t;
    }
    qsort(took, n, sizeof *took, by_value);
    printf("{\"seconds\": %.9g, \"p99\": %.9g, \"least\": %.9g}\n", took[n / 2], took[n - 1 - n / 100],
           took[0]);
}

int main(int argc, char **argv)
{
    char word[64];

    if (argc < 5) die("explain", "ENGINE MODEL X.npy THREADS [LIBRARY.so]");
    x = npy(argv[3], sizeof *x, &rows, &columns);
    threads = atoi(argv[4]);
    if (!strcmp(argv[1], "scarce")) open_scarce(argv[2]);
    else if (argc > 5) open_lightgbm(argv[2], argv[5]);
    else die("explain", "lightgbm wants its library");
    printf("{}\n");
    while (next_word(word)) {
        if (!strcmp(word, "one")) single_rows();
        else if (!strcmp(word, "go")) {
            const double t = wall(), c = cpu();
            all_rows();
            printf("{\"seconds\": %.9g, \"cpu\": %.9g}\n", wall() - t, cpu() - c);
        } else
            printf("{\"mean_contribution\": %.9g, \"rss_mib\": %.1f}\n",
                   total / (double)rows / (double)columns, peak());
    }
    free(room);
    free(x);
    scarce_explainer_free(explainer);
    return 0;
}
