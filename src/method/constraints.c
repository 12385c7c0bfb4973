/* SPDX-License-Identifier: Apache-2.0 */
#include "method/constraints.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/param.h"

void scarce__constraints_deinit(scarce__constraints *c)
{
    scarce__free(c->monotone);
    scarce__free(c->group_begin);
    scarce__free(c->group_feature);
    memset(c, 0, sizeof *c);
}

static const char *feature_name(const void *arg, size_t i)
{
    return ((const scarce_schema *)arg)->features[i].name;
}

static scarce_status find_feature(size_t *out, const scarce_schema *schema, const char *name,
                                  scarce_error *err)
{
    const char *nearest;
    *out = scarce_schema_find(schema, name);
    if (*out != SIZE_MAX) return SCARCE_OK;
    nearest = scarce__nearest_name(name, feature_name, schema,
                                   schema->n_features < 2000 ? schema->n_features : 2000);
    return scarce__fail(err, SCARCE_EINVAL, "a constraint names \"%.80s\", which is no feature%s%.80s%s",
                        name, nearest ? " (did you mean \"" : "", nearest ? nearest : "",
                        nearest ? "\"?)" : "");
}

/* Cuts the next item off; the rest, or NULL. */
static char *cut(char *text, char separator)
{
    char *at = strchr(text, separator);
    if (!at) return NULL;
    *at = '\0';
    return at + 1;
}

static scarce_status parse_monotone(scarce__constraints *c, const scarce_schema *schema, char *text,
                                    scarce_error *err)
{
    c->monotone = scarce__calloc(schema->n_features, sizeof *c->monotone);
    if (!c->monotone) return scarce__fail_memory(err, "constraints", 0);
    while (text) {
        char *next = cut(text, ','), *colon = strrchr(text, ':');
        size_t f;
        if (!colon || (strcmp(colon, ":1") != 0 && strcmp(colon, ":+1") != 0 && strcmp(colon, ":-1") != 0))
            return scarce__fail(err, SCARCE_EINVAL,
                                "monotone: \"%.80s\" is not of the form FEATURE:1 or FEATURE:-1", text);
        *colon = '\0';
        SCARCE__TRY(find_feature(&f, schema, text, err));
        if (schema->features[f].kind == SCARCE_COLUMN_CATEGORY)
            return scarce__fail(err, SCARCE_EINVAL, "monotone: \"%.80s\" is a category, it has no order",
                                text);
        c->monotone[f] = colon[1] == '-' ? -1 : 1;
        text = next;
    }
    return SCARCE_OK;
}

static scarce_status parse_groups(scarce__constraints *c, const scarce_schema *schema, char *text,
                                  scarce_error *err)
{
    const size_t most = strlen(text) / 2 + 2; /* a name and a separator take two bytes */
    size_t n = 0;

    c->group_begin = scarce__calloc(most + 1, sizeof *c->group_begin);
    c->group_feature = scarce__calloc(most, sizeof *c->group_feature);
    if (!c->group_begin || !c->group_feature) return scarce__fail_memory(err, "constraints", 0);
    while (text) {
        char *next = cut(text, ',');
        while (text) {
            char *rest = cut(text, '+');
            size_t f;
            SCARCE__TRY(find_feature(&f, schema, text, err));
            c->group_feature[n++] = (uint32_t)f;
            text = rest;
        }
        c->group_begin[++c->n_groups] = (uint32_t)n;
        text = next;
    }
    return SCARCE_OK;
}

scarce_status scarce__constraints_parse(scarce__constraints *out, const scarce_schema *schema,
                                        const char *monotone, const char *interactions, scarce_error *err)
{
    char *a = monotone && *monotone ? scarce__strdup(monotone) : NULL;
    char *b = interactions && *interactions ? scarce__strdup(interactions) : NULL;
    scarce_status st = SCARCE_OK;

    memset(out, 0, sizeof *out);
    if ((monotone && *monotone && !a) || (interactions && *interactions && !b))
        st = scarce__fail_memory(err, "constraints", 0);
    if (st == SCARCE_OK && a) st = parse_monotone(out, schema, a, err);
    if (st == SCARCE_OK && b) st = parse_groups(out, schema, b, err);
    scarce__free(a);
    scarce__free(b);
    if (st != SCARCE_OK) scarce__constraints_deinit(out);
    return st;
}
