/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of the label column to 0 and 1.
 *
 * Two texts are one value when they are equal or the same number, so that 1, 1.0 and +1 don't make
 * three classes. The positive value is, in this order: the one asked for; the schema's; 1 (or +1),
 * true, positive; the rarer one (of two equally rare ones the later to appear).
 *
 * Where classes are listed, each row has the number of its own too, and the positive value is one of them. */
#include "data/read.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"

enum { PLACE_TEXT = 700 };

void scarce__labels_deinit(scarce__labels *labels)
{
    scarce__free(labels->codes);
    scarce__free(labels->first);
    scarce__dictionary_deinit(&labels->texts);
    memset(labels, 0, sizeof *labels);
}

int32_t scarce__labels_add(scarce__labels *labels, const char *text, size_t length, scarce__place place)
{
    const size_t before = labels->texts.count;
    size_t code;

    if (before == labels->first_capacity) { /* room first, so that a failure leaves both in step */
        const size_t capacity = before < 8 ? 16 : 2 * before;
        scarce__place *first = scarce__realloc_array(labels->first, capacity, sizeof *first);
        if (!first) return -1;
        labels->first = first;
        labels->first_capacity = capacity;
    }
    code = scarce__dictionary_add(&labels->texts, text, length);
    if (code >= INT32_MAX) return -1;
    if (labels->texts.count > before) labels->first[code] = place;
    return (int32_t)code;
}

static int same_value(const char *a, const char *b)
{
    double x, y;
    if (strcmp(a, b) == 0) return 1;
    return scarce__parse_double(a, strlen(a), &x) == 1 && scarce__parse_double(b, strlen(b), &y) == 1 &&
           x == y;
}

int scarce__usual_positive(const char *text)
{
    return same_value(text, "1") || strcasecmp(text, "true") == 0 || strcasecmp(text, "positive") == 0;
}

/* Up to three different values: the codes of their first texts, and the value (0, 1, 2) of every text. */
typedef struct classes {
    size_t n;
    size_t text[3];
    size_t rows[2];
} classes;

static void find_classes(classes *c, const scarce__labels *labels, uint8_t *value_of)
{
    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < labels->texts.count; ++i) {
        const char *text = scarce__dictionary_text(&labels->texts, i);
        size_t v = 0;
        while (v < c->n && !same_value(text, scarce__dictionary_text(&labels->texts, c->text[v]))) ++v;
        value_of[i] = (uint8_t)v;
        if (v < c->n) continue;
        c->text[c->n++] = i;
        if (c->n == 3) return;
    }
}

static size_t choose_positive(const classes *c, const scarce__labels *labels)
{
    for (size_t v = 0; v < 2; ++v)
        if (scarce__usual_positive(scarce__dictionary_text(&labels->texts, c->text[v]))) return v;
    return c->rows[0] < c->rows[1] ? 0 : 1;
}

/* What a message begins with: "pay.csv:17", or "row 17" of a table from memory, which has no sources. */
static const char *place_text(char text[PLACE_TEXT], scarce__source *const *sources, scarce__place p)
{
    if (sources) (void)snprintf(text, PLACE_TEXT, "%s:%zu", scarce__source_name(sources[p.file]), p.line);
    else (void)snprintf(text, PLACE_TEXT, "row %zu", p.line);
    return text;
}

static const char *source_text(scarce__source *const *sources)
{
    return sources ? scarce__source_name(sources[0]) : "columns";
}

