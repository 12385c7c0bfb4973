# SPDX-License-Identifier: Apache-2.0
"""Which part of CatBoost makes it good on few positives? Its default and one change at a time, over sets of the
development half; one line per set, split and change.

    SCARCE_LIB=build/libscarce.so python ablate.py WORK OUT.csv [--splits 8] [--jobs 2] [--sets A,B,...] [--changes a,b,...]

Split by split, so that it may be stopped at any time; lines that OUT.csv has are not computed again. table.py reads
the file."""
import argparse
import csv
import multiprocessing
import os
import time

import pandas as pd
from sklearn.metrics import average_precision_score

import sets
from compare import Data
from study import log_loss, precision_at_k

BEHIND = ("zoo-3", "glass4", "winequality-white-3vs7", "winequality-white-3-9vs5", "breast-cancer", "abalone-17vs7-8-9-10")
AHEAD = ("winequality-red-8vs6-7", "ecoli3", "yeast5", "yeast-0-5-6-7-9vs4", "yeast4")
CHANGES = {
    "": {},
    "noise 0": dict(random_strength=0),
    "noise 2": dict(random_strength=2),
    "base by share": dict(boost_from_average=True),
    "by leaf": dict(grow_policy="Lossguide", max_leaves=31),
    "by level": dict(grow_policy="Depthwise"),
    "score L2": dict(score_function="L2"),
    "no bootstrap": dict(bootstrap_type="No"),
    "Bayesian bootstrap": dict(bootstrap_type="Bayesian"),
    "ordered": dict(boosting_type="Ordered"),
    "lambda 1": dict(l2_leaf_reg=1),
    "lambda 10": dict(l2_leaf_reg=10),
    "one step per leaf": dict(leaf_estimation_iterations=1),
    "gradient leaves": dict(leaf_estimation_method="Gradient"),
    "rate .05 x 300": dict(learning_rate=0.05, iterations=300),
    "borders median": dict(feature_border_type="Median"),
    "borders uniform": dict(feature_border_type="Uniform"),
    "32 borders": dict(border_count=32),
    "depth 4": dict(depth=4),
    "half of the features": dict(rsm=0.5),
    "ours": None,
}


def run(job):
    work, name, split, n_splits, changes = job
    data = Data(work, name)
    train, test = list(sets.splits(data.y, name, n_splits))[split]
    out = []
    for change in changes:
        start = time.process_time()
        engine = "ours" if CHANGES[change] is None else "catboost"
        score, p = data.fit_score(engine, CHANGES[change] or {}, train, test)
        y = data.y[test]
        out.append((name, split, change, round(average_precision_score(y, score), 6), round(precision_at_k(y, score), 6),
                    round(log_loss(y, p), 6), round(time.process_time() - start, 3)))
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("work"), p.add_argument("out"), p.add_argument("--splits", type=int, default=8)
    p.add_argument("--jobs", type=int, default=2), p.add_argument("--sets", default=",".join(BEHIND + AHEAD))
    p.add_argument("--changes", default=",".join(CHANGES))
    o = p.parse_args()
    changes = o.changes.split(",")
    done, new = set(), not os.path.exists(o.out)
    if not new:
        d = pd.read_csv(o.out, keep_default_na=False)
        done = set(zip(d.set, d.split, d.setting))
    jobs = [(o.work, s, k, o.splits, [c for c in changes if (s, k, c) not in done])
            for k in range(o.splits) for s in o.sets.split(",")]
    with open(o.out, "a", newline="") as f, multiprocessing.get_context("fork").Pool(o.jobs) as pool:
        w = csv.writer(f, lineterminator="\n")
        if new:
            w.writerow(["set", "split", "setting", "ap", "pk", "loss", "seconds"])
        for rows in pool.imap_unordered(run, [j for j in jobs if j[4]]):
            w.writerows(rows)
            f.flush()


if __name__ == "__main__":
    main()
