/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters as a table: one line per parameter, and from it come parsing, ranges, aliases, the
 * suggestion of the nearest name, `--help`, `scarce methods`, docs, and what a model file remembers.
 *
 * A module declares a plain struct of options and describes its fields:
 *
 *     typedef struct over_options { double ratio; int64_t k; } over_options;
 *     static const scarce__param over_params[] = {
 *         {"ratio", "", SCARCE__REAL, offsetof(over_options, ratio), "1", 0, 1e9, .help = "wanted ..."},
 *         ...
 *     };
 *     static const scarce__param_part over_parts[] = {SCARCE__PART(over_params, 0)};
 *     static const scarce__param_table over_table = {over_parts, 1, sizeof(over_options)};
 *
 * A table is a list of parts, each describing a struct inside the options (`base` is where it begins), so that
 * methods made of other methods share their parameters without a copy.
 *
 * Field types: INT int64_t, REAL double, BOOL int, CHOICE int (number of the choice, from 0), TEXT
 * const char * (owned by the parameter set). The default is written as a user would type it.
 * "auto" is allowed where it is the default: INT64_MIN, NaN or (CHOICE) one of the choices.
 *
 * A preset is a default of the owner's own. A *fixed* preset is what the owner is: the parameter can't be set,
 * is not listed, and neither is any parameter that says something only for other values of it (`when`). */
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
    size_t offset; /* within the struct of its part */
    const char *def;
    double lo, hi;       /* inclusive, for INT and REAL */
    const char *choices; /* "a|b|c" for CHOICE */
    const char *help;
    const char
        *search;      /* where tuning looks: "log:0.01:0.3", "int:2:10", "real:0.5:1", "a|b"; NULL: nowhere */
    const char *when; /* "loss=ap-lb|sgbap": it says something only there; NULL: always */
} scarce__param;

typedef struct scarce__param_part {
    const scarce__param *params;
    size_t count, base;
} scarce__param_part;

#define SCARCE__PART(array, base)                                                                            \
    {                                                                                                        \
        array, sizeof(array) / sizeof(array)[0], base                                                        \
    }

typedef struct scarce__param_table {
    const scarce__param_part *parts;
    size_t n_parts;
    size_t options_size; /* sizeof the struct */
} scarce__param_table;

/* A list of presets ends with a NULL name. */
typedef struct scarce__preset {
    const char *name, *value;
    int fixed;
} scarce__preset;

/* ---- a table, and how an owner with presets (or NULL) shows it */

size_t scarce__param_count(const scarce__param_table *table);
const scarce__param *scarce__param_at(const scarce__param_table *table, size_t i);
/* Number of the parameter with that name or alias, or SIZE_MAX. */
size_t scarce__param_find(const scarce__param_table *table, const char *name);
/* Number of the text parameter with the alias "inner.", for a name "inner.k": a list of settings "k=5:..." for another
 * owner, given one by one; *rest is then "k". SIZE_MAX: there is none. */
size_t scarce__param_find_dotted(const scarce__param_table *table, const char *name, const char **rest);
/* Is parameter i one that a user may set? */
int scarce__param_listed(const scarce__param_table *table, const scarce__preset *presets, size_t i);
/* How it is told to users, with the owner's default. */
scarce_param_info scarce__param_info(const scarce__param_table *table, const scarce__preset *presets,
                                     size_t i);
/* The k-th that is listed, or SIZE_MAX. */
size_t scarce__param_kth_listed(const scarce__param_table *table, const scarce__preset *presets, size_t k);

/* The nearest of `count` names by edit distance, or NULL when nothing is near. */
const char *scarce__nearest_name(const char *name, const char *(*name_of)(const void *arg, size_t i),
                                 const void *arg, size_t count);

/* Is the text of n bytes one of the words of "a|b|c"? */
int scarce__is_word_of(const char *words, char separator, const char *text, size_t n);

/* ---- a set of values for one table */

typedef struct scarce__params scarce__params;

/* `what` and `name` are for messages: "method ", "gb". All arguments are borrowed and outlive the set. */
scarce_status scarce__params_new(scarce__params **out, const char *what, const char *name,
                                 const scarce__param_table *table, const scarce__preset *presets,
                                 scarce_error *err);
scarce_status scarce__params_copy(scarce__params **out, const scarce__params *from, scarce_error *err);
void scarce__params_free(scarce__params *params);

/* EINVAL with the reason: unknown name (and the nearest known one), fixed, given twice, not a number, out of
 * range, not one of the choices. Aliases are accepted. */
scarce_status scarce__params_set(scarce__params *params, const char *name, const char *value,
                                 scarce_error *err);

/* "name=value" items separated by `separator` ('\0': one item); NULL or "" sets nothing. */
scarce_status scarce__params_set_list(scarce__params *params, const char *list, char separator,
                                      scarce_error *err);

/* EINVAL when a parameter was given whose `when` doesn't hold. */
scarce_status scarce__params_check(const scarce__params *params, scarce_error *err);

/* The struct; borrowed. `edit` is for the owner, who writes down what "auto" came to be. */
const void *scarce__params_options(const scarce__params *params);
void *scarce__params_edit(scarce__params *params);

const scarce__param_table *scarce__params_table(const scarce__params *params);

/* Is parameter i listed, was it given by the user, does its `when` hold, is its value still "auto"? */
int scarce__params_listed(const scarce__params *params, size_t i);
int scarce__params_given(const scarce__params *params, size_t i);
int scarce__params_applies(const scarce__params *params, size_t i);
int scarce__params_is_auto(const scarce__params *params, size_t i);

/* The value of parameter i as text that params_set takes. */
scarce_status scarce__params_value(const scarce__params *params, size_t i, scarce__text *out);

/* A config file: "key = value" lines, '#' comments, blank lines. `text` is changed (cut in pieces);
 * every pair is handed to `take`. EPARSE "NAME:LINE: ..." for anything else. */
typedef scarce_status (*scarce__config_fn)(void *arg, const char *key, const char *value, int line,
                                           scarce_error *err);
scarce_status scarce__config_parse(char *text, const char *name, scarce__config_fn take, void *arg,
                                   scarce_error *err);

#endif
