/* SPDX-License-Identifier: Apache-2.0 */
/* One superblock: cut, parse, join.
 *
 *     text  |----chunk----|----chunk----|----chunk----|     counted in parallel: lines, quotes, NULs
 *           |--block--------|-block-------|-block---|rest   cut at the first row end past each chunk's begin
 *     rows   0..            +lines        +lines            a block has at most as many rows as lines
 *
 * Only quotes make cutting serial (a newline inside quotes ends no row), and then the walk goes from
 * quote to quote. Blocks parse straight into the columns at the row their line count leaves room
 * for; when blank lines or newlines in quotes left gaps, the columns are moved together afterwards. */
#include "data/csv.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

typedef struct chunk {
    size_t lines; /* newlines before it, after the counts are summed */
    int has_nul, has_quote;
} chunk;

typedef struct cut {
    scarce__csv *csv;
    const char *text;
    size_t n, size; /* bytes in all and in a chunk */
    size_t n_chunks;
    chunk *chunks;
    size_t *starts; /* of block i; starts[n_chunks] is the end of the last whole row */
    size_t open;    /* of a quote not closed, or SIZE_MAX */
    size_t nul;     /* of the first zero byte, or SIZE_MAX; then n stops there */
} cut;

static void count_chunk(void *arg, size_t i, int worker)
{
    const cut *k = arg;
    const size_t begin = i * k->size, n = k->n - begin < k->size ? k->n - begin : k->size;
    chunk *c = &k->chunks[i];
    (void)worker;
    c->lines = scarce__csv_count(k->text + begin, n, &c->has_nul, &c->has_quote);
}

/* Newlines before offset `at`. */
static size_t lines_before(const cut *k, size_t at)
{
    const size_t i = at / k->size < k->n_chunks ? at / k->size : k->n_chunks - 1;
    int ignored = 0;
    return k->chunks[i].lines +
           scarce__csv_count(k->text + i * k->size, at - i * k->size, &ignored, &ignored);
}

/* Every newline ends a row. */
static void cut_plain(cut *k)
{
    const char *last = memrchr(k->text, '\n', k->n);
    const size_t end = last ? (size_t)(last - k->text) + 1 : 0;

    k->starts[0] = 0;
    for (size_t i = 1; i < k->n_chunks; ++i) {
        const size_t from = i * k->size - 1;
        const char *p = from < end ? memchr(k->text + from, '\n', end - from) : NULL;
        k->starts[i] = p ? (size_t)(p - k->text) + 1 : end;
    }
    k->starts[k->n_chunks] = end;
}

/* The next quote that opens a field, from p on (outside quotes); NULL: none. */
static const char *next_open(const cut *k, const char *p)
{
    const char *end = k->text + k->n;
    while (p < end && (p = memchr(p, '"', (size_t)(end - p))) != NULL) {
        if (p == k->text || p[-1] == k->csv->separator || p[-1] == '\n') return p;
        ++p;
    }
    return NULL;
}

/* Walks from one quoted field to the next; only newlines in between end rows. */
static void cut_quoted(cut *k)
{
    const char *p = k->text, *const end = k->text + k->n;
    size_t i = 1, last = 0;

    k->starts[0] = 0;
    while (p) {
        const char *open = next_open(k, p), *stop = open ? open : end;
        const char *newline = memrchr(p, '\n', (size_t)(stop - p));
        if (newline) {
            last = (size_t)(newline - k->text) + 1;
            for (; i < k->n_chunks && i * k->size <= last; ++i) {
                const char *from = k->text + i * k->size - 1;
                const char *first = memchr(from > p ? from : p, '\n', (size_t)(stop - (from > p ? from : p)));
                k->starts[i] = (size_t)(first - k->text) + 1;
            }
        }
        p = open ? scarce__csv_close_quote(open, end) : NULL;
        if (open && !p) k->open = (size_t)(open - k->text);
    }
    for (; i <= k->n_chunks; ++i) k->starts[i] = last;
}

static scarce_status fail_nul(const cut *k, scarce_error *err)
{
    return scarce__fail(
        err, SCARCE_EPARSE,
        "%s:%zu: a zero byte: this is not a text file (CSV, TSV, LIBSVM, ARFF, KEEL are read)",
        scarce__source_name(k->csv->sources[k->csv->source]), k->csv->line + lines_before(k, k->nul));
}

/* A zero byte is complained of after the whole rows before it were read: the first complaint is that of
 * the first line, however the text is cut. */
