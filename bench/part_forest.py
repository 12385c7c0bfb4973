# SPDX-License-Identifier: Apache-2.0
"""Forests and ensembles beside scikit-learn's and imbalanced-learn's: time of training and of scoring on rows made up,
and, with SETS=FOLDER of NAME.csv.gz files (a header, numbers, `label` last), AP over ten public sets."""
import os
import tempfile
from pathlib import Path

import numpy as np
from harness import Worker, data_set, driver, python, ratios, take_turns, threads_text

OURS = "scarce"
# ours, theirs, whose
PAIRS = [("random-forest", "random-forest", "scikit-learn"),
         ("balanced-random-forest", "balanced-random-forest", "imbalanced-learn"),
         ("easy-ensemble", "easy-ensemble", "imbalanced-learn")]
SETS = ["pima", "yeast1", "yeast4", "vehicle", "page-blocks0", "spambase", "redwinequality4", "winequality-3-6vs7-9",
        "creditcard-subset", "abalone8-onehot"]


def jobs(d, ours, theirs, whose, threads, what):
    data = [d["X"], d["y"], d["test_X"], d["test_y"], str(threads)]
    return [Worker(OURS, driver("forest", *data, ours, what), threads),
            Worker(whose, python("peers_forest.py", *data, theirs, what), threads)]


def filled(d):
    """imbalanced-learn takes no missing values."""
    out = dict(d)
    for key in ("X", "test_X"):
        out[key] = str(d[key]).replace(".npy", "_filled.npy")
        if not Path(out[key]).exists():
            np.save(out[key], np.nan_to_num(np.load(d[key])))
    return out


def speed(a):
    n, out = 10_000 if a.quick else 100_000, []
    d = filled(data_set("forest", n, test=n, features=30, positives=0.01))
    for ours, theirs, whose in PAIRS:
        for what in ("train", "score"):
            workers = jobs(d, ours, theirs, whose, a.threads, what)
            if what == "score":
                data = [d["X"], d["y"], d["test_X"], d["test_y"], str(a.threads)]
                workers.append(Worker("scarce, its scorer made for it", driver("forest", *data, ours, "anew"), a.threads))
            take_turns(workers, a.rounds or 3, budget=60, least=1)
            setting = f"{ours}: {what}, {n} x 30, 1 % positives, {threads_text(a.threads)}"
            rows = [w.row(setting) for w in workers]
            out += ratios(ratios(rows, OURS), OURS, "cpu_s", "cpu_ratio")
    return out


def read(name):
    import pandas as pd
    d = pd.read_csv(Path(os.environ["SETS"]) / f"{name}.csv.gz")
    for column in d.columns.drop("label"):  # texts are numbered, the same for all engines
        if not pd.api.types.is_numeric_dtype(d[column]):
            d[column] = pd.factorize(d[column], sort=True)[0]
    return d.drop(columns="label").to_numpy(np.float32), d["label"].to_numpy(np.uint8)


def quality(a):
    """Paired: the same splits for both, two thirds train; a set counts by the mean over its splits."""
    from sklearn.model_selection import StratifiedShuffleSplit
    repeats, out = 2 if a.quick else 6, []
    ap = {ours: {} for ours, _, _ in PAIRS}
    with tempfile.TemporaryDirectory() as folder:
        d = {k: f"{folder}/{k}.npy" for k in ("X", "y", "test_X", "test_y")}
        for name in SETS[:3] if a.quick else SETS:
            X, y = read(name)
            X = np.nan_to_num(X)
            for train, test in StratifiedShuffleSplit(repeats, test_size=1 / 3, random_state=1).split(X, y):
                for key, value in (("X", X[train]), ("y", y[train]), ("test_X", X[test]), ("test_y", y[test])):
                    np.save(d[key], value)
                for ours, theirs, whose in PAIRS:
                    both = [w.end().info["ap"] for w in jobs(d, ours, theirs, whose, a.threads, "train")]
                    ap[ours].setdefault(name, []).append(both)
            print(f"  {name}: " + ", ".join(f"{m} {np.mean(v[name], axis=0).round(4)}" for m, v in ap.items()), flush=True)
    for ours, _, whose in PAIRS:
        per_set = np.array([np.mean(v, axis=0) for v in ap[ours].values()])
        difference = per_set[:, 0] - per_set[:, 1]
        for k, engine in enumerate((OURS, whose)):
            won = difference > 0 if k == 0 else difference < 0
            out.append({"setting": f"{ours}: AP, {len(per_set)} sets x {repeats} splits", "engine": engine,
                        "n": len(per_set), "ap": round(per_set[:, k].mean(), 4), "won": int(won.sum()),
                        "mean_gain": round(difference.mean() * (1 - 2 * k), 4)})
    return out


def run(a):
    sets = os.environ.get("SETS")
    rows = speed(a) + (quality(a) if sets else [])
    notes = ["Defaults of all: 100 trees for forests; imbalanced-learn's EasyEnsemble has 10 members of 50 stumps. Missing "
             "values are zeros for all, since imbalanced-learn takes none. A fitted estimator has its trees ready for scoring, and so "
             "has ours; \"made for it\" lays them out for each call first."]
    if not sets:
        notes.append("No folder of public sets was given (SETS=FOLDER): quality was not measured.")
    return "forests and ensembles", rows, notes
