/* SPDX-License-Identifier: Apache-2.0 */
#include "core/param.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"

struct scarce__params {
    const scarce__param_table *table;
    unsigned char *options;
    char **texts; /* what TEXT fields point to, per parameter */
    uint8_t *given;
};

static void *field_of(const scarce__params *p, size_t i)
{
    return p->options + p->table->params[i].offset;
}

/* ---- names */

/* Is `name` one of the words of `list`? */
static int in_list(const char *list, char separator, const char *name, size_t length, int *position)
{
    int k = 0;
    while (list && *list) {
        const char *end = strchr(list, separator);
        const size_t n = end ? (size_t)(end - list) : strlen(list);
        if (n == length && memcmp(list, name, n) == 0) {
            if (position) *position = k;
            return 1;
        }
        ++k;
        list = end ? end + 1 : NULL;
    }
    return 0;
}

size_t scarce__param_find(const scarce__param_table *table, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < table->count; ++i)
        if (strcmp(table->params[i].name, name) == 0 ||
            in_list(table->params[i].aliases, ',', name, length, NULL))
            return i;
    return SIZE_MAX;
}

/* Levenshtein distance with a swap of neighbours counted once; names are short. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    const size_t n = strlen(a), m = strlen(b);
    size_t row[3][LONGEST + 2];

    if (n > LONGEST || m > LONGEST) return SIZE_MAX;
    for (size_t j = 0; j <= m; ++j) row[0][j] = j;
    for (size_t i = 1; i <= n; ++i) {
        size_t *now = row[i % 3];
        const size_t *above = row[(i + 2) % 3], *two = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; ++j) {
            const int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            size_t best = above[j - 1] + (ca != cb);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2]) && two[j - 2] + 1 < best)
                best = two[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *scarce__nearest_name(const char *name, const char *(*name_of)(const void *arg, size_t i),
                                 const void *arg, size_t count)
{
    const char *nearest = NULL;
    const size_t length = strlen(name);
    size_t best = length > 1 ? (length + 2) / 3 + 1 : length; /* farther than this is no help */
    for (size_t i = 0; i < count; ++i) {
        const char *candidate = name_of(arg, i);
        const size_t d = candidate ? edit_distance(name, candidate) : SIZE_MAX;
        if (d < best) {
            best = d;
            nearest = candidate;
        }
    }
    return nearest;
}

static const char *param_name(const void *arg, size_t i)
{
    return ((const scarce__param_table *)arg)->params[i].name;
}

static scarce_status fail_unknown(const scarce__param_table *table, const char *name, scarce_error *err)
{
    const char *nearest = scarce__nearest_name(name, param_name, table, table->count);
    if (nearest)
        return scarce__fail(err, SCARCE_EINVAL, "%s has no parameter \"%.80s\" (did you mean \"%s\"?)",
                            table->owner, name, nearest);
    return scarce__fail(err, SCARCE_EINVAL, "%s has no parameter \"%.80s\"", table->owner, name);
}

/* ---- values */

static scarce_status set_number(const scarce__params *p, size_t i, const char *value, scarce_error *err)
{
    const scarce__param *d = &p->table->params[i];
    const int is_int = d->type == SCARCE__INT;
    const int may_auto = strcmp(d->def, "auto") == 0;
    double x = 0;

    if (may_auto && strcmp(value, "auto") == 0) {
        if (is_int) *(int64_t *)field_of(p, i) = SCARCE__AUTO_INT;
        else *(double *)field_of(p, i) = (double)NAN;
        return SCARCE_OK;
    }
    if (scarce__parse_double(value, strlen(value), &x) != 1 || (is_int && x != floor(x)))
        return scarce__fail(err, SCARCE_EINVAL, "%s=\"%.80s\" is not a %snumber%s", d->name, value,
                            is_int ? "whole " : "", may_auto ? " or auto" : "");
    if (x < d->lo || x > d->hi)
        return scarce__fail(err, SCARCE_EINVAL, "%s=%.80s is out of range (allowed: %g to %g)", d->name,
                            value, d->lo, d->hi);
    if (is_int) *(int64_t *)field_of(p, i) = (int64_t)x;
    else *(double *)field_of(p, i) = x;
    return SCARCE_OK;
}

