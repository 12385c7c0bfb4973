/* SPDX-License-Identifier: Apache-2.0 */
/* load FILE.csv THREADS [bins]: reading a table, and cutting it into bins, from the page cache. */
#include "bench.h"

#include "boost/boost.h"

int main(int argc, char **argv)
{
    scarce__bin_options bins = SCARCE__BIN_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_context *ctx;
    double first_peak = 0, before, bytes = 0;
    char word[64];

    if (argc < 3) die("load", "FILE.csv THREADS [bins]");
    ctx = context(atoi(argv[2]));
    bins.positive_share = 0.3; /* as the method gb has it */
    before = peak();
    printf("{}\n");
    while (next_word(word)) {
        if (!strcmp(word, "go")) {
            const double t = wall(), c = cpu();
            scarce_table *table = table_of(argv[1], NULL, ctx);
            scarce__binned *binned = NULL;
            const double read = wall() - t;
            if (argc > 3) must(scarce__binned_new(&binned, table, NULL, 0, NULL, &bins, ctx, &err), &err);
            printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"read\": %.6f}\n", wall() - t, cpu() - c, read);
            if (first_peak == 0) first_peak = peak();
            bytes = (double)scarce_table_bytes(table);
            scarce__binned_free(binned);
            scarce_table_free(table);
        } else {
            printf("{\"rss_mib\": %.1f, \"table_mib\": %.1f, \"peak_of_table\": %.3f}\n", first_peak,
                   bytes / 1048576, (first_peak - before) * 1048576 / bytes);
        }
    }
    scarce_context_free(ctx);
    return 0;
}
