/* SPDX-License-Identifier: Apache-2.0 */
/* Is a column worth having as a feature?
 *
 * Certain, so that training leaves the column out (with 100 rows or more):
 *  - whole numbers that grow from every row to the next and leave out at most every second number, or that do
 *    so under a name like tx_id: a count of the rows;
 *  - under such a name also whole numbers of which 99 % occur once, in any order;
 *  - texts of which 95 % occur once: a model can't learn from a value that doesn't come again. Whole numbers
 *    too long for a float are read as texts, so this holds for them;
 *  - times of which none is before the row's own, some are later, and which go along with it (correlation at
 *    least 0.9, so that an amount isn't mistaken for a time): they are known only after the row is judged.
 * Everything else is a remark, as is that the rows are in the order of what looks like a time, where none is named.
 * Looking costs little: most columns are settled by their first rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/number.h"
#include "data/csv.h"
#include "data/decimal.h"
#include "data/reading.h"
#include "data/times.h"

enum { FEW_ROWS = 100, PROBE = 256, FEW_TIMES = 20, MANY = 1000, LONG_DELAY = 60 };

static scarce_status memory(scarce_error *err)
{
    return scarce__fail_memory(err, "the report on a file", 0);
}

static void set_certain(scarce_table *t, size_t f, scarce_note *note, int certain)
{
    if (!t->reading->features) return;
    note->certain = certain;
    if (certain) t->reading->features[f] |= SCARCE__CERTAIN;
}

/* ---- ids */

/* id, tx_id, TransactionID, rowId, index, "Unnamed: 0" */
static int is_id_name(const char *name)
{
    static const char *const whole[] = {"id", "idx",    "index", "row",  "rowid", "rownum",    "no",
                                        "nr", "number", "uuid",  "guid", "key",   "unnamed: 0"};
    const size_t n = strlen(name);

    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; ++i)
        if (strcasecmp(name, whole[i]) == 0) return 1;
    if (n < 3) return 0;
    const char *end = name + n - 2;
    if (strcmp(end, "Id") == 0 || strcmp(end, "ID") == 0) return 1;
    return strcasecmp(end, "id") == 0 && strchr("_-. ", end[-1]) != NULL;
}

/* The first rows are whole numbers, none twice. */
static int begins_like_id(const float *x, size_t n)
{
    float seen[4 * PROBE];
    const size_t rows = n < PROBE ? n : PROBE;

    for (size_t i = 0; i < rows; ++i)
        if (!(fabsf(x[i]) < 1e18f) || x[i] != (float)(int64_t)x[i]) return 0;
    for (size_t i = 0; i < 4 * PROBE; ++i) seen[i] = NAN;
    for (size_t i = 0; i < rows; ++i) {
        size_t slot = (size_t)(((uint64_t)(int64_t)x[i] * 0x9e3779b97f4a7c15u) >> 54);
        for (; !isnan(seen[slot]); slot = (slot + 1) % (4 * PROBE))
            if (seen[slot] == x[i]) return 0;
        seen[slot] = x[i];
    }
    return 1;
}

typedef struct whole_numbers {
    int whole, growing;
    double low, high;
} whole_numbers;

static whole_numbers look_at_numbers(const float *x, size_t n)
{
    whole_numbers w = {1, 1, x[0], x[0]};
    for (size_t i = 0; i < n; ++i) {
        if (!(fabsf(x[i]) < 1e18f) || x[i] != (float)(int64_t)x[i]) {
            w.whole = 0;
            return w;
        }
        if (i && x[i] <= x[i - 1]) w.growing = 0;
        if (x[i] < w.low) w.low = x[i];
        if (x[i] > w.high) w.high = x[i];
    }
    return w;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Different values; 0 when memory is exhausted. */
static size_t count_different(const float *x, size_t n)
{
    float *sorted = scarce__malloc_array(n, sizeof *sorted);
    size_t different = 1;

    if (!sorted) return 0;
    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_floats);
    for (size_t i = 1; i < n; ++i) different += sorted[i] != sorted[i - 1];
    scarce__free(sorted);
    return different;
}

