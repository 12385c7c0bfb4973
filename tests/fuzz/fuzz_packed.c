/* SPDX-License-Identifier: Apache-2.0 */
/* gzip and zstd bytes nobody vouches for, as a source: read in pieces of any size they give the same bytes or
 * the same failure, and after going back the same again. First byte: the size of the pieces. What unpacks is
 * read up to a limit: a bomb is no fault of the reader. */
#include "data/source.h"
#include "fuzz_parts.h"

enum { MOST = 1 << 18 };

/* Reads to the end, the limit, or a failure. */
static scarce_status drain(scarce__source *source, uint8_t *to, size_t piece, size_t *n, scarce_error *err)
{
    *n = 0;
    while (*n < MOST) {
        size_t got = 0, want = MOST - *n < piece ? MOST - *n : piece;
        const scarce_status st = scarce__source_read(source, to + *n, want, &got, err);
        MUST(got <= want);
        if (st != SCARCE_OK) return st;
        *n += got;
        if (got < want) break;
    }
    return SCARCE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t piece = 1 + (size_t)fuzz_take(&data, &size);
    fuzz_part bytes = fuzz_copy(data, size, 0);
    uint8_t *one = malloc(MOST), *two = malloc(MOST);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__source *source = NULL;
    size_t n = 0, n2 = 0;

    MUST(one && two);
    if (scarce__source_memory(&source, bytes.bytes, bytes.n, "file", &err) == SCARCE_OK) {
        const scarce_status st = drain(source, one, piece, &n, &err);
        MUST(st == SCARCE_OK || (err.code == st && strstr(err.text, "file")));
        if (scarce__source_rewind(source, &err) == SCARCE_OK) {
            const scarce_status st2 = drain(source, two, MOST, &n2, &err);
            MUST(st == st2);
            if (st == SCARCE_OK) MUST(n == n2 && memcmp(one, two, n) == 0);
        }
    } else MUST(source == NULL && err.text[0]);
    scarce__source_close(source);
    free(one);
    free(two);
    free(bytes.bytes);
    return 0;
}
