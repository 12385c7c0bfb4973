# SPDX-License-Identifier: Apache-2.0
"""E3: does sampling help boosted trees at 0.179 % fraud?  (thesis of Frery, table 2.2, on a private stream)

    python run.py SCARCE WORK [--seeds 1,2,3] [--transactions 400000] [--threads 1]

For each seed a stream of `scarce simulate fraud` (preset hard, rate 0.00179), 4 rolling origins of 60 days to train on,
7 days until labels are known, 28 days to test, known cards left out. Ways that are parameters of a method are
contestants of `scarce compare`; ways that resample the table (`train --resample`) train here, on the folds that
`compare --write-folds` tells, and take part as `--scores`. Every figure comes from one last `scarce compare`.
Standard library only. Writes results.csv (a line per seed, contestant and fold) and prints the table of README.md."""
import argparse
import csv
import os
import statistics
import subprocess

ROLES = ["--time", "time", "--group", "card", "--ignore", "tx_id,terminal,label_time"]
PROTOCOL = ["--protocol", "temporal:train=60d,gap=7d,test=28d,step=28d", "--purge"]
METRICS = ["ap", "auc_roc", "f1_best", "card_precision_at_k"]
METHODS = ["gb", "gb:pos_weight=10", "gb:pos_weight=100", "gb:sample=balanced", "gb:sample=balanced:reweigh=false",
           "gb:sample=ratio:ratio=0.1:reweigh=false", "gb:sample=goss", "gb:sample=all", "logistic",
           "logistic:pos_weight=100"]
RESAMPLED = [(m, r) for m in ("gb:sample=all",) for r in
             ("random-under:ratio=0.01", "random-under:ratio=0.1", "random-under:ratio=1", "random-over:ratio=0.01",
              "random-over:ratio=0.1")]


def run(*command, **more):
    return subprocess.run([str(c) for c in command], check=True, **more)


def cut_folds(data, folds, work):
    """train and test files of each fold, and the rows that the test file holds."""
    parts = {}
    with open(folds, newline="") as f:
        for line in csv.DictReader(f):
            parts.setdefault(int(line["fold"]), {}).setdefault(line["part"], []).append(int(line["row"]))
    with open(data) as f:
        header, *lines = f.readlines()
    for fold, rows in parts.items():
        for part in ("train", "test"):
            with open(os.path.join(work, f"{part}.{fold}.csv"), "w") as f:
                f.write(header)
                f.writelines(lines[r - 1] for r in rows[part])
    return {fold: rows["test"] for fold, rows in parts.items()}


def resampled(scarce, method, way, tested, work, threads):
    """fold,row,score of models trained on resampled rows."""
    name = f"{method}+{way}"
    out = os.path.join(work, name.replace(":", "_").replace("=", "") + ".csv")
    if os.path.exists(out):
        return f"{name.replace('=', ' ')}={out}"
    base, *settings = method.split(":")
    with open(out + ".new", "w") as scores:
        scores.write("fold,row,score\n")
        for fold, rows in tested.items():
            model, said = os.path.join(work, "model"), os.path.join(work, "scores.csv")
            run(scarce, "train", os.path.join(work, f"train.{fold}.csv"), "--method", base, *ROLES, "--resample", way,
                *(x for s in settings for x in ("--set", s)), "-o", model, "--quiet", "--threads", threads)
            run(scarce, "score", model, os.path.join(work, f"test.{fold}.csv"), "-o", said, "--quiet",
                "--threads", threads)
            with open(said, newline="") as f:
                for row, line in zip(rows, csv.DictReader(f)):
                    scores.write(f"{fold},{row},{line['score']}\n")
    os.rename(out + ".new", out)
    return f"{name.replace('=', ' ')}={out}"


def one_seed(scarce, seed, transactions, work, threads):
    os.makedirs(work, exist_ok=True)
    data, folds, table = (os.path.join(work, n) for n in ("stream.csv", "folds.csv", "table.csv"))
    if not os.path.exists(data):
        run(scarce, "simulate", "fraud", "--set", "preset=hard", "--set", "rate=0.00179", "--set",
            f"transactions={transactions}", "--seed", seed, "-o", data, "--quiet")
    compare = [scarce, "compare", data, *ROLES, *PROTOCOL, "--quiet", "--threads", threads]
    run(*compare, "--write-folds", folds)
    tested = cut_folds(data, folds, work)
    scores = [resampled(scarce, m, r, tested, work, threads) for m, r in RESAMPLED]
    run(*compare, "--methods", ",".join(METHODS), *(x for s in scores for x in ("--scores", s)),
        "--results", os.path.join(work, "results"), "--csv", table, stdout=open(os.path.join(work, "table.txt"), "w"))
    with open(table, newline="") as f:
        return [dict(line, seed=seed) for line in csv.DictReader(f)]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce")
    p.add_argument("work")
    p.add_argument("--seeds", default="1,2,3")
    p.add_argument("--transactions", default="400000")
    p.add_argument("--threads", default="1")
    o = p.parse_args()
    lines = [line for seed in o.seeds.split(",")
             for line in one_seed(o.scarce, seed, o.transactions, os.path.join(o.work, seed), o.threads)]
    columns = ["seed", "method", "fold", "train_rows", "train_positives", "rows", "positives", *METRICS]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "results.csv"), "w", newline="") as f:
        w = csv.DictWriter(f, columns, extrasaction="ignore", lineterminator="\n")
        w.writeheader()
        w.writerows(lines)
    by = {}
    for line in lines:
        by.setdefault(line["method"], {})[(line["seed"], line["fold"])] = line
    print("| contestant | " + " | ".join(METRICS) + " | AP against gb, fold by fold (standard error) |\n|" + "---|" * 6)
    for method, folds in by.items():
        means = [statistics.mean(float(f[m]) for f in folds.values() if f[m]) for m in METRICS]
        d = [float(f["ap"]) - float(by["gb"][k]["ap"]) for k, f in folds.items() if f["ap"]]
        error = statistics.stdev(d) / len(d) ** 0.5
        print(f"| {method} | " + " | ".join(f"{m:.4f}" for m in means) + f" | {statistics.mean(d):+.4f} ({error:.4f}) |")


if __name__ == "__main__":
    main()
