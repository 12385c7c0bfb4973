/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor hands over: the commands that split, train and judge, with the options it was given and those it
 * found, quoted so that they can be pasted into a shell as they stand.
 *
 * Where something is in doubt that only the user can settle (which column is the label, which value the positive
 * one), the next command is doctor again with the likely answer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "next_step.h"

typedef struct line {
    char *text;
    size_t n, room;
    int failed, odd; /* no memory; a name that can't be pasted */
} line;

static void add_bytes(line *l, const char *bytes, size_t n)
{
    if (l->n + n + 1 > l->room) {
        char *grown = realloc(l->text, 2 * l->room + n + 256);
        if (!grown) {
            l->failed = 1;
            return;
        }
        l->text = grown;
        l->room = 2 * l->room + n + 256;
    }
    memcpy(l->text + l->n, bytes, n);
    l->n += n;
    l->text[l->n] = '\0';
}

static void add(line *l, const char *text)
{
    add_bytes(l, text, strlen(text));
}

/* A name with characters that a terminal would obey can't be pasted. */
static void check_printable(line *l, const char *word)
{
    char *copy = strdup(word);
    if (copy) scarce_printable(copy);
    if (!copy) l->failed = 1;
    else if (strcmp(copy, word) != 0) l->odd = 1;
    free(copy);
}

/* A blank and a word for the shell. */
static void add_word(line *l, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./,:=+@%-";

    add(l, " ");
    check_printable(l, word);
    if (*word && word[strspn(word, plain)] == '\0') {
        add(l, word);
        return;
    }
    add(l, "'");
    for (; *word; ++word) {
        if (*word == '\'') add(l, "'\\''");
        else add_bytes(l, word, 1);
    }
    add(l, "'");
}

/* A file's name may begin like an option. */
static void add_path(line *l, const char *path)
{
    char *safe;

    if (*path != '-' || strcmp(path, "-") == 0) {
        add_word(l, path);
        return;
    }
    safe = malloc(strlen(path) + 3);
    if (safe) strcat(strcpy(safe, "./"), path);
    if (safe) add_word(l, safe);
    else l->failed = 1;
    free(safe);
}

/* "a,b,c" as one word. */
static void add_list(line *l, const text_list *list)
{
    line joined = {NULL, 0, 0, 0, 0};

    for (size_t i = 0; i < list->count; ++i) {
        if (i) add(&joined, ",");
        add(&joined, list->items[i]);
    }
    l->failed |= joined.failed;
    if (joined.text) add_word(l, joined.text);
    free(joined.text);
}

static int is_one_of(const char *name, const char *const *names)
{
    for (; *names; ++names)
        if (strcmp(name, *names) == 0) return 1;
    return 0;
}

/* Those of the data options that are set; with `only` (NULL-terminated) none but these. */
static void add_options(line *l, const data_options *d, const char *const *only)
{
    for (size_t i = 0; i < n_data_option_specs; ++i) {
        const option_spec *s = &data_option_specs[i];
        const char *field = (const char *)d + s->offset;
        if (only && !is_one_of(s->name, only)) continue;
        if (s->type == OPTION_FLAG && *(const int *)(const void *)field) add(l, " "), add(l, s->name);
        if (s->type == OPTION_TEXT && *(const char *const *)(const void *)field) {
            add(l, " "), add(l, s->name);
            add_word(l, *(const char *const *)(const void *)field);
        }
        if (s->type == OPTION_COMMAS && ((const text_list *)(const void *)field)->count) {
            add(l, " "), add(l, s->name);
            add_list(l, (const text_list *)(const void *)field);
        }
    }
}

static void add_paths(line *l, const text_list *paths)
{
    for (size_t i = 0; i < paths->count; ++i) add_path(l, paths->items[i]);
}

/* ---- what is to be said */

static const scarce_note *find_note(const scarce_reading *r, scarce_note_code code)
{
    for (size_t i = 0; r && i < r->n_notes; ++i)
        if (r->notes[i].code == code) return &r->notes[i];
    return NULL;
}

/* The column that the rows are in the order of, or the only one of dates, where nobody named the time; NULL: none. */
static const char *date_column(const scarce_reading *r)
{
    const scarce_note *order = find_note(r, SCARCE_NOTE_TIME_ORDER);
    const char *found = order ? order->column : NULL;
    if (found) return found;
    for (size_t i = 0; r && i < r->n_notes; ++i) {
        if (r->notes[i].code != SCARCE_NOTE_DATES) continue;
        if (found) return NULL;
        found = r->notes[i].column;
    }
    return found;
}

