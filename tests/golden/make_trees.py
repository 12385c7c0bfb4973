#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes trees.txt: scores of small boosters grown by XGBoost's exact tree method, to hold ours against.

Needs numpy and xgboost (any version since 1.7). Run in this folder: python3 make_trees.py > trees.txt
Format: "rows columns cases", then one line per row (label, weight, values;
nan = missing), then per case one line of
parameters (depth trees lambda alpha min_child_weight max_delta_step) and one line with the score of every row."""
import numpy as np
import xgboost as xgb

N, M = 150, 4
R = np.random.default_rng(7)
X = R.normal(size=(N, M)).round(3).astype(np.float32)
X[:, 1] = R.integers(0, 6, N)
X[R.random(N) < 0.15, 2] = np.nan
z = 1.5 * X[:, 0] + (X[:, 1] > 3) + np.where(np.isnan(X[:, 2]), 1.2, X[:, 2] * 0.5) - 2 + R.normal(size=N) * 0.5
y = (z > 0).astype(int)
w = R.uniform(0.5, 1.5, N).round(3)  # also against ties, which XGBoost breaks its own way
cases = [(d, t, lam, al, mcw, cap) for d, t in ((1, 1), (1, 4), (2, 1), (2, 4)) for lam, al, mcw, cap in
         ((1, 0, 0, 0), (0, 0, 1, 0), (1, 0, 3, 0), (1, 0, 1, 0.5), (0, 0, 1, 0.7), (1, 2, 0, 0), (0.5, 1, 2, 0))]
# alpha and max_delta_step together are left out: there XGBoost adds alpha |w| to the gain instead of taking 2 alpha |w|
print(N, M, len(cases))
for i in range(N):
    print(y[i], w[i], *("%.9g" % v for v in X[i]))
for d, t, lam, al, mcw, cap in cases:
    p = {"objective": "binary:logistic", "tree_method": "exact", "max_depth": d, "lambda": lam, "alpha": al,
         "min_child_weight": mcw, "max_delta_step": cap, "eta": 0.3, "base_score": 0.5, "nthread": 1}
    b = xgb.train(p, xgb.DMatrix(X, y, weight=w), t)
    s = b.predict(xgb.DMatrix(X), output_margin=True)
    print(d, t, lam, al, mcw, cap)
    print(*("%.9g" % v for v in s))
