#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A CSV larger than memory: scarce train --memory beside LightGBM's two_round, its Sequence, and XGBoost's external memory.

larger.py FOLDER [--gb 20] [--memory 4G] [--trees 100] [--threads 2] [--rounds 1] [--engines scarce,lightgbm-two-round,...] [--cap 2] [--scarce build/scarce]

FOLDER gets all.csv of about that many gigabytes (kept: a second run takes it as it is), test.csv, and what engines write meanwhile. Rows are
those of `scarce simulate fraud`, several simulations of other seeds one after the other, without ids, times and texts, so that every engine
reads the very file: LightGBM's own reader takes numbers only. Every run is a process of its own; engines take turns. `rows/s` counts the whole
way from file to model; `peak` is the largest resident memory of the process. Only scarce holds a limit: of the others the table says what they took.
--cap: max_delta_step of the others, 0 for none; ours has 2 by default, and at 0.2 % it decides about average precision. Every run is told and kept in larger.json
as soon as it ends; an engine that fails is told, and the others go on.

    scarce               scarce train all.csv --memory SIZE: reads the file twice
    lightgbm-two-round   lightgbm.Dataset(all.csv) with two_round=true: reads it twice, keeps the bins in memory
    lightgbm-sequence    the CSV by Arrow in chunks to a file of floats, then lightgbm.Sequence over its pages
    xgboost-external     DataIter over chunks by Arrow, ExtMemQuantileDMatrix, pages on disk

Needs lightgbm, xgboost, pyarrow, scikit-learn; and the disk: twice the file for Sequence, a quarter of it for the others."""
import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve()
ENGINES = ["scarce", "lightgbm-two-round", "lightgbm-sequence", "xgboost-external"]
DROPPED = {"tx_id", "time", "card", "terminal", "category", "country", "channel", "label_time", "scenario"}
PIECE = 2_000_000  # transactions of one simulation
LEAVES, RATE, BINS = 31, 0.1, 255


# ---- the file


def simulate(scarce, seed, transactions, to, header):
    """Appends a simulation's numbers to an open file; its rows."""
    made = subprocess.Popen([scarce, "simulate", "fraud", "--transactions", str(transactions), "--seed", str(seed), "--quiet"], stdout=subprocess.PIPE)
    names = made.stdout.readline().decode().strip().split(",")
    kept = [k + 1 for k, name in enumerate(names) if name not in DROPPED]
    if header:
        to.write((",".join(names[k - 1] for k in kept) + "\n").encode())
        to.flush()
    # Popen's buffer holds some rows already: they go by way of this process
    cut = subprocess.Popen(["cut", "-d,", "-f" + ",".join(map(str, kept))], stdin=subprocess.PIPE, stdout=to)
    while block := made.stdout.read(1 << 20):
        cut.stdin.write(block)
    cut.stdin.close()
    if cut.wait() or made.wait():
        sys.exit("the simulation failed")


def prepare(scarce, folder, size=None, rows=None, name="all.csv", seed=1):
    """A CSV of about that many bytes or rows; there already: as it is."""
    path = folder / name
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    half = folder / (name + ".part")
    with half.open("wb") as to:
        made = 0
        while made < (rows or 1) if rows else to.tell() < size or made == 0:
            piece = min(PIECE, rows - made) if rows else PIECE if to.tell() == 0 or size - to.tell() > 1e8 else PIECE // 10
            if size and size < 2e8:
                piece = min(piece, max(int(size / 90), 60_000))
            simulate(scarce, seed, piece, to, made == 0)
            to.seek(0, os.SEEK_END)
            made, seed = made + piece, seed + 1
    half.rename(path)
    return path


def count_rows(path):
    """Rows, positives; kept beside the file."""
    beside = path.with_suffix(".count")
    if not beside.exists():
        label = path.open().readline().strip().split(",").index("label") + 1
        out = subprocess.run(["awk", "-F,", f"NR > 1 {{ n++; p += ${label} }} END {{ print n, p }}", str(path)], capture_output=True, text=True, check=True)
        beside.write_text(out.stdout)
    return tuple(map(int, beside.read_text().split()))


