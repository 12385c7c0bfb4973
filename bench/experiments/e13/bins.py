#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E13 with bins where the positives are: the trials of run.py through the driver made from bench/sampler.c.

bins.py SAMPLER WORK OUT.csv [--trials 16] [--share 0.3]
    appends lines like those of run.py, engine "scarce gb, bins by class"

Only the quantiles differ: they are those of a table in which positives are the share --share (../bins/run.py)."""
import argparse
import csv
import json
import os
import subprocess

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score, roc_auc_score

import folds
from peers import COLUMNS, card_precision
from trials import draw

NAME = "scarce gb, bins by class"


def line_of(trial):
    if trial < 0:
        return "sample=all min_child_weight=0.1"
    p = draw("scarce", trial)
    return " ".join([f"sample=stratified fraction={p.pop('subsample')}", *(f"{k}={v}" for k, v in p.items())])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("sampler"), p.add_argument("work"), p.add_argument("out")
    p.add_argument("--trials", type=int, default=16), p.add_argument("--share", type=float, default=0.3)
    o = p.parse_args()
    done = set()
    if os.path.exists(o.out):
        with open(o.out, newline="") as f:
            done = {(r["engine"], int(r["trial"]), int(r["start"])) for r in csv.DictReader(f)}
    new = not done
    with open(o.out, "a", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        if new:
            w.writeheader()
        for start, part in [(s, "test") for s in folds.TEST] + [(s, "valid") for s in folds.VALID]:
            todo = [t for t in range(-1, o.trials) if (NAME, t, start) not in done]
            if not todo:
                continue
            files, tables = [], [pd.read_csv(path) for path in folds.paths(o.work, start)]
            for d, prefix in zip(tables, ("", "test_")):
                stem = os.path.join(o.work, f"bins_{prefix}{os.getpid()}")
                np.save(stem + "_X.npy", np.ascontiguousarray(d.drop(columns=[*folds.IDENTITY, "label"]).to_numpy(np.float32)))
                np.save(stem + "_y.npy", d.label.to_numpy(np.uint8))
                files += [f"{prefix}X={stem}_X.npy", f"{prefix}y={stem}_y.npy"]
            scores = os.path.join(o.work, f"bins_scores_{os.getpid()}")
            driver = subprocess.Popen([o.sampler, *files, f"share={o.share}", "threads=1"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
            driver.stdout.readline()
            for trial in todo:
                driver.stdin.write(f"{line_of(trial)} scores={scores}\n")
                driver.stdin.flush()
                told, test = json.loads(driver.stdout.readline()), tables[1]
                s = np.loadtxt(scores)
                w.writerow({"engine": NAME, "trial": trial, "part": part, "start": start,
                            "ap": round(average_precision_score(test.label, s), 6),
                            "card_precision_at_k": round(card_precision(test, s), 6),
                            "auc_roc": round(roc_auc_score(test.label, s), 6), "seconds": told["cpu"],
                            "settings": json.dumps({} if trial < 0 else draw("scarce", trial))})
                f.flush()
            driver.stdin.close()
            driver.wait()
            for name in [x.split("=", 1)[1] for x in files] + [scores]:
                os.remove(name)


main()
