/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes, error text, and the context (threads, seed, talk) that every long call takes.
 *
 *     scarce_error err = SCARCE_ERROR_INIT;
 *     scarce_context *ctx = NULL;
 *     if (scarce_context_new(&ctx, NULL, &err)) { puts(err.text); return 1; }
 *     ...
 *     scarce_context_free(ctx);
 *
 * Rules that hold for the whole library:
 *  - whatever can fail returns a scarce_status, takes its result `out` first and a nullable
 *    `scarce_error *err` last; on failure *out is NULL, inputs are unchanged, nothing is half written;
 *  - a pointer returned is borrowed and lives as long as its parent; a pointer through `out` is yours;
 *  - every `free` takes NULL;
 *  - a struct that begins with struct_size is begun with its SCARCE_..._INIT (a zeroed one is EINVAL); NULL
 *    options are the defaults;
 *  - structs that begin with struct_size grow at their end; those that a call returns by pointer may, too; any
 *    other struct stays as it is;
 *  - nothing is printed, no exit, no abort, no global state; handles of different threads never meet. */
#ifndef SCARCE_BASE_H
#define SCARCE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && defined(SCARCE_SHARED)
#define SCARCE_API __attribute__((visibility("default")))
#else
#define SCARCE_API
#endif

#define SCARCE_VERSION_MAJOR 0
#define SCARCE_VERSION_MINOR 1
#define SCARCE_VERSION_PATCH 0
#define SCARCE_VERSION_TEXT "0.1.0"
/* For comparisons by the preprocessor: 1.2.3 is 10203. */
#define SCARCE_VERSION_NUMBER                                                                                \
    (SCARCE_VERSION_MAJOR * 10000 + SCARCE_VERSION_MINOR * 100 + SCARCE_VERSION_PATCH)

/* The version of the library that is linked, as "0.1.0". */
SCARCE_API const char *scarce_version(void);
/* The same as a number: SCARCE_VERSION_NUMBER of the library, where that of the header is the caller's. */
SCARCE_API int scarce_version_number(void);

typedef enum scarce_status {
    SCARCE_OK = 0,
    SCARCE_EINVAL = -1,       /* an argument or parameter is not allowed */
    SCARCE_ENOMEM = -2,       /* memory is exhausted */
    SCARCE_EIO = -3,          /* reading or writing failed */
    SCARCE_EPARSE = -4,       /* the text of a file can't be read as asked */
    SCARCE_EVERSION = -5,     /* a file made by a newer release */
    SCARCE_EDATA = -6,        /* the data can't be used as asked (no positives, missing column) */
    SCARCE_ENUMERIC = -7,     /* a computation left the numbers (diverged) */
    SCARCE_ECANCEL = -8,      /* the progress callback asked to stop */
    SCARCE_EUNSUPPORTED = -9, /* not in this build, or not for this method */
    SCARCE_EBUG = -10         /* an internal promise was broken; please report */
} scarce_status;

/* The braces of the ..._INIT macros, each of which is the initialiser of one struct. */
#define SCARCE_INIT(...)                                                                                     \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

/* "out of memory", "wrong argument", ... */
SCARCE_API const char *scarce_status_text(scarce_status status);

/* Makes a text of unknown origin (a column's name, a category) fit for a terminal, in place: control characters
 * and bytes that are no UTF-8 become '?'. Newlines and tabs do too. Messages of this library are clean already. */
SCARCE_API void scarce_printable(char *text);

/* Filled by the call that failed; one line, no newline at its end. */
typedef struct scarce_error {
    scarce_status code;
    char text[1024];
} scarce_error;

#define SCARCE_ERROR_INIT SCARCE_INIT(SCARCE_OK, {0})

typedef enum scarce_log_level {
    SCARCE_LOG_WARN = 1,
    SCARCE_LOG_INFO = 2,
    SCARCE_LOG_DEBUG = 3
} scarce_log_level;

/* One line without newline. May be called from the thread that made the call only. */
typedef void (*scarce_log_fn)(void *payload, scarce_log_level level, const char *line);

/* Where a long call is. `total` is 0 when it isn't known. */
typedef struct scarce_progress {
    const char *stage; /* "read", "bin", "train", ... */
    double done;
    double total;
    const char *unit;   /* "bytes", "rows", "trees", ... */
    const char *note;   /* e.g. "valid ap 0.3412", or "" */
    const char *metric; /* what is watched ("ap"), or NULL; and */
    double value;       /* its value now; nothing where metric is NULL */
} scarce_progress;

/* Return nonzero to stop: the call then ends with SCARCE_ECANCEL, or with what is done so far where
 * its description says so. Called from the thread that made the call only. */
typedef int (*scarce_progress_fn)(void *payload, const scarce_progress *progress);

/* What this process may use of the machine: the cores that its affinity allows, cut to what the CPU quota of its
 * control group (a container's limit, version 1 or 2) pays for. 1 to 1024. */
SCARCE_API int scarce_default_threads(void);

typedef struct scarce_context_options {
    size_t struct_size;
    int threads;   /* 0: scarce_default_threads() */
    uint64_t seed; /* of everything random */
    scarce_log_fn log;
    scarce_progress_fn progress;
    void *payload; /* handed to both callbacks */
} scarce_context_options;

#define SCARCE_CONTEXT_OPTIONS_INIT SCARCE_INIT(sizeof(scarce_context_options), 0, 1, NULL, NULL, NULL)

/* Threads (asleep when there is nothing to do), the seed and the callbacks. One context serves one
 * call at a time. After fork() the child may go on using it. Results never depend on `threads`. */
typedef struct scarce_context scarce_context;

/* NULL options: all cores it may use, seed 1, silent. */
SCARCE_API scarce_status scarce_context_new(scarce_context **out, const scarce_context_options *options,
                                            scarce_error *err);
SCARCE_API void scarce_context_free(scarce_context *ctx);
/* A limit for the memory of the whole process, in bytes; 0 or less: none (the default). What the library
 * allocates is counted from then on: tables, bins, trees, models, scores. An allocation that would go beyond
 * the limit fails with ENOMEM and a text that names it; where a call can do with less (fits side by side) it
 * does; a training that can't fit is refused before it begins. Not counted: what the caller allocates, stacks
 * of threads, buffers of zlib and zstd (below 130 MB). Set it before anything else is called. Results never
 * depend on it. Without a limit up to 256 MB of what was freed stay with the process for the next reading or training, marked
 * as the system's to take when it needs memory; setting one, or 0, gives them back. */
SCARCE_API void scarce_memory_limit(double bytes);

SCARCE_API int scarce_context_threads(const scarce_context *ctx);
SCARCE_API uint64_t scarce_context_seed(const scarce_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