# ---- engines, each in a process of its own


def batches(path):
    """(features as floats, labels), some hundred thousand rows at a time."""
    import numpy as np
    import pyarrow.csv as csv

    reader = csv.open_csv(path, read_options=csv.ReadOptions(block_size=32 << 20), convert_options=csv.ConvertOptions(strings_can_be_null=True))
    for batch in reader:
        names = batch.schema.names
        x = np.column_stack([batch.column(k).to_numpy(zero_copy_only=False).astype(np.float32) for k, n in enumerate(names) if n != "label"])
        yield x, batch.column(names.index("label")).to_numpy(zero_copy_only=False)


def whole(path):
    import numpy as np

    parts = list(batches(path))
    return np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])


def lightgbm_run(a, path, way):
    import lightgbm as lgb
    import numpy as np

    # as bench/engines.py: rare positives want no least number of rows in a leaf
    params = {"objective": "binary", "num_leaves": LEAVES, "learning_rate": RATE, "max_bin": BINS, "min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 1,
              "lambda_l2": 1, "max_delta_step": a.cap, "num_threads": a.threads, "verbosity": -1}
    if way == "two-round":
        rows = lgb.Dataset(str(path), params={**params, "two_round": True, "header": True, "label_column": "name:label"})
    else:
        class Pages(lgb.Sequence):
            batch_size = 65_536

            def __init__(self, x):
                self.x = x

            def __getitem__(self, k):
                return np.asarray(self.x[k], dtype=np.float64)

            def __len__(self):
                return len(self.x)

        labels, n, width = [], 0, 0
        floats = path.with_suffix(".floats")
        with floats.open("wb") as out:
            for x, y in batches(path):
                x.tofile(out)
                labels.append(y)
                n, width = n + len(x), x.shape[1]
        rows = lgb.Dataset(Pages(np.memmap(floats, np.float32, "r", shape=(n, width))), label=np.concatenate(labels), params=params)
    rows.construct()
    loaded = time.perf_counter()
    model = lgb.train(params, rows, num_boost_round=a.trees)
    return loaded, model.predict


def xgboost_run(a, path):
    import xgboost as xgb

    class Chunks(xgb.DataIter):
        def __init__(self):
            super().__init__(cache_prefix=str(path.with_suffix(".pages")))
            self.reset()

        def next(self, input_data):
            try:
                x, y = next(self.left)
            except StopIteration:
                return False
            input_data(data=x, label=y)
            return True

        def reset(self):
            self.left = batches(path)

    rows = xgb.ExtMemQuantileDMatrix(Chunks(), max_bin=BINS, nthread=a.threads)
    loaded = time.perf_counter()
    model = xgb.train({"objective": "binary:logistic", "tree_method": "hist", "grow_policy": "lossguide", "max_leaves": LEAVES, "max_depth": 0,
                       "eta": RATE, "max_bin": BINS, "max_delta_step": a.cap, "nthread": a.threads}, rows, a.trees)
    return loaded, model.inplace_predict


def run_peer(a, engine, path, test):
    from sklearn.metrics import average_precision_score

    begin = time.perf_counter()
    loaded, score = xgboost_run(a, path) if engine == "xgboost-external" else lightgbm_run(a, path, engine.split("-", 1)[1])
    end = time.perf_counter()
    x, y = whole(test)
    print("RESULT " + json.dumps({"load": loaded - begin, "train": end - loaded, "wall": end - begin, "ap": average_precision_score(y, score(x))}))


