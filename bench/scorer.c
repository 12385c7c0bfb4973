/* SPDX-License-Identifier: Apache-2.0 */
/* scorer X.npy y.npy scorer|probability|dot|dot4: nanoseconds per row of a logistic model through the
 * prepared scorer, against a dot product in plain C (one sum, or four) over the same rows and weights. */
#include "bench.h"

enum { MOST_COLUMNS = 4096 };

static double weight[MOST_COLUMNS];

__attribute__((noinline)) static double dot(const float *x, const double *w, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; ++i) s += w[i] * (double)x[i];
    return s;
}

__attribute__((noinline)) static double dot4(const float *x, const double *w, size_t n)
{
    double s[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; ++k) s[k] += w[i + k] * (double)x[i + k];
    for (; i < n; ++i) s[0] += w[i] * (double)x[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

int main(int argc, char **argv)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_context *ctx = context(1);
    scarce_params *params;
    scarce_table *table;
    scarce_model *model;
    scarce_scorer *scorer;
    size_t rows, columns;
    double sum = 0;
    float *x;
    char word[64];

    if (argc != 4) die("scorer", "X.npy y.npy scorer|probability|dot|dot4");
    table = table_of(argv[1], argv[2], ctx);
    x = npy(argv[1], sizeof *x, &rows, &columns);
    if (columns > MOST_COLUMNS) die(argv[1], "too many columns");
    must(scarce_params_new(&params, "logistic", &err), &err);
    must(scarce_train(&model, table, params, NULL, NULL, ctx, &err), &err);
    must(scarce_scorer_new(&scorer, model, &err), &err);
    if (!strncmp(argv[3], "dot", 3))
        for (size_t i = 0; i < rows * columns; ++i)
            if (x[i] != x[i]) x[i] = 0;
    for (size_t f = 0; f < columns; ++f) weight[f] = 1.0 / (double)(f + 1);
    printf("{}\n");
    while (next_word(word)) {
        const double t = wall();
        if (!strcmp(word, "info")) {
            printf("{\"checksum\": %.9g, \"rss_mib\": %.1f}\n", sum, peak());
            continue;
        }
        sum = 0;
        if (!strcmp(argv[3], "dot"))
            for (size_t i = 0; i < rows; ++i) sum += dot(x + i * columns, weight, columns);
        else if (!strcmp(argv[3], "dot4"))
            for (size_t i = 0; i < rows; ++i) sum += dot4(x + i * columns, weight, columns);
        else if (!strcmp(argv[3], "scorer"))
            for (size_t i = 0; i < rows; ++i) sum += scarce_scorer_score(scorer, x + i * columns);
        else
            for (size_t i = 0; i < rows; ++i)
                sum += scarce_scorer_probability(scorer, scarce_scorer_score(scorer, x + i * columns));
        printf("{\"seconds\": %.9g}\n", (wall() - t) / (double)rows);
    }
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    scarce_params_free(params);
    scarce_table_free(table);
    scarce_context_free(ctx);
    free(x);
    return 0;
}