/* Columns that know the label, behind those that are ignored already. Names with commas can't be listed. */
static int add_leaks(text_list *ignore, const text_list *asked, const scarce_doctor *d)
{
    ignore->items = malloc((asked->count + scarce_doctor_findings(d) + 1) * sizeof *ignore->items);
    ignore->count = 0;
    if (!ignore->items) return 0;
    for (size_t i = 0; i < asked->count; ++i) ignore->items[ignore->count++] = asked->items[i];
    for (size_t i = 0; i < scarce_doctor_findings(d); ++i) {
        const scarce_doctor_finding *f = scarce_doctor_get(d, i);
        size_t k = 0;
        if (f->severity != SCARCE_SEVERITY_BAD || f->column == SIZE_MAX || strncmp(f->code, "leak", 4) != 0 ||
            strchr(f->subject, ','))
            continue;
        while (k < ignore->count && strcmp(ignore->items[k], f->subject) != 0) ++k;
        if (k == ignore->count) ignore->items[ignore->count++] = f->subject;
    }
    return 1;
}

/* ---- how the rows are split */

static size_t positives_between(const scarce_table *t, double from, double end)
{
    const double *time = scarce_table_time(t);
    const uint8_t *label = scarce_table_label(t);
    size_t n = 0;
    for (size_t i = 0; i < scarce_table_rows(t); ++i) n += label[i] && time[i] >= from && time[i] < end;
    return n;
}

/* The last fifth of the time, or more where that has too few positives, in days or hours where it is told in
 * seconds. 0: no such span leaves enough on both sides. */
static int test_span(char *text, size_t size, const scarce_table *t, const scarce_reading *r)
{
    enum { ENOUGH = 5 };
    const double first = r->time_first, last = r->time_last, span = last - first;
    const int seconds = scarce_time_is_seconds(first, last) || r->time_format == SCARCE_TIME_DATES;

    for (double share = 0.2; span > 0 && share < 0.6; share += 0.1) {
        double length = span * share;
        const double unit = !seconds ? 0 : length >= 86400 ? 86400 : length >= 3600 ? 3600 : 0;
        if (unit > 0) length = unit * ceil(length / unit);
        if (positives_between(t, last - length, INFINITY) < ENOUGH ||
            positives_between(t, -INFINITY, last - length) < 2 * ENOUGH)
            continue;
        if (unit > 0) snprintf(text, size, "%.0f%c", length / unit, unit > 3600 ? 'd' : 'h');
        else snprintf(text, size, "%.6g", length);
        return 1;
    }
    return 0;
}

static int is_sparse(const scarce_table *t)
{
    const scarce_schema *s = scarce_table_schema(t);
    for (size_t f = 0; f < scarce_schema_features(s); ++f)
        if (scarce_schema_kind(s, f) == SCARCE_COLUMN_SPARSE) return 1;
    return 0;
}

/* pay.csv.gz: "pay" with the ending ".csv". Files are made in the folder where one is. */
static void take_apart(const char *path, char *base, char *ending, size_t size)
{
    const char *slash = strrchr(path, '/'), *packed[] = {".gz", ".zst"};
    char *dot;

    snprintf(base, size, "%s", slash ? slash + 1 : path);
    for (int i = 0; i < 2; ++i)
        if (ends_with(base, packed[i])) base[strlen(base) - strlen(packed[i])] = '\0';
    dot = strrchr(base, '.');
    snprintf(ending, size, "%s", dot && dot != base ? dot : ".csv");
    if (dot && dot != base) *dot = '\0';
}

/* ---- the commands */

static const char *const reading_options[] = {"--date-order", "--time-format", "--missing",   "--separator",
                                              "--decimal",    "--format",      "--no-header", NULL};
static const char *const split_options[] = {"--label",      "--positive",    "--group",     "--time",
                                            "--date-order", "--time-format", "--missing",   "--separator",
                                            "--decimal",    "--format",      "--no-header", NULL};
enum { BY_TIME = 3 }; /* those from here on when it goes by time */

typedef struct step {
    const scarce_table *table;
    const scarce_reading *reading;
    const text_list *paths;
    data_options data; /* as given, and as found */
    char base[256], ending[256];
} step;

static void add_file(line *l, const step *s, const char *part, const char *ending)
{
    char name[600];
    snprintf(name, sizeof name, "%s%s%s", s->base, part, ending);
    add_path(l, name);
}

