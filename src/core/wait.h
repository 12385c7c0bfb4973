/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a pipe that says nothing, without going deaf to the user who wants to stop. */
#ifndef SCARCE_CORE_WAIT_H
#define SCARCE_CORE_WAIT_H

#include "core/context.h"

/* Opens for reading. A pipe with a name is open at once, whether or not somebody writes to it; its first bytes
 * are then waited for by scarce__wait_readable. -1 and errno on failure. */
int scarce__open_to_wait(const char *path);

/* Until a read of the descriptor returns at once (bytes, the end, an error); meanwhile `progress` is told some
 * five times a second. ECANCEL when it asks to stop, with the file's name. */
scarce_status scarce__wait_readable(int fd, const char *name, const scarce_progress *progress,
                                    const scarce_context *ctx, scarce_error *err);

#endif
