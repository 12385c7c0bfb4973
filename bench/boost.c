/* SPDX-License-Identifier: Apache-2.0 */
/* boost mode=MODE X=FILE y=FILE.npy [test_X= test_y=] threads= n_trees= max_leaves= max_bins=
 * sample= loss= neg_per_pos= refresh= pool= subsample= seed= metric=: boosted
 * trees.
 *
 * mode=boost: bins are made once; a run is from bins in memory to the forest.
 * mode=fit: a run is from an array in memory (X.npy) to the forest: table, bins and boosting.
 * mode=train: the same through scarce_train, which also sets an alert threshold.
 *
 * "info" scores the test rows with the last forest and tells their average precision. */
#include "bench.h"

#include "boost/boost.h"
#include "eval/ap.h"
#include "eval/watch.h"
#include "tree/fast.h"

static const char *mode = "boost", *x_path, *y_path, *test_x, *test_y;
static int threads = 2;
static scarce__boost_options options;
static char list[256]; /* the same options for scarce_train */

static scarce_table *table; /* mode=boost */
static float *array;        /* the other modes */
static uint8_t *labels;
static size_t rows, columns;

/* metric=: the test rows are watched while training. What that takes, and the gradients, in CPU time. */
static const char *metric;
static scarce_table *watched;
static scarce__watch *watch;
static scarce_context *context_of_run;
static scarce__loss inner;
static double metric_time, gradient_time;

static scarce_status look(void *payload, const float *score, double *value, scarce_error *err)
{
    const double start = cpu();
    const scarce_status st =
        scarce__watch_value(value, payload, score, scarce__context_pool(context_of_run), err);
    metric_time += cpu() - start;
    return st;
}

static scarce_status timed(const scarce__loss *loss, const scarce__loss_rows *r, float *g, float *h,
                           scarce_context *ctx, scarce_error *err)
{
    const double start = cpu();
    const scarce_status st = inner.gradients(&inner, r, g, h, ctx, err);
    (void)loss;
    gradient_time += cpu() - start;
    return st;
}

/* Times and groups for metrics that need them: 30 days, a card for every ten rows. */
static void start_watching(scarce_context *ctx)
{
    scarce_error err = SCARCE_ERROR_INIT;
    watched = table_of(test_x, test_y, ctx);
    const size_t n = scarce_table_rows(watched);
    double *time = malloc(n * sizeof *time);
    int32_t *group = malloc(n * sizeof *group);
    if (!time || !group) die("boost", "no memory");
    for (size_t i = 0; i < n; ++i) {
        time[i] = 86400.0 * 30 * (double)i / (double)n;
        group[i] = (int32_t)(i * 2654435761u % (n / 10 + 1));
    }
    scarce_scored in = SCARCE_SCORED_INIT;
    in.n = n;
    in.label = scarce_table_label(watched);
    in.time = time;
    in.group = group;
    must(scarce__watch_new(&watch, scarce_metric_find(metric), &in, scarce__context_pool(ctx), &err), &err);
    free(time);
    free(group);
    options.metric = look;
    options.metric_payload = watch;
}

static scarce__loss loss_of(const char *name)
{
    const scarce__loss known[] = {
        scarce__loss_logistic(1),     scarce__loss_exponential(), scarce__loss_squared(),
        scarce__loss_focal(2),        scarce__loss_ap_lb(1),      scarce__loss_sgbap(1, 1, 0),
        scarce__loss_sgbap_sig(3, 0), scarce__loss_lambdamart(0), scarce__loss_rankboost(0)};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (!strcmp(name, known[i].name)) return known[i];
    die("boost: unknown loss", name);
}

static void set(const char *key, const char *value)
{
    const size_t n = strlen(list);

    if (!strcmp(key, "mode")) mode = value;
    else if (!strcmp(key, "X")) x_path = value;
    else if (!strcmp(key, "y")) y_path = value;
    else if (!strcmp(key, "test_X")) test_x = value;
    else if (!strcmp(key, "test_y")) test_y = value;
    else if (!strcmp(key, "threads")) threads = atoi(value);
    else if (!strcmp(key, "metric")) metric = value;
    else if (!strcmp(key, "seed")) options.seed = strtoull(value, NULL, 10);
    else {
        snprintf(list + n, sizeof list - n, "%s%s=%s", n ? ":" : "", key, value);
        if (!strcmp(key, "n_trees")) options.n_trees = atoi(value);
        else if (!strcmp(key, "rounding")) options.grow.rounding = atof(value);
        else if (!strcmp(key, "min_child_weight")) options.grow.rules.min_child_weight = atof(value);
        else if (!strcmp(key, "max_leaves")) options.grow.max_leaves = atoi(value);
        else if (!strcmp(key, "max_bins")) options.bins.max_bins = atoi(value);
        else if (!strcmp(key, "sample") && !strcmp(value, "all")) options.sampling.kind = SCARCE__ROWS_ALL;
        else if (!strcmp(key, "sample") && !strcmp(value, "importance"))
            options.sampling.kind = SCARCE__ROWS_IMPORTANCE;
        else if (!strcmp(key, "sample") && !strcmp(value, "mvs")) options.sampling.kind = SCARCE__ROWS_MVS;
        else if (!strcmp(key, "loss")) options.loss = loss_of(value);
        else if (!strcmp(key, "neg_per_pos")) options.sampling.per_positive = atof(value);
        else if (!strcmp(key, "refresh")) options.sampling.keep = atoi(value);
        else if (!strcmp(key, "pool")) options.sampling.pool = atof(value);
        else if (!strcmp(key, "subsample")) options.sampling.fraction = atof(value);
        else die("boost: unknown key or value", key);
    }
}

