/* SPDX-License-Identifier: Apache-2.0 */
/* Whole command lines, in process: the program's main with arguments of the input, a line each, in a folder
 * with the files a, b and c of the input; a second command may follow behind an empty line. Parts: arguments,
 * a, b; the rest is c. Nothing is printed and nothing written outside the folder: a slash stays in an argument
 * only behind a digit (10/day). What takes long is interrupted as by Ctrl-C. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>

#include "../../programs/scarce/program.h"
#include "fuzz_parts.h"

int scarce_program_main(int argc, char **argv);

enum { MOST_ARGUMENTS = 30, MILLISECONDS = 400 };

static void set_alarm(long milliseconds)
{
    const struct itimerval when = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
    MUST(setitimer(ITIMER_REAL, &when, NULL) == 0);
}

/* The program's talk.c handles SIGTERM and then stops at the next chance. Before and after its work nobody does, and on a
 * busy machine the alarm may come then: it comes again. */
static void on_alarm(int number)
{
    struct sigaction now;
    (void)number;
    if (sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler != SIG_DFL) (void)raise(SIGTERM);
    else set_alarm(20);
}

/* Once: the folder is the current one, stdout and the program's stderr are nowhere (the sanitizers write to
 * descriptor 2 all the same). */
static void prepare(void)
{
    static int prepared;
    if (prepared) return;
    prepared = 1;
    MUST(chdir(fuzz_folder()) == 0);
    const int nowhere = open("/dev/null", O_RDWR);
    MUST(nowhere >= 0 && dup2(nowhere, 0) == 0 && dup2(nowhere, 1) == 1);
    (void)close(nowhere);
    FILE *quiet = fopen("/dev/null", "w");
    MUST(quiet != NULL);
#ifdef __GLIBC__
    stderr = quiet;
#else
    (void)fclose(quiet);
#endif
    (void)signal(SIGALRM, on_alarm);
}

/* Numbers of four and more digits, exponents and paths elsewhere are made harmless. */
static void tame(char *argument)
{
    size_t digits = 0;
    for (char *p = argument; *p; ++p) {
        const int digit = *p >= '0' && *p <= '9';
        if (*p == '/' && (digits == 0 || p[1] == '.' || p[1] == '/')) *p = '_';
        if ((*p == 'e' || *p == 'E') && digits > 0) *p = '.';
        digits = digit ? digits + 1 : 0;
        if (digits > 3) *p = '.', digits = 0;
    }
}

/* What a command left behind, but for the files of the input. */
static void clean(void)
{
    DIR *folder = opendir(".");
    MUST(folder != NULL);
    for (const struct dirent *e; (e = readdir(folder)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) (void)unlink(e->d_name);
    (void)closedir(folder);
}

static char *run(char *line)
{
    char *argv[MOST_ARGUMENTS + 4], name[] = "scarce", threads[] = "--threads", one[] = "1";
    int argc = 0, chosen = 0;

    argv[argc++] = name;
    while (line && *line && *line != '\n' && argc <= MOST_ARGUMENTS) {
        char *end = strchr(line, '\n');
        if (end) *end++ = '\0';
        tame(line);
        chosen |= strncmp(line, "--threads", 9) == 0;
        argv[argc++] = line;
        line = end;
    }
    if (argc > 2 && !chosen) argv[argc++] = threads, argv[argc++] = one;
    argv[argc] = NULL;
    set_alarm(MILLISECONDS);
    const int code = scarce_program_main(argc, argv);
    set_alarm(0);
    MUST(code == EXIT_DONE || code == EXIT_FAILED || code == EXIT_USE || code == EXIT_DATA ||
         code == EXIT_INTERRUPTED);
    return line && *line == '\n' ? line + 1 : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_part arguments = fuzz_next_part(&data, &size, 1);
    fuzz_part a = fuzz_next_part(&data, &size, 0), b = fuzz_next_part(&data, &size, 0);
    char path[128];

    prepare();
    fuzz_write_file(path, "a", a.bytes, a.n);
    fuzz_write_file(path, "b", b.bytes, b.n);
    fuzz_write_file(path, "c", data, size);
    char *next = run((char *)arguments.bytes);
    if (next) (void)run(next);
    clean();
    free(arguments.bytes);
    free(a.bytes);
    free(b.bytes);
    return 0;
}
