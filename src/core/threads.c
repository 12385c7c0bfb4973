/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads are worth starting: the cores this process may run on (its affinity, which taskset and
 * schedulers of clusters set), and no more than a container's quota pays for. A container with a quota of two
 * cores on a machine of 64 gets two threads, not 64 that wait for each other. */
#include "core/threads.h"

#include <scarce/base.h>

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 1024 };

/* The first line of a file under `root`; 0 when there is none. */
static int line_of(char *line, int size, const char *root, const char *name)
{
    char path[PATH_MAX];
    FILE *file;
    int read;

    if (snprintf(path, sizeof path, "%s/%s", root, name) >= (int)sizeof path) return 0;
    file = fopen(path, "rb");
    if (!file) return 0;
    read = fgets(line, size, file) != NULL;
    fclose(file);
    return read;
}

int scarce__quota_cores(const char *root)
{
    char quota[64], period[64];
    double q, p, cores;

    if (line_of(quota, sizeof quota, root, "cpu.max")) {
        if (sscanf(quota, "%lf %lf", &q, &p) != 2) return 0; /* "max 100000" */
    } else {
        if (!line_of(quota, sizeof quota, root, "cpu/cpu.cfs_quota_us") ||
            !line_of(period, sizeof period, root, "cpu/cpu.cfs_period_us"))
            return 0;
        if (sscanf(quota, "%lf", &q) != 1 || sscanf(period, "%lf", &p) != 1) return 0;
    }
    if (!(q > 0) || !(p > 0)) return 0; /* -1: none */
    cores = q / p;
    if (cores >= MOST_THREADS) return MOST_THREADS;
    return cores <= 1 ? 1 : (int)cores + (cores > (int)cores);
}

/* Cores that the system lets this process run on; 0: not known. */
static int allowed_cores(void)
{
#if defined(__linux__)
    for (int n = MOST_THREADS; n <= 64 * MOST_THREADS; n *= 4) { /* machines may have more than a set holds */
        cpu_set_t *set = CPU_ALLOC((size_t)n);
        const size_t size = CPU_ALLOC_SIZE((size_t)n);
        int cores = -1;
        if (!set) return 0;
        if (sched_getaffinity(0, size, set) == 0) cores = CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (cores >= 0) return cores;
    }
#endif
    return 0;
}

int scarce_default_threads(void)
{
    const int quota = scarce__quota_cores("/sys/fs/cgroup"), allowed = allowed_cores();
    long cores = allowed > 0 ? allowed : sysconf(_SC_NPROCESSORS_ONLN);

    if (quota > 0 && quota < cores) cores = quota;
    return cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (int)cores;
}
