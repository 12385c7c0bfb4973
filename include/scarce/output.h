/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a file so that it appears whole or not at all.
 *
 *     scarce_output_open(&out, "alerts.csv", &err);       "-": standard output
 *     scarce_output_write(out, line, n, &err);            as often as needed; buffered
 *     scarce_output_commit(out, &err);                    or scarce_output_abort(out)
 *
 * Bytes go to a temporary file beside the target, which commit syncs and renames: until then an older
 * file of that name stays as it was. Every failure (full disk, closed pipe) is EIO with the path and
 * the system's words; a failed commit leaves nothing behind. Both commit and abort free the handle. */
#ifndef SCARCE_OUTPUT_H
#define SCARCE_OUTPUT_H

#include <scarce/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scarce__outfile scarce_output;

SCARCE_API scarce_status scarce_output_open(scarce_output **out, const char *path, scarce_error *err);
SCARCE_API scarce_status scarce_output_write(scarce_output *output, const void *bytes, size_t n,
                                             scarce_error *err);
/* What was written is handed to the system: a full disk shows now. For several files that belong together: write all,
 * flush all, then commit all. */
SCARCE_API scarce_status scarce_output_flush(scarce_output *output, scarce_error *err);
SCARCE_API scarce_status scarce_output_commit(scarce_output *output, scarce_error *err);
SCARCE_API void scarce_output_abort(scarce_output *output); /* takes NULL */

#ifdef __cplusplus
}
#endif
#endif
