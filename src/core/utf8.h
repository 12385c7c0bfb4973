/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: how long the character at the front is. */
#ifndef SCARCE_CORE_UTF8_H
#define SCARCE_CORE_UTF8_H

#include <stddef.h>

/* Bytes of the character that begins at s (n > 0 bytes are there), 1 to 4; 0 when it is none: a stray
 * or missing continuation, an overlong form, a surrogate, or beyond U+10FFFF. */
static inline size_t scarce__utf8_length(const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;
    size_t length;

    if (p[0] < 0x80) return 1;
    length = p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    if (length == 0 || length > n) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if (p[0] == 0xe0 && p[1] < 0xa0) return 0; /* overlong */
    if (p[0] == 0xed && p[1] > 0x9f) return 0; /* surrogates */
    if (p[0] == 0xf0 && p[1] < 0x90) return 0; /* overlong */
    if (p[0] == 0xf4 && p[1] > 0x8f) return 0; /* beyond U+10FFFF */
    return length;
}

#endif
