/* SPDX-License-Identifier: Apache-2.0 */
#include "study/trials_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hash.h"
#include "core/journal.h"
#include "core/text.h"

enum { MOST_RECORDS = 10000000 };
#define WHAT "trials"
static const char header[] = SCARCE__TRIALS_HEADER;

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

typedef struct reading {
    scarce__trials_file *file;
    size_t room;
} reading;

static scarce_status take(void *arg, char *line, scarce_error *err)
{
    reading *to = arg;
    scarce__trials_file *f = to->file;
    scarce__fit_record r;
    const int found = parse(&r, line, f->print);

    if (found < 0) return scarce__fail_memory(err, WHAT, 0);
    if (!found || f->n_records == MOST_RECORDS) return SCARCE_OK;
    if (f->n_records == to->room) {
        const size_t more = to->room ? 2 * to->room : 64;
        scarce__fit_record *grown = scarce__realloc_array(f->records, more, sizeof *grown);
        if (!grown) {
            scarce__free(r.value);
            return scarce__fail_memory(err, WHAT, 0);
        }
        f->records = grown;
        to->room = more;
    }
    f->records[f->n_records++] = r;
    return SCARCE_OK;
}

scarce_status scarce__trials_open(scarce__trials_file *out, const char *path, uint64_t print,
                                  scarce_error *err)
{
    reading r = {out, 0};
    scarce_status st;

    memset(out, 0, sizeof *out);
    out->path = path;
    out->print = print;
    if (!path) return SCARCE_OK;
    st = scarce__journal_read(path, header, WHAT, 0, take, &r, err);
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

scarce_status scarce__trials_append(const scarce__trials_file *f, const scarce__fit_record *r,
                                    scarce_error *err)
{
    scarce__text line = SCARCE__TEXT_INIT;
    scarce_status st;

    if (!f->path) return SCARCE_OK;
    scarce__text_addf(&line, "%016llx %zu %a %zu %a", (unsigned long long)f->print, r->trial, r->share,
                      r->split, r->seconds);
    for (size_t i = 0; i < r->n; ++i) scarce__text_addf(&line, " %a", r->value[i]);
    if (!line.failed)
        scarce__text_addf(&line, " %016llx\n", (unsigned long long)check_of(line.bytes, line.n));
    st = scarce__journal_add(f->path, header, WHAT, &line, err);
    scarce__text_deinit(&line);
    return st;
}
