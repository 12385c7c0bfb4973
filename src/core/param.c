/* SPDX-License-Identifier: Apache-2.0 */
#include "core/param.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"

struct scarce__params {
    const char *what, *name; /* of the owner, for messages */
    const scarce__param_table *table;
    const scarce__preset *presets;
    size_t count;
    unsigned char *options;
    char **texts; /* what TEXT fields point to, per parameter */
    uint8_t *given;
};

static void *field_of(const scarce__params *p, size_t i)
{
    const scarce__param_part *part = p->table->parts;
    while (i >= part->count) i -= part++->count;
    return p->options + part->base + part->params[i].offset;
}

/* The words of a choice from the chosen one on. */
static const char *choice_of(const scarce__params *p, size_t i)
{
    const char *at = scarce__param_at(p->table, i)->choices;
    for (int k = *(const int *)field_of(p, i); k > 0; --k) at = strchr(at, '|') + 1;
    return at;
}

/* ---- names */

static const char *listed_name(const void *arg, size_t i)
{
    const scarce__params *p = arg;
    return scarce__params_listed(p, i) ? scarce__param_at(p->table, i)->name : NULL;
}

static scarce_status fail_unknown(const scarce__params *p, const char *name, scarce_error *err)
{
    const char *nearest = scarce__nearest_name(name, listed_name, p, p->count);
    if (nearest)
        return scarce__fail(err, SCARCE_EINVAL, "%s%s has no parameter \"%.80s\" (did you mean \"%s\"?)",
                            p->what, p->name, name, nearest);
    return scarce__fail(err, SCARCE_EINVAL, "%s%s has no parameter \"%.80s\" (scarce methods %s lists them)",
                        p->what, p->name, name, p->name);
}

/* A parameter of the table that this owner has decided itself, or that says nothing for it. */
static scarce_status fail_unlisted(const scarce__params *p, size_t i, scarce_error *err)
{
    const scarce__param *d = scarce__param_at(p->table, i);
    for (const scarce__preset *preset = p->presets; preset && preset->name; ++preset)
        if (preset->fixed && strcmp(preset->name, d->name) == 0)
            return scarce__fail(err, SCARCE_EINVAL, "%s can't be set for %s%s: it is always %s", d->name,
                                p->what, p->name, preset->value);
    return scarce__fail(err, SCARCE_EINVAL, "%s%s has no parameter %s, which is only for %s", p->what,
                        p->name, d->name, d->when);
}

/* ---- values */

static scarce_status set_number(const scarce__params *p, size_t i, const char *value, scarce_error *err)
{
    const scarce__param *d = scarce__param_at(p->table, i);
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
                        scarce__param_at(p->table, i)->name, value);
}

