# SPDX-License-Identifier: Apache-2.0
"""Columns of many categories as sets, as numbers, as numbers of pairs, and as `auto` chooses; beside CatBoost.

    python run.py DATA SCARCE [--catboost] [--splits 2] amazon diabetes30 adult ...

DATA: folder of NAME.csv.gz with the column `label`; all columns of amazon are categories. Stratified splits, 2/3 to
train; one thread; prints AP and seconds of training and scoring. See docs/research/categories.md."""
import argparse
import os
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

ALL_CATEGORIES = {"amazon"}  # ids without an order


def load(folder, name):
    x = pd.read_csv(os.path.join(folder, name + ".csv.gz"))
    y = x.pop("label").to_numpy(int)
    for c in x:
        if name in ALL_CATEGORIES:
            x[c] = "v" + x[c].astype(str)
        elif not pd.api.types.is_numeric_dtype(x[c]):
            x[c] = x[c].fillna("NA")
    return x, y


def split(y, s):
    g = np.random.default_rng([0, s, len(y)])
    test = np.zeros(len(y), bool)
    for v in (0, 1):
        i = np.flatnonzero(y == v)
        test[g.choice(i, int(round(len(i) / 3)), replace=False)] = True
    return np.flatnonzero(~test), np.flatnonzero(test)


def ours(scarce, x, y, train, test, categories):
    with tempfile.TemporaryDirectory() as d:
        x.iloc[train].assign(label=y[train]).to_csv(d + "/a.csv", index=False)
        x.iloc[test].to_csv(d + "/b.csv", index=False)
        start = time.perf_counter()
        subprocess.run([scarce, "train", d + "/a.csv", "-o", d + "/m", "--quiet", "--threads", "1", "--set",
                        "categories=" + categories], check=True)
        subprocess.run([scarce, "score", d + "/m", d + "/b.csv", "--quiet", "-o", d + "/s.csv"], check=True)
        seconds = time.perf_counter() - start
        return pd.read_csv(d + "/s.csv")["score"].to_numpy(), seconds


def catboost(x, y, train, test):
    from catboost import CatBoostClassifier
    texts = [c for c in x if not pd.api.types.is_numeric_dtype(x[c])]
    start = time.perf_counter()
    m = CatBoostClassifier(thread_count=1, verbose=False, allow_writing_files=False, cat_features=texts)
    score = m.fit(x.iloc[train], y[train]).predict(x.iloc[test], prediction_type="RawFormulaVal")
    return score, time.perf_counter() - start


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("data"), p.add_argument("scarce"), p.add_argument("sets", nargs="+")
    p.add_argument("--catboost", action="store_true"), p.add_argument("--splits", type=int, default=2)
    a = p.parse_args()
    for name in a.sets:
        x, y = load(a.data, name)
        for s in range(a.splits):
            train, test = split(y, s)
            ways = {c: lambda c=c: ours(a.scarce, x, y, train, test, c) for c in ("sets", "numbers", "pairs", "auto")}
            if a.catboost:
                ways["CatBoost"] = lambda: catboost(x, y, train, test)
            out = []
            for way, run in ways.items():
                score, seconds = run()
                out.append(f"{way} {average_precision_score(y[test], score):.4f} ({seconds:.1f} s)")
            print(name, s, " | ".join(out), flush=True)


main()
