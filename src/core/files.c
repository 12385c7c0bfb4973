/* SPDX-License-Identifier: Apache-2.0 */
#include "core/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"

enum { MOST_LINKS = 40, LONGEST_LINK = 4096 };

int scarce__open(const char *path, int flags, mode_t mode)
{
    int fd;
    do fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

FILE *scarce__fopen(const char *path)
{
    FILE *file;
    do file = fopen(path, "rb");
    while (!file && errno == EINTR);
    return file;
}

ssize_t scarce__read_full(int fd, void *to, size_t n)
{
    size_t got = 0;

    while (got < n) {
        const ssize_t k = read(fd, (char *)to + got, n - got);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return -1;
        if (k == 0) break;
        got += (size_t)k;
    }
    return (ssize_t)got;
}

/* What the link at `path` points to, relative to where the path itself is; NULL: no link, or no memory (then
 * errno is ENOMEM). */
static char *link_target(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *target = scarce__malloc(folder + LONGEST_LINK + 1);
    ssize_t n;

    if (!target) {
        errno = ENOMEM;
        return NULL;
    }
    n = readlink(path, target + folder, LONGEST_LINK);
    if (n <= 0 || n == LONGEST_LINK) {
        scarce__free(target);
        errno = n == LONGEST_LINK ? ENAMETOOLONG : EINVAL;
        return NULL;
    }
    target[folder + (size_t)n] = '\0';
    if (target[folder] == '/') memmove(target, target + folder, (size_t)n + 1);
    else memcpy(target, path, folder);
    return target;
}

char *scarce__follow_links(const char *path)
{
    char *at = scarce__strdup(path);

    for (int k = 0; at && k < MOST_LINKS; ++k) {
        char *next = link_target(at);
        if (!next && errno != ENOMEM) return at;
        scarce__free(at);
        at = next;
    }
    errno = at ? ELOOP : ENOMEM;
    scarce__free(at);
    return NULL;
}

const char *scarce__io_reason(int number)
{
    switch (number) {
    case ENOENT: return "no such file";
    case EACCES:
    case EPERM: return "not allowed";
    case EISDIR: return "it is a directory";
    case EMFILE:
    case ENFILE: return "too many open files";
    case ENOSPC: return "no space left";
    case EIO: return "the disk failed";
    default: return NULL;
    }
}

scarce_status scarce__read_text_file(scarce__text *out, const char *path, size_t most, scarce_error *err)
{
    enum { BLOCK = 4096 };
    char block[BLOCK];
    const int fd = scarce__open(path, O_RDONLY, 0);
    ssize_t got = fd < 0 ? -1 : 0;

    while (fd >= 0 && out->n <= most && (got = scarce__read_full(fd, block, BLOCK)) > 0)
        scarce__text_add_bytes(out, block, (size_t)got);
    const int number = errno;
    if (fd >= 0) close(fd);
    if (got < 0) {
        const char *why = scarce__io_reason(number);
        return scarce__fail(err, SCARCE_EIO, "%.300s: %s", path, why ? why : strerror(number));
    }
    if (out->failed) return scarce__fail_memory(err, "a file", 0);
    if (out->n > most)
        return scarce__fail(err, SCARCE_EDATA, "%.300s: more than %zu bytes, is that the right file?", path,
                            most);
    return SCARCE_OK;
}

int scarce__open_nameless(const char *folder)
{
    const char *set = getenv("TMPDIR");
    const char *in = folder ? folder : set && *set ? set : "/tmp";
    const size_t n = strlen(in) + sizeof "/scarce-XXXXXX";
    char *path = scarce__malloc(n);
    int fd;

    if (!path) {
        errno = ENOMEM;
        return -1;
    }
    (void)snprintf(path, n, "%s/scarce-XXXXXX", in);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) (void)unlink(path);
    scarce__free(path);
    return fd;
}