/* Two values that people use together. */
static int is_usual_pair(const char *a, const char *b)
{
    static const char *const pairs[][2] = {
        {"0", "1"}, {"-1", "1"}, {"false", "true"}, {"no", "yes"}, {"negative", "positive"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i)
        for (int k = 0; k < 2; ++k) {
            const char *x = pairs[i][k], *y = pairs[i][1 - k];
            if ((same_value(a, x) || strcasecmp(a, x) == 0) && (same_value(b, y) || strcasecmp(b, y) == 0))
                return 1;
        }
    return 0;
}

/* Three values: puts the odd one out last. That is the one that doesn't belong to a usual pair, else the
 * rarest, else the last to appear. (The third to appear may be the rare positive that is wanted.) */
static void put_odd_last(classes *c, const scarce__labels *labels, size_t n_rows)
{
    const scarce__dictionary *t = &labels->texts;
    size_t rows[3] = {0, 0, 0}, odd = 2;

    for (size_t r = 0; r < n_rows; ++r)
        for (size_t v = 0; v < 3; ++v)
            rows[v] += labels->codes[r] >= 0 && (size_t)labels->codes[r] == c->text[v];
    for (size_t v = 2; v-- > 0;)
        if (rows[v] < rows[odd]) odd = v;
    for (size_t v = 0; v < 3; ++v)
        if (is_usual_pair(scarce__dictionary_text(t, c->text[(v + 1) % 3]),
                          scarce__dictionary_text(t, c->text[(v + 2) % 3]))) {
            odd = v;
            break;
        }
    const size_t text = c->text[odd];
    for (size_t v = odd; v < 2; ++v) c->text[v] = c->text[v + 1];
    c->text[2] = text;
}

/* Of one value alone, in a part of the rows: the positive value, which may be the other one; NULL: can't be told. */
static const char *guess_positive(const char *only)
{
    static const char *const known[][2] = {{"1", "0"},        {"1", "-1"},       {"true", "false"},
                                           {"True", "False"}, {"TRUE", "FALSE"}, {"yes", "no"},
                                           {"Yes", "No"},     {"YES", "NO"},     {"positive", "negative"}};
    if (scarce__usual_positive(only)) return only;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        for (int k = 0; k < 2; ++k)
            if (strcmp(only, known[i][k]) == 0 || (i < 2 && same_value(only, known[i][k])))
                return known[i][0];
    return NULL;
}

static scarce_status fail_classes(const classes *c, const scarce__labels *labels, const char *name,
                                  scarce__source *const *sources, const scarce_read_options *o,
                                  scarce_error *err)
{
    const scarce__dictionary *t = &labels->texts;
    char where[PLACE_TEXT];
    if (c->n == 3) {
        return scarce__fail(err, SCARCE_EDATA,
                            "%s: label column \"%.80s\" holds a third value \"%.60s\" beside \"%.60s\" and "
                            "\"%.60s\" (say which one is positive%s)",
                            place_text(where, sources, labels->first[c->text[2]]), name,
                            scarce__dictionary_text(t, c->text[2]), scarce__dictionary_text(t, c->text[0]),
                            scarce__dictionary_text(t, c->text[1]),
                            !sources  ? ""
                            : o->part ? " with --positive, or list them all with --classes"
                                      : " with --positive, or choose the label with --label");
    }
    return scarce__fail(
        err, SCARCE_EDATA,
        "%s: label column \"%.80s\" holds only \"%.60s\"; two values are needed (is it the right "
        "column?%s)",
        source_text(sources), name, scarce__dictionary_text(t, c->text[0]), sources ? " --label COL" : "");
}

/* Which texts are positive, as flags; *negative is the other value when there is exactly one. */
static scarce_status flag_texts(uint8_t *flag, const char **positive, const char **negative,
                                const scarce__labels *labels, size_t n_rows, const char *name,
                                scarce__source *const *sources, const scarce_read_options *o,
                                scarce_error *err)
{
    const scarce__dictionary *t = &labels->texts;
    const char *wanted = o->positive ? o->positive : o->schema ? o->schema->positive : NULL;
    size_t n_positive = 0;
    classes c;

    *negative = NULL;
    if (!wanted) {
        find_classes(&c, labels, flag);
        if (c.n == 3) put_odd_last(&c, labels, n_rows);
        if (c.n == 1 && o->part && (*positive = guess_positive(scarce__dictionary_text(t, c.text[0])))) {
            for (size_t i = 0; i < t->count; ++i)
                flag[i] = (uint8_t)same_value(scarce__dictionary_text(t, i), *positive);
            if (!flag[c.text[0]]) *negative = scarce__dictionary_text(t, c.text[0]);
            return SCARCE_OK;
        }
        if (c.n != 2) return fail_classes(&c, labels, name, sources, o, err);
        for (size_t r = 0; r < n_rows; ++r) c.rows[flag[labels->codes[r]]] += 1;
        const size_t v = choose_positive(&c, labels);
        for (size_t i = 0; i < t->count; ++i) flag[i] = flag[i] == v;
        *positive = scarce__dictionary_text(t, c.text[v]);
        *negative = scarce__dictionary_text(t, c.text[1 - v]);
        return SCARCE_OK;
    }
    *positive = wanted;
    for (size_t i = 0, n_negative = 0; i < t->count; ++i) {
        const char *text = scarce__dictionary_text(t, i);
        flag[i] = (uint8_t)same_value(text, wanted);
        n_positive += flag[i];
        if (flag[i]) continue;
        *negative = n_negative == 0 || (*negative && same_value(text, *negative)) ? text : NULL;
        n_negative += 1;
    }
    if (o->schema || o->part) return SCARCE_OK;
    if (n_positive == 0)
        return scarce__fail(
            err, SCARCE_EDATA,
            "%s: label column \"%.80s\" never holds the positive value \"%.60s\"; it holds \"%.60s\"%s",
            source_text(sources), name, wanted, t->count ? scarce__dictionary_text(t, 0) : "",
            t->count > 1 ? " and others (--positive says which one is sought)" : "");
    if (n_positive == t->count)
        return scarce__fail(err, SCARCE_EDATA,
                            "%s: label column \"%.80s\" holds only the positive value \"%.60s\"",
                            source_text(sources), name, wanted);
    return SCARCE_OK;
}

/* ---- more than two classes */

static size_t find_class(const scarce__dictionary *listed, const char *text)
{
    const size_t at = scarce__dictionary_find(listed, text, strlen(text));

    if (at != SIZE_MAX) return at;
    for (size_t j = 0; j < listed->count; ++j)
        if (same_value(text, scarce__dictionary_text(listed, j))) return j;
    return SCARCE_NO_CLASS;
}

/* The classes that were asked for, else those of the schema, into the table's schema. */
static scarce_status list_classes(scarce_table *table, const scarce_read_options *o, scarce_error *err)
{
    scarce__dictionary *listed = &table->schema.classes;
    const size_t n = o->classes.count;

    if (n == 0) return o->schema ? scarce__dictionary_copy(listed, &o->schema->classes, err) : SCARCE_OK;
    if (n < 3 || n > SCARCE__MOST_CLASSES)
        return scarce__fail(err, SCARCE_EINVAL,
                            "%zu class%s: 3 to %d are learnt together (two need no list: a "
                            "positive value and the others)",
                            n, n == 1 ? "" : "es", (int)SCARCE__MOST_CLASSES);
    for (size_t j = 0; j < n; ++j) {
        const char *text = o->classes.items[j];
        if (find_class(listed, text) != SCARCE_NO_CLASS)
            return scarce__fail(err, SCARCE_EINVAL, "class \"%.60s\" is listed twice", text);
        if (scarce__dictionary_add(listed, text, strlen(text)) == SIZE_MAX)
            return scarce__fail_memory(err, "the classes", 0);
    }
    return SCARCE_OK;
}

/* The number of the positive one. */
static scarce_status find_positive(size_t *out, const scarce__dictionary *listed,
                                   const scarce_read_options *o, scarce_error *err)
{
    const char *wanted = o->positive ? o->positive : o->schema ? o->schema->positive : NULL;

    *out = wanted ? find_class(listed, wanted) : listed->count - 1;
    if (*out != SCARCE_NO_CLASS) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EINVAL, "the positive value \"%.60s\" is none of the classes", wanted);
}

