/* SPDX-License-Identifier: Apache-2.0 */
/* A hash of much data: 64 bits, one multiplication a word. Same bytes in the same order, same hash; not
 * against an adversary. The length is part of it, so neighbouring arrays can't trade bytes; NULL is an empty
 * array. */
#ifndef SCARCE_CORE_HASH_H
#define SCARCE_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/random.h"

static inline uint64_t scarce__hash_bytes(uint64_t hash, const void *data, size_t n)
{
    const uint8_t *bytes = data;
    uint64_t word;
    if (!data) n = 0;
    hash ^= n * 0x9e3779b97f4a7c15u;
    for (; n >= 8; n -= 8, bytes += 8) {
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
    }
    word = 0;
    if (n) memcpy(&word, bytes, n);
    return scarce__mix64(hash ^ word);
}

static inline uint64_t scarce__hash_text(uint64_t hash, const char *text)
{
    return scarce__hash_bytes(hash, text, text ? strlen(text) : 0);
}

#endif
