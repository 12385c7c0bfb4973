# SPDX-License-Identifier: Apache-2.0
"""Learning row by row beside River's boosting and Vowpal Wabbit's --boosting, at equal T, on the same rows, one thread each."""
import importlib.util
from pathlib import Path

import numpy as np
from harness import DATA, Worker, data_set, driver, python, take_turns

OURS = "scarce, onlb"
SPECS = [(OURS, "onlb:n_learners=20:spaces=30"), ("scarce, onlb, paper", "onlb:scheme=paper:n_learners=20:spaces=30"),
         ("scarce, streamboost", "streamboost:n_learners=20"), ("scarce, online-bbm", "online-bbm:n_learners=20"),
         ("scarce, adaboost-ol-w", "adaboost-ol-w:n_learners=20"), ("scarce, onlb of trees", "onlb:weak=tree:n_learners=20"),
         ("scarce, mlp", "mlp"), ("scarce, online-linear", "online-linear")]


def dense(rows):
    """Numbers without gaps: peers have no missing values."""
    d = data_set("online", rows, features=40, positives=0.01)
    X = DATA / f"online_{rows}_filled.npy"
    if not X.exists():
        np.save(X, np.nan_to_num(np.load(d["X"])))
    return X, d["y"]


def sparse(rows, features=300, filled=12):
    """As w8a: 12 of 300 columns are 1; the label hangs on pairs of them."""
    path = DATA / f"online_{rows}_{filled}.svm"
    if not path.exists():
        r = np.random.default_rng(1)
        with open(path, "w", encoding="ascii") as f:
            for _ in range(rows):
                at = np.sort(r.choice(features, filled, replace=False)) + 1
                risk = (at <= 20).sum() >= 2
                f.write(f"{'+1' if r.random() < (0.4 if risk else 0.01) else '-1'} " + " ".join(f"{j}:1" for j in at) + "\n")
    return path


def rows_of(workers, setting):
    out = []
    for w in workers:
        row = w.row(setting)
        row["rows_per_s"] = round(max(w.column("rows_per_s"), default=0))
        row["rows_per_cpu_s"] = round(w.ready.get("rows", 0) / min(w.column("cpu"), default=float("inf")))
        out.append(row)
    for key, times in (("rows_per_s", "ours_times"), ("rows_per_cpu_s", "ours_cpu_times")):
        base = next((r[key] for r in out if r["engine"] == OURS), 0)
        for r in out:
            if r[key]:
                r[times] = round(base / r[key], 2)
    return out


def first(X, y, rows):
    """The first rows alone, for our driver; peers are told how many."""
    out = []
    for path in (X, y):
        part = DATA / f"{Path(path).stem}_first_{rows}.npy"
        if not part.exists():
            np.save(part, np.array(np.load(path, mmap_mode="r")[:rows]))
        out.append(part)
    return out


def peers_here():
    """(River's, Vowpal Wabbit's) jobs, as far as they are installed."""
    river = [("River, boosting", "river-boosting 20"), ("River, logistic regression", "river-logistic")]
    vw = [("Vowpal Wabbit, --boosting, from Python", "vw 20"), ("Vowpal Wabbit, --boosting, a file", "vw-file 20")]
    return river if importlib.util.find_spec("river") else [], vw if importlib.util.find_spec("vowpalwabbit") else []


def run(a):
    n = 20_000 if a.quick else 200_000
    X, y = dense(n)
    river, vw = peers_here()
    peer = lambda rows, jobs: [Worker(name, python("peers_online.py", X, y, rows, *job.split()), 1) for name, job in jobs]
    how = "T = 20, P = 30, 1 thread"
    workers = [Worker(name, driver("online", X, y, spec), 1) for name, spec in SPECS] + peer(n, vw)
    take_turns(workers, a.rounds or 5, budget=20, least=1)
    out = rows_of(workers, f"{n} rows of 40 dense features, 1 % positives, each scored and then learnt; {how}")
    few = n // 10
    workers = [Worker(OURS, driver("online", *first(X, y, few), SPECS[0][1]), 1)] + peer(few, vw + river)
    take_turns(workers, a.rounds or 5, budget=20, least=1)
    out += rows_of(workers, f"the first {few} of these rows alone, River's boosting too; {how}")
    for filled in (6, 12, 24, 48):
        path = sparse(n, filled=filled)
        workers = [Worker(OURS, driver("online", path, "-", SPECS[0][1]), 1)]
        take_turns(workers, a.rounds or 5, budget=10, least=1)
        out += rows_of(workers, f"{n} rows with {filled} of 300 sparse features")
    notes = ["ours_times, ours_cpu_times: how many times as many rows a second (of a processor: what holds on a busy machine) our onlb takes. Peers are called row by row from Python, as their "
             "users do, but for Vowpal Wabbit over a file, which is its own program's loop and reads the lines of text and writes the scores within its time; from Python it parses the line of each row. "
             "Our rows lie in memory as numbers."]
    for name, jobs in (("river", river), ("vowpalwabbit", vw)):
        if not jobs:
            notes.append(f"{name} is not installed here: pip install {name} in the environment of bench/run adds its rows.")
    return "online learning", out, notes
