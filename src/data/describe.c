/* SPDX-License-Identifier: Apache-2.0 */
/* What a table is, in words:
 *
 *     label fraud = 1 (323 of 32,606, 0.99 %) · time tx_time: 2018-04-01 to 2018-04-30, 30 days · 19 numbers,
 *     3 categories: category (290), country (26), channel (4) · semicolon-separated              (one line)
 *     left out: tx_id grows from every row to the next: it numbers the rows (--use tx_id keeps it)
 *     warning: ... */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "data/reading.h"
#include "data/times.h"

enum { MOST_CATEGORIES = 8, MOST_NOTES = 20, MOST_IGNORED = 20 };

/* Stands for the newlines that are ours, until those in names are gone. */
#define LINE "\x1e"

static void add_count(scarce__text *out, size_t n, const char *one, const char *many)
{
    char number[32];
    scarce__text_addf(out, "%s %s", scarce__grouped(number, n), n == 1 ? one : many);
}

static void add_label(scarce__text *out, const scarce_table *t)
{
    const scarce_reading *r = scarce_table_reading(t);
    char a[32], b[32], share[16];

    if (!t->label) {
        add_count(out, t->n_rows, "row", "rows");
        scarce__text_add(out, " without label");
        return;
    }
    const double percent = 100 * (double)t->n_positives / (double)t->n_rows;
    scarce__text_addf(out, "label %s = %s", t->schema.label, t->schema.positive);
    if (r && r->label_by == SCARCE_CHOICE_POSITION) scarce__text_add(out, ", the last column");
    if (t->schema.classes.count) scarce__text_addf(out, ", one of %zu classes", t->schema.classes.count);
    if (r && r->positive_by == SCARCE_CHOICE_RARER) scarce__text_add(out, ", the rarer value");
    /* in whole numbers, because printf's point follows the locale */
    const unsigned hundredths = (unsigned)(percent * 100 + 0.5);
    if (percent > 0 && percent < 0.01) (void)snprintf(share, sizeof share, "below 0.01");
    else if (percent < 10) (void)snprintf(share, sizeof share, "%u.%02u", hundredths / 100, hundredths % 100);
    else (void)snprintf(share, sizeof share, "%u", (hundredths + 50) / 100);
    scarce__text_addf(out, " (%s of %s, %s %%)", scarce__grouped(a, t->n_positives),
                      scarce__grouped(b, t->n_rows), share);
}

static const char *time_words(const scarce_reading *r)
{
    switch (r->time_format) {
    case SCARCE_TIME_MILLISECONDS: return " (milliseconds)";
    case SCARCE_TIME_MICROSECONDS: return " (microseconds)";
    case SCARCE_TIME_NANOSECONDS: return " (nanoseconds)";
    case SCARCE_TIME_MINUTES: return " (minutes)";
    case SCARCE_TIME_HOURS: return " (hours)";
    case SCARCE_TIME_DAYS: return " (days)";
    case SCARCE_TIME_YYYYMMDD: return " (yyyymmdd)";
    case SCARCE_TIME_DATES:
        return r->date_order == SCARCE_DATE_DMY   ? " (day first)"
               : r->date_order == SCARCE_DATE_MDY ? " (month first)"
                                                  : "";
    case SCARCE_TIME_AUTO:
    case SCARCE_TIME_NUMBER:
    case SCARCE_TIME_SECONDS:
    default: return "";
    }
}

static void add_time(scarce__text *out, const scarce_table *t)
{
    const scarce_reading *r = scarce_table_reading(t);
    double first = NAN, last = NAN;
    char a[32], b[32];

    if (!t->time || !t->schema.time_name) return;
    for (size_t i = 0; i < t->n_rows; ++i) {
        if (!(t->time[i] >= first)) first = isnan(t->time[i]) ? first : t->time[i];
        if (!(t->time[i] <= last)) last = isnan(t->time[i]) ? last : t->time[i];
    }
    scarce__text_addf(out, " · time %s", t->schema.time_name);
    if (isnan(first)) return;
    scarce__text_add(out, ": ");
    const int dates = r &&
                      (r->time_format == SCARCE_TIME_DATES ||
                       (r->time_format != SCARCE_TIME_NUMBER && first >= 315532800.0)) &&
                      last - first < 1e10;
    if (!dates) {
        scarce__text_digits(out, first, 10);
        scarce__text_add(out, " to ");
        scarce__text_digits(out, last, 10);
        if (last - first >= 86400 && last - first < 1e10) {
            scarce__text_add(out, ", ");
            add_count(out, (size_t)((last - first) / 86400 + 0.5), "day", "days");
            scarce__text_add(out, r && r->time_format == SCARCE_TIME_NUMBER ? " if it is in seconds" : "");
        }
        if (r) scarce__text_add(out, time_words(r));
        return;
    }
    const int clock = last - first < 172800;
    scarce__format_time(a, first, clock);
    scarce__format_time(b, last, clock);
    scarce__text_addf(out, "%s to %s", a, b);
    if (!clock) {
        scarce__text_add(out, ", ");
        add_count(out, (size_t)(floor(last / 86400) - floor(first / 86400)) + 1, "day", "days");
    }
    scarce__text_add(out, time_words(r));
}

