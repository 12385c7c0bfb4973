/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the files, choosing the format, and handing over to its reader. */
#include "data/read.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"
#include "core/text.h"
#include "data/look.h"
#include "data/reading.h"

static scarce_format format_of(const char *path)
{
    size_t n = strlen(path);
    if (scarce__ends_with(path, n, ".gz")) n -= 3;
    else if (scarce__ends_with(path, n, ".zst")) n -= 4;
    if (scarce__ends_with(path, n, ".tsv")) return SCARCE_FORMAT_TSV;
    if (scarce__ends_with(path, n, ".svm") || scarce__ends_with(path, n, ".libsvm"))
        return SCARCE_FORMAT_LIBSVM;
    if (scarce__ends_with(path, n, ".arff")) return SCARCE_FORMAT_ARFF;
    if (scarce__ends_with(path, n, ".dat")) return SCARCE_FORMAT_KEEL;
    return SCARCE_FORMAT_CSV;
}

static scarce_status choose_format(scarce_read_options *o, const char *const *paths, size_t n_paths,
                                   scarce_error *err)
{
    if (o->format != SCARCE_FORMAT_AUTO) return SCARCE_OK;
    o->format = format_of(paths[0]);
    for (size_t i = 1; i < n_paths; ++i)
        if (format_of(paths[i]) != o->format)
            return scarce__fail(err, SCARCE_EINVAL,
                                "%s and %s have different formats; name one with --format", paths[0],
                                paths[i]);
    return SCARCE_OK;
}

scarce_status scarce__read_sources(scarce_table **out, scarce__source *const *sources, size_t n_sources,
                                   const scarce_read_options *o, const scarce__read_tuning *tuning,
                                   scarce_context *ctx, scarce_error *err)
{
    scarce_table *table = scarce__calloc(1, sizeof *table);
    scarce_status st = SCARCE_EINVAL;

    *out = NULL;
    if (!table) return scarce__fail_memory(err, "a table", sizeof *table);
    if (o->format == SCARCE_FORMAT_LIBSVM && o->keep.count) {
        scarce__free(table);
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "%s: a LIBSVM file has no columns of text to keep",
                            scarce__source_name(sources[0]));
    }
    for (size_t i = 0; i < n_sources; ++i) {
        st = scarce__check_signature(sources[i], err);
        if (st == SCARCE_OK) continue;
        scarce_table_free(table);
        return st;
    }
    switch (o->format) {
    case SCARCE_FORMAT_CSV:
    case SCARCE_FORMAT_TSV: st = scarce__read_csv(table, sources, n_sources, o, tuning, ctx, err); break;
    case SCARCE_FORMAT_LIBSVM:
        st = scarce__read_libsvm(table, sources, n_sources, o, tuning, ctx, err);
        break;
    case SCARCE_FORMAT_ARFF:
    case SCARCE_FORMAT_KEEL: st = scarce__read_arff(table, sources, n_sources, o, tuning, ctx, err); break;
    case SCARCE_FORMAT_AUTO:
    default: st = scarce__fail(err, SCARCE_EINVAL, "format %d is unknown", (int)o->format); break;
    }
    if (st == SCARCE_OK && !o->schema) scarce__settle_decimal(table);
    if (st == SCARCE_OK && table->n_rows > 0) st = scarce__reading_finish(table, o, err);
    if (st != SCARCE_OK || table->n_rows == 0) { /* no rows: only when that may be */
        scarce_table_free(table);
        return st;
    }
    *out = table;
    return SCARCE_OK;
}

scarce_status scarce_table_read(scarce_table **out, const char *const *paths, size_t n_paths,
                                const scarce_read_options *options, scarce_context *ctx, scarce_error *err)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce__source **sources;
    scarce_status st;
    size_t n_open = 0;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_READ_OPTIONS_INIT, err));
    if (n_paths == 0) return scarce__fail(err, SCARCE_EINVAL, "no file to read");
    SCARCE__TRY(choose_format(&o, paths, n_paths, err));
    sources = scarce__calloc(n_paths, sizeof *sources);
    if (!sources) return scarce__fail_memory(err, "a list of files", 0);
    for (st = SCARCE_OK; n_open < n_paths && st == SCARCE_OK; ++n_open)
        st = scarce__source_open(&sources[n_open], paths[n_open], ctx, err);
    if (st == SCARCE_OK) st = scarce__read_sources(out, sources, n_paths, &o, NULL, ctx, err);
    for (size_t i = 0; i < n_open; ++i) scarce__source_close(sources[i]);
    scarce__free(sources);
    return st;
}

scarce_status scarce_table_read_bytes(scarce_table **out, const void *bytes, size_t n, const char *name,
                                      const scarce_read_options *options, scarce_context *ctx,
                                      scarce_error *err)
{
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce__source *source;
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_READ_OPTIONS_INIT, err));
    if (!bytes && n > 0) return scarce__fail(err, SCARCE_EINVAL, "%zu bytes to read, but no address", n);
    if (!name) name = "memory";
    SCARCE__TRY(choose_format(&o, &name, 1, err));
    SCARCE__TRY(scarce__source_memory(&source, bytes ? bytes : "", n, name, err));
    st = scarce__read_sources(out, &source, 1, &o, NULL, ctx, err);
    scarce__source_close(source);
    return st;
}
