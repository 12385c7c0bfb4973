/* SPDX-License-Identifier: Apache-2.0 */
/* Files that memory can't hold are read block by block. */
#include <string.h>
#include <sys/stat.h>

#include "program.h"

/* Text becomes about as many bytes of floats and codes, and training takes some more. */
int too_large(const text_list *paths)
{
    const double limit = memory_limit();
    double bytes = 0;

    for (size_t i = 0; i < paths->count; ++i) {
        struct stat info;
        const char *path = paths->items[i];
        const size_t n = strlen(path);
        const int packed =
            (n > 3 && strcmp(path + n - 3, ".gz") == 0) || (n > 4 && strcmp(path + n - 4, ".zst") == 0);
        if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
        bytes += (packed ? 4.0 : 1.0) * (double)info.st_size;
    }
    return limit < 1e300 && bytes > 0.4 * limit;
}

/* As many threads, and no progress of its own: blocks are read by the thousand. */
static scarce_status quiet_context(scarce_context **out, const scarce_context *like, scarce_error *err)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    o.threads = scarce_context_threads(like);
    o.seed = scarce_context_seed(like);
    return scarce_context_new(out, &o, err);
}

static scarce_status fail_left_out(const char *why, int by_model, scarce_error *err)
{
    if (by_model) return fail_with(err, SCARCE_EDATA, "%.400s", why);
    return fail_with(
        err, SCARCE_EDATA,
        "%.300s (in a file that is read block by block its first 256 KB say what a column holds: "
        "declare it with --categorical or --numeric, or fix the row)",
        why);
}

static scarce_status read_all(scarce_stream *stream, const char *stage, uint64_t of, block_taker take,
                              void *payload, scarce_context *quiet, scarce_error *err)
{
    scarce_table *block = NULL;
    uint64_t rows = 0;
    scarce_status st;

    while ((st = scarce_stream_next(stream, &block, err)) == SCARCE_OK && block) {
        const scarce_progress progress = {
            stage, (double)(rows += scarce_table_rows(block)), (double)of, "rows", NULL, NULL, 0};
        if (!scarce_stream_left_out(stream, NULL)) st = take(payload, block, quiet, err);
        scarce_table_free(block);
        if (st != SCARCE_OK || scarce_stream_left_out(stream, NULL)) return st;
        if (talk_progress(NULL, &progress))
            return fail_with(err, SCARCE_ECANCEL, "interrupted while reading; nothing was written");
    }
    return st;
}

scarce_status for_each_block(const text_list *paths, const data_options *data, const scarce_schema *schema,
                             const char *stage, uint64_t of, block_taker take, void *payload,
                             const scarce_context *ctx, scarce_error *err)
{
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_stream *stream = NULL;
    scarce_context *quiet = NULL;
    const char *why = NULL;
    scarce_status st = set_read_options(&ro, data, schema, err);

    if (schema) ro.part = SCARCE_PART_CODED; /* rows to be scored */
    if (st == SCARCE_OK) st = quiet_context(&quiet, ctx, err);
    if (st == SCARCE_OK) st = scarce_stream_open(&stream, paths->items, paths->count, &ro, quiet, err);
    if (st == SCARCE_OK) st = read_all(stream, stage, of, take, payload, quiet, err);
    talk_clear();
    if (st == SCARCE_OK && scarce_stream_left_out(stream, &why)) st = fail_left_out(why, schema != NULL, err);
    scarce_stream_close(stream);
    scarce_context_free(quiet);
    return st;
}
