/* SPDX-License-Identifier: Apache-2.0 */
/* predict ENGINE MODEL X.npy THREADS [LIBRARY.so]: scoring with the trees of a model file.
 *
 * ENGINE is scarce (MODEL is a file of LightGBM or XGBoost, imported), or lightgbm or xgboost through the C
 * interface of LIBRARY. "one": one call for each of many rows, p50, p99 and least time. "go": all rows at
 * once. A pair of clock calls is inside the times of all engines alike. Scores are raw margins. */
#include <dlfcn.h>

#include "bench.h"

#include "core/context.h"
#include "core/pool.h"
#include "tree/fast.h"
#include "tree/import.h"

typedef struct engine {
    double (*one)(const float *row);
    void (*all)(double *out);
} engine;

static float *x;
static size_t rows, columns;
static int threads;
static scarce_context *ctx;
static scarce__fast *fast;

static char *whole_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *bytes;
    long size;
    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) die(path, "can't be read");
    rewind(f);
    bytes = malloc((size_t)size + 1);
    if (!bytes || fread(bytes, 1, (size_t)size, f) != (size_t)size) die(path, "can't be read");
    fclose(f);
    *n = (size_t)size;
    return bytes;
}

/* ---- ours */

enum { BLOCK = 4096 };

static double scarce_one(const float *row)
{
    return scarce__fast_one(fast, row);
}

static void scarce_block(void *out, size_t index, int worker)
{
    const size_t begin = index * BLOCK, n = rows - begin < BLOCK ? rows - begin : BLOCK;
    (void)worker;
    scarce__fast_batch(fast, x + begin * columns, n, columns, (double *)out + begin);
}

static void scarce_all(double *out)
{
    scarce__pool_run(scarce__context_pool(ctx), scarce__blocks(rows, BLOCK), scarce_block, out);
}

static engine open_scarce(const char *path)
{
    const engine e = {scarce_one, scarce_all};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__imported model;
    size_t n;
    char *bytes = whole_file(path, &n);
    must(scarce__import_any(&model, bytes, n, &err), &err);
    must(scarce__fast_new(&fast, &model.forest, &err), &err);
    scarce__imported_deinit(&model);
    free(bytes);
    ctx = context(threads);
    return e;
}

/* ---- the others: their documented C interfaces, looked up at run time */

typedef int (*lgb_load_fn)(const char *, int *, void **);
typedef int (*lgb_fast_init_fn)(void *, int, int, int, int, int32_t, const char *, void **);
typedef int (*lgb_fast_fn)(void *, const void *, int64_t *, double *);
typedef int (*lgb_mat_fn)(void *, const void *, int, int32_t, int32_t, int, int, int, int, const char *,
                          int64_t *, double *);
typedef int (*xgb_new_fn)(const void *, uint64_t, void **);
typedef int (*xgb_load_fn)(void *, const char *);
typedef int (*xgb_param_fn)(void *, const char *, const char *);
typedef int (*xgb_dense_fn)(void *, const char *, const char *, void *, const uint64_t **, uint64_t *,
                            const float **);

static void *library, *booster, *config;
static lgb_fast_fn lgb_fast;
static lgb_mat_fn lgb_mat;
static xgb_dense_fn xgb_dense;

static void find(void *function, const char *name)
{
    void *p = dlsym(library, name);
    if (!p) die(name, "not in the library");
    memcpy(function, &p, sizeof p);
}

static void fine(int status, const char *what)
{
    if (status) die(what, "failed");
}

static double lightgbm_one(const float *row)
{
    int64_t n;
    double out;
    lgb_fast(config, row, &n, &out);
    return out;
}

static void lightgbm_all(double *out)
{
    char parameter[64];
    int64_t n;
    snprintf(parameter, sizeof parameter, "num_threads=%d", threads);
    fine(lgb_mat(booster, x, 0, (int32_t)rows, (int32_t)columns, 1, 1, 0, -1, parameter, &n, out),
         "PredictForMat");
}

