/* SPDX-License-Identifier: Apache-2.0 */
/* A user's parameters for one method. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "method/method.h"

static const char *method_name(const void *arg, size_t i)
{
    (void)arg;
    return scarce__method_at(i)->name;
}

scarce_status scarce_params_new(scarce_params **out, const char *method, scarce_error *err)
{
    const size_t i = scarce_method_find(method);
    scarce_params *p;
    scarce_status st;

    *out = NULL;
    if (i == SIZE_MAX) {
        const char *nearest = scarce__nearest_name(method, method_name, NULL, scarce_method_count());
        return scarce__fail(err, SCARCE_EINVAL, "no method \"%.80s\"%s%s%s (scarce methods lists them)",
                            method, nearest ? ", did you mean \"" : "", nearest ? nearest : "",
                            nearest ? "\"?" : "");
    }
    p = scarce__calloc(1, sizeof *p);
    if (!p) return scarce__fail_memory(err, "parameters", 0);
    p->method = scarce__method_at(i);
    st = scarce__params_new(&p->values, p->method->params, err);
    for (const scarce__preset *preset = p->method->presets; st == SCARCE_OK && preset && preset->name;
         ++preset)
        st = scarce__params_preset(p->values, preset->name, preset->value, err);
    if (st != SCARCE_OK) {
        scarce_params_free(p);
        return st;
    }
    *out = p;
    return SCARCE_OK;
}

void scarce_params_free(scarce_params *p)
{
    if (!p) return;
    scarce__params_free(p->values);
    scarce__free(p);
}

scarce_status scarce_params_set(scarce_params *p, const char *name, const char *value, scarce_error *err)
{
    return scarce__params_set(p->values, name, value, err);
}

scarce_status scarce_params_set_list(scarce_params *p, const char *list, char separator, scarce_error *err)
{
    return scarce__params_set_list(p->values, list, separator, err);
}

const char *scarce_params_method(const scarce_params *p)
{
    return p->method->name;
}

static scarce_status take_line(void *arg, const char *key, const char *value, int line, scarce_error *err)
{
    scarce_params *p = arg;
    (void)line;
    if (strcmp(key, "method") != 0) return scarce_params_set(p, key, value, err);
    if (strcmp(value, p->method->name) == 0) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EINVAL, "this configuration is for method %.60s, not %s", value,
                        p->method->name);
}

enum { LARGEST_CONFIG = 1 << 20 };

static scarce_status read_config(char *text, scarce_params *p, const char *path, scarce_error *err)
{
    FILE *file = fopen(path, "rb");
    scarce_status st;
    size_t n;

    if (!file) return scarce__fail(err, SCARCE_EIO, "%s: %s", path, strerror(errno));
    n = fread(text, 1, LARGEST_CONFIG + 1, file);
    if (ferror(file)) st = scarce__fail(err, SCARCE_EIO, "%s: %s", path, strerror(errno));
    else if (n > LARGEST_CONFIG)
        st = scarce__fail(err, SCARCE_EPARSE, "%s: larger than 1 MiB, so no configuration", path);
    else if (memchr(text, 0, n))
        st = scarce__fail(err, SCARCE_EPARSE, "%s: holds a NUL byte, so no configuration", path);
    else {
        text[n] = '\0';
        st = scarce__config_parse(text, path, take_line, p, err);
    }
    fclose(file);
    return st;
}

scarce_status scarce_params_read(scarce_params *p, const char *path, scarce_error *err)
{
    char *text = scarce__malloc(LARGEST_CONFIG + 1);
    scarce_status st;

    if (!text) return scarce__fail_memory(err, "a configuration", 0);
    st = read_config(text, p, path, err);
    scarce__free(text);
    return st;
}

static const char *name_in_array(const void *arg, size_t i)
{
    return ((const char *const *)arg)[i];
}

const char *scarce_nearest_name(const char *name, const char *const *names, size_t n)
{
    return scarce__nearest_name(name, name_in_array, names, n);
}
