/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of every resampler fails once, with all later ones, on numbers, on a mixed table and on sparse
 * columns; into a new table and in place. */
#include <scarce/resample.h>

#include "unit/resample_tables.h"

#include "oom/walk.h"

#ifdef SCARCE_FAULTS
static const scarce_table *table;
static scarce_context *ctx;
static const char *spec;

static scarce_status fresh(scarce_error *err)
{
    scarce_table *t = NULL;
    uint8_t *flags = NULL;
    const scarce_status st = scarce_resample(&t, &flags, NULL, table, spec, ctx, err);
    CHECK((st == SCARCE_OK) == (t != NULL) && (st == SCARCE_OK) == (flags != NULL));
    scarce_table_free(t);
    scarce_resample_flags_free(flags);
    return st;
}

static scarce_status in_place(scarce_error *err)
{
    scarce_view_options all = SCARCE_VIEW_OPTIONS_INIT;
    scarce_table *t = NULL;
    scarce_status st = scarce_table_view(&t, table, &all, err);
    if (st == SCARCE_OK) st = scarce_resample_take(&t, NULL, NULL, spec, ctx, err);
    scarce_table_free(t);
    return st;
}

static void test_every_method(void)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    o.threads = 2;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    for (int kind = PLAIN; kind <= LISTED; ++kind) {
        scarce_table *t = resample_table(kind, 90, 21);
        table = t;
        for (size_t i = 0; i < scarce_resample_count(); ++i) {
            spec = scarce_resample_get(i).name;
            oom_walk(spec, fresh);
            oom_walk(spec, in_place);
        }
        spec = "svm-smote:kernel=rbf";
        oom_walk(spec, fresh);
        scarce_table_free(t);
    }
    scarce_context_free(ctx);
}

static const test_case tests[] = {{"every_method", test_every_method}};
TEST_MAIN(tests)
#else
int main(void)
{
    return 77;
}
#endif
