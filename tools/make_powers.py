#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/core/powers.h: the leading 64 bits, rounded down, of the powers of ten a double can need.

    python3 tools/make_powers.py > src/core/powers.h
"""

LOW, HIGH = -342, 308


def leading_bits(e):
    if e >= 0:
        p = 10**e
        shift = p.bit_length() - 64
        return p >> shift if shift >= 0 else p << -shift
    d = 10**-e  # 2^(63 + k) <= 2^k' / d < 2^64 with k' chosen so
    k = d.bit_length() + 63
    q = (1 << k) // d
    return q if q.bit_length() == 64 else q >> (q.bit_length() - 64)


print("/* SPDX-License-Identifier: Apache-2.0 */")
print("/* Made by tools/make_powers.py. scarce__powers[e - POWER_LOW] is the leading 64 bits of 10^e, rounded")
print(" * down: 10^e = (t + r) * 2^(floor(e * log2(10)) - 63) with 0 <= r < 1, r = 0 for e in 0..27. */")
print("#ifndef SCARCE_DATA_POWERS_H")
print("#define SCARCE_DATA_POWERS_H")
print()
print("#include <stdint.h>")
print()
print("enum { POWER_LOW = %d, POWER_HIGH = %d };" % (LOW, HIGH))
print()
print("static const uint64_t scarce__powers[POWER_HIGH - POWER_LOW + 1] = {")
row = []
for e in range(LOW, HIGH + 1):
    t = leading_bits(e)
    assert 2**63 <= t < 2**64
    row.append("0x%016xu" % t)
    if len(row) == 4 or e == HIGH:
        print("    " + ", ".join(row) + ",")
        row = []
print("};")
print()
print("#endif")
