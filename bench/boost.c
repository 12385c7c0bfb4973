/* SPDX-License-Identifier: Apache-2.0 */
/* boost mode=boost|fit|train X=FILE y=FILE.npy [test_X= test_y=] threads= trees= leaves= bins= sample=...: boosted trees.
 *   boost  bins are made once; a run is from bins in memory to the forest
 *   fit    a run is from a table in memory to the forest (bins and boosting)
 *   train  the same through scarce_train, which also sets an alert threshold
 * "info" scores the test rows with the last forest and tells their average precision. */
#include "bench.h"

#include "boost/boost.h"
#include "eval/ap.h"
#include "tree/fast.h"

static const char *mode = "boost", *x_path, *y_path, *test_x, *test_y, *model_path;
static int threads = 2;
static scarce__boost_options options;
static char list[256]; /* the same options for scarce_train */

static void set(const char *key, const char *value)
{
    static const char *const samples[] = {"all", "importance", "goss"};
    static const scarce__sampling_kind kinds[] = {SCARCE__ROWS_ALL, SCARCE__ROWS_IMPORTANCE, SCARCE__ROWS_GOSS};

    if (!strcmp(key, "mode")) mode = value;
    else if (!strcmp(key, "X")) x_path = value;
    else if (!strcmp(key, "y")) y_path = value;
    else if (!strcmp(key, "test_X")) test_x = value;
    else if (!strcmp(key, "test_y")) test_y = value;
    else if (!strcmp(key, "save")) model_path = value;
    else if (!strcmp(key, "threads")) threads = atoi(value);
    else {
        const size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s=%s", n ? ":" : "", key, value);
        if (!strcmp(key, "n_trees")) options.n_trees = atoi(value);
        else if (!strcmp(key, "max_leaves")) options.grow.max_leaves = atoi(value);
        else if (!strcmp(key, "max_bins")) options.bins.max_bins = atoi(value);
        else if (!strcmp(key, "max_delta_step")) options.grow.rules.max_delta_step = atof(value);
        else if (!strcmp(key, "sample")) {
            for (int k = 0; k < 3; ++k)
                if (!strcmp(value, samples[k])) options.sampling.kind = kinds[k];
        } else die("boost: unknown key", key);
    }
}

/* Average precision of the test rows. */
static double judge(const scarce__forest *forest)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__fast *fast;
    size_t rows, columns, one;
    float *x = npy(test_x, sizeof *x, &rows, &columns);
    uint8_t *y = npy(test_y, 1, &rows, &one);
    double ap, *score = malloc(rows * sizeof *score);

    if (!score) die("boost", "no memory");
    must(scarce__fast_new(&fast, forest, &err), &err);
    scarce__fast_batch(fast, x, rows, columns, score);
    must(scarce__ap_fast(&ap, score, y, NULL, rows, NULL, &err), &err);
    scarce__fast_free(fast);
    free(x);
    free(y);
    free(score);
    return ap;
}

static double once(scarce__forest *forest, const scarce_table *table, const scarce__binned *binned,
                   const scarce_params *params, scarce_context *ctx)
{
    const scarce__boost_data train = {.table = table, .binned = binned};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__boost_result result;
    scarce_model *model;

    if (!strcmp(mode, "train")) {
        const double t = wall();
        must(scarce_train(&model, table, params, NULL, NULL, ctx, &err), &err);
        const double s = wall() - t;
        if (model_path) must(scarce_model_save(model, model_path, &err), &err);
        scarce_model_free(model);
        return s;
    }
    scarce__forest_deinit(forest);
    memset(forest, 0, sizeof *forest);
    const double t = wall();
    must(scarce__boost_train(forest, &train, NULL, &options, &result, ctx, &err), &err);
    return wall() - t;
}

int main(int argc, char **argv)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__forest forest = {0};
    scarce__binned *binned = NULL;
    scarce_params *params;
    scarce_context *ctx;
    scarce_table *table;
    double start, load, bin, first_peak = 0;
    char word[64];

    scarce__boost_options_init(&options);
    for (int i = 1; i < argc; ++i) {
        char *eq = strchr(argv[i], '=');
        if (!eq) die("boost: not key=value", argv[i]);
        *eq = 0;
        set(argv[i], eq + 1);
    }
    if (!x_path) die("boost", "X= is missing");
    ctx = context(threads);
    must(scarce_params_new(&params, "gb", &err), &err);
    must(scarce_params_set_list(params, list, ':', &err), &err);
    start = wall();
    table = table_of(x_path, y_path, ctx);
    load = wall() - start;
    start = wall();
    if (!strcmp(mode, "boost")) must(scarce__binned_new(&binned, table, NULL, 0, NULL, &options.bins, ctx, &err), &err);
    bin = wall() - start;
    printf("{\"load\": %.6f, \"bin\": %.6f}\n", load, bin);
    while (next_word(word)) {
        if (!strcmp(word, "go")) {
            const double c = cpu(), s = once(&forest, table, binned, params, ctx);
            if (first_peak == 0) first_peak = peak();
            printf("{\"seconds\": %.6f, \"cpu\": %.6f}\n", s, cpu() - c);
        } else {
            printf("{\"ap\": %.6f, \"rss_mib\": %.1f, \"trees\": %zu}\n",
                   test_x && strcmp(mode, "train") ? judge(&forest) : -1.0, first_peak, forest.n_trees);
        }
    }
    scarce__forest_deinit(&forest);
    scarce__binned_free(binned);
    scarce_table_free(table);
    scarce_params_free(params);
    scarce_context_free(ctx);
    return 0;
}
