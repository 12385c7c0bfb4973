# SPDX-License-Identifier: Apache-2.0
"""Ours against XGBoost, LightGBM, CatBoost and scikit-learn's random forest: default against default, or tuned against tuned.

    SCARCE_LIB=build/libscarce.so python compare.py WORK OUT.csv --mode default|tuned [--half 1] [--splits 10]
        [--trials 6] [--engines ours,xgboost,lightgbm,catboost,forest] [--jobs 2] [--min-rows N] [--max-rows N]
        [--defaults DEFAULT.csv]

Same rows for all. Text columns are categories for all. Tuned: trial 0 is the engine's default, the others are
drawn at random from spaces of the same meaning; each is judged by AP on a stratified quarter of the training
rows, held out (the mean over three such quarters where one has fewer than 34 positives); the best is fitted
again on all training rows. When that is the default, its line in DEFAULT.csv is taken, if there is one: the same
fit. One thread per fit."""
import argparse
import csv
import json
import multiprocessing
import os
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

import sets
from scarcelib import Scarce
from study import holdout, log_loss, precision_at_k

warnings.filterwarnings("ignore")


def log_between(g, a, b):
    return float(np.exp(g.uniform(np.log(a), np.log(b))))


def within(x, a, b, c, d):
    """x of the range a..b moved to c..d, in logarithms."""
    return float(np.exp(np.interp(np.log(x), np.log([a, b]), np.log([c, d]))))


def draw(engine, g):
    """One random trial; every engine draws the same numbers in the same order. Ours maps them to the neighbourhood of
    its defaults for small data (chosen on the development half); ours-wide takes them as the others do. CatBoost's symmetric trees are
    weaker (and 1000 by default): it gets twice the trees."""
    rate, trees = log_between(g, 0.02, 0.3), int(log_between(g, 50, 300))
    leaves, l2 = int(log_between(g, 4, 64)), log_between(g, 0.03, 30)
    weight, rows, columns = log_between(g, 0.01, 10), g.uniform(0.5, 1), g.uniform(0.4, 1)
    cap, coin = g.choice([0, 1, 2, 4]), g.random()
    if engine == "ours":
        near = dict(learning_rate=within(rate, 0.02, 0.3, 0.025, 0.1), n_trees=int(within(trees, 50, 300, 150, 600)),
                    max_leaves=int(within(leaves, 4, 64, 7, 31)), min_child_weight=within(weight, 0.01, 10, 0.03, 0.3),
                    colsample_node=columns, max_delta_step=max(1, int(cap)), splits="random")
        near["lambda"] = within(l2, 0.03, 30, 0.3, 3)
        return near
    if engine == "ours-wide":
        wide = dict(learning_rate=rate, n_trees=trees, max_leaves=leaves, min_child_weight=weight, subsample=rows,
                    colsample=columns, max_delta_step=int(cap), splits="random" if coin < 0.5 else "best")
        wide["lambda"] = l2
        return wide
    if engine == "xgboost":
        return dict(learning_rate=rate, n_estimators=trees, max_leaves=leaves, max_depth=0, grow_policy="lossguide",
                    reg_lambda=l2, min_child_weight=weight, subsample=rows, colsample_bytree=columns,
                    max_delta_step=float(cap))
    if engine == "lightgbm":
        return dict(learning_rate=rate, n_estimators=trees, num_leaves=leaves, reg_lambda=l2, min_child_weight=weight,
                    min_child_samples=1 + int(20 * coin), subsample=rows, subsample_freq=1, colsample_bytree=columns,
                    max_delta_step=float(cap))
    return dict(learning_rate=rate, iterations=2 * trees, depth=int(np.clip(round(np.log2(leaves)), 2, 6)),
                l2_leaf_reg=l2, rsm=columns, subsample=rows, bootstrap_type="Bernoulli",
                random_strength=float(2 * coin))


class Data:
    """One set in the two forms that are needed."""

    def __init__(self, work, name):
        path, _ = sets.load(work, name)
        self.lib = Scarce()
        self.table = self.lib.read(path)
        self.x, self.y = sets.frame(path)
        self.categories = [] if not hasattr(self.x, "columns") else [
            c for c in self.x if isinstance(self.x[c].dtype, pd.CategoricalDtype)]

    def take(self, rows):
        return self.x.iloc[rows] if hasattr(self.x, "columns") else self.x[rows]

    def fit_score(self, engine, params, train, test):
        if engine in ("ours", "ours-wide"):
            a, b = self.lib.rows_of(self.table, train), self.lib.rows_of(self.table, test)
            both = self.lib.fit_score(a, b, len(test), params)
            self.lib.free(a, b)
            return both
        margin = self.fit_other(engine, params, train, test)
        return margin, 1 / (1 + np.exp(-margin))

    def fit_other(self, engine, params, train, test):
        xa, xb, ya = self.take(train), self.take(test), self.y[train]
        if engine == "xgboost":
            import xgboost
            m = xgboost.XGBClassifier(n_jobs=1, tree_method="hist", enable_categorical=True, **params)
            return m.fit(xa, ya).predict(xb, output_margin=True)
        if engine == "lightgbm":
            import lightgbm
            m = lightgbm.LGBMClassifier(n_jobs=1, verbose=-1, **params)
            return m.fit(xa, ya).predict(xb, raw_score=True)
        if engine == "forest":
            return self.forest(xa, xb, ya)
        import catboost
        if self.categories:
            xa, xb = xa.copy(), xb.copy()
            for c in self.categories:
                xa[c], xb[c] = (v[c].astype(object).where(v[c].notna(), "missing").astype(str) for v in (xa, xb))
        m = catboost.CatBoostClassifier(thread_count=1, verbose=False, allow_writing_files=False,
                                        cat_features=self.categories or None, **params)
        return m.fit(xa, ya).predict(xb, prediction_type="RawFormulaVal")


    def forest(self, xa, xb, ya):
        """scikit-learn's forest knows no categories: one-hot (values in ten rows or more), the rest as numbers."""
        from sklearn.compose import make_column_transformer
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder
        m = RandomForestClassifier(n_jobs=1, random_state=1)
        if self.categories:
            one_hot = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=10)
            m = make_pipeline(make_column_transformer((one_hot, self.categories), remainder="passthrough"), m)
        p = np.clip(m.fit(xa, ya).predict_proba(xb)[:, 1], 1e-4, 1 - 1e-4)  # all trees agree: no loss without end
        return np.log(p / (1 - p))


