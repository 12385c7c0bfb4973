#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cart.txt: classification trees of scikit-learn, to hold the exact grower against, split for split.

Needs numpy and scikit-learn (1.3 or later, for missing values). Run in this folder: python3 make_cart.py > cart.txt
Data come from lcg.py (see `data`), so only results are stored. A case is kept when twelve random states, which only
break ties between features, give one and the same tree.
Format: number of cases; per case a line "case criterion max_depth min_leaf weighted missing nodes" and a line per
node: "left right feature threshold rows share", where a leaf has left -1; children are node numbers."""
import numpy as np
from sklearn.tree import DecisionTreeClassifier

from lcg import Lcg

KINDS = [(criterion, depth, leaf, weighted, missing) for criterion in ("gini", "entropy")
         for depth, leaf in ((1, 1), (3, 1), (0, 5), (0, 1)) for weighted in (0, 1) for missing in (0, 1)]


def data(case, weighted, missing):
    r = Lcg(case)
    n = 30 + r.below(90)
    x, y, w = np.zeros((n, 3), np.float32), np.zeros(n, int), np.ones(n)
    for i in range(n):
        x[i] = r.below(1000) / 8, r.below(12), r.below(5000) / 16
        gone = r.below(5) == 0
        y[i] = x[i, 0] + 5 * x[i, 1] + x[i, 2] / 8 + r.below(60) > 140
        if missing and gone:
            x[i, 2] = np.nan
        if weighted:
            w[i] = 1 + r.below(64) / 64
    return x, y, w


def grow(x, y, w, criterion, depth, leaf, state):
    t = DecisionTreeClassifier(criterion=criterion, max_depth=depth or None, min_samples_leaf=leaf, random_state=state)
    return t.fit(x, y, sample_weight=w).tree_


def same(a, b):
    return np.array_equal(a.feature, b.feature) and np.array_equal(a.threshold, b.threshold)


kept = []
for case in range(1, 400):
    criterion, depth, leaf, weighted, missing = KINDS[case % len(KINDS)]
    x, y, w = data(case, weighted, missing)
    if y.min() == y.max():
        continue
    trees = [grow(x, y, w, criterion, depth, leaf, s) for s in range(12)]
    if all(same(trees[0], t) for t in trees):
        kept.append((case, criterion, depth, leaf, weighted, missing, trees[0]))
print(len(kept))
for case, criterion, depth, leaf, weighted, missing, t in kept:
    print(case, criterion, depth, leaf, weighted, missing, t.node_count)
    for i in range(t.node_count):
        share = t.value[i, 0, 1] / t.value[i, 0].sum()
        print(t.children_left[i], t.children_right[i], max(t.feature[i], -1), "%.9g" % t.threshold[i],
              t.n_node_samples[i], "%.9g" % share)
