/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of several parts, and files for what wants a path. A part is two bytes of length (low byte first) and
 * the bytes; the last part of an input is what is left. Each part lies in a block of exactly its size. */
#ifndef SCARCE_FUZZ_PARTS_H
#define SCARCE_FUZZ_PARTS_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/bytes.h"
#include "fuzz.h"

typedef struct fuzz_part {
    uint8_t *bytes; /* freed by the caller; one more byte, a NUL, for those that are `text` */
    size_t n;
} fuzz_part;

static inline fuzz_part fuzz_copy(const uint8_t *data, size_t n, int text)
{
    fuzz_part part = {malloc(n + (text || n == 0)), n};
    MUST(part.bytes != NULL);
    if (n) memcpy(part.bytes, data, n);
    if (text) part.bytes[n] = '\0';
    return part;
}

static inline fuzz_part fuzz_next_part(const uint8_t **data, size_t *size, int text)
{
    size_t n = fuzz_take(data, size);
    n += (size_t)fuzz_take(data, size) << 8;
    if (n > *size) n = *size;
    const fuzz_part part = fuzz_copy(*data, n, text);
    *data += n;
    *size -= n;
    return part;
}

/* The checksum at the end of a model file is set right: it would stop nearly every input. */
static inline void fuzz_right_checksum(uint8_t *model, size_t n)
{
    if (n < 8) return;
    const uint64_t crc = scarce__crc64(model, n - 8);
    for (size_t i = 0; i < 8; ++i) model[n - 8 + i] = (uint8_t)(crc >> (8 * i));
}

/* A folder for this process, made once and removed, with the files below, at the end. */
static char fuzz_folder_name[64];
static const char *const fuzz_file_names[] = {"a", "b", "c", "d", "out", "out.csv", "m", "m.part"};

static inline void fuzz_forget_files(void)
{
    char path[128];
    for (size_t i = 0; i < sizeof fuzz_file_names / sizeof fuzz_file_names[0]; ++i) {
        (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder_name, fuzz_file_names[i]);
        (void)unlink(path);
    }
}

static inline void fuzz_forget_folder(void)
{
    fuzz_forget_files();
    (void)rmdir(fuzz_folder_name);
}

static inline const char *fuzz_folder(void)
{
    if (!fuzz_folder_name[0]) {
        const char *base = getenv("TMPDIR");
        (void)snprintf(fuzz_folder_name, sizeof fuzz_folder_name, "%.40s/scarce-fuzz-XXXXXX",
                       base && *base                   ? base
                       : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                                       : "/tmp");
        MUST(mkdtemp(fuzz_folder_name) != NULL);
        atexit(fuzz_forget_folder);
    }
    return fuzz_folder_name;
}

/* Writes a file of the folder; path has room for 128 bytes. */
static inline void fuzz_write_file(char *path, const char *name, const uint8_t *bytes, size_t n)
{
    (void)snprintf(path, 128, "%s/%s", fuzz_folder(), name);
    FILE *f = fopen(path, "wb");
    MUST(f && (n == 0 || fwrite(bytes, 1, n, f) == n));
    MUST(fclose(f) == 0);
}

#endif
