/* SPDX-License-Identifier: Apache-2.0 */
#include "core/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef SCARCE_FAULTS
#include <stdatomic.h>

static atomic_size_t counted;
static atomic_size_t fail_from, fail_to;

static void fail_between(size_t from, size_t to)
{
    atomic_store(&counted, 0);
    atomic_store(&fail_from, from);
    atomic_store(&fail_to, to);
}

void scarce__alloc_fail_from(size_t n)
{
    fail_between(n, SIZE_MAX);
}

void scarce__alloc_fail_at(size_t n)
{
    fail_between(n, n);
}

size_t scarce__alloc_count(void)
{
    return atomic_load(&counted);
}

static int must_fail(void)
{
    const size_t k = atomic_fetch_add(&counted, 1) + 1;
    const size_t from = atomic_load(&fail_from);
    return from != 0 && k >= from && k <= atomic_load(&fail_to);
}
#else
static int must_fail(void)
{
    return 0;
}
#endif

enum { HUGE_PAGE = 2 << 20 };

static int overflows(size_t count, size_t size)
{
    return size != 0 && count > (SIZE_MAX / 2) / size;
}

void *scarce__malloc(size_t size)
{
    if (must_fail() || size > SIZE_MAX / 2) return NULL;
    return malloc(size ? size : 1);
}

void *scarce__malloc_array(size_t count, size_t size)
{
    return overflows(count, size) ? NULL : scarce__malloc(count * size);
}

void *scarce__calloc(size_t count, size_t size)
{
    if (overflows(count, size) || must_fail()) return NULL;
    return count && size ? calloc(count, size) : calloc(1, 1);
}

void *scarce__realloc_array(void *old, size_t count, size_t size)
{
    if (overflows(count, size) || must_fail()) return NULL;
    return realloc(old, count && size ? count * size : 1);
}

char *scarce__strndup(const char *text, size_t length)
{
    char *copy = scarce__malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *scarce__strdup(const char *text)
{
    return scarce__strndup(text, strlen(text));
}

void scarce__free(void *block)
{
    free(block);
}

void *scarce__big_alloc(size_t count, size_t size)
{
    void *block = NULL;
    size_t bytes, align = 64;

    if (overflows(count, size) || must_fail()) return NULL;
    bytes = count * size;
    if (bytes == 0) bytes = 1;
    if (bytes >= 2 * (size_t)HUGE_PAGE) {
        align = HUGE_PAGE;
        bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    }
    if (posix_memalign(&block, align, bytes) != 0) return NULL;
#ifdef MADV_HUGEPAGE
    /* Advice only: without it everything works, about 1.6 times slower on scattered rows. */
    if (align == HUGE_PAGE) (void)madvise(block, bytes, MADV_HUGEPAGE);
#endif
    return block;
}
