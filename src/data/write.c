/* SPDX-License-Identifier: Apache-2.0 */
/* Tables to CSV.
 *
 * Rows are formatted in blocks of about CELLS_PER_BLOCK fields, in parallel, and written in order.
 *
 * Most numbers in tables have few decimals. The shortest text of a float x is then found without printf:
 * the least p with x == (n / 10^p as a float), n = round(x 10^p), has the fewest digits, and is n with a
 * point p places from its end. What isn't found that way goes the general way (core/text.h). */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/number.h"
#include "core/options.h"
#include "core/outfile.h"
#include "core/text.h"
#include "data/keep.h"
#include "data/look.h"

enum { CELLS_PER_BLOCK = 16384, BLOCKS_AT_ONCE = 64 };

typedef enum field_kind { NUMBER, CODE, SPARSE, REAL, GROUP, ORIGIN, LABEL } field_kind;

typedef struct field {
    field_kind kind;
    size_t feature; /* for NUMBER, CODE, SPARSE */
    const char *name;
    const double *real; /* for REAL; for NUMBER the amount in full, NULL when it is another column */
    size_t kept;        /* for NUMBER and REAL: its place in the cut line; SIZE_MAX: no text was kept */
    scarce__written_kind as;
} field;

typedef struct writer {
    const scarce_table *table;
    scarce_write_options o;
    char separator;
    const char *missing; /* "NA" where an empty field would make an empty line */
    const char *negative;
    field *fields;
    size_t n_fields;
    scarce__keep cut; /* columns of the kept lines that hold numbers */
    char *names[4];   /* made up for roles without a name */
    size_t n_names;
    size_t rows_per_block, first_row; /* of the batch */
    scarce__text *texts;              /* BLOCKS_AT_ONCE */
} writer;

/* ---- fields as text */

static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13};

/* n with a point before its last `places` digits. Returns where it begins in `out`. */
static char *print_decimal(char out[40], size_t *length, uint64_t n, int places, int negative)
{
    char *p = out + 40;
    int printed = 0;

    while (n > 0 || printed <= places) {
        if (printed == places && places > 0) *--p = '.';
        *--p = (char)('0' + n % 10);
        n /= 10;
        ++printed;
    }
    if (negative) *--p = '-';
    *length = (size_t)(out + 40 - p);
    return p;
}

void scarce__print_float(scarce__text *text, float value)
{
    const double a = fabs((double)value);
    char out[40];
    size_t length;

    if (a >= 1e-4 && a < 1e7) {
        for (int p = 0; p < 14 && a * powers[p] < 1e10; ++p) {
            const uint64_t n = (uint64_t)(a * powers[p] + 0.5);
            float back;
            if ((double)(float)((double)n / powers[p]) != a) continue;
            const char *begin = print_decimal(out, &length, n, p, value < 0);
            /* n / 10^p was rounded twice, reading rounds once */
            if (scarce__parse_float(begin, length, &back) != 1 || back != value) break;
            scarce__text_add_bytes(text, begin, length);
            return;
        }
    }
    scarce__text_float(text, value);
}

static void add_double(scarce__text *text, double value)
{
    const double a = fabs(value);
    char out[40];
    size_t length;

    if (a >= 1e-4 && a < 1e15) {
        for (int p = 0; p < 8 && a * powers[p] < 9e15; ++p) {
            const uint64_t n = (uint64_t)(a * powers[p] + 0.5);
            if ((double)n / powers[p] != a) continue; /* both are exact, so this is how it reads back */
            const char *begin = print_decimal(out, &length, n, p, value < 0);
            scarce__text_add_bytes(text, begin, length);
            return;
        }
    }
    scarce__text_double(text, value);
}

static void add_in_quotes(scarce__text *text, const char *s)
{
    scarce__text_add_char(text, '"');
    for (const char *p = s; *p; ++p) {
        if (*p == '"') scarce__text_add_char(text, '"');
        scarce__text_add_char(text, *p);
    }
    scarce__text_add_char(text, '"');
}

/* In quotes where a reader would else see something different. */
static void add_quoted(scarce__text *text, const char *s, char separator)
{
    const size_t n = strlen(s);
    const char special[] = {'"', '\r', '\n', separator, '\0'};

    if (n > 0 && s[strcspn(s, special)] == '\0' && s[0] != ' ' && s[0] != '\t' && s[n - 1] != ' ' &&
        s[n - 1] != '\t') {
        scarce__text_add_bytes(text, s, n);
        return;
    }
    add_in_quotes(text, s);
}

