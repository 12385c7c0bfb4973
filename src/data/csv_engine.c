/* SPDX-License-Identifier: Apache-2.0 */
/* Text files to columns, with the same result for every number of threads and every size of piece.
 *
 * The text goes through one buffer, a superblock (8 MB) at a time, and never exists as a whole. A
 * superblock is cut into blocks of 512 KB that are parsed in parallel (csv_super.c); the row that isn't
 * finished at its end is carried over. Memory beside the table is the buffer, the categories of a
 * superblock, and a tile of cells per thread.
 *
 * Types: a column is numeric until a field is neither a number nor missing. Then the pass is void:
 * the column becomes a category and reading starts over. The first superblock is small, so that
 * nearly all flips happen there and cost nothing; a flip found later lets the pass go on to the end
 * to find all others too. So there are three passes at most; one more when a decimal comma shows late
 * (look.h), or when a date shows that months come first (csv_time.c). */
#include "data/csv.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/reading.h"

enum {
    FIRST_BYTES = 1 << 18,
    SUPERBLOCK_BYTES = 1 << 23,
    BLOCK_BYTES = 1 << 19,
    LINE_BYTES = 1 << 26,
    TILE_BYTES = 1 << 15,
    TILE_ROWS = 64
};

static void clear_rows(scarce__csv *csv)
{
    csv->n_rows = 0;
    csv->flipped = 0;
    csv->n_supers = 0;
    for (size_t i = 0; i < csv->remarks.count; ++i)
        csv->marks[csv->remarks.items[i].column] &= (uint16_t)~csv->remarks.items[i].what;
    csv->remarks.count = 0;
    scarce__kept_clear(&csv->kept);
    scarce__labels_deinit(&csv->labels);
    for (size_t c = 0; csv->texts && c < csv->plan.n_columns; ++c) scarce__dictionary_deinit(&csv->texts[c]);
}

void scarce__csv_deinit(scarce__csv *csv)
{
    clear_rows(csv);
    for (size_t c = 0; csv->cells && c < csv->plan.n_columns; ++c) scarce__free(csv->cells[c]);
    for (int i = 0; csv->workers && i < csv->n_workers; ++i) {
        for (size_t c = 0; csv->workers[i].caches && c < csv->plan.n_columns; ++c)
            scarce__free(csv->workers[i].caches[c]);
        scarce__free(csv->workers[i].caches);
        scarce__free(csv->workers[i].tile);
        scarce__free(csv->workers[i].scratch);
    }
    scarce__free(csv->workers);
    scarce__free(csv->cells);
    scarce__free(csv->texts);
    scarce__free(csv->marks);
    scarce__free(csv->remarks.items);
    scarce__free(csv->strays.items);
    for (size_t s = 0; csv->looks && s < csv->n_sources; ++s) scarce__look_deinit(&csv->looks[s]);
    scarce__free(csv->looks);
    scarce__decoder_deinit(&csv->decoder);
    scarce__free(csv->weight);
    scarce__free(csv->time);
    scarce__free(csv->amount);
    scarce__free(csv->cost);
    for (int i = 0; i < SCARCE__MAX_EXACT; ++i) scarce__free(csv->exact[i]);
    scarce__kept_deinit(&csv->kept);
    scarce__keep_deinit(&csv->keep);
    scarce__free(csv->base);
    scarce__free(csv->blocks);
    scarce__plan_deinit(&csv->plan);
    scarce__header_deinit(&csv->header);
    memset(csv, 0, sizeof *csv);
}

static scarce_status make_buffer(scarce__csv *csv, size_t capacity, scarce_error *err)
{
    char *base;
    if (capacity <= csv->text_capacity) return SCARCE_OK;
    base = scarce__realloc_array(csv->base, capacity + 2 * SCARCE__CSV_PAD, 1);
    if (!base) return scarce__fail_memory(err, "the text of a file", capacity);
    memset(base, 0, SCARCE__CSV_PAD);
    csv->base = base;
    csv->text_capacity = capacity;
    return SCARCE_OK;
}

