/* SPDX-License-Identifier: Apache-2.0 */
/* A table with its features: read, parsed by blocks of rows, put through the engine by shards of keys, and written as
 * its lines stood, with the features behind them. Every step is cut by the rows alone, so that any number of threads
 * gives the same bytes. */
#include <math.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/number.h"
#include "core/options.h"
#include "core/outfile.h"
#include "core/param.h"
#include "data/keep.h"
#include "data/times.h"
#include "feature/batch.h"
#include "feature/engine.h"
#include "feature/print.h"

enum { ROWS_PER_BLOCK = 2048, BLOCKS_PER_WAVE = 64 };

typedef struct job {
    const scarce__feature_plan *plan;
    const scarce_features_options *o;
    const char *name; /* of the file, for messages */
    scarce_table *table;
    size_t n;
    scarce__keep cut;                  /* columns of the line: one for each field that the file has */
    int place[SCARCE__FEATURE_FIELDS]; /* of a field in the cut line; -1: none */
    int label_time;                    /* the same of the label's time */
    uint64_t *keys[SCARCE__FEATURE_KINDS];
    uint8_t *no_key[SCARCE__FEATURE_KINDS], *filters[SCARCE__FEATURE_KINDS];
    int64_t *numbers[SCARCE__FEATURE_FIELDS];
    uint64_t *hashes[SCARCE__FEATURE_FIELDS];
    int64_t *time, *at, *known;
    uint8_t *label, *repeated;
    uint64_t *ids;
    double *values; /* row by row */
    size_t first;   /* block of the wave */
    scarce_error *errors;
    scarce_status *status;
    scarce__text *texts;
    char separator;
} job;

/* ---- columns */

static const char *column_name(const void *arg, size_t i)
{
    return scarce__dictionary_text(arg, i);
}

static scarce_status find_column(const job *j, const char *name, size_t *out, scarce_error *err)
{
    const scarce__dictionary *names = &j->table->kept->names;
    *out = scarce__written_column(j->table, name);
    if (*out != SIZE_MAX) return SCARCE_OK;
    const char *nearest = scarce__nearest_name(name, column_name, names, names->count);
    if (nearest)
        return scarce__fail(err, SCARCE_EDATA, "%s: no column \"%.80s\", did you mean \"%.80s\"?", j->name,
                            name, nearest);
    return scarce__fail(err, SCARCE_EDATA,
                        "%s: no column \"%.80s\", which the definitions declare as a field", j->name, name);
}

static int needed(const scarce__feature_plan *plan, size_t i)
{
    return plan->fields[i].used || plan->fields[i].id || (int)i == plan->time || (int)i == plan->label;
}

static scarce_status find_columns(job *j, scarce_error *err)
{
    const scarce__feature_plan *plan = j->plan;
    j->cut.columns = scarce__malloc_array(plan->n_fields + 1, sizeof *j->cut.columns);
    if (!j->cut.columns) return scarce__fail_memory(err, "the columns", 0);
    j->label_time = -1;
    for (size_t i = 0; i < plan->n_fields; ++i) {
        size_t c = SIZE_MAX;
        j->place[i] = -1;
        if (!needed(plan, i)) continue;
        scarce_status st = find_column(j, plan->fields[i].name, &c, err);
        /* new data have no labels yet, and an id is a convenience */
        if (st != SCARCE_OK && ((int)i == plan->label || (int)i == plan->id || plan->fields[i].optional))
            continue;
        if (st != SCARCE_OK) return st;
        j->place[i] = (int)j->cut.n;
        j->cut.columns[j->cut.n++] = c;
        if (c >= j->cut.last) j->cut.last = c + 1;
    }
    if (plan->label < 0 || j->place[plan->label] < 0) return SCARCE_OK;
    size_t c = scarce__written_column(j->table, j->o->label_time ? j->o->label_time : "label_time");
    if (c == SIZE_MAX && j->o->label_time) return find_column(j, j->o->label_time, &c, err);
    if (c == SIZE_MAX) return SCARCE_OK;
    j->label_time = (int)j->cut.n;
    j->cut.columns[j->cut.n++] = c;
    if (c >= j->cut.last) j->cut.last = c + 1;
    return SCARCE_OK;
}

