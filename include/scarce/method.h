/* SPDX-License-Identifier: Apache-2.0 */
/* The table of methods, and parameters for one of them.
 *
 *     scarce_params *p = NULL;
 *     scarce_params_new(&p, "logistic", &err);
 *     scarce_params_set(p, "c", "0.5", &err);
 *
 * Names are those that xgboost, lightgbm and scikit-learn users type already, with aliases. An
 * unknown name, a name given twice, or a value out of range is EINVAL with a text that says what is
 * allowed and which name is nearest. */
#ifndef SCARCE_METHOD_H
#define SCARCE_METHOD_H

#include <scarce/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scarce_method_info {
    const char *name;    /* "gb" */
    const char *family;  /* "boosting", "linear", ... */
    const char *summary; /* what it is for, one or two sentences */
    const char *paper;   /* where it comes from */
    size_t n_params;
    unsigned can; /* SCARCE_METHOD_... */
    const char
        *stages; /* the parameter whose smaller values give beginnings of a model ("n_trees"); NULL: none */
} scarce_method_info;

enum {
    SCARCE_METHOD_TAKES_LOSS = 1,  /* a loss of the caller's own (loss.h) */
    SCARCE_METHOD_STOPS_EARLY = 2, /* scarce_train_options.early_stop */
    SCARCE_METHOD_RESUMES = 4,     /* leaves checkpoints and goes on from them */
    SCARCE_METHOD_PROBABILITY = 8, /* its score has a probability without a calibrator, at its defaults */
    SCARCE_METHOD_ITERATES = 16    /* grows by steps that a parameter counts (`stages`) */
};

typedef struct scarce_param_info {
    const char *name;
    const char *aliases; /* separated by commas, or "" */
    const char *type;    /* "integer", "number", "true|false", "text", or the choices "a|b|c" */
    const char *def;     /* default as text; "auto": the method decides from the data */
    double lo, hi;       /* range of integers and numbers */
    const char *help;
    const char *search; /* where `tune` looks, or NULL */
    const char *when;   /* "loss=sgbap": it says something only there; NULL: always */
} scarce_param_info;

SCARCE_API size_t scarce_method_count(void);
/* SIZE_MAX when there is none of that name. */
SCARCE_API size_t scarce_method_find(const char *name);
/* All NULL and 0 behind the last. */
SCARCE_API scarce_method_info scarce_method_get(size_t method);
/* What can be set for the method; parameters it has decided by its name (the loss of ap-lb) are not among
 * them. */
SCARCE_API scarce_param_info scarce_method_param(size_t method, size_t param);

typedef struct scarce_params scarce_params;

/* EINVAL for an unknown method, with the nearest name. */
SCARCE_API scarce_status scarce_params_new(scarce_params **out, const char *method, scarce_error *err);
/* A whole specification: "gb", "gb:n_trees=50:max_depth=2", or with resampling before it (resample.h)
 * "random-under:ratio=0.1+gb:n_trees=50". The grammar of `compare --methods`, `tune` and bindings. */
SCARCE_API scarce_status scarce_params_of_spec(scarce_params **out, const char *spec, scarce_error *err);
SCARCE_API void scarce_params_free(scarce_params *params);
SCARCE_API scarce_status scarce_params_set(scarce_params *params, const char *name, const char *value,
                                           scarce_error *err);
/* "n_trees=50:max_depth=2" with the given separator. */
SCARCE_API scarce_status scarce_params_set_list(scarce_params *params, const char *list, char separator,
                                                scarce_error *err);
/* "key = value" lines, '#' comments. A line `method = ...` must name the same method. */
SCARCE_API scarce_status scarce_params_read(scarce_params *params, const char *path, scarce_error *err);
/* The value of a parameter (by name or alias) as text that scarce_params_set takes: what was set, else the
 * default, which may be "auto". Freed by scarce_bytes_free (model.h). */
SCARCE_API scarce_status scarce_params_get(char **out, const scarce_params *params, const char *name,
                                           scarce_error *err);
/* The training rows (never the validation rows) are resampled before the method learns: "random-under:ratio=0.1";
 * NULL or "": not. What that does to the odds is undone in probabilities, where it can be. */
SCARCE_API scarce_status scarce_params_set_resample(scarce_params *params, const char *spec,
                                                    scarce_error *err);
/* What the method can with these very parameters (SCARCE_METHOD_...): with another loss gb only ranks. */
SCARCE_API unsigned scarce_params_can(const scarce_params *params);
/* NULL: none. */
SCARCE_API const char *scarce_params_resample(const scarce_params *params);
SCARCE_API const char *scarce_params_method(const scarce_params *params);

/* Which of n names was probably meant: the nearest by edit distance, or NULL when none is near. */
SCARCE_API const char *scarce_nearest_name(const char *name, const char *const *names, size_t n);

#ifdef __cplusplus
}
#endif
#endif
