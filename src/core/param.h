/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters as a table: one line per parameter, and from it come parsing, ranges, aliases, the
 * suggestion of the nearest name, `--help`, `scarce methods`, docs, and what a model file remembers.
 *
 * A module declares a plain struct of options and a table that describes its fields:
 *
 *     typedef struct over_options {
 *         double ratio;
 *         int64_t k;
 *         int replacement;
 *         int kind;
 *         const char *list;
 *     } over_options;
 *
 *     static const scarce__param over_params[] = {
 *         {"ratio", "", SCARCE__REAL, offsetof(over_options, ratio), "1", 0, 1e9, NULL, "wanted ...", NULL},
 *         ...
 *     };
 *
 * Field types: INT int64_t, REAL double, BOOL int, CHOICE int (number of the choice, from 0), TEXT
 * const char * (owned by the parameter set). The default is written as a user would type it.
 * "auto" is allowed where it is the default: INT64_MIN, NaN or (CHOICE) one of the choices. */
#ifndef SCARCE_CORE_PARAM_H
#define SCARCE_CORE_PARAM_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/base.h>
#include <scarce/method.h>

#include "core/text.h"

typedef enum scarce__param_type {
    SCARCE__INT,
    SCARCE__REAL,
    SCARCE__BOOL,
    SCARCE__CHOICE,
    SCARCE__TEXT
} scarce__param_type;

#define SCARCE__AUTO_INT INT64_MIN

typedef struct scarce__param {
    const char *name;
    const char *aliases; /* separated by commas, or "" */
    scarce__param_type type;
    size_t offset;
    const char *def;
    double lo, hi;       /* inclusive, for INT and REAL */
    const char *choices; /* "a|b|c" for CHOICE */
    const char *help;
    const char *search; /* where tuning looks: "log:0.01:0.3", "int:2:10", "real:0.5:1", "a|b"; NULL: nowhere.
                           "loss=ap-lb,sgbap?int:1:3": only where `loss` has one of these values */
} scarce__param;

typedef struct scarce__param_table {
    const char *owner; /* for messages: "method gb" */
    const scarce__param *params;
    size_t count;
    size_t options_size; /* sizeof the struct */
} scarce__param_table;

/* A set of values for one table. */
typedef struct scarce__params scarce__params;

scarce_status scarce__params_new(scarce__params **out, const scarce__param_table *table, scarce_error *err);
void scarce__params_free(scarce__params *params);

/* EINVAL with the reason: unknown name (and the nearest known one), given twice, not a number, out of
 * range, not one of the choices. Aliases are accepted. */
scarce_status scarce__params_set(scarce__params *params, const char *name, const char *value,
                                 scarce_error *err);

/* Replaces a value as if it were the default (a method's own preset): may be set by the user after. */
scarce_status scarce__params_preset(scarce__params *params, const char *name, const char *value,
                                    scarce_error *err);

/* "name=value" items separated by `separator` ('\0': one item); NULL or "" sets nothing. */
scarce_status scarce__params_set_list(scarce__params *params, const char *list, char separator,
                                      scarce_error *err);

/* The struct; borrowed. */
const void *scarce__params_options(const scarce__params *params);

const scarce__param_table *scarce__params_table(const scarce__params *params);

/* Was parameter i given by the user? */
int scarce__params_given(const scarce__params *params, size_t i);

/* The value of parameter i as text that params_set takes. */
scarce_status scarce__params_value(const scarce__params *params, size_t i, scarce__text *out);

/* How a parameter is told to users. */
scarce_param_info scarce__param_info(const scarce__param *param);

/* Number of the parameter with that name or alias, or SIZE_MAX. */
size_t scarce__param_find(const scarce__param_table *table, const char *name);

/* The nearest of `count` names by edit distance, or NULL when nothing is near. */
const char *scarce__nearest_name(const char *name, const char *(*name_of)(const void *arg, size_t i),
                                 const void *arg, size_t count);

/* A config file: "key = value" lines, '#' comments, blank lines. `text` is changed (cut in pieces);
 * every pair is handed to `take`. EPARSE "NAME:LINE: ..." for anything else. */
typedef scarce_status (*scarce__config_fn)(void *arg, const char *key, const char *value, int line,
                                           scarce_error *err);
scarce_status scarce__config_parse(char *text, const char *name, scarce__config_fn take, void *arg,
                                   scarce_error *err);

#endif
