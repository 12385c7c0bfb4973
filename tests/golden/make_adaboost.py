#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes adaboost.txt: scores of scikit-learn's AdaBoostClassifier (SAMME) on small tables.

Needs numpy and scikit-learn (1.6 or later). Run in this folder: python3 make_adaboost.py > adaboost.txt
Data come from lcg.py (see `data`), so only results are stored. A case is kept when eight random states, which only
break ties between features, give one and the same classifier.
Format: number of cases; per case a line "case depth rate weighted trees rows", a line of the steps (half of
scikit-learn's weights, which is AdaBoost's alpha), and a line with the score of every row, the sum of steps x votes."""
import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from lcg import Lcg

TREES = 20
KINDS = [(depth, rate, weighted) for depth in (1, 2, 3) for rate in (1.0, 0.5) for weighted in (0, 1)]


def data(case, weighted):
    r = Lcg(case)
    n = 80 + r.below(120)
    x, y, w = np.zeros((n, 4), np.float32), np.zeros(n, int), np.ones(n)
    for i in range(n):
        x[i] = r.below(1000) / 8, r.below(12), r.below(5000) / 16, r.below(3000) / 4
        y[i] = x[i, 0] + 5 * x[i, 1] + x[i, 2] / 8 + r.below(90) > 190
        if weighted:
            w[i] = 1 + r.below(64) / 64
    return x, y, w


def fit(x, y, w, depth, rate, state):
    tree = DecisionTreeClassifier(max_depth=depth, random_state=state)
    return AdaBoostClassifier(tree, n_estimators=TREES, learning_rate=rate, random_state=state).fit(x, y, sample_weight=w)


def score(model, x):
    return sum(0.5 * a * (2.0 * t.predict(x) - 1) for a, t in zip(model.estimator_weights_, model.estimators_))


kept = []
for case in range(1, 40):
    depth, rate, weighted = KINDS[case % len(KINDS)]
    x, y, w = data(case, weighted)
    if y.sum() < 5 or y.sum() > len(y) - 5:
        continue
    models = [fit(x, y, w, depth, rate, s) for s in range(8)]
    scores = [score(m, x) for m in models]
    full = all(len(m.estimators_) == TREES for m in models)
    if full and all(np.allclose(scores[0], s, atol=1e-9) for s in scores):
        kept.append((case, depth, rate, weighted, len(y), models[0], scores[0]))
print(len(kept))
for case, depth, rate, weighted, n, model, scores in kept:
    print(case, depth, rate, weighted, TREES, n)
    print(*("%.9g" % (0.5 * a) for a in model.estimator_weights_[:TREES]))
    print(*("%.7g" % s for s in scores))
