/* SPDX-License-Identifier: Apache-2.0 */
/* Results that survive an interruption: a CSV that every finished fit is added to,
 *
 *     comparison,fold,method,seconds,rows,positives,ap,...,check
 *
 * where `comparison` is a hash of all that a result depends on, so that one file may serve several, and
 * `check` is a sum over the line before it. A line counts when it ends in a newline and its sum is right: a
 * number that a full disk or a power cut left without its last digits is computed again, not believed. The
 * first line says whether the file is ours: another file of that name (the data, say) is refused before
 * anything is read of it or added to it. Before a line is added, half a line at the end is cut off; a line
 * that can't be written whole is taken back. A lock keeps several comparisons from doing so at a time. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/bytes.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/files.h"
#include "core/hash.h"
#include "core/number.h"
#include "core/text.h"
#include "eval/metrics_internal.h"
#include "eval/names.h"
#include "study/compare.h"

enum { LONGEST_LINE = 1 << 16 };

/* ---- fingerprint */

uint64_t scarce__compare_fingerprint(const scarce_table *table, const scarce_compare_options *o,
                                     const scarce_context *ctx)
{
    const scarce_metrics_options *m = o->metrics;
    const char *protocol = o->protocol ? o->protocol : SCARCE_DEFAULT_PROTOCOL;
    const char *metric = o->metric ? o->metric : "ap";
    const uint64_t whole[] = {scarce_context_seed(ctx), o->tune, (uint64_t)o->purge_known,
                              (uint64_t)m->threshold_on, (uint64_t)m->ece_bins};
    const double real[] = {m->k, m->k_share, m->threshold, m->beta, m->cost, m->card_k, m->day_length};
    uint64_t h = scarce_table_fingerprint(table);

    h = scarce__hash_text(h, SCARCE_VERSION_TEXT);
    h = scarce__hash_text(h, protocol);
    h = scarce__hash_text(h, metric);
    h = scarce__hash_bytes(h, whole, sizeof whole);
    for (size_t i = 0; i < sizeof real / sizeof real[0]; ++i) { /* a NaN has many bit patterns */
        const double v = isnan(real[i]) ? -1e300 : real[i];
        h = scarce__hash_bytes(h, &v, sizeof v);
    }
    return h;
}

/* ---- writing */

static void add_name(scarce__text *line, const char *name)
{
    if (!strpbrk(name, ",\"")) {
        scarce__text_add(line, name);
        return;
    }
    scarce__text_add_char(line, '"');
    for (; *name; ++name) {
        if (*name == '"') scarce__text_add_char(line, '"');
        scarce__text_add_char(line, *name);
    }
    scarce__text_add_char(line, '"');
}

static void add_header(scarce__text *line)
{
    scarce__text_add(line, "comparison,fold,method,seconds");
    for (size_t m = 0; m < scarce_metric_count(); ++m) {
        scarce__text_add_char(line, ',');
        scarce__text_add(line, scarce_metric_name(m));
    }
    scarce__text_add(line, ",check\n");
}

static unsigned check_of(const char *line, size_t n)
{
    return (unsigned)(scarce__crc64(line, n) >> 32);
}

static scarce_status fail_system(const char *path, int error, scarce_error *err)
{
    return scarce__fail(err, SCARCE_EIO, "%s: %s", path, strerror(error));
}

/* Opened and locked; -1 with an error. */
static int open_results(const char *path, scarce_error *err)
{
    const int fd = scarce__open(path, O_RDWR | O_CREAT, 0666);
    struct stat info;

    if (fd < 0 || fstat(fd, &info) != 0) {
        (void)fail_system(path, errno, err);
        if (fd >= 0) (void)close(fd);
        return -1;
    }
    if (!S_ISREG(info.st_mode)) {
        (void)scarce__fail(err, SCARCE_EINVAL, "%s: results can only be kept in a regular file", path);
        (void)close(fd);
        return -1;
    }
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    } /* without locks: as good as one can */
    return fd;
}