static scarce_status set_bool(const scarce__params *p, size_t i, const char *value, scarce_error *err)
{
    static const char *const yes[] = {"true", "1", "yes", "on"}, *const no[] = {"false", "0", "no", "off"};
    for (size_t k = 0; k < 4; ++k) {
        if (strcmp(value, yes[k]) != 0 && strcmp(value, no[k]) != 0) continue;
        *(int *)field_of(p, i) = strcmp(value, yes[k]) == 0;
        return SCARCE_OK;
    }
    return scarce__fail(err, SCARCE_EINVAL, "%s=\"%.80s\" is neither true nor false",
                        p->table->params[i].name, value);
}

static scarce_status set_value(scarce__params *p, size_t i, const char *value, scarce_error *err)
{
    const scarce__param *d = &p->table->params[i];
    char *copy;

    switch (d->type) {
    case SCARCE__INT:
    case SCARCE__REAL: return set_number(p, i, value, err);
    case SCARCE__BOOL: return set_bool(p, i, value, err);
    case SCARCE__CHOICE: {
        int k = 0;
        if (!in_list(d->choices, '|', value, strlen(value), &k))
            return scarce__fail(err, SCARCE_EINVAL, "%s=\"%.80s\" is not one of %s", d->name, value,
                                d->choices);
        *(int *)field_of(p, i) = k;
        return SCARCE_OK;
    }
    case SCARCE__TEXT:
        copy = scarce__strdup(value);
        if (!copy) return scarce__fail_memory(err, "a parameter", 0);
        scarce__free(p->texts[i]);
        p->texts[i] = copy;
        *(const char **)field_of(p, i) = copy;
        return SCARCE_OK;
    }
    return scarce__fail(err, SCARCE_EBUG, "parameter %s has no type", d->name);
}

scarce_status scarce__params_new(scarce__params **out, const scarce__param_table *table, scarce_error *err)
{
    scarce__params *p = scarce__calloc(1, sizeof *p);
    scarce_status st = SCARCE_ENOMEM;

    *out = NULL;
    if (!p) return scarce__fail_memory(err, "parameters", 0);
    p->table = table;
    p->options = scarce__calloc(1, table->options_size);
    p->texts = scarce__calloc(table->count, sizeof *p->texts);
    p->given = scarce__calloc(table->count, 1);
    if (!p->options || !p->texts || !p->given) scarce__fail_memory(err, "parameters", 0);
    else st = SCARCE_OK;
    for (size_t i = 0; st == SCARCE_OK && i < table->count; ++i)
        st = set_value(p, i, table->params[i].def, err);
    if (st != SCARCE_OK) {
        scarce__params_free(p);
        return st;
    }
    *out = p;
    return SCARCE_OK;
}

void scarce__params_free(scarce__params *p)
{
    if (!p) return;
    if (p->texts)
        for (size_t i = 0; i < p->table->count; ++i) scarce__free(p->texts[i]);
    scarce__free(p->texts);
    scarce__free(p->given);
    scarce__free(p->options);
    scarce__free(p);
}

scarce_status scarce__params_set(scarce__params *p, const char *name, const char *value, scarce_error *err)
{
    const size_t i = scarce__param_find(p->table, name);
    if (i == SIZE_MAX) return fail_unknown(p->table, name, err);
    if (p->given[i]) {
        if (strcmp(name, p->table->params[i].name) == 0)
            return scarce__fail(err, SCARCE_EINVAL, "parameter %s is given twice", name);
        return scarce__fail(err, SCARCE_EINVAL, "parameter %s is given twice (%s is another name of it)",
                            p->table->params[i].name, name);
    }
    SCARCE__TRY(set_value(p, i, value, err));
    p->given[i] = 1;
    return SCARCE_OK;
}

scarce_status scarce__params_preset(scarce__params *p, const char *name, const char *value, scarce_error *err)
{
    const size_t i = scarce__param_find(p->table, name);
    if (i == SIZE_MAX) return fail_unknown(p->table, name, err);
    return p->given[i] ? SCARCE_OK : set_value(p, i, value, err);
}