def judge(data, engine, params, folds):
    """Mean AP over the held-out parts."""
    return float(np.mean([average_precision_score(data.y[valid], data.fit_score(engine, params, fit, valid)[0])
                          for fit, valid in folds]))


def search(data, engine, trials, folds, split):
    """(settings of the best trial, the AP of all of them)"""
    g = np.random.default_rng([3, split])  # the same draws for every engine
    tried = [{}] + [draw(engine, g) for _ in range(trials - 1)]
    ap = [judge(data, engine, p, folds) for p in tried]
    return tried[int(np.argmax(ap))], ap


def run(job):
    work, name, split, n_splits, engines, mode, trials, known = job
    data = Data(work, name)
    train, test = list(sets.splits(data.y, name, n_splits))[split]
    quarters = 3 if data.y[train].sum() < 4 * 34 else 1
    folds = [holdout(data.y, train, 0.25, [11, split] + [j] * (j > 0)) for j in range(quarters)]
    out = []
    for engine in engines:
        start, params, tried = time.time(), {}, []
        if mode == "tuned":
            params, tried = search(data, engine, trials, folds, split)
        if not params and engine in known:
            ap, pk, loss = known[engine]
        else:
            score, p = data.fit_score(engine, params, train, test)
            loss = log_loss(data.y[test], p)
            ap, pk = average_precision_score(data.y[test], score), precision_at_k(data.y[test], score)
        out.append((name, split, mode, engine, round(ap, 6), round(pk, 6), round(loss, 6), round(time.time() - start, 3),
                    json.dumps({k: round(v, 4) if isinstance(v, float) else str(v) for k, v in params.items()}),
                    " ".join("%.4f" % v for v in tried)))
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("work"), p.add_argument("out")
    p.add_argument("--mode", default="default"), p.add_argument("--half", default="1")
    p.add_argument("--splits", type=int, default=10), p.add_argument("--trials", type=int, default=6)
    p.add_argument("--engines", default="ours,xgboost,lightgbm,catboost,forest"), p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--min-rows", type=int, default=0), p.add_argument("--max-rows", type=int, default=10 ** 9)
    p.add_argument("--only"), p.add_argument("--thinned", action="store_true"), p.add_argument("--defaults")
    o = p.parse_args()
    index = pd.read_csv(os.path.join(o.work, "index.csv"), keep_default_na=False)
    if o.half != "all":
        index = index[index.half == int(o.half)]
    index = index[(index.rows >= o.min_rows) & (index.rows <= o.max_rows)]
    if not o.thinned:
        index = index[(index.parent == "") & ~index.set.str.startswith("sim-")]
    if o.only:
        index = index[index.set.isin(o.only.split(","))]
    done = set()
    new = not os.path.exists(o.out)
    if not new:
        d = pd.read_csv(o.out)
        done = set(zip(d.set, d.split, d["mode"], d.engine))
    known = {}
    if o.defaults and o.mode == "tuned":
        for r in pd.read_csv(o.defaults).itertuples():
            known.setdefault((r.set, r.split), {})[r.engine] = (r.ap, r.pk, r.loss)
    jobs = []
    for split in range(o.splits):
        for r in index.sort_values("rows").itertuples():
            if split >= sets.n_splits_of(o.splits, r.rows):
                continue
            engines = [e for e in o.engines.split(",") if (r.set, split, o.mode, e) not in done]
            if engines:
                jobs.append((o.work, r.set, split, sets.n_splits_of(o.splits, r.rows), engines, o.mode, o.trials,
                             known.get((r.set, split), {})))
    with open(o.out, "a", newline="") as f, multiprocessing.get_context("fork").Pool(o.jobs) as pool:
        w = csv.writer(f, lineterminator="\n")
        if new:
            w.writerow(["set", "split", "mode", "engine", "ap", "pk", "loss", "seconds", "params", "trials"])
        for rows in pool.imap_unordered(run, jobs):
            w.writerows(rows)
            f.flush()


if __name__ == "__main__":
    main()
