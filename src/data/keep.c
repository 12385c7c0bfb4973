/* SPDX-License-Identifier: Apache-2.0 */
/* Ids, cards and names for an alert list, as they stand in the file: "00017", 9007199254740993, "O'Neil".
 *
 * A table holds floats and codes, which is what learns, and nothing from which the text of a field could be had
 * again. So the reader hands every row that it has parsed to scarce__keep_row, which cuts the line once more and
 * copies the few fields that were asked for. It costs a second look at rows, only when something is kept;
 * blocks keep their own texts, which are joined in the order of the blocks like their rows. */
#include "data/keep.h"

#include <stdint.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/csv.h"

void scarce__kept_deinit(scarce__kept *kept)
{
    scarce__free(kept->bytes);
    scarce__free(kept->begin);
    scarce__free(kept->header);
    scarce__dictionary_deinit(&kept->names);
    memset(kept, 0, sizeof *kept);
}

void scarce__kept_clear(scarce__kept *kept)
{
    kept->n = kept->n_bytes = 0;
}

void scarce__keep_deinit(scarce__keep *keep)
{
    scarce__free(keep->columns);
    memset(keep, 0, sizeof *keep);
}

scarce_status scarce__keep_plan(scarce__keep *keep, const scarce__header *header,
                                const scarce_read_options *o, const char *file, scarce_error *err)
{
    const size_t n = o->keep.count + (o->keep_lines != 0);

    if (n == 0) return SCARCE_OK;
    keep->columns = scarce__malloc_array(n, sizeof *keep->columns);
    if (!keep->columns) return scarce__fail_memory(err, "the columns to keep", n);
    for (; keep->n < o->keep.count; ++keep->n) {
        size_t *c = &keep->columns[keep->n];
        SCARCE__TRY(scarce__plan_find(c, header, o->keep.items[keep->n], "", file, err));
        if (*c >= keep->last) keep->last = *c + 1;
    }
    if (o->keep_lines) keep->columns[keep->n++] = SIZE_MAX;
    return SCARCE_OK;
}

/* Room for one more text of n bytes; NULL: out of memory. */
static char *room(scarce__kept *k, size_t n)
{
    if (k->n == k->capacity) {
        const size_t capacity = k->capacity ? 2 * k->capacity : 256;
        size_t *begin = scarce__realloc_array(k->begin, capacity, sizeof *begin);
        if (!begin) return NULL;
        k->begin = begin;
        k->capacity = capacity;
    }
    if (k->n_bytes + n + 1 > k->bytes_capacity) {
        const size_t capacity = 2 * k->bytes_capacity + n + 1024;
        char *bytes = scarce__realloc_array(k->bytes, capacity, 1);
        if (!bytes) return NULL;
        k->bytes = bytes;
        k->bytes_capacity = capacity;
    }
    return k->bytes + k->n_bytes;
}

