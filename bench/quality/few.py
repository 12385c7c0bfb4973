# SPDX-License-Identifier: Apache-2.0
"""Few positives, judged by many: training parts of the development sets with all but 6, 12, 25, 50 or 100 of their positives
taken away, test parts left whole (their positives weighted down in the log loss), so that a setting is told from
another with less noise than on sets that have twenty positives in all.

    SCARCE_LIB=build/libscarce.so python few.py WORK OUT.csv [--draws 4] [--catboost] "" "lambda=3" ...

Settings as in study.py. One line per set, draw and setting; lines that OUT.csv has are not computed again."""
import argparse
import csv
import os
import time

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

import sets
from compare import Data
from study import parse, precision_at_k

LEAST = 60  # positives of a set in all


def weighted_loss(y, score, weight):
    margin = np.where(y == 1, score, -score)
    w = np.where(y == 1, weight, 1.0)
    return float((w * np.logaddexp(0, -margin)).sum() / w.sum())


def cases(y, name, draws):
    """(name of the case, training rows, test rows, weight of a test positive)"""
    for k in (6, 12, 25, 50, 100):
        for d, (train, test) in enumerate(sets.splits(y, name, draws)):
            g = np.random.default_rng([17, k, d])
            pos = train[y[train] == 1]
            if len(pos) < 1.5 * k:
                continue
            keep = np.sort(np.r_[train[y[train] == 0], g.choice(pos, k, replace=False)])
            yield "%s:%d" % (name, k), d, keep, test, k / len(pos)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("work"), p.add_argument("out"), p.add_argument("setting", nargs="*")
    p.add_argument("--draws", type=int, default=4), p.add_argument("--catboost", action="store_true")
    p.add_argument("--half", type=int, default=0)
    o = p.parse_intermixed_args()
    index = pd.read_csv(os.path.join(o.work, "index.csv"), keep_default_na=False)
    index = index[(index.half == o.half) & (index.rows < 10000) & (index.positives >= LEAST) & (index.parent == "")]
    done = set()
    if os.path.exists(o.out):
        d = pd.read_csv(o.out, keep_default_na=False)
        done = set(zip(d.set, d.split, d.setting))
    new = not done
    with open(o.out, "a", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        if new:
            w.writerow(["set", "split", "setting", "ap", "pk", "loss", "seconds"])
        for name in index.sort_values("rows").set:
            if name.startswith("mnist"):
                continue
            data = Data(o.work, name)
            for case, d, train, test, weight in cases(data.y, name, o.draws):
                for setting in o.setting + ["catboost"] * o.catboost:
                    if (case, d, setting) in done:
                        continue
                    start = time.process_time()
                    if setting == "catboost":
                        score = data.fit_other("catboost", {}, train, test)
                    else:
                        a, b = data.lib.rows_of(data.table, train), data.lib.rows_of(data.table, test)
                        score, _ = data.lib.fit_mean(a, b, len(test), parse(setting))
                        data.lib.free(a, b)
                    y = data.y[test]
                    w.writerow([case, d, setting, round(average_precision_score(y, score), 6), round(precision_at_k(y, score), 6),
                                round(weighted_loss(y, score, weight), 6), round(time.process_time() - start, 4)])
                    f.flush()


if __name__ == "__main__":
    main()