/* Where the last whole line ends. */
static off_t whole_lines(int fd, off_t size)
{
    char block[4096];

    while (size > 0) {
        const off_t begin = size > (off_t)sizeof block ? size - (off_t)sizeof block : 0;
        const ssize_t n = pread(fd, block, (size_t)(size - begin), begin);
        const char *newline = n > 0 ? memrchr(block, '\n', (size_t)n) : NULL;
        if (newline) return begin + (newline - block) + 1;
        if (n <= 0) break;
        size = begin;
    }
    return 0;
}

/* All of the text after the last whole line, or the file as it was. */
static scarce_status add_text(int fd, const char *path, const scarce__text *text, scarce_error *err)
{
    const off_t end = lseek(fd, 0, SEEK_END), whole = whole_lines(fd, end);
    size_t done = 0;
    int error = 0;

    if (text->failed) return scarce__fail_memory(err, "a result", 0);
    if (whole < end && ftruncate(fd, whole) != 0) return fail_system(path, errno, err);
    while (done < text->n && !error) {
        const ssize_t k = pwrite(fd, text->bytes + done, text->n - done, whole + (off_t)done);
        if (k > 0) done += (size_t)k;
        else if (k == 0 || errno != EINTR) error = k == 0 ? EIO : errno;
    }
    if (!error) return SCARCE_OK;
    (void)!ftruncate(fd, whole);
    return fail_system(path, error, err);
}

scarce_status scarce__results_append(const scarce_compare *c, const char *path, uint64_t fingerprint,
                                     size_t fold, size_t method, scarce_error *err)
{
    const scarce__cell *cell = &c->cells[fold * c->n_contestants + method];
    scarce__text line = SCARCE__TEXT_INIT;
    scarce_status st;
    const int fd = open_results(path, err);

    if (fd < 0) return err ? err->code : SCARCE_EIO;
    scarce__text_addf(&line, "%016llx,%zu,", (unsigned long long)fingerprint, fold + 1);
    add_name(&line, c->names[method]);
    scarce__text_add_char(&line, ',');
    scarce__text_double(&line, cell->seconds);
    for (size_t m = 0; m < scarce_metric_count(); ++m) {
        const double v = scarce_metric_value(&cell->metrics, m);
        scarce__text_add_char(&line, ',');
        if (!isnan(v)) scarce__text_double(&line, v);
    }
    if (!line.failed) scarce__text_addf(&line, ",%08x\n", check_of(line.bytes, line.n));
    st = add_text(fd, path, &line, err);
    if (close(fd) != 0 && st == SCARCE_OK) st = fail_system(path, errno, err);
    scarce__text_deinit(&line);
    return st;
}

/* ---- reading */

/* Cuts a line into fields in place; quotes are taken off. How many there are (at most `most`). */
static size_t cut_fields(char *line, char **fields, size_t most)
{
    size_t n = 0;
    while (n < most) {
        char *to = line;
        fields[n++] = to;
        if (*line == '"') {
            for (++line; *line && (*line != '"' || line[1] == '"'); ++line) {
                if (*line == '"') ++line;
                *to++ = *line;
            }
            if (*line) ++line;
        } else
            while (*line && *line != ',') *to++ = *line++;
        const int more = *line == ',';
        *to = '\0';
        if (!more) break;
        ++line;
    }
    return n;
}

static int parse_all(const char *text, double *out)
{
    *out = (double)NAN;
    return *text == '\0' || scarce__parse_double(text, strlen(text), out) == 1;
}

