/* SPDX-License-Identifier: Apache-2.0 */
/* The copula's rows as CSV or as a table: waves of blocks are made in parallel and handed on in order. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/outfile.h"
#include "data/table.h"
#include "simulate/copula.h"
#include "simulate/fraud.h"

enum { BLOCKS_PER_WAVE = 16, WAVE_CELLS = 8000000, CELL_BYTES = 13, ROW_END_BYTES = 40, NAME_BYTES = 12 };

typedef struct rows_job {
    const scarce__copula *c;
    uint64_t seed;
    size_t n, first;  /* rows; first block of the wave */
    size_t per_wave;  /* blocks */
    size_t per_block; /* doubles of scratch of a worker */
    double *scratch;  /* of each worker */
    int32_t *cells;   /* of each block of the wave; for a table of each worker */
    char *text;       /* of each block of the wave */
    size_t text_room; /* of a block */
    size_t length[BLOCKS_PER_WAVE];
    double sum[BLOCKS_PER_WAVE];
    size_t positives[BLOCKS_PER_WAVE];
    float *columns; /* a table's cells, column by column */
    uint8_t *label;
    double *probability; /* NULL: not kept */
} rows_job;

typedef struct block_rows {
    size_t n;
    double probability[COPULA_BLOCK];
    uint8_t label[COPULA_BLOCK];
} block_rows;

static size_t block_size(const rows_job *j, size_t block)
{
    const size_t left = j->n - block * COPULA_BLOCK;
    return left < COPULA_BLOCK ? left : COPULA_BLOCK;
}

/* Cells, probabilities and labels of block b of the wave. */
static void make(rows_job *j, size_t b, int worker, int32_t *cells, block_rows *out)
{
    const size_t block = j->first + b;
    scarce__random r = scarce__stage_random(j->seed, SCARCE__STAGE_COPULA_ROWS, block);
    double unit[COPULA_BLOCK];

    out->n = block_size(j, block);
    scarce__copula_block(j->c, &r, j->scratch + (size_t)worker * j->per_block, cells, out->probability, unit);
    j->sum[b] = 0;
    j->positives[b] = 0;
    for (size_t i = 0; i < out->n; ++i) {
        /* to nine decimals, as it is written: so what is written is the truth */
        out->probability[i] = floor(scarce__sigmoid(out->probability[i] + j->c->intercept) * 1e9 + 0.5) / 1e9;
        out->label[i] = unit[i] < out->probability[i];
        j->sum[b] += out->probability[i];
        j->positives[b] += out->label[i];
    }
}

/* ---- as text */

/* In ten-thousandths, without zeros at the end; a comma after it. */
static char *put_cell(char *at, int32_t cell)
{
    uint32_t v = cell < 0 ? (uint32_t)0 - (uint32_t)cell : (uint32_t)cell, whole = v / 10000,
             rest = v % 10000;
    char digits[10];
    size_t n = 0;

    if (cell < 0) *at++ = '-';
    do digits[n++] = (char)('0' + whole % 10);
    while ((whole /= 10) != 0);
    while (n > 0) *at++ = digits[--n];
    if (rest > 0) {
        *at++ = '.';
        for (uint32_t unit = 1000; rest > 0; unit /= 10) {
            *at++ = (char)('0' + rest / unit);
            rest %= unit;
        }
    }
    *at++ = ',';
    return at;
}

/* 0.123456789, with a comma after it. */
static char *put_probability(char *at, double p)
{
    uint64_t v = (uint64_t)(p * 1e9 + 0.5);
    *at++ = (char)('0' + v / 1000000000);
    *at++ = '.';
    v %= 1000000000;
    for (uint64_t unit = 100000000; unit > 0; unit /= 10) *at++ = (char)('0' + v / unit % 10);
    *at++ = ',';
    return at;
}

static void text_block(void *arg, size_t b, int worker)
{
    rows_job *j = arg;
    const size_t p = j->c->n_features;
    int32_t *cells = j->cells + b * p * COPULA_BLOCK;
    char *begin = j->text + b * j->text_room, *at = begin;
    block_rows rows;

    make(j, b, worker, cells, &rows);
    for (size_t i = 0; i < rows.n; ++i) {
        for (size_t k = 0; k < p; ++k) at = put_cell(at, cells[k * COPULA_BLOCK + i]);
        if (j->c->options->truth) at = put_probability(at, rows.probability[i]);
        *at++ = (char)('0' + rows.label[i]);
        *at++ = '\n';
    }
    j->length[b] = (size_t)(at - begin);
}