/* Average precision of the test rows. */
static double judge(const scarce__forest *forest)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__fast *fast;
    size_t n, width, one;
    float *x = npy(test_x, sizeof *x, &n, &width);
    uint8_t *y = npy(test_y, 1, &n, &one);
    double ap, *score = malloc(n * sizeof *score);

    if (!score) die("boost", "no memory");
    must(scarce__fast_new(&fast, forest, &err), &err);
    scarce__fast_batch(fast, x, n, width, score);
    must(scarce__ap_fast(&ap, score, y, NULL, n, NULL, &err), &err);
    scarce__fast_free(fast);
    free(x);
    free(y);
    free(score);
    return ap;
}

/* The seconds of one run. */
static double once(scarce__forest *forest, const scarce__binned *binned, const scarce_params *params,
                   scarce_context *ctx)
{
    scarce__boost_data train = {.table = table, .binned = binned}, valid = {.table = watched};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__boost_result result;
    scarce_table *own = NULL;
    scarce_model *model = NULL;
    double start, took;

    scarce__forest_deinit(forest);
    memset(forest, 0, sizeof *forest);
    start = wall();
    if (!table) {
        must(scarce_table_from_floats(&own, array, rows, columns, NULL, labels, &err), &err);
        train.table = own;
    }
    if (!strcmp(mode, "train")) must(scarce_train(&model, own, params, NULL, NULL, ctx, &err), &err);
    else
        must(scarce__boost_train(forest, &train, watched ? &valid : NULL, &options, &result, ctx, &err),
             &err);
    took = wall() - start;
    scarce_model_free(model);
    scarce_table_free(own);
    return took;
}

int main(int argc, char **argv)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__forest forest = {0};
    scarce__binned *binned = NULL;
    scarce_params *params;
    scarce_context *ctx;
    double start, load = 0, bin = 0, first_peak = 0;
    char word[64];

    scarce__boost_options_init(&options);
    options.grow.rules.min_child_weight = 0.1; /* as the method gb has it */
    options.grow.rounding = 1.0 / 32;
    options.bins.positive_share = 0.3;
    for (int i = 1; i < argc; ++i) {
        char *eq = strchr(argv[i], '=');
        if (!eq) die("boost: not key=value", argv[i]);
        *eq = 0;
        set(argv[i], eq + 1);
    }
    if (!x_path) die("boost", "X= is missing");
    ctx = context_of_run = context(threads);
    inner = options.loss;
    options.loss.gradients = timed;
    if (metric) start_watching(ctx);
    must(scarce_params_new(&params, "gb", &err), &err);
    must(scarce_params_set_list(params, list, ':', &err), &err);
    if (!strcmp(mode, "boost")) {
        start = wall();
        table = table_of(x_path, y_path, ctx);
        load = wall() - start;
        must(scarce__binned_new(&binned, table, NULL, 0, NULL, &options.bins, ctx, &err), &err);
        bin = wall() - start - load;
    } else {
        size_t one;
        array = npy(x_path, sizeof *array, &rows, &columns);
        labels = npy(y_path, 1, &rows, &one);
    }
    printf("{\"load\": %.6f, \"bin\": %.6f}\n", load, bin);
    while (next_word(word)) {
        if (!strcmp(word, "go")) {
            metric_time = gradient_time = 0;
            const double c = cpu(), s = once(&forest, binned, params, ctx);
            if (first_peak == 0) first_peak = peak();
            printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"gradient\": %.6f, \"metric\": %.6f}\n", s, cpu() - c,
                   gradient_time, metric_time);
        } else {
            printf("{\"ap\": %.6f, \"rss_mib\": %.1f, \"trees\": %zu}\n",
                   test_x && strcmp(mode, "train") ? judge(&forest) : -1.0, first_peak, forest.n_trees);
        }
    }
    scarce__forest_deinit(&forest);
    scarce__binned_free(binned);
    scarce__watch_free(watch);
    scarce_table_free(watched);
    scarce_table_free(table);
    scarce_params_free(params);
    scarce_context_free(ctx);
    free(array);
    free(labels);
    return 0;
}
