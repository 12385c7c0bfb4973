/* SPDX-License-Identifier: Apache-2.0 */
/* A user's parameters for one method. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/files.h"
#include "method/method.h"
#include "sample/resample.h"

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
    st = scarce__params_new(&p->values, "method ", p->method->name, p->method->engine->params,
                            p->method->presets, err);
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
    scarce__free(p->resample);
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

scarce_status scarce_params_get(char **out, const scarce_params *p, const char *name, scarce_error *err)
{
    const size_t i = scarce__param_find(p->method->engine->params, name);
    scarce__text value = SCARCE__TEXT_INIT;

    *out = NULL;
    if (i == SIZE_MAX || !scarce__params_listed(p->values, i))
        return scarce__fail(err, SCARCE_EINVAL, "method %s has no parameter \"%.80s\"", p->method->name,
                            name);
    scarce__text_add(&value, "");
    if (scarce__params_value(p->values, i, &value) != SCARCE_OK || !value.bytes) {
        scarce__text_deinit(&value);
        return scarce__fail_memory(err, "a parameter", 0);
    }
    *out = value.bytes;
    return SCARCE_OK;
}

scarce_status scarce_params_set_resample(scarce_params *p, const char *spec, scarce_error *err)
{
    char *copy = NULL;

    if (spec && *spec) {
        SCARCE__TRY(scarce_resample_check(spec, err));
        copy = scarce__strdup(spec);
        if (!copy) return scarce__fail_memory(err, "parameters", 0);
    }
    scarce__free(p->resample);
    p->resample = copy;
    return SCARCE_OK;
}

const char *scarce_params_resample(const scarce_params *p)
{
    return p->resample;
}

static int begins_with_method(const char *spec)
{
    const size_t n = strcspn(spec, ":+");
    for (size_t i = 0; i < scarce_method_count(); ++i) {
        const char *name = scarce__method_at(i)->name;
        if (strlen(name) == n && memcmp(name, spec, n) == 0) return 1;
    }
    return 0;
}

static scarce_status parse_spec(scarce_params **out, char *text, scarce_error *err)
{
    const int resamples = !begins_with_method(text);
    char *plus = resamples ? strchr(text, '+') : NULL, *method = plus ? plus + 1 : text,
         *colon = strchr(method, ':');
    scarce_status st;

    if (plus) *plus = '\0';
    if (colon) *colon = '\0';
    if (colon && !colon[1]) return scarce__fail(err, SCARCE_EINVAL, "nothing follows \"%.80s:\"", method);
    if (plus) SCARCE__TRY(scarce_resample_check(text, err));
    st = scarce_params_new(out, method, err);
    if (st == SCARCE_OK && colon) st = scarce_params_set_list(*out, colon + 1, ':', err);
    if (st == SCARCE_OK && plus) st = scarce_params_set_resample(*out, text, err);
    return st;
}

/* A '+' inside a value (interactions=a+b) is no resampling: there the method's name stands before it. */
scarce_status scarce_params_of_spec(scarce_params **out, const char *spec, scarce_error *err)
{
    char *text = scarce__strdup(spec);
    scarce_status st;

    *out = NULL;
    if (!text) return scarce__fail_memory(err, "parameters", 0);
    st = parse_spec(out, text, err);
    if (st != SCARCE_OK) {
        scarce_params_free(*out);
        *out = NULL;
    }
    scarce__free(text);
    return st;
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
    FILE *file = scarce__fopen(path);
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
