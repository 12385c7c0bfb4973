# SPDX-License-Identifier: Apache-2.0
"""Writes calibration.txt: what scikit-learn's calibrators give on rows that the test
tests/unit/test_decide_calibrate.c makes with the same generator. Needs numpy, scikit-learn (made with 1.9.1).

    python make_calibration.py > calibration.txt
"""
import math

import numpy as np
from sklearn.calibration import _sigmoid_calibration
from sklearn.isotonic import IsotonicRegression


class Lcg:
    def __init__(self, seed):
        self.x = seed

    def unit(self):
        self.x = (self.x * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.x >> 11) * 2.0**-53


def rows(seed, n, scale, step, weighted, unit):
    g = Lcg(seed)
    score, label, weight = [], [], []
    for _ in range(n):
        y = g.unit() < 0.2
        a, b, c, d = g.unit(), g.unit(), g.unit(), g.unit()
        s = (a + b + (0.5 if y else 0.0)) / 2.5 if unit else scale * (a + b + c - 1.5 + (0.4 if y else 0.0))
        if step > 0:
            s = math.floor(s / step) * step
        score.append(s)
        label.append(int(y))
        weight.append((0.0 if d < 0.1 else 0.25 + d) if weighted else 1.0)
    return np.array(score), np.array(label), np.array(weight)


def beta(score, label, weight):
    """Kull et al. 2017 with Platt's targets and a, b >= 0."""
    if score.min() < 0 or score.max() > 1:
        f = np.column_stack([-np.logaddexp(0, -score), np.logaddexp(0, score)])
    else:
        q = np.clip(score, np.finfo(float).eps, 1 - np.finfo(float).eps)
        f = np.column_stack([np.log(q), -np.log1p(-q)])
    n1, n0 = weight[label == 1].sum(), weight[label == 0].sum()
    t = np.where(label == 1, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    mean, sd = f.mean(axis=0), f.std(axis=0)
    x = np.column_stack([(f - mean) / sd, np.ones(len(t))])
    best = None
    for free in ([0, 1, 2], [0, 2], [1, 2], [2]):  # the others at their bound, 0
        def loss(theta):
            z = x @ theta
            return (weight * (np.logaddexp(0, z) - t * z)).sum()

        theta = np.zeros(3)
        for _ in range(100):
            p = np.exp(-np.logaddexp(0, -(x @ theta)))
            h = (x[:, free] * (weight * p * (1 - p))[:, None]).T @ x[:, free]
            step = np.zeros(3)
            step[free] = -np.linalg.solve(h, x[:, free].T @ (weight * (p - t)))
            size = 1.0
            while size > 1e-9 and loss(theta + size * step) > loss(theta):
                size /= 2
            theta = theta + size * step
        if min(theta[0], theta[1]) >= 0 and (best is None or loss(theta) < loss(best)):
            best = theta
    raw = best[:2] / sd
    return raw, best[2] - raw @ mean


CASES = [  # seed, n, scale, step, weighted, unit
    (1, 300, 1.0, 0.0, 0, 0), (2, 300, 1.0, 0.1, 1, 0), (3, 50, 20.0, 0.0, 0, 0),
    (4, 400, 10000.0, 0.0, 1, 0), (5, 200, 0.001, 0.0, 0, 0), (6, 300, 1.0, 0.0, 0, 1),
    (7, 300, 1.0, 0.05, 1, 1), (8, 200, -3.0, 0.0, 0, 0), (9, 12, 2.0, 0.0, 0, 0),
]

for case in CASES:
    score, label, weight = rows(*case)
    print("case", case[0], case[1], "%.17g" % case[2], "%.17g" % case[3], case[4], case[5])
    a, b = _sigmoid_calibration(score, label, weight)
    probe = np.linspace(score.min() - 0.1 * np.ptp(score), score.max() + 0.1 * np.ptp(score), 25)
    if case[5]:
        probe = np.linspace(0, 1, 25)
    iso = IsotonicRegression(out_of_bounds="clip").fit(score, label, sample_weight=weight).predict(probe)
    (ba, bb), bc = beta(score, label, weight)
    print("platt", "%.17g %.17g" % (-a, -b))
    print("beta", "%.17g %.17g %.17g" % (ba, bb, bc))
    print("probes", len(probe))
    for x, p in zip(probe, iso):
        print("%.17g %.17g" % (x, p))
