# SPDX-License-Identifier: Apache-2.0
"""Writes metric.txt: metrics of other programs on rows that tests/unit/test_near_metric.c makes with the same generator. Needs
numpy, scipy and metric-learn (made with numpy 2.4, scipy 1.17, metric-learn 0.7).

    python make_metric.py > metric.txt

itml: metric-learn's ITML on given pairs and bounds. gmml: the formula of the paper with scipy's matrix powers over all pairs
(metric-learn has none). mlfp: the optimum as a quadratic programme with a slack for each hinge, by SLSQP: value, then factors.
"""
import numpy as np
import scipy.linalg
import scipy.optimize
import metric_learn._util
from metric_learn import ITML

from lcg import Lcg


def renamed(check):  # metric-learn 0.7 knows scikit-learn's argument by its old name
    return lambda *a, force_all_finite=True, **k: check(*a, ensure_all_finite=force_all_finite, **k)


metric_learn._util.check_X_y = renamed(metric_learn._util.check_X_y)
metric_learn._util.check_array = renamed(metric_learn._util.check_array)


def rows(n, d, case):
    g = Lcg(case)
    x, y = [], []
    for i in range(n):
        y.append(1 if i % 3 == 0 else 0)
        x.append([(g.below(2000) - 1000) / 500 + (y[-1] if j < 2 else 0) for j in range(d)])
    return np.array(x), np.array(y)


def put(name, values):
    print(name, *(repr(float(v)) for v in np.ravel(values)))


def itml():
    x, y = rows(30, 4, 5)
    g = Lcg(6)
    similar, other = [], []
    while len(similar) < 15:
        a, b = g.below(30), g.below(30)
        if a != b and y[a] == y[b]:
            similar.append((a, b))
    while len(other) < 15:
        a, b = g.below(30), g.below(30)
        if y[a] != y[b]:
            other.append((a, b))
    pairs = np.array([(x[a], x[b]) for a, b in similar + other])
    for gamma in (1.0, 10.0):
        model = ITML(gamma=gamma, tol=1e-9, max_iter=20000, prior="identity")
        model.fit(pairs, np.array([1] * 15 + [-1] * 15), bounds=[1.0, 9.0])
        put(f"itml {gamma:g}", model.get_mahalanobis_matrix())


def gmml():
    x, y = rows(40, 4, 7)
    s, d, ns, nd = np.zeros((4, 4)), np.zeros((4, 4)), 0, 0
    for i in range(len(x)):
        for j in range(len(x)):
            o = np.outer(x[i] - x[j], x[i] - x[j])
            if y[i] == y[j]:
                s, ns = s + o, ns + 1
            else:
                d, nd = d + o, nd + 1
    s, d = s / ns, d / nd
    for t in (0.5, 0.2):
        s1 = s + 1e-3 * np.trace(s) / 4 * np.eye(4)
        d1 = d + 1e-3 * np.trace(d) / 4 * np.eye(4)
        root = scipy.linalg.sqrtm(s1).real
        inverse = np.linalg.inv(root)
        middle = scipy.linalg.fractional_matrix_power(root @ d1 @ root, t).real
        put(f"gmml {t:g}", inverse @ middle @ inverse)


def mlfp():
    x, y = rows(24, 3, 9)
    k, n, d = 2, 24, 3
    x32 = x.astype(np.float32).astype(float)
    e = ((x32[:, None] - x32[None]) ** 2).sum(-1)

    def near(i, label):
        order = sorted((e[i, j], j) for j in range(n) if j != i and y[j] == label)
        return [j for _, j in order[:k]]

    share = y.mean()
    for mu, c in ((0.01, 0.0), (0.1, 0.5)):
        a, b, weight = [], [], []
        for i in range(n):
            for p in near(i, 1):
                for q in near(i, 0):
                    v, u = (x[i] - x[p]) ** 2, ((x[i] - x[q]) ** 2).sum()
                    a.append(v if y[i] else -v)
                    b.append(1 - c - u if y[i] else 1 - c + u)
                    weight.append((1 - share if y[i] else share) / n)
        a, b, weight = np.array(a), np.array(b), np.array(weight)
        m = len(b)
        value = lambda z: weight @ z[d:] + mu * ((z[:d] - 1) ** 2).sum()
        slope = lambda z: np.concatenate([2 * mu * (z[:d] - 1), weight])
        hinge = np.hstack([-a, np.eye(m)])
        start = np.concatenate([np.ones(d), np.maximum(0, a.sum(1) + b) + 0.1])
        found = scipy.optimize.minimize(value, start, jac=slope, method="SLSQP", bounds=[(0, 1)] * d + [(0, None)] * m,
                                        constraints={"type": "ineq", "fun": lambda z: hinge @ z - b, "jac": lambda z: hinge},
                                        options={"maxiter": 2000, "ftol": 1e-14})
        assert found.success, found
        w = found.x[:d]
        put(f"mlfp {mu:g} {c:g}", [weight @ np.maximum(0, a @ w + b) + mu * ((w - 1) ** 2).sum(), *w])


itml()
gmml()
mlfp()