static scarce_status note_number_id(scarce_table *t, size_t f, int *noted, scarce_error *err)
{
    const char *name = t->schema.features[f].name;
    const float *x = t->columns[f].number;
    const size_t n = t->n_rows;
    scarce_note *note;

    if (n < FEW_ROWS || !begins_like_id(x, n)) return SCARCE_OK;
    const whole_numbers w = look_at_numbers(x, n);
    const int named = is_id_name(name);
    if (!w.whole) return SCARCE_OK;
    if (w.growing) {
        const int dense = w.high - w.low < 2 * (double)n;
        note = scarce__note_add(
            t->reading, SCARCE_NOTE_ID, name,
            dense || named ? "%.80s grows from every row to the next: it numbers the rows"
                           : "%.80s grows from every row to the next: a time or an id? (--time or --ignore)",
            name);
        if (!note) return memory(err);
        *noted = 1;
        set_certain(t, f, note, dense || named);
        return SCARCE_OK;
    }
    if (!named) return SCARCE_OK;
    const size_t different = count_different(x, n);
    if (different == 0) return memory(err);
    if ((double)different < 0.99 * (double)n) return SCARCE_OK;
    note = scarce__note_add(t->reading, SCARCE_NOTE_ID, name,
                            "%.80s has another whole number in nearly every row: an id", name);
    if (!note) return memory(err);
    *noted = 1;
    set_certain(t, f, note, 1);
    return SCARCE_OK;
}

/* ---- times */

/* The row's own time as the file has it, for columns that are written alike. */
static double raw_time(double seconds, scarce_time_format format)
{
    switch (format) {
    case SCARCE_TIME_MILLISECONDS: return seconds * 1e3;
    case SCARCE_TIME_MICROSECONDS: return seconds * 1e6;
    case SCARCE_TIME_NANOSECONDS: return seconds * 1e9;
    case SCARCE_TIME_MINUTES: return seconds / 60;
    case SCARCE_TIME_HOURS: return seconds / 3600;
    case SCARCE_TIME_DAYS: return seconds / 86400;
    case SCARCE_TIME_YYYYMMDD: return NAN; /* a float can't hold 20180401 */
    case SCARCE_TIME_AUTO:
    case SCARCE_TIME_NUMBER:
    case SCARCE_TIME_SECONDS:
    case SCARCE_TIME_DATES:
    default: return seconds;
    }
}

typedef struct follower { /* sums of a column and the time */
    size_t n, later;
    double t0, x0, t, x, tt, xx, tx;
} follower;

/* 0: this one is earlier than its row. Rounding to float keeps the order, so equal floats are no proof. */
static int follow(follower *s, double time, double value)
{
    if (isnan(time) || isnan(value)) return 1;
    if ((float)value < (float)time) return 0;
    if (s->n++ == 0) {
        s->t0 = time;
        s->x0 = value;
    }
    const double t = time - s->t0, x = value - s->x0;
    s->later += (float)value > (float)time;
    s->t += t;
    s->x += x;
    s->tt += t * t;
    s->xx += x * x;
    s->tx += t * x;
    return 1;
}

/* Does it go along with the time? Closely; or loosely and day for day, with a delay of some weeks: labels arrive
 * so, while the day on which a card expires, years ahead, is known. Where the rows span much less than the delays vary
 * (the first hours of a stream), only the delay can tell. `day` is the length of one in the units of the column; NaN
 * where nobody knows. */
static int goes_along(const follower *s, double day)
{
    const double n = (double)s->n, vt = s->tt - s->t * s->t / n, vx = s->xx - s->x * s->x / n,
                 c = s->tx - s->t * s->x / n, delay = s->x0 - s->t0 + (s->x - s->t) / n;
    const double r = vt > 0 && vx > 0 ? c / sqrt(vt * vx) : 0, slope = vt > 0 ? c / vt : 0;

    if (s->n < FEW_TIMES || s->later == 0) return 0;
    if (r >= 0.9 && slope > 0.5 && slope < 2) return 1;
    if (!(delay < LONG_DELAY * day)) return 0;
    return (r >= 0.4 && slope > 0.8 && slope < 1.25) || vx - 2 * c + vt > 4 * vt;
}

/* A day as the file counts it, where times are known to be what they seem. */
static double day_of(scarce_time_format format)
{
    return format == SCARCE_TIME_NUMBER ? (double)NAN : raw_time(86400, format);
}

static scarce_status note_later(scarce_table *t, size_t f, int *noted, scarce_error *err)
{
    const char *name = t->schema.features[f].name;
    scarce_note *note =
        scarce__note_add(t->reading, SCARCE_NOTE_LATER_TIME, name,
                         "%.80s is never before the row's own time (%.80s): it is known only afterwards",
                         name, t->schema.time_name);
    if (!note) return memory(err);
    set_certain(t, f, note, 1);
    *noted = 1;
    return SCARCE_OK;
}

static scarce_status note_number_time(scarce_table *t, size_t f, int *noted, scarce_error *err)
{
    const float *x = t->columns[f].number;
    follower s;

    if (!t->time || t->n_rows < FEW_ROWS) return SCARCE_OK;
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < t->n_rows; ++i)
        if (!follow(&s, raw_time(t->time[i], t->reading->facts.time_format), x[i])) return SCARCE_OK;
    return goes_along(&s, day_of(t->reading->facts.time_format)) ? note_later(t, f, noted, err) : SCARCE_OK;
}

