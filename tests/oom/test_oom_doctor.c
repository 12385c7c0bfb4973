/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of the doctor fails once, on a table with all roles and kinds of columns, copies, leaks
 * and contradictions: ENOMEM, no doctor, nothing leaked. */
#include "oom/walk.h"
#include "unit/doctors.h"

#ifdef SCARCE_FAULTS

static scarce_table *table, *sparse;
static scarce_context *ctx;
static const char *protocol;

static scarce_status run_on(const scarce_table *t, scarce_error *err)
{
    scarce_doctor_options o = SCARCE_DOCTOR_OPTIONS_INIT;
    scarce_doctor *d = NULL;
    o.protocol = protocol;
    const scarce_status st = scarce_doctor_run(&d, t, &o, ctx, err);
    CHECK(!st == (d != NULL));
    if (d) CHECK(scarce_doctor_findings(d) > 5);
    scarce_doctor_free(d);
    return st;
}

static scarce_status dense(scarce_error *err)
{
    return run_on(table, err);
}

static scarce_status few(scarce_error *err)
{
    return run_on(sparse, err);
}

static void test_doctor(void)
{
    scarce__text csv = SCARCE__TEXT_INIT, svm = SCARCE__TEXT_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT, so = SCARCE_READ_OPTIONS_INIT;

    ro.time = "when", ro.group = "who", ro.weight = "w", ro.amount = "a";
    so.format = SCARCE_FORMAT_LIBSVM;
    scarce__text_add(&csv, "x,y,leak,kind,name,empty,one,when,who,w,a,label\n");
    for (int i = 0; i < 400; ++i) {
        const int y = scarce__hash(5, (uint64_t)i) % 8 == 0;
        scarce__text_addf(&csv, "%d,%d,%d,k%d,n%d,,3,%d,g%d,%d,%d,%d\n", i % 4, 10 * (i % 4), y, i % 4, i,
                          90000 * i, i % 9, i % 5, i == 7 ? -1 : i, y);
        scarce__text_addf(&svm, "%d 1:%d 3:%d 4:%d 5:%d\n", y, 1 + i % 2, y, 2 + i % 2, i % 90 == 0);
    }
    table = table_of(&csv, &ro);
    sparse = table_of(&svm, &so);
    protocol = "cv:3";
    oom_walk("doctor", dense);
    oom_walk("doctor, sparse", few);
    protocol = "temporal:train=100d,gap=10d,test=30d";
    oom_walk("doctor by time", dense);
    ctx = doctor_context(2);
    protocol = "holdout:0.3";
    oom_walk("doctor with threads", dense);
    scarce_context_free(ctx);
    scarce_table_free(table);
    scarce_table_free(sparse);
}

static const test_case tests[] = {{"doctor", test_doctor}};
TEST_MAIN(tests)
#else
int main(void)
{
    return 0;
}
#endif