/* The first name of a file: none that a reader would take for the mark of another format, of a comment or of UTF-8. */
static int wants_quotes(const char *name)
{
    const unsigned char c = (unsigned char)name[0];
    const int usual = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    return (!usual && (c < 0x80 || strncmp(name, "\xEF\xBB\xBF", 3) == 0)) ||
           scarce__begins_like_no_text(name, strlen(name));
}

static void add_number(const writer *w, scarce__text *text, float value)
{
    if (isnan(value)) scarce__text_add(text, w->missing);
    else scarce__print_float(text, value);
}

/* As it was read, or else as short as reads back: as the amount where that is kept in full. */
static void add_dense(const writer *w, scarce__text *text, const field *f, const scarce__kept *cut,
                      size_t row)
{
    const float value = w->table->columns[f->feature].number[row];
    char room[SCARCE__DECIMAL_ROOM];
    const char *kept =
        isnan(value) ? NULL : scarce__written_text(room, cut, w->table, row, f->kept, (double)value, f->as);

    if (kept) add_quoted(text, kept, w->separator);
    else if (f->real && (float)f->real[row] == value) add_double(text, f->real[row]);
    else add_number(w, text, value);
}

static void add_real(const writer *w, scarce__text *text, const field *f, const scarce__kept *cut, size_t row)
{
    const double value = f->real[row];
    char room[SCARCE__DECIMAL_ROOM];
    const char *kept =
        isnan(value) ? NULL : scarce__written_text(room, cut, w->table, row, f->kept, value, f->as);

    if (kept) add_quoted(text, kept, w->separator);
    else if (isnan(value)) scarce__text_add(text, w->missing);
    else add_double(text, value);
}

static void add_category(const writer *w, scarce__text *text, size_t feature, int32_t code)
{
    const scarce__dictionary *d = &w->table->schema.features[feature].categories;

    if (code < 0) scarce__text_add(text, w->missing);
    else if ((size_t)code >= d->count) scarce__text_add(text, "(unknown)");
    else add_quoted(text, scarce__dictionary_text(d, (size_t)code), w->separator);
}

static void add_field(const writer *w, scarce__text *text, const field *f, const scarce__kept *cut,
                      size_t row, size_t *cursor)
{
    const scarce_table *t = w->table;

    switch (f->kind) {
    case NUMBER: add_dense(w, text, f, cut, row); break;
    case CODE: add_category(w, text, f->feature, t->columns[f->feature].code[row]); break;
    case SPARSE: {
        const scarce__sparse *s = &t->columns[f->feature].sparse;
        if (*cursor < s->count && s->row[*cursor] == row) add_number(w, text, s->value[(*cursor)++]);
        else scarce__text_add_char(text, '0');
        break;
    }
    case REAL: add_real(w, text, f, cut, row); break;
    case GROUP: add_quoted(text, scarce_table_group_name(t, t->group[row]), w->separator); break;
    case ORIGIN: scarce__text_add(text, w->o.synthetic[row] ? "synthetic" : "original"); break;
    case LABEL: add_quoted(text, t->label[row] ? t->schema.positive : w->negative, w->separator); break;
    }
}

