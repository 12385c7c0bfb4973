# SPDX-License-Identifier: Apache-2.0
"""Figures of scikit-learn's SVC (LIBSVM) for tests/unit/test_sample_rbf.c: python make_rbf.py prints them."""
import numpy as np
from sklearn.svm import SVC

i = np.arange(160)
x = np.stack([((i * 37) % 101) / 50.5 - 1, ((i * 59) % 97) / 48.5 - 1], axis=1).astype(np.float32)
y = (x.astype(float) ** 2).sum(axis=1) < 0.35
y ^= i % 11 == 0
for c, gamma in ((1.0, 0.5), (10.0, 3.0)):
    m = SVC(C=c, gamma=gamma, tol=1e-8).fit(x, y)
    a = np.zeros(len(y))
    a[m.support_] = np.abs(m.dual_coef_[0])
    print(c, gamma, "support", m.support_.size, "sum", a.sum(), "bias", m.intercept_[0])
    print(", ".join(f"{v:.9f}" for v in m.decision_function(x[:12])))
