/* SPDX-License-Identifier: Apache-2.0 */
#include "core/outfile.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static char directory[] = "/tmp/scarce-outfile-XXXXXX";

static void remove_directory(void)
{
    (void)rmdir(directory);
}

static const char *inside(const char *name)
{
    static char path[256];
    static int made;
    if (!made) CHECK(mkdtemp(directory) != NULL && atexit(remove_directory) == 0);
    made = 1;
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static size_t entries(void)
{
    DIR *d = opendir(directory);
    size_t n = 0;
    if (!d) return 0;
    for (const struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    (void)closedir(d);
    return n;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    if (!f) return;
    CHECK(fputs(text, f) >= 0);
    CHECK(fclose(f) == 0);
}

static const char *content(const char *path)
{
    static char text[256];
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    (void)fclose(f);
    return text;
}

static void test_writes_whole_file(void)
{
    scarce__outfile *f = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce__outfile_open(&f, inside("a"), &err) == SCARCE_OK);
    CHECK_TEXT(scarce__outfile_name(f), inside("a"));
    CHECK(scarce__outfile_text(f, "one\n", &err) == SCARCE_OK);
    CHECK(scarce__outfile_print(f, &err, "%d %s\n", 2, "two") == SCARCE_OK);
    CHECK(scarce__outfile_write(f, "", 0, &err) == SCARCE_OK);
    CHECK(access(inside("a"), F_OK) != 0); /* not before commit */
    CHECK(scarce__outfile_commit(f, &err) == SCARCE_OK);
    CHECK_TEXT(content(inside("a")), "one\n2 two\n");
    CHECK(entries() == 1);
    CHECK(unlink(inside("a")) == 0);
}

/* Pieces around the buffer's size, compared with the obvious concatenation. */
static void test_pieces_of_all_sizes(void)
{
    static const size_t sizes[] = {1, 65535, 65536, 65537, 7, 200000, 0, 30000, 40000};
    static char want[600000], got[600000];
    size_t total = 0;
    scarce__outfile *f = NULL;
    CHECK(scarce__outfile_open(&f, inside("b"), NULL) == SCARCE_OK);
    for (size_t i = 0; i < sizeof want; ++i) want[i] = (char)(i * 2654435761u >> 13);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        CHECK(scarce__outfile_write(f, want + total, sizes[k], NULL) == SCARCE_OK);
        total += sizes[k];
    }
    CHECK(scarce__outfile_commit(f, NULL) == SCARCE_OK);
    FILE *in = fopen(inside("b"), "r");
    CHECK(in && fread(got, 1, sizeof got, in) == total && memcmp(got, want, total) == 0);
    if (in) (void)fclose(in);
    CHECK(unlink(inside("b")) == 0);
}

static void test_abort_keeps_old_file(void)
{
    scarce__outfile *f = NULL;
    put(inside("c"), "old");
    CHECK(scarce__outfile_open(&f, inside("c"), NULL) == SCARCE_OK);
    CHECK(scarce__outfile_text(f, "new", NULL) == SCARCE_OK);
    CHECK(scarce__outfile_flush(f, NULL) == SCARCE_OK);
    CHECK(entries() == 2);
    scarce__outfile_abort(f);
    scarce__outfile_abort(NULL);
    CHECK_TEXT(content(inside("c")), "old");
    CHECK(entries() == 1);
    CHECK(unlink(inside("c")) == 0);
}

