/* SPDX-License-Identifier: Apache-2.0 */
/* Talk and progress to stderr, Ctrl-C, the end of stdout. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

/* The program's one bit of state: it talks to one terminal. */
static struct {
    const char *command;
    int quiet, verbose, terminal;
    int line_open;      /* a progress bar stands on the terminal */
    double begun, last; /* of the current stage */
    char stage[32];
} talk;

static volatile sig_atomic_t stop_asked;

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double peak_memory_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024;
}

void set_command_name(const char *name)
{
    talk.command = name;
}

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    if (stop_asked) _exit(EXIT_INTERRUPTED); /* the second time means now */
    stop_asked = 1;
}

int interrupted(void)
{
    return stop_asked != 0;
}

void talk_start(const common_options *common)
{
    struct sigaction action, before;
    stop_asked = 0;
    talk.quiet = common->quiet;
    talk.verbose = common->verbose;
    talk.terminal = isatty(2);
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* A terminal that is closed ends a training as Ctrl-C does, with a checkpoint; nohup goes on. */
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error with a text, not a silent death */
}

void talk_clear(void)
{
    if (talk.line_open) fputs("\r\033[K", stderr);
    talk.line_open = 0;
}

const char *shown(const char *text)
{
    static char buffers[4][512];
    static unsigned next;
    char *buffer = buffers[next++ % 4];
    snprintf(buffer, sizeof buffers[0], "%s", text);
    scarce_printable(buffer);
    return buffer;
}

/* One line to stderr: what the user, or a file, called something may hold anything. */
static void put_line(const char *format, va_list args)
{
    char line[4096];
    vsnprintf(line, sizeof line, format, args);
    scarce_printable(line);
    fputs(line, stderr);
    fputc('\n', stderr);
}

int complain(int code, const char *format, ...)
{
    va_list args;
    talk_clear();
    fprintf(stderr, "scarce%s%s: ", talk.command ? " " : "", talk.command ? talk.command : "");
    va_start(args, format);
    put_line(format, args);
    va_end(args);
    return code;
}

/* `scarce ... | head`: whoever read our output has gone, which is no mistake of anybody. */
static int reader_gone(void)
{
    struct pollfd out = {STDOUT_FILENO, 0, 0};
    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

int complain_status(const scarce_error *err)
{
    int code = EXIT_FAILED;
    if (err->code == SCARCE_EIO && reader_gone()) return EXIT_PIPE;
    switch (err->code) {
    case SCARCE_EINVAL:
    case SCARCE_EUNSUPPORTED: code = EXIT_USE; break;
    case SCARCE_EPARSE:
    case SCARCE_EVERSION:
    case SCARCE_EDATA: code = EXIT_DATA; break;
    case SCARCE_OK:
    case SCARCE_ENOMEM:
    case SCARCE_EIO:
    case SCARCE_ENUMERIC:
    case SCARCE_ECANCEL:
    case SCARCE_EBUG: break;
    }
    if (err->code == SCARCE_ECANCEL && interrupted())
        return complain(EXIT_INTERRUPTED, "interrupted, nothing was written");
    if (err->code == SCARCE_EIO && complain_no_file(err)) return EXIT_FAILED;
    if (err->code == SCARCE_ENOMEM && memory_limit() < INFINITY && !strstr(err->text, "--memory"))
        return complain(code, "%s (--memory allows more)", err->text);
    return complain(code, "%s", err->text[0] ? err->text : scarce_status_text(err->code));
}

scarce_status fail_with(scarce_error *err, scarce_status code, const char *format, ...)
{
    va_list args;
    err->code = code;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

void say(const char *format, ...)
{
    va_list args;
    if (talk.quiet) return;
    talk_clear();
    va_start(args, format);
    put_line(format, args);
    va_end(args);
}

void talk_log(void *payload, scarce_log_level level, const char *line)
{
    (void)payload;
    if (level == SCARCE_LOG_DEBUG && !talk.verbose) return;
    say("%s%s", level == SCARCE_LOG_WARN ? "warning: " : "", line);
}

static void format_quantity(char *text, size_t size, double x, const char *unit)
{
    static const char *const steps[] = {"", "k", "M", "G", "T"};
    int k = 0;
    while (x >= 10000 && k < 4) x /= 1000, ++k;
    snprintf(text, size, "%.0f%s %s", x, steps[k], unit);
}

static void format_seconds(char *text, size_t size, double s)
{
    if (!(s >= 0 && s < 359999)) snprintf(text, size, "--");
    else if (s < 100) snprintf(text, size, "%.0fs", s);
    else snprintf(text, size, "%d:%02d:%02d", (int)s / 3600, (int)s / 60 % 60, (int)s % 60);
}

/* On a terminal a bar ten times a second, elsewhere a line every ten seconds. */
int talk_progress(void *payload, const scarce_progress *p)
{
    const double now = seconds_now();
    const char *note = p->note ? p->note : "";
    char done[48], rate[48], left[24], bar[21];
    double per_second;

    (void)payload;
    if (stop_asked) return 1;
    if (talk.quiet) return 0;
    if (strncmp(talk.stage, p->stage, sizeof talk.stage - 1) != 0) {
        snprintf(talk.stage, sizeof talk.stage, "%s", p->stage);
        talk.begun = talk.last = now;
        return 0;
    }
    if (now - talk.last < (talk.terminal ? 0.1 : 10)) return 0;
    talk.last = now;
    per_second = p->done / (now - talk.begun);
    format_quantity(done, sizeof done, p->done, p->unit);
    format_quantity(rate, sizeof rate, per_second, p->unit);
    format_seconds(left, sizeof left, p->total > 0 ? (p->total - p->done) / per_second : -1);
    if (!talk.terminal) {
        fprintf(stderr, "%s: %s, %s/s, %s left%s%s\n", p->stage, done, rate, left, *note ? ", " : "", note);
        return 0;
    }
    for (int i = 0; i < 20; ++i) bar[i] = p->total > 0 && p->done * 20 >= p->total * (i + 1) ? '#' : '.';
    bar[20] = '\0';
    fprintf(stderr, "\r\033[K%-8s [%s] %s  %s/s  %s left  %s", p->stage, bar, done, rate, left, note);
    talk.line_open = 1;
    return 0;
}

int ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

int check_output(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    struct stat info;
    char *folder;
    int refused;

    if (!path || strcmp(path, "-") == 0) return EXIT_DONE;
    if (!*path) return complain(EXIT_USE, "-o needs the name of a file");
    if (ends_with(path, ".gz") || ends_with(path, ".zst"))
        return complain(EXIT_USE, "%s: files are written uncompressed; choose a name without .gz or .zst",
                        path);
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return complain(EXIT_FAILED, "%s: can't be written: it is a directory", path);
        if (!S_ISREG(info.st_mode)) return EXIT_DONE; /* a device or a pipe: the write itself will tell */
    }
    folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    if (!folder) return complain(EXIT_FAILED, "out of memory");
    refused = access(folder, W_OK | X_OK) != 0 ? errno : 0;
    free(folder);
    return refused ? complain(EXIT_FAILED, "%s: can't be written: %s", path, strerror(refused)) : EXIT_DONE;
}

int finish_stdout(int code)
{
    talk_clear();
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    if (reader_gone()) return EXIT_PIPE; /* as a shell counts a death by SIGPIPE, and as quiet */
    return complain(EXIT_FAILED, "standard output: %s", strerror(errno));
}
