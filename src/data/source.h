/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from a file, from standard input ("-"), or from either through gzip or zstd (told by the
 * first bytes, not by the name). */
#ifndef SCARCE_DATA_SOURCE_H
#define SCARCE_DATA_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/base.h>

#include "core/context.h"
#include "core/pool.h"

typedef struct scarce__source scarce__source;

/* ctx is told while a pipe is silent, and may then stop the reading (ECANCEL); NULL: nobody is. */
scarce_status scarce__source_open(scarce__source **out, const char *path, const scarce_context *ctx,
                                  scarce_error *err);

/* From now on it is read once: nothing is kept aside, rewinding fails, and reading a pipe gives what is there (at least a
 * byte; none only at the end) rather than waiting for a full buffer. */
void scarce__source_once(scarce__source *source);

/* The same over bytes in memory, which must outlive the source. */
scarce_status scarce__source_memory(scarce__source **out, const void *bytes, size_t n, const char *name,
                                    scarce_error *err);
void scarce__source_close(scarce__source *source);

/* Fills the buffer as far as it goes; *got < n only at the end. A truncated or damaged .gz/.zst, a
 * directory or a failing disk is EIO with the file's name in the text. */
scarce_status scarce__source_read(scarce__source *source, void *buffer, size_t n, size_t *got,
                                  scarce_error *err);

/* The same, a plain file being copied by several threads. */
scarce_status scarce__source_read_shared(scarce__source *source, void *buffer, size_t n, size_t *got,
                                         scarce__pool *pool, scarce_error *err);

/* Back to the first byte. What came through a pipe was kept aside in an unnamed temporary file. */
scarce_status scarce__source_rewind(scarce__source *source, scarce_error *err);

int scarce__source_is_packed(const scarce__source *source);
const char *scarce__source_name(const scarce__source *source); /* the path, or "stdin" */

/* Bytes of the file as it is stored (packed bytes where it is packed): all of it, 0 when not known,
 * and what was taken so far. */
uint64_t scarce__source_size(const scarce__source *source);
uint64_t scarce__source_position(const scarce__source *source);

#endif
