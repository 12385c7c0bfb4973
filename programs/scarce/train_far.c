/* SPDX-License-Identifier: Apache-2.0 */
/* Training from files that do not fit in memory (<scarce/scale.h>): they are read twice, block by block. The first look finds
 * the bins, the second leaves every row as some bytes in a temporary file without a name. */
#include <string.h>
#include <sys/stat.h>

#include "program.h"

/* Text becomes about as many bytes of floats and codes, and training takes some more. */
int needs_disk(const text_list *paths)
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

typedef struct pass {
    const char *stage;
    scarce_sketch *sketch;       /* the first one */
    scarce_partition *partition; /* the second one */
    uint64_t rows;
} pass;

static scarce_status take_block(pass *p, const scarce_table *block, scarce_context *ctx, scarce_error *err)
{
    scarce_status st = p->sketch ? scarce_sketch_add(p->sketch, block, NULL, p->rows, err)
                                 : scarce_partition_add(p->partition, block, NULL, p->rows, ctx, err);
    p->rows += scarce_table_rows(block);
    return st;
}

static scarce_status read_blocks(pass *p, const text_list *paths, const data_options *data, uint64_t of,
                                 scarce_context *ctx, scarce_error *err)
{
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_stream *stream = NULL;
    scarce_table *block = NULL;
    const char *why = NULL;
    int stop = 0;
    scarce_status st = set_read_options(&ro, data, NULL, err);

    if (st == SCARCE_OK) st = scarce_stream_open(&stream, paths->items, paths->count, &ro, ctx, err);
    while (st == SCARCE_OK && !stop) {
        st = scarce_stream_next(stream, &block, err);
        if (st != SCARCE_OK || !block) break;
        st = take_block(p, block, ctx, err);
        scarce_table_free(block);
        if (scarce_stream_left_out(stream, NULL)) break;
        const scarce_progress progress = {p->stage, (double)p->rows, (double)of, "rows", NULL, NULL, 0};
        stop = talk_progress(NULL, &progress);
    }
    talk_clear();
    if (st == SCARCE_OK && scarce_stream_left_out(stream, &why))
        st = fail_with(err, SCARCE_EDATA,
                       "%.300s (in a file that is read block by block its first 256 KB say what a column "
                       "holds: declare it "
                       "with --categorical or --numeric, or fix the row)",
                       why);
    scarce_stream_close(stream);
    if (st == SCARCE_OK && stop)
        st = fail_with(err, SCARCE_ECANCEL, "interrupted while reading; nothing was written");
    return st;
}

static scarce_status check_paths(const text_list *paths, scarce_error *err)
{
    for (size_t i = 0; i < paths->count; ++i) {
        struct stat info;
        if (strcmp(paths->items[i], "-") == 0 ||
            (stat(paths->items[i], &info) == 0 && !S_ISREG(info.st_mode)))
            return fail_with(
                err, SCARCE_EINVAL,
                "%.200s can't be read twice, which training from disk needs: write it to a file first",
                paths->items[i]);
    }
    return SCARCE_OK;
}

/* As many threads, and no progress of its own: blocks are read by the thousand. */
static scarce_status quiet_context(scarce_context **out, const scarce_context *like, scarce_error *err)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    o.threads = scarce_context_threads(like);
    o.seed = scarce_context_seed(like);
    return scarce_context_new(out, &o, err);
}

scarce_status read_far(far_rows *out, const text_list *paths, const data_options *data,
                       const scarce_params *params, const char *folder, scarce_context *ctx,
                       scarce_error *err)
{
    pass first = {"look", NULL, NULL, 0}, second = {"read", NULL, NULL, 0};
    scarce_context *quiet = NULL;
    scarce_status st = check_paths(paths, err);

    memset(out, 0, sizeof *out);
    if (st == SCARCE_OK) st = quiet_context(&quiet, ctx, err);
    if (st == SCARCE_OK) st = scarce_sketch_new(&first.sketch, err);
    if (st == SCARCE_OK) st = read_blocks(&first, paths, data, 0, quiet, err);
    if (st == SCARCE_OK) st = scarce_plan_new(&out->plan, first.sketch, params, ctx, err);
    scarce_sketch_free(first.sketch);
    if (st == SCARCE_OK) st = scarce_partition_new(&out->partition, out->plan, folder, err);
    second.partition = out->partition;
    if (st == SCARCE_OK) st = read_blocks(&second, paths, data, first.rows, quiet, err);
    if (st == SCARCE_OK && second.rows != first.rows)
        st = fail_with(err, SCARCE_EDATA, "the files changed while they were read: %llu rows, then %llu",
                       (unsigned long long)first.rows, (unsigned long long)second.rows);
    scarce_context_free(quiet);
    return st;
}

void forget_far(far_rows *rows)
{
    scarce_partition_free(rows->partition);
    scarce_plan_free(rows->plan);
    memset(rows, 0, sizeof *rows);
}

scarce_status train_far(scarce_model **model, const far_rows *rows, const scarce_params *params,
                        const scarce_train_options *options, scarce_train_summary *summary,
                        scarce_context *ctx, scarce_error *err)
{
    scarce_partition *const partitions[] = {rows->partition};
    const scarce_here here = {partitions, 1};
    const scarce_far far = scarce_far_here(&here);
    return scarce_train_far(model, rows->plan, params, options, &far, summary, ctx, err);
}