static scarce_status set_value(scarce__params *p, size_t i, const char *value, scarce_error *err)
{
    const scarce__param *d = scarce__param_at(p->table, i);
    char *copy;

    switch (d->type) {
    case SCARCE__INT:
    case SCARCE__REAL: return set_number(p, i, value, err);
    case SCARCE__BOOL: return set_bool(p, i, value, err);
    case SCARCE__CHOICE: {
        int k = 0;
        if (!scarce__is_word_of(d->choices, '|', value, strlen(value)))
            return scarce__fail(err, SCARCE_EINVAL, "%s=\"%.80s\" is not one of %s", d->name, value,
                                d->choices);
        for (const char *at = d->choices;
             strcspn(at, "|") != strlen(value) || strncmp(at, value, strlen(value)) != 0;
             at = strchr(at, '|') + 1)
            ++k;
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

static scarce_status set_preset(scarce__params *p, const scarce__preset *preset, scarce_error *err)
{
    const size_t i = scarce__param_find(p->table, preset->name);
    if (i == SIZE_MAX)
        return scarce__fail(err, SCARCE_EBUG, "%s%s has a preset of no parameter \"%s\"", p->what, p->name,
                            preset->name);
    return set_value(p, i, preset->value, err);
}

static scarce_status new_set(scarce__params **out, const char *what, const char *name,
                             const scarce__param_table *table, const scarce__preset *presets,
                             scarce_error *err)
{
    scarce__params *p = scarce__calloc(1, sizeof *p);

    *out = NULL;
    if (!p) return scarce__fail_memory(err, "parameters", 0);
    p->what = what;
    p->name = name;
    p->table = table;
    p->presets = presets;
    p->count = scarce__param_count(table);
    p->options = scarce__calloc(1, table->options_size);
    p->texts = scarce__calloc(p->count, sizeof *p->texts);
    p->given = scarce__calloc(p->count, 1);
    if (!p->options || !p->texts || !p->given) {
        scarce__params_free(p);
        return scarce__fail_memory(err, "parameters", 0);
    }
    *out = p;
    return SCARCE_OK;
}

scarce_status scarce__params_new(scarce__params **out, const char *what, const char *name,
                                 const scarce__param_table *table, const scarce__preset *presets,
                                 scarce_error *err)
{
    scarce_status st = new_set(out, what, name, table, presets, err);

    for (size_t i = 0; st == SCARCE_OK && i < (*out)->count; ++i)
        st = set_value(*out, i, scarce__param_at(table, i)->def, err);
    for (; st == SCARCE_OK && presets && presets->name; ++presets) st = set_preset(*out, presets, err);
    if (st != SCARCE_OK) {
        scarce__params_free(*out);
        *out = NULL;
    }
    return st;
}

scarce_status scarce__params_copy(scarce__params **out, const scarce__params *from, scarce_error *err)
{
    scarce_status st = new_set(out, from->what, from->name, from->table, from->presets, err);

    if (st != SCARCE_OK) return st;
    memcpy((*out)->options, from->options, from->table->options_size);
    memcpy((*out)->given, from->given, from->count);
    for (size_t i = 0; st == SCARCE_OK && i < from->count; ++i)
        if (from->texts[i]) st = set_value(*out, i, from->texts[i], err);
    if (st != SCARCE_OK) {
        scarce__params_free(*out);
        *out = NULL;
    }
    return st;
}

void scarce__params_free(scarce__params *p)
{
    if (!p) return;
    if (p->texts)
        for (size_t i = 0; i < p->count; ++i) scarce__free(p->texts[i]);
    scarce__free(p->texts);
    scarce__free(p->given);
    scarce__free(p->options);
    scarce__free(p);
}

/* "inner.k" with the value 5 becomes ":k=5" at the end of the text behind the alias "inner.". */
static scarce_status set_dotted(scarce__params *p, size_t i, const char *rest, const char *value, scarce_error *err)
{
    scarce__text list = SCARCE__TEXT_INIT;
    scarce_status st;

    if (strpbrk(rest, ":=") || strchr(value, ':') || !*rest)
        return scarce__fail(err, SCARCE_EINVAL, "\"%.80s=%.80s\" can't be passed on: a colon parts settings", rest,
                            value);
    if (p->texts[i] && p->texts[i][0]) scarce__text_addf(&list, "%s:", p->texts[i]);
    scarce__text_addf(&list, "%s=%s", rest, value);
    st = list.failed ? scarce__fail_memory(err, "parameters", 0) : set_value(p, i, list.bytes, err);
    scarce__text_deinit(&list);
    if (st == SCARCE_OK) p->given[i] = 1;
    return st;
}

scarce_status scarce__params_set(scarce__params *p, const char *name, const char *value, scarce_error *err)
{
    const char *rest = NULL;
    const size_t dotted = scarce__param_find_dotted(p->table, name, &rest), i = scarce__param_find(p->table, name);
    if (dotted != SIZE_MAX && scarce__params_listed(p, dotted)) return set_dotted(p, dotted, rest, value, err);
    if (i == SIZE_MAX) return fail_unknown(p, name, err);
    if (!scarce__params_listed(p, i)) return fail_unlisted(p, i, err);
    if (p->given[i]) {
        const char *proper = scarce__param_at(p->table, i)->name;
        if (strcmp(name, proper) == 0)
            return scarce__fail(err, SCARCE_EINVAL, "parameter %s is given twice", name);
        return scarce__fail(err, SCARCE_EINVAL, "parameter %s is given twice (%s is another name of it)",
                            proper, name);
    }
    SCARCE__TRY(set_value(p, i, value, err));
    p->given[i] = 1;
    return SCARCE_OK;
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

const void *scarce__params_options(const scarce__params *p)
{
    return p->options;
}

void *scarce__params_edit(scarce__params *p)
{
    return p->options;
}

const scarce__param_table *scarce__params_table(const scarce__params *p)
{
    return p->table;
}

int scarce__params_listed(const scarce__params *p, size_t i)
{
    return scarce__param_listed(p->table, p->presets, i);
}

int scarce__params_given(const scarce__params *p, size_t i)
{
    return p->given[i];
}

int scarce__params_is_auto(const scarce__params *p, size_t i)
{
    const scarce__param *d = scarce__param_at(p->table, i);
    switch (d->type) {
    case SCARCE__INT: return *(const int64_t *)field_of(p, i) == SCARCE__AUTO_INT;
    case SCARCE__REAL: return isnan(*(const double *)field_of(p, i));
    case SCARCE__CHOICE: return strcmp(d->def, "auto") == 0 && strncmp(choice_of(p, i), "auto", 4) == 0;
    default: return 0;
    }
}

scarce_status scarce__params_value(const scarce__params *p, size_t i, scarce__text *out)
{
    const scarce__param *d = scarce__param_at(p->table, i);
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
        choice = choice_of(p, i);
        scarce__text_add_bytes(out, choice, strcspn(choice, "|"));
        break;
    case SCARCE__TEXT: scarce__text_add(out, *(const char *const *)field_of(p, i)); break;
    }
    return out->failed ? SCARCE_ENOMEM : SCARCE_OK;
}

/* ---- conditions */

/* The word of a `when` before the "="; SIZE_MAX: there is none. */
static size_t condition_on(const scarce__params *p, const char *when)
{
    char name[64];
    const size_t n = strcspn(when, "=");
    if (n >= sizeof name) return SIZE_MAX;
    memcpy(name, when, n);
    name[n] = '\0';
    return scarce__param_find(p->table, name);
}

int scarce__params_applies(const scarce__params *p, size_t i)
{
    const char *when = scarce__param_at(p->table, i)->when, *now;
    const size_t other = when ? condition_on(p, when) : SIZE_MAX;

    if (other == SIZE_MAX || scarce__param_at(p->table, other)->type != SCARCE__CHOICE) return 1;
    now = choice_of(p, other);
    return scarce__is_word_of(strchr(when, '=') + 1, '|', now, strcspn(now, "|"));
}

scarce_status scarce__params_check(const scarce__params *p, scarce_error *err)
{
    for (size_t i = 0; i < p->count; ++i) {
        const scarce__param *d = scarce__param_at(p->table, i);
        if (!p->given[i] || scarce__params_applies(p, i)) continue;
        const size_t other = condition_on(p, d->when);
        const char *now = choice_of(p, other);
        return scarce__fail(err, SCARCE_EINVAL, "%s is only for %s, and %s is %.*s", d->name, d->when,
                            scarce__param_at(p->table, other)->name, (int)strcspn(now, "|"), now);
    }
    return SCARCE_OK;
}
