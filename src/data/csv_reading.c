/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader of CSV knows and the table doesn't: how the label was chosen, how the file is written,
 * which columns were ignored, which texts made categories of numbers. */
#include <string.h>

#include "core/alloc.h"
#include "data/csv.h"
#include "data/reading.h"

static const char *name_of(const scarce__csv *csv, size_t c)
{
    return scarce__dictionary_text(&csv->header.names, c);
}

static int take_ignored(scarce__reading *r, const scarce__csv *csv)
{
    size_t n = 0;
    for (size_t c = 0; c < csv->plan.n_columns; ++c) n += csv->plan.columns[c].ignored != 0;
    r->ignored = scarce__calloc(n + 1, sizeof *r->ignored);
    if (!r->ignored) return 0;
    r->facts.ignored = r->ignored;
    for (size_t c = 0; c < csv->plan.n_columns; ++c) {
        if (!csv->plan.columns[c].ignored) continue;
        const char *name = scarce__reading_keep(r, name_of(csv, c));
        if (!name) return 0;
        r->ignored[r->facts.n_ignored++] = name;
    }
    return 1;
}

static int take_columns(scarce__reading *r, const scarce__csv *csv)
{
    const size_t n = csv->plan.n_columns;
    r->columns = scarce__calloc(n + 1, sizeof *r->columns);
    r->unused = scarce__calloc(n + 1, sizeof *r->unused);
    if (!r->columns || !r->unused) return 0;
    for (; r->n_columns < n; ++r->n_columns) {
        r->columns[r->n_columns] = scarce__reading_keep(r, name_of(csv, r->n_columns));
        r->unused[r->n_columns] = csv->plan.columns[r->n_columns].use == SCARCE__USE_SKIP;
        if (!r->columns[r->n_columns]) return 0;
    }
    return 1;
}

static int take_strays(scarce__reading *r, const scarce__csv *csv)
{
    r->strays = scarce__calloc(csv->strays.count + 1, sizeof *r->strays);
    if (!r->strays) return 0;
    for (size_t i = 0; i < csv->strays.count; ++i) {
        const scarce__csv_remark *x = &csv->strays.items[i];
        const scarce__plan_column *p = &csv->plan.columns[x->column];
        if (p->feature == SIZE_MAX || x->place.line <= 2) continue; /* text from the first row on */
        const char *file = scarce__reading_keep(r, scarce__source_name(csv->sources[x->place.file]));
        const char *value = scarce__reading_keep(r, x->text);
        if (!file || !value) return 0;
        r->strays[r->n_strays++] = (scarce__stray){p->feature, x->place.line, file, value};
    }
    return 1;
}

static const char *time_words(scarce_time_format format)
{
    static const char *const words[] = {"a number",     "a number",    "a number", "milliseconds",
                                        "microseconds", "nanoseconds", "minutes",  "hours",
                                        "days",         "yyyymmdd",    "dates"};
    return words[format];
}

static const char *order_words(scarce_date_order order)
{
    return order == SCARCE_DATE_DMY ? "the day" : order == SCARCE_DATE_MDY ? "the month" : "the year";
}

/* Where the file shows that it isn't written as the training rows were. */
static scarce_status note_unlike(scarce_table *table, const scarce__csv *csv, const scarce_writing *here,
                                 scarce_error *err)
{
    const scarce_writing *trained = &csv->o->schema->writing;
    const char *time = table->schema.time_name;
    int ok = 1;

    if (!csv->o->decimal && trained->decimal && here->decimal && trained->decimal != here->decimal)
        ok = scarce__note_add(
                 table->reading, SCARCE_NOTE_UNLIKE_TRAINING, NULL,
                 "numbers have a decimal %s here, in training they had a %s (--decimal says which)",
                 here->decimal == ',' ? "comma" : "point",
                 trained->decimal == ',' ? "comma" : "point") != NULL;
    if (ok && time && csv->o->date_order == SCARCE_DATE_AUTO && trained->date_order != SCARCE_DATE_AUTO &&
        here->date_order != SCARCE_DATE_AUTO && trained->date_order != here->date_order)
        ok =
            scarce__note_add(table->reading, SCARCE_NOTE_UNLIKE_TRAINING, time,
                             "the dates of %.80s have %s first here, in training %s came first (--date-order "
                             "says which)",
                             time, order_words(here->date_order), order_words(trained->date_order)) != NULL;
    if (ok && time && csv->o->time_format == SCARCE_TIME_AUTO && trained->time_format != SCARCE_TIME_AUTO &&
        strcmp(time_words(trained->time_format), time_words(here->time_format)) != 0)
        ok = scarce__note_add(table->reading, SCARCE_NOTE_UNLIKE_TRAINING, time,
                              "%.80s is read as %s here, in training it was %s (--time-format says which)",
                              time, time_words(here->time_format), time_words(trained->time_format)) != NULL;
    return ok ? SCARCE_OK : scarce__fail_memory(err, "the report on a file", 0);
}

scarce_status scarce__csv_reading(const scarce__csv *csv, scarce_table *table, scarce_time_format format,
                                  scarce_error *err)
{
    scarce__reading *r = table->reading = scarce__reading_new();
    const scarce__look *look = &csv->looks[0];

    if (!r) return scarce__fail_memory(err, "the report on a file", 0);
    r->features = scarce__calloc(csv->plan.n_features + 1, 1);
    if (!r->features || !take_ignored(r, csv) || !take_columns(r, csv) || !take_strays(r, csv))
        return scarce__fail_memory(err, "the report on a file", 0);
    for (size_t c = 0; c < csv->plan.n_columns; ++c) {
        const scarce__plan_column *p = &csv->plan.columns[c];
        if (p->feature == SIZE_MAX) continue;
        r->features[p->feature] =
            (uint8_t)((p->named ? SCARCE__NAMED : 0) |
                      (csv->header.is_long && csv->header.is_long[c] ? SCARCE__LONG : 0) |
                      (p->use == SCARCE__USE_AMOUNT ? SCARCE__AMOUNT : 0));
    }
    r->facts.label_by = csv->plan.label_by;
    r->facts.time_format = format;
    r->facts.date_order = csv->date_order;
    r->facts.separator = csv->arff ? '\0' : look->separator;
    r->facts.decimal = look->decimal;
    r->facts.encoding = look->encoding == SCARCE__UTF8     ? "UTF-8"
                        : look->encoding == SCARCE__LATIN1 ? "ISO-8859-1"
                        : look->encoding == SCARCE__MIXED  ? "UTF-8 and ISO-8859-1"
                                                           : "UTF-16";
    if (table->kept) {
        table->kept->date_order = csv->date_order;
        table->kept->time_format = format;
    }
    memcpy(r->mixed, look->mixed, sizeof r->mixed);
    table->schema.writing = (scarce_writing){csv->arff            ? '.'
                                             : look->decimal_sure ? look->decimal
                                                                  : '\0',
                                             csv->date_order, format};
    return csv->o->schema ? note_unlike(table, csv, &table->schema.writing, err) : SCARCE_OK;
}
