# SPDX-License-Identifier: Apache-2.0
"""Writes linear.txt: weights and scores of scikit-learn's linear models on rows that
tests/unit/test_linear_train.c makes with the same generator. Needs numpy, scikit-learn (made with 1.9.1).

    python make_linear.py > linear.txt

Plain: four numeric columns, standardised; weights on the raw values. Mixed: a numeric column with missing
values (mean plus indicator), a category of 5 (code 4 rare, pooled; some missing), a sparse column (scaled by
its deviation, not centred); scores of the first rows, and of the category that training never saw.
"""
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC


class Lcg:
    def __init__(self, seed):
        self.x = seed

    def unit(self):
        self.x = (self.x * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.x >> 11) * 2.0**-53


def plain(n):
    g = Lcg(11)
    x, y, w = [], [], []
    for _ in range(n):
        u = [g.unit() for _ in range(6)]
        x.append([u[0] * 10 - 5, (u[1] - 0.5) * 1000 + 200, np.floor(u[2] * 4), u[3] * u[3] * 0.01])
        y.append(int(u[0] + u[1] * 0.5 - u[2] * 0.3 + u[4] > 1.6))
        w.append(0.25 + u[5])
    return np.array(x, dtype=np.float32).astype(float), np.array(y), np.array(w)


def logistic(c, pos_weight):
    return LogisticRegression(C=c, class_weight={0: 1, 1: pos_weight}, solver="newton-cholesky", tol=1e-12,
                              max_iter=1000)


def svm(c, pos_weight):
    return LinearSVC(C=c, class_weight={0: 1, 1: pos_weight}, dual=False, tol=1e-12, max_iter=100000)


def show(name, values):
    print(name, len(values), " ".join("%.17g" % v for v in values))


x, y, w = plain(200)
for weighted in (0, 1):
    v = w if weighted else np.ones(len(y))
    mean = np.average(x, axis=0, weights=v)
    sd = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=v))
    for name, make in (("logistic", logistic), ("svm", svm)):
        for c, pos in ((1.0, 1.0), (0.01, 5.0)):
            m = make(c, pos).fit((x - mean) / sd, y, sample_weight=v)
            raw = m.coef_[0] / sd
            print("plain", name, weighted, c, pos)
            show("weights", list(raw) + [m.intercept_[0] - raw @ mean])

g = Lcg(12)
num, cat, sp, y = [], [], [], []
for i in range(300):
    u = [g.unit() for _ in range(5)]
    num.append(np.nan if u[0] < 0.2 else u[0] * 3)
    code = int(u[1] * 4) if u[1] < 0.95 else -1
    cat.append(4 if i % 100 == 7 else code)
    sp.append(0.0 if u[2] < 0.8 else u[2] * 5)
    first, second = u[0] if u[0] >= 0.2 else 0.9, 0.4 if int(u[1] * 4) == 2 else 0
    y.append(int(first + second + 0.5 * u[2] + u[3] > 1.9))
num = np.array(num, dtype=np.float32).astype(float)
sp = np.array(sp, dtype=np.float32).astype(float)
cat, y = np.array(cat), np.array(y)
mean, sd = np.nanmean(num), np.nanstd(num)
columns = [np.nan_to_num((num - mean) / sd), np.isnan(num) * 1.0]
columns += [(cat == k) * 1.0 for k in (0, 1, 2, 3, 4, -1)]  # 4: rare or unknown, -1: missing
columns += [sp / sp.std()]
z = np.column_stack(columns)
for name, make in (("logistic", logistic), ("svm", svm)):
    m = make(0.5, 3.0).fit(z, y)
    print("mixed", name)
    show("scores", m.decision_function(z)[:40])
    show("parameters", list(m.coef_[0]) + [m.intercept_[0]])
