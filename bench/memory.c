/* SPDX-License-Identifier: Apache-2.0 */
/* memory columns|matrix|floats|row: tables and rows that never were a file.
 *   columns  scarce_table_from_columns of 1,000,000 x 40 float columns, borrowed; "info" tells the peak above
 *            the columns themselves (MiB), which a copy would raise by 153
 *   matrix   the same from one matrix in C order, copied
 *   floats   the same by scarce_table_from_floats
 *   row      a record of 40 names and values to the score of 100 trees of 31 leaves, per record */
#include "bench.h"

enum { N = 1000000, D = 40, RECORDS = 1000, ROUNDS = 100 };

static char names[D][16];

static float *numbers(size_t n)
{
    float *x = malloc(n * sizeof *x);
    uint32_t state = 1;
    if (!x) die("memory", "out of memory");
    for (size_t i = 0; i < n; ++i) {
        state = state * 1664525u + 1013904223u;
        x[i] = (float)(state >> 8) / 16777216;
    }
    return x;
}

static void keep(void *payload)
{
    (void)payload; /* the columns stay for the next round */
}

static scarce_table *from_columns(const float *x, int matrix, const uint8_t *label, size_t n)
{
    scarce_column c[D + 1];
    scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *table;

    for (size_t f = 0; f <= D; ++f) {
        c[f] = (scarce_column)SCARCE_COLUMN_INIT;
        c[f].name = f < D ? names[f] : "label";
        c[f].items = x + (matrix ? f : f * n);
        c[f].stride = matrix ? (ptrdiff_t)(D * sizeof *x) : 0;
    }
    c[D].items = label;
    c[D].stride = 0;
    c[D].type = SCARCE_TYPE_U8;
    c[D].role = SCARCE_ROLE_LABEL;
    o.release = keep;
    must(scarce_table_from_columns(&table, c, label ? D + 1 : D, n, &o, NULL, &err), &err);
    return table;
}

static void tables(const char *what)
{
    scarce_error err = SCARCE_ERROR_INIT;
    float *x = numbers((size_t)N * D);
    const double before = peak();
    char word[64];

    printf("{}\n");
    while (next_word(word)) {
        scarce_table *table;
        const double t = wall();
        if (!strcmp(word, "info")) {
            printf("{\"rss_above_mib\": %.1f}\n", peak() - before);
            continue;
        }
        if (!strcmp(what, "floats")) must(scarce_table_from_floats(&table, x, N, D, NULL, NULL, &err), &err);
        else table = from_columns(x, !strcmp(what, "matrix"), NULL, N);
        printf("{\"seconds\": %.9g}\n", wall() - t);
        scarce_table_free(table);
    }
    free(x);
}

static void rows(void)
{
    enum { TRAIN = 20000 };
    scarce_error err = SCARCE_ERROR_INIT;
    float *x = numbers((size_t)TRAIN * D);
    uint8_t *label = malloc(TRAIN);
    scarce_field *fields = malloc(sizeof *fields * RECORDS * D);
    scarce_context *ctx = context(1);
    scarce_table *table;
    scarce_params *params;
    scarce_model *model;
    scarce_scorer *scorer;
    scarce_row *row;
    double sum = 0;
    char word[64];

    if (!label || !fields) die("memory", "out of memory");
    for (size_t i = 0; i < TRAIN; ++i)
        label[i] = x[i] + x[TRAIN + i] * x[2 * TRAIN + i] + x[3 * TRAIN + i] > 2.0f;
    table = from_columns(x, 0, label, TRAIN);
    must(scarce_params_new(&params, "gb", &err), &err);
    must(scarce_params_set_list(params, "n_trees=100,max_leaves=31", ',', &err), &err);
    must(scarce_train(&model, table, params, NULL, NULL, ctx, &err), &err);
    must(scarce_scorer_new(&scorer, model, &err), &err);
    must(scarce_row_new(&row, model, &err), &err);
    for (size_t i = 0; i < RECORDS * D; ++i)
        fields[i] = (scarce_field){names[(i * 7) % D], NULL, (double)x[i]};
    printf("{}\n");
    while (next_word(word)) {
        const double t = wall();
        if (!strcmp(word, "info")) {
            printf("{\"checksum\": %.9g, \"rss_mib\": %.1f}\n", sum, peak());
            continue;
        }
        sum = 0;
        for (size_t k = 0; k < ROUNDS; ++k)
            for (size_t i = 0; i < RECORDS; ++i) {
                must(scarce_row_set(row, fields + i * D, D, &err), &err);
                sum += scarce_scorer_score(scorer, scarce_row_values(row));
            }
        printf("{\"seconds\": %.9g}\n", (wall() - t) / (RECORDS * ROUNDS));
    }
    scarce_row_free(row);
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    scarce_params_free(params);
    scarce_table_free(table);
    scarce_context_free(ctx);
    free(fields);
    free(label);
    free(x);
}

int main(int argc, char **argv)
{
    if (argc != 2) die("memory", "columns|matrix|floats|row");
    for (size_t f = 0; f < D; ++f) snprintf(names[f], sizeof names[f], "feature_%zu", f);
    if (!strcmp(argv[1], "row")) rows();
    else tables(argv[1]);
    return 0;
}