/* What depends on the number of columns. */
static scarce_status make_workers(scarce__csv *csv, scarce_error *err)
{
    const size_t n = csv->plan.n_columns, fit = TILE_BYTES / (n * sizeof(uint32_t));

    csv->tile_rows = fit < 1 ? 1 : fit > TILE_ROWS ? TILE_ROWS : fit;
    /* columns 80 words apart, so that the lines being written fall on different sets of the cache */
    csv->tile_stride = csv->tile_rows < 16 ? csv->tile_rows : csv->tile_rows + 16;
    csv->n_workers = scarce__pool_threads(csv->pool);
    csv->cells = scarce__calloc(n, sizeof *csv->cells);
    csv->texts = scarce__calloc(n, sizeof *csv->texts);
    csv->marks = scarce__calloc(n, sizeof *csv->marks);
    csv->workers = scarce__calloc((size_t)csv->n_workers, sizeof *csv->workers);
    if (!csv->cells || !csv->texts || !csv->marks || !csv->workers)
        return scarce__fail_memory(err, "the columns", 0);
    for (int i = 0; i < csv->n_workers; ++i) {
        csv->workers[i].tile = scarce__malloc_array(n * csv->tile_stride, sizeof(uint32_t));
        csv->workers[i].caches = scarce__calloc(n, sizeof *csv->workers[i].caches);
        if (!csv->workers[i].tile || !csv->workers[i].caches)
            return scarce__fail_memory(err, "the columns", 0);
    }
    return SCARCE_OK;
}

static int is_text(const scarce__plan_column *p)
{
    return p->use == SCARCE__USE_CATEGORY || p->use == SCARCE__USE_LABEL || p->use == SCARCE__USE_GROUP;
}

/* Empty caches for the first few text columns. Codes stay the same within a pass, not beyond; and a column that
 * came to be text in the pass before may take the place of a later one, whose codes must go. */
static scarce_status make_caches(scarce__csv *csv, scarce_error *err)
{
    const size_t size = (size_t)1 << SCARCE__CSV_CACHE_BITS;
    size_t n = 0;

    if (csv->arff) return SCARCE_OK; /* blanks and quotes are looked at first */
    for (size_t c = 0; c < csv->plan.n_columns; ++c) {
        const int has_one = is_text(&csv->plan.columns[c]) && n < SCARCE__CSV_CACHED_COLUMNS;
        n += (size_t)has_one;
        for (int i = 0; i < csv->n_workers; ++i) {
            scarce__csv_cached **cache = &csv->workers[i].caches[c];
            if (!has_one) {
                scarce__free(*cache);
                *cache = NULL;
                continue;
            }
            if (!*cache) *cache = scarce__malloc_array(size, sizeof **cache);
            if (!*cache) return scarce__fail_memory(err, "reading categories", 0);
            memset(*cache, 0, size * sizeof **cache);
        }
    }
    return SCARCE_OK;
}

static scarce_status tell_progress(const scarce__csv *csv, scarce_error *err)
{
    scarce_progress p = {"read", 0, 0, "bytes", "", NULL, 0};
    int known = 1;

    for (size_t s = 0; s < csv->n_sources; ++s) {
        p.total += (double)scarce__source_size(csv->sources[s]);
        known &= scarce__source_size(csv->sources[s]) > 0;
        if (s <= csv->source) p.done += (double)scarce__source_position(csv->sources[s]);
    }
    if (!known) p.total = 0;
    if (!scarce__progress(csv->ctx, &p)) return SCARCE_OK;
    return scarce__fail(err, SCARCE_ECANCEL, "stopped while reading %s",
                        scarce__source_name(csv->sources[csv->source]));
}

/* The text of the source in the buffer: bytes begin..end are there and not yet used. */
typedef struct window {
    size_t begin, end;
    int at_end; /* of the source; then the text ends with a newline */
    int header_done;
} window;