/* The texts of a category as seconds; *all is 0 when one of them is no date. */
static scarce_status read_dates(double **out, const scarce_table *t, size_t f, int *all, scarce_error *err)
{
    const scarce__dictionary *d = &t->schema.features[f].categories;
    double first;

    *out = NULL;
    *all = 0;
    for (size_t c = 0; c < d->count; ++c) {
        const char *text = scarce__dictionary_text(d, c);
        if (!scarce__parse_date_order(text, strlen(text), t->reading->facts.date_order,
                                      *out ? &(*out)[c] : &first, NULL))
            return SCARCE_OK;
        if (*out) continue;
        *out = scarce__malloc_array(d->count, sizeof **out);
        if (!*out) return memory(err);
        (*out)[0] = first;
    }
    *all = d->count > 0;
    return SCARCE_OK;
}

static scarce_status note_dates(scarce_table *t, size_t f, int *noted, scarce_error *err)
{
    const scarce__feature *feature = &t->schema.features[f];
    double *dates = NULL;
    follower s;
    int all, later;
    scarce_status st = read_dates(&dates, t, f, &all, err);

    if (st == SCARCE_OK && all) {
        memset(&s, 0, sizeof s);
        later = t->time && t->reading->facts.time_format == SCARCE_TIME_DATES && t->n_rows >= FEW_ROWS;
        for (size_t i = 0; later && i < t->n_rows; ++i) {
            const int32_t code = t->columns[f].code[i];
            later = code < 0 || follow(&s, t->time[i], dates[code]);
        }
        if (later && goes_along(&s, 86400)) {
            st = note_later(t, f, noted, err);
        } else if (feature->categories.count > 2) {
            char number[32];
            scarce_note *note = scarce__note_add(
                t->reading, SCARCE_NOTE_DATES, feature->name,
                "%.80s holds dates, read as %s categories (--time %.80s if it is the row's time, "
                "else --ignore)",
                feature->name, scarce__grouped(number, feature->categories.count), feature->name);
            if (!note) st = memory(err);
            else
                set_certain(t, f, note,
                            t->n_rows >= FEW_ROWS &&
                                (double)feature->categories.count >= 0.95 * (double)t->n_rows);
            *noted = 1;
        }
    }
    scarce__free(dates);
    return st;
}

/* ---- the order of the rows */

/* Never falling, and seconds, milliseconds or microseconds of the years 1980 to 2100, or days written like 20180401. */
static int looks_like_time(const float *x, size_t n)
{
    static const double unit[] = {1, 1e3, 1e6};
    size_t rises = 0, months = 0;

    if (n < FEW_ROWS) return 0;
    for (size_t i = 0; i < n; ++i) {
        if (!isfinite(x[i]) || (i && x[i] < x[i - 1])) return 0;
        rises += i && x[i] > x[i - 1];
        const int month = fabsf(x[i]) < 1e9f ? (int)x[i] / 100 % 100 : 0;
        months += month >= 1 && month <= 12;
    }
    if (rises < FEW_TIMES) return 0;
    const double low = (double)x[0], high = (double)x[n - 1];
    for (size_t k = 0; k < sizeof unit / sizeof *unit; ++k)
        if (low >= 3.15e8 * unit[k] && high <= 4.1e9 * unit[k]) return 1;
    return months == n && low >= 19800101 && high <= 21001231;
}

/* Labels become known in the order of the rows, too, but later. */
static int is_after_another(const scarce_table *t, size_t f)
{
    const float *x = t->columns[f].number;

    for (size_t g = 0; g < t->schema.n_features; ++g) {
        const float *y = t->columns[g].number;
        size_t i = 0;
        if (g == f || t->schema.features[g].kind != SCARCE_COLUMN_NUMERIC || !looks_like_time(y, t->n_rows))
            continue;
        while (i < t->n_rows && x[i] == y[i]) ++i;
        if (i < t->n_rows && y[i] < x[i]) return 1;
    }
    return 0;
}

/* Whoever forgets the time learns from what is known only afterwards, and is judged on rows that lie between those of
 * the training. */
static scarce_status note_order(scarce_table *t, size_t f, scarce_error *err)
{
    const char *name = t->schema.features[f].name;

    if (t->time || !looks_like_time(t->columns[f].number, t->n_rows) || is_after_another(t, f))
        return SCARCE_OK;
    for (size_t i = 0; i < t->reading->facts.n_notes; ++i)
        if (t->reading->notes[i].code == SCARCE_NOTE_TIME_ORDER) return SCARCE_OK;
    const scarce_note *note = scarce__note_add(
        t->reading, SCARCE_NOTE_TIME_ORDER, name,
        "the rows are in the order of %.80s, which looks like a time: --time %.80s, if it is the row's time",
        name, name);
    return note ? SCARCE_OK : memory(err);
}

