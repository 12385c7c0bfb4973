/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile file of an interrupted search: whatever it holds, opening it ends, and a record that is appended is found
 * again with its bits, beside all that were found before. The lines get a header and their right check words, so that
 * they count; without the header nothing of the file may change. */
#include <string.h>

#include "core/hash.h"
#include "fuzz_parts.h"
#include "study/trials_file.h"

/* Each line as it is, then once more with its check word. */
static char *with_checks(const fuzz_part *text, size_t *n)
{
    char *out = malloc(2 * text->n + 32 * (text->n + 4)), *to = out;
    MUST(out != NULL);
    to += sprintf(to, "%s", SCARCE__TRIALS_HEADER);
    for (const char *line = (const char *)text->bytes, *end = line + text->n; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const size_t length = (size_t)((stop ? stop : end) - line);
        memcpy(to, line, length);
        to += length;
        *to++ = '\n';
        memcpy(to, line, length);
        to += length;
        to += sprintf(to, " %016llx\n", (unsigned long long)scarce__hash_bytes(1, line, length));
        line = stop ? stop + 1 : end;
    }
    *n = (size_t)(to - out);
    return out;
}

static void not_ours(const fuzz_part *text)
{
    const size_t n = strlen(SCARCE__TRIALS_HEADER), k = text->n < n ? text->n : n;
    scarce__trials_file file;
    scarce_error err = SCARCE_ERROR_INIT;
    char path[128];

    if (memcmp(text->bytes, SCARCE__TRIALS_HEADER, k) == 0) return;
    fuzz_write_file(path, "b", text->bytes, text->n);
    MUST(scarce__trials_open(&file, path, 1, &err) == SCARCE_EDATA && file.n_records == 0);
    FILE *f = fopen(path, "rb");
    for (size_t i = 0; i < text->n; ++i) MUST(getc(f) == text->bytes[i]);
    MUST(getc(f) == EOF && fclose(f) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_part text = fuzz_copy(data, size, 1);
    const double value[] = {0.25, -0.0, 1e-300};
    const scarce__fit_record mine = {7, 3, 3, 0x1p-3, 0.5, (double *)(uintptr_t)value};
    scarce__trials_file first, second;
    scarce_error err = SCARCE_ERROR_INIT;
    char path[128];
    size_t n;
    char *lines = with_checks(&text, &n);

    fuzz_write_file(path, "a", (const uint8_t *)lines, n);
    MUST(scarce__trials_open(&first, path, 1, &err) == SCARCE_OK);
    MUST(scarce__trials_append(&first, &mine, &err) == SCARCE_OK);
    MUST(scarce__trials_open(&second, path, 1, &err) == SCARCE_OK);
    MUST(second.n_records >= first.n_records);
    for (size_t i = 0; i < first.n_records; ++i)
        MUST(second.records[i].n == first.records[i].n &&
             (first.records[i].n == 0 || memcmp(second.records[i].value, first.records[i].value,
                                                first.records[i].n * sizeof(double)) == 0));
    if (second.n_records > first.n_records) {
        const scarce__fit_record *last = &second.records[second.n_records - 1];
        MUST(last->trial == 7 && last->split == 3 && last->n == 3 &&
             memcmp(last->value, value, sizeof value) == 0);
    }
    not_ours(&text);
    scarce__trials_close(&first);
    scarce__trials_close(&second);
    free(lines);
    free(text.bytes);
    fuzz_forget_files();
    return 0;
}
