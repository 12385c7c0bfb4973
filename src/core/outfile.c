/* SPDX-License-Identifier: Apache-2.0 */
/* Temporaries are named .scarce-PID-RANDOM.tmp, and whoever writes one holds a lock (flock) on it, which the
 * system gives back when the process ends, however it ends. A temporary that can be locked therefore belongs
 * to nobody any more: the next writer in that folder removes it. Process numbers alone would not do: in
 * containers all have the same one, or can't see each other's. */
#include "core/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/entropy.h"
#include "core/files.h"

enum { BUFFER_BYTES = 1 << 16, LARGEST_WRITE = 1 << 30, NAME_TRIES = 100, MOST_ENTRIES = 20000 };

struct scarce__outfile {
    char *path;      /* as the user wrote it: for messages */
    char *target;    /* links resolved; NULL when written directly */
    char *temporary; /* NULL when written directly */
    int fd;
    int close_fd;
    int failed; /* errno of the first failure */
    size_t used;
    char buffer[BUFFER_BYTES];
};

static scarce_status fail_system(scarce_error *err, const char *path, const char *what, int error)
{
    return scarce__fail(err, SCARCE_EIO, "%s: can't %s: %s", path, what, strerror(error));
}

static void free_outfile(scarce__outfile *f)
{
    if (!f) return;
    scarce__free(f->path);
    scarce__free(f->target);
    scarce__free(f->temporary);
    scarce__free(f);
}

/* The process number in the name of a temporary; 0: another name. *old: of release 0.1.0, which held no lock. */
static long temporary_of(const char *name, int *old)
{
    static const char begin[] = ".scarce-";
    size_t pid, random;

    if (strncmp(name, begin, sizeof begin - 1) != 0) return 0;
    name += sizeof begin - 1;
    pid = strspn(name, "0123456789");
    if (pid == 0 || pid > 10 || name[pid] != '-') return 0;
    random = strspn(name + pid + 1, "0123456789abcdef");
    *old = random <= 3;
    if (random == 0 || (!*old && random != 16) || strcmp(name + pid + 1 + random, ".tmp") != 0) return 0;
    return strtol(name, NULL, 10);
}

/* Removes the temporary `name` of a folder if nobody writes it any more. */
static void remove_dead(int folder, const char *name)
{
    int old = 0;
    const long pid = temporary_of(name, &old);
    struct stat info;
    int fd;

    if (pid <= 0 || (old && (kill((pid_t)pid, 0) == 0 || errno != ESRCH))) return;
    fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return; /* gone, or another user's */
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlinkat(folder, name, 0);
    (void)close(fd);
}

/* What killed processes left in a folder. Best effort: of a very large folder only a part is looked at. */
static void clean_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;

    if (!folder) return;
    for (int k = 0; k < MOST_ENTRIES && (entry = readdir(folder)) != NULL; ++k)
        if (entry->d_name[0] == '.') remove_dead(dirfd(folder), entry->d_name);
    (void)closedir(folder);
}

/* Takes the lock. 0: someone who cleans up was faster and the file is gone. Where a file system has no locks
 * nobody can take one either, so nothing is removed there. */
static int hold(int fd)
{
    struct stat info;

    while (flock(fd, LOCK_EX) != 0)
        if (errno != EINTR) return 1;
    return fstat(fd, &info) != 0 || info.st_nlink > 0;
}

