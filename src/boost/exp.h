/* SPDX-License-Identifier: Apache-2.0 */
/* exp in float, to about 1e-7 relative, made of IEEE operations only: a loop over it is vectorised, and
 * vector and scalar code give the same bits on every machine.
 *
 *     e^x = 2^k e^r,  k = round(x / ln 2),  r = x - k ln 2 in two steps,
 *     e^r by a polynomial on |r| <= ln 2 / 2.
 *
 * x is cut at -87 and 88, so the result is never 0, never infinite and never denormal. */
#ifndef SCARCE_BOOST_EXP_H
#define SCARCE_BOOST_EXP_H

#include <stdint.h>
#include <string.h>

static inline __attribute__((always_inline)) float scarce__expf(float x)
{
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    const float shifted = x * 1.44269504f + 12582912.0f; /* 1.5 * 2^23: the integer part is in the low bits */
    const float k = shifted - 12582912.0f;
    const float r = (x - k * 0.693359375f) - k * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    const int32_t bits = ((int32_t)k + 127) * (1 << 23);
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

#endif
