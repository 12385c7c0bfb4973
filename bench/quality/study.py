# SPDX-License-Identifier: Apache-2.0
"""Tries settings of `gb` over the sets of one half; one line per set, split and setting.

    SCARCE_LIB=build/libscarce.so python study.py WORK OUT.csv [--half 0|1|all] [--splits 5] [--jobs 2]
        [--only SET,...] [--min-rows N] [--max-rows N] "" "max_delta_step=1" "n_trees=500 splits=random" ...

A setting is a list of NAME=VALUE; "" is the program's own defaults. early=K holds a fifth of the training
rows out and stops after K trees without a better AP there; seeds=K averages the scores of K seeds; method=NAME is
another method. Lines that OUT.csv has already are not
computed again. Average precision by scikit-learn. The number of splits is that asked for up to 10,000
rows, a third of it (at least 3) above."""
import argparse
import csv
import multiprocessing
import os
import time

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

import sets
from scarcelib import Scarce


def precision_at_k(y, score):
    """Precision in the top k, k = number of positives; ties count by their share."""
    k = int(y.sum())
    order = np.argsort(-score, kind="stable")
    edge = score[order[k - 1]]
    above, tied = score > edge, score == edge
    return (y[above].sum() + y[tied].mean() * (k - above.sum())) / k


def log_loss(y, p):
    p = np.clip(np.where(np.isnan(p), y.mean(), p), 1e-15, 1 - 1e-15)
    return float(-np.mean(np.where(y == 1, np.log(p), np.log1p(-p))))


def holdout(y, rows, share, seed):
    """(fit, valid) rows out of `rows`, stratified."""
    g = np.random.default_rng(seed)
    out = np.zeros(len(rows), bool)
    for v in (0, 1):
        i = np.flatnonzero(y[rows] == v)
        out[g.choice(i, max(1, int(round(len(i) * share))), replace=False)] = True
    return rows[~out], rows[out]


def parse(setting):
    return dict(item.split("=", 1) for item in setting.split())


def run_set(job):
    work, name, todo, n_splits = job
    path, _ = sets.load(work, name)
    lib = Scarce()
    table = lib.read(path)
    y = lib.label(table)
    out = []
    for s, (train, test) in enumerate(sets.splits(y, name, n_splits)):
        settings = [c for (split, c) in todo if split == s]
        if not settings:
            continue
        a, b = lib.rows_of(table, train), lib.rows_of(table, test)
        fit, valid = holdout(y, train, 0.2, [5, s])
        fa, fv = lib.rows_of(table, fit), lib.rows_of(table, valid)
        for setting in settings:
            o = parse(setting)
            early = int(o.pop("early", 0))
            start = time.process_time()
            if early:
                score, p = lib.fit_mean(fa, b, len(test), o, valid=fv, early_stop=early)
            else:
                score, p = lib.fit_mean(a, b, len(test), o)
            sec = time.process_time() - start
            out.append((name, s, setting, round(average_precision_score(y[test], score), 6),
                        round(precision_at_k(y[test], score), 6), round(log_loss(y[test], p), 6), round(sec, 3)))
        lib.free(a, b, fa, fv)
    lib.free(table)
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("work"), p.add_argument("out"), p.add_argument("setting", nargs="+")
    p.add_argument("--half", default="0"), p.add_argument("--splits", type=int, default=5)
    p.add_argument("--jobs", type=int, default=2), p.add_argument("--only"), p.add_argument("--skip", default="")
    p.add_argument("--min-rows", type=int, default=0), p.add_argument("--max-rows", type=int, default=10 ** 9)
    o = p.parse_args()
    index = pd.read_csv(os.path.join(o.work, "index.csv"))
    if o.half != "all":
        index = index[index.half == int(o.half)]
    index = index[(index.rows >= o.min_rows) & (index.rows <= o.max_rows)]
    if o.only:
        index = index[index.set.isin(o.only.split(","))]
    index = index[~index.set.isin(o.skip.split(","))]
    done = set()
    if os.path.exists(o.out):
        d = pd.read_csv(o.out, keep_default_na=False)
        done = set(zip(d.set, d.split, d.setting))
    jobs = []
    for r in index.sort_values("rows", ascending=False).itertuples():
        n = sets.n_splits_of(o.splits, r.rows)
        todo = [(s, c) for s in range(n) for c in o.setting if (r.set, s, c) not in done]
        if todo:
            jobs.append((o.work, r.set, todo, n))
    new = not os.path.exists(o.out)
    with open(o.out, "a", newline="") as f, multiprocessing.get_context("fork").Pool(o.jobs, maxtasksperchild=1) as pool:
        w = csv.writer(f, lineterminator="\n")
        if new:
            w.writerow(["set", "split", "setting", "ap", "pk", "loss", "seconds"])
        for rows in pool.imap_unordered(run_set, jobs):
            w.writerows(rows)
            f.flush()


if __name__ == "__main__":
    main()
