/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile results file of `compare`: whatever it holds, the comparison ends with figures, and going on once
 * more from the file it left gives the same figures, bit for bit. Where the input says FINGERPRINT-HERE stands
 * the right one, and each line stands there once more with its right sum, so that lines count. */
#include <scarce/study.h>

#include "fuzz_parts.h"
#include "fuzz_small.h"
#include "study/compare.h"

static scarce_status run(scarce_compare **out, const scarce_table *t, const scarce_compare_options *o,
                         scarce_error *err)
{
    static const char *const methods[] = {"logistic:max_iterations=3", "logistic"};
    return scarce_compare_run(out, t, methods, 2, o, fuzz_context(1), err);
}

static void same(const scarce_compare *a, const scarce_compare *b)
{
    for (size_t f = 0; f < scarce_compare_folds(a); ++f)
        for (size_t m = 0; m < scarce_compare_methods(a); ++m)
            for (size_t k = 0; k < scarce_metric_count(); ++k) {
                const double x = scarce_metric_value(scarce_compare_metrics(a, m, f), k);
                const double y = scarce_metric_value(scarce_compare_metrics(b, m, f), k);
                MUST(x == y || (isnan(x) && isnan(y)));
            }
}

/* Each line as it is, then, after the first, once more with its right sum instead of what follows its last comma. */
static fuzz_part with_sums(const fuzz_part *file)
{
    fuzz_part out = {malloc(2 * file->n + 16 * (file->n + 1)), 0};
    MUST(out.bytes != NULL);
    for (size_t at = 0, stop; at < file->n; at = stop) {
        const uint8_t *line = file->bytes + at, *newline = memchr(line, '\n', file->n - at);
        const uint8_t *comma;
        stop = newline ? (size_t)(newline - file->bytes) + 1 : file->n;
        memcpy(out.bytes + out.n, line, stop - at);
        out.n += stop - at;
        comma = memrchr(line, ',', stop - at);
        if (at == 0 || !newline || !comma) continue;
        memcpy(out.bytes + out.n, line, (size_t)(comma - line));
        out.n += (size_t)(comma - line);
        out.n += (size_t)sprintf((char *)out.bytes + out.n, ",%08x\n",
                                 (unsigned)(scarce__crc64(line, (size_t)(comma - line)) >> 32));
    }
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char mark[] = "FINGERPRINT-HERE";
    fuzz_part file = fuzz_copy(data, size, 1);
    scarce_table *t = fuzz_small_table(fuzz_small_csv, sizeof fuzz_small_csv - 1, 0);
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    const scarce_metrics_options metrics = SCARCE_METRICS_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_compare *first = NULL, *second = NULL;
    char path[128], print[17];

    MUST(t != NULL);
    o.protocol = "holdout:0.5";
    o.repeats = 2;
    o.metrics = &metrics;
    snprintf(print, sizeof print, "%016llx",
             (unsigned long long)scarce__compare_fingerprint(t, &o, fuzz_context(1)));
    for (uint8_t *at = file.bytes; file.n >= 16 && at + 16 <= file.bytes + file.n; ++at)
        if (memcmp(at, mark, 16) == 0) memcpy(at, print, 16);
    fuzz_part whole = with_sums(&file);
    fuzz_write_file(path, "a", whole.bytes, whole.n);
    free(whole.bytes);
    o.results = path;
    const scarce_status st = run(&first, t, &o, &err);
    MUST(st == SCARCE_OK || (err.text[0] && st != SCARCE_EBUG));
    if (st == SCARCE_OK) {
        MUST(run(&second, t, &o, &err) == SCARCE_OK);
        same(first, second);
    }
    scarce_compare_free(first);
    scarce_compare_free(second);
    scarce_table_free(t);
    free(file.bytes);
    return 0;
}
