/* SPDX-License-Identifier: Apache-2.0 */
/* The engine that turns lines of separated fields into columns; CSV, TSV, ARFF and KEEL are
 * headers on top of it. How it works stands in csv_engine.c. */
#ifndef SCARCE_DATA_CSV_H
#define SCARCE_DATA_CSV_H

#include "data/decode.h"
#include "data/keep.h"
#include "data/look.h"
#include "data/plan.h"
#include "data/read.h"

/* Bytes that may be read (not used) before and after the text, so that loads need no checks. */
enum { SCARCE__CSV_PAD = 64 };

typedef struct scarce__csv scarce__csv;

/* What a field can show of its column; SCARCE__CSV_CLEAR to _DOTTED in the order of scarce__date_shows. */
enum {
    SCARCE__CSV_FLIP = 1,   /* neither a number nor missing: the column is a category */
    SCARCE__CSV_RANGE = 2,  /* too large for a float, forgiven if the column turns out to be a category */
    SCARCE__CSV_COMMA = 4,  /* a number with a decimal comma */
    SCARCE__CSV_NUMBER = 8, /* of the time column: a number; */
    SCARCE__CSV_CLEAR = 16, /* a date */
    SCARCE__CSV_DAY = 32,   /* with the day first */
    SCARCE__CSV_MONTH = 64, /* with the month first */
    SCARCE__CSV_UNCLEAR = 128,
    SCARCE__CSV_DOTTED = 256
};

/* The first field (of a block, of the file) that showed something. */
typedef struct scarce__csv_remark {
    size_t column;
    int what;
    scarce__place place;
    char text[48];
} scarce__csv_remark;

typedef struct scarce__csv_remarks {
    size_t count, capacity;
    scarce__csv_remark *items;
} scarce__csv_remarks;

/* Whole rows that one task parses. */
typedef struct scarce__csv_block {
    const char *begin, *end;   /* the byte before end is a newline */
    size_t line;               /* of begin */
    size_t row;                /* where its first row goes */
    size_t bound;              /* lines in it: at least as many as rows */
    size_t n_rows;             /* rows found */
    scarce__dictionary *fresh; /* per column: texts the global dictionary lacks; NULL: none at all */
    scarce__labels labels;     /* the same for the label */
    uint16_t *marks;           /* per column what its fields showed; NULL: nothing */
    scarce__csv_remarks remarks;
    scarce__kept kept;
    scarce_status status;
    scarce_error error;
} scarce__csv_block;

/* Texts of 1 to 8 bytes, as a word padded with zeros, and their final codes. */
typedef struct scarce__csv_cached {
    uint64_t key; /* 0: free */
    int32_t code;
} scarce__csv_cached;

enum { SCARCE__CSV_CACHE_BITS = 12, SCARCE__CSV_CACHED_COLUMNS = 16 };

static inline size_t scarce__csv_cache_slot(uint64_t key)
{
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> (64 - SCARCE__CSV_CACHE_BITS));
}

typedef struct scarce__csv_worker {
    scarce__csv_cached **caches; /* per column, NULL: none */
    uint32_t *tile; /* [c * tile_stride + r]: cells of up to tile_rows rows, before they go to the columns */
    char *scratch;  /* a field without its quotes */
    size_t scratch_size;
    size_t line; /* where we are */
} scarce__csv_worker;

/* Learns the columns from the beginning of source `s` (for s = 0, first pass) or compares them. *done
 * = 0 asks for more text (never when at_end). Otherwise *used bytes and *lines lines belong to the
 * header. */
typedef scarce_status (*scarce__csv_header_fn)(scarce__csv *csv, size_t s, const char *text, size_t n,
                                               int at_end, int *done, size_t *used, size_t *lines,
                                               scarce_error *err);

struct scarce__csv {
    scarce__source *const *sources;
    size_t n_sources;
    const scarce_read_options *o;
    scarce__read_tuning tuning;
    scarce_context *ctx;
    scarce__pool *pool;
    scarce__csv_header_fn read_header;
    scarce__look *looks; /* per source */
    scarce__decoder decoder;
    char separator, decimal; /* of the source being read */
    int decimal_sure;
    scarce_date_order date_order;
    int arff;             /* % comments, blanks around fields, ' quotes too, no newline in quotes */
    scarce_names missing; /* beside the empty text, which always is; none: the usual ones */
    int odd_missing;      /* one of them begins like a number: no fast path */

    int have_plan;
    scarce__header header;
    scarce__plan plan;

