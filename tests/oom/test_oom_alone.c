/* SPDX-License-Identifier: Apache-2.0 */
/* One allocation fails and all others succeed: training with validation rows ends with ENOMEM, or gives the very
 * bytes it gives without the failure. (A metric that could not be computed was once taken for one that is
 * undefined, and the training went on to another model.) */
#include <scarce/model.h>

#include "oom/walk.h"
#include "unit/method_tables.h"

#ifdef SCARCE_FAULTS

enum { ROWS = 60, STAGES = 3 };

typedef struct job {
    scarce_table *table, *valid;
    scarce_context *ctx;
    size_t method;
    const char *metric;
    int early_stop;
} job;

static scarce_status train(const job *j, void **bytes, size_t *n, scarce_error *err)
{
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_model *m = NULL;
    scarce_status st;
    scarce_params *params = params_of(j->method, STAGES, &st, err);

    *bytes = NULL;
    o.valid = j->valid;
    o.metric = j->metric;
    o.early_stop = j->early_stop;
    if (!st) st = scarce_train(&m, j->table, params, &o, NULL, j->ctx, err);
    if (!st) st = scarce_model_bytes(bytes, n, m, err);
    scarce_model_free(m);
    scarce_params_free(params);
    return st;
}

static void walk(const job *j)
{
    scarce_error err = SCARCE_ERROR_INIT;
    void *want = NULL, *got = NULL;
    size_t n_want = 0, n_got = 0, refused = 0;

    scarce__alloc_fail_at(0);
    CHECK(train(j, &want, &n_want, &err) == SCARCE_OK);
    const size_t count = scarce__alloc_count();
    for (size_t n = 1; n <= count; n = oom_next(n, count)) {
        scarce__alloc_fail_at(n);
        const scarce_status st = train(j, &got, &n_got, &err);
        scarce__alloc_fail_at(0);
        const int same = st == SCARCE_OK && n_got == n_want && memcmp(got, want, n_want) == 0;
        if (st == SCARCE_ENOMEM) ++refused;
        else if (!same) {
            fprintf(stderr, "method %s, metric %s, allocation %zu of %zu: status %d, another model\n",
                    scarce_method_get(j->method).name, j->metric, n, count, (int)st);
            ++test_failures;
        }
        scarce_bytes_free(got);
        got = NULL;
    }
    CHECK(refused > 0);
    scarce_bytes_free(want);
}

static void test_alone(void)
{
    static const char *const methods[] = {"gb", "ap-lb", "rankboost"}, *const metrics[] = {"ap", "log_loss"};
    job j = {0};

    CHECK(scarce_context_new(&j.ctx, NULL, NULL) == SCARCE_OK);
    j.table = make_table_of(TABLE_PAYMENTS, ROWS, 1, NULL);
    j.valid = make_table_of(TABLE_PAYMENTS, ROWS, 2, j.table);
    CHECK(j.table && j.valid);
    for (size_t m = 0; m < 3; ++m)
        for (size_t k = 0; k < 2; ++k) {
            j.method = scarce_method_find(methods[m]);
            j.metric = metrics[k];
            j.early_stop = k == 0 ? 1 : 0;
            if (strcmp(methods[m], "gb") == 0 || k == 0) walk(&j);
        }
    scarce_table_free(j.table);
    scarce_table_free(j.valid);
    scarce_context_free(j.ctx);
}

#else

static void test_alone(void)
{
}

#endif

static const test_case tests[] = {{"alone", test_alone}};
TEST_MAIN(tests)
