#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scarce.spark beside xgboost.spark in local mode and LightGBM on Dask: wall, CPU of all processes, bytes over the loopback, AP on held-out rows.

spark.py [--rows 1000000] [--features 40] [--positives 0.002] [--trees 100] [--cores 2] [--partitions 4] [--rounds 3] [--keep FOLDER]
         [--engines alone,scarce,xgboost,dask] [--synapse com.microsoft.azure:synapseml-lightgbm_2.12:1.0.15]

Rows are those of bench/gen_data.py, read from Parquet. Every run is a process of its own with a session of its own; engines take turns.
`wall` and `cpu` are of fit() alone, after the session stands and a small job has run; `cpu` sums driver, JVM and Python workers. `moved`
is what the loopback carried meanwhile (rows from the JVM to Python among it); `messages` what scarce counts of its own: sketches,
questions times partitions, answers. `alone` is scarce.train on the same rows in memory, which must give the same bytes (`same`).
`dask` is lightgbm.DaskLGBMClassifier on a local cluster of as many workers of one thread as there are cores, its rows being read as part of fit, as
they are on Spark. `synapseml` is SynapseML's LightGBM, whose package (for that Spark and Scala) Spark fetches by the coordinate of --synapse.
`memory` is the largest sum of resident memory of all processes, looked at five times a second.
Needs pyspark, xgboost, pyarrow, pandas, scikit-learn and Java; lightgbm and dask for `dask`."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

import numpy as np

HERE = Path(__file__).resolve()
LEAVES, RATE, CAP = 31, 0.1, 2.0  # of the steps: ours by default, and what decides about average precision at 0.2 %