static int make_columns(job *j)
{
    const scarce__feature_plan *plan = j->plan;
    const size_t n = j->n;
    int ok = 1;
    for (size_t k = 0; k < plan->n_kinds && ok; ++k) {
        const scarce__feature_kind *kind = &plan->kinds[k];
        j->keys[k] = scarce__big_alloc(2 * n, sizeof(uint64_t));
        j->no_key[k] = scarce__calloc(n, 1);
        ok = j->keys[k] && j->no_key[k];
        if (kind->n_filters > 1) ok &= (j->filters[k] = scarce__malloc(n)) != NULL;
        for (int v = 0; v < kind->n_values && ok; ++v)
            if (!j->numbers[kind->values[v]])
                ok = (j->numbers[kind->values[v]] = scarce__big_alloc(n, sizeof(int64_t))) != NULL;
        for (int v = 0; v < kind->n_counted && ok; ++v)
            if (!j->hashes[kind->counted[v]])
                ok = (j->hashes[kind->counted[v]] = scarce__big_alloc(n, sizeof(uint64_t))) != NULL;
    }
    j->time = scarce__big_alloc(n, sizeof *j->time);
    j->at = scarce__big_alloc(n, sizeof *j->at);
    ok &= j->time && j->at;
    if (plan->label >= 0 && j->place[plan->label] >= 0) {
        j->label = scarce__malloc(n);
        j->known = scarce__big_alloc(n, sizeof *j->known);
        ok &= j->label && j->known;
    }
    if (plan->id >= 0 && j->place[plan->id] >= 0) {
        j->ids = scarce__big_alloc(n, sizeof *j->ids);
        j->repeated = scarce__calloc(n, 1);
        ok &= j->ids && j->repeated;
    }
    j->values = scarce__big_alloc(n, plan->n_outs * sizeof *j->values);
    return ok && j->values;
}

/* ---- rows to records */

typedef struct reader {
    scarce__record record;
    scarce__kept cut;
    const char *texts[SCARCE__FEATURE_FIELDS];
} reader;

static scarce_status read_row(const job *j, reader *r, size_t row, scarce_error *err)
{
    const char *line = scarce_table_line(j->table, row, NULL);
    const double *time = scarce_table_time(j->table);
    scarce__record_texts from = {r->texts, NULL, time ? &time[row] : NULL, line[-1]};

    if (!scarce__written_cut(&r->cut, j->table, row, &j->cut)) return scarce__fail_memory(err, "a row", 0);
    for (size_t i = 0; i < j->plan->n_fields; ++i)
        r->texts[i] = j->place[i] < 0 ? "" : r->cut.bytes + r->cut.begin[j->place[i]];
    const scarce_status st = scarce__record_parse(&r->record, j->plan, &from, err);
    if (st == SCARCE_EDATA) scarce__fail_prefix(err, "%s, row %zu: ", j->name, row + 1);
    return st;
}

/* The moment at which the label is known; as the times of the table are written. */
static scarce_status read_label_time(job *j, const reader *r, size_t row, scarce_error *err)
{
    const char *text = r->cut.bytes + r->cut.begin[j->label_time];
    const size_t n = strlen(text);
    const scarce__kept *k = j->table->kept;
    double number = 0, seconds = 0;

    if (n == 0) { /* not known: never */
        j->known[row] = INT64_MAX / 2;
        return SCARCE_OK;
    }
    if (scarce__parse_double(text, n, &number) == 1) {
        if (!scarce__time_of_number(number, k->time_format, &seconds)) seconds = number;
    } else if (!scarce__parse_date_order(text, n, k->date_order, &seconds, NULL))
        return scarce__fail(err, SCARCE_EDATA, "%s, row %zu: label time \"%.40s\" is no time", j->name,
                            row + 1, text);
    seconds = ceil(seconds); /* a label is not known before it is */
    if (!(fabs(seconds) < 1e15))
        return scarce__fail(err, SCARCE_EDATA, "%s, row %zu: label time \"%.40s\" is no time", j->name,
                            row + 1, text);
    j->known[row] = (int64_t)seconds;
    return SCARCE_OK;
}

