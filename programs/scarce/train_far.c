/* SPDX-License-Identifier: Apache-2.0 */
/* Training from files that do not fit in memory (<scarce/scale.h>): they are read twice, block by block. The first look finds
 * the bins, the second leaves every row as some bytes in a temporary file without a name. */
#include <string.h>
#include <sys/stat.h>

#include "program.h"

typedef struct pass {
    scarce_sketch *sketch;       /* the first one */
    scarce_partition *partition; /* the second one */
    uint64_t rows;
} pass;

static scarce_status take_block(void *payload, const scarce_table *block, scarce_context *ctx,
                                scarce_error *err)
{
    pass *p = payload;
    scarce_status st = p->sketch ? scarce_sketch_add(p->sketch, block, NULL, p->rows, err)
                                 : scarce_partition_add(p->partition, block, NULL, p->rows, ctx, err);
    p->rows += scarce_table_rows(block);
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

scarce_status read_far(far_rows *out, const text_list *paths, const data_options *data,
                       const scarce_params *params, const char *folder, scarce_context *ctx,
                       scarce_error *err)
{
    pass first = {NULL, NULL, 0}, second = {NULL, NULL, 0};
    scarce_status st = check_paths(paths, err);

    memset(out, 0, sizeof *out);
    if (st == SCARCE_OK) st = scarce_sketch_new(&first.sketch, err);
    if (st == SCARCE_OK) st = for_each_block(paths, data, NULL, "look", 0, take_block, &first, ctx, err);
    if (st == SCARCE_OK) st = scarce_plan_new(&out->plan, first.sketch, params, ctx, err);
    scarce_sketch_free(first.sketch);
    if (st == SCARCE_OK) st = scarce_partition_new(&out->partition, out->plan, folder, err);
    second.partition = out->partition;
    if (st == SCARCE_OK)
        st = for_each_block(paths, data, NULL, "read", first.rows, take_block, &second, ctx, err);
    if (st == SCARCE_OK && second.rows != first.rows)
        st = fail_with(err, SCARCE_EDATA, "the files changed while they were read: %llu rows, then %llu",
                       (unsigned long long)first.rows, (unsigned long long)second.rows);
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