/* The largest categories first, in the order of the file where they are equal. */
static void add_categories(scarce__text *out, const scarce_schema *s, size_t n)
{
    size_t chosen[MOST_CATEGORIES], k = 0;

    for (size_t f = 0; f < s->n_features; ++f) {
        if (s->features[f].kind != SCARCE_COLUMN_CATEGORY) continue;
        const size_t count = s->features[f].categories.count;
        size_t at = k;
        while (at > 0 && s->features[chosen[at - 1]].categories.count < count) --at;
        if (at == MOST_CATEGORIES) continue;
        if (k < MOST_CATEGORIES) ++k;
        memmove(&chosen[at + 1], &chosen[at], (k - at - 1) * sizeof *chosen);
        chosen[at] = f;
    }
    for (size_t i = 0; i < k; ++i) {
        char number[32];
        const scarce__feature *f = &s->features[chosen[i]];
        scarce__text_addf(out, "%s%s (%s)", i ? ", " : ": ", f->name,
                          scarce__grouped(number, f->categories.count));
    }
    if (n > k) scarce__text_addf(out, " and %zu more", n - k);
}

static void add_features(scarce__text *out, const scarce_table *t)
{
    const scarce_schema *s = &t->schema;
    size_t kinds[3] = {0, 0, 0};
    const char *comma = " · ";

    for (size_t f = 0; f < s->n_features; ++f) kinds[s->features[f].kind] += 1;
    if (kinds[SCARCE_COLUMN_NUMERIC]) {
        scarce__text_add(out, comma);
        add_count(out, kinds[SCARCE_COLUMN_NUMERIC], "number", "numbers");
        comma = ", ";
    }
    if (kinds[SCARCE_COLUMN_SPARSE]) {
        scarce__text_add(out, comma);
        add_count(out, kinds[SCARCE_COLUMN_SPARSE], "sparse number", "sparse numbers");
        comma = ", ";
    }
    if (kinds[SCARCE_COLUMN_CATEGORY]) {
        scarce__text_add(out, comma);
        add_count(out, kinds[SCARCE_COLUMN_CATEGORY], "category", "categories");
        add_categories(out, s, kinds[SCARCE_COLUMN_CATEGORY]);
    }
}

static void add_writing(scarce__text *out, const scarce_reading *r)
{
    if (!r) return;
    if (r->separator == '\t') scarce__text_add(out, " · tab-separated");
    else if (r->separator == ';') scarce__text_add(out, " · semicolon-separated");
    else if (r->separator && r->separator != ',') scarce__text_addf(out, " · separated by %c", r->separator);
    if (r->decimal == ',') scarce__text_add(out, " · decimal comma");
    if (strcmp(r->encoding, "UTF-8") != 0) scarce__text_addf(out, " · %s", r->encoding);
}

static void add_notes(scarce__text *out, const scarce_reading *r)
{
    for (size_t i = 0; i < r->n_notes && i < MOST_NOTES; ++i) {
        const scarce_note *n = &r->notes[i];
        scarce__text_addf(out, LINE "%s: %s", n->left_out ? "left out" : "warning", n->text);
        if (n->left_out) scarce__text_addf(out, " (--use %s keeps it)", n->column);
        else if (n->certain) scarce__text_addf(out, " (training leaves it out unless --use %s)", n->column);
    }
    if (r->n_notes > MOST_NOTES)
        scarce__text_addf(out, LINE "and %zu more of these", r->n_notes - MOST_NOTES);
    for (size_t i = 0; i < r->n_ignored && i < MOST_IGNORED; ++i)
        scarce__text_addf(out, "%s%s", i ? ", " : LINE "ignored as asked: ", r->ignored[i]);
    if (r->n_ignored > MOST_IGNORED) scarce__text_addf(out, " and %zu more", r->n_ignored - MOST_IGNORED);
}

size_t scarce_table_describe(const scarce_table *t, char *text, size_t size)
{
    const scarce_reading *r = scarce_table_reading(t);
    scarce__text out = SCARCE__TEXT_INIT;

    add_label(&out, t);
    add_time(&out, t);
    if (t->group && t->schema.group_name)
        scarce__text_addf(&out, " · group %s (%zu)", t->schema.group_name, t->groups.count);
    add_features(&out, t);
    add_writing(&out, r);
    if (r) add_notes(&out, r);
    const size_t n = out.failed ? 0 : out.n;
    for (size_t i = 0; i < n; ++i) /* names come from files: nothing for the terminal to obey */
        if ((unsigned char)out.bytes[i] < 32 || out.bytes[i] == 127)
            out.bytes[i] = out.bytes[i] == *LINE ? '\n' : '?';
    if (size > 0) {
        const size_t k = n < size - 1 ? n : size - 1;
        if (k) memcpy(text, out.bytes, k);
        text[k] = '\0';
    }
    scarce__text_deinit(&out);
    return n;
}
