/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of numbers, kept beside them for scarce_table_write.
 *
 * A float holds some seven digits: 16777217 reads as 16777216, and a file written from floats alone would have
 * other ids and other money than the one that was read. So the input is read a second time with all its
 * numbers as categories, which gives a table of texts with the same rows; of it the columns stay whose texts
 * aren't what the writer would print anyway. scarce_table_rows_of takes it along. A text counts only while it
 * reads as the number it stands beside (scarce__written_text): who changes a number need not know of it. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"
#include "core/text.h"
#include "data/csv.h"
#include "data/read.h"

const char *scarce__written_text(const scarce__written *kept, size_t row, double value, int as_float)
{
    const int32_t code = kept->code ? kept->code[row] : -1;
    const char *text = code < 0 ? NULL : scarce__dictionary_text(kept->texts, (size_t)code);
    double number = 0;
    float single = 0;

    if (!text) return NULL;
    if (as_float)
        return scarce__parse_float(text, strlen(text), &single) == 1 && single == (float)value ? text : NULL;
    if (scarce__parse_double(text, strlen(text), &number) != 1 &&
        !scarce__parse_date(text, strlen(text), &number))
        return NULL;
    return number == value ? text : NULL;
}

scarce__written scarce__written_of(const scarce_table *table, const char *name)
{
    scarce__written none = {NULL, NULL};
    const scarce_table *t = table->texts;
    const size_t f =
        t && name && t->n_rows == table->n_rows ? scarce_schema_find(&t->schema, name) : SIZE_MAX;

    if (f == SIZE_MAX || t->schema.features[f].kind != SCARCE_COLUMN_CATEGORY) return none;
    return (scarce__written){t->columns[f].code, &t->schema.features[f].categories};
}

/* Is there a text that the writer would not print for its number? */
static int needed(const scarce__dictionary *texts)
{
    scarce__text printed = SCARCE__TEXT_INIT;
    int differs = 0;

    for (size_t i = 0; i < texts->count && !differs; ++i) {
        const char *text = scarce__dictionary_text(texts, i);
        float value;
        printed.n = 0;
        if (scarce__parse_float(text, strlen(text), &value) == 1) scarce__print_float(&printed, value);
        differs = printed.failed || printed.n == 0 || strcmp(printed.bytes, text) != 0;
    }
    scarce__text_deinit(&printed);
    return differs;
}

/* Takes out the columns that aren't needed; 0 when none is left. */
static size_t drop_columns(scarce_table *texts)
{
    scarce_schema *s = &texts->schema;
    size_t kept = 0;

    for (size_t f = 0; f < s->n_features; ++f) {
        if (s->features[f].kind == SCARCE_COLUMN_CATEGORY && needed(&s->features[f].categories)) {
            const scarce__feature feature = s->features[kept];
            const scarce__column column = texts->columns[kept];
            s->features[kept] = s->features[f], s->features[f] = feature;
            texts->columns[kept] = texts->columns[f], texts->columns[f] = column;
            ++kept;
        }
    }
    for (size_t f = kept; f < s->n_features; ++f) {
        scarce__free(s->features[f].name);
        scarce__dictionary_deinit(&s->features[f].categories);
        scarce__free(s->features[f].kind == SCARCE_COLUMN_CATEGORY ? (void *)texts->columns[f].code
                                                                   : (void *)texts->columns[f].number);
    }
    s->n_features = kept;
    return kept;
}

static scarce_status read_texts(scarce_table *table, scarce__source *const *sources, size_t n_sources,
                                const scarce_read_options *o, const char **wanted, size_t n_wanted,
                                const char **other, size_t n_other, scarce_context *ctx, scarce_error *err)
{
    scarce_read_options again = SCARCE_READ_OPTIONS_INIT;

    again.format = o->format;
    again.no_header = o->no_header;
    again.label = o->label;
    again.positive = o->positive;
    again.label_optional = o->label_optional;
    again.missing = o->missing;
    again.categorical = (scarce_names){wanted, n_wanted};
    again.ignore = (scarce_names){other, n_other};
    for (size_t i = 0; i < n_sources; ++i) SCARCE__TRY(scarce__source_rewind(sources[i], err));
    SCARCE__TRY(scarce__read_sources(&table->texts, sources, n_sources, &again, NULL, ctx, err));
    if (table->texts->n_rows != table->n_rows)
        return scarce__fail(err, SCARCE_EIO, "%s: it changed while it was read",
                            scarce__source_name(sources[0]));
    if (drop_columns(table->texts) == 0) {
        scarce_table_free(table->texts);
        table->texts = NULL;
    }
    return SCARCE_OK;
}

scarce_status scarce__keep_texts(scarce_table *table, scarce__source *const *sources, size_t n_sources,
                                 const scarce_read_options *o, scarce_context *ctx, scarce_error *err)
{
    const scarce_schema *s = &table->schema;
    const char *const roles[] = {s->weight_name, s->time_name, s->amount_name, s->group_name};
    const char **wanted, **other;
    size_t n_wanted = 0, n_other = 0;
    scarce_status st = SCARCE_OK;

    if (!o->keep_text || o->schema || o->format == SCARCE_FORMAT_LIBSVM) return SCARCE_OK;
    wanted = scarce__malloc_array(s->n_features + 4, sizeof *wanted);
    other = scarce__malloc_array(s->n_features + 4 + o->ignore.count, sizeof *other);
    if (!wanted || !other) st = scarce__fail_memory(err, "the texts of numbers", 0);
    for (size_t f = 0; st == SCARCE_OK && f < s->n_features; ++f)
        if (s->features[f].kind == SCARCE_COLUMN_NUMERIC) wanted[n_wanted++] = s->features[f].name;
        else other[n_other++] = s->features[f].name;
    for (int i = 0; st == SCARCE_OK && i < 3; ++i) /* an amount is mostly a feature too */
        if (roles[i] && scarce_schema_find(s, roles[i]) == SIZE_MAX) wanted[n_wanted++] = roles[i];
    if (st == SCARCE_OK && roles[3]) other[n_other++] = roles[3];
    for (size_t i = 0; st == SCARCE_OK && i < o->ignore.count; ++i) other[n_other++] = o->ignore.items[i];
    if (st == SCARCE_OK && n_wanted)
        st = read_texts(table, sources, n_sources, o, wanted, n_wanted, other, n_other, ctx, err);
    scarce__free(wanted);
    scarce__free(other);
    return st;
}