/* The first entry of a sparse column at `row` or after it. */
static size_t find_entry(const scarce__sparse *s, size_t row)
{
    size_t lo = 0, hi = s->count;

    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (s->row[middle] < row) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

static void format_block(void *arg, size_t number, int worker)
{
    const writer *w = arg;
    scarce__text *text = &w->texts[number];
    const size_t begin = w->first_row + number * w->rows_per_block;
    const size_t left = w->table->n_rows - begin;
    const size_t end = begin + (left < w->rows_per_block ? left : w->rows_per_block);
    size_t *cursor = scarce__calloc(w->n_fields, sizeof *cursor);
    scarce__kept cut;

    (void)worker;
    memset(&cut, 0, sizeof cut);
    text->n = 0;
    if (!cursor) {
        text->failed = 1;
        return;
    }
    for (size_t k = 0; k < w->n_fields; ++k)
        if (w->fields[k].kind == SPARSE)
            cursor[k] = find_entry(&w->table->columns[w->fields[k].feature].sparse, begin);
    for (size_t row = begin; row < end; ++row) {
        if (w->cut.n && !scarce__written_cut(&cut, w->table, row, &w->cut)) text->failed = 1;
        for (size_t k = 0; k < w->n_fields; ++k) {
            if (k) scarce__text_add_char(text, w->separator);
            add_field(w, text, &w->fields[k], &cut, row, &cursor[k]);
        }
        scarce__text_add_char(text, '\n');
    }
    scarce__kept_deinit(&cut);
    scarce__free(cursor);
}

/* ---- which columns */

/* A role's own name, or the usual one with as many "_" as make it different from all features.
 * NULL: out of memory. */
static const char *role_name(writer *w, const char *own, const char *usual)
{
    scarce__text name = SCARCE__TEXT_INIT;

    if (own) return own;
    scarce__text_add(&name, usual);
    while (!name.failed && scarce_schema_find(&w->table->schema, name.bytes) != SIZE_MAX)
        scarce__text_add_char(&name, '_');
    if (name.failed) {
        scarce__text_deinit(&name);
        return NULL;
    }
    w->names[w->n_names++] = name.bytes;
    return name.bytes;
}

static void add_column(writer *w, field_kind kind, size_t feature, const char *name, const double *real)
{
    const size_t column = kind == NUMBER || kind == REAL ? scarce__written_column(w->table, name) : SIZE_MAX;
    const scarce__written_kind as = kind == NUMBER                   ? SCARCE__WRITTEN_FLOAT
                                    : real && real == w->table->time ? SCARCE__WRITTEN_TIME
                                                                     : SCARCE__WRITTEN_DOUBLE;
    const field f = {kind, feature, name, real, column == SIZE_MAX ? SIZE_MAX : w->cut.n, as};

    w->fields[w->n_fields++] = f;
    if (column != SIZE_MAX) w->cut.columns[w->cut.n++] = column;
}

static scarce_status choose_columns(writer *w, scarce_error *err)
{
    const scarce_table *t = w->table;
    const scarce_schema *s = &t->schema;
    int ok = 1;

    w->fields = scarce__calloc(s->n_features + 7, sizeof *w->fields);
    w->cut.columns = scarce__malloc_array(s->n_features + 7, sizeof *w->cut.columns);
    if (!w->fields || !w->cut.columns) return scarce__fail_memory(err, "the columns to write", 0);
    for (size_t f = 0; f < s->n_features; ++f)
        add_column(w,
                   s->features[f].kind == SCARCE_COLUMN_NUMERIC    ? NUMBER
                   : s->features[f].kind == SCARCE_COLUMN_CATEGORY ? CODE
                                                                   : SPARSE,
                   f, s->features[f].name,
                   s->amount_name && strcmp(s->amount_name, s->features[f].name) == 0 ? t->amount : NULL);
    if (t->weight) add_column(w, REAL, 0, role_name(w, s->weight_name, "weight"), t->weight);
    if (t->time) add_column(w, REAL, 0, role_name(w, s->time_name, "time"), t->time);
    if (t->group) add_column(w, GROUP, 0, role_name(w, s->group_name, "group"), NULL);
    if (t->cost && !(s->cost_name && s->amount_name && strcmp(s->cost_name, s->amount_name) == 0))
        add_column(w, REAL, 0, role_name(w, s->cost_name, "cost"), t->cost);
    if (t->amount && !(s->amount_name && scarce_schema_find(s, s->amount_name) != SIZE_MAX))
        add_column(w, REAL, 0, role_name(w, s->amount_name, "amount"), t->amount);
    if (w->o.origin) add_column(w, ORIGIN, 0, w->o.origin, NULL);
    if (t->label) add_column(w, LABEL, 0, s->label, NULL);
    for (size_t k = 0; k < w->n_fields; ++k) ok = ok && w->fields[k].name != NULL;
    if (!ok) return scarce__fail_memory(err, "the columns to write", 0);
    for (size_t k = 0; w->o.origin && k < w->n_fields; ++k)
        if (w->fields[k].kind != ORIGIN && strcmp(w->fields[k].name, w->o.origin) == 0)
            return scarce__fail(err, SCARCE_EINVAL,
                                "the column of origin needs a name of its own: \"%.80s\" is in the table",
                                w->o.origin);
    return SCARCE_OK;
}

/* ---- the file */

static scarce_status write_rows(writer *w, scarce__outfile *file, scarce_context *ctx, scarce_error *err)
{
    const size_t n_rows = w->table->n_rows;

    while (w->first_row < n_rows) {
        const size_t left = scarce__blocks(n_rows - w->first_row, w->rows_per_block);
        const size_t n = left < BLOCKS_AT_ONCE ? left : BLOCKS_AT_ONCE;
        scarce__pool_run(scarce__context_pool(ctx), n, format_block, w);
        for (size_t b = 0; b < n; ++b) {
            if (w->texts[b].failed) return scarce__fail_memory(err, "the text of a table", 0);
            SCARCE__TRY(scarce__outfile_write(file, w->texts[b].bytes, w->texts[b].n, err));
        }
        w->first_row += n * w->rows_per_block;
        const size_t done = w->first_row < n_rows ? w->first_row : n_rows;
        const scarce_progress progress = {"write", (double)done, (double)n_rows, "rows", "", NULL, 0};
        if (scarce__progress(ctx, &progress)) return scarce__fail(err, SCARCE_ECANCEL, "writing was stopped");
    }
    return SCARCE_OK;
}

static scarce_status write_header(const writer *w, scarce__outfile *file, scarce_error *err)
{
    scarce__text text = SCARCE__TEXT_INIT;
    scarce_status st;

    for (size_t k = 0; k < w->n_fields; ++k) {
        if (k) scarce__text_add_char(&text, w->separator);
        if (k == 0 && wants_quotes(w->fields[k].name)) add_in_quotes(&text, w->fields[k].name);
        else add_quoted(&text, w->fields[k].name, w->separator);
    }
    scarce__text_add_char(&text, '\n');
    if (text.failed) st = scarce__fail_memory(err, "the header of a table", 0);
    else st = scarce__outfile_write(file, text.bytes, text.n, err);
    scarce__text_deinit(&text);
    return st;
}

static scarce_status check_options(writer *w, const char *path, scarce_error *err)
{
    const scarce_schema *s = &w->table->schema;

    if (scarce__ends_with(path, strlen(path), ".gz") || scarce__ends_with(path, strlen(path), ".zst"))
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "%s: tables are written uncompressed; choose a name without .%s", path,
                            scarce__ends_with(path, strlen(path), ".gz") ? "gz" : "zst");
    w->separator = w->o.separator                                  ? w->o.separator
                   : scarce__ends_with(path, strlen(path), ".tsv") ? '\t'
                                                                   : ',';
    if (strchr("\"\r\n.+-0123456789", w->separator) || (w->separator & 0x80))
        return scarce__fail(err, SCARCE_EINVAL, "separator '%c' can't be told from the fields", w->separator);
    if (w->o.origin && !w->o.synthetic)
        return scarce__fail(err, SCARCE_EINVAL, "a column of origin \"%.80s\" without the flags for it",
                            w->o.origin);
    /* Where several values count as negative the table doesn't know which a row had. */
    w->negative = s->negative ? s->negative : s->positive && strcmp(s->positive, "0") == 0 ? "1" : "0";
    return SCARCE_OK;
}