static scarce_status fail_long(const scarce__csv *csv, const char *text, const window *v, size_t open,
                               scarce_error *err)
{
    const char *name = scarce__source_name(csv->sources[csv->source]);
    size_t line = csv->line;

    for (size_t i = v->begin; open != SIZE_MAX && i < v->begin + open; ++i) line += text[i] == '\n';
    if (open != SIZE_MAX && v->at_end)
        return scarce__fail(
            err, SCARCE_EPARSE,
            "%s:%zu: the quote that opens here is not closed (a quote inside a field is written twice)", name,
            line);
    if (open != SIZE_MAX)
        return scarce__fail(err, SCARCE_EPARSE,
                            "%s:%zu: the quote that opens here is not closed within %zu bytes", name, line,
                            csv->tuning.max_line);
    return scarce__fail(err, SCARCE_EPARSE, "%s:%zu: the line is longer than %zu bytes", name, line,
                        csv->tuning.max_line);
}

/* Moves the unused rest to the front and reads `more` bytes behind it. */
static scarce_status fill(scarce__csv *csv, window *v, size_t more, scarce_error *err)
{
    const size_t rest = v->end - v->begin;
    size_t got = 0;
    char *text;

    SCARCE__TRY(make_buffer(csv, rest + more + 1, err));
    text = csv->base + SCARCE__CSV_PAD;
    if (rest && v->begin) memmove(text, text + v->begin, rest);
    SCARCE__TRY(scarce__decoder_read(&csv->decoder, csv->sources[csv->source], text + rest, more, &got,
                                     csv->pool, err));
    v->begin = 0;
    v->end = rest + got;
    v->at_end = got < more;
    if (v->at_end && v->end > 0 && text[v->end - 1] != '\n') text[v->end++] = '\n';
    memset(text + v->end, 0, SCARCE__CSV_PAD);
    return SCARCE_OK;
}

static scarce_status take_header(scarce__csv *csv, window *v, int *waiting, scarce_error *err)
{
    const char *text = csv->base + SCARCE__CSV_PAD;
    const int first = !csv->have_plan;
    int done = 0;
    size_t used = 0, lines = 0;

    if (v->end - v->begin >= 3 && memcmp(text + v->begin, "\xEF\xBB\xBF", 3) == 0) v->begin += 3;
    SCARCE__TRY(csv->read_header(csv, csv->source, text + v->begin, v->end - v->begin, v->at_end, &done,
                                 &used, &lines, err));
    *waiting = !done;
    if (!done) return SCARCE_OK;
    if (first) {
        if (csv->looks[0].n_columns == csv->header.n_columns) csv->header.is_long = csv->looks[0].is_long;
        SCARCE__TRY(scarce__plan_make(&csv->plan, &csv->header, csv->o,
                                      scarce__source_name(csv->sources[csv->source]), err));
        SCARCE__TRY(scarce__keep_plan(&csv->keep, &csv->header, csv->o,
                                      scarce__source_name(csv->sources[csv->source]), err));
        if (csv->o->keep_lines && !scarce__keep_header(&csv->kept, text + v->begin, used))
            return scarce__fail_memory(err, "the header", used);
        SCARCE__TRY(make_workers(csv, err));
        SCARCE__TRY(make_caches(csv, err));
        csv->have_plan = 1;
    }
    v->header_done = 1;
    v->begin += used;
    csv->line += lines;
    return SCARCE_OK;
}

