/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a file so that it is whole or not there.
 *
 *     scarce__outfile *f = NULL;
 *     SCARCE__TRY(scarce__outfile_open(&f, path, err));
 *     st = scarce__outfile_write(f, bytes, n, err);
 *     if (st) { scarce__outfile_abort(f); return st; }
 *     return scarce__outfile_commit(f, err);
 *
 * The bytes go to a temporary file in the same directory, which is synced and renamed over `path` by
 * commit: until then an older file of that name stays as it was, after a failure too. A symbolic link
 * is followed, so the file it points to is replaced, or made when it isn't there; the permissions of a
 * replaced file are kept (owner and hard links are not). Temporaries of processes that were killed are
 * removed by the next one that writes in the same folder.
 * What isn't a regular file ("-" for standard output, a pipe, /dev/null) is written directly.
 *
 * Every failure is EIO with the path and the system's words. After a failed write all later calls on the
 * file fail with the same text. A broken pipe is such an error too; it raises no signal. */
#ifndef SCARCE_CORE_OUTFILE_H
#define SCARCE_CORE_OUTFILE_H

#include <stddef.h>

#include <scarce/base.h>

#include "core/fail.h"

typedef struct scarce__outfile scarce__outfile;

scarce_status scarce__outfile_open(scarce__outfile **out, const char *path, scarce_error *err);

/* Buffered; n may be 0. */
scarce_status scarce__outfile_write(scarce__outfile *file, const void *bytes, size_t n, scarce_error *err);

/* A C string. */
scarce_status scarce__outfile_text(scarce__outfile *file, const char *text, scarce_error *err);

/* Formatted, at most 1000 bytes (EBUG beyond). Numbers follow the locale: not for floats in data files. */
scarce_status scarce__outfile_print(scarce__outfile *file, scarce_error *err, const char *format, ...)
    SCARCE__PRINTF(3, 4);

/* Writes out what is buffered without ending the file: for results that someone waits for. */
scarce_status scarce__outfile_flush(scarce__outfile *file, scarce_error *err);

const char *scarce__outfile_name(const scarce__outfile *file); /* the path, or "stdout" */

/* Ends the file and frees the handle in either case. */
scarce_status scarce__outfile_commit(scarce__outfile *file, scarce_error *err);

/* Forgets it: the temporary is removed. Takes NULL. */
void scarce__outfile_abort(scarce__outfile *file);

#endif