static scarce_status take_row(job *j, reader *r, size_t row, scarce_error *err)
{
    const scarce__feature_plan *plan = j->plan;
    SCARCE__TRY(read_row(j, r, row, err));
    j->time[row] = r->record.t;
    for (size_t k = 0; k < plan->n_kinds; ++k) {
        uint64_t *key = j->keys[k] + 2 * row;
        if (!scarce__record_key(&r->record, plan, k, key)) {
            j->no_key[k][row] = 1;
            key[0] = key[1] = 0;
        }
        if (j->filters[k]) j->filters[k][row] = (uint8_t)scarce__record_filters(&r->record, plan, k);
    }
    for (size_t i = 0; i < plan->n_fields; ++i) {
        if (j->numbers[i]) j->numbers[i][row] = r->record.numbers[i];
        if (j->hashes[i]) j->hashes[i][row] = r->record.hashes[i];
    }
    if (j->ids) {
        const char *id = r->texts[plan->id];
        j->ids[row] = *id ? scarce__id_hash(id, strlen(id)) : 0;
    }
    if (!j->label) return SCARCE_OK;
    j->label[row] = r->record.label == 1;
    j->known[row] = r->record.t + (int64_t)ceil(j->o->label_delay);
    return j->label_time >= 0 ? read_label_time(j, r, row, err) : SCARCE_OK;
}

static void read_block(void *arg, size_t b, int worker)
{
    job *j = arg;
    const size_t begin = b * ROWS_PER_BLOCK,
                 end = begin + ROWS_PER_BLOCK < j->n ? begin + ROWS_PER_BLOCK : j->n;
    reader *r = scarce__calloc(1, sizeof *r);
    (void)worker;
    j->status[b] = r ? scarce__record_init(&r->record, j->plan, &j->errors[b]) : SCARCE_ENOMEM;
    if (!r) scarce__fail_memory(&j->errors[b], "rows", 0);
    for (size_t row = begin; row < end && j->status[b] == SCARCE_OK; ++row)
        j->status[b] = take_row(j, r, row, &j->errors[b]);
    if (!r) return;
    scarce__record_deinit(&r->record);
    scarce__kept_deinit(&r->cut);
    scarce__free(r);
}

/* The first block that failed speaks. */
static scarce_status first_error(const job *j, size_t n, scarce_error *err)
{
    for (size_t b = 0; b < n; ++b) {
        if (j->status[b] == SCARCE_OK) continue;
        if (err) *err = j->errors[b];
        return j->status[b];
    }
    return SCARCE_OK;
}

/* Arrivals, and rows whose id was there before. */
static scarce_status arrive(job *j, scarce_features_summary *s, scarce_error *err)
{
    const int64_t horizon = scarce__feature_horizon(j->plan);
    scarce__ids ids;
    int64_t at = j->n ? j->time[0] : 0, newest = at;
    const int64_t base = at;

    memset(&ids, 0, sizeof ids);
    for (size_t i = 0; i < j->n; ++i) {
        const int64_t now = j->time[i] > at ? j->time[i] : at, t = j->time[i] - base;
        if (t >= INT32_MAX || t <= INT32_MIN) {
            scarce__ids_deinit(&ids);
            return scarce__fail(err, SCARCE_EDATA,
                                "%s, row %zu: its time is more than 68 years from that of the first row",
                                j->name, i + 1);
        }
        s->out_of_order += j->time[i] < newest;
        if (j->time[i] > newest) newest = j->time[i];
        j->at[i] = now;
        if (j->ids && j->ids[i]) {
            const int64_t limit = horizon == SCARCE__NO_HORIZON ? INT64_MIN : now - base - horizon;
            if (scarce__ids_find(&ids, j->ids[i], limit) != SIZE_MAX) {
                j->repeated[i] = 1;
                j->at[i] = at; /* no record, so no arrival either */
                ++s->duplicates;
                continue;
            }
            if (!scarce__ids_reserve(&ids, 1)) {
                scarce__ids_deinit(&ids);
                return scarce__fail_memory(err, "ids", 0);
            }
            scarce__ids_add(&ids, j->ids[i], t, 0);
            scarce__ids_sweep(&ids, limit);
        }
        at = now;
    }
    scarce__ids_deinit(&ids);
    return SCARCE_OK;
}

