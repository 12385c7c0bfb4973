/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes: silent ones can be given up, slow ones are read whole whatever signals arrive. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <scarce/table.h>

#include "data/source.h"
#include "test.h"

static char path[] = "/tmp/scarce-pipe-XXXXXX";

static void make_pipe(void)
{
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0 && unlink(path) == 0 && mkfifo(path, 0600) == 0);
}

static void remove_pipe(void)
{
    CHECK(unlink(path) == 0);
    memcpy(path + sizeof path - 7, "XXXXXX", 6);
}

static int stop_at_third(void *payload, const scarce_progress *progress)
{
    int *asked = payload;
    CHECK(strcmp(progress->stage, "read") == 0);
    return ++*asked >= 3;
}

/* Nobody writes: opening does not wait, and the callback may end it. */
static void test_silent_pipe_is_given_up(void)
{
    int asked = 0;
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce__source *source = NULL;
    scarce_error err = SCARCE_ERROR_INIT;

    make_pipe();
    co.threads = 1;
    co.progress = stop_at_third;
    co.payload = &asked;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce__source_open(&source, path, ctx, &err) == SCARCE_ECANCEL);
    CHECK(source == NULL && asked == 3 && strstr(err.text, path) != NULL);
    scarce_context_free(ctx);
    remove_pipe();
}

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    (void)number;
    ++alarms;
}

enum { LINES = 400 };

/* A writer that takes its time: a line every millisecond and a long silence first. */
static void write_slowly(void)
{
    const int fd = open(path, O_WRONLY);
    const struct timespec pause = {0, 1000000}, silence = {0, 400000000};
    char line[32];
    int good = fd >= 0;

    (void)nanosleep(&silence, NULL);
    good = good && write(fd, "a,label\n", 8) == 8;
    for (int i = 0; i < LINES && good; ++i) {
        const int n = snprintf(line, sizeof line, "%d,%d\n", i, i % 2);
        good = write(fd, line, (size_t)n) == n;
        (void)nanosleep(&pause, NULL);
    }
    _exit(good ? 0 : 1);
}

static void test_slow_pipe_under_signals(void)
{
    const struct itimerval often = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
    struct sigaction action, before;
    scarce_table *table = NULL;
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    const char *paths[] = {path};
    int status = 0;

    make_pipe();
    const pid_t child = fork();
    if (child == 0) write_slowly();
    memset(&action, 0, sizeof action); /* no SA_RESTART: every wait is interrupted */
    action.sa_handler = on_alarm;
    alarms = 0;
    CHECK(sigaction(SIGALRM, &action, &before) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
    o.label = "label";
    CHECK(scarce_table_read(&table, paths, 1, &o, NULL, &err) == SCARCE_OK);
    CHECK(setitimer(ITIMER_REAL, &off, NULL) == 0 && sigaction(SIGALRM, &before, NULL) == 0);
    CHECK(alarms > 50);
    CHECK(table && scarce_table_rows(table) == LINES);
    scarce_table_free(table);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    remove_pipe();
}

static const test_case tests[] = {
    {"silent_pipe_is_given_up", test_silent_pipe_is_given_up},
    {"slow_pipe_under_signals", test_slow_pipe_under_signals},
};

TEST_MAIN(tests)
