/* SPDX-License-Identifier: Apache-2.0 */
/* A scenario runs again and again, each time with one more allocation that succeeds before all fail. Each
 * time it must say ENOMEM (or succeed, where an allocation is a mere help) and leak nothing; the address
 * sanitizer sees what leaks. Scenarios check what they give back themselves. */
#ifndef SCARCE_OOM_WALK_H
#define SCARCE_OOM_WALK_H

#include <scarce/base.h>

#include "core/alloc.h"
#include "test.h"

#ifdef SCARCE_FAULTS

typedef scarce_status (*oom_scenario)(scarce_error *err);

/* Every one of the first 500 allocations, later ones by strides: loops repeat what was tried already. */
static inline size_t oom_next(size_t n, size_t count)
{
    const size_t left = count > 500 ? count - 500 : 0;
    return n < 500 || count <= 2000 ? n + 1 : n + 1 + left / 500;
}

static inline void oom_walk(const char *name, oom_scenario run)
{
    scarce_error err = SCARCE_ERROR_INIT;
    const int before = test_failures;
    size_t count, refused = 0;

    scarce__alloc_fail_from(0);
    CHECK(run(&err) == SCARCE_OK);
    if (err.code != SCARCE_OK) fprintf(stderr, "%s: %s\n", name, err.text);
    scarce__alloc_fail_from(0);
    CHECK(run(&err) == SCARCE_OK); /* what is made once is made now */
    count = scarce__alloc_count();
    CHECK(count > 0);
    for (size_t n = 1; n <= count; n = oom_next(n, count)) {
        err.code = SCARCE_OK;
        err.text[0] = '\0';
        scarce__alloc_fail_from(n);
        const scarce_status st = run(&err);
        scarce__alloc_fail_from(0);
        if (st == SCARCE_OK) continue;
        ++refused;
        if (st == SCARCE_ENOMEM && err.code == SCARCE_ENOMEM && strstr(err.text, "out of memory")) continue;
        fprintf(stderr, "%s, allocation %zu of %zu: status %d, \"%s\"\n", name, n, count, (int)st, err.text);
        ++test_failures;
    }
    CHECK(refused > 0);
    CHECK(run(&err) == SCARCE_OK); /* and nothing was spoilt */
    if (test_failures != before) fprintf(stderr, "in scenario %s of %zu allocations\n", name, count);
}

#endif
#endif
