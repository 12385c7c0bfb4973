#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E6: online boosters, the thesis of J. Frery, tables 4.4 to 4.6: test error after one pass, three folds. Standard library only.

run.py SCARCE DATA WORK [--sets poker,pima] [--methods onlb,mlp] [--tune] [--out e6.csv]
    DATA: a folder with the sets as *.csv.gz and w8a.svm.gz (poker is simulated); WORK: any folder
    Rows are shuffled once; a fold is every third row. A model learns the other two thirds in one pass, in that order; alerts are from
    score 0 on, as the thesis's sign. --tune chooses the rate and the number of learners by the progressive average precision of
    the training rows (the thesis: by their error). Writes a line per fit, then prints the means beside the published ones."""
import argparse
import csv
import gzip
import json
import os
import random
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = {"poker": None, "shuttle": "shuttle.csv.gz", "mnist": "mnist.csv.gz", "covtype": "covtype-subset.csv.gz",
         "abalone": "abalone-0-9vs10-29.csv.gz", "pima": "pima.csv.gz", "adult": "adult.csv.gz", "hiv": "hiv-schilling.csv.gz",
         "w8a": "w8a.svm.gz", "wine": "winequality-3-6vs7-9.csv.gz"}
PARTIAL = {"covtype": "20,000 of 581,012 rows, not a random sample", "hiv": "3,272 of 6,590 rows"}
METHODS = ["online-net", "onlb", "onlb:scheme=paper:n_learners=30:learning_rate=0.2", "online-bbm", "adaboost-ol", "adaboost-ol-w", "ogb",
           "streamboost", "mlp", "online-linear"]
GRID = [f":{t}learning_rate={r}" for t in ("n_learners=10:", "n_learners=20:", "n_learners=40:") for r in (0.05, 0.1, 0.2)]
COLUMNS = ["set", "method", "fold", "rows", "error", "ap", "auc_roc", "settings"]


def shuffled(scarce, data, work, name):
    """(header lines, rows in a drawn order, ending)."""
    if FILES[name] is None:
        path = os.path.join(work, "poker.csv")
        if not os.path.exists(path):
            subprocess.run([scarce, "simulate", "poker", "-o", path, "--quiet"], check=True)
        opener = open
    else:
        path, opener = os.path.join(data, FILES[name]), gzip.open
    with opener(path, "rt") as f:
        lines = f.readlines()
    sparse = ".svm" in path
    head, rows = ([], lines) if sparse else (lines[:1], lines[1:])
    random.Random(1).shuffle(rows)
    return head, rows, ".svm" if sparse else ".csv"


def told(cmd):
    return json.loads(subprocess.run(cmd, check=True, stdout=subprocess.PIPE, text=True).stdout)


def choose(scarce, method, train):
    """The setting with the best progressive average precision."""
    single = method.split(":")[0] in ("online-net", "mlp", "online-linear")
    grid = [g for g in GRID if not single or "n_learners=10:" in g]
    grid = [g.replace("n_learners=10:", "") if single else g for g in grid]
    best = max(grid, key=lambda g: told([scarce, "learn", train, "--method", method + g, "--window", "100000000", "--json", "--quiet"])["ap"] or 0)
    return best


def fit(scarce, work, method, train, test, tune):
    settings = choose(scarce, method, train) if tune and ":" not in method else ""
    model = os.path.join(work, f"e6_{os.getpid()}.scarce")
    told([scarce, "train", train, "--method", method + settings, "--set", "passes=1", "--set", "order=rows", "--threshold", "value:0",
                "-o", model, "--json", "--quiet"])
    m = told([scarce, "eval", model, test, "--json", "--quiet"])
    os.remove(model)
    return {"error": 1 - m["accuracy"], "ap": m["ap"], "auc_roc": m["auc_roc"], "settings": settings.strip(":")}


def table(out):
    with open(out, newline="") as f:
        fits = list(csv.DictReader(f))
    with open(os.path.join(HERE, "published.csv"), newline="") as f:
        published = {r["set"]: r for r in csv.DictReader(f)}
    print(f"{'set':10s} {'method':52s} {'error':>8s} {'published':>10s} {'ap':>8s}")
    for s in dict.fromkeys(f["set"] for f in fits):
        for m in dict.fromkeys(f["method"] for f in fits if f["set"] == s):
            mine = [f for f in fits if f["set"] == s and f["method"] == m]
            mean = lambda k: sum(float(f[k]) for f in mine) / len(mine)
            print(f"{s:10s} {m:52s} {mean('error'):8.4f} {published.get(s, {}).get(m, ''):>10s} {mean('ap'):8.4f}")
        if s in PARTIAL:
            print(f"{'':10s} ({PARTIAL[s]}: not to be held against the published figures)")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce"), p.add_argument("data"), p.add_argument("work")
    p.add_argument("--sets", default=",".join(FILES)), p.add_argument("--methods", default=",".join(METHODS))
    p.add_argument("--tune", action="store_true"), p.add_argument("--out", default=os.path.join(HERE, "e6.csv"))
    o = p.parse_args()
    os.makedirs(o.work, exist_ok=True)
    done = set()
    if os.path.exists(o.out):
        with open(o.out, newline="") as f:
            done = {(r["set"], r["method"], int(r["fold"])) for r in csv.DictReader(f)}
    with open(o.out, "a", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        if not done:
            w.writeheader()
        for name in o.sets.split(","):
            head, rows, ending = shuffled(o.scarce, o.data, o.work, name)
            for fold in range(3):
                wanted = [m for m in o.methods.split(",") if (name, m, fold) not in done]
                if not wanted:
                    continue
                train, test = (os.path.join(o.work, f"{name}_{part}{ending}") for part in ("train", "test"))
                for path, keep in ((train, lambda i: i % 3 != fold), (test, lambda i: i % 3 == fold)):
                    with open(path, "w") as g:
                        g.writelines(head + [r for i, r in enumerate(rows) if keep(i)])
                for method in wanted:
                    got = fit(o.scarce, o.work, method, train, test, o.tune)
                    w.writerow({"set": name, "method": method, "fold": fold, "rows": len(rows),
                                **{k: round(v, 6) if isinstance(v, float) else v for k, v in got.items()}})
                    f.flush()
    table(o.out)


if __name__ == "__main__":
    main()