static scarce_status finish_classes(scarce_table *table, const scarce__labels *labels, const char *name,
                                    const scarce_read_options *o, scarce_error *err)
{
    const scarce__dictionary *listed = &table->schema.classes, *texts = &labels->texts;
    uint8_t *number = NULL;
    size_t positive;

    SCARCE__TRY(find_positive(&positive, listed, o, err));
    table->class_of = scarce__malloc_array(table->n_rows, 1);
    table->label = scarce__malloc_array(table->n_rows, 1);
    table->schema.label = scarce__strdup(name);
    table->schema.positive = scarce__strdup(scarce__dictionary_text(listed, positive));
    number = scarce__malloc(texts->count + 1);
    if (!number || !table->class_of || !table->label || !table->schema.label || !table->schema.positive) {
        scarce__free(number);
        return scarce__fail_memory(err, "the label", table->n_rows);
    }
    for (size_t i = 0; i < texts->count; ++i)
        number[i] = (uint8_t)find_class(listed, scarce__dictionary_text(texts, i));
    for (size_t r = 0; r < table->n_rows; ++r) {
        table->class_of[r] = number[labels->codes[r]];
        table->n_positives += table->label[r] = table->class_of[r] == positive;
    }
    scarce__free(number);
    return SCARCE_OK;
}

scarce_status scarce__finish_label(scarce_table *table, const scarce__labels *labels, const char *name,
                                   scarce__source *const *sources, const scarce_read_options *o,
                                   scarce_error *err)
{
    const char *positive = NULL, *negative = NULL;
    scarce_status st = SCARCE_ENOMEM;
    uint8_t *flag = NULL, *label = NULL;
    char *texts[3] = {NULL, NULL, NULL}, where[PLACE_TEXT];
    size_t n_positives = 0;

    if (labels->n_missing == table->n_rows && o->schema) return SCARCE_OK;
    if (labels->n_missing > 0)
        return scarce__fail(err, SCARCE_EDATA,
                            "%s: the label (column \"%.80s\") is missing (fill it in, or leave the row out)",
                            place_text(where, sources, labels->first_missing), name);
    SCARCE__TRY(list_classes(table, o, err));
    if (table->schema.classes.count) return finish_classes(table, labels, name, o, err);
    flag = scarce__calloc(labels->texts.count, 1);
    label = scarce__malloc_array(table->n_rows, 1);
    if (!flag || !label) goto done;
    st = flag_texts(flag, &positive, &negative, labels, table->n_rows, name, sources, o, err);
    if (st != SCARCE_OK) goto done;
    for (size_t r = 0; r < table->n_rows; ++r) {
        label[r] = flag[labels->codes[r]];
        n_positives += label[r];
    }
    st = SCARCE_ENOMEM;
    texts[0] = scarce__strdup(name);
    texts[1] = scarce__strdup(positive);
    texts[2] = negative ? scarce__strdup(negative) : NULL;
    if (!texts[0] || !texts[1] || (negative && !texts[2])) goto done;
    table->schema.label = texts[0];
    table->schema.positive = texts[1];
    table->schema.negative = texts[2];
    table->label = label;
    table->n_positives = n_positives;
    label = NULL;
    texts[0] = texts[1] = texts[2] = NULL;
    st = SCARCE_OK;
done:
    if (st == SCARCE_ENOMEM) (void)scarce__fail_memory(err, "the label", table->n_rows);
    for (int i = 0; i < 3; ++i) scarce__free(texts[i]);
    scarce__free(flag);
    scarce__free(label);
    return st;
}
