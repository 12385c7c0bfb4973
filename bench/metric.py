#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Metric learners beside metric-learn's: CPU seconds, memory, and for lmnn what is minimised.

metric.py SCARCE [--rows 9000] [--features 27] [--only lmnn,itml,gmml,mlfp,imbml]

One process each, one thread, on the same standardised rows (10 % positives). Objective of lmnn: (1/2) pull of 3 targets + (1/2) push of *all* rows within
their margins, divided by the rows, at either metric. Needs numpy, metric-learn, scikit-learn (their releases may not fit each other: see `patched`)."""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

PEERS = ["lmnn", "itml", "gmml"]


def rows(n, d, seed=3):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.1).astype(int)
    X = rng.normal(size=(n, d))
    X[:, :d // 3] += y[:, None] * rng.normal(size=d // 3) * 0.9
    X[:, d // 3:2 * (d // 3)] *= rng.uniform(0.5, 3, size=d // 3)
    X = X @ (rng.normal(size=(d, d)) * 0.3 + np.eye(d))
    return (X - X.mean(0)) / X.std(0), y


def objective(Z, y, targets, block=500):
    """Z: rows in the learnt space; targets: n x 3, chosen by Euclid before."""
    pull = ((Z[:, None, :] - Z[targets]) ** 2).sum(2)
    push, square = 0.0, (Z ** 2).sum(1)
    for label in (0, 1):
        mine, others = np.flatnonzero(y == label), np.flatnonzero(y != label)
        for at in range(0, len(mine), block):
            i = mine[at:at + block]
            D = square[i][:, None] + square[others][None] - 2 * Z[i] @ Z[others].T
            for t in range(targets.shape[1]):
                push += np.maximum(0, 1 + pull[i, t][:, None] - D).sum()
    return (0.5 * pull.sum() + 0.5 * push) / len(y)


def nearest(X, y, k=3):
    out = np.empty((len(y), k), int)
    for label in (0, 1):
        mine = np.flatnonzero(y == label)
        for at in range(0, len(mine), 500):
            i = mine[at:at + 500]
            D = ((X[i] ** 2).sum(1)[:, None] + (X[mine] ** 2).sum(1)[None] - 2 * X[i] @ X[mine].T)
            D[np.arange(len(i)), at + np.arange(len(i))] = np.inf
            out[i] = mine[np.argsort(D, axis=1, kind="stable")[:, :k]]
    return out


def patched():
    """metric-learn 0.7 with a scikit-learn that has renamed an argument."""
    import metric_learn._util as u

    def renamed(f):
        def g(*a, **k):
            if "force_all_finite" in k:
                k["ensure_all_finite"] = k.pop("force_all_finite")
            return f(*a, **k)
        return g
    u.check_X_y, u.check_array = renamed(u.check_X_y), renamed(u.check_array)
    import metric_learn
    return metric_learn


def peer(name, path):
    """In a process of its own: prints CPU seconds and MB, keeps the map."""
    data = np.load(path)
    X, y = data["X"], data["y"]
    m = patched()
    begin = time.process_time()
    if name == "lmnn":
        learner = m.LMNN(n_neighbors=3)
    elif name == "itml":
        learner = m.ITML_Supervised(n_constraints=1000)
    else:
        sys.exit("metric-learn has no " + name)
    learner.fit(X, y)
    print(time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    np.save(path + ".map.npy", learner.components_)


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--peer":
        return peer(sys.argv[2], sys.argv[3])
    p = argparse.ArgumentParser()
    p.add_argument("scarce"), p.add_argument("--rows", type=int, default=9000), p.add_argument("--features", type=int, default=27)
    p.add_argument("--only", default="lmnn,itml,gmml,mlfp,imbml")
    o = p.parse_args()
    X, y = rows(o.rows, o.features)
    targets = nearest(X, y)
    env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    print(f"{o.rows} x {o.features}, one thread\n{'':24} {'CPU s':>8} {'MB':>8} {'objective':>10}    (Euclid: {objective(X, y, targets):.4f})")
    with tempfile.TemporaryDirectory() as work:
        csv, npz, model, mapped = (os.path.join(work, f) for f in ("rows.csv", "rows.npz", "model", "mapped.csv"))
        np.savetxt(csv, np.column_stack([X, y]), delimiter=",", header=",".join([f"f{i}" for i in range(o.features)] + ["label"]), comments="", fmt="%.9g")
        np.savez(npz, X=X, y=y)
        for name in o.only.split(","):
            process = subprocess.Popen([o.scarce, "train", csv, "--method", name, "-o", model, "--threads", "1", "--quiet"], env=env)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit("scarce failed")
            value = float("nan")
            if name == "lmnn":
                subprocess.run([o.scarce, "transform", model, csv, "-o", mapped, "--quiet"], check=True)
                header = open(mapped).readline().strip().split(",")
                Z = np.loadtxt(mapped, delimiter=",", skiprows=1, usecols=[i for i, h in enumerate(header) if h != "label"])
                value = objective(Z, y, targets)
            print(f"{'scarce ' + name:24} {used.ru_utime:8.2f} {used.ru_maxrss / 1024:8.0f} {value:10.4f}", flush=True)
            if name in PEERS and name != "gmml":
                out = subprocess.run([sys.executable, os.path.abspath(__file__), "--peer", name, npz], env=env, stdout=subprocess.PIPE, text=True)
                if out.returncode == 0:
                    seconds, size = map(float, out.stdout.split()[-2:])
                    value = objective(X @ np.load(npz + ".map.npy").T, y, targets) if name == "lmnn" else float("nan")
                    print(f"{'metric-learn ' + name:24} {seconds:8.2f} {size:8.0f} {value:10.4f}", flush=True)


main()