/* ---- categories */

static int is_number(const char *text, char decimal)
{
    char plain[SCARCE__DECIMAL_ROOM];
    double value;
    const size_t n = strlen(text);
    return scarce__parse_double(text, n, &value) || scarce__decimal_plain(plain, text, n, decimal, 1) > 0 ||
           scarce__decimal_evidence(text, n);
}

/* Rows whose text is a number, and rows that aren't missing. */
static scarce_status count_numbers(const scarce_table *t, size_t f, size_t *numbers, size_t *values,
                                   scarce_error *err)
{
    const scarce__dictionary *d = &t->schema.features[f].categories;
    uint8_t *flags = scarce__calloc(d->count + 1, 1);

    *numbers = *values = 0;
    if (!flags) return memory(err);
    for (size_t c = 0; c < d->count; ++c)
        flags[c] = (uint8_t)is_number(scarce__dictionary_text(d, c), t->reading->facts.decimal);
    for (size_t i = 0; i < t->n_rows; ++i) {
        const int32_t code = t->columns[f].code[i];
        if (code < 0) continue;
        *values += 1;
        *numbers += flags[code];
    }
    scarce__free(flags);
    return SCARCE_OK;
}

scarce_status scarce__note_stray(scarce_table *t, const scarce__stray *stray, scarce_error *err)
{
    const char *name = t->schema.features[stray->feature].name;
    size_t numbers, values;
    char a[32], b[32];

    SCARCE__TRY(count_numbers(t, stray->feature, &numbers, &values, err));
    if (2 * numbers < values || values < 3) return SCARCE_OK;
    scarce_note *note = scarce__note_add(
        t->reading, SCARCE_NOTE_STRAY_TEXT, name,
        "%.80s is read as a category because of \"%.47s\" in %.200s:%zu; %s of its %s values are numbers "
        "(--missing \"%.47s\" if it means missing, or fix the file)",
        name, stray->value, stray->file, stray->line, scarce__grouped(a, numbers), scarce__grouped(b, values),
        stray->value);
    if (!note) return memory(err);
    note->file = stray->file;
    note->line = stray->line;
    note->value = stray->value;
    t->reading->features[stray->feature] |= SCARCE__NOTED;
    return SCARCE_OK;
}

static scarce_status note_texts(scarce_table *t, size_t f, scarce_error *err)
{
    const scarce__feature *feature = &t->schema.features[f];
    const int is_long = t->reading->features && (t->reading->features[f] & SCARCE__LONG);
    const size_t count = feature->categories.count;
    scarce_note *note = NULL;
    char a[32];

    (void)scarce__grouped(a, count);
    if (t->n_rows >= FEW_ROWS && (double)count >= 0.95 * (double)t->n_rows) {
        note = scarce__note_add(t->reading, SCARCE_NOTE_ID, feature->name,
                                "%.80s has another %s in nearly every row: an id", feature->name,
                                is_long ? "long number" : "text");
        if (!note) return memory(err);
        set_certain(t, f, note, 1);
        return SCARCE_OK;
    }
    if (is_long) {
        note =
            scarce__note_add(t->reading, SCARCE_NOTE_LONG_NUMBERS, feature->name,
                             "%.80s holds numbers with more digits than a feature can keep; they are read as "
                             "%s categories (--numeric %.80s rounds them)",
                             feature->name, a, feature->name);
        return note ? SCARCE_OK : memory(err);
    }
    if (count <= MANY || 20 * count < t->n_rows) return SCARCE_OK;
    note =
        scarce__note_add(t->reading, SCARCE_NOTE_MANY_CATEGORIES, feature->name,
                         "%.80s has %s categories, few rows each (--ignore %.80s if it is an id, --numeric "
                         "%.80s if it is a number)",
                         feature->name, a, feature->name, feature->name);
    return note ? SCARCE_OK : memory(err);
}

scarce_status scarce__note_column(scarce_table *t, size_t f, scarce_error *err)
{
    int noted = 0;

    if (t->schema.features[f].kind == SCARCE_COLUMN_NUMERIC) {
        SCARCE__TRY(note_number_time(t, f, &noted, err));
        if (!noted) SCARCE__TRY(note_number_id(t, f, &noted, err));
        return noted ? SCARCE_OK : note_order(t, f, err);
    }
    if (t->schema.features[f].kind != SCARCE_COLUMN_CATEGORY) return SCARCE_OK;
    SCARCE__TRY(note_dates(t, f, &noted, err));
    return noted ? SCARCE_OK : note_texts(t, f, err);
}
