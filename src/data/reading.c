/* SPDX-License-Identifier: Apache-2.0 */
/* The report on a file that was read: its memory, its counts, and the columns that it leaves out. */
#include "data/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "data/read.h"

scarce__reading *scarce__reading_new(void)
{
    scarce__reading *r = scarce__calloc(1, sizeof *r);
    if (!r) return NULL;
    r->facts.time_first = r->facts.time_last = NAN;
    r->facts.decimal = '.';
    r->facts.encoding = "UTF-8";
    return r;
}

void scarce__reading_free(scarce__reading *r)
{
    if (!r) return;
    for (size_t i = 0; i < r->n_texts; ++i) scarce__free(r->texts[i]);
    scarce__free(r->texts);
    scarce__free(r->notes);
    scarce__free(r->ignored);
    scarce__free(r->columns);
    scarce__free(r->unused);
    scarce__free(r->features);
    scarce__free(r->strays);
    scarce__free(r);
}

const char *scarce__reading_keep(scarce__reading *r, const char *text)
{
    if (r->n_texts == r->texts_capacity) {
        const size_t capacity = r->texts_capacity ? 2 * r->texts_capacity : 8;
        char **texts = scarce__realloc_array(r->texts, capacity, sizeof *texts);
        if (!texts) return NULL;
        r->texts = texts;
        r->texts_capacity = capacity;
    }
    char *copy = scarce__strdup(text);
    if (copy) r->texts[r->n_texts++] = copy;
    return copy;
}

const char *scarce__grouped(char text[32], size_t number)
{
    char digits[24];
    const int n = snprintf(digits, sizeof digits, "%zu", number);
    size_t k = 0;

    for (int i = 0; i < n; ++i) {
        if (i && (n - i) % 3 == 0) text[k++] = ',';
        text[k++] = digits[i];
    }
    text[k] = '\0';
    return text;
}

const scarce_reading *scarce_table_reading(const scarce_table *table)
{
    return table->reading ? &table->reading->facts : NULL;
}

static void find_span(scarce_reading *facts, const double *time, size_t n)
{
    for (size_t i = 0; time && i < n; ++i) {
        if (isnan(time[i])) continue;
        if (!(time[i] >= facts->time_first)) facts->time_first = time[i];
        if (!(time[i] <= facts->time_last)) facts->time_last = time[i];
    }
}

/* Takes the features away that certainly can't help; at least one stays. */
static void leave_out(scarce_table *table)
{
    scarce__reading *r = table->reading;
    scarce_schema *s = &table->schema;
    size_t certain = 0, to = 0;

    for (size_t f = 0; r->features && f < s->n_features; ++f)
        certain += (r->features[f] & SCARCE__CERTAIN) != 0;
    if (certain == 0 || certain == s->n_features) return;
    for (size_t f = 0; f < s->n_features; ++f) {
        if (r->features[f] & SCARCE__CERTAIN) {
            scarce__free_column(table, f);
            scarce__free(s->features[f].name);
            scarce__dictionary_deinit(&s->features[f].categories);
            continue;
        }
        s->features[to] = s->features[f];
        table->columns[to++] = table->columns[f];
    }
    s->n_features = to;
    for (size_t i = 0; i < r->facts.n_notes; ++i) r->notes[i].left_out = r->notes[i].certain;
}

static int is_certain(const scarce_table *t, size_t f)
{
    const scarce_reading *facts = &t->reading->facts;
    for (size_t i = 0; i < facts->n_notes; ++i) {
        const scarce_note *n = &t->reading->notes[i];
        if (n->certain && !n->left_out && n->column && strcmp(n->column, t->schema.features[f].name) == 0)
            return 1;
    }
    return 0;
}

int scarce__only_kept(const scarce_table *t, size_t f)
{
    if (!t->reading || !is_certain(t, f)) return 0;
    for (size_t i = 0; i < t->schema.n_features; ++i)
        if (!is_certain(t, i)) return 1;
    return 0;
}

scarce_status scarce__reading_finish(scarce_table *table, const scarce_read_options *o, scarce_error *err)
{
    if (!table->reading) table->reading = scarce__reading_new();
    scarce__reading *r = table->reading;
    if (!r) return scarce__fail_memory(err, "the report on a file", 0);
    scarce_reading *facts = &r->facts;

    if (table->label) {
        if (facts->label_by == SCARCE_CHOICE_NONE) facts->label_by = SCARCE_CHOICE_FILE;
        facts->positive_by = o->positive                   ? SCARCE_CHOICE_ASKED
                             : o->schema                   ? SCARCE_CHOICE_MODEL
                             : table->schema.classes.count ? SCARCE_CHOICE_POSITION /* the last of them */
                             : scarce__usual_positive(table->schema.positive) ? SCARCE_CHOICE_NAME
                                                                              : SCARCE_CHOICE_RARER;
    } else {
        facts->label_by = SCARCE_CHOICE_NONE;
    }
    find_span(facts, table->time, table->n_rows);
    if (!o->schema) {
        SCARCE__TRY(scarce__notes_take(table, err));
        if (o->leave_out) leave_out(table);
    }
    for (size_t f = 0; f < table->schema.n_features; ++f)
        *(table->schema.features[f].kind == SCARCE_COLUMN_CATEGORY ? &facts->categories : &facts->numbers) +=
            1;
    scarce__free(r->features);
    r->features = NULL;
    return SCARCE_OK;
}
