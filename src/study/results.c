/* SPDX-License-Identifier: Apache-2.0 */
/* Results that survive an interruption: a CSV that every finished fit is added to,
 *
 *     comparison,fold,method,seconds,rows,positives,ap,...
 *
 * where `comparison` is a hash of all that a result depends on, so that one file may serve several. A line is
 * written by one write at the end of the file; what an interruption cuts off is told by the
 * missing newline. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/hash.h"
#include "core/number.h"
#include "core/text.h"
#include "eval/names.h"
#include "study/compare.h"

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
    scarce__text_add_char(line, '\n');
}

/* 0: nothing there; else its last byte. */
static int last_byte(FILE *file)
{
    if (fseek(file, 0, SEEK_END) != 0 || ftell(file) <= 0 || fseek(file, -1, SEEK_END) != 0) return 0;
    return fgetc(file);
}

scarce_status scarce__results_append(const scarce_compare *c, const char *path, uint64_t fingerprint,
                                     size_t fold, size_t method, scarce_error *err)
{
    const scarce__cell *cell = &c->cells[fold * c->n_contestants + method];
    scarce__text line = SCARCE__TEXT_INIT;
    FILE *file = fopen(path, "a+b");
    const int last = file ? last_byte(file) : 0;
    int bad;

    if (last == 0) add_header(&line);
    else if (last != '\n') scarce__text_add_char(&line, '\n'); /* an interruption cut the last line off */
    scarce__text_addf(&line, "%016llx,%zu,", (unsigned long long)fingerprint, fold + 1);
    add_name(&line, c->names[method]);
    scarce__text_add_char(&line, ',');
    scarce__text_double(&line, cell->seconds);
    for (size_t m = 0; m < scarce_metric_count(); ++m) {
        const double v = scarce_metric_value(&cell->metrics, m);
        scarce__text_add_char(&line, ',');
        if (!isnan(v)) scarce__text_double(&line, v);
    }
    scarce__text_add_char(&line, '\n');
    bad = !file || fseek(file, 0, SEEK_END) != 0 ||
          (!line.failed && fwrite(line.bytes, 1, line.n, file) != line.n);
    if (file && fclose(file) != 0) bad = 1;
    const int failed = line.failed;
    scarce__text_deinit(&line);
    if (failed) return scarce__fail_memory(err, "a result", 0);
    return bad ? scarce__fail(err, SCARCE_EIO, "%s: %s", path, strerror(errno)) : SCARCE_OK;
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
    double number = 0;
    if (cut_fields(line, fields, n_fields + 1) != n_fields || strcmp(fields[0], want) != 0) return;
    if (!parse_all(fields[1], &number) || !(number >= 1) || number > (double)c->folds.count) return;
    for (size_t m = 0; m < c->n_trained; ++m) {
        scarce__cell *cell = &c->cells[((size_t)number - 1) * c->n_contestants + m];
        scarce__cell got;
        int good;
        if (cell->done || strcmp(fields[2], c->names[m]) != 0) continue;
        memset(&got, 0, sizeof got);
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

scarce_status scarce__results_load(scarce_compare *c, const char *path, uint64_t fingerprint,
                                   scarce_error *err)
{
    const size_t n_fields = 4 + scarce_metric_count();
    char **fields = scarce__malloc_array(n_fields + 1, sizeof *fields), *line = NULL, want[20];
    FILE *file = fopen(path, "rb");
    size_t room = 0;
    ssize_t n;

    if (!fields) {
        if (file) fclose(file);
        return scarce__fail_memory(err, "results", 0);
    }
    snprintf(want, sizeof want, "%016llx", (unsigned long long)fingerprint);
    while (file && (n = getline(&line, &room, file)) > 0) {
        if (line[n - 1] != '\n') break;
        line[n - 1] = '\0';
        take_line(c, line, want, fields, n_fields);
    }
    free(line); /* getline's, not ours */
    if (file) fclose(file);
    scarce__free(fields);
    return SCARCE_OK;
}