/* One superblock's worth. *waiting: a row (or the header) doesn't fit, more text is needed. */
static scarce_status take_rows(scarce__csv *csv, window *v, int *waiting, scarce_error *err)
{
    size_t used = 0, open = SIZE_MAX;
    const char *text;

    *waiting = 0;
    if (!v->header_done) SCARCE__TRY(take_header(csv, v, waiting, err));
    if (*waiting || v->begin == v->end) return SCARCE_OK;
    text = csv->base + SCARCE__CSV_PAD;
    SCARCE__TRY(scarce__csv_super(csv, text + v->begin, v->end - v->begin, &used, &open, err));
    v->begin += used;
    csv->n_supers += used > 0;
    if (used > 0 && !(v->at_end && open != SIZE_MAX)) return SCARCE_OK;
    if (v->at_end || v->end - v->begin > csv->tuning.max_line) {
        if (open != SIZE_MAX) open -= used;
        return fail_long(csv, text, v, open, err);
    }
    *waiting = 1;
    return SCARCE_OK;
}

static scarce_status read_source(scarce__csv *csv, scarce_error *err)
{
    window v = {0, 0, 0, 0};
    int waiting = 0;

    const scarce__look *look = &csv->looks[csv->source];
    csv->line = 1;
    csv->separator = look->separator;
    csv->decimal = look->decimal;
    csv->decimal_sure = look->decimal_sure;
    scarce__decoder_rewind(&csv->decoder);
    csv->decoder.encoding = look->encoding;
    csv->decoder.cr = look->cr;
    while (!v.at_end || v.begin < v.end || !v.header_done) {
        const size_t usual = csv->n_rows == 0 ? csv->tuning.first : csv->tuning.superblock;
        const size_t rest = v.end - v.begin;
        if (waiting && !v.header_done && rest > csv->tuning.max_line)
            return fail_long(csv, NULL, &v, SIZE_MAX, err);
        SCARCE__TRY(fill(csv, &v, waiting && rest > usual ? rest : usual, err));
        SCARCE__TRY(take_rows(csv, &v, &waiting, err));
        SCARCE__TRY(tell_progress(csv, err));
        if (csv->flipped && csv->n_supers == 1) return SCARCE_OK; /* early: start over at once */
    }
    return SCARCE_OK;
}

static scarce_status read_all(scarce__csv *csv, scarce_error *err)
{
    for (int pass = 0;; ++pass) {
        clear_rows(csv);
        if (pass > 0) SCARCE__TRY(make_caches(csv, err));
        for (csv->source = 0; csv->source < csv->n_sources; ++csv->source) {
            if (pass > 0) SCARCE__TRY(scarce__source_rewind(csv->sources[csv->source], err));
            SCARCE__TRY(read_source(csv, err));
            if (csv->flipped && csv->n_supers == 1) break;
        }
        csv->source = 0;
        if (csv->flipped) continue;
        int again = 0;
        SCARCE__TRY(scarce__csv_settle_dates(csv, &again, err));
        if (!again) return SCARCE_OK;
    }
}

static scarce_status check_ranges(const scarce__csv *csv, scarce_error *err)
{
    for (size_t i = 0; i < csv->remarks.count; ++i) {
        const scarce__csv_remark *r = &csv->remarks.items[i];
        if (r->what != SCARCE__CSV_RANGE || csv->plan.columns[r->column].use != SCARCE__USE_NUMBER) continue;
        const char *name = scarce__dictionary_text(&csv->header.names, r->column);
        return scarce__fail(
            err, SCARCE_EPARSE,
            "%s:%zu: column %zu \"%.80s\": \"%s\" is beyond the range of a number (fix the row, or leave the "
            "column out with --ignore %.80s)",
            scarce__source_name(csv->sources[r->place.file]), r->place.line, r->column + 1, name, r->text,
            name);
    }
    return SCARCE_OK;
}

const scarce__csv_remark *scarce__csv_find_remark(const scarce__csv_remarks *in, size_t column, int what)
{
    for (size_t i = 0; i < in->count; ++i)
        if (in->items[i].column == column && in->items[i].what == what) return &in->items[i];
    return NULL;
}

