/* SPDX-License-Identifier: Apache-2.0 */
/* sampler X=FILE y=FILE.npy test_X= test_y= [valid_X= valid_y=] [threads=] [share=]: one table, many
 * settings.
 *
 * share=S: the quantiles that become bins are taken as if positives were the share S of the rows (0: as they
 * are). Bins are made once. Each line on standard input is a list of key=value for one run from bins in
 * memory to the forest, answered by its seconds, its processor seconds, the trees kept and the average
 * precision on the test rows:
 *
 *     sample=importance neg_per_pos=15 refresh=5 pool=50 max_probability=0 n_trees=100 seed=1
 *
 * early=K stops after K trees without a better average precision of the validation rows; scores=FILE writes
 * the scores of the test rows, one in a line. */
#include "bench.h"

#include "boost/boost.h"
#include "eval/ap.h"
#include "tree/fast.h"

typedef struct labelled {
    float *x;
    uint8_t *y;
    size_t n, width;
} labelled;

static const char *value_of(int argc, char **argv, const char *key, const char *otherwise)
{
    const size_t n = strlen(key);
    for (int i = 1; i < argc; ++i)
        if (!strncmp(argv[i], key, n) && argv[i][n] == '=') return argv[i] + n + 1;
    return otherwise;
}

static labelled rows_of(const char *x, const char *y)
{
    labelled out;
    size_t one, n;
    out.x = npy(x, sizeof *out.x, &out.n, &out.width);
    out.y = npy(y, 1, &n, &one);
    return out;
}

/* 0: there is no such key or value. */
static int set(scarce__boost_options *o, const char *key, const char *value)
{
    static const char *const kinds[] = {"all", "uniform", "stratified", "balanced", "goss", "importance"};
    static const scarce__sampling_kind kind_of[] = {SCARCE__ROWS_ALL,        SCARCE__ROWS_UNIFORM,
                                                    SCARCE__ROWS_STRATIFIED, SCARCE__ROWS_BALANCED,
                                                    SCARCE__ROWS_GOSS,       SCARCE__ROWS_IMPORTANCE};
    const double number = atof(value);

    if (!strcmp(key, "n_trees")) o->n_trees = (int)number;
    else if (!strcmp(key, "learning_rate")) o->grow.learning_rate = number;
    else if (!strcmp(key, "max_leaves")) o->grow.max_leaves = (int)number;
    else if (!strcmp(key, "min_child_weight")) o->grow.rules.min_child_weight = number;
    else if (!strcmp(key, "max_delta_step")) o->grow.rules.max_delta_step = number;
    else if (!strcmp(key, "lambda")) o->grow.rules.lambda = number;
    else if (!strcmp(key, "min_child_rows")) o->grow.rules.min_child_rows = (uint32_t)number;
    else if (!strcmp(key, "rounding")) o->grow.rounding = number;
    else if (!strcmp(key, "colsample")) o->grow.colsample_tree = number;
    else if (!strcmp(key, "fraction")) o->sampling.fraction = number;
    else if (!strcmp(key, "splits")) o->grow.rules.random = !strcmp(value, "random");
    else if (!strcmp(key, "seed")) o->seed = (uint64_t)number;
    else if (!strcmp(key, "early")) o->stop_after = (int)number;
    else if (!strcmp(key, "neg_per_pos")) o->sampling.per_positive = number;
    else if (!strcmp(key, "refresh")) o->sampling.keep = (int)number;
    else if (!strcmp(key, "pool")) o->sampling.pool = number;
    else if (!strcmp(key, "pool_least")) o->sampling.pool_least = (int)number;
    else if (!strcmp(key, "pool_again")) o->sampling.pool_again = (int)number;
    else if (!strcmp(key, "pool_growth")) o->sampling.pool_growth = (int)number;
    else if (!strcmp(key, "max_probability")) o->sampling.max_probability = number;
    else if (!strcmp(key, "floor")) o->sampling.floor = number;
    else if (!strcmp(key, "loss") && !strcmp(value, "ap-lb")) o->loss = scarce__loss_ap_lb(1);
    else if (!strcmp(key, "loss") && !strcmp(value, "logistic")) o->loss = scarce__loss_logistic(1);
    else if (!strcmp(key, "sample")) {
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
            if (!strcmp(value, kinds[i])) {
                o->sampling.kind = kind_of[i];
                return 1;
            }
        return 0;
    } else return 0;
    return 1;
}

