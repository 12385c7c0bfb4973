/* SPDX-License-Identifier: Apache-2.0 */
/* Folds of protocols for callers: rows, and when they are. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <scarce/study.h>

#include "core/fail.h"
#include "study/compare.h"
#include "study/protocol.h"

/* The plan's bounds, cut to where there are rows. */
static scarce_fold_times times_of(const scarce__folds *folds, size_t i)
{
    const scarce__fold_times w = scarce__fold_when(folds, i);
    scarce_fold_times t = {w.from, w.train_end, w.test_from, w.test_end};

    if (t.train_from < folds->first) t.train_from = folds->first;
    if (t.test_end > folds->last) t.test_end = nextafter(folds->last, INFINITY);
    return t;
}

scarce_fold_times scarce_compare_times(const scarce_compare *compare, size_t fold)
{
    return times_of(&compare->folds, fold);
}

void scarce_fold_deinit(scarce_fold *fold)
{
    if (!fold) return;
    scarce__fold f = {fold->train, fold->valid, fold->test, 0, 0, 0};
    scarce__fold_deinit(&f);
    memset(fold, 0, sizeof *fold);
}

scarce_status scarce_fold_make(scarce_fold *out, const scarce_table *table, const char *protocol, size_t fold,
                               int purge_known, const scarce_context *ctx, scarce_error *err)
{
    scarce__folds folds;
    scarce__fold rows;
    scarce_status st;

    memset(out, 0, sizeof *out);
    memset(&rows, 0, sizeof rows);
    if (fold == SIZE_MAX) return scarce__fail(err, SCARCE_EINVAL, "there is no such fold");
    SCARCE__TRY(scarce__folds_make(&folds, table, protocol, fold + 1, purge_known, ctx, err));
    if (fold < folds.count) st = scarce__fold_rows(&rows, &folds, table, fold, ctx, err);
    else
        st = scarce__fail(err, SCARCE_EINVAL, "fold %zu of %.80s: it has %zu", fold + 1, protocol,
                          folds.count);
    if (st == SCARCE_OK) {
        const scarce_fold made = {rows.train,
                                  rows.valid,
                                  rows.test,
                                  rows.n_train,
                                  rows.n_valid,
                                  rows.n_test,
                                  folds.kind == SCARCE__PROTOCOL_WINDOWS ? folds.count : SIZE_MAX,
                                  times_of(&folds, fold)};
        *out = made;
    }
    scarce__folds_deinit(&folds);
    return st;
}
