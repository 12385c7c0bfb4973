/* SPDX-License-Identifier: Apache-2.0 */
#include "core/context.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/options.h"

struct scarce_context {
    scarce_context_options options;
    scarce__pool *pool;
};

scarce_status scarce_context_new(scarce_context **out, const scarce_context_options *options,
                                 scarce_error *err)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_CONTEXT_OPTIONS_INIT, err));
    if (o.threads < 0 || o.threads > 1024)
        return scarce__fail(err, SCARCE_EINVAL, "threads is %d, allowed are 0 (all cores) to 1024",
                            o.threads);
    ctx = scarce__calloc(1, sizeof *ctx);
    if (!ctx) return scarce__fail_memory(err, "a context", 0);
    ctx->options = o;
    if (scarce__pool_new(&ctx->pool, o.threads, err) != SCARCE_OK) {
        scarce__free(ctx);
        return SCARCE_ENOMEM;
    }
    *out = ctx;
    return SCARCE_OK;
}

void scarce_context_free(scarce_context *ctx)
{
    if (!ctx) return;
    scarce__pool_free(ctx->pool);
    scarce__free(ctx);
}

int scarce_context_threads(const scarce_context *ctx)
{
    return ctx ? scarce__pool_threads(ctx->pool) : 1;
}

uint64_t scarce_context_seed(const scarce_context *ctx)
{
    return ctx ? ctx->options.seed : 1;
}

void scarce__context_reseed(scarce_context *ctx, uint64_t seed)
{
    if (ctx) ctx->options.seed = seed;
}

scarce__pool *scarce__context_pool(const scarce_context *ctx)
{
    return ctx ? ctx->pool : NULL;
}

int scarce__progress(const scarce_context *ctx, const scarce_progress *progress)
{
    if (!ctx || !ctx->options.progress) return 0;
    return ctx->options.progress(ctx->options.payload, progress);
}

void scarce__log(const scarce_context *ctx, scarce_log_level level, const char *format, ...)
{
    char line[1024];
    va_list args;

    if (!ctx || !ctx->options.log) return;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ctx->options.log(ctx->options.payload, level, line);
}