static scarce_status watch(void *payload, const float *score, double *value, scarce_error *err)
{
    const labelled *valid = payload;
    return scarce__ap_fast_f32(value, score, valid->y, NULL, valid->n, NULL, err);
}

/* Weights for the quantiles in which positives are the share `share`; NULL: 1 each. */
static double *weights_of(const scarce_table *table, double share)
{
    const size_t n = scarce_table_rows(table);
    const uint8_t *label = scarce_table_label(table);
    double *weight, positives = 0;

    if (!(share > 0)) return NULL;
    weight = malloc(n * sizeof *weight);
    if (!weight) die("sampler", "no memory");
    for (size_t i = 0; i < n; ++i) positives += label[i];
    for (size_t i = 0; i < n; ++i)
        weight[i] = label[i] ? share / (1 - share) * ((double)n - positives) / positives : 1;
    return weight;
}

static double judge(const scarce__forest *forest, const labelled *test, const char *scores)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__fast *fast;
    double ap, *score = malloc(test->n * sizeof *score);

    if (!score) die("sampler", "no memory");
    must(scarce__fast_new(&fast, forest, &err), &err);
    scarce__fast_batch(fast, test->x, test->n, test->width, score);
    must(scarce__ap_fast(&ap, score, test->y, NULL, test->n, NULL, &err), &err);
    if (*scores) {
        FILE *f = fopen(scores, "w");
        if (!f) die(scores, "can't be written");
        for (size_t i = 0; i < test->n; ++i) fprintf(f, "%.9g\n", score[i]);
        fclose(f);
    }
    scarce__fast_free(fast);
    free(score);
    return ap;
}

int main(int argc, char **argv)
{
    const char *x = value_of(argc, argv, "X", ""), *y = value_of(argc, argv, "y", "");
    const char *valid_x = value_of(argc, argv, "valid_X", NULL);
    labelled test = rows_of(value_of(argc, argv, "test_X", ""), value_of(argc, argv, "test_y", "")),
             valid = {0};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_context *ctx = context(atoi(value_of(argc, argv, "threads", "1")));
    scarce_table *table = table_of(x, y, ctx), *valid_table = NULL;
    scarce__binned *binned;
    scarce__boost_options o;
    double *weight = weights_of(table, atof(value_of(argc, argv, "share", "0")));
    char line[1024], scores[512];

    if (valid_x) {
        valid = rows_of(valid_x, value_of(argc, argv, "valid_y", ""));
        must(scarce_table_from_floats(&valid_table, valid.x, valid.n, valid.width, NULL, valid.y, &err),
             &err);
    }
    scarce__boost_options_init(&o);
    o.bins.positive_share = atof(value_of(argc, argv, "positive_bins", "0"));
    const double before = wall();
    must(scarce__binned_new(&binned, table, NULL, 0, weight, &o.bins, ctx, &err), &err);
    printf("{\"bin\": %.6f}\n", wall() - before);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        scarce__boost_data train = {.table = table, .binned = binned}, watched = {.table = valid_table};
        scarce__forest forest = {0};
        scarce__boost_result result;
        double start, begun;

        scarce__boost_options_init(&o);
        o.seed = 1;
        *scores = 0;
        for (char *at = strtok(line, " \n"); at; at = strtok(NULL, " \n")) {
            char *eq = strchr(at, '=');
            if (!eq) die("sampler: not key=value", at);
            *eq = 0;
            if (!strcmp(at, "scores")) snprintf(scores, sizeof scores, "%s", eq + 1);
            else if (!set(&o, at, eq + 1)) die("sampler: unknown key or value", at);
        }
        if (o.stop_after > 0) o.metric = watch, o.metric_payload = &valid;
        start = wall(), begun = cpu();
        must(scarce__boost_train(&forest, &train, o.metric ? &watched : NULL, &o, &result, ctx, &err), &err);
        printf("{\"seconds\": %.6f, \"cpu\": %.6f, ", wall() - start, cpu() - begun);
        printf("\"trees\": %zu, \"ap\": %.6f}\n", forest.n_trees, judge(&forest, &test, scores));
        fflush(stdout);
        scarce__forest_deinit(&forest);
    }
    scarce__binned_free(binned);
    scarce_table_free(table);
    scarce_table_free(valid_table);
    scarce_context_free(ctx);
    free(weight);
    free(test.x), free(test.y), free(valid.x), free(valid.y);
    return 0;
}
