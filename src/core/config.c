/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files: "key = value" lines. */
#include <string.h>

#include "core/fail.h"
#include "core/param.h"

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
