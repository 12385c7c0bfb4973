#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E1, top rank (002, Table 3): the losses on random thirds, tuned inside each training part. Standard library only.

run.py SCARCE DATA WORK [--only SET,...] [--trials 6]
    -> e1.csv beside this script (ours); peers.py adds e1-peers.csv; table.py prints both beside the published

The paper repeats 30 times and tunes by 5 folds; here 30, 12, 6 and 2 times by `compare --tune` (three held-out quarters,
trees found by early stopping). On w8a (64,700 x 300) nothing is tuned: the defaults."""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from common import METRICS, compare, load, save  # noqa: E402

SETS = {"breast-cancer": (".csv.gz", 30, True), "pima": (".csv.gz", 12, True), "hiv-schilling": (".csv.gz", 6, True),
        "w8a": (".svm.gz", 2, False)}
METHODS = ["gb", "rankboost", "lambdamart-ap", "sgbap", "sgbap-sig", "ap-lb"]
LARGE = ["gb", "gb:n_trees=500", "rankboost", "sgbap", "ap-lb"]  # w8a: no pairs in the paper either
PAPER = "sgbap:leaf=mean:max_depth=3:max_leaves=0"  # least-squares trees, as in the paper


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce"), p.add_argument("data"), p.add_argument("work")
    p.add_argument("--only", default=""), p.add_argument("--trials", type=int, default=6)
    o = p.parse_args()
    out = os.path.join(HERE, "e1.csv")
    fits = load(out) if os.path.exists(out) else []
    for name, (suffix, repeats, tuned) in SETS.items():
        if o.only and name not in o.only.split(","):
            continue
        options = ["--repeats", str(repeats)] + (["--tune", str(o.trials)] if tuned else [])
        new = compare(o.scarce, os.path.join(o.data, name + suffix), METHODS + [PAPER] if tuned else LARGE, o.work,
                      f"e1-{name}", *options)
        fits = [f for f in fits if f["set"] != name] + [dict(f, set=name) for f in new]
        save(out, fits, ["set", "fold", "method", *METRICS[:4], "seconds"])
        print(name, flush=True)


main()