static void take_line(scarce_compare *c, char *line, const char *want, char **fields, size_t n_fields)
{
    const char *comma = strrchr(line, ',');
    char check[16];
    double number = 0;

    if (!comma) return;
    (void)snprintf(check, sizeof check, "%08x", check_of(line, (size_t)(comma - line)));
    if (strcmp(comma + 1, check) != 0) return;
    if (cut_fields(line, fields, n_fields + 1) != n_fields || strcmp(fields[0], want) != 0) return;
    if (!parse_all(fields[1], &number) || !(number >= 1) || number > (double)c->folds.count) return;
    for (size_t m = 0; m < c->n_trained; ++m) {
        scarce__cell *cell = &c->cells[((size_t)number - 1) * c->n_contestants + m];
        scarce__cell got;
        int good;
        if (cell->done || strcmp(fields[2], c->names[m]) != 0) continue;
        scarce__metrics_clear(&got.metrics);
        good = parse_all(fields[3], &got.seconds) && !isnan(got.seconds);
        for (size_t k = 0; good && k < scarce_metric_count(); ++k) {
            double v;
            good = parse_all(fields[4 + k], &v);
            scarce__metric_set(&got.metrics, k, v);
        }
        if (!good) return;
        got.done = 1;
        *cell = got;
    }
}

/* The first line, or EDATA. An empty file gets it now: whether it can be written shows before the first fit. */
static scarce_status check_header(int fd, const char *path, scarce_error *err)
{
    scarce__text header = SCARCE__TEXT_INIT;
    const off_t end = lseek(fd, 0, SEEK_END);
    scarce_status st = SCARCE_OK;
    char *first;

    add_header(&header);
    if (header.failed) st = scarce__fail_memory(err, "results", 0);
    else {
        first = scarce__calloc(header.n, 1);
        if (!first) st = scarce__fail_memory(err, "results", 0);
        else if (pread(fd, first, header.n, 0) < 0) st = fail_system(path, errno, err);
        else if (end < (off_t)header.n && memcmp(first, header.bytes, (size_t)end) == 0)
            st = add_text(fd, path, &header, err);
        else if (memcmp(first, header.bytes, header.n) != 0)
            st = scarce__fail(err, SCARCE_EDATA, "%s: %s; choose another name for the results", path,
                              strncmp(first, "comparison,fold,method,", 23) == 0
                                  ? "results of another release"
                                  : "there is a file of that name that holds no results");
        scarce__free(first);
    }
    scarce__text_deinit(&header);
    return st;
}

static scarce_status read_lines(scarce_compare *c, int fd, const char *path, const char *want, char **fields,
                                size_t n_fields, scarce_error *err)
{
    char *block = scarce__malloc(LONGEST_LINE);
    size_t held = 0;
    off_t at = 0;
    ssize_t n = 1;

    if (!block) return scarce__fail_memory(err, "results", 0);
    while (n > 0) {
        char *line = block, *end;
        n = pread(fd, block + held, LONGEST_LINE - held, at);
        if (n < 0 && errno == EINTR) {
            n = 1;
            continue;
        }
        if (n <= 0) break;
        at += n;
        held += (size_t)n;
        for (; (end = memchr(line, '\n', held)) != NULL; line = end + 1) {
            *end = '\0';
            held -= (size_t)(end - line) + 1;
            take_line(c, line, want, fields, n_fields);
        }
        if (held == LONGEST_LINE) held = 0; /* not a line of ours */
        memmove(block, line, held);
    }
    scarce__free(block);
    return n < 0 ? fail_system(path, errno, err) : SCARCE_OK;
}

scarce_status scarce__results_load(scarce_compare *c, const char *path, uint64_t fingerprint,
                                   scarce_error *err)
{
    const size_t n_fields = 5 + scarce_metric_count();
    char **fields, want[20];
    scarce_status st;
    const int fd = open_results(path, err);

    if (fd < 0) return err ? err->code : SCARCE_EIO;
    fields = scarce__malloc_array(n_fields + 1, sizeof *fields);
    snprintf(want, sizeof want, "%016llx", (unsigned long long)fingerprint);
    st = fields ? check_header(fd, path, err) : scarce__fail_memory(err, "results", 0);
    if (st == SCARCE_OK) st = read_lines(c, fd, path, want, fields, n_fields, err);
    (void)close(fd);
    scarce__free(fields);
    return st;
}
