# SPDX-License-Identifier: Apache-2.0
"""Learning row by row beside River's boosting and Vowpal Wabbit's --boosting, at equal T, one thread each."""
import importlib.util

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


def run(a):
    n = 20_000 if a.quick else 200_000
    X, y = dense(n)
    out = []
    workers = [Worker(name, driver("online", X, y, spec), 1) for name, spec in SPECS]
    peers = ["river-logistic", "river-boosting 20"] if importlib.util.find_spec("river") else []
    peers += ["vw 20"] if importlib.util.find_spec("vowpalwabbit") else []
    workers += [Worker(p, python("peers_online.py", X, y, *p.split()), 1) for p in peers]
    take_turns(workers, a.rounds or 5, budget=20, least=1)
    out += rows_of(workers, f"{n} rows of 40 dense features, 1 % positives, each scored and then learnt; T = 20, P = 30, 1 thread")
    for filled in (6, 12, 24, 48):
        path = sparse(n, filled=filled)
        workers = [Worker(OURS, driver("online", path, "-", SPECS[0][1]), 1)]
        take_turns(workers, a.rounds or 5, budget=10, least=1)
        out += rows_of(workers, f"{n} rows with {filled} of 300 sparse features")
    notes = ["ours_times, ours_cpu_times: how many times as many rows a second (of a processor: what holds on a busy machine) our onlb takes. River learns a tenth of the rows. Peers are called row "
             "by row from Python, as their users do; Vowpal Wabbit parses a line of text for each row."]
    if not importlib.util.find_spec("vowpalwabbit"):
        notes.append("vowpalwabbit is not installed here: pip install vowpalwabbit in the environment of bench/run adds its row.")
    return "online learning", out, notes
