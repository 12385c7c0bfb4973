/* SPDX-License-Identifier: Apache-2.0 */
/* The limit: once one is set, blocks are counted by what they really take (malloc_usable_size), and an
 * allocation that would go beyond it fails as if there were no memory. Without a limit nothing is counted, and
 * the question costs a load. A limit is set before there is much to count: a block
 * from before it is counted off when it is freed, though it was never counted. */
#include "core/alloc.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <scarce/base.h>

/* Of the process, like the memory itself; results don't depend on them. */
static atomic_size_t limit; /* 0: none */
static atomic_llong used;   /* may pass below 0 through blocks that were not counted */

#ifdef SCARCE_FAULTS

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

/* Freed large blocks, the latest last: whoever reads or trains again in one process takes them as they are,
 * where the system would clear each page anew (a fifth of the time of reading a CSV a second time). Bounded; pages of
 * theirs that nobody took back are the system's to reclaim (MADV_FREE). Under a limit, and where a sanitizer watches
 * over freed blocks, nothing is kept. Nobody waits for the lock: without it a block is allocated and freed as any other
 * (so a fork while another thread has it does no harm). */
enum { KEEP_BLOCKS = 64 };
#define KEEP_BYTES ((size_t)256 << 20)

typedef struct kept_block {
    void *block;
    size_t bytes;
} kept_block;

static pthread_mutex_t keep_lock = PTHREAD_MUTEX_INITIALIZER;
static kept_block kept[KEEP_BLOCKS];
static size_t n_kept, kept_bytes;

static void *take_kept(size_t k)
{
    void *block = kept[k].block;
    kept_bytes -= kept[k].bytes;
    memmove(kept + k, kept + k + 1, (--n_kept - k) * sizeof *kept);
    return block;
}

static void free_kept(void)
{
    if (pthread_mutex_trylock(&keep_lock) != 0) return;
    while (n_kept) free(take_kept(0));
    pthread_mutex_unlock(&keep_lock);
}

/* A kept block that holds `bytes` and not much more, the latest of the smallest; or NULL. A block has up to a huge page
 * behind it that nobody asked for nor touches: what aligning it left over, more or less by where it came to lie. */
static void *kept_of(size_t bytes)
{
    void *block = NULL;
    size_t best = SIZE_MAX;

    if (pthread_mutex_trylock(&keep_lock) != 0) return NULL;
    for (size_t k = 0; k < n_kept; ++k)
        if (kept[k].bytes >= bytes && kept[k].bytes <= bytes + bytes / 8 + HUGE_PAGE &&
            (best == SIZE_MAX || kept[k].bytes <= kept[best].bytes))
            best = k;
    if (best != SIZE_MAX) block = take_kept(best);
    pthread_mutex_unlock(&keep_lock);
    return block;
}

/* 1: the block is kept. The oldest make room. */
static int keep(void *block)
{
    const size_t bytes = malloc_usable_size(block);

    if (bytes < HUGE_PAGE || bytes > KEEP_BYTES || !SCARCE__KEEPS_BLOCKS) return 0;
    if (pthread_mutex_trylock(&keep_lock) != 0) return 0;
#ifdef MADV_FREE
    (void)madvise(block, bytes / 4096 * 4096, MADV_FREE);
#endif
    while (n_kept == KEEP_BLOCKS || kept_bytes + bytes > KEEP_BYTES) free(take_kept(0));
    kept[n_kept++] = (kept_block){block, bytes};
    kept_bytes += bytes;
    pthread_mutex_unlock(&keep_lock);
    return 1;
}

void scarce_memory_limit(double bytes)
{
    free_kept();
    atomic_store(&limit, bytes > 0 && bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : 0);
}

double scarce__memory_limit(void)
{
    return (double)atomic_load_explicit(&limit, memory_order_relaxed);
}

double scarce__memory_used(void)
{
    const long long n = atomic_load_explicit(&used, memory_order_relaxed);
    return n > 0 ? (double)n : 0;
}

static int limited(void)
{
    return atomic_load_explicit(&limit, memory_order_relaxed) != 0;
}

/* May `more` bytes be added? They are counted when they are there. */
static int beyond(size_t more)
{
    const size_t most = atomic_load_explicit(&limit, memory_order_relaxed);
    return most && scarce__memory_used() + (double)more > (double)most;
}