static void make_cuts(cut *k)
{
    size_t lines = 0;
    int has_nul = 0, has_quote = 0;

    scarce__pool_run(k->csv->pool, k->n_chunks, count_chunk, k);
    for (size_t i = 0; i < k->n_chunks; ++i) {
        const size_t here = k->chunks[i].lines;
        k->chunks[i].lines = lines;
        lines += here;
        has_nul |= k->chunks[i].has_nul;
        has_quote |= k->chunks[i].has_quote;
    }
    if (has_nul) {
        const char *nul = memchr(k->text, 0, k->n);
        k->n = k->nul = (size_t)(nul - k->text);
    }
    if (has_quote && !k->csv->arff) cut_quoted(k);
    else cut_plain(k);
}

/* ---- Blocks */

static void block_deinit(scarce__csv_block *b, size_t n_columns)
{
    if (b->fresh)
        for (size_t c = 0; c < n_columns; ++c) scarce__dictionary_deinit(&b->fresh[c]);
    scarce__free(b->fresh);
    scarce__labels_deinit(&b->labels);
    scarce__free(b->marks);
    scarce__free(b->remarks.items);
    scarce__kept_deinit(&b->kept);
    memset(b, 0, sizeof *b);
}

static scarce_status make_blocks(const cut *k, scarce_error *err)
{
    scarce__csv *csv = k->csv;
    size_t row = csv->n_rows;

    if (csv->blocks_capacity < k->n_chunks) {
        scarce__csv_block *blocks = scarce__realloc_array(csv->blocks, k->n_chunks, sizeof *blocks);
        if (!blocks) return scarce__fail_memory(err, "reading", 0);
        csv->blocks = blocks;
        csv->blocks_capacity = k->n_chunks;
    }
    csv->n_blocks = k->n_chunks;
    memset(csv->blocks, 0, k->n_chunks * sizeof *csv->blocks);
    for (size_t i = 0; i < k->n_chunks; ++i) {
        scarce__csv_block *b = &csv->blocks[i];
        const size_t first = lines_before(k, k->starts[i]);
        b->begin = k->text + k->starts[i];
        b->end = k->text + k->starts[i + 1];
        b->line = csv->line + first;
        b->row = row;
        b->bound = lines_before(k, k->starts[i + 1]) - first;
        row += b->bound;
    }
    return SCARCE_OK;
}

static void parse_block(void *arg, size_t i, int worker)
{
    scarce__csv *csv = arg;
    scarce__csv_rows(csv, &csv->blocks[i], &csv->workers[worker]);
}

/* ---- Room for rows */

/* Room is asked for the rows that are expected, so that an array grows once as a rule: the first touch of every page of a
 * large table costs more than the copy that touches it. */
static int grow_array(void **array, size_t count, size_t size)
{
    void *bigger = *array ? scarce__realloc_array(*array, count, size) : scarce__big_alloc(count, size);
    if (!bigger) return 0;
    *array = bigger;
    return 1;
}

static int grow_wide(double **array, size_t count)
{
    void *bigger = *array;
    if (!grow_array(&bigger, count, sizeof **array)) return 0;
    *array = bigger;
    return 1;
}

static int grow_all(scarce__csv *csv, size_t capacity)
{
    const scarce__plan *plan = &csv->plan;
    for (size_t c = 0; c < plan->n_columns; ++c) {
        const scarce__plan_column *p = &plan->columns[c];
        if (p->feature == SIZE_MAX && p->use != SCARCE__USE_LABEL && p->use != SCARCE__USE_GROUP) continue;
        if (!grow_array(&csv->cells[c], capacity, sizeof(uint32_t))) return 0;
    }
    if (plan->weight != SIZE_MAX && !grow_wide(&csv->weight, capacity)) return 0;
    if (plan->time != SIZE_MAX && !grow_wide(&csv->time, capacity)) return 0;
    if (plan->amount != SIZE_MAX && !grow_wide(&csv->amount, capacity)) return 0;
    if (plan->cost != SIZE_MAX && plan->cost != plan->amount && !grow_wide(&csv->cost, capacity)) return 0;
    for (int i = 0; i < SCARCE__MAX_EXACT; ++i)
        if (plan->exact[i] != SIZE_MAX && !grow_wide(&csv->exact[i], capacity)) return 0;
    csv->capacity = capacity;
    return 1;
}