def measured(cmd):
    """(standard output, wall, CPU seconds, peak MB) of a process."""
    begin = time.perf_counter()
    p = subprocess.Popen([str(c) for c in cmd], stdout=subprocess.PIPE, text=True)
    out = p.stdout.read()
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = status
    if status:
        raise subprocess.CalledProcessError(os.waitstatus_to_exitcode(status), cmd)
    return out, time.perf_counter() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def train_scarce(a, paths, model, *more):
    """One training of ours: its figures by stage, wall, CPU, peak."""
    out, wall, cpu, peak = measured([a.scarce, "train", *paths, "--label", "label", "--set", f"n_trees={a.trees}", "--set", f"max_leaves={LEAVES}", "--set",
                                     f"learning_rate={RATE}", "--set", "sample=importance", "--threads", a.threads, "-o", model, "--json", "--quiet", *more])
    said = json.loads(out)
    return {"load": said["seconds"]["load"], "train": said["seconds"]["bin"] + said["seconds"]["train"], "wall": wall, "cpu": cpu, "peak": peak,
            "rows": said["rows"], "positives": said["positives"], "stages": said["seconds"]}


def run(a, engine, path, test):
    if engine == "scarce":
        model = a.folder / "larger.scarce"
        result = train_scarce(a, [path], model, "--memory", a.memory, "--on-disk", a.folder)
        judged = json.loads(subprocess.run([a.scarce, "eval", model, test, "--json", "--quiet"], capture_output=True, text=True, check=True).stdout)
        return {**result, "ap": judged["metrics"]["ap"] if "metrics" in judged else judged["ap"]}
    own = [f"--{k}={getattr(a, k)}" for k in ("trees", "threads", "cap")]
    out, _, cpu, peak = measured([sys.executable, HERE, a.folder, *own, f"--engine={engine}"])
    return {**json.loads(next(s for s in out.splitlines() if s.startswith("RESULT "))[7:]), "cpu": cpu, "peak": peak}


def options(p):
    p.add_argument("folder", type=Path)
    p.add_argument("--memory", default="4G", help="of scarce (4G)")
    p.add_argument("--trees", type=int, default=100)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--scarce", type=Path, default=HERE.parents[3] / "build" / "scarce")


def tell(engine, m, rows):
    print(f"{engine:20} {m['load']:8.1f} {m['train']:8.1f} {m['wall']:8.1f} {m['cpu']:8.1f} {rows / m['wall']:10,.0f} {m['peak']:8,.0f} {m['ap']:7.4f}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options(p)
    p.add_argument("--gb", type=float, default=20)
    p.add_argument("--rounds", type=int, default=1)
    p.add_argument("--engines", default=",".join(ENGINES))
    p.add_argument("--cap", type=float, default=2)
    p.add_argument("--engine", help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.engine:
        run_peer(a, a.engine, a.folder / "all.csv", a.folder / "test.csv")
        return
    path = prepare(a.scarce, a.folder, size=a.gb * 1e9)
    test = prepare(a.scarce, a.folder, size=min(a.gb * 1e8, 2e8), name="test.csv", seed=100_000)
    rows, positives = count_rows(path)
    print(f"{path.stat().st_size / 1e9:.2f} GB, {rows:,} rows, {positives:,} positives, {a.trees} trees, {a.threads} threads; scarce in {a.memory}; "
          f"load average {os.getloadavg()[0]:.1f}", flush=True)
    print(f"{'engine':20} {'load s':>8} {'train s':>8} {'wall s':>8} {'cpu s':>8} {'rows/s':>10} {'peak MB':>8} {'AP':>7}", flush=True)
    runs = {e: [] for e in a.engines.split(",")}
    for _ in range(a.rounds):
        for engine, results in runs.items():
            try:
                results.append(run(a, engine, path, test))
                tell(engine, results[-1], rows)
            except subprocess.CalledProcessError as e:
                print(f"{engine:20} failed with {e.returncode}", flush=True)
            for rest in a.folder.glob("all.pages*"):
                rest.unlink()
            (a.folder / "all.floats").unlink(missing_ok=True)
            (a.folder / "larger.json").write_text(json.dumps(runs, indent=1))
    if a.rounds > 1:
        print("medians")
        for engine, results in runs.items():
            if results:
                tell(engine, {k: median(r[k] for r in results) for k in ("load", "train", "wall", "cpu", "peak", "ap")}, rows)


if __name__ == "__main__":
    main()
