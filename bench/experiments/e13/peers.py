#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E13, the others: scikit-learn's, XGBoost, LightGBM, CatBoost on the folds that run.py wrote.

peers.py WORK OUT.csv [--trials 40] [--engines xgboost,lightgbm,catboost]
    appends lines (engine, trial, part, start, ap, card_precision_at_k, auc_roc, seconds, settings) to OUT.csv

Trial -1 is the engine's default, the others are drawn from trials.py, the same for all. One thread."""
import argparse
import csv
import json
import os
import sys
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score, roc_auc_score

import folds
from trials import draw

warnings.filterwarnings("ignore")
COLUMNS = ["engine", "trial", "part", "start", "ap", "card_precision_at_k", "auc_roc", "seconds", "settings"]


def card_precision(d, score, k=100):
    found, out = set(), []
    for _, rows in pd.DataFrame({"day": d.time // folds.DAY, "card": d.card, "y": d.label, "s": score}).groupby("day"):
        cards = rows[~rows.card.isin(found)].groupby("card").agg({"s": "max", "y": "max"})
        top = cards.sort_values("s", ascending=False, kind="stable").head(k)
        found |= set(top.index[top.y == 1])
        out.append(top.y.sum() / k)
    return float(np.mean(out))


def model(engine, p):
    if engine == "xgboost":
        import xgboost
        return xgboost.XGBClassifier(n_jobs=1, tree_method="hist", **p)
    if engine == "xgboost exact depth 3":  # one of the settings of the Handbook's grid
        import xgboost
        return xgboost.XGBClassifier(n_jobs=1, tree_method="exact", max_depth=3, learning_rate=0.1)
    if engine == "lightgbm":
        import lightgbm
        return lightgbm.LGBMClassifier(n_jobs=1, verbose=-1, **p)
    if engine == "catboost":
        import catboost
        return catboost.CatBoostClassifier(thread_count=1, verbose=False, allow_writing_files=False, **p)
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    if engine == "sk-logistic":
        return make_pipeline(StandardScaler(), LogisticRegression(random_state=0, **p))
    if engine == "sk-forest":
        return RandomForestClassifier(random_state=0, n_jobs=1, **p)
    from imblearn.ensemble import BalancedBaggingClassifier
    from sklearn.tree import DecisionTreeClassifier
    return BalancedBaggingClassifier(estimator=DecisionTreeClassifier(max_depth=20, random_state=0), n_estimators=100,
                                     sampling_strategy=0.1, bootstrap=True, random_state=0, **p)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("work"), p.add_argument("out"), p.add_argument("--trials", type=int, default=40)
    p.add_argument("--engines", default="xgboost,lightgbm,catboost,sk-logistic,sk-forest,sk-bagging,xgboost exact depth 3")
    p.add_argument("--test-only", action="store_true")
    o = p.parse_args()
    done = set()
    if os.path.exists(o.out):
        with open(o.out, newline="") as f:
            done = {(r["engine"], int(r["trial"]), int(r["start"])) for r in csv.DictReader(f)}
    new = not done
    starts = [(s, "test") for s in folds.TEST] + ([] if o.test_only else [(s, "valid") for s in folds.VALID])
    data = {}
    for s, _ in starts:
        data[s] = [pd.read_csv(f) for f in folds.paths(o.work, s)]
    features = [c for c in data[folds.WEEK][0] if c not in (*folds.IDENTITY, "label")]
    with open(o.out, "a", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        if new:
            w.writeheader()
        for trial in range(-1, o.trials):
            for engine in o.engines.split(","):
                if (engine.startswith("sk-") or "exact" in engine) and trial >= 0:
                    continue
                settings = {} if trial < 0 else draw(engine, trial)
                for s, part in starts:
                    if (engine, trial, s) in done:
                        continue
                    a, b = data[s]
                    begun = time.process_time()
                    m = model(engine, settings).fit(a[features], a.label)
                    spent = time.process_time() - begun
                    score = m.predict_proba(b[features])[:, 1]
                    w.writerow({"engine": engine, "trial": trial, "part": part, "start": s,
                                "ap": round(average_precision_score(b.label, score), 6),
                                "card_precision_at_k": round(card_precision(b, score), 6),
                                "auc_roc": round(roc_auc_score(b.label, score), 6), "seconds": round(spent, 3),
                                "settings": json.dumps(settings)})
                    f.flush()


if __name__ == "__main__":
    main()
