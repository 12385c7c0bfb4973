# SPDX-License-Identifier: Apache-2.0
"""Scores of the test rows by `gb` and by models of other kinds, kept once, so that blends of them cost nothing (`blend.py`).

    SCARCE_LIB=build/libscarce.so python kinds.py WORK OUT --models gb,et,rf,... [--half 0] [--splits 8|8:16] [--max-rows 9999]
        [--only SET,...] [--skip mnist-6000]

OUT/SET.SPLIT.MODEL.npz holds `z` (log-odds; forests also as the mean of the log-odds of leaves, smoothed: `l`) and the seconds of CPU;
what is there is not computed again. Categories are one-hot (values in five rows or more) for all but gb and CatBoost."""
import argparse
import os
import time
import warnings

import numpy as np
import pandas as pd

import sets
from compare import Data

warnings.filterwarnings("ignore")


def logit(p):
    p = np.clip(p, 1e-6, 1 - 1e-6)
    return np.log(p / (1 - p))


def matrix(data, train, test):
    """Numbers of all columns, one-hot categories, missing values by the median."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder
    numeric = [c for c in data.x if c not in data.categories]
    one_hot = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=5, sparse_output=False)
    t = make_column_transformer((one_hot, data.categories), (SimpleImputer(strategy="median"), numeric))
    return t.fit_transform(data.take(train)).astype(np.float32), t.transform(data.take(test)).astype(np.float32)


SHRINK = np.array([0.3, 1.0, 3.0])  # rows of the prior that join a leaf
# name: features per node (0: the square root), least rows of a leaf, best threshold?, bootstrap?
FORESTS = {"et": (0, 1, 0, 0), "et-half": (0.5, 1, 0, 0), "et-leaf2": (0.5, 2, 0, 0),
           "et-boot": (0.5, 1, 0, 1), "rf": (0, 1, 1, 1), "rf-half": (0.5, 1, 1, 1)}


def forest(name, xa, ya, xb, trees=300):
    """(mean share, mean log-odds of leaves by SHRINK) of the test rows, the same of training rows out of the bag."""
    import extra
    share, least, best, bootstrap = FORESTS[name]
    p = xa.shape[1]
    k = max(1, int(share * p) if share else int(np.sqrt(p)))
    return extra.forest(np.ascontiguousarray(xa), ya.astype(np.int64), np.ascontiguousarray(xb), trees, k, least, best, bootstrap, SHRINK, 1)


def platt(f, y):
    """Slope and intercept with the least log loss, Platt's targets."""
    from scipy.optimize import minimize
    n1, n0 = y.sum(), (1 - y).sum()
    t = np.where(y == 1, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    g = lambda v: np.mean(np.logaddexp(0, v[0] * f + v[1]) - t * (v[0] * f + v[1]))
    return minimize(g, [1, logit(np.array([y.mean()]))[0]], method="Nelder-Mead", options=dict(maxiter=400)).x


def machine(xa, ya, xb, life, cost, trees=200):
    import mondrian
    from sklearn.model_selection import StratifiedKFold
    life, xa, xb = life / xa.shape[1], np.ascontiguousarray(xa, np.float64), np.ascontiguousarray(xb, np.float64)
    la, lb, size = mondrian.leaves(xa, xb, trees, life, 1)
    f = np.zeros(len(ya))
    for fit, held in StratifiedKFold(int(min(5, ya.sum())), shuffle=True, random_state=1).split(xa, ya):
        w, b = mondrian.hinge(la[fit], ya[fit], size, cost, 100, 1)
        f[held] = mondrian.total(la[held], w, b)
    slope, shift = platt(f, ya)
    w, b = mondrian.hinge(la, ya, size, cost, 100, 1)
    return slope * mondrian.total(lb, w, b) + shift


def smooth(name, xa, ya, xb):
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    s = StandardScaler().fit(xa)
    xa, xb = np.clip(s.transform(xa), -5, 5), np.clip(s.transform(xb), -5, 5)
    prior = ya.mean()
    if name == "knn":
        k = int(min(25, max(5, round(np.sqrt(len(ya)) / 2))))
        p = KNeighborsClassifier(k, weights="distance").fit(xa, ya).predict_proba(xb)[:, 1]
        return logit((k * p + prior) / (k + 1))
    if name == "svc":
        folds = int(min(5, ya.sum()))
        m = CalibratedClassifierCV(SVC(C=1, gamma="scale"), method="sigmoid", cv=folds, ensemble=False)
        return logit(m.fit(xa, ya).predict_proba(xb)[:, 1])
    if name.startswith("lap"):  # lap1: exp(-1/p |x - x'|_1); also with C as in lap2c10
        from sklearn.metrics.pairwise import laplacian_kernel
        life, _, c = name[3:].partition("c")
        k = lambda a, b: laplacian_kernel(a, b, float(life) / xa.shape[1])
        m = CalibratedClassifierCV(SVC(C=float(c or 1), kernel=k), method="sigmoid", cv=int(min(5, ya.sum())), ensemble=False)
        return logit(m.fit(xa, ya).predict_proba(xb)[:, 1])
    if name.startswith("mon"):  # the same as a forest; mon2t500: of 500 trees (200)
        life, _, trees = name[3:].partition("t")
        return machine(xa, ya, xb, float(life), 1, int(trees or 200))
    if name == "klr":  # RBF kernel logistic regression: all rows as centres up to 600, Nystroem above
        from sklearn.kernel_approximation import Nystroem
        f = Nystroem(gamma=1 / xa.shape[1], n_components=min(600, len(ya)), random_state=1).fit(xa)
        return logit(LogisticRegression(C=3, max_iter=500).fit(f.transform(xa), ya).predict_proba(f.transform(xb))[:, 1])
    if name == "gp":  # Laplace, fixed kernel of amplitude 2 and length sqrt(features)
        from sklearn.gaussian_process import GaussianProcessClassifier
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel
        if len(ya) > 1500:
            return None
        kernel = ConstantKernel(4.0) * RBF(np.sqrt(xa.shape[1]))
        return logit(GaussianProcessClassifier(kernel, optimizer=None).fit(xa, ya).predict_proba(xb)[:, 1])
    if name == "mlp":
        z = [logit(MLPClassifier((32,), alpha=0.1, learning_rate_init=0.01, batch_size=min(64, len(ya)), max_iter=60, random_state=i)
                   .fit(xa, ya).predict_proba(xb)[:, 1]) for i in range(5)]
        return np.mean(z, axis=0)
    raise SystemExit("model " + name)


def started(xa, ya, xb, start):
    """LightGBM set as our defaults are, from the prior or from a forest's out-of-bag log-odds (its own prototype base)."""
    import lightgbm
    prior = logit(np.array([ya.mean()]))[0]
    za, zb = np.full(len(ya), prior), np.full(len(xb), prior)
    if start:
        t, o = forest("rf", xa, ya, xb)
        p = np.where(np.isnan(o[:, 0]), ya.mean(), o[:, 0])
        za, zb = (logit((q * 30 + ya.mean()) / 31) for q in (p, t[:, 0]))
    m = lightgbm.LGBMClassifier(n_jobs=1, verbose=-1, n_estimators=300, learning_rate=0.05, num_leaves=15, extra_trees=True,
                                min_child_samples=1, min_child_weight=0.1, reg_lambda=1, max_delta_step=2,
                                feature_fraction_bynode=0.5, boost_from_average=False, random_state=1)
    return m.fit(xa, ya, init_score=za).predict(xb, raw_score=True) + zb


def score(data, name, train, test):
    ya = data.y[train]
    if name == "gb" or name.startswith("gb:"):
        settings = dict(item.split("=") for item in name[3:].split())
        a, b = data.lib.rows_of(data.table, train), data.lib.rows_of(data.table, test)
        z, p = data.lib.fit_mean(a, b, len(test), settings)
        data.lib.free(a, b)
        return dict(z=z, p=p)
    if name in ("catboost", "xgboost", "lightgbm", "forest"):
        return dict(z=data.fit_other(name, {}, train, test))
    xa, xb = matrix(data, train, test)
    if name in FORESTS:
        t, _ = forest(name, xa, ya, xb)
        return dict(z=logit((t[:, 0] * 30 + ya.mean()) / 31), l3=t[:, 1], l=t[:, 2], ll=t[:, 3])
    if name.endswith("-lin"):  # shares as they are, with slope and intercept by rows held out: a sum of leaves, too
        from sklearn.model_selection import StratifiedKFold
        f = np.zeros(len(ya))
        for fit, held in StratifiedKFold(int(min(5, ya.sum())), shuffle=True, random_state=1).split(xa, ya):
            f[held] = forest(name[:-4], xa[fit], ya[fit], xa[held])[0][:, 0]
        slope, shift = platt(f, ya)
        return dict(z=slope * forest(name[:-4], xa, ya, xb)[0][:, 0] + shift)
    if name in ("lgb", "lgb-start"):
        return dict(z=started(xa, ya, xb, name == "lgb-start"))
    z = smooth(name, xa, ya, xb)
    return None if z is None else dict(z=z)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("work"), p.add_argument("out"), p.add_argument("--models", default="gb,et,rf")
    p.add_argument("--half", type=int, default=0), p.add_argument("--splits", default="8")
    p.add_argument("--max-rows", type=int, default=9999), p.add_argument("--only"), p.add_argument("--skip", default="mnist-6000")
    o = p.parse_args()
    os.makedirs(o.out, exist_ok=True)
    index = pd.read_csv(os.path.join(o.work, "index.csv"))
    index = index[(index.half == o.half) & (index.rows <= o.max_rows) & ~index.set.isin(o.skip.split(","))]
    if o.half == 1:
        index = index[index.parent.isna()]
    if o.only:
        index = index[index.set.isin(o.only.split(","))]
    first, last = (int(v) for v in (o.splits if ":" in o.splits else "0:" + o.splits).split(":"))
    for r in index.sort_values("rows").itertuples():
        data = None
        for s in range(first, last):
            for name in o.models.split(","):
                path = os.path.join(o.out, "%s.%d.%s.npz" % (r.set, s, name))
                if os.path.exists(path):
                    continue
                data = data or Data(o.work, r.set)
                train, test = list(sets.splits(data.y, r.set, s + 1))[s]
                start = time.process_time()
                z = score(data, name, train, test)
                if z is not None:
                    np.savez(path, y=data.y[test], seconds=time.process_time() - start, prior=data.y[train].mean(),
                             positives=data.y[train].sum(), **z)
        print(r.set, flush=True)


if __name__ == "__main__":
    main()
