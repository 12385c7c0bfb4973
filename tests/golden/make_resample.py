#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/resample.txt: which rows imbalanced-learn keeps.

    python3 -m venv v && v/bin/pip install imbalanced-learn && v/bin/python tests/golden/make_resample.py

Rows are made by the generator of lcg.py, so the file holds results only. A line: case, rows, features, positives
first (0: negatives come first), specification of ours, then the numbers of the rows kept. cnn and oss begin at a
negative that is drawn here and given to ours as `start`. cnn needs the negatives first: imbalanced-learn compares
places among the negatives with row numbers, which is the same only then."""
from pathlib import Path

import imblearn
import numpy as np
import sklearn
from imblearn import under_sampling as u
from lcg import Lcg


def table(case, n, d, negatives_first):
    """Positives are shifted by half a unit in each feature; all numbers are floats of 24 bits."""
    r = Lcg(case)
    y = np.array([r.below(5) == 0 for _ in range(n)], dtype=int)
    if negatives_first:
        y = np.sort(y)
    x = np.array([[r.below(1 << 20) / (1 << 18) for _ in range(d)] for _ in range(n)])
    return (x + y[:, None] * 0.5).astype(np.float32), y


def start_of(y, seed):
    rows = np.flatnonzero(y == 0)
    return rows[np.random.RandomState(seed).randint(low=0, high=len(rows), size=1)][0]


def rules(y, seed):
    yield "tomek", u.TomekLinks()
    yield "tomek:clean=both", u.TomekLinks(sampling_strategy="all")
    for k in (1, 3, 4, 6):
        for kind in ("all", "mode"):
            yield f"enn:k={k}:kind={kind}", u.EditedNearestNeighbours(n_neighbors=k, kind_sel=kind)
            yield (f"enn:k={k}:kind={kind}:clean=both",
                   u.EditedNearestNeighbours(n_neighbors=k, kind_sel=kind, sampling_strategy="all"))
            yield f"renn:k={k}:kind={kind}", u.RepeatedEditedNearestNeighbours(n_neighbors=k, kind_sel=kind)
            yield f"all-knn:k={k}:kind={kind}", u.AllKNN(n_neighbors=k, kind_sel=kind)
    for k in (1, 3, 4, 5):
        yield f"ncr:k={k}", u.NeighbourhoodCleaningRule(n_neighbors=k)
    for k in (1, 3):
        yield f"nearmiss-1:k={k}", u.NearMiss(version=1, n_neighbors=k)
        yield f"nearmiss-2:k={k}", u.NearMiss(version=2, n_neighbors=k)
        for m in (2, 3):
            yield f"nearmiss-3:k={k}:m={m}", u.NearMiss(version=3, n_neighbors=k, n_neighbors_ver3=m)
    yield f"oss:start={start_of(y, seed)}", u.OneSidedSelection(random_state=seed)
    if np.all(np.diff(y) >= 0):
        yield f"cnn:start={start_of(y, seed)}", u.CondensedNearestNeighbour(random_state=seed)


def main():
    out = [f"# imbalanced-learn {imblearn.__version__}, scikit-learn {sklearn.__version__}: tests/golden/make_resample.py"]
    for case, (n, d, first) in enumerate([(60, 2, 0), (80, 3, 1), (90, 5, 0), (70, 12, 1), (120, 1, 0)]):
        x, y = table(case, n, d, first)
        for spec, rule in rules(y, case):
            try:
                rule.fit_resample(x.astype(float), y)
            except (ValueError, RuntimeError):
                continue
            kept = sorted(set(int(i) for i in rule.sample_indices_))
            if not 0 < sum(y[kept]) < len(kept):
                continue
            if "both" not in spec and sum(y[kept]) < sum(y):
                continue  # once both classes are equally many, renn there takes the positives for the larger one
            out.append(f"{case} {n} {d} {first} {spec}:scale=none " + " ".join(map(str, kept)))
    (Path(__file__).parent / "resample.txt").write_text("\n".join(out) + "\n")


main()
