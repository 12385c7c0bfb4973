/* SPDX-License-Identifier: Apache-2.0 */
/* Threads from affinity and quotas: files of a made-up control group, and the affinity of this very process. */
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <scarce/base.h>

#include "core/cpu.h"
#include "core/threads.h"
#include "test.h"

static char root[] = "/tmp/scarce-quota-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    if (!f) abort();
    fputs(text, f);
    fclose(f);
}

static void drop(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", root, name);
    unlink(path);
}

static void test_quota(void)
{
    static const struct {
        const char *text;
        int cores;
    } cases[] = {{"200000 100000\n", 2},
                 {"150000 100000\n", 2},
                 {"10000 100000\n", 1},
                 {"max 100000\n", 0},
                 {"100000 100000\n", 1},
                 {"nonsense\n", 0},
                 {"", 0},
                 {"5 0\n", 0},
                 {"1e18 1\n", 1024}};
    char folder[64];

    if (!mkdtemp(root)) abort();
    CHECK(scarce__quota_cores(root) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        put("cpu.max", cases[i].text);
        CHECK(scarce__quota_cores(root) == cases[i].cores);
    }
    drop("cpu.max");
    snprintf(folder, sizeof folder, "%s/cpu", root);
    mkdir(folder, 0700);
    put("cpu/cpu.cfs_quota_us", "-1\n");
    put("cpu/cpu.cfs_period_us", "100000\n");
    CHECK(scarce__quota_cores(root) == 0);
    put("cpu/cpu.cfs_quota_us", "250000\n");
    CHECK(scarce__quota_cores(root) == 3);
    drop("cpu/cpu.cfs_quota_us");
    drop("cpu/cpu.cfs_period_us");
    rmdir(folder);
    rmdir(root);
}

static void test_affinity(void)
{
    cpu_set_t all, one;
    size_t first = 0;
    scarce_context *ctx = NULL;

    CHECK(scarce_default_threads() >= 1);
    if (sched_getaffinity(0, sizeof all, &all) != 0) return;
    CHECK(scarce_default_threads() <= CPU_COUNT(&all));
    while (first < CPU_SETSIZE && !CPU_ISSET(first, &all)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return;
    CHECK(scarce_default_threads() == 1);
    CHECK(scarce_context_new(&ctx, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_context_threads(ctx) == 1);
    scarce_context_free(ctx);
    sched_setaffinity(0, sizeof all, &all);
}

static void test_cpu(void)
{
    const unsigned can = scarce__cpu();
    CHECK(can == scarce__cpu());
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    CHECK(!(can & SCARCE__CPU_POPCNT) == !__builtin_cpu_supports("popcnt"));
    CHECK(!(can & SCARCE__CPU_AVX2) == !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                                         __builtin_cpu_supports("bmi2")));
    CHECK(!(can & SCARCE__CPU_AVX512) ==
          !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")));
#else
    CHECK(can == 0);
#endif
}

static const test_case tests[] = {{"quota", test_quota}, {"affinity", test_affinity}, {"cpu", test_cpu}};
TEST_MAIN(tests)
