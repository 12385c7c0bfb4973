/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on a table that was just read: what a careful colleague would ask about before training. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "data/reading.h"

enum { NOTE_TEXT = 700 };

scarce_note *scarce__note_add(scarce__reading *r, scarce_note_code code, const char *column,
                              const char *format, ...)
{
    char text[NOTE_TEXT];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (r->facts.n_notes == r->notes_capacity) {
        const size_t capacity = r->notes_capacity ? 2 * r->notes_capacity : 8;
        scarce_note *notes = scarce__realloc_array(r->notes, capacity, sizeof *notes);
        if (!notes) return NULL;
        r->notes = notes;
        r->notes_capacity = capacity;
        r->facts.notes = notes;
    }
    scarce_note *note = &r->notes[r->facts.n_notes];
    memset(note, 0, sizeof *note);
    note->code = code;
    note->text = scarce__reading_keep(r, text);
    note->column = column ? scarce__reading_keep(r, column) : NULL;
    if (!note->text || (column && !note->column)) return NULL;
    r->facts.n_notes += 1;
    return note;
}

/* fraud, is_fraud, FraudFlag, label, target, class, ... */
static int is_label_name(const char *name)
{
    static const char *const whole[] = {"class",   "y",          "outcome", "response",
                                        "default", "chargeback", "churn"};
    static const char *const parts[] = {"fraud", "label", "target"};

    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; ++i)
        if (strcasecmp(name, whole[i]) == 0) return 1;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
        for (const char *p = name; *p; ++p)
            if (strncasecmp(p, parts[i], strlen(parts[i])) == 0) return 1;
    return 0;
}

static int has_two_values(const scarce_table *t, size_t f)
{
    const scarce__feature *feature = &t->schema.features[f];
    const float *x = t->columns[f].number;
    int found = 0;
    float a = 0, b = 0;

    if (feature->kind == SCARCE_COLUMN_CATEGORY) return feature->categories.count == 2;
    if (feature->kind != SCARCE_COLUMN_NUMERIC) return 0;
    for (size_t i = 0; i < t->n_rows; ++i) {
        if (found > 0 && x[i] == a) continue;
        if (found > 1 && x[i] == b) continue;
        if (++found > 2) return 0;
        *(found == 1 ? &a : &b) = x[i];
    }
    return found == 2;
}

static int note_label(scarce_table *t)
{
    const scarce_schema *s = &t->schema;
    scarce__reading *r = t->reading;
    char a[32], b[32];

    if (!t->label) return 1;
    if (2 * t->n_positives > t->n_rows &&
        !scarce__note_add(r, SCARCE_NOTE_MOST_POSITIVE, s->label,
                          "%s of %s rows are positive (%.60s = %.60s); is the other value the rare one? "
                          "(--positive%s%.60s)",
                          scarce__grouped(a, t->n_positives), scarce__grouped(b, t->n_rows), s->label,
                          s->positive, s->negative ? " " : "", s->negative ? s->negative : ""))
        return 0;
    for (size_t f = 0; r->facts.label_by == SCARCE_CHOICE_POSITION && f < s->n_features; ++f) {
        const char *name = s->features[f].name;
        if (!is_label_name(name) || !has_two_values(t, f)) continue;
        return scarce__note_add(r, SCARCE_NOTE_LABEL_DOUBTFUL, name,
                                "the label is %.80s because it is the last column, but %.80s looks like one "
                                "(--label %.80s)",
                                s->label, name, name) != NULL;
    }
    return 1;
}

scarce_status scarce__notes_take(scarce_table *t, scarce_error *err)
{
    scarce__reading *r = t->reading;

    if (!note_label(t)) return scarce__fail_memory(err, "the report on a file", 0);
    if (r->mixed[0][0] &&
        !scarce__note_add(r, SCARCE_NOTE_DECIMAL, NULL,
                          "some numbers have a decimal point (%s) and some a comma (%s); read "
                          "with a point (--decimal , for commas)",
                          r->mixed[0], r->mixed[1]))
        return scarce__fail_memory(err, "the report on a file", 0);
    for (size_t i = 0; i < r->n_strays; ++i) SCARCE__TRY(scarce__note_stray(t, &r->strays[i], err));
    for (size_t f = 0; f < t->schema.n_features; ++f) {
        if (r->features && (r->features[f] & (SCARCE__NAMED | SCARCE__AMOUNT | SCARCE__NOTED))) continue;
        SCARCE__TRY(scarce__note_column(t, f, err));
    }
    return SCARCE_OK;
}