static void add_split(line *l, const step *s, const char *span)
{
    char names[1200];

    add(l, "scarce split");
    add_paths(l, s->paths);
    add_options(l, &s->data, span ? split_options + BY_TIME : split_options);
    if (span) add(l, " --test "), add(l, span);
    else add(l, " --protocol holdout:0.2");
    add(l, " -o");
    snprintf(names, sizeof names, "%s-train%s,%s-test%s", s->base, s->ending, s->base, s->ending);
    add_word(l, names);
}

static void add_train(line *l, const step *s, int split, int valid)
{
    add(l, "scarce train");
    if (split) add_file(l, s, "-train", s->ending);
    else add_paths(l, s->paths);
    add_options(l, &s->data, NULL);
    if (valid) add(l, " --valid-fraction 0.2");
    add(l, " -o");
    add_file(l, s, "", ".scarce");
}

static void add_eval(line *l, const step *s)
{
    add(l, "scarce eval");
    add_file(l, s, "", ".scarce");
    add_file(l, s, "-test", s->ending);
    add_options(l, &s->data, reading_options);
}

static void add_doctor(line *l, const step *s)
{
    add(l, "scarce doctor");
    add_paths(l, s->paths);
    add_options(l, &s->data, NULL);
}

static void end_line(line *l)
{
    add(l, "\n");
}

/* Is the label, or its positive value, probably another one? Then it is put right in s->data. */
static int doubtful(step *s)
{
    const scarce_schema *schema = scarce_table_schema(s->table);
    const scarce_note *label = find_note(s->reading, SCARCE_NOTE_LABEL_DOUBTFUL);
    const char *other = scarce_schema_negative(schema);

    if (label && label->column) {
        s->data.label = label->column;
        s->data.positive = NULL;
        return 1;
    }
    if (!find_note(s->reading, SCARCE_NOTE_MOST_POSITIVE) || !other ||
        s->reading->positive_by == SCARCE_CHOICE_ASKED)
        return 0;
    s->data.positive = other;
    return 1;
}

static void fill(step *s, const scarce_doctor *d, line *l)
{
    const scarce_schema *schema = scarce_table_schema(s->table);
    const size_t positives = scarce_table_positives(s->table);
    const text_list asked = s->data.ignore;
    const char *dates = s->data.time ? NULL : date_column(s->reading);
    char span[64];
    int by_time = 0, split;

    s->data.label = scarce_schema_label(schema);
    if (doubtful(s)) {
        add_doctor(l, s);
        end_line(l);
        return;
    }
    if (s->reading->positive_by == SCARCE_CHOICE_RARER) s->data.positive = scarce_schema_positive(schema);
    if (dates) s->data.time = dates;
    if (s->data.time && !s->data.date_order && s->reading->time_format == SCARCE_TIME_DATES)
        s->data.date_order = s->reading->date_order == SCARCE_DATE_DMY   ? "dmy"
                             : s->reading->date_order == SCARCE_DATE_MDY ? "mdy"
                                                                         : NULL;
    if (!add_leaks(&s->data.ignore, &asked, d)) l->failed = 1;
    if (s->data.time && !dates) by_time = test_span(span, sizeof span, s->table, s->reading);
    split = !dates && !is_sparse(s->table) && (by_time || (!s->data.time && positives >= 15));
    if (split) add_split(l, s, by_time ? span : NULL), end_line(l);
    add_train(l, s, split, positives >= 15);
    end_line(l);
    if (split) add_eval(l, s), end_line(l);
    free(s->data.ignore.items);
}

char *next_step(const scarce_doctor *d, const scarce_table *table, const text_list *paths,
                const data_options *data, int *failed)
{
    line l = {NULL, 0, 0, 0, 0};
    step s = {table, scarce_table_reading(table), paths, *data, "", ""};

    *failed = 0;
    if (!s.reading || !scarce_table_label(table) || scarce_table_positives(table) == 0 ||
        scarce_table_positives(table) == scarce_table_rows(table))
        return NULL;
    for (size_t i = 0; i < paths->count; ++i)
        if (strcmp(paths->items[i], "-") == 0) return NULL; /* it has been read */
    take_apart(paths->items[0], s.base, s.ending, sizeof s.base);
    fill(&s, d, &l);
    *failed = l.failed;
    if (!l.failed && !l.odd) return l.text;
    free(l.text);
    return NULL;
}
