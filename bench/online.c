/* SPDX-License-Identifier: Apache-2.0 */
/* Learning row by row from memory, on one thread.
 *
 *     online X.npy y.npy SPEC          or DATA.svm - SPEC
 *
 * "go" learns all rows, scoring each first; "score" scores them again by the model; "info" tells the average precision of
 * the scores that were given first. */
#include "bench.h"

static scarce_table *read_rows(const char *path, const char *labels)
{
    const size_t n = strlen(path);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *table;

    if (n < 4 || strcmp(path + n - 4, ".svm") != 0) return table_of(path, labels, NULL);
    must(scarce_table_read(&table, &path, 1, NULL, NULL, &err), &err);
    return table;
}

int main(int argc, char **argv)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *params;
    scarce_learner *learner = NULL;
    double ap = -1;
    char word[64];

    if (argc != 4) die("online", "X.npy y.npy SPEC");
    scarce_table *table = read_rows(argv[1], argv[2]);
    const size_t n = scarce_table_rows(table);
    double *score = malloc(n * sizeof *score);
    if (!score) die("online", "out of memory");
    must(scarce_params_of_spec(&params, argv[3], &err), &err);
    printf("{\"rows\": %zu}\n", n);
    while (next_word(word)) {
        const double start = wall(), begun = cpu();
        if (!strcmp(word, "info")) {
            printf("{\"ap\": %.6f, \"rss_mib\": %.1f}\n", ap, peak());
            continue;
        }
        scarce_learner_free(learner);
        must(scarce_learner_new(&learner, params, scarce_table_schema(table), NULL, NULL, &err), &err);
        must(scarce_learner_block(learner, table, 0, score, &err), &err);
        const double seconds = wall() - start, used = cpu() - begun;
        must(scarce_average_precision(&ap, score, scarce_table_label(table), NULL, n, NULL, &err), &err);
        printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"rows_per_s\": %.0f}\n", seconds, used,
               (double)n / seconds);
    }
    scarce_learner_free(learner);
    scarce_params_free(params);
    scarce_table_free(table);
    free(score);
    return 0;
}