static engine open_lightgbm(const char *path)
{
    const engine e = {lightgbm_one, lightgbm_all};
    lgb_load_fn load;
    lgb_fast_init_fn init;
    int iterations;
    find(&load, "LGBM_BoosterCreateFromModelfile");
    find(&init, "LGBM_BoosterPredictForMatSingleRowFastInit");
    find(&lgb_fast, "LGBM_BoosterPredictForMatSingleRowFast");
    find(&lgb_mat, "LGBM_BoosterPredictForMat");
    fine(load(path, &iterations, &booster), path);
    fine(init(booster, 1, 0, -1, 0, (int32_t)columns, "num_threads=1", &config), "SingleRowFastInit");
    return e;
}

static const float *xgboost_some(const float *from, size_t n)
{
    static const char how[] =
        "{\"type\": 1, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, "
        "\"strict_shape\": false, \"cache_id\": 0, \"missing\": NaN}";
    char array[160];
    const uint64_t *shape;
    const float *out = NULL;
    uint64_t dimensions;
    snprintf(array, sizeof array,
             "{\"data\": [%zu, true], \"shape\": [%zu, %zu], \"typestr\": \"<f4\", \"version\": 3}",
             (size_t)(uintptr_t)from, n, columns);
    fine(xgb_dense(booster, array, how, NULL, &shape, &dimensions, &out), "XGBoosterPredictFromDense");
    return out;
}

static double xgboost_one(const float *row)
{
    return (double)*xgboost_some(row, 1);
}

static void xgboost_all(double *out)
{
    const float *scores = xgboost_some(x, rows);
    for (size_t i = 0; i < rows; ++i) out[i] = (double)scores[i];
}

static engine open_xgboost(const char *path)
{
    const engine e = {xgboost_one, xgboost_all};
    xgb_new_fn create;
    xgb_load_fn load;
    xgb_param_fn set;
    char text[16];
    find(&create, "XGBoosterCreate");
    find(&load, "XGBoosterLoadModel");
    find(&set, "XGBoosterSetParam");
    find(&xgb_dense, "XGBoosterPredictFromDense");
    fine(create(NULL, 0, &booster), "XGBoosterCreate");
    fine(load(booster, path), path);
    snprintf(text, sizeof text, "%d", threads);
    fine(set(booster, "nthread", text), "nthread");
    return e;
}

/* ---- measuring */

static int by_value(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static void single_rows(const engine *e, double *took)
{
    const size_t n = rows < 200000 ? rows : 200000;
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
        const double t = wall();
        sum += e->one(x + i * columns);
        took[i] = wall() - t;
    }
    qsort(took, n, sizeof *took, by_value);
    printf("{\"seconds\": %.9g, \"p99\": %.9g, \"least\": %.9g, \"checksum\": %.9g}\n", took[n / 2],
           took[n - 1 - n / 100], took[0], sum);
}

int main(int argc, char **argv)
{
    engine e;
    double *out;
    char word[64];

    if (argc < 5) die("predict", "ENGINE MODEL X.npy THREADS [LIBRARY.so]");
    x = npy(argv[3], sizeof *x, &rows, &columns);
    threads = atoi(argv[4]);
    if (argc > 5 && !(library = dlopen(argv[5], RTLD_NOW))) die(argv[5], dlerror());
    e = !strcmp(argv[1], "scarce")     ? open_scarce(argv[2])
        : !strcmp(argv[1], "lightgbm") ? open_lightgbm(argv[2])
                                       : open_xgboost(argv[2]);
    out = malloc(rows * sizeof *out);
    if (!out) die("predict", "no memory");
    printf("{}\n");
    while (next_word(word)) {
        if (!strcmp(word, "one")) single_rows(&e, out);
        else if (!strcmp(word, "go")) {
            const double t = wall(), c = cpu();
            e.all(out);
            printf("{\"seconds\": %.9g, \"cpu\": %.9g}\n", wall() - t, cpu() - c);
        } else {
            double sum = 0;
            for (size_t i = 0; i < rows; ++i) sum += out[i];
            printf("{\"mean_score\": %.9g, \"rss_mib\": %.1f}\n", sum / (double)rows, peak());
        }
    }
    scarce__fast_free(fast);
    scarce_context_free(ctx);
    free(out);
    free(x);
    return 0;
}
