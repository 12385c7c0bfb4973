/* SPDX-License-Identifier: Apache-2.0 */
/* each_byte PROGRAM COMMAND FILE STEP: for every byte of FILE (or every STEP-th) in turn, a copy with that
 * byte changed ("hurt") is given to PROGRAM COMMAND. It must end with exit code 3, say one line on stderr and
 * nothing on stdout. A loop in sh would start six processes for each byte. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST = 1 << 16 };

static size_t read_all(const char *path, char *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t n = 0;
    if (!file) return 0;
    n = fread(bytes, 1, size, file);
    fclose(file);
    return n;
}

static int write_hurt(const char *bytes, size_t n)
{
    FILE *file = fopen("hurt", "wb");
    if (!file) return 1;
    const size_t wrote = fwrite(bytes, 1, n, file);
    return fclose(file) != 0 || wrote != n;
}

/* Exit code of the program, or -1. */
static int run(const char *program, const char *command)
{
    int status = 0;
    const pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        const int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666),
                  err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(98);
        execl(program, program, command, "hurt", (char *)NULL);
        _exit(98);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    static char bytes[LARGEST], text[LARGEST];
    size_t n, step;

    if (argc != 5) return 2;
    step = strtoul(argv[4], NULL, 10);
    if (step == 0) return 2;
    n = read_all(argv[3], bytes, sizeof bytes);
    for (size_t i = 0; i < n; i += step) {
        const char was = bytes[i];
        bytes[i] = (char)(was ^ (1 << (i % 8)));
        if (write_hurt(bytes, n)) return 2;
        const int code = run(argv[1], argv[2]);
        const size_t said = read_all("err", text, sizeof text - 1);
        text[said] = '\0';
        const char *end = strchr(text, '\n');
        if (code != 3 || !end || end[1] || read_all("out", text, 1) > 0) {
            fprintf(stderr, "byte %zu changed from %d to %d: exit code %d, %s\n", i, was, bytes[i], code,
                    text);
            return 1;
        }
        bytes[i] = was;
    }
    remove("hurt"), remove("out"), remove("err");
    return n == 0 || n == LARGEST;
}
