/* SPDX-License-Identifier: Apache-2.0 */
/* Specifications as `--methods` and `--resample` take them, one in each line: what can be parsed resamples a
 * tiny table and trains on it, or says why not; and what a parameter is set to comes back as a text that sets
 * it again. */
#include <scarce/resample.h>

#include "fuzz_parts.h"
#include "fuzz_small.h"

enum { MOST_LINES = 4, MOST_MADE = 3000 };

static void try_resample(const char *spec, const scarce_table *t)
{
    scarce_resample_info info = SCARCE_RESAMPLE_INFO_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *out = NULL;
    uint8_t *made = NULL;
    const scarce_status check = scarce_resample_check(spec, &err);
    const char *ratio = strstr(spec, "ratio"), *strategy = strstr(spec, "sampling_strategy");

    if (check != SCARCE_OK) {
        MUST(check == SCARCE_EINVAL && err.text[0]);
        return;
    }
    if ((ratio || strategy) && strpbrk(spec, "eE0123456789") && strlen(spec) > 30) return;
    const scarce_status st = scarce_resample(&out, &made, &info, t, spec, fuzz_context(1), &err);
    MUST((st == SCARCE_OK) == (out != NULL) && (st == SCARCE_OK || err.text[0]));
    if (out) {
        fuzz_check_table(out, 0);
        MUST(info.odds_factor > 0);
    }
    scarce_resample_flags_free(made);
    scarce_table_free(out);
}

static void try_spec(const char *spec, const scarce_table *t)
{
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *p = NULL;
    scarce_model *m = NULL;

    const scarce_status st = scarce_params_of_spec(&p, spec, &err);
    MUST((st == SCARCE_OK) == (p != NULL));
    if (st != SCARCE_OK) {
        MUST(st == SCARCE_EINVAL && err.text[0] && !strchr(err.text, '\n'));
        return;
    }
    MUST(scarce_method_find(scarce_params_method(p)) != SIZE_MAX);
    const size_t method = scarce_method_find(scarce_params_method(p));
    for (size_t i = 0; i < scarce_method_get(method).n_params; ++i) {
        const char *name = scarce_method_param(method, i).name;
        char *text = NULL;
        MUST(scarce_params_get(&text, p, name, &err) == SCARCE_OK);
        scarce_bytes_free(text);
    }
    fuzz_small_params(p);
    if (!scarce_params_resample(p)) (void)fuzz_small_train(&m, t, p, &o, &err);
    scarce_model_free(m);
    scarce_params_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_part text = fuzz_copy(data, size, 1);
    scarce_table *t = fuzz_small_table(fuzz_small_csv, sizeof fuzz_small_csv - 1, 15);
    char *line = (char *)text.bytes;

    MUST(t != NULL);
    for (int i = 0; line && i < MOST_LINES; ++i) {
        char *next = strchr(line, '\n');
        if (next) *next++ = '\0';
        try_spec(line, t);
        try_resample(line, t);
        line = next;
    }
    scarce_table_free(t);
    free(text.bytes);
    return 0;
}