int scarce__csv_add_remark(scarce__csv_remarks *to, const scarce__csv_remark *remark)
{
    if (to->count == to->capacity) {
        const size_t capacity = to->capacity ? 2 * to->capacity : 4;
        scarce__csv_remark *items = scarce__realloc_array(to->items, capacity, sizeof *items);
        if (!items) return 0;
        to->items = items;
        to->capacity = capacity;
    }
    to->items[to->count++] = *remark;
    return 1;
}

/* Gives back what was reserved for rows that didn't come; failing to shrink does no harm. */
static void *trimmed(void *array, size_t count, size_t size)
{
    void *smaller = array ? scarce__realloc_array(array, count, size) : NULL;
    return smaller ? smaller : array;
}

/* Costs that are the amounts. */
static scarce_status copy_amounts(scarce_table *table, scarce_error *err)
{
    const size_t n = table->n_rows;

    table->cost = scarce__malloc_array(n, sizeof *table->cost);
    if (!table->cost) return scarce__fail_memory(err, "the costs", n * sizeof *table->cost);
    memcpy(table->cost, table->amount, n * sizeof *table->cost);
    const scarce_status st = scarce__check_costs(table->cost, n, err);
    if (st) scarce__fail_prefix(err, "column \"%.80s\": ", table->schema.cost_name);
    return st;
}

static scarce_status hand_over(scarce__csv *csv, scarce_table *table, scarce_error *err)
{
    const scarce__plan *plan = &csv->plan;
    const size_t n = csv->n_rows;

    SCARCE__TRY(scarce__plan_apply(plan, &csv->header, csv->o, table, err));
    table->n_rows = n;
    for (size_t c = 0; c < plan->n_columns; ++c) {
        const scarce__plan_column *p = &plan->columns[c];
        if (p->feature == SIZE_MAX) continue;
        scarce__feature *f = &table->schema.features[p->feature];
        void *cells = trimmed(csv->cells[c], n, sizeof(uint32_t));
        csv->cells[c] = NULL;
        if (f->kind == SCARCE_COLUMN_CATEGORY) table->columns[p->feature].code = cells;
        else table->columns[p->feature].number = cells;
        if (f->kind == SCARCE_COLUMN_CATEGORY && !p->schema) {
            f->categories = csv->texts[c];
            memset(&csv->texts[c], 0, sizeof csv->texts[c]);
        }
    }
    table->weight = trimmed(csv->weight, n, sizeof(double));
    table->time = trimmed(csv->time, n, sizeof(double));
    table->amount = trimmed(csv->amount, n, sizeof(double));
    table->cost = trimmed(csv->cost, n, sizeof(double));
    csv->weight = csv->time = csv->amount = csv->cost = NULL;
    if (plan->cost != SIZE_MAX && plan->cost == plan->amount && !csv->o->schema)
        SCARCE__TRY(copy_amounts(table, err));
    for (int i = 0; i < SCARCE__MAX_EXACT; ++i) {
        table->exact[i] = trimmed(csv->exact[i], n, sizeof(double));
        csv->exact[i] = NULL;
    }
    if (plan->group != SIZE_MAX) {
        table->group = trimmed(csv->cells[plan->group], n, sizeof(int32_t));
        csv->cells[plan->group] = NULL;
        table->groups = csv->texts[plan->group];
        memset(&csv->texts[plan->group], 0, sizeof csv->texts[plan->group]);
    }
    if (csv->keep.n) {
        table->kept = scarce__malloc(sizeof *table->kept);
        if (!table->kept) return scarce__fail_memory(err, "the texts of the rows", 0);
        *table->kept = csv->kept;
        memset(&csv->kept, 0, sizeof csv->kept);
        table->kept->arff = csv->arff;
        if (table->kept->header)
            SCARCE__TRY(scarce__dictionary_copy(&table->kept->names, &csv->header.names, err));
    }
    if (plan->label == SIZE_MAX) return SCARCE_OK;
    csv->labels.codes = csv->cells[plan->label];
    csv->cells[plan->label] = NULL;
    return scarce__finish_label(table, &csv->labels, scarce__dictionary_text(&csv->header.names, plan->label),
                                csv->sources, csv->o, err);
}

