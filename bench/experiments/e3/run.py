# SPDX-License-Identifier: Apache-2.0
"""E3: does sampling help trees at 0.179 % fraud?  (thesis of Frery, table 2.2, on a private stream)

    python run.py SCARCE WORK [--seeds 1,2,3] [--transactions 400000] [--threads 1] [--set small|all] [--methods SPEC,...]

For each seed a stream of `scarce simulate fraud` (preset hard, rate 0.00179), 4 rolling origins of 60 days to train on,
7 days until labels are known, 28 days to test, known cards left out. Everything is a contestant of one
`scarce compare`: resampling happens inside the folds, on training rows alone. Finished fits are kept in WORK, so the
same command goes on where it was; a method that the program doesn't have is told and left out.
Standard library only. Writes results.csv (a line per seed, contestant and fold) and prints the table of README.md."""
import argparse
import csv
import os
import statistics
import subprocess
import sys

ROLES = ["--time", "time", "--group", "card", "--ignore", "tx_id,terminal,label_time"]
PROTOCOL = ["--protocol", "temporal:train=60d,gap=7d,test=28d,step=28d", "--purge"]
METRICS = ["ap", "auc_roc", "f1_best", "card_precision_at_k"]
RATIOS = ("0.01", "0.1", "1")  # positives per negative
LEARNERS = {"gb": "gb:sample=all", "random-forest": "random-forest"}
SAMPLERS = ("random-under", "smote")
OTHER = ["gb", "gb:pos_weight=10", "gb:pos_weight=100", "gb:sample=balanced:reweigh=false",
         "gb:sample=ratio:ratio=0.1:reweigh=false", "gb:sample=goss", "random-over:ratio=0.01+gb:sample=all",
         "random-over:ratio=0.1+gb:sample=all", "balanced-random-forest", "logistic", "logistic:pos_weight=100"]
ENSEMBLES = ["easy-ensemble", "easy-ensemble:inner=gb", "easy-ensemble:inner=random-forest", "balance-cascade", "rusboost",
             "smoteboost"]


def contestants(which):
    cells = [f"{s}:ratio={r}+{m}" for m in LEARNERS.values() for s in SAMPLERS for r in RATIOS]
    return list(LEARNERS.values()) + cells + ENSEMBLES[:3] + (OTHER + ENSEMBLES[3:] if which == "all" else ["gb"])


def run(*command, **more):
    return subprocess.run([str(c) for c in command], check=True, **more)


def known(scarce, methods):
    """Those the program has."""
    has = []
    for m in methods:
        names = [part.split(":")[0] for part in m.split("+")]
        gone = [n for n in names if subprocess.run([scarce, "methods", n], capture_output=True, check=False).returncode]
        if gone:
            print(f"{m} left out: there is no {gone[0]}", file=sys.stderr)
        else:
            has.append(m)
    return has


def one_seed(scarce, seed, o, methods):
    work = os.path.join(o.work, seed)
    os.makedirs(work, exist_ok=True)
    data, table = os.path.join(work, "stream.csv"), os.path.join(work, "table.csv")
    if not os.path.exists(data):
        run(scarce, "simulate", "fraud", "--set", "preset=hard", "--set", "rate=0.00179", "--set",
            f"transactions={o.transactions}", "--seed", seed, "-o", data, "--quiet")
    with open(os.path.join(work, "table.txt"), "w") as said:
        run(scarce, "compare", data, *ROLES, *PROTOCOL, "--quiet", "--threads", o.threads, "--methods", ",".join(methods),
            "--results", os.path.join(work, "results"), "--csv", table, stdout=said)
    with open(table, newline="") as f:
        return [dict(line, seed=seed) for line in csv.DictReader(f)]


def show(lines):
    by = {}
    for line in lines:
        by.setdefault(line["method"], {})[(line["seed"], line["fold"])] = line
    first = next(iter(by))
    print("| contestant | " + " | ".join(METRICS) + f" | AP against {first}, fold by fold (standard error) |\n|" + "---|" * 6)
    for method, folds in by.items():
        means = [statistics.mean([float(f[m]) for f in folds.values() if f[m]] or [float("nan")]) for m in METRICS]
        d = [float(f["ap"]) - float(by[first][k]["ap"]) for k, f in folds.items() if f["ap"] and by[first][k]["ap"]]
        error = statistics.stdev(d) / len(d) ** 0.5 if len(d) > 1 else float("nan")
        print(f"| {method} | " + " | ".join(f"{m:.4f}" for m in means) + f" | {statistics.mean(d):+.4f} ({error:.4f}) |")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce")
    p.add_argument("work")
    p.add_argument("--seeds", default="1,2,3")
    p.add_argument("--transactions", default="400000")
    p.add_argument("--threads", default="1")
    p.add_argument("--set", default="all", choices=("small", "all"))
    p.add_argument("--methods", help="these contestants alone, the first is the one to beat")
    p.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "results.csv"))
    o = p.parse_args()
    methods = known(o.scarce, o.methods.split(",") if o.methods else contestants(o.set))
    lines = [line for seed in o.seeds.split(",") for line in one_seed(o.scarce, seed, o, methods)]
    columns = ["seed", "method", "fold", "train_rows", "train_positives", "rows", "positives", *METRICS]
    with open(o.out, "w", newline="") as f:
        w = csv.DictWriter(f, columns, extrasaction="ignore", lineterminator="\n")
        w.writeheader()
        w.writerows(lines)
    show(lines)


if __name__ == "__main__":
    main()
