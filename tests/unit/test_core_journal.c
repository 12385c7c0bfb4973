/* SPDX-License-Identifier: Apache-2.0 */
/* Files of finished work: cut at any byte, they lose the last line at most; what is not ours stays as it is. */
#include "core/journal.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"

#define HEADER "lines of a test, 1\n"

static char path[] = "/tmp/scarce-journal-XXXXXX";

static void forget(void)
{
    (void)unlink(path);
}

static void put(const char *bytes, size_t n)
{
    static int made;
    if (!made) CHECK(close(mkstemp(path)) == 0 && atexit(forget) == 0);
    made = 1;
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, n, f) == n);
    CHECK(f && fclose(f) == 0);
}

typedef struct seen {
    size_t count, bytes;
    char last[64];
} seen;

static scarce_status see(void *arg, char *line, scarce_error *err)
{
    seen *s = arg;
    (void)err;
    s->count += 1;
    s->bytes += strlen(line);
    snprintf(s->last, sizeof s->last, "%.60s", line);
    return SCARCE_OK;
}

static scarce_status add(const char *text)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__text line = SCARCE__TEXT_INIT;
    scarce_status st;
    scarce__text_add(&line, text);
    st = scarce__journal_add(path, HEADER, "lines", &line, &err);
    scarce__text_deinit(&line);
    return st;
}

static scarce_status read_all(seen *s, int create)
{
    scarce_error err = SCARCE_ERROR_INIT;
    memset(s, 0, sizeof *s);
    return scarce__journal_read(path, HEADER, "lines", create, see, s, &err);
}

/* Cut anywhere and added to: the whole lines and the new one, nothing else. */
static void test_cut_anywhere(void)
{
    static const char whole[] = HEADER "one\ntwo\nthree\n";
    const size_t n = sizeof whole - 1, head = sizeof HEADER - 1;
    seen s;

    for (size_t keep = 0; keep <= n; ++keep) {
        size_t lines = 0, got;
        for (size_t i = head; i < keep; ++i) lines += whole[i] == '\n';
        put(whole, keep);
        CHECK(read_all(&s, 0) == SCARCE_OK && s.count == lines);
        CHECK(add("new\n") == SCARCE_OK);
        CHECK(read_all(&s, 0) == SCARCE_OK && s.count == lines + 1 && strcmp(s.last, "new") == 0);
        char *now = slurp(path, &got);
        CHECK(memcmp(now, HEADER, head) == 0 && now[got - 1] == '\n');
        free(now);
    }
}

/* Not there, empty, made. */
static void test_created_when_asked(void)
{
    struct stat info;
    seen s;

    put("", 0);
    CHECK(unlink(path) == 0);
    CHECK(read_all(&s, 0) == SCARCE_OK && s.count == 0 && stat(path, &info) != 0);
    CHECK(read_all(&s, 1) == SCARCE_OK && s.count == 0 && stat(path, &info) == 0 &&
          info.st_size == (off_t)sizeof HEADER - 1);
    CHECK(add("one\n") == SCARCE_OK && read_all(&s, 0) == SCARCE_OK && s.count == 1);
}

/* Anything else of that name is refused, whatever is asked, and has its bytes afterwards. */
static void test_others_stay(void)
{
    static const char *const others[] = {"my notes", "\n", "lines of a test, 2\nx\n", "a,b,y\n1,2,0\n",
                                         "lines of a tesT"};
    seen s;

    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        size_t n;
        put(others[i], strlen(others[i]));
        CHECK(read_all(&s, 0) == SCARCE_EDATA && read_all(&s, 1) == SCARCE_EDATA &&
              add("x\n") == SCARCE_EDATA);
        char *now = slurp(path, &n);
        CHECK(strcmp(now, others[i]) == 0);
        free(now);
    }
}

/* Folders, pipes and devices without end. */
static void test_not_regular(void)
{
    static const char *const names[] = {"/dev/zero", "/dev/full", "/tmp", "/nowhere/x"};
    scarce_error err = SCARCE_ERROR_INIT;
    seen s;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        CHECK(scarce__journal_read(names[i], HEADER, "lines", 1, see, &s, &err) != SCARCE_OK && err.text[0]);
    put("", 0);
    CHECK(unlink(path) == 0 && mkfifo(path, 0600) == 0);
    CHECK(read_all(&s, 1) == SCARCE_EINVAL && add("x\n") == SCARCE_EINVAL);
    CHECK(unlink(path) == 0);
}

/* Lines of any length; those that no line of ours can be are passed over. */
static void test_long_lines(void)
{
    char *bytes = malloc(300000);
    seen s;

    CHECK(bytes != NULL);
    put(HEADER, sizeof HEADER - 1);
    memset(bytes, 'x', 299999);
    bytes[299998] = '\n';
    bytes[299999] = '\0';
    CHECK(add(bytes) == SCARCE_OK && add("end\n") == SCARCE_OK);
    CHECK(read_all(&s, 0) == SCARCE_OK && s.count == 2 && s.bytes == 299998 + 3 &&
          strcmp(s.last, "end") == 0);
    free(bytes);
}

/* A disk that is full (a limit of file sizes stands for it): the file is as it was. */
static void test_full_disk(void)
{
    static const char whole[] = HEADER "one\n";
    put(whole, sizeof whole - 1);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit most = {sizeof whole + 5, sizeof whole + 5};
        signal(SIGXFSZ, SIG_IGN);
        _exit(setrlimit(RLIMIT_FSIZE, &most) == 0 && add("a line that is longer than that\n") == SCARCE_EIO
                  ? 0
                  : 1);
    }
    int status = 1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    size_t n;
    char *now = slurp(path, &n);
    CHECK(strcmp(now, whole) == 0);
    free(now);
}

/* Several processes add at a time: every line is there, whole. */
static void test_side_by_side(void)
{
    seen s;
    put("", 0);
    for (int k = 0; k < 4; ++k)
        if (fork() == 0) {
            int bad = 0;
            for (int i = 0; i < 50; ++i) bad |= add("0123456789\n") != SCARCE_OK;
            _exit(bad);
        }
    for (int k = 0; k < 4; ++k) {
        int status = 1;
        CHECK(wait(&status) > 0 && status == 0);
    }
    CHECK(read_all(&s, 0) == SCARCE_OK && s.count == 200 && s.bytes == 2000);
}

static const test_case tests[] = {
    {"cut_anywhere", test_cut_anywhere}, {"created_when_asked", test_created_when_asked},
    {"others_stay", test_others_stay},   {"not_regular", test_not_regular},
    {"long_lines", test_long_lines},     {"full_disk", test_full_disk},
    {"side_by_side", test_side_by_side},
};
TEST_MAIN(tests)