static scarce_status compute(job *j, scarce_features_summary *s, const scarce_context *ctx, scarce_error *err)
{
    scarce__batch b;
    memset(&b, 0, sizeof b);
    b.plan = j->plan;
    b.n = j->n;
    b.time = j->time;
    b.at = j->at;
    b.keys = (const uint64_t *const *)j->keys;
    b.no_key = (const uint8_t *const *)j->no_key;
    b.numbers = (const int64_t *const *)j->numbers;
    b.hashes = (const uint64_t *const *)j->hashes;
    b.filters = (const uint8_t *const *)j->filters;
    b.label = j->label;
    b.label_time = j->known;
    b.repeated = j->repeated;
    b.rows = j->values;
    SCARCE__TRY(scarce__batch_run(&b, ctx, err));
    s->late = b.late;
    s->folded = b.folded;
    return SCARCE_OK;
}

/* ---- writing */

static void write_block(void *arg, size_t b, int worker)
{
    job *j = arg;
    const size_t begin = (j->first + b) * ROWS_PER_BLOCK,
                 end = begin + ROWS_PER_BLOCK < j->n ? begin + ROWS_PER_BLOCK : j->n;
    const scarce__feature_plan *plan = j->plan;
    scarce__text *t = &j->texts[b];
    reader *r = scarce__calloc(1, sizeof *r);
    char number[SCARCE__NUMBER_ROOM];

    (void)worker;
    t->n = 0;
    j->status[b] = r ? scarce__record_init(&r->record, plan, &j->errors[b])
                     : scarce__fail_memory(&j->errors[b], "rows", 0);
    for (size_t row = begin; row < end && j->status[b] == SCARCE_OK; ++row) {
        size_t n = 0;
        const char *line = scarce_table_line(j->table, row, &n);
        double *values = j->values + row * plan->n_outs;
        if (plan->n_derived) {
            j->status[b] = read_row(j, r, row, &j->errors[b]);
            if (j->status[b] != SCARCE_OK) break;
            scarce__record_derive(&r->record, plan, values);
        }
        scarce__text_add_bytes(t, line, n);
        for (size_t f = 0; f < plan->n_outs; ++f) {
            scarce__text_add_char(t, j->separator);
            scarce__text_add_bytes(t, number, scarce__print_value(number, values[f], line[-1]));
        }
        scarce__text_add_char(t, '\n');
    }
    if (t->failed && j->status[b] == SCARCE_OK) j->status[b] = scarce__fail_memory(&j->errors[b], "rows", 0);
    if (r) {
        scarce__record_deinit(&r->record);
        scarce__kept_deinit(&r->cut);
    }
    scarce__free(r);
}

