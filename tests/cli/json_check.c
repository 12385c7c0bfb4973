/* SPDX-License-Identifier: Apache-2.0 */
/* json_check [PATH...]: is standard input exactly one JSON document? For each PATH (member names and array
 * positions with dots between: tests.0.name) its value is printed on a line: numbers with 6 digits, so that
 * compilers may differ in the last bits; of an array or object the number of its items. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"

enum { LARGEST = 1 << 26 };

static const scarce__json_value *child(const scarce__json_value *v, const char *name)
{
    if (v->type == SCARCE__JSON_OBJECT) return scarce__json_get(v, name);
    if (v->type != SCARCE__JSON_ARRAY) return NULL;
    const unsigned long want = strtoul(name, NULL, 10);
    if (want >= v->count) return NULL;
    v = scarce__json_first(v);
    for (unsigned long i = 0; i < want; ++i) v = scarce__json_next(v);
    return v;
}

static int print_path(const scarce__json_value *v, char *path)
{
    char *name = path, *dot = NULL;
    for (; v && name; name = dot) {
        dot = strchr(name, '.');
        if (dot) *dot++ = '\0';
        v = child(v, name);
    }
    if (!v) {
        fprintf(stderr, "json_check: nothing at %s\n", path);
        return 1;
    }
    switch (v->type) {
    case SCARCE__JSON_NULL: puts("null"); break;
    case SCARCE__JSON_FALSE: puts("false"); break;
    case SCARCE__JSON_TRUE: puts("true"); break;
    case SCARCE__JSON_NUMBER: printf("%.6g\n", v->as.number); break;
    case SCARCE__JSON_STRING: puts(v->as.string); break;
    case SCARCE__JSON_ARRAY:
    case SCARCE__JSON_OBJECT: printf("%u\n", v->count); break;
    }
    return 0;
}

int main(int argc, char **argv)
{
    char *bytes = malloc(LARGEST);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__json *json = NULL;
    int bad = 0;

    if (!bytes) return 2;
    const size_t n = fread(bytes, 1, LARGEST, stdin);
    if (scarce__json_read(&json, bytes, n, 0, &err) != SCARCE_OK) {
        fprintf(stderr, "json_check: %s\n", err.text);
        bad = 1;
    }
    for (int i = 1; i < argc && !bad; ++i) bad = print_path(scarce__json_root(json), argv[i]);
    scarce__json_free(json);
    free(bytes);
    return bad;
}