scarce_status scarce_table_write(const scarce_table *table, const char *path,
                                 const scarce_write_options *options, scarce_context *ctx, scarce_error *err)
{
    const scarce_write_options usual = SCARCE_WRITE_OPTIONS_INIT;
    scarce__outfile *file = NULL;
    scarce_status st;
    writer w;

    memset(&w, 0, sizeof w);
    w.table = table;
    w.o = usual;
    SCARCE__TRY(SCARCE__OPTIONS(&w.o, options, SCARCE_WRITE_OPTIONS_INIT, err));
    SCARCE__TRY(check_options(&w, path, err));
    st = choose_columns(&w, err);
    if (st == SCARCE_OK) {
        w.missing = w.n_fields == 1 ? "NA" : "";
        w.rows_per_block = 1 + CELLS_PER_BLOCK / w.n_fields;
        w.texts = scarce__calloc(BLOCKS_AT_ONCE, sizeof *w.texts);
        if (!w.texts) st = scarce__fail_memory(err, "the text of a table", 0);
    }
    if (st == SCARCE_OK) st = scarce__outfile_open(&file, path, err);
    if (st == SCARCE_OK) st = write_header(&w, file, err);
    if (st == SCARCE_OK) st = write_rows(&w, file, ctx, err);
    if (st == SCARCE_OK) st = scarce__outfile_commit(file, err);
    else scarce__outfile_abort(file);
    for (size_t b = 0; w.texts && b < BLOCKS_AT_ONCE; ++b) scarce__text_deinit(&w.texts[b]);
    for (size_t k = 0; k < w.n_names; ++k) scarce__free(w.names[k]);
    scarce__free(w.texts);
    scarce__free(w.fields);
    scarce__keep_deinit(&w.cut);
    return st;
}