int scarce__csv_usual_missing(const char *text, size_t n)
{
    static const char *const usual[] = {"NA",   "N/A",  "n/a", "#N/A", "<NA>", "NULL", "null",
                                        "Null", "None", "\\N", "NaT",  "-",    "?"};
    if (n == 3 && strncasecmp(text, "nan", 3) == 0) return 1;
    for (size_t i = 0; n <= 4 && i < sizeof usual / sizeof usual[0]; ++i)
        if (strlen(usual[i]) == n && memcmp(usual[i], text, n) == 0) return 1;
    return 0;
}

static void set_missing(scarce__csv *csv)
{
    static const char *const arff[] = {"?", "<null>"};

    csv->missing = csv->o->missing;
    if (csv->missing.count == 0 && csv->arff) csv->missing = (scarce_names){arff, 2};
    for (size_t i = 0; i < csv->missing.count; ++i) {
        const char c = csv->missing.items[i][0];
        csv->odd_missing |= (c >= '0' && c <= '9') || c == '-' || c == '.' || c == ',';
    }
}

static scarce_status look_at_sources(scarce__csv *csv, scarce_error *err)
{
    csv->looks = scarce__calloc(csv->n_sources, sizeof *csv->looks);
    if (!csv->looks) return scarce__fail_memory(err, "a list of files", 0);
    for (size_t s = 0; s < csv->n_sources; ++s)
        SCARCE__TRY(scarce__look_at(&csv->looks[s], csv->sources[s], csv->o, csv->arff, err));
    return SCARCE_OK;
}

static scarce_status check_options(const scarce_read_options *o, scarce_error *err)
{
    if (o->decimal && o->decimal != '.' && o->decimal != ',')
        return scarce__fail(err, SCARCE_EINVAL, "decimal sign '%c'; it is . or ,", o->decimal);
    if (o->separator == '"' || o->separator == '\n' || o->separator == '\r')
        return scarce__fail(err, SCARCE_EINVAL, "a quote or the end of a line can't be the separator");
    return SCARCE_OK;
}

void scarce__csv_init(scarce__csv *csv, scarce__source *const *sources, size_t n_sources,
                      const scarce_read_options *o, const scarce__read_tuning *tuning, scarce_context *ctx)
{
    memset(csv, 0, sizeof *csv);
    csv->sources = sources;
    csv->n_sources = n_sources;
    csv->o = o;
    csv->ctx = ctx;
    if (tuning) csv->tuning = *tuning;
}

scarce_status scarce__csv_run(scarce__csv *csv, scarce_table *table, scarce_error *err)
{
    scarce__read_tuning *t = &csv->tuning;

    if (t->first == 0) t->first = FIRST_BYTES;
    if (t->superblock == 0) t->superblock = SUPERBLOCK_BYTES;
    if (t->block == 0) t->block = BLOCK_BYTES;
    if (t->max_line == 0) t->max_line = LINE_BYTES;
    csv->pool = scarce__context_pool(csv->ctx);
    csv->header.label = SIZE_MAX;
    csv->date_order = csv->o->date_order;
    set_missing(csv);
    SCARCE__TRY(check_options(csv->o, err));
    SCARCE__TRY(look_at_sources(csv, err));
    SCARCE__TRY(read_all(csv, err));
    if (csv->n_rows == 0 && csv->o->may_be_empty) return SCARCE_OK;
    if (csv->n_rows == 0)
        return scarce__fail(err, SCARCE_EDATA, "%s: there are no rows", scarce__source_name(csv->sources[0]));
    SCARCE__TRY(check_ranges(csv, err));
    scarce_time_format format = SCARCE_TIME_AUTO;
    SCARCE__TRY(scarce__csv_settle_times(csv, &format, err));
    SCARCE__TRY(hand_over(csv, table, err));
    return scarce__csv_reading(csv, table, format, err);
}
