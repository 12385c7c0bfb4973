#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranking losses of the others on one list of a million rows, beside ours: time and average precision, or the refusal.

rankers.py X.npy y.npy test_X.npy test_y.npy SCARCE_BOOST OUT.csv [--trees 100] [--seconds 3600] [--only NAME,...]
    the arrays are those of part train (bench/data/hard_1000000_*); SCARCE_BOOST: the driver made from bench/boost.c
    appends one line per engine to OUT.csv; each runs once, in a process of its own, one thread, ended after --seconds

LightGBM takes no query of more than 10,000 rows, so the list is also given to it in pieces of 10,000 rows in random
order: that is another problem (the top of each piece, about 20 positives), but the nearest it can do."""
import argparse
import csv
import json
import os
import subprocess
import sys
import time

XGB = {"objective": None, "eta": 0.1, "max_bin": 256, "tree_method": "hist", "nthread": 1, "seed": 1,
       "grow_policy": "lossguide", "max_leaves": 31, "max_depth": 0, "max_delta_step": 2}
LGB = {"objective": None, "num_leaves": 31, "learning_rate": 0.1, "num_threads": 1, "verbose": -1, "seed": 1,
       "lambda_l2": 1, "min_sum_hessian_in_leaf": 1e-3, "min_data_in_leaf": 20}
RUNS = {
    "scarce logistic, all rows": ("scarce", {"sample": "all"}),
    "scarce logistic, sample=importance": ("scarce", {"sample": "importance"}),
    "scarce ap-lb, all rows": ("scarce", {"sample": "all", "loss": "ap-lb"}),
    "scarce ap-lb, sample=importance": ("scarce", {"sample": "importance", "loss": "ap-lb"}),
    "scarce lambdamart-ap, all rows": ("scarce", {"sample": "all", "loss": "lambdamart-ap"}),
    "scarce sgbap-sig, all rows": ("scarce", {"sample": "all", "loss": "sgbap-sig"}),
    "scarce rankboost, all rows": ("scarce", {"sample": "all", "loss": "rankboost"}),
    "XGBoost binary:logistic": ("xgboost", {"objective": "binary:logistic"}),
    "XGBoost rank:map, one list": ("xgboost", {"objective": "rank:map"}),
    "XGBoost rank:map, one list, pairs by mean": ("xgboost", {"objective": "rank:map", "lambdarank_pair_method": "mean",
                                                              "lambdarank_num_pair_per_sample": 1}),
    "XGBoost rank:pairwise, one list": ("xgboost", {"objective": "rank:pairwise"}),
    "XGBoost rank:pairwise, one list, pairs by mean": ("xgboost", {"objective": "rank:pairwise",
                                                                   "lambdarank_pair_method": "mean",
                                                                   "lambdarank_num_pair_per_sample": 1}),
    "LightGBM lambdarank, one list": ("lightgbm", {"objective": "lambdarank"}),
    "LightGBM lambdarank, lists of 10,000": ("lightgbm", {"objective": "lambdarank", "pieces": 10000,
                                                          "lambdarank_truncation_level": 100}),
    "LightGBM rank_xendcg, one list": ("lightgbm", {"objective": "rank_xendcg"}),
}


def train(engine, how, o):
    """In the child: {"boost": cpu seconds from bins to trees, "ap": ...}."""
    import numpy as np
    from sklearn.metrics import average_precision_score
    how = dict(how)
    x, y = np.load(o.x), np.load(o.y).astype(np.float32)
    if engine == "xgboost":
        import xgboost
        p = {**XGB, **how}
        group = {} if p["objective"] == "binary:logistic" else {"qid": np.zeros(len(y), np.int32)}
        d = xgboost.QuantileDMatrix(x, y, max_bin=256, nthread=1, **group)
        begun = time.process_time()
        m = xgboost.train(p, d, o.trees)
        spent = time.process_time() - begun
        score = m.inplace_predict(np.load(o.test_x), predict_type="margin")
    else:
        import lightgbm
        pieces = how.pop("pieces", 0)
        p = {**LGB, **how}
        if pieces:
            order = np.random.default_rng(1).permutation(len(y))
            x, y = x[order], y[order]
        d = lightgbm.Dataset(x, y, group=[pieces] * (len(y) // pieces) if pieces else [len(y)], params=dict(p))
        d.construct()
        begun = time.process_time()
        m = lightgbm.train(p, d, o.trees)
        spent = time.process_time() - begun
        score = m.predict(np.load(o.test_x), raw_score=True)
    return {"boost": spent, "ap": float(average_precision_score(np.load(o.test_y), score))}


def ours(how, o):
    cmd = [o.boost, "mode=boost", f"X={o.x}", f"y={o.y}", f"test_X={o.test_x}", f"test_y={o.test_y}", "threads=1",
           f"n_trees={o.trees}", *(f"{k}={v}" for k, v in how.items())]
    out = subprocess.run(cmd, input="go\ninfo\n", stdout=subprocess.PIPE, text=True, check=True, timeout=o.seconds)
    lines = [json.loads(line) for line in out.stdout.splitlines()]
    return {"boost": lines[1]["cpu"], "ap": lines[2]["ap"]}


def main():
    p = argparse.ArgumentParser()
    for a in ("x", "y", "test_x", "test_y", "boost", "out"):
        p.add_argument(a)
    p.add_argument("--trees", type=int, default=100), p.add_argument("--seconds", type=float, default=3600)
    p.add_argument("--only", default=""), p.add_argument("--child", default="")
    o = p.parse_args()
    if o.child:
        print(json.dumps(train(*RUNS[o.child], o)))
        return
    new = not os.path.exists(o.out)
    with open(o.out, "a", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        if new:
            f.write("# title: ranking losses on one list of a million rows, trees of 31 leaves, 1 thread, one run each\n"
                    "# note: cpu_s is from bins in memory to trees; load is the machine's 1-minute average at the end "
                    "of the run\n")
            w.writerow(["engine", "trees", "cpu_s", "ap", "load", "note"])
        for name, (engine, how) in RUNS.items():
            if o.only and name not in o.only.split(";"):
                continue
            told, note = {}, ""
            try:
                if engine == "scarce":
                    told = ours(how, o)
                else:
                    out = subprocess.run([sys.executable, *sys.argv, "--child", name], stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True, timeout=o.seconds)
                    lines = [line for line in out.stdout.splitlines() if line.startswith("{")]
                    told = json.loads(lines[-1]) if lines else {}
                    errors = [e for e in out.stderr.splitlines() if e.strip()]
                    note = "" if lines else "refused: " + (errors[-1] if errors else "")[:200]
            except subprocess.TimeoutExpired:
                note = f"ended after {o.seconds:.0f} s of wall time"
            except subprocess.CalledProcessError:
                note = "failed"
            w.writerow([name, o.trees, f"{told['boost']:.2f}" if told else "", f"{told['ap']:.4f}" if told else "",
                        f"{os.getloadavg()[0]:.1f}", note])
            f.flush()


main()
