/* SPDX-License-Identifier: Apache-2.0 */
/* Results that survive an interruption: a CSV that every finished fit is added to,
 *
 *     comparison,fold,method,seconds,rows,positives,ap,...,check
 *
 * where `comparison` is a hash of all that a result depends on, so that one file may serve several, and
 * `check` is a sum over the line before it: a number that a full disk or a power cut left without its last digits
 * is computed again, not believed. core/journal.h says what else is promised of such a file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/bytes.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/hash.h"
#include "core/journal.h"
#include "core/number.h"
#include "core/text.h"
#include "eval/metrics_internal.h"
#include "eval/names.h"
#include "study/compare.h"

#define WHAT "results"

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

scarce_status scarce__results_append(const scarce_compare *c, const char *path, uint64_t fingerprint,
                                     size_t fold, size_t method, scarce_error *err)
{
    const scarce__cell *cell = &c->cells[fold * c->n_contestants + method];
    scarce__text line = SCARCE__TEXT_INIT;
    scarce__text header = SCARCE__TEXT_INIT;
    scarce_status st;

    add_header(&header);
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
    st = header.failed ? scarce__fail_memory(err, WHAT, 0)
                       : scarce__journal_add(path, header.bytes, WHAT, &line, err);
    scarce__text_deinit(&header);
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

typedef struct loading {
    scarce_compare *c;
    const char *want;
    char **fields;
    size_t n_fields;
} loading;

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

static scarce_status line_found(void *arg, char *line, scarce_error *err)
{
    const loading *l = arg;
    (void)err;
    take_line(l->c, line, l->want, l->fields, l->n_fields);
    return SCARCE_OK;
}

scarce_status scarce__results_load(scarce_compare *c, const char *path, uint64_t fingerprint,
                                   scarce_error *err)
{
    const size_t n_fields = 5 + scarce_metric_count();
    scarce__text header = SCARCE__TEXT_INIT;
    char want[20];
    loading l = {c, want, scarce__malloc_array(n_fields + 1, sizeof(char *)), n_fields};
    scarce_status st;

    snprintf(want, sizeof want, "%016llx", (unsigned long long)fingerprint);
    add_header(&header);
    st = header.failed || !l.fields ? scarce__fail_memory(err, WHAT, 0)
                                    : scarce__journal_read(path, header.bytes, WHAT, 1, line_found, &l, err);
    scarce__text_deinit(&header);
    scarce__free(l.fields);
    return st;
}
