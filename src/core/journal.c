/* SPDX-License-Identifier: Apache-2.0 */
#include "core/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/files.h"

enum { BLOCK = 1 << 16, LONGEST_LINE = 1 << 24 };

static scarce_status fail_system(const char *path, int error, scarce_error *err)
{
    return scarce__fail(err, SCARCE_EIO, "%s: %s", path, strerror(error));
}

/* Opened and locked. *fd -1 and no error: it isn't there, and nobody asked to make it. A pipe is not waited for. */
static scarce_status open_locked(int *fd, const char *path, const char *what, int create, scarce_error *err)
{
    struct stat info;

    *fd = scarce__open(path, O_RDWR | O_NONBLOCK | (create ? O_CREAT : 0), 0666);
    if (*fd < 0 && errno == ENOENT && !create) return SCARCE_OK;
    if (*fd < 0 || fstat(*fd, &info) != 0) {
        const int error = errno;
        if (*fd >= 0) (void)close(*fd);
        return fail_system(path, error, err);
    }
    if (!S_ISREG(info.st_mode)) {
        (void)close(*fd);
        return scarce__fail(err, SCARCE_EINVAL, "%s: %s can only be kept in a regular file", path, what);
    }
    while (flock(*fd, LOCK_EX) != 0 && errno == EINTR) {
    } /* without locks: as good as one can */
    return SCARCE_OK;
}

static ssize_t read_at(int fd, char *to, size_t n, off_t at)
{
    ssize_t got;
    do got = pread(fd, to, n, at);
    while (got < 0 && errno == EINTR);
    return got;
}

/* ---- adding */

/* Where the last whole line ends. */
static off_t whole_lines(int fd, off_t size)
{
    char block[4096];

    while (size > 0) {
        const off_t begin = size > (off_t)sizeof block ? size - (off_t)sizeof block : 0;
        const ssize_t n = read_at(fd, block, (size_t)(size - begin), begin);
        const char *newline = n > 0 ? memrchr(block, '\n', (size_t)n) : NULL;
        if (newline) return begin + (newline - block) + 1;
        if (n <= 0) break;
        size = begin;
    }
    return 0;
}

/* All of it after the last whole line, or the file as it was. */
static scarce_status add_bytes(int fd, const char *path, const char *bytes, size_t n, scarce_error *err)
{
    const off_t end = lseek(fd, 0, SEEK_END), whole = whole_lines(fd, end);
    size_t done = 0;
    int error = 0;

    if (whole < end && ftruncate(fd, whole) != 0) return fail_system(path, errno, err);
    while (done < n && !error) {
        const ssize_t k = pwrite(fd, bytes + done, n - done, whole + (off_t)done);
        if (k > 0) done += (size_t)k;
        else if (k == 0 || errno != EINTR) error = k == 0 ? EIO : errno;
    }
    if (!error) return SCARCE_OK;
    (void)!ftruncate(fd, whole);
    return fail_system(path, error, err);
}

/* Is the file ours? One that is empty, or was cut off inside the header, gets it where `write` is set. */
static scarce_status check_header(int fd, const char *path, const char *header, const char *what, int write,
                                  scarce_error *err)
{
    const size_t n = strlen(header), word = strcspn(header, " ,\n");
    const off_t end = lseek(fd, 0, SEEK_END);
    scarce_status st = SCARCE_OK;
    char *first = scarce__calloc(n + 1, 1);
    ssize_t got;

    if (!first) return scarce__fail_memory(err, what, 0);
    got = read_at(fd, first, n, 0);
    if (got < 0) st = fail_system(path, errno, err);
    else if (end < (off_t)n && memcmp(first, header, (size_t)end) == 0)
        st = write ? add_bytes(fd, path, header, n, err) : SCARCE_OK;
    else if (strncmp(first, header, word + 1) == 0 && memcmp(first, header, n) != 0)
        st = scarce__fail(err, SCARCE_EDATA, "%s: %s of another release; choose another name for the %s",
                          path, what, what);
    else if (memcmp(first, header, n) != 0)
        st = scarce__fail(err, SCARCE_EDATA,
                          "%s: there is a file of that name that holds no %s; choose another name for the %s",
                          path, what, what);
    scarce__free(first);
    return st;
}

scarce_status scarce__journal_add(const char *path, const char *header, const char *what,
                                  const scarce__text *line, scarce_error *err)
{
    scarce_status st;
    int fd;

    if (line->failed) return scarce__fail_memory(err, what, 0);
    SCARCE__TRY(open_locked(&fd, path, what, 1, err));
    st = check_header(fd, path, header, what, 1, err);
    if (st == SCARCE_OK) st = add_bytes(fd, path, line->bytes, line->n, err);
    if (close(fd) != 0 && st == SCARCE_OK && errno != EINTR) st = fail_system(path, errno, err);
    return st;
}

/* ---- reading */

typedef struct lines {
    char *block;
    size_t held, room;
    scarce__journal_line *line;
    void *arg;
} lines;

/* The whole lines of what is held; what is left moves to the front. */
static scarce_status hand_over(lines *r, scarce_error *err)
{
    char *line = r->block, *end;
    scarce_status st = SCARCE_OK;

    while (st == SCARCE_OK && (end = memchr(line, '\n', r->held)) != NULL) {
        *end = '\0';
        r->held -= (size_t)(end - line) + 1;
        st = r->line(r->arg, line, err);
        line = end + 1;
    }
    memmove(r->block, line, r->held);
    return st;
}

/* Room for more of a long line; one that no line of ours can be is passed over. */
static scarce_status make_room(lines *r, const char *what, scarce_error *err)
{
    char *grown;

    if (r->held < r->room) return SCARCE_OK;
    if (r->room >= LONGEST_LINE) {
        r->held = 0;
        return SCARCE_OK;
    }
    grown = scarce__realloc_array(r->block, 2 * r->room, 1);
    if (!grown) return scarce__fail_memory(err, what, 0);
    r->block = grown;
    r->room *= 2;
    return SCARCE_OK;
}

static scarce_status read_lines(int fd, const char *path, const char *what, off_t at, lines *r,
                                scarce_error *err)
{
    for (;;) {
        ssize_t n;
        SCARCE__TRY(make_room(r, what, err));
        n = read_at(fd, r->block + r->held, r->room - r->held, at);
        if (n < 0) return fail_system(path, errno, err);
        if (n == 0) return SCARCE_OK; /* half a line at the end does not count */
        at += n;
        r->held += (size_t)n;
        SCARCE__TRY(hand_over(r, err));
    }
}

scarce_status scarce__journal_read(const char *path, const char *header, const char *what, int create,
                                   scarce__journal_line *line, void *arg, scarce_error *err)
{
    lines r = {NULL, 0, BLOCK, line, arg};
    scarce_status st;
    int fd;

    SCARCE__TRY(open_locked(&fd, path, what, create, err));
    if (fd < 0) return SCARCE_OK;
    st = check_header(fd, path, header, what, create, err);
    r.block = st == SCARCE_OK ? scarce__malloc(r.room) : NULL;
    if (st == SCARCE_OK && !r.block) st = scarce__fail_memory(err, what, 0);
    if (st == SCARCE_OK) st = read_lines(fd, path, what, (off_t)strlen(header), &r, err);
    scarce__free(r.block);
    (void)close(fd);
    return st;
}
