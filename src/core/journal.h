/* SPDX-License-Identifier: Apache-2.0 */
/* A file of lines that survives interruptions: work that is finished is added to it, line by line, and a later run
 * goes on from there. The first line (the header) says whose it is. What is promised:
 *
 *  - a file that does not begin with the header is somebody else's: it is refused before a byte of it is changed;
 *  - a line is added whole or not at all; half a line that a power cut left at the end is cut off first;
 *  - a lock keeps several processes from adding at a time; signals disturb nothing;
 *  - reading takes memory for one line, whatever the file is.
 *
 * Whether a line is right inside is the caller's business: lines carry a check word. */
#ifndef SCARCE_CORE_JOURNAL_H
#define SCARCE_CORE_JOURNAL_H

#include <scarce/base.h>

#include "core/text.h"

/* A line, without its newline, 0-terminated and the caller's to change. */
typedef scarce_status scarce__journal_line(void *arg, char *line, scarce_error *err);

/* Calls `line` for every whole line after the header. `header` ends in a newline; `what` names the lines in a message
 * ("results"). A file that isn't there, or is empty, is made when `create` is set (whether it can be written shows
 * before work begins), and holds nothing otherwise. EDATA: not a file of ours. */
scarce_status scarce__journal_read(const char *path, const char *header, const char *what, int create,
                                   scarce__journal_line *line, void *arg, scarce_error *err);

/* Adds a line, which ends in a newline, to the file, which is made where it isn't there. */
scarce_status scarce__journal_add(const char *path, const char *header, const char *what,
                                  const scarce__text *line, scarce_error *err);

#endif
