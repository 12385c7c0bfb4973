/* SPDX-License-Identifier: Apache-2.0 */
#include "study/trials_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hash.h"
#include "core/text.h"

enum { LONGEST_LINE = 1 << 16, MOST_RECORDS = 10000000 };

static uint64_t check_of(const char *bytes, size_t n)
{
    return scarce__hash_bytes(1, bytes, n);
}

void scarce__trials_close(scarce__trials_file *f)
{
    for (size_t i = 0; i < f->n_records; ++i) scarce__free(f->records[i].value);
    scarce__free(f->records);
    memset(f, 0, sizeof *f);
}

/* ---- reading */

/* The line without its check word, or 0: it isn't whole. */
static size_t whole_part(const char *line, size_t n)
{
    char *end;
    if (n < 18 || line[n - 17] != ' ') return 0;
    const unsigned long long check = strtoull(line + n - 16, &end, 16);
    return *end == '\0' && check == check_of(line, n - 17) ? n - 17 : 0;
}

/* 1: a record of this search; 0: not; -1: no memory. */
static int parse(scarce__fit_record *r, char *line, uint64_t print)
{
    const size_t n = whole_part(line, strlen(line));
    size_t room = 0;
    char *at = line;

    memset(r, 0, sizeof *r);
    if (n == 0) return 0;
    line[n] = '\0';
    if (strtoull(at, &at, 16) != print) return 0;
    r->trial = (size_t)strtoull(at, &at, 10);
    r->share = strtod(at, &at);
    r->split = (size_t)strtoull(at, &at, 10);
    r->seconds = strtod(at, &at);
    while (*at == ' ') {
        if (r->n == room) {
            double *grown = scarce__realloc_array(r->value, room = room ? 2 * room : 16, sizeof *grown);
            if (!grown) {
                scarce__free(r->value);
                return -1;
            }
            r->value = grown;
        }
        char *end;
        r->value[r->n++] = strtod(at, &end);
        if (end == at) break; /* no number: not a line of ours, whatever its check word says */
        at = end;
    }
    if (*at == '\0') return 1;
    scarce__free(r->value);
    memset(r, 0, sizeof *r);
    return 0;
}

static scarce_status take(scarce__trials_file *f, char *line, size_t *room, scarce_error *err)
{
    scarce__fit_record r;
    const int found = parse(&r, line, f->print);

    if (found < 0) return scarce__fail_memory(err, "earlier trials", 0);
    if (!found || f->n_records == MOST_RECORDS) return SCARCE_OK;
    if (f->n_records == *room) {
        const size_t more = *room ? 2 * *room : 64;
        scarce__fit_record *grown = scarce__realloc_array(f->records, more, sizeof *grown);
        if (!grown) {
            scarce__free(r.value);
            return scarce__fail_memory(err, "earlier trials", 0);
        }
        f->records = grown;
        *room = more;
    }
    f->records[f->n_records++] = r;
    return SCARCE_OK;
}

scarce_status scarce__trials_open(scarce__trials_file *out, const char *path, uint64_t print,
                                  scarce_error *err)
{
    scarce_status st = SCARCE_OK;
    size_t room = 0;
    char *line;
    FILE *file;

    memset(out, 0, sizeof *out);
    out->path = path;
    out->print = print;
    file = path ? fopen(path, "rb") : NULL;
    if (!file) return SCARCE_OK;
    line = scarce__malloc(LONGEST_LINE);
    if (!line) st = scarce__fail_memory(err, "earlier trials", 0);
    while (st == SCARCE_OK && fgets(line, LONGEST_LINE, file)) {
        const size_t n = strlen(line);
        if (n == 0 || line[n - 1] != '\n') break; /* cut off, or no file of ours: endless lines end here */
        line[n - 1] = '\0';
        st = take(out, line, &room, err);
    }
    scarce__free(line);
    fclose(file);
    if (st != SCARCE_OK) scarce__trials_close(out);
    return st;
}

const scarce__fit_record *scarce__trials_find(const scarce__trials_file *f, size_t trial, double share,
                                              size_t split, size_t n)
{
    for (size_t i = 0; i < f->n_records; ++i) {
        const scarce__fit_record *r = &f->records[i];
        if (r->trial == trial && r->split == split && r->share == share && r->n == n) return r;
    }
    return NULL;
}

/* ---- writing */

/* Does the file end inside a line? Then that line is ended first, and passed over when read. */
static int ends_inside(FILE *file)
{
    return fseek(file, -1, SEEK_END) == 0 && fgetc(file) != '\n';
}

scarce_status scarce__trials_append(const scarce__trials_file *f, const scarce__fit_record *r,
                                    scarce_error *err)
{
    scarce__text line = SCARCE__TEXT_INIT;
    FILE *file;
    int bad;

    if (!f->path) return SCARCE_OK;
    scarce__text_addf(&line, "%016llx %zu %a %zu %a", (unsigned long long)f->print, r->trial, r->share,
                      r->split, r->seconds);
    for (size_t i = 0; i < r->n; ++i) scarce__text_addf(&line, " %a", r->value[i]);
    if (!line.failed)
        scarce__text_addf(&line, " %016llx\n", (unsigned long long)check_of(line.bytes, line.n));
    if (line.failed) {
        scarce__text_deinit(&line);
        return scarce__fail_memory(err, "a trial", 0);
    }
    file = fopen(f->path, "a+b");
    bad = !file || (ends_inside(file) && fputc('\n', file) == EOF) || fseek(file, 0, SEEK_END) != 0 ||
          fwrite(line.bytes, 1, line.n, file) != line.n;
    if (file && fclose(file) != 0) bad = 1;
    scarce__text_deinit(&line);
    return bad ? scarce__fail(err, SCARCE_EIO, "%s: %s", f->path, strerror(errno)) : SCARCE_OK;
}
