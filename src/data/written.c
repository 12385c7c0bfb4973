/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as they were written, for scarce_table_write.
 *
 * A float holds some seven digits: 16777217 reads as 16777216, and a file written from floats alone would have
 * other ids and other money than the one that was read. Where the lines were kept, the writer cuts the line of a
 * row once more and takes the text of a number from it. A text counts only while it reads as the number it
 * stands for: who changes a number need not know of it. */
#include <string.h>

#include "core/number.h"
#include "data/csv.h"
#include "data/keep.h"
#include "data/times.h"

size_t scarce__written_column(const scarce_table *table, const char *name)
{
    const scarce__kept *k = table->kept;
    return k && k->header && name ? scarce__dictionary_find(&k->names, name, strlen(name)) : SIZE_MAX;
}

int scarce__written_cut(scarce__kept *to, const scarce_table *table, size_t row, const scarce__keep *plan)
{
    size_t n = 0;
    const char *line = scarce_table_line(table, row, &n);

    scarce__kept_clear(to);
    if (!line) return 1;
    const scarce__keep_syntax how = {line[-2], line[-1], table->kept->arff};
    return scarce__keep_row(to, plan, how, line, line + n);
}

static int reads_as_time(const char *text, size_t n, const scarce__kept *k, double value)
{
    double number = 0, seconds = 0;

    if (scarce__parse_double(text, n, &number) == 1)
        return number == value ||
               (scarce__time_of_number(number, k->time_format, &seconds) && seconds == value);
    return scarce__parse_date_order(text, n, k->date_order, &seconds, NULL) && seconds == value;
}

static int reads_as(const char *text, size_t n, const scarce__kept *k, double value,
                    scarce__written_kind kind)
{
    double number = 0;
    float single = 0;

    switch (kind) {
    case SCARCE__WRITTEN_FLOAT: return scarce__parse_float(text, n, &single) == 1 && single == (float)value;
    case SCARCE__WRITTEN_DOUBLE: return scarce__parse_double(text, n, &number) == 1 && number == value;
    case SCARCE__WRITTEN_TIME: return reads_as_time(text, n, k, value);
    }
    return 0;
}

const char *scarce__written_text(char room[SCARCE__DECIMAL_ROOM], const scarce__kept *cut,
                                 const scarce_table *table, size_t row, size_t i, double value,
                                 scarce__written_kind kind)
{
    const char *text = i < cut->n ? cut->bytes + cut->begin[i] : NULL;
    const char *line = scarce_table_line(table, row, NULL);
    size_t n = text ? strlen(text) : 0, plain;

    if (!text || !line || n == 0) return NULL;
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t')) --n;
    while (n > 0 && (*text == ' ' || *text == '\t')) ++text, --n;
    if (line[-1] == '.' && text[n] == '\0' && reads_as(text, n, table->kept, value, kind)) return text;
    plain = scarce__decimal_plain(room, text, n, line[-1], 1);
    if (plain > 0) {
        room[plain] = '\0';
        return reads_as(room, plain, table->kept, value, kind) ? room : NULL;
    }
    return text[n] == '\0' && reads_as(text, n, table->kept, value, kind) ? text : NULL;
}
