/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of parameters: their names, and how an owner with presets shows them. */
#include "core/param.h"

#include <ctype.h>
#include <string.h>

int scarce__is_word_of(const char *words, char separator, const char *text, size_t n)
{
    while (words && *words) {
        const char *end = strchr(words, separator);
        const size_t length = end ? (size_t)(end - words) : strlen(words);
        if (length == n && memcmp(words, text, n) == 0) return 1;
        words = end ? end + 1 : NULL;
    }
    return 0;
}

size_t scarce__param_count(const scarce__param_table *table)
{
    size_t n = 0;
    for (size_t k = 0; k < table->n_parts; ++k) n += table->parts[k].count;
    return n;
}

const scarce__param *scarce__param_at(const scarce__param_table *table, size_t i)
{
    const scarce__param_part *part = table->parts;
    while (i >= part->count) i -= part++->count;
    return &part->params[i];
}

size_t scarce__param_find(const scarce__param_table *table, const char *name)
{
    const size_t length = strlen(name), n = scarce__param_count(table);
    for (size_t i = 0; i < n; ++i) {
        const scarce__param *p = scarce__param_at(table, i);
        if (strcmp(p->name, name) == 0 || scarce__is_word_of(p->aliases, ',', name, length)) return i;
    }
    return SIZE_MAX;
}

size_t scarce__param_find_dotted(const scarce__param_table *table, const char *name, const char **rest)
{
    const char *dot = strchr(name, '.');
    const size_t i = dot ? scarce__param_count(table) : 0;
    for (size_t k = 0; k < i; ++k) {
        const scarce__param *p = scarce__param_at(table, k);
        if (p->type != SCARCE__TEXT || !scarce__is_word_of(p->aliases, ',', name, (size_t)(dot + 1 - name))) continue;
        *rest = dot + 1;
        return k;
    }
    return SIZE_MAX;
}

static const scarce__preset *preset_of(const scarce__preset *presets, const char *name, size_t n)
{
    for (; presets && presets->name; ++presets)
        if (strlen(presets->name) == n && memcmp(presets->name, name, n) == 0) return presets;
    return NULL;
}

int scarce__param_listed(const scarce__param_table *table, const scarce__preset *presets, size_t i)
{
    const scarce__param *p = scarce__param_at(table, i);
    const scarce__preset *own = preset_of(presets, p->name, strlen(p->name)), *other;
    const char *equals = p->when ? strchr(p->when, '=') : NULL;

    if (own && own->fixed) return 0;
    if (!equals) return 1;
    other = preset_of(presets, p->when, (size_t)(equals - p->when));
    return !other || !other->fixed || scarce__is_word_of(equals + 1, '|', other->value, strlen(other->value));
}

size_t scarce__param_kth_listed(const scarce__param_table *table, const scarce__preset *presets, size_t k)
{
    const size_t n = scarce__param_count(table);
    for (size_t i = 0; i < n; ++i)
        if (scarce__param_listed(table, presets, i) && k-- == 0) return i;
    return SIZE_MAX;
}

scarce_param_info scarce__param_info(const scarce__param_table *table, const scarce__preset *presets,
                                     size_t i)
{
    static const char *const type_names[] = {"integer", "number", "true|false", NULL, "text"};
    const scarce__param *p = scarce__param_at(table, i);
    const scarce__preset *own = preset_of(presets, p->name, strlen(p->name));
    scarce_param_info info = {
        p->name,   p->aliases, type_names[p->type], own ? own->value : p->def, p->lo, p->hi, p->help,
        p->search, p->when};
    if (p->type == SCARCE__CHOICE) info.type = p->choices;
    return info;
}

/* ---- the nearest name */

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