/* Rows the whole input will have, if it goes on as it began: pages never touched cost nothing. */
static size_t expected_rows(const scarce__csv *csv, size_t rows)
{
    double size = 0, taken = 0;
    for (size_t s = 0; s < csv->n_sources; ++s) {
        size += (double)scarce__source_size(csv->sources[s]);
        if (s <= csv->source) taken += (double)scarce__source_position(csv->sources[s]);
    }
    if (taken <= 0 || size <= taken) return rows;
    const double expected = (double)rows * (size / taken) * 1.02;
    return expected < 4e9 ? (size_t)expected + 1 : rows;
}

static scarce_status make_room(scarce__csv *csv, scarce_error *err)
{
    const scarce__csv_block *last = &csv->blocks[csv->n_blocks - 1];
    const size_t rows = last->row + last->bound;

    if (rows >= UINT32_MAX - 1)
        return scarce__fail(err, SCARCE_EDATA, "more than %u rows", (unsigned)UINT32_MAX - 2);
    if (rows <= csv->capacity) return SCARCE_OK;
    const size_t expected = expected_rows(csv, rows), more = csv->capacity + csv->capacity / 2;
    if (grow_all(csv, expected > more ? expected : more > rows ? more : rows)) return SCARCE_OK;
    if (grow_all(csv, rows)) return SCARCE_OK;
    return scarce__fail_memory(err, "the columns of a table", rows * csv->plan.n_columns * sizeof(float));
}

/* ---- Joining what the blocks found */

/* Column c: new texts in the order of the blocks; fresh[c] of a block becomes a list of codes in its
 * hashes, which are not needed any more. */
static int join_texts(scarce__csv *csv, size_t c)
{
    for (size_t i = 0; i < csv->n_blocks; ++i) {
        scarce__csv_block *b = &csv->blocks[i];
        if (!b->fresh || b->fresh[c].count == 0) continue;
        scarce__dictionary *d = &b->fresh[c];
        for (size_t t = 0; t < d->count; ++t) {
            const size_t end = t + 1 < d->count ? d->offset[t + 1] : d->n_bytes;
            const size_t code =
                scarce__dictionary_add(&csv->texts[c], d->bytes + d->offset[t], end - d->offset[t] - 1);
            if (code == SIZE_MAX) return 0;
            d->hashes[t] = (uint32_t)code;
        }
    }
    return 1;
}

static int join_labels(scarce__csv *csv)
{
    scarce__labels *all = &csv->labels;
    for (size_t i = 0; i < csv->n_blocks; ++i) {
        scarce__labels *local = &csv->blocks[i].labels;
        if (local->n_missing && all->n_missing == 0) all->first_missing = local->first_missing;
        all->n_missing += local->n_missing;
        for (size_t t = 0; t < local->texts.count; ++t) {
            const char *text = scarce__dictionary_text(&local->texts, t);
            const int32_t code = scarce__labels_add(all, text, strlen(text), local->first[t]);
            if (code < 0) return 0;
            local->texts.hashes[t] = (uint32_t)code;
        }
    }
    return 1;
}

static void recode_column(const scarce__csv_block *b, int32_t *codes, const scarce__dictionary *fresh)
{
    if (fresh->count == 0) return;
    for (size_t r = b->row; r < b->row + b->n_rows; ++r)
        if (codes[r] < -1) codes[r] = (int32_t)fresh->hashes[-2 - codes[r]];
}

static void recode_block(void *arg, size_t i, int worker)
{
    scarce__csv *csv = arg;
    const scarce__csv_block *b = &csv->blocks[i];
    (void)worker;
    for (size_t c = 0; b->fresh && c < csv->plan.n_columns; ++c)
        if (csv->cells[c]) recode_column(b, csv->cells[c], &b->fresh[c]);
    if (csv->plan.label != SIZE_MAX) recode_column(b, csv->cells[csv->plan.label], &b->labels.texts);
}

/* Moves rows together where blocks had fewer than room was left for. */
static void close_gaps(scarce__csv *csv)
{
    double *wide[4 + SCARCE__MAX_EXACT] = {csv->weight, csv->time, csv->amount, csv->cost};
    size_t row = csv->n_rows;
    for (int i = 0; i < SCARCE__MAX_EXACT; ++i) wide[4 + i] = csv->exact[i];
    for (size_t i = 0; i < csv->n_blocks; ++i) {
        const scarce__csv_block *b = &csv->blocks[i];
        if (b->row != row && b->n_rows > 0) {
            for (size_t c = 0; c < csv->plan.n_columns; ++c) {
                uint32_t *cells = csv->cells[c];
                if (cells) memmove(cells + row, cells + b->row, b->n_rows * sizeof *cells);
            }
            for (int k = 0; k < 4 + SCARCE__MAX_EXACT; ++k)
                if (wide[k]) memmove(wide[k] + row, wide[k] + b->row, b->n_rows * sizeof *wide[k]);
        }
        row += b->n_rows;
    }
    csv->n_rows = row;
}