    size_t source; /* being read */
    size_t line;   /* of the next unread byte */
    size_t n_rows, capacity;
    void **cells; /* per column: float or int32_t of each row, NULL for columns without */
    double *weight, *time, *amount, *cost;
    double *exact[SCARCE__MAX_EXACT];
    scarce__dictionary *texts; /* per column: categories, groups */
    scarce__labels labels;
    uint16_t *marks;             /* per column: of what there is a remark in the next two */
    scarce__csv_remarks remarks; /* of this pass */
    scarce__csv_remarks strays;  /* of all passes: what made categories of columns */
    scarce__keep keep;           /* what to keep of each row */
    scarce__kept kept;
    size_t n_supers; /* superblocks of this pass */
    int flipped;     /* a column became a category, or commas decimal signs: this pass doesn't count */

    char *base; /* the text buffer, with its pads */
    size_t text_capacity;
    size_t tile_rows, tile_stride;
    int n_workers;
    scarce__csv_worker *workers;
    scarce__csv_block *blocks;
    size_t n_blocks, blocks_capacity;
};

/* Reads all sources through csv->read_header into the table. */
scarce_status scarce__csv_run(scarce__csv *csv, scarce_table *table, scarce_error *err);
void scarce__csv_deinit(scarce__csv *csv);
/* What all formats of this engine begin with. */
void scarce__csv_init(scarce__csv *csv, scarce__source *const *sources, size_t n_sources,
                      const scarce_read_options *o, const scarce__read_tuning *tuning, scarce_context *ctx);

/* csv.c: EDATA when the columns of a further file differ from those of the first. */
scarce_status scarce__csv_compare_names(const scarce__csv *csv, const scarce__dictionary *names,
                                        const char *where, scarce_error *err);

/* csv_super.c: parses the whole rows of text[0..n) (more may follow unless at_end); *used is what was
 * taken. *open is the offset of a quote that isn't closed, or SIZE_MAX. */
scarce_status scarce__csv_super(scarce__csv *csv, const char *text, size_t n, size_t *used, size_t *open,
                                scarce_error *err);

/* csv_rows.c */
void scarce__csv_rows(const scarce__csv *csv, scarce__csv_block *b, scarce__csv_worker *w);
/* Number of newlines; *has_nul and *has_quote are set when such bytes occur. */
size_t scarce__csv_count(const char *text, size_t n, int *has_nul, int *has_quote);

/* csv_field.c: stores the field at p (q: the next separator or newline, which may be inside quotes) as
 * cell r of the tile, row `row` of the table. Returns where the field really ends, or NULL after an
 * error or out of memory (in b). */
const char *scarce__csv_field(const scarce__csv *csv, scarce__csv_block *b, scarce__csv_worker *w, size_t c,
                              const char *p, const char *q, size_t r, size_t row);
void scarce__csv_wrong_length(const scarce__csv *csv, scarce__csv_block *b, const char *row, size_t line);
/* The end of a quoted field (one past the closing quote), or NULL when it isn't closed before `end`. */
const char *scarce__csv_close_quote(const char *open, const char *end);
/* Field without quotes and doubled quotes into `to` (room for end - open); its length. */
size_t scarce__csv_unquote(char *to, const char *open, const char *end);

/* One of the texts that usually mean missing (docs/input.md), the empty one apart. */
int scarce__csv_usual_missing(const char *text, size_t n);
/* 0 when memory is exhausted. */
int scarce__csv_add_remark(scarce__csv_remarks *to, const scarce__csv_remark *remark);
const scarce__csv_remark *scarce__csv_find_remark(const scarce__csv_remarks *in, size_t column, int what);

/* csv_time.c: after a pass. *again: it must be repeated with csv->date_order. Errors: EDATA where dates
 * contradict each other or leave it open what comes first. */
scarce_status scarce__csv_settle_dates(scarce__csv *csv, int *again, scarce_error *err);
/* Numbers of the time column to seconds. */
scarce_status scarce__csv_settle_times(scarce__csv *csv, scarce_time_format *format, scarce_error *err);

/* csv_reading.c: what was understood, into table->reading. */
scarce_status scarce__csv_reading(const scarce__csv *csv, scarce_table *table, scarce_time_format format,
                                  scarce_error *err);

/* date.c: 1 and seconds since 1970 for YYYY-MM-DD[( |T)hh:mm[:ss[.fff]][Z|(+|-)hh[:]mm]]. */
int scarce__parse_date(const char *text, size_t length, double *seconds);

#endif
