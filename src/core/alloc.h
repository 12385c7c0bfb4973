/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that allocates. Sizes are checked for overflow; zero bytes give a valid pointer.
 *
 * In a build with -DSCARCE_FAULTS the n-th allocation can be made to fail, so that tests walk
 * through every out-of-memory path (tests/oom). */
#ifndef SCARCE_CORE_ALLOC_H
#define SCARCE_CORE_ALLOC_H

#include <stddef.h>

void *scarce__malloc(size_t size);
void *scarce__calloc(size_t count, size_t size);
void *scarce__malloc_array(size_t count, size_t size);
/* NULL on failure, and the old block stays valid. */
void *scarce__realloc_array(void *old, size_t count, size_t size);
char *scarce__strdup(const char *text);
char *scarce__strndup(const char *text, size_t length);
void scarce__free(void *block);

/* For large arrays that are streamed, as columns are: 64-byte aligned, not cleared, freed by scarce__free. On plain pages:
 * a virtual machine that gives free huge pages back to its host pays for each fresh one (a million rows x 40: reading
 * .49 s, on plain pages .24), and a stream gains nothing from them. */
void *scarce__big_alloc(size_t count, size_t size);
/* The same for arrays that are hit at random again and again: on huge pages. */
void *scarce__huge_alloc(size_t count, size_t size);
/* Freed large blocks are kept for the next who wants one like them, but where a sanitizer watches over what is
 * freed, or under a limit. */
#if defined(__SANITIZE_ADDRESS__)
#define SCARCE__KEEPS_BLOCKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SCARCE__KEEPS_BLOCKS 0
#endif
#endif
#ifndef SCARCE__KEEPS_BLOCKS
#define SCARCE__KEEPS_BLOCKS 1
#endif
/* On huge pages and all zero; large ones are not touched before they are used. Not aligned. */
void *scarce__huge_calloc(size_t count, size_t size);
/* The first `count` items in a block of their own; the old one is freed. For shrinking: realloc may keep the whole
 * of a large block. (For growing realloc is quicker.) NULL on
 * failure, and the old block stays valid. */
void *scarce__big_shrink(void *old, size_t count, size_t size);

/* What scarce_memory_limit set; 0: no limit. */
double scarce__memory_limit(void);
/* Bytes that are allocated, as far as they are counted: since the limit was set. */
double scarce__memory_used(void);

#ifdef SCARCE_FAULTS
/* The n-th allocation from now (1 = the next) and all later ones fail; 0 switches it off. */
void scarce__alloc_fail_from(size_t n);
/* The n-th alone fails: what takes a failure for an answer, and goes on, is found so. */
void scarce__alloc_fail_at(size_t n);
/* How many allocations since the last call of either. */
size_t scarce__alloc_count(void);
#endif

#endif