static void test_replaces_link_target_and_keeps_mode(void)
{
    struct stat info;
    char link_path[256];
    scarce__outfile *f = NULL;
    put(inside("d"), "old");
    CHECK(chmod(inside("d"), 0640) == 0);
    (void)snprintf(link_path, sizeof link_path, "%s", inside("link"));
    CHECK(symlink("d", link_path) == 0);
    CHECK(scarce__outfile_open(&f, link_path, NULL) == SCARCE_OK);
    CHECK(scarce__outfile_text(f, "new", NULL) == SCARCE_OK);
    CHECK(scarce__outfile_commit(f, NULL) == SCARCE_OK);
    CHECK_TEXT(content(inside("d")), "new");
    CHECK(lstat(link_path, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(stat(inside("d"), &info) == 0 && (info.st_mode & 0777) == 0640);
    CHECK(unlink(link_path) == 0 && unlink(inside("d")) == 0);
}

static void test_full_disk(void)
{
    scarce__outfile *f = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    char big[70000];
    memset(big, 'x', sizeof big);
    if (access("/dev/full", W_OK) != 0) return;
    CHECK(scarce__outfile_open(&f, "/dev/full", &err) == SCARCE_OK);
    CHECK(scarce__outfile_text(f, "x", &err) == SCARCE_OK); /* buffered */
    CHECK(scarce__outfile_commit(f, &err) == SCARCE_EIO);
    CHECK(err.code == SCARCE_EIO && strstr(err.text, "/dev/full") && strstr(err.text, "No space left"));
    CHECK(scarce__outfile_open(&f, "/dev/full", &err) == SCARCE_OK);
    CHECK(scarce__outfile_write(f, big, sizeof big, NULL) == SCARCE_EIO);
    err.text[0] = '\0';
    CHECK(scarce__outfile_text(f, "x", &err) == SCARCE_EIO); /* the failure stays */
    CHECK(strstr(err.text, "No space left") != NULL);
    CHECK(scarce__outfile_commit(f, NULL) == SCARCE_EIO);
}

/* A regular file that can't grow: the write fails, the temporary goes, the old file stays. In a child,
 * because the limit holds for the process. */
static void test_failed_write_leaves_nothing(void)
{
    put(inside("e"), "old");
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {1000, 1000};
        char big[70000];
        scarce__outfile *f = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        int ok = setrlimit(RLIMIT_FSIZE, &limit) == 0 && signal(SIGXFSZ, SIG_IGN) != SIG_ERR;
        memset(big, 'x', sizeof big);
        ok = ok && scarce__outfile_open(&f, inside("e"), &err) == SCARCE_OK;
        ok = ok && scarce__outfile_write(f, big, sizeof big, &err) == SCARCE_EIO;
        ok = ok && scarce__outfile_commit(f, &err) == SCARCE_EIO && strstr(err.text, "/e: can't write: ");
        _exit(ok ? 0 : 1);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_TEXT(content(inside("e")), "old");
    CHECK(entries() == 1);
    CHECK(unlink(inside("e")) == 0);
}

static void test_bad_paths(void)
{
    scarce__outfile *f = (scarce__outfile *)1;
    scarce_error err = SCARCE_ERROR_INIT;
    (void)inside(""); /* makes the directory */
    CHECK(scarce__outfile_open(&f, "", &err) == SCARCE_EINVAL && !f);
    CHECK(scarce__outfile_open(&f, directory, &err) == SCARCE_EIO && !f && strstr(err.text, directory));
    CHECK(scarce__outfile_open(&f, inside("no/such/place"), &err) == SCARCE_EIO && !f);
    CHECK(strstr(err.text, "No such file or directory") != NULL);
    CHECK(entries() == 0);
}

/* Child whose standard output is a pipe: once read, once closed at the other end. */
static int child_writes_stdout(int *status, char *got, size_t room, int close_reader)
{
    int ends[2];
    if (pipe(ends) != 0) return 0;
    const pid_t child = fork();
    if (child == 0) {
        scarce__outfile *f = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        if (dup2(ends[1], STDOUT_FILENO) < 0) _exit(9);
        (void)close(ends[0]);
        (void)close(ends[1]);
        if (close_reader) usleep(50000); /* the parent closes its end meanwhile */
        if (scarce__outfile_open(&f, "-", &err)) _exit(3);
        if (scarce__outfile_text(f, "hello", &err)) _exit(4);
        if (scarce__outfile_commit(f, &err) == SCARCE_OK) _exit(0);
        _exit(strstr(err.text, "stdout: can't write: Broken pipe") ? 5 : 6);
    }
    (void)close(ends[1]);
    if (close_reader) (void)close(ends[0]);
    else {
        const ssize_t n = read(ends[0], got, room - 1);
        got[n > 0 ? n : 0] = '\0';
        (void)close(ends[0]);
    }
    return waitpid(child, status, 0) == child;
}

static void test_stdout(void)
{
    char got[32] = "";
    int status = 1;
    CHECK(child_writes_stdout(&status, got, sizeof got, 0) && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_TEXT(got, "hello");
    CHECK(child_writes_stdout(&status, got, sizeof got, 1) && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 5); /* an error, not a signal */
}

/* A link to what isn't there yet is followed too, also through a second link, and a ring is an error. */
static void test_dangling_link(void)
{
    scarce__outfile *f = NULL;
    struct stat info;
    char first[256], second[256];
    (void)snprintf(first, sizeof first, "%s", inside("first"));
    (void)snprintf(second, sizeof second, "%s", inside("second"));
    CHECK(symlink("second", first) == 0 && symlink(inside("made"), second) == 0);
    CHECK(scarce__outfile_open(&f, first, NULL) == SCARCE_OK);
    CHECK(scarce__outfile_text(f, "new", NULL) == SCARCE_OK);
    CHECK(scarce__outfile_commit(f, NULL) == SCARCE_OK);
    CHECK_TEXT(content(inside("made")), "new");
    CHECK(lstat(first, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(lstat(second, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(unlink(inside("made")) == 0 && unlink(second) == 0 && symlink("first", second) == 0);
    CHECK(scarce__outfile_open(&f, first, NULL) == SCARCE_EIO);
    CHECK(unlink(first) == 0 && unlink(second) == 0);
}

/* What killed processes left is removed by the next that writes there; what others write still is not. */
static void test_dead_temporaries(void)
{
    scarce__outfile *f = NULL, *alive = NULL;
    char name[64];
    int ends[2], status;
    pid_t child;
    CHECK(pipe(ends) == 0);
    (void)inside("");
    child = fork();
    if (child == 0) { /* killed while it writes */
        (void)!scarce__outfile_open(&f, inside("h"), NULL);
        (void)!write(ends[1], "x", 1);
        for (;;) pause();
    }
    CHECK(read(ends[0], name, 1) == 1 && entries() == 1);
    CHECK(scarce__outfile_open(&alive, inside("i"), NULL) == SCARCE_OK);
    CHECK(entries() == 2); /* the child's is locked */
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
    /* those of release 0.1.0 go by the number of the process, which is gone */
    (void)snprintf(name, sizeof name, ".scarce-%ld-0.tmp", (long)child);
    put(inside(name), "old");
    (void)snprintf(name, sizeof name, ".scarce-%ld-1.tmp", (long)getpid());
    put(inside(name), "may be alive");
    put(inside(".scarce-notes.tmp"), "the user's");
    CHECK(entries() == 5);
    CHECK(scarce__outfile_open(&f, inside("g"), NULL) == SCARCE_OK);
    CHECK(scarce__outfile_commit(f, NULL) == SCARCE_OK);
    CHECK(entries() == 4); /* g, alive, the two last */
    CHECK(scarce__outfile_commit(alive, NULL) == SCARCE_OK);
    CHECK(unlink(inside("i")) == 0 && unlink(inside("g")) == 0);
    CHECK(unlink(inside(name)) == 0 && unlink(inside(".scarce-notes.tmp")) == 0);
    CHECK(entries() == 0);
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

/* In a container every process may have the number 1: a thousand leftovers made every write fail. */
static void test_names_never_run_out(void)
{
    scarce__outfile *f = NULL;
    char name[64];
    for (int k = 0; k < 1000; ++k) {
        (void)snprintf(name, sizeof name, ".scarce-%ld-%d.tmp", (long)getpid(), k);
        put(inside(name), "");
    }
    CHECK(scarce__outfile_open(&f, inside("g"), NULL) == SCARCE_OK);
    if (f) CHECK(scarce__outfile_commit(f, NULL) == SCARCE_OK);
    for (int k = 0; k < 1000; ++k) {
        (void)snprintf(name, sizeof name, ".scarce-%ld-%d.tmp", (long)getpid(), k);
        (void)unlink(inside(name));
    }
    (void)unlink(inside("g"));
    CHECK(entries() == 0);
}

static void on_alarm(int number)
{
    (void)number;
}

/* Signals without SA_RESTART while a pipe with a name waits for its other end. */
static void test_open_is_begun_again(void)
{
    const struct itimerval often = {{0, 2000}, {0, 2000}}, off = {{0, 0}, {0, 0}};
    struct sigaction action, before;
    scarce__outfile *f = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    char path[256], got[8] = "";
    int status;
    (void)snprintf(path, sizeof path, "%s", inside("pipe"));
    CHECK(mkfifo(path, 0600) == 0);
    const pid_t child = fork();
    if (child == 0) {
        usleep(60000);
        const int fd = open(path, O_RDONLY);
        _exit(fd >= 0 && read(fd, got, 5) == 5 && memcmp(got, "hello", 5) == 0 ? 0 : 1);
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    CHECK(sigaction(SIGALRM, &action, &before) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
    CHECK(scarce__outfile_open(&f, path, &err) == SCARCE_OK);
    if (f) CHECK(scarce__outfile_text(f, "hello", &err) == SCARCE_OK);
    if (f) CHECK(scarce__outfile_commit(f, &err) == SCARCE_OK);
    CHECK(setitimer(ITIMER_REAL, &off, NULL) == 0 && sigaction(SIGALRM, &before, NULL) == 0);
    if (!f) (void)close(open(path, O_WRONLY | O_NONBLOCK)); /* or the child waits for ever */
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(unlink(path) == 0);
}

/* A file that only its owner may read is replaced by one that was never open to others. */
static void test_never_wider(void)
{
    const mode_t before = umask(0);
    scarce__outfile *f = NULL;
    struct stat info;
    char name[512];
    put(inside("secret"), "old");
    CHECK(chmod(inside("secret"), 0600) == 0);
    CHECK(scarce__outfile_open(&f, inside("secret"), NULL) == SCARCE_OK);
    DIR *d = opendir(directory);
    for (const struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, ".scarce-", 8) == 0) {
            (void)snprintf(name, sizeof name, "%s/%s", directory, e->d_name);
            CHECK(stat(name, &info) == 0 && (info.st_mode & 0777) == 0600);
        }
    if (d) (void)closedir(d);
    CHECK(scarce__outfile_commit(f, NULL) == SCARCE_OK);
    CHECK(stat(inside("secret"), &info) == 0 && (info.st_mode & 0777) == 0600);
    CHECK(unlink(inside("secret")) == 0);
    (void)umask(before);
}

static const test_case tests[] = {
    {"writes_whole_file", test_writes_whole_file},
    {"pieces_of_all_sizes", test_pieces_of_all_sizes},
    {"abort_keeps_old_file", test_abort_keeps_old_file},
    {"replaces_link_target_and_keeps_mode", test_replaces_link_target_and_keeps_mode},
    {"full_disk", test_full_disk},
    {"failed_write_leaves_nothing", test_failed_write_leaves_nothing},
    {"bad_paths", test_bad_paths},
    {"stdout", test_stdout},
    {"dangling_link", test_dangling_link},
    {"dead_temporaries", test_dead_temporaries},
    {"names_never_run_out", test_names_never_run_out},
    {"open_is_begun_again", test_open_is_begun_again},
    {"never_wider", test_never_wider},
};
TEST_MAIN(tests)
