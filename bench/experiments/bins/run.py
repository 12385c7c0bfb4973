#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bins where the positives are: do quantiles in which positives count for more help rare positives?

run.py SAMPLER SCARCE DATA E13_WORK WORK [--splits 5]
    -> bins.csv beside this script
    SAMPLER: the driver made from bench/sampler.c; DATA: folder of NAME.csv.gz; E13_WORK: where e13/run.py wrote its folds

255 bins of equal weight leave a tail of a hundred rows in one bin, and rare positives live in tails. With share S
the quantiles are those of a table in which positives are the share S. Only the bins change: gradients, trees and all
settings (gb's defaults, all rows) stay. From 10,000 rows on; below, 255 bins are nearly exact anyway."""
import argparse
import csv
import json
import os
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "sampling"), os.path.join(HERE, "..", "e13"), os.path.join(HERE, "..")]
import data  # noqa: E402
import folds  # noqa: E402
from common import wilcoxon  # noqa: E402

SHARES = [0, 0.1, 0.3, 0.5]
REAL = {"adult": None, "adult@1": 0.01, "adult@0.2": 0.002, "bankmarketing": None, "bankmarketing@1": 0.01,
        "bankmarketing@0.2": 0.002, "creditcard-subset": None, "covtype-subset@1": 0.01, "poker-subset@1": 0.01,
        "shuttle": None, "shuttle@0.2": 0.002}
SETTING = "sample=all min_child_weight=0.1"


def real(folder, work, name, split):
    """Files of one random third for testing."""
    d, y = data.coded(os.path.join(folder, name.split("@")[0] + ".csv.gz"))
    g, x = np.random.default_rng([split, len(y)]), d.to_numpy(np.float32)
    if REAL[name]:
        wanted = round(REAL[name] / (1 - REAL[name]) * (y == 0).sum())
        keep = np.sort(np.r_[np.flatnonzero(y == 0), g.choice(np.flatnonzero(y == 1), wanted, replace=False)])
        x, y = x[keep], y[keep]
    test = np.zeros(len(y), bool)
    for v in (0, 1):
        i = np.flatnonzero(y == v)
        test[g.choice(i, round(len(i) / 3), replace=False)] = True
    data.save(work, "now", train=(x[~test], y[~test]), test=(x[test], y[test]))
    return data.paths(work, "now")[:4]


def week(e13, work, start):
    parts = {}
    for part, path in zip(("train", "test"), folds.paths(e13, start)):
        d, y = data.coded(path)
        parts[part] = d.drop(columns=folds.IDENTITY).to_numpy(np.float32), y
    data.save(work, "now", **parts)
    return data.paths(work, "now")[:4]


def main():
    p = argparse.ArgumentParser()
    for a in ("sampler", "scarce", "data", "e13", "work"):
        p.add_argument(a)
    p.add_argument("--splits", type=int, default=5)
    o = p.parse_args()
    os.makedirs(o.work, exist_ok=True)
    out = os.path.join(HERE, "bins.csv")
    lines = []
    if os.path.exists(out):
        with open(out, newline="") as f:
            lines = list(csv.DictReader(f))
    done = {(r["set"], int(r["split"])) for r in lines}
    jobs = [("handbook weeks", s) for s in sorted({*folds.TEST, *folds.VALID})]
    jobs += [(name, s) for name in REAL for s in range(o.splits)]
    with open(out, "a", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        if not lines:
            w.writerow(["set", "split", "rows", "positives", "share", "ap", "cpu"])
        for name, split in jobs:
            if (name, split) in done:
                continue
            files = week(o.e13, o.work, split) if name == "handbook weeks" else real(o.data, o.work, name, split)
            y = np.load(files[1][2:])
            for share in SHARES:
                told = subprocess.run([o.sampler, *files, f"share={share}"], input=SETTING + "\n", text=True, check=True,
                                      stdout=subprocess.PIPE).stdout.splitlines()
                m = json.loads(told[1])
                w.writerow([name, split, len(y), int(y.sum()), share, m["ap"], m["cpu"]])
            f.flush()
    with open(out, newline="") as f:
        lines = list(csv.DictReader(f))
    gains = {s: [] for s in SHARES[1:]}
    for name in dict.fromkeys(r["set"] for r in lines):
        by = {s: np.array([float(r["ap"]) for r in lines if r["set"] == name and float(r["share"]) == s]) for s in SHARES}
        print(f"{name:20s} {by[0].mean():.4f}", *(f"{s}: {(by[s] - by[0]).mean():+.4f}" for s in SHARES[1:]),
              f"p {wilcoxon((by[0.3] - by[0]).tolist()):.2g}")
        for s in SHARES[1:]:
            gains[s].append((by[s] - by[0]).mean())
    print("over sets:", *(f"{s}: {np.mean(v):+.4f} (up {sum(x > 0 for x in v)} of {len(v)}, p {wilcoxon(v):.2g})"
                          for s, v in gains.items()))


main()
