/* SPDX-License-Identifier: Apache-2.0 */
/* The least of: what the kernel calls available, what a control group (version 2 or 1) leaves below its
 * limit, and what scarce_memory_limit does. Elsewhere than on Linux: half of the physical memory. */
#include "core/memory.h"

#include <stdio.h>
#include <unistd.h>

#include "core/alloc.h"

/* The number behind `key` in a file ("": the first one); -1: none, or "max". */
static double number_in(const char *path, const char *key)
{
    FILE *file = fopen(path, "rb");
    char line[256], format[64];
    double value = -1;
    unsigned long long n;

    if (!file) return -1;
    snprintf(format, sizeof format, "%s%%llu", key);
    while (value < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, format, &n) == 1) value = (double)n;
    fclose(file);
    return value;
}

static void lower(double *least, double limit, double used)
{
    const double left = limit - (used > 0 ? used : 0);
    if (limit >= 0 && left < *least) *least = left > 0 ? left : 0;
}

double scarce__memory_available(void)
{
    const double kilobytes = number_in("/proc/meminfo", "MemAvailable: ");
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    double least = kilobytes >= 0 ? 1024 * kilobytes : pages > 0 ? 0.5 * (double)pages * (double)page : 1e18;

    lower(&least, number_in("/sys/fs/cgroup/memory.max", ""), number_in("/sys/fs/cgroup/memory.current", ""));
    lower(&least, number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", ""),
          number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes", ""));
    lower(&least, scarce__memory_limit() > 0 ? scarce__memory_limit() : -1, scarce__memory_used());
    return least;
}
