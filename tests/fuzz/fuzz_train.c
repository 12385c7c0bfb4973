/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration file, then the training it asks for, on a few rows and a few trees. First byte: the method;
 * second: flags; then calibration, threshold rule and metric as a line each, and the configuration as the
 * rest. Whatever trains, trains the same again, and its file is read as the same bytes. */
#include "fuzz_parts.h"
#include "fuzz_small.h"

static char *cut_line(char **rest)
{
    char *line = *rest, *end = strchr(line, '\n');
    if (end) *end = '\0';
    *rest = end ? end + 1 : line + strlen(line);
    return line;
}

static void check_model(const scarce_model *m, const scarce_model *again)
{
    void *one = NULL, *two = NULL;
    size_t n = 0, n2 = 0;
    scarce_model *back = NULL;
    MUST(scarce_model_bytes(&one, &n, m, NULL) == SCARCE_OK);
    MUST(scarce_model_bytes(&two, &n2, again, NULL) == SCARCE_OK);
    MUST(n == n2 && memcmp(one, two, n) == 0);
    MUST(scarce_model_read(&back, one, n, "file", NULL) == SCARCE_OK);
    scarce_bytes_free(two);
    MUST(scarce_model_bytes(&two, &n2, back, NULL) == SCARCE_OK);
    MUST(n == n2 && memcmp(one, two, n) == 0);
    scarce_model_free(back);
    scarce_bytes_free(one);
    scarce_bytes_free(two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *method = scarce_method_get(fuzz_take(&data, &size) % scarce_method_count()).name;
    const uint8_t flags = fuzz_take(&data, &size);
    fuzz_part text = fuzz_copy(data, size, 1);
    char *rest = (char *)text.bytes, path[128];
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *p = NULL;
    scarce_model *m = NULL, *again = NULL;
    scarce_table *t = fuzz_small_table(fuzz_small_csv, sizeof fuzz_small_csv - 1, flags & 15);

    const char *calibrate = cut_line(&rest), *threshold = cut_line(&rest), *metric = cut_line(&rest);
    MUST(t && scarce_params_new(&p, method, NULL) == SCARCE_OK);
    if (*calibrate) o.calibrate = calibrate;
    if (*threshold) o.threshold = threshold;
    if (*metric) o.metric = metric;
    if (flags & 16) o.valid = t;
    if (flags & 32) o.early_stop = 2;
    fuzz_write_file(path, "a", (const uint8_t *)rest, strlen(rest));
    if (scarce_params_read(p, path, &err) == SCARCE_OK) {
        fuzz_small_params(p);
        const scarce_status st = fuzz_small_train(&m, t, p, &o, &err);
        MUST(fuzz_small_train(&again, t, p, &o, &err) == st);
        if (m) check_model(m, again);
    }
    scarce_model_free(m);
    scarce_model_free(again);
    scarce_params_free(p);
    scarce_table_free(t);
    free(text.bytes);
    return 0;
}
