#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the coefficients of src/core/elementary.h and src/core/elementary.c (needs mpmath).

Each function is fitted by the polynomial through the Chebyshev points of its interval, which is within a
factor of two or so of the best one; the error that the line behind it names is that of the coefficients
as rounded to double."""
from mpmath import mp, mpf, exp, log, sqrt, cos, sin, pi, atanh, polyval, matrix, lu_solve

mp.dps = 60


def fit(name, f, lo, hi, n, weight):
    """n coefficients of f on [lo, hi]; the error is that of weight(x) * polynomial."""
    x = [(lo + hi) / 2 + (hi - lo) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    a = matrix(n, n)
    for i in range(n):
        for j in range(n):
            a[i, j] = x[i] ** j
    c = [float(v) for v in lu_solve(a, matrix([f(v) for v in x]))]
    worst = max(abs(weight(v) * (polyval([mpf(k) for k in reversed(c)], v) - f(v)))
                for v in (lo + (hi - lo) * mpf(i) / 2000 for i in range(2001)))
    print(f"/* {name}: {mp.nstr(worst * 2**53, 2)} * 2^-53 */")
    print(",\n".join(v.hex() for v in c), "\n")


def head(x, bits):
    """x with its last bits cut off."""
    e = int(mp.floor(log(x, 2)))
    return mp.floor(x * mpf(2) ** (bits - 1 - e)) / mpf(2) ** (bits - 1 - e)


tiny = mpf(10) ** -20
# e^r = 1 + r + r^2 Q(r)
half = log(2) / 2 * (1 + mpf(2) ** -40)
fit("Q of exp", lambda r: (exp(r) - 1 - r) / r**2 if abs(r) > tiny else mpf(1) / 2, -half, half, 10,
    lambda r: r**2 / exp(r))
# log(1 + f) = 2 atanh(s) = 2 s + s z R(z), s = f / (2 + f), z = s^2
R = lambda z: 2 * (atanh(sqrt(z)) / sqrt(z) - 1) / z if z > tiny else mpf(2) / 3
fit("R of log", R, mpf(0), ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2, 7, lambda z: z / 2)
fit("R of log1p on [0, 1]", R, mpf(0), mpf(1) / 9, 11, lambda z: z / 2)
# cos a = 1 - z/2 + z^2 C(z), sin a = a + a z S(z), z = a^2
top = (pi / 4) ** 2
fit("C of cos", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2 if z > tiny else mpf(1) / 24, mpf(0), top, 6,
    lambda z: z**2 / cos(sqrt(z)))
fit("S of sin", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z if z > tiny else -mpf(1) / 6, mpf(0), top, 6,
    lambda z: z)

ln2 = log(2)
high = head(ln2, 33)
print("ln 2:", float(high).hex(), "+", float(ln2 - high).hex())
print("ln 2 as a pair:", float(ln2).hex(), "+", float(ln2 - mpf(float(ln2))).hex())
high = head(2 * pi, 53)
print("2 pi:", float(2 * pi).hex(), "1/ln 2:", float(1 / ln2).hex())
c = 1 / log(2)
print("1/ln 2 as a pair:", float(c).hex(), float(c - mpf(float(c))).hex())
