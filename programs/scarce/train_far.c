/* SPDX-License-Identifier: Apache-2.0 */
/* Training from files that do not fit in memory (<scarce/scale.h>): they are read twice, block by block. The first look finds
 * the bins, the second leaves every row as some bytes in a temporary file without a name. Rows that are held out for
 * validation (far_valid.c) go to a table in memory instead. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "program.h"

typedef struct pass {
    scarce_sketch *sketch;       /* the first one */
    scarce_partition *partition; /* the second one */
    const scarce_plan *plan;
    scarce_table **valid;
    const held_out *held;
    uint64_t rows;    /* that are learnt from */
    uint64_t all;     /* these and validation rows */
    uint32_t *row[2]; /* room for the rows of a block: learnt from, held out */
    uint64_t *before; /* and how many rows are learnt from before each of the latter */
    size_t room;
} pass;

static scarce_status learn_from(pass *p, const scarce_table *rows, scarce_context *ctx, scarce_error *err)
{
    const scarce_status st = p->sketch ? scarce_sketch_add(p->sketch, rows, NULL, p->rows, err)
                                       : scarce_partition_add(p->partition, rows, NULL, p->rows, ctx, err);
    p->rows += scarce_table_rows(rows);
    return st;
}

static scarce_status keep_for_validation(pass *p, const scarce_table *rows, scarce_error *err)
{
    return p->sketch ? scarce_sketch_know(p->sketch, rows, p->before, err)
                     : scarce_plan_gather(p->valid, p->plan, rows, err);
}

static scarce_status make_room(pass *p, size_t n, scarce_error *err)
{
    if (n <= p->room) return SCARCE_OK;
    for (int side = 0; side < 2; ++side) {
        uint32_t *more = realloc(p->row[side], n * sizeof *more);
        if (!more) return fail_with(err, SCARCE_ENOMEM, "out of memory");
        p->row[side] = more;
    }
    uint64_t *before = realloc(p->before, n * sizeof *before);
    if (!before) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    p->before = before;
    p->room = n;
    return SCARCE_OK;
}

/* A block's rows go to two sides; most blocks are of one side alone, where files are in the order of time. */
static scarce_status take_block(void *payload, const scarce_table *block, scarce_context *ctx,
                                scarce_error *err)
{
    pass *p = payload;
    const size_t rows = scarce_table_rows(block);
    scarce_table *part[2] = {NULL, NULL};
    size_t n[2] = {0, 0};
    scarce_status st = make_room(p, rows, err);

    for (size_t i = 0; i < rows && st == SCARCE_OK; ++i) {
        const int side = is_held_out(p->held, block, i, p->all + i);
        if (side) p->before[n[1]] = p->rows + n[0];
        p->row[side][n[side]++] = (uint32_t)i;
    }
    for (int side = 0; side < 2 && st == SCARCE_OK; ++side)
        if (n[side] && n[side] < rows)
            st = scarce_table_rows_of(&part[side], block, p->row[side], n[side], ctx, err);
    if (st == SCARCE_OK && n[1]) st = keep_for_validation(p, part[1] ? part[1] : block, err);
    if (st == SCARCE_OK && n[0]) st = learn_from(p, part[0] ? part[0] : block, ctx, err);
    p->all += rows;
    scarce_table_free(part[0]);
    scarce_table_free(part[1]);
    return st;
}

static void forget_pass(pass *p)
{
    scarce_sketch_free(p->sketch);
    free(p->row[0]);
    free(p->row[1]);
    free(p->before);
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
                       const scarce_params *params, const char *folder, double valid_fraction,
                       scarce_context *ctx, scarce_error *err)
{
    held_out held = {0};
    pass first = {.held = &held}, second = {.held = &held, .valid = &out->valid};
    scarce_status st = check_paths(paths, err);

    memset(out, 0, sizeof *out);
    if (st == SCARCE_OK && valid_fraction > 0) st = hold_out(&held, paths, data, valid_fraction, ctx, err);
    if (st == SCARCE_OK) st = scarce_sketch_new(&first.sketch, err);
    if (st == SCARCE_OK)
        st = for_each_block(paths, data, NULL, "look", held.rows, take_block, &first, ctx, err);
    if (st == SCARCE_OK) st = scarce_plan_new(&out->plan, first.sketch, params, ctx, err);
    forget_pass(&first);
    if (st == SCARCE_OK) st = scarce_partition_new(&out->partition, out->plan, folder, err);
    second.partition = out->partition;
    second.plan = out->plan;
    if (st == SCARCE_OK)
        st = for_each_block(paths, data, NULL, "read", first.all, take_block, &second, ctx, err);
    forget_pass(&second);
    if (st == SCARCE_OK && (second.all != first.all || second.rows != first.rows))
        st = fail_with(err, SCARCE_EDATA, "the files changed while they were read: %llu rows, then %llu",
                       (unsigned long long)first.all, (unsigned long long)second.all);
    forget_held_out(&held);
    return st;
}

void forget_far(far_rows *rows)
{
    scarce_partition_free(rows->partition);
    scarce_plan_free(rows->plan);
    scarce_table_free(rows->valid);
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
