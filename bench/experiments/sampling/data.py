# SPDX-License-Identifier: Apache-2.0
"""The sets of the sampling study as .npy files (train, valid, test), made when they aren't there yet. Needs numpy."""
import csv
import os
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import gen_data  # noqa: E402

# rows, test rows, share of positives, drift[, seed]
MADE = {"made 0.02 %": (1_000_000, 1_000_000, 0.0002, 0), "made 0.05 %": (1_000_000, 1_000_000, 0.0005, 0),
        "made 0.2 %": (1_000_000, 430_000, 0.002, 0), "made 1 %": (400_000, 200_000, 0.01, 0),
        "made 5 %": (200_000, 100_000, 0.05, 0), "drift 0.2 %": (1_000_000, 430_000, 0.002, 0.6),
        "made 0.2 % again": (1_000_000, 430_000, 0.002, 0, 2),
        "large 0.2 %": (10_000_000, 430_000, 0.002, 0), "large 0.02 %": (10_000_000, 1_000_000, 0.0002, 0)}  # bench/run --full sampling
STREAM = "fraud hard"
REAL = {"bankmarketing": None, "bankmarketing@1": 0.01, "adult@1": 0.01, "creditcard-subset": None,
        "poker-subset@0.5": 0.005, "shuttle@0.2": 0.002}


def stem(work, name):
    return os.path.join(work, name.replace(" %", "").replace(" ", "_").replace("@", "-"))


def paths(work, name, threads=1):
    s = stem(work, name)
    return [f"X={s}_train_X.npy", f"y={s}_train_y.npy", f"test_X={s}_test_X.npy", f"test_y={s}_test_y.npy",
            f"valid_X={s}_valid_X.npy", f"valid_y={s}_valid_y.npy", f"threads={threads}"]


def save(work, name, **parts):
    for part, (x, y) in parts.items():
        np.save(f"{stem(work, name)}_{part}_X.npy", np.ascontiguousarray(x, np.float32))
        np.save(f"{stem(work, name)}_{part}_y.npy", np.ascontiguousarray(y, np.uint8))


def coded(path):
    """A CSV as floats: texts become the number of their category in alphabetical order."""
    import pandas as pd
    d = pd.read_csv(path)
    y = d.pop("label").to_numpy()
    for c in d:
        if not pd.api.types.is_numeric_dtype(d[c]):
            d[c] = d[c].astype("category").cat.codes
    return d, y


def make_stream(work, scarce, rows=2_000_000):
    """Simulated payments: the first 60 % of the time train, then 4 % are a gap, 8 % validate, the rest tests."""
    path = stem(work, STREAM) + ".csv"
    subprocess.run([scarce, "simulate", "fraud", "--preset", "hard", "--transactions", str(rows), "--quiet", "-o", path],
                   check=True)
    d, y = coded(path)
    os.remove(path)
    d = d.drop(columns=[c for c in ("tx_id", "card", "terminal", "time", "label_time", "scenario") if c in d])
    n = len(d)
    a, b, c = int(0.60 * n), int(0.64 * n), int(0.72 * n)
    x = d.to_numpy(np.float32)
    save(work, STREAM, train=(x[:a], y[:a]), valid=(x[b:c], y[b:c]), test=(x[c:], y[c:]))


def make_real(work, folder, name):
    """Two thirds train, a ninth validates, the rest tests, by class; positives may be thinned first."""
    d, y = coded(os.path.join(folder, name.split("@")[0] + ".csv.gz"))
    g = np.random.default_rng(1)
    x, share = d.to_numpy(np.float32), REAL[name]
    if share:
        wanted = round(share / (1 - share) * (y == 0).sum())
        keep = np.sort(np.r_[np.flatnonzero(y == 0), g.choice(np.flatnonzero(y == 1), wanted, replace=False)])
        x, y = x[keep], y[keep]
    part = np.empty(len(y), int)
    for v in (0, 1):
        i = g.permutation(np.flatnonzero(y == v))
        part[i] = np.searchsorted([6 / 9, 7 / 9], (np.arange(len(i)) + 0.5) / len(i))
    save(work, name, **{p: (x[part == k], y[part == k]) for k, p in enumerate(("train", "valid", "test"))})


def make(work, name, scarce=None, folder=None):
    os.makedirs(work, exist_ok=True)
    if os.path.exists(stem(work, name) + "_test_y.npy"):
        return
    if name == STREAM:
        make_stream(work, scarce)
    elif name in REAL:
        make_real(work, folder, name)
    else:
        rows, test, share, drift, *seed = MADE[name]
        end = drift * rows / (rows + test)
        how = {"positives": share, "seed": seed[0] if seed else 1}
        save(work, name, train=gen_data.make(rows, part=0, way=(0.0, end), **how),
             valid=gen_data.make(min(test, 200_000), part=2, way=(end, end), **how),
             test=gen_data.make(test, part=1, way=(end, float(drift)), **how))
