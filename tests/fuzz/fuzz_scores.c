/* SPDX-License-Identifier: Apache-2.0 */
/* Files of --scores (the program's rankings.c), and a comparison with them: any bytes are an error with a text
 * or a contestant whose every score belongs to a row. Two files: the first is a part, the rest the second. */
#include "../../programs/scarce/comparison.h"
#include "fuzz_parts.h"
#include "fuzz_small.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_part one = fuzz_next_part(&data, &size, 0);
    scarce_table *t = fuzz_small_table(fuzz_small_csv, sizeof fuzz_small_csv - 1, 0);
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_compare *compare = NULL;
    ranking_files files;
    char path[2][128], spec[2][160];
    const char *items[2] = {spec[0], spec[1]};
    const text_list specs = {items, size ? 2 : 1};

    MUST(t != NULL);
    fuzz_write_file(path[0], "a", one.bytes, one.n);
    fuzz_write_file(path[1], "b", data, size);
    snprintf(spec[0], sizeof spec[0], "one=%s", path[0]);
    snprintf(spec[1], sizeof spec[1], "two=%s", path[1]);
    o.protocol = "holdout:0.5";
    o.repeats = 2;
    scarce_status st = read_rankings(&files, &specs, t->n_rows, fuzz_context(1), &err);
    MUST(st == SCARCE_OK || (err.code == st && err.text[0] && st != SCARCE_EBUG));
    if (st == SCARCE_OK) {
        o.rankings = files.rankings;
        o.n_rankings = files.count;
        st = scarce_compare_run(&compare, t, NULL, 0, &o, fuzz_context(1), &err);
        MUST(st == SCARCE_OK || (err.code == st && err.text[0] && st != SCARCE_EBUG));
    }
    scarce_compare_free(compare);
    forget_rankings(&files);
    scarce_table_free(t);
    free(one.bytes);
    return 0;
}
