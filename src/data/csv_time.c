/* SPDX-License-Identifier: Apache-2.0 */
/* The time column as a whole: which order its dates have, which unit its numbers.
 *
 * A pass reads dates like 01/04/2018 day first, unless that is impossible, and remembers the first field that
 * shows something. If days came first, or only dots or clear dates were seen, that was right; if months came
 * first, the pass is repeated; if nothing was shown, nobody knows, and the user is asked. */
#include <math.h>

#include "core/fail.h"
#include "data/csv.h"
#include "data/times.h"

static const char *file_of(const scarce__csv *csv, const scarce__csv_remark *r)
{
    return scarce__source_name(csv->sources[r->place.file]);
}

static scarce_status fail_mixed(const scarce__csv *csv, const scarce__csv_remark *a,
                                const scarce__csv_remark *b, const char *what, scarce_error *err)
{
    const int later =
        a->place.file < b->place.file || (a->place.file == b->place.file && a->place.line < b->place.line);
    const scarce__csv_remark *x = later ? b : a, *y = later ? a : b;

    return scarce__fail(
        err, SCARCE_EDATA, "%s:%zu: column %zu \"%.80s\": \"%s\" %s \"%s\" of %s:%zu (fix the rows)",
        file_of(csv, x), x->place.line, x->column + 1, scarce__dictionary_text(&csv->header.names, x->column),
        x->text, what, y->text, file_of(csv, y), y->place.line);
}

scarce_status scarce__csv_settle_dates(scarce__csv *csv, int *again, scarce_error *err)
{
    const scarce__csv_remark *date = NULL, *seen[5];
    const size_t c = csv->plan.time;

    *again = 0;
    if (c == SIZE_MAX) return SCARCE_OK;
    for (int i = 0; i < 5; ++i) {
        seen[i] = scarce__csv_find_remark(&csv->remarks, c, SCARCE__CSV_CLEAR << i);
        if (seen[i] && !date) date = seen[i];
    }
    const scarce__csv_remark *number = scarce__csv_find_remark(&csv->remarks, c, SCARCE__CSV_NUMBER);
    const scarce__csv_remark *day = seen[1], *month = seen[2], *unclear = seen[3], *dotted = seen[4];
    if (number && date) return fail_mixed(csv, number, date, "does not go with", err);
    if (csv->date_order != SCARCE_DATE_AUTO) return SCARCE_OK;
    if (day && month) return fail_mixed(csv, day, month, "has day and month in another order than", err);
    const scarce_date_order trained = csv->o->schema ? csv->o->schema->writing.date_order : SCARCE_DATE_AUTO;
    if (month && (unclear || dotted)) {
        csv->date_order = SCARCE_DATE_MDY;
        *again = 1;
    } else if (unclear && !day && trained != SCARCE_DATE_AUTO) {
        csv->date_order = trained;
        *again = trained != SCARCE_DATE_DMY; /* day first is how they were read */
    } else if (unclear && !day) {
        return scarce__fail(
            err, SCARCE_EDATA,
            "%s:%zu: column %zu \"%.80s\": \"%s\" may have the day or the month first, and so may "
            "all other dates of the column (say which: --date-order dmy or mdy)",
            file_of(csv, unclear), unclear->place.line, c + 1, scarce__dictionary_text(&csv->header.names, c),
            unclear->text);
    }
    if (!*again && (day || dotted)) csv->date_order = SCARCE_DATE_DMY;
    if (!*again && month) csv->date_order = SCARCE_DATE_MDY;
    return SCARCE_OK;
}

scarce_status scarce__csv_settle_times(scarce__csv *csv, scarce_time_format *format, scarce_error *err)
{
    const scarce_time_format asked = csv->o->time_format;
    const size_t c = csv->plan.time;

    *format = SCARCE_TIME_AUTO;
    if (c == SIZE_MAX) return SCARCE_OK;
    *format = SCARCE_TIME_DATES;
    if (!scarce__csv_find_remark(&csv->remarks, c, SCARCE__CSV_NUMBER)) return SCARCE_OK;
    *format = asked != SCARCE_TIME_AUTO ? asked : scarce__time_format_of(csv->time, csv->n_rows);
    if (asked == SCARCE_TIME_AUTO && !scarce__time_converts(*format) && csv->o->schema &&
        csv->o->schema->writing.time_format != SCARCE_TIME_AUTO &&
        csv->o->schema->writing.time_format != SCARCE_TIME_DATES)
        *format = csv->o->schema->writing.time_format; /* nothing here says otherwise */
    for (size_t r = 0; r < csv->n_rows; ++r) {
        const double value = csv->time[r];
        if (isnan(value) || scarce__time_of_number(value, *format, &csv->time[r])) continue;
        return scarce__fail(err, SCARCE_EDATA,
                            "%s: column %zu \"%.80s\": %.17g (row %zu) is not a day like 20180401",
                            scarce__source_name(csv->sources[0]), c + 1,
                            scarce__dictionary_text(&csv->header.names, c), value, r + 1);
    }
    return SCARCE_OK;
}