def prepare(a, at):
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not (at / "data_train_X.npy").exists():
        subprocess.run([sys.executable, HERE.parents[2] / "gen_data.py", at / "data", "--rows", str(a.rows), "--test", str(max(a.rows // 5, 20_000)),
                        "--features", str(a.features), "--positives", str(a.positives)], check=True)
    for part in ("train", "test"):
        x, y = (np.load(at / f"data_{part}_{k}.npy") for k in "Xy")
        folder = at / f"{part}.parquet"
        folder.mkdir(exist_ok=True)
        ends = np.linspace(0, len(x), a.partitions + 1).astype(int)
        for k, (b, e) in enumerate(zip(ends, ends[1:])):
            columns = {f"f{j}": x[b:e, j] for j in range(x.shape[1])}
            pq.write_table(pa.table({**columns, "label": y[b:e].astype(np.float64), "n": np.arange(b, e)}), folder / f"{k:03}.parquet")


def family(root):
    """Seconds of processor of a process and all below it, those that have ended included; their resident bytes."""
    parent, used, held = {}, {}, {}
    for p in Path("/proc").iterdir():
        if p.name.isdigit():
            try:
                f = (p / "stat").read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            parent[int(p.name)], used[int(p.name)], held[int(p.name)] = int(f[1]), sum(map(int, f[11:15])), int(f[21])
    total = memory = 0
    for pid in used:
        up = pid
        while up and up != root:
            up = parent.get(up, 0)
        total += used[pid] if up == root else 0
        memory += held[pid] if up == root else 0
    return total / os.sysconf("SC_CLK_TCK"), memory * os.sysconf("SC_PAGE_SIZE")


class Watch:
    """Wall, CPU, loopback and peak memory of what happens inside `with`."""

    def __enter__(self):
        self.begin, self.cpu, self.lo, self.peak, self.over = time.perf_counter(), family(os.getpid())[0], loopback(), 0, threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def look(self):
        while not self.over.wait(0.2):
            self.peak = max(self.peak, family(os.getpid())[1])

    def __exit__(self, *unused):
        self.over.set()
        self.thread.join()
        self.result = {"wall": time.perf_counter() - self.begin, "cpu": family(os.getpid())[0] - self.cpu, "moved": loopback() - self.lo, "memory": self.peak}


def loopback():
    for line in Path("/proc/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split(":")[1].split()[0])
    return 0


def run(a, engine, at):
    from sklearn.metrics import average_precision_score

    x, y = np.load(at / "data_test_X.npy"), np.load(at / "data_test_y.npy")
    settings = {"n_trees": a.trees, "max_leaves": LEAVES, "learning_rate": RATE, "sample": "importance"}
    if engine == "alone":
        import scarce

        rows = {f"f{j}": c for j, c in enumerate(np.load(at / "data_train_X.npy").T)}
        rows["label"] = np.load(at / "data_train_y.npy").astype(np.float64)
        with Watch() as watch:
            model = scarce.train(rows, label="label", threads=a.cores, progress=False, **settings)
        out = {**watch.result, "moved": 0}
        (at / "alone.scarce").write_bytes(model.to_bytes())
        return {**out, "ap": average_precision_score(y, model.score({f"f{j}": c for j, c in enumerate(x.T)}))}
    if engine == "dask":
        return run_dask(a, at, x, y)
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master(f"local[{a.cores}]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false") \
        .config("spark.driver.memory", a.memory).config("spark.sql.files.openCostInBytes", "1g")
    if engine == "synapseml":
        spark = spark.config("spark.jars.packages", a.synapse)
    spark = spark.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    train = spark.read.parquet(str(at / "train.parquet"))
    names = [f"f{j}" for j in range(a.features)]
    spark.sparkContext.parallelize(range(8), a.cores).map(lambda k: k + 1).sum()
    if engine == "scarce":
        from scarce.spark import ScarceClassifier

        learner = ScarceClassifier(columns=names, idCol="n", settings=settings)
    elif engine == "synapseml":
        from pyspark.ml.feature import VectorAssembler
        from synapse.ml.lightgbm import LightGBMClassifier

        train = VectorAssembler(inputCols=names, outputCol="features", handleInvalid="keep").transform(train)
        learner = LightGBMClassifier(numIterations=a.trees, numLeaves=LEAVES, learningRate=RATE, numTasks=a.cores, minDataInLeaf=1, minSumHessianInLeaf=1.0,
                                     lambdaL2=1.0, maxDeltaStep=CAP)
    else:
        from xgboost.spark import SparkXGBClassifier

        learner = SparkXGBClassifier(features_col=names, label_col="label", num_workers=a.cores, n_estimators=a.trees, max_leaves=LEAVES, max_depth=0,
                                     grow_policy="lossguide", learning_rate=RATE, max_delta_step=CAP, tree_method="hist")
    with Watch() as watch:
        made = learner.fit(train)
    out = watch.result
    if engine == "scarce":
        f = made.training
        out |= {"messages": f["bytes_sketched"] + f["partitions"] * f["bytes_asked"] + f["bytes_answered"], **{k: f[k] for k in ("partitions", "questions", "jobs", "built")}}
        score = made.model.score({f"f{j}": c for j, c in enumerate(x.T)})
        alone = at / "alone.scarce"
        out["same"] = alone.exists() and alone.read_bytes() == made.model.to_bytes()
    elif engine == "synapseml":
        import lightgbm

        made.saveNativeModel(str(at / "synapse"), overwrite=True)
        score = lightgbm.Booster(model_file=str(next((at / "synapse").glob("part-*")))).predict(x)
    else:
        score = made.get_booster().inplace_predict(x)
    out["ap"] = average_precision_score(y, score)
    spark.stop()
    return out


def run_dask(a, at, x, y):
    import dask
    import dask.dataframe as dd
    import lightgbm
    import pandas as pd
    from distributed import Client, LocalCluster
    from sklearn.metrics import average_precision_score

    with LocalCluster(n_workers=a.cores, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        names = [f"f{j}" for j in range(a.features)]
        learner = lightgbm.DaskLGBMClassifier(client=client, n_estimators=a.trees, num_leaves=LEAVES, learning_rate=RATE, min_child_samples=1, min_child_weight=1,
                                              reg_lambda=1, max_delta_step=CAP, tree_learner="data", verbosity=-1)
        with Watch() as watch:
            # a file is a partition: read_parquet joins small ones, and a worker would have none
            train = dd.from_delayed([dask.delayed(pd.read_parquet)(f) for f in sorted((at / "train.parquet").glob("*.parquet"))])
            learner.fit(train[names], train["label"])
        score = learner.booster_.predict(x)
    return {**watch.result, "ap": average_precision_score(y, score)}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in {"rows": 1_000_000, "features": 40, "trees": 100, "cores": 2, "partitions": 4, "rounds": 3}.items():
        p.add_argument(f"--{name}", type=int, default=default)
    p.add_argument("--positives", type=float, default=0.002)
    p.add_argument("--memory", default="4g", help="of the JVM")
    p.add_argument("--keep", type=Path, help="folder for the data and results.json")
    p.add_argument("--engines", default="alone,scarce,xgboost,dask")
    p.add_argument("--synapse", default="", help="coordinate of SynapseML's package: adds the engine synapseml")
    p.add_argument("--engine", help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.engine:
        print("RESULT " + json.dumps(run(a, a.engine, a.keep)), flush=True)
        return
    with tempfile.TemporaryDirectory() as temporary:
        at = a.keep or Path(temporary)
        at.mkdir(exist_ok=True, parents=True)
        prepare(a, at)
        runs = {e: [] for e in a.engines.split(",") + ["synapseml"] * bool(a.synapse)}
        own = [f"--{k}={getattr(a, k)}" for k in ("rows", "features", "trees", "cores", "partitions", "positives", "memory", "synapse")]
        for _ in range(a.rounds):
            for engine, results in runs.items():
                done = subprocess.run([sys.executable, HERE, *own, f"--keep={at}", f"--engine={engine}"], capture_output=True, text=True)
                line = next((s for s in done.stdout.splitlines() if s.startswith("RESULT ")), None)
                if line is None:
                    sys.exit(f"{engine} failed:\n{done.stderr[-3000:]}")
                results.append(json.loads(line[7:]))
        print(f"{a.rows:,} x {a.features}, {a.positives:.2%} positives, {a.trees} trees, local[{a.cores}], median of {a.rounds}")
        print(f"{'engine':9} {'wall s':>8} {'cpu s':>8} {'moved MB':>9} {'messages MB':>12} {'memory MB':>10} {'AP':>7}  rest")
        for engine, results in runs.items():
            m = {k: median(r[k] for r in results) for k in results[0]}
            rest = " ".join(f"{k}={m[k]:g}" for k in ("partitions", "questions", "jobs", "built", "same") if k in m)
            print(f"{engine:9} {m['wall']:8.2f} {m['cpu']:8.2f} {m.get('moved', 0) / 1e6:9.1f} {m.get('messages', 0) / 1e6:12.2f} {m['memory'] / 1e6:10.0f} {m['ap']:7.4f}  {rest}")
        if a.keep:
            (at / "results.json").write_text(json.dumps(runs, indent=1))


if __name__ == "__main__":
    main()
