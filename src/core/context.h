/* SPDX-License-Identifier: Apache-2.0 */
/* What a scarce_context holds, for the library itself. Every function takes a NULL context as
 * "one thread, seed 1, silent". */
#ifndef SCARCE_CORE_CONTEXT_H
#define SCARCE_CORE_CONTEXT_H

#include <scarce/base.h>

#include "core/fail.h"
#include "core/pool.h"

scarce__pool *scarce__context_pool(const scarce_context *ctx);

/* Of a context that nobody else has: the lane of a member, which has a seed of its own. */
void scarce__context_reseed(scarce_context *ctx, uint64_t seed);

/* Nonzero when the user wants to stop. */
int scarce__progress(const scarce_context *ctx, const scarce_progress *progress);

void scarce__log(const scarce_context *ctx, scarce_log_level level, const char *format, ...)
    SCARCE__PRINTF(3, 4);

#endif
