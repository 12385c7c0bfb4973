/* SPDX-License-Identifier: Apache-2.0 */
/* All bytes of a file that somebody called a model, after a look at the first of them: it may be large, or without
 * end. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/files.h"
#include "model/model.h"

enum { BLOCK_BYTES = 65536 };
#define MOST_PIPED ((uint64_t)4 << 30)

/* What follows the first block: of a file no more than its size, of a pipe no more than a limit, since it may
 * have no end. */
static scarce_status read_rest(scarce__writer *all, int fd, const char *path, uint64_t size,
                               uint8_t block[BLOCK_BYTES], scarce_error *err)
{
    for (;;) {
        const uint64_t left = size - all->n;
        const ssize_t got = scarce__read_full(fd, block, left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES);
        if (got < 0) return scarce__fail(err, SCARCE_EIO, "%s: %s", path, strerror(errno));
        if (got == 0) return SCARCE_OK;
        scarce__put(all, block, (size_t)got);
        if (all->failed) return scarce__fail_memory(err, "a model", 0);
        if (size == UINT64_MAX && all->n >= MOST_PIPED)
            return scarce__fail(err, SCARCE_EPARSE, "%s: more than 4 GB of a model that isn't a file", path);
    }
}

scarce_status scarce__read_file(scarce__writer *all, const char *path,
                                scarce_status (*check)(const void *first, size_t n, const char *path,
                                                       scarce_error *err),
                                scarce_error *err)
{
    const int fd = scarce__open(path, O_RDONLY, 0);
    uint8_t *block = scarce__malloc(BLOCK_BYTES);
    struct stat info;
    uint64_t size = UINT64_MAX;
    ssize_t got = 0;
    scarce_status st = SCARCE_OK;

    if (fd < 0) st = scarce__fail(err, SCARCE_EIO, "%s: %s", path, strerror(errno));
    else if (!block) st = scarce__fail_memory(err, "a model", 0);
    else if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) size = (uint64_t)info.st_size;
    if (st == SCARCE_OK) {
        got = scarce__read_full(fd, block, size < BLOCK_BYTES ? (size_t)size : BLOCK_BYTES);
        if (got < 0) st = scarce__fail(err, SCARCE_EIO, "%s: %s", path, strerror(errno));
        else st = check(block, (size_t)got, path, err);
    }
    if (st == SCARCE_OK) {
        scarce__put(all, block, (size_t)got);
        st =
            all->failed ? scarce__fail_memory(err, "a model", 0) : read_rest(all, fd, path, size, block, err);
    }
    scarce__free(block);
    if (fd >= 0) (void)close(fd);
    return st;
}