static scarce_status write_header(const scarce__copula *c, scarce__outfile *out, scarce_error *err)
{
    for (size_t k = 0; k < c->n_features; ++k) SCARCE__TRY(scarce__outfile_print(out, err, "x%zu,", k + 1));
    return scarce__outfile_text(out, c->options->truth ? "probability,label\n" : "label\n", err);
}

/* ---- into columns */

static void column_block(void *arg, size_t b, int worker)
{
    rows_job *j = arg;
    const size_t p = j->c->n_features, row = (j->first + b) * COPULA_BLOCK;
    int32_t *cells = j->cells + (size_t)worker * p * COPULA_BLOCK;
    block_rows rows;

    make(j, b, worker, cells, &rows);
    for (size_t k = 0; k < p; ++k)
        for (size_t i = 0; i < rows.n; ++i)
            j->columns[k * j->n + row + i] = scarce__copula_value(cells[k * COPULA_BLOCK + i]);
    memcpy(j->label + row, rows.label, rows.n);
    if (j->probability) memcpy(j->probability + row, rows.probability, rows.n * sizeof *rows.probability);
}

/* ---- waves */

static void job_init(rows_job *j, const scarce__copula *c, uint64_t seed)
{
    const size_t fit = WAVE_CELLS / (c->n_features * COPULA_BLOCK);

    memset(j, 0, sizeof *j);
    j->c = c;
    j->seed = seed;
    j->n = (size_t)c->options->rows;
    j->per_wave = fit < 1 ? 1 : fit > BLOCKS_PER_WAVE ? BLOCKS_PER_WAVE : fit;
    j->per_block = scarce__copula_scratch(c);
    j->text_room = COPULA_BLOCK * (c->n_features * CELL_BYTES + ROW_END_BYTES);
}

static void job_deinit(rows_job *j)
{
    scarce__free(j->scratch);
    scarce__free(j->cells);
    scarce__free(j->text);
}

/* `out` NULL: into columns. */
static scarce_status run_waves(rows_job *j, scarce__outfile *out, const scarce_context *ctx,
                               scarce_simulate_summary *s, scarce_error *err)
{
    const size_t n_blocks = scarce__blocks(j->n, COPULA_BLOCK);
    double sum = 0;

    for (j->first = 0; j->first < n_blocks; j->first += j->per_wave) {
        const size_t left = n_blocks - j->first, wave = left < j->per_wave ? left : j->per_wave;
        const scarce_progress progress = {
            out ? "write" : "make", (double)(j->first * COPULA_BLOCK), (double)j->n, "rows", "", NULL, 0};
        if (scarce__progress(ctx, &progress))
            return scarce__fail(err, SCARCE_ECANCEL, "stopped while making rows");
        scarce__pool_run(scarce__context_pool(ctx), wave, out ? text_block : column_block, j);
        for (size_t b = 0; b < wave; ++b) {
            if (out) SCARCE__TRY(scarce__outfile_write(out, j->text + b * j->text_room, j->length[b], err));
            sum += j->sum[b];
            s->positives += j->positives[b];
        }
    }
    s->rows = j->n;
    s->scenario[0] = s->rows - s->positives;
    s->intercept = j->c->intercept;
    s->mean_probability = sum / (double)j->n;
    return SCARCE_OK;
}

static scarce_status job_room(rows_job *j, size_t cell_blocks, size_t text_blocks, const scarce_context *ctx,
                              scarce_error *err)
{
    const size_t threads = (size_t)scarce__pool_threads(scarce__context_pool(ctx));
    const size_t block_cells = j->c->n_features * COPULA_BLOCK;

    j->scratch = scarce__malloc_array(threads * j->per_block, sizeof *j->scratch);
    j->cells = scarce__malloc_array(cell_blocks * block_cells, sizeof *j->cells);
    j->text = text_blocks ? scarce__malloc_array(text_blocks, j->text_room) : NULL;
    if (!j->scratch || !j->cells || (text_blocks && !j->text))
        return scarce__fail_memory(err, "blocks of rows",
                                   cell_blocks * block_cells * sizeof *j->cells + text_blocks * j->text_room);
    return SCARCE_OK;
}