/* The header as it stood, with the features behind it. */
static scarce_status write_header(job *j, scarce__outfile *out, scarce_error *err)
{
    size_t n = 0;
    const char *header = scarce_table_header(j->table, &n);
    scarce__text t = SCARCE__TEXT_INIT;
    while (n > 0 && (header[n - 1] == '\n' || header[n - 1] == '\r')) --n;
    scarce__text_add_bytes(&t, header, n);
    for (size_t f = 0; f < j->plan->n_outs; ++f) {
        const char *name = j->plan->outs[f].name;
        const char special[] = {'"', '\r', '\n', j->separator, ' ', '\0'};
        const int quoted = name[strcspn(name, special)] != '\0';
        scarce__text_add_char(&t, j->separator);
        if (quoted) scarce__text_add_char(&t, '"');
        for (const char *p = name; *p; ++p) {
            if (*p == '"') scarce__text_add_char(&t, '"');
            scarce__text_add_char(&t, *p);
        }
        if (quoted) scarce__text_add_char(&t, '"');
    }
    scarce__text_add_char(&t, '\n');
    const scarce_status st =
        t.failed ? scarce__fail_memory(err, "the header", 0) : scarce__outfile_write(out, t.bytes, t.n, err);
    scarce__text_deinit(&t);
    return st;
}

static scarce_status write_rows(job *j, scarce__outfile *out, const scarce_context *ctx, scarce_error *err)
{
    const size_t n_blocks = scarce__blocks(j->n, ROWS_PER_BLOCK);
    SCARCE__TRY(write_header(j, out, err));
    for (j->first = 0; j->first < n_blocks; j->first += BLOCKS_PER_WAVE) {
        const scarce_progress progress = {
            "write", (double)(j->first * ROWS_PER_BLOCK), (double)j->n, "rows", "", NULL, 0};
        const size_t n = n_blocks - j->first < BLOCKS_PER_WAVE ? n_blocks - j->first : BLOCKS_PER_WAVE;
        if (scarce__progress(ctx, &progress))
            return scarce__fail(err, SCARCE_ECANCEL, "stopped while writing");
        scarce__pool_run(scarce__context_pool(ctx), n, write_block, j);
        SCARCE__TRY(first_error(j, n, err));
        for (size_t b = 0; b < n; ++b)
            SCARCE__TRY(
                scarce__outfile_write(out, j->texts[b].bytes ? j->texts[b].bytes : "", j->texts[b].n, err));
    }
    return SCARCE_OK;
}

static scarce_status write_table(job *j, const char *path, const scarce_context *ctx, scarce_error *err)
{
    scarce__outfile *out = NULL;
    scarce_status st;
    j->texts = scarce__calloc(BLOCKS_PER_WAVE, sizeof *j->texts);
    if (!j->texts) return scarce__fail_memory(err, "rows", 0);
    st = scarce__outfile_open(&out, path, err);
    if (st == SCARCE_OK) {
        st = write_rows(j, out, ctx, err);
        if (st == SCARCE_OK) st = scarce__outfile_commit(out, err);
        else scarce__outfile_abort(out);
    }
    for (size_t b = 0; b < BLOCKS_PER_WAVE; ++b) scarce__text_deinit(&j->texts[b]);
    return st;
}

/* ---- all of it */

static scarce_status read_table(job *j, const char *const *paths, size_t n_paths, scarce_context *ctx,
                                scarce_error *err)
{
    const scarce_features_options *o = j->o;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_schema nothing; /* no column is a feature: what is needed is cut out of the lines */

    memset(&nothing, 0, sizeof nothing);
    ro.format = o->format;
    ro.separator = o->separator;
    ro.decimal = o->decimal;
    ro.date_order = o->date_order;
    ro.time_format = o->time_format;
    ro.schema = &nothing;
    ro.keep_lines = 1;
    if (j->plan->time >= 0) ro.time = j->plan->fields[j->plan->time].name;
    SCARCE__TRY(scarce_table_read(&j->table, paths, n_paths, &ro, ctx, err));
    if (!j->table->kept || j->table->kept->arff)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "%s: features are made from CSV and TSV files with a header", j->name);
    j->n = j->table->n_rows;
    j->separator = scarce_table_line(j->table, 0, NULL)[-2];
    return find_columns(j, err);
}