/* What the blocks' fields showed: flips into the plan, decimal commas into the look at the file. */
static int join_remark(scarce__csv *csv, const scarce__csv_remark *r)
{
    if (csv->marks[r->column] & r->what) return 1;
    if (r->what != SCARCE__CSV_COMMA) csv->marks[r->column] |= (uint16_t)r->what;
    if (r->what == SCARCE__CSV_FLIP) {
        csv->plan.columns[r->column].use = SCARCE__USE_CATEGORY;
        csv->flipped = 1;
        return scarce__csv_add_remark(&csv->strays, r);
    }
    if (r->what == SCARCE__CSV_COMMA) {
        csv->looks[csv->source].decimal = ',';
        csv->looks[csv->source].decimal_sure = 1;
        csv->flipped = 1;
        return 1;
    }
    return scarce__csv_add_remark(&csv->remarks, r);
}

static int join_remarks(scarce__csv *csv)
{
    for (size_t i = 0; i < csv->n_blocks; ++i) {
        const scarce__csv_remarks *remarks = &csv->blocks[i].remarks;
        for (size_t k = 0; k < remarks->count; ++k)
            if (!join_remark(csv, &remarks->items[k])) return 0;
    }
    return 1;
}

static scarce_status join_blocks(scarce__csv *csv, scarce_error *err)
{
    int any = 0;
    for (size_t i = 0; i < csv->n_blocks; ++i) {
        const scarce__csv_block *b = &csv->blocks[i];
        if (b->status != SCARCE_OK) {
            if (err) *err = b->error;
            return b->status;
        }
        any |= b->fresh != NULL || b->labels.texts.count > 0;
    }
    if (!join_labels(csv) || !join_remarks(csv)) return scarce__fail_memory(err, "reading", 0);
    if (any) {
        for (size_t c = 0; c < csv->plan.n_columns; ++c)
            if (!join_texts(csv, c)) return scarce__fail_memory(err, "the categories", csv->texts[c].n_bytes);
        scarce__pool_run(csv->pool, csv->n_blocks, recode_block, csv);
    }
    close_gaps(csv);
    for (size_t i = 0; i < csv->n_blocks; ++i)
        if (!scarce__keep_join(&csv->kept, &csv->blocks[i].kept))
            return scarce__fail_memory(err, "the texts of the rows", csv->kept.n_bytes);
    return SCARCE_OK;
}

scarce_status scarce__csv_super(scarce__csv *csv, const char *text, size_t n, size_t *used, size_t *open,
                                scarce_error *err)
{
    cut k = {csv,  text, n,        csv->tuning.block, scarce__blocks(n, csv->tuning.block),
             NULL, NULL, SIZE_MAX, SIZE_MAX};
    scarce_status st = SCARCE_OK;

    *used = 0;
    *open = SIZE_MAX;
    if (n == 0) return SCARCE_OK;
    k.chunks = scarce__calloc(k.n_chunks, sizeof *k.chunks);
    k.starts = scarce__calloc(k.n_chunks + 1, sizeof *k.starts);
    if (!k.chunks || !k.starts) st = scarce__fail_memory(err, "reading", 0);
    if (st == SCARCE_OK) make_cuts(&k);
    if (st == SCARCE_OK && k.starts[k.n_chunks] > 0) {
        st = make_blocks(&k, err);
        if (st == SCARCE_OK) st = make_room(csv, err);
        if (st == SCARCE_OK) {
            scarce__pool_run(csv->pool, csv->n_blocks, parse_block, csv);
            st = join_blocks(csv, err);
        }
        for (size_t i = 0; i < csv->n_blocks; ++i) block_deinit(&csv->blocks[i], csv->plan.n_columns);
        csv->n_blocks = 0;
    }
    if (st == SCARCE_OK && k.nul != SIZE_MAX) st = fail_nul(&k, err);
    if (st == SCARCE_OK) {
        *used = k.starts[k.n_chunks];
        *open = k.open;
        csv->line += lines_before(&k, *used);
    }
    scarce__free(k.chunks);
    scarce__free(k.starts);
    return st;
}
