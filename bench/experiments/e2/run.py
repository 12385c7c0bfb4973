#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E2, fewer positives (002, Fig. 4): Pima with positives removed from 34 % to 3 %. Standard library only.

run.py SCARCE DATA WORK [--splits 10]
    -> e2.csv beside this script, and a table

For each share and method: random 2/3-1/3 splits, AP and P@k on the test rows, the mean relative rank of every
positive in the test parts it was in. Then the positives that this method ranks best are removed until the next
share is reached ("own", the paper's way: after the first step every method has another data set); or those that gb
ranks best, for all methods alike ("common"); or positives at random ("random"), where only the imbalance changes.
The test set of a method under "own" is what it ranked worst: its AP tells how it copes with its own mistakes."""
import argparse
import csv
import json
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from common import mean, read_table, wilcoxon, write_table  # noqa: E402

SHARES = [0.349, 0.30, 0.25, 0.20, 0.15, 0.10, 0.05, 0.03]
METHODS = ["gb", "rankboost", "sgbap", "ap-lb"]
WAYS = ["own", "random", "common"]
COLUMNS = ["way", "method", "share", "split", "ap", "precision_at_k"]


def fit(scarce, work, header, train, test, method):
    a, b, m, s = (os.path.join(work, f"{os.getpid()}_{n}") for n in ("a.csv", "b.csv", "m.scarce", "s.csv"))
    write_table(a, header, train), write_table(b, header, test)
    quiet = ["--quiet", "--threads", "1"]
    subprocess.run([scarce, "train", a, "--method", method, "-o", m, *quiet], check=True)
    subprocess.run([scarce, "score", m, b, "-o", s, *quiet], check=True)
    out = subprocess.run([scarce, "eval", m, b, "--json", *quiet], check=True, stdout=subprocess.PIPE, text=True)
    with open(s, newline="") as f:
        score = [float(r["score"]) for r in csv.DictReader(f)]
    told = json.loads(out.stdout)
    return score, told["ap"], told["precision_at_k"]


def one_level(o, header, rows, labels, method, n_splits):
    """(aps, pks, mean relative rank of each row over the splits in which it was tested)."""
    aps, pks, ranks = [], [], {}
    for split in range(n_splits):
        g = random.Random(split)
        test = set()
        for v in ("0", "1"):
            i = [k for k in range(len(rows)) if labels[k] == v]
            test |= set(g.sample(i, round(len(i) / 3)))
        inside = sorted(test)
        score, ap, pk = fit(o.scarce, o.work, header, [rows[k] for k in range(len(rows)) if k not in test],
                            [rows[k] for k in inside], method)
        aps.append(ap), pks.append(pk)
        for place, j in enumerate(sorted(range(len(inside)), key=lambda j: -score[j])):
            ranks.setdefault(inside[j], []).append(place / len(inside))
    return aps, pks, {k: mean(v) for k, v in ranks.items()}


def remove(rows, labels, ranks, share, g=None):
    """Positives leave, best rank first (or at random), until `share` is reached."""
    positives = [k for k in range(len(rows)) if labels[k] == "1"]
    wanted = round(share / (1 - share) * (len(rows) - len(positives)))
    order = g.sample(positives, len(positives)) if g else sorted(positives, key=lambda k: ranks.get(k, 1.0))
    gone = set(order[: max(0, len(positives) - wanted)])
    return [r for k, r in enumerate(rows) if k not in gone]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce"), p.add_argument("data"), p.add_argument("work"), p.add_argument("--splits", type=int, default=10)
    o = p.parse_args()
    os.makedirs(o.work, exist_ok=True)
    header, all_rows = read_table(os.path.join(o.data, "pima.csv.gz"))
    path = os.path.join(HERE, "e2.csv")
    done = {}
    state = os.path.join(o.work, "e2.json")  # the levels that are finished
    if os.path.exists(state):
        done = json.load(open(state))
    out = []
    for way in WAYS:
        rows = {m: list(all_rows) for m in METHODS}
        for share in SHARES:
            easy = {}
            for m in METHODS:
                key = f"{way} {m} {share} {o.splits}"
                labels = [r[-1] for r in rows[m]]
                if key not in done:
                    aps, pks, ranks = one_level(o, header, rows[m], labels, m, o.splits)
                    done[key] = [aps, pks, ranks]
                    json.dump(done, open(state, "w"))
                aps, pks, ranks = done[key]
                easy[m] = {int(k): v for k, v in ranks.items()}
                out += [[way, m, share, s, round(a, 6), round(k, 6)] for s, (a, k) in enumerate(zip(aps, pks))]
            write_table(path, COLUMNS, out)
            after = SHARES.index(share) + 1
            if after == len(SHARES):
                break
            for m in METHODS:
                g = random.Random(after) if way == "random" else None
                labels = [r[-1] for r in rows[m]]
                rows[m] = remove(rows[m], labels, easy["gb" if way == "common" else m], SHARES[after], g)
    for way in WAYS:
        print(f"\n{way}: AP by share of positives; in brackets p of sgbap against gb (Wilcoxon over the splits)")
        for share in SHARES:
            by = {m: [r[4] for r in out if r[:3] == [way, m, share]] for m in METHODS}
            p_value = wilcoxon([a - b for a, b in zip(by["sgbap"], by["gb"])])
            print(f"  {share:5.3f}", *(f"{m} {mean(v):.3f}" for m, v in by.items()), f"[{p_value:.2g}]")


main()