static scarce_status check_names(const job *j, scarce_error *err)
{
    for (size_t f = 0; f < j->plan->n_outs; ++f)
        if (scarce__written_column(j->table, j->plan->outs[f].name) != SIZE_MAX)
            return scarce__fail(
                err, SCARCE_EDATA,
                "%s: has a column \"%.80s\" already, like a feature; name the feature otherwise (as NAME), "
                "or take the column out",
                j->name, j->plan->outs[f].name);
    return SCARCE_OK;
}

static void job_deinit(job *j)
{
    for (size_t k = 0; k < SCARCE__FEATURE_KINDS; ++k) {
        scarce__free(j->keys[k]);
        scarce__free(j->no_key[k]);
        scarce__free(j->filters[k]);
    }
    for (size_t i = 0; i < SCARCE__FEATURE_FIELDS; ++i) {
        scarce__free(j->numbers[i]);
        scarce__free(j->hashes[i]);
    }
    scarce__free(j->values);
    scarce__free(j->time);
    scarce__free(j->at);
    scarce__free(j->known);
    scarce__free(j->label);
    scarce__free(j->repeated);
    scarce__free(j->ids);
    scarce__free(j->errors);
    scarce__free(j->status);
    scarce__free(j->texts);
    scarce__keep_deinit(&j->cut);
    scarce_table_free(j->table);
    scarce__free(j);
}

static scarce_status run(job *j, const char *const *paths, size_t n_paths, const char *path,
                         scarce_context *ctx, scarce_features_summary *s, scarce_error *err)
{
    size_t n_blocks;
    SCARCE__TRY(read_table(j, paths, n_paths, ctx, err));
    SCARCE__TRY(check_names(j, err));
    n_blocks = scarce__blocks(j->n, ROWS_PER_BLOCK);
    j->errors = scarce__calloc(n_blocks > BLOCKS_PER_WAVE ? n_blocks : BLOCKS_PER_WAVE, sizeof *j->errors);
    j->status = scarce__calloc(n_blocks > BLOCKS_PER_WAVE ? n_blocks : BLOCKS_PER_WAVE, sizeof *j->status);
    if (!j->errors || !j->status || !make_columns(j)) return scarce__fail_memory(err, "features", 0);
    scarce__pool_run(scarce__context_pool(ctx), n_blocks, read_block, j);
    SCARCE__TRY(first_error(j, n_blocks, err));
    SCARCE__TRY(arrive(j, s, err));
    SCARCE__TRY(compute(j, s, ctx, err));
    s->rows = j->n;
    s->features = j->plan->n_outs;
    return write_table(j, path, ctx, err);
}

scarce_status scarce_features_table(const scarce_definitions *definitions, const char *const *paths,
                                    size_t n_paths, const char *path, const scarce_features_options *options,
                                    scarce_context *ctx, scarce_features_summary *summary, scarce_error *err)
{
    scarce_features_options o = SCARCE_FEATURES_OPTIONS_INIT;
    scarce_features_summary s = SCARCE_FEATURES_SUMMARY_INIT;
    scarce_status st;
    job *j;

    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_FEATURES_OPTIONS_INIT, err));
    SCARCE__TRY(SCARCE__FILLED_CHECK(summary, SCARCE_FEATURES_SUMMARY_INIT, err));
    if (n_paths == 0) return scarce__fail(err, SCARCE_EINVAL, "no file to read");
    if (!(o.label_delay >= 0 && o.label_delay <= 1e10))
        return scarce__fail(err, SCARCE_EINVAL, "a label delay of %g seconds", o.label_delay);
    j = scarce__calloc(1, sizeof *j);
    if (!j) return scarce__fail_memory(err, "features", 0);
    j->plan = definitions->plan;
    j->o = &o;
    j->name = strcmp(paths[0], "-") == 0 ? "stdin" : paths[0];
    st = run(j, paths, n_paths, path, ctx, &s, err);
    if (st == SCARCE_OK) SCARCE__FILL(summary, &s);
    job_deinit(j);
    return st;
}