/* A new file beside f->target, with no more rights than `mode`. */
static scarce_status open_temporary(scarce__outfile *f, mode_t mode, scarce_error *err)
{
    const char *slash = strrchr(f->target, '/');
    const size_t directory = slash ? (size_t)(slash - f->target) + 1 : 0;
    const size_t room = directory + 64;

    f->temporary = scarce__malloc(room);
    if (!f->temporary) return scarce__fail_memory(err, "a file name", room);
    memcpy(f->temporary, f->target, directory);
    memcpy(f->temporary + directory, directory ? "" : ".", directory ? 1 : 2);
    clean_folder(f->temporary);
    for (int k = 0; k < NAME_TRIES; ++k) {
        (void)snprintf(f->temporary + directory, room - directory, ".scarce-%ld-%016llx.tmp", (long)getpid(),
                       (unsigned long long)scarce__entropy());
        f->fd = scarce__open(f->temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
        if (f->fd < 0 && errno == EEXIST) continue;
        if (f->fd < 0) break;
        if (hold(f->fd)) return SCARCE_OK;
        (void)close(f->fd);
        f->fd = -1;
        errno = EAGAIN;
    }
    return fail_system(err, f->path, "create a temporary file beside it", errno);
}

static scarce_status open_path(scarce__outfile *f, scarce_error *err)
{
    struct stat info;
    const int exists = stat(f->path, &info) == 0;

    if (!exists && errno != ENOENT) return fail_system(err, f->path, "write", errno);
    f->close_fd = 1;
    if (exists && !S_ISREG(info.st_mode)) {
        f->fd = scarce__open(f->path, O_WRONLY, 0);
        return f->fd < 0 ? fail_system(err, f->path, "write", errno) : SCARCE_OK;
    }
    f->target = scarce__follow_links(f->path);
    if (!f->target && errno == ENOMEM) return scarce__fail_memory(err, "a file name", 0);
    if (!f->target) return fail_system(err, f->path, "write", errno);
    SCARCE__TRY(open_temporary(f, exists ? 0600 : 0666, err));
    /* Best effort: on file systems without permissions there is nothing to keep. Nobody else could open the
     * new file until here, and it is empty still. */
    if (exists) (void)!fchmod(f->fd, info.st_mode & 07777);
    return SCARCE_OK;
}

scarce_status scarce__outfile_open(scarce__outfile **out, const char *path, scarce_error *err)
{
    const int is_stdout = strcmp(path, "-") == 0;
    scarce__outfile *f;
    scarce_status st = SCARCE_OK;

    *out = NULL;
    if (path[0] == '\0') return scarce__fail(err, SCARCE_EINVAL, "empty path of a file to write");
    f = scarce__calloc(1, sizeof *f);
    if (!f) return scarce__fail_memory(err, "a file's buffer", sizeof *f);
    f->fd = -1;
    f->path = scarce__strdup(is_stdout ? "stdout" : path);
    if (!f->path) st = scarce__fail_memory(err, "a file name", 0);
    else if (is_stdout) f->fd = STDOUT_FILENO;
    else st = open_path(f, err);
    if (st) {
        free_outfile(f);
        return st;
    }
    *out = f;
    return SCARCE_OK;
}

/* write() whose EPIPE comes without SIGPIPE: a library must not kill its host, nor change the
 * process's handlers. The signal is blocked in this thread and taken back if it was ours. */
static ssize_t write_quietly(int fd, const char *bytes, size_t n)
{
    sigset_t pipe_only, before, pending;
    ssize_t wrote;
    int error, ours;

    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    (void)sigemptyset(&pending);
    (void)sigpending(&pending);
    ours = !sigismember(&pending, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    wrote = write(fd, bytes, n);
    error = errno;
    if (wrote < 0 && error == EPIPE && ours) {
        int number;
        (void)sigpending(&pending);
        if (sigismember(&pending, SIGPIPE)) (void)sigwait(&pipe_only, &number);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return wrote;
}

static scarce_status write_all(scarce__outfile *f, const char *bytes, size_t n, scarce_error *err)
{
    while (n > 0) {
        const size_t want = n < LARGEST_WRITE ? n : LARGEST_WRITE;
        const ssize_t wrote = f->temporary ? write(f->fd, bytes, want) : write_quietly(f->fd, bytes, want);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) {
            f->failed = wrote < 0 && errno ? errno : EIO;
            return fail_system(err, f->path, "write", f->failed);
        }
        bytes += wrote;
        n -= (size_t)wrote;
    }
    return SCARCE_OK;
}

scarce_status scarce__outfile_flush(scarce__outfile *f, scarce_error *err)
{
    const size_t n = f->used;

    if (f->failed) return fail_system(err, f->path, "write", f->failed);
    f->used = 0;
    return write_all(f, f->buffer, n, err);
}

scarce_status scarce__outfile_write(scarce__outfile *f, const void *bytes, size_t n, scarce_error *err)
{
    if (f->failed) return fail_system(err, f->path, "write", f->failed);
    if (n > sizeof f->buffer - f->used) {
        SCARCE__TRY(scarce__outfile_flush(f, err));
        if (n >= sizeof f->buffer) return write_all(f, bytes, n, err);
    }
    if (n) memcpy(f->buffer + f->used, bytes, n);
    f->used += n;
    return SCARCE_OK;
}

scarce_status scarce__outfile_text(scarce__outfile *f, const char *text, scarce_error *err)
{
    return scarce__outfile_write(f, text, strlen(text), err);
}

scarce_status scarce__outfile_print(scarce__outfile *f, scarce_error *err, const char *format, ...)
{
    char line[1001];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof line)
        return scarce__fail(err, SCARCE_EBUG, "%s: a formatted piece of %d bytes", f->path, n);
    return scarce__outfile_write(f, line, (size_t)n, err);
}

const char *scarce__outfile_name(const scarce__outfile *f)
{
    return f->path;
}

/* After a rename the directory holds the news; without this a power cut could bring the old file back.
 * Some file systems can't sync a directory, and the file is in place anyway: no error. */
static void sync_directory(const char *target)
{
    const char *slash = strrchr(target, '/');
    char *directory = slash ? scarce__strndup(target, slash == target ? 1 : (size_t)(slash - target)) : NULL;
    int fd;

    if (slash && !directory) return;
    fd = open(directory ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    scarce__free(directory);
}

static int sync_file(int fd)
{
    int failed;
    do failed = fsync(fd);
    while (failed && errno == EINTR);
    return failed;
}

scarce_status scarce__outfile_commit(scarce__outfile *f, scarce_error *err)
{
    scarce_status st = scarce__outfile_flush(f, err);

    if (!st && f->temporary && sync_file(f->fd) != 0) st = fail_system(err, f->path, "write", errno);
    /* The lock is kept until the file has its name: without it, it is a temporary that nobody writes any more, and
     * whoever cleans up may take it away. fsync has told before what close could. */
    if (!st && f->temporary) {
        if (rename(f->temporary, f->target) != 0)
            st = fail_system(err, f->path, "put the new file in place", errno);
        else sync_directory(f->target);
    }
    if (!st && f->close_fd) {
        const int fd = f->fd;
        f->fd = -1;
        if (close(fd) != 0 && !f->temporary) st = fail_system(err, f->path, "write", errno);
    }
    if (st) {
        scarce__outfile_abort(f);
        return st;
    }
    free_outfile(f);
    return SCARCE_OK;
}

void scarce__outfile_abort(scarce__outfile *f)
{
    if (!f) return;
    if (f->close_fd && f->fd >= 0) (void)close(f->fd);
    if (f->temporary) (void)unlink(f->temporary);
    free_outfile(f);
}
