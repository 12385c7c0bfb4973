# SPDX-License-Identifier: Apache-2.0
"""Writes significance.txt, read by tests/unit/test_eval_significance.c.

Needs numpy and scipy (made with 1.17). Run in this folder: python make_significance.py
The inputs come from lcg.py; the test makes the same ones. One line per case:
  w statistic p            (Wilcoxon)
  f chi2 p f p_f           (Friedman, Iman-Davenport)
  h adjusted p ...         (Holm)
  q x p_chi2 p_f           (tails: chi2 and F at x with degrees from the generator)
"""
import math

import numpy as np
from scipy import stats

from lcg import Lcg


def wilcoxon(c):
    r = Lcg(c)
    n, levels = 3 + r.below(60), (4, 30, 2**31)[r.below(3)]
    a = np.array([r.below(levels) / levels for _ in range(n)])
    b = np.array([r.below(levels) / levels for _ in range(n)])
    d = a - b
    size = np.abs(d)
    if np.all(d == 0):
        return 0.0, 1.0
    plain = np.all(d != 0) and len(np.unique(size)) == n
    method = "exact" if plain and n <= 25 else "asymptotic"
    t = stats.wilcoxon(a, b, zero_method="pratt", correction=True, method=method)
    return t.statistic, t.pvalue


def friedman(c):
    r = Lcg(500_000 + c)
    blocks, methods, levels = 3 + r.below(20), 3 + r.below(6), (4, 2**31)[r.below(2)]
    v = np.array([[r.below(levels) / levels for _ in range(methods)] for _ in range(blocks)])
    chi2, p = stats.friedmanchisquare(*v.T)
    f = (blocks - 1) * chi2 / (blocks * (methods - 1) - chi2)
    return chi2, p, f, stats.f.sf(f, methods - 1, (methods - 1) * (blocks - 1))


def holm(c):
    r = Lcg(700_000 + c)
    n, levels = 1 + r.below(12), (20, 2**31)[r.below(2)]
    p = [r.below(levels) / levels / 4 for _ in range(n)]
    adjusted, highest = [0.0] * n, 0.0
    for step, i in enumerate(sorted(range(n), key=lambda i: p[i])):
        highest = max(highest, min(1.0, (n - step) * p[i]))
        adjusted[i] = highest
    return adjusted


def tails(c):
    r = Lcg(900_000 + c)
    d1, d2, x = 1 + r.below(40), 1 + r.below(200), r.below(2**31) / 2**31 * (0.2, 3, 30)[r.below(3)]
    return x, stats.chi2.sf(x, d1), stats.f.sf(x, d1, d2)


def main():
    with open("significance.txt", "w") as out:
        for mark, make, cases in (("w", wilcoxon, 400), ("f", friedman, 200), ("h", holm, 100), ("q", tails, 200)):
            for c in range(cases):
                values = make(c)
                assert not any(math.isnan(v) for v in values)
                out.write(" ".join([mark] + [f"{v:.17g}" for v in values]) + "\n")


if __name__ == "__main__":
    main()
