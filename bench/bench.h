/* SPDX-License-Identifier: Apache-2.0 */
/* What the drivers share: a clock, memory, .npy files, and the talk with the harness.
 *
 * A driver prepares, then answers each line on its standard input by one line of JSON on standard output:
 * "go" runs once and tells the time, "info" tells what is known of the result. So the harness can let
 * processes of different programs take turns in one run. */
#ifndef SCARCE_BENCH_H
#define SCARCE_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <scarce/scarce.h>

static inline double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double wall(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static inline double cpu(void) /* of all threads */
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* Highest resident memory so far, MiB (getrusage would count the process that started this one). */
static inline double peak(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    double kib = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %lf", &kib) == 1) break;
    if (f) fclose(f);
    return kib / 1024;
}

static inline _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static inline void must(scarce_status st, const scarce_error *err)
{
    if (st != SCARCE_OK) die("scarce", err->text);
}

/* The next word of the harness in `word`; 0 at the end. */
static inline int next_word(char word[64])
{
    fflush(stdout);
    return fgets(word, 64, stdin) && sscanf(word, "%63s", word) == 1 && strcmp(word, "end") != 0;
}

/* The items of a little-endian C-ordered .npy file, to be freed; `size` is that of an item. */
static inline void *npy(const char *path, size_t size, size_t *rows, size_t *columns)
{
    FILE *f = fopen(path, "rb");
    unsigned char head[10];
    char text[4096];
    const char *shape;
    size_t n = 0;
    void *data;

    if (!f) die(path, "can't be opened");
    *rows = 0, *columns = 1;
    if (fread(head, 1, 10, f) == 10) n = (size_t)head[8] | (size_t)head[9] << 8;
    if (n == 0 || n >= sizeof text || fread(text, 1, n, f) != n) die(path, "not an .npy file");
    text[n] = 0;
    shape = strstr(text, "'shape': (");
    if (!shape || sscanf(shape, "'shape': (%zu, %zu", rows, columns) < 1) die(path, "no shape");
    data = malloc(*rows * *columns * size + 1);
    if (!data || fread(data, size, *rows * *columns, f) != *rows * *columns) die(path, "too short");
    fclose(f);
    return data;
}

static inline scarce_context *context(int threads)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_context *ctx;
    o.threads = threads;
    must(scarce_context_new(&ctx, &o, &err), &err);
    return ctx;
}

/* A table from a .csv (label column "label"), or from X.npy with its y.npy. */
static inline scarce_table *table_of(const char *path, const char *labels, scarce_context *ctx)
{
    const size_t n = strlen(path);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *table;

    if (n > 4 && !strcmp(path + n - 4, ".csv")) {
        scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
        ro.label = "label";
        must(scarce_table_read(&table, &path, 1, &ro, ctx, &err), &err);
    } else {
        size_t rows, columns, label_rows, one;
        float *x = npy(path, sizeof *x, &rows, &columns);
        uint8_t *y = npy(labels, 1, &label_rows, &one);
        must(scarce_table_from_floats(&table, x, rows, columns, NULL, y, &err), &err);
        free(x);
        free(y);
    }
    return table;
}

#endif
