#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Average precision against cost of training on samples of the rows.

study.py SAMPLER SCARCE DATA WORK OUT.csv [--only SET,...] [--what size,how,early,both]
    SAMPLER: the driver made from bench/sampler.c (bench/run builds it beside the others); SCARCE: the program;
    DATA: folder of NAME.csv.gz; WORK: any folder (needs 2 GB). One thread. Lines that OUT.csv has are kept.

size: negatives per positive; how: refresh, pool, highest probability, other kinds of sampling; early: early stopping.
Cost is processor time from bins in memory to trees: it counts everything that sampling does itself."""
import argparse
import csv
import json
import os
import subprocess

import numpy as np

import data

SIZE = [f"sample=importance neg_per_pos={k}" for k in (3, 5, 8, 15, 30, 60)]
BASE = "sample=importance neg_per_pos=15"
HOW = [f"{BASE} refresh={r}" for r in (1, 2, 10, 20)] + [f"{BASE} pool={p}" for p in (0, 0.05, 0.5)] + \
      [f"{BASE} max_probability={m}" for m in (0.1, 0.5, 1)] + \
      ["sample=uniform fraction=0.1", "sample=stratified fraction=0.1", "sample=goss", "sample=balanced"]
EARLY = [f"{s} n_trees=1000 early=30" for s in ("sample=all", BASE)]
BOTH = [f"sample=importance neg_per_pos={k} refresh=2" for k in (5, 8, 15)]  # what the first two parts point to
COLUMNS = ["set", "rows", "positives", "setting", "seed", "trees", "cpu", "seconds", "ap", "load"]


def settings(what, name):
    trees = "" if "made" in name or "drift" in name or name == data.STREAM else " min_child_weight=0.1"
    out = [("sample=all" + trees, 1)]
    if "size" in what:
        out += [(s + trees, seed) for s in SIZE for seed in (1, 2, 3)]
    if "how" in what and name in ("made 0.02 %", "made 0.2 %"):
        out += [(s + trees, seed) for s in HOW for seed in (1, 2, 3)]
    if "both" in what:
        out += [(s + trees, seed) for s in BOTH for seed in (1, 2, 3)]
    if "early" in what and name in ("made 0.02 %", "made 0.2 %", data.STREAM, *data.REAL):
        out += [(s + trees, seed) for s in EARLY for seed in ((1,) if "all" in s else (1, 2, 3))]
    return out


def main():
    p = argparse.ArgumentParser()
    for a in ("sampler", "scarce", "data", "work", "out"):
        p.add_argument(a)
    p.add_argument("--only", default=""), p.add_argument("--what", default="size,how,early,both")
    o = p.parse_args()
    done = set()
    if os.path.exists(o.out):
        with open(o.out, newline="") as f:
            done = {(r["set"], r["setting"], int(r["seed"])) for r in csv.DictReader(f)}
    new = not os.path.exists(o.out)
    with open(o.out, "a", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        if new:
            w.writeheader()
        for name in o.only.split(",") if o.only else [*data.MADE, data.STREAM, *data.REAL]:
            todo = [t for t in settings(o.what.split(","), name) if (name, *t) not in done]
            if not todo:
                continue
            data.make(o.work, name, o.scarce, o.data)
            y = np.load(data.stem(o.work, name) + "_train_y.npy")
            driver = subprocess.Popen([o.sampler, *data.paths(o.work, name)], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
            driver.stdout.readline()
            for setting, seed in todo:
                driver.stdin.write(f"{setting} seed={seed}\n")
                driver.stdin.flush()
                told = json.loads(driver.stdout.readline())
                w.writerow({"set": name, "rows": len(y), "positives": int(y.sum()), "setting": setting, "seed": seed,
                            "load": round(os.getloadavg()[0], 1), **told})
                f.flush()
            driver.stdin.close()
            driver.wait()


if __name__ == "__main__":
    main()
