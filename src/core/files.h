/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and reading files whatever signals arrive: a host whose handlers lack SA_RESTART must not see
 * "interrupted system call" for a file that is merely slow to open (a pipe with a name, a network). */
#ifndef SCARCE_CORE_FILES_H
#define SCARCE_CORE_FILES_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/text.h"

/* open() with O_CLOEXEC, begun again after a signal. */
int scarce__open(const char *path, int flags, mode_t mode);

/* A file in this folder (NULL: $TMPDIR or /tmp) that has no name, so that it is gone when it is closed or the process is; -1
 * and errno on failure. */
int scarce__open_nameless(const char *folder);

/* fopen(path, "rb"), the same way. */
FILE *scarce__fopen(const char *path);

/* As many of n bytes as there are before the end, at the file's own position; -1 and errno on failure. */
ssize_t scarce__read_full(int fd, void *to, size_t n);

/* All of a text file of at most `most` bytes ("-" is no standard input here); EIO with the path and the system's
 * words, EDATA for one that is larger or, being no file, without end. */
scarce_status scarce__read_text_file(scarce__text *out, const char *path, size_t most, scarce_error *err);

/* The file that writing to `path` means: symbolic links are followed, also those that point to a file which
 * isn't there yet. Freed by scarce__free; NULL: out of memory (errno ENOMEM), or a ring of links (ELOOP). */
char *scarce__follow_links(const char *path);

/* What an error number says to a user, or NULL. */
const char *scarce__io_reason(int number);

#endif
