/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile results file of `compare`: whatever it holds, the comparison ends with figures, and going on once
 * more from the file it left gives the same figures, bit for bit. The first byte says what the rest is: bit 1: the
 * file as it is; else changes to the file that the comparison itself writes, four bytes each (what, where, where, with
 * what), so that inputs stay good when columns are added; bit 0: lines have their right sums all the same. */
#include <scarce/study.h>

#include "fuzz_parts.h"
#include "fuzz_small.h"

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

/* The file of an undisturbed comparison. */
static const fuzz_part *whole_file(const scarce_table *t, scarce_compare_options o)
{
    static uint8_t bytes[1 << 14];
    static fuzz_part whole = {bytes, 0};
    scarce_compare *c = NULL;
    char path[128];

    if (whole.n) return &whole;
    fuzz_write_file(path, "b", NULL, 0);
    o.results = path;
    MUST(run(&c, t, &o, NULL) == SCARCE_OK);
    scarce_compare_free(c);
    FILE *f = fopen(path, "rb");
    MUST(f != NULL);
    whole.n = fread(bytes, 1, sizeof bytes, f);
    MUST(fclose(f) == 0 && whole.n > 100 && whole.n < sizeof bytes);
    return &whole;
}

/* Puts a byte in another's place, between others, or takes it away; cuts; repeats what comes before at the end. */
static fuzz_part changed(const fuzz_part *whole, const uint8_t *data, size_t size)
{
    fuzz_part file = {malloc(4 * whole->n + size), whole->n};
    MUST(file.bytes != NULL);
    memcpy(file.bytes, whole->bytes, whole->n);
    for (; size >= 4 && file.n > 0; data += 4, size -= 4) {
        const size_t at = ((size_t)data[1] << 8 | data[2]) % file.n, rest = file.n - at;
        switch (data[0] % 5) {
        case 0: file.bytes[at] = data[3]; break;
        case 1:
            memmove(file.bytes + at + 1, file.bytes + at, rest);
            file.bytes[at] = data[3];
            file.n += 1;
            break;
        case 2:
            memmove(file.bytes + at, file.bytes + at + 1, rest - 1);
            file.n -= 1;
            break;
        case 3: file.n = at; break;
        default:
            if (file.n + rest > 3 * whole->n) break;
            memmove(file.bytes + file.n, file.bytes + at, rest);
            file.n += rest;
        }
    }
    return file;
}

/* Every line but the first with its right sum after its last comma. */
static void set_sums(fuzz_part *file)
{
    for (size_t at = 0, stop; at < file->n; at = stop) {
        uint8_t *line = file->bytes + at, *newline = memchr(line, '\n', file->n - at), *comma;
        char sum[9];
        stop = newline ? (size_t)(newline - file->bytes) + 1 : file->n;
        comma = newline ? memrchr(line, ',', stop - at) : NULL;
        if (at == 0 || !comma || newline - comma != 9) continue;
        snprintf(sum, sizeof sum, "%08x", (unsigned)(scarce__crc64(line, (size_t)(comma - line)) >> 32));
        memcpy(comma + 1, sum, 8);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t how = fuzz_take(&data, &size);
    scarce_table *t = fuzz_small_table(fuzz_small_csv, sizeof fuzz_small_csv - 1, 0);
    scarce_compare_options o = SCARCE_COMPARE_OPTIONS_INIT;
    const scarce_metrics_options metrics = SCARCE_METRICS_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_compare *first = NULL, *second = NULL;
    fuzz_part file;
    char path[128];

    MUST(t != NULL);
    o.protocol = "holdout:0.5";
    o.repeats = 2;
    o.metrics = &metrics;
    file = how & 2 ? fuzz_copy(data, size, 0) : changed(whole_file(t, o), data, size);
    if (how & 1) set_sums(&file);
    fuzz_write_file(path, "a", file.bytes, file.n);
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
