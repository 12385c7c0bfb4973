#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E1, the others: XGBoost, LightGBM and CatBoost on the very splits of `scarce compare`, with as many trials.

SCARCE_LIB=build/libscarce.so peers.py DATA OUT.csv [--only SET,...] [--trials 6] [--engines xgboost,lightgbm,catboost]

The splits come from the library. A trial is judged by AP on three held-out quarters of the training part with early
stopping (as `scarce tune` does); the best is fitted again on the whole part with the mean number of trees found."""
import argparse
import csv
import ctypes as C
import os
import sys
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score, roc_auc_score

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "quality"))
import sets  # noqa: E402
from scarcelib import Scarce  # noqa: E402

warnings.filterwarnings("ignore")
SETS = {"breast-cancer": (".csv.gz", 30, True), "pima": (".csv.gz", 12, True), "hiv-schilling": (".csv.gz", 6, True),
        "w8a": (".svm.gz", 2, False)}
MOST, STOP = 500, 50


class Split(C.Structure):
    _fields_ = [("train", C.POINTER(C.c_uint32)), ("n_train", C.c_size_t), ("test", C.POINTER(C.c_uint32)),
                ("n_test", C.c_size_t)]


def holdout(lib, table, fraction, repeat):
    s = Split()
    lib.check(lib.lib.scarce_split_holdout(C.byref(s), table, C.c_double(fraction), C.c_uint64(repeat), lib.ctx,
                                           C.byref(lib.err)))
    out = (np.ctypeslib.as_array(s.train, (s.n_train,)).astype(int), np.ctypeslib.as_array(s.test, (s.n_test,)).astype(int))
    lib.lib.scarce_split_deinit(C.byref(s))
    return out


def log_between(g, a, b):
    return float(np.exp(g.uniform(np.log(a), np.log(b))))


def draw(engine, g):
    rate, leaves, l2 = log_between(g, 0.01, 0.3), int(g.integers(4, 129)), log_between(g, 0.01, 100)
    weight, cap, rows, columns = log_between(g, 0.01, 20), g.uniform(1, 4), g.uniform(0.5, 1), g.uniform(0.3, 1)
    if engine == "xgboost":
        return dict(learning_rate=rate, max_leaves=leaves, max_depth=0, grow_policy="lossguide", reg_lambda=l2,
                    min_child_weight=weight, subsample=rows, colsample_bytree=columns, max_delta_step=cap)
    if engine == "lightgbm":
        return dict(learning_rate=rate, num_leaves=leaves, reg_lambda=l2, min_child_weight=weight,
                    min_child_samples=int(g.integers(1, 21)), subsample=rows, subsample_freq=1,
                    colsample_bytree=columns, max_delta_step=cap, extra_trees=bool(g.random() < 0.5))
    return dict(learning_rate=rate, depth=int(np.clip(round(np.log2(leaves)), 2, 6)), l2_leaf_reg=l2, rsm=columns,
                subsample=rows, bootstrap_type="Bernoulli")


def fit(engine, p, x, y, trees=None, valid=None):
    """(model, trees): early stopping by average precision with `valid`."""
    if engine == "xgboost":
        import xgboost
        m = xgboost.XGBClassifier(n_jobs=1, tree_method="hist", enable_categorical=True, eval_metric="aucpr",
                                  n_estimators=trees or MOST, early_stopping_rounds=STOP if valid else None, **p)
        m.fit(x, y, eval_set=[valid] if valid else None, verbose=False)
        return m, m.best_iteration + 1 if valid else trees
    if engine == "lightgbm":
        import lightgbm
        m = lightgbm.LGBMClassifier(n_jobs=1, verbose=-1, n_estimators=trees or MOST, **p)
        calls = [lightgbm.early_stopping(STOP, verbose=False)] if valid else None
        m.fit(x, y, eval_set=[valid] if valid else None, eval_metric="average_precision", callbacks=calls)
        return m, m.best_iteration_ if valid else trees
    import catboost
    cats = [c for c in x if isinstance(x[c].dtype, pd.CategoricalDtype)] if hasattr(x, "columns") else []
    m = catboost.CatBoostClassifier(thread_count=1, verbose=False, allow_writing_files=False, eval_metric="PRAUC",
                                    iterations=trees or MOST, cat_features=cats or None, **p)
    m.fit(texts(x, cats), y, eval_set=(texts(valid[0], cats), valid[1]) if valid else None,
          early_stopping_rounds=STOP if valid else None)
    return m, m.tree_count_ if valid else trees


def texts(x, cats):
    return x.assign(**{c: x[c].astype(object).where(x[c].notna(), "missing").astype(str) for c in cats}) if cats else x


def score(engine, m, x):
    if engine == "catboost" and hasattr(x, "columns"):
        x = texts(x, [c for c in x if isinstance(x[c].dtype, pd.CategoricalDtype)])
    return m.predict_proba(x)[:, 1]


def precision_at_k(y, s):
    k = int(y.sum())
    edge = np.sort(s)[-k]
    above, tied = s > edge, s == edge
    return (y[above].sum() + y[tied].mean() * (k - above.sum())) / k


def pos_at_top(y, s):
    return float((s[y == 1] > s[y == 0].max()).mean())


def run(lib, table, x, y, engine, repeat, trials):
    take = lambda rows: x.iloc[rows] if hasattr(x, "columns") else x[rows]
    train, test = holdout(lib, table, 0.3333, repeat)
    begun, best, chosen, trees = time.process_time(), -1, {}, 100
    if trials:
        part = lib.rows_of(table, train)
        g = np.random.default_rng([7, repeat])
        quarters = [holdout(lib, part, 0.25, 1000 + r) for r in range(3)]
        for t in range(trials):
            p, aps, counts = {} if t == 0 else draw(engine, g), [], []
            for a, b in quarters:
                a, b = train[a], train[b]
                m, n = fit(engine, p, take(a), y[a], valid=(take(b), y[b]))
                aps.append(average_precision_score(y[b], score(engine, m, take(b))))
                counts.append(n)
            if np.mean(aps) > best:
                best, chosen, trees = np.mean(aps), p, max(1, int(np.mean(counts)))
        lib.free(part)
    m, _ = fit(engine, chosen, take(train), y[train], trees=trees)
    s = score(engine, m, take(test))
    return [average_precision_score(y[test], s), precision_at_k(y[test], s), pos_at_top(y[test], s),
            roc_auc_score(y[test], s), time.process_time() - begun]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data"), p.add_argument("out")
    p.add_argument("--only", default=""), p.add_argument("--trials", type=int, default=6)
    p.add_argument("--engines", default="xgboost,lightgbm,catboost")
    o = p.parse_args()
    done = set()
    if os.path.exists(o.out):
        with open(o.out, newline="") as f:
            done = {(r["set"], r["method"], int(r["fold"])) for r in csv.DictReader(f)}
    new, lib = not os.path.exists(o.out), Scarce()
    with open(o.out, "a", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        if new:
            w.writerow(["set", "fold", "method", "ap", "precision_at_k", "pos_at_top", "auc_roc", "seconds"])
        for name, (suffix, repeats, tuned) in SETS.items():
            if o.only and name not in o.only.split(","):
                continue
            path = os.path.join(o.data, name + suffix)
            table = lib.read(path)
            x, y = sets.frame(path)
            for repeat in range(repeats):
                for engine in o.engines.split(","):
                    if (name, engine, repeat) not in done:
                        values = run(lib, table, x, y, engine, repeat, o.trials if tuned else 0)
                        w.writerow([name, repeat, engine, *(f"{v:.6g}" for v in values)])
                        f.flush()
            lib.free(table)


if __name__ == "__main__":
    main()