static void *counted_block(void *block)
{
    if (block && limited())
        atomic_fetch_add_explicit(&used, (long long)malloc_usable_size(block), memory_order_relaxed);
    return block;
}

static int overflows(size_t count, size_t size)
{
    return size != 0 && count > (SIZE_MAX / 2) / size;
}

void *scarce__malloc(size_t size)
{
    if (must_fail() || size > SIZE_MAX / 2 || beyond(size)) return NULL;
    return counted_block(malloc(size ? size : 1));
}

void *scarce__malloc_array(size_t count, size_t size)
{
    return overflows(count, size) ? NULL : scarce__malloc(count * size);
}

void *scarce__calloc(size_t count, size_t size)
{
    if (overflows(count, size) || must_fail() || beyond(count * size)) return NULL;
    return counted_block(count && size ? calloc(count, size) : calloc(1, 1));
}

/* A large block that would lose an eighth at most: it stays as it is, for the next who wants one like it. */
static int stays(void *old, size_t bytes)
{
    size_t before;
    if (!old || (uintptr_t)old % HUGE_PAGE != 0) return 0;
    before = malloc_usable_size(old);
    return before >= HUGE_PAGE && bytes <= before && before - bytes <= before / 8;
}

void *scarce__realloc_array(void *old, size_t count, size_t size)
{
    const size_t bytes = overflows(count, size) ? SIZE_MAX : count && size ? count * size : 1;
    size_t before;
    void *block;

    if (bytes == SIZE_MAX || must_fail()) return NULL;
    if (stays(old, bytes)) return old;
    if (!limited()) return realloc(old, bytes);
    before = old ? malloc_usable_size(old) : 0;
    if (bytes > before && beyond(bytes - before)) return NULL;
    block = counted_block(realloc(old, bytes));
    if (block) atomic_fetch_sub_explicit(&used, (long long)before, memory_order_relaxed);
    return block;
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
    if (block && limited())
        atomic_fetch_sub_explicit(&used, (long long)malloc_usable_size(block), memory_order_relaxed);
    else if (block && (uintptr_t)block % HUGE_PAGE == 0 && keep(block)) return;
    free(block);
}

/* Advice only: without it everything works, more slowly on scattered rows. Only whole pages inside of the block are
 * asked for. */
static void ask_for_huge_pages(char *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const size_t skip = (HUGE_PAGE - (uintptr_t)block % HUGE_PAGE) % HUGE_PAGE;
    if (bytes >= skip + HUGE_PAGE)
        (void)madvise(block + skip, (bytes - skip) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

static void *large_block(size_t count, size_t size, int huge)
{
    void *block = NULL;
    size_t bytes, whole, align = 64;

    if (overflows(count, size) || must_fail()) return NULL;
    bytes = count * size;
    if (bytes == 0) bytes = 1;
    whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    if (whole - bytes <= bytes / 8) bytes = whole; /* a million floats fill nearly two of them */
    if (bytes >= HUGE_PAGE) align = HUGE_PAGE;     /* what a last page would waste stays on small ones */
    if (beyond(bytes)) return NULL;
    if (align == HUGE_PAGE && !limited() && (block = kept_of(bytes)) != NULL) return block;
    if (posix_memalign(&block, align, bytes) != 0) {
        free_kept();
        if (posix_memalign(&block, align, bytes) != 0) return NULL;
    }
    (void)counted_block(block);
    if (huge && align == HUGE_PAGE) ask_for_huge_pages(block, bytes);
    return block;
}

void *scarce__big_alloc(size_t count, size_t size)
{
    return large_block(count, size, 0);
}

void *scarce__huge_alloc(size_t count, size_t size)
{
    return large_block(count, size, 1);
}

void *scarce__huge_calloc(size_t count, size_t size)
{
    char *block = scarce__calloc(count, size);
    if (block && count * size >= 4 * (size_t)HUGE_PAGE) ask_for_huge_pages(block, count * size);
    return block;
}

void *scarce__big_shrink(void *old, size_t count, size_t size)
{
    void *block = scarce__big_alloc(count, size);

    if (!block) return NULL;
    if (count) memcpy(block, old, count * size);
    scarce__free(old);
    return block;
}
