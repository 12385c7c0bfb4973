/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours and resampling in memory.
 *
 *     near X.npy y.npy THREADS
 *
 * Each line is a job: "find K [LEVEL [TREE]]" the K nearest of all rows in themselves (level: 0 plain, 1 AVX2,
 * 2 AVX-512), anything else a specification of resampling. The answer tells the time, and of the result its
 * rows and a fingerprint. "take SPEC" changes the table in place, once: its memory is told. */
#include "bench.h"

#include <math.h>

#include "near/near.h"

static void find(const scarce_table *table, const char *line, scarce_context *ctx)
{
    const size_t n = scarce_table_rows(table);
    size_t k = 5;
    int level = -1, tree = -1;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__space space;
    double sum = 0;

    (void)sscanf(line, "find %zu %d %d", &k, &level, &tree);
    uint32_t *index = malloc(n * k * sizeof *index);
    double *square = malloc(n * k * sizeof *square);
    if (!index || !square) die("near", "out of memory");
    const double start = wall(), begun = cpu();
    must(scarce__space_init(&space, table, SCARCE__SCALE_NONE, ctx, &err), &err);
    const scarce__near ask = {&space, {table, NULL, n}, {table, NULL, n}, k, 0};
    if (tree >= 0) must(scarce__near_find_at(index, square, &ask, level, tree, ctx, &err), &err);
    else must(scarce__near_find(index, square, &ask, ctx, &err), &err);
    const double seconds = wall() - start, used = cpu() - begun;
    for (size_t i = 0; i < n; ++i) sum += sqrt(square[i * k + k - 1]);
    printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"mean\": %.9g}\n", seconds, used, sum / (double)n);
    scarce__space_deinit(&space);
    free(index), free(square);
}

static void tell(const scarce_table *t, double seconds, double used)
{
    printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"rows\": %zu, \"positives\": %zu, \"rss_mib\": %.1f}\n",
           seconds, used, scarce_table_rows(t), scarce_table_positives(t), peak());
}

/* The peak counts from here on: what reading the numbers took is not what resampling takes. */
static void forget_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f) return;
    fputs("5", f);
    fclose(f);
}

int main(int argc, char **argv)
{
    scarce_error err = SCARCE_ERROR_INIT;
    char line[256];

    if (argc != 4) die("near", "X.npy y.npy THREADS");
    scarce_context *ctx = context(atoi(argv[3]));
    scarce_table *table = table_of(argv[1], argv[2], ctx);
    forget_peak();
    printf("{\"rows\": %zu, \"table_mib\": %.1f, \"rss_mib\": %.1f}\n", scarce_table_rows(table),
           (double)scarce_table_bytes(table) / 1048576, peak());
    for (fflush(stdout); fgets(line, sizeof line, stdin); fflush(stdout)) {
        scarce_table *made = NULL;
        line[strcspn(line, "\n")] = 0;
        if (!strcmp(line, "info")) printf("{\"rss_mib\": %.1f}\n", peak());
        else if (!strncmp(line, "find", 4)) find(table, line, ctx);
        else {
            const double start = wall(), begun = cpu();
            if (!strncmp(line, "take ", 5))
                must(scarce_resample_take(&table, NULL, NULL, line + 5, ctx, &err), &err), made = table;
            else must(scarce_resample(&made, NULL, NULL, table, line, ctx, &err), &err);
            tell(made, wall() - start, cpu() - begun);
            if (made != table) scarce_table_free(made);
        }
    }
    scarce_table_free(table);
    scarce_context_free(ctx);
    return 0;
}
