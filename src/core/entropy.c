/* SPDX-License-Identifier: Apache-2.0 */
#include "core/entropy.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "core/files.h"
#include "core/random.h"

#if defined(__linux__)
#include <sys/random.h>
static int from_system(uint64_t *out)
{
    return getrandom(out, sizeof *out, GRND_NONBLOCK) == (ssize_t)sizeof *out;
}
#else
static int from_system(uint64_t *out)
{
    (void)out;
    return 0;
}
#endif

static int from_device(uint64_t *out)
{
    const int fd = scarce__open("/dev/urandom", O_RDONLY, 0);
    int good;

    if (fd < 0) return 0;
    good = scarce__read_full(fd, out, sizeof *out) == (ssize_t)sizeof *out;
    (void)close(fd);
    return good;
}

uint64_t scarce__entropy(void)
{
    struct timespec now = {0, 0};
    uint64_t bits;

    if (from_system(&bits) || from_device(&bits)) return bits;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    bits = scarce__mix64((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
    return scarce__mix64(bits ^ (uint64_t)getpid() ^ ((uint64_t)(uintptr_t)&now << 16));
}

/* The one thing here that outlives a call. No result depends on it; a dictionary of its own key each would
 * cost a system call per block of a file. */
static _Atomic uint64_t process_key;

uint64_t scarce__process_key(void)
{
    uint64_t key = atomic_load_explicit(&process_key, memory_order_relaxed), expected = 0;

    if (key) return key;
    key = scarce__entropy() | 1;
    return atomic_compare_exchange_strong(&process_key, &expected, key) ? key : expected;
}