scarce_status scarce__copula_write(const scarce__copula *c, const char *path, uint64_t seed,
                                   const scarce_context *ctx, scarce_simulate_summary *s, scarce_error *err)
{
    scarce__outfile *out = NULL;
    rows_job j;
    scarce_status status;

    job_init(&j, c, seed);
    status = job_room(&j, j.per_wave, j.per_wave, ctx, err);
    if (status == SCARCE_OK) status = scarce__outfile_open(&out, path, err);
    if (status == SCARCE_OK) {
        status = write_header(c, out, err);
        if (status == SCARCE_OK) status = run_waves(&j, out, ctx, s, err);
        if (status == SCARCE_OK) status = scarce__outfile_commit(out, err);
        else scarce__outfile_abort(out);
    }
    job_deinit(&j);
    return status;
}

/* ---- a table */

typedef struct names_of_columns {
    scarce_column *columns;
    char *names;
} names_of_columns;

static scarce_status describe(names_of_columns *d, const rows_job *j, scarce_error *err)
{
    const size_t p = j->c->n_features;
    const scarce_column plain = SCARCE_COLUMN_INIT;

    d->columns = scarce__malloc_array(p + 1, sizeof *d->columns);
    d->names = scarce__malloc_array(p, NAME_BYTES);
    if (!d->columns || !d->names) return scarce__fail_memory(err, "names of columns", 0);
    for (size_t k = 0; k < p; ++k) {
        char *name = d->names + k * NAME_BYTES;
        snprintf(name, NAME_BYTES, "x%u", (unsigned)(k + 1));
        d->columns[k] = plain;
        d->columns[k].name = name;
        d->columns[k].items = j->columns + k * j->n;
    }
    d->columns[p] = plain;
    d->columns[p].name = "label";
    d->columns[p].role = SCARCE_ROLE_LABEL;
    d->columns[p].type = SCARCE_TYPE_U8;
    d->columns[p].items = j->label;
    return SCARCE_OK;
}

static void release_cells(void *payload)
{
    scarce__free(payload);
}

/* Takes the job's columns, whatever happens. */
static scarce_status table_of(scarce_table **out, rows_job *j, scarce_context *ctx, scarce_error *err)
{
    scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;
    names_of_columns d = {NULL, NULL};
    scarce_status status = describe(&d, j, err);

    o.positive = "1";
    o.release = release_cells;
    o.payload = j->columns;
    if (status != SCARCE_OK) scarce__free(j->columns);
    else status = scarce_table_from_columns(out, d.columns, j->c->n_features + 1, j->n, &o, ctx, err);
    j->columns = NULL;
    scarce__free(d.columns);
    scarce__free(d.names);
    return status;
}

scarce_status scarce__copula_table(scarce_table **out, const scarce__copula *c, uint64_t seed,
                                   scarce_context *ctx, scarce_simulate_summary *s, scarce_error *err)
{
    rows_job j;
    scarce_status status;

    job_init(&j, c, seed);
    j.per_wave = BLOCKS_PER_WAVE;
    status = job_room(&j, (size_t)scarce__pool_threads(scarce__context_pool(ctx)), 0, ctx, err);
    if (status == SCARCE_OK) {
        j.columns = scarce__big_alloc(c->n_features * j.n, sizeof *j.columns);
        j.label = scarce__malloc(j.n);
        if (c->options->truth) j.probability = scarce__malloc_array(j.n, sizeof *j.probability);
        if (!j.columns || !j.label || (c->options->truth && !j.probability))
            status = scarce__fail_memory(err, "a table", c->n_features * j.n * sizeof *j.columns);
    }
    if (status == SCARCE_OK) status = run_waves(&j, NULL, ctx, s, err);
    if (status == SCARCE_OK) status = table_of(out, &j, ctx, err);
    if (status == SCARCE_OK) {
        (*out)->exact[0] = j.probability;
        j.probability = NULL;
    }
    scarce__free(j.columns);
    scarce__free(j.label);
    scarce__free(j.probability);
    job_deinit(&j);
    return status;
}