static void added(scarce__kept *k, size_t n)
{
    k->begin[k->n++] = k->n_bytes;
    k->bytes[k->n_bytes + n] = '\0';
    k->n_bytes += n + 1;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The end of a quoted field of ARFF, where a backslash hides the next byte; `end` when it isn't closed. */
static const char *close_arff(const char *p, const char *end)
{
    const char quote = *p++;
    while (p < end && *p != quote) p += *p == '\\' && p + 1 < end ? 2 : 1;
    return p < end ? p + 1 : end;
}

/* One past the field at p: its separator, or `end`. */
static const char *field_end(const char *p, const char *end, scarce__keep_syntax how)
{
    if (how.arff) {
        while (p < end && is_blank(*p)) ++p;
        if (p < end && (*p == '\'' || *p == '"')) p = close_arff(p, end);
    } else if (p < end && *p == '"') {
        const char *closed = scarce__csv_close_quote(p, end);
        if (closed) p = closed;
    }
    while (p < end && *p != how.separator) ++p;
    return p;
}

/* The field p..q without quotes; in ARFF without the blanks around it too. */
static int take_field(scarce__kept *to, const char *p, const char *q, scarce__keep_syntax how)
{
    char *at = room(to, (size_t)(q - p));
    size_t n = (size_t)(q - p);

    if (!at) return 0;
    if (how.arff) {
        while (p < q && is_blank(*p)) ++p;
        while (q > p && is_blank(q[-1])) --q;
        if (q - p >= 2 && (*p == '\'' || *p == '"') && q[-1] == *p) ++p, --q;
        n = (size_t)(q - p);
        memcpy(at, p, n);
    } else if (p < q && *p == '"') {
        const char *closed = scarce__csv_close_quote(p, q);
        n = closed ? scarce__csv_unquote(at, p, closed) : n;
        if (!closed) memcpy(at, p, n);
    } else {
        memcpy(at, p, n);
    }
    added(to, n);
    return 1;
}

/* Texts are wanted in the order of keep->columns, fields come in that of the file: each is sought from the
 * line's beginning unless it lies further on, as columns named in their order do. */
int scarce__keep_row(scarce__kept *to, const scarce__keep *keep, scarce__keep_syntax how, const char *begin,
                     const char *end)
{
    const char *p = begin;
    size_t c = 0;

    to->per_row = keep->n;
    if (end > begin && end[-1] == '\n') --end;
    if (end > begin && end[-1] == '\r') --end;
    for (size_t i = 0; i < keep->n; ++i) {
        if (keep->columns[i] == SIZE_MAX) {
            char *at = room(to, (size_t)(end - begin) + SCARCE__LINE_MARKS);
            if (!at) return 0;
            at[0] = how.separator;
            at[1] = how.decimal;
            memcpy(at + SCARCE__LINE_MARKS, begin, (size_t)(end - begin));
            added(to, (size_t)(end - begin) + SCARCE__LINE_MARKS);
            continue;
        }
        if (keep->columns[i] < c) p = begin, c = 0;
        for (; c < keep->columns[i] && p < end; ++c) {
            p = field_end(p, end, how);
            if (p < end) ++p;
        }
        c = keep->columns[i];
        if (!take_field(to, p, field_end(p, end, how), how)) return 0;
    }
    return 1;
}

int scarce__keep_join(scarce__kept *to, const scarce__kept *more)
{
    if (more->n == 0) return 1;
    if (to->n + more->n > to->capacity) {
        const size_t capacity = 2 * to->capacity + more->n;
        size_t *begin = scarce__realloc_array(to->begin, capacity, sizeof *begin);
        if (!begin) return 0;
        to->begin = begin;
        to->capacity = capacity;
    }
    if (to->n_bytes + more->n_bytes > to->bytes_capacity) {
        const size_t capacity = to->n_bytes + to->n_bytes / 2 + more->n_bytes;
        char *bytes = scarce__realloc_array(to->bytes, capacity, 1);
        if (!bytes) return 0;
        to->bytes = bytes;
        to->bytes_capacity = capacity;
    }
    memcpy(to->bytes + to->n_bytes, more->bytes, more->n_bytes);
    for (size_t i = 0; i < more->n; ++i) to->begin[to->n + i] = to->n_bytes + more->begin[i];
    to->n += more->n;
    to->n_bytes += more->n_bytes;
    to->per_row = more->per_row;
    return 1;
}

scarce__kept *scarce__keep_rows(const scarce__kept *from, const uint32_t *rows, size_t n)
{
    scarce__kept *to = scarce__calloc(1, sizeof *to);
    int ok = to != NULL;

    for (size_t i = 0; ok && i < n * from->per_row; ++i) {
        const size_t at = (size_t)rows[i / from->per_row] * from->per_row + i % from->per_row;
        const size_t begin = from->begin[at];
        const size_t length = (at + 1 < from->n ? from->begin[at + 1] : from->n_bytes) - begin - 1;
        char *copy = room(to, length);
        if (copy) {
            memcpy(copy, from->bytes + begin, length);
            added(to, length);
        }
        ok = copy != NULL;
    }
    ok = ok && (!from->header || (scarce__keep_header(to, from->header, from->n_header) &&
                                  scarce__dictionary_copy(&to->names, &from->names, NULL) == SCARCE_OK));
    if (!ok) {
        if (to) scarce__kept_deinit(to);
        scarce__free(to);
        return NULL;
    }
    to->per_row = from->per_row;
    to->arff = from->arff;
    to->date_order = from->date_order;
    to->time_format = from->time_format;
    return to;
}

int scarce__keep_header(scarce__kept *to, const char *text, size_t n)
{
    char *copy = scarce__malloc(n + 1);

    if (!copy) return 0;
    memcpy(copy, text, n);
    copy[n] = '\0';
    scarce__free(to->header);
    to->header = copy;
    to->n_header = n;
    return 1;
}

/* ---- what callers see */

static const char *text_at(const scarce_table *table, size_t i, size_t row, size_t *length)
{
    const scarce__kept *k = table->kept;
    const size_t at = k ? row * k->per_row + i : 0;

    if (length) *length = 0;
    if (!k || i >= k->per_row || row >= table->n_rows || at >= k->n) return NULL;
    if (length) *length = (at + 1 < k->n ? k->begin[at + 1] : k->n_bytes) - k->begin[at] - 1;
    return k->bytes + k->begin[at];
}

const char *scarce_table_kept(const scarce_table *table, size_t i, size_t row, size_t *length)
{
    return text_at(table, i, row, length);
}

const char *scarce_table_line(const scarce_table *table, size_t row, size_t *length)
{
    const scarce__kept *k = table->kept;
    const char *text = k && k->header ? text_at(table, k->per_row - 1, row, length) : NULL;

    if (length) *length = text ? *length - SCARCE__LINE_MARKS : 0;
    return text ? text + SCARCE__LINE_MARKS : NULL;
}

const char *scarce_table_header(const scarce_table *table, size_t *length)
{
    const scarce__kept *k = table->kept;

    if (length) *length = k ? k->n_header : 0;
    return k ? k->header : NULL;
}