scarce_status scarce__params_set_list(scarce__params *p, const char *list, char separator, scarce_error *err)
{
    scarce_status st = SCARCE_OK;
    char *copy, *item;

    if (!list || !*list) return SCARCE_OK;
    copy = scarce__strdup(list);
    if (!copy) return scarce__fail_memory(err, "parameters", 0);
    for (item = copy; item && st == SCARCE_OK;) {
        char *next = separator ? strchr(item, separator) : NULL;
        char *equals;
        if (next) *next++ = '\0';
        equals = strchr(item, '=');
        if (!equals) {
            st = scarce__fail(err, SCARCE_EINVAL, "\"%.80s\" is not of the form key=value", item);
            break;
        }
        *equals = '\0';
        st = scarce__params_set(p, item, equals + 1, err);
        item = next;
    }
    scarce__free(copy);
    return st;
}

scarce_param_info scarce__param_info(const scarce__param *p)
{
    static const char *const type_names[] = {"integer", "number", "true|false", NULL, "text"};
    scarce_param_info info = {p->name, p->aliases, type_names[p->type], p->def, p->lo, p->hi,
                              p->help, p->search};
    if (p->type == SCARCE__CHOICE) info.type = p->choices;
    return info;
}

const void *scarce__params_options(const scarce__params *p)
{
    return p->options;
}

const scarce__param_table *scarce__params_table(const scarce__params *p)
{
    return p->table;
}

int scarce__params_given(const scarce__params *p, size_t i)
{
    return p->given[i];
}

scarce_status scarce__params_value(const scarce__params *p, size_t i, scarce__text *out)
{
    const scarce__param *d = &p->table->params[i];
    const char *choice;

    switch (d->type) {
    case SCARCE__INT: {
        const int64_t v = *(const int64_t *)field_of(p, i);
        if (v == SCARCE__AUTO_INT) scarce__text_add(out, "auto");
        else scarce__text_addf(out, "%lld", (long long)v);
        break;
    }
    case SCARCE__REAL: {
        const double v = *(const double *)field_of(p, i);
        if (isnan(v)) scarce__text_add(out, "auto");
        else scarce__text_double(out, v);
        break;
    }
    case SCARCE__BOOL: scarce__text_add(out, *(const int *)field_of(p, i) ? "true" : "false"); break;
    case SCARCE__CHOICE:
        choice = d->choices;
        for (int k = *(const int *)field_of(p, i); k > 0; --k) choice = strchr(choice, '|') + 1;
        scarce__text_add_bytes(out, choice, strcspn(choice, "|"));
        break;
    case SCARCE__TEXT: scarce__text_add(out, *(const char *const *)field_of(p, i)); break;
    }
    return out->failed ? SCARCE_ENOMEM : SCARCE_OK;
}

/* ---- config files */

static char *trim(char *text)
{
    char *end;
    while (*text == ' ' || *text == '\t') ++text;
    end = text + strlen(text);
    while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) --end;
    *end = '\0';
    return text;
}

scarce_status scarce__config_parse(char *text, const char *name, scarce__config_fn take, void *arg,
                                   scarce_error *err)
{
    int line = 0;
    while (text) {
        char *next = strchr(text, '\n');
        char *comment, *equals, *key, *value;
        ++line;
        if (next) *next++ = '\0';
        comment = strchr(text, '#');
        if (comment) *comment = '\0';
        key = trim(text);
        text = next;
        if (!*key) continue;
        equals = strchr(key, '=');
        if (!equals)
            return scarce__fail(err, SCARCE_EPARSE, "%s:%d: \"%.80s\" is not of the form key = value", name,
                                line, key);
        *equals = '\0';
        value = trim(equals + 1);
        key = trim(key);
        if (!*key) return scarce__fail(err, SCARCE_EPARSE, "%s:%d: no key before \"=\"", name, line);
        const scarce_status st = take(arg, key, value, line, err);
        if (st != SCARCE_OK) {
            scarce__fail_prefix(err, "%s:%d: ", name, line);
            return st;
        }
    }
    return SCARCE_OK;
}
